"""Place the comments above statements: each block of the reverse sweep is headed by the statement that it reverses.

A comment heads the statements after it, up to the next comment. A nested value takes its heading to the statement
that it is written in; a heading without printed statements is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from backsweep.emit.nest import Nested
from backsweep.emit.statements import (
    Branch,
    Copies,
    Count,
    Define,
    Effect,
    Forever,
    Note,
    Return,
    Statement,
    every,
    inside,
    named,
    reads,
)
from backsweep.ir.nodes import If, Load, Operand, Role, Value
from backsweep.ir.walk import operands


@dataclass(frozen=True, slots=True, eq=False)
class Section:
    """The statements under one comment `note`; `part` is the comment that heads their part of the function."""

    number: int
    note: Note | None = None
    part: Note | None = None


@dataclass(slots=True)
class Headings:
    """The comments of one block of statements that are still to be printed."""

    nested: Nested
    sections: list[Section]
    homes: dict[Value, Section]
    shown: set[Note] = field(default_factory=set)
    last: str = ""
    """The text of the comment that was printed last: the same again right behind it says nothing."""

    def above(self, statement: Statement, position: int) -> Iterator[Note]:
        """The comments to print above the statement, which is about to be printed."""
        own = self.sections[position]
        if own.note is None and own.part is None and not self.homes:
            return
        written = [self.homes[value] for value in self._written_within(statement) if value in self.homes]
        written = [section for section in written if section.part is own.part]
        if isinstance(statement, Return) and not written:
            return
        if not (isinstance(statement, Return) or (isinstance(statement, Copies) and written)):
            written.append(own)
        for note in (own.part, *(each.note for each in sorted(written, key=lambda each: each.number))):
            if note is not None and note not in self.shown:
                self.shown.add(note)
                if note.text != self.last:
                    yield note
                self.last = note.text
        if isinstance(statement, Branch | Count | Forever):
            self.last = ""  # comments stand within

    def _written_within(self, statement: Statement) -> Iterator[Value]:
        """The nested values that are written inside the statement."""
        waiting: list[Operand] = [operand for inner in every([statement]) for operand in reads(inner)]
        while waiting:
            operand = waiting.pop()
            node = self.nested.nodes.get(operand) if isinstance(operand, Value) else None
            if node is not None and isinstance(operand, Value):
                yield operand
                waiting += inside(node) if isinstance(node, If) else operands(node)


def headings(statements: list[Statement], nested: Nested) -> Headings:
    """Assign each statement of a block, and each nested value, to its section."""
    sections: list[Section] = []
    section = Section(0)
    for position, statement in enumerate(statements):
        if isinstance(statement, Note):
            section = (
                Section(position, part=statement)
                if statement.is_part
                else Section(position, statement, section.part)
            )
            for before in _belongs(statements[:position], statement, nested):
                sections[before] = section
        sections.append(section)
    homes = {
        statement.value: home
        for statement, home in zip(statements, sections, strict=True)
        if isinstance(statement, Define) and statement.value in nested.nodes
    }
    return Headings(nested, sections, homes)


def _belongs(before: list[Statement], note: Note, nested: Nested) -> Iterator[int]:
    """Positions of the statements that belong under the note although a pass moved them in front of it.

    These are computations of adjoints for the statement that the note quotes.
    """
    for position in reversed(range(len(before))):
        statement = before[position]
        same = statement.loc.statement == note.text
        if isinstance(statement, Define) and statement.value in nested.nodes:
            if same:
                yield position
            continue
        if not same or not _is_adjoint(statement):
            return
        yield position


def _is_adjoint(statement: Statement) -> bool:
    """Whether the statement computes part of an adjoint; a restored or recomputed primal value stays above."""
    match statement:
        case Define(value, node):
            if isinstance(node, Load) and isinstance(node.buffer, Value) and node.buffer.role is Role.RECORD:
                return False
            return not named(value) or value.name.endswith("_bar")
        case Effect():
            return True
        case Branch() | _:
            return False
