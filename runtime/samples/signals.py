"""Convolutions, linear filters and trends of `scipy.signal`. All convolutions are computed as sums, and none by Fourier transforms."""

from __future__ import annotations

import numpy as np
import scipy.signal

from backsweep.runtime.overloads.forms import NumbaType, is_complex, is_none, refused, single_axis
from backsweep.runtime.overloads.texts import along, indented_loops
from backsweep.runtime.samples.lines import is_sampled, kind_of, of_samples, option, spread, taken_note_of
from backsweep.runtime.support.compiled import kernel

MODES = ("full", "valid", "same")
INDICES = "ijklmn"
"""The names of subscripts of the smaller array."""


def register() -> None:
    """Tell Numba of these functions."""
    taken_note_of()


def _are_alike(function: str, in1: NumbaType, in2: NumbaType) -> bool:
    """Whether two arrays have as many axes; others are refused."""
    if not is_sampled(function, in1) or not is_sampled(function, in2):
        return False
    if in1.ndim != in2.ndim:
        raise refused(f"the arrays of `{function}` have {in1.ndim} and {in2.ndim} axes", "give both as many.")
    return True


def _convolved(in1: NumbaType, in2: NumbaType, mode: str, *, whole: bool = True, late: bool = False) -> str:
    """The body that convolves `in1` with `in2`; with `whole`, whole numbers stay whole, and with `late`, the middle lies later."""
    ndim, kind = in1.ndim, np.dtype(kind_of(in1, in2)).name
    if whole and "int" in str(in1.dtype) and "int" in str(in2.dtype):
        kind = "int64"
    axes = range(ndim)
    if ndim == 1:
        lines = ["full = np.convolve(in1, in2)"]
        if kind == "float64" and "int" in str(in1.dtype) + str(in2.dtype):
            lines = [f"full = np.convolve(in1, in2).astype(np.{kind})"]
    else:
        extents = ", ".join(f"in1.shape[{axis}] + in2.shape[{axis}] - 1" for axis in axes)
        part = ", ".join(f"{INDICES[axis]}:{INDICES[axis]} + in1.shape[{axis}]" for axis in axes)
        bounds = {INDICES[axis]: f"in2.shape[{axis}]" for axis in axes}
        statement = f"full[{part}] += in2[{', '.join(bounds)}] * in1"
        lines = [f"full = np.zeros(({extents}), np.{kind})", *indented_loops(bounds, statement)]
    if mode == "same":
        starts = [f"in2.shape[{axis}] // 2" if late else f"(in2.shape[{axis}] - 1) // 2" for axis in axes]
        parts = [f"{start}:{start} + in1.shape[{axis}]" for axis, start in zip(axes, starts, strict=True)]
        return "\n".join([*lines, f"return full[{', '.join(parts)}].copy()"])
    if mode == "full":
        return "\n".join([*lines, "return full"])
    less = " and ".join(f"in1.shape[{axis}] <= in2.shape[{axis}]" for axis in axes)
    more = " and ".join(f"in1.shape[{axis}] >= in2.shape[{axis}]" for axis in axes)
    neither = "For 'valid' mode, one must be at least as large as the other in every dimension"
    shapes = [(f"in1.shape[{axis}]", f"in2.shape[{axis}]") for axis in axes]
    parts = [f"min({one}, {other}) - 1:max({one}, {other})" for one, other in shapes]
    check = [f"if not ({less}) and not ({more}):", f"    raise ValueError({neither!r})"]
    return "\n".join([*check, *lines, f"return full[{', '.join(parts)}].copy()"])


def _turned(in2: NumbaType) -> str:
    """The statement that turns `in2` round, by which correlations become convolutions."""
    turned = f"in2[{', '.join(['::-1'] * in2.ndim)}]"
    return f"in2 = {f'np.conj({turned})' if is_complex(in2) else f'{turned}.copy()'}\n"


def _by_method(name: str, *, turned: bool):
    """The overload for a convolution or a correlation."""

    def of_two(in1, in2, mode="full", method="auto"):
        function = f"scipy.signal.{name}"
        if not _are_alike(function, in1, in2):
            return None
        option(function, "method", method, "auto", "direct", "fft")
        body = _convolved(in1, in2, option(function, "mode", mode, *MODES))
        return _turned(in2) + body if turned else body

    of_two.__name__ = name
    return of_two


