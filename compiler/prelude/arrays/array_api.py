"""Names that NumPy has since its second version: products over the last axis, running sums with a start, norms, and others in `np.linalg`."""

from __future__ import annotations

from typing import Any

import numpy as np

from backsweep.prelude.arrays.choices import given_out
from backsweep.prelude.declare import as_array, core, is_complex, is_known, means, refuse


def _named(name: str, *modules: Any) -> list[Any]:
    """The functions of this name that this version of NumPy has."""
    return [getattr(module, name) for module in modules if hasattr(module, name)]


def _conjugated(x):
    """The first operand of an inner product."""
    return np.conj(x) if is_complex(x) else x


def _arrays(name, x1, x2, ndim1, ndim2):
    """Two arrays with so many axes at least."""
    x1, x2 = as_array(x1), as_array(x2)
    if np.ndim(x1) < ndim1 or np.ndim(x2) < ndim2:
        refuse(f"`{name}` is given arrays with too few axes", "give arrays with more axes")
    if np.result_type(x1).kind == "b" or np.result_type(x2).kind == "b":
        refuse(f"`{name}` is given no numbers", "convert them: x.astype(np.float64)")
    return x1, x2


@means(*_named("vecdot", np, np.linalg))
def vecdot(x1, x2, axis=-1):
    """Sums of products over one axis, of the complex conjugate of the first operand; the other axes broadcast."""
    x1, x2 = _arrays("np.vecdot", x1, x2, 1, 1)
    if not is_known(axis) or (axis >= 0 and x1.ndim != x2.ndim):
        refuse("the axis of `np.vecdot` is another one of each operand", "write axis=-1")
    at = axis if axis < 0 else axis - x1.ndim
    if x1.shape[at] != x2.shape[at]:
        raise ValueError("the last axes of `np.vecdot` have different extents")
    return np.sum(_conjugated(x1) * x2, axis=at)


@means(*_named("matvec", np))
def matvec(x1, x2):
    """Products of matrices and vectors, in stacks that broadcast."""
    x1, x2 = _arrays("np.matvec", x1, x2, 2, 1)
    return np.matmul(x1, x2) if x2.ndim == 1 else np.matmul(x1, x2[..., np.newaxis])[..., 0]


@means(*_named("vecmat", np))
def vecmat(x1, x2):
    """Products of vectors, which are conjugated, and matrices, in stacks that broadcast."""
    x1, x2 = _arrays("np.vecmat", x1, x2, 1, 2)
    x1 = _conjugated(x1)
    return np.matmul(x1, x2) if x1.ndim == 1 else np.matmul(x1[..., np.newaxis, :], x2)[..., 0, :]


def _running(name, scan, start, x, axis, dtype, out, include_initial):
    """Running sums or products along an axis, which may begin with what no entry gives."""
    x = as_array(x)
    if not is_known(axis, include_initial) or (axis is None and x.ndim > 1):
        refuse(f"`{name}` of an array with several axes goes along one", "name it: axis=0")
    at = 0 if axis is None else axis % x.ndim
    found = scan(x, axis=at, dtype=dtype)
    if include_initial:
        shape = tuple([1 if k == at else n for k, n in enumerate(x.shape)])
        found = np.concatenate((np.full(shape, start, found.dtype), found), at)
    return given_out(found, out)


@means(*_named("cumulative_sum", np))
def cumulative_sum(x, axis=None, dtype=None, out=None, include_initial=False):
    """Running sums along an axis."""
    return _running("np.cumulative_sum", np.cumsum, 0, x, axis, dtype, out, include_initial)


@means(*_named("cumulative_prod", np))
def cumulative_prod(x, axis=None, dtype=None, out=None, include_initial=False):
    """Running products along an axis."""
    return _running("np.cumulative_prod", np.cumprod, 1, x, axis, dtype, out, include_initial)


@means(*_named("astype", np))
def astype(x, dtype, copy=True):
    """The entries in another dtype."""
    return x.astype(dtype, copy=copy)


