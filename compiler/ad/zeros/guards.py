"""Guard the adjoints of rules at singular points: a product with the cotangent in which zero times anything is zero.

An adjoint is the cotangent times a partial derivative, `y_bar * 0.5 / y`. If a divisor in it may be zero, or a factor may
be infinite, the cotangent is split off and joined again by `strong_quotient(0.5 * y_bar, y)` or
`strong_product(y_bar, z / y)`. Both are operations with rules of their own, because a branch on the cotangent would have
the derivative zero where the cotangent is zero.
"""

from __future__ import annotations

import ast
import copy
import math
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any

import numpy as np

from backsweep.ad.zeros.infinities import Infinities
from backsweep.ad.zeros.products import HONEST, LENGTHS, OF_LENGTHS, PRODUCTS, Factor, call_of, joined, weak
from backsweep.ad.zeros.ranges import Ranges
from backsweep.ad.zeros.roots import Expression, Lengths, Roots
from backsweep.ad.zeros.squares import Squares
from backsweep.ad.zeros.ties import has_shares, with_tangent
from backsweep.analysis.structure import Facts
from backsweep.ir.nodes import Apply, Const, Operand, Value
from backsweep.ir.operations import Kind, kind, operation
from backsweep.ir.types import Scalar
from backsweep.ir.walk import walk
from backsweep.rules.declare import Rule
from backsweep.rules.expression import BINARY, UNARY, is_local, resolved
from backsweep.rules.limits import (
    ANY,
    POSITIVE,
    Range,
    exactly,
    is_zero_with_first,
    leaves_domain,
    range_of,
    shows_singularity,
)
from backsweep.runtime.special import (
    along,
    before_length,
    before_root,
    mutual_product,
    over_root,
    over_root_or_nan,
    shared,
    signed,
    strong_product,
    strong_quotient,
)


