"""Run a typed program and record each function application and each access to an array, with its operands.

The program runs as plain NumPy. Branches and loops yield and carry the recorded values themselves, so that the record
is the graph of this run. Arrays are written in place; the overwritten entries of each store are kept, so that
`backwards` can undo it.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from backsweep.analysis.alias import Aliases, find_aliases, is_perhaps_view
from backsweep.diagnostics import ArgumentError, Problem
from backsweep.inspect.recording.meanings import as_run
from backsweep.inspect.recording.recorded import Entry, Event, Loop, Recorded, Round
from backsweep.ir.nodes import (
    Append,
    Apply,
    Block,
    Callee,
    Comment,
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
    Tap,
    Undefined,
    Value,
    View,
    While,
)
from backsweep.ir.types import Array, List, Scalar, Tuple, Type
from backsweep.runtime.support.marks import length
from backsweep.runtime.tape import grown
from backsweep.typing.infer import plain

LARGEST = 2**63
MOST_EVENTS = 2_000_000
"""The largest number of events of a run; the record of a longer run would not fit in memory."""
SEEN = 100_000
"""The largest array, among those that are written later, of which a copy is kept to be shown."""


def run(program: Function, args: Sequence[Any]) -> Recorded:
    """Run a typed program for these arguments, one for each parameter; the arguments are not changed."""
    runner = _Runner()
    parameters = program.body.parameters
    with np.errstate(all="ignore"):
        entries = [runner.entry_of(arg, value.type) for value, arg in zip(parameters, args, strict=True)]
        result = runner.call(program, entries)
    named = {value.name: entry for value, entry in zip(parameters, entries, strict=True)}
    return Recorded(program, runner.events, named, result)


def answer(program: Function, entries: Sequence[Entry]) -> Sequence[Entry]:
    """The items of the result of the user's program for entries of a run; this inner run is not recorded."""
    result = _Runner().call(program, [_copied(entry) for entry in entries])
    assert result.items is not None
    return result.items


def _copied(entry: Entry) -> Entry:
    """An entry with the same value for another run."""
    items = None if entry.items is None else [_copied(item) for item in entry.items]
    return Entry(entry.value, entry.type, items=items, seen=entry.value)


