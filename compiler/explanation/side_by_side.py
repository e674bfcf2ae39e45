"""Show a function and its emitted code side by side; lines that belong together are highlighted together."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from backsweep.display import markup, terminal
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
.bs-display .bs-pair { display: flex; flex-wrap: wrap; }
.bs-display .bs-half { flex: 1 1 26em; min-width: 0; border-left: 1px solid var(--bs-rule); margin-left: -1px; }
"""
NOTHING = "Nothing is emitted yet: call the function, or pass arguments to its `source`."


def as_html(source: Source, text: str | None, title: str) -> str:
    """The function and the emitted text side by side, for notebooks; `text` is None if nothing was emitted yet."""
    statements = statements_of(source)
    halves = [_half(f"{source.name}, as written", written(source, statements))]
    if text is None:
        halves.append(f'<div class="bs-half">{markup.note(NOTHING)}</div>')
    else:
        halves.append(_half(title, emitted(text, statements)))
    body = f'<div class="bs-pair">{"".join(halves)}</div>'
    return markup.display(body, markup.CODE, STYLE, scoped=markup.lighting(range(len(statements))))


def refused(name: str, message: str) -> str:
    """For notebooks, in place of code that there is not: the error's message."""
    return markup.display(
        markup.title(name) + f'<div class="bs-text bs-mono bs-message">{markup.escape(message)}</div>',
        MESSAGE,
    )


MESSAGE = ".bs-display .bs-message { white-space: pre-wrap; }"


def _half(title: str, block: str) -> str:
    return f'<div class="bs-half">{markup.title(title)}{block}</div>'


def written(source: Source, statements: list[Statement]) -> str:
    """The function as the user wrote it, as a block of HTML."""
    rows = original_rows(source, statements)
    margin = min((len(row.text) - len(row.text.lstrip()) for row in rows if row.text.strip()), default=0)
    return markup.code([markup.Line(row.text[margin:], row.number, row.keys) for row in rows])


PARTS = {"# forward sweep", "# reverse sweep"}


def emitted(text: str, statements: list[Statement]) -> str:
    """An emitted module as a block of HTML; what comes before its first function is folded."""
    rows = emitted_rows(text.rstrip("\n"), statements)
    lines = [markup.Line(row.text, k, row.keys, row.text.strip() in PARTS) for k, row in enumerate(rows, 1)]
    first = next((k for k, row in enumerate(rows) if row.text.startswith(("def ", "@"))), 0)
    count = len("\n".join(row.text for row in rows[:first]).rstrip().split("\n"))
    return markup.code(lines, first, f"header: {count} lines" if count != 1 else "header: 1 line")


def as_text(source: Source, text: str | None) -> str:
    """The function and the emitted text for a terminal: side by side, or one after the other if that is too wide."""
    left = [row.text for row in original_rows(source, [])]
    right = [NOTHING] if text is None else text.rstrip("\n").split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in left if line.strip()), default=0)
    left = [line[margin:] for line in left]
    width, columns = max(map(len, left)), terminal.columns()
    if columns is not None and width + 4 + max(map(len, right)) > columns:
        return "\n".join((*_coloured(left), "", *(right if text is None else _coloured(right))))
    count = max(len(left), len(right))
    gaps = [" " * (width - len(line)) for line in left] + [" " * width] * (count - len(left))
    left = _coloured(left) + [""] * (count - len(left))
    right = (right if text is None else _coloured(right)) + [""] * (count - len(right))
    return "\n".join(
        f"{one}{gap}  │ {other}".rstrip() for one, gap, other in zip(left, gaps, right, strict=True)
    )


def _coloured(lines: list[str]) -> list[str]:
    return terminal.code("\n".join(lines)).split("\n")
