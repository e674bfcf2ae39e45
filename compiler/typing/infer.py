"""Infer types with Numba: the program is printed in three-address form, and Numba's own inference types it.

Types are therefore exactly Numba's, unification and NumPy promotion included. Code that Numba cannot type is reported
on the user's line.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numba
import numpy as np
from numba.core import bytecode, errors, interpreter, typed_passes, types, typing
from numba.core.dispatcher import Dispatcher
from numba.core.registry import cpu_target
from numba.np import arraymath
from numba.np.numpy_support import as_dtype
from numba.typed import List as TypedList

from backsweep.diagnostics import NOWHERE, Loc, Problem, Problems, TypingError, UnsupportedError
from backsweep.dispatch.dispatchers import Specialising, prepare
from backsweep.dispatch.inference import TypesAlone
from backsweep.emit.syntax import BINARY, SYMBOLS
from backsweep.ir.nodes import Function, Operand, Value
from backsweep.ir.operations import canonical, operation
from backsweep.ir.types import Array, Fixed, List, Other, Scalar, Tuple, Type
from backsweep.runtime.lists.results import type_unlisted
from backsweep.runtime.machine_code.compiling import compiling
from backsweep.runtime.support.marks import kept_in
from backsweep.typing.known_results import type_returned
from backsweep.typing.three_address import NAMELESS, three_address

NumbaType = Any  # Numba ships no annotations


def typeof(value: object) -> NumbaType:
    """Numba's type of a value."""
    return numba.typeof(value)


def bound_value(type_: NumbaType) -> tuple[object, ...]:
    """The object that a parameter of the type is bound to while compiling, in a 1-tuple; empty if it is a runtime value."""
    match type_:
        case types.Omitted():
            return (type_.value,)
        case types.NoneType():
            return (None,)
        case types.Dispatcher():
            return (getattr(type_.dispatcher, "owner", type_.dispatcher),)
        case types.StringLiteral():
            return (type_.literal_value,)
        case _:
            return ()


def compiles() -> bool:
    """Whether Numba compiles, which `NUMBA_DISABLE_JIT` can turn off."""
    return not numba.config.DISABLE_JIT


def type_of_missing(parameter: inspect.Parameter) -> NumbaType:
    """The type of a parameter without an argument."""
    no_items = parameter.kind is parameter.VAR_POSITIONAL
    return types.StarArgTuple(()) if no_items else types.Omitted(parameter.default)


def gathered(parameters: Sequence[inspect.Parameter], args_or_types: Sequence[Any]) -> tuple[Any, ...]:
    """The arguments, or Numba types, of a call in order, with a tuple of those that `*more` takes.

    >>> gathered([*inspect.signature(lambda x, *more: x).parameters.values()], (1.0, 2, 3))
    (1.0, (2, 3))
    """
    kinds = [parameter.kind for parameter in parameters]
    if inspect.Parameter.VAR_POSITIONAL not in kinds[: len(args_or_types)]:
        return tuple(args_or_types)
    first = kinds.index(inspect.Parameter.VAR_POSITIONAL)
    rest: Any = tuple(args_or_types[first:])
    if any(isinstance(each, types.Type) for each in rest):
        told = [each if isinstance(each, types.Type) else numba.typeof(each) for each in rest]
        rest = types.BaseTuple.from_types(tuple(told))
    return (*args_or_types[:first], rest)


def has_form(value: object) -> bool:
    """Whether Backsweep can represent the value in compiled code; it cannot represent dicts, sets and objects."""
    try:
        type_ = numba.typeof(value)
    except (ValueError, errors.NumbaTypeError, errors.NumbaValueError):
        return False
    return not isinstance(type_, types.ClassInstanceType | types.DictType | types.Set | types.PyObject)


def is_typed_list(value: object) -> bool:
    """Whether the value is one of Numba's own lists."""
    return isinstance(value, TypedList)


def typed_numbers(value: Any) -> np.ndarray[Any, Any] | None:
    """The numbers in one of Numba's own lists; None if it holds anything else. Raises TypeError if it has no type yet."""
    item = numba.typeof(value).dtype
    return np.array([*value], dtype=str(item)) if isinstance(item, types.Number) else None


def plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """The Python function of a dispatcher; any other function unchanged."""
    if isinstance(function, Dispatcher):
        python: Callable[..., Any] = function.py_func
        return python
    return function


