"""Runs IR directly: what a program means, said a second time and as plainly as can be."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from backsweep.ir.nodes import (
    Append,
    Apply,
    Block,
    Callee,
    Comment,
    Const,
    Dots,
    For,
    Function,
    Grow,
    If,
    Index,
    Load,
    NewAxis,
    Node,
    Operand,
    Raise,
    Slice,
    Store,
    Undefined,
    Value,
    View,
    While,
)
from backsweep.ir.types import Array, Scalar, Type
from backsweep.runtime.support.marks import taken_away
from backsweep.runtime.tape import grown, reserved

MOST_TRIPS = 100_000


def unwritten(shape: Any, dtype: Any = float) -> np.ndarray:
    """What `np.empty` gives: the same in each run, and nothing that a program would compute with unnoticed."""
    return np.full(shape, _content(np.dtype(dtype)), dtype)


def unwritten_like(array: np.ndarray, dtype: Any = None) -> np.ndarray:
    """What `np.empty_like` gives, likewise."""
    return np.full_like(array, _content(np.dtype(dtype or array.dtype)), dtype=dtype)


def _content(dtype: np.dtype) -> Any:
    """What memory of a dtype holds before it is written."""
    return np.nan if dtype.kind in "fc" else dtype.type(77)


UNWRITTEN = ((np.empty, unwritten), (np.empty_like, unwritten_like))


ARITHMETIC = (
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.neg,
)


@dataclass(frozen=True)
class Taken:
    """What is taken away from an element."""

    amount: Any


def interpret(function: Function, *args: Any) -> Any:
    """The function's result for these arguments, which it may write to."""
    scope = dict(zip(function.body.parameters, args, strict=True))
    run(function.body, scope)
    return read(function.body.yields[0], scope)


def run(block: Block, scope: dict[Value, Any]) -> None:
    """Execute the nodes of a block; what they define stays in `scope`."""
    for node in block.nodes:
        step(node, scope)


def read(operand: Operand, scope: dict[Value, Any]) -> Any:
    """What an operand stands for now."""
    return operand.value if isinstance(operand, Const) else scope[operand]


def subscript(index: Index, scope: dict[Value, Any]) -> Any:
    """The object between the brackets."""
    parts: list[Any] = []
    for item in index:
        match item:
            case Slice(start, stop, step_):
                parts.append(
                    slice(*(None if part is None else read(part, scope) for part in (start, stop, step_)))
                )
            case NewAxis():
                parts.append(None)
            case Dots():
                parts.append(Ellipsis)
            case _:
                parts.append(read(item, scope))
    return parts[0] if len(parts) == 1 else tuple(parts)


def step(node: Node, scope: dict[Value, Any]) -> None:
    """Execute one node."""
    match node:
        case Apply(result=result, function=function, operands=operands, keywords=keywords):
            values = [read(operand, scope) for operand in operands]
            if isinstance(function, Callee):
                scope[result] = interpret(function.program, *values)
                return
            if function is taken_away:
                scope[result] = Taken(values[0])
                return
            named = {key: read(operand, scope) for key, operand in keywords}
            called = next((other for known, other in UNWRITTEN if known is function), function)
            values = widened(function, values, result.type)
            found = made(function, values) if function in (tuple, list) else called(*values, **named)
            scope[result] = as_typed(found, result.type)
        case (
            Load(result=result, buffer=buffer, index=index) | View(result=result, buffer=buffer, index=index)
        ):
            scope[result] = read(buffer, scope)[subscript(index, scope)]
        case Store():
            target, where = read(node.buffer, scope), subscript(node.index, scope)
            value = read(node.value, scope)
            if node.accumulate and type(value) is int and value < 0:  # no unsigned number holds it
                value = Taken(-value)
            if isinstance(value, Undefined):
                pass  # what nothing has assigned yet is recorded, and never read
            elif isinstance(value, Taken):
                target[where] = target[where] - value.amount
            else:
                target[where] = target[where] + value if node.accumulate else value
        case Append():
            read(node.buffer, scope).append(read(node.value, scope))
        case Grow():
            array, count = read(node.buffer, scope), read(node.count, scope)
            if node.function is reserved:
                scope[node.buffer] = reserved.py_func(array, count)
            elif count == array.size:
                scope[node.buffer] = grown.py_func(array)
        case If():
            side = node.then if read(node.condition, scope) else node.orelse
            run(side, scope)
            finish(node.results, side.yields, scope)
        case For():
            loop_over_range(node, scope)
        case While():
            loop_while(node, scope)
        case Raise():
            raise read(node.exception, scope)(*(read(argument, scope) for argument in node.arguments))
        case Comment():
            pass


def widened(function: Any, values: list[Any], type_: Type | None) -> list[Any]:
    """The operands of arithmetic of numbers, as Numba computes: in the type of the result, narrow and unsigned ones too."""
    if function not in ARITHMETIC or not isinstance(type_, Scalar):
        return values
    wide = [as_typed(value, type_) for value in values]
    if (
        function in (operator.floordiv, operator.mod)
        and type_.dtype.startswith(("int", "uint"))
        and not wide[1]
    ):
        raise ZeroDivisionError
    return wide


def as_typed(found: Any, type_: Type | None) -> Any:
    """A number or an array as its type says, where NumPy gives it another dtype."""
    match type_:
        case Scalar(dtype) if isinstance(found, bool | int | float | complex | np.generic):
            return np.dtype(dtype).type(found)
        case Array(dtype) if isinstance(found, np.ndarray) and found.dtype != dtype:
            return found.astype(dtype)
        case _:
            return found


def made(function: Any, values: list[Any]) -> Any:
    """A tuple or list of the values."""
    return function(values)


def finish(targets: tuple[Value, ...], ends: tuple[Operand, ...], scope: dict[Value, Any]) -> None:
    """Bind all targets at once."""
    scope.update(zip(targets, [read(end, scope) for end in ends], strict=True))


def loop_over_range(node: For, scope: dict[Value, Any]) -> None:
    """Execute a `For`."""
    index, *carried = node.body.parameters
    finish(tuple(carried), node.inits, scope)
    for trip in range(*(int(np.asarray(read(part, scope))) for part in (node.start, node.stop, node.step))):
        scope[index] = trip
        run(node.body, scope)
        leave = node.exit is not None and read(node.exit, scope)
        finish(tuple(carried), node.body.yields, scope)
        if leave:
            break
    finish(node.results, tuple(carried), scope)


def loop_while(node: While, scope: dict[Value, Any]) -> None:
    """Execute a `While`."""
    carried = node.body.parameters
    finish(carried, node.inits, scope)
    for _ in range(MOST_TRIPS):
        finish(node.condition.parameters, carried, scope)
        run(node.condition, scope)
        if not read(node.condition.yields[0], scope):
            break
        run(node.body, scope)
        leave = node.exit is not None and read(node.exit, scope)
        finish(carried, node.body.yields, scope)
        if leave:
            break
    finish(node.results, carried, scope)
