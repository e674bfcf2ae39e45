"""The Fourier transforms of `scipy.fft`, which are those of `np.fft` with other parameters behind `norm`."""

from __future__ import annotations

import scipy.fft

from backsweep.runtime.overloads.forms import is_array, is_none, single_axis
from backsweep.runtime.overloads.fourier import along_several, scaling_of
from backsweep.runtime.overloads.texts import stands_for
from backsweep.runtime.transforms import cosines  # noqa: F401  it gives Numba its overloads when it is imported


def _along_axis(name: str):
    """The overload for a transform along one axis."""

    def one_axis(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, plan=None):
        if not is_array(x):
            return None
        length = None if is_none(n) else "n"
        at, scaling = single_axis(f"scipy.fft.{name}", axis, x.ndim), scaling_of(f"scipy.fft.{name}", norm)
        return f'return np.fft.{name}(x, {length}, {at}, "{scaling}")'

    return one_axis


def _along_two_axes(name: str):
    """The overload for a transform along two axes, the last ones if none are named."""

    def two_axes(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, plan=None):
        return along_several(f"np.fft.{name}", x, s, axes, norm, array="x")

    return two_axes


def _along_axes(name: str):
    """The overload for a transform along several axes, all of them if none are named."""

    def several_axes(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, plan=None):
        return along_several(f"np.fft.{name}", x, s, axes, norm, array="x")

    return several_axes


SWAPPED = {"backward": "forward", "forward": "backward", "ortho": "ortho"}
"""What the scaling of a transform is for the inverse one."""


def _of_conjugates(name: str):
    """The overload for `hfftn` and its like: real transforms of conjugates, the other way round."""
    is_inverse = name.startswith("i")
    other = name[1:].replace("h", "r") if is_inverse else name.replace("h", "ir")

    def of_conjugates(
        x,
        s=None,
        axes=(-2, -1) if "2" in name else None,
        norm=None,
        overwrite_x=False,
        workers=None,
        plan=None,
    ):
        scaling = SWAPPED[scaling_of(f"scipy.fft.{name}", norm)]
        if is_inverse:
            text = along_several(f"np.fft.{other}", x, s, axes, scaling, array="x")
            return None if text is None else f"return np.conj({text.removeprefix('return ')})"
        return along_several(f"np.fft.{other}", x, s, axes, scaling, array="np.conj(x)")

    return of_conjugates


for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    stands_for(getattr(scipy.fft, _name))(_along_axis(_name))
for _name in ("fft2", "ifft2", "rfft2", "irfft2"):
    stands_for(getattr(scipy.fft, _name))(_along_two_axes(_name))
for _name in ("fftn", "ifftn", "rfftn", "irfftn"):
    stands_for(getattr(scipy.fft, _name))(_along_axes(_name))
for _name in ("hfft2", "hfftn", "ihfft2", "ihfftn"):
    stands_for(getattr(scipy.fft, _name))(_of_conjugates(_name))


@stands_for(scipy.fft.fftfreq)
def fftfreq(n, d=1.0, xp=None, device=None):
    """The frequencies of a transform."""
    return "return np.fft.fftfreq(n, d)"


@stands_for(scipy.fft.rfftfreq)
def rfftfreq(n, d=1.0, xp=None, device=None):
    """The frequencies of the first half of a transform."""
    return "return np.fft.rfftfreq(n, d)"


@stands_for(scipy.fft.fftshift)
def fftshift(x, axes=None):
    """The frequency zero in the middle."""
    return "return np.fft.fftshift(x, axes)"


@stands_for(scipy.fft.ifftshift)
def ifftshift(x, axes=None):
    """The frequency zero at the start."""
    return "return np.fft.ifftshift(x, axes)"


@stands_for(scipy.fft.next_fast_len)
def next_fast_len(target, real=False):
    """The least length that is not below `target` and has small prime factors alone: up to 11, or up to 5 for real numbers."""
    return """
found = target
rest = 0
while rest != 1:
    rest = found
    for factor in (2, 3, 5, 7, 11):
        while rest > 1 and rest % factor == 0 and (factor <= 5 or not real):
            rest //= factor
    if rest != 1:
        found += 1
return found
"""
