"""Carry objects through loops: attribute by attribute, as far as the body changes them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import cast

from backsweep.diagnostics import Loc
from backsweep.frontend.constructs.dicts import become_tables
from backsweep.frontend.context.heap import Fact, Heap, Path, Virtual, common_class
from backsweep.frontend.context.rounds import FoundObjectsError, write_loops_out
from backsweep.frontend.context.scope import (
    Clash,
    Context,
    KnownTuple,
    is_refused,
    is_static,
    kind_of,
    refusal,
    same,
)
from backsweep.frontend.instances.joining import clash, holds_objects, items_of
from backsweep.ir.build import OpenBlock
from backsweep.ir.nodes import UNDEFINED, Const, Operand, Value

DEEPEST = 12
"""The longest way of attributes that a loop follows: one that goes on holds an object that leads to itself."""


@dataclass(slots=True, eq=False)
class Slot:
    """A value of an object that a loop carries: before it, in the body, at the body's end, and after the loop."""

    before: Operand
    inside: Value
    end: Operand
    after: Value


class Carried:
    """The objects that a loop carries: `slots` are the values of their attributes that the body changes.

    Which these are, earlier rounds of lowering have found; a round that finds more starts again. It supposes until then that
    what the body makes is none of the objects before the loop, and that no two variables mean one object.
    """

    def __init__(self, context: Context, before: dict[str, Operand], names: Sequence[str], loc: Loc) -> None:
        self.context = context
        self.names = names
        self.loc = loc
        self.key: Fact = ("loop", loc, tuple(context.expansions.path))
        self.before = before
        self.outer = context.builder.open[-2]
        self.heap = context.objects.heap
        self.slots: dict[Value, Slot] = {}
        self.found: set[Fact] = set()
        self.phis: dict[Virtual, dict[Hashable, Operand]] = {}
        self.ends: list[tuple[Path, Virtual, frozenset[Virtual]]] = []
        self.shared = Virtual(object, (self.key, "shared"))

    def knows(self, *fact: Hashable) -> bool:
        """Whether an earlier round has found this."""
        return (*self.key, *fact) in self.context.expansions.objects

    def note(self, *fact: Hashable) -> None:
        """Note what the next round has to know."""
        self.found.add((*self.key, *fact))

    def new_at(self, path: Path) -> list[Hashable]:
        """The attributes that objects at this path get in the body, as earlier rounds have found."""
        facts = self.context.expansions.objects
        return [fact[-1] for fact in facts if fact[:-1] == (*self.key, "new", path)]

    # Entry

    def enter(self, block: OpenBlock) -> dict[str, Operand]:
        """What the variables that hold objects mean in the body, whose block is open; attributes become what the body gets."""
        objects = self.context.objects
        self.block = block
        objects.heap = self.heap.copy()
        for thing, record in self.heap.records.items():
            path: Path = (thing.key,)
            for name in dict.fromkeys([*record, *self.new_at(path)]):
                opened = self.opened((*path, name), record.get(name, UNDEFINED))
                if opened is not UNDEFINED:
                    objects.heap.records[thing][name] = opened
            if self.knows("stale", path):
                objects.heap.stale[thing] = self.loc
        held = {name: self.before.get(name, UNDEFINED) for name in self.names}
        opened_names = {
            name: self.opened((name,), operand)
            for name, operand in held.items()
            if holds_objects(operand) or self.knows("clash", (name,))
        }
        self.entry = objects.heap.copy()
        self.entry_names = opened_names
        made = {name: UNDEFINED for name in self.names if self.knows("made", name)}
        return {**opened_names, **made}

    def opened(self, path: Path, operand: Operand) -> Operand:
        """What an operand at this path is in the body."""
        if self.knows("clash", path):
            kind = kind_of(operand) if is_static(operand) else "object"
            return Const(Clash(str(path[-1]), kind))
        if not self.knows("carried", path):
            return operand
        if not is_static(operand):
            return self.slot(str(path[-1]), operand).inside
        items = items_of(operand)
        if items is not None:
            return Const(KnownTuple(tuple(self.opened((*path, k), item) for k, item in enumerate(items))))
        if not (isinstance(operand, Const) and isinstance(operand.value, Virtual)):
            return operand
        return Const(self.phi(path, operand.value))

    def phi(self, path: Path, thing: Virtual) -> Virtual:
        """The object that a variable means in the body: the one before the loop, or one that an earlier iteration left."""
        objects = self.context.objects
        own = self.shared if self.knows("shared", path) else Virtual(object, (*self.key, path))
        more = [
            root for each in self.heap.records if self.knows("root", path, each.key) for root in each.roots
        ]
        facts = self.context.expansions.objects
        ends = [
            fact[-1]
            for fact in facts
            if fact[:-1] == (*self.key, "class", path) and isinstance(fact[-1], type)
        ]
        cls = common_class(thing.cls, *ends)
        assert cls is not None
        made = objects.make(cls, (*self.key, path), self.block, {*thing.roots, *more, own})
        record = self.heap.records[thing]
        entry = objects.heap.records[made]
        for name in dict.fromkeys([*record, *self.new_at(path)]):
            entry[name] = self.opened((*path, name), record.get(name, UNDEFINED))
        if self.knows("stale", path) or thing in self.heap.stale:
            objects.heap.stale[made] = self.loc
        self.phis[made] = dict(entry)
        return made

    def slot(self, name: str, before: Operand, end: Operand = UNDEFINED) -> Slot:
        """A value that the loop carries."""
        inside, after = (self.context.builder.value(name, loc=self.loc) for _ in range(2))
        self.slots[inside] = Slot(before, inside, end, after)
        if not is_static(before):
            self.context.merge_kinds(inside, before)
        return self.slots[inside]

    # End

    def has_changed(self) -> bool:
        """Whether an object is not what it was on entry."""
        records = self.context.objects.heap.records
        return any(
            records[thing].keys() != record.keys()
            or not all(same(operand, records[thing][name]) for name, operand in record.items())
            for thing, record in self.entry.records.items()
        )

    def leave(self, env: dict[str, Operand]) -> dict[str, Operand]:
        """What variables that hold objects mean after the loop; `env` are the variables at the end of the body.

        Raises FoundObjectsError if the body carries more than it was lowered with.
        """
        objects = self.context.objects
        end = objects.heap
        self.end = end
        self.after = Heap({each: {} for each in self.heap.records}, dict(self.heap.stale))
        for thing, record in self.heap.records.items():
            path: Path = (thing.key,)
            if thing in end.stale:
                self.note("stale", path)
                self.after.stale[thing] = end.stale[thing]
                continue
            if thing.cls is list and end.records[thing].keys() != record.keys():
                self.refuse_length()
            for name, last in end.records[thing].items():
                before = record.get(name, UNDEFINED)
                opened = self.entry.records[thing].get(name, UNDEFINED)
                if opened is UNDEFINED:
                    self.note("new", path, name)
                self.after.records[thing][name] = self.closed((*path, name), before, opened, last)
        names: dict[str, Operand] = {}
        for name in self.names:
            last = env.get(name, UNDEFINED)
            before = self.before.get(name, UNDEFINED)
            if is_refused(last):
                names[name] = last
            elif name in self.entry_names:
                names[name] = self.closed((name,), before, self.entry_names[name], last)
            elif _is_clash(last) and before is UNDEFINED:
                self.note("made", name)
            elif holds_objects(last):
                is_new = before is UNDEFINED
                names[name] = self.handed((name,), last) if is_new else self.clash((name,), before, last)
        self.compare_ends()
        if self.found - self.context.expansions.objects:
            raise FoundObjectsError(self.found)
        objects.heap = self.after
        return names

    def closed(self, path: Path, before: Operand, opened: Operand, last: Operand) -> Operand:
        """What is after the loop what was `opened` in the body, and is `last` at its end."""
        if isinstance(opened, Value) and opened in self.slots and not is_static(last):
            self.slots[opened].end = last
            self.context.merge_kinds(self.slots[opened].after, before, last)
            return self.slots[opened].after
        if is_refused(last):
            return last
        if len(path) > DEEPEST:
            return self.clash(path, opened, last)
        if isinstance(opened, Const) and isinstance(opened.value, Virtual) and opened.value in self.phis:
            return self.of_phi(path, before, opened.value, last)
        if same(opened, last):
            return before
        if before is UNDEFINED and holds_objects(last):
            return self.handed(path, last)
        one, other = items_of(opened), items_of(last)
        are_tuples = one is not None and other is not None and len(one) == len(other)
        if not (are_tuples or _of_one_class(opened, last) or not (is_static(opened) or is_static(last))):
            return self.clash(path, opened, last)
        if not self.knows("carried", path):
            self.note("carried", path)
            return opened
        if one is None or other is None:
            return self.clash(path, opened, last)
        befores = items_of(before) or (UNDEFINED,) * len(one)
        parts = zip(befores, one, other, strict=True)
        return Const(KnownTuple(tuple(self.closed((*path, k), *part) for k, part in enumerate(parts))))

    def clash(self, path: Path, opened: Operand, last: Operand) -> Operand:
        """The marker for what is another compile-time object in each iteration; the body must not use it."""
        become_tables(self.context, opened, last)
        if not self.knows("clash", path):
            self.note("clash", path)
        return clash(str(path[-1]), opened, last)

    def of_phi(self, path: Path, before: Operand, phi: Virtual, last: Operand) -> Operand:
        """The object after the loop that a variable means which may mean another in each iteration."""
        if not _of_one_class(Const(phi), last):
            return self.clash(path, Const(phi), last)
        assert isinstance(last, Const)
        assert isinstance(before, Const)
        thing: Virtual = last.value
        if not issubclass(thing.cls, phi.cls):
            self.note("class", path, cast("Hashable", thing.cls))
        for each in self.heap.records:
            if each.roots <= thing.roots and not each.roots <= phi.roots:
                self.note("root", path, each.key)
        known = frozenset(root for each in self.heap.records for root in each.roots)
        self.ends.append((path, phi, thing.roots - known))
        made = self.made_after(path, phi, phi.roots)
        if thing in self.end.stale:
            self.note("stale", path)
            self.after.stale[made] = self.end.stale[thing]
            return Const(made)
        record, entry, ends = self.heap.records[before.value], self.phis[phi], self.end.records[thing]
        if thing.cls is list and entry.keys() != ends.keys():
            self.refuse_length()
        for name in dict.fromkeys([*entry, *ends]):
            if name not in entry:
                self.note("new", path, name)
            parts = (each.get(name, UNDEFINED) for each in (record, entry, ends))
            self.after.records[made][name] = self.closed((*path, name), *parts)
        return Const(made)

    def refuse_length(self) -> None:
        """Have the loops around written out if they count to a known number, else refuse a list that changes its length."""
        write_loops_out(self.context.objects, self.context.expansions)
        message = "the run decides how many objects a list holds"
        remedy = "append in loops over known numbers, such as range(3)"
        raise refusal("BS104", message, self.loc, remedy)

    def handed(self, path: Path, last: Operand) -> Operand:
        """What the body makes anew, after the loop."""
        if not is_static(last):
            return self.slot(str(path[-1]), UNDEFINED, last).after
        items = items_of(last)
        if items is not None:
            return Const(KnownTuple(tuple(self.handed((*path, k), item) for k, item in enumerate(items))))
        if not (isinstance(last, Const) and isinstance(last.value, Virtual)):
            return last
        thing = last.value
        known = frozenset(root for each in self.heap.records for root in each.roots)
        if thing in self.heap.records or len(path) > DEEPEST:
            return last
        made = self.made_after(path, thing, {*thing.roots, self.shared})
        self.ends.append((path, made, thing.roots - known))
        if thing in self.end.stale:
            self.after.stale[made] = self.end.stale[thing]
            return Const(made)
        for name, operand in self.end.records[thing].items():
            self.after.records[made][name] = self.handed((*path, name), operand)
        return Const(made)

    def made_after(self, path: Path, thing: Virtual, roots: frozenset[Virtual] | set[Virtual]) -> Virtual:
        """A new object after the loop."""
        objects = self.context.objects
        objects.heap = self.after
        made = objects.make(thing.cls, (*self.key, "after", path), self.outer, roots)
        objects.heap = self.end
        return made

    def compare_ends(self) -> None:
        """Note which variables may mean one object that the body has made."""
        for k, (path, phi, roots) in enumerate(self.ends):
            for other_path, other, theirs in self.ends[:k]:
                met = (
                    roots & theirs or (roots - phi.roots) & other.roots or (theirs - other.roots) & phi.roots
                )
                if met - {self.shared}:
                    self.note("shared", path)
                    self.note("shared", other_path)


def _is_clash(operand: Operand) -> bool:
    """Whether the operand is an object on some paths only."""
    return isinstance(operand, Const) and isinstance(operand.value, Clash) and operand.value.kind == "object"


def _of_one_class(one: Operand, other: Operand) -> bool:
    """Whether both are objects of one class."""
    things = [side.value if isinstance(side, Const) else None for side in (one, other)]
    classes = [thing.cls for thing in things if isinstance(thing, Virtual)]
    return len(classes) == len(things) and common_class(*classes) is not None
