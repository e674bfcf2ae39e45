"""The one decorator of runtime kernels."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import numba
from numba.core.compiler import Compiler
from numba.extending import register_jitable

from backsweep.runtime.machine_code import implementations  # noqa: F401  what kernels call is kept on the disk, too
from backsweep.runtime.machine_code.code_library import linking
from backsweep.runtime.machine_code.compiling import Compiled
from backsweep.runtime.machine_code.folder import runtime_mark
from backsweep.runtime.machine_code.kept import MachineCode

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile a runtime function on first use, with NumPy's division by zero; its machine code is kept on the disk.

    Where Numba is told to compile nothing (`NUMBA_DISABLE_JIT`), it stays a Python function that Numba has a type for.
    """
    function.is_kernel = True  # type: ignore[attr-defined]  # what the compiler asks
    if numba.config.DISABLE_JIT:
        return cast("Function", register_jitable(error_model="numpy")(function))
    compiled = Compiled(
        function,
        targetoptions={"nopython": True, "error_model": "numpy", "boundscheck": None},
        pipeline_class=linking(Compiler),
    )
    compiled._cache = MachineCode(f"{function.__module__}.{function.__qualname__}", runtime_mark)
    return cast("Function", compiled)


def inlined(function: Function) -> Function:
    """Say of a runtime function that the compiler writes it out where it is called; Numba compiles nothing of it."""
    function.is_kernel = True  # type: ignore[attr-defined]
    return function


def shaped_like(parameter: str) -> Callable[[Function], Function]:
    """Say of a kernel that the array which it returns has the shape of this parameter."""
    return declared(shaped_like=parameter)


def declared(
    *,
    shaped_like: str | None = None,
    shape_only: Sequence[str] = (),
    writes: Sequence[str] = (),
    sharing: str = "never",
    checks: bool = False,
    kind: str = "OTHER",
    by_entry: bool = False,
    along: str | None = None,
    length: str | None = None,
    shapes: Sequence[str] = (),
) -> Callable[[Function], Function]:
    """Say of a runtime function what the compiler's table of operations (`ir/operations.py`) holds of others.

    By the names of its parameters: which one has the shape of its result, or of the first of its results, of which it looks at shape and dtype alone,
    which ones it writes. `sharing` says whether the result is memory of the first parameter: "never", "always" or
    "perhaps", which only the run decides. `checks` says that it raises where its operands do not fit, and runs for that. `kind` is its family.
    `by_entry` says that it takes numbers, and arrays of any shapes that broadcast, entry by entry.
    `length` is the one that says how long the vector is that it returns. With `along`, which is an axis, the result has the shape of the
    first parameter, but for the extent along that axis: `length`, or one. `shapes` are those of its results by those of its parameters.
    """

    def declare(function: Function) -> Function:
        at = list(inspect.signature(function).parameters).index
        function.declared = {  # type: ignore[attr-defined]
            "shaped_like": None if shaped_like is None else at(shaped_like),
            "shape_only": tuple(map(at, shape_only)),
            "writes": tuple(map(at, writes)),
            "sharing": sharing,
            "checks": checks,
            "kind": kind,
            "by_entry": by_entry,
            "along": None if along is None else at(along),
            "length": None if length is None else at(length),
            "shapes": tuple(shapes),
        }
        return function

    return declare
