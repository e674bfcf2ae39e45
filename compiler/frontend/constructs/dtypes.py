"""Questions about dtypes, which are answered while compiling: `np.issubdtype(x.dtype, np.floating)`, `x.dtype == np.float64`."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from backsweep.frontend.constructs.kinds import asked_type, dtype_of
from backsweep.frontend.context.lowerer import Keywords, Lowerer, Special
from backsweep.frontend.context.scope import known_elements
from backsweep.ir.nodes import Const, Operand, Value
from backsweep.ir.types import Array


def _answered(function: Callable[..., object]) -> Special:
    """The special lowering of a function of dtypes: its result is a constant."""

    def special(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
        named = [_named(lowerer, each, node) for each in args]
        given = {name: _named(lowerer, each, node) for name, each in keywords.items()}
        if any(each is None for each in (*named, *given.values())):
            message = (
                f"`{ast.unparse(node.func)}` is asked of something other than arrays, dtypes and constants"
            )
            raise lowerer.refuse("BS115", message, node, "ask it of the dtype of an array, as in x.dtype")
        try:
            return Const(function(*named, **given))
        except TypeError as error:
            raise lowerer.refuse(
                "BS113", f"`{ast.unparse(node.func)}` fails: {error}", node, "name a dtype"
            ) from None

    return special


def _named(lowerer: Lowerer, operand: Operand, node: ast.AST) -> object:
    """What an operand is or names, as NumPy's functions of dtypes take it; None if it is not known."""
    parts = known_elements(lowerer.context, operand)
    if parts is not None:
        found = [_named(lowerer, each, node) for each in parts]
        return None if None in found else tuple(found)
    if isinstance(operand, Const):
        return operand.value
    if operand not in lowerer.context.dtypes and not isinstance(asked_type(lowerer, operand, node), Array):
        return None  # a number: NumPy tells Python's from its own, compiled code does not
    return dtype_of(lowerer, operand, node)


def _common_type(*dtypes: np.dtype[Any]) -> type:
    """`np.common_type` of arrays of these dtypes."""
    found: type = np.common_type(*(np.empty(0, dtype) for dtype in dtypes))
    return found


ANSWERED: Mapping[object, Special] = {
    function: _answered(function)
    for function in (np.issubdtype, np.can_cast, np.result_type, np.promote_types, np.isdtype)
} | {np.common_type: _answered(_common_type)}

_COMPARED: Mapping[type[ast.cmpop], Callable[[object, object], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


def compared_dtypes(
    lowerer: Lowerer, left: Operand, op: ast.cmpop, right: Operand, node: ast.AST
) -> bool | None:
    """The outcome of `x.dtype == np.float64` and its like; None for another comparison."""
    is_asked = any(isinstance(each, Value) and each in lowerer.context.dtypes for each in (left, right))
    if not is_asked or type(op) not in _COMPARED:
        return None
    one, other = (_named(lowerer, each, node) for each in (left, right))
    return None if one is None or other is None else _COMPARED[type(op)](one, other)
