"""Normalise typed IR: tell elements, views and gathers apart, resolve in-place operators, split tuples into items."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import TypeGuard

import numpy as np

from backsweep.analysis.integers.narrow import narrow_integers
from backsweep.diagnostics import Loc, Problem, UnsupportedError
from backsweep.ir.build import christen
from backsweep.ir.nodes import (
    UNDEFINED,
    Apply,
    Block,
    Const,
    Dots,
    For,
    Function,
    If,
    Index,
    Load,
    NewAxis,
    Node,
    Operand,
    Slice,
    Store,
    Value,
    View,
    While,
)
from backsweep.ir.operations import canonical, operation
from backsweep.ir.typed import dtype_of, is_element, type_of
from backsweep.ir.types import FLOAT, INT, Array, List, Scalar, Tuple, Type, is_float
from backsweep.ir.walk import changed, index_operands, rename_operands, walk, with_body, with_nodes
from backsweep.runtime.support.marks import changed_to, divides_by_zero, kept_in, stop_gradient, taken_away

SIGNED = ("float", "complex", "int64")
"""The dtypes whose negative is the number's: unsigned and narrow ones wrap around, bools have none."""
WRAPPING = ("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32")
"""The dtypes of all other integers."""


def normalise(typed: Function) -> Function:
    """The typed program: elements, views and tuple items told apart, in-place operators resolved, no carried tuples."""
    return with_body(typed, _Normaliser(_wrapping(typed)).function_body(typed.body))


def _wrapping(typed: Function) -> frozenset[Value]:
    """The results of `-=` whose amount Numba types as signed, while in a plain run its negative wraps around."""
    taken = [
        (node.result, node.operands[0 if node.function is taken_away else 1])
        for node in walk(typed.body)
        if isinstance(node, Apply) and node.function in (taken_away, operator.isub)
    ]
    if not any(
        type_.dtype.startswith(SIGNED) for _, amount in taken if _is_numbers(type_ := type_of(amount))
    ):
        return frozenset()
    narrow = narrow_integers(typed, WRAPPING)
    return frozenset(result for result, amount in taken if amount in narrow)


