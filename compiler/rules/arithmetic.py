"""Rules of the operators: arithmetic, powers, remainders, absolute values."""

import math
import operator

import numpy as np

from backsweep.rules.declare import FixedSample, constant, elementwise
from backsweep.runtime.gather import first_among as first_that_holds
from backsweep.runtime.gather import last_among as last_that_holds
from backsweep.runtime.special import along as part_along
from backsweep.runtime.special import along_or_nan as part_along_or_nan
from backsweep.runtime.special import at_zero as chosen_at_zero
from backsweep.runtime.special import before_length as cotangent_before_length
from backsweep.runtime.special import before_root as cotangent_before_root
from backsweep.runtime.special import chosen_sign, chosen_slope
from backsweep.runtime.special import length_of_number as length_of_one
from backsweep.runtime.special import lost_at_root as nan_at_root
from backsweep.runtime.special import mutual_product as product_with_either_zero
from backsweep.runtime.special import nan_at_zero as nan_where_zero
from backsweep.runtime.special import over_length as quotient_or_nan
from backsweep.runtime.special import over_root as quotient_by_root
from backsweep.runtime.special import over_root_or_nan as quotient_by_root_or_nan
from backsweep.runtime.special import power_kink as power_kink_of
from backsweep.runtime.special import power_log as power_times_log
from backsweep.runtime.special import shared as share_among_several
from backsweep.runtime.special import signed as with_sign
from backsweep.runtime.special import signed_or_nan as with_sign_or_nan
from backsweep.runtime.special import strong_product as product_with_zeros
from backsweep.runtime.special import strong_quotient as quotient_with_zeros
from backsweep.runtime.special import tied as share_at_tie
from backsweep.runtime.special import tied_off as other_share_at_tie
from backsweep.runtime.special import touching as sides_that_touch
from backsweep.runtime.special import unchosen_sign as sign_or_nan
from backsweep.runtime.special import unchosen_slope as slope_or_nan

SMOOTH = (-3.0, 3.0)
POSITIVE = (0.3, 3.0)


def is_number(literal: object) -> bool:
    """Whether the literal is a real number."""
    return type(literal) in (int, float)


def is_negative(literal: object) -> bool:
    """Whether the literal is a negative real number."""
    return is_number(literal) and literal < 0  # type: ignore[operator]


def is_fraction(literal: object) -> bool:
    """Whether the literal is a number between 0 and 1."""
    return is_number(literal) and 0 < literal < 1  # type: ignore[operator]


@elementwise(operator.add, np.add, operator.iadd, samples=[SMOOTH, SMOOTH])
def add(x, y):
    """Sum. The adjoint passes through to both terms."""
    z = x + y
    return z, lambda z_bar: (z_bar, z_bar)


@elementwise(operator.sub, np.subtract, operator.isub, samples=[SMOOTH, SMOOTH])
def subtract(x, y):
    """Difference."""
    z = x - y
    return z, lambda z_bar: (z_bar, -z_bar)


@elementwise(operator.mul, np.multiply, operator.imul, samples=[SMOOTH, SMOOTH])
def multiply(x, y):
    """Product. Each factor's adjoint reads the other factor."""
    z = x * y
    return z, lambda z_bar: (z_bar * y, z_bar * x)


@elementwise(operator.truediv, np.divide, operator.itruediv, constant={0: 1}, samples=[(1.0, 1.0), POSITIVE])
def one_over(x, y):
    """Quotient with the numerator 1. The adjoint reads only the result."""
    z = x / y
    return z, lambda z_bar: (None, -z_bar * z * z)


@elementwise(operator.truediv, np.divide, operator.itruediv, samples=[SMOOTH, POSITIVE])
def divide(x, y):
    """Quotient. The denominator's adjoint reads the result."""
    z = x / y
    return z, lambda z_bar: (z_bar / y, -z_bar * z / y)


@elementwise(product_with_zeros, samples=[SMOOTH, SMOOTH], edges=[((0.0, math.inf), (math.inf, 0.0))])
def strong_product(x, y):
    """Product that is zero where the first factor is. The second factor's adjoint, which the first scales, is zero there, too."""
    z = product_with_zeros(x, y)
    return z, lambda z_bar: (product_with_zeros(z_bar, y), product_with_zeros(x, z_bar))


