"""Which function of Python's library each of these functions stands for, and which of its arguments are gone through."""

from __future__ import annotations

import inspect
import itertools
import math
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from backsweep.runtime.plain import iterators, numbers

EVERY = None
"""Each of the arguments is gone through."""


@dataclass(frozen=True)
class Plain:
    """A function that stands for another; `iterables` are the positions of arguments that it goes through, `EVERY` if all are."""

    function: Callable[..., Any]
    iterables: tuple[int, ...] | None = (0,)

    def goes_through(self, place: int | str) -> bool:
        """Whether the function goes through the argument of this position or name."""
        if self.iterables is EVERY:
            return True
        if isinstance(place, int):
            return place in self.iterables
        names = [*inspect.signature(self.function).parameters]
        return place in names and names.index(place) in self.iterables


PLAIN: Mapping[Any, Plain] = {
    itertools.pairwise: Plain(iterators.paired),
    itertools.accumulate: Plain(iterators.accumulated),
    itertools.islice: Plain(iterators.sliced),
    itertools.chain: Plain(iterators.chained, EVERY),
    itertools.chain.from_iterable: Plain(iterators.chained_rows),
    itertools.takewhile: Plain(iterators.taken_while, (1,)),
    itertools.dropwhile: Plain(iterators.dropped_while, (1,)),
    itertools.filterfalse: Plain(iterators.left_over, (1,)),
    math.fsum: Plain(numbers.fsum),
    math.dist: Plain(numbers.distance, (0, 1)),
    math.isclose: Plain(numbers.are_close, ()),
    statistics.mean: Plain(numbers.mean),
    statistics.fmean: Plain(numbers.fmean, (0, 1)),
    statistics.variance: Plain(numbers.variance),
    statistics.pvariance: Plain(numbers.pvariance),
    statistics.stdev: Plain(numbers.stdev),
    statistics.pstdev: Plain(numbers.pstdev),
    statistics.geometric_mean: Plain(numbers.geometric_mean),
    **({math.sumprod: Plain(numbers.sum_of_products, (0, 1))} if hasattr(math, "sumprod") else {}),
}
