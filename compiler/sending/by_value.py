"""Pickles of functions that another process cannot import: with their texts, and with what they read around them.

Functions of scripts, notebooks and commands, lambdas and closures are pickled as cloudpickle does it, each with the lines of
its text and their place. Functions that another process can import are pickled by their names. Classes of
a script or notebook are left to whoever pickles: the arguments of calls are objects of the same classes.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib
import io
import pickle
import sys
from collections.abc import Callable, Sequence
from types import CodeType, FunctionType
from typing import Any

from numba.core.dispatcher import Dispatcher
from numba.core.serialize import _CustomPickled

from backsweep.diagnostics import SourceError
from backsweep.reading.excerpts import ATTRIBUTE, Excerpt, excerpt_with
from backsweep.reading.functions import text_of
from backsweep.rules.declare import Constant, Rule, declared_by_users, know
from backsweep.runtime.support.python_calls import PythonCall

MAIN = ("__main__", "__mp_main__")
"""The modules whose functions have other names, or none, in other processes."""
UNSENDABLE = (pickle.PicklingError, TypeError, AttributeError, ValueError)
"""What is raised where something that a function reads cannot be pickled."""
_OF_THIS_PROCESS = ("__backsweep__", ATTRIBUTE)
"""Attributes of functions that do not travel: what was compiled, and the text, which goes beside."""
_SENT = (FunctionType, Dispatcher, PythonCall)
"""What a rule may be for that is one object in this process, and another one where it is received."""
_LIBRARIES = ("cloudpickle.cloudpickle", "joblib.externals.cloudpickle.cloudpickle")

Places = list[tuple[str, str, object]]
"""The names by which a pickle finds functions, and what they lead to."""
PartsOf = Callable[[Any], Any]
"""What `__reduce__` would return of an object; None for objects of other kinds."""


def dumps(thing: Any, parts_of: PartsOf) -> tuple[bytes, tuple[type, ...]]:
    """The pickle of a thing, and the classes of scripts and notebooks that it refers to, which are not in it.

    `parts_of` tells of some objects what they are made from.
    """
    classes: list[type] = []
    _label_methods()
    with io.BytesIO() as buffer:
        pickler = _pickler(_library())(buffer, classes, parts_of)
        pickler.dump(thing)
        pickler.dump(_rules(pickler.seen))
        return buffer.getvalue(), tuple(classes)


def loads(content: bytes, classes: Sequence[type]) -> tuple[Any, Places]:
    """The thing that `dumps` pickled, and the functions that were found by their names."""
    unpickler = _Unpickler(io.BytesIO(content), classes)
    thing = unpickler.load()
    for each in unpickler.load():
        if isinstance(each, Rule | Constant):
            know(each)
        elif each not in sys.modules:
            with contextlib.suppress(ImportError):
                importlib.import_module(each)
    return thing, unpickler.places


def _rules(seen: set[int]) -> list[Rule | Constant | str]:
    """The rules that users have declared: those for functions that are sent, and those for functions that everybody has.

    `seen` are the identities of what is sent. Of a module that can be imported, and thereby declares its rules, there is the name.
    """
    found: dict[Any, None] = {}
    for rule in declared_by_users():
        if any(id(function) in seen for function in rule.functions):
            found[rule] = None
        elif is_importable(rule.function):
            found[rule.function.__module__] = None
        elif not any(isinstance(function, _SENT) for function in rule.functions):
            found[rule] = None
    return [*found]


def found_at(module: str, name: str) -> object:
    """What a module that is loaded has under a dotted name; None if there is nothing."""
    found: object = sys.modules.get(module)
    for each in name.split("."):
        found = getattr(found, each, None)
    return found


def is_importable(thing: Any) -> bool:
    """Whether another process finds the thing by its name in its module."""
    module, name = getattr(thing, "__module__", None), getattr(thing, "__qualname__", None)
    return (
        isinstance(module, str)
        and isinstance(name, str)
        and module not in MAIN
        and found_at(module, name) is thing
    )


def _library() -> Any:
    """The cloudpickle that knows the classes that others send with the arguments of calls; Numba brings one."""
    loaded = [each for each in _LIBRARIES if each in sys.modules]
    return importlib.import_module(loaded[0] if loaded else "numba.cloudpickle.cloudpickle")


@functools.cache
def _pickler(library: Any) -> Any:
    """The class of picklers on top of this cloudpickle; its objects take a buffer, a list for the classes, and a `PartsOf`."""

    class Pickler(library.Pickler):  # type: ignore[misc]  # it ships no annotations
        """Cloudpickle's, which sends texts, and leaves out the classes of scripts."""

        def __init__(self, buffer: io.BytesIO, classes: list[type], parts_of: PartsOf) -> None:
            super().__init__(buffer, protocol=4)
            self._classes = classes
            self._parts_of = parts_of
            self.seen: set[int] = set()

        def persistent_id(self, thing: Any) -> int | None:
            """Pickle's hook: the place of a class that whoever pickles sends in his own way."""
            if not isinstance(thing, type) or thing.__module__ not in MAIN:
                return None
            if found_at(thing.__module__, thing.__qualname__) is not thing:
                return None
            if thing not in self._classes:
                self._classes.append(thing)
            return self._classes.index(thing)

        def reducer_override(self, thing: Any) -> Any:
            """Pickle's hook: how a thing is made anew."""
            self.seen.add(id(thing))
            if thing is dataclasses.MISSING:
                return "MISSING"  # there is one only
            if isinstance(thing, FunctionType) and not self._is_importable(thing):
                *made, state, items, pairs, setter = self._dynamic_function_reduce(thing)
                attributes = {name: value for name, value in state[0].items() if name not in _OF_THIS_PROCESS}
                parts = (_excerpt(thing), ({**attributes}, state[1]), setter)
                return *made, parts, items, pairs, _arrived
            if isinstance(thing, Dispatcher) and is_importable(thing):
                return thing.__qualname__
            if isinstance(thing, _CustomPickled):
                return thing._reduce()
            parts = self._parts_of(thing)
            return super().reducer_override(thing) if parts is None else parts

        def _is_importable(self, function: FunctionType) -> bool:
            by_name: bool = library._should_pickle_by_reference(function)
            return by_name and function.__module__ not in MAIN

    return Pickler


