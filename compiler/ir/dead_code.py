"""Dead code elimination: remove pure nodes, carried values and results of branches that nothing reads."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import TypeGuard, TypeVar
from weakref import WeakSet

import numpy as np

from backsweep.ir.effects import may_raise, must_run
from backsweep.ir.nodes import (
    UNDEFINED,
    Apply,
    Block,
    Callee,
    Const,
    For,
    Function,
    Grow,
    If,
    Node,
    Operand,
    Store,
    Value,
    While,
)
from backsweep.ir.operations import Kind, Need, kind, operation
from backsweep.ir.walk import (
    blocks,
    carried_parameters,
    changed,
    growing,
    index_operands,
    map_blocks,
    operands,
    results,
    substitute,
    walk,
    with_body,
    with_nodes,
)

Item = TypeVar("Item")
Runs = Callable[[Node], bool]
"""Whether a node must run even if nothing reads its results."""


def eliminate_dead_code(function: Function) -> Function:
    """The program without values that nothing reads; loops carry only values that change and are read.

    Returns the same object if nothing is removed. The result of an earlier call is returned at once.
    """
    if function in _PRUNED:
        return function
    pruned = _pruned(function, must_run, _without_blind_stores)
    _PRUNED.add(pruned)
    return pruned


def eliminate_what_never_raises(function: Function) -> Function:
    """The program without values that nothing reads, except those of nodes and stores that may raise: later their checks are written.

    Calls of unknown functions stay as well: types tell whether they can only be there for what they write.
    """

    def runs(node: Node) -> bool:
        is_unknown = isinstance(node, Apply) and operation(node.function).need is Need.UNKNOWN
        return is_unknown or must_run(node) or may_raise(node)

    return _pruned(function, runs, lambda body: body)


def _pruned(function: Function, runs: Runs, stored: Callable[[Block], Block]) -> Function:
    """The program without values that nothing reads, except those of nodes that run; `stored` removes stores."""
    body, size, before = function.body, _size(function.body), -1
    while size != before:
        body = stored(_invariants(body))
        running = _running(body, runs)
        body = _sweep(body, running, _live(body, running))
        before, size = size, _size(body)
    return with_body(function, body)


_PRUNED: WeakSet[Function] = WeakSet()
"""The programs that `eliminate_dead_code` returned."""


def _size(block: Block) -> int:
    return sum(1 + len(results(node)) for node in walk(block))


def _without_blind_stores(body: Block) -> Block:
    """Remove stores into local arrays, and their growth, if nothing reads more of these arrays than the shape.

    An array that is made in the shape of such an array takes the shape from the first array of the chain instead.
    """
    fresh = {
        node.result: node
        for node in walk(body)
        if isinstance(node, Apply) and operation(node.function).is_fresh
    }
    if not fresh:
        return body
    blind, calls = _blind(body, fresh.keys())
    if not blind:
        return body
    grown = growing(body)

    def of_same_shape(operand: Operand) -> Operand:
        while operand in blind and isinstance(operand, Value) and _has_shape_of_first(fresh[operand]):
            source, *_ = fresh[operand].operands
            if source in grown:
                break
            operand = source
        return operand

    def change(block: Block) -> Block:
        nodes = [
            node
            for node in block.nodes
            if not (isinstance(node, Store | Grow) and node.buffer in blind) and node not in calls
        ]
        return with_nodes(block, [map_blocks(shaped(node), change) for node in nodes])

    def shaped(node: Node) -> Node:
        if not isinstance(node, Apply) or not _is_alike(node):
            return node
        first, *rest = node.operands
        source = of_same_shape(first)
        return node if source is first else dataclasses.replace(node, operands=(source, *rest))

    return change(body)


def _blind(body: Block, own: AbstractSet[Value]) -> tuple[AbstractSet[Operand], list[Apply]]:
    """The local arrays whose entries nothing reads, and the calls that only write to such arrays."""
    read = _read(body)
    calls = [node for node in walk(body) if _is_writing_call(node)]
    while True:
        seen = [call for call in calls if call.result in read or not _written(call) <= own - read]
        if not seen:
            return own - read, calls
        for call in seen:
            read.update(operands(call))
        calls = [call for call in calls if call not in seen]


def _is_writing_call(node: Node) -> TypeGuard[Apply]:
    """Whether the node calls a recursive function that writes to its arguments."""
    return isinstance(node, Apply) and isinstance(node.function, Callee) and bool(node.function.writes)


def _written(call: Apply) -> set[Operand]:
    return {call.operands[k] for k in call.function.writes}


def _has_shape_of_first(node: Apply) -> bool:
    """Whether the node makes an array of the shape of its only operand."""
    return _is_alike(node) or node.function is np.copy


def _is_alike(node: Apply) -> bool:
    """Whether the node makes an array of the shape and type of its first operand without reading its entries."""
    if kind(node.function) is not Kind.ALIKE or node.keywords:
        return False
    return len(node.operands) == (2 if node.function is np.full_like else 1)


def _read(body: Block) -> set[Operand]:
    """The operands that are read, not counting calls that write, stores to the operand, growth, and reads of shapes."""
    read: set[Operand] = set(body.yields)
    grown = growing(body)
    for node in walk(body):
        for block in blocks(node):
            read.update(block.yields)
        if isinstance(node, Store):
            read.update((node.value, *index_operands(node.index)))
        elif isinstance(node, Grow):
            read.add(node.count)
        elif _is_writing_call(node):
            pass  # whether its operands count as read depends on the arrays that it writes
        elif isinstance(node, Apply) and (kind(node.function) is Kind.EXTENT or _is_alike(node)):
            first, *rest = node.operands
            read.update((*grown.intersection((first,)), *rest))  # what grows is larger than it was made with
        else:
            read.update(operands(node))
    return read


def _invariants(body: Block) -> Block:
    """Replace values that a loop carries unchanged, or that both branches yield, by the value itself."""
    found: dict[Value, Operand] = dict.fromkeys(_never_assigned(body), UNDEFINED)
    for node in walk(body):
        match node:
            case If():
                for result, one, other in zip(
                    node.results, node.then.yields, node.orelse.yields, strict=True
                ):
                    if one is other and not isinstance(one, Const):
                        found[result] = one
            case For() | While():
                found |= _unchanged(node)
            case _:
                pass
    return substitute(body, found) if found else body


def _never_assigned(body: Block) -> set[Value]:
    """The results of branches and the carried values of loops that no path assigns."""
    sources: dict[Value, tuple[Operand, ...]] = {}
    for node in walk(body):
        match node:
            case If():
                sources |= dict(
                    zip(
                        node.results,
                        zip(node.then.yields, node.orelse.yields, strict=True),
                        strict=True,
                    )
                )
            case For() | While():
                for names, init, end in zip(_of_carried(node), node.inits, node.body.yields, strict=True):
                    sources |= dict.fromkeys(names, (init, end))
            case _:
                pass
    if not any(UNDEFINED in found for found in sources.values()):
        return set()
    never: set[Operand] = {UNDEFINED, *sources}
    while assigned := {each for each in sources if each in never and not never.issuperset(sources[each])}:
        never -= assigned
    return {each for each in sources if each in never}


def _unchanged(node: For | While) -> dict[Value, Operand]:
    """Map the loop's parameters and results that equal their init in every iteration to the init."""
    found: dict[Value, Operand] = {}
    for names, init, end in zip(_of_carried(node), node.inits, node.body.yields, strict=True):
        if (end is names[0] or end is init or _is_literal(end, init)) and not (
            isinstance(init, Value) and init in found
        ):
            found |= dict.fromkeys(names, init)
    return found


