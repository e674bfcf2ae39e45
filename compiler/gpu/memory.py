"""The memory that an iteration makes: a small array of known extents is the thread's own, any other a column of a workspace.

A workspace is an array on the GPU with an axis for the threads, the last: threads that run side by side touch elements side by
side. The host makes it, so its other extents are known before the kernel starts.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from backsweep.analysis.alias import Aliases, find_aliases
from backsweep.analysis.integers.affine import Affine, Dim
from backsweep.analysis.integers.extents import Shapes, shapes_of
from backsweep.diagnostics import Loc, Problem, UnsupportedError
from backsweep.gpu.text import local_array, thread
from backsweep.ir.build import Builder, named_dtype
from backsweep.ir.dead_code import eliminate_dead_code
from backsweep.ir.nodes import (
    Apply,
    Block,
    Const,
    For,
    Function,
    Node,
    Operand,
    Slice,
    Store,
    Value,
    View,
    While,
    equals,
)
from backsweep.ir.operations import OF_INTEGERS, Kind, kind
from backsweep.ir.types import INT, Array, Scalar
from backsweep.ir.walk import definitions_of, leaving, rewrite, walk, with_body

MOST_BYTES = 512
"""The largest array of a thread: beyond some dozens of numbers it does not lie in registers, and the workspace is as near."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """A parameter of a kernel, the host's operands for its extents but the last, and its dtype."""

    parameter: Value
    extents: tuple[Operand, ...]
    dtype: str


def with_memory_of_threads(
    kernel: Function, host: Builder, given: Mapping[Value, Operand]
) -> tuple[Function, list[Workspace]]:
    """The kernel, in which the arrays that an iteration makes are memory of the thread, and the workspaces that it takes after its own parameters.

    `given` are the parameters with what the host gives for them; `host` gets the nodes that compute extents there.
    """
    if not any(map(makes_memory, walk(kernel.body))):
        return kernel, []
    found = _Memory(kernel, host, given)
    body = rewrite(kernel, found.node).body
    parameters = (*body.parameters, *(each.parameter for each in found.workspaces))
    whole = with_body(kernel, dataclasses.replace(body, parameters=parameters))
    return eliminate_dead_code(whole), found.workspaces


def makes_memory(node: Node) -> bool:
    """Whether the node makes an array of a shape that is given."""
    return (
        isinstance(node, Apply)
        and isinstance(node.result.type, Array)
        and kind(node.function) in (Kind.NEW, Kind.ALIKE)
    )


