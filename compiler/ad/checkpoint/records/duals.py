"""Make the shadows of arrays that branches, loops and lists choose from in the forward sweep: each is chosen as its array is."""

from __future__ import annotations

import dataclasses

import numpy as np

from backsweep.ad.checkpoint.records.recorder import Carry, Recorder
from backsweep.analysis.alias import is_perhaps_view
from backsweep.analysis.structure import ActiveFacts, Region
from backsweep.ir.nodes import (
    Apply,
    Block,
    For,
    Grow,
    If,
    Load,
    Node,
    Operand,
    Value,
    View,
)
from backsweep.ir.types import List, names_memory
from backsweep.ir.walk import walk


def add_duals(facts: ActiveFacts, recorder: Recorder) -> dict[Value, Value]:
    """The shadow of each active array that is one of several at run time; `recorder` makes them in the forward sweep."""
    duals: dict[Value, Value] = {}
    for value in list(facts.where):
        if names_memory(value.type) and value in facts.active:
            if facts.aliases.in_memory(value) and facts.aliases.is_merged(value):
                name = f"{value.name}_bar" if value.name else ""
                duals[value] = Value(name, value.type, value.loc)
                facts.where[duals[value]] = facts.where[value]
    _Duals(facts, recorder, duals).make()
    return duals


class _Duals:
    """Notes the nodes that make the shadows, `duals`, by the arrays that they belong to."""

    def __init__(self, facts: ActiveFacts, recorder: Recorder, duals: dict[Value, Value]) -> None:
        self.facts = facts
        self.recorder = recorder
        self.duals = duals

    def of(self, operand: Operand) -> Operand:
        """The shadow of an operand that has one; any other operand itself."""
        return self.duals.get(operand, operand) if isinstance(operand, Value) else operand

    def make(self) -> None:
        """Make each shadow beside its array: created, viewed, chosen and carried as the array is."""
        for value, shadow in self.duals.items():
            node = self.facts.definitions.get(value)
            match node:
                case View():
                    made: Node = View(shadow, _memory(self.of(node.buffer)), node.index, node.loc)
                    self.facts.definitions[shadow] = made
                case Apply() if value in self.facts.aliases.bases and not is_perhaps_view(node):
                    made = dataclasses.replace(
                        node, result=shadow, operands=tuple(map(self.of, node.operands))
                    )
                    self.facts.definitions[shadow] = made
                case Load():
                    made = dataclasses.replace(node, result=shadow, buffer=_memory(self.of(node.buffer)))
                    if self.facts.is_stable(node):
                        self.facts.definitions[shadow] = made
                case Apply() if isinstance(value.type, List):
                    made = Apply(shadow, self.recorder.new_list, (), node.loc)
                case Apply():
                    made = Apply(shadow, np.zeros_like, (value,), node.loc)
                case _:
                    continue
            place = self.recorder.after.setdefault(node, [])
            place.append(made)
            self.recorder.sites[shadow] = place
        for node in self.facts.appends:
            if node.buffer in self.duals:
                kept = dataclasses.replace(node, buffer=self.duals[node.buffer], value=self.of(node.value))
                self.recorder.after.setdefault(node, []).append(kept)
        for node in walk(self.facts.function.body):
            if isinstance(node, Grow) and node.buffer in self.duals:
                self.recorder.after.setdefault(node, []).append(
                    dataclasses.replace(node, buffer=self.duals[node.buffer])
                )
                self.recorder.growing.add(self.duals[node.buffer])
        for region in dict.fromkeys(region for region, _ in self.facts.parents.values()):
            self.region(region)

    def region(self, region: Region) -> None:
        """The shadows among the results of a branch or a loop."""
        if isinstance(region, If):
            yields = zip(region.results, region.then.yields, region.orelse.yields, strict=True)
            chosen = [
                (self.duals[each], self.of(then), self.of(orelse))
                for each, then, orelse in yields
                if each in self.duals
            ]
            for each in chosen:
                self.recorder.results.setdefault(region, []).append(each)
                self.recorder.define(each[0], region)
            self.choose_again(region, chosen)
            return
        skip = 1 if isinstance(region, For) else 0
        parts = (region.inits, region.body.parameters[skip:], region.body.yields, region.results)
        for init, parameter, last, result in zip(*parts, strict=True):
            if result in self.duals:
                carry = Carry(self.of(init), self.duals[parameter], self.duals[result], self.of(last))
                self.recorder.carries.setdefault(region, []).append(carry)
                self.recorder.define(self.duals[result], region)

    def choose_again(self, region: If, chosen: list[tuple[Value, Operand, Operand]]) -> None:
        """Let the reverse sweep choose the shadows again, by a branch of their own, if both sides chose what was there before."""
        sides = {each for _, *pair in chosen for each in pair}
        if not all(self.is_outside(side, region) for side in sides):
            return
        then, orelse = (Block((), (), tuple(each[k] for each in chosen)) for k in (1, 2))
        shadows = tuple(each[0] for each in chosen)
        again = If(region.condition, then, orelse, shadows, region.loc)
        self.facts.definitions.update(dict.fromkeys(shadows, again))

    def is_outside(self, operand: Operand, region: If) -> bool:
        """Whether the operand is there before the branch."""
        place = self.facts.where.get(operand) if isinstance(operand, Value) else None
        return place is not None and place not in (region.then, region.orelse)


def _memory(operand: Operand) -> Value:
    assert isinstance(operand, Value)
    return operand
