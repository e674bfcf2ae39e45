"""A graph as a web page: SVG, and a script that pans, zooms and shows details; the page needs no network."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Sequence
from importlib import resources

import numpy as np

from backsweep.display import markup
from backsweep.inspect.picture.layout import LINE, Placed, lines_of, place
from backsweep.inspect.picture.vertices import Drawn, Edge, Vertex
from backsweep.inspect.recording.figures import full, short

Lines = list[tuple[str, str]]
MOST_EXPLAINED = 400
"""The largest number of nodes for which the page shows the paths from each node."""

STYLE = """
.bs-display .bs-graph { display: flex; font: 12px Helvetica, Arial, sans-serif; height: 100%; }
.bs-display .bs-graph svg { flex: 1; min-width: 0; height: 100%; cursor: grab; touch-action: none; }
.bs-display .bs-graph .told { width: 24em; overflow: auto; padding: 12px; border-left: 1px solid var(--bs-rule); white-space: pre-wrap;
  font: 12px ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.bs-display .bs-graph .title { font-weight: bold; margin-bottom: 6px; }
.bs-display .bs-graph .value { color: var(--bs-value); fill: var(--bs-value); }
.bs-display .bs-graph .adjoint { color: var(--bs-adjoint); fill: var(--bs-adjoint); }
.bs-display .bs-graph .partial { color: var(--bs-partial); fill: var(--bs-partial); }
.bs-display .bs-graph .note { color: var(--bs-faint); margin-top: 8px; }
.bs-display .bs-graph .edge path { fill: none; stroke: var(--bs-faint); }
.bs-display .bs-graph .edge .wide { stroke: transparent; stroke-width: 10; }
.bs-display .bs-graph .edge.dashed path.line { stroke-dasharray: 5 4; stroke: var(--bs-faint); }
.bs-display .bs-graph .edge text { font-size: 10px; text-anchor: middle; paint-order: stroke; stroke: var(--bs-paper); stroke-width: 3px; }
.bs-display .bs-graph .edge .from { fill: var(--bs-faint); }
.bs-display .bs-graph .node text { text-anchor: middle; }
.bs-display .bs-graph .node :is(.named, .name) { fill: var(--bs-ink); }
.bs-display .bs-graph marker path { fill: var(--bs-faint); }
.bs-display .bs-graph .node .named { font-weight: bold; }
.bs-display .bs-graph .node .shape { fill: var(--bs-paper); stroke: var(--bs-faint); }
.bs-display .bs-graph .node.is-leaf .shape { fill: var(--bs-leaf); }
.bs-display .bs-graph .node.is-folded .shape { fill: var(--bs-folded); }
.bs-display .bs-graph .node.is-result .shape { fill: var(--bs-result); }
.bs-display .bs-graph .node.is-detached .shape { stroke-dasharray: 5 4; stroke: var(--bs-faint); }
.bs-display .bs-graph .box rect { fill: none; stroke: var(--bs-rule); }
.bs-display .bs-graph .box text { font-size: 10px; fill: var(--bs-faint); }
.bs-display .bs-graph .far { opacity: 0.25; }
.bs-display .bs-graph .edge.near path.line { stroke: var(--bs-ink); stroke-width: 2; }
"""


HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" data-width="{:.0f}" data-height="{:.0f}">'
    '<defs><marker id="bs-head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" '
    'orient="auto"><path d="M0 0 8 4 0 8z" stroke="none"/></marker></defs><g class="scene">'
)


def page(graph: Drawn) -> str:
    """The whole page."""
    title = html.escape(graph.title)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        "<style>html, body { margin: 0; height: 100%; } .bs-display { height: 100%; margin: 0 !important; border: 0 !important; }"
        f"</style></head><body>\n{inline(graph, '100%')}\n</body></html>\n"
    )


def inline(graph: Drawn, height: str = "520px") -> str:
    """The picture with its script, to embed in a page."""
    script = resources.files("backsweep.inspect").joinpath("data/graph.js").read_text(encoding="utf-8")
    data = json.dumps(
        {"nodes": list(_lines_of_vertices(graph)), "edges": [_lines_of_edge(edge) for edge in graph.edges]}
    )
    data = data.replace("<", "\\u003c")
    body = (
        f'<div style="height:{height}"><div class="bs-graph">{svg(graph)}'
        f'<div class="told"><div class="title">{html.escape(graph.title)}</div>'
        '<div class="value">blue: values</div><div class="adjoint">red: adjoints</div>'
        '<div class="partial">violet: partial derivatives</div>'
        '<div class="note">Drag to move, scroll to zoom, double-click to see everything. Point at a node to see its line, '
        "its value, and the terms that add up to its adjoint.</div></div>"
        f'<script type="application/json">{data}</script><script>{script}</script></div></div>'
    )
    return markup.display(body, STYLE)


def svg(graph: Drawn) -> str:
    """The picture as SVG, in Backsweep's own layout."""
    placed = place(graph)
    parts = [HEAD.format(placed.width, placed.height)]
    for title, left, top, width, height in placed.boxes:
        frame = f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}" rx="8"/>'
        parts.append(
            f'<g class="box">{frame}<text x="{left + 8:.1f}" y="{top + 13:.1f}">{html.escape(title)}</text></g>'
        )
    number = {edge: k for k, edge in enumerate(graph.edges)}
    ids = {vertex: k for k, vertex in enumerate(graph.vertices)}
    labels, above = _Labels(), []
    for edge, points in _apart(placed):
        ends = f'data-edge="{number[edge]}" data-from="{ids[edge.source]}" data-to="{ids[edge.target]}"'
        parts.append(_line(edge, points, ends))
        above.append(_label(edge, points, ends, labels))
    for edge, points in placed.stubs:
        ends = f'data-edge="{number[edge]}" data-from="{ids[edge.source]}" data-to="{ids[edge.target]}"'
        parts.append(_line(edge, points, ends))
        name = _text("from", points[0][0], points[0][1] - 2, edge.source.title)
        above.append(f'<g class="edge" {ends}>{name}</g>')
    parts += above
    parts += [_node(vertex, k, *placed.vertices[vertex]) for vertex, k in ids.items()]
    return "".join([*parts, "</g></svg>"])


