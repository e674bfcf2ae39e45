"""Eigenvalues and eigenvectors of general matrices, roots, singular values: derivatives of both orders, and where there is none."""

# ruff: noqa: PLW0108  a library function itself has no text to differentiate
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import backsweep as bs
from tests.frontend.test_library_calls import assert_derivatives
from tests.support import checking
from tests.support.sampled import turning

A = np.array([[4.3, 0.9, 0.5], [0.8, 3.15, 0.65], [-0.3, 1.2, 5.7]])
C = A + 1j * np.array([[0.3, -1.1, 0.4], [0.9, 0.7, -0.6], [-0.2, 1.3, 0.5]])
R = np.array([[0.3, -1.1, 0.4], [0.9, 0.7, -0.6], [-0.2, 1.3, 0.5]])
H = C @ C.conj().T
T = np.concatenate([C, [[0.4 - 0.9j, 1.7j, -0.8]]])
P = np.array([1.0, -6.5, 11.0, -3.9])

SMOOTH: dict[str, tuple[Callable[..., Any], Any]] = {
    "eigvals": (lambda a: np.linalg.eigvals(a) ** 2, A),
    "eig": (lambda a: np.linalg.eig(a)[1], A),
    "both of eig": (lambda a: np.linalg.eig(a)[1] * np.linalg.eig(a)[0], A),
    "eigvals of complex": (lambda a: np.linalg.eigvals(a).imag, C),
    "eig of complex": (lambda a: np.linalg.eig(a)[1].real, C),
    "complex eigenvalues of real": (lambda a: np.abs(np.linalg.eigvals(a + 0j)) ** 2, R),
    "complex eigenvectors of real": (lambda a: np.linalg.eig(a + 0j)[1].imag, R),
    "roots": (lambda p: np.roots(p) ** 2, P),
    "complex roots": (lambda p: np.abs(np.roots(p + 0j)) ** 2, np.array([1.0, 2.0, 3.0, 4.0])),
    "slogdet of complex matrices": (lambda a: np.linalg.slogdet(np.stack((a, 2j * a)))[1], C),
    "slogdet of complex": (lambda a: np.linalg.slogdet(a)[1] * np.linalg.slogdet(a)[0].imag, C),
    "det of complex": (lambda a: np.linalg.det(a).imag, C),
    "cholesky of complex": (lambda a: np.abs(np.linalg.cholesky(a) * C.real), H),
    "eigvalsh of complex": (lambda a: np.linalg.eigvalsh(a) ** 2, H),
    "eigh of complex": (lambda a: np.abs(np.linalg.eigh(a)[1]) * np.linalg.eigh(a)[0], H),
    "phases of eigh": (lambda a: np.linalg.eigh(a)[1].imag, H),
    "svd of complex": (lambda a: np.abs(np.linalg.svd(a, False)[0]) * np.linalg.svd(a, False)[1], T),
    "phases of svd": (lambda a: (np.linalg.svd(a, False)[0] * C.real[0]).imag, T),
    "phases of wide svd": (lambda a: (np.linalg.svd(a.T, False)[2].T * C.real[0]).imag, T),
    "unitary factor": (lambda a: (np.linalg.svd(a)[0][:, :3] @ np.linalg.svd(a)[2]).real, T),
    "qr of complex": (lambda a: np.linalg.qr(a)[0].imag @ np.linalg.qr(a)[1].real, T),
    "wide qr of complex": (lambda a: np.linalg.qr(a.T)[0].imag @ np.linalg.qr(a.T)[1].real, T),
    "pinv of complex": (lambda a: np.abs(np.linalg.pinv(a)), T),
    "lstsq of complex": (lambda a: np.abs(np.linalg.lstsq(a, a[:, 0] ** 2, rcond=1e-12)[0]), T),
    "svd without vectors": (lambda a: np.linalg.svd(a, compute_uv=False), A),
    "largest singular value": (lambda a: np.linalg.norm(a, 2), A),
    "nuclear norm": (lambda a: np.linalg.norm(a, "nuc"), A),
    "cond": (lambda a: np.linalg.cond(a), A),
}


