"""Lower calls that stay nodes: library functions and builtins that Numba compiles."""

from __future__ import annotations

import ast
import inspect
import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from backsweep.dispatch.inference import is_overloaded
from backsweep.frontend.constructs.kinds import asked_type
from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.context.scope import known_elements, known_object
from backsweep.ir.nodes import Const, Dots, Operand, Value, is_none
from backsweep.ir.types import Array, Scalar
from backsweep.reading.names import has_rule

OUT_AT: Mapping[Any, int] = {np.dot: 2, np.outer: 2, np.round: 2, np.around: 2, np.clip: 3}
"""The number of operands before `out`; for a ufunc this is the number of its inputs."""


def primitive(
    lowerer: Lowerer, function: Any, args: tuple[Operand, ...], keywords: Keywords, node: ast.AST
) -> Operand:
    """Lower a call that stays a node; list displays become tuples, and `out=` becomes a store."""
    if function in (float, complex, int) and len(args) == 1 and isinstance(args[0], Const):
        if isinstance(args[0].value, str):
            return Const(function(args[0].value))
    if function is float and len(args) == 1 and args[0] in lowerer.context.booleans:
        return lowerer.apply(operator.mul, (args[0], Const(1.0)), node)  # Numba has no float(bool)
    if _is_design(function) and (known := computed_here(lowerer, function, args, keywords, node)) is not None:
        return known
    module = getattr(function, "__module__", None) or ""
    if module.partition(".")[0] == "scipy" and not has_rule(function) and not is_overloaded(function):
        message = f"`{ast.unparse(node.func) if isinstance(node, ast.Call) else module}` has no derivative rule, and Numba does not compile it"
        remedy = "write it with functions from docs/rules.md, or have Python run it with bs.pure_python, and declare its derivative with bs.rule"
        raise lowerer.refuse("BS202", message, node, remedy)
    if module.startswith("numpy.ma"):
        message = f"`{ast.unparse(node.func) if isinstance(node, ast.Call) else module}` works with masked arrays, which Numba does not compile"
        remedy = "use the numbers and the mask as two arrays, as in np.sum(np.where(mask, 0.0, x)) or np.sum(x[~mask])"
        raise lowerer.refuse("BS109", message, node, remedy)
    operands = plain_operands(lowerer, args, node)
    named = dict(zip(keywords, plain_operands(lowerer, tuple(keywords.values()), node), strict=True))
    out = named.pop("out", None)
    if isinstance(function, np.ufunc) and "where" in named:
        return _where_selected(lowerer, function, operands, named, out, node)
    count = function.nin if isinstance(function, np.ufunc) else OUT_AT.get(function)
    if count is not None and len(operands) == count + 1:
        *inputs, out = operands
        operands = tuple(inputs)
    result = lowerer.apply(function, operands, node, named)
    if function is bool:
        lowerer.context.booleans.add(result)
    if out is None or is_none(out):
        return result
    parts = known_elements(lowerer.context, out)
    return stored_in(lowerer, parts[0] if parts else out, result, node)


DESIGNS = ("scipy.signal", "scipy.special", "scipy.linalg", "numpy.polynomial")
"""Packages whose functions depend on nothing but their arguments, unless they take a source of random numbers."""


def _is_design(function: Any) -> bool:
    """Whether nothing but a call while compiling gives what a function gives, and a second call gives the same."""
    module = getattr(function, "__module__", None) or ""
    return (
        module.startswith(DESIGNS)
        and not has_rule(function)
        and not is_overloaded(function)
        and not _draws(function)
    )


def computed_here(
    lowerer: Lowerer, function: Any, args: tuple[Operand, ...], keywords: Keywords, node: ast.AST
) -> Operand | None:
    """What a function gives for numbers and options that are written out, as a window or the design of a filter; None for others.

    Arrays are copied, because the program may write into them.
    """
    given = [known_object(lowerer.context, each) for each in (*args, *keywords.values())]
    known = [each[0] for each in given if each is not None]
    if not given or len(known) < len(given) or not all(map(_is_written_out, known)):
        return None
    try:
        found = function(*known[: len(args)], **dict(zip(keywords, known[len(args) :], strict=True)))
    except (ArithmeticError, TypeError, ValueError) as error:
        called = ast.unparse(node.func) if isinstance(node, ast.Call) else function.__name__
        message = f"`{called}` of these numbers raises {type(error).__name__}: {error}"
        raise lowerer.refuse("BS113", message, node, "give the arguments that it takes") from None
    return _as_operand(lowerer, found, function.__name__, node)


