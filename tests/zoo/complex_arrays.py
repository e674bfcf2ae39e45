"""Complex arrays: made of real ones, carried and chosen, and what NumPy's functions make of them."""

import cmath

import numpy as np

from tests.zoo.case import case, vector

QUADRANTS = np.array([1.7 + 0.6j, -1.6 + 0.5j, -0.7 - 1.1j, 0.4 - 0.8j, -2.5 - 0.3j])
"""Points beside the branch cuts, where a formula of the wrong branch has the other sign."""


def spiral(x):
    """A complex vector of a real one."""
    return x * (0.6 + 0.3j) + 0.2j * x**2


def seen(z):
    """A number of a complex array, in which each part counts."""
    return np.sum(np.real(z * np.conj(z))) + np.sum(np.real(z) * 0.7 + np.imag(z) * 1.3)


@case(vector(3))
def carried(x):
    z = x + 0j
    for _ in range(3):
        z = z * (1.0 + 0.5j) + x
    return np.sum(np.abs(z) ** 2)


@case(vector(3))
@case(-vector(3))
def chosen(x):
    if x[0] > 0.2:
        z = x + 0j
    else:
        z = x * 1j
    return np.sum(np.abs(z + 1.0) ** 3)


@case(vector(3))
def carried_while(x):
    z = 1.0 * x + 0.0j
    n = 0
    while n < 3:
        z = np.conj(z) * 1j + x
        n += 1
    return np.sum(z.real**2) + np.sum(z.imag * x)


@case(vector(3))
def exchanged(x):
    a = x + 0j
    b = x * 2j
    for _ in range(4):
        a, b = b, a * b + x
    return np.sum(np.abs(a) ** 2) + np.sum(b.real)


@case(vector(3))
def filled(x):
    z = np.full(x.size, x[0] + 0j)
    y = np.zeros_like(z)
    for _ in range(2):
        y = y + x
        z = z * y + 1j
    return np.sum(np.abs(z) ** 2)


@case(vector(3))
def a_row_of_reals_for_each(x):
    m = x[:, None] + 0j
    m = m + x[None, :] * 1j
    for _ in range(2):
        m = m * x
    return np.sum(np.abs(np.sum(m, axis=0)) ** 2)


@case(vector(4))
def joined_with_reals(x):
    z = spiral(x)
    m = np.stack((x + 0j, z))
    return seen(np.hstack((z, x))) + seen(np.concatenate((x, z))) + seen(np.column_stack((z, x))) + seen(m)


@case(vector(4))
def rearranged(x):
    z = spiral(x)
    m = z.reshape(2, 2)
    turned = seen(np.rot90(m)) + seen(np.flip(z)[1:] * z[1:]) + seen(np.flipud(m) * np.fliplr(m))
    moved = seen(np.roll(z, 1) * z) + seen(np.swapaxes(m, 0, 1) * m) + seen(np.asfortranarray(m))
    parts = seen(np.tril(m)) + seen(np.triu(m) * m) + seen(m.flatten() * z[0])
    return turned + moved + parts


@case(vector(4))
def with_more_axes(x):
    z = spiral(x)
    wide = np.broadcast_to(z, (3, 4)) * np.arange(3).reshape(3, 1)
    again = seen(np.repeat(z, 2)) + seen(np.repeat(z, np.array([1, 0, 2, 1])))
    return (
        seen(wide) + again + seen(np.expand_dims(z, 1) * z) + seen(np.atleast_2d(z)) + seen(np.atleast_3d(z))
    )


@case(vector(4))
def running(x):
    z = spiral(x)
    steps = seen(np.diff(z)) + seen(np.diff(z, 2)) + seen(np.ediff1d(z)) + seen(np.diff(z.reshape(2, 2)))
    return steps + seen(np.cumprod(z)) + seen(np.cumprod(z.reshape(2, 2))) + np.abs(np.nansum(z)) ** 2


@case(vector(4))
def products(x):
    z = spiral(x)
    w = np.conj(z[::-1])
    both = (
        np.abs(np.vdot(z, w * z)) ** 2
        + seen(np.cross(z[:3], w[1:]))
        + seen(np.kron(np.diag(z[:2]), np.diag(w)))
    )
    return (
        both + seen(np.correlate(z, w[:2])) + seen(np.correlate(w[:3], z)) + seen(np.linspace(z[0], w[0], 5))
    )


@case(vector(4))
def products_with_reals(x):
    z = spiral(x)
    m = z.reshape(2, 2)
    outer = seen(np.outer(x, z)) + seen(np.outer(z, x))
    sliding = seen(np.correlate(x, z[:2])) + seen(np.correlate(z, x[:2]))
    return outer + sliding + seen(np.kron(m, np.diag(x[:2]))) + seen(np.cross(x[:3], z[1:]))


@case(vector(4))
def spread_of_entries(x):
    z = spiral(x)
    m = z.reshape(2, 2)
    return np.var(z) * 2.0 + np.std(m) ** 3 + np.linalg.norm(z) * np.linalg.norm(m)


