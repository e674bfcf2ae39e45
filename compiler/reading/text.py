"""Find the text that a function was compiled from, in its file or cell, and compare it with the function's code."""

from __future__ import annotations
import __future__

import ast
import functools
import linecache
import sys
from collections.abc import Iterator
from types import CodeType, FunctionType

FUTURES = functools.reduce(
    int.__or__, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
)
"""The bits of a code object's flags that say which `from __future__ import` it was compiled under."""

Lines = tuple[str, ...]


def lines_of(function: FunctionType) -> Lines:
    """The lines of the function's file, cell or command, without line ends; empty if there is no text."""
    file = function.__code__.co_filename
    known = _lines_of_command(function.__code__) if file == "<string>" else ()
    return known or _without_ends(linecache.getlines(file, function.__globals__))


def _lines_of_command(code: CodeType) -> Lines:
    """The lines of what `python -c` runs, if the code is of it; texts that `exec` runs have the same file name."""
    for option, text in zip(sys.orig_argv[1:], sys.orig_argv[2:], strict=False):
        if option[:1] == "-" and option[-1:] == "c" and option[:2] != "--":
            lines = tuple(text.splitlines())
            return lines if is_text_of(code.co_filename, lines, code) else ()
    return ()


def lines_of_script(function: FunctionType) -> tuple[str, Lines] | None:
    """The file of the module that a function was defined in, and its lines, if the function's code fits them.

    Where cloudpickle has made the function, its code names no file, but its globals may, and that may be on this machine.
    """
    file = function.__globals__.get("__file__")
    if isinstance(file, str):
        lines = _without_ends(linecache.getlines(file))
        if lines and is_text_of(file, lines, function.__code__):
            return file, lines
    return None


def lines_within_cells(code: CodeType) -> Lines:
    """The lines of a text inside a notebook cell, such as the body of a `%%time` cell; empty if there is none.

    IPython keeps the text of each cell. There, the body of `%%time` is a string, which the magic compiles under a file
    name without a text.
    """
    for file, entry in list(linecache.cache.items()):
        if len(entry) == 4 and any(
            "run_cell_magic(" in line or "run_line_magic(" in line for line in entry[2]
        ):
            for lines in _handed_to_magics(_without_ends(entry[2])):
                if is_text_of(file, lines, code):
                    return lines
    return ()


def _without_ends(lines: list[str]) -> Lines:
    return tuple(line.rstrip("\r\n") for line in lines)


@functools.lru_cache(maxsize=64)
def _handed_to_magics(lines: Lines) -> tuple[Lines, ...]:
    """The texts that a cell passes to IPython's magics."""
    return tuple(tuple(text.splitlines()) for text in _texts_in(_parsed("<cell>", lines)))


def _texts_in(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="run_cell_magic" | "run_line_magic"),
                args=[*_, ast.Constant(str(text))],
            ):
                yield text
            case _:
                pass


def is_text_of(file: str, lines: Lines, code: CodeType) -> bool:
    """Whether compiling the text gives the function's code; code that an import hook rewrote is not compared."""
    if any(name.startswith("@") for name in (*code.co_names, *code.co_varnames)):
        return True  # names that pytest gives variables when it rewrites an assert
    same = _instructions(code)
    return any(
        _instructions(one) == same
        for codes in (_codes_of_whole, _codes_of_statements)
        for one in codes(file, lines, code.co_flags & FUTURES)
        if (one.co_name, one.co_firstlineno) == (code.co_name, code.co_firstlineno)
    )


@functools.lru_cache(maxsize=64)
def _codes_of_whole(file: str, lines: Lines, futures: int) -> tuple[CodeType, ...]:
    """Every function's code in a text; nothing if the text cannot be compiled."""
    return tuple(_codes(_parsed(file, lines), file, futures))


@functools.lru_cache(maxsize=64)
def _codes_of_statements(file: str, lines: Lines, futures: int) -> tuple[CodeType, ...]:
    """Every function's code in a text whose statements are compiled one by one, as a notebook compiles a cell.

    The code differs if a statement calls a function of a module that another statement imports.
    """
    statements = _parsed(file, lines).body
    return tuple(
        code for statement in statements for code in _codes(ast.Module([statement], []), file, futures)
    )


def _parsed(file: str, lines: Lines) -> ast.Module:
    """The syntax tree of a text; an empty tree if the text has a syntax error."""
    try:
        return ast.parse("\n".join(lines) + "\n", file)
    except SyntaxError:
        return ast.Module([], [])


def _codes(tree: ast.Module, file: str, futures: int) -> Iterator[CodeType]:
    """The code of every function in a module, compiled with these `__future__` flags; nothing if it does not compile."""
    flags = futures | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT  # a notebook cell may have one
    try:
        found = [compile(tree, file, "exec", flags, dont_inherit=True)]
    except (SyntaxError, ValueError):
        return
    for code in found:
        found += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    yield from found[1:]


def _instructions(code: CodeType) -> tuple[object, ...]:
    """A comparable form of the code: its instructions and the objects they refer to, without line numbers."""
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return (code.co_code, *names, *map(_constant, code.co_consts))


def _constant(constant: object) -> object:
    """A comparable form of a constant: 1, 1.0 and True differ, and so do 0.0 and -0.0."""
    match constant:
        case CodeType():
            return _instructions(constant)
        case frozenset():
            return tuple(sorted(map(repr, constant)))
        case _:
            return repr(constant)
