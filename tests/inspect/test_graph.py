"""The computation graph of a trace: its nodes, edges and clusters, and the pictures of it."""

from __future__ import annotations

import json
import math
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import backsweep as bs
from backsweep.inspect.cli.command_line import main
from backsweep.inspect.picture.layout import place
from tests.inspect.test_trace import X, formula, smooth
from tests.support.pages import printed, said


def titles(graph) -> list[str]:
    return [vertex.title for vertex in graph.vertices]


def test_a_formula_has_its_partial_derivatives_on_the_edges() -> None:
    graph = bs.trace(formula)(1.5, 0.5).graph()
    assert titles(graph) == ["x1", "x2", "sin", "+", "exp", "+", "/", "×", "+"]
    x1, x2 = graph.vertices[:2]
    assert [vertex.kind for vertex in (x1, x2, graph.vertices[2], graph.vertices[-1])] == [
        "leaf",
        "leaf",
        "value",
        "result",
    ]
    assert x2.shown[0].adjoint == 1.6165488003791766
    partials = [edge.partial for edge in graph.edges if edge.source is x2]
    assert partials == pytest.approx([math.cos(0.5), 1.0, 1.5])
    amounts = [edge.amount for edge in graph.edges if edge.source is x2]
    assert sum(amounts) == pytest.approx(1.6165488003791766, rel=1e-15)


def test_a_square_has_two_edges() -> None:
    def square(x):
        return x * x

    graph = bs.trace(square)(3.0).graph()
    assert [(edge.partial, edge.amount) for edge in graph.edges] == [(3.0, 3.0), (3.0, 3.0)]


def test_a_detached_branch_is_drawn_so() -> None:
    def f(x, w):
        u = x * w
        scale = bs.stop_gradient(math.exp(u))
        return (u + x) * scale

    graph = bs.trace(f)(0.5, 0.7).graph()
    (edge,) = (edge for edge in graph.edges if edge.detached)
    assert edge.source.title == "exp" and edge.source.detached
    assert not edge.target.detached
    assert 'style=dashed, color="#8a8a8a", fontcolor="#8a8a8a", label="stopped"' in str(graph)


def test_loops_are_folded_or_unrolled() -> None:
    trace = bs.trace(smooth)(X, 0.6)
    folded = trace.graph()
    assert titles(folded) == [
        "x",
        "w",
        "y = x.copy()",
        "loss",
        "for i in range(1, y.shape[0])  × 4",
        "result",
    ]
    unrolled = trace.graph(loops=1)
    assert titles(unrolled).count("y[i] = np.tanh(d)") == 3  # nothing reads what the last iteration stores
    assert str(unrolled).count("subgraph cluster_0_") == 4
    # what is stored in one iteration is read in the next
    stored = [vertex for vertex in unrolled.vertices if vertex.title == "y[i] = np.tanh(d)"]
    assert all(
        any(edge.source is vertex and edge.partial == 0.6 for edge in unrolled.edges) for vertex in stored
    )


def layer(a, w):
    b = np.tanh(w * a)
    return b + a


def net(x, w):
    y = layer(x, w)
    z = layer(y, w)
    return np.sum(z)


def test_calls_are_clusters_that_fold() -> None:
    trace = bs.trace(net)(X, 0.5)
    opened = str(trace.graph())
    assert opened.count("subgraph cluster_") == 2
    for graph in (trace.graph(depth=0), trace.graph(fold=("layer",))):
        assert titles(graph) == ["x", "w", "y = layer(x, w)", "z = layer(y, w)", "sum"]
        assert "subgraph" not in str(graph)


def test_what_the_result_is_made_of_is_all_that_is_drawn() -> None:
    def f(x):
        unused = math.exp(x)  # noqa: F841
        return x * 2.0

    assert titles(bs.trace(f)(1.0).graph()) == ["x", "×"]


def test_dot_text_is_quoted() -> None:
    def f(x):
        y = (x < 1.0) * x
        return y * 2.0

    text = bs.trace(f)(0.5).graph().dot()
    assert "x &lt; 1.0" in text
    assert text.startswith("digraph backsweep {") and text.endswith("}\n")
    assert text.count("{") == text.count("}")


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_draws_it(tmp_path: Path) -> None:
    graph = bs.trace(formula)(1.5, 0.5).graph()
    assert "<svg" in graph.svg()
    graph.save(str(tmp_path / "graph.png"))
    assert (tmp_path / "graph.png").read_bytes().startswith(b"\x89PNG")


def test_the_text_is_saved(tmp_path: Path) -> None:
    graph = bs.trace(formula)(1.5, 0.5).graph()
    graph.save(str(tmp_path / "graph.dot"))
    assert (tmp_path / "graph.dot").read_text(encoding="utf-8") == str(graph)


