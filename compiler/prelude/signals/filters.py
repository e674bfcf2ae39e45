"""Filters of `scipy.signal`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.signal

from backsweep.prelude.declare import as_floats, computed, has_known_items, is_complex, means, refuse
from backsweep.prelude.signals.linear import check_continued, line_continued

windows = np.lib.stride_tricks.sliding_window_view


@means(scipy.signal.savgol_filter)
def savgol_filter(x, window_length, polyorder, deriv=0, delta=1.0, axis=-1, mode="interp", cval=0.0):
    """The values or slopes of polynomials that are fitted to each window (Savitzky and Golay)."""
    if mode not in ("mirror", "constant", "nearest", "interp", "wrap"):
        raise ValueError("mode must be 'mirror', 'constant', 'nearest' 'wrap' or 'interp'.")
    if is_complex(x):
        refuse("`savgol_filter` drops imaginary parts", "filter the real and the imaginary part apart")
    weights, first, last = computed(_fits)(window_length, polyorder, deriv)
    lines = np.moveaxis(as_floats(x), axis, -1)
    weights, first, last = weights.astype(lines.dtype), first.astype(lines.dtype), last.astype(lines.dtype)
    count, beside = lines.shape[-1], window_length // 2
    if mode != "interp":
        found = _sums(_extended(lines, beside, mode, cval), weights)
    else:
        if window_length > count:
            raise ValueError(
                "If mode is 'interp', window_length must be less than or equal to the size of x."
            )
        inside = _sums(lines, weights)
        found = np.concatenate(
            (lines[..., :window_length] @ first.T, inside, lines[..., count - window_length :] @ last.T),
            axis=-1,
        )
    if deriv != 0:
        found = (found / delta**deriv).astype(lines.dtype)
    return np.moveaxis(found, -1, axis)


def _fits(window_length, polyorder, deriv):
    """What the entries of a window are multiplied by: for its middle, and for the places before and behind it."""
    if window_length % 2 == 0:
        raise ValueError("window_length must be odd")
    rows = np.array(
        [
            scipy.signal.savgol_coeffs(window_length, polyorder, deriv, pos=k, use="dot")
            for k in range(window_length)
        ]
    )
    half = window_length // 2
    return rows[half], rows[:half], rows[half + 1 :]


def _extended(lines, count, mode, cval):
    """Lines with `count` entries more at both ends."""
    n = lines.shape[-1]
    if mode == "constant":
        ends = np.full((*lines.shape[:-1], count), cval).astype(lines.dtype)
        return np.concatenate((ends, lines, ends), axis=-1)
    places = np.arange(-count, n + count)
    if mode == "nearest":
        places = np.minimum(np.maximum(places, 0), n - 1)
    elif mode == "wrap":
        places = places % n
    else:
        places = np.abs((places + (n - 1)) % max(2 * (n - 1), 1) - (n - 1))
    return lines[..., places]


@means(scipy.signal.upfirdn)
def upfirdn(h, x, up=1, down=1, axis=-1, mode="constant", cval=0):
    """Zeros are put between the samples, a filter is run over them, and some of the results are taken."""
    if mode not in ("constant", None) or not isinstance(cval, (int, float)) or cval != 0:
        refuse("`scipy.signal.upfirdn` is supported with zeros around the samples", "pad the samples first")
    if up < 1 or down < 1:
        raise ValueError("Both up and down must be >= 1")
    return np.moveaxis(_upfirdn(np.asarray(h), np.moveaxis(as_floats(x), axis, -1), up, down), -1, axis)


def _upfirdn(h, lines, up, down):
    """The same along the last axis."""
    between = (lines.shape[-1] - 1) * up + 1
    spread = np.zeros((*lines.shape[:-1], between + 2 * (len(h) - 1)), lines.dtype)
    spread[..., len(h) - 1 : len(h) - 1 + between : up] = lines
    return _sums(spread, h[::-1], down)


def _sums(lines, weights, step=1):
    """Weighted sums of each window, or of every `step`-th."""
    count = lines.shape[-1] - len(weights) + 1
    total = weights[0] * lines[..., :count:step]
    for k in range(1, len(weights)):
        total = total + weights[k] * lines[..., k : k + count : step]
    return total


@means(scipy.signal.resample_poly)
def resample_poly(x, up, down, axis=0, window=("kaiser", 5.0), padtype="constant", cval=None):
    """Samples at another rate: they go through a filter between `upfirdn`'s two steps."""
    if padtype not in ("constant", "mean", "median", "minimum", "maximum") or cval not in (None, 0):
        refuse(
            "`scipy.signal.resample_poly` is supported with zeros, the mean, the median or an extreme around the samples",
            "leave `cval` out, with padtype='constant' or 'mean'",
        )
    lines = np.moveaxis(as_floats(x), axis, -1)
    up, down, h = computed(_filter_between)(up, down, window)
    if up == down == 1:
        return np.moveaxis(lines * 1.0, -1, axis)
    h = h.astype(lines.dtype)
    level = _level(lines, padtype)
    return np.moveaxis(_resampled(lines - level, up, down, h) + level, -1, axis)


