"""Find the syntax tree of a function object, with the lines and columns of the real file."""

from __future__ import annotations

import ast
import builtins
import copy
import functools
import inspect
import linecache
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import CodeType, FunctionType, MethodType
from typing import Any

from backsweep.diagnostics import Loc, Problem, SourceError
from backsweep.dispatch.dispatchers import Declared, declared_kinds, declared_signatures, numba_checks
from backsweep.reading.excerpts import definition_in, excerpt_with
from backsweep.reading.text import is_text_of, lines_of, lines_of_script, lines_within_cells
from backsweep.runtime.machine_code.fingerprints import is_trusted
from backsweep.runtime.support.python_calls import is_cfunc
from backsweep.store.text_files import MODULES, as_written, is_emitted


@dataclass(frozen=True, eq=False)
class Source:
    """A function's text and the namespaces outside its body.

    `receiver` is the object that a bound method is bound to; `defaults` maps parameters to their default values. `checked`
    says whether its subscripts are checked (None: its caller decides), `by_zero` whether dividing an integer by zero
    raises, `jitted` whether the function is an `@njit` function, so that Numba decides what its callees mean, `parallel`
    whether its `prange` is more than `range`. `called` is
    the library function that the user called, if this is text that implements it. `kinds` are NumPy's types of the variables
    that Numba's option `locals` declares, `declared` are the signatures that the function has been given.
    """

    node: ast.FunctionDef | ast.Lambda
    file: str
    first_line: int
    lines: tuple[str, ...]
    globals: Mapping[str, object]
    closure: Mapping[str, object]
    defaults: Mapping[str, object]
    name: str
    function: FunctionType
    receiver: object | None = None
    checked: bool | None = None
    by_zero: bool = True
    jitted: bool = False
    parallel: bool = True
    called: str = ""
    kinds: Mapping[str, Any] = field(default_factory=dict)
    declared: tuple[Declared, ...] = ()

    @property
    def parameters(self) -> list[str]:
        """The names of the parameters in their order, including `*args` and `**kwargs`."""
        arguments = self.node.args
        named = [
            *arguments.posonlyargs,
            *arguments.args,
            arguments.vararg,
            *arguments.kwonlyargs,
            arguments.kwarg,
        ]
        return [argument.arg for argument in named if argument is not None]

    def loc(self, node: ast.AST, statement: ast.AST | None = None, caller: Loc | None = None) -> Loc:
        """The place of a piece of syntax within a statement, quoted as the user wrote it."""
        return locate(self, self.name, node, statement, caller)


def locate(source: Source, name: str, node: ast.AST, statement: ast.AST | None, caller: Loc | None) -> Loc:
    """The place of a piece of syntax in the function `name`; an inner function has its own name."""
    line = getattr(node, "lineno", source.first_line)
    text = source.lines[line - 1] if line <= len(source.lines) else ""
    start = _column(text, getattr(node, "col_offset", 0))
    end = len(text)
    if getattr(node, "end_lineno", line) == line:
        end = _column(text, getattr(node, "end_col_offset", 0))
    quoted = "" if statement is None else as_written(header(statement, source.lines), source.name)
    quoted = f"{source.called}: {quoted}" if quoted and source.called else quoted
    is_compiled = source.jitted or bool(source.called) or is_emitted(source.function)
    return Loc(
        source.file, name, line, start, end, text, quoted, caller, source.checked, source.by_zero, is_compiled
    )


def read_source(function: object) -> Source:
    """The source of a plain function, lambda, closure, method or Numba dispatcher."""
    plain, receiver = unwrap(function)
    _refuse_special(plain)
    return _source(function, plain, receiver)


def read_generator(function: object) -> Source:
    """The source of a generator function, whose text is written out where a loop runs over what it yields."""
    plain, receiver = unwrap(function)
    return _source(function, plain, receiver)


def _source(function: object, plain: FunctionType, receiver: object | None) -> Source:
    file, lines, node = text_of(plain)
    node = _with_private_names(node, plain)
    compiled = getattr(function, "__func__", function)
    return Source(
        node=node,
        file=file,
        first_line=node.lineno,
        lines=lines,
        globals=plain.__globals__,
        closure=_closure(plain),
        defaults=defaults_of(plain),
        name=plain.__name__ if plain.__name__.isidentifier() else "<lambda>",
        function=plain,
        receiver=receiver,
        checked=_checks_subscripts(function),
        by_zero=_raises_by_zero(function),
        jitted=numba_checks(compiled) is not None,
        parallel=_runs_in_parallel(compiled),
        kinds=declared_kinds(compiled),
        declared=declared_signatures(compiled),
    )


