"""Python text that stands for functions of SciPy: Numba compiles it in their place, and the compiler inlines it.

Some of SciPy's functions take options: axes, flags and names of methods. What stands for a call is chosen by the
options, which must be known when the call is compiled; it takes the operands alone. Options that change no result (`IGNORED`) are
taken, and not looked at.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.core import errors, types
from numba.core.registry import cpu_target
from numba.extending import overload, register_jitable

from backsweep.runtime.scipy import sight

NumbaType = Any  # Numba ships no annotations
Implementation = Callable[..., Any]
_CHOICES: dict[Any, Choice] = {}
IGNORED = ("overwrite_a", "overwrite_b", "overwrite_ab", "check_finite", "lapack_driver", "lwork", "driver")
"""What memory SciPy may spoil, which happens nowhere here; whether it looks for nan, which leads to nan; and which of LAPACK's ways it takes."""


@dataclass(frozen=True)
class Choice:
    """What stands for a function of SciPy's.

    `choose` has its parameters but for those that are ignored. It is given True for each of the `operands` that a call has, and the
    options' values; it returns a Python function of these operands, or a text that says why there is none.
    """

    function: Any
    operands: tuple[str, ...]
    choose: Callable[..., Implementation | str]
    own: inspect.Signature

    @functools.cached_property
    def signature(self) -> inspect.Signature:
        """The parameters of SciPy's function that are supported, in its order."""
        own = dict(self.own.parameters)
        found = [own.pop(name, each) for name, each in _theirs(self.function) if name in (*own, *IGNORED)]
        kind, none = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty
        return inspect.Signature(
            [each.replace(kind=kind, annotation=none) for each in (*found, *own.values())]
        )

    def chosen(self, options: Mapping[str, object], present: Sequence[str]) -> Implementation | str:
        """The implementation for a call with these operands and options, or why there is none."""
        asked = {name: value for name, value in options.items() if name in self.own.parameters}
        absent = {name: None for name in self.operands if name not in present}
        return self.choose(**asked, **dict.fromkeys(present, True), **absent)


def _theirs(function: Any) -> list[tuple[str, inspect.Parameter]]:
    """The parameters of SciPy's function, by name; those of a ufunc have no names."""
    return [] if isinstance(function, np.ufunc) else list(inspect.signature(function).parameters.items())


def instead(
    function: Any, *operands: str
) -> Callable[[Callable[..., Implementation | str]], Callable[..., Implementation | str]]:
    """Say of the decorated function that it chooses what stands for a function of SciPy's, as `Choice.choose`."""

    def entered(choose: Callable[..., Implementation | str]) -> Callable[..., Implementation | str]:
        _CHOICES[function] = Choice(function, operands, choose, inspect.signature(choose))
        return choose

    return entered


def always(*functions: Any) -> Callable[[Implementation], Implementation]:
    """Say of the decorated function that it stands for functions of SciPy's that have no options, or none that change the result."""

    def entered(text: Implementation) -> Implementation:
        _CHOICES.update((function, _only(function, text)) for function in functions)
        return text

    return entered


def _only(function: Any, text: Implementation) -> Choice:
    """That a text stands for each call of a function, with the function's names for the parameters of the text."""
    own = list(inspect.signature(getattr(text, "py_func", text)).parameters.values())
    named = [each.replace(name=name) for each, (name, _) in zip(own, _theirs(function), strict=False)] or own
    return Choice(function, tuple(each.name for each in named), lambda **_: text, inspect.Signature(named))


def never(*functions: Any, why: str) -> None:
    """Say why nothing stands for these functions of SciPy's: what is told goes on behind their names."""
    for function in functions:
        named = [each for _, each in _theirs(function)]
        operands = tuple(each.name for each in named if each.default is each.empty)
        said = f"`{function.__name__}` {why}"
        _CHOICES[function] = Choice(function, operands, lambda said=said, **_: said, inspect.Signature(named))


def choice_for(function: Any) -> Choice | None:
    """What stands for the function; None if nothing does."""
    sight.meet(function)
    try:
        return _CHOICES.get(function)
    except TypeError:  # it has no hash
        return None


def register(module: str) -> None:
    """Tell Numba of what stands for the functions of a module, unless it knows them already."""
    context = cpu_target.typing_context
    context.refresh()
    for function, choice in _CHOICES.items():
        home = getattr(function, "__module__", "scipy.special._ufuncs")  # a ufunc does not tell
        if home.startswith(module) and context._lookup_global(function) is None:
            overload(function, prefer_literal=True)(_overloaded(choice))


_UNKNOWN = object()


def _value(type_: NumbaType) -> object:
    """The value of an option from its type in a call."""
    if isinstance(type_, types.Omitted):
        return type_.value
    if isinstance(type_, types.NoneType) or type_ is None:
        return None
    if isinstance(type_, types.Literal):
        return type_.literal_value
    if isinstance(type_, types.BaseTuple):
        parts = tuple(map(_value, type_.types))
        return _UNKNOWN if _UNKNOWN in parts else parts
    return type_ if isinstance(type_, bool | int | float | str) else _UNKNOWN


def _overloaded(choice: Choice) -> Callable[..., Any]:
    """The function that Numba asks what to compile for a call; it must have the parameters of SciPy's function."""
    parameters = str(choice.signature)
    names = list(choice.signature.parameters)

    def pick(given: tuple[NumbaType, ...]) -> Callable[..., Any] | None:
        known = dict(zip(names, given, strict=True))
        present = [name for name in choice.operands if _value(known[name]) is not None]
        options = {name: _value(type_) for name, type_ in known.items() if name not in choice.operands}
        if _UNKNOWN in options.values():
            return None
        found = choice.chosen(options, present)
        if isinstance(found, str):
            raise errors.TypingError(found)
        jitted = found if hasattr(found, "py_func") else register_jitable(found)
        return _written(f"def implementation{parameters}: return chosen({', '.join(present)})", jitted)

    return _written(f"def asked{parameters}: return chosen(({', '.join(names)},))", pick)


def _written(text: str, chosen: Any) -> Callable[..., Any]:
    """The function of a text that calls `chosen`."""
    namespace: dict[str, Any] = {"chosen": chosen, "__name__": __name__}
    exec(text, namespace)  # noqa: S102  our own text: Numba compares the names of parameters
    written: Callable[..., Any] = namespace[text.split("(", maxsplit=1)[0].removeprefix("def ")]
    return written
