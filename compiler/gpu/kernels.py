"""Make kernels of the loops that the user marks with `prange`: a thread takes iterations in strides, and blocks of threads add up.

A kernel is a block of iterations (`optimise/parallel`) whose thread begins at its own number. What the certificate of a loop
says decides what the threads do: numbers are added up by blocks, and what several iterations add to an array is added by
atomic operations.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from backsweep.analysis.alias import find_aliases
from backsweep.analysis.integers.affine import literal
from backsweep.analysis.integers.extents import shapes_of
from backsweep.analysis.trip_counts import upwards
from backsweep.diagnostics import Loc, Problem, UnsupportedError
from backsweep.gpu.memory import with_memory_of_threads
from backsweep.gpu.numbers import in_words_of_gpu
from backsweep.gpu.single import in_single
from backsweep.gpu.start import NAMES, Kernel, Start, sums_of, zero
from backsweep.gpu.text import atomic_add, atomic_max, local_array, noted, stride, thread
from backsweep.gpu.words import check_kernel
from backsweep.interprocedural.blocks import ONE, ZERO
from backsweep.interprocedural.outline import named_apart
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
    Role,
    Store,
    Value,
    While,
)
from backsweep.ir.types import BOOL, INT, NONE, Array, Scalar, Tuple
from backsweep.ir.walk import (
    blocks,
    free_values,
    leaving,
    map_blocks,
    operands,
    renewed,
    results,
    rewrite_block,
    substitute,
    walk,
    with_body,
    with_nodes,
)
from backsweep.optimise.parallel.certificates import Certificate, Obstacle, OfGpu, certificate, certificates
from backsweep.pipeline.passes import run
from backsweep.pipeline.primal import SIMPLIFY
from backsweep.runtime.gpu import launch, threads

REMEDY = "write range in place of prange to run this loop on the host, or make its iterations independent."


@dataclass(frozen=True, slots=True)
class Kernels:
    """The program of the host, the kernels that it starts, callees with programs, and what became of each loop that was asked for."""

    host: Function
    kernels: tuple[Callee, ...]
    told: tuple[OfGpu, ...]


def with_kernels(function: Function, *, asked: bool, single: bool) -> Kernels:
    """The program, in which each marked loop is a kernel. With `asked`, every loop was marked: those that cannot be are the host's. With `single`, kernels compute in single precision.

    Raises UnsupportedError for a loop that the user marks and that cannot be one.
    """
    made = _Kernels(function, asked=asked, single=single)
    host = made.with_records_in_order(with_body(function, made.block(function.body)))
    return Kernels(host, tuple(made.kernels), tuple(made.told))


class _Kernels:
    """Rebuilds the blocks of a program; `kernels` are those so far."""

    def __init__(self, function: Function, *, asked: bool, single: bool) -> None:
        self.function = function
        self.asked = asked
        self.single = single
        self.aliases = find_aliases(function)
        marked = list(certificates(function))
        self.found = {loop: found for loop, _, found in marked}
        self.of_reverse = {loop for loop, is_reverse, _ in marked if is_reverse}
        self.on_gpu = {self.aliases.of(each) for loop in self.found for each in _arrays_of(loop)}
        self.kernels: list[Callee] = []
        self.told: list[OfGpu] = []
        self.by_thread: dict[Value, bool] = {}
        """Of each record of several axes that kernels touch: whether they do so at the loop's index along the first."""

    def block(self, block: Block) -> Block:
        return with_nodes(block, [each for node in block.nodes for each in self.node(node)])

    def node(self, node: Node) -> list[Node]:
        """The node, with kernels in place of marked loops in it."""
        if isinstance(node, For) and (node.parallel or self.is_of_arrays(node)):
            try:
                return self.of_loop(node)
            except UnsupportedError as error:
                if node.parallel and not self.asked:
                    raise
                if node.parallel:
                    reason = error.problems[0].message.rpartition(": ")[2]
                    self.told.append(OfGpu(node, node in self.of_reverse, is_kernel=False, reason=reason))
            node = dataclasses.replace(node, parallel=False)
        if isinstance(node, If | For | While):
            return [map_blocks(node, self.block)]
        return [node]

    def of_loop(self, loop: For) -> list[Node]:
        """The nodes that start the kernel of a loop; raises UnsupportedError if it cannot be one."""
        found = self.found.get(loop) or certificate(self.function, loop)
        reason = found.reason if isinstance(found, Obstacle) else _obstacle(loop, found)
        if isinstance(found, Obstacle) or reason:
            message = f"the iterations of this loop cannot run side by side on a GPU: {reason}"
            raise UnsupportedError(Problem("BS703", message, loop.loc, REMEDY))
        return self.started(loop, found)

    def with_records_in_order(self, host: Function) -> Function:
        """The host's program, in which the first axis of such records is the fastest, if kernels alone touch them."""
        asked = {
            each
            for node in walk(host.body)
            if not (isinstance(node, Apply) and node.function in self.kernels) and not _is_extent(node)
            for each in operands(node)
        }

        def ordered(node: Node) -> list[Node]:
            if isinstance(node, Apply) and node.function is np.empty and node.result not in asked:
                if self.by_thread.get(node.result):
                    return [dataclasses.replace(node, function=launch.in_thread_order)]
            return [node]

        return with_body(host, rewrite_block(host.body, ordered))

    def look_at_records(self, loop: For) -> None:
        """Note how a loop that becomes a kernel touches records of several axes."""
        index = loop.body.parameters[0]
        for node in walk(loop.body):
            for each in operands(node):
                if (
                    isinstance(each, Value)
                    and each.role is Role.RECORD
                    and isinstance(each.type, Array)
                    and each.type.ndim > 1
                ):
                    own = isinstance(node, Load | Store) and node.buffer is each and node.index[0] is index
                    self.by_thread[each] = self.by_thread.get(each, True) and (own or _is_extent(node))

    def is_of_arrays(self, loop: For) -> bool:
        """Whether the loop is a statement of whole arrays, all of which lie on the GPU: nobody marks such a loop."""
        arrays = _arrays_of(loop)
        is_users = loop.loc.text.lstrip().startswith(("for ", "while "))
        return bool(arrays) and not is_users and all(self.aliases.of(each) in self.on_gpu for each in arrays)

    def started(self, loop: For, found: Certificate) -> list[Node]:
        """The nodes that start the kernel of a loop, and take the sums from it."""
        builder, marked = Builder(loc=loop.loc), loop
        if literal(loop.step) == -1:
            loop = upwards(builder, loop)
        kernel = self.kernel(builder, loop, found)
        self.kernels.append(kernel.callee)
        self.told.append(
            OfGpu(loop, marked in self.of_reverse, is_kernel=True, reason=_in_words(loop, kernel))
        )
        builder.add(*Start(self.function, loop, kernel).nodes())
        return builder.current.nodes

    def kernel(self, host: Builder, loop: For, found: Certificate) -> Kernel:
        """The kernel of a loop; `host` gets what the host computes for it before."""
        self.look_at_records(loop)
        shared = {self.aliases.of(value) for value in (*found.added, *found.near)}
        loop = dataclasses.replace(loop, body=self.with_atomic_additions(loop.body, shared))
        name = f"{self.function.name}_kernel{len(self.kernels) + 1 if self.kernels else ''}"
        builder = Builder(loc=loop.loc)
        first = builder.apply(thread, loop.start, type=INT)
        along = builder.apply(stride, type=INT)
        if literal(loop.step) != 1:
            offset = builder.apply(operator.mul, builder.apply(thread, ZERO, type=INT), loop.step, type=INT)
            first = builder.apply(operator.add, loop.start, offset, type=INT)
            along = builder.apply(operator.mul, along, loop.step, type=INT)
        inits = tuple(zero(value) for value in loop.results)
        ends = tuple(dataclasses.replace(value) for value in loop.results)
        builder.add(*map(self.record, found.records))
        builder.add(
            dataclasses.replace(loop, start=first, step=along, inits=inits, results=ends, parallel=False)
        )
        sums: dict[str, Value] = {}
        for dtype, values in sums_of(loop).items():
            sums[dtype] = Value(NAMES[dtype], Array(dtype, 1), loop.loc)
            for number, value in enumerate(values):
                end = ends[loop.results.index(value)]
                builder.apply(threads.block_sum, sums[dtype], Const(number), end, type=NONE)
        needed = Value("needed", Array("int64", 1), loop.loc)
        nodes, records = _with_notes(_with_plain_errors(builder.current.nodes), needed)
        last: list[Value] = [*sums.values(), *([needed] if records else [])]
        checks = any(isinstance(node, Raise) for node in walk(Block((), tuple(nodes), ())))
        if checks:
            last.append(Value("done", Array("int32", 1), loop.loc))
            done = Builder(loc=loop.loc)
            done.apply(threads.all_done, last[-1], type=NONE)
            nodes += done.current.nodes
        free = list(free_values(Block(tuple(last), tuple(nodes), ())))
        handed = {value: dataclasses.replace(value) for value in free}
        body = renewed(
            substitute(Block((*handed.values(), *last), tuple(nodes), (Const(None),)), dict(handed))
        )
        assumed = shapes_of(self.function).shapes_of_arguments(free)
        program = run((SIMPLIFY, SIMPLIFY), Function(name, body, loop.loc, assumed=assumed), [])
        given = dict(zip(program.body.parameters, free, strict=False))
        program, workspaces = with_memory_of_threads(program, host, given)
        program, arguments = _without_unread(program, free)
        program = in_words_of_gpu(program)
        if self.single:
            program = run((SIMPLIFY,), in_single(program), [])
        program = with_body(program, _with_names_apart(program.body))
        check_kernel(program)
        aliases = find_aliases(program)
        written = [k for k, value in enumerate(program.body.parameters, 1) if aliases.is_buffer(value)]
        types = (INT, *(value.type or INT for value in program.body.parameters))
        callee = Callee(name, types, NONE, writes=tuple(written), checks=checks, program=program)
        return Kernel(callee, arguments, workspaces, records)

    def record(self, node: Apply) -> Apply:
        """The node that makes a record which an iteration alone reads; its extents as numbers where they are."""
        shape = shapes_of(self.function).of(node.result)
        if any(extent.terms for extent in shape):
            return node
        known = tuple(extent.const for extent in shape)
        return dataclasses.replace(node, operands=(Const(known), *node.operands[1:]))

    def with_atomic_additions(self, body: Block, shared: set[Value]) -> Block:
        """The body, in which what is added to memory that others add to is added by atomic operations."""
        own = _of_iteration(body)

        def atomic(node: Node) -> list[Node]:
            if isinstance(node, Store) and self.aliases.of(node.buffer) in shared and node.accumulate:
                index = tuple(each for each in node.index if isinstance(each, Value | Const))
                if len(index) != len(node.index):
                    raise not_in_kernels(node.loc, "it adds to a part of an array at once")
                given = (node.buffer, *index, node.value)
                together = _WARP.get(len(index)) if own.isdisjoint(index) else None
                return [Apply(Value("", NONE, node.loc), together or atomic_add, given, node.loc)]
            return [node]

        return rewrite_block(body, atomic)


