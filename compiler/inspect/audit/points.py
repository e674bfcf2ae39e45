"""Find arguments for a function and its derivative: shapes that both take, in a domain where both are finite."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backsweep.inspect.audit.pairs import Function, Pair, plain

Floats = NDArray[np.float64]
Args = tuple[Any, ...]

DOMAINS: dict[str, Callable[[np.random.Generator, tuple[int, ...]], Any]] = {
    "any": lambda rng, shape: rng.normal(size=shape),
    "positive": lambda rng, shape: rng.uniform(0.2, 2.0, size=shape),
    "unit": lambda rng, shape: rng.uniform(0.05, 0.95, size=shape),
}
"""From the general one to the special one. The next is tried where a function raises or gives what is not finite."""
SHAPES: tuple[tuple[int, ...], ...] = ((5,), (), (2,), (3,), (4,), (4, 5), (4, 4))
LONG = 1000
"""The length of the vectors that functions are timed with, if they take any length."""
FAILURES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NotImplementedError,
    TypeError,
    ValueError,
)
"""What a function raises for arguments that it is not made for."""


def found_points(
    pair: Pair, count: int, fits: Callable[[Args], bool], domains: Sequence[str] = tuple(DOMAINS)
) -> tuple[str, list[Args]]:
    """A domain and that many arguments in it, for which the derivative fits the function; none if there are no such.

    The functions run as Python, where a subscript out of bounds raises.
    """
    functions = [pair.derivative, *([] if pair.function is None else [pair.function])]
    for shapes in _shapes(pair):
        for domain in domains:
            draw = DOMAINS[domain]
            rng = np.random.default_rng(0)
            points = [tuple(_drawn(draw, rng, shape) for shape in shapes) for _ in range(count)]
            if all(_is_finite(function, args) for args in points for function in functions) and fits(
                points[0]
            ):
                return domain, points
    return "", []


def _drawn(draw: Callable[..., Any], rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    value = draw(rng, shape)
    return float(value) if shape == () else np.ascontiguousarray(value)


def _shapes(pair: Pair) -> Iterator[Sequence[tuple[int, ...]]]:
    """Shapes of the required parameters: all alike, then arrays before numbers. Defaults that are arrays tell a size."""
    parameters = inspect.signature(plain(pair.derivative)).parameters.values()
    needed = sum(
        each.default is each.empty and each.kind is each.POSITIONAL_OR_KEYWORD for each in parameters
    )
    lengths = [each.default.shape[:1] for each in parameters if isinstance(each.default, np.ndarray)]
    for shape in dict.fromkeys((*lengths, *SHAPES)):
        yield [shape] * needed
    for number in range(1, needed):
        for shape in ((5,), (2,), (3,)):
            yield [*[shape] * number, *[()] * (needed - number)]
            yield [*[()] * number, *[shape] * (needed - number)]


def _is_finite(function: Function, args: Args) -> bool:
    """Whether the function gives numbers, all of them finite."""
    try:
        with np.errstate(all="ignore"):
            result = plain(function)(*copied(args))
            return bool(np.all(np.isfinite(numbers(result))))
    except FAILURES:
        return False


def larger(pair: Pair, domain: str, args: Args, fits: Callable[[Args], bool]) -> Args:
    """Arguments of the same kinds with long vectors, to time with; the same if the functions take no other size."""
    if domain not in DOMAINS:
        return args
    rng, draw = np.random.default_rng(0), DOMAINS[domain]
    long = tuple(np.asarray(draw(rng, (LONG,))) if np.ndim(each) == 1 else each for each in args)
    functions = [pair.derivative, *([] if pair.function is None else [pair.function])]
    return long if all(_is_finite(function, long) for function in functions) and fits(long) else args


def copied(args: Args) -> Args:
    """Arguments that a function may write."""
    return tuple(each.copy() if isinstance(each, np.ndarray) else each for each in args)


def numbers(result: Any) -> Floats:
    """All numbers of a result, one after another."""
    if isinstance(result, tuple | list):
        return np.concatenate([numbers(each) for each in result]) if result else np.empty(0)
    return np.asarray(result, dtype=np.float64).reshape(-1)
