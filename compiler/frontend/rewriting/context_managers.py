"""Write `with` statements around objects and generators of the user's as statements that lowering knows.

    with scaled(x) as y:        manager = scaled(x)
        s = y * y               y = manager.__enter__()
                                try:
                                    s = y * y
                                finally:
                                    manager.__exit__(None, None, None)

The generator of a function under `@contextlib.contextmanager` becomes a loop over what it yields, once: the body is written where it yields,
within its `try` with `finally`, too.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import importlib
import inspect
import textwrap
from collections.abc import Sequence
from types import FunctionType

from backsweep.frontend.context.heap import Virtual
from backsweep.frontend.context.scope import local_names
from backsweep.frontend.instances.managers import Entering
from backsweep.frontend.rewriting.syntax import LEAVE, Names, Resolve, Rewriter, assign, variable, with_exits
from backsweep.ir.nodes import Const
from backsweep.reading.control_flow import own_nodes
from backsweep.reading.origins import constant, placed

MANAGED = "backsweep_managed"
"""The attribute of a loop that stands for `with`: what its body raises is raised where the generator yields."""
OTHERS = "numpy", "numba", "backsweep"
"""Packages whose `with` statements lowering knows, or refuses."""


def managed(definition: ast.FunctionDef, resolve: Resolve, names: set[str]) -> ast.FunctionDef:
    """A function without such `with` statements; itself if it has none. `names` are taken."""
    if not any(isinstance(each, ast.With) for each in own_nodes(definition.body)):
        return definition
    taken = names | {part.id for part in ast.walk(definition) if isinstance(part, ast.Name)}
    own = {**dict.fromkeys(local_names(definition)), **_imported(definition.body)}
    body = _Managed(lambda name: own[name] if name in own else resolve(name), taken).block(
        copy.deepcopy(definition.body)
    )
    return placed(ast.FunctionDef(definition.name, definition.args, body, []), definition)


def _imported(statements: Sequence[ast.stmt]) -> dict[str, object]:
    """What the statements import, by the names that they give it; what cannot be imported is left to lowering."""
    found: dict[str, object] = {}
    for node in own_nodes(statements):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        if isinstance(node, ast.ImportFrom) and node.level:
            continue
        for alias in node.names:
            is_whole = isinstance(node, ast.Import)
            home = alias.name if isinstance(node, ast.Import) else node.module or ""
            try:
                module = importlib.import_module(
                    home if alias.asname or not is_whole else home.partition(".")[0]
                )
            except ImportError:
                continue
            name = alias.asname or alias.name.partition(".")[0]
            found[name] = module if is_whole else getattr(module, alias.name, None)
    return found


class _Managed(Rewriter):
    def __init__(self, resolve: Resolve, names: set[str]) -> None:
        self.resolve = resolve
        self.free = Names(names).free
        self.tries = 0
        """How many `try` statements with handlers are around."""

    def visit_Try(self, node: ast.Try) -> ast.Try:
        """Count those that may catch what is raised within."""
        self.tries += bool(node.handlers)
        node.body = self.block(node.body)
        self.tries -= bool(node.handlers)
        node.orelse, node.finalbody = self.block(node.orelse), self.block(node.finalbody)
        for handler in node.handlers:
            handler.body = self.block(handler.body)
        return node

    def visit_With(self, node: ast.With) -> list[ast.stmt]:
        """One or several managers, each within those before it."""
        item, *others = node.items
        body: list[ast.stmt] = [placed(ast.With(others, node.body), node)] if others else node.body
        is_suppress = isinstance(item.context_expr, ast.Call) and (
            self.meaning(item.context_expr.func) is contextlib.suppress
        )
        self.tries += is_suppress
        body = self.block(body)
        self.tries -= is_suppress
        found = self.around(item, body)
        return [placed(each, node) for each in ([ast.With([item], body)] if found is None else found)]

    def around(self, item: ast.withitem, body: list[ast.stmt]) -> list[ast.stmt] | None:
        """The statements for one manager; None for one that lowering knows, or refuses."""
        context, target = item.context_expr, item.optional_vars
        call = context if isinstance(context, ast.Call) else None
        called = None if call is None else self.meaning(call.func)
        if call is not None and called is contextlib.suppress and target is None:
            kinds = ast.Tuple(call.args, ast.Load())
            return [ast.Try(body, [ast.ExceptHandler(kinds, None, [ast.Pass()])], [], [])]
        if call is not None and called is contextlib.nullcontext:
            value = next(iter((*call.args, *(each.value for each in call.keywords))), ast.Constant(None))
            return [ast.Expr(value) if target is None else ast.Assign([target], value), *body]
        if call is not None and (generator := _generator(called)) is not None:
            return self.loop(ast.Call(constant(generator), call.args, call.keywords), target, body)
        if call is None:
            called = self.meaning(context)
        if called is not None and not _is_own(called, is_called=call is not None):
            return None
        name = self.free("manager")
        manager = variable(name)
        entered = ast.Call(ast.Attribute(manager, "__enter__", ast.Load()), [], [])
        left = ast.Call(
            ast.Attribute(manager, "__exit__", ast.Load()), [ast.Constant(None) for _ in range(3)], []
        )
        entering = Entering(manager)
        entering.item, entering.in_try = item, self.tries > 0
        return [
            assign(name, context),
            entering,
            ast.Expr(entered) if target is None else ast.Assign([target], entered),
            ast.Try(body, [], [], [ast.Expr(left)]),
        ]

    def loop(self, call: ast.Call, target: ast.expr | None, body: list[ast.stmt]) -> list[ast.stmt] | None:
        """The loop over what a generator yields; None if it has a jump out of a loop within the body."""
        found, left = self.free("found"), self.free("left")
        ways: dict[int, ast.stmt] = {}

        def leave(node: ast.stmt, in_loop: bool) -> list[ast.stmt]:
            """Go on to the end of the generator, and leave then."""
            if in_loop:
                raise _CannotLeaveError
            number = LEAVE.index(type(node)) + 1
            ways[number] = node
            held: list[ast.stmt] = []
            if isinstance(node, ast.Return):  # what is returned is computed first
                held = [assign(found, node.value or ast.Constant(None))]
                ways[number] = ast.Return(variable(found))
            return [*held, assign(left, ast.Constant(number)), ast.Continue()]

        try:
            body = with_exits(body, leave)
        except _CannotLeaveError:
            return None
        loop = ast.For(target or ast.Name(self.free("entered"), ast.Store()), call, body, [])
        setattr(loop, MANAGED, True)
        before = [assign(left, ast.Constant(0))] if ways else []
        read = variable(left)
        after = [
            ast.If(ast.Compare(read, [ast.Eq()], [ast.Constant(number)]), [way], [])
            for number, way in ways.items()
        ]
        return [*before, loop, *after]

    def meaning(self, node: ast.expr) -> object:
        """What a name, or an attribute of a known object, means where the function begins; None if that is not known."""
        match node:
            case ast.Name(id=name):
                found = self.resolve(name)
                return None if isinstance(found, Virtual) else found
            case ast.Attribute(value=value, attr=name):
                return getattr(self.meaning(value), name, None)
            case _:
                return None


class _CannotLeaveError(Exception):
    """A `return` within a loop within the body."""


def _is_own(thing: object, *, is_called: bool) -> bool:
    """Whether a known object may be a manager with a text, or a function or a class that gives one."""
    home = (getattr(thing, "__module__", None) or "").partition(".")[0]
    if is_called and isinstance(thing, FunctionType):
        return home not in OTHERS and thing.__globals__ is not vars(contextlib)
    cls = thing if is_called else type(thing)
    return home not in OTHERS and isinstance(getattr(cls, "__enter__", None), FunctionType | Const)


def _generator(called: object) -> object:
    """The generator function under `@contextlib.contextmanager`, if it yields once on each path; else None."""
    wrapped = getattr(called, "__wrapped__", None)
    if getattr(called, "__globals__", None) is not vars(contextlib) or not inspect.isgeneratorfunction(
        wrapped
    ):
        return None
    try:
        definition = ast.parse(textwrap.dedent(inspect.getsource(wrapped))).body[0]
    except (OSError, SyntaxError):
        return None
    assert isinstance(definition, ast.FunctionDef)
    return wrapped if _yields(definition.body) == 1 else None


def _yields(statements: Sequence[ast.stmt]) -> int:
    """How often statements yield; 2 if they may more than once, or if only the run decides how often."""
    count = 0
    for each in statements:
        match each:
            case ast.Expr(value=ast.Yield()) | ast.Assign(value=ast.Yield()):
                count += 1
            case ast.If(body=body, orelse=orelse):
                one, other = _yields(body), _yields(orelse)
                count += one if one == other else 2
            case ast.Try(body=body, handlers=[], orelse=[], finalbody=ends) if not _yields(ends):
                count += _yields(body)
            case ast.With(body=body):
                count += _yields(body)
            case _ if any(
                isinstance(part, ast.Yield | ast.YieldFrom | ast.Return) for part in own_nodes([each])
            ):
                return 2
            case _:
                pass
    return count
