"""Hoist rows of numbers that an inner loop of the reverse sweep computes alike in every iteration of the loop around it.

The machine moves a number out of a loop that would compute it again and again, but not a row of numbers.
"""

from __future__ import annotations

import dataclasses

from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Block, Const, For, Function, Load, Node, Operand, Store, Value
from backsweep.ir.operations import Kind, kind
from backsweep.ir.walk import operands, renewed, results
from backsweep.optimise.loops.inner_loops import FLOAT, Around, InnerLoops, is_upwards, row
from backsweep.optimise.loops.reductions import where_it_ran

Work = list[Apply | Load]


def hoist_invariant_rows(function: Function) -> Function:
    """The program, in whose reverse sweep numbers that an inner loop would compute alike in each outer iteration are computed once."""
    return _Rows(function).rebuilt()


class _Rows(InnerLoops):
    """Takes rows of numbers out of innermost loops."""

    def inner(self, loop: For, around: Around, before: list[Node]) -> list[Node]:
        """An innermost loop that reads what it would repeat from rows, which `before` fills."""
        repeated = _repeated(loop, around) if is_upwards(loop) else {}
        for result, work in repeated.items():
            builder = Builder(loc=loop.loc)
            stop, length = around.last_stop(loop, builder)
            if stop is None or not (isinstance(length, Const) or length in self.at_hand):
                continue
            own = self.new_row(result, work, length)
            filling = [*builder.current.nodes, _filling(own, work, loop, stop)]
            before += where_it_ran(around.loop, filling, self.places) if stop is loop.stop else filling
            read = Load(result, own, (loop.body.parameters[0],), result.loc)
            nodes = tuple(read if node is work[-1] else node for node in loop.body.nodes)
            loop = dataclasses.replace(loop, body=dataclasses.replace(loop.body, nodes=nodes))
        return [loop]

    def new_row(self, result: Value, work: Work, length: Operand) -> Value:
        """An array of so many entries, named after the result or what it is computed from."""
        name = result.name or next(f"{each.buffer.name}_terms" for each in work if isinstance(each, Load))
        nodes, made = row(name, length, result.loc, self.places)
        self.made += nodes
        return made


def _repeated(loop: For, around: Around) -> dict[Value, Work]:
    """The values of the inner loop, computed from at least two of its elements, that every outer iteration repeats."""
    if not around.is_clear:
        return {}
    index = loop.body.parameters[0]
    found: dict[Operand, Work] = {}
    for node in loop.body.nodes:
        if isinstance(node, Load) and around.is_same(node, index):
            found[node.result] = [node]
        elif isinstance(node, Apply) and kind(node.function) is Kind.ARITHMETIC and node.result.type == FLOAT:
            if all(each in found or each not in around.own for each in node.operands):
                parts = [part for each in node.operands for part in found.get(each, ())]
                found[node.result] = [*dict.fromkeys(parts), node]
    read = set(loop.body.yields)
    for node in loop.body.nodes:
        if found.keys().isdisjoint(results(node)):
            read.update(operands(node))
    return {
        work[-1].result: work
        for value, work in found.items()
        if value in read and sum(isinstance(each, Load) and index in each.index for each in work) >= 2
    }


def _filling(own: Value, work: Work, loop: For, stop: Operand) -> For:
    """The loop that computes the row."""
    index = loop.body.parameters[0]
    nodes = (*work, Store(own, (index,), work[-1].result, loop.loc))
    body = renewed(Block((index,), nodes, ()))
    return dataclasses.replace(loop, stop=stop, inits=(), body=body, results=())
