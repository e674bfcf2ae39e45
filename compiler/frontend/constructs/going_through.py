"""Go through an object that the program makes: what its class's `__iter__` gives, as a list, an array, a tuple or an iterator; which calls make generators."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable
from types import ModuleType

from backsweep.diagnostics import Loc
from backsweep.frontend.constructs.special_methods import own_class, special_method
from backsweep.frontend.context.inner_text import placed_at
from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.context.rounds import FoundObjectsError
from backsweep.frontend.context.scope import Inner, Iterator, Zipped
from backsweep.ir.nodes import Const, Operand
from backsweep.prelude.declare import meaning_of
from backsweep.prelude.language import items as of_items
from backsweep.reading.control_flow import own_nodes
from backsweep.reading.functions import is_generator_function


def gone_through(lowerer: Lowerer, operand: Operand, node: ast.AST) -> Operand:
    """What going through an object gives; any other operand itself.

    A loop over a generator is lowered again with the generator's statements in its place. Elsewhere its items are a list: all
    are computed before the first is taken.
    """
    own = special_method(lowerer, operand, "__iter__")
    cls = own_class(lowerer, operand)
    if own is None or cls is None or issubclass(cls, tuple):
        return operand
    if is_generator_method(own):
        fact = ("generator", place_of(lowerer, node), own)
        if not lowerer.context.expansions.path and fact not in lowerer.context.expansions.objects:
            raise FoundObjectsError([fact])
        return lowerer.inline(of_items.items_of_generator, (Const(own), operand), {}, node)
    found = lowerer.inline(own, (operand,), {}, node)
    if special_method(lowerer, found, "__next__") is not None:
        message = f"`__iter__` of `{cls.__name__}` returns an object with `__next__`, which raises `StopIteration` at its end"
        remedy = "write `__iter__` with `yield`, or return `iter` of a list or an array"
        raise lowerer.refuse("BS114", message, node, remedy)
    return found


def items_of(lowerer: Lowerer, operand: Operand, node: ast.AST, *, is_ordered: bool = True) -> Operand:
    """The same as a list, an array or a tuple, for what goes through all of it at once; a set gives its items if no order counts."""
    asked = ("at_once",) if is_ordered else ("at_once", "in_any_order")
    method = next(filter(None, (special_method(lowerer, operand, name) for name in asked)), None)
    if method is not None and hasattr(own_class(lowerer, operand), "__library__"):
        return lowerer.inline(method, (operand,), {}, node)
    if not is_ordered and isinstance(operand, Const) and isinstance(operand.value, set | frozenset):
        return Const(tuple(sorted(operand.value, key=repr)))
    found = gone_through(lowerer, operand, node)
    of = found.value if isinstance(found, Const) and found is not operand else None
    if not isinstance(of, Iterator | Zipped):
        return found
    if isinstance(of, Iterator) and of.position == 0 and not of.together:
        return of.base
    return lowerer.inline(of_items.items_gone_through, (found,), {}, node)


def as_it_changes(
    lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call
) -> Operand:
    """What a loop goes through whose body changes it: a list or an array, whose items it takes one by one."""
    found = gone_through(lowerer, args[0], node)
    if found is args[0]:
        return found
    of = found.value if isinstance(found, Const) else None
    cls = own_class(lowerer, args[0])
    if hasattr(cls, "__library__") or not isinstance(of, Iterator) or of.position != 0:
        what = ast.unparse(node.args[0])
        message = f"`{what}` is changed while a loop runs over it"
        raise lowerer.refuse("BS109", message, node, f"loop over a copy, for item in list({what})")
    return of.base


def place_of(lowerer: Lowerer, node: ast.AST) -> Loc:
    """The place of a loop or an expression, the same in each round of lowering."""
    return dataclasses.replace(lowerer.loc(node), statement="")


def generator_at(lowerer: Lowerer, node: ast.AST) -> object | None:
    """The generator method that an earlier round found to give the items of an expression; None of any other."""
    facts = [fact for fact in lowerer.context.expansions.objects if fact[0] == "generator"]
    place = place_of(lowerer, node) if facts and isinstance(node, ast.expr) else None
    return next((fact[2] for fact in facts if fact[1] == place), None)


def with_methods(lowerer: Lowerer, node: ast.expr, free: Callable[[str], str]) -> ast.expr:
    """What a loop runs over, with calls of the generator methods that give its items; `free` finds names for these."""
    own = generator_at(lowerer, node)
    if own is not None:
        name = free("iterate")
        lowerer.frame.env[name] = Const(own)
        return placed_at(ast.Call(ast.Name(name, ast.Load()), [node], []), node)
    if isinstance(node, ast.Call) and any(generator_at(lowerer, each) for each in node.args):
        lowerer.frame.env[".list"] = Const(list)
        args = [
            with_methods(lowerer, each, free) if generator_at(lowerer, each) else _whole(each)
            for each in node.args
        ]
        return ast.copy_location(ast.Call(node.func, args, node.keywords), node)
    return node


def _whole(node: ast.expr) -> ast.expr:
    """What stands beside a generator: a list where a variable may hold any object."""
    if not isinstance(node, ast.Name | ast.Attribute):
        return node
    return placed_at(ast.Call(ast.Name(".list", ast.Load()), [node], []), node)


def is_generator_method(method: object) -> bool:
    """Whether a method has `yield`."""
    return yields(method.node) if isinstance(method, Inner) else is_generator_function(method)


def yields(definition: ast.AST) -> bool:
    """Whether a definition is that of a generator function."""
    own = own_nodes(definition.body) if isinstance(definition, ast.FunctionDef) else ()
    return any(isinstance(part, ast.Yield | ast.YieldFrom) for part in own)


def generator_of(thing: object) -> object | None:
    """The generator function that a thing is, or that says what an iterator of `itertools` gives; None for other things."""
    text = meaning_of(thing) if getattr(thing, "__module__", None) == "itertools" else thing
    return text if is_generator_function(text) else None


def is_generator_call(lowerer: Lowerer, node: ast.expr) -> bool:
    """Whether an expression calls a generator function by its name, also one that the function defines."""
    match node:
        case ast.Call(func=ast.Name(id=name)):
            found = lowerer.find(name, lowerer.frame)
            thing = found.value if isinstance(found, Const) else None
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)):
            found = lowerer.find(name, lowerer.frame)
            base = found.value if isinstance(found, Const) else None
            thing = getattr(base, attr, None) if isinstance(base, ModuleType) else None
        case _:
            return False
    return yields(thing.node) if isinstance(thing, Inner) else generator_of(thing) is not None
