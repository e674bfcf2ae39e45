"""Rules of the products and decompositions of matrices."""

import operator

import numpy as np

from backsweep.rules.declare import FixedSample, Sample, constant, rule
from backsweep.runtime.decompositions import (
    apart,
    complex_roots,
    eig_pullback,
    eigh_pullback,
    eigh_pullback_of_complex,
    eigvals_pullback,
    eigvalsh_pullback_of_complex,
    nuclear_norm,
    order_alike,
    pinv_pullback,
    pinv_pullback_of_complex,
    polar_factor,
    polar_factor_along,
    qr_pullback,
    qr_pullback_of_complex,
    real_eig,
    real_eigvals,
    real_roots,
    roots_pullback,
    roots_tangent,
    svd_pullback,
    svd_pullback_of_complex,
    turn_or_shift,
    turns,
    unlike,
)
from backsweep.runtime.linalg import cofactors as cofactor_matrix
from backsweep.runtime.linalg import (
    cofactors_along,
    eigvalsh_pullback,
    is_not_positive_definite,
    is_singular,
    small_cofactors,
    small_determinant,
    small_inverse,
    small_slogdet,
    small_solution,
    small_solutions,
    solved_transposed,
)
from backsweep.runtime.matrices.cholesky import (
    cholesky_pullback,
    cholesky_pullback_against,
    cholesky_pullback_along,
    cholesky_pullback_of_complex,
    cholesky_tangent,
    cholesky_tangent_of_complex,
)
from backsweep.runtime.matrices.lu import (
    lu_determinant,
    lu_factors,
    lu_inverse,
    lu_slogdet,
    lu_solution,
    lu_solution_turned,
)
from backsweep.runtime.tangents import (
    eig_tangent,
    eigh_tangent,
    eigh_tangent_of_complex,
    eigvals_tangent,
    eigvalsh_tangent,
    eigvalsh_tangent_of_complex,
    pinv_tangent,
    pinv_tangent_of_complex,
    qr_tangent,
    qr_tangent_of_complex,
    svd_tangent,
    svd_tangent_of_complex,
)

VECTOR = Sample((3,))
LONG = Sample((4,))
MATRIX = Sample((3, 4))
SQUARE = Sample((3, 3))
PRODUCTS = (np.dot, operator.matmul, np.matmul)


@rule(*PRODUCTS, np.vdot, np.inner, ndim=(1, 1), samples=[VECTOR, VECTOR], linear=("x", "y"))
def inner(x, y):
    """Inner product of vectors."""
    z = np.dot(x, y)
    return z, lambda z_bar: (z_bar * y, z_bar * x)


@rule(*PRODUCTS, ndim=(2, 1), samples=[MATRIX, LONG], linear=("x", "y"))
def matrix_vector(x, y):
    """Matrix times vector."""
    z = np.dot(x, y)
    return z, lambda z_bar: (np.outer(z_bar, y), x.T @ z_bar)


@rule(*PRODUCTS, ndim=(1, 2), samples=[VECTOR, MATRIX], linear=("x", "y"))
def vector_matrix(x, y):
    """Vector times matrix."""
    z = np.dot(x, y)
    return z, lambda z_bar: (y @ z_bar, np.outer(x, z_bar))


@rule(*PRODUCTS, ndim=(2, 2), samples=[MATRIX, Sample((4, 2))], linear=("x", "y"))
def matrix_matrix(x, y):
    """Product of matrices."""
    z = np.dot(x, y)
    return z, lambda z_bar: (z_bar @ y.T, x.T @ z_bar)


@rule(np.outer, ndim=(1, 1), samples=[VECTOR, LONG], linear=("x", "y"))
def outer(x, y):
    """Outer product of vectors."""
    z = np.outer(x, y)
    return z, lambda z_bar: (z_bar @ y, z_bar.T @ x)


