"""Lower subscripts: reading, writing and updating `base[index]`."""

from __future__ import annotations

import ast
import enum
from collections.abc import Callable
from typing import Any

import numpy as np

from backsweep.emit.syntax import SYMBOLS
from backsweep.frontend.arrays.from_lists import as_array
from backsweep.frontend.arrays.lookups import looked_up
from backsweep.frontend.constructs.custom import stopped
from backsweep.frontend.constructs.dicts import becomes_table, keys_of
from backsweep.frontend.constructs.iterate import check_whole, reversed_range
from backsweep.frontend.constructs.kinds import asked_type, items_to_slice, know_type
from backsweep.frontend.constructs.lists import GROWTH, deleted, item_of, joined, put, refuse_held
from backsweep.frontend.context.calls_in_try import Taken
from backsweep.frontend.context.counted import refuse_number, whole_number
from backsweep.frontend.context.heap import virtual
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.context.operators import BINARY, IN_PLACE
from backsweep.frontend.context.rounds import FoundChangeError, write_loops_out
from backsweep.frontend.context.scope import Cell, KnownTuple, Range, is_static, known_elements
from backsweep.frontend.context.tables import table
from backsweep.frontend.instances import lists as object_lists
from backsweep.frontend.instances.dicts import chosen, named
from backsweep.frontend.instances.items import by_item, place_to_change, put_into
from backsweep.frontend.instances.joining import holds_objects
from backsweep.frontend.instances.lists import is_object_list
from backsweep.frontend.instances.of_libraries import made_known
from backsweep.ir.effects import written_by
from backsweep.ir.nodes import (
    Append,
    Apply,
    Block,
    Const,
    Dots,
    Index,
    Load,
    NewAxis,
    Operand,
    Slice,
    Value,
    is_none,
)
from backsweep.ir.operations import operation
from backsweep.ir.types import Scalar, Tuple
from backsweep.ir.walk import walk
from backsweep.prelude.language import items as of_items
from backsweep.reading.names import wrap
from backsweep.runtime.support.marks import changed_to, kept_in, taken_away


def read(lowerer: Lowerer, node: ast.Subscript) -> Operand:
    """Lower `base[index]` as an expression."""
    if isinstance(node, Taken) and node.call in lowerer.context.made:
        return lowerer.context.made[node.call][1]
    base = made_known(lowerer, lowerer.lower(node.value), node.value)
    grid = _open_grid(lowerer, node.slice)
    if grid is None:
        return read_at(lowerer, base, index_of(lowerer, node.slice), node)
    for axis, part in enumerate(grid):
        positions = _index_items(lowerer, lowerer.lower(part), part, alone=len(grid) == 1)
        base = read_at(lowerer, base, (*[Slice(None, None, None)] * axis, *positions), node)
    return base


def _open_grid(lowerer: Lowerer, node: ast.expr) -> list[ast.expr] | None:
    """The positions for each axis where the subscript is a call of `np.ix_`; None for any other subscript."""
    if not isinstance(node, ast.Call) or node.keywords or not ast.unparse(node.func).endswith("ix_"):
        return None
    function = lowerer.lower(node.func)
    return list(node.args) if isinstance(function, Const) and function.value is np.ix_ else None


