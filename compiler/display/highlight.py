"""Highlight Python, by Pygments where it is installed, as HTML and for terminals; without it, code is plain text."""

from __future__ import annotations

import html
from collections.abc import Iterator

try:
    from pygments.lexers.python import PythonLexer
    from pygments.token import Comment, Keyword, Name, Number, Operator, String
except ImportError:  # an optional package: code is shown without colours
    PythonLexer = None

Piece = tuple[str, str]
"""The kind of a piece of code, or "", and its text."""

ANSI = {"keyword": "35", "builtin": "36", "string": "32", "number": "33", "comment": "90", "defined": "34"}
"""The colours of a terminal, of which every theme has sixteen."""


def pieces(text: str) -> Iterator[Piece]:
    """The text in pieces of one kind, of at most one line each."""
    if PythonLexer is None:
        yield "", text
        return
    kinds = (
        (Comment, "comment"),
        (String, "string"),
        (Number, "number"),
        (Keyword, "keyword"),
        (Operator.Word, "keyword"),
        (Name.Builtin.Pseudo, ""),
        (Name.Builtin, "builtin"),
        (Name.Function, "defined"),
        (Name.Class, "defined"),
    )
    lexer = PythonLexer(stripnl=False, ensurenl=False)
    for token, piece in lexer.get_tokens(text):
        yield next((name for kind, name in kinds if token in kind), ""), piece


def _lines(text: str) -> list[list[Piece]]:
    """The pieces of each line."""
    # A lexer makes one end of line of each; an odd character must not move what stands on which line.
    given = text.split("\n")
    found: list[list[Piece]] = [[]]
    for kind, piece in pieces(text):
        for k, part in enumerate(piece.split("\n")):
            if k:
                found.append([])
            if part:
                found[-1].append((kind, part))
    same = len(found) == len(given) and all(
        "".join(part for _, part in line) == whole for line, whole in zip(found, given, strict=True)
    )
    return found if same else [[("", line)] for line in given]


def lines_as_html(text: str) -> list[str]:
    """Each line as HTML, escaped."""
    return ["".join(_as_html(kind, part) for kind, part in line) for line in _lines(text)]


def _as_html(kind: str, part: str) -> str:
    shown = html.escape(part, quote=True)
    return f'<span class="bs-{kind}">{shown}</span>' if kind else shown


def lines_as_ansi(text: str) -> list[str]:
    """Each line with the colours of a terminal."""
    return ["".join(painted(part, ANSI.get(kind, "")) for kind, part in line) for line in _lines(text)]


def painted(text: str, colour: str) -> str:
    """Text in a colour of the terminal."""
    return f"\x1b[{colour}m{text}\x1b[0m" if colour else text
