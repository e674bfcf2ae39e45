"""Assign placeholders to variables that only some paths assign, where every path needs a value.

A placeholder is a zero or an array whose value the program never uses.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from backsweep.analysis.alias import find_aliases
from backsweep.analysis.assigned import perhaps_unassigned
from backsweep.analysis.integers.extents import Shapes, shapes_of
from backsweep.ir.build import Builder, named_dtype
from backsweep.ir.nodes import (
    UNDEFINED,
    Apply,
    Block,
    Const,
    For,
    Function,
    If,
    Node,
    Operand,
    Value,
    While,
)
from backsweep.ir.operations import Kind, kind
from backsweep.ir.types import Array, List, Scalar, Tuple, is_float, with_layout
from backsweep.ir.walk import (
    blocks,
    carried_parameters,
    changed,
    leaving,
    map_blocks,
    operands,
    outside_loops,
    results,
    rewrite_block,
    walk,
    with_body,
    with_nodes,
)


def complete_paths(function: Function) -> Function:
    """The program with placeholders for variables that only some paths assign and that every path hands on.

    A float array gets a placeholder so that it has a shadow. The placeholder has the shape that the variable gets later
    in the loop or on the other side of the branch, if known, and is empty otherwise. Two kinds of arrays need none:
    written memory, whose shadow is made with it, and an array of which only the shape is read. Two kinds of other
    values get a zero: items of a tuple, which is made on all paths, and values that an iteration reads from the
    iteration before, which the first iteration may record, too.
    """
    shapes, gaps = shapes_of(function), perhaps_unassigned(function.body)
    body = _begun(_of_one_shape(function.body, shapes, gaps, ()), shapes, gaps, ())
    function = with_body(function, body)
    aliases, once = find_aliases(function), set(outside_loops(function.body))
    stand_ins = _stand_ins(function.body)
    needed = {operand for node in walk(function.body) for operand in (*_items(node), *_earlier(node))}

    def wanted(value: Value) -> bool:
        made_together = value in stand_ins or (value in once and aliases.in_memory(value))
        is_array = isinstance(value.type, Array) and is_float(value.type)
        return (is_array and not made_together) or value in needed

    return with_body(function, _with_placeholders(function.body, wanted))


def _stand_ins(body: Block) -> set[Value]:
    """The results of branches that stand for an array made on one side, of which only the shape is read."""
    made = {node.result for node in walk(body) if isinstance(node, Apply) and node.function is np.empty}
    asking = (
        node
        for node in walk(body)
        if isinstance(node, Apply) and kind(node.function) in (Kind.EXTENT, Kind.ALIKE)
    )
    touched = {operand for node in {*walk(body)}.difference(asking) for operand in operands(node)}
    handed_on = {*body.yields, *(operand for node in walk(body) for operand in leaving(node))}
    found: set[Value] = set()
    for node in (each for each in walk(body) if isinstance(each, If)):
        for result, *ends in zip(node.results, node.then.yields, node.orelse.yields, strict=True):
            only = [end for end in ends if end is not UNDEFINED]
            if result not in touched | handed_on and len(only) == 1 and only[0] in made - touched:
                found.add(result)
    return found


def _begun(block: Block, shapes: Shapes, gaps: set[Value], around: Sequence[Value]) -> Block:
    """The block, whose loops begin with placeholders for unassigned arrays, if an array of the right shape is in scope."""
    at_hand = [*around, *block.parameters]
    change = functools.partial(_begun, shapes=shapes, gaps=gaps, around=at_hand)
    nodes: list[Node] = []
    for node in block.nodes:
        inner = map_blocks(node, change)
        builder = Builder(loc=node.loc)
        if isinstance(inner, For | While):
            pairs = zip(inner.inits, inner.results, strict=True)
            inits = tuple(
                _placeholder_like(result, shapes, at_hand, builder) if init is UNDEFINED else init
                for init, result in pairs
            )
            inner = changed(inner, inits=inits)
        nodes += [*builder.current.nodes, inner]
        at_hand += [value for value in results(inner) if value not in gaps]
    return with_nodes(block, nodes)


def _of_one_shape(block: Block, shapes: Shapes, gaps: set[Value], around: Sequence[Value]) -> Block:
    """The block, whose branches yield placeholders of the shape on the other side, if an array of that shape is in scope.

    Branches within a loop get empty placeholders later, which cost nothing in each iteration.
    """
    at_hand = [*around, *block.parameters]
    nodes: list[Node] = []
    for node in block.nodes:
        if isinstance(node, If):
            then, orelse = (_of_one_shape(side, shapes, gaps, at_hand) for side in (node.then, node.orelse))
            alike = functools.partial(_like_others, results=node.results, shapes=shapes, at_hand=at_hand)
            nodes.append(changed(node, then=alike(then), orelse=alike(orelse)))
        else:
            nodes.append(node)
        at_hand += [value for value in results(node) if value not in gaps]
    return with_nodes(block, nodes)


def _like_others(side: Block, results: Sequence[Value], shapes: Shapes, at_hand: Sequence[Value]) -> Block:
    """One side of a branch, which yields placeholders of the results' shapes."""
    builder = Builder()
    yields = tuple(
        _placeholder_like(result, shapes, at_hand, builder) if operand is UNDEFINED else operand
        for operand, result in zip(side.yields, results, strict=True)
    )
    return with_nodes(side, [*side.nodes, *builder.current.nodes], yields)


