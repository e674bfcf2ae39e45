"""Linear algebra of stacks of matrices: each matrix by itself; Numba has one matrix, and fewer options."""

from __future__ import annotations

import numpy as np
from numba.core import types
from numba.np.numpy_support import as_dtype

from backsweep.runtime.overloads.forms import axes_of, flag, is_array, is_left_out, is_none, literal, refused
from backsweep.runtime.overloads.texts import INDICES, dtype_text, indented_loops, of_floats, stands_for


def _is_stack(a) -> bool:
    """Whether it is an array of more than two axes."""
    return is_array(a) and a.ndim > 2


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


def _square(function: str, a) -> str | None:
    """A function that gives of each square matrix one of the same shape."""
    if not _is_stack(a):
        return None
    rest = f"a.shape[{a.ndim - 2}], a.shape[{a.ndim - 1}]"
    return _each(function, a.ndim, [(rest, dtype_text(as_dtype(a.dtype)))], "{a}")


@of_floats(np.linalg.inv, "a")
def inv(a):
    """Inverses."""
    return _square("np.linalg.inv", a)


@of_floats(np.linalg.cholesky, "a")
def cholesky(a, upper=False):
    """Cholesky's factors; Numba has the lower one of one matrix."""
    if not is_array(a):
        return None
    if flag("upper", upper):
        turned = _turned(f"np.linalg.cholesky({_turned('a', a)})", a)
        return f"return {turned}"
    if a.ndim == 2 and isinstance(upper, types.Literal):
        return "return np.linalg.cholesky(a)"
    return _square("np.linalg.cholesky", a)


def _turned(text: str, a) -> str:
    """The conjugate transposes of the matrices of an array."""
    turned = f"{text}.T" if a.ndim == 2 else f"np.swapaxes({text}, {a.ndim - 2}, {a.ndim - 1})"
    return f"np.conj({turned})" if isinstance(a.dtype, types.Complex) else turned


@of_floats(np.linalg.det, "a")
def det(a):
    """Determinants."""
    if not _is_stack(a):
        return None
    return _each("np.linalg.det", a.ndim, [("", dtype_text(as_dtype(a.dtype)))], "{a}")


@of_floats(np.linalg.slogdet, "a")
def slogdet(a):
    """Signs and logarithms of determinants."""
    if not _is_stack(a):
        return None
    return _each("np.linalg.slogdet", a.ndim, [("", _own(a)), ("", _real(a))], "{a}")


def _of_upper(function: str, a, UPLO) -> str | None:
    """A call that reads the upper triangle, or names the lower one, as one that reads the lower one."""
    triangle = literal(UPLO)
    if (
        not is_array(a)
        or a.ndim < 2
        or not isinstance(UPLO, types.Literal)
        or triangle not in ("U", "u", "L", "l")
    ):
        return None
    return f"return {function}({'a' if triangle in ('L', 'l') else _turned('a', a)})"


@of_floats(np.linalg.eigvalsh, "a")
def eigvalsh(a, UPLO="L"):
    """Eigenvalues of symmetric matrices."""
    of_upper = _of_upper("np.linalg.eigvalsh", a, UPLO)
    if of_upper or not _is_stack(a) or literal(UPLO) != "L":
        return of_upper
    return _each("np.linalg.eigvalsh", a.ndim, [(_last(a), _real(a))], "{a}")


@of_floats(np.linalg.eigh, "a")
def eigh(a, UPLO="L"):
    """Eigenvalues and eigenvectors of symmetric matrices."""
    of_upper = _of_upper("np.linalg.eigh", a, UPLO)
    if of_upper or not _is_stack(a) or literal(UPLO) != "L":
        return of_upper
    return _each("np.linalg.eigh", a.ndim, [(_last(a), _real(a)), (_matrix(a), _own(a))], "{a}")


@of_floats(np.linalg.eig, "a")
def eig(a):
    """Eigenvalues and eigenvectors."""
    if not _is_stack(a):
        return None
    return _each("np.linalg.eig", a.ndim, [(_last(a), _own(a)), (_matrix(a), _own(a))], "{a}")


