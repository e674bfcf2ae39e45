"""Let a loop run as far as its records have room, and make room around it: an array that may be replaced in each step is counted in each.

Numba counts the references to an array where paths meet that may have replaced it: about eight nanoseconds for each step and record, twice what a
step of a differential equation takes.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Sequence

import numpy as np

from backsweep.ir.build import Builder
from backsweep.ir.nodes import Block, Const, Function, Grow, If, Node, Operand, While
from backsweep.ir.types import BOOL, INT
from backsweep.ir.walk import rewrite_block, substitute, walk, with_body, with_nodes
from backsweep.runtime.tape import grown


def make_room_between(function: Function) -> Function:
    """The same program, in which no `while` loop that runs to its end asks in each step for room for a record.

    Each such loop is within another, which makes the records larger when they are full.
    """
    body = rewrite_block(function.body, _apart)
    return function if body is function.body else with_body(function, body)


def _apart(node: Node) -> Sequence[Node]:
    """The loop within one that makes room, or the node itself."""
    if not isinstance(node, While) or node.exit is not None or node.checkpoint is not None:
        return [node]
    growing = [
        each
        for each in node.body.nodes
        if isinstance(each, Grow) and each.function is grown and each.count in node.body.parameters
    ]
    anywhere = [each.buffer for each in walk(node.body) if isinstance(each, Grow)]
    alone = all(
        anywhere.count(each.buffer) == 1 for each in growing
    )  # else its size is not that of before the step
    if not growing or not alone or len({each.count for each in growing}) > 1:
        return [node]
    place = node.body.parameters.index(growing[0].count)
    own = tuple(dataclasses.replace(value) for value in node.results)
    builder = Builder(loc=node.loc)
    sizes = [
        builder.apply(np.size, each.buffer, name="room" if len(growing) == 1 else "", type=INT)
        for each in growing
    ]
    room = functools.reduce(lambda one, other: builder.apply(min, one, other, name="room", type=INT), sizes)
    ends = tuple(dataclasses.replace(value) for value in node.results)
    kept = [each for each in node.body.nodes if each not in growing]
    condition = _with_room(node, place, room)
    builder.add(While(own, condition, with_nodes(node.body, kept), ends, node.loc))
    done = builder.apply(operator.lt, ends[place], room, type=BOOL)
    builder.add(*(dataclasses.replace(each, count=ends[place]) for each in growing))
    always = Block(tuple(dataclasses.replace(value) for value in own), (), (Const(value=True),))
    body = Block(own, tuple(builder.current.nodes), ends)
    return [While(node.inits, always, body, node.results, node.loc, exit=done)]


def _with_room(loop: While, place: int, room: Operand) -> Block:
    """The condition of the loop, which ends as well where there is no room."""
    condition, loc = loop.condition, loop.loc
    parameters = tuple(dataclasses.replace(value) for value in condition.parameters)
    inner = substitute(
        Block((), condition.nodes, condition.yields), dict(zip(condition.parameters, parameters, strict=True))
    )
    builder = Builder(loc=loc)
    has_room = builder.apply(operator.lt, parameters[place], room, type=BOOL)
    goes_on = builder.value("", BOOL)
    builder.add(If(has_room, inner, Block((), (), (Const(value=False),)), (goes_on,), loc))
    return Block(parameters, tuple(builder.current.nodes), (goes_on,))
