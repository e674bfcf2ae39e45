"""Polynomials by their coefficients: sums, products, slopes, integrals, series of orthogonal ones, nodes of quadrature."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.core import types
from numba.np.numpy_support import as_dtype
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from backsweep.runtime.overloads.forms import (
    is_array,
    is_complex,
    is_left_out,
    is_listed,
    is_none,
    literal,
    refused,
)
from backsweep.runtime.overloads.texts import dtype_text, from_list, stands_for


def _vector(name: str, given) -> str:
    """The statement that makes a vector of coefficients of a list; refuses what is neither."""
    if is_listed(given):
        return from_list(name, given)
    if not is_array(given) or given.ndim != 1:
        raise refused("the coefficients of a polynomial are no vector", "give one: np.array([a, b, c]).")
    return ""


def _kind(*given):
    """The dtype of numbers computed of vectors, numbers and lists, which are made vectors of floats."""
    return np.result_type(
        *(
            np.dtype(np.float64)
            if isinstance(each, types.BaseTuple)
            else as_dtype(types.unliteral(getattr(each, "dtype", each)))
            for each in given
        )
    )


def _sum(sign: str, a1, a2) -> str:
    """The sum of two polynomials, whose last coefficients belong together."""
    return f"""
{_vector("a1", a1)}{_vector("a2", a2)}n = max(a1.size, a2.size)
y = np.zeros(n, {dtype_text(_kind(a1, a2))})
y[n - a1.size :] = a1
y[n - a2.size :] {sign}= a2
return y
"""


@stands_for(np.polyadd, alone=True)
def polyadd(a1, a2):
    """Sums of polynomials, the highest coefficients first."""
    return _sum("+", a1, a2)


@stands_for(np.polysub, alone=True)
def polysub(a1, a2):
    """Differences of polynomials, the highest coefficients first."""
    return _sum("-", a1, a2)


@stands_for(np.polymul, alone=True)
def polymul(a1, a2):
    """Products of polynomials, without the zeros that they begin with."""
    return f"""
{_vector("a1", a1)}{_vector("a2", a2)}i, j = 0, 0
while i < a1.size - 1 and a1[i] == 0:
    i += 1
while j < a2.size - 1 and a2[j] == 0:
    j += 1
return np.convolve(a1[i:], a2[j:])
"""


@stands_for(np.polydiv, alone=True)
def polydiv(u, v):
    """Quotients of polynomials, and what remains, without what is zero to rounding at its beginning."""
    kind = dtype_text(np.result_type(_kind(u, v), np.float64))
    return f"""
{_vector("u", u)}{_vector("v", v)}m, n = u.size - 1, v.size - 1
q, r = np.zeros(max(m - n + 1, 1), {kind}), u.astype({kind})
for k in range(m - n + 1):
    q[k] = r[k] / v[0]
    r[k : k + n + 1] -= q[k] * v
k = 0
while k < r.size - 1 and abs(r[k]) <= 1e-8:
    k += 1
return q, r[k:]
"""


@stands_for(np.polyder, alone=True)
def polyder(p, m=1):
    """Slopes of polynomials, the highest coefficients first."""
    times = m if isinstance(m, int) else literal(m)
    if not isinstance(times, int) or times < 0:
        raise refused("the order of `np.polyder` is no number that is written out", "write it: m=2.")
    steps = ["y = y[:-1] * np.arange(y.size - 1, 0, -1)"] * times
    return "\n".join([f"{_vector('p', p)}y = {'p' if times else 'p.copy()'}", *steps, "return y"])


@stands_for(np.polyint, alone=True)
def polyint(p, m=1, k=None):
    """Integrals of polynomials, the highest coefficients first, with the constants `k`."""
    times = m if isinstance(m, int) else literal(m)
    if not isinstance(times, int) or times < 0:
        raise refused("the order of `np.polyint` is no number that is written out", "write it: m=2.")
    lines = [_vector("p", p), "y = p" if times else "y = p.copy()"]
    if is_none(k):
        lines.append(f"k = np.zeros(1, {dtype_text(np.result_type(_kind(p), np.float64))})")
    elif isinstance(types.unliteral(k), types.Number):
        lines.append("k = np.array([k * 1.0])")
    else:
        lines += [_vector("k", k), f"if k.size != 1 and k.size < {times}:"]
        lines.append('    raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")')
    for order in range(times):
        lines += [
            f"h = min({order}, k.size - 1)",
            "y = np.concatenate((y / np.arange(y.size, 0, -1), k[h : h + 1]))",
        ]
    return "\n".join([*(line for line in lines if line), "return y"])


ROOTS = """
y = np.zeros(r.size + 1, {kind})
y[{first}] = 1.0
for k in range(r.size):
    {step}
