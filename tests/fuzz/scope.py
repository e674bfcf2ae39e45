"""What a random program may use at a point: variables with their kinds, and indices that are in bounds."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.fuzz.families import ALL, Family


@dataclass(frozen=True)
class Vec:
    """A one-dimensional array: its length, whether it is contiguous (Numba's layout C), and its precision."""

    size: int
    contiguous: bool = True
    precision: str = "double"


@dataclass(frozen=True)
class Mat:
    """A two-dimensional array."""

    rows: int
    columns: int


@dataclass
class Scope:
    """The variables in reach. `integers` maps a name to the least and the greatest value that it may have;
    the `frozen` ones (loop counters) are not assigned; `lists` maps a name to the least length that the list
    may have, `tables` one of an array of integers to its length and to what its entries are below; `functions`
    are inner functions of one float; without `calls`, no helper is called; `quiet` is what `no_grad` makes it.
    """

    rng: random.Random
    floats: list[str] = field(default_factory=list)
    integers: dict[str, tuple[int, int]] = field(default_factory=dict)
    vectors: dict[str, Vec] = field(default_factory=dict)
    matrices: dict[str, Mat] = field(default_factory=dict)
    frozen: frozenset[str] = frozenset()
    lists: dict[str, int] = field(default_factory=dict)
    tables: dict[str, tuple[int, int]] = field(default_factory=dict)
    functions: list[str] = field(default_factory=list)
    family: Family = ALL
    calls: bool = True
    depth: int = 0
    in_loop: bool = False
    quiet: bool = False
    counter: list[int] = field(default_factory=lambda: [0])

    def inner(self, *, loop: bool = False, quiet: bool = False) -> Scope:
        """The scope of a block within: what it defines stays inside."""
        return Scope(
            self.rng,
            list(self.floats),
            dict(self.integers),
            dict(self.vectors),
            dict(self.matrices),
            self.frozen,
            dict(self.lists),
            dict(self.tables),
            list(self.functions),
            self.family,
            self.calls,
            self.depth + 1,
            self.in_loop or loop,
            self.quiet or quiet,
            self.counter,
        )

    def fresh(self, stem: str) -> str:
        """A name that nothing has."""
        self.counter[0] += 1
        return f"{stem}{self.counter[0]}"

    def index(self, size: int) -> str:
        """An index expression within an axis of this size, negative ones included."""
        rng = self.rng
        options = [str(rng.randrange(size)), str(-1 - rng.randrange(size))]
        for name, (low, high) in self.integers.items():
            if low >= 0 and high < size:
                options += [name, name, name, f"{size - 1} - {name}", f"-1 - {name}"]
            if low >= 1 and high - 1 < size:
                options += [f"{name} - 1"] * 2
            if low >= -1 and high + 1 < size:
                options += [f"{name} + 1"] * 2
            options.append(f"({name} * {rng.randint(1, 3)} + {rng.randint(0, 3)}) % {size}")
        for name, (length, below) in self.tables.items():
            if below <= size:
                places = [str(rng.randrange(length)), *(f"{k} % {length}" for k in self.integers)]
                options += [f"{name}[{rng.choice(places)}]"] * 2
        return rng.choice(options)

    def span(self, size: int, length: int) -> str:
        """A slice of an axis of `size` that has `length` entries."""
        rng = self.rng
        options = []
        for step in (1, 1, 1, 2, -1, -2):
            reach = (length - 1) * abs(step)
            if length < 1 or reach >= size:
                continue
            first = rng.randrange(size - reach)
            if step > 0:
                stop = min(size, first + reach + 1)
                head = "" if first == 0 and rng.random() < 0.7 else str(first)
                tail = "" if stop == size and rng.random() < 0.7 else str(stop)
                options.append(f"{head}:{tail}" + (f":{step}" if step > 1 else ""))
            else:
                last = first + reach
                tail = "" if first == 0 else str(first - 1)
                head = "" if last == size - 1 and rng.random() < 0.7 else str(last)
                options.append(f"{head}:{tail}:{step}")
        return rng.choice(options)

    def item(self, name: str) -> str:
        """An item of a list, negative and computed positions included."""
        rng, least = self.rng, self.lists[name]
        options = [str(rng.randrange(least)), str(-1 - rng.randrange(least)), f"len({name}) // 2"]
        options += [f"({k} * {rng.randint(1, 3)}) % len({name})" for k in self.integers]
        return f"{name}[{rng.choice(options)}]"

    def vector_of(self, size: int) -> list[str]:
        """The vectors of this size."""
        return [name for name, kind in self.vectors.items() if kind.size == size]
