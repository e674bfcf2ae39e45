"""What arrays tell of their memory: flags, strides, and views as numbers of another type."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

import numpy as np

from backsweep.frontend.constructs.kinds import asked_type, dtype_of
from backsweep.frontend.context.inner_text import run_text
from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.ir.nodes import Const, Operand, Slice, Value
from backsweep.ir.types import Array, Scalar
from backsweep.runtime.memory import number_seen_as, seen_as
from backsweep.runtime.support.marks import seen_as_view

OF_PARTS = {("complex128", "float64"), ("complex64", "float32")}
PARTS = OF_PARTS | {(part, whole) for whole, part in OF_PARTS}
"""Pairs of dtypes: complex numbers and their parts, either way."""
ORDERS = {
    "contiguous": (("C",), "{c}"),
    "c_contiguous": (("C",), "{c}"),
    "f_contiguous": (("F",), "{f}"),
    "forc": (("C", "F"), "{c} or {f}"),
    "fnc": ((), "{f} and not {c}"),
}
"""The flags of an array: the orders in memory for which they certainly hold, and what they mean by the flags of both orders."""


@dataclass(frozen=True)
class Flags:
    """`a.flags` while compiling: an array, and the order in memory that its type tells."""

    array: Value
    type: Array

    def __repr__(self) -> str:
        return f"{self.array.name or 'an array'}.flags"


def about_memory(lowerer: Lowerer, base: Operand, name: str, node: ast.AST) -> Operand:
    """Lower `a.flags` and `a.strides` of an array in rows, or in columns; the type tells the order, as it tells Numba."""
    type_ = asked_type(lowerer, base, node) if isinstance(base, Value) else None
    if not isinstance(base, Value) or not isinstance(type_, Array) or type_.layout == "A":
        message = f"the attribute `{name}` is about memory, which derivatives lay out otherwise"
        remedy = (
            "ask before the call, and pass the answer, as in f(x, x.flags.c_contiguous) or f(x, x.strides[0])"
        )
        raise lowerer.refuse("BS109", message, node, remedy)
    if name == "flags":
        return Const(Flags(base, type_))
    size, last = np.dtype(type_.dtype).itemsize, type_.ndim - 1
    inner = [range(axis + 1, type_.ndim) if type_.layout == "C" else range(axis) for axis in range(last + 1)]
    items = [" * ".join([str(size), *(f"_shape(_a)[{k}]" for k in axes)]) for axes in inner]
    hidden: dict[str, Operand] = {".a": base, ".shape": Const(np.shape)}
    return run_text(lowerer, "strides", f"return ({''.join(f'{each}, ' for each in items)})", hidden, node)


def flag(lowerer: Lowerer, flags: Flags, name: str, node: ast.AST) -> Operand:
    """Lower `a.flags.c_contiguous` and its like: an array in rows is in columns, too, if it is no more than one long axis."""
    if name not in ORDERS:
        message = f"the flag `{name}` is about memory, which derivatives lay out otherwise"
        raise lowerer.refuse("BS109", message, node, "ask before the call, and pass the answer")
    sure, meaning = ORDERS[name]
    layout, ndim = flags.type.layout, flags.type.ndim
    if layout in sure or (sure and ndim < 2):
        return Const(True)
    if ndim < 2:
        return Const(False)
    source = lowerer.frame.source
    is_compiled = source is not None and source.jitted  # Numba has a rule of its own for empty arrays
    long = " + ".join(f"(_shape(_a)[{axis}] > 1)" for axis in range(ndim))
    empty = f"{long} == 0" if is_compiled else "_size(_a) == 0"
    both = f"({empty} if _size(_a) == 0 else {long} < 2)"
    text = meaning.format(c="True" if layout == "C" else both, f="True" if layout == "F" else both)
    hidden: dict[str, Operand] = {".a": flags.array, ".shape": Const(np.shape), ".size": Const(np.size)}
    return run_text(lowerer, "flag", f"return {text}", hidden, node)


def view(
    lowerer: Lowerer, base: Operand, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand | None:
    """Lower `a.view(dtype)`: of the same dtype, from complex numbers to their parts and back, and as any other numbers; None for others."""
    given = (*args, *keywords.values())
    if not isinstance(base, Value) or len(given) > 1 or set(keywords) - {"dtype"}:
        return None
    type_ = asked_type(lowerer, base, node)
    wanted = dtype_of(lowerer, given[0], node) if given else np.dtype(getattr(type_, "dtype", float))
    if not isinstance(type_, Array | Scalar) or wanted is None or wanted.kind not in "biufc":
        return None
    known = np.dtype(type_.dtype)
    if isinstance(type_, Scalar):
        if wanted == known:
            return base
        if wanted.itemsize != known.itemsize:
            message = (
                f"a number of {known.itemsize} bytes is viewed as `{wanted}`, which has {wanted.itemsize}"
            )
            raise lowerer.refuse("BS113", message, node, "view it as a type of the same size")
        return lowerer.apply(number_seen_as, (base, Const(wanted.type)), node)
    if wanted == known:
        whole = () if type_.ndim == 0 else (Slice(None, None, None),)
        return lowerer.builder.load(base, whole, loc=lowerer.loc(node)) if whole else base
    if type_.ndim and (str(known), str(wanted)) in PARTS:
        return _parts(lowerer, base, type_, wanted, node)
    seen = lowerer.apply(seen_as, (base, Const(wanted.type)), node)
    return lowerer.apply(seen_as_view, (seen, base), node)


def _parts(lowerer: Lowerer, base: Value, type_: Array, wanted: np.dtype[Any], node: ast.Call) -> Operand:
    """Complex numbers seen as their parts, or such parts as complex numbers."""
    lead, last = "".join(f"_a.shape[{axis}], " for axis in range(type_.ndim - 1)), type_.ndim - 1
    whole = ":, " * last
    hidden: dict[str, Operand] = {
        ".a": base,
        ".empty": Const(np.empty),
        ".seen": Const(seen_as_view),
        ".error": Const(ValueError),
        ".kind": Const(wanted.type),
    }
    if wanted.kind == "f":
        text = f"""
y = _empty(({lead}2 * _a.shape[{last}],), _kind)
y[{whole}0::2] = _a.real
y[{whole}1::2] = _a.imag
return _seen(y, _a)
"""
    else:
        text = f"""
if _a.shape[{last}] % 2 != 0:
    raise _error('the last axis has an odd number of floats, which are no complex numbers')
y = _empty(({lead}_a.shape[{last}] // 2,), _kind)
y.real[...] = _a[{whole}0::2]
y.imag[...] = _a[{whole}1::2]
return _seen(y, _a)
"""
    return run_text(lowerer, "view", text, hidden, node)


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
