"""`check_grads`: compare the pullback with differences of the function, in double precision.

Differences are central. Steps are halved, the differences are extrapolated to the limit (Ridders' scheme), and each
comes with an estimate of its own error. First, a few random directions of all arguments together are compared. Then,
if the function has few entries or a direction disagrees, entries are compared one by one.
"""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backsweep import requests
from backsweep.api.gradients import grad, jvp, transformed_for
from backsweep.boundary import boundary
from backsweep.diagnostics import ArgumentError, BacksweepError, Problem
from backsweep.display import markup
from backsweep.reading.callables import as_function
from backsweep.specialise.arguments import has_gradient
from backsweep.specialise.asked import hooks_of, options_of, parameter_names, python_of
from backsweep.specialise.pullback import forward_and_pullback, generators_around
from backsweep.tracebacks import hiding

Tree = Any
"""A number, an array, or a (nested) tuple, namedtuple or dataclass of them."""
Floats = NDArray[np.float64]

DIRECTIONS = 3
ALL_ENTRIES = 64
"""A function of at most so many entries has each of them checked."""
SEARCHED = 256
"""A disagreement is narrowed down to so many entries before each of them is tried."""
FIRST_STEP, SMALLEST_STEP, HALVINGS = 2.0**-5, 2.0**-40, 12
TOLERANCES = {"float64": (1e-6, 1e-8), "float32": (2e-3, 2e-4)}
"""Relative and absolute tolerance; where any argument or result is in single precision, the second row."""

CALLED = {"rev": "gradient", "fwd": "tangent"}
"""What each mode computes."""

BLIND = (
    "differences cannot see a derivative at a kink or a jump (abs at 0, max at a tie, a branch that switches) and are "
    "inaccurate near one. The derivative at such a point is declared in docs/rules.md. Move the arguments away from "
    "it and check again; if the entry still disagrees, the gradient is wrong."
)

FLAT = (
    "the derivative is exactly zero: the result depends on this through comparisons or whole numbers alone, as that of a search "
    "which halves an interval does. Give the search the derivative of the equation that it solves, by bs.root(solver, residual)."
)


class GradientError(BacksweepError, AssertionError):
    """A gradient disagrees with finite differences. It names the worst entry and gives both values."""


@dataclass(frozen=True, slots=True)
class Report:
    """What was compared and agreed. `worst` is the largest disagreement, as a multiple of the tolerance."""

    function: str
    names: tuple[str, ...]
    order: int
    directions: int
    entries: int
    rtol: float
    atol: float
    worst: float
    modes: tuple[str, ...] = ("rev",)

    def __str__(self) -> str:
        entries = "1 entry" if self.entries == 1 else f"{self.entries} entries"
        each = f"{self.directions} directions" + (f", {entries}" if self.entries else "")
        return (
            f"the {' and the '.join(CALLED[mode] for mode in self.modes)} of `{self.function}` with respect to {', '.join(self.names)} "
            f"{'agrees' if len(self.modes) == 1 else 'agree'} with differences "
            f"(order {self.order}; {each}; rtol {self.rtol:g}, atol {self.atol:g})"
        )

    def _repr_html_(self) -> str:
        """For notebooks."""
        verb = "agrees" if len(self.modes) == 1 else "agree"
        subject = f"The {' and the '.join(CALLED[mode] for mode in self.modes)} of {self.function} {verb} with differences"
        facts = {
            "with respect to": ", ".join(self.names),
            "order": str(self.order),
            "directions": str(self.directions),
            "entries": str(self.entries) if self.entries else "none: the directions are enough",
            "tolerance": f"{self.rtol:g} of the derivative, and {self.atol:g}",
            "largest disagreement": f"{self.worst:.2g} of the tolerance",
        }
        rows = [(markup.Cell(name, "faint"), markup.Cell(fact)) for name, fact in facts.items()]
        head = f'<div class="bs-title"><b class="bs-good">✓</b> {markup.escape(subject)}</div>'
        return markup.display(head + markup.table((), rows), markup.TABLE)

    def __repr__(self) -> str:
        return f"<check_grads: {self}>"


