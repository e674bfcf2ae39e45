"""Replace arguments that Numba's dispatcher does not accept: strings and functions by constants, dataclasses by namedtuples.

Numba's dispatcher knows numbers, arrays and tuples. A string, function or enum is a constant of the emitted code, so each
has its own code. A dataclass is passed as a namedtuple, and its gradient is returned as the dataclass.
"""

from __future__ import annotations

import dataclasses
import enum
import inspect
import operator
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from backsweep.boundary import Signal
from backsweep.diagnostics import COPY_REMEDY, ArgumentError, BacksweepError, OverlapError, Problem
from backsweep.dispatch.dispatchers import numba_checks
from backsweep.frontend.constructs.dicts import record_of_keys
from backsweep.frontend.context.dataclasses import record_of
from backsweep.ir.nodes import Const, Raise
from backsweep.ir.show import show_type
from backsweep.ir.types import Array, Fixed, List, Other, Scalar, Tuple, Type, is_float
from backsweep.ir.walk import walk
from backsweep.reading.functions import Source
from backsweep.reading.names import is_from_library
from backsweep.reading.own_classes import base_of, computes_in_own_way, own_methods, own_reads, own_way
from backsweep.runtime.machine_code.compiling import compiling
from backsweep.runtime.support.python_calls import is_cfunc
from backsweep.typing.infer import from_numba, has_form, is_typed_list, typed_numbers, typeof

_NUMBERS = (float, int, bool, complex, np.float64, np.float32, np.int64, np.int32, np.bool_, type(None))
"""Arguments of these classes go to Numba as they are."""
_DTYPES = frozenset(map(np.dtype, (*"bBhHiIlLqQfdFD", np.bool_)))
"""So do arrays of these dtypes, which is told without asking Numba for their types."""

_FIXED = (str, enum.Enum, types.FunctionType, types.BuiltinFunctionType, np.ufunc, type)

_FILLED_IN = (
    *(list, dict, np.ndarray, np.random.Generator),
    *(enum.Enum, types.FunctionType, types.BuiltinFunctionType, np.ufunc, type),
)
"""The kinds of defaults for which Numba's dispatcher has no type, or that the function may change."""


LONGEST_LIST = 64
"""The code has a parameter for each item of a list; one of numbers that is longer is given as an array."""


_OF_DICTS = ("__getitem__", "__iter__", "items", "values")
"""How a function reads a dict, of which the code gets the items."""


@dataclass(frozen=True)
class Parts:
    """The form of a list, a dict or an object, or of a tuple that holds one: the forms of its parts, None for a part without one.

    `cls` makes the like of it, its gradient, of its parts.
    """

    cls: Callable[..., Any]
    parts: tuple[Form, ...]


@dataclass(frozen=True)
class DictOf:
    """Makes a dict with these keys."""

    keys: tuple[str, ...]

    def __call__(self, *values: Any) -> dict[str, Any]:
        """The dict with these values."""
        return dict(zip(self.keys, values, strict=True))


@dataclass(frozen=True)
class Listed:
    """The form of a list of numbers of any length: an array is given in its place, of which the function makes a list.

    `cls` makes the like of it, its gradient, of its numbers.
    """

    cls: Callable[..., Any]


@dataclass(frozen=True)
class Shared:
    """Stands among the forms if a list or a dict is given under several names: the function must not change it."""


Form = Fixed | Parts | Listed | Shared | None
Forms = tuple[tuple[str, Form], ...]


class IndirectArgumentError(Signal):
    """An argument that Numba's dispatcher must not get: it is fixed or taken apart first."""


def prepared(
    signature: inspect.Signature, bound: inspect.BoundArguments
) -> tuple[Forms, inspect.BoundArguments]:
    """The forms of the arguments that Numba does not accept unchanged, and the call with their replacements."""
    by_name = any(each.kind is each.KEYWORD_ONLY for each in signature.parameters.values())
    for name, parameter in signature.parameters.items():
        has_default = parameter.default is not parameter.empty
        # Beside arguments by name, Numba's dispatcher has no defaults
        if name not in bound.arguments and has_default and (by_name or is_filled_in(parameter)):
            bound.arguments[name] = parameter.default
    forms: list[tuple[str, Form]] = []
    values = [*bound.arguments.values()]
    for name, value in bound.arguments.items():
        form, given = given_for(name, value)
        if form is not None:
            forms.append((name, form))
            bound.arguments[name] = given
    met: set[int] = set()
    if not all(_is_met_once(value, met) for value in values):
        forms.append(("", Shared()))
    return tuple(forms), bound