def read_at(lowerer: Lowerer, base: Operand, index: Index, node: ast.AST) -> Operand:
    """The element or part of `base` at an index; if `base` is a tuple with known parts, the part itself."""
    if (own := by_item(lowerer, base, "__getitem__", index, node)) is not None:
        return own
    if isinstance(base, Value) and [type(each.value) for each in index if isinstance(each, Const)] == [str]:
        kind = asked_type(lowerer, base, node)
        if isinstance(kind, Tuple) and keys_of(kind.cls) is not None:  # a derivative gave it for a dict
            base = know_type(lowerer, base, kind, node)
    parts = known_elements(lowerer.context, base)
    if isinstance(base, Const) and isinstance(base.value, str):
        parts = tuple(map(Const, base.value))
        number = whole_number(lowerer, index[0]) if isinstance(index[0], Value) else None
        index = index if number is None else (Const(number),)
    if parts is None and len(index) == 1 and isinstance(index[0], Slice):
        parts = items_to_slice(lowerer, base, node)
    if parts is not None and len(index) == 1:
        is_list = base in lowerer.context.lists or is_object_list(base)
        found = _known_part(lowerer, parts, index[0], node, as_list=is_list)
        if found is not None:
            return found
        if any(map(holds_objects, parts)):
            write_loops_out(lowerer.context.objects, lowerer.context.expansions)
        one_of = chosen(lowerer, parts, index[0], node) if is_list and isinstance(index[0], Value) else None
        if one_of is not None:
            return one_of
        if any(map(holds_objects, parts)):
            raise refuse_number(lowerer, node)
        if any(map(is_static, parts)):
            write_loops_out(lowerer.context.objects, lowerer.context.expansions)
    if isinstance(base, Const) and isinstance(base.value, dict | KnownTuple | list | str | bytes):
        key = index[0]
        if not isinstance(key, Const) or not base.value:
            becomes_table(lowerer.context, base, key)
        if isinstance(base.value, dict) and len(index) == 1 and isinstance(key, Const):
            if key.value in base.value:
                return wrap(base.value[key.value])
            remedy = f"it has {', '.join(map(repr, list(base.value)[:8]))}"
            raise lowerer.refuse("BS110", f"the dict has no key {key.value!r}", node, remedy)
        if isinstance(key, Value) and (answering := named(lowerer, base, node)) is not None:
            return read_at(lowerer, answering, index, node)
        message = "this object can only be indexed by a constant"
        remedy = "use an array, or a constant index"
        if isinstance(base.value, list) and len(index) == 1 and isinstance(key, Value):
            of_numbers = table(base.value, getattr(node, "value", node))
            if of_numbers is not None:
                return read_at(lowerer, of_numbers, index, node)
        if isinstance(base.value, dict) and len(index) > 1 and not any(isinstance(k, Slice) for k in index):
            key = lowerer.make_tuple(tuple(k for k in index if isinstance(k, Value | Const)), node)
        if isinstance(base.value, dict | list) and isinstance(key, Value):
            found_at = looked_up(lowerer, base, key, getattr(node, "value", node))
            if found_at is None:
                found_at = chosen(lowerer, base.value, key, node)
            if found_at is not None:
                return found_at
        write_loops_out(lowerer.context.objects, lowerer.context.expansions)
        if isinstance(base.value, list) and len(index) == 1 and isinstance(key, Value):
            message = "which item of this list is read depends on the run, and no array or tuple can stand for the list"
            remedy = "use an array, or a list of numbers or of rows of one length"
        raise lowerer.refuse("BS110", message, node, remedy)
    if isinstance(base, Const) and isinstance(base.value, enum.EnumMeta) and len(index) == 1:
        name = index[0].value if isinstance(index[0], Const) else None
        if isinstance(name, str) and name in base.value.__members__:
            return wrap(base.value[name])
    if isinstance(base, Const) and isinstance(base.value, Cell) and index in ((), (Dots(),)):
        return base.value.value
    if isinstance(base, Const) and isinstance(base.value, Range) and len(index) == 1:
        of_range = _of_range(lowerer, base, index[0], node)
        if of_range is not None:
            return of_range
    if isinstance(base, Const) and not isinstance(base.value, np.ndarray | tuple):
        what = getattr(base.value, "__name__", repr(base.value))
        raise lowerer.refuse("BS110", f"`{what}` cannot be indexed", node, "index an array or a tuple")
    if all(isinstance(item, NewAxis | Dots) for item in index) and len(index) < 2:  # all that numbers have
        if isinstance(asked_type(lowerer, base, node), Scalar):
            axis = NewAxis() in index
            return lowerer.apply(np.array, (lowerer.make_tuple((base,), node),), node) if axis else base
    result = lowerer.builder.load(base, index, loc=lowerer.loc(node))
    if lowerer.context.is_list(base) and isinstance(index[0], Slice):
        lowerer.context.growing.add(result)
        lowerer.context.copy_items(base, result)
        return joined(lowerer, (result,), node) if lowerer.context.stopped else result
    return item_of(lowerer, base, result, node)


def _of_range(lowerer: Lowerer, numbers: Const, item: object, node: ast.AST) -> Operand | None:
    """`range(...)[k]` is a number, `range(...)[a:b:c]` a range; None for what is no subscript of a range."""
    check_whole(lowerer, numbers.value.bounds, node)
    if _turns(item):
        return reversed_range(lowerer, numbers.value, node)
    if isinstance(item, Slice):
        parts = tuple(Const(None) if each is None else each for each in (item.start, item.stop, item.step))
        return lowerer.inline(of_items.part_of_range, (numbers, *parts), {}, node)
    if isinstance(item, Value | Const):
        check_whole(lowerer, (item,), node)
        return lowerer.inline(of_items.number_of_range, (numbers, item), {}, node)
    return None


def _turns(item: object) -> bool:
    """Whether the part of an index is `::-1`."""
    whole = isinstance(item, Slice) and item.start is None and item.stop is None
    return whole and isinstance(item, Slice) and isinstance(item.step, Const) and item.step.value == -1


