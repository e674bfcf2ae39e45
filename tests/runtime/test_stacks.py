"""Linear algebra of stacks of matrices, and the options that Numba has not: values are NumPy's, and derivatives are right."""

# ruff: noqa: PLW0108  a library function itself has no text to differentiate
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backsweep as bs
from tests.frontend.test_library_calls import assert_derivatives
from tests.support.sampled import turning

S = np.array([[[1.3, 0.4, -0.5], [0.2, 2.1, 0.7], [-0.6, 0.3, 3.2], [0.8, -0.9, 0.1]]] * 2) + 0.4 * np.sin(
    np.arange(24.0)
).reshape(2, 4, 3)
Q = S[:, :3].copy()
C = Q * (1.0 + 0.2j) + 1j * np.cos(np.arange(18.0)).reshape(2, 3, 3)
H = Q @ Q.transpose(0, 2, 1) + np.diag([1.0, 2.0, 4.0])
X = np.sin(np.arange(1.0, 37.0) ** 2).reshape(2, 3, 6)
V = np.array([0.4, 1.3, -0.7])
numpy_2 = pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.0.0", reason="NumPy 2 has these options"
)

FORMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "pinv": (lambda s: np.linalg.pinv(s), (S,)),
    "pinv, rcond": (lambda s: np.linalg.pinv(s, rcond=1e-10), (S,)),
    "pinv of lower rank": (lambda a: np.linalg.pinv(a, 0.5), (S[0],)),
    "pinv of lower rank, wide": (lambda a: np.linalg.pinv(a.T, rcond=0.5), (S[0],)),
    "pinv of symmetric ones": (lambda h: np.linalg.pinv(h, hermitian=True), (H,)),
    "qr": (lambda s: np.linalg.qr(s)[0], (S,)),
    "qr, r": (lambda s: np.linalg.qr(s, mode="r"), (S,)),
    "qr, complete": (lambda s: np.linalg.qr(s, "complete")[0], (S,)),
    "qr of a matrix, complete": (lambda a: np.linalg.qr(a, mode="complete")[0], (S[0],)),
    "qr of a matrix, complete, both": (lambda a: np.linalg.qr(a.T, mode="complete")[1], (S[0],)),
    "qr of complex, complete": (
        lambda a: np.abs(np.linalg.qr(a, mode="complete")[0].real),
        (C[0, :, :2].copy(),),
    ),
    "eig": (lambda q: np.linalg.eig(q)[1] * 2.0, (H,)),
    "eigvals": (lambda q: np.linalg.eigvals(q), (H,)),
    "eigvals of complex": (lambda q: np.linalg.eigvals(q).imag, (C,)),
    "eigh, upper": (lambda h: np.linalg.eigh(h, UPLO="U")[0], (H,)),
    "eigh of complex, upper": (lambda c: np.linalg.eigh(c, "u")[0], (C,)),
    "eigh, lower": (lambda h: np.linalg.eigh(h, "l")[1] ** 2, (H[0],)),
    "eigvalsh, told lower": (lambda h: np.linalg.eigvalsh(h, "L"), (H[0],)),
    "solve, whole numbers": (lambda v: np.linalg.solve(np.array([[3, 1, 0], [1, 2, 1], [0, 1, 4]]), v), (V,)),
    "solve of real with complex": (lambda q, v: np.abs(np.linalg.solve(q, v + 0.5j)), (Q[0], V)),
    "solve, stack with whole numbers": (lambda q: np.linalg.solve(q, np.arange(6).reshape(3, 2)), (Q,)),
    "eigvalsh, upper": (lambda h: np.linalg.eigvalsh(h, UPLO="U"), (H,)),
    "cholesky, upper": (lambda h: np.linalg.cholesky(h), (H,)),
    "cond": (lambda q: np.linalg.cond(q), (Q,)),
    "cond, order": (lambda q: np.linalg.cond(q, 1), (Q,)),
    "cond, name": (lambda q: np.linalg.cond(q, "fro"), (Q,)),
    "cond, infinity": (lambda q: np.linalg.cond(q, -np.inf), (Q,)),
    "matrix_rank": (lambda s: np.linalg.matrix_rank(s)[:, np.newaxis, np.newaxis] * s, (S,)),
    "matrix_rank, tolerances": (lambda s: np.linalg.matrix_rank(s, np.array([0.5, 2.0]))[1] * s, (S,)),
    "matrix_rank of symmetric ones": (lambda h: np.linalg.matrix_rank(h[0], hermitian=True) * h, (H,)),
    "svd": (lambda s: np.linalg.svd(s, full_matrices=False)[1], (S,)),
    "svd, vectors": (lambda s: np.linalg.svd(s, False)[0] ** 2, (S,)),
    "svd without vectors": (lambda s: np.linalg.svd(s, compute_uv=False), (S,)),
    "svd of a symmetric one": (lambda h: np.linalg.svd(h - 5.0 * np.eye(3), hermitian=True)[2] ** 2, (H[0],)),
    "svd of symmetric ones": (lambda h: np.linalg.svd(h, hermitian=True)[0] ** 2, (H,)),
    "svd of symmetric ones without vectors": (lambda h: np.linalg.svd(h, False, False, True), (H,)),
    "matrix_power": (lambda q: np.linalg.matrix_power(q, 3), (Q,)),
    "matrix_power, inverse": (lambda q: np.linalg.matrix_power(q, -2), (Q,)),
    "tensorinv": (
        lambda x: np.linalg.tensorinv(np.reshape(x, (2, 3, 2, 3))),
        (X + np.eye(6).reshape(2, 3, 6),),
    ),
    "tensorinv, one": (lambda x: np.linalg.tensorinv(np.reshape(x, (6, 2, 3)), ind=1), (X,)),
    "tensorsolve": (lambda x, v: np.linalg.tensorsolve(np.reshape(x, (2, 3, 6)), np.outer(v[:2], v)), (X, V)),
    "tensorsolve, axes": (
        lambda x, v: np.linalg.tensorsolve(np.reshape(x, (2, 2, 3, 3)), np.outer(v[:2], v), axes=(0, 2)),
        (X, V),
    ),
    "norm of a matrix, kept": (lambda a: np.linalg.norm(a, ord="fro", keepdims=True), (S[0],)),
    "norm by singular values, kept": (lambda a: np.linalg.norm(a, "nuc", (0, 1), True), (S[0],)),
    "norm of a vector, kept": (lambda v: np.linalg.norm(v, 3, keepdims=True), (V,)),
    "names of items": (lambda q: np.linalg.eigh(q).eigenvalues * np.linalg.slogdet(q).logabsdet[0], (H,)),
    "names of items of a matrix": (lambda a: np.linalg.svd(a, False).S[0] * np.linalg.qr(a).R, (S[0],)),
}
OF_NUMPY_2: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "pinv, rtol": (lambda a: np.linalg.pinv(a, rtol=0.5), (S[0],)),
    "matrix_rank, rtol": (lambda s: np.linalg.matrix_rank(s, rtol=0.5)[0] * s, (S,)),
    "cholesky, told lower": (lambda h: np.linalg.cholesky(h, upper=False), (H[0],)),
    "upper factors": (lambda h: np.linalg.cholesky(h, upper=True), (H,)),
    "vector_norm": (lambda s: np.linalg.vector_norm(s, axis=(0, 2), ord=3), (S,)),
    "vector_norm, kept": (lambda s: np.linalg.vector_norm(s, axis=(0, 2), ord=np.inf, keepdims=True), (S,)),
    "matrix_norm, kept": (lambda a: np.linalg.matrix_norm(a, keepdims=True), (S[0],)),
    "svdvals": (lambda s: np.linalg.svdvals(s), (S,)),
    "cross": (lambda s: np.linalg.cross(s[0, :3], s[1, :3], axis=0), (S,)),
}


