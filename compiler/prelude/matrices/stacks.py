"""Linear algebra of stacks of matrices: each matrix by itself. Compiled code has one matrix, and fewer options."""

from __future__ import annotations

import numpy as np

from backsweep.prelude.declare import (
    as_floats,
    computed,
    core,
    has_array,
    is_complex,
    is_known,
    means,
    refuse,
)


def _as_matrices(a):
    """What is given as matrices: a list becomes an array, and whole numbers of a stack become floats."""
    a = a if has_array(a) else np.asarray(a)
    return as_floats(a) if np.ndim(a) > 2 else a


def _is_flagged(name: str, value):
    """A flag that decides what the result is."""
    if not is_known(value):
        refuse(
            f"`{name}=` is known only when the program runs, but it decides how many axes the result has",
            f"write {name}=True or {name}=False",
            "BS301",
        )
    return value


def _each(function, a, *results):
    """What a function gives of each matrix of a stack: `results` are its parts, each with its extents and its dtype."""
    matrices = _in_one_row(a)
    ys = tuple([np.empty((len(matrices), *extents), kind) for extents, kind in results])
    for k in range(len(matrices)):
        found = function(np.ascontiguousarray(matrices[k]))
        for place, y in enumerate(ys):
            y[k] = found[place] if len(results) > 1 else found
    lead = a.shape[:-2]
    stacks = tuple([y if len(lead) == 1 else np.reshape(y, (*lead, *y.shape[1:])) for y in ys])
    return stacks if len(results) > 1 else stacks[0]


def _in_one_row(a):
    """The matrices of a stack along one axis."""
    if a.ndim == 3:
        return a
    return np.reshape(np.ascontiguousarray(a), (_product(a.shape[:-2]), *a.shape[-2:]))


def _product(extents):
    """The product of numbers that are written out."""
    return extents[0] if len(extents) == 1 else extents[0] * _product(extents[1:])


def _turned(a):
    """The conjugate transposes of matrices."""
    turned = np.swapaxes(a, -2, -1) if a.ndim > 2 else a.T
    return np.conj(turned) if is_complex(a) else turned


def _real(a):
    """The dtype of the absolute values."""
    return np.real(a).dtype


def _shorter(a):
    """The number of rows or columns, whichever are fewer."""
    return min(a.shape[-2], a.shape[-1])


@means(np.linalg.inv)
def inv(a):
    """Inverses."""
    a = _as_matrices(a)
    return core(np.linalg.inv)(a) if a.ndim < 3 else _each(np.linalg.inv, a, (a.shape[-2:], a.dtype))


@means(np.linalg.cholesky)
def cholesky(a, upper=False):
    """Cholesky's factors."""
    a = _as_matrices(a)
    if upper:
        return _turned(np.linalg.cholesky(_turned(a)))
    return (
        core(np.linalg.cholesky)(a) if a.ndim < 3 else _each(np.linalg.cholesky, a, (a.shape[-2:], a.dtype))
    )


@means(np.linalg.det)
def det(a):
    """Determinants."""
    a = _as_matrices(a)
    return core(np.linalg.det)(a) if a.ndim < 3 else _each(np.linalg.det, a, ((), a.dtype))


@means(np.linalg.slogdet)
def slogdet(a):
    """Signs and logarithms of determinants."""
    a = _as_matrices(a)
    if a.ndim < 3:
        return core(np.linalg.slogdet)(a)
    return _each(np.linalg.slogdet, a, ((), a.dtype), ((), _real(a)))


def _of_lower(a, triangle):
    """Matrices of which the lower triangle says what the named one does."""
    return _turned(a) if triangle in ("U", "u") else a


@means(np.linalg.eigvalsh)
def eigvalsh(a, UPLO="L"):
    """Eigenvalues of symmetric matrices."""
    a = _of_lower(_as_matrices(a), UPLO)
    if a.ndim < 3:
        return core(np.linalg.eigvalsh)(a)
    return _each(core(np.linalg.eigvalsh), a, (a.shape[-1:], _real(a)))


@means(np.linalg.eigh)
def eigh(a, UPLO="L"):
    """Eigenvalues and eigenvectors of symmetric matrices."""
    a = _of_lower(_as_matrices(a), UPLO)
    if a.ndim < 3:
        return core(np.linalg.eigh)(a)
    return _each(core(np.linalg.eigh), a, (a.shape[-1:], _real(a)), (a.shape[-2:], a.dtype))


@means(np.linalg.eig)
def eig(a):
    """Eigenvalues and eigenvectors."""
    a = _as_matrices(a)
    if a.ndim < 3:
        return core(np.linalg.eig)(a)
    return _each(core(np.linalg.eig), a, (a.shape[-1:], a.dtype), (a.shape[-2:], a.dtype))


