"""Algebra on the emitted program: neutral elements, signs, repeated subexpressions, stores that meet."""

from __future__ import annotations

import dataclasses
import operator
from collections import ChainMap
from collections.abc import Hashable, MutableMapping

import numpy as np

from backsweep.analysis.alias import Aliases, find_aliases
from backsweep.ir.build import christen
from backsweep.ir.nodes import (
    Apply,
    Block,
    Const,
    Dots,
    Function,
    If,
    Index,
    Load,
    NewAxis,
    Node,
    Operand,
    Slice,
    Store,
    Value,
)
from backsweep.ir.prune import prune
from backsweep.ir.types import Array, Scalar
from backsweep.ir.walk import map_blocks, operands, rename_operands, results

INTEGER = {operator.add: operator.add, operator.sub: operator.sub, operator.mul: operator.mul}
REPEATABLE = {np.shape, np.size, len, max, min, operator.getitem, operator.add, operator.sub, operator.mul, operator.neg}
DEAR = {
    getattr(module, name)
    for module in (np, __import__("math"))
    for name in "sin cos tan exp log sqrt tanh sinh cosh log1p expm1".split()
}


def simplify(function: Function) -> Function:
    """The same program with neutral operations gone, signs gathered and repeated pure work done once."""
    simpler = dataclasses.replace(function, body=_Simplifier(find_aliases(function)).block(function.body))
    return prune(simpler)


class _Simplifier:
    """Rebuilds blocks in program order; `replaced` maps values to what they turned out to be."""

    def __init__(self, aliases: Aliases) -> None:
        self.aliases = aliases
        self.replaced: dict[Value, Operand] = {}
        self.negated: dict[Value, Operand] = {}
        self.known: MutableMapping[Hashable, Value] = {}

    def rename(self, operand: Operand) -> Operand:
        while isinstance(operand, Value) and operand in self.replaced:
            operand = self.replaced[operand]
        return operand

    def block(self, block: Block) -> Block:
        outer, self.known = self.known, ChainMap({}, self.known)
        nodes: list[Node] = []
        for node in block.nodes:
            self.node(rename_operands(node, self.rename), nodes)
        self.known = outer
        return Block(block.parameters, tuple(nodes), tuple(map(self.rename, block.yields)))

    def node(self, node: Node, nodes: list[Node]) -> None:
        match node:
            case Apply():
                self.apply(node, nodes)
            case If(condition=Const(value=bool(chosen))):
                block = node.then if chosen else node.orelse
                for inner in block.nodes:
                    self.node(rename_operands(inner, self.rename), nodes)
                for result, operand in zip(node.results, block.yields, strict=True):
                    self.replaced[result] = self.rename(operand)
            case If():
                changed = map_blocks(node, self.block, self.rename)
                assert isinstance(changed, If)
                for result, then, orelse in zip(
                    changed.results, changed.then.yields, changed.orelse.yields, strict=True
                ):
                    if then is orelse:
                        self.replaced[result] = then
                nodes.append(changed)
            case Store() if node.accumulate and _is_zero(node.value):
                pass
            case Store():
                if not _meets_clear(node, nodes):
                    nodes.append(node)
            case _:
                nodes.append(map_blocks(node, self.block, self.rename))

    def apply(self, node: Apply, nodes: list[Node]) -> None:
        """One function: replaced by an operand, rewritten, found again, or kept."""
        simpler = self.neutral(node)
        if simpler is not None and not (self.aliases.is_buffer(simpler) or self.aliases.is_buffer(node.result)):
            if isinstance(simpler, Value):
                christen(simpler, node.result.name)
            self.replaced[node.result] = simpler
            return
        node = self.signs(node, nodes)
        key = _key(node)
        if key is not None and key in self.known:
            self.replaced[node.result] = self.known[key]
            return
        if key is not None:
            self.known[key] = node.result
        if node.function is operator.neg:
            self.negated[node.result] = node.operands[0]
        nodes.append(node)

    def neutral(self, node: Apply) -> Operand | None:
        """The operand that the node's value equals; None if there is none."""
        match node.function, node.operands:
            case operator.add, (left, right) if _is_zero(left) and not isinstance(left, Value) and _floats(node):
                return right
            case operator.add, (left, right) if _is_zero(right) and _floats(node):
                return left
            case operator.sub, (left, right) if _is_zero(right) and _floats(node):
                return left
            case operator.mul, (left, right) if _is_one(left) and not _is_integer(right):
                return right
            case operator.mul, (left, right) if _is_one(right) and not _is_integer(left):
                return left
            case operator.truediv, (left, right) if _is_one(right) and _floats(node):
                return left
            case operator.neg, (Value() as inner,) if inner in self.negated:
                return self.negated[inner]
            case operator.neg, (Const(value=float() | int() as number, name=""),) if not isinstance(number, bool):
                return Const(-number)
            case function, (Const(value=int() as left, name=""), Const(value=int() as right, name="")) if (
                function in INTEGER
            ):
                return Const(function(left, right))
            case function, (Const(value=float() as left, name=""), Const(value=int() | float() as right, name="")) if (
                function in INTEGER
            ):
                return Const(function(left, right))
            case operator.eq, (Const(value=int() as left, name=""), Const(value=int() as right, name="")):
                return Const(left == right)
            case _:
                return None

    def signs(self, node: Apply, nodes: list[Node]) -> Apply:
        """Minus signs gathered: `x + -y` is `x - y`, `-x * y` is `-(x * y)`."""
        if node.function not in (operator.add, operator.sub, operator.mul, operator.truediv):
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
        nodes.append(dataclasses.replace(node, result=product, operands=plain))
        return Apply(node.result, operator.neg, (product,), node.loc)

    def minus(self, operand: Operand) -> Operand | None:
        """What the operand is the negative of."""
        if isinstance(operand, Value):
            return self.negated.get(operand)
        return None


