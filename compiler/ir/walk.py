"""Walk and rewrite IR: the operands, results and blocks of nodes, the rewriter, and substitution."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TypeVar

from backsweep.ir.nodes import (
    Append,
    Apply,
    Block,
    Callee,
    Checkpoint,
    Comment,
    Const,
    Custom,
    Dots,
    For,
    Function,
    Grow,
    If,
    Index,
    Load,
    NewAxis,
    Node,
    Operand,
    Raise,
    Slice,
    Store,
    Value,
    View,
    While,
    fact,
)
from backsweep.ir.types import List

AnyNode = TypeVar("AnyNode", bound=Node | Block | Checkpoint)


_WITH_BLOCKS = (If, For, While)


def index_operands(index: Index) -> tuple[Operand, ...]:
    """The operands in an index, including the parts of slices."""
    found: list[Operand] = []
    for item in index:
        match item:
            case Slice(start, stop, step):
                found += [part for part in (start, stop, step) if part is not None]
            case NewAxis() | Dots():
                pass
            case _:
                found.append(item)
    return tuple(found)


def operands(node: Node) -> tuple[Operand, ...]:
    """The operands that the node itself reads, without those of its blocks."""
    match node:
        case Apply():
            return (*node.operands, *(each for _, each in node.keywords)) if node.keywords else node.operands
        case View() | Load():
            return (node.buffer, *index_operands(node.index))
        case Store():
            return (node.buffer, *index_operands(node.index), node.value)
        case Append():
            return (node.buffer, node.value)
        case Grow():
            return (node.buffer, node.count)
        case If():
            return (node.condition,)
        case For():
            return (node.start, node.stop, node.step, *node.inits, *_sizes(node.checkpoint))
        case While():
            return (*node.inits, *_sizes(node.checkpoint))
        case Raise():
            return (node.exception, *node.arguments)
        case Comment():
            return ()


def _sizes(mark: Checkpoint | None) -> tuple[Operand, ...]:
    """The operands that say how much of a marked loop is kept."""
    return () if mark is None else (mark.slots, mark.memory, mark.block)


def results(node: Node) -> tuple[Value, ...]:
    """The values that the node defines in the block that holds it."""
    match node:
        case Apply() | View() | Load():
            return (node.result,)
        case If() | For() | While():
            return node.results
        case Store() | Append() | Grow() | Raise() | Comment():
            return ()


def blocks(node: Node) -> tuple[Block, ...]:
    """The blocks that the node holds, in program order."""
    match node:
        case If():
            return (node.then, node.orelse)
        case For():
            return (node.body,)
        case While():
            return (node.condition, node.body)
        case _:
            return ()


def carried_parameters(loop: For | While) -> tuple[Value, ...]:
    """The parameters of the body that a loop carries from one iteration to the next."""
    return loop.body.parameters[1:] if isinstance(loop, For) else loop.body.parameters


def growing(block: Block) -> frozenset[Value]:
    """The arrays that grow while the block runs."""
    return frozenset(node.buffer for node in walk(block) if isinstance(node, Grow))


def grows(operand: Operand, arrays: AbstractSet[Value]) -> bool:
    """Whether the operand is a list or one of the growing arrays, so that its length may change later."""
    return isinstance(operand, Value) and (operand in arrays or isinstance(operand.type, List))


def leaving(node: Node) -> tuple[Operand, ...]:
    """The operands that the node's blocks read at their ends: yields and loop exits."""
    found = [operand for block in blocks(node) for operand in block.yields]
    if isinstance(node, For | While) and node.exit is not None:
        found.append(node.exit)
    return tuple(found)


def merges(node: Node) -> Iterator[tuple[Operand, ...]]:
    """The groups of values that a branch or a loop merges: a result, followed by the yields, inits and parameters for it."""
    match node:
        case If():
            yield from zip(node.results, node.then.yields, node.orelse.yields, strict=True)
        case For():
            yield from zip(node.results, node.inits, node.body.parameters[1:], node.body.yields, strict=True)
        case While():
            parts = (
                node.results,
                node.inits,
                node.body.parameters,
                node.condition.parameters,
                node.body.yields,
            )
            yield from zip(*parts, strict=True)
        case _:
            return


def walk(block: Block) -> Iterator[Node]:
    """Every node of the block and of the blocks in it, in program order; a node comes before its blocks."""
    waiting = list(reversed(block.nodes))
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, _WITH_BLOCKS):
            for inner in reversed(blocks(node)):
                waiting += reversed(inner.nodes)


@fact
def definitions_of(function: Function) -> Mapping[Value, Node]:
    """The node that defines each value; parameters of blocks have none."""
    return {value: node for node in walk(function.body) for value in results(node)}


def chain_to(value: Value, definitions: Mapping[Value, Node], known: Container[Value]) -> Iterator[Value]:
    """The value and the values that it is made of, these first, without what is known and what only loops make.

    Who makes them known in turn needs no recursion as deep as a chain of statements is long.
    """
    left, begun = [value], set[Value]()
    while left:
        last = left[-1]
        if last in known or last in begun:
            if left.pop() not in known:
                yield last
            continue
        begun.add(last)
        parts: Sequence[Operand] = ()
        match definitions.get(last):
            case Apply() as node:
                parts = node.operands
            case View(buffer=buffer) | Load(buffer=buffer):
                parts = (buffer,)
            case If(results=results, then=then, orelse=orelse):
                place = results.index(last)
                parts = (then.yields[place], orelse.yields[place])
            case _:
                pass
        left += (part for part in reversed(parts) if isinstance(part, Value))