@means(np.linalg.eigvals)
def eigvals(a):
    """Eigenvalues."""
    a = _as_matrices(a)
    return core(np.linalg.eigvals)(a) if a.ndim < 3 else _each(np.linalg.eigvals, a, (a.shape[-1:], a.dtype))


def _by_lower(a):
    """Symmetric matrices with the lower triangles of others."""
    below = np.tril(a, -1)
    if is_complex(a):
        return below + _turned(below) + np.tril(np.triu(np.real(a)))
    return np.tril(a) + _turned(below)


@means(np.linalg.svd)
def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """Singular values and vectors."""
    a = _as_matrices(a)
    whole, with_vectors = _is_flagged("full_matrices", full_matrices), _is_flagged("compute_uv", compute_uv)
    if _is_flagged("hermitian", hermitian):
        return _svd_of_symmetric(a, whole, with_vectors)
    if a.ndim < 3:
        return core(np.linalg.svd)(a, whole) if with_vectors else core(np.linalg.svd)(a, False)[1]
    values = ((_shorter(a),), _real(a))
    if not with_vectors:
        return _each(lambda m: np.linalg.svd(m, False, False), a, values)
    rows, columns = a.shape[-2:]
    left = (rows, rows if whole else _shorter(a))
    right = (columns if whole else _shorter(a), columns)
    return _each(lambda m: core(np.linalg.svd)(m, whole), a, (left, a.dtype), values, (right, a.dtype))


def _svd_of_symmetric(a, whole, with_vectors):
    """Singular values and vectors of symmetric matrices, which NumPy makes of their eigenvalues and eigenvectors."""
    if not with_vectors:
        return np.flip(np.sort(np.abs(np.linalg.eigvalsh(a))), -1)
    if a.ndim > 2:
        square = (a.shape[-2:], a.dtype)
        return _each(lambda m: _svd_of_symmetric(m, whole, True), a, square, (a.shape[-1:], _real(a)), square)
    w, v = np.linalg.eigh(a)
    order = np.argsort(np.abs(w))[::-1]
    w = w[order]
    u = v[:, order]
    return u, np.abs(w), _turned(u * np.sign(w))


@means(np.linalg.pinv)
def pinv(a, rcond=None, hermitian=False, rtol=None):
    """Pseudoinverses."""
    a = _as_matrices(a)
    least = rcond if rtol is None else rtol
    if has_array(least) and np.ndim(least) > 0:
        refuse(
            "`np.linalg.pinv` is given a tolerance for each matrix", "write a loop over the matrices", "BS301"
        )
    if hermitian:
        a = _by_lower(a)
    if a.ndim > 2:
        rows, columns = a.shape[-2:]
        return _each(lambda m: np.linalg.pinv(m, least), a, ((columns, rows), a.dtype))
    return core(np.linalg.pinv)(a) if least is None else core(np.linalg.pinv)(a, least)


@means(np.linalg.matrix_rank)
def matrix_rank(A, tol=None, hermitian=False, rtol=None):
    """Ranks, which singular values above a tolerance make."""
    a = _as_matrices(A)
    hermitian = _is_flagged("hermitian", hermitian)
    if a.ndim < 2 or (a.ndim == 2 and not hermitian and rtol is None):
        return core(np.linalg.matrix_rank)(a) if tol is None else core(np.linalg.matrix_rank)(a, tol)
    s = np.linalg.svd(a, False, False, hermitian)
    if tol is not None:
        least = _for_each(tol)
    else:
        share = np.finfo(a.dtype).eps * max(a.shape[-2:]) if rtol is None else _for_each(rtol)
        largest = np.max(s) if s.ndim == 1 else np.expand_dims(np.max(s, -1), -1)
        least = largest * share
    return np.sum(s > least) if s.ndim == 1 else np.sum(s > least, -1)


def _for_each(tolerance):
    """A tolerance, or one for each matrix, beside singular values."""
    return np.expand_dims(tolerance, -1) if np.ndim(tolerance) > 0 else tolerance


@means(np.linalg.cond)
def cond(x, p=None):
    """Condition numbers."""
    x = _as_matrices(x)
    if x.ndim < 3:
        return core(np.linalg.cond)(x) if p is None else core(np.linalg.cond)(x, p)
    return _each(lambda m: np.linalg.cond(m, p), x, ((), _real(x)))


@means(np.linalg.matrix_power)
def matrix_power(a, n):
    """Powers of matrices."""
    a = _as_matrices(a)
    if a.ndim < 3:
        return core(np.linalg.matrix_power)(a, n)
    return _each(lambda m: np.linalg.matrix_power(m, n), a, (a.shape[-2:], a.dtype))


