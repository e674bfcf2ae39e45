"""A dict whose keys the run computes is a list of keys beside a list of values, in the order in which the keys came."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from backsweep.prelude.declare import is_looped, means, refuse
from backsweep.runtime.lists.counters import (
    added_counts,
    common_counts,
    largest_counts,
    negative_counts,
    positive_counts,
    remaining_counts,
)
from backsweep.runtime.lists.dicts import (
    place_for_key,
    place_in,
    place_of_key,
    place_that_stays,
    popped_of_key,
    popped_or,
    put_at_key,
    value_or,
    without_key,
)


def refuse_missing() -> NoReturn:
    """Refuse what depends on the class of a dict, which the run decides."""
    refuse(
        "the dict is of several classes, so that only the run knows what a missing key has",
        "make it by one class everywhere, as defaultdict(float), or ask d.get(k, 0.0)",
        "BS104",
    )


def first_value(factory: Callable[[], Any]):
    """What a factory makes."""
    if factory is float:
        return 0.0
    if factory is int:
        return 0
    if factory is complex:
        return 0j
    return factory()


class Pairs:
    """What `d.items()` gives."""

    called = "view of a dict"
    instead = "make a list of it first"

    def __init__(self, keys: list[Any], values: list[Any]) -> None:
        self.keys = keys
        self.values = values

    def __iter__(self) -> Iterator[Any]:
        return zip(self.keys, self.values, strict=False)

    def __len__(self) -> int:
        return len(self.keys)


class Table:
    """A dict. Where the run decides of which class it is, what a missing key has is not known."""

    __library__: Any = dict
    called = "dict"
    instead = "write d[key], `in`, or another method of dicts"
    is_common = True
    """It may stand for objects of any class that is derived from it."""
    key_list: list[Any]
    value_list: list[Any]

    def put(self, items) -> None:
        """Put the items of a dict in, or pairs of keys and values."""
        if isinstance(items, dict):
            for key, value in items.items():
                self[key] = value
        else:
            for key, value in items:
                self[key] = value

    def like(self):
        """An empty dict of this class."""
        refuse_missing()

    def copy(self):
        """Another dict with the same items."""
        made = self.like()
        made.key_list = list(self.key_list)
        made.value_list = list(self.value_list)
        return made

    __copy__ = copy

    def get(self, key, default=None):
        """The value of a key, or the default."""
        return value_or(self.key_list, self.value_list, key, default)

    def setdefault(self, key, default=None):
        """The value of a key, which is put in if it is missing."""
        return self.value_list[place_for_key(self.key_list, self.value_list, key, default)]

    def pop(self, key, *default):
        """Take a key out, and give its value."""
        if len(default) == 0:
            return popped_of_key(self.key_list, self.value_list, key)
        return popped_or(self.key_list, self.value_list, key, default[0])

    def popitem(self) -> tuple[Any, Any]:
        """Take the last item out."""
        if len(self.key_list) == 0:
            raise KeyError("popitem(): dictionary is empty")
        return self.key_list.pop(), self.value_list.pop()

    def update(self, *items) -> None:
        """Put the items of a dict in, or pairs of keys and values."""
        for each in items:
            self.put(each)

    def clear(self) -> None:
        """Take all items out."""
        self.key_list.clear()
        self.value_list.clear()

    def keys(self) -> list[Any]:
        """The list of the keys itself, so that it shows later changes, as Python's view does."""
        return self.key_list

    def values(self) -> list[Any]:
        """The list of the values itself."""
        return self.value_list

    def items(self) -> Pairs:
        """The keys with their values."""
        return Pairs(self.key_list, self.value_list)

    def __len__(self) -> int:
        return len(self.key_list)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.key_list)

    def __contains__(self, key) -> bool:
        return key in self.key_list

    def __getitem__(self, key):
        refuse_missing()

    def __setitem__(self, key, value) -> None:
        if is_looped(self.key_list) or is_looped(self.value_list):
            self.value_list[place_that_stays(self.key_list, key)] = value
        else:
            put_at_key(self.key_list, self.value_list, key, value)

    def __delitem__(self, key) -> None:
        without_key(self.key_list, self.value_list, key)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, dict):
            return False
        same = len(self.key_list) == len(other)
        for key, value in other.items():
            same = (
                same and key in self.key_list and self.value_list[place_of_key(self.key_list, key)] == value
            )
        return same

    __hash__ = None  # type: ignore[assignment]

    def __or__(self, other):
        made = self.copy()
        made.put(other)
        return made

    def __ior__(self, other):
        self.put(other)
        return self


