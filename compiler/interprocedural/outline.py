"""Move a part of a program into a function of its own, and put a call in its place; the function is pure, as `Callee` demands."""

from __future__ import annotations

import dataclasses
import itertools
import operator
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence

import numpy as np

from backsweep.analysis.alias import find_aliases
from backsweep.analysis.integers.affine import Shape
from backsweep.analysis.integers.extents import shape_of_parameter, shapes_of
from backsweep.diagnostics import Loc, Problem, UnsupportedError
from backsweep.interprocedural.structure import structure
from backsweep.interprocedural.summaries import (
    bundle,
    bundled,
    function_text,
    own_results,
    parts_of,
    pure,
    raises,
)
from backsweep.ir.build import Builder
from backsweep.ir.effects import written_by
from backsweep.ir.nodes import (
    Append,
    Apply,
    Block,
    Callee,
    Const,
    Dots,
    Function,
    Grow,
    Node,
    Operand,
    Tap,
    Value,
)
from backsweep.ir.operations import Need, is_random, operation
from backsweep.ir.typed import type_of
from backsweep.ir.types import INT, Array, List, Other, Scalar, Tuple, Type, contiguous
from backsweep.ir.walk import (
    definitions_of,
    free_values,
    growing,
    grows,
    renewed,
    substitute,
    walk,
    with_body,
)