def test_the_page_stands_alone_and_tells_of_paths(tmp_path: Path) -> None:
    graph = bs.trace(formula)(1.5, 0.5).graph()
    graph.save(str(tmp_path / "graph.html"))
    page = (tmp_path / "graph.html").read_text(encoding="utf-8")
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")  # nothing is fetched
    assert page.count("data-node=") == len(graph.vertices)
    message = json.loads(re.search(r'<script type="application/json">(.*?)</script>', page, re.DOTALL)[1])
    lines = [line for _, line in message["nodes"][1]]
    assert lines[0] == "x2" and "adjoint = 1.6165488003791766" in lines and "3 paths to the result:" in lines
    assert "1.5 = 1.5 × 1" in lines and lines[-1].startswith("sum = 1.616548800379176")


@pytest.mark.parametrize("loops", [0, 1])
def test_nothing_overlaps_in_the_layout(loops: int) -> None:
    graph = bs.trace(smooth)(X, 0.6).graph(loops=loops)
    placed = place(graph)
    assert set(placed.vertices) == set(graph.vertices)
    assert len(placed.edges) == len(graph.edges)
    places = list(placed.vertices.values())
    for k, (x, y, width, height) in enumerate(places):
        for a, b, wide, high in places[k + 1 :]:
            assert abs(x - a) >= (width + wide) / 2 or abs(y - b) >= (height + high) / 2
    for edge, points in placed.edges:
        assert points[0][1] < points[-1][1], f"{edge.source.title} is not above {edge.target.title}"


def test_jupyter_shows_the_picture() -> None:
    html = bs.trace(formula)(1.5, 0.5).graph()._repr_html_()
    assert html.startswith("<div") and "<svg" in html


def test_the_page_of_the_documents_prints_what_it_says(tmp_path: Path) -> None:
    assert said("pictures.md") and printed("pictures.md", tmp_path) == said("pictures.md")


def test_what_is_drawn_is_short_in_an_interpreter() -> None:
    trace = bs.trace(smooth)(X, 0.6)
    graph = trace.graph(loops=1)
    for each in (*graph.vertices, *graph.edges, *trace.recorded.events, *trace["d"][0].path):
        assert len(repr(each)) < 1500
    w = trace["w"][0]
    assert repr(graph.vertices[1]) == (
        f"Vertex(number=1, kind='leaf', title='w', line={trace.line}, statement='argument', "
        f"shown=[Shown(name='', value={w.value!r}, adjoint={w.adjoint!r})], named=True, detached=False)"
    )


def test_all_loops_are_unrolled() -> None:
    def powers(x):
        total = 0.0
        for i in range(2):
            for _ in range(i + 1):
                total += x * x
        return total

    trace = bs.trace(powers)(1.5)
    assert titles(trace.graph(loops="all")) == titles(trace.graph(loops=2)) != titles(trace.graph(loops=1))


@pytest.mark.parametrize("loops", ["open", "ends", 0.5, -1, None])
def test_a_form_that_a_graph_does_not_have_is_refused(loops) -> None:
    with pytest.raises(bs.ArgumentError, match="a graph has no form loops="):
        bs.trace(smooth)(X, 0.6).graph(loops=loops)


def test_a_form_that_a_table_does_not_have_is_refused() -> None:
    with pytest.raises(bs.ArgumentError, match="a table has no form loops=-1"):
        bs.trace(smooth)(X, 0.6).table(loops=-1)


def test_from_a_shell(tmp_path: Path, capsys) -> None:
    program = tmp_path / "user_formula.py"
    program.write_text(
        "import math\n\n\ndef f(x, n):\n    for _ in range(n):\n        x = math.sin(x)\n    return x\n",
        encoding="utf-8",
    )
    picture = tmp_path / "graph.html"
    asked = ["trace", f"{program}:f", "--args", "0.5, 3", "--loops", "1", "--graph", str(picture)]
    assert main(asked) == 0
    shown = capsys.readouterr().out
    assert "f at x=0.5, n=3" in shown and "iteration 2" in shown and f"wrote {picture}" in shown
    assert "sin" in picture.read_text(encoding="utf-8")
    assert main(["trace", f"{program}:f", "--args", "0.5, 3", "--loops", "open"]) == 1
    assert "BS523" in capsys.readouterr().err
    assert main(["trace", f"{program}:f", "--args", "0.5, 3", "--loops", "all", "--graph", str(picture)]) == 0
    assert picture.read_text(encoding="utf-8").count("sin") > 3


@pytest.mark.parametrize("command", ["trace", "show", "emit", "explain", "stages", "check"])
@pytest.mark.parametrize(
    ("args", "message"),
    [("0.5", "missing a required argument: 'n'"), ("0.5, 1, 2", "too many positional arguments")],
)
def test_arguments_that_do_not_fit_are_told_in_a_line(
    command: str, args: str, message: str, tmp_path: Path, capsys
) -> None:
    program = tmp_path / "user_product.py"
    program.write_text("def f(x, n):\n    return x * n\n", encoding="utf-8")
    assert main([command, f"{program}:f", "--args", args]) == 2
    assert (
        capsys.readouterr().err == f"backsweep {command}: --args {args!r} does not fit f(x, n): {message}\n"
    )
