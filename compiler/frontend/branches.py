"""Lower branches and loops to `If`, `For` and `While`: which variables these yield or carry, as which values."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from backsweep.diagnostics import Loc, UnsupportedError
from backsweep.frontend.constructs.dicts import become_tables, becomes_table
from backsweep.frontend.constructs.lists import LISTED, TOTAL
from backsweep.frontend.context.heap import Heap
from backsweep.frontend.context.scope import (
    Bound,
    Context,
    Frame,
    Iterator,
    holds_values,
    is_refused,
    is_static,
    same,
)
from backsweep.frontend.instances.carrying import Carried
from backsweep.frontend.instances.joining import clash, holds_objects, join_branches
from backsweep.ir.build import OpenBlock
from backsweep.ir.nodes import UNDEFINED, Const, If, Node, Operand, Raise, Value
from backsweep.reading.control_flow import RESULT, is_local_flag

Run = Callable[[], None]


@dataclass(frozen=True, eq=False)
class Side:
    """One branch after lowering: its block, the names at its end, and whether control reaches its end."""

    block: OpenBlock
    env: dict[str, Operand]
    ends: bool
    heap: Heap


def shown_name(name: str, frame: Frame) -> str:
    """The name of a variable in the IR; a hidden variable, whose name starts with a dot, has a plain name or none.

    What loops in texts of ours call `each` has none, either.
    """
    if not name.startswith("."):
        return "" if name == "each" and frame.fixed is not None else name
    if name == RESULT:
        return "" if frame.caller is not None else "result"
    if name in (LISTED, TOTAL):
        return name[1:] if name == TOTAL else ""
    return "done"


def branch(context: Context, frame: Frame, condition: Operand, then: Run, orelse: Run, loc: Loc) -> None:
    """Lower both branches and bind the names that differ after them to results of the `If`."""
    fork = Fork(context, frame, condition, (then, orelse), loc)
    fork.meet()
    fork.close()


class Fork:
    """The two sides of an `If`: lowers each with the names and objects as they are before it, then brings them together.

    `meet` binds the names that differ to results of the `If`, `close` appends it. Between them further results may be made.
    """

    def __init__(
        self, context: Context, frame: Frame, condition: Operand, runs: tuple[Run, Run], loc: Loc
    ) -> None:
        self.context, self.frame, self.condition, self.loc = context, frame, condition, loc
        self.results: list[Value] = []
        self._before = frame.env
        self._after: dict[str, Operand] = {}
        objects = context.objects.heap
        self.sides: list[Side] = []
        for run in runs:
            context.objects.heap = objects.copy()
            self.sides.append(_side(context, frame, self._before, run))
        frame.env = self._before
        ends = [(side.heap, side.ends) for side in self.sides]
        self.join = join_branches(context, objects, ends, self.result, loc)

    def result(self, name: str, *ends: Operand) -> Value:
        """A result of the `If`: what its sides end with."""
        made = self.context.builder.value(name, loc=self.loc)
        self.context.merge_kinds(made, *ends)
        self.results.append(made)
        for side, end in zip(self.sides, ends, strict=True):
            side.block.yields += (end,)
        return made

    def meet(self) -> None:
        """Find what each name is after both sides."""
        frame, sides = self.frame, self.sides
        known: list[tuple[Operand, Operand, Operand]] = []
        for name in {**sides[0].env, **sides[1].env}:
            one = _end(sides[0], sides[1], frame, self._before, name)
            other = _end(sides[1], sides[0], frame, self._before, name)
            shown = shown_name(name, frame)
            if is_same_function(one, other):
                self._after[name] = chosen(one, other, "", self.result)
                continue
            if holds_objects(one) or holds_objects(other):
                self._after[name] = self.join.operand(shown, one, other)
                continue
            if (iterator := self._iterator(one, other)) is not None:
                self._after[name] = iterator
                continue
            become_tables(self.context, *(() if same(one, other) else (one, other)))
            merged = _merged(name, one, other, self.truth(), known)
            if merged is None:
                merged = self.result(shown, one, other)
                known.append((one, other, merged))
            self._after[name] = merged

    def truth(self) -> Operand | None:
        """The condition, if it is True or False: the test of a number does not stand for its truth."""
        return self.condition if self.condition in self.context.booleans else None

    def _iterator(self, one: Operand, other: Operand) -> Operand | None:
        """The iterator of which each side has taken items; None for anything else."""
        if not (isinstance(one, Const) and isinstance(other, Const)):
            return None
        first, second = one.value, other.value
        if not (
            isinstance(first, Iterator) and isinstance(second, Iterator) and same(first.base, second.base)
        ):
            return None
        if first.position == second.position or first.loop is not second.loop or first.together:
            return None
        positions = [
            Const(each) if isinstance(each, int) else each for each in (first.position, second.position)
        ]
        return Const(dataclasses.replace(first, position=self.result("", *positions)))

    def close(self) -> None:
        """Append the `If`, and bind the names."""
        one, other = (side.block.finish() for side in self.sides)
        self.context.builder.add(If(self.condition, one, other, tuple(self.results), self.loc))
        for name, merged in self._after.items():
            if merged is NEGATED:
                self._after[name] = self.context.builder.apply(operator.not_, self.condition, loc=self.loc)
        self.frame.env = self._after


def _side(context: Context, frame: Frame, before: dict[str, Operand], run: Run) -> Side:
    frame.env = dict(before)
    with context.builder.block() as block, context.objects.joining(block):
        run()
    return Side(block, frame.env, not _raises(block.nodes), context.objects.heap)


def _raises(nodes: Sequence[Node]) -> bool:
    """Whether the end of the nodes is never reached."""
    match nodes[-1] if nodes else None:
        case Raise():
            return True
        case If(then=then, orelse=orelse):
            return _raises(then.nodes) and _raises(orelse.nodes)
        case _:
            return False


def _end(side: Side, other: Side, frame: Frame, before: dict[str, Operand], name: str) -> Operand:
    """The operand of a name at the end of a branch; if that end is not reached, an operand that agrees with the other."""
    if side.ends or not other.ends:
        return side.env.get(name, UNDEFINED)
    theirs = other.env.get(name, UNDEFINED)
    if theirs is before.get(name):
        return theirs
    return theirs if isinstance(theirs, Const) and not holds_values(theirs, frame) else UNDEFINED


#: Stands for `not condition` until the `If` has been appended.
NEGATED = Const("the negated condition")


def _merged(
    name: str,
    one: Operand,
    other: Operand,
    truth: Operand | None,
    known: list[tuple[Operand, Operand, Operand]],
) -> Operand | None:
    """The operand of a name after both branches; None if the `If` needs a result for the name."""
    if same(one, other):
        return one
    for side in (one, other):
        if is_refused(side):
            return side
    if is_static(one) or is_static(other):
        return clash(name, one, other)
    if name.startswith(".") and name != RESULT:
        if other is truth and isinstance(one, Const) and one.value is True:
            return truth
        if isinstance(one, Const) and isinstance(other, Const) and not (one.value is True and truth is None):
            return truth if one.value is True else NEGATED
        for first, second, merged in known:
            if same(first, one) and same(second, other):
                return merged
    return None


def is_same_function(one: Operand, other: Operand) -> bool:
    """Whether both are one function with operands bound to the same parameters, which branches may choose: `norm(0.0, 1.0)`, `norm(m, s)`."""
    if not (isinstance(one, Const) and isinstance(other, Const)):
        return False
    first, second = one.value, other.value
    if not (isinstance(first, Bound) and isinstance(second, Bound) and same(first.function, second.function)):
        return False
    if len(first.args) != len(second.args) or first.keywords.keys() != second.keywords.keys():
        return False
    pairs = [*zip(first.args, second.args, strict=True)]
    pairs += [(operand, second.keywords[key]) for key, operand in first.keywords.items()]
    return all(same(*pair) or is_same_function(*pair) or not any(map(is_static, pair)) for pair in pairs)


def chosen(
    one: Operand, other: Operand, name: str, result: Callable[[str, Operand, Operand], Value]
) -> Operand:
    """The function with the operands that a branch chooses; `result` makes the value that is the one or the other."""
    if same(one, other):
        return one
    if not is_same_function(one, other):
        return result(name, one, other)
    assert isinstance(one, Const)
    assert isinstance(other, Const)
    first, second = one.value, other.value
    args = tuple(chosen(*pair, "", result) for pair in zip(first.args, second.args, strict=True))
    named = {
        key: chosen(operand, second.keywords[key], key, result) for key, operand in first.keywords.items()
    }
    return Const(Bound(first.function, args, named))


def carried_names(names: Sequence[str]) -> list[str]:
    """The variables that a loop carries from one iteration to the next."""
    return [name for name in names if not is_local_flag(name)]


@dataclass(slots=True, eq=False)
class Loop:
    """What a loop carries: `names` with their values before it, and what the body changes of objects."""

    names: Sequence[str]
    before: dict[str, Operand]
    objects: Carried
    block: OpenBlock

    @property
    def inits(self) -> tuple[Operand, ...]:
        """The operands of what is carried, before the loop; a function cannot be carried."""
        inits = [self.before.get(name, UNDEFINED) for name in self.names]
        inits += [slot.before for slot in self.objects.slots.values()]
        return tuple(UNDEFINED if is_static(init) else init for init in inits)


def enter_loop(
    context: Context,
    frame: Frame,
    before: dict[str, Operand],
    names: Sequence[str],
    block: OpenBlock,
    loc: Loc,
) -> Loop:
    """Make a new value for each variable that the loop carries, and bind the variable's name to it; the block of its body is open."""
    names = [each for each in names if each not in frame.shared]  # those are attributes of an object
    for name in names:
        becomes_table(context, before.get(name, UNDEFINED))  # each iteration may have another dict
    parameters = tuple(context.builder.value(shown_name(name, frame), loc=loc) for name in names)
    for name, parameter in zip(names, parameters, strict=True):
        context.merge_kinds(parameter, before.get(name, UNDEFINED))
    objects = Carried(context, before, names, loc)
    frame.env = {**before, **dict(zip(names, parameters, strict=True)), **objects.enter(block)}
    block.parameters += (*parameters, *(slot.inside for slot in objects.slots.values()))
    return Loop(names, before, objects, block)


