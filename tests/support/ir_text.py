"""Reads programs as `backsweep.ir.show` prints them, so that a test of a pass is text in and text out.

    function f(x: float64, n: int64):
        a: float64[1,C] = np.zeros(n)
        for i: int64 in range(0, n, 1) with s: float64 = x:
            store a[i] += s
            y: float64 = load a[i]
            t: float64 = mul(s, y)
            yield t
        -> r: float64
        return r

A value is defined once, with its type; `name.1` is the second value of that name, `%0` one without a name. The names of
functions are those of Python's builtins and operators (`add`, `mul`, `getitem`), `np.` and full names otherwise
(`math.sin`, `backsweep.runtime.tape.grown`). `known` holds what has no such name, by its text: a function of the
user's own, an object that is known while compiling.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import itertools
import math
import operator
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from backsweep.diagnostics import Loc
from backsweep.ir.build import Builder
from backsweep.ir.nodes import (
    UNDEFINED,
    ZERO,
    Append,
    Apply,
    Block,
    Callee,
    Comment,
    Const,
    Dots,
    For,
    Function,
    Grow,
    If,
    Index,
    Load,
    NewAxis,
    Node,
    Operand,
    Raise,
    Role,
    Slice,
    Store,
    Tap,
    Value,
    View,
    While,
)
from backsweep.ir.show import name_of, show
from backsweep.ir.sweeps import forward_sweep, reverse_sweep
from backsweep.ir.typed import type_of
from backsweep.ir.types import NONE, Array, Fixed, List, Other, Scalar, Tuple, Type
from backsweep.ir.walk import blocks, operands, programs, walk
from backsweep.runtime.tape import grown, reserved

OPENING, CLOSING = "([{", ")]}"
NUMBERS = {
    "nan": math.nan,
    "inf": math.inf,
    "-nan": math.nan,
    "-inf": -math.inf,
    "undefined": UNDEFINED.value,
}
SCALARS = re.compile(r"bool|(?:int|uint|float|complex)\d+")
ARRAY = re.compile(rf"({SCALARS.pattern})\[(\d+),([CFA])\]")
SWEEPS = {"forward sweep": forward_sweep, "reverse sweep": reverse_sweep}
GROWING = {name_of(function): function for function in (grown, reserved)}


class TextError(Exception):
    """The text is no program; says which line is not understood, and why."""


def parse(text: str, known: Mapping[str, Any] | None = None) -> Function:
    """The program that `show` prints as this text."""
    return _Parser(text, known or {}).function()


def parse_with_callees(text: str, known: Iterable[Callee] = ()) -> tuple[Function, list[Callee]]:
    """The last program of the text, and those before it: functions that stay calls, which it calls by their names, as it does `known` ones.

    `function f(a: float64[1,C]) changed=(0,):` changes its first argument, whose new contents come last in its result;
    with `writes=(0,)` it changes the argument itself.
    """
    callees: dict[str, Callee] = {callee.name: callee for callee in known}
    *before, last = re.split(r"\n(?=function )", text.strip())
    for each in before:
        header = re.search(r" (changed|writes)=(\([\d, ]*\))(?= catches:$|:$)", each, re.MULTILINE)
        given = {header[1]: ast.literal_eval(header[2])} if header else {}
        program = parse(each.replace(header[0], "") if header else each, callees)
        parameters = tuple(value.type for value in program.body.parameters if value.type is not None)
        result = type_of(program.body.yields[0])
        result = NONE if result is None else result
        callees[program.name] = Callee(program.name, parameters, result, program=program, **given)
    return parse(last, callees), list(callees.values())


def show_callee(callee: Callee) -> str:
    """The text of a function that stays a call."""
    assert callee.program is not None
    text = show(callee.program)
    for word, places in (("changed", callee.changed), ("writes", callee.writes)):
        if places:
            text = re.sub(r"\)((?: catches)?):\n", rf") {word}={places}\1:\n", text, count=1)
    return text


def show_with_callees(function: Function, known: Collection[Callee]) -> str:
    """The text of a program, behind those of the functions that it calls and that are not known."""
    found = dict.fromkeys(each.name for each in known)
    texts: list[str] = []

    def add(program: Function) -> None:
        for node in walk(program.body):
            callee = node.function if isinstance(node, Apply) else None
            if isinstance(callee, Callee) and callee.program is not None and callee.name not in found:
                found[callee.name] = None
                add(callee.program)
                texts.append(show_callee(callee))

    add(function)
    return "\n".join([*texts, show(function)])


def known_of(function: Function) -> dict[str, Any]:
    """What the program holds that has no name of its own: functions of the user's, objects known while compiling."""
    found: dict[str, Any] = {}
    for node in walk(function.body):
        if isinstance(node, Apply):
            found[name_of(node.function)] = node.function
    for text, operand in _constants(function):
        found.setdefault(text, operand)
    return found


