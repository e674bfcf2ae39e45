"""Complex numbers: which rules for real numbers hold for them, and the functions that are not holomorphic.

The adjoint of z = x + iy is x_bar - i y_bar, as in JAX: then the rules of holomorphic functions are those of real
numbers, without conjugates, and the gradient of a holomorphic function is its derivative. A small step dz changes a
real result by the real part of the sum of z_bar * dz.
"""

from __future__ import annotations

import operator

import numpy as np

from backsweep.rules.declare import HOLOMORPHIC, FixedSample, Sample, elementwise, rule
from backsweep.runtime.broadcasting import aligned, stretched, sum_to, summed_to
from backsweep.runtime.interpolation import sinc_derivative
from backsweep.runtime.linalg import (
    cofactors,
    correlate_pullback_left,
    correlate_pullback_right,
    norm_direction_of_complex,
    norm_order_pullback,
    small_cofactors,
)
from backsweep.runtime.matrices.lu import lu_factors, lu_inverse, lu_solution, lu_solution_turned
from backsweep.runtime.special import (
    along,
    along_or_nan,
    at_zero,
    before_root,
    lost_at_root,
    mutual_product,
    nan_at_zero,
    over_length,
    power_kink,
    power_log,
    strong_product,
    strong_quotient,
    touching,
    unchosen_slope,
)
from backsweep.runtime.special import squared_modulus as square_of_modulus
from backsweep.runtime.transforms.fourier import transform
from backsweep.runtime.transforms.lines import doubled, placed

POSITIVE = (0.3, 2.0)
ANY = (-2.0, 2.0)
VECTOR = Sample((4,))

for functions in (
    [operator.add, operator.sub, operator.mul, operator.truediv, operator.neg, operator.pos, operator.pow],
    [
        np.add,
        np.subtract,
        np.multiply,
        np.divide,
        np.true_divide,
        np.negative,
        np.positive,
        np.power,
        np.square,
    ],
    [np.exp, np.log, np.sqrt, np.sin, np.cos, np.tan, np.sinh, np.cosh, np.tanh, np.reciprocal, pow],
    [
        np.sum,
        sum,
        np.dot,
        operator.matmul,
        np.matmul,
        np.outer,
        np.where,
        np.prod,
        np.cumsum,
        np.trace,
    ],
    [np.copy, np.reshape, np.ravel, np.transpose, np.full, np.full_like, np.diag, np.ascontiguousarray],
    [lu_factors, lu_solution, lu_solution_turned, lu_inverse],
    [np.array, np.asarray, np.linalg.solve, np.linalg.inv, np.linalg.det, cofactors, small_cofactors],
    [aligned, stretched, sum_to, summed_to, np.ndarray.astype, np.subtract, np.squeeze],
    [doubled, placed],
    [np.asfortranarray, np.ndarray.flatten, np.swapaxes, np.atleast_1d, np.atleast_2d, np.atleast_3d],
    [np.expand_dims, np.broadcast_to, np.repeat, np.flip, np.flipud, np.fliplr, np.roll, np.rot90],
    [np.tril, np.triu, np.diff, np.ediff1d, np.cumprod, np.cross, np.kron, np.inner, np.linspace],
    [np.exp2, np.expm1, np.log2, np.log10, np.log1p, np.float_power, np.nansum],
    [np.arctan, np.arctanh, np.sinc, sinc_derivative],
    [mutual_product, strong_product, strong_quotient, along, along_or_nan, unchosen_slope, over_length],
    [at_zero, before_root, lost_at_root, touching, nan_at_zero, power_log, power_kink],
):
    HOLOMORPHIC.update(functions)


@elementwise(np.real, samples=[ANY])
def real_of_real(x):
    """The real part of a real number: itself."""
    y = np.real(x)
    return y, lambda y_bar: y_bar


@elementwise(np.imag, samples=[ANY])
def imag_of_real(x):
    """The imaginary part of a real number: zero."""
    y = np.imag(x)
    return y, lambda y_bar: None


@elementwise(np.conj, np.conjugate, samples=[ANY])
def conj_of_real(x):
    """The conjugate of a real number: itself."""
    y = np.conj(x)
    return y, lambda y_bar: y_bar


@elementwise(np.maximum, samples=[ANY, ANY], of_complex=True)
def complex_maximum(x, y):
    """The larger of two by real parts, then by imaginary ones, nan before a number. A tie is split evenly."""
    z = np.maximum(x, y)
    return z, lambda z_bar: (
        np.where(x == y, 0.5 * z_bar, np.where((x == z) | np.isnan(x), z_bar, 0.0 * z_bar)),
        np.where(x == y, 0.5 * z_bar, np.where((x == z) | np.isnan(x), 0.0 * z_bar, z_bar)),
    )


@elementwise(np.minimum, samples=[ANY, ANY], of_complex=True)
def complex_minimum(x, y):
    """The smaller of two by real parts, then by imaginary ones, nan before a number. A tie is split evenly."""
    z = np.minimum(x, y)
    return z, lambda z_bar: (
        np.where(x == y, 0.5 * z_bar, np.where((x == z) | np.isnan(x), z_bar, 0.0 * z_bar)),
        np.where(x == y, 0.5 * z_bar, np.where((x == z) | np.isnan(x), 0.0 * z_bar, z_bar)),
    )


