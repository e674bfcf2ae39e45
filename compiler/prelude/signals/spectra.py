"""Spectra of `scipy.signal`, and the answers of filters to frequencies."""

from __future__ import annotations

import math

import numpy as np
import scipy.fft
import scipy.signal

from backsweep.prelude.declare import as_floats, has_known_items, is_known, means, refuse
from backsweep.prelude.signals.windows import has_formula


@means(scipy.signal.periodogram)
def periodogram(
    x,
    fs=1.0,
    window="boxcar",
    nfft=None,
    detrend="constant",
    return_onesided=True,
    scaling="density",
    axis=-1,
):
    """The squares of the Fourier coefficients of the whole line."""
    lines = np.moveaxis(as_floats(x), axis, -1)
    n = lines.shape[-1] if nfft is None else nfft
    count = min(n, lines.shape[-1])
    parts = _coefficients(lines, window, count, 0, n, detrend, return_onesided)
    power, scale = _power(parts[..., 0, :], parts[..., 0, :]), _scale(window, count, fs, scaling)
    found = _as_real(power * scale * _twice(lines, n, return_onesided), lines)
    return _frequencies(lines, n, fs, return_onesided), np.moveaxis(found, -1, axis)


@means(scipy.signal.welch)
def welch(
    x,
    fs=1.0,
    window="hann_periodic",
    nperseg=None,
    noverlap=None,
    nfft=None,
    detrend="constant",
    return_onesided=True,
    scaling="density",
    axis=-1,
    average="mean",
):
    """The power of segments that overlap, averaged (Welch)."""
    lines = np.moveaxis(as_floats(x), axis, -1)
    count = _length(lines, window, nperseg)
    overlap, n = count // 2 if noverlap is None else noverlap, count if nfft is None else nfft
    parts = _coefficients(lines, window, count, overlap, n, detrend, return_onesided)
    mean = _averaged(_power(parts, parts), average)
    scale = _scale(window, count, fs, scaling)
    found = _as_real(mean * scale * _twice(lines, n, return_onesided), lines)
    return _frequencies(lines, n, fs, return_onesided), np.moveaxis(found, -1, axis)


@means(scipy.signal.csd)
def csd(
    x,
    y,
    fs=1.0,
    window="hann_periodic",
    nperseg=None,
    noverlap=None,
    nfft=None,
    detrend="constant",
    return_onesided=True,
    scaling="density",
    axis=-1,
    average="mean",
):
    """The same of the products of two lines' coefficients."""
    x, y = np.moveaxis(as_floats(x), axis, -1), np.moveaxis(as_floats(y), axis, -1)
    return_onesided = return_onesided and x.dtype.kind != "c" and y.dtype.kind != "c"
    length = max(x.shape[-1], y.shape[-1])
    x, y = _filled_up(x, length), _filled_up(y, length)
    count = _length(x, window, nperseg)
    overlap, n = count // 2 if noverlap is None else noverlap, count if nfft is None else nfft
    one = _coefficients(x, window, count, overlap, n, detrend, return_onesided)
    other = _coefficients(y, window, count, overlap, n, detrend, return_onesided)
    products = np.conj(one) * other
    mean = _averaged(np.real(products), average) + 1j * _averaged(np.imag(products), average)
    found = _as_precise(mean * _scale(window, count, fs, scaling) * _twice(x, n, return_onesided), x, y)
    return _frequencies(x, n, fs, return_onesided), np.moveaxis(found, -1, axis)


@means(scipy.signal.coherence)
def coherence(
    x, y, fs=1.0, window="hann_periodic", nperseg=None, noverlap=None, nfft=None, detrend="constant", axis=-1
):
    """The share of the power at each frequency that two lines have in common."""
    frequencies, both = csd(x, y, fs, window, nperseg, noverlap, nfft, detrend, axis=axis)
    _, one = welch(x, fs, window, nperseg, noverlap, nfft, detrend, axis=axis)
    _, other = welch(y, fs, window, nperseg, noverlap, nfft, detrend, axis=axis)
    return frequencies, ((np.real(both) ** 2 + np.imag(both) ** 2) / one / other).astype(one.dtype)


