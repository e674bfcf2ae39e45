"""What is made of a function once, and kept for as long as somebody holds the function."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Made = TypeVar("Made")
ATTRIBUTE = "__backsweep__"
MOST = 64
"""How many results of one kind are kept for a function; those that were asked for last."""


class _Results:
    """What was made of a function, by what made it; an attribute of the function.

    It refers to the function and the function to it, and Python gives both back together. A wrapper that takes over the
    attributes of the function is another function: hence `owner`.
    """

    def __init__(self, owner: object = None) -> None:
        self.owner = (lambda: None) if owner is None else weakref.ref(owner)
        self.calls: dict[Callable[..., Any], Any] = {}

    def __reduce__(self) -> tuple[Callable[[], _Results], tuple[()]]:
        """A pickle of the function does not hold what was made of it."""
        return _Results, ()


class Remembered(Generic[Parameters, Made]):
    """A function that makes something of another one, its argument at `position`; the same for the same arguments.

    `anew` makes another one.
    """

    def __init__(self, make: Callable[Parameters, Made], position: int) -> None:
        functools.update_wrapper(self, make)
        self.anew = make
        self._position = position
        self._others = functools.lru_cache(maxsize=MOST)(make)  # of what has no attributes, as bound methods

    def __call__(self, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Made:
        """What is made of the arguments, which are hashable."""
        found: Made = self.results(args[self._position])(*args, **kwargs)
        return found

    def results(self, function: object) -> Any:
        """The calls of `make` for a function, which are remembered."""
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
    """Remember, with the function at this position of the arguments, what was made of it."""
    return lambda make: Remembered(make, position)