def _filter_between(up, down, window):
    """The two rates in lowest terms, and the filter."""
    if up != int(up) or down != int(down) or up < 1 or down < 1:
        raise ValueError("up and down must be integers >= 1")
    common = math.gcd(int(up), int(down))
    up, down = int(up) // common, int(down) // common
    rate = max(up, down)
    return up, down, up * scipy.signal.firwin(20 * rate + 1, 1.0 / rate, window=window)


def _level(lines, padtype):
    """What is taken off all samples of a line first."""
    if padtype == "mean":
        return np.mean(lines, axis=-1, keepdims=True)
    if padtype == "median":
        return np.median(lines, axis=-1, keepdims=True)
    if padtype == "minimum":
        return np.min(lines, axis=-1, keepdims=True)
    if padtype == "maximum":
        return np.max(lines, axis=-1, keepdims=True)
    return np.zeros((*lines.shape[:-1], 1), lines.dtype)


def _resampled(lines, up, down, h):
    """What `upfirdn` gives, less the delay of the filter."""
    half = (len(h) - 1) // 2
    before = down - half % down
    count, first = -(-lines.shape[-1] * up // down), (half + before) // down
    length = (lines.shape[-1] - 1) * up + len(h) + before
    behind = max((count + first - 1) * down + 1 - length, 0)
    h = np.concatenate((np.zeros(before, h.dtype), h, np.zeros(behind, h.dtype)))
    return _upfirdn(h, lines, up, down)[..., first : first + count]


@means(scipy.signal.decimate)
def decimate(x, q, n=None, ftype="iir", axis=-1, zero_phase=True):
    """Every `q`-th sample of what a filter lets through."""
    lines = np.moveaxis(as_floats(x), axis, -1)
    if ftype == "fir":
        h = computed(_low_pass)(q, n).astype(lines.dtype)
        count = -(-lines.shape[-1] // q)
        found = _resampled(lines, 1, q, h) if zero_phase else _upfirdn(h, lines, 1, q)[..., :count]
    elif ftype == "iir":
        sos = computed(_chebyshev)(q, n).astype(lines.dtype)
        filtered = scipy.signal.sosfiltfilt(sos, lines) if zero_phase else scipy.signal.sosfilt(sos, lines)
        found = filtered[..., ::q]
    else:
        refuse(
            "`scipy.signal.decimate` is supported with `ftype` as 'iir' or 'fir'",
            "filter the samples first, and take x[::q]",
        )
    return np.moveaxis(found, -1, axis)


def _low_pass(q, n):
    return scipy.signal.firwin((20 * q if n is None else n) + 1, 1.0 / q, window="hamming")


def _chebyshev(q, n):
    return scipy.signal.cheby1(8 if n is None else n, 0.05, 0.8 / q, output="sos")


@means(scipy.signal.sosfiltfilt)
def sosfiltfilt(sos, x, axis=-1, padtype="odd", padlen=None):
    """A filter in sections, run forwards and backwards over samples that are continued at both ends."""
    if padtype not in ("even", "odd", "constant", None):
        raise ValueError("padtype must be 'even', 'odd', 'constant', or None.")
    check_continued(x, padtype)
    sos = as_floats(sos)
    if sos.ndim != 2 or sos.shape[1] != 6:
        raise ValueError("sos array must be shape (n_sections, 6)")
    taps = 2 * len(sos) + 1 - min(np.sum(sos[:, 2] == 0.0), np.sum(sos[:, 5] == 0.0))
    edge = 0 if padtype is None else 3 * taps if padlen is None else padlen
    return np.apply_along_axis(_both_ways, axis, as_floats(x), sos, _rests(sos), edge, padtype)


def _both_ways(line, sos, rests, edge, padtype):
    """The same of one line."""
    if len(line) <= edge:
        raise ValueError("The length of the input vector x must be greater than padlen.")
    line = line_continued(line, edge, padtype)
    line = _in_sections(line, sos, rests * line[0])[::-1]
    line = _in_sections(line, sos, rests * line[0])[::-1]
    return line[edge : len(line) - edge]


def _in_sections(line, sos, rests):
    """What the sections let through, one after the other, of a line before which they were at rest."""
    for k in range(len(sos)):
        line, _ = scipy.signal.lfilter(sos[k, :3], sos[k, 3:], line, zi=rests[k])
    return line


@means(scipy.signal.sosfilt_zi)
def sosfilt_zi(sos):
    """The states in which sections answer a constant by a constant."""
    return _rests(as_floats(sos))


def _rests(sos):
    found, scale = np.zeros((len(sos), 2), sos.dtype), 1.0
    for k in range(len(sos)):
        found[k] = scale * scipy.signal.lfilter_zi(sos[k, :3], sos[k, 3:])
        scale = scale * np.sum(sos[k, :3]) / np.sum(sos[k, 3:])
    return found


@means(scipy.signal.medfilt)
def medfilt(volume, kernel_size=None):
    """The median of each window, with zeros around the samples."""
    return _medians(np.asarray(volume), 3 if kernel_size is None else kernel_size)


@means(scipy.signal.medfilt2d)
def medfilt2d(input, kernel_size=3):
    """The median of each window of an image, with zeros around it."""
    if np.ndim(input) != 2:
        refuse("`scipy.signal.medfilt2d` takes an image", "call scipy.signal.medfilt")
    return _medians(np.asarray(input), kernel_size)


def _medians(x, size):
    rows, columns = size if has_known_items(size) and len(size) == 2 else (size, size)
    if x.ndim > 2 or (has_known_items(size) and len(size) != x.ndim):
        refuse("medians are supported along one and two axes", "call scipy.signal.medfilt for each slice")
    if x.ndim == 1:
        rows, columns = 1, columns[0] if has_known_items(columns) else columns
    if rows % 2 != 1 or columns % 2 != 1:
        raise ValueError("Each element of kernel_size should be odd.")
    image = np.pad(np.reshape(x, (-1, x.shape[-1])), ((rows // 2, rows // 2), (columns // 2, columns // 2)))
    count = rows * columns
    found = np.sort(np.reshape(windows(image, (rows, columns)), (-1, count)), axis=1)[:, count // 2]
    return np.reshape(found, x.shape)


@means(scipy.signal.wiener)
def wiener(im, mysize=None, noise=None):
    """Local means, and of what is above the noise the sample (Wiener)."""
    im = as_floats(im)
    if im.ndim > 2:
        refuse("`scipy.signal.wiener` is supported along one and two axes", "call it for each slice")
    size: Any = 3 if mysize is None else mysize
    rows, columns = size if has_known_items(size) and len(size) == 2 else (size, size)
    ones = np.ones(columns) if im.ndim == 1 else np.ones((rows, columns))
    means_ = scipy.signal.correlate(im, ones, "same") / ones.size
    variances = scipy.signal.correlate(im**2, ones, "same") / ones.size - means_**2
    noise = np.mean(variances) if noise is None else noise
    return np.where(variances < noise, means_, (im - means_) * (1.0 - noise / variances) + means_)


@means(scipy.signal.deconvolve)
def deconvolve(signal, divisor):
    """Quotient and rest: what a convolution with the divisor has made the signal of."""
    num, den = as_floats(signal), as_floats(divisor)
    if num.ndim != 1 or den.ndim != 1:
        refuse("`scipy.signal.deconvolve` takes two vectors", "call it for each of the rows")
    if len(den) > len(num):
        return np.zeros(0), num * 1.0
    impulse = np.zeros(len(num) - len(den) + 1)
    impulse[0] = 1.0
    found = scipy.signal.lfilter(num, den, impulse)
    return found, num - np.convolve(den, found)


@means(scipy.signal.lfiltic)
def lfiltic(b, a, y, x=None):
    """The state of a filter after given results and samples, the last one first."""
    b, a, y = as_floats(b), as_floats(a), as_floats(y)
    zi = np.zeros(max(len(a), len(b)) - 1, (b[:1] * a[:1] * y[:1]).dtype)
    if x is not None:
        x = as_floats(x)
        for m in range(len(b) - 1):
            for k in range(min(len(b) - 1 - m, len(x))):
                zi[m] += b[m + 1 + k] * x[k]
    for m in range(len(a) - 1):
        for k in range(min(len(a) - 1 - m, len(y))):
            zi[m] -= a[m + 1 + k] * y[k]
    return zi / a[0]


@means(scipy.signal.normalize)
def normalize(b, a):
    """A quotient of polynomials whose denominator begins with 1."""
    num, den = np.atleast_1d(as_floats(b)), np.atleast_1d(as_floats(a))
    if num.ndim != 1 or den.ndim != 1:
        refuse("`scipy.signal.normalize` is supported of one numerator", "call it for each of the rows")
    den = np.trim_zeros(den, "f")
    if len(den) == 0:
        raise ValueError("Denominator must have at least on nonzero element.")
    num = num / den[0]
    zeros = 0
    while zeros < len(num) - 1 and np.abs(num[zeros]) <= 1e-14:
        zeros += 1
    return num[zeros:], den / den[0]


@means(scipy.signal.bilinear)
def bilinear(b, a, fs=1.0):
    """The digital filter of an analog one: 2 fs (z - 1) / (z + 1) is put for the frequency (Tustin)."""
    b, a = np.atleast_1d(as_floats(b)), np.atleast_1d(as_floats(a))
    if b.ndim != 1 or a.ndim != 1:
        refuse("`scipy.signal.bilinear` takes two vectors", "call it for each of the rows")
    b, a = np.trim_zeros(b, "f"), np.trim_zeros(a, "f")
    if len(b) == 0 or len(a) == 0:
        raise ValueError("Parameters a and b must have at least one nonzero element.")
    degree, unit = max(len(b), len(a)) - 1, np.sqrt(2.0 * fs)
    return scipy.signal.normalize(_in_halves(b, degree, unit), _in_halves(a, degree, unit))


def _in_halves(polynomial, degree, unit):
    """The sum of the k-th coefficient times (unit (z - 1))^k ((z + 1) / unit)^(degree - k), by Horner's scheme."""
    missing = degree + 1 - len(polynomial)
    total = np.zeros(degree + 1, np.complex128 if is_complex(polynomial) else np.float64)
    power = np.zeros(degree + 1)
    power[degree] = 1.0
    for k in range(degree + 1):
        total = (np.append(total[1:], 0.0) - total) * unit
        if k >= missing:
            total = total + polynomial[k - missing] * power
        power = (np.append(power[1:], 0.0) + power) / unit
    return total
