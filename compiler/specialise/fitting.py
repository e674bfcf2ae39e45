"""Check tangents and cotangents that a caller passes: structure, shape and dtype must fit their argument or result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from backsweep.diagnostics import ArgumentError, Problem
from backsweep.frontend.constructs.dicts import keys_of
from backsweep.frontend.context.dataclasses import dataclass_of
from backsweep.runtime.lists.results import nothing_listed, unlisted


@dataclass(frozen=True, slots=True)
class SeedWords:
    """Words for messages: what was passed (a tangent or cotangent), and the argument or result that it belongs to."""

    word: str
    owner: str
    code: str
    remedy: str


NUMBERS = "?biufc"
"""The kinds of dtypes that become floats."""
TANGENT = SeedWords(
    "tangent", "argument", "BS410", "pass a tangent with the structure and shape of the argument."
)
COTANGENT = SeedWords(
    "cotangent",
    "result",
    "BS407",
    "pass a cotangent with the structure and shape of what the function returned.",
)


@dataclass(frozen=True, slots=True)
class TupleForm:
    """A tuple of the class `cls`."""

    cls: type
    parts: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class ArrayForm:
    """An array of floats."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]


@dataclass(frozen=True, slots=True)
class NumberForm:
    """A float or complex number."""

    cls: type


@dataclass(frozen=True, slots=True)
class ConstantForm:
    """A value without a derivative. It is used in place of its tangent or cotangent."""

    value: Any


@dataclass(frozen=True, slots=True)
class ListForm:
    """A list of arrays, or of tuples of numbers: for it stands what `backsweep.runtime.lists.results.unlisted` makes of it."""

    items: tuple[Form, ...]
    like: Form


Form = TupleForm | ArrayForm | NumberForm | ConstantForm | ListForm


def form_of(value: Any, type_: Any = None) -> Form:
    """The form that a tangent or cotangent of a value has.

    `type_` is Numba's type of the value, if it was compiled: it tells what an empty list would hold.
    """
    if isinstance(value, list):
        if value and isinstance(value[0], tuple | np.ndarray):
            return ListForm(tuple(map(form_of, value)), form_of(unlisted(value)))
        return form_of(np.array(value)) if value else ListForm((), ConstantForm(nothing_listed(type_)))
    if isinstance(value, tuple):
        types_ = (None,) * len(value) if type_ is None else tuple(type_)
        return TupleForm(type(value), tuple(map(form_of, value, types_)))
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "fc":
            return ArrayForm(value.shape, value.dtype)
        return ConstantForm(np.ascontiguousarray(value))
    if isinstance(value, float | complex | np.floating | np.complexfloating):
        return NumberForm(type(value))
    return ConstantForm(value)


def standing_for(cotangents: list[Any]) -> Any:
    """What stands for a list of cotangents where arrays stand for the list in the result."""
    return unlisted(cotangents)


def fitted(dot: Any, form: Form, name: str, words: SeedWords) -> Any:
    """The tangent or cotangent with the structure, dtypes and layout of its form. Raises ArgumentError if it does not fit."""
    match form:
        case TupleForm(cls, parts):
            dot = _as_tuple(dot, cls)
            if not isinstance(dot, tuple | list) or len(dot) != len(parts):
                raise _misfit(name, f"a tuple of {len(parts)}", dot, words)
            items = [
                fitted(item, part, f"{name}[{k}]", words)
                for k, (item, part) in enumerate(zip(dot, parts, strict=True))
            ]
            return cls(*items) if hasattr(cls, "_fields") else tuple(items)
        case ArrayForm(shape, dtype):
            wanted = f"an array of shape {shape}"
            if _is_ragged(dot):
                raise _misfit(name, wanted, dot, words)
            if np.iscomplexobj(dot) and dtype.kind == "f":
                raise _misfit(name, f"real, {wanted}", dot, words)
            if isinstance(dot, tuple | np.ma.MaskedArray) or np.shape(dot) != shape:
                raise _misfit(name, wanted, dot, words)
            if np.asarray(dot).dtype.kind not in NUMBERS:
                raise _misfit(name, f"numbers, {wanted}", dot, words)
            return np.asarray(dot, dtype=dtype, order="C")
        case NumberForm(cls):
            is_complex = issubclass(cls, complex | np.complexfloating)
            fits = (
                not _is_ragged(dot) and not np.ndim(dot) and isinstance(np.asarray(dot)[()], np.number | bool)
            )
            if not fits or (np.iscomplexobj(dot) and not is_complex):
                raise _misfit(name, "a complex number" if is_complex else "a number", dot, words)
            return cls(dot)
        case ListForm(items, like):
            if not isinstance(dot, tuple | list) or len(dot) != len(items):
                raise _misfit(name, f"a list of {len(items)}", dot, words)
            if not items:
                return fitted((), like, name, words)
            found = [
                fitted(item, part, f"{name}[{k}]", words)
                for k, (item, part) in enumerate(zip(dot, items, strict=True))
            ]
            return fitted(unlisted(found), like, name, words)
        case ConstantForm(value):
            return value


def _as_tuple(dot: Any, cls: type) -> Any:
    """The tuple of the parts of a dict or an object that was passed for the namedtuple representing it; anything else unchanged."""
    keys = keys_of(cls)
    if keys is not None and isinstance(dot, dict) and dot.keys() == set(keys):
        return tuple(dot[key] for key in keys)
    stands_for = dataclass_of(cls)
    if stands_for is not None and isinstance(dot, stands_for):
        return tuple(getattr(dot, name) for name in cls._fields)  # type: ignore[attr-defined]
    return dot


def _is_ragged(thing: Any) -> bool:
    """Whether these are nested lists or tuples that make no array."""
    if not isinstance(thing, tuple | list):
        return False
    try:
        np.shape(thing)
    except ValueError:
        return True
    return False


def described(thing: Any) -> str:
    """How a message describes a value that was passed."""
    if isinstance(thing, tuple):
        return f"a tuple of {len(thing)}"
    if isinstance(thing, np.ma.MaskedArray):
        return "a masked array"
    if _is_ragged(thing):
        return "a list of lists of several lengths"
    if np.ndim(thing) and np.asarray(thing).dtype.kind not in NUMBERS:
        return f"an array of `{np.asarray(thing).dtype.type.__name__}`"
    if np.ndim(thing):
        return f"{'a complex' if np.iscomplexobj(thing) else 'an'} array of shape {np.shape(thing)}"
    if isinstance(thing, int | float | np.number):
        return "a number"
    if isinstance(thing, complex):
        return "a complex number"
    return f"an object of the class `{type(thing).__name__}`"


def _misfit(name: str, wanted: str, found: Any, words: SeedWords) -> ArgumentError:
    message = f"the {words.word} {name} must have the structure of the {words.owner}: {wanted}, not {described(found)}"
    return ArgumentError(Problem(words.code, message, remedy=words.remedy))
