"""Turn each list of numbers into an array, which grows, and a count of the list's entries.

`xs = []` makes no array yet: it is made where the first append can happen. `xs.append(v)` stores `v` at the place `count`, and
adds one to the count. Before a loop whose trip count is known, the array is enlarged for all that the loop can append;
elsewhere each append enlarges the array when it is full. A loop or a branch that carries or yields a list carries the array of
its entries; what receives it is a list again, and is copied before it is appended to. A list of lists becomes a list of arrays, which is
handed the array of each list that is put into it. After this pass, no list of numbers is left.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from backsweep.analysis.append_bounds import AppendBound
from backsweep.analysis.list_aliases import (
    handed_on,
    is_list_of_lists,
    is_list_of_numbers,
    lengthened_or_shortened,
    list_text,
    refuse_two_names,
    shared_rows,
    two_names,
)
from backsweep.analysis.trip_counts import iteration
from backsweep.diagnostics import Loc, Problem, UnsupportedError
from backsweep.ir.build import Builder, named_dtype
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
from backsweep.ir.walk import Rename, blocks, operands, rename_operands, results, walk, with_body
from backsweep.legalise.lists.kept_numbers import refuse_rounding
from backsweep.runtime.lists.results import unlisted
from backsweep.runtime.lists.sequences import shortened
from backsweep.runtime.tape import grown, reserved

SMALLEST = 8
"""Entries of an array about which nothing is known when it is made."""
WHOLE = {
    sum: np.sum,
    min: np.min,
    max: np.max,
    np.array: np.copy,
    np.asarray: np.copy,
    list: np.copy,
    unlisted: np.copy,
}
"""What a function of a list is as a function of an array."""


@dataclass(slots=True)
class Growing:
    """The state of a list at one place of the program: its array (None if it is not made yet), and the count of its entries.

    The array has at least `capacity` entries. It has `size` entries if `size` is not None.
    """

    array: Value | None
    count: Operand
    capacity: int = 0
    size: Operand | None = None

    def is_full(self) -> bool:
        """Whether the list's entries certainly fill the array."""
        if isinstance(self.count, Const) and isinstance(self.size, Const):
            return bool(self.count.value == self.size.value)
        return self.count is self.size


def lists_to_arrays(function: Function) -> Function:
    """The same program with an array in place of each list of numbers, also of lists of the caller's that it writes."""
    kept = {node.buffer for node in walk(function.body) if isinstance(node, Store)}
    kept |= {value for node in walk(function.body) for value in lengthened_or_shortened(node)}
    kept |= handed_on(function)
    caller_lists = tuple(
        each for each in function.body.parameters if each in kept and is_list_of_numbers(each.type)
    )
    if not caller_lists and not any(
        is_list_of_numbers(result.type) or is_list_of_lists(result.type)
        for node in walk(function.body)
        for result in results(node)
    ):
        return function
    refuse_two_names(function)
    return with_body(function, _Lists(function).program(function.body, caller_lists))


