"""Compare a derivative written by hand with Backsweep's and with differences, and time both."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from backsweep.api.checking import difference
from backsweep.api.derivatives import hessian, jacobian
from backsweep.api.gradients import grad, value_and_grad
from backsweep.diagnostics import BacksweepError
from backsweep.inspect.audit.pairs import Function, Pair, code_lines, plain, text_of
from backsweep.inspect.audit.points import FAILURES, Args, Floats, copied, found_points, larger, numbers

Verdict = Literal["right", "close", "wrong", "unclear", "not run"]
Kind = Literal["gradient", "value and gradient", "slope", "jacobian", "hessian"]

POINTS = 5
RIGHT, CLOSE = 1e-6, 1e-3
"""Errors, relative to the largest entry, up to which a derivative is right, and up to which it is called close."""
SURE = 1e-4
"""How far Backsweep and the differences may differ where they are to decide."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What became of one pair: `error` is relative to the largest entry; `entry`, `by_hand` and `expected` are where it is largest.

    Times are medians in microseconds, and None where Backsweep refuses; `lines` are those of the derivative.
    """

    pair: Pair
    verdict: Verdict
    kind: Kind | None = None
    domain: str = ""
    error: float = 0.0
    entry: tuple[int, ...] = ()
    by_hand: float = 0.0
    expected: float = 0.0
    differences: float = 0.0
    at: Args = ()
    hand_time: float | None = None
    our_time: float | None = None
    lines: int = 0
    note: str = ""


def audited(pair: Pair, args: Args | None = None, calls: int = 301) -> Finding:
    """Check and time a pair, at the given arguments or at random ones."""
    lines = code_lines(text_of(pair.derivative))

    def fits(point: Args) -> bool:
        return kind_of(pair, point) is not None

    domain, points = found_points(pair, POINTS, fits) if args is None else ("given", [args])
    kind = kind_of(pair, points[0]) if points else None
    if kind is None:
        note = "no arguments found with which its result is a derivative by the first of them; give some by --args"
        return Finding(pair, "not run", lines=lines, note=note)
    note = _value_note(pair, kind, points)
    value = value_of(replace(pair, function=None) if note else pair)
    ours: Function | None = derivative_of(kind, value)
    refused = ""
    try:
        assert ours is not None
        ours(*copied(points[0]))
    except BacksweepError as error:
        ours, refused = None, str(error).partition("\n")[0]
    compared = [_compared(pair, kind, value, ours, point) for point in points]
    decided = [each for each in compared if each.verdict != "unclear"]
    worst = max(decided or compared, key=lambda each: each.error)
    notes = [refused, note]
    if len(decided) < len(compared):
        notes.append(
            f"differences decide nothing at {len(compared) - len(decided)} of {len(compared)} points"
        )
    if worst.verdict == "wrong" and domain == "any":
        _, positive = found_points(pair, POINTS, fits, ("positive",))
        elsewhere = [_compared(pair, kind, value, ours, point).verdict for point in positive]
        if elsewhere and "wrong" not in elsewhere:
            notes.append("right for positive arguments")
    timed = larger(pair, domain, points[0], fits)
    hand_time, *others = medians((pair.derivative, *([] if ours is None else [ours])), timed, calls)
    return replace(
        worst,
        domain=domain,
        lines=lines,
        hand_time=hand_time,
        our_time=others[0] if others else None,
        note="; ".join(filter(None, notes)),
    )


def kind_of(pair: Pair, args: Args) -> Kind | None:
    """What the derivative returns, by the shapes of its result, of the function's and of the first argument."""
    result = plain(pair.derivative)(*copied(args))
    given = np.shape(args[0])
    if isinstance(result, tuple) and len(result) == 2:
        first, second = map(np.shape, result)
        return "value and gradient" if first == () and second == given else None
    if pair.function is None or isinstance(result, tuple):
        return None
    value, shape = np.shape(plain(pair.function)(*copied(args))), np.shape(result)
    if value == () and shape == given:
        return "gradient"
    if value == () and shape == given + given:
        return "hessian"
    if value == shape == given:
        return "slope"
    return "jacobian" if value != () and shape == value + given else None


def value_of(pair: Pair) -> Function:
    """The function to differentiate. Without one it is the first thing that the derivative returns."""
    if pair.function is not None:
        return pair.function
    both = pair.derivative

    def value(x: Any, *others: Any) -> Any:
        return both(x, *others)[0]

    return value


def derivative_of(kind: Kind, value: Function) -> Function:
    """Backsweep's derivative of this kind."""
    match kind:
        case "value and gradient":
            return value_and_grad(value)
        case "hessian":
            return hessian(value)
        case "jacobian":
            return jacobian(value)
        case _:
            return grad(value if kind == "gradient" else _summed(value))


def _summed(value: Function) -> Function:
    """The sum of the entries of a function, whose gradient has all slopes."""

    def total(x: Any, *others: Any) -> Any:
        return np.sum(value(x, *others))

    return total