@of_floats(np.linalg.eigvals, "a")
def eigvals(a):
    """Eigenvalues."""
    return _each("np.linalg.eigvals", a.ndim, [(_last(a), _own(a))], "{a}") if _is_stack(a) else None


def _own(a) -> str:
    """The dtype of an array, as text."""
    return dtype_text(as_dtype(a.dtype))


def _real(a) -> str:
    """That of the absolute values of its numbers."""
    return dtype_text(as_dtype(getattr(a.dtype, "underlying_float", a.dtype)))


def _last(a) -> str:
    """The number of columns of the matrices of an array, as text."""
    return f"a.shape[{a.ndim - 1}]"


def _matrix(a) -> str:
    """The extents of these matrices."""
    return f"a.shape[{a.ndim - 2}], a.shape[{a.ndim - 1}]"


def _shorter(a) -> str:
    """The number of their rows or columns, whichever are fewer."""
    return f"min({_matrix(a)})"


BY_LOWER = "a = np.tril(a) + np.swapaxes(np.tril(a, -1), {}, {})\n"
BY_LOWER_OF_COMPLEX = (
    "below = np.tril(a, -1)\na = below + np.conj(np.swapaxes(below, {}, {})) + np.tril(np.triu(np.real(a)))\n"
)
"""What a symmetric matrix is taken to be: what its lower triangle says."""


def _by_lower(a) -> str:
    """The statements that have the upper triangles of matrices say what the lower ones do."""
    text = BY_LOWER_OF_COMPLEX if isinstance(a.dtype, types.Complex) else BY_LOWER
    return text.format(a.ndim - 2, a.ndim - 1)


@of_floats(np.linalg.svd, "a")
def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """Singular values and vectors; Numba has both of one matrix."""
    if not is_array(a) or a.ndim < 2:
        return None
    whole, with_vectors = flag("full_matrices", full_matrices), flag("compute_uv", compute_uv)
    of_lower = flag("hermitian", hermitian)
    if of_lower and not with_vectors:
        return f"return np.flip(np.sort(np.abs(np.linalg.eigvalsh(a))), {a.ndim - 2})"
    if a.ndim == 2 and of_lower:
        return OF_SYMMETRIC.format(turned=_turned("(u * np.sign(w))", a))
    if a.ndim == 2:
        return None if with_vectors else "return np.linalg.svd(a, False)[1]"
    if not _is_stack(a):
        return None
    values = (_shorter(a), _real(a))
    if not with_vectors:
        return _each("np.linalg.svd", a.ndim, [values], "{a}, False, False")
    rows, columns = _matrix(a).split(", ")
    left = f"{rows}, {rows}" if whole else f"{rows}, {_shorter(a)}"
    right = f"{columns}, {columns}" if whole else f"{_shorter(a)}, {columns}"
    results = [(left, _own(a)), values, (right, _own(a))]
    return _each("np.linalg.svd", a.ndim, results, f"{{a}}, {whole}{', True, True' if of_lower else ''}")


OF_SYMMETRIC = """
w, v = np.linalg.eigh(a)
order = np.argsort(np.abs(w))[::-1]
w = w[order]
u = v[:, order]
return u, np.abs(w), {turned}
"""
"""Singular values and vectors of a symmetric matrix, which NumPy makes of its eigenvalues and eigenvectors."""


@of_floats(np.linalg.pinv, "a")
def pinv(a, rcond=None, hermitian=False, rtol=None):
    """Pseudoinverses; Numba has that of one matrix, with `rcond`."""
    if not is_array(a) or a.ndim < 2:
        return None
    least = "rtol" if not is_none(rtol) else "" if is_none(rcond) else "rcond"
    if isinstance(rcond if is_none(rtol) else rtol, types.Array):
        raise refused(
            "`np.linalg.pinv` is given a tolerance for each matrix", "write a loop over the matrices."
        )
    head = _by_lower(a) if flag("hermitian", hermitian) else ""
    if a.ndim == 2 and not head and least != "rtol":
        return None
    call = f"{{a}}, {least}" if least else "{a}"
    if a.ndim == 2:
        return f"{head}return np.linalg.pinv({call.format(a='a')})"
    rows, columns = _matrix(a).split(", ")
    return head + _each("np.linalg.pinv", a.ndim, [(f"{columns}, {rows}", _own(a))], call)


