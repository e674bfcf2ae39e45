"""Arrays in place of lists and tuples, where NumPy makes them: of arguments, of an operand beside an array."""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from backsweep.frontend.constructs.kinds import asked_type, holds_array
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.context.scope import known_elements
from backsweep.ir.nodes import Const, Operand
from backsweep.ir.types import Array
from backsweep.prelude.language import items as of_items

ARRAYS = re.compile(
    "A|a|a1|a2|a_max|a_min|ar|ar1|ar2|arr|array|ary|arys|b|bins|condition|element|f|filt|fp|m|p|prototype|test_elements|v|val|x|xp|y|z"
)
"""What NumPy calls the parameters of which it makes arrays."""
MAKERS = frozenset([np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.put, np.place, np.copyto])
"""The functions that make arrays of anything themselves, and those that write into their first argument, which must be one."""


def arrays_of_lists(
    lowerer: Lowerer, function: object, args: tuple[Operand, ...], node: ast.expr
) -> tuple[Operand, ...]:
    """The operands of a function of NumPy or SciPy that takes arrays, with arrays in place of lists and tuples of numbers."""
    is_text = bool(args) and isinstance(args[0], Const) and isinstance(args[0].value, str)
    count = len(args) if function is np.einsum and is_text else _takes_arrays(function)
    return tuple(
        as_array(lowerer, arg, node) if k < count and _is_sequence(lowerer, arg) else arg
        for k, arg in enumerate(args)
    )


@functools.cache
def parameters_of_numpys(function: Any) -> Mapping[str, inspect.Parameter]:
    """The parameters of a function of NumPy's, in order; nothing of any other function, and of a ufunc."""
    module = getattr(function, "__module__", None) or ""
    if isinstance(function, type | np.ufunc) or module.partition(".")[0] != "numpy":
        return {}
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):  # one that is written in C
        return {}


@functools.cache
def _takes_arrays(function: object) -> int:
    """How many of its first arguments a function of NumPy makes arrays of, as the names of its parameters tell."""
    if isinstance(function, np.ufunc):
        return function.nin
    if function in MAKERS or (getattr(function, "__module__", None) or "").partition(".")[0] != "numpy":
        return 0
    names = itertools.takewhile(ARRAYS.fullmatch, parameters_of_numpys(function))
    return len(list(names))


def arrays_of_operands(
    lowerer: Lowerer, left: Operand, right: Operand, node: ast.AST
) -> tuple[Operand, Operand]:
    """The operands of an operator: a list or a tuple of numbers beside an array becomes an array, as in NumPy."""
    sides = (left, right)
    listed = [
        lowerer.context.is_list(each) or known_elements(lowerer.context, each) is not None for each in sides
    ]
    if all(listed) or not any(listed):
        return sides
    other = sides[listed.index(False)]
    if not holds_array(lowerer.context, other) and not isinstance(asked_type(lowerer, other, node), Array):
        return sides
    first, second = (
        as_array(lowerer, side, node) if is_listed else side
        for side, is_listed in zip(sides, listed, strict=True)
    )
    return first, second


def as_array(lowerer: Lowerer, items: Operand, node: ast.AST) -> Operand:
    """The array of a list or a tuple, as a call of its own."""
    return lowerer.runtime(lowerer.inline(of_items.as_array, (items,), {}, node), node)


def _is_sequence(lowerer: Lowerer, operand: Operand) -> bool:
    """Whether the operand is a list, or a tuple, that the program made or that is around it."""
    if isinstance(operand, Const):
        return isinstance(operand.value, tuple)
    return lowerer.context.is_list(operand) or operand in lowerer.context.elements
