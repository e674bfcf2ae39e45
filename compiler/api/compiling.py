"""Compile a function as its gradients are compiled; let compiled code call one that cannot be."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from backsweep import requests
from backsweep.dispatch.vectorised import signatures_in, vectorised
from backsweep.runtime.support.python_calls import PythonCall


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


def pure_python(function: Any = None, *, result: Any, name: str | None = None) -> Any:
    """Let compiled code call a function that Numba cannot compile: Python runs it, and its result has the type that you declare.

    Arguments:
        function: any callable: of SciPy, of an extension in C, an object with tables. Without it, a decorator is
            returned. It must be pure: a call that nothing reads may be left out, and another be made twice.
        result: something like its result: a number, an array with the same dtype and number of axes, or a tuple of these.
        name: what emitted text and messages call it; the function's own name, or that of its class, if none is given.

    Returns:
        An object that is called like the function, from Python, from functions that are differentiated, and from your own
        `@njit` code. It has no derivative by itself: declare one with `bs.rule`, or call it in the functions of a
        `bs.custom_vjp`. Each call from machine code takes the interpreter's lock and some microseconds; `explain` names
        the lines. Code that calls it is not kept in files, and not run in parallel loops.

    Raises:
        ArgumentError: `result` is none of these. TypeError, when it is called: the result has another type.

    >>> import bisect
    >>> import backsweep as bs
    >>> table = [0.0, 1.0, 4.0, 9.0]
    >>> place = bs.pure_python(lambda x: bisect.bisect(table, x), result=0)
    >>> bs.grad(lambda x: x * x * place(x))(2.0)
    8.0
    """
    if function is None:
        return lambda given: pure_python(given, result=result, name=name)
    requests.expect("function", function, "something that is called", fits=callable(function))
    requests.expect("result", result, "a number, an array, or a tuple of these", fits=_is_plain(result))
    return PythonCall(function, result, name)


def _is_plain(like: object) -> bool:
    """Whether machine code can hold a value like this one."""
    if isinstance(like, tuple):
        return bool(like) and all(map(_is_plain, like))
    if isinstance(like, np.ndarray | np.generic):
        return like.dtype.kind in "fiubc"
    return isinstance(like, bool | int | float | complex)
