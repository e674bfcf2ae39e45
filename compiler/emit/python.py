"""Write statements as Python statements, with `+=`, `elif`, `while condition`, and comments above blocks."""

from __future__ import annotations

import ast
import operator
from dataclasses import dataclass
from typing import Any

from numba import prange

from backsweep.diagnostics import Loc
from backsweep.emit.headings import headings
from backsweep.emit.printer import Remark
from backsweep.emit.references import attribute, call
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
    is_undefined,
    named,
)
from backsweep.emit.syntax import BINARY, Expressions, negate, positive_part
from backsweep.ir.nodes import Append, Apply, Const, Grow, Load, Operand, Raise, Store, Value
from backsweep.ir.operations import canonical, operation
from backsweep.ir.types import Array, Scalar, Tuple
from backsweep.runtime.tape import reserved

_AUGMENTED = (operator.add, operator.sub, operator.mul, operator.truediv)
_COMMUTING = (operator.add, operator.mul)


@dataclass(frozen=True, slots=True)
class Forms:
    """Writes statements; `plain` keeps one statement per node, for type inference."""

    write: Expressions
    plain: bool = False

    def suite(self, statements: list[Statement]) -> list[ast.stmt]:
        """The statements of a block, with each comment right above the first statement that it heads."""
        written: list[ast.stmt] = []
        comments = headings(statements, self.write.nested)
        position = 0
        while position < len(statements):
            statement = statements[position]
            made, count = self._next(statements, position)
            if made and not isinstance(statement, Note):
                written += [_at(Remark(note.text), note.loc) for note in comments.above(statement, position)]
                written += made
            position += count
        return written

    def _next(self, statements: list[Statement], position: int) -> tuple[list[ast.stmt], int]:
        """The Python statements for the statement at a position, and the number of statements that they cover."""
        statement = statements[position]
        if isinstance(statement, Branch):
            return self._branch(statement), 1
        if isinstance(statement, Define) and isinstance(statement.value.type, Tuple):
            parts = self._unpacked(statement, statements[position + 1 :])
            if parts:
                names: list[ast.expr] = [ast.Name(self.write.names[part], ast.Store()) for part in parts]
                taken = ast.Assign([ast.Tuple(names, ast.Store())], self.write.node(statement.node))
                return [_at(taken, statement.loc)], 1 + len(parts)
        return self.simple(statement), 1

    def _unpacked(self, statement: Define, after: list[Statement]) -> list[Value]:
        """The targets of `a, b = f(x)`; empty unless the next statements read each item once and nothing else reads the tuple."""
        value = statement.value
        assert isinstance(value.type, Tuple)
        count = len(value.type.items)
        if (
            self.plain
            or named(value)
            or value in self.write.nested.nodes
            or value in self.write.nested.unread
        ):
            return []
        found: dict[Any, Value] = {}
        for each in after[:count]:
            match each:
                case Define(part, Apply(_, operator.getitem, (base, Const(number)))) if base is value:
                    if part not in self.write.nested.nodes:
                        found[number] = part
        parts = [found[number] for number in range(count) if number in found]
        read_otherwise = self.write.nested.readers.get(value, 0) != count
        if len(parts) != count or read_otherwise or len({self.write.names[part] for part in parts}) != count:
            return []
        return parts

    def simple(self, statement: Statement) -> list[ast.stmt]:
        """A statement that is not a branch."""
        match statement:
            case Define():
                return self._define(statement)
            case Effect(Store() as node):
                return [_at(self._store(node), node.loc)]
            case Effect(Append() as node):
                grow = attribute(self.write.operand(node.buffer), "append")
                return [_at(ast.Expr(call(grow, self.write.operand(node.value))), node.loc)]
            case Effect(Grow() as node):
                return [_at(self._grow(node), node.loc)]
            case Effect(Raise() as node):
                return [_at(self._raise(node), node.loc)]
            case Copies():
                return self._copies(statement)
            case Count():
                return [_at(self._count(statement), statement.loc)]
            case Forever():
                return [_at(made, statement.loc) for made in self._forever(statement)]
            case Exit():
                return self._exit(statement)
            case Return(result):
                return [_at(ast.Return(self.write.operand(result)), statement.loc)]
            case Note(text):
                return [_at(Remark(text), statement.loc)]
            case _:
                raise TypeError(f"not a simple statement: {statement!r}")

    def _define(self, statement: Define) -> list[ast.stmt]:
        """`name = expression`, or nothing for a nested value."""
        value, node = statement.value, statement.node
        if value in self.write.nested.nodes:
            return []
        name = self.write.names[value]
        if isinstance(node, Apply) and operation(node.function).in_place and not self.plain:
            return [_at(made, statement.loc) for made in self._in_place(name, node)]
        if value in self.write.nested.unread:
            return [_at(ast.Expr(self.write.node(node)), statement.loc)]
        augmented = None if self.plain else self._augmented(name, value, node)
        return [_at(augmented or _assign(name, self.write.node(node)), statement.loc)]

    def _in_place(self, name: str, node: Apply) -> list[ast.stmt]:
        """`x += v` for an in-place operator. For type inference it is a call, because the new `x` might have another type."""
        target, value = node.operands
        first = self.write.operand(target)
        copies: list[ast.stmt] = [] if _is_name(first, name) else [_assign(name, first)]
        sign = BINARY[canonical(node.function)]()
        return [*copies, ast.AugAssign(ast.Name(name, ast.Store()), sign, self.write.operand(value))]

    def _augmented(self, name: str, value: Value, node: Any) -> ast.stmt | None:
        """`x += e` for a scalar `x = x + e`; None for an array, which `+=` would write in place, or which Numba cannot add so."""
        if (
            not isinstance(node, Apply)
            or node.function not in _AUGMENTED
            or not isinstance(value.type, Scalar)
        ):
            return None
        for old, added in (node.operands, node.operands[::-1]):
            is_old = isinstance(old, Value) and old not in self.write.nested.nodes
            is_number = is_old and isinstance(old.type, Scalar) and not _is_array(added)  # type: ignore[union-attr]
            if is_number and self.write.names[old] == name:  # type: ignore[index]
                return _augment(
                    ast.Name(name, ast.Store()), BINARY[node.function](), self.write.operand(added)
                )
            if node.function not in _COMMUTING:
                break
        return None

    def _store(self, node: Store) -> ast.stmt:
        """`buffer[index] = value`, or the augmented form."""
        place = self.write.subscript(node.buffer, node.index)
        target = ast.Subscript(place.value, place.slice, ast.Store())
        if node.accumulate:
            added = self.write.operand(node.value)
            if _has_no_axes(node.value):  # Numba adds no such array to a number
                added = ast.Subscript(added, ast.Tuple([], ast.Load()), ast.Load())
            return _augment(target, ast.Add(), added)
        value = self.write.nested.nodes.get(node.value) if isinstance(node.value, Value) else None
        if isinstance(value, Apply) and value.function in _AUGMENTED and not self.plain:
            first = value.operands[0]
            loaded = self.write.nested.nodes.get(first) if isinstance(first, Value) else None
            is_number = isinstance(loaded, Load) and isinstance(loaded.result.type, Scalar)
            if is_number and not _is_array(value.operands[1]):
                assert isinstance(loaded, Load)
                if ast.dump(self.write.node(loaded)) == ast.dump(place):
                    added = self.write.operand(value.operands[1])
                    return _augment(target, BINARY[value.function](), added)
        return ast.Assign([target], self.write.operand(node.value))

    def _grow(self, node: Grow) -> ast.stmt:
        """`if count == x.size: x = grown(x)`, or `x = reserved(x, count)`."""
        buffer, count = self.write.operand(node.buffer), self.write.operand(node.count)
        function = self.write.scope.function(node.function)
        name = self.write.names[node.buffer]
        if node.function is reserved:
            return _assign(name, call(function, buffer, count))
        full = ast.Compare(count, [ast.Eq()], [attribute(buffer, "size")])
        return ast.If(full, [_assign(name, call(function, buffer))], [])

    def _raise(self, node: Raise) -> ast.stmt:
        """`raise exception(*arguments)`."""
        exception = self.write.operand(node.exception)
        return ast.Raise(call(exception, *map(self.write.operand, node.arguments)), None)

    def _copies(self, statement: Copies) -> list[ast.stmt]:
        """Write parallel copies as assignments, in an order that overwrites no variable before it is read."""
        waiting: list[tuple[str, Value, Operand]] = []
        for target, source in zip(statement.targets, statement.sources, strict=True):
            if not is_undefined(source) and not _is_name(
                self.write.operand(source), self.write.names[target]
            ):
                waiting.append((self.write.names[target], target, source))
        written: list[ast.stmt] = []
        while waiting:
            free = [
                pair
                for pair in waiting
                if not any(self._reads(o[2], pair[0]) for o in waiting if o is not pair)
            ]
            if not free:
                written.append(
                    _together([name for name, _, _ in waiting], [self.write.operand(s) for *_, s in waiting])
                )
                break
            name, target, source = free[0]
            written.append(self._copy(name, target, source))
            waiting.remove(free[0])
        return [_at(made, statement.loc) for made in written]

    def _copy(self, name: str, target: Value, source: Operand) -> ast.stmt:
        """One copy, whose source may be a nested expression."""
        node = self.write.nested.nodes.get(source) if isinstance(source, Value) else None
        augmented = None if node is None or self.plain else self._augmented(name, target, node)
        return augmented or _assign(name, self.write.operand(source))

    def _reads(self, source: Operand, name: str) -> bool:
        """Whether the written form of the operand reads the variable."""
        return any(self.write.names[leaf] == name for leaf in self.write.nested.leaves(source))

    def _count(self, statement: Count) -> ast.stmt:
        """`for i in range(...)` with the fewest possible arguments."""
        start, stop, step = map(self.write.operand, (statement.start, statement.stop, statement.step))
        arguments = [start, stop, step]
        if isinstance(statement.step, Const) and statement.step.value == 1:
            arguments = [start, stop]
            if isinstance(statement.start, Const) and statement.start.value == 0 and not statement.start.name:
                arguments = [stop]
        target = ast.Name(self.write.names[statement.index], ast.Store())
        space = call(self.write.scope.function(prange if statement.parallel else range), *arguments)
        return ast.For(target, space, self.suite(statement.body) or [ast.Pass()], [])

    def _forever(self, statement: Forever) -> list[ast.stmt]:
        """`while condition`, or `while True` if the condition needs statements; also the statements after the loop.

        If a `while True` has only one `break` and the statements before it assign variables, these statements move behind
        the loop. Otherwise Numba would rename the variables in the rest of the loop, and the loop would never end.
        """
        body = self.suite(statement.body)
        if body and isinstance(body[0], ast.If) and not self.plain:
            first = next((s for s in statement.body if not _is_silent(s, self.write)), None)
            if isinstance(first, Exit) and first.unless:
                return [ast.While(self.write.operand(first.condition), body[1:] or [ast.Pass()], [])]
        leaving = _suites_that_break(body)
        last: list[ast.stmt] = []
        if len(leaving) == 1 and any(map(_assigns, leaving[0])):
            *last, leave = leaving[0]
            leaving[0][:] = [leave]
        return [ast.While(ast.Constant(True), body or [ast.Pass()], []), *last]

    def _exit(self, statement: Exit) -> list[ast.stmt]:
        """`if condition: break`, or `break` if the condition always holds."""
        if isinstance(statement.condition, Const) and bool(statement.condition.value) is not statement.unless:
            return [_at(ast.Break(), statement.loc)]
        test = self.write.operand(statement.condition)
        if statement.unless:
            test = negate(test)
        return [_at(ast.If(test, [_at(ast.Break(), statement.loc)], []), statement.loc)]

    def _branch(self, statement: Branch) -> list[ast.stmt]:
        """`if`; where one side never reaches its end, the other side follows the `if` without indentation."""
        then, orelse = self.suite(statement.then), self.suite(statement.orelse)
        test = self.write.operand(statement.condition)
        if not then and not orelse:
            return []
        if not then or (_leaves(orelse) and not _leaves(then)):
            test, then, orelse = negate(test), orelse, then
        if _leaves(then) and not self.plain:
            return [_at(ast.If(test, then, []), statement.loc), *orelse]
        return [_at(ast.If(test, then, orelse), statement.loc)]