@means(scipy.signal.spectrogram)
def spectrogram(
    x,
    fs=1.0,
    window=("tukey_periodic", 0.25),
    nperseg=None,
    noverlap=None,
    nfft=None,
    detrend="constant",
    return_onesided=True,
    scaling="density",
    axis=-1,
    mode="psd",
):
    """The power of each segment."""
    lines = np.moveaxis(as_floats(x), axis, -1)
    count = _length(lines, window, nperseg)
    overlap, n = count // 8 if noverlap is None else noverlap, count if nfft is None else nfft
    parts = _coefficients(lines, window, count, overlap, n, detrend, return_onesided)
    scale = _scale(window, count, fs, scaling)
    if mode == "psd":
        found = _as_real(_power(parts, parts) * scale * _twice(lines, n, return_onesided), lines)
    elif mode == "magnitude":
        found = _as_real(np.abs(parts) * np.sqrt(scale), lines)
    elif mode == "complex":
        found = _as_precise(parts * np.sqrt(scale), lines, lines)
    else:
        refuse(
            "`scipy.signal.spectrogram` is supported with `mode` as 'psd', 'magnitude' or 'complex'",
            "take np.angle of what mode='complex' gives",
        )
    times = (count / 2.0 + (count - overlap) * np.arange(parts.shape[-2])) / fs
    return _frequencies(lines, n, fs, return_onesided), times, _turned(found, axis)


@means(scipy.signal.stft)
def stft(
    x,
    fs=1.0,
    window="hann_periodic",
    nperseg=256,
    noverlap=None,
    nfft=None,
    detrend=False,
    return_onesided=True,
    boundary="zeros",
    padded=True,
    axis=-1,
    scaling="spectrum",
):
    """The Fourier coefficients of segments that overlap."""
    if boundary not in ("zeros", None):
        refuse(
            "`scipy.signal.stft` is supported with `boundary` as 'zeros' or None", "continue the line first"
        )
    lines = np.moveaxis(as_floats(x), axis, -1)
    if scaling not in ("spectrum", "psd"):
        raise ValueError("Parameter scaling not in ['spectrum', 'psd']!")
    before = 0 if boundary is None else _length(lines, window, nperseg) // 2
    lines = _filled_up(lines, lines.shape[-1] + before, before)
    count = _length(lines, window, nperseg)
    overlap, n = count // 2 if noverlap is None else noverlap, count if nfft is None else nfft
    if padded:
        more = (count - lines.shape[-1]) % (count - overlap) % count
        lines = _filled_up(lines, lines.shape[-1] + more)
    parts = _coefficients(lines, window, count, overlap, n, detrend, return_onesided)
    scale = np.sqrt(_scale(window, count, fs, "density" if scaling == "psd" else scaling))
    times = (
        (count - count * (boundary is not None)) / 2.0 + (count - overlap) * np.arange(parts.shape[-2])
    ) / fs
    return (
        _frequencies(lines, n, fs, return_onesided),
        times,
        _turned(_as_precise(parts * scale, lines, lines), axis),
    )


def _as_real(found, lines):
    """Real numbers in single precision, where the samples are."""
    return found.astype(np.float32) if lines.dtype.name in ("float32", "complex64") else found


def _as_precise(found, one, other):
    """Complex numbers in single precision, where the samples are."""
    if one.dtype.name in ("float32", "complex64") and other.dtype.name in ("float32", "complex64"):
        return found.astype(np.complex64)
    return found


def _turned(found, axis):
    """Times stand last, frequencies where the samples were."""
    return np.moveaxis(found, -1, axis - 1 if axis < 0 else axis)


def _filled_up(lines, length, before=0):
    """Lines with zeros before and behind them, up to a length."""
    behind = length - lines.shape[-1]
    start = np.zeros((*lines.shape[:-1], before), lines.dtype)
    end = np.zeros((*lines.shape[:-1], behind), lines.dtype)
    return np.concatenate((start, lines, end), axis=-1)


