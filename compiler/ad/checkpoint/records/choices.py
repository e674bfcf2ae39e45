"""The notes of what was decided for each value of the primal that the reverse sweep reads: how it gets the value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from backsweep.diagnostics import Loc
from backsweep.ir.nodes import Node, Operand, Value
from backsweep.ir.walk import blocks, leaving, operands


class How(Enum):
    """Where the reverse sweep has a value of the primal from."""

    TAPE = "recorded on a tape, an entry per iteration"
    LIST = "recorded as a reference in a list, an entry per iteration"
    BRANCH = "handed out of the branch that computes it"
    COPY = "copied before it is overwritten"
    SNAPSHOTS = "kept in snapshots, from which a checkpointed loop is computed again"
    STORED = "read back from where the program itself stores it"
    AGAIN = "computed again"
    UNDONE = "counted back, or what an iteration did to it undone, by the reversed loop"
    HELD = "a maximum or minimum: what it is after the loop, and the iteration that replaced it last"


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """How the reverse sweep gets one value; `sources` are what it is computed from again, or the array that holds it.

    `memory` is what holds the record when the forward sweep ends; `lengths` are the extents of a tape whose
    size is known before the loops run. `readers` are the places whose reversal reads the value.
    """

    value: Value
    how: How
    sources: tuple[Value, ...] = ()
    readers: tuple[Loc, ...] = ()
    memory: Value | None = None
    lengths: tuple[Operand, ...] = ()
    named: bool = True
    """False where the value, a part of an expression, got its name for its record only."""


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """A recorded value: the operand that the reverse sweep reads instead, and what `Choice` tells of the memory."""

    operand: Operand
    how: How
    memory: Value
    lengths: tuple[Operand, ...] = ()


def read_by(nodes: Sequence[Node]) -> dict[Value, dict[Loc, None]]:
    """For each value that these nodes, and the nodes in them, read: the places of the nodes that read it."""
    found: dict[Value, dict[Loc, None]] = {}
    for node in nodes:
        for operand in (*operands(node), *leaving(node)):
            if isinstance(operand, Value):
                found.setdefault(operand, {})[node.loc] = None
        for block in blocks(node):
            for value, places in read_by(block.nodes).items():
                found.setdefault(value, {}).update(places)
    return found


def repeated(
    again: Sequence[Value],
    inputs: Mapping[Value, Sequence[Value] | None],
    readers: Mapping[Value, dict[Loc, None]],
) -> list[Choice]:
    """The choices for values that are computed again."""
    return [
        Choice(value, How.AGAIN, tuple(inputs[value] or ()), tuple(readers.get(value, ()))) for value in again
    ]


@dataclass(frozen=True, slots=True)
class Sweeps:
    """The two sweeps: the primal with its records, the reverse nodes, and the gradient they leave."""

    forward: tuple[Node, ...]
    reverse: tuple[Node, ...]
    result: Operand
    seed: Value
    gradients: tuple[Operand, ...]
    shadows: frozenset[Value]
    """Shadows, and lists of them, that the forward sweep made."""
    choices: tuple[Choice, ...]
    """How the reverse sweep gets each value of the primal that it reads within a loop or a branch."""
    origin: dict[Value, Value]
    """What a value that the forward sweep added holds, or is a copy of."""
