"""The two pictures of README.md: `python docs/picture_of_readme.py` writes docs/_static/adjoint.svg and peers.svg.

The first is a function beside its adjoint: lines of the reverse sweep have the colour of the statement that they
reverse. The second is a bar chart of the last column of the table in docs/performance.md. Both are text only, and
follow the reader's choice of light or dark.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from html import escape
from math import exp, log, log2
from pathlib import Path

import numpy as np
from pygments.lexers import PythonLexer
from pygments.token import Comment, Keyword, Number, Operator, Token

import backsweep as bs

HERE = Path(__file__).parent
FUNCTION = """import numpy as np


def smooth(x, w):
    y = x.copy()
    loss = 0.0
    for i in range(1, y.shape[0]):
        d = y[i] - w * y[i - 1]
        if d > 0.0:
            loss += d * d
        y[i] = np.tanh(d)
    return loss
"""
BANDS = ("#4c9be8", "#f2a541", "#5fb878", "#c678dd", "#e06c75")
STYLE = """
  text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #24292f; white-space: pre }
  .title { font: 600 14px system-ui, sans-serif } .label { font: 12px system-ui, sans-serif }
  .k { fill: #b0305c } .c { fill: #6e7781 } .n { fill: #0550ae } .o { fill: #57606a }
  .box { fill: #f6f8fa; stroke: #d0d7de } .band { opacity: .22 } .line { stroke: #57606a } .less { fill: #f2a541 }
  .more { fill: #4c9be8 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .k { fill: #ff7b9c } .c { fill: #8b949e } .n { fill: #79c0ff } .o { fill: #adbac7 }
    .box { fill: #161b22; stroke: #30363d } .band { opacity: .3 } .line { stroke: #8b949e }
  }
"""
HEIGHT, WIDTH = 18, 7.83
"""Pixels from line to line, and of a letter."""


def adjoint_of(text: str) -> list[str]:
    """The lines of the emitted function, without what stands above it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "smooth.py"
        path.write_text(text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location("smooth", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["smooth"] = module
        try:
            spec.loader.exec_module(module)
            emitted = bs.value_and_grad(module.smooth, wrt=("x", "w")).source(np.zeros(3), 0.7)
        finally:
            del sys.modules["smooth"]
    lines = emitted.strip().splitlines()
    return lines[next(k for k, line in enumerate(lines) if line.startswith("def ")) :]


def colours(left: list[str], right: list[str]) -> tuple[dict[int, str], dict[int, str]]:
    """The colour of lines on both sides: a statement's, and those below the comment that repeats it."""
    of_statement, of_left, of_right = dict[str, str](), dict[int, str](), dict[int, str]()
    current, indent, begun = "", 0, False
    for k, line in enumerate(right):
        begun = begun or "# reverse sweep" in line
        words, inner = line.strip(), len(line) - len(line.lstrip())
        if begun and words.removeprefix("# ") in map(str.strip, left):
            current = of_statement.setdefault(words.removeprefix("# "), BANDS[len(of_statement) % len(BANDS)])
            indent = inner
        elif inner < indent or words.startswith(("if ", "return", "# reverse")):
            current = ""
        if current:
            of_right[k] = current
    for k, line in enumerate(left):
        if line.strip() in of_statement:
            of_left[k] = of_statement[line.strip()]
    return of_left, of_right


def highlighted(line: str) -> str:
    """A line of Python as spans of SVG."""
    spans = []
    kinds = ((Comment, "c"), (Keyword, "k"), (Token.Operator.Word, "k"), (Number, "n"), (Operator, "o"))
    for kind, text in PythonLexer(stripall=False, stripnl=False, ensurenl=False).get_tokens(line):
        style = next((style for parent, style in kinds if kind in parent), "")
        spans.append(f'<tspan class="{style}">{escape(text)}</tspan>' if style else escape(text))
    return "".join(spans)


def column(title: str, lines: list[str], bands: dict[int, str], x: float, width: float) -> list[str]:
    """One of the two texts."""
    parts = [f'<text class="title" x="{x:g}" y="24">{title}</text>']
    for k, line in enumerate(lines):
        y = 50 + k * HEIGHT
        if k in bands:
            parts.append(
                f'<rect class="band" x="{x - 6:g}" y="{y - 13}" width="{width:g}" height="{HEIGHT}" '
                f'fill="{bands[k]}"/>'
            )
        parts.append(f'<text x="{x:g}" y="{y}" xml:space="preserve">{highlighted(line)}</text>')
    return parts


def svg(width: float, height: float, label: str, parts: list[str]) -> str:
    """The whole picture."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(label)}">'
    )
    box = f'<rect class="box" x=".5" y=".5" width="{width - 1:g}" height="{height - 1:g}" rx="8"/>'
    return "\n".join([head, f"<style>{STYLE}</style>", box, *parts, "</svg>"]) + "\n"


def beside() -> str:
    """The function beside its adjoint."""
    left = FUNCTION.strip().splitlines()[3:]
    right = adjoint_of(FUNCTION)
    of_left, of_right = colours(left, right)
    wide = max(map(len, left)) * WIDTH + 12
    wider = max(map(len, right)) * WIDTH + 12
    parts = column("you write", left, of_left, 20, wide)
    parts += column("Backsweep writes, and Numba compiles", right, of_right, 44 + wide, wider)
    label = "A function beside its adjoint: each block of the reverse sweep has the colour of the statement it reverses"
    return svg(wide + wider + 56, 50 + len(right) * HEIGHT, label, parts)


def figures() -> list[tuple[str, float]]:
    """Kernels with the time of JAX over that of Backsweep, from docs/performance.md."""
    text = (HERE / "performance.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]
    begin = next(k for k, row in enumerate(rows) if row[0] == "kernel")
    found = []
    for row in rows[begin + 2 :]:
        if len(row) < 6:
            break
        if row[5]:
            found.append((row[0], float(row[5])))
    return sorted(found, key=lambda each: -each[1])


def bars() -> str:
    """The bar chart."""
    found = figures()
    mean = exp(sum(log(value) for _, value in found) / len(found))
    left, unit, height = 130, 125, 17
    middle = left + unit
    title = f"Time of JAX / time of Backsweep: {len(found)} kernels, geometric mean {mean:.2f}"
    parts = [f'<text class="title" x="20" y="24">{title}</text>']
    for k, (name, value) in enumerate(found):
        y, end = 38 + k * height, middle + unit * log2(value)
        shade, begin, wide = "more" if value >= 1 else "less", min(end, middle), abs(end - middle)
        parts += [
            f'<text class="label" x="{left - 14}" y="{y + 12}" text-anchor="end">{name}</text>',
            f'<rect class="{shade}" x="{begin:.1f}" y="{y + 2}" width="{wide:.1f}" height="{height - 4}"/>',
            f'<text class="label" x="{max(end, middle) + 6:.1f}" y="{y + 12}">{value:.2f}</text>',
        ]
    bottom = 38 + len(found) * height
    parts.append(f'<line class="line" x1="{middle}" y1="34" x2="{middle}" y2="{bottom}"/>')
    return svg(700, bottom + 12, "Backsweep beside JAX", parts)


PICTURES = {"adjoint.svg": beside, "peers.svg": bars}

if __name__ == "__main__":
    for file, make in PICTURES.items():
        (HERE / "_static" / file).write_text(make(), encoding="utf-8")
