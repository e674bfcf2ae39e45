"""Represent dataclasses and other objects in compiled code by namedtuples with the same fields, because Numba knows these."""

from __future__ import annotations

import dataclasses
import functools
from collections import namedtuple
from typing import Any

#: The attribute of such a namedtuple class that holds the class of the objects.
DATACLASS = "backsweep_dataclass"


def is_dataclass(thing: object) -> bool:
    """Whether the object is a dataclass (not an instance of one)."""
    return isinstance(thing, type) and dataclasses.is_dataclass(thing)


@functools.lru_cache(maxsize=256)
def record_of(cls: type, names: tuple[str, ...] = ()) -> Any:
    """The namedtuple class that represents a dataclass, or objects of another class by attributes of these names.

    Emitted code defines it under the class's name.
    """
    names = names or tuple(field.name for field in dataclasses.fields(cls))
    record = namedtuple(cls.__name__, names, module="backsweep.records")  # type: ignore[misc]  # noqa: PYI024  its fields are known at run time only
    setattr(record, DATACLASS, cls)
    return record


def dataclass_of(record: object) -> type | None:
    """The class whose objects a namedtuple class represents; None for any other object."""
    found = getattr(record, DATACLASS, None)
    return found if isinstance(found, type) else None


ITEMS = ("__getitem__", "__iter__", "__contains__", "__len__", "__reversed__")
"""The methods that say what the items of a tuple are."""


def is_tuple(cls: type | None) -> bool:
    """Whether the items of objects of a class, which compiled code has as tuples, are its fields in Python, too.

    A dataclass has no items but those that its methods make, and neither has a namedtuple with methods of its own.
    """
    if cls is None:
        return True
    return dataclass_of(cls) is None and all(
        getattr(cls, name, None) is getattr(tuple, name, None) for name in ITEMS
    )


def obstacle(cls: type) -> str | None:
    """The reason, in words, why constructing the dataclass does more than set its fields; None if there is none."""
    if not cls.__dataclass_params__.init or hasattr(cls, "__post_init__"):  # type: ignore[attr-defined]
        return "it defines its own `__init__` or `__post_init__`"
    for field in dataclasses.fields(cls):
        if not field.init or field.default_factory is not dataclasses.MISSING:
            return f"a function makes the default of its field `{field.name}`"
    return None


def defaults(cls: type) -> dict[str, object]:
    """The default values of a dataclass's fields."""
    return {
        field.name: field.default
        for field in dataclasses.fields(cls)
        if field.default is not dataclasses.MISSING
    }
