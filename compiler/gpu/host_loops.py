"""Make functions of the loops that the host runs between kernels, so that Numba compiles them: the function around them is Python.

Such a loop touches the host's memory alone: what it needs of the GPU was copied before (`gpu/host.py`).
"""

from __future__ import annotations

import operator
from collections.abc import Iterator

import numpy as np

from backsweep.analysis.alias import find_aliases
from backsweep.analysis.integers.affine import literal
from backsweep.interprocedural.outline import named_apart
from backsweep.interprocedural.summaries import bundle, bundled, raises
from backsweep.ir.build import Builder
from backsweep.ir.dead_code import eliminate_dead_code
from backsweep.ir.nodes import Apply, Block, Callee, Const, For, Function, If, Node, While
from backsweep.ir.operations import Need, is_random, operation
from backsweep.ir.types import INT, Array, Scalar, Tuple, Type
from backsweep.ir.walk import (
    blocks,
    free_values,
    map_blocks,
    renewed,
    substitute,
    walk,
    with_body,
    with_nodes,
)
from backsweep.runtime.gpu import launch

FEW = 8
"""A loop of at most so many iterations, without loops in it, stays: compiling it takes longer than running it."""


def with_host_loops(host: Function) -> tuple[list[Function], Function]:
    """The functions of the host's loops, and the host's program, which calls them."""
    made = _HostLoops(host.name)
    whole = with_body(host, made.block(host.body))
    return made.functions, eliminate_dead_code(whole) if made.functions else host


class _HostLoops:
    """Rebuilds the blocks of the host's program; `functions` are those so far."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.functions: list[Function] = []

    def block(self, block: Block) -> Block:
        return with_nodes(block, [each for node in block.nodes for each in self.node(node)])

    def node(self, node: Node) -> list[Node]:
        """The node, with calls in place of the loops in it."""
        if isinstance(node, For | While) and _is_worth_it(node) and _is_of_host(node):
            return self.call(node)
        return [map_blocks(node, self.block)] if isinstance(node, If | For | While) else [node]

    def call(self, loop: For | While) -> list[Node]:
        """The nodes that call a function of the loop, and define the loop's results."""
        name = f"{self.name}_loop{len(self.functions) + 1 if self.functions else ''}"
        free = list(free_values(Block((), (loop,), ())))
        own = named_apart([], free)
        nodes: list[Node] = [loop]
        whole = bundled(loop.results, nodes, loop.loc) if loop.results else Const(None)
        body = substitute(Block(tuple(own.values()), tuple(nodes), (whole,)), dict(own))
        program = Function(name, renewed(body), loop.loc)
        self.functions.append(program)
        aliases = find_aliases(program)
        written = [k for k, value in enumerate(program.body.parameters) if aliases.is_buffer(value)]
        result = bundle([value.type or INT for value in loop.results])
        callee = Callee(
            name,
            tuple(value.type or INT for value in free),
            result,
            writes=tuple(written),
            checks=raises(program),
            program=program,
        )
        builder = Builder(loc=loop.loc)
        found = builder.apply(callee, *free, type=result)
        for k, value in enumerate(loop.results):
            part = found
            if len(loop.results) > 1:
                part = builder.apply(operator.getitem, found, Const(k), type=value.type)
            builder.add(Apply(value, _number(value.type), (part,), loop.loc))
        return builder.current.nodes


def _number(type_: Type | None) -> object:
    """What makes a number of the type of one that machine code returns, a number of Python: a float is NumPy's, whose quotient by zero is infinite."""
    assert isinstance(type_, Scalar)
    return {"bool": bool, "int64": int}.get(type_.dtype) or getattr(np, type_.dtype)


def _is_worth_it(loop: For | While) -> bool:
    """Whether the loop runs long enough for machine code, as far as its text tells."""
    if not isinstance(loop, For) or any(isinstance(node, For | While) for node in walk(loop.body)):
        return True
    start, stop, step = literal(loop.start), literal(loop.stop), literal(loop.step)
    if start is None or stop is None or not step:
        return True
    return len(range(start, stop, step)) > FEW


def _is_of_host(loop: For | While) -> bool:
    """Whether machine code can run the loop: numbers and arrays go in, numbers come out, and nothing in it starts a kernel, calls Python or draws."""
    outside = free_values(Block((), (loop,), ()))
    return (
        all(map(_is_passed, (value.type for value in outside)))
        and all(isinstance(value.type, Scalar) for value in loop.results)
        and not any(map(_is_for_python, _inside(loop)))
    )


def _inside(loop: For | While) -> Iterator[Node]:
    for block in blocks(loop):
        yield from walk(block)


def _is_for_python(node: Node) -> bool:
    """Whether only Python can run the node between kernels."""
    if not isinstance(node, Apply):
        return False
    function = node.function
    ours = getattr(function, "__module__", "") == launch.__name__
    return (
        ours
        or isinstance(function, Callee)
        or is_random(function)
        or operation(function).need is not Need.NOTHING
    )


def _is_passed(type_: Type | None) -> bool:
    """Whether values of the type can be passed to machine code: numbers, arrays and tuples of these."""
    if isinstance(type_, Tuple):
        return all(map(_is_passed, type_.items))
    return isinstance(type_, Scalar | Array)
