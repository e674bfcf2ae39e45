"""What the host does to start a kernel: memory for sums and records, the size of the grid, and what it takes back.

The records of a thread have a number of rows, which the host guesses. If an iteration needed more, the host restores
what the kernel wrote and starts it again, with as many as it needs.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from backsweep.gpu.memory import Workspace
from backsweep.interprocedural.blocks import ONE, iterations
from backsweep.ir.build import Builder, dtype_argument, named_dtype
from backsweep.ir.nodes import (
    Apply,
    Block,
    Callee,
    Const,
    For,
    Function,
    If,
    Node,
    Operand,
    Value,
    While,
    equals,
)
from backsweep.ir.types import BOOL, INT, NONE, Array, Scalar
from backsweep.ir.walk import definitions_of, substitute
from backsweep.runtime.gpu import launch

NAMES = {"float64": "sums", "int64": "counts"}
"""The names of the memory of sums, by dtype."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel, what it is given, the workspaces that it is given after that, and the number of rows of its records, if it has any.

    Memory for sums, for the number of rows that it needs, and for blocks of threads that are done stands between the two.
    """

    callee: Callee
    arguments: Sequence[Operand]
    workspaces: Sequence[Workspace]
    rows: Operand | None


@dataclass(frozen=True, slots=True)
class _Once:
    """What is left of one start of a kernel: its blocks of threads, memory that tells of rows and of blocks that are done, and what it added up."""

    blocks: Value
    needed: Value | None
    done: Value | None
    parts: list[Operand]

    def check(self, builder: Builder) -> None:
        """Have the host ask whether a thread met an error."""
        if self.done is not None:
            builder.apply(launch.check_done, self.done, self.blocks, type=NONE)


class Start:
    """Writes the nodes that start the kernel of a loop."""

    def __init__(self, function: Function, loop: For, kernel: Kernel) -> None:
        self.function = function
        self.loop = loop
        self.kernel = kernel

    def nodes(self) -> list[Node]:
        """The nodes, which define the results of the loop."""
        if isinstance(self.kernel.rows, Value):
            return self.until_it_fits(self.kernel.rows)
        builder = Builder(loc=self.loop.loc)
        once = self.once(builder)
        once.check(builder)
        self.take(builder, once.parts)
        return builder.current.nodes

    def once(self, builder: Builder) -> _Once:
        """Start the kernel."""
        kernel, callee = self.kernel, self.kernel.callee
        count = iterations(builder, self.loop)
        sizes = [_bytes(builder, each) for each in kernel.workspaces]
        size_of = launch.blocks_within if sizes else launch.blocks_for
        blocks = builder.apply(size_of, count, *sizes, name="blocks", type=INT)
        spaces = [
            builder.apply(
                launch.workspace,
                blocks,
                named_dtype(each.dtype),
                *each.extents,
                name=each.parameter.name,
                type=each.parameter.type,
            )
            for each in kernel.workspaces
        ]
        sums = {
            dtype: builder.apply(
                launch.device_zeros,
                Const(len(values)),
                *dtype_argument(dtype),
                name=NAMES[dtype],
                type=Array(dtype, 1),
            )
            for dtype, values in sums_of(self.loop).items()
        }
        needed = done = None
        if kernel.rows is not None:
            needed = builder.apply(
                launch.device_zeros, ONE, *dtype_argument("int64"), name="needed", type=Array("int64", 1)
            )
        if callee.checks:
            done = builder.apply(
                launch.device_zeros, ONE, *dtype_argument("int32"), name="done", type=Array("int32", 1)
            )
        told = [each for each in (needed, done) if each is not None]
        builder.apply(callee, blocks, *kernel.arguments, *sums.values(), *told, *spaces, type=NONE)
        for space in spaces:
            builder.apply(launch.keep, space, type=NONE)
        return _Once(blocks, needed, done, self.parts(builder, sums))

    def parts(self, builder: Builder, sums: dict[str, Value]) -> list[Operand]:
        """What the kernel added up, taken from the memory of the GPU, in the order of the loop's results."""
        found: dict[Value, Operand] = {}
        for dtype, values in sums_of(self.loop).items():
            there = builder.apply(launch.on_host, sums[dtype], name=NAMES[dtype], type=Array(dtype, 1))
            for number, value in enumerate(values):
                part = builder.load(there, (Const(number),), type=Scalar(dtype))
                found[value] = builder.apply(_number(value), part, name=value.name, type=value.type)
        return [found[value] for value in self.loop.results]

    def take(self, builder: Builder, parts: Sequence[Operand]) -> None:
        """Define the results of the loop."""
        renamed: dict[Value, Operand] = {}
        for result, init, part in zip(self.loop.results, self.loop.inits, parts, strict=True):
            if equals(init, 0) and isinstance(part, Value):
                renamed[part] = result
            else:
                builder.add(Apply(result, operator.add, (init, part), self.loop.loc))
        made = [_defining(node, renamed) for node in builder.current.nodes]
        builder.current.nodes[:] = substitute(Block((), tuple(made), ()), renamed).nodes

    def until_it_fits(self, rows: Value) -> list[Node]:
        """Start the kernel with as many rows as it needs."""
        builder = Builder(loc=self.loop.loc)
        callee = self.kernel.callee
        given = dict(enumerate(self.kernel.arguments, 1))
        written = [each for k in callee.writes if isinstance(each := given.get(k), Value)]
        saved = [
            builder.apply(launch.copied_to_device, each, name=f"{each.name}_before", type=each.type)
            for each in written
        ]
        own = Value("rows", INT, self.loop.loc)
        carried = [dataclasses.replace(value) for value in self.loop.results]
        inner = Builder(loc=self.loop.loc)
        once = self.once(inner)
        assert once.needed is not None
        found = inner.load(once.needed, (Const(0),), type=INT)
        more = inner.apply(operator.gt, found, rows, name="short", type=BOOL)
        with inner.block() as then:
            for array, before in zip(written, saved, strict=True):
                inner.apply(launch.restore, array, before, type=NONE)
        with inner.block() as orelse:
            once.check(inner)
        inner.add(If(more, then.finish(), orelse.finish(), (), self.loop.loc))
        larger = inner.apply(max, rows, found, name="rows", type=INT)
        fits = inner.apply(operator.not_, more, type=BOOL)
        body = Block((own, *carried), tuple(inner.current.nodes), (larger, *once.parts))
        ends = [dataclasses.replace(value) for value in (own, *carried)]
        condition = Block(
            (dataclasses.replace(own), *(dataclasses.replace(each) for each in carried)), (), (Const(True),)
        )
        inits: tuple[Operand, ...] = (rows, *(zero(value) for value in carried))
        builder.add(
            While(inits, condition, substitute(body, {rows: own}), tuple(ends), self.loop.loc, exit=fits)
        )
        builder.apply(launch.remember_rows, self.key(rows), ends[0], type=NONE)
        for result, init, part in zip(self.loop.results, self.loop.inits, ends[1:], strict=True):
            builder.add(Apply(result, operator.add, (init, part), self.loop.loc))
        return builder.current.nodes

    def key(self, rows: Value) -> Operand:
        """The name under which the number of rows is kept from call to call."""
        definition = definitions_of(self.function)[rows]
        assert isinstance(definition, Apply)
        return definition.operands[0]