def cotangent_type(type_: NumbaType) -> NumbaType:
    """Numba's type of the cotangent of a value: numbers in double precision, arrays contiguous."""
    if type_ == types.float32:
        return types.float64
    return types.complex128 if type_ == types.complex64 else tangent_type(type_)


def compile_options(function: Callable[..., Any]) -> dict[str, Any]:
    """The options of an `@njit` function, except `boundscheck` and `parallel`, which its `Source` holds; none for any other function."""
    if not isinstance(function, Dispatcher):
        return {}
    options = function.targetoptions.items()
    return {
        name: value
        for name, value in options
        if value is not None and name not in ("boundscheck", "parallel")
    }


def asks_for_checks(function: Any) -> bool:
    """Whether an `@njit` function, or a gradient of one, asks Numba to check its subscripts."""
    build = getattr(function, "build", None)
    return bool(compile_options(function).get("boundscheck") if build is None else build.options.boundscheck)


def from_numba(type_: NumbaType) -> Type:
    """The IR type for a Numba type; a type without numbers becomes `Other`."""
    type_ = types.unliteral(type_)
    match type_:
        case types.Array():
            return Array(str(type_.dtype), type_.ndim, type_.layout)
        case types.BaseNamedTuple() if type_.instance_class in (arraymath.finfo, arraymath.iinfo):
            return Other(type_.instance_class.__name__)  # NumPy's objects are no tuples
        case types.BaseNamedTuple():
            items = tuple(from_numba(item) for item in type_.types)
            return Tuple(items, tuple(type_.fields), type_.instance_class)
        case types.BaseTuple():
            return Tuple(tuple(from_numba(item) for item in type_))
        case types.List() | types.ListType():
            return List(from_numba(type_.dtype))
        case types.Number() | types.Boolean():
            return Scalar(str(type_))
        case types.Omitted():
            return Fixed(type_.value)
        case _:
            return Other(str(type_))


def infer(function: Function, arguments: Sequence[NumbaType]) -> dict[Value, Type]:
    """The type of every value of `function` for these argument types; raises TypingError on the user's line."""
    found = numba_types(function, arguments)
    problems = Problems()
    optional = {value.name: value for value, type_ in found.items() if isinstance(type_, types.Optional)}
    for value in optional.values():
        problems.add(UnsupportedError, _sometimes_none(value))
    problems.report()
    return {value: from_numba(type_) for value, type_ in found.items()}


def _sometimes_none(value: Value) -> Problem:
    """The problem of a value that is None on some paths: Numba can type it, but it has no derivative."""
    what = f"`{value.name}`" if value.name else "a value"
    if value.name in ("result", ""):
        message = "the function returns None on some paths and a value on others"
        return Problem("BS120", message, value.loc, "return a value on every path, or raise an error.")
    message = f"{what} is None on some paths and a value on others, and only the run decides which"
    remedy = f"start with a number, and keep in a flag whether {what} is there yet (`found = False`)."
    return Problem("BS120", message, value.loc, remedy)


def numba_types(
    function: Function, arguments: Sequence[NumbaType], *, partial: bool = False, is_whole: bool = True
) -> dict[Value, NumbaType]:
    """Like `infer`, but the types are Numba's own. With `partial`, `UNREACHED` is the type of what Numba cannot type.

    What is not whole is a part of a program.
    """
    function = dataclasses.replace(function, name=function.name.replace("<lambda>", "function"))
    program = three_address(function, is_whole=is_whole and not partial)
    namespace = dict(program.bindings)
    exec(compile(program.text, "<three-address form>", "exec"), namespace)  # noqa: S102  our own text
    prepare()
    context, target = Questions(cpu_target.typing_context), cpu_target.target_context
    try:
        with compiling, warnings.catch_warnings():
            # Numba's warnings here are about the three-address text; they come again for the emitted code.
            for kind in (errors.NumbaPerformanceWarning, errors.NumbaTypeSafetyWarning):
                warnings.simplefilter("ignore", kind)
            blocks = _interpreted(namespace[program.name])
            typed = typed_passes.type_inference_stage(
                context, target, blocks, tuple(arguments), None, raise_errors=not partial
            )
    except errors.NumbaError as error:
        raise TypingError(_problem(error, program.lines, function.loc)) from None
    found = {value: typed.typemap.get(name, UNREACHED) for value, name in program.names.items()}
    return {value: UNREACHED if type_ is types.unknown else type_ for value, type_ in found.items()}


