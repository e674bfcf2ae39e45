"""Compute expensive functions of elements before the loop that would compute them again in every iteration.

`exp(a[k, j])` in a loop over `i` around loops over `k` and `j` is the same in all iterations of the outer one. An array
takes the results, one for each `k` and `j`; the reverse sweep reads them there, so that nothing is recorded in each
iteration, and the derivative of the function is applied once to what all iterations add up.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from backsweep.analysis.alias import Aliases
from backsweep.analysis.hoisting import hoisted
from backsweep.analysis.integers.affine import literal
from backsweep.analysis.structure import Facts, facts_of
from backsweep.ir.build import Builder
from backsweep.ir.nodes import (
    Apply,
    Block,
    Callee,
    Const,
    For,
    Function,
    If,
    Load,
    Node,
    Operand,
    Raise,
    Store,
    Value,
    View,
)
from backsweep.ir.operations import Kind, kind
from backsweep.ir.types import BOOL, INT, Array, Scalar, Tuple
from backsweep.ir.walk import index_operands, map_blocks, operands, renewed, walk, with_body, with_nodes

Work = tuple[Apply | Load | View, ...]


def hoist_invariant_calls(function: Function) -> Function:
    """The program, in which a loop calls no expensive function again and again for elements that it only reads."""
    if not any(
        _is_expensive(node)
        for loop in walk(function.body)
        if isinstance(loop, For)
        for node in walk(loop.body)
    ):
        return function
    return with_body(function, _Calls(function).block(function.body))


def _is_expensive(node: Node) -> bool:
    """Whether the node calls an elementary function of a float."""
    match node:
        case Apply(result=Value(type=Scalar(dtype="float64" | "float32")), operands=(_,), keywords=()):
            return kind(node.function) is Kind.ELEMENTARY
        case _:
            return False


@dataclass(frozen=True, slots=True)
class _Plan:
    """A call that moves before `loop`: `work` computes it, for each index of the `axes`; `others` repeat it, too."""

    loop: For
    work: Work
    axes: tuple[For, ...]
    others: tuple[For, ...]


class _Calls:
    """Rebuilds blocks in program order; `waiting` holds what goes before each loop, by the loop's index."""

    def __init__(self, function: Function) -> None:
        self.facts = facts_of(function)
        self.waiting: dict[Value, list[Node]] = {}
        self.replaced: dict[Node, Load] = {}
        for node in walk(function.body):
            if _is_expensive(node):
                assert isinstance(node, Apply)
                self.consider(node)

    def block(self, block: Block) -> Block:
        """The block with the moved calls before their loops."""
        nodes: list[Node] = []
        for node in block.nodes:
            if isinstance(node, For):
                nodes += self.waiting.get(node.body.parameters[0], ())
            nodes.append(self.replaced.get(node, map_blocks(node, self.block)))
        return with_nodes(block, nodes)

    def consider(self, call: Apply) -> None:
        """Move the call before the outermost loop that only repeats it, if there is one."""
        nest: list[For] = []
        for region in self.facts.path(self.facts.holder[call]):
            if not isinstance(region, For) or region.exit is not None or region.checkpoint is not None:
                break
            nest.insert(0, region)
        for number, loop in enumerate(nest):
            plan = self.planned(call, loop, nest[number + 1 :])
            if plan is not None:
                moved = _Moved(plan, call, self.facts).nodes()
                if moved is not None:
                    before, read = moved
                    self.waiting.setdefault(loop.body.parameters[0], []).extend(before)
                    self.replaced[call] = read
                return

    def planned(self, call: Apply, loop: For, inner: Sequence[For]) -> _Plan | None:
        """What moves the call before the loop, which has the `inner` loops around the call."""
        indices = {each.body.parameters[0]: each for each in inner}
        work = _work(call, loop, set(indices), self.facts)
        if work is None or self.is_guarded(call, loop):
            return None
        read = {each for node in work for each in operands(node)}
        axes = tuple(each for index, each in indices.items() if index in read)
        chosen = [_chosen(node, work) for node in work if isinstance(node, Load)]
        # the new array is no larger than one that is there
        if not axes or not any(all(each.body.parameters[0] in index for each in axes) for index in chosen):
            return None
        return _Plan(loop, work, axes, tuple(each for each in inner if each not in axes))

    def is_guarded(self, call: Apply, loop: For) -> bool:
        """Whether something in the loop may raise before the call is reached, so that its operands need not exist."""
        position = self.facts.position
        for node in walk(loop.body):
            if isinstance(node, Raise) and (not node.local or position[node] < position[call]):
                return True
            if isinstance(node, Apply) and isinstance(node.function, Callee):
                return True
        return False


