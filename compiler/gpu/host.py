"""Say for each array of the host's program whether it lies on the GPU, and send the others there and back.

An array that a kernel touches lies on the GPU from where it is made. Between kernels, the host makes such arrays there,
looks at their shapes, and reads and writes single elements. For whatever else it does with them, it gets a copy in its own memory,
and sends what it wrote back.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from backsweep.analysis.alias import find_aliases
from backsweep.diagnostics import Problem, UnsupportedError
from backsweep.ir.build import Builder
from backsweep.ir.dead_code import eliminate_dead_code
from backsweep.ir.effects import written_by
from backsweep.ir.nodes import (
    Append,
    Apply,
    Block,
    Callee,
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
)
from backsweep.ir.types import NONE, Array, List, Tuple, Type
from backsweep.ir.walk import (
    blocks,
    free_values,
    leaving,
    map_blocks,
    operands,
    results,
    substitute,
    walk,
    with_body,
    with_nodes,
)
from backsweep.runtime.gpu import launch
from backsweep.runtime.memory import overlap

_MADE = {
    np.zeros: launch.device_zeros,
    np.empty: launch.device_empty,
    np.full: launch.device_full,
    np.zeros_like: launch.zeros_like_on_device,
    np.empty_like: launch.zeros_like_on_device,
    np.copy: launch.copied_to_device,
}
_AS_THEY_ARE = (np.shape, np.size, np.ndim, len, np.transpose, tuple)


def with_arrays_in_place(host: Function, kernels: Sequence[Callee]) -> Function:
    """The host's program, with arrays on the GPU where kernels touch them, and on the host elsewhere."""
    return _Placed(host, kernels).whole()


