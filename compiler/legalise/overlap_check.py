"""Copy arguments that the function writes, and raise an error at run time if such an argument shares memory with another."""

from __future__ import annotations

import dataclasses
import itertools

from backsweep.analysis.alias import find_aliases, items_of_arguments, protect_arguments
from backsweep.diagnostics import COPY_REMEDY, Loc
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Block, Const, Function, If, Node, Raise, Store, Value
from backsweep.ir.typed import dtype_of
from backsweep.ir.types import BOOL, Array
from backsweep.ir.walk import walk, with_body
from backsweep.runtime.memory import overlap

Pair = tuple[Value, Value]
PARTS = {"complex128": "float64", "complex64": "float32"}
"""The dtypes of the real and the imaginary part."""


def protect_written_arguments(function: Function) -> Function:
    """The function with copies of the arguments that it writes; it raises ValueError if one of them shares memory with another argument."""
    pairs = pairs_written(function)
    return checked_for_overlap(protect_arguments(function), pairs, _places(function, pairs))


def pairs_written(function: Function) -> list[Pair]:
    """The pairs of array arguments that may be one memory, of which the function writes the first at least."""
    aliases = find_aliases(function)
    given = [*function.body.parameters, *(node.result for node in items_of_arguments(function))]
    arrays = [value for value in given if isinstance(value.type, Array)]
    found: list[Pair] = []
    for one, other in itertools.combinations(arrays, 2):
        written = [value for value in (one, other) if aliases.is_buffer(value)]
        if written and _may_be_one(dtype_of(one), dtype_of(other)):
            found.append((one, other) if one in written else (other, one))
    return found


def _places(function: Function, pairs: list[Pair]) -> list[Loc]:
    """Where the first of each pair is written first."""
    aliases = find_aliases(function)
    places: dict[Value, Loc] = {}
    for node in walk(function.body):
        if isinstance(node, Store):
            places.setdefault(aliases.of(node.buffer), node.loc)
    return [places.get(aliases.of(written), function.loc) for written, _ in pairs]


def checked_for_overlap(function: Function, pairs: list[Pair], places: list[Loc]) -> Function:
    """The function, which raises ValueError at its start if the two arguments of one of these pairs share memory.

    The nodes that raise have the places where the arguments are written.
    """
    if not pairs:
        return function
    body = function.body
    heads = items_of_arguments(function)
    rest = [node for node in body.nodes if node not in heads]
    nodes = (*heads, *_checks(pairs, places, function.loc), *rest)
    return with_body(function, dataclasses.replace(body, nodes=nodes))


def _checks(pairs: list[Pair], places: list[Loc], loc: Loc) -> list[Node]:
    """The nodes that stop the run where a pair is one memory."""
    builder = Builder(loc=loc)
    for (written, other), place in zip(pairs, places, strict=True):
        shared = builder.apply(overlap, written, other, type=BOOL)
        message = f"`{written.name}` is written and shares memory with `{other.name}`{COPY_REMEDY}"
        with builder.block() as stop:
            builder.add(Raise(Const(ValueError), (Const(message),), place))
        builder.add(If(shared, stop.finish(), Block((), (), ()), (), loc))
    return builder.current.nodes


def _may_be_one(one: str, other: str) -> bool:
    """Whether arrays of two dtypes may be one memory: equal ones, and complex numbers with their parts."""
    return one == other or PARTS.get(one) == other or PARTS.get(other) == one
