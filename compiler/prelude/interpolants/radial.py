"""Radial basis functions: `RBFInterpolator`.

Source: G. Fasshauer, Meshfree Approximation Methods with Matlab (2007), chapters 6 and 7.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.interpolate as si

from backsweep.prelude.declare import is_known, means, refuse, stands_for
from backsweep.prelude.interpolants.points import INSTEAD, floats, literal, real
from backsweep.runtime.support.marks import stop_gradient

WITHOUT_SCALE = ("linear", "thin_plate_spline", "cubic", "quintic")
"""The kernels that are zero at their centre, and scaled alike everywhere."""
WITH_SCALE = ("multiquadric", "inverse_multiquadric", "inverse_quadratic", "gaussian")
LEAST = {"linear": 0, "thin_plate_spline": 1, "cubic": 1, "quintic": 2}
"""The degrees of the polynomials that the kernels need beside them; 0 for others."""


@means(si.RBFInterpolator)
class RBFInterpolator:
    """A sum of kernels around points, and a polynomial, that goes through values at the points."""

    called: Any = "RBFInterpolator"
    instead: Any = INSTEAD

    def __init__(
        self, y, d, neighbors=None, smoothing=0.0, kernel="thin_plate_spline", epsilon=None, degree=None
    ) -> None:
        if neighbors is not None:
            refuse("`RBFInterpolator` of computed values takes all points", "leave `neighbors` out")
        if literal(kernel, "kernel") not in (*WITHOUT_SCALE, *WITH_SCALE) or (
            epsilon is None and kernel not in WITHOUT_SCALE
        ):
            refuse(
                f"`RBFInterpolator` has no kernel {kernel!r}, or needs `epsilon` for it",
                "write kernel='gaussian', epsilon=1.0",
            )
        self.kernel = kernel
        self.epsilon = 1.0 if epsilon is None else epsilon
        self.degree = LEAST.get(kernel, 0) if degree is None else degree
        if not is_known(self.degree) or self.degree not in (-1, 0, 1, 2):
            refuse("`RBFInterpolator` takes a degree of -1 to 2", "write it as a literal")
        self.centres = floats(y, "RBFInterpolator", "y")
        if np.ndim(self.centres) != 2:
            refuse("`RBFInterpolator` takes a matrix as `y`", "write x[:, None] for points on a line")
        self._solve(floats(d, "RBFInterpolator", "d"), smoothing)

    def _solve(self, values, smoothing) -> None:
        """Set the coefficients of kernels and monomials."""
        centres = self.centres
        n, m = centres.shape
        if values.shape[0] != n:
            raise ValueError("Expected the first axis of `d` to be as long as that of `y`.")
        lowest, highest = stop_gradient(centres.min(axis=0)), stop_gradient(centres.max(axis=0))
        self.shift = 0.5 * (lowest + highest)
        self.scale = np.where(highest > lowest, 0.5 * (highest - lowest), 1.0)
        size = n + self._monomials(m)
        system, right = np.zeros((size, size)), np.zeros((size, *values.shape[1:]))
        for i in range(n):
            row = self._row(centres[i], size)
            system[i] = row
            system[n:, i] = row[n:]
            system[i, i] += smoothing[i] if isinstance(smoothing, np.ndarray) else smoothing
        right[:n] = values
        self.coefficients = np.linalg.solve(system, right)

    def _monomials(self, m):
        """How many monomials of `m` variables there are."""
        if self.degree == 2:
            return 1 + m + m * (m + 1) // 2
        return 1 + m if self.degree == 1 else self.degree + 1

    def _row(self, x, size):
        """The kernels around all points and the monomials, at a place."""
        centres = self.centres
        n, m = centres.shape
        row = np.empty(size)
        for j in range(n):
            square = 0.0
            for a in range(m):
                square += (self.epsilon * (x[a] - centres[j, a])) ** 2
            row[j] = _kernel(self.kernel, square)
        if self.degree >= 0:
            row[n] = 1.0
        if self.degree >= 1:
            for a in range(m):
                row[n + 1 + a] = (x[a] - self.shift[a]) / self.scale[a]
        if self.degree >= 2:
            k = n + 1 + m
            for a in range(m):
                for b in range(a, m):
                    row[k] = row[n + 1 + a] * row[n + 1 + b]
                    k += 1
        return row

    def __call__(self, x):
        """The values at the rows of a matrix."""
        x = real(x, "RBFInterpolator")
        if np.ndim(x) != 2:
            refuse("`RBFInterpolator` is evaluated at the rows of a matrix", "write s(x[:, None])")
        c = self.coefficients
        if x.shape[1] != self.centres.shape[1]:
            raise ValueError("Expected the second axis of `x` to be as long as that of the points.")
        found = np.empty((x.shape[0], *c.shape[1:]))
        for i in range(x.shape[0]):
            found[i] = self._row(x[i], c.shape[0]) @ c
        return found


def _kernel(name, square):
    """The value of a kernel, by the square of the distance."""
    if name == "multiquadric":
        return -np.sqrt(1.0 + square)
    if name == "inverse_multiquadric":
        return 1.0 / np.sqrt(1.0 + square)
    if name == "inverse_quadratic":
        return 1.0 / (1.0 + square)
    if name == "gaussian":
        return np.exp(-square)
    if square == 0.0:
        return 0.0
    if name == "linear":
        return -np.sqrt(square)
    if name == "thin_plate_spline":
        return 0.5 * square * np.log(square)
    return square**1.5 if name == "cubic" else -(square**2.5)


@stands_for(si.RBFInterpolator, reads=("y", "_coeffs"))
def of_radial(thing) -> RBFInterpolator | str:
    """One that SciPy made."""
    powers = np.asarray(thing.powers)
    if thing.neighbors is not None or powers.sum(axis=1).max(initial=-1) > 2 or len(thing.d_shape) > 1:
        return "it has neighbours, a degree above 2, or values of several axes"
    if np.issubdtype(thing.d_dtype, np.complexfloating):
        return "its values are complex"
    made = RBFInterpolator.__new__(RBFInterpolator)
    made.kernel = thing.kernel
    made.epsilon = float(thing.epsilon)
    made.degree = int(powers.sum(axis=1).max(initial=-1))
    made.centres = np.asarray(thing.y)
    made.shift = np.asarray(thing._shift)
    made.scale = np.asarray(thing._scale)
    n, m = made.centres.shape
    order = [[0] * m] if made.degree >= 0 else []
    if made.degree >= 1:
        order += np.eye(m, dtype=int).tolist()
    if made.degree >= 2:
        order += [
            (np.eye(m, dtype=int)[a] + np.eye(m, dtype=int)[b]).tolist()
            for a in range(m)
            for b in range(a, m)
        ]
    places = [powers.tolist().index(each) for each in order]
    c = np.asarray(thing._coeffs)
    c = np.concatenate((c[:n], c[n:][places]))
    made.coefficients = np.ascontiguousarray(c if thing.d_shape else c[:, 0])
    return made
