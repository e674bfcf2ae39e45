"""Describe the objects that a program refers to by their content, for the keys of the caches.

The text of a program does not show this content.
"""

from __future__ import annotations

import hashlib
import math
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
from numba.core import types

from backsweep.ir.nodes import Apply, Callee, Const, Custom, Function, Node, Tap, Undefined
from backsweep.ir.show import show
from backsweep.ir.walk import leaving, operands, programs, walk
from backsweep.rules import lookup

_KNOWN = ("math", "cmath", "operator", "_operator", "builtins", "numpy", "numba", "backsweep")
"""Packages whose functions are the same in every process with the same versions, which the cache's key contains."""


def contents(function: Function) -> list[tuple[str, Any]] | None:
    """Pairs of content and object for all objects that the program refers to, in its order.

    None if an object has no description that holds in every process.
    """
    found: list[tuple[str, Any]] = []
    things = [thing for program in programs(function) for thing in _referred(program)]
    for thing in things:
        text = content(thing)
        if text is None:
            return None
        found.append((text, thing))
    return found


def statements(function: Function) -> str:
    """The user's statements that the program quotes, with `!` where subscripts are checked."""
    return "\n".join(
        f"{node.loc.line}{'!' if node.loc.is_checked else ''}:{node.loc.statement}"
        for node in walk(function.body)
    )


def _referred(function: Function) -> Iterator[Any]:
    """The value of every constant and every function that is called."""
    yield from _constants(function.body.yields)
    for node in walk(function.body):
        yield from _of_node(node)


def _of_node(node: Node) -> Iterator[Any]:
    """The constants and the function that one node refers to."""
    yield from _constants((*operands(node), *leaving(node)))
    if isinstance(node, Apply):
        yield node.function


def _constants(found: tuple[Any, ...]) -> Iterator[Any]:
    return (operand.value for operand in found if isinstance(operand, Const))


def content(thing: Any) -> str | None:
    """A text that is equal for equal objects only, in every process; None if there is no such text."""
    if thing is None or thing is Ellipsis or isinstance(thing, Undefined | np.dtype | slice):
        return repr(thing)
    if type(thing) in (bool, int, float, complex, str, bytes):
        return f"{type(thing).__name__} {thing!r}"
    if isinstance(thing, np.ndarray | np.generic):
        return _numbers(np.asarray(thing), type(thing).__name__)
    if isinstance(thing, tuple | list):
        items = [content(item) for item in thing]
        kind = "" if type(thing) in (tuple, list) else _path(type(thing))
        if kind is None or None in items:
            return None
        return f"{type(thing).__name__} {kind} ({', '.join(map(str, items))})"
    if isinstance(thing, Callee):
        text = "" if thing.program is None else f"{show(thing.program)} {statements(thing.program)}"
        return f"callee {thing.name} {thing.parameters} {text}"
    if isinstance(thing, Tap):
        return f"tap {thing.label} {thing.updates} {thing.optional}"
    if isinstance(thing, Custom):
        return f"custom {thing.results} {thing.arguments} {thing.passes} {thing.updates} {show(thing.backward)} {statements(thing.backward)}"
    if isinstance(thing, ModuleType):
        return f"module {thing.__name__}"
    return _path(thing)


def type_content(type_: Any) -> str | None:
    """A text for a Numba type of an argument that is the same in every process; None if there is no such text."""
    match type_:
        case types.Dispatcher() | types.Omitted():
            return type(type_).__name__  # the function or default value itself is part of the program
        case types.BaseTuple():
            items = [type_content(item) for item in type_]
            cls = getattr(type_, "instance_class", None)
            # the code of a call is for every class with these fields: a class that the program names is in `contents`
            kind = "tuple" if cls is None else f"{cls.__module__}.{cls.__qualname__} {cls._fields}"
            return None if None in items else f"{kind} {items}"
        case _:
            return repr(type_)


def _numbers(array: np.ndarray[Any, Any], kind: str) -> str | None:
    """An array by its type, its layout and the hash of its entries."""
    if array.dtype.hasobject:
        return None
    entries = hashlib.sha256(array.tobytes()).hexdigest()
    flags = array.flags
    return f"{kind} {array.dtype.descr} {array.shape} {flags.c_contiguous} {flags.f_contiguous} {entries}"


def _path(thing: Any) -> str | None:
    """Module and name of a function or class that is the same in every process; None for any other object."""
    if any(not declared.function.__module__.startswith("backsweep.") for declared in lookup(thing)):
        return None  # the user's own rule, which may change from one process to the next
    if getattr(thing, "__objclass__", None) is np.ndarray:
        return f"numpy.ndarray.{thing.__name__}"
    name = getattr(thing, "__name__", None)
    if not isinstance(name, str):
        return None
    module = getattr(thing, "__module__", None) or ""
    if isinstance(thing, np.ufunc) or getattr(math, name, None) is thing:
        module = "numpy" if isinstance(thing, np.ufunc) else "math"
    if isinstance(thing, type) and issubclass(thing, BaseException):
        return f"{module}.{name}"
    if isinstance(thing, type) and hasattr(thing, "_fields"):
        lasting = is_importable(thing) or module.startswith(
            "backsweep."
        )  # ours are written out by their fields
        return f"{module}.{thing.__qualname__} {thing._fields}" if lasting else None
    return f"{module}.{name}" if module.partition(".")[0] in _KNOWN else None


def is_importable(thing: Any) -> bool:
    """Whether another process finds the object under its own name in its own module."""
    module = getattr(thing, "__module__", None) or ""
    if module == "__main__" or module.startswith("backsweep_emitted"):
        return False
    name = getattr(thing, "__name__", None)
    return isinstance(name, str) and getattr(sys.modules.get(module), name, None) is thing
