"""A reversed loop that adds to neighbouring places of one array becomes a loop for each: the machine vectorises those.

The adjoint of a stencil adds to `x_bar[i - 1]`, `x_bar[i]` and `x_bar[i + 1]`, which iterations share. What is added
is computed in each of the loops again, so it has to be cheap.
"""

from __future__ import annotations

import dataclasses
import operator
from functools import cached_property
from itertools import zip_longest

from backsweep.analysis.alias import find_aliases
from backsweep.analysis.integers.affine import literal
from backsweep.analysis.integers.domains import Places
from backsweep.analysis.trip_counts import unit
from backsweep.ir.nodes import Apply, Block, Comment, Const, For, Function, Load, Node, Operand, Store, Value
from backsweep.ir.operations import Kind, kind
from backsweep.ir.sweeps import rebuild_reverse_sweep
from backsweep.ir.typed import is_element
from backsweep.ir.types import INT, Array
from backsweep.ir.walk import index_operands, map_blocks, operands, rename_operands
from backsweep.optimise.loops.reversal import own_index_alone, reads_memory

MOST_EXPENSIVE = 6
"""The most loads and operations that one place may take to be computed again."""


def split_neighbouring_stores(function: Function) -> Function:
    """The same program, in whose reverse sweep no innermost loop adds to neighbouring places if it can be split."""
    return rebuild_reverse_sweep(function, _Fission(function).node)


