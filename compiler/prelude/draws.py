"""Draw random numbers: the value and each derivative draw what the function draws, once, in the forward sweep.

Where parameters of a distribution are no literals, its numbers are a function of them and of numbers of a distribution without
parameters, as NumPy computes them: `loc + scale * rng.standard_normal()`. So they have derivatives.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.random import Generator

from backsweep.prelude.arrays.entries import entry, first_array
from backsweep.prelude.declare import (
    as_array,
    core,
    has_array,
    in_order,
    is_compiled,
    is_known,
    means,
    refuse,
)


def _draw(self, name: str, *given, size=None, **options):
    """What a method of a generator draws, or the function of that name, where `self` is `np.random`."""
    if size is not None:
        options = {"size": size, **options}
    if is_known(self):
        return core(getattr(np.random, name))(*given, **options)
    return core(getattr(Generator, name))(self, *given, **options)


def _extents(parameters, size):
    """The shape of what is drawn for parameters that are arrays."""
    if size is None:
        return np.shape(_total(parameters))
    return size if isinstance(size, tuple) else (size,)


def _total(parameters):
    """The sum of all, whose shape is that of all together."""
    return parameters[0] if len(parameters) == 1 else parameters[0] + _total(parameters[1:])


def _each(self, name: str, parameters, extents):
    """A number drawn for each entry of parameters that are arrays, in NumPy's order."""
    flat = tuple(
        [np.ravel(np.broadcast_to(each, extents)) if np.ndim(each) > 0 else each for each in parameters]
    )
    count = len(first_array(flat, 0))
    drawn = [_draw(self, name, *[entry(each, k) for each in flat]) for k in range(count)]
    return np.reshape(np.array(drawn), extents)


def _of_entries(name: str, self, *given, **named):
    """The numbers of a distribution: those of its method; of parameters that are arrays, a number for each entry."""
    self, *parameters, size = in_order(getattr(Generator, name), self, *given, **named)
    if not has_array(*parameters):
        return _draw(self, name, *parameters, size=size)
    return _each(self, name, parameters, _extents(parameters, size))


def _of_standard(name: str, family, self, *given, **named):
    """The numbers of a distribution as a function of its parameters and of what another one draws."""
    self, *parameters, size = in_order(getattr(Generator, name), self, *given, **named)
    has_arrays = has_array(*parameters)
    if is_known(*parameters) and not has_arrays:
        return _draw(self, name, *parameters, size=size)
    numbers, check, drawn, *fixed = family
    if not is_compiled():  # Numba's functions raise nothing
        check(*parameters)
    extents = _extents(parameters, size) if has_arrays else size
    if name == "gamma" and np.ndim(parameters[0]) > 0:
        z = _each(self, "standard_gamma", parameters[:1], extents)
    else:
        z = _draw(self, drawn, *(parameters[:1] if name == "gamma" else fixed), size=extents)
    if has_arrays and size is not None:  # NumPy raises an error for a parameter that does not fit
        parameters = [np.broadcast_to(each, extents) if np.ndim(each) > 0 else each for each in parameters]
    return numbers(z, *parameters)


def _placed(z, loc, scale):
    return loc + scale * z


def _between(z, low, high):
    return low + (high - low) * z


def _scaled(z, scale):
    return scale * z


def _last_scaled(z, _shape, scale):
    return scale * z


def _exponential(z, mean, sigma):
    return np.exp(mean + sigma * z)


def _weibull(z, a):
    return z ** (1.0 / a)


def _pareto(z, a):
    return np.expm1(z / a)


def _power(z, a):
    return (-np.expm1(-z)) ** (1.0 / a)


def _scale(*parameters) -> None:
    if _is_any(parameters[-1] < 0.0):
        raise ValueError("scale < 0")


def _sigma(_mean, sigma) -> None:
    if _is_any(sigma < 0.0):
        raise ValueError("sigma < 0")


def _width(low, high) -> None:
    if _is_any(high - low < 0.0):
        raise ValueError("high - low < 0")


def _exponent(a) -> None:
    if _is_any(a <= 0.0):
        raise ValueError("a <= 0")


def _is_any(truth):
    """Whether a condition holds, or holds for an entry."""
    return np.any(truth) if has_array(truth) else truth


