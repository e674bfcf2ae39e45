"""What the prelude says of functions of SciPy and NumPy, called in users' own `@njit` functions without a derivative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
import scipy.integrate as si
import scipy.ndimage as nd
import scipy.signal as sg
import scipy.stats as st
from numba.core.errors import TypingError
from scipy.spatial import distance

import backsweep as bs
from tests.support.sampled import turning

X = np.array([0.74, 1.21, 0.58, 1.93, 1.46, 0.91])
A = np.array([[0.31, 1.22, 0.73], [2.14, 1.55, 0.96], [0.87, 1.38, 0.29]])
CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "an axis that is written": (lambda a: st.zscore(a, axis=1, ddof=1), (A,)),
    "a keyword": (lambda a: st.skew(a, axis=None, bias=False), (A,)),
    "a function by default": (lambda a: st.median_abs_deviation(a, axis=1), (A,)),
    "a list": (lambda x: st.gmean([1.0, x[0], x[1]]), (X,)),
    "a tuple": (lambda a: nd.gaussian_filter(a, (0.7, 0.4), mode=("wrap", "mirror")), (A,)),
    "a number of the run": (lambda x: si.trapezoid(x, dx=x[0]), (X,)),
    "a function": (lambda x: si.fixed_quad(np.exp, x[0], x[1])[0], (X,)),
    "whole numbers": (lambda n: sg.convolve(n, n), (np.arange(4),)),
    "the metric's name": (lambda a: distance.cdist(a, 2.0 * a, "minkowski", p=3), (A,)),
    "a function of NumPy": (lambda a: np.tile(a, (2, 3)), (A,)),
    "arguments of NumPy's that Numba lacks": (lambda a: np.roll(a, (1, 2), axis=(0, 1)), (A,)),
    "points": (lambda a: np.gradient(a, a[:, 0] ** 2, axis=0), (A,)),
    "a list of NumPy's": (lambda x: np.diff(x, prepend=[0.5, 0.1]), (X,)),
    "a method": (lambda a: a.cumprod(axis=1), (A,)),
    "names of results": (lambda x: st.linregress(np.arange(x.size), x).slope, (X,)),
}


@pytest.mark.compiles
@pytest.mark.parametrize("name", turning(10, CALLS))
def test_values(name: str) -> None:
    function, args = CALLS[name]
    np.testing.assert_allclose(numba.njit(function)(*args), function(*args), rtol=1e-12)


def test_what_the_prelude_refuses_is_told() -> None:
    @numba.njit
    def spread(x):
        return st.iqr(x, nan_policy="omit")

    with pytest.raises(
        TypingError, match="backsweep: `nan_policy` is supported as 'propagate'; help: leave out"
    ):
        spread(X)


REFUSED: dict[str, tuple[Callable[..., Any], str]] = {
    "keepdims": (lambda a: st.sem(a, keepdims=True), "np.expand_dims"),
    "complex numbers": (lambda a: st.zscore(a + 1j), "real and the imaginary part"),
    "weights": (lambda a: st.gmean(a, weights=a[0]), "one weight for each entry"),
    "an order": (lambda a: st.moment(a, order=1.5), "one order"),
    "matrices": (lambda a: st.pearsonr(a, a).statistic, "for vectors"),
    "alternatives": (lambda a: st.pearsonr(a[0], a[1], alternative="less").statistic, "leave them out"),
    "steps": (lambda a: si.simpson(a, dx=a[0]), "is no number"),
    "points": (lambda a: si.simpson(a[0], x=a), "neither a vector"),
    "the first integral": (lambda a: si.cumulative_trapezoid(a, initial=2.0), "is None or 0"),
    "a table": (lambda a: si.romb(a, show=True), "leave it out"),
    "axes": (lambda a: sg.convolve(a, a[0]), "2 and 1 axes"),
    "a mode": (lambda a: sg.convolve(a, a, mode="some"), "'full', 'valid' and 'same'"),
    "vectors": (lambda a: sg.convolve2d(a[0], a[0]), "two matrices"),
    "a boundary": (lambda a: sg.convolve2d(a, a, fillvalue=1.0), "np.pad"),
    "a complex filter": (lambda a: sg.lfilter(a[0] * 1j, a[1], a[2]), "real numbers"),
    "states of rows": (lambda a: sg.lfilter(a[0], a[1], a, zi=a), "each row by itself"),
    "states of sections": (lambda a: sg.sosfilt(a, a, zi=a), "section by section"),
    "a section": (lambda a: sg.sosfilt(a[0], a), "matrices of sections"),
    "Gustafsson": (lambda a: sg.filtfilt(a[0], a[1], a, method="gust"), "method='pad'"),
    "breaks": (lambda a: sg.detrend(a, bp=2), "each part"),
    "an axis": (lambda a: nd.correlate1d(a, a[0], axis=2), "has no axis 2"),
    "axes of weights": (lambda a: nd.correlate(a, a[0]), "other numbers of axes"),
    "complex weights": (lambda a: nd.correlate1d(a, a[0] + 1j), "weights of real numbers"),
    "a high order": (lambda a: nd.gaussian_filter1d(a, 1.0, order=4), "orders 0 to 3"),
    "rows": (lambda a: distance.cosine(a, a), "real vectors"),
    "a metric": (lambda a: distance.cdist(a, a, "jaccard"), "write one of"),
    "what a metric takes": (lambda a: distance.cdist(a, a, "cosine", p=3), "leave out"),
    "deviations": (lambda a: distance.pdist(a, "seuclidean"), "give V="),
    "a place for distances": (lambda a: distance.cdist(a, a, out=a), "use what it returns"),
    "a place for those of pairs": (lambda a: distance.pdist(a, out=a[0]), "use what it returns"),
    "what `force` says": (lambda a: distance.squareform(a, force="tomatrix"), "check its axes"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    function, remedy = REFUSED[name]
    with pytest.raises(bs.UnsupportedError, match=remedy):
        bs.vjp(function, A, jit=False)
