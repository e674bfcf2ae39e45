"""Functions with several results: each result read by a node of its own, for a rule names them all."""

from __future__ import annotations

import operator

from backsweep.ir.nodes import Apply, Callee, Const, Custom, Function, Node, Value
from backsweep.ir.types import Tuple
from backsweep.ir.walk import rewrite, walk
from backsweep.rules.declare import Constant, Rule
from backsweep.rules.matching import matched


def with_all_parts(function: Function) -> Function:
    """The same program, typed, in which every result of a function with several is read, needed or not."""
    read: set[tuple[Value, object]] = set()
    several: set[Value] = set()
    for node in walk(function.body):
        if isinstance(node, Apply) and node.function is operator.getitem:
            source, position = node.operands
            if isinstance(source, Value) and isinstance(source.type, Tuple) and isinstance(position, Const):
                read.add((source, position.value))
        elif isinstance(node, Apply) and isinstance(node.result.type, Tuple) and node.function is not tuple:
            if isinstance(node.function, Callee | Custom) or _has_several(matched(node)):
                several.add(node.result)
    if not several:
        return function

    def with_missing(node: Node) -> list[Node]:
        if isinstance(node, Apply) and node.result in several:
            return [node, *_missing(node, read)]
        return [node]

    return rewrite(function, with_missing)


def _has_several(rule: Rule | Constant | None) -> bool:
    return isinstance(rule, Rule) and len(rule.results) > 1


def _missing(node: Apply, read: set[tuple[Value, object]]) -> list[Node]:
    """Reads of the results that nothing has read yet."""
    assert isinstance(node.result.type, Tuple)
    return [
        Apply(Value("", item, node.loc), operator.getitem, (node.result, Const(position)), node.loc)
        for position, item in enumerate(node.result.type.items)
        if (node.result, position) not in read
    ]
