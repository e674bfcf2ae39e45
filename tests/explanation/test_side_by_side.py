"""A transformed function in IPython and Jupyter: original and adjoint beside one another, their lines linked."""

from __future__ import annotations

import re

import numpy as np

import backsweep as bs
from backsweep.explanation.side_by_side import emitted_rows, original_rows, statements_of
from backsweep.reading.functions import read_source
from tests.inspect.test_trace import X, smooth


def linked(function, text: str) -> dict[str, set[str]]:
    """The emitted lines that belong to each line of the original."""
    source = read_source(function)
    statements = statements_of(source)
    original, emitted = original_rows(source, statements), emitted_rows(text, statements)
    return {
        row.text.strip(): {other.text.strip() for other in emitted if set(other.keys) & set(row.keys)}
        for row in original
        if row.keys
    }


def test_lines_of_both_sweeps_are_linked() -> None:
    gradient = bs.grad(smooth, argnums=(0, 1), jit=False)
    found = linked(smooth, gradient.source(X, 0.6))
    assert found["y = x.copy()"] == {"y = x.copy()", "# y = x.copy()"}
    assert "d = y[i] - w * y[i - 1]" in found["d = y[i] - w * y[i - 1]"]
    assert "y_bar[i - 1] -= d_bar * w" in found["d = y[i] - w * y[i - 1]"]
    assert found["loss += d * d"] >= {"# loss += d * d", "d_bar += 2.0 * d"}
    assert found["if d > 0.0:"] == {"if d > 0.0:"}
    assert "for i in range(n - 1, 0, -1):" in found["for i in range(1, y.shape[0]):"]
    assert "y_bar[i] = 0.0" in found["y[i] = np.tanh(d)"]
    assert not any("# reverse sweep" in lines for lines in found.values())


def test_statements_of_several_lines_are_linked() -> None:
    def f(x):
        y = (
            np.sin(x)
            * x
        )  # fmt: skip
        return y * y

    found = linked(f, bs.grad(f, jit=False).source(0.5))
    assert found["* x"] == found["np.sin(x)"] != set()


def test_jupyter_shows_both() -> None:
    gradient = bs.grad(smooth, jit=False)
    assert "Nothing is emitted yet" in gradient._repr_html_()
    gradient(X, 0.6)
    page = gradient._repr_html_()
    words = re.sub(r"<[^>]*>", "", page)
    assert "# reverse sweep" in words and "def smooth(x, w):" in words
    assert len(re.findall(r'data-k="', page)) > 15


def test_jupyter_shows_what_a_gradient_of_a_gradient_was_made_of() -> None:
    second = bs.grad(bs.grad(lambda x: x * x * x, jit=False), jit=False)
    second(2.0)
    assert "_grad" in second._repr_html_()


class Printer:
    """What IPython hands over."""

    def __init__(self) -> None:
        self.written = ""

    def text(self, text: str) -> None:
        self.written += text


def test_ipython_shows_both() -> None:
    gradient = bs.grad(smooth, jit=False)
    gradient(X, 0.6)
    printer = Printer()
    gradient._repr_pretty_(printer, False)
    lines = printer.written.split("\n")
    assert lines[0].startswith("def smooth(x, w):") and "Adjoint of `smooth`" in lines[0]
    assert len({line.index("│") for line in lines}) == 1
