"""Replace views of the imaginary part of written memory: each access goes to the complex memory itself.

The adjoint of x + iy is x_bar - i y_bar. So the shadow of `a.real` is the real part of the shadow of `a`, but the shadow
of `a.imag` is the negated imaginary part, which no view can give.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable

import numpy as np

from backsweep.analysis.alias import find_aliases, is_perhaps_view
from backsweep.diagnostics import Loc, Problem, UnsupportedError
from backsweep.ir.build import Builder
from backsweep.ir.nodes import (
    Append,
    Apply,
    Block,
    Const,
    For,
    Function,
    If,
    Load,
    NewAxis,
    Node,
    Operand,
    Store,
    Tap,
    Value,
    View,
    While,
)
from backsweep.ir.operations import Kind, kind
from backsweep.ir.typed import type_of
from backsweep.ir.types import FLOAT, Array, Scalar
from backsweep.ir.walk import map_blocks, operands, rename_operands, walk, with_body
from backsweep.rules.matching import is_complex


def remove_imaginary_views(function: Function) -> Function:
    """The same program without views of imaginary parts of complex arrays that something writes."""
    aliases = find_aliases(function)
    found = {
        node.result
        for node in walk(function.body)
        if isinstance(node, Apply)
        and node.function is np.imag
        and isinstance(node.result.type, Array)
        and is_complex(node.operands[0])
        and aliases.is_buffer(node.result)
    }
    if not found:
        return function
    return with_body(function, _Rewriter(found).function_body(function.body))


def _unseen(tap: Tap, loc: Loc) -> UnsupportedError:
    """The error for a variable by name that has no adjoint of its own."""
    message = f"the variable `{tap.label}` is the imaginary part of an array that is written"
    return UnsupportedError(
        Problem("BS207", message, loc, "name the array itself, or assign a .copy() of the part.")
    )


class _Rewriter:
    """Rebuilds blocks in program order; `wholes` maps an imaginary part to the complex array whose part it is."""

    def __init__(self, found: set[Value]) -> None:
        self.found = found
        self.wholes: dict[Value, Value] = {}
        self.builder = Builder()

    def function_body(self, block: Block) -> Block:
        """The function's body; an imaginary part that it returns is copied."""
        with self.builder.block(*block.parameters) as written:
            self.nodes(block.nodes)
            written.yields = tuple(map(self.read, block.yields))
        return written.finish()

    def block(self, block: Block) -> Block:
        """The block of a branch or a loop; it must not yield an imaginary part."""
        with self.builder.block(*block.parameters) as written:
            self.nodes(block.nodes)
            self.refuse_references(block.yields, self.builder.loc)
            written.yields = block.yields
        return written.finish()

    def nodes(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            self.builder.loc = node.loc
            self.node(node)

    def whole(self, operand: Operand) -> Value | None:
        """The complex array whose imaginary part the operand is; None for any other operand."""
        return self.wholes.get(operand) if isinstance(operand, Value) else None

    def node(self, node: Node) -> None:
        builder = self.builder
        match node:
            case If() | For() | While():
                self.refuse_references(operands(node), node.loc)
                builder.add(map_blocks(node, self.block))
            case Apply(result, function, (Value() as whole,)) if result in self.found:
                assert function is np.imag
                self.wholes[result] = whole
            case Apply(result, Tap() as tap, (first, *_)) if (of := self.whole(first)) is not None:
                if not tap.optional:
                    raise _unseen(tap, node.loc)
                self.wholes[result] = of
            case View(result, buffer) if (of := self.whole(buffer)) is not None:
                self.wholes[result] = builder.view(of, node.index, type=_complex(result, of))
            case Apply(result, function, (first, *rest)) if (
                (of := self.whole(first)) is not None
                and kind(function) is Kind.VIEW
                and not is_perhaps_view(node)
            ):
                self.wholes[result] = builder.apply(function, of, *rest, type=_complex(result, of))
            case Load(result, buffer) if (of := self.whole(buffer)) is not None:
                element = builder.load(of, node.index, type=Scalar(_array(of).dtype))
                builder.add(Apply(result, np.imag, (element,), node.loc))
            case Store(buffer=buffer) if (of := self.whole(buffer)) is not None:
                self.store(node, of)
            case Append():
                self.refuse_references(operands(node), node.loc)
                builder.add(node)
            case _:
                self.other(node)

    def store(self, node: Store, whole: Value) -> None:
        """Write a store to the imaginary part as a store of complex numbers with the present real parts."""
        builder, base = self.builder, _array(whole)
        value = self.read(node.value)
        ndim = base.ndim - sum(isinstance(item, Value | Const) for item in node.index)
        ndim += sum(isinstance(item, NewAxis) for item in node.index)
        part = Array(base.dtype, ndim, "A") if ndim else Scalar(base.dtype)
        of_value = type_of(value)
        wide = Array(base.dtype, of_value.ndim) if isinstance(of_value, Array) else Scalar(base.dtype)
        if of_value == FLOAT:  # a product with 1j would make the real part of an infinite number nan
            turned = builder.apply(complex, Const(0.0), value, type=wide)
        else:
            turned = builder.apply(operator.mul, value, Const(1j), type=wide)
        if not node.accumulate:
            old = (builder.view if ndim else builder.load)(whole, node.index, type=part)
            kept = builder.apply(np.real, old, type=_with(part, FLOAT.dtype))
            turned = builder.apply(operator.add, kept, turned, type=_with(part, base.dtype))
        builder.store(whole, node.index, turned, accumulate=node.accumulate)

    def other(self, node: Node) -> None:
        """Write any other node: it reads a copy of the imaginary part, or only the extents of the complex array."""
        if isinstance(node, Apply) and kind(node.function) is Kind.EXTENT:
            self.builder.add(rename_operands(node, lambda operand: self.whole(operand) or operand))
        else:
            self.builder.add(rename_operands(node, self.read))

    def read(self, operand: Operand) -> Operand:
        """A copy of the operand's present entries if the operand is an imaginary part; any other operand as it is."""
        whole = self.whole(operand)
        if whole is None:
            return operand
        base = _array(whole)
        copied = self.builder.apply(np.copy, whole, type=Array(base.dtype, base.ndim))
        return self.builder.apply(np.imag, copied, type=Array(FLOAT.dtype, base.ndim, "A"))

    def refuse_references(self, found: Iterable[Operand], loc: Loc) -> None:
        """Refuse to pass an imaginary part to a branch, a loop or a list, where it would be one of several possible arrays."""
        if any(operand in self.wholes for operand in found if isinstance(operand, Value)):
            message = "this chooses between arrays, and one is the imaginary part of an array that is written"
            raise UnsupportedError(
                Problem(
                    "BS207",
                    message,
                    loc,
                    "choose the complex array instead, or a .copy() of its imaginary part.",
                )
            )


def _array(value: Value) -> Array:
    assert isinstance(value.type, Array)
    return value.type


def _with(type_: Array | Scalar, dtype: str) -> Array | Scalar:
    """The type with another dtype; for an array, in any layout."""
    return Array(dtype, type_.ndim, "A") if isinstance(type_, Array) else Scalar(dtype)


def _complex(part: Value, whole: Value) -> Array:
    """The type of the complex array whose imaginary part has the shape of `part`."""
    return Array(_array(whole).dtype, _array(part).ndim, "A")
