"""Methods and attributes that packages give to Numba's types by `@overload_method` and `@overload_attribute`.

A call of one stands in the program as a call of a function, which reads the member of its first operand: Numba types that.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numba
from numba.core.registry import cpu_target
from numba.core.typing import templates

from backsweep.runtime.machine_code.compiling import compiling

NumbaType = Any  # Numba ships no annotations
_METHOD = "def member(base, *args):\n    return base.{name}(*args)\n"
_ATTRIBUTE = "def member(base):\n    return base.{name}\n"


class Member:
    """A function that calls a method, or reads an attribute, of its first operand."""

    def __init__(self, name: str, *, is_method: bool) -> None:
        self.__name__ = name
        self.__module__ = ""  # it has no name by which another module could import it
        self.is_method = is_method

    def __call__(self, base: Any, *args: Any) -> Any:
        """Call the method, or read the attribute, in Python."""
        found = getattr(base, self.__name__)
        return found(*args) if self.is_method else found

    @property
    def _numba_type_(self) -> NumbaType:
        """Numba's type of this object: that of a function that calls the method, or reads the attribute."""
        return numba.typeof(self._compiled)

    @functools.cached_property
    def _compiled(self) -> Any:
        namespace: dict[str, Callable[..., Any]] = {}
        text = _METHOD if self.is_method else _ATTRIBUTE
        exec(text.format(name=self.__name__), namespace)  # noqa: S102  our own text
        return numba.njit(namespace["member"])

    def templates(self, base: NumbaType) -> Iterator[Any]:
        """The templates by which packages have Numba type and compile this member of the first operand's type."""
        context = cpu_target.typing_context
        for each in context._get_attribute_templates(base):
            if isinstance(each, templates._OverloadAttributeTemplate) and each._attr == self.__name__:
                yield from each._get_function_type(context, base).templates


@functools.cache
def _member(name: str, *, is_method: bool) -> Member:
    return Member(name, is_method=is_method)


def member(name: str, *, is_method: bool) -> Member | None:
    """The function that stands for a method or attribute; None if no package has given any type one of this name."""
    context = cpu_target.typing_context
    with compiling:
        context.refresh()
    known = (each for given in context._attributes.values() for each in given)
    is_known = any(
        isinstance(each, templates._OverloadAttributeTemplate)
        and each._attr == name
        and each.is_method is is_method
        for each in known
    )
    return _member(name, is_method=is_method) if is_known else None