def _is_literal(one: Operand, other: Operand) -> bool:
    """Whether both operands are the same literal number or truth value."""
    if not (isinstance(one, Const) and isinstance(other, Const)) or one.name or other.name:
        return False
    return type(one.value) is type(other.value) in (bool, int) and one.value == other.value


def _running(block: Block, runs: Runs = must_run) -> set[Node]:
    """The nodes that must run even if nothing reads their results, and the nodes that contain such a node."""
    found: set[Node] = set()
    for node in block.nodes:
        inside = [_running(inner, runs) for inner in blocks(node)]
        found.update(*inside)
        if any(inside) if inside else runs(node):
            found.add(node)
    return found


def surely_computed(function: Function) -> AbstractSet[Value]:
    """The values of which the result, or a node that must run, needs more than the shape.

    Those of which only the shape is needed may go later: another array has that shape, too.
    """
    return _live(function.body, _running(function.body), _reads)


def _live(
    body: Block, running: AbstractSet[Node], reads: Callable[[Node], tuple[Operand, ...]] | None = None
) -> set[Value]:
    """The values that the result, a node that must run, or another live value depends on, by what each node reads."""
    needs: dict[Value, tuple[Operand, ...]] = {}
    todo: list[Operand] = list(body.yields)
    for node in walk(body):
        decides = _decides(node) if reads is None else reads(node)
        if node in running:
            todo += decides
        match node:
            case If():
                for result, *ends in zip(node.results, node.then.yields, node.orelse.yields, strict=True):
                    needs[result] = (*ends, *decides)
            case For() | While():
                for names, init, end in zip(_of_carried(node), node.inits, node.body.yields, strict=True):
                    needs.update(dict.fromkeys(names, (init, end, *decides)))
                if isinstance(node, For):
                    needs[node.body.parameters[0]] = decides
            case _:
                needs.update(dict.fromkeys(results(node), decides))
    live: set[Value] = set()
    while todo:
        value = todo.pop()
        if isinstance(value, Value) and value not in live:
            live.add(value)
            todo += needs.get(value, ())
    return live