@pytest.mark.parametrize("name", turning(6, SMOOTH))
def test_derivatives(name):
    function, x = SMOOTH[name]
    assert_derivatives(function, (x,), jit=False)


SLOW = ("unitary factor", "svd of complex", "phases of svd", "phases of wide svd", "wide qr of complex")
"""Their second derivatives take half a minute each."""


@pytest.mark.parametrize("name", turning(18, [name for name in SMOOTH if name not in SLOW]))
def test_second_order(name):
    function, x = SMOOTH[name]
    gradient = bs.grad(lambda x: np.sum(np.sin(0.3 * function(x))), jit=False)
    direction = checking.cotangent_like(x, seed=2)

    def along(step):
        return np.real(np.sum(gradient(x + step * direction) * direction))

    second = bs.grad(lambda x: np.real(np.sum(gradient(x) * direction)), jit=False)(x)
    expected = (along(1e-5) - along(-1e-5)) / 2e-5
    assert abs(np.real(np.sum(second * direction)) - expected) < 1e-6 * (1.0 + abs(expected))


def test_vectors_keep_their_length_and_the_phase_of_their_largest_entry():
    _, v = np.linalg.eig(C)
    (_, _), (_, v_dot) = bs.jvp(lambda a: np.linalg.eig(a), (C,), (R + 0j,), jit=False)
    largest = np.argmax(np.abs(v), 0)
    np.testing.assert_allclose(np.sum(np.conj(v) * v_dot, 0).real, 0.0, atol=1e-14)
    np.testing.assert_allclose(np.diag(v_dot[largest]).imag, 0.0, atol=1e-14)


@pytest.mark.parametrize("matrix", [np.eye(2), np.array([[1.0, 0.0], [0.0, 1.0]]) * (1 + 0j)])
def test_equal_eigenvalues(matrix):
    alike = bs.grad(lambda a: np.sum(np.linalg.eigvals(a) ** 3).real, jit=False)(matrix)
    np.testing.assert_allclose(alike, 3.0 * np.eye(2))
    one = bs.grad(lambda a: np.linalg.eigvals(a)[0].real, jit=False)(matrix)
    assert np.isnan(one).all()
    vectors = bs.grad(lambda a: np.sum(np.linalg.eig(a)[1][0] ** 3).real, jit=False)(matrix)
    assert np.isnan(vectors).all()


def test_without_enough_eigenvectors():
    jordan = np.array([[1.0, 1.0], [0.0, 1.0]])
    assert np.isnan(bs.grad(lambda a: np.sum(np.linalg.eigvals(a)), jit=False)(jordan)).all()
    assert np.isnan(bs.jvp(lambda a: np.linalg.eigvals(a), (jordan,), (R[:2, :2],), jit=False)[1]).all()


@pytest.mark.parametrize("function", [lambda a: np.linalg.eigvals(a), lambda a: np.linalg.eig(a)])
def test_complex_eigenvalues_of_real_matrices_raise(function):
    with pytest.raises(ValueError, match="domain change"):
        bs.vjp(function, np.array([[0.0, 1.0], [-1.0, 0.0]]), jit=False)


def test_roots_that_have_no_derivative():
    with pytest.raises(ValueError, match="domain"):
        bs.vjp(lambda p: np.roots(p), np.array([1.0, 0.0, 1.0]), jit=False)
    assert np.isnan(bs.grad(lambda p: np.roots(p)[0], jit=False)(np.array([1.0, 0.0, 0.0]))).any()
    with_zeros = bs.grad(lambda p: np.sum(np.roots(p) ** 2), jit=False)(np.array([0.0, 1.0, -3.0, 2.0, 0.0]))
    assert np.isfinite(with_zeros).all()


