"""Functions of numbers that neither NumPy nor `math` has.

These are the derivatives of `lgamma`, the logistic function, and products and quotients in which zero times anything is
zero. Adjoints and tangents take the latter at singular points. Where an adjoint is exactly zero, nothing of the result
depends on the value, so that an infinite partial derivative contributes nothing; in IEEE arithmetic it contributes nan.
"""

from __future__ import annotations

import inspect
import math

import numpy as np
from numba import types
from numba.extending import overload

from backsweep.runtime.support.compiled import declared, kernel

# B_2k / (2k) of the asymptotic series, k = 1, 2, ...
SERIES = (
    8.333333333333333e-2,
    -8.333333333333333e-3,
    3.968253968253968e-3,
    -4.166666666666667e-3,
    7.575757575757576e-3,
    -2.109279609279609e-2,
    8.333333333333333e-2,
    -4.432598039215686e-1,
)


@kernel
def digamma(x: float) -> float:
    """Derivative of `lgamma`; nan at its poles."""
    if x <= 0.0 and x == math.floor(x):
        return math.nan
    total = 0.0
    if x < 0.0:
        # psi(1 - x) - psi(x) = pi / tan(pi x)
        total = -math.pi / math.tan(math.pi * (x - math.floor(x)))
        x = 1.0 - x
    while x < 10.0:
        total -= 1.0 / x
        x += 1.0
    inverse = 1.0 / (x * x)
    power = inverse
    tail = 0.0
    for coefficient in SERIES:
        tail += coefficient * power
        power *= inverse
    return total + math.log(x) - 0.5 / x - tail


@kernel
def polygamma(order: int, x: float) -> float:
    """Derivative of `digamma` of this order (at least one); infinite or nan at its poles."""
    if x <= 0.0 and x == math.floor(x):
        return math.inf if order % 2 == 1 else math.nan
    factorial = math.gamma(order + 0.0)  # (order - 1)!
    total = 0.0
    while x < 10.0 + order:
        total += factorial * order / x ** (order + 1)
        x += 1.0
    total += factorial / x**order + 0.5 * factorial * order / x ** (order + 1)
    # B_2k (2k + order - 1)! / ((2k)! x^(2k + order)) = (B_2k / 2k) (2k + order - 1)! / ((2k - 1)! x^(2k + order))
    ratio = factorial * order * (order + 1)
    for k in range(1, len(SERIES) + 1):
        if k > 1:
            ratio *= (2 * k + order - 2) * (2 * k + order - 1) / ((2 * k - 2) * (2 * k - 1))
        total += SERIES[k - 1] * ratio / x ** (2 * k + order)
    return total if order % 2 == 1 else -total


@kernel
def falling_logistic(x):
    """The logistic function of -x: 1 / (1 + exp(x))."""
    return float(1.0 / (1.0 + np.exp(x)))


@declared(kind="ARITHMETIC")
def strong_product(x, y):
    """`x * y`, and 0 where `x` is 0, whatever `y` is."""
    if np.ndim(x) == 0 and np.ndim(y) == 0:
        return x * y if x != 0.0 else x
    return x * np.where(x == 0.0, 1.0, y)


@declared(kind="ARITHMETIC")
def mutual_product(x, y):
    """`x * y`, and 0 where either is 0, whatever the other is."""
    if np.ndim(x) == 0 and np.ndim(y) == 0:
        return x * y if x != 0.0 and y != 0.0 else x * 0.0 if x == 0.0 else y * 0.0
    return np.where(y == 0.0, 0.0, x) * np.where(x == 0.0, 0.0, y)


@declared(kind="DIVISION")
def strong_quotient(x, y):
    """`x / y`, and 0 where `x` is 0, whatever `y` is; infinite or nan where `y` alone is 0."""
    if np.ndim(x) == 0 and np.ndim(y) == 0:
        return np.divide(x, y) if x != 0.0 else x
    return np.divide(x, np.where(x == 0.0, 1.0, y))


@declared(kind="ARITHMETIC")
def squared_modulus(z):
    """`abs(z) ** 2` of complex numbers, which is smooth at zero."""
    return z.real * z.real + z.imag * z.imag


