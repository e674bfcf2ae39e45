"""Lists of numbers become arrays with room to grow, and a count of what is in them.

`xs = []` is an array, made where the first append can happen; `xs.append(v)` stores behind the last entry. Before a
loop whose trip count is known there is room for all that it can append, elsewhere the array grows when it is full.
A loop or a branch hands on a list as the array of its entries, in the list's own memory. The receiver treats this array
as the list again; before it appends, it copies the array, which is safe because the list has no other name there.
After this pass, differentiation sees no lists of numbers.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from backsweep.analysis.append_bounds import AppendBound
from backsweep.analysis.handed_on import (
    handed_on,
    is_list_of_numbers,
    lengthened_or_shortened,
    list_told,
    refuse_two_names,
)
from backsweep.analysis.trip_counts import iteration
from backsweep.diagnostics import Loc, Problem, UnsupportedError
from backsweep.ir.build import Builder
from backsweep.ir.nodes import (
    Append,
    Apply,
    Block,
    Const,
    For,
    Function,
    Grow,
    If,
    Load,
    Node,
    Operand,
    Raise,
    Slice,
    Store,
    Value,
    View,
    While,
)
from backsweep.ir.operations import Kind, kind
from backsweep.ir.types import INT, Array, List, Scalar
from backsweep.ir.walk import Rename, operands, rename_operands, results, walk, with_body
from backsweep.runtime.sequences import shortened
from backsweep.runtime.tape import grown, reserved

SMALLEST = 8
"""Entries of an array about which nothing is known when it is made."""
WHOLE = {sum: np.sum, min: np.min, max: np.max, np.array: np.copy, np.asarray: np.copy, list: np.copy}
"""What a function of a list is as a function of an array."""


@dataclass(slots=True)
class Growing:
    """A list as it stands at one place of the program: its array, unless none is made yet, and its length.

    The array certainly has `room` for so many entries, and exactly `size` where that is known.
    """

    array: Value | None
    count: Operand
    room: int = 0
    size: Operand | None = None

    def is_full(self) -> bool:
        """Whether the array is certainly all entries."""
        if isinstance(self.count, Const) and isinstance(self.size, Const):
            return bool(self.count.value == self.size.value)
        return self.count is self.size


def lists_to_arrays(function: Function) -> Function:
    """The same program with arrays for all lists of numbers, those that the caller gives and the program writes too."""
    kept = {node.buffer for node in walk(function.body) if isinstance(node, Store)}
    kept |= {value for node in walk(function.body) for value in lengthened_or_shortened(node)}
    kept |= handed_on(function)
    given = tuple(each for each in function.body.parameters if each in kept and is_list_of_numbers(each.type))
    if not given and not any(
        is_list_of_numbers(result.type) for node in walk(function.body) for result in results(node)
    ):
        return function
    refuse_two_names(function)
    return with_body(function, _Lists(function).program(function.body, given))


class _Lists:
    """Rebuilds blocks in program order; `now` holds the present state of each list, `roomy` the lists with spare room."""

    def __init__(self, function: Function) -> None:
        self.builder = Builder(loc=function.loc)
        self.append_bound = AppendBound(function)
        self.now: dict[Value, Growing] = {}
        self.replaced: dict[Value, Operand] = {}
        self.entries: dict[Value, Value] = {}
        """For a list that a loop or a branch hands on: the array that arrives."""
        self.roomy: set[Value] = set()
        self.natural: set[Operand] = set()
        """Values that are not negative: indices of loops, and what a test that raises has shown."""

    def rename(self, operand: Operand) -> Operand:
        while isinstance(operand, Value) and operand in self.replaced:
            operand = self.replaced[operand]
        return operand

    def program(self, block: Block, given: tuple[Value, ...]) -> Block:
        """The program's block, with copies of the lists that it is `given` and writes."""
        with self.builder.block(*block.parameters) as made:
            self.copy_given(given)
            self.nodes(block.nodes)
            for operand in block.yields:
                self.check(operand, None)
            made.yields = tuple(map(self.rename, block.yields))
        return made.finish()

    def block(
        self,
        block: Block,
        parameters: tuple[Value, ...],
        touched: tuple[Value, ...] = (),
        before: Callable[[], None] = lambda: None,
    ) -> Block:
        """A loop's or a branch's block with arrays; it also takes `parameters` and yields what the `touched` lists have become."""
        with self.builder.block(*self.arriving(block.parameters), *parameters) as made:
            before()
            self.arrive(block.parameters)
            natural = set(self.natural)
            self.nodes(block.nodes)
            self.natural = natural
            made.yields = (*map(self.handed, block.yields), *self.state(touched))
        return made.finish()

    def nodes(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            self.builder.loc = node.loc
            self.node(node)

    def handed(self, operand: Operand) -> Operand:
        """The operand that a loop or a branch hands on: for a list, the array of its present entries."""
        if not isinstance(operand, Value) or operand not in self.now:
            return self.rename(operand)
        growing = self.now[operand]
        if growing.array is None:
            self.make(operand, growing.count)
        return growing.array if growing.array and growing.is_full() else self.part(operand)

    def arriving(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        """The values that receive what loops and branches hand on, with arrays for lists of numbers."""
        lists = [each for each in values if is_list_of_numbers(each.type)]
        self.entries |= {each: dataclasses.replace(each, type=_array_type(each)) for each in lists}
        return tuple(self.entries.get(each, each) for each in values)

    def arrive(self, values: tuple[Value, ...]) -> None:
        """The lists among these begin as the arrays that were handed on."""
        for each in values:
            if each not in self.entries:
                continue
            entries = self.entries[each]
            if each in self.append_bound.appended | self.append_bound.shortened:
                self.copy(each, entries)
            else:
                count = self.builder.apply(np.size, entries, type=INT)
                self.now[each] = Growing(entries, count, size=count)

    def copy_given(self, given: tuple[Value, ...]) -> None:
        """Copy the lists that the caller gives, so that writes do not change the caller's lists."""
        for each in given:
            entries = self.builder.apply(np.array, each, type=_array_type(each))
            self.copy(each, entries)

    def state(self, touched: Iterable[Value]) -> list[Operand]:
        """What loops and branches hand on of the lists, whose arrays are there: the counts."""
        found: list[Operand] = []
        for each in touched:
            self.array(each)
            found.append(self.now[each].count)
        return found

    def node(self, node: Node) -> None:
        """One node: lists in it are made, appended to, read, or threaded through its blocks."""
        match node:
            case Apply(result=Value(type=List(item=Scalar())), function=function) if function is list:
                self.now[node.result] = Growing(None, Const(0))
                if len(node.operands) > SMALLEST or (
                    node.operands and node.result not in self.append_bound.appended
                ):
                    self.make(node.result, Const(len(node.operands)))
                for operand in node.operands:
                    self.append(Append(node.result, operand, node.loc))
            case Append(buffer=buffer) if buffer in self.now:
                self.append(node)
            case Load(buffer=Value() as buffer, index=(Slice() as part,)) if buffer in self.now:
                self.part_of(node.result, buffer, part)
            case Load(buffer=Value() as buffer) if buffer in self.now:
                array, index = self.place(buffer, node.index[0])
                self.builder.add(dataclasses.replace(node, buffer=array, index=(index,)))
            case View(buffer=buffer) if buffer in self.now:
                self.builder.add(
                    rename_operands(dataclasses.replace(node, buffer=self.part(buffer)), self.rename)
                )
            case Store(buffer=buffer) if buffer in self.now:
                array, index = self.place(buffer, node.index[0])
                self.builder.add(
                    dataclasses.replace(node, buffer=array, index=(index,), value=self.rename(node.value))
                )
            case Store(buffer=Value(type=List()) as buffer):
                raise _refused(buffer, node.loc)
            case Apply():
                self.apply(node)
            case If() | For() | While():
                self.regions(node)
            case _:
                for operand in operands(node):
                    self.check(operand, node.loc)
                self.builder.add(rename_operands(node, self.rename))

    def apply(self, node: Apply) -> None:
        """A function: of a list, the same function of its array; the length of a list is the count."""
        lists = [each for each in node.operands if isinstance(each, Value) and each in self.now]
        if not lists:
            for operand in node.operands:
                self.check(operand, node.loc)
            self.builder.add(rename_operands(node, self.rename))
            return
        if node.function is shortened:
            self.now[lists[0]].count = self.rename(node.operands[1])
            return
        if node.function is len:
            self.replaced[node.result] = self.now[lists[0]].count
            return
        if (
            node.function not in WHOLE
            or len(node.operands) != 1
            or not isinstance(node.result.type, Array | Scalar)
        ):
            raise _refused(lists[0], node.loc)
        part = self.part(lists[0])
        self.builder.add(dataclasses.replace(node, function=WHOLE[node.function], operands=(part,)))

    def check(self, operand: Operand, loc: Loc | None) -> None:
        """Refuse a list that is used as a whole."""
        if isinstance(operand, Value) and operand in self.now:
            raise _refused(operand, loc or operand.loc)

    def place(self, buffer: Value, index: object) -> tuple[Value, Operand]:
        """The array and the index of an entry; one that may count from the end looks at the entries there are."""
        growing = self.now[buffer]
        if isinstance(index, Const) and index.value < 0 and not self.is_all(buffer):
            count = growing.count
            if isinstance(count, Const):
                return self.array(buffer), Const(count.value + index.value)
            index = self.builder.apply(operator.sub, count, Const(-index.value), type=INT)
            return self.array(buffer), index
        assert isinstance(index, Value | Const)
        index = self.rename(index)
        if self.is_all(buffer) or self.is_natural(index):
            return self.array(buffer), index
        return self.part(buffer), index

    def part_of(self, result: Value, buffer: Value, part: Slice) -> None:
        """`xs[1:]`: another list with some of the entries."""
        whole = self.part(buffer)
        bounds = [None if each is None else self.rename(each) for each in (part.start, part.stop, part.step)]
        view = self.builder.view(whole, (Slice(*bounds),), type=Array(_array_type(buffer).dtype, 1, "A"))
        self.copy(result, view)

    def copy(self, buffer: Value, entries: Value) -> None:
        """A list begins with these entries; one that grows has an adjoint of another shape than they have."""
        if buffer not in self.append_bound.appended:
            array = self.builder.apply(np.copy, entries, name=buffer.name, type=_array_type(buffer))
            count = self.builder.apply(np.size, array, type=INT)
        else:
            count = self.builder.apply(np.size, entries, type=INT)
            array = self.empty(buffer, count)
            self.builder.store(array, (Slice(None, count, None),), entries)
        self.now[buffer] = Growing(array, count, size=count)

    def is_natural(self, operand: Operand) -> bool:
        """Whether an index is certainly not negative."""
        if isinstance(operand, Const):
            return isinstance(operand.value, int) and operand.value >= 0
        node = self.append_bound.definitions.get(operand)
        match node:
            case Apply(function=function) if kind(function) is Kind.EXTENT:
                return True
            case Apply(function=operator.mod, operands=(_, Const(value=int() as by))):
                return by > 0
            case Apply(function=operator.add | operator.mul | operator.floordiv, operands=(left, right)):
                return self.is_natural(left) and self.is_natural(right)
            case Apply(function=function, operands=each) if function is max:
                return any(map(self.is_natural, each))
            case _:
                return operand in self.natural

    def array(self, buffer: Value) -> Value:
        """The list's array, made now if there is none yet."""
        growing = self.now[buffer]
        if growing.array is None:
            self.make(buffer, Const(SMALLEST))
        assert growing.array is not None
        return growing.array

    def make(self, buffer: Value, size: Operand) -> None:
        """Give the list its first array."""
        growing = self.now[buffer]
        growing.array, growing.size = self.empty(buffer, size), size
        growing.room = size.value if isinstance(size, Const) and not size.name else 0

    def is_all(self, buffer: Value) -> bool:
        """Whether the entries fill the list's array, and its adjoint, whose size is the array's final room."""
        return self.now[buffer].is_full() and buffer not in self.append_bound.appended

    def part(self, buffer: Value) -> Value:
        """The entries that there are, as an array."""
        array = self.array(buffer)
        if self.is_all(buffer):
            return array
        return self.builder.view(array, (Slice(None, self.now[buffer].count, None),), type=array.type)

    def empty(self, buffer: Value, room: Operand) -> Value:
        """A fresh array for the list's entries."""
        type_ = _array_type(buffer)
        dtype = Const(np.bool_ if type_.dtype == "bool" else getattr(np, type_.dtype))
        return self.builder.apply(np.empty, room, dtype, name=buffer.name, type=type_)

    def append(self, node: Append) -> None:
        """An entry behind the last, in an array that grows if it may be full."""
        buffer = node.buffer
        array = self.array(buffer)
        growing = self.now[buffer]
        fits = isinstance(growing.count, Const) and growing.count.value < growing.room
        if buffer not in self.roomy and not fits:
            array = self.grow(buffer)
        self.check(node.value, node.loc)
        self.builder.store(array, (growing.count,), self.rename(node.value), loc=node.loc)
        self.count_on(buffer, Const(1))

    def count_on(self, buffer: Value, more: Operand) -> None:
        """The list is longer by so many entries."""
        growing = self.now[buffer]
        if isinstance(growing.count, Const) and isinstance(more, Const):
            growing.count = Const(growing.count.value + more.value)
        else:
            growing.count = self.builder.apply(
                operator.add, growing.count, more, name=_count(buffer), type=INT
            )

    def grow(self, buffer: Value) -> Value:
        """The array, with twice the room if it is full."""
        growing, array = self.now[buffer], self.array(buffer)
        self.builder.add(Grow(array, grown, growing.count, self.builder.loc))
        growing.size = None
        return array

    def ensure(self, buffer: Value, more: Operand) -> None:
        """Room for so many more entries."""
        growing = self.now[buffer]
        if growing.array is None and isinstance(growing.count, Const) and growing.count.value == 0:
            self.make(buffer, more)
            return
        total = self.builder.apply(operator.add, growing.count, more, type=INT)
        self.builder.add(Grow(self.array(buffer), reserved, total, self.builder.loc))
        growing.size, growing.room = None, 0

    def regions(self, node: If | For | While) -> None:
        """Lists that a node with blocks appends to become results of it."""
        inside = {value for each in walk(Block((), (node,), ())) for value in lengthened_or_shortened(each)}
        touched = tuple(each for each in self.now if each in inside)
        with self.made_room(node, touched) as bounds:
            if isinstance(node, If):
                self.branch(node, touched)
            else:
                self.loop(node, touched, bounds)

    @contextmanager
    def made_room(self, node: Node, touched: tuple[Value, ...]) -> Iterator[Mapping[Value, Operand]]:
        """A context in which appends in `node` need no check for room, if their number is known before the node."""
        roomy = set(self.roomy)
        bounds: dict[Value, Operand] = {}
        for each in touched:
            bound = None if each in roomy else self.append_bound.bound(node, each, self.builder, self.rename)
            if bound is not None:
                self.ensure(each, bound)
                self.roomy.add(each)
                bounds[each] = bound
        yield bounds
        self.roomy = roomy

    def branch(self, node: If, touched: tuple[Value, ...]) -> None:
        """Both sides hand on what the lists have become there."""
        before = {each: dataclasses.replace(self.now[each]) for each in touched if self.array(each)}
        sides = []
        for block in (node.then, node.orelse):
            self.now.update({each: dataclasses.replace(before[each]) for each in touched})
            sides.append(self.block(block, (), touched))
        self.now.update(before)
        added = self.become(touched)
        self.check(node.condition, node.loc)
        condition = self.rename(node.condition)
        results = self.arriving(node.results)
        self.builder.add(If(condition, sides[0], sides[1], (*results, *added), node.loc))
        self.arrive(node.results)
        tests = self.append_bound.definitions
        match tests.get(node.condition) if isinstance(node.condition, Value) else None:
            case Apply(function=operator.lt, operands=(tested, Const(value=0))) if _raises(node.then):
                self.natural.add(tested)
            case _:
                pass

    def become(self, touched: Iterable[Value]) -> tuple[Value, ...]:
        """New values for what is handed on of the lists."""
        made: list[Value] = []
        for each in touched:
            count = self.builder.value(_count(each), INT)
            made.append(count)
            self.now[each] = dataclasses.replace(self.now[each], count=count, size=None)
        return tuple(made)

    def loop(self, node: For | While, touched: tuple[Value, ...], bounds: Mapping[Value, Operand]) -> None:
        """A loop that carries arrays and counts; where each iteration appends once, the index tells the count."""
        once = [each for each in touched if each in self.roomy and self.append_bound.once(node, each)]
        carried = [each for each in touched if each not in once]
        inits = (*map(self.handed, node.inits), *self.state(carried))
        before = {each: self.now[each].count for each in once}
        if isinstance(node, While):
            tested = self.become(carried)
            node = dataclasses.replace(node, condition=self.block(node.condition, tested))
        else:
            node = _renamed(node, self.rename)
            if self.counts_up(node):
                self.natural.add(node.body.parameters[0])
        parameters = self.become(carried)
        body = self.block(node.body, parameters, tuple(carried), lambda: self.by_index(node, before))
        added = self.become(carried)
        exit_ = None if node.exit is None else self.rename(node.exit)
        results = (*self.arriving(node.results), *added)
        self.builder.add(dataclasses.replace(node, inits=inits, body=body, results=results, exit=exit_))
        self.arrive(node.results)
        for each in once:
            assert isinstance(node, For)
            trips = bounds.get(each) or self.append_bound.trips(node, self.builder, self.rename)
            self.now[each].count = self.sum(before[each], trips, _count(each))

    def counts_up(self, node: For) -> bool:
        """Whether the loop's index is certainly never negative."""
        if not isinstance(node.step, Const):
            return False
        if node.step.value > 0:
            return self.is_natural(node.start)
        return self.is_natural(node.stop) or (isinstance(node.stop, Const) and node.stop.value == -1)

    def by_index(self, node: For | While, before: Mapping[Value, Operand]) -> None:
        """At the top of a body that appends once in each iteration: compute the count from the index."""
        for each, count in before.items():
            assert isinstance(node, For)
            self.now[each].count = self.sum(count, iteration(node, self.builder), _count(each))

    def sum(self, first: Operand, second: Operand, name: str) -> Operand:
        if isinstance(first, Const) and first.value == 0:
            return second
        if isinstance(first, Const) and isinstance(second, Const):
            return Const(first.value + second.value)
        return self.builder.apply(operator.add, first, second, name=name, type=INT)


def _array_type(buffer: Value) -> Array:
    assert isinstance(buffer.type, List)
    assert isinstance(buffer.type.item, Scalar)
    return Array(buffer.type.item.dtype, 1)


def _count(buffer: Value) -> str:
    return f"{buffer.name}_count" if buffer.name else ""


def _raises(block: Block) -> bool:
    """Whether the block ends by raising an error."""
    return bool(block.nodes) and isinstance(block.nodes[-1], Raise)


def _renamed(node: For, rename: Rename) -> For:
    """The loop with renamed operands in its range."""
    return dataclasses.replace(node, start=rename(node.start), stop=rename(node.stop), step=rename(node.step))


def _refused(buffer: Value, loc: Loc) -> UnsupportedError:
    return UnsupportedError(
        Problem(
            "BS109",
            f"{list_told(buffer)} is used as a whole, but only its items can be differentiated",
            loc,
            "append to it, index it, loop over it, or make an array of it with np.array.",
        )
    )
