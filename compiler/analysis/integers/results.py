"""The shapes that library functions return, inferred from the shapes of their operands."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from backsweep.analysis.integers.affine import ONE, Affine, Shape, literal
from backsweep.ir.nodes import Apply, Callee, Const, Node, Operand, Value
from backsweep.ir.operations import Kind, kind, operation
from backsweep.ir.typed import type_of
from backsweep.ir.types import Array, Scalar, Tuple, Type

Known = Callable[[Operand | None], Shape | None]
Counted = Callable[[Operand], Affine | None]
Surely = Callable[[Affine], bool]


def shape_returned(
    node: Apply, definitions: Mapping[Value, Node], known: Known, counted: Counted, surely: Surely
) -> Shape | None:
    """The shape of the array that a library function returns, or an item of what it returns; None if its operands' shapes do not determine it.

    What is `counted` by an operand is None where it may be no count, and `surely` tells what is proved not to be negative.
    """
    made = _item_of(node, definitions)
    call, number = (node, 0) if made is None else made
    of_results = _by_signature(call, known, counted, surely)
    found = _of_array(node, known, counted) if of_results is None else of_results[number]
    assert isinstance(node.result.type, Array)
    return found if found and len(found) == node.result.type.ndim else None


def _item_of(node: Apply, definitions: Mapping[Value, Node]) -> tuple[Apply, int] | None:
    """The call of whose several results a node takes one, and its number; None for any other node."""
    if node.function is not operator.getitem or not isinstance(type_of(node.operands[0]), Tuple):
        return None
    whole, position = node.operands[:2]
    made = definitions.get(whole) if isinstance(whole, Value) else None
    return (made, position.value) if isinstance(made, Apply) and isinstance(position, Const) else None


def _by_signature(node: Apply, known: Known, counted: Counted, surely: Surely) -> list[Shape | None] | None:
    """The shapes of a call's results by the first signature that fits; None if none does."""
    given: list[tuple[str, Operand]] = [("", operand) for operand in node.operands] + list(node.keywords)
    for signature in operation(node.function).shapes:
        taken, returned = (_TOKEN.findall(side) for side in signature.split("->"))
        bound: dict[str, Affine] = {}
        if len(taken) == len(given) and all(
            _binds(token, name, operand, bound, known, counted)
            for token, (name, operand) in zip(taken, given, strict=True)
        ):
            return [_shape_of(token, bound, surely) for token in returned]
    return None


def undecided(node: Apply, known: Known, counted: Counted, surely: Surely) -> list[Affine]:
    """The differences of extents whose signs would tell which is the smaller one, and so a shape that is not known."""
    asked: list[Affine] = []

    def noted(length: Affine) -> bool:
        is_sure = surely(length)
        asked.extend([] if is_sure else [length])
        return is_sure

    of_results = _by_signature(node, known, counted, noted) or []
    return asked if None in of_results else []


_TOKEN = re.compile(r"\([^)]*\)|[^,]+")


def _binds(
    token: str, name: str, operand: Operand, bound: dict[str, Affine], known: Known, counted: Counted
) -> bool:
    """Whether an operand is as a signature says: an array, a literal, a count or anything, `?`; the names of its extents are bound."""
    if name:
        wanted, _, token = token.rpartition("=")
        if wanted != name:
            return False
    if token.startswith("("):
        shape, names = known(operand), token[1:-1].split(",")
        if shape is None or len(shape) != len(names):
            return False
        for each, extent in zip(names, shape, strict=True):
            bound.setdefault(each, extent)
        return True
    if token.isidentifier() and token not in ("True", "False"):
        count = counted(operand)
        bound.update({} if count is None else {token: count})
        return count is not None
    return token == "?" or (isinstance(operand, Const) and repr(operand.value) == token)  # noqa: S105


def _shape_of(token: str, bound: Mapping[str, Affine], surely: Surely) -> Shape | None:
    """The shape that a signature says of a result; None if one of its extents is not known."""
    found = [_extent_of(each, bound, surely) for each in token[1:-1].split(",") if each]
    return None if None in found else tuple(each for each in found if each is not None)


def _extent_of(text: str, bound: Mapping[str, Affine], surely: Surely) -> Affine | None:
    """An extent, the smaller of two, their sum or their product, if that is linear."""
    for sign in "|+*":
        one, _, other = text.partition(sign)
        if not other:
            continue
        left, right = (_extent_of(each, bound, surely) for each in (one, other))
        if left is None or right is None:
            return None
        if sign == "+":
            return left + right
        if sign == "|":
            return left if surely(right - left) else right if surely(left - right) else None
        number, length = (left, right) if not left.terms else (right, left)
        return None if number.terms else length.scale(number.const)
    return bound.get(text)


