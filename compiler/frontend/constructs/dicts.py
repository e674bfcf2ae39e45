"""Dicts that are arguments, namedtuples with a field for each key because Numba knows those; and which dicts become tables."""

from __future__ import annotations

import functools
import keyword
from collections import namedtuple
from typing import Any

from backsweep.frontend.context.heap import Fact, Virtual
from backsweep.frontend.context.rounds import FoundObjectsError
from backsweep.frontend.context.scope import Context, known_elements
from backsweep.ir.nodes import Const, Operand, Slice

#: The attribute of such a namedtuple class that holds the keys.
KEYS = "backsweep_keys"


@functools.lru_cache(maxsize=256)
def record_of_keys(keys: tuple[str, ...]) -> Any:
    """The namedtuple class that represents a dict with these keys, in this order."""
    plain = all(key.isidentifier() and not keyword.iskeyword(key) and key[0] != "_" for key in keys)
    fields = keys if plain else [f"item_{k}" for k in range(len(keys))]
    record = namedtuple("Items", fields, module="backsweep.records")  # type: ignore[misc]  # noqa: PYI024  its fields are known at run time only
    setattr(record, KEYS, keys)
    return record


def keys_of(record: object) -> tuple[str, ...] | None:
    """The keys of the dict that a namedtuple class represents; None for any other object."""
    found = getattr(record, KEYS, None)
    if found is None and _is_emitted(record):
        found = getattr(record, "_fields", None)
    return found if isinstance(found, tuple) else None


def _is_emitted(record: object) -> bool:
    """Whether the text of a derivative defines this class, for a dict whose keys are its fields."""
    home, name = getattr(record, "__module__", None) or "", getattr(record, "__name__", None) or ""
    fields = getattr(record, "_fields", ())
    return home.startswith("backsweep_emitted_") and name == "Items" and "item_0" not in fields


def becomes_table(context: Context, base: Operand, key: object = None) -> None:
    """Have the program lowered again with a table in place of a dict that it changes, or asks for a key that the run computes."""
    if not isinstance(base, Const) or not isinstance(base.value, dict | Virtual):
        return
    found: tuple[object, Fact] = context.made_dicts.get(id(base.value), (None, ()))
    items, fact = found
    if isinstance(base.value, Virtual):
        if items is base.value and isinstance(key, Const) and isinstance(key.value, str):
            raise FoundObjectsError([("named", *fact[1:])])
        return
    keys = [*base.value, key.value if isinstance(key, Const) else None if base.value else 0]
    if items is not base.value or isinstance(key, Slice):
        return
    if all(isinstance(each, str) for each in keys if each is not None):
        raise FoundObjectsError([("named", *fact[1:])])
    if any(isinstance(each, str) for each in keys):
        return
    if not any(is_no_item(context, each) for each in base.value.values()):
        raise FoundObjectsError([fact])


def is_no_item(context: Context, operand: Operand) -> bool:
    """Whether an operand is a string that is known, a dict, or a tuple with one in it: no list holds those."""
    thing = operand.value if isinstance(operand, Const) else None
    if isinstance(thing, str | dict) or _is_table(thing):
        return True
    return any(is_no_item(context, each) for each in known_elements(context, operand) or ())


def become_tables(context: Context, *sides: Operand) -> None:
    """The same for all dicts that a variable may hold where paths meet."""
    things = [side.value if isinstance(side, Const) else None for side in sides]
    if all(isinstance(each, dict) or _is_table(each) for each in things):
        for side in sides:
            becomes_table(context, side)


def _is_table(thing: object) -> bool:
    library = getattr(thing.cls, "__library__", None) if isinstance(thing, Virtual) else None
    return isinstance(library, type) and issubclass(library, dict)
