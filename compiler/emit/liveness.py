"""Find which values may share a variable of the emitted text: those that are never alive together."""

from __future__ import annotations

from dataclasses import dataclass, field

from backsweep.emit.nest import Nested
from backsweep.emit.statements import (
    Branch,
    Copies,
    Count,
    Define,
    Effect,
    Exit,
    Forever,
    Note,
    Return,
    Statement,
    every,
    is_undefined,
)
from backsweep.ir.nodes import Apply, Const, Operand, Raise, Value
from backsweep.ir.operations import operation
from backsweep.ir.types import Array, Scalar
from backsweep.ir.walk import operands

Live = frozenset[Value]
NOTHING: Live = frozenset()


@dataclass(slots=True)
class Variables:
    """Values grouped into variables: the members of a group are never alive at the same time."""

    names: dict[Value, str]
    clashes: dict[Value, set[Value]] = field(default_factory=dict)
    parents: dict[Value, Value] = field(default_factory=dict)
    members: dict[Value, list[Value]] = field(default_factory=dict)

    def clash(self, written: Value, live: Live, same: Operand | None = None) -> None:
        """Note that a value is written while the values in `live` are alive; `same` is an operand with an equal value."""
        name = self.names.get(written, "")
        mine = self.clashes.setdefault(written, set())
        for other in live:
            if other is written or other is same:
                continue
            if not name or self.names.get(other, "") in ("", name):
                mine.add(other)
                self.clashes.setdefault(other, set()).add(written)

    def find(self, value: Value) -> Value:
        """The representative of the value's variable."""
        while value in self.parents:
            value = self.parents[value]
        return value

    def name(self, root: Value) -> str:
        """The user's name for the variable, "" if none of its values has one."""
        return self.names.get(root, "")

    def merge(self, first: Value, second: Value) -> None:
        """Let two values share a variable if names and lives allow it."""
        kept, gone = self.find(first), self.find(second)
        if kept is gone or (self.name(kept) and self.name(gone) and self.name(kept) != self.name(gone)):
            return
        mine, theirs = self.clashes.setdefault(kept, set()), self.clashes.setdefault(gone, set())
        if any(member in mine for member in self.members.get(gone, [gone])):
            return
        kinds = {_kind(member) for root in (kept, gone) for member in self.members.get(root, [root])}
        if len(kinds - {None}) > 1:
            return
        self.parents[gone] = kept
        self.names[kept] = self.name(kept) or self.name(gone)
        self.members.setdefault(kept, [kept]).extend(self.members.pop(gone, [gone]))
        mine |= theirs


def _kind(value: Value) -> tuple[str, int] | None:
    """A key for the types that Numba can unify in one variable; None if the type is unknown or of another kind."""
    match value.type:
        case Scalar():
            return ("number", 0)
        case Array(dtype, ndim):
            return (dtype, ndim)
        case _:
            return None


def find_clashes(
    statements: list[Statement], parameters: tuple[Value, ...], nested: Nested, names: dict[Value, str]
) -> Variables:
    """Put each value of the program into a variable of its own, and note all clashes."""
    variables = Variables(dict(names))
    live = _before(statements, NOTHING, NOTHING, nested, variables)
    for parameter in parameters:
        variables.clash(parameter, live | frozenset(parameters))
    return variables


def share(statements: list[Statement], parameters: tuple[Value, ...], variables: Variables) -> None:
    """Merge the variables that copies connect, so that the copies disappear, then variables of the same name."""
    program = list(every(statements))
    order: list[Value] = list(parameters)
    for statement in reversed(program):
        if isinstance(statement, Copies):
            _share_copies(statement, variables)
    for statement in program:
        match statement:
            case Define(value, Apply(_, function, (Value() as target, *_))) if operation(function).in_place:
                variables.merge(target, value)
                order.append(value)
            case Define(value):
                order.append(value)
            case Copies(targets):
                order += targets
            case Count(index):
                order.append(index)
            case _:
                pass
    groups: dict[str, list[Value]] = {}
    for value in order:
        name = variables.names.get(value, "")
        if name:
            for other in groups.setdefault(name, []):
                variables.merge(other, value)
            groups[name] = list(dict.fromkeys(variables.find(each) for each in (*groups[name], value)))


def _share_copies(copies: Copies, variables: Variables) -> None:
    """Merge each target with its source; pairs of the same name come first."""
    pairs = [
        (target, source)
        for target, source in zip(copies.targets, copies.sources, strict=True)
        if isinstance(source, Value)
    ]
    for target, source in pairs:
        if variables.names.get(target, "") == variables.names.get(source, ""):
            variables.merge(target, source)
    for target, source in pairs:
        variables.merge(target, source)


def _before(
    statements: list[Statement], live: Live, left: Live, nested: Nested, variables: Variables
) -> Live:
    """The values alive before the statements; `live` are alive after them, `left` after the enclosing loop."""

    def leaves(operand: Operand) -> Live:
        return frozenset(nested.leaves(operand))

    for statement in reversed(statements):
        match statement:
            case Define(value, node):
                if value in nested.nodes:
                    continue
                same = None
                if (
                    isinstance(node, Apply)
                    and operation(node.function).in_place
                    and not isinstance(value.type, Scalar)
                ):
                    same = node.operands[0]
                variables.clash(value, live, same)
                live = (live - {value}) | frozenset(nested.leaves_of(node))
            case Effect(node):
                if isinstance(node, Raise):
                    live = NOTHING
                live = live.union(*(leaves(operand) for operand in operands(node)))
            case Copies(targets, sources):
                live = _before_copies(targets, sources, live, nested, variables)
            case Branch(condition, then, orelse):
                live = (
                    _before(then, live, left, nested, variables)
                    | _before(orelse, live, left, nested, variables)
                    | leaves(condition)
                )
            case Count(index, start, stop, step, body):
                inner = _before(body, live, live, nested, variables) - {index}
                inner = _before(body, live | inner, live, nested, variables)
                variables.clash(index, inner)
                live = live | (inner - {index}) | leaves(start) | leaves(stop) | leaves(step)
            case Forever(body):
                inner = _before(body, NOTHING, live, nested, variables)
                live = _before(body, inner, live, nested, variables)
            case Exit(condition):
                always = isinstance(condition, Const) and bool(condition.value) and not statement.unless
                live = left if always else live | left | leaves(condition)
            case Return(result):
                live = leaves(result)
            case Note():
                pass
    return live


def _before_copies(
    targets: tuple[Value, ...], sources: tuple[Operand, ...], live: Live, nested: Nested, variables: Variables
) -> Live:
    """The values alive before parallel copies."""
    written = [target for target, source in zip(targets, sources, strict=True) if not is_undefined(source)]
    for target, source in zip(targets, sources, strict=True):
        if not is_undefined(source):
            same = source if isinstance(source, Value) and source not in nested.nodes else None
            variables.clash(target, live, same)
            variables.clash(target, frozenset(written))
    before = live - frozenset(targets)
    return before.union(*(nested.leaves(source) for source in sources))