def _with_private_names(
    node: ast.FunctionDef | ast.Lambda, plain: FunctionType
) -> ast.FunctionDef | ast.Lambda:
    """The definition of a method with the names that Python gives to what begins with `__`: `_Spring__rate`."""
    *_, owner, _name = ("", *plain.__qualname__.split("."))
    prefix = f"_{owner.lstrip('_')}"
    if not owner.lstrip("_<") or not any(name.startswith(f"{prefix}__") for name in plain.__code__.co_names):
        return node
    found = copy.deepcopy(node)
    for each in ast.walk(found):
        if isinstance(each, ast.Attribute) and each.attr.startswith("__") and not each.attr.endswith("__"):
            each.attr = prefix + each.attr
    return found


def has_text(function: FunctionType) -> bool:
    """Whether there is a text of the function, in a file or a cell."""
    return excerpt_with(function) is not None or bool(lines_of(function))


def _checks_subscripts(function: object) -> bool | None:
    """Whether the function's subscripts are checked: for an `@njit` function as Numba does it, never in emitted code.

    Emitted code has its checks in its text, and so do functions of the runtime that say so. None for a plain Python function, which is treated like its caller.
    """
    function = getattr(function, "__func__", function)
    python = getattr(function, "py_func", function)
    if (getattr(python, "__module__", None) or "").startswith(MODULES) or hasattr(python, "in_bounds"):
        return False
    return numba_checks(function)


def _raises_by_zero(function: object) -> bool:
    """Whether a division of integers by zero raises: in Python and in Numba, unless Numba's `error_model` is "numpy".

    Emitted code has its checks in its text.
    """
    function = getattr(function, "__func__", function)
    python = getattr(function, "py_func", function)
    written = is_emitted(python)
    options = getattr(function, "targetoptions", {})
    return not written and options.get("error_model") != "numpy"


def _runs_in_parallel(function: object) -> bool:
    """Whether `prange` asks for all cores: in a plain function, and in an `@njit` function that is compiled with `parallel`."""
    if numba_checks(function) is None:
        return True
    asked = getattr(function, "targetoptions", {}).get("parallel", False)
    return bool(asked.get("prange", True) if isinstance(asked, Mapping) else asked)


Text = tuple[str, tuple[str, ...], ast.FunctionDef | ast.Lambda]
"""A file or a cell, its lines, and a definition in it."""
_LIBRARIES: dict[CodeType, Text | None] = {}
"""The texts of libraries' functions that were read, by their code: they are read often, and taking them apart costs time."""


def text_of(function: FunctionType) -> Text:
    """The function's file or cell, its lines when the function was compiled, and the definition in them.

    The text that came with the function is tried first, then the cached lines of the file, then the current file.
    """
    code, file = function.__code__, function.__code__.co_filename
    if (sent := excerpt_with(function)) is not None:
        return sent.file, sent.in_file, definition_in(sent)
    if is_trusted(function.__module__) and (found := _of_library(function)) is not None:
        return found
    known = lines_of(function)
    if known and is_text_of(file, known, code):
        return file, known, _find(_parsed(file, known), code, function)
    linecache.checkcache(file)
    lines = lines_of(function) or lines_within_cells(code)
    if not lines and (script := lines_of_script(function)):
        file, lines = script
    if not lines:
        remedy = "define the function in a file or a notebook cell"
        if file == "<dynamic-code>":
            remedy += "; or send its gradient to the other process, with which its text travels"
        raise _unreadable(function, f"there is no text for {file!r}", remedy)
    node = _find(_parsed(file, lines), code, function)
    if not is_text_of(file, lines, code):
        cause = f"line {code.co_firstlineno} of {file} is not what it was compiled from; the file may have changed"
        raise _unreadable(
            function, cause, "import the module again, and take the gradient of the new function"
        )
    return file, lines, node


def unwrap(function: object) -> tuple[FunctionType, object | None]:
    """The plain Python function behind a dispatcher or a method, and the object that a method is bound to."""
    receiver: object | None = None
    if isinstance(function, MethodType):
        receiver = function.__self__
        function = function.__func__
    if isinstance(function, staticmethod | classmethod):
        function = function.__func__
    function = getattr(function, "_pyfunc" if is_cfunc(function) else "py_func", function)
    if isinstance(function, FunctionType):
        return function, receiver
    if hasattr(function, "only_from_python"):
        message, remedy = function.only_from_python
        raise SourceError(Problem("BS001", message, None, remedy))
    name = getattr(function, "__name__", repr(function))
    kind = (
        "a built-in function"
        if inspect.isbuiltin(function)
        else f"an object of type {type(function).__name__}"
    )
    remedy = f"wrap it in a Python function: lambda x: {name}(x)"
    if not callable(function):
        name = f"{name[:30]}..." if len(name) > 30 else name
        remedy = "pass the function itself, and call the result: bs.grad(f)(x), not bs.grad(f(x))"
    raise SourceError(Problem("BS001", f"`{name}` has no Python source: it is {kind}", None, remedy))


