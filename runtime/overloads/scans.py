"""Running sums and products, differences, sorting, reversing and shifting along an axis."""

from __future__ import annotations

import numpy as np
from numba.core import types

from backsweep.runtime.overloads.forms import (
    is_array,
    is_none,
    refused,
    single_axis,
)
from backsweep.runtime.overloads.texts import (
    along,
    stands_for,
)


@stands_for(np.unwrap, first=True)
def unwrap(p, discont=None, axis=-1, period=6.283185307179586):
    """Jumps by periods taken out along an axis; Numba has that along the last."""
    if not is_array(p) or isinstance(axis, int):
        return None
    at = single_axis("np.unwrap", axis, p.ndim)
    if p.dtype != types.float64:
        raise refused(
            "`np.unwrap` along an axis is supported in double precision",
            "write np.unwrap(p.astype(np.float64), axis=0).",
        )
    given = "" if is_none(discont) else ", discont=discont"
    given += "" if isinstance(period, float | types.Omitted) else ", period=period"
    return along(f"np.unwrap({{}}{given})", "p", at, p.ndim, dtype=np.float64)
