"""A set is a list without equal items. What depends on the order of its items is refused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from backsweep.prelude.declare import means, refuse
from backsweep.runtime.lists.dicts import place_of_item


def items_of(iterable):
    """What a set is made of; that has no order, either, if it is a set."""
    return iterable.items if isinstance(iterable, Items) else iterable


class Items:
    """What sets that change and those that do not have in common."""

    called = "set"
    instead = "write `in`, an operator, or another method of sets"

    def __init__(self, iterable: Iterable[Any] = ()) -> None:
        self.items: list[Any] = []
        self.put(iterable)

    def put(self, iterable: Iterable[Any]) -> None:
        """Put items in that are not there."""
        for item in items_of(iterable):
            if item not in self.items:
                self.items.append(item)

    def of_these(self, items: list[Any]):
        """A set like this one of items that differ from each other."""
        made = self.like()
        made.items = items
        return made

    def like(self):
        """An empty set of this class."""
        return Items()

    def in_any_order(self):
        """The items, for a function whose result no order changes."""
        return self.items

    def copy(self):
        """Another set with the same items."""
        return self.of_these(list(self.items))

    __copy__ = copy

    def union(self, *others: Iterable[Any]):
        """The items of all."""
        made = self.copy()
        for other in others:
            made.put(other)
        return made

    def intersection(self, *others: Iterable[Any]):
        """The items that all have."""
        items = list(self.items)
        for other in others:
            more = list(items_of(other))
            items = [item for item in items if item in more]
        return self.of_these(items)

    def difference(self, *others: Iterable[Any]):
        """The items that no other has."""
        items = list(self.items)
        for other in others:
            more = list(items_of(other))
            items = [item for item in items if item not in more]
        return self.of_these(items)

    def symmetric_difference(self, other: Iterable[Any]):
        """The items that one of both has."""
        others = set(other)
        return self.difference(others).union(others.difference(self))

    def issubset(self, other: Iterable[Any]) -> bool:
        """Whether the other one has all items of this one."""
        more = list(items_of(other))
        return all(item in more for item in self.items)

    def issuperset(self, other: Iterable[Any]) -> bool:
        """Whether this one has all items of the other one."""
        return all(item in self.items for item in items_of(other))

    def isdisjoint(self, other: Iterable[Any]) -> bool:
        """Whether there is no item that both have."""
        return not any(item in self.items for item in items_of(other))

    def __len__(self) -> int:
        return len(self.items)

    def __contains__(self, item) -> bool:
        return item in self.items

    def __iter__(self):
        refuse(
            "a set is gone through, which has no order that the language promises",
            "go through sorted(items), or keep a list beside the set",
            "BS114",
        )

    def __or__(self, other):
        return self.union(other)

    def __and__(self, other):
        return self.intersection(other)

    def __sub__(self, other):
        return self.difference(other)

    def __xor__(self, other):
        return self.symmetric_difference(other)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Items) and len(self.items) == len(other.items) and self.issubset(other)

    __hash__ = None  # type: ignore[assignment]

    def __le__(self, other: Items) -> bool:
        return self.issubset(other)

    def __ge__(self, other: Items) -> bool:
        return self.issuperset(other)

    def __lt__(self, other: Items) -> bool:
        return len(self.items) < len(other.items) and self.issubset(other)

    def __gt__(self, other: Items) -> bool:
        return len(self.items) > len(other.items) and self.issuperset(other)


@means(frozenset)
class FrozenItems(Items):
    """A set that does not change."""

    def like(self):
        """An empty set of this class."""
        return FrozenItems()


@means(set)
class ChangingItems(Items):
    """A set that changes."""

    def like(self):
        """An empty set of this class."""
        return ChangingItems()

    def add(self, item) -> None:
        """Put an item in unless it is there."""
        if item not in self.items:
            self.items.append(item)

    def discard(self, item) -> None:
        """Take an item out if it is there."""
        if item in self.items:
            self.items.remove(item)

    def remove(self, item) -> None:
        """Take an item out, which must be there."""
        del self.items[place_of_item(self.items, item)]

    def pop(self):
        """The one item that there is; of several, Python does not promise which one it takes out."""
        if len(self.items) == 0:
            raise KeyError("pop from an empty set")
        if len(self.items) > 1:
            raise ValueError(
                "which item `pop` takes out of a set of several, no order says: "
                "take a certain one, as in k = min(items); items.discard(k)"
            )
        return self.items.pop()

    def clear(self) -> None:
        """Take all items out."""
        self.items.clear()

    def update(self, *others: Iterable[Any]) -> None:
        """Put the items of others in."""
        for other in others:
            self.put(other)

    def intersection_update(self, *others: Iterable[Any]) -> None:
        """Take the items out that another lacks."""
        self.items = self.intersection(*others).items

    def difference_update(self, *others: Iterable[Any]) -> None:
        """Take the items of others out."""
        self.items = self.difference(*others).items

    def symmetric_difference_update(self, other: Iterable[Any]) -> None:
        """Take the items out that the other has, and put its other items in."""
        self.items = self.symmetric_difference(other).items

    def __ior__(self, other):
        self.update(other)
        return self

    def __iand__(self, other):
        self.intersection_update(other)
        return self

    def __isub__(self, other):
        self.difference_update(other)
        return self

    def __ixor__(self, other):
        self.symmetric_difference_update(other)
        return self
