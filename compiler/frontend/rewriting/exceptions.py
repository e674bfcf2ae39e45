"""What the parts of a text may raise, as tests before it happens; what a function of the user's raises is read in its text."""

from __future__ import annotations

import ast
import builtins
import copy
import inspect
import operator
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from backsweep.frontend.context.calls_in_try import GuardedCall, Kinds, Taken, note_raised
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.context.scope import Inner
from backsweep.frontend.rewriting.conditions import (
    DOMAINS,
    FACTORISED,
    OPERATORS,
    PURE,
    UPPER,
    Tests,
    tests_of_domain,
    tests_of_lookup,
)
from backsweep.frontend.rewriting.syntax import SCOPES, Resolve, given, loaded, meant
from backsweep.ir.nodes import Const
from backsweep.prelude.python import domains
from backsweep.reading.origins import constant
from backsweep.runtime.support.marks import divides_by_zero


class RefusedError(Exception):
    """A `try` that cannot be written as branches: a message, the place, and what to write instead."""

    def __init__(self, message: str, place: ast.AST, remedy: str) -> None:
        super().__init__(message)
        self.why = (message, place, remedy)


def is_true(call: ast.Call, name: str) -> bool:
    """Whether an argument is written by its name, as True, or behind the matrix."""
    named = next((each.value for each in call.keywords if each.arg == name), None)
    found = call.args[1] if named is None and len(call.args) > 1 else named
    if found is not None and not isinstance(found, ast.Constant):
        message = f"`{name}=` decides which triangle is tested, and is known only when the program runs"
        raise RefusedError(message, call, f"write {name}=True or {name}=False")
    return found is not None and bool(found.value)


ONLY_PYTHON = (
    TypeError,
    NameError,
    FloatingPointError,
    StopIteration,
    RecursionError,
    MemoryError,
)
"""Exceptions of operations that are not tested for."""


def handler_in(caught: Sequence[Kinds], exception: type[BaseException]) -> int | None:
    """The number of the first handler that catches this exception."""
    return next((k for k, found in enumerate(caught) if issubclass(exception, found)), None)


ALONE = "call it in a statement of its own: `y = f(x)`"
"""What helps where a call within a `try` cannot be asked what it raises."""


@dataclass(frozen=True)
class Text:
    """What is known of the function around a `try`: what names mean, which are free, and whether Numba compiles it."""

    resolve: Resolve
    free: Callable[[str], str]
    jitted: bool
    by_zero: bool
    raises: Callable[[ast.Call], frozenset[type[BaseException]]] = lambda _: frozenset()
    """What a call is found to raise that a `try` around it catches."""
    inner: Mapping[str, ast.FunctionDef] = field(default_factory=dict)
    """The functions that the function defines, whose names mean nothing where it begins."""
    shared: frozenset[str] = frozenset()
    """The variables that functions inside it assign."""
    around: tuple[Kinds, ...] = ()
    """What the handlers of `try` statements around the `try` catch, those of the next one first."""


def text_of_statements(
    statements: Sequence[ast.stmt],
    resolve: Resolve,
    free: Callable[[str], str],
    raises: Callable[[ast.Call], frozenset[type[BaseException]]],
    *,
    jitted: bool,
    by_zero: bool,
) -> Text:
    """What is known of a function of these statements."""
    parts = [part for each in statements for part in ast.walk(each)]
    inner = {part.name: part for part in parts if isinstance(part, ast.FunctionDef)}
    shared = frozenset(name for part in parts if isinstance(part, ast.Nonlocal) for name in part.names)
    return Text(resolve, free, jitted, by_zero, raises, inner, shared)


