"""Rules of the functions of one or two numbers: exponentials, trigonometry, extrema, casts."""

import math

import numpy as np

from backsweep.rules.arithmetic import is_number
from backsweep.rules.declare import FixedSample, Sample, constant, elementwise
from backsweep.runtime.special import along, signed, tied, tied_off

WIDE = (-3.0, 3.0)
INNER = (-0.9, 0.9)
POSITIVE = (0.3, 3.0)


@elementwise(np.exp, math.exp, samples=[WIDE])
def exp(x):
    """Exponential. The adjoint reads only the result."""
    y = np.exp(x)
    return y, lambda y_bar: y_bar * y


@elementwise(np.exp2, math.exp2, samples=[WIDE])
def exp2(x):
    """Power of two."""
    y = np.exp2(x)
    return y, lambda y_bar: y_bar * 0.6931471805599453 * y


@elementwise(np.expm1, math.expm1, samples=[WIDE])
def expm1(x):
    """Exponential minus one. `y + 1` would lose the digits of a slope that is small."""
    y = np.expm1(x)
    return y, lambda y_bar: y_bar * np.exp(x)


@elementwise(np.log, math.log, samples=[POSITIVE])
def log(x):
    """Natural logarithm."""
    y = np.log(x)
    return y, lambda y_bar: y_bar / x


@elementwise(np.log2, math.log2, samples=[POSITIVE])
def log2(x):
    """Logarithm to the base two."""
    y = np.log2(x)
    return y, lambda y_bar: y_bar / (0.6931471805599453 * x)


@elementwise(np.log10, math.log10, samples=[POSITIVE])
def log10(x):
    """Logarithm to the base ten."""
    y = np.log10(x)
    return y, lambda y_bar: y_bar / (2.302585092994046 * x)


@elementwise(np.log1p, math.log1p, samples=[INNER])
def log1p(x):
    """Logarithm of one plus the operand."""
    y = np.log1p(x)
    return y, lambda y_bar: y_bar / (1.0 + x)


@elementwise(np.logaddexp, samples=[WIDE, WIDE])
def logaddexp(x, y):
    """Logarithm of a sum of exponentials."""
    z = np.logaddexp(x, y)
    return z, lambda z_bar: (z_bar * np.exp(x - z), z_bar * np.exp(y - z))


@elementwise(np.logaddexp2, samples=[WIDE, WIDE])
def logaddexp2(x, y):
    """Logarithm of a sum of powers of two."""
    z = np.logaddexp2(x, y)
    return z, lambda z_bar: (z_bar * np.exp2(x - z), z_bar * np.exp2(y - z))


@elementwise(np.sqrt, math.sqrt, samples=[POSITIVE])
def sqrt(x):
    """Square root. The adjoint reads only the result; at zero it is infinite, like the derivative."""
    y = np.sqrt(x)
    return y, lambda y_bar: y_bar * 0.5 / y


@elementwise(np.cbrt, math.cbrt, samples=[POSITIVE])
def cbrt(x):
    """Cube root."""
    y = np.cbrt(x)
    return y, lambda y_bar: y_bar / (3.0 * y * y)


@elementwise(np.square, samples=[WIDE])
def square(x):
    """Square."""
    y = np.square(x)
    return y, lambda y_bar: y_bar * 2.0 * x


@elementwise(np.reciprocal, samples=[POSITIVE])
def reciprocal(x):
    """Reciprocal. The adjoint reads only the result."""
    y = np.reciprocal(x)
    return y, lambda y_bar: -y_bar * y * y


@elementwise(np.sin, math.sin, samples=[WIDE])
def sin(x):
    """Sine."""
    y = np.sin(x)
    return y, lambda y_bar: y_bar * np.cos(x)


@elementwise(np.cos, math.cos, samples=[WIDE])
def cos(x):
    """Cosine."""
    y = np.cos(x)
    return y, lambda y_bar: -y_bar * np.sin(x)


@elementwise(np.tan, math.tan, samples=[(-1.2, 1.2)])
def tan(x):
    """Tangent. The adjoint reads only the result."""
    y = np.tan(x)
    return y, lambda y_bar: y_bar * (1.0 + y * y)


@elementwise(np.arcsin, math.asin, samples=[INNER])
def arcsin(x):
    """Inverse sine."""
    y = np.arcsin(x)
    return y, lambda y_bar: y_bar / np.sqrt((1.0 - x) * (1.0 + x))


@elementwise(np.arccos, math.acos, samples=[INNER])
def arccos(x):
    """Inverse cosine."""
    y = np.arccos(x)
    return y, lambda y_bar: -y_bar / np.sqrt((1.0 - x) * (1.0 + x))


