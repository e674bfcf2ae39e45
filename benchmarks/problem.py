"""What a benchmark is: a primal, its instances, and what its derivative is checked against."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import backsweep as bs

SIZES = ("tiny", "S", "M")


@dataclass(frozen=True)
class Problem:
    """One row of the table.

    `instance(size)` makes the arguments of `primal`. The derivative is `bs.value_and_grad(primal, argnums)` unless
    the problem brings its own, built of gradients, of which `gradient` and `gradient_args` are then one.
    `hand` is an adjoint written by hand, which returns what the derivative returns; `reference(size)` is the value and
    the sum of the gradient's entries where others have published them.
    """

    name: str
    primal: Callable[..., Any]
    instance: Callable[[str], tuple[Any, ...]]
    argnums: tuple[int, ...] = ()
    hand: Callable[..., Any] | None = None
    reference: Callable[[str], tuple[float, float] | None] = lambda _: None
    own_derivative: Callable[..., Any] | None = None
    gradient: Any = None
    gradient_args: Callable[[tuple[Any, ...]], tuple[Any, ...]] = field(default=lambda args: args)
    residuals: Callable[[tuple[Any, ...]], str | None] | None = None
    """For a problem with a derivative of its own: its check, which raises AssertionError; it may say against what, if
    that is not differences."""

    def transformed(self) -> Any:
        """The transformed function whose source, tape and compilation are told."""
        return (
            self.gradient
            if self.gradient is not None
            else bs.value_and_grad(self.primal, argnums=self.argnums)
        )


def directional(
    function: Callable[[float], float], step: float = 1e-2, halvings: int = 5
) -> tuple[float, float]:
    """The derivative of `function` at 0 by extrapolated central differences, and how far off it may be."""
    rows: list[list[float]] = []
    for _ in range(halvings):
        row = [(function(step) - function(-step)) / (2.0 * step)]
        for order, coarser in enumerate(rows[-1] if rows else [], start=1):
            row.append(row[-1] + (row[-1] - coarser) / (4.0**order - 1.0))
        rows.append(row)
        step *= 0.5
    found = [(abs(row[k] - row[k - 1]), row[k]) for row in rows for k in range(1, len(row))]
    error, best = min(found)
    return best, error


def flat(gradients: Any) -> np.ndarray:
    """All entries of a gradient, in order."""
    parts = gradients if isinstance(gradients, tuple) else (gradients,)
    return np.concatenate([np.ravel(part) for part in parts])


def agree(found: float | np.ndarray, expected: float | np.ndarray, what: str, allowed: float = 0.0) -> None:
    """Raise AssertionError unless both agree, relative to the largest entry."""
    scale = float(np.max(np.abs(expected)))
    gap = float(np.max(np.abs(np.asarray(found) - np.asarray(expected))))
    assert gap <= 1e-8 * scale + allowed, f"{what}: off by {gap:.3g}, of {scale:.3g}"


def check(problem: Problem, derivative: Callable[..., Any], size: str) -> str:
    """Compare what will be timed with what is known of it; says with what. Raises AssertionError."""
    args = problem.instance(size)
    if problem.residuals is not None:
        return problem.residuals(args) or "differences"
    value, gradients = derivative(*args)
    agree(value, problem.primal(*args), f"{problem.name}: the value")
    published = problem.reference(size)
    if published is not None:
        agree(value, published[0], f"{problem.name}: the published value")
        agree(
            float(np.sum(flat(gradients))), published[1], f"{problem.name}: the published sum of the gradient"
        )
        return "published figures"
    if problem.hand is not None:
        agree(flat(gradients), flat(problem.hand(*args)[1]), f"{problem.name}: the adjoint by hand")
        return "the adjoint by hand"
    along_differences(problem, args, gradients)
    return "differences"


def along_differences(problem: Problem, args: tuple[Any, ...], gradients: Any) -> None:
    """Compare the gradient along a random direction with differences. Raises AssertionError."""
    rng = np.random.default_rng(0)
    directions = {k: rng.normal(size=args[k].shape) for k in problem.argnums}

    def moved(step: float) -> float:
        shifted = [arg + step * directions[k] if k in directions else arg for k, arg in enumerate(args)]
        return float(problem.primal(*shifted))

    along = flat(tuple(directions.values()))
    # Steps of one length, of however many entries: differences are taken where the function is near to a polynomial.
    expected, error = directional(moved, step=1e-2 * min(1.0, 100.0 / float(np.linalg.norm(along))))
    exact = float(flat(gradients) @ along)
    agree(exact, expected, f"{problem.name}: differences", 1e-6 * abs(expected) + 10.0 * error)
