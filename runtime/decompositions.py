"""Adjoints of the decompositions of matrices.

Singular vectors and eigenvectors are unique up to a sign or a phase where the values differ, and up to a rotation where they
agree. Where values agree to rounding, only what depends on no vector of theirs has a derivative here: that of anything
else is a limit that the vectors do not tell, and comes out as nan.
"""

from __future__ import annotations

import numpy as np

from backsweep.runtime.linalg import diagonal_of_values
from backsweep.runtime.support.compiled import declared, kernel, shaped_like


@kernel
def undetermined(one, other):
    """The value for a quotient of two zeros: zero if both numerators are zero, with nan as its derivative; else nan."""
    if one == 0.0 and other == 0.0:
        return np.sqrt(np.abs(one) + np.abs(other))
    return np.nan


OF_NO_VALUE = (
    "the result depends on the single vectors of np.linalg.svd that have no singular values; the matrix tells only the space "
    "that these span: take np.linalg.svd(x, full_matrices=False), or use of them what does not turn with them, as u[:, k:] @ u[:, k:].T"
)
"""Why vectors without singular values have no derivative each for itself, and what has one."""
OF_NO_COMPLEX_VALUE = OF_NO_VALUE.replace("u[:, k:].T", "u[:, k:].conj().T")
"""The same of complex vectors."""


@kernel
def unlike(w_bar, w, at_zero) -> float:
    """How far the cotangents of equal values of a decomposition differ; where `at_zero`, those of values that are zero count, too."""
    rounding = w.size * np.finfo(w.dtype).eps * np.sum(np.abs(w))
    found = 0.0
    for i in range(w.size):
        if at_zero and np.abs(w[i]) <= rounding:
            found += np.abs(w_bar[i])
        for j in range(i):
            if np.abs(w[i] - w[j]) <= rounding:
                found += np.abs(w_bar[i] - w_bar[j])
    return found


@kernel
def apart(w, at_zero) -> float:
    """0 if two values of a decomposition are equal or, where `at_zero`, one is zero; else 1."""
    rounding = w.size * np.finfo(w.dtype).eps * np.sum(np.abs(w))
    for i in range(w.size):
        if at_zero and np.abs(w[i]) <= rounding:
            return 0.0
        for j in range(i):
            if np.abs(w[i] - w[j]) <= rounding:
                return 0.0
    return 1.0


@kernel
def turns(vectors, vectors_bar, scale) -> bool:
    """Whether a result changes if the columns of a matrix, which are unique only up to a rotation, are rotated.

    The change is compared with `scale`, all that the result takes from the decomposition: what it takes from the columns
    may cancel, and then their adjoints are rounding errors.
    """
    turned = vectors.T @ vectors_bar
    rounding = 8 * vectors.shape[0] * np.finfo(vectors.dtype).eps * scale
    for i in range(turned.shape[0]):
        for j in range(i):
            if np.abs(turned[i, j] - turned[j, i]) > rounding:
                return True
    return False


@shaped_like("v")
@kernel
def eigh_pullback(w_bar, v_bar, w, v):
    """The adjoint of `x` where `w, v = np.linalg.eigh(x)`, which reads the lower triangle only."""
    turned = v.T @ v_bar
    inner = np.zeros_like(turned)
    rounding = w.size * np.finfo(w.dtype).eps * np.sum(np.abs(w))
    for i in range(w.size):
        for j in range(w.size):
            if i == j:
                inner[i, i] = w_bar[i]
            elif np.abs(w[j] - w[i]) <= rounding:
                inner[i, j] = undetermined(turned[i, j], turned[j, i])
            else:
                inner[i, j] = turned[i, j] / (w[j] - w[i])
    whole = v @ inner @ v.T
    x_bar = np.zeros_like(whole)
    for i in range(w.size):
        x_bar[i, i] = whole[i, i]
        for j in range(i):
            x_bar[i, j] = whole[i, j] + whole[j, i]
    return x_bar


