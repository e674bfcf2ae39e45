"""Turn functions and loops that are marked by `bs.checkpoint` and `bs.checkpointed` into calls, which the reverse sweep computes again.

The body of a marked loop becomes a function that computes a block of its iterations. The loop becomes one over the blocks
but the last, which stays a plain loop: its records are at hand when the reverse sweep begins.

A loop of unknown length within a `prange` becomes a call, too: iterations that run side by side cannot record on one tape
that grows.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Sequence

import numpy as np

from backsweep.analysis.order.iterations import sums_in
from backsweep.interprocedural.blocks import (
    ONE,
    ZERO,
    ending_after,
    fresh,
    index_at,
    iterations,
    placeholder,
    plus,
    slots_of,
    telling_exit,
    zero_of,
)
from backsweep.interprocedural.iterations import iteration_of
from backsweep.interprocedural.outline import Outliner
from backsweep.interprocedural.states import States, read_of
from backsweep.ir.build import Builder
from backsweep.ir.dead_code import eliminate_dead_code
from backsweep.ir.nodes import (
    Apply,
    Block,
    Checkpoint,
    For,
    Function,
    Kept,
    Node,
    Operand,
    Value,
    While,
    equals,
    is_none,
)
from backsweep.ir.types import BOOL, INT, Array, Scalar, contiguous
from backsweep.ir.walk import (
    carried_parameters,
    map_blocks,
    renewed,
    rewrite,
    substitute,
    walk,
    with_body,
    with_nodes,
)
from backsweep.runtime import tape


def is_marked(function: Function) -> bool:
    """Whether the program has a marked loop or call, or a loop that may run on all cores."""
    return any(
        isinstance(node, For | While)
        and (node.checkpoint is not None or (isinstance(node, For) and node.parallel))
        for node in walk(function.body)
    )


def without_checkpoints(function: Function) -> Function:
    """The program without the marks; a marked call is written out again."""
    replaced: dict[Value, Operand] = {}

    def plain(node: Node) -> list[Node]:
        if not isinstance(node, For | While) or node.checkpoint is None:
            return [node]
        if node.checkpoint.kept is not Kept.ARGUMENTS:
            return [dataclasses.replace(node, checkpoint=None)]
        nodes, yields = _of_call(node)
        replaced.update(zip(node.results, yields, strict=True))
        return list(nodes)

    found = rewrite(function, plain)
    if found is function:
        return function
    return eliminate_dead_code(with_body(found, substitute(found.body, replaced)))


def checkpoints_to_calls(function: Function) -> Function:
    """The program, in which marked calls, and blocks of marked loops, are calls of functions with programs of their own.

    What is marked within a loop or a branch becomes a call as a whole, so that a loop over blocks stands at the top.
    """
    if not is_marked(function):
        return function
    return eliminate_dead_code(_Checkpoints(function).run())


def _of_call(node: For | While) -> tuple[Sequence[Node], Sequence[Operand]]:
    """The nodes and the results of a marked call; such a call is a loop with a single iteration."""
    body = substitute(node.body, {node.body.parameters[0]: ZERO})
    return body.nodes, body.yields


class _Checkpoints(Outliner):
    """Rewrites the marked parts of one program."""

    def __init__(self, function: Function) -> None:
        super().__init__(function, checkpoints_to_calls)
        self.states = States(function, self.aliases)

    def run(self) -> Function:
        """The program with its marked parts rewritten."""
        return with_body(self.function, self._block(self.function.body, is_top=True))

    def _block(self, block: Block, *, is_top: bool, side_by_side: bool = False) -> Block:
        nodes: list[Node] = []
        for node in block.nodes:
            apart = side_by_side and self._is_call_of_its_own(node)
            among = not apart and (side_by_side or (isinstance(node, For) and node.parallel))
            inside = functools.partial(self._block, is_top=False, side_by_side=among)
            within = self._iterations(node) or map_blocks(node, inside)
            (inner,) = substitute(Block((), (within,), ()), self.replaced).nodes
            if not isinstance(inner, For | While) or (inner.checkpoint is None and not apart):
                nodes.append(inner)
            elif inner.checkpoint is None:
                nodes += self._with_own_sums(inner)
            elif inner.checkpoint.kept is Kept.ARGUMENTS:
                nodes += self._call(inner)
            elif is_top:
                nodes += self._loop(inner, node)
            else:
                nodes += self._nested(inner)
        return substitute(with_nodes(block, nodes), self.replaced)

    # Calls

    def _call(self, node: For | While) -> list[Node]:
        """The nodes for a marked call: a call of a function with the nodes of the marked one."""
        assert node.checkpoint is not None
        nodes, yields = _of_call(node)
        return self.called(
            node.checkpoint.name, nodes, list(zip(yields, node.results, strict=True)), node.loc
        )

    def _nested(self, node: For | While) -> list[Node]:
        """A loop within a loop or a branch, as one call."""
        own = tuple(dataclasses.replace(result) for result in node.results)
        self.meant.update(zip(own, node.results, strict=True))
        inside = dataclasses.replace(node, results=own)
        mark = self.function.name if node.checkpoint is None else node.checkpoint.name
        name = mark.removesuffix("_steps") + "_loop"
        return self.called(name, (inside,), list(zip(own, node.results, strict=True)), node.loc)

    def _with_own_sums(self, node: For | While) -> list[Node]:
        """A loop within an iteration, as one call, whose sums begin at zero: then the iteration needs nothing of those before it."""
        inits, results = list(node.inits), list(node.results)
        added: list[Node] = []
        for place in sums_in(node):
            init, result = inits[place], results[place]
            if isinstance(result.type, Scalar) and not equals(init, 0):
                inits[place], results[place] = zero_of(result.type), dataclasses.replace(result)
                added.append(Apply(result, operator.add, (init, results[place]), node.loc))
        apart = dataclasses.replace(node, inits=tuple(inits), results=tuple(results))
        return [*self._nested(apart), *added]

    def _iterations(self, node: Node) -> Node | None:
        """A `prange` whose iterations fill arrays of their own, with a call in place of what each computes by itself; None for any other node."""
        if not isinstance(node, For) or not node.parallel:
            return None
        found = iteration_of(node, self.aliases)
        if found is None or not self.is_callable(Block((), found.own, ()), found.handed):
            return None
        inside = renewed(Block((), found.own, found.handed))
        handed = list(zip(inside.yields, found.handed, strict=True))
        self.meant.update((mine, value) for mine, value in handed if isinstance(mine, Value))
        nodes = self.called(f"{self.function.name}_iteration", inside.nodes, handed, node.loc)
        body = dataclasses.replace(node.body, nodes=(*nodes, *found.rest))
        return dataclasses.replace(node, body=substitute(body, self.replaced))

    def _is_call_of_its_own(self, node: Node) -> bool:
        """Whether the node is a loop of unknown length that a function may run: all that it reads are numbers and arrays, and it draws no numbers."""
        if not isinstance(node, While) and not (isinstance(node, For) and node.exit is not None):
            return False
        whole = Block((), (node,), ())
        return self.is_callable(whole, node.results)

    # Loops

    def _loop(self, node: For | While, old: Node) -> list[Node]:
        """A marked loop as one over blocks of its iterations, and the last block as it was."""
        assert isinstance(old, For | While)
        self.states.check(old)
        self.settled = self.states.settled(old)
        if isinstance(node, While) or node.exit is not None:
            return self._of_unknown_length(node)
        mark, builder = node.checkpoint, Builder(loc=node.loc)
        assert mark is not None
        count = iterations(builder, node)
        inits = [self._own(builder, init) for init in node.inits]
        slots = slots_of(builder, mark, self.states.of(node, inits, self.settled))
        length = mark.block
        if is_none(length):
            length = builder.apply(tape.block_length, count, slots, name="block", type=INT)
        before = builder.apply(max, plus(builder, operator.sub, count, ONE), ZERO, type=INT)
        blocks = builder.apply(operator.floordiv, before, length, name="blocks", type=INT)
        entering = tuple(fresh(value) for value in carried_parameters(node))
        number = builder.value("b", INT)
        with builder.block(number, *entering) as body:
            first = builder.apply(operator.mul, number, length, name="start", type=INT)
            bounds = [first, plus(builder, operator.add, first, length)]
            low, high = (index_at(builder, node, bound) for bound in bounds)
            nodes, leaving = self._block_call(node, entering, low, high)
            builder.add(*nodes)
        results = tuple(fresh(value) for value in node.results)
        kept = Checkpoint(Kept.BLOCKS, mark.name, slots, block=length)
        body.yields = leaving
        builder.add(For(ZERO, blocks, ONE, tuple(inits), body.finish(), results, node.loc, None, kept))
        done = builder.apply(operator.mul, blocks, length, name="last", type=INT)
        start = index_at(builder, node, done)
        rest = tuple(
            self._own(builder, result, like=param)
            for result, param in zip(results, carried_parameters(node), strict=True)
        )
        builder.add(dataclasses.replace(node, start=start, inits=rest, checkpoint=None))
        return builder.current.nodes

    def _of_unknown_length(self, node: For | While) -> list[Node]:
        """A marked loop of unknown length: a loop over blocks, of which the last may be shorter."""
        mark, builder = node.checkpoint, Builder(loc=node.loc)
        assert mark is not None
        inits = tuple(self._own(builder, init) for init in node.inits)
        slots = slots_of(builder, mark, self.states.of(node, inits, self.settled))
        length = ONE if is_none(mark.block) else mark.block
        kept = Checkpoint(Kept.BLOCKS, mark.name, slots)
        entering = tuple(fresh(value) for value in carried_parameters(node))
        results = tuple(fresh(value) for value in node.results)
        number = builder.value("b", INT)
        count: Operand = ZERO
        blocks: Operand = ZERO
        if isinstance(node, For):
            count = iterations(builder, node)
            above = plus(builder, operator.add, count, plus(builder, operator.sub, length, ONE))
            blocks = builder.apply(operator.floordiv, above, length, name="blocks", type=INT)
        with builder.block(*([number] if isinstance(node, For) else []), *entering) as body:
            bounds: tuple[Operand, ...] = (ZERO, length)
            if isinstance(node, For):
                first = builder.apply(operator.mul, number, length, name="start", type=INT)
                high = builder.apply(min, plus(builder, operator.add, first, length), count, type=INT)
                bounds = (index_at(builder, node, first), index_at(builder, node, high))
            nodes, leaving = self._block_call(node, entering, *bounds)
            builder.add(*nodes)
            body.yields = tuple(
                self.replaced.get(each, each) if isinstance(each, Value) else each for each in leaving
            )
        left = None if node.exit is None else body.yields[-1]
        body.yields = body.yields[: len(results)]
        if isinstance(node, For):
            loop: Node = For(ZERO, blocks, ONE, inits, body.finish(), results, node.loc, left, kept)
        else:
            tested = tuple(fresh(value) for value in node.condition.parameters)
            test = substitute(node.condition, dict(zip(node.condition.parameters, tested, strict=True)))
            condition = renewed(Block(tested, test.nodes, test.yields))
            loop = While(inits, condition, body.finish(), results, node.loc, left, kept)
        builder.add(loop)
        for own, result in zip(results, node.results, strict=True):
            self.replaced[result] = self._own(builder, own, like=result)
        return builder.current.nodes

    def _block_call(
        self, node: For | While, entering: Sequence[Value], low: Operand, high: Operand
    ) -> tuple[list[Node], tuple[Operand, ...]]:
        """The call of the function that runs the iterations from `low` up to `high`; what it returns: what the loop carries, and whether it ended early."""
        assert node.checkpoint is not None
        loc = node.loc
        start, stop = Value("start", INT, loc), Value("stop", INT, loc)
        read = read_of(node)
        inside: list[Node] = []
        inits: list[Operand] = []
        parameters_with_arguments: list[tuple[Value, Operand]] = [(start, low), (stop, high)]
        for parameter, enters in zip(carried_parameters(node), entering, strict=True):
            if parameter not in read:
                inits.append(placeholder(parameter, inside))
                continue
            own = fresh(parameter)
            parameters_with_arguments.append((own, enters))
            inits.append(self._written(own, parameter, inside))
        ends = tuple(dataclasses.replace(result) for result in node.results)
        self.meant.update(zip(ends, node.results, strict=True))
        self.meant.update(zip(entering, carried_parameters(node), strict=True))
        loop = dataclasses.replace(node, inits=tuple(inits), results=ends, checkpoint=None)
        if isinstance(loop, For):
            loop = dataclasses.replace(loop, start=start, stop=stop)
        else:
            loop = ending_after(loop, start, stop)
        if loop.exit is not None:
            loop = telling_exit(loop)
        inside.append(loop)
        after = tuple(fresh(result) for result in node.results)
        left = (Value("left", BOOL, loc),) if loop.exit is not None else ()
        handed = [*zip(ends, after, strict=True), *zip(loop.results[-1:], left, strict=False)]
        nodes = self.called(
            node.checkpoint.name, inside, handed, loc, parameters_with_arguments, is_block=True
        )
        return nodes, (*after, *left)

    def _own(self, builder: Builder, init: Operand, like: Value | None = None) -> Operand:
        """The initial value of a loop: copied if it is an array that is written or not contiguous, so that it has no other name."""
        if not isinstance(init, Value) or not isinstance(init.type, Array):
            return init
        if (
            self.aliases.in_memory(init)
            or (like is not None and self.aliases.in_memory(like))
            or init.type.layout != "C"
        ):
            return builder.apply(np.copy, init, name=init.name, type=contiguous(init.type))
        return init

    def _written(self, own: Value, parameter: Value, nodes: list[Node]) -> Operand:
        """What a block works on in place of its parameter: a copy, if the parameter is an array that the block writes."""
        if not self.aliases.in_memory(parameter):
            return own
        copy = fresh(own)
        nodes.append(Apply(copy, np.copy, (own,), own.loc))
        return copy