@rule(np.linalg.solve, small_solution, ndim=(2, 1), samples=[SQUARE, VECTOR])
def solve_vector(x, y):
    """Solution of a linear system. One solve with the transposed matrix."""
    z = np.linalg.solve(x, y)
    return (
        z,
        lambda z_bar: (-np.outer(np.linalg.solve(x.T, z_bar), z), np.linalg.solve(x.T, z_bar)),
        lambda x_dot, y_dot: (-np.linalg.solve(x, x_dot @ z), np.linalg.solve(x, y_dot)),
    )


@rule(np.linalg.solve, small_solutions, ndim=(2, 2), samples=[SQUARE, MATRIX])
def solve_matrix(x, y):
    """Solutions of a linear system. One solve with the transposed matrix."""
    z = np.linalg.solve(x, y)
    return (
        z,
        lambda z_bar: (-np.linalg.solve(x.T, z_bar) @ z.T, np.linalg.solve(x.T, z_bar)),
        lambda x_dot, y_dot: (-np.linalg.solve(x, x_dot @ z), np.linalg.solve(x, y_dot)),
    )


@rule(solved_transposed, ndim=(0, 0), samples=[(1.0, 3.0), (-2.0, 2.0)])
def quotient_transposed(x, y):
    """Solution of one equation."""
    z = solved_transposed(x, y)
    return (
        z,
        lambda z_bar: (-z_bar * z / x, z_bar / x),
        lambda x_dot, y_dot: (-x_dot * z / x, y_dot / x),
    )


@rule(solved_transposed, ndim=(2, 1), samples=[SQUARE, VECTOR])
def solve_transposed(x, y):
    """Solution of a linear system with the transposed matrix."""
    z = solved_transposed(x, y)
    return (
        z,
        lambda z_bar: (-np.outer(z, np.linalg.solve(x, z_bar)), np.linalg.solve(x, z_bar)),
        lambda x_dot, y_dot: (-np.linalg.solve(x.T, x_dot.T @ z), np.linalg.solve(x.T, y_dot)),
    )


@rule(lu_factors, ndim=(2,))
def factors_of_matrix(x):
    """Factors, which stand for their matrix: their adjoint is its adjoint."""
    factors, pivots = lu_factors(x)
    return (
        (factors, pivots),
        lambda factors_bar, pivots_bar: factors_bar,
        lambda x_dot: (np.copy(x_dot), None),
    )


@rule(lu_solution, static=["pivots"], ndim=(2, 1, 1))
def solve_vector_by_factors(factors, pivots, y):
    """Solution of a linear system, by the factors that stand for its matrix."""
    z = lu_solution(factors, pivots, y)
    return (
        z,
        lambda z_bar: (
            -np.outer(lu_solution_turned(factors, pivots, z_bar), z),
            lu_solution_turned(factors, pivots, z_bar),
        ),
        lambda factors_dot, y_dot: (
            -lu_solution(factors, pivots, factors_dot @ z),
            lu_solution(factors, pivots, y_dot),
        ),
    )


@rule(lu_solution, static=["pivots"], ndim=(2, 1, 2))
def solve_matrix_by_factors(factors, pivots, y):
    """Solutions of a linear system, likewise."""
    z = lu_solution(factors, pivots, y)
    return (
        z,
        lambda z_bar: (
            -lu_solution_turned(factors, pivots, z_bar) @ z.T,
            lu_solution_turned(factors, pivots, z_bar),
        ),
        lambda factors_dot, y_dot: (
            -lu_solution(factors, pivots, factors_dot @ z),
            lu_solution(factors, pivots, y_dot),
        ),
    )


@rule(lu_solution_turned, static=["pivots"], ndim=(2, 1, 1))
def solve_transposed_by_factors(factors, pivots, y):
    """Solution of a linear system with the transposed matrix, likewise."""
    z = lu_solution_turned(factors, pivots, y)
    return (
        z,
        lambda z_bar: (
            -np.outer(z, lu_solution(factors, pivots, z_bar)),
            lu_solution(factors, pivots, z_bar),
        ),
        lambda factors_dot, y_dot: (
            -lu_solution_turned(factors, pivots, factors_dot.T @ z),
            lu_solution_turned(factors, pivots, y_dot),
        ),
    )


