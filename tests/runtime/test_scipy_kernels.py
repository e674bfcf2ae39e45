"""What stands for SciPy's functions gives the same values, called by itself; derivatives in kernels agree with mpmath."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.linalg
import scipy.special as sp

from backsweep.prelude import meaning_of
from backsweep.runtime.matrices import functions
from backsweep.runtime.scipy import densities, series, triangular

X = np.linspace(-1.0, 2.0, 6).reshape(2, 3)
A = np.array([[0.3, 1.0, 0.5], [0.8, 4.0, -1.0], [3.0, -0.7, 5.0]])
S = A @ A.T + np.eye(3)
B = np.array([[1.0, 0.5], [2.0, -1.0], [-1.0, 3.0]])


CALLS: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    (sp.logsumexp, (X,), {}),
    (sp.logsumexp, (X,), {"axis": 1}),
    (sp.logsumexp, (X,), {"axis": 0, "keepdims": True}),
    (sp.logsumexp, (X, None, X + 2.0), {}),
    (sp.logsumexp, (X, 1, X + 2.0), {}),
    (sp.logsumexp, (X, 0, X[0] + 2.0), {"keepdims": True}),
    (sp.logsumexp, (X[0], 0, X + 2.0), {}),
    (sp.logsumexp, (X, (0, 1), X + 2.0), {}),
    (sp.logsumexp, (X,), {"keepdims": True}),
    (sp.logsumexp, (np.full(3, -np.inf), None, X[1]), {}),
    (
        sp.logsumexp,
        (np.array([[1.0, np.inf], [-np.inf, -np.inf], [0.0, -np.inf]]), 1, np.array([2.0, 3.0])),
        {},
    ),
    (sp.softmax, (X,), {}),
    (sp.softmax, (X,), {"axis": -1}),
    (sp.log_softmax, (X,), {}),
    (sp.log_softmax, (X,), {"axis": 0}),
    (sp.comb, (5.5, 2.0), {}),
    (sp.comb, (2.5, 3.0), {}),
    (sp.comb, (2.5, 3.0), {"repetition": True}),
    (sp.multigammaln, (2.5, 4), {}),
    (scipy.linalg.solve, (A, B), {}),
    (scipy.linalg.solve, (A, B), {"transposed": True}),
    (scipy.linalg.solve, (S, B[:, 0]), {"assume_a": "pos"}),
    (scipy.linalg.solve, (S, B), {"assume_a": "pos", "lower": True}),
    (scipy.linalg.solve, (A + A.T, B), {"assume_a": "sym"}),
    (scipy.linalg.solve, (A, B), {"assume_a": "upper triangular"}),
    (scipy.linalg.solve_triangular, (A, B), {}),
    (scipy.linalg.solve_triangular, (A, B[:, 0]), {"lower": True, "trans": 1}),
    (scipy.linalg.solve_triangular, (A, B), {"unit_diagonal": True, "trans": "T"}),
    (scipy.linalg.cholesky, (S,), {}),
    (scipy.linalg.cholesky, (S,), {"lower": True}),
    (scipy.linalg.cho_solve, ((np.linalg.cholesky(S), True), B), {}),
    (scipy.linalg.cho_solve, ((np.linalg.cholesky(S).T, False), B), {}),
    (scipy.linalg.lu_factor, (A,), {}),
    (scipy.linalg.lu_solve, (scipy.linalg.lu_factor(A), B), {}),
    (scipy.linalg.lu_solve, (scipy.linalg.lu_factor(A), B[:, 0]), {"trans": 2}),
    (scipy.linalg.inv, (A,), {}),
    (scipy.linalg.det, (A,), {}),
    (scipy.linalg.expm, (A,), {}),
    (scipy.linalg.expm, (1e-3 * A,), {}),
    (scipy.linalg.expm, (-10.0 * A,), {}),
    (scipy.linalg.block_diag, (A, B, X), {}),
]


@pytest.mark.parametrize(
    ("function", "args", "options"), CALLS, ids=lambda each: getattr(each, "__name__", "")
)
def test_value(function: Any, args: tuple[Any, ...], options: dict[str, Any]) -> None:
    meaning: Any = meaning_of(function)
    with np.errstate(divide="ignore"):  # the logarithm of a sum that is zero
        got = meaning(*args, **options)
    wanted = function(*args, **options)
    if not isinstance(wanted, tuple):
        got, wanted = (got,), (wanted,)
    for one, other in zip(got, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-13)


def test_derivatives() -> None:
    with mpmath.workdps(40):
        for order in (1, 2, 3):
            for m in (-3.0, -0.2, 0.1, 0.5, 0.95):
                for found, exact in (
                    (series.ellipk_derivative, mpmath.ellipk),
                    (series.ellipe_derivative, mpmath.ellipe),
                ):
                    np.testing.assert_allclose(
                        found(order, m), float(mpmath.diff(exact, m, order)), rtol=1e-12
                    )
            for x in (0.3, 5.0, 30.0):
                for v, found in ((0, "i0"), (1, "i1")):
                    exact = mpmath.diff(lambda t, v=v: mpmath.besseli(v, t) * mpmath.exp(-t), x, order)
                    got = series.scaled_i_derivative(v, order, x)
                    np.testing.assert_allclose(got, float(exact), rtol=1e-11, err_msg=found)
        for x in (0.2, 0.9, 7.0, 40.0):
            for a in (0.4, 3.0, 20.0):
                exact = mpmath.mpf(x) ** (a - 1.0) * mpmath.exp(-x) / mpmath.gamma(a)
                np.testing.assert_allclose(densities.gamma_density(a, x), float(exact), rtol=1e-13)
            np.testing.assert_allclose(series.zeta(2.5, x), sp.zeta(2.5, x), rtol=1e-14)
        np.testing.assert_allclose(
            [series.zeta(3.0, x) for x in (-0.3, -5.7)], sp.zeta(3.0, [-0.3, -5.7]), rtol=1e-14
        )


@pytest.mark.parametrize("x", [1e-310, 1e-300, 1e-200])
def test_densities_have_their_digits_where_powers_of_them_vanish(x: float) -> None:
    """An exponential that is zero, times a quotient that is large or infinite, is neither zero nor nan."""
    with mpmath.workdps(60):
        for a in (0.3, 1.0, 1.5):
            power = mpmath.mpf(x) ** (mpmath.mpf(a) - 1)
            by_gamma = power * mpmath.exp(-mpmath.mpf(x)) / mpmath.gamma(a)
            by_beta = power / mpmath.beta(a, 2.5)  # times 1 - x to a power, which is 1
            np.testing.assert_allclose(densities.gamma_density(a, x), float(by_gamma), rtol=1e-12)
            np.testing.assert_allclose(densities.beta_density(a, 2.5, x), float(by_beta), rtol=1e-12)


def test_slope_of_exponential() -> None:
    direction = A.T - 0.5
    np.testing.assert_allclose(
        triangular.exponential_slope(A, direction),
        scipy.linalg.expm_frechet(A, direction, compute_expm=False),
        rtol=1e-11,
    )


def test_exponential_and_logarithm_of_matrices_far_from_normal() -> None:
    """Norms of 1e14 and 1e8 whose powers are small: scaled by the norm, no digit is left."""
    powers = np.triu(np.full((4, 4), 3e4), 1) + np.diag([0.32346, 0.30089, 0.3221, 0.30744])
    log = functions.logarithm(powers)
    steep = np.triu(A, 1) + np.diag([0.2, -0.4, 0.1])
    steep[0, 2] = 1e8
    direction = A.T - 0.5
    with mpmath.workdps(60):
        exact = mpmath.expm(mpmath.matrix(log.tolist()))
        forth = np.array(exact.tolist(), float).reshape(4, 4)
        both = np.block([[steep, direction], [np.zeros((3, 3)), steep]])
        slope = np.array(mpmath.expm(mpmath.matrix(both.tolist())).tolist(), float).reshape(6, 6)
    d = np.diag(powers)
    np.testing.assert_allclose(np.diag(log), np.log(d), rtol=1e-10)
    np.testing.assert_allclose(np.diag(log, 1), 3e4 * np.diff(np.log(d)) / np.diff(d), rtol=1e-10)
    np.testing.assert_allclose(triangular.exponential(log), forth, rtol=1e-4, atol=1e-12)
    np.testing.assert_allclose(triangular.exponential(steep), slope[:3, :3], rtol=1e-13)
    np.testing.assert_allclose(triangular.exponential_slope(steep, direction), slope[:3, 3:], rtol=1e-11)