@elementwise(product_with_either_zero, samples=[SMOOTH, SMOOTH], edges=[((0.0, math.inf), (math.inf, 0.0))])
def mutual_product(x, y):
    """Product that is zero where either factor is."""
    z = product_with_either_zero(x, y)
    return z, lambda z_bar: (product_with_either_zero(z_bar, y), product_with_either_zero(x, z_bar))


@elementwise(quotient_with_zeros, samples=[SMOOTH, POSITIVE], edges=[((0.0, 0.0), (math.inf, 0.0))])
def strong_quotient(x, y):
    """Quotient that is zero where the dividend is. The divisor's adjoint, which the quotient scales, is zero there, too."""
    z = quotient_with_zeros(x, y)
    return z, lambda z_bar: (
        quotient_with_zeros(z_bar, y),
        -quotient_with_zeros(product_with_zeros(z, z_bar), y),
    )


@elementwise(
    part_along,
    part_along_or_nan,
    chosen_slope,
    slope_or_nan,
    samples=[SMOOTH, SMOOTH, POSITIVE],
    edges=[((1.0, 0.0, 0.0), (math.nan, math.nan, math.nan))],
)
def along(a, x, y):
    """Cotangent of a length, along what has it. Where the length is zero its adjoints are nan, but where nothing comes in."""
    z = part_along(a, x, y)
    return z, lambda z_bar: (
        part_along_or_nan(z_bar, x, y),
        quotient_or_nan(product_with_either_zero(z_bar, a), y),
        -part_along_or_nan(quotient_or_nan(product_with_either_zero(z_bar, a), y), x, y),
    )


@elementwise(quotient_or_nan, samples=[SMOOTH, POSITIVE], edges=[((1.0, 0.0), (math.nan, math.nan))])
def over_length(a, y):
    """Quotient by a length; of zero by zero it is zero, of others by zero nan."""
    z = quotient_or_nan(a, y)
    return z, lambda z_bar: (
        quotient_or_nan(z_bar, y),
        -quotient_or_nan(product_with_either_zero(z_bar, z), y),
    )


@elementwise(operator.neg, np.negative, samples=[SMOOTH])
def negative(x):
    """Negation."""
    y = -x
    return y, lambda y_bar: -y_bar


@elementwise(operator.pos, np.positive, samples=[SMOOTH])
def positive(x):
    """The operand itself."""
    y = +x
    return y, lambda y_bar: y_bar


@elementwise(abs, operator.abs, np.absolute, np.fabs, math.fabs, samples=[POSITIVE], edges=[((0.0,), (0.0,))])
def absolute(x):
    """Absolute value. At zero the adjoint is zero."""
    y = abs(x)
    return y, lambda y_bar: with_sign(y_bar, x)


@elementwise(length_of_one, samples=[POSITIVE], edges=[((0.0,), (0.0,))])
def length_of_number(x):
    """Absolute value, as a length. At zero the adjoint is zero, and has no derivative."""
    y = length_of_one(x)
    return y, lambda y_bar: part_along(y_bar, x, abs(x))


@elementwise(
    with_sign,
    chosen_sign,
    samples=[SMOOTH, POSITIVE],
    edges=[((1.0, 0.0), (math.nan, 0.0)), ((1.0, -2.0), (-1.0, 0.0))],
)
def signed(a, x):
    """Cotangent of an absolute value, along what has it. At zero its adjoint is nan, but where nothing comes in."""
    y = with_sign(a, x)
    return y, lambda y_bar: (with_sign_or_nan(y_bar, x), None)


@elementwise(
    sign_or_nan, samples=[SMOOTH, POSITIVE], edges=[((1.0, 0.0), (math.nan, 0.0)), ((1.0, -2.0), (-1.0, 0.0))]
)
def unchosen_sign(a, x):
    """The same, where what it is multiplied with is differentiated: nan at zero, but where nothing comes in."""
    y = sign_or_nan(a, x)
    return y, lambda y_bar: (with_sign_or_nan(y_bar, x), None)


