"""A deque is a list, with the methods of its class."""

from __future__ import annotations

import collections
from collections.abc import Iterable, Iterator
from typing import Any

from backsweep.prelude.declare import means, refuse
from backsweep.runtime.lists.deques import shortened_to, turned_round


@means(collections.deque)
class Deque:
    """A queue with two ends; one with `maxlen` loses items at its other end when it gets more."""

    called = "deque"
    instead = "write q[k], `in`, or another method of deques"

    def __init__(self, iterable: Iterable[Any] = (), maxlen: int | None = None) -> None:
        self.maxlen = maxlen
        self.items = list(iterable)
        self.shorten(True)

    def shorten(self, from_left: bool) -> None:
        """Let the items beyond the greatest length go."""
        if self.maxlen is not None:
            shortened_to(self.items, self.maxlen, from_left)

    def append(self, item) -> None:
        """Put an item in at the right."""
        self.items.append(item)
        self.shorten(True)

    def appendleft(self, item) -> None:
        """Put an item in at the left."""
        self.items.insert(0, item)
        self.shorten(False)

    def extend(self, iterable: Iterable[Any]) -> None:
        """Put items in at the right."""
        self.items.extend(list(iterable) if iterable is self else iterable)
        self.shorten(True)

    def extendleft(self, iterable: Iterable[Any]) -> None:
        """Put items in at the left, one after the other."""
        for item in list(iterable) if iterable is self else iterable:
            self.items.insert(0, item)
        self.shorten(False)

    def pop(self):
        """Take the item at the right out."""
        return self.items.pop()

    def popleft(self):
        """Take the item at the left out."""
        return self.items.pop(0)

    def rotate(self, n: int = 1) -> None:
        """Move items from the right end to the left one."""
        turned_round(self.items, n)

    def insert(self, place: int, item) -> None:
        """Put an item in before another."""
        if self.maxlen is not None and len(self.items) >= self.maxlen:
            raise IndexError("deque already at its maximum size")
        self.items.insert(place, item)

    def clear(self) -> None:
        """Take all items out."""
        self.items.clear()

    def count(self, item) -> int:
        """How often an item is in it."""
        return self.items.count(item)

    def index(self, item, *bounds: int) -> int:
        """Where an item is."""
        return self.items.index(item, *bounds)

    def remove(self, item) -> None:
        """Take the first of such items out."""
        self.items.remove(item)

    def reverse(self) -> None:
        """Turn the order of the items round."""
        self.items.reverse()

    def copy(self) -> Deque:
        """Another deque with the same items."""
        return Deque(self.items, self.maxlen)

    __copy__ = copy

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)

    def __contains__(self, item) -> bool:
        return item in self.items

    def __getitem__(self, place):
        if isinstance(place, slice):
            refuse("a deque has no slices", "make a list of it first: list(q)[a:b]", "BS110")
        return self.items[place]

    def __setitem__(self, place: int, item) -> None:
        self.items[place] = item

    def __delitem__(self, place: int) -> None:
        del self.items[place]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Deque) and self.items == other.items

    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: Deque) -> Deque:
        made = self.copy()
        made.extend(other)
        return made

    def __iadd__(self, other: Iterable[Any]) -> Deque:  # noqa: PYI034  the text is plain Python
        self.extend(other)
        return self
