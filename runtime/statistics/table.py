"""Which text stands for a function of a distribution, and what of another function it is made of.

The modules of the distributions are imported when a program calls one: with them comes `scipy.special`.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

from backsweep.runtime.statistics import located

Text = Callable[..., Any]

DERIVED: dict[str, tuple[Text, tuple[str, ...]]] = {
    "pdf": (located.exp_of, ("logpdf",)),
    "pmf": (located.exp_of, ("logpmf",)),
    "sf": (located.rest_of, ("cdf",)),
    "logcdf": (located.log_of, ("cdf", "sf")),
    "logsf": (located.log_of, ("sf", "cdf")),
    "isf": (located.of_the_rest, ("ppf",)),
}
"""For a function that a distribution may have no text of its own for: how it follows from others."""

PLACED: dict[str, Text] = {
    "pdf": located.moved_density,
    "logpdf": located.moved_log_density,
    "cdf": located.moved_distribution,
    "sf": located.moved_distribution,
    "logcdf": located.moved_distribution,
    "logsf": located.moved_distribution,
    "ppf": located.moved_quantile,
    "isf": located.moved_quantile,
}
"""For a function of a continuous distribution: what it is at a place and of a scale."""

WHOLE = ("multivariate_normal", "multivariate_t", "dirichlet", "multinomial")
"""Distributions of vectors, whose functions have all of SciPy's parameters."""


def found(name: str, method: str) -> Text | None:
    """The text of a function of the distribution that SciPy calls `name`; None if there is none."""
    for module in (
        "on_the_line",
        "on_a_part",
        "truncated",
        "further",
        "tails",
        "discrete",
        "several_variables",
    ):
        texts = vars(importlib.import_module(f"backsweep.runtime.statistics.{module}"))
        text: Text | None = texts.get(f"{name}_{method}")
        if text is not None:
            return text
    if method not in DERIVED:
        return None
    step, others = DERIVED[method]
    before = [found(name, other) for other in others]
    return None if None in before else functools.partial(step, *before)
