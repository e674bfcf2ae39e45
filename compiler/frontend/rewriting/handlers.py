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

What is tested for: `raise` and `assert` in the body itself, the division of a number by zero (of NumPy's numbers too, as in compiled code,
where Python would warn and go on), matrices that `np.linalg` cannot factorise or invert, and, in functions that Numba does not compile, zero to
a negative power, numbers that are too large for a float or an integer, and the domains of the functions of `math` (Numba's return nan);
subscripts, methods of containers and attributes that find nothing (`backsweep.frontend.rewriting.conditions`).
A function of the user's that may raise what is caught says so by what it returns (`backsweep.frontend.context.calls_in_try`).
Any other exception is raised as if it were not caught: what raises it, and stands in a statement before what is tested for, is tested for, too, and
a call of a function that may raise anything becomes a statement before. Handlers of exceptions that only Python raises, such as TypeError, are refused.
"""

from __future__ import annotations

import ast
import copy
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import FunctionType

import numpy as np

from backsweep.frontend.context.calls_in_try import CAUGHT, ONCE, GuardedCall, Handled, Raised, Taken
from backsweep.frontend.rewriting.exceptions import ALONE, Raising, RefusedError, Text, handler_in
from backsweep.frontend.rewriting.syntax import Replaced, assign, in_order, names, variable
from backsweep.reading.control_flow import own_nodes
from backsweep.reading.origins import constant, placed

FIXED = (
    ast.Name,
    ast.Constant,
    ast.UnaryOp,
    ast.BinOp,
    ast.Tuple,
    ast.unaryop,
    ast.operator,
    ast.expr_context,
)
"""Parts of an expression that no call changes, and that raise nothing but what is tested for; further ones are attributes of modules."""
AGAIN = "backsweep_again"
"""The attribute of a `raise` that was alone in a handler: the exceptions that it may raise."""
NAMED = "name the exception: raise ValueError(...)"


def branches(node: ast.Try, text: Text) -> list[ast.stmt]:
    """The statements of a `try` with handlers and without `finally`; raises RefusedError."""
    return _Catching(text, node=node).statements()


class _ReachedError(Exception):
    """The call up to which a statement is looked at."""


@dataclass
class _Catching(Raising):
    """Writes one `try`."""

    node: ast.Try = field(kw_only=True)
    left: str = ""
    """The variable that holds how the loop around the `try` is left, if its body leaves it."""
    failed: str = ""
    fails: bool = False
    in_part: bool = False
    """Whether a part is looked at that is run several times, where no test can stand."""
    effects: list[ast.AST] = field(default_factory=list)
    """What Python does before the part that is looked at, in the same statement."""
    uncaught: list[ast.stmt | RefusedError] = field(default_factory=list)
    """What raises what is not caught here, earlier in the statement that is looked at: it is raised before a handler runs for what comes later."""
    until: ast.AST | None = None
    """The call up to which a statement is looked at, once for each call that becomes a statement before it."""
    raised: defaultdict[int, set[type[BaseException]]] = field(default_factory=lambda: defaultdict(set))
    """The exceptions for which each handler runs."""

    def statements(self) -> list[ast.stmt]:
        """The block, and the handlers as branches behind it."""
        self.failed = self.text.free("failed")
        self.caught = [self.classes(handler) for handler in self.node.handlers]
        body = self.watched(self.node.body, in_loop=False)
        handlers = [self.handled(number, handler) for number, handler in enumerate(self.node.handlers)]
        caught = tuple(each for kinds in self.caught for each in kinds)
        for each in own_nodes([*self.node.body, *body]):
            if each not in self.tested and not set(caught) <= set(getattr(each, CAUGHT, ())):
                setattr(each, CAUGHT, (*getattr(each, CAUGHT, ()), *caught))
        if not self.fails:
            return [*self.node.body, *self.node.orelse]
        found: list[ast.stmt] = [self.set_failed(None)]
        if self.left:
            found.append(assign(self.left, constant(0)))
        block = ast.While(ast.Constant(True), [*body, ast.Break()], [])
        setattr(block, ONCE, True)
        found.append(block)
        if self.left:
            for value, leaving in enumerate((ast.Break(), ast.Continue()), 1):
                test = ast.Compare(variable(self.left), [ast.Eq()], [ast.Constant(value)])
                found.append(ast.If(test, [leaving], []))
        otherwise = list(self.node.orelse)
        for number in reversed(range(len(handlers))):
            otherwise = [ast.If(self.has_failed(number), handlers[number], otherwise)]
        return [*found, *otherwise]

    def handled(self, number: int, handler: ast.ExceptHandler) -> list[ast.stmt]:
        """The statements of a handler; `raise` alone raises the exception that it runs for."""
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
                part.exc = self.raised_again(number, handler, part)
                setattr(part, AGAIN, frozenset(self.raised[number]))
        return handler.body

    def raised_again(self, number: int, handler: ast.ExceptHandler, node: ast.Raise) -> ast.expr:
        """What `raise` alone raises: the class that the handler names stands for several if all of them are caught by the same handler, or none."""
        kinds, named = self.raised[number], self.caught[number]
        if len(kinds) == 1 and named != (*kinds,):
            return constant(*kinds)
        is_one = handler.type is not None and not isinstance(handler.type, ast.Tuple)
        if not is_one or len({handler_in(self.text.around, each) for each in (*kinds, *named)}) > 1:
            message = "`raise` alone in a handler of several exceptions: it is not known which one it raises"
            raise RefusedError(message, node, NAMED)
        assert handler.type is not None
        return copy.deepcopy(handler.type)

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
        before, node = self.with_calls_before(node)
        made, ends = self.plain_statement(node, in_loop=in_loop)
        return [*before, *made], ends

    def with_calls_before(self, node: ast.stmt) -> tuple[list[ast.stmt], ast.stmt]:
        """The calls in a statement that may raise, as statements before it, and what is left of it.

        These are calls of functions that say whether they raise what is caught, and of others before something that is tested for.
        """
        found: list[ast.stmt] = []
        before: list[ast.AST] = []
        parts = list(in_order(node))
        followed = self.followed([part for part, _ in parts])
        for part, is_sure in parts:
            kinds = self.kinds_to_ask(part) if isinstance(part, ast.Call) else []
            numbers = sorted({number for each in kinds if (number := self.handler_of(each)) is not None})
            if not isinstance(part, ast.Call) or not (numbers or part in followed):
                before.append(part)
                continue
            inside = {*ast.walk(part)}
            before = [each for each in before if each not in inside]
            if not is_sure or not self.may_move(part, before):
                if numbers:
                    raise self.refused_call(part, ALONE)
                message = f"`{ast.unparse(part.func)}` may raise what is not caught, before what is, in one statement within `try`"
                raise RefusedError(message, part, ALONE)
            asked = part if isinstance(part, GuardedCall) else None
            found += self.checks(node, until=part)
            if not numbers:
                name = self.text.free("found")
                found.append(placed(assign(name, part), part))
                node = Replaced(part, placed(variable(name), part)).visit(node)
                self.fails = True  # the body is no longer the one that was given
                continue
            note = self.text.free("raised") if asked or len(numbers) > 1 else ""
            if note:
                made_note = assign(note, ast.Call(constant(Raised), [], []))
                found += [made_note, ast.Assign([_number(note, ast.Store())], ast.Constant(0))]
            handled = tuple(Handled(self.caught[each], each + 1, note) for each in numbers)
            if asked:  # by a `try` within this one
                asked.handled += handled
                is_raised = ast.Compare(_number(note), [ast.Gt()], [ast.Constant(0)])
                found += [node, ast.If(is_raised, self.fail_as_noted(note, kinds), [])]
                return [placed(each, part) for each in found], placed(ast.Pass(), node)
            name = self.text.free("found")
            call = GuardedCall(part.func, part.args, part.keywords)
            call.handled = handled
            made = assign(name, placed(call, part))
            missing = ast.Compare(variable(name), [ast.Is()], [ast.Constant(None)])
            leaving = self.fail_as_noted(note, kinds) if note else self.fail(numbers[0], *kinds)
            found += [made, ast.If(missing, leaving, [])]
            found = [placed(each, part) for each in found]
            is_alone = isinstance(node, ast.Expr) and node.value is part
            taken = placed(Taken(variable(name), ast.Constant(0), ast.Load()), part)
            taken.call = call
            node = placed(ast.Pass(), node) if is_alone else Replaced(part, taken).visit(node)
        return found, node

    def followed(self, parts: list[ast.AST]) -> set[ast.AST]:
        """The calls in a statement that may raise what is not caught, and stand before something that is tested for and is."""
        calls = [k for k, part in enumerate(parts) if self.raises_otherwise(part)]
        tested = [k for k in range(calls[0] + 1, len(parts)) if self.is_tested(parts[k])] if calls else []
        return {parts[k] for k in calls if tested and k < tested[-1]}

    def is_tested(self, part: ast.AST) -> bool:
        """Whether a part may raise what is caught, apart from its own parts, and is tested for."""
        if isinstance(part, ast.Call) and self.kinds_to_ask(part):
            return True
        raised = [kind for _, kind in self.tests(part)]
        raised += [kind for _, kind in self.lookups(part) if self.is_named(kind)]
        return any(self.handler_of(each) is not None for each in raised)

    def raises_otherwise(self, part: ast.AST) -> bool:
        """Whether a call may raise anything that is not caught, and no test tells: of a function of the user's, or one that is not known."""
        if not isinstance(part, ast.Call) or isinstance(part, GuardedCall):
            return False
        called = self.meaning(part.func)
        if called is None:
            return isinstance(part.func, ast.Name) or (
                self.is_changing_method(part) and not self.lookups(part)
            )
        kinds = [*self.raised_within(called, set())]
        return bool(kinds) and all(self.handler_of(each) is None for each in kinds)

    def kinds_to_ask(self, call: ast.Call) -> list[type[BaseException]]:
        """The exceptions that are caught here, of those that a called function of the user's raises and has to say."""
        called = self.meaning(call.func)
        raising = self.raising_within(called, set())
        kinds = {*self.text.raises(call)}
        if raising is not None and self.first_tests(called, call) is None:
            kinds |= {*self.raised_within(called, set())}
        seen = [each for handled in getattr(call, "handled", ()) for each in handled.kinds]
        left = (each for each in kinds if not issubclass(each, tuple(seen)))
        return [each for each in left if self.handler_of(each) is not None]

    def may_move(self, call: ast.Call, before: list[ast.AST]) -> bool:
        """Whether a call may be made before the parts of its statement that Python evaluates before it."""
        called = self.meaning(call.func)
        if all(self.is_fixed(each) for each in before):
            named = [each for each in before if isinstance(each, ast.Name)]
            computed = any(isinstance(each, ast.BinOp | ast.UnaryOp) for each in before)
            may_change = bool(named) and computed and self.changing_within(called, set())
            return not may_change and all(each.id not in self.text.shared for each in named)
        is_known = isinstance(getattr(called, "py_func", called), FunctionType)
        changes = self.changing_within(called, set()) or any(self.may_change(each) for each in before)
        return is_known and not changes

    def may_change(self, part: ast.AST) -> bool:
        """Whether a part of an expression may change what a call behind it reads."""
        if not isinstance(part, ast.Call):
            return isinstance(part, ast.NamedExpr)
        called = self.meaning(part.func)
        is_unknown = called is None and isinstance(part.func, ast.Name)
        return is_unknown or self.is_changing_method(part) or self.changing_within(called, set())

    def is_fixed(self, part: ast.AST) -> bool:
        """Whether no call changes a part of an expression, and all that it raises is tested for."""
        return isinstance(part, FIXED) or (isinstance(part, ast.Attribute) and self.meaning(part) is not None)

    def plain_statement(self, node: ast.stmt, *, in_loop: bool) -> tuple[list[ast.stmt], bool]:
        """The same for a statement whose calls need not say what they raise."""
        match node:
            case ast.Raise(exc=ast.expr() as raised):
                kinds = getattr(node, AGAIN, None) or {self.raised_class(raised)}
                number = self.handler_of(next(iter(kinds)))
                return ([node], True) if number is None else (self.fail(number, *kinds), True)
            case ast.Raise():
                message = (
                    "`raise` alone in a `try` of its own, within a handler: it is not known what it raises"
                )
                raise RefusedError(message, node, NAMED)
            case ast.Assert(test=test) if (number := self.handler_of(AssertionError)) is not None:
                wrong = ast.UnaryOp(ast.Not(), test)
                return [*self.checks(test), ast.If(wrong, self.fail(number, AssertionError), [])], False
            case ast.If(test=test, body=body, orelse=orelse):
                sides = (self.watched(side, in_loop=in_loop) for side in (body, orelse))
                return [*self.checks(test), ast.If(test, *sides)], False
            case ast.For(iter=over):
                return [*self.checks(over), *self.loop(copy.copy(node), in_loop)], False
            case ast.While(test=test):
                node = copy.copy(node)
                if self.may_raise(test):
                    if node.orelse:
                        message = f"`while {ast.unparse(test)}`: its condition may raise what is caught, in each iteration"
                        raise RefusedError(message, test, "write the loop without `else`")
                    ends = placed(ast.If(ast.UnaryOp(ast.Not(), test), [ast.Break()], []), test)
                    node.test, node.body = placed(ast.Constant(True), test), [ends, *node.body]
                return self.loop(node, in_loop), False
            case ast.With(items=items, body=body):
                return [ast.With(items, self.watched(body, in_loop=in_loop))], False
            case ast.Break() | ast.Continue() if not in_loop:
                self.left = self.left or self.text.free("left")
                return [
                    assign(self.left, constant(1 if isinstance(node, ast.Break) else 2)),
                    ast.Break(),
                ], True
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

    # Tests

    def checks(self, node: ast.AST, until: ast.AST | None = None) -> list[ast.stmt]:
        """The tests before a statement or an expression is run, or before a call in it."""
        found: list[ast.stmt] = []
        self.effects, self.uncaught, self.until = [], [], until
        try:
            self.visit(node, [], found)
        except _ReachedError:
            self.raise_uncaught(found)
        return [placed(each, node) for each in found]

    def may_raise(self, test: ast.expr) -> bool:
        """Whether the condition of a loop may raise what is caught."""
        try:
            return bool(self.checks_of_part(test))
        except RefusedError:
            return True

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
            case ast.Compare(left=left, ops=ops, comparators=[first, *others]) if others:
                self.visit(left, guards, found)
                self.visit(first, guards, found)
                for number, other in enumerate(others, 1):
                    holds = ast.Compare(left, ops[:number], [first, *others][:number])
                    self.visit(other, [*guards, holds], found)
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
                read = copy.copy(target)
                read.ctx = ast.Load()
                parts = [read, value]
            case _:
                parts = list(ast.iter_child_nodes(node))
        for each in parts:
            self.visit(each, guards, found)
        if node is self.until:
            raise _ReachedError
        self.test(node, guards, found)

    def test(self, node: ast.AST, guards: list[ast.expr], found: list[ast.stmt]) -> None:
        """Add the tests of a part, apart from its own parts."""
        tests = [(*each, False) for each in self.tests(node)] + [(*each, True) for each in self.lookups(node)]
        for test, exception, is_lookup in tests:
            handler = self.handler_of(exception)
            may_stay = is_lookup and not self.is_named(exception)
            if may_stay and exception is AttributeError:
                continue
            is_number = exception is ZeroDivisionError and handler_in(self.text.around, exception) is None
            if (may_stay and self.in_part) or (handler is None and (self.in_part or is_number)):
                continue  # outside of any `try` for it, a number divided by zero is infinite
            whole = ast.BoolOp(ast.And(), [*copy.deepcopy(guards), test]) if guards else test
            try:
                for part in ast.walk(whole):
                    self.refuse_effects(part)
                self.refuse_changed(whole, node)
                if handler is not None:
                    self.raise_uncaught(found)
                    found.append(ast.If(whole, self.fail(handler, exception), []))
            except RefusedError as refused:
                if handler is None:
                    self.uncaught.append(refused)
                elif not may_stay:
                    raise
                continue
            if handler is None:
                message = ast.Constant(f"{ast.unparse(node)} has no value")
                raised = ast.Raise(ast.Call(constant(exception), [message], []), None)
                self.uncaught.append(ast.If(whole, [raised], []))
        is_stored = isinstance(node, ast.Name | ast.Subscript | ast.Attribute) and not isinstance(
            node.ctx, ast.Load
        )
        if is_stored or isinstance(node, ast.Call | ast.NamedExpr):
            self.effects.append(node)

    def raise_uncaught(self, found: list[ast.stmt]) -> None:
        """Raise what earlier parts of the statement raise that is not caught here, before anything that comes later in it."""
        for each in self.uncaught:
            if isinstance(each, RefusedError):
                raise each
            found.append(each)
        self.uncaught = []

    def refuse_changed(self, test: ast.expr, node: ast.AST) -> None:
        """Refuse a test of what an earlier part of the same statement may change."""
        for effect in self.effects:
            if isinstance(effect, ast.Call):
                given = [*effect.args, *(each.value for each in effect.keywords)]
                named = [each for each in given if isinstance(each, ast.Name | ast.Attribute | ast.Subscript)]
                shared = any(names(each) & names(test) for each in named)
                owner: ast.AST = ast.Pass()
                if isinstance(effect.func, ast.Attribute) and self.meaning(effect.func) is None:
                    owner = effect.func.value
                is_assigned = bool(names(test) & self.text.shared)
                changes = (
                    is_assigned
                    or bool(names(owner) & _with_attributes(test))
                    or self.is_changing_method(effect)
                    or (shared and self.changing_within(self.meaning(effect.func), set()))
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

    def fail(self, number: int, *kinds: type[BaseException]) -> list[ast.stmt]:
        """Leave the block for the handler of this number, which catches one of these exceptions."""
        self.fails = True
        self.raised[number].update(kinds)
        return [self.set_failed(number), ast.Break()]

    def fail_as_noted(self, note: str, kinds: list[type[BaseException]]) -> list[ast.stmt]:
        """Leave the block for the handler whose number a called function has noted, which raised one of these exceptions."""
        if len(self.node.handlers) == 1:
            return self.fail(0, *kinds)
        self.fails = True
        for each in kinds:
            if (number := self.handler_of(each)) is not None:
                self.raised[number].add(each)
        return [assign(self.failed, _number(note)), ast.Break()]

    def set_failed(self, number: int | None) -> ast.stmt:
        one = len(self.node.handlers) == 1
        return assign(
            self.failed, constant(number is not None if one else 0 if number is None else number + 1)
        )

    def has_failed(self, number: int | None) -> ast.expr:
        """Whether this handler runs, or any."""
        if len(self.node.handlers) == 1:
            return variable(self.failed)
        if number is None:
            return ast.Compare(variable(self.failed), [ast.Gt()], [ast.Constant(0)])
        return ast.Compare(variable(self.failed), [ast.Eq()], [ast.Constant(number + 1)])


def _with_attributes(test: ast.expr) -> set[str]:
    """The variables of which a test reads attributes that no array has: methods of objects may change these, whatever they are called."""
    parts = (part for part in ast.walk(test) if isinstance(part, ast.Attribute))
    return {name for part in parts if not hasattr(np.ndarray, part.attr) for name in names(part.value)}


def _number(note: str, context: ast.expr_context | None = None) -> ast.Attribute:
    """The number of the handler that a called function has noted."""
    return ast.Attribute(variable(note), "number", context or ast.Load())
