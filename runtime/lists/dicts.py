"""Dicts whose keys the run computes: a list of keys beside a list of values.

The compiler writes these functions out where they are called.
"""

from __future__ import annotations

from backsweep.runtime.lists.sequences import inlined_in_bounds


@inlined_in_bounds
def place_in(keys, key) -> int:
    """Where a key is among the keys of a dict; -1 if it is missing."""
    found = -1
    for place in range(len(keys)):
        if keys[place] == key:
            found = place
            break
    return found


@inlined_in_bounds
def place_of_key(keys, key) -> int:
    """Where the value of `d[key]` is."""
    place: int = place_in(keys, key)
    if place < 0:
        raise KeyError("the dict has no such key")
    return place


@inlined_in_bounds
def place_of_item(items, item) -> int:
    """Where an item of a set is that is taken out by `remove`."""
    place: int = place_in(items, item)
    if place < 0:
        raise KeyError("the set has no such item")
    return place


@inlined_in_bounds
def place_that_stays(keys, key) -> int:
    """Where `d[key] = value` stores within a loop over `d`."""
    place: int = place_in(keys, key)
    if place < 0:
        raise RuntimeError("dictionary changed size during iteration")
    return place


@inlined_in_bounds
def place_for_key(keys, values, key, default) -> int:
    """Where the value of a key is, which is put in if it is missing."""
    place: int = place_in(keys, key)
    if place < 0:
        place = len(keys)
        keys.append(key)
        values.append(default)
    return place


@inlined_in_bounds
def put_at_key(keys, values, key, value) -> None:
    """`d[key] = value`."""
    place: int = place_in(keys, key)
    if place < 0:
        keys.append(key)
        values.append(value)
    else:
        values[place] = value


@inlined_in_bounds
def value_or(keys, values, key, default):
    """`d.get(key, default)`."""
    place: int = place_in(keys, key)
    if place < 0:
        return default
    return values[place]


@inlined_in_bounds
def without_key(keys, values, key) -> None:
    """`del d[key]`."""
    place = place_of_key(keys, key)
    del keys[place]
    del values[place]


@inlined_in_bounds
def popped_of_key(keys, values, key):
    """`d.pop(key)`."""
    place = place_of_key(keys, key)
    value = values[place]
    del keys[place]
    del values[place]
    return value


@inlined_in_bounds
def popped_or(keys, values, key, default):
    """`d.pop(key, default)`."""
    place: int = place_in(keys, key)
    value = default
    if place >= 0:
        value = values[place]
        del keys[place]
        del values[place]
    return value