class _Runner:
    """Executes nodes; `scope` holds the entries of the function that is being run."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.round: Round | None = None
        self.depth = 0  # of recursive calls, in which the writes of the callers are not known
        self.scope: dict[Value, Entry] = {}
        self.aliases: dict[Function, Aliases] = {}
        self.current: Aliases = None  # type: ignore[assignment]  # `call` sets it before anything reads it

    # Functions and blocks

    def entry_of(self, arg: Any, type_: Type | None) -> Entry:
        """An entry for a number or an array, or for a tuple of them."""
        if isinstance(type_, Tuple):
            items = tuple(self.entry_of(item, part) for item, part in zip(arg, type_.items, strict=True))
            return Entry(arg, type_, items=items)
        if isinstance(arg, np.ndarray):
            return Entry(arg, type_, seen=arg.copy())  # the program copies an argument before it writes to it
        value = _fitted(arg, type_)
        return Entry(value, type_, seen=value)

    def call(self, program: Function, arguments: Sequence[Entry]) -> Entry:
        """Run a function in a scope of its own."""
        if program not in self.aliases:
            self.aliases[program] = find_aliases(program)
        scope, current = self.scope, self.current
        self.scope, self.current = {}, self.aliases[program]
        self.scope.update(zip(program.body.parameters, arguments, strict=True))
        self.block(program.body)
        (result,) = program.body.yields
        found = self.read(result)
        self.scope, self.current = scope, current
        return found

    def block(self, block: Block) -> None:
        """Run the nodes of a block; what they define stays in the scope."""
        for node in block.nodes:
            self.step(node)

    def read(self, operand: Operand) -> Entry:
        """The entry of an operand; the entry of a constant has no event."""
        if isinstance(operand, Value):
            return self.scope[operand]
        value = operand.value
        return Entry(np.float64(value) if type(value) is float else value, None)

    def bind(self, targets: Sequence[Value], ends: Sequence[Operand]) -> None:
        """Bind all targets at once."""
        self.scope.update(zip(targets, [self.read(end) for end in ends], strict=True))

    def step(self, node: Node) -> None:
        """Run one node."""
        match node:
            case Apply():
                self.scope[node.result] = self.apply(node)
            case Load() | View():
                self.scope[node.result] = self.subscript(node)
            case Store():
                self.store(node)
            case Append():
                buffer = self.read(node.buffer)
                assert isinstance(buffer.items, list)
                buffer.items.append(self.read(node.value))
            case Grow():
                self.grow(node)
            case If():
                side = node.then if self.read(node.condition).value else node.orelse
                self.block(side)
                self.bind(node.results, side.yields)
            case For():
                self.for_(node)
            case While():
                self.while_(node)
            case Raise():
                raise self.read(node.exception).value(*(self.read(each).value for each in node.arguments))
            case Comment():
                pass

    def for_(self, node: For) -> None:
        """Run a loop over a range."""
        index, *carried = node.body.parameters
        start, stop, step = (int(self.read(part).value) for part in (node.start, node.stop, node.step))
        positions = range(start, stop, step)
        if len(positions) > MOST_EVENTS:
            raise _too_large(node)
        loop = Loop(node, self.round)
        self.bind(carried, node.inits)
        for trip, position in enumerate(positions):
            self.round = Round(loop, trip)
            loop.times += 1
            self.scope[index] = Entry(position, index.type)
            if self.iteration(node, carried):
                break
        self.round = loop.outer
        self.bind(node.results, carried)

    def while_(self, node: While) -> None:
        """Run a loop with a condition."""
        carried, loop = node.body.parameters, Loop(node, self.round)
        self.bind(carried, node.inits)
        while True:
            self.bind(node.condition.parameters, carried)
            self.round = Round(loop, loop.times)
            self.block(node.condition)
            if not self.read(node.condition.yields[0]).value:
                break
            loop.times += 1
            if self.iteration(node, carried):
                break
        self.round = loop.outer
        self.bind(node.results, carried)

    def iteration(self, node: For | While, carried: Sequence[Value]) -> bool:
        """Run a loop's body once, and return whether the loop ends."""
        self.block(node.body)
        leave = node.exit is not None and bool(self.read(node.exit).value)
        self.bind(carried, node.body.yields)
        return leave

    # Nodes

    def record(
        self,
        node: Node,
        result: Entry,
        operands: tuple[Entry, ...],
        sources: tuple[tuple[int, ...], ...] | None = None,
        index: Any = None,
        old: Any = None,
    ) -> Event:
        """Record the event of a node."""
        if len(self.events) == MOST_EVENTS:
            raise _too_large(node)
        sources = tuple(map(_sources, operands)) if sources is None else sources
        event = Event(len(self.events), node, result, operands, self.round, sources, index, old)
        result.event = event
        self.events.append(event)
        return event

    def apply(self, node: Apply) -> Entry:
        """Apply a function of any kind to its operands."""
        entries = tuple(self.read(operand) for operand in node.operands)
        function, type_ = node.function, node.result.type
        if isinstance(function, Callee):
            return self.callee(node, function, entries)
        if isinstance(type_, Tuple) and function in (tuple, type_.cls):
            return Entry(_bundled(entries, type_), type_, items=entries)
        if isinstance(type_, List):
            return Entry([], type_, items=list(entries))
        if function is operator.getitem and entries[0].items is not None:
            return entries[0].items[int(entries[1].value)]
        if isinstance(function, Tap):
            return self.tap(node, entries[0])
        if isinstance(function, Custom):
            return self.custom(node, function, entries)
        if (function is len or function is length) and entries[0].items is not None:
            return Entry(len(entries[0].items), type_)
        return self.compute(node, entries)

    def compute(self, node: Apply, entries: tuple[Entry, ...]) -> Entry:
        """Compute a function of numbers and arrays."""
        named = {key: self.read(operand) for key, operand in node.keywords}
        function = as_run(node.function)
        keywords = {key: entry.value for key, entry in named.items()}
        values = [entry.value for entry in entries]
        value = function(*values, **keywords)
        if not any(isinstance(each, np.ndarray) and _is_part(value, each) for each in values):
            value = _fitted(
                value, node.result.type
            )  # a view must stay a view, even if its layout differs from its type
        result = Entry(value, node.result.type)
        if isinstance(node.result.type, Tuple):
            pairs = zip(value, node.result.type.items, strict=True)
            result.items = tuple(_part(_fitted(item, type_), type_) for item, type_ in pairs)
        elif self.is_view(node, value, entries):
            rest = values[1:]
            result.base, result.view = entries[0], lambda array: function(array, *rest, **keywords)
        result.seen = self.kept(value, node.result)
        event = self.record(node, result, (*entries, *named.values()))
        for item in result.items or ():
            item.event = event
        return result

    def is_view(self, node: Apply, value: Any, entries: Sequence[Entry]) -> bool:
        """Whether the result shares memory with the first operand, and that memory is written or held by a list."""
        if not isinstance(value, np.ndarray) or node.result not in self.current.bases:
            return False
        if not self.current.in_memory(node.result):
            return False
        return not is_perhaps_view(node) or bool(np.may_share_memory(value, entries[0].value))

    def tap(self, node: Apply, entry: Entry) -> Entry:
        """Make an entry for an assignment, so that uses of the variable differ from uses of the assigned value."""
        if entry.items is not None or isinstance(entry.value, Undefined):
            return entry
        own = Entry(entry.value, node.result.type)
        own.seen = entry.value
        if isinstance(entry.value, np.ndarray) and self.current.in_memory(node.result):
            own.base, own.view = entry, lambda array: array
        if isinstance(entry.value, np.ndarray) and (own.base is not None or self.depth):
            own.seen = entry.value.copy()
        self.record(node, own, (entry,))
        return own

    def custom(self, node: Apply, custom: Custom, entries: tuple[Entry, ...]) -> Entry:
        """Run a hook, which is another name of its operand, or a call of a `custom_vjp`."""
        count = custom.results
        arguments, rest = entries[count : count + custom.arguments], entries[count + custom.arguments :]
        if custom.passes:
            result = self.tap(node, arguments[0])
        else:
            type_ = node.result.type
            types = type_.items if isinstance(type_, Tuple) else (type_,)
            items = tuple(
                _part(_fitted(each.value, of), of) for each, of in zip(entries, types, strict=False)
            )
            result = (
                Entry(_bundled(items, type_), type_, items=items) if isinstance(type_, Tuple) else items[0]
            )
            event = self.record(node, result, arguments)
            for item in items:
                item.event = event
        assert result.event is not None
        result.event.rest = rest
        return result

    def callee(self, node: Apply, callee: Callee, entries: Sequence[Entry]) -> Entry:
        """Run a recursive function."""
        assert callee.program is not None
        loop = Loop(node, self.round, 1)
        self.round = Round(loop, 0)
        self.depth += 1
        result = self.call(callee.program, entries)
        self.depth -= 1
        self.round = loop.outer
        return result

    def subscript(self, node: Load | View) -> Entry:
        """Read an element or a part of an array, or an item of a list."""
        buffer = self.read(node.buffer)
        index = self.index(node.index)
        if buffer.items is not None:
            return buffer.items[int(index)]
        value = buffer.value[index]
        if isinstance(node, Load):
            value = _fitted(value, node.result.type)
        result = Entry(value, node.result.type)
        if isinstance(node, View):
            result.base, result.view = buffer, lambda array: array[index]
        result.seen = self.kept(value, node.result)
        self.record(node, result, (buffer,), (_sources_at(buffer, index),), index)
        return result

    def store(self, node: Store) -> None:
        """Write to an array, and keep the overwritten entries."""
        buffer, value, index = self.read(node.buffer), self.read(node.value), self.index(node.index)
        target = buffer.value
        old = np.copy(target[index])
        written = _writers(buffer)
        earlier = tuple(np.unique(written[index]).tolist()) if node.accumulate else ()
        target[index] = _sum_as_stored(target[index], value.value) if node.accumulate else value.value
        now = np.copy(target[index])[()]
        kind = buffer.value.dtype.name
        result = Entry(now, Array(kind, now.ndim) if isinstance(now, np.ndarray) else Scalar(kind), seen=now)
        event = self.record(node, result, (buffer, value), (earlier, _sources(value)), index, old)
        written[index] = event.number

    def grow(self, node: Grow) -> None:
        """Enlarge an array in place."""
        entry, count = self.read(node.buffer), int(self.read(node.count).value)
        wanted = () if node.function is grown else (count,)
        if wanted or count == len(entry.value):
            larger = plain(node.function)
            entry.value = larger(entry.value, *wanted)
            entry.writers = None if entry.writers is None else larger(entry.writers, *wanted)

    def index(self, index: Index) -> Any:
        """The NumPy index for the items between the brackets."""
        parts: list[Any] = []
        for item in index:
            match item:
                case Slice(start, stop, step):
                    bounds = [None if part is None else self.read(part).value for part in (start, stop, step)]
                    parts.append(slice(*bounds))
                case NewAxis():
                    parts.append(None)
                case Dots():
                    parts.append(Ellipsis)
                case _:
                    parts.append(self.read(item).value)
        return parts[0] if len(parts) == 1 else tuple(parts)

    def kept(self, value: Any, result: Value) -> Any:
        """The current value: a copy of an array that is written later, unless the array is large."""
        is_lasting = not self.current.in_memory(result) and not self.depth
        if not isinstance(value, np.ndarray) or is_lasting:
            return value
        return value.copy() if value.size <= SEEN else None


