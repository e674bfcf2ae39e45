"""Lower calls that stay nodes: library functions and builtins that Numba compiles."""

from __future__ import annotations

import ast
import operator
from collections.abc import Collection
from typing import Any

import numpy as np

from backsweep.dispatch.inference import is_overloaded
from backsweep.frontend.constructs.kinds import asked_type, local_type
from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.context.scope import known_elements
from backsweep.frontend.instances.early import designed
from backsweep.ir.nodes import Const, Dots, Operand, Value, is_none
from backsweep.ir.types import Array, Scalar
from backsweep.reading.names import has_rule


def primitive(
    lowerer: Lowerer, function: Any, args: tuple[Operand, ...], keywords: Keywords, node: ast.AST
) -> Operand:
    """Lower a call that stays a node; list displays become tuples, and `out=` becomes a store."""
    if function in (float, complex, int) and len(args) == 1 and isinstance(args[0], Const):
        if isinstance(args[0].value, str):
            try:
                return Const(function(args[0].value))
            except ValueError as error:
                message = f"`{ast.unparse(node)}` raises ValueError: {error}"
                raise lowerer.refuse("BS115", message, node, "leave strings to the caller") from None
    if function in (float, complex, int) and len(args) == 1 and not keywords:
        args = (_of_no_axes(lowerer, args[0], node),)
    if function is float and len(args) == 1 and args[0] in lowerer.context.booleans:
        return lowerer.apply(operator.mul, (args[0], Const(1.0)), node)  # Numba has no float(bool)
    if (known := designed(lowerer, function, args, keywords, node)) is not None:
        return known
    module = getattr(function, "__module__", None) or ""
    if module.partition(".")[0] == "scipy" and not has_rule(function) and not is_overloaded(function):
        message = f"`{ast.unparse(node.func) if isinstance(node, ast.Call) else module}` has no derivative rule, and Numba does not compile it"
        if module.startswith("scipy.sparse"):
            remedy = "keep rows and columns around the function and the entries in an array: np.add.at(y, rows, entries * x[columns]) is the product, scipy.linalg.solve_banded solves systems with bands, np.linalg.solve others"
            raise lowerer.refuse("BS202", message, node, remedy)
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
    if isinstance(function, np.ufunc) and named:
        operands, named = _without_options(lowerer, function, operands, named, node)
    if isinstance(function, np.ufunc) and len(operands) == function.nin + 1:
        *inputs, out = operands
        operands = tuple(inputs)
    result = lowerer.apply(function, operands, node, named)
    if function is bool:
        lowerer.context.booleans.add(result)
    if out is None or is_none(out):
        return result
    parts = known_elements(lowerer.context, out)
    return stored_in(lowerer, parts[0] if parts else out, result, node)


def _of_no_axes(lowerer: Lowerer, operand: Operand, node: ast.AST) -> Operand:
    """The entry of an array that has no axes, of which Numba makes no number; any other operand itself."""
    if isinstance(operand, Const) and isinstance(operand.value, np.ndarray) and operand.value.ndim == 0:
        return Const(operand.value[()])
    type_ = local_type(lowerer.context, operand) if isinstance(operand, Value) else None
    if not isinstance(type_, Array) or type_.ndim > 0:
        return operand
    return lowerer.builder.load(operand, (), loc=lowerer.loc(node))


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


_OF_NO_NUMBER: dict[str, Collection[object]] = {
    "subok": (True, False),
    "order": ("K", "C", "A"),
    "casting": ("same_kind", "unsafe"),
}
"""Options of ufuncs, and with which values they change no number of the result."""


def _without_options(
    lowerer: Lowerer,
    function: np.ufunc,
    operands: tuple[Operand, ...],
    named: dict[str, Operand],
    node: ast.AST,
) -> tuple[tuple[Operand, ...], dict[str, Operand]]:
    """The operands and options of a ufunc: options that change no number go, and `dtype=` converts the operands first."""
    kept = {
        name: each
        for name, each in named.items()
        if not (isinstance(each, Const) and each.value in _OF_NO_NUMBER.get(name, ()))
    }
    dtype = kept.pop("dtype", None)
    if dtype is None or is_none(dtype):
        return operands, kept
    made = np.dtype(dtype.value) if isinstance(dtype, Const) else None
    if (
        made is None
        or made.kind not in "fc"
        or f"{made.char * function.nin}->{made.char}" not in function.types
    ):
        return operands, named
    converted = []
    for each in operands[: function.nin]:
        type_ = asked_type(lowerer, each, node)
        if not isinstance(type_, Array | Scalar) or (made.kind == "f" and "complex" in type_.dtype):
            return operands, named
        is_array = isinstance(type_, Array)
        change = np.ndarray.astype if is_array else made.type
        of = (each, Const(made.type)) if is_array else (each,)
        converted.append(each if type_.dtype == made.name else lowerer.apply(change, of, node))
    return (*converted, *operands[function.nin :]), kept


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
    operands, named = _without_options(lowerer, function, operands, named, node)
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
