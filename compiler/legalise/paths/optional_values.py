"""Write a variable that is None on some paths as two: its value, unassigned on those paths, and a flag.

`best = None` before a search and `if best is None or v < best` in it become `has_best = False` and
`if not has_best or v < best`: a number has a derivative, and a flag has none and needs none. Where a path on which the
variable may be None computes with it, the program raises TypeError, as Python does.

The tests of a variable are followed through `not`, `and` and `or`, so that `x is None` on one side of a branch proves that
`x` is there on the other side, and behind the branch if that side raises.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import Flag
from typing import TypeGuard

import numpy as np

from backsweep.diagnostics import NOWHERE, Loc, Problem, UnsupportedError
from backsweep.ir.build import Builder
from backsweep.ir.nodes import (
    UNDEFINED,
    Append,
    Apply,
    Block,
    Callee,
    Const,
    Custom,
    For,
    Function,
    If,
    Node,
    Operand,
    Raise,
    Tap,
    Value,
    While,
    is_none,
)
from backsweep.ir.walk import (
    carried_parameters,
    changed,
    definitions_of,
    leaving,
    operands,
    results,
    returned,
    substitute,
    walk,
    with_body,
)

_IS, _IS_NOT = (operator.is_, operator.eq), (operator.is_not, operator.ne)
OF_NONE: Mapping[object, bool] = {np.iscomplexobj: False, np.isrealobj: True}
"""What functions answer that ask for the kind of anything, also of None."""


class Holds(Flag):
    """What a variable may hold where it is read; nothing at all if no path gets there."""

    NONE = 1
    VALUE = 2
    EITHER = NONE | VALUE


Known = Mapping[Value, Holds]
"""What the branches around a place prove of variables."""


def separate_none(function: Function) -> Function:
    """The program in which no variable is None on some paths and a value on others.

    Raises UnsupportedError for such a variable that a tuple, a list or a call takes over. Where such a variable is None and
    the function returns it, there is no derivative, and the program raises TypeError.
    """
    if not any(is_none(end) for node in walk(function.body) for end in _merged_ends(node)):
        return function
    holding = _Holding(function)
    held = {value for value, holds in holding.of.items() if holds == Holds.EITHER}
    if not held and not holding.never:
        return function
    return with_body(function, _Separation(holding, held, returned(function.body)).program(function.body))


def _merged_ends(node: Node) -> tuple[Operand, ...]:
    """The operands that a branch or a loop merges."""
    inits = node.inits if isinstance(node, For | While) else ()
    return (*leaving(node), *inits)


class _Holding:
    """What each variable that a branch, a loop or a tap defines may hold."""

    def __init__(self, function: Function) -> None:
        self.made = definitions_of(function)
        self.never: set[Block] = set()
        """The sides of branches that no path gets to, such as those on which what is always None is not."""
        self.of: dict[Value, Holds] = {}
        for node in walk(function.body):
            if isinstance(node, If | For | While):
                self.of.update(dict.fromkeys(node.results, Holds(0)))
            if isinstance(node, For | While):
                self.of.update(dict.fromkeys(carried_parameters(node), Holds(0)))
            if isinstance(node, While):
                self.of.update(dict.fromkeys(node.condition.parameters, Holds(0)))
            if _is_tap(node):
                self.of[node.result] = Holds(0)
        before: dict[Value, Holds] = {}
        while before != self.of:
            before = dict(self.of)
            self.never.clear()
            self._visit(function.body, {})

    def at(self, operand: Operand, known: Known) -> Holds:
        """What an operand may hold where this is known."""
        if isinstance(operand, Value):
            return known.get(operand, self.of.get(operand, Holds.VALUE))
        if operand is UNDEFINED:
            return Holds(0)
        return Holds.NONE if is_none(operand) else Holds.VALUE

    def _visit(self, block: Block, known: Known) -> Known:
        """Follow what the block's merges take in; what is known at its end."""
        for node in block.nodes:
            if _is_tap(node):
                self._add(node.result, node.operands[0], known)
            for inner, here in self.inside(node, known):
                if isinstance(node, If) and self._is_never(known, here):
                    self.never.add(inner)
                    continue
                end = self._visit(inner, here)
                for taking, taken in _taken(node, inner):
                    self._add(taking, taken, end)
            if isinstance(node, For | While):
                for taking, taken in _pairs(node, node.inits):
                    self._add(taking, taken, known)
            known = self.behind(node, known)
        return known

    def _is_never(self, known: Known, here: Known) -> bool:
        """Whether a side of a branch runs only if a variable that is None on all paths is not."""
        asked = [value for value, holds in here.items() if not holds and known.get(value, Holds.NONE)]
        return any(Holds.VALUE not in self.of.get(value, Holds.VALUE) for value in asked)

    def _add(self, value: Value, operand: Operand, known: Known) -> None:
        self.of[value] |= self.at(operand, known)

    def inside(self, node: Node, known: Known) -> list[tuple[Block, Known]]:
        """The blocks of a node, each with what is known where it begins."""
        match node:
            case If():
                return [
                    (side, self.also(known, node.condition, holds=holds))
                    for side, holds in ((node.then, True), (node.orelse, False))
                ]
            case For():
                return [(node.body, known)]
            case While():
                proved = self.proved(node.condition.yields[0], holds=True)
                names = dict(zip(node.condition.parameters, node.body.parameters, strict=True))
                inner = {names.get(value, value): holds for value, holds in proved.items()}
                return [(node.condition, known), (node.body, {**known, **inner})]
            case _:
                return []

    def behind(self, node: Node, known: Known) -> Known:
        """What is known behind a node: what ended a loop, and that the side of a branch that raises did not run."""
        if isinstance(node, While) and node.exit is None:
            proved = self.proved(node.condition.yields[0], holds=False)
            names = dict(zip(node.condition.parameters, node.results, strict=True))
            ended = {names[value]: what for value, what in proved.items() if value in names}
            known = {**known, **{value: self.at(value, known) & what for value, what in ended.items()}}
        if isinstance(node, If):
            for side, holds in ((node.then, False), (node.orelse, True)):
                if side.nodes and isinstance(side.nodes[-1], Raise):
                    known = self.also(known, node.condition, holds=holds)
        return known

    def also(self, known: Known, condition: Operand, *, holds: bool) -> Known:
        """What is known where, besides, the condition holds, or does not."""
        proved = self.proved(condition, holds=holds)
        return {**known, **{value: self.at(value, known) & what for value, what in proved.items()}}

    def proved(self, condition: Operand, *, holds: bool) -> dict[Value, Holds]:
        """What the variables hold if the condition holds, or does not."""
        node = self.made.get(condition) if isinstance(condition, Value) else None
        found: dict[Value, Holds] = {}
        if isinstance(condition, Value) and holds and self.of.get(condition) == Holds.EITHER:
            found[condition] = Holds.VALUE  # None is no truth
        match node:
            case Apply(function=operator.not_, operands=(operand,)):
                return self.proved(operand, holds=not holds)
            case Apply() if (tested := tested_for_none(node)) is not None:
                is_there = holds is (node.function in _IS_NOT)
                return {tested: Holds.VALUE if is_there else Holds.NONE}
            case If():
                number = node.results.index(condition)
                ends = (node.then.yields[number], node.orelse.yields[number])
                for side, (end, other) in ((True, ends), (False, ends[::-1])):
                    if _truth(end, node.condition, side) is (not holds):  # so the other side ran
                        found |= self.proved(node.condition, holds=not side)
                        found |= {} if other is node.condition else self.proved(other, holds=holds)
            case _:
                pass
        return found


