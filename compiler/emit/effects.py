"""What evaluating a node looks at and changes, as far as the order of statements is concerned."""

from __future__ import annotations

import operator
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from backsweep.ir.nodes import Append, Apply, Callee, Grow, If, Load, Node, Store, Value, View
from backsweep.ir.types import Other, Scalar
from backsweep.ir.walk import operands, walk

MayAlias = Callable[[Value, Value], bool]

IN_PLACE: dict[Any, str] = {
    operator.iadd: "+",
    operator.isub: "-",
    operator.imul: "*",
    operator.itruediv: "/",
    operator.ifloordiv: "//",
    operator.imod: "%",
    operator.ipow: "**",
    operator.imatmul: "@",
    operator.iand: "&",
    operator.ior: "|",
    operator.ixor: "^",
    operator.ilshift: "<<",
    operator.irshift: ">>",
}
"""The in-place operators, which are statements, and their symbols."""

_REFERENCES: tuple[Any, ...] = (
    np.shape,
    np.size,
    np.ndim,
    np.transpose,
    np.zeros_like,
    np.empty_like,
    np.ones_like,
    len,
    tuple,
    getattr,
    operator.getitem,
)
"""Functions that look at an array's reference or shape, never at its entries."""

_CHANGING = frozenset(
    {"fill", "sort", "put", "place", "copyto", "fill_diagonal", "shuffle", "partition", "itemset"}
)
_PURE_MODULES = ("math", "cmath", "operator", "_operator", "numpy", "builtins", "backsweep.runtime")
_TALKING = frozenset({"print", "input", "open", "setattr", "next"})


def always(_first: Value, _second: Value) -> bool:
    """The alias predicate that knows nothing."""
    return True


def is_pure(function: Any) -> bool:
    """Whether two calls may change places: no random state, no writing, nothing unknown."""
    if isinstance(function, Callee):
        return not function.writes
    if function in IN_PLACE or isinstance(function, types.MethodType):
        return False
    name = getattr(function, "__name__", "")
    if isinstance(function, np.ufunc | type):
        return True
    owner = getattr(function, "__self__", None)
    if owner is not None and not isinstance(owner, types.ModuleType):
        return False
    if getattr(function, "__objclass__", None) is np.ndarray:
        return name not in _CHANGING
    module = getattr(function, "__module__", None) or ""
    if module.startswith("numpy.random"):
        return False
    known = any(module == pure or module.startswith(pure + ".") for pure in _PURE_MODULES)
    return known and not (name in _TALKING or (name in _CHANGING and function is not np.sort))


def memory_read(node: Node) -> tuple[Value, ...]:
    """The values whose entries the node looks at."""
    match node:
        case Load():
            return (node.buffer,) if isinstance(node.buffer, Value) else ()
        case Apply():
            if any(node.function is function for function in _REFERENCES):
                return ()
            return tuple(
                operand
                for operand in operands(node)
                if isinstance(operand, Value) and not isinstance(operand.type, Scalar | Other)
            )
        case If():
            return tuple(
                value
                for block in (node.then, node.orelse)
                for inner in walk(block)
                for value in memory_read(inner)
            )
        case _:
            return ()


def memory_written(node: Node) -> tuple[Value, ...] | None:
    """The values whose entries the node changes; None where that is not known."""
    match node:
        case Store() | Append() | Grow():
            return (node.buffer,)
        case Apply():
            if node.function in IN_PLACE:
                target = node.operands[0]
                return () if not isinstance(target, Value) or isinstance(target.type, Scalar) else (target,)
            if isinstance(node.function, Callee):
                targets = (node.operands[k] for k in node.function.writes)
                return tuple(target for target in targets if isinstance(target, Value))
            return () if is_pure(node.function) else None
        case _:
            return ()


def looks_at_memory(node: Node) -> bool:
    """Whether the node reads or takes part of memory, so that unknown calls must not pass it."""
    return isinstance(node, View) or bool(memory_read(node)) or memory_written(node) != ()