def _by_parts(name: str):
    """The overload for a convolution that SciPy computes by Fourier transforms: of floats."""

    def of_two(in1, in2, mode="full", axes=None):
        function = f"scipy.signal.{name}"
        if not _are_alike(function, in1, in2):
            return None
        if not is_none(axes):
            raise refused(
                f"`{function}` is supported along all axes", "leave `axes=` out, or write the loop."
            )
        return _convolved(in1, in2, option(function, "mode", mode, *MODES), whole=False)

    of_two.__name__ = name
    return of_two


def _with_boundary(name: str, *, turned: bool):
    """The overload for a convolution or a correlation of matrices, with zeros around them."""

    def of_two(in1, in2, mode="full", boundary="fill", fillvalue=0):
        function = f"scipy.signal.{name}"
        if not _are_alike(function, in1, in2) or in1.ndim != 2:
            return None
        option(function, "boundary", boundary, "fill")
        option(function, "fillvalue", fillvalue, 0)
        body = _convolved(in1, in2, option(function, "mode", mode, *MODES), late=turned)
        return _turned(in2) + body if turned else body

    of_two.__name__ = name
    return of_two


of_samples(scipy.signal.convolve)(_by_method("convolve", turned=False))
of_samples(scipy.signal.correlate)(_by_method("correlate", turned=True))
of_samples(scipy.signal.convolve2d)(_with_boundary("convolve2d", turned=False))
of_samples(scipy.signal.correlate2d)(_with_boundary("correlate2d", turned=True))
of_samples(scipy.signal.fftconvolve)(_by_parts("fftconvolve"))
of_samples(scipy.signal.oaconvolve)(_by_parts("oaconvolve"))


@kernel
def filtered(b, a, x, start):
    """What a filter makes of samples; what was fed before them adds `start` to the first ones."""
    y = np.empty(x.size, x.dtype)
    for n in range(x.size):
        total = 0.0 * x[n]
        if n < start.size:
            total += start[n]
        for k in range(min(b.size, n + 1)):
            total += b[k] * x[n - k]
        for k in range(1, min(a.size, n + 1)):
            total -= a[k] * y[n - k]
        y[n] = total
    return y


@kernel
def left_in_filter(b, a, x, y, start):
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


@of_samples(scipy.signal.lfilter, filtered=filtered, left_in_filter=left_in_filter)
def lfilter(b, a, x, axis=-1, zi=None):
    """What a filter makes of samples, by the differences that it is given."""
    name = "scipy.signal.lfilter"
    if not all(is_sampled(name, each) for each in (b, a, x)):
        return None
    if b.ndim != 1 or a.ndim != 1 or any(is_complex(each) for each in (b, a, x)):
        raise refused(f"`{name}` is supported for real numbers, and vectors `b` and `a`", "give it these.")
    at = single_axis(name, axis, x.ndim)
    head = "forward, back = b / a[0], a / a[0]\n"
    if "int" in str(x.dtype):
        head += "x = x.astype(np.float64)\n"
    if is_none(zi):
        return head + along("filtered(forward, back, {}, np.zeros(0))", "x", at, x.ndim, dtype=np.float64)
    if not is_sampled(name, zi) or zi.ndim != 1 or x.ndim != 1:
        raise refused(f"`{name}` is supported with `zi` for vectors", "filter each row by itself.")
    return f"""{head}if zi.size != max(b.size, a.size) - 1:
    raise ValueError("The length of zi is not that of the longer of a and b, less one")
y = filtered(forward, back, x, zi)
return y, left_in_filter(forward, back, x, y, zi)"""


@kernel
def steady_state(b, a):
    """What a filter that was fed with ones for ever has yet to add, as `zi` of `lfilter`."""
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


@of_samples(scipy.signal.lfilter_zi, steady_state=steady_state)
def lfilter_zi(b, a):
    """What a filter that was fed with ones for ever has yet to add."""
    name = "scipy.signal.lfilter_zi"
    if not is_sampled(name, b) or not is_sampled(name, a):
        return None
    if b.ndim != 1 or a.ndim != 1 or is_complex(b) or is_complex(a):
        raise refused(f"`{name}` takes two vectors of real numbers", "give it these.")
    return "return steady_state(b, a)"


@kernel
def there_and_back(b, a, x, odd: bool):
    """What a filter makes of samples in both directions; they are continued by turns of themselves, or not at all."""
    edge = 3 * max(b.size, a.size) if odd else 0
    if x.size <= edge:
        raise ValueError("The length of the input vector x must be greater than padlen.")
    wide = np.empty(x.size + 2 * edge)
    wide[edge : edge + x.size] = x
    for k in range(edge):
        wide[k] = 2.0 * x[0] - x[edge - k]
        wide[edge + x.size + k] = 2.0 * x[x.size - 1] - x[x.size - 2 - k]
    forward, back, state = b / a[0], a / a[0], steady_state(b, a)
    there = filtered(forward, back, wide, state * wide[0])[::-1].copy()
    result = filtered(forward, back, there, state * there[0])[::-1]
    return result[edge : edge + x.size]