def _compared(pair: Pair, kind: Kind, value: Function, ours: Function | None, args: Args) -> Finding:
    """The comparison at one point."""
    by_hand = _part(kind, plain(pair.derivative)(*copied(args)))
    slopes, errors = _differences(kind, value, args)
    found = slopes if ours is None else _part(kind, ours(*copied(args)))
    scale = max(
        float(np.max(np.abs(found), initial=0.0)), float(np.max(np.abs(by_hand), initial=0.0)), 1e-300
    )
    deviations = np.abs(by_hand - found)
    worst = int(np.argmax(deviations))
    shape = np.shape(args[0]) * (2 if kind == "hessian" else 1) if kind != "jacobian" else (by_hand.size,)
    finding = Finding(
        pair,
        "right",
        kind,
        error=float(deviations[worst]) / scale,
        entry=tuple(int(k) for k in np.unravel_index(worst, shape)) if shape else (),
        by_hand=float(by_hand[worst]),
        expected=float(found[worst]),
        differences=float(slopes[worst]),
        at=args,
    )
    unsure = errors > SURE * scale
    if ours is not None and np.any(~unsure & (np.abs(found - slopes) > SURE * scale)):
        return replace(finding, verdict="unclear")
    if ours is None and unsure[worst]:
        return replace(finding, verdict="unclear")
    verdict: Verdict = "right" if finding.error <= RIGHT else "close" if finding.error <= CLOSE else "wrong"
    return replace(finding, verdict=verdict)


def _part(kind: Kind, result: Any) -> Floats:
    """The numbers of the derivative."""
    return numbers(result[1] if kind == "value and gradient" else result)


def _differences(kind: Kind, value: Function, args: Args) -> tuple[Floats, Floats]:
    """The derivative by extrapolated differences of the function as Python, and the estimates of their errors."""
    start = np.asarray(args[0], dtype=np.float64)
    function = plain(value)

    def at(x: Floats) -> Floats:
        try:
            with np.errstate(all="ignore"):
                return numbers(function(float(x) if start.shape == () else x, *copied(args[1:])))
        except FAILURES:
            return np.full(1, np.nan)

    columns, errors = [], []
    for k in range(start.size):
        step = _unit(start, k)
        if kind == "hessian":
            slopes = [_slope_of_slope(at, start, step, _unit(start, other)) for other in range(start.size)]
        else:
            rows = 1 if kind in ("gradient", "value and gradient", "slope") else at(start).size
            slopes = [
                difference(lambda h, row=row, step=step: float(_entry(kind, at(start + h * step), row)))  # type: ignore[misc]
                for row in range(rows)
            ]
        columns.append([slope for slope, _ in slopes])
        errors.append([error for _, error in slopes])
    return np.array(columns).T.reshape(-1), np.array(errors).T.reshape(-1)


def _unit(start: Floats, entry: int) -> Floats:
    unit = np.zeros(start.size)
    unit[entry] = 1.0
    return unit.reshape(start.shape)


def _entry(kind: Kind, values: Floats, row: int) -> float:
    """What to differentiate among the function's results."""
    if kind == "slope":
        return float(np.sum(values))
    return float(values[row])


def _slope_of_slope(
    at: Callable[[Floats], Floats], start: Floats, one: Floats, other: Floats
) -> tuple[float, float]:
    """A second derivative: the difference of central differences."""
    width = 1e-3

    def slope(h: float) -> float:
        ahead, behind = at(start + h * one + width * other), at(start + h * one - width * other)
        return float(ahead[0] - behind[0]) / (2.0 * width)

    found, error = difference(slope)
    return found, error + 1e-5 * abs(found) + width**2


def _value_note(pair: Pair, kind: Kind, points: Sequence[Args]) -> str:
    """A note if a value that comes with the gradient is not the function's."""
    if pair.function is None or kind != "value and gradient":
        return ""
    for args in points:
        together = float(plain(pair.derivative)(*copied(args))[0])
        alone = float(plain(pair.function)(*copied(args)))
        if abs(together - alone) > CLOSE * max(abs(together), abs(alone)):
            return f"compared with its own value, which is {together:.6g} where `{pair.function_name}` gives {alone:.6g}"
    return ""


def medians(functions: Sequence[Function], args: Args, calls: int) -> list[float]:
    """The median time of a call of each function, in microseconds.

    The functions take turns, and each call is timed alone. Other processes take the processor away for milliseconds, as
    long as a hundred short calls: that makes a few times wrong, which a median leaves out and a mean would not.
    """
    times = np.empty((calls, len(functions)))
    for function in functions:
        function(*copied(args))  # compiled now
    for row in times:
        for k, function in enumerate(functions):
            began = time.perf_counter()
            function(*args)
            row[k] = time.perf_counter() - began
    return [float(value) for value in 1e6 * np.median(times, axis=0)]
