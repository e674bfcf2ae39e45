"""Rules of triangular and banded systems, packed factors and functions of matrices, of which text for `scipy.linalg` is made."""

import numpy as np

from backsweep.rules.declare import HOLOMORPHIC, FixedSample, Sample, rule
from backsweep.runtime.decompositions import eig_pullback, eigvals_pullback
from backsweep.runtime.matrices.banded import (
    banded_outer,
    banded_product,
    banded_solution,
    banded_transposed,
)
from backsweep.runtime.matrices.eigenvalues import general_eig, general_eigvals
from backsweep.runtime.matrices.functions import (
    logarithm,
    logarithm_slope,
    square_root,
    square_root_slope,
)
from backsweep.runtime.scipy.triangular import (
    exchanged,
    exponential,
    exponential_bend,
    exponential_slope,
    packed_factors,
    packed_factors_pullback,
    packed_factors_tangent,
    triangle,
    triangular_solution,
)
from backsweep.runtime.tangents import eig_tangent, eigvals_tangent

DOMINANT = Sample((3, 3), 0.5, 2.0, definite=True)
VECTOR = Sample((3,))
MATRIX = Sample((3, 4))
SQUARE = Sample((3, 3))
HOLOMORPHIC.update([triangular_solution, triangle, packed_factors, exchanged])
HOLOMORPHIC.update([banded_solution])
HOLOMORPHIC.update([exponential, exponential_slope, square_root, logarithm])


@rule(
    triangular_solution,
    static=["lower", "unit"],
    ndim=(2, 1, None, None),
    samples=[DOMINANT, VECTOR, FixedSample(True), FixedSample(False)],
)
def triangular_system(a, b, lower, unit):
    """Solution of a triangular system. One solve with the transposed matrix."""
    x = triangular_solution(a, b, lower, unit)
    return (
        x,
        lambda x_bar: (
            triangle(np.outer(-triangular_solution(a.T, x_bar, not lower, unit), x), lower, unit),
            triangular_solution(a.T, x_bar, not lower, unit),
        ),
        lambda a_dot, b_dot: (
            -triangular_solution(a, triangle(a_dot, lower, unit) @ x, lower, unit),
            triangular_solution(a, b_dot, lower, unit),
        ),
    )


@rule(
    triangular_solution,
    static=["lower", "unit"],
    ndim=(2, 2, None, None),
    samples=[DOMINANT, MATRIX, FixedSample(False), FixedSample(True)],
)
def triangular_systems(a, b, lower, unit):
    """Solutions of a triangular system. One solve with the transposed matrix."""
    x = triangular_solution(a, b, lower, unit)
    return (
        x,
        lambda x_bar: (
            triangle(-triangular_solution(a.T, x_bar, not lower, unit) @ x.T, lower, unit),
            triangular_solution(a.T, x_bar, not lower, unit),
        ),
        lambda a_dot, b_dot: (
            -triangular_solution(a, triangle(a_dot, lower, unit) @ x, lower, unit),
            triangular_solution(a, b_dot, lower, unit),
        ),
    )


@rule(
    triangle, static=["lower", "unit"], samples=[SQUARE, FixedSample(True), FixedSample(False)], linear=("x",)
)
def one_triangle(x, lower, unit):
    """One triangle of a matrix."""
    y = triangle(x, lower, unit)
    return y, lambda y_bar: triangle(y_bar, lower, unit)


@rule(packed_factors, ndim=(2,), samples=[SQUARE])
def lu(x):
    """Triangular factors of a matrix, and the exchanges of its rows, which carry no derivative."""
    factors, pivots = packed_factors(x)
    return (
        (factors, pivots),
        lambda factors_bar, pivots_bar: packed_factors_pullback(factors_bar, factors, pivots),
        lambda x_dot: (packed_factors_tangent(x_dot, factors, pivots), None),
    )


@rule(
    exchanged,
    static=["pivots", "back"],
    samples=[MATRIX, FixedSample(np.array([2, 2, 2])), FixedSample(False)],
    linear=("x",),
)
def exchanged_rows(x, pivots, back):
    """Rows in the order after exchanges, or before them."""
    y = exchanged(x, pivots, back)
    return y, lambda y_bar: exchanged(y_bar, pivots, not back)


