"""Simplify algebra: neutral elements, signs, repeated subexpressions, two stores to one element."""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections import ChainMap, Counter
from collections.abc import Hashable, MutableMapping

import numpy as np

from backsweep.analysis.alias import find_aliases, items_of_arguments
from backsweep.analysis.neutral import (
    deciding,
    is_integer_typed,
    is_literal_integer,
    is_of_type,
    is_one,
    is_zero,
    keeps_its_type,
    operand_key,
    scale_of,
    swapped,
)
from backsweep.analysis.trip_counts import never_runs
from backsweep.ir.build import christen
from backsweep.ir.effects import has_effect
from backsweep.ir.nodes import (
    Apply,
    Block,
    Comment,
    Const,
    Dots,
    Function,
    If,
    Index,
    Load,
    NewAxis,
    Node,
    Operand,
    Raise,
    Slice,
    Store,
    Sweep,
    Value,
    While,
)
from backsweep.ir.operations import EXPENSIVE, Kind, Sharing, kind, operation
from backsweep.ir.typed import type_of
from backsweep.ir.types import INT, Array, Scalar
from backsweep.ir.walk import (
    growing,
    grows,
    leaving,
    map_blocks,
    operands,
    rename_operands,
    returned,
    walk,
    with_body,
    with_nodes,
)
from backsweep.legalise.normalise import SIGNED
from backsweep.runtime.special import strong_product, strong_quotient

_FOUND_NEARBY = (Kind.ARITHMETIC, Kind.DIVISION, Kind.POWER)
"""What is computed once where one statement has it several times."""


def simplify(function: Function) -> Function:
    """The same program without neutral operations, with signs gathered and repeated pure calls computed once."""
    return with_body(function, _Simplifier(function).block(function.body))