@elementwise(with_sign_or_nan, samples=[SMOOTH, POSITIVE], edges=[((1.0, 0.0), (math.nan, math.nan))])
def signed_or_nan(a, x):
    """The same, nan at zero."""
    y = with_sign_or_nan(a, x)
    return y, lambda y_bar: (
        with_sign_or_nan(y_bar, x),
        nan_where_zero(product_with_either_zero(y_bar, a), x),
    )


@elementwise(nan_where_zero, samples=[SMOOTH, POSITIVE], edges=[((1.0, 0.0), (math.nan, math.nan))])
def nan_at_zero(a, x):
    """Cotangent of what has no derivative at zero: nan there, else zero."""
    y = nan_where_zero(a, x)
    return y, lambda y_bar: (
        nan_where_zero(y_bar, x),
        nan_where_zero(product_with_either_zero(y_bar, a), x),
    )


@elementwise(
    chosen_at_zero, samples=[POSITIVE, SMOOTH, SMOOTH], edges=[((0.0, 1.0, 2.0), (math.nan, 1.0, 0.0))]
)
def at_zero(x, y, z):
    """A formula, and its limit where it has no value. By what is zero there it has no derivative."""
    result = chosen_at_zero(x, y, z)
    return result, lambda result_bar: (
        nan_where_zero(result_bar, x),
        np.where(x == 0.0, result_bar, 0.0),
        np.where(x == 0.0, 0.0, result_bar),
    )


@elementwise(
    cotangent_before_root,
    samples=[SMOOTH, SMOOTH, POSITIVE],
    edges=[((0.0, 1.0, 0.0), (1.0, math.nan, 0.0)), ((0.0, 0.0, 0.0), (1.0, math.nan, 0.0))],
)
def before_root(a, x, y):
    """Cotangent that goes on to a root. Where it is zero at zero its adjoint by what comes in is nan."""
    z = cotangent_before_root(a, x, y)
    return z, lambda z_bar: (z_bar, nan_at_root(z_bar, a, y), None)


@elementwise(nan_at_root, samples=[SMOOTH, SMOOTH, POSITIVE], edges=[((1.0, 0.0, 0.0), (math.nan, 0.0, 0.0))])
def lost_at_root(a, x, y):
    """What it is nan by."""
    z = nan_at_root(a, x, y)
    return z, lambda z_bar: (nan_at_root(z_bar, x, y), None, None)


@elementwise(
    sides_that_touch,
    samples=[SMOOTH, SMOOTH, POSITIVE, POSITIVE],
    edges=[((1.0, 2.0, 0.0, 0.0), (None, math.nan, None, None))],
)
def touching(c, a, x, y):
    """Nothing, in a derivative that is differentiated again. Its adjoint is nan where what moves a choice is lost where its sides meet."""
    z = sides_that_touch(c, a, x, y)
    return z, lambda z_bar: (None, nan_at_root(product_with_either_zero(z_bar, c), x, y), None, None)


@elementwise(quotient_by_root, samples=[SMOOTH, POSITIVE], edges=[((2.0, 0.0), (0.0, 0.0))])
def over_root(x, y):
    """Quotient by the root of a sum of squares: 0 where that is 0."""
    z = quotient_by_root(x, y)
    return z, lambda z_bar: (quotient_by_root(z_bar, y), -product_with_zeros(quotient_by_root(z_bar, y), z))


@elementwise(
    quotient_by_root_or_nan,
    samples=[SMOOTH, POSITIVE],
    edges=[((2.0, 0.0), (math.nan, math.nan)), ((0.0, 0.0), (math.nan, math.nan))],
)
def over_root_or_nan(x, y):
    """Quotient by the root of a sum of squares: at 0 nan, unless nothing comes in."""
    z = quotient_by_root_or_nan(x, y)
    return z, lambda z_bar: (
        quotient_by_root_or_nan(z_bar, y),
        -product_with_zeros(quotient_by_root_or_nan(z_bar, y), z),
    )


@elementwise(cotangent_before_length, samples=[SMOOTH, SMOOTH, POSITIVE])
def before_length(a, x, y):
    """Cotangent that goes on to a length: itself."""
    z = cotangent_before_length(a, x, y)
    return z, lambda z_bar: (z_bar, None, None)


@elementwise(share_at_tie, samples=[SMOOTH, (0.0, 0.0)], edges=[((2.0, 1.0), (1.0, 0.0))])
def tied(a, x):
    """Share of the first of two at a tie. Derivatives after the first take its side."""
    z = share_at_tie(a, x)
    return z, lambda z_bar: (z_bar, None)


