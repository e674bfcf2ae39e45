"""Arrays that NumPy's objects make of what stands between brackets: `np.r_`, `np.c_`, `np.mgrid`, `np.ogrid` and `np.s_`."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np

from backsweep.frontend.constructs.kinds import asked_type
from backsweep.frontend.context.inner_text import run_text
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.context.scope import KnownTuple
from backsweep.ir.nodes import Const, Dots, Index, NewAxis, Operand, Slice
from backsweep.ir.types import Array, Scalar

MAKERS: Mapping[Any, str] = {
    getattr(np, name): f"np.{name}" for name in ("r_", "c_", "mgrid", "ogrid", "s_", "index_exp")
}
"""The objects, with their names."""
JOINED = {"np.r_": (0, 1, -1), "np.c_": (-1, 2, 0)}
"""Along which axis the parts are joined, how many axes they have at least, and where their own axes begin among these."""


def made_in_brackets(lowerer: Lowerer, maker: Any, index: Index, node: ast.Subscript) -> Operand:
    """The operand for `np.r_[...]` and its like."""
    name = MAKERS[maker]
    if name in ("np.s_", "np.index_exp"):
        return _subscript(index, always=name == "np.index_exp" or isinstance(node.slice, ast.Tuple))
    hidden: dict[str, Operand] = {
        f".{each}": Const(getattr(np, each))
        for each in ("arange", "linspace", "array", "concatenate", "newaxis", "empty")
    }
    text = _grid(lowerer, name, index, hidden, node)
    if text is None:
        text = _joined(lowerer, name, index, hidden, node)
    return run_text(lowerer, "made", text, hidden, node)


def _subscript(index: Index, *, always: bool) -> Operand:
    """The subscript itself; a tuple if it has several items."""
    items: list[Operand] = []
    for part in index:
        if isinstance(part, Slice):
            items.append(Const(part))
        elif isinstance(part, NewAxis | Dots):
            items.append(Const(None if isinstance(part, NewAxis) else Ellipsis))
        else:
            items.append(part)
    return Const(KnownTuple(tuple(items))) if always or len(items) != 1 else items[0]


def _refuse(lowerer: Lowerer, name: str, node: ast.AST) -> NoReturn:
    message = f"`{name}` is supported for slices, numbers and arrays between its brackets"
    raise lowerer.refuse("BS110", message, node, "write np.concatenate, np.arange or np.linspace")


def _vector(
    lowerer: Lowerer, name: str, place: int, part: Slice, hidden: dict[str, Operand], node: ast.AST
) -> str:
    """The text of the numbers of a slice; a complex step says how many there are."""
    step = part.step
    if part.stop is None:
        _refuse(lowerer, name, node)
    hidden[f".start{place}"] = Const(0) if part.start is None else part.start
    hidden[f".stop{place}"] = part.stop
    if isinstance(step, Const) and isinstance(step.value, complex):
        return f"_linspace(_start{place}, _stop{place}, {int(abs(step.value))})"
    hidden[f".step{place}"] = Const(1) if step is None else step
    return f"_arange(_start{place}, _stop{place}, _step{place})"


def _grid(lowerer: Lowerer, name: str, index: Index, hidden: dict[str, Operand], node: ast.AST) -> str | None:
    """The statements of `np.mgrid` and `np.ogrid`; None for the others."""
    if name in JOINED:
        return None
    slices = [part for part in index if isinstance(part, Slice)]
    if len(slices) != len(index):
        _refuse(lowerer, name, node)
    vectors = [_vector(lowerer, name, place, part, hidden, node) for place, part in enumerate(slices)]
    if len(vectors) == 1:
        return f"return {vectors[0]}"
    lines = [f"v{place} = {vector}" for place, vector in enumerate(vectors)]
    spread = [
        f"v{place}[{', '.join(':' if each == place else '_newaxis' for each in range(len(slices)))}]"
        for place in range(len(slices))
    ]
    if name == "np.ogrid":
        return "\n".join([*lines, f"return ({', '.join(spread)})"])
    shape = ", ".join(f"v{place}.size" for place in range(len(slices)))
    whole = " + ".join(spread)  # has the type of the result
    lines.append(f"y = _empty(({len(slices)}, {shape}), ({whole}).dtype)")
    lines += [f"y[{place}] = {each}" for place, each in enumerate(spread)]
    return "\n".join([*lines, "return y"])


def _joined(lowerer: Lowerer, name: str, index: Index, hidden: dict[str, Operand], node: ast.AST) -> str:
    """The statement of `np.r_` and `np.c_`."""
    axis, least, begin = JOINED[name]
    parts = list(index)
    match parts:
        case [Const(value=str() as directive), *rest]:
            axis, least, begin = _directive(lowerer, name, directive, (axis, least, begin), node)
            parts = rest
    texts, ranks = [], []
    for place, part in enumerate(parts):
        if isinstance(part, Slice):
            texts.append(_vector(lowerer, name, place, part, hidden, node))
            ranks.append(1)
            continue
        if isinstance(part, NewAxis | Dots):
            _refuse(lowerer, name, node)
        type_ = asked_type(lowerer, part, node)
        hidden[f".p{place}"] = part
        if isinstance(type_, Scalar):
            texts.append(f"_array([_p{place}])")
            ranks.append(0)
        elif isinstance(type_, Array):
            texts.append(f"_p{place}")
            ranks.append(type_.ndim)
        else:
            _refuse(lowerer, name, node)
    least = max(least, 1)
    wide = [_widened(text, rank, least, begin) for text, rank in zip(texts, ranks, strict=True)]
    if not wide or len({max(rank, least) for rank in ranks}) != 1:
        message = f"`{name}` is given parts with different numbers of axes"
        raise lowerer.refuse(
            "BS110", message, node, "give all of them the same number of axes, as in x[:, None]"
        )
    return f"return _concatenate(({', '.join(wide)},), {axis % max(*ranks, least)})"


def _widened(text: str, rank: int, least: int, begin: int) -> str:
    """An array with as many axes as the others: new ones stand before its own, or where `begin` says."""
    own = max(rank, 1)
    new = least - own
    if new <= 0:
        return text
    first = begin + new + 1 if begin < 0 else begin
    order = [*range(least)]
    order = order[:first] + order[new:] + order[first:new] if rank else order
    return f"{text}[{', '.join('_newaxis' if axis < new else ':' for axis in order)}]"


def _directive(
    lowerer: Lowerer, name: str, text: str, usual: tuple[int, int, int], node: ast.AST
) -> tuple[int, int, int]:
    """What a string of up to three numbers says: the axis, the least number of axes, where the own ones begin."""
    given = text.split(",")
    if len(given) > 3 or not all(each.strip().lstrip("-").isdigit() for each in given):
        message = f"`{name}[{text!r}, ...]` makes matrices, or is not known"
        raise lowerer.refuse("BS110", message, node, "write np.concatenate or np.stack")
    numbers = tuple(map(int, given))
    axis, least, begin = (*numbers, *usual[len(numbers) :])
    return axis, least, begin