@overload(squared_modulus)
def _squared_modulus(z):
    def of_a_number(z):
        return z.real * z.real + z.imag * z.imag

    def of_an_array(z):
        return np.real(z) * np.real(z) + np.imag(z) * np.imag(z)

    return of_an_array if isinstance(z, types.Array) else of_a_number


@declared(kind="DIVISION", by_entry=True)
def along(a, x, y):
    """`a * x / y`, and 0 where `y` is 0: the cotangent `a` of a length `y`, along the `x` of which that is the length.

    At 0 a length has a kink. The 0 is chosen there, and what depends on it has no derivative.
    """
    return a / np.where(y == 0.0, 1.0, y) * x


@declared(by_entry=True)
def chosen_slope(a, x, y):
    """The tangent of a length `y` for the tangent `a` of `x`: `a * x / y`, and 0 where `x` or `y` is 0.

    Where a program with it is differentiated again, it is `along_or_nan`.
    """
    return along(np.where(x == 0.0, x, a), x, y)


@declared(by_entry=True)
def along_or_nan(a, x, y):
    """`a * x / y`, and 0 where `x` is 0; where `y` is 0, 0 if `a` is, else nan."""
    return np.where(y == 0.0, np.where(a == 0.0, a * x, a * x * np.nan), chosen_slope(a, x, y))[()]


@declared(by_entry=True)
def unchosen_slope(a, x, y):
    """`along`, where what is multiplied with it is differentiated, and no slope is right for that: nan where `y` is 0, unless `a` is."""
    return along_or_nan(a, x, y)


@declared(kind="ARITHMETIC", by_entry=True)
def length_of_number(x):
    """`abs(x)` as the length of a vector of one entry: by `x`, too, its derivative at 0 has none."""
    return abs(x)


@kernel
def norm_along(x, axis: int):
    """Euclidean norms of real numbers along an axis. No program calls it: its rule is that of the norm that a program writes out."""
    return np.sqrt(np.sum(x * x, axis))


@kernel
def norm_along_kept(x, axis: int):
    """`norm_along`, with one entry where the axis was."""
    return np.expand_dims(norm_along(x, axis), axis)


@kernel
def root_mean_square(x):
    """Root of the mean of the squares. No program calls it: its rule is that of the root that a program writes out."""
    return np.sqrt(np.mean(x * x))


@declared(by_entry=True)
def signed(a, x):
    """`a * np.sign(x)`: the cotangent `a` of `abs(x)`, along `x`.

    At 0 the slope 0 is chosen, and what depends on `abs(x)` through `a` has no derivative there.
    """
    return a * np.sign(x)


@declared(by_entry=True)
def chosen_sign(a, x):
    """The tangent of `abs(x)` for the tangent `a` of `x`: `a * np.sign(x)`, and 0 where `x` is 0, whatever `a` is.

    Where a program with it is differentiated again, it is `signed_or_nan`.
    """
    return signed(np.where(x == 0.0, x, a), x)


@declared(by_entry=True)
def signed_or_nan(a, x):
    """`a * np.sign(x)`; where `x` is 0, 0 if `a` is, else nan."""
    return signed(a, x) + nan_at_zero(a, x)


@declared(by_entry=True)
def unchosen_sign(a, x):
    """`a * np.sign(x)`; where `x` is 0, 0 if `a` is, else nan: `signed`, where what is multiplied with it is differentiated, and no slope is right for that.

    By `a` and `x` it has the derivatives of `signed`.
    """
    return signed_or_nan(a, x)


@declared(by_entry=True)
def nan_at_zero(a, x):
    """0, but nan where `x` is 0 and `a` is not: the cotangent `a` of what has no derivative by `x` there."""
    return np.where((x == 0.0) & (a != 0.0), x * np.nan, 0.0)[()]


@declared(by_entry=True)
def tied(a, x):
    """`a`, and half of it where `x` is not 0: the share of the cotangent `a` that goes to the first of two at a tie.

    Its derivative by `a` is 1: those after the first take the side of the first.
    """
    return np.where(x == 0.0, a, 0.5 * a)[()]


