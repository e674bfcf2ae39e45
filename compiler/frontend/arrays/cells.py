"""The cells of arrays that `np.nditer` goes over."""

from __future__ import annotations

import ast
import operator

import numpy as np

from backsweep.frontend.constructs.iterators import innermost_loop, no_iterator
from backsweep.frontend.constructs.kinds import asked_type
from backsweep.frontend.context.counted import check_equal
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.context.scope import Iterator, known_elements
from backsweep.ir.nodes import Const, Operand
from backsweep.ir.types import Array, Scalar

APART = "nditer(): operands could not be broadcast together"


def make_cells(lowerer: Lowerer, args: tuple[Operand, ...], keywords: object, node: ast.Call) -> Operand:
    """Lower `np.nditer(x)` or `np.nditer((x, y))` likewise: each item has a cell, or a tuple of one of each array.

    The order is Numba's: that of columns if more of the arrays are stored by columns than by rows. As there, an array may have fewer
    axes than another, but no extent of one is stretched.
    """
    parts = known_elements(lowerer.context, args[0]) if len(args) == 1 and not keywords else ()
    given = args if parts is None else parts
    types = [asked_type(lowerer, each, node) for each in given]
    if not given or not all(isinstance(each, Scalar | Array) for each in types):
        raise no_iterator(lowerer, node)
    ranks = [each.ndim if isinstance(each, Array) else 0 for each in types]
    layouts = [each.layout for each in types if isinstance(each, Array) and each.ndim > 1]
    by_columns = layouts.count("F") > layouts.count("C")
    bases = [each for each, rank in zip(given, ranks, strict=True) if rank]
    full = [base for base, rank in zip(given, ranks, strict=True) if rank == max(ranks) > 0]
    lengths = [lowerer.attribute(base, "shape", node) for base in full]
    for axis in range(max(ranks)):
        ends = [lowerer.apply(operator.getitem, (each, Const(axis)), node) for each in lengths]
        check_equal(lowerer, ends, node, APART)
    bases = [
        each if each in full else lowerer.call(Const(np.broadcast_to), (each, lengths[0]), {}, node)
        for each in bases
    ]
    rows = list(bases)
    if max(ranks) > 1:
        turned = [lowerer.apply(np.transpose, (base,), node) if by_columns else base for base in bases]
        rows = [lowerer.apply(np.ravel, (base,), node) for base in turned]
    left = iter(rows)
    together = tuple(
        (next(left), True) if rank else (_number_in(lowerer, each, type_, node), False)
        for each, type_, rank in zip(given, types, ranks, strict=True)
    )
    base = rows[0] if rows else lowerer.make_tuple((Const(0),), node)
    return Const(Iterator(base, 0, innermost_loop(lowerer), together))


def _number_in(lowerer: Lowerer, operand: Operand, type_: object, node: ast.AST) -> Operand:
    """The number, or that in an array without axes."""
    return lowerer.builder.load(operand, (), loc=lowerer.loc(node)) if isinstance(type_, Array) else operand
