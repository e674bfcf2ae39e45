"""Random loop nests, each as Python text and as what isl knows of it: the integers at each access, exactly.

The two are written side by side from one description, and nothing here asks the compiler: isl is an oracle for
`analysis/integers`. A nest has loops of any step with bounds that are affine in the loops around, branches, and
accesses to a vector `x` and a matrix `A`, whose extents are symbols apart from `n` and `m`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

Isl = Any  # islpy ships no annotations

HEAD = "def f(x, A, n, m):"
PARAMETERS = ("n", "m", "x0", "A0", "A1")
"""What isl has of the program's symbols: two integers, and the extents of the two arrays."""
CALLED = re.compile(r"\b(i\d+|c\d+)\b")
QUOTIENT = re.compile(r"\(([^()]*)\) // (\d+)")
REMAINDER = re.compile(r"\(([^()]*)\) % (\d+)")


@dataclass(frozen=True)
class Access:
    """A load or a store of the text: its array and subscripts, the loops around it, and all that holds when it runs."""

    array: str
    subscripts: tuple[str, ...]
    loops: tuple[int, ...]
    holds: tuple[str, ...]
    stores: bool


@dataclass
class Nest:
    """A program and its accesses, in the order of the text."""

    lines: list[str] = field(default_factory=lambda: [HEAD])
    accesses: list[Access] = field(default_factory=list)
    loops: int = 0

    @property
    def text(self) -> str:
        """The program."""
        return "\n".join(self.lines)


def of_isl(expression: str) -> str:
    """A Python expression of integers as isl writes it."""
    expression = QUOTIENT.sub(r"floor((\1)/\2)", expression.replace("==", "="))
    return REMAINDER.sub(r"((\1) mod \2)", expression)


def random_nest(rng: random.Random) -> Nest:
    """A nest of up to three loops in depth with some accesses."""
    nest = Nest()

    def affine(loops: Sequence[int]) -> str:
        """An integer that is linear in the loops around, and sometimes in `n`."""
        names = [f"i{each}" for each in loops]
        if not names:
            return rng.choice(("0", "1", "n - 1", "m"))
        first = rng.choice(names)
        text = rng.choice((first, first, first, f"2 * {first}", f"-{first}", f"3 * {first}"))
        if rng.random() < 0.35:
            text += rng.choice((" + ", " - ")) + rng.choice([*names, "n", "m"])
        return text + rng.choice(("", "", " + 1", " - 1", " + 2", " - 2"))

    def subscript(loops: Sequence[int]) -> str:
        inner = affine(loops)
        choice = rng.random()
        if choice < 0.08:
            return f"({inner}) // 2"
        if choice < 0.14:
            return f"({inner}) % 3"
        if choice < 0.2:
            return f"max({inner}, 0)"
        return str(rng.randint(-2, 2)) if choice < 0.26 else inner

    def access(loops: tuple[int, ...], holds: tuple[str, ...], *, stores: bool) -> str:
        array = rng.choice("xxA")
        subscripts = tuple(subscript(loops) for _ in range(2 if array == "A" else 1))
        nest.accesses.append(Access(array, subscripts, loops, holds, stores))
        return f"{array}[{', '.join(subscripts)}]"

    def loop(loops: tuple[int, ...], holds: tuple[str, ...]) -> None:
        number = nest.loops
        nest.loops += 1
        outer = [f"i{each}" for each in loops]
        low = rng.choice(["0", "0", "1", *outer, *(f"{each} + 1" for each in outer)])
        high = rng.choice(["n", "n", "n - 1", "m", "len(x)", *outer])
        step = rng.choice((1, 1, 1, 2, 3, -1, -1, -2))
        start, stop = (low, high) if step > 0 else (f"{high} - 1", low)
        nest.lines.append(
            f"{'    ' * (len(loops) + 1 + indent(holds))}for i{number} in range({start}, {stop}, {step}):"
        )
        index, counter = f"i{number}", f"c{number}"
        known = (
            f"{index} = {start} {'+' if step > 0 else '-'} {abs(step)} * {counter}",
            f"{counter} >= 0",
            f"{index} {'<' if step > 0 else '>'} {stop}",
        )
        statements((*loops, number), (*holds, *(each.replace("len(x)", "x0") for each in known)))

    def branch(loops: tuple[int, ...], holds: tuple[str, ...]) -> None:
        pad = "    " * (len(loops) + 1 + indent(holds))
        left, right = affine(loops), rng.choice((affine(loops), "0", "n", "2"))
        relation, other = rng.choice((("<", ">="), (">=", "<"), ("<=", ">"), ("==", "!="), ("!=", "==")))
        nest.lines.append(f"{pad}if {left} {relation} {right}:")
        statements(loops, (*holds, BRANCH, f"{left} {relation} {right}"))
        if rng.random() < 0.4:
            nest.lines.append(f"{pad}else:")
            statements(loops, (*holds, BRANCH, f"{left} {other} {right}"))

    def statements(loops: tuple[int, ...], holds: tuple[str, ...]) -> None:
        for number in range(rng.randint(1, 2)):
            choice = rng.random()
            if choice < 0.4 and len(loops) < 3 and nest.loops < 5:
                loop(loops, holds)
            elif choice < 0.52 and loops and indent(holds) < 2:
                branch(loops, holds)
            elif len(nest.accesses) < 6 or not number:
                pad = "    " * (len(loops) + 1 + indent(holds))
                value = access(loops, holds, stores=False)
                nest.lines.append(f"{pad}{access(loops, holds, stores=True)} = {value} * 2.0")

    for _ in range(2):
        loop((), ())
    return nest


