"""Hand a generator to a function of the user's that goes through it once: the function gets a list of its items.

A list and a generator differ where the items are gone through twice, and where the generator and the function take turns in
writing what the other reads. Both are read in the text; other calls are refused.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from types import FunctionType

from backsweep.diagnostics import SourceError
from backsweep.frontend.constructs.comprehensions import TAKES_ALL, taken_apart
from backsweep.frontend.constructs.going_through import generator_of, is_generator_call
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.context.scope import Inner
from backsweep.frontend.generators.eager import Meaning, ends, meaning_by, meaning_in, only_reads
from backsweep.ir.nodes import Const, Operand
from backsweep.reading.control_flow import OTHER_SCOPES
from backsweep.reading.functions import has_text, read_generator, read_source
from backsweep.reading.names import is_own

LOOPS = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)


def handed(lowerer: Lowerer, function: Operand, node: ast.Call) -> list[Operand] | None:
    """The operands of a call that is given generators, with lists in their place; None for other calls."""
    is_plain = not any(isinstance(each, ast.Starred) for each in node.args)
    made = [isinstance(each, ast.GeneratorExp) or is_generator_call(lowerer, each) for each in node.args]
    if not is_plain or not any(made) or not isinstance(function, Const):
        return None
    found = _definition(lowerer, function.value)
    if found is None:
        return None
    definition, meaning = found
    names = [each.arg for each in (*definition.args.posonlyargs, *definition.args.args)]
    if len(names) < len(node.args) or not only_reads(definition.body, meaning):
        return None
    for name, each, is_made in zip(names, node.args, made, strict=False):
        if is_made and not (goes_once(definition.body, name, meaning) and _is_early(lowerer, each)):
            return None
    return [taken_apart(lowerer, each) or lowerer.lower(each) for each in node.args]


def _definition(lowerer: Lowerer, function: object) -> tuple[ast.FunctionDef, Meaning] | None:
    """The definition of a function of the user's, and what names mean in it."""
    if isinstance(function, Inner):
        return (function.node, _meaning_here(lowerer)) if isinstance(function.node, ast.FunctionDef) else None
    python = getattr(function, "py_func", function)
    if not isinstance(python, FunctionType) or is_own(python) or not has_text(python):
        return None
    try:
        source = read_source(function)
    except SourceError:
        return None
    if not isinstance(source.node, ast.FunctionDef) or source.receiver is not None:
        return None
    return source.node, meaning_in(source.closure, source.globals)


def _meaning_here(lowerer: Lowerer) -> Meaning:
    """What expressions mean in the function that is lowered."""
    return meaning_by(lambda name: lowerer.find(name, lowerer.frame))


def _is_early(lowerer: Lowerer, node: ast.expr) -> bool:
    """Whether all items of a generator may be computed before it is handed over."""
    here = _meaning_here(lowerer)
    if isinstance(node, ast.GeneratorExp):
        return ends([node], here) and only_reads([node], here)
    assert isinstance(node, ast.Call)
    made = here(node.func)
    if isinstance(made, Inner):
        return (
            isinstance(made.node, ast.FunctionDef)
            and ends(made.node.body, here)
            and only_reads(made.node.body, here)
        )
    try:
        source = read_generator(generator_of(made))
    except SourceError:
        return False
    meaning = meaning_in(source.closure, source.globals)
    return (
        isinstance(source.node, ast.FunctionDef)
        and ends(source.node.body, meaning)
        and only_reads(source.node.body, meaning)
    )


def goes_once(statements: Sequence[ast.stmt], name: str, meaning: Meaning) -> bool:
    """Whether statements read a variable in one place, which runs at most once and takes all items there."""
    parts = (part for each in statements for part in ast.walk(each))
    places = [part for part in parts if isinstance(part, ast.Name) and part.id == name]
    if len(places) != 1 or not isinstance(places[0].ctx, ast.Load):
        return False
    place = places[0]
    waiting: list[ast.AST] = list(statements)
    while waiting:
        node = waiting.pop()
        match node:
            case ast.For(iter=iterable) if iterable is place:
                return True
            case ast.Call(args=[first, *_], func=function) if first is place:
                found = meaning(function)
                return any(found is each for each in TAKES_ALL)
            case ast.Call(args=[ast.GeneratorExp(generators=[first, *_]), *_], func=function) if (
                first.iter is place
            ):
                found = meaning(function)
                return any(found is each for each in TAKES_ALL)
            case ast.ListComp(generators=[first, *_]) if first.iter is place:
                return True
            case _:
                pass
        if isinstance(node, ast.For):
            waiting.append(node.iter)
        elif not isinstance(node, (*OTHER_SCOPES, *LOOPS)):
            waiting.extend(ast.iter_child_nodes(node))
    return False
