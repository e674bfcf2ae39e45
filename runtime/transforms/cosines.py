"""The cosine and sine transforms of `scipy.fft`, of the types 1 to 4, as text with one Fourier transform.

Each is a sum over n of `x[n]` times the cosine or sine of 2 pi times a product of a whole number that belongs to n with one that belongs to the
entry of the result, over a length. So the numbers are laid out in zeros of that length, and some entries of the transform are taken.

Source: the definitions in the documentation of `scipy.fft.dct` and `scipy.fft.dst`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.fft

from backsweep.runtime.overloads.forms import (
    flag,
    is_array,
    is_complex,
    is_none,
    is_single,
    literal,
    refused,
    single_axis,
)
from backsweep.runtime.overloads.fourier import axes_and_extents, scaling_of, transform
from backsweep.runtime.overloads.texts import along, stands_for


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where a transform of `n` numbers finds them, and its results, in one of `length`: from where on, and how far apart."""

    length: str
    given: tuple[int, int]
    taken: tuple[int, int]
    scaled_by: str
    halved: str = ""
    """The given numbers that count once: the others do twice, for each place in the period that has their cosine."""
    before: str = ""
    """The given numbers that are multiplied by the root of two if the transform is to be orthogonal."""
    after: str = ""
    """The results that are divided by it."""


LAYOUTS = {
    ("cos", 1): _Layout("2 * (n - 1)", (0, 1), (0, 1), "2 * (n - 1)", "0 -1", "0 -1", "0 -1"),
    ("cos", 2): _Layout("4 * n", (1, 2), (0, 1), "2 * n", after="0"),
    ("cos", 3): _Layout("4 * n", (0, 1), (1, 2), "2 * n", "0", before="0"),
    ("cos", 4): _Layout("8 * n", (1, 2), (1, 2), "2 * n"),
    ("sin", 1): _Layout("2 * (n + 1)", (1, 1), (1, 1), "2 * (n + 1)"),
    ("sin", 2): _Layout("4 * n", (1, 2), (1, 1), "2 * n", after="-1"),
    ("sin", 3): _Layout("4 * n", (1, 1), (1, 2), "2 * n", "-1", before="-1"),
    ("sin", 4): _Layout("8 * n", (1, 2), (1, 2), "2 * n"),
}
INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}


@stands_for(scipy.fft.dct, transform=transform, fft=scipy.fft)
def dct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """The cosine transform along an axis."""
    return _of_kind("scipy.fft.dct", x, type, n, axis, norm, orthogonalize)


@stands_for(scipy.fft.idct, transform=transform, fft=scipy.fft)
def idct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """The inverse cosine transform along an axis."""
    return _of_kind("scipy.fft.idct", x, type, n, axis, norm, orthogonalize)


@stands_for(scipy.fft.dst, transform=transform, fft=scipy.fft)
def dst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """The sine transform along an axis."""
    return _of_kind("scipy.fft.dst", x, type, n, axis, norm, orthogonalize)


@stands_for(scipy.fft.idst, transform=transform, fft=scipy.fft)
def idst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """The inverse sine transform along an axis."""
    return _of_kind("scipy.fft.idst", x, type, n, axis, norm, orthogonalize)


def _of_kind(name: str, x, type_, n, axis, norm, orthogonalize) -> str | None:
    """The transform of a vector, or of each line along an axis."""
    if not is_array(x):
        return None
    if is_complex(x):
        raise refused(f"`{name}` is for real numbers", "transform the real and the imaginary part.")
    kind, scaling, family = literal(type_), scaling_of(name, norm), "cos" if "dct" in name else "sin"
    if (family, kind) not in LAYOUTS:
        raise refused(f"`type=` of `{name}` is no literal from 1 to 4", f"write it, as in {name}(x, type=2).")
    orthogonal = scaling == "ortho" if is_none(orthogonalize) else flag("orthogonalize", orthogonalize)
    at = single_axis(name, axis, x.ndim)
    length = f"x.shape[{at}]" if is_none(n) else "n"
    dtype = np.float32 if is_single(x) else np.float64
    if x.ndim > 1:
        value = f'{name.removeprefix("scipy.")}({{}}, {kind}, {length}, -1, "{scaling}", False, None, {orthogonal})'
        return along(value, "x", at, x.ndim, dtype=dtype, length=length)
    inverse = name.startswith("scipy.fft.i")
    return _of_vector(
        LAYOUTS[family, INVERSE[kind] if inverse else kind],
        family,
        length=length,
        scale={
            "ortho": "root",
            "forward": "" if inverse else "whole",
            "backward": "whole" if inverse else "",
        }[scaling],
        orthogonal=orthogonal,
        single=is_single(x),
    )


