"""The Fourier transforms of `numpy.fft` and `scipy.fft`, all of which are made of one along an axis."""

from __future__ import annotations

import numpy as np
import scipy.fft

from backsweep.prelude.declare import (
    AXES,
    as_array,
    has_array,
    has_known_items,
    is_complex,
    is_known,
    means,
    refuse,
)
from backsweep.runtime.transforms.fourier import fast_length, transform
from backsweep.runtime.transforms.lines import doubled, placed

SWAPPED = {"backward": "forward", "forward": "backward", "ortho": "ortho"}
"""What the scaling of a transform is for the inverse one."""
EACH = (0, 1)
"""The entries of a line from the first one on, one after the other."""


@means(np.fft.fft, scipy.fft.fft)
def fft(a, n=None, axis=-1, norm=None, out=None):
    """The transform along an axis."""
    x, at = lines_of(a, axis)
    z = sized(x, n, at, np.complex128)
    return _stored(scaled(transform(z, at, -1.0), z.shape[at], norm, False, x), out)


@means(np.fft.ifft, scipy.fft.ifft)
def ifft(a, n=None, axis=-1, norm=None, out=None):
    """The inverse transform along an axis."""
    x, at = lines_of(a, axis)
    z = sized(x, n, at, np.complex128)
    return _stored(scaled(transform(z, at, 1.0), z.shape[at], norm, True, x), out)


