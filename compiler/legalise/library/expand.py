"""Write library calls that have no rule in the core language, so that differentiation needs no rule for them.

Arrays made of parts become stores, extrema of many numbers nested extrema of two, choices between
numbers branches, lengths of tuples literals. Programs come in typed and normalised, and stay so.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from backsweep.analysis.alias import Aliases, find_aliases
from backsweep.diagnostics import Problem, UnsupportedError
from backsweep.ir.build import Builder
from backsweep.ir.nodes import (
    Apply,
    Block,
    Callee,
    Const,
    For,
    Function,
    If,
    Load,
    Node,
    Operand,
    Store,
    Value,
    While,
    is_none,
)
from backsweep.ir.typed import type_of
from backsweep.ir.types import BOOL, INT, Array, Scalar, Tuple, Type, is_float
from backsweep.ir.walk import changed, map_blocks, rename_operands, with_body, with_nodes
from backsweep.legalise.library.concatenate import JOINS, join, refused
from backsweep.legalise.library.gather_scatter import gather, has_positions, scatter
from backsweep.legalise.library.number_arguments import of_number
from backsweep.rules.declare import lookup
from backsweep.runtime.decompositions import complex_roots, nuclear_norm, real_eig, real_eigvals, real_roots
from backsweep.runtime.extremes import largest_in_order, smallest_in_order

OF_ARRAY: Mapping[Any, Any] = {max: np.max, min: np.min}
"""The builtins that take any number of operands, with the function for one array that holds no nan."""
OF_FLOATS: Mapping[Any, Any] = {max: largest_in_order, min: smallest_in_order}
"""The same for floats, where what follows a nan counts."""
OF_REAL: Mapping[Any, Any] = {np.linalg.eig: real_eig, np.linalg.eigvals: real_eigvals, np.roots: real_roots}
"""What raises where the results are complex, of real operands."""


def expand_library_calls(function: Function) -> Function:
    """The typed, normalised program without the library calls that the core language can express."""
    return with_body(function, _Expander(find_aliases(function)).block(function.body))


class _Expander:
    """Rebuilds blocks; `replaced` maps values to their replacements, `tuples` known tuples to their items."""

    def __init__(self, aliases: Aliases) -> None:
        self.aliases = aliases
        self.builder = Builder()
        self.replaced: dict[Value, Operand] = {}
        self.tuples: dict[Value, tuple[Operand, ...]] = {}

    def rename(self, operand: Operand) -> Operand:
        while isinstance(operand, Value) and operand in self.replaced:
            operand = self.replaced[operand]
        return operand

    def block(self, block: Block) -> Block:
        with self.builder.block() as written:
            for node in block.nodes:
                self.builder.loc = node.loc
                self.node(rename_operands(node, self.rename))
        return with_nodes(block, written.nodes, [*map(self.rename, block.yields)])

    def node(self, node: Node) -> None:
        if isinstance(node, If | For | While):
            self.builder.add(map_blocks(node, self.block, self.rename))
        elif isinstance(node, Apply):
            self.apply(node)
        elif isinstance(node, Load) and has_positions(node.index):
            self.replaced[node.result] = gather(self.builder, node)
        elif isinstance(node, Store) and has_positions(node.index):
            scatter(self.builder, node, shared=self.shares(node))
        else:
            self.builder.add(node)

    def shares(self, node: Store) -> bool:
        """Whether the value of a store may share memory with its target; NumPy then copies the value first."""
        return isinstance(node.value, Value) and self.aliases.same(node.value, node.buffer)

    def apply(self, node: Apply) -> None:
        """Write one call: its replacement, or the call itself."""
        rewrite = REWRITES.get(node.function) if _is_hashable(node.function) else None
        found = rewrite(self, node) if rewrite is not None else self.of_numbers(node)
        if found is not None and not _is_constant_array(found):
            self.replaced[node.result] = _named(found, node.result)
            return
        if isinstance(node.function, Callee):
            _check_arguments(node, node.function)
        node = changed(node, result=self.result(node))
        self.builder.add(node)
        if isinstance(node.result.type, Tuple) and node.function in (tuple, node.result.type.cls):
            self.tuples[node.result] = node.operands

    def of_numbers(self, node: Apply) -> Operand | None:
        """The value of a call of an array function that is given a number; None for other calls."""
        return of_number(self.builder, node) if _is_hashable(node.function) else None

    def result(self, node: Apply) -> Value:
        """The node's result; a number where Numba inferred an array without axes but the operands are now numbers."""
        type_ = node.result.type
        if not isinstance(type_, Array) or type_.ndim or not _all_numbers(node.operands):
            return node.result
        if not any(declaration.elementwise for declaration in lookup(node.function)):
            return node.result
        number = dataclasses.replace(node.result, type=Scalar(type_.dtype))
        self.replaced[node.result] = number
        return number

    def items(self, operand: Operand) -> tuple[Operand, ...] | None:
        """The items of a tuple: the operands that it was made of if they are known, else new reads; None for anything else."""
        if isinstance(operand, Const):
            return tuple(map(Const, operand.value)) if isinstance(operand.value, tuple) else None
        if operand in self.tuples:
            return self.tuples[operand]
        if not isinstance(operand.type, Tuple):
            return None
        return tuple(
            self.builder.apply(operator.getitem, operand, Const(position), type=item)
            for position, item in enumerate(operand.type.items)
        )

    def extreme(self, node: Apply) -> Operand | None:
        """Write `max(a, b, c)` as `max(max(a, b), c)`, and `max` of an array as NumPy's function, or as a kernel that treats nan as `max` does."""
        operands: Sequence[Operand] = node.operands
        if len(operands) == 1:
            type_ = type_of(operands[0])
            if isinstance(type_, Array):
                chosen = OF_FLOATS if type_.dtype.startswith("float") else OF_ARRAY
                return self.apply_typed(chosen[node.function], operands, node.result.type)
            operands = self.items(operands[0]) or ()
        elif len(operands) == 2:
            return None
        return self.chain(node.function, operands, node.result.type)

    def total(self, node: Apply) -> Operand | None:
        """Write `sum` of a tuple as sums of two operands."""
        parts = self.items(node.operands[0])
        if parts is None:
            return None
        start = (*node.operands[1:], *(operand for _, operand in node.keywords))
        return self.chain(operator.add, (*start, *parts), node.result.type)

    def sum_along(self, node: Apply) -> Operand | None:
        """Write `np.sum` along several axes as sums along one axis each, the last first; with `dtype`, convert the array before."""
        given = dict(zip(("a", "axis", "dtype"), node.operands, strict=False)) | dict(node.keywords)
        source, dtype = given["a"], _not_none(given.get("dtype"))
        type_, result = type_of(source), node.result.type
        if not isinstance(type_, Array) or not isinstance(result, Scalar | Array):
            return self.of_numbers(node)
        if len(given) == 1 or len(node.operands) > 3 or not given.keys() <= {"a", "axis", "dtype"}:
            return None
        axis = _not_none(given.get("axis"))
        axes = self.axes(axis, type_.ndim)
        if axes is None and axis is not None and self.items(axis) is not None:
            message = f"`np.sum` of an array with {type_.ndim} axes has other axes, one twice, or one that only the run knows"
            raise refused(node, message, "name each axis once, by its number.")
        if axes is None or (dtype is None and len(axes) == 1 < type_.ndim):
            return None
        if type_.dtype != result.dtype and dtype is not None:
            type_ = Array(result.dtype, type_.ndim)
            source = self.apply_typed(np.ndarray.astype, (source, dtype), type_)
        if len(axes) == type_.ndim:
            return self.apply_typed(np.sum, (source,), result)
        for each in sorted(axes, reverse=True):
            type_ = Array(result.dtype, type_.ndim - 1)
            source = self.apply_typed(np.sum, (source, Const(each)), type_)
        return source

    def axes(self, axis: Operand | None, ndim: int) -> list[int] | None:
        """The axes that a literal or a tuple of literals names, counted from the front; None if they are not known or do not fit."""
        items = (axis,) if axis is None or isinstance(type_of(axis), Scalar) else self.items(axis)
        if axis is None:
            return list(range(ndim))
        known = [
            item.value for item in items or () if isinstance(item, Const) and isinstance(item.value, int)
        ]
        if not known or len(known) != len(items or ()) or any(not -ndim <= each < ndim for each in known):
            return None
        axes = [each % ndim for each in known]
        return axes if len(set(axes)) == len(axes) else None

    def chain(self, function: Any, operands: Sequence[Operand], type_: Type | None) -> Operand | None:
        """Combine the operands, from the left, by a function of two operands."""
        if not operands:
            return None
        result = operands[0]
        for operand in operands[1:]:
            result = self.apply_typed(function, (result, operand), type_)
        return result

    def apply_typed(self, function: Any, operands: Sequence[Operand], type_: Type | None) -> Value:
        return self.builder.apply(function, *operands, type=type_)

    def norm(self, node: Apply) -> Operand | None:
        """Take the norm of a strided vector of a copy: Numba hands BLAS the wrong end of a vector that runs backwards.

        An order that is None is left out.
        """
        given = dict(zip(("x", "ord", "axis", "keepdims"), node.operands, strict=False)) | dict(node.keywords)
        if given.keys() - {"x", "ord"}:
            return None  # along an axis, or with axes that stay, it is an overload of ours
        x = given.pop("x")
        type_ = type_of(x)
        has_none = "ord" in given and is_none(given["ord"])
        if has_none:
            del given["ord"]
        if isinstance(order := given.get("ord"), Const) and isinstance(order.value, str):
            return self.norm_by_name(node, x, order.value)
        if not isinstance(type_, Array) or type_.ndim != 1 or type_.layout != "A":
            return self.apply_typed(np.linalg.norm, (x,), node.result.type) if has_none else None
        plain = self.apply_typed(np.copy, (x,), Array(type_.dtype, 1))
        result = self.builder.value(node.result.name, node.result.type)
        self.builder.add(Apply(result, node.function, (plain, *given.values()), node.loc))
        return result

    def eigen(self, node: Apply) -> Operand | None:
        """Eigenvalues and roots of what is real by functions that raise for complex ones, as Numba's do; NumPy returns these.

        Roots of complex polynomials are complex; NumPy's are floats where all are zero.
        """
        (x, *_), type_ = node.operands, node.result.type
        if node.function is np.roots and not _is_real(x):
            return self.apply_typed(complex_roots, (x,), type_)
        first = type_.items[0] if isinstance(type_, Tuple) else type_
        if not (_is_real(x) and isinstance(first, Array) and not first.dtype.startswith("complex")):
            return None
        return self.apply_typed(OF_REAL[node.function], (x,), type_)

    def norm_by_name(self, node: Apply, x: Operand, name: str) -> Operand:
        """Write the Frobenius norm of a matrix as the norm of its entries, and the nuclear norm as the sum of its singular values."""
        type_, result = type_of(x), node.result.type
        if not isinstance(type_, Array) or type_.ndim != 2 or name not in ("fro", "nuc"):
            message = f"`np.linalg.norm` has no order {name!r} of this array"
            raise refused(
                node, message, "of a matrix write 'fro', 'nuc', 1, 2 or np.inf, of a vector a number."
            )
        if name == "fro":
            return self.apply_typed(np.linalg.norm, (x,), result)
        return self.apply_typed(nuclear_norm, (x,), result)

    def where(self, node: Apply) -> Operand | None:
        """Write `np.where` of numbers as a branch (Numba would make an array without axes)."""
        if len(node.operands) != 3 or node.keywords or not _all_numbers(node.operands):
            return None
        condition, then, orelse = node.operands
        type_ = _number(node.result.type)
        if type_ is None:
            return None
        result = self.builder.value(node.result.name, type_)
        yields = [Block((), (), (_fitted(operand, type_),)) for operand in (then, orelse)]
        self.builder.add(If(condition, yields[0], yields[1], (result,), node.loc))
        return result

    def clip(self, node: Apply) -> Operand | None:
        """Write `np.clip` with one bound as `np.maximum` or `np.minimum`."""
        x, low, high = node.operands[0], *map(_not_none, node.operands[1:3])
        bounds = [type_of(bound) for bound in (low, high) if bound is not None]
        if not is_float(node.result.type) and any(map(is_float, bounds)):
            # The implementation is taken instead, which stores floats in whole numbers.
            message = (
                "`np.clip` of whole numbers between floats gives whole numbers in Numba, and floats in NumPy"
            )
            raise refused(node, message, "convert them first, as in x.astype(np.float64).")
        if low is not None and high is not None:
            return None
        if low is not None:
            return self.apply_typed(np.maximum, (x, low), node.result.type)
        return self.apply_typed(np.minimum, (x, high), node.result.type) if high is not None else None

    def product(self, node: Apply) -> Operand | None:
        """Write `np.matmul` of matrices and vectors of one dtype as `@`: Numba compiles that without Backsweep's overloads."""
        types = [type_of(operand) for operand in node.operands]
        kept = all(isinstance(each, Array) and each.ndim in (1, 2) and is_float(each) for each in types)
        same = len({each.dtype for each in types if isinstance(each, Array)}) == 1
        if not kept or not same or len(types) != 2 or node.keywords:
            return None
        return self.apply_typed(operator.matmul, tuple(node.operands), node.result.type)

    def negated(self, node: Apply) -> Operand | None:
        """Fold the negative of a literal into a literal."""
        (operand,) = node.operands
        if isinstance(operand, Const) and not operand.name and type(operand.value) in (int, float):
            return Const(-operand.value)
        return None

    def dimensions(self, node: Apply) -> Operand | None:
        """Replace the number of dimensions by a literal."""
        match type_of(node.operands[0]):
            case Array(ndim=ndim):
                return Const(ndim)
            case Scalar():
                return Const(0)
            case _:
                return None

    def length(self, node: Apply) -> Operand | None:
        """Replace the length of a tuple by a literal."""
        type_ = type_of(node.operands[0])
        return Const(len(type_.items)) if isinstance(type_, Tuple) else None

    def add(self, node: Apply) -> Operand | None:
        """Write the sum of two tuples as one tuple of their items."""
        if not isinstance(node.result.type, Tuple):
            return None
        first, second = map(self.items, node.operands)
        if first is None or second is None:
            return None
        return self.make_tuple((*first, *second), node.result.type)

    def compared(self, node: Apply) -> Operand | None:
        """Compare two tuples of as many whole numbers number by number, so that equal extents are seen to be equal."""
        if not all(isinstance(type_of(operand), Tuple) for operand in node.operands):
            return None
        first, second = (self.items(operand) or () for operand in node.operands)
        if not first or len(first) != len(second) or any(type_of(each) != INT for each in (*first, *second)):
            return None
        differs = node.function is operator.ne
        pairs = [pair for pair in zip(first, second, strict=True) if pair[0] != pair[1]]
        return self.one_by_one(node.function, pairs, decided=differs) if pairs else Const(not differs)

    def one_by_one(self, function: Any, pairs: Sequence[tuple[Operand, Operand]], *, decided: bool) -> Value:
        """Compare one pair after the other, until one comparison has the outcome that decides."""
        (first, *others) = pairs
        outcome = self.builder.apply(function, *first, type=BOOL)
        if not others:
            return outcome
        with self.builder.block() as block:
            block.yields = (self.one_by_one(function, others, decided=decided),)
        sides = (Block((), (), (Const(decided),)), block.finish())
        result = self.builder.value("", BOOL)
        self.builder.add(If(outcome, *(sides if decided else sides[::-1]), (result,), self.builder.loc))
        return result

    def make_tuple(self, operands: tuple[Operand, ...], type_: Tuple) -> Value:
        value = self.builder.apply(tuple, *operands, type=type_)
        self.tuples[value] = operands
        return value

    def item(self, node: Apply) -> Operand | None:
        """Replace an item of a known tuple by the operand that the tuple was made of."""
        source, position = node.operands
        if isinstance(source, Value) and source in self.tuples and isinstance(position, Const):
            return self.tuples[source][position.value] if isinstance(position.value, int) else None
        return None

    def take(self, node: Apply) -> Operand | None:
        """Write `np.take` of a vector as a subscript."""
        if len(node.operands) != 2 or node.keywords:
            return None
        source, index = node.operands
        base, place = type_of(source), type_of(index)
        if not isinstance(base, Array) or base.ndim != 1 or not isinstance(source, Value):
            return None
        if isinstance(place, Scalar):
            return self.builder.load(source, (index,), type=node.result.type)
        if isinstance(place, Array):
            return gather(self.builder, Load(node.result, source, (index,), node.loc))
        return None

    def permuted(self, node: Apply) -> Operand | None:
        """Write `np.random.permutation` of an array as a read at permuted positions, which draws the same random numbers."""
        (source,) = node.operands
        if not isinstance(type_of(source), Array):
            return None
        count = self.builder.extent(source, 0)
        order = self.apply_typed(np.random.permutation, (count,), Array("int64", 1))
        return self.apply_typed(operator.getitem, (source, order), node.result.type)

    def transposed(self, node: Apply) -> Operand | None:
        """Write literal axes as one literal tuple, counted from the front; leave them out where they only reverse the order."""
        axes = [*node.operands[1:], *(operand for _, operand in node.keywords)]
        found = self.items(axes[0]) if len(axes) == 1 else None
        if found is None or not all(isinstance(axis, Const) for axis in found):
            return None
        count = range(len(found))
        literal = tuple(count[axis.value] for axis in found if isinstance(axis, Const))
        if len(literal) > 3 and any(literal[literal[axis]] != axis for axis in count):
            return self.swapped(node, literal)
        if literal == tuple(reversed(count)):
            return self.apply_typed(np.transpose, node.operands[:1], node.result.type)
        if len(node.operands) > 1 and isinstance(axes[0], Const) and axes[0].value == literal:
            return None
        operands = (node.operands[0], Const(literal))
        return self.apply_typed(np.transpose, operands, node.result.type)

    def swapped(self, node: Apply, order: tuple[int, ...]) -> Operand:
        """Write a permutation of more than three axes as exchanges of two axes: no rule has the inverse of such a permutation."""
        source, now, type_ = node.operands[0], list(range(len(order))), node.result.type
        assert isinstance(type_, Array)
        for place, axis in enumerate(order):
            other = now.index(axis)
            if other != place:
                between = Array(type_.dtype, type_.ndim, "A")
                source = self.apply_typed(np.swapaxes, (source, Const(place), Const(other)), between)
                now[place], now[other] = now[other], now[place]
        return source

    def joined(self, node: Apply) -> Operand | None:
        """Write an array made of parts as an empty array and stores; an array of literals only if something writes to it."""
        own = not (self.aliases.is_buffer(node.result) or self.aliases.is_merged(node.result))
        return join(node, self.builder, self.items, is_written=not own)

    def as_array(self, node: Apply) -> Operand | None:
        """Write `np.asarray` to another dtype as `astype`; to the array's own dtype, as the array itself."""
        source = node.operands[0]
        type_, wanted = type_of(source), node.result.type
        if not isinstance(type_, Array) or not isinstance(wanted, Array):
            return self.joined(node)
        if type_.dtype == wanted.dtype:
            return source
        given = [*node.operands[1:], *(operand for key, operand in node.keywords if key == "dtype")]
        return self.apply_typed(np.ndarray.astype, (source, *given), wanted)

    def real(self, node: Apply) -> Operand | None:
        """Replace the real part of a real number or array by the operand itself."""
        return node.operands[0] if _is_real(node.operands[0]) else None

    def conjugate(self, node: Apply) -> Operand | None:
        """Replace the conjugate of a real number by the number, and that of a real array by a copy."""
        (operand,) = node.operands
        if not _is_real(operand) or node.keywords:
            return None
        if isinstance(type_of(operand), Scalar):
            return operand
        if isinstance(node.result.type, Scalar):  # of an array without axes
            return self.builder.load(operand, (), type=node.result.type)
        return self.apply_typed(np.copy, (operand,), node.result.type)

    def number(self, node: Apply) -> Operand | None:
        """Replace `x.item()` of a number by the number."""
        (source, *index) = node.operands
        return source if isinstance(type_of(source), Scalar) and not index else None

    def imaginary(self, node: Apply) -> Operand | None:
        """Replace the imaginary part of a real number or array by zeros."""
        (operand,) = node.operands
        if not _is_real(operand):
            return None
        if isinstance(type_of(operand), Scalar):
            return Const(0.0)
        return self.apply_typed(np.zeros_like, (operand,), node.result.type)