@declared(by_entry=True)
def tied_off(a, x):
    """0, and half of `a` where `x` is not 0: the share that goes to the second of two at a tie. Its derivative by `a` is 0."""
    return np.where(x == 0.0, 0.0 * a, 0.5 * a)[()]


@declared(by_entry=True)
def shared(a, x, y):  # noqa: ARG001  its derivative asks for it
    """`x` where `y` holds, else 0: the share of the cotangent `a` that goes to each of several entries at a tie.

    Its derivative by `a` is 1 for the first of them; where a text is differentiated in which `y` is a comparison `<=`, of the smallest, for the last.
    """
    return np.where(y, x, 0.0)[()]


@declared(by_entry=True)
def over_root(x, y):
    """`x / y`, and 0 where `y` is 0: what goes on from the root `y` of a sum of squares to that sum.

    At 0 a length has a kink. The 0 is chosen there, and what depends on it has no derivative.
    """
    return np.where(y == 0.0, 0.0, x / np.where(y == 0.0, 1.0, y))[()]


@declared(by_entry=True)
def over_root_or_nan(x, y):
    """`x / y`; where `y` is 0, 0 if `x` is, else nan. What is multiplied with it there moves, or not: the latter contributes nothing."""
    return np.where(y == 0.0, np.where(x == 0.0, x, x * np.nan), x / np.where(y == 0.0, 1.0, y))[()]


@declared(by_entry=True)
def before_length(a, x, y):  # noqa: ARG001  where it is differentiated again, it is `before_root`
    """`a`, as the cotangent that goes on to a length `y`. Where a program with it is differentiated again, it is `before_root`."""
    return a


@declared(by_entry=True)
def before_root(a, x, y):
    """`a`, a multiple of `x`, as the cotangent that goes on to a root; nan where `y`, which tells of the root, and `a` are 0, but `x` is not.

    The slope of the root is infinite where `y` is 0, and `a` is 0 because of the root's value, not because nothing comes in: their
    product is not known.
    """
    return a + lost_at_root(x, a, y)


@declared(by_entry=True)
def lost_at_root(a, x, y):
    """0, but nan where `x` and `y` are 0 and `a` is not."""
    return np.where((x == 0.0) & (y == 0.0) & (a != 0.0), a * np.nan, 0.0)[()]


@declared(by_entry=True)
def at_zero(a, x, y):
    """`x` where `a` is 0, else `y`: a formula that has no value where `a` is 0, and its limit there.

    The limits of its derivatives by `a` are not known: they are nan there.
    """
    return np.where(a == 0.0, x, y)[()]


@declared(by_entry=True)
def power_log(c, a, x, y):  # noqa: ARG001  its derivative asks for both
    """`c * a`: the cotangent of the exponent of `x ** y`, where `c` is that of the power, times it, and `a` is log(x), or 0 where there is none."""
    return c * a


@declared(by_entry=True)
def power_kink(a, x, y):
    """The cotangent of `x` where `a` is that of `power_log(c, log(x), x, y)`, beside what goes through the logarithm.

    It is 0; but where `x` is 0, the derivative of `x ** y * log(x)` is 0 for `y` above 1 alone, else infinite: nan, if `a` is not 0.
    """
    return np.where(np.real(y) > 1.0, 0.0, nan_at_zero(a, x))[()]


@declared(by_entry=True)
def touching(c, a, x, y):
    """0, whose derivative by `a` is nan where `x` and `y` are 0 and `c` is not: a part of the cotangent of `a` in a derivative that is differentiated again.

    `c` arrives at a choice whose sides meet where `y` is 0, and `x` is the slope by which `a` moves it.
    """
    return np.zeros(np.broadcast_shapes(np.shape(c), np.shape(a), np.shape(x), np.shape(y)))[()]


@declared(by_entry=True)
def over_length(x, y):
    """`x / y`; where `y` is 0, 0 if `x` is, else nan."""
    return np.where(y == 0.0, np.where(x == 0.0, x, x * np.nan), x / np.where(y == 0.0, 1.0, y))[()]