def tested_for_none(node: Apply) -> Value | None:
    """The variable that a node compares with None."""
    if node.function not in (*_IS, *_IS_NOT):
        return None
    one, other = node.operands
    tested = other if is_none(one) else one
    return tested if isinstance(tested, Value) and (is_none(one) or is_none(other)) else None


def _asks_kind(node: Node) -> Value | None:
    """The variable of which a node asks what has an answer for None, too: whether it is complex, or a number that is written out."""
    if not isinstance(node, Apply):
        return None
    match node.operands:
        case (Value() as asked,) if node.function in OF_NONE:
            return asked
        case (Value() as asked, Const()) | (Const(), Value() as asked) if node.function in (*_IS, *_IS_NOT):
            return asked
        case _:
            return None


def _truth(operand: Operand, condition: Operand, side: bool) -> bool | None:
    """Whether an operand is true on one side of a branch on the condition, if that is known."""
    if operand is condition:
        return side
    return operand.value if isinstance(operand, Const) and isinstance(operand.value, bool) else None


def _is_tap(node: Node) -> TypeGuard[Apply]:
    return isinstance(node, Apply) and isinstance(node.function, Tap)


def _taken(node: Node, inner: Block) -> list[tuple[Value, Operand]]:
    """What takes in what one of the node's blocks yields."""
    match node:
        case If():
            return list(zip(node.results, inner.yields, strict=True))
        case For() | While() if inner is node.body:
            return _pairs(node, inner.yields)
        case _:
            return []