def _check_arguments(node: Apply, callee: Callee) -> None:
    """Raise UnsupportedError if a number is passed where, by Numba's types, the callee takes an array without axes."""
    for operand, type_ in zip(node.operands, callee.parameters, strict=False):
        if isinstance(type_, Array) and isinstance(type_of(operand), Scalar):
            message = f"`{callee.name}` calls itself and is given a value that is a number in Python but an array without axes in Numba"
            remedy = "pass a number: x if condition else y instead of np.where(condition, x, y), or float(x)."
            raise UnsupportedError(Problem("BS116", message, node.loc, remedy))


def _not_none(operand: Operand | None) -> Operand | None:
    """The operand of a bound; None if the bound is None or left out."""
    return None if is_none(operand) else operand


def _is_constant_array(operand: Operand) -> bool:
    """Whether the operand is an array around the function: what is viewed or read has to be a value, so the call stays."""
    return isinstance(operand, Const) and isinstance(operand.value, np.ndarray)


def _named(found: Operand, result: Value) -> Operand:
    """The operand that replaces a call, named as the user named the result of the call."""
    if isinstance(found, Value) and not found.name and result.name:
        object.__setattr__(found, "name", result.name)
    return found


def _number(type_: Type | None) -> Scalar | None:
    """The type of a number, also where Numba inferred an array without axes."""
    match type_:
        case Scalar():
            return type_
        case Array(dtype, 0):
            return Scalar(dtype)
        case _:
            return None