def _chosen(load: Load, work: Work) -> set[Operand]:
    """The numbers that select an element, those of the views that it is read through included."""
    views = {node.result: node for node in work if isinstance(node, View)}
    found, buffer = set(index_operands(load.index)), load.buffer
    while isinstance(buffer, Value) and buffer in views:
        found.update(item for item in views[buffer].index if isinstance(item, Value))
        buffer = views[buffer].buffer
    return found


def _work(call: Apply, loop: For, indices: set[Value], facts: Facts) -> Work | None:
    """The nodes that compute the call, in program order, from the indices and from values before the loop; None if it reads more."""
    found: dict[Node, None] = {}

    def add(node: Node | None) -> bool:
        if not isinstance(node, Apply | Load | View) or not _is_movable(node, facts.aliases):
            return False
        known = all(
            not isinstance(each, Value)
            or each in indices
            or not facts.is_within(each, loop)
            or add(facts.definitions.get(each))
            for each in operands(node)
        )
        found.setdefault(node)
        return known

    return tuple(node for node in found if isinstance(node, Apply | Load | View)) if add(call) else None


def _is_movable(node: Apply | Load | View, aliases: Aliases) -> bool:
    """Whether the node gives the same at any time, and fails only where it reads out of bounds."""
    if isinstance(node, Apply):
        arithmetic = kind(node.function) in (Kind.ARITHMETIC, Kind.ELEMENTARY)
        return arithmetic and isinstance(node.result.type, Scalar) and not node.keywords
    if not isinstance(node.buffer, Value) or not isinstance(node.buffer.type, Array):
        return False
    numbers = all(
        isinstance(item, Const) or isinstance(item.type, Scalar) for item in index_operands(node.index)
    )
    return numbers and not aliases.in_memory(node.buffer)


class _Moved:
    """Writes the loops that compute the calls of a plan, and the load that reads one."""

    def __init__(self, plan: _Plan, call: Apply, facts: Facts) -> None:
        self.plan, self.call, self.facts = plan, call, facts
        self.builder = Builder(loc=plan.loop.loc)

    def nodes(self) -> tuple[list[Node], Load] | None:
        """The nodes before the loop and the load in it; None if the bounds of a loop are not known before it."""
        plan, builder = self.plan, self.builder
        stops: dict[For, Operand] = {}
        for each in (*plan.axes, *plan.others):
            stop = hoisted(each.stop, plan.loop, self.facts)
            first = literal(each.start)
            if stop is None or first is None or first < 0 or literal(each.step) != 1:
                return None
            builder.add(*stop[0])
            stops[each] = stop[1]
        if literal(plan.loop.step) != 1:
            return None
        type_ = self.call.result.type
        assert isinstance(type_, Scalar)
        extents = [builder.apply(max, stops[each], Const(0), type=INT) for each in plan.axes]
        shape = builder.apply(tuple, *extents, type=Tuple((INT,) * len(extents)))
        made = Array(type_.dtype, len(extents))
        dtype = () if type_.dtype == "float64" else (Const(np.dtype(type_.dtype).type),)
        array = builder.apply(np.empty, shape, *dtype, name=self.name(), type=made)
        builder.add(*self.where_it_runs(self.filling(array, stops), stops))
        indices = tuple(each.body.parameters[0] for each in plan.axes)
        return builder.current.nodes, Load(self.call.result, array, indices, self.call.loc)

    def name(self) -> str:
        """The name of the array: the result's, or that of the function and of what it reads."""
        read = next(
            (
                node.buffer.name
                for node in self.plan.work
                if isinstance(node, Load) and isinstance(node.buffer, Value)
            ),
            "",
        )
        return self.call.result.name or f"{self.call.function.__name__}_{read}".rstrip("_")

    def filling(self, array: Value, stops: dict[For, Operand]) -> Node:
        """The loops over the axes, which fill the array."""
        axes = self.plan.axes
        indices = tuple(each.body.parameters[0] for each in axes)
        body: tuple[Node, ...] = (*self.plan.work, Store(array, indices, self.call.result, self.call.loc))
        for each in reversed(axes):
            inner = Block((each.body.parameters[0],), body, ())
            body = (For(each.start, stops[each], each.step, (), inner, (), each.loc),)
        (loop,) = renewed(Block((), body, ())).nodes
        return loop

    def where_it_runs(self, filling: Node, stops: dict[For, Operand]) -> list[Node]:
        """The loops, run only if the loops that repeat the call have an iteration: else the elements need not exist."""
        nodes = [filling]
        for each in (*self.plan.others[::-1], self.plan.loop):
            builder = Builder(loc=filling.loc)
            runs = builder.apply(operator.lt, each.start, stops.get(each, each.stop), type=BOOL)
            builder.add(If(runs, Block((), tuple(nodes), ()), Block((), (), ()), (), filling.loc))
            nodes = builder.current.nodes
        return nodes