@declared(shapes=["(m,j),(k),(l,n),(m,j),(k),(l,n)->(m,n)"])
@kernel
def svd_pullback(u_bar, s_bar, vt_bar, u, s, vt):
    """The adjoint of `x` where `u, s, vt = np.linalg.svd(x)`, full or reduced."""
    k = s.size
    left, left_bar = np.ascontiguousarray(u[:, :k]), np.ascontiguousarray(u_bar[:, :k])
    right, right_bar = np.ascontiguousarray(vt[:k]), np.ascontiguousarray(vt_bar[:k])
    rest, rest_bar = np.ascontiguousarray(u[:, k:]), np.ascontiguousarray(u_bar[:, k:])
    below, below_bar = np.ascontiguousarray(vt[k:]), np.ascontiguousarray(vt_bar[k:])
    turned_left = left.T @ left_bar
    turned_right = right @ right_bar.T
    # What leaves the span of the leading vectors, and turns those into the others.
    out_left = left_bar - left @ turned_left - rest @ (rest_bar.T @ left)
    out_right = right_bar - turned_right.T @ right - (right @ below_bar.T) @ below
    inner = np.zeros_like(turned_left)
    rounding = k * np.finfo(s.dtype).eps * np.sum(s)
    for i in range(k):
        for j in range(k):
            swing_left = turned_left[i, j] - turned_left[j, i]
            swing_right = turned_right[i, j] - turned_right[j, i]
            if i == j:
                inner[i, i] = s_bar[i]
            elif np.abs(s[j] - s[i]) <= rounding:
                # The swings of a function such as (u * h(s)) @ vt cancel out here, and so does what they are divided by
                inner[i, j] = undetermined(turned_left[i, j], turned_left[j, i])
                inner[i, j] += undetermined(turned_right[i, j], turned_right[j, i])
            else:
                inner[i, j] = (swing_left * s[j] + swing_right * s[i]) / ((s[j] - s[i]) * (s[j] + s[i]))
        for j in range(out_left.shape[0]):
            out_left[j, i] = out_left[j, i] / s[i] if s[i] > rounding else undetermined(out_left[j, i], 0.0)
        for j in range(out_right.shape[1]):
            out_right[i, j] = (
                out_right[i, j] / s[i] if s[i] > rounding else undetermined(out_right[i, j], 0.0)
            )
    # The matrix does not tell where the vectors without singular values lie in the space that they span
    scale = np.sum(np.abs(u_bar)) + np.sum(np.abs(s_bar) * s) + np.sum(np.abs(vt_bar))
    turned_below = turns(np.ascontiguousarray(below.T), np.ascontiguousarray(below_bar.T), scale)
    if turns(rest, rest_bar, scale) or turned_below:
        raise np.linalg.LinAlgError(OF_NO_VALUE)
    return (left @ inner + out_left) @ right + left @ out_right


@kernel
def nuclear_norm(x):
    """The sum of the singular values of a matrix."""
    if x.size == 0:
        return np.sum(np.abs(x))
    _, s, _ = np.linalg.svd(x, False)
    return np.sum(s)


@shaped_like("x")
@kernel
def polar_factor(x):
    """The matrix with orthonormal columns, or rows, that is nearest to `x`: the gradient of the sum of its singular values.

    A singular value of zero adds nothing: there, as where `abs` is at zero, the derivative is taken to be zero.
    """
    if x.size == 0:
        return np.empty(x.shape, np.linalg.svd(np.ones((1, 1), x.dtype), False)[0].dtype)
    u, s, vt = np.linalg.svd(x, False)
    rounding = s.size * np.finfo(s.dtype).eps * np.sum(s)
    for i in range(s.size):
        if s[i] <= rounding:
            u[:, i] = 0.0
    return u @ vt