@elementwise(np.fmax, samples=[ANY, ANY], of_complex=True)
def complex_fmax(x, y):
    """The larger of two by real parts, then by imaginary ones; nan is ignored if the other is a number. A tie is split evenly."""
    z = np.fmax(x, y)
    return z, lambda z_bar: (
        np.where(x == y, 0.5 * z_bar, np.where((x == z) | np.isnan(y), z_bar, 0.0 * z_bar)),
        np.where(x == y, 0.5 * z_bar, np.where((x == z) | np.isnan(y), 0.0 * z_bar, z_bar)),
    )


@elementwise(np.fmin, samples=[ANY, ANY], of_complex=True)
def complex_fmin(x, y):
    """The smaller of two by real parts, then by imaginary ones; nan is ignored if the other is a number. A tie is split evenly."""
    z = np.fmin(x, y)
    return z, lambda z_bar: (
        np.where(x == y, 0.5 * z_bar, np.where((x == z) | np.isnan(y), z_bar, 0.0 * z_bar)),
        np.where(x == y, 0.5 * z_bar, np.where((x == z) | np.isnan(y), 0.0 * z_bar, z_bar)),
    )


@rule(np.max, np.amax, samples=[Sample((3, 2))], of_complex=True)
def complex_max(x):
    """The largest entry by real parts, then by imaginary ones. Ties are split evenly."""
    y = np.max(x)
    return y, lambda y_bar: (x == y) * (y_bar / np.sum(x == y))


@rule(np.min, np.amin, samples=[Sample((3, 2))], of_complex=True)
def complex_min(x):
    """The smallest entry by real parts, then by imaginary ones. Ties are split evenly."""
    y = np.min(x)
    return y, lambda y_bar: (x == y) * (y_bar / np.sum(x == y))


@elementwise(np.real, samples=[ANY], of_complex=True, linear=("x",))
def real(x):
    """Real part."""
    y = np.real(x)
    return y, lambda y_bar: y_bar * (1.0 + 0.0j)


@elementwise(np.imag, samples=[ANY], of_complex=True, linear=("x",))
def imag(x):
    """Imaginary part."""
    y = np.imag(x)
    return y, lambda y_bar: y_bar * -1.0j


@elementwise(np.conj, np.conjugate, samples=[ANY], of_complex=True, linear=("x",))
def conj(x):
    """Complex conjugate."""
    y = np.conj(x)
    return y, lambda y_bar: np.conj(y_bar)


@elementwise(square_of_modulus, samples=[ANY], of_complex=True)
def squared_modulus(x):
    """Squared absolute value, which has all derivatives at zero."""
    y = square_of_modulus(x)
    return y, lambda y_bar: 2.0 * y_bar * np.conj(x)


@elementwise(abs, operator.abs, np.absolute, samples=[POSITIVE], of_complex=True)
def modulus(x):
    """Absolute value of a complex number; the adjoint is 0 at 0."""
    y = np.absolute(x)
    return y, lambda y_bar: along(y_bar, np.conj(x), y)


@elementwise(np.sign, samples=[POSITIVE], of_complex=True)
def direction(x):
    """A complex number over its absolute value; the adjoint is 0 at 0. It turns with the number and has no length."""
    y = np.sign(x)
    return (
        y,
        lambda y_bar: 1.0j * np.imag(y_bar * y) * np.conj(y) / (np.abs(x) + (x == 0.0)),
        lambda x_dot: 1.0j * np.imag(np.conj(y) * x_dot) * y / (np.abs(x) + (x == 0.0)),
    )


@elementwise(np.angle, samples=[POSITIVE], of_complex=True)
def angle(x):
    """Argument of a complex number."""
    y = np.angle(x)
    return y, lambda y_bar: y_bar * np.conj(x) / (np.abs(x) * np.abs(x)) * -1.0j


@elementwise(np.arcsin, samples=[ANY], of_complex=True)
def arcsin_of_complex(x):
    """Inverse sine. The adjoint reads the result, because that shows on which side of a branch cut the operand is."""
    y = np.arcsin(x)
    return y, lambda y_bar: np.divide(y_bar, np.cos(y) * (x * x != 1.0))


@elementwise(np.arccos, samples=[ANY], of_complex=True)
def arccos_of_complex(x):
    """Inverse cosine, likewise."""
    y = np.arccos(x)
    return y, lambda y_bar: -np.divide(y_bar, np.sin(y) * (x * x != 1.0))


@elementwise(np.arcsinh, samples=[ANY], of_complex=True)
def arcsinh_of_complex(x):
    """Inverse hyperbolic sine, likewise."""
    y = np.arcsinh(x)
    return y, lambda y_bar: np.divide(y_bar, np.cosh(y) * (x * x != -1.0))


