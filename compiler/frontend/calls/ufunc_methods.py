"""Lower methods of ufuncs, such as `np.add.reduce` and `np.add.at`, to functions that mean the same."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from backsweep.frontend.calls.inlining import inline
from backsweep.frontend.calls.library import expanded, library_call
from backsweep.frontend.constructs.comprehensions import arrays_of_lists
from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.context.scope import known_elements
from backsweep.ir.nodes import Const, Operand
from backsweep.runtime.overloads.ufuncs import (
    AT,
    OUTER,
    REDUCEAT,
    REDUCTIONS,
    SCANS,
    accumulated_by,
    reduced_by,
)

REMEDIES = {
    "at": "write the loop, as in `for k in range(index.size): a[index[k]] = f(a[index[k]], values[k])`",
    "outer": "add an axis, as in `np.maximum(x[:, None], y)`",
    "reduceat": "write the loop, as in `for k in range(start.size): y[k] = np.sum(x[start[k]:stop[k]])`",
}
"""What works in place of a method of a ufunc."""


def ufunc_method(
    lowerer: Lowerer, method: Any, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    """The operand for a call of a method of a ufunc; refuses a method that has no other spelling."""
    ufunc: np.ufunc = method.__self__
    if method.__name__ in ("reduce", "accumulate"):
        args = arrays_of_lists(lowerer, np.sum, args, node)
    if method.__name__ in ("outer", "reduceat"):
        args = tuple(_positions(lowerer, each, node) for each in args)
    match method.__name__:
        case "reduce" if ufunc in REDUCTIONS and len(args) <= 2:
            return library_call(lowerer, REDUCTIONS[ufunc], args, _along_the_first(args, keywords), node)
        case "accumulate" if ufunc in SCANS and len(args) <= 2:
            return library_call(lowerer, SCANS[ufunc], args, _along_the_first(args, keywords), node)
        case "reduce" | "accumulate" if ufunc.nin == 2 and _is_along_the_first(args, keywords):
            made = reduced_by if method.__name__ == "reduce" else accumulated_by
            return inline(lowerer, made(ufunc), args[:1], {}, node)
        case "reduce" | "accumulate" if ufunc.nin == 2 and (axis := _one_axis(args, keywords)) is not None:
            made = reduced_by if method.__name__ == "reduce" else accumulated_by
            turned = lowerer.call(Const(np.moveaxis), (args[0], Const(axis), Const(0)), {}, node)
            scanned = inline(lowerer, made(ufunc), (turned,), {}, node)
            if method.__name__ == "reduce":
                return scanned
            return lowerer.call(Const(np.moveaxis), (scanned, Const(0), Const(axis)), {}, node)
        case "outer" if ufunc in OUTER and len(args) == 2 and not keywords:
            found = expanded(lowerer, OUTER[ufunc], args, {}, node, is_sure=True)
            if found is not None:
                return found
        case "reduceat" if ufunc in REDUCEAT and (axis := _axis_of(args[2:], keywords)) is not None:
            turned = lowerer.call(Const(np.moveaxis), (args[0], Const(axis), Const(0)), {}, node)
            found = expanded(lowerer, REDUCEAT[ufunc], (turned, args[1]), {}, node, is_sure=True)
            if found is not None:
                return lowerer.call(Const(np.moveaxis), (found, Const(0), Const(axis)), {}, node)
        case "at" if ufunc in AT and len(args) == 1 + ufunc.nin:
            given = (
                args[0],
                _positions(lowerer, args[1], node),
                *(_positions(lowerer, each, node) for each in args[2:]),
            )
            found = expanded(lowerer, AT[ufunc], given, keywords, node, is_sure=True)
            if found is not None:
                return Const(None)
        case _:
            pass
    message = f"`{ast.unparse(node.func)}` is a method of a ufunc, which Numba does not compile"
    remedy = REMEDIES.get(
        method.__name__, "write the loop, as in `for k in range(1, x.size): y[k] = f(y[k - 1], x[k])`"
    )
    raise lowerer.refuse("BS109", message, node.func, remedy)


def _positions(lowerer: Lowerer, operand: Operand, node: ast.Call) -> Operand:
    """The positions as an array where they are a list display."""
    parts = known_elements(lowerer.context, operand)
    if parts is None or operand not in lowerer.context.lists:
        return operand
    return lowerer.apply(np.array, (lowerer.make_tuple(parts, node),), node)


def _along_the_first(args: tuple[Operand, ...], keywords: Keywords) -> Keywords:
    """The keywords with the axis that the method takes where none is named."""
    return keywords if len(args) > 1 or "axis" in keywords else {**keywords, "axis": Const(0)}


def _one_axis(args: tuple[Operand, ...], keywords: Keywords) -> int | None:
    """The axis that the call names, if it asks for nothing else."""
    named = [*args[1:], *keywords.values()]
    axis = named[0].value if len(named) == 1 and isinstance(named[0], Const) else None
    return axis if keywords.keys() <= {"axis"} and type(axis) is int else None


def _axis_of(given: tuple[Operand, ...], keywords: Keywords) -> int | None:
    """The axis that a call names, or the first one, if it asks for nothing else."""
    return 0 if not given and not keywords else _one_axis((Const(None), *given), keywords)


def _is_along_the_first(args: tuple[Operand, ...], keywords: Keywords) -> bool:
    """Whether the call goes along the first axis and asks for nothing else."""
    named = [*args[1:], *keywords.values()]
    return keywords.keys() <= {"axis"} and all(isinstance(each, Const) and each.value == 0 for each in named)