@shaped_like("x")
@kernel
def polar_factor_along(direction, x):
    """The derivative of `polar_factor` in a direction, for a matrix of full rank; as a linear map of reals it is its own adjoint.

    It divides by sums of singular values, so it is right where these are equal.
    """
    if x.size == 0:
        return np.zeros(x.shape, x.dtype)
    u, s, vt = np.linalg.svd(x, False)
    back = np.conj(u.T)
    down, across = direction @ np.conj(vt.T), back @ direction
    turned = back @ down
    inner = np.zeros_like(turned)
    out_left, out_right = down - u @ turned, across - turned @ vt
    rounding = s.size * np.finfo(s.dtype).eps * np.sum(s)
    for i in range(s.size):
        for j in range(s.size):
            swing = turned[i, j] - np.conj(turned[j, i])
            inner[i, j] = swing / (s[i] + s[j]) if s[i] + s[j] > rounding else undetermined(swing, 0.0)
        if s[i] > rounding:
            out_left[:, i] /= s[i]
            out_right[i] /= s[i]
        else:
            out_left[:, i] *= np.nan
            out_right[i] *= np.nan
    return (u @ inner + out_left) @ vt + u @ out_right


DEPENDENT = (
    "leave out the columns that others make: where leading columns depend on one another, np.linalg.qr jumps, "
    "which has no derivative"
)


@kernel
def need_rank(square) -> None:
    """Raise where a triangular factor is singular up to rounding."""
    lengths = np.abs(np.diag(square))
    for i in range(lengths.size):
        if lengths[i] <= lengths.size * np.finfo(lengths.dtype).eps * np.max(lengths):
            raise np.linalg.LinAlgError(DEPENDENT)


@shaped_like("x")
@kernel
def qr_pullback(q_bar, r_bar, x, q, r):
    """The adjoint of `x` where `q, r = np.linalg.qr(x)`; its first columns, as many as `q` has, must have full rank."""
    k = q.shape[1]
    square = np.ascontiguousarray(r[:, :k])
    need_rank(square)
    square_bar = np.triu(r_bar[:, :k])
    beside_bar = np.ascontiguousarray(r_bar[:, k:])
    whole_bar = q_bar + np.ascontiguousarray(x[:, k:]) @ beside_bar.T
    inner = square @ square_bar.T - whole_bar.T @ q
    for i in range(k):
        for j in range(i):
            inner[j, i] = inner[i, j]
    x_bar = np.zeros_like(x)
    x_bar[:, :k] = np.linalg.solve(square, (whole_bar + q @ inner).T).T
    x_bar[:, k:] = q @ beside_bar
    return x_bar


@shaped_like("x")
@kernel
def pinv_pullback(y_bar, x, y):
    """The adjoint of `x` where `y = np.linalg.pinv(x)`, for changes that keep the rank."""
    turned = y_bar.T
    left = turned - x @ (y @ turned)
    right = turned - (turned @ y) @ x
    return left @ (y @ y.T) + (y.T @ y) @ right - y.T @ y_bar @ y.T


_GIVE_COMPLEX = (
    "the results are complex, and compiled code knows their type before; give x.astype(np.complex128)"
)


@kernel
def real_eig(x):
    """`np.linalg.eig` of a real matrix, which compiled code has for real eigenvalues alone."""
    w, v = np.linalg.eig(x)
    if np.any(np.imag(w) != 0.0):
        raise ValueError("eig() argument must not cause a domain change: " + _GIVE_COMPLEX)
    return np.real(w), np.real(v)


@kernel
def real_eigvals(x):
    """`np.linalg.eigvals` of a real matrix, which compiled code has for real eigenvalues alone."""
    w = np.linalg.eigvals(x)
    if np.any(np.imag(w) != 0.0):
        raise ValueError("eigvals() argument must not cause a domain change: " + _GIVE_COMPLEX)
    return np.real(w)


@kernel
def real_roots(p):
    """`np.roots` of real coefficients, which compiled code has for real roots alone."""
    w = np.roots(p)
    if np.any(np.imag(w) != 0.0):
        raise ValueError("roots() argument must not cause a domain change: " + _GIVE_COMPLEX)
    return np.real(w)


@kernel
def complex_roots(p):
    """`np.roots` of complex coefficients, of which NumPy returns floats where all roots are zero."""
    return np.roots(p).astype(p.dtype)


@kernel
def polynomial_slope(p, x):
    """The derivative of a polynomial at a number; nan where it is zero."""
    value, slope = 0.0 * x, 0.0 * x
    for k in range(p.size):
        slope = slope * x + value
        value = value * x + p[k]
    return slope if slope != 0.0 else slope + np.nan


