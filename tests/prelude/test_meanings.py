"""What the prelude says of library functions: values as the library gives them, derivatives as differences tell."""

import numpy as np
import pytest
import scipy.fft
import scipy.interpolate as si
import scipy.linalg as sl
import scipy.ndimage as nd
import scipy.signal as ss
import scipy.special as sp
import scipy.stats as st

import backsweep as bs
from tests.frontend.test_library_calls import assert_derivatives
from tests.prelude import distances, images, samples, series, signals
from tests.support.refused import refused
from tests.support.sampled import turning

X = np.array([0.3, 1.2, 0.7, 2.1, 1.5, 0.9])
A = np.array([[0.3, 1.2, 0.7], [2.1, 1.5, 0.95], [0.8, 1.3, 0.2], [1.7, 0.45, 0.6]])
CALLS = {
    "leslie": (lambda x: sl.leslie(x[:3], x[3:5]), X),
    "fiedler": (lambda x: sl.fiedler(x) ** 2, X),
    "leslie, stack": (lambda a: sl.leslie(a, a[0, :2]), A),
    "fiedler, stack": (lambda a: sl.fiedler(a.reshape(2, 2, 3)), A),
    "fiedler_companion, stack": (sl.fiedler_companion, A),
    "toeplitz, stack": (lambda a: sl.toeplitz(a.reshape(2, 2, 3), a[0, :2]), A),
    "toeplitz, complex stack": (lambda a: sl.toeplitz(a + 1j * A[::-1]), A),
    "circulant, stack": (sl.circulant, A),
    "toeplitz": (lambda x: sl.toeplitz(x) @ sl.hankel(x, x) @ sl.circulant(x), X),
    "hankel": (lambda x: sl.hankel(x[:3]) + sl.hankel([x[0], 2, x[1]], x[:3]), X),
    "companion, stack": (sl.companion, A),
    "khatri_rao": (lambda a: sl.khatri_rao(a, a[:2]), A),
    "solve_circulant": (lambda x: sl.solve_circulant(x, x[::-1]), X),
    "solve_toeplitz": (lambda x: sl.solve_toeplitz(x, x[::-1]), X),
    "solve_toeplitz, both": (lambda x: sl.solve_toeplitz((x[:3], [x[0], 1, x[4]]), x[1:4]), X),
    "convolution_matrix": (lambda x: sl.convolution_matrix(x, 3), X),
    "convolution_matrix, same": (lambda x: sl.convolution_matrix(x, 9, "same"), X),
    "convolution_matrix, valid": (lambda x: sl.convolution_matrix(x, 3, mode="valid"), X),
    "matmul_toeplitz": (lambda x: sl.matmul_toeplitz(x[:3], x[3:]), X),
    "matmul_toeplitz, wide": (lambda a: sl.matmul_toeplitz((a[:2, 0], a[:, 1]), a, workers=2), A),
    "matmul_toeplitz, complex": (lambda x: sl.matmul_toeplitz(([x[0], 2, x[1]], 1j * x[3:]), x[3:], True), X),
    "convolution_matrix, complex": (lambda x: sl.convolution_matrix(1j * x, 3), X),
    "fiedler_companion": (sl.fiedler_companion, X),
    "fractional_matrix_power": (lambda a: sl.fractional_matrix_power(a[:3].T @ a[:3], a[3, 0]), A),
    "fractional_matrix_power, whole": (lambda a: sl.fractional_matrix_power(a[:3], -2), A),
    "signm": (lambda a: sl.signm(a[:3]), A),
    "rq": (lambda a: np.concatenate(sl.rq(a[:3])), A),
    "rq, economic": (lambda a: sl.rq(a, mode="economic")[1], A),
    "rq, complex": (lambda a: sl.rq(a[:3] + 1j * a[1:])[0], A),
    "qr_multiply": (lambda a: sl.qr_multiply(a, a.T, "right")[0], A),
    "qr_multiply, left": (lambda a: sl.qr_multiply(a + 1j * A[::-1], a[0], "left", conjugate=True)[0], A),
    "subspace_angles": (lambda a: sl.subspace_angles(a[:, :1], a[:, 1:]), A),
    "eigvals_banded": (sl.eigvals_banded, A),
    "eig_banded": (lambda a: sl.eig_banded(a.T, True, eigvals_only=True), A),
    "eigvals_banded, places": (lambda a: sl.eigvals_banded(a.T, select="i", select_range=(1, 2)), A),
    "eigvals_banded, bounds": (
        lambda a: sl.eigvals_banded(a.T + 1j * A.T, True, select="v", select_range=(-9.0, a[0, 0])),
        A,
    ),
    "eigvalsh, places": (
        lambda a: sl.eigvalsh(a @ a.T + np.diag(a[:, 0]), subset_by_index=[1, 2], lower=False),
        A,
    ),
    "rq, mode r": (lambda a: sl.rq(a[:3], mode="r"), A),
    "riccati_jn": (lambda x: sp.riccati_jn(2, x[0])[0] * sp.riccati_jn(2, x[1])[1], X),
    "riccati_yn": (lambda x: sp.riccati_yn(0, x[0])[0] + sp.riccati_yn(2, x[1])[1], X),
    "check_NOLA": (lambda x: x * (2.0 if ss.check_NOLA(x, 6, 3) else 3.0), X),
    "check_COLA": (
        lambda x: x * (2.0 if ss.check_COLA(("tukey", x[0]), 6, 3) or ss.check_COLA(x, 6, 2) else 3.0),
        X,
    ),
    "idctn, one extent": (lambda a: scipy.fft.idctn(a, 1, 3, 0), A),
    "factorial, complex": (lambda x: sp.factorial(x - 2.6, extend="complex"), X),
    "factorial2": (lambda x: sp.factorial2([x[0], x[1]], extend="complex"), X),
    "factorialk": (lambda x: sp.factorialk(x[0] + 1j * x[1], k=3, extend="complex"), X),
    "factorialk, negative": (lambda x: sp.factorialk(x, k=-3, extend="complex"), X),
    "factorialk, complex": (lambda x: sp.factorialk(x[:2], k=2 + 1j * x[2], extend="complex"), X),
    "factorialk, number": (lambda x: sp.factorialk(x[0], k=x[1], extend="complex"), X),
    "diric": (lambda x: sp.diric(x, [[3], [4]]), X),
    "assoc_laguerre": (lambda x: sp.assoc_laguerre(x, 3, 1), X),
    "softmax, axes": (lambda x: sp.softmax(x.reshape(3, 1, 2), axis=(0, -1)), X),
    "log_softmax, axes": (lambda x: sp.log_softmax(x.reshape(3, 1, 2), axis=(0, 2)), X),
    "logsumexp, axes": (lambda x: sp.logsumexp(x.reshape(3, 1, 2), axis=(0, 2)), X),
    "logsumexp, axes, kept": (lambda x: sp.logsumexp(x.reshape(3, 1, 2), axis=(-1, -3), keepdims=True), X),
    "chirp": (lambda x: ss.chirp(x, 1.0, 2.0, x[0]), X),
    "chirp, complex": (lambda x: ss.chirp(x, x[0], 2.0, 3.0, complex=True), X),
    "gausspulse, cutoff": (lambda x: ss.gausspulse("cutoff", x[0], x[1], -x[2], -x[3]), X),
    "chirp, quadratic": (lambda x: ss.chirp(x, 1.0, 2.0, 3.0, method="quadratic", vertex_zero=False), X),
    "chirp, logarithmic": (lambda x: ss.chirp(x, x[0], 2.0, 3.0, "log"), X),
    "chirp, hyperbolic": (lambda x: ss.chirp(x, 1.0, 2.0, 3.0, "hyp", phi=30.0), X),
    "gausspulse": (lambda x: ss.gausspulse(x, 2.0), X),
    "gausspulse, both": (lambda x: np.stack(ss.gausspulse(x, x[1], retquad=True, retenv=True)), X),
    "iqr": (st.iqr, X),
    "iqr, axis": (lambda a: st.iqr(a, axis=0, rng=(10, 80), scale="normal"), A),
    "median_abs_deviation": (lambda x: st.median_abs_deviation(x**2), X),
    "median_abs_deviation, axis": (lambda a: st.median_abs_deviation(a, axis=1, scale="normal"), A),
    "trim_mean": (lambda x: st.trim_mean(x**2, 0.2), X),
    "trim_mean, axis": (lambda a: st.trim_mean(a, 0.3, axis=1, keepdims=True), A),
    "boxcox": (lambda x: st.boxcox(x, x[0]), X),
    "yeojohnson": (lambda x: st.yeojohnson(x - 1.0, x[0]), X),
    "gzscore": (lambda a: st.gzscore(a, axis=1, ddof=1), A),
    "wasserstein_distance": (lambda x: st.wasserstein_distance(x[:4], x[2:] ** 2), X),
    "energy_distance": (lambda x: st.energy_distance(x[:4], x[2:] ** 2), X),
    "circmean": (lambda a: st.circmean(a, high=3.0, axis=0), A),
    "circvar": (st.circvar, X),
    "circstd": (lambda a: st.circstd(a, axis=1, normalize=True), A),
    "pchip_interpolate": (lambda x: si.pchip_interpolate(X.cumsum(), x, 2.5 * x), X),
    "barycentric_interpolate": (lambda x: si.barycentric_interpolate(X.cumsum(), x, 2.5), X),
    "krogh_interpolate": (lambda x: si.krogh_interpolate(x.cumsum(), x, [[0.2, 0.5]], 0, 0), X),
    "lagrange": (lambda x: si.lagrange(x.cumsum(), x)(0.9 * x), X),
    "RBFInterpolator": (lambda a: si.RBFInterpolator(a[:, :2], a[:, 2])(A[:, 1:]), A),
    "RBFInterpolator, columns": (
        lambda a: si.RBFInterpolator(A, a, smoothing=0.1, kernel="linear", degree=0)(a + 0.1),
        A,
    ),
    "RBFInterpolator, width": (
        lambda x: si.RBFInterpolator(A, [1, 2, x[1], 3], kernel="gaussian", epsilon=x[0], degree=-1)(
            A[1:] + 0.2
        ),
        X,
    ),
    "RBFInterpolator, squares": (
        lambda x: si.RBFInterpolator(x.reshape(-1, 1), x**2, kernel="quintic")(A[:, :1]),
        X,
    ),
    "RBFInterpolator, inverse": (
        lambda x: (
            si.RBFInterpolator(A, x[:4], kernel="inverse_quadratic", epsilon=1.0)(A[:2] + 0.1)
            + si.RBFInterpolator(A, x[:4], kernel="inverse_multiquadric", epsilon=1.0)(A[:2] + 0.1)
        ),
        X,
    ),
    "RBFInterpolator, others": (
        lambda x: (
            si.RBFInterpolator(A, x[:4], kernel="multiquadric", epsilon=2.0)(A[:2] + 0.1)
            + si.RBFInterpolator(A, x[:4], kernel="linear")(A[:2] + 0.1)
        ),
        X,
    ),
    "prewitt": (nd.prewitt, X),
    "prewitt, axis": (lambda a: nd.prewitt(a, 0, mode="nearest"), A),
    "gaussian_laplace": (lambda a: nd.gaussian_laplace(a, 1.0, mode="wrap"), A),
    "gaussian_gradient_magnitude": (lambda x: nd.gaussian_gradient_magnitude(x, 1.0), X),
}
KNOWN = {
    "a design": lambda x: ss.lfilter(*ss.butter(2, 0.3), x),
    "a window": lambda x: ss.get_window(("kaiser", 3.0), 6) * x,
    "nodes": lambda x: np.polynomial.legendre.leggauss(6)[1] * x + sp.roots_legendre(6)[0] * x,
    "written into": lambda x: _with_first(ss.get_window("hann", 6), x[0]) * x,
}
"""Calls of functions of numbers that are written out."""
REFUSED = {
    "RBFInterpolator": (lambda a: si.RBFInterpolator(a, a, neighbors=3)(a), "takes all points"),
    "butter": (lambda a: a * ss.butter(2, 3.0)[0], r"raises ValueError: Digital filter critical"),
    "get_window": (
        lambda a: a * ss.get_window(("chebwin", 50.0), int(a[0, 0] * 9)),
        "is computed only while compiling",
    ),
    "matmul_toeplitz": (lambda a: sl.matmul_toeplitz(a, a), "of a column and a row"),
    "hankel": (lambda a: sl.hankel(a, a[0]), "supported of vectors"),
    "solve_toeplitz": (lambda a: sl.solve_toeplitz(a, a), "takes the first column"),
    "boxcox": (lambda a: st.boxcox(a)[0], "with `lmbda`"),
    "qr_multiply": (lambda a: sl.qr_multiply(a, a.T, pivoting=True)[0], "without pivoting"),
    "eig_banded": (lambda a: sl.eig_banded(a)[1], "signs of the vectors"),
    "factorial2": (lambda a: sp.factorial2(a[0, 0]), "has no derivative"),
    "iqr": (lambda a: st.iqr(a, nan_policy="omit"), "as 'propagate'"),
}


