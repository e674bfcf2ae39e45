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

OF_LOGARITHMS: dict[str, tuple[tuple[Text, str], ...]] = {
    "cdf": ((located.exp_of, "logcdf"), (located.rest_of_exp, "logsf")),
    "sf": ((located.exp_of, "logsf"), (located.rest_of_exp, "logcdf")),
}
"""How a distribution function follows from a logarithm that the distribution has a text for, which is best in the tails."""

SYMMETRIC = ("cauchy", "gennorm", "hypsecant", "laplace", "logistic", "norm", "t")
MIRRORED: dict[str, tuple[Text, tuple[str, ...]]] = {
    "sf": (located.mirrored, ("cdf",)),
    "logsf": (located.mirrored, ("logcdf",)),
    "isf": (located.negated, ("ppf",)),
}
"""The functions of symmetric distributions that follow from others."""

MADE_OF = {
    "burr12": "expon",
    "chi": "gamma",
    "chi2": "gamma",
    "fisk": "logistic",
    "gompertz": "expon",
    "gumbel_l": "expon",
    "johnsonsu": "norm",
    "lognorm": "norm",
    "lomax": "expon",
    "maxwell": "gamma",
    "nakagami": "gamma",
    "pareto": "expon",
    "rayleigh": "expon",
    "weibull_min": "expon",
}
FALLING_OF = {
    "gumbel_r": "expon",
    "invweibull": "expon",
    "levy": "halfnorm",
    "moyal": "halfnorm",
    "weibull_max": "expon",
}
"""Distributions of what grows, or falls, with a number of another distribution: each has texts `_by` and `_back`."""
OTHER_END = {"cdf": "sf", "sf": "cdf", "logcdf": "logsf", "logsf": "logcdf", "ppf": "isf", "isf": "ppf"}

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
    own = _own(name, method)
    if own is not None:
        return own
    if method in OTHER_END and (name in MADE_OF or name in FALLING_OF):
        return _by_another(name, method)
    if name in SYMMETRIC and method in MIRRORED:
        return _derived(name, *MIRRORED[method])
    for step, logarithm in OF_LOGARITHMS.get(method, ()):
        if _own(name, logarithm) is not None:
            return _derived(name, step, (logarithm,))
    return _derived(name, *DERIVED[method]) if method in DERIVED else None


def _own(name: str, method: str) -> Text | None:
    """The text that a distribution has for a function."""
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
    return None


def _by_another(name: str, method: str) -> Text:
    """A function of a distribution that is made of another one."""
    falls = name in FALLING_OF
    text = _own(name, "back" if method in ("ppf", "isf") else "by")
    other = found(FALLING_OF[name] if falls else MADE_OF[name], OTHER_END[method] if falls else method)
    assert text is not None
    assert other is not None
    return functools.partial(text, other)


def _derived(name: str, step: Text, others: tuple[str, ...]) -> Text | None:
    """What follows by a step from other functions."""
    before = [found(name, other) for other in others]
    return None if None in before else functools.partial(step, *before)
