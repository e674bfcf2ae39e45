"""Write `try ... except` as branches: what is caught is tested for before it can happen.

The body becomes a block that is left where an exception would be raised; a variable holds which handler runs then:

    try:                        failed = False
        y = 1.0 / x             while True:
    except ZeroDivisionError:       if x == 0.0:
        y = 0.0                         failed = True
                                        break
                                    y = 1.0 / x
                                    break
                                if failed:
                                    y = 0.0

What is tested for: `raise` and `assert` in the body itself, the division of a number by zero (of NumPy's numbers too, as
in compiled code, where Python would warn and go on), matrices that
`np.linalg` cannot factorise or invert, and, in functions that Numba does not compile, the domains of the functions of
`math` (Numba's return nan); subscripts and methods of containers that find nothing (`backsweep.frontend.rewriting.looked_up`).
Any other exception is raised as if it were not caught. Handlers of exceptions that only Python
raises, such as OverflowError, are refused, and so are bodies that call a function of the user's which may raise.
"""

from __future__ import annotations

import ast
import builtins
import copy
import inspect
import math
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import scipy.linalg

from backsweep.frontend.rewriting.callees import SCOPES, Meant, constant, given
from backsweep.frontend.rewriting.looked_up import PURE, loaded, names, tests_of_lookup
from backsweep.frontend.rewriting.placing import Resolve, placed
from backsweep.runtime.linalg import is_not_positive_definite, is_singular
from backsweep.runtime.support.marks import divides_by_zero

ONLY_PYTHON = (
    TypeError,
    AttributeError,
    NameError,
    OverflowError,
    FloatingPointError,
    StopIteration,
    RecursionError,
    MemoryError,
)
"""Exceptions of operations that are not tested for."""
FACTORISED = {
    np.linalg.cholesky: is_not_positive_definite,
    scipy.linalg.cholesky: is_not_positive_definite,
    scipy.linalg.cho_factor: is_not_positive_definite,
    np.linalg.inv: is_singular,
    np.linalg.solve: is_singular,
    scipy.linalg.inv: is_singular,
    scipy.linalg.solve: is_singular,
}
"""Functions that raise LinAlgError, each with the test of its first argument."""
UPPER = (scipy.linalg.cholesky, scipy.linalg.cho_factor)
"""Those that read the upper triangle, unless `lower=True` is written; the test reads the lower one."""
DOMAINS: dict[object, Callable[[ast.expr], ast.expr]] = {}
"""Functions of `math`, each with the test of an argument outside its domain."""


def _domain(operator: ast.cmpop, bound: float, *functions: object, size: bool = False) -> None:
    def test(argument: ast.expr) -> ast.expr:
        tested = ast.Call(ast.Name("abs", ast.Load()), [argument], []) if size else argument
        return ast.Compare(tested, [operator], [ast.Constant(bound)])

    DOMAINS.update(dict.fromkeys(functions, test))


_domain(ast.Lt(), 0.0, math.sqrt)
_domain(ast.LtE(), 0.0, math.log, math.log2, math.log10)
_domain(ast.LtE(), -1.0, math.log1p)
_domain(ast.Lt(), 1.0, math.acosh)
_domain(ast.Gt(), 1.0, math.acos, math.asin, size=True)
_domain(ast.GtE(), 1.0, math.atanh, size=True)


class RefusedError(Exception):
    """A `try` that cannot be written as branches: a message, the place, and what to write instead."""

    def __init__(self, message: str, place: ast.AST, remedy: str) -> None:
        super().__init__(message)
        self.why = (message, place, remedy)


@dataclass(frozen=True)
class Text:
    """What is known of the function around a `try`: what names mean, which are free, and whether Numba compiles it."""

    resolve: Resolve
    free: Callable[[str], str]
    jitted: bool
    by_zero: bool


def branches(node: ast.Try, text: Text) -> list[ast.stmt]:
    """The statements of a `try` with handlers and without `finally`; raises RefusedError."""
    return _Catching(node, text).statements()


