"""Calls of `scipy.signal` that the prelude knows, and some that it refuses."""

from __future__ import annotations

import numpy as np
import scipy.signal as ss

X = np.array([0.3, 1.2, 0.7, 2.1, 1.5, 0.9])
A = np.array([[0.3, 1.2, 0.7], [2.1, 1.5, 0.95], [0.8, 1.3, 0.2], [1.7, 0.45, 0.6]])
LINE = np.sin(np.arange(40.0) ** 1.3)
SECTIONS = ss.butter(3, 0.3, output="sos")
CALLS = {
    "savgol_filter": (lambda x: ss.savgol_filter(x, 5, 3, deriv=1, delta=x[0]), X),
    "savgol_filter, mirror": (lambda a: ss.savgol_filter(a, 3, 1, axis=-2, mode="mirror"), A),
    "savgol_filter, nearest": (lambda x: ss.savgol_filter([x[0], 2, x[1], x[0]], 3, 1, mode="nearest"), X),
    "savgol_filter, constant": (lambda a: ss.savgol_filter(a, 3, 1, axis=0, mode="constant", cval=2.0), A),
    "savgol_filter, wrap": (lambda x: ss.savgol_filter(x, window_length=5, polyorder=2, mode="wrap"), X),
    "upfirdn": (lambda x: ss.upfirdn(x[:3], x, 2, 3), X),
    "upfirdn, axis": (lambda a: ss.upfirdn([1, 2, 3], a, up=3, axis=0), A),
    "resample_poly": (lambda x: ss.resample_poly(x, 3, 2), X),
    "resample_poly, mean": (lambda a: ss.resample_poly(a, 4, 6, axis=-1, padtype="mean"), A),
    "resample_poly, maximum": (lambda a: ss.resample_poly(a, 2, 3, padtype="maximum", window="hamming"), A),
    "decimate": (lambda x: ss.decimate(x, 2), LINE),
    "decimate, one way": (lambda a: ss.decimate(a, 3, axis=0, zero_phase=False), A),
    "decimate, fir": (lambda a: ss.decimate(a, 3, ftype="fir", axis=0), A),
    "decimate, fir one way": (lambda x: ss.decimate(x, 3, 8, ftype="fir", zero_phase=False), X),
    "sosfiltfilt": (lambda x: ss.sosfiltfilt(SECTIONS, x), LINE),
    "sosfiltfilt, coefficients": (
        lambda x: ss.sosfiltfilt(SECTIONS[:1] * [x[0], 2, 1, 1, 1, x[0]], x, 0, "constant", padlen=3),
        X,
    ),
    "sosfiltfilt, axis": (lambda a: ss.sosfiltfilt(SECTIONS, a, axis=0, padtype=None), A),
    "sosfilt_zi": (lambda x: ss.sosfilt_zi(SECTIONS) * x[:2], X),
    "medfilt": (lambda x: ss.medfilt(x**2), X),
    "medfilt, axes": (lambda a: ss.medfilt(a, [1, 3]), A),
    "medfilt2d": (lambda a: ss.medfilt2d(a, (3, 1)), A),
    "wiener": (lambda x: ss.wiener(x, 5), X),
    "wiener, axes": (lambda a: ss.wiener(a, (1, 3), noise=0.1), A),
    "deconvolve": (lambda x: np.concatenate(ss.deconvolve(x, x[:3])), X),
    "lfiltic": (lambda x: ss.lfiltic(x[:3], x[3:5], x[:4], x[5:]), X),
    "sawtooth": (lambda x: ss.sawtooth(7.0 * x, 0.3 * x[0]), X),
    "square": (lambda x: ss.square(5.0 * x, 0.3) * x, X),
    "sweep_poly": (lambda x: ss.sweep_poly(x, x[:3], x[4]), X),
    "vectorstrength": (lambda x: np.stack(ss.vectorstrength(x, x[3])), X),
}
REFUSED = {
    "savgol_filter": (
        lambda a: ss.savgol_filter(a, int(a[0, 0] * 10.0), 1),
        "known only when the program runs",
    ),
    "upfirdn": (lambda a: ss.upfirdn(a[0], a, mode="wrap"), "with zeros around the samples"),
    "resample_poly": (
        lambda a: ss.resample_poly(a, 3, 2, padtype="line"),
        "with zeros, the mean, the median",
    ),
    "decimate": (lambda a: ss.decimate(a, 2, ftype=ss.dlti([1.0], [1.0, 0.5])), "as 'iir' or 'fir'"),
    "medfilt2d": (lambda a: ss.medfilt2d(a[0]), "takes an image"),
}
