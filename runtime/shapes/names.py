"""Names that NumPy has since its second version: products over the last axis, running sums with a start, norms of vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.np.numpy_support import as_dtype

from backsweep.runtime.overloads.forms import (
    axes_of,
    flag,
    is_array,
    is_complex,
    is_none,
    literal,
    refused,
    reject,
    single_axis,
)
from backsweep.runtime.overloads.texts import (
    accumulated,
    converted,
    counted,
    dtype_text,
    kept_axes,
    stands_for,
)

CORE = 'raise ValueError("the last axes of `{}` have different extents")'


def _vecdot(x1, x2, axis=-1):
    """Sums of products over one axis, of the complex conjugate of the first operand; the other axes broadcast."""
    if not (is_array(x1) and is_array(x2)):
        return None
    if not all(isinstance(each.dtype, types.Float | types.Complex | types.Integer) for each in (x1, x2)):
        raise refused("`np.vecdot` is given no numbers", "convert them: x.astype(np.float64).")
    first, second = (single_axis("np.vecdot", axis, each.ndim) - each.ndim for each in (x1, x2))
    if first != second:
        raise refused("the axis of `np.vecdot` is another one of each operand", "write axis=-1.")
    kind = np.result_type(as_dtype(x1.dtype), as_dtype(x2.dtype))
    one, two = (
        name if as_dtype(each.dtype) == kind or kind.kind != "i" else f"{name}.astype({dtype_text(kind)})"
        for name, each in (("x1", x1), ("x2", x2))
    )
    one = f"np.conj({one})" if is_complex(x1) else one
    lines = [
        f"if x1.shape[{x1.ndim + first}] != x2.shape[{x2.ndim + first}]:",
        f"    {CORE.format('np.vecdot')}",
    ]
    if x1.ndim == x2.ndim == 1:
        return "\n".join([*lines, f"return np.sum({one} * {two})"])
    return "\n".join([*lines, f"return np.sum({one} * {two}, {max(x1.ndim, x2.ndim) + first})"])


def _matvec(x1, x2):
    """Products of matrices and vectors, in stacks that broadcast."""
    if not (is_array(x1) and is_array(x2)) or x1.ndim < 2:
        return None
    if x2.ndim == 1:
        return "return np.matmul(x1, x2)"
    return f"return np.matmul(x1, np.expand_dims(x2, {x2.ndim}))[{', '.join([':'] * (max(x1.ndim - 1, x2.ndim)))}, 0]"


def _vecmat(x1, x2):
    """Products of vectors, which are conjugated, and matrices, in stacks that broadcast."""
    if not (is_array(x1) and is_array(x2)) or x2.ndim < 2:
        return None
    vectors = "np.conj(x1)" if is_complex(x1) else "x1"
    if x1.ndim == 1:
        return f"return np.matmul({vectors}, x2)"
    lead = [":"] * (max(x1.ndim - 1, x2.ndim - 2))
    return f"return np.matmul(np.expand_dims({vectors}, {x1.ndim - 1}), x2)[{', '.join([*lead, '0'])}]"


def _cumulative(function: str, scan: str, start: str, x, axis, options: dict[str, Any]) -> str | None:
    """Running sums or products, which may begin with what no entry gives."""
    if not is_array(x):
        return None
    reject(function, out=options["out"])
    if is_none(axis) and x.ndim > 1:
        raise refused(f"`{function}` of an array with several axes goes along one", "name it: axis=0.")
    at = 0 if is_none(axis) else single_axis(function, axis, x.ndim)
    head, of = converted(function, x, options["dtype"])
    head = head.replace("a = a.", "x = x.")
    found = f"{scan}(x)" if x.ndim == 1 else f"{scan}(x, {at})"
    if not flag("include_initial", options["include_initial"]):
        return f"{head}return {found}"
    shape = ", ".join("1" if axis == at else f"x.shape[{axis}]" for axis in range(x.ndim))
    kind = dtype_text(accumulated(of))
    return f"{head}y = {found}\nreturn np.concatenate((np.{start}(({shape},), {kind}), y), {at})"


def _cumulative_sum(x, axis=None, dtype=None, out=None, include_initial=False):
    """Running sums along an axis."""
    options = {"dtype": dtype, "out": out, "include_initial": include_initial}
    return _cumulative("np.cumulative_sum", "np.cumsum", "zeros", x, axis, options)


def _cumulative_prod(x, axis=None, dtype=None, out=None, include_initial=False):
    """Running products along an axis."""
    options = {"dtype": dtype, "out": out, "include_initial": include_initial}
    return _cumulative("np.cumulative_prod", "np.cumprod", "ones", x, axis, options)


def _astype(x, dtype, copy=True):
    """The entries in another dtype."""
    if not is_array(x):
        return None
    if literal(copy) is not True:
        raise refused("`np.astype` is supported with `copy=True`", "leave `copy=` out.")
    return "return x.astype(dtype)"


def _matrix_transpose(x):
    """The last two axes exchanged."""
    return f"return np.swapaxes(x, {x.ndim - 2}, {x.ndim - 1})" if is_array(x) and x.ndim > 1 else None


def _vector_norm(x, axis=None, keepdims=False, ord=2):
    """Norms of vectors along an axis, or of all entries as one vector."""
    if not is_array(x):
        return None
    axes, order = axes_of("np.linalg.vector_norm", axis, x.ndim), literal(ord)
    keep = flag("keepdims", keepdims)
    if len(axes) == 1:
        return f"return np.linalg.norm(x, ord, {axes[0]}, keepdims={keep})"
    if order == 2:
        square = "np.real(x) ** 2 + np.imag(x) ** 2" if is_complex(x) else "x ** 2"
        return f"return np.sqrt(np.sum({square}, axis={axes}, keepdims={keep}))"
    if order == 1:
        return f"return np.sum(np.abs(x), axis={axes}, keepdims={keep})"
    if len(axes) == x.ndim and not keep:
        return "return np.linalg.norm(np.ravel(x), ord)"
    kept = kept_axes(x.ndim, axes)
    shape = "".join(f"x.shape[{axis}], " for axis in kept)
    count = counted("x", axes, x.ndim)
    flat = f"np.ascontiguousarray(np.transpose(x, {(*kept, *axes)})).reshape(({shape}{count}))"
    value = f"np.linalg.norm({flat}, ord, {len(kept)})"
    for at in axes if keep else ():
        value = f"np.expand_dims({value}, {at})"
    return f"return {value}"


def _outer(x1, x2):
    """Products of each entry of one vector with each of another."""
    return "return np.outer(x1, x2)"


def _matmul(x1, x2):
    """Products of matrices."""
    return "return np.matmul(x1, x2)"


def _cross(x1, x2, axis=-1):
    """Cross products of vectors."""
    return f"return np.cross(x1, x2{'' if literal(axis) == -1 else ', axis=axis'})"


def _tensordot(x1, x2, axes=2):
    """Sums of products over pairs of axes."""
    return "return np.tensordot(x1, x2, axes)" if is_array(x1) and is_array(x2) else None


def _svdvals(x):
    """Singular values."""
    return "return np.linalg.svd(x, False, False)" if is_array(x) and x.ndim > 1 else None


def _trace(x, offset=0, dtype=None):
    """Sums of the diagonals of matrices in the last two axes."""
    if not is_array(x) or x.ndim < 2 or not is_none(dtype):
        return None
    return f"return np.trace(x, offset{'' if x.ndim == 2 else f', {x.ndim - 2}, {x.ndim - 1}'})"


def _diagonal(x, offset=0):
    """Diagonals of matrices in the last two axes."""
    if not is_array(x) or x.ndim < 2:
        return None
    return (
        "return np.diag(x, offset)"
        if x.ndim == 2
        else f"return np.diagonal(x, offset, {x.ndim - 2}, {x.ndim - 1})"
    )


def _matrix_norm(x, keepdims=False, ord="fro"):
    """Norms of matrices in the last two axes."""
    if not is_array(x) or x.ndim < 2:
        return None
    keep = flag("keepdims", keepdims)
    if x.ndim == 2 and not keep:
        return "return np.linalg.norm(x, ord)"
    return f"return np.linalg.norm(x, ord, ({x.ndim - 2}, {x.ndim - 1}), keepdims={keep})"


def _give() -> None:
    """Give Numba what the installed NumPy has of them."""
    of_numpy = (_vecdot, _matvec, _vecmat, _cumulative_sum, _cumulative_prod, _astype, _matrix_transpose)
    of_linalg = (_vecdot, _matrix_transpose, _vector_norm, _outer, _matmul, _cross, _tensordot, _svdvals)
    named = [*((np, each) for each in of_numpy)]
    named += [(np.linalg, each) for each in (*of_linalg, _trace, _diagonal, _matrix_norm)]
    for module, body in named:
        function = getattr(module, body.__name__.strip("_"), None)
        if function is not None:
            stands_for(function, alone=body in of_numpy)(body)


_give()
