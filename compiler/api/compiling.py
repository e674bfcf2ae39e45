"""Compile a function as its gradients are compiled."""

from __future__ import annotations

import inspect
from typing import Any

from backsweep import requests
from backsweep.dispatch.vectorised import signatures_in, vectorised


def njit(signature_or_function: Any = None, **options: Any) -> Any:
    """Numba's `njit` with vector mathematics: loops compute `np.exp`, `np.sin` and others for several elements at once.

    Arguments:
        signature_or_function: the function; or a signature, or a list of signatures, to compile for when the function
            is defined. Without it, `njit` returns a decorator.
        options: those of `numba.njit`, with Numba's defaults (or those of the dispatcher that is given). `fastmath=True`
            lets LLVM reorder sums, which otherwise are added up in the order of the loop; the bodies of loops that
            `parallel=True` runs on several cores are vectorised, too; `cache=True` keeps the machine code in Numba's
            files, apart for each set of vector functions that the C library has.

    Returns:
        A Numba dispatcher, which does what `numba.njit`'s does. Each value of such a function in a loop is within 4
        units in the last place of Numba's; all else is the same. Where there is no vector library, it is Numba's
        `njit`. docs/vector_math.md says more.

    Raises:
        ArgumentError: it is given something else than a function in Python or an `@njit` function.

    >>> import numpy as np
    >>> import backsweep as bs
    >>> @bs.njit
    ... def total(x):
    ...     return np.sum(np.exp(x))
    >>> float(round(total(np.array([0.0, 1.0])), 6))
    3.718282
    >>> bs.grad(total)(np.zeros(2))
    array([1., 1.])
    """
    signatures = signatures_in(signature_or_function)
    if signatures is None and signature_or_function is not None:
        return _compiled(signature_or_function, [], options)
    return lambda function: _compiled(function, signatures or [], options)


def _compiled(function: object, signatures: list[Any], options: dict[str, Any]) -> Any:
    """The dispatcher of a function."""
    plain = getattr(function, "py_func", function)
    requests.expect("f", function, "a function that is written in Python", fits=inspect.isfunction(plain))
    assert callable(function)
    return vectorised(function, signatures, options)
