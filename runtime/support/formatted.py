"""Texts of f-strings, which Python formats; compiled code enters Python for that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba.core import types
from numba.extending import overload


def formatted(pattern: str, values: Any) -> str:
    """`pattern.format(*values)`.

    >>> formatted("{:.2f} of {}", (0.5, 3))
    '0.50 of 3'
    """
    return pattern.format(*values)


formatted.declared = {"need": "nothing"}  # type: ignore[attr-defined]  # what the compiler asks of each runtime function


@numba.njit
def _formatted(pattern: str, values: Any) -> str:
    with numba.objmode(text=types.unicode_type):
        text = pattern.format(*values)
    return text  # noqa: RET504  what object mode sets is named


@overload(formatted)
def _overload_formatted(pattern: Any, values: Any) -> Callable[..., Any]:  # noqa: ARG001
    def implementation(pattern: Any, values: Any) -> Any:
        return _formatted(pattern, values)

    return implementation
