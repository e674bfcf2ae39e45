"""Objects that the program makes: they exist while compiling, as records of operands that reading and writing attributes change.

As in scalar replacement of virtual objects: C. Bolz et al., Allocation removal by partial evaluation in a tracing JIT (2011);
L. Stadler, T. Würthinger, H. Mössenböck, Partial escape analysis and scalar replacement for Java (2014).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from backsweep.diagnostics import Loc
from backsweep.ir.build import Builder, OpenBlock
from backsweep.ir.nodes import Const, Operand

LONGEST = 256
"""How often the body of loops may be written out because their numbers tell objects apart."""
Path = tuple[Hashable, ...]
"""Where an operand is found: a variable or an object, then the attributes that lead to it."""
Fact = tuple[Hashable, ...]
"""What one round of lowering finds of objects that the next has to know from the start."""


@dataclass(frozen=True, eq=False)
class Virtual:
    """An object of a class of the user's, or a list of such. `key` is the place that makes it, the same in each round.

    Where a branch or a loop chooses an object, a new one stands for it, and `roots` are those that it may be.
    """

    cls: type
    key: Hashable
    chosen: frozenset[Virtual] = frozenset()

    @property
    def roots(self) -> frozenset[Virtual]:
        """The objects that it may be."""
        return self.chosen or frozenset((self,))

    @property
    def python_class(self) -> type:
        """Its class as Python tells: of an object of the prelude's, the library's class that this stands for."""
        return getattr(self.cls, "__library__", self.cls)

    @property
    def __name__(self) -> str:
        return self.python_class.__name__


@dataclass(slots=True, eq=False)
class Heap:
    """The attributes of all objects at one place of the program.

    `stale` holds the objects that may have been changed by another name, with that place: which name means them the run decides.
    """

    records: dict[Virtual, dict[Hashable, Operand]] = field(default_factory=dict)
    stale: dict[Virtual, Loc] = field(default_factory=dict)

    def copy(self) -> Heap:
        """The same, to be changed apart from it."""
        return Heap({each: dict(record) for each, record in self.records.items()}, dict(self.stale))


@dataclass(slots=True, eq=False)
class Objects:
    """What lowering knows of the objects that the program makes.

    `made_in` is the block that makes each. `joins` are the open blocks at whose end what changed within is joined; another
    block must not change objects from outside. `loops` are the loops around that count to a known number, with that. `looped` are the lists of objects over which loops run, with the items at
    their start.
    """

    heap: Heap = field(default_factory=Heap)
    made_in: dict[Virtual, OpenBlock] = field(default_factory=dict)
    joins: set[OpenBlock] = field(default_factory=set)
    loops: list[tuple[Fact, int]] = field(default_factory=list)
    looped: list[tuple[Virtual, tuple[Operand, ...]]] = field(default_factory=list)
    numbers: dict[Hashable, int] = field(default_factory=dict)
    copies: set[Virtual] = field(default_factory=set)
    """The objects that stand for one of another program, which would not see that they change."""
    conditions: dict[OpenBlock, Fact] = field(default_factory=dict)
    """The open blocks that are conditions of `while` loops, each with the fact that moves the condition into the loop's body."""
    given: set[Virtual] = field(default_factory=set)
    """The objects that stand for dicts which are arguments."""

    def make(self, cls: type, place: Hashable, block: OpenBlock, chosen: Iterable[Virtual] = ()) -> Virtual:
        """A new object without attributes."""
        number = self.numbers[place] = self.numbers.get(place, 0) + 1
        made = Virtual(cls, (place, number), frozenset(chosen))
        self.heap.records[made] = {}
        self.made_in[made] = block
        return made

    def to_write_out(self, known: Collection[Fact]) -> list[Fact]:
        """The loops around that can be written out so that each object has one name; none if that would be long."""
        left = [(fact, count) for fact, count in self.loops if fact not in known]
        is_short = math.prod(count for _, count in self.loops) <= LONGEST
        return [fact for fact, _ in left] if is_short else []

    @contextmanager
    def joining(self, block: OpenBlock) -> Iterator[None]:
        """A context in which a block may change objects from outside."""
        self.joins.add(block)
        try:
            yield
        finally:
            self.joins.discard(block)

    def is_at_hand(self, thing: Virtual, builder: Builder) -> bool:
        """Whether the block that made it is still open."""
        return any(block is self.made_in[thing] for block in builder.open)

    def may_change(self, thing: Virtual, builder: Builder) -> bool:
        """Whether what is changed here is joined with what else may happen, up to where the object was made."""
        for block in reversed(builder.open):
            if block is self.made_in[thing]:
                return True
            if block not in self.joins:
                return False
        return False

    def condition_around(self, builder: Builder) -> Fact | None:
        """The fact that moves the condition which is being lowered into its loop's body; None outside of a condition."""
        apart = next((block for block in reversed(builder.open) if block not in self.joins), None)
        return None if apart is None else self.conditions.get(apart)

    def items(self, thing: Virtual, builder: Builder) -> tuple[Operand, ...] | None:
        """The items of a list of objects; None of any other object, and where they are not known."""
        record = self.heap.records.get(thing)
        if thing.cls is not list or record is None or thing in self.heap.stale:
            return None
        return tuple(record.values()) if self.is_at_hand(thing, builder) else None

    def set(self, thing: Virtual, name: Hashable, operand: Operand, loc: Loc) -> None:
        """Set an attribute; each object that may be this one is not known from here on."""
        self.heap.records[thing][name] = operand
        for other in self.heap.records:
            if other is not thing and not other.roots.isdisjoint(thing.roots):
                self.heap.stale[other] = loc


def found_in(cls: type, name: str, after: type | None = None) -> Any:
    """What the class or one of its bases has under a name, as it stands there; None if there is nothing. `super` looks `after` a class."""
    order = cls.__mro__
    for base in order[order.index(after) + 1 :] if after is not None else order:
        if name in vars(base) and base is not object:
            return vars(base)[name]
    return None


def common_class(*classes: type) -> type | None:
    """The class of an object that stands for one of these; None if there is none."""
    first = classes[0]
    if all(each is first for each in classes):
        return first
    return next(
        (
            base
            for base in first.__mro__
            if "is_common" in vars(base) and all(issubclass(each, base) for each in classes)
        ),
        None,
    )


def is_dataclass(cls: type) -> bool:
    """Whether the class is a dataclass."""
    return dataclasses.is_dataclass(cls)


def virtual(operand: Operand | None) -> Virtual | None:
    """The object of the program's that an operand is; None for any other."""
    return operand.value if isinstance(operand, Const) and isinstance(operand.value, Virtual) else None