def _is_met_once(value: Any, met: set[int]) -> bool:
    """Whether no list or dict within an argument is one of those `met` before, which it is added to."""
    if not isinstance(value, list | dict | tuple):
        return True
    if not isinstance(value, tuple):
        if id(value) in met:
            return False
        met.add(id(value))
    if isinstance(value, list) and len(value) > LONGEST_LIST:
        return True  # it holds numbers alone
    return all(_is_met_once(each, met) for each in (value.values() if isinstance(value, dict) else value))


def is_filled_in(parameter: inspect.Parameter) -> bool:
    """Whether a missing argument is filled in here: Numba's dispatcher has no defaults by keyword, and few kinds of them.

    A default that is an array is given like any argument, so that the function may write into it.
    """
    if parameter.default is parameter.empty:
        return False
    return parameter.kind is parameter.KEYWORD_ONLY or isinstance(parameter.default, _FILLED_IN)


def check_direct(value: Any) -> None:
    """Raise IndirectArgumentError for an argument that Numba's dispatcher must not get."""
    try:
        form, _ = given_for("", value)
    except ArgumentError:
        raise IndirectArgumentError from None
    if form is not None:
        raise IndirectArgumentError


def given_for(name: str, value: Any) -> tuple[Form, Any]:
    """The form of an argument and its replacement for Numba. Raises ArgumentError if there is none."""
    if is_typed_list(value) or (type(value) is list and len(value) > LONGEST_LIST):
        numbers = _numbers_of(name, value)
        if numbers is not None:
            return Listed(type(value)), numbers
    return taken_apart(name, value)