def _leaves(suite: list[ast.stmt]) -> bool:
    """Whether control never reaches the end of the statements."""
    return bool(suite) and isinstance(suite[-1], ast.Return | ast.Break | ast.Raise)


def _suites_that_break(body: list[ast.stmt]) -> list[list[ast.stmt]]:
    """The suites of a loop's body that end with its `break`."""
    found = [body] if body and isinstance(body[-1], ast.Break) else []
    for statement in body:
        if isinstance(statement, ast.If):
            found += _suites_that_break(statement.body) + _suites_that_break(statement.orelse)
    return found


def _assigns(statement: ast.stmt) -> bool:
    """Whether the statement assigns a variable."""
    return any(isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) for part in ast.walk(statement))


def _is_array(operand: Operand) -> bool:
    """Whether the operand is an array."""
    return isinstance(operand, Value) and isinstance(operand.type, Array)


def _has_no_axes(operand: Operand) -> bool:
    """Whether the operand is an array without axes, as `np.where` of numbers is."""
    return isinstance(operand, Value) and isinstance(operand.type, Array) and operand.type.ndim == 0


def _is_silent(statement: Statement, write: Expressions) -> bool:
    """Whether nothing is written for the statement at its own place."""
    match statement:
        case Define(value):
            return value in write.nested.nodes
        case Note():
            return True
        case _:
            return False