@rule(lu_solution_turned, static=["pivots"], ndim=(2, 1, 2))
def solve_matrix_transposed_by_factors(factors, pivots, y):
    """Solutions of a linear system with the transposed matrix, likewise."""
    z = lu_solution_turned(factors, pivots, y)
    return (
        z,
        lambda z_bar: (-z @ lu_solution(factors, pivots, z_bar).T, lu_solution(factors, pivots, z_bar)),
        lambda factors_dot, y_dot: (
            -lu_solution_turned(factors, pivots, factors_dot.T @ z),
            lu_solution_turned(factors, pivots, y_dot),
        ),
    )


@rule(lu_inverse, static=["pivots"], ndim=(2, 1))
def inverse_by_factors(factors, pivots):
    """Inverse matrix, likewise. The adjoint reads only the result."""
    y = lu_inverse(factors, pivots)
    return y, lambda y_bar: -(y.T @ y_bar @ y.T), lambda factors_dot: -(y @ factors_dot @ y)


@rule(lu_slogdet, static=["pivots"], ndim=(2, 1))
def slogdet_by_factors(factors, pivots):
    """Sign and logarithm of the determinant, likewise; the sign carries no derivative."""
    sign, logdet = lu_slogdet(factors, pivots)
    return (
        (sign, logdet),
        lambda sign_bar, logdet_bar: logdet_bar * lu_inverse(factors, pivots).T,
        lambda factors_dot: (None, np.sum(lu_inverse(factors, pivots).T * factors_dot)),
    )


@rule(lu_determinant, static=["factors", "pivots"], ndim=(2, 2, 1))
def determinant_by_factors(x, factors, pivots):
    """Determinant of a matrix whose factors are known. The adjoint is right for singular matrices too."""
    y = lu_determinant(x, factors, pivots)
    return y, lambda y_bar: y_bar * cofactor_matrix(x)


@rule(np.linalg.inv, small_inverse, ndim=(2,), samples=[SQUARE])
def inv(x):
    """Inverse matrix. The adjoint reads only the result."""
    y = np.linalg.inv(x)
    return (
        y,
        lambda y_bar: -(y.T @ y_bar @ y.T),
        lambda x_dot: -(y @ x_dot @ y),
    )


@rule(
    np.linalg.det,
    small_determinant,
    ndim=(2,),
    samples=[SQUARE],
    edges=[((np.array([[1.0, 2.0], [2.0, 4.0]]),), (np.array([[4.0, -2.0], [-2.0, 1.0]]),))],
)
def det(x):
    """Determinant. The adjoint is right for singular matrices too."""
    y = np.linalg.det(x)
    return y, lambda y_bar: y_bar * cofactor_matrix(x)


@rule(cofactor_matrix, small_cofactors, ndim=(2,), samples=[SQUARE])
def cofactors(x):
    """Matrix of cofactors."""
    y = cofactor_matrix(x)
    return y, lambda y_bar: cofactors_along(y_bar, x), lambda x_dot: cofactors_along(x_dot, x)


@rule(np.linalg.cholesky, ndim=(2,), samples=[Sample((3, 3), definite=True)])
def cholesky(x):
    """Cholesky factor. It reads only the lower triangle, so only that has an adjoint."""
    y = np.linalg.cholesky(x)
    return (
        y,
        lambda y_bar: cholesky_pullback(y_bar, y),
        lambda x_dot: cholesky_tangent(x_dot, y),
    )


@rule(cholesky_pullback, ndim=(2, 2), samples=[SQUARE, Sample((3, 3), definite=True)])
def cholesky_adjoint(y_bar, y):
    """Adjoint of a matrix by that of its Cholesky factor."""
    x_bar = cholesky_pullback(y_bar, y)
    return (
        x_bar,
        lambda x_bar_bar: (
            cholesky_tangent(x_bar_bar, y),
            cholesky_pullback_against(x_bar_bar, y_bar, x_bar, y),
        ),
        lambda y_bar_dot, y_dot: (
            cholesky_pullback(y_bar_dot, y),
            cholesky_pullback_along(y_dot, y_bar, x_bar, y),
        ),
    )


