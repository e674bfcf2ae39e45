"""Distances of `scipy.spatial.distance`, of two vectors and of all pairs of rows, as loops over their entries.

A distance that is a root has no derivative where the points coincide. It is 0 there by convention, as that of `np.linalg.norm` is, and
has no derivative itself (`kink`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.core import types
from scipy.spatial import distance

from backsweep.runtime.overloads.forms import NumbaType, is_complex, is_none, refused
from backsweep.runtime.samples.lines import is_number, is_sampled, of_samples, option, taken_note_of
from backsweep.runtime.special import length_of_number
from backsweep.runtime.support.compiled import kernel
from backsweep.runtime.support.marks import stop_gradient

HOME = "scipy.spatial.distance"


def register() -> None:
    """Tell Numba of these functions."""
    taken_note_of()


@kernel
def root(square: float) -> float:
    """The square root, whose derivative at 0 is 0 by convention."""
    return 0.0 if square == 0.0 else np.sqrt(square)


@kernel
def root_of_order(total: float, p: float) -> float:
    """The root of any order, whose derivative at 0 is 0 by convention."""
    return 0.0 if total == 0.0 else total ** (1.0 / p)


@kernel
def kink(step: float) -> float:
    """0: a length along a step of 0, whose derivative is 0 by convention, and has no derivative."""
    return length_of_number(step) if step == 0.0 else 0.0


@kernel
def from_cosine(product: float, one: float, other: float):
    """What a cosine lacks to 1, by products. Rounding errors are cut off from the value alone: its derivatives stay."""
    lack = 1.0 - product / np.sqrt(one * other)
    return float(lack + stop_gradient(min(max(lack, 0.0), 2.0) - lack))


NAMES: dict[str, Any] = {
    "root": root,
    "root_of_order": root_of_order,
    "kink": kink,
    "from_cosine": from_cosine,
}
"""What the texts call."""


@dataclass(frozen=True, slots=True)
class Metric:
    """How a distance is computed: what its sums start with, what each pair of entries does to them, and the distance by them.

    `{d}`, `{a}` and `{b}` stand for the difference and the entries, `{w}` for a weight and a multiplication sign, if there are weights.
    What each pair adds where the distance is 0 is 0, with derivatives as the distance has there.
    """

    starts: Sequence[str]
    steps: Sequence[str]
    result: str
    at_zero: str = ""


NO_NEGATIVE = 'if np.any(w < 0.0):\n    raise ValueError("Input weights should be all non-negative")\n'
"""The statement that checks weights."""
_SUM = ("total = 0.0",)
METRICS = {
    "euclidean": Metric(_SUM, ("total += {w}({d}) ** 2",), "root(total)", "kink({d})"),
    "sqeuclidean": Metric(_SUM, ("total += {w}({d}) ** 2",), "total"),
    "seuclidean": Metric(_SUM, ("total += ({d}) ** 2 / V[k]",), "root(total)", "kink({d})"),
    "cityblock": Metric(_SUM, ("total += {w}abs({d})",), "total"),
    "chebyshev": Metric(
        _SUM,
        ("step = abs({d})", "if {positive}not step <= total:", "    total = step"),
        "total",
        "abs({w}({d}))",
    ),
    "minkowski": Metric(
        _SUM,
        ("if p < 1.0 and {d} == 0.0:", "    total += {w}kink({d})", "else:", "    total += {w}abs({d}) ** p"),
        "root_of_order(total, p)",
        "kink({d})",
    ),
    "cosine": Metric(
        ("product = 0.0", "one = 0.0", "other = 0.0"),
        ("product += {w}{a} * {b}", "one += {w}{a} ** 2", "other += {w}{b} ** 2"),
        "from_cosine(product, one, other)",
    ),
    "braycurtis": Metric(
        ("apart = 0.0", "together = 0.0"),
        ("apart += {w}abs({d})", "together += {w}abs({a} + {b})"),
        "apart / together",
    ),
    "canberra": Metric(
        _SUM, ("size = abs({a}) + abs({b})", "if size != 0.0:", "    total += {w}abs({d}) / size"), "total"
    ),
}
ALIKE = {"sqeuclid": "sqeuclidean", "euclid": "euclidean", "cos": "cosine", "manhattan": "cityblock"}
"""Other names of metrics that SciPy takes."""


def _pair(metric: str, a: str, b: str, extent: str, weighted: bool) -> tuple[list[str], str]:
    """The statements that compute a distance of two points, and the text of the distance."""
    chosen, weight = METRICS[metric], "w[k] * " if weighted else ""
    filled = {
        "a": a,
        "b": b,
        "d": f"{a} - {b}",
        "w": weight,
        "positive": "w[k] > 0.0 and " if weighted else "",
    }
    loop = f"for k in range({extent}):"
    steps = [f"    {each.format(**filled)}" for each in chosen.steps]
    lines = [*chosen.starts, loop, *steps]
    if not chosen.at_zero:
        return lines, chosen.result
    return [*lines, *_with_kink(chosen.result, loop, chosen.at_zero.format(**filled))], "length"


def _with_kink(length: str, loop: str, part: str) -> list[str]:
    """The statements that compute a distance of its sums, and at 0 add what the distance has there of each pair of entries."""
    return [f"length = {length}", "if length == 0.0:", f"    {loop}", f"        length += {part}"]


def _real(function: str, type_: NumbaType, ndim: int) -> bool:
    """Whether an argument is an array of real numbers with so many axes; others are refused."""
    if not is_sampled(function, type_):
        return False
    if is_complex(type_) or type_.ndim != ndim:
        what = "vectors" if ndim == 1 else "matrices"
        raise refused(f"`{function}` is supported for real {what}", "give their entries as float64.")
    return True


def _order(function: str, p: NumbaType) -> str:
    """The statements that check the order of a distance of Minkowski's."""
    if not is_number(p):
        raise refused(f"`p` of `{function}` is no number", "give one above zero.")
    return 'if p <= 0:\n    raise ValueError("p must be greater than 0")\n'


