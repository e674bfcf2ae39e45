"""Lower functions of `math` that Numba lacks, or whose result it does not take apart, to NumPy's of the same meaning."""

from __future__ import annotations

import ast
import functools
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from backsweep.frontend.calls.library import library_call
from backsweep.frontend.calls.primitives import primitive
from backsweep.frontend.constructs.comprehensions import product
from backsweep.frontend.constructs.kinds import local_type
from backsweep.frontend.context.inner_text import BUILTINS, run_text
from backsweep.frontend.context.lowerer import Keywords, Lowerer, Special
from backsweep.frontend.context.scope import known_elements
from backsweep.ir.nodes import Const, Operand
from backsweep.ir.types import Array, Scalar, is_float
from backsweep.runtime.plain.numbers import hypotenuse


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


def _hypot(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """Lower `math.hypot` of two coordinates to the function itself, of others to several calls of it."""
    if len(args) == 2:
        return primitive(lowerer, math.hypot, args, keywords, node)
    return lowerer.inline(hypotenuse, args, keywords, node)


def _divmod(lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call) -> Operand:
    quotient = lowerer.apply(operator.floordiv, args, node)
    return lowerer.make_tuple((quotient, lowerer.apply(operator.mod, args, node)), node)


_FACTORIAL = """
if _n < 0:
    raise _error("factorial() not defined for negative values")
if _n > 20:
    raise _overflow("math.factorial of a number over 20 is no 64-bit number: use math.gamma(n + 1.0)")
found = 1
for k in _range(2, _n + 1):
    found = found * k
return found
"""
_COMB = """
if _n < 0 or _k < 0:
    raise _error("n must be a non-negative integer, and k too")
if _k > _n:
    return 0
if _n > 60:
    raise _overflow("math.comb of a number over 60 may be no 64-bit number: use math.lgamma")
found = 1
for i in _range(1, _k + 1):
    found = found * (_n - _k + i) // i
return found
"""


_ISCLOSE = """
if _a == _b:
    return True
if _isinf(_a) or _isinf(_b):
    return False
return _abs(_a - _b) <= _max(_rel * _max(_abs(_a), _abs(_b)), _limit)
"""


def _isclose(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """Lower `math.isclose` to the comparison that it is."""
    if len(args) != 2 or set(keywords) - {"rel_tol", "abs_tol"}:
        return primitive(lowerer, math.isclose, args, keywords, node)
    a, b = (_as_float(lowerer, arg, node) for arg in args)
    limits = {".rel": keywords.get("rel_tol", Const(1e-9)), ".limit": keywords.get("abs_tol", Const(0.0))}
    functions = {".isinf": Const(math.isinf), ".abs": Const(abs), ".max": Const(max)}
    return run_text(lowerer, "isclose", _ISCLOSE, {".a": a, ".b": b, **limits, **functions}, node)


def _written(name: str, text: str, parameters: Sequence[str]) -> Special:
    """Lower a call by the text of a function of whole numbers; of constants it is computed here."""
    function = getattr(math, name)

    def special(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
        if len(args) != len(parameters) or keywords:
            return primitive(lowerer, function, args, keywords, node)
        kinds = [local_type(lowerer.context, arg) for arg in args]
        if any(isinstance(kind, Array) or (isinstance(kind, Scalar) and is_float(kind)) for kind in kinds):
            message = f"`math.{name}` takes whole numbers"
            raise lowerer.refuse("BS113", message, node, "use math.gamma for numbers in between")
        hidden = {**BUILTINS, ".overflow": Const(OverflowError)}
        return run_text(lowerer, name, text, {**hidden, **dict(zip(parameters, args, strict=True))}, node)

    return _known(function, special)


def _known(function: Callable[..., Any], otherwise: Special) -> Special:
    """Compute a function of constants while compiling, where it gives a number of 64 bits."""

    def special(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
        values = [arg.value for arg in args if isinstance(arg, Const)]
        if len(values) == len(args) and not keywords and all(type(each) in (int, float) for each in values):
            try:
                found = function(*values)
            except (TypeError, ValueError, OverflowError):
                return otherwise(lowerer, args, keywords, node)
            if isinstance(found, float) or abs(found) < 2**63:
                return Const(found)
        return otherwise(lowerer, args, keywords, node)

    return special


OF_MATH: Mapping[object, Special] = {
    math.hypot: _hypot,
    divmod: _divmod,
    math.frexp: _by_numpys(np.frexp),
    math.modf: _by_numpys(np.modf),
    math.fmod: _by_numpys(np.fmod),
    math.log: _log,
    math.prod: _prod,
    math.isclose: _isclose,
    math.factorial: _written("factorial", _FACTORIAL, (".n",)),
    math.comb: _written("comb", _COMB, (".n", ".k")),
    **({math.exp2: _by_numpys(np.exp2)} if hasattr(math, "exp2") else {}),
    **({math.cbrt: _by_numpys(np.cbrt)} if hasattr(math, "cbrt") else {}),
}
"""The functions, each with what lowers its calls."""
