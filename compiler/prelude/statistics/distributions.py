"""The distributions of `scipy.stats`, also frozen ones. The texts of their functions are in `runtime/statistics/`."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import scipy.stats

from backsweep.prelude.declare import as_real, early, in_order, is_known, refuse, stands_for
from backsweep.runtime.statistics import table
from backsweep.runtime.statistics.located import moved, probability

USUAL = {"loc": 0.0, "scale": 1.0}
"""What parameters are that a call leaves out."""
FROZEN: Any = type(scipy.stats.norm(0.0)).__base__
OF_VECTORS: Any = type(scipy.stats.dirichlet).__base__
"""The classes of distributions with their parameters, and of those of vectors."""


class Distribution:
    """A distribution whose functions get its parameters, after their first argument."""

    def __init__(self, name: str, names) -> None:
        self.name = name
        self.names = names

    def __call__(self, *args, **named):
        """The distribution with its parameters by their names, so that a branch may choose between two of one kind."""
        if self.name in table.WHOLE:
            return OfVectors(self.name, args, named)
        found = in_order(early(_with_parameters, self.name, self.names), *args, **named)
        return Frozen(self.name, self.names, found)

    def __getattr__(self, method: str):
        """A function of the distribution."""
        return functools.partial(_of_parameters, self.name, self.names, method)


class Frozen:
    """A distribution with its parameters: its shapes, its place, and the scale of one that is continuous."""

    def __init__(self, name: str, names, parameters) -> None:
        self.name = name
        self.names = names
        self.parameters = dict(zip(names, parameters, strict=True))

    def __getattr__(self, method: str):
        """A function of the distribution."""
        return functools.partial(_of_parameters, self.name, self.names, method, **self.parameters)


class OfVectors:
    """A distribution of vectors with its parameters."""

    def __init__(self, name: str, args, named) -> None:
        self.name = name
        self.args = args
        self.named = named

    def __getattr__(self, method: str):
        """A function of the distribution."""
        return functools.partial(_of_vectors, _text(self.name, method), self.args, self.named)


def _of_vectors(text, parameters, named, x):
    """The value of a function of a distribution of vectors."""
    return text(as_real(x), *parameters, **named)


def _of_parameters(name: str, names, method: str, *args, **named):
    """The value of a function at a place and of a scale, by that of the standard distribution."""
    standard = _text(name, method)
    if name in table.WHOLE:
        return _of_vectors(standard, args[1:], named, args[0]) if args else standard(**named)
    first = "k" if "scale" not in names else "q" if method in ("ppf", "isf") else "x"
    called = early(_with_parameters, f"{name}.{method}", (first, *names))
    found = in_order(called, *args, **named)
    # whole numbers overflow, as in x * x, and unsigned ones have no sign: SciPy makes floats of them
    x, *shapes, loc, scale = [as_real(each) for each in (found if "scale" in names else (*found, 1.0))]
    is_centred = is_known(loc) and loc == 0
    if first == "q":
        x = probability(x)
    if not (is_known(scale) and scale == 1) or (first == "q" and not is_centred):
        return early(table.PLACED.get, method)(standard, x, loc, scale, *shapes)
    return standard(x, *shapes) if is_centred else moved(standard, x, loc, *shapes)


def _with_parameters(called: str, names):
    """A function with these parameters, of those of the distribution all but the shapes may be left out."""

    def function() -> None: ...

    usual = inspect.Parameter.empty
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(each, kind, default=USUAL.get(each, usual)) for each in names]
    function.__name__ = called
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return function


def _text(name: str, method: str):
    """The text of a function of the standard distribution."""
    if not is_known(name):
        refuse(
            "the run chooses between functions of several distributions",
            "call the function in each branch, as in y = norm.logpdf(x) if c else laplace.logpdf(x)",
            "BS112",
        )
    if method == "rvs":
        refuse(
            f"`{name}.rvs` draws random numbers, which it does outside of compiled code",
            "draw them with a generator, as in rng.normal(mu, sigma)",
            "BS202",
        )
    found = early(table.found, name, method)
    if found is None:
        refuse(
            f"there is no derivative for `{name}.{method}` of scipy.stats",
            "write its logarithm of the density out, with functions of scipy.special",
            "BS202",
        )
    return found


@stands_for(scipy.stats.rv_continuous, reads=())
@stands_for(scipy.stats.rv_discrete, reads=())
@stands_for(OF_VECTORS, reads=())
def of_distribution(thing) -> Distribution:
    """A distribution, such as `scipy.stats.norm`."""
    name = getattr(thing, "name", None) or type(thing).__name__.removesuffix("_gen")
    shapes = [each.strip() for each in (getattr(thing, "shapes", None) or "").split(",") if each.strip()]
    scale = () if table.found(name, "logpmf") else ("scale",)
    return Distribution(name, (*shapes, "loc", *scale))


@stands_for(FROZEN, reads=())
def of_frozen(thing) -> Frozen:
    """One with its parameters that is made around the function."""
    made: Frozen = of_distribution(thing.dist)(*thing.args, **thing.kwds)
    return made
