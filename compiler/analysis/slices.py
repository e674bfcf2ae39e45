"""How long a slice of an array is, as an integer linear expression."""

from __future__ import annotations

from backsweep.analysis.affine import Affine, Definitions, to_affine
from backsweep.ir.nodes import Const, Operand, Slice


def length_of(item: Slice, extent: Affine, definitions: Definitions) -> Affine | None:
    """The length of a slice of an axis of that extent; None where clipping at the array's ends may change it."""
    if item.step is not None and not (isinstance(item.step, Const) and item.step.value in (1, -1, None)):
        return None
    backwards = isinstance(item.step, Const) and item.step.value == -1
    if backwards:
        return extent if item.start is None and item.stop is None else None
    start = _end(item.start, extent, definitions)
    stop = extent if item.stop is None else _end(item.stop, extent, definitions)
    length = stop - start
    clipped = length - extent
    return length if not clipped.terms and clipped.const <= 0 else None


def _end(operand: Operand | None, extent: Affine, definitions: Definitions) -> Affine:
    """One end of a slice, counted from the front."""
    if operand is None:
        return Affine()
    affine = to_affine(operand, definitions)
    return extent + affine if not affine.terms and affine.const < 0 else affine
