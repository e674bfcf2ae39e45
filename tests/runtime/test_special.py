"""Functions of `scipy.special`: derivatives of order one and two against mpmath, in the tails too, and compiled calls."""

from __future__ import annotations

import ctypes
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath
import numba
import numpy as np
import pytest
import scipy.special as sp
from scipy.special import cython_special

import backsweep as bs
from backsweep.runtime.scipy import symbols
from backsweep.runtime.scipy.elementwise import ufuncs
from tests.support.sampled import turning

mp = mpmath.mp


def mp_log_ndtr(x: Any) -> Any:
    return mpmath.log(mpmath.erfc(-x / mpmath.sqrt(2)) / 2)


def mp_gammainc(a: Any) -> Callable[[Any], Any]:
    return lambda x: mpmath.gammainc(a, 0, x, regularized=True)


ERROR_FUNCTIONS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any], list[float]]] = {
    "erf": (sp.erf, mpmath.erf, [-3.0, -0.4, 0.0, 1.2, 5.0]),
    "erfc": (sp.erfc, mpmath.erfc, [-3.0, 0.4, 5.0, 20.0]),
    "erfi": (sp.erfi, mpmath.erfi, [-2.0, 0.4, 5.0]),
    "erfcx": (
        sp.erfcx,
        lambda x: mpmath.exp(x * x) * mpmath.erfc(x),
        [-3.0, 0.0, 0.9, 1.1, 4.0, 30.0, 1e4, 1e7],
    ),
    "erfinv": (sp.erfinv, mpmath.erfinv, [-0.9, 0.1, 0.999]),
    "erfcinv": (sp.erfcinv, lambda x: mpmath.erfinv(1 - mpmath.mpf(x)), [0.001, 0.3, 1.7]),
    "ndtr": (sp.ndtr, mpmath.ncdf, [-8.0, 0.5, 3.0]),
    "log_ndtr": (sp.log_ndtr, mp_log_ndtr, [-200.0, -40.0, -5.0, 0.3, 4.0, 20.0]),
    "ndtri": (sp.ndtri, lambda p: mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(p) - 1), [0.001, 0.3, 0.97]),
    "ndtri_exp": (
        sp.ndtri_exp,
        lambda x: mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.exp(mpmath.mpf(x)) - 1),
        [-20.0, -3.0, -0.1],
    ),
    "expit": (sp.expit, lambda x: 1 / (1 + mpmath.exp(-x)), [-300.0, -40.0, 0.3, 40.0, 300.0]),
    "logit": (sp.logit, lambda x: mpmath.log(x / (1 - x)), [1e-9, 0.3, 0.999]),
    "log_expit": (sp.log_expit, lambda x: -mpmath.log1p(mpmath.exp(-x)), [-300.0, -40.0, 0.3, 40.0, 300.0]),
    "expm1": (sp.expm1, mpmath.expm1, [-40.0, 1e-9, 3.0]),
    "log1p": (sp.log1p, mpmath.log1p, [-0.99, 1e-9, 1e9]),
    "cbrt": (sp.cbrt, mpmath.cbrt, [1e-9, 2.0]),
    "exp2": (sp.exp2, lambda x: mpmath.mpf(2) ** x, [-3.0, 1.5]),
    "exp10": (sp.exp10, lambda x: mpmath.mpf(10) ** x, [-3.0, 1.5]),
    "exprel": (sp.exprel, lambda x: mpmath.expm1(x) / x, [-700.0, -5.0, -1e-6, 1e-9, 0.3, 20.0, 100.0]),
    "cosm1": (sp.cosm1, lambda x: mpmath.cos(x) - 1, [1e-6, 2.0]),
    "entr": (sp.entr, lambda x: -x * mpmath.log(x), [1e-9, 0.3, 5.0]),
    "xlogy": (lambda x: sp.xlogy(x, 0.5 * x), lambda x: x * mpmath.log(x / 2), [1e-9, 0.3, 5.0]),
    "xlog1py": (lambda x: sp.xlog1py(x, -0.5 * x), lambda x: x * mpmath.log1p(-x / 2), [1e-9, 0.3, 1.9]),
    "rel_entr": (lambda x: sp.rel_entr(x, x * x), lambda x: -x * mpmath.log(x), [1e-9, 0.3, 5.0]),
    "kl_div": (lambda x: sp.kl_div(x, 2.0), lambda x: x * mpmath.log(x / 2) - x + 2, [1e-9, 0.3, 5.0]),
    "kl_div by y": (
        lambda x: sp.kl_div(0.5, x),
        lambda x: -mpmath.log(2 * x) / 2 - 0.5 + x,
        [1e-9, 0.3, 5.0],
    ),
    "pseudo_huber": (
        lambda x: sp.pseudo_huber(x, 0.7),
        lambda x: x * x * (mpmath.sqrt(1 + (mpmath.mpf(0.7) / x) ** 2) - 1),
        [0.3, 5.0, 1e3],
    ),
    "pseudo_huber by r": (
        lambda x: sp.pseudo_huber(1.5, x),
        lambda x: mpmath.mpf(2.25) * (mpmath.sqrt(1 + (x / mpmath.mpf(1.5)) ** 2) - 1),
        [-20.0, 0.3, 5.0],
    ),
}
GAMMA_FUNCTIONS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any], list[float]]] = {
    "gammaln": (sp.gammaln, mpmath.loggamma, [1e-8, 0.7, 5.0, 1e5]),
    "gammaln of negative numbers": (
        sp.gammaln,
        lambda x: mpmath.log(abs(mpmath.gamma(x))),
        [-0.7, -7.3],
    ),
    "loggamma": (sp.loggamma, mpmath.loggamma, [0.7, 50.0]),
    "gamma": (sp.gamma, mpmath.gamma, [-2.3, 0.1, 5.0, 100.0]),
    "rgamma": (sp.rgamma, mpmath.rgamma, [-2.3, -2.0, 0.0, 0.1, 5.0]),
    "psi": (sp.psi, mpmath.digamma, [-2.3, 1e-3, 0.7, 5.0, 1e4]),
    "polygamma": (lambda x: sp.polygamma(2, x), lambda x: mpmath.psi(2, x), [-2.3, 0.1, 5.0, 1e3]),
    "zeta": (lambda x: sp.zeta(2.5, x), lambda x: mpmath.zeta(mpmath.mpf(2.5), x), [0.1, 5.0, 50.0]),
    "factorial": (sp.factorial, mpmath.factorial, [0.3, 5.0]),
    "beta": (lambda x: sp.beta(x, 1.5), lambda x: mpmath.beta(x, 1.5), [0.1, 3.0, 20.0]),
    "betaln": (lambda x: sp.betaln(0.5, x), lambda x: mpmath.log(mpmath.beta(0.5, x)), [0.1, 3.0, 20.0]),
    "binom": (lambda x: sp.binom(x, 1.5), lambda x: mpmath.binomial(x, mpmath.mpf(1.5)), [3.2, 9.0]),
    "binom by k": (lambda x: sp.binom(5.5, x), lambda x: mpmath.binomial(mpmath.mpf(5.5), x), [0.4, 3.0]),
    "comb": (lambda x: sp.comb(x, 1.5), lambda x: mpmath.binomial(x, mpmath.mpf(1.5)), [3.2, 9.0]),
    "multigammaln": (
        lambda x: sp.multigammaln(x, 3),
        lambda x: mpmath.loggamma(x) + mpmath.loggamma(x - 0.5) + mpmath.loggamma(x - 1),
        [1.2, 9.0],
    ),
    "gammainc": (lambda x: sp.gammainc(2.5, x), mp_gammainc(2.5), [1e-3, 1.0, 3.0, 40.0]),
    "gammaincc": (lambda x: sp.gammaincc(0.5, x), lambda x: -mp_gammainc(0.5)(x), [1e-3, 1.0, 3.0, 40.0]),
    "gammaincinv": (
        lambda p: sp.gammaincinv(1.0, p),
        lambda p: -mpmath.log1p(-p),
        [1e-3, 0.5, 0.999],
    ),
    "betainc": (
        lambda x: sp.betainc(2.5, 0.5, x),
        lambda x: mpmath.betainc(2.5, 0.5, 0, x, regularized=True),
        [1e-3, 0.5, 0.97],
    ),
    "betaincc": (
        lambda x: sp.betaincc(2.5, 1.5, x),
        lambda x: -mpmath.betainc(2.5, 1.5, 0, x, regularized=True),
        [1e-3, 0.5, 0.97],
    ),
    "betaincinv": (lambda p: sp.betaincinv(2.0, 1.0, p), mpmath.sqrt, [1e-3, 0.5, 0.97]),
}