@elementwise(np.arctan, math.atan, samples=[WIDE])
def arctan(x):
    """Inverse tangent."""
    y = np.arctan(x)
    return y, lambda y_bar: y_bar / (1.0 + x * x)


@elementwise(np.arctan2, math.atan2, samples=[POSITIVE, WIDE], edges=[((0.0, 0.0), (0.0, 0.0))])
def arctan2(y, x):
    """Angle of a point. At the origin the adjoints are zero."""
    z = np.arctan2(y, x)
    return z, lambda z_bar: (
        along(z_bar, x, 1.0 * x * x + 1.0 * y * y),
        along(-z_bar, y, 1.0 * x * x + 1.0 * y * y),
    )


@elementwise(np.sinh, math.sinh, samples=[WIDE])
def sinh(x):
    """Hyperbolic sine."""
    y = np.sinh(x)
    return y, lambda y_bar: y_bar * np.cosh(x)


@elementwise(np.cosh, math.cosh, samples=[WIDE])
def cosh(x):
    """Hyperbolic cosine."""
    y = np.cosh(x)
    return y, lambda y_bar: y_bar * np.sinh(x)


@elementwise(np.tanh, math.tanh, samples=[WIDE])
def tanh(x):
    """Hyperbolic tangent. The adjoint reads only the result."""
    y = np.tanh(x)
    return y, lambda y_bar: y_bar * (1.0 - y * y)


@elementwise(np.arcsinh, math.asinh, samples=[WIDE])
def arcsinh(x):
    """Inverse hyperbolic sine."""
    y = np.arcsinh(x)
    return y, lambda y_bar: y_bar / np.sqrt(x * x + 1.0)


@elementwise(np.arccosh, math.acosh, samples=[(1.2, 4.0)])
def arccosh(x):
    """Inverse hyperbolic cosine."""
    y = np.arccosh(x)
    return y, lambda y_bar: y_bar / np.sqrt((x - 1.0) * (x + 1.0))


@elementwise(np.arctanh, math.atanh, samples=[INNER])
def arctanh(x):
    """Inverse hyperbolic tangent."""
    y = np.arctanh(x)
    return y, lambda y_bar: y_bar / ((1.0 - x) * (1.0 + x))


@elementwise(np.hypot, math.hypot, samples=[POSITIVE, WIDE], edges=[((0.0, 0.0), (0.0, 0.0))])
def hypot(x, y):
    """Length of a point. At the origin the adjoints are zero."""
    z = np.hypot(x, y)
    return z, lambda z_bar: (along(z_bar, x, z), along(z_bar, y, z))


@elementwise(np.deg2rad, np.radians, math.radians, samples=[WIDE])
def deg2rad(x):
    """Degrees to radians."""
    y = np.deg2rad(x)
    return y, lambda y_bar: y_bar * 0.017453292519943295


@elementwise(np.rad2deg, np.degrees, math.degrees, samples=[WIDE])
def rad2deg(x):
    """Radians to degrees."""
    y = np.rad2deg(x)
    return y, lambda y_bar: y_bar * 57.29577951308232


@elementwise(
    np.copysign,
    math.copysign,
    samples=[POSITIVE, POSITIVE],
    edges=[((0.0, 1.0), (0.0, 0.0)), ((-2.0, 1.0), (-1.0, 0.0))],
)
def copysign(x, y):
    """The first operand's absolute value with the second's sign. At zero the adjoint is zero."""
    z = np.copysign(x, y)
    return z, lambda z_bar: (signed(z_bar, x) * np.copysign(1.0, y), None)


@elementwise(np.nextafter, math.nextafter, samples=[WIDE, WIDE], edges=[((1.0, 1.0), (1.0, 0.0))])
def nextafter(x, y):
    """The next number from the first operand towards the second. The adjoint takes it for the first operand."""
    z = np.nextafter(x, y)
    return z, lambda z_bar: (z_bar, None)


@elementwise(
    np.maximum,
    samples=[WIDE, WIDE],
    edges=[((1.0, 1.0), (0.5, 0.5)), ((1.0, math.nan), (0.0, 1.0)), ((math.nan, 1.0), (1.0, 0.0))],
)
def maximum(x, y):
    """The larger of two, nan before a number. A tie is split evenly; the operand that is nan receives all."""
    z = np.maximum(x, y)
    return z, lambda z_bar: (
        np.where(x == y, tied(z_bar, 1.0), np.where((x > y) | np.isnan(x), z_bar, 0.0)),
        np.where(x == y, tied_off(z_bar, 1.0), np.where((x > y) | np.isnan(x), 0.0, z_bar)),
    )