@means(np.linalg.qr)
def qr(a, mode="reduced"):
    """Factors with orthonormal columns and triangular ones."""
    a = _as_matrices(a)
    if mode not in ("reduced", "r", "complete"):
        refuse(
            f"`np.linalg.qr` is not supported with the mode {mode!r}",
            'write mode="reduced", mode="complete" or mode="r"',
            "BS301",
        )
    if mode == "r":
        return np.linalg.qr(a)[1]
    if a.ndim < 3:
        return core(np.linalg.qr)(a) if mode == "reduced" else _reflected(a)
    rows, columns = a.shape[-2:]
    inner = rows if mode == "complete" else _shorter(a)
    return _each(lambda m: np.linalg.qr(m, mode), a, ((rows, inner), a.dtype), ((inner, columns), a.dtype))


def _reflected(a):
    """All columns of Q: those that the matrix does not tell are what LAPACK's reflections make of those of the identity."""
    m, n = a.shape
    q, r = np.eye(m).astype(a.dtype), a.copy()
    for k in range(min(m, n) if is_complex(a) else min(m - 1, n)):
        v = r[k:, k].copy()
        if np.any(v[1:] != 0.0) or (is_complex(a) and np.imag(v[0]) != 0.0):
            length = np.sqrt(np.sum(np.real(v) ** 2 + np.imag(v) ** 2) if is_complex(a) else np.sum(v * v))
            end = -length if np.real(v[0]) >= 0.0 else length
            share = (end - v[0]) / end
            v[1:] = v[1:] / (v[0] - end)
            v[0] = 1.0
            r[k:] -= np.conj(share) * np.outer(v, np.sum(np.expand_dims(np.conj(v), 1) * r[k:], 0))
            q[:, k:] -= share * np.outer(np.sum(q[:, k:] * v, 1), np.conj(v))
    return q, np.triu(r)


@means(np.linalg.tensorinv)
def tensorinv(a, ind=2):
    """The inverse of an array as a map of arrays."""
    a = a if has_array(a) else np.asarray(a)
    if not 0 < ind < a.ndim:
        refuse(f"`np.linalg.tensorinv` is given ind={ind}", f"give 1 up to {a.ndim - 1}", "BS301")
    rows, columns = a.shape[:ind], a.shape[ind:]
    n = _product(columns)
    found = np.linalg.inv(np.reshape(np.ascontiguousarray(a), (a.size // n, n)))
    return np.reshape(found, (*columns, *rows))


@means(np.linalg.tensorsolve)
def tensorsolve(a, b, axes=None):
    """The solution of linear equations between arrays."""
    a, b = (a if has_array(a) else np.asarray(a)), (b if has_array(b) else np.asarray(b))
    if axes is not None:
        a = np.transpose(a, computed(_moved_behind)(axes, a.ndim))
    extents = a.shape[b.ndim :]
    if not extents:
        refuse("`np.linalg.tensorsolve` is given no unknowns", "give `a` more axes than `b`", "BS301")
    n = _product(extents)
    if a.size != n * n:
        raise np.linalg.LinAlgError("the equations of np.linalg.tensorsolve are not as many as the unknowns")
    found = np.linalg.solve(np.reshape(np.ascontiguousarray(a), (n, n)), np.ravel(b))
    return np.reshape(found, extents)


def _moved_behind(axes, ndim: int) -> tuple[int, ...]:
    """The axes in this order, the named ones behind the others."""
    named = [range(ndim)[each] for each in (axes if isinstance(axes, tuple) else (axes,))]
    return tuple([axis for axis in range(ndim) if axis not in named] + named)


@means(np.linalg.solve)
def solve(a, b):
    """Solutions of linear systems of any two kinds of numbers; both are stacks of matrices, or one of them a matrix for all."""
    a, b = (a if has_array(a) else np.asarray(a)), (b if has_array(b) else np.asarray(b))
    kind = np.result_type(a, b)
    if kind.kind in "iub":
        kind = np.dtype(np.float64)
    a = a if np.result_type(a).name == kind.name else a.astype(kind)
    b = b if np.result_type(b).name == kind.name else b.astype(kind)
    if a.ndim < 3 and b.ndim < 3:
        return core(np.linalg.solve)(a, b)
    if b.ndim == 1:
        return np.linalg.solve(a, np.expand_dims(b, 1))[..., 0]
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    mine, theirs = (
        _in_one_row(np.broadcast_to(a, (*lead, *a.shape[-2:]))),
        _in_one_row(np.broadcast_to(b, (*lead, *b.shape[-2:]))),
    )
    y = np.empty(theirs.shape, kind)
    for k in range(len(theirs)):
        y[k] = core(np.linalg.solve)(np.ascontiguousarray(mine[k]), np.ascontiguousarray(theirs[k]))
    return y if len(lead) == 1 else np.reshape(y, (*lead, *b.shape[-2:]))
