"""Functions of `scipy.linalg` in plain functions and in `@njit` code: values, gradients, second derivatives, options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
import scipy.linalg

import backsweep as bs
from backsweep.runtime.scipy.triangular import triangular_solution
from tests.support.sampled import turning

A = np.array([[3.0, 1.0, 0.5], [0.8, 4.0, -1.0], [0.3, -0.7, 5.0]])
S = np.array([[3.0, 1.0, 0.5], [1.0, 4.0, -1.0], [0.5, -1.0, 5.0]])
b = np.array([1.0, 2.0, -1.0])
B = np.array([[1.0, 0.5], [2.0, -1.0], [-1.0, 3.0]])
W = np.array([[1.0, -2.0], [0.5, 3.0], [2.0, 1.0]])


def solved(a, b):
    x = scipy.linalg.solve(a, b, overwrite_a=False) + scipy.linalg.solve(a, b, transposed=True)
    return np.sum(x * x) + scipy.linalg.det(a) + np.sum(scipy.linalg.inv(a, check_finite=False) * a.T)


def solved_by_triangle(a, b):
    x = scipy.linalg.solve(a, b, assume_a="pos") - scipy.linalg.solve(a, b, assume_a="pos", lower=True)
    y = scipy.linalg.solve(a, b, assume_a="sym", lower=True)
    return np.sum(W[:, 0] * x * y) + np.sum(y**3)


def triangular(a, b):
    x = scipy.linalg.solve_triangular(a, b, lower=True)
    y = scipy.linalg.solve_triangular(a, b, trans="T", unit_diagonal=True)
    return np.sum(W * x * y)


def factored(a, b):
    c = scipy.linalg.cholesky(a) + scipy.linalg.cholesky(a, lower=True)
    x = scipy.linalg.cho_solve(scipy.linalg.cho_factor(a), b)
    y = scipy.linalg.cho_solve(scipy.linalg.cho_factor(a, lower=True), b)
    return np.sum(c * a) + np.sum(W[:, 0] * x + W[:, 1] * y * x)


def packed(a, b):
    factors = scipy.linalg.lu_factor(a)
    x = scipy.linalg.lu_solve(factors, b)
    lu, piv = factors
    return np.sum(W * x * scipy.linalg.lu_solve((lu, piv), b, trans=1)) + np.sum(lu[0] ** 2)


def exponentials(a, b):
    e = scipy.linalg.expm(0.3 * a)
    d = scipy.linalg.block_diag(a, e[:2], np.ones((1, 1)))
    return np.sum(e @ b) + np.sum(d * d)


def decomposed(a, b):
    w, v = scipy.linalg.eigh(a)
    u, s, vt = scipy.linalg.svd(a + 0.3 * np.outer(b, b), full_matrices=False)
    q, r = scipy.linalg.qr(a, mode="economic")
    vectors = np.sum(v**4 * w) + np.sum(u[:, 0] * vt[0]) ** 2
    values = np.sum(scipy.linalg.eigvalsh(a, lower=False) ** 3 + scipy.linalg.svdvals(a) * s)
    return (
        vectors + values + np.sum(q * r) + scipy.linalg.svd(a, compute_uv=False)[0] + scipy.linalg.norm(a, 1)
    )


def relative(a, b):
    w, v = scipy.linalg.eigh(a, np.diag(b * b) + 0.1 * a)
    p, l, u = scipy.linalg.lu(a)
    k, h = scipy.linalg.polar(a + np.outer(b, b))
    values = np.sum(w * v**2) + np.sum(scipy.linalg.eigh(a, np.diag(b * b), eigvals_only=True) ** 2)
    return values + np.sum((p @ l) * u) + np.sum(k * h) + np.sum(scipy.linalg.pinv(a) * a)


def rooted(a, b):
    root, log = scipy.linalg.sqrtm(a), scipy.linalg.logm(a)
    return np.sum((root @ b) ** 2) + np.sum(log @ root @ b)


def banded(a, b):
    x = scipy.linalg.solve_banded((1, 1), a, b)
    y = scipy.linalg.solve_banded((2, 0), a, W[:, 0])
    diagonals = np.stack((a[1] + 9.0, a[2]))
    return np.sum(x * y) + np.sum(scipy.linalg.solveh_banded(diagonals, b, lower=True) ** 2)


def banded_of_complex(a, b):
    x = scipy.linalg.solve_banded((1, 1), a + 1j * a[::-1], b)
    diagonals = np.stack((1j * a[1], a[2] + 9.0))
    return np.sum(x.real * x.imag) + np.sum(
        np.imag(scipy.linalg.solveh_banded(diagonals, b + 1j * a[0])) ** 2
    )


def patterned(a, b):
    c = scipy.linalg.toeplitz(b) + scipy.linalg.toeplitz(b, a[0]) * scipy.linalg.circulant(b)
    d = scipy.linalg.hankel(b) + scipy.linalg.hankel(a[0], a[1])
    e = scipy.linalg.companion(a[0] / 3.0)
    return np.sum(c * d * a) + np.sum(e * e) + np.sum(scipy.linalg.solve_circulant(b, a[0]) ** 2)


def equations(a, b):
    x = scipy.linalg.solve_sylvester(a, a.T, np.outer(b, b))
    y = scipy.linalg.solve_continuous_lyapunov(a, np.diag(b))
    return np.sum(x * y) + np.sum(scipy.linalg.solve_discrete_lyapunov(0.1 * a, np.diag(b)) ** 2)


def spanned(a, b):
    basis, rest = scipy.linalg.orth(a[:, :2]), scipy.linalg.null_space(a[:2])
    return np.sum((basis @ (basis.T @ b)) ** 2 * b) + np.sum((rest @ (rest.T @ b)) ** 2 * b)


def turned(a, b):
    """The matrix has a pair of complex eigenvalues."""
    w, v = scipy.linalg.eig(a - np.outer(b, b[::-1] * 4.0))
    values = scipy.linalg.eigvals(a - np.outer(b, b[::-1] * 4.0)) * (1.0 + 2.0j)
    return np.sum(np.abs(w * v[0]) ** 3) + np.sum((v[1] * w).imag * b) + np.sum(values.imag * b)


def further(a, b):
    turn, scale = scipy.linalg.orthogonal_procrustes(a, a[::-1] + np.outer(b, b))
    w, v = scipy.linalg.eigh_tridiagonal(b, b[:2] * b[1:])
    values = scipy.linalg.eigvalsh_tridiagonal(b, b[1:])
    columns = scipy.linalg.khatri_rao(a, a[:2])
    return (
        np.sum(turn * a) * scale
        + np.sum(v**2 * w)
        + values[0] * np.sum(scipy.linalg.pinvh(a))
        + np.sum(columns**2 * b)
    )


def nearest(a, b):
    x, square, rank, s = scipy.linalg.lstsq(a[:, :2], b)
    y, squares, _, _ = scipy.linalg.lstsq(a[:, 1:], a, 1e-9)
    return np.sum(x * x) * square * rank + np.sum(s) + np.sum(y[0] * squares)


PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (solved, (A, b)),
    (solved_by_triangle, (S, b)),
    (triangular, (A, B)),
    (factored, (S, b)),
    (packed, (A[[2, 0, 1]], B)),
    (exponentials, (A, b)),
    (decomposed, (S, b)),
    (relative, (S, b)),
    (rooted, (A, b)),
    (banded, (A, b)),
    (banded_of_complex, (A, b)),
    (patterned, (A, b)),
    (equations, (A, b)),
    (spanned, (A, b)),
    (turned, (A, b)),
    (nearest, (A, b)),
    (further, (A, b)),
]


SHORT = [each for each in PROGRAMS if each[0] not in (decomposed, relative, turned, nearest, further)]
"""The programs that Numba compiles in a few seconds."""


@pytest.mark.parametrize(
    ("function", "arguments"), turning(21, PROGRAMS), ids=lambda each: getattr(each, "__name__", "")
)
def test_programs(function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    value, gradient = bs.value_and_grad(function, argnums=(0, 1), jit=False)(*arguments)
    np.testing.assert_allclose(value, function(*arguments), rtol=1e-12)
    rng = np.random.default_rng(1)
    direction = [rng.uniform(-1.0, 1.0, np.shape(each)) for each in arguments]
    step = 1e-5

    def along(asked: Callable[..., Any]) -> Any:
        ahead = asked(*(each + step * way for each, way in zip(arguments, direction, strict=True)))
        behind = asked(*(each - step * way for each, way in zip(arguments, direction, strict=True)))
        return (np.asarray(ahead) - np.asarray(behind)) / (2.0 * step)

    found = sum(np.sum(one * way) for one, way in zip(gradient, direction, strict=True))
    np.testing.assert_allclose(found, along(function), rtol=1e-7)
    np.testing.assert_allclose(bs.jvp(function, arguments, tuple(direction), jit=False)[1], found, rtol=1e-10)
    text = bs.grad(function, jit=False)
    np.testing.assert_allclose(text(*arguments), gradient[0], rtol=1e-11, atol=1e-12)
    twice = bs.hvp(function, jit=False)(arguments, (direction[0],))
    direction[1] = np.zeros_like(arguments[1])
    np.testing.assert_allclose(twice, along(text), rtol=1e-6, atol=1e-7)


@pytest.mark.turns(9)
@pytest.mark.compiles
@pytest.mark.parametrize(
    ("function", "arguments"), turning(30, SHORT), ids=lambda each: getattr(each, "__name__", "")
)
def test_compiled(function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    value, gradient = bs.value_and_grad(function, argnums=(0, 1))(*arguments)
    np.testing.assert_allclose(value, function(*arguments), rtol=1e-12)
    plain = bs.grad(function, argnums=(0, 1), jit=False)(*arguments)
    for one, other in zip(gradient, plain, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(numba.njit(function)(*arguments), function(*arguments), rtol=1e-12)


def of_complex(a, b):
    """Complex matrices, some of them Hermitian: conjugates are where the real ones have transposes."""
    z = a + 1j * np.outer(b, a[0])
    h = z @ np.conj(z.T) + np.eye(3)
    w, v = scipy.linalg.eigh(z + np.conj(z.T), lower=False)
    lower, upper = scipy.linalg.cho_factor(h, lower=True), scipy.linalg.cho_factor(h)
    x = scipy.linalg.cho_solve(lower, z[0]) * scipy.linalg.cho_solve(upper, b)
    y = scipy.linalg.solve(h, b, assume_a="pos") + scipy.linalg.solve(h, z[1], assume_a="her")
    u = scipy.linalg.solve_triangular(z, b, trans="C") + scipy.linalg.solve_triangular(a, z[2], trans="T")
    t = scipy.linalg.lu_solve(scipy.linalg.lu_factor(z), b, trans=2)
    rest = scipy.linalg.null_space(z[:2])
    return (
        np.sum(np.abs(x) ** 2 * b)
        + np.sum((y * u * t).imag)
        + np.vdot(v[:, 0], z @ v[:, 0]).imag
        + np.abs((z[2] @ rest)[0]) ** 2
        + np.sum(scipy.linalg.eigvalsh(z + np.conj(z.T), h)) * w[1]
    )


def functions_of_complex(a, b):
    z = a + 0.3j * a.T + 1j * np.diag(b)
    e, root, log = scipy.linalg.expm(0.3 * z), scipy.linalg.sqrtm(z), scipy.linalg.logm(z)
    return np.abs(np.sum(e @ b)) ** 2 + np.sum((root @ log).real) + np.sum(log.imag**2)


def equations_of_complex(a, b):
    z = a + 0.3j * a.T + 1j * np.diag(b)
    k, h = scipy.linalg.polar(z[:2], side="left")
    x = scipy.linalg.solve_sylvester(z, a, z * z) * scipy.linalg.solve_continuous_lyapunov(z, a)
    y = scipy.linalg.solve_discrete_lyapunov(0.1 * z, a)
    d = scipy.linalg.block_diag(z, a)
    return np.sum((h @ k).imag) + np.sum(np.abs(h)) + np.sum((x * y).real) + np.sum(np.abs(d) ** 3)


OF_COMPLEX = [of_complex, functions_of_complex, equations_of_complex]


@pytest.mark.parametrize("function", OF_COMPLEX, ids=lambda each: each.__name__)
def test_complex_matrices(function: Callable[..., Any]) -> None:
    value, gradient = bs.value_and_grad(function, argnums=(0, 1), jit=False)(A, b)
    np.testing.assert_allclose(value, function(A, b), rtol=1e-12)
    way, step = (np.cos(A), np.sin(b)), 1e-5
    ahead, behind = (function(A + h * way[0], b + h * way[1]) for h in (step, -step))
    found = np.sum(gradient[0] * way[0]) + np.sum(gradient[1] * way[1])
    np.testing.assert_allclose(found, (ahead - behind) / (2.0 * step), rtol=1e-7)


def test_complex_pivots_are_scipys() -> None:
    rows = np.array([[1.0 + 1.0j, 2.0, 0.5j], [1.3 + 0.1j, 1.0j, 1.0], [0.2, 3.0, 1.0 - 1.0j]])

    def factors(a):
        return *scipy.linalg.lu(a), scipy.linalg.lu_factor(a)[0]

    for ours, theirs in zip(bs.vjp(factors, rows, jit=False)[0], factors(rows), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@numba.njit
def of_compiled_complex(c, b):
    return scipy.linalg.cho_solve((c, True), b) + scipy.linalg.solve_triangular(c, b, trans="C")


@pytest.mark.compiles
@pytest.mark.turns(9)
def test_compiled_values_of_complex_matrices() -> None:
    h = S + 1j * (A - A.T)
    wanted = of_compiled_complex.py_func(h, b + 1j)
    np.testing.assert_allclose(of_compiled_complex(h, b + 1j), wanted, rtol=1e-12)


@pytest.mark.compiles
def test_unknown_option() -> None:
    def banded(a, b):
        return np.sum(scipy.linalg.solve(a, b, assume_a="banded"))

    with pytest.raises(bs.UnsupportedError, match="`assume_a='banded'` of `solve` is not supported"):
        bs.grad(banded)(A, b)
    with pytest.raises(numba.TypingError, match="is not supported"):
        numba.njit(banded)(A, b)


@pytest.mark.parametrize("lower", [False, True])
def test_banded_matrices_that_are_not_definite_raise(lower: bool) -> None:
    def solved(x):
        diagonals = np.stack((x * np.ones(3), np.array([2.0, 1.0, 2.0])))
        return np.sum(
            scipy.linalg.solveh_banded(diagonals[::-1] if lower else diagonals, np.ones(3), lower=lower)
        )

    slope = bs.grad(solved, jit=False)
    assert slope(0.5) == pytest.approx((solved(0.5 + 1e-6) - solved(0.5 - 1e-6)) / 2e-6)
    for function in (solved, slope):
        with pytest.raises(np.linalg.LinAlgError, match="leading minor"):
            function(2.0)


@pytest.mark.parametrize("matrix", [-np.eye(2), np.zeros((2, 2))])
@pytest.mark.parametrize("function", [scipy.linalg.sqrtm, scipy.linalg.logm], ids=lambda each: each.__name__)
def test_no_real_result(function, matrix):
    with pytest.raises(
        ValueError, match=r"on the negative axis.*np.linalg.eig\(a \+ 0j\)|singular to machine"
    ):
        bs.grad(lambda a: np.sum(function(a)), jit=False)(matrix)


@pytest.mark.parametrize(
    ("function", "of_number"),
    [(scipy.linalg.sqrtm, np.sqrt), (scipy.linalg.logm, np.log)],
    ids=["sqrtm", "logm"],
)
def test_root_and_logarithm_by_eigenvectors(function, of_number):
    """The remedy of the message: with eigenvalues on the negative axis."""

    def by_eigenvectors(a):
        w, v = np.linalg.eig(a + 0j)
        return (v * of_number(w)) @ np.linalg.inv(v)

    a = np.array([[-1.0, -0.5], [-0.2, -1.1]])
    value = bs.vjp(by_eigenvectors, a, jit=False)[0]
    np.testing.assert_allclose(value, function(a), rtol=1e-10)
    slope = bs.jvp(by_eigenvectors, (a,), (B[:2],), jit=False)[1]
    ahead, behind = function(a + 1e-5 * B[:2]), function(a - 1e-5 * B[:2])
    np.testing.assert_allclose(slope, (ahead - behind) / 2e-5, rtol=1e-6)


def test_refused_in_words():
    with pytest.raises(bs.UnsupportedError, match=r"one matrix and its right eigenvectors"):
        bs.grad(lambda a: np.sum(scipy.linalg.eig(a, left=True)[1].real), jit=False)(A)
    with pytest.raises(bs.UnsupportedError, match=r"`schur` has factors that are not unique"):
        bs.grad(lambda a: np.sum(scipy.linalg.schur(a)[0]), jit=False)(A)
    with pytest.raises(bs.UnsupportedError, match=r"another driver's"):
        bs.grad(lambda d: scipy.linalg.eigh_tridiagonal(d, b[:2], lapack_driver="stebz")[1][0, 0], jit=False)(
            b
        )
    with pytest.raises(ValueError, match="not unique"):
        bs.grad(lambda a: np.sum(scipy.linalg.polar(a)[0]), jit=False)(np.outer(b, b))
    with pytest.raises(ValueError, match="more rows than columns"):
        bs.grad(lambda a: np.sum(scipy.linalg.lstsq(a, b)[0]), jit=False)(A)
    for first in (
        lambda a: scipy.linalg.qr(a)[0],
        lambda a: scipy.linalg.rq(a, mode="r"),
        lambda a: np.linalg.qr(a)[1],
    ):
        for unfit in (np.zeros((1, 1)), np.outer(b[:2], b[:2]), np.outer(b, 1j * b)):
            value, pullback = bs.vjp(first, unfit, jit=False)
            with pytest.raises(np.linalg.LinAlgError, match="depend on one another"):
                pullback(value)
            with pytest.raises(np.linalg.LinAlgError, match="depend on one another"):
                bs.jvp(first, (unfit,), (unfit,), jit=False)


@pytest.mark.parametrize("shape", [(0, 0), (3, 0), (0, 3)])
@pytest.mark.parametrize("name", ["orth", "null_space", "subspace_angles"])
def test_spaces_of_empty_matrices(name, shape):
    def space(a):
        return (
            scipy.linalg.subspace_angles(a, a)
            if name == "subspace_angles"
            else getattr(scipy.linalg, name)(a)
        )

    empty = np.zeros(shape)
    value, pullback = bs.vjp(space, empty, jit=False)
    np.testing.assert_array_equal(value, space(empty))
    assert pullback(np.zeros_like(value)).shape == shape


@pytest.mark.parametrize("mode", ["full", "r", "economic"])
@pytest.mark.parametrize("function", [scipy.linalg.qr, scipy.linalg.rq])
@pytest.mark.parametrize(
    "matrix", [B, B.T, B + 1j * W, W.T - 1j * B.T], ids=["tall", "wide", "tall, complex", "wide, complex"]
)
def test_factors_of_matrices_that_are_not_square(function, matrix, mode):
    def factors(a):
        made = function(a, mode=mode)
        return made if isinstance(made, tuple) else (made,)

    value, tangent = bs.jvp(factors, (matrix,), (matrix[::-1],), jit=False)
    ahead, behind = factors(matrix + 1e-6 * matrix[::-1]), factors(matrix - 1e-6 * matrix[::-1])
    for one, other, slope, high, low in zip(value, factors(matrix), tangent, ahead, behind, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(slope, (high - low) / 2e-6, rtol=1e-7, atol=1e-8)


@pytest.mark.compiles
def test_singular() -> None:
    def total(a, b):
        return np.sum(scipy.linalg.solve_triangular(a, b))

    with pytest.raises(np.linalg.LinAlgError):
        bs.grad(total)(np.zeros((2, 2)), np.ones(2))


@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 70])
def test_triangular_systems_of_many_rows(n: int) -> None:
    """One right-hand side and several, of either triangle."""
    whole = np.random.default_rng(n).normal(size=(n, n)) + n * np.eye(n)
    for triangle, lower in ((np.tril(whole), True), (np.triu(whole), False), (np.tril(whole).T, False)):
        for right in (whole, whole[:, :1] if n else whole, np.arange(1.0, n + 1.0), whole + 1j * whole.T):
            for unit in (False, True):
                found = triangular_solution(triangle, right, lower, unit)
                np.testing.assert_allclose(
                    found,
                    scipy.linalg.solve_triangular(triangle, right, lower=lower, unit_diagonal=unit),
                    rtol=1e-9,
                    atol=1e-12,
                )


@numba.njit
def compiled_solution(a, b, lower, unit):
    return triangular_solution(a, b, lower, unit)


@pytest.mark.compiles
@pytest.mark.parametrize("kinds", ["dd", "ff", "DD", "FF", "fD", "Df", "dd by columns", "dd with gaps"])
def test_compiled_triangular_systems(kinds: str) -> None:
    """SciPy's BLAS solves them, whatever the numbers and the layout; the other triangle is not read."""
    rng = np.random.default_rng(4)
    for n in (0, 1, 5, 40):
        whole = rng.normal(size=(n, n)) + n * np.eye(n)
        a = (whole + (1j * whole.T if kinds[0] in "FD" else 0)).astype(kinds[0])
        b = (whole - (1j * whole if kinds[1] in "FD" else 0)).astype(kinds[1])
        if "columns" in kinds:
            a = np.asfortranarray(a)
        if "gaps" in kinds:
            a = np.repeat(a, 2, axis=1)[:, ::2]
        for lower in (False, True):
            for unit in (False, True):
                for right in (b, b[:, 0] if n else np.empty(0, kinds[1])):
                    found = compiled_solution(a, right, lower, unit)
                    assert found.dtype == np.result_type(a, right)
                    tolerance = 1e-9 if found.dtype.char in "dD" and "f" not in kinds else 2e-4
                    wanted = (
                        scipy.linalg.solve_triangular(a, right, lower=lower, unit_diagonal=unit)
                        if n
                        else right
                    )
                    np.testing.assert_allclose(found, wanted, tolerance, tolerance)