@dataclass
class Raising:
    """Looks at the text within one `try`, and at the texts of functions that it calls."""

    text: Text
    caught: list[Kinds] = field(default_factory=list)
    tested: set[ast.Call] = field(default_factory=set)
    """The calls before which all is tested that their functions test at their starts."""

    def handler_of(self, exception: type[BaseException]) -> int | None:
        """The number of the handler that catches this exception."""
        return handler_in(self.caught, exception)

    def is_named(self, exception: type[BaseException]) -> bool:
        """Whether the handler of an exception names it, or a class of its own kind, and not every Exception."""
        number = self.handler_of(exception)
        named = () if number is None else self.caught[number]
        return any(issubclass(exception, each) and each not in (Exception, BaseException) for each in named)

    def classes(self, handler: ast.ExceptHandler) -> Kinds:
        """The exceptions that a handler catches."""
        if handler.type is None:
            return (BaseException,)
        parts = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        return tuple(self.caught_class(part) for part in parts)

    def caught_class(self, node: ast.expr) -> type[BaseException]:
        """The class of exceptions that a handler names."""
        found = self.meaning(node)
        if not (isinstance(found, type) and issubclass(found, BaseException)):
            message = f"`except {ast.unparse(node)}`: it is not known which exceptions that are"
            raise RefusedError(message, node, "name exception classes that are defined outside the function")
        if issubclass(found, ONLY_PYTHON):
            message = (
                f"`except {ast.unparse(node)}` cannot be differentiated: compiled code does not raise it"
            )
            raise RefusedError(message, node, "test for the error before it happens, as in `if i < x.size:`")
        return found

    def refused_call(self, call: ast.Call, remedy: str) -> RefusedError:
        """The refusal of a call of a function that may raise what is caught."""
        raising = self.raising_within(self.meaning(call.func), set())
        what = "" if raising is None else f": `{ast.unparse(raising)}`"
        message = f"`{ast.unparse(call.func)}` is called within `try`, and may raise what is caught{what}"
        return RefusedError(message, call, remedy)

    def raised_class(self, node: ast.expr) -> type[BaseException]:
        """The class of what `raise` raises."""
        found = self.meaning(node.func if isinstance(node, ast.Call) else node)
        if isinstance(found, type) and issubclass(found, BaseException):
            return found
        message = (
            "what is raised here is not known to be an exception class, so that no handler can be chosen"
        )
        raise RefusedError(message, node, "raise a class that is defined outside the function")

    def lookups(self, node: ast.AST) -> Tests:
        """The tests of a subscript, or of a method of a container; what a module or a class has is none."""
        match node:
            case Taken():
                return []
            case ast.Call(func=function, args=[thing, index]) if self.meaning(function) is operator.getitem:
                return tests_of_lookup(ast.Subscript(thing, index, ast.Load()))
            case ast.Call(func=ast.Attribute(value=owner)) if isinstance(
                self.meaning(owner), ModuleType | type
            ):
                return []
            case _:
                return tests_of_lookup(node)

    def tests(self, node: ast.AST) -> Tests:
        """What makes a part raise, apart from its own parts, and which exception that is."""
        match node:
            case ast.AugAssign(target=left, op=op, value=right) | ast.BinOp(left=left, op=op, right=right):
                return self.tests_of_operator(op, left, right)
            case ast.Call(func=function, args=args):
                called = self.meaning(function)
                if not _is_hashable(called):
                    return self.tests_at_start(called, node)
                if called in OPERATORS and len(args) == 2:
                    return self.tests_of_operator(OPERATORS[called], *args)
                if called in FACTORISED and args:
                    matrix = copy.deepcopy(args[0])
                    if called in UPPER and not is_true(node, "lower"):
                        matrix = ast.Attribute(matrix, "T", ast.Load())
                    test = ast.Call(constant(FACTORISED[called]), [matrix], [])
                    return [(test, np.linalg.LinAlgError)]
                if called in DOMAINS:
                    return [] if self.text.jitted else tests_of_domain(called, node)
                return self.tests_at_start(called, node)
            case _:
                return []

    def tests_of_operator(self, op: ast.operator, left: ast.expr, right: ast.expr) -> Tests:
        """What makes an operator of numbers raise."""
        operands = [loaded(left), copy.deepcopy(right)]
        known = right.value if isinstance(right, ast.Constant) else None
        if isinstance(op, ast.Pow) and not self.text.jitted:
            overflows = ast.Call(constant(domains.power_overflows), operands, [])
            found: Tests = [(overflows, OverflowError)]
            if _is_negative(right):
                divides = ast.Call(constant(divides_by_zero), operands[::-1], [])
                found = [(divides, ZeroDivisionError), *found]
            elif not isinstance(known, int | float) or known < 0:
                divides = ast.Call(constant(domains.power_divides_by_zero), copy.deepcopy(operands), [])
                found = [(divides, ZeroDivisionError), *found]
            return found
        if not isinstance(op, ast.Div | ast.FloorDiv | ast.Mod) or known or not self.text.by_zero:
            return []
        return [(ast.Call(constant(divides_by_zero), operands, []), ZeroDivisionError)]

    def tests_at_start(self, called: object, node: ast.Call) -> Tests:
        """The tests at the start of a function of the user's that raises nothing else; any other that may raise is refused."""
        if isinstance(node, GuardedCall):
            return []
        raising = self.raising_within(called, set())
        found = None if raising is None else self.first_tests(called, node)
        if raising is not None and found is None:
            kinds = self.raised_within(called, set())
            if any(self.handler_of(each) is not None for each in kinds):
                raise self.refused_call(node, ALONE)
        if raising is not None and found is not None:
            self.tested.add(node)
        return found or []

    def first_tests(self, called: object, node: ast.Call) -> Tests | None:
        """What `if ...: raise ...` at the start of a function tests, in terms of this call's arguments; None if it raises elsewhere."""
        function: Any = getattr(called, "py_func", called)
        if not isinstance(function, FunctionType):
            return None
        text = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
        if not isinstance(text, ast.FunctionDef):
            return None
        inner = self.within(function)
        body, tests = list(text.body), []
        while body and isinstance(body[0], ast.If | ast.Assert | ast.Expr):
            first = body.pop(0)
            match first:
                case ast.If(test=test, body=[ast.Raise(exc=ast.expr() as raised)], orelse=otherwise):
                    tests.append((test, inner.raised_class(raised)))
                    body[:0] = otherwise
                case ast.Assert(test=test):
                    tests.append((ast.UnaryOp(ast.Not(), test), AssertionError))
                case ast.Expr(value=ast.Constant()):
                    pass
                case _:
                    body.insert(0, first)
                    break
        rest = ast.Module([*body, *(ast.Expr(test) for test, _ in tests)], [])
        arguments = given(function, node)
        if arguments is None or inner.raising_in(rest, set()) is not None:
            return None
        for part in (inside for test, _ in tests for inside in ast.walk(test)):
            if isinstance(part, SCOPES) or (
                isinstance(part, ast.Name)
                and part.id not in arguments
                and inner.text.resolve(part.id) is None
            ):
                return None
        return [(meant(test, arguments, inner.text.resolve, node), kind) for test, kind in tests]

    def within(self, function: FunctionType | ast.FunctionDef) -> Raising:
        """What looks at the text of another function, in which names have other meanings."""
        if isinstance(function, ast.FunctionDef):
            return self
        known = {
            **vars(builtins),
            **function.__globals__,
            **inspect.getclosurevars(function).nonlocals,
            **dict.fromkeys((*function.__code__.co_varnames, *function.__code__.co_cellvars)),
        }
        inner = Raising(Text(known.get, self.text.free, self.text.jitted, self.text.by_zero))
        inner.caught = self.caught
        return inner

    def raising_within(self, called: object, seen: set[object]) -> ast.AST | None:
        """The statement of a function of the user's that may raise what is caught."""
        text, function = self.text_of(called, seen)
        return None if text is None else self.within(function).raising_in(text, seen)

    def text_of(self, called: object, seen: set[object]) -> tuple[ast.AST | None, Any]:
        """The text of a function of the user's that was not seen before, and the function."""
        function = getattr(called, "py_func", called)  # of an `@njit` function
        if isinstance(function, ast.FunctionDef) and function not in seen:
            seen.add(function)
            return function, function
        if not isinstance(function, FunctionType) or function in seen:
            return None, None
        if function.__module__.partition(".")[0] in ("numpy", "scipy", "math", "numba", "backsweep"):
            return None, None
        seen.add(function)
        try:
            return ast.parse(textwrap.dedent(inspect.getsource(function))), function
        except (OSError, SyntaxError, TypeError):
            return None, None  # a lambda within an expression, or no text: lowering says so

    def raised_within(self, called: object, seen: set[object]) -> Iterator[type[BaseException]]:
        """What a function of the user's may raise."""
        text, function = self.text_of(called, seen)
        if text is None:
            return
        inner = self.within(function)
        for node in ast.walk(text):
            match node:
                case ast.Raise(exc=ast.expr() as raised):
                    yield inner.raised_class(raised)
                case ast.Assert():
                    yield AssertionError
                case ast.Call(func=function):
                    yield from (exception for _, exception in inner.tests_of_call(node))
                    yield from inner.raised_within(inner.meaning(function), seen)
                case _:
                    yield from (exception for _, exception in inner.tests_of_call(node))

    def changing_within(self, called: object, seen: set[object]) -> bool:
        """Whether a function of the user's may change what it is given."""
        text, function = self.text_of(called, seen)
        if text is None:
            return False
        inner = self.within(function)
        for node in ast.walk(text):
            is_stored = isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load)
            if is_stored or isinstance(node, ast.AugAssign | ast.Nonlocal):
                return True
            if isinstance(node, ast.Call):
                found = inner.meaning(node.func)
                if inner.is_changing_method(node) or inner.changing_within(found, seen):
                    return True
        return False

    def raising_in(self, text: ast.AST, seen: set[object]) -> ast.AST | None:
        """The part of a text that may raise what is caught."""
        for node in ast.walk(text):
            if isinstance(node, ast.Raise | ast.Assert):
                return node
            if any(self.handler_of(exception) is not None for _, exception in self.tests_of_call(node)):
                return node
            if isinstance(node, ast.Call):
                raising = self.raising_within(self.meaning(node.func), seen)
                if raising is not None:
                    return raising
        return None

    def tests_of_call(self, node: ast.AST) -> Tests:
        """The tests of a part, without looking into the functions that it calls."""
        if isinstance(node, ast.Call):
            called = self.meaning(node.func)
            if not _is_hashable(called) or called not in {*FACTORISED, *DOMAINS, *OPERATORS}:
                return []
        return self.tests(node)

    def implied(self, node: ast.AST) -> Iterator[tuple[type[BaseException], ast.AST]]:
        """What the operations in a text raise that is caught by handlers around its function and by none in it, and where."""
        if isinstance(node, ast.Lambda | ast.FunctionDef | ast.ClassDef):
            return
        raised = [kind for _, kind in self.tests_of_call(node)]
        raised += [kind for _, kind in self.lookups(node) if self.is_named(kind)]
        yield from ((kind, node) for kind in raised if self.handler_of(kind) is not None)
        for each in ast.iter_child_nodes(node):
            own = caught_by(node, self.text) if isinstance(node, ast.Try) and each in node.body else ()
            yield from (found for found in self.implied(each) if handler_in(own, found[0]) is None)

    def is_changing_method(self, node: ast.Call) -> bool:
        """Whether a call is of a method that may change its object."""
        function = node.func
        return (
            isinstance(function, ast.Attribute)
            and self.meaning(function) is None
            and function.attr not in PURE
        )

    def meaning(self, node: ast.expr) -> object:
        """What a name, or an attribute of a module, means where the function begins; None if that is not known."""
        match node:
            case ast.Name(id=name):
                found = self.text.inner.get(name) or self.text.resolve(name)
                return found.node if isinstance(found, Inner) else found
            case ast.Attribute(value=value, attr=name):
                owner = self.meaning(value)
                return getattr(owner, name, None) if isinstance(owner, ModuleType | type) else None
            case ast.Constant(value=value):
                return value
            case _:
                return None