class StrongZeros:
    """Guards the adjoints of the rules of one program, unless `strong_zeros` is switched off.

    `wanted` is the result if its cotangent is known not to be zero, else None.
    """

    def __init__(
        self, facts: Facts, wanted: Operand | None = None, *, strong: bool, again: bool = False
    ) -> None:
        self.facts = facts
        self.strong = strong
        self.again = again
        """Whether the derivative is written to be differentiated again."""
        self.ranges = Ranges(facts)
        self.infinities = Infinities(facts, self.ranges, wanted)
        self.squares = Squares(facts, self.ranges)
        self.roots = Roots(facts, self.ranges, self.infinities, self.squares)
        self.lengths = Lengths(facts, self.ranges, self.infinities, self.squares)
        called = {node.function for node in walk(facts.function.body) if isinstance(node, Apply)}
        self.of_lengths = not called.isdisjoint(LENGTHS)
        """Whether the program has cotangents of lengths, whose own cotangents are nan where a length is zero."""
        if over_root_or_nan in called and called.isdisjoint((*LENGTHS, before_root, before_length)):
            self.lengths.mark = (
                before_root  # tangents of lengths, which have no derivative where these are zero
            )
        self.of_angles = not called.isdisjoint(OF_LENGTHS)
        """Whether it is a reverse sweep, in which the cotangent of an angle is zero for a mask alone."""
        self.of_ties = has_shares(facts)
        """Whether it is a derivative that shares a cotangent at ties."""

    def guarded(
        self,
        adjoint: ast.expr,
        node: Apply,
        rule: Rule,
        names: Mapping[str, Operand],
        bars: Sequence[str],
        *,
        steep: bool = False,
    ) -> ast.expr:
        """The adjoint of an operand, or the term of a tangent, such that a cotangent of zero contributes zero.

        If the tangent is `steep`, so does a partial derivative of zero.
        """
        if not self.strong:
            return weak(adjoint, rule.globals)
        steep = steep or self.of_lengths
        if not steep and not self.may_be_singular(node):
            return adjoint
        return _Guard(self, node, rule, names, bars, steep=steep).guarded(adjoint)

    def before_roots(
        self,
        guarded: ast.expr,
        adjoint: ast.expr,
        parameter: str,
        node: Apply,
        rule: Rule,
        names: dict[str, Operand],
        bars: Sequence[str],
    ) -> ast.expr:
        """The guarded adjoint of a parameter, nan where it goes on to a root of infinite slope and is zero though a cotangent comes in.

        What this reads besides is put into `names`. Where it goes on to a length, it is nan if it is differentiated again.
        """
        reached = [each for each in (self.roots, self.lengths) if each.reach(names[parameter])]
        if not self.strong or len(bars) != 1 or not reached:
            return guarded
        if node.function in HONEST and not (node.function in PRODUCTS and parameter == rule.parameters[0]):
            return guarded
        is_product = kind(node.function) is Kind.PRODUCT or node.function is np.outer
        if not rule.elementwise and not is_product and not isinstance(node.result.type, Scalar):
            return guarded
        for each in reached:
            guard = _Guard(self, node, rule, names, bars, roots=each)
            guarded = guard.before_roots(guarded, adjoint, parameter, names)
        return guarded

    def told_of_roots(self, operand: Operand) -> list[tuple[Callable[..., Any], Expression]]:
        """What is zero where the slope of a root that the operand is computed from is infinite, or where a length is, each with the mark that it gets."""
        kinds = (self.roots, self.lengths) if self.strong else ()
        return [(each.mark, told) for each in kinds if (told := each.told(operand)) is not None]

    def before_angle(
        self,
        guarded: ast.expr,
        term: ast.expr,
        parameter: str,
        node: Apply,
        rule: Rule,
        names: dict[str, Operand],
        bars: Sequence[str],
    ) -> ast.expr:
        """The guarded term of a tangent, nan where it is zero and the parameter is computed from an angle of the origin.

        In the tangent of a gradient, that of an angle is nan there, and zeros are strong.
        """
        if not self.strong or self.of_angles or not rule.elementwise:
            return guarded
        if not self.roots.reach_jump(names[parameter]) or node.function in HONEST:
            return guarded
        guard = _Guard(self, node, rule, names, bars)
        return guard.before_roots(guarded, term, parameter, names, moves=True)

    def times(
        self,
        partial: ast.expr,
        node: Apply,
        rule: Rule,
        names: Mapping[str, Operand],
        bar: str,
        dot: str,
        *,
        steep: bool,
    ) -> ast.expr:
        """The adjoint of an operand of which `bar` stands for 1, times its tangent `dot`, entry by entry.

        A choice in the adjoint is a choice of the tangent: what is left out contributes nothing, even if it is infinite
        or nan. So does a partial derivative of zero if the tangent is `steep`.
        """
        return _Guard(self, node, rule, names, (bar,)).times(partial, ast.Name(dot, ast.Load()), steep=steep)

    def may_be_flat(
        self,
        adjoint: ast.expr,
        node: Apply,
        rule: Rule,
        names: Mapping[str, Operand],
        bars: Sequence[str],
        varying: Container[Operand],
    ) -> bool:
        """Whether an adjoint may be zero because of the value of an operand that varies, or of the result."""
        guard = _Guard(self, node, rule, names, bars)

        def varies(factor: ast.expr) -> bool:
            read = (guard.operand(each) for each in ast.walk(factor) if isinstance(each, ast.expr))
            return any(each is node.result or each in varying for each in read if each is not None)

        return any(
            varies(factor) and (guard.has_bar(factor) or not guard.range(factor).is_nonzero)
            for factor, divides in guard.factors(adjoint)[1]
            if not divides
        )

    def changes(
        self, adjoint: ast.expr, node: Apply, rule: Rule, names: Mapping[str, Operand], bars: Sequence[str]
    ) -> bool:
        """Whether an adjoint, or the term of a tangent, may be infinite or nan although the node's result is finite."""
        if not self.strong or not self.may_be_singular(node):
            return False
        if shows_singularity(node.function, self.ranges_of(node)) and self.infinities.shows_in_result(
            node.result
        ):
            return False
        return _Guard(self, node, rule, names, bars).has_singular(adjoint)

    def may_be_singular(self, node: Apply) -> bool:
        """Whether the result may be finite where the node's partial derivatives are not."""
        tells = shows_singularity(node.function, self.ranges_of(node))
        return not (tells and self.infinities.shows(node.result))

    def ranges_of(self, node: Apply) -> list[Range]:
        """The ranges of a node's operands."""
        block = self.facts.where[node.result]
        return [self.ranges.at(operand, block) for operand in node.operands]


