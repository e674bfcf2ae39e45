"""Calls within `try` of functions that may raise what is caught: the function says so by what it returns.

y = f(x) + 1.0              found = f(x)  # each `return y` of it became `return (y,)`, and what is caught None
                            if found is None:
                                failed = True
                                break
                            y = found[0] + 1.0
"""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from backsweep.diagnostics import Loc
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.context.rounds import FoundObjectsError
from backsweep.frontend.context.scope import Catching
from backsweep.ir.nodes import Const, Operand
from backsweep.reading.control_flow import Ways, ways_out
from backsweep.reading.names import is_own
from backsweep.reading.origins import constant, placed

Kinds = tuple[type[BaseException], ...]
"""Exceptions that a handler names."""
CAUGHT = "backsweep_caught"
"""The attribute of a part of a text within `try`: the exceptions that are caught."""

ONCE = "backsweep_once"
"""The attribute of a `while` that is left at the end of its body, if not before."""


class Raised:
    """Where a function notes which handler is to run: its number from 1, or 0."""

    number: int


@dataclass(frozen=True)
class Handled:
    """What a handler catches; its number, and the variable that holds a `Raised`, if several may be to run."""

    kinds: Kinds
    number: int = 0
    note: str = ""


class GuardedCall(ast.Call):
    """A call whose function returns its result in a tuple, or None where it raises what one of `handled` catches."""

    handled: tuple[Handled, ...]


class Taken(ast.Subscript):
    """The result that such a call gave: the tuple has it for sure, or it is an object that the call made."""

    call: ast.Call


@functools.lru_cache(maxsize=512)
def guarded(definition: ast.FunctionDef | ast.Lambda, handled: tuple[Handled, ...]) -> ast.FunctionDef:
    """The function that returns its result in a tuple, and None where it raises one of these."""
    if isinstance(definition, ast.Lambda):
        name = "lambda"
        given: list[ast.stmt] = [placed(ast.Return(definition.body), definition.body)]
    else:
        name, given = definition.name, definition.body
    body: list[ast.stmt] = [_Wrapped().visit(copy.deepcopy(each)) for each in given]
    if Ways.FALLS in ways_out(body):
        body.append(placed(ast.Return(_wrapped(None)), body[-1]))
    made = ast.FunctionDef(name, definition.args, [ast.Try(body, [*map(_handler, handled)], [], [])], [])
    return placed(made, definition)


def _handler(handled: Handled) -> ast.ExceptHandler:
    named = ast.Tuple([constant(each) for each in handled.kinds], ast.Load())
    noted: list[ast.stmt] = []
    if handled.note:
        note = ast.Attribute(ast.Name(in_callee(handled.note), ast.Load()), "number", ast.Store())
        noted.append(ast.Assign([note], ast.Constant(handled.number)))
    return ast.ExceptHandler(named, None, [*noted, ast.Return(ast.Constant(None))])


def in_callee(note: str) -> str:
    """What the function that is called names a variable of its caller, as none of its own can be named."""
    return f"{note} of the caller"


def _wrapped(value: ast.expr | None) -> ast.expr:
    return ast.Tuple([ast.Constant(None) if value is None else value], ast.Load())


class _Wrapped(ast.NodeTransformer):
    """Puts what is returned into tuples."""

    def visit_Return(self, node: ast.Return) -> ast.Return:
        """A result."""
        return placed(ast.copy_location(ast.Return(_wrapped(node.value)), node), node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Leave an inner function as it is."""
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        """Likewise."""
        return node


def is_caught(node: ast.Call) -> bool:
    """Whether a call is within a `try`."""
    return hasattr(node, CAUGHT)


def caught(lowerer: Lowerer, node: ast.Call, lower: Callable[[Lowerer, ast.Call], Operand]) -> Operand:
    """The operand for the result of a call within `try`; of one that says what it raises, in a tuple."""
    context = lowerer.context
    context.wrapped.discard(node)
    context.made.pop(node, None)
    notes = {each.note for each in node.handled} - {""} if isinstance(node, GuardedCall) else ()
    found_notes = {in_callee(each): lowerer.lower(ast.Name(each, ast.Load())) for each in notes}
    context.catching.append(Catching(getattr(node, CAUGHT), lowerer.frame, found_notes))
    try:
        found = lower(lowerer, node)
    finally:
        context.catching.pop()
    if node in context.made:
        return context.made[node][0]
    is_ready = not isinstance(node, GuardedCall) or node in context.wrapped
    return found if is_ready else lowerer.make_tuple((found,), node)


@contextmanager
def catching(lowerer: Lowerer, node: ast.AST) -> Iterator[None]:
    """Note what a `try` around a part catches, which may call a method: a property, an operator, a condition, a loop."""
    kinds = getattr(node, CAUGHT, ())
    if not kinds:
        yield
        return
    lowerer.context.catching.append(Catching(kinds, lowerer.frame, {}))
    try:
        yield
    finally:
        lowerer.context.catching.pop()


def place_of_call(loc: Loc) -> tuple[str, int, int, int]:
    """What tells a call from others, in each function that calls the one it stands in."""
    return loc.file, loc.line, loc.column, loc.end_column


def raises_at(lowerer: Lowerer, call: ast.Call) -> frozenset[type[BaseException]]:
    """The exceptions that a call raises and a `try` around it catches, as earlier rounds have found."""
    found = ("raises", *place_of_call(lowerer.loc(call)))
    facts = lowerer.context.expansions.objects
    return frozenset(each[-1] for each in facts if each[:-1] == found and isinstance(each[-1], type))


def note_raised(lowerer: Lowerer, exception: Operand, node: ast.AST) -> None:
    """Have the program lowered again if a `try` of a function around this one catches what is raised here."""
    context, kind = lowerer.context, exception.value if isinstance(exception, Const) else None
    source = lowerer.frame.source
    is_ours = lowerer.frame.fixed is not None or (source is not None and is_own(source.function))
    if not isinstance(kind, type) or is_ours:
        return  # what texts of ours raise is tested for before their calls
    around = [each for each in context.catching if issubclass(kind, each.kinds)]
    if not around or around[-1].frame is lowerer.frame:
        return
    calls = [lowerer.frame.caller or lowerer.loc(node)]
    while calls[-1].caller is not None and calls[-1].caller != around[-1].frame.caller:
        calls.append(calls[-1].caller)
    for call in reversed(calls):  # each function in between says so to its caller, the outermost first
        fact = ("raises", *place_of_call(call), kind)
        if fact not in context.expansions.objects:
            raise FoundObjectsError([fact])
    name = lowerer.frame.name
    message = f"`{name}` is called within `try`, and may raise what is caught: `{ast.unparse(node)}`"
    remedy = f"return a value that says so from `{name}`, as in `return False, 0.0`, and test for it"
    raise lowerer.refuse("BS101", message, node, remedy)