return y
"""


@stands_for(np.poly, alone=True)
def poly(seq_of_zeros):
    """The polynomial with these zeros, the highest coefficient first."""
    of_matrix = is_array(seq_of_zeros) and seq_of_zeros.ndim != 1
    if of_matrix or (is_array(seq_of_zeros) and not isinstance(seq_of_zeros.dtype, types.Float)):
        raise refused("`np.poly` is supported for real zeros", "give the vector of zeros.")
    head = f"{_vector('seq_of_zeros', seq_of_zeros)}r = seq_of_zeros"
    kind = dtype_text(_kind(seq_of_zeros))
    return head + ROOTS.format(kind=kind, first="0", step="y[1 : k + 2] = y[1 : k + 2] - r[k] * y[: k + 1]")


@stands_for(polynomial.polyfromroots, alone=True)
def polyfromroots(roots):
    """The polynomial with these zeros, the lowest coefficient first."""
    head = f"{_vector('roots', roots)}r = roots"
    kind = dtype_text(np.result_type(_kind(roots), np.float64))
    step = "y[r.size - k - 1 : r.size] = y[r.size - k - 1 : r.size] - r[k] * y[r.size - k :]"
    return head + ROOTS.format(kind=kind, first="r.size", step=step)


@stands_for(polynomial.polyval, first=True)
def polynomial_polyval(x, c, tensor=True):
    """A polynomial by Horner's scheme, its lowest coefficient first; Numba has that of vectors alone."""
    if not (is_array(x) or isinstance(types.unliteral(x), types.Number)) or isinstance(c, types.Number):
        return None
    if is_array(x) and is_array(c) and c.ndim != 1:
        return None
    head = _vector("c", c) if isinstance(c, types.BaseTuple) else ""
    start = "x * 0.0 + c[n - 1]"
    if is_array(x):
        start = f"np.full(x.shape, {dtype_text(np.result_type(_kind(x, c), np.float64))}(c[n - 1]))"
    return (
        f"{head}n = c.shape[0]\ny = {start}\nfor k in range(n - 2, -1, -1):\n    y = y * x + c[k]\nreturn y"
    )


@stands_for(polynomial.polyval2d, alone=True)
def polyval2d(x, y, c):
    """A polynomial of two variables."""
    if not is_array(c) or c.ndim != 2 or is_array(x) != is_array(y):
        raise refused(
            "`polyval2d` takes two numbers, or two arrays, and a matrix", "bring them to these forms."
        )
    zero = "np.zeros_like(x * y) * 1.0" if is_array(x) else "x * y * 0.0"
    return f"""
found = {zero}
for i in range(c.shape[0] - 1, -1, -1):
    row = {zero}
    for j in range(c.shape[1] - 1, -1, -1):
        row = row * y + c[i, j]
    found = found * x + row
return found
"""


@stands_for(polynomial.polyder, alone=True)
def polynomial_polyder(c, m=1, scl=1, axis=0):
    """Slopes of polynomials, the lowest coefficients first."""
    times = m if isinstance(m, int) else literal(m)
    if not isinstance(times, int) or times < 0 or not is_left_out(axis):
        raise refused("`polyder` is supported along one axis, m times as written out", "write it: m=2.")
    step = "y = y[1:] * np.arange(1, y.size) * scl if y.size > 1 else y[:1] * 0"
    lines = [
        f"{_vector('c', c)}y = c{' * 1.0' if times == 0 or isinstance(getattr(c, 'dtype', None), types.Integer) else ''}"
    ]
    return "\n".join([*lines, *[step] * times, "return y"])


@stands_for(polynomial.polyvander, alone=True)
def polyvander(x, deg):
    """The powers of numbers, as the columns of a matrix."""
    return _columns(x, "x", "0.0", "x")


class Family(NamedTuple):
    """The next polynomial of a family is `step` times the last one plus `back` times the one before; the nodes are by `squares`."""

    name: str
    module: Any
    step: str
    back: str
    first: str
    diagonal: str = "0.0"
    beside: str = ""
    total: float = 0.0


FAMILIES = (
    Family("cheb", chebyshev, "2.0 * x", "-1.0", "x"),
    Family(
        "leg",
        legendre,
        "((2.0 * k + 1.0) / (k + 1.0)) * x",
        "-k / (k + 1.0)",
        "x",
        beside="k / np.sqrt(4.0 * k * k - 1.0)",
        total=2.0,
    ),
    Family(
        "herm", hermite, "2.0 * x", "-2.0 * k", "2.0 * x", beside="np.sqrt(0.5 * k)", total=np.sqrt(np.pi)
    ),
    Family("herme", hermite_e, "x", "-1.0 * k", "x", beside="np.sqrt(k)", total=np.sqrt(2.0 * np.pi)),
    Family(
        "lag",
        laguerre,
        "(2.0 * k + 1.0 - x) / (k + 1.0)",
        "-k / (k + 1.0)",
        "1.0 - x",
        diagonal="2.0 * k + 1.0",
        beside="1.0 * k",
        total=1.0,
    ),
)
"""The families of orthogonal polynomials, with which a series or a matrix of them is computed."""