CHOSEN = {along: chosen_slope, signed: chosen_sign}
"""Cotangents of functions that have a kink at zero, and the tangents that are like them."""
UNCHOSEN = {chosen_slope: along_or_nan, chosen_sign: signed_or_nan}
"""What such tangents are in a program that is differentiated again."""
UNKNOWN_AGAIN = {
    along: unchosen_slope,
    signed: unchosen_sign,
    over_root: over_root_or_nan,
    before_length: before_root,
}
"""Cotangents of lengths and their parts, and what they are where no value is asked for."""
SHARES = (tied, tied_off, shared)
"""What goes to the first and to the second of two at a tie, and to each of several."""


def _along(a, x, y):
    return (a / y if y != 0.0 else a) * x


def _chosen_slope(a, x, y):
    return x if x == 0.0 else y if y == 0.0 else a / y * x


def _along_or_nan(a, x, y):
    if y == 0.0:
        return x if a == 0.0 else a * np.divide(y, y) * x
    return x if x == 0.0 else a / y * x


def _over_root(x, y):
    return x / y if y != 0.0 else y


def _before_length(a, x, y):  # noqa: ARG001
    return a


def _over_length(x, y):
    return x / y if y != 0.0 else x if x == 0.0 else x * np.divide(y, y)


def _signed(a, x):
    return a * np.sign(x)


def _chosen_sign(a, x):
    return a * np.sign(x) if x != 0.0 else x


def _signed_or_nan(a, x):
    return a * np.sign(x) if x != 0.0 or a == 0.0 else a * np.nan


def _nan_at_zero(a, x):
    return x * np.nan if x == 0.0 and a != 0.0 else x * 0.0 if np.isfinite(x) else 0.0


def _tied(a, x):
    return a if x == 0.0 else a * 0.5


def _tied_off(a, x):
    return a * 0.0 if x == 0.0 else a * 0.5


def _shared(a, x, y):  # noqa: ARG001
    return x if y else 0.0


def _before_root(a, x, y):
    return a if a != 0.0 or x == 0.0 or y != 0.0 else np.divide(a, a)


def _lost_at_root(a, x, y):
    if x == 0.0 and y == 0.0 and a != 0.0:
        return a * np.divide(x, x)
    return x * 0.0 if np.isfinite(x) else 0.0


def _at_zero(a, x, y):
    return x if a == 0.0 else y


def _power_log(c, a, x, y):  # noqa: ARG001
    return c * a


def _touching(c, a, x, y):  # noqa: ARG001
    return 0.0


def _power_kink(a, x, y):
    return x * np.nan if x == 0.0 and y.real <= 1.0 and a != 0.0 else x * 0.0 if np.isfinite(x) else 0.0


@overload(along)
def _along_of(a, x, y):
    return _by_entry(_along, along, (a, x, y))


@overload(chosen_slope)
def _chosen_slope_of(a, x, y):
    return _by_entry(_chosen_slope, chosen_slope, (a, x, y))


@overload(along_or_nan)
def _along_or_nan_of(a, x, y):
    return _by_entry(_along_or_nan, along_or_nan, (a, x, y))


@overload(unchosen_slope)
def _unchosen_slope_of(a, x, y):
    return _by_entry(_along_or_nan, unchosen_slope, (a, x, y))


@overload(over_length)
def _over_length_of(x, y):
    return _by_entry(_over_length, over_length, (x, y))


@overload(over_root)
def _over_root_of(x, y):
    return _by_entry(_over_root, over_root, (x, y))


@overload(over_root_or_nan)
def _over_root_or_nan_of(x, y):
    return _by_entry(_over_length, over_root_or_nan, (x, y))


@overload(before_length)
def _before_length_of(a, x, y):
    return _by_entry(_before_length, before_length, (a, x, y))


@overload(length_of_number)
def _length_of_number(x):  # noqa: ARG001  as Numba compares it with the function
    def of_any(x):
        return np.abs(x)

    return of_any