@pytest.mark.parametrize("name", turning(9, FORMS))
def test_derivatives(name: str) -> None:
    function, arguments = FORMS[name]
    assert_derivatives(function, arguments, jit=False)


@numpy_2
@pytest.mark.parametrize("name", turning(5, OF_NUMPY_2))
def test_derivatives_of_later_options(name: str) -> None:
    function, arguments = OF_NUMPY_2[name]
    assert_derivatives(function, arguments, jit=False)


@pytest.mark.compiles
@pytest.mark.turns(9)
def test_compiled() -> None:
    def together(s: Any) -> Any:
        r = np.linalg.qr(s, mode="r")
        return np.sum(np.linalg.pinv(s)) + np.sum(np.linalg.svd(s, False)[1]) + np.sum(r * r)

    assert_derivatives(together, (S,), jit=True)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            lambda s: np.sum(np.linalg.qr(s, mode="raw")[0]),
            "not supported with the mode 'raw'.*mode=\"complete\"",
        ),
        (lambda s: np.sum(np.linalg.pinv(s, np.array([0.1, 0.2]))), "a tolerance for each matrix.*a loop"),
        (lambda s: np.sum(np.linalg.norm(s, "fro")), "is of vectors and matrices.*axis=-1"),
        (lambda s: np.sum(np.linalg.tensorinv(s, ind=3)), "is given ind=3.*give 1 up to 2"),
    ],
)
def test_refused(function: Any, message: str) -> None:
    with pytest.raises(bs.BacksweepError, match=f"(?s){message}"):
        bs.grad(function, jit=False)(S)


def test_powers_of_whole_numbers_need_an_exponent_that_is_written() -> None:
    whole = np.array([[2, 1], [1, 3]])
    with pytest.raises(bs.BacksweepError, match="exponent that is known only when the program runs"):
        bs.grad(lambda x, n: np.sum(np.linalg.matrix_power(whole, n) @ x), jit=False)(np.ones(2), 3)
