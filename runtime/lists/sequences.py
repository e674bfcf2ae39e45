"""Python's sequences: how often a `range` runs, and what the methods of lists do.

The methods are written with `append`, items, and `shortened`; the compiler writes these functions out where they are called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import overload

from backsweep.runtime.support.compiled import declared, inlined, kernel


def is_in_range(item, start: int, stop: int, step: int) -> bool:
    """`item in range(start, stop, step)`: a float is if it is whole, and a complex number if it is such a float."""
    if step == 0:
        raise ValueError("range() arg 3 must not be zero")
    if item.imag != 0:
        return False
    number = item.real
    inside = start <= number < stop if step > 0 else stop < number <= start
    return bool(inside and (number - start) % step == 0)


def is_in_array(item, array) -> bool:
    """`item in array`."""
    return bool(np.any(array == item))


@kernel
def trip_count(start: int, stop: int, step: int) -> int:
    """How often `for i in range(start, stop, step)` runs."""
    if step > 0:
        return max((stop - start + step - 1) // step, 0)
    return max((start - stop - step - 1) // -step, 0)


def in_bounds(function: Callable[..., Any]) -> Callable[..., Any]:
    """Say that the function raises by itself where a subscript of its would be out of bounds, so that none is checked."""
    function.in_bounds = True  # type: ignore[attr-defined]
    return function


@declared(writes=("items",))
def shortened(items, count: int) -> int:
    """Leave the first `count` items of a list; return how many were taken away."""
    gone = len(items) - count
    del items[count:]
    return gone


@overload(shortened)
def _shortened(items, count) -> Callable[..., Any]:  # noqa: ARG001
    def implementation(items, count):
        gone = len(items) - count
        del items[count:]
        return gone

    return implementation


@in_bounds
def last_popped(items):
    """`items.pop()`."""
    count = len(items) - 1
    if count < 0:
        raise IndexError("pop from empty list")
    item = items[count]
    shortened(items, count)
    return item


@in_bounds
def popped(items, index: int):
    """`items.pop(index)`."""
    count = len(items)
    place = index + count if index < 0 else index
    if place < 0:
        raise IndexError("pop index out of range")
    if place >= count:
        raise IndexError("pop index out of range")
    item = items[place]
    for after in range(place, count - 1):
        items[after] = items[after + 1]
    shortened(items, count - 1)
    return item


@in_bounds
def without(items, index: int) -> None:
    """`del items[index]`."""
    count = len(items)
    place = index + count if index < 0 else index
    if place < 0:
        raise IndexError("list assignment index out of range")
    if place >= count:
        raise IndexError("list assignment index out of range")
    for after in range(place, count - 1):
        items[after] = items[after + 1]
    shortened(items, count - 1)


@in_bounds
def without_part(items, start: int, stop: int) -> None:
    """`del items[start:stop]`."""
    count = len(items)
    first = max(min(start + count if start < 0 else start, count), 0)
    last = max(min(stop + count if stop < 0 else stop, count), first)
    for place in range(count - last):
        items[first + place] = items[last + place]
    shortened(items, count - last + first)


def first_of_all(count: int, step: int) -> int:
    """Where `items[::step]` begins."""
    return count if step < 0 else 0


def last_of_all(count: int, step: int) -> int:
    """Where `items[::step]` ends; a negative number counts from the end, as in a slice."""
    return -count - 1 if step < 0 else count


def every(count: int, start: int, stop: int, step: int) -> tuple[int, int]:
    """The first place that `items[start:stop:step]` of `count` items reads, and how many it reads."""
    if step == 0:
        raise ValueError("slice step cannot be zero")
    first = start + count if start < 0 else start
    last = stop + count if stop < 0 else stop
    if step > 0:
        first, last = max(min(first, count), 0), max(min(last, count), 0)
    else:
        first, last = max(min(first, count - 1), -1), max(min(last, count - 1), -1)
    return first, trip_count(first, last, step)


@in_bounds
def without_every(items, first: int, times: int, step: int) -> None:
    """`del items[start:stop:step]`, with what `every` tells of it."""
    count = len(items)
    if step < 0:
        first += (times - 1) * step
    apart = abs(step)
    gone = 0
    for place in range(count):
        if gone < times and place == first + gone * apart:
            gone += 1
        else:
            items[place - gone] = items[place]
    shortened(items, count - gone)


@in_bounds
def put_at_every(items, first: int, times: int, step: int, more) -> None:
    """`items[start:stop:step] = more`, with what `every` tells of it."""
    if len(more) != times:
        raise ValueError("attempt to assign a sequence to an extended slice of another size")
    for number in range(times):
        items[first + number * step] = more[number]


@in_bounds
def are_equal(items, others) -> bool:
    """`items == others` of two lists."""
    same = len(items) == len(others)
    for place in range(min(len(items), len(others))):
        if items[place] != others[place]:
            same = False
            break
    return same


@in_bounds
def comes_before(items, others):
    """`items < others` of two lists."""
    for place in range(min(len(items), len(others))):
        if items[place] != others[place]:
            return bool(items[place] < others[place])
    return len(items) < len(others)


@in_bounds
def comes_before_or_is_equal(items, others):
    """`items <= others` of two lists."""
    for place in range(min(len(items), len(others))):
        if items[place] != others[place]:
            return bool(items[place] <= others[place])
    return len(items) <= len(others)


@in_bounds
def inserted(items, index: int, item) -> None:
    """`items.insert(index, item)`."""
    count = len(items)
    place = max(min(index + count if index < 0 else index, count), 0)
    items.append(item)
    for after in range(count - 1, place - 1, -1):
        items[after + 1] = items[after]
    items[place] = item


@in_bounds
def cleared(items) -> None:
    """`items.clear()`."""
    shortened(items, 0)


@in_bounds
def turned(items) -> None:
    """`items.reverse()`."""
    count = len(items)
    for place in range(count // 2):
        item = items[place]
        items[place] = items[count - 1 - place]
        items[count - 1 - place] = item


@in_bounds
def put_in_order(items) -> None:
    """`items.sort()`."""
    ordered = np.sort(np.array(items))
    for place in range(len(items)):
        items[place] = ordered[place]


@in_bounds
def put_in_reverse_order(items) -> None:
    """`items.sort(reverse=True)`."""
    ordered = np.sort(np.array(items))
    count = len(items)
    for place in range(count):
        items[place] = ordered[count - 1 - place]


@in_bounds
def found_at(items, item, start: int, stop: int) -> int:
    """`items.index(item, start, stop)`."""
    count = len(items)
    first = max(min(start + count if start < 0 else start, count), 0)
    last = max(min(stop + count if stop < 0 else stop, count), 0)
    for place in range(first, last):
        if items[place] == item:
            return place
    raise ValueError("value not in list")


@in_bounds
def times_found(items, item) -> int:
    """`items.count(item)`."""
    found = 0
    for place in range(len(items)):
        if items[place] == item:
            found += 1
    return found


@in_bounds
def is_in(items, item) -> bool:
    """`item in items`."""
    found = False
    for place in range(len(items)):
        if items[place] == item:
            found = True
            break
    return found


@in_bounds
def repeated(items, times: int) -> None:
    """`items *= times`."""
    count = len(items)
    if times < 1:
        shortened(items, 0)
    for _ in range(times - 1):
        for place in range(count):
            items.append(items[place])


@in_bounds
def put_in_place(items, start: int, stop: int, more) -> None:
    """`items[start:stop] = more`."""
    count = len(items)
    first = max(min(start + count if start < 0 else start, count), 0)
    last = max(min(stop + count if stop < 0 else stop, count), first)
    behind = items[last:]
    shortened(items, first)
    for place in range(len(more)):
        items.append(more[place])
    for place in range(len(behind)):
        items.append(behind[place])


def inlined_in_bounds(function: Callable[..., Any]) -> Callable[..., Any]:
    """Say that the compiler writes the function out where it is called, and that its subscripts are in bounds."""
    return in_bounds(inlined(function))


@inlined_in_bounds
def next_of(items, place: int):
    """`next(it)` of an iterator that has taken as many items as `place` says, which only the run knows."""
    if place >= len(items):
        raise StopIteration("the iterator has no further item")
    return items[place]