class _Simplifier:
    """Rebuilds blocks in program order; `replaced` maps values to their replacements."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.aliases = find_aliases(function)
        self.growing = growing(function.body)
        self.parameters = frozenset(function.body.parameters)
        results = returned(function.body)
        self.uses: Counter[Operand] = Counter(function.body.yields)
        """How often each operand is read, at least."""
        for node in walk(function.body):
            self.uses.update((*operands(node), *leaving(node)))
        self.handed_out = {self.aliases.of(each) for each in results if isinstance(each, Value)}
        items = (node.result for node in items_of_arguments(function))
        self.argument_memory = {self.aliases.of(each) for each in (*self.parameters, *items)}
        self.replaced: dict[Value, Operand] = {}
        self.negated: dict[Value, Operand] = {}
        self.transposed: dict[Value, Operand] = {}
        self.known: MutableMapping[Hashable, Value] = {}
        self.nearby: dict[Hashable, Value] = {}
        self.sums: dict[Value, Apply] = {}
        self.ones: set[Value] = set()
        """Ones in single precision."""
        self.scaled: dict[Value, Apply] = {}
        """Products with powers of two, and quotients of them."""
        self.rounded: dict[Value, Operand] = {}
        """What was rounded to single precision, by the result."""
        self.depth = 0
        """How many blocks are around the one that is rebuilt."""
        self.in_reverse_sweep = False
        """Whether sums may be rounded in another order: those of the user's function are not."""
        self.elements: set[Value] = set()
        """Elements that were read: each is called by its array, whatever else it turns out to be."""

    @functools.cached_property
    def deciding(self) -> set[Value]:
        """The values on which decisions depend."""
        return deciding(self.function, self.aliases)

    def rename(self, operand: Operand) -> Operand:
        while isinstance(operand, Value) and operand in self.replaced:
            operand = self.replaced[operand]
        return operand

    def replace(self, result: Value, operand: Operand) -> None:
        """Note that the operand replaces the result in the rest of the program."""
        self.replaced[result] = operand
        self.uses[operand] += self.uses[result]

    def block(self, block: Block) -> Block:
        outer, self.known = self.known, ChainMap({}, self.known)
        outer_nearby, self.nearby = self.nearby, {}
        self.depth += 1
        nodes: list[Node] = []
        for node in block.nodes:
            self.node(rename_operands(node, self.rename), nodes)
        self.known, self.nearby = outer, outer_nearby
        self.depth -= 1
        return with_nodes(block, nodes, [*map(self.rename, block.yields)])

    def node(self, node: Node, nodes: list[Node]) -> None:
        match node:
            case Apply():
                self.apply(node, nodes)
            case If(condition=Const(value=bool(chosen))):
                block = node.then if chosen else node.orelse
                for inner in block.nodes:
                    self.node(rename_operands(inner, self.rename), nodes)
                for result, operand in zip(node.results, block.yields, strict=True):
                    self.replace(result, self.rename(operand))
            case If():
                changed = map_blocks(node, self.block, self.rename)
                assert isinstance(changed, If)
                for result, then, orelse in zip(
                    changed.results, changed.then.yields, changed.orelse.yields, strict=True
                ):
                    if then is orelse:
                        self.replace(result, then)
                    elif orelse is changed.condition and isinstance(then, Const) and then.value is True:
                        self.replace(result, orelse)  # `c or c`
                if has_effect(changed):
                    self.nearby.clear()
                nodes.append(changed)
                if self.depth == 1 and isinstance(changed.condition, Value) and _raises(changed.then):
                    self.replaced[changed.condition] = Const(value=False)  # from here on
            case While() if never_runs(node):
                for result, operand in zip(node.results, node.inits, strict=True):
                    self.replace(result, operand)
            case Store() if node.accumulate and is_zero(node.value, node.buffer.type):
                pass
            case Load():
                self.load(node, nodes)
            case Store():
                self.nearby.clear()
                node = self.unrounded(node)
                if not self.meets(node, nodes):
                    nodes.append(node)
            case _:
                if not isinstance(node, Comment):
                    self.nearby.clear()
                elif isinstance(node, Sweep):
                    self.in_reverse_sweep = node.is_reverse
                nodes.append(map_blocks(node, self.block, self.rename))

    def unrounded(self, store: Store) -> Store:
        """A store in single precision, which rounds, of a number that was not rounded before."""
        buffer, value = store.buffer.type, store.value
        if store.accumulate or value not in self.rounded or self.uses[value] > 1:
            return store
        number = self.rounded[value]
        is_element = not any(isinstance(item, Slice | NewAxis | Dots) for item in store.index)
        if (
            is_element
            and isinstance(buffer, Array)
            and buffer.dtype == "float32"
            and type_of(number) == Scalar("float64")
        ):
            return dataclasses.replace(store, value=number)
        return store

    def meets(self, store: Store, nodes: list[Node]) -> bool:
        """Turn `a[i] = 0.0 … a[i] += v` into `a[i] = v`, `a[i] += u … a[i] += v` into `a[i] += u + v`, and `a[i] = u …` likewise."""
        position = self.earlier(store, nodes) if store.accumulate else None
        if position is None:
            return False
        earlier = nodes[position]
        assert isinstance(earlier, Store)
        if not earlier.accumulate and is_zero(earlier.value, store.buffer.type) and _fits(store):
            del nodes[position]
            nodes.append(dataclasses.replace(store, accumulate=False))
            return True
        if self.in_reverse_sweep and _is_element_wise(earlier, store):
            del nodes[position]
            total = Value("", type_of(store.value), store.loc)
            nodes.append(Apply(total, operator.add, (earlier.value, store.value), store.loc))
            nodes.append(dataclasses.replace(store, value=total, accumulate=earlier.accumulate))
            return True
        return False

    def earlier(self, store: Store, nodes: list[Node]) -> int | None:
        """The position of an earlier store to the same element, if nothing in between reads or writes that memory."""
        for position in range(len(nodes) - 1, -1, -1):
            node = nodes[position]
            if isinstance(node, Store):
                alike = node.buffer is store.buffer and _same_index(node.index, store.index)
                return position if alike else None
            if not isinstance(node, Apply | Load) or has_effect(node):
                return None
            arrays = (
                each for each in operands(node) if isinstance(each, Value) and isinstance(each.type, Array)
            )
            if any(self.may_touch(array, store.buffer) for array in arrays):
                return None
        return None

    def may_touch(self, one: Value, other: Value) -> bool:
        """Whether two arrays may share memory; two that the caller gives may."""
        roots = {self.aliases.root(one), self.aliases.root(other)}
        return self.aliases.same(one, other) or roots <= self.parameters

    def load(self, node: Load, nodes: list[Node]) -> None:
        """Write the load of an element, or use the value that the same statement has loaded already if nothing was written since."""
        if any(isinstance(item, Slice | NewAxis | Dots) for item in node.index):
            nodes.append(node)
            return
        key = (Load, node.loc.line, node.buffer, *(operand_key(item) for item in node.index))  # type: ignore[arg-type]
        if key in self.nearby:
            self.replace(node.result, self.nearby[key])
            return
        self.nearby[key] = node.result
        self.elements.add(node.result)
        nodes.append(node)

    def apply(self, node: Apply, nodes: list[Node]) -> None:
        """Write one call, unless an operand or an earlier call has its value; rewrite it if a simpler call has."""
        if self.is_unneeded_copy(node, nodes):
            return
        simpler = self.neutral(node)
        if simpler is not None and not (
            self.aliases.in_memory(simpler) or self.aliases.in_memory(node.result)
        ):
            if self.is_own_result(node, simpler):
                assert isinstance(simpler, Value)
                copied = Apply(node.result, np.copy, (simpler,), node.loc)
                nodes.append(node if simpler.type is None else copied)
                return
            if isinstance(simpler, Value) and self.is_handed_out(node.result):
                self.handed_out.add(self.aliases.of(simpler))
            if isinstance(simpler, Value) and simpler not in self.elements:
                christen(simpler, node.result.name)
            self.replace(node.result, simpler)
            return
        node = self.doubled(self.signs(self.gathered(_with_plain_zeros(node)), nodes), nodes)
        scaled = self.rescaled(node)
        if isinstance(scaled, Value):
            christen(scaled, node.result.name)
            self.replace(node.result, scaled)
            return
        node = scaled
        if self.found_again(node):
            return
        if node.result.type == Scalar("float64") and scale_of(node) is not None:
            self.scaled[node.result] = node
        if node.function is operator.neg and not self.touches_buffers(node) and _is_signed(node):
            self.negated[node.result] = node.operands[0]
        if node.function is np.float32 and len(node.operands) == 1:
            self.rounded[node.result] = node.operands[0]
            if is_one(node.operands[0]):
                self.ones.add(node.result)
        if node.function is np.transpose and len(node.operands) == 1 and not node.keywords:
            self.transposed[node.result] = node.operands[0]
        if node.function in (operator.add, operator.sub) and not self.touches_buffers(node):
            self.sums[node.result] = node
        if has_effect(node):
            self.nearby.clear()
        nodes.append(node)

    def is_unneeded_copy(self, node: Apply, nodes: list[Node]) -> bool:
        """Whether a conversion copies an array of the same type that is new and that nothing else reads; then that array is its result."""
        if node.function is not np.ndarray.astype or node.keywords or len(node.operands) != 2:
            return False
        source = node.operands[0]
        if not isinstance(source, Value) or self.uses[source] > 1 or source.type != node.result.type:
            return False
        for position in range(len(nodes) - 1, -1, -1):
            made = nodes[position]
            if isinstance(made, Apply) and made.result is source:
                if not isinstance(source.type, Array) or kind(made.function) not in _FOUND_NEARBY:
                    return False
                nodes[position] = dataclasses.replace(made, result=node.result)
                self.nearby = {key: value for key, value in self.nearby.items() if value is not source}
                return True
        return False

    def is_own_result(self, node: Apply, simpler: Operand) -> bool:
        """Whether the program returns a result, no view, which must not become an array of the caller's or another returned array."""
        is_view, out = operation(node.function).sharing is Sharing.ALWAYS, self.handed_out
        if is_view or not isinstance(simpler, Value) or isinstance(simpler.type, Scalar):
            return False
        return self.aliases.of(node.result) in out and self.aliases.of(simpler) in self.argument_memory | out

    def is_handed_out(self, value: Value) -> bool:
        """Whether the program returns memory of the array: two results must not be one array."""
        return not isinstance(value.type, Scalar) and self.aliases.of(value) in self.handed_out

    def found_again(self, node: Apply) -> bool:
        """Whether the same call was made before: for an expensive function in the blocks around, for others in the same statement."""
        if node.keywords or self.is_handed_out(node.result):
            return False
        everywhere = self.is_extent(node) or self.is_expensive(node)
        here = kind(node.function) in _FOUND_NEARBY and not self.touches_buffers(node)
        shape_item = node.function is operator.getitem and node.result.type == Scalar("int64")
        if not (everywhere or here or shape_item):
            return False
        table = self.known if everywhere or shape_item else self.nearby
        place = () if everywhere or shape_item else (node.loc.line,)
        same = swapped(node.operands) if node.function is operator.mul else node.operands
        key = (node.function, *place, *map(operand_key, same))
        if key in table:
            christen(table[key], node.result.name)
            self.replace(node.result, table[key])
            return True
        table[key] = node.result
        return False

    def is_extent(self, node: Apply) -> bool:
        """Whether the node asks for an extent, which is the same wherever it is asked for."""
        return kind(node.function) is Kind.EXTENT and not grows(node.operands[0], self.growing)

    def is_expensive(self, node: Apply) -> bool:
        """Whether the node calls an expensive function whose result depends only on the operands' present values."""
        if kind(node.function) in EXPENSIVE:
            return all(_is_scalar(operand) for operand in node.operands)
        known = operation(node.function)
        is_kernel = known.kind is Kind.OTHER and known.shaped_like is not None
        if known.kind is not Kind.FACTORISATION and not is_kernel:
            return False
        return not any(self.aliases.in_memory(array) for array in (node.result, *node.operands))

    def touches_buffers(self, node: Apply) -> bool:
        """Whether the node reads or makes memory that something writes."""
        return any(self.aliases.is_buffer(operand) for operand in (node.result, *node.operands))

    def doubled(self, node: Apply, nodes: list[Node]) -> Apply:
        """`v + v` is `2.0 * v`, `-v - v` is `-2.0 * v`, `a + v + v` is `a + 2.0 * v`."""
        if node.function not in (operator.add, operator.sub) or is_integer_typed(node.result):
            return node
        left, right = node.operands
        if not keeps_its_type(right):
            return node
        if (
            left is right
            and isinstance(left, Value)
            and node.function is operator.add
            and not is_integer_typed(left)
        ):
            return dataclasses.replace(node, function=operator.mul, operands=(Const(2.0), left))
        if node.function is operator.sub and isinstance(right, Value) and self.minus(left) is right:
            return dataclasses.replace(node, function=operator.mul, operands=(Const(-2.0), right))
        before = self.sums.get(left) if isinstance(left, Value) and self.in_reverse_sweep else None
        if before is None or before.function is not node.function or before.operands[1] is not right:
            return node
        if not isinstance(right, Value) or is_integer_typed(right) or self.touches_buffers(before):
            return node
        twice = Value("", right.type, node.loc)
        nodes.append(Apply(twice, operator.mul, (Const(2.0), right), node.loc))
        return dataclasses.replace(node, operands=(before.operands[0], twice))

    def rescaled(self, node: Apply) -> Apply | Value:
        """`0.5 / s * 2.0` is `1.0 / s`, `2.0 * (0.5 * v)` is `v`, in the reverse sweep.

        Powers of two scale exactly. Only where a part underflows or overflows is the result another, and nearer to the truth:
        that must not decide anything, because the forward sweep may have decided otherwise.
        """
        outer = scale_of(node) if node.function is operator.mul and self.in_reverse_sweep else None
        inner = self.scaled.get(outer[1]) if outer is not None else None
        if outer is None or inner is None or node.result.type != Scalar("float64"):
            return node
        if node.result in self.deciding:
            return node
        factor, value = scale_of(inner) or outer
        total = Const(factor * outer[0])
        if inner.function is operator.truediv:
            alone = self.uses[inner.result] <= 1
            return (
                dataclasses.replace(node, function=operator.truediv, operands=(total, value))
                if alone
                else node
            )
        if is_one(total):
            return value
        if is_one(total, -1.0):
            return dataclasses.replace(node, function=operator.neg, operands=(value,))
        return dataclasses.replace(node, operands=(total, value))

    def neutral(self, node: Apply) -> Operand | None:
        """The operand that the node's value equals; None if there is none."""
        match node.function, node.operands:
            case operator.add, (left, right) if is_zero(left, node.result.type) and is_of_type(
                right, node.result.type
            ):
                return right
            case operator.add | operator.sub, (left, right) if is_zero(
                right, node.result.type, taken_away=node.function is operator.sub
            ) and is_of_type(left, node.result.type):
                return left
            case operator.mul, (left, right) if self.is_a_one(left) and is_of_type(right, node.result.type):
                return right
            case operator.mul | operator.truediv, (left, right) if self.is_a_one(right) and is_of_type(
                left, node.result.type
            ):
                return left
            case np.ndarray.astype, (Value() as array, _) if is_of_type(array, node.result.type):
                return array
            case operator.neg, (Value() as inner,) if inner in self.negated:
                return self.negated[inner]
            case np.transpose, (Value() as inner,) if inner in self.transposed and not node.keywords:
                return self.transposed[inner]
            case operator.neg, (Const(value=float() | int() as number, name=""),) if not isinstance(
                number, bool
            ):
                return Const(-number)
            case function, (Const() as left, Const() as right) if (
                kind(function) is Kind.INTEGER_DIVISION
                and is_literal_integer(left)
                and is_literal_integer(right)
                and right.value
            ):  # Numba also removes the code that such a condition guards, and ignores the types in it
                return Const(function(left.value, right.value))
            case operator.not_, (Const(value=bool() as known, name=""),):
                return Const(not known)
            case operator.add | operator.sub, (Value() as left, Const(value=int() as right, name="")) if (
                left in self.sums and node.result.type == INT
            ):
                return self.folded(node, self.sums[left], right)
            case function, (
                Const(value=int() | float() as left, name=""),
                Const(value=int() | float() as right, name=""),
            ) if kind(function) in (Kind.ARITHMETIC, Kind.COMPARISON):
                return Const(function(left, right))
            case _:
                return None

    def is_a_one(self, operand: Operand) -> bool:
        """Whether the operand is the number one, in double precision or in single."""
        return is_one(operand) or operand in self.ones

    def folded(self, node: Apply, inner: Apply, right: int) -> Operand | None:
        """`n - 1 + 1` is `n`: a constant taken back."""
        base, constant = inner.operands
        if not isinstance(constant, Const) or not isinstance(constant.value, int) or constant.name:
            return None
        total = (constant.value if inner.function is operator.add else -constant.value) + (
            right if node.function is operator.add else -right
        )
        return base if total == 0 and is_of_type(base, node.result.type) else None

    def gathered(self, node: Apply) -> Apply:
        """`n - 1 - 1` is `n - 2`."""
        left = node.operands[0] if node.function in (operator.add, operator.sub) else None
        inner = self.sums.get(left) if isinstance(left, Value) and not left.name else None
        if inner is None or node.result.type != INT:
            return node
        base, first, second = inner.operands[0], inner.operands[1], node.operands[1]
        if (
            not (is_literal_integer(first) and is_literal_integer(second))
            or not isinstance(base, Value)
            or base.type != INT
        ):
            return node
        total = _signed(inner) + _signed(node)
        function = operator.add if total > 0 else operator.sub
        return dataclasses.replace(node, function=function, operands=(base, Const(abs(total))))

    def signs(self, node: Apply, nodes: list[Node]) -> Apply:
        """Minus signs gathered: `x + -y` is `x - y`, `-x * y` is `-(x * y)`, `abs(-x)` is `abs(x)`."""
        if kind(node.function) is Kind.MAGNITUDE and node.function is not np.sign:
            positive_operand = self.minus(node.operands[0])
            return (
                node if positive_operand is None else dataclasses.replace(node, operands=(positive_operand,))
            )
        if node.function not in (
            operator.add,
            operator.sub,
            operator.mul,
            operator.truediv,
            strong_product,
            strong_quotient,
        ):
            return node
        left, right = node.operands
        minus_left, minus_right = self.minus(left), self.minus(right)
        if node.function in (operator.add, operator.sub):
            if minus_right is not None:
                opposite = operator.sub if node.function is operator.add else operator.add
                return dataclasses.replace(node, function=opposite, operands=(left, minus_right))
            if minus_left is not None and node.function is operator.add:
                return dataclasses.replace(node, function=operator.sub, operands=(right, minus_left))
            return node
        if minus_left is None and minus_right is None:
            return node
        plain = (left if minus_left is None else minus_left, right if minus_right is None else minus_right)
        if minus_left is not None and minus_right is not None:
            return dataclasses.replace(node, operands=plain)
        product = dataclasses.replace(node.result, name="")
        positive = dataclasses.replace(node, result=product, operands=plain)
        factor = self.neutral(positive)
        if factor is None:
            nodes.append(positive)
        return Apply(node.result, operator.neg, (product if factor is None else factor,), node.loc)

    def minus(self, operand: Operand) -> Operand | None:
        """The operand whose negative this operand is; None if it is not known."""
        if isinstance(operand, Value):
            return self.negated.get(operand)
        return Const(1.0) if is_one(operand, -1.0) else None


