"""The one decorator of runtime kernels."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.extending import register_jitable

from backsweep.runtime.compiling import Compiled
from backsweep.runtime.folder import sources_mark
from backsweep.runtime.machine_code import MachineCode

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile a runtime function on first use, with NumPy's division by zero; its machine code is kept on the disk.

    Where Numba is told to compile nothing (`NUMBA_DISABLE_JIT`), it stays a Python function that Numba has a type for.
    """
    function.is_kernel = True  # type: ignore[attr-defined]  # what the compiler asks
    if numba.config.DISABLE_JIT:
        return cast("Function", register_jitable(error_model="numpy")(function))
    compiled = Compiled(
        function, targetoptions={"nopython": True, "error_model": "numpy", "boundscheck": None}
    )
    mark = functools.partial(sources_mark, Path(__file__).parent)
    compiled._cache = MachineCode(f"{function.__module__}.{function.__qualname__}", mark)
    return cast("Function", compiled)


def shaped_like(parameter: str) -> Callable[[Function], Function]:
    """Say of a kernel that the array which it returns has the shape of this parameter."""

    def told(function: Function) -> Function:
        position = list(inspect.signature(function).parameters).index(parameter)
        function.shaped_like = position  # type: ignore[attr-defined]
        return function

    return told
