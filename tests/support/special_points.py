"""Functions at points where a rule, a kernel or a formula takes a special value, with their derivatives there.

Each is a function of a vector, the point, and the Hessian there; nan where it has none.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special as sp
import scipy.stats

Point = tuple[Callable[..., Any], Any, Any]


def norm_squared(x):
    return np.linalg.norm(x) ** 2


def norm_times_itself(x):
    return np.linalg.norm(x) * np.linalg.norm(x)


def square_of_norm(x):
    return np.square(np.linalg.norm(x))


def norm_to_the_fourth(x):
    return np.linalg.norm(x) ** 4 + 0.5 * x[0] * x[1]


def norms_of_rows(x):
    lengths = np.linalg.norm(np.stack((x, 2.0 * x)), axis=1)
    return np.sum(lengths**2) + np.sum(lengths * lengths)


def gauss_kernel(x):
    d = np.linalg.norm(np.array([1.0, 2.0]) - x)
    return np.exp(-d * d)


def scaled_gauss_kernel(x):
    d = np.linalg.norm(np.array([1.0, 2.0]) - x)
    return np.exp(-0.5 * (d / 0.5) ** 2)


def scaled_from_the_left(x):
    d = np.linalg.norm(x)
    return 0.5 * d * d


def root_squared(x):
    return np.sqrt(np.sum(x**2)) ** 2


def root_of_math_squared(x):
    r = math.sqrt(x[0] * x[0] + x[1] * x[1])
    return r * r


def roots_squared(x):
    return np.sum(np.sqrt(x) ** 2 * x)


def half_power_squared(x):
    return ((x[0] ** 2 + x[1] ** 2) ** 0.5) ** 2


def hypot_squared(x):
    return np.hypot(x[0], x[1]) ** 2


def modulus_squared(x):
    return abs(x[0] + 1j * x[1]) ** 2


def complex_norm_squared(x):
    return np.linalg.norm(x * (1.0 + 2.0j)) ** 2


ORIGIN = np.zeros(2)
ONES = np.eye(2)
LINE = np.array([[4.0, 2.0], [2.0, 1.0]])
SQUARES_OF_ROOTS: tuple[Point, ...] = (
    (norm_squared, ORIGIN, 2.0 * ONES),
    (norm_times_itself, ORIGIN, 2.0 * ONES),
    (square_of_norm, ORIGIN, 2.0 * ONES),
    (norm_to_the_fourth, ORIGIN, [[0.0, 0.5], [0.5, 0.0]]),
    (norms_of_rows, ORIGIN, 20.0 * ONES),
    (gauss_kernel, np.array([1.0, 2.0]), -2.0 * ONES),
    (scaled_gauss_kernel, np.array([1.0, 2.0]), -4.0 * ONES),
    (scaled_from_the_left, ORIGIN, ONES),
    (root_squared, ORIGIN, 2.0 * ONES),
    (root_of_math_squared, ORIGIN, 2.0 * ONES),
    (roots_squared, ORIGIN, 2.0 * ONES),
    (half_power_squared, ORIGIN, 2.0 * ONES),
    (hypot_squared, ORIGIN, 2.0 * ONES),
    (modulus_squared, ORIGIN, 2.0 * ONES),
    (complex_norm_squared, ORIGIN, 10.0 * ONES),
)
"""Roots have a kink where they are zero; their squares have none."""


def sinc_of_a_line(x):
    return np.sinc(2.0 * x[0] + x[1])


def exprel_of_a_line(x):
    return sp.exprel(2.0 * x[0] + x[1])


def first_spherical_bessel(x):
    return sp.spherical_jn(0, 2.0 * x[0] + x[1])


def power_of_exponent_zero(p):
    return p[0] ** p[1] + np.sum(np.power(p[:1], p[1:]))


def log_of_gamma_density(p):
    return scipy.stats.gamma.logpdf(p[0], p[1])


def product_with_log(p):
    return sp.xlogy(p[1], p[0]) + sp.xlog1py(p[1], p[0] - 1.0)


def logs_of_pareto(p):
    return scipy.stats.genpareto.logpdf(p[0], p[1]) + 2.0 * scipy.stats.genpareto.logsf(p[0], p[1])


def log_of_extreme(p):
    return scipy.stats.genextreme.logcdf(p[0], p[1])


def box_cox(p):
    return sp.boxcox(p[0], p[1]) + sp.boxcox1p(p[0] - 1.0, p[1])


def elliptic_integrals(p):
    return sp.ellipkinc(p[0], p[1]) + sp.ellipeinc(p[0], p[1])


def factorials_at_poles(p):
    return sp.poch(p[0], p[1]) + 2.0 * sp.binom(p[1], p[0] - 1.0)


def reciprocal_of_gamma(x):
    return sp.rgamma(x[0])


def dilogarithm(x):
    return sp.spence(x[0])


def log_of_secant_density(x):
    return scipy.stats.hypsecant.logpdf(x[0])


LOG = math.log(2.0)
FLAT = math.exp(-2.0)

SMOOTH: tuple[Point, ...] = (
    (power_of_exponent_zero, np.array([2.0, 0.0]), [[0.0, 1.0], [1.0, 2.0 * LOG**2]]),
    (log_of_gamma_density, np.array([2.0, 1.0]), [[0.0, 0.5], [0.5, -(np.pi**2) / 6.0]]),
    (product_with_log, np.array([2.0, 0.0]), [[0.0, 1.0], [1.0, 0.0]]),
    (logs_of_pareto, np.array([2.0, 0.0]), [[0.0, 5.0], [5.0, -12.0]]),
    (log_of_extreme, np.array([2.0, 0.0]), [[-FLAT, 0.0], [0.0, FLAT * 4.0 / 3.0]]),
    (box_cox, np.array([2.0, 0.0]), [[-0.5, LOG], [LOG, 2.0 * LOG**3 / 3.0]]),
    (
        elliptic_integrals,
        np.array([2.0, 0.0]),
        [[0.0, 0.0], [0.0, 0.375 - math.sin(4.0) / 8.0 + math.sin(8.0) / 64.0]],
    ),
    (
        factorials_at_poles,
        np.array([0.0, 1.5]),
        [[3.77636061183215, -0.287661602551115], [-0.287661602551115, 0.0]],
    ),
    (reciprocal_of_gamma, np.array([-1.0]), [[0.845568670196934]]),
    (dilogarithm, np.array([1.0]), [[0.5]]),
    (log_of_secant_density, np.array([0.0]), [[-1.0]]),
    (sinc_of_a_line, ORIGIN, -(np.pi**2) / 3.0 * LINE),
    (exprel_of_a_line, ORIGIN, LINE / 3.0),
    (first_spherical_bessel, ORIGIN, -LINE / 3.0),
)
"""Quotients that are 0 / 0 at the point, where the function is smooth."""
