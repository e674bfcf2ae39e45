"""The namedtuple classes in which results with names are returned; such results can be sent to other processes."""

from __future__ import annotations

import collections
import functools
from types import ModuleType
from typing import Any


@functools.lru_cache(maxsize=256)
def record_class(called: str, fields: tuple[str, ...]) -> type:
    """The namedtuple class with these fields. Equal fields give the same class."""
    return sendable(collections.namedtuple(called, fields))  # noqa: PYI024  the fields are known at run time only


def sendable(cls: type) -> type:
    """The class, whose objects are from now on pickled by its name and fields: no other process finds the class."""
    cls.__reduce__ = _reduced  # type: ignore[method-assign, assignment]
    return cls


def have_records_sent(module: ModuleType) -> None:
    """Make the objects of an emitted module's own classes sendable."""
    for thing in vars(module).values():
        if isinstance(thing, type) and thing.__module__ == module.__name__ and hasattr(thing, "_fields"):
            sendable(thing)


def _reduced(record: Any) -> tuple[Any, ...]:
    return _record, (type(record).__name__, record._fields, tuple(record))


def _record(called: str, fields: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    return record_class(called, fields)(*values)
