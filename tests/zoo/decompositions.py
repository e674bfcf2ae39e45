"""Decompositions of matrices, in functions that do not depend on the choice of signs and rotations."""

import numpy as np
import scipy.linalg

from tests.zoo.case import case, matrix, positive_definite, transposed, vector

WEIGHTS = np.arange(1.0, 10.0).reshape(3, 3)


@case(positive_definite(3))
def cholesky_factor(a):
    lower = np.linalg.cholesky(a)
    return np.sum(lower * WEIGHTS) + 2.0 * np.sum(np.log(np.diag(lower)))


@case(positive_definite(3), vector(3))
def eigenvectors(a, x):
    w, v = np.linalg.eigh(a)
    return np.sum(np.log(w)) + np.sum((v.T @ x) ** 2 * w**1.5)


@case(positive_definite(3), vector(3))
def eigenvectors_in_a_loop(a, x):
    s = 0.0
    for t in range(3):
        w, v = np.linalg.eigh(a * (1.0 + t))
        v[:, 0] *= 2.0
        s += np.sum((v.T @ x) ** 2) * w[t]
        x = x * 0.5 + v[:, 2] * v[0, 2]
    return s


@case(positive_definite(3), vector(3))
def whitened(a, x):
    parts = np.linalg.eigh(a)
    root = (parts[1] / np.sqrt(parts[0])) @ parts[1].T
    return np.sum((root @ x) ** 3) + np.sum(np.linalg.eigvalsh(a) ** 1.5)


@case(2.0 * np.eye(3))
def equal_eigenvalues(a):
    w, v = np.linalg.eigh(a)
    return np.sum(w**2) + np.sum((v * w) @ v.T * np.eye(3))


@case(matrix(4, 3), vector(4))
@case(transposed(3, 4), vector(3))
def singular_vectors(a, x):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return np.sum(s**1.5) + np.sum((u.T @ x) ** 2 * s) + np.sum((u * np.sqrt(s)) @ vt * a)


@case(matrix(4, 3), vector(4))
@case(matrix(3, 4), vector(3))
@case(matrix(3, 3), vector(3))
def full_singular_vectors(a, x):
    u, s, vt = np.linalg.svd(a)
    k = s.size
    span = u[:, :k] @ u[:, :k].T
    rest = u[:, 2:] @ u[:, 2:].T
    right = vt[2:].T @ vt[2:]
    total = np.sum(s**1.5) + x @ span @ x + np.sum((rest @ x) ** 2) + np.sum((right @ a.T) ** 2 * x)
    # `a` times what lies below is zero, which would hide that part of the adjoint
    return total + np.sum((right @ np.arange(1.0, a.shape[1] + 1.0)) ** 2)


@case(np.outer(np.array([1.0, 2.0, 3.0]), np.array([1.0, 0.5])), wrt=0)
def largest_singular_value(a):
    return np.linalg.svd(a)[1][0] ** 2


@case(matrix(4, 3), vector(4))
def least_squares_by_qr(a, b):
    q, r = np.linalg.qr(a)
    return np.sum(np.linalg.solve(r, q.T @ b) ** 2) + np.sum(np.log(np.abs(np.diag(r))))


@case(matrix(4, 3), vector(3))
@case(matrix(3, 4), vector(4))
@case(matrix(3, 3), vector(3))
def qr_factors(a, x):
    q, r = np.linalg.qr(a)
    return np.sum((r @ x) ** 2 * np.arange(1.0, 4.0)) + np.sum((q**2) * a[:, :3]) + np.sum(r[0] * r[0])


@case(matrix(3, 3) + 2.0 * np.eye(3))
def log_determinant(a):
    sign, value = np.linalg.slogdet(a)
    return sign * value**2 + np.linalg.slogdet(a)[1]


@case(np.zeros((0, 0)), vector(3))
@case(matrix(2, 2), vector(3))
def determinant_of_any_size(a, x):
    """A matrix without rows has the determinant 1."""
    return np.linalg.det(a) * np.sum(x * x)


@case(positive_definite(3), vector(3))
def gaussian_log_density(covariance, x):
    _, value = np.linalg.slogdet(covariance)
    return -0.5 * (x @ np.linalg.solve(covariance, x) + value)


@case(matrix(9, 9) + 3.0 * np.eye(9), matrix(9, 2), 2)
def systems_with_one_matrix(a, b, n):
    """The factors of a matrix serve all that asks for them, until it is written."""
    size = np.linalg.det(a)
    x = np.linalg.solve(a, b)
    total = np.sum(x**2) * size
    for k in range(n):
        x = np.linalg.solve(a.T, x)
        total += np.sum(x[k] ** 2) * np.sum(np.linalg.inv(a) ** 3)
    c = a.copy()
    before = np.linalg.solve(c, x)
    c[0, 1] = total / 10.0
    return total + np.sum(np.sin(before)) + np.sum(np.linalg.solve(c, x) ** 2)