class Questions(TypesAlone):
    """A typing context for questions about types alone: a transformed function that is called is typed, not compiled."""

    def resolve_function_type(self, function: Any, args: Any, kws: Any) -> Any:
        """The signature of a call; raises Numba's TypingError if one of its types has half precision."""
        compiling.check()
        if not (isinstance(function, types.Dispatcher) and isinstance(function.dispatcher, Specialising)):
            _check_widths(args)  # Numba has types for these numbers but cannot compile them
            known = None if kws else type_returned(function, args)
            if known is not None:
                return typing.signature(known, *args)
            try:
                found = super().resolve_function_type(function, args, kws)
            except BREAKS as error:  # raised by Numba's own typing function
                in_place = (
                    isinstance(error, AttributeError) and args and _in_place_symbol(function) is not None
                )
                if in_place and any(isinstance(each, types.BaseTuple) for each in args):
                    text = f"`{_in_place_symbol(function)}=` of an array and a tuple, which is to be an array first"
                    raise errors.TypingError(text) from None
                if in_place:
                    raise errors.TypingError(_cannot_hold(function, args)) from None
                text = " ".join(str(error).split()) or type(error).__name__
                raise errors.TypingError(text) from None
            _check_kept(function, args)
            _check_entries(getattr(found, "return_type", None))
            _check_widths([getattr(found, "return_type", None)])
            return found
        dispatcher = function.dispatcher
        parameters, given = dispatcher.fold_argument_types(args, kws)
        return typing.signature(dispatcher.owner.returned(tuple(given)), *given).replace(pysig=parameters)


BREAKS = (NotImplementedError, AttributeError, AssertionError, LookupError, NameError, TypeError, ValueError)
"""The exceptions besides TypingError that Numba's typing raises for operands that it does not expect."""
_CANNOT_HOLD = "cannot hold the values that"
"""Marks the message for an in-place operator whose result the dtype of its array cannot hold."""


def _in_place_symbol(function: NumbaType) -> str | None:
    """The symbol of an in-place operator, such as `+=`; None for any other function."""
    key = getattr(function, "typing_key", None)
    return SYMBOLS[BINARY[canonical(key)]] if operation(key).in_place else None


def _check_kept(function: NumbaType, args: Sequence[NumbaType]) -> None:
    """Raise Numba's TypingError if a part of an array is assigned the result of an operator and cannot hold it."""
    if getattr(function, "typing_key", None) is not kept_in or not isinstance(args[0], types.Array):
        return
    target, value = (getattr(types.unliteral(type_), "dtype", types.unliteral(type_)) for type_ in args[:2])
    kinds = as_dtype(value).kind + as_dtype(target).kind
    integers = set(kinds) <= set("iu")  # Numba's arithmetic widens short integers to int64, NumPy's does not
    if not integers and not np.can_cast(as_dtype(value), as_dtype(target), "same_kind"):
        symbol = args[2].literal_value
        raise errors.TypingError(f"an array of {target} {_CANNOT_HOLD} `{symbol}=` gives, which are {value}")


def _cannot_hold(function: NumbaType, args: Sequence[NumbaType]) -> str:
    """The message for `array op= value` if the array's dtype cannot hold the result."""
    target, value = (getattr(type_, "dtype", types.unliteral(type_)) for type_ in args[:2])
    return f"an array of {target} {_CANNOT_HOLD} `{_in_place_symbol(function)}=` with {value} gives"


def _check_entries(type_: NumbaType) -> None:
    """Raise Numba's TypingError for an array whose entries are arrays, lists or tuples: Numba has a type for it and no code."""
    dtype = getattr(type_, "dtype", None) if isinstance(type_, types.Array) else None
    if isinstance(dtype, types.Array | types.List | types.BaseTuple):
        raise errors.TypingError(f"an array with entries that are {dtype}, where numbers are needed")


def _check_widths(types_: Iterable[NumbaType]) -> None:
    """Raise Numba's TypingError for a number or array of half precision."""
    for type_ in types_:
        if types.float16 in (type_, getattr(type_, "dtype", None)):
            raise errors.TypingError(str(types.float16))


UNREACHED = types.undefined
"""The type of values in dead code, which inference never sees."""


def can_unite(one: NumbaType, other: NumbaType) -> bool:
    """Whether a variable may have values of both types."""
    return cpu_target.typing_context.unify_types(one, other) is not None


