"""Make the computation graph of a run: its nodes, the nodes that are folded into one, and the labels of its edges."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path as File

import numpy as np

from backsweep.diagnostics import ArgumentError, Problem
from backsweep.inspect.picture.dot import dot_text, drawn
from backsweep.inspect.picture.page import inline, page
from backsweep.inspect.picture.vertices import Drawn, Edge, Kind, Shown, Vertex, call_title
from backsweep.inspect.recording.backwards import partials
from backsweep.inspect.recording.contributions import SIGNS, label
from backsweep.inspect.recording.followers import useful
from backsweep.inspect.recording.paths import Call, Frame, Iteration, Path
from backsweep.inspect.recording.recorded import (
    Entry,
    Event,
    Loop,
    adjoint_of,
    differentiable,
    is_custom,
    is_number,
)
from backsweep.inspect.recording.table import ALL, title, unrolled_loops
from backsweep.inspect.recording.variables import Traced, written_part
from backsweep.ir.nodes import Apply, Load, Store, Tap
from backsweep.rules.declare import Constant
from backsweep.rules.matching import matched
from backsweep.runtime.broadcasting import aligned, stretched
from backsweep.runtime.support.marks import stop_gradient

MOST_NODES = 5000
MOST_TRIPS, ENDS = 8, 2
"""A loop of more iterations is drawn with so many at either end; those between are one node."""


@dataclass(frozen=True, slots=True)
class Between:
    """The iterations of a long loop between those that are drawn."""

    loop: Loop

    @property
    def title(self) -> str:
        """Which iterations these are."""
        loc, times = self.loop.node.loc, self.loop.times
        return f"{(loc.statement or loc.text.strip()).rstrip(':')}: {ENDS + 1} to {times - ENDS} of {times}"


Folded = Frame | Loop | Between
"""What is one node: a call, a loop, or the iterations in its middle."""


class Graph(Drawn):
    """A computation graph. `str` is its DOT text; `vertices` and `edges` are the nodes and edges that are drawn."""

    def __str__(self) -> str:
        return self.dot()

    def dot(self) -> str:
        """The graph as text for Graphviz: values blue, adjoints red, partial derivatives on the edges."""
        return dot_text(self)

    def svg(self) -> str:
        """The picture as SVG text, drawn by Graphviz. Raises ArgumentError if Graphviz is not installed."""
        return drawn(self, "svg").decode()

    def png(self) -> bytes:
        """The picture as PNG bytes, drawn by Graphviz. Raises ArgumentError if Graphviz is not installed."""
        return drawn(self, "png")

    def html(self) -> str:
        """The picture as a web page that pans, zooms, and shows details of the node under the mouse."""
        return page(self)

    def save(self, path: str) -> None:
        """Write the picture to a file: .dot, .svg, .png or .html.

        Raises:
            ArgumentError: another ending, or Graphviz is needed and not installed.
        """
        file = File(path)
        match file.suffix:
            case ".dot" | ".gv":
                file.write_text(self.dot(), encoding="utf-8")
            case ".svg":
                file.write_text(self.svg(), encoding="utf-8")
            case ".html":
                file.write_text(self.html(), encoding="utf-8")
            case ".png":
                file.write_bytes(self.png())
            case ending:
                message = f"a graph cannot be saved as {ending or 'a file without an ending'!r}"
                remedy = "choose a name that ends in .html, .svg, .png or .dot."
                raise ArgumentError(Problem("BS524", message, remedy=remedy))

    def _repr_html_(self) -> str:
        """For Jupyter: the picture."""
        return inline(self)


def graph_of(trace: Traced, fold: Sequence[str], depth: int | None, loops: int | str) -> Graph:
    """The graph of a trace. Raises ArgumentError if it is too large to look at."""
    return _Drawing(trace, fold, depth, unrolled_loops("graph", loops, {"all": ALL})).graph()


class _Drawing:
    """Makes vertices from events; `home` maps each event to its vertex, `argument_vertices` maps each argument to its vertex."""

    def __init__(self, trace: Traced, fold: Sequence[str], depth: int | None, loops: int) -> None:
        self.trace = trace
        self.recorded = trace.recorded
        self.fold = set(fold)
        self.depth = ALL if depth is None else depth
        self.loops = loops
        self.most_trips = ALL if loops == ALL else MOST_TRIPS
        self.useful = useful(self.recorded)
        self.vertices: list[Vertex] = []
        self.home: dict[int, Vertex] = {}
        self.argument_vertices: dict[Entry, Vertex] = {}
        self.groups: dict[tuple[Path, object], Vertex] = {}
        self.shown: dict[int, Shown] = {}
        self.edges: dict[tuple[Vertex, Vertex, object], Edge] = {}

    def graph(self) -> Graph:
        """The graph, without vertices that nothing uses."""
        for name, entry in self.recorded.parameters.items():
            self.argument(name, entry)
        for event in self.recorded.events:
            if event.number in self.useful or self.names_memory(event):
                self.event(event)
        self.finish()
        self.mark_detached()
        self.dissolve()
        used = {end for edge in self.edges.values() for end in (edge.source, edge.target)}
        kept = tuple(each for each in self.vertices if each in used or each.kind in ("leaf", "result"))
        return Graph(title(self.trace), kept, tuple(self.edges.values()), self.trace)

    # Vertices

    def vertex(self, kind: Kind, title: str, line: int, statement: str, clusters: Path) -> Vertex:
        """A new vertex."""
        if len(self.vertices) == MOST_NODES:
            message = f"this graph has more than {MOST_NODES} nodes, too many to look at"
            remedy = "fold loops and calls: graph(loops=0, depth=1)."
            raise ArgumentError(Problem("BS525", message, remedy=remedy))
        found = Vertex(len(self.vertices), kind, title, line, statement, clusters)
        self.vertices.append(found)
        return found

    def argument(self, name: str, entry: Entry) -> None:
        """Make a leaf for an argument, or for each part of an argument that consists of floats."""
        if entry.items is not None:
            fields = getattr(entry.value, "_fields", None)
            for number, item in enumerate(entry.items):
                self.argument(f"{name}.{fields[number]}" if fields else f"{name}[{number}]", item)
        elif differentiable(entry):
            leaf = self.vertex("leaf", name, self.trace.line, "argument", ())
            leaf.named, leaf.entry = True, entry
            leaf.shown.append(Shown("", entry.seen, adjoint_of(entry)))
            self.argument_vertices[entry] = leaf

    def event(self, event: Event) -> None:
        """Draw an event: as a vertex, as part of a folded vertex, or as another name of an existing vertex."""
        sources = list(self.sources(event))
        if not differentiable(event.result) and event.result.items is None:
            return
        if not sources and not _names(event):
            return
        same = self.same(event, sources)
        if same is not None:
            self.home[event.number] = same
            return
        open_frames, folded = self.frames(self.trace.paths.of(event))
        if folded is not None:
            home = self.group(open_frames, folded)
        else:
            title = _title(event)
            home = self.vertex("value", title, event.loc.line, event.loc.statement, open_frames)
            home.named, home.entry = _names(event), event.result
            home.shown.append(Shown("", event.result.seen, adjoint_of(event.result)))
        self.home[event.number] = home
        for source, entry, position in sources:
            if source is not home:
                self.edge(source, home, event, entry, position)

    def names_memory(self, event: Event) -> bool:
        """Whether an event names an array on which the result depends only through later writes."""
        return (
            _names(event)
            and event.result.base is not None
            and any(number in self.home for number in event.sources[0])
        )

    def same(self, event: Event, sources: Sequence[tuple[Vertex, Entry, int]]) -> Vertex | None:
        """The vertex of the same number, if the event only names it again or reads it from memory."""
        value = (
            event.operands[1]
            if isinstance(event.node, Store)
            else event.operands[0]
            if event.operands
            else None
        )
        if len({vertex for vertex, _, _ in sources}) != 1 or value is None:
            return None
        source, node = sources[0][0], event.node
        path = self.trace.paths.of(event)
        _, folded = self.frames(path)
        if (
            isinstance(node, Apply)
            and node.function in (aligned, stretched)
            and event.result.value is value.value
        ):
            return source
        if _is_own_copy(event) and source.kind == "leaf":
            return source
        if folded is not None:
            return None
        if isinstance(node, Load) and event.sources and len(event.sources[0]) == 1:
            maker = event.sources[0][0]
            if maker >= 0 and isinstance(self.recorded.events[maker].node, Store) and source.kind != "folded":
                return source if is_number(self.recorded.events[maker].result) else None
        if _names(event) and not source.named and not (isinstance(node, Store) and node.accumulate):
            alone = source.kind == "value" and source.clusters == self.frames(path)[0]
            if alone or (source.kind == "folded" and len(source.clusters) == len(path)):
                source.named, source.entry = True, event.result
                source.title = _assigned(event, source.title)
                source.line, source.statement = event.loc.line, event.loc.statement
                source.shown[:] = [Shown("", event.result.seen, adjoint_of(event.result))]
                return source
        return None

    def frames(self, path: Path) -> tuple[Path, Folded | None]:
        """The frames of a path that are drawn open, and the first frame that is folded."""
        calls = loops = 0
        for position, frame in enumerate(path):
            if isinstance(frame, Call):
                calls += 1
                if frame.function in self.fold or calls > self.depth:
                    return path[:position], frame
            else:
                loops += 1
                if loops > self.loops:
                    return path[:position], frame.loop
                times = frame.loop.times
                if times > self.most_trips and ENDS <= frame.trip < times - ENDS:
                    return path[:position], Between(frame.loop)
        return path, None

    def group(self, open_frames: Path, folded: Folded) -> Vertex:
        """The vertex of a folded call or loop."""
        key = (open_frames, folded)
        if key not in self.groups:
            if isinstance(folded, Between):
                loc, title = folded.loop.node.loc, folded.title
            elif isinstance(folded, Loop):
                loc = folded.node.loc
                title = f"{(loc.statement or loc.text.strip()).rstrip(':')}  × {folded.times}"
            else:
                assert isinstance(folded, Call)
                loc = folded.place
                title = call_title(folded)
            self.groups[key] = self.vertex("folded", title, loc.line, loc.statement, open_frames)
        return self.groups[key]

    # Edges

    def sources(self, event: Event) -> Iterator[tuple[Vertex, Entry, int]]:
        """The vertices that an event reads, each with the entry and the position of the operand."""
        node = event.node
        if (
            isinstance(node, Apply)
            and node.function is not stop_gradient
            and isinstance(matched(node), Constant)
        ):
            return
        pairs = list(zip(event.operands, event.sources, strict=True))
        if isinstance(node, Apply) and node.function in (aligned, stretched):
            pairs = pairs[:1]  # only the shape of the other operand is read
        for position, (entry, numbers) in enumerate(pairs):
            if entry.root in self.argument_vertices and (not numbers or -1 in numbers):
                yield self.argument_vertices[entry.root], entry, position
            for number in numbers:
                if number in self.home:
                    yield self.home[number], entry, position

    def edge(self, source: Vertex, target: Vertex, event: Event, entry: Entry, position: int) -> None:
        """Add an edge; between single numbers there is an edge for each operand, otherwise one edge for all operands."""
        single = "folded" not in (source.kind, target.kind)
        key = (source, target, position if single else None)
        edge = self.edges.setdefault(key, Edge(source, target))
        edge.count += 1
        edge.entries.add(entry)
        node = event.node
        if isinstance(node, Apply) and node.function is stop_gradient:
            edge.detached = True
            return
        amounts = [term.amount for term in event.terms if term.source is entry]
        if not is_number(entry) or len(edge.entries) > 1:
            edge.amount = edge.partial = None
            return
        if single and is_number(event.result):
            found = [amount for each, amount in partials(event) or () if each is entry]
            repeated = sum(each is entry for each in event.operands)
            number = sum(each is entry for each in event.operands[:position])
            edge.partial = found[number] if len(found) == repeated else None
            edge.amount = amounts[number] if len(amounts) == repeated else None
        elif amounts:
            edge.amount = (0.0 if edge.amount is None else edge.amount) + sum(amounts)

    # After all events

    def finish(self) -> None:
        """Put values on folded vertices, and mark the vertex of the result."""
        result = self.recorded.result
        for entry in result.items or [result]:
            self.mark_result(entry)
        for vertex in self.vertices:
            if vertex.kind == "folded" and not vertex.shown:
                vertex.shown += self.outputs(vertex)

    def dissolve(self) -> None:
        """Remove the box around a single node."""
        count = Counter(
            vertex.clusters[:depth]
            for vertex in self.vertices
            for depth in range(1, len(vertex.clusters) + 1)
        )
        for vertex in self.vertices:
            while vertex.clusters and count[vertex.clusters] == 1:
                frame = vertex.clusters[-1]
                if isinstance(frame, Iteration):
                    vertex.title = f"{vertex.title}  ({frame.trip + 1} of {frame.loop.times})"
                vertex.clusters = vertex.clusters[:-1]

    def mark_result(self, entry: Entry) -> None:
        """Mark the vertex of the result; add a vertex of its own if that vertex also has another role."""
        home = self.argument_vertices.get(entry)
        if home is None and entry.event is not None:
            home = self.home.get(entry.event.number)
        if home is None:
            return
        if home.kind == "value":
            home.kind = "result"
            return
        last = self.vertex("result", "result", home.line, home.statement, ())
        last.entry = entry
        last.shown.append(Shown("", entry.seen, adjoint_of(entry)))
        self.edges[home, last, None] = Edge(home, last, 1.0 if is_number(entry) else None, entry.adjoint)

    def outputs(self, vertex: Vertex) -> list[Shown]:
        """The last values of the variables of a folded call or loop that are used outside it."""
        found: dict[str, Shown] = {}
        for event in self.recorded.events:
            if self.home.get(event.number) in (None, vertex):
                continue
            for entry, numbers in zip(event.operands, event.sources, strict=True):
                inside = [number for number in numbers if self.home.get(number) is vertex]
                if inside:
                    self.note_output(found, vertex, entry, inside[-1])
        last = self.recorded.result
        if last.event is not None and self.home.get(last.event.number) is vertex:
            self.note_output(found, vertex, last, last.event.number)
        return list(found.values())[-3:]

    def note_output(self, found: dict[str, Shown], vertex: Vertex, entry: Entry, number: int) -> None:
        """Note a value that is used outside: the value itself, or the last value stored in memory from outside."""
        event, made = self.recorded.events[number], entry.event
        if made is not None and self.groups.get(self.frames(self.trace.paths.of(made))) is vertex:
            event = made
        name = _name(event) if _names(event) else ""
        found[name] = Shown(name, event.result.seen, adjoint_of(event.result))

    def mark_detached(self) -> None:
        """Mark the vertices on which the result depends only through stopped gradients."""
        reached = {vertex for vertex in self.vertices if vertex.kind == "result"}
        waiting = list(reached)
        while waiting:
            target = waiting.pop()
            for edge in self.edges.values():
                if edge.target is target and not edge.detached and edge.source not in reached:
                    reached.add(edge.source)
                    waiting.append(edge.source)
        for vertex in self.vertices:
            vertex.detached = vertex not in reached
        for edge in self.edges.values():
            edge.dashed = edge.detached or edge.target.detached


def _is_own_copy(event: Event) -> bool:
    """Whether this is the function's own copy of an argument that it writes."""
    node = event.node
    return (
        isinstance(node, Apply)
        and node.function is np.copy
        and node.loc is getattr(node.operands[0], "loc", None)
    )