def _is_written_out(thing: object) -> bool:
    """Whether a thing is a number, a string, None or a tuple of these, and no array of the caller's, which may change."""
    if isinstance(thing, tuple):
        return all(map(_is_written_out, thing))
    return thing is None or isinstance(thing, bool | int | float | complex | str | np.number)


def _draws(function: Any) -> bool:
    """Whether a function draws random numbers, so that each call gives others."""
    try:
        names = inspect.signature(function).parameters
    except ValueError:  # it is compiled, and does not tell
        return True
    return not {"rng", "seed", "random_state"}.isdisjoint(names)


def _as_operand(lowerer: Lowerer, found: Any, name: str, node: ast.AST) -> Operand | None:
    """The operand for a result: a number, an array, or a tuple of these; None for another."""
    if isinstance(found, tuple | list):
        items = [_as_operand(lowerer, each, name, node) for each in found]
        known = tuple(each for each in items if each is not None)
        return None if len(known) < len(items) else lowerer.make_tuple(known, node)
    if isinstance(found, bool | int | float | complex | np.number):
        return Const(found.item() if isinstance(found, np.number) else found)
    if isinstance(found, np.ndarray) and found.dtype.kind in "biufc" and found.ndim > 0:
        constant = Const(np.ascontiguousarray(found), name)
        return lowerer.apply(np.copy, (constant,), node)
    return None


def stored_in(lowerer: Lowerer, target: Operand, result: Operand, node: ast.AST) -> Value:
    """Store the result of a call in the array that is to hold it, and return that."""
    if not isinstance(target, Value):
        raise lowerer.refuse(
            "BS111",
            "`out=` is not an array that this function makes or gets",
            node,
            "assign the result instead",
        )
    lowerer.builder.store(target, (Dots(),), result, loc=lowerer.loc(node))
    return target


def _where_selected(
    lowerer: Lowerer,
    function: np.ufunc,
    operands: tuple[Operand, ...],
    named: dict[str, Operand],
    out: Operand | None,
    node: ast.AST,
) -> Operand:
    """Lower `ufunc(x, out=y, where=mask)`: elsewhere, `y` keeps what it holds, and the function gets numbers that nothing reads."""
    where = named.pop("where")
    if isinstance(where, Const) and where.value is True:
        return primitive(lowerer, function, operands, named if out is None else {**named, "out": out}, node)
    parts = known_elements(lowerer.context, out) if out is not None else None
    target = parts[0] if parts else out
    if not isinstance(target, Value) or len(operands) != function.nin or function.nout != 1:
        message = "`where=` of a ufunc leaves entries undefined if `out=` is not an array of this function's"
        remedy = "write np.divide(x, y, out=np.zeros_like(x), where=y != 0.0)"
        raise lowerer.refuse("BS111", message, node, remedy)
    chosen = tuple(
        lowerer.apply(np.where, (where, each, _of_its_kind(lowerer, each, node)), node) for each in operands
    )
    found = lowerer.apply(function, chosen, node, named)
    kept = lowerer.apply(np.where, (where, found, target), node)
    lowerer.builder.store(target, (Dots(),), kept, loc=lowerer.loc(node))
    return target


def _of_its_kind(lowerer: Lowerer, operand: Operand, node: ast.AST) -> Operand:
    """A number of the kind of an operand, for which few functions fail."""
    type_ = asked_type(lowerer, operand, node)
    kind = type_.dtype if isinstance(type_, Array | Scalar) else ""
    return Const(True) if kind == "bool" else Const(1) if "int" in kind else Const(0.5)


def plain_operands(lowerer: Lowerer, operands: tuple[Operand, ...], node: ast.AST) -> tuple[Operand, ...]:
    """The operands, with tuples in place of list displays, which NumPy functions treat alike."""
    return tuple(_plain(lowerer, operand, node) for operand in operands)


def _plain(lowerer: Lowerer, operand: Operand, node: ast.AST) -> Operand:
    """Replace a list display by the tuple of its items, which NumPy functions treat alike."""
    if not isinstance(operand, Value) or operand not in lowerer.context.elements:
        return operand
    parts = lowerer.context.elements[operand]
    plain = tuple(_plain(lowerer, part, node) for part in parts)
    if operand not in lowerer.context.lists and all(a is b for a, b in zip(parts, plain, strict=True)):
        return operand
    return lowerer.make_tuple(plain, node)
