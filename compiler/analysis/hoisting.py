"""Find the values of a loop that are the same in all its iterations and can be computed before the loop."""

from __future__ import annotations

import dataclasses
import operator

import numpy as np

from backsweep.analysis.integers.affine import Affine, Atom, Dim, is_integer_type, literal, variable
from backsweep.analysis.structure import Facts
from backsweep.ir.build import Builder
from backsweep.ir.effects import may_fail
from backsweep.ir.nodes import Apply, Block, Const, For, If, Load, Node, Operand, Value
from backsweep.ir.operations import OF_INTEGERS, kind
from backsweep.ir.typed import type_of
from backsweep.ir.types import BOOL, INT, Array, Scalar, Tuple
from backsweep.ir.walk import operands, rename_operands
from backsweep.runtime.lists import sequences

Hoisted = tuple[list[Node], Operand]


@dataclasses.dataclass(frozen=True, slots=True)
class Moved:
    """An operand that is computed at another place, with its nodes; if it `may_fail`, these must run only where the program runs them."""

    nodes: list[Node]
    result: Operand
    may_fail: bool = False


def hoisted(operand: Operand, outermost: Node, facts: Facts) -> Hoisted | None:
    """The operand and the nodes that compute it before `outermost`; None if it cannot be computed there.

    What may fail is computed there only if the program computes it, and is zero else.
    """
    found = moved(operand, outermost, facts)
    if found is None or not found.may_fail:
        return None if found is None else (found.nodes, found.result)
    assert isinstance(operand, Value)
    return where_it_runs((found.nodes, found.result), facts.definitions[operand], outermost, facts)


def moved(operand: Operand, outermost: Node, facts: Facts) -> Moved | None:
    """The operand computed before `outermost`, with all nodes that it needs; None if that is not possible."""
    if not isinstance(operand, Value) or not facts.is_within(operand, outermost):
        return Moved([], operand)
    node = facts.definitions.get(operand)
    measured = _measured(node, facts)
    if measured is not None and facts.is_within(measured[0], outermost):
        known = extent_before(facts.shapes.of(measured[0])[measured[1]], outermost, facts)
        return None if known is None else Moved(*known)
    if isinstance(node, If):
        return _moved_choice(operand, node, outermost, facts)
    movable = isinstance(node, Apply) and kind(node.function) in OF_INTEGERS
    readable = isinstance(node, Load) and not facts.aliases.is_buffer(node.buffer)
    if not (movable or readable):
        return None
    assert isinstance(node, Apply | Load)
    sources = {source: moved(source, outermost, facts) for source in operands(node)}
    parts = {source: part for source, part in sources.items() if part is not None}
    if len(parts) < len(sources):
        return None
    copy = dataclasses.replace(operand)
    renewed = rename_operands(node, lambda each: parts[each].result if each in parts else each)
    assert isinstance(renewed, Apply | Load)
    nodes = [inner for part in parts.values() for inner in part.nodes]
    fails = may_fail(node) or any(part.may_fail for part in parts.values())
    return Moved([*nodes, dataclasses.replace(renewed, result=copy)], copy, fails)


def _moved_choice(value: Value, node: If, outermost: Node, facts: Facts) -> Moved | None:
    """The result of a branch (mostly of `a and b`), with the branch that chooses it."""
    place = node.results.index(value)
    test = moved(node.condition, outermost, facts)
    then, orelse = (moved(block.yields[place], outermost, facts) for block in (node.then, node.orelse))
    if test is None or then is None or orelse is None:
        return None
    chosen = dataclasses.replace(value)
    sides = [Block((), tuple(side.nodes), (side.result,)) for side in (then, orelse)]
    fails = test.may_fail or then.may_fail or orelse.may_fail
    return Moved([*test.nodes, If(test.result, sides[0], sides[1], (chosen,), node.loc)], chosen, fails)


def where_it_runs(
    made: Hoisted, node: Node, outermost: Node, facts: Facts, *, regions: type = object
) -> Hoisted | None:
    """What is hoisted for a node, computed only if the node runs, zero else; None if that is not known before `outermost`.

    Of the `regions` around the node, each with its condition: that of a branch, of a loop whether it has an iteration.
    What can be hoisted is the same in all iterations, so that the first one decides.
    """
    nodes, result = made
    found = _zero(result)
    if found is None:
        return None
    zero, type_ = found
    block = facts.holder[node]
    region = node
    while region is not outermost:
        region, outer = facts.parents[block]
        if isinstance(region, regions):
            entered = _is_entered(region, block, outermost, facts)
            if entered is None:
                return None
            tests, test = entered
            chosen = Value("", type_, node.loc)
            sides = Block((), tuple(nodes), (result,)), Block((), (), (zero,))
            nodes, result = [*tests, If(test, *sides, (chosen,), node.loc)], chosen
        block = outer
    return nodes, result


def guards(operand: Operand, node: Node, outermost: Node, facts: Facts) -> bool:
    """Whether a branch around the node, within `outermost`, tests a value that the operand is computed from."""
    if node is outermost:
        return False
    sources = _sources(operand, facts)
    for region in facts.path(facts.holder[node]):
        if isinstance(region, If) and not sources.isdisjoint(_sources(region.condition, facts)):
            return True
        if region is outermost:
            break
    return False