@fact
def readers_of(function: Function) -> Mapping[Value, Sequence[Node]]:
    """The nodes that read each value, in program order; one that reads it twice is there twice."""
    found: dict[Value, list[Node]] = {}
    for node in walk(function.body):
        for operand in operands(node):
            if isinstance(operand, Value):
                found.setdefault(operand, []).append(node)
    return found


def outside_loops(block: Block) -> Iterator[Value]:
    """The values that are defined outside loops, and therefore computed at most once."""
    for node in block.nodes:
        yield from results(node)
        if isinstance(node, If):
            yield from outside_loops(node.then)
            yield from outside_loops(node.orelse)


def programs(function: Function) -> list[Function]:
    """The program, and recursively the programs of the functions that it calls and of its hooks and pullbacks."""
    found = {function: None}
    waiting = [function]
    while waiting:
        for node in walk(waiting.pop().body):
            match node:
                case Apply(function=Callee(program=Function() as program) | Custom(backward=program)):
                    if program not in found:
                        found[program] = None
                        waiting.append(program)
                case _:
                    pass
    return list(found)


def free_values(block: Block) -> dict[Value, None]:
    """The values that the block reads but does not define, in the order of first use."""
    defined: set[Value] = set(block.parameters)
    found: dict[Value, None] = {}

    def read(items: tuple[Operand, ...]) -> None:
        for item in items:
            if isinstance(item, Value) and item not in defined:
                found.setdefault(item)

    def visit(inner: Block) -> None:
        defined.update(inner.parameters)
        for node in inner.nodes:
            read(operands(node))
            for part in blocks(node):
                visit(part)
            if isinstance(node, For | While) and node.exit is not None:
                read((node.exit,))
            defined.update(results(node))
        read(inner.yields)

    visit(block)
    return found


Rename = Callable[[Operand], Operand]


def rename_index(index: Index, rename: Rename) -> Index:
    """The index with each operand renamed; the same object if none is."""

    def part(operand: Operand | None) -> Operand | None:
        return None if operand is None else rename(operand)

    renamed: list[Operand | Slice | NewAxis | Dots] = []
    for item in index:
        match item:
            case Slice(start, stop, step):
                parts = (part(start), part(stop), part(step))
                renamed.append(item if _alike(parts, (start, stop, step)) else Slice(*parts))
            case NewAxis() | Dots():
                renamed.append(item)
            case _:
                renamed.append(rename(item))
    return index if _alike(renamed, index) else tuple(renamed)


def rename_operands(node: Node, rename: Rename) -> Node:
    """The node with its own operands renamed, but not its blocks and results; the same object if nothing changes."""
    match node:
        case Apply():
            renamed = _all(node.operands, rename)
            if not node.keywords:
                return node if renamed is node.operands else dataclasses.replace(node, operands=renamed)
            keywords = tuple((key, rename(operand)) for key, operand in node.keywords)
            if _alike([operand for _, operand in keywords], [operand for _, operand in node.keywords]):
                keywords = node.keywords
            return changed(node, operands=renamed, keywords=keywords)
        case View():
            return changed(node, buffer=_value(rename(node.buffer)), index=rename_index(node.index, rename))
        case Load():
            return changed(node, buffer=rename(node.buffer), index=rename_index(node.index, rename))
        case Store():
            return changed(
                node,
                buffer=_value(rename(node.buffer)),
                index=rename_index(node.index, rename),
                value=rename(node.value),
            )
        case Append():
            return changed(node, buffer=_value(rename(node.buffer)), value=rename(node.value))
        case Grow():
            return changed(node, buffer=_value(rename(node.buffer)), count=rename(node.count))
        case If():
            return changed(node, condition=rename(node.condition))
        case For():
            return changed(
                node,
                start=rename(node.start),
                stop=rename(node.stop),
                step=rename(node.step),
                inits=_all(node.inits, rename),
                checkpoint=_renamed_mark(node.checkpoint, rename),
            )
        case While():
            inits = _all(node.inits, rename)
            return changed(node, inits=inits, checkpoint=_renamed_mark(node.checkpoint, rename))
        case Raise():
            return changed(node, exception=rename(node.exception), arguments=_all(node.arguments, rename))
        case Comment():
            return node


def _renamed_mark(mark: Checkpoint | None, rename: Rename) -> Checkpoint | None:
    """The mark of a loop with its operands renamed; the same object if none is."""
    if mark is None:
        return None
    return changed(mark, slots=rename(mark.slots), memory=rename(mark.memory), block=rename(mark.block))


def itself(operand: Operand) -> Operand:
    """The identity renaming."""
    return operand


