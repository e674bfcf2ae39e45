"""Calls of what is Numba's own: intrinsics that make tuples, known while compiling, and functions of `numba.cfunc`."""

from __future__ import annotations

import ast
from collections.abc import Mapping

import numpy as np

from backsweep.frontend.calls.primitives import primitive
from backsweep.frontend.constructs.kinds import asked_type
from backsweep.frontend.context.lowerer import Keywords, Lowerer, Special
from backsweep.frontend.context.scope import KnownTuple, known_elements
from backsweep.ir.nodes import Const, Operand, Slice
from backsweep.ir.types import Scalar
from backsweep.reading.functions import read_source

MOST_AXES = 32


def intrinsic_call(
    lowerer: Lowerer,
    function: object,
    name: str,
    args: tuple[Operand, ...],
    keywords: Keywords,
    node: ast.Call,
) -> Operand:
    """Lower a call of an `@intrinsic`; it stays a node unless it makes a tuple of known items."""
    special = _SPECIAL.get(name)
    if special is not None and not keywords:
        return special(lowerer, args, {"function": Const(function)}, node)
    return primitive(lowerer, function, args, keywords, node)


def check_cfunc(
    lowerer: Lowerer, function: object, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> None:
    """Refuse a call of a `numba.cfunc` with numbers of another kind than it declares, which compiled code does not convert."""
    (declared,) = read_source(function).declared
    given = [asked_type(lowerer, operand, node) for operand in args]
    wanted = [np.dtype(kind) if isinstance(kind, type) else None for kind in declared.arguments]
    fits = len(given) == len(wanted) and not keywords
    for type_, kind in zip(given, wanted, strict=False):
        fits = fits and (
            kind is None or (isinstance(type_, Scalar) and np.can_cast(type_.dtype, kind, "safe"))
        )
    if not fits:
        message = f"`{ast.unparse(node.func)}` is compiled for {declared.signature}, and is given arguments of other types"
        raise lowerer.refuse("BS113", message, node, "convert the arguments before the call")


def _setitem(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """`tuple_setitem(items, position, value)`: the tuple with another item."""
    items, position, value = args
    parts = known_elements(lowerer.context, items)
    if parts is None or not isinstance(position, Const) or not 0 <= position.value < len(parts):
        return _node(lowerer, args, keywords, node)
    changed = (*parts[: position.value], value, *parts[position.value + 1 :])
    return lowerer.make_tuple(changed, node)


def _full_slices(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """`build_full_slice_tuple(count)`: a tuple of as many `:`."""
    (count,) = args
    if not isinstance(count, Const) or not 0 < count.value <= MOST_AXES:
        return _node(lowerer, args, keywords, node)
    return Const(KnownTuple((Const(Slice()),) * count.value))


def _single(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """`unpack_single_tuple(items)`: the only item of a tuple, and a longer tuple itself."""
    parts = known_elements(lowerer.context, args[0])
    if parts is None:
        return _node(lowerer, args, keywords, node)
    return parts[0] if len(parts) == 1 else args[0]


def _node(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    function = keywords["function"]
    assert isinstance(function, Const)
    return primitive(lowerer, function.value, args, {}, node)


_SPECIAL: Mapping[str, Special] = {
    "numba.cpython.unsafe.tuple.tuple_setitem": _setitem,
    "numba.cpython.unsafe.tuple.build_full_slice_tuple": _full_slices,
    "numba.cpython.unsafe.tuple.unpack_single_tuple": _single,
}
