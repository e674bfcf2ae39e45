"""What functions do at the limits of their domains: the range of their results, their poles, what they hide.

The reverse sweep and forward mode ask this where they look for singular partial derivatives (`backsweep.ad.zeros`).
"""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from backsweep.ir.operations import Kind, canonical, operation
from backsweep.runtime.broadcasting import aligned, stretched
from backsweep.runtime.special import (
    along_or_nan,
    before_root,
    digamma,
    lost_at_root,
    nan_at_zero,
    over_length,
    over_root,
    over_root_or_nan,
    polygamma,
    power_kink,
    signed_or_nan,
    squared_modulus,
    strong_quotient,
    unchosen_sign,
    unchosen_slope,
)

LARGEST_EXPONENT = 80.0
"""The exponential of a number up to this is finite, in single precision too."""


@dataclass(frozen=True, slots=True)
class Range:
    """What is known of a real number, or of every entry of an array: its bounds, and whether it is never zero."""

    low: float = -math.inf
    high: float = math.inf
    nonzero: bool = False
    """Whether it is known never to be zero, though the bounds do not say so."""

    @property
    def is_nonzero(self) -> bool:
        """Whether it is never zero."""
        return self.nonzero or self.low > 0.0 or self.high < 0.0

    @property
    def is_positive(self) -> bool:
        """Whether it is greater than zero."""
        return self.low >= 0.0 and self.is_nonzero


ANY = Range()
POSITIVE = Range(0.0, math.inf, nonzero=True)
NOT_NEGATIVE = Range(0.0)
EXTENT = Range(1.0)
"""The extent of an array: one without entries has no entries to compute."""


def exactly(number: float) -> Range:
    """The range of a literal."""
    return ANY if math.isnan(number) else Range(number, number)


def either(one: Range, other: Range) -> Range:
    """The range of a value that is in one of two ranges."""
    nonzero = one.is_nonzero and other.is_nonzero
    return Range(min(one.low, other.low), max(one.high, other.high), nonzero)


def within(one: Range, other: Range) -> Range:
    """The range of a value that is in both ranges."""
    return Range(max(one.low, other.low), min(one.high, other.high), one.nonzero or other.nonzero)


def range_of(function: Any, ranges: Sequence[Range], *, square: bool = False) -> Range:
    """The range of a function's result, from those of its operands; `square` says that its two operands are one value."""
    if not ranges:
        return ANY
    function = canonical(function)
    if function is operator.mul and square:
        return _square(ranges[0])
    known = _RANGES.get(function)
    if known is not None:
        return known(*ranges) if len(ranges) >= _COUNTS.get(function, 1) else ANY
    family = operation(function).kind
    if family in (Kind.VIEW, Kind.COPY, Kind.REARRANGEMENT, Kind.MARK):
        return ranges[0]
    if family is Kind.COMPARISON:
        return Range(0.0, 1.0)
    return EXTENT if family is Kind.EXTENT else ANY


def compared(comparison: Any, other: Range, *, swapped: bool = False) -> Range:
    """The range of `x` where `x < y` (or another comparison) holds and `y` is in this range; if `swapped`, where `y < x` holds."""
    match _SWAPPED.get(comparison, comparison) if swapped else comparison:
        case operator.gt:
            return Range(other.low, nonzero=other.low >= 0.0)
        case operator.ge:
            return Range(other.low, nonzero=other.is_positive)
        case operator.lt:
            return Range(high=other.high, nonzero=other.high <= 0.0)
        case operator.le:
            return Range(high=other.high, nonzero=other.high < 0.0)
        case operator.eq:
            return other
        case operator.ne:
            return Range(nonzero=other.low == other.high == 0.0)
        case _:
            return ANY


def has_pole(function: Any, ranges: Sequence[Range]) -> bool:
    """Whether a function of operands in these ranges may be infinite though they are finite."""
    safe = _POLES.get(canonical(function))
    return safe is not None and not safe(*ranges)


def leaves_domain(function: Any, ranges: Sequence[Range]) -> bool:
    """Whether a function of operands in these ranges may be infinite or nan though they are finite."""
    inside = _DOMAINS.get(canonical(function))
    return has_pole(function, ranges) or (inside is not None and not inside(*ranges))


def shows_singularity(function: Any, ranges: Sequence[Range]) -> bool:
    """Whether a function is infinite or nan wherever its partial derivatives are: `1 / x` is, the square root is not."""
    function = canonical(function)
    if function in _POWERS:
        exponent = ranges[1]
        return exponent.high <= 0.0 or exponent.low >= 1.0
    return function in _POLES and function not in _ZERO_OF_ZERO


