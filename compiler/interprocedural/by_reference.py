"""Turn the pure calls of recursive functions back into calls that write to their arguments, as the user's functions do.

The transformations see them as pure functions, which return the new contents of what they write.
"""

from __future__ import annotations

import dataclasses
import operator
from collections import Counter, defaultdict

import numpy as np

from backsweep.interprocedural.summaries import bundle, bundled, own_results, returned_parts
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Block, Callee, Const, Dots, Function, Node, Operand, Store, Value
from backsweep.ir.types import Tuple, with_layout
from backsweep.ir.walk import leaving, map_blocks, operands, substitute, walk, with_body


def pass_by_reference(function: Function) -> Function:
    """The program, in which a call that returned new contents of its arguments, to be stored into them, writes to them itself."""
    if not any(map(_is_pure_call, walk(function.body))):
        return function
    body = _Calls(function).block(function.body)
    return with_body(function, body)


def writing(callee: Callee) -> Callee:
    """The callee as it writes to the arguments that it changes."""
    if callee.writing is None:
        result, changed = bundle(own_results(callee)), callee.changed
        callee.writing = Callee(callee.name, callee.parameters, result, writes=changed, checks=callee.checks)
        callee.writing.program = _writing(callee)
    return callee.writing


def _writing(callee: Callee) -> Function:
    """The callee's program without its copies of the arguments: it writes to the arguments, and does not return them."""
    program = on_arguments(callee)
    parts = returned_parts(program)[: len(own_results(callee))]
    nodes = [node for node in program.body.nodes if node not in _whole(program)]
    result = bundled(parts, nodes, program.loc)
    return with_body(program, Block(program.body.parameters, tuple(nodes), (result,)))


def _whole(program: Function) -> list[Node]:
    """The node that makes the tuple of results."""
    return [
        node
        for node in program.body.nodes
        if isinstance(node, Apply)
        and node.result is program.body.yields[0]
        and isinstance(node.result.type, Tuple)
    ]


def on_arguments(callee: Callee) -> Function:
    """The callee's program without its copies of the arguments: it writes to the arguments, and returns them, too."""
    program = callee.program
    assert program is not None
    parameters, parts = program.body.parameters, returned_parts(program)
    count = len(own_results(callee))
    own: dict[Value, Operand] = {}
    for position, copy in zip(callee.changed, parts[count:], strict=True):
        assert isinstance(copy, Value)
        own[copy] = parameters[position]
    kept: list[Node] = []
    for node in program.body.nodes:
        if isinstance(node, Apply) and node.result in own:
            assert (node.function, node.operands) == (np.copy, (own[node.result],))
        else:
            kept.append(node)
    return with_body(program, substitute(Block(parameters, tuple(kept), program.body.yields), own))


def _is_pure_call(node: Node) -> bool:
    return isinstance(node, Apply) and isinstance(node.function, Callee) and bool(node.function.changed)


class _Calls:
    """Rewrites the calls of a program, block by block."""

    def __init__(self, function: Function) -> None:
        nodes = list(walk(function.body))
        read = (operand for node in nodes for operand in operands(node))
        left = (operand for node in nodes for operand in leaving(node))
        self.uses = Counter([*read, *left, *function.body.yields])
        self.parts: defaultdict[Value, dict[int, Value]] = defaultdict(dict)
        """What is read of the results of calls that return several, by the position."""
        calls = {
            node.result: node.function for node in nodes if isinstance(node, Apply) and _is_pure_call(node)
        }
        for node in nodes:
            if isinstance(node, Apply) and node.function is operator.getitem and node.operands[0] in calls:
                source, number = node.operands
                assert isinstance(source, Value)
                assert isinstance(number, Const)
                self.parts[source].setdefault(number.value, node.result)
        for result, callee in calls.items():
            if not isinstance(callee.result, Tuple):
                self.parts[result][0] = result

    def block(self, block: Block) -> Block:
        builder = Builder()
        with builder.block(*block.parameters) as body:
            waiting = list(reversed(block.nodes))
            while waiting:
                node = waiting.pop()
                if isinstance(node, Apply) and _is_pure_call(node):
                    self.call(node, waiting, builder)
                elif not self.reads_part(node):
                    builder.add(map_blocks(node, self.block))
        return dataclasses.replace(body.finish(), yields=block.yields)

    def reads_part(self, node: Node) -> bool:
        """Whether the node reads an item of what a call returned, which the call itself now defines."""
        return (
            isinstance(node, Apply) and node.function is operator.getitem and node.operands[0] in self.parts
        )

    def call(self, node: Apply, waiting: list[Node], builder: Builder) -> None:
        """Write the call, and drop those of the nodes `waiting` behind it that store what it now writes itself."""
        callee, parts = node.function, self.parts[node.result]
        builder.loc = node.loc
        count, given = len(own_results(callee)), list(node.operands)
        stored = self.stored(node, waiting)
        for number, position in enumerate(callee.changed, count):
            if position not in stored:
                array = given[position]
                name = array.name if isinstance(array, Value) else ""
                copy = parts.get(number) or builder.value(name, with_layout(callee.parameters[position], "C"))
                builder.add(Apply(copy, np.copy, (array,), node.loc))
                given[position] = copy
        callee = writing(callee)
        if count == 1:
            result = parts.get(0) or builder.value("", callee.result)
            builder.add(Apply(result, callee, tuple(given), node.loc))
            return
        whole = builder.apply(callee, *given, type=callee.result)
        for number, part in sorted(parts.items()):
            if number < count:
                builder.add(Apply(part, operator.getitem, (whole, Const(number)), node.loc))

    def stored(self, node: Apply, waiting: list[Node]) -> set[int]:
        """The positions of the arguments whose new contents are stored into them at once, and nowhere else read."""
        callee, parts = node.function, self.parts[node.result]
        count, found = len(own_results(callee)), set()
        positions = {
            parts[number]: position
            for number, position in enumerate(callee.changed, count)
            if number in parts
        }
        while waiting:
            match waiting[-1]:
                case Store(buffer, (Dots(),), Value() as part, _, False) if (
                    part in positions and buffer is node.operands[positions[part]] and self.uses[part] == 1
                ):
                    found.add(positions[part])
                case other if not self.reads_part(other):
                    return found
            waiting.pop()
        return found
