"""Calls of NumPy that Numba lacks and that take functions or options: the statements that they stand for are lowered."""

from __future__ import annotations

import ast

import numpy as np

from backsweep.frontend.calls.primitives import primitive
from backsweep.frontend.constructs.comprehensions import for_each, run_text
from backsweep.frontend.constructs.kinds import asked_type, local_type
from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.context.scope import Bound, known_elements
from backsweep.ir.nodes import UNDEFINED, Const, Operand, is_none
from backsweep.ir.types import Array, Scalar
from backsweep.runtime.overloads.curves import outside_is_given, outside_is_given_of_number, periodic

FLOATS = (float, np.float64, "d", "float64")
"""What `otypes` has for numbers in double precision."""


def interpolated(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """Lower `np.interp`: what lies outside, or how the points repeat, is written out."""
    given = dict(zip(("x", "xp", "fp", "left", "right", "period"), args, strict=False)) | dict(keywords)
    given = {name: operand for name, operand in given.items() if not is_none(operand)}
    plain = tuple(given[name] for name in ("x", "xp", "fp") if name in given)
    type_ = local_type(lowerer.context, plain[0]) if plain else None
    if isinstance(type_, Array) and type_.ndim > 1:
        flat = lowerer.apply(np.ravel, plain[:1], node)
        rest = {name: operand for name, operand in given.items() if name != "x"}
        found = interpolated(lowerer, (flat,), rest, node)
        shape = lowerer.apply(np.shape, plain[:1], node)
        return lowerer.apply(np.reshape, (found, shape), node)
    if len(plain) < 3 or set(given) <= {"x", "xp", "fp"}:
        return primitive(lowerer, np.interp, plain if len(plain) == 3 else args, {}, node)
    if "period" in given:
        return lowerer.inline(periodic, (*plain, given["period"]), {}, node)
    values = plain[2]
    ends = [lowerer.builder.load(values, (Const(k),), loc=lowerer.loc(node)) for k in (0, -1)]
    outside = (given.get("left", ends[0]), given.get("right", ends[1]))
    is_array = isinstance(asked_type(lowerer, plain[0], node), Array)
    chosen = outside_is_given if is_array else outside_is_given_of_number
    return lowerer.inline(chosen, (*plain, *outside), {}, node)


def piecewise(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """Lower `np.piecewise(x, conditions, functions)`: each piece is computed where its condition holds, the last one wins."""
    conditions, functions = (
        known_elements(lowerer.context, arg) for arg in (*args[1:3], UNDEFINED, UNDEFINED)[:2]
    )
    is_right = len(args) == 3 and not keywords and conditions is not None and functions is not None
    if not is_right or not isinstance(asked_type(lowerer, args[0], node), Array):
        message = "`np.piecewise` takes an array, and lists of conditions and of functions that are written out here"
        raise lowerer.refuse(
            "BS113", message, node, "write np.piecewise(x, [x < 0.0, x >= 0.0], [f, g]), or np.where"
        )
    assert conditions is not None
    assert functions is not None
    if len(functions) not in (len(conditions), len(conditions) + 1):
        message = f"`np.piecewise` has {len(conditions)} conditions and {len(functions)} functions"
        raise lowerer.refuse(
            "BS113", message, node, "give it a function for each condition, and perhaps one for the rest"
        )
    hidden = {".x": args[0], ".zeros_like": Const(np.zeros_like)}
    lines = ["y = _zeros_like(_x)"]
    for k, condition in enumerate(conditions):
        hidden[f".c{k}"] = condition
    rest = " | ".join(f"_c{k}" for k in range(len(conditions)))
    for k, function in enumerate(functions):
        hidden[f".f{k}"] = function
        where = f"_c{k}" if k < len(conditions) else f"~({rest})"
        is_called = isinstance(function, Const) and not isinstance(
            function.value, bool | int | float | np.ndarray
        )
        lines.append(f"y[{where}] = " + (f"_f{k}(_x[{where}])" if is_called else f"_f{k}"))
    return run_text(lowerer, "piecewise", "\n".join([*lines, "return y"]), hidden, node)


def vectorize(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """Lower `np.vectorize(function, otypes=[float])` to a function of arrays."""
    kinds = keywords.get("otypes", UNDEFINED)
    parts = known_elements(lowerer.context, kinds) or (kinds,)
    kind = parts[0].value if len(parts) == 1 and isinstance(parts[0], Const) else None
    if len(args) != 1 or set(keywords) != {"otypes"} or kind not in FLOATS:
        message = (
            "`np.vectorize` takes the type of its results from the first of them, which only the run computes"
        )
        raise lowerer.refuse(
            "BS113", message, node, "write np.vectorize(f, otypes=[float]), or [f(v) for v in x]"
        )
    return Const(Bound(Const(over_entries), args, {}))


def over_entries(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """Lower the call of what `np.vectorize` gives: the function is called for each entry."""
    function, *given = args
    kinds = [asked_type(lowerer, each, node) for each in given]
    ranks = {kind.ndim for kind in kinds if isinstance(kind, Array)}
    if keywords or not all(isinstance(kind, Array | Scalar) for kind in kinds) or len(ranks) > 1:
        message = "a function of `np.vectorize` takes numbers, and arrays of one shape"
        raise lowerer.refuse(
            "BS113", message, node, "bring the arrays to one shape first, as with np.broadcast_to"
        )
    hidden: dict[str, Operand] = {".f": function, ".float": Const(float)}
    hidden |= {f".a{k}": each for k, each in enumerate(given)}
    arrays = [k for k, kind in enumerate(kinds) if isinstance(kind, Array)]
    items = ", ".join(f"v{k}" if k in arrays else f"_a{k}" for k in range(len(given)))
    if not arrays:
        return run_text(lowerer, "entries", f"return _float(_f({items}))", hidden, node)
    hidden |= {
        ".array": Const(np.array),
        ".ravel": Const(np.ravel),
        ".zip": Const(zip),
        ".shape": Const(np.shape),
    }
    hidden |= {".error": Const(ValueError), ".reshape": Const(np.reshape)}
    checks = [
        f"if _shape(_a{k}) != _shape(_a{arrays[0]}):\n    raise _error('the arrays have other shapes')"
        for k in arrays[1:]
    ]
    flat = [f"_ravel(_a{k})" for k in arrays]
    loop = for_each([f"v{k}" for k in arrays], flat)
    found = f"_array([_float(_f({items})) {loop}])"
    text = "\n".join([*checks, f"return _reshape({found}, _shape(_a{arrays[0]}))"])
    return run_text(lowerer, "entries", text, hidden, node)


def along_axis(lowerer: Lowerer, _args: object, _keywords: object, node: ast.Call) -> Operand:
    """Refuse `np.apply_along_axis`, which takes the type of its results from the first of them."""
    message = "`np.apply_along_axis` takes the type of its results from the first of them, which only the run computes"
    raise lowerer.refuse(
        "BS202", message, node, "write np.array([f(row) for row in a]), for columns with a.T"
    )