@shaped_like("p")
@kernel
def roots_pullback(w_bar, p, w):
    """The adjoint of the coefficients where `w = np.roots(p)`; nan where a root is a multiple one."""
    p_bar = np.zeros_like(p)
    for i in range(w.size):
        term = -w_bar[i] / polynomial_slope(p, w[i])
        for k in range(p.size - 1, -1, -1):
            p_bar[k] += term
            term = term * w[i]
    return p_bar


@shaped_like("w")
@kernel
def roots_tangent(p_dot, p, w):
    """The tangent of `w = np.roots(p)`."""
    w_dot = np.empty_like(w)
    for i in range(w.size):
        value = 0.0 * w[i]
        for k in range(p.size):
            value = value * w[i] + p_dot[k]
        w_dot[i] = -value / polynomial_slope(p, w[i])
    return w_dot


DEFECTIVE = 1e12
"""How large the product of the sums of the entries of eigenvectors and of their inverse may be, before no digits are left of a derivative."""


@shaped_like("v")
@kernel
def eig_pullback(w_bar, v_bar, w, v):
    """The adjoint of `x` where `w, v = np.linalg.eig(x)`: columns have the length 1, and the phase of their largest entry stays.

    Where eigenvalues are equal, only what depends on them alike, and on none of their vectors, has a derivative.
    """
    held = np.zeros_like(v)
    for j in range(w.size):
        along = np.sum(v_bar[:, j] * v[:, j])
        largest = np.argmax(np.abs(v[:, j]))
        held[:, j] = v_bar[:, j] - 0.5 * (along + np.conj(along)) * np.conj(v[:, j])
        held[largest, j] -= 0.5 * (along - np.conj(along)) / v[largest, j]
    inverse = np.linalg.inv(v)
    turned = v.T @ held
    inner = np.zeros_like(turned)
    rounding = w.size * np.finfo(w.dtype).eps * np.sum(np.abs(w))
    for i in range(w.size):
        inner[i, i] = w_bar[i]
        for j in range(w.size):
            if i != j and np.abs(w[j] - w[i]) <= rounding:
                alike = np.abs(w_bar[i] - w_bar[j]) <= 1e-8 * (np.abs(w_bar[i]) + np.abs(w_bar[j]))
                of_vectors = np.sum(np.abs(v_bar[:, i])) + np.sum(np.abs(v_bar[:, j]))
                inner[i, j] = undetermined(of_vectors, 0.0) if alike else np.nan
            elif i != j:
                inner[i, j] = turned[i, j] / (w[j] - w[i])
    if not np.sum(np.abs(inverse)) * np.sum(np.abs(v)) <= DEFECTIVE:
        inner[:] = np.nan
    return inverse.T @ inner @ v.T


@shaped_like("w")
@kernel
def order_alike(w, found):
    """For each of the numbers that were found, the place of the nearest one of `w` that is not taken yet."""
    places = np.zeros(w.size, np.int64)
    taken = np.zeros(w.size, np.bool_)
    for i in range(w.size):
        best = -1
        for j in range(w.size):
            if not taken[j] and (best < 0 or np.abs(found[i] - w[j]) < np.abs(found[i] - w[best])):
                best = j
        places[i] = best
        taken[best] = True
    return places


@shaped_like("x")
@kernel
def eigvals_pullback(w_bar, x, w):
    """The adjoint of `x` where `w = np.linalg.eigvals(x)`; LAPACK may have them in another order where it finds vectors, too."""
    found, v = np.linalg.eig(x)
    places = order_alike(w, found)
    sorted_bar = np.zeros_like(w_bar)
    for i in range(w.size):
        sorted_bar[i] = w_bar[places[i]]
    return eig_pullback(sorted_bar, np.zeros_like(v), found, v)


# Of complex matrices. An adjoint is the derivative by the real part less i times that by the imaginary part.


