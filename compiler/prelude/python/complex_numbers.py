"""Functions of `cmath`: those of NumPy that mean the same, of numbers that are made complex first, whatever they are."""

from __future__ import annotations

import cmath
from collections.abc import Callable
from typing import Any

import numpy as np

from backsweep.prelude.declare import is_complex, means


def _made_complex(x):
    """A number as a complex one: then NumPy's function computes with complex numbers, and the adjoint of a real number is real."""
    x = x.item() if isinstance(x, np.ndarray) else x
    if is_complex(x):
        return x
    return complex(int(x) if isinstance(x, bool) else x)


def _of_one(function) -> Callable[[Any], Any]:
    """A function of one complex number."""

    def computed(z):
        """NumPy's function of the number as a complex one."""
        return function(_made_complex(z))

    return computed


for _name in (
    "exp",
    "log10",
    "sqrt",
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "tanh",
    "isnan",
    "isinf",
    "isfinite",
):
    means(getattr(cmath, _name))(_of_one(getattr(np, _name)))
for _name in ("sin", "cos", "tan", "sinh", "cosh", "tanh"):
    means(getattr(cmath, f"a{_name}"))(_of_one(getattr(np, f"arc{_name}")))
means(cmath.phase)(_of_one(np.angle))


@means(cmath.log)
def log(z, *base):
    """The logarithm, to a base if one is given."""
    if len(base) == 0:
        return np.log(_made_complex(z))
    return np.log(_made_complex(z)) / np.log(_made_complex(base[0]))


@means(cmath.polar)
def polar(z):
    """Absolute value and argument."""
    z = _made_complex(z)
    return abs(z), np.angle(z)


@means(cmath.rect)
def rect(r, phi):
    """The number with this absolute value and this argument."""
    return complex(r * np.cos(phi), r * np.sin(phi))