def _of_vectors(metric: str, u: NumbaType, v: NumbaType, more: NumbaType) -> str | None:
    """The body that computes the distance of two vectors."""
    name = f"{HOME}.{metric}"
    if not _real(name, u, 1) or not _real(name, v, 1) or not (is_none(more) or _real(name, more, 1)):
        return None
    lines, result = _pair(metric, "u[k]", "v[k]", "u.size", metric != "seuclidean" and not is_none(more))
    if metric == "euclidean" and is_none(more):
        lines, result = [], "np.linalg.norm(u * 1.0 - v)"  # its square is a sum of squares
    check = ["if u.size != v.size:", '    raise ValueError("the vectors have other lengths")']
    if metric != "seuclidean" and not is_none(more):
        check.append(NO_NEGATIVE.rstrip())
    if metric == "minkowski":
        largest, greatest = _pair("chebyshev", "u[k]", "v[k]", "u.size", not is_none(more))
        inside = [*largest, f"return {greatest}"]
        check += ["if p == np.inf:", *(f"    {line}" for line in inside)]
    return "\n".join([*check, *lines, f"return {result}"])


def _weighted(metric: str):
    """The overload for a distance of two vectors, with weights."""

    def of_two(u, v, w=None):
        return _of_vectors(metric, u, v, w)

    of_two.__name__ = metric
    return of_two


for _name in ("euclidean", "sqeuclidean", "cityblock", "chebyshev", "cosine", "braycurtis", "canberra"):
    of_samples(getattr(distance, _name), **NAMES)(_weighted(_name))


@of_samples(distance.minkowski, **NAMES)
def minkowski(u, v, p=2, w=None):
    """The root of the sum of powers."""
    body = _of_vectors("minkowski", u, v, w)
    return None if body is None else _order(f"{HOME}.minkowski", p) + body


@of_samples(distance.seuclidean, **NAMES)
def seuclidean(u, v, V):
    """The distance in units of deviations, of which `V` has the squares."""
    return _of_vectors("seuclidean", u, v, V)


