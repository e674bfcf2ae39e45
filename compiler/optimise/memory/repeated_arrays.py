"""Compute an array once that statements compute again from memory that nothing has written since.

Helpers that are called with the same arguments begin with the same lines, `x = p[:, 0:1]` and `dx = x.T - x`. Whatever such an
array is recorded for, it is recorded once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

import numpy as np

from backsweep.analysis.integers.affine import literal
from backsweep.ir.effects import has_effect
from backsweep.ir.nodes import Apply, Const, Dots, Function, NewAxis, Node, Operand, Slice, Value, View
from backsweep.ir.operations import Kind, kind
from backsweep.ir.types import Array
from backsweep.ir.walk import changed, returned, with_body
from backsweep.optimise.memory.value_numbering import ValueNumbering
from backsweep.rules.declare import is_elementwise


def compute_arrays_once(function: Function) -> Function:
    """The typed program without elementwise functions, products and factorisations of arrays that were computed before; views too."""
    return _written(function, lambda node: is_elementwise(node) or kind(node.function) in _LONG)


def factorise_once(function: Function) -> Function:
    """The typed program without products and factorisations of arrays that were computed before; views too.

    In a derivative, what is computed element by element is computed again on purpose: a read from memory costs as much.
    """
    return _written(function, lambda node: kind(node.function) in _LONG)


_LONG = (Kind.PRODUCT, Kind.FACTORISATION)


def _written(function: Function, is_computed_once: Callable[[Apply], bool]) -> Function:
    body = _Arrays(function, is_computed_once).block(function.body)
    return function if body is function.body else with_body(function, body)


class _Arrays(ValueNumbering):
    """Numbers arrays that functions compute, and views."""

    def __init__(self, function: Function, is_computed_once: Callable[[Apply], bool]) -> None:
        super().__init__(function)
        self.is_computed_once = is_computed_once
        handed_out = returned(function.body)
        self.handed_out = {self.aliases.of(each) for each in handed_out if isinstance(each, Value)}

    def rebuilt(self, node: Node) -> list[Node]:
        if isinstance(node, Apply) and self.is_long(node) and not self.is_pure(node):
            known = self.known.get(self.computed(node))
            if known is not None:  # what is written or returned afterwards is an array of its own
                node = changed(node, function=np.copy, operands=(known,))
        return super().rebuilt(node)

    def number(self, node: Node) -> Hashable | None:
        match node:
            case View(result=result, buffer=buffer, index=index):
                items = tuple(map(_spelled, index))
                if None in items or self.is_handed_out(result):
                    return None
                return result.type, buffer, self.place(buffer), items
            case Apply(result=Value(type=Array())) if self.is_pure(node):
                return self.computed(node)
            case _:
                return None

    def is_long(self, node: Apply) -> bool:
        """Whether the node is a product or a factorisation of its operands alone."""
        return kind(node.function) in _LONG and not node.keywords and not has_effect(node)

    def computed(self, node: Apply) -> Hashable | None:
        """A key for what the node computes; None where an operand has none."""
        made_of = tuple(map(self.spelled, node.operands))
        return None if None in made_of else (node.result.type, node.function, made_of)

    def is_pure(self, node: Apply) -> bool:
        """Whether the node computes an array that nothing writes and that is not returned, or a view, from its operands alone."""
        if node.keywords or has_effect(node) or self.is_handed_out(node.result):
            return False
        if node.function is np.transpose:
            return True  # a view
        return self.is_computed_once(node) and not self.aliases.in_memory(node.result)

    def is_handed_out(self, value: Value) -> bool:
        """Whether the program returns memory of the array: two results must not be one array."""
        return self.aliases.of(value) in self.handed_out

    def spelled(self, operand: Operand) -> Hashable | None:
        """A key for an operand and what it holds now; None for a table."""
        if not isinstance(operand, Value):
            return _spelled(operand)
        in_memory = isinstance(operand.type, Array) and self.aliases.in_memory(operand)
        return operand, self.version(operand) if in_memory else None


def _spelled(item: object) -> Hashable | None:
    """A key for a part of an index or a number; None for what has none."""
    match item:
        case Slice(start=start, stop=stop, step=step):
            parts = tuple(None if each is None else _spelled(each) for each in (start, stop, step))
            missing = any(
                part is None and each is not None
                for part, each in zip(parts, (start, stop, step), strict=True)
            )
            return None if missing else ("slice", parts)
        case NewAxis() | Dots():
            return type(item).__name__
        case Const(value=value):
            number = literal(item)
            is_number = isinstance(value, bool | int | float | complex)
            return (type(value), str(value)) if is_number or number is not None else None
        case Value(type=Array()):
            return None
        case Value():
            return item
        case _:
            return None
