"""Backsweep: readable, compiled adjoints of Python functions.

`grad`, `value_and_grad`, `vjp` and `jvp` take a plain Python function. Backsweep writes the derivative as
Python source, and Numba compiles it. `.source()` shows that source.
"""

from __future__ import annotations

__version__ = "0.1.0"

import importlib
from typing import TYPE_CHECKING

from backsweep.diagnostics import (
    ArgumentError,
    BacksweepError,
    InternalError,
    NotFiniteError,
    NotScalarError,
    OutOfMemoryError,
    SourceError,
    TypingError,
    UnsupportedError,
)
from backsweep.runtime import overloads as _overloads  # noqa: F401  which registers them with Numba
from backsweep.runtime import shapes as _shapes  # noqa: F401  likewise
from backsweep.runtime.scipy import sight as _sight
from backsweep.runtime.support.marks import checkpointed, hook, no_grad, stop_gradient

if TYPE_CHECKING:
    from backsweep.api.batch import batch
    from backsweep.api.checking import GradientError, check_grads
    from backsweep.api.compiling import njit, pure_python
    from backsweep.api.derivatives import hessian, hvp, jacfwd, jacobian, jacrev
    from backsweep.api.gpu.cuda import cuda
    from backsweep.api.gradients import explain, grad, jvp, source, value_and_grad, vjp
    from backsweep.api.implicit import root
    from backsweep.api.problem import problem
    from backsweep.api.sparse import sparsity
    from backsweep.frontend.constructs.checkpoints import checkpoint
    from backsweep.frontend.constructs.custom import custom_vjp
    from backsweep.inspect.trace import trace
    from backsweep.rules.declare import rule
    from backsweep.runtime.cores import prange

__all__ = [
    "ArgumentError",
    "BacksweepError",
    "GradientError",
    "InternalError",
    "NotFiniteError",
    "NotScalarError",
    "OutOfMemoryError",
    "SourceError",
    "TypingError",
    "UnsupportedError",
    "batch",
    "check_grads",
    "checkpoint",
    "checkpointed",
    "cuda",
    "custom_vjp",
    "explain",
    "grad",
    "hessian",
    "hook",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "njit",
    "no_grad",
    "prange",
    "problem",
    "pure_python",
    "root",
    "rule",
    "source",
    "sparsity",
    "stop_gradient",
    "trace",
    "value_and_grad",
    "vjp",
]

_HOMES = {
    "api.batch": ("batch",),
    "api.checking": ("GradientError", "check_grads"),
    "api.compiling": ("njit", "pure_python"),
    "api.derivatives": ("hessian", "hvp", "jacfwd", "jacobian", "jacrev"),
    "api.gpu.cuda": ("cuda",),
    "api.gradients": ("explain", "grad", "jvp", "source", "value_and_grad", "vjp"),
    "api.implicit": ("root",),
    "api.problem": ("problem",),
    "api.sparse": ("sparsity",),
    "frontend.constructs.checkpoints": ("checkpoint",),
    "frontend.constructs.custom": ("custom_vjp",),
    "inspect.trace": ("trace",),
    "rules.declare": ("rule",),
    "runtime.cores": ("prange",),
}
"""Where the names are that need the compiler, which is loaded when one of them is first used: `import backsweep` alone
takes little longer than `import numba`."""
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}


def _compile_meanings(package: str) -> None:
    """Tell Numba of a package's functions that the prelude knows, which needs the compiler."""
    from backsweep.meanings import register

    register(package)


_sight.ALSO_TOLD.append(_compile_meanings)


def __getattr__(name: str) -> object:
    """Load the compiler, and Numba's tables of functions, which it asks for types."""
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from backsweep.runtime.machine_code.compiling import compiling, only_new_garbage

    with compiling, only_new_garbage():
        from backsweep.dispatch.dispatchers import prepare

        found: object = getattr(importlib.import_module(f"{__name__}.{_HOME_OF[name]}"), name)
        prepare()
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """The public names."""
    return [*__all__, "__version__"]