class _Unpickler(pickle.Unpickler):
    """One that is given the classes, and notes the functions that it finds by name."""

    def __init__(self, buffer: io.BytesIO, classes: Sequence[type]) -> None:
        super().__init__(buffer)
        self._classes = classes
        self.places: Places = []

    def persistent_load(self, place: Any) -> Any:
        """Pickle's hook: the class at a place."""
        return self._classes[place]

    def find_class(self, module: str, name: str) -> Any:
        """Pickle's hook: what a module has under a name."""
        found = super().find_class(module, name)
        if isinstance(found, FunctionType | Dispatcher):
            self.places.append((module, name, found))
        return found


def _excerpt(function: FunctionType) -> Excerpt | None:
    """The text of a function; None if there is none that can be read."""
    found = excerpt_with(function)
    if found is None:
        try:
            file, lines, node = text_of(function)
        except SourceError:
            return None
        found = Excerpt.of(file, lines, node, function.__code__)
    return found


def _label_methods() -> None:
    """Give the methods of a script's or notebook's classes their texts as attributes.

    Where cloudpickle sends such a class, with an object of it among the arguments of a call, the attributes travel along.
    """
    for thing in tuple(vars(sys.modules["__main__"]).values()):
        if isinstance(thing, type) and thing.__module__ in MAIN:
            for member in tuple(vars(thing).values()):
                function = getattr(member, "__func__", getattr(member, "fget", member))
                if isinstance(function, FunctionType) and (excerpt := _excerpt(function)) is not None:
                    vars(function)[ATTRIBUTE] = excerpt


def _arrived(function: FunctionType, parts: Any) -> None:
    """Give a function that was just made its state, and its text, by which tracebacks show its lines, too."""
    excerpt, state, setter = parts
    setter(function, state)
    code = function.__code__
    if excerpt is None:
        return
    if code.co_filename != excerpt.file:
        function.__code__ = _from(code, excerpt.file)
    vars(function)[ATTRIBUTE] = excerpt
    excerpt.show()


def _from(code: CodeType, file: str) -> CodeType:
    """The code, and that of the functions within it, as that of a file."""
    inner = tuple(_from(each, file) if isinstance(each, CodeType) else each for each in code.co_consts)
    return code.replace(co_filename=file, co_consts=inner)
