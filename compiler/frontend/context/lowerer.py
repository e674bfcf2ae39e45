"""The abstract interface of lowering: where nodes go, what names mean, and how to lower other syntax.

Each part (calls, subscripts, lists, ...) gets a `Lowerer` and calls other parts through it, so that no two parts import
each other. `expressions.py` and `statements.py` implement the class.
"""

from __future__ import annotations

import abc
import ast
import operator
from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any

import numpy as np

from backsweep.diagnostics import Loc, UnsupportedError
from backsweep.frontend.context.dataclasses import is_tuple
from backsweep.frontend.context.heap import Virtual
from backsweep.frontend.context.rounds import test_within, write_loops_out
from backsweep.frontend.context.scope import (
    Bound,
    Cell,
    Clash,
    Context,
    Frame,
    Inner,
    KnownTuple,
    Range,
    Variables,
    is_refused,
    is_static,
    refusal,
)
from backsweep.ir.build import Builder, christen
from backsweep.ir.nodes import UNDEFINED, Apply, Const, Operand, Slice, Tap, Value
from backsweep.ir.types import RANDOM
from backsweep.reading.names import lookup_name
from backsweep.reading.outside import Read

Keywords = Mapping[str, Operand]

FAMILIES = (
    *(np.generic, np.number, np.inexact, np.floating, np.complexfloating),
    *(np.integer, np.signedinteger, np.unsignedinteger, np.flexible, np.character),
)
"""NumPy's classes of numbers that are no dtypes."""

IN_ITS_BRANCH = {
    "function": "call each function in its own branch",
    "slice": "choose the numbers and write the slice where it is used, as in x[start:stop]",
    "dict": "choose its values instead, and make the dict of them afterwards",
    "object": "choose its attributes instead, and make the object of them afterwards",
    "list": "take copies of lists that are made outside of the function: [*items]",
}
"""Remedies for a choice between compile-time objects while the program runs."""


