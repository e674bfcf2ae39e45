"""How long a slice of an array is, as an integer linear expression."""

from __future__ import annotations

from collections.abc import Callable

from backsweep.analysis.integers.affine import Affine
from backsweep.ir.nodes import Const, Operand, Slice


def length_of(
    item: Slice, extent: Affine, read: Callable[[Operand], Affine], surely: Callable[[Affine], bool]
) -> Affine | None:
    """The length of a slice of an axis of that extent; None where clipping at the array's ends may change it.

    `read` gives an end of the slice as an expression over the atoms of the extent, and `surely` tells whether an
    expression is proved not to be negative. A slice such as `x[2:-3]`, which leaves out known numbers of entries at both
    ends, has the length `n - 5` also where that is not proved: where it is negative, the slice is empty.
    """
    if item.step is not None and not isinstance(item.step, Const):
        return None
    step = None if item.step is None else item.step.value
    ends = [None if end is None else read(end) for end in (item.start, item.stop)]
    if not (extent.terms or any(end is not None and end.terms for end in ends)):
        begin, end = (None if end is None else end.const for end in ends)
        return Affine(len(range(*slice(begin, end, step).indices(extent.const))))
    if step == -1:
        return extent if item.start is None and item.stop is None else None
    if step not in (1, None):
        return None
    start = Affine() if ends[0] is None else ends[0]
    stop = extent if ends[1] is None else ends[1]
    start, stop = _end(start, extent), _end(stop, extent)
    length, left_out = stop - start, (start, extent - stop)
    if all(not each.terms and each.const >= 0 for each in left_out):
        return length
    return length if all(map(surely, (*left_out, length))) else None


def _end(place: Affine, extent: Affine) -> Affine:
    """One end of a slice, counted from the front."""
    return extent + place if not place.terms and place.const < 0 else place
