"""Functions whose results are views or several arrays, and options that only the compiler knows: slices, lists, functions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from backsweep.frontend.constructs.kinds import asked_type
from backsweep.frontend.context.inner_text import run_text
from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.context.scope import known_elements
from backsweep.ir.nodes import UNDEFINED, Const, NewAxis, Operand, Slice, Value, is_none
from backsweep.ir.types import Array

Perhaps = Callable[[Lowerer, tuple[Operand, ...], Keywords, ast.Call], Operand | None]
"""What lowers a call, or gives None for one that stays a call."""


def matrix_transpose(
    lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.expr
) -> Operand:
    """Lower `np.matrix_transpose(x)` and `x.mT` to an exchange of the last two axes."""
    (array,) = (*args, *keywords.values()) if len(args) + len(keywords) == 1 else (UNDEFINED,)
    type_ = asked_type(lowerer, array, node)
    if not isinstance(type_, Array) or type_.ndim < 2:
        message = "the last two axes are exchanged, but there are less than two"
        raise lowerer.refuse("BS113", message, node, "give it a matrix, or a stack of matrices")
    order = (*range(type_.ndim - 2), type_.ndim - 1, type_.ndim - 2)
    given = (array,) if type_.ndim == 2 else (array, Const(order))
    return lowerer.apply(np.transpose, given, node)


def rollaxis(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """Lower `np.rollaxis(a, axis, start)` with axes that are known while compiling to `np.transpose`."""
    given = dict(zip(("a", "axis", "start"), args, strict=False)) | dict(keywords)
    array = given.get("a", UNDEFINED)
    axis, start = (given.get("axis", UNDEFINED), given.get("start", Const(0)))
    type_ = asked_type(lowerer, array, node)
    if not isinstance(type_, Array) or not all(
        isinstance(each, Const) and type(each.value) is int for each in (axis, start)
    ):
        message = "`np.rollaxis` takes an array, and axes that are known while compiling"
        raise lowerer.refuse("BS113", message, node, "write the numbers, as in np.rollaxis(x, 2)")
    assert isinstance(axis, Const)
    assert isinstance(start, Const)
    try:
        # The axes of an array whose extents are all different say where each one went.
        order = np.rollaxis(np.empty(range(1, type_.ndim + 1), bool), axis.value, start.value).shape
    except ValueError as error:
        message = f"`np.rollaxis` fails: {error}"
        raise lowerer.refuse("BS113", message, node, "give it axes of the array") from None
    return lowerer.apply(np.transpose, (array, Const(tuple(each - 1 for each in order))), node)


def unstack(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """Lower `np.unstack(x, axis=0)` to a list of the parts along an axis."""
    given = dict(zip(("x",), args, strict=False)) | dict(keywords)
    array, axis = given.get("x", UNDEFINED), given.get("axis", Const(0))
    type_ = asked_type(lowerer, array, node)
    number = axis.value if isinstance(axis, Const) and type(axis.value) is int else None
    if not isinstance(type_, Array) or number is None or not -type_.ndim <= number < type_.ndim:
        message = "`np.unstack` takes an array, and the number of an axis that it has"
        raise lowerer.refuse("BS113", message, node, "write it, as in np.unstack(x, axis=1)")
    at = number % type_.ndim
    part = ", ".join([":"] * at + ["k"])
    hidden = {".x": array, ".range": Const(range)}
    return run_text(lowerer, "unstack", f"return [_x[{part}] for k in _range(_x.shape[{at}])]", hidden, node)


def open_grid(
    lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand | None:
    """Lower `np.ix_(i, j)` to vectors of positions, each along an axis of its own."""
    if keywords or not args:
        return None
    parts = []
    for axis, each in enumerate(args):
        given = each
        if known_elements(lowerer.context, given) is not None:
            given = lowerer.call(Const(np.array), (given,), {}, node)
        type_ = asked_type(lowerer, given, node)
        if not isinstance(type_, Array) or type_.ndim != 1 or not isinstance(given, Value):
            message = "`np.ix_` takes vectors of positions, or of truths"
            raise lowerer.refuse("BS113", message, node, "write np.ix_(np.array([0, 2]), np.array([1]))")
        if type_.dtype == "bool":
            given = lowerer.call(Const(np.flatnonzero), (given,), {}, node)
            assert isinstance(given, Value)
        index = [Slice(None, None, None) if place == axis else NewAxis() for place in range(len(args))]
        parts.append(lowerer.builder.load(given, tuple(index), loc=lowerer.loc(node)))
    return lowerer.make_tuple(tuple(parts), node)


def delete(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand | None:
    """Lower `np.delete`; a slice is made the positions that it means."""
    given = dict(zip(("arr", "obj", "axis"), args, strict=False)) | dict(keywords)
    obj = given.get("obj")
    if not (isinstance(obj, Const) and isinstance(obj.value, Slice)) or "arr" not in given:
        return None
    axis = given.get("axis", Const(None))
    count = "_a.size" if is_none(axis) else "_a.shape[_axis]"
    hidden = {".a": given["arr"], ".axis": axis, ".arange": Const(np.arange)}
    every = run_text(lowerer, "positions", f"return _arange({count})", hidden, node)
    assert isinstance(every, Value)
    positions = lowerer.builder.load(every, (obj.value,), loc=lowerer.loc(node))
    named = {} if is_none(axis) else {"axis": axis}
    return lowerer.call(Const(np.delete), (given["arr"], positions), named, node)


def einsum(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand | None:
    """Lower `np.einsum`; subscripts as lists of numbers, each behind its operand, are made letters."""
    lists = [_numbers(lowerer, each) for each in args[1::2]]
    if len(args) < 2 or (isinstance(args[0], Const) and isinstance(args[0].value, str)) or None in lists:
        return None
    operands = args[0 : len(args) // 2 * 2 : 2]
    text = ",".join(_letters(each or ()) for each in lists)
    if len(args) % 2:
        last = _numbers(lowerer, args[-1])
        if last is None:
            return None
        text += f"->{_letters(last)}"
    return lowerer.call(Const(np.einsum), (Const(text), *operands), keywords, node)


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def _letters(numbers: tuple[object, ...]) -> str:
    """The letters that stand for numbers in the subscripts of `np.einsum`, in their order."""
    return "".join(
        "..." if each is ... else LETTERS[each] for each in numbers if each is ... or isinstance(each, int)
    )


def _numbers(lowerer: Lowerer, operand: Operand) -> tuple[object, ...] | None:
    """The subscripts of an operand of `np.einsum`, if it is a list of numbers that are written out."""
    parts = known_elements(lowerer.context, operand)
    found = [part.value for part in parts or () if isinstance(part, Const)]
    is_right = all(each is ... or (type(each) is int and 0 <= each < len(LETTERS)) for each in found)
    return tuple(found) if parts is not None and len(found) == len(parts) and is_right else None


def real_if_close(
    lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call
) -> Operand:
    """Lower `np.real_if_close(x)` of real numbers to `x` itself; of complex ones, the run decides the type."""
    type_ = asked_type(lowerer, args[0], node) if args else None
    if isinstance(type_, Array) and not type_.dtype.startswith("complex"):
        return args[0]
    message = "whether `np.real_if_close` gives real numbers is known only when the program runs"
    raise lowerer.refuse("BS113", message, node, "take the real parts: np.real(z)")


def made_of_python(
    lowerer: Lowerer, _args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call
) -> Operand:
    """Refuse `np.frompyfunc`, whose results are objects of Python."""
    message = "`np.frompyfunc` makes a function whose results are objects of Python"
    raise lowerer.refuse(
        "BS113", message, node, "write np.vectorize(f, otypes=[float]), or [f(v) for v in x]"
    )


def from_items(
    lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand | None:
    """Lower `np.fromiter(items, dtype)` of a list or a tuple to an array of them."""
    given = dict(zip(("iter", "dtype"), args, strict=False)) | dict(keywords)
    if set(given) != {"iter", "dtype"} or known_elements(lowerer.context, given["iter"]) is None:
        return None
    return lowerer.call(Const(np.array), (given["iter"],), {"dtype": given["dtype"]}, node)


def from_function(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """Lower `np.fromfunction(function, shape)`: the function is called with the subscripts, as arrays of floats."""
    given = dict(zip(("function", "shape"), args, strict=False)) | dict(keywords)
    function, shape = (given.pop(name, UNDEFINED) for name in ("function", "shape"))
    parts = known_elements(lowerer.context, shape)
    kind = given.pop("dtype", Const(float))
    is_float = isinstance(kind, Const) and kind.value in (float, np.float64, "float64", "d")
    if parts is None or (not is_float and not (isinstance(kind, Const) and kind.value is int)):
        message = (
            "`np.fromfunction` takes a function and a tuple of extents; its subscripts are floats or whole"
        )
        raise lowerer.refuse(
            "BS113", message, node, "write np.fromfunction(f, (n, m)), or f(*np.indices((n, m)))"
        )
    names = [f"_grid[{axis}]{' * 1.0' if is_float else ''}" for axis in range(len(parts))]
    rest = "".join(f", {name}=_more{name}" for name in given)
    hidden = {".f": function, ".shape": shape, ".indices": Const(np.indices)}
    hidden |= {f".more{name}": each for name, each in given.items()}
    text = f"grid = _indices(_shape)\nreturn _f({', '.join(names).replace('_grid', 'grid')}{rest})"
    return run_text(lowerer, "fromfunction", text, hidden, node)


def diff(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand | None:
    """Lower `np.diff(a, n=0)` to the array itself, which NumPy returns and Numba copies; None for other calls."""
    given = dict(zip(("a", "n"), args, strict=False)) | dict(keywords)
    base, times = given.get("a"), given.get("n")
    if not isinstance(times, Const) or times.value != 0 or not isinstance(base, Value):
        return None
    if not isinstance(asked_type(lowerer, base, node), Array):
        return None
    return lowerer.builder.load(base, (Slice(None, None, None),), loc=lowerer.loc(node))


TURNED: Mapping[Any, Perhaps] = {
    np.diff: diff,
    np.delete: delete,
    np.einsum: einsum,
    np.fromfunction: from_function,
    np.fromiter: from_items,
    np.frompyfunc: made_of_python,
    np.real_if_close: real_if_close,
    np.ix_: open_grid,
    np.rollaxis: rollaxis,
    **{
        getattr(module, name): special
        for module, name, special in (
            (np, "matrix_transpose", matrix_transpose),
            (np.linalg, "matrix_transpose", matrix_transpose),
            (np, "unstack", unstack),
        )
        if hasattr(module, name)
    },
}
"""The functions, each with what lowers its calls, or gives None for those that stay calls; some are NumPy's since its second version."""