def _placeholder_like(value: Value, shapes: Shapes, at_hand: Sequence[Value], builder: Builder) -> Operand:
    """Zeros of the value's type and shape, if an array with both is at hand; UNDEFINED otherwise."""
    if not isinstance(value.type, Array) or not is_float(value.type):
        return UNDEFINED
    for each in at_hand:
        if each.type == value.type and shapes.same(each, value):
            layout = "F" if value.type.layout == "F" else "C"
            return builder.apply(np.zeros_like, each, type=with_layout(value.type, layout))
    return UNDEFINED


def _items(node: Node) -> tuple[Operand, ...]:
    """The operands of a node that returns a tuple."""
    return node.operands if isinstance(node, Apply) and isinstance(node.result.type, Tuple) else ()


def _earlier(node: Node) -> list[Value]:
    """The results of a loop whose values of the iteration before are read in its body, or in its condition."""
    if not isinstance(node, For | While):
        return []
    read = {
        operand
        for block in blocks(node)
        for inner in walk(block)
        for operand in (*operands(inner), *_chosen(inner))
    }
    carried = (
        [carried_parameters(node)] if isinstance(node, For) else [block.parameters for block in blocks(node)]
    )
    merged = zip(node.results, *carried, strict=True)
    return [result for result, *parameters in merged if not read.isdisjoint(parameters)]


def _chosen(node: Node) -> tuple[Operand, ...]:
    """What a branch may take for its results."""
    return (*node.then.yields, *node.orelse.yields) if isinstance(node, If) else ()


def defined(block: Block) -> Block:
    """The block with a placeholder for each value that a path leaves unassigned: a value that is saved must exist on all paths."""
    return _with_placeholders(block, lambda _: True)


def _with_placeholders(block: Block, wanted: Callable[[Value], bool]) -> Block:
    """The block with a placeholder for each wanted value that a path leaves unassigned."""
    return rewrite_block(block, lambda node: _filled(node, wanted))


def _filled(node: Node, wanted: Callable[[Value], bool]) -> list[Node]:
    """The node with placeholders; those that a loop begins with are made before the loop."""
    if isinstance(node, If):
        lists = _lists_for_all_paths(node, wanted)
        then, orelse = (
            _filled_side(_without(block, lists), node, wanted) for block in (node.then, node.orelse)
        )
        return [*lists.values(), changed(node, then=then, orelse=orelse)]
    if isinstance(node, For | While):
        builder = Builder(loc=node.loc)
        inits = _filled_in(node.inits, node.results, builder, wanted)
        return [*builder.current.nodes, changed(node, inits=inits)]
    return [node]


def _lists_for_all_paths(node: If, wanted: Callable[[Value], bool]) -> dict[Value, Node]:
    """The nodes that make empty lists of references on one side of a branch, of lists that the other side leaves unassigned.

    Nothing else can stand for such a list: what it holds, and so its type, is known by what is appended to it.
    """
    sides = zip(node.then.yields, node.orelse.yields, node.results, strict=True)
    asked = {
        one
        for first, second, result in sides
        for one, other in ((first, second), (second, first))
        if other is UNDEFINED and wanted(result)
    }
    return {
        each.result: each
        for block in (node.then, node.orelse)
        for each in block.nodes
        if isinstance(each, Apply)
        and isinstance(each.result.type, List)
        and not each.operands
        and each.result in asked
    }


def _without(block: Block, lists: Mapping[Value, Node]) -> Block:
    """A side of a branch without the nodes that make these lists before it."""
    return with_nodes(block, [node for node in block.nodes if node not in lists.values()])


def _filled_side(block: Block, node: If, wanted: Callable[[Value], bool]) -> Block:
    """One side of a branch, which yields placeholders for the wanted values that it leaves unassigned."""
    builder = Builder(loc=node.loc)
    yields = _filled_in(block.yields, node.results, builder, wanted)
    return with_nodes(block, [*block.nodes, *builder.current.nodes], yields)


def _filled_in(
    operands: Sequence[Operand], values: Sequence[Value], builder: Builder, wanted: Callable[[Value], bool]
) -> tuple[Operand, ...]:
    """The operands, with placeholders for the wanted ones of these values that are unassigned."""
    return tuple(
        _placeholder(value, builder) if operand is UNDEFINED and wanted(value) else operand
        for operand, value in zip(operands, values, strict=True)
    )


def _placeholder(value: Value, builder: Builder) -> Operand:
    """A placeholder of the value's type: zero, False or an array without entries; UNDEFINED for other types."""
    match value.type:
        case Scalar("bool"):
            return Const(False)
        case Scalar(dtype):
            return Const(0) if dtype.startswith(("int", "uint")) else Const(0.0)
        case Array(dtype, ndim, layout):
            shape = Const(0) if ndim == 1 else Const((0,) * ndim)
            empty = builder.apply(np.empty, shape, named_dtype(dtype), type=Array(dtype, ndim))
            if layout == "F" and ndim > 1:  # a list of what a loop carries holds arrays of one layout
                return builder.apply(np.transpose, empty, type=with_layout(Array(dtype, ndim), layout))
            return empty
        case _:
            return UNDEFINED