class _Lists:
    """Rebuilds blocks in program order.

    `now` is the state of each list at the place that is being rebuilt. `reserved_ahead` are the lists whose arrays are
    large enough for every append of the loop or branch around this place.
    """

    def __init__(self, function: Function) -> None:
        self.builder = Builder(loc=function.loc)
        self.append_bound = AppendBound(function)
        self.now: dict[Value, Growing] = {}
        self.replaced: dict[Value, Operand] = {}
        self.entries: dict[Value, Value] = {}
        """For a list that a loop or a branch hands on: the array that arrives."""
        self.shared = shared_rows(function)
        self.reserved_ahead: set[Value] = set()
        self.nonnegative: set[Operand] = set()
        """Values that are not negative: indices of loops, and what a test that raises has shown."""

    def rename(self, operand: Operand) -> Operand:
        while isinstance(operand, Value) and operand in self.replaced:
            operand = self.replaced[operand]
        return operand

    def program(self, block: Block, caller_lists: tuple[Value, ...]) -> Block:
        """The body of the program, which copies `caller_lists`, the lists of the caller's that it writes, at its start."""
        with self.builder.block(*block.parameters) as made:
            self.copy_caller_lists(caller_lists)
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
        """Rebuild the block of a loop or a branch, with further `parameters`, and the counts of the `touched` lists as further yields."""
        with self.builder.block(*self.receivers(block.parameters), *parameters) as made:
            before()
            self.receive(block.parameters)
            nonnegative = set(self.nonnegative)
            self.nodes(block.nodes)
            self.nonnegative = nonnegative
            made.yields = (*map(self.handed, block.yields), *self.state(touched))
        return made.finish()

    def nodes(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            self.builder.loc = node.loc
            for row, first in self.shared.items():
                if first is node and not self.now[row].is_full():
                    self.copy_whole(row)
            self.node(node)

    def handed(self, operand: Operand) -> Operand:
        """What a loop or a branch yields for an operand: for a list, the array of its present entries."""
        if not isinstance(operand, Value) or operand not in self.now:
            return self.rename(operand)
        growing = self.now[operand]
        if growing.array is None:
            self.make(operand, growing.count)
        return growing.array if growing.array and growing.is_full() else self.part(operand)

    def receivers(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        """The values that receive what is yielded, with an array in the place of each list of numbers."""
        lists = [each for each in values if is_list_of_numbers(each.type)]
        self.entries |= {each: dataclasses.replace(each, type=_array_type(each)) for each in lists}
        return tuple(self.entries.get(each) or self.of_arrays(each) for each in values)

    def of_arrays(self, value: Value) -> Value:
        """The list of arrays that a list of lists becomes; any other value unchanged."""
        if not is_list_of_lists(value.type):
            return value
        assert isinstance(value.type, List)
        assert isinstance(value.type.item, List)
        made = dataclasses.replace(value, type=List(_array_type_of(value.type.item)))
        self.replaced[value] = made
        return made

    def row(self, operand: Operand, loc: Loc) -> Operand:
        """The array that a list of lists is handed for one of its lists."""
        if not isinstance(operand, Value) or operand not in self.now:
            return self.rename(operand)
        growing = self.now[operand]
        if growing.array is None:
            self.make(operand, growing.count)
        if growing.is_full():
            return self.array(operand)
        if operand in self.shared:
            raise two_names(operand, loc)
        return self.builder.apply(np.copy, self.part(operand), name=operand.name, type=_array_type(operand))

    def copy_whole(self, row: Value) -> None:
        """Go on with an array that has no room for more: the list is put into another one, which is to see what is written."""
        self.copy(row, self.part(row), whole=True)

    def receive(self, values: tuple[Value, ...]) -> None:
        """Begin the lists among these values with the arrays that were received for them."""
        for each in values:
            if each not in self.entries:
                continue
            entries = self.entries[each]
            if each in self.append_bound.appended | self.append_bound.shortened:
                self.copy(each, entries)
            else:
                count = self.builder.apply(np.size, entries, type=INT)
                self.now[each] = Growing(entries, count, size=count)

    def copy_caller_lists(self, caller_lists: tuple[Value, ...]) -> None:
        """Copy the lists that the caller gives, so that writes do not change the caller's lists."""
        for each in caller_lists:
            entries = self.builder.apply(np.array, each, type=_array_type(each))
            self.copy(each, entries)

    def state(self, touched: Iterable[Value]) -> list[Operand]:
        """The counts of these lists, which a loop or a branch yields; their arrays, made now at the latest, stay the same."""
        found: list[Operand] = []
        for each in touched:
            self.array(each)
            found.append(self.now[each].count)
        return found

    def node(self, node: Node) -> None:
        """Rebuild one node: it may make a list, append to one, read one, or hold blocks that do."""
        match node:
            case Apply(result=Value(type=List(item=Scalar())), function=function) if function is list:
                self.now[node.result] = Growing(None, Const(0))
                if len(node.operands) > SMALLEST or (
                    node.operands and node.result not in self.append_bound.appended
                ):
                    self.make(node.result, Const(len(node.operands)))
                for operand in node.operands:
                    self.append(Append(node.result, operand, node.loc))
            case (
                Apply(result=Value(type=type_))
                | Append(buffer=Value(type=type_))
                | Store(buffer=Value(type=type_))
                | Load(buffer=Value(type=type_))
            ) if is_list_of_lists(type_):
                self.of_lists(node)
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
                refuse_rounding(node)
                array, index = self.place(buffer, node.index[0])
                self.builder.add(
                    dataclasses.replace(node, buffer=array, index=(index,), value=self.rename(node.value))
                )
            case Store(buffer=Value(type=List()) as buffer) if is_list_of_numbers(buffer.type):
                raise _refused(buffer, node.loc)
            case Apply():
                self.apply(node)
            case If() | For() | While():
                self.regions(node)
            case _:
                for operand in operands(node):
                    self.check(operand, node.loc)
                self.builder.add(rename_operands(node, self.rename))

    def of_lists(self, node: Node) -> None:
        """Rebuild a node that makes, changes or reads a list of lists, which becomes a list of arrays."""
        renamed = rename_operands(node, self.rename)
        match node, renamed:
            case Apply(result=result, function=function, operands=rows), Apply():
                made = self.of_arrays(result)
                is_display = function is list
                self.builder.add(
                    dataclasses.replace(renamed, result=made, operands=() if is_display else renamed.operands)
                )
                for each in rows if is_display else ():
                    self.builder.add(Append(made, self.row(each, node.loc), node.loc))
            case Append(value=value) | Store(value=value), Append() | Store():
                self.builder.add(dataclasses.replace(renamed, value=self.row(value, node.loc)))
            case Load(result=result), Load():
                (arrived,) = self.receivers((result,))
                self.builder.add(dataclasses.replace(renamed, result=arrived))
                self.receive((result,))
            case _:
                raise AssertionError(node)

    def apply(self, node: Apply) -> None:
        """Rebuild a call: `len` of a list is its count, and a function of a list is the function of its array."""
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
        """The array and the index to access an entry; for an index that may count from the end, the array is cut to the entries."""
        growing = self.now[buffer]
        if isinstance(index, Const) and index.value < 0 and not self.is_all(buffer):
            count = growing.count
            if isinstance(count, Const):
                return self.array(buffer), Const(count.value + index.value)
            index = self.builder.apply(operator.sub, count, Const(-index.value), type=INT)
            return self.array(buffer), index
        assert isinstance(index, Value | Const)
        index = self.rename(index)
        if self.is_all(buffer) or self.is_nonnegative(index):
            return self.array(buffer), index
        return self.part(buffer), index

    def part_of(self, result: Value, buffer: Value, part: Slice) -> None:
        """Rebuild `xs[1:]`: a new list with a copy of these entries."""
        whole = self.part(buffer)
        bounds = [None if each is None else self.rename(each) for each in (part.start, part.stop, part.step)]
        view = self.builder.view(whole, (Slice(*bounds),), type=Array(_array_type(buffer).dtype, 1, "A"))
        self.copy(result, view)

    def copy(self, buffer: Value, entries: Value, *, whole: bool = False) -> None:
        """Begin a list with a copy of these entries; for a list that grows, into an array of its own, whose shape its adjoint has."""
        if whole or buffer not in self.append_bound.appended:
            array = self.builder.apply(np.copy, entries, name=buffer.name, type=_array_type(buffer))
            count = self.builder.apply(np.size, array, type=INT)
        else:
            count = self.builder.apply(np.size, entries, type=INT)
            array = self.empty(buffer, count)
            self.builder.store(array, (Slice(None, count, None),), entries)
        self.now[buffer] = Growing(array, count, size=count)

    def is_nonnegative(self, operand: Operand) -> bool:
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
                return self.is_nonnegative(left) and self.is_nonnegative(right)
            case Apply(function=function, operands=each) if function is max:
                return any(map(self.is_nonnegative, each))
            case _:
                return operand in self.nonnegative

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
        growing.capacity = size.value if isinstance(size, Const) and not size.name else 0

    def is_all(self, buffer: Value) -> bool:
        """Whether the array holds the list's entries and nothing else, now and when the reverse sweep reads it."""
        return self.now[buffer].is_full() and buffer not in self.append_bound.appended

    def part(self, buffer: Value) -> Value:
        """A view of the array with the list's entries; the array itself, if they fill it."""
        array = self.array(buffer)
        if self.is_all(buffer):
            return array
        return self.builder.view(array, (Slice(None, self.now[buffer].count, None),), type=array.type)

    def empty(self, buffer: Value, capacity: Operand) -> Value:
        """A new array for so many entries of the list."""
        type_ = _array_type(buffer)
        return self.builder.apply(np.empty, capacity, named_dtype(type_.dtype), name=buffer.name, type=type_)

    def append(self, node: Append) -> None:
        """Append an entry: store it at the place `count`, after enlarging the array if it may be full."""
        buffer = node.buffer
        array = self.array(buffer)
        growing = self.now[buffer]
        fits = isinstance(growing.count, Const) and growing.count.value < growing.capacity
        if buffer not in self.reserved_ahead and not fits:
            array = self.grow(buffer)
        self.check(node.value, node.loc)
        self.builder.store(array, (growing.count,), self.rename(node.value), loc=node.loc)
        self.count_on(buffer, Const(1))

    def count_on(self, buffer: Value, more: Operand) -> None:
        """Add a number to the count of a list."""
        growing = self.now[buffer]
        if isinstance(growing.count, Const) and isinstance(more, Const):
            growing.count = Const(growing.count.value + more.value)
        else:
            growing.count = self.builder.apply(
                operator.add, growing.count, more, name=_count(buffer), type=INT
            )

    def grow(self, buffer: Value) -> Value:
        """Enlarge the list's array to twice its size if it is full; returns the array."""
        growing, array = self.now[buffer], self.array(buffer)
        self.builder.add(Grow(array, grown, growing.count, self.builder.loc))
        growing.size = None
        return array

    def ensure(self, buffer: Value, more: Operand) -> None:
        """Enlarge the list's array so that it has room for so many more entries."""
        growing = self.now[buffer]
        if growing.array is None and isinstance(growing.count, Const) and growing.count.value == 0:
            self.make(buffer, more)
            return
        total = self.builder.apply(operator.add, growing.count, more, type=INT)
        self.builder.add(Grow(self.array(buffer), reserved, total, self.builder.loc))
        growing.size, growing.capacity = None, 0

    def regions(self, node: If | For | While) -> None:
        """Rebuild a branch or a loop; the counts of the lists whose length it changes become results of it."""
        inside = {value for each in walk(Block((), (node,), ())) for value in lengthened_or_shortened(each)}
        touched = tuple(each for each in self.now if each in inside)
        with self.reserving(node, touched) as bounds:
            for each in walk(Block((), (node,), ())):  # what a part of it uses is made before all of it
                if isinstance(each, Load | Store | View) and each.buffer in self.now:
                    self.array(each.buffer)
                given = (
                    (each.value,)
                    if isinstance(each, Append | Store)
                    else [part for block in blocks(each) for part in block.yields]
                )
                for value in given:
                    if isinstance(value, Value) and value in self.now and self.now[value].array is None:
                        self.make(value, Const(SMALLEST) if value in touched else self.now[value].count)
            if isinstance(node, If):
                self.branch(node, touched)
            else:
                self.loop(node, touched, bounds)

    @contextmanager
    def reserving(self, node: Node, touched: tuple[Value, ...]) -> Iterator[Mapping[Value, Operand]]:
        """Enlarge arrays before `node` for the appends in it, if their number is known; in this context, appends need no check."""
        reserved_ahead = set(self.reserved_ahead)
        bounds: dict[Value, Operand] = {}
        for each in touched:
            bound = (
                None
                if each in reserved_ahead
                else self.append_bound.bound(node, each, self.builder, self.rename)
            )
            if bound is not None:
                self.ensure(each, bound)
                self.reserved_ahead.add(each)
                bounds[each] = bound
        yield bounds
        self.reserved_ahead = reserved_ahead

    def branch(self, node: If, touched: tuple[Value, ...]) -> None:
        """Rebuild a branch: both sides yield the counts of the lists that one of them appends to."""
        before = {each: dataclasses.replace(self.now[each]) for each in touched if self.array(each)}
        sides = []
        for block in (node.then, node.orelse):
            self.now.update({each: dataclasses.replace(before[each]) for each in touched})
            sides.append(self.block(block, (), touched))
        self.now.update(before)
        added = self.new_counts(touched)
        self.check(node.condition, node.loc)
        condition = self.rename(node.condition)
        results = self.receivers(node.results)
        self.builder.add(If(condition, sides[0], sides[1], (*results, *added), node.loc))
        self.receive(node.results)
        raises = bool(node.then.nodes) and isinstance(node.then.nodes[-1], Raise)
        tests = self.append_bound.definitions
        match tests.get(node.condition) if isinstance(node.condition, Value) and raises else None:
            case Apply(function=operator.lt, operands=(tested, Const(value=0))):
                self.nonnegative.add(tested)
            case _:
                pass

    def new_counts(self, touched: Iterable[Value]) -> tuple[Value, ...]:
        """Make new values for the counts of these lists, which from here on are their counts."""
        made: list[Value] = []
        for each in touched:
            count = self.builder.value(_count(each), INT)
            made.append(count)
            self.now[each] = dataclasses.replace(self.now[each], count=count, size=None)
        return tuple(made)

    def loop(self, node: For | While, touched: tuple[Value, ...], bounds: Mapping[Value, Operand]) -> None:
        """Rebuild a loop: it carries the counts of lists, but for lists to which each iteration appends once: the index tells those."""
        once = [
            each for each in touched if each in self.reserved_ahead and self.append_bound.once(node, each)
        ]
        carried = [each for each in touched if each not in once]
        inits = (*map(self.handed, node.inits), *self.state(carried))
        before = {each: self.now[each].count for each in once}
        if isinstance(node, While):
            tested = self.new_counts(carried)
            node = dataclasses.replace(node, condition=self.block(node.condition, tested))
        else:
            node = _renamed(node, self.rename)
            if self.counts_up(node):
                self.nonnegative.add(node.body.parameters[0])
        parameters = self.new_counts(carried)
        body = self.block(node.body, parameters, tuple(carried), lambda: self.by_index(node, before))
        added = self.new_counts(carried)
        exit_ = None if node.exit is None else self.rename(node.exit)
        results = (*self.receivers(node.results), *added)
        self.builder.add(dataclasses.replace(node, inits=inits, body=body, results=results, exit=exit_))
        self.receive(node.results)
        for each in once:
            assert isinstance(node, For)
            trips = bounds.get(each) or self.append_bound.trips(node, self.builder, self.rename)
            self.now[each].count = self.sum(before[each], trips, _count(each))

    def counts_up(self, node: For) -> bool:
        """Whether the loop's index is certainly never negative."""
        if not isinstance(node.step, Const):
            return False
        if node.step.value > 0:
            return self.is_nonnegative(node.start)
        return self.is_nonnegative(node.stop) or (isinstance(node.stop, Const) and node.stop.value == -1)

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
    return _array_type_of(buffer.type)


def _array_type_of(type_: List) -> Array:
    assert isinstance(type_.item, Scalar)
    return Array(type_.item.dtype, 1)


def _count(buffer: Value) -> str:
    return f"{buffer.name}_count" if buffer.name else ""


def _renamed(node: For, rename: Rename) -> For:
    """The loop with renamed operands in its range."""
    return dataclasses.replace(node, start=rename(node.start), stop=rename(node.stop), step=rename(node.step))


def _refused(buffer: Value, loc: Loc) -> UnsupportedError:
    return UnsupportedError(
        Problem(
            "BS109",
            f"{list_text(buffer)} is used as a whole, but only its items can be differentiated",
            loc,
            "append to it, index it, loop over it, or make an array of it with np.array.",
        )
    )
