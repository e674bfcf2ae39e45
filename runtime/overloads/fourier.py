"""Discrete Fourier transforms of any length: `np.fft`. Their derivatives are transforms again."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types

from backsweep.runtime.overloads.forms import (
    axes_of,
    is_array,
    is_complex,
    is_none,
    is_single,
    literal,
    refused,
    single_axis,
)
from backsweep.runtime.overloads.texts import along, dtype_text, stands_for
from backsweep.runtime.support.compiled import kernel, shaped_like


@kernel
def transform_of_power_of_two(x, sign: float):
    """The transform of a vector whose length is a power of two."""
    n = x.size
    y = np.empty(n, np.complex128)
    place = 0
    for k in range(n):
        y[place] = x[k]
        bit = n >> 1
        while bit > 0 and place & bit:
            place ^= bit
            bit >>= 1
        place |= bit
    turns = np.empty(max(n // 2, 1), np.complex128)
    for k in range(n // 2):
        angle = sign * 2.0 * np.pi * k / n
        turns[k] = complex(np.cos(angle), np.sin(angle))
    half = 1
    while half < n:
        step = n // (2 * half)
        for start in range(0, n, 2 * half):
            for k in range(half):
                upper = y[start + k]
                lower = y[start + k + half] * turns[k * step]
                y[start + k] = upper + lower
                y[start + k + half] = upper - lower
        half *= 2
    return y


@shaped_like("x")
@kernel
def transform(x, sign: float):
    """The sums of `x[k] * exp(sign * 2 pi i j k / n)` over k, for each j; other lengths by a convolution (Bluestein)."""
    n = x.size
    if n == 0:
        raise ValueError("Invalid number of data points (0) specified.")
    if n & (n - 1) == 0:
        return transform_of_power_of_two(x, sign)
    m = 1
    while m < 2 * n - 1:
        m *= 2
    chirp = np.empty(n, np.complex128)
    for k in range(n):
        angle = sign * np.pi * ((k * k) % (2 * n)) / n
        chirp[k] = complex(np.cos(angle), np.sin(angle))
    first, second = np.zeros(m, np.complex128), np.zeros(m, np.complex128)
    for k in range(n):
        first[k] = x[k] * chirp[k]
        second[k] = np.conj(chirp[k])
        if k > 0:
            second[m - k] = second[k]
    product = transform_of_power_of_two(first, -1.0) * transform_of_power_of_two(second, -1.0)
    folded = transform_of_power_of_two(product, 1.0)
    y = np.empty(n, np.complex128)
    for k in range(n):
        y[k] = chirp[k] * (folded[k] / m)
    return y


@stands_for(np.fft.fft, transform=transform)
def fft(a, n=None, axis=-1, norm=None, out=None):
    """The transform along an axis."""
    return _transformed("np.fft.fft", a, n, axis, norm, out)


@stands_for(np.fft.ifft, transform=transform)
def ifft(a, n=None, axis=-1, norm=None, out=None):
    """The inverse transform along an axis."""
    return _transformed("np.fft.ifft", a, n, axis, norm, out)


@stands_for(np.fft.rfft, transform=transform)
def rfft(a, n=None, axis=-1, norm=None, out=None):
    """The first half of the transform of real numbers along an axis."""
    if is_array(a) and is_complex(a):
        raise refused("`np.fft.rfft` is for real numbers", "take np.fft.fft.")
    return _transformed("np.fft.rfft", a, n, axis, norm, out)


@stands_for(np.fft.irfft, transform=transform)
def irfft(a, n=None, axis=-1, norm=None, out=None):
    """Real numbers from the first half of their transform, along an axis."""
    return _transformed("np.fft.irfft", a, n, axis, norm, out)


def _transformed(name: str, a, n, axis, norm, out) -> str | None:
    """The transform of a vector, or of each line along an axis."""
    if not is_array(a):
        return None
    if not is_none(out):
        raise refused(f"`{name}` is supported without `out=`", "assign the result.")
    order, scaling = literal(axis), scaling_of(name, norm)
    of_half, inverse = name.endswith("rfft"), name.startswith("np.fft.i")
    kinds = (np.float32, np.float64) if name == "np.fft.irfft" else (np.complex64, np.complex128)
    kind: Any = kinds[0 if is_single(a) else 1]
    length = (
        "n"
        if not is_none(n)
        else f"a.shape[{order}]"
        if name != "np.fft.irfft"
        else f"2 * (a.shape[{order}] - 1)"
    )
    if a.ndim > 1:
        at = single_axis(name, axis, a.ndim) if not isinstance(axis, int) else range(a.ndim)[axis]
        length = length.replace(f"[{order}]", f"[{at}]")
        longest = f"{length} // 2 + 1" if name == "np.fft.rfft" else length
        value = f'{name}({{}}, {length}, -1, "{scaling}")'
        return along(value, "a", at, a.ndim, dtype=kind, length=longest)
    lines = [f"n = {length}"] if length != "n" else []
    if name == "np.fft.irfft":
        lines += ["z = np.zeros(n, np.complex128)", "m = min(n // 2 + 1, a.size)", "z[:m] = a[:m]"]
        lines += ["for k in range(1, (n + 1) // 2):", "    z[n - k] = np.conj(z[k])"]
    elif not is_none(n):
        lines += ["z = np.zeros(n, np.complex128)", "m = min(n, a.size)", "z[:m] = a[:m]"]
    else:
        lines.append("z = a.astype(np.complex128)")
    lines.append(f"y = transform(z, {1.0 if inverse else -1.0})")
    if of_half:
        lines.append("y = np.real(y)" if inverse else "y = y[: n // 2 + 1]")
    scale = {"ortho": " / np.sqrt(n)", "forward": "" if inverse else " / n"}.get(
        scaling, " / n" if inverse else ""
    )
    value = f"y{scale}" if scale or not of_half else "y.copy()"
    single = is_single(a)
    return "\n".join(
        [*lines, f"return ({value}).astype({dtype_text(kind)})" if single else f"return {value}"]
    )


@stands_for(np.fft.fft2)
def fft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """The transform along two axes."""
    return along_several("np.fft.fft2", a, s, axes, norm, out)


@stands_for(np.fft.ifft2)
def ifft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """The inverse transform along two axes."""
    return along_several("np.fft.ifft2", a, s, axes, norm, out)


@stands_for(np.fft.fftn)
def fftn(a, s=None, axes=None, norm=None, out=None):
    """The transform along all axes."""
    return along_several("np.fft.fftn", a, s, axes, norm, out)


@stands_for(np.fft.ifftn)
def ifftn(a, s=None, axes=None, norm=None, out=None):
    """The inverse transform along all axes."""
    return along_several("np.fft.ifftn", a, s, axes, norm, out)


@stands_for(np.fft.rfft2)
def rfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """The transform of real numbers along two axes: its first half along the second of them."""
    return along_several("np.fft.rfft2", a, s, axes, norm, out)


@stands_for(np.fft.irfft2)
def irfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """Real numbers from the first half of their transform along two axes."""
    return along_several("np.fft.irfft2", a, s, axes, norm, out)


@stands_for(np.fft.rfftn)
def rfftn(a, s=None, axes=None, norm=None, out=None):
    """The transform of real numbers along all axes: its first half along the last of them."""
    return along_several("np.fft.rfftn", a, s, axes, norm, out)


@stands_for(np.fft.irfftn)
def irfftn(a, s=None, axes=None, norm=None, out=None):
    """Real numbers from the first half of their transform along all axes."""
    return along_several("np.fft.irfftn", a, s, axes, norm, out)


def along_several(name: str, a, s, axes, norm, out=None, *, array: str = "a") -> str | None:
    """Transforms along one axis after the other, in NumPy's order: that of real numbers is the first or the last."""
    if not is_array(a):
        return None
    scaling = scaling_of(name, norm)
    if not is_none(out):
        raise refused(f"`{name}` is supported without `out=`", "assign the result.")
    named = axes_and_extents(name, a.ndim, s, axes)
    one = name.rstrip("2n")
    of_whole = one.replace("rfft", "fft")
    *others, last = named
    steps = [(one, *last), *((of_whole, *each) for each in reversed(others))]
    if one.endswith("irfft"):
        steps = [*((of_whole, *each) for each in others), (one, *last)]
    text = array
    for function, axis, length in steps:
        text = f'{function}({text}, {length}, {axis}, "{scaling}")'
    return f"return {text}"


