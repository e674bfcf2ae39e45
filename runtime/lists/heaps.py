"""Python's heaps: what `heapq` does to a list.

The compiler writes these functions out where they are called.
"""

from __future__ import annotations

import heapq

from backsweep.runtime.lists.sequences import inlined_in_bounds, shortened


@inlined_in_bounds
def risen(heap, first: int, place: int) -> None:
    """Let the item at `place` take the places of larger ones above it, down to `first`."""
    item = heap[place]
    while place > first:
        above = (place - 1) >> 1
        if not item < heap[above]:
            break
        heap[place] = heap[above]
        place = above
    heap[place] = item


@inlined_in_bounds
def settled(heap, first: int) -> None:
    """Restore the order of a heap in which only the item at `first` is out of order, as `heapq` does it."""
    count = len(heap)
    item = heap[first]
    place = first
    below = 2 * place + 1
    while below < count:
        if below + 1 < count and not heap[below] < heap[below + 1]:
            below += 1
        heap[place] = heap[below]
        place = below
        below = 2 * place + 1
    heap[place] = item
    risen(heap, first, place)


@inlined_in_bounds
def heap_pushed(heap, item) -> None:
    """`heapq.heappush(heap, item)`."""
    heap.append(item)
    risen(heap, 0, len(heap) - 1)


@inlined_in_bounds
def heap_popped(heap):
    """`heapq.heappop(heap)`."""
    count = len(heap) - 1
    if count < 0:
        raise IndexError("index out of range")
    item = heap[count]
    shortened(heap, count)
    if count > 0:
        first = heap[0]
        heap[0] = item
        settled(heap, 0)
        return first
    return item


@inlined_in_bounds
def heap_replaced(heap, item):
    """`heapq.heapreplace(heap, item)`."""
    if len(heap) == 0:
        raise IndexError("index out of range")
    first = heap[0]
    heap[0] = item
    settled(heap, 0)
    return first


@inlined_in_bounds
def heap_pushed_and_popped(heap, item):
    """`heapq.heappushpop(heap, item)`."""
    if len(heap) > 0 and heap[0] < item:
        first = heap[0]
        heap[0] = item
        settled(heap, 0)
        return first
    return item


@inlined_in_bounds
def made_a_heap(items) -> None:
    """`heapq.heapify(items)`."""
    for k in range(len(items) // 2):
        settled(items, len(items) // 2 - 1 - k)


def smallest(n: int, iterable):
    """`heapq.nsmallest(n, iterable)`."""
    return sorted(iterable)[: max(n, 0)]


def largest(n: int, iterable):
    """`heapq.nlargest(n, iterable)`."""
    return sorted(iterable, reverse=True)[: max(n, 0)]


HEAPS = {
    heapq.heappush: heap_pushed,
    heapq.heappop: heap_popped,
    heapq.heapreplace: heap_replaced,
    heapq.heappushpop: heap_pushed_and_popped,
    heapq.heapify: made_a_heap,
}
"""What the compiler writes out in place of the functions of `heapq` that change a list."""
PICKS = {heapq.nsmallest: smallest, heapq.nlargest: largest}
"""The same for those that pick items."""
