"""The types that are known before Numba types the program: those of arguments and of values read from them."""

from __future__ import annotations

import ast
import operator
import types
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from backsweep.diagnostics import UnsupportedError
from backsweep.frontend.constructs.dicts import keys_of
from backsweep.frontend.context.dataclasses import dataclass_of
from backsweep.frontend.context.heap import virtual
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.context.operators import BINARY, UNARY
from backsweep.frontend.context.rounds import Waiting
from backsweep.frontend.context.scope import Context, KnownTuple, is_undefined, known_elements, known_items
from backsweep.frontend.context.tables import NUMBERS
from backsweep.ir.nodes import Apply, Const, Load, Member, Operand, Slice, Tap, Value
from backsweep.ir.operations import Kind, operation
from backsweep.ir.types import FLOAT, INT, NONE, RANDOM, SLICES, Array, Fixed, Other, Scalar, Tuple, Type
from backsweep.ir.walk import operands
from backsweep.reading.names import wrap
from backsweep.runtime.support.marks import type_asked
from backsweep.typing.typing_cache import type_of_result

UNKNOWN = Other("unknown")
"""The type of a value that Numba cannot type."""
DECISIVE = ("ndim", "shape", "dtype")
"""The attributes by which implementations choose what they do."""


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
    items = _items(lowerer, value, type_, node)
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


def _items(lowerer: Lowerer, value: Value, type_: Tuple, node: ast.AST) -> list[Operand]:
    """The items of a tuple, read here."""
    items: list[Operand] = []
    for position, item in enumerate(type_.items):
        if item == NONE or isinstance(item, Fixed):
            items.append(wrap(item.value) if isinstance(item, Fixed) else Const(None))
            continue
        part = lowerer.apply(operator.getitem, (value, Const(position)), node)
        lowerer.context.present.add(part)
        if position < len(type_.names):
            lowerer.context.field_names[part] = (value.name, type_.names[position])
        items.append(know_type(lowerer, part, item, node))
    return items


def asked_items(lowerer: Lowerer, operand: Operand, node: ast.AST) -> tuple[Operand, ...] | None:
    """The items of a computed tuple, whose number its type tells, as in `*a.shape[1:]`; None for what is no tuple.

    They are read where they are asked for: a branch that read them before may not have run.
    """
    if not isinstance(operand, Value) or operand in lowerer.context.growing:
        return None
    type_ = asked_type(lowerer, operand, node)
    return tuple(_items(lowerer, operand, type_, node)) if isinstance(type_, Tuple) else None


NAMED_ITEMS: Mapping[Any, tuple[str, ...]] = {
    np.linalg.eig: ("eigenvalues", "eigenvectors"),
    np.linalg.eigh: ("eigenvalues", "eigenvectors"),
    np.linalg.qr: ("Q", "R"),
    np.linalg.slogdet: ("sign", "logabsdet"),
    np.linalg.svd: ("U", "S", "Vh"),
}
"""What NumPy calls the items of tuples that its functions give; Numba gives tuples without names."""


def named_item(lowerer: Lowerer, base: Operand, name: str, node: ast.AST) -> Operand | None:
    """The item `base.name` of the tuple that a function of NumPy gives; None for anything else."""
    function: Any = None
    source: Operand | None = base
    while isinstance(source, Value):
        made = lowerer.context.builder.made.get(source)
        of = made.function if isinstance(made, Apply) else None
        if isinstance(made, Apply) and isinstance(of, Tap):
            source = made.operands[0]
            continue
        function = lowerer.context.given_by.get(source, of)
        source = None
    names = NAMED_ITEMS.get(function, ()) if isinstance(function, Hashable) else ()
    if name not in names or not isinstance(asked_type(lowerer, base, node), Tuple):
        return None
    return lowerer.apply(operator.getitem, (base, Const(names.index(name))), node)


def items_to_slice(lowerer: Lowerer, operand: Operand, node: ast.AST) -> tuple[Operand, ...] | None:
    """The items of a computed tuple of which a part is read: of a shape, or of what a library function gives.

    The types of library functions' results are not asked for: most of them are arrays.
    """
    source = operand
    while isinstance(source, Value) and isinstance(made := lowerer.context.builder.made.get(source), Apply):
        if not isinstance(made.function, Tap):
            break
        source = made.operands[0]
    else:
        return None
    is_shape = made.function is np.shape
    if not is_shape and operation(made.function).kind is not Kind.OTHER:
        return None
    is_tuple = is_shape or isinstance(local_type(lowerer.context, operand), Tuple)
    return asked_items(lowerer, operand, node) if is_tuple else None


