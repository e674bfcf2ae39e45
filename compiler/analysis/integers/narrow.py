"""Find the integers that have fewer bits, or no sign, in plain runs, also where Numba types them as int64 or as a float.

Numba makes an int64 of `1 * u` for an unsigned `u` of 32 bits, and a float of an unsigned one of 64. NumPy keeps the dtype
of `u`, so that a negative, and a difference below zero, wrap around.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from backsweep.ir.nodes import Apply, For, Function, Load, Node, Operand, Value, View
from backsweep.ir.operations import Kind, kind
from backsweep.ir.typed import type_of
from backsweep.ir.types import INT, Array, Scalar, Tuple, Type, is_float
from backsweep.ir.walk import blocks, merges, operands, results, walk

_STAY_INTEGERS = (Kind.ARITHMETIC, Kind.INTEGER_DIVISION, Kind.POWER)
_MAKE_FLOATS = (Kind.DIVISION, Kind.ROOT, Kind.ELEMENTARY)
_WIDE = (int, np.int64, np.intp)
"""Conversions to int64."""


def narrow_integers(function: Function, dtypes: Collection[str]) -> set[Value]:
    """The values that may hold integers of one of these dtypes in a plain run: by their types, or as results of others.

    Only numbers and arrays are among them. Some may be wide after all.
    """
    search = _Search(function, dtypes)
    size = -1
    while size != len(search.found):
        size = len(search.found)
        for node in walk(function.body):
            search.look_at(node)
    indices = {node.body.parameters[0] for node in walk(function.body) if isinstance(node, For)}
    return {value for value in search.found - indices if isinstance(value.type, Scalar | Array)}


class _Search:
    """`found` are the narrow values, tuples with such items too; `floats` those of them that Numba types as floats."""

    def __init__(self, function: Function, dtypes: Collection[str]) -> None:
        every = [
            *function.body.parameters,
            *(value for node in walk(function.body) for value in results(node)),
            *(value for node in walk(function.body) for block in blocks(node) for value in block.parameters),
        ]
        self.found = {value for value in every if _has(value.type, dtypes)}
        self.floats: set[Value] = set()

    def look_at(self, node: Node) -> None:
        """Add the values that are narrow because of what the node reads."""
        match node:
            case Apply():
                self.function(node)
            case Load() | View():
                self.spread([node.result], {node.buffer})
            case _:
                for group in merges(node):
                    values = [each for each in group if isinstance(each, Value)]
                    self.spread(values, set(values))

    def spread(self, values: Sequence[Value], sources: set[Operand]) -> None:
        """Add those of the values that may be narrow if one of the sources is."""
        if not self.found.intersection(sources):
            return
        if self.floats.intersection(sources):
            self.floats.update(value for value in values if is_float(value.type))
        self.found.update(value for value in values if _holds_integers(value.type) or value in self.floats)

    def function(self, node: Apply) -> None:
        """Add the result of a function."""
        if self.stays_integer(node):
            self.floats.add(node.result)
            self.found.add(node.result)
        elif node.function not in _WIDE and kind(node.function) is not Kind.EXTENT:
            if kind(node.function) in _MAKE_FLOATS or not self.floats.intersection(node.operands):
                if _holds_integers(node.result.type) and self.found.intersection(operands(node)):
                    self.found.add(node.result)
            else:
                self.spread([node.result], set(node.operands))

    def stays_integer(self, node: Apply) -> bool:
        """Whether Python computes an integer where Numba makes a float of a uint64 and an int64.

        That is the smaller or larger of both, and arithmetic with a Python integer.
        """
        if not is_float(node.result.type) or node.keywords:
            return False
        if not all(operand in self.floats or _holds_integers(type_of(operand)) for operand in node.operands):
            return False
        counts = node.function in (np.minimum, np.maximum) or kind(node.function) in _STAY_INTEGERS
        with_python = any(type_of(operand) == INT for operand in node.operands)
        return node.function in (min, max) or (with_python and counts)


def _has(type_: Type | None, dtypes: Collection[str]) -> bool:
    """Whether the type is a number or an array of one of these dtypes, or a tuple with one of them."""
    if isinstance(type_, Tuple):
        return any(_has(item, dtypes) for item in type_.items)
    return isinstance(type_, Scalar | Array) and type_.dtype in dtypes


def _holds_integers(type_: Type | None) -> bool:
    """Whether the type is an integer, an array of integers, or a tuple with one."""
    if isinstance(type_, Tuple):
        return any(map(_holds_integers, type_.items))
    return isinstance(type_, Scalar | Array) and type_.dtype.startswith(("int", "uint"))