@elementwise(
    operator.pow, np.power, pow, operator.ipow, np.float_power, samples=[POSITIVE, ANY], of_complex=True
)
def power_of_complex(x, y):
    """Power. The base's adjoint is zero at an exponent of zero, the exponent's at a base of zero."""
    z = x**y
    return z, lambda z_bar: (
        z_bar * strong_product(y, np.power(x * (1.0 + 0.0j), y - 1.0)),
        power_log(z_bar * z, np.log(np.where(x == 0.0, x + 1.0, x) * (1.0 + 0.0j)), x * (1.0 + 0.0j), y),
    )


@elementwise(np.arccosh, samples=[POSITIVE], of_complex=True)
def arccosh_of_complex(x):
    """Inverse hyperbolic cosine, likewise."""
    y = np.arccosh(x)
    return y, lambda y_bar: np.divide(y_bar, np.sinh(y) * (x * x != 1.0))


@rule(complex, np.complex128, np.complex64, ndim=(0,), samples=[ANY], linear=("x",))
def complex_of_one(x):
    """A real number as a complex one."""
    y = complex(x)
    return y, lambda y_bar: y_bar


@rule(complex, ndim=(0, 0), samples=[ANY, ANY], linear=(("x", "y"),))
def complex_of_two(x, y):
    """The complex number x + iy."""
    z = complex(x, y)
    return z, lambda z_bar: (z_bar, z_bar * 1.0j)


@elementwise(complex, np.complex128, np.complex64, samples=[ANY], of_complex=True, linear=("x",))
def complex_of_complex(x):
    """A complex number as it is."""
    y = complex(x)
    return y, lambda y_bar: y_bar


@rule(
    transform,
    static=["axis", "sign"],
    samples=[Sample((3, 4)), FixedSample(0), FixedSample(-1.0)],
    of_complex=True,
    linear=("x",),
)
def fourier(x, axis, sign):
    """Discrete Fourier transform along an axis, without a factor. Its matrix is symmetric, so the adjoint is a transform again."""
    y = transform(x, axis, sign)
    return y, lambda y_bar: transform(y_bar, axis, sign)


@rule(np.vdot, ndim=(1, 1), samples=[VECTOR, VECTOR], of_complex=True)
def vdot(x, y):
    """Inner product of vectors, the first one conjugated."""
    z = np.vdot(x, y)
    return (
        z,
        lambda z_bar: (np.conj(z_bar * y), z_bar * np.conj(x)),
        lambda x_dot, y_dot: (np.sum(np.conj(x_dot) * y), np.sum(np.conj(x) * y_dot)),
    )


@rule(np.correlate, ndim=(1, 1), samples=[VECTOR, Sample((2,))], of_complex=True)
def correlate_of_complex(x, y):
    """Sliding inner product of two vectors, the second one conjugated."""
    z = np.correlate(x, y)
    return (
        z,
        lambda z_bar: (
            correlate_pullback_left(z_bar, x, np.conj(y)),
            np.conj(correlate_pullback_right(z_bar, x, np.conj(y))),
        ),
        lambda x_dot, y_dot: (np.correlate(x_dot, y), np.correlate(x, y_dot)),
    )


@rule(np.linalg.norm, samples=[VECTOR], of_complex=True)
def norm_of_complex(x):
    """Euclidean norm of a vector, Frobenius norm of a matrix. At zero the adjoint is zero."""
    y = np.linalg.norm(x)
    return y, lambda y_bar: along(y_bar, np.conj(x), y)


@rule(
    np.linalg.norm,
    ndim=(1, None),
    samples=[VECTOR, FixedSample(3)],
    edges=[((np.array([3.0j, -3.0, 1.0j]), np.inf), (np.array([-0.5j, -0.5, 0.0j]), 0.0))],
    of_complex=True,
)
def norm_order_of_complex(x, ord):
    """Norm of a vector of some order. If it has no gradient, the adjoint is zero or split evenly."""
    y = np.linalg.norm(x, ord)
    return y, lambda y_bar: (
        along(y_bar, norm_direction_of_complex(x, y, ord), y),
        norm_order_pullback(y_bar, x, y, ord),
    )


@rule(np.mean, samples=[VECTOR], linear=("x",), of_complex=True)
def mean_of_complex(x):
    """Mean of all entries. Of none it is nan, but a complex number divided by zero would raise in compiled code."""
    y = np.mean(x)
    return y, lambda y_bar: np.full_like(x, y_bar / (x.size + (x.size == 0)))


@rule(np.var, samples=[VECTOR], of_complex=True)
def var_of_complex(x):
    """Variance of all entries: their mean squared distance from the mean."""
    y = np.var(x)
    return y, lambda y_bar: (2.0 * y_bar / x.size) * np.conj(x - np.mean(x))


@rule(np.std, samples=[VECTOR], of_complex=True)
def std_of_complex(x):
    """Standard deviation of all entries. The adjoint is zero if all are equal."""
    y = np.std(x)
    return y, lambda y_bar: along(y_bar / x.size, np.conj(x - np.mean(x)), y)
