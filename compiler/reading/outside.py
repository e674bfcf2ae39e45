"""Note what a function reads outside its body: globals, variables of enclosing functions, attributes of objects.

Emitted code holds these as constants. In Python they have the value of the call, so that each call from Python looks at them
again: code that was emitted for other values is not run.
"""

from __future__ import annotations

import dataclasses
import functools
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from backsweep.reading.functions import Source, defaults_of
from backsweep.reading.names import is_from_library, is_own
from backsweep.runtime.support.python_calls import GeneratorRead
from backsweep.store.text_files import is_emitted

LARGEST_CONSTANT = 10**6
"""Numba copies an array of so many bytes into the code; the contents of a larger one it reads in place."""
MISSING = object()
ANY_GENERATOR = object()
"""What is held of a generator of random numbers that the code reads anew in each run, so that another may take its place."""
_NUMBERS = (bool, int, float, complex, str, bytes, np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """One name or attribute of an owner, what `look` found there, and `held`, a copy of what can change in place."""

    owner: object
    name: str
    look: Callable[[str, object], object]
    found: object
    held: object

    @classmethod
    def fixed(cls, generator: np.random.Generator) -> Read:
        """What stands for a generator that the code keeps, such as an item of a dict or a default."""
        return cls(generator, "rng", lambda _name, _missing: generator, generator, None)

    @property
    def key(self) -> tuple[int, str]:
        """A key for the read: its owner and its name."""
        return id(self.owner), self.name

    def holds(self) -> bool:
        """Whether the same is found there now."""
        now = self.look(self.name, MISSING)
        if self.held is ANY_GENERATOR:
            return isinstance(now, np.random.Generator)
        if now is self.found:
            return self.held is None or _is_as_held(now, self.held)
        return _is_equal(now, self.found if self.held is None else self.held)


def hold(reads: Iterable[Read]) -> bool:
    """Whether each read would find the same now. This is asked before each call, so an unchanged object costs no call of `holds`."""
    for read in reads:
        if read.look(read.name, MISSING) is not read.found or read.held is not None:
            if not read.holds():
                return False
    return True


@dataclass(slots=True)
class Outside:
    """The reads of one program, each once, and how emitted code reads those that are generators of random numbers."""

    reads: dict[tuple[int, str], Read] = field(default_factory=dict)
    generators: dict[tuple[int, str], GeneratorRead] = field(default_factory=dict)

    def note_name(self, source: Source | None, name: str) -> Read | None:
        """Note that a function reads a name; what an `@njit` function reads is constant, as Numba has it."""
        if source is None or source.jitted or is_emitted(source.function):
            return None
        free = source.function.__code__.co_freevars
        if name in free and name in source.closure:
            cell = (source.function.__closure__ or ())[free.index(name)]
            return self._note(cell, name, functools.partial(_contents, cell))
        if name in source.globals:
            return self._note(source.globals, name, source.globals.get)
        return None

    def note_attribute(
        self, source: Source | None, owner: object, name: str, *, is_used_up: bool = False
    ) -> Read | None:
        """Note that a function reads an attribute of a module, a class or an object; `is_used_up` while compiling, however large."""
        if source is None or source.jitted or is_emitted(source.function):
            return None
        if isinstance(owner, (*_NUMBERS, tuple)) or is_from_library(owner) or is_own(owner):
            return None
        return self._note(owner, name, functools.partial(getattr, owner), is_used_up=is_used_up)

    def note_defaults(self, source: Source | None) -> None:
        """Note the values that a function's parameters have where a call gives none; a library's do not change."""
        if source is None or source.jitted or is_emitted(source.function) or is_from_library(source.function):
            return
        for name in source.defaults:
            self._note(source.function, f"{name}=", functools.partial(_default, source.function))

    def generator(self, read: Read) -> GeneratorRead:
        """The function by which emitted code reads a generator of random numbers: whatever generator is there then will do."""
        self.reads[read.key] = dataclasses.replace(read, held=ANY_GENERATOR)
        if read.key not in self.generators:
            look = functools.partial(read.look, read.name, MISSING)
            self.generators[read.key] = GeneratorRead(look, read.name)
        return self.generators[read.key]

    def _note(
        self, owner: object, name: str, look: Callable[[str, object], object], *, is_used_up: bool = False
    ) -> Read | None:
        found = look(name, MISSING)
        if isinstance(found, types.ModuleType) or is_from_library(found):
            return None
        read = Read(owner, name, look, found, _held(found, is_used_up=is_used_up))
        return self.reads.setdefault(read.key, read)


def _contents(cell: types.CellType, _name: str, missing: object) -> object:
    """What a variable of an enclosing function is now."""
    try:
        return cell.cell_contents
    except ValueError:  # deleted since
        return missing


def _default(function: types.FunctionType, name: str, missing: object) -> object:
    """What a parameter, named as in "rate=", has now where a call gives no value."""
    return defaults_of(function).get(name[:-1], missing)


def _held(thing: object, *, is_used_up: bool = False) -> Any:
    """A copy of what can change in place; None for what cannot, or whose contents the code reads in place."""
    held = functools.partial(_held, is_used_up=is_used_up)
    match thing:
        case np.ndarray():
            is_constant = (is_used_up or thing.nbytes <= LARGEST_CONSTANT) and thing.dtype != object
            return thing.copy(order="K") if is_constant else None
        case list() | set() | frozenset():
            return [*thing], [held(each) for each in thing]
        case dict():
            return [*thing, *thing.values()], [held(each) for each in thing.values()]
        case tuple():
            parts = [held(each) for each in thing]
            return None if all(each is None for each in parts) else ([*thing], parts)
        case _:
            return None


def _is_as_held(thing: object, held: Any) -> bool:
    """Whether the contents of an object are still those of the copy."""
    if isinstance(thing, np.ndarray):
        return _is_equal(thing, held)
    parts, copies = held
    items = [*thing, *thing.values()] if isinstance(thing, dict) else [*thing]  # type: ignore[misc]
    if len(items) != len(parts) or any(one is not other for one, other in zip(items, parts, strict=True)):
        return False
    values = [*thing.values()] if isinstance(thing, Mapping) else items
    pairs = zip(values, copies, strict=True)
    return all(copy is None or _is_as_held(value, copy) for value, copy in pairs)


def _is_equal(one: object, other: object) -> bool:
    """Whether emitted code would be the same for another object: an equal number, text or array, or the same bound method."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        alike = one.dtype == other.dtype and one.shape == other.shape
        return alike and one.tobytes() == other.tobytes()
    if isinstance(one, types.MethodType) and isinstance(other, types.MethodType):
        return one.__func__ is other.__func__ and one.__self__ is other.__self__
    return isinstance(one, _NUMBERS) and repr(one) == repr(other)
