"""Resolve names and attributes while compiling, and decide which functions are primitives."""

from __future__ import annotations

import enum
import functools
import inspect
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from backsweep.ir.nodes import Const, Member, Operand, Slice, Undefined, Value
from backsweep.rules.declare import lookup
from backsweep.runtime.support.python_calls import is_opaque

#: Functions of these modules are never inlined: they have rules or are refused.
PRIMITIVE_MODULES = (
    "numpy",
    "scipy",
    "math",
    "cmath",
    "operator",
    "_operator",
    "builtins",
    "random",
    "backsweep.runtime",
)

#: Methods of arrays and numbers, with the NumPy functions of the same meaning and keywords.
METHODS: Mapping[str, Callable[..., Any]] = {
    **{
        name: getattr(np, name)
        for name in [
            "sum",
            "mean",
            "prod",
            "max",
            "min",
            "ravel",
            "transpose",
            "dot",
            "conj",
            "conjugate",
            "argmax",
            "argmin",
            "cumsum",
            "cumprod",
            "std",
            "var",
            "trace",
            "all",
            "any",
            "clip",
            "argsort",
            "argpartition",
            "put",
            "round",
            "diagonal",
            "repeat",
            "take",
            "swapaxes",
            "squeeze",
            "searchsorted",
            "ptp",
            "nonzero",
            "reshape",
            "choose",
        ]
    },
    # np.copy keeps the layout of a transposed array, the method does not.
    "copy": np.ndarray.copy,
    "astype": np.ndarray.astype,
    "item": np.ndarray.item,
}

#: Attributes of arrays and numbers, with the NumPy functions that compute them.
ATTRIBUTES: Mapping[str, Callable[..., Any]] = {
    "shape": np.shape,
    "size": np.size,
    "ndim": np.ndim,
    "T": np.transpose,
    "real": np.real,
    "imag": np.imag,
    "flat": np.ravel,
}

_MISSING = object()


def lookup_name(name: str, *scopes: Mapping[str, object]) -> Operand | None:
    """The object that the name means in the first scope that has it."""
    for scope in scopes:
        if name in scope:
            return wrap(scope[name], name)
    return None


def wrap(thing: object, name: str = "") -> Operand:
    """The operand for an object; data keeps the name under which the user's module knows it."""
    if isinstance(thing, Value | Const):
        return thing
    if isinstance(thing, enum.Enum) and isinstance(thing, int):
        return Member(int(thing), member=thing)
    cast = numba_type(thing)
    if cast is not None:
        return Const(cast)
    if isinstance(thing, slice):
        parts = (thing.start, thing.stop, thing.step)
        return Const(Slice(*(None if part is None else wrap(part) for part in parts)))
    return Const(thing, name if is_data(thing) and thing is not None else "")


def is_data(thing: object) -> bool:
    """Whether the object is a value that a program computes with, not a function, class or module."""
    if isinstance(thing, tuple):
        return all(map(is_data, thing))
    plain = bool | int | float | complex | str | bytes | np.generic | np.ndarray | Undefined
    return thing is None or isinstance(thing, plain)


def is_primitive(thing: object) -> bool:
    """Whether calls of the object stay `Apply` nodes: it is a library function or has a derivative rule."""
    if isinstance(thing, np.ufunc) or has_rule(thing) or is_opaque(thing):
        return True
    if is_kernel(thing):
        return False
    if isinstance(thing, type) and issubclass(thing, np.generic | bool | int | float | complex | np.dtype):
        return not isinstance(thing, enum.EnumMeta)
    if isinstance(thing, functools.partial) or (isinstance(thing, type) and not _library(thing)):
        return False
    if isinstance(thing, types.BuiltinMethodType):
        owner = getattr(thing, "__self__", None)
        if owner is not None and not isinstance(owner, types.ModuleType):
            return _in_library(type(owner).__module__)
    return callable(thing) and _library(thing)


