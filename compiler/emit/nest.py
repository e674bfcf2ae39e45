"""Choose the values that are nested: written inside the expression that uses them.

An unnamed value that is used once moves into its user if no statement on the way changes the memory and variables that
it reads, if the move does not enter a loop, and if the line stays short.
"""

from __future__ import annotations

import operator
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from backsweep.emit.statements import (
    Branch,
    Copies,
    Count,
    Define,
    Effect,
    Exit,
    Expression,
    Forever,
    Return,
    Statement,
    every,
    inside,
    lists,
    named,
    reads,
)
from backsweep.ir.effects import MayAlias, always, effect, looks_at_memory
from backsweep.ir.nodes import Apply, Const, If, Operand, Raise, Value, View
from backsweep.ir.operations import OPERATORS, kind, operation
from backsweep.ir.types import Array, Scalar
from backsweep.ir.walk import operands, results, walk

LONGEST = 96
"""The largest number of columns of a line with nested expressions, indentation included."""

FARTHEST = 200
"""The largest number of statements that a value may move past; it bounds the work and is not needed for correctness."""

SHORT = ("int8", "int16", "int32", "uint8", "uint16", "uint32")
"""The dtypes in which NumPy computes with fewer bits than Numba with numbers."""
_SCALING = (operator.mul, operator.truediv)

Path = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """The effects of a statement and of all statements inside it on values that would move past it.

    It writes the buffers `written`; `unknown` means that it has an effect that keeps its place; it `looks` at memory,
    `stops` the function, or contains `loops`. `targets` are the values that its copies assign, `names` the names that it
    assigns; `handed` are values that its copies keep under their own names.
    """

    written: tuple[Value, ...] = ()
    unknown: bool = False
    looks: bool = False
    stops: bool = False
    loops: bool = False
    targets: frozenset[Value] = frozenset()
    names: frozenset[str] = frozenset()
    handed: frozenset[Value] = frozenset()


@dataclass(slots=True)
class Nested:
    """The nested values with the nodes that compute them, the values that nothing reads, and the number of reads of each."""

    nodes: dict[Value, Expression] = field(default_factory=dict)
    unread: set[Value] = field(default_factory=set)
    readers: dict[Operand, int] = field(default_factory=dict)

    def leaves(self, operand: Operand) -> tuple[Value, ...]:
        """The variables in the written form of the operand, in order, once for each read."""
        if isinstance(operand, Const):
            return ()
        node = self.nodes.get(operand)
        if node is None:
            return (operand,)
        return self.leaves_of(node)

    def leaves_of(self, node: Expression) -> tuple[Value, ...]:
        """The variables in the written form of the node."""
        if isinstance(node, If):
            parts: tuple[Operand, ...] = (node.condition, node.then.yields[0], node.orelse.yields[0])
        else:
            parts = operands(node)
        return tuple(leaf for part in parts for leaf in self.leaves(part))


def nest(
    statements: list[Statement], may_alias: MayAlias = always, willing: frozenset[Value] = frozenset()
) -> Nested:
    """Choose the nested values of the program; values in `willing` may be nested although they have names."""
    counts: Counter[Operand] = Counter()
    users: dict[Value, Statement] = {}
    paths: dict[Statement, Path] = {}
    home: dict[int, list[Statement]] = {}
    _place(statements, (), paths, home)
    for statement in every(statements):
        for operand in reads(statement):
            counts[operand] += 1
            if isinstance(operand, Value):
                users[operand] = statement
    summaries = {statement: _summary(statement) for statement in every(statements)}
    definitions = {s.value: s.node for s in summaries if isinstance(s, Define) and not named(s.value)}
    nested = Nested(readers=dict(counts))
    roots: dict[Value, Path] = {}
    for statement in reversed(list(every(statements))):
        if not isinstance(statement, Define):
            continue
        if isinstance(statement.node, If):
            _nest_inside(statement.node, nested)
        value = statement.value
        if counts[value] == 0 and not named(value):
            nested.unread.add(value)
        if counts[value] != 1 or _is_statement(statement.node):
            continue
        user = users[value]
        if _is_short(statement.node) and isinstance(user, Define) and _is_by_entry(user.node):
            continue
        kept = named(value) and value not in willing
        if kept and not _is_returned(statement, user) and not _goes_on(statement, user, paths):
            continue
        if isinstance(user, Exit) and _reads_ahead(user, paths, home, definitions, counts):
            continue
        root = paths[user]
        if isinstance(user, Define) and user.value in roots:
            root = roots[user.value]
        passed = _passed(paths[statement], root, home)
        if passed is not None and all(_may_pass(statement, summaries[other], may_alias) for other in passed):
            nested.nodes[value] = statement.node
            roots[value] = root
    _shorten(statements, nested, 1, {})
    return nested