@of_floats(np.linalg.matrix_rank, "A")
def matrix_rank(A, tol=None, hermitian=False, rtol=None):
    """Ranks, which singular values above a tolerance make; Numba has that of one matrix, with `tol`."""
    if not is_array(A) or A.ndim < 2:
        return None
    of_lower = flag("hermitian", hermitian)
    if A.ndim == 2 and not of_lower and is_none(rtol):
        return None
    values = f"np.linalg.svd(A, False, False{', True' if of_lower else ''})"
    eps = np.finfo(as_dtype(A.dtype)).eps
    part = "rtol" if not is_none(rtol) else f"{eps} * max(A.shape[{A.ndim - 2}], A.shape[{A.ndim - 1}])"
    at = A.ndim - 2
    if not is_none(tol):
        each = isinstance(tol, types.Array) and tol.ndim > 0
        least = f"np.expand_dims(tol, {tol.ndim})" if each else "tol"
    else:
        each = isinstance(rtol, types.Array) and rtol.ndim > 0
        part = f"np.expand_dims(rtol, {rtol.ndim})" if each else f"({part})"
        least = f"np.expand_dims(np.max(s, {at}), {at}) * {part}" if at else f"np.max(s) * {part}"
    return f"s = {values}\nreturn np.sum(s > {least}{f', {at}' if at else ''})"


@of_floats(np.linalg.cond, "x")
def cond(x, p=None):
    """Condition numbers."""
    if not _is_stack(x):
        return None
    order = literal(p)
    said = "" if is_none(p) else ", p" if order is None else f", {order!r}"
    head = "a = x\n"
    return head + _each("np.linalg.cond", x.ndim, [("", _real(x))], f"{{a}}{said}")


@stands_for(np.linalg.matrix_power)
def matrix_power(a, n):
    """Powers of matrices; Numba has those of one matrix of floats."""
    if not is_array(a) or a.ndim < 2 or not isinstance(types.unliteral(n), types.Integer):
        return None
    if isinstance(a.dtype, types.Integer | types.Boolean):
        return _power_of_whole_numbers(a, literal(n))
    if a.ndim == 2:
        return None
    return _each("np.linalg.matrix_power", a.ndim, [(_matrix(a), _own(a))], "{a}, n")


def _power_of_whole_numbers(a, n) -> str:
    """The body for a power of matrices of whole numbers, whose sign decides of which kind the result is."""
    if n is None or isinstance(a.dtype, types.Boolean):
        raise refused(
            "`np.linalg.matrix_power` of whole numbers is given an exponent that is known only when the program runs, or truth values",
            "convert first, as in a.astype(np.float64).",
        )
    if n < 1:
        whole = "" if n < 0 else f".astype({_own(a)})"
        return f"return np.linalg.matrix_power(a.astype(np.float64), {n}){whole}"
    lines, power = [], "a"
    for place, digit in enumerate(f"{n:b}"[1:]):
        lines.append(f"y{place} = {power} @ {power}{' @ a' if digit == '1' else ''}")
        power = f"y{place}"
    return "\n".join([*lines, f"return {power}" if lines else "return a.copy()"])


REFLECTIONS = """
m, n = a.shape
q, r = np.eye(m){kind}, a.copy()
for k in range({count}):
    v = r[k:, k].copy()
    if {turns}:
        length = np.sqrt(np.sum({square}))
        end = -length if {first} >= 0.0 else length
        share = (end - v[0]) / end
        v[1:] = v[1:] / (v[0] - end)
        v[0] = 1.0
        r[k:] -= {back} * np.outer(v, np.sum(np.expand_dims({conjugate}, 1) * r[k:], 0))
        q[:, k:] -= share * np.outer(np.sum(q[:, k:] * v, 1), {conjugate})
return q, np.triu(r)
"""
"""All columns of Q: those that the matrix does not tell are what LAPACK's reflections make of those of the identity."""


