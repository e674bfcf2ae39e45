"""Build IR node by node: the builder collects the nodes of the innermost open block."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from backsweep.diagnostics import NOWHERE, Loc, UnsupportedError
from backsweep.ir.nodes import (
    Apply,
    Block,
    Comment,
    Const,
    Index,
    Load,
    NewAxis,
    Node,
    Operand,
    Slice,
    Store,
    Value,
    View,
)
from backsweep.ir.typed import rank, type_of
from backsweep.ir.types import INT, Array, Scalar, Tuple, Type


@dataclass(slots=True, eq=False)
class OpenBlock:
    """A block under construction; `yields` must be set before `finish`."""

    parameters: tuple[Value, ...] = ()
    nodes: list[Node] = field(default_factory=list)
    yields: tuple[Operand, ...] = ()

    def finish(self) -> Block:
        """The immutable block."""
        return Block(self.parameters, tuple(self.nodes), self.yields)


class Builder:
    """Appends nodes to the innermost open block; `loc` is the place that nodes get unless they are given one.

    `open` are all open blocks, outermost first.
    """

    def __init__(self, *parameters: Value, loc: Loc = NOWHERE) -> None:
        self.loc = loc
        self.current = self.outermost = OpenBlock(parameters)
        self.open = [self.outermost]
        self.made: dict[Value, Apply | Load | View] = {}

    def extents(self, array: Operand) -> list[Operand]:
        """The lengths of an array's axes, which the program reads; a number has none."""
        count = rank(array)
        shape = self.apply(np.shape, array, type=Tuple((INT,) * count)) if count else array
        return [self.apply(operator.getitem, shape, Const(axis), type=INT) for axis in range(count)]

    def extent(self, array: Operand, axis: int) -> Operand:
        """The length of one axis of an array."""
        if isinstance(array, Const):
            return Const(array.value.shape[axis])
        shape = self.apply(np.shape, array, type=Tuple((INT,) * rank(array)))
        return self.apply(operator.getitem, shape, Const(axis), type=INT)

    @contextmanager
    def block(self, *parameters: Value) -> Iterator[OpenBlock]:
        """Collect nodes in a new block, until the end of the `with` statement.

        If that refuses something, the nodes stay in the block around it: what they ask for is still to be answered.
        """
        outer, self.current = self.current, OpenBlock(parameters)
        self.open.append(self.current)
        try:
            yield self.current
        except UnsupportedError:
            outer.nodes.extend(self.current.nodes)
            raise
        finally:
            self.current = outer
            self.open.pop()

    def value(self, name: str = "", type: Type | None = None, loc: Loc | None = None) -> Value:
        """A new value that no node defines yet."""
        return Value(name, type, loc or self.loc)

    def add(self, *nodes: Node) -> None:
        """Append existing nodes."""
        self.current.nodes.extend(nodes)
        self.made.update((node.result, node) for node in nodes if isinstance(node, Apply | Load | View))

    def apply(
        self,
        function: Any,
        *operands: Operand,
        loc: Loc | None = None,
        name: str = "",
        type: Type | None = None,
        **keywords: Operand,
    ) -> Value:
        """Append `result = function(*operands, **keywords)`."""
        result = self.value(name, type, loc)
        self.add(Apply(result, function, operands, loc or self.loc, tuple(keywords.items())))
        return result

    def load(
        self, buffer: Operand, index: Index, loc: Loc | None = None, name: str = "", type: Type | None = None
    ) -> Value:
        """Append `result = buffer[index]`."""
        result = self.value(name, type, loc)
        self.add(Load(result, buffer, index, loc or self.loc))
        return result

    def view(
        self, buffer: Value, index: Index, loc: Loc | None = None, name: str = "", type: Type | None = None
    ) -> Value:
        """Append `result = buffer[index]` that shares the buffer's memory."""
        result = self.value(name, type, loc)
        self.add(View(result, buffer, index, loc or self.loc))
        return result

    def store(
        self, buffer: Value, index: Index, value: Operand, loc: Loc | None = None, accumulate: bool = False
    ) -> None:
        """Append `buffer[index] = value`, or `+=` when `accumulate`."""
        self.add(Store(buffer, index, value, loc or self.loc, accumulate))

    def comment(self, text: str, loc: Loc | None = None) -> None:
        """Append a comment that heads the nodes after it."""
        self.add(Comment(text, loc or self.loc))


def christen(value: Value, name: str) -> None:
    """Name a value in place, if it has no name yet.

    Values are compared by identity and the name is only a hint for the reader. Setting the name in place is therefore
    safer than replacing the value at every reference to it.
    """
    if not value.name:
        object.__setattr__(value, "name", name)


def determine(value: Value, type: Type | None) -> None:
    """Set the type of a value in place, if it has no type yet, for the same reason."""
    if value.type is None:
        object.__setattr__(value, "type", type)


def with_last_axis(builder: Builder, array: Operand) -> Value:
    """The array with one more axis, of extent 1, after its own: a view, but of a constant, which is no memory."""
    type_ = type_of(array)
    assert isinstance(type_, Array)
    widened = Array(type_.dtype, type_.ndim + 1, "A")
    if isinstance(array, Value):
        return builder.view(array, (*(Slice(),) * type_.ndim, NewAxis()), type=widened)
    return builder.apply(np.expand_dims, array, Const(type_.ndim), type=widened)


def converted(builder: Builder, operand: Operand, dtype: str) -> Operand:
    """Convert a number or an array to another dtype, given by its NumPy name."""
    type_ = type_of(operand)
    kind = np.dtype(dtype).type
    if isinstance(type_, Array):
        return builder.apply(np.ndarray.astype, operand, Const(kind), type=Array(dtype, type_.ndim))
    return builder.apply(kind, operand, type=Scalar(dtype))


def named_dtype(dtype: str) -> Const:
    """The operand by which a call names a dtype."""
    return Const(np.dtype(dtype).type)


def dtype_argument(dtype: str) -> tuple[Const, ...]:
    """What `np.empty` and its like are given for a dtype: nothing for float64, which they take without."""
    return () if dtype == "float64" else (named_dtype(dtype),)