for family in (distances, images, samples, series, signals):
    CALLS |= family.CALLS
    REFUSED |= getattr(family, "REFUSED", {})


def _with_first(window, first):
    window[0] = first
    return window


@pytest.mark.parametrize("name", KNOWN)
def test_what_is_written_out_is_computed_while_compiling(name):
    assert_derivatives(KNOWN[name], (X,), jit=False)


def test_designs_of_numbers_that_are_written_out_are_constants():
    assert "np.tan" not in bs.grad(lambda x: np.sum(ss.lfilter(*ss.butter(2, 0.3), x)), jit=False).source(X)


@pytest.mark.parametrize("name", turning(90, CALLS))
def test_derivatives(name):
    function, at = CALLS[name]
    assert_derivatives(function, (at,), jit=False)


@pytest.mark.compiles
@pytest.mark.turns(6)
@pytest.mark.parametrize("name", ["yeojohnson", "butter"])
def test_compiled(name):
    assert_derivatives(CALLS[name][0], (X,), jit=True)


@pytest.mark.parametrize("name", turning(5, REFUSED))
def test_what_a_meaning_does_not_know_is_refused_at_the_call(name):
    function, message = REFUSED[name]
    with refused(message) as found:
        bs.grad(lambda a: np.sum(function(a)), jit=False)(A)
    assert f".{name}(" in found.value.problems[0].loc.text


