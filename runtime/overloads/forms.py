"""What an overload asks of the types of a call: which axes it names, whether it keeps them, what it refuses in words."""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.core.errors import TypingError

NumbaType = Any  # Numba ships no annotations
REMEDIES = {
    "where": "select first, as in np.where(mask, x, np.nan).",
    "dtype": "convert first, as in np.mean(x.astype(np.float64), axis=0).",
}
"""What works in place of arguments that are refused."""


def refused(what: str, remedy: str) -> TypingError:
    """The error of a call that no implementation stands for; the compiler shows both on the user's line."""
    return TypingError(f"backsweep: {what}; help: {remedy}")


def is_array(type_: NumbaType) -> bool:
    """Whether it is the type of an array of numbers with axes."""
    return (
        isinstance(type_, types.Array)
        and type_.ndim > 0
        and isinstance(type_.dtype, types.Number | types.Boolean)
    )


def is_listed(type_: NumbaType) -> bool:
    """Whether it is the type of a tuple of real numbers, as a list display is one."""
    items = list(type_) if isinstance(type_, types.BaseTuple) else []
    return bool(items) and all(
        isinstance(types.unliteral(item), types.Integer | types.Float) for item in items
    )


def is_complex(type_: NumbaType) -> bool:
    """Whether an array's numbers are complex."""
    return isinstance(type_.dtype, types.Complex)


def is_single(type_: NumbaType) -> bool:
    """Whether an array's numbers have single precision."""
    return type_.dtype in (types.float32, types.complex64)


def is_none(type_: NumbaType) -> bool:
    """Whether an argument is None or left out."""
    left_out = isinstance(type_, types.Omitted) and type_.value is None
    return type_ is None or left_out or isinstance(type_, types.NoneType)


def is_left_out(*given: NumbaType) -> bool:
    """Whether none of the arguments is written in the call; they have their defaults, None, False and 0."""
    return all(
        each is None or each is False or each == 0 or isinstance(each, types.Omitted) for each in given
    )


def literal(type_: NumbaType) -> Any:
    """The value of an argument that is left out or written as a literal; None if it is neither, or None itself."""
    if isinstance(type_, types.Omitted):
        return type_.value
    if isinstance(type_, types.Literal):
        return type_.literal_value
    if isinstance(type_, types.BaseTuple):
        items = tuple(literal(item) for item in type_)
        return None if None in items else items
    return type_ if isinstance(type_, bool | int | float | str | tuple) else None


def flag(name: str, type_: NumbaType) -> bool:
    """The value of a flag such as `keepdims`, which decides the type of the result."""
    value = literal(type_)
    if value is None:
        raise refused(
            f"`{name}=` is known only when the program runs, but it decides how many axes the result has",
            f"write {name}=True or {name}=False.",
        )
    return bool(value)


def axes_of(function: str, axis: NumbaType, ndim: int) -> tuple[int, ...]:
    """The axes that a call names, counted from the front and in increasing order; all of them for None."""
    if is_none(axis):
        return tuple(range(ndim))
    value = literal(axis)
    if value is None or isinstance(value, str | float):
        raise refused(
            f"the axis of `{function}` is known only when the program runs",
            f"write the number of the axis, as in {function}(x, axis=0).",
        )
    named = value if isinstance(value, tuple) else (value,)
    if any(not -ndim <= each < ndim for each in named):
        raise refused(f"`{function}` has axis {value}, but the array has {ndim} axes", "check the axis.")
    found = tuple(sorted(range(ndim)[each] for each in named))
    if len(set(found)) != len(found):
        raise refused(f"`{function}` names an axis twice: {value}", "name each axis once.")
    return found


def single_axis(function: str, axis: NumbaType, ndim: int) -> int:
    """The one axis that a call names, counted from the front."""
    if is_none(axis) or isinstance(axis, types.BaseTuple):
        raise refused(f"`{function}` goes along one axis", f"write {function}(x, axis=0).")
    return axes_of(function, axis, ndim)[0]


def reject(function: str, **given: NumbaType) -> None:
    """Refuse the arguments of NumPy's that the implementations have no meaning for."""
    for name, type_ in given.items():
        if not is_none(type_):
            remedy = REMEDIES.get(name, f"leave `{name}=` out.")
            raise refused(f"`{function}` is supported without `{name}=`", remedy)


def has_mask(function: str, where: NumbaType, a: NumbaType) -> bool:
    """Whether a call selects entries of an array by `where=`; a mask that NumPy does not take is refused."""
    if is_none(where) or literal(where) is True:
        return False
    kind = where.dtype if isinstance(where, types.Array) else types.unliteral(where)
    if not isinstance(kind, types.Boolean):
        raise refused(f"the mask of `{function}` is no array of truths", "compare first: where=x > 0.0.")
    if isinstance(where, types.Array) and where.ndim > a.ndim:
        raise refused(f"the mask of `{function}` has more axes than the array", "give it no more axes.")
    return True
