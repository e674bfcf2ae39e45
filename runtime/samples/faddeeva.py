"""Faddeeva's function `wofz` of `scipy.special`, made of Voigt's profile and of Dawson's integral, which have derivatives."""

from __future__ import annotations

import scipy.special as sp
from numba.core import types

from backsweep.runtime.overloads.forms import is_array, is_single, refused
from backsweep.runtime.overloads.texts import stands_for
from backsweep.runtime.samples.lines import taken_note_of
from backsweep.runtime.special_functions.voigt import voigt_imaginary


def register() -> None:
    """Tell Numba of this function."""
    taken_note_of()


@stands_for(sp.wofz, dawsn=sp.dawsn, voigt_profile=sp.voigt_profile, voigt_imaginary=voigt_imaginary)
def wofz(x):
    """Faddeeva's function; below the real axis by its reflection (DLMF 7.4.3)."""
    if is_array(x) and is_single(x):
        raise refused(
            "`scipy.special.wofz` is supported for double precision", "convert first: x.astype(np.float64)."
        )
    kind = x.dtype if is_array(x) else types.unliteral(x) if isinstance(x, types.Type) else None
    if isinstance(kind, types.Float | types.Integer):
        return "v = 1.0 * x\nreturn np.exp(-v * v) + 1.1283791670955126j * dawsn(v)"
    if not isinstance(kind, types.Complex):
        return None
    above = """
width = 0.7071067811865476
value = 1.772453850905516 * (voigt_profile(p, width, q) + 1j * voigt_imaginary(p, width, q))
"""
    if is_array(x):
        return f"""
below = x.imag < 0.0
p, q = np.where(below, -x.real, x.real), np.where(below, -x.imag, x.imag){above}
z = np.where(below, x, 0.0)
return np.where(below, 2.0 * np.exp(-z * z) - value, value)
"""
    return f"""
below = x.imag < 0.0
p, q = -x.real if below else x.real, -x.imag if below else x.imag{above}
if below:
    return 2.0 * np.exp(-x * x) - value
return value
"""