def _pairs(loop: For | While, ends: Sequence[Operand]) -> list[tuple[Value, Operand]]:
    """Each value of a loop that takes in one of what an iteration begins with."""
    takers = [loop.results, carried_parameters(loop)]
    takers += [loop.condition.parameters] if isinstance(loop, While) else []
    return [pair for taking in takers for pair in zip(taking, ends, strict=True)]


class _Separation:
    """Writes the program anew; `held` are the variables that need a flag, `returned` what the program returns."""

    def __init__(self, holding: _Holding, held: set[Value], returned: AbstractSet[Operand]) -> None:
        self.holding = holding
        self.held = held
        self.returned = returned
        self.flags: dict[Value, Value] = {
            value: Value(f"has_{value.name}" if value.name else "is_there", None, value.loc)
            for value in sorted(held, key=lambda each: (each.loc.line, each.name))
        }
        self.replaced: dict[Value, Operand] = {}

    def program(self, body: Block) -> Block:
        """The body of the program with flags."""
        written, known = self._block(body, {})
        builder = Builder(loc=written[-1].loc if written else NOWHERE)
        for operand in body.yields:
            if isinstance(operand, Value) and self.holding.at(operand, known) == Holds.EITHER:
                self._raise_without(
                    builder, operand, "the function returns None here, which has no derivative"
                )
        written += builder.current.nodes
        return substitute(Block(body.parameters, tuple(written), body.yields), self.replaced)

    def _block(self, block: Block, known: Known) -> tuple[list[Node], Known]:
        """The nodes of a block, and what is known at its end."""
        builder = Builder()
        for node in block.nodes:
            builder.loc = node.loc
            known = self._checked(builder, node, known)
            builder.add(*self._written(builder, node, known))
            known = self.holding.behind(node, known)
        return builder.current.nodes, known

    def _checked(self, builder: Builder, node: Node, known: Known) -> Known:
        """Add a check for each variable that the node computes with and that may be None there."""
        if _is_tap(node) or (isinstance(node, Apply) and tested_for_none(node) is not None):
            return known
        if _asks_kind(node) is not None:
            return known
        passed_on = node.inits if isinstance(node, For | While) else ()
        asked: tuple[Operand, ...] = (node.condition,) if isinstance(node, If) else ()
        asked += node.operands if isinstance(node, Apply) and node.function is operator.not_ else ()
        for operand in operands(node):
            if not isinstance(operand, Value) or operand not in self.held or operand in (*passed_on, *asked):
                continue
            if self.holding.at(operand, known) == Holds.VALUE:
                continue
            if _takes_over(node) and self.returned.isdisjoint(results(node)):
                _refuse(operand, node.loc)
            name = f"`{operand.name}`" if operand.name else "a value"
            self._raise_without(builder, operand, f"{name} is None here")
            known = {**known, operand: Holds.VALUE}
        return known

    def _raise_without(self, builder: Builder, value: Value, text: str) -> None:
        """Add `if not has_value: raise TypeError(text)`."""
        missing = builder.apply(operator.not_, self.flags[value])
        stopping = Raise(Const(TypeError), (Const(text),), builder.loc, local=True)
        builder.add(If(missing, Block((), (stopping,), ()), Block((), (), ()), (), builder.loc))

    def _written(self, builder: Builder, node: Node, known: Known) -> list[Node]:
        """The node, with flags beside what it merges, and with tests of flags for tests of None."""
        match node:
            case Apply(function=Tap()) if node.result in self.held:
                self.replaced[self.flags[node.result]] = self._flag(node.operands[0], known)
                return [node]
            case Apply() if (tested := tested_for_none(node)) is not None and self._is_merged(tested):
                return self._test(node, tested, known)
            case Apply() if (tested := _asks_kind(node)) is not None and tested in self.held:
                return self._kind(node, tested, known)
            case Apply(function=operator.not_, operands=(Value() as operand,)) if operand in self.held:
                return [changed(node, operands=(self._is_true(builder, operand, known),))]
            case If() if node.then in self.holding.never or node.orelse in self.holding.never:
                return self._only(node, known)
            case If():
                condition = node.condition
                if isinstance(condition, Value) and condition in self.held:
                    node = changed(node, condition=self._is_true(builder, condition, known))
                return [
                    self._branch(
                        node, self.holding.inside(dataclasses.replace(node, condition=condition), known)
                    )
                ]
            case For() | While():
                return [self._loop(node, known)]
            case _:
                return [node]

    def _is_merged(self, value: Value) -> bool:
        """Whether the value is None on some of the paths that meet, or on all of them."""
        return Holds.NONE in self.holding.of.get(value, Holds(0))

    def _test(self, node: Apply, tested: Value, known: Known) -> list[Node]:
        """`x is None` as `not has_x`; the answer itself where it is known."""
        holds = self.holding.at(tested, known)
        if holds != Holds.EITHER:
            self.replaced[node.result] = Const((holds == Holds.NONE) is (node.function in _IS))
            return []
        if node.function in _IS_NOT:
            self.replaced[node.result] = self.flags[tested]
            return []
        return [Apply(node.result, operator.not_, (self.flags[tested],), node.loc)]

    def _kind(self, node: Apply, asked: Value, known: Known) -> list[Node]:
        """What is asked of the kind of a variable that may be None: of its value, where it has one."""
        holds, otherwise = (
            self.holding.at(asked, known),
            Const(OF_NONE.get(node.function, node.function in _IS_NOT)),
        )
        if holds == Holds.VALUE:
            return [node]
        if holds == Holds.NONE:
            self.replaced[node.result] = otherwise
            return []
        builder = Builder(loc=node.loc)
        with builder.block() as there:
            there.yields = (builder.apply(node.function, *node.operands),)
        return [If(self.flags[asked], there.finish(), Block((), (), (otherwise,)), (node.result,), node.loc)]

    def _is_true(self, builder: Builder, value: Value, known: Known) -> Operand:
        """The truth of a variable that may be None: that of its value, where it has one."""
        holds = self.holding.at(value, known)
        if holds != Holds.EITHER:
            return value if holds == Holds.VALUE else Const(False)
        result = builder.value()
        with builder.block() as there:
            there.yields = (builder.apply(bool, value),)
        builder.add(
            If(self.flags[value], there.finish(), Block((), (), (Const(False),)), (result,), builder.loc)
        )
        return result

    def _only(self, node: If, known: Known) -> list[Node]:
        """The statements of the side of a branch that some path gets to."""
        side = node.orelse if node.then in self.holding.never else node.then
        inner = next((known for block, known in self.holding.inside(node, known) if block is side), known)
        nodes, end = self._block(side, inner)
        for result, ended in zip(node.results, side.yields, strict=True):
            if result in self.held:
                self.replaced[self.flags[result]] = self._flag(ended, end)
            self.replaced[result] = ended
        return nodes

    def _branch(self, node: If, sides: Sequence[tuple[Block, Known]]) -> If:
        """The branch, whose sides yield a flag besides each variable that has one."""
        then, orelse = (self._side(side, known, node.results) for side, known in sides)
        return dataclasses.replace(node, then=then, orelse=orelse, results=self._with_flags(node.results))

    def _loop(self, node: For | While, known: Known) -> For | While:
        """The loop, which carries a flag besides each variable that has one."""
        inits = self._ends(node.inits, node.results, known)
        results = self._with_flags(node.results)
        if isinstance(node, For):
            body = self._side(node.body, known, node.results)
            return dataclasses.replace(node, inits=inits, body=body, results=results)
        (_, outside), (_, inside) = self.holding.inside(node, known)
        test, end = self._block(node.condition, outside)
        builder, holds = Builder(loc=node.loc), node.condition.yields[0]
        if isinstance(holds, Value) and holds in self.held:
            holds = self._is_true(builder, holds, end)
        nodes = (*test, *builder.current.nodes)
        condition = Block(self._with_flags(node.condition.parameters), nodes, (holds,))
        body = self._side(node.body, inside, node.results)
        return dataclasses.replace(node, inits=inits, condition=condition, body=body, results=results)

    def _side(self, block: Block, known: Known, takers: Sequence[Value]) -> Block:
        nodes, end = self._block(block, known)
        return Block(self._with_flags(block.parameters), tuple(nodes), self._ends(block.yields, takers, end))

    def _with_flags(self, values: Sequence[Value]) -> tuple[Value, ...]:
        """The values, each followed by its flag if it has one."""
        found: list[Value] = []
        for value in values:
            flag = self.flags.get(value)
            found += [value] if flag is None else [value, flag]
        return tuple(found)

    def _ends(self, ends: Sequence[Operand], takers: Sequence[Value], known: Known) -> tuple[Operand, ...]:
        """What a block yields, or a loop begins with, for these values and their flags."""
        found: list[Operand] = []
        for end, taker in zip(ends, takers, strict=True):
            holds = self.holding.at(end, known)
            if taker not in self.held:
                found.append(Const(None) if holds == Holds.NONE else end if holds else UNDEFINED)
                continue
            found += [UNDEFINED if holds == Holds.NONE else end, self._flag(end, known)]
        return tuple(found)

    def _flag(self, operand: Operand, known: Known) -> Operand:
        """Whether the operand is there."""
        holds = self.holding.at(operand, known)
        if holds == Holds.EITHER:
            return self.flags[operand]  # type: ignore[index]  # only a value may hold either
        return UNDEFINED if operand is UNDEFINED else Const(holds != Holds.NONE)


def _takes_over(node: Node) -> bool:
    """Whether the node keeps what it is given, with None where that is None."""
    match node:
        case Apply(function=Callee() | Custom()) | Append():
            return True
        case Apply():
            return node.function is tuple
        case _:
            return False


def _refuse(value: Value, loc: Loc) -> None:
    """Raise UnsupportedError for a variable that may be None where it is handed on."""
    what = f"`{value.name}`" if value.name else "a value"
    message = f"{what} is None on some paths and a value on others, and it is handed on here"
    remedy = f"branch on `{value.name or 'value'} is None` first, and hand on a value."
    raise UnsupportedError(Problem("BS120", message, loc, remedy))