def axes_and_extents(name: str, ndim: int, s, axes) -> list[tuple[int, str]]:
    """The axes that a transform goes along, counted from the front, and the text of the extent along each: `None` if it is that of the array."""
    is_one = name.startswith("scipy") and isinstance(s, types.Integer | int)  # a number is the one extent
    if not (is_none(s) or is_one or isinstance(s, types.BaseTuple | tuple)):
        raise refused(
            f"`s=` of `{name}` is no tuple", f"write a tuple of extents, as in {name}(a, s=(8, 8))."
        )
    named = literal(axes)
    count = ndim if is_none(s) else 1 if is_one else len(s)
    if is_none(axes):
        named = tuple(range(-count, 0))
    if isinstance(named, int) and name.startswith("scipy"):
        named = (named,)  # SciPy takes a number for one axis, and NumPy does not
    if not isinstance(named, tuple):
        raise refused(f"`axes=` of `{name}` is no literal", f"write the axes, as in {name}(a, axes=(0, 1)).")
    if not named or any(not -ndim <= axis < ndim for axis in named):
        raise refused(f"`{name}` has the axes {named}, but the array has {ndim} axes", "check the axes.")
    if not is_none(s) and count != len(named):
        raise refused(f"`s=` of `{name}` has {count} extents for {len(named)} axes", "give as many as axes.")
    if is_one:
        return [(range(ndim)[named[0]], "None" if literal(s) == -1 else "s")]
    extents = ["None" if is_none(s) or literal(s[at]) == -1 else f"s[{at}]" for at in range(len(named))]
    return [(range(ndim)[axis], extent) for axis, extent in zip(named, extents, strict=True)]


