"""Check and resolve what the user asks of a transformation: the function, names, hooks and options."""

from __future__ import annotations

import abc
import ast
import dataclasses
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from backsweep import requests
from backsweep.diagnostics import ArgumentError, CallError, Problem, SourceError, UnsupportedError
from backsweep.frontend.context.scope import assigned_names
from backsweep.frontend.context.taps import choice, field_of
from backsweep.reading.functions import read_source, unwrap
from backsweep.requests import Options
from backsweep.specialise.build import Build
from backsweep.store.records import record_class
from backsweep.typing.infer import compile_options, compiles, plain

Function = Callable[..., Any]
Names = str | Sequence[str]
Hooks = Mapping[str, Function | None]
"""From the name of a variable to its hook, a function of the adjoint; None only observes the adjoint."""


class OfFunction(abc.ABC):
    """The interface of a transformed function that this module needs."""

    function: Function
    build: Build
    _handles: list[HookHandle]

    @abc.abstractmethod
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the transformed function."""

    @abc.abstractmethod
    def _apply_hooks(self) -> None:
        """Apply the hooks of the handles."""


class HookHandle:
    """A hook that `add_hook` added. `remove()` removes it."""

    def __init__(self, transformed: OfFunction, name: str, fn: Callable[..., Any]) -> None:
        self.name = name
        self.fn = fn
        self._transformed = transformed

    def remove(self) -> None:
        """Remove the hook. A second call does nothing."""
        handles = self._transformed._handles
        if self in handles:
            handles.remove(self)
            self._transformed._apply_hooks()


def hooks_of(f: Function, hooks: Hooks | None) -> tuple[tuple[str, Function], ...]:
    """The hooks that replace adjoints, by name; raises ArgumentError for an unknown name."""
    given = requests.hooks(hooks)
    named(f, None, tuple(given))
    for name, function in given.items():
        if not (function is None or callable(function)):
            message = f"the hook of `{name}` is {function!r}, which cannot be called"
            raise ArgumentError(
                Problem("BS405", message, remedy="give a function of the adjoint, or None to observe it.")
            )
    return tuple((name, function) for name, function in given.items() if function is not None)


def chosen(
    f: Function, argnums: int | Sequence[int] | None, wrt: Names | None
) -> tuple[tuple[str, ...], bool]:
    """The names to differentiate with respect to, and whether the user gave a single name instead of a tuple."""
    single = isinstance(wrt, str) if wrt is not None else not isinstance(argnums, Sequence)
    return at_least_one(f, named(f, argnums, wrt)), single


def at_least_one(f: Function, names: tuple[str, ...]) -> tuple[str, ...]:
    """The names; raises ArgumentError if there are none."""
    if not names:
        called = shown_name(python_of(f))
        remedy = f"name an argument of `{called}`, or a variable."
        raise ArgumentError(
            Problem("BS404", "there is nothing to differentiate with respect to", remedy=remedy)
        )
    return names


def gradient_class(names: tuple[str, ...], wrt: Names | None) -> type | None:
    """The namedtuple class for the gradients of several names; None for a single name or for positions."""
    return None if wrt is None or isinstance(wrt, str) else record_of("Gradient", names)


def record_of(called: str, names: tuple[str, ...]) -> type:
    """The namedtuple class in which results with these names are returned."""
    return record_class(called, tuple(map(field_of, names)))


def python_of(f: Function) -> Function:
    """The plain Python function behind a function, dispatcher or transformed function."""
    while isinstance(f, OfFunction):
        f = f.function
    if isinstance(f, staticmethod | classmethod):
        kind, name = type(f).__name__, f.__name__
        message = f"`{name}` is a {kind} object from the body of its class, not a function"
        remedy = f"differentiate Class.{name} after the class, or write @{kind} above the transformation."
        raise SourceError(Problem("BS001", message, remedy=remedy))
    python = plain(f)
    unwrap(python)  # refuses a function without Python source, by name
    return python


def bound_to(python: Function, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> inspect.BoundArguments:
    """The arguments of a call, by the names of the parameters.

    Raises UnsupportedError for one that the function takes by `**options`, and CallError where the call does not fit.
    """
    signature = inspect.signature(python)
    others = [name for name in kwargs if name not in signature.parameters]
    if others and hasattr(python, "takes_options"):
        source = read_source(python.takes_options)
        options = source.node.args.kwarg or source.node
        shown = ast.unparse(options)
        message = f"`{source.name}` takes `{others[0]}` by `**{shown}`, and compiled code cannot take arbitrary keyword arguments"
        remedy = f"give it before: functools.partial({source.name}, {others[0]}=...), or replace `**{shown}` by parameters with names."
        raise UnsupportedError(Problem("BS108", message, source.loc(options), remedy))
    try:
        return signature.bind(*args, **kwargs)
    except TypeError as error:
        what = str(error)
    called = shown_name(python)
    remedy = f"the parameters are {', '.join(map(str, signature.parameters.values())) or 'none'}."
    raise CallError(Problem("BS113", f"the call does not fit `{called}`: {what}", remedy=remedy))


def fits(signature: inspect.Signature, args: tuple[Any, ...]) -> bool:
    """Whether a function with this signature can be called with these arguments."""
    try:
        signature.bind(*args)
    except TypeError:
        return False
    return True


def parameter_names(python: Function) -> list[str]:
    """The names of a function's parameters, in order."""
    return list(inspect.signature(python).parameters)