def _at(statement: ast.stmt, loc: Loc) -> ast.stmt:
    """Attach the place in the user's code to the statement."""
    statement.loc = loc  # type: ignore[attr-defined]
    return statement


def _is_name(expression: ast.expr, name: str) -> bool:
    """Whether the expression is just this variable."""
    return isinstance(expression, ast.Name) and expression.id == name


def _assign(name: str, value: ast.expr) -> ast.stmt:
    """`name = value`."""
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _augment(target: ast.Name | ast.Subscript, sign: ast.operator, value: ast.expr) -> ast.stmt:
    """`target += value`, or `-=` for a negated value: an unsigned target cannot take -1."""
    positive: ast.expr | None = None
    if isinstance(sign, ast.Add | ast.Sub):
        match value:
            case ast.UnaryOp(ast.USub(), ast.Constant() as number):
                positive = number
            case _:
                positive = positive_part(value)
    if positive is not None:
        return ast.AugAssign(target, ast.Sub() if isinstance(sign, ast.Add) else ast.Add(), positive)
    return ast.AugAssign(target, sign, value)


def _together(names: list[str], values: list[ast.expr]) -> ast.stmt:
    """`a, b = b, a`."""
    targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name in names]
    return ast.Assign([ast.Tuple(targets, ast.Store())], ast.Tuple(values, ast.Load()))
