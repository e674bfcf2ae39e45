"""Find nests of loops for which one copy of an array replaces the records of all elements that they read.

A nest that does not write an array sees the same contents in all its reads. A copy of the part that they touch,
made where the array was last written before, holds what each of them read. It is offered where it takes no more
room than the records would: where a loop of the nest runs along each axis of the part.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from backsweep.analysis.integers.affine import Atom, at_least, dim, infeasible, literal
from backsweep.analysis.integers.domains import Counter
from backsweep.analysis.structure import Facts
from backsweep.ir.nodes import (
    Apply,
    Block,
    Const,
    For,
    Index,
    Load,
    Node,
    Operand,
    Slice,
    Store,
    Value,
    While,
)
from backsweep.ir.operations import OF_INTEGERS, kind
from backsweep.ir.types import Array, Scalar
from backsweep.ir.walk import operands, results, walk

Loop = For | While


@dataclass(eq=False, slots=True)
class Snapshot:
    """A copy of a part of `buffer`, made right after the node `after` of `block`, or where the block begins.

    `weight` is what it costs, in records per iteration of the reads that it serves.
    """

    copy: Value
    buffer: Value
    block: Block
    after: Node | None
    weight: float
    part: Index

    def index(self, read: Load) -> Index:
        """The index, in the copy, of the element that a load reads."""
        return tuple(
            Const(0) if isinstance(kept, Slice) and isinstance(kept.start, Const) else item
            for item, kept in zip(read.index, self.part, strict=True)
            if isinstance(kept, Slice)
        )


@dataclass(frozen=True, slots=True)
class Along:
    """Which positions of one axis a nest reads: all of them, or the one position `kept`."""

    kept: Operand | None = None
    is_long: bool = False
    is_scattered: bool = False


@dataclass(frozen=True, slots=True)
class Read:
    """A load in a nest that does not write its array."""

    load: Load
    nest: Loop
    axes: tuple[Along, ...]
    weight: float


class Snapshots:
    """The snapshots that can serve the loads of one program."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.places = facts.subscripts.places

    def of(self, load: Load) -> Snapshot | None:
        """The snapshot that holds the element that the load read; None if a snapshot does not pay."""
        return self._found.get(load)

    @cached_property
    def _found(self) -> dict[Load, Snapshot]:
        groups: dict[tuple[object, ...], list[Read]] = {}
        for node in walk(self.facts.function.body):
            if isinstance(node, Load) and not self.facts.is_stable(node):
                read = self._read(node)
                if read is not None:
                    fixed = tuple(axis.kept if isinstance(axis.kept, Value) else None for axis in read.axes)
                    groups.setdefault((node.buffer, *self._since(read), *fixed), []).append(read)
        found: dict[Load, Snapshot] = {}
        for reads in groups.values():
            snapshot = _snapshot(reads, *self._since(reads[0]))
            found.update((read.load, snapshot) for read in reads)
        return found

    def _read(self, load: Load) -> Read | None:
        """The load with the largest nest that does not write its array; None if a copy may be larger than records."""
        nest = self._nest(load)
        if nest is None:
            return None
        axes: list[Along] = []
        for number, item in enumerate(load.index):
            axis = self._along(item, nest) if isinstance(item, Value | Const) else None
            if axis is None or not self._is_there(axis.kept, load, number, nest):
                return None
            axes.append(axis)
        loops = [loop for loop in self._within(load, nest) if not _is_short(loop)]
        long = sum(axis.is_long for axis in axes)
        if not 0 < long <= sum(self._is_through(loop, nest) for loop in loops):
            return None
        if len(loops) > long:
            return Read(load, nest, tuple(axes), 0.0)
        return None if any(axis.is_scattered for axis in axes) else Read(load, nest, tuple(axes), 1.0)

    # Nests -----------------------------------------------------------------------------------

    def _nest(self, load: Load) -> Loop | None:
        """The outermost loop around the load in which the array is at hand and nothing writes it."""
        found: Loop | None = None
        buffer = load.buffer
        if not isinstance(buffer, Value) or not isinstance(buffer.type, Array):
            return None
        if len(load.index) != buffer.type.ndim or not isinstance(load.result.type, Scalar):
            return None
        for region in self.facts.path(self.facts.holder[load]):
            if self.facts.is_within(buffer, region) or self._writes(region, buffer):
                break
            if isinstance(region, Loop):
                found = region
        return found

    def _writes(self, node: Node, buffer: Value) -> bool:
        """Whether the node, or one within it, may write the array's memory."""
        return any(
            isinstance(inner, Store) and self.facts.aliases.same(inner.buffer, buffer)
            for inner in walk(Block((), (node,), ()))
        )

    def _since(self, read: Read) -> tuple[Block, Node | None]:
        """The block that holds the nest, and the last node before the nest that writes or makes the array to copy."""
        block = self.facts.holder[read.nest]
        buffer = read.load.buffer
        made_of = {buffer, *(axis.kept for axis in read.axes)}
        assert isinstance(buffer, Value)
        for node in reversed(block.nodes[: block.nodes.index(read.nest)]):
            if self._writes(node, buffer) or not made_of.isdisjoint(results(node)):
                return block, node
        return block, None

    def _within(self, node: Node, nest: Loop) -> list[Loop]:
        """The loops around the node, the nest and those in it."""
        loops = self.facts.loops(node)
        return list(loops[: loops.index(nest) + 1])

    def _is_in(self, loop: Loop, nest: Loop) -> bool:
        return loop is nest or nest in self.facts.loops(loop)

    # Indices ---------------------------------------------------------------------------------

    def _along(self, item: Operand, nest: Loop) -> Along | None:
        """How the index moves while the nest runs; None if perhaps only along a small part of the axis."""
        if isinstance(item, Const):
            return Along(item) if literal(item) is not None else None
        atoms = self.places.affine(item).terms
        if any(isinstance(atom, Value) and self.facts.is_within(atom, nest) for atom in atoms):
            return Along(is_long=True, is_scattered=True)
        counted = [atom.loop for atom in atoms if isinstance(atom, Counter) and self._is_in(atom.loop, nest)]
        if not counted:
            return None if self.facts.is_within(item, nest) else Along(item)
        if not all(self._is_steady(atom, nest) for atom in atoms):
            return None
        if any(self._is_through(loop, nest) for loop in counted):
            return Along(is_long=True)
        return Along() if len(atoms) == 1 and _is_short(counted[0]) else None

    def _is_there(self, kept: Operand | None, load: Load, axis: int, nest: Loop) -> bool:
        """Whether the fixed position `kept` is surely in bounds, even if the nest does not run."""
        if not isinstance(kept, Value):
            return True
        assert isinstance(load.buffer, Value)
        position, context = self.places.affine(kept), self.places.context(nest)
        extent = dim(load.buffer, axis, self.places.definitions, self.places.known)
        outside = (at_least(-position, 1), at_least(position, extent))
        return all(infeasible(self.places.with_facts([*context, each])) for each in outside)

    def _is_through(self, loop: Loop, nest: Loop) -> bool:
        """Whether the loop's bounds do not change while the nest's surroundings run, as those of whole arrays do not."""
        if not isinstance(loop, For) or loop.exit is not None or _is_short(loop):
            return False
        bounds = [self.places.affine(bound) for bound in (loop.start, loop.stop)]
        return all(self._is_steady(atom, nest) for bound in bounds for atom in bound.terms)

    def _is_steady(self, atom: Atom, nest: Loop) -> bool:
        """Whether the atom counts a loop of the nest, or is the same in all iterations of the loops around it."""
        if isinstance(atom, Counter):
            return self._is_in(atom.loop, nest)
        if not isinstance(atom, Value) or self.places.depth(atom) == 0:
            return True
        node = self.facts.definitions.get(atom)
        return (
            isinstance(node, Apply)
            and kind(node.function) in OF_INTEGERS
            and all(
                self._is_steady(part, nest)
                for operand in operands(node)
                for part in self.places.affine(operand).terms
            )
        )