BESSEL_FUNCTIONS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any], list[float]]] = {
    "j0": (sp.j0, lambda x: mpmath.besselj(0, x), [-2.0, 1e-3, 0.5, 20.0]),
    "j1": (sp.j1, lambda x: mpmath.besselj(1, x), [-2.0, 1e-3, 0.5, 20.0]),
    "jv": (lambda x: sp.jv(2.5, x), lambda x: mpmath.besselj(2.5, x), [0.1, 1.5, 20.0]),
    "y0": (sp.y0, lambda x: mpmath.bessely(0, x), [1e-3, 0.5, 20.0]),
    "y1": (sp.y1, lambda x: mpmath.bessely(1, x), [1e-3, 0.5, 20.0]),
    "yv": (lambda x: sp.yv(0.5, x), lambda x: mpmath.bessely(0.5, x), [0.1, 1.5, 20.0]),
    "yn": (lambda x: sp.yn(2, x), lambda x: mpmath.bessely(2, x), [0.1, 1.5, 20.0]),
    "i0": (sp.i0, lambda x: mpmath.besseli(0, x), [-2.0, 1e-3, 0.5, 20.0]),
    "i1": (sp.i1, lambda x: mpmath.besseli(1, x), [-2.0, 1e-3, 0.5, 20.0]),
    "iv": (lambda x: sp.iv(2.5, x), lambda x: mpmath.besseli(2.5, x), [0.1, 1.5, 20.0]),
    "i0e": (
        sp.i0e,
        lambda x: mpmath.besseli(0, x) * mpmath.exp(-abs(x)),
        [-30.0, -2.0, 1e-3, 0.5, 19.0, 21.0, 1e4],
    ),
    "i1e": (
        sp.i1e,
        lambda x: mpmath.besseli(1, x) * mpmath.exp(-abs(x)),
        [-30.0, -2.0, 1e-3, 0.5, 19.0, 21.0, 1e4],
    ),
    "jve": (lambda x: sp.jve(2.5, x), lambda x: mpmath.besselj(2.5, x), [0.1, 1.5, 20.0]),
    "yve": (lambda x: sp.yve(0.5, x), lambda x: mpmath.bessely(0.5, x), [0.1, 1.5, 20.0]),
    "ber": (sp.ber, lambda x: mpmath.ber(0, x), [-2.0, 0.5, 4.0]),
    "bei": (sp.bei, lambda x: mpmath.bei(0, x), [-2.0, 0.5, 4.0]),
    "ker": (sp.ker, lambda x: mpmath.ker(0, x), [0.5]),
    "kei": (sp.kei, lambda x: mpmath.kei(0, x), [0.5]),
    "k0": (sp.k0, lambda x: mpmath.besselk(0, x), [1e-3, 0.5, 20.0]),
    "k1": (sp.k1, lambda x: mpmath.besselk(1, x), [1e-3, 0.5, 20.0]),
    "kv": (lambda x: sp.kv(2.5, x), lambda x: mpmath.besselk(2.5, x), [0.1, 1.5, 20.0]),
    "kn": (lambda x: sp.kn(3, x), lambda x: mpmath.besselk(3, x), [0.1, 1.5, 20.0]),
    "ellipk": (sp.ellipk, mpmath.ellipk, [-50.0, -0.35, -1e-3, 0.0, 1e-6, 0.29, 0.31, 0.9999]),
    "ellipe": (sp.ellipe, mpmath.ellipe, [-50.0, -0.35, -1e-3, 0.0, 1e-6, 0.29, 0.31, 0.9999]),
    "exp1": (sp.exp1, mpmath.e1, [1e-3, 0.5, 20.0]),
    "expi": (sp.expi, mpmath.ei, [-3.0, 1e-3, 0.5, 20.0]),
    "lambertw": (lambda x: sp.lambertw(x).real, mpmath.lambertw, [-0.3, -1e-3, 0.0, 1.0, 100.0]),
    "lambertw below": (
        lambda x: sp.lambertw(x, -1).real,
        lambda x: mpmath.lambertw(x, -1),
        [-0.3, -0.1, -1e-9],
    ),
    "hyp2f1": (
        lambda x: sp.hyp2f1(0.5, 1.5, 2.5, x),
        lambda x: mpmath.hyp2f1(0.5, 1.5, 2.5, x),
        [-0.8, 0.0, 0.1, 0.7],
    ),
    "hyp1f1": (lambda x: sp.hyp1f1(0.5, 1.5, x), lambda x: mpmath.hyp1f1(0.5, 1.5, x), [-2.0, 0.1, 3.0]),
}


