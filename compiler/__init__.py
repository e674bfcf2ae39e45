"""Backsweep: readable, compiled adjoints of Python functions.

`grad`, `value_and_grad`, `vjp` and `jvp` take a plain Python function. Backsweep writes the derivative as
Python source, and Numba compiles it. `.source()` shows that source.
"""

__version__ = "0.1.0"

from backsweep.api.checking import GradientError, check_grads
from backsweep.api.compiling import njit, pure_python
from backsweep.api.derivatives import hessian, hvp, jacfwd, jacobian, jacrev
from backsweep.api.gradients import explain, grad, jvp, source, value_and_grad, vjp
from backsweep.api.implicit import root
from backsweep.api.sparse import sparsity
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
from backsweep.dispatch.dispatchers import prepare
from backsweep.frontend.constructs.checkpoints import checkpoint
from backsweep.frontend.constructs.custom import custom_vjp
from backsweep.inspect.trace import trace
from backsweep.rules.declare import rule
from backsweep.runtime import overloads as _overloads  # noqa: F401  which registers them with Numba
from backsweep.runtime.support.marks import checkpointed, hook, no_grad, stop_gradient

prepare()

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
    "check_grads",
    "checkpoint",
    "checkpointed",
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