def _known_part(
    lowerer: Lowerer, parts: tuple[Operand, ...], item: object, node: ast.AST, *, as_list: bool
) -> Operand | None:
    """The part of a known tuple at a constant index, or None if the index is not constant."""
    if isinstance(item, Const) and isinstance(item.value, int):
        if -len(parts) <= item.value < len(parts):
            return parts[item.value]
        message = f"index {item.value} is out of range: the tuple has {len(parts)} items"
        raise lowerer.refuse("BS110", message, node, "check the index")
    if isinstance(item, Slice):
        bounds = [item.start, item.stop, item.step]
        if all(bound is None or isinstance(bound, Const) for bound in bounds):
            values = [bound.value if isinstance(bound, Const) else None for bound in bounds]
            wrong = [each for each in values if each is not None and not hasattr(each, "__index__")]
            if wrong:
                message = f"`{wrong[0]}` is no whole number, which the bounds of a slice are"
                raise lowerer.refuse("BS110", message, node, "write whole numbers, as in `x[0:2]`")
            return lowerer.make_tuple(parts[slice(*values)], node, as_list)
    return None


def index_of(lowerer: Lowerer, node: ast.expr) -> Index:
    """The items between the brackets."""
    nodes = node.elts if isinstance(node, ast.Tuple) else [node]
    found: list[Operand | Slice | NewAxis | Dots] = []
    for part in nodes:
        if isinstance(part, ast.Slice):
            bounds = [
                None if bound is None else lowerer.lower(bound)
                for bound in (part.lower, part.upper, part.step)
            ]
            found.append(Slice(*(None if is_none(bound) else bound for bound in bounds)))
            continue
        operands = lowerer.spread([part]) if isinstance(part, ast.Starred) else [lowerer.lower(part)]
        for operand in operands:
            found += _index_items(lowerer, operand, part, alone=len(nodes) == 1)
    return tuple(found)


def _index_items(lowerer: Lowerer, operand: Operand, node: ast.expr, alone: bool) -> list[Any]:
    """The index items of one operand between the brackets; a tuple that stands alone is the whole index."""
    if isinstance(operand, Const):
        match operand.value:
            case None:
                return [NewAxis()]
            case Slice():
                return [operand.value]
            case value if value is Ellipsis:
                return [Dots()]
            case _:
                pass
    parts = known_elements(lowerer.context, operand)
    if parts is not None and alone and operand not in lowerer.context.lists:
        return [item for part in parts for item in _index_items(lowerer, part, node, alone=False)]
    if parts is not None and operand in lowerer.context.lists:
        return [lowerer.apply(np.array, (lowerer.make_tuple(parts, node),), node)]
    if operand in lowerer.context.growing:
        return [lowerer.apply(np.array, (operand,), node)]
    return [lowerer.runtime(operand, node)]


def write(lowerer: Lowerer, node: ast.Subscript, value: Operand) -> None:
    """Lower `base[index] = value`."""
    base = lowerer.lower(node.value)
    index = index_of(lowerer, node.slice)
    becomes_table(lowerer.context, base, *index[:1])
    if put_into(lowerer, base, index, value, node):
        return
    if lowerer.context.is_list(base) and len(index) == 1 and isinstance(index[0], Slice):
        put(lowerer, base, index[0], value, node)
        return
    stored = stopped(lowerer, _stored(lowerer, base, value, node), node)
    lowerer.builder.store(_buffer(lowerer, base, node), index, stored, loc=lowerer.loc(node))


def _stored(lowerer: Lowerer, base: Operand, value: Operand, node: ast.AST) -> Operand:
    """What is stored in `base`: a tuple or a list in the form of an array, unless it is the item of a list."""
    parts = known_elements(lowerer.context, value)
    if lowerer.context.is_list(base) or not (parts or value in lowerer.context.growing):
        return lowerer.runtime(value, node)
    return as_array(lowerer, value, node)


def delete(lowerer: Lowerer, node: ast.Subscript) -> bool:
    """Lower `del base[index]` if the base is a list or an object whose class says what that does; tell whether it is."""
    base = lowerer.lower(node.value)
    index = index_of(lowerer, node.slice)
    becomes_table(lowerer.context, base, *index[:1])
    if virtual(base) is not None and not is_object_list(base):
        by_item(lowerer, base, "__delitem__", index, node)
        return True
    if len(index) == 1 and isinstance(index[0], Value | Const | Slice):
        if object_lists.deleted(lowerer, base, index[0], node):
            return True
    if not lowerer.context.is_list(base) or len(index) != 1:
        return False
    deleted(lowerer, base, index[0], node)
    return True