def mp_noncentral(x: Any, nc: Any) -> Any:
    """The distribution function for three degrees of freedom."""
    above, below = mpmath.sqrt(x) + mpmath.sqrt(nc), mpmath.sqrt(x) - mpmath.sqrt(nc)
    inside = mpmath.ncdf(below) - mpmath.ncdf(-above)
    return inside - (mpmath.npdf(below) - mpmath.npdf(above)) / mpmath.sqrt(nc)


DISTRIBUTIONS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any], list[float]]] = {
    "stdtr": (
        lambda x: sp.stdtr(2.0, x),
        lambda t: (1 + t / mpmath.sqrt(2 + t * t)) / 2,
        [-1e4, -9.0, 0.2, 2.0],
    ),
    "stdtrit": (
        lambda x: sp.stdtrit(2.0, x),
        lambda p: (2 * p - 1) / mpmath.sqrt(2 * p * (1 - p)),
        [0.01, 0.4, 0.97],
    ),
    "owens_t": (
        lambda x: sp.owens_t(x, 1.0),
        lambda h: mpmath.ncdf(h) * mpmath.ncdf(-h) / 2,
        [-2.0, 0.1, 4.0],
    ),
    "chndtr": (lambda x: sp.chndtr(x, 3.0, 1.5), lambda x: mp_noncentral(x, 1.5), [0.1, 2.0, 9.0]),
    "chndtr by nc": (lambda x: sp.chndtr(2.0, 3.0, x), lambda nc: mp_noncentral(2, nc), [0.1, 2.0, 9.0]),
    "ive": (
        lambda x: sp.ive(2.5, x),
        lambda x: mpmath.besseli(2.5, x) * mpmath.exp(-x),
        [0.1, 1.5, 5.0],
    ),
    "kve": (lambda x: sp.kve(2.5, x), lambda x: mpmath.besselk(2.5, x) * mpmath.exp(x), [0.1, 1.5, 5.0]),
}
FUNCTIONS = ERROR_FUNCTIONS | GAMMA_FUNCTIONS | BESSEL_FUNCTIONS | DISTRIBUTIONS
TOLERANCE = 1e-12


