"""Write a graph in the language of Graphviz, and draw it with Graphviz's `dot`."""

from __future__ import annotations

import html
import shutil
import subprocess
from collections.abc import Iterator

import numpy as np

from backsweep.diagnostics import ArgumentError, Problem
from backsweep.inspect.picture.vertices import Drawn, Edge, Vertex, cluster_title
from backsweep.inspect.recording.figures import full, short
from backsweep.inspect.recording.paths import Path

VALUE, ADJOINT, PARTIAL, GREY = "#1f5fa8", "#b3401a", "#6a3d9a", "#8a8a8a"
SHAPES = {
    "leaf": 'shape=ellipse, style="filled", fillcolor="#e8f1fa"',
    "value": 'shape=box, style="rounded,filled", fillcolor="#ffffff"',
    "folded": 'shape=box, peripheries=2, style="filled", fillcolor="#f3f0e6"',
    "result": 'shape=doubleoctagon, style="filled", fillcolor="#fdeee6"',
}


def dot_text(graph: Drawn) -> str:
    """The DOT text."""
    lines = [
        "digraph backsweep {",
        f'  label="{_quoted(graph.title)}"; labelloc=t; fontname="Helvetica"; rankdir=TB; ranksep=0.35; nodesep=0.25;',
        '  node [fontname="Helvetica", fontsize=11, margin="0.08,0.04"];',
        f'  edge [fontname="Helvetica", fontsize=10, arrowsize=0.6, color="#555555", fontcolor="{PARTIAL}"];',
        *_within(graph, (), "  "),
        *(f"  {_edge(edge)}" for edge in graph.edges),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _within(graph: Drawn, around: Path, indent: str) -> Iterator[str]:
    """The vertices of a cluster, and the clusters in it."""
    depth = len(around)
    inner: dict[object, None] = {}
    for vertex in graph.vertices:
        if vertex.clusters == around:
            yield f"{indent}{_vertex(vertex)}"
        elif vertex.clusters[:depth] == around:
            inner[vertex.clusters[depth]] = None
    for frame in inner:
        clusters = (*around, frame)
        number = min(vertex.number for vertex in graph.vertices if vertex.clusters[: depth + 1] == clusters)
        yield f"{indent}subgraph cluster_{depth}_{number} {{"
        title = _quoted(cluster_title(frame))  # type: ignore[arg-type]
        yield f'{indent}  label="{title}"; labeljust=l; fontsize=10; style="rounded"; color="#b8b8b8";'
        yield from _within(graph, clusters, indent + "  ")  # type: ignore[arg-type]
        yield f"{indent}}}"


def _vertex(vertex: Vertex) -> str:
    """A node: its title, its values in blue, their adjoints in red."""
    parts = [f"<B>{html.escape(vertex.title)}</B>" if vertex.named else html.escape(vertex.title)]
    for shown in vertex.shown:
        name = f"{html.escape(shown.name)}: " if shown.name else ""
        parts.append(f'{name}<FONT COLOR="{VALUE}">{html.escape(short(shown.value, 6))}</FONT>')
        if shown.adjoint is not None:
            parts.append(f'<FONT COLOR="{ADJOINT}">{html.escape(short(shown.adjoint, 6))}</FONT>')
    dashed = f', style="dashed", color="{GREY}"' if vertex.detached else ""
    tip = _quoted(tooltip(vertex))
    return (
        f'n{vertex.number} [label=<{"<BR/>".join(parts)}>, {SHAPES[vertex.kind]}{dashed}, tooltip="{tip}"];'
    )


def _edge(edge: Edge) -> str:
    """An edge with the partial derivative on it, dashed where the derivative is stopped."""
    ends = f"n{edge.source.number} -> n{edge.target.number}"
    if edge.detached:
        return f'{ends} [style=dashed, color="{GREY}", fontcolor="{GREY}", label="stopped"];'
    if edge.dashed:
        return f'{ends} [style=dashed, color="{GREY}"];'
    attributes = [] if edge.partial is None else [f'label=" {short(edge.partial, 5)}"']
    tip = edge_tip(edge)
    attributes += [f'tooltip="{_quoted(tip)}"', f'labeltooltip="{_quoted(tip)}"'] if tip else []
    return f"{ends} [{', '.join(attributes)}];" if attributes else f"{ends};"


def tooltip(vertex: Vertex) -> str:
    """The tooltip of a node: its line, its values and its adjoints, with all digits."""
    lines = [f"line {vertex.line}: {vertex.statement}"]
    for shown in vertex.shown:
        lines.append(f"{shown.name or 'value'} = {full(shown.value)}")
        if shown.adjoint is not None:
            lines.append(f"adjoint = {full(shown.adjoint)}")
    return "\n".join(lines)


def edge_tip(edge: Edge) -> str:
    """The tooltip of an edge: its contribution to the adjoint of its source."""
    if edge.amount is None or np.ndim(edge.amount) != 0:
        return ""
    amount = f"contributes {full(edge.amount)}"
    return amount if edge.partial is None else f"partial derivative {full(edge.partial)}, {amount}"


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def drawn(graph: Drawn, form: str) -> bytes:
    """The picture in a format of Graphviz; raises ArgumentError if Graphviz is not installed."""
    program = shutil.which("dot")
    if program is None:
        message = f"{form.upper()} pictures need Graphviz, and its `dot` program is not installed"
        remedy = 'install Graphviz, or save a web page, which does not need it: graph.save("graph.html").'
        raise ArgumentError(Problem("BS526", message, remedy=remedy))
    done = subprocess.run(  # noqa: S603  the program that was found, the text is our own
        [program, f"-T{form}"], input=dot_text(graph).encode(), capture_output=True, check=True
    )
    return done.stdout
