"""The cosine and sine transforms of `scipy.fft`, of the types 1 to 4, by one Fourier transform.

Each is a sum over n of `x[n]` times the cosine or sine of 2 pi times a product of a whole number that belongs to n with one that belongs to the
entry of the result, over a length. So the numbers are laid out in zeros of that length, and some entries of the transform are taken.

Source: the definitions in the documentation of `scipy.fft.dct` and `scipy.fft.dst`.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.fft

from backsweep.prelude.declare import AXES, computed, is_complex, is_known, means, refuse
from backsweep.prelude.transforms.fourier import EACH, axes_and_extents, lines_of, scaled, sized
from backsweep.runtime.transforms.fourier import transform
from backsweep.runtime.transforms.lines import placed

LAYOUTS = {
    ("cos", 1): (2, -2, (0, 1), (0, 1), (0, -1), (0, -1)),
    ("cos", 2): (4, 0, (1, 2), (0, 1), (), (0,)),
    ("cos", 3): (4, 0, (0, 1), (1, 2), (0,), ()),
    ("cos", 4): (8, 0, (1, 2), (1, 2), (), ()),
    ("sin", 1): (2, 2, (1, 1), (1, 1), (), ()),
    ("sin", 2): (4, 0, (1, 2), (1, 1), (), (-1,)),
    ("sin", 3): (4, 0, (1, 1), (1, 2), (-1,), ()),
    ("sin", 4): (8, 0, (1, 2), (1, 2), (), ()),
}
"""How a transform of `n` numbers is one of others.

The length of that is a multiple of `n`, and a number more. Where it finds the numbers, and the results: from where on, and how far apart.
The given numbers that count once: the others do twice, for each place in the period that has their cosine. The results that are
divided by the root of two if the transform is to be orthogonal; the numbers that count once are multiplied by it.
"""
INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}


@means(scipy.fft.dct)
def dct(x, type=2, n=None, axis=-1, norm=None, orthogonalize=None):
    """The cosine transform along an axis."""
    return _transformed("cos", False, x, type, n, axis, norm, orthogonalize)


@means(scipy.fft.idct)
def idct(x, type=2, n=None, axis=-1, norm=None, orthogonalize=None):
    """The inverse cosine transform along an axis."""
    return _transformed("cos", True, x, type, n, axis, norm, orthogonalize)


@means(scipy.fft.dst)
def dst(x, type=2, n=None, axis=-1, norm=None, orthogonalize=None):
    """The sine transform along an axis."""
    return _transformed("sin", False, x, type, n, axis, norm, orthogonalize)


@means(scipy.fft.idst)
def idst(x, type=2, n=None, axis=-1, norm=None, orthogonalize=None):
    """The inverse sine transform along an axis."""
    return _transformed("sin", True, x, type, n, axis, norm, orthogonalize)


@means(scipy.fft.dctn)
def dctn(x, type=2, s=None, axes=None, norm=None, orthogonalize=None):
    """The cosine transform along all axes."""
    return _along_several("cos", False, x, type, s, axes, norm, orthogonalize)


@means(scipy.fft.idctn)
def idctn(x, type=2, s=None, axes=None, norm=None, orthogonalize=None):
    """The inverse cosine transform along all axes."""
    return _along_several("cos", True, x, type, s, axes, norm, orthogonalize)


@means(scipy.fft.dstn)
def dstn(x, type=2, s=None, axes=None, norm=None, orthogonalize=None):
    """The sine transform along all axes."""
    return _along_several("sin", False, x, type, s, axes, norm, orthogonalize)


@means(scipy.fft.idstn)
def idstn(x, type=2, s=None, axes=None, norm=None, orthogonalize=None):
    """The inverse sine transform along all axes."""
    return _along_several("sin", True, x, type, s, axes, norm, orthogonalize)


def _along_several(family, is_inverse, a, kind, s, axes, norm, orthogonalize):
    """Transforms along one axis after the other."""
    x, named, extents = axes_and_extents(a, s, axes)
    for k in AXES[len(named)]:
        x = _transformed(family, is_inverse, x, kind, extents[k], named[k], norm, orthogonalize)
    return x


def _transformed(family, is_inverse, a, kind, n, axis, norm, orthogonalize):
    """The transform of each line along an axis."""
    x, at = lines_of(a, axis)
    if is_complex(x):
        refuse("a cosine or sine transform is for real numbers", "transform the real and the imaginary part")
    if not is_known(kind) or kind not in INVERSE:
        refuse("`type=` of a transform is no literal from 1 to 4", "write it, as in type=2")
    if not is_known(orthogonalize):
        refuse("`orthogonalize=` of a transform is no literal", "write True or False")
    times, more, given, taken, once, shared = computed(_layout)(family, is_inverse, kind)
    root = math.sqrt(2.0) if (norm == "ortho" if orthogonalize is None else orthogonalize) else 1.0
    z = 2.0 * sized(x, n, at, np.float64)
    count = z.shape[at]
    if count < (2 if more < 0 else 1):
        raise ValueError("Invalid number of data points specified")
    for k in once:
        z[_part(z, at, k)] *= 0.5 * root
    laid = placed(z, at, times * count + more, EACH, given).astype(np.complex128)
    found = placed(transform(laid, at, -1.0), at, count, taken, EACH)
    y = np.real(found).copy() if family == "cos" else -np.imag(found)
    if root > 1.0:
        for k in shared:
            y[_part(y, at, k)] /= root
    return scaled(y, 2 * count + more, norm, is_inverse, x)


def _layout(family, is_inverse, kind):
    """The layout of a transform, or of the one that is its inverse."""
    return LAYOUTS[family, INVERSE[kind] if is_inverse else kind]


def _part(x, axis, place):
    """The entries at a place of each line."""
    return tuple([place if each == axis else slice(None) for each in AXES[x.ndim]])
