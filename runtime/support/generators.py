"""Generators of random numbers: Numba draws from those that it is given, and has Python make one from a seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
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
    ]
}
"""The methods of generators that draw numbers of a distribution, which Numba has, with their names."""