@elementwise(
    np.minimum,
    samples=[WIDE, WIDE],
    edges=[((1.0, 1.0), (0.5, 0.5)), ((1.0, math.nan), (0.0, 1.0)), ((math.nan, 1.0), (1.0, 0.0))],
)
def minimum(x, y):
    """The smaller of two, nan before a number. A tie is split evenly; the operand that is nan receives all."""
    z = np.minimum(x, y)
    return z, lambda z_bar: (
        np.where(x == y, tied_off(z_bar, 1.0), np.where((x < y) | np.isnan(x), z_bar, 0.0)),
        np.where(x == y, tied(z_bar, 1.0), np.where((x < y) | np.isnan(x), 0.0, z_bar)),
    )


@elementwise(
    max,
    samples=[WIDE, WIDE],
    edges=[((1.0, 1.0), (0.5, 0.5)), ((1.0, math.nan), (1.0, 0.0)), ((math.nan, 1.0), (1.0, 0.0))],
)
def larger(x, y):
    """The larger of two by the builtin: the first unless the second is larger, also where one is nan. A tie is split evenly."""
    z = max(x, y)
    return z, lambda z_bar: (
        np.where(x == y, tied(z_bar, 1.0), np.where(y > x, 0.0, z_bar)),
        np.where(x == y, tied_off(z_bar, 1.0), np.where(y > x, z_bar, 0.0)),
    )


@elementwise(
    min,
    samples=[WIDE, WIDE],
    edges=[((1.0, 1.0), (0.5, 0.5)), ((1.0, math.nan), (1.0, 0.0)), ((math.nan, 1.0), (1.0, 0.0))],
)
def smaller(x, y):
    """The smaller of two by the builtin: the first unless the second is smaller, also where one is nan. A tie is split evenly."""
    z = min(x, y)
    return z, lambda z_bar: (
        np.where(x == y, tied_off(z_bar, 1.0), np.where(y < x, 0.0, z_bar)),
        np.where(x == y, tied(z_bar, 1.0), np.where(y < x, z_bar, 0.0)),
    )


@elementwise(
    np.fmax,
    samples=[WIDE, WIDE],
    edges=[((1.0, 1.0), (0.5, 0.5)), ((1.0, math.nan), (1.0, 0.0)), ((math.nan, 1.0), (0.0, 1.0))],
)
def fmax(x, y):
    """The larger of two; nan is ignored if the other is a number. A tie is split evenly."""
    z = np.fmax(x, y)
    return z, lambda z_bar: (
        np.where(x == y, tied(z_bar, 1.0), np.where((x > y) | np.isnan(y), z_bar, 0.0)),
        np.where(x == y, tied_off(z_bar, 1.0), np.where((x > y) | np.isnan(y), 0.0, z_bar)),
    )


@elementwise(
    np.fmin,
    samples=[WIDE, WIDE],
    edges=[((1.0, 1.0), (0.5, 0.5)), ((1.0, math.nan), (1.0, 0.0)), ((math.nan, 1.0), (0.0, 1.0))],
)
def fmin(x, y):
    """The smaller of two; nan is ignored if the other is a number. A tie is split evenly."""
    z = np.fmin(x, y)
    return z, lambda z_bar: (
        np.where(x == y, tied_off(z_bar, 1.0), np.where((x < y) | np.isnan(y), z_bar, 0.0)),
        np.where(x == y, tied(z_bar, 1.0), np.where((x < y) | np.isnan(y), 0.0, z_bar)),
    )


@elementwise(
    np.clip,
    constant={1: is_number, 2: is_number},
    samples=[WIDE, (-1.0, -1.0), (1.0, 1.0)],
    edges=[((1.0, -1.0, 1.0), (0.5, None, None)), ((math.nan, -1.0, 1.0), (1.0, None, None))],
)
def clip_between_numbers(x, low, high):
    """Value within literal bounds. At a bound the adjoint is halved; a value that is nan receives it."""
    y = np.clip(x, low, high)
    return y, lambda y_bar: (
        np.where(
            (x < low) | (x > high) | (low == high),
            0.0,
            np.where((x == low) | (x == high), tied(y_bar, 1.0), y_bar),
        ),
        None,
        None,
    )


