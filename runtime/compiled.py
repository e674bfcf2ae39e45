"""The one decorator of runtime kernels."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile a runtime function on first use, cached on disk, with NumPy's division by zero."""
    return cast("Function", numba.njit(cache=True, error_model="numpy")(function))


def shaped_like(parameter: str) -> Callable[[Function], Function]:
    """Say of a kernel that the array which it returns has the shape of this parameter."""

    def told(function: Function) -> Function:
        position = list(inspect.signature(function).parameters).index(parameter)
        function.shaped_like = position  # type: ignore[attr-defined]
        return function

    return told
