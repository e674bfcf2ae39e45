"""Emit the functions of a module as text that people read."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from numba import prange

from backsweep.emit.liveness import find_clashes, share
from backsweep.emit.names import clean, identifiers, suggest
from backsweep.emit.nest import Nested, nest
from backsweep.emit.printer import text_of
from backsweep.emit.python import Forms
from backsweep.emit.references import Globals, spell_all
from backsweep.emit.statements import Copies, Define, Statement, every, lists, structured
from backsweep.emit.syntax import Expressions, is_operation
from backsweep.ir.effects import MayAlias, always
from backsweep.ir.nodes import Apply, Block, Const, For, Function, Node, Value
from backsweep.ir.operations import operation
from backsweep.ir.walk import leaving, operands, walk
from backsweep.runtime.support.object_mode import DRAWS


@dataclass(frozen=True, slots=True)
class Module:
    """A module's text, and by name the objects that the text needs but cannot import or define."""

    text: str
    bindings: dict[str, Any]


def emit_module(functions: Sequence[Function], docstring: str, may_alias: MayAlias = always) -> Module:
    """Emit the functions as a readable module: nested expressions, the user's names, comments."""
    scope = scope_of(functions)
    definitions = [definition(function, scope, may_alias) for function in functions]
    return Module(assembled(definitions, scope, docstring), dict(scope.bindings))


def scope_of(functions: Sequence[Function], tables: bool = True) -> Globals:
    """The module's global names; everything that the functions refer to has a name already."""
    arguments = frozenset(clean(value.name) for function in functions for value in function.body.parameters)
    scope = Globals(arguments, frozenset(function.name for function in functions), tables=tables)
    for function in functions:
        nodes = list(walk(function.body))
        spell_all(scope, _called(nodes, in_place=not tables), _constants(function.body, nodes))
    return scope


def _called(nodes: list[Node], *, in_place: bool) -> Iterator[Any]:
    """The functions whose names the text contains; with `in_place`, in-place operators are written as calls, too."""
    for node in nodes:
        if isinstance(node, For):
            yield prange if node.parallel else range
        if isinstance(node, Apply) and not is_operation(node.function):
            if operation(node.function).in_place and not in_place:
                continue
            is_method = isinstance(node.function, Hashable) and node.function in DRAWS
            if getattr(node.function, "__objclass__", None) is None and not is_method:
                yield node.function


def _constants(body: Block, nodes: list[Node]) -> Iterator[Const]:
    """The constants that the nodes read."""
    for node in nodes:
        for operand in (*operands(node), *leaving(node)):
            if isinstance(operand, Const):
                yield operand
    yield from (operand for operand in body.yields if isinstance(operand, Const))


def definition(function: Function, scope: Globals, may_alias: MayAlias) -> ast.FunctionDef:
    """Nest and name the values of one function, and write it."""
    parameters = function.body.parameters
    statements = structured(function)
    names, nested = _named(statements, parameters, scope, may_alias, frozenset())
    willing = _swapped(statements, names, nested)
    if willing:
        names, nested = _named(statements, parameters, scope, may_alias, willing)
    body = Forms(Expressions(names, nested, scope)).suite(statements)
    if len(body) > 1 and _is_return_of_nothing(body[-1]):
        body.pop()
    if function.catches:
        body = [
            ast.Try(body, [ast.ExceptHandler(ast.Name("Exception", ast.Load()), None, [ast.Pass()])], [], [])
        ]
    return _function(function.name, [names[parameter] for parameter in parameters], body)


def _is_return_of_nothing(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Return) else None
    return isinstance(value, ast.Constant) and value.value is None


def _named(
    statements: list[Statement],
    parameters: tuple[Value, ...],
    scope: Globals,
    may_alias: MayAlias,
    willing: frozenset[Value],
) -> tuple[dict[Value, str], Nested]:
    """The identifier of every value, and what is nested."""
    nested = nest(statements, may_alias, willing)
    variables = find_clashes(statements, parameters, nested, suggest(statements, parameters, nested))
    share(statements, parameters, variables)
    return identifiers(statements, parameters, variables, scope.taken()), nested


def _swapped(statements: list[Statement], names: dict[Value, str], nested: Nested) -> frozenset[Value]:
    """Named values that are better nested into the parallel copy after them, as in `a, b = b, a + b`."""
    found: set[Value] = set()
    for suite in [statements, *(inner for s in every(statements) for inner in lists(s))]:
        for position, statement in enumerate(suite):
            if not isinstance(statement, Copies) or len(statement.targets) < 2:
                continue
            last = next((s for s in reversed(suite[:position]) if not _is_nested(s, nested)), None)
            for target, source in zip(statement.targets, statement.sources, strict=True):
                if isinstance(last, Define) and source is last.value and target.name == source.name:
                    if names[target] != names[last.value]:
                        found.add(last.value)
    return frozenset(found)


def _is_nested(statement: Statement, nested: Nested) -> bool:
    """Whether the statement is written within another one."""
    return isinstance(statement, Define) and statement.value in nested.nodes


def _function(name: str, parameters: list[str], body: list[ast.stmt]) -> ast.FunctionDef:
    """`def name(parameters): body`."""
    arguments = ast.arguments([], [ast.arg(parameter) for parameter in parameters], None, [], [], None, [])
    return ast.FunctionDef(name, arguments, body or [ast.Pass()], [], None)


def assembled(definitions: list[ast.FunctionDef], scope: Globals, docstring: str) -> str:
    """Docstring, imports, constants and functions with the blank lines between them."""
    parts = [_quoted(docstring)]
    standard = [name for name in ("math",) if name in scope.modules]
    lines = ["import " + _alias(name, scope) for name in standard]
    records = [name for name, module in scope.imports.items() if module == "collections"]
    lines += [f"from collections import {name}" for name in records]
    others = ["import " + _alias("numpy", scope)] if "numpy" in scope.modules else []
    of_numba = [name for name, module in scope.imports.items() if module == "numba"]
    others += [f"from numba import {', '.join(sorted(of_numba))}"] if of_numba else []
    lines += ["", *others] if lines and others else others
    by_module: dict[str, list[str]] = {}
    for name, module in scope.imports.items():
        if name in records or module == "numba":
            continue
        by_module.setdefault(module, []).append(name)
    ours = [f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(by_module.items())]
    lines += ["", *ours] if lines and ours else ours
    if lines:
        parts.append("\n".join(lines))
    if scope.constants:
        assigned = [
            ast.Assign([ast.Name(name, ast.Store())], value) for name, value in scope.constants.items()
        ]
        parts.append("\n" + "\n".join(text_of(statement).strip("\n") for statement in assigned))
    head = "\n".join(parts)
    written = [text_of(definition).strip("\n") for definition in definitions]
    return "\n\n\n".join([head, *written]) + "\n"


def _alias(module: str, scope: Globals) -> str:
    """`numpy as np`."""
    short = scope.module(module)
    return module if short == module else f"{module} as {short}"


def _quoted(docstring: str) -> str:
    """The docstring in triple quotes."""
    escaped = docstring.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return f'"""{escaped}"""'
