"""The result of `explain`: a row for every value of the user's function, as objects and as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, NamedTuple

from backsweep.display import markup, terminal
from backsweep.display.highlight import lines_as_ansi, lines_as_html, painted
from backsweep.display.markup import Cell

State = Literal["stored", "recomputed", "kept", "undone", "not read"]
Role = Literal["argument", "copy", "index", "carried", "chosen", "counter", "assigned"]


class Place(NamedTuple):
    """A statement of the user's: file, function, line, its text on one line, and its indentation."""

    file: str
    function: str
    line: int
    statement: str
    indent: int


@dataclass(frozen=True, slots=True)
class Row:
    """One value of the user's function, and how the reverse sweep gets it."""

    name: str
    """The user's name; for an unnamed part of an expression, its text."""
    named: bool
    """Whether `name` is the user's."""
    place: Place
    """Where it is assigned. For a value that a loop carries or a branch chooses, the head of the loop or branch."""
    role: Role
    """What defines it. `copy` is a copy of an argument that the function writes; `counter` counts iterations."""
    type: str
    """Its type, such as `float64` or `float64[:, :]`."""
    varied: bool
    """Whether it depends on an argument that is differentiated."""
    useful: bool
    """Whether the result depends on it."""
    active: bool
    """Whether it has an adjoint: varied, useful, and made of floats."""
    activity: str
    """Why it is active or not, such as `by x`: it depends on the argument `x`."""
    state: State
    """`stored` (recorded), `recomputed`, `kept` (still in memory), `undone` (restored by the reversed loop) or `not read`."""
    reason: str
    """The reason for this state."""
    read_by: tuple[Place, ...]
    """The statements whose adjoints read it."""
    overwritten_by: tuple[Place, ...]
    """For an array, the statements that write it. For an element, those that overwrite it after it was read."""
    entry_bytes: int | None
    """Bytes of one entry of its record; None if there is no record, or if the entries are arrays."""
    count: str
    """The number of entries of the record, as an expression of the user's values; "" if only a run can tell."""
    bytes: int | None
    """Bytes of its record after the forward sweep; None if explain was given types only."""

    @property
    def bytes_text(self) -> str:
        """The bytes as the table shows them: a number, or an expression."""
        if self.bytes is not None:
            return f"{self.bytes:,}"
        if self.state != "stored" and self.entry_bytes is None:
            return ""
        size = "an array" if self.entry_bytes is None else str(self.entry_bytes)
        if self.count == "1":
            return size
        return f"{size} * {self.count}" if self.count else f"{size} per iteration"


class Loop(NamedTuple):
    """A loop that may run on all cores or on a GPU (`prange`), as it runs in a sweep."""

    place: Place
    """The head of the loop."""
    sweep: Literal["forward sweep", "reverse sweep"]
    """The sweep; a loop that runs both sweeps of an iteration is in the forward one."""
    parallel: bool
    """Whether it does."""
    reason: str
    """Why not, or how it does: what each core has a copy of."""
    device: Literal["processor", "GPU"] = "processor"
    """Where it is asked to run side by side."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """How the reverse sweep of a gradient gets each value that it reads. `print` shows it as a table.

    `rows` are in program order; `explanation["d"]` is a tuple of the rows of values named `d`. `bytes` is the size of all
    records together, None if explain was given types only.
    """

    function: str
    file: str
    line: int
    wrt: tuple[str, ...]
    rows: tuple[Row, ...]
    bytes: int | None
    lacking: str = ""
    """What is lacking, if the records do not fit into memory."""
    again: tuple[tuple[Place, int], ...] = ()
    """The checkpointed loops, each with the number of its steps that are computed again."""
    python: tuple[tuple[Place, str], ...] = ()
    """The calls of `bs.pure_python` functions: where the user's code calls them, or what they are reversed for, and their names."""
    loops: tuple[Loop, ...] = ()
    """The loops that are asked to run on all cores, or on a GPU."""

    def __getitem__(self, name: str) -> tuple[Row, ...]:
        """The rows of the values with that name; KeyError if there is none."""
        found = tuple(row for row in self.rows if isinstance(name, str) and row.name == name)
        if not found:
            raise KeyError(name)
        return found

    def __str__(self) -> str:
        return "\n".join(_lines(self))

    def __repr__(self) -> str:
        return str(self)

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        """For IPython: the table, coloured on a terminal."""
        printer.text("\n".join(_lines(self, colours=terminal.has_colours())))

    def _repr_html_(self) -> str:
        """For notebooks."""
        return _page(self)


def estimated(rows: Iterable[Row], arguments: Mapping[str, object]) -> int:
    """The bytes of the records for these arguments, as far as the expressions of their counts tell."""
    known = {"max": max, "min": min, "len": len} | dict(arguments)
    total = 0
    for row in rows:
        if row.entry_bytes is None or not row.count:
            continue
        try:
            count = eval(row.count, {"__builtins__": {}}, known)  # noqa: S307  the expression is our own
        except NameError:  # it depends on what only a run computes
            continue
        total += row.entry_bytes * int(count)
    return total


HEAD = ("value", "type", "active", "reverse sweep", "bytes", "why")


def _lines(explanation: Explanation, *, colours: bool = False) -> Iterator[str]:
    """The lines of the table: each line of the user's code, followed by the values that it defines."""
    yield _title(explanation)
    yield from _notes(explanation)
    rows = _shown(explanation)
    if not rows:
        return
    cells = [_cells(row, explanation) for row in rows]
    widths = [max(map(len, column)) for column in zip(HEAD, *cells, strict=True)]
    yield ""
    yield "      " + _spread(HEAD, widths)
    for place, text, group in _grouped(rows, explanation):
        yield f"{place.line:4d}  {lines_as_ansi(text)[0] if colours else text}"
        for row in group:
            spread = _spread(_cells(row, explanation), widths)
            yield "      " + (painted(spread, ANSI[row.state]) if colours else spread)


