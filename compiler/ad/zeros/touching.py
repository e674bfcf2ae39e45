"""Say in a derivative that is differentiated again where the derivative of a choice is not known: where both sides touch.

`abs(u)` of `u = x * x - x**3` has at 0 the slope of either side, and a second derivative that neither tells: both sides meet with one slope,
because `u` is flat there. A gradient that only another derivative reads has a term for that, `touching`: it is zero, and its own derivative is nan
where the sides are equal and what moves them is lost on the way.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from backsweep.ad.zeros.guards import StrongZeros
from backsweep.ad.zeros.movers import ONE, Mover, expression_of, find_movers
from backsweep.ad.zeros.ties import Choice
from backsweep.analysis.structure import Facts
from backsweep.ir.build import Builder
from backsweep.ir.nodes import ZERO, Apply, Block, Const, If, Operand
from backsweep.ir.operations import canonical
from backsweep.ir.typed import type_of
from backsweep.ir.types import Array, Scalar
from backsweep.rules.expression import RuleExpression
from backsweep.rules.limits import DECOMPOSED
from backsweep.rules.matching import is_complex
from backsweep.runtime.special import norm_along, norm_along_kept, root_mean_square, touching

_SEVERAL = "np.where((a == y) & (np.sum(a == y) > 1), 0.0, 1.0)"
APART: dict[Any, str] = {
    **dict.fromkeys([abs, operator.abs, np.absolute, np.fabs, math.fabs, np.copysign, math.copysign], "a"),
    **dict.fromkeys([np.maximum, np.minimum, np.fmax, np.fmin, max, min], "a - b"),
    **dict.fromkeys([np.hypot, math.hypot, np.linalg.norm, np.std], "y"),
    **dict.fromkeys([norm_along, norm_along_kept, root_mean_square], "y"),
    **dict.fromkeys([np.max, np.min, np.nanmax, np.nanmin], _SEVERAL),
    np.clip: "np.minimum(np.abs(a - b), np.abs(a - c))",
}
"""Functions that choose, or have a kink: an expression in the operands and the result that is zero where the sides meet."""


@dataclass(frozen=True, slots=True)
class Touch:
    """Something that moves a choice, and may be lost on the way; `apart` is zero where the sides of the choice meet."""

    mover: Mover
    apart: ast.expr
    names: dict[str, Operand]
    by_entry: bool
    """Whether what moves has an entry for each of the choice's."""
    of_values: tuple[int, bool] | None = None
    """Of a decomposition, which result has a kink where two entries are equal, and whether where one is zero, too."""

    def fitted(self, term: Operand, builder: Builder) -> Operand:
        """A term of the choice's tangent: a number, unless it goes by entries."""
        is_whole = isinstance(self.mover.node.result.type, Array) and not (
            self.by_entry and isinstance(type_of(self.names["y"]), Array)
        )
        term = builder.apply(np.real, term) if is_complex(self.mover.node.result) else term
        return builder.apply(np.sum, term) if is_whole else term


def touches(node: Apply, varying: Container[Operand], zeros: StrongZeros) -> Iterator[Touch]:
    """What moves the operands of a choice, where it may be flat, unless the side is known."""
    text = APART.get(canonical(node.function), APART.get(node.function))
    text = "y" if zeros.squares.has_root(node) else text
    of_values = DECOMPOSED.get(node.function)
    text = "0.0" if of_values is not None else text
    if text is None or (node.keywords and of_values is None) or is_complex(node.result) or not zeros.strong:
        return
    given = [each for each in node.operands if not (isinstance(each, Const) and each.value is None)]
    names = {**dict(zip("abc", given, strict=False)), "y": node.result}
    ranges = zeros.ranges_of(node)
    choice = Choice(node, varying, ranges)
    if choice.certain is not None or (choice.sign and text == "a"):
        return
    if canonical(node.function) is np.clip and len(ranges) == 3:
        bounds = [ranges[0].low >= ranges[1].high, ranges[0].high <= ranges[2].low]
        text = text if not any(bounds) else "a - b" if bounds == [False, True] else "a - c"
        if all(bounds):
            return
    apart = ast.parse(text, mode="eval").body
    if not {each.id for each in ast.walk(apart) if isinstance(each, ast.Name)} <= {"np", *names}:
        return
    if any(map(is_complex, given)) and of_values is None:
        apart = ast.Name("y", ast.Load())
    block = zeros.facts.where[node.result]
    done = set()
    for operand in given:
        for mover in find_movers(operand, varying, zeros) if operand in varying else ():
            if mover.key not in done and _is_seen(mover, block, zeros.facts):
                done.add(mover.key)
                if of_values is not None:
                    yield Touch(mover, apart, names, False, of_values)
                    continue
                meets = names["a"] if text is _SEVERAL else node.result
                is_same = not mover.whole and zeros.facts.shapes.same(mover.node.result, meets)
                yield Touch(mover, apart, names, is_same or not isinstance(type_of(meets), Array))


def _is_seen(mover: Mover, block: Block, facts: Facts) -> bool:
    """Whether the cotangent of a mover can be added to in a block: no loop lies between, and memory is not written after the mover was read."""
    made = facts.holder[mover.node]
    if facts.aliases.is_buffer(mover.value):
        return made is block and not facts.overwritten_after(mover.value, mover.node)
    while block is not made and block in facts.parents:
        region, block = facts.parents[block]
        if not isinstance(region, If) or isinstance(mover.value.type, Array):
            return False
    return block is made


def write_touch(
    touch: Touch,
    node: Apply,
    arrives: Operand,
    builder: Builder,
    seen: Callable[[Operand, Apply], Operand],
    meets: Operand | None = None,
) -> Operand:
    """Write the term of one mover for what arrives at the choice: its cotangent, or the tangent of the mover; `seen` gives what a node read.

    Of a decomposition, what arrives is how far the cotangents of equal values differ, or `meets` is zero where some are equal.
    """
    mover = touch.mover
    rule = mover.rule
    one = dict.fromkeys(rule.cotangents, ONE)
    bound = {name: mover.names.get(name, Const(rule.defaults.get(name))) for name in rule.parameters}
    read = {**bound, **mover.names}
    partial = expression_of(
        mover.node, rule, builder, lambda name: one[name] if name in one else seen(read[name], mover.node)
    )
    slope = partial.write(mover.adjoint)
    if touch.of_values is not None:
        arrives, apart = (arrives, ZERO) if meets is None else (total(arrives, builder), meets)
        return builder.apply(touching, arrives, seen(mover.value, mover.node), slope, apart)
    apart = RuleExpression(
        builder,
        contents=lambda name: seen(touch.names[name], node),
        shapes=lambda name: seen(touch.names[name], node),
        known=lambda _function, _operands: None,
        names={"np": np},
        as_math=False,
        on_scalars=isinstance(node.result.type, Scalar) and not isinstance(type_of(touch.names["a"]), Array),
        of_complex=False,
    ).write(touch.apart)
    if not touch.by_entry:
        arrives = total(arrives, builder)
        apart = builder.apply(np.min, builder.apply(np.abs, apart))
    return builder.apply(touching, arrives, seen(mover.value, mover.node), slope, apart)


def total(arrives: Operand, builder: Builder) -> Operand:
    """The sizes of what arrives, added up."""
    return builder.apply(np.sum, builder.apply(np.abs, arrives))
