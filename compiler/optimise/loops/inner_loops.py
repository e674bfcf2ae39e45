"""Innermost loops: which node of one computes a value, which nodes a part needs, and what the loop around it writes.

The common base of the passes that split loops, and of those that rebuild the innermost loops of the reverse sweep.
"""

from __future__ import annotations

import abc
import operator
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

import numpy as np

from backsweep.analysis.alias import Aliases, find_aliases
from backsweep.analysis.integers.affine import at_least, infeasible, literal, to_affine
from backsweep.analysis.integers.domains import Places, places_of
from backsweep.analysis.trip_counts import arithmetic, is_short
from backsweep.diagnostics import Loc
from backsweep.ir.build import Builder
from backsweep.ir.effects import has_effect
from backsweep.ir.nodes import (
    Append,
    Apply,
    Block,
    Comment,
    Const,
    For,
    Function,
    Grow,
    Load,
    Node,
    Operand,
    Raise,
    Store,
    Value,
    While,
)
from backsweep.ir.operations import Kind, kind
from backsweep.ir.sweeps import rebuild_reverse_sweep, start_of_reverse_sweep
from backsweep.ir.typed import type_of
from backsweep.ir.types import INT, Array, Scalar
from backsweep.ir.walk import (
    blocks,
    changed,
    index_operands,
    map_blocks,
    operands,
    renewed,
    results,
    walk,
    with_nodes,
)

FLOAT = Scalar("float64")


def is_innermost(loop: For) -> bool:
    """Whether the loop only computes, loads and stores."""
    return all(isinstance(each, Apply | Load | Store | Comment) for each in loop.body.nodes)


class Innermost:
    """A loop that only computes, loads and stores."""

    def __init__(self, loop: For) -> None:
        self.loop = loop
        self.index = loop.body.parameters[0]
        self.place = {node: number for number, node in enumerate(loop.body.nodes)}
        self.definitions: dict[Operand, Apply | Load] = {
            node.result: node for node in loop.body.nodes if isinstance(node, Apply | Load)
        }
        self.stores = [node for node in loop.body.nodes if isinstance(node, Store)]

    def needed(
        self,
        sinks: Iterable[Node],
        more: Iterable[Operand] = (),
        is_at_hand: Callable[[Operand], bool] = lambda _: False,
    ) -> set[Node]:
        """These nodes, and the nodes that compute what they and `more` read and what is not at hand."""
        found = set(sinks)
        todo = [*more, *(operand for node in found for operand in operands(node))]
        while todo:
            operand = todo.pop()
            node = self.definitions.get(operand)
            if node is not None and node not in found and not is_at_hand(operand):
                found.add(node)
                todo += operands(node)
        return found

    def part(self, nodes: Iterable[Node]) -> Block:
        """The body of a loop of these nodes, which carries nothing and defines new values."""
        return renewed(Block((self.index,), tuple(nodes), ()))

    def is_fixed(self, operand: Operand) -> bool:
        """Whether an array or an index is the same in every iteration."""
        node = self.definitions.get(operand)
        if node is None:
            return operand not in self.loop.body.parameters
        return is_index(node) and all(map(self.is_fixed, operands(node)))

    def is_along(self, access: Load | Store, is_last: Callable[[Operand], bool] | None = None) -> bool:
        """Whether iterations access adjacent elements: the last index is the loop's own, or one that `is_last` accepts."""
        if not access.index:
            return False
        *others, last = access.index
        buffer = access.buffer  # of a load it may be a constant array
        type_ = type_of(buffer)
        in_rows = isinstance(type_, Array) and type_.layout == "C"
        fixed = all(isinstance(each, Operand) and self.is_fixed(each) for each in (buffer, *others))
        if not isinstance(last, Operand) or not in_rows or not fixed:
            return False
        return last is self.index or (is_last is not None and is_last(last))


def is_index(node: Node) -> bool:
    """Whether the node computes an index."""
    return isinstance(node, Apply) and node.result.type == INT


def kind_of(node: Node) -> Kind | None:
    """The family of the function that the node calls; None if it calls none."""
    return kind(node.function) if isinstance(node, Apply) else None


