"""Join objects where two paths meet: attribute by attribute, so that what a branch yields and a loop carries are numbers and arrays."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

from backsweep.diagnostics import Loc
from backsweep.frontend.constructs.dicts import become_tables
from backsweep.frontend.context.heap import Heap, Virtual, common_class
from backsweep.frontend.context.scope import (
    Clash,
    Context,
    KnownTuple,
    is_refused,
    is_static,
    is_undefined,
    kind_of,
    refusal,
    same,
)
from backsweep.ir.nodes import UNDEFINED, Const, Operand, Value

Result = Callable[..., Value]
"""Makes the value that is the one or the other operand: `result(name, one, other)`."""


def holds_objects(operand: Operand) -> bool:
    """Whether the operand is an object that the program makes, or a tuple with one."""
    if isinstance(operand, Value):
        return False
    if isinstance(operand.value, KnownTuple):
        return any(map(holds_objects, operand.value.items))
    return isinstance(operand.value, Virtual)


def clash(name: str, *sides: Operand) -> Operand:
    """The marker for what is a different compile-time object on each path."""
    for side in sides:
        if is_refused(side):
            return side
    return Const(Clash(name, kind_of(*sides)))


@dataclass(slots=True, eq=False)
class Join:
    """Where two paths meet, each with the objects as they are at its end; `result` makes the value that is one of two.

    `made` are the objects made here, by the pairs that they stand for.
    """

    context: Context
    heaps: tuple[Heap, Heap]
    result: Result
    loc: Loc
    made: dict[tuple[object, object], Virtual] = field(default_factory=dict)

    def operand(self, name: str, one: Operand, other: Operand) -> Operand:
        """The operand that is the one or the other, where objects are among them."""
        if same(one, other):
            return one
        tuples = [items_of(one), items_of(other)]
        sizes = {len(items) for items in tuples if items is not None}
        if len(sizes) == 1 and all(
            items is not None or side is UNDEFINED for items, side in zip(tuples, (one, other), strict=True)
        ):
            length = sizes.pop()
            pairs = zip(*(items or (UNDEFINED,) * length for items in tuples), strict=True)
            return Const(KnownTuple(tuple(self.operand(name, *pair) for pair in pairs)))
        if _is_like(one, other):
            return Const(self.chosen(one, other))
        if is_static(one) or is_static(other):
            become_tables(self.context, one, other)
            return clash(name, one, other)
        return self.result(name, one, other)

    def chosen(self, one: Operand, other: Operand) -> Virtual:
        """The object that stands for one of two, of which at most one is not assigned."""
        ends = [side.value if isinstance(side, Const) else None for side in (one, other)]
        pair = (ends[0], ends[1])
        if pair in self.made:
            return self.made[pair]
        things = [end if isinstance(end, Virtual) else None for end in ends]
        cls = common_class(*(thing.cls for thing in things if thing is not None))
        assert cls is not None
        objects = self.context.objects
        roots = [root for thing in things if thing is not None for root in thing.roots]
        made = objects.make(
            cls, ("join", self.loc, tuple(self.context.expansions.path)), self.context.builder.current, roots
        )
        self.made[pair] = made
        records = [
            {} if thing is None else heap.records[thing]
            for thing, heap in zip(things, self.heaps, strict=True)
        ]
        for thing, heap in zip(things, self.heaps, strict=True):
            if thing in heap.stale and thing is not None:
                objects.heap.stale[made] = heap.stale[thing]
        self.record(objects.heap.records[made], *records)
        return made

    def record(
        self, into: dict[Hashable, Operand], one: dict[Hashable, Operand], other: dict[Hashable, Operand]
    ) -> None:
        """Join the attributes of two records."""
        if (
            one
            and other
            and one.keys() != other.keys()
            and all(isinstance(key, int) for key in (*one, *other))
        ):
            message = "the run decides how many objects a list holds"
            raise refusal("BS104", message, self.loc, "append on both paths, or on none")
        for name in {**one, **other}:
            ends = (one.get(name, UNDEFINED), other.get(name, UNDEFINED))
            into[name] = self.operand(str(name), *ends)


def items_of(operand: Operand) -> tuple[Operand, ...] | None:
    """The items of a tuple that exists while compiling."""
    if isinstance(operand, Const) and isinstance(operand.value, KnownTuple):
        return operand.value.items
    return None


def _is_like(one: Operand, other: Operand) -> bool:
    """Whether both are objects of one class, with as many items if they are lists; one may be not assigned."""
    things = [side.value for side in (one, other) if isinstance(side, Const) and not is_undefined(side)]
    classes = [thing.cls for thing in things if isinstance(thing, Virtual)]
    return len(classes) == len(things) and bool(classes) and common_class(*classes) is not None


def join_branches(
    context: Context, before: Heap, sides: Sequence[tuple[Heap, bool]], result: Result, loc: Loc
) -> Join:
    """Join the objects after two branches; each side has them as they are at its end, and says whether that is reached."""
    (one, one_ends), (other, other_ends) = sides
    if not one_ends and other_ends:
        one = _as_if(other, before)
    if not other_ends and one_ends:
        other = _as_if(one, before)
    objects = context.objects
    objects.heap = Heap({each: {} for each in before.records}, {**one.stale, **other.stale})
    join = Join(context, (one, other), result, loc)
    for thing in before.records:
        if thing not in objects.heap.stale:
            join.record(objects.heap.records[thing], one.records[thing], other.records[thing])
    return join


def _as_if(heap: Heap, before: Heap) -> Heap:
    """The heap at an end that is not reached: it agrees with the other end, except for values that only that has."""
    records = {
        thing: {
            name: operand
            if operand is before.records[thing].get(name)
            or (isinstance(operand, Const) and not is_static(operand))
            else UNDEFINED
            for name, operand in heap.records[thing].items()
        }
        for thing in before.records
    }
    return Heap(records, dict(heap.stale))