def steep_where(function: Any, ranges: Sequence[Range]) -> str | None:
    """The expression, in the operands `a` and `b` and the result `y`, that is zero where a function is finite and its slope infinite."""
    function = canonical(function)
    if function in _POWERS:
        exponent = ranges[1]
        if exponent.low >= 1.0 or exponent.high <= 0.0:
            return None
        return "y" if exponent.low > 0.0 and exponent.high < 1.0 else _POWER_OF_LESS_THAN_ONE
    return _STEEP.get(function)


def is_zero_with_first(function: Any) -> bool:
    """Whether the function is zero where its first operand is, whatever the second is: a quotient, a power."""
    function = canonical(function)
    return function is operator.truediv or function in _POWERS


def may_overflow(function: Any, ranges: Sequence[Range]) -> bool:
    """Whether a function without poles of operands in these ranges may exceed the largest number by far."""
    return canonical(function) in _GROWING and ranges[0].high > LARGEST_EXPONENT


def shown_by(function: Any, ranges: Sequence[Range]) -> Sequence[int]:
    """The positions of the operands that make the result infinite or nan wherever they are infinite."""
    function = canonical(function)
    if function in _SHOW_ALL:
        return range(len(ranges))
    whole = operation(function).kind in (Kind.VIEW, Kind.COPY, Kind.MARK)
    first = whole or function in _SHOW_FIRST
    raised = function is operator.pow and ranges[1].is_positive
    return (0,) if first or raised else ()


# Ranges


def _product(one: Range, other: Range) -> Range:
    ends = [
        0.0 if 0.0 in (left, right) else left * right
        for left in (one.low, one.high)
        for right in (other.low, other.high)
    ]
    return Range(min(ends), max(ends), one.is_nonzero and other.is_nonzero)


def _square(one: Range) -> Range:
    ends = abs(one.low), abs(one.high)
    low = 0.0 if one.low <= 0.0 <= one.high else min(ends)
    return Range(low * low, max(ends) * max(ends), one.is_nonzero)


def _sum(one: Range, other: Range) -> Range:
    low, high = one.low + other.low, one.high + other.high
    # [2, inf) less 2 is zero at its end, (0, inf) and more is not
    positive = one.low == other.low == 0.0
    negative = one.high == other.high == 0.0
    return Range(low, high, (positive or negative) and (one.nonzero or other.nonzero))


def _negative(one: Range) -> Range:
    return Range(-one.high, -one.low, one.nonzero)


def _difference(one: Range, other: Range) -> Range:
    return _sum(one, _negative(other))


def _quotient(one: Range, other: Range) -> Range:
    if other.is_positive:
        return Range(
            0.0 if one.low >= 0.0 else -math.inf, 0.0 if one.high <= 0.0 else math.inf, one.is_nonzero
        )
    return Range(nonzero=one.is_nonzero)


def _absolute(one: Range) -> Range:
    ends = abs(one.low), abs(one.high)
    return Range(0.0 if one.low <= 0.0 <= one.high else min(ends), max(ends), one.is_nonzero)


def _power(base: Range, exponent: Range) -> Range:
    if base.is_positive:
        return POSITIVE
    even = exponent.low == exponent.high and exponent.low % 2.0 == 0.0
    return Range(0.0 if base.low >= 0.0 or even else -math.inf, math.inf, base.is_nonzero)


def _root(one: Range) -> Range:
    if one.low < 0.0:
        return Range(0.0, math.inf, one.is_nonzero)
    return Range(math.sqrt(one.low), math.sqrt(one.high), one.is_nonzero)


def _exponential(one: Range) -> Range:
    return Range(
        math.exp(one.low) if one.low > -LARGEST_EXPONENT else 0.0,
        math.exp(one.high) if one.high < LARGEST_EXPONENT else math.inf,
        nonzero=True,
    )


def _log1p(one: Range) -> Range:
    return Range(math.log1p(one.low) if one.low > -1.0 else -math.inf, math.inf, one.is_positive)


def _larger(*several: Range) -> Range:
    low = max(one.low for one in several)
    nonzero = any(one.is_positive for one in several) or all(one.is_nonzero for one in several)
    return Range(low, max(one.high for one in several), nonzero)


def _smaller(*several: Range) -> Range:
    return _negative(_larger(*map(_negative, several)))


def _total(one: Range, *_: Range) -> Range:
    if one.low >= 0.0:
        return POSITIVE if one.is_nonzero else NOT_NEGATIVE
    return ANY


