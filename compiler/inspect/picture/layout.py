"""Lay out a graph in layers, each node below the nodes that it reads; an open call or iteration is a box.

Each box is laid out by itself, and is then one large node of the box around it. This makes no cycles, because a call
ends before anything after it begins.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from backsweep.inspect.picture.vertices import Drawn, Edge, Vertex, cluster_title
from backsweep.inspect.recording.figures import short
from backsweep.inspect.recording.paths import Path

CHARACTER, LINE = 6.7, 15.0
GAP, BETWEEN, MARGIN, HEAD = 26.0, 50.0, 14.0, 22.0
SWEEPS = 12
MOST_USES, STUB = 12, 22.0
"""A node that more edges leave is only named where it is read: each of its edges is drawn as a stub of this length."""


@dataclass(slots=True, eq=False)
class Item:
    """An item of the layout: a vertex, a box with its contents, or (if neither is set) a bend of a long edge."""

    width: float
    height: float
    vertex: Vertex | None = None
    title: str = ""
    inner: Plan | None = None
    layer: int = 0
    x: float = 0.0
    y: float = 0.0
    """The vertical centre, relative to the box around it."""
    row: tuple[float, float] = (0.0, 0.0)
    """The top and bottom of its layer, which may hold taller items."""
    above: list[Item] = field(default_factory=list)
    below: list[Item] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Plan:
    """The contents of a box with their places, and the bends of edges inside the box or to and from outside."""

    items: list[Item]
    bends: dict[Ends, list[Item]]
    width: float
    height: float


Ends = tuple[Item | Vertex, Item | Vertex]
"""The ends of an edge in a box; an end that is a vertex lies outside the box."""


@dataclass(slots=True, eq=False)
class Placed:
    """The whole picture: the middle and size of each vertex, boxes with their titles, and the points of each edge."""

    width: float
    height: float
    vertices: dict[Vertex, tuple[float, float, float, float]]
    boxes: list[tuple[str, float, float, float, float]]
    edges: list[tuple[Edge, list[tuple[float, float]]]]
    stubs: list[tuple[Edge, list[tuple[float, float]]]]
    """The edges that are drawn at their targets only."""


def lines_of(vertex: Vertex) -> list[tuple[str, str]]:
    """The lines of text on a vertex, each with its kind: "title", "value" or "adjoint"."""
    found = [("title", vertex.title)]
    for shown in vertex.shown:
        name = f"{shown.name}: " if shown.name else ""
        found.append(("value", name + short(shown.value, 6)))
        if shown.adjoint is not None:
            found.append(("adjoint", short(shown.adjoint, 6)))
    return found


def place(graph: Drawn) -> Placed:
    """The places of all nodes and edges of a graph."""
    uses = Counter(edge.source for edge in graph.edges)
    routed = [edge for edge in graph.edges if uses[edge.source] <= MOST_USES]
    plan = _plan(graph, routed, ())
    placed = Placed(plan.width + 2 * MARGIN, plan.height + 2 * MARGIN, {}, [], [], [])
    chains: dict[Vertex, list[tuple[Plan, Item]]] = {}
    offsets: dict[Plan, tuple[float, float]] = {}
    _collect(plan, MARGIN, MARGIN, [], placed, chains, offsets)
    for edge in routed:
        if edge.source in chains and edge.target in chains:
            placed.edges.append((edge, _points(edge, placed, chains, offsets)))
    for edge in graph.edges:
        if uses[edge.source] > MOST_USES and edge.target in placed.vertices:
            x, y, _, height = placed.vertices[edge.target]
            placed.stubs.append((edge, [(x, y - height / 2 - STUB), (x, y - height / 2)]))
    _fan(placed, placed.edges, 0, 1)
    _fan(placed, [*placed.edges, *placed.stubs], -1, -2)
    for _, points in placed.stubs:
        points[0] = (points[-1][0], points[0][1])
    return placed


def _fan(
    placed: Placed, edges: Sequence[tuple[Edge, list[tuple[float, float]]]], end: int, near: int
) -> None:
    """Spread the ends of the edges of each node side by side, in the order of their directions."""
    meeting: dict[Vertex, list[list[tuple[float, float]]]] = {}
    for edge, points in edges:
        meeting.setdefault(edge.source if end == 0 else edge.target, []).append(points)
    for vertex, lines in meeting.items():
        width = placed.vertices[vertex][2]
        step = min(16.0, 0.6 * width / len(lines))
        lines.sort(key=lambda points: _first_turn(points if end == 0 else points[::-1]))
        for k, points in enumerate(lines):
            x, y = points[end]
            aside = x + (k - (len(lines) - 1) / 2) * step
            if len(points) > 2 and points[near][0] == x:
                points[near] = (aside, points[near][1])
            points[end] = (aside, y)


def _first_turn(points: Sequence[tuple[float, float]]) -> float:
    """How far to the right an edge first goes."""
    return next((x for x, _ in points if x != points[0][0]), points[0][0])


def _collect(
    plan: Plan,
    left: float,
    top: float,
    around: list[tuple[Plan, Item]],
    placed: Placed,
    chains: dict[Vertex, list[tuple[Plan, Item]]],
    offsets: dict[Plan, tuple[float, float]],
) -> None:
    """Convert the places in a box to places in the whole picture."""
    offsets[plan] = (left, top)
    for item in plan.items:
        chain = [*around, (plan, item)]
        x, y = left + item.x, top + item.y
        if item.vertex is not None:
            placed.vertices[item.vertex] = (x, y, item.width, item.height)
            chains[item.vertex] = chain
        elif item.inner is not None:
            corner = x - item.width / 2, y - item.height / 2
            placed.boxes.append((item.title, *corner, item.width, item.height))
            _collect(item.inner, corner[0] + MARGIN, corner[1] + HEAD, chain, placed, chains, offsets)


def _points(
    edge: Edge,
    placed: Placed,
    chains: Mapping[Vertex, list[tuple[Plan, Item]]],
    offsets: Mapping[Plan, tuple[float, float]],
) -> list[tuple[float, float]]:
    """The points that an edge goes through, from the lower end of its source to the upper end of its target."""
    x, y, _, height = placed.vertices[edge.source]
    points = [(x, y + height / 2)]
    ours, theirs = chains[edge.source], chains[edge.target]
    points.append((x, offsets[ours[-1][0]][1] + ours[-1][1].row[1]))
    fork = next(k for k, (one, other) in enumerate(zip(ours, theirs, strict=False)) if one != other)
    ways: list[tuple[Plan, Ends]] = [(plan, (item, edge.target)) for plan, item in reversed(ours[fork + 1 :])]
    ways.append((ours[fork][0], (ours[fork][1], theirs[fork][1])))
    ways += [(plan, (edge.source, item)) for plan, item in theirs[fork + 1 :]]
    for plan, ends in ways:
        left, top = offsets[plan]
        for bend in plan.bends.get(ends, []):
            points.append((left + bend.x, top + bend.y - bend.height / 2))
            points.append((left + bend.x, top + bend.y + bend.height / 2))
    x, y, _, height = placed.vertices[edge.target]
    points.append((x, offsets[theirs[-1][0]][1] + theirs[-1][1].row[0]))
    points.append((x, y - height / 2))
    return _without_repeats(points)


def _without_repeats(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The points without inner points that are hardly below the point before."""
    found = points[:1]
    for point in points[1:-1]:
        if point[1] - found[-1][1] > 1.0 or point[0] != found[-1][0]:
            found.append(point)
    if len(found) > 1 and points[-1][1] - found[-1][1] <= 1.0 and found[-1][0] == points[-1][0]:
        found.pop()
    return [*found, points[-1]]