def _too_large(node: Node) -> ArgumentError:
    message = f"this run takes more than {MOST_EVENTS:,} operations, too many for a trace"
    remedy = "trace it with smaller arguments or fewer iterations."
    return ArgumentError(Problem("BS521", message, node.loc, remedy))


def _sum_as_stored(old: Any, added: Any) -> Any:
    """The new entries after an addition in place: integers wrap around in the dtype of the array."""
    number = np.asarray(added)
    if np.issubdtype(old.dtype, np.integer) and np.issubdtype(number.dtype, np.integer):
        return np.add(old, number.astype(old.dtype))
    return old + added


def _writers(entry: Entry) -> Any:
    """The number of the event that wrote each entry of an array (-1 for an argument); it is created if necessary."""
    if entry.base is not None:
        assert entry.view is not None
        written = _writers(entry.base)
        # integers have no imaginary part
        return (
            written
            if np.iscomplexobj(entry.base.value) != np.iscomplexobj(entry.value)
            else entry.view(written)
        )
    if entry.writers is None:
        number = -1 if entry.event is None else entry.event.number
        entry.writers = np.full_like(entry.value, number, dtype=np.int64)
    return entry.writers


def _sources(entry: Entry) -> tuple[int, ...]:
    """The events that a value comes from."""
    if entry.base is not None and entry.root.writers is not None:
        return tuple(np.unique(_writers(entry)).tolist())
    if entry.writers is not None:
        return tuple(np.unique(entry.writers).tolist())
    return () if entry.event is None else (entry.event.number,)


