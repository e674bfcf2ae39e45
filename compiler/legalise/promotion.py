"""Integers that NumPy and Numba promote differently, converted where Numba makes floats of them.

`np.sqrt` of a uint8 is a float16 in plain runs; a uint64 array plus an int stays uint64. Numba makes a float32 of the one
and a float64 of the other, and these are the program's types: adjoints have them, and memory is made like them.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from backsweep.ir.build import Builder, converted
from backsweep.ir.nodes import Apply, Block, Function
from backsweep.ir.operations import HALVES, Kind, kind
from backsweep.ir.typed import dtype_of, is_inexact
from backsweep.ir.types import Array, Scalar, is_float
from backsweep.ir.walk import map_blocks, with_body, with_nodes

_TO_FLOATS = (Kind.ARITHMETIC, Kind.INTEGER_DIVISION, Kind.POWER)
"""Functions of a uint64 and a signed integer of which Numba makes a float."""


def convert_promoted_integers(function: Function) -> Function:
    """Typed, normalised IR in which integers are converted before functions that make floats of them."""

    def change(block: Block) -> Block:
        builder = Builder()
        for node in block.nodes:
            held = map_blocks(node, change)
            type_ = held.result.type if isinstance(held, Apply) else None
            if isinstance(held, Apply) and isinstance(type_, Scalar | Array) and is_float(type_):
                builder.loc = held.loc
                wanted = frozenset() if any(map(is_inexact, held.operands)) else _misjudged(held.function)
                operands = tuple(
                    converted(builder, operand, type_.dtype) if dtype_of(operand) in wanted else operand
                    for operand in held.operands
                )
                held = dataclasses.replace(held, operands=operands)
            builder.add(held)
        return with_nodes(block, builder.current.nodes)

    return with_body(function, change(function.body))


def _misjudged(function: object) -> frozenset[str]:
    """The integers of which NumPy makes another type than Numba, where that is a float."""
    if kind(function) in _TO_FLOATS or function in (np.maximum, np.minimum):
        return frozenset({"uint64"})
    if isinstance(function, np.ufunc) and function not in {np.true_divide, np.divide}:
        return HALVES
    return frozenset()