@hiding
def check_grads(
    f: Callable[..., Any],
    args: Sequence[Any],
    order: int = 1,
    modes: str | Sequence[str] = ("rev",),
    rtol: float | None = None,
    atol: float | None = None,
    wrt: str | Sequence[str] | None = None,
) -> Report:
    """Compare the gradient of a function with finite differences.

    Arguments:
        f: a function of floats, arrays and tuples of these, whose result is made of the same; for `order=2` it
            returns a float.
        args: a tuple of the arguments at which to compare.
        order: 1 checks the gradient; 2 also checks the gradient of the gradient.
        modes: "rev" checks the gradient (reverse mode), "fwd" the tangent (forward mode); a tuple checks both. At
            order 2, "fwd" is forward mode over the gradient.
        rtol: the relative tolerance. The default is 1e-6, or 2e-3 if an argument or result is float32.
        atol: the absolute tolerance for gradients of order one. The default is 1e-8, or 2e-4 for float32.
        wrt: names of the arguments to check. The default is every argument made of floats.

    Returns:
        A `Report`, which prints as one line.

    Raises:
        GradientError: they disagree. The error names the argument and the index of the worst entry that was found,
        and gives both values; it is an AssertionError, too. ArgumentError: the order, a mode or a name is
        unknown, or an argument is complex. Also what `grad` and `vjp` raise.

    For the differences the function runs as it is, not compiled, in double precision whatever the precision of the
    arguments. Differences say nothing at kinks and jumps (`abs` at 0, `max` at a tie): do not check there.

    Source: Ridders, Accurate computation of F'(x) and F'(x) F''(x) (1982).

    >>> import backsweep as bs
    >>> def square(x):
    ...     return x * x
    >>> print(bs.check_grads(square, (3.0,)))
    the gradient of `square` with respect to x agrees with differences (order 1; 3 directions, 1 entry; ...)
    """
    f = as_function(f)
    with boundary(f):
        args = requests.arguments("args", args)
        modes = requests.names("modes", modes)
        requests.tolerance("rtol", rtol)
        requests.tolerance("atol", atol)
        _check_request(order, modes)
        names = _checked_names(f, args, wrt)
    reports = [_check(f, args, names, 1, mode, rtol, atol) for mode in modes]
    if order == 2:
        positions = tuple(parameter_names(python_of(f)).index(name) for name in names)
        slope = grad(f, argnums=positions)
        reports += [_check(slope, args, names, 2, mode, rtol, atol) for mode in modes]
    worst = max(report.worst for report in reports)
    return dataclasses.replace(reports[-1], worst=worst, modes=modes)


def _check_request(order: int, modes: Sequence[str]) -> None:
    """Only the two modes, and orders one and two."""
    for mode in modes:
        if mode not in CALLED:
            remedy = 'choose from "rev" and "fwd".'
            raise ArgumentError(Problem("BS408", f"there is no mode {mode!r}", remedy=remedy))
    if not modes:
        raise ArgumentError(Problem("BS408", "`modes` is empty", remedy='choose from "rev" and "fwd".'))
    if not requests.is_whole(order) or order not in (1, 2):
        raise ArgumentError(
            Problem(
                "BS408",
                f"gradients of order {requests.shown(order)} are not checked",
                remedy="pass order=1 or order=2.",
            )
        )


def _checked_names(
    f: Callable[..., Any], args: tuple[Any, ...], wrt: str | Sequence[str] | None
) -> tuple[str, ...]:
    """The names of the arguments to check; there is at least one, and none is complex."""
    parameters = parameter_names(python_of(f))
    given = dict(zip(parameters, args, strict=False))
    if wrt is None:
        names = tuple(name for name, argument in given.items() if has_gradient(argument))
    else:
        names = requests.names("wrt", wrt)
    if not names:
        remedy = "pass floats (1.0 instead of 1) or arrays of floats."
        raise ArgumentError(Problem("BS403", "no argument has a gradient to check", remedy=remedy))
    for name in names:
        if name not in given:
            remedy = f"choose from {', '.join(given) or 'none: there are no arguments'}."
            raise ArgumentError(Problem("BS404", f"there is no argument `{name}`", remedy=remedy))
        if any(np.asarray(leaf).dtype.kind == "c" for _, leaf in leaves(given[name])):
            remedy = "check a function of the real and the imaginary part."
            raise ArgumentError(
                Problem("BS403", f"the argument `{name}` is complex and cannot be checked", remedy=remedy)
            )
    return names


