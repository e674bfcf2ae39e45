"""Orders of entries: distinct ones with their places, sorting by several keys and by parts, and the places on diagonals."""

from __future__ import annotations

import numpy as np
from numba.core import types
from numba.np.numpy_support import as_dtype

from backsweep.runtime.overloads.forms import flag, is_array, is_none, literal, refused, single_axis
from backsweep.runtime.overloads.texts import along, stands_for

OF_COMPLEX = "np.lexsort((np.imag({0}), np.real({0}), 2 * np.isnan(np.real({0})) + np.isnan(np.imag({0}))))"
"""The order of complex numbers: by their real parts, equal ones by the imaginary parts, and what is not a number at the end."""


@stands_for(np.unique, first=True)
def unique(
    ar, return_index=False, return_inverse=False, return_counts=False, axis=None, equal_nan=True, sorted=True
):
    """Distinct entries with their first places, the numbers of all entries, and how often each occurs."""
    if not is_array(ar):
        return None
    named = {"return_index": return_index, "return_inverse": return_inverse, "return_counts": return_counts}
    asked = {name: flag(name, each) for name, each in named.items()}
    of_complex = isinstance(ar.dtype, types.Complex)
    if not any(asked.values()) and is_none(axis) and not of_complex:
        return None
    if not is_none(axis):
        raise refused("`np.unique` is supported for all entries", "leave `axis=` out.")
    same = "s[1:] == s[:-1]"
    if isinstance(ar.dtype, types.Float | types.Complex) and flag("equal_nan", equal_nan):
        same = f"({same}) | (np.isnan(s[1:]) & np.isnan(s[:-1]))"
    by_value = 'np.argsort(flat, kind="mergesort")'
    lines = [
        "flat = np.ravel(ar)",
        f"order = {OF_COMPLEX.format('flat') if of_complex else by_value}",
        "s = flat[order]",
        "new = np.ones(s.size, np.bool_)",
        f"new[1:] = ~({same})",
        "first = np.nonzero(new)[0]",
    ]
    results = ["s[first]"]
    if asked["return_index"]:
        results.append("order[first]")
    if asked["return_inverse"]:
        shape = ", ".join(f"ar.shape[{k}]" for k in range(ar.ndim))
        lines += ["places = np.empty(s.size, np.int64)", "places[order] = np.cumsum(new) - 1"]
        results.append("places" if ar.ndim == 1 else f"np.reshape(places, ({shape}))")
    if asked["return_counts"]:
        results.append("np.append(first[1:], s.size)[: first.size] - first")
    return "\n".join([*lines, f"return {', '.join(results)}"])


@stands_for(np.sort, first=True)
def sort(a):
    """Complex numbers by their real parts, equal ones by the imaginary parts."""
    is_complex = is_array(a) and a.ndim == 1 and isinstance(a.dtype, types.Complex)
    return f"return a[{OF_COMPLEX.format('a')}]" if is_complex else None


@stands_for(np.lexsort, alone=True)
def lexsort(keys, axis=-1):
    """The order by the last key, where that is equal by the one before it."""
    listed = isinstance(keys, types.BaseTuple)
    if listed and not all(is_array(each) and each.ndim == 1 for each in keys):
        raise refused("the keys of `np.lexsort` are no vectors", "give vectors, or the rows of a matrix.")
    if not listed and not (is_array(keys) and keys.ndim == 2):
        raise refused("the keys of `np.lexsort` are no tuple and no matrix", "give np.lexsort((b, a)).")
    if literal(axis) not in (-1, None) and axis != -1:
        raise refused("`np.lexsort` is supported along the last axis", "leave `axis=` out.")
    if listed:
        lines = ['order = np.argsort(keys[0], kind="mergesort")']
        for k in range(1, len(keys)):
            lines += [
                f"if keys[0].size != keys[{k}].size:",
                '    raise ValueError("all keys need to be the same shape")',
                f'order = order[np.argsort(keys[{k}][order], kind="mergesort")]',
            ]
        return "\n".join([*lines, "return order"])
    return """
order = np.argsort(keys[0].copy(), kind="mergesort")
for k in range(1, keys.shape[0]):
    order = order[np.argsort(keys[k][order], kind="mergesort")]
return order
"""


@stands_for(np.searchsorted)
def searchsorted(a, v, side="left", sorter=None):
    """Places in an array that another one brings into order."""
    if is_none(sorter) or not is_array(a):
        return None
    if literal(side) not in ("left", "right"):
        raise refused("`side=` of `np.searchsorted` is 'left' or 'right'", "write one of them.")
    return f'return np.searchsorted(a[sorter], v, side="{literal(side)}")'


