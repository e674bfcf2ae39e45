"""Linear algebra of stacks of matrices: each matrix by itself; Numba has one matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.np.numpy_support import as_dtype

from backsweep.runtime.overloads.forms import flag, is_array, literal, refused
from backsweep.runtime.overloads.texts import INDICES, dtype_text, indented_loops, stands_for


def _is_stack(*given: Any) -> bool:
    """Whether all are arrays of floats, the first of more than two axes."""
    return all(is_array(each) and isinstance(each.dtype, types.Float | types.Complex) for each in given) and (
        given[0].ndim > 2
    )


def _each(function: str, ndim: int, results: list[tuple[str, str]], value: str) -> str:
    """Loops over a stack `a`, and what each matrix gives: arrays with these names and trailing extents."""
    names = INDICES[: ndim - 2]
    lead = "".join(f"a.shape[{axis}], " for axis in range(ndim - 2))
    lines = [f"{name} = np.empty(({lead}{rest}), {kind})" for name, (rest, kind) in _by_name(results).items()]
    place = ", ".join(names)
    bounds = {each: f"a.shape[{axis}]" for axis, each in enumerate(names)}
    targets = ", ".join(f"{name}[{place}]" for name in _by_name(results))
    part = f"np.ascontiguousarray(a[{place}])"
    lines += indented_loops(bounds, f"{targets} = {function}({value.format(a=part, place=place)})")
    return "\n".join([*lines, f"return {', '.join(_by_name(results))}"])


def _by_name(results: list[tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """The results as `y0`, `y1` and so on."""
    return {f"y{k}": each for k, each in enumerate(results)}


def _square(function: str, a: Any) -> str | None:
    """A function that gives of each square matrix one of the same shape."""
    if not _is_stack(a):
        return None
    rest = f"a.shape[{a.ndim - 2}], a.shape[{a.ndim - 1}]"
    return _each(function, a.ndim, [(rest, dtype_text(as_dtype(a.dtype)))], "{a}")


@stands_for(np.linalg.inv)
def inv(a):
    """Inverses."""
    return _square("np.linalg.inv", a)


@stands_for(np.linalg.cholesky)
def cholesky(a, upper=False):
    """Cholesky's factors; Numba has the lower one of one matrix."""
    if not is_array(a):
        return None
    of_upper = flag("upper", upper)
    if a.ndim == 2:
        return "return np.conj(np.linalg.cholesky(np.conj(a.T)).T)" if of_upper else None
    if of_upper:
        raise refused(
            "`np.linalg.cholesky` of stacks is supported without `upper=`",
            "exchange the axes: np.linalg.cholesky(a).mT.",
        )
    return _square("np.linalg.cholesky", a)


@stands_for(np.linalg.det)
def det(a):
    """Determinants."""
    if not _is_stack(a):
        return None
    return _each("np.linalg.det", a.ndim, [("", dtype_text(as_dtype(a.dtype)))], "{a}")


@stands_for(np.linalg.slogdet)
def slogdet(a):
    """Signs and logarithms of determinants."""
    if not _is_stack(a) or isinstance(a.dtype, types.Complex):
        return None
    kind = dtype_text(as_dtype(a.dtype))
    return _each("np.linalg.slogdet", a.ndim, [("", kind), ("", kind)], "{a}")


@stands_for(np.linalg.eigvalsh)
def eigvalsh(a, UPLO="L"):
    """Eigenvalues of symmetric matrices."""
    if is_array(a) and a.ndim == 2 and literal(UPLO) == "U":
        return "return np.linalg.eigvalsh(np.conj(a.T))"
    if not _is_stack(a) or literal(UPLO) != "L":
        return None
    kind = dtype_text(as_dtype(getattr(a.dtype, "underlying_float", a.dtype)))
    return _each("np.linalg.eigvalsh", a.ndim, [(f"a.shape[{a.ndim - 1}]", kind)], "{a}")


@stands_for(np.linalg.eigh)
def eigh(a, UPLO="L"):
    """Eigenvalues and eigenvectors of symmetric matrices."""
    if is_array(a) and a.ndim == 2 and literal(UPLO) == "U":
        return "return np.linalg.eigh(np.conj(a.T))"
    if not _is_stack(a) or literal(UPLO) != "L":
        return None
    kind = dtype_text(as_dtype(getattr(a.dtype, "underlying_float", a.dtype)))
    vectors = f"a.shape[{a.ndim - 2}], a.shape[{a.ndim - 1}]"
    results = [(f"a.shape[{a.ndim - 1}]", kind), (vectors, dtype_text(as_dtype(a.dtype)))]
    return _each("np.linalg.eigh", a.ndim, results, "{a}")


@stands_for(np.linalg.solve)
def solve(a, b):
    """Solutions of linear systems; both are stacks of matrices, or one of them a matrix for all."""
    if not (is_array(a) and is_array(b)) or max(a.ndim, b.ndim) < 3:
        return None
    if not all(isinstance(each.dtype, types.Float | types.Complex) for each in (a, b)):
        raise refused("stacks of linear systems are for floats", "convert them: a.astype(np.float64).")
    if b.ndim == 1:
        if np.lib.NumpyVersion(np.__version__) < "2.0.0":
            raise refused("a vector for a stack of matrices is given", "write b[np.newaxis, :, np.newaxis].")
        return f"return np.linalg.solve(a, np.expand_dims(b, 1))[{', '.join([':'] * (a.ndim - 1))}, 0]"
    if np.lib.NumpyVersion(np.__version__) < "2.0.0" and b.ndim == a.ndim - 1:
        raise refused(
            "vectors for a stack of matrices are given",
            "write np.linalg.solve(a, b[..., np.newaxis])[..., 0].",
        )
    lead = max(a.ndim, b.ndim) - 2
    kind = dtype_text(np.result_type(as_dtype(a.dtype), as_dtype(b.dtype)))
    lines, extents = [], []
    places: dict[str, list[str]] = {"a": [], "b": []}
    for depth in range(lead):
        owners = [(name, each.ndim - 2 - lead + depth) for name, each in (("a", a), ("b", b))]
        own = [f"{name}.shape[{axis}]" for name, axis in owners if axis >= 0]
        if len(own) == 2:
            lines.append(f"if {own[0]} != {own[1]} and {own[0]} != 1 and {own[1]} != 1:")
            lines.append('    raise ValueError("the stacks of np.linalg.solve have different extents")')
        extents.append(f"max({own[0]}, {own[1]})" if len(own) == 2 else own[0])
        for name, axis in owners:
            if axis >= 0:
                at = INDICES[depth]
                places[name].append(f"min({at}, {name}.shape[{axis}] - 1)" if len(own) == 2 else at)
    parts = {
        name: f"np.ascontiguousarray({name}{f'[{chr(44).join(place)}]' if place else ''})"
        for name, place in places.items()
    }
    shape = [*extents, f"b.shape[{b.ndim - 2}]", f"b.shape[{b.ndim - 1}]"]
    lines.append(f"y = np.empty(({', '.join(shape)}), {kind})")
    bounds = {INDICES[depth]: extent for depth, extent in enumerate(extents)}
    target = f"y[{', '.join(bounds)}]"
    lines += indented_loops(bounds, f"{target} = np.linalg.solve({parts['a']}, {parts['b']})")
    return "\n".join([*lines, "return y"])
