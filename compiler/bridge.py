"""What functions in other libraries share: what they are made from and pickled by, and the structure of their arguments."""

from __future__ import annotations

import abc
import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from backsweep.api.flat import (
    Flat,
    Levels,
    Positions,
    names_of,
    plain_name,
    shape_of_one,
    sizes_of,
    with_cotangents,
    with_tangents,
    with_text,
)
from backsweep.diagnostics import ArgumentError, Problem
from backsweep.reading.callables import as_function
from backsweep.sending.sent import Parts, Sent
from backsweep.specialise.asked import bound_to, options_of, python_of

Function = Callable[..., Any]
Classes = dict[str, type]
"""The classes of the structures in arguments, by the names that the text of a call has for them."""


Meta = tuple[tuple[int, ...], Any]
"""The shape and the dtype of an array in another library."""
Promise = Callable[[Sequence[Meta]], list[Meta]]
"""What is returned for one example, by what is given."""


class Bridged(Sent):
    """A function in another library: it calls `f`, of which it is pickled, and of which it has the name and the docstring."""

    library: str
    items: str
    """What the library hands on."""

    def __init__(self, f: Function, result: Any, options: dict[str, Any]) -> None:
        f = as_function(f)
        python = python_of(f)
        functools.update_wrapper(self, python)
        self._python = python
        options_of(f, dict(options))
        self.function, self.result, self.options = f, result, options
        self.name = plain_name(f)
        self.codes: dict[Any, Flat] = {}

    @property
    def bridged(self) -> Function:
        """The function, which a differentiated program calls instead."""
        return self.function

    @abc.abstractmethod
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function."""

    def __repr__(self) -> str:
        return f"<{self.name} in {self.library}>"

    def made_from(self) -> Parts:
        """The function, `result` and the options."""
        return type(self), (self.function, self.result, self.options)

    def __copy__(self) -> Bridged:
        return self

    def __deepcopy__(self, _: dict[int, Any]) -> Bridged:
        return self  # as any function is

    def bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of a call as the function takes them; raises CallError if it does not."""
        given = bound_to(self._python, args, kwargs)
        return given.args, given.kwargs

    def code(self, structure: Any, kinds: Sequence[str], key: Any) -> Flat:
        """The code of a call whose arguments have this structure, of names of their items, and these kinds of items.

        `key` says what else the code depends on.
        """
        args, kwargs = structure
        classes: Classes = {}
        texts = [text_of(each, classes) for each in args]
        texts += [f"{name}={text_of(each, classes)}" for name, each in kwargs.items()]
        full = (*texts, *classes.values(), *kinds, key)
        if full not in self.codes:
            text = f"return _f({', '.join(texts)})"
            flat = with_text(self.name, len(kinds), text, _f=self.function, **classes)
            ready = not self.options.get("jit", True)
            self.codes[full] = Flat(
                self.name, lambda: flat, tuple(kinds), None, dict(self.options), is_ready=ready
            )
        return self.codes[full]

    def promised(self, args: Any, kwargs: Any) -> tuple[tuple[Any, ...], Function | None]:
        """What `result` says comes back of such arguments, and what makes a tuple of it; None if it is one result."""
        given = self.result(*args, **kwargs) if callable(self.result) else self.result
        return as_items(given)

    def refuses(self, given: Any) -> ArgumentError:
        """The error for an argument that the library does not hand on."""
        message = f"{self.library} hands on {self.items}, and `{self.name}` is given an object of type {type(given).__name__}"
        return wrong(message, f"give it before: functools.partial({self.name}, ...).")


class Call:
    """A call of a function, with the axes of examples in its arguments and what it promises to return."""

    def __init__(self, code: Flat, levels: Levels, promise: Promise, is_promised: bool = False) -> None:
        self.code, self.levels, self.promise, self.is_promised = code, levels, promise, is_promised
        self._kept: dict[Any, Self] = {}

    def pulled(self, moved: Positions, felt: Positions) -> Self:
        """The pullback, as `Flat` has it."""
        levels = with_cotangents(self.levels, len(felt))
        return self._kept_as(self.code.pulled(moved, felt), levels, lambda given: [given[k] for k in moved])

    def pushed(self, moved: Positions, felt: Positions) -> Self:
        """The pushforward, as `Flat` has it."""

        def promise(given: Sequence[Meta]) -> list[Meta]:
            found = self.promise(given[: len(self.code.args)])
            return [found[k] for k in felt]

        return self._kept_as(self.code.pushed(moved, felt), with_tangents(self.levels, moved), promise)

    def batched(self, axes: tuple[int | None, ...]) -> Self:
        """The call with one more axis of examples, before all others."""
        return self._kept_as(self.code, (axes, *self.levels), self.promise, self.is_promised)

    def _kept_as(self, code: Flat, levels: Levels, *rest: Any) -> Self:
        if (code, levels) not in self._kept:
            self._kept[code, levels] = type(self)(code, levels, *rest)
        return self._kept[code, levels]

    def metas(self, args: Sequence[Any]) -> list[Meta]:
        """What it returns, with all axes of examples."""
        sizes = sizes_of(self.levels, [each.shape for each in args])
        own = [(shape_of_one(self.levels, k, each.shape), each.dtype) for k, each in enumerate(args)]
        return [((*sizes, *shape), dtype) for shape, dtype in self.promise(own)]


