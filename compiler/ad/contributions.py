"""Write the contributions that the reversal of one call adds to the adjoints of its operands, by the function's rule."""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from backsweep.ad.adjoints import DOUBLE, SINGLE, Adjoints, Bar, fit_dtype, real_part
from backsweep.ad.checkpoint.storage import Storage
from backsweep.ad.finite_checks import check_finite
from backsweep.ad.zeros.guards import StrongZeros
from backsweep.ad.zeros.roots import Expression
from backsweep.ad.zeros.ties import Choice, at_tie
from backsweep.ad.zeros.touching import touches, write_touch
from backsweep.analysis.structure import ActiveFacts
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Const, Dots, Operand, Value, View
from backsweep.ir.operations import Kind, kind
from backsweep.ir.typed import dtype_of, type_of
from backsweep.ir.types import Array, Scalar, contiguous
from backsweep.rules.declare import Rule
from backsweep.rules.expression import RuleExpression
from backsweep.rules.matching import is_complex
from backsweep.runtime.broadcasting import sum_to
from backsweep.runtime.decompositions import unlike


class Contributions:
    """Writes the adjoint expressions of rules over the values at hand, fits them to their operands and adds them.

    Where they are `watched`, one that is not finite stops the reverse sweep.
    """

    def __init__(
        self,
        builder: Builder,
        adjoints: Adjoints,
        storage: Storage,
        facts: ActiveFacts,
        zeros: StrongZeros,
        *,
        watched: bool,
    ) -> None:
        self.watched = watched
        self.zeros = zeros
        self.builder = builder
        self.adjoints = adjoints
        self.storage = storage
        self.facts = facts
        self.active = facts.active

    def by_rule(
        self,
        node: Apply,
        rule: Rule,
        bars: dict[str, Operand],
        results: dict[str, Operand],
        *,
        owned: bool = False,
    ) -> None:
        """The contributions of one function, by its rule; `bars` holds the cotangents, `results` what they belong to.

        `owned` says that the memory of the one cotangent of a function with one result may be handed on.
        """
        places = rule.bind(len(node.operands), [key for key, _ in node.keywords])
        assert places is not None
        by_place = dict(
            zip(places, (*node.operands, *(operand for _, operand in node.keywords)), strict=True)
        )
        names: dict[str, Operand] = {
            parameter: by_place.get(place, Const(rule.defaults.get(parameter)))
            for place, parameter in enumerate(rule.parameters)
        }
        names |= results
        as_math = getattr(node.function, "__module__", "") == "math"
        expression = RuleExpression(
            self.builder,
            contents=lambda name: (
                bars[name] if name in bars else self.widened(names[name], node, results.get(name), bars)
            ),
            shapes=lambda name: bars[name] if name in bars else self.storage.shapes.of_operand(names[name]),
            known=lambda function, operands: self.facts.computed(
                function, operands, self.facts.where[node.result]
            ),
            names=rule.globals,
            as_math=as_math,
            on_scalars=rule.elementwise and isinstance(node.result.type, Scalar),
            of_complex=any(map(is_complex, node.operands)),
        )
        single = sum(1 for parameter in rule.differentiated if names[parameter] in self.active) == 1
        choice = Choice(node, self.active, self.zeros.ranges_of(node))
        terms: dict[Value, list[ast.expr]] = {}
        for parameter, adjoint in zip(rule.differentiated, rule.adjoints, strict=True):
            operand = names[parameter]
            if isinstance(operand, Value) and adjoint is not None and operand in self.active:
                adjoint = at_tie(adjoint, rule.globals, choice, again=self.zeros.of_ties)
                guarded = self.zeros.guarded(adjoint, node, rule, names, rule.cotangents)
                guarded = self.zeros.before_roots(
                    guarded, adjoint, parameter, node, rule, names, rule.cotangents
                )
                terms.setdefault(operand, []).append(guarded)
        for operand, adjoints in terms.items():
            before = len(self.builder.current.nodes)
            contribution = self.sum_of([expression.write(each) for each in adjoints])
            if self.watched:
                self.watch(node, rule, operand, contribution, names, bars)
            fresh = len(self.builder.current.nodes) > before or (
                owned and single and contribution in bars.values()
            )
            self.contribute(node, rule, operand, contribution, owned=fresh and not self.shares(before))
        if self.zeros.again:
            self.touch(node, rule, bars, results)

    def touch(
        self, node: Apply, rule: Rule, bars: Mapping[str, Operand], results: Mapping[str, Operand]
    ) -> None:
        """Of a choice, say where the derivative of these contributions is not known: where its sides touch."""
        for touch in touches(node, self.active, self.zeros):
            arrives = bars[rule.cotangents[0]]
            if touch.of_values is not None:
                place, at_zero = touch.of_values
                values = self.seen(results[rule.results[place]], node, None)
                arrives = self.builder.apply(unlike, bars[rule.cotangents[place]], values, Const(at_zero))
            term = write_touch(
                touch, node, arrives, self.builder, lambda operand, at: self.seen(operand, at, None)
            )
            self.contribute(touch.mover.node, touch.mover.rule, touch.mover.value, term, owned=True)

    def sum_of(self, terms: Sequence[Operand]) -> Operand:
        """The sum of the contributions to an operand that stands at several positions of a call."""
        return functools.reduce(lambda one, other: self.builder.apply(operator.add, one, other), terms)

    def watch(
        self,
        node: Apply,
        rule: Rule,
        operand: Value,
        contribution: Operand,
        names: Mapping[str, Operand],
        bars: Mapping[str, Operand],
    ) -> None:
        """Write a check that raises if the contribution is not finite; the error shows what it was computed from, by the user's names."""
        involved: dict[str, Operand] = {}
        for number, parameter in enumerate(rule.parameters, start=1):
            source = names[parameter]
            if isinstance(source, Value):
                involved[source.name or f"operand {number}"] = self.seen(source, node, None)
        result = node.result.name or "result"
        involved[f"{result}_bar"] = next(iter(bars.values()))
        check_finite(self.builder, node, operand, contribution, involved)

    def seen(self, operand: Operand, node: Apply, result: Operand | None) -> Operand:
        """The operand as it was when the call ran: its contents then, if it was overwritten later."""
        at = self.facts.definitions.get(result if isinstance(result, Value) else node.result, node)
        return self.storage.contents(operand, at)

    def widened(
        self, operand: Operand, node: Apply, result: Operand | None, bars: Mapping[str, Operand]
    ) -> Operand:
        """The operand as it was, in double precision if it is multiplied by numbers that may be Python's for an adjoint in that.

        Literals are Python's, and what `math` returns is. NumPy takes them for numbers in the precision of what they meet, and rounds
        the product to that.
        """
        seen = self.seen(operand, node, result)
        dtype = dtype_of(operand)
        if dtype not in SINGLE:
            return seen
        if not isinstance(node.result.type, Scalar) and not any(map(self.is_filled, bars.values())):
            return seen
        if not any(each in self.active and dtype_of(each) in DOUBLE for each in node.operands):
            return seen
        to = np.dtype(DOUBLE[SINGLE.index(dtype)]).type
        if isinstance(type_of(operand), Array):
            return self.builder.apply(np.ndarray.astype, seen, Const(to))
        return self.builder.apply(complex if to is np.complex128 else float, seen)

    def is_filled(self, bar: Operand) -> bool:
        """Whether an adjoint has one number in each entry."""
        return any(
            isinstance(node, Apply) and node.result is bar and node.function in (np.full, np.full_like)
            for node in self.builder.current.nodes
        )

    def shares(self, before: int) -> bool:
        """Whether the expression just written ends in a view of something older."""
        nodes = self.builder.current.nodes
        last = nodes[-1] if len(nodes) > before else None
        return isinstance(last, View) or (isinstance(last, Apply) and kind(last.function) is Kind.VIEW)

    def contribute(
        self, node: Apply, rule: Rule, operand: Value, contribution: Operand, *, owned: bool
    ) -> None:
        """Fit a contribution to its operand (sum over what was broadcast, dtype) and add it."""
        result = node.result.type
        contribution = real_part(self.builder, operand, result, contribution)
        if rule.elementwise and isinstance(result, Array):
            if isinstance(operand.type, Scalar):
                contribution = self.builder.apply(np.sum, contribution)
                owned = True
            elif isinstance(operand.type, Array) and not self.facts.shapes.same(operand, node.result):
                shape = self.storage.shapes.of_operand(operand)
                contribution = self.builder.apply(sum_to, contribution, shape, type=contiguous(operand.type))
                owned = True
        contribution, converted = fit_dtype(self.builder, operand, result, contribution)
        before = self.adjoints.bars.get(operand)
        self.adjoints.add(operand, contribution, owned=owned or converted)
        if before is not None:
            self.cancelled(operand, contribution, node, before)

    def cancelled(self, operand: Value, contribution: Operand, node: Apply, before: Bar) -> None:
        """Where contributions to what a root is in cancel out, as those of an even function do, the slope of the root times their sum is not known."""
        if self.adjoints.is_view(operand):
            return
        for mark, told in self.zeros.told_of_roots(operand):
            self.marked(operand, contribution, node, before, mark, told)

    def marked(
        self,
        operand: Value,
        contribution: Operand,
        node: Apply,
        before: Bar,
        mark: Callable[..., Any],
        told: Expression,
    ) -> None:
        """Mark the sum of contributions to an operand, as one that goes on to a root."""
        where, named = told
        total = self.adjoints.bars[operand]
        values = {"total": total.operand, "part": contribution}
        values |= {name: self.seen(each, node, None) for name, each in named.items()}
        expression = RuleExpression(
            self.builder,
            contents=values.__getitem__,
            shapes=values.__getitem__,
            known=lambda _function, _operands: None,
            names={},
            as_math=False,
            on_scalars=isinstance(operand.type, Scalar),
            of_complex=is_complex(operand),
        )
        call: ast.Call = ast.Call(
            ast.Constant(mark),  # type: ignore[arg-type]
            [ast.Name("total", ast.Load()), ast.Name("part", ast.Load()), where],
            [],
        )
        sound = expression.write(call)
        if before.owned and isinstance(total.operand, Value) and isinstance(operand.type, Array):
            self.builder.store(total.operand, (Dots(),), sound)  # views of this memory may be added to
        else:
            self.adjoints.bars[operand] = Bar(sound, owned=True)
