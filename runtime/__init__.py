"""What emitted code calls when it runs; knows nothing of the compiler."""

from backsweep.runtime.broadcasting import stretched, sum_to
from backsweep.runtime.linalg import (
    cholesky_pullback,
    cofactors,
    diag_pullback,
    kron_pullback_left,
    kron_pullback_right,
)
from backsweep.runtime.marks import stop_gradient
from backsweep.runtime.scans import cumprod_pullback, diff_pullback, products_of_others
from backsweep.runtime.special import digamma, polygamma
from backsweep.runtime.tape import grown

__all__ = [
    "cholesky_pullback",
    "cofactors",
    "cumprod_pullback",
    "diag_pullback",
    "diff_pullback",
    "digamma",
    "grown",
    "kron_pullback_left",
    "kron_pullback_right",
    "polygamma",
    "products_of_others",
    "stop_gradient",
    "stretched",
    "sum_to",
]