def condition_of_loop(context: Context, test: Callable[[], Operand], loc: Loc) -> Operand:
    """The condition of a `while` loop. If it asks for a type, the round goes on: what is asked depends on the loop's variables."""
    try:
        return test()
    except UnsupportedError as error:
        if error.problems:
            raise
        return context.builder.apply(operator.lt, Const(0), Const(1), loc=loc)


def leave_loop(context: Context, frame: Frame, loop: Loop, loc: Loc) -> tuple[Value, ...]:
    """Set the yields of the body, and bind the names to the loop's results; `frame.env` holds the names at the body's end."""
    before, names, block = loop.before, loop.names, loop.block
    known = len(loop.objects.slots)
    held = loop.objects.leave(frame.env)
    slots = list(loop.objects.slots.values())
    block.parameters += tuple(slot.inside for slot in slots[known:])
    ends = [*(frame.env.get(name, UNDEFINED) for name in names), *(slot.end for slot in slots)]
    block.yields = tuple(UNDEFINED if is_static(end) else end for end in ends)
    results = tuple(context.builder.value(shown_name(name, frame), loc=loc) for name in names)
    frame.env = {name: operand for name, operand in frame.env.items() if name in before or is_static(operand)}
    frame.env.update((name, before[name]) for name in before if name not in names)
    for name, end, result in zip(names, ends, results, strict=False):
        context.merge_kinds(result, before.get(name, UNDEFINED), end)
        if is_static(end) and end is not before.get(name) and holds_values(end, frame):
            become_tables(context, before.get(name, end), end)
            end = clash(name, end)
        deleted = end is UNDEFINED and not name.startswith(".")
        frame.env[name] = end if is_static(end) or deleted else result
    frame.env.update(held)
    return (*results, *(slot.after for slot in slots))


def exit_operand(env: dict[str, Operand], name: str) -> Operand | None:
    """The flag that ends the loop after this iteration; None if the loop has no early exit.

    Nor has it one in a round that leaves out the statement which sets the flag: the next round lowers it.
    """
    found = env.get(name)
    if found is None or is_refused(found) or (isinstance(found, Const) and not found.value):
        return None
    return found