@of_samples(scipy.signal.filtfilt, there_and_back=there_and_back)
def filtfilt(b, a, x, axis=-1, padtype="odd", padlen=None, method="pad", irlen=None):
    """What a filter makes of samples in both directions, so that nothing is late."""
    name = "scipy.signal.filtfilt"
    if not all(is_sampled(name, each) for each in (b, a, x)):
        return None
    if b.ndim != 1 or a.ndim != 1 or any(is_complex(each) for each in (b, a, x)):
        raise refused(f"`{name}` is supported for real numbers, and vectors `b` and `a`", "give it these.")
    option(name, "method", method, "pad")
    option(name, "padlen", padlen, None)
    odd = option(name, "padtype", padtype, "odd", None) == "odd"
    at = single_axis(name, axis, x.ndim)
    return along(f"there_and_back(b, a, {{}}, {odd})", "x", at, x.ndim, dtype=np.float64)


@kernel
def one_sided(count: int):
    """The factors of frequencies that leave those above zero alone."""
    factors = np.zeros(count)
    factors[0] = 1.0
    for k in range(1, count):
        if 2 * k < count:
            factors[k] = 2.0
        elif 2 * k == count:
            factors[k] = 1.0
    return factors


@of_samples(scipy.signal.hilbert, one_sided=one_sided)
def hilbert(x, N=None, axis=-1):
    """The analytic signal, which has no frequencies below zero."""
    name = "scipy.signal.hilbert"
    if not is_sampled(name, x):
        return None
    if is_complex(x):
        raise refused(f"`{name}` takes real samples", "take np.real(x).")
    option(name, "N", N, None)
    at = single_axis(name, axis, x.ndim)
    factors = spread(f"one_sided(x.shape[{at}])", at, x.ndim)
    return f"return np.fft.ifft(np.fft.fft(x, None, {at}) * {factors}, None, {at})"


@kernel
def filtered_by_sections(sos, x):
    """What the filters of the rows make of samples, one after the other."""
    y = x
    for k in range(sos.shape[0]):
        y = filtered(sos[k, :3], sos[k, 3:], y, np.zeros(0))
    return y


@of_samples(scipy.signal.sosfilt, filtered_by_sections=filtered_by_sections)
def sosfilt(sos, x, axis=-1, zi=None):
    """What filters of second order make of samples, one after the other."""
    name = "scipy.signal.sosfilt"
    if not all(is_sampled(name, each) for each in (sos, x)):
        return None
    if sos.ndim != 2 or any(is_complex(each) or "int" in str(each.dtype) for each in (sos, x)):
        raise refused(
            f"`{name}` is supported for matrices of sections and samples of real numbers", "give it these."
        )
    if not is_none(zi):
        raise refused(
            f"`{name}` is supported without `zi=`", "filter by `scipy.signal.lfilter`, section by section."
        )
    at = single_axis(name, axis, x.ndim)
    check = """if sos.shape[1] != 6:
    raise ValueError("sos array must be shape (n_sections, 6)")
if not np.all(sos[:, 3] == 1.0):
    raise ValueError("sos[:, 3] should be all ones")
"""
    return check + along("filtered_by_sections(sos, {})", "x", at, x.ndim, dtype=np.float64)


@of_samples(scipy.signal.detrend)
def detrend(data, axis=-1, type="linear", bp=0, overwrite_data=False):
    """Samples without their mean, or without the line that fits them best."""
    name = "scipy.signal.detrend"
    if not is_sampled(name, data):
        return None
    asked = option(name, "type", type, "linear", "l", "constant", "c")
    option(name, "bp", bp, 0)
    at = single_axis(name, axis, data.ndim)
    wide = (
        ""
        if data.ndim == 1
        else f"[{', '.join('np.newaxis' if each == at else ':' for each in range(data.ndim))}]"
    )
    over = "" if data.ndim == 1 else f", {at}"
    head = f"middle = data - (np.sum(data{over}) / data.shape[{at}]){wide}\n"
    if asked in ("constant", "c"):
        return f"{head}return middle"
    times = spread("times", at, data.ndim)
    return f"""{head}times = np.arange(data.shape[{at}]) - 0.5 * (data.shape[{at}] - 1)
weight = max(np.sum(times * times), 0.5)
return middle - (np.sum({times} * middle{over}) / weight){wide} * {times}"""
