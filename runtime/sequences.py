"""Python's sequences: how often a `range` runs, and what the methods of lists do.

The methods are written with `append`, items, and `shortened`; the compiler writes these functions out where they are called.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numba.extending import overload

from backsweep.runtime.support.compiled import declared, kernel


def is_in_range(item: Any, start: int, stop: int, step: int) -> bool:
    """`item in range(start, stop, step)`: a float is if it is whole, and a complex number if it is such a float."""
    if item.imag != 0:
        return False
    number = item.real
    inside = start <= number < stop if step > 0 else stop < number <= start
    return bool(inside and (number - start) % step == 0)


def is_in_array(item: Any, array: Any) -> bool:
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
def shortened(items: Any, count: int) -> int:
    """Leave the first `count` items of a list; return how many were taken away."""
    gone = len(items) - count
    del items[count:]
    return gone


@overload(shortened)
def _shortened(items: Any, count: Any) -> Callable[..., Any]:  # noqa: ARG001
    def implementation(items: Any, count: Any) -> Any:
        gone = len(items) - count
        del items[count:]
        return gone

    return implementation


@in_bounds
def last_popped(items: Any) -> Any:
    """`items.pop()`."""
    count = len(items) - 1
    if count < 0:
        raise IndexError("pop from empty list")
    item = items[count]
    shortened(items, count)
    return item


@in_bounds
def popped(items: Any, index: int) -> Any:
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
def without(items: Any, index: int) -> None:
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
def without_part(items: Any, start: int, stop: int) -> None:
    """`del items[start:stop]`."""
    count = len(items)
    first = max(min(start + count if start < 0 else start, count), 0)
    last = max(min(stop + count if stop < 0 else stop, count), first)
    for place in range(count - last):
        items[first + place] = items[last + place]
    shortened(items, count - last + first)


@in_bounds
def inserted(items: Any, index: int, item: Any) -> None:
    """`items.insert(index, item)`."""
    count = len(items)
    place = max(min(index + count if index < 0 else index, count), 0)
    items.append(item)
    for after in range(count - 1, place - 1, -1):
        items[after + 1] = items[after]
    items[place] = item


@in_bounds
def cleared(items: Any) -> None:
    """`items.clear()`."""
    shortened(items, 0)


@in_bounds
def turned(items: Any) -> None:
    """`items.reverse()`."""
    count = len(items)
    for place in range(count // 2):
        item = items[place]
        items[place] = items[count - 1 - place]
        items[count - 1 - place] = item


@in_bounds
def put_in_order(items: Any) -> None:
    """`items.sort()`."""
    ordered = np.sort(np.array(items))
    for place in range(len(items)):
        items[place] = ordered[place]


@in_bounds
def put_in_reverse_order(items: Any) -> None:
    """`items.sort(reverse=True)`."""
    ordered = np.sort(np.array(items))
    count = len(items)
    for place in range(count):
        items[place] = ordered[count - 1 - place]


@in_bounds
def found_at(items: Any, item: Any, start: int, stop: int) -> int:
    """`items.index(item, start, stop)`."""
    count = len(items)
    first = max(min(start + count if start < 0 else start, count), 0)
    last = max(min(stop + count if stop < 0 else stop, count), 0)
    for place in range(first, last):
        if items[place] == item:
            return place
    raise ValueError("value not in list")


@in_bounds
def times_found(items: Any, item: Any) -> int:
    """`items.count(item)`."""
    found = 0
    for place in range(len(items)):
        if items[place] == item:
            found += 1
    return found


@in_bounds
def is_in(items: Any, item: Any) -> bool:
    """`item in items`."""
    found = False
    for place in range(len(items)):
        if items[place] == item:
            found = True
            break
    return found


@in_bounds
def repeated(items: Any, times: int) -> None:
    """`items *= times`."""
    count = len(items)
    if times < 1:
        shortened(items, 0)
    for _ in range(times - 1):
        for place in range(count):
            items.append(items[place])


@in_bounds
def put_in_place(items: Any, start: int, stop: int, more: Any) -> None:
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


@in_bounds
def risen(items: Any, place: int) -> None:
    """Let the item at a place of a heap rise until it is not smaller than what is above it, as Python's `heapq` does."""
    item = items[place]
    while place > 0:
        above = (place - 1) >> 1
        other = items[above]
        if not item < other:
            break
        items[place] = other
        place = above
    items[place] = item


@in_bounds
def sunk(items: Any, place: int) -> None:
    """Let the item at a place sink to the leaves of its heap, and rise again, as Python's `heapq` does."""
    count = len(items)
    first = place
    item = items[place]
    below = 2 * place + 1
    while below < count:
        beside = below + 1
        if beside < count and not items[below] < items[beside]:
            below = beside
        items[place] = items[below]
        place = below
        below = 2 * place + 1
    while place > first:
        above = (place - 1) >> 1
        other = items[above]
        if not item < other:
            break
        items[place] = other
        place = above
    items[place] = item


def heap_of(items: Any) -> None:
    """`heapq.heapify(items)`."""
    for place in range(len(items) // 2 - 1, -1, -1):
        sunk(items, place)


def heap_with(items: Any, item: Any) -> None:
    """`heapq.heappush(items, item)`."""
    items.append(item)
    risen(items, len(items) - 1)


@in_bounds
def least_popped(items: Any) -> Any:
    """`heapq.heappop(items)`."""
    count = len(items) - 1
    if count < 0:
        raise IndexError("pop from empty list")
    least = items[0]
    items[0] = items[count]
    shortened(items, count)
    if count > 0:
        sunk(items, 0)
    return least


@in_bounds
def least_replaced(items: Any, item: Any) -> Any:
    """`heapq.heapreplace(items, item)`."""
    if len(items) == 0:
        raise IndexError("index out of range")
    least = items[0]
    items[0] = item
    sunk(items, 0)
    return least


@in_bounds
def least_of_both(items: Any, item: Any) -> Any:
    """`heapq.heappushpop(items, item)`."""
    least = item
    if len(items) > 0 and items[0] < item:
        least = items[0]
        items[0] = item
        sunk(items, 0)
    return least


def smallest(n: int, iterable: Any) -> Any:
    """`heapq.nsmallest(n, iterable)`."""
    return sorted(iterable)[: max(n, 0)]


def largest(n: int, iterable: Any) -> Any:
    """`heapq.nlargest(n, iterable)`."""
    return sorted(iterable, reverse=True)[: max(n, 0)]


HEAPS: Mapping[Any, Callable[..., Any]] = {
    risen: risen,
    sunk: sunk,
    heapq.heapify: heap_of,
    heapq.heappush: heap_with,
    heapq.heappop: least_popped,
    heapq.heapreplace: least_replaced,
    heapq.heappushpop: least_of_both,
    heapq.nsmallest: smallest,
    heapq.nlargest: largest,
}
"""What is written out for Python's heaps, and for what they call."""
