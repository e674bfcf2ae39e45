"""The types of IR values: the part of Numba's types that the compiler needs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number or bool; `dtype` is NumPy's name for it: "float64", "int64", "bool", "complex128"."""

    dtype: str


@dataclass(frozen=True, slots=True)
class Array:
    """An array; `layout` is Numba's: "C", "F" or "A"."""

    dtype: str
    ndim: int
    layout: str = "C"


@dataclass(frozen=True, slots=True)
class Tuple:
    """A tuple of known length; `names` are the field names of a namedtuple, `cls` its class."""

    items: tuple[Type, ...]
    names: tuple[str, ...] = ()
    cls: type | None = None


@dataclass(frozen=True, slots=True)
class List:
    """A list whose items have one type."""

    item: Type


@dataclass(frozen=True, slots=True)
class Other:
    """A type that never has a derivative: None, strings, dtypes, functions, slices."""

    text: str


@dataclass(frozen=True, slots=True)
class Fixed:
    """The type of a string, function or other object that is known while compiling and is no runtime value."""

    value: object


Type = Scalar | Array | Tuple | List | Other | Fixed

FLOAT = Scalar("float64")
INT = Scalar("int64")
BOOL = Scalar("bool")
NONE = Other("none")
RANDOM = Other("NumPyRandomGeneratorType")
"""A generator of random numbers."""

SLICES: dict[Type, tuple[str, ...]] = {
    Other("slice<a:b>"): ("start", "stop"),
    Other("slice<a:b:c>"): ("start", "stop", "step"),
}
"""The types of slice arguments, each with the names of its parts."""


def is_float(type_: Type | None) -> bool:
    """Whether values of the type have derivatives: float or complex numbers, arrays, tuples and lists of these."""
    match type_:
        case Scalar(dtype) | Array(dtype):
            return dtype.startswith(("float", "complex"))
        case Tuple(items):
            return any(is_float(item) for item in items)
        case List(item):
            return is_float(item)
        case _:
            return False


def names_memory(type_: Type | None) -> bool:
    """Whether values of the type refer to memory that other values may share: arrays, and lists of arrays."""
    return isinstance(type_, Array) or (isinstance(type_, List) and names_memory(type_.item))


def with_layout(type_: Type, layout: str) -> Type:
    """The type of an array with another layout; any other type unchanged."""
    return Array(type_.dtype, type_.ndim, layout) if isinstance(type_, Array) else type_


def element(type_: Array) -> Scalar:
    """The type of an array's elements."""
    return Scalar(type_.dtype)


def contiguous(type_: Type | None) -> Type | None:
    """The type with contiguous arrays, which is the type of the adjoint."""
    return None if type_ is None else with_layout(type_, "C")
