"""Views of arrays as numbers of another type."""

from __future__ import annotations

import ast

import numpy as np

from backsweep.frontend.constructs.kinds import asked_type, dtype_of
from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.ir.nodes import Const, Operand, Slice, Value
from backsweep.ir.types import Array, Scalar
from backsweep.prelude.language import memory
from backsweep.runtime.memory import number_seen_as, seen_as
from backsweep.runtime.support.marks import seen_as_view

OF_PARTS = {("complex128", "float64"), ("complex64", "float32")}
PARTS = OF_PARTS | {(part, whole) for whole, part in OF_PARTS}
"""Pairs of dtypes: complex numbers and their parts, either way."""


def view(
    lowerer: Lowerer, base: Operand, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand | None:
    """Lower `a.view(dtype)`: of the same dtype, from complex numbers to their parts and back, and as any other numbers; None for others."""
    given = (*args, *keywords.values())
    if not isinstance(base, Value) or len(given) > 1 or set(keywords) - {"dtype"}:
        return None
    type_ = asked_type(lowerer, base, node)
    wanted = dtype_of(lowerer, given[0], node) if given else np.dtype(getattr(type_, "dtype", float))
    if not isinstance(type_, Array | Scalar) or wanted is None or wanted.kind not in "biufc":
        return None
    known = np.dtype(type_.dtype)
    if isinstance(type_, Scalar):
        if wanted == known:
            return base
        if wanted.itemsize != known.itemsize:
            message = (
                f"a number of {known.itemsize} bytes is viewed as `{wanted}`, which has {wanted.itemsize}"
            )
            raise lowerer.refuse("BS113", message, node, "view it as a type of the same size")
        return lowerer.apply(number_seen_as, (base, Const(wanted.type)), node)
    if wanted == known:
        whole = () if type_.ndim == 0 else (Slice(None, None, None),)
        return lowerer.builder.load(base, whole, loc=lowerer.loc(node)) if whole else base
    if type_.ndim and (str(known), str(wanted)) in PARTS:
        seen = memory.parts_of_complex if wanted.kind == "f" else memory.complex_of_parts
        return lowerer.inline(seen, (base, Const(wanted.type)), {}, node)
    copied = lowerer.apply(seen_as, (base, Const(wanted.type)), node)
    return lowerer.apply(seen_as_view, (copied, base), node)


def instead_of_assignment(target: ast.Attribute) -> str:
    """What to write in place of the assignment of an attribute."""
    array = ast.unparse(target.value)
    of_arrays = {
        "shape": f"make an array of that shape, as in y = {array}.reshape(2, 3)",
        "flat": f"write to all entries, as in {array}[:] = 0.0 or {array}.flat[:] = x",
        "real": f"add the parts, as in x + 1j * {array}.imag",
        "imag": f"add the parts, as in {array}.real + 1j * x",
    }
    return of_arrays.get(target.attr, "use a local variable, or an element of an array")
