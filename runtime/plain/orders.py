"""Sorting by keys, stable as Python's, and what gives the keys."""

from __future__ import annotations

import numpy as np

from backsweep.runtime.lists.sequences import inlined_in_bounds


@inlined_in_bounds
def places_in_order(keys, backwards: bool):
    """The places of the keys in their order, those of equal keys as they were: runs of double the length are merged."""
    count = len(keys)
    places = np.arange(count)
    merged = np.arange(count)
    width = 1
    while width < count:
        for low in range(0, count, 2 * width):
            middle, high = min(low + width, count), min(low + 2 * width, count)
            left, right = low, middle
            for place in range(low, high):
                take_left = right >= high
                if left < middle and right < high:
                    if backwards:
                        take_left = not keys[places[left]] < keys[places[right]]
                    else:
                        take_left = not keys[places[right]] < keys[places[left]]
                if take_left:
                    merged[place] = places[left]
                    left += 1
                else:
                    merged[place] = places[right]
                    right += 1
        places[:] = merged
        width *= 2
    return places


@inlined_in_bounds
def in_order(items, key, backwards: bool):
    """`sorted(items, key=key, reverse=backwards)`."""
    keys = []
    for k in range(len(items)):
        keys.append(key(items[k]))
    places = places_in_order(keys, backwards)
    found = []
    for k in range(len(items)):
        found.append(items[places[k]])
    return found


@inlined_in_bounds
def first_by_key(items, key, is_largest: bool, *default):
    """`max(items, key=key)`, or `min`: the first item whose key is the extreme."""
    if len(items) == 0:
        if len(default) > 0:
            return default[0]
        raise ValueError("arg is an empty sequence")
    best = items[0]
    extreme = key(best)
    for k in range(1, len(items)):
        item = items[k]
        this = key(item)
        if this > extreme if is_largest else this < extreme:
            best, extreme = item, this
    return best


@inlined_in_bounds
def written_places(items, key, backwards: bool):
    """The places of items that are written out, as strings and what stands beside them are, in the order of their keys."""
    return places_in_order([key(item) for item in items], backwards)


@inlined_in_bounds
def written_at(items, place: int):
    """`items[place]`."""
    found = items[0]
    for k, item in enumerate(items):
        if place == k:
            found = item
    return found


@inlined_in_bounds
def first_written_by_key(items, key, is_largest: bool):
    """The first item whose key is the extreme, of items that are written out."""
    best = items[0]
    extreme = key(best)
    for item in items[1:]:
        this = key(item)
        if this > extreme if is_largest else this < extreme:
            best, extreme = item, this
    return best


@inlined_in_bounds
def put_in_order_of_keys(items, key, backwards: bool) -> None:
    """`items.sort(key=key, reverse=backwards)`."""
    ordered = in_order(items, key, backwards)
    for k in range(len(items)):
        items[k] = ordered[k]


@inlined_in_bounds
def itself(item):
    """The key of items that are compared as they are."""
    return item


@inlined_in_bounds
def taken(items, place):
    """`items.__getitem__(place)`."""
    return items[place]


@inlined_in_bounds
def later_if_larger(best, item):
    """One step of `max`, which asks the later item."""
    return item if item > best else best  # noqa: FURB136  `max` is written out so


@inlined_in_bounds
def later_if_smaller(best, item):
    """One step of `min`, which asks the later item."""
    return item if item < best else best  # noqa: FURB136  `min` is written out so
