"""Complex numbers: which rules for real numbers hold for them, and the functions that are not holomorphic.

The adjoint of z = x + iy is x_bar - i y_bar, as in JAX: then the rules of holomorphic functions are those of real
numbers, without conjugates, and the gradient of a holomorphic function is its derivative. A small step dz changes a
real result by the real part of the sum of z_bar * dz.
"""

from __future__ import annotations

import cmath
import operator

import numpy as np

from backsweep.rules.declare import HOLOMORPHIC, elementwise, rule
from backsweep.runtime.broadcasting import aligned, stretched, sum_to, summed_to

POSITIVE = (0.3, 2.0)
ANY = (-2.0, 2.0)

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
        np.mean,
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
    [np.array, np.asarray, np.linalg.solve, np.linalg.inv, np.linalg.det],
    [aligned, stretched, sum_to, summed_to, np.ndarray.astype, np.subtract, np.squeeze],
):
    HOLOMORPHIC.update(functions)

NUMPY_FOR = {
    getattr(cmath, name): getattr(np, name)
    for name in ["exp", "log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh"]
}
"""Functions of `cmath` with those of NumPy that mean the same for one complex number."""


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


@elementwise(abs, operator.abs, np.absolute, samples=[POSITIVE], of_complex=True)
def modulus(x):
    """Absolute value of a complex number; the adjoint is 0 at 0."""
    y = np.absolute(x)
    return y, lambda y_bar: y_bar * np.conj(x) / (y + (y == 0.0))


@elementwise(np.angle, cmath.phase, samples=[POSITIVE], of_complex=True)
def angle(x):
    """Argument of a complex number."""
    y = np.angle(x)
    return y, lambda y_bar: y_bar * np.conj(x) / (np.abs(x) * np.abs(x)) * -1.0j


@rule(complex, np.complex128, ndim=(0,), samples=[ANY], linear=("x",))
def complex_of_one(x):
    """A real number as a complex one."""
    y = complex(x)
    return y, lambda y_bar: y_bar


@rule(complex, ndim=(0, 0), samples=[ANY, ANY], linear=(("x", "y"),))
def complex_of_two(x, y):
    """The complex number x + iy."""
    z = complex(x, y)
    return z, lambda z_bar: (z_bar, z_bar * 1.0j)


@elementwise(complex, np.complex128, samples=[ANY], of_complex=True, linear=("x",))
def complex_of_complex(x):
    """A complex number as it is."""
    y = complex(x)
    return y, lambda y_bar: y_bar
