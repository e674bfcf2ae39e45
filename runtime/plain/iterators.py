"""Pairs of items, as a list, and `functools.reduce` without a first value."""

from __future__ import annotations

from typing import Any

from backsweep.runtime.lists.sequences import spelled_in_bounds


@spelled_in_bounds
def paired_with_later(items: Any) -> Any:
    """`itertools.combinations(items, 2)`."""
    found = []
    for i in range(len(items)):
        for j in range(i + 1, len(items)):
            found.append((items[i], items[j]))
    return found


@spelled_in_bounds
def reduced(function: Any, items: Any) -> Any:
    """`functools.reduce(function, items)`."""
    if len(items) == 0:
        raise TypeError("reduce() of empty iterable with no initial value")
    total = items[0]
    for k in range(1, len(items)):
        total = function(total, items[k])
    return total
