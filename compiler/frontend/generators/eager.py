"""Whether all items of a generator may be computed before the first is taken: nobody could tell the difference.

A generator that only reads, and that ends, gives the same items early as late, if nothing is written in between.
"""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, ModuleType

from backsweep.diagnostics import SourceError
from backsweep.ir.nodes import Const, Operand
from backsweep.ir.operations import is_random
from backsweep.reading.control_flow import own_nodes
from backsweep.reading.functions import has_text, read_generator
from backsweep.reading.names import METHODS, is_from_library, is_own, lookup_name

Meaning = Callable[[ast.expr], object]
"""The compile-time object that an expression of the text names; None if it is not known."""
PLACES = (ast.Subscript, ast.Attribute, ast.Starred)
KNOWN = frozenset({"builtins", "numpy", "math"})
"""The modules whose functions write to nothing but the arrays that they are given to write to."""
WRITERS = frozenset(
    {"copyto", "put", "place", "putmask", "put_along_axis", "fill_diagonal", "shuffle", "print", "warn", "at"}
)


def only_reads(
    statements: Sequence[ast.AST], meaning: Meaning, callers: frozenset[object] = frozenset()
) -> bool:
    """Whether statements write to no memory, and call nothing that may; what the user's functions do is read in their text."""
    scalars = changeable(statements)
    for part in own_nodes(statements):
        match part:
            case ast.Assign(targets=targets) if any(isinstance(each, PLACES) for each in targets):
                return False
            case ast.AugAssign(target=target) if not (isinstance(target, ast.Name) and target.id in scalars):
                return False
            case ast.Delete() | ast.Global() | ast.Nonlocal():
                return False
            case ast.For(target=target) if isinstance(target, PLACES):
                return False
            case ast.Call(func=ast.Attribute(value=ast.Name() as base, attr=name)) if (
                name in METHODS and name != "put" and meaning(base) is None
            ):
                pass
            case ast.Call(func=ast.Name(id=name)) if name.startswith("."):
                pass  # a function of ours
            case ast.Call(func=function, keywords=keywords):
                found = meaning(function)
                if is_users(found):
                    text = None if found in callers else _text_of(found)
                    if text is None or not only_reads(*text, callers | {found}):
                        return False
                    continue
                module = getattr(found, "__module__", None) or type(found).__module__
                is_known = found is not None and module.split(".")[0] in KNOWN
                if not is_known or is_random(found) or getattr(found, "__name__", "") in WRITERS:
                    return False
                if any(each.arg in ("out", "copy") for each in keywords):
                    return False
            case _:
                pass
    return True


def is_users(function: object) -> bool:
    """Whether it is a Python function with a text, and none of a library or ours."""
    python = getattr(function, "py_func", function)
    return (
        isinstance(python, FunctionType)
        and not (is_own(python) or is_from_library(python))
        and has_text(python)
    )


def _text_of(function: object) -> tuple[Sequence[ast.AST], Meaning] | None:
    """The body of a function of the user's, and what names mean in it."""
    try:
        source = read_generator(function)
    except SourceError:
        return None
    body = source.node.body if isinstance(source.node, ast.FunctionDef) else [source.node.body]
    return body, meaning_in(source.closure, source.globals)


def meaning_in(*scopes: Mapping[str, object]) -> Meaning:
    """What expressions mean in the scopes of a function."""
    return meaning_by(lambda name: lookup_name(name, *scopes, vars(builtins)))


def meaning_by(find: Callable[[str], Operand | None]) -> Meaning:
    """What expressions mean where `find` tells what a name stands for."""

    def meaning(node: ast.expr) -> object:
        match node:
            case ast.Name(id=name):
                found = find(name)
                return found.value if isinstance(found, Const) else None
            case ast.Attribute(value=base, attr=name):
                holder = meaning(base)
                return getattr(holder, name, None) if isinstance(holder, ModuleType) else None
            case _:
                return None

    return meaning


SAFE = (range, enumerate, zip, reversed, len, list, tuple, sorted)
"""What makes iterables that end, of iterables that end."""


def ends(statements: Sequence[ast.AST], meaning: Meaning, callers: frozenset[object] = frozenset()) -> bool:
    """Whether the text shows that a generator ends: it has no `while`, and no loop over what a call makes that may not end."""
    for part in own_nodes(statements):
        if isinstance(part, ast.While):
            return False
        iterable = part.iter if isinstance(part, ast.For | ast.comprehension) else None
        iterable = part.value if isinstance(part, ast.YieldFrom) else iterable
        for each in () if iterable is None else ast.walk(iterable):
            if isinstance(each, ast.Call) and not _makes_what_ends(meaning(each.func), callers):
                return False
    return True


def _makes_what_ends(function: object, callers: frozenset[object]) -> bool:
    """Whether a call of a function makes an iterable that ends."""
    if any(function is each for each in SAFE):
        return True
    if not is_users(function) or function in callers:
        return False
    found = _text_of(function)
    return found is not None and ends(*found, callers | {function})


def changeable(statements: Sequence[ast.AST]) -> frozenset[str]:
    """The names that hold nothing but numbers that begin as literals, `total = 0.0`: what is added to them is written to no memory."""
    begun: Counter[str] = Counter()
    stored: Counter[str] = Counter()
    for part in own_nodes(statements):
        match part:
            case ast.Assign(
                targets=[ast.Name(id=name)], value=ast.Constant(value=int() | float() | complex())
            ):
                begun[name] += 1
            case ast.AugAssign(target=ast.Name(id=name)):
                begun[name] += 1
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                stored[name] += 1
            case _:
                pass
    return frozenset(name for name, count in begun.items() if count == stored[name])
