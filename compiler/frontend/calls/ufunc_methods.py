"""Lower methods of ufuncs, such as `np.add.reduce` and `np.add.at`, to functions that mean the same."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import EllipsisType
from typing import Any

import numpy as np

from backsweep.frontend.calls.inlining import inline
from backsweep.frontend.calls.library import expanded, library_call
from backsweep.frontend.constructs.comprehensions import arrays_of_lists
from backsweep.frontend.constructs.kinds import asked_type
from backsweep.frontend.context.inner_text import run_text
from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.context.scope import KnownTuple, known_elements
from backsweep.ir.nodes import Const, Operand, Slice
from backsweep.ir.types import Array
from backsweep.runtime.overloads.ufuncs import (
    AT,
    OUTER,
    REDUCEAT,
    REDUCTIONS,
    SCANS,
    accumulated_by,
    reduced_by,
)

SIGNS: Mapping[np.ufunc, str] = {np.add: "+", np.subtract: "-", np.multiply: "*", np.divide: "/"}
"""The operators that stand for ufuncs."""


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
            values = (_positions(lowerer, each, node) for each in args[2:])
            given = (args[0], _index(lowerer, args[0], args[1], node), *values)
            found = expanded(lowerer, AT[ufunc], given, keywords, node, is_sure=True)
            if found is not None:
                return Const(None)
        case _:
            pass
    message = f"`{ast.unparse(node.func)}` is a method of a ufunc, which Numba does not compile"
    raise lowerer.refuse("BS109", message, node.func, _instead(method, keywords))


def _instead(method: Any, keywords: Keywords) -> str:
    """What to write instead of a method of a ufunc that has no other spelling here."""
    ufunc: np.ufunc = method.__self__
    called = f"np.{ufunc.__name__}"
    sign = SIGNS.get(ufunc)
    match method.__name__:
        case "at":
            entry, value = "a[index[k]]", "values[k]"
            stored = f"{entry} {sign}= {value}" if sign else f"{entry} = {called}({entry}, {value})"
            return f"write the loop, as in `for k in range(index.size): {stored}`"
        case "reduceat":
            return f"write the loop, as in `for k in range(start.size): y[k] = {called}.reduce(a[start[k]:stop[k]])`"
        case "reduce" if "axis" in keywords:
            return (
                f"reduce along one axis at a time, as in {called}.reduce({called}.reduce(a, axis=1), axis=0)"
            )
        case name:
            return f"call it with the arrays alone, {called}.{name}(...), and convert or store the result"


def _positions(lowerer: Lowerer, operand: Operand, node: ast.Call) -> Operand:
    """The positions as an array where they are a list display."""
    parts = known_elements(lowerer.context, operand)
    if parts is None or operand not in lowerer.context.lists:
        return operand
    return lowerer.apply(np.array, (lowerer.make_tuple(parts, node),), node)


def _index(lowerer: Lowerer, array: Operand, operand: Operand, node: ast.Call) -> Operand:
    """The index of `at`. Slices and dots exist only while compiling: a slice becomes a tuple of its positions, of none if it is whole."""
    parts = known_elements(lowerer.context, operand)
    if parts is None or operand in lowerer.context.lists:
        parts = (operand,)
    if not any(isinstance(part, Const) and isinstance(part.value, Slice | EllipsisType) for part in parts):
        made = tuple(_positions(lowerer, part, node) for part in parts)
        return made[0] if parts == (operand,) else lowerer.make_tuple(made, node)
    type_ = asked_type(lowerer, array, node)
    left = (type_.ndim if isinstance(type_, Array) else 0) - sum(_axes(lowerer, part, node) for part in parts)
    found: list[Operand] = []
    axis = 0
    for part in parts:
        match part:
            case Const(value=EllipsisType()):
                found += [Const(KnownTuple(()))] * left
                axis += left
                continue
            case Const(value=Slice(None, None, None)):
                found.append(Const(KnownTuple(())))
            case Const(value=Slice()):
                hidden = {".arange": Const(np.arange), ".a": array, ".part": part}
                text = f"return _arange(_a.shape[{axis}])[_part]"
                found.append(Const(KnownTuple((run_text(lowerer, "positions", text, hidden, node),))))
            case _:
                found.append(_positions(lowerer, part, node))
        axis += _axes(lowerer, part, node)
    return lowerer.make_tuple(tuple(found), node)


def _axes(lowerer: Lowerer, part: Operand, node: ast.Call) -> int:
    """How many axes of the array a part of an index goes along."""
    if isinstance(part, Const) and (part.value is None or part.value is Ellipsis):
        return 0
    if (isinstance(part, Const) and isinstance(part.value, Slice)) or part in lowerer.context.lists:
        return 1
    type_ = asked_type(lowerer, part, node)
    return type_.ndim if isinstance(type_, Array) and np.dtype(type_.dtype) == bool else 1


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
