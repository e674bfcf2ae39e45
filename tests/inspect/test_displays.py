"""What notebooks and terminals show: goldens, escaping, well-formed pages, colours, and a real browser where there is one."""

from __future__ import annotations

import pickle
import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix, issparse

import backsweep as bs
from backsweep.api.checking import Report
from backsweep.display import blocks, highlight, markup, matrices, terminal
from backsweep.explanation.texts import Stage, Stages
from backsweep.inspect.picture.layout import MOST_USES, place
from tests.inspect.displays import DISPLAYS, X, browser, decay, hostile, page, pair, smooth, tridiagonal
from tests.support.expected import compare, orphans

GOLDENS = Path(__file__).parent / "golden"
SMALL = ("pair", "explain", "check", "sparsity", "jacobian", "dense", "trace")
VOID = {"meta", "br", "hr"}


@pytest.fixture(scope="module")
def shown() -> dict[str, str]:
    """All displays."""
    return {name: display() for name, display in DISPLAYS.items()}


def words(html: str) -> str:
    """The text that a reader sees."""
    return re.sub(r"<[^>]*>", "", re.sub(r"<(style|script)[ >].*?</\1>", "", html, flags=re.DOTALL))


def without_style(html: str) -> str:
    """A display without the rules that all have, each element that stands in a line on its own."""
    bare = re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL)
    return re.sub(r"(?=<(div|tr|details|svg|path))", "\n", bare).lstrip("\n") + "\n"


@pytest.mark.parametrize("name", SMALL)
def test_displays_are_as_reviewed(name: str, shown: dict[str, str], request: pytest.FixtureRequest) -> None:
    update = request.config.getoption("--update-golden")
    compare(without_style(shown[name]), GOLDENS / f"{name}.html", update=update)


def test_every_golden_has_a_display() -> None:
    assert not orphans(GOLDENS, ".html", set(SMALL))


@pytest.mark.parametrize("name", DISPLAYS)
def test_displays_are_whole_and_always_the_same(name: str, shown: dict[str, str]) -> None:
    class Reader(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.open: list[str] = []

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            if tag not in VOID:
                self.open.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert self.open.pop() == tag

    reader = Reader()
    reader.feed(shown[name])
    reader.close()
    assert not reader.open
    assert shown[name].startswith('<div class="bs-display" id="bs-')
    assert shown[name] == DISPLAYS[name]()


def test_the_users_text_is_escaped(shown: dict[str, str]) -> None:
    assert "<script>alert" not in shown["hostile"] and "</div><b>" not in shown["hostile"]
    assert "&lt;script&gt;alert(" in shown["hostile"] and "# &lt;/div&gt;&lt;b&gt;" in shown["hostile"]
    for html in (
        bs.grad(hostile, jit=False).explain(0.7)._repr_html_(),
        bs.grad(hostile, jit=False).stages(0.7)._repr_html_(),
        Report("<b>f", ("<i>x",), 1, 3, 4, 1e-6, 1e-8, 0.0)._repr_html_(),
        Stages.of([Stage("<b>", "<i>", "<u>")])._repr_html_(),
        bs.trace(hostile)(0.7)._repr_html_(),
    ):
        assert not re.search(r"<(script|b>f|i>|u>)|<b></b>", html.replace("<b>&lt;", ""))


def test_without_pygments_code_is_plain(monkeypatch: pytest.MonkeyPatch, shown: dict[str, str]) -> None:
    monkeypatch.setattr(highlight, "PythonLexer", None)
    plain = pair(hostile, 0.7)
    assert words(plain) == words(shown["hostile"])
    assert "bs-keyword" in shown["hostile"] and 'class="bs-keyword"' not in plain


@pytest.mark.parametrize(
    "text", ['"""a\n<b>\n"""\nx = 1', "", "\n\n", "x\r\ny", "a = '\x00'", "\tif", "é = '\u2028'"]
)
def test_lines_stay_lines(text: str) -> None:
    lines = highlight.lines_as_html(text)
    bare = [re.sub(r"<[^>]*>", "", line) for line in lines]
    assert bare == [markup.escape(line) for line in text.split("\n")]


def test_what_is_shown_stays_what_it_was() -> None:
    text = bs.grad(smooth, jit=False).source(X, 0.7)
    assert isinstance(text, str) and repr(text) == repr(str(text)) and f"{text}" == str(text)
    assert type(pickle.loads(pickle.dumps(text))) is str and pickle.loads(pickle.dumps(text)) == text
    explanation = bs.grad(smooth, jit=False).explain(X, 0.7)
    assert repr(explanation) == str(explanation)
    trace = bs.trace(decay)((0.5, 2.0), 3)
    assert repr(trace) == str(trace) == trace.table()
    assert repr(Report("f", ("x",), 1, 3, 4, 1e-6, 1e-8, 0.0)).startswith("<check_grads: the gradient of `f`")


@pytest.fixture
def at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return monkeypatch


def uncoloured(text: str) -> str:
    return re.sub(r"\x1b\[\d*m", "", text)


class Printer:
    """What IPython hands over."""

    def __init__(self) -> None:
        self.written = ""

    def text(self, text: str) -> None:
        self.written += text


def pretty(thing: Any) -> str:
    printer = Printer()
    thing._repr_pretty_(printer, False)
    return printer.written


def test_terminals_show_colours(at_a_terminal: pytest.MonkeyPatch) -> None:
    gradient = bs.grad(smooth, jit=False)
    gradient(X, 0.7)
    text, explanation = gradient.source(), gradient.explain(X, 0.7)
    assert "\x1b[35mdef\x1b[0m" in repr(text) and uncoloured(repr(text)) == str(text)
    assert "\x1b" in pretty(explanation) and uncoloured(pretty(explanation)) == str(explanation)
    assert len({line.index("│") for line in uncoloured(pretty(gradient)).split("\n")}) == 1
    at_a_terminal.setenv("COLUMNS", "60")
    assert "│" not in pretty(gradient)
    at_a_terminal.setenv("NO_COLOR", "1")
    assert repr(text) == str(text) and pretty(explanation) == str(explanation)


def test_elsewhere_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: False, raising=False)
    assert terminal.columns() is None
    assert "\x1b" not in pretty(bs.grad(smooth, jit=False).source(X, 0.7))


