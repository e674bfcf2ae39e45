"""Lists of arrays stay lists: they begin empty, grow by `append`, and are read by index.

Differentiation gives each list of arrays a parallel list of shadows. Any other use of a list is refused here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

import numpy as np

from backsweep.analysis.alias import find_aliases
from backsweep.analysis.list_aliases import list_text
from backsweep.diagnostics import Loc, Problem, Problems, UnsupportedError
from backsweep.ir.nodes import (
    Append,
    Apply,
    Block,
    Const,
    Dots,
    For,
    Function,
    Load,
    Node,
    Operand,
    Slice,
    Store,
    Value,
    While,
)
from backsweep.ir.types import Array, List, Scalar, Tuple, Type, names_memory, with_layout
from backsweep.ir.walk import blocks, map_blocks, operands, results, rewrite, walk, with_body, with_nodes
from backsweep.legalise.lists.laid_out import laid_out
from backsweep.legalise.lists.replaced_entries import puts_back
from backsweep.legalise.lists.splitting import written_at
from backsweep.runtime.lists.results import unlisted
from backsweep.runtime.support.marks import length


def legalise_lists_of_arrays(function: Function) -> Function:
    """The same program, in which each list of arrays is made empty and then appended to; refuses lists of anything else."""
    if not any(isinstance(value.type, List) for value in _values(function)):
        return function
    function = _with_copies(with_body(function, _appended(function.body)))
    problems = Problems()
    for problem in _misused(function.body):
        problems.add(UnsupportedError, problem)
    for value in _lists(function.body.yields):
        problems.add(UnsupportedError, _whole(value, value.loc))
    for append in _broadcast(function):
        problems.add(UnsupportedError, _of_broadcasts(append.loc))
    for node in _written_elsewhere(function):
        problems.add(UnsupportedError, _written(node))
    problems.report()
    return function


def _values(function: Function) -> Iterator[Value]:
    yield from function.body.parameters
    for node in walk(function.body):
        yield from results(node)


def _appended(block: Block) -> Block:
    """The block with appends for the items that lists of arrays are made of, and copies for arrays that are constants.

    Their lengths are no extents: they change.

    `items[i] *= factor` changes the array and stores it back into its own place: this store is dropped.
    """
    nodes: list[Node] = []
    for number, node in enumerate(block.nodes):
        match node:
            case Store() if puts_back(node, block.nodes[:number]):
                pass
            case Store(buffer=buffer) if _of_memory(buffer) and node.accumulate:
                nodes += _add_to_entry(node)
            case Apply(function=function, operands=(first,)) if function is len and _of_memory(first):
                nodes.append(dataclasses.replace(node, function=length))
            case Apply(function=function, operands=(first,)) if function is unlisted and _has_axes(first):
                nodes += laid_out(node)
            case Apply(result=result) if _is_made(node) and node.operands:
                nodes.append(dataclasses.replace(node, operands=()))
                for item in node.operands:
                    nodes += _append(result, item, node.loc)
            case Append(buffer=buffer, value=Const() as value) if _of_memory(buffer):
                nodes += _append(buffer, value, node.loc)
            case _:
                nodes.append(map_blocks(node, _appended))
    return with_nodes(block, nodes)


def _add_to_entry(store: Store) -> list[Node]:
    """`items[i] += more`: the entry's array is changed in place."""
    assert isinstance(store.buffer.type, List)
    entry = Value("", store.buffer.type.item, store.loc)
    return [
        Load(entry, store.buffer, store.index, store.loc),
        Store(entry, (Dots(),), store.value, store.loc, accumulate=True),
    ]


def _append(buffer: Value, item: Operand, loc: Loc, *, copies: bool = False) -> list[Node]:
    """The item behind the last: a constant array, which may not be written, as a copy."""
    if isinstance(item, Value) and not copies:
        return [Append(buffer, item, loc)]
    assert isinstance(buffer.type, List)
    copy = Value(item.name, with_layout(buffer.type.item, "C"), loc)
    return [Apply(copy, np.copy, (item,), loc), Append(buffer, copy, loc)]


def _misused(block: Block) -> Iterator[Problem]:
    """The uses that are refused: lists of lists of numbers, and lists of arrays where only an item of them can be used."""
    for node in block.nodes:
        known = _known(node)
        if isinstance(node, Apply) and _is_of_others(node.result):
            yield _of_others(node.result, node.loc)
        elif isinstance(node, Store) and _of_memory(node.buffer):
            yield _replaced(node)
        else:
            yield from (
                _whole(operand, node.loc) for operand in _lists(operands(node)) if operand not in known
            )
            if isinstance(node, Apply) and not _is_made(node):
                yield from (_whole(result, node.loc) for result in _lists(results(node)))
        for inner in blocks(node):
            yield from _misused(inner)