def _columns(x, step: str, back: str, first: str) -> str:
    """The polynomials of a family up to a degree, as the last axis of an array."""
    if not is_array(x) or not isinstance(x.dtype, types.Float | types.Complex):
        raise refused("the points of the matrix of polynomials are no array of floats", "give one.")
    shape, whole = ", ".join(f"x.shape[{axis}]" for axis in range(x.ndim)), ", ".join([":"] * x.ndim)
    return f"""
y = np.ones(({shape}, deg + 1), {dtype_text(as_dtype(x.dtype))})
if deg > 0:
    y[{whole}, 1] = {first}
for k in range(1, deg):
    y[{whole}, k + 1] = {step} * y[{whole}, k] + {back} * y[{whole}, k - 1]
return y
"""


def _give(family: Family) -> None:
    """Give Numba what NumPy has of a family: its series, their matrices, and the nodes of its quadrature."""

    def series(x, c, tensor=True):
        if not (is_array(x) or isinstance(types.unliteral(x), types.Number)):
            raise refused(
                "the points of a series are neither a number nor an array", "make an array of them."
            )
        if is_array(c) and c.ndim != 1:
            raise refused("a series is supported for one vector of coefficients", "call it for each one.")
        zero = (
            f"np.zeros(x.shape, {dtype_text(np.result_type(_kind(x, c), np.float64))})"
            if is_array(x)
            else "x * 0.0"
        )
        if not is_array(x) and is_array(c) and is_complex(c):
            zero += " + 0.0j"
        ends = f"b - ({family.first}) * after" if family.name == "cheb" else "b"
        following = family.back.replace("k", "(k + 1.0)")
        return f"""
{_vector("c", c)}b = {zero}
after = b
for k in range(c.size - 1, -1, -1):
    b, after = c[k] + {family.step} * b + {following} * after, b
return {ends}
"""

    def matrix(x, deg):
        return _columns(x, family.step, family.back, family.first)

    def nodes(deg):
        symmetric = "x = 0.5 * (x - x[::-1])" if family.diagonal == "0.0" else ""
        return f"""
if deg < 1:
    raise ValueError("deg must be a positive integer")
matrix, total = np.zeros((deg, deg)), np.zeros(deg)
for k in range(deg):
    matrix[k, k] = {family.diagonal}
    if k > 0:
        matrix[k, k - 1] = {family.beside}
        matrix[k - 1, k] = matrix[k, k - 1]
x = np.linalg.eigvalsh(matrix)
{symmetric}
before, last = np.zeros(deg), np.full(deg, {1.0 / np.sqrt(family.total or 1.0)})
for k in range(deg):
    total += last * last
    if k < deg - 1:
        beside = matrix[k, k - 1] if k > 0 else 0.0
        before, last = last, ((x - matrix[k, k]) * last - beside * before) / matrix[k + 1, k]
return x, 1.0 / total
"""

    for body, what in ((series, "val"), (matrix, "vander"), (nodes, "gauss")):
        body.__name__ = f"{family.name}{what}"
        if what != "gauss" or family.total:
            stands_for(getattr(family.module, body.__name__), alone=True)(body)


for _family in FAMILIES:
    _give(_family)


@stands_for(chebyshev.chebgauss, alone=True)
def chebgauss(deg):
    """Nodes and weights of Gauss and Chebyshev."""
    return """
if deg < 1:
    raise ValueError("deg must be a positive integer")
return np.cos(np.pi * np.arange(1, 2 * deg, 2) / (2.0 * deg)), np.full(deg, np.pi / deg)
"""


@stands_for(chebyshev.chebder, alone=True)
def chebder(c, m=1, scl=1, axis=0):
    """Slopes of Chebyshev series."""
    if not all(isinstance(each, int | types.Omitted) for each in (m, scl, axis)):
        raise refused("`chebder` is supported for one slope along one axis", "take one after the other.")
    kind = dtype_text(np.result_type(_kind(c), np.float64))
    return f"""
{_vector("c", c)}n = c.size - 1
y, rest = np.zeros(max(n, 1), {kind}), c * {kind}(1)
for k in range(n, 2, -1):
    y[k - 1] = 2 * k * rest[k]
    rest[k - 2] += k * rest[k] / (k - 2)
if n > 1:
    y[1] = 4 * rest[2]
if n > 0:
    y[0] = rest[1]
return y
"""