def test_sparse_matrices_are_scipys() -> None:
    matrix = bs.jacobian(tridiagonal, sparse=True, jit=False)(X)
    assert issparse(matrix) and isinstance(matrix, csr_matrix) and matrix.format == "csr"
    assert type(pickle.loads(pickle.dumps(matrix))) is csr_matrix
    assert np.array_equal((matrix @ matrix.T).toarray(), matrix.toarray() @ matrix.toarray().T)
    assert repr(matrix) == repr(csr_matrix(matrix))
    assert pretty(matrix) == repr(matrix) + "\n  ××··\n  ·××·\n  ··××"
    pattern = bs.sparsity(tridiagonal, jit=False)(X)
    assert pattern.dtype == np.bool_ and "pattern" in words(pattern._repr_html_())


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (1, 1), (500, 30), (300, 1000)])
@pytest.mark.parametrize("dtype", [bool, float, np.float32, complex])
def test_pictures_of_matrices_of_any_shape(shape: tuple[int, int], dtype: type) -> None:
    rng = np.random.default_rng(3)
    dense = np.where(rng.random(shape) < 0.01, rng.normal(size=shape), 0.0).astype(dtype)
    if dense.size > 1 and dtype is not bool:
        dense.flat[:2] = np.nan, np.inf
    matrix = matrices.shown(csr_matrix(dense))
    lines = matrices.text(matrix).split("\n")
    assert len(lines) <= matrices.MOST_ROWS and max(map(len, lines)) <= matrices.MOST_COLUMNS + 2
    assert len(matrix._repr_html_()) < 300_000
    assert f"{shape[0]} × {shape[1]}" in words(matrix._repr_html_())


def test_a_cell_shows_the_largest_entry() -> None:
    dense = np.zeros((1, 200))
    dense[0, :3] = 1e-3, -5.0, 1e-3
    html = matrices.page(matrices.shown(csr_matrix(dense)))
    assert re.findall(r'<path class="(\w+)"', html) == ["minus"]
    assert "up to 1 × 3 places" in words(html)


def test_stages_mark_what_each_pass_writes(shown: dict[str, str]) -> None:
    made = Stages.of(
        [
            Stage("one", "first", "%1 = a\nb"),
            Stage("two", "idle", "%1 = a\nb"),
            Stage("three", "last", "c\n%2 = a\nb"),
        ]
    )
    assert made == "# one: first\n%1 = a\nb\n\n# two: idle\n# (unchanged)\n\n# three: last\nc\n%2 = a\nb"
    html = made._repr_html_()
    assert re.findall(r'bs-new">([^<]*)<', html)[-1:] == ["c"]
    assert "nothing to change for: two" in words(html)