def _check(
    f: Callable[..., Any],
    args: tuple[Any, ...],
    names: tuple[str, ...],
    order: int,
    mode: str,
    rtol: float | None,
    atol: float | None,
) -> Report:
    """Compare one function's pullback or tangent with its differences; raises GradientError at the worst entry."""
    pulled = transformed_for("vjp", f, names, False, options_of(f, {}), hooks_of(f, None), has_aux=False)
    around = _Around(generators_around(pulled, args))
    result, pullback = forward_and_pullback(pulled, cloned(args))
    rng = np.random.default_rng(0)
    cotangent = _drawn_like(result, rng)
    parameters = parameter_names(python_of(f))
    at = [parameters.index(name) for name in names]
    checked = tuple(args[position] for position in at)
    single = any(np.asarray(leaf).dtype == np.float32 for _, leaf in (*leaves(checked), *leaves(result)))
    relative, absolute = TOLERANCES["float32" if single else "float64"]
    name = getattr(python_of(f), "__name__", repr(f))
    comparison = _Comparison(
        function=name,
        order=order,
        mode=mode,
        names=names,
        value=_Weighted(f, widened(args), tuple(at), widened(cotangent), around),
        gradient=flat(pullback(cotangent)),
        slope=None if mode == "rev" else _Tangent(f, args, names, tuple(at), cotangent, around),
        rtol=relative if rtol is None else rtol,
        atol=absolute if atol is None else atol,
    )
    try:
        return comparison.run(rng)
    finally:
        around.restore()


class _Around:
    """The generators of random numbers that a function reads around it: each run draws what the first one drew."""

    def __init__(self, generators: Sequence[np.random.Generator]) -> None:
        self.states = [(each, each.bit_generator.state) for each in generators]

    def restore(self) -> None:
        """Put the generators into the state that they were in at first."""
        for each, state in self.states:
            each.bit_generator.state = state


@dataclass(frozen=True, slots=True)
class _Weighted:
    """`<cotangent, f(args + step * direction)>` as a function of the step, in double precision."""

    f: Callable[..., Any]
    args: tuple[Any, ...]
    at: tuple[int, ...]
    cotangent: Tree
    around: _Around

    @property
    def start(self) -> Floats:
        """The checked arguments' entries."""
        return flat(tuple(self.args[position] for position in self.at))

    def paths(self) -> list[tuple[int, str, tuple[int, ...]]]:
        """For each array or number among the checked arguments: its argument, its path there, its shape."""
        return [
            (number, path, np.shape(leaf))
            for number, position in enumerate(self.at)
            for path, leaf in leaves(self.args[position])
            if _is_float(leaf)
        ]

    def along(self, direction: Floats, step: float) -> float:
        """The value a step along the direction; nan where the function is not defined."""
        moved = list(cloned(self.args))
        entries = _Entries(self.start + step * direction)
        for position in self.at:
            moved[position] = map_leaves(entries.take, moved[position])
        self.around.restore()
        try:
            with np.errstate(all="ignore"):
                result = self.f(*moved)
        except (ValueError, ZeroDivisionError, OverflowError):
            return math.nan
        return float(np.dot(flat(self.cotangent), flat(result)))


@dataclass(frozen=True, slots=True)
class _Tangent:
    """`<cotangent, y_dot>` as a function of the direction, by forward mode."""

    f: Callable[..., Any]
    args: tuple[Any, ...]
    names: tuple[str, ...]
    at: tuple[int, ...]
    cotangent: Tree
    around: _Around

    def __call__(self, direction: Floats) -> float:
        self.around.restore()
        entries = _Entries(direction)
        dots = tuple(map_leaves(entries.take, widened(self.args[position])) for position in self.at)
        _, y_dot = jvp(self.f, cloned(self.args), dots, wrt=self.names)
        return float(np.dot(flat(self.cotangent), flat(y_dot)))


@dataclass(slots=True)
class _Entries:
    """Hands entries back to the arrays and numbers that they came from, in order."""

    values: Floats
    used: int = 0

    def take(self, leaf: Any) -> Any:
        """A leaf with the next entries in place of its own."""
        if not _is_float(leaf):
            return leaf
        size = int(np.size(leaf))
        part = self.values[self.used : self.used + size]
        self.used += size
        if not isinstance(leaf, np.ndarray):
            return float(part[0])
        leaf[...] = part.reshape(leaf.shape)
        return leaf