def _apart(placed: Placed) -> Iterator[tuple[Edge, list[tuple[float, float]]]]:
    """The edges, with two edges between the same nodes moved apart."""
    same: dict[tuple[Vertex, Vertex], int] = {}
    for edge, _ in placed.edges:
        same[edge.source, edge.target] = same.get((edge.source, edge.target), 0) + 1
    seen: dict[tuple[Vertex, Vertex], int] = {}
    for edge, points in placed.edges:
        ends = edge.source, edge.target
        place_, count = seen.get(ends, 0), same[ends]
        seen[ends] = place_ + 1
        shift = (place_ - (count - 1) / 2) * 26
        if not shift:
            yield edge, points
            continue
        (x0, y0), (x1, y1) = points[0], points[-1]
        middle = points[1:-1] or [((x0 + x1) / 2, (y0 + y1) / 2)]
        yield edge, [points[0], *((x + shift, y) for x, y in middle), points[-1]]


def _line(edge: Edge, points: Sequence[tuple[float, float]], ends: str) -> str:
    """The line of an edge, and a wide invisible line that is easier to point at."""
    line = _curve(points)
    dashed = " dashed" if edge.dashed else ""
    return (
        f'<g class="edge{dashed}" {ends}><path class="line" d="{line}" marker-end="url(#bs-head)"/>'
        f'<path class="wide" d="{line}"/></g>'
    )


def _label(edge: Edge, points: Sequence[tuple[float, float]], ends: str, labels: _Labels) -> str:
    """The partial derivative on an edge."""
    label = (
        "stopped" if edge.detached else "" if edge.partial is None or edge.dashed else short(edge.partial, 5)
    )
    if not label:
        return ""
    x, y = labels.place(points, len(label) * 6.0)
    return f'<g class="edge" {ends}>{_text("partial", x, y + 3, label)}</g>'


class _Labels:
    """The places of the labels of edges, which must not overlap."""

    def __init__(self) -> None:
        self.taken: list[tuple[float, float, float]] = []

    def place(self, points: Sequence[tuple[float, float]], width: float) -> tuple[float, float]:
        """A free place for a label on the first segment of an edge, as near to its middle as possible."""
        (x0, y0), (x1, y1) = points[0], points[1]
        found: list[tuple[float, float]] = []
        for part in (0.5, 0.62, 0.38, 0.74, 0.26, 0.86):
            ease = part * part * (3 - 2 * part)
            found.append((x0 + ease * (x1 - x0), y0 + part * (y1 - y0)))
            if not self.meets(*found[-1], width):
                break
        else:
            found.append(found[0])
        self.taken.append((*found[-1], width))
        return found[-1]

    def meets(self, x: float, y: float, width: float) -> bool:
        """Whether a label at this place would overlap another label."""
        return any(
            abs(x - left) < (width + other) / 2 + 3 and abs(y - top) < 11 for left, top, other in self.taken
        )


