"""Write the tangent of the result of one call, by the function's rule: a sum of terms, one for each operand that varies."""

from __future__ import annotations

import ast
import dataclasses
import operator
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from backsweep.ad.zeros.guards import StrongZeros
from backsweep.ad.zeros.movers import ONE, Moves, expression_of
from backsweep.ad.zeros.products import call_of
from backsweep.ad.zeros.ties import Choice, at_tie
from backsweep.analysis.structure import Facts
from backsweep.diagnostics import Problem
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Const, Operand, Value, is_none
from backsweep.ir.typed import type_of
from backsweep.ir.types import Array, Scalar
from backsweep.rules.declare import Rule
from backsweep.rules.expression import RuleExpression
from backsweep.rules.matching import is_complex
from backsweep.runtime.special import before_root

DOT = " dot"
"""The name of a tangent among those of a rule, none of which has a space."""


def dot_name(value: Value) -> str:
    """`x_dot` for `x`; the tangent of an unnamed value is unnamed."""
    return f"{value.name}_dot" if value.name else ""


class TangentRule:
    """Writes the tangent of what a call returns; `dots` holds the tangents of the values that vary."""

    def __init__(
        self,
        node: Apply,
        rule: Rule,
        builder: Builder,
        dots: Mapping[Value, Operand],
        facts: Facts,
        zeros: StrongZeros,
        zero: Callable[[Operand], Operand],
        steep: frozenset[Value] = frozenset(),
    ) -> None:
        self.node = node
        self.rule = rule
        self.builder = builder
        self.dots = dots
        self.facts = facts
        self.zeros = zeros
        self.zero = zero
        self.steep = steep
        self.operands = (*node.operands, *(operand for _, operand in node.keywords))
        places = rule.bind(len(node.operands), [key for key, _ in node.keywords])
        assert places is not None
        self.arguments = {
            rule.parameters[place]: operand for place, operand in zip(places, self.operands, strict=True)
        }
        self.varying = [name for name in rule.differentiated if self.arguments.get(name) in dots]

    def single(self) -> Operand | None:
        """The tangent of the one result; None if the rule does not give it."""
        terms: list[Operand] = []
        full = False
        done: set[str] = set()
        for name in self.varying:
            if name in done:
                continue
            together = next((group for group in self.rule.linear if name in group), ())
            done.update(together)
            term = self.linear(together) if together else self.term(name)
            if term is None:
                return None
            full = full or bool(together) or self.reaches(name)
            if not is_none(term):
                terms.append(term)
        if not terms:
            return self.zero(self.node.result)
        total = terms[0]
        for term in terms[1:]:
            total = self.builder.apply(operator.add, total, term)
        return self.fitted(total, full=full)

    def several(self, read: Mapping[int, Value]) -> Sequence[Operand]:
        """The tangents of several results; `read` are the values to which the program assigns the results later."""
        parts = [
            self.builder.apply(
                operator.getitem, self.node.result, Const(k), name=read[k].name, type=read[k].type
            )
            for k in range(len(self.rule.results))
        ]
        (name,) = self.rule.dots
        (term,) = self.rule.terms
        assert term is not None
        results = dict(zip(self.rule.results, parts, strict=True))
        (varying,) = self.varying
        values = {**results, name: self.dots[self.value(varying)]}
        expression = self.expression(values)
        if isinstance(term, ast.Tuple):
            return [
                self.zero(parts[k]) if _is_literal_none(item) else expression.write(item)
                for k, item in enumerate(term.elts)
            ]
        found = expression.write(term)
        return [
            self.builder.apply(operator.getitem, found, Const(k), name=dot_name(parts[k]))
            for k in range(len(self.rule.results))
        ]

    def refusal(self) -> Problem:
        """The error for a rule that does not give a tangent."""
        message = f"forward mode needs a tangent, and the rule `{self.rule.name}` has none"
        remedy = "add the tangent to the rule: `return y, lambda y_bar: ..., lambda x_dot: ...`."
        return Problem("BS209", message, self.node.loc, remedy)

    # Terms

    def linear(self, together: Sequence[str]) -> Operand:
        """The tangent of a linear function: the function of the tangents of these parameters; one that does not vary is zero."""

        def dot(operand: Operand, name: str) -> Operand:
            if name not in together:
                return operand
            if isinstance(operand, Value) and operand in self.dots:
                return self.dots[operand]
            return self.zero(operand)

        names = list(self.arguments)
        count = len(self.node.operands)
        operands = tuple(map(dot, self.node.operands, names[:count]))
        keywords = tuple(
            (key, dot(operand, name))
            for (key, operand), name in zip(self.node.keywords, names[count:], strict=True)
        )
        result = self.builder.value()
        self.builder.add(
            dataclasses.replace(
                self.node, result=result, operands=operands, keywords=keywords, loc=self.builder.loc
            )
        )
        return result

    def term(self, name: str) -> Operand | None:
        """The term of one parameter: `Const(None)` if it is always zero, None if nothing tells it."""
        place = self.rule.differentiated.index(name)
        dot = self.dots[self.value(name)]
        result = self.node.result
        if self.rule.terms:
            written = self.rule.terms[place]
            if written is None:
                return Const(None)
            return self.written(name, written, {self.rule.dots[place]: dot})
        adjoint = self.rule.adjoints[place]
        if adjoint is None or _is_literal_none(adjoint):
            return Const(None)
        (cotangent,) = self.rule.cotangents
        choice = Choice(self.node, self.dots, self.zeros.ranges_of(self.node))
        adjoint = at_tie(adjoint, self.rule.globals, choice, again=self.zeros.of_ties)
        if self.rule.elementwise:
            return self.written(name, adjoint, {cotangent: dot})
        if not isinstance(result.type, Scalar):
            return None
        values = {cotangent: ONE, DOT: dot}
        product = self.expression(values).write(
            self.zeros.times(
                adjoint,
                self.node,
                self.rule,
                self.names(values),
                cotangent,
                DOT,
                steep=self.is_steep(name),
            )
        )
        return (
            self.builder.apply(np.sum, product)
            if isinstance(type_of(self.arguments[name]), Array)
            else product
        )

    def is_singular(self) -> bool:
        """Whether the tangent may be infinite or nan where the operands' tangents and the result are finite."""
        together = {each for group in self.rule.linear for each in group}
        for name in self.varying:
            if name in together:
                continue
            place = self.rule.differentiated.index(name)
            term = self.rule.terms[place] if self.rule.terms else self.rule.adjoints[place]
            bars = (self.rule.dots[place],) if self.rule.terms else self.rule.cotangents
            names = self.names(dict.fromkeys(bars, ONE))
            if term is not None and self.zeros.changes(term, self.node, self.rule, names, bars):
                return True
        return False

    def is_steep(self, name: str) -> bool:
        """Whether the tangent of a parameter may be infinite or nan where the parameter is finite."""
        return self.zeros.infinities.is_in(self.arguments[name], self.steep)

    def written(self, name: str, term: ast.expr, dots: Mapping[str, Operand]) -> Operand:
        """Write a parameter's term of the rule; these names in it stand for tangents."""
        names, bars = self.names(dots), tuple(dots)
        guarded = self.zeros.guarded(term, self.node, self.rule, names, bars, steep=self.is_steep(name))
        guarded = self.zeros.before_angle(guarded, term, name, self.node, self.rule, names, bars)
        (bar,) = bars
        names[bar] = self.known_at_root(name, names[bar])
        return self.expression(names).write(guarded)

    def known_at_root(self, name: str, dot: Operand) -> Operand:
        """The tangent of a parameter of a root; nan where it is zero though something moves, and the slope of the root is infinite."""
        told = self.zeros.roots.told_by(self.node.result) if self.zeros.strong else None
        if told is None:
            return dot
        block = self.facts.where[self.node.result]
        moves = Moves(self.builder, self.dots, self.zeros, block).of(self.arguments[name])
        if moves is None:
            return dot
        where, values = told
        named = {"dot": dot, "moves": moves, **values}
        marked = call_of(before_root, ast.Name("dot", ast.Load()), ast.Name("moves", ast.Load()), where)
        return self.expression(named).write(marked)

    def names(self, values: Mapping[str, Operand]) -> dict[str, Operand]:
        """The operands for the names in the rule's expressions: those given here, the parameters and the result."""
        names: dict[str, Operand] = {
            parameter: self.arguments.get(parameter, Const(self.rule.defaults.get(parameter)))
            for parameter in self.rule.parameters
        }
        if len(self.rule.results) == 1:
            names[self.rule.results[0]] = self.node.result
        return {**names, **values}

    def expression(self, values: Mapping[str, Operand]) -> RuleExpression:
        """A writer of the rule's expressions, for the parameters, the result and these further names."""
        names = self.names(values)
        return expression_of(self.node, self.rule, self.builder, names.__getitem__)

    def value(self, name: str) -> Value:
        """The operand of a parameter that varies."""
        found = self.arguments[name]
        assert isinstance(found, Value)
        return found

    # The form of the sum

    def reaches(self, name: str) -> bool:
        """Whether the term of a function that works entry by entry has the shape of the result."""
        if not self.rule.elementwise or not isinstance(self.node.result.type, Array):
            return True
        read = self.read(name)
        if read is None:
            return False
        if read & set(self.rule.results):
            return True
        values = [self.arguments[each] for each in (name, *read) if each in self.arguments]
        return any(
            isinstance(type_of(value), Array) and self.facts.shapes.same(value, self.node.result)
            for value in values
        )

    def is_real(self, name: str) -> bool:
        """Whether the term of a function that works entry by entry is real: it reads nothing complex."""
        read = self.read(name)
        values = {**self.arguments, **dict.fromkeys(self.rule.results, self.node.result)}
        return read is None or not any(is_complex(values[each]) for each in {name, *read} if each in values)

    def read(self, name: str) -> set[str] | None:
        """The names that the adjoint of a parameter reads; None if it is always zero."""
        adjoint = self.rule.adjoints[self.rule.differentiated.index(name)]
        if adjoint is None or _is_literal_none(adjoint):
            return None
        return {each.id for each in ast.walk(adjoint) if isinstance(each, ast.Name)}

    def fitted(self, total: Operand, *, full: bool) -> Operand:
        """The sum with the shape and the dtype of the result."""
        type_ = self.node.result.type
        varying = [type_of(self.arguments[name]) for name in self.varying]
        if self.rule.linear or not isinstance(type_, Scalar | Array):
            return total
        if not type_.dtype.startswith("complex") and any(
            is_complex(self.arguments[name]) for name in self.varying
        ):
            total = self.builder.apply(np.real, total)
        is_number = isinstance(type_, Array) and not full  # times ones it is an array of the dtype
        if type_.dtype.startswith("complex") and not is_number and all(map(self.is_real, self.varying)):
            total = self.converted(total, type_)
        if not isinstance(type_, Array):
            return total
        if not full:
            ones = self.builder.apply(np.ones_like, self.node.result)
            total = self.builder.apply(operator.mul, ones, total)
        mixed = any(isinstance(each, Scalar | Array) and each.dtype != type_.dtype for each in varying)
        if type_.dtype == "float32" or (type_.dtype == "float64" and mixed):
            # Numba makes double precision of an array times a literal
            total = self.converted(total, type_)
        return total

    def converted(self, total: Operand, type_: Scalar | Array) -> Operand:
        """The sum in the dtype of the result."""
        dtype = getattr(np, type_.dtype)
        if isinstance(type_, Scalar):
            return self.builder.apply(complex if dtype is np.complex128 else dtype, total)
        return self.builder.apply(np.ndarray.astype, total, Const(dtype))


def _is_literal_none(node: ast.expr) -> bool:
    """Whether the expression is a literal None: always zero."""
    return isinstance(node, ast.Constant) and node.value is None
