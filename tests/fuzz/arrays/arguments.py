"""How the arrays of a call lie in memory: made anew for each call, and told as Python text.

A form is "" for an array as NumPy makes it, "F" (columns first), "strided", "reversed", "readonly", or "is x": the very
array that is the argument `x`, or "beside x": a part of the memory of `x` and a neighbour of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.fuzz.program import Program

FORMS = ("F", "strided", "reversed", "readonly")


def realised(program: Program, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """New arguments of these values, which lie in memory as the program's forms say."""
    made: dict[str, Any] = {}
    forms = program.forms or ("",) * len(args)
    for name, value, form in zip(program.parameters, args, forms, strict=True):
        made[name] = laid(value, form, made)
    return tuple(made.values())


def laid(value: Any, form: str, others: dict[str, Any]) -> Any:
    """The value in one form; as it is where the form fits neither it nor the other argument."""
    if not isinstance(value, np.ndarray):
        return value
    if form.startswith("is "):
        other = others[form.removeprefix("is ")]
        return other if (other.shape, other.dtype) == (value.shape, value.dtype) else value.copy()
    if value.ndim == 0:
        return value.copy()
    match form:
        case "F":
            return np.array(value, order="F")
        case "strided":
            spaced = np.zeros((2 * value.shape[0], *value.shape[1:]), value.dtype)
            spaced[::2] = value
            return spaced[::2]
        case "reversed":
            return value[::-1].copy()[::-1]
        case "readonly":
            kept = value.copy()
            kept.flags.writeable = False
            return kept
        case _:
            return value.copy()


def as_text(program: Program) -> str:
    """The calls of the program as Python text."""
    calls = (program.args, *program.settings)
    forms = program.forms or ("",) * len(program.args)
    lines = []
    for number, args in enumerate(calls):
        lines += [f"# call {number + 1} of {len(calls)}"] if len(calls) > 1 else []
        lines += [
            f"{name} = {text_of(value, form)}"
            for name, value, form in zip(program.parameters, args, forms, strict=True)
        ]
    return "\n".join(lines)


def text_of(value: Any, form: str) -> str:
    """An argument as Python text."""
    if not isinstance(value, np.ndarray):
        return repr(value)
    if form.startswith("is "):
        return f"{form.removeprefix('is ')}  # the same array, of shape {value.shape}"
    plain = f"np.array({value.tolist()!r})"
    if value.size == 0:
        plain = f"np.zeros({value.shape!r})"
    if value.dtype not in (np.float64, np.int64, np.complex128):
        plain += f".astype(np.{value.dtype})"
    match form:
        case "F":
            return f"np.asfortranarray({plain})"
        case "strided":
            return f"np.repeat({plain}, 2, axis=0)[::2]"
        case "reversed":
            return f"{plain}[::-1].copy()[::-1]"
        case "readonly":
            return f"{plain}  # read-only"
        case _:
            return plain