def test_unpacked_values_have_their_names() -> None:
    def f(x):
        k, a = x
        s, c = np.sin(k), np.cos(a)
        return s * c

    titles = [vertex.title for vertex in bs.trace(f)(np.array([0.5, 2.0])).graph().vertices]
    assert not any("k, a" in title or "s, c" in title for title in titles)
    assert {"k", "a"} <= set(titles) and sum(title.startswith("s") for title in titles) == 1
    titles = [vertex.title for vertex in bs.trace(decay)((0.5, 2.0), 2).graph().vertices]
    assert titles.count("k") == titles.count("a") == 1


def test_the_middle_of_a_long_loop_is_one_node() -> None:
    trace = bs.trace(decay)((0.5, 2.0), 100)
    graph = trace.graph(loops=1)
    (middle,) = (vertex for vertex in graph.vertices if vertex.kind == "folded")
    assert middle.title == "for _ in range(n): 3 to 98 of 100" and len(graph.vertices) < 25
    # What the middle gives on is the value after it: that after the last of its iterations.
    after = [each for each in trace["u"] if each.role != "argument"][98]
    assert [each.value for each in middle.shown] == [after.value]
    assert sum(edge.source is middle for edge in graph.edges) == 2
    short = bs.trace(decay)((0.5, 2.0), 8).graph(loops=1)
    assert not any(vertex.kind == "folded" for vertex in short.vertices)


def test_what_many_nodes_read_is_named_at_each_of_them() -> None:
    graph = bs.trace(decay)((0.5, 2.0), MOST_USES + 1).graph(loops="all")
    placed = place(graph)
    assert len(placed.stubs) == MOST_USES + 1 and {edge.source.title for edge, _ in placed.stubs} == {"k"}
    assert len(placed.edges) + len(placed.stubs) == len(graph.edges)
    assert graph.html().count('<text class="from"') == MOST_USES + 1
    assert not place(bs.trace(decay)((0.5, 2.0), MOST_USES).graph(loops="all")).stubs


@pytest.fixture(scope="module")
def view() -> Iterator[Any]:
    """A page of a browser."""
    try:
        with browser() as found:
            yield found.new_page(viewport={"width": 1000, "height": 700})
    except LookupError as error:
        pytest.skip(f"no browser: {error}")


def test_a_browser_lights_what_belongs_together(view: Any, shown: dict[str, str]) -> None:
    view.emulate_media(color_scheme="light")
    view.set_content(page(shown["pair"] + shown["source"]))
    lit = (
        "() => [...document.querySelectorAll('.bs-row')].filter(row => getComputedStyle(row).backgroundColor == "
        "'rgb(255, 233, 168)').map(row => row.innerText.replace(/^\\s*\\d*\\s*/, ''))"
    )
    assert view.evaluate(lit) == []
    view.locator(".bs-half").first.locator(".bs-row").nth(5).hover()
    assert view.evaluate(lit) == ["if d > 0.0:"] * 3
    view.locator(".bs-half").first.locator(".bs-row").nth(6).hover()
    found = view.evaluate(lit)
    assert found[0] == "loss += d * d" and "# loss += d * d" in found and "d_bar += 2.0 * d" in found
    assert not view.locator("summary").first.evaluate("each => each.parentElement.open")


def test_a_browser_follows_light_and_dark(view: Any, shown: dict[str, str]) -> None:
    ink = "() => getComputedStyle(document.querySelector('.bs-display')).color"
    dark, light = "rgb(221, 227, 234)", "rgb(31, 35, 40)"
    for scheme, about, colour in (
        ("light", "", light),
        ("dark", "", dark),
        ("dark", 'data-theme="light"', light),
        ("light", 'data-theme="dark"', dark),
        ("light", 'data-jp-theme-light="false"', dark),
        ("dark", 'data-jp-theme-light="true"', light),
    ):
        view.emulate_media(color_scheme=scheme)
        view.set_content(page(shown["explain"]).replace("<body>", f"<body {about}>"))
        assert view.evaluate(ink) == colour