@kernel
def of_phases(turning, reference, scale, vectors):
    """What is added to the adjoints of some entries, one of each vector, that LAPACK keeps real.

    The imaginary part of `turning` says how a result changes with the phase of each vector: not at all, against `scale`, or
    these entries must be real.
    """
    added = np.zeros_like(reference)
    rounding = 64 * np.finfo(vectors.dtype).eps
    for i in range(reference.size):
        phase = np.imag(turning[i])
        if np.abs(phase) > rounding * scale:
            real = np.abs(np.imag(reference[i])) <= rounding and np.abs(reference[i]) > rounding
            added[i] = -1.0j * phase / np.real(reference[i]) if real else np.nan
    return added


@shaped_like("whole")
@kernel
def lower_only(whole):
    """The adjoint of a Hermitian matrix as that of its lower triangle, which alone is read; the diagonal is real."""
    x_bar = np.zeros_like(whole)
    for i in range(whole.shape[0]):
        x_bar[i, i] = np.real(whole[i, i])
        for j in range(i):
            x_bar[i, j] = whole[i, j] + np.conj(whole[j, i])
    return x_bar


@shaped_like("v")
@kernel
def eigh_pullback_of_complex(w_bar, v_bar, w, v):
    """The adjoint of a Hermitian `x` where `w, v = np.linalg.eigh(x)`, which reads the lower triangle only.

    LAPACK's vectors begin with a real number. A result that depends on their phases is nan if they do not.
    """
    held = v_bar.copy()
    held[0] += of_phases(np.sum(v * v_bar, 0), v[0].copy(), np.sum(np.abs(v_bar)), v)
    turned = v.T @ held
    inner = np.zeros_like(turned)
    rounding = w.size * np.finfo(w.dtype).eps * np.sum(np.abs(w))
    for i in range(w.size):
        for j in range(w.size):
            if i == j:
                inner[i, i] = w_bar[i]
            elif np.abs(w[j] - w[i]) <= rounding:
                inner[i, j] = undetermined(np.abs(turned[i, j]), np.abs(turned[j, i]))
            else:
                inner[i, j] = turned[i, j] / (w[j] - w[i])
    return lower_only(np.conj(v) @ inner @ v.T)


@shaped_like("x")
@kernel
def eigvalsh_pullback_of_complex(w_bar, x):
    """The adjoint of a Hermitian `x` where `w = np.linalg.eigvalsh(x)`, which reads the lower triangle only."""
    w, v = np.linalg.eigh(x)
    inner = diagonal_of_values(w_bar, w)
    return lower_only(np.conj(v) @ (inner + 1j * (inner - np.diag(w_bar))).astype(v.dtype) @ v.T)


