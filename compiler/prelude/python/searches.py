"""Places in sorted lists and arrays: what `bisect` finds, and where it puts an item."""

from __future__ import annotations

import bisect

from backsweep.prelude.declare import means, with_places


@means(bisect.bisect_left)
def bisect_left(a, x, lo=0, hi=None, *, key=None):
    """The first place whose item is no less."""
    return _first_behind(a, lambda item: item < x, lo, hi, key)


@means(bisect.bisect_right)
def bisect_right(a, x, lo=0, hi=None, *, key=None):
    """The first place whose item is greater."""
    return _first_behind(a, lambda item: not x < item, lo, hi, key)


def _first_behind(a, is_before, lo, hi, key):
    """The first place behind the items that are before what is sought."""
    items = with_places(a)
    if lo < 0:
        raise ValueError("lo must be non-negative")
    low = lo
    high = len(items) if hi is None else hi
    while low < high:
        middle = (low + high) // 2
        if is_before(items[middle] if key is None else key(items[middle])):
            low = middle + 1
        else:
            high = middle
    return low


@means(bisect.insort_left)
def insort_left(a, x, lo=0, hi=None, *, key=None):
    """Put an item before those that are no less."""
    a.insert(bisect.bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


@means(bisect.insort_right)
def insort_right(a, x, lo=0, hi=None, *, key=None):
    """Put an item before those that are greater."""
    a.insert(bisect.bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)