@means(dict, collections.OrderedDict)
class PlainTable(Table):
    """A dict that raises for a key that is missing."""

    def __init__(self, items=()) -> None:
        self.key_list = []
        self.value_list = []
        self.put(items)

    def like(self):
        """An empty dict of this class."""
        return PlainTable()

    def place_to_change(self, key):
        """Where the value of `d[key] += x` is."""
        return place_of_key(self.key_list, key)

    def __getitem__(self, key):
        return self.value_list[place_of_key(self.key_list, key)]


@means(collections.defaultdict)
class DefaultTable(Table):
    """A dict that puts what its factory makes in for a key that is missing."""

    def __init__(self, default_factory: Callable[[], Any] | None = None, items=()) -> None:
        self.default_factory = default_factory
        self.key_list = []
        self.value_list = []
        self.put(items)

    def like(self):
        """An empty dict of this class."""
        return DefaultTable(self.default_factory)

    def place_to_change(self, key):
        """Where the value of a key is, which is put in if it is missing."""
        if self.default_factory is None:
            return place_of_key(self.key_list, key)
        if is_looped(self.key_list) or is_looped(self.value_list):
            return place_that_stays(self.key_list, key)
        place = place_in(self.key_list, key)
        if place < 0:
            place = len(self.key_list)
            self.key_list.append(key)
            self.value_list.append(first_value(self.default_factory))
        return place

    def __getitem__(self, key):
        return self.value_list[self.place_to_change(key)]


@means(collections.Counter)
class Counts(Table):
    """A dict of counts."""

    def __init__(self, items=()) -> None:
        self.key_list = []
        self.value_list = []
        self.count(items, 1)

    def like(self):
        """An empty counter."""
        return Counts()

    def count(self, items, step: int) -> None:
        """Add to the counts of items, or add the counts of a dict."""
        if isinstance(items, dict):
            for key, count in items.items():
                self[key] += step * count
        else:
            for key in items:
                self[key] += step

    def update(self, *items) -> None:
        """Count further items."""
        for each in items:
            self.count(each, 1)

    def subtract(self, *items) -> None:
        """Take counts away."""
        for each in items:
            self.count(each, -1)

    def total(self):
        """The sum of the counts."""
        return sum(self.value_list)

    def most_common(self, n: int | None = None) -> list[Any]:
        """The items with the largest counts, those first."""
        pairs = sorted(zip(self.key_list, self.value_list, strict=False), key=_second, reverse=True)
        return pairs if n is None else pairs[: max(n, 0)]

    def elements(self) -> list[Any]:
        """Each key as often as it was counted."""
        return [key for key, count in zip(self.key_list, self.value_list, strict=False) for _ in range(count)]

    def __getitem__(self, key):
        return value_or(self.key_list, self.value_list, key, 0)

    def __delitem__(self, key) -> None:
        popped_or(self.key_list, self.value_list, key, 0)

    def combined(self, other, function):
        """A counter of both."""
        made = Counts()
        function(
            made.key_list, made.value_list, self.key_list, self.value_list, other.key_list, other.value_list
        )
        return made

    def become(self, made):
        """Get the counts of another."""
        self.clear()
        self.key_list.extend(made.key_list)
        self.value_list.extend(made.value_list)
        return self

    def __add__(self, other):
        return self.combined(other, added_counts)

    def __sub__(self, other):
        return self.combined(other, remaining_counts)

    def __and__(self, other):
        return self.combined(other, common_counts)

    def __or__(self, other):
        return self.combined(other, largest_counts)

    def __iadd__(self, other):
        return self.become(self + other)

    def __isub__(self, other):
        return self.become(self - other)

    def __iand__(self, other):
        return self.become(self & other)

    def __ior__(self, other):
        return self.become(self | other)

    def __pos__(self):
        made = Counts()
        positive_counts(made.key_list, made.value_list, self.key_list, self.value_list)
        return made

    def __neg__(self):
        made = Counts()
        negative_counts(made.key_list, made.value_list, self.key_list, self.value_list)
        return made


def _second(pair: tuple[Any, Any]):
    return pair[1]