@elementwise(other_share_at_tie, samples=[SMOOTH, (0.0, 0.0)], edges=[((2.0, 1.0), (0.0, 0.0))])
def tied_off(a, x):
    """Share of the second. Its derivative is zero."""
    z = other_share_at_tie(a, x)
    return z, lambda z_bar: (None, None)


@elementwise(
    share_among_several,
    samples=[SMOOTH, SMOOTH, (0.0, 0.0)],
    edges=[((2.0, 1.0, 1.0), (1.0, None, None)), ((2.0, 1.0, 0.0), (0.0, None, None))],
)
def shared(a, x, y):
    """Share of each of several at a tie. Derivatives after the first take the side of the first of them."""
    z = share_among_several(a, x, y)
    return z, lambda z_bar: (np.where(first_that_holds(y), z_bar, 0.0), None, None)


POWERS = (operator.pow, np.power, pow, operator.ipow, np.float_power, math.pow)


@elementwise(*POWERS, constant={1: 0}, samples=[SMOOTH, (0, 0)], edges=[((0.0, 0), (0.0, None))])
def power_zero(x, y):
    """Power with the exponent 0: constant."""
    z = x**y
    return z, lambda z_bar: (None, None)


@elementwise(*POWERS, constant={1: 1}, samples=[SMOOTH, (1, 1)], edges=[((0.0, 1), (1.0, None))])
def power_one(x, y):
    """Power with the exponent 1."""
    z = x**y
    return z, lambda z_bar: (z_bar, None)


@elementwise(*POWERS, constant={1: 2}, samples=[SMOOTH, (2, 2)], edges=[((0.0, 2), (0.0, None))])
def power_two(x, y):
    """Power with the exponent 2."""
    z = x**y
    return z, lambda z_bar: (z_bar * 2.0 * x, None)


@elementwise(*POWERS, constant={1: 0.5}, samples=[POSITIVE, (0.5, 0.5)])
def power_half(x, y):
    """Power with the exponent ½. The adjoint reads only the result."""
    z = x**y
    return z, lambda z_bar: (z_bar * 0.5 / z, None)


@elementwise(*POWERS, constant={1: -1}, samples=[POSITIVE, (-1.0, -1.0)])
def power_minus_one(x, y):
    """Power with the exponent -1. The adjoint reads only the result."""
    z = x**y
    return z, lambda z_bar: (-z_bar * z * z, None)


@elementwise(*POWERS, constant={1: is_negative}, samples=[POSITIVE, (-1.5, -1.5)])
def power_negative(x, y):
    """Power with a negative literal exponent. The adjoint needs no second power: both are infinite at 0."""
    z = x**y
    return z, lambda z_bar: (z_bar * y * z / x, None)


@elementwise(*POWERS, constant={1: is_fraction}, samples=[POSITIVE, (0.75, 0.75)])
def power_fraction(x, y):
    """Power with a literal exponent between 0 and 1. The adjoint divides, because it is infinite at 0."""
    z = x**y
    return z, lambda z_bar: (z_bar * y / x ** (1 - y), None)


@elementwise(*POWERS, constant={1: is_number}, samples=[POSITIVE, (3, 3)], edges=[((0.0, 3), (0.0, None))])
def power_constant(x, y):
    """Power with a literal exponent."""
    z = x**y
    return z, lambda z_bar: (z_bar * y * x ** (y - 1), None)


@elementwise(
    *POWERS,
    samples=[POSITIVE, SMOOTH],
    edges=[
        ((0.0, 2.0), (0.0, 0.0)),
        ((0.0, 1.0), (1.0, 0.0)),
        ((0.0, 0.0), (0.0, 0.0)),
        ((-2.0, 2.0), (-4.0, 0.0)),
    ],
)
def power(x, y):
    """Power. The base's adjoint is zero where the exponent is, the exponent's at a base that is not positive."""
    z = x**y
    return z, lambda z_bar: (
        z_bar * product_with_zeros(y, np.power(x, y - 1.0)),
        power_times_log(z_bar * z, np.log(np.where(x > 0.0, x, 1.0)), x, y),
    )