@means(np.fft.rfft, scipy.fft.rfft)
def rfft(a, n=None, axis=-1, norm=None, out=None):
    """The first half of the transform of real numbers along an axis."""
    x, at = lines_of(a, axis)
    if is_complex(x):
        refuse("`rfft` is for real numbers", "take np.fft.fft")
    z = sized(x, n, at, np.complex128)
    half = placed(transform(z, at, -1.0), at, z.shape[at] // 2 + 1, EACH, EACH)
    return _stored(scaled(half, z.shape[at], norm, False, x), out)


@means(np.fft.irfft, scipy.fft.irfft)
def irfft(a, n=None, axis=-1, norm=None, out=None):
    """Real numbers from the first half of their transform, along an axis: the other half are the conjugates."""
    x, at = lines_of(a, axis)
    count = 2 * (x.shape[at] - 1) if n is None else n
    half = doubled(x.astype(np.complex128), at, count, count)
    found = np.real(transform(half, at, 1.0))
    return _stored(scaled(found, count, norm, True, x), out)


@means(np.fft.hfft, scipy.fft.hfft)
def hfft(a, n=None, axis=-1, norm=None, out=None):
    """The real transform of numbers of which only the first half is given: the others are their conjugates."""
    return irfft(np.conj(as_array(a)), n, axis, _swapped(norm), out)


@means(np.fft.ihfft, scipy.fft.ihfft)
def ihfft(a, n=None, axis=-1, norm=None, out=None):
    """The inverse of `hfft`: the first half of the inverse transform of real numbers."""
    return _stored(np.conj(rfft(a, n, axis, _swapped(norm))), out)


@means(np.fft.fftn, scipy.fft.fftn)
def fftn(a, s=None, axes=None, norm=None, out=None):
    """The transform along all axes."""
    return _stored(_last_first(fft, fft, a, s, axes, norm), out)


@means(np.fft.ifftn, scipy.fft.ifftn)
def ifftn(a, s=None, axes=None, norm=None, out=None):
    """The inverse transform along all axes."""
    return _stored(_last_first(ifft, ifft, a, s, axes, norm), out)


@means(np.fft.rfftn, scipy.fft.rfftn)
def rfftn(a, s=None, axes=None, norm=None, out=None):
    """The transform of real numbers along all axes: its first half along the last of them."""
    return _stored(_last_first(rfft, fft, a, s, axes, norm), out)


@means(np.fft.irfftn, scipy.fft.irfftn)
def irfftn(a, s=None, axes=None, norm=None, out=None):
    """Real numbers from the first half of their transform along all axes."""
    x, named, extents = axes_and_extents(a, s, axes)
    for k in AXES[len(named) - 1]:
        x = ifft(x, extents[k], named[k], norm)
    return irfft(x, extents[-1], named[-1], norm, out)


@means(np.fft.fft2, scipy.fft.fft2)
def fft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """The transform along two axes."""
    return fftn(a, s, axes, norm, out)


@means(np.fft.ifft2, scipy.fft.ifft2)
def ifft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """The inverse transform along two axes."""
    return ifftn(a, s, axes, norm, out)


@means(np.fft.rfft2, scipy.fft.rfft2)
def rfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """The transform of real numbers along two axes: its first half along the second of them."""
    return rfftn(a, s, axes, norm, out)


@means(np.fft.irfft2, scipy.fft.irfft2)
def irfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """Real numbers from the first half of their transform along two axes."""
    return irfftn(a, s, axes, norm, out)


@means(scipy.fft.hfftn)
def hfftn(x, s=None, axes=None, norm=None):
    """The transform along all axes of numbers of which only the first half is given along the last."""
    return irfftn(np.conj(as_array(x)), s, axes, _swapped(norm))


@means(scipy.fft.ihfftn)
def ihfftn(x, s=None, axes=None, norm=None):
    """The inverse of `hfftn`."""
    return np.conj(rfftn(x, s, axes, _swapped(norm)))


@means(scipy.fft.hfft2)
def hfft2(x, s=None, axes=(-2, -1), norm=None):
    """The transform along two axes of numbers of which only the first half is given along the second."""
    return hfftn(x, s, axes, norm)


@means(scipy.fft.ihfft2)
def ihfft2(x, s=None, axes=(-2, -1), norm=None):
    """The inverse of `hfft2`."""
    return ihfftn(x, s, axes, norm)


@means(np.fft.fftfreq, scipy.fft.fftfreq)
def fftfreq(n, d=1.0):
    """The frequencies of a transform."""
    return np.concatenate((np.arange(0, (n - 1) // 2 + 1), np.arange(-(n // 2), 0))) / (n * d)


@means(np.fft.rfftfreq, scipy.fft.rfftfreq)
def rfftfreq(n, d=1.0):
    """The frequencies of the first half of a transform."""
    return np.arange(0, n // 2 + 1) / (n * d)


@means(np.fft.fftshift, scipy.fft.fftshift)
def fftshift(x, axes=None):
    """The frequency zero in the middle."""
    x, named, _ = axes_and_extents(x, None, axes)
    for axis in named:
        x = np.roll(x, x.shape[axis] // 2, axis)
    return x


@means(np.fft.ifftshift, scipy.fft.ifftshift)
def ifftshift(x, axes=None):
    """The frequency zero at the start."""
    x, named, _ = axes_and_extents(x, None, axes)
    for axis in named:
        x = np.roll(x, -(x.shape[axis] // 2), axis)
    return x


@means(scipy.fft.next_fast_len)
def next_fast_len(target, real=False):
    """The least length that has small prime factors alone."""
    return fast_length(target, real)


def lines_of(a, axis):
    """An array, and the axis of its lines, counted from the front."""
    x = as_array(a)
    if not has_array(x) or np.ndim(x) == 0:
        refuse("a transform goes along an axis of an array", "give it an array of numbers")
    if not is_known(axis):
        refuse(
            "the axis of a transform is known only when the program runs", "write its number, as in axis=0"
        )
    if axis < -x.ndim or axis >= x.ndim:
        refuse(f"a transform has the axis {axis}, but the array has {x.ndim} axes", "check the axis")
    return x, axis % x.ndim


def sized(x, n, axis, kind):
    """The numbers of each line, as many as a transform asks for: the first ones, or with zeros behind them."""
    return x.astype(kind) if n is None else placed(x.astype(kind), axis, n, EACH, EACH)


def scaled(y, n, norm, is_inverse, x):
    """The result of a transform by its norm, as precise as what is transformed."""
    if norm is None:
        norm = "backward"
    if not is_known(norm) or norm not in SWAPPED:
        refuse("`norm=` of a transform is no literal", "write 'backward', 'ortho' or 'forward'")
    if norm == "ortho":
        y = y / np.sqrt(n)
    elif is_inverse == (norm == "backward"):
        y = y / n
    if x.dtype in (np.float32, np.complex64):
        return y.astype(np.complex64 if is_complex(y) else np.float32)
    return y


def _swapped(norm):
    return "forward" if norm is None else SWAPPED.get(norm, norm)


def axes_and_extents(a, s, axes):
    """An array, the axes that a transform goes along, and the extent along each; None if it is that of the array."""
    x = as_array(a)
    if has_array(s):
        refuse("`s=` of a transform is no tuple", "write a tuple of extents, as in s=(8, 8)")
    extents = (None,) * x.ndim if s is None else tuple(s) if has_known_items(s) else (s,)
    if not is_known(axes):
        refuse("`axes=` of a transform is no literal", "write the axes, as in axes=(0, 1)")
    named = (
        AXES[x.ndim][-len(extents) :] if axes is None else tuple(axes) if has_known_items(axes) else (axes,)
    )
    extents = (None,) * len(named) if s is None else extents
    if len(named) == 0 or len(extents) != len(named):
        refuse(
            f"`s=` of a transform has {len(extents)} extents for {len(named)} axes", "give as many as axes"
        )
    return (
        x,
        tuple([lines_of(x, each)[1] for each in named]),
        tuple([None if is_known(each) and each == -1 else each for each in extents]),
    )


def _last_first(function, of_others, a, s, axes, norm):
    """A transform along the last of several axes, and then along the others, the last of them first."""
    x, named, extents = axes_and_extents(a, s, axes)
    x = function(x, extents[-1], named[-1], norm)
    for k in AXES[len(named) - 1][::-1]:
        x = of_others(x, extents[k], named[k], norm)
    return x


def _stored(result, out):
    """The result, in the array that is given for it."""
    if out is None:
        return result
    out[...] = result
    return out
