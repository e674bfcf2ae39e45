"""Give Numba the machine code of functions that make arrays, of choices between numbers and of strong products.

Numba writes `np.zeros_like` and its like in Python, and compiles them, one inside of the other, in each process: a tenth of
a second for each rank and layout, in nearly every gradient. Of `np.where` of numbers it makes an array without axes, which `+=` of a
number does not take. Where the arguments are of the usual types, the functions
here give the type of the result and emit its instructions; all other calls go Numba's way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numba.core import cgutils, types
from numba.core.typing import signature, templates
from numba.np.arrayobj import _empty_nd_impl, _parse_empty_args, _parse_empty_like_args, impl_ret_new_ref
from numba.np.numpy_support import as_dtype, from_dtype

from backsweep.runtime.special import strong_product, strong_quotient

Code = Callable[[Any, Any, Any, Any], Any]
"""Emits the instructions of a call: of Numba's context, LLVM's builder, the signature and the arguments."""
Definition = Callable[..., tuple[Any, Code] | None]
"""The signature of a call and its instructions, by Numba's types of the arguments; None for calls that go Numba's way."""


def known(function: Any, value: object) -> Any:
    """Numba's type of a function, `value`, by which its usual calls need no compilation; `function` is Numba's own."""
    definition = _DEFINITIONS.get(value) if isinstance(function, types.Function) else None
    if definition is None:
        return function
    if function not in _FUNCTIONS:
        own = templates.make_intrinsic_template(function.typing_key, definition, definition.__name__)
        own = type(own.__name__, (_OfUsualCalls, own), {})
        _FUNCTIONS[function] = types.Function((own, *function.templates))
    return _FUNCTIONS[function]


class _OfUsualCalls:
    """Types the usual calls of such a function; calls with further arguments are left to Numba."""

    _definition_func: Definition

    def generic(self, args: Any, kws: Any) -> Any:
        """Numba's hook for the signature of a call."""
        usual = not kws and len(args) + 1 == self._definition_func.__code__.co_argcount
        return super().generic(args, kws) if usual else None  # type: ignore[misc]


_FUNCTIONS: dict[Any, Any] = {}
"""By Numba's types of functions."""


def _empty(_: Any, shape: Any) -> tuple[Any, Code] | None:
    """`np.empty(shape)`."""
    type_ = _of_shape(shape)
    return None if type_ is None else (signature(type_, shape), _making(_parse_empty_args))


def _zeros(_: Any, shape: Any) -> tuple[Any, Code] | None:
    """`np.zeros(shape)`."""
    type_ = _of_shape(shape)
    return None if type_ is None else (signature(type_, shape), _making(_parse_empty_args, filled=True))


def _empty_like(_: Any, array: Any) -> tuple[Any, Code] | None:
    """`np.empty_like(array)`."""
    type_ = _alike(array)
    return None if type_ is None else (signature(type_, array), _making(_parse_empty_like_args))


def _zeros_like(_: Any, array: Any) -> tuple[Any, Code] | None:
    """`np.zeros_like(array)`."""
    type_ = _alike(array)
    return None if type_ is None else (signature(type_, array), _making(_parse_empty_like_args, filled=True))


def _of_shape(shape: Any) -> Any:
    """The type of a new array of this shape; None for a shape that is neither an integer nor a tuple of them."""
    lengths = [*shape] if isinstance(shape, types.UniTuple) else [shape]
    whole = lengths and all(isinstance(length, types.Integer) for length in lengths)
    return types.Array(types.float64, len(lengths), "C") if whole else None


def _alike(array: Any) -> Any:
    """The type of a new array like another one; None for what is no array of numbers."""
    if type(array) is not types.Array or not isinstance(array.dtype, types.Number):
        return None
    return array.copy(layout="C" if array.layout == "A" else array.layout, readonly=False)


def _making(shaped: Code, *, filled: bool = False) -> Code:
    """The instructions that make an array of the type and shape that `shaped` returns; `filled` with zeros, if asked for."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        made = _empty_nd_impl(context, builder, *shaped(context, builder, sig, args))
        if filled:
            cgutils.memset(builder, made.data, builder.mul(made.itemsize, made.nitems), 0)
        return impl_ret_new_ref(context, builder, sig.return_type, made._getvalue())

    return emit


def _where(_: Any, condition: Any, x: Any, y: Any) -> tuple[Any, Code] | None:
    """`np.where(condition, x, y)` of numbers, of which Numba makes an array without axes."""
    kinds = (types.Number, types.Boolean)
    if not all(isinstance(types.unliteral(each), kinds) for each in (condition, x, y)):
        return None
    chosen = from_dtype(np.promote_types(*(as_dtype(types.unliteral(each)) for each in (x, y))))

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        is_true = context.is_true(builder, sig.args[0], args[0])
        return builder.select(is_true, *args[1:])

    return signature(chosen, types.unliteral(condition), chosen, chosen), emit


def _strong(operation: str) -> Definition:
    """The definition of the strong form of LLVM's operation: 0 where the first operand is 0."""

    def definition(_: Any, left: Any, right: Any) -> tuple[Any, Code] | None:
        return (signature(left, left, right), emit) if left == right == types.float64 else None

    def emit(_context: Any, builder: Any, _: Any, args: Any) -> Any:
        left, right = args
        used = builder.fcmp_unordered("!=", left, left.type(0.0))
        return builder.select(used, getattr(builder, operation)(left, right), left)

    return definition


_DEFINITIONS: Mapping[Any, Definition] = {
    np.empty: _empty,
    np.zeros: _zeros,
    np.empty_like: _empty_like,
    np.zeros_like: _zeros_like,
    np.where: _where,
    strong_product: _strong("fmul"),
    strong_quotient: _strong("fdiv"),
}
