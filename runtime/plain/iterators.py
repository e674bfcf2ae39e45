"""Pairs of items, as a list."""

from __future__ import annotations

from backsweep.runtime.lists.sequences import spelled_in_bounds


@spelled_in_bounds
def paired_with_later(items):
    """`itertools.combinations(items, 2)`."""
    found = []
    for i in range(len(items)):
        for j in range(i + 1, len(items)):
            found.append((items[i], items[j]))
    return found