def _constants(function: Function) -> Iterator[tuple[str, Const]]:
    """The constants of the program that are no literals, by their text."""
    for program in programs(function):
        given = [program.body.yields]
        for node in walk(program.body):
            given += [operands(node), *(block.yields for block in blocks(node))]
        for operand in itertools.chain.from_iterable(given):
            if isinstance(operand, Const):
                shown = show(Function("f", Block((), (), (operand,)), function.loc))
                yield shown.split("return ", 1)[1], operand


class _Parser:
    """Reads line by line; `values` are those that are defined so far, by the names that the text has for them."""

    def __init__(self, text: str, known: Mapping[str, Any]) -> None:
        self.known = known
        self.lines = [line for line in text.splitlines() if line.strip()]
        self.at = 0
        self.values: dict[str, Value] = {}
        self.name = "function"

    # Lines -------------------------------------------------------------------------------------

    def fail(self, reason: str) -> TextError:
        line = self.lines[min(self.at, len(self.lines) - 1)]
        return TextError(f"line {self.at + 1}, `{line.strip()}`: {reason}")

    @property
    def loc(self) -> Loc:
        """A place for what the line says; all lines are one statement of the user's, as passes look for repeated work in one."""
        line = self.lines[min(self.at, len(self.lines) - 1)].strip()
        return Loc("text", self.name, 1, text=line, statement=line)

    def depth(self) -> int:
        """How far the line is indented; -1 at the end of the text."""
        if self.at == len(self.lines):
            return -1
        line = self.lines[self.at]
        depth, rest = divmod(len(line) - len(line.lstrip()), 4)
        if rest:
            raise self.fail("a line is indented by four spaces for each block around it")
        return depth

    def line(self) -> str:
        return self.lines[self.at].strip()

    def function(self) -> Function:
        """The whole text."""
        header = re.fullmatch(r"function (.+?)\((.*)\)((?: [a-z]+=\(.*\))?)( catches)?:", self.line())
        if header is None:
            raise self.fail("a program begins with `function name(parameters):`")
        self.name, given, together, catches = header.groups()
        parameters = self.define_all(given)
        loc = self.loc
        self.at += 1
        body = self.block(1, parameters, "return")
        if self.at != len(self.lines):
            raise self.fail("this is after the end of the program, or not indented as what is around it")
        groups = ast.literal_eval(together.split("=", 1)[1]) if together else ()
        return Function(self.name, body, loc, together=groups, catches=bool(catches))

    def block(self, depth: int, parameters: tuple[Value, ...] = (), word: str = "yield") -> Block:
        """The lines that are indented so far; `word` begins the last of them."""
        builder = Builder(*parameters)
        yields: tuple[Operand, ...] = ()
        while self.depth() == depth:
            if self.line().startswith("exit ") and word != "return":
                break
            if self.line().startswith(f"{word} "):
                yields = self.operands(self.line().removeprefix(f"{word} "))
                self.at += 1
                break
            if self.line() == "pass":
                self.at += 1
            else:
                builder.add(self.node(depth))
        return Block(parameters, tuple(builder.current.nodes), yields)

    def node(self, depth: int) -> Node:
        """The node that begins in this line."""
        line = self.line()
        word, _, rest = line.partition(" ")
        if word in ("if", "for", "while", "while:"):
            return self.region(depth)
        if line.startswith("#"):
            text = line.removeprefix("#").removeprefix(" ")
            node: Node = SWEEPS[text](self.loc) if text in SWEEPS else Comment(text, self.loc)
        elif word == "store":
            node = self.store(rest)
        elif word == "append":
            buffer, value = self.operands(rest)
            node = Append(self.memory(buffer), value, self.loc)
        elif word in GROWING:
            buffer, count = self.operands(rest)
            node = Grow(self.memory(buffer), GROWING[word], count, self.loc)
        elif word == "raise":
            local = rest.startswith("local ")
            exception, arguments = self.call(rest.removeprefix("local "))
            node = Raise(self.operand(exception), self.operands(arguments), self.loc, local)
        else:
            node = self.assignment(line)
        self.at += 1
        return node

    def assignment(self, line: str) -> Node:
        """`value = function(...)`, `value = load a[i]` or `value = view a[i:]`."""
        target, *rest = split(line, " = ")
        if len(rest) != 1:
            raise self.fail("no statement of the IR")
        (computed,) = rest
        for word, kind in (("load", Load), ("view", View)):
            if computed.startswith(f"{word} "):
                buffer, index = self.subscript(computed.removeprefix(f"{word} "))
                return kind(
                    self.define(target), self.memory(buffer) if kind is View else buffer, index, self.loc
                )
        name, inside = self.call(computed)
        positional: list[Operand] = []
        keywords: list[tuple[str, Operand]] = []
        for part in split(inside, ", "):
            keyword = re.match(r"([A-Za-z_]\w*)=", part)
            if keyword:
                keywords.append((keyword[1], self.operand(part[keyword.end() :])))
            elif part:
                positional.append(self.operand(part))
        function = self.resolve(name)
        return Apply(self.define(target), function, tuple(positional), self.loc, tuple(keywords))

    def store(self, text: str) -> Store:
        """`a[i] = value` or `a[i] += value`."""
        for sign in (" += ", " = "):
            parts = split(text, sign)
            if len(parts) == 2:
                buffer, index = self.subscript(parts[0])
                value = self.operand(parts[1])
                return Store(self.memory(buffer), index, value, self.loc, accumulate=sign == " += ")
        raise self.fail("a store is `store a[i] = value` or `store a[i] += value`")

    def region(self, depth: int) -> If | For | While:
        """A branch or a loop, with its blocks and its results."""
        line, loc = self.line().removesuffix(":"), self.loc
        word, _, rest = line.partition(" ")
        if word == "if":
            condition = self.operand(rest)
            self.at += 1
            then, orelse = self.block(depth + 1), Block((), (), ())
            if self.depth() == depth and self.line() == "else:":
                self.at += 1
                orelse = self.block(depth + 1)
            return If(condition, then, orelse, self.results(depth), loc)
        head, _, carried = rest.partition("with ")
        targets, _, inits = carried.partition(" = ")
        given = self.operands(inits)
        if word == "for":
            index, _, counted = head.partition(" in ")
            steps, _, bounds = counted.strip().partition("(")
            start, stop, step = self.operands(bounds.removesuffix(")"))
            parameters = (self.define(index), *self.define_all(targets))
            self.at += 1
            body, leave = self.looped(depth, parameters)
            results = self.results(depth)
            return For(start, stop, step, given, body, results, loc, leave, parallel=steps == "prange")
        parameters = self.define_all(targets)
        self.at += 1
        condition = self.block(depth + 1, parameters, "test")
        if self.depth() != depth or not self.line().startswith("do"):
            raise self.fail("after `while` and its test comes `do` and the body")
        targets = self.line().removesuffix(":").removeprefix("do").strip().removeprefix("with ")
        parameters = self.define_all(targets)
        self.at += 1
        body, leave = self.looped(depth, parameters)
        return While(given, condition, body, self.results(depth), loc, leave)

    def looped(self, depth: int, parameters: tuple[Value, ...]) -> tuple[Block, Operand | None]:
        """The body of a loop, and the condition on which it ends after an iteration."""
        body = self.block(depth + 1, parameters)
        if self.depth() == depth + 1 and self.line().startswith("exit "):
            leave = self.operand(self.line().removeprefix("exit "))
            self.at += 1
            return body, leave
        return body, None

    def results(self, depth: int) -> tuple[Value, ...]:
        """The results of the branch or loop that ends before this line."""
        if self.depth() != depth or not self.line().startswith("-> "):
            return ()
        found = self.define_all(self.line().removeprefix("-> "))
        self.at += 1
        return found

    # Parts of a line ---------------------------------------------------------------------------

    def define(self, text: str) -> Value:
        """A new value, `name: type`."""
        role, text = (Role.RECORD, text.strip()[7:]) if text.strip().startswith("record ") else (None, text)
        name, _, type_ = text.strip().partition(": ")
        if name in self.values:
            raise self.fail(f"`{name}` is defined twice")
        own = "" if name.startswith("%") else re.sub(r"(?<=.)\.\d+$", "", name)
        value = self.values[name] = Value(own, parse_type(type_) if type_ else None, self.loc, role)
        return value

    def define_all(self, text: str) -> tuple[Value, ...]:
        return tuple(map(self.define, split(text, ", "))) if text.strip() else ()

    def operands(self, text: str) -> tuple[Operand, ...]:
        return tuple(map(self.operand, split(text, ", "))) if text.strip() else ()

    def operand(self, text: str) -> Operand:
        """A value that was defined before, or a constant."""
        text = text.strip()
        if text in self.values:
            return self.values[text]
        if text in self.known:
            found = self.known[text]
            return found if isinstance(found, Const) else Const(found)
        if text == "undefined":
            return UNDEFINED
        if text == "zero":
            return ZERO
        if text in NUMBERS:
            return Const(NUMBERS[text])
        scalar = re.fullmatch(r"np\.(\w+)\((.+)\)", text)
        if scalar:
            return Const(getattr(np, scalar[1])(NUMBERS.get(scalar[2]) or ast.literal_eval(scalar[2])))
        try:
            return Const(ast.literal_eval(text))
        except (ValueError, SyntaxError):
            return Const(self.resolve(text))

    def memory(self, operand: Operand) -> Value:
        """The operand as a buffer."""
        if not isinstance(operand, Value):
            raise self.fail("a constant is no array")
        return operand

    def call(self, text: str) -> tuple[str, str]:
        """The name of a function, and what is between the parentheses."""
        name, bracket, inside = text.partition("(")
        if not bracket or not inside.endswith(")"):
            raise self.fail("no call of a function")
        return name, inside[:-1]

    def subscript(self, text: str) -> tuple[Operand, Index]:
        """A buffer and the index in brackets."""
        name, bracket, inside = text.partition("[")
        if not bracket or not inside.endswith("]"):
            raise self.fail("a subscript is `a[i]`")
        return self.operand(name), tuple(map(self.item, split(inside[:-1], ", "))) if inside != "]" else ()

    def item(self, text: str) -> Operand | Slice | NewAxis | Dots:
        """One item of an index."""
        if text == "None":
            return NewAxis()
        if text == "...":
            return Dots()
        parts = split(text, ":")
        if len(parts) == 1:
            return self.operand(text)
        return Slice(*(self.operand(part) if part else None for part in parts))

    def resolve(self, name: str) -> Any:
        """The function or class of this name."""
        if name in self.known:
            return self.known[name]
        tap = re.fullmatch(r"(optional )?tap (.+?)( updated)?", name)
        if tap:
            return Tap(tap[2], updates=bool(tap[3]), optional=bool(tap[1]))
        first, _, rest = name.partition(".")
        if not rest:
            found = getattr(builtins, name, None) or getattr(operator, name, None)
        elif first == "np":
            found = _attribute(np, rest)
        else:
            found = _imported(name)
        if found is None:
            raise self.fail(f"nothing is called `{name}`")
        return found


