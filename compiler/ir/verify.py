"""Verify the invariants of programs between passes."""

from __future__ import annotations

from backsweep.ir.nodes import (
    Append,
    Apply,
    Block,
    Callee,
    Const,
    For,
    Function,
    Grow,
    If,
    Load,
    Node,
    Operand,
    Raise,
    Store,
    Value,
    While,
)
from backsweep.ir.walk import blocks, operands, results


class InvalidIR(Exception):  # noqa: N818 (it is a state of a program, told to developers)
    """A pass has made a malformed program: a fault of Backsweep, never of the user."""


def verify(function: Function) -> None:
    """Raise `InvalidIR` unless each value is defined once and before its use, and all blocks have the right arity."""
    if len(function.body.yields) != 1:
        raise InvalidIR(f"{function.name}: the body yields {len(function.body.yields)} results, not one")
    _Checker(function.name).block(function.body, frozenset())


class _Checker:
    """Holds every value that was defined anywhere, to find a second definition."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.defined: set[Value] = set()

    def fail(self, reason: str, node: Node | None = None) -> InvalidIR:
        """The error for a node, with its place in the user's code."""
        if node is None:
            return InvalidIR(f"{self.name}: {reason}")
        return InvalidIR(f"{self.name}: {reason} in {type(node).__name__} at {node.loc.file}:{node.loc.line}")

    def define(self, values: tuple[Value, ...], node: Node | None) -> None:
        """Note new values."""
        for value in values:
            if not isinstance(value, Value):
                raise self.fail(f"{value!r} is defined but is not a Value", node)
            if value in self.defined:
                raise self.fail(f"`{value.name}` is defined twice", node)
            self.defined.add(value)

    def read(
        self, items: tuple[Operand, ...], scope: frozenset[Value] | set[Value], node: Node | None
    ) -> None:
        """Check that each operand is a constant or visible here."""
        for item in items:
            if isinstance(item, Const):
                continue
            if not isinstance(item, Value):
                raise self.fail(f"{item!r} is not an operand", node)
            if item not in scope:
                raise self.fail(f"`{item.name or 'an unnamed value'}` is read outside of its scope", node)

    def block(self, block: Block, outer: frozenset[Value]) -> frozenset[Value]:
        """Check a block and return all values visible at its end."""
        scope = set(outer)
        self.define(block.parameters, None)
        scope.update(block.parameters)
        for node in block.nodes:
            self.node(node, frozenset(scope))
            self.define(results(node), node)
            scope.update(results(node))
        self.read(block.yields, scope, block.nodes[-1] if block.nodes else None)
        return frozenset(scope)

    def node(self, node: Node, scope: frozenset[Value]) -> None:
        """Check the operands of a node, and its blocks."""
        self.read(operands(node), scope, node)
        match node:
            case Store(buffer=buffer) | Append(buffer=buffer) | Grow(buffer=buffer) if not isinstance(
                buffer, Value
            ):
                raise self.fail("a constant is stored to", node)
            case Apply() if not callable(node.function) and not isinstance(node.function, Callee):
                raise self.fail(f"{node.function!r} is not callable", node)
            case Raise() | Load() | Apply() | Store():
                return
            case For() | While():
                self.loop(node)
            case If():
                for part in (node.then, node.orelse):
                    self.arity(len(part.yields), len(node.results), "a block's yields and the results", node)
        ends = [self.block(part, scope) for part in blocks(node)]
        if isinstance(node, For | While) and node.exit is not None:
            self.read((node.exit,), ends[-1], node)

    def loop(self, node: For | While) -> None:
        """Check that inits, parameters, yields and results agree in number."""
        carried = len(node.inits)
        extra = 1 if isinstance(node, For) else 0
        self.arity(len(node.body.parameters), carried + extra, "the body's parameters and the inits", node)
        self.arity(len(node.body.yields), carried, "the body's yields and the inits", node)
        self.arity(len(node.results), carried, "the results and the inits", node)
        if isinstance(node, While):
            self.arity(
                len(node.condition.parameters), carried, "the condition's parameters and the inits", node
            )
            self.arity(len(node.condition.yields), 1, "the condition's yields and one test", node)

    def arity(self, found: int, wanted: int, what: str, node: Node) -> None:
        """Check that two counts agree."""
        if found != wanted:
            raise self.fail(f"{what} differ in number ({found}, {wanted})", node)
