"""The types that are known before Numba types the program: those of arguments and of values read from them."""

from __future__ import annotations

import ast
import operator

import numpy as np

from backsweep.frontend.constructs.dataclasses import dataclass_of
from backsweep.frontend.constructs.dicts import keys_of
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.ir.nodes import Const, Operand, Slice, Value
from backsweep.ir.types import INT, SLICES, Array, Fixed, Other, Scalar, Tuple, Type
from backsweep.reading.names import ATTRIBUTES, METHODS, wrap

NONE = Other("none")


def know_type(lowerer: Lowerer, value: Value, type_: Type, node: ast.AST) -> Operand:
    """Note the type of a value; read a tuple's items and a slice's parts, so that each of them is known.

    Returns the operand that replaces the value.
    """
    context = lowerer.context
    context.types[value] = type_
    if type_ == Scalar("bool"):
        context.booleans.add(value)
    if type_ in SLICES:
        parts = [lowerer.apply(getattr, (value, Const(part)), node, name=part) for part in SLICES[type_]]
        return Const(Slice(*parts))
    if not isinstance(type_, Tuple):
        return value
    items: list[Operand] = []
    for position, item in enumerate(type_.items):
        if item == NONE or isinstance(item, Fixed):
            items.append(wrap(item.value) if isinstance(item, Fixed) else Const(None))
            continue
        part = lowerer.apply(operator.getitem, (value, Const(position)), node)
        context.present.add(part)
        items.append(know_type(lowerer, part, item, node))
    keys = keys_of(type_.cls)
    if keys is not None:
        return Const(dict(zip(keys, items, strict=True)))
    if type_.cls is list:
        return lowerer.make_tuple(tuple(items), node, as_list=True)
    context.elements[value] = tuple(items)
    if type_.names:
        context.fields[value] = type_.names
    if type_.cls is not None:
        context.classes[value] = type_.cls
    return value


def known_attribute(lowerer: Lowerer, base: Value, name: str, node: ast.AST) -> Operand | None:
    """The value of `base.name` if lowering knows it: `ndim`, `shape` or `_fields`; else None."""
    type_ = lowerer.context.types.get(base)
    if name == "_fields" and base in lowerer.context.fields:
        return Const(lowerer.context.fields[base])
    if not isinstance(type_, Array):
        return None
    if name == "ndim":
        return Const(type_.ndim)
    if name == "shape":
        shape = lowerer.apply(np.shape, (base,), node)
        know_type(lowerer, shape, Tuple((INT,) * type_.ndim), node)
        return shape
    return None


def is_instance(lowerer: Lowerer, operand: Operand, classes: tuple[type, ...]) -> bool | None:
    """Whether a value is an instance of one of the classes; None if its type is not known yet."""
    if isinstance(operand, Const):
        return isinstance(slice(None) if isinstance(operand.value, Slice) else operand.value, classes)
    context = lowerer.context
    if operand in context.classes:
        cls = context.classes[operand]
        return issubclass(dataclass_of(cls) or cls, classes)
    if operand in context.elements:
        return issubclass(list if operand in context.lists else tuple, classes)
    type_ = context.types.get(operand)
    return None if type_ is None else issubclass(_python_class(type_), classes)


def _python_class(type_: Type) -> type:
    """The Python class of values of the type; a float64 is a Python float, as in Numba."""
    match type_:
        case Array():
            return np.ndarray
        case Scalar("float64"):
            return float
        case Scalar("int64"):
            return int
        case Scalar("bool"):
            return bool
        case Scalar("complex128"):
            return complex
        case Scalar(dtype):
            found: type = getattr(np, dtype)
            return found
        case Tuple(cls=cls):
            return tuple if cls is None else dataclass_of(cls) or cls
        case _:
            return object


def has_attribute(lowerer: Lowerer, operand: Operand, name: str) -> bool | None:
    """Whether a value has an attribute; None if its type is not known yet."""
    if isinstance(operand, Const):
        return hasattr(operand.value, name)
    if operand in lowerer.context.fields and name in lowerer.context.fields[operand]:
        return True
    type_ = lowerer.context.types.get(operand)
    if type_ is None:
        return None
    return hasattr(_python_class(type_), name) or (
        isinstance(type_, Array) and name in {*ATTRIBUTES, *METHODS}
    )