def _plan(graph: Drawn, edges: Sequence[Edge], around: Path) -> Plan:
    """The layout of the direct contents of a box."""
    depth = len(around)
    items: dict[Any, Item] = {}
    home: dict[Vertex, Item] = {}
    for vertex in graph.vertices:
        if vertex.clusters[:depth] != around:
            continue
        key: Any = vertex if vertex.clusters == around else vertex.clusters[depth]
        if key not in items:
            items[key] = _vertex(vertex) if key is vertex else _box(graph, edges, (*around, key))
        home[vertex] = items[key]
    pairs: dict[Ends, None] = {}
    for edge in edges:
        one, other = home.get(edge.source, edge.source), home.get(edge.target, edge.target)
        if one is not other and (isinstance(one, Item) or isinstance(other, Item)):
            pairs[one, other] = None
    return _layered(list(items.values()), list(pairs))


def _vertex(vertex: Vertex) -> Item:
    lines = lines_of(vertex)
    longest = max(len(text) * (1.08 if what == "title" and vertex.named else 1.0) for what, text in lines)
    width, height = longest * CHARACTER + 16, len(lines) * LINE + 10
    if vertex.kind == "leaf":
        width, height = width * 1.3, height * 1.25
    elif vertex.kind == "result":
        width, height = width * 1.2 + 8, height * 1.2 + 8
    return Item(width, height, vertex)


def _box(graph: Drawn, edges: Sequence[Edge], clusters: Path) -> Item:
    inner, title = _plan(graph, edges, clusters), cluster_title(clusters[-1])
    width = max(inner.width + 2 * MARGIN, len(title) * 6.0 + 16)
    return Item(width, inner.height + HEAD + MARGIN, title=title, inner=inner)