def known_attribute(lowerer: Lowerer, base: Value, name: str, node: ast.AST) -> Operand | None:
    """The value of `base.name` if lowering knows it: `ndim`, `shape` or `_fields`; else None."""
    type_ = lowerer.context.types.get(base)
    if name == "_fields" and base in lowerer.context.fields:
        return Const(lowerer.context.fields[base])
    if type_ is None and (name == "ndim" or (name in DECISIVE and is_implementation(lowerer))):
        type_ = asked_type(lowerer, base, node)
    if name in ("dtype", "itemsize", "nbytes"):
        number = type_ or local_type(lowerer.context, base)
        if isinstance(number, Scalar):
            dtype = np.dtype(number.dtype)
            return Const(dtype if name == "dtype" else dtype.itemsize)
    if base in lowerer.context.dtypes and name in ("type", "kind", "itemsize", "name"):
        of = asked_type(lowerer, lowerer.context.dtypes[base], node)
        return Const(getattr(np.dtype(of.dtype), name)) if isinstance(of, Array | Scalar) else None
    if name == "flat":
        return _flat(lowerer, base, node)
    if name == "dtype":
        if isinstance(type_, Array | Scalar) and is_implementation(lowerer):
            return Const(np.dtype(type_.dtype))
        asked = lowerer.apply(getattr, (base, Const(name)), node)
        lowerer.context.dtypes[asked] = base
        return asked
    if name == "ndim" and isinstance(type_, Scalar):
        return Const(0)
    if not isinstance(type_, Array):
        return None
    if name == "ndim":
        return Const(type_.ndim)
    if name == "shape":
        shape = lowerer.apply(np.shape, (base,), node)
        know_type(lowerer, shape, Tuple((INT,) * type_.ndim), node)
        return shape
    return None


def _flat(lowerer: Lowerer, base: Value, node: ast.AST) -> Operand | None:
    """`base.flat`: the array itself if it has one axis, else a view of it in one axis.

    Where there is no such view, it is a copy, which `flats` notes: it must be neither written nor kept.
    """
    type_ = asked_type(lowerer, base, node)
    if isinstance(type_, Array) and type_.ndim == 1:
        return base
    found = lowerer.apply(np.ravel, (base,), node)
    if not isinstance(type_, Array) or type_.layout != "C":
        lowerer.context.flats.add(found)
    return found


def asked_type(lowerer: Lowerer, operand: Operand, node: ast.AST) -> Type:
    """The type of an operand; `UNKNOWN` if it cannot be known.

    A type that is not known yet is asked for: this round leaves out the statement that needs it.
    """
    context = lowerer.context
    known = local_type(context, operand)
    if known is not None or isinstance(operand, Const):
        return known or UNKNOWN
    assert isinstance(operand, Value)
    place = context.expansions.place(lowerer.loc(node))
    found = context.expansions.known.get(place)
    if isinstance(found, Type):
        know_type(lowerer, operand, found, node)
        context.expansions.assumed[operand] = found
        return found
    asked = lowerer.builder.apply(type_asked, operand, loc=lowerer.loc(node))
    context.expansions.waiting[asked] = Waiting(place, type_asked, {}, (operand,))
    raise UnsupportedError(())


def is_given(lowerer: Lowerer, operand: Operand, node: ast.AST) -> bool:
    """Whether a value is known to be a number or an array, and not None; in the prelude its type is asked for."""
    if lowerer.context.is_list(operand):
        return False
    is_asked = lowerer.frame.fixed is not None
    type_ = asked_type(lowerer, operand, node) if is_asked else local_type(lowerer.context, operand)
    return isinstance(type_, Scalar | Array)


DEEPEST = 100
"""The longest chain of computed values along which types are followed."""


