"""Numba compiles calls of the ufuncs of `scipy.special` with real operands, by the functions of `cython_special`.

Types, broadcasting and `out=` are those of NumPy's own ufuncs, since Numba's code for them is used. SciPy computes most
functions in double precision for single precision too, and so does the machine code. What another package has registered
with Numba stays.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import lower_builtin
from numba.core.registry import cpu_target
from numba.core.typing.npydecl import Numpy_rules_ufunc
from numba.core.typing.templates import infer_global
from numba.np.npyimpl import _Kernel, numpy_ufunc_kernel

from backsweep.runtime.scipy.symbols import linked, of_doubles

_DOUBLE, _INT = ir.DoubleType(), ir.IntType(32)
_OF_WHOLE_ORDER = ("yn", "kn", "expn")
"""The functions with a loop of their own for integers that are right for them as floats, too."""


def register() -> None:
    """Tell Numba of every ufunc that it does not know yet."""
    context = cpu_target.typing_context
    context.refresh()
    for function, key in ufuncs().items():
        if context._lookup_global(function) is None:
            _register(function, key)
    cpu_target.target_context.refresh()


def ufuncs() -> dict[Any, str]:
    """The ufuncs of real operands and one result, and their keys in `cython_special`."""
    found = {}
    for function in vars(scipy.special).values():
        if not isinstance(function, np.ufunc) or f"{'d' * function.nin}->d" not in function.types:
            continue
        of_whole = any(form[0] in "lqp" for form in function.types)
        key = of_doubles().get((function.__name__, function.nin))
        if key is not None and (not of_whole or function.__name__ in _OF_WHOLE_ORDER):
            found[function] = key
    return found


def _register(function, key: str) -> None:
    """Tell Numba how to type and to compile one ufunc."""
    has_single = f"{'f' * function.nin}->f" in function.types

    class Template(Numpy_rules_ufunc):  # type: ignore[misc]  # Numba ships no annotations
        """The types of calls."""

        def generic(self, args, kws):
            """Numba's hook for the signature of a call; there is none for complex numbers."""
            numbers = [getattr(each, "dtype", each) for each in map(types.unliteral, args)]
            real = all(isinstance(each, types.Float | types.Integer | types.Boolean) for each in numbers)
            found = super().generic(args, kws) if real else None
            if found is None or len(args) > function.nin or not has_single:
                return found
            # Numba takes the first form that fits, which may be the one in double precision; NumPy takes the one of the operands
            of_single = all(each == types.float32 for each in numbers) and found.return_type
            if isinstance(of_single, types.Array):
                return found.replace(return_type=of_single.copy(dtype=types.float32))
            return found.replace(return_type=types.float32) if of_single else found

    class Kernel(_Kernel):  # type: ignore[misc]  # Numba ships no annotations
        """The machine code for one entry."""

        def generate(self, *args):
            """Numba's hook: a call of SciPy's function, which LLVM finds also where the code is loaded from a file."""
            symbol = linked(key)
            self.context.declare_env_global(self.builder.module, symbol.environment.env_name)
            form = ir.FunctionType(_DOUBLE, [_DOUBLE] * len(args) + [_INT])
            called = cgutils.get_or_insert_function(self.builder.module, form, symbol.name)
            given = [self.cast(*each, types.float64) for each in zip(args, self.outer_sig.args, strict=True)]
            result = self.builder.call(called, [*given, ir.Constant(_INT, 0)])
            return self.cast(result, types.float64, self.outer_sig.return_type)

    def lower(context, builder, sig, args):
        """Numba's hook for the machine code of a call."""
        return numpy_ufunc_kernel(context, builder, sig, args, function, Kernel)

    Template.key = function
    infer_global(function, types.Function(Template))
    operands = (types.Any,) * function.nin
    lower_builtin(function, *operands)(lower)
    lower_builtin(function, *operands, types.Array)(lower)
