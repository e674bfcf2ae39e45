"""Compute the adjoints of variables that `wrt` asks for by name.

Each such variable gets a *phantom*: one more parameter, which is zero and is added to the variable where it is assigned. So
the gradient with respect to the phantom is the adjoint of the variable. In a loop the phantom is an array with an entry for
each iteration. Callers never pass phantoms: the program that is emitted has none.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeGuard

import numpy as np

from backsweep.ad.adjoints import Adjoints
from backsweep.ad.checkpoint.records.choices import Sweeps
from backsweep.ad.checkpoint.records.record_sizes import is_known_before
from backsweep.ad.checkpoint.storage import Storage
from backsweep.analysis.structure import Facts
from backsweep.diagnostics import ArgumentError, Loc, Problem
from backsweep.ir.build import Builder
from backsweep.ir.nodes import (
    Apply,
    Block,
    Const,
    Custom,
    For,
    Function,
    Index,
    Node,
    Operand,
    Slice,
    Tap,
    Value,
    While,
)
from backsweep.ir.show import show_type
from backsweep.ir.types import INT, Array, Scalar, is_float
from backsweep.ir.walk import blocks, map_blocks, substitute, walk, with_body, with_nodes

NO_PHANTOM = Const(None)
"""Stands where a tap has no phantom."""


@dataclass(frozen=True, slots=True)
class Phantoms:
    """The phantoms of a program, by the labels of the variables: those for adjoints, and those that return values."""

    adjoints: dict[str, Value] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)

    def all(self) -> tuple[Value, ...]:
        """Every phantom."""
        return (*self.adjoints.values(), *self.values.values())


def with_phantoms(
    function: Function, wrt: Collection[str], values: Collection[str]
) -> tuple[Function, Phantoms]:
    """The program with a phantom as a parameter for each variable in `wrt`, whose adjoint is wanted, and in `values`."""
    phantoms = Phantoms()
    taps = [node for node in walk(function.body) if _is_tap(node)]
    _check_reached(function, taps, [*wrt, *values])
    if not taps:
        return function, phantoms
    _check_single(function, taps)
    body = _tapped(function.body, 0, phantoms, (wrt, values))
    body = dataclasses.replace(body, parameters=(*body.parameters, *phantoms.all()))
    return with_body(function, body), phantoms


def _is_tap(node: Node) -> TypeGuard[Apply]:
    """Whether the node is a tap that gets a phantom; `x += y` on an array assigns no new value, and counts only if its line is named."""
    if not isinstance(node, Apply) or not isinstance(node.function, Tap):
        return False
    return not (node.function.updates and isinstance(node.result.type, Array)) or "@" in node.function.label


def _check_single(function: Function, taps: Sequence[Apply]) -> None:
    """Raise ArgumentError if several assignments fit a label."""
    places: dict[str, list[Loc]] = {}
    for tap in taps:
        places.setdefault(tap.function.label, []).append(tap.loc)
    problems = [_ambiguous(label, function.name, found) for label, found in places.items() if len(found) > 1]
    if problems:
        raise ArgumentError(problems)


def _check_reached(function: Function, taps: Sequence[Apply], names: Sequence[str]) -> None:
    """Raise ArgumentError for a variable whose assignments were all found to be never reached."""
    known = {tap.function.label for tap in taps} | {value.name for value in function.body.parameters}
    problems = [
        Problem(
            "BS404",
            f"no run of `{function.name}` with arguments of these types reaches an assignment of `{name}`",
            function.loc,
            "name a variable that is assigned.",
        )
        for name in names
        if name not in known
    ]
    if problems:
        raise ArgumentError(problems)


def _ambiguous(label: str, called: str, places: Sequence[Loc]) -> Problem:
    """The problem of a label that fits several assignments: the user has to name a line, or a call."""
    lines = sorted({place.line for place in places})
    if len(lines) > 1:
        numbers = ", ".join(map(str, lines))
        remedy = f"say which one: {' or '.join(f'{label}@{line}' for line in lines)}."
        return Problem("BS411", f"`{called}` assigns `{label}` in lines {numbers}", places[0], remedy)
    callers = sorted({place.caller.line for place in places if place.caller is not None})
    where = f" by calls in lines {', '.join(map(str, callers))}" if len(callers) > 1 else ""
    message = f"`{label}` is assigned {len(places)} times in `{called}`{where}"
    remedy = (
        "assign the result of each call to its own name, and use these names; or write a loop over a range."
    )
    return Problem("BS411", message, places[0], remedy)


def _tapped(
    block: Block, loops: int, phantoms: Phantoms, wanted: tuple[Collection[str], Collection[str]]
) -> Block:
    """The block, in which each tap that is asked for reads its phantom, too; `loops` loops are around the block."""
    nodes: list[Node] = []
    for node in block.nodes:
        if _is_tap(node):
            label = node.function.label
            added: list[Operand] = [NO_PHANTOM, NO_PHANTOM]
            for k, found in enumerate((phantoms.adjoints, phantoms.values)):
                if label in wanted[k]:
                    added[k] = found[label] = _phantom(node, label, loops)
            nodes.append(dataclasses.replace(node, operands=(*node.operands, *added)))
            continue
        deeper = loops + isinstance(node, For | While)
        nodes.append(
            map_blocks(
                node,
                lambda inner: _tapped(inner, deeper, phantoms, wanted),  # noqa: B023  called at once
                lambda each: each,
            )
        )
    return with_nodes(block, nodes)


def _phantom(tap: Apply, label: str, loops: int) -> Value:
    """A new phantom for a tap: of the variable's type, with one more axis for each loop around the tap."""
    result = tap.result
    if not isinstance(result.type, Scalar | Array) or not is_float(result.type):
        what = "of an unknown type" if result.type is None else show_type(result.type)
        message = f"the variable `{label}` is {what}, which has no gradient"
        remedy = "name variables that hold floats or arrays of floats; for a tuple, name its items."
        raise ArgumentError(Problem("BS403", message, tap.loc, remedy))
    axes = loops + (result.type.ndim if isinstance(result.type, Array) else 0)
    type_ = Array(result.type.dtype, axes) if axes else result.type
    return Value(f"every_{result.name}" if loops else result.name, type_, tap.loc)


