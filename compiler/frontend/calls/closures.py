"""Make a Python function of a function that the program defines inside itself: what that reads around it becomes its parameters.

So it can be given to a transformation, as in the derivative of an equation by its unknown. Source: closure conversion;
A. Appel, Compiling with Continuations (1992), chapter 10.
"""

from __future__ import annotations

import ast
import copy
import functools
import importlib
import itertools
import linecache
import symtable
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from backsweep.frontend.context.heap import Virtual
from backsweep.frontend.context.lowerer import Keywords, Lowerer, Special
from backsweep.frontend.context.scope import (
    Bound,
    Clash,
    Inner,
    KnownTuple,
    assigned_around,
    is_refused,
    refusal,
    same,
)
from backsweep.frontend.instances.making import new
from backsweep.frontend.instances.members import store
from backsweep.ir.nodes import UNDEFINED, Const, Operand, Value
from backsweep.reading.functions import builtin_names
from backsweep.runtime.solvers.marks import curvature_of, matrix_of, slope_of


def _derivative(transformation: str) -> Special:
    """What lowers a mark that asks for a derivative, by its first argument, of a function that exists while compiling."""

    def special(lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call) -> Operand:
        plain, captured = lifted(lowerer, args[0], node)
        return Const(Bound(Const(_transformed(plain, transformation)), (), captured))

    return special


def again(cls: type, names: tuple[Any, ...], *attributes: Any) -> Any:
    """An object of a class with these attributes; the compiler makes it, in a function that reads an object of the program around it."""
    raise TypeError(f"an object of {cls} with {names} is made outside of compiled code: {attributes}")


def made_again(lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call) -> Operand:
    """Lower `again(...)`."""
    cls, names, *attributes = args
    assert isinstance(cls, Const)
    assert isinstance(names, Const)
    made = new(lowerer, cls.value, node)
    for name, operand in zip(names.value, attributes, strict=True):
        store(lowerer, made.value, name, operand, node)
    lowerer.context.objects.copies.add(made.value)
    return made


@dataclass(frozen=True, eq=False)
class Late:
    """A derivative of a function that the program defines: what this reads around it has the values of the call, as in Python."""

    transformation: Callable[..., Any]
    function: Operand
    names: tuple[str, ...]
    given: tuple[Any, ...]
    options: Mapping[str, Any]


def settled(lowerer: Lowerer, late: Late, node: ast.AST) -> Operand:
    """Such a derivative, with what its function reads around it here."""
    plain, captured = lifted(lowerer, late.function, node, late.names)
    made = Const(late.transformation(plain, *late.given, **late.options))
    return Const(Bound(made, (), captured)) if captured else made


def lifted(
    lowerer: Lowerer, function: Operand, node: ast.AST, unknowns: Sequence[str] = ("unknown",)
) -> tuple[Any, dict[str, Operand]]:
    """A Python function with these parameters of this one, and further ones for which the operands are given, too."""
    if isinstance(function, Const) and isinstance(function.value, Late):
        function = settled(lowerer, function.value, node)
    if isinstance(function, Const) and not isinstance(function.value, Inner | Bound | KnownTuple):
        return function.value, {}
    closure = _Closure(lowerer, node, unknowns)
    called = closure.expression(function, "function")
    text = "\n".join(
        [
            f"def equation({', '.join([*unknowns, *closure.parameters])}):",
            *(f"    {line}" for line in "\n".join(closure.lines).splitlines()),
            f"    return {called}({', '.join(unknowns)})",
        ]
    )
    key = tuple(sorted((name, id(thing)) for name, thing in closure.globals.items()))
    return _compiled(text, key, _Kept(closure.globals)), closure.parameters