def scaling_of(name: str, norm) -> str:
    """The value of `norm=`, which must be known when the call is compiled."""
    scaling = "backward" if is_none(norm) else literal(norm)
    if scaling not in ("backward", "ortho", "forward"):
        raise refused(f"`norm=` of `{name}` is no literal", "write 'backward', 'ortho' or 'forward'.")
    return str(scaling)


@stands_for(np.fft.hfft)
def hfft(a, n=None, axis=-1, norm=None, out=None):
    """The real transform of numbers of which only the first half is given: the others are their conjugates."""
    return _of_conjugates("np.fft.hfft", "np.fft.irfft(np.conj(a), {})", a, n, axis, norm, out)


@stands_for(np.fft.ihfft)
def ihfft(a, n=None, axis=-1, norm=None, out=None):
    """The inverse of `hfft`: the first half of the inverse transform of real numbers."""
    if is_array(a) and is_complex(a):
        raise refused("`np.fft.ihfft` is for real numbers", "take np.fft.ifft.")
    return _of_conjugates("np.fft.ihfft", "np.conj(np.fft.rfft(a, {}))", a, n, axis, norm, out)


def _of_conjugates(name: str, call: str, a, n, axis, norm, out) -> str | None:
    """A transform by that of real numbers in the other direction."""
    if not is_array(a):
        return None
    if not is_none(out):
        raise refused(f"`{name}` is supported without `out=`", "assign the result.")
    scaling = {"backward": "forward", "ortho": "ortho", "forward": "backward"}[scaling_of(name, norm)]
    length = None if is_none(n) else "n"
    return f"""return {call.format(f'{length}, {single_axis(name, axis, a.ndim)}, "{scaling}"')}"""


@stands_for(np.fft.fftfreq)
def fftfreq(n, d=1.0, device=None):
    """The frequencies of a transform."""
    return "return np.concatenate((np.arange(0, (n - 1) // 2 + 1), np.arange(-(n // 2), 0))) / (n * d)"


@stands_for(np.fft.rfftfreq)
def rfftfreq(n, d=1.0, device=None):
    """The frequencies of the first half of a transform."""
    return "return np.arange(0, n // 2 + 1) / (n * d)"


@stands_for(np.fft.fftshift)
def fftshift(x, axes=None):
    """The frequency zero in the middle."""
    return _shifted(x, axes, "x.shape[{}] // 2")


@stands_for(np.fft.ifftshift)
def ifftshift(x, axes=None):
    """The frequency zero at the start."""
    return _shifted(x, axes, "-(x.shape[{}] // 2)")


def _shifted(x, axes, amount: str) -> str | None:
    """The array moved round along axes."""
    if not is_array(x):
        return None
    text = "x"
    for axis in axes_of("np.fft.fftshift", axes, x.ndim):
        text = f"np.roll({text}, {amount.format(axis)}, {axis})"
    return f"return {text}"
