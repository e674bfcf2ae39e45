"""Print a syntax tree with astor, extended by comments and by line breaks in long lines."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from dataclasses import dataclass
from typing import Any

with warnings.catch_warnings():
    # astor looks for classes of ast that Python 3.12 deprecates and 3.14 lacks. It does without them.
    warnings.filterwarnings("ignore", "ast\\.", DeprecationWarning)
    import astor

WIDTH = 100


class Remark(ast.stmt):
    """A comment on a line of its own."""

    _fields = ("text",)
    text: str

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text


class _Generator(astor.SourceGenerator):  # type: ignore[misc]
    """astor's generator, extended by comments."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """An f-string. astor looks for `ast.Str`, which Python 3.14 lacks."""
        self.write(ast.unparse(node))

    def visit_Remark(self, node: Remark) -> None:
        """`# text`."""
        self.statement(node, f"# {node.text}")


def text_of(tree: ast.AST) -> str:
    """The tree as Python text; lines longer than `WIDTH` columns are broken."""
    ast.fix_missing_locations(tree)
    generator: Any = _Generator("    ", False)
    generator.visit(tree)
    generator.result.append("\n")
    if set(generator.result[0]) == {"\n"}:
        generator.result[0] = ""
    joined = "".join(str(part) for part in generator.result)
    return "\n".join(broken(line.rstrip()) for line in joined.split("\n"))


def broken(line: str) -> str:
    """The line, broken inside brackets if it is longer than `WIDTH`."""
    if len(line) <= WIDTH or line.lstrip().startswith(("#", "'", '"')):
        return line
    indent = len(line) - len(line.lstrip())
    places = _places(line)
    if not places:
        return line
    lines: list[str] = []
    start = 0
    while True:
        width = WIDTH - (0 if not lines else indent + 8)
        if len(line) - start <= width:
            break
        fitting = [place for place in places if start < place.column <= start + width]
        # The outermost comma that leaves a line at least half full reads best
        fuller = [place for place in fitting if place.column > start + width // 2] or fitting
        best = min((place.rank for place in fuller), default=None)
        ahead = [place for place in fuller if place.rank == best][-1:]
        ahead = ahead or [place for place in places if place.column > start][:1]
        if not ahead:
            break
        lines.append(line[start : ahead[0].column].rstrip())
        start = ahead[0].column
    lines.append(line[start:])
    return ("\n" + " " * (indent + 8)).join(part.strip() if part is not lines[0] else part for part in lines)


@dataclass(frozen=True, slots=True)
class _Place:
    """A place where a line may be broken; the lowest `rank` is best: few enclosing brackets, commas before operators."""

    column: int
    rank: tuple[int, bool]


def _places(line: str) -> list[_Place]:
    """The places where the line may be broken: inside brackets, after a comma or before an operator."""
    places: list[_Place] = []
    depth = 0
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(line.lstrip()).readline))
    except (tokenize.TokenError, IndentationError):
        return []
    shift = len(line) - len(line.lstrip())
    for token in tokens:
        if token.type != tokenize.OP:
            continue
        if token.string in "([{":
            depth += 1
        elif token.string in ")]}":
            depth -= 1
        elif depth and token.string == ",":
            places.append(_Place(shift + token.end[1], (depth, False)))
        elif (
            depth
            and token.string in ("+", "-", "*", "/", "@")
            and line[shift + token.end[1] : shift + token.end[1] + 1] == " "
        ):
            places.append(_Place(shift + token.start[1], (depth, True)))
    return places
