"""Lower array statements to loop nests: chains of elementwise functions, slices, fills and sums in one pass over memory.

An elementwise function whose result is only read by one other array statement of the same block is
*absorbed*: its elements are computed where they are read. What is left are *roots*: an array that
lives on, a store to a part of an array, a sum. Each root becomes one nest of loops. Extents that are not
proved equal are broadcast at run time first (`stretched`), as NumPy would.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import numpy as np

from backsweep.analysis.alias import Aliases, find_aliases
from backsweep.analysis.integers.affine import ONE, literal
from backsweep.analysis.integers.extents import Shapes, shapes_of
from backsweep.analysis.order.places import Places, full_index
from backsweep.analysis.order.statements import StatementOrder
from backsweep.ir.build import Builder, with_last_axis
from backsweep.ir.effects import has_effect
from backsweep.ir.nodes import (
    Apply,
    Block,
    Const,
    For,
    Function,
    NewAxis,
    Node,
    Operand,
    Slice,
    Store,
    Value,
)
from backsweep.ir.operations import Kind, kind, operation
from backsweep.ir.typed import rank, type_of
from backsweep.ir.types import Array, Scalar
from backsweep.ir.walk import (
    blocks,
    changed,
    leaving,
    map_blocks,
    readers_of,
    results,
    rewrite,
    walk,
    with_body,
    with_nodes,
)
from backsweep.optimise.arrays.elements import (
    divides,
    is_array,
    is_number,
    is_rounding,
    same_dtype,
    works_by_element,
)
from backsweep.optimise.arrays.fusion import write_group
from backsweep.optimise.arrays.nests import TOTALS, Scope, Statement
from backsweep.optimise.arrays.roots import (
    store_target,
    write_array,
    write_partial_sum,
    write_store,
    write_total,
)
from backsweep.optimise.arrays.schedule import Group, is_partial_sum, schedule, summed_place
from backsweep.runtime.broadcasting import sum_to

_NO_DEARER = (Kind.ARITHMETIC, Kind.COPY, Kind.ALIKE)
"""What may as well be computed again in every row that an operand is broadcast along."""


def lower_arrays_to_loops(function: Function) -> Function:
    """The same program with elementwise array statements, stores to parts of arrays and sums as loop nests."""
    function = rewrite(function, _outer_product)
    shapes = shapes_of(function)
    function = rewrite(function, lambda node: _column_times_row(node, shapes))
    function = rewrite(function, _row_times_part)
    shapes = shapes_of(function)
    function = rewrite(function, lambda node: _sized_by_operands(node, shapes))
    return with_body(function, _Pass(function, shapes.draft()).block(function.body))


def _outer_product(node: Node) -> list[Node]:
    """The node; for an outer product of vectors, the product of a column and a row, which fuses with what reads it.

    Numba's own goes through memory twice, and takes ten times as long.
    """
    match node:
        case Apply(
            result=Value(type=Array() as type_) as result,
            function=np.outer,
            operands=(left, right),
        ):
            column, row = type_of(left), type_of(right)
            if not (isinstance(column, Array) and isinstance(row, Array) and column.ndim == row.ndim == 1):
                return [node]
            if not column.dtype == row.dtype == type_.dtype:
                return [node]
            builder = Builder(loc=node.loc)
            turned = with_last_axis(builder, left)
            return [*builder.current.nodes, Apply(result, operator.mul, (turned, right), node.loc)]
        case _:
            return [node]


def _column_times_row(node: Node, shapes: Shapes) -> list[Node]:
    """The node; for a matrix product of a column and a row, their product element by element."""
    match node:
        case Apply(
            result=Value(type=Array(ndim=2) as type_) as result, operands=(Value() as left, Value() as right)
        ):
            one, other = left.type, right.type
            if kind(node.function) is not Kind.PRODUCT or node.keywords or not isinstance(one, Array):
                return [node]
            if not isinstance(other, Array) or not one.ndim == other.ndim == 2:
                return [node]
            if not one.dtype == other.dtype == type_.dtype or shapes.of(left)[1] != ONE:
                return [node]
            return (
                [Apply(result, operator.mul, (left, right), node.loc)]
                if shapes.of(right)[0] == ONE
                else [node]
            )
        case _:
            return [node]


def _row_times_part(node: Node) -> list[Node]:
    """The node; for a vector times a matrix that is not contiguous, the sum of the rows, each times an entry of the vector.

    BLAS would get a copy of such a matrix.
    """
    match node:
        case Apply(
            result=Value(type=Array(ndim=1) as type_) as result,
            operands=(
                Value(type=Array(ndim=1) as one) as vector,
                Value(type=Array(ndim=2, layout="A") as other) as matrix,
            ),
            keywords=(),
        ) if kind(node.function) is Kind.PRODUCT and one.dtype == other.dtype == type_.dtype:
            builder = Builder(loc=node.loc)
            column = builder.view(vector, (Slice(), NewAxis()), type=Array(one.dtype, 2, "A"))
            terms = builder.apply(operator.mul, column, matrix, type=Array(one.dtype, 2))
            return [*builder.current.nodes, Apply(result, np.sum, (terms, Const(0)), node.loc)]
        case _:
            return [node]


_MOST_OPERATIONS = 12
"""How many operations, at most, are done again in place of a read from memory."""


class _Pass:
    """Rebuilds blocks in program order; `absorbed` holds what is computed where it is read."""

    def __init__(self, function: Function, shapes: Shapes) -> None:
        self.shapes = shapes
        self.aliases: Aliases = find_aliases(function)
        self.users = readers_of(function)
        self.escaping: set[Operand] = set(function.body.yields)
        self.computed_in: dict[Node, set[Node]] = {}
        """For what is computed where it is read: the statements in whose nests that is."""
        loops: list[For] = []
        for node in walk(function.body):
            self.escaping.update(leaving(node))
            loops += [node] if isinstance(node, For) else []
        places = Places(shapes, loops)
        shared = {value for value, users in self.users.items() if len(users) > 1}
        self.scope = Scope(shapes, self.aliases, places, StatementOrder(shapes, self.aliases), shared)
        self.absorbed = self.scope.absorbed
        for node in walk(function.body):
            if isinstance(node, Apply) and node.function is np.sum and divides(node.result, self.users):
                self.scope.divisors.add(node.result)
            if isinstance(node, Apply) and works_by_element(node):
                whole = self.scope.shape(node.result)
                parts = [self.scope.shape(operand) for operand in node.operands if is_array(operand)]
                self.scope.fits += [(shape, whole) for shape in parts if shape != whole]

    def block(self, block: Block) -> Block:
        """The block with its array statements as loops."""
        self.absorb(block)
        with self.visible(block.parameters):
            builder = Builder()
            for part in schedule(self.scope, block.nodes, self.is_any_root):
                if isinstance(part, Group):
                    self.scope.available.update(write_group(self.scope, builder, part, self.is_read))
                else:
                    self.node(part, builder)
        return with_nodes(block, builder.current.nodes)

    @contextmanager
    def visible(self, parameters: Iterable[Value]) -> Iterator[None]:
        """A context: values that are defined in it are in scope only within it."""
        outer = self.scope.available
        self.scope.available = outer | set(parameters)
        yield
        self.scope.available = outer

    def is_any_root(self, node: Node) -> bool:
        """Whether the statement becomes a nest."""
        return (isinstance(node, Store) and self.is_part_store(node)) or (
            isinstance(node, Apply) and self.is_root(node)
        )

    def is_read(self, array: Value, tree: set[Node]) -> bool:
        """Whether a node outside `tree` reads the array, or reads a filled array that has its shape from this array."""
        if array in self.escaping:
            return True
        return any(
            user not in tree
            or not self.computed_in.get(user, set()) <= tree
            or (
                isinstance(user, Apply)
                and kind(user.function) is Kind.ALIKE
                and self.is_read(user.result, tree)
            )
            for user in self.users.get(array, [])
        )

    def node(self, node: Node, builder: Builder) -> None:
        """Write one statement: nothing if it is absorbed, a nest if it is a root, else the statement itself."""
        if isinstance(node, Apply) and node.result in self.absorbed:
            return
        builder.loc = node.loc
        if isinstance(node, Apply) and self.is_root(node):
            self.root(node, builder)
        elif isinstance(node, Store) and self.is_part_store(node):
            write_store(Statement(self.scope, builder, node.loc), node)
        else:
            builder.add(map_blocks(node, self.block))
        self.scope.available.update(results(node))

    def root(self, node: Apply, builder: Builder) -> None:
        """An array or a sum; a fresh copy of an array that is no tree stays a copy."""
        statement = Statement(self.scope, builder, node.loc)
        first = node.operands[0]
        place = summed_place(self.scope, node)
        if place is not None:
            write_partial_sum(statement, node, place)
        elif node.function in TOTALS:
            if first in self.absorbed:
                write_total(statement, node)
            else:
                builder.add(node)
        elif works_by_element(node) or first in self.absorbed:
            write_array(statement, node)
        elif node.function is sum_to:
            builder.add(Apply(node.result, np.copy, (first,), node.loc))
        else:
            builder.add(node)

    # What is computed where ------------------------------------------------------------------------

    def absorb(self, block: Block) -> None:
        """Find the statements of the block that are computed within the nests of others."""
        position = {node: number for number, node in enumerate(block.nodes)}
        roots: dict[Node, set[Node]] = {}
        for node in reversed(block.nodes):
            if isinstance(node, Store) and self.is_part_store(node):
                roots[node] = {node}
            if not isinstance(node, Apply):
                continue
            if kind(node.function) is Kind.ALIKE and self.is_only_read(node, roots):
                self.absorbed[node.result] = node
                continue
            targets = self.roots_of(node, roots)
            if targets and self.undisturbed(
                node, block.nodes[position[node] + 1 : max(position[target] for target in targets)]
            ):
                roots[node] = self.computed_in[node] = targets
                self.absorbed[node.result] = node
            elif self.is_root(node):
                roots[node] = {node}

    def is_only_read(self, node: Apply, roots: dict[Node, set[Node]]) -> bool:
        """Whether a filled array is only read within nests, which can use its one number instead."""
        users = self.users.get(node.result, [])
        if node.result in self.escaping or not self.is_part(node):
            return False
        return all(user in roots and self.reads_elements(user, node) for user in users)

    def roots_of(self, node: Apply, roots: dict[Node, set[Node]]) -> set[Node]:
        """The roots within whose nests every use of the node's result lies; none where it has to be an array.

        What is cheaper to compute again than to read is computed in each nest that uses it.
        """
        users = self.users.get(node.result, [])
        if node.result in self.escaping or not users or not self.is_part(node):
            return set()
        if not all(user in roots and self.reads_elements(user, node) for user in users):
            return set()
        found = set().union(*(roots[user] for user in users))
        return found if len(found) == 1 or self.is_inexpensive(node) else set()

    def is_inexpensive(self, node: Apply) -> bool:
        """Whether the node is arithmetic on one array of its own size at most: to compute it again costs no more than to read it."""
        type_ = node.result.type
        if not works_by_element(node) or not isinstance(type_, Array) or type_.dtype != "float64":
            return False
        large: set[Operand] = set()
        waiting, operations = [node], 0
        while waiting:
            each = waiting.pop()
            operations += 1
            square = kind(each.function) is Kind.POWER and literal(each.operands[1]) == 2
            if operations > _MOST_OPERATIONS or not (square or kind(each.function) is Kind.ARITHMETIC):
                return False
            for operand in each.operands:
                if not is_array(operand):
                    continue
                made = self.shapes.definitions.get(operand) if isinstance(operand, Value) else None
                smaller = self.is_smaller(operand, node.result)
                if (
                    not smaller
                    and isinstance(made, Apply)
                    and works_by_element(made)
                    and self.is_repeated(made)
                ):
                    waiting.append(made)
                elif not smaller:
                    large.add(operand)
        return len(large) <= 1

    def is_repeated(self, made: Apply) -> bool:
        """Whether an operand of what is computed again would be so, too, because arrays of fewer entries make it."""
        arrays = [operand for operand in made.operands if is_array(operand)]
        return (
            kind(made.function) in (Kind.ARITHMETIC, Kind.POWER)
            and made.result not in self.escaping
            and bool(arrays)
        )

    def is_smaller(self, operand: Operand, result: Value) -> bool:
        """Whether an operand is broadcast to the result's shape along some axis."""
        own, whole = self.scope.shape(operand), self.scope.shape(result)
        return len(own) < len(whole) or any(
            mine == ONE and theirs != ONE for mine, theirs in zip(own, whole, strict=True)
        )

    def reads_elements(self, user: Node, node: Apply) -> bool:
        """Whether the user reads the node's result element by element, each element about once."""
        if isinstance(user, Store):
            if user.value is not node.result or user.buffer is node.result:
                return False
            return kind(node.function) in _NO_DEARER or self.scope.shape(node.result) == self.scope.shape(
                store_target(self.scope, user)
            )
        if not isinstance(user, Apply):
            return False
        if kind(user.function) is Kind.ALIKE:
            return False
        if user.function is sum_to and user.operands[1] is node.result:
            return False
        if user.function in TOTALS or kind(node.function) in _NO_DEARER or is_partial_sum(self.scope, user):
            return True
        return rank(user.result) == rank(node.result) and not any(
            mine == ONE and theirs != ONE
            for mine, theirs in zip(self.shapes.of(node.result), self.shapes.of(user.result), strict=True)
        )

    def undisturbed(self, node: Apply, between: tuple[Node, ...]) -> bool:
        """Whether nothing in between writes memory that the node reads."""
        if kind(node.function) is Kind.ALIKE:
            return True
        arrays = [operand for operand in node.operands if isinstance(operand, Value) and is_array(operand)]
        for array in arrays:  # a sum over no axes may be its operand itself
            source = self.shapes.definitions.get(array)
            if (
                isinstance(source, Apply)
                and source.function is sum_to
                and isinstance(source.operands[0], Value)
            ):
                arrays.append(source.operands[0])
        return not any(self.writes(other, arrays) for other in between)

    def writes(self, node: Node, arrays: list[Value]) -> bool:
        """Whether the node, or one within it, may write memory of one of the arrays."""
        for inner in (node, *(each for block in blocks(node) for each in walk(block))):
            match inner:
                case Store(buffer=buffer):
                    if any(self.aliases.same(buffer, array) for array in arrays):
                        return True
                case Apply() if has_effect(inner):
                    return True
                case _:
                    pass
        return False

    # What may be a root or a part of one -----------------------------------------------------------

    def is_part(self, node: Apply) -> bool:
        """Whether the node's result can be computed element by element."""
        if kind(node.function) is Kind.ALIKE:
            return self.is_filled(node)
        return self.is_passed_on(node) or works_by_element(node)

    def is_filled(self, node: Apply) -> bool:
        if node.keywords or not is_array(node.result) or not is_array(node.operands[0]):
            return False
        return all(is_number(operand) for operand in node.operands[1:])

    def is_passed_on(self, node: Apply) -> bool:
        """Whether the node passes on the entries of an array: it copies them, sums over no axis, or converts their precision."""
        if node.keywords or not is_array(node.result) or not is_array(node.operands[0]):
            return False
        if node.function is sum_to:
            return self.scope.same(*node.operands) and same_dtype(*node.operands)
        return is_rounding(node) or (node.function is np.copy and len(node.operands) == 1)

    def is_root(self, node: Apply) -> bool:
        """Whether the node becomes a nest, if something is absorbed by it or it is an elementwise function."""
        type_ = node.result.type
        if is_partial_sum(self.scope, node):
            return True
        if node.function in TOTALS:
            whole = len(node.operands) == 1 and not node.keywords and is_array(node.operands[0])
            return whole and is_number(node.result)
        # the layout "A" is that of operands that are parts of arrays
        in_rows = isinstance(type_, Array) and type_.layout != "F"
        return in_rows and (self.is_passed_on(node) or works_by_element(node))

    def is_part_store(self, node: Store) -> bool:
        """Whether the store writes a part of an array by basic indexing, from an array that fits or a number."""
        if not is_array(node.buffer) or not (is_array(node.value) or is_number(node.value)):
            return False
        index = node.index
        if any(isinstance(item, Value) and not isinstance(item.type, Scalar) for item in index):
            return False
        if any(isinstance(item, Value) and item.type == Scalar("bool") for item in index):
            return False
        full = full_index(index, rank(node.buffer))
        axes = sum(not isinstance(item, Value | Const) for item in full)
        return 1 <= axes <= 4 and rank(node.value) <= axes and (axes > 0)


def _sized_by_operands(node: Node, shapes: Shapes) -> list[Node]:
    """The node; of which an array that it reads only for its shape is replaced by one of that shape that is made anyway."""
    if not isinstance(node, Apply):
        return [node]
    known, found = operation(node.function), list(node.operands)
    for asked in known.shape_only:
        found[asked] = _shape_source(found[asked], shapes, dtype_too=known.kind is not Kind.EXTENT)
    return [changed(node, operands=tuple(found))] if known.shape_only else [node]


def _shape_source(array: Operand, shapes: Shapes, *, dtype_too: bool) -> Operand:
    """The operand that an elementwise result certainly has its shape from, back to the first."""
    node = shapes.definitions.get(array) if isinstance(array, Value) else None
    if isinstance(node, Apply) and works_by_element(node):
        for operand in node.operands:
            if shapes.same(operand, array) and isinstance(operand, Value) and isinstance(array, Value):
                if not dtype_too or operand.type == array.type:
                    return _shape_source(operand, shapes, dtype_too=dtype_too)
    return array
