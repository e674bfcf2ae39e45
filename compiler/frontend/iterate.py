"""What a `for` loop runs over: ranges, arrays and tuples, and `zip`, `enumerate` and `reversed` of them."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from backsweep.frontend.resolve import is_range
from backsweep.frontend.scope import is_static, known_elements
from backsweep.ir.nodes import Const, Operand, Value

if TYPE_CHECKING:
    from backsweep.frontend.expressions import ExpressionLowerer

#: A tuple with more items than this is looped over by index, where its items are plain data.
LONGEST_UNROLLED = 16

ZERO, ONE = Const(0), Const(1)


@dataclass(frozen=True, eq=False)
class Steps:
    """A loop over `range(start, stop, step)`; `element` lowers what the target gets from the index."""

    start: Operand
    stop: Operand
    step: Operand
    element: Callable[[Operand], Operand]


@dataclass(frozen=True, eq=False)
class Items:
    """A loop over items that are known now, which is written out."""

    items: tuple[Operand, ...]


def iteration(lowerer: ExpressionLowerer, node: ast.expr) -> Steps | Items:
    """How to run over the expression after `in`."""
    called = _called(lowerer, node)
    if isinstance(node, ast.Call) and called is not None:
        if is_range(called):
            return _range(lowerer, node)
        if called is reversed:
            return _reversed(lowerer, node)
        if called is enumerate:
            return _enumerate(lowerer, node)
        if called is zip:
            return _zip(lowerer, node, [iteration(lowerer, part) for part in node.args])
        if called in (np.ndindex, np.ndenumerate, np.nditer):
            message = f"a loop over `{ast.unparse(node.func)}` cannot be differentiated"
            raise lowerer.refuse("BS114", message, node, "write a loop over a range for each axis")
    return _over(lowerer, lowerer.lower(node), node)


def _called(lowerer: ExpressionLowerer, node: ast.expr) -> object | None:
    """The compile-time object that the expression calls, if it is a call by name."""
    if not isinstance(node, ast.Call):
        return None
    path = node.func
    while isinstance(path, ast.Attribute):
        path = path.value
    if not isinstance(path, ast.Name):
        return None
    root = lowerer.find(path.id, lowerer.frame)
    if root is None or isinstance(root, Value):
        return None
    function = lowerer.lower(node.func) if isinstance(node.func, ast.Name | ast.Attribute) else root
    return function.value if isinstance(function, Const) else None


def _range(lowerer: ExpressionLowerer, node: ast.Call) -> Steps:
    args = lowerer.spread(node.args)
    if node.keywords or not 1 <= len(args) <= 3:
        raise lowerer.refuse(
            "BS113", "`range` takes one to three numbers", node, "write range(start, stop, step)"
        )
    start, stop = (ZERO, args[0]) if len(args) == 1 else (args[0], args[1])
    step = args[2] if len(args) == 3 else ONE
    if isinstance(step, Const) and step.value == 0:
        raise lowerer.refuse("BS113", "the step of a `range` is zero", node, "use a step other than zero")
    return Steps(start, stop, step, lambda index: index)


def _over(lowerer: ExpressionLowerer, base: Operand, node: ast.expr) -> Steps | Items:
    """The elements of an array or tuple."""
    parts = known_elements(lowerer.context, base)
    if parts is not None and (len(parts) <= LONGEST_UNROLLED or any(map(is_static, parts))):
        return Items(parts)
    if isinstance(base, Const) and not isinstance(base.value, np.ndarray | tuple):
        what = getattr(base.value, "__name__", type(base.value).__name__)
        raise lowerer.refuse(
            "BS114", f"a loop over `{what}` cannot be differentiated", node, "loop over a range"
        )
    stop = lowerer.apply(len, (base,), node)
    loc = lowerer.loc(node)
    return Steps(ZERO, stop, ONE, lambda index: lowerer.builder.load(base, (index,), loc=loc))


def _reversed(lowerer: ExpressionLowerer, node: ast.Call) -> Steps | Items:
    inner = iteration(lowerer, node.args[0])
    if isinstance(inner, Items):
        return Items(inner.items[::-1])
    if not isinstance(inner.step, Const) or inner.step.value not in (1, -1):
        message = "`reversed` of a range with another step than 1 cannot be differentiated"
        raise lowerer.refuse("BS114", message, node, "write the range from its last number to its first")
    step: int = inner.step.value
    start = _shifted(lowerer, inner.stop, -step, node)
    stop = _shifted(lowerer, inner.start, -step, node)
    return Steps(start, stop, Const(-step), inner.element)


def _shifted(lowerer: ExpressionLowerer, operand: Operand, by: int, node: ast.AST) -> Operand:
    """An integer plus or minus one."""
    if isinstance(operand, Const) and not operand.name:
        return Const(operand.value + by)
    return lowerer.apply(operator.sub if by < 0 else operator.add, (operand, Const(abs(by))), node)


def _enumerate(lowerer: ExpressionLowerer, node: ast.Call) -> Steps | Items:
    inner = iteration(lowerer, node.args[0])
    given = node.args[1:] + [keyword.value for keyword in node.keywords]
    first = lowerer.lower(given[0]) if given else ZERO
    if isinstance(inner, Items):
        if not (isinstance(first, Const) and isinstance(first.value, int)):
            message = "`enumerate` of a tuple needs a start that is known before the program runs"
            raise lowerer.refuse("BS114", message, node, "start at a constant")
        pairs = [(Const(first.value + k), item) for k, item in enumerate(inner.items)]
        return Items(tuple(lowerer.make_tuple(pair, node) for pair in pairs))
    counted = _counted(lowerer, inner, node)

    def pair(index: Operand) -> Operand:
        number = _position(lowerer, first, index, node)
        return lowerer.make_tuple((number, counted.element(index)), node)

    return Steps(ZERO, counted.stop, ONE, pair)


def _zip(lowerer: ExpressionLowerer, node: ast.Call, parts: list[Steps | Items]) -> Steps | Items:
    known = [part.items for part in parts if isinstance(part, Items)]
    if len(known) == len(parts):
        return Items(tuple(lowerer.make_tuple(group, node) for group in zip(*known, strict=False)))
    if known:
        message = "`zip` of a written-out tuple and an array cannot be differentiated"
        raise lowerer.refuse("BS114", message, node, "make the tuple an array with np.array")
    counted = [_counted(lowerer, part, node) for part in parts if isinstance(part, Steps)]
    stops = tuple(part.stop for part in counted)
    stop = stops[0] if len(stops) == 1 else lowerer.apply(min, stops, node)

    def group(index: Operand) -> Operand:
        return lowerer.make_tuple(tuple(part.element(index) for part in counted), node)

    return Steps(ZERO, stop, ONE, group)


def _counted(lowerer: ExpressionLowerer, steps: Steps, node: ast.AST) -> Steps:
    """The same loop with an index that counts from zero."""
    start, step = steps.start, steps.step
    plain = isinstance(step, Const) and step.value == 1
    if plain and isinstance(start, Const) and start.value == 0:
        return steps
    if not plain:
        message = "`zip` and `enumerate` of a range with another step than 1 cannot be differentiated"
        raise lowerer.refuse(
            "BS114", message, node, "loop over the range and compute the rest from its index"
        )
    length = lowerer.apply(operator.sub, (steps.stop, start), node)

    def element(index: Operand) -> Operand:
        return steps.element(_position(lowerer, start, index, node))

    return Steps(ZERO, length, ONE, element)


def _position(lowerer: ExpressionLowerer, first: Operand, index: Operand, node: ast.AST) -> Operand:
    """The number that the loop has come to."""
    if isinstance(first, Const) and first.value == 0:
        return index
    return lowerer.apply(operator.add, (first, index), node)