@pytest.mark.parametrize("name", ["graph", "long", "all"])
def test_a_browser_draws_graphs_that_can_be_read(name: str, view: Any, shown: dict[str, str]) -> None:
    errors: list[str] = []
    view.on("pageerror", lambda error: errors.append(str(error)))
    view.set_content(page(shown[name]))
    move = view.locator(".scene").get_attribute("transform")
    scale = float(re.search(r"scale\((.*)\)", move)[1])
    assert not errors and scale >= (0.5 if name == "graph" else 0.8)
    view.locator(".is-leaf").first.hover()
    assert view.locator(".told .title").inner_text().startswith("p[")


def heads(shown_: blocks.Shown) -> list[tuple[str, tuple[int, int]]]:
    return [(block.title, block.matrix.shape) for block in shown_.blocks]


def test_dense_derivatives_are_shown_and_stay_plain_arrays() -> None:
    def f(x, w):
        return np.array([w[0, 0] * x[0], x[1] * w[1, 1]])

    x, w = np.array([2.0, 3.0, 4.0]), np.ones((2, 2))
    df = bs.jacobian(f, wrt=("w", "x"), jit=False)
    shown_ = df.show(x, w=w)
    assert [type(each) for each in shown_.value] == [np.ndarray] * 2
    assert [each.tolist() for each in shown_.value] == [each.tolist() for each in df(x, w)]
    assert heads(shown_) == [("d f / d w", (2, 4)), ("d f / d x", (2, 3))]
    assert repr(shown_).endswith(
        "d f / d x: 2 × 3, float64, 2 of 6 entries are not zero\n"
        "        x[0]  x[1]  x[2]\n"
        "  f[0]     1     ·     ·\n"
        "  f[1]     ·     1     ·"
    )
    assert "w[1, 1]" in words(shown_._repr_html_())


def test_the_blocks_of_structures_have_names() -> None:
    def pair(p, x):
        return p[0] * x[0], p[1][0] * x[1]

    def scaled(p, x):
        return p["a"] * x

    def cost(x, y):
        return np.sum(x) ** 2 * y

    def loop(x):
        total = 0.0
        for i in range(x.size):
            u = x[i] * 2.0
            total += u * u
        return total

    x = np.array([2.0, 3.0])
    asked = [
        bs.jacobian(pair, 1, jit=False).show((1.0, (2.0,)), x),
        bs.jacobian(scaled, (0, 1), jit=False).show({"a": 2.0}, x),
        bs.hessian(cost, (0, 1), jit=False).show(x, 2.0),
        bs.grad(loop, wrt="u", jit=False).show(x),
        bs.jacobian(lambda x: (x * x, x[0]), has_aux=True, jit=False).show(x),
        bs.value_and_grad(cost, jit=False).show(np.ones(30), 2.0),
        bs.grad(lambda a: a * a, jit=False).show(3.0),
    ]
    assert [heads(each) for each in asked] == [
        [("d pair[0] / d x", (1, 2)), ("d pair[1] / d x", (1, 2))],
        [("d scaled / d p['a']", (2, 1)), ("d scaled / d x", (2, 2))],
        [
            ("d² cost / d x²", (2, 2)),
            ("d² cost / d x d y", (2, 1)),
            ("d² cost / d y d x", (1, 2)),
            ("d² cost / d y²", (1, 1)),
        ],
        [("d loop / d u", (2, 1))],
        [("d <lambda> / d x", (2, 2))],
        [("d cost / d x", (1, 30))],
        [("d <lambda> / d a", (1, 1))],
    ]


def test_pictures_of_characters_are_darker_where_entries_are_larger(
    at_a_terminal: pytest.MonkeyPatch,
) -> None:
    dense = np.diag(np.linspace(1.0, 2.0, 20))
    dense[0, 1:4] = -1.0, 1e-3, 1e-9
    dense[1, 0] = np.nan
    made = blocks.shown("jacfwd", "f", dense, ("x",), {"x": np.ones(20)}, single=True, has_aux=False)
    lines = repr(made).split("\n")[3:]
    assert lines[0] == "  ██▒░" + "·" * 16 and len(lines) == 20 and set(lines[-1]) == {" ", "·", "█"}
    assert uncoloured(pretty(made)) == repr(made) and "\x1b[31m█" in pretty(made)
    small = blocks.shown("jacfwd", "f", dense[:2, :2], ("x",), {"x": np.ones(2)}, single=True, has_aux=False)
    assert "\x1b[31m    -1\x1b[0m" in pretty(small) and uncoloured(pretty(small)) == repr(small)