class _Normaliser:
    """Rebuilds blocks; `self.replaced` maps values to their replacements, `self.tuples` known tuples to their items.

    `wrapping` are the results of `-=` whose amount wraps around when it is negated.
    """

    def __init__(self, wrapping: AbstractSet[Value]) -> None:
        self.wrapping = wrapping
        self.replaced: dict[Value, Operand] = {}
        self.tuples: dict[Value, tuple[Operand, ...]] = {}
        self.taken_away: dict[Operand, Operand] = {}
        self.out: list[Node] = []

    def rename(self, operand: Operand) -> Operand:
        while isinstance(operand, Value) and operand in self.replaced:
            operand = self.replaced[operand]
        return operand

    def function_body(self, block: Block) -> Block:
        """Rewrite the body of the function, which begins with reads of all items of tuple arguments."""
        outer, self.out = self.out, []
        for parameter in block.parameters:
            if isinstance(parameter.type, Tuple):
                self.replaced[parameter] = self.take_apart(
                    parameter, parameter.type, parameter.name, parameter.loc
                )
        self.nodes(block.nodes)
        yields = [self.made_at_the_end(self.rename(operand)) for operand in block.yields]
        nodes, self.out = self.out, outer
        return with_nodes(block, nodes, yields)

    def made_at_the_end(self, operand: Operand) -> Operand:
        """A tuple that the function returns, made again here, and each tuple within it for each place where it lies.

        Writes to its arrays after the user made the tuple then come before the tuple in the program, as they do in
        memory, and each place has a cotangent of its own.
        """
        if not isinstance(operand, Value) or not isinstance(operand.type, Tuple):
            return operand
        items = [self.item(operand, position, operand.loc) for position in range(len(operand.type.items))]
        return self.make_tuple(tuple(map(self.made_at_the_end, items)), operand.type, operand.loc)

    def block(
        self, block: Block, results: Sequence[Value] = (), head: Sequence[tuple[Value, Tuple]] = ()
    ) -> Block:
        """Rewrite the block of a branch or a loop: tuples among its parameters (`head`) and its yields for `results` are spread."""
        outer, self.out = self.out, []
        parameters: list[Value] = []
        spread = dict(head)
        for parameter in block.parameters:
            if parameter in spread:
                items = self.leaves(parameter, spread[parameter])
                parameters += items
                self.replaced[parameter] = self.put_together(list(items), spread[parameter], parameter)
            else:
                parameters.append(parameter)
        nodes = self.nodes(block.nodes)
        yields = self.spread_all(block.yields, results)
        nodes += tuple(self.out[len(nodes) :])
        self.out = outer
        return changed(block, parameters=tuple(parameters), nodes=nodes, yields=tuple(yields))

    def nodes(self, nodes: Sequence[Node]) -> tuple[Node, ...]:
        for node in nodes:
            self.node(node)
        return tuple(self.out)

    def node(self, node: Node) -> None:
        if isinstance(node, If | For | While):
            self.region(node)
            return
        node = rename_operands(node, self.rename)
        match node:
            case Load():
                self.load(node)
            case Apply():
                self.apply(node)
            case Store():
                self.store(node)
            case _:
                self.out.append(node)

    def region(self, node: If | For | While) -> None:
        """Rewrite a branch or a loop: tuples that it carries or yields are spread into their items."""
        node_ = rename_operands(node, self.rename)
        assert isinstance(node_, If | For | While)
        node = node_
        results: list[Value] = []
        whole: list[tuple[Value, list[Value], Tuple]] = []
        for result in node.results:
            if isinstance(result.type, Tuple):
                items = self.leaves(result, result.type)
                whole.append((result, list(items), result.type))
                results += items
            else:
                results.append(result)
        if isinstance(node, If):
            then, orelse = self.block(node.then, node.results), self.block(node.orelse, node.results)
            self.out.append(changed(node, then=then, orelse=orelse, results=tuple(results)))
        else:
            inits = self.spread_all(node.inits, node.results)
            body = self.block(node.body, node.results, _tuples(node.body.parameters))
            exit_ = None if node.exit is None else self.rename(node.exit)
            node = changed(node, inits=tuple(inits), body=body, results=tuple(results), exit=exit_)
            if isinstance(node, While):
                condition = self.block(node.condition, (), _tuples(node.condition.parameters))
                node = changed(node, condition=condition)
            self.out.append(node)
        for result, flat, type_ in whole:
            self.replaced[result] = self.put_together(flat, type_, result)

    def leaves(self, value: Value, type_: Tuple) -> tuple[Value, ...]:
        """New values for the items of a tuple value, nested tuples flattened, in order."""
        found: list[Value] = []
        for position, item in enumerate(type_.items):
            name = f"{value.name}_{type_.names[position] if type_.names else position}" if value.name else ""
            leaf = Value(name, item, value.loc)
            found += self.leaves(leaf, item) if isinstance(item, Tuple) else (leaf,)
        return tuple(found)

    def put_together(self, items: list[Value], type_: Tuple, like: Value) -> Value:
        """The tuple value made of flat `items`, which it uses up."""
        operands: list[Operand] = []
        for item in type_.items:
            operands.append(self.put_together(items, item, like) if isinstance(item, Tuple) else items.pop(0))
        return self.make_tuple(tuple(operands), type_, like.loc)

    def make_tuple(self, operands: tuple[Operand, ...], type_: Tuple, loc: Loc) -> Value:
        value = Value("", type_, loc)
        self.out.append(Apply(value, type_.cls if type_.cls is not None else tuple, operands, loc))
        self.tuples[value] = operands
        return value

    def take_apart(self, value: Value, type_: Tuple, name: str, loc: Loc) -> Value:
        """Read each item of a tuple, and make the tuple again of these reads, so that later reads of items find them."""
        operands: list[Operand] = []
        for position, item in enumerate(type_.items):
            part = Value("", item, loc)
            self.out.append(Apply(part, operator.getitem, (value, Const(position)), loc))
            operands.append(self.take_apart(part, item, name, loc) if isinstance(item, Tuple) else part)
        return self.make_tuple(tuple(operands), type_, loc)

    def spread_all(self, operands: Sequence[Operand], results: Sequence[Value]) -> list[Operand]:
        """The operands that blocks and loops hand on to `results`, with tuples as their flat items; a path may assign none of them."""
        types = [result.type for result in results] if results else [None] * len(operands)
        found: list[Operand] = []
        for operand, type_ in zip(map(self.rename, operands), types, strict=True):
            if operand is UNDEFINED and isinstance(type_, Tuple):
                found += [UNDEFINED] * _leaves(type_)
            elif isinstance(operand, Const) and isinstance(type_, Tuple):
                found += _flat(operand.value)
            else:
                found += self.spread(operand)
        return found

    def spread(self, operand: Operand) -> list[Operand]:
        """A tuple operand as its flat items; anything else as itself."""
        type_ = type_of(operand)
        if not isinstance(type_, Tuple):
            return [operand]
        found: list[Operand] = []
        for position in range(len(type_.items)):
            found += self.spread(
                self.item(operand, position, operand.loc if isinstance(operand, Value) else None)
            )
        return found

    def item(self, operand: Operand, position: int, loc: Loc | None) -> Operand:
        """One item of a tuple: the operand it was made of where that is known, else a read."""
        if isinstance(operand, Const):
            return Const(operand.value[position])
        type_ = type_of(operand)
        assert isinstance(type_, Tuple)
        if operand in self.tuples:
            return self.tuples[operand][position]
        value = Value("", type_.items[position], loc or operand.loc)
        self.out.append(Apply(value, operator.getitem, (operand, Const(position)), loc or operand.loc))
        return value

    def index(self, index: Index) -> Index:
        """The index with tuple operands spread into their items."""
        items: list[Operand | Slice | NewAxis | Dots] = []
        for item in index:
            if isinstance(item, Value) and isinstance(item.type, Tuple):
                items += self.spread(item)
            elif isinstance(item, Const) and isinstance(item.value, tuple):
                items += [Const(part) for part in item.value]
            else:
                items.append(item)
        return tuple(items)

    def load(self, node: Load) -> None:
        """Rewrite a subscript as what it is: the load of an element, a view, the item of a tuple, or a gather."""
        base = type_of(node.buffer)
        if isinstance(base, Tuple):
            (position,) = node.index
            if isinstance(position, Const) and isinstance(node.buffer, Value):
                count = len(base.items)
                if not -count <= position.value < count:
                    message = f"index {position.value} is out of range: the tuple has {count} items"
                    raise UnsupportedError(Problem("BS110", message, node.loc, "check the index."))
                item = self.item(node.buffer, range(count)[position.value], node.loc)
                if isinstance(item, Value):
                    christen(item, node.result.name)
                self.replaced[node.result] = item
            elif isinstance(node.result.type, Array | Tuple) and isinstance(position, Value):
                self.choose(node, position, len(base.items))
            else:
                assert isinstance(position, Value | Const)
                self.out.append(Apply(node.result, operator.getitem, (node.buffer, position), node.loc))
            return
        index = self.index(node.index)
        if any(isinstance(type_of(item), Array) for item in index_operands(index)):
            self.out.append(changed(node, index=index))
        elif (
            isinstance(base, Array) and isinstance(node.result.type, Array) and isinstance(node.buffer, Value)
        ):
            self.out.append(View(node.result, node.buffer, index, node.loc))
        else:
            self.out.append(changed(node, index=index))

    def store(self, node: Store) -> None:
        """Rewrite a store; for `-=`, the amount is negated and added, or taken from what is read where it has no negative."""
        value = node.value
        if isinstance(value, Value) and value in self.taken_away:
            if (read := self.read_first(node, self.taken_away[value])) is not None:
                less = self.less(read, self.taken_away[value], node.loc)
                self.out.append(changed(node, index=self.index(node.index), value=less, accumulate=False))
                return
            wraps = value in self.wrapping
            value = self.negative(self.taken_away[value], node.buffer.type, node.loc, wraps=wraps)
        if isinstance(node.buffer.type, Array) and isinstance(type_of(value), Tuple):
            value = self.made_array(value, node.loc)
        self.out.append(changed(node, index=self.index(node.index), value=value))

    def read_first(self, node: Store, amount: Operand) -> Value | None:
        """What a number is taken from, read, if neither that nor the number can hold every negative; None if they can.

        Sums of such numbers with negatives have another type than differences: floats, for the longest of unsigned ones.
        """
        if not isinstance(node.buffer, Value) or not isinstance(type_ := node.buffer.type, Array):
            return None
        if not _is_kept_whole(type_, amount):
            return None
        index = self.index(node.index)
        if is_element(node):
            read = Value("", Scalar(type_.dtype), node.loc)
            self.out.append(Load(read, node.buffer, index, node.loc))
            return read
        found = [type_of(item) for item in index if not isinstance(item, Slice | NewAxis | Dots)]
        places = [each for each in found if isinstance(each, Array)]
        masks = [each for each in places if each.dtype == "bool"]
        axes = type_.ndim - len(found) + sum(1 - mask.ndim for mask in masks)
        axes += sum(isinstance(item, NewAxis) for item in index)
        axes += max((1 if each in masks else each.ndim for each in places), default=0)
        read = Value("", Array(type_.dtype, axes), node.loc)
        self.out.append((Load if places else View)(read, node.buffer, index, node.loc))
        return read

    def less(self, read: Value, amount: Operand, loc: Loc) -> Value:
        """What was read, less a number, of the type that Numba gives it."""
        type_, dtype = type_of(read), dtype_of(amount)
        if isinstance(type_, Array):
            result: Type = Array(str(np.result_type(type_.dtype, dtype)), type_.ndim)
        else:
            is_unsigned = dtype_of(read).startswith("uint") and dtype.startswith("uint")
            result = Scalar("uint64" if is_unsigned else "int64")
        return self.added(operator.sub, (read, amount), result, loc)

    def made_array(self, numbers: Operand, loc: Loc) -> Value:
        """The array of a tuple of numbers, which Numba stores in a part of an array as NumPy does."""
        type_ = type_of(numbers)
        assert isinstance(type_, Tuple)
        dtypes = [item.dtype for item in type_.items if isinstance(item, Scalar)]
        return self.added(np.array, (numbers,), Array(str(np.result_type(*dtypes)), 1), loc)

    def negative(self, value: Operand, target: Type | None, loc: Loc, *, wraps: bool) -> Operand:
        """The negative of an amount, which is converted to the target's type first if its negative in its own type is another number.

        An amount wraps around if it is unsigned or narrow by its type, or, with `wraps`, only in plain runs.
        """
        type_, into = type_of(value), np.dtype(_dtype_of_items(target))
        if _is_numbers(type_) and not type_.dtype.startswith(SIGNED):
            if isinstance(type_, Array):
                dtype = np.result_type(into, type_.dtype) if into.kind in "fc" else into
                value = self.converted(value, str(dtype), loc)
            else:
                of_large = type_.dtype == "uint64" and into.kind in "fc"
                type_ = FLOAT if of_large else INT
                value = self.added(float if of_large else np.int64, (value,), type_, loc)
        elif wraps and _is_numbers(type_):
            if is_float(type_):
                # By the types it is a float already: a conversion would be left out
                return self.added(operator.sub, (Const(-0.0), value), type_, loc)
            if into.kind in "fc" and isinstance(type_, Array):
                value = self.converted(value, str(np.result_type(into, type_.dtype)), loc)
            elif into.kind in "fc":
                value = self.added(float, (value,), FLOAT, loc)
            elif isinstance(type_, Scalar):
                value = self.added(np.int64, (value,), INT, loc)
            else:
                value = self.converted(value, str(into), loc)
        return self.added(operator.neg, (value,), type_of(value), loc)

    def converted(self, array: Operand, dtype: str, loc: Loc) -> Value:
        """The array with another dtype."""
        type_ = type_of(array)
        assert isinstance(type_, Array)
        to = Const(np.dtype(dtype).type)
        return self.added(np.ndarray.astype, (array, to), Array(dtype, type_.ndim), loc)

    def choose(self, node: Load, position: Value, count: int) -> None:
        """The item of a tuple at an index that only the run knows, an array or a tuple: chosen by branches."""
        assert isinstance(node.buffer, Value)
        places = self.make_tuple(tuple(map(Const, range(count))), Tuple((INT,) * count), node.loc)
        place = Value("", INT, node.loc)  # not negative; reading it fails where reading the item would
        self.out.append(Apply(place, operator.getitem, (places, position), node.loc))
        *others, chosen = (self.item(node.buffer, number, node.loc) for number in range(count))
        branches: tuple[Node, ...] = ()
        for number, item in reversed(list(enumerate(others))):
            test = Value("", Scalar("bool"), node.loc)
            result = Value("", node.result.type, node.loc) if number else node.result
            sides = Block((), (), (item,)), Block((), branches, (chosen,))
            branches = (
                Apply(test, operator.eq, (place, Const(number)), node.loc),
                If(test, *sides, (result,), node.loc),
            )
            chosen = result
        if others:
            self.nodes(branches)
        else:
            self.replaced[node.result] = chosen

    def apply(self, node: Apply) -> None:
        """Rewrite a call: read items and fields of known tuples directly, and write in-place operators as stores or plain operators."""
        function, operands = node.function, node.operands
        first = operands[0] if operands else None
        base = type_of(first) if first is not None else None
        if function is operator.getitem and isinstance(operands[1], Const):
            self.load(Load(node.result, operands[0], (operands[1],), node.loc))
        elif function is getattr and isinstance(base, Tuple) and isinstance(operands[1], Const):
            assert isinstance(first, Value)
            self.replaced[node.result] = self.item(first, base.names.index(operands[1].value), node.loc)
        elif function is tuple or (isinstance(node.result.type, Tuple) and function is node.result.type.cls):
            self.out.append(node)
            self.tuples[node.result] = operands
        elif function in (operator.add, operator.iadd) and isinstance(node.result.type, Tuple):
            items = [self.item(operand, k, node.loc) for operand in operands for k in range(_length(operand))]
            self.replaced[node.result] = self.make_tuple(tuple(items), node.result.type, node.loc)
        elif function is taken_away:
            self.taken_away[node.result] = operands[0]
        elif function is kept_in:
            self.replaced[node.result] = operands[1]
        elif function is divides_by_zero:
            if any(isinstance(type_of(operand), Array) for operand in operands):
                self.replaced[node.result] = Const(False)
            else:
                self.out.append(Apply(node.result, operator.eq, (operands[1], Const(0)), node.loc))
        elif function in (operator.is_, operator.is_not) and _alike(operands):
            compared = operator.eq if function is operator.is_ else operator.ne
            self.out.append(Apply(node.result, compared, operands, node.loc))
        elif function is changed_to:
            self.change(node)
        elif operation(function).in_place and isinstance(base, Array):
            assert isinstance(first, Value)
            self.update(node, first, base)
        elif function is np.ndarray.copy:
            self.out.append(dataclasses.replace(node, function=np.copy))
        elif operation(function).in_place:
            self.out.append(dataclasses.replace(node, function=canonical(function)))
        elif isinstance(node.result.type, Tuple) and function is not operator.getitem:
            self.out.append(node)  # a function with several results: each is read once
            parts = self.take_apart(node.result, node.result.type, node.result.name, node.loc)
            self.replaced[node.result] = parts
        else:
            self.out.append(node)

    def change(self, node: Apply) -> None:
        """`old op= more` without derivative: the new value and, for its derivative, the zero by which `old` is not itself."""
        old, new = node.operands
        type_ = node.result.type
        if isinstance(old, Value) and isinstance(type_, Array | Scalar) and is_float(type_):
            new = self.added(operator.add, (new, self.zero_of(old, node.loc)), type_, node.loc)
        self.replaced[node.result] = new
        if isinstance(type_, Array) and isinstance(old, Value):
            self.out.append(Store(old, (Dots(),), new, node.loc))
            self.replaced[node.result] = old

    def zero_of(self, old: Value, loc: Loc) -> Value:
        """`old` minus itself without derivative, also where it is infinite."""
        type_ = old.type
        flags = Array("bool", type_.ndim) if isinstance(type_, Array) else Scalar("bool")
        own = self.added(np.copy, (old,), type_, loc) if isinstance(type_, Array) else old
        plain = self.added(stop_gradient, (own,), type_, loc)
        zero = self.added(operator.sub, (old, plain), type_, loc)
        finite = self.added(np.isfinite, (plain,), flags, loc)
        return self.added(np.where, (finite, zero, Const(0.0)), type_, loc)

    def added(self, function: object, operands: tuple[Operand, ...], type_: Type | None, loc: Loc) -> Value:
        """The result of one more node."""
        result = Value("", type_, loc)
        self.out.append(Apply(result, function, operands, loc))
        return result

    def update(self, node: Apply, target: Value, type_: Array) -> None:
        """`target op= value` of a whole array writes in place."""
        value = node.operands[1]
        index: Index = (Dots(),)
        if node.function is operator.iadd:
            self.out.append(Store(target, index, value, node.loc, accumulate=True))
        elif node.function is operator.isub and not _is_kept_whole(type_, value):
            negative = self.negative(value, type_, node.loc, wraps=node.result in self.wrapping)
            self.out.append(Store(target, index, negative, node.loc, accumulate=True))
        else:
            changed = Value("", Array(type_.dtype, type_.ndim), node.loc)
            self.out.append(Apply(changed, canonical(node.function), (target, value), node.loc))
            self.out.append(Store(target, index, changed, node.loc))
        self.replaced[node.result] = target


