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
    "bilinear": (lambda x: np.concatenate(ss.bilinear(x[:2], x[2:5], x[5])), X),
    "bilinear, zeros": (lambda x: np.concatenate(ss.bilinear([0, x[0], 1], [1, x[3]], fs=3)), X),
    "bilinear, complex": (lambda x: ss.bilinear(x[:2] * 1j + 1, x[1:] - 2j * x[0])[0], X),
    "normalize": (lambda x: np.concatenate(ss.normalize(x[:2], [0, x[2], x[3], 2])), X),
    "sawtooth": (lambda x: ss.sawtooth(7.0 * x, 0.3 * x[0]), X),
    "square": (lambda x: ss.square(5.0 * x, 0.3) * x, X),
    "sweep_poly": (lambda x: ss.sweep_poly(x, x[:3], x[4]), X),
    "vectorstrength": (lambda x: np.stack(ss.vectorstrength(x, x[3])), X),
}
CALLS |= {
    "periodogram": (lambda x: ss.periodogram(x)[1], X),
    "periodogram, longer": (
        lambda a: ss.periodogram(a, 2.0, "hann", 9, "linear", scaling="spectrum", axis=0)[1],
        A,
    ),
    "periodogram, shorter": (lambda a: ss.periodogram(a, nfft=2, return_onesided=False)[1], A),
    "welch": (lambda x: ss.welch(x, x[1] + 1.0, nperseg=8, noverlap=3, nfft=10, average="median")[1], LINE),
    "welch, whole": (lambda x: ss.welch(x, nperseg=6)[1], X),
    "welch, window": (lambda a: ss.welch(a, window=("kaiser", 2.0), nperseg=3, axis=0)[1], A),
    "welch, own window": (lambda x: ss.welch(x, window=x[:8] + 3.0, detrend=False)[1], LINE),
    "csd": (lambda x: ss.csd(x, x[:5] ** 2, nperseg=4)[1], X),
    "csd, complex": (lambda a: ss.csd(a + 1j * a**2, a, nperseg=4, axis=0)[1], A),
    "coherence": (lambda x: ss.coherence(x, x**2, nperseg=8)[1], LINE),
    "spectrogram": (lambda x: ss.spectrogram(x, nperseg=9)[2], LINE),
    "spectrogram, magnitude": (lambda a: ss.spectrogram(a, nperseg=3, mode="magnitude", axis=0)[2], A),
    "stft": (lambda x: np.real(ss.stft(x, nperseg=4)[2] * 1j), X),
    "stft, axis": (
        lambda a: ss.stft(a, nperseg=3, noverlap=2, scaling="psd", axis=0, boundary=None)[2],
        A,
    ),
    "stft, times": (lambda x: ss.stft(x, x[0], nperseg=4)[1], X),
    "resample": (lambda x: ss.resample(x, 4), X),
    "resample, axis": (lambda a: ss.resample(a, 9, axis=-2), A),
    "resample, times": (lambda x: ss.resample(x, 8, x)[1], X),
    "hilbert2": (ss.hilbert2, A),
    "czt": (ss.czt, X),
    "czt, spiral": (lambda a: ss.czt(a, 5, np.exp(-1j * a[0, 0]), 1.0 + 0.1j * a[0, 1], axis=0), A),
    "zoom_fft": (lambda x: ss.zoom_fft(x, [0.1, x[0]]), X),
    "zoom_fft, end": (lambda x: ss.zoom_fft(x, x[0], 9, endpoint=True, fs=3.0), X),
    "freqz": (lambda x: ss.freqz(x, worN=9)[1], X),
    "freqz, whole": (lambda x: ss.freqz(x[:3], x[3:], 9, True)[1], X),
    "freqz, given": (lambda x: ss.freqz(x[:3], [1, 0.5], worN=x[1:], fs=9.0)[1], X),
    "freqz, end": (lambda x: x * ss.freqz(x, worN=6, include_nyquist=True)[0], X),
    "freqz_sos": (lambda x: ss.freqz_sos(SECTIONS * [x[0], 1, x[1], 1, x[2], 1], 7)[1], X),
    "freqz_zpk": (lambda x: ss.freqz_zpk(x[:3], x[3:5], x[5], 10)[1], X),
    "freqs": (lambda x: ss.freqs(x[:3], x[3:], [1, 2, 3])[1], X),
    "freqs_zpk": (lambda x: ss.freqs_zpk(x[:3], x[3:5], x[5], X)[1], X),
    "group_delay": (lambda x: ss.group_delay((x[:3], x[3:]), 8)[1], X),
    "lombscargle": (lambda x: ss.lombscargle(X.cumsum(), x, [0.5, 1.0]), X),
    "lombscargle, mean": (
        lambda x: ss.lombscargle(x, x**2, x[:2], normalize=True, floating_mean=True, weights=x),
        X,
    ),
    "lombscargle, amplitude": (lambda x: ss.lombscargle(x, x**2, x[:2], normalize="amplitude"), X),
}
REFUSED = {
    "spectrogram": (lambda a: ss.spectrogram(a, nperseg=3, mode="phase")[2], "'magnitude' or 'complex'"),
    "stft": (lambda a: np.abs(ss.stft(a, nperseg=3, boundary="odd")[2]), "as 'zeros' or None"),
    "welch": (lambda a: ss.welch(a, window="bohman", nperseg=a.shape[1])[1], "length of this window"),
    "csd": (lambda a: np.abs(ss.csd(a, a**2, detrend=np.sin, nperseg=3)[1]), "'constant', 'linear' or False"),
    "resample": (lambda a: ss.resample(a, 3, window="hann"), "without a window"),
    "hilbert2": (lambda a: np.abs(ss.hilbert2(a, 8)), "along the last two axes"),
    "freqz": (lambda a: np.abs(ss.freqz(a)[1]), "takes vectors"),
    "freqs": (lambda a: np.abs(ss.freqs(a[0], a[1])[1]), "at frequencies that are given"),
    "lombscargle": (lambda a: ss.lombscargle(a, a, a[0]), "takes vectors"),
    "bilinear": (lambda a: ss.bilinear(a, a[0])[0], "takes two vectors"),
    "normalize": (lambda a: ss.normalize(a, a[0])[0], "of one numerator"),
    "savgol_filter": (
        lambda a: ss.savgol_filter(a, int(a[0, 0] * 10.0), 1),
        "known only when the program runs",
    ),
    "upfirdn": (lambda a: ss.upfirdn(a[0], a, mode="wrap"), "with zeros around the samples"),
    "resample_poly": (
        lambda a: ss.resample_poly(a, 3, 2, padtype="line"),
        "with zeros, the mean, the median",
    ),
    "decimate": (lambda a: ss.decimate(a, 2, ftype="filter"), "as 'iir' or 'fir'"),
    "medfilt2d": (lambda a: ss.medfilt2d(a[0]), "takes an image"),
}