def only_outside(make: Function) -> Function:
    """Say that compiled code cannot make a function in another library."""
    remedy = "call the function itself here, and make what is for the library outside"
    message = f"`{make.__module__}.{make.__name__}` makes a function of another library"
    make.only_from_python = (message, remedy)  # type: ignore[attr-defined]
    return make


def wrong(message: str, remedy: str) -> ArgumentError:
    """The error for what a library and a function do not agree on."""
    return ArgumentError(Problem("BS156", message, remedy=remedy))


def as_items(returned: Any) -> tuple[tuple[Any, ...], Function | None]:
    """The items of what a function returned, and what makes a tuple of them; None if it is one item."""
    if isinstance(returned, tuple):
        return returned, getattr(type(returned), "_make", tuple)
    return (returned,), None


def no_result(library: str, name: str, kind: str) -> ArgumentError:
    """The error for what a function returns and the library does not take."""
    message = f"{library} takes numbers and arrays, and `{name}` returns {kind}"
    return wrong(message, "return a number, an array, or a tuple of these.")


def is_moved(dtype: Any) -> bool:
    """Whether values of a dtype of NumPy have a derivative."""
    return bool(np.issubdtype(dtype, np.inexact))


def named(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], Any]:
    """The items of the arguments of a call, and the structure of the arguments: a name is in place of each item."""
    leaves = leaves_of((args, kwargs))
    names = iter(names_of(len(leaves)))
    return leaves, mapped(lambda _: next(names), (args, kwargs))


def leaves_of(structure: Any) -> list[Any]:
    """The items of tuples, lists, dicts and dataclasses in each other, in order. None is no item."""
    found: list[Any] = []
    mapped(found.append, structure)
    return found


def mapped(change: Function, structure: Any) -> Any:
    """The structure with each of its items changed."""
    if isinstance(structure, dict):
        return {key: mapped(change, each) for key, each in structure.items()}
    if isinstance(structure, tuple | list):
        items = [mapped(change, each) for each in structure]
        return getattr(type(structure), "_make", type(structure))(items)
    if _is_record(structure):
        parts = {each.name: mapped(change, getattr(structure, each.name)) for each in _fields(structure)}
        return type(structure)(**parts)
    return None if structure is None else change(structure)


def text_of(structure: Any, classes: Classes) -> str:
    """The expression that makes an argument of the names of its parts; `classes` gets the classes that it calls."""
    if isinstance(structure, dict):
        return f"{{{', '.join(f'{key!r}: {text_of(each, classes)}' for key, each in structure.items())}}}"
    fields = getattr(structure, "_fields", None) if isinstance(structure, tuple) else None
    if fields is not None or _is_record(structure):
        names = [each.name for each in _fields(structure)] if fields is None else fields
        parts = ", ".join(f"{name}={text_of(getattr(structure, name), classes)}" for name in names)
        known = next((name for name, each in classes.items() if each is type(structure)), f"_C{len(classes)}")
        classes[known] = type(structure)
        return f"{known}({parts})"
    if isinstance(structure, tuple | list):
        return f"({''.join(f'{text_of(each, classes)}, ' for each in structure)})"
    if structure is None or isinstance(structure, str):
        return str(structure)
    message = f"an argument has a part of type {type(structure).__name__}, which Backsweep cannot make within compiled code"
    raise wrong(message, "give a tuple, a dict, a named tuple or a dataclass.")


def _is_record(structure: Any) -> bool:
    return dataclasses.is_dataclass(structure) and not isinstance(structure, type)


def _fields(structure: Any) -> list[Any]:
    return [each for each in dataclasses.fields(structure) if each.init]