@rule(np.linalg.cholesky, ndim=(2,), samples=[Sample((3, 3), definite=True)], of_complex=True)
def cholesky_of_complex(x):
    """Cholesky factor of a Hermitian matrix. It reads only the lower triangle, so only that has an adjoint."""
    y = np.linalg.cholesky(x)
    return (
        y,
        lambda y_bar: cholesky_pullback_of_complex(y_bar, y),
        lambda x_dot: cholesky_tangent_of_complex(x_dot, y),
    )


@rule(np.linalg.eigvalsh, ndim=(2,), samples=[Sample((3, 3), definite=True)])
def eigvalsh(x):
    """Eigenvalues of a symmetric matrix. It reads only the lower triangle, so only that has an adjoint."""
    y = np.linalg.eigvalsh(x)
    return (
        y,
        lambda y_bar: eigvalsh_pullback(y_bar, x),
        lambda x_dot: eigvalsh_tangent(x_dot, x),
    )


@rule(np.linalg.eigvalsh, ndim=(2,), samples=[Sample((3, 3), definite=True)], of_complex=True)
def eigvalsh_of_complex(x):
    """Eigenvalues of a Hermitian matrix, likewise."""
    w = np.linalg.eigvalsh(x)
    return (
        w,
        lambda w_bar: eigvalsh_pullback_of_complex(w_bar, x),
        lambda x_dot: eigvalsh_tangent_of_complex(x_dot, x),
    )


@rule(np.linalg.eigh, ndim=(2,), samples=[Sample((3, 3), 0.5, 2.0, definite=True)])
def eigh(x):
    """Eigenvalues and eigenvectors of a symmetric matrix. It reads only the lower triangle, so only that has an adjoint.

    If eigenvalues are equal up to rounding, a result that depends on their eigenvectors has the adjoint nan.
    """
    w, v = np.linalg.eigh(x)
    return (
        (w, v),
        lambda w_bar, v_bar: eigh_pullback(w_bar, v_bar, w, v),
        lambda x_dot: eigh_tangent(x_dot, w, v),
    )


@rule(np.linalg.eigh, ndim=(2,), samples=[Sample((3, 3), 0.5, 2.0, definite=True)], of_complex=True)
def eigh_of_complex(x):
    """Eigenvalues and eigenvectors of a Hermitian matrix, likewise. The vectors keep the phase of their first entry, which is real."""
    w, v = np.linalg.eigh(x)
    return (
        (w, v),
        lambda w_bar, v_bar: eigh_pullback_of_complex(w_bar, v_bar, w, v),
        lambda x_dot: eigh_tangent_of_complex(x_dot, w, v),
    )


@rule(np.linalg.eig, real_eig, ndim=(2,), samples=[Sample((3, 3), 0.5, 2.0, definite=True)])
def eig(x):
    """Eigenvalues and eigenvectors of a matrix of which all are real. The vectors keep their length.

    If eigenvalues are equal up to rounding, or the vectors are so near to each other that no digits are left, the adjoint is nan. It is
    not where the result depends on equal eigenvalues alike, and on none of their vectors.
    """
    w, v = np.linalg.eig(x)
    return (
        (w, v),
        lambda w_bar, v_bar: eig_pullback(w_bar, v_bar, w, v),
        lambda x_dot: eig_tangent(x_dot, w, v),
    )


@rule(np.linalg.eig, ndim=(2,), samples=[SQUARE], of_complex=True)
def eig_of_complex(x):
    """Eigenvalues and eigenvectors, likewise. The vectors keep their length and the phase of their largest entry, which is real."""
    w, v = np.linalg.eig(x)
    return (
        (w, v),
        lambda w_bar, v_bar: eig_pullback(w_bar, v_bar, w, v),
        lambda x_dot: eig_tangent(x_dot, w, v),
    )


