"""Stubs: dispatchers for plain Python functions, so that Numba can type or compile programs that call them."""

from __future__ import annotations

import builtins
import functools
import inspect
import itertools
from collections.abc import Iterator
from types import CellType, CodeType, FunctionType
from typing import Any, ClassVar

from numba.core.dispatcher import Dispatcher
from numba.core.registry import CPUDispatcher

from backsweep.dispatch.inference import Typed
from backsweep.reading.names import is_primitive
from backsweep.store.text_files import is_emitted


class TypingStub(Typed):
    """A dispatcher with which Numba types calls of a user's function; the function may write to its arguments."""

    declared: ClassVar = {"need": "asked"}


class CompiledStub(CPUDispatcher):  # type: ignore[misc]  # Numba ships no annotations
    """A dispatcher with which Numba compiles calls of a user's function; the function may write to its arguments."""

    declared: ClassVar = {"need": "asked"}
    typed_alone: ClassVar = True
    """A question about types does not compile it."""

    def __init__(self, python: FunctionType) -> None:
        super().__init__(python, targetoptions={"nopython": True})


Kind = type[TypingStub] | type[CompiledStub]
Made = dict[FunctionType, Any]
"""The stubs of one kind, by function."""


def typing_stub(function: Any, made: Made, kind: Kind = TypingStub) -> Any:
    """The stub of a function; where the function calls plain functions, the stub calls their stubs. `made` holds all."""
    python: FunctionType = function.py_func if isinstance(function, Dispatcher) else function
    if python not in made:
        names = dict(python.__globals__)
        cells = tuple(CellType() for _ in python.__closure__ or ())
        double = FunctionType(_positional(python.__code__), names, python.__name__, _defaults(python), cells)
        made[python] = kind(double)
        for name in _names(python.__code__):
            thing = names.get(name, vars(builtins).get(name))
            if isinstance(thing, type) and issubclass(thing, Exception):
                names[name] = Exception  # Numba knows handlers of no other, and types are all that counts
            elif name in names:
                names[name] = _replaced(thing, made, kind)
        for cell, own in zip(cells, python.__closure__ or (), strict=True):
            if own != CellType():
                cell.cell_contents = _replaced(own.cell_contents, made, kind)
    return made[python]


def _positional(code: CodeType) -> CodeType:
    """The code with keyword-only parameters turned into positional parameters, which Numba accepts."""
    if code.co_flags & inspect.CO_VARARGS:
        return code
    count = code.co_argcount + code.co_kwonlyargcount
    return code.replace(co_argcount=count, co_kwonlyargcount=0)


def _defaults(python: FunctionType) -> tuple[object, ...]:
    """The default values of the last parameters, keyword-only ones included."""
    named = python.__kwdefaults__ or {}
    only = python.__code__.co_varnames[python.__code__.co_argcount :][: python.__code__.co_kwonlyargcount]
    last = list(itertools.takewhile(lambda name: name in named, reversed(only)))[::-1]
    first = python.__defaults__ or () if len(last) == len(only) else ()
    return (*first, *(named[name] for name in last))


def _names(code: CodeType) -> Iterator[str]:
    """The global names that a function and the functions inside it may read."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _replaced(thing: object, made: Made, kind: Kind) -> object:
    """The stub of a plain or an emitted function; any other object unchanged, because Numba knows it."""
    if isinstance(thing, Dispatcher):
        return typing_stub(thing, made, kind) if is_emitted(thing.py_func) else thing
    if isinstance(thing, functools._lru_cache_wrapper):
        thing = thing.__wrapped__
    is_own = isinstance(thing, FunctionType) and not is_primitive(thing) and not _is_runtime(thing)
    return typing_stub(thing, made, kind) if is_own else thing


def _is_runtime(function: FunctionType) -> bool:
    """Whether Backsweep's runtime has registered the function with Numba."""
    return function.__module__.startswith("backsweep.runtime")