class _Guard:
    """Guards the adjoints of one call; `names` holds what the rule's names stand for."""

    def __init__(
        self,
        zeros: StrongZeros,
        node: Apply,
        rule: Rule,
        names: Mapping[str, Operand],
        bars: Sequence[str],
        *,
        steep: bool = False,
        roots: Roots | None = None,
    ) -> None:
        self.zeros = zeros
        self.roots = zeros.roots if roots is None else roots
        self.steep = steep
        self.jumps = False
        """Whether the adjoint goes on to an angle, which may jump: there every value that varies is as a root is elsewhere."""
        self.may_be_singular = zeros.may_be_singular(node)
        self.node = node
        self.names = names
        self.bars = bars
        self.globals = rule.globals
        self.by_entry = rule.elementwise
        self.block = zeros.facts.where[node.result]

    # The form of the product

    def guarded(self, node: ast.expr) -> ast.expr:
        """The expression with its products guarded."""
        if not self.has_bar(node):
            return node
        match node:
            case ast.BinOp(op=ast.Mult() | ast.Div()) | ast.UnaryOp(op=ast.USub()):
                return self.product(node)
            case ast.BinOp(left, op, right):
                return ast.BinOp(self.guarded(left), op, self.guarded(right))
            case ast.Call(func, [_, _], []) if self.function(func) is np.divide:
                return self.product(node)
            case ast.Call(func, [a, x, y], []) if (
                self.steep and self.function(func) is along and self.reads_root(x)
            ):
                return ast.BinOp(call_of(strong_quotient, self.guarded(a), y), ast.Mult(), x)
            case ast.Call(func, arguments, keywords):
                return ast.Call(func, [self.guarded(each) for each in arguments], keywords)
            case _:
                return node

    def product(self, node: ast.expr) -> ast.expr:
        """A product with the cotangent, in which the factors that may be infinite are guarded together."""
        is_minus, factors = self.factors(node)
        singular = self.may_be_singular and any(map(self.is_singular, factors))
        if not singular:
            return self.flat(node, is_minus, factors) if self.steep else node
        plain = [factor for factor in factors if self.is_scale(factor)]
        rest = [factor for factor in factors if not self.is_scale(factor)]
        bar = joined([(self.guarded(each), divides) for each, divides in plain])
        of_length = self.zeros.squares.has_root(self.node)
        flat = self.steep and any(map(self.is_flat, rest))
        if of_length and (flat or not all(divides for _, divides in rest)):
            bar = ast.BinOp(bar, ast.Mult(), self.is_not_zero(node))
        if flat:
            rest.sort(key=lambda factor: factor[1])
            found = call_of(mutual_product, bar, joined(rest))
        elif all(divides for _, divides in rest):
            below = joined([(each, False) for each, _ in rest])
            found = call_of(over_root if of_length else strong_quotient, bar, below)
        else:
            rest.sort(key=lambda factor: factor[1])
            found = call_of(strong_product, bar, joined(rest))
        return ast.UnaryOp(ast.USub(), found) if is_minus else found

    def flat(self, node: ast.expr, is_minus: bool, factors: Sequence[Factor]) -> ast.expr:
        """A product with a tangent that may be infinite: zero where another factor is zero."""
        flat = [factor for factor in factors if self.is_flat(factor)]
        if not flat:
            return node
        rest = joined([factor for factor in factors if factor not in flat])
        found = call_of(strong_product, joined(flat), rest)
        return ast.UnaryOp(ast.USub(), found) if is_minus else found

    # What goes on to a root

    def before_roots(
        self,
        guarded: ast.expr,
        adjoint: ast.expr,
        parameter: str,
        names: dict[str, Operand],
        *,
        moves: bool = False,
    ) -> ast.expr:
        """The guarded adjoint, nan where it is zero because of the value of a root whose slope is infinite there.

        `moves` says that something comes in, whatever the tangent is.
        """
        self.jumps = self.roots.reach_jump(names[parameter])
        _, factors = self.factors(adjoint)
        flat = [factor for factor in factors if self.is_flattened(factor, parameter)]
        told = self.roots.told(names[parameter]) if flat else None
        if told is None:
            return guarded
        where, named = told
        names.update(named)
        rest = [
            factor
            for factor in factors
            if not self.reads_root(factor[0])
            and (self.has_bar(factor[0]) or not (factor[1] or self.range(factor[0]).is_nonzero))
        ]
        (bar,) = self.bars
        arrives: ast.expr = ast.Constant(1.0)
        if not self.by_entry and not isinstance(self.node.result.type, Scalar):
            arrives = ast.Compare(ast.Name(bar, ast.Load()), [ast.NotEq()], [ast.Constant(0.0)])
            arrives = call_of(np.any, arrives)
        elif not moves:
            whole = any(self.has_bar(each) for each, _ in rest)
            arrives = joined(rest) if whole else ast.Name(bar, ast.Load())
        return call_of(self.roots.mark, guarded, arrives, where)

    def is_flattened(self, factor: Factor, parameter: str) -> bool:
        """Whether a factor may be zero because of the value of a root."""
        node, divides = factor
        if divides or not self.reads_root(node) or (not self.has_bar(node) and self.range(node).is_nonzero):
            return False
        found = self.at_zero(node, parameter)
        return found is None or not found

    def at_zero(self, node: ast.expr, parameter: str) -> float | None:
        """A factor where the parameter is zero, if that is where it goes on to a root; None if it reads another value or cannot be computed."""
        operand = self.names[parameter]
        if not self.by_entry or self.has_bar(node) or not self.roots.is_zero_with(operand):
            return None
        given = [
            0.0 if each is operand else each.value if isinstance(each, Const) else None
            for each in self.node.operands
        ]
        known: dict[str, Any] = {
            name: given[self.node.operands.index(each)]
            for name, each in self.names.items()
            if each in self.node.operands
        }
        read = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} - self.globals.keys()
        try:
            with np.errstate(all="ignore"):
                known |= {
                    name: self.node.function(*given)
                    for name in read
                    if self.names.get(name) is self.node.result and None not in given
                }
                if any(known.get(name) is None for name in read):
                    return None
                code = compile(ast.fix_missing_locations(ast.Expression(copy.deepcopy(node))), "", "eval")
                return float(eval(code, dict(self.globals), known))  # noqa: S307  a rule's own expression
        except (ArithmeticError, ValueError, TypeError):
            return None

    def reads_root(self, node: ast.expr, roots: Roots | None = None) -> bool:
        """Whether the value of an expression varies with that of a root; a comparison or a sign does not."""
        roots = self.roots if roots is None else roots
        match node:
            case ast.Name():
                operand = self.operand(node)
                if operand is self.node.result and is_zero_with_first(self.node.function):
                    operand = self.node.operands[0]
                if operand is None or not self.jumps:
                    return operand is not None and roots.reach(operand)
                return roots.varies(operand) and not roots.reach_jump(operand)
            case ast.Compare() | ast.Attribute(attr="shape" | "size" | "ndim"):
                return False
            case ast.Call(func, arguments, _) if (function := self.function(func)) is not None:
                if function in (np.sign, np.floor, np.trunc, np.isnan):
                    return False
                skipped = (1,) if function is signed else operation(function).shape_only
                return any(
                    self.reads_root(each, roots) for k, each in enumerate(arguments) if k not in skipped
                )
            case _:
                return any(
                    self.reads_root(each, roots)
                    for each in ast.iter_child_nodes(node)
                    if isinstance(each, ast.expr)
                )

    def may_be_zero(self, node: ast.expr) -> bool:
        """Whether a factor may be exactly zero; a function of what may be infinite may be, as `exp` is."""
        if self.operand(node) is self.node.result and any(
            map(self.zeros.infinities.is_hidden, self.node.operands)
        ):
            return True
        return self.is_infinite(node) or not self.range(node).is_nonzero

    def is_flat(self, factor: Factor) -> bool:
        """Whether a product is zero for a factor other than the tangent."""
        node, divides = factor
        return not divides and not self.has_bar(node) and self.may_be_zero(node) and not self.hides_root(node)

    def hides_root(self, node: ast.expr) -> bool:
        """Whether a factor may be zero because of a root or length, whose tangent it may be multiplied with."""
        return any(self.reads_root(node, each) for each in (self.zeros.roots, self.zeros.lengths))

    def times(self, partial: ast.expr, dot: ast.expr, *, steep: bool) -> ast.expr:
        """A partial derivative in which the cotangent is 1, times a tangent; choices and sums are taken apart."""
        if not self.has_bar(partial):
            return partial  # zero, or nan to show that the result is
        match partial:
            case ast.UnaryOp(ast.USub(), operand):
                return ast.UnaryOp(ast.USub(), self.times(operand, dot, steep=steep))
            case ast.BinOp(left, ast.Add() | ast.Sub() as op, right):
                return ast.BinOp(self.times(left, dot, steep=steep), op, self.times(right, dot, steep=steep))
            case ast.Call(func, [condition, *sides], []) if (
                self.function(func) is np.where and len(sides) == 2 and not self.has_bar(condition)
            ):
                return ast.Call(
                    func, [condition, *(self.times(each, dot, steep=steep) for each in sides)], []
                )
            case ast.Call(func) if self.function(func) is shared:
                return with_tangent(partial, self.bars, dot)
        is_infinite = self.zeros.strong and self.is_infinite(partial)
        is_flat = self.zeros.strong and steep and self.may_be_zero(partial) and not self.hides_root(partial)
        if is_infinite and is_flat:
            return call_of(mutual_product, partial, dot)
        if is_infinite or is_flat:
            return call_of(strong_product, *((dot, partial) if is_infinite else (partial, dot)))
        return ast.BinOp(partial, ast.Mult(), dot)

    def has_singular(self, node: ast.expr) -> bool:
        """Whether a factor of a product with the cotangent may be infinite or nan."""
        if not self.has_bar(node):
            return False
        if any(map(self.is_singular, self.factors(node)[1])):
            return True
        return any(
            self.has_singular(each) for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr)
        )

    def is_not_zero(self, adjoint: ast.expr) -> ast.expr:
        """`y != 0.0`, of the result, or of the operand if the adjoint does not read the result."""
        read = {each.id for each in ast.walk(adjoint) if isinstance(each, ast.Name)}
        name = next(
            name
            for value in (self.node.result, self.node.operands[0])
            for name, operand in self.names.items()
            if operand is value and name in read
        )
        return ast.Compare(ast.Name(name, ast.Load()), [ast.NotEq()], [ast.Constant(0.0)])

    def factors(self, node: ast.expr) -> tuple[bool, list[Factor]]:
        """Whether a product has a minus sign, and its factors in their order; only the part with the cotangent is taken apart."""
        match node:
            case ast.UnaryOp(ast.USub(), operand) if self.has_bar(operand):
                is_minus, inner = self.factors(operand)
                return not is_minus, inner
            case ast.BinOp(left, ast.Mult() | ast.Div() as op, right) if self.has_bar(left):
                is_minus, inner = self.factors(left)
                return is_minus, [*inner, (right, isinstance(op, ast.Div))]
            case ast.Call(func, [left, right], []) if self.has_bar(node) and self.function(func) is np.divide:
                is_minus, inner = self.factors(left)
                return is_minus, [*inner, (right, True)]
            case ast.BinOp(left, ast.Mult(), right) if self.has_bar(right):
                is_minus, inner = self.factors(right)
                return is_minus, [(left, False), *inner]
            case _:
                return False, [(node, False)]

    def has_bar(self, node: ast.expr) -> bool:
        """Whether the cotangent is in an expression."""
        return any(isinstance(each, ast.Name) and each.id in self.bars for each in ast.walk(node))

    def is_scale(self, factor: Factor) -> bool:
        """Whether a factor is the cotangent or a number that is not zero, which a cotangent may be multiplied with first."""
        node, divides = factor
        if self.has_bar(node) or divides:
            return self.has_bar(node)
        known = self.range(node)
        return -math.inf < known.low == known.high < math.inf and known.low != 0.0

    def is_singular(self, factor: Factor) -> bool:
        """Whether a product may be infinite or nan for a factor."""
        node, divides = factor
        if self.is_scale(factor):
            return False
        return self.is_infinite(node) or (divides and not self.range(node).is_nonzero)

    # What is known of the factors

    def function(self, node: ast.expr) -> Any:
        """The function that an expression calls; None if that is a method."""
        is_method = isinstance(node, ast.Attribute) and is_local(node, self.globals)
        return None if is_method else resolved(node, self.globals)

    def operand(self, node: ast.expr) -> Operand | None:
        """What a name stands for."""
        return self.names.get(node.id) if isinstance(node, ast.Name) else None

    def range(self, node: ast.expr) -> Range:
        """The range of an expression."""
        operand = self.operand(node)
        if operand is not None:
            return self.zeros.ranges.at(operand, self.block)
        if _is_never_zero(node):
            return Range(nonzero=True)
        match node:
            case ast.Constant(int() | float() as number):
                return exactly(float(number))
            case ast.Attribute(attr="size"):
                return POSITIVE
            case ast.Call(
                func, [ast.Compare(ast.Name(name), [ast.Gt()], [ast.Constant(0.0)]), one, other]
            ) if self.function(func) is np.where and isinstance(one, ast.Name) and one.id == name:
                return POSITIVE if self.range(other).is_positive else ANY
            case _:
                called = self.called(node)
                return ANY if called is None else range_of(called[0], called[1], square=called[2])

    def called(self, node: ast.expr) -> tuple[Any, list[Range], bool] | None:
        """The function that an expression calls, the ranges of its operands, and whether two are one; None if it calls none."""
        match node:
            case ast.BinOp(left, op, right):
                function, arguments = BINARY[type(op)], [left, right]
            case ast.UnaryOp(op, operand):
                function, arguments = UNARY[type(op)], [operand]
            case ast.Call(func, arguments, _):
                function = self.function(func)
            case _:
                return None
        alike = len(arguments) == 2 and ast.dump(arguments[0]) == ast.dump(arguments[1])
        return function, [self.range(each) for each in arguments], alike and not self.is_complex(arguments[0])

    def is_complex(self, node: ast.expr) -> bool:
        """Whether an expression reads a complex number."""
        operands = (self.operand(each) for each in ast.walk(node) if isinstance(each, ast.expr))
        return any(
            isinstance(each, Value) and getattr(each.type, "dtype", "").startswith("complex")
            for each in operands
        )

    def is_infinite(self, node: ast.expr) -> bool:
        """Whether an expression may be infinite."""
        operand = self.operand(node)
        if operand is self.node.result:
            leaves = leaves_domain(self.node.function, self.zeros.ranges_of(self.node))
            return leaves or self.zeros.infinities.is_hidden(operand)
        if operand is not None:
            return self.zeros.infinities.is_hidden(operand)
        if isinstance(node, ast.Attribute | ast.Compare):
            return False
        called = self.called(node)
        if called is not None and leaves_domain(called[0], called[1]):
            return True
        return any(
            self.is_infinite(each) for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr)
        )


def _is_never_zero(node: ast.expr) -> bool:
    """Whether an expression is written so that it is not zero: `y + (y == 0.0)`, `np.where(y == 0.0, 1.0, y)`, a count."""
    match node:
        case ast.BinOp(op=ast.Add(), right=ast.Compare()):
            return True
        case ast.Call(
            args=[ast.Compare(ops=[ast.Eq()]) | ast.BinOp(op=ast.BitAnd()), ast.Constant(number), _]
        ):
            return bool(number)
        case ast.Call(ast.Attribute(attr="sum"), [ast.Compare() | ast.UnaryOp(ast.Invert())]):
            return True
        case _:
            return False