def test_second_derivative_of_the_nuclear_norm_at_equal_singular_values():
    second = bs.hessian(lambda a: np.linalg.norm(a, "nuc"), jit=False)(np.eye(2)).reshape(4, 4)
    np.testing.assert_allclose(second, [[0, 0, 0, 0], [0, 0.5, -0.5, 0], [0, -0.5, 0.5, 0], [0, 0, 0, 0]])


@pytest.mark.parametrize("shape", [(0, 3), (3, 0)])
def test_the_nuclear_norm_of_an_empty_matrix(shape):
    def norm(a):
        return np.linalg.norm(a, "nuc")

    empty = np.zeros(shape)
    value, slope = bs.value_and_grad(norm, jit=False)(empty)
    assert value == 0.0
    assert slope.shape == shape
    assert bs.jvp(norm, (empty,), (empty,), jit=False) == (0.0, 0.0)
    assert bs.hessian(norm, jit=False)(empty).size == 0


@pytest.mark.skipif(not hasattr(np.linalg, "svdvals"), reason="NumPy 2 has these names")
def test_names_of_the_array_api():
    def product(a):
        outer = np.linalg.outer(a[0], a[1]) + np.linalg.matmul(a, np.linalg.matrix_transpose(a))
        return outer * np.linalg.trace(a) * np.linalg.matrix_norm(a) + np.linalg.svdvals(a)

    assert_derivatives(product, (A,), jit=False)
    assert_derivatives(lambda a: np.linalg.cross(a[0], a[1]) + np.linalg.diagonal(a), (A,), jit=False)


@numba.njit
def radius(a):
    return np.max(np.abs(np.linalg.eigvals(a + 0j))) + np.linalg.svd(a, compute_uv=False)[0]


@pytest.mark.compiles
@pytest.mark.turns(9)
def test_compiled_functions_of_the_user():
    np.testing.assert_allclose(radius(A), radius.py_func(A), rtol=1e-12)
    bs.check_grads(radius, (A,))


def test_phases_of_no_reference_are_nan():
    """LAPACK's first entries are real. Vectors whose first entry is zero have no phase there, and a result that depends on it no derivative."""
    x = np.diag([1.0 + 0j, 2.0, 4.0])
    assert np.isnan(bs.grad(lambda x: np.sum(np.linalg.eigh(x)[1].imag), jit=False)(x)).any()
    invariant = bs.grad(lambda x: np.sum(np.abs(np.linalg.eigh(x)[1]) ** 2 * C.real), jit=False)(x)
    np.testing.assert_array_equal(invariant, np.zeros((3, 3)))


def test_equal_eigenvalues_of_hermitian_matrices():
    x = np.eye(3, dtype=np.complex128)
    np.testing.assert_allclose(
        bs.grad(lambda x: np.sum(np.linalg.eigvalsh(x) ** 2), jit=False)(x), 2.0 * x, atol=1e-15
    )
    assert np.isnan(bs.grad(lambda x: np.sum(np.linalg.eigh(x)[1].real * A), jit=False)(x)).any()


@numba.njit
def of_hermitian(a, b):
    x = a @ a.T + b @ b.T + 1j * (b @ a.T - a @ b.T)
    w, v = np.linalg.eigh(x)
    return np.sum((v * np.exp(0.1 * w)).real) + np.sum(np.abs(np.linalg.cholesky(x)))


@pytest.mark.compiles
@pytest.mark.turns(3)
def test_compiled_decompositions_of_complex_matrices():
    bs.check_grads(of_hermitian, (A, R), modes=("rev", "fwd"))


def test_roots_of_complex_polynomials_are_complex_where_all_are_zero():
    def double(p):
        return 2.0 * np.roots(p + 0j)

    w, pull = bs.vjp(double, np.array([2.0, 0.0]), jit=False)
    assert w.dtype == np.complex128
    np.testing.assert_array_equal(pull(np.ones(1) + 0j), [0.0, -1.0])
    _, w_dot = bs.jvp(double, (np.array([2.0, 0.0]),), (np.array([0.0, 3.0]),), jit=False)
    np.testing.assert_array_equal(w_dot, [-3.0])