@overload(tied)
def _tied_of(a, x):
    return _by_entry(_tied, tied, (a, x))


@overload(tied_off)
def _tied_off_of(a, x):
    return _by_entry(_tied_off, tied_off, (a, x))


@overload(shared)
def _shared_of(a, x, y):
    return _by_entry(_shared, shared, (a, x, y))


@overload(signed)
def _signed_of(a, x):
    return _by_entry(_signed, signed, (a, x))


@overload(chosen_sign)
def _chosen_sign_of(a, x):
    return _by_entry(_chosen_sign, chosen_sign, (a, x))


@overload(signed_or_nan)
def _signed_or_nan_of(a, x):
    return _by_entry(_signed_or_nan, signed_or_nan, (a, x))


@overload(unchosen_sign)
def _unchosen_sign_of(a, x):
    return _by_entry(_signed_or_nan, unchosen_sign, (a, x))


@overload(nan_at_zero)
def _nan_at_zero_of(a, x):
    return _by_entry(_nan_at_zero, nan_at_zero, (a, x))


@overload(before_root)
def _before_root_of(a, x, y):
    return _by_entry(_before_root, before_root, (a, x, y))


@overload(lost_at_root)
def _lost_at_root_of(a, x, y):
    return _by_entry(_lost_at_root, lost_at_root, (a, x, y))


@overload(at_zero)
def _at_zero_of(a, x, y):
    return _by_entry(_at_zero, at_zero, (a, x, y))


@overload(power_log)
def _power_log_of(c, a, x, y):
    return _by_entry(_power_log, power_log, (c, a, x, y))


@overload(touching)
def _touching_of(c, a, x, y):
    return _by_entry(_touching, touching, (c, a, x, y))


@overload(power_kink)
def _power_kink_of(a, x, y):
    return _by_entry(_power_kink, power_kink, (a, x, y))


def _by_entry(of_numbers, function, given):
    """The implementation for the types that are given: the one for numbers, or loops over the entries of arrays."""
    if not any(isinstance(each, types.Array) for each in given):
        return of_numbers

    def of_two(x, y):
        z = x + y
        left, right = np.broadcast_to(x, z.shape), np.broadcast_to(y, z.shape)
        for place in np.ndindex(z.shape):
            z[place] = function(left[place], right[place])
        return z

    def of_cotangent(a, x):
        z = a + x
        left, right = np.broadcast_to(a, z.shape), np.broadcast_to(x, z.shape)
        for place in np.ndindex(z.shape):
            z[place] = function(left[place], right[place])
        return z

    def of_three(a, x, y):
        z = a + x + y
        left, middle, right = (
            np.broadcast_to(a, z.shape),
            np.broadcast_to(x, z.shape),
            np.broadcast_to(y, z.shape),
        )
        for place in np.ndindex(z.shape):
            z[place] = function(left[place], middle[place], right[place])
        return z

    def of_four(c, a, x, y):
        z = c + a + x + y
        first, left = np.broadcast_to(c, z.shape), np.broadcast_to(a, z.shape)
        middle, right = np.broadcast_to(x, z.shape), np.broadcast_to(y, z.shape)
        for place in np.ndindex(z.shape):
            z[place] = function(first[place], left[place], middle[place], right[place])
        return z

    if len(given) == 2:
        return of_two if "y" in inspect.signature(function).parameters else of_cotangent
    return of_three if len(given) == 3 else of_four


@overload(strong_product)
def _strong_product(x, y):
    def of_numbers(x, y):
        return x * y if x != 0.0 else x

    return _by_entry(of_numbers, strong_product, (x, y))


@overload(mutual_product)
def _mutual_product(x, y):
    def of_numbers(x, y):
        return x * y if x != 0.0 and y != 0.0 else x * 0.0 if x == 0.0 else y * 0.0

    return _by_entry(of_numbers, mutual_product, (x, y))


@overload(strong_quotient)
def _strong_quotient(x, y):
    def of_numbers(x, y):
        return np.divide(x, y) if x != 0.0 else x

    return _by_entry(of_numbers, strong_quotient, (x, y))