@of_samples(distance.mahalanobis, **NAMES)
def mahalanobis(u, v, VI):
    """The distance by the inverse of a covariance."""
    name = f"{HOME}.mahalanobis"
    if not _real(name, u, 1) or not _real(name, v, 1) or not _real(name, VI, 2):
        return None
    lines = [
        "total = 0.0",
        "for i in range(u.size):",
        "    for j in range(u.size):",
        "        total += (u[i] - v[i]) * VI[i, j] * (u[j] - v[j])",
        *_with_kink("root(total)", "for k in range(u.size):", "kink(u[k] - v[k])"),
    ]
    return "\n".join([*lines, "return length"])


@of_samples(distance.correlation, **NAMES)
def correlation(u, v, w=None, centered=True):
    """What the correlation lacks to 1."""
    name = f"{HOME}.correlation"
    body = _of_vectors("cosine", u, v, w)
    if body is None or not option(name, "centered", centered, True, False):
        return body
    means = "np.mean(u), np.mean(v)" if is_none(w) else "np.sum(w * u) / np.sum(w), np.sum(w * v) / np.sum(w)"
    centred = body.replace("u[k]", "(u[k] - middle)").replace("v[k]", "(v[k] - centre)")
    return f"middle, centre = {means}\n{centred}"


def _of_rows(
    function: str, metric: NumbaType, given: dict[str, NumbaType], a: str, b: str
) -> tuple[str, list[str], str]:
    """What comes before the loops over rows, the statements within, and the text of the distance."""
    asked = option(function, "metric", metric)
    name = ALIKE.get(str(asked).lower(), str(asked).lower())
    if name not in METRICS and name not in ("correlation", "mahalanobis"):
        known = ", ".join(repr(each) for each in (*METRICS, "correlation", "mahalanobis"))
        raise refused(f"`{function}` is not supported with metric={asked!r}", f"write one of {known}.")
    needed = {"seuclidean": "V", "mahalanobis": "VI"}.get(name)
    allowed = {needed, "p" if name == "minkowski" else None, None if needed else "w"}
    for each, type_ in given.items():
        if not is_none(type_) and each not in allowed:
            raise refused(f"`{function}` takes no `{each}` with metric={asked!r}", f"leave `{each}=` out.")
        if each != "p" and not is_none(type_):
            _real(function, type_, 2 if each == "VI" else 1)
    if needed and is_none(given[needed]):
        raise refused(
            f"`{function}` is supported with metric={asked!r} if `{needed}` is given",
            f"compute it of the points, and give {needed}=.",
        )
    head = ""
    if not is_none(given["w"]):
        head = NO_NEGATIVE
    if name == "minkowski":
        infinite = f"with p=inf, write metric='chebyshev' in `{function}`"
        check = f"if p == np.inf:\n    raise ValueError({infinite!r})\n"
        head += "p = 2\n" if is_none(given["p"]) else _order(function, given["p"]) + check
    if name == "mahalanobis":
        lines = ["total = 0.0", f"for k in range({a}.shape[1]):", f"    for m in range({a}.shape[1]):"]
        step = f"({a}[i, k] - {b}[j, k]) * VI[k, m] * ({a}[i, m] - {b}[j, m])"
        kinked = _with_kink("root(total)", lines[1], f"kink({a}[i, k] - {b}[j, k])")
        return head, [*lines, f"        total += {step}", *kinked], "length"
    one, other = f"{a}[i, k]", f"{b}[j, k]"
    if name == "correlation":
        if not is_none(given["w"]):
            raise refused(f"`{function}` takes no `w` with metric={asked!r}", "leave `w=` out.")
        name = "cosine"
        head = "".join(
            f"{each} = {each} - np.sum({each}, 1)[:, np.newaxis] / {each}.shape[1]\n"
            for each in dict.fromkeys((a, b))
        )
    lines, result = _pair(name, one, other, f"{a}.shape[1]", name != "seuclidean" and not is_none(given["w"]))
    return head, lines, result