def _with_plain_zeros(node: Apply) -> Apply:
    """A product or quotient with a strong zero of a number that is not zero: a plain one."""
    if node.function not in (strong_product, strong_quotient):
        return node
    first, _ = node.operands
    if not isinstance(first, Const) or type(first.value) not in (int, float) or first.value == 0:
        return node
    plain = operator.mul if node.function is strong_product else operator.truediv
    return dataclasses.replace(node, function=plain)


def _raises(block: Block) -> bool:
    """Whether the block only raises."""
    return len(block.nodes) == 1 and isinstance(block.nodes[0], Raise)


def _signed(node: Apply) -> int:
    """The number that a sum or a difference adds to its first operand."""
    constant = node.operands[1]
    assert isinstance(constant, Const)
    number: int = constant.value
    return number if node.function is operator.add else -number


def _is_scalar(operand: Operand) -> bool:
    return not isinstance(operand, Value) or isinstance(operand.type, Scalar)


def _is_signed(negation: Apply) -> bool:
    """Whether the negative is surely the number's own: unsigned and narrow numbers wrap around."""
    (operand,) = negation.operands
    type_ = type_of(operand)
    return (
        isinstance(type_, Scalar | Array)
        and type_.dtype.startswith(SIGNED)
        and is_of_type(operand, negation.result.type)
    )


def _is_element_wise(earlier: Store, later: Store) -> bool:
    """Whether both stores add a number of the buffer's own float or complex type, so that nothing is rounded."""
    buffer = later.buffer.type
    return (
        isinstance(buffer, Array)
        and buffer.dtype.startswith(("float", "complex"))
        and all(type_of(each.value) == Scalar(buffer.dtype) for each in (earlier, later))
    )


def _fits(store: Store) -> bool:
    """Whether a plain store of the value writes everything that the clearing store wrote."""
    return not isinstance(store.value, Value) or not isinstance(store.value.type, Array)


def _same_index(one: Index, other: Index) -> bool:
    if len(one) != len(other) or any(isinstance(item, Slice | NewAxis | Dots) for item in (*one, *other)):
        return False
    return all(operand_key(left) == operand_key(right) for left, right in zip(one, other, strict=True))  # type: ignore[arg-type]