def _with_copies(function: Function) -> Function:
    """The function in which lists keep copies of broadcast arrays, where nothing writes to the memory that these show."""
    appends = list(_broadcast(function))
    aliases = find_aliases(function) if appends else None
    own = [node for node in appends if aliases is not None and not aliases.is_buffer(node.value)]
    if not own:
        return function

    def copied(node: Node) -> list[Node]:
        return _append(node.buffer, node.value, node.loc, copies=True) if node in own else [node]

    return rewrite(function, copied)


def _broadcast(function: Function) -> Iterator[Append]:
    """The appends of broadcast arrays, which show the memory of others and cannot be written."""
    nodes = list(walk(function.body))
    made = {node.result for node in nodes if isinstance(node, Apply) and node.function is np.broadcast_to}
    return (node for node in nodes if isinstance(node, Append) and node.value in made)


def _of_broadcasts(loc: Loc) -> Problem:
    message = (
        "an array that `np.broadcast_to` makes is kept in a list, but it shows the memory of another array"
    )
    return Problem("BS109", message, loc, "append a copy of it.")


def _lists(operands: Sequence[Operand]) -> Iterator[Value]:
    return (each for each in operands if isinstance(each, Value) and _of_memory(each))


def _known(node: Node) -> tuple[Operand, ...]:
    """The lists of arrays that the node uses in a way that is supported."""
    match node:
        case Append(buffer=buffer, value=value) if _of_memory(buffer):
            return (buffer, value)
        case Load(buffer=buffer, index=(index,)) if _of_memory(buffer) and not isinstance(index, Slice):
            return (buffer,)
        case For() | While():
            return node.inits
        case Apply(function=function, operands=(first,)) if function is length:
            return (first,)
        case _:
            return ()


def _is_made(node: Node) -> bool:
    """Whether the node is `[]` or `[one, other]`, a list of arrays."""
    if not isinstance(node, Apply) or node.function is not list or not _of_memory(node.result):
        return False
    assert isinstance(node.result.type, List)
    item = node.result.type.item
    return all(_kind(operand) == _kind_of(item) for operand in node.operands)


def _kind(operand: Operand) -> object:
    if isinstance(operand, Const):
        value = operand.value
        return (str(value.dtype), value.ndim) if isinstance(value, np.ndarray) else None
    return _kind_of(operand.type)


def _kind_of(type_: Type | None) -> object:
    """A type but for the layout of arrays."""
    return (type_.dtype, type_.ndim) if isinstance(type_, Array) else type_


def _of_memory(operand: Operand) -> bool:
    """Whether this is a list of arrays."""
    return isinstance(operand, Value) and isinstance(operand.type, List) and names_memory(operand.type)


def _has_axes(operand: Operand) -> bool:
    """Whether this is a list of arrays that have axes."""
    type_ = operand.type if isinstance(operand, Value) else None
    return isinstance(type_, List) and isinstance(type_.item, Array) and type_.item.ndim > 0


def _is_of_others(value: Value) -> bool:
    """Whether this is a list of neither numbers nor arrays."""
    return isinstance(value.type, List) and not isinstance(value.type.item, Scalar) and not _of_memory(value)


def _written_elsewhere(function: Function) -> Iterator[Node]:
    """Writes to arrays in lists that the caller gives: such a write would change the caller's arrays."""
    given = [value for value in function.body.parameters if _of_memory(value)]
    if not given:
        return
    aliases = find_aliases(function)
    for node in walk(function.body):
        if isinstance(node, Store) and isinstance(node.buffer.type, List):
            continue  # refused already
        if isinstance(node, Append | Store) and any(aliases.same(node.buffer, value) for value in given):
            yield node


def _of_others(value: Value, loc: Loc) -> Problem:
    if isinstance(value.type, List) and not isinstance(value.type.item, List | Tuple):
        message = "a list holds neither numbers nor arrays, nor tuples of them"
        return Problem("BS109", message, loc, "keep what is no number outside of what is differentiated.")
    message = "a list of lists of numbers cannot be differentiated"
    return Problem("BS109", message, loc, "keep them in an array with one more axis, made with np.empty.")


def _whole(value: Value, loc: Loc) -> Problem:
    what = f"the list `{value.name}`" if value.name else "a list of arrays"
    message = f"{what} is used as a whole, but only its items can be differentiated"
    return Problem("BS109", message, loc, "append to it, index it or loop over it.")


def _replaced(node: Store) -> Problem:
    message = f"an entry of {list_text(node.buffer)} is replaced by another array, which would change the caller's list"
    return Problem(
        "BS109",
        message,
        written_at(node.loc),
        "change a list of your own: items = [item.copy() for item in given].",
    )


def _written(node: Node) -> Problem:
    message = "this writes into an array in a list argument, which would change the caller's array"
    return Problem(
        "BS109", message, node.loc, "pass a tuple of the arrays, or copy the item first: a = items[i].copy()."
    )
