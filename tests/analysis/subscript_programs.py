"""Small programs for the tests of the subscript analysis: Python text to IR, and an interpreter that records.

The lowering knows integers, float loads and stores, views, range and while loops, and comparisons.
`run` notes which addresses each memory node touches, in order; `overwritten` reads off the truth.
"""

from __future__ import annotations

import ast
import contextlib
import itertools
import operator
import random
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from backsweep.diagnostics import NOWHERE, Loc
from backsweep.ir.nodes import (
    Apply,
    Block,
    Const,
    For,
    Function,
    If,
    Load,
    Node,
    Operand,
    Slice,
    Store,
    Value,
    View,
    While,
)
from backsweep.ir.types import BOOL, FLOAT, INT, Array, Scalar, Type

# A small lowering: integers, float loads and stores, range and while loops, comparisons ------------

OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
CALLS: dict[str, Callable[..., Any]] = {"len": len, "min": min, "max": max, "copy": np.copy, "tanh": np.tanh}


@dataclass
class Lowering:
    """One block under construction: the variables in scope and the nodes so far."""

    scope: dict[str, Operand]
    nodes: list[Node] = field(default_factory=list)

    def apply(self, function: Any, operands: list[Operand], type_: Type | None, loc: Loc) -> Value:
        result = Value("", type_, loc)
        self.nodes.append(Apply(result, function, tuple(operands), loc))
        return result

    def expression(self, tree: ast.expr) -> Operand:
        loc = Loc("", "", tree.lineno, statement=ast.unparse(tree))
        match tree:
            case ast.Constant(value):
                return Const(value)
            case ast.Name(name):
                return self.scope[name]
            case ast.UnaryOp(ast.USub(), ast.Constant(int() as value)):
                return Const(-value)
            case ast.UnaryOp(ast.USub(), inner):
                operand = self.expression(inner)
                return self.apply(operator.neg, [operand], kind(operand), loc)
            case ast.BinOp(left, op, right):
                operands = [self.expression(left), self.expression(right)]
                type_ = INT if all(kind(operand) == INT for operand in operands) else FLOAT
                return self.apply(OPERATORS[type(op)], operands, type_, loc)
            case ast.Compare(left, [op], [right]):
                operands = [self.expression(left), self.expression(right)]
                return self.apply(OPERATORS[type(op)], operands, BOOL, loc)
            case ast.Call(ast.Name(name), arguments):
                operands = [self.expression(argument) for argument in arguments]
                kept: Type | None = {"copy": kind(operands[0]), "tanh": FLOAT}.get(name, INT)
                return self.apply(CALLS[name], operands, kept, loc)
            case ast.Subscript(buffer, index):
                return self.subscript(self.expression(buffer), self.index(index), loc)
        raise AssertionError(ast.unparse(tree))

    def subscript(self, buffer: Operand, index: tuple[Any, ...], loc: Loc) -> Value:
        assert isinstance(buffer, Value)
        assert isinstance(buffer.type, Array)
        left = buffer.type.ndim - sum(not isinstance(item, Slice) for item in index)
        result = Value("", Array(buffer.type.dtype, left, "A") if left else Scalar(buffer.type.dtype), loc)
        self.nodes.append((View if left else Load)(result, buffer, index, loc))
        return result

    def index(self, tree: ast.expr) -> tuple[Any, ...]:
        items = tree.elts if isinstance(tree, ast.Tuple) else [tree]
        return tuple(self.item(item) for item in items)

    def item(self, tree: ast.expr) -> Operand | Slice:
        if isinstance(tree, ast.Slice):
            parts = (tree.lower, tree.upper, tree.step)
            return Slice(*(None if part is None else self.expression(part) for part in parts))
        return self.expression(tree)

    def statement(self, tree: ast.stmt) -> None:
        loc = Loc("", "", tree.lineno, statement=ast.unparse(tree))
        match tree:
            case ast.Assign([ast.Name(name)], value):
                self.scope[name] = self.expression(value)
            case ast.Assign([ast.Subscript(buffer, index)], value):
                operand, target = self.expression(value), self.expression(buffer)
                assert isinstance(target, Value)
                self.nodes.append(Store(target, self.index(index), operand, loc))
            case ast.AugAssign(target, op, value):
                update = ast.BinOp(target, op, value, lineno=loc.line)
                self.statement(ast.Assign([target], update, lineno=loc.line))
            case ast.If(test, then, orelse):
                self.branch(self.expression(test), then, orelse, loc)
            case ast.For(ast.Name(name), ast.Call(_, bounds), body):
                self.range_loop(name, [self.expression(bound) for bound in bounds], body, loc)
            case ast.While(test, body):
                self.while_loop(test, body, loc)
            case _:
                raise AssertionError(ast.unparse(tree))

    def carried(self, bodies: list[ast.stmt]) -> list[str]:
        stored = {
            node.id
            for body in bodies
            for node in ast.walk(body)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        return sorted(stored & self.scope.keys())

    def block(self, body: list[ast.stmt], names: list[str], bound: dict[str, Value]) -> Block:
        inner = Lowering({**self.scope, **bound})
        for tree in body:
            inner.statement(tree)
        return Block(tuple(bound.values()), tuple(inner.nodes), tuple(inner.scope[name] for name in names))

    def fresh(self, names: list[str]) -> dict[str, Value]:
        return {name: Value(name, kind(self.scope[name]), NOWHERE) for name in names}

    def branch(self, test: Operand, then: list[ast.stmt], orelse: list[ast.stmt], loc: Loc) -> None:
        names = self.carried([*then, *orelse])
        after = self.fresh(names)
        blocks = [self.block(body, names, {}) for body in (then, orelse)]
        self.nodes.append(If(test, blocks[0], blocks[1], tuple(after.values()), loc))
        self.scope.update(after)

    def range_loop(self, name: str, bounds: list[Operand], body: list[ast.stmt], loc: Loc) -> None:
        start, stop, step = ([Const(0), *bounds, Const(1)] if len(bounds) == 1 else [*bounds, Const(1)])[:3]
        names = [carried for carried in self.carried(body) if carried != name]
        inits, after = tuple(self.scope[carried] for carried in names), self.fresh(names)
        inner = self.block(body, names, {name: Value(name, INT, loc), **self.fresh(names)})
        self.nodes.append(For(start, stop, step, inits, inner, tuple(after.values()), loc))
        self.scope.update(after)

    def while_loop(self, test: ast.expr, body: list[ast.stmt], loc: Loc) -> None:
        names = self.carried(body)
        inits, after = tuple(self.scope[name] for name in names), self.fresh(names)
        bound = self.fresh(names)
        head = Lowering({**self.scope, **bound})
        condition = Block((), (), (head.expression(test),))
        condition = Block(tuple(bound.values()), tuple(head.nodes), condition.yields)
        inner = self.block(body, names, self.fresh(names))
        self.nodes.append(While(inits, condition, inner, tuple(after.values()), loc))
        self.scope.update(after)


def kind(operand: Operand) -> Type | None:
    if isinstance(operand, Value):
        return operand.type
    return INT if isinstance(operand.value, int) else FLOAT


def lower(text: str) -> Function:
    """The program as IR. Upper-case parameters are matrices; `n` and `m` integers; `idx` integer vectors."""
    tree = ast.parse(textwrap.dedent(text)).body[0]
    assert isinstance(tree, ast.FunctionDef)
    scope: dict[str, Operand] = {}
    for argument in tree.args.args:
        name = argument.arg
        array = Array("int64", 1) if name == "idx" else Array("float64", 2 if name.isupper() else 1)
        scope[name] = Value(name, INT if name in ("n", "m", "s") else array, NOWHERE)
    parameters = tuple(value for value in scope.values() if isinstance(value, Value))
    lowering = Lowering(scope)
    for statement in tree.body:
        lowering.statement(statement)
    return Function(tree.name, Block(parameters, tuple(lowering.nodes), ()), NOWHERE)


# An interpreter that records which elements are touched --------------------------------------------

Iterations = tuple[tuple[For | While, int], ...]
Event = tuple[Node, frozenset[int], Iterations]


def run(function: Function, size: int, rng: random.Random) -> list[Event]:
    """The loads, views and stores of one execution in order, each with the addresses that it touches and the iterations around."""
    events: list[Event] = []
    around: list[tuple[For | While, int]] = []
    env: dict[Value, Any] = {}
    addresses = itertools.count()

    def memory(type_: Array) -> Any:
        shape = (size,) * type_.ndim
        cells = np.array([next(addresses) for _ in range(size**type_.ndim)]).reshape(shape)
        values = np.array([float(rng.randrange(size)) for _ in range(cells.size)]).reshape(shape)
        return (values.astype(type_.dtype), cells)

    def read(operand: Operand) -> Any:
        return operand.value if isinstance(operand, Const) else env[operand]

    def part(item: Any) -> Any:
        if isinstance(item, Slice):
            return slice(*(None if p is None else read(p) for p in (item.start, item.stop, item.step)))
        return read(item)

    def touch(node: Any) -> tuple[Any, Any]:
        values, cells = read(node.buffer)
        index = tuple(part(item) for item in node.index)
        events.append((node, frozenset(np.atleast_1d(cells[index]).ravel().tolist()), tuple(around)))
        return index, (values[index], cells[index])

    def execute(block: Block) -> list[Any]:
        for node in block.nodes:
            step(node)
        return [read(operand) for operand in block.yields]

    def step(node: Node) -> None:
        match node:
            case Apply(function=np.copy):
                assert isinstance(node.result.type, Array)
                env[node.result] = memory(node.result.type)
            case Apply(function=function, operands=operands):
                arguments = [read(operand) for operand in operands]
                env[node.result] = len(arguments[0][0]) if function is len else function(*arguments)
            case Load():
                env[node.result] = touch(node)[1][0]
            case View():
                env[node.result] = touch(node)[1]
            case Store():
                touch(node)
            case If():
                outcome = execute(node.then if read(node.condition) else node.orelse)
                env.update(zip(node.results, outcome, strict=True))
            case For():
                carried = [read(operand) for operand in node.inits]
                for i in range(read(node.start), read(node.stop), read(node.step)):
                    env.update(zip(node.body.parameters, [i, *carried], strict=True))
                    around.append((node, i))
                    carried = execute(node.body)
                    around.pop()
                env.update(zip(node.results, carried, strict=True))
            case While():
                carried = [read(operand) for operand in node.inits]
                for trip in itertools.count():
                    env.update(zip(node.condition.parameters, carried, strict=True))
                    if not execute(node.condition)[0]:
                        break
                    env.update(zip(node.body.parameters, carried, strict=True))
                    around.append((node, trip))
                    carried = execute(node.body)
                    around.pop()
                env.update(zip(node.results, carried, strict=True))

    for parameter in function.body.parameters:
        env[parameter] = memory(parameter.type) if isinstance(parameter.type, Array) else size
    with contextlib.suppress(IndexError):  # the program's own error ends the run
        execute(function.body)
    return events


def overwritten(events: list[Event]) -> set[tuple[Node, Node]]:
    """The pairs (access, store) of which the store came later and touched the same address."""
    touched: dict[int, set[Node]] = {}
    found: set[tuple[Node, Node]] = set()
    for node, cells, _ in events:
        for cell in cells:
            if isinstance(node, Store):
                found.update((earlier, node) for earlier in touched.get(cell, ()))
            touched.setdefault(cell, set()).add(node)
    return found


def met_across(events: list[Event]) -> set[tuple[For | While, Node, Node]]:
    """The loops and pairs of accesses of which the second touched what the first did, iterations of that loop later."""
    touched: dict[int, list[tuple[Node, Iterations]]] = {}
    found: set[tuple[For | While, Node, Node]] = set()
    for node, cells, here in events:
        for cell in cells:
            for earlier, there in touched.get(cell, ()):
                fork = next((one for one, other in zip(here, there, strict=False) if one != other), None)
                if fork is not None and fork[0] in dict(there):
                    found.add((fork[0], earlier, node))
            touched.setdefault(cell, []).append((node, here))
    return found