@rule(np.linalg.eigvals, real_eigvals, ndim=(2,), samples=[Sample((3, 3), 0.5, 2.0, definite=True)])
def eigvals(x):
    """Eigenvalues of a matrix of which all are real. If some are equal, the adjoint is nan unless the result depends on them alike."""
    w = np.linalg.eigvals(x)
    return w, lambda w_bar: eigvals_pullback(w_bar, x, w), lambda x_dot: eigvals_tangent(x_dot, x, w)


@rule(np.linalg.eigvals, ndim=(2,), samples=[SQUARE], of_complex=True)
def eigvals_of_complex(x):
    """Eigenvalues, likewise."""
    w = np.linalg.eigvals(x)
    return w, lambda w_bar: eigvals_pullback(w_bar, x, w), lambda x_dot: eigvals_tangent(x_dot, x, w)


@rule(np.roots, real_roots, ndim=(1,), samples=[FixedSample(np.array([1.0, -6.5, 11.0, -3.9]))])
def roots(p):
    """Roots of a polynomial of which all are real. The adjoint is nan at a root that is a multiple one."""
    w = np.roots(p)
    return w, lambda w_bar: roots_pullback(w_bar, p, w), lambda p_dot: roots_tangent(p_dot, p, w)


@rule(np.roots, complex_roots, ndim=(1,), samples=[LONG], of_complex=True)
def roots_of_complex(p):
    """Roots of a polynomial, likewise."""
    w = np.roots(p)
    return w, lambda w_bar: roots_pullback(w_bar, p, w), lambda p_dot: roots_tangent(p_dot, p, w)


@constant(turns, turn_or_shift, samples=[Sample((4, 2)), Sample((4, 2)), Sample(())])
def depends_on_turning(vectors, vectors_bar):
    """Whether a result depends on how the columns of a matrix are turned into one another."""


@constant(unlike, samples=[VECTOR, VECTOR, FixedSample(True)])
def cotangents_of_equal_values(w_bar, w, at_zero):
    """How far the cotangents of equal values differ."""


@constant(apart, samples=[VECTOR, FixedSample(True)])
def values_that_differ(w, at_zero):
    """Whether no two values are equal."""


@constant(order_alike, samples=[VECTOR, VECTOR])
def nearest_places(w, found):
    """The places of the nearest numbers."""


@rule(np.linalg.svd, static=["full_matrices"], ndim=(2,), samples=[Sample((4, 3)), FixedSample(False)])
def svd(x, full_matrices=True):
    """Singular values and vectors: all of them, or those of the values.

    If singular values are equal up to rounding, or zero, a result that depends on their vectors has the adjoint nan. One that
    depends on vectors without values, if there are several, by more than the space that they span, raises LinAlgError in reverse
    mode; forward mode takes them to turn as little as possible.
    """
    u, s, vt = np.linalg.svd(x, full_matrices)
    return (
        (u, s, vt),
        lambda u_bar, s_bar, vt_bar: svd_pullback(u_bar, s_bar, vt_bar, u, s, vt),
        lambda x_dot: svd_tangent(x_dot, u, s, vt),
    )


@rule(
    np.linalg.svd,
    static=["full_matrices"],
    ndim=(2,),
    samples=[Sample((4, 3)), FixedSample(False)],
    of_complex=True,
)
def svd_of_complex(x, full_matrices=True):
    """Singular values and vectors, likewise. The vectors of the shorter side keep the phase of their first entry, which is real."""
    u, s, vt = np.linalg.svd(x, full_matrices)
    return (
        (u, s, vt),
        lambda u_bar, s_bar, vt_bar: svd_pullback_of_complex(u_bar, s_bar, vt_bar, u, s, vt),
        lambda x_dot: svd_tangent_of_complex(x_dot, u, s, vt),
    )


@rule(nuclear_norm, ndim=(2,), samples=[Sample((4, 3))])
def nuclear(x):
    """Sum of the singular values."""
    y = nuclear_norm(x)
    return y, lambda y_bar: y_bar * polar_factor(x), lambda x_dot: np.sum(polar_factor(x) * x_dot)