def _stored(lines: Sequence[str], depth: int) -> list[str]:
    """The statements within loops."""
    return [f"{'    ' * depth}{line}" for line in lines]


@of_samples(distance.cdist, **NAMES)
def cdist(XA, XB, metric="euclidean", out=None, p=None, w=None, V=None, VI=None):
    """The distances of the rows of two matrices."""
    name = f"{HOME}.cdist"
    if not _real(name, XA, 2) or not _real(name, XB, 2):
        return None
    option(name, "out", out, None)
    given = {"p": p, "w": w, "V": V, "VI": VI}
    head, lines, result = _of_rows(name, metric, given, "XA", "XB")
    other = "XA and XB must have the same number of columns (i.e. feature dimension.)"
    return "\n".join(
        [
            "if XA.shape[1] != XB.shape[1]:",
            f"    raise ValueError({other!r})",
            f"{head}found = np.empty((XA.shape[0], XB.shape[0]))",
            "for i in range(XA.shape[0]):",
            "    for j in range(XB.shape[0]):",
            *_stored([*lines, f"found[i, j] = {result}"], 2),
            "return found",
        ]
    )


@of_samples(distance.pdist, **NAMES)
def pdist(X, metric="euclidean", out=None, p=None, w=None, V=None, VI=None):
    """The distances of all pairs of the rows of a matrix."""
    name = f"{HOME}.pdist"
    if not _real(name, X, 2):
        return None
    option(name, "out", out, None)
    given = {"p": p, "w": w, "V": V, "VI": VI}
    head, lines, result = _of_rows(name, metric, given, "X", "X")
    return "\n".join(
        [
            f"{head}count = X.shape[0]",
            "found = np.empty(count * (count - 1) // 2)",
            "for i in range(count):",
            "    for j in range(i + 1, count):",
            *_stored([*lines, f"found[count * i - i * (i + 1) // 2 + j - i - 1] = {result}"], 2),
            "return found",
        ]
    )


@of_samples(distance.squareform)
def squareform(X, force="no", checks=True):
    """The symmetric matrix with these entries beside its diagonal, or these entries of such a matrix."""
    name = f"{HOME}.squareform"
    if not is_sampled(name, X):
        return None
    kind = (
        "np.int64"
        if isinstance(X.dtype, types.Integer)
        else "np.complex128"
        if is_complex(X)
        else "np.float64"
    )
    asked = str(option(name, "force", force)).lower()
    if X.ndim > 2 or (asked == "tomatrix" and X.ndim != 1) or (asked == "tovector" and X.ndim != 2):
        raise refused(f"`{name}` takes a vector or a matrix, as `force` says", "check its axes.")
    if X.ndim == 1:
        return f"""
count = int(np.ceil(np.sqrt(X.size * 2.0)))
if X.size == 0:
    count = 1
if count * (count - 1) != X.size * 2:
    raise ValueError("Incompatible vector size. It must be a binomial coefficient n choose 2 for some integer n >= 2.")
found = np.zeros((count, count), {kind})
for i in range(count):
    for j in range(i + 1, count):
        found[i, j] = X[count * i - i * (i + 1) // 2 + j - i - 1]
        found[j, i] = X[count * i - i * (i + 1) // 2 + j - i - 1]
return found
"""
    check = ""
    if option(name, "checks", checks, True, False):
        check = """
for i in range(X.shape[0]):
    if X[i, i] != 0:
        raise ValueError("Distance matrix 'X' diagonal must be zero.")
    for j in range(i):
        if X[i, j] != X[j, i]:
            raise ValueError("Distance matrix 'X' must be symmetric.")"""
    return f"""
if X.shape[0] != X.shape[1]:
    raise ValueError("The matrix argument must be square."){check}
count = X.shape[0]
found = np.zeros(count * (count - 1) // 2, {kind})
for i in range(count):
    for j in range(i + 1, count):
        found[count * i - i * (i + 1) // 2 + j - i - 1] = X[i, j]
return found
"""