@elementwise(
    power_times_log,
    samples=[SMOOTH, SMOOTH, POSITIVE, POSITIVE],
    edges=[((1.0, 0.0, 0.0, 2.0), (0.0, 1.0, 0.0, 0.0)), ((1.0, 0.0, 0.0, 1.0), (0.0, 1.0, math.nan, 0.0))],
)
def power_log(c, a, x, y):
    """Cotangent of an exponent, by the logarithm. The base's adjoint is nan at a base of zero, unless the exponent is above 1."""
    z = power_times_log(c, a, x, y)
    return z, lambda z_bar: (power_times_log(z_bar, a, x, y), z_bar * c, power_kink_of(z_bar, x, y), None)


@elementwise(power_kink_of, samples=[SMOOTH, POSITIVE, POSITIVE])
def power_kink(a, x, y):
    """What the base's adjoint is nan by."""
    z = power_kink_of(a, x, y)
    return z, lambda z_bar: (
        power_kink_of(z_bar, x, y),
        nan_where_zero(product_with_either_zero(z_bar, a), x),
        None,
    )


@elementwise(operator.mod, np.remainder, operator.imod, samples=[(9.2, 10.4), (3.5, 4.5)])
def remainder(x, y):
    """Remainder with the divisor's sign."""
    z = x % y
    return z, lambda z_bar: (z_bar, -z_bar * np.floor(x / y))


@elementwise(np.fmod, math.fmod, samples=[(9.2, 10.4), (3.5, 4.5)])
def fmod(x, y):
    """Remainder with the dividend's sign."""
    z = np.fmod(x, y)
    return z, lambda z_bar: (z_bar, -z_bar * np.trunc(x / y))


@constant(
    operator.floordiv, np.floor_divide, operator.ifloordiv, samples=[SMOOTH, POSITIVE], elementwise=True
)
def floor_divide(x, y):
    """Quotient rounded down."""


@constant(operator.eq, np.equal, samples=[SMOOTH, SMOOTH], elementwise=True)
def equal(x, y):
    """Whether equal."""


@constant(operator.ne, np.not_equal, samples=[SMOOTH, SMOOTH], elementwise=True)
def not_equal(x, y):
    """Whether not equal."""


@constant(operator.lt, np.less, samples=[SMOOTH, SMOOTH], elementwise=True)
def less(x, y):
    """Whether less."""


@constant(operator.le, np.less_equal, samples=[SMOOTH, SMOOTH], elementwise=True)
def less_equal(x, y):
    """Whether less or equal."""


@constant(operator.gt, np.greater, samples=[SMOOTH, SMOOTH], elementwise=True)
def greater(x, y):
    """Whether greater."""


@constant(operator.ge, np.greater_equal, samples=[SMOOTH, SMOOTH], elementwise=True)
def greater_equal(x, y):
    """Whether greater or equal."""


@constant(operator.is_, operator.is_not, operator.contains)
def identical(x, y):
    """Whether the same object, or held by another."""


@constant(operator.not_, np.logical_not, bool, np.bool_, elementwise=True, samples=[SMOOTH])
def logical_not(x):
    """Truth value, and its negation."""


@constant(np.logical_and, np.logical_or, np.logical_xor, elementwise=True, samples=[SMOOTH, SMOOTH])
def logical(x, y):
    """Logical combinations."""


@constant(
    operator.and_,
    operator.or_,
    operator.xor,
    operator.lshift,
    operator.rshift,
    operator.iand,
    operator.ior,
    operator.ixor,
    operator.ilshift,
    operator.irshift,
    np.bitwise_and,
    np.bitwise_or,
    np.bitwise_xor,
    np.left_shift,
    np.right_shift,
    np.gcd,
    np.lcm,
    math.gcd,
    math.lcm,
    elementwise=True,
)
def integer_arithmetic(x, y):
    """Functions of bits and whole numbers."""


@constant(operator.invert, np.invert, operator.index, elementwise=True)
def invert(x):
    """Complement of bits."""


@constant(last_that_holds, samples=[FixedSample(np.array([False, True, True]))])
def last_among(t):
    """Which entry is the last that holds."""


@constant(first_that_holds, samples=[FixedSample(np.array([False, True, True]))])
def first_among(t):
    """Which entry is the first that holds."""