@dataclass(frozen=True, slots=True)
class _Comparison:
    """A gradient, the function it belongs to, and how close it must be to the differences.

    `slope` gives the derivative along a direction; it is that of the gradient if None.
    """

    function: str
    order: int
    mode: str
    names: tuple[str, ...]
    value: _Weighted
    gradient: Floats
    slope: Callable[[Floats], float] | None
    rtol: float
    atol: float

    def run(self, rng: np.random.Generator) -> Report:
        """Directions, then entries where that is called for; raises GradientError at the worst entry."""
        size = self.gradient.size
        scale = np.maximum(1.0, np.abs(self.value.start))
        directions = [scale * _signs(rng, size) * rng.uniform(0.5, 1.5, size) for _ in range(DIRECTIONS)]
        excesses = [self.excess(direction)[0] for direction in directions]
        entries: Sequence[int] = range(size) if size <= ALL_ENTRIES else ()
        worst = int(np.argmax(excesses))
        if not excesses[worst] <= 1.0:
            entries = self.narrowed(directions[worst])
        found = [(self.excess(_unit(size, entry, scale))[0], entry) for entry in entries]
        wrong = [pair for pair in found if not pair[0] <= 1.0]
        if wrong:
            raise self.error(
                max(wrong, key=lambda pair: math.inf if math.isnan(pair[0]) else pair[0])[1], scale
            )
        if not excesses[worst] <= 1.0:
            raise self.error_along(directions[worst])
        largest = max([*excesses, *(excess for excess, _ in found)], default=0.0)
        return Report(
            self.function, self.names, self.order, DIRECTIONS, len(entries), self.rtol, self.atol, largest
        )

    def excess(self, direction: Floats) -> tuple[float, float, float, float]:
        """Along a direction: the disagreement over its tolerance, ours, the differences', the tolerance."""
        ours = float(np.dot(self.gradient, direction)) if self.slope is None else self.slope(direction)
        theirs, doubt = difference(lambda step: self.value.along(direction, step))
        reach = float(np.max(np.abs(direction), initial=0.0))
        size = max(float(np.dot(np.abs(self.gradient), np.abs(direction))), abs(theirs))
        allowed = self.rtol * size + self.atol * reach
        # The differences' own error is forgiven, as long as it leaves something to compare with.
        tolerance = allowed + min(10.0 * doubt, 1e3 * allowed)
        return abs(ours - theirs) / max(tolerance, 1e-300), ours, theirs, tolerance

    def narrowed(self, direction: Floats) -> Sequence[int]:
        """A few entries among which the direction still disagrees, found by halving."""
        entries = np.arange(direction.size)
        while entries.size > SEARCHED:
            halves = np.array_split(entries, 2)
            parts = []
            for half in halves:
                part = np.zeros_like(direction)
                part[half] = direction[half]
                parts.append(self.excess(part)[0])
            entries = halves[0] if math.isnan(parts[0]) or parts[0] >= parts[1] else halves[1]
        return [int(entry) for entry in entries]

    def error(self, entry: int, scale: Floats) -> GradientError:
        """The error for one entry."""
        _, ours, theirs, tolerance = self.excess(_unit(self.gradient.size, entry, scale))
        step = float(scale[entry])
        return self._error(f"at {self.place(entry)}", ours / step, theirs / step, tolerance / step)

    def error_along(self, direction: Floats) -> GradientError:
        """The error for a direction that no single entry accounts for."""
        _, ours, theirs, tolerance = self.excess(direction)
        return self._error(
            "along a random direction, and no single entry stands out", ours, theirs, tolerance
        )

    def _error(self, where: str, ours: float, theirs: float, tolerance: float) -> GradientError:
        what = CALLED[self.mode] if self.order == 1 else f"{CALLED[self.mode]} of the gradient"
        message = (
            f"the {what} of `{self.function}` disagrees with differences {where}: "
            f"{CALLED[self.mode]} {ours!r}, differences {theirs!r}, "
            f"off by {abs(ours - theirs):.3g} where {tolerance:.3g} is allowed (rtol {self.rtol:g}, atol {self.atol:g})"
        )
        flat = ours == 0.0 and self.order == 1 and abs(theirs) > tolerance
        return GradientError(
            Problem("BS601", message, remedy=f"{FLAT} Otherwise, {BLIND}" if flat else BLIND)
        )

    def place(self, entry: int) -> str:
        """The argument and the index of an entry, as Python would write it."""
        for number, path, shape in self.value.paths():
            size = math.prod(shape)
            if entry < size:
                index = ", ".join(str(int(i)) for i in np.unravel_index(entry, shape)) if shape else ""
                return self.names[number] + path + (f"[{index}]" if index else "")
            entry -= size
        raise IndexError(entry)