@pytest.mark.turns(3)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives(name: str) -> None:
    """The first and the second derivative, by the text as Python runs it."""
    called, exact, points = FUNCTIONS[name]

    def function(x):
        return called(x)

    one = bs.grad(function, jit=False)
    two = bs.grad(bs.grad(function), jit=False)
    with mp.workdps(400 if name == "expit" else 60):
        for point in points:
            x = mpmath.mpf(point)
            step = (min(abs(x), 1) or 1) * mpmath.mpf(10) ** -(mp.dps // 3)
            wanted = [mpmath.diff(exact, x, order, h=step, method="step") for order in (1, 2)]
            for got, want in zip((one(point), two(point)), wanted, strict=True):
                assert abs(got - want) <= TOLERANCE * abs(want) + 1e-300, (name, point, got, float(want))


@pytest.mark.parametrize("name", ["log_ndtr", "psi", "betainc", "chndtr"])
def test_compiled(name: str) -> None:
    """Machine code computes for arrays what the text computes as Python for numbers, in single precision too."""
    called, _, points = FUNCTIONS[name]

    def total(x):
        return np.sum(called(x))

    def function(x):
        return called(x)

    x = np.array(points)
    wanted = [bs.grad(function, jit=False)(each) for each in points]
    np.testing.assert_allclose(bs.grad(total)(x), wanted, rtol=1e-12)
    single = bs.grad(total)(x.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, wanted, rtol=1e-3, atol=1e-30)


@pytest.mark.turns(9)
def test_compiled_twice() -> None:
    """So does that of second derivatives, and of arrays of more axes than loops are written for."""

    def function(x):
        return sp.erfcx(x)

    def total(x):
        return np.sum(sp.erfcx(x))

    points = FUNCTIONS["erfcx"][2]
    text, code = bs.grad(bs.grad(function), jit=False), bs.grad(bs.grad(function))
    np.testing.assert_allclose([code(x) for x in points], [text(x) for x in points], rtol=1e-12)
    wanted = [bs.grad(function, jit=False)(x) for x in points]
    x = np.array(points).reshape(1, -1, 1, 1, 1)
    np.testing.assert_allclose(bs.grad(total)(x)[0, :, 0, 0, 0], wanted, rtol=1e-12)


def test_own_compiled_code() -> None:
    """Numba compiles the functions in `@njit` code of the user's, with SciPy's types and shapes."""

    @numba.njit
    def run(x, a, b):
        return (
            sp.gammainc(a, b),
            sp.psi(2),
            sp.erf(np.float32(0.5)),
            sp.hyp2f1(0.5, 1, x, 0.25),
            sp.ndtr(b) + a,
            sp.erf(a) * sp.gammaln(a),
        )

    x = np.linspace(0.5, 3.0, 6).reshape(2, 3)
    a, b = np.array([[1.5], [2.5]], dtype=np.float32), np.array([1, 2, 3], dtype=np.int16)
    for got, wanted in zip(run(x, a, b), run.py_func(x, a, b), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-6)
        assert np.shape(got) == np.shape(wanted)
        assert getattr(got, "dtype", wanted.dtype) == wanted.dtype

    @numba.njit
    def written(x, y):
        sp.gammaln(x, y)
        return sp.zeta(2.0, x), sp.polygamma(1, x), sp.factorial(x[0, 0]), sp.zeta(3.0)

    y = np.empty_like(x)
    for got, wanted in zip(written(x, y), written.py_func(x, y), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-13)
    np.testing.assert_array_equal(y, sp.gammaln(x))


KEPT = """
import numba
import numpy as np
import scipy.linalg
import scipy.special as sp
import scipy.stats

@numba.njit(cache=True)
def f(x):
    ones = scipy.linalg.solve_triangular(np.diag(x), x)
    return np.sum(sp.gammaln(x) * ones) + sp.erfcx(x[0]) + scipy.stats.zmap(x, x)[0]

def main():
    x = np.linspace(0.5, 3.0, 6)
    assert abs(f(x) - f.py_func(x)) < 1e-12
    print(sum(f.stats.cache_hits.values()))
"""
EAGER = """
import sys
import backsweep as bs

def square(x):
    return x * x

def main():
    bs.grad(square)(1.0)
    print("scipy.special" in sys.modules)
"""


def printed(folder: Path, text: str, before: str = "") -> str:
    """What a module's `main` prints in a process of its own; `before` runs first."""
    path = folder / "written.py"
    if not path.exists():  # Numba keeps machine code by the time of the last change
        path.write_text(text)
    ran = f"{before}\nimport sys; sys.path.insert(0, {str(folder)!r}); import written; written.main()"
    done = subprocess.run([sys.executable, "-c", ran], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.turns(9)
def test_kept_machine_code(tmp_path: Path) -> None:
    """Machine code that Numba kept finds SciPy's functions and its BLAS in another process, even if that has not imported Backsweep."""
    hits = []
    for before in ("import backsweep", "import backsweep", ""):
        hits.append(printed(tmp_path, KEPT, before))
    assert hits == ["0", "1", "1"]


def test_no_eager_import(tmp_path: Path) -> None:
    """`scipy.special` is not imported with Backsweep, nor by compiling what does not call it."""
    assert printed(tmp_path, EAGER) == "False"


def test_no_derivative() -> None:
    """With respect to an argument for which there is no formula, the derivative is refused, in both modes and in traces."""

    def share(a, x):
        return x * sp.struve(a, x)

    assert math.isfinite(bs.grad(share, argnums=1)(2.0, 1.5))
    for ask in (
        lambda: bs.grad(share)(2.0, 1.5),
        lambda: bs.jvp(share, (2.0, 1.5), (1.0, 0.0)),
        lambda: bs.trace(share)(2.0, 1.5),
    ):
        with pytest.raises(
            bs.UnsupportedError, match=r"`struve` has no derivative with respect to its argument `v`"
        ):
            ask()


def test_masked() -> None:
    """A value beyond a pole that a choice masks contributes nothing."""

    def total(x):
        return np.sum(np.where(x > 0.0, sp.gammaln(x), 0.0)) + np.sum(np.where(x > 0.0, sp.xlogy(x, x), 0.0))

    x = np.array([2.0, 0.0, -1.0])
    np.testing.assert_allclose(bs.grad(total)(x), [sp.psi(2.0) + math.log(2.0) + 1.0, 0.0, 0.0], rtol=1e-14)


@pytest.mark.turns(9)
def test_saved(tmp_path: Path) -> None:
    """A saved module needs SciPy, and imports what compiles its functions."""

    def total(x):
        return np.sum(sp.erfcx(x) * sp.gammainc(2.0, x))

    x = np.array([0.5, 1.5])
    gradient = bs.grad(total)
    gradient.save(tmp_path / "saved_special.py", x)
    text = "import numpy as np, saved_special; print(*saved_special.total_grad(np.array([0.5, 1.5])))"
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr
    np.testing.assert_allclose([float(each) for each in done.stdout.split()], gradient(x), rtol=1e-14)


WEIGHTS = np.arange(1.0, 7.0).reshape(2, 3)


def of_sums(x):
    return (
        sp.logsumexp(x)
        + np.sum(sp.logsumexp(x, axis=-1) ** 2)
        + np.sum(sp.logsumexp(x, axis=0, keepdims=True))
    )


def of_weighted(x):
    along = sp.logsumexp(x, axis=1, b=WEIGHTS * x**2) - sp.logsumexp(x, axis=1, b=3.0, keepdims=True)[:, 0]
    return sp.logsumexp(x, b=WEIGHTS) + sp.logsumexp(x[0], axis=0) + np.sum(along**2)


def of_shares(x):
    return np.sum(WEIGHTS * (sp.softmax(x, axis=1) + sp.softmax(x)))


def of_log_shares(x):
    return np.sum(WEIGHTS * (sp.log_softmax(x, 0) * sp.log_softmax(x)))


SUMS = (of_sums, of_weighted, of_shares, of_log_shares)


@pytest.mark.parametrize("function", SUMS)
def test_sums_of_exponentials(function: Callable[[Any], Any]) -> None:
    """`logsumexp`, `softmax` and `log_softmax`, of all entries and along an axis."""
    x = np.linspace(-1.0, 2.0, 6).reshape(2, 3)
    gradient, step = bs.grad(function, jit=False), 1e-5
    value = (function(x + step * WEIGHTS) - function(x - step * WEIGHTS)) / (2.0 * step)
    np.testing.assert_allclose(np.sum(WEIGHTS * gradient(x)), value, rtol=1e-8)
    slopes = (gradient(x + step * WEIGHTS) - gradient(x - step * WEIGHTS)) / (2.0 * step)
    np.testing.assert_allclose(
        bs.hvp(function, jit=False)((x,), (WEIGHTS,)), slopes, rtol=1e-7, atol=1e-8 * np.max(np.abs(slopes))
    )


@pytest.mark.parametrize("function", turning(6, SUMS))
def test_sums_of_exponentials_compiled(function: Callable[[Any], Any]) -> None:
    x = np.linspace(-1.0, 2.0, 6).reshape(2, 3)
    np.testing.assert_allclose(bs.grad(function)(x), bs.grad(function, jit=False)(x), rtol=1e-13)
    np.testing.assert_allclose(numba.njit(function)(x), function(x), rtol=1e-14)


def test_written_out() -> None:
    """`lambertw`, `comb` and `multigammaln` in `@njit` code and of arrays."""

    @numba.njit
    def run(x):
        return (
            sp.lambertw(x).real,
            sp.comb(x, 2),
            sp.multigammaln(x + 1.0, 3),
            sp.lambertw(-0.1 * x[0], k=-1).real,
        )

    x = np.array([0.5, 2.0, 4.0])
    for got, wanted in zip(run(x), run.py_func(x), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-14)

    def total(x):
        return np.sum(sp.lambertw(x).real) + np.sum(sp.comb(x, 2))

    one = bs.grad(total)(x)
    np.testing.assert_allclose(one, bs.grad(total, jit=False)(x), rtol=1e-14)
    with pytest.raises(ValueError, match="not real"):
        bs.grad(total)(-x)


def test_options_of_sums() -> None:
    """An axis may be a variable; options that are not supported are refused in words."""

    def along(x, axis):
        return np.sum(sp.logsumexp(x, axis=axis))

    def signed(x):
        return sp.logsumexp(x, return_sign=True)[0]

    np.testing.assert_allclose(bs.grad(along, jit=False)(WEIGHTS, 1), sp.softmax(WEIGHTS, axis=1), rtol=1e-12)
    with pytest.raises(bs.UnsupportedError, match="`return_sign` of `logsumexp` is not supported"):
        bs.grad(signed)(WEIGHTS)


@pytest.mark.filterwarnings("ignore:non-integer arg n is deprecated:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:floating point number truncated to an integer:RuntimeWarning")
def test_addresses() -> None:
    """Each address is that of the ufunc of the name: it gives the same values."""
    rng = np.random.default_rng(1)
    for function, key in ufuncs().items():
        capsule = cython_special.__pyx_capi__[key]
        address = symbols._pointer_of(capsule, symbols._name_of(capsule))
        form = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_double] * function.nin, ctypes.c_int)
        for low, high in ((0.05, 0.95), (0.5, 5.0), (-3.0, 3.0)):
            operands = rng.uniform(low, high, function.nin)
            if function.__name__ in ("yn", "kn", "expn"):
                operands[0] = 2.0
            wanted = function(*operands)
            np.testing.assert_allclose(form(address)(*operands, 0), wanted, rtol=1e-13, err_msg=key)


