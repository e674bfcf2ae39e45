"""Pickles that other processes read, though the types in them are of classes that no other process finds by a name.

Dataclasses and dicts are arguments as namedtuples whose classes we make; a script's own namedtuples are classes of
`__main__`. Such a class is pickled as its place in the types of a call, and read as the class of the call that asks.
"""

from __future__ import annotations

import enum
import io
import pickle
import sys
from collections.abc import Iterable
from typing import Any

from numba.core import types
from numba.core.serialize import NumbaPickler


def dumps(thing: Any, signature: Iterable[types.Type]) -> bytes:
    """The pickle of what belongs to a call of these types."""
    with io.BytesIO() as buffer:
        _Pickler(buffer, classes_in(signature)).dump(thing)
        return buffer.getvalue()


def loads(content: bytes, signature: Iterable[types.Type]) -> Any:
    """What a pickle holds, for a call of these types."""
    return _Unpickler(content, classes_in(signature)).load()


def classes_in(signature: Iterable[types.Type]) -> list[type]:
    """The classes in types that another process does not find."""
    found: list[type] = []
    seen: set[int] = set()

    def visit(thing: Any) -> None:
        if id(thing) in seen:
            return
        seen.add(id(thing))
        if isinstance(thing, type):
            if _is_only_here(thing):
                found.append(thing)
        elif isinstance(thing, tuple | list):
            for each in thing:
                visit(each)
        elif isinstance(thing, types.Type):
            for each in vars(thing).values():
                visit(each)

    visit(tuple(signature))
    return found


class _Pickler(NumbaPickler):  # type: ignore[misc]  # Numba ships no annotations
    """Numba's pickler, which writes the place of a class instead of the class."""

    def __init__(self, buffer: io.BytesIO, classes: list[type]) -> None:
        super().__init__(buffer, protocol=4)
        self._classes = classes

    def persistent_id(self, thing: Any) -> tuple[int, str, tuple[str, ...]] | None:
        """Pickle's hook: what stands for an object."""
        if isinstance(thing, type) and thing in self._classes:
            return self._classes.index(thing), *_looks(thing)
        return None


class _Unpickler(pickle.Unpickler):
    """One that reads the places of classes."""

    def __init__(self, content: bytes, classes: list[type]) -> None:
        super().__init__(io.BytesIO(content))
        self._classes = classes

    def persistent_load(self, found: Any) -> Any:
        """Pickle's hook: the class of the call at this place; another one, which is no call's, if they do not look alike."""
        place, name, fields = found
        if place < len(self._classes) and _looks(self._classes[place]) == (name, fields):
            return self._classes[place]
        return type(name, (), {})


def _is_only_here(cls: type) -> bool:
    """Whether a class is that of a type of Numba's, and no module has it under its name."""
    if not issubclass(cls, enum.Enum) and not (issubclass(cls, tuple) and hasattr(cls, "_fields")):
        return False
    found: Any = None if cls.__module__ == "__main__" else sys.modules.get(cls.__module__)
    for name in cls.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is not cls


def _looks(cls: type) -> tuple[str, tuple[str, ...]]:
    """The name of a class and what it is made of."""
    members = [f"{each.name}={each.value!r}" for each in cls] if issubclass(cls, enum.Enum) else []
    return cls.__qualname__, tuple(getattr(cls, "_fields", members))