def log_likelihood(p):
    a = p.reshape(p.size // 3, 3)
    factor = np.linalg.cholesky(0.3 * a @ a.T + (2.0 + p[0] ** 2) * np.eye(a.shape[0]))
    return np.sum(np.log(np.diag(factor))) + np.sum(factor**3)


@pytest.mark.compiles
@pytest.mark.parametrize("rows", [5, 40])
def test_derivatives_of_a_cholesky_factor_in_blocks(rows: int) -> None:
    """In both modes and orders of modes they agree, and in first order with steps; the third order, too."""
    p, v = np.random.default_rng(rows).normal(size=(2, 3 * rows))
    slope = bs.grad(log_likelihood, jit=False)
    gradient = slope(p)
    step = 1e-5
    by_steps = (log_likelihood(p + step * v) - log_likelihood(p - step * v)) / (2.0 * step)
    assert gradient @ v == pytest.approx(by_steps, rel=1e-7)
    assert bs.jvp(log_likelihood, (p,), (v,), jit=False)[1] == pytest.approx(gradient @ v, rel=1e-12)
    hessian = bs.hessian(log_likelihood, jit=False)(p)
    np.testing.assert_allclose(hessian, hessian.T, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(hessian, bs.jacrev(slope, jit=False)(p), rtol=1e-10, atol=1e-12)
    moved = slope(p + step * v) - slope(p - step * v)
    np.testing.assert_allclose(hessian @ v, moved / (2.0 * step), rtol=1e-5, atol=1e-7)


def test_the_third_derivative_of_a_cholesky_factor() -> None:
    q = np.random.default_rng(0).normal(size=9)
    found = bs.jacrev(bs.hessian(log_likelihood), jit=False)(q)
    np.testing.assert_allclose(
        bs.jacfwd(bs.hessian(log_likelihood), jit=False)(q), found, rtol=1e-10, atol=1e-12
    )
    for axes in ((1, 0, 2), (2, 1, 0)):
        np.testing.assert_allclose(np.transpose(found, axes), found, rtol=1e-10, atol=1e-12)


def test_a_symmetric_banded_system_stays_in_single_precision():
    diagonals = np.array([[0.0, 0.3, 0.2], [4.0, 5.0, 6.0]], np.float32)
    x, pull = bs.vjp(scipy.linalg.solveh_banded, diagonals, np.ones(3, np.float32), jit=False)
    assert x.dtype == np.float32
    np.testing.assert_allclose(x, scipy.linalg.solveh_banded(diagonals, np.ones(3, np.float32)), 1e-6)
    assert all(each.dtype == np.float32 for each in pull(x))