def test_pieces_of_a_number_in_single_precision():
    def f(x):
        return np.piecewise(x[0], [x[0] < 0.0, x[0] >= 0.0], [lambda v: -v, lambda v: v * v])

    assert bs.grad(f, jit=False)(np.array([1.5], np.float32)) == pytest.approx([3.0])


def test_functions_are_told_from_numbers_while_compiling():
    def f(x, each):
        return sum(item(x) if callable(item) else item * x for item in (each, np.sin, 2.0))

    assert bs.grad(f, jit=False)(0.5, lambda x: x * x) == pytest.approx(1.0 + np.cos(0.5) + 2.0)


def test_an_origin_beyond_the_window_is_an_error():
    for filtered in (
        lambda x: nd.median_filter(x, 3, origin=2),
        lambda x: nd.maximum_filter1d(x, 3, origin=-2),
    ):
        with pytest.raises(ValueError, match="invalid origin"):
            filtered(X)
        with pytest.raises(ValueError, match="invalid origin"):
            bs.vjp(filtered, X, jit=False)


def test_hyperbolic_functions_of_matrices_stay_in_single_precision():
    a = (A[:3] / 3.0).astype(np.float32)
    for function in (sl.coshm, sl.sinhm, sl.tanhm):
        value, pull = bs.vjp(lambda x, function=function: function(x), a, jit=False)
        assert value.dtype == pull(np.ones_like(a)).dtype == np.float32
        np.testing.assert_allclose(value, function(a), rtol=1e-5)


def test_ranks_beside_nan_are_nan() -> None:
    x = np.array([1.0, np.nan, 3.0])
    for function in (st.rankdata, lambda x: st.spearmanr(x, X[:3])[0]):
        np.testing.assert_array_equal(bs.vjp(function, x, jit=False)[0], function(x))
    with pytest.raises(ValueError, match="ranks beside nan"):
        bs.vjp(lambda x: st.rankdata(x, "min") * x, x, jit=False)
