"""Keep, while the reverse sweep is written, the adjoint of each value: an expression or memory, and who may write to it."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np

from backsweep.ad.checkpoint.records.record_sizes import Extents
from backsweep.ad.checkpoint.storage import Storage
from backsweep.analysis.alias import Aliases, is_perhaps_view
from backsweep.ir.build import Builder, dtype_argument
from backsweep.ir.effects import has_effect
from backsweep.ir.nodes import (
    COMPLEX_ZERO,
    ZERO,
    Apply,
    Block,
    Comment,
    Const,
    Dots,
    If,
    Index,
    Load,
    Node,
    Operand,
    Store,
    Tap,
    Value,
    View,
)
from backsweep.ir.types import BOOL, INT, Array, List, Scalar, Type, contiguous
from backsweep.ir.walk import operands


def zero_number(type_: Type | None) -> Const:
    """A zero of this type: the adjoint of a number to which nothing was added."""
    return COMPLEX_ZERO if isinstance(type_, Scalar) and type_.dtype == "complex128" else ZERO


@dataclass(frozen=True, slots=True)
class Bar:
    """An adjoint: its operand, and whether the reverse sweep may write to the array behind it."""

    operand: Operand
    owned: bool


def bar_name(value: Value) -> str:
    """`x_bar` for `x`; the adjoint of an unnamed value is unnamed."""
    return f"{value.name}_bar" if value.name else ""


SINGLE = ("float32", "complex64")
DOUBLE = ("float64", "complex128")


def fit_dtype(
    builder: Builder, operand: Value, result: object, contribution: Operand
) -> tuple[Operand, bool]:
    """Convert a contribution to the dtype of the array that it is added to; returns it, and whether it is a new array.

    It is converted if it is in the other precision, and always if the array is in single precision: Numba, unlike NumPy,
    makes doubles of single numbers times 1.0.
    """
    if not isinstance(operand.type, Array):
        return contribution, False
    own = operand.type.dtype
    mixed = isinstance(result, Scalar | Array) and own in DOUBLE and result.dtype in SINGLE
    if mixed or own in SINGLE:
        return builder.apply(np.ndarray.astype, contribution, Const(np.dtype(own).type)), True
    return contribution, False


def real_part(builder: Builder, operand: Value, result: object, contribution: Operand) -> Operand:
    """Take the real part of a complex contribution to a real number or array; any other contribution is returned unchanged."""
    if not isinstance(operand.type, Scalar | Array) or not isinstance(result, Scalar | Array):
        return contribution
    if result.dtype.startswith("complex") and not operand.type.dtype.startswith("complex"):
        return builder.apply(np.real, contribution)
    return contribution


class Adjoints:
    """The adjoints known at the place where the reverse sweep is being written.

    Scalars have an expression each, replaced as contributions come in. An array has an expression until
    something must be added to a part of it; then it has memory of its own, its shadow. A view has no
    adjoint of its own: its shadow is the same view of its base's shadow.
    """

    def __init__(
        self,
        builder: Builder,
        aliases: Aliases,
        active: frozenset[Value],
        definitions: dict[Value, Node],
        storage: Storage,
    ) -> None:
        self.builder = builder
        self.aliases = aliases
        self.active = active
        self.definitions = definitions
        self.storage = storage
        self.bars: dict[Value, Bar] = {}
        self.views: dict[Value, Value] = {}
        self.duals: dict[Value, Value] = {}

    def is_view(self, value: Value) -> bool:
        """Whether the value's shadow is a view of another's shadow."""
        definition = self.definitions.get(value)
        if isinstance(definition, View):
            return True
        return (
            value in self.aliases.bases and self.aliases.in_memory(value) and not is_perhaps_view(definition)
        )

    def is_memory(self, value: Value) -> bool:
        """Whether the value's adjoint lives in memory that other names share."""
        return isinstance(value.type, Array | List) and (self.aliases.in_memory(value) or self.is_view(value))

    def take(self, value: Value) -> Operand | None:
        """Return the value's complete adjoint and forget it; None stands for zero."""
        bar = self.bars.pop(value, None)
        return None if bar is None else bar.operand

    def take_part(self, item: Value) -> Operand | None:
        """Return the complete adjoint of one of several results of a call, and forget it; None stands for zero."""
        dual = self.duals.get(item)
        return self.take(item) if dual is None else dual

    def peek(self, value: Value) -> Operand | None:
        """The value's adjoint so far; None if it is zero."""
        bar = self.bars.get(value)
        return None if bar is None else bar.operand

    def add(self, operand: Operand, contribution: Operand, *, owned: bool) -> None:
        """Add a contribution to the adjoint of `operand`; `owned` says that the contribution is fresh memory."""
        if not isinstance(operand, Value) or operand not in self.active:
            return
        if isinstance(operand.type, Array):
            self._add_array(operand, contribution, owned=owned)
            return
        old = self.bars.get(operand)
        if old is not None:
            contribution = self.builder.apply(
                operator.add, old.operand, contribution, name=bar_name(operand), type=operand.type
            )
        else:
            contribution = self._named(contribution, operand)
        self.bars[operand] = Bar(contribution, owned=True)

    def add_to_chosen(self, items: Sequence[Operand], position: Operand, contribution: Operand) -> None:
        """Add a contribution to the adjoint of one of several numbers; which one, only the run decides."""
        # The position may be negative
        place = self.builder.apply(operator.mod, position, Const(len(items)), type=INT)
        for number, item in enumerate(items):
            if isinstance(item, Value) and item in self.active:
                chosen = self.builder.apply(operator.eq, place, Const(number), type=BOOL)
                share = self.builder.value("", contiguous(item.type))
                sides = (Block((), (), (contribution,)), Block((), (), (zero_number(item.type),)))
                self.builder.add(If(chosen, *sides, (share,), self.builder.loc))
                self.add(item, share, owned=True)

    def _named(self, contribution: Operand, operand: Value) -> Operand:
        """Give the first contribution the name of the adjoint if it has no name."""
        if isinstance(contribution, Value) and not contribution.name and operand.name:
            object.__setattr__(contribution, "name", bar_name(operand))
        return contribution

    def _add_array(self, value: Value, contribution: Operand, *, owned: bool) -> None:
        old = self.bars.get(value)
        assert isinstance(value.type, Array)
        if value.type.ndim == 0 and (self.is_view(value) or value in self.duals or old is not None):
            self.builder.store(self.shadow(value), (), self.builder.load(contribution, ()), accumulate=True)
        elif self.is_view(value) or value in self.duals or (old is not None and old.owned):
            self.builder.store(self.shadow(value), (Dots(),), contribution, accumulate=True)
        elif old is None:
            self.bars[value] = Bar(self._named(contribution, value) if owned else contribution, owned)
        else:
            total = self.builder.apply(
                operator.add, old.operand, contribution, name=bar_name(value), type=contiguous(value.type)
            )
            self.bars[value] = Bar(total, owned=True)

    def add_at(self, shadow: Value, index: Index, contribution: Operand) -> None:
        """Add to an element of a shadow; what is added to zeros that were made just now is written there.

        What is added to parts is left: sums of neighbouring parts are gathered later.
        """
        is_new = _is_of_new_zeros(shadow, index, self.builder.current.nodes[-AT_ONCE:])
        self.builder.store(shadow, index, contribution, accumulate=not is_new)

    def shadow(self, value: Value) -> Value:
        """The memory of an array's adjoint, made now if there is none yet."""
        if value in self.views:
            return self.views[value]
        if value in self.duals:
            return self.duals[value]
        if self.is_view(value):
            return self._shadow_view(value)
        bar = self.bars.get(value)
        if bar is None:
            memory = self.zeros(value)
        elif not bar.owned:
            memory = self.builder.apply(
                np.copy, bar.operand, name=bar_name(value), type=contiguous(value.type)
            )
        else:
            assert isinstance(bar.operand, Value)
            return bar.operand
        self.bars[value] = Bar(memory, owned=True)
        return memory

    def has_shadow(self, value: Value) -> bool:
        """Whether anything may have been added to the memory of an array's adjoint yet."""
        return bool(self.duals) or self.peek(self.aliases.root(value)) is not None

    def zeros(self, value: Value) -> Value:
        """A fresh array of zeros of the shape and dtype of `value`."""
        if value in self.storage.facts.taps:
            return self._phantom(value)
        like = self.storage.shapes.of(value)
        return self.builder.apply(np.zeros_like, like, name=bar_name(value), type=contiguous(value.type))

    def _phantom(self, value: Value) -> Value:
        """An array of zeros with an entry for the adjoint of a variable in each iteration."""
        assert isinstance(value.type, Array)
        lengths = Extents(self.storage.facts, self.storage.recorder, self.builder).of(
            self.storage.facts.taps[value]
        )
        shape = lengths[0] if len(lengths) == 1 else self.builder.apply(tuple, *lengths)
        dtype = dtype_argument(value.type.dtype)
        return self.builder.apply(np.zeros, shape, *dtype, name=bar_name(value), type=value.type)

    def _shadow_view(self, value: Value) -> Value:
        definition = self.definitions[value]
        type_ = value.type
        if isinstance(definition, View):
            base = self.shadow(definition.buffer)
            shadow = self.builder.view(base, definition.index, name=bar_name(value), type=type_)
        else:
            assert isinstance(definition, Apply)
            base_value = self.aliases.bases[value]
            base = self.shadow(base_value)
            if isinstance(definition.function, Tap):
                self.views[value] = base
                return base
            operands = tuple(base if operand is base_value else operand for operand in definition.operands)
            shadow = self.builder.value(bar_name(value), type_)
            self.builder.add(
                Apply(shadow, definition.function, operands, self.builder.loc, definition.keywords)
            )
        self.views[value] = shadow
        return shadow

    def zero_of(self, value: Value) -> Operand:
        """Zero as an adjoint of `value`."""
        return zero_number(value.type) if isinstance(value.type, Scalar) else self.zeros(value)


