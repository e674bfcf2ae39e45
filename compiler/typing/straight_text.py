"""Write a text for functions that `exec` made and that have none, from their bytecode, which is all that Numba reads.

Packages that make their overloads so have them call a function with a text, in one expression or a few statements. Therefore functions
without branches and loops suffice.
"""

from __future__ import annotations

import functools
import itertools
import linecache
import operator
from collections import Counter
from collections.abc import Iterator, Mapping
from types import FunctionType
from typing import Any

import numpy as np
from numba.core import errors, ir
from numba.core.compiler import run_frontend

_SYMBOLS: Mapping[Any, str] = {
    operator.add: "+",
    operator.sub: "-",
    operator.mul: "*",
    operator.truediv: "/",
    operator.floordiv: "//",
    operator.mod: "%",
    operator.pow: "**",
    operator.matmul: "@",
    operator.and_: "&",
    operator.or_: "|",
    operator.xor: "^",
    operator.lshift: "<<",
    operator.rshift: ">>",
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
    operator.eq: "==",
    operator.ne: "!=",
    operator.is_: "is",
    operator.is_not: "is not",
}
_UNARY: Mapping[Any, str] = {
    operator.neg: "-",
    operator.pos: "+",
    operator.invert: "~",
    operator.not_: "not ",
}
_NUMBER = itertools.count()


class _Unwritten(Exception):  # noqa: N818  it says what a function is, and is no error
    """The function has something for which no text is written."""


@functools.lru_cache(maxsize=256)
def with_text(function: FunctionType) -> FunctionType | None:
    """A function that does the same and has a text; None if it branches, loops, or does what is not written here."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    if code.co_kwonlyargcount or code.co_flags & 0x0C or not all(map(str.isidentifier, names)):
        return None
    try:
        program = run_frontend(function)
        if len(program.blocks) != 1:
            return None
        (block,) = program.blocks.values()
        body = list(_Writer(block).statements())
    except (errors.NumbaError, NotImplementedError, _Unwritten):
        return None
    name = function.__name__ if function.__name__.isidentifier() else "function"
    lines = [f"def {name}({', '.join(names)}):\n", *(f"    {line}\n" for line in body)]
    file = f"<{function.__module__}.{name} {next(_NUMBER)}>"
    linecache.cache[file] = (sum(map(len, lines)), None, lines, file)
    cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
    namespace = {**function.__globals__, **{free: cell.cell_contents for free, cell in cells}}
    exec(compile("".join(lines), file, "exec"), namespace)  # noqa: S102  the function's own text
    made: FunctionType = namespace[name]
    made.__defaults__ = function.__defaults__
    made.__qualname__ = function.__qualname__
    return made


class _Writer:
    """Writes the statements of a block; what is on the interpreter's stack is nested into the expression that takes it."""

    def __init__(self, block: Any) -> None:
        self.block = block
        self.reads = Counter(
            variable.name for node in block.body if not isinstance(node, ir.Del) for variable in _read(node)
        )
        self.nested: dict[str, str] = {}

    def statements(self) -> Iterator[str]:
        """The lines of the body."""
        for node in self.block.body:
            match node:
                case ir.Del():
                    pass
                case ir.Assign(target=target, value=value):
                    text = self.expression(value)
                    if not target.name.startswith("$"):
                        if not isinstance(value, ir.Arg):
                            yield f"{_plain(target.name)} = {text}"
                    elif self.reads[target.name] == 1 or isinstance(value, ir.Global | ir.FreeVar | ir.Const):
                        self.nested[target.name] = text
                    elif isinstance(value, ir.Expr):
                        yield f"{_plain(target.name)} = {text}"
                    else:
                        self.nested[target.name] = text
                case ir.SetItem(target=target, index=index, value=value):
                    yield f"{self.of(target)}[{self.of(index)}] = {self.of(value)}"
                case ir.StaticSetItem(target=target, index_var=index, value=value) if index is not None:
                    yield f"{self.of(target)}[{self.of(index)}] = {self.of(value)}"
                case ir.Return(value=value):
                    yield f"return {self.of(value)}"
                case _:
                    raise _Unwritten

    def of(self, variable: Any) -> str:
        """The text that reads a variable."""
        return self.nested.get(variable.name) or _plain(variable.name)

    def expression(self, value: Any) -> str:
        """The text of what is assigned."""
        match value:
            case ir.Arg(name=name) | ir.Global(name=name) | ir.FreeVar(name=name):
                return str(name)
            case ir.Var():
                return self.of(value)
            case ir.Const(value=constant) if isinstance(constant, int | str | None):
                return f"({constant!r})" if isinstance(constant, int) else repr(constant)
            case ir.Const(value=constant) if isinstance(constant, float | complex) and np.isfinite(constant):
                return f"({constant!r})"
            case ir.Expr():
                return self.operation(value)
            case _:
                raise _Unwritten

    def operation(self, value: Any) -> str:
        """The text of an operation, in parentheses where it may be nested."""
        match value.op:
            case "binop" if value.fn in _SYMBOLS:
                return f"({self.of(value.lhs)} {_SYMBOLS[value.fn]} {self.of(value.rhs)})"
            case "unary" if value.fn in _UNARY:
                return f"({_UNARY[value.fn]}{self.of(value.value)})"
            case "call" if value.vararg is None and getattr(value, "varkwarg", None) is None:
                given = [*map(self.of, value.args), *(f"{name}={self.of(one)}" for name, one in value.kws)]
                return f"{self.of(value.func)}({', '.join(given)})"
            case "getattr":
                return f"{self.of(value.value)}.{value.attr}"
            case "getitem":
                return f"{self.of(value.value)}[{self.of(value.index)}]"
            case "static_getitem" if value.index_var is not None:
                return f"{self.of(value.value)}[{self.of(value.index_var)}]"
            case "build_tuple":
                return f"({''.join(f'{self.of(item)}, ' for item in value.items)})"
            case "cast":
                return self.of(value.value)
            case _:
                raise _Unwritten


def _read(node: Any) -> list[Any]:
    """The variables that a statement reads."""
    written = node.target if isinstance(node, ir.Assign) else None
    return [variable for variable in node.list_vars() if variable is not written]


def _plain(name: str) -> str:
    """A variable's name in the text."""
    return "".join(each if each.isalnum() or each == "_" else "_" for each in name)