@rule(exponential, ndim=(2,), samples=[SQUARE])
def expm(x):
    """Exponential of a matrix. The adjoint is the derivative at the transposed matrix, along the cotangent."""
    y = exponential(x)
    return y, lambda y_bar: exponential_slope(x.T, y_bar), lambda x_dot: exponential_slope(x, x_dot)


@rule(exponential_slope, ndim=(2, 2), samples=[SQUARE, SQUARE])
def expm_along(x, direction):
    """Derivative of the exponential of a matrix along a direction."""
    y = exponential_slope(x, direction)
    return (
        y,
        lambda y_bar: (exponential_bend(x.T, direction.T, y_bar), exponential_slope(x.T, y_bar)),
        lambda x_dot, direction_dot: (
            exponential_bend(x, direction, x_dot),
            exponential_slope(x, direction_dot),
        ),
    )


@rule(square_root, ndim=(2,), samples=[Sample((3, 3), 0.5, 2.0, definite=True)])
def sqrtm(x):
    """Square root of a matrix. The adjoint is the derivative at the transposed matrix, along the cotangent."""
    y = square_root(x)
    return y, lambda y_bar: square_root_slope(x.T, y_bar), lambda x_dot: square_root_slope(x, x_dot)


@rule(logarithm, ndim=(2,), samples=[Sample((3, 3), 0.5, 2.0, definite=True)])
def logm(x):
    """Logarithm of a matrix. The adjoint is the derivative at the transposed matrix, along the cotangent."""
    y = logarithm(x)
    return y, lambda y_bar: logarithm_slope(x.T, y_bar), lambda x_dot: logarithm_slope(x, x_dot)


@rule(general_eig, ndim=(2,), samples=[DOMINANT])
def eig(x):
    """Eigenvalues and right eigenvectors of a real matrix as complex numbers. The vectors keep their length and the phase of their largest entry.

    If eigenvalues are equal up to rounding, the adjoint is nan unless the result depends on them alike, and on none of their vectors.
    """
    w, v = general_eig(x)
    return (
        (w, v),
        lambda w_bar, v_bar: np.real(eig_pullback(w_bar, v_bar, w, v)),
        lambda x_dot: eig_tangent(x_dot + 0.0j, w, v),
    )


@rule(general_eig, ndim=(2,), samples=[SQUARE], of_complex=True)
def eig_of_complex(x):
    """The same of a complex matrix."""
    w, v = general_eig(x)
    return (
        (w, v),
        lambda w_bar, v_bar: eig_pullback(w_bar, v_bar, w, v),
        lambda x_dot: eig_tangent(x_dot, w, v),
    )


@rule(general_eigvals, ndim=(2,), samples=[DOMINANT])
def eigvals(x):
    """Eigenvalues of a real matrix as complex numbers, likewise."""
    w = general_eigvals(x)
    return (
        w,
        lambda w_bar: np.real(eigvals_pullback(w_bar, x + 0.0j, w)),
        lambda x_dot: eigvals_tangent(x_dot + 0.0j, x + 0.0j, w),
    )


@rule(general_eigvals, ndim=(2,), samples=[SQUARE], of_complex=True)
def eigvals_of_complex(x):
    """The same of a complex matrix."""
    w = general_eigvals(x)
    return w, lambda w_bar: eigvals_pullback(w_bar, x, w), lambda x_dot: eigvals_tangent(x_dot, x, w)


@rule(
    banded_solution,
    static=["lower", "upper"],
    samples=[Sample((4, 5)), Sample((5,)), FixedSample(1), FixedSample(2)],
)
def banded_system(ab, b, lower, upper):
    """Solution of a banded system. One solve with the transposed matrix."""
    x = banded_solution(ab, b, lower, upper)
    return (
        x,
        lambda x_bar: (
            -banded_outer(
                banded_solution(banded_transposed(ab, lower, upper), x_bar, upper, lower), x, lower, upper
            ),
            banded_solution(banded_transposed(ab, lower, upper), x_bar, upper, lower),
        ),
        lambda ab_dot, b_dot: (
            -banded_solution(ab, banded_product(ab_dot, x, lower, upper), lower, upper),
            banded_solution(ab, b_dot, lower, upper),
        ),
    )