@case(matrix(9, 9) + 3.0 * np.eye(9), matrix(9, 9) + 3.0 * np.eye(9), vector(9), 4)
@case(matrix(9, 9), matrix(9, 9), vector(9), 0)
def steps_with_one_matrix(a, b, u, n):
    """The factors of a matrix that no step changes are there before the steps; those of one that each step changes are not."""
    total = 0.0
    for k in range(n):
        u = np.linalg.solve(a, u)
        for _ in range(2):
            total += np.sum(np.linalg.solve(b.T, u) ** 2)
        if k > 1:
            b = b + np.outer(u, u)
        total += np.sum(u) / np.linalg.det(a)
    return total + np.sum(np.sin(u))


@case(matrix(9, 9) + 3.0 * np.eye(9), matrix(9, 2), 3)
def steps_of_written_sides(a, u, n):
    """What is written between two steps is laid out as the argument that it was may be."""
    for _ in range(n):
        u = np.linalg.solve(a, u)
        u[0] *= 2.0
    return np.sum(u * u) + np.sum(np.linalg.solve(a, u[:, ::2]) ** 2)


@case(vector(2), np.array([[4, 1], [1, 3]]), np.array([2, 5]))
def matrices_of_whole_numbers(x, a, b):
    """They are taken for floats."""
    y = scipy.linalg.solve_triangular(a, b, lower=True) + scipy.linalg.solve_banded((1, 0), a, b)
    y += (scipy.linalg.expm(a) + scipy.linalg.sqrtm(a) + scipy.linalg.logm(a)) @ b
    y += scipy.linalg.lu_solve(scipy.linalg.lu_factor(a), b) + np.sort(scipy.linalg.eigvals(a).real)
    y += scipy.linalg.polar(a)[1] @ b + scipy.linalg.cholesky(a)[0] * scipy.linalg.norm(b)
    return np.sum(y * x**2)


@case(vector(2), np.array([[4, 1], [1, 3]], np.int32), np.array([True, True]))
def numpy_of_whole_numbers(x, a, b):
    """So they are by NumPy, but in powers."""
    w, v = np.linalg.eigh(a)
    y = np.linalg.inv(a) @ x + np.linalg.lstsq(a, x, rcond=None)[0] + np.linalg.pinv(a) @ b
    y += np.linalg.matrix_power(a, 5) @ x + np.linalg.matrix_power(a, -1) @ b + np.abs(v) @ w
    y += np.linalg.qr(a)[1] @ np.linalg.cholesky(a) @ np.linalg.svd(a)[1] * np.linalg.slogdet(a)[1]
    return np.sum(y * x**2) * np.linalg.norm(a) * np.linalg.norm(b, 3) * np.linalg.det(a + np.outer(x, x))


@case(matrix(4, 3), vector(4))
@case(matrix(3, 4), vector(3))
def pseudoinverse(a, b):
    return np.sum((np.linalg.pinv(a) @ b) ** 2)


@case(matrix(5, 2))
@case(matrix(4, 1))
@case(matrix(4, 3))
def space_of_vectors_without_values(a):
    """Where these vectors lie in the space that they span is not known, and not needed."""
    n = a.shape[1]
    u, s, _ = np.linalg.svd(a, True)
    v = u[:, n:]
    return np.sum((v @ v.T) ** 2 * np.arange(a.shape[0])) + np.sum(u[:, :n] ** 4) * np.sum(s)


@case(matrix(2, 2), positive_definite(2), 3)
def solution_left_by_a_loop(a, q, n):
    p = q.copy()
    for _ in range(n):
        f = np.linalg.solve(q, a)
        p = q + a.T @ (a - f)
    return f, p[0, 0]


@case(matrix(5, 3), vector(5))
@case(np.outer(np.array([1.0, 2.0, 3.0]), np.array([1.0, 0.5])), vector(3), wrt=1)
@case(matrix(3, 4), matrix(3, 2))
def least_squares_of_lower_rank(a, b):
    """Singular values below a part of the largest count as zero, and so do their vectors."""
    x, squares, rank, s = np.linalg.lstsq(a, b, 0.4)
    return np.sum(x * x) * rank + np.sum(s) + np.sum(squares)


@case(matrix(5, 3), matrix(5, 3)[::-1], vector(5))
@case(np.outer(np.array([1.0, 2.0, 3.0]), np.array([1.0, 0.5])), np.zeros((3, 2)), vector(3), wrt=2)
def complex_least_squares_of_lower_rank(re, im, b):
    """Likewise of complex numbers."""
    x, squares, rank, s = np.linalg.lstsq(re + 1j * im, b + 0.5j * b[::-1], 0.4)
    return np.sum(np.abs(x) ** 2) * rank + np.sum(s) + np.sum(squares)


@case(matrix(4, 1))
@case(matrix(4, 2))
@case(matrix(2, 4))
def spaces_of_complex_vectors_without_values(a):
    """What the vectors without singular values span, to which side they may be, leans against the others as these turn."""
    u, s, vt = np.linalg.svd(a * (1.0 + 0.3j) + 1j * a**2)
    k = s.size
    left = u[:, k:] @ np.conj(u[:, k:]).T
    right = np.conj(vt[k:]).T @ vt[k:]
    both = np.sum(left.real * np.arange(left.size).reshape(left.shape)) + np.sum(
        right.imag[0] * right.real[0] ** 2
    )
    return both + left[0, -1].imag * s[0]
