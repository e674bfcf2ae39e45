"""Integrals of a function over an interval, by Gauss-Kronrod rules on intervals that are halved where the error is largest.

The intervals are found first and held constant; the integral is the sum over their nodes, so that its derivative is the sum
of the derivatives at these nodes. What an end of the range contributes is the integral over a sliver of no width.

Source: R. Piessens, E. de Doncker-Kapenga, C. Ueberhuber, D. Kahaner, QUADPACK (1983), the rules of 21 and 15 points, the
estimate of the error, the order of halving, and the ranges of infinite length. Extrapolation is left out: intervals at a
singularity are halved until their share is below the tolerance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from backsweep.runtime.support.compiled import inlined
from backsweep.runtime.support.marks import stop_gradient

Integrand = Callable[..., Any]
MORE_HALVINGS = 20
"""How often SciPy's limit ours is: without extrapolation, a singularity takes more intervals."""
EPS = 2.220446049250313e-16
TINY = 2.2250738585072014e-308
NOT_REACHED = (
    "the integral does not reach its tolerance: split the range where the function is singular, "
    "or raise limit, epsabs or epsrel"
)


def _rule(*rows: tuple[float, float, float]) -> np.ndarray[Any, Any]:
    """The rule with these rows right of the centre: node, weight, and the weight of Gauss's rule, which takes every other node."""
    right = np.array(rows)
    return np.concatenate((right, right[-2::-1] * (-1.0, 1.0, 1.0)))


RULE_21 = _rule(
    (0.9956571630258081, 0.011694638867371874, 0.0),
    (0.9739065285171717, 0.032558162307964725, 0.06667134430868814),
    (0.9301574913557082, 0.054755896574351995, 0.0),
    (0.8650633666889845, 0.07503967481091996, 0.1494513491505806),
    (0.7808177265864169, 0.0931254545836976, 0.0),
    (0.6794095682990244, 0.10938715880229764, 0.21908636251598204),
    (0.5627571346686047, 0.12349197626206584, 0.0),
    (0.4333953941292472, 0.13470921731147334, 0.26926671930999635),
    (0.2943928627014602, 0.14277593857706009, 0.0),
    (0.14887433898163122, 0.14773910490133849, 0.29552422471475287),
    (0.0, 0.1494455540029169, 0.0),
)
RULE_15 = _rule(
    (0.9914553711208126, 0.022935322010529224, 0.0),
    (0.9491079123427585, 0.06309209262997856, 0.1294849661688697),
    (0.8648644233597691, 0.10479001032225019, 0.0),
    (0.7415311855993945, 0.14065325971552592, 0.27970539148927664),
    (0.5860872354676911, 0.1690047266392679, 0.0),
    (0.4058451513773972, 0.19035057806478542, 0.3818300505051189),
    (0.20778495500789848, 0.20443294007529889, 0.0),
    (0.0, 0.20948214108472782, 0.4179591836734694),
)
GAUSS_3 = np.array(
    [
        (0.1127016653792583, 0.2777777777777778),
        (0.5, 0.4444444444444444),
        (0.8872983346207417, 0.2777777777777778),
    ]
)
"""Gauss's rule of three points on the range from 0 to 1, exact for polynomials of degree five."""


@inlined
def intervals(integrand: Integrand, breaks, rule, epsabs, epsrel, limit):
    """The ends of the intervals on which the rule gives the integral to the tolerance, and the estimate of the error."""
    count = len(breaks) - 1
    most = max(MORE_HALVINGS * limit, count)
    lower, upper = np.zeros(most), np.zeros(most)
    values, errors, sizes = np.zeros(most), np.zeros(most), np.zeros(most)
    for place in range(count):
        lower[place], upper[place] = breaks[place], breaks[place + 1]
    at = np.zeros(len(rule))
    first, step = 0, 1
    while True:
        for place in range(first, count, step):
            centre = 0.5 * (lower[place] + upper[place])
            half = 0.5 * (upper[place] - lower[place])
            value, rough, size, spread = 0.0, 0.0, 0.0, 0.0
            for k in range(len(rule)):
                at[k] = integrand(centre + half * rule[k, 0])
                value += rule[k, 1] * at[k]
                rough += rule[k, 2] * at[k]
                size += rule[k, 1] * abs(at[k])
            for k in range(len(rule)):
                spread += rule[k, 1] * abs(at[k] - 0.5 * value)
            size *= abs(half)
            spread *= abs(half)
            error = abs(half * (value - rough))
            if spread != 0.0 and error != 0.0:
                error = spread * min(1.0, (200.0 * error / spread) ** 1.5)
            if size > TINY / (50.0 * EPS):
                error = max(50.0 * EPS * size, error)
            values[place], errors[place], sizes[place] = half * value, error, size
        total, error, size = np.sum(values[:count]), np.sum(errors[:count]), np.sum(sizes[:count])
        if error <= max(epsabs, epsrel * abs(total), 100.0 * EPS * size) and error < math.inf:
            break
        worst = int(np.argmax(errors[:count]))
        middle = 0.5 * (lower[worst] + upper[worst])
        width = abs(upper[worst] - lower[worst])
        is_short = width <= 4.0 * EPS * abs(middle) or width < 1e4 * TINY
        if count == most or is_short or not error < math.inf:
            raise ValueError(NOT_REACHED)
        lower[count], upper[count] = middle, upper[worst]
        upper[worst] = middle
        first, step, count = worst, count - worst, count + 1
    return lower[:count], upper[:count], error


