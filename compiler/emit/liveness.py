"""Find which values may share a variable of the emitted text: those that are never alive together."""

from __future__ import annotations

from dataclasses import dataclass, field

from backsweep.emit.nest import Nested
from backsweep.emit.statements import (
    Branch,
    Copies,
    Count,
    Define,
    Effect,
    Exit,
    Forever,
    Return,
    Statement,
    every,
    is_undefined,
)
from backsweep.ir.nodes import Apply, Const, Operand, Raise, Value
from backsweep.ir.operations import operation
from backsweep.ir.types import Array, Scalar
from backsweep.ir.walk import operands

Live = frozenset[Value]
NOTHING: Live = frozenset()


@dataclass(slots=True)
class Variables:
    """Values grouped into variables: the members of a group are never alive at the same time."""

    names: dict[Value, str]
    clashes: dict[Value, set[Value]] = field(default_factory=dict)
    parents: dict[Value, Value] = field(default_factory=dict)
    members: dict[Value, list[Value]] = field(default_factory=dict)

    def clash(self, written: Value, live: Live, same: Operand | None = None) -> None:
        """Note that a value is written while the values in `live` are alive; `same` is an operand with an equal value."""
        name = self.names.get(written, "")
        mine = self.clashes.setdefault(written, set())
        for other in live:
            if other is written or other is same:
                continue
            if not name or self.names.get(other, "") in ("", name):
                mine.add(other)
                self.clashes.setdefault(other, set()).add(written)

    def find(self, value: Value) -> Value:
        """The representative of the value's variable."""
        while value in self.parents:
            value = self.parents[value]
        return value

    def name(self, root: Value) -> str:
        """The user's name for the variable, "" if none of its values has one."""
        return self.names.get(root, "")

    def merge(self, first: Value, second: Value) -> None:
        """Let two values share a variable if names and lives allow it."""
        kept, gone = self.find(first), self.find(second)
        if kept is gone or (self.name(kept) and self.name(gone) and self.name(kept) != self.name(gone)):
            return
        mine, theirs = self.clashes.setdefault(kept, set()), self.clashes.setdefault(gone, set())
        if any(member in mine for member in self.members.get(gone, [gone])):
            return
        kinds = {_kind(member) for root in (kept, gone) for member in self.members.get(root, [root])}
        if len(kinds - {None}) > 1:
            return
        self.parents[gone] = kept
        self.names[kept] = self.name(kept) or self.name(gone)
        self.members.setdefault(kept, [kept]).extend(self.members.pop(gone, [gone]))
        mine |= theirs


def _kind(value: Value) -> tuple[str, int] | None:
    """A key for the types that Numba can unify in one variable; None if the type is unknown or of another kind."""
    match value.type:
        case Scalar():
            return ("number", 0)
        case Array(dtype, ndim):
            return (dtype, ndim)
        case _:
            return None


def find_clashes(
    statements: list[Statement], parameters: tuple[Value, ...], nested: Nested, names: dict[Value, str]
) -> Variables:
    """Put each value of the program into a variable of its own, and note all clashes."""
    variables = Variables(dict(names))
    live = _Lives(nested, variables).before(statements, NOTHING, NOTHING)
    for parameter in parameters:
        variables.clash(parameter, live | frozenset(parameters))
    return variables


def share(statements: list[Statement], parameters: tuple[Value, ...], variables: Variables) -> None:
    """Merge the variables that copies connect, so that the copies disappear, then variables of the same name."""
    program = list(every(statements))
    order: list[Value] = list(parameters)
    for statement in reversed(program):
        if isinstance(statement, Copies):
            _share_copies(statement, variables)
    for statement in program:
        match statement:
            case Define(value, Apply(_, function, (Value() as target, *_))) if operation(function).in_place:
                variables.merge(target, value)
                order.append(value)
            case Define(value):
                order.append(value)
            case Copies(targets):
                order += targets
            case Count(index):
                order.append(index)
            case _:
                pass
    groups: dict[str, list[Value]] = {}
    for value in order:
        name = variables.names.get(value, "")
        if name:
            for other in groups.setdefault(name, []):
                variables.merge(other, value)
            groups[name] = list(dict.fromkeys(variables.find(each) for each in (*groups[name], value)))


def _share_copies(copies: Copies, variables: Variables) -> None:
    """Merge each target with its source; pairs of the same name come first."""
    pairs = [
        (target, source)
        for target, source in zip(copies.targets, copies.sources, strict=True)
        if isinstance(source, Value)
    ]
    for target, source in pairs:
        if variables.names.get(target, "") == variables.names.get(source, ""):
            variables.merge(target, source)
    for target, source in pairs:
        variables.merge(target, source)


