"""How many items a loop has, when they are counted, and checks of numbers that tell them apart."""

from __future__ import annotations

import ast
import operator
from collections.abc import Sequence

from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.context.rounds import write_loops_out
from backsweep.frontend.context.scope import Range, walrus_names
from backsweep.ir.nodes import Apply, Block, Const, If, Operand, Raise

WHOLE = (operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod)
"""The operators of whole numbers that are computed while compiling where a number must be known."""
UNEQUAL = "`zip` has strict=True, and its arguments have different numbers of items"


def refuse_number(lowerer: Lowerer, node: ast.AST) -> Exception:
    """The refusal of a number that tells objects apart and that the run knows, unless the loops around can be written out."""
    write_loops_out(lowerer.context.objects, lowerer.context.expansions)
    message = "which object of this list is meant, the run decides"
    remedy = "loop over the objects themselves, as in `for k, body in enumerate(bodies)`, or over a range of literals"
    return lowerer.refuse("BS104", message, node, remedy)


def whole_number(lowerer: Lowerer, operand: Operand) -> int | None:
    """The whole number that an operand is: a literal, or what is computed of literals, as a layer's number is; None if the run decides it."""
    if isinstance(operand, Const):
        return (
            operand.value if isinstance(operand.value, int) and not isinstance(operand.value, bool) else None
        )
    match lowerer.context.builder.made.get(operand):
        case Apply(function=function, operands=(one, other)) if function in WHOLE:
            numbers = whole_number(lowerer, one), whole_number(lowerer, other)
            if None in numbers or (numbers[1] == 0 and function in (operator.floordiv, operator.mod)):
                return None
            found: int = function(*numbers)
            return found
        case _:
            return None


def refuse_text(lowerer: Lowerer, node: ast.AST) -> Exception:
    """The refusal of a text that the run makes where one must be known, as the key of a dict, unless the loops around can be written out."""
    write_loops_out(lowerer.context.objects, lowerer.context.expansions)
    message = "which text this is, the run decides, and compiled code has no texts but those that are printed or raised"
    remedy = "make it of literals and of variables of loops whose number is known, as in `for k in range(len(params) // 2): params[f'W{k}']`; leave other formatting to the caller"
    return lowerer.refuse("BS102", message, node, remedy)


def check_enough(lowerer: Lowerer, wanted: Operand, found: Operand, node: ast.AST) -> None:
    """Raise ValueError, before the loop, if there are fewer items than objects when the program runs."""
    loc = lowerer.loc(node)
    if isinstance(found, Const) and isinstance(wanted, Const) and found.value >= wanted.value:
        return
    fewer = lowerer.apply(operator.lt, (found, wanted), node)
    with lowerer.builder.block() as wrong:
        text = "zip() has fewer items than objects, which compiled code does not leave out"
        lowerer.builder.add(Raise(Const(ValueError), (Const(text),), loc))
    lowerer.builder.add(If(fewer, wrong.finish(), Block((), (), ()), (), loc))


def check_equal(lowerer: Lowerer, stops: Sequence[Operand], node: ast.AST, message: str = UNEQUAL) -> None:
    """Raise ValueError, before the loop, if the numbers of items differ when the program runs."""
    loc = lowerer.loc(node)
    for other in stops[1:]:
        differs = lowerer.apply(operator.ne, (stops[0], other), node)
        with lowerer.builder.block() as wrong:
            lowerer.builder.add(Raise(Const(ValueError), (Const(message),), loc))
        lowerer.builder.add(If(differs, wrong.finish(), Block((), (), ()), (), loc))


def is_in_range(lowerer: Lowerer, item: Operand, numbers: Range, node: ast.AST) -> Operand:
    """Lower `item in range(start, stop, step)`, whose step is known."""
    assert isinstance(numbers.step, Const)
    step = numbers.step.value
    ends = (numbers.start, numbers.stop) if step > 0 else (numbers.stop, numbers.start)
    compared = (operator.le, operator.lt) if step > 0 else (operator.lt, operator.le)
    found = lowerer.apply(compared[0], (ends[0], item), node)
    inside = [lowerer.apply(compared[1], (item, ends[1]), node)]
    if abs(step) != 1:
        gone = lowerer.apply(operator.sub, (item, numbers.start), node)
        rest = lowerer.apply(operator.mod, (gone, Const(abs(step))), node)
        inside.append(lowerer.apply(operator.eq, (rest, Const(0)), node))
    for each in inside:
        found = lowerer.apply(operator.and_, (found, each), node)
    lowerer.context.booleans.add(found)
    return found


def lists_last(lowerer: Lowerer, nodes: Sequence[ast.expr]) -> list[int]:
    """In which order the iterables of a loop are looked at: lists that have names after calls, which may change them.

    How many items such a list has then is what counts, as in Python.
    """
    if not any(isinstance(part, ast.Call) for each in nodes for part in ast.walk(each)):
        return [*range(len(nodes))]
    rebound = {name for each in nodes for name in walrus_names(each)}

    def waits(k: int) -> bool:
        node = nodes[k]
        if not isinstance(node, ast.Name) or node.id in rebound:
            return False
        found = lowerer.find(node.id, lowerer.frame)
        return found is not None and lowerer.context.is_list(found)

    return sorted(range(len(nodes)), key=waits)