def _floats(node: Apply) -> bool:
    """Whether dropping a zero or a one cannot change the type or the shape of the result."""
    types = [node.result.type] + [operand.type for operand in node.operands if isinstance(operand, Value)]
    return all(type_ is None or not isinstance(type_, Scalar | Array) or type_.dtype != "int64" for type_ in types) or all(
        isinstance(operand, Value) or isinstance(operand.value, int) for operand in node.operands
    )


def _is_integer(operand: Operand) -> bool:
    """Whether a product with 1.0 turns the operand into a float."""
    if isinstance(operand, Value):
        return isinstance(operand.type, Scalar | Array) and not operand.type.dtype.startswith(("float", "complex"))
    return not isinstance(operand.value, float)


def _is_zero(operand: Operand) -> bool:
    return (
        isinstance(operand, Const)
        and isinstance(operand.value, int | float)
        and not isinstance(operand.value, bool)
        and operand.value == 0
        and not operand.name
    )


def _is_one(operand: Operand) -> bool:
    return isinstance(operand, Const) and isinstance(operand.value, float) and operand.value == 1.0 and not operand.name


def _key(node: Apply) -> Hashable | None:
    """What makes two nodes compute the same; None if the node is not looked for again."""
    integer = node.result.type == Scalar("int64")
    if node.keywords or node.function not in REPEATABLE | DEAR:
        return None
    if node.function in DEAR and not isinstance(node.result.type, Scalar):
        return None
    if node.function not in DEAR and node.function not in (np.shape, np.size, len) and not integer:
        return None
    return (node.function, *(_operand_key(operand) for operand in node.operands))


def _operand_key(operand: Operand) -> Hashable:
    if isinstance(operand, Value):
        return operand
    try:
        hash(operand.value)
    except TypeError:
        return id(operand)
    return (type(operand.value), operand.value, operand.name)


def _meets_clear(store: Store, nodes: list[Node]) -> bool:
    """Turn `a[i] = 0.0 … a[i] += v` into `a[i] = v` where nothing between looks at memory of arrays."""
    if not store.accumulate:
        return False
    for position in range(len(nodes) - 1, -1, -1):
        earlier = nodes[position]
        if isinstance(earlier, Store):
            if earlier.buffer is store.buffer and _same_index(earlier.index, store.index):
                if not earlier.accumulate and _is_zero(earlier.value) and _fits(store):
                    del nodes[position]
                    nodes.append(dataclasses.replace(store, accumulate=False))
                    return True
            return False
        if not isinstance(earlier, Apply | Load) or not results(earlier):
            return False
        if isinstance(earlier, Load) and earlier.buffer is store.buffer:
            return False
        if any(isinstance(operand, Value) and operand is store.buffer for operand in operands(earlier)):
            return False
        if isinstance(earlier, Load) and isinstance(earlier.buffer, Value) and _is_shadow(earlier.buffer):
            return False
        if isinstance(earlier, Apply) and getattr(earlier.function, "writes", False):
            return False
    return False


def _is_shadow(buffer: Value) -> bool:
    """Whether the memory may be an adjoint's (any unnamed memory may be)."""
    return not buffer.name or buffer.name.endswith("_bar")


def _fits(store: Store) -> bool:
    """Whether a plain store of the value writes everything that the clearing store wrote."""
    return not isinstance(store.value, Value) or not isinstance(store.value.type, Array)


def _same_index(one: Index, other: Index) -> bool:
    if len(one) != len(other):
        return False
    for left, right in zip(one, other, strict=True):
        if isinstance(left, Slice | NewAxis | Dots) or isinstance(right, Slice | NewAxis | Dots):
            return False
        if _operand_key(left) != _operand_key(right):
            return False
    return True