def type_of_operand(operand: Operand, known: Mapping[Value, NumbaType]) -> NumbaType:
    """Numba's type of a value or constant, with contiguous arrays, because cotangents are passed as these."""
    type_ = known[operand] if isinstance(operand, Value) else numba.typeof(operand.value)
    return type_.copy(layout="C", readonly=False) if isinstance(type_, types.Array) else type_


def tangent_type(type_: NumbaType) -> NumbaType:
    """Numba's type of the tangent of an argument, with contiguous arrays."""
    type_ = types.unliteral(type_)
    if isinstance(type_, types.BaseNamedTuple):
        items = [tangent_type(item) for item in type_.types]
        return types.BaseTuple.from_types(tuple(items), type_.instance_class)
    if isinstance(type_, types.BaseTuple):
        return tuple_type([tangent_type(item) for item in type_])
    return type_.copy(layout="C", readonly=False) if isinstance(type_, types.Array) else type_


def with_vectors(type_: NumbaType) -> NumbaType:
    """Numba's type of a result with what stands for lists in their place, as its cotangent has it."""
    if isinstance(type_, types.BaseNamedTuple):
        items = tuple(with_vectors(item) for item in type_)
        return types.BaseTuple.from_types(items, type_.instance_class)
    if isinstance(type_, types.Tuple | types.UniTuple):
        return tuple_type([with_vectors(item) for item in type_])
    return type_unlisted(type_.dtype) if isinstance(type_, types.List) else type_


def argument_type(operand: Operand, known: Mapping[Value, NumbaType]) -> NumbaType:
    """Numba's type of an operand as the argument of a call."""
    return types.unliteral(known[operand]) if isinstance(operand, Value) else numba.typeof(operand.value)


def tuple_type(items: Sequence[NumbaType], cls: type | None = None) -> NumbaType:
    """Numba's type of a tuple with items of these types; `cls` is the class of a namedtuple."""
    return types.BaseTuple.from_types(tuple(items), cls)


def has_numbers(type_: Type | None) -> bool:
    """Whether the entries of an array are numbers, and not records, dates or texts, whose types Numba has no names for."""
    return not isinstance(type_, Array) or hasattr(types, type_.dtype) or type_.dtype == "bool"


def to_numba(type_: Type) -> NumbaType:
    """Numba's type for the IR type of a number, an array, or a tuple of these."""
    match type_:
        case Scalar("bool"):
            return types.boolean
        case Scalar(dtype):
            return getattr(types, dtype)
        case Array(dtype, ndim, layout):
            return types.Array(to_numba(Scalar(dtype)), ndim, layout)
        case Tuple(items, cls=cls):
            return tuple_type([to_numba(item) for item in items], cls)
        case Other("none"):
            return types.none
        case _:
            raise TypeError(f"no value of a callee has the type {type_}")


class _Interpreter(interpreter.Interpreter):  # type: ignore[misc]  # Numba ships no annotations
    """Numba's interpreter of bytecode; it accepts a line that reads a variable which only a later line of the loop assigns."""

    def get(self, name: str) -> Any:
        """The variable of this name, declared here if no earlier line has set it."""
        try:
            return super().get(name)
        except errors.NotDefinedError:
            return self.current_scope.get_or_define(name, loc=self.loc)


def _interpreted(function: Any) -> Any:
    """Numba's IR of a Python function; the lifetimes of its variables, which no type depends on, are not looked for."""
    identity = bytecode.FunctionIdentity.from_function(function)
    return _Interpreter(identity).interpret(bytecode.ByteCode(func_id=identity))


_OTHER_WIDTHS = {
    "float16": ("half", "float32"),
    "float128": ("extended", "float64"),
    "complex256": ("extended", "complex128"),
}
"""The dtypes that Numba cannot compile for processors: the name of their precision, and the nearest usable dtype."""