ANSI = {"stored": "33", "recomputed": "36", "kept": "", "undone": "36", "not read": "90"}
"""The colours of a terminal for what becomes of a value."""


def _title(explanation: Explanation) -> str:
    where = f"{_stem(explanation.file)}:{explanation.line}"
    by = f" with respect to {', '.join(explanation.wrt)}" if explanation.wrt else ""
    return f"{explanation.function} ({where}){by}"


def _notes(explanation: Explanation) -> Iterator[str]:
    """The sentences above the table."""
    yield _total(explanation)
    for place, count in explanation.again:
        yield f"Computed again: {count:,} steps of the loop in {_places((place,), explanation)}."
    for place, name in explanation.python:
        where = _places((place,), explanation)
        yield f"Python runs `{name}` for {where}: each call takes the interpreter's lock and some microseconds."
    for loop in explanation.loops:
        cores = "all cores" if loop.parallel else "one core"
        if loop.device == "GPU":
            cores = "the GPU" if loop.parallel else "the host"
        where = _places((loop.place,), explanation)
        yield f"In the {loop.sweep}, the loop in {where} runs on {cores}: {loop.reason}."
    if explanation.lacking:
        yield f"This does not run: {explanation.lacking}"


def _shown(explanation: Explanation) -> list[Row]:
    """The rows that the table has: values with names, and those that take memory."""
    return [row for row in explanation.rows if row.named or row.bytes is not None or row.state == "stored"]


def _grouped(rows: Sequence[Row], explanation: Explanation) -> Iterator[tuple[Place, str, Iterator[Row]]]:
    """The rows by the statements that define them, each with its text, indented."""
    margin = min((row.place.indent for row in rows), default=0)
    for place, group in groupby(rows, key=lambda row: row.place):
        inlined = "" if place.function == explanation.function else f"  # in {place.function}"
        yield place, f"{' ' * (place.indent - margin)}{place.statement}{inlined}", group


STYLE = """
.bs-display td.bs-stored { color: var(--bs-adjoint); font-weight: 600; }
.bs-display :is(td.bs-recomputed, td.bs-undone) { color: var(--bs-value); }
.bs-display td.bs-not-read { color: var(--bs-faint); }
"""
COLUMNS = ("line", *HEAD)


def _page(explanation: Explanation) -> str:
    """The table for notebooks."""
    notes = "".join(markup.note(each, "plain") for each in _notes(explanation))
    rows: list[list[Cell]] = []
    for place, text, group in _grouped(_shown(explanation), explanation):
        bare = text.lstrip()
        number = f'<span class="bs-faint bs-line">{place.line}</span>'
        shown = number + "&nbsp;" * (len(text) - len(bare)) + lines_as_html(bare)[0]
        rows.append([Cell(shown, "pre", hover=Path(place.file).name, span=len(COLUMNS), ready=True)])
        rows += [_html_cells(row, explanation) for row in group]
    body = markup.title(_title(explanation)) + notes + markup.table(COLUMNS, rows)
    return markup.display(body, markup.TABLE, STYLE)


def _html_cells(row: Row, explanation: Explanation) -> list[Cell]:
    name, type_, active, state, size, why = _cells(row, explanation)
    kind = row.state.replace(" ", "-")
    return [
        Cell(""),
        Cell(name),
        Cell(type_, "faint"),
        Cell(active, "" if row.active else "faint"),
        Cell(state, kind),
        Cell(size, "right"),
        Cell(why, "wide"),
    ]


def _total(explanation: Explanation) -> str:
    """One sentence about the memory that is held for the reverse sweep."""
    stored = [row for row in explanation.rows if row.bytes_text]
    if not stored:
        return "Nothing is held for the reverse sweep."
    parts = ", ".join(f"{row.name}: {row.bytes_text}" for row in stored)
    if explanation.bytes is None:
        return f"Held for the reverse sweep, in bytes: {parts}."
    return f"Held for the reverse sweep: {explanation.bytes:,} bytes ({parts})."


def _cells(row: Row, explanation: Explanation) -> tuple[str, ...]:
    """The row's entries of the table."""
    name = {"copy": f"{row.name} (own copy)", "carried": f"{row.name} (carried)"}.get(row.role, row.name)
    reasons = [row.reason] if row.reason else []
    if row.read_by:
        reasons.append("read by " + _places(row.read_by, explanation))
    if row.overwritten_by and row.type.endswith("]"):
        reasons.append("written by " + _places(row.overwritten_by, explanation))
    active = ("yes: " if row.active else "no: ") + row.activity
    return name, row.type, active, row.state, row.bytes_text, "; ".join(reasons)


def _places(places: tuple[Place, ...], explanation: Explanation) -> str:
    """A text such as `lines 7, 9`; lines of an inlined function are preceded by the function's name."""
    numbers = dict.fromkeys(
        str(place.line) if place.function == explanation.function else f"{place.line} (in {place.function})"
        for place in sorted(places, key=lambda place: (place.function != explanation.function, place.line))
    )
    return ("line " if len(numbers) == 1 else "lines ") + ", ".join(numbers)


def _spread(cells: tuple[str, ...], widths: list[int]) -> str:
    """The cells in columns."""
    padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
    return "  ".join(padded).rstrip()


def _stem(file: str) -> str:
    """The file's name without its folders."""
    return file.replace("\\", "/").rsplit("/", 1)[-1]
