"""What a program of array statements may use at a point: its names, with their values in each setting of the extents."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.fuzz.program import Line

UNFIT = (ArithmeticError, AttributeError, IndexError, NameError, TypeError, ValueError, np.linalg.LinAlgError)
LARGEST = 30.0
"""No value is larger, so that differences keep their digits, ..."""
MOST = 200
"""... and no array has more entries."""
Shapes = tuple[tuple[int, ...], ...]
World = dict[str, Any]


@dataclass
class Scope:
    """Each world is one setting: a line is run in all of them as it is written.

    In the block of a loop only those worlds are left in which it has an iteration. `written` are the arrays that may be
    stored to, `counters` the indices of loops, which are not assigned.
    """

    rng: random.Random
    worlds: list[World]
    functions: World
    names: set[str]
    counters: set[str] = field(default_factory=set)
    depth: int = 0
    count: list[int] = field(default_factory=lambda: [0])

    def inner(self, worlds: list[World] | None = None) -> Scope:
        """The scope of a block within: what it defines stays inside."""
        kept = self.worlds if worlds is None else worlds
        return Scope(
            self.rng, kept, self.functions, set(self.names), set(self.counters), self.depth + 1, self.count
        )

    def fresh(self, stem: str) -> str:
        """A name that nothing has."""
        self.count[0] += 1
        return f"{stem}{self.count[0]}"

    def values(self, text: str) -> list[Any] | None:
        """An expression's values, world by world; None where one of them has none, or none that is fit to go on with."""
        found = []
        for world in self.worlds:
            try:
                value = eval(text, self.functions, dict(world))
            except UNFIT:
                return None
            if not is_fit(value):
                return None
            found.append(value)
        return found if len({np.ndim(value) for value in found}) == 1 else None

    def run(self, text: str, *, defines: str = "") -> bool:
        """Run a statement in every world; whether it runs. It is tried on copies first."""
        for world in self.worlds:
            tried = copied(world)
            try:
                exec(text, self.functions, tried)
            except UNFIT:
                return False
            if not all(is_fit(value) for value in tried.values()):
                return False
        for world in self.worlds:
            exec(text, self.functions, world)
        self.names |= {defines} if defines else set()
        return True

    def line(self, text: str, *, defines: str = "") -> list[Line]:
        """The statement, if it runs."""
        return [Line(text)] if self.run(text, defines=defines) else []

    def value(self, name: str) -> Any:
        """The value of a name in the first world."""
        return self.worlds[0][name]

    def arrays(self, *, axes: tuple[int, ...] = (1, 2, 3), kinds: str = "f") -> list[str]:
        """The arrays with so many axes of floats (or of other kinds of numbers)."""
        return [
            name
            for name in sorted(self.names)
            if isinstance(self.value(name), np.ndarray)
            and self.value(name).ndim in axes
            and self.value(name).dtype.kind in kinds
        ]

    def scalars(self, kinds: str = "f") -> list[str]:
        """The numbers of these kinds."""
        return [
            name
            for name in sorted(self.names)
            if isinstance(self.value(name), bool | int | float | complex | np.generic)
            and np.asarray(self.value(name)).dtype.kind in kinds
        ]

    def shapes(self, text: str) -> Shapes | None:
        """The shapes of an expression, world by world."""
        values = self.values(text)
        return None if values is None else tuple(np.shape(value) for value in values)


def is_fit(value: Any) -> bool:
    """Whether a value is small, and every number in it is finite."""
    if not isinstance(value, bool | int | float | complex | np.generic | np.ndarray):
        return True
    array = np.asarray(value)
    if array.dtype.kind not in "fc":
        return array.size <= MOST
    return array.size <= MOST and bool(np.all(np.abs(array) <= LARGEST))


def copied(world: World) -> World:
    """The values in memory of their own; what may not be written stays so."""
    made: dict[int, Any] = {}
    for value in world.values():
        if isinstance(value, np.ndarray) and id(value) not in made:
            made[id(value)] = value.copy(order="K")
            made[id(value)].flags.writeable = value.flags.writeable
    return {name: made.get(id(value), value) for name, value in world.items()}


def broadcasts(first: Shapes, second: Shapes) -> bool:
    """Whether values of these shapes may be operands of one operation, in every world."""
    return all(
        all(a == b or 1 in (a, b) for a, b in zip(one[::-1], other[::-1], strict=False))
        for one, other in zip(first, second, strict=True)
    )


def fills(value: Shapes, place: Shapes) -> bool:
    """Whether a value may be stored to a place of this shape, in every world."""
    return all(
        len(one) <= len(other) and all(a in (1, b) for a, b in zip(one[::-1], other[::-1], strict=False))
        for one, other in zip(value, place, strict=True)
    )
