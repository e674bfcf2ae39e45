"""Functions that call a function for each entry (`np.vectorize`), for each line, for one axis after the other, or where a condition holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from backsweep.prelude.declare import core, has_known_items, means, of_kind, of_one_kind, refuse, stands_for

FLOATS = (float, np.float64, "d", "float64")
"""What `otypes` has for numbers in double precision."""
WIDE = ("float64", "complex128", "int64", "bool")
"""The dtypes whose numbers are alike in NumPy, in Python and in compiled code."""


@means(np.vectorize)
class vectorize:  # noqa: N801  as NumPy calls it
    """A function that is called for each entry; without `otypes`, all results are of one kind."""

    called = "np.vectorize"
    instead = "call it"
    signature: Any = None
    excluded: Any = None

    def __init__(self, pyfunc, otypes=None) -> None:
        self.pyfunc = pyfunc
        self.otypes = otypes[0] if has_known_items(otypes) and len(otypes) == 1 else otypes
        if self.otypes is not None and self.otypes not in FLOATS:
            refuse(
                "`np.vectorize` is supported of one function, with no options but `otypes` of floats",
                "write np.vectorize(f, otypes=[float]), or [f(v) for v in x]",
            )

    def __call__(self, *args):
        """The results for each entry of arrays of one shape, or for numbers."""
        if self.signature is not None or self.excluded is not None:
            refuse(
                "a function of `np.vectorize` with `signature=` or `excluded=` cannot be differentiated",
                "write the loop over the entries out",
            )
        first = first_array(args, 0)
        for each in args:
            if not isinstance(each, (np.ndarray, int, float, complex)) or np.ndim(each) not in (
                0,
                np.ndim(first),
            ):
                refuse(
                    "a function of `np.vectorize` takes numbers, and arrays of one shape",
                    "bring the arrays to one shape first, as with np.broadcast_to",
                )
            if self.otypes is None and np.ndim(each) > 0 and np.result_type(each) not in WIDE:
                refuse(
                    "`np.vectorize` without `otypes` is supported for numbers in double precision",
                    "say the type of the results: otypes=[float]",
                )
        if np.ndim(first) == 0:
            return self._one(*args)
        for each in args:
            if np.ndim(each) > 0 and each is not first and np.shape(each) != np.shape(first):
                raise ValueError("the arrays have other shapes")
        if self.otypes is None and np.size(first) == 0:
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        flat = tuple([np.ravel(each) if np.ndim(each) > 0 else each for each in args])
        found = [self._one(*[entry(each, k) for each in flat]) for k in range(np.size(first))]
        return np.reshape(np.array(found), np.shape(first))

    def _one(self, *given):
        """The result for numbers."""
        found = self.pyfunc(*given)
        return of_one_kind(found) if self.otypes is None else float(found)


def first_array(args, k):
    """The first of these, from `k` on, that is an array; the last one if none is."""
    return args[k] if np.ndim(args[k]) > 0 or k + 1 == len(args) else first_array(args, k + 1)


def entry(each, k):
    """An entry of a vector, or the number itself."""
    return of_kind(each.dtype, each[k]) if np.ndim(each) > 0 else each


@stands_for(np.vectorize, reads=("pyfunc", "otypes", "signature", "excluded"))
def of_vectorized(thing) -> vectorize:
    """One that is made around the function, as by a decorator."""
    made = vectorize(thing.pyfunc, thing.otypes)
    made.signature = thing.signature
    made.excluded = thing.excluded or None
    return made


@means(np.apply_along_axis)
def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """The function is called for each line of the array."""
    if not isinstance(arr, np.ndarray) or not isinstance(axis, int) or not -arr.ndim <= axis < arr.ndim:
        refuse(
            "`np.apply_along_axis` takes a function, the number of an axis, and an array that has it",
            "write np.apply_along_axis(f, 0, x)",
        )
    if arr.ndim == 1:
        return of_one_kind(func1d(arr, *args, **kwargs))
    last = np.moveaxis(arr, axis, -1)
    if 0 in last.shape[:-1]:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    lines = np.reshape(last, (-1, last.shape[-1]))
    found = np.array([of_one_kind(func1d(of_kind(arr.dtype, line), *args, **kwargs)) for line in lines])
    if found.ndim > 2:
        refuse(
            "the function of `np.apply_along_axis` gives neither a number nor a vector",
            "write the loop over the lines out",
        )
    if found.ndim == 1:
        return np.reshape(found, last.shape[:-1])
    return np.moveaxis(np.reshape(found, (*last.shape[:-1], found.shape[1])), -1, axis)


@means(np.apply_over_axes)
def apply_over_axes(func, a, axes):
    """The function is called for one axis after the other, and the axes stay."""
    if isinstance(axes, int):
        axes = (axes,)
    if not isinstance(a, np.ndarray) or not isinstance(axes, (tuple, list)):
        refuse(
            "`np.apply_over_axes` takes a function, an array, and the numbers of axes",
            "write np.apply_over_axes(np.sum, x, (0, 2))",
        )
    for axis in axes:
        at = axis + a.ndim if axis < 0 else axis
        found = func(a, at)
        if np.ndim(found) == a.ndim:
            a = found
        elif np.ndim(found) == a.ndim - 1:
            a = np.expand_dims(found, at) if isinstance(found, np.ndarray) else np.array([found])
        else:
            refuse(
                "function is not returning an array of the correct shape",
                "let it reduce one axis, or keep all",
            )
    return a


@means(np.piecewise)
def piecewise(x, condlist, funclist, *args, **kw):
    """Each piece is computed where its condition holds; the last one wins."""
    if (
        not has_known_items(condlist)
        or not has_known_items(funclist)
        or not isinstance(x, (np.ndarray, float, np.floating))
    ):
        refuse(
            "`np.piecewise` takes an array, and lists of conditions and of functions that are written out here",
            "write np.piecewise(x, [x < 0.0, x >= 0.0], [f, g]), or np.where",
        )
    if len(funclist) not in (len(condlist), len(condlist) + 1):
        refuse(
            f"`np.piecewise` has {len(condlist)} conditions and {len(funclist)} functions",
            "give it a function for each condition, and perhaps one for the rest",
        )
    if not isinstance(x, np.ndarray):
        y: Any = x * 0
        for k, function in enumerate(funclist):
            if condlist[k] if k < len(condlist) else not any(condlist):
                y = function(x, *args, **kw) if callable(function) else function
        return y
    y = np.zeros_like(x)
    for k, function in enumerate(funclist):
        where = condlist[k] if k < len(condlist) else ~_either(*condlist)
        y[where] = function(x[where], *args, **kw) if callable(function) else function
    return y


def _either(first, *others):
    """Where one of the conditions holds."""
    for other in others:
        first = first | other
    return first


def _of_kind(kind):
    def converted(x=0):
        """A number of the kind; of an array, or of a list, an array."""
        if isinstance(x, (np.ndarray, list, tuple)) and np.ndim(x) > 0:
            return np.asarray(x).astype(kind)
        return core(kind)(x)

    return converted


for _kind in (np.float64, np.float32, np.complex128, np.complex64, np.int64, np.int32, np.bool_):
    means(_kind)(_of_kind(_kind))
