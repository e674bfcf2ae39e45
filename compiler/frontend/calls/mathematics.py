"""Lower functions of `math` that Numba lacks, or whose result it does not take apart, to NumPy's of the same meaning."""

from __future__ import annotations

import ast
import functools
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from backsweep.frontend.calls.library import library_call
from backsweep.frontend.calls.primitives import primitive
from backsweep.frontend.constructs.comprehensions import product
from backsweep.frontend.constructs.kinds import local_type
from backsweep.frontend.context.lowerer import Keywords, Lowerer, Special
from backsweep.frontend.context.scope import known_elements
from backsweep.ir.nodes import Const, Operand
from backsweep.ir.types import Scalar, is_float


def _as_float(lowerer: Lowerer, operand: Operand, node: ast.Call) -> Operand:
    """The operand as a float: functions of `math` take whole numbers for floats."""
    kind = local_type(lowerer.context, operand)
    if isinstance(operand, Const) and isinstance(operand.value, int) and not operand.name:
        return Const(float(operand.value))
    return operand if isinstance(kind, Scalar) and is_float(kind) else lowerer.apply(float, (operand,), node)


def _by_numpys(function: Callable[..., Any]) -> Special:
    """Lower a call to NumPy's function of the same name, with its operands as floats."""

    def special(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
        floats = tuple(_as_float(lowerer, arg, node) for arg in args)
        return library_call(lowerer, function, floats, keywords, node)

    return special


def _log(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """`math.log(x, base)` is a quotient, in Python too."""
    if len(args) != 2:
        return primitive(lowerer, math.log, args, keywords, node)
    x, base = (lowerer.apply(math.log, (_as_float(lowerer, arg, node),), node) for arg in args)
    return lowerer.apply(operator.truediv, (x, base), node)


def _prod(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """`math.prod` of a tuple is a product of its items, of an array `np.prod`."""
    parts = known_elements(lowerer.context, args[0]) if args else None
    if args and (keywords or lowerer.context.is_list(args[0])):
        return product(lowerer, args, keywords, node)
    if parts is None or keywords:
        return primitive(lowerer, np.prod if args and not keywords else math.prod, args, keywords, node)
    return functools.reduce(
        lambda total, part: lowerer.apply(operator.mul, (total, part), node), parts or (Const(1),)
    )


OF_MATH: Mapping[object, Special] = {
    math.frexp: _by_numpys(np.frexp),
    math.modf: _by_numpys(np.modf),
    math.fmod: _by_numpys(np.fmod),
    math.log: _log,
    math.prod: _prod,
    **({math.cbrt: _by_numpys(np.cbrt)} if hasattr(math, "cbrt") else {}),
}
"""The functions, each with what lowers its calls."""
