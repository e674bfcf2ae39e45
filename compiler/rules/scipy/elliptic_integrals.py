"""Rules of `scipy.special`: Carlson's symmetric elliptic integrals, Legendre's incomplete ones, and the arithmetic-geometric mean.

The formulas are those of the Digital Library of Mathematical Functions (DLMF), 19.2, 19.8, 19.16 and 19.18.
"""

import numpy as np
import scipy.special as sp

from backsweep.rules.declare import FixedSample, elementwise
from backsweep.rules.limits import declare_poles
from backsweep.runtime.special_functions.carlson import carlson_integral, legendre_integral

POSITIVE = (0.4, 4.0)


@elementwise(sp.elliprf, samples=[POSITIVE, POSITIVE, POSITIVE])
def elliprf(x, y, z):
    """Carlson's integral of the first kind (DLMF 19.18.1)."""
    r = sp.elliprf(x, y, z)
    return r, lambda r_bar: (
        -r_bar / 6.0 * sp.elliprd(y, z, x),
        -r_bar / 6.0 * sp.elliprd(x, z, y),
        -r_bar / 6.0 * sp.elliprd(x, y, z),
    )


@elementwise(sp.elliprd, samples=[POSITIVE, POSITIVE, POSITIVE])
def elliprd(x, y, z):
    """Carlson's integral of the second kind (DLMF 19.16.5): 3/2 times an integral over products of powers."""
    r = sp.elliprd(x, y, z)
    return r, lambda r_bar: (
        -0.75 * r_bar * carlson_integral(30103, x, y, z, 1.0),
        -0.75 * r_bar * carlson_integral(30301, x, y, z, 1.0),
        -2.25 * r_bar * carlson_integral(50101, x, y, z, 1.0),
    )


@elementwise(sp.elliprg, samples=[POSITIVE, POSITIVE, POSITIVE])
def elliprg(x, y, z):
    """Carlson's completely symmetric integral of the second kind (DLMF 19.16.3, 19.18.3)."""
    r = sp.elliprg(x, y, z)
    return r, lambda r_bar: (
        0.125 * r_bar * carlson_integral(100010103, x, y, z, 1.0),
        0.125 * r_bar * carlson_integral(100010301, x, y, z, 1.0),
        0.125 * r_bar * carlson_integral(100030101, x, y, z, 1.0),
    )


@elementwise(sp.elliprj, samples=[POSITIVE, POSITIVE, POSITIVE, POSITIVE])
def elliprj(x, y, z, p):
    """Carlson's integral of the third kind (DLMF 19.16.2); of negative `p`, the principal value, by partial fractions (DLMF 19.18.4)."""
    r = sp.elliprj(x, y, z, p)
    return r, lambda r_bar: (
        r_bar
        * np.where(
            p < 0.0,
            0.5 * (r - sp.elliprd(y, z, x)) / (p - x + (p == x)),
            -0.75 * carlson_integral(2010103, x, y, z, p),
        ),
        r_bar
        * np.where(
            p < 0.0,
            0.5 * (r - sp.elliprd(x, z, y)) / (p - y + (p == y)),
            -0.75 * carlson_integral(2010301, x, y, z, p),
        ),
        r_bar
        * np.where(
            p < 0.0,
            0.5 * (r - sp.elliprd(x, y, z)) / (p - z + (p == z)),
            -0.75 * carlson_integral(2030101, x, y, z, p),
        ),
        r_bar
        * np.where(
            p < 0.0,
            -(
                1.5 * r
                + 0.5 * x * (r - sp.elliprd(y, z, x)) / (p - x + (p == x))
                + 0.5 * y * (r - sp.elliprd(x, z, y)) / (p - y + (p == y))
                + 0.5 * z * (r - sp.elliprd(x, y, z)) / (p - z + (p == z))
            )
            / (p + (p == 0.0)),
            -1.5 * carlson_integral(4010101, x, y, z, p),
        ),
    )


