"""Items by keys that only the run knows, of dicts and lists around the function, and items that are spread and unpacked."""

from __future__ import annotations

import math

import numpy as np


def item(rows, place):
    """The item at a place, which is there."""
    return rows[place]


def items_between(flat, ends, place):
    """The list at a place, of lists that stand one after the other."""
    return [flat[k] for k in range(ends[place], ends[place + 1])]


def place_from_either_end(key, count):
    """The place of an item of a list, whose number may count from its end."""
    if not -count <= key < count:
        raise IndexError("list index out of range")
    return key % count


def place_of_number(key, count):
    """The place of a key in a dict whose keys count from 0."""
    if not 0 <= key < count:
        raise KeyError("the dict has no such key")
    return key


def place_of(columns, parts, count):
    """The place of a key in a dict; each part of the keys is a column."""
    place = _first_place(columns, parts, count)
    if place == count:
        raise KeyError("the dict has no such key")
    return place


def is_among(columns, parts, count):
    """Whether a dict or a set has the key."""
    return _first_place(columns, parts, count) < count


def _first_place(columns, parts, count):
    """The first place at which the key is this one; the number of keys if it is nowhere."""
    place = 0
    while place < count and not _is_at(columns, parts, place):
        place += 1
    return place


def _is_at(columns, parts, place):
    """Whether the key at a place is this one."""
    if len(parts) == 1:
        return columns[0][place] == parts[0]
    return columns[0][place] == parts[0] and _is_at(columns[1:], parts[1:], place)


def as_array(items):
    """The array of a list or a tuple."""
    return np.array(items)


def items_gone_through(items):
    """The list of what a loop goes through."""
    return [each for each in items]  # noqa: C416 (as it stands, the compiler lowers it)


def backwards(items):
    """The list of the items, from the last one on."""
    last = len(items) - 1
    return [items[last - k] for k in range(len(items))]


def items_of_generator(method, thing):
    """The list of the items that a generator method of an object gives."""
    return list(method(thing))


def copies(items, copied):
    """The list of copies of all items."""
    return [copied(each) for each in items]


def item_or(items, key, default):
    """The item of a dict; where there is none, the default."""
    return items[key] if key in items else default  # noqa: SIM401 (as it stands, the compiler lowers it)


def chosen(keys, values, key):
    """The item of a dict with few keys, by comparisons."""
    if key not in keys:
        raise KeyError("the dict has no such key")
    return _chosen(keys, values, key)


def _chosen(keys, values, key):
    """The same of a key that the dict has."""
    if len(keys) == 1:
        return values[0]
    return values[0] if key == keys[0] else _chosen(keys[1:], values[1:], key)


def table(kind, items):
    """A dict with these items; a whole dict gives all that it has."""
    made = kind()
    for is_whole, key, value in items:
        if is_whole:
            made.put(value)
        else:
            made[key] = value
    return made


def expect_from(items, least, message) -> None:
    """Raise TypeError, as Python does, where there are fewer items than parameters without a default."""
    if len(items) < least:
        raise TypeError(message)


def expect_between(items, least, most, message) -> None:
    """Raise what Python raises where an argument is missing, or there is one too many."""
    if not least <= len(items) <= most:
        raise TypeError(message)


def argument_or(items, place, default):
    """The argument at a place; where the items end before, the parameter's default."""
    return items[place] if len(items) > place else default


def items_from(items, first):
    """The items that are left for `*args`."""
    return items[first:]


def middle(items, before, after, message):
    """The items that are left for the starred target, as a list."""
    if len(items) < before + after:
        raise ValueError(message)
    return list(items[before : len(items) - after])


def extreme(function, items):
    """`max(*items)` or `min(*items)`."""
    if len(items) < 2:
        raise TypeError("it takes two positional arguments or more")
    return function(items)


def hypotenuse(items):
    """`math.hypot(*items)`."""
    y = 0.0
    for k in range(len(items)):
        y = math.hypot(y, items[k])
    return y


def number_of_range(numbers, key):
    """The number of a range at a place, which may count from its end."""
    count = max(len(numbers), 0)
    if not -count <= key < count:
        raise IndexError("range object index out of range")
    return numbers.start + key % count * numbers.step


def part_of_range(numbers, first, last, step):
    """Each so many numbers of a range from one place to another, as a range."""
    step = 1 if step is None else step
    if step == 0:
        raise ValueError("slice step cannot be zero")
    count = max(len(numbers), 0)
    least, most = (0, count) if step > 0 else (-1, count - 1)
    first = _place_within(first, count, least, most, least if step > 0 else most)
    last = _place_within(last, count, least, most, most if step > 0 else least)
    start, stop = numbers.start + first * numbers.step, numbers.start + last * numbers.step
    return range(start, stop, numbers.step * step)


def _place_within(place, count, least, most, otherwise):
    """A place from the front, between two others; the last one where none is given."""
    if place is None:
        return otherwise
    return min(max(place + count if place < 0 else place, least), most)
