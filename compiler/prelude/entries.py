"""`np.vectorize`: a function of numbers becomes one of arrays, which calls it for each entry."""

from __future__ import annotations

from typing import Any

import numpy as np

from backsweep.prelude.declare import has_known_items, means, of_kind, of_one_kind, refuse, stands_for

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

    def __init__(self, pyfunc: Any, otypes: Any = None) -> None:
        self.pyfunc = pyfunc
        self.otypes = otypes[0] if has_known_items(otypes) and len(otypes) == 1 else otypes
        if self.otypes is not None and self.otypes not in FLOATS:
            refuse(
                "`np.vectorize` is supported of one function, with no options but `otypes` of floats",
                "write np.vectorize(f, otypes=[float]), or [f(v) for v in x]",
            )

    def __call__(self, *args: Any) -> Any:
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

    def _one(self, *given: Any) -> Any:
        """The result for numbers."""
        found = self.pyfunc(*given)
        return of_one_kind(found) if self.otypes is None else float(found)


def first_array(args: Any, k: Any) -> Any:
    """The first of these, from `k` on, that is an array; the last one if none is."""
    return args[k] if np.ndim(args[k]) > 0 or k + 1 == len(args) else first_array(args, k + 1)


def entry(each: Any, k: Any) -> Any:
    """An entry of a vector, or the number itself."""
    return of_kind(each.dtype, each[k]) if np.ndim(each) > 0 else each


@stands_for(np.vectorize, reads=("pyfunc", "otypes", "signature", "excluded"))
def of_vectorized(thing: Any) -> vectorize:
    """One that is made around the function, as by a decorator."""
    made = vectorize(thing.pyfunc, thing.otypes)
    made.signature = thing.signature
    made.excluded = thing.excluded or None
    return made