def caught_by(node: ast.Try, text: Text) -> tuple[Kinds, ...]:
    """What each handler of a `try` catches; nothing if one of them is refused."""
    catching = Raising(text)
    try:
        return tuple(catching.classes(each) for each in node.handlers)
    except RefusedError:
        return ()


def note_implied(lowerer: Lowerer, statements: Sequence[ast.stmt], resolve: Resolve) -> None:
    """Have the calls of a function that are within `try` say what the operations in its text raise."""
    catching, source = lowerer.context.catching, lowerer.frame.source
    if not catching or catching[-1].frame is lowerer.frame:
        return
    jitted, by_zero = (False, True) if source is None else (source.jitted, source.by_zero)
    looking = Raising(Text(resolve, str, jitted, by_zero))
    looking.caught = [each.kinds for each in catching]
    for statement in statements:
        for kind, node in looking.implied(statement):
            note_raised(lowerer, Const(kind), node)


def _is_negative(exponent: ast.expr) -> bool:
    """Whether a negative number is written."""
    return (
        isinstance(exponent, ast.UnaryOp)
        and isinstance(exponent.op, ast.USub)
        and isinstance(exponent.operand, ast.Constant)
    )


def _is_hashable(value: object) -> bool:
    return getattr(type(value), "__hash__", None) is not None and value is not None
