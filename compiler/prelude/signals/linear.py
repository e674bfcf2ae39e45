"""Convolutions, linear filters and trends of `scipy.signal`. All convolutions are computed as sums, and none by Fourier transforms."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal

from backsweep.prelude.declare import AXES, as_floats, is_complex, means, refuse


def _alike(in1, in2, mode):
    """Two arrays with as many axes, of numbers of one kind."""
    in1, in2 = np.asarray(in1), np.asarray(in2)
    if in1.ndim != in2.ndim:
        refuse(f"the arrays of a convolution have {in1.ndim} and {in2.ndim} axes", "give both as many")
    if mode not in ("full", "valid", "same"):
        refuse("the mode of a convolution is none of 'full', 'valid' and 'same'", "write one of these")
    return (
        (in1, in2) if in1.dtype.kind in "iu" and in2.dtype.kind in "iu" else (as_floats(in1), as_floats(in2))
    )


def _of_truth(found, in1, in2):
    """Whether there is any product that is true, of two arrays of truth values."""
    return found > 0.5 if np.asarray(in1).dtype.kind == "b" and np.asarray(in2).dtype.kind == "b" else found


def _turned(x):
    """An array that is turned round, by which a correlation becomes a convolution."""
    turned = np.flip(x)
    return np.conj(turned) if is_complex(x) else turned.copy()


def _convolved(a, b, mode, late=0):
    """The convolution of arrays; with `late` 1, the middle of the result lies later where extents are even."""
    if mode == "valid":
        less, more = True, True
        for axis in AXES[a.ndim]:
            less = less and a.shape[axis] <= b.shape[axis]
            more = more and a.shape[axis] >= b.shape[axis]
        if not less and not more:
            raise ValueError(
                "For 'valid' mode, one must be at least as large as the other in every dimension"
            )
    if a.ndim == 1:
        return _part(np.convolve(a, b), a, b, mode, late)
    shape = tuple([a.shape[axis] + b.shape[axis] - 1 for axis in AXES[a.ndim]])
    full = np.zeros(shape, np.result_type(a.dtype, b.dtype))
    for at in np.ndindex(b.shape):
        full[tuple([slice(at[axis], at[axis] + a.shape[axis]) for axis in AXES[a.ndim]])] += b[at] * a
    return _part(full, a, b, mode, late)


def _part(full, a, b, mode, late):
    """The part of the whole convolution of `a` and `b` that is asked for."""
    if mode == "full":
        return full
    if mode == "same":
        starts = [(b.shape[axis] - 1 + late) // 2 for axis in AXES[a.ndim]]
        ends = [starts[axis] + a.shape[axis] for axis in AXES[a.ndim]]
    else:
        starts = [min(a.shape[axis], b.shape[axis]) - 1 for axis in AXES[a.ndim]]
        ends = [max(a.shape[axis], b.shape[axis]) for axis in AXES[a.ndim]]
    return full[tuple([slice(starts[axis], ends[axis]) for axis in AXES[a.ndim]])].copy()


@means(scipy.signal.convolve)
def convolve(in1, in2, mode="full", method="auto"):  # noqa: ARG001  sums are as good as transforms
    """The convolution of two arrays."""
    a, b = _alike(in1, in2, mode)
    return _of_truth(_convolved(a, b, mode), in1, in2)


@means(scipy.signal.correlate)
def correlate(in1, in2, mode="full", method="auto"):  # noqa: ARG001  sums are as good as transforms
    """The correlation of two arrays."""
    a, b = _alike(in1, in2, mode)
    return _of_truth(_convolved(a, _turned(b), mode), in1, in2)


@means(scipy.signal.convolve2d)
def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    """The convolution of two matrices; what is beyond the first is wound round or mirrored, if that is asked for."""
    a, b = _alike(in1, in2, mode)
    return _of_matrices(a, b, mode, boundary, fillvalue, 0)


@means(scipy.signal.correlate2d)
def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    """The correlation of two matrices, likewise."""
    a, b = _alike(in1, in2, mode)
    return _of_matrices(a, _turned(b), mode, boundary, fillvalue, 1)


_CONTINUED: dict[str, Any] = {
    "wrap": "wrap",
    "circular": "wrap",
    "symm": "symmetric",
    "symmetric": "symmetric",
}
"""The names of what is beyond a matrix, and those that `np.pad` has."""


def _of_matrices(a, b, mode, boundary, fillvalue, late):
    """A convolution of two matrices, the first continued as far as the second reaches."""
    if a.ndim != 2:
        refuse("this convolution takes two matrices", "call scipy.signal.convolve or correlate")
    if boundary not in _CONTINUED and (boundary not in ("fill", "pad") or fillvalue != 0):
        refuse(
            "the boundary of a convolution is filled with zeros, mirrored or wound round", "call np.pad first"
        )
    if mode == "valid" or boundary not in _CONTINUED:
        return _convolved(a, b, mode, late)
    rows, columns = b.shape[0] - 1, b.shape[1] - 1
    whole = np.pad(a, ((rows, rows), (columns, columns)), mode=_CONTINUED[boundary])
    return _part(_convolved(whole, b, "valid"), a, b, mode, late)


@means(scipy.signal.fftconvolve, scipy.signal.oaconvolve)
def fftconvolve(in1, in2, mode="full", axes=None):
    """The convolution along all axes, or along one: there it is a sum of shifted products, where SciPy has Fourier transforms."""
    in1, in2 = _alike(as_floats(in1), as_floats(in2), mode)
    if axes is None or in1.ndim == 1 or (not isinstance(axes, int) and len(axes) == in1.ndim):
        return _convolved(in1, in2, mode)
    axis = axes if isinstance(axes, int) else axes[0]
    if not isinstance(axes, int) and len(axes) > 1:
        refuse(
            "`scipy.signal.fftconvolve` is supported along all axes or one", "call it for each of the parts"
        )
    a, b = np.moveaxis(in1, axis, 0), np.moveaxis(in2, axis, 0)
    full = np.zeros(
        (len(a) + len(b) - 1, *np.broadcast_shapes(a.shape[1:], b.shape[1:])), (a[:1] * b[:1]).dtype
    )
    for k in range(len(b)):
        full[k : k + len(a)] += a * b[k]
    less = min(len(a), len(b)) - 1
    if mode == "same":
        full = full[(len(b) - 1) // 2 : (len(b) - 1) // 2 + len(a)]
    elif mode == "valid":
        full = full[less : len(full) - less]
    return np.moveaxis(full, 0, axis).copy()


def _filter(b, a, x):
    """The two vectors of a filter, and the samples, of real numbers."""
    b, a, x = as_floats(b), as_floats(a), as_floats(x)
    if b.ndim != 1 or a.ndim != 1 or is_complex(b) or is_complex(a) or is_complex(x):
        refuse("filters are supported for real numbers, and vectors `b` and `a`", "give these")
    return b, a, x


def _along(function, axis, x, *args):
    """What a function makes of each line of samples along an axis, as many numbers as it takes."""
    if x.ndim == 1:
        return function(x, *args)
    moved = np.moveaxis(x, axis, -1)
    lines = np.reshape(moved, (-1, moved.shape[-1]))
    found = np.empty(lines.shape, lines.dtype)
    for i in range(len(lines)):
        found[i] = function(lines[i], *args)
    return np.moveaxis(np.reshape(found, moved.shape), -1, axis)


def _filtered(x, b, a, start=None):
    """What a filter makes of samples; what was fed before them adds `start` to the first ones."""
    y = np.empty(x.size, x.dtype)
    for n in range(x.size):
        total = 0.0 * x[n]
        if start is not None:
            if n < start.size:
                total += start[n]
        for k in range(min(b.size, n + 1)):
            total += b[k] * x[n - k]
        for k in range(1, min(a.size, n + 1)):
            total -= a[k] * y[n - k]
        y[n] = total
    return y


def _left_in_filter(b, a, x, y, start):
    """What a filter has yet to add to the samples behind these."""
    rest = np.zeros(start.size, x.dtype)
    for i in range(start.size):
        total = 0.0 * b[0]
        if x.size + i < start.size:
            total += start[x.size + i]
        for k in range(i + 1, min(b.size, i + x.size + 1)):
            total += b[k] * x[x.size + i - k]
        for k in range(i + 1, min(a.size, i + x.size + 1)):
            total -= a[k] * y[x.size + i - k]
        rest[i] = total
    return rest


@means(scipy.signal.lfilter)
def lfilter(b, a, x, axis=-1, zi=None):
    """What a filter makes of samples, by the differences that it is given."""
    b, a, x = _filter(b, a, x)
    forward, back = b / a[0], a / a[0]
    if zi is None:
        return _along(_filtered, axis, x, forward, back)
    zi = as_floats(zi)
    if zi.ndim != 1 or x.ndim != 1:
        refuse("`scipy.signal.lfilter` is supported with `zi` for vectors", "filter each row by itself")
    if zi.size != max(b.size, a.size) - 1:
        raise ValueError("The length of zi is not that of the longer of a and b, less one")
    y = _filtered(x, forward, back, zi)
    return y, _left_in_filter(forward, back, x, y, zi)


@means(scipy.signal.lfilter_zi)
def lfilter_zi(b, a):
    """What a filter that was fed with ones for ever has yet to add, as `zi` of `lfilter`."""
    b, a, _ = _filter(b, a, 0.0)
    forward, back = np.zeros(max(b.size, a.size)), np.zeros(max(b.size, a.size))
    forward[: b.size] = b / a[0]
    back[: a.size] = a / a[0]
    first = np.sum(forward[1:] - back[1:] * forward[0]) / (1.0 + np.sum(back[1:]))
    state = np.empty(forward.size - 1)
    total, taken = 1.0, 0.0
    for k in range(state.size):
        if k > 0:
            total += back[k]
            taken += forward[k] - back[k] * forward[0]
        state[k] = total * first - taken
    return state


@means(scipy.signal.filtfilt)
def filtfilt(b, a, x, axis=-1, padtype="odd", padlen=None, method="pad", irlen=None):
    """What a filter makes of samples in both directions, so that nothing is late."""
    if method != "pad" or irlen is not None:
        refuse("`scipy.signal.filtfilt` is supported with method='pad'", "leave `method` and `irlen` out")
    if padtype not in ("even", "odd", "constant", None):
        raise ValueError("padtype must be 'even', 'odd', 'constant', or None.")
    check_continued(x, padtype)
    b, a, x = _filter(b, a, x)
    edge = 0 if padtype is None else 3 * max(b.size, a.size) if padlen is None else padlen
    return _along(_both_ways, axis, x, b / a[0], a / a[0], scipy.signal.lfilter_zi(b, a), edge, padtype)


def _both_ways(line, b, a, state, edge, padtype):
    """The same of one line."""
    if line.size <= edge:
        raise ValueError("The length of the input vector x must be greater than padlen.")
    line = line_continued(line, edge, padtype)
    line = _filtered(line, b, a, state * line[0])[::-1].copy()
    return _filtered(line, b, a, state * line[0])[::-1][edge : line.size - edge]


def check_continued(x, padtype):
    """Refuse samples that SciPy continues beyond what their dtype holds."""
    if padtype == "odd" and np.asarray(x).dtype.kind == "u":
        refuse(
            "SciPy continues unsigned samples by differences that wrap around", "give floats, as in 1.0 * x"
        )


def line_continued(line, edge, padtype):
    """A line that goes on at both ends."""
    if padtype is None:
        return line
    before, behind = line[edge:0:-1], line[::-1][1 : edge + 1]
    if padtype == "odd":
        before, behind = 2.0 * line[0] - before, 2.0 * line[-1] - behind
    elif padtype == "constant":
        before, behind = 0.0 * before + line[0], 0.0 * behind + line[-1]
    return np.concatenate((before, line, behind))


@means(scipy.signal.hilbert)
def hilbert(x, N=None, axis=-1):
    """The analytic signal, which has no frequencies below zero."""
    lines = np.moveaxis(as_floats(x), axis, -1)
    if is_complex(lines):
        raise ValueError("x must be real.")
    count = lines.shape[-1] if N is None else N
    k = np.arange(count)
    factors = np.where((k == 0) | (2 * k == count), 1.0, np.where(2 * k < count, 2.0, 0.0))
    return np.moveaxis(np.fft.ifft(np.fft.fft(lines, count) * factors), -1, axis)


@means(scipy.signal.sosfilt)
def sosfilt(sos, x, axis=-1, zi=None):
    """What filters of second order make of samples, one after the other."""
    if zi is not None:
        refuse(
            "`scipy.signal.sosfilt` is supported without `zi=`",
            "filter by `scipy.signal.lfilter`, section by section",
        )
    sos, x = as_floats(sos), as_floats(x)
    if sos.ndim != 2 or is_complex(sos) or is_complex(x):
        refuse("`scipy.signal.sosfilt` is supported for matrices of sections and real samples", "give these")
    if sos.shape[1] != 6:
        raise ValueError("sos array must be shape (n_sections, 6)")
    if not np.all(sos[:, 3] == 1.0):
        raise ValueError("sos[:, 3] should be all ones")
    return _along(_in_sections, axis, x, sos)


def _in_sections(line, sos):
    """What the sections let through, one after the other."""
    for k in range(len(sos)):
        line = _filtered(line, sos[k, :3], sos[k, 3:])
    return line


@means(scipy.signal.detrend)
def detrend(data, axis=-1, type="linear", bp=0, overwrite_data=False):  # noqa: ARG001  nothing is overwritten
    """Samples without their mean, or without the line that fits them best."""
    if type not in ("linear", "l", "constant", "c"):
        raise ValueError("Trend type must be 'linear' or 'constant'.")
    if isinstance(bp, np.ndarray) or bp != 0:
        refuse("`bp` of `scipy.signal.detrend` is not supported", "call it for each part")
    lines = np.moveaxis(as_floats(data), axis, -1)
    count = lines.shape[-1]
    middle = lines - _level(np.sum(lines, axis=-1) / count)
    if type in ("linear", "l"):
        times = np.arange(count) - 0.5 * (count - 1)
        middle = middle - _level(np.sum(times * middle, axis=-1) / max(np.sum(times * times), 0.5)) * times
    return np.moveaxis(middle, -1, axis)


def _level(found):
    """A number of each line, which broadcasts with the lines."""
    return found if np.ndim(found) == 0 else np.expand_dims(found, -1)
