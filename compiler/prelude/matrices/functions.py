"""Exponentials, roots and trigonometric functions of matrices, of `scipy.linalg`."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from backsweep.prelude.declare import as_floats, is_known, means
from backsweep.runtime.matrices.functions import logarithm, square_root
from backsweep.runtime.scipy.triangular import exponential, exponential_slope


@means(scipy.linalg.expm)
def expm(A):
    """The exponential."""
    return exponential(A)


@means(scipy.linalg.expm_frechet)
def expm_frechet(A, E, method=None, compute_expm=True):
    """The exponential, and its derivative along a direction."""
    del method
    return (exponential(A), exponential_slope(A, E)) if compute_expm else exponential_slope(A, E)


@means(scipy.linalg.sqrtm)
def sqrtm(A):
    """The principal square root."""
    return square_root(A)


@means(scipy.linalg.logm)
def logm(A):
    """The principal logarithm."""
    return logarithm(A)


@means(scipy.linalg.tanm)
def tanm(A):
    """The tangent."""
    return np.linalg.solve(cosm(A), sinm(A))


@means(scipy.linalg.tanhm)
def tanhm(A):
    """The hyperbolic tangent."""
    return np.linalg.solve(coshm(A), sinhm(A))


@means(scipy.linalg.coshm)
def coshm(A):
    """The mean of the exponentials of a matrix and of its negative."""
    twice = exponential(A) + exponential(-A)
    return (0.5 * twice).astype(twice.dtype)


@means(scipy.linalg.sinhm)
def sinhm(A):
    """Half of the difference of these exponentials."""
    twice = exponential(A) - exponential(-A)
    return (0.5 * twice).astype(twice.dtype)


@means(scipy.linalg.cosm)
def cosm(A):
    """The cosine: of a real matrix, it is real."""
    n = A.shape[0]
    return _turned_by(A)[:n, :n]


@means(scipy.linalg.sinm)
def sinm(A):
    """The sine."""
    n = A.shape[0]
    return _turned_by(A)[n:, :n]


def _turned_by(a):
    """The exponential of ((0, -a), (a, 0)): it has cosines on the diagonal and the sine beside it, whether `a` is real or complex."""
    n = a.shape[0]
    both = np.zeros((2 * n, 2 * n), a.dtype)
    both[:n, n:] = -a
    both[n:, :n] = a
    return exponential(both)


@means(scipy.linalg.fractional_matrix_power)
def fractional_matrix_power(A, t):
    """The exponential of a multiple of the logarithm; whole powers that are written out are products."""
    if is_known(t) and t == int(t):
        return np.linalg.matrix_power(as_floats(A), int(t))
    return scipy.linalg.expm(t * scipy.linalg.logm(as_floats(A)))


@means(scipy.linalg.signm)
def signm(A):
    """The matrix with the same vectors whose eigenvalues are 1 and -1 by the sign of their real parts."""
    a = as_floats(A)
    return np.linalg.solve(scipy.linalg.sqrtm(a @ a), a)
