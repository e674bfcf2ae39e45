"""Ask Numba which Python function implements a call of a library function for arguments of given types."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numba
from numba.core import errors, extending, types, utils
from numba.core.registry import cpu_target
from numba.core.target_extension import get_local_target
from numba.core.typing import templates

from backsweep.dispatch.dispatchers import is_vectorised, prepare
from backsweep.dispatch.inference import typed_alone
from backsweep.reading.functions import has_text
from backsweep.runtime.machine_code.compiling import compiling
from backsweep.typing.generalised import is_generalised, text_of_cores
from backsweep.typing.infer import BREAKS, UNREACHED, NumbaType
from backsweep.typing.members import Member
from backsweep.typing.own_implementations import own_text
from backsweep.typing.straight_text import with_text
from backsweep.typing.vectorised import text_of_call


@dataclass(frozen=True, slots=True)
class Found:
    """How Numba compiles a call: by a Python function, of which `dispatcher` is one, or in another way, told by `reason`."""

    dispatcher: Any | None
    reason: str = ""


NONE = Found(None, "Numba has no function for arguments of these types")
INSTRUCTIONS = Found(None, "Numba has no Python text for it: it writes machine instructions")


def implementation(
    function: Any,
    arguments: Sequence[NumbaType],
    keywords: Mapping[str, NumbaType],
    result: NumbaType,
) -> Found:
    """How Numba compiles a call of a function with arguments of these types, as Numba chooses it.

    `result` is the type of the result.
    """
    prepare()
    if is_vectorised(function):
        text = None if keywords else text_of_call(function, arguments, result)
        return NONE if text is None else Found(numba.njit(text))
    if is_generalised(function):
        text = None if keywords else text_of_cores(function, arguments)
        return NONE if text is None else Found(numba.njit(text))
    own = own_text(function, arguments, keywords)
    if own is not None:
        return Found(numba.njit(own))
    context = cpu_target.typing_context
    if isinstance(function, Member):
        return _first(function.templates(arguments[0]), arguments, keywords)
    try:
        type_ = typed_alone(context.resolve_value_type(function))
    except (ValueError, TypeError, errors.NumbaError):  # Numba has no type for it
        return NONE
    if not isinstance(type_, types.Function):
        return NONE
    target = get_local_target(context)
    ordered = utils.order_by_target_specificity(target, type_.templates, fnkey=type_.key[0])
    return _first(ordered, arguments, keywords)


def _first(made: Iterable[Any], arguments: Sequence[NumbaType], keywords: Mapping[str, NumbaType]) -> Found:
    """How the first of some templates that is for these types compiles a call."""
    with compiling:
        for each in made:
            found = _by(each(cpu_target.typing_context), tuple(arguments), dict(keywords))
            if found is not None:
                return found
    return NONE


def _by(template: Any, arguments: tuple[NumbaType, ...], keywords: dict[str, NumbaType]) -> Found | None:
    """How one of a function's templates compiles a call; None if the template is for other types."""
    plain = tuple(map(types.unliteral, arguments)), {k: types.unliteral(t) for k, t in keywords.items()}
    given = [plain, (arguments, keywords)]
    for args, kws in reversed(given) if template.prefer_literal else given:
        try:
            if isinstance(template, templates._OverloadFunctionTemplate):
                found, _ = template._get_impl(args, kws)
                if found is not None:
                    python = found.py_func if has_text(found.py_func) else with_text(found.py_func)
                    return Found(numba.njit(**_options(template))(python or found.py_func))
            elif template.apply(args, kws) is not None:
                return INSTRUCTIONS
        except errors.NumbaError:
            continue  # Numba goes on to the next template, too
        except BREAKS:
            continue
    return None


def _options(template: Any) -> dict[str, Any]:
    """The options by which an `@overload` has its implementations compiled, of those that say what the code means."""
    known = ("error_model", "boundscheck", "debug")
    return {name: value for name, value in template._jit_options.items() if name in known}


def intrinsic_name(thing: Any) -> str:
    """The full name of an `@intrinsic`, for which Numba writes machine instructions; empty for any other object."""
    return f"{thing.__module__}.{thing.__name__}" if isinstance(thing, extending._Intrinsic) else ""


def is_itself(function: Callable[..., Any]) -> bool:
    """Whether compiled code means the function itself: `register_jitable` puts nothing else in its place."""
    found = cpu_target.typing_context.resolve_value_type(function)
    made = [getattr(each, "_overload_func", None) for each in getattr(found, "templates", ())]
    return bool(made) and all(
        each is not None and each.__module__ == _REGISTERS and any(cell is function for cell in _cells(each))
        for each in made
    )


_REGISTERS = "numba.core.extending"
"""The module of the function that `register_jitable` makes and gives to `@overload`."""


def _cells(function: Any) -> list[object]:
    """What the free variables of a function hold."""
    return [cell.cell_contents for cell in function.__closure__ or ()]


def literal(value: object) -> NumbaType:
    """Numba's type of a constant of a program, with its value where types hold values; `UNREACHED` if it has none."""
    if type(value) is tuple:
        items = tuple(map(literal, value))
        return UNREACHED if UNREACHED in items else types.BaseTuple.from_types(items)
    try:
        if isinstance(value, int | str | bool):
            return types.literal(value)
    except errors.LiteralTypingError:
        pass
    except TypeError:  # a whole number that no machine word holds
        return UNREACHED
    try:
        return numba.typeof(value)
    except (TypeError, ValueError, errors.NumbaError):  # TypeError: a family of dtypes, such as np.generic
        return UNREACHED