def _is_statement(node: Expression) -> bool:
    """Whether the node must keep its own line: an in-place operator."""
    return isinstance(node, Apply) and bool(effect(node).writes)


def _is_short(node: Expression) -> bool:
    """Whether the node computes an array of short numbers: Numba merges a nested one with its user, and its entries do not wrap around."""
    type_ = node.result.type if isinstance(node, Apply) else None
    return isinstance(type_, Array) and type_.dtype in SHORT and _is_by_entry(node)


def _is_by_entry(node: Expression) -> bool:
    """Whether the node is an operator, or a function of NumPy that works entry by entry."""
    return isinstance(node, Apply) and (
        kind(node.function) in OPERATORS or isinstance(node.function, np.ufunc)
    )


def _is_returned(statement: Define, user: Statement) -> bool:
    """Whether the value is the result of a `return` statement, which the frontend named `result`."""
    return (
        isinstance(user, Return)
        and statement.value.name == "result"
        and statement.loc.statement.startswith("return")
    )


def _goes_on(statement: Define, user: Statement, paths: dict[Statement, Path]) -> bool:
    """Whether the next statement scales the scalar again under the same name, so that one statement can do both."""
    if not isinstance(user, Define) or user.value.name != statement.value.name:
        return False
    *outer, (number, position) = paths[statement]
    scales = all(
        isinstance(each.node, Apply)
        and each.node.function in _SCALING
        and isinstance(each.value.type, Scalar)
        for each in (statement, user)
    )
    return scales and paths[user] == (*outer, (number, position + 1))


def _reads_ahead(
    user: Exit,
    paths: dict[Statement, Path],
    home: dict[int, list[Statement]],
    definitions: dict[Value, Expression],
    counts: Counter[Operand],
) -> bool:
    """Whether the condition of an exit reads targets of the copies before it, and must be computed before them."""
    number, position = paths[user][-1]
    before = home[number][position - 1] if position else None
    if not isinstance(before, Copies):
        return False
    waiting: list[Operand] = [user.condition]
    while waiting:
        operand = waiting.pop()
        if operand in before.targets:
            return True
        node = definitions.get(operand) if isinstance(operand, Value) and counts[operand] == 1 else None
        if node is not None:
            waiting += inside(node) if isinstance(node, If) else operands(node)
    return False


def _nest_inside(node: If, nested: Nested) -> None:
    """Nest every value inside a conditional expression."""
    for block in (node.then, node.orelse):
        for inner in walk(block):
            for value in results(inner):
                nested.nodes[value] = inner  # type: ignore[assignment]


def _place(
    statements: list[Statement], prefix: Path, paths: dict[Statement, Path], home: dict[int, list[Statement]]
) -> None:
    """Number the lists and note each statement's path: (list, position) from the outermost list inwards."""
    number = len(home)
    home[number] = statements
    for position, statement in enumerate(statements):
        paths[statement] = (*prefix, (number, position))
        for inner in lists(statement):
            _place(inner, paths[statement], paths, home)


def _passed(start: Path, root: Path, home: dict[int, list[Statement]]) -> list[Statement] | None:
    """The statements between a definition and where it would move; None if it may not move there."""
    depth = len(start) - 1
    if len(root) < len(start) or root[:depth] != start[:depth] or root[depth][0] != start[depth][0]:
        return None
    number, position = start[depth]
    if root[depth][1] <= position or root[depth][1] - position > FARTHEST:
        return None
    passed = home[number][position + 1 : root[depth][1]]
    for (outer, at), (inner, stop) in zip(root[depth:], root[depth + 1 :], strict=False):
        if not isinstance(home[outer][at], Branch):
            return None
        passed += home[inner][:stop]
    return passed


def _may_pass(moving: Define, other: Summary, may_alias: MayAlias) -> bool:
    """Whether the definition still gives the same value after the other statement."""
    node = moving.node
    if other.loops or other.stops:
        return False
    if isinstance(node, Apply) and not operation(node.function).is_pure and other.looks:
        return False
    looked = effect(node).reads
    if looked and (
        other.unknown or any(may_alias(value, target) for value in looked for target in other.written)
    ):
        return False
    if isinstance(node, View) and other.unknown:
        return False
    # An operand whose name is assigned on the way would need a second name: it is better to name this value.
    for operand in inside(node) if isinstance(node, If) else operands(node):
        if not isinstance(operand, Value):
            continue
        if operand in other.targets or (operand.name in other.names and operand not in other.handed):
            return False
    return True