def _is_kept_whole(type_: Array, amount: Operand) -> bool:
    """Whether a whole number is taken from whole numbers that wrap around."""
    number = type_of(amount)
    return type_.dtype in WRAPPING[1:] and isinstance(number, Scalar) and number.dtype in ("int64", *WRAPPING)


def _is_numbers(type_: Type | None) -> TypeGuard[Scalar | Array]:
    """Whether the type is that of a number or of an array."""
    return isinstance(type_, Scalar | Array)


def _dtype_of_items(target: Type | None) -> str:
    """The dtype of the items of an array or a list of numbers."""
    item = target.item if isinstance(target, List) else target
    return item.dtype if _is_numbers(item) else FLOAT.dtype


def _alike(operands: tuple[Operand, ...]) -> bool:
    """Whether the operands are numbers of one type, whose identity is that they are equal, as in Numba."""
    types = {type_of(each) for each in operands}
    return len(types) == 1 and all(isinstance(each, Scalar) for each in types)


def _length(operand: Operand) -> int:
    """The length of a tuple operand."""
    if isinstance(operand, Const) and isinstance(operand.value, tuple):
        return len(operand.value)
    type_ = type_of(operand)
    assert isinstance(type_, Tuple)
    return len(type_.items)


def _flat(items: tuple[object, ...]) -> list[Operand]:
    """The items of a constant tuple, nested tuples flattened, in order."""
    found: list[Operand] = []
    for item in items:
        found += _flat(item) if isinstance(item, tuple) else [Const(item)]
    return found


def _leaves(type_: Tuple) -> int:
    """How many items a tuple has, those of nested tuples counted."""
    return sum(_leaves(item) if isinstance(item, Tuple) else 1 for item in type_.items)


def _tuples(parameters: Sequence[Value]) -> tuple[tuple[Value, Tuple], ...]:
    return tuple((value, value.type) for value in parameters if isinstance(value.type, Tuple))
