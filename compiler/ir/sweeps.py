"""The two sweeps of a derivative: where they begin, and rebuilding one of them.

The boundary is a node, so that a pass which rebuilds a program's statements carries it along. A program without one,
such as a primal or a tangent, has a forward sweep alone; a pullback has a reverse sweep alone.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable

from backsweep.diagnostics import Loc
from backsweep.ir.nodes import Function, Node, Sweep
from backsweep.ir.walk import with_body

Rebuild = Callable[[Node], Iterable[Node]]
"""What a statement at the top level becomes."""


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
    """The function with these nodes; the same one where they are the same."""
    if len(nodes) == len(function.body.nodes) and all(map(_is, nodes, function.body.nodes)):
        return function
    return with_body(function, dataclasses.replace(function.body, nodes=nodes))


def _is(one: Node, other: Node) -> bool:
    return one is other
