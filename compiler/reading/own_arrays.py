"""Tell arrays of classes that compute in their own way, as matrices and masked arrays do: Numba takes them for plain arrays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from backsweep.diagnostics import Problem, UnsupportedError
from backsweep.ir.nodes import Apply, Const, Node
from backsweep.ir.operations import Kind, kind
from backsweep.ir.walk import operands

_COMPUTE = ("__array_ufunc__", "__array_function__", "__add__", "__mul__", "__matmul__", "__pow__")
"""Methods with which an array class may replace NumPy's arithmetic."""
_MADE_PLAIN = (np.asarray, np.array)


def computes_in_own_way(array: np.ndarray[Any, Any]) -> bool:
    """Whether the class of an array replaces NumPy's arithmetic."""
    return any(getattr(type(array), each, None) is not getattr(np.ndarray, each) for each in _COMPUTE)


def own_way(array: np.ndarray[Any, Any], name: str = "x") -> tuple[str, str] | None:
    """What such an array is, and what to pass instead of one that is called so; None for any other array."""
    match array:
        case np.ma.MaskedArray():
            remedy = f"{name}.filled(0.0), and the mask as a second array: ~np.ma.getmaskarray({name})"
            return "a masked array", remedy
        case np.matrix():
            remedy = f"np.asarray({name}), and write @ for matrix products"
            return "a matrix, for which * is the matrix product", remedy
        case np.ndarray() if type(array) is not np.ndarray and array.dtype.kind in "biufc":
            what = f"an array of the class `{type(array).__name__}`, which computes in its own way"
            return what, f"np.asarray({name})"
        case _:
            return None


def refuse_own_arrays(nodes: Iterable[Node]) -> None:
    """Raise UnsupportedError where a program computes with such an array, which it finds around the function."""
    for node in nodes:
        if isinstance(node, Apply) and (node.function in _MADE_PLAIN or kind(node.function) is Kind.EXTENT):
            continue
        for each in operands(node):
            value = each.value if isinstance(each, Const) else None
            if not isinstance(value, np.ndarray) or not computes_in_own_way(value):
                continue
            name = each.name if isinstance(each, Const) and each.name.isidentifier() else "it"
            found = own_way(value, name)
            if found is not None:
                what = f"`{name}`" if name != "it" else "an array around the function"
                message = f"{what} is {found[0]}, and compiled code computes with plain arrays"
                raise UnsupportedError(
                    Problem("BS115", message, node.loc, f"take, around the function, {found[1]}.")
                )
