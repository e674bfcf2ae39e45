"""What compiled code has Python do: it makes generators of random numbers, formats texts, and warns."""

from __future__ import annotations

import functools
import inspect
import pkgutil
import warnings
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.extending import overload, overload_method

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


BY_PYTHON = {
    "gumbel": "float64",
    "vonmises": "float64",
    "hypergeometric": "int64",
    "choice": "int64",
    "permuted": "int64",
    "multinomial": "int64 vector",
    "dirichlet": "float64 vector",
    "multivariate_normal": "float64 vector",
}
"""The methods of generators that Numba lacks and Python runs, with what they draw for each entry of `size`."""
_METHOD = """
def types_of(inst, {parameters}):
    drawn = draws(name, {size})
    if drawn is None:
        return None
    def implementation(inst, {parameters}):
        return drawn(inst, {passed})
    return implementation
"""
_DRAWS = """
def drawn(rng, {parameters}):
    with objmode(found=result_type):
        found = convert(rng.{name}({given}))
    return found
"""


def _methods_by_python() -> None:
    """Have Numba compile calls of these methods: machine code enters Python, so that they draw what they draw there."""
    for name in BY_PYTHON:
        found = inspect.signature(getattr(np.random.Generator, name)).parameters
        parameters = [each for each in found.values() if each.name not in ("self", "out")]
        plain = [each.replace(kind=inspect.Parameter.POSITIONAL_OR_KEYWORD) for each in parameters]
        text = _METHOD.format(
            parameters=", ".join(map(str, plain)),
            passed=", ".join(each.name for each in plain),
            size="size" if "size" in found else "x",
        )
        namespace: dict[str, Any] = {"draws": _drawn_by_python, "name": name, "__name__": __name__}
        exec(text, namespace)  # noqa: S102  our own text
        overload_method(type(GENERATOR), name)(namespace["types_of"])


@functools.cache
def _drawn_by_python(name: str, size: Any) -> Any:
    """The function that draws by Python for a type of `size`, or of what is permuted; None for other types."""
    size = types.unliteral(getattr(size, "value", size))
    kind, _, vector = BY_PYTHON[name].partition(" ")
    if size in (None, types.none):
        ndim = 0
    elif isinstance(size, types.Integer):
        ndim = 1
    elif isinstance(size, types.UniTuple) and isinstance(size.dtype, types.Integer):
        ndim = len(size)
    elif name == "permuted" and isinstance(size, types.Array) and isinstance(size.dtype, types.Integer):
        ndim = size.ndim
    else:
        return None
    ndim += bool(vector)
    number = getattr(types, kind)
    found = inspect.signature(getattr(np.random.Generator, name)).parameters
    names = [each for each in found if each not in ("self", "out")]
    given = [
        f"{each}={each}" if found[each].kind is inspect.Parameter.KEYWORD_ONLY else each for each in names
    ]
    namespace = {
        "objmode": numba.objmode,
        "result_type": types.Array(number, ndim, "C") if ndim else number,
        "convert": np.ascontiguousarray if ndim else {"int64": int, "float64": float}[kind],
    }
    text = _DRAWS.format(parameters=", ".join(names), name=name, given=", ".join(given))
    exec(text, namespace)  # noqa: S102  our own text
    return numba.njit(namespace["drawn"])


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
        *BY_PYTHON,
    ]
}
"""The methods of generators that draw numbers of a distribution, with their names."""
_methods_by_python()


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


def warned(text: str, category: str) -> None:
    """Issue a warning of the class of this name, as in `"builtins:RuntimeWarning"`; a filter may make it an error."""
    warnings.warn(text, pkgutil.resolve_name(category), stacklevel=2)


warned.declared = {"need": "asked"}  # type: ignore[attr-defined]
warned.shown = True  # type: ignore[attr-defined]  # once, as what is printed


@numba.njit
def _warned(text: str, category: str) -> None:
    with numba.objmode():
        warned(text, category)


@overload(warned)
def _overload_warned(text: Any, category: Any) -> Callable[..., Any]:  # noqa: ARG001
    def implementation(text: Any, category: Any) -> None:
        _warned(text, category)

    return implementation
