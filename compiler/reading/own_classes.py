"""Tell objects of classes that compute in their own way, though a library or Python has the class that they derive from.

Numba takes a matrix or a masked array for a plain array, and the compiler a list of another class for a list.
"""

from __future__ import annotations

import enum
import types
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
_BINARY = (
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "matmul",
    "and",
    "or",
    "xor",
    "lshift",
    "rshift",
)
ARITHMETIC = tuple(f"__{side}{name}__" for name in _BINARY for side in ("", "r"))
"""The methods of binary operators."""
_OF_NUMBERS = (
    *ARITHMETIC,
    *("__neg__", "__pos__", "__abs__", "__invert__", "__bool__", "__float__", "__int__", "__index__"),
    *("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__round__", "__divmod__"),
)
_STRUCTURE: dict[type, tuple[str, ...]] = {
    float: _OF_NUMBERS,
    int: _OF_NUMBERS,
    complex: _OF_NUMBERS,
    list: ("__getitem__", "__iter__", "__len__"),
    tuple: ("__getitem__", "__iter__", "__len__"),
    dict: ("__len__",),
}
"""What the compiler does itself where it knows an object of such a class."""


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


def base_of(thing: object) -> type | None:
    """The class of Python's own that an object's class derives from; None if it is that class, or derives from none."""
    if isinstance(thing, bool | np.generic) or type(thing) in _STRUCTURE:
        return None
    return next((base for base in _STRUCTURE if isinstance(thing, base)), None)


def own_reads(thing: object) -> tuple[str, ...]:
    """The methods that the compiler has its own ways for, of an object whose class derives from one of Python's own."""
    base = base_of(thing)
    return () if base is None else _STRUCTURE[base]


def own_methods(thing: object, *names: str) -> list[str]:
    """Which methods of these names the class of an object writes anew, if it derives from one of Python's own."""
    return [name for name in names if _is_written(type(thing), name)] if base_of(thing) is not None else []


def _is_written(cls: type, name: str) -> bool:
    owner = next((each for each in cls.__mro__ if name in vars(each)), None)
    if owner is None or owner.__module__ in ("builtins", "collections"):
        return False
    written = vars(owner)[name]
    return isinstance(written, types.FunctionType) and written.__module__ != enum.__name__


def refuse_own_arrays(nodes: Iterable[Node]) -> None:
    """Raise UnsupportedError where a program computes with such an array, which it finds around the function."""
    for node in nodes:
        if isinstance(node, Apply) and (node.function in _MADE_PLAIN or kind(node.function) is Kind.EXTENT):
            continue
        for each in operands(node):
            value = each.value if isinstance(each, Const) else None
            if not isinstance(value, np.ndarray) or not computes_in_own_way(value):
                continue
            name = each.name if isinstance(each, Const) and each.name.isidentifier() else ""
            found = own_way(value, name or "it")
            if found is not None:
                what = f"`{name}`" if name else "an array around the function"
                message = f"{what} is {found[0]}, and compiled code computes with plain arrays"
                raise UnsupportedError(
                    Problem("BS115", message, node.loc, f"take, around the function, {found[1]}.")
                )