def _of_vector(
    layout: _Layout, family: str, *, length: str, scale: str, orthogonal: bool, single: bool
) -> str:
    """The body that transforms a vector; `scale` says whether it is divided by its period, or by the root of that."""
    fewest = 2 if layout.length == "2 * (n - 1)" else 1
    lines = [f"n = {length}"] if length != "n" else []
    lines += [f"if n < {fewest}:", '    raise ValueError("Invalid number of data points specified")']
    if length == "n":
        lines += ["z = np.zeros(n)", "m = min(n, x.size)", "z[:m] = 2.0 * x[:m]"]
    else:
        lines.append("z = 2.0 * x.astype(np.float64)" if single else "z = 2.0 * x")
    lines += [f"z[{at}] *= 0.5" for at in layout.halved.split()]
    if orthogonal:
        lines += [f"z[{at}] *= np.sqrt(2.0)" for at in layout.before.split()]
    (first, step), (start, apart) = layout.given, layout.taken
    lines += [f"laid = np.zeros({layout.length}, np.complex128)"]
    lines += [f"laid[{first} : {first} + {step} * n : {step}] = z"]
    lines += ["whole = transform(laid, -1.0)", f"taken = whole[{start} : {start} + {apart} * n : {apart}]"]
    lines.append("y = np.real(taken).copy()" if family == "cos" else "y = -np.imag(taken)")
    if orthogonal:
        lines += [f"y[{at}] /= np.sqrt(2.0)" for at in layout.after.split()]
    period = {"": "", "whole": f" / ({layout.scaled_by})", "root": f" / np.sqrt({layout.scaled_by})"}[scale]
    value = f"y{period}"
    lines.append(f"return ({value}).astype(np.float32)" if single else f"return {value}")
    return "\n".join(lines)


@stands_for(scipy.fft.dctn, fft=scipy.fft)
def dctn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """The cosine transform along all axes."""
    return _along_several("scipy.fft.dct", x, type, s, axes, norm, orthogonalize)


@stands_for(scipy.fft.idctn, fft=scipy.fft)
def idctn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """The inverse cosine transform along all axes."""
    return _along_several("scipy.fft.idct", x, type, s, axes, norm, orthogonalize)


@stands_for(scipy.fft.dstn, fft=scipy.fft)
def dstn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """The sine transform along all axes."""
    return _along_several("scipy.fft.dst", x, type, s, axes, norm, orthogonalize)


@stands_for(scipy.fft.idstn, fft=scipy.fft)
def idstn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    """The inverse sine transform along all axes."""
    return _along_several("scipy.fft.idst", x, type, s, axes, norm, orthogonalize)


def _along_several(name: str, x, type_, s, axes, norm, orthogonalize) -> str | None:
    """Transforms along one axis after the other."""
    if not is_array(x):
        return None
    kind, scaling = literal(type_), scaling_of(name, norm)
    orthogonal = None if is_none(orthogonalize) else flag("orthogonalize", orthogonalize)
    text = "x"
    for axis, extent in axes_and_extents(f"{name}n", x.ndim, s, axes):
        text = f'{name.removeprefix("scipy.")}({text}, {kind}, {extent}, {axis}, "{scaling}", False, None, {orthogonal})'
    return f"return {text}"
