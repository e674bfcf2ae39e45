"""Relations between the extents of a function's arguments: what a specialisation may assume, and check on entry.

A relation is `sum(coefficient * quantity) + const == 0`, or `>= 0`. A quantity is an extent of an array that the
function gets, or an integer that it gets, or how often a number goes into one of these. Tracing compilers specialise on such relations and guard them; the general
program remains for everything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True, order=True)
class Quantity:
    """The extent of the parameter `name` along `axis`; the parameter itself, an integer, where `axis` is negative.

    The name of an item of a tuple is `name_of_item`. With a `divisor`, it is how often that goes into it, as in `n // 2`.
    """

    name: str
    axis: int = -1
    divisor: int = 1

    @property
    def whole(self) -> Quantity:
        """The extent or integer itself."""
        return replace(self, divisor=1)

    def number(self, seen: Seen) -> int:
        """What it is in a call."""
        return seen[self.whole] // self.divisor

    def __str__(self) -> str:
        whole = self.name if self.axis < 0 else f"{self.name}.shape[{self.axis}]"
        return whole if self.divisor == 1 else f"({whole} // {self.divisor})"


Seen = Mapping[Quantity, int]
"""The extents and integers of one call, without those that are divided."""


@dataclass(frozen=True, slots=True)
class Relation:
    """`sum(coefficient * quantity) + const`, which is 0 where `equal`, and at least 0 otherwise."""

    terms: tuple[tuple[Quantity, int], ...]
    const: int
    equal: bool

    def holds(self, seen: Seen) -> bool:
        """Whether the relation holds in a call."""
        if any(quantity.whole not in seen for quantity, _ in self.terms):
            return False
        total = self.const + sum(times * quantity.number(seen) for quantity, times in self.terms)
        return total == 0 if self.equal else total >= 0

    def sides(self) -> tuple[tuple[tuple[Quantity, int], ...], int, tuple[tuple[Quantity, int], ...], int]:
        """The relation as two sums without negative terms: terms and constant of the left, of the right."""
        left = tuple((quantity, times) for quantity, times in self.terms if times > 0)
        right = tuple((quantity, -times) for quantity, times in self.terms if times < 0)
        return left, max(self.const, 0), right, max(-self.const, 0)

    def __str__(self) -> str:
        one, more, other, rest = self.sides()
        return f"{_sum_text(one, more)} {'==' if self.equal else '>='} {_sum_text(other, rest)}"


Relations = tuple[Relation, ...]


def _sum_text(terms: Iterable[tuple[Quantity, int]], const: int) -> str:
    parts = [str(quantity) if times == 1 else f"{times} * {quantity}" for quantity, times in terms]
    return " + ".join([*parts, *([str(const)] if const or not parts else [])])


def by_parameter(relations: Relations) -> list[Relations]:
    """The relations in groups, one for each parameter that is their last: each group is one check."""
    groups: dict[str, list[Relation]] = {}
    for relation in relations:
        groups.setdefault(relation.terms[-1][0].name, []).append(relation)
    return [tuple(group) for group in groups.values()]


def message_of(relations: Relations) -> str:
    """The relations as a message of one line."""
    return f"this code is for {' and '.join(map(str, relations))}"


def name_of_item(name: str, position: int, fields: Sequence[str]) -> str:
    """The name of an item of the tuple called `name`, whose fields may have names."""
    return f"{name}.{fields[position]}" if fields else f"{name}[{position}]"


def seen_in(arguments: Mapping[str, object]) -> dict[Quantity, int]:
    """The extents of the arrays among the arguments and among the items of tuples, and the integers among them."""
    found: dict[Quantity, int] = {}
    todo = list(arguments.items())
    for name, value in todo:
        if isinstance(value, np.ndarray):
            found.update({Quantity(name, axis): extent for axis, extent in enumerate(value.shape)})
        elif type(value) is int or isinstance(value, np.int64):
            found[Quantity(name)] = int(value)
        elif isinstance(value, tuple):
            fields = getattr(value, "_fields", ())
            todo += [(name_of_item(name, k, fields), item) for k, item in enumerate(value)]
    return found


def as_lists(relations: Relations) -> list[object]:
    """The relations as lists, texts and numbers."""
    return [
        [[[*astuple(quantity), times] for quantity, times in each.terms], each.const, each.equal]
        for each in relations
    ]


def from_lists(plain: Sequence[Any]) -> Relations:
    """The relations that `as_lists` wrote."""
    return tuple(
        Relation(tuple((Quantity(*quantity), times) for *quantity, times in terms), const, equal)
        for terms, const, equal in plain
    )
