"""Show a function and its emitted code side by side; lines that belong together are highlighted together."""

from __future__ import annotations

import ast
import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from backsweep.reading.functions import Source, header

Keys = tuple[int, ...]
"""The numbers of the original statements that a line belongs to."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of text and the statements that it belongs to; `number` is its line number in the user's file, or 0."""

    text: str
    keys: Keys
    number: int = 0


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of the original: its head on one line, its target, and its lines."""

    head: str
    target: str
    lines: range


def statements_of(source: Source) -> list[Statement]:
    """The statements of a function, in the order of their lines."""
    found = []
    for node in ast.walk(source.node):
        if isinstance(node, ast.stmt) and node is not source.node:
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
            lines = range(node.lineno, max(last, node.lineno) + 1)
            found.append(Statement(_plain(header(node, source.lines)), _target(node), lines))
    return sorted(found, key=lambda each: each.lines.start)


def _plain(text: str) -> str:
    """The text of a statement in a normal form, to compare statements that are spelt differently."""
    return re.sub(r"\s+", "", text)


def _target(node: ast.stmt) -> str:
    """The target of a statement as text; for a loop, its index."""
    match node:
        case ast.Assign(targets=[target]) | ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            return ast.unparse(target)
        case ast.For(target=target):
            return f"for {ast.unparse(target)}"
        case ast.Return():
            return "return"
        case _:
            return ""


def original_rows(source: Source, statements: list[Statement]) -> list[Row]:
    """The lines of the function as the user wrote it."""
    first, last = source.node.lineno, source.node.end_lineno or source.node.lineno
    rows = []
    for number in range(first, min(last, len(source.lines)) + 1):
        keys = tuple(k for k, each in enumerate(statements) if number in each.lines)
        rows.append(Row(source.lines[number - 1], keys, number))
    return rows


def emitted_rows(text: str, statements: list[Statement]) -> list[Row]:
    """The lines of an emitted module with the statements that they compute or reverse."""
    heads: dict[str, list[int]] = {}
    for k, each in enumerate(statements):
        heads.setdefault(each.head, []).append(k)
    known = _known(text, statements, heads)
    rows: list[Row] = []
    keys: Keys = ()
    margin = 0
    for number, line in enumerate(text.split("\n"), start=1):
        bare = line.strip()
        indent = len(line) - len(line.lstrip())
        if bare.startswith("# "):
            keys, margin = tuple(heads.get(_plain(bare[2:]), ())), indent
        elif not bare or indent < margin or bare.startswith("return "):
            keys, margin = (), 0
        rows.append(Row(line, known.get(number, keys)))
    return rows


def _known(text: str, statements: list[Statement], heads: Mapping[str, list[int]]) -> dict[int, Keys]:
    """Match lines of the forward sweep to statements with the same text or target, and loop heads of both sweeps."""
    lines = text.split("\n")
    end = next((k for k, line in enumerate(lines, start=1) if line.strip() == "# reverse sweep"), len(lines))
    found: dict[int, Keys] = {}
    at: dict[str, int] = {}
    for node in sorted(_statements(ast.parse(text)), key=lambda each: each.lineno):
        same = heads.get(_plain(header(node, tuple(lines))))
        target = _target(node)
        if node.lineno >= end:
            if isinstance(node, ast.If | ast.For | ast.While):
                loops = [k for k, each in enumerate(statements) if target and each.target == target]
                found[node.lineno] = tuple(same or loops)
            continue
        if same:
            found[node.lineno] = tuple(same)
            at[target] = same[-1]
            continue
        later = [k for k, each in enumerate(statements) if each.target == target and k > at.get(target, -1)]
        if target and target != "return" and later:
            found[node.lineno] = (later[0],)
            at[target] = later[0]
    return found


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    for function in tree.body:
        if isinstance(function, ast.FunctionDef):
            yield from (
                node for node in ast.walk(function) if isinstance(node, ast.stmt) and node is not function
            )


STYLE = """
.bs-pair { display: flex; gap: 16px; font: 12px/1.45 ui-monospace, Menlo, Consolas, monospace; overflow: auto; }
.bs-pair div.half { flex: 1 1 0; min-width: 24em; }
.bs-pair .row { white-space: pre; padding: 0 4px; }
.bs-pair .number { display: inline-block; width: 3.2em; color: #999; user-select: none; }
.bs-pair .comment { color: #6a737d; }
.bs-pair .head { color: #666; margin-bottom: 4px; }
.bs-pair .lit { background: #ffe9a8; color: #222; }
"""
SCRIPT = """
(function (root) {
  const rows = [...root.querySelectorAll("[data-keys]")];
  const keys = row => row.dataset.keys.split(" ");
  rows.forEach(row => {
    row.addEventListener("mouseenter", () => {
      const own = keys(row);
      rows.forEach(other => other.classList.toggle("lit", keys(other).some(key => own.includes(key))));
    });
    row.addEventListener("mouseleave", () => rows.forEach(other => other.classList.remove("lit")));
  });
})(document.currentScript.parentElement);
"""
NOTHING = "Nothing is emitted yet: call the function, or pass arguments to its `source`."


def as_html(source: Source, text: str | None, title: str) -> str:
    """The function and the emitted text side by side, for Jupyter; `text` is None if nothing was emitted yet."""
    statements = statements_of(source)
    halves = [_half(f"{source.name}, as written", original_rows(source, statements))]
    if text is None:
        halves.append(f'<div class="half"><div class="head">{html.escape(NOTHING)}</div></div>')
    else:
        halves.append(_half(title, emitted_rows(text, statements)))
    return f'<div class="bs-pair"><style>{STYLE}</style>{"".join(halves)}<script>{SCRIPT}</script></div>'


def _half(title: str, rows: list[Row]) -> str:
    lines = [f'<div class="head">{html.escape(title)}</div>']
    for row in rows:
        number = f'<span class="number">{row.number}</span>' if row.number else ""
        keys = f' data-keys="{" ".join(map(str, row.keys))}"' if row.keys else ""
        kind = "row comment" if row.text.lstrip().startswith("#") else "row"
        lines.append(f'<div class="{kind}"{keys}>{number}{html.escape(row.text) or " "}</div>')
    return f'<div class="half">{"".join(lines)}</div>'


def as_text(source: Source, text: str | None) -> str:
    """The function and the emitted text side by side, for a terminal."""
    left = [row.text for row in original_rows(source, [])]
    right = [NOTHING] if text is None else text.rstrip("\n").split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in left if line.strip()), default=0)
    left = [line[margin:] for line in left]
    width = max(map(len, left))
    count = max(len(left), len(right))
    left += [""] * (count - len(left))
    right += [""] * (count - len(right))
    return "\n".join(f"{one:{width}}  │ {other}".rstrip() for one, other in zip(left, right, strict=True))