def _decides(node: Node) -> tuple[Operand, ...]:
    """The operands that the node needs to run, without its carried values."""
    match node:
        case For():
            own: tuple[Operand, ...] = (node.start, node.stop, node.step)
        case While():
            own = node.condition.yields
        case _:
            return operands(node)
    return own if node.exit is None else (*own, node.exit)


def _reads(node: Node) -> tuple[Operand, ...]:
    """The operands that the node needs to run, but for those that it only asks for their shape."""
    asked = operation(node.function).shape_only if isinstance(node, Apply) else ()
    return tuple(operand for place, operand in enumerate(_decides(node)) if place not in asked)


def _of_carried(node: For | While) -> list[tuple[Value, ...]]:
    """The values of each carried variable: the parameter of the body, that of the condition, and the result."""
    names = [carried_parameters(node), node.results]
    if isinstance(node, While):
        names.append(node.condition.parameters)
    return list(zip(*names, strict=True))


def _kept_carries(node: For | While, live: set[Value]) -> list[int]:
    """The positions of the carried values that something reads, in the loop or after it."""
    return [k for k, names in enumerate(_of_carried(node)) if not live.isdisjoint(names)]


def _sweep(
    block: Block, running: AbstractSet[Node], live: set[Value], keep: list[int] | None = None
) -> Block:
    """The block with live nodes and effects only; `keep` selects its yields."""
    nodes: list[Node] = []
    for node in block.nodes:
        if node not in running and not any(result in live for result in results(node)):
            if isinstance(node, Apply | If | For | While) or results(node):
                continue
        match node:
            case If():
                node = _sweep_if(node, running, live)
            case For() | While():
                node = _sweep_loop(node, running, live)
            case _:
                pass
        nodes.append(node)
    yields = block.yields if keep is None else _chosen(block.yields, keep)
    return with_nodes(block, nodes, yields)


def _sweep_if(node: If, running: AbstractSet[Node], live: set[Value]) -> If:
    kept = [k for k, result in enumerate(node.results) if result in live]
    return changed(
        node,
        then=_sweep(node.then, running, live, kept),
        orelse=_sweep(node.orelse, running, live, kept),
        results=_chosen(node.results, kept),
    )


def _sweep_loop(node: For | While, running: AbstractSet[Node], live: set[Value]) -> For | While:
    kept = _kept_carries(node, live)
    inits, ends = _chosen(node.inits, kept), _chosen(node.results, kept)
    body = _sweep(node.body, running, live, kept)
    if isinstance(node, For):
        body = changed(body, parameters=_chosen(node.body.parameters, [0, *(k + 1 for k in kept)]))
        return changed(node, inits=inits, body=body, results=ends)
    body = changed(body, parameters=_chosen(node.body.parameters, kept))
    condition = _sweep(node.condition, running, live)
    condition = changed(condition, parameters=_chosen(node.condition.parameters, kept))
    return changed(node, inits=inits, condition=condition, body=body, results=ends)


def _chosen(items: tuple[Item, ...], kept: list[int]) -> tuple[Item, ...]:
    """The items at the positions; the same object if these are all."""
    return items if len(kept) == len(items) else tuple(items[k] for k in kept)