class InnerLoops(abc.ABC):
    """Rebuilds blocks; `made` are new arrays, made before the outermost loop of values `at_hand` there."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.aliases = find_aliases(function)
        self.at_hand: set[Operand] = set(function.body.parameters)
        self.made: list[Node] = []

    @cached_property
    def places(self) -> Places:
        """Where its nodes stand."""
        return places_of(self.function)

    @abc.abstractmethod
    def inner(self, loop: For, around: Around, before: list[Node]) -> Sequence[Node]:
        """What an innermost loop becomes; `before` gets what is to run before the loop around it."""

    def rebuilt(self) -> Function:
        """The function with the innermost loops of its reverse sweep replaced."""
        nodes = self.function.body.nodes
        for node in nodes[: start_of_reverse_sweep(nodes)]:
            self.at_hand.update(results(node))
        return rebuild_reverse_sweep(self.function, self.outermost)

    def outermost(self, node: Node) -> list[Node]:
        """A statement at the top level, after the arrays that it needs."""
        changed = self.node(node)
        made, self.made = self.made, []
        self.at_hand.update(results(node))
        return [*made, *changed]

    def block(self, block: Block) -> Block:
        """The block with the loops in it replaced."""
        return with_nodes(block, [each for node in block.nodes for each in self.node(node)])

    def node(self, node: Node) -> list[Node]:
        """The node with the loops in it, after what is to run before it."""
        if not isinstance(node, For) or not is_upwards(node):
            return [map_blocks(node, self.block)]
        around = Around(node, self.aliases)
        before: list[Node] = []
        nodes: list[Node] = []
        for each in node.body.nodes:
            if isinstance(each, For) and is_innermost(each):
                nodes += self.inner(each, around, before)
            else:
                nodes += self.node(each)
        return [*before, changed(node, body=with_nodes(node.body, nodes))]


class Around:
    """A loop with innermost loops in it: what it defines and which memory it writes."""

    def __init__(self, loop: For, aliases: Aliases) -> None:
        self.loop = loop
        self.aliases = aliases
        inside = list(walk(loop.body))
        self.own: set[Operand] = {*loop.body.parameters, *(each for node in inside for each in results(node))}
        self.own |= {each for node in inside for block in blocks(node) for each in block.parameters}
        self.written = {aliases.of(node.buffer) for node in inside if isinstance(node, Store)}
        self.is_clear = not any(
            isinstance(node, Append | Grow | Raise | While) or (isinstance(node, Apply) and has_effect(node))
            for node in inside
        )

    def last_stop(self, loop: For, builder: Builder) -> tuple[Operand | None, Operand]:
        """The largest stop of the inner loop over all iterations of the outer one, and a length that fits every run of it."""
        index, stop = self.loop.body.parameters[0], self.loop.stop
        if loop.stop not in self.own:
            return loop.stop, loop.stop
        if loop.stop is index:
            return arithmetic(builder, operator.sub, stop, Const(1)), stop
        for node in self.loop.body.nodes:
            if isinstance(node, Apply) and node.result is loop.stop and node.function is operator.add:
                if node.operands[0] is index and literal(node.operands[1]) == 1:
                    return stop, stop
        return None, stop

    def is_same(self, load: Load, index: Value) -> bool:
        """Whether the element is the same in every round."""
        buffer, items = load.buffer, index_operands(load.index)
        if not isinstance(buffer, Value) or buffer in self.own or self.aliases.of(buffer) in self.written:
            return False
        return load.result.type == FLOAT and all(item is index or item not in self.own for item in items)


def row(name: str, length: Operand, loc: Loc, places: Places) -> tuple[list[Node], Value]:
    """A new array of so many numbers, and the nodes that make it."""
    builder = Builder(loc=loc)
    below_zero = at_least(to_affine(Const(-1), {}, {}), places.affine(length))
    if not infeasible(places.with_facts([below_zero])):
        length = builder.apply(max, length, Const(0), type=INT)
    made = builder.apply(np.empty, length, name=name, type=Array("float64", 1))
    return builder.current.nodes, made


def is_upwards(loop: For) -> bool:
    """Whether the loop runs from 0 upwards, often."""
    return loop.exit is None and literal(loop.start) == 0 and literal(loop.step) == 1 and not is_short(loop)