def _layered(items: list[Item], pairs: Sequence[Ends]) -> Plan:
    """Arrange items in layers: choose the layer, the order within it, and the horizontal place of each item."""
    _choose_layers(items, [ends for ends in pairs if isinstance(ends[0], Item) and isinstance(ends[1], Item)])
    bends: dict[Ends, list[Item]] = {}
    layers: list[list[Item]] = [[] for _ in range(1 + max((item.layer for item in items), default=0))]
    for item in items:
        layers[item.layer].append(item)
    for one, other in pairs:
        first = one.layer + 1 if isinstance(one, Item) else 0
        last = other.layer if isinstance(other, Item) else len(layers)
        bends[one, other] = [Item(8.0, 0.0, layer=layer) for layer in range(first, last)]
        for bend in bends[one, other]:
            layers[bend.layer].append(bend)
        chain = [each for each in (one, *bends[one, other], other) if isinstance(each, Item)]
        for upper, lower in itertools.pairwise(chain):
            upper.below.append(lower)
            lower.above.append(upper)
    _order(layers)
    _shift(layers)
    return _finished(items, bends, layers)


def _choose_layers(items: list[Item], pairs: Sequence[Ends]) -> None:
    """Choose layers: each item is below all that it reads; an item that reads nothing is directly above its first use."""
    below: dict[Item, list[Item]] = {item: [] for item in items}
    waiting: dict[Item, int] = dict.fromkeys(items, 0)
    for one, other in pairs:
        assert isinstance(one, Item)
        assert isinstance(other, Item)
        below[one].append(other)
        waiting[other] += 1
    sources = [item for item in items if not waiting[item]]
    ready = list(sources)
    while ready:
        item = ready.pop()
        for other in below[item]:
            other.layer = max(other.layer, item.layer + 1)
            waiting[other] -= 1
            if not waiting[other]:
                ready.append(other)
    for item in sources:
        if below[item]:
            item.layer = min(other.layer for other in below[item]) - 1


def _order(layers: list[list[Item]]) -> None:
    """Order each layer so that items are near their neighbours in the next layer and few edges cross."""
    best, fewest = [list(layer) for layer in layers], _crossings(layers)
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        for layer in layers if down else reversed(layers):
            position = {item: k for others in layers for k, item in enumerate(others)}

            def middle(item: Item, position: Mapping[Item, int] = position) -> float:
                near = item.above if down else item.below  # noqa: B023  called at once
                return sum(position[other] for other in near) / len(near) if near else position[item]

            layer.sort(key=middle)
        crossings = _crossings(layers)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in layers], crossings
    for layer, found in zip(layers, best, strict=True):
        layer[:] = found


def _crossings(layers: list[list[Item]]) -> int:
    total = 0
    for upper, lower in itertools.pairwise(layers):
        position = {item: k for k, item in enumerate(lower)}
        ends = [position[other] for item in upper for other in sorted(item.below, key=position.__getitem__)]
        total += sum(one > other for k, one in enumerate(ends) for other in ends[k + 1 :])
    return total


def _shift(layers: list[list[Item]]) -> None:
    """Move each item as near to the middle of its neighbours as its layer allows."""
    for layer in layers:
        right = 0.0
        for item in layer:
            item.x = right + item.width / 2
            right += item.width + GAP
    for sweep in range(SWEEPS):
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            wanted = []
            for item in layer:
                near = [other.x for other in (*item.above, *item.below)]
                wanted.append(sum(near) / len(near) if near else item.x)
            for item, x in zip(layer, _spread(layer, wanted), strict=True):
                item.x = x


def _spread(layer: Sequence[Item], wanted: Sequence[float]) -> list[float]:
    """The places nearest to the wanted places at which the items of a layer do not overlap."""
    offsets = [0.0]
    for one, other in itertools.pairwise(layer):
        offsets.append(offsets[-1] + (one.width + other.width) / 2 + GAP)
    groups: list[tuple[float, int]] = []
    for offset, x in zip(offsets, wanted, strict=True):
        total, count = x - offset, 1
        while groups and groups[-1][0] / groups[-1][1] > total / count:
            more, others = groups.pop()
            total, count = total + more, count + others
        groups.append((total, count))
    shifts = [total / count for total, count in groups for _ in range(count)]
    return [offset + shift for offset, shift in zip(offsets, shifts, strict=True)]


def _finished(items: list[Item], bends: dict[Ends, list[Item]], layers: list[list[Item]]) -> Plan:
    """Stack the layers, and shift all items to the origin of the box."""
    left = min((item.x - item.width / 2 for layer in layers for item in layer), default=0.0)
    right = max((item.x + item.width / 2 for layer in layers for item in layer), default=0.0)
    top = 0.0
    for layer in layers:
        height = max((item.height for item in layer), default=0.0)
        for item in layer:
            item.x -= left
            item.y = top + height / 2
            item.row = (top, top + height)
            if item.vertex is None and item.inner is None:
                item.height = height
        top += height + BETWEEN
    return Plan(items, bends, right - left, max(0.0, top - BETWEEN))
