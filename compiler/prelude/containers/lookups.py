"""Whether what reads or changes a container raises: what `try ... except` tests before it happens."""

from __future__ import annotations

import collections

import numpy as np

from backsweep.prelude.declare import refuse

ITEM, DELETED = "[]", "del []"
"""What is done with an item, beside the methods of containers."""


def raises_key_error(thing, method: str, *args) -> bool:
    """Whether `thing[key]`, or a method of a dict or a set, finds no such key."""
    if isinstance(thing, dict):
        if method == ITEM and (
            isinstance(thing, collections.Counter)
            or (isinstance(thing, collections.defaultdict) and thing.default_factory is not None)
        ):
            return False
        if method == DELETED and isinstance(thing, collections.Counter):
            return False
        if method in (ITEM, DELETED) or (method == "pop" and len(args) == 1):
            return args[0] not in thing
        return method == "popitem" and len(thing) == 0
    if isinstance(thing, set):
        if method == "remove":
            return args[0] not in thing
        return method == "pop" and len(thing) == 0
    return False


def raises_index_error(thing, method: str, *args) -> bool:
    """Whether a method of a list or a deque finds no such item."""
    if not isinstance(thing, (list, collections.deque)):
        return False
    if method == "pop" and len(args) == 1:
        return is_outside(thing, 0, args[0])
    return method in ("pop", "popleft") and len(thing) == 0


def raises_value_error(thing, method: str, *args) -> bool:
    """Whether a method of a list finds no such item."""
    if method in ("index", "remove") and isinstance(thing, (list, tuple, collections.deque)):
        if len(args) != 1:
            refuse(
                "`index` between bounds within `try ... except ValueError`",
                "look for the item in the slice: items[first:last].index(item)",
                "BS101",
            )
        return bool(args[0] not in thing)
    return False


def lacks(thing, name: str) -> bool:
    """Whether `thing.name` finds no such attribute."""
    return not hasattr(thing, name)


def is_without(thing, name: str) -> bool:
    """Whether `thing.name = value` is refused by Python: numbers, arrays and containers get no further attributes."""
    is_plain = isinstance(thing, (int, float, complex, str, tuple, list, dict, np.ndarray))
    return is_plain and not hasattr(thing, name)


def is_outside(thing, axis: int, place) -> bool:
    """Whether a subscript is outside of an axis."""
    if not isinstance(thing, (list, tuple, str, np.ndarray, collections.deque)):
        return False
    count = thing.shape[axis] if isinstance(thing, np.ndarray) else len(thing)
    if isinstance(place, np.ndarray):
        if place.dtype == np.bool_:
            return bool(place.shape[0] != count)
        return bool(np.any((place >= count) | (place < -count)))
    if isinstance(place, (list, tuple)):
        refuse(
            "this subscript within `try ... except IndexError` is no number",
            "test for the error before it happens, as in `if i < x.size:`",
            "BS101",
        )
    return bool(place >= count or place < -count)