def is_generator_function(function: object) -> bool:
    """Whether a call of the function makes a generator."""
    python = getattr(function, "py_func", function)
    return isinstance(python, FunctionType) and bool(python.__code__.co_flags & inspect.CO_GENERATOR)


def _refuse_special(function: FunctionType) -> None:
    """Refuse functions whose call does not run their body once from top to bottom."""
    flags = function.__code__.co_flags
    if flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        raise _unreadable(function, "it is asynchronous", "write a plain function", "BS003")
    if flags & inspect.CO_GENERATOR:
        raise _unreadable(
            function, "it is a generator", "store the values in an array and return that", "BS003"
        )


def _unreadable(function: FunctionType, cause: str, remedy: str, code: str = "BS002") -> SourceError:
    return SourceError(
        Problem(code, f"the source of `{function.__name__}` cannot be used: {cause}", None, remedy)
    )


def _of_library(function: FunctionType) -> Text | None:
    """The text of a library's function, which is the same each time; None if it does not stand alone."""
    code = function.__code__
    if code not in _LIBRARIES:
        known = lines_of(function)
        alone = _alone(code.co_filename, known, code.co_firstlineno) if known else None
        found = None if alone is None else (code.co_filename, known, _find(alone, code, function))
        _LIBRARIES[code] = found
    return _LIBRARIES[code]


def _alone(file: str, lines: tuple[str, ...], first: int) -> ast.Module | None:
    """The function of a library that begins in this line, without the rest of its file, at its own lines and columns.

    An installed library is what its version says: its text need not be compared with its code. Some files have 5,000 lines.
    None where the block of lines is no definition, as with a lambda within an expression.
    """
    block = inspect.getblock([f"{line}\n" for line in lines[first - 1 :]])
    inner = ["if True:\n"] if block[0][:1].isspace() else []
    above = ["\n"] * (first - 1 - len(inner))
    try:
        tree = ast.parse("".join([*above, *inner, *block]), filename=file)
    except SyntaxError:
        return None
    return tree if first in _definitions(tree) else None


@functools.lru_cache(maxsize=64)
def _parsed(file: str, lines: tuple[str, ...]) -> ast.Module:
    try:
        return ast.parse("\n".join(lines) + "\n", filename=file)
    except SyntaxError as error:
        problem = Problem(
            "BS002",
            f"{file} is no longer valid Python: {error.msg} in line {error.lineno}",
            None,
            "correct the file and import the module again",
        )
        raise SourceError(problem) from None


def _find(tree: ast.Module, code: CodeType, function: FunctionType) -> ast.FunctionDef | ast.Lambda:
    """The definition that `code` was compiled from: by first line and name, then by columns, then by content."""
    found = [
        node
        for node in _definitions(tree).get(code.co_firstlineno, ())
        if _name(node) == code.co_name and _parameters(node) == _code_parameters(code)
    ]
    if len(found) > 1:
        found = [node for node in found if _covers(node, code)] or found
    if len(found) > 1:
        found = [node for node in found if _compiled_alike(node, code)]
    if len(found) == 1:
        return found[0]
    if found:
        cause = f"several functions with the same text begin in line {code.co_firstlineno}"
        raise _unreadable(function, cause, "put each on its own line")
    cause = f"{code.co_filename} does not define it in line {code.co_firstlineno}; the file may have changed"
    raise _unreadable(function, cause, "import the module again, or define the function in a file")