@dataclass(frozen=True, slots=True)
class _Transfer:
    """How the values alive before statements follow from those alive after them: once for a body, however deep its loops nest.

    Alive before are those in `read`; those alive after, but for `written`; and those alive after the enclosing loop, but
    for `written_till_exit`. None says that no path leads there.
    """

    read: Live = NOTHING
    written: Live | None = NOTHING
    written_till_exit: Live | None = None

    def __call__(self, live: Live, left: Live) -> Live:
        """The values alive before the statements."""
        found = self.read
        if self.written is not None:
            found |= live - self.written
        if self.written_till_exit is not None:
            found |= left - self.written_till_exit
        return found

    def before(self, then: _Transfer) -> _Transfer:
        """That of these statements with others behind them."""
        if self.written is None:
            return self
        written = None if then.written is None else then.written | self.written
        exits = [each for each in (self.written_till_exit,) if each is not None]
        if then.written_till_exit is not None:
            exits.append(then.written_till_exit | self.written)
        return _Transfer(self.read | (then.read - self.written), written, _on_all(exits))

    def beside(self, other: _Transfer) -> _Transfer:
        """That of two branches."""
        return _Transfer(
            self.read | other.read,
            _on_all([each for each in (self.written, other.written) if each is not None]),
            _on_all([e for e in (self.written_till_exit, other.written_till_exit) if e is not None]),
        )


def _on_all(paths: list[Live]) -> Live | None:
    """What is written on each of the paths; None if there is no path."""
    return frozenset.intersection(*paths) if paths else None


def _transfer(statements: list[Statement], nested: Nested, known: dict[int, _Transfer]) -> _Transfer:
    """That of statements; `known` has those of the bodies within, by their identity."""
    if id(statements) not in known:
        found = _Transfer()
        for statement in reversed(statements):
            found = _transfer_of(statement, nested, known).before(found)
        known[id(statements)] = found
    return known[id(statements)]


def _transfer_of(statement: Statement, nested: Nested, known: dict[int, _Transfer]) -> _Transfer:
    """That of one statement."""

    def leaves(*found: Operand) -> Live:
        return NOTHING.union(*map(nested.leaves, found))

    match statement:
        case Define(value, node):
            if value in nested.nodes:
                return _Transfer()
            return _Transfer(frozenset(nested.leaves_of(node)), frozenset({value}))
        case Effect(node):
            return _Transfer(leaves(*operands(node)), None if isinstance(node, Raise) else NOTHING)
        case Copies(targets, sources):
            return _Transfer(leaves(*sources), frozenset(targets))
        case Branch(condition, then, orelse):
            sides = _transfer(then, nested, known).beside(_transfer(orelse, nested, known))
            return _Transfer(leaves(condition)).before(sides)
        case Count(index, start, stop, step, body):
            inner = _transfer(body, nested, known)
            return _Transfer((inner.read - {index}) | leaves(start, stop, step))
        case Forever(body):
            inner = _transfer(body, nested, known)
            return _Transfer(inner.read, inner.written_till_exit)
        case Exit(condition):
            always = isinstance(condition, Const) and bool(condition.value) and not statement.unless
            return (
                _Transfer(NOTHING, None, NOTHING)
                if always
                else _Transfer(leaves(condition), NOTHING, NOTHING)
            )
        case Return(result):
            return _Transfer(leaves(result), None)
        case _:
            return _Transfer()


@dataclass(frozen=True, slots=True)
class _Lives:
    """Walks a program backwards once and notes which values are alive where others are written."""

    nested: Nested
    variables: Variables
    transfers: dict[int, _Transfer] = field(default_factory=dict)

    def before(self, statements: list[Statement], live: Live, left: Live) -> Live:
        """The values alive before the statements; `live` are alive after them, `left` after the enclosing loop."""
        for statement in reversed(statements):
            self.note(statement, live, left)
            live = _transfer_of(statement, self.nested, self.transfers)(live, left)
        return live

    def note(self, statement: Statement, live: Live, left: Live) -> None:
        """Note the clashes of what a statement writes."""
        match statement:
            case Define(value, node) if value not in self.nested.nodes:
                in_place = isinstance(node, Apply) and operation(node.function).in_place
                same = operands(node)[0] if in_place and not isinstance(value.type, Scalar) else None
                self.variables.clash(value, live, same)
            case Copies(targets, sources):
                self.copies(targets, sources, live)
            case Branch(_, then, orelse):
                self.before(then, live, left)
                self.before(orelse, live, left)
            case Count(index, _, _, _, body):
                first = _transfer(body, self.nested, self.transfers)(live, live) - {index}
                self.variables.clash(index, self.before(body, live | first, live))
            case Forever(body):
                first = _transfer(body, self.nested, self.transfers)(NOTHING, live)
                self.before(body, first, live)
            case _:
                pass

    def copies(self, targets: tuple[Value, ...], sources: tuple[Operand, ...], live: Live) -> None:
        """Note the clashes of parallel copies."""
        pairs = [pair for pair in zip(targets, sources, strict=True) if not is_undefined(pair[1])]
        written = frozenset(target for target, _ in pairs)
        for target, source in pairs:
            same = source if isinstance(source, Value) and source not in self.nested.nodes else None
            self.variables.clash(target, live, same)
            self.variables.clash(target, written)