class _Fission:
    """Rebuilds blocks; answers what is asked of memory and indices."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.aliases = find_aliases(function)

    @cached_property
    def places(self) -> Places:
        return Places(self.function)

    def node(self, node: Node) -> list[Node]:
        """The node with the loops in it, and itself, split."""
        if not isinstance(node, For) or node.results or node.exit is not None or unit(node.step) is None:
            return [map_blocks(node, self.block)]
        if not all(isinstance(inner, Apply | Load | Store | Comment) for inner in node.body.nodes):
            return [map_blocks(node, self.block)]
        return _Loop(node, self).parts()

    def block(self, block: Block) -> Block:
        nodes = tuple(each for node in block.nodes for each in self.node(node))
        return Block(block.parameters, nodes, block.yields)


class _Loop:
    """One innermost loop that carries nothing."""

    def __init__(self, loop: For, around: _Fission) -> None:
        self.loop = loop
        self.around = around
        self.aliases = around.aliases
        self.index = loop.body.parameters[0]
        self.definitions: dict[Operand, Apply | Load] = {
            node.result: node for node in loop.body.nodes if isinstance(node, Apply | Load)
        }
        self.place = {node: number for number, node in enumerate(loop.body.nodes)}

    def parts(self) -> list[Node]:
        """The loops it is split into, the last with all that stays together."""
        places: dict[Value, dict[tuple[object, ...], list[Store]]] = {}
        for node in self.loop.body.nodes:
            if isinstance(node, Store) and self.is_apart(node):
                place = (node.buffer, *map(self.spelled, node.index))
                places.setdefault(self.aliases.of(node.buffer), {}).setdefault(place, []).append(node)
        # Each round takes one place of each array; an array's last place stays with the rest.
        queues = [list(found.values())[:-1] for found in places.values()]
        rounds = [[store for stores in each for store in stores or ()] for each in zip_longest(*queues)]
        gone: set[Node] = {store for stores in rounds for store in stores}
        body = self.loop.body
        headings = {node for node in body.nodes if isinstance(node, Comment)}
        if rounds and len(headings) == 1:  # the first loop has it
            gone |= headings
        rest = tuple(node for node in body.nodes if node not in gone)
        last = dataclasses.replace(self.loop, body=dataclasses.replace(body, nodes=rest))
        return [*(self.loop_of(stores, with_heading=not k) for k, stores in enumerate(rounds)), last]

    def loop_of(self, stores: list[Store], *, with_heading: bool) -> For:
        """A loop of these stores alone and what they need."""
        needed = {node for store in stores for node in (store, *self.slice(store))}
        index = dataclasses.replace(self.index)
        renewed: dict[Operand, Operand] = {self.index: index}
        nodes: list[Node] = []
        for node in self.loop.body.nodes:
            if isinstance(node, Comment) and with_heading:
                nodes.append(node)
            if node not in needed:
                continue
            copy = rename_operands(node, lambda operand: renewed.get(operand, operand))
            if isinstance(copy, Apply | Load):
                renewed[copy.result] = result = dataclasses.replace(copy.result)
                copy = dataclasses.replace(copy, result=result)
            nodes.append(copy)
        return dataclasses.replace(self.loop, body=Block((index,), tuple(nodes), ()))

    def slice(self, store: Store) -> set[Node]:
        """The nodes of the body that the store needs."""
        found: set[Node] = set()
        todo = list(operands(store))
        while todo:
            node = self.definitions.get(todo.pop())
            if node is not None and node not in found:
                found.add(node)
                todo += operands(node)
        return found

    # What may be split off ---------------------------------------------------------------------

    def is_apart(self, store: Store) -> bool:
        """Whether the store can run, for all iterations, before everything else."""
        if not store.accumulate or not is_element(store) or not self.is_along(store):
            return False
        leader = self.aliases.of(store.buffer)
        for node in self.loop.body.nodes:
            if isinstance(node, Store) and not node.accumulate and self.aliases.of(node.buffer) is leader:
                return False
            if reads_memory(node, leader, self.aliases):
                return False
        made_of = [node for node in self.slice(store) if not _is_index(node)]
        return len(made_of) <= MOST_EXPENSIVE and all(self.is_repeatable(node) for node in made_of)

    def is_repeatable(self, node: Node) -> bool:
        """Whether the node gives in a loop before this one what it gives here."""
        if isinstance(node, Apply):
            return kind(node.function) is Kind.ARITHMETIC and not isinstance(node.result.type, Array)
        assert isinstance(node, Load)
        if not isinstance(node.buffer, Value) or not (
            self.is_along(node) or all(map(self.is_fixed, (node.buffer, *index_operands(node.index))))
        ):
            return False
        leader = self.aliases.of(node.buffer)
        written = [
            self.place[each]
            for each in self.loop.body.nodes
            if isinstance(each, Store) and self.aliases.of(each.buffer) is leader
        ]
        if not written:
            return True
        is_own = own_index_alone(self.loop, leader, self.aliases)
        return self.place[node] < min(written) and is_own and self.around.places.is_from_front(self.loop)

    def is_along(self, access: Load | Store) -> bool:
        """Whether iterations go through neighbouring elements of the array's rows."""
        if not access.index:
            return False
        *others, last = access.index
        buffer = access.buffer
        assert isinstance(buffer, Value)
        in_rows = isinstance(buffer.type, Array) and buffer.type.layout == "C"
        return (
            in_rows
            and all(map(self.is_fixed, (buffer, *others)))
            and (last is self.index or self.is_beside(last))
        )

    def spelled(self, item: object) -> object:
        """What tells an index from others."""
        node = self.definitions.get(item) if isinstance(item, Value) else None
        if isinstance(node, Apply):
            return (node.function, *map(self.spelled, node.operands))
        return literal(item) if isinstance(item, Const) else item

    def is_beside(self, item: object) -> bool:
        """Whether an index is the loop's, plus or minus a literal."""
        node = self.definitions.get(item) if isinstance(item, Value) else None
        if not isinstance(node, Apply) or node.function not in (operator.add, operator.sub):
            return False
        left, right = node.operands
        return left is self.index and isinstance(right, Const)

    def is_fixed(self, item: object) -> bool:
        """Whether an array or an index is the same in every iteration."""
        node = self.definitions.get(item) if isinstance(item, Value) else None
        if node is None:
            return item is not self.index
        return _is_index(node) and all(map(self.is_fixed, operands(node)))


def _is_index(node: Node) -> bool:
    """Whether the node computes an index."""
    return isinstance(node, Apply) and node.result.type == INT