FAMILIES: dict[str, tuple[Any, ...]] = {
    "normal": (_placed, _scale, "standard_normal"),
    "uniform": (_between, _width, "random"),
    "exponential": (_scaled, _scale, "standard_exponential"),
    "gamma": (_last_scaled, _scale, "standard_gamma"),
    "laplace": (_placed, _scale, "laplace", 0.0, 1.0),
    "logistic": (_placed, _scale, "logistic", 0.0, 1.0),
    "gumbel": (_placed, _scale, "gumbel", 0.0, 1.0),
    "lognormal": (_exponential, _sigma, "standard_normal"),
    "rayleigh": (_scaled, _scale, "rayleigh", 1.0),
    "weibull": (_weibull, _exponent, "standard_exponential"),
    "pareto": (_pareto, _exponent, "standard_exponential"),
    "power": (_power, _exponent, "standard_exponential"),
}
"""By the names of methods: the numbers, what NumPy refuses, and what is drawn. Of `gamma`, the shape stays a parameter of what is drawn."""
OF_GENERATORS = ("weibull", "pareto", "power")
"""Those whose numbers `np.random` draws one after the other, as it does those of the distributions below."""
OF_BOTH = ("beta", "binomial", "chisquare", "f", "geometric", "negative_binomial", "poisson", "triangular")
OTHERS = (
    *("hypergeometric", "logseries", "noncentral_chisquare", "noncentral_f", "standard_t", "vonmises"),
    *("wald", "zipf"),
)
for name, family in FAMILIES.items():
    of_standard = functools.partial(_of_standard, name, family)
    means(getattr(Generator, name))(of_standard)
    of_state = functools.partial(_of_entries, name) if name in OF_GENERATORS else of_standard
    means(getattr(np.random, name))(functools.partial(of_state, np.random))
for name in (*OF_BOTH, *OTHERS):
    means(getattr(Generator, name))(functools.partial(_of_entries, name))
    if name in OF_BOTH:
        means(getattr(np.random, name))(functools.partial(_of_entries, name, np.random))


@means(np.random.RandomState)
def random_state(*_given, **_options) -> None:
    """Refused: Numba has no code for the generator that was before `Generator`."""
    refuse(
        "Numba has no code for a `RandomState`",
        "make a generator, rng = np.random.default_rng(seed), which draws rng.integers, rng.normal, rng.uniform, ...",
        "BS106",
    )


@means(Generator.standard_gamma)
def standard_gamma(self, shape, size=None, **options):
    """A number for each entry of shapes that are an array."""
    shape = as_array(shape)
    if has_array(shape):
        return _each(self, "standard_gamma", (shape,), _extents((shape,), size))
    return _draw(self, "standard_gamma", shape, size=size, **options)


@means(Generator.integers)
def integers(self, low, high=None, *given, **named):
    """One bound is the upper one."""
    if np.ndim(low) > 0 or (high is not None and np.ndim(high) > 0):
        refuse(
            "`integers` is given arrays of bounds, of which Numba draws nothing",
            "draw each in a loop, as in rng.integers(low[i], high[i])",
        )
    if high is None:
        return _draw(self, "integers", 0, low, *given, **named)
    return _draw(self, "integers", low, high, *given, **named)


@means(Generator.choice)
def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
    """Entries of an array at drawn places."""
    if not is_known(axis) or axis != 0:
        refuse("`choice` is given an axis", "draw places first: x[:, rng.choice(x.shape[1], size)]")
    a, p = as_array(a), as_array(p)
    options = {} if p is None else {"p": p}
    if not is_known(replace) or not replace:
        options = {"replace": replace, **options}
    if not is_known(shuffle) or not shuffle:
        options = {"shuffle": shuffle, **options}
    places = _draw(self, "choice", a if np.ndim(a) == 0 else len(a), size=size, **options)
    return places if np.ndim(a) == 0 else a[places]


@means(np.random.choice)
def choice_of_state(a, *given, **named):
    """Entries of a vector at the places that it draws of as many numbers."""
    if np.ndim(a) != 1:
        return core(np.random.choice)(a, *given, **named)
    if "p" in named or len(given) > 2:
        refuse(
            "`np.random.choice` has options here that Numba's lacks",
            "draw places first: x[np.random.choice(len(x), size)]",
        )
    return a[core(np.random.choice)(len(a), *given, **named)]


@means(Generator.permutation)
def permutation(self, x, axis=0):
    """The array at permuted places."""
    x = as_array(x)
    if np.ndim(x) == 0:
        return _draw(self, "permutation", x)
    if is_known(axis) and axis == 0:
        return x[_draw(self, "permutation", len(x))]
    return np.take(x, _draw(self, "permutation", x.shape[axis]), axis=axis)


@means(Generator.shuffle)
def shuffle(self, x) -> None:
    """The array holds its entries at permuted places."""
    x[...] = x[_draw(self, "permutation", len(x))]


@means(np.random.shuffle)
def shuffle_of_state(x) -> None:
    """The array holds its entries at permuted places."""
    x[...] = core(np.random.permutation)(x)


@means(Generator.permuted)
def permuted(self, x, *, axis=None, out=None):
    """The entries of the flat array at permuted places."""
    if out is not None:
        refuse("`permuted` is given `out`", "write x[...] = rng.permuted(x)")
    x = as_array(x)
    whole = np.reshape(np.arange(np.size(x)), np.shape(x))
    places = _draw(self, "permuted", whole) if axis is None else _draw(self, "permuted", whole, axis=axis)
    return np.reshape(np.ravel(x)[np.ravel(places)], np.shape(x))


@means(Generator.multivariate_normal)
def multivariate_normal(self, mean, cov, *given, **named):
    """The mean and what is drawn around zero."""
    mean = as_array(mean)
    around = _draw(self, "multivariate_normal", np.zeros(len(mean)), as_array(cov), *given, **named)
    return mean + around