def taken_apart(name: str, value: Any) -> tuple[Form, Any]:
    """The same for an argument that is no long list of numbers, and for a part of one."""
    if type(value) in _NUMBERS:
        if type(value) is int and not -(2**63) <= value < 2**64:
            raise _refused(name, value)
        return None, value
    if type(value) is np.ndarray and value.dtype in _DTYPES:
        return None, value
    if isinstance(value, _FIXED) or is_cfunc(value):
        return Fixed(value), None
    if own_methods(value, *own_reads(value), *(_OF_DICTS if isinstance(value, dict) else ())):
        raise _refused(name, value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [field.name for field in dataclasses.fields(value)]
        pairs = [taken_apart(f"{name}.{field}", getattr(value, field)) for field in fields]
        form = Parts(type(value), tuple(part for part, _ in pairs))
        return form, record_of(type(value))(*(given for _, given in pairs))
    if isinstance(value, dict) and value and all(isinstance(key, str) for key in value):
        pairs = [taken_apart(f"{name}[{key!r}]", item) for key, item in value.items()]
        keys = tuple(value)
        form = Parts(DictOf(keys), tuple(part for part, _ in pairs))
        return form, record_of_keys(keys)(*(given for _, given in pairs))
    if isinstance(value, list | tuple) and base_of(value) is not None and not hasattr(value, "_fields"):
        raise _refused(name, value)
    if isinstance(value, list) and 0 < len(value) <= LONGEST_LIST:
        pairs = [taken_apart(f"{name}[{k}]", item) for k, item in enumerate(value)]
        return Parts(type(value), tuple(part for part, _ in pairs)), tuple(given for _, given in pairs)
    if type(value) is slice:
        return None, _with_all_parts(name, value)
    if isinstance(value, tuple):
        pairs = [
            (Fixed(item), None) if numba_checks(item) is not None else taken_apart(f"{name}[{k}]", item)
            for k, item in enumerate(value)
        ]
        items = tuple(given for _, given in pairs)
        if all(given is item for given, item in zip(items, value, strict=True)):
            return None, value
        made = type(value)(*items) if hasattr(value, "_fields") else items
        if all(part is None for part, _ in pairs):
            return None, made
        return Parts(type(value), tuple(part for part, _ in pairs)), made
    if isinstance(value, np.ndarray) and type(value) is not np.ndarray:
        check_array(name, value)
    if not has_form(value):
        attributes = _attributes(value)
        if not attributes:
            raise _refused(name, value)
        pairs = [taken_apart(f"{name}.{key}", item) for key, item in attributes.items()]
        cls: type = type(value)
        record = record_of(cls, tuple(attributes))
        return Parts(record, tuple(part for part, _ in pairs)), record(*(given for _, given in pairs))
    return None, value


def _numbers_of(name: str, value: Any) -> np.ndarray[Any, Any] | None:
    """The array of the numbers of a list; None if it holds anything else."""
    if is_typed_list(value):
        try:
            return typed_numbers(value)
        except TypeError:
            raise _refused(name, value) from None
    if not all(isinstance(each, float | int | complex | np.number) for each in value):
        return None
    numbers = np.array(value)
    return numbers if numbers.dtype.kind in "biufc" else None


def _attributes(value: Any) -> dict[str, Any]:
    """The public attributes of an object of a class of the user's own; empty for any other object."""
    own = vars(value) if hasattr(value, "__dict__") else {}
    if isinstance(value, type | types.ModuleType) or callable(value) or is_from_library(type(value)):
        return {}
    return {key: item for key, item in own.items() if key.isidentifier() and key[0] != "_"}


def check_array(name: str, array: np.ndarray[Any, Any]) -> None:
    """Raise ArgumentError for an array class with its own arithmetic, such as masked arrays and matrices."""
    if computes_in_own_way(array):
        raise _refused(name, array)


def has_own_arrays(values: Iterable[Any]) -> bool:
    """Whether the values contain an array of a subclass, which Numba would treat as a plain array."""
    for value in values:  # noqa: SIM110  a generator would double what a call costs
        if type(value) is not np.ndarray and isinstance(value, np.ndarray):
            return True
    return False


def _with_all_parts(name: str, value: slice) -> slice:
    """The slice with a number for each missing bound, as in Numba, because compiled code computes with the bounds."""
    parts = (value.start, value.stop, value.step)
    if not all(part is None or hasattr(part, "__index__") for part in parts):
        called = f"the argument `{name}`" if name else "an argument"
        message = f"{called} is {value!r}, whose parts are not whole numbers"
        raise ArgumentError(Problem("BS409", message, None, "pass a slice of whole numbers."))
    step = 1 if value.step is None else operator.index(value.step)
    first, last = (0, sys.maxsize) if step > 0 else (sys.maxsize, -sys.maxsize - 1)
    start = first if value.start is None else operator.index(value.start)
    stop = last if value.stop is None else operator.index(value.stop)
    return slice(start, stop) if value.step is None else slice(start, stop, step)


def has_gradient(argument: Any) -> bool:
    """Whether an argument with this value can have a gradient."""
    if type(argument) is float or (isinstance(argument, np.ndarray) and argument.dtype.char in "fdFD"):
        return True
    form, given = given_for("", argument)
    return not isinstance(form, Fixed) and is_float(from_numba(typeof(given)))


def _refused(name: str, value: Any) -> ArgumentError:
    """The error for an argument that compiled code cannot represent."""
    what = f"an object of the class `{type(value).__name__}`"
    remedy = "pass its numbers and arrays, as a tuple, a namedtuple or a dataclass."
    match value:
        case _ if (base := base_of(value)) is not None and not hasattr(value, "_fields"):
            what += f", which derives from {base.__name__}"
            remedy = f"pass {base.__name__}({name or 'x'})."
        case dict():
            what = "a dict whose keys are not all strings" if value else "an empty dict"
            remedy = "pass a dict with strings for keys: its gradient is one too. Numbers for keys are what an array has."
        case _ if is_typed_list(value):
            what = "a typed list without a type, because nothing was appended to it"
            remedy = "make it with numba.typed.List.empty_list(numba.float64)."
        case list():
            what = "an empty list" if not value else "a list"
            remedy = "pass an array, np.array(...), or a tuple of its items."
        case types.MethodType():
            what = f"the method `{value.__name__}` of an object"
            remedy = f"differentiate the method itself, or pass a function that calls it: lambda x: obj.{value.__name__}(x)."
        case np.ndarray() if (own := own_way(value)) is not None:
            what, remedy = own[0], f"pass {own[1]}."
        case int():
            what = "a whole number of more than 64 bits"
            remedy = "pass it as a float."
        case np.ndarray():
            what = f"an array of {value.dtype}"
            remedy = "pass an array of numbers, as in np.array(values, dtype=np.float64)."
        case _ if callable(getattr(type(value), "to_numpy", None)):
            it = name or "x"
            what += ", whose methods are not those of arrays (they skip nan, or go by labels)"
            remedy = f"pass its values, {it}.to_numpy()."
            if hasattr(value, "dims"):
                remedy = f"pass its values, {it}.to_numpy(); the gradient as such an object is {it}.copy(data=gradient)."
            elif hasattr(value, "index"):
                cls = type(value).__name__
                remedy = f"pass its values, {it}.to_numpy(); the gradient as such an object is {cls}(gradient, index={it}.index)."
            if hasattr(value, "columns"):
                remedy = f"pass its columns, as in {{name: {it}[name].to_numpy() for name in {it}}}: the gradient is such a dict, too."
        case _ if name == "self":
            remedy = "differentiate the method of the object, bs.grad(obj.method), whose attributes are then constants."
        case _ if callable(value):
            what = f"an object of the class `{type(value).__name__}`"
            remedy = (
                "pass its numbers and arrays as a dataclass, or a function that calls it: lambda x: obj(x)."
            )
        case _:
            pass
    called = f"the argument `{name}`" if name else "an argument"
    why = "and compiled code cannot take it" if "," in what else "which compiled code cannot take"
    return ArgumentError(Problem("BS409", f"{called} is {what}, {why}", None, remedy))


def with_form(type_: Type, form: Form) -> Type:
    """The type of an argument, including its fixed parts."""
    if isinstance(form, Fixed):
        return form
    if not isinstance(form, Parts) or not isinstance(type_, Tuple):
        return type_
    items = tuple(with_form(item, part) for item, part in zip(type_.items, form.parts, strict=True))
    return Tuple(items, type_.names, list if form.cls is list else type_.cls)


def check_precision(kinds: Mapping[str, Type], source: Source) -> None:
    """Raise ArgumentError for an argument of half precision, because processors do not compute in it."""
    for name, type_ in kinds.items():
        if _holds_half(type_):
            what = "is" if isinstance(type_, Scalar | Array) else "holds numbers"
            message = f"the argument `{name}` of `{source.name}` {what} in half precision (float16)"
            remedy = (
                "pass single precision, x.astype(np.float32): Numba does not compute with float16 on CPUs."
            )
            raise ArgumentError(Problem("BS409", message, source.loc(source.node), remedy))


def _holds_half(type_: Type) -> bool:
    """Whether the type is, or contains, a number or array of half precision."""
    match type_:
        case Scalar(dtype) | Array(dtype):
            return dtype == "float16"
        case Tuple(items):
            return any(map(_holds_half, items))
        case List(item):
            return _holds_half(item)
        case _:
            return False


def check_active(wrt: Iterable[str], kinds: Mapping[str, Type], source: Source) -> None:
    """Raise ArgumentError for an argument that is to be differentiated and holds no floats."""
    for name in wrt:
        refusal = _inactive(kinds[name]) if name in kinds else None
        if refusal is not None:
            what, remedy = refusal
            message = f"the argument `{name}` of `{source.name}` is {what}, which has no gradient"
            raise ArgumentError(Problem("BS403", message, source.loc(source.node), remedy))


def _inactive(type_: Type) -> tuple[str, str] | None:
    """A description of a type without derivatives and what to pass instead; None for a type with derivatives."""
    leave = "leave it out of wrt or argnums."
    match type_:
        case List():
            return "a list", "pass an array, np.array(...), or a tuple: its gradient is one too."
        case _ if is_float(type_):
            return None
        case Scalar("bool"):
            return "a bool", f"pass a float, or {leave}"
        case Scalar(dtype):
            return f"an integer ({dtype})", f"pass a float, as in 3.0 instead of 3, or {leave}"
        case Array(dtype) if dtype.startswith(("int", "uint", "bool")):
            return (
                f"an array of {dtype}",
                f"pass floats, as in x.astype(np.float64) or np.array([1.0]), or {leave}",
            )
        case Fixed(float()):
            return "not passed: its default is a constant", f"give it a value in the call, or {leave}"
        case Fixed(value):
            return f"{type(value).__name__} {_short(value)}", leave
        case Other("none"):
            return "None", f"pass a float or a float array, or {leave}"
        case Tuple():
            return "a tuple without any floats", f"pass floats, as in 3.0 instead of 3, or {leave}"
        case _:
            return f"of type {show_type(type_)}", f"pass a float or a float array, or {leave}"


def _short(value: object) -> str:
    return f"`{getattr(value, '__name__', repr(value))}`"


def put_together(form: Form, gradient: Any) -> Any:
    """A gradient in the structure of its argument; a fixed part of the argument stands in its own place.

    A part without floats has the gradient 0, whatever its structure is.
    """
    if isinstance(form, Fixed):
        return form.value
    if isinstance(form, Listed) and isinstance(gradient, np.ndarray):
        each = gradient.tolist() if gradient.ndim == 1 else np.moveaxis(gradient, -1, 0)
        return form.cls(each)
    if not isinstance(form, Parts) or not isinstance(gradient, tuple):
        return gradient
    items = [put_together(part, item) for part, item in zip(form.parts, gradient, strict=True)]
    return form.cls(items) if form.cls in (tuple, list) else form.cls(*items)


def with_parts(forms: Forms) -> Forms:
    """The forms of objects of which the code has the parts."""
    return tuple((name, form) for name, form in forms if isinstance(form, Parts))


def example_of(function: Any, forms: Forms) -> Any:
    """What a batch calls for each example: a derivative takes the tuples that stand for objects."""
    return function.fixing(with_parts(forms)) if hasattr(function, "fixing") else function


def restorer(forms: Forms, wrt: tuple[str, ...], *, single: bool) -> Callable[[Any], Any] | None:
    """A function that gives gradients with respect to `wrt` the arguments' structure; None if they have it already."""
    known = dict(forms)
    wanted = [known.get(name) for name in wrt]
    if all(form is None for form in wanted):
        return None
    if single:
        return lambda gradient: put_together(wanted[0], gradient)

    def several(gradients: Any) -> Any:
        items = [put_together(form, gradient) for form, gradient in zip(wanted, gradients, strict=True)]
        return type(gradients)(*items) if hasattr(gradients, "_fields") else tuple(items)

    return several


@contextmanager
def naming_overlap(transformed: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Iterator[None]:
    """Turn the ValueError of arguments that overlap into an OverlapError, which shows where one of them is written."""
    try:
        yield
    except ValueError as error:
        refuse_overlap(transformed, error, args, kwargs)
        raise


def refuse_overlap(
    transformed: Any, error: ValueError, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> None:
    """Raise OverlapError if the error, of a call with these arguments, is that of arguments that overlap."""
    text = error.args[0] if len(error.args) == 1 else None
    if isinstance(error, BacksweepError) or not isinstance(text, str) or not text.endswith(COPY_REMEDY):
        return
    while hasattr(transformed.function, "special"):  # of a gradient: its function has the write
        transformed = transformed.function
    special, given = transformed.special(*args, **kwargs)
    arguments, relations = special.signature_of(given)
    with compiling:
        program = special.build.primal_for(arguments, relations)
    for node in walk(program.body):
        if isinstance(node, Raise) and [each.value for each in node.arguments if isinstance(each, Const)] == [
            text
        ]:
            remedy = "pass a copy of one of them: x.copy()."
            problem = Problem("BS416", text.removesuffix(COPY_REMEDY), node.loc, remedy)
            raise OverlapError(problem) from None
