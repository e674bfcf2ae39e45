"""What compiled code has Python do: it makes generators of random numbers, and formats texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.extending import overload

GENERATOR = numba.typeof(np.random.default_rng(0))
"""Numba's type of a generator."""


@numba.njit
def _made(seed: Any) -> Any:
    with numba.objmode(generator=GENERATOR):
        generator = np.random.default_rng(seed)
    return generator  # noqa: RET504  what object mode sets is named


@overload(np.random.default_rng)
def _default_rng(seed: Any = None) -> Callable[..., Any]:  # noqa: ARG001
    def implementation(seed: Any = None) -> Any:
        return _made(seed)

    return implementation


DRAWS = {
    getattr(np.random.Generator, name): name
    for name in [
        "integers",
        "random",
        "standard_exponential",
        "standard_normal",
        "standard_gamma",
        "normal",
        "uniform",
        "exponential",
        "gamma",
        "beta",
        "f",
        "chisquare",
        "standard_cauchy",
        "pareto",
        "weibull",
        "power",
        "laplace",
        "logistic",
        "lognormal",
        "rayleigh",
        "standard_t",
        "wald",
        "geometric",
        "zipf",
        "triangular",
        "poisson",
        "negative_binomial",
        "noncentral_chisquare",
        "noncentral_f",
        "logseries",
        "binomial",
        "permutation",
    ]
}
"""The methods of generators that draw numbers of a distribution, which Numba has, with their names."""


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
