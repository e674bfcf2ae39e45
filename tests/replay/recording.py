"""What a test of Numba's calls: the compiled functions, and copies of the arguments that it gives them."""

from __future__ import annotations

import copy
import functools
import inspect
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numba import njit, typeof
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError

from tests.support import checking

POINTS = 2
"""Of calls of one function with arguments of the same types the first few are kept: their values may take other branches."""


@dataclass
class Group:
    """Calls of one function with arguments of the same types."""

    function: str
    types: str
    python: Callable[..., Any]
    dispatcher: Any
    points: list[tuple[Any, ...]] = field(default_factory=list)
    jit: bool = True
    """Whether machine code is judged, or the same program as Python runs it."""

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from other groups, in any run."""
        return self.function, self.types

    def primal(self) -> Any:
        """The dispatcher to differentiate: the test's own, unless it runs in parallel, takes only the types that it
        was given, which arguments are converted to, was not called itself, or keeps what variables of a function around it held
        when it was compiled, which may have other values by now."""
        if not self.jit:
            return self.python
        if self.dispatcher is None:
            return njit(self.python)
        options = self.dispatcher.targetoptions
        if self.dispatcher._can_compile and not options.get("parallel") and not self.python.__closure__:
            return self.dispatcher
        kept = {name: set_ for name, set_ in options.items() if name not in ("parallel", "nopython", "cache")}
        return njit(**kept)(self.python)


class Enough(BaseException):
    """A test has shown as many groups as are wanted of it. Not an Exception, which the test might catch."""


class Recorder:
    """Keeps the calls that it is told of, one group for each function and types."""

    def __init__(self, most: int, seen: frozenset[tuple[str, str]]) -> None:
        self.most = most
        self.seen = seen
        self.groups: dict[tuple[str, str], Group] = {}
        self._inside = False

    def note(
        self,
        dispatcher: Any,
        function: Callable[..., Any],
        call: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Make a call, and keep it if it is of interest; raises Enough when there are as many groups as are wanted."""
        if self._inside:
            return call(*args, **kwargs)
        self._inside = True
        try:
            given = _positional(function, args, kwargs)
            key = (
                None if given is None or _is_object_mode(dispatcher) else (name_of(function), types_of(given))
            )
            if key is None or key in self.seen or len(self._points(key)) == POINTS:
                return call(*args, **kwargs)
            if key not in self.groups and len(self.groups) == self.most:
                raise Enough
            kept = copied(given)
            try:
                result = call(*args, **kwargs)
            except NumbaError:  # it does not compile
                raise
            except Exception:
                if has_floats(given):
                    self._keep(key, function, dispatcher, kept)
                raise
            if has_floats(given) or has_floats(result):
                self._keep(key, function, dispatcher, kept)
            return result
        finally:
            self._inside = False

    def _points(self, key: tuple[str, str]) -> list[tuple[Any, ...]]:
        """The arguments that were kept of a group."""
        return self.groups[key].points if key in self.groups else []

    def _keep(
        self, key: tuple[str, str], function: Callable[..., Any], dispatcher: Any, args: tuple[Any, ...]
    ) -> None:
        """Keep the arguments of a call."""
        self.groups.setdefault(key, Group(*key, function, dispatcher)).points.append(args)


@contextmanager
def recording(most: int, seen: frozenset[tuple[str, str]] = frozenset()) -> Iterator[Recorder]:
    """Within this, calls of dispatchers, and of the compiled code that tests take out of them, are recorded."""
    recorder = Recorder(most, seen)
    call = Dispatcher.__call__
    entry = CompileResult.entry_point

    def noted(self: Any, *args: Any, **kwargs: Any) -> Any:
        return recorder.note(self, self.py_func, functools.partial(call, self), args, kwargs)

    def entry_point(self: Any) -> Any:
        found = entry.__get__(self)
        function = getattr(getattr(self.type_annotation, "func_id", None), "func", None)
        if function is None or not sys._getframe(1).f_globals["__name__"].startswith("numba.tests"):
            return found

        @functools.wraps(function)
        def noted_entry(*args: Any, **kwargs: Any) -> Any:
            return recorder.note(None, function, found, args, kwargs)

        return noted_entry

    Dispatcher.__call__ = noted
    CompileResult.entry_point = property(entry_point)
    try:
        yield recorder
    finally:
        del Dispatcher.__call__
        CompileResult.entry_point = entry


def has_floats(tree: Any) -> bool:
    """Whether a float or complex number is anywhere in it."""
    if isinstance(tree, list | set):
        return any(map(has_floats, tree))
    return any(
        has_floats(leaf) if isinstance(leaf, list | set) else checking.is_active(leaf)
        for leaf in checking.leaves(tree)
    )


def copied(args: Any) -> Any:
    """A copy of arguments that a call may change: arrays with their strides, the rest as Python copies it."""
    if isinstance(args, tuple):
        return checking.map_leaves(copied, args)
    if type(args) is np.ndarray and args.dtype.kind in "biufc":
        made = checking.clone(args)
        made.flags.writeable = args.flags.writeable
        return made
    if isinstance(args, list | np.ndarray | set | dict):
        return copy.deepcopy(args)
    return args


def name_of(function: Callable[..., Any]) -> str:
    """The name of a function with its module, and what tells it from others of that name: what it closes over."""
    module = (function.__module__ or "text").removeprefix("numba.tests.")
    code = function.__code__
    name = f"{module}.{function.__qualname__}"
    if "<lambda>" in name:
        name += f":{code.co_firstlineno}"
    cells = []
    for cell_name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        cells.append(f"{cell_name}={_told(cell)}")
    return name + (f" with {', '.join(cells)}" if cells else "")


def _told(cell: types.CellType) -> str:
    """What a cell holds, in words that are the same in every run."""
    try:
        held = cell.cell_contents
    except ValueError:
        return "nothing"
    if isinstance(held, Dispatcher):
        held = held.py_func
    if isinstance(held, types.FunctionType | types.BuiltinFunctionType | type | np.ufunc):
        return held.__name__
    message = repr(held)
    return type(held).__name__ if " at 0x" in message else " ".join(message.split())[:60]


def types_of(args: tuple[Any, ...]) -> str:
    """Numba's types of the arguments."""
    return ", ".join(_type_of(arg) for arg in args)


def _type_of(arg: Any) -> str:
    try:
        message = str(typeof(arg))
    except (TypeError, ValueError):  # an object that Numba has no type for: the test wants an error
        return type(arg).__name__
    return f"function {arg.__name__}" if isinstance(arg, Dispatcher | types.FunctionType) else message


def _positional(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...] | None:
    """The arguments by position; None if the call does not fit."""
    if not kwargs:
        return args
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except TypeError:
        return None
    if bound.kwargs:
        bound.apply_defaults()
    return None if bound.kwargs else bound.args


def _is_object_mode(dispatcher: Any) -> bool:
    """Whether a dispatcher runs Python's own code."""
    return dispatcher is not None and bool(dispatcher.targetoptions.get("forceobj"))