def difference(along: Callable[[float], float]) -> tuple[float, float]:
    """The derivative of `along` at 0 and the estimate of its error, by extrapolated central differences."""
    best, error = math.nan, math.inf
    previous: list[float] = []
    step = FIRST_STEP
    while len(previous) < HALVINGS and step > SMALLEST_STEP:
        above, below = along(step), along(-step)
        if not math.isfinite(above - below):
            # A step out of the function's domain: nothing is learnt, smaller ones may stay within.
            previous, step = [], 0.5 * step
            continue
        rounding = 4.0 * np.finfo(float).eps * max(abs(above), abs(below)) / step
        row = [(above - below) / (2.0 * step)]
        for order, coarser in enumerate(previous, start=1):
            row.append(row[-1] + (row[-1] - coarser) / (4.0**order - 1.0))
            change = max(abs(row[-1] - row[-2]), abs(row[-1] - coarser)) + rounding
            if change <= error:
                best, error = row[-1], change
        previous, step = row, 0.5 * step
    return best, error


def _signs(rng: np.random.Generator, size: int) -> Floats:
    return np.where(rng.random(size) < 0.5, -1.0, 1.0)


def _unit(size: int, entry: int, scale: Floats) -> Floats:
    direction = np.zeros(size)
    direction[entry] = scale[entry]
    return direction


def leaves(tree: Tree, path: str = "") -> Iterator[tuple[str, Any]]:
    """The numbers and arrays of a tree in order, each with the text that reads it from the tree."""
    if isinstance(tree, tuple | list):
        names = getattr(tree, "_fields", None)
        for number, item in enumerate(tree):
            yield from leaves(item, f"{path}.{names[number]}" if names else f"{path}[{number}]")
    elif dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        for field in dataclasses.fields(tree):
            yield from leaves(getattr(tree, field.name), f"{path}.{field.name}")
    else:
        yield path, tree


def map_leaves(change: Callable[[Any], Any], tree: Tree) -> Tree:
    """The same structure with each leaf changed."""
    if isinstance(tree, list):
        return [map_leaves(change, item) for item in tree]
    if isinstance(tree, tuple):
        items = [map_leaves(change, item) for item in tree]
        return type(tree)(*items) if hasattr(tree, "_fields") else tuple(items)
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        names = [field.name for field in dataclasses.fields(tree)]
        return dataclasses.replace(tree, **{name: map_leaves(change, getattr(tree, name)) for name in names})
    return change(tree)


def cloned(tree: Tree) -> Tree:
    """A copy, memory layout kept; a copy of a generator draws the same numbers."""

    def copied(leaf: Any) -> Any:
        if isinstance(leaf, np.ndarray):
            return leaf.copy(order="K")
        return copy.deepcopy(leaf) if isinstance(leaf, np.random.Generator) else leaf

    return map_leaves(copied, tree)


def widened(tree: Tree) -> Tree:
    """A copy in double precision."""

    def widen(leaf: Any) -> Any:
        if not _is_float(leaf):
            return leaf
        return leaf.astype(np.float64, order="K") if isinstance(leaf, np.ndarray) else float(leaf)

    return map_leaves(widen, cloned(tree))


def flat(tree: Tree) -> Floats:
    """The entries of all float leaves, one after the other."""
    parts = [np.ravel(np.asarray(leaf, dtype=np.float64)) for _, leaf in leaves(tree) if _is_float(leaf)]
    return np.concatenate([np.zeros(0), *parts])


def _drawn_like(result: Tree, rng: np.random.Generator) -> Tree:
    """A random cotangent for a result; 1 for a number alone, whose gradient users know."""
    if not isinstance(result, tuple | list | np.ndarray) and not dataclasses.is_dataclass(result):
        return 1.0

    def draw(leaf: Any) -> Any:
        if not _is_float(leaf):
            return np.zeros_like(leaf) if isinstance(leaf, np.ndarray) else 0
        drawn = rng.uniform(0.5, 1.5, np.shape(leaf))
        return drawn.astype(leaf.dtype) if isinstance(leaf, np.ndarray) else float(drawn)

    return map_leaves(draw, result)


def _is_float(leaf: Any) -> bool:
    """Whether a leaf is a real float or an array of them."""
    if isinstance(leaf, np.ndarray):
        return bool(leaf.dtype.kind == "f")
    return isinstance(leaf, float | np.floating)
