"""Show the variables of a run as a table, as text and for Jupyter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from backsweep.diagnostics import ArgumentError, Problem
from backsweep.display import markup
from backsweep.inspect.recording.figures import full, short
from backsweep.inspect.recording.paths import Call, Iteration
from backsweep.inspect.recording.variables import Traced, Variable
from backsweep.ir.nodes import For

ALL = 10**6
HEAD = ("line", "variable", "value", "adjoint")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the table: a variable, or the head of a loop or call, which has neither value nor adjoint."""

    line: int
    indent: int
    text: str
    variable: Variable | None = None
    note: str = ""

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """The four columns."""
        if self.variable is None:
            return str(self.line), "  " * self.indent + self.text, self.note, ""
        variable = self.variable
        adjoint = short(variable.adjoint) if variable.entry.known else "not known"
        return str(self.line), "  " * self.indent + self.text, short(variable.value), adjoint


def lines_of(trace: Traced, loops: int | str, depth: int | None) -> Iterator[Line]:
    """The lines of the table; raises ArgumentError for an invalid `loops` or `depth`."""
    unrolled = unrolled_loops("table", loops, {"ends": 0, "all": ALL})
    yield from _Lines(unrolled, ALL if depth is None else depth).within(trace.variables, 0, 0)


def unrolled_loops(what: str, loops: object, named: Mapping[str, int]) -> int:
    """The number of levels of nested loops to show in full, from a number or a name; raises ArgumentError otherwise."""
    if isinstance(loops, str) and loops in named:
        return named[loops]
    if isinstance(loops, int) and not isinstance(loops, bool) and loops >= 0:
        return loops
    names = ", ".join(f'"{name}"' for name in named)
    message = f"a {what} has no form loops={loops!r}"
    remedy = f"choose {names}, or how many levels of nested loops to show in full."
    raise ArgumentError(Problem("BS523", message, remedy=remedy))


def table(trace: Traced, loops: int | str, depth: int | None) -> str:
    """The table as text."""
    rows = [HEAD, *(line.cells for line in lines_of(trace, loops, depth))]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    shown = [
        f"{number:>{widths[0]}}  {name:{widths[1]}}  {value:{widths[2]}}  {adjoint}".rstrip()
        for number, name, value, adjoint in rows
    ]
    return "\n".join([title(trace), "", *shown])


def title(trace: Traced) -> str:
    """The function's name and its arguments."""
    given = ", ".join(f"{each.name}={_argument(each)}" for each in trace.variables if each.role == "argument")
    return f"{trace.function} at {given}" if given else trace.function


def _argument(variable: Variable) -> str:
    value = variable.value
    return repr(float(value)) if isinstance(value, float) else short(value)