BRANCH = "0 = 0"
"""Marks a branch among what holds: the text is indented once more there."""


def indent(holds: Sequence[str]) -> int:
    """How many branches are around."""
    return holds.count(BRANCH)


def instance(access: Access, number: int) -> list[str]:
    """What holds of one execution of the access, whose names get this number; `p` are the positions of its element.

    A subscript that is out of bounds raises, so the element lies in the array.
    """
    rows = [of_isl(each) for each in access.holds]
    for axis, subscript in enumerate(map(of_isl, access.subscripts)):
        position, extent = f"p{axis}", f"{access.array}{axis}"
        rows.append(f"0 <= {position} < {extent}")
        rows.append(
            f"(({subscript} >= 0 and {position} = {subscript}) or "
            f"({subscript} < 0 and {position} = {subscript} + {extent}))"
        )
    return [CALLED.sub(rf"\1_{number}", row) for row in rows]


def common(first: Access, second: Access) -> int:
    """How many loops are around both."""
    return next(
        (k for k, (one, other) in enumerate(zip(first.loops, second.loops, strict=False)) if one != other),
        min(len(first.loops), len(second.loops)),
    )


def meet(isl: Isl, first: Access, second: Access, level: int, *, later: bool) -> bool:
    """Whether executions of the two may touch one element, `level` loops around both being in the same iteration.

    With `later`, the second is in a later iteration of the next loop.
    """
    if first.array != second.array:
        return False
    rows = ["0 <= x0", "0 <= A0", "0 <= A1", *instance(first, 1), *instance(second, 2)]
    rows += [f"c{each}_1 = c{each}_2" for each in first.loops[:level]]
    if later:
        rows.append(f"c{first.loops[level]}_1 < c{first.loops[level]}_2")
    names = [
        f"{kind}{each}_{number}"
        for number, access in ((1, first), (2, second))
        for each in access.loops
        for kind in "ic"
    ]
    names += [f"p{axis}" for axis in range(len(first.subscripts))]
    space = f"[{', '.join(PARAMETERS)}] -> {{ [{', '.join(names)}] : {' and '.join(rows)} }}"
    return not isl.Set(space).is_empty()


def comes_later(isl: Isl, nest: Nest, first: int, second: int) -> bool:
    """Whether an execution of the second access may touch an element after the first touched it."""
    one, other = nest.accesses[first], nest.accesses[second]
    shared = common(one, other)
    if second > first and meet(isl, one, other, shared, later=False):
        return True
    return any(meet(isl, one, other, level, later=True) for level in range(shared))


def pairs(nest: Nest) -> Iterator[tuple[int, int]]:
    """The pairs of accesses to one array of which the second, at least, is a store."""
    for first, one in enumerate(nest.accesses):
        for second, other in enumerate(nest.accesses):
            if other.stores and one.array == other.array:
                yield first, second