@rule(polar_factor, ndim=(2,), samples=[Sample((4, 3))])
def polar(x):
    """Nearest matrix with orthonormal columns. Its derivative is symmetric; it needs full rank, else it is nan."""
    y = polar_factor(x)
    return y, lambda y_bar: polar_factor_along(y_bar, x), lambda x_dot: polar_factor_along(x_dot, x)


@rule(nuclear_norm, ndim=(2,), samples=[Sample((4, 3))], of_complex=True)
def nuclear_of_complex(x):
    """Sum of the singular values, likewise."""
    y = nuclear_norm(x)
    return (
        y,
        lambda y_bar: y_bar * np.conj(polar_factor(x)),
        lambda x_dot: np.sum(np.real(np.conj(polar_factor(x)) * x_dot)),
    )


@rule(polar_factor, ndim=(2,), samples=[Sample((4, 3))], of_complex=True)
def polar_of_complex(x):
    """Nearest matrix with orthonormal columns, likewise."""
    y = polar_factor(x)
    return (
        y,
        lambda y_bar: np.conj(polar_factor_along(np.conj(y_bar), x)),
        lambda x_dot: polar_factor_along(x_dot, x),
    )


@rule(np.linalg.qr, ndim=(2,), samples=[Sample((4, 3))])
def qr(x):
    """Orthogonal and triangular factor."""
    q, r = np.linalg.qr(x)
    return (
        (q, r),
        lambda q_bar, r_bar: qr_pullback(q_bar, r_bar, x, q, r),
        lambda x_dot: qr_tangent(x_dot, q, r),
    )


@rule(np.linalg.qr, ndim=(2,), samples=[Sample((4, 3))], of_complex=True)
def qr_of_complex(x):
    """Unitary and triangular factor, whose diagonal is real."""
    q, r = np.linalg.qr(x)
    return (
        (q, r),
        lambda q_bar, r_bar: qr_pullback_of_complex(q_bar, r_bar, x, q, r),
        lambda x_dot: qr_tangent_of_complex(x_dot, q, r),
    )


@rule(np.linalg.slogdet, small_slogdet, ndim=(2,), samples=[SQUARE])
def slogdet(x):
    """Sign and logarithm of the determinant; the sign carries no derivative."""
    sign, logdet = np.linalg.slogdet(x)
    return (
        (sign, logdet),
        lambda sign_bar, logdet_bar: logdet_bar * np.linalg.inv(x).T,
        lambda x_dot: (None, np.sum(np.linalg.inv(x).T * x_dot)),
    )


@rule(np.linalg.slogdet, ndim=(2,), samples=[SQUARE], of_complex=True)
def slogdet_of_complex(x):
    """Sign, which is a number of length 1, and logarithm of the length of the determinant."""
    sign, logdet = np.linalg.slogdet(x)
    return (
        (sign, logdet),
        lambda sign_bar, logdet_bar: (logdet_bar + 1.0j * np.imag(sign_bar * sign)) * np.linalg.inv(x).T,
        lambda x_dot: (
            1.0j * sign * np.imag(np.sum(np.linalg.inv(x).T * x_dot)),
            np.real(np.sum(np.linalg.inv(x).T * x_dot)),
        ),
    )


@rule(np.linalg.pinv, ndim=(2,), samples=[Sample((4, 3))])
def pinv(x):
    """Pseudoinverse, for changes that keep the rank."""
    y = np.linalg.pinv(x)
    return (
        y,
        lambda y_bar: pinv_pullback(y_bar, x, y),
        lambda x_dot: pinv_tangent(x_dot, x, y),
    )


@rule(np.linalg.pinv, ndim=(2,), samples=[Sample((4, 3))], of_complex=True)
def pinv_of_complex(x):
    """Pseudoinverse, for changes that keep the rank."""
    y = np.linalg.pinv(x)
    return (
        y,
        lambda y_bar: pinv_pullback_of_complex(y_bar, x, y),
        lambda x_dot: pinv_tangent_of_complex(x_dot, x, y),
    )


@constant(is_not_positive_definite, is_singular)
def fails(x):
    """Whether `np.linalg` cannot factorise, or invert, a matrix."""