def _reflected(a) -> str:
    """The body that factors a matrix by reflections."""
    kind = "" if a.dtype == types.float64 else f".astype({_own(a)})"
    if not isinstance(a.dtype, types.Complex):
        return REFLECTIONS.format(
            kind=kind,
            count="min(m - 1, n)",
            turns="np.any(v[1:] != 0.0)",
            square="v * v",
            first="v[0]",
            back="share",
            conjugate="v",
        )
    return REFLECTIONS.format(
        kind=kind,
        count="min(m, n)",
        turns="np.any(v[1:] != 0.0) or np.imag(v[0]) != 0.0",
        square="np.real(v) ** 2 + np.imag(v) ** 2",
        first="np.real(v[0])",
        back="np.conj(share)",
        conjugate="np.conj(v)",
    )


@of_floats(np.linalg.qr, "a")
def qr(a, mode="reduced"):
    """Factors with orthonormal columns and triangular ones; Numba has the reduced ones of one matrix."""
    named = literal(mode)
    if not is_array(a) or a.ndim < 2:
        return None
    if named not in ("reduced", "r", "complete"):
        raise refused(
            f"`np.linalg.qr` is not supported with the mode {named!r}",
            'write mode="reduced", mode="complete" or mode="r".',
        )
    rows, columns = _matrix(a).split(", ")
    if a.ndim == 2:
        if named == "complete":
            return _reflected(a)
        said = "return np.linalg.qr(a)"
        return said + "[1]" if named == "r" else None if is_left_out(mode) or isinstance(mode, str) else said
    if named == "r":
        return "return np.linalg.qr(a)[1]"
    inner = rows if named == "complete" else _shorter(a)
    results = [(f"{rows}, {inner}", _own(a)), (f"{inner}, {columns}", _own(a))]
    return _each("np.linalg.qr", a.ndim, results, "{a}" if named == "reduced" else '{a}, "complete"')


@stands_for(np.linalg.tensorinv, alone=True)
def tensorinv(a, ind=2):
    """The inverse of an array as a map of arrays."""
    count = literal(ind)
    if not is_array(a) or not isinstance(count, int):
        return None
    if not 0 < count < a.ndim:
        raise refused(f"`np.linalg.tensorinv` is given ind={count}", f"give 1 up to {a.ndim - 1}.")
    extents = [f"a.shape[{axis}]" for axis in range(a.ndim)]
    n = " * ".join(extents[count:])
    shape = ", ".join([*extents[count:], *extents[:count]])
    return f"return np.ascontiguousarray(np.linalg.inv(np.reshape(a, (a.size // ({n}), {n})))).reshape(({shape}))"


@stands_for(np.linalg.tensorsolve, alone=True)
def tensorsolve(a, b, axes=None):
    """The solution of linear equations between arrays."""
    if not (is_array(a) and is_array(b)):
        return None
    moved = list(axes_of("np.linalg.tensorsolve", axes, a.ndim)) if not is_none(axes) else []
    order = [axis for axis in range(a.ndim) if axis not in moved] + moved
    extents = [f"a.shape[{axis}]" for axis in order[b.ndim :]]
    if not extents:
        raise refused("`np.linalg.tensorsolve` is given no unknowns", "give `a` more axes than `b`.")
    n = " * ".join(extents)
    turned = f"np.ascontiguousarray(np.transpose(a, {tuple(order)}))" if moved else "np.ascontiguousarray(a)"
    return "\n".join(
        [
            f"n = {n}",
            "if a.size != n * n:",
            '    raise np.linalg.LinAlgError("the equations of np.linalg.tensorsolve are not as many as the unknowns")',
            f"return np.linalg.solve({turned}.reshape((n, n)), np.ravel(b)).reshape(({', '.join(extents)},))",
        ]
    )


@of_floats(np.linalg.solve, "a", "b")
def solve(a, b):
    """Solutions of linear systems of any two kinds of numbers; both are stacks of matrices, or one of them a matrix for all."""
    if not (is_array(a) and is_array(b)):
        return None
    if max(a.ndim, b.ndim) < 3:
        return None
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
    kind = _own(a)
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
