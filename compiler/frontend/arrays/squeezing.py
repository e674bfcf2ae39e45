"""`np.squeeze` without axes: those go whose extents are 1 by the way in which the array is made."""

from __future__ import annotations

import ast

import numpy as np

from backsweep.frontend.arrays.extents import unit_extents
from backsweep.frontend.constructs.kinds import asked_type
from backsweep.frontend.context.inner_text import run_text
from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.ir.nodes import UNDEFINED, Const, Operand, is_none
from backsweep.ir.types import Array, Scalar


def squeezed(
    lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand | None:
    """The operand for `np.squeeze(a)`; None if the call names axes, or is not right."""
    given = dict(zip(("a", "axis"), args, strict=False)) | dict(keywords)
    array = given.pop("a", UNDEFINED)
    if array is UNDEFINED or any(not is_none(each) for each in given.values()):
        return None
    type_ = asked_type(lowerer, array, node)
    if isinstance(type_, Scalar):
        return array
    if not isinstance(type_, Array):
        return None
    known = unit_extents(lowerer.context, array, type_.ndim)
    axes = [axis for axis, is_one in enumerate(known) if is_one]
    if not axes and type_.ndim > 1 and None in known:
        message = "`np.squeeze` without `axis=` takes away as many axes as the extents say, which only the run knows"
        remedy = "name the axes, as in np.squeeze(x, axis=1), or write x[:, 0]"
        raise lowerer.refuse("BS301", message, node, remedy)
    # An axis of which nothing is known stays; where its extent turns out to be 1, NumPy would take it away, too.
    lines = [
        f"if _shape(_a)[{axis}] == 1:\n"
        f"    raise _error('np.squeeze would take away axis {axis}, too, whose extent is 1: name the axes, axis=')"
        for axis, is_one in enumerate(known)
        if is_one is None
    ]
    hidden = {
        ".a": array,
        ".shape": Const(np.shape),
        ".error": Const(ValueError),
        ".squeeze": Const(np.squeeze),
    }
    value = f"_squeeze(_a, axis=({', '.join(map(str, axes))},))" if axes else "_a"
    return run_text(lowerer, "squeeze", "\n".join([*lines, f"return {value}"]), hidden, node)