@dataclass(slots=True)
class _Memory:
    """Gives memory to what a kernel makes."""

    kernel: Function
    host: Builder
    given: Mapping[Value, Operand]
    workspaces: list[Workspace] = field(default_factory=list)
    shapes: Shapes = field(init=False)
    definitions: Mapping[Value, Node] = field(init=False)
    carried: set[Value] = field(init=False)
    aliases: Aliases = field(init=False)
    there: dict[Operand, Operand] = field(default_factory=dict)
    """The kernel's values that the host has computed, with what they are there."""

    def __post_init__(self) -> None:
        self.shapes = shapes_of(self.kernel)
        self.definitions = definitions_of(self.kernel)
        self.aliases = find_aliases(self.kernel)
        self.carried = _carried(self.kernel, self.aliases)
        self.there.update((parameter, operand) for parameter, operand in self.given.items())

    def node(self, node: Node) -> list[Node]:
        """The node; of one that makes an array, those that give it memory, filled with what it begins with."""
        if not makes_memory(node):
            return [node]
        assert isinstance(node, Apply)
        type_ = node.result.type
        assert isinstance(type_, Array)
        if self.aliases.of(node.result) in self.carried:
            raise refused(node.loc, "an iteration makes an array in a loop, and keeps it for the next round")
        shape = self.shapes.of(node.result)
        if any(extent.terms for extent in shape) or _size(shape, type_) > MOST_BYTES:
            return self.of_workspace(node, shape)
        extents = [extent.const for extent in shape]
        room = tuple(max(extent, 1) for extent in extents)
        whole = Const(room[0] if len(room) == 1 else room)
        made = Apply(node.result, local_array, (whole, named_dtype(type_.dtype)), node.loc)
        return [made, *_begun(node, [Const(extent) for extent in extents])]

    def of_workspace(self, node: Apply, shape: Sequence[Affine]) -> list[Node]:
        """The nodes that give the array a column of a workspace."""
        type_ = node.result.type
        assert isinstance(type_, Array)
        builder = Builder(loc=node.loc)
        own = self.extents(builder, node, shape)
        extents = tuple(self.on_host(each, node.loc) for each in own)
        name = f"{node.result.name or 'array'}_of_threads"
        parameter = Value(name, Array(type_.dtype, type_.ndim + 1), node.loc)
        self.workspaces.append(Workspace(parameter, extents, type_.dtype))
        number = builder.apply(thread, Const(0), type=INT)
        builder.add(View(node.result, parameter, (*(Slice(),) * type_.ndim, number), node.loc))
        return [*builder.current.nodes, *_begun(node, own)]

    def extents(self, builder: Builder, node: Apply, shape: Sequence[Affine]) -> list[Operand]:
        """The extents of what a node makes, as operands of the kernel, which may be computed by new nodes."""
        atoms = [atom for extent in shape for atom in extent.terms]
        if all((atom.value if isinstance(atom, Dim) else atom) in self.given for atom in atoms):
            return [self.length(builder, extent) for extent in shape]
        given = node.operands[0]
        if kind(node.function) is Kind.ALIKE:
            return self.extents_of(builder, given)
        definition = self.definitions.get(given) if isinstance(given, Value) else None
        if isinstance(given, Value) and isinstance(given.type, Scalar):
            return [given]
        if isinstance(definition, Apply) and definition.function is tuple:
            return list(definition.operands)
        raise refused(node.loc, "an iteration makes an array whose extents are known only when it runs")

    def extents_of(self, builder: Builder, array: Operand) -> list[Operand]:
        """The extents of an array of the kernel, as operands."""
        definition = self.definitions.get(array) if isinstance(array, Value) else None
        if isinstance(definition, Apply) and makes_memory(definition):
            return self.extents(builder, definition, self.shapes.of(definition.result))
        if array in self.given and isinstance(array, Value) and isinstance(array.type, Array):
            own, there = (
                place.extents(each) for each, place in ((array, builder), (self.given[array], self.host))
            )
            self.there.update(zip(own, there, strict=True))
            return own
        raise refused(builder.loc, "an iteration makes an array whose extents are known only when it runs")

    def length(self, builder: Builder, extent: Affine) -> Operand:
        """A length that parameters decide, as an operand of the kernel; the host computes it, too."""
        own = _length(builder, extent, {})
        if isinstance(own, Value):
            self.there[own] = _length(self.host, extent, self.given)
        return own

    def on_host(self, operand: Operand, loc: Loc) -> Operand:
        """The operand as the host has it before the kernel starts."""
        if isinstance(operand, Const):
            return operand
        if operand not in self.there:
            node = self.definitions.get(operand)
            if not isinstance(node, Apply) or kind(node.function) not in OF_INTEGERS or node.keywords:
                raise refused(loc, "an iteration makes an array whose extents are known only when it runs")
            operands = tuple(self.on_host(each, loc) for each in node.operands)
            result = dataclasses.replace(operand)
            self.host.add(Apply(result, node.function, operands, node.loc))
            self.there[operand] = result
        return self.there[operand]


def _length(builder: Builder, extent: Affine, given: Mapping[Value, Operand]) -> Operand:
    """A length, computed by new nodes, with what is `given` for its parameters."""
    total: Operand = Const(extent.const)
    for atom, times in extent.terms.items():
        value = atom.value if isinstance(atom, Dim) else atom
        assert isinstance(value, Value)
        part = given.get(value, value)
        if isinstance(atom, Dim):
            part = builder.extents(part)[atom.axis]
        if times != 1:
            part = builder.apply(operator.mul, part, Const(times), type=INT)
        total = part if equals(total, 0) else builder.apply(operator.add, total, part, type=INT)
    return total


def refused(loc: Loc, message: str) -> UnsupportedError:
    """The error for memory that a thread cannot have."""
    remedy = "give the extents as numbers, as in np.zeros(3); or make the array before the loop, with an axis for the iterations."
    return UnsupportedError(Problem("BS702", message, loc, remedy))


def _size(shape: Sequence[Affine], type_: Array) -> int:
    return np.dtype(type_.dtype).itemsize * int(np.prod([extent.const for extent in shape]))


def _carried(kernel: Function, aliases: Aliases) -> set[Value]:
    """The memory that a loop hands from round to round: one place cannot hold two of it."""
    found: set[Value] = set()
    for node in walk(kernel.body):
        if isinstance(node, For | While):
            found.update(
                aliases.of(each)
                for each in leaving(node)
                if isinstance(each, Value) and isinstance(each.type, Array)
            )
    return found


def _begun(node: Apply, extents: Sequence[Operand]) -> list[Node]:
    """The loops that fill what a node makes; none if it is empty."""
    name = node.function.__name__.removesuffix("_like")
    if name == "empty":
        return []
    entry = node.operands[1] if name == "full" else Const({"zeros": 0.0, "ones": 1.0}[name])

    def along(axis: int, index: tuple[Operand, ...]) -> list[Node]:
        if axis == len(extents):
            return [Store(node.result, index, entry, node.loc)]
        place = Value("", INT, node.loc)
        inner = Block((place,), tuple(along(axis + 1, (*index, place))), ())
        return [For(Const(0), extents[axis], Const(1), (), inner, (), node.loc)]

    return along(0, ())