def _mean(one: Range, *_: Range) -> Range:
    return Range(one.low, one.high, one.is_positive or _negative(one).is_positive)


def _same(one: Range, *_: Range) -> Range:
    return one


_RANGES: dict[Any, Callable[..., Range]] = {
    operator.add: _sum,
    operator.sub: _difference,
    operator.mul: _product,
    operator.truediv: _quotient,
    operator.neg: _negative,
    operator.pos: _same,
    operator.pow: _power,
    np.float_power: _power,
    math.pow: _power,
    np.square: _square,
    abs: _absolute,
    np.abs: _absolute,
    np.fabs: _absolute,
    math.fabs: _absolute,
    np.sqrt: _root,
    np.exp: _exponential,
    np.log1p: _log1p,
    np.max: _same,
    np.min: _same,
    np.sort: _same,
    np.cumsum: _total,
    np.sum: _total,
    builtins.sum: _total,
    np.mean: _mean,
    np.median: _mean,
    np.maximum: _larger,
    np.fmax: _larger,
    max: _larger,
    np.minimum: _smaller,
    np.fmin: _smaller,
    min: _smaller,
    np.clip: lambda one, low, high: _smaller(_larger(one, low), high),
    np.where: lambda _, one, other: either(one, other),
    np.full: lambda _, one, *__: one,
    np.full_like: lambda _, one, *__: one,
    np.linalg.norm: lambda *_: NOT_NEGATIVE,
    squared_modulus: lambda *_: NOT_NEGATIVE,
    np.hypot: lambda one, other: Range(0.0, math.inf, one.is_nonzero or other.is_nonzero),
    np.var: lambda *_: NOT_NEGATIVE,
    np.std: lambda *_: NOT_NEGATIVE,
    np.ndarray.astype: _same,
    aligned: _same,
    stretched: _same,
    float: _same,
    np.float64: _same,
    np.float32: _same,
}
for functions, known in (
    ([np.sin, np.cos, np.tanh, math.erf, np.sign], Range(-1.0, 1.0)),
    ([np.exp2, math.exp2], POSITIVE),
    ([np.cosh], Range(1.0)),
    ([np.ones, np.ones_like], Range(1.0, 1.0)),
    ([np.zeros, np.zeros_like], Range(0.0, 0.0)),
):
    for function in functions:
        _RANGES[function] = lambda *_, known=known: known
_COUNTS: dict[Any, int] = {
    **dict.fromkeys((operator.add, operator.sub, operator.mul, operator.truediv, operator.pow), 2),
    **dict.fromkeys((np.float_power, math.pow, np.full, np.full_like, np.hypot), 2),
    **dict.fromkeys((np.where, np.clip), 3),
}
"""How many operands a range function takes, where that is more than one."""
_SWAPPED = {
    operator.lt: operator.gt,
    operator.le: operator.ge,
    operator.gt: operator.lt,
    operator.ge: operator.le,
}


# Poles, and what does not show them


def _is_nonzero(one: Range, *_: Range) -> bool:
    return one.is_nonzero


def _is_positive(one: Range, *_: Range) -> bool:
    return one.is_positive


_POLES: dict[Any, Callable[..., bool]] = {
    operator.truediv: lambda _, divisor: divisor.is_nonzero,
    strong_quotient: lambda _, divisor: divisor.is_nonzero,
    over_length: lambda _, divisor: divisor.is_nonzero,
    over_root: lambda _, divisor: divisor.is_nonzero,
    over_root_or_nan: lambda _, divisor: divisor.is_nonzero,
    along_or_nan: lambda _a, _x, divisor: divisor.is_nonzero,
    unchosen_slope: lambda _a, _x, divisor: divisor.is_nonzero,
    signed_or_nan: lambda _, x: x.is_nonzero,
    unchosen_sign: lambda _, x: x.is_nonzero,
    nan_at_zero: lambda _, x: x.is_nonzero,
    before_root: lambda _a, _x, y: y.is_nonzero,
    lost_at_root: lambda _a, _x, y: y.is_nonzero,
    power_kink: lambda _, x, _y: x.is_nonzero,
    np.reciprocal: _is_nonzero,
    operator.pow: lambda base, exponent: base.is_nonzero or exponent.low >= 0.0,
    np.log1p: lambda one: one.low > -1.0,
    np.arctanh: lambda one: one.low > -1.0 and one.high < 1.0,
    math.atanh: lambda one: one.low > -1.0 and one.high < 1.0,
    polygamma: lambda _, one: one.is_positive,
}
"""Functions that are infinite at some finite operands, and what rules that out."""
_ZERO_OF_ZERO = frozenset(
    {
        strong_quotient,
        over_length,
        over_root,
        over_root_or_nan,
        along_or_nan,
        unchosen_slope,
        signed_or_nan,
        unchosen_sign,
        nan_at_zero,
        power_kink,
        lost_at_root,
    }
)
"""Those that are zero where their first operand is, at a pole too."""
_POLES |= dict.fromkeys([np.log, np.log2, math.log2, np.log10, math.log10], _is_positive)
_POLES |= dict.fromkeys([math.gamma, math.lgamma, digamma], _is_positive)


