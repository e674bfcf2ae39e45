"""Run functions of constants while compiling, as windows, designs of filters, nodes of quadrature and interpolants."""

from __future__ import annotations

import ast
import inspect
from typing import Any

import numpy as np

from backsweep.dispatch.inference import is_overloaded
from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.context.scope import known_object
from backsweep.ir.nodes import Const, Operand
from backsweep.prelude.declare import meaning_of
from backsweep.reading.names import has_rule, is_data, wrap
from backsweep.reading.outside import LARGEST_CONSTANT

DESIGNS = ("scipy.signal", "scipy.special", "scipy.linalg", "numpy.polynomial")
"""Packages whose functions depend on nothing but their arguments, unless they take a source of random numbers."""
Known = tuple[list[Any], dict[str, Any]]
"""The arguments of a call."""


def all_known(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords) -> Known | None:
    """The arguments of a call, if all of them are constants, arrays among them."""
    found = [known_object(lowerer.context, each) for each in (*args, *keywords.values())]
    things = [each[0] for each in found if each is not None]
    if len(things) < len(found) or not all(map(_is_constant, things)):
        return None
    return things[: len(args)], dict(zip(keywords, things[len(args) :], strict=True))


def _is_constant(thing: Any) -> bool:
    if isinstance(thing, tuple | list):
        return all(map(_is_constant, thing))
    if isinstance(thing, np.ndarray):  # a larger one is read in place, as it is when the program runs
        return thing.nbytes <= LARGEST_CONSTANT
    return thing is None or thing is ... or is_data(thing)


def run_early(lowerer: Lowerer, function: Any, known: Known, node: ast.AST) -> Any:
    """What a function gives for constants, while compiling."""
    args, keywords = known
    try:
        return function(*args, **keywords)
    except (ArithmeticError, TypeError, ValueError, RuntimeError) as error:
        called = _name_of(function)
        if lowerer.frame.fixed is None and isinstance(node, ast.Call):
            called = ast.unparse(node.func)
        message = f"`{called}` of these constants raises {type(error).__name__}: {error}"
        raise lowerer.refuse("BS113", message, node, "give the arguments that it takes") from None


def as_constant(found: Any, function: Any) -> Operand:
    """What a function gave, as it is; an array has the function's name."""
    return wrap(found, _name_of(function).lstrip("_") if isinstance(found, np.ndarray) else "")


def _name_of(function: Any) -> str:
    """The name of a function, or of the class of what is called."""
    return getattr(function, "__name__", type(function).__name__)


def designed(
    lowerer: Lowerer, function: Any, args: tuple[Operand, ...], keywords: Keywords, node: ast.AST
) -> Operand | None:
    """What a library's function of numbers and options gives that are written out, which nothing else computes; None for others."""
    module = getattr(function, "__module__", None) or ""
    has_text = is_overloaded(function) and meaning_of(function) is None
    if not module.startswith(DESIGNS) or has_rule(function) or has_text or _draws(function):
        return None
    return computed_here(lowerer, function, args, keywords, node)


def computed_here(
    lowerer: Lowerer, function: Any, args: tuple[Operand, ...], keywords: Keywords, node: ast.AST
) -> Operand | None:
    """What a function gives for numbers and options that are written out; None for others. Arrays are copied: the program may write."""
    known = all_known(lowerer, args, keywords)
    if (
        known is None
        or not (args or keywords)
        or not all(map(_is_written_out, (*known[0], *known[1].values())))
    ):
        return None
    return _as_values(lowerer, run_early(lowerer, function, known, node), function.__name__, node)


def _is_written_out(thing: object) -> bool:
    """Whether a thing is a number, a string, None, an ellipsis or a tuple of these, and no array of the caller's, which may change."""
    if isinstance(thing, tuple):
        return all(map(_is_written_out, thing))
    return thing is None or thing is ... or isinstance(thing, bool | int | float | complex | str | np.number)


def _draws(function: Any) -> bool:
    """Whether a function draws random numbers, so that each call gives others."""
    try:
        names = inspect.signature(function).parameters
    except ValueError:  # it is compiled, and does not tell
        return True
    return not {"rng", "seed", "random_state"}.isdisjoint(names)


def _as_values(lowerer: Lowerer, found: Any, name: str, node: ast.AST) -> Operand | None:
    """The operand for a result: a number, a string, an array, or a tuple of these; None for another."""
    if isinstance(found, tuple | list):
        items = [_as_values(lowerer, each, name, node) for each in found]
        known = tuple(each for each in items if each is not None)
        return None if len(known) < len(items) else lowerer.make_tuple(known, node)
    if isinstance(found, bool | int | float | complex | np.number | str):
        return Const(found.item() if isinstance(found, np.number) else found)
    if isinstance(found, np.ndarray) and found.dtype.kind in "biufc" and found.ndim > 0:
        constant = Const(np.ascontiguousarray(found), name)
        return lowerer.apply(np.copy, (constant,), node)
    return None
