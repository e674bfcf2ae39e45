"""The one decorator of runtime kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile a runtime function on first use, cached on disk, with NumPy's division by zero."""
    return cast("Function", numba.njit(cache=True, error_model="numpy")(function))