AT_ONCE = 32
"""How many nodes back zeros are sought to which nothing was added yet."""


def _is_of_new_zeros(shadow: Value, index: Index, nodes: Sequence[Node]) -> bool:
    """Whether an element is one of an array, or a view of one, that these nodes made of zeros, and none of them has written it.

    Other memory cannot be this array's, because it is new.
    """
    bases = {node.result: node.buffer for node in nodes if isinstance(node, View)}
    root = shadow
    while root in bases:
        root = bases[root]
    at = next((k for k, node in enumerate(nodes) if isinstance(node, Apply) and node.result is root), None)
    if at is None or not _is_zeros(nodes[at]):
        return False
    same = {root}
    for node in nodes[at + 1 :]:
        if not isinstance(node, Apply | Load | View | Store | Comment):
            return False
        if same.isdisjoint(each for each in operands(node) if isinstance(each, Value)):
            continue
        if isinstance(node, Store) and node.buffer is shadow and _are_distinct(node.index, index):
            continue
        if not isinstance(node, Apply | View) or has_effect(node):
            return False
        same.add(node.result)
    return True


def _are_distinct(one: Index, other: Index) -> bool:
    """Whether two indices, counted from the first element, surely are of two elements."""
    pairs = zip(one, other, strict=False)
    return any(
        _is_place(first) and _is_place(second) and first.value != second.value for first, second in pairs
    )


def _is_place(item: object) -> TypeGuard[Const]:
    """Whether the index is a number that counts from the first element."""
    return isinstance(item, Const) and type(item.value) is int and item.value >= 0


def _is_zeros(node: Node) -> bool:
    return isinstance(node, Apply) and node.function is np.zeros_like
