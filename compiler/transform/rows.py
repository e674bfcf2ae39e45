"""What an inner loop of the reverse sweep computes of arrays alone is computed once before the loop around it.

The machine moves a number out of a loop that would compute it again and again, but not a row of numbers.
"""

from __future__ import annotations

import dataclasses
import operator
from functools import cached_property

import numpy as np

from backsweep.analysis.affine import at_least, infeasible, literal, to_affine
from backsweep.analysis.alias import Aliases, find_aliases
from backsweep.analysis.places import Places
from backsweep.diagnostics import Loc
from backsweep.ir.build import Builder
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
from backsweep.ir.types import INT, Array, Scalar
from backsweep.ir.walk import blocks, index_operands, map_blocks, operands, rename_operands, results, walk
from backsweep.transform.order import REVERSE_SWEEP
from backsweep.transform.sums import where_it_ran
from backsweep.transform.trips import arithmetic, is_short

ARITHMETIC = {operator.add, operator.sub, operator.mul, operator.neg}
FLOAT = Scalar("float64")

Work = list[Apply | Load]


def with_rows(function: Function) -> Function:
    """The same program, whose reverse sweep computes in no inner loop what the loop around it would only repeat."""
    rows = _Rows(function)
    nodes: list[Node] = []
    reversing = False
    for node in function.body.nodes:
        reversing |= isinstance(node, Comment) and node.text == REVERSE_SWEEP
        changed = rows.node(node) if reversing else [node]
        nodes += [*rows.made, *changed]
        rows.made.clear()
        rows.at_hand.update(results(node))
    return dataclasses.replace(function, body=dataclasses.replace(function.body, nodes=tuple(nodes)))


class _Rows:
    """Rebuilds blocks; `made` are the arrays for rows, made before the outermost loop of values `at_hand` there."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.aliases = find_aliases(function)
        self.at_hand: set[Operand] = set(function.body.parameters)
        self.made: list[Node] = []

    @cached_property
    def places(self) -> Places:
        return Places(self.function)

    def block(self, block: Block) -> Block:
        nodes = tuple(each for node in block.nodes for each in self.node(node))
        return Block(block.parameters, nodes, block.yields)

    def node(self, node: Node) -> list[Node]:
        """The node with the loops in it, and itself, after the rows that it reads."""
        if not isinstance(node, For) or not is_upwards(node):
            return [map_blocks(node, self.block, lambda operand: operand)]
        around = Around(node, self.aliases)
        before: list[Node] = []
        nodes: list[Node] = []
        for each in node.body.nodes:
            if isinstance(each, For) and is_innermost(each):
                nodes.append(self.inner(each, around, before))
            else:
                nodes += self.node(each)
        body = dataclasses.replace(node.body, nodes=tuple(nodes))
        return [*before, dataclasses.replace(node, body=body)]

    def inner(self, loop: For, around: Around, before: list[Node]) -> For:
        """An innermost loop that reads what it would repeat from rows, which `before` fills."""
        repeated = around.repeated(loop) if is_upwards(loop) else {}
        for result, work in repeated.items():
            builder = Builder(loc=loop.loc)
            stop, room = around.last_stop(loop, builder)
            if stop is None or not (isinstance(room, Const) or room in self.at_hand):
                continue
            own = self.new_row(result, work, room)
            filling = [*builder.current.nodes, _filling(own, work, loop, stop)]
            before += where_it_ran(around.loop, filling, self.places) if stop is loop.stop else filling
            read = Load(result, own, (loop.body.parameters[0],), result.loc)
            nodes = tuple(read if node is work[-1] else node for node in loop.body.nodes)
            loop = dataclasses.replace(loop, body=dataclasses.replace(loop.body, nodes=nodes))
        return loop

    def new_row(self, result: Value, work: Work, room: Operand) -> Value:
        """An array of so many entries, named after the result or what it is computed from."""
        name = result.name or next(f"{each.buffer.name}_terms" for each in work if isinstance(each, Load))
        nodes, made = row(name, room, result.loc, self.places)
        self.made += nodes
        return made


def row(name: str, room: Operand, loc: Loc, places: Places) -> tuple[list[Node], Value]:
    """A new array of so many numbers, and the nodes that make it."""
    builder = Builder(loc=loc)
    below_zero = at_least(to_affine(Const(-1), {}, {}), places.affine(room))
    if not infeasible(places.with_facts([below_zero])):
        room = builder.apply(max, room, Const(0), type=INT)
    made = builder.apply(np.empty, room, name=name, type=Array("float64", 1))
    return builder.current.nodes, made


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
            isinstance(node, Append | Grow | Raise | While)
            or getattr(getattr(node, "function", None), "writes", False)
            for node in inside
        )

    def last_stop(self, loop: For, builder: Builder) -> tuple[Operand | None, Operand]:
        """Where the longest of the inner loop's rounds ends, and a room that is long enough."""
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

    def repeated(self, loop: For) -> dict[Value, Work]:
        """What takes two elements along the inner loop or more and is the same in every round, with all its nodes."""
        if not self.is_clear:
            return {}
        index = loop.body.parameters[0]
        found: dict[Operand, Work] = {}
        for node in loop.body.nodes:
            if isinstance(node, Load) and self.is_same(node, index):
                found[node.result] = [node]
            elif isinstance(node, Apply) and node.function in ARITHMETIC and node.result.type == FLOAT:
                if all(each in found or each not in self.own for each in node.operands):
                    parts = [part for each in node.operands for part in found.get(each, ())]
                    found[node.result] = [*dict.fromkeys(parts), node]
        read = set(loop.body.yields)
        for node in loop.body.nodes:
            if found.keys().isdisjoint(results(node)):
                read.update(operands(node))
        return {
            work[-1].result: work
            for value, work in found.items()
            if value in read and sum(isinstance(each, Load) and index in each.index for each in work) >= 2
        }

    def is_same(self, load: Load, index: Value) -> bool:
        """Whether the element is the same in every round."""
        buffer, items = load.buffer, index_operands(load.index)
        if not isinstance(buffer, Value) or buffer in self.own or self.aliases.of(buffer) in self.written:
            return False
        return load.result.type == FLOAT and all(item is index or item not in self.own for item in items)


def _filling(own: Value, work: Work, loop: For, stop: Operand) -> For:
    """The loop that computes the row."""
    index = dataclasses.replace(loop.body.parameters[0])
    renewed: dict[Operand, Operand] = {loop.body.parameters[0]: index}
    nodes: list[Node] = []
    for node in work:
        result = dataclasses.replace(node.result)
        copy = rename_operands(node, lambda operand: renewed.get(operand, operand))
        assert isinstance(copy, Apply | Load)
        nodes.append(dataclasses.replace(copy, result=result))
        renewed[node.result] = result
    nodes.append(Store(own, (index,), result, loop.loc))
    return dataclasses.replace(loop, stop=stop, inits=(), body=Block((index,), tuple(nodes), ()), results=())


def is_upwards(loop: For) -> bool:
    """Whether the loop runs from 0 upwards, often."""
    return loop.exit is None and literal(loop.start) == 0 and literal(loop.step) == 1 and not is_short(loop)


def is_innermost(loop: For) -> bool:
    """Whether the loop only computes, loads and stores."""
    return all(isinstance(each, Apply | Load | Store | Comment) for each in loop.body.nodes)