def sums_of(loop: For) -> dict[str, list[Value]]:
    """The sums of a loop, by the dtype in which what the threads have is added up."""
    found: dict[str, list[Value]] = {}
    for value in loop.results:
        assert isinstance(value.type, Scalar)
        dtype = "float64" if np.dtype(value.type.dtype).kind == "f" else "int64"
        found.setdefault(dtype, []).append(value)
    return found


def zero(value: Value) -> Const:
    """Zero in the type of a sum."""
    assert isinstance(value.type, Scalar)
    if value.type.dtype in ("float64", "int64"):
        return Const(0.0 if value.type.dtype == "float64" else 0)
    return Const(getattr(np, value.type.dtype)(0))


def _bytes(builder: Builder, workspace: Workspace) -> Operand:
    """The bytes that a workspace has for each thread."""
    size: Operand = Const(np.dtype(workspace.dtype).itemsize)
    for extent in workspace.extents:
        size = builder.apply(operator.mul, size, extent, type=INT)
    return size


def _number(value: Value) -> object:
    """What makes a number of the host of one from the GPU: NumPy's, whose quotient by zero is infinite."""
    assert isinstance(value.type, Scalar)
    return int if value.type.dtype == "int64" else getattr(np, value.type.dtype)


def _defining(node: Node, renamed: dict[Value, Operand]) -> Node:
    """The node, which defines another value in place of one of these."""
    if isinstance(node, Apply) and isinstance(made := renamed.get(node.result), Value):
        return dataclasses.replace(node, result=made)
    return node