class _Placed:
    """`on_gpu` are the classes of memory that kernels touch; `given` are the caller's tuples, `items` the arrays in them.

    `as_given` are such arrays as the caller gave them, by those in their places.
    """

    def __init__(self, host: Function, kernels: Sequence[Callee]) -> None:
        self.host = host
        self.kernels = set(kernels)
        self.given: set[Operand] = {value for value in host.body.parameters if isinstance(value.type, Tuple)}
        self.items: set[Value] = set()
        self.as_given: dict[Operand, Operand] = {}
        self.aliases = find_aliases(host)
        self.on_gpu = {
            self.aliases.of(each)
            for node in walk(host.body)
            if isinstance(node, Apply) and node.function in self.kernels
            for each in node.operands
            if isinstance(each, Value) and isinstance(each.type, Array)
        }

    def whole(self) -> Function:
        """The program, which takes the caller's arrays, and returns arrays of their kind."""
        body = self.host.body
        given = [value for value in body.parameters if isinstance(value.type, Array)]
        self.refuse_references()
        builder = Builder(loc=self.host.loc)
        own: dict[Value, Operand] = {}
        for value in given:
            on_gpu = self.is_on_gpu(value)
            place = launch.on_device if on_gpu else launch.on_host
            ending = "device" if on_gpu else "host"
            own[value] = builder.apply(place, value, name=f"{value.name}_{ending}", type=value.type)
        placed = self.block(Block((), body.nodes, body.yields))
        inner = [
            each
            for node in placed.nodes
            for each in ([node] if _compares_memory(node) else substitute(Block((), (node,), ()), own).nodes)
        ]
        inside = Block((), tuple(inner), substitute(Block((), (), placed.yields), own).yields)
        nodes = [*builder.current.nodes, *inside.nodes]
        given += [node.result for node in nodes if isinstance(node, Apply) and node.result in self.items]
        if given:
            kind_ = Builder(loc=self.host.loc)
            like = (
                given[0]
                if len(given) == 1
                else kind_.apply(launch.like, *given, name="argument", type=given[0].type)
            )
            ends = Block((), (), inside.yields)
            returned = _Returned(kind_, like, nodes)
            ends = dataclasses.replace(ends, yields=tuple(returned.operand(each) for each in inside.yields))
            nodes += kind_.current.nodes
            inside = dataclasses.replace(inside, yields=ends.yields)
        return eliminate_dead_code(with_body(self.host, Block(body.parameters, tuple(nodes), inside.yields)))

    def refuse_references(self) -> None:
        """Raise UnsupportedError for an array on the GPU that grows on the host, or that a list refers to."""
        for node in walk(self.host.body):
            if isinstance(node, Grow | Append) and self.is_on_gpu(node.buffer):
                raise self.refused(node.buffer, node, "grows on the host")
            for each in results(node):
                if self.is_on_gpu(each) and self.aliases.is_listed(each):
                    raise self.refused(each, node, "is held by a list")

    def refused(self, array: Value, node: Node, what: str) -> UnsupportedError:
        """The error for an array that cannot lie on the GPU and in the host's memory."""
        message = f"`{array.name or 'an array'}` lies on the GPU, and {what}"
        remedy = "write the loop over prange, too, so that it runs on the GPU; or copy the array: x.copy()."
        return UnsupportedError(Problem("BS704", message, node.loc, remedy))

    def is_on_gpu(self, operand: Operand) -> bool:
        """Whether the operand is an array on the GPU."""
        return _is_array(operand) and self.aliases.of(operand) in self.on_gpu  # type: ignore[arg-type]

    def block(self, block: Block) -> Block:
        """The block, with the nodes that touch the GPU's arrays otherwise than the host can between copies."""
        made: list[Node] = []
        waiting: list[Node] = []
        for node in block.nodes:
            if self.is_of_host_alone(node):
                waiting.append(node)
                continue
            made += self.between_copies(waiting)
            waiting = []
            made += self.node(node)
        made += self.between_copies(waiting)
        return with_nodes(block, made)

    def node(self, node: Node) -> list[Node]:
        """A node that the host runs beside the GPU's arrays, or one that it does not touch them with."""
        if isinstance(node, If | For | While) and self.touches(node):
            return [map_blocks(node, self.block)]
        if isinstance(node, Apply) and node.function is operator.getitem and node.operands[0] in self.given:
            return self.item(node)
        if (
            isinstance(node, Apply) and _is_item(node) and self.is_on_gpu(node.result)
        ):  # of what the host computed
            own = dataclasses.replace(node.result)
            return [
                dataclasses.replace(node, result=own),
                Apply(node.result, launch.on_device, (own,), node.loc),
            ]
        if isinstance(node, Apply) and node.function is overlap:
            arrays = tuple(self.as_given.get(each, each) for each in node.operands)
            return [dataclasses.replace(node, function=launch.share_memory, operands=arrays)]
        if isinstance(node, Apply) and self.is_on_gpu(node.result) and node.function in _MADE:
            return [dataclasses.replace(node, function=_MADE[node.function])]
        return [node]

    def item(self, node: Apply) -> list[Node]:
        """The item of a tuple that the caller gives, an array in its place."""
        if isinstance(node.result.type, Tuple):
            self.given.add(node.result)
        if not isinstance(node.result.type, Array):
            return [node]
        own = dataclasses.replace(node.result)
        self.items.add(own)
        self.as_given[node.result] = own
        place = launch.on_device if self.is_on_gpu(node.result) else launch.on_host
        return [dataclasses.replace(node, result=own), Apply(node.result, place, (own,), node.loc)]

    def touches(self, node: Node) -> bool:
        """Whether the node has to do with an array on the GPU."""
        inside = walk(Block((), (node,), ()))
        return any(
            self.is_on_gpu(each)
            for inner in inside
            for each in (*operands(inner), *results(inner), *leaving(inner))
        )

    def is_of_host_alone(self, node: Node) -> bool:
        """Whether the host needs copies in its own memory for the node."""
        if isinstance(node, Comment | Raise) or not self.touches(node):
            return False
        match node:
            case Apply() if node.function in self.kernels:
                return False
            case Apply() if node.function in _MADE and self.is_on_gpu(node.result):
                return False
            case Apply(function=function) if function is overlap:
                return False
            case Apply():
                ours = getattr(node.function, "__module__", "") == launch.__name__ or _is_item(node)
                return not ours and node.function not in _AS_THEY_ARE and not _makes_record(node)
            case Load() | View():
                return False
            case Store():
                return len(node.index) != node.buffer.type.ndim or any(  # type: ignore[union-attr]
                    not isinstance(each, Operand) for each in node.index
                )
            case If():
                return not self.is_simple(node) and not self.starts_kernel(node)
            case _:
                return not self.starts_kernel(node)

    def is_simple(self, node: If) -> bool:
        """Whether the branches touch single elements alone."""
        return not any(
            isinstance(inner, For | While) or self.is_of_host_alone(inner)
            for block in blocks(node)
            for inner in block.nodes
        )

    def starts_kernel(self, node: Node) -> bool:
        """Whether there is a kernel in the node."""
        return any(
            isinstance(inner, Apply) and inner.function in self.kernels
            for block in blocks(node)
            for inner in walk(block)
        )

    def items_of(self, whole: Value) -> Iterator[Value]:
        """The arrays that a tuple may hold: all that are put into one, or taken out of one, for none is asked which."""
        if not _holds_memory(whole.type):
            return
        for node in walk(self.host.body):
            if isinstance(node, Apply) and (node.function is operator.getitem or _makes_record(node)):
                yield from (each for each in (*node.operands, node.result) if isinstance(each, Value))

    def between_copies(self, nodes: Sequence[Node]) -> list[Node]:
        """The nodes on copies of the GPU's arrays in the host's memory; what they wrote is sent back."""
        if not nodes:
            return []
        inside = Block((), tuple(nodes), ())
        read = [value for value in free_values(inside) if self.is_on_gpu(value)]
        written = {self.aliases.of(each) for node in walk(inside) for each in written_by(node)}
        leaders = [self.aliases.of(value) for value in read]
        for value, leader in zip(read, leaders, strict=True):
            if leader in written and leaders.count(leader) > 1:
                raise self.refused(value, nodes[0], "the host writes it and reads it under another name")
        for value in free_values(inside):
            if isinstance(value.type, Tuple | List) and any(map(self.is_on_gpu, self.items_of(value))):
                raise self.refused(value, nodes[0], "the host reads it within a tuple")
        builder = Builder(loc=nodes[0].loc)
        own: dict[Value, Operand] = {
            value: builder.apply(launch.on_host, value, name=f"{value.name}_host", type=value.type)
            for value in read
        }
        renewed_: dict[Value, Operand] = {}
        after = Builder(loc=nodes[-1].loc)
        for node in nodes:
            for value in results(node):
                if self.is_on_gpu(value):
                    if self.aliases.is_merged(value) or not isinstance(node, Apply):
                        raise self.refused(value, node, "the host chooses which array it is")
                    if value in self.aliases.bases and self.aliases.is_buffer(value):
                        raise self.refused(value, node, "is a part of another array that is written")
                    here = dataclasses.replace(value)
                    renewed_[value] = here
                    after.add(Apply(value, launch.on_device, (here,), value.loc))
        copied = substitute(inside, own)
        body = [_with_results(node, renewed_) for node in substitute(copied, renewed_).nodes]
        builder.add(*body)
        for value, leader in zip(read, leaders, strict=True):
            if leader in written:
                builder.apply(launch.send, value, own[value], type=NONE)
        return [*builder.current.nodes, *after.current.nodes]