def _problem(error: errors.NumbaError, lines: Mapping[int, Loc], whole: Loc) -> Problem:
    """Numba's error as a problem on the user's line, without Numba's traceback."""
    where = getattr(error, "loc", None)
    loc = lines.get(where.line, NOWHERE) if where is not None else NOWHERE
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error.msg if hasattr(error, "msg") else error))
    if worded := re.search(r"backsweep: (.*?); help: (.*?)\s+raised from", text, re.DOTALL):
        message, remedy = (" ".join(part.split()) for part in worded.groups())
        return Problem("BS301", message, loc if loc is not NOWHERE else None, remedy)
    cause = text.split("There are")[0].split("During:")[0].split('File "')[0]
    cause = re.sub(r"\b(\w+)_\d+\b", r"\1", " ".join(cause.split()))
    cause = re.sub(r",? defined at <three-address form> \(\d+\)", "", cause)
    cause = re.sub(r"Function\(<(?:built-in |ufunc )?(?:function )?['`]?(\w+)[^>]*>\)", r"`\1`", cause)
    cause = cause.replace(" found for signature: >>>", " for")
    message = f"Numba cannot type this: {cause}"
    remedy = "make the function compile with numba.njit for these argument types first."
    if cause.startswith("Cannot determine Numba type of"):
        message = "Numba does not know the object that is called or used here"
        remedy = "write it in Python, with functions from docs/rules.md, or declare it with bs.pure_python and give it a derivative by bs.rule."
    if lacking := re.search(r"Unknown attribute '(\w+)' of type Module\(<module '([\w.]+)'", cause):
        message = f"Numba has no `{lacking[2]}.{lacking[1]}`"
        remedy = "write it in Python, with functions from docs/rules.md, or declare it with bs.pure_python and give it a derivative by bs.rule."
    if "function `by_entries`" in cause.replace("'", "`") and "complex" in cause:
        message = "this function of SciPy's is computed of real numbers alone here"
        remedy = "declare it with bs.pure_python and give it a derivative by bs.rule."
    if "'imatmul'" in str(error):
        message = "Numba has no `@=`, the product in place"
        remedy = "write `x[...] = x @ y` to change the array, or `x = x @ y` to make another."
    if unset := re.match(r"Type of variable '(\w+)' cannot be determined", cause):
        message = f"Numba finds no type for `{unset[1]}`: it is read, but no path assigns it before"
        remedy = f"assign `{unset[1]}` on every path before this line."
    if several := re.match(r"Cannot unify (.+) and (.+) for '(\w+)'", cause):
        kinds = {"an array" if "array(" in each else "a number" for each in several.groups()[:2]}
        is_simple = not re.search(r"tuple|list|none|type|class", "".join(several.groups()[:2]), re.IGNORECASE)
        if is_simple and len(kinds) == 2:
            message = f"`{several[3]}` is a number on one path and an array on another ({cause})"
            remedy = f"let it be an array from the start, as in `{several[3]} = np.zeros(3)` or `{several[3]} = 0.0 * x`."
            if several[3] == NAMELESS:  # no variable of the user's
                message = "this is a number on one path and an array on another"
                remedy = "let both be arrays, as in `x if c else np.full(x.shape, 1.0)`."
    if kinds_of := re.match(r"No conversion from (.*array\((\w+),.*) to (.*array\((\w+),.*) for '", cause):
        message = f"arrays of several dtypes, {kinds_of[2]} and {kinds_of[4]}, meet here, as the run chooses"
        remedy = "make them of one dtype, as in np.array([[0.0, 1.0]]) in place of np.array([[0, 1]]), or by .astype(float)."
    if "list(undefined)" in cause:
        message = "nothing tells what this list holds: it is empty, and nothing is put into it on any path"
        remedy = "put an item into it, or write np.zeros(0) for an array without entries."
    if {"float32", "float64"} <= set(re.findall(r"float\d+", cause)):
        remedy = "make the arrays of one precision, as in np.zeros(n, dtype=x.dtype), or convert them with .astype(np.float64)."
    if "Int value is too large" in cause:
        remedy = "write it as a float, as in 1e36."
    if _CANNOT_HOLD in cause:
        message = cause.partition(": ")[2] or cause
        if "-=" in loc.text[loc.column : loc.end_column]:  # it is typed as `+=` of the negated operand
            message = message.replace("`+=`", "`-=`")
        remedy = "write it without `=`, as in y = y + x, which makes a new array, or convert the array first: y.astype(np.float64)."
        return Problem("BS130", message, loc if loc is not NOWHERE else None, remedy)
    for width, (precision, wanted) in _OTHER_WIDTHS.items():
        if width in cause:
            what, loc = ("a constant", whole) if loc is NOWHERE else ("this value", loc)
            message = f"{what} is in {precision} precision ({width})"
            remedy = f"compute in another precision, as in x.astype(np.{wanted}): Numba does not compute with {width} on CPUs."
    return Problem("BS301", message, loc if loc is not NOWHERE else None, remedy)
