"""Equivalence classes of values."""

from __future__ import annotations

from collections.abc import Sequence

from backsweep.ir.nodes import Append, Apply, Block, Load, Operand, Slice, Store, Tap, Value
from backsweep.ir.walk import merges, walk


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


def same_lists(program: Block) -> Classes:
    """The values that may be one list, with one class for all that is held by the lists of a class."""
    classes = Classes()
    held: list[tuple[Value, Operand]] = []
    for node in walk(program):
        for group in merges(node):
            classes.join_all([each for each in group if isinstance(each, Value)])
        match node:
            case Apply(function=Tap()):
                classes.join_all([each for each in (node.result, *node.operands) if isinstance(each, Value)])
            case Apply(function=function, operands=items) if function in (list, tuple):
                held += ((node.result, item) for item in items)
            case Append(buffer=buffer, value=item) | Store(buffer=buffer, value=item):
                held.append((buffer, item))
            case Load(buffer=Value() as buffer, result=part, index=index) if any(map(_is_part, index)):
                classes.join(part, buffer)  # its items are the same
            case Load(buffer=Value() as buffer, result=item):
                held.append((buffer, item))
            case _:
                pass
    return _with_items(classes, [(holder, item) for holder, item in held if isinstance(item, Value)])


def _is_part(item: object) -> bool:
    return isinstance(item, Slice)


def _with_items(classes: Classes, held: Sequence[tuple[Value, Value]]) -> Classes:
    """The classes in which all that is held by values of one class is of one class."""
    is_changed = True
    while is_changed:
        is_changed = False
        kept: dict[Value, Value] = {}
        for holder, item in held:
            other = kept.setdefault(classes.find(holder), item)
            if classes.find(other) is not classes.find(item):
                classes.join_all([other, item])
                is_changed = True
    return classes