def _curve(points: Sequence[tuple[float, float]]) -> str:
    """A smooth line through the points, vertical at each point."""
    x0, y0 = points[0]
    parts = [f"M{x0:.1f} {y0:.1f}"]
    for x1, y1 in points[1:]:
        bend = max(8.0, (y1 - y0) * 0.45)
        parts.append(f"C{x0:.1f} {y0 + bend:.1f} {x1:.1f} {y1 - bend:.1f} {x1:.1f} {y1:.1f}")
        x0, y0 = x1, y1
    return "".join(parts)


def _node(vertex: Vertex, number: int, x: float, y: float, width: float, height: float) -> str:
    """A node; its shape shows its kind."""
    lines = lines_of(vertex)
    left, top = x - width / 2, y - height / 2
    match vertex.kind:
        case "leaf":
            shape = f'<ellipse class="shape" cx="{x:.1f}" cy="{y:.1f}" rx="{width / 2:.1f}" ry="{height / 2:.1f}"/>'
        case "result":
            shape = _octagon(x, y, width, height) + _octagon(x, y, width - 8, height - 8)
        case "folded":
            size = f'width="{width:.1f}" height="{height:.1f}"'
            shape = f'<rect class="shape" x="{left + 4:.1f}" y="{top - 4:.1f}" {size}/>'
            shape += f'<rect class="shape" x="{left:.1f}" y="{top:.1f}" {size}/>'
        case _:
            size = f'width="{width:.1f}" height="{height:.1f}"'
            shape = f'<rect class="shape" x="{left:.1f}" y="{top:.1f}" {size} rx="7"/>'
    first = y - (len(lines) - 1) * LINE / 2 + 4
    texts = "".join(
        _text(what if what != "title" else "named" if vertex.named else "name", x, first + k * LINE, text)
        for k, (what, text) in enumerate(lines)
    )
    kind = f"is-{vertex.kind}" + (" is-detached" if vertex.detached else "")
    return f'<g class="node {kind}" data-node="{number}">{shape}{texts}</g>'


def _text(kind: str, x: float, y: float, text: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{html.escape(text)}</text>'


def _octagon(x: float, y: float, width: float, height: float) -> str:
    a, b = width / 2, height / 2
    c = min(a, b) * 0.5
    corners = [
        (-a, -b + c),
        (-a + c, -b),
        (a - c, -b),
        (a, -b + c),
        (a, b - c),
        (a - c, b),
        (-a + c, b),
        (-a, b - c),
    ]
    points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
    return f'<polygon class="shape" points="{points}"/>'


# What the page tells


def _lines_of_vertices(graph: Drawn) -> Iterator[Lines]:
    for vertex in graph.vertices:
        lines: Lines = [("title", vertex.title), ("place", f"line {vertex.line}: {vertex.statement}")]
        for shown in vertex.shown:
            lines.append(("value", f"{shown.name or 'value'} = {full(shown.value)}"))
            if shown.adjoint is not None:
                lines.append(("adjoint", f"adjoint = {full(shown.adjoint)}"))
        yield lines + _terms(graph, vertex)


def _terms(graph: Drawn, vertex: Vertex) -> Lines:
    """The terms whose sum is the adjoint of a vertex: one for each path, or else one for each edge."""
    if vertex.detached:
        return [("note", "The derivative is stopped on the way to the result.")]
    found = graph.terms(vertex) if len(graph.vertices) <= MOST_EXPLAINED else None
    if found is not None and found.by_path and found.terms:
        count = len(found.terms)
        lines: Lines = [("note", f"{count} path{'s' if count != 1 else ''} to the result:")]
        for term in found.terms:
            factors = " × ".join(short(factor, 5) for factor in term.factors) or "1"
            lines.append(("partial", f"{short(term.amount)} = {factors}"))
            lines.append(("place", "  " + " → ".join(term.steps[1:])))
        return [*lines, ("adjoint", f"sum = {full(found.total)}")]
    lines = []
    for edge in graph.edges:
        if edge.source is vertex and edge.amount is not None and np.ndim(edge.amount) == 0:
            factors = "" if edge.partial is None else f" ({short(edge.partial, 5)} × adjoint)"
            lines.append(("partial", f"{short(edge.amount)} from {edge.target.title}{factors}"))
    return [("note", "contributions:"), *lines] if lines else []


def _lines_of_edge(edge: Edge) -> Lines:
    lines: Lines = [("title", f"{edge.source.title} → {edge.target.title}")]
    if edge.detached:
        return [*lines, ("note", "The derivative is stopped here.")]
    if edge.partial is not None:
        lines.append(("partial", f"partial derivative = {full(edge.partial)}"))
    if edge.amount is not None and np.ndim(edge.amount) == 0:
        lines.append(("adjoint", f"contributes {full(edge.amount)}"))
    return lines
