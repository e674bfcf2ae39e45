"""Records of iterations that record an unknown number of times: a thread has room for as many as the host gives it.

Where there is not enough room, the last place is written again and again, and the thread tells how much it needs. The host
then runs the kernel once more, with that much.
"""

from __future__ import annotations

import dataclasses
import operator

from backsweep.gpu.text import noted
from backsweep.ir.build import Builder
from backsweep.ir.nodes import (
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
    Store,
    Value,
    While,
)
from backsweep.ir.types import INT, NONE, Array, Tuple
from backsweep.ir.walk import leaving, map_blocks, operands, rewrite_block, walk, with_body, with_nodes
from backsweep.runtime.gpu import launch
from backsweep.runtime.tape import grown


def with_rooms(function: Function) -> Function:
    """The program, in which records that an iteration of a marked loop makes and that grow have a given number of rows."""
    rooms = _Rooms(function.name)
    return with_body(function, rooms.block(function.body))


class _Rooms:
    """Rebuilds blocks; `count` is the number of loops so far whose records have rooms."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.count = 0

    def block(self, block: Block) -> Block:
        """The block, with rooms for what iterations of the marked loops in it record."""
        nodes: list[Node] = []
        for node in block.nodes:
            if isinstance(node, For) and node.parallel:
                nodes += self.loop(node)
            elif isinstance(node, If | For | While):
                nodes.append(map_blocks(node, self.block))
            else:
                nodes.append(node)
        return with_nodes(block, nodes)

    def loop(self, loop: For) -> list[Node]:
        """The marked loop, after the number of rows that its records have."""
        growing = _growing(loop.body)
        if not growing:
            return [loop]
        self.count += 1
        builder = Builder(loc=loop.loc)
        key = Const(f"{self.name}{self.count}")
        rows = builder.apply(launch.rows_at_first, key, name="rows", type=INT)

        def held(node: Node) -> list[Node]:
            """The node within the room."""
            inside = Builder(loc=node.loc)
            match node:
                case Apply(result=result) if result in growing:
                    shape = _with_rows(inside, node.operands[0], rows)
                    inside.add(dataclasses.replace(node, operands=(shape, *node.operands[1:])))
                case Grow(buffer=buffer, count=count) if buffer in growing:
                    inside.apply(noted, count, rows, type=NONE)
                case Load(buffer=buffer) | Store(buffer=buffer) if buffer in growing:
                    first, *others = node.index
                    assert isinstance(first, Value | Const)
                    last = inside.apply(operator.sub, rows, Const(1), type=INT)
                    place = inside.apply(min, first, last, type=INT)
                    inside.add(dataclasses.replace(node, index=(place, *others)))
                case _:
                    return [node]
            return inside.current.nodes

        body = rewrite_block(loop.body, held)
        return [*builder.current.nodes, dataclasses.replace(loop, body=body)]


def _growing(body: Block) -> set[Value]:
    """The arrays that the iteration makes and that grow, of which nothing is asked but elements."""
    inside = list(walk(body))
    made = {node.result for node in inside if isinstance(node, Apply) and isinstance(node.result.type, Array)}
    found = {
        node.buffer
        for node in inside
        if isinstance(node, Grow) and node.function is grown and node.buffer in made
    }
    for node in inside:
        whole = isinstance(node, Load | Store) and isinstance(next(iter(node.index), None), Value | Const)
        touched = {*operands(node), *leaving(node)}
        if isinstance(node, Grow):
            continue
        if whole and isinstance(node, Load | Store):
            touched -= {node.buffer} - ({node.value} if isinstance(node, Store) else set())
        found -= touched
    return found


def _with_rows(builder: Builder, shape: Operand, rows: Value) -> Operand:
    """The shape with this number of rows."""
    if isinstance(shape, Const):
        given = shape.value
        if not isinstance(given, tuple) or len(given) == 1:
            return rows
        others: list[Operand] = [Const(extent) for extent in given[1:]]
    elif isinstance(shape.type, Tuple):
        items = shape.type.items
        others = [
            builder.apply(operator.getitem, shape, Const(k), type=items[k]) for k in range(1, len(items))
        ]
    else:
        return rows
    return builder.apply(tuple, rows, *others, type=Tuple((INT,) * (len(others) + 1)))