@means(*_named("vector_norm", np.linalg))
def vector_norm(x, axis=None, keepdims=False, ord=2):
    """Norms of vectors along an axis, or of all entries as one vector."""
    x = as_array(x)
    if not is_known(axis, keepdims, ord):
        refuse("options of `np.linalg.vector_norm` are known only when the program runs", "write them")
    axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if len(axes) == 1:
        return np.linalg.norm(x, ord, axes[0], keepdims=keepdims)
    if ord == 2:
        square = np.real(x) ** 2 + np.imag(x) ** 2 if is_complex(x) else x**2
        return np.sqrt(np.sum(square, axis=axes, keepdims=keepdims))
    if ord == 1:
        return np.sum(np.abs(x), axis=axes, keepdims=keepdims)
    moved = np.moveaxis(x, axes, tuple(range(-len(axes), 0)))
    kept = moved.shape[: x.ndim - len(axes)]
    flat = np.reshape(moved, (*kept, np.prod(np.array(moved.shape[x.ndim - len(axes) :]))))
    found = np.linalg.norm(flat, ord, -1) if len(kept) > 0 else np.linalg.norm(flat, ord)
    if not keepdims:
        return found
    return np.expand_dims(found, axes) if len(kept) > 0 else np.full((1,) * x.ndim, found)


@means(*_named("matrix_norm", np.linalg))
def matrix_norm(x, keepdims=False, ord="fro"):
    """Norms of matrices in the last two axes."""
    if np.ndim(x) == 2 and not keepdims:
        return np.linalg.norm(x, ord)
    return np.linalg.norm(x, ord, (np.ndim(x) - 2, np.ndim(x) - 1), keepdims=keepdims)


@means(*_named("outer", np.linalg))
def outer(x1, x2):
    """Products of each entry of one vector with each of another."""
    return np.outer(x1, x2)


@means(*_named("matmul", np.linalg))
def matmul(x1, x2):
    """Products of matrices."""
    return np.matmul(x1, x2)


@means(*_named("cross", np.linalg))
def cross(x1, x2, axis=-1):
    """Cross products of vectors."""
    return np.cross(x1, x2) if is_known(axis) and axis == -1 else np.cross(x1, x2, axis=axis)


@means(*_named("tensordot", np.linalg))
def tensordot(x1, x2, axes=2):
    """Sums of products over pairs of axes."""
    return np.tensordot(x1, x2, axes)


@means(*_named("svdvals", np.linalg))
def svdvals(x):
    """Singular values."""
    return np.linalg.svd(x, False, False)


@means(*_named("trace", np.linalg))
def trace(x, offset=0, dtype=None):
    """Sums of the diagonals of matrices in the last two axes."""
    return np.trace(x, offset, -2, -1, dtype)


@means(*_named("diagonal", np.linalg))
def diagonal(x, offset=0):
    """Diagonals of matrices in the last two axes."""
    return np.diagonal(x, offset, -2, -1)


@means(np.linalg.multi_dot, in_njit=True)
def multi_dot(arrays):
    """The product of several matrices, from the left."""
    if len(arrays) < 2:
        raise ValueError("Expecting at least two arrays.")
    product = arrays[0]
    for each in arrays[1:]:
        product = product @ each
    return product


@means(np.cross, in_njit=True)
def cross_along(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """Cross products of the vectors along an axis; the core has those along the last."""
    a, b = as_array(a), as_array(b)
    if axis is not None:
        axisa = axisb = axisc = axis
    found = core(np.cross)(_with_last(a, axisa), _with_last(b, axisb))
    return found if is_known(axisc) and axisc == -1 else np.moveaxis(found, -1, axisc)


def _with_last(x, axis):
    """The array with an axis as the last one."""
    return x if is_known(axis) and axis in (-1, x.ndim - 1) else np.moveaxis(x, axis, -1)