def local_type(context: Context, operand: Operand, depth: int = 0) -> Type | None:
    """The type of an operand that follows from the types of what it is computed of; None if it does not."""
    if isinstance(operand, Const):
        return _type_of_constant(operand.value)
    if operand in context.types:
        return context.types[operand]
    node = context.builder.made.get(operand)
    if node is None or depth > DEEPEST:
        return None

    def type_of(part: Operand) -> Type | None:
        return local_type(context, part, depth + 1)

    found: Type | None
    if isinstance(node, Apply) and isinstance(node.function, Tap):
        found = type_of(node.operands[0])
    elif isinstance(node, Apply) and node.function is tuple:
        items = [type_of(part) for part in node.operands]
        found = Tuple(tuple(item for item in items if item is not None)) if None not in items else None
    else:
        parts = [part for part in operands(node) if isinstance(part, Value)]
        found = None if any(type_of(part) is None for part in parts) else type_of_result(node, type_of)
    if found is not None:
        context.types[operand] = found
    return found


ELEMENTWISE = frozenset({*BINARY.values(), *UNARY.values()} - {operator.matmul, operator.not_})
"""Operators whose result is an array if an operand is one."""


MAKES_ARRAYS: frozenset[Any] = frozenset(
    [np.outer, np.array, np.zeros, np.ones, np.full, np.eye, np.arange, np.linspace, np.kron]
)
"""Functions that never give a number."""


def holds_array(context: Context, operand: Operand, depth: int = 0) -> bool:
    """Whether an operand is certainly an array, also where not all types of what it is computed of are known."""
    type_ = local_type(context, operand)
    if type_ is not None or isinstance(operand, Const) or depth > DEEPEST:
        return isinstance(type_, Array)
    match context.builder.made.get(operand):
        case Apply(function=function) if function in MAKES_ARRAYS:
            return True
        case Apply(function=operator.matmul, operands=of):
            kinds = [local_type(context, each) for each in of]
            return any(isinstance(kind, Array) and kind.ndim > 1 for kind in kinds)
        case Apply(function=function, operands=of) if function in ELEMENTWISE or isinstance(
            function, np.ufunc | Tap
        ):
            return any(holds_array(context, each, depth + 1) for each in of)
        case Load(buffer=buffer, index=index):
            base = local_type(context, buffer)
            return isinstance(base, Array) and base.ndim > len(index)
        case _:
            return False


def _type_of_constant(value: object) -> Type | None:
    """The type of a constant; None if it is neither number nor array nor a tuple of these."""
    if isinstance(value, tuple):
        items = [_type_of_constant(item) for item in value]
        return Tuple(tuple(item for item in items if item is not None)) if None not in items else None
    found = context_free_type(value)
    return None if found is UNKNOWN else found


def context_free_type(value: object) -> Type:
    """The type of a constant, as far as it is that of a number or an array."""
    match value:
        case bool():
            return Scalar("bool")
        case int():
            return INT
        case float() if type(value) is float:
            return FLOAT
        case complex() if type(value) is complex:
            return Scalar("complex128")
        case np.generic():
            return Scalar(str(value.dtype))
        case np.ndarray():
            return Array(str(value.dtype), value.ndim)
        case None:
            return NONE
        case _:
            return UNKNOWN


def class_of(lowerer: Lowerer, operand: Operand, node: ast.AST) -> type | None:
    """The Python class of an operand, as `type` gives it; None if it is not known."""
    if (thing := virtual(operand)) is not None:
        return thing.python_class
    if isinstance(operand, Member):
        return type(operand.thing)
    if isinstance(operand, Value) and operand in lowerer.context.classes:
        cls = lowerer.context.classes[operand]
        return dataclass_of(cls) or cls
    if isinstance(operand, Value) and operand in lowerer.context.elements:
        return list if operand in lowerer.context.lists else tuple
    type_ = asked_type(lowerer, operand, node)
    return _python_class(type_) if isinstance(type_, Scalar | Array | Tuple) else None


def dtype_of(lowerer: Lowerer, operand: Operand, node: ast.AST) -> np.dtype[Any] | None:
    """The dtype that an operand is or names, as `np.finfo` takes it; None if it is none, or not known."""
    if isinstance(operand, Value):
        base = lowerer.context.dtypes.get(operand, operand)
        type_ = asked_type(lowerer, base, node)
        return np.dtype(type_.dtype) if isinstance(type_, Scalar | Array) else None
    if isinstance(operand.value, type | np.dtype | str):
        return np.dtype(operand.value)
    return np.asarray(operand.value).dtype if isinstance(operand.value, float | complex | int) else None


