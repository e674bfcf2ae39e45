"""The text of one function apart from its file: what travels with a function that other processes do not find by its name."""

from __future__ import annotations

import ast
import functools
import linecache
from dataclasses import dataclass
from types import CodeType, FunctionType

ATTRIBUTE = "__backsweep_text__"
"""The attribute of a function that came from another process with its text: an `Excerpt`. It travels on with the function."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The lines of a file from `first` on that hold one function.

    `name` is the function's in its code. A lambda begins and ends in the middle of a line: `columns` are its own, in bytes.
    """

    file: str
    first: int
    lines: tuple[str, ...]
    name: str
    columns: tuple[int, int] | None = None

    @classmethod
    def of(
        cls, file: str, lines: tuple[str, ...], node: ast.FunctionDef | ast.Lambda, code: CodeType
    ) -> Excerpt:
        """The part of a text that holds this definition, which the code was compiled from."""
        first, end = code.co_firstlineno, node.end_lineno or node.lineno
        columns = (node.col_offset, node.end_col_offset or 0) if isinstance(node, ast.Lambda) else None
        return cls(file, first, lines[first - 1 : end], code.co_name, columns)

    @property
    def in_file(self) -> tuple[str, ...]:
        """The lines of the file as far as they are known, each at its own number; those above are empty."""
        return ("",) * (self.first - 1) + self.lines

    def is_of(self, code: CodeType) -> bool:
        """Whether it is the text of this code, not of a function that has lent its attributes to a wrapper."""
        return (code.co_name, code.co_firstlineno) == (self.name, self.first)

    def show(self) -> None:
        """Have tracebacks show the lines where the file itself is not there, and the names of notebooks' cells and of commands."""
        last = self.first - 1 + len(self.lines)
        present = [line.rstrip("\r\n") for line in linecache.getlines(self.file)]
        if tuple(present[self.first - 1 : last]) == self.lines or (present and not self.file.startswith("<")):
            return
        present += [""] * (last - len(present))
        present[self.first - 1 : last] = self.lines
        shown = [f"{line}\n" for line in present]
        linecache.cache[self.file] = (sum(map(len, shown)), None, shown, self.file)


def excerpt_with(function: FunctionType) -> Excerpt | None:
    """The text that came with a function from another process; None for functions of this process."""
    found = vars(function).get(ATTRIBUTE)
    return found if isinstance(found, Excerpt) and found.is_of(function.__code__) else None


@functools.lru_cache(maxsize=64)
def definition_in(excerpt: Excerpt) -> ast.FunctionDef | ast.Lambda:
    """The syntax tree of the function, at its own lines and columns."""
    if excerpt.columns is not None:
        start, end = excerpt.columns
        *above, last = (line.encode() for line in excerpt.lines)
        cut = b"\n".join([*above, last[:end]])[start:]
        expression = ast.parse(b"(\n" + b" " * start + cut + b"\n)", excerpt.file, "eval")
        ast.increment_lineno(expression, excerpt.first - 2)
        assert isinstance(expression.body, ast.Lambda)
        return expression.body
    outer = ["if True:"] if excerpt.lines[0][:1].isspace() else []
    tree = ast.parse("\n".join([*outer, *excerpt.lines]) + "\n", excerpt.file)
    ast.increment_lineno(tree, excerpt.first - 1 - len(outer))
    (statement,) = tree.body
    found = statement.body[0] if isinstance(statement, ast.If) else statement
    assert isinstance(found, ast.FunctionDef)
    return found
