"""Classes of values that belong together."""

from __future__ import annotations

from collections.abc import Sequence

from backsweep.ir.nodes import Value


class Classes:
    """Union-find over values, the earliest met as representative (so the result is deterministic)."""

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
        """Make one class of the two values' classes."""
        self.parent[self.find(one)] = self.find(other)

    def join_all(self, values: Sequence[Value]) -> None:
        """Make one class of all their classes."""
        for value in values[1:]:
            self.join(value, values[0])
