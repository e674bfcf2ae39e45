"""Numba compiles calls of library functions that have a meaning in the prelude: by what the compiler emits of that, without a derivative.

The compiler itself is loaded when the first such call is typed.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from numba.core import types
from numba.core.registry import cpu_target

from backsweep.diagnostics import BacksweepError
from backsweep.prelude.declare import meanings_of, parameters_of
from backsweep.requests import Options
from backsweep.runtime.overloads.forms import literal, refused
from backsweep.runtime.overloads.texts import function_of, stands_for

NumbaType = Any  # Numba ships no annotations
NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)

_BEGUN: set[Any] = set()
"""The calls whose code is being written."""


def register(package: str) -> None:
    """Tell Numba of the functions of a package of which the prelude says what they mean: of those of SciPy's that it does not know, and of NumPy's that are marked."""
    context = cpu_target.typing_context
    context.refresh()
    for function, meaning in meanings_of(package).items():
        own = {name: each for name, each in parameters_of(function).items() if each is not None}
        is_lacking = (
            all(each.kind in NAMED for each in own.values()) and context._lookup_global(function) is None
        )
        if is_lacking or package.startswith("numpy"):
            stands_for(function)(_typing(function, meaning, own))


def _typing(function: Any, meaning: Callable[..., Any], own: Mapping[str, inspect.Parameter]) -> Any:
    """The overload that has the meaning compiled for the types of a call, where what is written out is known."""
    idle = inspect.Parameter("idle", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)
    every = parameters_of(function)
    signature = inspect.Signature([_plain((each or idle).replace(name=name)) for name, each in every.items()])
    places = ", ".join(f"{each.name}={name}" for name, each in own.items())

    def typed(*args: NumbaType, **kwargs: NumbaType) -> Any:
        bound = signature.bind(*args, **kwargs).arguments
        given = {name: _known(bound.get(name, each.default)) for name, each in own.items()}
        heads = [f"{name} = np.array({name})\n" for name, type_ in given.items() if _is_listed(type_)]
        vectors = {
            name: types.Array(type_.dtype, 1, "C") for name, type_ in given.items() if _is_listed(type_)
        }
        types_ = tuple((given | vectors).get(name, types.Omitted(None)) for name in every)
        if (function, types_) in _BEGUN:
            return None  # what the prelude says of it is the call itself
        _BEGUN.add((function, types_))
        build = _build(typed, meaning, places)
        try:
            emitted = build.emit(types_)
        except BacksweepError as error:
            problem = error.problems[0]
            raise refused(problem.message, problem.remedy.rstrip(".") + ".") from None
        finally:
            _BEGUN.remove((function, types_))
        for each in emitted.functions.values():
            written = getattr(each, "py_func", each)
            written.__module__ = (
                stands_for.__module__
            )  # another process has it, when it loads a caller's kept code
        passed = ", ".join(
            "0" if isinstance(type_, types.Omitted) else name
            for name, type_ in zip(every, types_, strict=True)
        )
        body = f"{''.join(heads)}return implementation({passed})"
        return body, {"implementation": _compiled(emitted, build)}

    typed.__name__ = function.__name__
    typed.__signature__ = signature  # type: ignore[attr-defined]
    return typed


@functools.cache
def _build(typed: Any, meaning: Callable[..., Any], places: str) -> Any:
    """What emits the code of a call of a meaning, as it would stand in a program, for types of arguments."""
    from backsweep.specialise.build import Build

    caller = function_of(typed, f"return meaning({places})", {"meaning": meaning})
    return Build(caller, "value", (), True, False, None, Options())


def _compiled(emitted: Any, build: Any) -> Any:
    """The dispatcher of what was emitted."""
    from backsweep.specialise.build import compiled

    return compiled(emitted, 0, build.options)


def _plain(parameter: inspect.Parameter) -> inspect.Parameter:
    """A parameter as Numba takes it: by its place, too, and with a default that can be written."""
    default = parameter.default
    if callable(default) and default is not parameter.empty:
        default = None
    return parameter.replace(kind=parameter.POSITIONAL_OR_KEYWORD, default=default)


def _known(type_: NumbaType) -> NumbaType:
    """The type of an argument; one that is written out, or left out, or names a function or a dtype is known while compiling."""
    if isinstance(type_, types.Function | types.NumberClass):
        return types.Omitted(type_.typing_key if isinstance(type_, types.Function) else type_.instance_type)
    if not isinstance(type_, types.Type):
        return types.Omitted(type_)
    value = literal(type_)
    return type_ if value is None else types.Omitted(value)


def _is_listed(type_: NumbaType) -> bool:
    return isinstance(type_, types.List) and isinstance(type_.dtype, types.Number)