def _summary(statement: Statement) -> Summary:
    """The summary of a statement and of all statements within."""
    written: list[Value] = []
    targets: set[Value] = set()
    names: set[str] = set()
    unknown = looks = stops = loops = False
    for inner in every([statement]):
        match inner:
            case Define() | Effect():
                done = effect(inner.node)
                unknown = unknown or done.keeps_place
                written += done.writes
                looks = looks or looks_at_memory(inner.node)
                stops = stops or isinstance(inner.node, Raise)
                if isinstance(inner, Define):
                    names.add(inner.value.name)
            case Copies():
                targets.update(inner.targets)
                names.update(target.name for target in inner.targets)
            case Count() | Forever():
                loops = True
    return Summary(
        tuple(written),
        unknown,
        looks,
        stops,
        loops,
        frozenset(targets),
        frozenset(names - {""}),
        _handed(statement),
    )


def _handed(statement: Statement) -> frozenset[Value]:
    """The sources of copies whose target has the same name: their variables keep their values."""
    if not isinstance(statement, Copies):
        return frozenset()
    pairs = zip(statement.targets, statement.sources, strict=True)
    return frozenset(
        source for target, source in pairs if isinstance(source, Value) and source.name == target.name
    )


def _shorten(statements: list[Statement], nested: Nested, depth: int, widths: dict[Value, int]) -> None:
    """Give the widest nested parts of a line that is too long lines of their own."""
    for statement in statements:
        parts = reads(statement)
        widest = LONGEST - 4 * depth
        if isinstance(statement, Exit) or (isinstance(statement, Branch) and _only_raises(statement)):
            widest *= 2  # the condition of a loop or of a check reads best as one
        is_tuple = isinstance(statement, Define) and getattr(statement.node, "function", None) is tuple
        if isinstance(statement, Define) and isinstance(statement.node, If):
            node = statement.node
            parts = (node.condition, node.then.yields[0], node.orelse.yields[0])
            width = 9 + sum(_width(part, nested, widths) for part in parts)
        else:
            width = _own_width(statement) + sum(_width(part, nested, widths) + 2 for part in parts)
        own = set() if is_tuple or not isinstance(statement, Define) else _defined_inside(statement.node)
        wide = [
            part for part in parts if isinstance(part, Value) and part in nested.nodes and part not in own
        ]
        wide.sort(key=lambda part: -_width(part, nested, widths))
        while width > widest and wide and not is_tuple and not isinstance(statement, Return):
            taken = wide.pop(0)
            width -= _width(taken, nested, widths) - 10
            del nested.nodes[taken]
        if isinstance(statement, Define):
            widths[statement.value] = width
        for inner in lists(statement):
            _shorten(inner, nested, depth + 1, widths)


def _only_raises(statement: Branch) -> bool:
    """Whether the branch is a check."""
    match statement.then:
        case [Effect(Raise())]:
            return not statement.orelse
        case _:
            return False


def _defined_inside(node: Expression) -> set[Value]:
    """The values that are defined inside a conditional expression: they cannot leave it."""
    if not isinstance(node, If):
        return set()
    return {value for block in (node.then, node.orelse) for inner in walk(block) for value in results(inner)}


def _own_width(statement: Statement) -> int:
    """Columns of a statement's own text: its target and function."""
    match statement:
        case Define(value, Apply(_, function)):
            module = getattr(function, "__module__", "") or ""
            name = 0 if "operator" in module else len(getattr(function, "__name__", "")) + 4
            return len(value.name) + name
        case Define(value):
            return len(value.name) + 3
        case Copies():
            return 0
        case _:
            return 8


def _width(operand: Operand, nested: Nested, widths: dict[Value, int]) -> int:
    """Columns that the operand takes."""
    if isinstance(operand, Const):
        return len(operand.name) or min(len(repr(operand.value)), 20)
    if operand not in nested.nodes:
        return len(operand.name) or 8
    node = nested.nodes[operand]
    if operand not in widths:
        parts = (
            (node.condition, *node.then.yields, *node.orelse.yields)
            if isinstance(node, If)
            else operands(node)
        )
        widths[operand] = 6 + sum(_width(part, nested, widths) + 2 for part in parts)
    return widths[operand]
