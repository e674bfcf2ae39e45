"""Choices of two and of three items, as lists."""

from __future__ import annotations

from backsweep.runtime.lists.sequences import inlined_in_bounds


@inlined_in_bounds
def pairs_chosen(items, is_ordered, is_apart):
    """Two items of different places, or of any where they are not apart; the second is no earlier one if they are ordered."""
    found = []
    for i in range(len(items)):
        for j in range(i + is_apart if is_ordered else 0, len(items)):
            if is_ordered or i != j:
                found.append((items[i], items[j]))
    return found


@inlined_in_bounds
def triples_chosen(items, is_ordered, is_apart):
    """Three items likewise."""
    found = []
    for i in range(len(items)):
        for j in range(i + is_apart if is_ordered else 0, len(items)):
            for k in range(j + is_apart if is_ordered else 0, len(items)):
                if is_ordered or (i != j and k not in (i, j)):
                    found.append((items[i], items[j], items[k]))
    return found


@inlined_in_bounds
def quadruples_chosen(items, is_ordered, is_apart):
    """Four items likewise."""
    found = []
    for i in range(len(items)):
        for j in range(i + is_apart if is_ordered else 0, len(items)):
            for k in range(j + is_apart if is_ordered else 0, len(items)):
                for m in range(k + is_apart if is_ordered else 0, len(items)):
                    if is_ordered or (i != j and k not in (i, j) and m not in (i, j, k)):
                        found.append((items[i], items[j], items[k], items[m]))
    return found