class _Lines:
    """Makes the lines, grouped by the calls and loops around the variables."""

    def __init__(self, unrolled: int, depth: int) -> None:
        self.unrolled = unrolled
        self.depth = depth

    def within(self, variables: Sequence[Variable], level: int, indent: int) -> Iterator[Line]:
        """The lines of variables whose paths agree up to `level`."""
        for key, group in groupby(variables, key=lambda each: _key(each, level)):
            members = list(group)
            if key is None:
                for each in members:
                    if not is_index(each):
                        yield Line(each.line, indent, own_name(each), each)
                continue
            frame = members[0].path[level]
            if isinstance(frame, Call):
                yield from self.call(frame, members, level, indent)
            else:
                yield from self.loop(frame, members, level, indent)

    def call(self, frame: Call, members: Sequence[Variable], level: int, indent: int) -> Iterator[Line]:
        """The lines of a call: its head, and its variables."""
        calls = sum(isinstance(each, Call) for each in members[0].path[: level + 1])
        if calls <= self.depth:
            yield Line(frame.place.line, indent, written(frame))
            yield from self.within(members, level + 1, indent + 1)

    def loop(self, frame: Iteration, members: Sequence[Variable], level: int, indent: int) -> Iterator[Line]:
        """The lines of a loop: its iterations, or the first and last value of each variable in it."""
        loc = frame.loop.node.loc
        count = f"{frame.loop.times} time{'s' if frame.loop.times != 1 else ''}"
        loops = sum(isinstance(each, Iteration) for each in members[0].path[: level + 1])
        yield Line(loc.line, indent, loc.statement or loc.text.strip(), note=count)
        if loops > self.unrolled:
            yield from self.ends(members, level, indent + 1)
            return
        for trip, group in groupby(members, key=lambda each: each.path[level].trip):  # type: ignore[union-attr]
            inside = list(group)
            yield Line(loc.line, indent + 1, _iteration(trip, inside, frame))
            yield from self.within(inside, level + 1, indent + 2)

    def ends(self, members: Sequence[Variable], level: int, indent: int) -> Iterator[Line]:
        """The lines of the first and the last assignment of each variable in a loop."""
        groups: dict[tuple[object, ...], list[Variable]] = {}
        for each in members:
            calls = [frame for frame in each.path[level:] if isinstance(frame, Call)]
            if len(calls) + sum(isinstance(frame, Call) for frame in each.path[:level]) > self.depth:
                continue
            if not is_index(each):
                places = tuple(frame.place for frame in calls)
                groups.setdefault((places, each.name, each.line, each.statement), []).append(each)
        for group in groups.values():
            first, last = group[0], group[-1]
            if len(group) == 1:
                yield Line(first.line, indent, first.name, first)
                continue
            yield Line(first.line, indent, f"{first.name}  first of {len(group)}", first)
            yield Line(last.line, indent, f"{last.name}  last", last)


def _key(variable: Variable, level: int) -> object:
    """The call or loop around a variable at a level of its path; None if the path ends before."""
    if len(variable.path) <= level:
        return None
    frame = variable.path[level]
    return frame if isinstance(frame, Call) else frame.loop


def own_name(variable: Variable) -> str:
    """The variable's name without the function's name, which the line above shows."""
    called = variable.path and any(isinstance(frame, Call) for frame in variable.path)
    return variable.name.partition(".")[2] or variable.name if called else variable.name


def is_index(variable: Variable) -> bool:
    """Whether the variable is the index of a loop, which the head of the loop shows."""
    return (
        variable.role == "assigned"
        and variable.statement.startswith("for ")
        and short(variable.value).lstrip("-").isdigit()
    )


def written(frame: Call) -> str:
    """A call as the user wrote it."""
    place = frame.place
    text = place.text[place.column : place.end_column].strip()
    return text if text.endswith(")") else f"{frame.function}(…)"


def _iteration(trip: int, inside: Sequence[Variable], frame: Iteration) -> str:
    """The title of an iteration, with the value of the loop's index."""
    names = [
        f"{own_name(each)} = {short(each.value)}"
        for each in inside
        if is_index(each) and own_name(each) != "_" and each.path[-1:] == inside[0].path[-1:]
    ]
    if isinstance(frame.loop.node, For) and names:
        return ", ".join(names)
    return f"iteration {trip}"


def html_table(trace: Traced) -> str:
    """The table for notebooks with folded loops, and a second table with every iteration, which can be opened."""
    folded = list(_html_rows(trace, 0))
    parts = [markup.title(title(trace)), markup.table(HEAD, folded)]
    every = list(_html_rows(trace, ALL))
    if len(every) > len(folded):
        parts.append(markup.fold(f"every iteration ({len(every)} lines)", markup.table(HEAD, every)))
    return markup.display("".join(parts), markup.TABLE)


def _html_rows(trace: Traced, loops: int) -> Iterator[tuple[markup.Cell, ...]]:
    """The rows; hovering over a value or an adjoint shows it in full."""
    for line in lines_of(trace, loops, None):
        number, name, value, adjoint = line.cells
        variable = line.variable
        yield (
            markup.Cell(number, "right faint"),
            markup.Cell(name.lstrip(), "" if variable else "faint", indent=line.indent),
            markup.Cell(value, "value" if variable else "faint", full(variable.value) if variable else ""),
            markup.Cell(adjoint, "adjoint", full(variable.adjoint) if variable else ""),
        )