def _snapshot(reads: list[Read], block: Block, after: Node | None) -> Snapshot:
    """One copy for reads of the same contents: along each axis the one position that all reads use, else the whole axis."""
    part: list[Operand | Slice] = []
    for axes in zip(*(read.axes for read in reads), strict=True):
        kept = axes[0].kept
        same = len({literal(axis.kept) if isinstance(axis.kept, Const) else axis.kept for axis in axes}) == 1
        part.append(_position(kept) if kept is not None and same else Slice())
    buffer = reads[0].load.buffer
    assert isinstance(buffer, Value)
    assert isinstance(buffer.type, Array)
    ndim = sum(isinstance(item, Slice) for item in part)
    copy = Value(buffer.name, Array(buffer.type.dtype, ndim), reads[0].load.loc)
    return Snapshot(copy, buffer, block, after, min(read.weight for read in reads), tuple(part))


def _position(kept: Operand) -> Operand | Slice:
    """An index for one position; for a literal one a slice, which is empty where the array is shorter."""
    number = literal(kept)
    if number is None:
        return kept
    return Slice(Const(number), None if number == -1 else Const(number + 1))


def _is_short(loop: Loop) -> bool:
    """Whether literals bound the loop."""
    return isinstance(loop, For) and literal(loop.start) is not None and literal(loop.stop) is not None