def _sources(operand: Operand, facts: Facts) -> set[Value]:
    """The values that an operand is computed from by what can be moved; itself where it is not."""
    if not isinstance(operand, Value):
        return set()
    node = facts.definitions.get(operand)
    found = {operand}
    if isinstance(node, Load) or (isinstance(node, Apply) and kind(node.function) in OF_INTEGERS):
        for source in operands(node):
            found |= _sources(source, facts)
    return found


def _is_entered(region: Node, block: Block, outermost: Node, facts: Facts) -> Hoisted | None:
    """A condition, computed before `outermost`, for a branch or loop to run its block when it is reached; None if that is not known."""
    builder = Builder(loc=region.loc)
    match region:
        case If():
            found = moved(region.condition, outermost, facts)
            if found is None or block is region.then:
                return None if found is None else (found.nodes, found.result)
            builder.add(*found.nodes)
            return builder.current.nodes, builder.apply(operator.not_, found.result, type=BOOL)
        case For():
            ends: list[Operand] = []
            for operand in (region.start, region.stop, region.step):
                bound = moved(operand, outermost, facts)
                if bound is None:
                    return None
                builder.add(*bound.nodes)
                ends.append(bound.result)
            if literal(region.step) == 1:
                ran = builder.apply(operator.gt, ends[1], ends[0], type=BOOL)
            else:
                count = builder.apply(sequences.trip_count, *ends, type=INT)
                ran = builder.apply(operator.gt, count, Const(0), type=BOOL)
            return builder.current.nodes, ran
        case _:
            return None


def _zero(operand: Operand) -> tuple[Const, Scalar] | None:
    """A placeholder for a number that is not computed, with its type; None unless it is an integer or a bool."""
    type_ = type_of(operand)
    if type_ == BOOL:
        return Const(False), BOOL
    if is_integer_type(type_) and type_ != Scalar("uint64"):
        return Const(0), INT
    return None


def _measured(node: Node | None, facts: Facts) -> tuple[Value, int] | None:
    """The array and the axis whose extent the node reads; None if it reads none."""
    match node:
        case Apply(function=function, operands=(Value(type=Array(ndim=ndim)) as array,)) if (
            function is len or (function is np.size and ndim == 1)
        ):
            return array, 0
        case Apply(function=operator.getitem, operands=(Value() as shape, Const(value=int() as axis))):
            source = facts.definitions.get(shape)
            if isinstance(source, Apply) and source.function is np.shape:
                (base,) = source.operands
                if isinstance(base, Value) and isinstance(base.type, Array):
                    return base, axis
            return None
        case _:
            return None


def _is_visible(value: Value, outermost: Node, facts: Facts) -> bool:
    """Whether the value is defined within `outermost` or in a block around it."""
    where = facts.where.get(value)
    holders = [facts.holder[outermost]]
    holders += [facts.holder[region] for region in facts.path(holders[0])]
    return where is None or where in holders or facts.is_within(value, outermost)


def _measurable(atom: Atom, outermost: Node, facts: Facts) -> Dim | None:
    """An axis with this extent, of an array that is defined before `outermost`; None if there is none."""
    if isinstance(atom, Dim) and isinstance(atom.value.type, Array):
        if _is_before(atom.value, outermost, facts):
            return atom
    elif not isinstance(atom, Value) or _is_visible(atom, outermost, facts):
        return None
    wanted = variable(atom)
    for value in facts.where:
        if (
            isinstance(value.type, Array)
            and value in facts.definitions
            and _is_before(value, outermost, facts)
        ):
            found = facts.shapes.of(value)
            if wanted in found and facts.is_there(value, facts.holder[outermost]):
                return Dim(value, found.index(wanted))
    return None


def _is_before(value: Value, outermost: Node, facts: Facts) -> bool:
    """Whether the value is made before `outermost`, and visible there."""
    made = facts.definitions.get(value)
    earlier = made is None or facts.position.get(made, -1) < facts.position[outermost]
    return earlier and _is_visible(value, outermost, facts) and not facts.is_within(value, outermost)


def extent_before(extent: Affine, outermost: Node, facts: Facts) -> Hoisted | None:
    """An array extent, computed before `outermost`; None if it depends on what happens inside."""
    builder = Builder(loc=outermost.loc)
    total: Operand | None = None
    for atom, coefficient in extent.terms.items():
        measured = _measurable(atom, outermost, facts)
        if measured is not None:
            assert isinstance(measured.value.type, Array)
            axes = Tuple((INT,) * measured.value.type.ndim)
            shape = builder.apply(np.shape, measured.value, type=axes)
            term: Operand = builder.apply(operator.getitem, shape, Const(measured.axis), type=INT)
        elif isinstance(atom, Value) and _is_visible(atom, outermost, facts):
            part = hoisted(atom, outermost, facts)
            if part is None:
                return None
            builder.add(*part[0])
            term = part[1]
        else:
            return None
        if coefficient != 1:
            term = builder.apply(operator.mul, Const(coefficient), term, type=INT)
        total = term if total is None else builder.apply(operator.add, total, term, type=INT)
    if total is None:
        return [], Const(extent.const)
    if extent.const > 0:
        total = builder.apply(operator.add, total, Const(extent.const), type=INT)
    if extent.const < 0:
        total = builder.apply(operator.sub, total, Const(-extent.const), type=INT)
    if extent.const < 0 or not facts.shapes.is_count(extent):  # negative where no array has it
        total = builder.apply(max, total, Const(0), type=INT)
    return list(builder.current.nodes), total