def _attribute(thing: Any, path: str) -> Any:
    for part in path.split("."):
        thing = getattr(thing, part, None)
    return thing


def _imported(name: str) -> Any:
    """What has this full name: the longest part of it that is a module, and what that holds under the rest."""
    parts = name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        try:
            module = importlib.import_module(".".join(parts[:length]))
        except ImportError:
            continue
        return _attribute(module, ".".join(parts[length:]))
    return None


def parse_type(text: str) -> Type:
    """The type that `show_type` prints so; what it does not know is some type without derivatives."""
    text = text.strip()
    array = ARRAY.fullmatch(text)
    if array:
        return Array(array[1], int(array[2]), array[3])
    if SCALARS.fullmatch(text):
        return Scalar(text)
    if text.startswith("(") and text.endswith(")"):
        return Tuple(tuple(map(parse_type, split(text[1:-1], ", "))) if text != "()" else ())
    if text.startswith("[") and text.endswith("]"):
        return List(parse_type(text[1:-1]))
    if text.startswith(("'", '"')):
        return Fixed(ast.literal_eval(text))
    return Other(text)


def split(text: str, separator: str) -> list[str]:
    """The parts of the text between the separators that are in no brackets and in no quotes."""
    parts, depth, quote, start, at = [], 0, "", 0, 0
    while at < len(text):
        letter = text[at]
        if quote:
            at += letter == "\\"
            quote = "" if letter == quote else quote
        elif not depth and text.startswith(separator, at):
            parts.append(text[start:at])
            at += len(separator)
            start = at
            continue
        elif letter in "'\"":
            quote = letter
        else:
            depth += (letter in OPENING) - (letter in CLOSING)
        at += 1
    return [*parts, text[start:]]
