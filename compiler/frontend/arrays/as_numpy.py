"""Calls of NumPy that Numba compiles to something else: in a plain function their arguments are brought to where the two agree."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from backsweep.frontend.constructs.kinds import asked_type
from backsweep.frontend.context.inner_text import run_text
from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.context.scope import known_elements
from backsweep.ir.nodes import Const, Operand, is_none
from backsweep.ir.types import Array, Scalar, Type

Given = tuple[tuple[Operand, ...], Keywords]
"""The arguments of a call, by position and by keyword."""


def with_numpys_arguments(
    lowerer: Lowerer, function: Any, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Given:
    """The arguments with which the call gives, where Numba compiles it, what NumPy gives for these."""
    source = lowerer.frame.source
    if function not in CHANGED or (source is not None and source.jitted):  # an `@njit` function is Numba's
        return args, keywords
    return CHANGED[function](lowerer, args, keywords, node)


def _clip(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Given:
    """`np.clip`: Numba's result has the dtype of the array, NumPy's that of the array and its bounds."""
    if not args or keywords or known_elements(lowerer.context, args[0]) is not None:
        return args, keywords
    type_ = asked_type(lowerer, args[0], node)
    if not isinstance(type_, Array):
        return args, keywords
    own = np.dtype(type_.dtype)
    bounds = [asked_type(lowerer, bound, node) for bound in args[1:3] if not is_none(bound)]
    wanted = np.result_type(own, *(each for bound in bounds for each in _promoting(bound)))
    if wanted == own:
        return args, keywords
    return (lowerer.call(Const(np.ndarray.astype), (args[0], Const(wanted.type)), {}, node), *args[1:]), {}


def _promoting(type_: Type) -> list[Any]:
    """What an operand of this type adds to the promotion of NumPy's: Python's numbers, which compiled code cannot tell, add their kind."""
    if isinstance(type_, Array):
        return [np.dtype(type_.dtype)]
    if isinstance(type_, Scalar):
        return [{"b": np.dtype(bool), "i": 0, "u": 0, "f": 0.0, "c": 0j}[np.dtype(type_.dtype).kind]]
    return []


def _covariance(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Given:
    """`np.cov` and `np.corrcoef`: Numba turns a vector that is one variable, and takes no matrix of one row beside another operand."""
    given = dict(zip(("first", "y", "rowvar"), args, strict=False)) | dict(keywords)
    first = given.get("first", given.get("m", given.get("x")))
    second, rowvar = given.get("y", Const(None)), given.get("rowvar", Const(True))
    if first is None or (is_none(second) and isinstance(rowvar, Const) and rowvar.value):
        return args, keywords
    if not isinstance(rowvar, Const):
        message = "whether the variables are rows or columns is known only when the program runs"
        raise lowerer.refuse("BS113", message, node, "write rowvar=True, or rowvar=False, in a branch each")
    named = {name: each for name, each in keywords.items() if name not in ("m", "x", "y", "rowvar")}
    first, ndim = _array_and_axes(lowerer, first, node)
    turned = "" if rowvar.value or ndim != 2 else ".T"
    if is_none(second):
        variables = lowerer.apply(np.transpose, (first,), node) if turned else first
        return (variables, Const(None), Const(True), *args[3:]), named
    second, other = _array_and_axes(lowerer, second, node)
    if max(ndim, other) != 2:
        return (first, second, Const(True), *args[3:]), named
    one, two = (
        f"_{name}[None, :]" if axes == 1 else f"_{name}" for name, axes in (("a", ndim), ("b", other))
    )
    text = f"return _join(({one}{turned}, {two}))"
    if other == 2 and not rowvar.value:
        text = f"if _b.shape[0] == 1:\n    {text}\nreturn _join(({one}{turned}, _b.T))"
    hidden: dict[str, Operand] = {".a": first, ".b": second, ".join": Const(np.concatenate)}
    rows = run_text(lowerer, "variables", text, hidden, node)
    return (rows, Const(None), Const(True), *args[3:]), named


def _array_and_axes(lowerer: Lowerer, operand: Operand, node: ast.Call) -> tuple[Operand, int]:
    """The operand, a list as an array, and how many axes it has."""
    if known_elements(lowerer.context, operand) is not None:
        operand = lowerer.call(Const(np.array), (operand,), {}, node)
    type_ = asked_type(lowerer, operand, node)
    return operand, type_.ndim if isinstance(type_, Array) else 0


Change = Callable[[Lowerer, tuple[Operand, ...], Keywords, ast.Call], Given]
CHANGED: Mapping[Any, Change] = {np.clip: _clip, np.cov: _covariance, np.corrcoef: _covariance}
"""The functions, each with what changes its arguments."""