def _of_array(node: Apply, known: Known, counted: Counted) -> Shape | None:
    """The shape of the array that a function returns without a signature."""
    assert isinstance(node.result.type, Array)
    operands, shapes = node.operands, [known(operand) for operand in node.operands]
    first = shapes[0] if shapes else None
    position = _position(node)
    if position is not None:
        is_operand = position < len(shapes) and "shape" not in dict(node.keywords)
        found = shapes[position] if is_operand else None
    elif kind(node.function) is Kind.SCAN or node.function is np.ravel:
        is_flat = first is not None and node.result.type.ndim < len(first)
        found = _flattened(first) if first and is_flat else first
    elif kind(node.function) is Kind.PRODUCT:
        found = _of_product(shapes) if len(shapes) > 1 else None
    elif node.function is np.transpose:
        found = first[::-1] if first and len(operands) == 1 else None
    elif node.function is operator.getitem:
        found = (*shapes[1], *first[1:]) if first and shapes[1] else None
    elif kind(node.function) is Kind.REDUCTION:
        found = _without_axis(node, first) if first else None
    elif node.function is np.expand_dims:
        found = _with_axis(first, operands[1]) if first and len(operands) > 1 else None
    elif node.keywords and any(name != "dtype" for name, _ in node.keywords):
        found = None
    elif node.function is np.array:
        counts = _of_numbers(type_of(operands[0])) if operands else None
        found = tuple(map(Affine, counts)) if counts else None
    elif node.function is np.arange:
        found = _of_count(_of_steps(operands, counted))
    elif (place := operation(node.function).along) is not None:
        length = operation(node.function).length
        extent = ONE if length is None else counted(operands[length])
        found = _with_extent(first, operands[place], extent) if first else None
    elif (at := operation(node.function).length) is not None:
        found = _of_count(counted(operands[at])) if len(operands) > at else None
    elif node.function is np.diff and len(operands) == 1 and first and not first[-1].terms:
        found = (*first[:-1], Affine(max(first[-1].const - 1, 0)))
    elif node.function is np.diag and len(operands) == 1:
        found = _of_diagonal(first) if first else None
    else:
        found = None
    return found


def operand_alike(node: Apply, definitions: Mapping[Value, Node]) -> Value | None:
    """The array of which a call's result, or an item of it, is the new contents, as a callee left it, or whose shape it has."""
    is_item = node.function is operator.getitem and isinstance(type_of(node.operands[0]), Tuple)
    made = _item_of(node, definitions)
    if is_item and made is None:
        return None
    call, number = made or (node, 0)
    if isinstance(call.function, Callee):
        result = call.function.result
        count = len(result.items) if isinstance(result, Tuple) else 1
        place = number - (count - len(call.function.changed))
        same = call.function.changed[place] if place >= 0 else call.function.alike.get(number)
    else:
        same = operation(call.function).shaped_like if is_item and number == 0 else None
    array = None if same is None else call.operands[same]
    return array if isinstance(array, Value) else None


def _position(node: Apply) -> int | None:
    """The position of the operand whose shape the result has, if there is such an operand."""
    return operation(node.function).shaped_like


def _of_product(shapes: list[Shape | None]) -> Shape | None:
    left, right = shapes[:2]
    return None if left is None or right is None else (*left[:-1], *(right[1:] if len(right) > 1 else ()))


def _without_axis(node: Apply, shape: Shape) -> Shape | None:
    """The shape after a reduction along an axis that is a literal."""
    axis = dict(node.keywords).get("axis", node.operands[1] if len(node.operands) > 1 else None)
    if not isinstance(axis, Const) or type(axis.value) is not int:
        return None
    place = axis.value % len(shape)
    return (*shape[:place], *shape[place + 1 :])


def _of_numbers(type_: Type | None) -> tuple[int, ...] | None:
    """The lengths of a tuple of numbers, or of tuples of one length, by its type."""
    if not isinstance(type_, Tuple):
        return () if isinstance(type_, Scalar) else None
    inner = {_of_numbers(item) for item in type_.items}
    (counts,) = inner if len(inner) == 1 else (None,)
    return None if counts is None else (len(type_.items), *counts)


def _of_count(count: Affine | None) -> Shape | None:
    return None if count is None else (count,)


def _flattened(shape: Shape) -> Shape | None:
    """The shape of all entries in a row, if their number is known."""
    return (
        None
        if any(extent.terms for extent in shape)
        else (Affine(math.prod(extent.const for extent in shape)),)
    )


def _of_steps(operands: Sequence[Operand], counted: Callable[[Operand], Affine | None]) -> Affine | None:
    """How many numbers `np.arange` makes: of literals as many as NumPy, else those from zero up to a count."""
    parts = [operand.value for operand in operands if isinstance(operand, Const)]
    if len(parts) == len(operands) and all(isinstance(part, int | float) for part in parts):
        start, stop, step = (*([0] if len(parts) == 1 else []), *parts, 1)[:3]
        count = (
            (stop - start) / step if step else math.nan
        )  # an array of so many may be too large to be made here
        return Affine(max(math.ceil(count), 0)) if math.isfinite(count) else None
    from_zero = len(operands) == 1 or (len(operands) == 2 and literal(operands[0]) == 0)
    return counted(operands[-1]) if from_zero else None


def _of_diagonal(shape: Shape) -> Shape | None:
    """The shape of a matrix with this diagonal, or of the diagonal of a square matrix."""
    square = len(shape) == 2 and shape[0] == shape[1]
    return shape[:1] if square else shape * 2 if len(shape) == 1 else None


def _with_extent(shape: Shape, axis: Operand, extent: Affine | None) -> Shape | None:
    """The shape with another extent along an axis that is a literal."""
    if extent is None or not isinstance(axis, Const) or type(axis.value) is not int:
        return None
    place = axis.value % len(shape)
    return (*shape[:place], extent, *shape[place + 1 :])


def _with_axis(shape: Shape, axis: Operand) -> Shape | None:
    """The shape with a new axis of length one, at a position that is a literal."""
    if not isinstance(axis, Const) or not isinstance(axis.value, int):
        return None
    place = axis.value if axis.value >= 0 else len(shape) + 1 + axis.value
    return (*shape[:place], ONE, *shape[place:])