class Lowerer(abc.ABC):
    """Lowers the syntax of one function: appends nodes to the builder and returns operands."""

    def __init__(self, context: Context, frame: Frame) -> None:
        self.context = context
        self.frame = frame

    @property
    def builder(self) -> Builder:
        """Where nodes go."""
        return self.context.builder

    def loc(self, node: ast.AST) -> Loc:
        """The place of a piece of syntax."""
        return self.frame.loc(node)

    def refuse(self, code: str, message: str, node: ast.AST, remedy: str) -> UnsupportedError:
        """The error to raise for a piece of syntax."""
        return refusal(code, message, self.loc(node), remedy)

    def check_exists(self, operand: Operand, node: ast.AST) -> None:
        """Refuse to use the result of a function that raises on each of its paths."""
        if operand is UNDEFINED:
            message = "what is called here returns nothing: each of its paths raises an error"
            raise self.refuse(
                "BS167", message, node, "return a value on some path, or call it as a statement"
            )

    def check_path(self, operand: Operand, what: str, node: ast.AST) -> None:
        """Refuse an operand that is a different function or slice on different paths.

        An operand that was refused before raises an error without a new problem.
        """
        if is_refused(operand):
            raise UnsupportedError(())
        if isinstance(operand, Const) and isinstance(operand.value, Clash):
            kind = operand.value.kind
            if kind == "object":
                write_loops_out(self.context.objects, self.context.expansions)
            message = f"{what} is a different {kind} on different paths"
            raise self.refuse("BS104", message, node, IN_ITS_BRANCH[kind])

    def find(self, name: str, frame: Frame) -> Operand | None:
        """The operand of a name in a frame; `UNDEFINED` for a local variable that is not assigned yet."""
        if name in frame.shared:
            return self.context.objects.heap.records[frame.shared[name]].get(name, UNDEFINED)
        if name in frame.env:
            return frame.env[name]
        if name in frame.locals:
            return UNDEFINED
        if frame.outer is not None:
            return self.find(name, frame.outer)
        read = self.context.outside.note_name(frame.source, name)
        found = lookup_name(name, *frame.scopes)
        return Const(read) if read is not None and is_generator(found) else found

    def generator(self, read: Read, node: ast.AST) -> Value:
        """The generator of random numbers that the function has around it. The code reads it once, at its start."""
        found = self.context.outside.generator(read)
        if found not in self.context.generators:
            loc = self.loc(node)
            made = self.builder.value(read.name, loc=loc)
            self.builder.outermost.nodes.insert(0, Apply(made, found, (), loc))
            self.context.present.add(made)
            self.context.types[made] = RANDOM
            self.context.generators[found] = made
        return self.context.generators[found]

    def bind(self, name: str, operand: Operand) -> Operand:
        """Give a local variable its value; a value that has no name yet takes this one."""
        if isinstance(operand, Value):
            christen(operand, name)
        self.assign(name, operand)
        return operand

    def share(self, names: Iterable[str], node: ast.AST) -> None:
        """Keep variables of the function, which inner functions assign, as attributes of an object; parameters have values."""
        objects = self.context.objects
        place = (self.loc(node), tuple(self.context.expansions.path))
        thing = objects.make(Variables, place, self.builder.current)
        for name in names:
            self.frame.shared[name] = thing
            if name in self.frame.env:
                objects.set(thing, name, self.frame.env.pop(name), self.loc(node))

    def share_outer(self, names: Iterable[str], node: ast.Nonlocal) -> None:
        """Assign variables of the functions around this one from here on."""
        for name in names:
            outer = self.frame.outer
            while outer is not None and name not in outer.shared:
                outer = outer.outer
            if outer is None:
                message = (
                    f"`nonlocal {name}` changes a variable of what is around the differentiated function"
                )
                raise self.refuse("BS101", message, node, "pass it as an argument, and return the new value")
            self.frame.shared[name] = outer.shared[name]

    def assign(self, name: str, operand: Operand) -> None:
        """Let a variable have this value from here on."""
        if (thing := self.frame.shared.get(name)) is None:
            self.frame.env[name] = operand
            return
        objects, node = self.context.objects, self.frame.statement
        assert node is not None
        if not objects.may_change(thing, self.builder):
            test_within(objects, self.builder)
            message = f"`{name}`, which several functions assign, changes within an expression that has a block of its own"
            raise self.refuse("BS111", message, node, "assign it in a statement of its own")
        objects.set(thing, name, operand, self.loc(node))

    def apply(
        self,
        function: Any,
        operands: tuple[Operand, ...],
        node: ast.AST,
        keywords: Mapping[str, Operand] | None = None,
        name: str = "",
    ) -> Value:
        """Append a call of a primitive; `runtime` converts or refuses its operands."""
        loc = self.loc(node)
        self.check_items(function, operands, node)
        ready = tuple(self.runtime(operand, node) for operand in operands)
        named = tuple((key, self.runtime(operand, node)) for key, operand in (keywords or {}).items())
        result = self.builder.value(name, loc=loc)
        self.builder.add(Apply(result, function, ready, loc, named))
        if function not in (operator.getitem, getattr):
            self.context.present.add(result)
        return result

    def check_items(self, function: Any, operands: tuple[Operand, ...], node: ast.AST) -> None:
        """Refuse a primitive that would take an object for the tuple that stands for it in compiled code."""
        puts = isinstance(function, Tap) or (isinstance(function, type) and issubclass(function, tuple))
        if puts or function is getattr or hasattr(function, "emitted_types"):
            return  # it is put into another object, its attributes are read, or a derivative knows its class
        for cls in [self.context.classes.get(each) for each in operands if isinstance(each, Value)]:
            if not is_tuple(cls):
                name = getattr(cls, "__name__", "object")
                message = f"an object of the class `{name}` is used as a tuple of its attributes, which it is not in Python"
                remedy = "name the attributes: `(p.x, p.y)` in place of `p`"
                raise self.refuse("BS106", message, node, remedy)

    def runtime(self, operand: Operand, node: ast.AST) -> Operand:
        """The operand in a form that a primitive accepts: a tuple of known parts is built, other static objects are refused."""
        if operand is UNDEFINED:
            message = "what is called here returns nothing: each of its paths raises an error"
            raise self.refuse(
                "BS167", message, node, "return a value on some path, or call it as a statement"
            )
        if isinstance(operand, Const) and isinstance(operand.value, type) and operand.value in FAMILIES:
            message = f"`np.{operand.value.__name__}` is a family of dtypes, which no array has"
            raise self.refuse("BS106", message, node, "name a dtype, as np.float64")
        if isinstance(operand, Value) or not is_static(operand):
            return operand
        self.check_path(operand, "what the call returns", node)
        match operand.value:
            case KnownTuple(items):
                return self.builder.apply(
                    tuple, *(self.runtime(item, node) for item in items), loc=self.loc(node)
                )
            case Cell(value):
                return self.runtime(value, node)
            case np.finfo() | np.iinfo() as limits:
                return self.apply(type(limits), (Const(limits.dtype.type),), node)
            case np.random.Generator() if self.frame.source is not None and not self.frame.source.jitted:
                return self.generator(Read.fixed(operand.value), node)
            case list() | dict() | set():
                what = f"`{operand.name}`" if operand.name else "this"
                message = f"{what} is a {type(operand.value).__name__}, which cannot be used as a value in compiled code"
                raise self.refuse("BS106", message, node, "make it a tuple, or an array with np.array(...)")
            case Virtual() as thing:
                message = f"an object of the class `{thing.__name__}` is used as a value, but it exists only while compiling"
                raise self.refuse("BS106", message, node, "return or pass its attributes: numbers and arrays")
            case thing if callable(thing) and not isinstance(thing, Inner):
                return operand
            case Slice():
                message = "a slice is used as a value, and is only known while compiling"
                raise self.refuse(
                    "BS106", message, node, "return or pass its numbers, and write the slice where it is used"
                )
            case thing:
                made = thing.args[0] if isinstance(thing, Bound) and thing.args else operand
                named = thing if made is operand or not isinstance(made, Const) else made.value
                what = getattr(named, "__name__", None) or operand.name or type(thing).__name__
                message = f"`{what}` is used as a value, but it exists only while compiling"
                remedy = "call it, or pass numbers and arrays"
                if isinstance(thing, ModuleType):
                    remedy = f"call what is in it, as in {what}.name(x)"
                elif isinstance(thing, Range):
                    remedy = "loop over it, or make an array of it, as in np.arange(n)"
                elif callable(getattr(type(thing), "to_numpy", None)):
                    remedy = "take its values before the function, as in values = series.to_numpy()"
                raise self.refuse("BS106", message, node, remedy)

    @abc.abstractmethod
    def lower(self, node: ast.expr) -> Operand:
        """The operand that stands for the expression's value."""

    @abc.abstractmethod
    def text(self, node: ast.expr) -> Operand | None:
        """A text that is printed or raised; None for an expression that makes no text."""

    @abc.abstractmethod
    def attribute(self, base: Operand, name: str, node: ast.AST) -> Operand:
        """Read `base.name`: of a module or class while compiling, of a value while the program runs."""

    @abc.abstractmethod
    def spread(self, items: list[ast.expr]) -> list[Operand]:
        """The items of a display or call; starred items are unpacked."""

    @abc.abstractmethod
    def make_tuple(self, items: tuple[Operand, ...], node: ast.AST, as_list: bool = False) -> Operand:
        """Make a tuple whose parts stay known; a tuple that holds functions exists only while compiling."""

    @abc.abstractmethod
    def binary(self, op: type[ast.operator], left: Operand, right: Operand, node: ast.AST) -> Operand:
        """Lower a binary operator."""

    @abc.abstractmethod
    def comparison(self, left: Operand, op: ast.cmpop, right: Operand, node: ast.Compare) -> Operand:
        """Lower one comparison."""

    @abc.abstractmethod
    def defaults(self, arguments: ast.arguments) -> dict[str, Operand]:
        """The default values of an inner function, evaluated where it is defined."""

    @abc.abstractmethod
    def negated(self, operand: Operand, node: ast.AST) -> Operand:
        """Lower `not operand`."""

    @abc.abstractmethod
    def call(
        self, function: Operand, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
    ) -> Operand:
        """Lower a call of an operand, and return the operand for its result."""

    @abc.abstractmethod
    def inline(
        self, function: object, args: tuple[Operand, ...], keywords: Keywords, node: ast.AST
    ) -> Operand:
        """Inline a Python function, and return the operand for its result."""

    @abc.abstractmethod
    def run(self, definition: ast.FunctionDef | ast.Lambda, frame: Frame) -> Operand:
        """Lower a function body whose parameters are bound in the frame, and return the operand for its result."""


def is_generator(operand: Operand | None) -> bool:
    """Whether the operand is a generator of random numbers that exists while compiling."""
    return isinstance(operand, Const) and isinstance(operand.value, np.random.Generator)


Special = Callable[[Lowerer, tuple[Operand, ...], Keywords, ast.Call], Operand]
"""A function that lowers a call of one builtin or library function, given its operands."""