def _names(event: Event) -> bool:
    """Whether an event assigns a value to a variable or to a place in an array."""
    node = event.node
    return isinstance(node, Store) or (isinstance(node, Apply) and isinstance(node.function, Tap))


def _name(event: Event) -> str:
    """The name that an event assigns, without the name of the function."""
    node = event.node
    if isinstance(node, Store):
        return written_part(event) or f"{node.buffer.name}[…]"
    return label(event).rpartition(".")[2]


def _assigned(event: Event, title: str) -> str:
    """The target of an assignment, as the user wrote it if that is short."""
    statement = event.loc.statement
    if _unpacks(statement):
        return _name(event) if title == PART else f"{_name(event)} = {title}"
    short = "=" in statement and len(statement) <= 28 and not statement.startswith(("for ", "def "))
    return statement if short else f"{_name(event)} = {title}"


def _unpacks(statement: str) -> bool:
    """Whether a statement assigns the items of what it computes to several targets."""
    try:
        (found,) = ast.parse(statement).body
    except (SyntaxError, ValueError):  # the head of a statement with a body, or the text of several
        return False
    return isinstance(found, ast.Assign) and any(
        isinstance(target, ast.Tuple | ast.List) for target in found.targets
    )


PART = "part"
"""The title of a part of an array or a tuple that the user did not write as a short subscript."""


def _title(event: Event) -> str:
    """The title of an event: a function's name, an operator's sign, or the call as the user wrote it if that is short."""
    node = event.node
    if _names(event):
        return _name(event) + (" +=" if isinstance(node, Store) and node.accumulate else "")
    if is_custom(event):
        return label(event)
    if isinstance(node, Apply):
        name = getattr(node.function, "__name__", "?")
        return SIGNS.get(name, name)
    text = event.loc.text[event.loc.column : event.loc.end_column].strip()
    return text if text.endswith("]") and len(text) <= 24 else PART
