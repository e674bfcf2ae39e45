"""Lower calls of Numba's intrinsics that make tuples: what they give is known while compiling."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from backsweep.frontend.calls.primitives import primitive
from backsweep.frontend.context.lowerer import Keywords, Lowerer, Special
from backsweep.frontend.context.scope import KnownTuple, known_elements
from backsweep.ir.nodes import Const, Operand, Slice

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
