"""The variables of a recorded run, in its order, and the record that belongs to them."""

from __future__ import annotations

import ast
import functools
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from backsweep.diagnostics import Loc
from backsweep.inspect.recording.followers import Followers
from backsweep.inspect.recording.paths import Call, Path, Paths
from backsweep.inspect.recording.recorded import Entry, Event, Recorded, adjoint_of, is_custom, is_hook
from backsweep.ir.nodes import Apply, Store, Tap

Role = Literal["argument", "assigned", "element", "result"]


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """A variable of the run at one moment: when it was assigned, or when a part of it was written."""

    name: str
    """The user's name; for a part of an array, its text, such as `y[i]`."""
    role: Role
    line: int
    statement: str
    """The statement that assigns it, on one line."""
    value: Any
    """Its value at that moment."""
    adjoint: Any
    """The derivative of the result with respect to it; None for whole numbers and truth values, which have none."""
    path: Path = field(repr=False)
    """The calls and iterations that it lies in, outermost first."""
    entry: Entry = field(repr=False)
    loc: Loc = field(repr=False)


@dataclass(frozen=True, eq=False)
class Traced:
    """The result of one run: its variables, and the record that their adjoints and terms come from."""

    function: str
    file: str
    line: int
    value: Any
    variables: tuple[Variable, ...]
    recorded: Recorded = field(repr=False)
    paths: Paths = field(repr=False)

    @cached_property
    def followers(self) -> Followers:
        """The uses of each number."""
        return Followers(self.recorded)


def variables_of(recorded: Recorded, paths: Paths) -> tuple[Variable, ...]:
    """The variables of a run, in the order of the run."""
    program = recorded.program
    found = [
        variable
        for name, entry in recorded.parameters.items()
        for variable in _variables(entry, name, "argument", program.loc, ())
    ]
    found += _assigned(recorded, paths)
    place = program.loc if recorded.result.event is None else recorded.result.event.loc
    while place.caller is not None:
        place = place.caller
    found += _variables(recorded.result, "result", "result", place, ())
    return tuple(found)


def _assigned(recorded: Recorded, paths: Paths) -> Iterator[Variable]:
    """The assignments to variables and the writes to parts of arrays, without those inside calls that are one operation."""
    whole = {event.loc for event in recorded.events if is_custom(event) and not is_hook(event)}
    for event in recorded.events:
        node = event.node
        if whole and _lies_within(paths.of(event), whole):
            continue
        if isinstance(node, Apply) and isinstance(node.function, Tap):
            path = paths.of(event)
            yield from _variables(
                event.result, _full_name(node.function.label, path), "assigned", event.loc, path
            )
        elif isinstance(node, Store):
            name = written_part(event)
            if name:
                yield from _variables(event.result, name, "element", event.loc, paths.of(event))


def _lies_within(path: Path, places: Container[Loc]) -> bool:
    """Whether one of the calls on the path is at one of these places."""
    return any(isinstance(frame, Call) and frame.place in places for frame in path)


def _full_name(name: str, path: Path) -> str:
    """The name of a variable, preceded by the name of the called function, which may be recursive."""
    called = [frame.function for frame in path if isinstance(frame, Call)]
    return f"{called[-1]}.{name}" if called and "." not in name else name


def _variables(entry: Entry, name: str, role: Role, loc: Loc, path: Path) -> Iterator[Variable]:
    """A variable, or one for each item of a tuple."""
    if entry.items is not None:
        fields = getattr(entry.value, "_fields", None)
        for number, item in enumerate(entry.items):
            part = f"{name}.{fields[number]}" if fields else f"{name}[{number}]"
            yield from _variables(item, part, role, loc, path)
        return
    adjoint = adjoint_of(entry)
    statement = loc.statement or loc.text.strip()
    yield Variable(name, role, loc.line, statement, entry.seen, adjoint, path, entry, loc)


@functools.lru_cache(maxsize=4096)
def _subscripted(statement: str) -> str:
    """The target of a statement, if it is a part of an array."""
    try:
        (node,) = ast.parse(statement).body
    except (SyntaxError, ValueError):
        return ""
    match node:
        case (
            ast.Assign(targets=[ast.Subscript() as target]) | ast.AugAssign(target=ast.Subscript() as target)
        ):
            return ast.unparse(target)
        case _:
            return ""


def written_part(event: Event) -> str:
    """The part of an array that a store writes, as the user wrote it; "" for a store that the user did not write."""
    return _subscripted(event.loc.statement)