class Outliner:
    """Makes calls of parts of one program.

    `replaced` are the values of the program with what they become. `meant` says of a new value what it is in the program
    as it was. `settled` is memory of which a second run of the part reads and writes the same as the first; `within`
    rewrites the programs of the functions.
    """

    def __init__(self, function: Function, within: Callable[[Function], Function]) -> None:
        self.function = function
        self.within = within
        self.aliases = find_aliases(function)
        self.shapes = shapes_of(function)
        self.definitions = definitions_of(function)
        self.replaced: dict[Value, Operand] = {}
        self.meant: dict[Value, Value] = {}
        self.settled: set[Value] = set()
        self.made: dict[Hashable, Callee] = {}
        """The functions so far, by what they do: calls that do the same call one function."""

    def called(
        self,
        name: str,
        nodes: Sequence[Node],
        handed: Sequence[tuple[Operand, Value]],
        loc: Loc,
        parameters_with_arguments: Sequence[tuple[Value, Operand]] = (),
        *,
        is_block: bool = False,
    ) -> list[Node]:
        """A call of a function of these nodes.

        `handed` are the function's results with the values that they become here; `parameters_with_arguments` are parameters of its own with
        their arguments. Everything else that the nodes read is passed, too.
        """
        self._check(nodes, name)
        before: list[Node] = []
        made = {value for value, _ in parameters_with_arguments}
        inside = Block(tuple(made), tuple(nodes), tuple(end for end, _ in handed))
        free = list(free_values(inside))
        for end, result in handed:
            if end in free or isinstance(end, Const):  # it comes from outside: nothing to hand out
                self.replaced[result] = end
        handed = [(end, result) for end, result in handed if result not in self.replaced]
        nodes = (*self._extents(free), *nodes)
        free = list(free_values(Block(tuple(made), tuple(nodes), ())))
        own = named_apart([value.name for value, _ in parameters_with_arguments], free)
        self._check_types([*free, *(end for end, _ in handed if isinstance(end, Value))], name, loc)
        body = list(nodes)
        whole = bundled([end for end, _ in handed], body, loc)
        parameters = (*(value for value, _ in parameters_with_arguments), *own.values())
        program = Function(name, Block(parameters, tuple(body), (whole,)), loc)
        program = with_body(program, renewed(substitute(program.body, dict(own))))
        types = [part for value in program.body.parameters for part in parts_of(value.type or INT)]
        arguments = [
            part
            for argument in (*(each for _, each in parameters_with_arguments), *free)
            for part in self._parts(argument, before, loc)
        ]
        flat = pure(program)
        summary = dataclasses.replace(
            flat, program=dataclasses.replace(flat.program, assumed=self._equal_shapes(arguments))
        )
        ends = [type_of(end) or Scalar("float64") for end, _ in handed]
        new = [contiguous(types[k]) or types[k] for k in summary.changed]
        callee = Callee(
            name,
            tuple(types),
            bundle([*(contiguous(type_) or type_ for type_ in ends), *new]),
            changed=summary.changed,
            shares=summary.shares,
            checks=raises(summary.program),
            is_checkpointed=True,
            is_block=is_block,
        )
        callee.alike = self._alike([end for end, _ in handed], arguments)
        settled = {
            k
            for k, each in enumerate(arguments)
            if isinstance(each, Value) and self.aliases.of(each) in self.settled
        }
        callee.settled = tuple(k for k in callee.changed if is_block and k in settled)
        callee.program = self.within(summary.program)
        if not is_block:
            callee = self.made.setdefault(_key(callee), callee)
        return [*before, *self._results(callee, arguments, [result for _, result in handed], loc)]

    def _results(
        self, callee: Callee, arguments: Sequence[Operand], results: Sequence[Value], loc: Loc
    ) -> list[Node]:
        """The call, what it returns, and the stores of the new contents of the arrays that it changes."""
        builder = Builder(loc=loc)
        whole = builder.apply(callee, *arguments, type=callee.result)
        types = callee.result.items if isinstance(callee.result, Tuple) else (callee.result,)
        count = len(own_results(callee)) + len(callee.changed)
        parts = [whole]
        if count > 1:
            parts = [builder.apply(operator.getitem, whole, Const(k), type=types[k]) for k in range(count)]
        for part, result in zip(parts, results, strict=False):
            object.__setattr__(part, "name", result.name)
            self.replaced[result] = part
        for part, position in zip(parts[len(results) :], callee.changed, strict=count > 0):
            array = arguments[position]
            assert isinstance(array, Value)
            object.__setattr__(part, "name", array.name)
            builder.store(array, (Dots(),), part)
        return builder.current.nodes

    def _extents(self, values: Sequence[Value]) -> list[Node]:
        """The nodes that read extents of arrays among the values: the new function reads these extents itself, instead of taking them."""
        found: list[Node] = []
        for value in values:
            node = self.definitions.get(value)
            if not isinstance(node, Apply) or node.function is not operator.getitem:
                continue
            shape = self.definitions.get(node.operands[0]) if isinstance(node.operands[0], Value) else None
            if isinstance(shape, Apply) and shape.function is np.shape and not self._grows(shape.operands[0]):
                found += [each for each in (shape, node) if each not in found]
        return found

    def _grows(self, operand: Operand) -> bool:
        """Whether the operand is a list or an array that grows: its length may be another when the function is called."""
        return grows(operand, growing(self.function.body)) or not isinstance(operand, Value)

    def _equal_shapes(self, arguments: Sequence[Operand]) -> dict[int, Shape]:
        """By position of an array among the arguments: its shape, if an earlier argument has the same."""
        arrays = [
            (k, each)
            for k, each in enumerate(arguments)
            if isinstance(each, Value) and isinstance(each.type, Array)
        ]
        found: dict[int, Shape] = {}
        for number, (position, each) in enumerate(arrays):
            for earlier, other in arrays[:number]:
                one, two = self.meant.get(each, each), self.meant.get(other, other)
                if earlier not in found and self.shapes.same(one, two):
                    assert isinstance(other.type, Array)
                    found[position] = shape_of_parameter(earlier, other.type)
                    break
        return found

    def _alike(self, ends: Sequence[Operand], arguments: Sequence[Operand]) -> dict[int, int]:
        """By number of a result that is an array: the position of an argument of the same shape, if there is one."""
        found: dict[int, int] = {}
        for number, end in enumerate(ends):
            if not isinstance(end, Value) or not isinstance(end.type, Array):
                continue
            for position, argument in enumerate(arguments):
                if isinstance(argument, Value) and isinstance(argument.type, Array):
                    if self.shapes.same(self.meant.get(end, end), self.meant.get(argument, argument)):
                        found[number] = position
                        break
        return found

    def _parts(self, operand: Operand, nodes: list[Node], loc: Loc) -> Iterator[Operand]:
        """The numbers and arrays of an argument."""
        type_ = type_of(operand)
        if not isinstance(type_, Tuple):
            yield operand
            return
        for k, item in enumerate(type_.items):
            part = Value("", item, loc)
            nodes.append(Apply(part, operator.getitem, (operand, Const(k)), loc))
            yield from self._parts(part, nodes, loc)

    # What is refused

    def is_callable(self, block: Block, results: Sequence[Value]) -> bool:
        """Whether nodes may become a function: nothing is in them that is refused of a function that is called again."""
        outside = free_values(block)
        if self._shares(block, outside, results):
            return False
        for node in walk(block):
            if isinstance(node, Append | Grow) and node.buffer in outside:
                return False
            if isinstance(node, Apply) and (
                is_random(node.function)
                or operation(node.function).need is Need.UNKNOWN
                or (isinstance(node.function, Tap) and not node.function.optional)
            ):
                return False
        return not any(
            isinstance(part, List | Other)
            for value in (*outside, *results)
            for part in parts_of(value.type or INT)
        )

    def _shares(self, block: Block, outside: Collection[Value], results: Sequence[Value]) -> bool:
        """Whether a result is memory from outside, or memory is written that has several names outside."""
        names = Counter(self.aliases.of(each) for each in outside if isinstance(each.type, Array))
        written = {self.aliases.of(array) for node in walk(block) for array in written_by(node)}
        return any(names[self.aliases.of(each)] for each in results if isinstance(each.type, Array)) or any(
            names[leader] > 1 for leader in written
        )

    def _check(self, nodes: Sequence[Node], name: str) -> None:
        """Refuse nodes whose second run may differ from the first, or would repeat what they change outside."""
        block = Block((), tuple(nodes), ())
        outside = free_values(block)
        for node in walk(block):
            if isinstance(node, Apply) and is_random(node.function):
                message = f"{function_text(name)} is checkpointed and draws random numbers, and its second run would draw others"
                remedy = "draw them before, and pass them as an argument."
                raise UnsupportedError(Problem("BS145", message, node.loc, remedy))
            if isinstance(node, Append | Grow) and node.buffer in outside:
                message = f"{function_text(name)} is checkpointed and appends to a list that was made outside"
                remedy = "make an array of its final length before, and assign its elements."
                raise UnsupportedError(Problem("BS144", message, node.loc, remedy))
            if isinstance(node, Apply) and isinstance(node.function, Tap) and not node.function.optional:
                message = f"`{node.function.label}` is asked for by name, and assigned in {function_text(name)}, which is checkpointed"
                remedy = "leave the checkpoint out, or ask for variables that are assigned outside."
                raise UnsupportedError(Problem("BS147", message, node.loc, remedy))

    def _check_types(self, values: Sequence[Value], name: str, loc: Loc) -> None:
        """Refuse arguments that are neither numbers nor arrays, nor tuples of these."""
        for value in values:
            for part in parts_of(value.type or INT):
                if isinstance(part, List | Other):
                    what = f"`{value.name}`" if value.name else "a value"
                    message = f"{function_text(name)} is checkpointed and reads or returns {what}, which is {_type_text(part)}"
                    remedy = "use numbers, arrays and tuples of them there."
                    raise UnsupportedError(Problem("BS144", message, loc, remedy))


def _key(callee: Callee) -> Hashable:
    """What is equal for two functions of which one can stand for the other."""
    assert callee.program is not None
    given = callee.name, callee.parameters, callee.result, callee.changed, callee.shares
    shapes = frozenset(
        (position, axis, extent.const, frozenset(extent.terms.items()))
        for position, shape in callee.program.assumed.items()
        for axis, extent in enumerate(shape)
    )
    return *given, frozenset(callee.alike.items()), shapes, structure(callee.program)


def named_apart(taken: Sequence[str], values: Sequence[Value]) -> dict[Value, Value]:
    """A parameter for each value, under a name of its own."""
    used = set(taken)
    found: dict[Value, Value] = {}
    for value in values:
        base = value.name or "value"
        name = next(
            each
            for each in itertools.chain([base], (f"{base}_{k}" for k in itertools.count(1)))
            if each not in used
        )
        used.add(name)
        found[value] = dataclasses.replace(value, name=name)
    return found


def _type_text(type_: Type) -> str:
    """A type, for a message."""
    return "a list" if isinstance(type_, List) else "neither a number nor an array"
