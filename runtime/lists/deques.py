"""Deques: what they do to a list.

The compiler writes these functions out where they are called.
"""

from __future__ import annotations

from backsweep.runtime.lists.sequences import inlined_in_bounds, shortened


@inlined_in_bounds
def shortened_to(items, most: int, from_left: bool) -> None:
    """Let the items of a deque go that are too many, from its left or its right end."""
    more = len(items) - most
    if more > 0:
        if from_left:
            for place in range(most):
                items[place] = items[place + more]
        shortened(items, most)


@inlined_in_bounds
def turned_round(items, steps: int) -> None:
    """`deque.rotate(steps)`."""
    count = len(items)
    if count > 0:
        before = items[:]
        for place in range(count):
            items[(place + steps) % count] = before[place]