def map_blocks(node: Node, change: Callable[[Block], Block], rename: Rename = itself) -> Node:
    """The node with its blocks changed and then its exit renamed; the same object if nothing changes."""
    match node:
        case If():
            return changed(node, then=change(node.then), orelse=change(node.orelse))
        case For():
            body = change(node.body)
            return changed(node, body=body, exit=None if node.exit is None else rename(node.exit))
        case While():
            condition, body = change(node.condition), change(node.body)
            exit_ = None if node.exit is None else rename(node.exit)
            return changed(node, condition=condition, body=body, exit=exit_)
        case _:
            return node


def with_nodes(block: Block, nodes: Sequence[Node], yields: Sequence[Operand] | None = None) -> Block:
    """The block with other nodes, and other yields if given; the same object if nothing changes."""
    ends = block.yields if yields is None else yields
    if _alike(nodes, block.nodes) and _alike(ends, block.yields):
        return block
    return Block(block.parameters, tuple(nodes), tuple(ends))


def with_body(function: Function, body: Block) -> Function:
    """The program with another body; the same object if it is the program's own."""
    return function if body is function.body else dataclasses.replace(function, body=body)


def _all(operands: tuple[Operand, ...], rename: Rename) -> tuple[Operand, ...]:
    """The operands renamed; the same object if none is."""
    renamed = tuple(map(rename, operands))
    return operands if _alike(renamed, operands) else renamed


def changed(node: AnyNode, **parts: object) -> AnyNode:
    """The node with these parts; the same object if nothing changes, so that callers can compare by identity."""
    for name, part in parts.items():
        before = getattr(node, name)
        if before is not part and not (isinstance(part, tuple) and _alike(part, before)):
            return dataclasses.replace(node, **parts)  # type: ignore[arg-type]  # the parts are the node's own
    return node


def _alike(one: Sequence[object], other: Sequence[object]) -> bool:
    """Whether two sequences hold the same objects."""
    return len(one) == len(other) and all(map(operator.is_, one, other))


Rule = Callable[[Node], Sequence[Node]]
"""A function from a node to its replacement: no nodes to remove it, the node alone to keep it."""


def rewrite(function: Function, rule: Rule) -> Function:
    """The program with every node replaced by the rule's result; the same object if nothing changes.

    The rule sees nodes in program order, and a node after the nodes of its blocks. The rule's results are not rewritten
    again.
    """
    return with_body(function, rewrite_block(function.body, rule))


def rewrite_block(block: Block, rule: Rule) -> Block:
    """The block with every node, including those of inner blocks, replaced by the rule's result."""
    return with_nodes(block, [each for node in block.nodes for each in rewrite_node(node, rule)])


def rewrite_node(node: Node, rule: Rule) -> Sequence[Node]:
    """The replacement of one node; the nodes of its blocks are replaced first."""
    return rule(map_blocks(node, lambda block: rewrite_block(block, rule)))


def substitute(block: Block, replacement: dict[Value, Operand]) -> Block:
    """The block with every read of a value replaced; chains of replacements are followed."""

    def rename(operand: Operand) -> Operand:
        while isinstance(operand, Value) and operand in replacement:
            operand = replacement[operand]
        return operand

    def change(inner: Block) -> Block:
        nodes = [map_blocks(rename_operands(node, rename), change, rename) for node in inner.nodes]
        return with_nodes(inner, nodes, [*map(rename, inner.yields)])

    return change(block)


def renewed(block: Block) -> Block:
    """A copy of a block that defines new values, so that each value stays defined once."""
    replacement: dict[Value, Operand] = {}

    def new(value: Value) -> Value:
        replacement[value] = made = dataclasses.replace(value)
        return made

    def change(inner: Block) -> Block:
        parameters = tuple(map(new, inner.parameters))
        return Block(parameters, tuple(map(define, inner.nodes)), inner.yields)

    def define(node: Node) -> Node:
        match node:
            case Apply() | Load() | View():
                return dataclasses.replace(node, result=new(node.result))
            case If() | For() | While():
                made = map_blocks(node, change)
                assert isinstance(made, If | For | While)
                return dataclasses.replace(made, results=tuple(map(new, node.results)))
            case _:
                return node

    return substitute(change(block), replacement)


def _value(operand: Operand) -> Value:
    """The operand as a value; raises an error for a constant, because memory is never a literal."""
    if isinstance(operand, Const):
        raise TypeError(f"a buffer was replaced by the constant {operand.value!r}")
    return operand


def returned(body: Block) -> set[Operand]:
    """What a program with this body returns, by itself or in tuples: two results must not be one array."""
    found: set[Operand] = set(body.yields)
    for node in reversed(list(walk(body))):
        if not isinstance(node, Apply) or node.result not in found:
            continue
        if node.function is tuple or isinstance(node.function, type):
            found.update(node.operands)
    return found


def with_marks(function: Function, asked: bool | None) -> Function:
    """The program with its marks of loops that may run on all cores (None), with all loops marked, or with none."""
    if asked is None:
        return function

    def marked(node: Node) -> list[Node]:
        if not isinstance(node, For) or node.parallel is asked:
            return [node]
        return [dataclasses.replace(node, parallel=asked)]

    return rewrite(function, marked)