def _fitted(operand: Operand, type_: Scalar) -> Operand:
    """A literal whole number as a float where the other choice is one."""
    if isinstance(operand, Const) and type(operand.value) is int and type_.dtype.startswith("float"):
        return Const(float(operand.value))
    return operand


def _is_number(operand: Operand) -> bool:
    return isinstance(type_of(operand), Scalar)


def _all_numbers(operands: Sequence[Operand]) -> bool:
    """Whether the operands are all numbers."""
    return bool(operands) and all(map(_is_number, operands))


def _is_real(operand: Operand) -> bool:
    """Whether the operand is a real number or an array of such."""
    type_ = type_of(operand)
    return isinstance(type_, Scalar | Array) and not type_.dtype.startswith("complex")


def _is_hashable(function: object) -> bool:
    return getattr(function, "__hash__", None) is not None


REWRITES: Mapping[Any, Callable[[_Expander, Apply], Operand | None]] = {
    np.ndarray.item: _Expander.number,
    np.linalg.norm: _Expander.norm,
    **dict.fromkeys(OF_REAL, _Expander.eigen),
    np.sum: _Expander.sum_along,
    max: _Expander.extreme,
    min: _Expander.extreme,
    sum: _Expander.total,
    np.where: _Expander.where,
    np.clip: _Expander.clip,
    np.matmul: _Expander.product,
    operator.neg: _Expander.negated,
    np.ndim: _Expander.dimensions,
    len: _Expander.length,
    operator.add: _Expander.add,
    operator.getitem: _Expander.item,
    **dict.fromkeys((operator.eq, operator.ne), _Expander.compared),
    np.take: _Expander.take,
    np.random.permutation: _Expander.permuted,
    np.transpose: _Expander.transposed,
    np.real: _Expander.real,
    np.imag: _Expander.imaginary,
    np.conjugate: _Expander.conjugate,
    **dict.fromkeys(JOINS, _Expander.joined),
    np.asarray: _Expander.as_array,
}
