"""Forward mode: the program with the tangent of each value computed beside it.

A number or an unwritten array has an expression for its tangent. Memory that is written, chosen or listed has memory
for it, which is made, viewed, stored to, chosen and carried as the primal's memory is.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from backsweep.ad.calls import tangent_of
from backsweep.ad.composites import as_composite
from backsweep.ad.finite_checks import check_tangent
from backsweep.ad.tangent_rules import TangentRule, dot_name
from backsweep.ad.zeros.guards import StrongZeros
from backsweep.ad.zeros.lengths import Part, parts_of_length
from backsweep.ad.zeros.products import LENGTHS
from backsweep.ad.zeros.touching import touches, write_touch
from backsweep.analysis.alias import is_perhaps_view, shares_memory
from backsweep.analysis.structure import ActiveFacts
from backsweep.diagnostics import Problem, Problems, UnsupportedError
from backsweep.interprocedural.summaries import parts_of
from backsweep.ir.build import Builder, christen, determine
from backsweep.ir.nodes import (
    UNDEFINED,
    ZERO,
    Append,
    Apply,
    Block,
    Callee,
    Comment,
    Const,
    Custom,
    For,
    Function,
    Grow,
    If,
    Load,
    Node,
    Operand,
    Raise,
    Store,
    Value,
    View,
    While,
)
from backsweep.ir.typed import type_of
from backsweep.ir.types import Array, List, Scalar, Tuple, Type, is_float, with_layout
from backsweep.ir.walk import changed, rename_operands, rewrite_block, walk
from backsweep.legalise.unsupported import perhaps_views
from backsweep.rules.declare import Constant, Rule
from backsweep.rules.limits import DECOMPOSED
from backsweep.rules.matching import matched, no_rule, refused
from backsweep.runtime.decompositions import apart
from backsweep.runtime.special import CHOSEN, UNCHOSEN


@dataclass(frozen=True, slots=True)
class Tangents:
    """A program with its tangents: `nodes` compute both, from the parameters and the `dots` of some of them."""

    nodes: tuple[Node, ...]
    dots: tuple[Value, ...]
    result: Operand
    result_dot: Operand


def tangents(
    function: Function,
    wrt: Sequence[Value],
    facts: ActiveFacts,
    *,
    watched: bool = False,
    strong_zeros: bool = True,
    again: bool = False,
) -> Tangents:
    """The typed program with the tangents of all that depends on the arguments `wrt` and influences the result.

    Where they are `watched`, one that is not finite raises when it runs. With `strong_zeros`, a tangent that is zero
    contributes zero through a singular partial derivative. What is differentiated `again` says where its own derivative is not known. Raises UnsupportedError with every construct that has no derivative.
    """
    zeros = StrongZeros(facts, strong=strong_zeros, again=again)
    found = _Forward(function, facts, zeros, watched=watched).run(wrt)
    return dataclasses.replace(found, nodes=_slopes_of_lengths(function, found.nodes))


def _slopes_of_lengths(function: Function, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """The nodes, in which tangents at kinks are chosen slopes; nan there if the program has cotangents of such functions, as a derivative."""
    own = {
        node.result for node in walk(function.body) if isinstance(node, Apply) and node.function in LENGTHS
    }

    def written(node: Node) -> list[Node]:
        if isinstance(node, Apply) and node.function in CHOSEN and node.result not in own:
            chosen = CHOSEN[node.function]
            return [changed(node, function=UNCHOSEN[chosen] if own else chosen)]
        return [node]

    return rewrite_block(Block((), nodes, ()), written).nodes


class _Forward:
    """Writes the program anew, tangents beside values; the methods follow the kinds of nodes."""

    def __init__(self, function: Function, facts: ActiveFacts, zeros: StrongZeros, *, watched: bool) -> None:
        self.function = function
        self.zeros = zeros
        self.watched = watched
        self.facts = facts
        self.active = facts.active
        self.builder = Builder(loc=function.loc)
        self.dots: dict[Value, Operand] = {}
        self.seeds: tuple[Value, ...] = ()
        self.items: dict[Value, Sequence[Operand]] = {}
        self.problems = Problems()

    def run(self, wrt: Sequence[Value]) -> Tangents:
        dots = self.seeds = tuple(Value(dot_name(value), value.type, value.loc) for value in wrt)
        self.dots.update(zip(wrt, dots, strict=True))
        (result,) = self.function.body.yields
        with self.builder.block() as block:
            self.nodes(self.function.body)
            self.builder.loc = self.function.loc
            result_dot = self.returned(result)
        self.problems.report()
        return Tangents(tuple(block.nodes), dots, result, result_dot)

    @cached_property
    def steep(self) -> frozenset[Value]:
        """The values whose tangents may be infinite or nan where the values are finite."""
        dots = dict.fromkeys(self.active, ZERO)
        begun = []
        for node in walk(self.function.body):
            if isinstance(node, Apply) and node.result in self.active and is_float(node.result.type):
                rule = None if isinstance(node.function, Callee | Custom) else matched(node)
                if isinstance(rule, Rule):
                    written = TangentRule(node, rule, self.builder, dots, self.facts, self.zeros, self.zero)
                    if written.is_singular():
                        begun.append(node.result)
        return self.zeros.infinities.reached_from(begun)

    # Tangents of operands

    def dot(self, operand: Operand) -> Operand:
        """The tangent of an operand: zero where it does not vary."""
        if isinstance(operand, Value) and operand in self.dots:
            return self.dots[operand]
        return self.zero(operand)

    def zero(self, operand: Operand) -> Operand:
        """A zero of an operand's structure and shape."""
        type_ = type_of(operand)
        if operand is UNDEFINED:
            return UNDEFINED
        if isinstance(type_, Array):
            return self.builder.apply(np.zeros_like, operand, type=with_layout(type_, "C"))
        if isinstance(type_, Tuple):
            parts = [
                self.builder.apply(operator.getitem, operand, Const(k), type=item)
                for k, item in enumerate(type_.items)
            ]
            return self.builder.apply(type_.cls or tuple, *map(self.zero, parts), type=type_)
        if isinstance(type_, Scalar):
            return ZERO if type_.dtype.startswith(("float", "complex")) else Const(0)
        return operand

    def returned(self, operand: Operand) -> Operand:
        """The tangent of the result, a number in its precision."""
        found, type_ = self.whole(operand), type_of(operand)
        if isinstance(type_, Scalar) and type_.dtype == "float32":
            return self.builder.apply(np.float32, found, type=type_)
        return found

    def whole(self, operand: Operand) -> Operand:
        """The tangent of an operand that may be a call's several results."""
        if isinstance(operand, Value) and operand in self.items:
            assert isinstance(operand.type, Tuple)
            return self.builder.apply(tuple, *map(self.own, self.items[operand]), type=operand.type)
        return self.own(self.dot(operand))

    def own(self, dot: Operand) -> Operand:
        """The tangent, copied if it is an array of the caller's."""
        type_ = type_of(dot)
        if dot in self.seeds and isinstance(type_, Array):
            return self.builder.apply(np.copy, dot, type=with_layout(type_, "C"))
        return dot

    def memory(self, value: Operand) -> Value:
        """The memory of an array's or a list's tangent."""
        assert isinstance(value, Value)
        found = self.dots[value]
        assert isinstance(found, Value)
        return found

    # Blocks and statements

    def nodes(self, block: Block) -> None:
        for node in block.nodes:
            self.builder.loc = node.loc
            self.node(node)

    def node(self, node: Node) -> None:
        match node:
            case If():
                self.branch(node)
            case For() | While():
                self.loop(node)
            case Apply(function=Callee() as callee):
                self.call(node, callee)
            case Apply(function=Custom() as custom) if node.result in self.active:
                self.custom(node, custom)
            case _:
                self.builder.add(node)
                self.statement(node)

    def statement(
        self, node: Apply | View | Load | Store | Append | Grow | Raise | Comment | If | For | While
    ) -> None:
        """The tangent of what a statement computes or writes."""
        match node:
            case View(result=result) if result in self.active:
                view = self.builder.view(
                    self.memory(node.buffer), node.index, name=dot_name(result), type=dot_type(result.type)
                )
                self.dots[result] = view
            case Load(result=result) if result in self.active:
                self.dots[result] = self.builder.load(
                    self.memory(node.buffer), node.index, name=dot_name(result), type=dot_type(result.type)
                )
            case Store(buffer=buffer) if buffer in self.active:
                self.store(node)
            case Append(buffer=buffer) if buffer in self.active:
                self.builder.add(Append(self.memory(buffer), self.dot(node.value), node.loc))
            case Grow(buffer=buffer) if buffer in self.active:
                self.builder.add(dataclasses.replace(node, buffer=self.memory(buffer)))
            case Apply(result=result) if result in self.active:
                self.apply(node)
            case _:
                pass

    def store(self, node: Store) -> None:
        """Store the tangent of the value beside the value: zero if the value does not vary."""
        for problem in perhaps_views(node, self.facts.aliases, self.facts.definitions):
            self.problems.add(UnsupportedError, problem)
        varies = isinstance(node.value, Value) and node.value in self.dots
        if varies or not node.accumulate:
            value = self.dot(node.value) if varies else ZERO
            self.builder.store(self.memory(node.buffer), node.index, value, accumulate=node.accumulate)

    # Functions

    def apply(self, node: Apply) -> None:
        """The tangent of a function's result."""
        result = node.result
        if isinstance(result.type, List):
            self.dots[result] = self.builder.apply(list, name=dot_name(result), type=dot_type(result.type))
        elif isinstance(result.type, Tuple) and node.function in (tuple, result.type.cls):
            parts = tuple(map(self.whole, node.operands))
            self.dots[result] = self.builder.apply(node.function, *parts, type=result.type)
        elif node.function is operator.getitem:
            self.getitem(node)
        elif self.is_view(node):
            self.dots[result] = self.like(node)
        elif not any(
            operand in self.dots for operand in (*node.operands, *(each for _, each in node.keywords))
        ):
            self.dots[result] = self.zero(result)
        else:
            self.by_rule(node)

    def is_view(self, node: Apply) -> bool:
        """Whether the result is a view of memory, and its tangent the same view."""
        aliases = self.facts.aliases
        return node.result in aliases.bases and aliases.in_memory(node.result) and not is_perhaps_view(node)

    def like(self, node: Apply) -> Value:
        """The node's function of tangents."""
        replaced = rename_operands(node, self.or_itself)
        result = self.builder.value(dot_name(node.result), dot_type(node.result.type))
        assert isinstance(replaced, Apply)
        self.builder.add(dataclasses.replace(replaced, result=result))
        return result

    def or_itself(self, operand: Operand) -> Operand:
        """The operand's tangent if it varies, else the operand itself."""
        return self.dots.get(operand, operand) if isinstance(operand, Value) else operand

    def getitem(self, node: Apply) -> None:
        """An item of a tuple, or entries chosen by an index array."""
        source, position = node.operands
        if isinstance(source, Value) and source in self.items and isinstance(position, Const):
            found = self.items[source][position.value]
            self.dots[node.result] = self.kept(node, found, fresh=True)
        elif source in self.dots:
            self.dots[node.result] = self.builder.apply(
                operator.getitem, self.dots[source], position, name=dot_name(node.result)
            )
        else:
            self.dots[node.result] = self.zero(node.result)

    def length(self, node: Apply, parts: Sequence[Part]) -> None:
        """The tangent of the root of a sum of squares: that of the length that it is, along each part."""
        terms: list[Operand] = []
        for part in parts:
            rule = matched(part.call)
            assert isinstance(rule, Rule)
            written = TangentRule(
                part.call, rule, self.builder, self.dots, self.facts, self.zeros, self.zero, self.steep
            )
            term = written.single()
            assert term is not None
            for by, factor in part.scales:
                term = self.builder.apply(by, term, factor)
            terms.append(term)
        found = functools.reduce(lambda one, other: self.builder.apply(operator.add, one, other), terms)
        self.dots[node.result] = self.kept(node, found, fresh=True)
        if self.watched:
            check_tangent(self.builder, node, self.dots[node.result], self.dots)

    def by_rule(self, node: Apply) -> None:
        """The tangent of a function, by its rule."""
        if (parts := parts_of_length(node, self.facts, self.zeros.ranges)) is not None:
            self.length(node, parts)
            return
        node = as_composite(node, self.facts)
        rule = matched(node)
        if isinstance(rule, Constant):
            self.dots[node.result] = self.zero(node.result)
            return
        if rule is None:
            self.problems.add(UnsupportedError, no_rule(node))
            self.dots[node.result] = self.zero(node.result)
            return
        unknown = refused(node, rule, self.dots)
        if unknown is not None:
            self.problems.add(UnsupportedError, unknown)
        written = TangentRule(
            node, rule, self.builder, self.dots, self.facts, self.zeros, self.zero, self.steep
        )
        if len(rule.results) > 1:
            dots = list(written.several(self.facts.parts.get(node.result, {})))
            place, _ = DECOMPOSED.get(node.function, (0, False))
            dots[place] = self.touched(node, dots[place])
            self.items[node.result] = dots
            return
        before = len(self.builder.current.nodes)
        found = written.single()
        if found is None:
            self.problems.add(UnsupportedError, written.refusal())
            found = self.zero(node.result)
        found = self.touched(node, found)
        self.dots[node.result] = self.kept(node, found, fresh=self.is_fresh(found, before))
        if self.watched:
            check_tangent(self.builder, node, self.dots[node.result], self.dots)

    def touched(self, node: Apply, found: Operand) -> Operand:
        """The tangent of a choice, unknown to the next derivative where its sides touch."""
        for touch in touches(node, self.dots, self.zeros) if self.zeros.again else ():
            dot = self.dots[touch.mover.value]
            meets = None if touch.of_values is None else self.meets(node, *touch.of_values)
            term = write_touch(touch, node, dot, self.builder, lambda operand, _: operand, meets)
            found = self.builder.apply(operator.add, found, touch.fitted(term, self.builder))
        return found

    def meets(self, node: Apply, place: int, at_zero: bool) -> Operand:
        """What is zero where values of a decomposition are equal."""
        type_ = node.result.type
        values: Operand = node.result
        if isinstance(type_, Tuple):
            values = self.builder.apply(operator.getitem, values, Const(place), type=type_.items[place])
        return self.builder.apply(apart, values, Const(at_zero))

    def custom(self, node: Apply, custom: Custom) -> None:
        """The tangent of a hook is that of its operand; a function with only a pullback is refused."""
        self.builder.add(node)
        if custom.passes:
            self.dots[node.result] = self.dot(node.operands[0])
            return
        self.problems.add(UnsupportedError, no_tangent(node, custom))
        self.dots[node.result] = self.zero(node.result)

    def is_fresh(self, found: Operand, before: int) -> bool:
        """Whether the array is memory that the nodes written since made."""
        made = {each.result: each for each in self.builder.current.nodes[before:] if isinstance(each, Apply)}
        return found in made and not shares_memory(made[found].function)

    def kept(self, node: Apply, found: Operand, *, fresh: bool) -> Operand:
        """The tangent in memory of its own where the primal's result or operands are written."""
        operands = (*node.operands, *(operand for _, operand in node.keywords))
        written = any(self.facts.aliases.in_memory(value) for value in (node.result, *operands))
        if isinstance(node.result.type, Array) and written and not fresh:
            found = self.builder.apply(np.copy, found, type=dot_type(node.result.type))
        if isinstance(found, Value) and found not in self.function.body.parameters:
            christen(found, dot_name(node.result))
            if written:
                determine(found, dot_type(node.result.type))
        return found

    def call(self, node: Apply, callee: Callee) -> None:
        """Call, in place of a function that calls itself, its tangent, which returns the results as well."""
        positions = tuple(k for k, operand in enumerate(node.operands) if operand in self.dots)
        own = list(parts_of(callee.result))
        if not positions or not any(map(is_float, own)):
            self.builder.add(node)
            if node.result in self.active and not isinstance(node.result.type, Tuple):
                self.dots[node.result] = self.zero(node.result)
            return
        derived = tangent_of(callee, positions)
        both = self.builder.apply(
            derived, *node.operands, *(self.dot(node.operands[k]) for k in positions), type=derived.result
        )
        assert isinstance(derived.result, Tuple)
        types = derived.result.items
        parts = [
            self.builder.apply(operator.getitem, both, Const(k), type=type_) for k, type_ in enumerate(types)
        ]
        results, varying = parts[: len(own)], iter(parts[len(own) :])
        dots = [next(varying) if is_float(type_) else Const(0) for type_ in own]
        if isinstance(callee.result, Tuple):
            self.builder.add(Apply(node.result, tuple, tuple(results), node.loc))
            self.items[node.result] = dots
        else:
            self.builder.add(Apply(node.result, operator.getitem, (both, Const(0)), node.loc))
            self.dots[node.result] = dots[0]

    # Regions

    def branch(self, node: If) -> None:
        """A branch yields the tangents of what it yields."""
        chosen = [number for number, result in enumerate(node.results) if result in self.active]
        sides: list[Block] = []
        for side in (node.then, node.orelse):
            with self.builder.block(*side.parameters) as block:
                self.nodes(side)
                self.builder.loc = node.loc
                block.yields = (*side.yields, *(self.dot(side.yields[number]) for number in chosen))
            sides.append(block.finish())
        added = self.added([node.results[number] for number in chosen])
        self.builder.add(If(node.condition, sides[0], sides[1], (*node.results, *added), node.loc))

    def loop(self, node: For | While) -> None:
        """A loop carries the tangents of what it carries."""
        parameters = node.body.parameters[1 if isinstance(node, For) else 0 :]
        carried = [
            number
            for number, (parameter, result) in enumerate(zip(parameters, node.results, strict=True))
            if parameter in self.active or result in self.active
        ]
        inits = (*node.inits, *(self.dot(node.inits[number]) for number in carried))
        entering = self.added([parameters[number] for number in carried])
        with self.builder.block(*node.body.parameters, *entering) as block:
            self.nodes(node.body)
            self.builder.loc = node.loc
            block.yields = (*node.body.yields, *(self.dot(node.body.yields[number]) for number in carried))
        body = block.finish()
        results = (*node.results, *self.added([node.results[number] for number in carried]))
        if isinstance(node, While):
            tested = (*node.condition.parameters, *(dataclasses.replace(value) for value in entering))
            condition = dataclasses.replace(node.condition, parameters=tested)
            node = dataclasses.replace(node, condition=condition)
        self.builder.add(dataclasses.replace(node, inits=inits, body=body, results=results))

    def added(self, values: Sequence[Value]) -> list[Value]:
        """New values for the tangents of these."""
        found = [Value(dot_name(value), dot_type(value.type), value.loc) for value in values]
        self.dots.update(zip(values, found, strict=True))
        return found


def no_tangent(node: Apply, custom: Custom) -> Problem:
    """The reason why a pullback or a hook of the user's has no tangent."""
    if custom.passes:
        message = "a hook changes an adjoint, and forward mode has no adjoints"
        remedy = "use reverse mode (bs.jacrev, or bs.jacobian without `sparse`), or remove the hook."
        return Problem("BS210", message, node.loc, remedy)
    message = f"forward mode needs the tangent of `{custom.name}`, which has only a pullback"
    remedy = "use reverse mode: bs.vjp, bs.grad or bs.jacrev (instead of bs.hvp, the pullback of a gradient)."
    return Problem("BS210", message, node.loc, remedy)


def dot_type(type_: Type | None) -> Type | None:
    """The type of a tangent: that of the value, arrays in any layout."""
    if isinstance(type_, List):
        return List(dot_type(type_.item) or type_.item)
    return None if type_ is None else with_layout(type_, "A")
