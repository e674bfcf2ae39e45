"""Turn the primal into the forward sweep: collect what is to be added (tapes, counters, results), and add it at the end."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from backsweep.analysis.structure import Facts, Region
from backsweep.analysis.trip_counts import counter_of, iteration, trips_here
from backsweep.ir.build import Builder, dtype_argument, named_dtype
from backsweep.ir.nodes import (
    UNDEFINED,
    Append,
    Apply,
    Block,
    Const,
    For,
    Grow,
    If,
    Node,
    Operand,
    Role,
    Store,
    Value,
    While,
)
from backsweep.ir.types import INT, Array, List, Scalar
from backsweep.ir.walk import with_nodes
from backsweep.runtime.tape import grown, reserved

INITIAL_SIZE = Const(16)


@dataclass(slots=True, eq=False)
class Carry:
    """One more value for a loop to carry: entering as `init`, in the body `parameter`, leaving as `result`."""

    init: Operand
    parameter: Value
    result: Value
    last: Operand


@dataclass(slots=True, eq=False)
class Thread:
    """A value carried through all the loops around a block: `here` in the block, `start` where its loop begins."""

    here: Operand
    start: Operand
    carries: list[tuple[Region, Block, Operand, Carry | None]]
    end: Operand

    def finish(self, recorder: Recorder, updated: Operand) -> None:
        """Hand the updated value out through the regions, innermost first."""
        for region, block, incoming, carry in self.carries:
            if isinstance(region, If):
                assert isinstance(updated, Value)
                result = dataclasses.replace(updated)
                sides = (updated, incoming) if block is region.then else (incoming, updated)
                recorder.results.setdefault(region, []).append((result, *sides))
                recorder.define(result, region)
                updated = result
            else:
                assert carry is not None
                carry.last = updated
                updated = carry.result
        self.end = updated


@dataclass(frozen=True, slots=True, eq=False)
class Counter:
    """Counts the iterations of a block through all loops: `here` before this one, `start` where its loop began."""

    here: Operand
    start: Operand


def tape_name(value: Value) -> str:
    """The name of the record of a value: after the value, if that has a name."""
    return f"{value.name}_tape" if value.name else "tape"


class Recorder:
    """Collects the edits and applies them; every edit is found by the node or block that it belongs to."""

    def __init__(self, facts: Facts, new_list: Any) -> None:
        self.facts = facts
        self.new_list = new_list
        self.before: dict[Node, list[Node]] = {}
        self.after: dict[Node, list[Node]] = {}
        self.at_start: dict[Block, list[Node]] = {}
        self.at_end: dict[Block, list[Node]] = {}
        self.results: dict[Region, list[tuple[Value, Operand, Operand]]] = {}
        self.carries: dict[Region, list[Carry]] = {}
        self.sites: dict[Value, list[Node]] = {}
        self.counters: dict[Block, Counter] = {}
        self.trip_counts: dict[Region, tuple[Value, Value]] = {}
        self.growing = set(facts.shapes.growing)

    # Where things go

    def define(self, value: Value, region: Region) -> None:
        """Note that `value` is an extra result of the region."""
        self.facts.where[value] = self.facts.holder[region]
        self.sites[value] = self.after.setdefault(region, [])

    def site(self, value: Value, block: Block) -> list[Node]:
        """The list to which nodes are appended that are to run right after `value` is defined."""
        if value in self.sites:
            return self.sites[value]
        node = self.facts.definitions.get(value)
        if node is None:
            return self.at_start.setdefault(block, [])
        return self.after.setdefault(node, [])

    def store_after(self, value: Value, block: Block, nodes: list[Node]) -> None:
        """Append nodes where `value` has just been defined."""
        self.site(value, block).extend(nodes)

    def store_where_assigned(self, value: Value, block: Block, store: Callable[[Value], list[Node]]) -> None:
        """Append nodes where `value` has just been defined; if only one side of a branch assigns it, within that side."""
        node = self.facts.definitions.get(value)
        if isinstance(node, If):
            number = node.results.index(value)
            sides = {side.yields[number]: side for side in (node.then, node.orelse)}
            one = next((each for each in sides if each is not UNDEFINED), None)
            if UNDEFINED in sides and isinstance(one, Value):
                if self.facts.where.get(one) is sides[one]:
                    self.store_where_assigned(one, sides[one], store)
                else:
                    self.at_end.setdefault(sides[one], []).extend(store(one))
                return
        self.store_after(value, block, store(value))

    def outermost(self, block: Block) -> tuple[list[tuple[Region, Block]], Region | None]:
        """The regions from the block out to the outermost loop around it, each with its block."""
        chain: list[tuple[Region, Block]] = []
        while block in self.facts.parents:
            region, parent = self.facts.parents[block]
            chain.append((region, block))
            block = parent
        while chain and isinstance(chain[-1][0], If):
            chain.pop()
        return chain, chain[-1][0] if chain else None

    # Threads, counters and tapes

    def thread(self, block: Block, name: str, type_: Scalar | Array, init: Operand) -> Thread:
        """A value carried through every loop around `block`, beginning as `init` before the outermost."""
        chain, _ = self.outermost(block)
        start = here = init
        found: list[tuple[Region, Block, Operand, Carry | None]] = []
        for region, inner in reversed(chain):
            if isinstance(region, If):
                found.append((region, inner, here, None))
                continue
            parameter, result = Value(name, type_, region.loc), Value(name, type_, region.loc)
            carry = Carry(here, parameter, result, parameter)
            self.carries.setdefault(region, []).append(carry)
            self.facts.where[parameter] = region.body
            self.define(result, region)
            found.append((region, inner, here, carry))
            start, here = here, parameter
        return Thread(here, start, found[::-1], here)

    def trips(self, loop: For | While) -> Value:
        """The number of iterations that a loop ran, counted by the forward sweep."""
        return self.trip_count(loop)[1]

    def trip_count(self, loop: For | While) -> tuple[Value, Value]:
        """The number of a loop's iterations so far, in its body and after it: by the program's own counter if it has one."""
        if loop not in self.trip_counts and (own := counter_of(loop, self.facts)) is not None:
            self.trip_counts[loop] = own
        if loop not in self.trip_counts:
            parameter, result = Value("trips", INT, loop.loc), Value("trips", INT, loop.loc)
            builder = Builder(loc=loop.loc)
            last = builder.apply(operator.add, parameter, Const(1), name="trips", type=INT)
            self.at_end.setdefault(loop.body, []).extend(builder.current.nodes)
            self.carries.setdefault(loop, []).append(Carry(Const(0), parameter, result, last))
            self.facts.where[parameter] = loop.body
            self.define(result, loop)
            self.trip_counts[loop] = (parameter, result)
        return self.trip_counts[loop]

    def counter(self, block: Block) -> Counter:
        """The counter of a loop body's iterations over all the loops around it."""
        if block not in self.counters:
            self.counters[block] = self._new_counter(block)
        return self.counters[block]

    def _new_counter(self, block: Block) -> Counter:
        loop, home = self.facts.parents[block]
        assert isinstance(loop, For | While)
        chain, _ = self.outermost(block)
        builder = Builder(loc=loop.loc)
        if isinstance(loop, For) and loop.exit is None:
            if len(chain) == 1:
                return Counter(Const(0), Const(0))
            thread = self.thread(home, "count", INT, Const(0))
            trips = trips_here(loop, builder, self.facts, loop.start, loop.stop, loop.step)
            updated = builder.apply(operator.add, thread.here, trips, name="count", type=INT)
            self.after.setdefault(loop, []).extend(builder.current.nodes)
            thread.finish(self, updated)
            return Counter(thread.here, thread.here)
        if len(chain) == 1:
            return Counter(self.trip_count(loop)[0], Const(0))
        thread = self.thread(block, "count", INT, Const(0))
        updated = builder.apply(operator.add, thread.here, Const(1), name="count", type=INT)
        self.at_end.setdefault(block, []).extend(builder.current.nodes)
        thread.finish(self, updated)
        return Counter(thread.here, thread.start)

    def array_tape(
        self, value: Value, outermost: Region, before: list[Node], lengths: list[Operand]
    ) -> Value:
        """A tape of these extents, allocated before the outermost loop."""
        assert isinstance(value.type, Scalar | Array)
        dtype = value.type.dtype
        builder = Builder(loc=outermost.loc)
        builder.add(*before)
        shape = lengths[0] if len(lengths) == 1 else builder.apply(tuple, *lengths)
        tape = self._empty(builder, value, shape, dtype, len(lengths))
        self.before.setdefault(outermost, []).extend(builder.current.nodes)
        self.facts.where[tape] = self.facts.holder[outermost]
        self.sites[tape] = self.before[outermost]
        return tape

    def _empty(self, builder: Builder, value: Value, shape: Operand, dtype: str, ndim: int) -> Value:
        """`np.empty(shape)`, with a dtype where it is not float64."""
        tape = Value(tape_name(value), Array(dtype, ndim), builder.loc, Role.RECORD)
        builder.add(Apply(tape, np.empty, (shape, *dtype_argument(dtype)), builder.loc))
        return tape

    def growing_tape(self, value: Value, block: Block, body: Block, counter: Counter) -> Value:
        """A tape that grows as the loops around `body` run, written in `block`."""
        assert isinstance(value.type, Scalar)
        loop, _ = self.facts.parents[body]
        _, outermost = self.outermost(body)
        assert outermost is not None
        builder = Builder(loc=value.loc)
        tape = self._empty(builder, value, INITIAL_SIZE, value.type.dtype, 1)
        self.before.setdefault(outermost, []).extend(builder.current.nodes)
        self.facts.where[tape] = self.facts.holder[outermost]
        self.sites[tape] = self.before[outermost]
        writing = Builder(loc=value.loc)
        if isinstance(loop, For) and loop.exit is None:
            reserving = Builder(loc=value.loc)
            trips = trips_here(loop, reserving, self.facts, loop.start, loop.stop, loop.step)
            total = reserving.apply(operator.add, counter.here, trips, type=INT)
            reserving.add(Grow(tape, reserved, total, value.loc))
            self.before.setdefault(loop, []).extend(reserving.current.nodes)
            position: Operand = writing.apply(operator.add, counter.here, iteration(loop, writing), type=INT)
        else:
            self.at_start.setdefault(body, []).insert(0, Grow(tape, grown, counter.here, value.loc))
            position = counter.here
        place = list(writing.current.nodes)
        self.store_where_assigned(
            value, block, lambda each: [*place, Store(tape, (position,), each, value.loc)]
        )
        return tape

    def placeholder(self, value: Value, block: Block) -> Operand:
        """An empty array at the end of a block that has no such value, so that a list can grow there too."""
        if not isinstance(value.type, Array):
            return UNDEFINED
        builder = Builder(loc=value.loc)
        shape = Const(0) if value.type.ndim == 1 else Const((0,) * value.type.ndim)
        dtype = named_dtype(value.type.dtype)
        empty = builder.apply(np.empty, shape, dtype, type=Array(value.type.dtype, value.type.ndim))
        self.at_end.setdefault(block, []).extend(builder.current.nodes)
        return empty

    def list_tape(self, value: Value, block: Block) -> Value:
        """A list of references that the loops around `block` append to; made outside of branches, it is there on all paths."""
        _, loop = self.outermost(block)
        assert loop is not None
        outermost = [loop, *self.facts.path(self.facts.holder[loop])][-1]
        assert value.type is not None
        tape = Value(tape_name(value), List(value.type), value.loc, Role.RECORD)
        self.before.setdefault(outermost, []).append(Apply(tape, self.new_list, (), value.loc))
        added = Append(tape, value, value.loc)
        if value in self.growing:  # what it is at the end
            self.at_end.setdefault(block, []).append(added)
        else:
            self.store_after(value, block, [added])
        self.facts.where[tape] = self.facts.holder[outermost]
        return tape

    # Application

    def forward(self, block: Block) -> Block:
        """The block with every edit applied."""
        nodes: list[Node] = list(self.at_start.get(block, ()))
        for node in block.nodes:
            nodes += self.before.get(node, ())
            nodes.append(self._edited(node))
            nodes += self.after.get(node, ())
        nodes += self.at_end.get(block, ())
        return with_nodes(block, nodes)

    def _edited(self, node: Node) -> Node:
        if isinstance(node, If):
            extra = self.results.get(node, [])
            then, orelse = self.forward(node.then), self.forward(node.orelse)
            then = dataclasses.replace(then, yields=(*then.yields, *(each[1] for each in extra)))
            orelse = dataclasses.replace(orelse, yields=(*orelse.yields, *(each[2] for each in extra)))
            results = (*node.results, *(each[0] for each in extra))
            return dataclasses.replace(node, then=then, orelse=orelse, results=results)
        if isinstance(node, For | While):
            return self._edited_loop(node)
        if isinstance(node, Apply) and node.function is list and isinstance(node.result.type, List):
            return dataclasses.replace(node, function=self.new_list)
        return node

    def _edited_loop(self, node: For | While) -> Node:
        carries = self.carries.get(node, [])
        body = self.forward(node.body)
        body = Block(
            (*body.parameters, *(carry.parameter for carry in carries)),
            body.nodes,
            (*body.yields, *(carry.last for carry in carries)),
        )
        inits = (*node.inits, *(carry.init for carry in carries))
        results = (*node.results, *(carry.result for carry in carries))
        if isinstance(node, For):
            return dataclasses.replace(node, inits=inits, body=body, results=results, checkpoint=None)
        condition = self.forward(node.condition)
        extra = tuple(dataclasses.replace(carry.parameter) for carry in carries)
        condition = dataclasses.replace(condition, parameters=(*condition.parameters, *extra))
        edited = dataclasses.replace(node, inits=inits, condition=condition, body=body, results=results)
        return dataclasses.replace(edited, checkpoint=None)
