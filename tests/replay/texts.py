"""A noted call as the text of a function of its floats: what else it is given stands in the text."""

from __future__ import annotations

import importlib
import itertools
import linecache
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

MOST_ENTRIES = 60
"""Of an array; larger ones tell nothing more, and differences of them take long."""
MOST_ITEMS = 9
"""Of a list that stays one; longer ones become arrays."""


@dataclass
class Noted:
    """A call: the function's name, its kind, and the text of the arguments with what its names stand for."""

    name: str
    kind: str
    text: str
    floats: tuple[Any, ...]
    """The values of the parameters `x0`, `x1`, ..."""
    others: dict[str, Any]
    """Arrays without floats that the text names."""
    test: str

    def function(self) -> Callable[..., Any]:
        """The function of the floats that makes the call."""
        names = ", ".join(f"x{k}" for k in range(len(self.floats)))
        whole = f"def call({names}):\n    return {self.name}({self.text})\n"
        file = f"<noted call {next(_numbers)}>"
        linecache.cache[file] = (len(whole), None, whole.splitlines(keepends=True), file)
        namespace = {"np": np, "__name__": "tests.replay.noted_calls", **self.others}
        if self.name.startswith("scipy"):
            importlib.import_module(
                self.name.rpartition(".")[0] if self.name.count(".") == 2 else "scipy.stats"
            )
            namespace["scipy"] = sys.modules["scipy"]
        exec(compile(whole, file, "exec"), namespace)
        return namespace["call"]  # type: ignore[return-value]


_numbers = itertools.count()


class _StrangeError(Exception):
    """An argument that is none of a call that is replayed."""


@dataclass
class _Writing:
    """The text of arguments as it is written."""

    floats: list[Any] = field(default_factory=list)
    others: dict[str, Any] = field(default_factory=dict)

    def told(self, thing: Any) -> tuple[str, str]:
        """The text of an argument, and its kind."""
        if isinstance(thing, bool | str) or thing is None or thing is Ellipsis:
            text = "..." if thing is Ellipsis else repr(thing)
            return text, text
        if isinstance(thing, np.generic) and type(thing).__module__ == "numpy":
            if thing.dtype.char in "fdFD":
                return self._float(thing, str(thing.dtype))
            if thing.dtype.kind in "biu":
                return repr(thing.item()), "int"
            raise _StrangeError
        match thing:
            case int() if type(thing) is int:
                return repr(thing), "int"
            case float() | complex() if type(thing) in (float, complex):
                return self._float(thing, type(thing).__name__)
            case np.ndarray():
                return self._array(thing)
            case tuple() if not hasattr(thing, "_fields"):
                return self._items(thing)
            case list():
                return self._items(thing)
            case type() if issubclass(thing, np.generic):
                return f"np.{thing.__name__}", f"np.{thing.__name__}"
            case type() if thing in (int, float, complex, bool):
                return thing.__name__, thing.__name__
            case np.dtype() if thing.kind in "biufc" and thing.isnative:
                return f"np.{thing.type.__name__}", f"np.{thing.type.__name__}"
            case _:
                raise _StrangeError

    def _float(self, value: Any, kind: str) -> tuple[str, str]:
        self.floats.append(value)
        return f"x{len(self.floats) - 1}", kind

    def _array(self, array: Any) -> tuple[str, str]:
        if type(array) is not np.ndarray or array.size > MOST_ENTRIES or not array.dtype.isnative:
            raise _StrangeError
        kind = f"{array.dtype}[{array.ndim}{', empty' if array.size == 0 else ''}]"
        if array.dtype.char in "fdFD":
            return self._float(array.copy(), kind)
        if array.dtype.kind not in "biu":
            raise _StrangeError
        name = f"k{len(self.others)}"
        self.others[name] = array.copy()
        return name, kind

    def _items(self, items: Any) -> tuple[str, str]:
        if len(items) > MOST_ITEMS or (
            items and isinstance(items[0], list) and len(items) * len(items[0]) > MOST_ITEMS
        ):
            made = np.asarray(items)
            return self._array(made)
        told = [self.told(item) for item in items]
        texts = ", ".join(text for text, _ in told)
        kinds = [kind for _, kind in told]
        kinds = (
            [f"{kinds[0]}..."]
            if len(kinds) > 1 and len(set(kinds)) == 1 and not isinstance(items, tuple)
            else kinds
        )
        if isinstance(items, tuple):
            return f"({texts}{',' if len(told) == 1 else ''})", f"({', '.join(kinds)})"
        return f"[{texts}]", f"[{', '.join(kinds)}]"


def noted(name: str, args: tuple[Any, ...], keywords: dict[str, Any], test: str) -> Noted | None:
    """The call as text; None for one without floats, or with arguments that are neither numbers nor options."""
    writing = _Writing()
    try:
        told = [
            (f"{key}=" if key else "", *writing.told(each))
            for key, each in [*((None, a) for a in args), *keywords.items()]
        ]
    except (_StrangeError, ValueError):
        return None
    if not writing.floats:
        return None
    text = ", ".join(f"{key}{text}" for key, text, _ in told)
    kind = ", ".join(f"{key}{kind}" for key, _, kind in told)
    return Noted(name, kind, text, tuple(writing.floats), writing.others, test)
