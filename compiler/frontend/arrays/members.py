"""Methods of arrays that are no functions of NumPy: `item`, and those that write in place."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

import numpy as np

from backsweep.frontend.arrays.memory import view
from backsweep.frontend.constructs.kinds import asked_type, dtype_of
from backsweep.frontend.context.inner_text import run_text
from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.context.scope import known_elements
from backsweep.ir.nodes import UNDEFINED, Const, Dots, Operand, Value
from backsweep.ir.types import Array

ONLY_ONE = "can only convert an array of size 1 to a Python scalar"


def item(
    lowerer: Lowerer, base: Operand, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand | None:
    """Lower `a.item()`, `a.item(k)` and `a.item(i, j)` of an array; None for numbers, which have the first alone."""
    type_ = asked_type(lowerer, base, node) if isinstance(base, Value) else None
    if not isinstance(type_, Array) or keywords:
        return None
    if type_.ndim == 0 and not args:
        return lowerer.builder.load(base, (), loc=lowerer.loc(node))
    if type_.ndim == 0:
        return None
    given = known_elements(lowerer.context, args[0]) if len(args) == 1 else None
    places = args if given is None else given
    hidden = {".a": base, ".error": Const(ValueError if not places else IndexError)}
    if not places:
        zeros = ", ".join(["0"] * type_.ndim)
        text = f"if _a.size != 1:\n    raise _error('{ONLY_ONE}')\nreturn _a[{zeros}]"
        return run_text(lowerer, "item", text, hidden, node)
    if len(places) == type_.ndim:
        return lowerer.builder.load(base, places, loc=lowerer.loc(node))
    if len(places) > 1:
        message = f"`item` is given {len(places)} subscripts of an array with {type_.ndim} axes"
        raise lowerer.refuse("BS113", message, node, "give it a subscript for each axis, or one position")
    lines = [
        "p = _p + _a.size if _p < 0 else _p",
        "if p < 0 or p >= _a.size:",
        "    raise _error('index is out of bounds for the array')",
    ]
    for axis in reversed(range(1, type_.ndim)):
        lines += [f"i{axis} = p % _a.shape[{axis}]", f"p = p // _a.shape[{axis}]"]
    rest = "".join(f", i{axis}" for axis in range(1, type_.ndim))
    text = "\n".join([*lines, f"return _a[p{rest}]"])
    return run_text(lowerer, "item", text, {**hidden, ".p": places[0]}, node)


def partition(
    lowerer: Lowerer, base: Operand, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand | None:
    """Lower `a.partition(kth)`, which stores what `np.partition` gives."""
    if not isinstance(base, Value):
        return None
    found = lowerer.call(Const(np.partition), (base, *args), keywords, node)
    lowerer.builder.store(base, (Dots(),), found, loc=lowerer.loc(node))
    return Const(None)


def copy(
    lowerer: Lowerer, base: Operand, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand | None:
    """Lower `a.copy(order="C")`, which is what `a.copy()` gives; None for a call without the order."""
    order = (*args, keywords.get("order", UNDEFINED))[0]
    if not isinstance(order, Const) or order is UNDEFINED:
        return None
    if order.value != "C":
        message = f"`copy` is supported in the order 'C', and not in {order.value!r}"
        raise lowerer.refuse("BS113", message, node, "write a.copy(), or np.asfortranarray(a)")
    return lowerer.call(Const(np.ndarray.copy), (base,), {}, node)


def instead_of_assignment(target: ast.Attribute) -> str:
    """What to write in place of the assignment of an attribute."""
    array = ast.unparse(target.value)
    of_arrays = {
        "shape": f"make an array of that shape, as in y = {array}.reshape(2, 3)",
        "flat": f"write to all entries, as in {array}[:] = 0.0 or {array}.flat[:] = x",
        "real": f"add the parts, as in x + 1j * {array}.imag",
        "imag": f"add the parts, as in {array}.real + 1j * x",
    }
    return of_arrays.get(target.attr, "use a local variable, or an element of an array")


def astype(
    lowerer: Lowerer, base: Operand, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand | None:
    """Lower `a.astype(dtype, copy=False)`, which is the array itself if it has the dtype; None for calls without options."""
    options = {name: operand for name, operand in keywords.items() if name != "dtype"}
    casting = options.get("casting")
    is_unsafe = casting is None or (isinstance(casting, Const) and casting.value == "unsafe")
    if not options or set(options) - {"copy", "casting"} or not is_unsafe or not isinstance(base, Value):
        return None
    copied, wanted = options.get("copy", Const(True)), (*args, keywords.get("dtype", UNDEFINED))[0]
    if not isinstance(copied, Const):
        message = "only the run decides whether `astype` copies"
        raise lowerer.refuse("BS109", message, node, "write copy=True or copy=False, in a branch each")
    type_ = asked_type(lowerer, base, node)
    if not copied.value and isinstance(type_, Array) and dtype_of(lowerer, wanted, node) == type_.dtype:
        return base
    return lowerer.call(Const(np.ndarray.astype), (base, wanted), {}, node)


Member = Callable[[Lowerer, Operand, tuple[Operand, ...], Keywords, ast.Call], Operand | None]
MEMBERS: Mapping[str, Member] = {
    "item": item,
    "view": view,
    "partition": partition,
    "copy": copy,
    "astype": astype,
}
"""The methods, each with what lowers its calls, or gives None for those that are lowered as others are."""
