"""Cache Numba's result types of single calls, by function and operand types.

A derivative computes mostly `a * b` of a few types. Numba needs tens of milliseconds to type a whole program; the type
of a single call is kept for all programs of the process.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable

import numpy as np

from backsweep.diagnostics import NOWHERE, TypingError
from backsweep.ir.nodes import (
    Apply,
    Block,
    Callee,
    Const,
    Function,
    Index,
    Load,
    NewAxis,
    Operand,
    Slice,
    Value,
    View,
)
from backsweep.ir.operations import Need, operation
from backsweep.ir.types import Array, Scalar, Tuple, Type
from backsweep.ir.walk import operands, rename_operands
from backsweep.typing.infer import from_numba, has_numbers, numba_types, to_numba

TypeOf = Callable[[Operand], Type | None]
Asking = Apply | View | Load

_ANSWERS: dict[Hashable, Type | None] = {}
MOST = 4096
"""The largest number of cached types."""
_PLAIN = (bool, int, float, complex, str, type(None), np.generic)


def type_of_result(node: Asking, type_of: TypeOf) -> Type | None:
    """The type of a node's result, from the types of its operands; None if Numba must type the whole program."""
    key = _key(node, type_of)
    if key is None:
        return None
    if key not in _ANSWERS:
        if len(_ANSWERS) >= MOST:
            _ANSWERS.clear()
        _ANSWERS[key] = _asked(node, type_of)
    return _ANSWERS[key]


def _asked(node: Asking, type_of: TypeOf) -> Type | None:
    """The type that Numba infers in a program of the node alone; None if Numba finds none."""
    parameters: dict[Operand, Value] = {}
    for operand in operands(node):
        if isinstance(operand, Value) and operand not in parameters:
            parameters[operand] = Value(f"x{len(parameters)}", type_of(operand), NOWHERE)
    alone = rename_operands(node, lambda operand: parameters.get(operand, operand))
    assert isinstance(alone, Apply | View | Load)
    result = Value("", None, NOWHERE)
    body = Block(tuple(parameters.values()), (dataclasses.replace(alone, result=result),), (result,))
    given = [to_numba(value.type) for value in parameters.values() if value.type is not None]
    try:
        found = numba_types(Function("question", body, NOWHERE), given, is_whole=False)
    except TypingError:
        return None  # typing the whole program reports the error, with its place
    return from_numba(found[result])


def _key(node: Asking, type_of: TypeOf) -> Hashable | None:
    """The cache's key for a node: its function and the types of its operands; None if the node must not be cached.

    Calls of the user's functions are not cached, because the cache would keep the functions alive.
    """
    if isinstance(node, Apply) and not _is_of_library(node.function):
        return None

    def of(operand: Operand | None) -> Hashable:
        if operand is None:
            return None
        if isinstance(operand, Const) and isinstance(operand.value, np.ndarray):
            return (np.ndarray, str(operand.value.dtype), operand.value.ndim)  # a global table
        if isinstance(operand, Const):
            if not isinstance(operand.value, _PLAIN) and not _is_dtype(operand.value):
                raise _UnknownError
            return (type(operand.value), operand.value)
        type_ = type_of(operand)
        if not has_numbers(type_):
            raise _UnknownError
        if not _is_plain(type_):
            raise _UnknownError
        return type_

    def of_index(index: Index) -> Hashable:
        return tuple(
            (Slice, of(item.start), of(item.stop), of(item.step))
            if isinstance(item, Slice)
            else of(item)
            if isinstance(item, Value | Const)
            else (NewAxis if isinstance(item, NewAxis) else ...)
            for item in index
        )

    try:
        if isinstance(node, Apply):
            named = tuple((name, of(operand)) for name, operand in node.keywords)
            key: Hashable = (node.function, *map(of, node.operands), named)
        else:
            key = (type(node), of(node.buffer), of_index(node.index))
        hash(key)
    except (_UnknownError, TypeError):  # TypeError: an operand, or the function, has no hash
        return None
    return key


def _is_of_library(function: object) -> bool:
    """Whether a function lives as long as the process, as those of NumPy, Python and the runtime do."""
    if isinstance(function, type):
        return _is_dtype(function)
    return not isinstance(function, Callee) and operation(function).need is Need.NOTHING


def _is_dtype(thing: object) -> bool:
    """Whether the object is a class of NumPy or Python, such as `np.float64` or `int`."""
    return isinstance(thing, type) and thing.__module__ in ("numpy", "builtins")


class _UnknownError(Exception):
    """Signals an operand of a type that the cache does not handle."""


def _is_plain(type_: Type | None) -> bool:
    """Whether the type is that of a number, an array, or a plain tuple of these, whose Numba type is known."""
    if isinstance(type_, Tuple):
        return type_.cls is None and all(map(_is_plain, type_.items))
    return isinstance(type_, Scalar | Array)