@declared(shapes=["(m,j),(k),(l,n),(m,j),(k),(l,n)->(m,n)"])
@kernel
def svd_pullback_of_complex(u_bar, s_bar, vt_bar, u, s, vt):
    """The adjoint of a complex `x` where `u, s, vt = np.linalg.svd(x)`, full or reduced.

    LAPACK's vectors of the shorter side begin with a real number. A result that depends on their phases is nan if they do not.
    """
    k = s.size
    left, left_bar = np.ascontiguousarray(u[:, :k]), u_bar[:, :k].copy()
    right, right_bar = np.ascontiguousarray(vt[:k]), vt_bar[:k].copy()
    rest, rest_bar = np.ascontiguousarray(u[:, k:]), np.ascontiguousarray(u_bar[:, k:])
    below, below_bar = np.ascontiguousarray(vt[k:]), np.ascontiguousarray(vt_bar[k:])
    scale = np.sum(np.abs(u_bar)) + np.sum(np.abs(s_bar) * s) + np.sum(np.abs(vt_bar))
    turning = np.sum(left * left_bar, 0) + np.conj(np.sum(right * right_bar, 1))
    if left.shape[0] >= right.shape[1]:
        right_bar[:, 0] += np.conj(of_phases(turning, right[:, 0].copy(), scale, right))
    else:
        left_bar[0] += of_phases(turning, left[0].copy(), scale, left)
    turned_left = left.T @ left_bar
    turned_right = np.conj(right) @ np.conj(right_bar.T)
    # What leaves the span of the leading vectors, and turns those into the others.
    out_left = left_bar - np.conj(left) @ turned_left - np.conj(rest) @ np.conj(rest_bar.T @ left)
    out_right = (
        right_bar - np.conj(turned_right.T @ right) - (np.conj(right) @ np.conj(below_bar.T)) @ np.conj(below)
    )
    inner = np.zeros_like(turned_left)
    rounding = k * np.finfo(s.dtype).eps * np.sum(s)
    for i in range(k):
        for j in range(k):
            swing_left = turned_left[i, j] - np.conj(turned_left[j, i])
            swing_right = turned_right[i, j] - np.conj(turned_right[j, i])
            if i == j:
                phase = 0.5 * swing_left  # i times the imaginary part
                inner[i, i] = s_bar[i] + (
                    phase / s[i] if s[i] > rounding else undetermined(np.abs(phase), 0.0)
                )
            elif np.abs(s[j] - s[i]) <= rounding:
                inner[i, j] = undetermined(np.abs(turned_left[i, j]), np.abs(turned_left[j, i]))
                inner[i, j] += undetermined(np.abs(turned_right[i, j]), np.abs(turned_right[j, i]))
            else:
                inner[i, j] = (swing_left * s[j] + swing_right * s[i]) / ((s[j] - s[i]) * (s[j] + s[i]))
        for j in range(out_left.shape[0]):
            out_left[j, i] = (
                out_left[j, i] / s[i] if s[i] > rounding else undetermined(np.abs(out_left[j, i]), 0.0)
            )
        for j in range(out_right.shape[1]):
            out_right[i, j] = (
                out_right[i, j] / s[i] if s[i] > rounding else undetermined(np.abs(out_right[i, j]), 0.0)
            )
    # Nothing tells where the vectors without singular values lie in the space that they span.
    turned_below = turn_or_shift(np.ascontiguousarray(below.T), np.ascontiguousarray(below_bar.T), scale)
    if turn_or_shift(rest, rest_bar, scale) or turned_below:
        raise np.linalg.LinAlgError(OF_NO_COMPLEX_VALUE)
    return (np.conj(left) @ inner + out_left) @ np.conj(right) + np.conj(left) @ out_right


@kernel
def turn_or_shift(vectors, vectors_bar, scale) -> bool:
    """Whether a result changes if the columns of a complex matrix are rotated into one another or change their phases."""
    turned = vectors.T @ vectors_bar
    rounding = 8 * vectors.shape[0] * np.finfo(vectors.dtype).eps * scale
    for i in range(turned.shape[0]):
        for j in range(i + 1):
            if np.abs(turned[i, j] - np.conj(turned[j, i])) > rounding:
                return True
    return False


@shaped_like("x")
@kernel
def qr_pullback_of_complex(q_bar, r_bar, x, q, r):
    """The adjoint of a complex `x` where `q, r = np.linalg.qr(x)`, whose diagonal LAPACK keeps real; else it is nan."""
    k = q.shape[1]
    square = np.ascontiguousarray(r[:, :k])
    need_rank(square)
    square_bar = np.triu(r_bar[:, :k])
    beside_bar = np.ascontiguousarray(r_bar[:, k:])
    whole_bar = q_bar + np.conj(np.ascontiguousarray(x[:, k:]) @ beside_bar.T)
    inner = square @ square_bar.T - whole_bar.T @ q
    for i in range(k):
        inner[i, i] = np.real(inner[i, i]) if np.imag(r[i, i]) == 0.0 else np.nan
        for j in range(i):
            inner[j, i] = np.conj(inner[i, j])
    x_bar = np.zeros_like(x)
    x_bar[:, :k] = np.linalg.solve(square, (whole_bar + np.conj(q @ inner)).T).T
    x_bar[:, k:] = np.conj(q) @ beside_bar
    return x_bar


@shaped_like("x")
@kernel
def pinv_pullback_of_complex(y_bar, x, y):
    """The adjoint of a complex `x` where `y = np.linalg.pinv(x)`, for changes that keep the rank."""
    turned = np.ascontiguousarray(y_bar.T)
    left = turned - x @ (y @ turned)
    right = turned - (turned @ y) @ x
    # of the conjugate of `x` by way of y^H, and of `x` itself
    through = np.conj(left @ (y @ np.conj(y.T)) + (np.conj(y.T) @ y) @ right)
    return through - y.T @ y_bar @ y.T
