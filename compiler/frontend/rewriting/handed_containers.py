"""Functions that are given a dict or a set of the caller's, read as generators of their one result.

These containers are written as lists of the function that makes them, under one name. So what it hands them to is written out in its
own text: `add(table, k, v)` becomes the statements of `add`, in which the parameter is the caller's variable.
"""

from __future__ import annotations

import ast
import collections
import copy
from collections.abc import Sequence

from backsweep.frontend.containers.placing import placed
from backsweep.frontend.context.generator_calls import OTHER_SCOPES, own_nodes
from backsweep.frontend.generated.eager import Meaning

MAKERS = (dict, collections.defaultdict, collections.Counter, collections.OrderedDict)
"""The classes of the containers, whose calls make one."""


def containers_in(statements: Sequence[ast.stmt], meaning: Meaning) -> frozenset[str]:
    """The variables that hold dicts with computed keys and sets, in all places where they are assigned."""
    made: collections.Counter[str] = collections.Counter()
    stored: collections.Counter[str] = collections.Counter()
    for part in own_nodes(statements):
        match part:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ) if _makes_container(value, meaning):
                made[name] += 1
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                stored[name] += 1
            case _:
                pass
    return frozenset(name for name, count in made.items() if count == stored[name])


def _makes_container(node: ast.expr, meaning: Meaning) -> bool:
    """Whether an expression makes a container; a dict of literal keys exists while compiling, and needs no help."""
    match node:
        case ast.Dict(keys=[]) | ast.DictComp():
            return True
        case ast.Dict(keys=keys):
            return not any(isinstance(each, ast.Constant) and isinstance(each.value, str) for each in keys)
        case ast.Call(func=function):
            found = meaning(function)
            return any(found is each for each in MAKERS)
        case _:
            return False


def first_call(node: ast.expr) -> ast.Call | None:
    """The call in an expression before which it evaluates nothing but names and literals: nothing changes if it runs first."""
    found = _first(node)
    return found if isinstance(found, ast.Call) else None


def _first(node: ast.expr) -> ast.expr | None:
    """The first part of an expression, in the order of evaluation, that is no name and no literal."""
    match node:
        case ast.Name() | ast.Constant():
            return None
        case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
            return _first(left) or _first(right)
        case ast.UnaryOp(operand=operand) | ast.Yield(value=ast.expr() as operand):
            return _first(operand)
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return next(filter(None, map(_first, items)), None)
        case ast.Subscript(value=base):
            return _first(base) or node
        case _:
            return node


def as_generator(definition: ast.FunctionDef, *, is_asked: bool) -> ast.FunctionDef:
    """The function as a generator that yields what it returns, if that `is_asked` for, and nothing otherwise."""
    made = copy.deepcopy(definition)
    made.body = _yielding(made.body, is_asked=is_asked)
    match made.body[-1]:
        case ast.Return():
            made.body = made.body[:-1] or [placed(ast.Pass(), definition)]
        case ast.Raise():
            pass
        case last if is_asked:
            made.body.append(placed(ast.Expr(ast.Yield(ast.Constant(None))), last))
        case _:
            pass
    return made


def _yielding(statements: Sequence[ast.stmt], *, is_asked: bool) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for node in statements:
        if isinstance(node, ast.Return):
            value = node.value or ast.Constant(None)
            if is_asked:
                found.append(placed(ast.Expr(ast.Yield(value)), node))
            elif not isinstance(value, ast.Constant | ast.Name):
                found.append(placed(ast.Expr(value), node))
            found.append(placed(ast.Return(None), node))
            continue
        if not isinstance(node, OTHER_SCOPES):
            for name in ("body", "orelse", "finalbody"):
                if getattr(node, name, None):
                    setattr(node, name, _yielding(getattr(node, name), is_asked=is_asked))
        found.append(node)
    return found