def reverse_tap(node: Apply, adjoints: Adjoints, storage: Storage, facts: Facts) -> None:
    """Reverse a tap: add the adjoint of the variable to its phantom, and pass it on to the value that was assigned.

    A phantom that returns the variable's value gets that value instead.
    """
    variable, phantom, kept = node.operands
    if isinstance(kept, Value):
        contents = storage.contents(variable, node)
        # Computed here, as an adjoint would be, so that a branch can hand it on
        value = adjoints.builder.apply(Tap(node.function.label), contents, type=node.result.type)
        _give(node, kept, value, adjoints, storage, facts)
    if adjoints.is_view(node.result):
        if not adjoints.has_shadow(node.result):
            return
        bar: Operand | None = adjoints.shadow(node.result)
    else:
        bar = adjoints.duals.get(node.result) or adjoints.take(node.result)
        if bar is not None:
            adjoints.add(variable, bar, owned=False)
    if bar is not None and isinstance(phantom, Value):
        _give(node, phantom, bar, adjoints, storage, facts)


def _give(
    node: Apply, phantom: Value, bar: Operand, adjoints: Adjoints, storage: Storage, facts: Facts
) -> None:
    """Add an adjoint to that of a phantom: in loops, to the entry for the iterations that are being reversed."""
    loops = [region for region in facts.path(facts.holder[node]) if isinstance(region, For | While)]
    if loops:
        place = _place(node.result, bar, loops, storage, adjoints.builder)
        adjoints.builder.store(adjoints.shadow(phantom), place, bar)
    elif isinstance(node.result.type, Array):
        adjoints.add(phantom, adjoints.builder.apply(np.copy, bar, type=node.result.type), owned=True)
    else:
        adjoints.add(phantom, bar, owned=True)


