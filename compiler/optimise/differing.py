"""What differs from direction to direction: in the iterations of a loop whose index says only where they store.

Numbers and arrays differ that an iteration computes from its seed, of which its index says which entry is one. What branches and loops ask
for is alike in all directions, else they cannot advance together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from backsweep.analysis.alias import Aliases
from backsweep.analysis.integers.affine import literal
from backsweep.ir.effects import effect, must_run, written_by
from backsweep.ir.nodes import (
    Append,
    Apply,
    Comment,
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
    equals,
)
from backsweep.ir.operations import Kind, Sharing, operation
from backsweep.ir.typed import is_element, type_of
from backsweep.ir.types import INT, Array, List, Scalar
from backsweep.ir.walk import (
    blocks,
    definitions_of,
    free_values,
    index_operands,
    leaving,
    merges,
    operands,
    results,
    walk,
)
from backsweep.rules.declare import is_elementwise

FEW = (0, 1, 2)
"""So few directions have no loop of their own."""


def may_be_of_directions(node: Node) -> bool:
    """Whether the node is a loop that carries nothing, whose index says only where something is stored, and which holds a loop."""
    if not isinstance(node, For) or node.inits or node.exit is not None or node.checkpoint or node.parallel:
        return False
    if literal(node.start) != 0 or literal(node.step) != 1 or literal(node.stop) in FEW:
        return False
    index = node.body.parameters[0]
    for each in walk(node.body):
        places = each.index if isinstance(each, Store) else ()
        if index in operands(each) and not (index in places and each.value is not index):  # type: ignore[union-attr]
            return False
    return any(isinstance(each, For | While) for each in walk(node.body))


@dataclass(slots=True)
class Differing:
    """What differs from direction to direction: numbers, and classes of memory that an iteration makes for itself.

    `stored` are arrays from outside that an iteration only stores into, at its index; `seeds` are arrays of zeros from outside, each with
    the statement that makes it, into which an iteration stores a one first and a zero last.
    """

    loop: For
    aliases: Aliases
    stored: frozenset[Value]
    seeds: dict[Value, Apply]
    numbers: set[Value] = field(default_factory=set)
    memory: set[Value] = field(default_factory=set)

    @classmethod
    def of(cls, function: Function, loop: For, aliases: Aliases) -> Differing | None:
        """What differs in the iterations of a loop; None if they do not stay apart, or if something in them has no form for several."""
        outside = {
            aliases.of(value): value
            for value in free_values(loop.body)
            if isinstance(value.type, Array | List)
        }
        inside = list(walk(loop.body))
        changed = {aliases.of(each) for node in inside if not blocks(node) for each in written_by(node)}
        stored: set[Value] = set()
        seeds: dict[Value, Apply] = {}
        definitions = definitions_of(function)
        for leader in changed.intersection(outside):
            array = outside[leader]
            made = definitions.get(array)
            if _is_only_stored(loop, inside, leader, aliases):
                stored.add(leader)
            elif (
                isinstance(made, Apply)
                and made.function in (np.zeros, np.zeros_like)
                and _is_seed(loop, inside, array)
            ):
                seeds[array] = made
            else:
                return None
        apart = cls(loop, aliases, frozenset(stored), seeds)
        apart.numbers.add(loop.body.parameters[0])
        while apart.spread(inside):
            pass
        left = changed.difference(apart.memory)
        own = apart.memory.intersection(outside).issubset(map(aliases.of, seeds))
        return apart if own and all(apart.has_form(node, left) for node in inside) else None

    def differs(self, operand: Operand | None) -> bool:
        """Whether a number, or what is in an array, is another one in each direction."""
        if not isinstance(operand, Value):
            return False
        return operand in self.numbers or (
            isinstance(operand.type, Array | List) and self.aliases.of(operand) in self.memory
        )

    def is_mixed(self, node: Node) -> bool:
        """Whether a branch or a loop computes or stores something that differs."""
        return any(
            any(map(self.differs, (*operands(each), *results(each), *leaving(each)))) or self.is_result(each)
            for each in (node, *(inner for block in blocks(node) for inner in walk(block)))
        )

    def is_result(self, node: Node) -> bool:
        """Whether the node stores into the Jacobian."""
        return isinstance(node, Store) and self.aliases.of(node.buffer) in self.stored

    def spread(self, inside: Sequence[Node]) -> bool:
        """Note what differs because of what is known to differ; whether that is more than before."""
        before = len(self.numbers), len(self.memory)
        for node in inside:
            for group in merges(node):
                if any(map(self.differs, group)):
                    self.note(group)
            if isinstance(node, Apply):
                shapes = operation(node.function).shape_only
                if any(
                    self.differs(each) for place, each in enumerate(operands(node)) if place not in shapes
                ):
                    self.note((node.result, *written_by(node)))
            elif isinstance(node, Load | View):
                if any(map(self.differs, operands(node))):
                    self.note((node.result,))
            elif (
                isinstance(node, Store | Append)
                and not self.is_result(node)
                and any(map(self.differs, operands(node)))
            ):
                self.note((node.buffer,))
        return before != (len(self.numbers), len(self.memory))

    def note(self, found: Iterable[Operand]) -> None:
        """Numbers, or the memory of arrays, differ."""
        for each in found:
            if isinstance(each, Value):
                if isinstance(each.type, Array | List):
                    self.memory.add(self.aliases.of(each))
                else:
                    self.numbers.add(each)

    def is_number(self, node: Node) -> bool:
        """Whether the node computes a number for each direction, or stores one."""
        if isinstance(node, Store):
            return is_element(node) and (self.differs(node.buffer) or self.is_result(node))
        return isinstance(node, Apply | Load) and node.result in self.numbers

    def has_form(self, node: Node, changed: set[Value]) -> bool:
        """Whether a statement of one direction has a form for several; `changed` is the memory that is written and does not differ."""
        if isinstance(node, Comment):
            return True
        if any(not isinstance(each.type, Scalar | Array) for each in results(node) if self.differs(each)):
            return False
        match node:
            case Apply() if effect(node).keeps_place:
                return False
            case Apply() if any(map(self.differs, (node.result, *operands(node)))):
                return self.call_has_form(node)
            case Load(buffer=Value() as buffer):
                return (
                    self.differs(buffer)
                    or self.aliases.of(buffer) not in changed
                    or not self.differs(node.result)
                )
            case View():
                return not any(map(self.differs, index_operands(node.index)))
            case Store():
                return is_element(node) or (
                    not self.is_result(node)
                    and all(type_of(each) == INT for each in index_operands(node.index))
                    and not any(map(self.differs, index_operands(node.index)))
                    and self.loop.body.parameters[0] is not node.value
                )
            case Append() | Grow() | Raise():
                return not any(map(self.differs, operands(node)))
            case If():
                return not self.differs(node.condition)
            case For() | While():
                asked = (
                    node.condition.yields if isinstance(node, While) else (node.start, node.stop, node.step)
                )
                marked = node.checkpoint is not None or (isinstance(node, For) and node.parallel)
                return not any(map(self.differs, (*asked, node.exit))) and not (
                    marked and self.is_mixed(node)
                )
            case _:
                return True

    def call_has_form(self, node: Apply) -> bool:
        """Whether a call has a form for several directions: of numbers, of entries, or one that makes an array."""
        known = operation(node.function)
        if written_by(node) or known.sharing is not Sharing.NEVER:
            return False
        if known.kind is Kind.EXTENT:
            return node.function in (np.shape, np.size, len)
        if isinstance(node.result.type, Scalar):
            return not must_run(node) and all(isinstance(type_of(each), Scalar) for each in node.operands)
        if known.kind in (Kind.ALIKE, Kind.NEW):
            return not any(map(self.differs, (*node.operands[1:], *(each for _, each in node.keywords))))
        if not any(map(self.differs, operands(node))):
            return not must_run(node)
        index = self.loop.body.parameters[0]
        return (
            (is_elementwise(node) or known.kind is Kind.COPY)
            and not node.keywords
            and index not in node.operands
        )

    def is_sequence(self, node: Node) -> bool:
        """Whether the node is a loop of which the machine computes one iteration after another: it carries what differs, or has branches."""
        if not isinstance(node, For | While) or not self.is_mixed(node):
            return False
        carries = any(map(self.differs, node.results))
        return carries or any(
            isinstance(each, If | While) and self.is_mixed(each) for each in node.body.nodes
        )


def _is_only_stored(loop: For, inside: Sequence[Node], leader: Value, aliases: Aliases) -> bool:
    """Whether all that happens to the memory are stores of numbers at the index of the loop."""
    index = loop.body.parameters[0]
    for node in inside:
        touched = any(
            isinstance(each, Value) and aliases.of(each) is leader
            for each in (*operands(node), *leaving(node))
        )
        if touched and not (isinstance(node, Store) and is_element(node) and index in node.index):
            return False
    return True


def _is_seed(loop: For, inside: Sequence[Node], array: Value) -> bool:
    """Whether an iteration stores a number into an array of zeros first, and takes it back last."""
    stores = [node for node in inside if isinstance(node, Store) and node.buffer is array]
    index = loop.body.parameters[0]
    return (
        len(stores) == 2
        and all(node in loop.body.nodes and is_element(node) and index in node.index for node in stores)
        and stores[0].index == stores[1].index
        and equals(stores[1].value, 0.0)
        and next(node for node in loop.body.nodes if not isinstance(node, Comment)) is stores[0]
        and loop.body.nodes[-1] is stores[1]
    )
