"""Put types on the values of a program: Numba types the whole program once, and only single calls after that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from backsweep.diagnostics import TypingError
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Append, Apply, Const, Function, If, Load, Node, Operand, Slice, Value, View
from backsweep.ir.typed import is_typed, type_of, with_types
from backsweep.ir.types import Array, List, Tuple, Type, with_layout
from backsweep.ir.walk import blocks, changed, merges, operands, results, rewrite, walk
from backsweep.typing.infer import UNREACHED, NumbaType, can_unite, from_numba, infer, numba_types
from backsweep.typing.typing_cache import type_of_result


def infer_types(function: Function, arguments: Sequence[NumbaType]) -> Function:
    """The program with the type of every value, for these argument types; raises TypingError on the user's line."""
    return with_types(function, infer(function, arguments))


def infer_types_again(function: Function, arguments: Sequence[NumbaType]) -> Function:
    """The program, typed again as a whole if it has values without types."""
    return function if is_typed(function) else infer_types(function, arguments)


def complete_types(function: Function, arguments: Sequence[NumbaType]) -> Function:
    """The program with types on values that have none; they follow from the types of operands, or Numba infers them.

    If a value gets a type, all values of the result are new.
    """
    found = completed(function)
    if found is not None:
        return found
    types_ = numba_types(function, arguments)
    return with_types(function, {value: from_numba(type_) for value, type_ in types_.items()})


def types_with_lists(
    function: Function, arguments: Sequence[NumbaType]
) -> tuple[Function, dict[Value, NumbaType]]:
    """The program and Numba's types of its values. Where arrays of several layouts are put into a list, these are views of any layout.

    One of Numba's typed lists, which hold what a pullback reads, has the layout of the first array that is put into it, and takes no other.
    """
    try:
        return function, numba_types(function, arguments)
    except TypingError:
        viewed = rewrite(function, _put_in_any_layout)
        if viewed is function:
            raise
        return viewed, numba_types(viewed, arguments)


def _put_in_any_layout(node: Node) -> list[Node]:
    """The node; an array that it puts into a list is a view of any layout."""
    builder = Builder(loc=node.loc)
    if isinstance(node, Append):
        viewed: Node = changed(node, value=_put(node.value, node.buffer.type, builder))
    elif isinstance(node, Apply) and node.function is list:
        viewed = changed(
            node, operands=tuple(_put(each, node.result.type, builder) for each in node.operands)
        )
    else:
        return [node]
    return [*builder.current.nodes, viewed]


def _put(operand: Operand, holder: Type | None, builder: Builder) -> Operand:
    """What is put into a list: of an array, a view of any layout."""
    item = holder.item if isinstance(holder, List) else None
    if not isinstance(operand, Value) or not isinstance(item, Array) or item.ndim == 0:
        return operand
    return builder.view(operand, (Slice(step=Const(1)),), type=with_layout(item, "A"))


def completed(function: Function) -> Function | None:
    """The program with a type on every value; None if a type does not follow from the types of operands."""
    types: dict[Value, Type] = {}

    def known(operand: Operand) -> Type | None:
        return types.get(operand, operand.type) if isinstance(operand, Value) else type_of(operand)

    for parameter in function.body.parameters:
        if parameter.type is None:
            return None
        types[parameter] = parameter.type

    def found(node: Node, value: Value) -> Type | None:
        """The type of a value that the node defines."""
        if isinstance(node, Apply) and node.function is tuple:
            return _of_items((), None, [known(operand) for operand in node.operands])
        if isinstance(node, Apply) and isinstance(value.type, Tuple) and node.function is value.type.cls:
            return _of_items(value.type.names, value.type.cls, [known(each) for each in node.operands])
        if value.type is None and isinstance(node, Apply | View | Load):
            return type_of_result(node, known)
        if value.type is None and isinstance(node, If):
            position = node.results.index(value)
            then, orelse = (known(block.yields[position]) for block in blocks(node))
            return then if then == orelse else None
        return value.type

    def complete(nodes: Iterable[Node]) -> bool:
        """Whether each value of the nodes has a type, which is noted; those of branches follow from what these yield."""
        for node in nodes:
            inner = blocks(node)
            if isinstance(node, If) and not all(complete(block.nodes) for block in inner):
                return False
            for value in (*results(node), *(value for block in inner for value in block.parameters)):
                type_ = found(node, value)
                if type_ is None:
                    return False
                types[value] = type_
            if not isinstance(node, If) and not all(complete(block.nodes) for block in inner):
                return False
        return True

    if not complete(function.body.nodes):
        return None
    if all(value.type == type_ for value, type_ in types.items()):
        return function
    return with_types(function, types)


def _of_items(names: tuple[str, ...], cls: type | None, items: Sequence[Type | None]) -> Type | None:
    """The type of a tuple, or a namedtuple, whose items have these types."""
    whole = tuple(item for item in items if item is not None)
    return Tuple(whole, names, cls) if len(whole) == len(items) else None


Disunited = tuple[Value, NumbaType, NumbaType]
"""A variable, and two of its types, which Numba cannot unite."""


def disunited(function: Function, types: Mapping[Value, NumbaType]) -> dict[Value, Disunited]:
    """The values that have, or are computed of what has, another type on another path or after another iteration.

    Numba has one type for each variable. Where it cannot unite those of several paths it refuses the program, unless nobody reads
    the variable; but then the type that it tells is that of one path.
    """
    found: dict[Value, Disunited] = {}
    nodes, before = [*walk(function.body)], -1
    while len(found) > before:
        before = len(found)
        for node in nodes:
            for group in merges(node):
                values = [each for each in group if isinstance(each, Value)]
                clash = next((found[each] for each in values if each in found), None) or _clash(values, types)
                found |= dict.fromkeys(values, clash) if clash is not None else {}
            if isinstance(node, Apply | Load | View):
                earlier = [
                    found[each] for each in operands(node) if isinstance(each, Value) and each in found
                ]
                found |= dict.fromkeys(results(node), earlier[0]) if earlier else {}
    return found


def _clash(values: Sequence[Value], types: Mapping[Value, NumbaType]) -> Disunited | None:
    """The first of the values, and two of their types that Numba cannot unite; None if it can."""
    known = [type_ for each in values if (type_ := types.get(each, UNREACHED)) is not UNREACHED]
    for type_ in known[1:]:
        if not can_unite(known[0], type_):
            return values[0], known[0], type_
    return None
