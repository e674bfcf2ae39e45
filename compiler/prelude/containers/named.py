"""A dict whose keys are strings that are known while compiling: an object with an attribute for each."""

from __future__ import annotations

import collections
from typing import Any

from backsweep.prelude.containers.tables import Table, first_value
from backsweep.prelude.declare import early, has_known_items, is_known, refuse


class Named(Table):
    """A dict whose keys are known wherever the program puts one in."""

    called = "dict"
    instead = "write d['a'], `in`, or a method of dicts"

    def __init__(self, items=()) -> None:
        self.names: tuple[str, ...] = ()
        self.put(items)

    def put(self, items) -> None:
        """Put the items of a dict in, or pairs of keys and values."""
        if isinstance(items, dict):
            for key in items.now() if isinstance(items, Named) else items:
                self[key] = items[key]
        else:
            for key, value in items:
                self[key] = value

    def now(self) -> tuple[str, ...]:
        """The keys, which every path to this place must have put in."""
        if not has_known_items(self.names) or not is_known(*self.names):
            refuse(
                "which keys the dict has is known only when the program runs: not every path puts the same ones in",
                "put every key in before the branch or the loop: d = {'a': 0.0, 'b': 0.0}",
                "BS110",
            )
        return self.names

    def like(self):
        """An empty dict of this kind."""
        return Named()

    def copy(self):
        """Another dict with the same items."""
        return Named(self)

    __copy__ = copy

    def get(self, key, default=None):
        """The value of a key, or the default."""
        if is_known(key):
            return getattr(self, attribute(key)) if known(key) in self.now() else default
        return self.chosen(key) if key in self else default

    def setdefault(self, key, default=None):
        """The value of a key, which is put in if it is missing."""
        if known(key) not in self.now():
            self[key] = default
        return getattr(self, attribute(key))

    def pop(self, key, *default):
        """Take a key out, and give its value."""
        if len(default) == 1 and known(key) not in self.now():
            return default[0]
        found = self[key]
        self.names = early(without, self.now(), key)
        return found

    def popitem(self) -> tuple[Any, Any]:
        """Take the last item out."""
        if len(self.now()) == 0:
            raise KeyError("popitem(): dictionary is empty")
        key = self.now()[-1]
        return key, self.pop(key)

    def update(self, *items, **named) -> None:
        """Put the items of a dict in, or pairs of keys and values."""
        for each in items:
            self.put(each)
        self.put(named)

    def clear(self) -> None:
        """Take all items out."""
        self.names = ()

    def keys(self):
        """A view of the keys."""
        return View(self, "keys")

    def values(self):
        """A view of the values."""
        return View(self, "values")

    def items(self):
        """A view of the keys with their values."""
        return View(self, "items")

    def item(self, kind: str, key: str):
        """What a view shows of a key now."""
        if kind == "keys":
            return key
        return getattr(self, attribute(key)) if kind == "values" else (key, getattr(self, attribute(key)))

    def at_once(self):
        """The keys, for what takes all at once."""
        return self.now()

    def __len__(self) -> int:
        return len(self.now())

    def __iter__(self):
        return iter(View(self, "keys"))

    def __contains__(self, key) -> bool:
        if is_known(key):
            return known(key) in self.now()
        found = False
        for name in self.now():
            found = found or text(key) == name
        return found

    def chosen(self, key):
        """The value of a key that the run computes: one of those that are known."""
        for name in self.now():
            if text(key) == name:
                return getattr(self, attribute(name))
        raise KeyError("the dict has no such key")

    def __getitem__(self, key):
        if not is_known(key):
            return self.chosen(key)
        if known(key) not in self.now():
            raise KeyError("the dict has no such key")
        return getattr(self, attribute(key))

    def __setitem__(self, key, value) -> None:
        if is_known(key):
            if known(key) not in self.now():
                self.names = early(beside, self.now(), key)
            setattr(self, attribute(key), value)
            return
        if key not in self:
            raise KeyError("put the key in by its name first: d = {'a': 0.0, 'b': 0.0}")
        for name in self.now():
            if key == name:
                setattr(self, attribute(name), value)

    def __delitem__(self, key) -> None:
        self.pop(key)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, dict) or len(self) != len(other):
            return False
        same = True
        for key, value in other.items():
            same = same and key in self and self[key] == value
        return same

    __hash__ = None


class NamedDefault(Named):
    """One that puts what its factory makes in for a key that is missing, as `defaultdict` does."""

    __library__: Any = collections.defaultdict

    def __init__(self, default_factory=None, items=()) -> None:
        self.default_factory = default_factory
        self.names = ()
        self.put(items)

    def like(self):
        """An empty dict of this kind."""
        return NamedDefault(self.default_factory)

    def copy(self):
        """Another dict with the same items."""
        return NamedDefault(self.default_factory, self)

    __copy__ = copy

    def __getitem__(self, key):
        if known(key) not in self.now():
            if self.default_factory is None:
                raise KeyError("the dict has no such key")
            self[key] = first_value(self.default_factory)
        return getattr(self, attribute(key))


class View:
    """What `keys`, `values` and `items` give: it shows later changes, too."""

    __library__: Any = type({}.values())
    called = "view of a dict"
    instead = "make a list of it first"

    def __init__(self, table, kind: str) -> None:
        self.table = table
        self.kind = kind

    def at_once(self):
        """What it shows now, for what takes all at once."""
        return [self.table.item(self.kind, key) for key in self.table.now()]

    def __len__(self) -> int:
        return len(self.table)

    def __iter__(self):
        names = self.table.now()
        for key in names:
            if len(self.table.now()) != len(names):
                raise RuntimeError("dictionary changed size during iteration")
            yield self.table.item(self.kind, key)


def known(key):
    """A key, which must be a string that is known."""
    if not is_known(key) or not isinstance(key, str):
        refuse(
            "the dict has strings for keys, and this one is known only when the program runs",
            "use whole numbers for keys, or write the strings out",
            "BS110",
        )
    return key


def text(key):
    """A key that the run computes, which must be a string."""
    if not isinstance(key, str):
        known(key)
    return key


def attribute(key):
    """The attribute that holds the value of a key: no method has its name."""
    return early(of_key, key)


def of_key(key: str) -> str:
    """The same, of a known key."""
    return f"item {key}"


def beside(names: tuple[str, ...], key: str) -> tuple[str, ...]:
    """The keys with another one behind them."""
    return (*names, key)


def without(names: tuple[str, ...], key: str) -> tuple[str, ...]:
    """The other keys."""
    return tuple(each for each in names if each != key)
