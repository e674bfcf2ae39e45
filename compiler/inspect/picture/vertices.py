"""The drawn parts of a run: nodes, edges, and the titles of the boxes around them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from backsweep.inspect.recording.contributions import Contributions, terms_of
from backsweep.inspect.recording.paths import Call, Frame, Iteration, Path
from backsweep.inspect.recording.recorded import Entry, is_written
from backsweep.inspect.recording.variables import Traced

Kind = Literal["leaf", "value", "folded", "result"]


@dataclass(slots=True, eq=False)
class Shown:
    """A value on a node: its name, if the node does not show it already, the value and its adjoint."""

    name: str
    value: Any
    adjoint: Any


@dataclass(slots=True, eq=False)
class Vertex:
    """A node of the picture: one value, or all of a folded call or loop."""

    number: int
    kind: Kind
    title: str
    line: int
    statement: str
    clusters: Path = field(repr=False)
    shown: list[Shown] = field(default_factory=list)
    entry: Entry | None = field(default=None, repr=False)
    """The value that the node shows, if it shows only one."""
    named: bool = False
    detached: bool = False


@dataclass(slots=True, eq=False)
class Edge:
    """A dependence: `target` reads `source`.

    `partial` is the derivative of the target with respect to the source, `amount` the contribution of the edge to the
    adjoint of the source: `partial` times the adjoint of the target. Both are None for arrays or several values.
    """

    source: Vertex
    target: Vertex
    partial: Any = None
    amount: Any = None
    detached: bool = False
    dashed: bool = False
    """Whether the edge contributes nothing because it, or its target, is detached."""
    count: int = 0
    entries: set[Entry] = field(default_factory=set, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """The nodes and edges that are drawn, and the run that they were found in."""

    title: str
    vertices: tuple[Vertex, ...]
    edges: tuple[Edge, ...]
    trace: Traced = field(repr=False)

    def terms(self, vertex: Vertex) -> Contributions | None:
        """The terms of the adjoint of a node that is one value: one per path if there are few, else one per use."""
        if vertex.entry is None or is_written(vertex.entry):
            return None
        return terms_of(self.trace, vertex.entry, vertex.shown[0].name or vertex.title)


def call_title(frame: Call) -> str:
    """A call, its arguments left out where they are long."""
    text = frame.place.text[frame.place.column : frame.place.end_column].strip()
    return text if text.endswith(")") and len(text) <= 32 else f"{frame.function}(…)"


def cluster_title(frame: Frame) -> str:
    """The title of the box of an open call or iteration."""
    if isinstance(frame, Iteration):
        loc = frame.loop.node.loc
        return f"{(loc.statement or loc.text.strip()).rstrip(':')}: {frame.trip + 1} of {frame.loop.times}"
    return f"{call_title(frame)}, line {frame.place.line}"
