"""What a kernel may say: numbers, elements of arrays, views, and the functions of numbers that a GPU has. All else is refused."""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Hashable
from typing import Any

import numpy as np

from backsweep.diagnostics import Problem, UnsupportedError
from backsweep.gpu.numbers import KNOWN, LACKING
from backsweep.gpu.text import atomic_add, atomic_max, local_array, stride, thread
from backsweep.ir.nodes import (
    Append,
    Apply,
    Const,
    Dots,
    Function,
    Grow,
    Load,
    NewAxis,
    Node,
    Operand,
    Slice,
    Store,
    Value,
)
from backsweep.ir.types import Array, Scalar, Tuple
from backsweep.ir.walk import index_operands, operands, walk
from backsweep.runtime.gpu import threads

REMEDY = "compute it before the loop; or write range in place of prange to run this loop on the host."
_OWN = (
    atomic_add,
    atomic_max,
    local_array,
    stride,
    thread,
    threads.block_sum,
    threads.all_done,
    threads.warp_add,
    threads.warp_add_2,
)
_OF_ARRAYS = (np.shape, np.size, np.ndim, len, np.transpose, tuple, operator.getitem)
_MODULES = (
    "backsweep.runtime.gpu.numbers",
    "backsweep.runtime.special",
    "backsweep.runtime.extremes",
    "backsweep.runtime.lists.sequences",
)


def check_kernel(kernel: Function) -> None:
    """Raise UnsupportedError for what the kernel cannot do."""
    for node in walk(kernel.body):
        what = _too_much(node)
        if what:
            raise UnsupportedError(
                Problem("BS701", f"a kernel of a GPU cannot do this: {what}", node.loc, REMEDY)
            )


def _too_much(node: Node) -> str:
    """What the node does that a kernel cannot do, in words; empty if there is nothing."""
    match node:
        case Append() | Grow():
            return "it appends to a list, or keeps as many records as the run decides"
        case Load() | Store():
            return "" if _is_element(node) else "it reads or writes a part of an array at once"
        case Apply() if node.function not in _OWN:
            return _of_call(node)
    return ""


def _is_element(node: Load | Store) -> bool:
    """Whether the node touches one element."""
    buffer = node.buffer
    if not isinstance(buffer, Value) or not isinstance(buffer.type, Array):
        return False
    numbers = [each for each in node.index if not isinstance(each, Slice | NewAxis | Dots)]
    places = len(numbers) == len(node.index) == buffer.type.ndim
    return places and not any(
        isinstance(each, Value) and isinstance(each.type, Array) for each in index_operands(node.index)
    )


def _of_call(node: Apply) -> str:
    function = node.function
    name = getattr(function, "__name__", "a function")
    if any(_is_array(each) for each in (*operands(node), node.result)):
        if function in _OF_ARRAYS and not node.keywords and not isinstance(node.result.type, Tuple):
            return ""
        if function is np.shape:
            return ""
        ours = (getattr(function, "__module__", None) or "").startswith("backsweep.")
        return "it calls a routine for whole arrays" if ours else f"it calls `{name}` on an array"
    if not all(_is_plain(each) for each in (*operands(node), node.result)):
        return f"it calls `{name}` on what is no number"
    return "" if _is_of_numbers(function) else f"it calls `{name}`"


def _is_of_numbers(function: Any) -> bool:
    """Whether a GPU has the function of numbers."""
    if isinstance(function, type):
        return issubclass(function, int | float | complex | np.number | np.bool_ | tuple)
    module = getattr(function, "__module__", None) or ""
    name = getattr(function, "__name__", "")
    if isinstance(function, np.ufunc):
        return function in KNOWN
    if isinstance(function, Hashable) and function in LACKING:
        return False
    if function in (abs, min, max, pow, divmod, round):
        return True
    if getattr(math, name, None) is function or getattr(operator, name, None) is function:
        return True
    return function is tuple or module in _MODULES or getattr(builtins, name, None) is range


def _is_array(operand: Operand) -> bool:
    return isinstance(operand, Value) and isinstance(operand.type, Array)


def _is_plain(operand: Operand) -> bool:
    """Whether the operand is a number, or a tuple of numbers."""
    if isinstance(operand, Const):
        return (
            isinstance(operand.value, bool | int | float | complex | np.generic | tuple | type)
            or operand.value is None
        )
    return isinstance(operand.type, Scalar) or (
        isinstance(operand.type, Tuple) and all(isinstance(item, Scalar) for item in operand.type.items)
    )