def _sources_at(entry: Entry, index: Any) -> tuple[int, ...]:
    """The events that a part of an array comes from."""
    if entry.root.writers is None:
        return _sources(entry.root)
    return tuple(np.unique(_writers(entry)[index]).tolist())


def _is_part(value: Any, array: Any) -> bool:
    """Whether the result of a function shares memory with an operand."""
    return isinstance(value, np.ndarray) and bool(np.may_share_memory(value, array))


def _part(value: Any, type_: Type | None) -> Entry:
    """The entry of one item of a function with several results."""
    return Entry(value, type_, seen=value.copy() if isinstance(value, np.ndarray) else value)


def _bundled(entries: Sequence[Entry], type_: Tuple) -> Any:
    """The values of the entries as a tuple or namedtuple."""
    values = [entry.value for entry in entries]
    return tuple(values) if type_.cls in (None, tuple) else type_.cls(*values)


def _fitted(value: Any, type_: Type | None) -> Any:
    """A value in the dtype and layout that it has in compiled code."""
    if isinstance(type_, Scalar):
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value[()]
        if type_.dtype.startswith(("float", "complex")):
            kind = getattr(np, type_.dtype)
            return value if type(value) is kind else kind(value)
        if type(value) is int and not -LARGEST <= value < LARGEST:
            message = "a whole number in this run does not fit into the 64 bits of compiled code"
            remedy = "compute with smaller numbers, or with floats."
            raise ArgumentError(Problem("BS527", message, None, remedy))
        return value
    if isinstance(type_, Array) and isinstance(value, np.ndarray):
        value = value if value.dtype.name == type_.dtype else value.astype(type_.dtype)
        if type_.layout == "C":
            return value if value.flags.c_contiguous else np.array(value, order="C")
        if type_.layout == "F":
            return value if value.flags.f_contiguous else np.array(value, order="F")
    return value
