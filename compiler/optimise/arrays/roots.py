"""Write the nests of array statements: an array that is read later, a sum, a store to a part of an array."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable

import numpy as np

from backsweep.analysis.integers.affine import Shape
from backsweep.analysis.order.places import Along, Place
from backsweep.ir.build import Builder, christen
from backsweep.ir.nodes import Apply, Const, Dots, Operand, Slice, Store, Value, View
from backsweep.ir.typed import type_of
from backsweep.ir.types import INT, Array, Scalar, Tuple
from backsweep.optimise.arrays.elements import extent, is_array
from backsweep.optimise.arrays.nests import DTYPES, TOTALS, ZEROS, Scope, Statement


def write_array(statement: Statement, node: Apply) -> None:
    """`y = np.empty(...)` and a nest that computes each element."""
    result = node.result
    assert isinstance(result.type, Array)
    statement.over(statement.scope.leaves(node), statement.scope.shape(result))
    statement.prepare()
    statement.builder.add(empty(statement, result))

    def length(axis: int) -> Operand:
        if statement.run_time is None and statement.is_of_parameters(statement.space[axis]):
            return statement.length(axis)
        return extent(statement.builder, result, axis)

    def body(index: list[Operand], _: tuple[Operand, ...]) -> tuple[Operand, ...]:
        statement.builder.store(result, tuple(index), statement.computed(node, index, {}))
        return ()

    statement.nest(length, body)


def empty(statement: Statement, result: Value) -> Apply:
    """New memory of the shape of the space for `result`."""
    type_ = result.type
    assert isinstance(type_, Array)
    dtype = (Const(DTYPES[type_.dtype]),) if type_.dtype in DTYPES else ()
    like = [leaf for leaf in statement.leaves if statement.scope.shape(leaf) == statement.space]
    like.sort(key=statement.is_view)
    if statement.run_time is not None:
        return Apply(result, np.empty, (statement.run_time, *dtype), statement.loc)
    for leaf in like:
        if type_of(leaf) == Array(type_.dtype, type_.ndim, "C"):
            return Apply(result, np.empty_like, (leaf,), statement.loc)
    if like and any(length.terms for length in statement.space):
        return Apply(result, np.empty, (statement.shape_operand(like[0]), *dtype), statement.loc)
    lengths: list[Operand] = []
    for axis, affine in enumerate(statement.space):
        length = statement.length(axis)
        if affine.const < 0:
            length = statement.builder.apply(max, length, Const(0), type=INT)
        lengths.append(length)
    shape = lengths[0]
    if len(lengths) > 1:
        shape = statement.builder.apply(tuple, *lengths, type=Tuple((INT,) * len(lengths)))
    return Apply(result, np.empty, (shape, *dtype), statement.loc)


def zeros(statement: Statement, node: Apply, items: tuple[Along | Operand, ...]) -> Apply:
    """New memory with zeros for sums along some axes of the space; `items` are what runs along the others."""
    type_, summed = node.result.type, node.operands[0]
    assert isinstance(type_, Array)
    if node.function is np.sum and isinstance(summed, Value):
        christen(node.result, f"sum_{summed.name}" if summed.name else "sums")
    dtype = (Const(DTYPES[type_.dtype]),) if type_.dtype in DTYPES else ()
    known: list[Operand] = []
    for item in items:
        if isinstance(item, Along) and item.axis is not None:
            known.append(statement.length(item.axis))
        else:
            known.append(Const(1))
    shape: Operand
    if len(known) == 1:
        shape = known[0]
    else:
        shape = statement.builder.apply(tuple, *known, type=Tuple((INT,) * len(known)))
    return Apply(node.result, np.zeros, (shape, *dtype), node.loc)


def write_partial_sum(statement: Statement, node: Apply, place: Place) -> None:
    """Sums along some axes, in a nest of their own: `place` is where each entry is added."""
    scope, builder, first = statement.scope, statement.builder, node.operands[0]
    statement.over(leaves_of(scope, node), scope.shape(first))
    statement.prepare()
    builder.add(zeros(statement, node, place.items))

    def body(index: list[Operand], _: tuple[Operand, ...]) -> tuple[Operand, ...]:
        entry = statement.element(first, index, {})
        builder.store(node.result, statement.index(place, index), entry, accumulate=True)
        return ()

    statement.nest(statement.length, body)


def write_total(statement: Statement, node: Apply) -> None:
    """The sum or the mean of a tree: a scalar carried through the nest."""
    builder, first = statement.builder, node.operands[0]
    assert isinstance(first, Value)
    assert isinstance(node.result.type, Scalar)
    statement.over(leaves_of(statement.scope, node), statement.scope.shape(first))
    statement.prepare()
    total = node.result if node.function is np.sum else Value("total", node.result.type, node.loc)

    def body(index: list[Operand], carried: tuple[Operand, ...]) -> tuple[Operand, ...]:
        return (
            builder.apply(operator.add, carried[0], statement.element(first, index, {}), type=total.type),
        )

    statement.nest(statement.length, body, (zero(statement, node),), (total,))
    if node.function is np.mean:
        add_mean(statement, node, total)


def zero(statement: Statement, node: Apply) -> Operand:
    """What a sum begins with; run as plain Python, the sum of nothing is divided by as NumPy does."""
    type_ = node.result.type
    assert isinstance(type_, Scalar)
    start = Const(ZEROS[type_.dtype])
    if type_.dtype == "float32":
        return statement.builder.apply(np.float32, start, type=type_)
    if type_.dtype == "float64" and node.result in statement.scope.divisors:
        return statement.builder.apply(np.float64, start, type=type_)
    return start


def add_mean(statement: Statement, node: Apply, total: Value) -> None:
    """Divide a total by the number of entries, after the nest that computed the total."""
    builder, single = statement.builder, node.result.type == Scalar("float32")
    count = statement.length(0)
    for axis in range(1, len(statement.space)):
        count = builder.apply(operator.mul, count, statement.length(axis), type=INT)
    mean = Value("", Scalar("float64"), node.loc) if single else node.result
    builder.add(Apply(mean, operator.truediv, (total, count), node.loc))
    if single:
        builder.add(Apply(node.result, np.float32, (mean,), node.loc))


def leaves_of(scope: Scope, node: Apply | Store) -> dict[Operand, bool]:
    """The arrays that a root reads element by element."""
    if isinstance(node, Apply) and node.function not in TOTALS:
        return scope.leaves(node)
    value = node.value if isinstance(node, Store) else node.operands[0]
    if isinstance(value, Value) and value in scope.absorbed:
        return scope.leaves(scope.absorbed[value])
    return {value: True} if is_array(value) else {}


def write_store(statement: Statement, node: Store) -> None:
    """A store to a part of an array, element by element; first into a temporary where it reads what it writes."""
    scope, builder = statement.scope, statement.builder
    target = store_target(scope, node)
    value, leaves = node.value, leaves_of(scope, node)
    part = made_once(statement, target)
    shape = scope.shape(target)
    place = scope.place(target, shape)
    if place.buffer is target:
        part()
    if _disturbs(statement, leaves, node, place, shape):
        _write_apart(scope, builder, node)
        return
    statement.within(leaves, shape, lambda: statement.shape_operand(part()))
    statement.prepare()
    statement.prepare_place(place)

    def length(axis: int) -> Operand:
        found = statement.length_of_parameters(shape[axis])
        if found is not None:
            return found
        if target is node.buffer and not statement.is_view(target):
            return extent(builder, target, axis)
        return statement.symbolic(shape[axis]) or extent(builder, part(), axis)

    def body(index: list[Operand], _: tuple[Operand, ...]) -> tuple[Operand, ...]:
        at = statement.index(place, index)
        assert isinstance(place.buffer, Value)
        builder.store(place.buffer, at, statement.element(value, index, {}), accumulate=node.accumulate)
        return ()

    statement.nest(length, body)


def made_once(statement: Statement, target: Value) -> Callable[[], Value]:
    """A function that gives the part of an array that a store writes; the view is made when it is asked for first."""
    scope, made = statement.scope, list[Value]()

    def part() -> Value:
        view = scope.shapes.definitions.get(target)
        if isinstance(view, View) and target not in scope.available and not made:
            statement.builder.add(view)
        made.append(target)
        return target

    return part


def _write_apart(scope: Scope, builder: Builder, node: Store) -> None:
    """Write a store whose value may overlap with its target: the value is read completely before any entry is written.

    Assigning an array needs no care; adding one does, for Numba adds entry by entry.
    """
    value = node.value
    assert isinstance(value, Value)
    if value in scope.absorbed:
        write_array(Statement(scope, builder, node.loc), scope.absorbed.pop(value))
        scope.available.add(value)
    elif node.accumulate and isinstance(value.type, Array):
        type_ = Array(value.type.dtype, value.type.ndim)
        copy = builder.apply(np.copy, value, name=value.name, type=type_)
        scope.shapes.found[copy] = scope.shape(value)
        scope.available.add(copy)
        node = dataclasses.replace(node, value=copy)
    else:
        builder.add(node)
        return
    write_store(Statement(scope, builder, node.loc), node)


def store_target(scope: Scope, node: Store) -> Value:
    """The target of the store as an array: the whole buffer, or a view of it."""
    if all(isinstance(item, Dots) or (isinstance(item, Slice) and item.is_whole) for item in node.index):
        return node.buffer
    assert isinstance(node.buffer.type, Array)
    fixed = sum(isinstance(item, Value | Const) for item in node.index)
    new = sum(not isinstance(item, Value | Const | Dots | Slice) for item in node.index)
    type_ = Array(node.buffer.type.dtype, node.buffer.type.ndim - fixed + new, "A")
    view = View(Value("", type_, node.loc), node.buffer, node.index, node.loc)
    scope.shapes.definitions[view.result] = view
    shape = scope.shapes.of_view(view, node)
    if shape is not None:
        scope.shapes.found[view.result] = shape
    return view.result


def _disturbs(
    statement: Statement, leaves: dict[Operand, bool], node: Store, place: Place, space: Shape
) -> bool:
    """Whether the store may write an element that the tree still has to read at another index."""
    scope = statement.scope
    for leaf, read in leaves.items():
        if not read or not isinstance(leaf, Value) or not scope.aliases.same(leaf, node.buffer):
            continue
        if not statement.fits(leaf, space):
            return True
        if not scope.order.in_step(scope.place(leaf, space), place, space, node):
            return True
    return False