@case(vector(4))
def logarithms_and_powers(x):
    z = spiral(x)
    powers = seen(np.exp2(z)) + seen(np.expm1(z)) + seen(np.sinc(z)) + seen(np.float_power(z, 2))
    return powers + seen(np.log2(z)) + seen(np.log10(z)) + seen(np.log1p(z))


@case(vector(4))
def inverse_functions(x):
    z = spiral(x)
    circular = seen(np.arcsin(z)) + seen(np.arccos(z)) + seen(np.arctan(z))
    return circular + seen(np.arcsinh(z)) + seen(np.arccosh(z)) + seen(np.arctanh(z))


@case(QUADRANTS)
def inverse_functions_in_all_quadrants(z):
    circular = seen(np.arcsin(z)) + seen(np.arccos(z)) + seen(np.arctan(z))
    return circular + seen(np.arcsinh(z)) + seen(np.arccosh(z)) + seen(np.arctanh(z))


@case(QUADRANTS)
def powers_in_all_quadrants(z):
    powers = seen(np.exp2(z)) + seen(np.expm1(z)) + seen(np.sinc(z)) + seen(np.float_power(z, 2.5))
    return (
        powers + seen(np.log2(z)) + seen(np.log1p(z)) + seen(np.sqrt(z)) + seen(z**1.5) + np.sum(np.angle(z))
    )


@case(QUADRANTS)
def inverse_functions_of_numbers_in_all_quadrants(z):
    total = 0.0j
    for k in range(z.size):
        total += (
            cmath.acosh(z[k]) * cmath.asin(z[k]) + cmath.acos(z[k]) * cmath.sqrt(z[k]) + cmath.atanh(z[k])
        )
    return abs(total)


@case(0.7, 0.3)
def inverse_functions_of_numbers(a, b):
    z = complex(a, b)
    circular = cmath.asin(z) * cmath.acos(z) + cmath.atan(z)
    return abs(circular + cmath.asinh(z) / cmath.acosh(z) + cmath.atanh(z) * cmath.log10(z)) ** 2


@case(0.7)
def truth_values_stored(x):
    z = np.zeros(3, np.complex128)
    z[0] = x > 0.5
    z[1] += x
    z[1] += x > 0.0
    z[2] = x > 1.0
    return np.abs(z[0]) * x + np.abs(z[1] + z[2]) * x


@case(np.array([2.1, 0.3, 0.4, 0.2, 1.7, 0.5, 0.6, 0.1, 1.4]))
def determinants(x):
    a = x.reshape(3, 3)
    return seen(np.array([np.linalg.det(a + 0.2j * a.T), np.linalg.det(a[:2, :2] * (1.0 + 0.3j))]))


@case(np.array([0.6, -0.3, 1.2, -0.7]))
def directions(x):
    z = x + 1j * x[::-1] ** 2
    return seen(np.sign(z) * (0.4 + x))


@case(vector(3) + 1j * vector(3)[::-1], 0.7)
def mean_and_spread(z, w):
    m = np.mean(z)
    return (m * m).imag * w + np.abs(m) + np.mean(np.abs(z - w * m) ** 2)


@case(vector(9), 0)
@case(vector(9), 1)
@case(vector(9), 6)
@case(vector(9), -3)
def to_a_power_of_the_run(x, n):
    m = x.reshape(3, 3) + 1j * np.eye(3)
    for k in range(2):
        m = np.linalg.matrix_power(m, n + k) * 0.5 + np.eye(3)
    return seen(m) + np.linalg.norm(np.linalg.matrix_power(m, n))


@case(vector(4))
def outer_into(x):
    z = spiral(x)
    out = np.ones((4, 4), dtype=np.complex128)
    t = seen(out * x)
    np.outer(z, z * z, out)
    t += seen(out)
    y = np.outer(z.reshape(2, 2), x, out=out)
    y[0, 0] *= 2.0
    return t + seen(out)


@case(vector(4), np.complex64(0.5 - 0.25j))
def parts_assigned(x, w):
    z = spiral(x)
    y = np.ones((2, 4), dtype=np.complex128)
    y[0].real = x * x
    y.T[1:3].imag = z[:2, np.newaxis].real
    t = seen(y)
    z.imag = y.real[1] = np.sin(x)
    z.real += z.imag * x
    y[1, 1:].imag[...] *= 2.0
    return t + seen(y) + seen(z * y[0]) + np.abs(np.complex64(w * w)) * 0.5 + np.array(x[0]).item()


@case(vector(4))
def beside_real_numbers(x):
    z = np.exp(1j * QUADRANTS[:4])
    for k in range(x.size):
        z = z * (z - x[k])
    return seen(z + x[0]) + seen((x[1] - z) * 2.0)


@case(vector(4), vector(4))
def larger_of_complex(x, y):
    """Complex numbers are compared by real parts, then by imaginary ones."""
    z, w = x + 1j * y, y * y + 0.5j * x
    both = np.maximum(z, w) * np.fmin(z * w, w)
    of_rows = np.max(np.stack((z, w * w)), axis=0) * np.min(z) + np.fmax.reduce(w)
    return np.sum(np.abs(both + of_rows * np.minimum(w, z[1])))