@elementwise(sp.elliprc, samples=[POSITIVE, POSITIVE])
def elliprc(x, y):
    """Carlson's degenerate integral (DLMF 19.16.6, 19.2.17); of negative `y`, the principal value."""
    r = sp.elliprc(x, y)
    return r, lambda r_bar: (
        r_bar
        * np.where(
            y < 0.0,
            0.5 * (1.0 / np.sqrt(x) - r) / (x - y + (x == y)),
            -0.25 * carlson_integral(203, x, y, 1.0, 1.0),
        ),
        r_bar
        * np.where(
            y < 0.0,
            0.5 * (r - np.sqrt(x) / (y + (y == 0.0))) / (x - y + (x == y)),
            -0.5 * carlson_integral(401, x, y, 1.0, 1.0),
        ),
    )


@elementwise(
    carlson_integral,
    static=["powers"],
    samples=[FixedSample(1030301), POSITIVE, POSITIVE, POSITIVE, POSITIVE],
)
def integral_of_powers(powers, x, y, z, p):
    """Integral of t^m (t + x)^-a (t + y)^-b (t + z)^-c (t + p)^-d, whose exponents are digits to the base 100."""
    r = carlson_integral(powers, x, y, z, p)
    return r, lambda r_bar: (
        -0.5 * (powers % 100) * r_bar * carlson_integral(powers + 2, x, y, z, p),
        -0.5 * (powers // 100 % 100) * r_bar * carlson_integral(powers + 200, x, y, z, p),
        -0.5 * (powers // 10_000 % 100) * r_bar * carlson_integral(powers + 20_000, x, y, z, p),
        -0.5 * (powers // 1_000_000 % 100) * r_bar * carlson_integral(powers + 2_000_000, x, y, z, p),
    )


@elementwise(
    sp.ellipkinc, samples=[(0.2, 1.4), (0.1, 0.8)], edges=[((1.0, 0.0), (1.0, 0.25 - np.sin(2.0) / 8.0))]
)
def ellipkinc(phi, m):
    """Incomplete elliptic integral of the first kind (DLMF 19.2.4)."""
    y = sp.ellipkinc(phi, m)
    return y, lambda y_bar: (
        y_bar / np.sqrt(1.0 - m * np.sin(phi) ** 2),
        0.5 * y_bar * legendre_integral(103, phi, m),
    )


@elementwise(
    sp.ellipeinc, samples=[(0.2, 1.4), (0.1, 0.8)], edges=[((1.0, 0.0), (1.0, np.sin(2.0) / 8.0 - 0.25))]
)
def ellipeinc(phi, m):
    """Incomplete elliptic integral of the second kind (DLMF 19.2.5)."""
    y = sp.ellipeinc(phi, m)
    return y, lambda y_bar: (
        y_bar * np.sqrt(1.0 - m * np.sin(phi) ** 2),
        -0.5 * y_bar * legendre_integral(101, phi, m),
    )


@elementwise(legendre_integral, static=["powers"], samples=[FixedSample(103), (0.2, 1.4), (0.1, 0.8)])
def integral_of_powers_of_sines(powers, phi, m):
    """Integral of sin(t)^2n (1 - m sin(t)^2)^-a for t from 0 to phi; 2a and n are digits to the base 100."""
    y = legendre_integral(powers, phi, m)
    return y, lambda y_bar: (
        y_bar
        * np.power(np.sin(phi), 2.0 * (powers // 100))
        * np.power(1.0 - m * np.sin(phi) ** 2, -0.5 * (powers % 100)),
        0.5 * (powers % 100) * y_bar * legendre_integral(powers + 102, phi, m),
    )


@elementwise(sp.agm, samples=[POSITIVE, POSITIVE])
def agm(x, y):
    """Arithmetic-geometric mean (DLMF 19.8.5)."""
    r = sp.agm(x, y)
    return r, lambda r_bar: (
        0.2122065907891938 * r_bar * np.square(r / x) * sp.elliprd(0.0, np.square(y / x), 1.0),
        0.2122065907891938 * r_bar * np.square(r / y) * sp.elliprd(0.0, np.square(x / y), 1.0),
    )


declare_poles(
    [sp.elliprf, sp.elliprd, sp.elliprg, sp.elliprj, sp.elliprc, carlson_integral, sp.agm], lambda *_: False
)
declare_poles([sp.ellipkinc, sp.ellipeinc, legendre_integral], lambda *_: False)