def is_kernel(thing: object) -> bool:
    """Whether the object is a runtime function without a rule, which is inlined from its source."""
    module = getattr(thing, "__module__", None) or ""
    return module.startswith("backsweep.runtime.") and hasattr(thing, "is_kernel")


def is_namedtuple(thing: object) -> bool:
    """Whether the object is a namedtuple class."""
    return isinstance(thing, type) and issubclass(thing, tuple) and hasattr(thing, "_fields")


def is_range(thing: object) -> bool:
    """Whether the object is `range` or Numba's `prange`."""
    module = getattr(thing, "__module__", None) or ""
    return thing is range or (getattr(thing, "__name__", "") == "prange" and module.startswith("numba"))


def is_typed_list(thing: object) -> bool:
    """Whether the object is Numba's `typed.List`, or its `empty_list`."""
    return _is_typed(thing, "List", "empty_list")


def is_typed_dict(thing: object) -> bool:
    """Whether the object is Numba's `typed.Dict`, or its `empty`."""
    return _is_typed(thing, "Dict", "empty")


def _is_typed(thing: object, name: str, maker: str) -> bool:
    made = getattr(thing, "__self__", thing) if getattr(thing, "__name__", "") == maker else thing
    module = getattr(made, "__module__", None) or ""
    return isinstance(made, type) and made.__name__ == name and module.startswith("numba.typed")


def is_literal_request(thing: object) -> bool:
    """Whether the object is Numba's `literally` or `literal_unroll`, which return what they are given."""
    module = getattr(thing, "__module__", None) or ""
    return getattr(thing, "__name__", "") in ("literally", "literal_unroll") and module.startswith("numba")


def numba_type(thing: object) -> type[np.generic] | None:
    """The NumPy scalar type for a Numba number type such as `numba.float64`, which programs call as a cast."""
    module = type(thing).__module__
    if module.startswith("numba.core.types"):
        found = getattr(np, getattr(thing, "name", ""), None)
        return found if isinstance(found, type) and issubclass(found, np.generic) else None
    return None


def attribute(thing: object, name: str) -> Const | None:
    """The attribute of a module, class or other compile-time object; None if it has none of that name."""
    found = getattr(thing, name, _MISSING)
    if found is _MISSING:
        return None
    if isinstance(thing, np.finfo | np.iinfo) and isinstance(found, np.float64):
        return Const(float(found))
    if isinstance(found, enum.Enum) and isinstance(found, int):
        return Member(int(found), member=found)
    return Const(numba_type(found) or found)


def _library(thing: object) -> bool:
    module = getattr(thing, "__module__", None)
    if module is None:
        if isinstance(thing, types.FunctionType):
            return False  # made by exec in globals without a `__name__`
        module = type(thing).__module__
    return _in_library(module)


def is_from_library(thing: object) -> bool:
    """Whether the object is a module, a function or a class of NumPy, SciPy or the standard library, which nobody replaces."""
    if isinstance(thing, types.ModuleType):
        return _in_library(thing.__name__)
    if type(thing) is types.MethodType or not (
        isinstance(thing, np.ufunc) or has_static(thing, "__qualname__")
    ):
        return False  # the caller has made it, as a spline or a polynomial
    return callable(thing) and _library(thing)


def has_static(thing: object, name: str) -> bool:
    """Whether an object has an attribute, but for what `__getattr__` of its class makes up."""
    return inspect.getattr_static(thing, name, None) is not None


def _in_library(module: str) -> bool:
    return any(module == root or module.startswith(root + ".") for root in PRIMITIVE_MODULES)


def is_own(thing: object) -> bool:
    """Whether the object is a function of Backsweep's runtime, which passes know."""
    return (getattr(thing, "__module__", None) or "").startswith("backsweep.")


def has_rule(thing: object) -> bool:
    """Whether a rule is declared for the object."""
    try:
        hash(thing)
    except TypeError:
        return False
    return bool(lookup(thing))
