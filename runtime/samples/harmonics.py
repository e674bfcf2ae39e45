"""Spherical harmonics of `scipy.special`, by their recurrences (DLMF 14.10.3, 14.30.1)."""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sp
from numba.core import types

from backsweep.runtime.overloads.forms import NumbaType, is_array, is_complex, refused
from backsweep.runtime.overloads.texts import stands_for
from backsweep.runtime.samples.lines import is_sampled, option, taken_note_of
from backsweep.runtime.support.compiled import kernel


def register() -> None:
    """Tell Numba of this function."""
    taken_note_of()


@kernel
def polar_part(n: int, m: int, theta):
    """The part of a harmonic of degree `n` and order `m` that depends on the polar angle."""
    if n < 0:
        raise ValueError("n should not be negative")
    order = abs(m)
    height, width = np.cos(theta), np.sin(theta)
    width = np.where(width < 0.0, -width, width)  # at the poles the slope is that of the angles from 0 to pi
    value = 0.28209479177387814 + 0.0 * height
    for k in range(1, order + 1):
        value = -math.sqrt((2.0 * k + 1.0) / (2.0 * k)) * width * value
    before = 0.0 * height
    for k in range(order + 1, n + 1):
        back = math.sqrt(((k - 1.0) ** 2 - order**2) / abs(4.0 * (k - 1.0) ** 2 - 1.0))
        following = math.sqrt((4.0 * k**2 - 1.0) / (1.0 * k**2 - order**2)) * (height * value - back * before)
        before = value
        value = following
    if order > n:
        value = 0.0 * height
    return -value if m < 0 and order % 2 == 1 else value


def _is_angle(type_: NumbaType) -> bool:
    """Whether an argument is an angle, or an array of angles."""
    if is_array(type_):
        return is_sampled("scipy.special.sph_harm_y", type_) and not is_complex(type_)
    return isinstance(
        types.unliteral(type_) if isinstance(type_, types.Type) else type_, types.Integer | types.Float
    )


@stands_for(sp.sph_harm_y, polar_part=polar_part)
def sph_harm_y(n, m, theta, phi, diff_n=0):
    """The harmonic of one degree and order."""
    name = "scipy.special.sph_harm_y"
    if not _is_angle(theta) or not _is_angle(phi):
        return None
    option(name, "diff_n", diff_n, 0)
    if not isinstance(n, types.Integer) or not isinstance(m, types.Integer):
        raise refused(f"`{name}` is supported for one degree and one order, whole numbers", "write the loop.")
    return "return polar_part(n, m, theta) * np.exp(1j * m * phi)"