class ByAddress(numba.types.WrapperAddressProtocol):
    """As packages call functions of `cython_special`."""

    def __init__(self, key: str, count: int) -> None:
        self.address, self.count = (
            numba.extending.get_cython_function_address("scipy.special.cython_special", key),
            count,
        )

    def __wrapper_address__(self) -> int:
        return self.address

    def signature(self) -> Any:
        return numba.float64(*(numba.float64,) * self.count)


NDTRI = ByAddress("ndtri" if "ndtri" in cython_special.__pyx_capi__ else "__pyx_fuse_1ndtri", 1)
XLOGY = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_double)(
    ByAddress("__pyx_fuse_1xlogy", 2).address
)


def test_functions_by_address() -> None:
    """A function of SciPy that a program knows by its address is that function."""

    @numba.njit
    def called(p, y):
        return NDTRI(p) + XLOGY(p, y)

    def meant(p, y):
        return sp.ndtri(p) + sp.xlogy(p, y)

    got = bs.value_and_grad(called, argnums=(0, 1), jit=False)(0.3, 2.0)
    wanted = bs.value_and_grad(meant, argnums=(0, 1), jit=False)(0.3, 2.0)
    np.testing.assert_allclose(np.hstack([*got]), np.hstack([*wanted]), rtol=1e-15)
    assert got[0] == pytest.approx(called(0.3, 2.0))


def test_other_overloads(tmp_path: Path) -> None:
    """What another package has told Numba of a function stays."""
    text = """
import backsweep
import numba
import scipy.special as sp
from numba.extending import overload

@overload(sp.gammaln)
def other(x):
    return lambda x: 42.0

@numba.njit
def f(x):
    return sp.gammaln(x), sp.erf(0.0)

def main():
    print(f(2.0))
"""
    assert printed(tmp_path, text) == "(42.0, 0.0)"