@dataclass
class _Catching:
    """Writes one `try`."""

    node: ast.Try
    text: Text
    caught: list[tuple[type[BaseException], ...]] = field(default_factory=list)
    left: str = ""
    """The variable that holds how the loop around the `try` is left, if its body leaves it."""
    failed: str = ""
    fails: bool = False
    in_part: bool = False
    """Whether a part is looked at that is run several times, where no test can stand."""
    effects: list[ast.AST] = field(default_factory=list)
    """What Python does before the part that is looked at, in the same statement."""

    def statements(self) -> list[ast.stmt]:
        """The block, and the handlers as branches behind it."""
        self.failed = self.text.free("failed")
        self.caught = [self.classes(handler) for handler in self.node.handlers]
        handlers = [self.handled(handler) for handler in self.node.handlers]
        body = self.watched(self.node.body, in_loop=False)
        if not self.fails:
            return [*self.node.body, *self.node.orelse]
        found: list[ast.stmt] = [self.set_failed(None)]
        if self.left:
            found.append(_assign(self.left, 0))
        found.append(ast.While(ast.Constant(True), [*body, ast.Break()], []))
        if self.left:
            for value, leaving in enumerate((ast.Break(), ast.Continue()), 1):
                test = ast.Compare(_read(self.left), [ast.Eq()], [ast.Constant(value)])
                found.append(ast.If(test, [leaving], []))
        otherwise = list(self.node.orelse)
        for number in reversed(range(len(handlers))):
            otherwise = [ast.If(self.has_failed(number), handlers[number], otherwise)]
        return [*found, *otherwise]

    # What is caught

    def classes(self, handler: ast.ExceptHandler) -> tuple[type[BaseException], ...]:
        """The exceptions that a handler catches."""
        if handler.type is None:
            return (BaseException,)
        parts = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        return tuple(self.caught_class(part) for part in parts)

    def caught_class(self, node: ast.expr) -> type[BaseException]:
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

    def handler_of(self, exception: type[BaseException]) -> int | None:
        """The number of the handler that catches this exception."""
        return next((k for k, found in enumerate(self.caught) if issubclass(exception, found)), None)

    def handled(self, handler: ast.ExceptHandler) -> list[ast.stmt]:
        """The statements of a handler; `raise` alone raises the exception that it is for."""
        for part in (inner for each in handler.body for inner in ast.walk(each)):
            if isinstance(part, ast.Raise):
                part.cause = None
        for part in (inner for each in handler.body for inner in ast.walk(each)):
            if handler.name and isinstance(part, ast.Name) and part.id == handler.name:
                message = (
                    f"the exception `{handler.name}` is read, but only the kind of an exception is known"
                )
                raise RefusedError(message, part, "write the handler without it")
            if isinstance(part, ast.Raise) and part.exc is None:
                if handler.type is None or isinstance(handler.type, ast.Tuple):
                    message = "`raise` alone in a handler of several exceptions: it is not known which one it raises"
                    raise RefusedError(message, part, "name the exception: raise ValueError(...)")
                part.exc = copy.deepcopy(handler.type)
        return handler.body

    # The body

    def watched(self, statements: Sequence[ast.stmt], *, in_loop: bool) -> list[ast.stmt]:
        """The statements, which leave the block where an exception that is caught would be raised."""
        found: list[ast.stmt] = []
        for statement in statements:
            made, ends = self.watched_statement(statement, in_loop=in_loop)
            found += [placed(each, statement) for each in made]
            if ends:
                break
        return found

    def watched_statement(self, node: ast.stmt, *, in_loop: bool) -> tuple[list[ast.stmt], bool]:
        """What stands for a statement, and whether control never gets behind it."""
        match node:
            case ast.Raise(exc=ast.expr() as raised):
                number = self.handler_of(self.raised_class(raised))
                return ([node], True) if number is None else (self.fail(number), True)
            case ast.Assert(test=test) if (number := self.handler_of(AssertionError)) is not None:
                wrong = ast.UnaryOp(ast.Not(), test)
                return [*self.checks(test), ast.If(wrong, self.fail(number), [])], False
            case ast.If(test=test, body=body, orelse=orelse):
                sides = (self.watched(side, in_loop=in_loop) for side in (body, orelse))
                return [*self.checks(test), ast.If(test, *sides)], False
            case ast.For(iter=over):
                return [*self.checks(over), *self.loop(copy.copy(node), in_loop)], False
            case ast.While(test=test):
                if self.checks_of_part(test):
                    message = f"`while {ast.unparse(test)}`: its condition may raise what is caught, in each iteration"
                    raise RefusedError(message, test, "compute the condition in a statement of its own")
                return self.loop(copy.copy(node), in_loop), False
            case ast.With(items=items, body=body):
                return [ast.With(items, self.watched(body, in_loop=in_loop))], False
            case ast.Break() | ast.Continue() if not in_loop:
                self.left = self.left or self.text.free("left")
                return [_assign(self.left, 1 if isinstance(node, ast.Break) else 2), ast.Break()], True
            case ast.FunctionDef():
                return [node], False
            case _:
                return [*self.checks(node), node], isinstance(node, ast.Return | ast.Break | ast.Continue)

    def loop(self, node: ast.For | ast.While, in_loop: bool) -> list[ast.stmt]:
        """A loop of the body; where it was left for an exception, the block is left, too."""
        before, self.fails = self.fails, False
        node.body = self.watched(node.body, in_loop=True)
        may_fail, self.fails = self.fails, self.fails or before
        node.orelse = self.watched(node.orelse, in_loop=in_loop)
        return [node, ast.If(self.has_failed(None), [ast.Break()], [])] if may_fail else [node]

    def raised_class(self, node: ast.expr) -> type[BaseException]:
        found = self.meaning(node.func if isinstance(node, ast.Call) else node)
        if isinstance(found, type) and issubclass(found, BaseException):
            return found
        message = (
            "what is raised here is not known to be an exception class, so that no handler can be chosen"
        )
        raise RefusedError(message, node, "raise a class that is defined outside the function")

    # Tests

    def checks(self, node: ast.AST) -> list[ast.stmt]:
        """The tests before a statement or an expression is run."""
        found: list[ast.stmt] = []
        self.effects = []
        self.visit(node, [], found)
        return [placed(each, node) for each in found]

    def checks_of_part(self, *nodes: ast.AST) -> list[ast.stmt]:
        """The tests of what is run several times, without those of lookups that no handler names."""
        found: list[ast.stmt] = []
        before, self.in_part = self.in_part, True
        for each in nodes:
            self.visit(each, [], found)
        self.in_part = before
        return found

    def visit(self, node: ast.AST, guards: list[ast.expr], found: list[ast.stmt]) -> None:
        """Add the tests of a part, in the order in which Python evaluates; `guards` hold where it is evaluated at all."""
        parts: list[ast.AST]
        match node:
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self.visit(test, guards, found)
                self.visit(body, [*guards, test], found)
                self.visit(orelse, [*guards, ast.UnaryOp(ast.Not(), test)], found)
                return
            case ast.BoolOp(op=op, values=values):
                for number, value in enumerate(values):
                    earlier = values[:number]
                    is_or = isinstance(op, ast.Or)
                    here = [ast.UnaryOp(ast.Not(), each) for each in earlier] if is_or else earlier
                    self.visit(value, [*guards, *here], found)
                return
            case ast.Lambda() | ast.FunctionDef():
                return
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp():
                if self.checks_of_part(*ast.iter_child_nodes(node)):
                    message = f"`{ast.unparse(node)}` may raise what is caught, within a comprehension"
                    raise RefusedError(message, node, "write it as a loop")
                return
            case ast.Assign(targets=targets, value=value):
                parts = [value, *targets]
            case ast.AugAssign(target=target, value=value):
                parts = [loaded(target), value]
            case _:
                parts = list(ast.iter_child_nodes(node))
        for each in parts:
            self.visit(each, guards, found)
        tests = [(*each, False) for each in self.tests(node)] + [(*each, True) for each in self.lookups(node)]
        for test, exception, is_lookup in tests:
            handler = self.handler_of(exception)
            may_stay = is_lookup and not self.is_named(exception)
            if handler is None or (may_stay and self.in_part):
                continue
            whole = ast.BoolOp(ast.And(), [*copy.deepcopy(guards), test]) if guards else test
            try:
                for part in ast.walk(whole):
                    self.refuse_effects(part)
                self.refuse_changed(whole, node)
            except RefusedError:
                if may_stay:
                    continue
                raise
            found.append(ast.If(whole, self.fail(handler), []))
        is_stored = isinstance(node, ast.Name | ast.Subscript | ast.Attribute) and not isinstance(
            node.ctx, ast.Load
        )
        if is_stored or isinstance(node, ast.Call | ast.NamedExpr):
            self.effects.append(node)

    def is_named(self, exception: type[BaseException]) -> bool:
        """Whether the handler of an exception names it, or a class of its own kind, and not every Exception."""
        number = self.handler_of(exception)
        named = () if number is None else self.caught[number]
        return any(issubclass(exception, each) and each not in (Exception, BaseException) for each in named)

    def lookups(self, node: ast.AST) -> list[tuple[ast.expr, type[BaseException]]]:
        """The tests of a subscript, or of a method of a container; what a module or a class has is none."""
        match node:
            case ast.Call(func=ast.Attribute(value=owner)) if isinstance(
                self.meaning(owner), ModuleType | type
            ):
                return []
            case _:
                return tests_of_lookup(node)

    def tests(self, node: ast.AST) -> list[tuple[ast.expr, type[BaseException]]]:
        """What makes a part raise, apart from its own parts, and which exception that is."""
        test: ast.expr
        match node:
            case (
                ast.AugAssign(target=dividend, op=op, value=divisor)
                | ast.BinOp(left=dividend, op=op, right=divisor)
            ):
                divides = isinstance(op, ast.Div | ast.FloorDiv | ast.Mod)
                known = isinstance(divisor, ast.Constant) and divisor.value != 0
                if not divides or known or not self.text.by_zero:
                    return []
                parts = [loaded(dividend), copy.deepcopy(divisor)]
                test = ast.Call(constant(divides_by_zero), parts, [])
                return [(test, ZeroDivisionError)]
            case ast.Call(func=function, args=[argument, *_]):
                called = self.meaning(function)
                if _is_hashable(called) and called in FACTORISED:
                    matrix = copy.deepcopy(argument)
                    if called in UPPER and not _is_true(node, "lower"):
                        matrix = ast.Attribute(matrix, "T", ast.Load())
                    test = ast.Call(constant(FACTORISED[called]), [matrix], [])
                    return [(test, np.linalg.LinAlgError)]
                if _is_hashable(called) and called in DOMAINS and not self.text.jitted:
                    return [(DOMAINS[called](copy.deepcopy(argument)), ValueError)]
                return self.tests_at_start(called, node)
            case ast.Call(func=function):
                return self.tests_at_start(self.meaning(function), node)
            case _:
                return []

    def tests_at_start(self, called: object, node: ast.Call) -> list[tuple[ast.expr, type[BaseException]]]:
        """The tests at the start of a function of the user's that raises nothing else; any other that may raise is refused."""
        raising = self.raising_within(called, set())
        found = None if raising is None else self.first_tests(called, node)
        if raising is not None and found is None:
            name = getattr(called, "__name__", "it")
            message = (
                f"`{name}` is called within `try`, and may raise what is caught: `{ast.unparse(raising)}`"
            )
            remedy = f"return a value that says so from `{name}`, as in `return False, 0.0`, and test for it"
            raise RefusedError(message, node, remedy)
        return found or []

    def first_tests(
        self, called: object, node: ast.Call
    ) -> list[tuple[ast.expr, type[BaseException]]] | None:
        """What `if ...: raise ...` at the start of a function tests, in terms of this call's arguments; None if it raises elsewhere."""
        function: Any = getattr(called, "py_func", called)
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
        meant = given(function, node)
        if meant is None or inner.raising_in(rest, {function}) is not None:
            return None
        for part in (inside for test, _ in tests for inside in ast.walk(test)):
            if isinstance(part, SCOPES) or (
                isinstance(part, ast.Name) and part.id not in meant and inner.text.resolve(part.id) is None
            ):
                return None
        return [(Meant(meant, inner.text.resolve).visit(copy.deepcopy(test)), kind) for test, kind in tests]

    def within(self, function: FunctionType) -> _Catching:
        """What looks at the text of another function, in which names have other meanings."""
        known = {
            **vars(builtins),
            **function.__globals__,
            **inspect.getclosurevars(function).nonlocals,
        }
        inner = _Catching(self.node, Text(known.get, self.text.free, self.text.jitted, self.text.by_zero))
        inner.caught = self.caught
        return inner

    def raising_within(self, called: object, seen: set[object]) -> ast.AST | None:
        """The statement of a function of the user's that may raise what is caught."""
        text, function = self.text_of(called, seen)
        return None if text is None else self.within(function).raising_in(text, seen)

    def text_of(self, called: object, seen: set[object]) -> tuple[ast.AST | None, Any]:
        """The text of a function of the user's that was not seen before, and the function."""
        function = getattr(called, "py_func", called)  # of an `@njit` function
        if not isinstance(function, FunctionType) or function in seen:
            return None, None
        if function.__module__.partition(".")[0] in ("numpy", "scipy", "math", "numba", "backsweep"):
            return None, None
        seen.add(function)
        try:
            return ast.parse(textwrap.dedent(inspect.getsource(function))), function
        except (OSError, SyntaxError, TypeError):
            return None, None  # a lambda within an expression, or no text: lowering says so

    def changing_within(self, called: object, seen: set[object]) -> bool:
        """Whether a function of the user's may change what it is given."""
        text, function = self.text_of(called, seen)
        if text is None:
            return False
        inner = self.within(function)
        for node in ast.walk(text):
            is_stored = isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load)
            if is_stored or isinstance(node, ast.AugAssign):
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

    def tests_of_call(self, node: ast.AST) -> list[tuple[ast.expr, type[BaseException]]]:
        """The tests of a part, without looking into the functions that it calls."""
        if isinstance(node, ast.Call):
            called = self.meaning(node.func)
            if not _is_hashable(called) or called not in {**FACTORISED, **DOMAINS}:
                return []
        return self.tests(node)

    def is_changing_method(self, node: ast.Call) -> bool:
        """Whether a call is of a method that may change its object."""
        function = node.func
        return (
            isinstance(function, ast.Attribute)
            and self.meaning(function) is None
            and function.attr not in PURE
        )

    def refuse_changed(self, test: ast.expr, node: ast.AST) -> None:
        """Refuse a test of what an earlier part of the same statement may change."""
        for effect in self.effects:
            if isinstance(effect, ast.Call):
                given = [*effect.args, *(each.value for each in effect.keywords)]
                named = [each for each in given if isinstance(each, ast.Name | ast.Attribute | ast.Subscript)]
                shared = any(names(each) & names(test) for each in named)
                changes = self.is_changing_method(effect) or (
                    shared and self.changing_within(self.meaning(effect.func), set())
                )
            else:
                changes = bool(names(effect) & names(test))
            if changes:
                message = f"`{ast.unparse(effect)}` may change what `{ast.unparse(node)}` finds, in one statement within `try`"
                raise RefusedError(message, node, "write both in statements of their own")

    def refuse_effects(self, part: ast.AST) -> None:
        """Refuse a part of a test that must not be evaluated twice."""
        if isinstance(part, ast.NamedExpr):
            message = "a variable is assigned within an expression that is tested before it is evaluated"
            raise RefusedError(message, part, "assign it in a statement of its own")
        if isinstance(part, ast.Call) and not isinstance(part.func, ast.Constant):
            called = self.meaning(part.func)
            module = getattr(called, "__module__", None) or ""
            is_library = isinstance(called, np.ufunc) or module.partition(".")[0] in (
                "numpy",
                "math",
                "builtins",
                "scipy",
            )
            if not is_library or "random" in module or "random" in ast.unparse(part.func):
                message = f"`{ast.unparse(part)}` is tested before it is used, and would be called twice"
                raise RefusedError(message, part, "assign what it returns to a variable first")

    # Parts

    def meaning(self, node: ast.expr) -> object:
        """What a name, or an attribute of a module, means where the function begins; None if that is not known."""
        match node:
            case ast.Name(id=name):
                return self.text.resolve(name)
            case ast.Attribute(value=value, attr=name):
                owner = self.meaning(value)
                return getattr(owner, name, None) if isinstance(owner, ModuleType | type) else None
            case ast.Constant(value=value):
                return value
            case _:
                return None

    def fail(self, number: int) -> list[ast.stmt]:
        """Leave the block for the handler of this number."""
        self.fails = True
        return [self.set_failed(number), ast.Break()]

    def set_failed(self, number: int | None) -> ast.stmt:
        one = len(self.node.handlers) == 1
        return _assign(self.failed, number is not None if one else 0 if number is None else number + 1)

    def has_failed(self, number: int | None) -> ast.expr:
        """Whether this handler runs, or any."""
        if len(self.node.handlers) == 1:
            return _read(self.failed)
        if number is None:
            return ast.Compare(_read(self.failed), [ast.Gt()], [ast.Constant(0)])
        return ast.Compare(_read(self.failed), [ast.Eq()], [ast.Constant(number + 1)])


def _assign(name: str, value: object) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], constant(value))


def _is_true(call: ast.Call, name: str) -> bool:
    """Whether an argument is written by its name, as True, or behind the matrix."""
    named = next((each.value for each in call.keywords if each.arg == name), None)
    found = call.args[1] if named is None and len(call.args) > 1 else named
    if found is not None and not isinstance(found, ast.Constant):
        message = f"`{name}=` decides which triangle is tested, and is known only when the program runs"
        raise RefusedError(message, call, f"write {name}=True or {name}=False")
    return found is not None and bool(found.value)


def _read(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _is_hashable(value: object) -> bool:
    return getattr(type(value), "__hash__", None) is not None and value is not None