def _in_words(loop: For, kernel: Kernel) -> str:
    """How the threads of a kernel share what iterations share, and where their own memory lies."""
    program = kernel.callee.program
    assert program is not None
    calls = [node for node in walk(program.body) if isinstance(node, Apply)]
    atomic = [node.operands[0] for node in calls if node.function in (atomic_add, *_WARP.values())]
    local = [node.result for node in calls if node.function is local_array]
    parts = [
        ("blocks of threads add up {}", loop.results),
        ("atomic operations add to {}", atomic),
        ("each thread has {}", local),
        ("each thread has {} in a workspace", [each.parameter for each in kernel.workspaces]),
    ]
    found = []
    for words, values in parts:
        names = dict.fromkeys(
            each.name.removesuffix("_of_threads") for each in values if isinstance(each, Value)
        )
        if names:
            found.append(words.format(", ".join(f"`{name}`" for name in names)))
    if kernel.rows is not None:
        found.append("it starts again with more rows if an iteration needs them")
    return "; ".join(found) or "each iteration writes where no other does"


def not_in_kernels(loc: Loc, what: str) -> UnsupportedError:
    """The error for what a kernel cannot do."""
    return UnsupportedError(Problem("BS701", f"a kernel of a GPU cannot do this: {what}", loc, REMEDY))


