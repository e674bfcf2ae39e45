"""Write a store in a loop in two versions if its slices may end with their arrays: one for slices that do not, one for all.

Nobody can prove that `icf[o : o + n]` has `n` entries if `o` is computed in the loop: the slice may end with the array. One
comparison tells. Where it holds, extents are known, and the statement becomes a loop without temporaries; its adjoint, too.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from dataclasses import dataclass

from backsweep.analysis.integers.extents import Shapes, shapes_of
from backsweep.ir.build import Builder
from backsweep.ir.effects import effect
from backsweep.ir.nodes import (
    Apply,
    Block,
    Const,
    For,
    Function,
    If,
    Node,
    Operand,
    Slice,
    Store,
    Value,
    View,
    While,
)
from backsweep.ir.types import BOOL, INT, Array
from backsweep.ir.walk import blocks, map_blocks, operands, renewed, walk, with_body, with_nodes
from backsweep.rules.declare import is_elementwise


def separate_clipped_slices(function: Function) -> Function:
    """The program, in which stores whose slices may be clipped have a branch of their own for slices that are not."""
    loops = [node for node in walk(function.body) if isinstance(node, For | While)]
    inside = [block for loop in loops for node in (loop, *walk(loop.body)) for block in blocks(node)]
    statements = _Finder(function).statements(list(dict.fromkeys(inside)))
    while statements:
        writer = _Writer(statements)
        found = with_body(function, writer.block(function.body))
        shapes = shapes_of(found)
        proved = [each for each in statements if _is_proved(writer.whole[each.store], shapes)]
        if len(proved) == len(statements):
            return found
        statements = proved
    return function


@dataclass(frozen=True, slots=True)
class _Test:
    """`lower <= upper`; where `axis` is not None, `upper` is an array, whose extent along the axis is meant."""

    lower: Operand
    upper: Operand
    axis: int | None = None


@dataclass(frozen=True, slots=True)
class _Statement:
    """A store, the views and elementwise operations of the same block that only it reads, and what to test before."""

    store: Store
    parts: tuple[View | Apply, ...]
    tests: tuple[_Test, ...]


class _Finder:
    """Finds the statements that get a branch."""

    def __init__(self, function: Function) -> None:
        self.shapes = shapes_of(function)
        self.users: dict[Operand, list[Node | Block]] = {}
        for node in walk(function.body):
            for operand in operands(node):
                self.users.setdefault(operand, []).append(node)
            for block in blocks(node):
                for operand in block.yields:
                    self.users.setdefault(operand, []).append(block)

    def statements(self, inside: Sequence[Block]) -> list[_Statement]:
        """The statements of these blocks that get a branch."""
        found = (
            self.statement(block, number)
            for block in inside
            for number, node in enumerate(block.nodes)
            if isinstance(node, Store) and isinstance(node.value, Value)
        )
        return [each for each in found if each is not None]

    def statement(self, block: Block, number: int) -> _Statement | None:
        """The statement of a store, with the nodes that only it reads; None if no slice may be clipped, or no test can tell."""
        store = block.nodes[number]
        assert isinstance(store, Store)
        if not isinstance(store.value, Value) or not isinstance(store.value.type, Array):
            return None
        parts: list[View | Apply] = []
        known: set[Node | Block] = {store}
        for node in reversed(block.nodes[:number]):
            if isinstance(node, If | For | While) or effect(node).writes or effect(node).stays:
                break
            if isinstance(node, View) or (isinstance(node, Apply) and is_elementwise(node)):
                if isinstance(node.result.type, Array) and known.issuperset(
                    self.users.get(node.result, [block])
                ):
                    known.add(node)
                    parts.insert(0, node)
        tests: list[_Test] = []
        for part in (*parts, store):
            if not isinstance(part, Apply) and self.is_unknown(part):
                own = self.tests(part)
                if own is None:
                    return None
                tests += own
        return _Statement(store, tuple(parts), tuple(dict.fromkeys(tests))) if tests else None

    def is_unknown(self, access: View | Store) -> bool:
        """Whether the lengths of the slices of a view, or of a store's target, are unknown."""
        whole = not any(isinstance(item, Slice) for item in access.index)
        view = (
            access
            if isinstance(access, View)
            else View(access.buffer, access.buffer, access.index, access.loc)
        )
        return not whole and self.shapes.of_view(view, access) is None

    def tests(self, access: View | Store) -> list[_Test] | None:
        """The comparisons that hold if these slices are not clipped, without proved ones; None if no comparison can tell."""
        found: list[_Test] = []
        for axis, item in enumerate(access.index):
            match item:
                case Slice(start=Value() | None as start_operand, stop=Value() as stop, step=None) if (
                    _are_integers(start_operand, stop)
                ):
                    start = start_operand or Const(0)
                    for lower, upper in ((Const(0), start), (start, stop)):
                        if not self.shapes.exceeds_at(lower, upper, 0, access):
                            found.append(_Test(lower, upper))
                    found.append(_Test(stop, access.buffer, axis))
                case Slice(start=None, stop=None, step=None) | Const(value=int()):
                    pass
                case Value(type=type_) if type_ == INT:
                    pass
                case _:
                    return None
        return found


def _are_integers(*ends: Value | None) -> bool:
    """Whether the ends of a slice, where they are given, are plain integers."""
    return all(each is None or each.type == INT for each in ends)


def _is_proved(nodes: Sequence[Node], shapes: Shapes) -> bool:
    """Whether the extents of a statement are known."""
    return all(
        shapes.stores_same(node)
        if isinstance(node, Store)
        else not isinstance(node, Apply) or shapes.broadcasts_surely(node)
        for node in nodes
    )


class _Writer:
    """Rebuilds blocks with the branches; `whole` holds the statement for slices that are not clipped."""

    def __init__(self, statements: Sequence[_Statement]) -> None:
        self.statements = {each.store: each for each in statements}
        self.moved = {part for each in statements for part in each.parts}
        self.whole: dict[Store, tuple[Node, ...]] = {}

    def block(self, block: Block) -> Block:
        """The block with its statements in branches."""
        nodes: list[Node] = []
        for node in block.nodes:
            if isinstance(node, Store) and node in self.statements:
                nodes += self.branch(self.statements[node])
            elif node not in self.moved:
                nodes.append(map_blocks(node, self.block))
        return with_nodes(block, nodes)

    def branch(self, statement: _Statement) -> list[Node]:
        """The test, and the statement in both branches."""
        builder = Builder(loc=statement.store.loc)
        held: list[Operand] = []
        for each in statement.tests:
            upper = each.upper if each.axis is None else builder.extent(each.upper, each.axis)
            held.append(builder.apply(operator.le, each.lower, upper, type=BOOL))
        test = functools.reduce(lambda one, other: _both(builder, one, other), held)
        nodes = (*statement.parts, statement.store)
        whole = renewed(Block((), nodes, ()))
        self.whole[statement.store] = whole.nodes
        builder.add(If(test, whole, Block((), nodes, ()), (), statement.store.loc))
        return builder.current.nodes


def _both(builder: Builder, one: Operand, other: Operand) -> Operand:
    """`one and other`."""
    result = builder.value("", BOOL)
    sides = Block((), (), (other,)), Block((), (), (Const(False),))
    builder.add(If(one, *sides, (result,), builder.loc))
    return result