def named(f: Function, argnums: int | Sequence[int] | None, wrt: Names | None) -> tuple[str, ...]:
    """The names to differentiate with respect to; raises ArgumentError for an unknown name."""
    python = python_of(f)
    parameters = parameter_names(python)
    called = shown_name(python)
    if argnums is not None and wrt is not None:
        raise ArgumentError(
            Problem("BS405", "both argnums and wrt are given", remedy="give positions or names, not both.")
        )
    _check_kinds(called, parameters, argnums, wrt)
    if wrt is not None:
        names = (wrt,) if isinstance(wrt, str) else tuple(wrt)
        for name in names:
            if names.count(name) > 1:
                raise ArgumentError(Problem("BS404", f"`{name}` is named twice", remedy="name it once."))
            if name not in parameters and not _is_variable(f, name):
                raise ArgumentError(
                    Problem(
                        "BS404",
                        f"`{called}` has no argument or variable `{name}`",
                        remedy=choice(name, [*parameters, *_variables(f)]),
                    )
                )
        return names
    positions = (0,) if argnums is None else tuple(argnums) if isinstance(argnums, Sequence) else (argnums,)
    for position in positions:
        if not -len(parameters) <= position < len(parameters):
            raise ArgumentError(
                Problem(
                    "BS404",
                    f"`{called}` has no argument at position {position}",
                    remedy=f"it has {len(parameters)}: {', '.join(parameters)}.",
                )
            )
    found = tuple(parameters[position] for position in positions)
    for name in found:
        if found.count(name) > 1:
            message = f"argnums={argnums!r} gives the position of `{name}` twice"
            raise ArgumentError(Problem("BS404", message, remedy="give it once."))
    return found


def shown_name(thing: Any) -> str:
    """The name of a function in messages."""
    return str(getattr(thing, "__name__", repr(thing)))


def _is_variable(f: Function, name: str) -> bool:
    """Whether the name may be that of a variable; a name with a place (`u@14`, `cell.u`) is checked in the first call."""
    return "@" in name or "." in name or isinstance(f, OfFunction) or name in _variables(f)


def _variables(f: Function) -> list[str]:
    """The variables that a function assigns, in order."""
    if isinstance(f, OfFunction):
        return []
    python = python_of(f)
    node = read_source(python).node
    assigned = assigned_names(node.body) if isinstance(node, ast.FunctionDef) else {}
    return [name for name in assigned if name not in parameter_names(python)]


def _check_kinds(
    called: str, parameters: Sequence[str], argnums: int | Sequence[int] | None, wrt: Names | None
) -> None:
    """Raise ArgumentError if `argnums` holds anything but whole numbers, or `wrt` anything but names."""
    positions = argnums if isinstance(argnums, tuple | list) else () if argnums is None else (argnums,)
    names = wrt if isinstance(wrt, tuple | list) else () if wrt is None else (wrt,)
    shown = ", ".join(parameters)
    for position in positions:
        if not requests.is_whole(position):
            remedy = (
                f"give names as wrt={argnums!r}." if isinstance(position, str) else "give a whole number."
            )
            message = f"argnums={argnums!r} is not the position of an argument of `{called}`, nor a tuple of positions"
            raise ArgumentError(Problem("BS404", message, remedy=remedy))
    for name in names:
        if not isinstance(name, str):
            message = f"wrt={wrt!r} is not the name of an argument of `{called}`, nor a tuple of names"
            remedy = f"its arguments are {shown}; give positions as argnums={wrt!r}."
            raise ArgumentError(Problem("BS404", message, remedy=remedy))


def options_of(f: Function, given: dict[str, Any]) -> Options:
    """The options given, else those of an `@njit` function, else the defaults."""
    known = set(Options.__dataclass_fields__)
    for name in given:
        if name not in known:
            raise ArgumentError(
                Problem(
                    "BS406", f"there is no option `{name}`", remedy=f"choose from {', '.join(sorted(known))}."
                )
            )
    if isinstance(f, OfFunction):
        inherited = {name: getattr(f.build.options, name) for name in known}
    else:
        inherited = {name: value for name, value in compile_options(f).items() if name in known}
    options = {name: requests.option(name, value) for name, value in {**inherited, **given}.items()}
    found = Options(**options)
    return found if compiles() else dataclasses.replace(found, jit=False)