_WARP = {1: threads.warp_add, 2: threads.warp_add_2}
"""What adds to an element that the threads of a warp have in common, by the number of axes."""


def _of_iteration(body: Block) -> set[Operand]:
    """The values that differ from iteration to iteration: what is computed from the index, or from elements at such places."""
    found: set[Operand] = set(body.parameters)

    def look(block: Block) -> None:
        for node in block.nodes:
            differs = not found.isdisjoint((*operands(node), *leaving(node)))
            if isinstance(node, While) or (isinstance(node, If | For) and differs):
                found.update(each for inner in blocks(node) for each in inner.parameters)
            for inner in blocks(node):
                look(inner)
            if differs or not found.isdisjoint(leaving(node)):
                found.update(results(node))

    look(body)
    return found


def _is_extent(node: Node) -> bool:
    """Whether the node asks for extents alone."""
    return isinstance(node, Apply) and node.function in (np.shape, np.size, np.ndim, len)


def _arrays_of(loop: For) -> list[Value]:
    """The arrays from outside that a loop touches."""
    return [value for value in free_values(loop.body) if isinstance(value.type, Array)]


def _obstacle(loop: For, found: Certificate) -> str:
    """Why a loop whose iterations are independent is no kernel; empty if it is."""
    if found.takes_turns:
        return "neighbouring iterations store to and add to the same elements"
    step = literal(loop.step)
    if step is None or (step < 1 and step != -1):
        return "its step is no positive number"
    for value in loop.results:
        if isinstance(value.type, Scalar) and np.dtype(value.type.dtype).kind == "c":
            return f"`{value.name}` is a sum of complex numbers"
    for array in (*found.added, *found.near):
        if isinstance(array.type, Array) and np.dtype(array.type.dtype).kind == "c":
            return f"several iterations add complex numbers to `{array.name}`"
    for value in free_values(loop.body):
        if isinstance(value.type, Tuple):
            return f"it reads `{value.name}`, which is a tuple"
    return ""


