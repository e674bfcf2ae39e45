"""Numba compiles calls of the ufuncs of `scipy.special` with real or complex operands, by the functions of `cython_special`.

Types, broadcasting and `out=` are those of NumPy's own ufuncs, since Numba's code for them is used. SciPy computes most
functions in double precision for single precision too, and so does the machine code. What another package has registered
with Numba stays.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.special
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import lower_builtin
from numba.core.registry import cpu_target
from numba.core.typing.npydecl import Numpy_rules_ufunc
from numba.core.typing.templates import infer_global, signature
from numba.np.npyimpl import _Kernel, numpy_ufunc_kernel

from backsweep.runtime.scipy.symbols import linked, of_complex, of_doubles

_DOUBLE, _INT = ir.DoubleType(), ir.IntType(32)
_COMPLEX = ir.LiteralStructType([_DOUBLE, _DOUBLE])
_OF_WHOLE_ORDER = ("yn", "kn", "expn", "smirnov", "smirnovi")
"""The functions with a loop of their own for integers that are right for them as floats, too."""
_WRITTEN_OUT = ("wofz",)
"""The functions of complex numbers for which a text of ours stands."""
_BY_REFERENCE = sys.platform == "win32"
"""Whether C hands over pointers to complex numbers: elsewhere their two parts are in registers."""


def register() -> None:
    """Tell Numba of every ufunc that it does not know yet."""
    context = cpu_target.typing_context
    context.refresh()
    of_real, complex_forms = ufuncs(), of_complex_numbers()
    for function in {**of_real, **complex_forms}:
        if context._lookup_global(function) is None:
            _register(function, of_real.get(function), complex_forms.get(function, ("", "")))


def ufuncs() -> dict[Any, str]:
    """The ufuncs of real operands and one result, and their keys in `cython_special`."""
    found = {}
    for function in _every_ufunc():
        key = of_doubles().get((function.__name__, function.nin))
        if key is not None and f"{'d' * function.nin}->d" in function.types:
            found[function] = key
    return found


@functools.cache
def of_complex_numbers() -> Mapping[Any, tuple[str, str]]:
    """The ufuncs with a complex operand and one result, their keys, and the letters of the operands in double precision."""
    found = {}
    for function in _every_ufunc():
        for form in function.types:
            letters, _, result = form.partition("->")
            key = of_complex().get((function.__name__, letters))
            if result == "D" and key is not None and function.__name__ not in _WRITTEN_OUT:
                found[function] = key, letters
    return found


def _every_ufunc() -> list[Any]:
    """The ufuncs but those with a loop of their own for integers, which is another function."""
    every = [each for each in vars(scipy.special).values() if isinstance(each, np.ufunc)]
    return [
        each
        for each in every
        if each.__name__ in _OF_WHOLE_ORDER or not any(form[0] in "lqp" for form in each.types)
    ]


def _register(function, key: str | None, complex_form: tuple[str, str]) -> None:
    """Tell Numba how to type and to compile one ufunc."""
    has_single = f"{'f' * function.nin}->f" in function.types
    complex_key, letters = complex_form

    class Template(Numpy_rules_ufunc):  # type: ignore[misc]  # Numba ships no annotations
        """The types of calls."""

        def generic(self, args, kws):
            """Numba's hook for the signature of a call; there is none for complex numbers that SciPy takes no complex ones for."""
            numbers = [getattr(each, "dtype", each) for each in map(types.unliteral, args)]
            if not all(isinstance(each, types.Number | types.Boolean) for each in numbers):
                return None
            if any(isinstance(each, types.Complex) for each in numbers) or key is None:
                return self.of_complex(args, kws) if complex_key else None
            found = super().generic(args, kws)
            if found is None or len(args) > function.nin or not has_single:
                return found
            # Numba takes the first form that fits, which may be the one in double precision; NumPy takes the one of the operands
            of_single = all(each == types.float32 for each in numbers) and found.return_type
            if isinstance(of_single, types.Array):
                return found.replace(return_type=of_single.copy(dtype=types.float32))
            return found.replace(return_type=types.float32) if of_single else found

        def of_complex(self, args, kws):
            """The signature of a call with complex numbers, which Numba knows of its own ufuncs alone."""
            numbers, results, ndims, layout = self._handle_inputs(function, args, kws)
            single = all(each in (types.float32, types.complex64) for each in numbers)
            kind = types.complex64 if single else types.complex128
            made = types.Array(kind, ndims, layout) if ndims else kind
            return signature(results[0] if results else made, *args)

    class Kernel(_Kernel):  # type: ignore[misc]  # Numba ships no annotations
        """The machine code for one entry."""

        def generate(self, *args):
            """Numba's hook: a call of SciPy's function, which LLVM finds also where the code is loaded from a file."""
            is_complex = isinstance(self.outer_sig.return_type, types.Complex)
            symbol = linked(complex_key if is_complex else key)
            self.context.declare_env_global(self.builder.module, symbol.environment.env_name)
            wide = [
                types.complex128 if is_complex and letter == "D" else types.float64
                for letter in letters or "d" * len(args)
            ]
            given = [self.cast(*each) for each in zip(args, self.outer_sig.args, wide, strict=True)]
            called = _called if is_complex else _called_with_doubles
            result = called(self.builder, symbol.name, given)
            made = types.complex128 if is_complex else types.float64
            return self.cast(result, made, self.outer_sig.return_type)

    def lower(context, builder, sig, args):
        """Numba's hook for the machine code of a call."""
        return numpy_ufunc_kernel(context, builder, sig, args, function, Kernel)

    Template.key = function
    infer_global(function, types.Function(Template))
    operands = (types.Any,) * function.nin
    lower_builtin(function, *operands)(lower)
    lower_builtin(function, *operands, types.Array)(lower)


def _called_with_doubles(builder, name: str, given):
    """The result of a function of doubles; SciPy's take one more number, of which nothing depends."""
    form = ir.FunctionType(_DOUBLE, [_DOUBLE] * len(given) + [_INT])
    function = cgutils.get_or_insert_function(builder.module, form, name)
    return builder.call(function, [*given, ir.Constant(_INT, 0)])


def _called(builder, name: str, given):
    """The result of a function of doubles and complex numbers to a complex one, as C hands them over."""
    last = ir.Constant(_INT, 0)
    if not _BY_REFERENCE:
        form = ir.FunctionType(_COMPLEX, [*(each.type for each in given), _INT])
        function = cgutils.get_or_insert_function(builder.module, form, name)
        return builder.call(function, [*given, last])
    places = [each if each.type == _DOUBLE else cgutils.alloca_once_value(builder, each) for each in given]
    result = cgutils.alloca_once(builder, _COMPLEX)
    form = ir.FunctionType(ir.VoidType(), [result.type, *(each.type for each in places), _INT])
    function = cgutils.get_or_insert_function(builder.module, form, name)
    builder.call(function, [result, *places, last])
    return builder.load(result)