@functools.lru_cache(maxsize=64)
def _definitions(tree: ast.Module) -> dict[int, list[ast.FunctionDef | ast.Lambda]]:
    """The functions of a module, by their first lines."""
    found: dict[int, list[ast.FunctionDef | ast.Lambda]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            found.setdefault(_first_line(node), []).append(node)
    return found


def _first_line(node: ast.FunctionDef | ast.Lambda) -> int:
    """The first line of a function as Python counts it: the line of its first decorator."""
    if isinstance(node, ast.FunctionDef) and node.decorator_list:
        return node.decorator_list[0].lineno
    return node.lineno


def _name(node: ast.FunctionDef | ast.Lambda) -> str:
    return node.name if isinstance(node, ast.FunctionDef) else "<lambda>"


def _parameters(node: ast.FunctionDef | ast.Lambda) -> tuple[str, ...]:
    """All parameters, in the order of a code object's variables (a leading `__` may be mangled there)."""
    arguments = node.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    named += [star for star in (arguments.vararg, arguments.kwarg) if star is not None]
    return tuple(argument.arg for argument in named)


def _code_parameters(code: CodeType) -> tuple[str, ...]:
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_varnames[:count]


def _covers(node: ast.FunctionDef | ast.Lambda, code: CodeType) -> bool:
    """Whether the instructions' columns lie within the definition."""
    body = node.body if isinstance(node, ast.Lambda) else node
    start = (body.lineno, body.col_offset)
    end = (body.end_lineno or body.lineno, body.end_col_offset or 0)
    spans = [span for span in code.co_positions() if None not in span and span[2] != span[3]]
    if not spans:
        return False
    return all(start <= (line, column) and (last, stop) <= end for line, last, column, stop in spans)


def _compiled_alike(node: ast.FunctionDef | ast.Lambda, code: CodeType) -> bool:
    """Whether compiling the definition alone gives the same instructions (for code without columns)."""
    tree = ast.Expression(node) if isinstance(node, ast.Lambda) else ast.Module([node], [])
    mode = "eval" if isinstance(node, ast.Lambda) else "exec"
    compiled = compile(tree, code.co_filename, mode)
    inner = [constant for constant in compiled.co_consts if isinstance(constant, CodeType)]
    return any(
        (one.co_name, one.co_consts, set(one.co_names)) == (code.co_name, code.co_consts, set(code.co_names))
        for one in inner
    )


def _closure(function: FunctionType) -> dict[str, object]:
    """The current values of the function's free variables; unassigned variables are left out."""
    found: dict[str, object] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            continue
    return found


def defaults_of(function: FunctionType) -> dict[str, object]:
    """The parameters that need no argument, with the values that they have then."""
    code = function.__code__
    positional = code.co_varnames[: code.co_argcount]
    values = function.__defaults__ or ()
    found: dict[str, object] = dict(zip(positional[len(positional) - len(values) :], values, strict=True))
    return found | (function.__kwdefaults__ or {})


def _column(text: str, offset: int) -> int:
    """A column in characters; the parser counts bytes."""
    return len(text.encode()[:offset].decode(errors="ignore"))


class ComprehensionLoop(ast.For):
    """A loop that stands for a comprehension, or runs over a generator, `whole`; its body may do no more than list an `item`."""

    whole: ast.expr
    item: ast.expr | None = None


def header(statement: ast.AST, lines: tuple[str, ...]) -> str:
    """The statement on one line, as the user spelt it; of a compound statement, its first line up to the colon."""
    if isinstance(statement, ComprehensionLoop):
        statement = statement.whole
    last: ast.AST = statement
    colon = ""
    match statement:
        case ast.For(iter=last) | ast.While(test=last) | ast.If(test=last):
            colon = ":"
        case ast.FunctionDef():
            return f"def {statement.name}({ast.unparse(statement.args)}):"
        case _:
            pass
    line, end_line = getattr(statement, "lineno", 0), getattr(last, "end_lineno", 0)
    if not 0 < line <= end_line <= len(lines):
        return ast.unparse(statement).partition("\n")[0]
    start, end = getattr(statement, "col_offset", 0), getattr(last, "end_col_offset", 0)
    return _joined(lines[line - 1 : end_line], start, end, statement) + colon


def _joined(lines: tuple[str, ...], start: int, end: int, statement: ast.AST) -> str:
    """The text between two columns of several lines, on one line."""
    if len(lines) == 1:
        return lines[0].encode()[start:end].decode(errors="ignore")
    if any("#" in line for line in lines) or any(line.rstrip().endswith("\\") for line in lines):
        return ast.unparse(statement).split("\n")[0].rstrip(":")
    first, last = lines[0].encode()[start:].decode(), lines[-1].encode()[:end].decode()
    text = " ".join(part.strip() for part in (first, *lines[1:-1], last))
    return re.sub(r",? ([)\]}])", r"\1", re.sub(r"([(\[{]) ", r"\1", text))


def builtin_names() -> Mapping[str, object]:
    """The names of Python's builtins with their objects, the last scope of every lookup."""
    return vars(builtins)