@stands_for(np.partition)
def partition(a, kth, axis=-1, kind="introselect", order=None):
    """Entries before and behind the one at its place, along an axis; Numba has that of vectors and rows."""
    if not is_array(a) or isinstance(axis, int):
        return None
    if is_none(axis):
        return "return np.partition(np.ravel(a), kth)"
    at = single_axis("np.partition", axis, a.ndim)
    return along("np.partition({}, kth)", "a", at, a.ndim, dtype=as_dtype(a.dtype))


@stands_for(np.diag_indices, alone=True)
def diag_indices(n, ndim=2):
    """The subscripts of the diagonal of an array whose axes have one extent."""
    axes = literal(ndim)
    if not isinstance(axes, int):
        raise refused("`ndim=` of `np.diag_indices` is no number that is written out", "write it.")
    return f"i = np.arange(n)\nreturn ({'i, ' * axes})"


@stands_for(np.diag_indices_from, alone=True)
def diag_indices_from(arr):
    """The subscripts of the diagonal of an array."""
    if not is_array(arr) or arr.ndim < 2:
        raise refused("`np.diag_indices_from` is given an array with less than two axes", "give a matrix.")
    test = " or ".join(f"arr.shape[{axis}] != arr.shape[0]" for axis in range(1, arr.ndim))
    return f"""
if {test}:
    raise ValueError("All dimensions of input must be of equal length")
i = np.arange(arr.shape[0])
return ({"i, " * arr.ndim})
"""


@stands_for(np.ravel_multi_index, alone=True)
def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    """Positions in a flattened array of the subscripts by axis."""
    if not isinstance(multi_index, types.BaseTuple) or not isinstance(dims, types.BaseTuple):
        raise refused(
            "`np.ravel_multi_index` takes a tuple of subscripts, and one of extents", "give x.shape."
        )
    if literal(mode) != "raise" or literal(order) != "C" or len(multi_index) != len(dims):
        raise refused(
            "`np.ravel_multi_index` takes a subscript for each extent, rows first", "leave options out."
        )
    lines = []
    for k, each in enumerate(multi_index):
        outside = f"(multi_index[{k}] < 0) | (multi_index[{k}] >= dims[{k}])"
        lines += [
            f"if {f'np.any({outside})' if is_array(each) else outside}:",
            '    raise ValueError("invalid entry in coordinates array")',
        ]
    text = "multi_index[0]"
    for k in range(1, len(dims)):
        text = f"({text} * dims[{k}] + multi_index[{k}])"
    return "\n".join([*lines, f"return {text}"])


@stands_for(np.array_equiv, alone=True)
def array_equiv(a1, a2):
    """Whether two arrays have the same entries once they are broadcast."""
    if not (is_array(a1) and is_array(a2)):
        return None
    last = min(a1.ndim, a2.ndim)
    tests = [
        f"a1.shape[{a1.ndim - k}] != a2.shape[{a2.ndim - k}] and a1.shape[{a1.ndim - k}] != 1 and a2.shape[{a2.ndim - k}] != 1"
        for k in range(1, last + 1)
    ]
    return f"return not ({' or '.join(tests)}) and bool(np.all(a1 == a2))"


def _each(function: str, arys, single: str) -> str | None:
    """Each of several arrays and numbers by itself, as a tuple; one number by a text of its own."""
    numbers = [isinstance(types.unliteral(each), types.Number) for each in arys]
    if len(arys) == 1:
        return f"return {single}" if numbers[0] else None
    arrays = [
        isinstance(each, types.Array) and isinstance(each.dtype, types.Number | types.Boolean)
        for each in arys
    ]
    if not arys or not all(one or other for one, other in zip(numbers, arrays, strict=True)):
        return None
    return f"return ({', '.join(f'{function}(arys[{k}])' for k in range(len(arys)))})"


@stands_for(np.atleast_1d, first=True)
def atleast_1d(*arys):
    """Numbers as vectors, and several arrays; Numba has arrays in a list."""
    return _each("np.atleast_1d", arys, "np.array([arys[0]])")


@stands_for(np.atleast_2d, first=True)
def atleast_2d(*arys):
    """Numbers as matrices, and several arrays; Numba has arrays in a list."""
    return _each("np.atleast_2d", arys, "np.array([[arys[0]]])")


@stands_for(np.atleast_3d, first=True)
def atleast_3d(*arys):
    """Numbers as arrays with three axes, and several arrays; Numba has arrays in a list."""
    return _each("np.atleast_3d", arys, "np.array([[[arys[0]]]])")
