"""Eliminate parameters that a recursive function does not read, or only hands on to itself.

The adjoint of a function takes all that the function took. Of an array to which the function only adds, such as the
shadows of a first derivative, it reads no entry: nobody has to keep, or to compute again, what the array held.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from backsweep.ir.dead_code import eliminate_dead_code
from backsweep.ir.nodes import Apply, Callee, Function, Node
from backsweep.ir.walk import free_values, rewrite, walk, with_body


def eliminate_dead_parameters(
    callees: Mapping[Callee, Function], functions: Sequence[Function]
) -> tuple[dict[Callee, Function], list[Function]]:
    """The callees that are still called, without parameters that nobody reads, and the functions that call these."""
    needed: dict[Callee, tuple[int, ...]] = dict.fromkeys(callees, ())
    while True:
        narrow = {callee: _narrow(callee, positions) for callee, positions in needed.items()}
        bodies = {
            callee: eliminate_dead_code(_calling(function, narrow, needed))
            for callee, function in callees.items()
        }
        found = {callee: _read(function) for callee, function in bodies.items()}
        if found == needed:
            break
        needed = found
    whole = [eliminate_dead_code(_calling(function, narrow, needed)) for function in functions]
    parts = {narrow[callee]: _with_parameters(bodies[callee], needed[callee]) for callee in callees}
    return {callee: parts[callee] for callee in _called(whole, parts)}, whole


def _narrow(callee: Callee, positions: tuple[int, ...]) -> Callee:
    """The callee with the parameters at these positions only."""
    return dataclasses.replace(
        callee,
        parameters=tuple(callee.parameters[k] for k in positions),
        writes=tuple(number for number, k in enumerate(positions) if k in callee.writes),
    )


def _calling(
    function: Function, narrow: Mapping[Callee, Callee], needed: Mapping[Callee, tuple[int, ...]]
) -> Function:
    """The function with calls of the narrow callees."""

    def called(node: Node) -> list[Node]:
        if not isinstance(node, Apply) or not isinstance(node.function, Callee):
            return [node]
        operands = tuple(node.operands[k] for k in needed[node.function])
        return [dataclasses.replace(node, function=narrow[node.function], operands=operands)]

    return rewrite(function, called)


def _read(function: Function) -> tuple[int, ...]:
    """The positions of the parameters that the function reads or writes."""
    body = function.body
    read = free_values(dataclasses.replace(body, parameters=()))
    return tuple(k for k, parameter in enumerate(body.parameters) if parameter in read)


def _with_parameters(function: Function, positions: tuple[int, ...]) -> Function:
    parameters = tuple(function.body.parameters[k] for k in positions)
    return with_body(function, dataclasses.replace(function.body, parameters=parameters))


def _called(functions: Sequence[Function], parts: Mapping[Callee, Function]) -> list[Callee]:
    """The callees that these functions call, and those that those call, in the order of `parts`."""
    found: set[Callee] = set()
    waiting = list(functions)
    while waiting:
        for node in walk(waiting.pop().body):
            if isinstance(node, Apply) and node.function in parts and node.function not in found:
                found.add(node.function)
                waiting.append(parts[node.function])
    return [callee for callee in parts if callee in found]
