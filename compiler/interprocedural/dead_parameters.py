"""Eliminate parameters that a recursive function does not read, or only hands on to itself.

The adjoint of a function takes all that the function took. Of an array to which the function only adds, such as the
shadows of a first derivative, it reads no entry: nobody has to keep, or to compute again, what the array held.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from backsweep.ir.dead_code import eliminate_dead_code
from backsweep.ir.nodes import Apply, Callee, Function, Node
from backsweep.ir.walk import changed, free_values, rewrite, walk, with_body


@dataclass(frozen=True, slots=True)
class Narrowing:
    """For each callee the positions of the parameters that it reads, and the callee that takes only these."""

    needed: Mapping[Callee, tuple[int, ...]] = field(default_factory=dict)
    narrow: Mapping[Callee, Callee] = field(default_factory=dict)

    def of(self, callee: Callee, function: Function) -> Function:
        """The function of a callee, with the parameters that it needs."""
        parameters = tuple(function.body.parameters[k] for k in self.needed[callee])
        return with_body(function, dataclasses.replace(function.body, parameters=parameters))


def narrowing(callees: Mapping[Callee, Function]) -> Narrowing:
    """Find the parameters that these functions read. A parameter that is only passed on to a call is read if the callee reads it: a fixed point, from none on."""
    needed: dict[Callee, tuple[int, ...]] = dict.fromkeys(callees, ())
    while True:
        narrow = {callee: _narrow(callee, positions) for callee, positions in needed.items()}
        found = Narrowing(needed, narrow)
        read = {
            callee: _read(eliminate_dead_code(without_dead_parameters(function, found)))
            for callee, function in callees.items()
        }
        if read == needed:
            return found
        needed = read


def without_dead_parameters(function: Function, known: Narrowing) -> Function:
    """The program with calls of the narrow callees."""

    def called(node: Node) -> list[Node]:
        if not isinstance(node, Apply) or not isinstance(node.function, Callee):
            return [node]
        operands = tuple(node.operands[k] for k in known.needed[node.function])
        return [changed(node, function=known.narrow[node.function], operands=operands)]

    return rewrite(function, called)


def _narrow(callee: Callee, positions: tuple[int, ...]) -> Callee:
    """The callee with the parameters at these positions only; the same object if these are all."""
    if len(positions) == len(callee.parameters):
        return callee
    return dataclasses.replace(
        callee,
        parameters=tuple(callee.parameters[k] for k in positions),
        writes=tuple(number for number, k in enumerate(positions) if k in callee.writes),
    )


def _read(function: Function) -> tuple[int, ...]:
    """The positions of the parameters that the function reads or writes."""
    body = function.body
    read = free_values(dataclasses.replace(body, parameters=()))
    return tuple(k for k, parameter in enumerate(body.parameters) if parameter in read)


def still_called(functions: Sequence[Function], parts: Mapping[Callee, Function]) -> list[Callee]:
    """The callees that these functions call, and those that those call, in the order of `parts`."""
    found: set[Callee] = set()
    waiting = list(functions)
    while waiting:
        for node in walk(waiting.pop().body):
            if isinstance(node, Apply) and node.function in parts and node.function not in found:
                found.add(node.function)
                waiting.append(parts[node.function])
    return [callee for callee in parts if callee in found]