@elementwise(
    np.clip,
    samples=[WIDE, (-2.0, -1.0), (1.0, 2.0)],
    edges=[
        ((1.0, 0.0, 1.0), (0.5, 0.0, 0.5)),
        ((0.0, 0.0, 1.0), (0.5, 0.5, 0.0)),
        ((math.nan, 0.0, 1.0), (1.0, 0.0, 0.0)),
        ((0.0, 2.0, 1.0), (0.0, 0.0, 1.0)),
        ((1.0, 1.0, 1.0), (0.0, 0.0, 1.0)),
        ((0.0, math.nan, 1.0), (0.0, 1.0, 0.0)),
        ((0.0, -1.0, math.nan), (0.0, 0.0, 1.0)),
        ((2.0, math.nan, 1.0), (0.0, 1.0, 0.0)),
    ],
)
def clip(x, low, high):
    """Value within bounds, the upper one before the lower one. At a bound the adjoint is split evenly; what is nan receives all, the value first."""
    y = np.clip(x, low, high)
    return y, lambda y_bar: (
        np.where(
            (x < low)
            | (x > high)
            | (x == low) & (x == high)
            | ~np.isnan(x) & (np.isnan(low) | np.isnan(high)),
            0.0,
            np.where((x == low) | (x == high), tied(y_bar, 1.0), y_bar),
        ),
        np.where(
            (low >= high) | np.isnan(x),
            0.0,
            np.where((x < low) | np.isnan(low), y_bar, np.where(x == low, tied_off(y_bar, 1.0), 0.0)),
        ),
        np.where(
            np.isnan(x) | np.isnan(low),
            0.0,
            np.where(
                (low >= high) | (x > high) | np.isnan(high),
                y_bar,
                np.where(x == high, tied_off(y_bar, 1.0), 0.0),
            ),
        ),
    )


@elementwise(
    np.where,
    samples=[(0.0, 1.0), WIDE, WIDE],
    edges=[((0.0, 2.0, 3.0), (None, 0.0, 1.0))],
    linear=(("x", "y"),),
)
def where(condition, x, y):
    """Choice by a condition; only the chosen operand receives the adjoint."""
    z = np.where(condition, x, y)
    return z, lambda z_bar: (None, np.where(condition, z_bar, 0.0), np.where(condition, 0.0, z_bar))


@elementwise(np.ldexp, math.ldexp, static=["exponent"], samples=[WIDE, FixedSample(3)])
def ldexp(x, exponent):
    """Product with a power of two."""
    y = np.ldexp(x, exponent)
    return y, lambda y_bar: np.ldexp(y_bar, exponent)


@elementwise(float, np.float64, np.float32, samples=[WIDE], linear=("x",))
def cast(x):
    """The same number, as another type."""
    y = float(x)
    return y, lambda y_bar: y_bar


@elementwise(
    np.ndarray.astype, static=["dtype"], samples=[Sample((3,)), FixedSample(np.float64)], linear=("x",)
)
def astype(x, dtype):
    """The same numbers, as another type."""
    y = x.astype(dtype)
    return y, lambda y_bar: y_bar


@elementwise(np.nan_to_num, samples=[WIDE], edges=[((math.nan,), (0.0,)), ((math.inf,), (0.0,))])
def nan_to_num(x):
    """The operand with finite numbers in place of nan and infinities, whose adjoints are zero."""
    y = np.nan_to_num(x)
    return y, lambda y_bar: np.where(np.isfinite(x), y_bar, 0.0)


@constant(np.floor, math.floor, samples=[WIDE], elementwise=True)
def floor(x):
    """Rounded down."""


@constant(np.ceil, math.ceil, samples=[WIDE], elementwise=True)
def ceil(x):
    """Rounded up."""


@constant(np.trunc, math.trunc, samples=[WIDE], elementwise=True)
def trunc(x):
    """Rounded towards zero."""


@constant(np.rint, round, np.round, np.around, samples=[WIDE], elementwise=True)
def rint(x, decimals=0):
    """Rounded to the nearest."""


@constant(np.sign, samples=[WIDE], elementwise=True)
def sign(x):
    """Sign."""


@constant(
    np.signbit,
    np.isnan,
    math.isnan,
    np.isinf,
    math.isinf,
    np.isfinite,
    math.isfinite,
    samples=[WIDE],
    elementwise=True,
)
def classified(x):
    """What kind of number it is."""


@constant(np.spacing, np.isclose, np.allclose, np.array_equal)
def compared(*operands):
    """Comparisons with a tolerance."""


@constant(
    int,
    np.int64,
    np.int32,
    np.int16,
    np.int8,
    np.uint64,
    np.uint32,
    np.uint16,
    np.uint8,
    np.intp,
    elementwise=True,
)
def whole(x):
    """Cast to a whole number."""