@inlined
def over_intervals(integrand: Integrand, breaks, rule, epsabs, epsrel, limit):
    """The integral, and the estimate of its error: the sum over the intervals that are found, which are constant."""
    found = intervals(integrand, breaks, rule, epsabs, epsrel, limit)
    lower, upper, error = stop_gradient(found[0]), stop_gradient(found[1]), stop_gradient(found[2])
    total = 0.0
    for place in range(len(lower)):
        centre = 0.5 * (lower[place] + upper[place])
        half = 0.5 * (upper[place] - lower[place])
        for k in range(len(rule)):
            total += half * rule[k, 1] * integrand(centre + half * rule[k, 0])
    return total, error


@inlined
def held(end):
    """An end of the range, held constant."""
    end = float(end)
    if math.isinf(end):
        raise ValueError("write an infinite end of an integral where it is called, as np.inf")
    return stop_gradient(end)


@inlined
def finite(func: Integrand, a, b, args, *tolerances):
    """The integral between two ends."""
    return over_intervals(lambda x: func(x, *args), (a, b), RULE_21, *tolerances)


@inlined
def with_points(func: Integrand, a, b, args, points, *tolerances):
    """The integral between two ends, with breaks where the function is not smooth."""
    inner = np.unique(stop_gradient(np.asarray(points).astype(np.float64)))
    inner = inner[(inner > min(a, b)) & (inner < max(a, b))]
    if a > b:
        inner = inner[::-1]
    breaks = np.concatenate((np.array([a]), inner, np.array([b])))
    return over_intervals(lambda x: func(x, *args), breaks, RULE_21, *tolerances)


@inlined
def from_end(func: Integrand, a, args, *tolerances):
    """The integral from an end to infinity."""
    return over_intervals(
        lambda t: func(a + (1.0 - t) / t, *args) / (t * t), (0.0, 1.0), RULE_15, *tolerances
    )


@inlined
def to_end(func: Integrand, b, args, *tolerances):
    """The integral from minus infinity to an end."""
    return over_intervals(
        lambda t: func(b - (1.0 - t) / t, *args) / (t * t), (0.0, 1.0), RULE_15, *tolerances
    )


@inlined
def everywhere(func: Integrand, args, *tolerances):
    """The integral over all numbers."""
    return over_intervals(
        lambda t: (func((1.0 - t) / t, *args) + func((t - 1.0) / t, *args)) / (t * t),
        (0.0, 1.0),
        RULE_15,
        *tolerances,
    )


@inlined
def beside_end(func: Integrand, end, start, args):
    """The integral from an end, held constant, to this end: zero, with the derivatives of an integral by its upper end.

    They are right up to order six. Where the function is not finite, neither are they.
    """
    width = end - start
    total = 0.0
    for k in range(len(GAUSS_3)):
        total += width * GAUSS_3[k, 1] * func(start + width * GAUSS_3[k, 0], *args)
    if not math.isfinite(total):
        total = np.sqrt(abs(width))
    return total


@inlined
def vector_beside_end(func: Integrand, end, start, args):
    """The same of a function whose values are arrays."""
    sample = func(start, *args)
    if np.ndim(sample) == 0:
        return beside_end(func, end, start, args)
    width = end - start
    total = np.zeros(np.shape(sample))
    for k in range(len(GAUSS_3)):
        total = total + width * GAUSS_3[k, 1] * func(start + width * GAUSS_3[k, 0], *args)
    if not np.all(np.isfinite(total)):
        total = np.zeros(np.shape(sample)) + np.sqrt(abs(width))
    return total


@inlined
def turned(found):
    """The integral in the other direction."""
    value, error = found
    return -value, error


@inlined
def plus(found, sliver):
    """The integral with what its upper end contributes."""
    value, error = found
    return value + sliver, error


@inlined
def less(found, sliver):
    """The integral with what its lower end contributes."""
    value, error = found
    return value - sliver, error


@inlined
def vector(func: Integrand, a, b, args, *options):
    """The integral of a function whose values are arrays, and the estimate of its error in a norm."""
    return over_vectors(lambda x: func(x, *args), a, b, RULE_21, *options)


@inlined
def vector_from_end(func: Integrand, a, args, *options):
    """The same from an end to infinity."""
    return over_vectors(lambda t: func(a + (1.0 - t) / t, *args) / (t * t), 0.0, 1.0, RULE_15, *options)


@inlined
def vector_to_end(func: Integrand, b, args, *options):
    """The same from minus infinity to an end."""
    return over_vectors(lambda t: func(b - (1.0 - t) / t, *args) / (t * t), 0.0, 1.0, RULE_15, *options)