class _Closure:
    """What a function needs around it: operands that become parameters, objects that become globals, inner functions."""

    def __init__(self, lowerer: Lowerer, node: ast.AST, unknowns: Sequence[str]) -> None:
        self.lowerer = lowerer
        self.node = node
        self.parameters: dict[str, Operand] = {}
        self.globals: dict[str, Any] = {}
        self.lines: list[str] = []
        self.names: dict[str, Operand] = {name: Const(object()) for name in ("equation", *unknowns)}
        """What each name that is taken means."""

    def expression(self, operand: Operand, name: str) -> str:
        """The text for an operand that a function reads by this name, if it is free."""
        for taken, other in self.names.items():
            if same(operand, other):
                return taken
        if isinstance(operand, Value):
            return self._entered(self.parameters, operand, operand, name)
        thing = operand.value
        if operand is UNDEFINED or is_refused(operand) or isinstance(thing, Clash):
            message = f"`{name}` has no value where the function that reads it is differentiated"
            raise self.lowerer.refuse("BS119", message, self.node, "assign it before")
        match thing:
            case Inner():
                return self._defined(operand, thing, name)
            case Bound(function, args, keywords):
                called = self.expression(function, name)
                given = [self.expression(each, f"{name}_{k}") for k, each in enumerate(args)]
                given += [f"{key}={self.expression(each, key)}" for key, each in keywords.items()]
                partial = self.expression(Const(functools.partial), "partial")
                return f"{partial}({', '.join([called, *given])})"
            case Late():
                return self.expression(settled(self.lowerer, thing, self.node), name)
            case Virtual():
                record = self.lowerer.context.objects.heap.records[thing]
                remade = self.expression(Const(again), "again")
                cls = self._entered(self.globals, Const(thing.cls), thing.cls, thing.cls.__name__)
                names = self._entered(self.globals, Const(tuple(record)), tuple(record), "names")
                self.names[name] = operand
                parts = [self.expression(each, str(key)) for key, each in record.items()]
                return f"{remade}({', '.join([cls, names, *parts])})"
            case KnownTuple(items):
                parts = [self.expression(each, f"{name}_{k}") for k, each in enumerate(items)]
                return f"({''.join(f'{part}, ' for part in parts)})"
            case _:
                return self._entered(self.globals, operand, thing, name)

    def _entered(self, table: dict[str, Any], operand: Operand, thing: Any, name: str) -> str:
        free = self._free(name)
        self.names[free] = operand
        table[free] = thing
        return free

    def _free(self, name: str) -> str:
        """The name, or one like it that is not taken."""
        numbered = (f"{name}_{k}" for k in itertools.count(1))
        return next(each for each in itertools.chain([name], numbered) if each not in self.names)

    def _defined(self, operand: Operand, inner: Inner, name: str) -> str:
        """Write the definition of an inner function, after what it reads; returns its name."""
        if isinstance(inner.node, ast.FunctionDef) and (changed := assigned_around(inner.node)):
            message = f"`{min(changed)}` is assigned by `nonlocal` in a function that is differentiated where it is called"
            remedy = "return what changes, or count outside of the equation"
            raise refusal("BS111", message, inner.frame.loc(inner.node), remedy)
        node = copy.deepcopy(inner.node)
        free = self._free(node.name if isinstance(node, ast.FunctionDef) else name)
        self.names[free] = operand
        _set_defaults(node, {key: self.expression(each, key) for key, each in inner.defaults.items()})
        own, inside = _names_of(ast.unparse(node))
        other: dict[str, str] = {}
        for each in own:
            found = self.names.get(each) if each in inner.defaults else self.lowerer.find(each, inner.frame)
            if found is None or (isinstance(found, Const) and found.value is builtin_names().get(each, self)):
                continue
            expression = self.expression(found, each)
            if expression != each:
                other[each] = expression
        if inside & other.keys():
            message = (
                f"two variables are called `{min(inside & other.keys())}` where a function is differentiated"
            )
            raise self.lowerer.refuse("BS119", message, self.node, "give them names of their own")
        definition = _Renamed(other).visit(node)
        if isinstance(definition, ast.Lambda):
            definition = ast.Assign([ast.Name(free, ast.Store())], definition)
        else:
            definition.name, definition.decorator_list = free, []
        self.lines.append(ast.unparse(ast.fix_missing_locations(definition)))
        return free


def _set_defaults(node: ast.FunctionDef | ast.Lambda, expressions: Mapping[str, str]) -> None:
    """Give the parameters these expressions as their defaults."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    with_default = positional[len(positional) - len(arguments.defaults) :]
    arguments.defaults = [_parsed(expressions[each.arg]) for each in with_default]
    arguments.kw_defaults = [
        None if default is None else _parsed(expressions[each.arg])
        for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    ]


def _parsed(expression: str) -> ast.expr:
    return ast.parse(expression, mode="eval").body


class _Renamed(ast.NodeTransformer):
    """Puts expressions in place of the names that a function reads around it."""

    def __init__(self, expressions: Mapping[str, str]) -> None:
        self.expressions = expressions

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Replace one name."""
        return _parsed(self.expressions[node.id]) if node.id in self.expressions else node


def _names_of(text: str) -> tuple[list[str], set[str]]:
    """The names that the functions of a text read around them, and those of their own variables."""
    tables = list(symtable.symtable(text, "<text>", "exec").get_children())
    around: dict[str, None] = {}
    own: set[str] = set()
    for table in tables:
        tables += table.get_children()
        around.update((each.get_name(), None) for each in table.get_symbols() if each.is_global())
        own.update(each.get_name() for each in table.get_symbols() if not each.is_global())
    return list(around), own


class _Kept:
    """The globals of a function; what tells two functions of one text apart is the key beside it."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names

    def __eq__(self, _: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


@functools.lru_cache(maxsize=1024)
def _compiled(text: str, _key: tuple[tuple[str, int], ...], kept: _Kept) -> FunctionType:
    """The function of this text, which is found again by the readers of functions."""
    file = f"<equation {hash((text, _key)):x}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    namespace = dict(kept.names)
    exec(compile(text, file, "exec"), namespace)  # noqa: S102  the user's own functions
    made = namespace["equation"]
    assert isinstance(made, FunctionType)
    return made


@functools.lru_cache(maxsize=1024)
def _transformed(function: Any, transformation: str) -> Any:
    """The transformation of a function by its first argument; it stands above this room, and is found by name."""
    return getattr(importlib.import_module("backsweep"), transformation)(function, argnums=0)


OF_CLOSURES: Mapping[object, Special] = {
    again: made_again,
    slope_of: _derivative("grad"),
    matrix_of: _derivative("jacobian"),
    curvature_of: _derivative("hessian"),
}
"""What texts of ours ask of functions that exist while compiling."""