def _length(lines, window, nperseg):
    """How long the segments are."""
    if not (isinstance(window, str) or has_known_items(window)):
        return len(window)
    if nperseg is None:
        nperseg = 256
    if nperseg < 1:
        raise ValueError("nperseg must be a positive integer")
    if is_known(nperseg) and not has_formula(window):
        if nperseg > lines.shape[-1]:
            raise ValueError("nperseg is longer than the line")
        return nperseg
    return min(nperseg, lines.shape[-1])


def _coefficients(lines, window, count, overlap, n, detrend, is_onesided):
    """The Fourier coefficients of each segment."""
    if overlap >= count:
        raise ValueError("noverlap must be less than nperseg.")
    if n < count:
        raise ValueError("nfft must be greater than or equal to nperseg.")
    step = count - overlap
    starts = step * np.arange((lines.shape[-1] - overlap) // step)
    parts = lines[..., np.reshape(starts, (-1, 1)) + np.arange(count)]
    if detrend == "constant":
        parts = parts - np.mean(parts, axis=-1, keepdims=True)
    elif detrend == "linear":
        parts = scipy.signal.detrend(parts, axis=-1)
    elif detrend not in (False, None):
        refuse("`detrend` is supported as 'constant', 'linear' or False", "take the trend off first")
    parts = parts * _window(window, count)
    if _has_two_sides(lines, is_onesided):
        return np.fft.fft(parts, n, axis=-1)
    return np.fft.rfft(parts, n, axis=-1)


def _has_two_sides(lines, is_onesided):
    return lines.dtype.kind == "c" or not is_onesided


def _power(one, other):
    """The real part of the products of coefficients."""
    return np.real(one) * np.real(other) + np.imag(one) * np.imag(other)


def _scale(window, count, fs, scaling):
    """What brings a square of coefficients to the unit of the spectrum."""
    if scaling not in ("density", "spectrum"):
        raise ValueError("scaling is 'density' or 'spectrum'")
    weights = _window(window, count)
    return 1.0 / np.sum(weights) ** 2 if scaling == "spectrum" else 1.0 / (fs * np.sum(weights * weights))


def _twice(lines, n, is_onesided):
    """How often a frequency counts: those that stand for two, a positive and a negative one, twice."""
    if _has_two_sides(lines, is_onesided):
        return np.ones(n)
    times = np.full(n // 2 + 1, 2.0)
    times[0] = 1.0
    if n % 2 == 0:
        times[-1] = 1.0
    return times


def _frequencies(lines, n, fs, is_onesided):
    if _has_two_sides(lines, is_onesided):
        return np.fft.fftfreq(n, 1.0 / fs)
    return np.fft.rfftfreq(n, 1.0 / fs)


def _averaged(power, average):
    """The mean or median over the segments, which is corrected for its bias."""
    if average == "mean":
        return np.mean(power, axis=-2)
    if average != "median":
        raise ValueError("average is 'mean' or 'median'")
    even = 2.0 * np.arange(1, (power.shape[-2] - 1) // 2 + 1)
    return np.median(power, axis=-2) / (1.0 + np.sum(1.0 / (even + 1.0) - 1.0 / even))


def _window(window, count):
    """A window by its name, of a length that the run may tell, or as the user gives it."""
    if window is None:
        return np.ones(count)
    if isinstance(window, str) or has_known_items(window):
        return scipy.signal.get_window(window, count)
    return np.asarray(window)


@means(scipy.signal.resample)
def resample(x, num, t=None, axis=0, window=None, domain="time"):
    """Samples at another rate, by a Fourier series."""
    lines = np.moveaxis(as_floats(x), axis, -1)
    if window is not None or domain != "time" or lines.dtype.kind == "c":
        refuse(
            "`scipy.signal.resample` is supported of real samples, without a window",
            "transform the samples by np.fft, and back with `n`",
        )
    count = lines.shape[-1]
    least = min(num, count)
    times = np.full(least // 2 + 1, num / count)
    if least % 2 == 0 and num != count:
        times[-1] *= 2.0 if num < count else 0.5
    found = np.fft.irfft(np.fft.rfft(lines, axis=-1)[..., : least // 2 + 1] * times, num, axis=-1)
    found = np.moveaxis(found.astype(lines.dtype), -1, axis)
    if t is None:
        return found
    return found, t[0] + (t[1] - t[0]) * (count / num) * np.arange(num)


@means(scipy.signal.hilbert2)
def hilbert2(x, N=None, axes=(-2, -1)):
    """The analytic signal of an image."""
    if N is not None or axes != (-2, -1) or np.ndim(x) < 2:
        refuse(
            "`scipy.signal.hilbert2` is supported along the last two axes", "move the axes, and pad, first"
        )
    rows, columns = _one_side(np.shape(x)[-2]), _one_side(np.shape(x)[-1])
    image = as_floats(x)
    return _as_precise(np.fft.ifft2(np.fft.fft2(image) * (np.reshape(rows, (-1, 1)) * columns)), image, image)


def _one_side(count):
    """Positive frequencies twice, negative ones not at all."""
    times = np.zeros(count)
    times[: (count + 1) // 2] = 2.0
    times[0] = 1.0
    return times


@means(scipy.signal.czt)
def czt(x, m=None, w=None, a=1 + 0j, *, axis=-1):
    """Fourier coefficients at points of a spiral (Bluestein)."""
    lines = np.moveaxis(as_floats(x), axis, -1)
    n = lines.shape[-1]
    m = n if m is None else m
    k = np.arange(max(m, n)) * 1.0
    turns = (
        np.exp(-1j * (math.pi * (k * k % (2 * m)) / m)) if w is None else (w * (1.0 + 0j)) ** (k * k / 2.0)
    )
    return np.moveaxis(_chirped(lines, m, turns, (a * (1.0 + 0j)) ** -k[:n]), -1, axis)


@means(scipy.signal.zoom_fft)
def zoom_fft(x, fn, m=None, *, fs=2, endpoint=False, axis=-1):
    """Fourier coefficients at frequencies between two."""
    lines = np.moveaxis(as_floats(x), axis, -1)
    n = lines.shape[-1]
    m = n if m is None else m
    low, high = (0.0, fn) if np.ndim(fn) == 0 else (fn[0], fn[1])
    k = np.arange(max(m, n)) * 1.0
    step = (high - low) / fs * (m / (m - 1.0) if endpoint else 1.0)
    turns = np.exp(-1j * (math.pi * step * k * k / m))
    return np.moveaxis(_chirped(lines, m, turns, np.exp(-2j * math.pi * (low / fs * k[:n]))), -1, axis)


def _chirped(lines, m, turns, first):
    """A convolution with a chirp, by three transforms."""
    n = lines.shape[-1]
    length = scipy.fft.next_fast_len(n + m - 1)
    chirp = np.fft.fft(1.0 / np.concatenate((turns[1:n][::-1], turns[:m])), length)
    found = np.fft.ifft(chirp * np.fft.fft(lines * (first * turns[:n]), length, axis=-1), axis=-1)
    return found[..., n - 1 : n + m - 1] * turns[:m]


@means(scipy.signal.freqz)
def freqz(b, a=1, worN=512, whole=False, plot=None, fs=2 * math.pi, include_nyquist=False):
    """What a digital filter multiplies each frequency by."""
    if plot is not None or np.ndim(b) > 1 or np.ndim(a) > 1:
        refuse(
            "`scipy.signal.freqz` takes vectors of coefficients, and plots nothing", "call it for each filter"
        )
    w = _angles(worN, whole, fs, include_nyquist and not whole)
    back = np.exp(-1j * w)
    return w * (fs / (2.0 * math.pi)), _polynomial(b, back) / _polynomial(a, back)


@means(scipy.signal.freqz_sos, scipy.signal.sosfreqz)
def freqz_sos(sos, worN=512, whole=False, fs=2 * math.pi):
    """The same of a filter in sections."""
    sos, w = as_floats(sos), _angles(worN, whole, fs, False)
    back = np.exp(-1j * w)
    found = np.ones(w.shape) + 0j
    for k in range(len(sos)):
        found = found * (_polynomial(sos[k, :3], back) / _polynomial(sos[k, 3:], back))
    return w * (fs / (2.0 * math.pi)), found


@means(scipy.signal.freqz_zpk)
def freqz_zpk(z, p, k, worN=512, whole=False, fs=2 * math.pi):
    """The same of a filter by its zeros and poles."""
    w = _angles(worN, whole, fs, False)
    turn = np.exp(1j * w)
    return w * (fs / (2.0 * math.pi)), k * _from_roots(np.asarray(z), turn) / _from_roots(np.asarray(p), turn)


@means(scipy.signal.freqs)
def freqs(b, a, worN=200, plot=None):
    """What an analogue filter multiplies each frequency by."""
    b, a = np.atleast_1d(as_floats(b)), np.atleast_1d(as_floats(a))
    w = _around(np.roots(b + 0j), np.roots(a + 0j), worN) if _are_chosen(worN, plot) else as_floats(worN)
    return w, np.polyval(b, 1j * w) / np.polyval(a, 1j * w)


@means(scipy.signal.freqs_zpk)
def freqs_zpk(z, p, k, worN=200):
    """The same of a filter by its zeros and poles."""
    z, p = np.atleast_1d(as_floats(z)), np.atleast_1d(as_floats(p))
    w = np.atleast_1d(_around(z + 0j, p + 0j, worN) if _are_chosen(worN, None) else as_floats(worN))
    return w, k * _from_roots(z, 1j * w) / _from_roots(p, 1j * w)


def _are_chosen(frequencies, plot):
    """Whether only the number of the frequencies is given."""
    if plot is not None:
        refuse("answers of filters are not plotted", "plot them after the call")
    return frequencies is None or (np.ndim(frequencies) == 0 and np.asarray(frequencies).dtype.kind in "iu")


def _around(zeros, poles, count):
    """Frequencies from well below to well above all zeros and poles, between whole powers of ten; of pairs one is looked at."""
    near = zeros[np.abs(zeros) < 1e5]
    points = np.concatenate((poles if len(poles) > 0 else np.full(1, -1000.0 + 0j), near))
    points = points[points.imag >= -1e-12 * np.abs(points)]
    away = np.where(np.abs(points) < 1e-10, 1.0, 0.0)
    first = np.min(np.abs(points.real + away) + 2.0 * points.imag)
    last = np.max(3.0 * np.abs(points.real + away) + 1.5 * points.imag)
    low, high = np.round(np.log10(0.1 * first) - 0.5), np.round(np.log10(last) + 0.5)
    return 10.0 ** np.linspace(low, high, 200 if count is None else int(np.ravel(count)[0]))


def _angles(points, whole, fs, has_end):
    """Frequencies as angles: those that are given, or so many around half of the circle, or the whole."""
    if points is None:
        points = 512
    if np.ndim(points) > 0 or not isinstance(points, int):
        return 2.0 * math.pi * np.atleast_1d(as_floats(points)) / fs
    end = 2.0 * math.pi if whole else math.pi
    return np.arange(points) * (end / max(points - 1 if has_end else points, 1))


def _polynomial(coefficients, x):
    """A polynomial whose first coefficient is the constant one."""
    if np.ndim(coefficients) == 0:
        return coefficients + 0.0 * x
    return np.polynomial.polynomial.polyval(x, as_floats(coefficients))


def _from_roots(roots, x):
    found = np.ones(x.shape) + 0j
    for k in range(len(roots)):
        found = found * (x - roots[k])
    return found


@means(scipy.signal.group_delay)
def group_delay(system, w=512, whole=False, fs=2 * math.pi):
    """By how many samples a filter delays each frequency."""
    b, a = np.atleast_1d(as_floats(system[0])), np.atleast_1d(as_floats(system[1]))
    w = _angles(w, whole, fs, False)
    c = np.convolve(b, np.conjugate(a[::-1]))
    back = np.exp(-1j * w)
    below = _polynomial(c, back)
    is_zero = below == 0.0
    found = np.real(_polynomial(c * np.arange(len(c)), back) / np.where(is_zero, 1.0, below)) - (len(a) - 1)
    return w * (fs / (2.0 * math.pi)), np.where(is_zero, 0.0, found)


@means(scipy.signal.lombscargle)
def lombscargle(x, y, freqs, *, precenter=None, normalize=False, weights=None, floating_mean=False):
    """The power at frequencies of samples at any times (Lomb and Scargle)."""
    if normalize not in (False, True, "power", "normalize", "amplitude"):
        raise ValueError("Normalize must be: False (or 'power'), True (or 'normalize'), or 'amplitude'.")
    x, y = as_floats(x), as_floats(y)
    if x.ndim != 1 or y.ndim != 1 or np.ndim(freqs) != 1:
        refuse("`scipy.signal.lombscargle` takes vectors", "call it for each of the rows")
    if len(x) != len(y):
        raise ValueError("Parameters x, y, weights must be 1-D arrays of equal non-zero length!")
    shares = np.ones(len(y)) if weights is None else as_floats(weights)
    shares = shares / np.sum(shares)
    if precenter is not None and precenter:
        y = y - np.mean(y)
    turns = np.reshape(x, (-1, 1)) * as_floats(freqs)
    cc, ss, cs, _, _ = _products(turns, shares, y, floating_mean)
    tau = 0.5 * np.arctan2(2.0 * cs, cc - ss)
    cc, ss, _, yc, ys = _products(turns - tau, shares, y, floating_mean)
    a, b = yc / np.maximum(cc, 1.1102230246251565e-16), ys / np.maximum(ss, 1.1102230246251565e-16)
    if normalize == "amplitude":
        return (a + 1j * b) * np.exp(1j * tau)
    power = 2.0 * (a * yc + b * ys)
    if normalize in (False, "power"):
        return power * (len(x) / 4.0)
    whole = shares @ (y * y)
    if floating_mean:
        whole = whole - (shares @ y) ** 2
    return power * (0.5 / whole)


def _products(turns, shares, y, floating_mean):
    """Mean products of cosines and sines with each other and with the samples, or their covariances."""
    cosines, sines = np.cos(turns), np.sin(turns)
    cc, cs = shares @ (cosines * cosines), shares @ (cosines * sines)
    ss, yc, ys = 1.0 - cc, (shares * y) @ cosines, (shares * y) @ sines
    if floating_mean:
        c, s, mean = shares @ cosines, shares @ sines, shares @ y
        return cc - c * c, ss - s * s, cs - c * s, yc - mean * c, ys - mean * s
    return cc, ss, cs, yc, ys


@means(scipy.signal.check_NOLA)
def check_NOLA(window, nperseg, noverlap, tol=1e-10):
    """Whether the squares of windows that overlap add up to what can be divided by."""
    if noverlap < 0:
        raise ValueError("noverlap must be a nonnegative integer")
    taps = _taps_of(window, nperseg, noverlap)
    return bool(np.min(_sums_of_overlaps(np.square(taps), int(nperseg) - int(noverlap))) > tol)


@means(scipy.signal.check_COLA)
def check_COLA(window, nperseg, noverlap, tol=1e-10):
    """Whether windows that overlap add up to a constant."""
    sums = _sums_of_overlaps(_taps_of(window, nperseg, noverlap), int(nperseg) - int(noverlap))
    return bool(np.max(np.abs(sums - np.median(sums))) < tol)


def _taps_of(window, nperseg, noverlap):
    """The numbers of a window, and errors as SciPy's."""
    if int(nperseg) < 1:
        raise ValueError("nperseg must be a positive integer")
    if noverlap >= nperseg:
        raise ValueError("noverlap must be less than nperseg")
    if isinstance(window, (str, tuple)):
        return scipy.signal.get_window(window, int(nperseg))
    taps = as_floats(window)
    if taps.ndim != 1:
        raise ValueError("window must be 1-D")
    if len(taps) != int(nperseg):
        raise ValueError("window must have length of nperseg")
    return taps


def _sums_of_overlaps(taps, step):
    """What the taps add up to whose places are a whole number of steps apart."""
    sums = np.zeros(step)
    for k in range(len(taps)):
        sums[k % step] += taps[k]
    return sums
