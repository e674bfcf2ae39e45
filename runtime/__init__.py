"""What emitted code calls when it runs; knows nothing of the compiler."""

from backsweep.runtime.broadcasting import stretched, sum_to
from backsweep.runtime.gather import median_pullback, repeat_pullback, scatter_add, sort_pullback
from backsweep.runtime.interpolation import interp_pullback_points, interp_pullback_values, interp_slopes
from backsweep.runtime.linalg import (
    cofactors,
    diag_pullback,
    eigvalsh_pullback,
    kron_pullback_left,
    kron_pullback_right,
)
from backsweep.runtime.scans import cumprod_pullback, diff_pullback, products_of_others
from backsweep.runtime.scipy import sight  # noqa: F401  has Numba ask it about SciPy's functions
from backsweep.runtime.special import digamma, polygamma
from backsweep.runtime.support import freed_memory
from backsweep.runtime.support.marks import stop_gradient
from backsweep.runtime.tape import grown

__all__ = [
    "cofactors",
    "cumprod_pullback",
    "diag_pullback",
    "diff_pullback",
    "digamma",
    "eigvalsh_pullback",
    "freed_memory",
    "grown",
    "interp_pullback_points",
    "interp_pullback_values",
    "interp_slopes",
    "kron_pullback_left",
    "kron_pullback_right",
    "median_pullback",
    "polygamma",
    "products_of_others",
    "repeat_pullback",
    "scatter_add",
    "sort_pullback",
    "stop_gradient",
    "stretched",
    "sum_to",
]