def update(
    lowerer: Lowerer,
    node: ast.Subscript,
    op: ast.operator,
    value: ast.expr,
    at: ast.AST,
    in_place: Callable[[Operand, Callable[[Operand], object]], None],
) -> None:
    """Lower `base[index] op= value`; base and index are evaluated once. `in_place` updates what an object gives, and stores it.

    Python reads the element before it evaluates the value; the order matters only if the value's evaluation writes.
    """
    base = lowerer.lower(node.value)
    if isinstance(base, Const) and isinstance(base.value, dict):
        becomes_table(lowerer.context, base, *index_of(lowerer, node.slice)[:1])
    if (found := place_to_change(lowerer, base, lambda: index_of(lowerer, node.slice), node)) is not None:
        table, base = base, found[0]
    elif virtual(base) is not None:
        index = index_of(lowerer, node.slice)
        in_place(read_at(lowerer, base, index, node), lambda new: put_into(lowerer, base, index, new, node))
        return
    buffer = _buffer(lowerer, base, node)
    index = index_of(lowerer, node.slice) if found is None else found[1]
    loc = lowerer.loc(at)
    nodes = lowerer.builder.current.nodes
    before = len(nodes)
    added = stopped(lowerer, _stored(lowerer, buffer, lowerer.lower(value), value), value)
    new_nodes = _new_nodes(lowerer, before)
    made = {
        inner.result for inner in new_nodes if isinstance(inner, Apply) and operation(inner.function).is_fresh
    }
    moved = found is not None and any(changes_length(inner, found[2]) for inner in new_nodes)
    writes = moved or any(not made.issuperset(written_by(inner)) for inner in new_nodes)
    if isinstance(op, ast.Add | ast.Sub) and not writes:
        if isinstance(op, ast.Sub):
            added = _negative(lowerer, added, value)
        lowerer.builder.store(buffer, index, added, loc=loc, accumulate=True)
        return
    old = lowerer.builder.value(loc=loc)
    read_old = Load(old, buffer, index, loc)
    nodes.insert(before if writes else len(nodes), read_old)
    # An item of a list may be an array, which is changed in place; a part of an array never is one.
    is_list = buffer in lowerer.context.growing and not lowerer.context.stopped
    function: Callable[[Any, Any], Any] = (IN_PLACE if is_list else BINARY)[type(op)]
    new: Operand = lowerer.builder.apply(function, old, added, loc=loc)
    if lowerer.context.stopped:
        new = lowerer.builder.apply(changed_to, old, stopped(lowerer, new, value), loc=loc)
    elif not is_list:
        new = lowerer.builder.apply(kept_in, old, new, Const(SYMBOLS[type(op)]), loc=loc)
    if (
        found is not None and moved
    ):  # the right side put keys in or took some out, so that the place may be another
        put_into(lowerer, table, (found[3],), new, node)
        return
    lowerer.builder.store(buffer, index, new, loc=loc)


def changes_length(node: Any, keys: Operand) -> bool:
    """Whether a node may change how many items a list has."""
    return (isinstance(node, Append) and node.buffer is keys) or (
        isinstance(node, Apply) and node.function in GROWTH and keys in node.operands
    )


def _new_nodes(lowerer: Lowerer, before: int) -> list[Any]:
    """The nodes that were appended to the block after the first `before` ones, inner blocks included."""
    return list(walk(Block((), tuple(lowerer.builder.current.nodes[before:]), ())))


def _negative(lowerer: Lowerer, operand: Operand, node: ast.AST) -> Operand:
    if isinstance(operand, Const) and isinstance(operand.value, int | float | complex) and not operand.name:
        return Const(-operand.value)
    return lowerer.apply(taken_away, (operand,), node)


def _buffer(lowerer: Lowerer, base: Operand, node: ast.Subscript) -> Value:
    """The array that the statement writes to; a global or a tuple is refused."""
    if isinstance(base, Const):
        what = base.name or getattr(base.value, "__name__", type(base.value).__name__)
        message = f"`{what}` is written, but it is a global, whose value is fixed while compiling"
        remedy = "pass the array as an argument, or copy it first"
        if isinstance(base.value, dict):
            what = ast.unparse(node.value)
            message = f"`{what}` is written, but a dict changes only where it is made, under one name, by literal or whole keys"
            remedy = "use an array, with numbers for keys, or make another dict: `{**d, 'k': x}`; for adjoints, use hooks={name: None} and collect=dictionary"
        raise lowerer.refuse("BS111", message, node, remedy)
    refuse_held(lowerer, base, node)
    if base in lowerer.context.flats:
        message = (
            f"`{ast.unparse(node.value)}` is written, and belongs to an array that may not be contiguous"
        )
        raise lowerer.refuse("BS111", message, node, "write the array itself, as in a[i, j] = value")
    if base in lowerer.context.lists:
        raise FoundChangeError(lowerer.context.lists[base])
    if base in lowerer.context.elements:
        raise lowerer.refuse("BS111", "an item of a tuple is assigned", node, "use an array: np.array(...)")
    return base