def is_implementation(lowerer: Lowerer) -> bool:
    """Whether the text that is lowered implements a library function, so that types decide its branches."""
    source = lowerer.frame.source
    return source is not None and bool(source.called)


def known_length(lowerer: Lowerer, operand: Operand) -> int | None:
    """The length of a text, and of known items that have no name of the user's; in text of ours of these and of constant arrays, too."""
    if not isinstance(operand, Const):
        parts = known_elements(lowerer.context, operand)
        return None if parts is None else len(parts)
    source = lowerer.frame.source
    is_ours = lowerer.frame.fixed is not None or (
        source is not None and hasattr(source.function, "is_kernel")
    )
    if isinstance(operand.value, str) or (isinstance(operand.value, np.ndarray) and is_ours):
        return len(operand.value)
    parts = known_items(lowerer.context, operand)
    if parts is None:
        return None
    is_read = all(isinstance(part, Const) and isinstance(part.value, NUMBERS) for part in parts)
    is_named = operand.name and is_read and not is_ours
    return None if is_named and not is_implementation(lowerer) else len(parts)


def is_instance(lowerer: Lowerer, operand: Operand, classes: tuple[type, ...]) -> bool | None:
    """Whether a value is an instance of one of the classes; None if its type is not known yet."""
    if (thing := virtual(operand)) is not None:
        return issubclass(thing.cls, classes) or issubclass(thing.python_class, classes)
    if isinstance(operand, Const) and isinstance(operand.value, KnownTuple):
        return issubclass(list if operand.value.is_list else tuple, classes)
    if isinstance(operand, Const):
        return isinstance(slice(None) if isinstance(operand.value, Slice) else operand.thing, classes)
    context = lowerer.context
    if operand in context.classes:
        cls = context.classes[operand]
        return issubclass(dataclass_of(cls) or cls, classes)
    if operand in context.elements:
        return issubclass(list if operand in context.lists else tuple, classes)
    if context.is_list(operand):
        return issubclass(tuple if operand in context.tuples else list, classes)
    type_ = context.types.get(operand)
    of = None if type_ is None else _python_class(type_)
    if of is None or issubclass(of, classes):
        return None if of is None else True
    # a number of compiled code may be one of Python's or one of NumPy's there
    is_open = isinstance(type_, Scalar) and issubclass(np.dtype(type_.dtype).type, classes)
    return None if is_open else False


def _python_class(type_: Type) -> type | None:
    """The Python class of values of the type, if it is known; a float64 is a Python float, as in Numba."""
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
        case Other("none"):
            return type(None)
        case Other("unicode_type"):
            return str
        case _:
            return np.random.Generator if type_ == RANDOM else None


def has_attribute(lowerer: Lowerer, operand: Operand, name: str) -> bool | None:
    """Whether a value has an attribute; None if its type is not known yet."""
    if (thing := virtual(operand)) is not None:
        record = lowerer.context.objects.heap.records.get(thing, {})
        if name in record:
            return not is_undefined(record[name])
        is_slot = isinstance(getattr(thing.python_class, name, None), types.MemberDescriptorType)
        is_there = hasattr(thing.python_class, name) and not is_slot
        return None if not is_there and hasattr(thing.cls, "__getattr__") else is_there
    if isinstance(operand, Const):
        return hasattr(operand.thing, name)
    if lowerer.context.is_list(operand):
        return hasattr(tuple if operand in lowerer.context.tuples else list, name)
    if operand in lowerer.context.fields and name in lowerer.context.fields[operand]:
        return True
    type_ = lowerer.context.types.get(operand)
    if type_ is None:
        return None
    return hasattr(_python_class(type_), name)


def is_number_of_numpys(lowerer: Lowerer, operand: Operand, name: str) -> bool:
    """Whether only NumPy's numbers have an attribute, and the operand is a computed number, which may be one in Python."""
    type_ = local_type(lowerer.context, operand)
    made = lowerer.context.builder.made.get(operand) if isinstance(operand, Value) else None
    if made is None or not isinstance(type_, Scalar):
        return False
    if isinstance(made, Apply) and made.function in (
        operator.getitem,
        getattr,
    ):  # an item of an argument is what was given
        return False
    return hasattr(_python_class(type_), name) != hasattr(getattr(np, type_.dtype, np.bool_), name)
