"""One overload for all library functions that plain Python says the meaning of: the user's compiled code calls what is emitted for it."""

from __future__ import annotations

import functools
import inspect
import keyword
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core import types
from numba.core.errors import NumbaError, TypingError
from numba.core.registry import cpu_target
from numba.extending import overload

from backsweep.runtime.overloads.forms import NumbaType, is_none
from backsweep.runtime.overloads.texts import function_of

_asked: set[tuple[Any, ...]] = set()
"""The calls that are being typed: what is emitted for one may call the function itself, of what Numba knows."""


def serve(
    function: Any, meaning: Callable[..., Any], value_of: Callable[[Any], Any], refusal: type[Exception]
) -> None:
    """Give Numba an overload of a function for the calls that it has none for.

    `meaning` has the function's parameters. `value_of` takes a function, and gives one that compiled code can call; what it cannot
    be compiled for raises `refusal`.
    """
    parameters = inspect.signature(meaning).parameters.values()
    plain = [each.replace(annotation=inspect.Parameter.empty) for each in parameters]
    header = inspect.Signature(plain)
    written = functools.cache(lambda given, said: _function(function, header, given, said, value_of))

    @functools.wraps(meaning)
    def typed(*args: Any, **kwargs: Any) -> Any:
        bound = header.bind(*args, **kwargs).arguments
        said = {name: each.literal_value for name, each in bound.items() if isinstance(each, types.Literal)}
        given = {name: each for name, each in bound.items() if name not in said and not _is_left_out(each)}
        asked = (function, *given.items(), *said.items())
        if not all(map(_is_numbers, given.values())) or asked in _asked:
            return None
        _asked.add(asked)
        try:
            if _is_numbas(function, typed, args, kwargs):
                return None
            found = written(tuple(given), tuple(said.items()))
            value: Any = found.__globals__["value"]
            value._numba_type_.dispatcher.get_call_template(tuple(given.values()), {})
        except refusal as error:
            raise TypingError(f"backsweep: {error}") from None
        finally:
            _asked.discard(asked)
        return found

    typed.__signature__ = header  # type: ignore[attr-defined]  # Numba compares it with that of what is returned
    overload(function, prefer_literal=True, target="generic", jit_options={"error_model": "numpy"})(typed)


def _is_numbas(function: Any, ours: Any, args: tuple[NumbaType, ...], kwargs: dict[str, NumbaType]) -> bool:
    """Whether a call has code that is not of our overload."""
    context = cpu_target.typing_context
    for template in context.resolve_value_type(function).templates:
        if getattr(template, "_overload_func", None) is ours:
            continue
        try:
            if template(context).apply(args, kwargs) is not None:
                return True
        except NumbaError:
            pass
    return False


def _is_left_out(type_: NumbaType) -> bool:
    return is_none(type_) or isinstance(type_, types.Omitted | bool | int | float | str)


def _is_numbers(type_: NumbaType) -> bool:
    """Whether a type is that of a number, of an array of numbers, or of a tuple of these."""
    if isinstance(type_, types.BaseTuple):
        return all(map(_is_numbers, type_))
    return isinstance(getattr(type_, "dtype", type_), types.Number | types.Boolean)


def _function(
    function: Any,
    header: inspect.Signature,
    given: tuple[str, ...],
    said: tuple[tuple[str, Any], ...],
    value_of: Callable[[Any], Any],
) -> Any:
    """What stands for a call: a function with the library's parameters that hands on those that are given."""
    name = function.__name__
    assert name.isidentifier()
    assert not keyword.iskeyword(name)
    passed = ", ".join(given)
    call = ", ".join([*(f"{each}={each}" for each in given), *(f"{each}={what!r}" for each, what in said)])
    inner = function_of(f"def {name}({passed}):", f"return called({call})", {"called": function})
    return function_of(
        f"def {name}{header!s}:", f"return value({passed})", {"value": value_of(inner), "np": np}
    )
