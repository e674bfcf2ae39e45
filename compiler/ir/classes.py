"""Equivalence classes of values."""

from __future__ import annotations

from collections.abc import Sequence

from backsweep.ir.nodes import Value


class Classes:
    """Union-find over values; the representative is the value met first, so that results are deterministic."""

    def __init__(self) -> None:
        self.parent: dict[Value, Value] = {}

    def find(self, value: Value) -> Value:
        """The representative of the value's class."""
        self.parent.setdefault(value, value)
        while self.parent[value] is not value:
            self.parent[value] = self.parent[self.parent[value]]
            value = self.parent[value]
        return value

    def join(self, one: Value, other: Value) -> None:
        """Merge the classes of two values."""
        self.parent[self.find(one)] = self.find(other)

    def join_all(self, values: Sequence[Value]) -> None:
        """Merge the classes of all these values."""
        for value in values[1:]:
            self.join(value, values[0])