def _place(
    variable: Value, bar: Operand, loops: Sequence[For | While], storage: Storage, builder: Builder
) -> Index:
    """The entry of the phantom for the iterations that are being reversed."""
    numbers = [storage.numbers.of(loop) for loop in reversed(loops)]
    if not isinstance(variable.type, Array) or is_known_before(variable, storage.facts):
        return tuple(numbers)
    shape = builder.apply(np.shape, bar)
    ends = [
        builder.apply(operator.getitem, shape, Const(axis), type=INT) for axis in range(variable.type.ndim)
    ]
    return (*numbers, *(Slice(None, end, None) for end in ends))


def untapped(
    sweeps: Sweeps, aux: Operand | None = None, value: Operand | None = None
) -> tuple[Sweeps, Operand | None, Operand | None]:
    """Remove the taps from the sweeps, and from what is returned besides: each variable is replaced by what was assigned to it."""
    extra = tuple(each for each in (aux, value) if each is not None)
    made = _replaced((*sweeps.forward, *sweeps.reverse))
    forward = without_taps(Block((), sweeps.forward, (sweeps.result, *extra)), made)
    reverse = without_taps(Block((), sweeps.reverse, sweeps.gradients), made)
    result, *beside_ = forward.yields
    plain = dataclasses.replace(
        sweeps, forward=forward.nodes, reverse=reverse.nodes, result=result, gradients=reverse.yields
    )
    rest = iter(beside_)
    return plain, None if aux is None else next(rest), None if value is None else next(rest)


def without_taps(block: Block, made: Mapping[Value, Operand] | None = None) -> Block:
    """The block without taps, hooks and the user's pullbacks: their operands take their places. `made` are such nodes outside."""
    return _without(block, _is_itself, _replaced(block.nodes) if made is None else made, _untupled)


def remove_taps(function: Function) -> Function:
    """The program without taps, hooks and pullbacks of the user's."""
    return with_body(function, without_taps(function.body))


def remove_optional_taps(function: Function) -> Function:
    """The program without the optional taps of variables that hold neither number nor array."""

    def is_other(node: Node) -> bool:
        return _is_optional(node) and not isinstance(node.result.type, Scalar | Array)

    replaced = _replaced(function.body.nodes, is_other)
    return with_body(function, _without(function.body, is_other, replaced))


def _without(
    block: Block,
    unwanted: Callable[[Node], bool],
    replaced: Mapping[Value, Operand],
    change_node: Callable[[Node], Node] = lambda node: node,
) -> Block:
    """The block without the unwanted nodes, whose results are replaced, and with other nodes changed."""

    def change(inner: Block) -> Block:
        nodes = [change_node(node) for node in inner.nodes if not unwanted(node)]
        changed = tuple(map_blocks(node, change) if blocks(node) else node for node in nodes)
        return with_nodes(inner, changed)

    return substitute(change(block), dict(replaced))


def _is_itself(node: Node) -> TypeGuard[Apply]:
    """Whether the node returns its first operand unchanged."""
    if not isinstance(node, Apply):
        return False
    return isinstance(node.function, Tap) or (
        isinstance(node.function, Custom) and node.function.results == 1
    )


def _is_optional(node: Node) -> TypeGuard[Apply]:
    return isinstance(node, Apply) and isinstance(node.function, Tap) and node.function.optional


def _replaced(nodes: Sequence[Node], wanted: Callable[[Node], bool] = _is_itself) -> dict[Value, Operand]:
    """The operand that replaces each tap that is removed."""
    found = (node for node in walk(Block((), tuple(nodes), ())) if isinstance(node, Apply) and wanted(node))
    return {node.result: node.operands[0] for node in found}


def _untupled(node: Node) -> Node:
    """Replace the call of a function with a pullback and several results by the tuple of these results."""
    if isinstance(node, Apply) and isinstance(node.function, Custom):
        return dataclasses.replace(node, function=tuple, operands=node.operands[: node.function.results])
    return node