def _without_unread(kernel: Function, handed: Sequence[Operand]) -> tuple[Function, list[Operand]]:
    """The kernel without the parameters that it no longer reads, and what it is given for the others."""
    read = free_values(dataclasses.replace(kernel.body, parameters=()))
    parameters, given = kernel.body.parameters, list(handed)
    kept = [k for k, value in enumerate(parameters) if value in read]
    body = dataclasses.replace(kernel.body, parameters=tuple(parameters[k] for k in kept))
    return Function(kernel.name, body, kernel.loc), [given[k] for k in kept if k < len(given)]


def _with_notes(nodes: Sequence[Node], needed: Value) -> tuple[list[Node], Operand | None]:
    """The nodes with a branch that tells the host of more records than rows, and the number of rows; None if none is asked for."""
    found: list[Operand] = []

    def written(node: Node) -> list[Node]:
        if not isinstance(node, Apply) or node.function is not noted:
            return [node]
        count, rows = node.operands
        found.append(rows)
        builder = Builder(loc=node.loc)
        full = builder.apply(operator.ge, count, rows, type=BOOL)
        with builder.block() as then:
            more = builder.apply(operator.add, count, ONE, type=INT)
            builder.apply(atomic_max, needed, ZERO, more, type=NONE)
        builder.add(If(full, then.finish(), Block((), (), ()), (), node.loc))
        return builder.current.nodes

    body = rewrite_block(_with_notes_once(Block((), tuple(nodes), ())), written)
    return list(body.nodes), found[0] if found else None


def _with_notes_once(block: Block) -> Block:
    """The block, in which each count of records is noted once."""
    met: set[tuple[Operand, ...]] = set()
    kept: list[Node] = []
    for node in block.nodes:
        if isinstance(node, Apply) and node.function is noted:
            if node.operands in met:
                continue
            met.add(node.operands)
        kept.append(map_blocks(node, _with_notes_once))
    return with_nodes(block, kept)


def _with_plain_errors(nodes: Sequence[Node]) -> list[Node]:
    """The nodes with errors whose words are constants: a GPU tells nobody the others."""

    def plain(node: Node) -> list[Node]:
        if isinstance(node, Raise) and not all(isinstance(each, Const) for each in node.arguments):
            return [dataclasses.replace(node, arguments=())]
        return [node]

    return list(rewrite_block(Block((), tuple(nodes), ()), plain).nodes)


def _with_names_apart(body: Block) -> Block:
    """The body of a function, each parameter under a name of its own."""
    apart = named_apart([], body.parameters)
    inside = substitute(Block((), body.nodes, body.yields), dict(apart))
    return dataclasses.replace(inside, parameters=tuple(apart.values()))
