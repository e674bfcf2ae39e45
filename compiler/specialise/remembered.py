"""Cache the objects made from a function, as long as the function is alive."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Made = TypeVar("Made")
ATTRIBUTE = "__backsweep__"
MOST = 64
"""The largest number of cached results of one kind per function; the least recently used are dropped."""


class _Results:
    """The cached results of a function, by the callable that made them; this object is an attribute of the function.

    It and the function refer to each other, and Python frees both together. A wrapper may copy the function's attributes;
    `owner` shows that the results belong to another function.
    """

    def __init__(self, owner: object = None) -> None:
        self.owner = (lambda: None) if owner is None else weakref.ref(owner)
        self.calls: dict[Callable[..., Any], Any] = {}

    def __reduce__(self) -> tuple[Callable[[], _Results], tuple[()]]:
        """Pickle the function without its cached results."""
        return _Results, ()


class Remembered(Generic[Parameters, Made]):
    """A callable that caches its results with the function that is its argument at `position`.

    `anew` computes a result without the cache.
    """

    def __init__(self, make: Callable[Parameters, Made], position: int) -> None:
        functools.update_wrapper(self, make)
        self.anew = make
        self._position = position
        self._others = functools.lru_cache(maxsize=MOST)(
            make
        )  # for functions without attributes, such as bound methods

    def __call__(self, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Made:
        """The result for the arguments, which must be hashable."""
        found: Made = self.results(args[self._position])(*args, **kwargs)
        return found

    def results(self, function: object) -> Any:
        """The cached calls of `make` for a function."""
        found = vars(function).get(ATTRIBUTE) if hasattr(function, "__dict__") else None
        if found is None or found.owner() is not function:
            try:
                found = _Results(function)
                setattr(function, ATTRIBUTE, found)
            except (AttributeError, TypeError):
                return self._others
        return found.calls.setdefault(self.anew, functools.lru_cache(maxsize=MOST)(self.anew))


def remembered(
    position: int,
) -> Callable[[Callable[Parameters, Made]], Remembered[Parameters, Made]]:
    """A decorator that caches results with the function at this position of the arguments."""
    return lambda make: Remembered(make, position)
