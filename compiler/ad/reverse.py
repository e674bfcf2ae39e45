"""Write the reverse sweep: turn the statements of the primal, last to first, into updates of adjoints.

The reverse sweep is written against the primal's own values, as if each were at hand; `storage` then
sees to it, block by block, that they are.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from backsweep.ad.adjoints import Adjoints, Bar, bar_name, fit_dtype, zero_number
from backsweep.ad.calls import is_new_contents, reverse_call
from backsweep.ad.checkpoint.records.choices import Sweeps
from backsweep.ad.checkpoint.reversed_loops import ReversedLoops
from backsweep.ad.checkpoint.storage import Storage
from backsweep.ad.composites import as_composite
from backsweep.ad.contributions import Contributions
from backsweep.ad.custom import reverse_custom
from backsweep.ad.gradients import gradient_of, seed_name
from backsweep.ad.intermediates import reverse_tap
from backsweep.ad.zeros.guards import StrongZeros
from backsweep.ad.zeros.lengths import Part, parts_of_lengths
from backsweep.analysis.structure import ActiveFacts
from backsweep.diagnostics import Loc, Problems, UnsupportedError
from backsweep.ir.build import Builder
from backsweep.ir.nodes import (
    ZERO,
    Append,
    Apply,
    Block,
    Callee,
    Comment,
    Const,
    Custom,
    Dots,
    For,
    Function,
    Grow,
    If,
    Load,
    Node,
    Operand,
    Raise,
    Store,
    Tap,
    Value,
    View,
    While,
)
from backsweep.ir.typed import is_element
from backsweep.ir.types import Array, List, Scalar, Tuple, contiguous
from backsweep.ir.walk import operands
from backsweep.legalise.unsupported import perhaps_views
from backsweep.rules.declare import Constant, Rule
from backsweep.rules.matching import matched, no_rule, refused
from backsweep.runtime.broadcasting import sum_to
from backsweep.runtime.gather import scatter_add

Seed = Operand | tuple[Operand | None, ...]
"""The cotangent of a result, or of each item of one that is a tuple (None: it has none)."""


def reverse(
    function: Function,
    wrt: Sequence[Value],
    facts: ActiveFacts,
    seed: Seed | None,
    new_list: Any = list,
    shadows: Mapping[Value, Value] | None = None,
    *,
    watched: bool = False,
    strong_zeros: bool = True,
    again: bool = False,
) -> Sweeps:
    """The forward sweep with records and the reverse sweep of `function` for the arguments `wrt`.

    `seed` is the cotangent of the result where it is known beforehand, a value if it is fresh memory; otherwise it
    becomes a value of its own, `Sweeps.seed`, which is the caller's. `new_list` makes the lists that hold references to arrays, `shadows` is the memory to which
    the adjoints of some arguments are added; where adjoints are `watched`, one that is not finite raises. With `strong_zeros`, an adjoint that is zero
    contributes zero through a singular partial derivative. What is differentiated `again` says where its own derivative is not known. Raises UnsupportedError with every construct that has no derivative.
    """
    is_one = isinstance(seed, Const) and seed.value == 1.0
    wanted = function.body.yields[0] if is_one else None
    zeros = StrongZeros(facts, wanted, strong=strong_zeros, again=again)
    reversal = _Reversal(function, facts, new_list, zeros, watched=watched)
    reversal.adjoints.bars.update(
        (value, Bar(shadow, owned=True)) for value, shadow in (shadows or {}).items()
    )
    return reversal.run(wrt, seed)


class _Reversal:
    """Writes the reverse sweep; the methods follow the kinds of nodes."""

    def __init__(
        self, function: Function, facts: ActiveFacts, new_list: Any, zeros: StrongZeros, *, watched: bool
    ) -> None:
        self.function = function
        self.facts = facts
        self.active = facts.active
        self.builder = Builder(loc=function.loc)
        self.storage = Storage(function, facts, self.builder, new_list)
        self.adjoints = Adjoints(self.builder, facts.aliases, facts.active, facts.definitions, self.storage)
        self.adjoints.duals.update(self.storage.duals)
        self.tuple_bars: dict[Value, Operand] = {}
        self.contributions = Contributions(
            self.builder, self.adjoints, self.storage, facts, zeros, watched=watched
        )
        self.problems = Problems()
        self.heading = ""
        self.lengths = parts_of_lengths(facts, zeros.ranges)

    def run(self, wrt: Sequence[Value], seed: Seed | None) -> Sweeps:
        (result,) = self.function.body.yields
        own = Value(seed_name(result), result.type if isinstance(result, Value) else None, self.function.loc)
        with self.builder.block() as block:
            if seed is None:
                self.plant(result, own)
            else:
                self.plant(result, seed, owned=isinstance(seed, Value))
            self.nodes(self.function.body)
            gradients = tuple(gradient_of(value, self.adjoints, self.function) for value in wrt)
        self.problems.report()
        forward = self.storage.forward()
        made = frozenset(self.storage.references)
        choices, origin = tuple(self.storage.choices), self.storage.origin
        seed_value = seed if isinstance(seed, Value) else own
        return Sweeps(forward, tuple(block.nodes), result, seed_value, gradients, made, choices, origin)

    def plant(self, result: Operand, seed: Seed, *, owned: bool = False) -> None:
        """Start the reverse sweep with the cotangent of the result; `owned` says that its memory is fresh."""
        if isinstance(seed, tuple):
            if all(part is None for part in seed):
                return
            assert isinstance(result, Value)
            made = self.facts.definitions[result]
            for item, part in zip(operands(made) if len(seed) > 1 else [result], seed, strict=True):
                if part is not None:
                    self.adjoints.add(item, part, owned=False)
        elif isinstance(result, Value) and isinstance(result.type, Tuple):
            self.tuple_bars[result] = seed
        else:
            self.adjoints.add(result, seed, owned=owned)

    # Blocks and statements

    def nodes(self, block: Block) -> None:
        """Reverse the block's nodes, last first."""
        for node in reversed(block.nodes):
            self.builder.loc = node.loc
            self.node(node)

    def head(self, loc: Loc) -> None:
        """Head the nodes that follow with the statement that they reverse."""
        while loc.caller is not None and loc.statement.startswith("return "):
            loc = loc.caller  # of a callee that is one expression, the call says more
        if loc.statement and loc.statement != self.heading:
            self.heading = loc.statement
            self.builder.comment(loc.statement, loc)

    def node(self, node: Node) -> None:
        match node:
            case View() | Raise() | Comment() | Append() | Grow() | Apply(result=Value(type=List())):
                pass  # the adjoint of a view or a list is there already, that of what grows, as large as it becomes; a raise has no result
            case Apply(function=Tap(), operands=(_, _, _)):
                reverse_tap(node, self.adjoints, self.storage, self.facts)
            case Apply(function=Custom() as custom):
                self.head(node.loc)
                reverse_custom(node, custom, self.adjoints, self.storage)
            case Apply():
                self.apply(node)
            case Load():
                self.load(node)
            case Store():
                self.store(node)
            case If():
                self.branch(node)
            case For() | While():
                self.loop(node)

    def apply(self, node: Apply) -> None:
        """Reverse a call: each active operand gets the contribution that the function's rule says."""
        if isinstance(node.function, Callee):
            self.head(node.loc)
            reverse_call(node, node.function, self.adjoints, self.facts.parts)
            return
        if isinstance(node.result.type, Tuple) and node.function in (tuple, node.result.type.cls):
            self.make_tuple(node)
            return
        if isinstance(node.result.type, Tuple) and node.result in self.active:
            self.several(node)
            return
        if node.result not in self.active or self.adjoints.is_view(node.result):
            return
        if node.result in self.adjoints.duals:
            bar: Operand | None = self.adjoints.duals[node.result]
            owned = False
        else:
            known = self.adjoints.bars.pop(node.result, None)
            bar, owned = (None, False) if known is None else (known.operand, known.owned)
        if bar is None:
            return
        if node.function is operator.getitem:
            self.getitem(node, bar, owned=owned)
            return
        if node.result in self.lengths:
            self.length(node, self.lengths[node.result], bar)
            return
        node = as_composite(node, self.facts)
        rule = matched(node)
        if isinstance(rule, Constant):
            return
        if rule is None:
            self.refuse(node)
            return
        unknown = refused(node, rule, self.active)
        if unknown is not None:
            self.problems.add(UnsupportedError, unknown)
            return
        self.head(node.loc)
        self.contributions.by_rule(
            node, rule, {rule.cotangents[0]: bar}, {rule.results[0]: node.result}, owned=owned
        )

    def length(self, node: Apply, parts: Sequence[Part], bar: Operand) -> None:
        """Reverse the root of a sum of squares: the length that it is, along each part."""
        self.head(node.loc)
        for part in parts:
            rule = matched(part.call)
            assert isinstance(rule, Rule)
            scaled = bar
            for by, factor in part.scales:
                scaled = self.builder.apply(by, scaled, factor)
            self.contributions.by_rule(
                part.call, rule, {rule.cotangents[0]: scaled}, {rule.results[0]: node.result}
            )

    def several(self, node: Apply) -> None:
        """Reverse a call with several results; the cotangent of a result that nothing reads is zero."""
        rule = matched(node)
        items = self.facts.parts.get(node.result, {})
        if not isinstance(rule, Rule) or node.function is operator.getitem:
            return
        bars = {position: self.adjoints.take_part(item) for position, item in items.items()}
        if all(bar is None for bar in bars.values()):
            return
        self.head(node.loc)
        named: dict[str, Operand] = {}
        for position, cotangent in enumerate(rule.cotangents):
            bar = bars[position]
            named[cotangent] = self.adjoints.zero_of(items[position]) if bar is None else bar
        results: dict[str, Operand] = {name: items[k] for k, name in enumerate(rule.results)}
        self.contributions.by_rule(node, rule, named, results)

    def refuse(self, node: Apply) -> None:
        """Note that no rule stands for a call."""
        self.problems.add(UnsupportedError, no_rule(node))

    def make_tuple(self, node: Apply) -> None:
        """Reverse the making of a tuple: each item gets its part of the cotangent."""
        bar = self.tuple_bars.pop(node.result, None)
        if bar is None:
            return
        for position, item in enumerate(node.operands):
            if isinstance(item, Value) and (item in self.active or item in self.facts.tuples):
                part = self.builder.apply(operator.getitem, bar, Const(position), type=item.type)
                self.plant(item, part)

    def getitem(self, node: Apply, bar: Operand, *, owned: bool) -> None:
        """Reverse the choice of a tuple's item at run time, or a gather by an index array."""
        source, position = node.operands
        if not isinstance(source, Value):
            return
        if isinstance(source.type, Array):
            self.head(node.loc)
            shadow = self.adjoints.shadow(source)
            index = self.storage.contents(position, node)
            self.builder.apply(scatter_add, shadow, index, bar)
            return
        if isinstance(position, Const):
            # An argument's item, whose gradient is read at the end, or one of a call's results.
            self.adjoints.bars[node.result] = Bar(bar, owned)
            return
        definition = self.facts.definitions.get(source)
        assert isinstance(definition, Apply)
        self.head(node.loc)
        self.adjoints.add_to_chosen(definition.operands, position, bar)

    def load(self, node: Load) -> None:
        """Reverse the load of an element: add its adjoint to the element's place in the shadow."""
        bar = self.adjoints.take(node.result)
        if bar is None or node.buffer not in self.active:
            return
        assert isinstance(node.buffer, Value)
        self.head(node.loc)
        self.adjoints.add_at(self.adjoints.shadow(node.buffer), node.index, bar)

    def store(self, node: Store) -> None:
        """Reverse a store: read its place in the shadow as the adjoint of the value, and clear it unless the store accumulates."""
        if node.buffer not in self.active:
            return
        for problem in perhaps_views(node, self.facts.aliases, self.facts.definitions):
            self.problems.add(UnsupportedError, problem)
        if not self.adjoints.has_shadow(node.buffer):
            return  # nothing later reads this memory
        if is_new_contents(node.value, self.facts.definitions):
            return  # their cotangent is in the shadow, where the reversal of the call looks for it
        self.head(node.loc)
        shadow = self.adjoints.shadow(node.buffer)
        wanted = node.value in self.active
        if is_element(node):
            bar = self.read_element(shadow, node) if wanted else None
        else:
            bar = self.read_part(shadow, node) if wanted else None
        if not node.accumulate and self.facts.must_clear(node):
            self.builder.store(shadow, node.index, ZERO)
        if bar is not None:
            self.adjoints.add(node.value, bar, owned=True)

    def read_element(self, shadow: Value, node: Store) -> Operand:
        assert isinstance(node.buffer.type, Array)
        type_ = Scalar(node.buffer.type.dtype)
        name = bar_name(node.value) if isinstance(node.value, Value) else ""
        return self.builder.load(shadow, node.index, name=name, type=type_)

    def read_part(self, shadow: Value, node: Store) -> Operand:
        """The cotangent of a part of an array, fitted to the value that was stored there."""
        assert isinstance(node.value, Value)
        assert isinstance(node.buffer.type, Array)
        whole = len(node.index) == 1 and isinstance(node.index[0], Dots)
        part = shadow if whole else self.builder.view(shadow, node.index)
        if isinstance(node.value.type, Scalar):
            return self.builder.apply(np.sum, part, type=node.value.type)
        assert isinstance(node.value.type, Array)
        own = contiguous(node.value.type)
        if not self.facts.shapes.stores_same(node):
            shape = self.storage.shapes.of_operand(node.value)
            return self.builder.apply(sum_to, part, shape, name=bar_name(node.value), type=own)
        if node.buffer.type.dtype != node.value.type.dtype:
            return fit_dtype(self.builder, node.value, node.buffer.type, part)[0]
        return self.builder.apply(np.copy, part, name=bar_name(node.value), type=own)

    # Regions

    def branch(self, node: If) -> None:
        """Reverse a branch: the same condition chooses the side that is reversed."""
        arrivals = [
            (result, self.adjoints.bars.pop(result, None), then, orelse)
            for result, then, orelse in zip(node.results, node.then.yields, node.orelse.yields, strict=True)
        ]
        self.prepare_memory(node.then)
        self.prepare_memory(node.orelse)
        saved, saved_views, saved_heading = self.adjoints.bars, self.adjoints.views, self.heading
        sides: list[tuple[list[Node], dict[Value, Bar]]] = []
        for number, block in enumerate((node.then, node.orelse)):
            self.adjoints.bars, self.adjoints.views, self.heading = dict(saved), dict(saved_views), ""
            with self.builder.block() as written:
                for result, bar, *yields in arrivals:
                    if bar is not None:
                        self.reverse_yield(result, bar.operand, yields[number], block)
                self.nodes(block)
            sides.append((self.storage.resolve(block, written.nodes), self.adjoints.bars))
        self.adjoints.bars, self.adjoints.views, self.heading = saved, saved_views, saved_heading
        (then_nodes, then_bars), (else_nodes, else_bars) = sides
        changed = [
            value
            for value in dict.fromkeys((*then_bars, *else_bars))
            if not self.facts.is_within(value, node)
            and not (then_bars.get(value) is saved.get(value) and else_bars.get(value) is saved.get(value))
        ]
        if not changed and not then_nodes and not else_nodes:
            return
        self.builder.loc = node.loc
        # Only numbers: arrays from outside have had their memory since before the branch.
        assert all(isinstance(value.type, Scalar) for value in changed)
        results = tuple(Value(bar_name(value), value.type, node.loc) for value in changed)
        then, orelse = (
            Block(
                (),
                tuple(nodes),
                tuple(bars[value].operand if value in bars else zero_number(value.type) for value in changed),
            )
            for bars, nodes in ((then_bars, then_nodes), (else_bars, else_nodes))
        )
        self.builder.add(If(node.condition, then, orelse, results, node.loc))
        for value, result in zip(changed, results, strict=True):
            self.adjoints.bars[value] = Bar(result, owned=True)
        self.heading = ""

    def reverse_yield(self, result: Value, bar: Operand, source: Operand, block: Block) -> None:
        """Add the cotangent of a branch's result to what this side yields, summed to the shape that is known on this side."""
        like = None
        if isinstance(source, Value) and source in self.active and self.changes_shape(result, source):
            like = self.storage.shapes.within(source, block)
        if like is None:
            self.adjoints.add(source, bar, owned=False)
        else:
            self.adjoints.add(
                source, self.builder.apply(sum_to, bar, like, type=contiguous(like.type)), owned=True
            )

    def changes_shape(self, result: Value, source: Value) -> bool:
        """Whether the shape of an array is known on one side of a branch and not behind it."""
        is_expression = isinstance(source.type, Array) and not self.adjoints.is_memory(source)
        return is_expression and not self.facts.shapes.same(result, source)

    def prepare_memory(self, block: Block) -> None:
        """Make the shadows of arrays from outside that the block reads, before the block."""
        for value in self.added_to_outside(block):
            if value in self.active and isinstance(value.type, Array):
                self.adjoints.shadow(value)

    def added_to_outside(self, block: Block) -> list[Value]:
        """Values that the block does not define and that its reversal may add to: what it reads, and what is squared under its roots."""
        found = dict.fromkeys(self.facts.read_from_outside(block))
        for root, parts in self.lengths.items():
            if self.facts.is_inside(root, block):
                found.update(
                    (part.side, None) for part in parts if not self.facts.is_inside(part.side, block)
                )
        return list(found)

    def loop(self, node: For | While) -> None:
        """Reverse a loop: it runs backwards and carries the adjoints of carried values and of scalars from outside."""
        skip = 1 if isinstance(node, For) else 0
        parameters = node.body.parameters[skip:]
        carried = [
            position
            for position, parameter in enumerate(parameters)
            if (parameter in self.active or node.results[position] in self.active)
            and not self.adjoints.is_memory(parameter)
        ]
        outer = [
            value
            for value in self.added_to_outside(node.body)
            if value in self.active and isinstance(value.type, Scalar)
        ]
        self.builder.loc = node.loc
        self.prepare_memory(node.body)
        inits: list[Operand] = []
        for position in carried:
            bar = self.adjoints.bars.pop(node.results[position], None)
            if bar is None:
                inits.append(self.adjoints.zero_of(node.results[position]))
            elif bar.owned or isinstance(parameters[position].type, Scalar):
                inits.append(bar.operand)
            else:
                inits.append(self.builder.apply(np.copy, bar.operand))
        inits += [self.adjoints.peek(value) or zero_number(value.type) for value in outer]
        entering = [self.bar_value(parameters[position]) for position in carried] + [
            self.bar_value(value) for value in outer
        ]
        saved, saved_views = self.adjoints.bars, self.adjoints.views
        self.adjoints.bars, self.adjoints.views, self.heading = dict(saved), dict(saved_views), ""
        for value, bar_ in zip(outer, entering[len(carried) :], strict=True):
            self.adjoints.bars[value] = Bar(bar_, owned=True)
        with self.builder.block() as written:
            self.seed_yields(node, carried, entering)
            self.nodes(node.body)
            self.builder.loc = node.loc
            leaving = [self.leaving(parameters[position]) for position in carried]
            leaving += [self.adjoints.bars[value].operand for value in outer]
        self.adjoints.bars, self.adjoints.views, self.heading = saved, saved_views, ""
        results = tuple(Value(bar.name, bar.type, node.loc) for bar in entering)
        reversed_loop = ReversedLoops(self.storage).reverse(
            node, tuple(entering), tuple(inits), written.nodes, tuple(leaving), results
        )
        self.builder.add(*reversed_loop)
        for value, result in zip(outer, results[len(carried) :], strict=True):
            self.adjoints.bars[value] = Bar(result, owned=True)
        for position, result in zip(carried, results[: len(carried)], strict=True):
            self.adjoints.add(node.inits[position], result, owned=True)

    def bar_value(self, value: Value) -> Value:
        return Value(bar_name(value), contiguous(value.type), value.loc)

    def seed_yields(self, node: For | While, carried: Sequence[int], entering: Sequence[Value]) -> None:
        """Begin a reversed iteration: the carried adjoints are those of what the body yields."""
        for position, bar in zip(carried, entering, strict=False):
            self.adjoints.add(node.body.yields[position], bar, owned=True)

    def leaving(self, parameter: Value) -> Operand:
        """A carried value's adjoint at the end of a reversed iteration."""
        bar = self.adjoints.bars.get(parameter)
        if bar is None:
            return self.adjoints.zero_of(parameter)
        if isinstance(parameter.type, Array) and not bar.owned:
            return self.adjoints.shadow(parameter)
        return bar.operand