@inlined
def vector_everywhere(func: Integrand, args, *options):
    """The same over all numbers."""
    return over_vectors(
        lambda t: (func((1.0 - t) / t, *args) + func((t - 1.0) / t, *args)) / (t * t),
        0.0,
        1.0,
        RULE_15,
        *options,
    )


@inlined
def over_vectors(integrand: Integrand, a, b, rule, size_of: Integrand, epsabs, epsrel, limit):
    """The sum over the intervals that are found, and the estimate of the error."""
    sample = integrand(0.5 * (a + b))
    if np.ndim(sample) == 0:
        return over_intervals(integrand, (a, b), rule, epsabs, epsrel, limit)
    found = vector_intervals(integrand, a, b, np.size(sample), rule, size_of, epsabs, epsrel, limit)
    lower, upper, error = stop_gradient(found[0]), stop_gradient(found[1]), stop_gradient(found[2])
    total = np.zeros(np.shape(sample))
    for place in range(len(lower)):
        centre = 0.5 * (lower[place] + upper[place])
        half = 0.5 * (upper[place] - lower[place])
        for k in range(len(rule)):
            total = total + half * rule[k, 1] * integrand(centre + half * rule[k, 0])
    return total, error


@inlined
def vector_intervals(integrand: Integrand, a, b, entries, rule, size_of: Integrand, epsabs, epsrel, limit):
    """The ends of the intervals, and the estimate of the error."""
    count = 1
    lower, upper, errors = np.zeros(limit + 1), np.zeros(limit + 1), np.zeros(limit + 1)
    values = np.zeros((limit + 1, entries))
    lower[0], upper[0] = a, b
    at = np.zeros((len(rule), entries))
    first, step = 0, 1
    while True:
        for place in range(first, count, step):
            centre = 0.5 * (lower[place] + upper[place])
            half = 0.5 * (upper[place] - lower[place])
            value, rough, spread = np.zeros(entries), np.zeros(entries), np.zeros(entries)
            for k in range(len(rule)):
                at[k] = np.ravel(integrand(centre + half * rule[k, 0]))
                value += rule[k, 1] * at[k]
                rough += rule[k, 2] * at[k]
            for k in range(len(rule)):
                spread += rule[k, 1] * np.abs(at[k] - 0.5 * value)
            error = size_of(half * (value - rough))
            most = size_of(half * spread)
            if most != 0.0 and error != 0.0:
                error = most * min(1.0, (200.0 * error / most) ** 1.5)
            values[place] = half * value
            errors[place] = error
        size, error = size_of(np.sum(values[:count], axis=0)), np.sum(errors[:count])
        if error <= max(epsabs, epsrel * size, 100.0 * EPS * size) and error < math.inf:
            break
        worst = int(np.argmax(errors[:count]))
        middle = 0.5 * (lower[worst] + upper[worst])
        is_short = abs(upper[worst] - lower[worst]) <= 4.0 * EPS * abs(middle)
        if count > limit or is_short or not error < math.inf:
            raise ValueError(NOT_REACHED)
        lower[count], upper[count] = middle, upper[worst]
        upper[worst] = middle
        first, step, count = worst, count - worst, count + 1
    return lower[:count], upper[:count], error


@inlined
def euclidean(x):
    """The root of the sum of squares."""
    return np.sqrt(np.sum(x * x))


@inlined
def largest(x):
    """The largest size of an entry."""
    return np.max(np.abs(x))


@inlined
def always(value, *_where):
    """An end of a range that is the same everywhere."""
    return value


@inlined
def double(quad, func: Integrand, a, b, gfun, hfun, args, epsabs, epsrel):
    """The integral of `func(y, x)` with y between functions of x."""
    return quad(
        lambda x: quad(lambda y: func(y, x, *args), gfun(x), hfun(x), epsabs=epsabs, epsrel=epsrel)[0],
        a,
        b,
        epsabs=epsabs,
        epsrel=epsrel,
    )


@inlined
def triple(quad, dblquad, func: Integrand, a, b, gfun, hfun, qfun, rfun, args, epsabs, epsrel):
    """The integral of `func(z, y, x)` with z between functions of x and y."""
    return dblquad(
        lambda y, x: quad(
            lambda z: func(z, y, x, *args), qfun(x, y), rfun(x, y), epsabs=epsabs, epsrel=epsrel
        )[0],
        a,
        b,
        gfun,
        hfun,
        epsabs=epsabs,
        epsrel=epsrel,
    )


Texts = Mapping[tuple[int, int], Callable[..., Any]]
RANGES: Texts = {(0, 0): finite, (0, 1): from_end, (-1, 0): to_end, (-1, 1): everywhere}
"""The text for a range, by the signs of its infinite ends."""
RANGES_OF_VECTORS: Texts = {
    (0, 0): vector,
    (0, 1): vector_from_end,
    (-1, 0): vector_to_end,
    (-1, 1): vector_everywhere,
}
"""The same for functions whose values are arrays."""