def declare_poles(functions: Sequence[Any], safe: Callable[..., bool]) -> None:
    """Say that the functions are infinite or nan at some finite operands; `safe` tells of operands' ranges that rule that out."""
    _POLES.update(dict.fromkeys(functions, safe))


def declare_roots(functions: Sequence[Any]) -> None:
    """Say that the slope of the functions is infinite where they are zero."""
    _STEEP.update(dict.fromkeys(functions, "y"))


_POWERS = (operator.pow, np.float_power, math.pow)
_POLES |= dict.fromkeys(_POWERS, _POLES[operator.pow])


def _is_root(one: Range) -> bool:
    return one.low >= 0.0


def _is_sine(one: Range) -> bool:
    return one.low >= -1.0 and one.high <= 1.0


def _has_power(base: Range, exponent: Range) -> bool:
    return base.low >= 0.0 or (exponent.low == exponent.high and exponent.low.is_integer())


def _has_remainder(_: Range, divisor: Range) -> bool:
    return divisor.is_nonzero


_DOMAINS: dict[Any, Callable[..., bool]] = {
    np.sqrt: _is_root,
    np.arccosh: lambda one: one.low >= 1.0,
    **dict.fromkeys((np.arcsin, np.arccos), _is_sine),
    **dict.fromkeys(_POWERS, _has_power),
    **dict.fromkeys((operator.mod, np.remainder, np.fmod, math.fmod, operator.floordiv), _has_remainder),
}
"""Functions that are nan at some operands where they have no poles, and what rules that out."""

_POWER_OF_LESS_THAN_ONE = "a * ((b > 0.0) & (b < 1.0)) + ((b <= 0.0) | (b >= 1.0))"
_STEEP: dict[Any, str] = {
    **dict.fromkeys((np.sqrt, np.cbrt, math.cbrt, np.arccosh, math.acosh), "y"),
    **dict.fromkeys((np.arcsin, math.asin, np.arccos, math.acos), "(1.0 - a) * (1.0 + a)"),
}
"""Functions whose slope is infinite where they are finite, as a root's is, and where that is. A logarithm times a number is not steep enough: the slope times its value is zero."""

LARGER, SMALLER = (max, np.maximum, np.fmax), (min, np.minimum, np.fmin)
"""Functions that choose the larger, or the smaller, of two."""

DECOMPOSED = {np.linalg.eigvalsh: (0, False), np.linalg.eigh: (0, False), np.linalg.svd: (1, True)}
"""Decompositions: which result has a kink where two of its entries are equal, and whether it has one where an entry is zero, too."""

JUMPS = (np.arctan2, math.atan2)
"""Functions that have no limit at some point where they have a value."""
_STEEP |= dict.fromkeys(JUMPS, "a * a + b * b")

_GROWING = frozenset({np.exp, np.exp2, math.exp2, np.expm1, np.sinh, np.cosh})

_SHOW_FIRST = frozenset({operator.truediv, strong_quotient})
"""Of these functions, the first operand."""
_SHOW_ALL = frozenset(
    {
        *(operator.add, operator.sub, operator.mul, operator.neg, operator.pos, operator.matmul),
        *(
            abs,
            np.abs,
            np.fabs,
            math.fabs,
            squared_modulus,
            np.square,
            np.sqrt,
            np.cbrt,
            np.hypot,
            math.hypot,
        ),
        *(np.log, np.log2, np.log10, np.log1p, np.sum, np.mean, np.prod, np.var, np.std, builtins.sum),
        *(
            np.linalg.norm,
            np.vdot,
            np.inner,
            np.outer,
            np.ndarray.astype,
            aligned,
            stretched,
            float,
            np.float64,
        ),
    }
)
"""Of these functions, every operand: an infinite one is added up, multiplied or grows, and nothing divides by it."""
