"""What the functions of samples have in common: the parts of a call, and lines along one axis."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable

import numpy as np
from numba.core import types
from numba.core.registry import cpu_target

from backsweep.runtime.overloads.forms import (
    NumbaType,
    is_array,
    is_complex,
    is_listed,
    is_none,
    is_single,
    literal,
    refused,
)
from backsweep.runtime.overloads.texts import INDICES, Typing, from_list, stands_for


def taken_note_of() -> None:
    """Have Numba take note of overloads, which it was given when their module was imported."""
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()


ARRAYS = frozenset(
    [
        "a",
        "b",
        "compare",
        "data",
        "in1",
        "in2",
        "input",
        "pk",
        "qk",
        "scores",
        "u",
        "v",
        "V",
        "w",
        "weights",
        "x",
        "y",
        "zi",
    ]
)
"""The parameters that are arrays wherever a function of SciPy's has them here; programs may give lists of numbers for vectors."""


def of_samples(*functions, **names) -> Callable[[Typing], Typing]:
    """Give Numba the decorated overload, as `stands_for` does; what is a list for the program is a vector for the overload."""

    def register(body: Typing) -> Typing:
        signature = inspect.signature(body)

        @functools.wraps(body)
        def of_vectors(*args, **kwargs) -> str | None:
            bound = signature.bind(*args, **kwargs)
            head = ""
            for name in sorted(ARRAYS & bound.arguments.keys()):
                given = bound.arguments[name]
                if is_listed(given):
                    head += from_list(name, given)
                elif isinstance(given, types.List) and isinstance(given.dtype, types.Integer | types.Float):
                    head += f"{name} = np.array({name}) * 1.0\n"
                else:
                    continue
                bound.arguments[name] = types.Array(types.float64, 1, "C")
            text = body(*bound.args, **bound.kwargs)
            return None if text is None else head + text.lstrip("\n")

        stands_for(*functions, **names)(of_vectors)
        return body

    return register


def line_of(array: str, axis: int, ndim: int) -> str:
    """The text of one line of an array along an axis, within the loops over the others."""
    if ndim == 1:
        return array
    return f"{array}[{', '.join(':' if each == axis else INDICES[each] for each in range(ndim))}]"


def part_of(array: str, axis: int, part: str) -> str:
    """The text of a part of an array along an axis."""
    return f"{array}[{', '.join([':'] * axis + [part])}]"


def spread(vector: str, axis: int, ndim: int) -> str:
    """The text of a vector along an axis, which broadcasts with an array."""
    return (
        vector if axis == ndim - 1 else f"{vector}[{', '.join([':'] + ['np.newaxis'] * (ndim - 1 - axis))}]"
    )


def is_sampled(function: str, type_: NumbaType) -> bool:
    """Whether an argument is an array of numbers of double precision or whole numbers; others are refused."""
    if not is_array(type_):
        return False
    if is_single(type_) or isinstance(type_.dtype, types.Boolean):
        raise refused(
            f"`{function}` is supported for numbers of double precision",
            "convert first: x.astype(np.float64).",
        )
    return True


def kind_of(*given: NumbaType):
    """The dtype of what is computed by divisions of these arrays: of floats or complex numbers."""
    return np.complex128 if any(is_array(each) and is_complex(each) for each in given) else np.float64


def is_number(type_: NumbaType) -> bool:
    """Whether an argument is a number, written or not."""
    if isinstance(type_, types.Omitted):
        return isinstance(type_.value, int | float | complex)
    return isinstance(type_, types.Number | types.Boolean | int | float)


def option(function: str, name: str, given: NumbaType, *allowed):
    """The value of an option that must be written as a literal, one of those allowed if any are named."""
    value = None if is_none(given) else literal(given)
    if value is None and not is_none(given):
        raise refused(
            f"`{name}` of `{function}` is known only when the program runs", "write it as a literal."
        )
    if allowed and value not in allowed:
        named = ", ".join(map(repr, allowed))
        raise refused(f"`{function}` is not supported with {name}={value!r}", f"write one of {named}.")
    return value