class _Returned:
    """Writes what the program returns, arrays as the kind of an argument."""

    def __init__(self, builder: Builder, like: Value, nodes: Iterable[Node]) -> None:
        self.builder = builder
        self.like = like
        self.made = {node.result: node for node in nodes if isinstance(node, Apply)}

    def operand(self, operand: Operand) -> Operand:
        """The operand for the caller; items of tuples likewise."""
        if not isinstance(operand, Value):
            return operand
        if isinstance(operand.type, Array):
            return self.builder.apply(launch.back, operand, self.like, name=operand.name, type=operand.type)
        node = self.made.get(operand)
        if isinstance(operand.type, Tuple) and isinstance(node, Apply) and _makes_record(node):
            items = tuple(self.operand(each) for each in node.operands)
            result = dataclasses.replace(operand)
            self.builder.add(dataclasses.replace(node, result=result, operands=items))
            return result
        if _holds_memory(operand.type):
            return self.builder.apply(launch.back, operand, self.like, type=operand.type)
        return operand


def _compares_memory(node: Node) -> bool:
    """Whether the node asks if arrays share memory: those that the caller gave, not copies of them."""
    return isinstance(node, Apply) and node.function is launch.share_memory


def _holds_memory(type_: Type | None) -> bool:
    """Whether values of the type hold arrays."""
    if isinstance(type_, Tuple):
        return any(map(_holds_memory, type_.items))
    return isinstance(type_, Array | List)


def _is_item(node: Apply) -> bool:
    """Whether the node takes an item out of a tuple."""
    whole = node.operands[0] if node.operands else None
    return node.function is operator.getitem and isinstance(whole, Value) and isinstance(whole.type, Tuple)


def _makes_record(node: Apply) -> bool:
    """Whether the node makes a tuple or a record of its operands."""
    return node.function is tuple or (isinstance(node.function, type) and isinstance(node.result.type, Tuple))


def _with_results(node: Node, replaced: dict[Value, Operand]) -> Node:
    """The node that defines other values in place of these."""

    def of(value: Value) -> Value:
        found = replaced.get(value, value)
        assert isinstance(found, Value)
        return found

    if isinstance(node, Apply | View | Load):
        return dataclasses.replace(node, result=of(node.result))
    if isinstance(node, If | For | While):
        return dataclasses.replace(node, results=tuple(map(of, node.results)))
    return node


def _is_array(operand: object) -> bool:
    return isinstance(operand, Value) and isinstance(operand.type, Array)
