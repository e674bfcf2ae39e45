"""Decide whether accesses to memory in loops may run in another order, for passes that reverse, split or merge loops.

Iterations commute where each carried value only accumulates, and where memory that the loop writes is
either only added to and never read, or such that no two iterations touch the same element.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from functools import cached_property

from backsweep.analysis.alias import Aliases, find_aliases, memory_of_arguments
from backsweep.analysis.integers.affine import literal
from backsweep.analysis.integers.dependence import Subscripts, subscripts_of
from backsweep.analysis.order.references import References
from backsweep.ir.effects import effect, has_effect
from backsweep.ir.nodes import (
    Append,
    Apply,
    Block,
    Const,
    For,
    Function,
    Grow,
    If,
    Load,
    Node,
    Operand,
    Raise,
    Store,
    Value,
    View,
    While,
    fact,
)
from backsweep.ir.types import Array
from backsweep.ir.walk import carried_parameters, free_values, leaving, operands, walk

MOST_PAIRS = 100
"""Beyond so many pairs of accesses a loop keeps its order: each takes a proof."""


@fact
def order_of(function: Function) -> IterationOrder:
    """In what order a program's loops may run."""
    return IterationOrder(function)


class IterationOrder:
    """Answers about the loops of one program; True is proved."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.aliases = find_aliases(function)
        self.argument_memory = memory_of_arguments(function)
        self._within: dict[For, Aliases] = {}

    @cached_property
    def subscripts(self) -> Subscripts:
        """What is known of the elements that its loads and stores touch."""
        return subscripts_of(self.function)

    @cached_property
    def references(self) -> References:
        """What is known of references of one class."""
        return References(self.function, self.aliases)

    def within(self, loop: For) -> Aliases:
        """The alias classes for the loop alone: arrays from outside that are proved distinct are in classes of their own."""
        if loop not in self._within:
            self._within[loop] = self.references.within(loop, self.argument_memory)
        return self._within[loop]

    def commutes(self, loop: For) -> bool:
        """Whether the iterations may run in any order (sums are then rounded in another order)."""
        return self.carries_sums(loop) and self.memory_commutes(loop)

    def carries_sums(self, loop: For) -> bool:
        """Whether all that the loop carries are sums, of which no iteration reads what was added so far."""
        carried = loop.body.parameters[1:]
        allowed: set[tuple[Node | None, Value]] = set()
        for parameter, last in zip(carried, loop.body.yields, strict=True):
            if not _accumulates(parameter, last, loop.body, None, allowed):
                return False
        return _is_summed_alone(loop.body, allowed)

    def reads_as_before(
        self, loops: Sequence[For], nodes: Sequence[Node], load: Load, stores: Iterable[Store]
    ) -> bool:
        """Whether the load may run for all iterations of a nest before any of the stores runs.

        `loops` are those of the nest that hold the load, from the outside in, `nodes` all nodes of the nest in program order.
        """
        aliases, argument_memory = self.within(loops[0]), self.argument_memory
        for store in stores:
            leader = aliases.of(store.buffer)
            if not reads_memory(load, leader, aliases):
                if (
                    leader in argument_memory
                    and isinstance(load.buffer, Value)
                    and aliases.of(load.buffer) in argument_memory
                ):
                    return False
                continue
            if leader in argument_memory or nodes.index(store) < nodes.index(load):
                return False
            if any(self.subscripts.may_meet_across(loop, store, load) for loop in loops):
                return False
        return True

    def writes_once(self, loop: For, store: Store) -> bool:
        """Whether no two iterations of the loop write one element with the store."""
        return not self.subscripts.may_meet_across(loop, store, store)

    def overtakes(self, loop: For, one: Node, other: Node, leader: Value, aliases: Aliases) -> bool:
        """Whether it may matter that `one` runs in an iteration of the loop before `other` does in a later one.

        Each of the two is in the loop, and touches memory of the class of `leader` in `aliases`.
        """
        pair = (one, other)
        stores = [node for node in pair if isinstance(node, Store) and aliases.of(node.buffer) is leader]
        if not stores or (len(stores) == len(pair) and all(store.accumulate for store in stores)):
            return False
        if not isinstance(one, Load | Store) or not isinstance(other, Load | Store):
            return True
        if any(isinstance(node, Store) and node not in stores for node in pair):
            return True  # what it stores is that memory
        return self.subscripts.may_meet_across(loop, one, other)

    def may_meet(self, loop: For, store: Store, other: Node) -> bool:
        """Whether the two nodes in the loop may touch one element, each in any of its iterations."""
        known = self.subscripts.places.places
        if isinstance(other, Store) and reads_memory(other, self.aliases.of(store.buffer), self.aliases):
            return True
        if not isinstance(other, Load | Store) or store not in known or other not in known:
            return True
        return self.subscripts.may_meet_within(loop, store, other)

    def memory_commutes(self, loop: For) -> bool:
        """Whether what the loop writes to memory does not depend on the order of the iterations."""
        inside, aliases = list(walk(loop.body)), self.within(loop)
        if any(isinstance(node, Append | Grow | Raise | While) for node in inside):
            return False
        local = {node.result for node in inside if isinstance(node, Apply | View)}
        written: dict[Value, list[Store]] = {}
        for node in inside:
            if isinstance(node, Store):
                written.setdefault(aliases.of(node.buffer), []).append(node)
            elif isinstance(node, Apply) and has_effect(node):
                return False
        for leader, stores in written.items():
            of_an_iteration = all(aliases.root(store.buffer) in local for store in stores)
            if of_an_iteration and not aliases.is_merged(leader):
                continue
            only_added = all(store.accumulate for store in stores)
            if only_added and not any(reads_memory(node, leader, aliases) for node in inside):
                continue
            if own_index_alone(loop, leader, aliases) and self.subscripts.places.is_from_front(loop):
                continue
            if leader in self.argument_memory or not self.touches_distinct_elements(
                loop, inside, leader, aliases
            ):
                return False
        return True

    def touches_distinct_elements(
        self, loop: For, inside: list[Node], leader: Value, aliases: Aliases, *, adding_too: bool = False
    ) -> bool:
        """Whether different iterations surely touch different elements of the class, except elements that both only add to.

        With `adding_too`, there is no such exception.
        """
        accesses: dict[tuple[object, ...], Load | Store] = {}
        for node in inside:
            match node:
                case Load() if reads_memory(node, leader, aliases):
                    accesses.setdefault((node.buffer, "load", *map(spelled, node.index)), node)
                case Store() if reads_memory(node, leader, aliases):
                    return False
                case Store() if aliases.of(node.buffer) is leader:
                    accesses.setdefault((node.buffer, node.accumulate, *map(spelled, node.index)), node)
                case _ if reads_memory(node, leader, aliases):
                    return False
                case _:
                    pass
        pairs = [
            (one, other)
            for one in accesses.values()
            for other in accesses.values()
            if isinstance(other, Store)
            and (adding_too or not (isinstance(one, Store) and one.accumulate and other.accumulate))
        ]
        return len(pairs) <= MOST_PAIRS and not any(
            self.subscripts.may_meet_across(loop, *pair) or self.subscripts.may_meet_across(loop, *pair[::-1])
            for pair in pairs
        )


def sums_in(loop: For | While) -> list[int]:
    """The numbers of the values that a loop carries which are sums: no iteration, and no condition, reads what was added so far."""
    found = []
    for place, (parameter, last) in enumerate(zip(carried_parameters(loop), loop.body.yields, strict=True)):
        allowed: set[tuple[Node | None, Value]] = set()
        if not _accumulates(parameter, last, loop.body, None, allowed):
            continue
        chained = {value for _, value in allowed}
        asked = loop.exit in chained or (isinstance(loop, While) and _is_asked(loop, place))
        if not asked and _is_summed_alone(loop.body, allowed):
            found.append(place)
    return found


def _is_asked(loop: While, place: int) -> bool:
    """Whether the condition of the loop reads a value that the loop carries."""
    condition = loop.condition
    return condition.parameters[place] in free_values(Block((), condition.nodes, condition.yields))


def _is_summed_alone(body: Block, allowed: set[tuple[Node | None, Value]]) -> bool:
    """Whether nothing in the body but the links of the chains of sums reads a sum."""
    chained = {value for _, value in allowed}
    return all(
        operand not in chained or (node, operand) in allowed
        for node in walk(body)
        for operand in (*operands(node), *leaving(node))
    )


def _accumulates(
    start: Value, last: Operand, block: Block, owner: Node | None, allowed: set[tuple[Node | None, Value]]
) -> bool:
    """Whether `last`, which `block` of `owner` ends with, is `start` plus terms; notes each link of the chain of sums."""
    if not isinstance(last, Value) or isinstance(last.type, Array):
        return last is start
    definitions = _definitions(block)
    allowed.add((owner, last))
    while last is not start:
        link = definitions.get(last)
        match link:
            case Apply(function=operator.add | operator.sub, operands=(Value() as before, after)) if (
                after is not before and after is not start
            ):
                pass
            case For() | While():
                place = link.results.index(last)
                inner, yielded = carried_parameters(link)[place], link.body.yields[place]
                init = link.inits[place]
                if isinstance(link, While) and _is_asked(link, place):
                    return False
                if not isinstance(init, Value) or not _accumulates(inner, yielded, link.body, link, allowed):
                    return False
                before = init
            case If():
                place = link.results.index(last)
                found = _began(link.then.yields[place], link.then)
                sides = (link.then, link.orelse)
                if not isinstance(found, Value) or not all(
                    _accumulates(found, side.yields[place], side, link, allowed) for side in sides
                ):
                    return False
                before = found
            case _:
                return False
        allowed.add((link, before))
        last = before
    return True


def _began(last: Operand, block: Block) -> Operand:
    """What a chain of sums that ends in a block begins with there: the first link that is not computed in the block."""
    definitions = _definitions(block)
    while isinstance(last, Value):
        match definitions.get(last):
            case Apply(function=operator.add | operator.sub, operands=(before, _)):
                last = before
            case For() | While() as loop:
                last = loop.inits[loop.results.index(last)]
            case If() as link:
                last = _began(link.then.yields[link.results.index(last)], link.then)
            case _:
                break
    return last


def _definitions(block: Block) -> dict[Value, Node]:
    """The sums, branches and loops of a block, by what they compute."""
    found: dict[Value, Node] = {}
    for node in block.nodes:
        match node:
            case Apply():
                found[node.result] = node
            case If() | For() | While():
                found.update(dict.fromkeys(node.results, node))
            case _:
                pass
    return found


def reads_memory(node: Node, leader: Value, aliases: Aliases) -> bool:
    """Whether the node itself, without its blocks, reads memory of the class or gives it another name."""
    touched = operands(node) if isinstance(node, If | For | While) else effect(node).touched
    return any(isinstance(each, Value) and aliases.of(each) is leader for each in touched)


def own_index_alone(loop: For, leader: Value, aliases: Aliases) -> bool:
    """Whether every access to the class in the loop is at its index, on one and the same axis."""
    index = loop.body.parameters[0]
    axes: set[int] | None = None
    buffers: set[Value] = set()
    for node in walk(loop.body):
        match node:
            case Load() | Store() if isinstance(node.buffer, Value) and aliases.of(node.buffer) is leader:
                here = {axis for axis, item in enumerate(node.index) if item is index}
                axes = here if axes is None else axes & here
                buffers.add(node.buffer)
            case _:
                if reads_memory(node, leader, aliases) or (
                    isinstance(node, View) and aliases.of(node.buffer) is leader
                ):
                    return False
    return bool(axes) and len(buffers) == 1


def spelled(item: object) -> object:
    """A key that tells one index item from another."""
    number = literal(item) if isinstance(item, Const) else None
    return item if number is None else number
