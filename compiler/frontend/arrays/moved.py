"""Lower `np.moveaxis` to a transposition."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

import numpy as np

from backsweep.frontend.constructs.kinds import asked_type
from backsweep.frontend.context.inner_text import run_text
from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.context.scope import known_elements
from backsweep.ir.nodes import UNDEFINED, Const, Operand
from backsweep.ir.types import INT, Array


def moved_axes(
    lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand | None:
    """Lower `np.moveaxis` to `np.transpose`; where the run decides on an axis, to a branch for each that it may be.

    None where nothing is known of the axes.
    """
    given = dict(zip(("a", "source", "destination"), args, strict=False)) | dict(keywords)
    source, destination = (
        _whole_numbers(lowerer, given.get(name, UNDEFINED)) for name in ("source", "destination")
    )
    array = given.get("a", UNDEFINED)
    if (source is None and destination is None) or array is UNDEFINED:
        return None
    type_ = asked_type(lowerer, array, node)
    if not isinstance(type_, Array):
        return None
    if source is None or destination is None:
        return _moved_by_run(lowerer, given, type_.ndim, node)
    try:
        np.moveaxis(np.empty((0,) * type_.ndim), source, destination)
    except (ValueError, np.exceptions.AxisError) as error:
        raise lowerer.refuse(
            "BS113", f"`np.moveaxis` fails: {error}", node, "give it axes of the array"
        ) from None
    return lowerer.apply(np.transpose, (array, Const(_moved(type_.ndim, source, destination))), node)


def _moved_by_run(
    lowerer: Lowerer, given: Mapping[str, Operand], ndim: int, node: ast.Call
) -> Operand | None:
    """`np.moveaxis` with an axis that only the run knows."""
    asked = "source" if isinstance(given["destination"], Const) else "destination"
    is_number = asked_type(lowerer, given[asked], node) == INT
    fixed = _whole_numbers(lowerer, given["destination" if asked == "source" else "source"]) or ()
    if not is_number or len(fixed) != 1 or not -ndim <= fixed[0] < ndim:
        return None
    ways = [
        _moved(ndim, (axis,), fixed) if asked == "source" else _moved(ndim, fixed, (axis,))
        for axis in range(ndim)
    ]
    cases = "".join(
        f"if k in ({axis}, {axis - ndim}): return _to(_a, {way})\n" for axis, way in enumerate(ways)
    )
    text = f"k = _axis\n{cases}raise _error('axis is out of bounds for this array')"
    hidden = {
        ".a": given["a"],
        ".axis": given[asked],
        ".to": Const(np.transpose),
        ".error": Const(ValueError),
    }
    return run_text(lowerer, "moved", text, hidden, node)


def _whole_numbers(lowerer: Lowerer, operand: Operand) -> tuple[int, ...] | None:
    """The whole numbers that an operand is or holds; None if they are not known."""
    parts = known_elements(lowerer.context, operand)
    found = [part.value for part in ((operand,) if parts is None else parts) if isinstance(part, Const)]
    is_known = len(found) == (1 if parts is None else len(parts)) and all(type(each) is int for each in found)
    return tuple(found) if is_known else None


def _moved(count: int, source: Sequence[int], destination: Sequence[int]) -> tuple[int, ...]:
    """The order of so many axes after those in `source` were moved to the places in `destination`."""
    moved = [axis % count for axis in source]
    order = [axis for axis in range(count) if axis not in moved]
    for place, axis in sorted(zip((place % count for place in destination), moved, strict=True)):
        order.insert(place, axis)
    return tuple(order)
