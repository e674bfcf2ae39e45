"""Find the two sweeps of a derivative, and rebuild one of them.

The start of a sweep is a node, so that passes that rebuild a program keep it. A program without such a node, as a primal
or a tangent, has only a forward sweep; a pullback has only a reverse sweep.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable

from backsweep.diagnostics import Loc
from backsweep.ir.nodes import Function, Node, Sweep
from backsweep.ir.walk import with_body

Rebuild = Callable[[Node], Iterable[Node]]
"""A function from a statement at the top level to the statements that replace it."""


def forward_sweep(loc: Loc) -> Sweep:
    """The heading of a forward sweep."""
    return Sweep("forward sweep", loc)


def reverse_sweep(loc: Loc) -> Sweep:
    """The heading of a reverse sweep."""
    return Sweep("reverse sweep", loc, is_reverse=True)


def start_of_reverse_sweep(nodes: tuple[Node, ...]) -> int:
    """The position of the heading of the reverse sweep among these nodes; their count if there is none."""
    headings = (k for k, node in enumerate(nodes) if isinstance(node, Sweep) and node.is_reverse)
    return next(headings, len(nodes))


def rebuild_forward_sweep(function: Function, rebuild: Rebuild) -> Function:
    """The same program with the statements of its forward sweep rebuilt."""
    nodes = function.body.nodes
    start = start_of_reverse_sweep(nodes)
    return _with_nodes(
        function, (*(each for node in nodes[:start] for each in rebuild(node)), *nodes[start:])
    )


def rebuild_reverse_sweep(function: Function, rebuild: Rebuild) -> Function:
    """The same program with the statements of its reverse sweep rebuilt."""
    nodes = function.body.nodes
    start = start_of_reverse_sweep(nodes)
    return _with_nodes(
        function, (*nodes[:start], *(each for node in nodes[start:] for each in rebuild(node)))
    )


def _with_nodes(function: Function, nodes: tuple[Node, ...]) -> Function:
    """The function with these nodes; the same object if the nodes are its own."""
    if len(nodes) == len(function.body.nodes) and all(map(_is, nodes, function.body.nodes)):
        return function
    return with_body(function, dataclasses.replace(function.body, nodes=nodes))


def _is(one: Node, other: Node) -> bool:
    return one is other
