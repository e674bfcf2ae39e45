"""Compute with numbers of short types as NumPy does, where Numba would compute with longer ones.

Numba adds two numbers of 8 bits as numbers of 64, and an array of single precision and Python's 2.0 in double precision. Before
this pass, a plain function's program has Numba's types; after it, operands and results are converted where NumPy's differ. What an
`@njit` function computes stays Numba's.
"""

from __future__ import annotations

import dataclasses
import itertools
import operator
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from backsweep.diagnostics import Loc, Problem, UnsupportedError
from backsweep.ir.build import Builder
from backsweep.ir.nodes import (
    Apply,
    Block,
    Const,
    For,
    Function,
    If,
    Node,
    Operand,
    Raise,
    Store,
    Value,
    While,
)
from backsweep.ir.operations import Kind, kind
from backsweep.ir.typed import type_of
from backsweep.ir.types import BOOL, FLOAT, INT, Array, Scalar, Type
from backsweep.ir.walk import carried_parameters, operands, readers_of, rewrite, walk
from backsweep.runtime.plain.whole_numbers import (
    power_of_whole,
    product_of_whole,
    raised,
    shifted_left,
    shifted_right,
    whole_shifted_left,
    whole_shifted_right,
)
from backsweep.runtime.support.marks import taken_away
from backsweep.typing.infer import NumbaType
from backsweep.typing.numbers.kinds import (
    DTYPES,
    IN_PLACE,
    OF_WHOLE,
    WEAK,
    Search,
    computing,
    loop,
    scalar_class,
    values_of,
)
from backsweep.typing.propagate import infer_types
from backsweep.typing.typing_cache import type_of_result

_WIDE = frozenset({"int64", "float64", "complex128"})
"""The dtypes with which NumPy and Numba compute alike."""
_MOST_ROUNDS = 6
_WORD, _BITS = 8, 63
_OF_PYTHON = {
    operator.lshift: whole_shifted_left,
    operator.rshift: whole_shifted_right,
    operator.pow: power_of_whole,
}
_OF_NUMPY = {operator.lshift: shifted_left, operator.rshift: shifted_right, operator.pow: raised}
"""The operators that may leave a word, each with the function that computes what Python, or NumPy, does."""
_IN_RANGE = frozenset({int, np.int64, np.uint64, np.int32, np.uint32})
"""What a loop's counter or a length never leaves: memory is smaller."""


def compute_as_numpy(function: Function, arguments: Sequence[NumbaType]) -> Function:
    """The typed program, in which plain functions compute with short numbers as NumPy does; typed again if that changes it."""
    for _ in range(_MOST_ROUNDS):
        if all(_is_wide(value.type) for value in values_of(function)) and not any(
            _may_leave(node) for node in walk(function.body)
        ):
            return function
        found = rewrite(function, _Writer(function).node)
        if found is function:
            break
        function = infer_types(found, arguments)
    return rewrite(function, _Writer(function, is_last=True).node)


def _growing(node: For | While) -> Iterator[Apply]:
    """The products by which a loop makes what it carries larger in each iteration, as a factorial."""
    made = {each.result: each for each in node.body.nodes if isinstance(each, Apply)}
    for carried, after in zip(carried_parameters(node), node.body.yields, strict=True):
        product = made.get(after) if isinstance(after, Value) else None
        if (
            product is not None
            and computing(product.function) is operator.mul
            and carried in product.operands
        ):
            yield product


def _may_leave(node: Node) -> bool:
    """Whether the node reads a short constant, or a word may not hold what it computes of whole numbers."""
    for each in operands(node):
        if isinstance(each, Const) and isinstance(each.value, np.generic | np.ndarray):
            if each.value.dtype.name not in _WIDE:
                return True
    if isinstance(node, For | While):
        return any(_is_whole(each) for each in _growing(node))
    return isinstance(node, Apply) and computing(node.function) in _OF_PYTHON and _is_whole(node)


def _is_whole(node: Apply) -> bool:
    return isinstance(node.result.type, Scalar | Array) and node.result.type.dtype.startswith(("int", "uint"))


def _called(node: Apply, function: Any) -> Apply:
    return dataclasses.replace(node, function=function)


def _is_wide(type_: Type | None) -> bool:
    return not isinstance(type_, Scalar | Array) or type_.dtype in _WIDE


class _Writer:
    """Rewrites the nodes of a program, of whose values it knows the kinds; in the last round, it adds what checks them."""

    def __init__(self, function: Function, *, is_last: bool = False) -> None:
        self.is_last = is_last
        self.search = Search(function)
        self.readers = readers_of(function)
        nodes = [*walk(function.body)]
        self.loops: dict[Operand, For] = {
            node.body.parameters[0]: node for node in nodes if isinstance(node, For)
        }
        self.growing = {each for node in nodes if isinstance(node, For | While) for each in _growing(node)}
        self.amounts: set[Operand] = {
            node.result for node in nodes if isinstance(node, Apply) and node.function is taken_away
        }
        self.counts: set[Operand] = {*self.loops}
        self.counts |= {
            node.result for node in nodes if isinstance(node, Apply) and kind(node.function) is Kind.EXTENT
        }

    def node(self, node: Node) -> Sequence[Node]:
        """The node, with conversions before and behind it."""
        if isinstance(node, Store) and not node.loc.is_compiled:
            return self.stored(node)
        if node.loc.is_compiled or not isinstance(node, Apply) or node.keywords:
            return [node]
        if node.function is int and node.operands:
            return self.signed(node)
        if node.function is sum:
            return self.summed(node)
        function = computing(node.function)
        type_ = node.result.type
        if function is None or not isinstance(type_, Scalar | Array):
            return [node]
        known = [self.search.of(each) for each in node.operands]
        classes: list[frozenset[type]] = [each for each in known if isinstance(each, frozenset)]
        if len(classes) < len(known):
            return [node]
        builder = Builder(loc=node.loc)
        node = self.guarded(builder, node, function, classes)
        if all(map(_is_alike, classes)) or node.function is np.minimum is not function:
            return [*builder.current.nodes, node]
        ways = [(each, loop(function, each)) for each in itertools.product(*classes)]
        made = {found for _, found in ways if found is not None}
        wanted = {np.dtype(found[-1]) for found in made}
        if len(wanted) != 1:
            return self.undecided(node, wanted)
        (dtype,) = wanted
        if dtype == np.float16:
            return [node]
        if node.function in IN_PLACE and isinstance(type_of(node.operands[0]), Array):
            return self.in_place(node, made)
        return self.converted(node, dtype, made)

    def signed(self, node: Apply) -> Sequence[Node]:
        """`int(n)` in 64 bits and with a sign, where Numba keeps the type of the number."""
        type_ = self.search.type_again(node.operands[0])
        if not isinstance(type_, Scalar) or type_ == INT or not type_.dtype.startswith(("int", "uint")):
            return [node]
        builder = Builder(loc=node.loc)
        if type_.dtype == "uint64":
            large = builder.apply(operator.gt, node.operands[0], Const(np.uint64(2**63 - 1)), type=BOOL)
            self.stop(builder, large, "a whole number leaves 64 bits, which compiled code cannot hold")
        number = builder.apply(np.int64, node.operands[0], type=INT)
        return [*builder.current.nodes, dataclasses.replace(node, operands=(number,))]

    def stored(self, node: Store) -> Sequence[Node]:
        """A store to an array; a whole number of Python's must fit into its dtype."""
        type_ = self.search.type_again(node.buffer)
        if not self.is_last or not isinstance(type_, Array) or _is_wide(type_) or type_.dtype not in DTYPES:
            return [node]
        builder, value = Builder(loc=node.loc), node.value
        if node.accumulate and isinstance(value, Const) and isinstance(value.value, int) and value.value < 0:
            value = Const(-value.value)  # of `a[i] -= 250`, which adds the negative
        if value in self.amounts:
            return [node]
        self.check_fits(builder, value, node.loc, {scalar_class(type_.dtype)})
        return [*builder.current.nodes, node]

    def summed(self, node: Apply) -> Sequence[Node]:
        """`sum(items)`, each of which is added to a number of its own dtype."""
        known = self.search.of(node.result)
        dtype = np.dtype(next(iter(known))) if isinstance(known, frozenset) and len(known) == 1 else None
        if dtype is None or dtype.name in _WIDE or self.is_converted(node.result, dtype):
            return [node]
        inner = Value("", None, node.loc)
        back = Apply(node.result, dtype.type, (inner,), node.loc)
        return [dataclasses.replace(node, result=inner), back]

    @staticmethod
    def stop(builder: Builder, wrong: Operand, message: str) -> None:
        """Raise OverflowError where a condition holds."""
        stop = Raise(Const(OverflowError), (Const(message),), builder.loc, local=True)
        builder.add(If(wrong, Block((), (stop,), ()), Block((), (), ()), (), builder.loc))

    def guarded(
        self, builder: Builder, node: Apply, function: Any, classes: Sequence[frozenset[type]]
    ) -> Apply:
        """The node; a shift, power or product of whole numbers whose instructions may do another thing is a function that does not."""
        if function is np.sign and all(np.dtype(each).kind == "u" for each in classes[0]):
            (unsigned, *_) = classes[0]  # Numba takes its first bit for a sign
            return dataclasses.replace(
                node, function=np.minimum, operands=(*node.operands, Const(unsigned(1)))
            )
        if not all(np.dtype(each).kind in "iub" for known in classes for each in known) or function not in (
            operator.lshift,
            operator.rshift,
            operator.pow,
            operator.mul,
        ):
            return node
        made = [loop(function, each) for each in itertools.product(*classes)]
        if any(found is not None and np.dtype(found[-1]).kind not in "iub" for found in made):
            return node
        if any(isinstance(type_of(each), Array) for each in node.operands):
            return self.guarded_arrays(node, function)
        by_numpy = all(known.isdisjoint(WEAK) for known in classes[:1]) or classes[1].isdisjoint(WEAK)
        if by_numpy and not self.may_leave(node, function):
            return node
        power = node.operands[1]
        if function is operator.pow and isinstance(power, Const) and power.value < 0:
            whole = builder.apply(float, node.operands[0], type=FLOAT)
            return dataclasses.replace(node, operands=(whole, power))
        if function is operator.mul:
            return node if by_numpy or node not in self.growing else _called(node, product_of_whole)
        if not self.may_leave(node, function):
            return node
        return _called(node, (_OF_NUMPY if by_numpy else _OF_PYTHON)[function])

    def guarded_arrays(self, node: Apply, function: Any) -> Apply:
        """The node; a shift by, or a power of, computed whole numbers is a function."""
        if function is operator.mul or node.function is not function:
            return node
        return _called(node, _OF_NUMPY[function]) if self.may_leave(node, function) else node

    def may_leave(self, node: Apply, function: Any) -> bool:
        """Whether the second operand may be negative, or so large that a word does not hold the result."""
        number, by = node.operands
        if isinstance(by, Const):
            return not isinstance(by.value, int | np.integer) or not 0 <= by.value < _BITS
        if function is operator.pow and isinstance(number, Const) and number.value in (-1, 0, 1):
            return False
        most = self.most(by)
        if most is None or not isinstance(number, Const):
            return True
        bits = int(number.value).bit_length()
        return (bits + most if function is operator.lshift else bits * most) >= _BITS

    def most(self, operand: Operand) -> int | None:
        """The largest number that the counter of a loop reaches from 0 or more; None if the operand is no such counter."""
        counting = self.loops.get(operand)
        if counting is None or not isinstance(counting.start, Const) or not isinstance(counting.stop, Const):
            return None
        start, stop = counting.start.value, counting.stop.value
        most: int = max(start, stop)
        return most if min(start, stop) >= 0 else None

    def undecided(self, node: Apply, wanted: set[np.dtype[Any]]) -> Sequence[Node]:
        """The node, if what it gives is of one value whatever the arguments are; raises UnsupportedError if not."""
        if all(each.kind in "fc" for each in wanted) and wanted:
            return [node]
        if all(each.kind in "iu" for each in wanted) and node.result.type == FLOAT and wanted:
            return [node]  # Numba's float of whole numbers: what counts with it is converted
        short = [each for each in wanted if each != np.int64]
        if (
            node.result.type == INT
            and len(short) == 1
            and short[0].kind in "iu"
            and short[0].itemsize < _WORD
        ):
            return self.agreeing(node, short[0])
        raise _refused(node, wanted)

    def agreeing(self, node: Apply, dtype: np.dtype[Any]) -> Sequence[Node]:
        """The node, computed with 64 bits; it raises where the result of fewer bits, which it may be in Python, is another number."""
        info, builder = np.iinfo(dtype), Builder(loc=node.loc)
        tests = [
            (operator.lt, int(info.min)),
            *([(operator.gt, int(info.max))] if info.bits < _WORD * 8 else []),
        ]
        if not self.is_last:
            return [node]
        builder.add(node)
        for function, bound in tests:
            wrong = builder.apply(function, node.result, Const(bound), type=BOOL)
            self.stop(builder, wrong, f"a number leaves {dtype.name}, which it has or has not in Python")
        return builder.current.nodes

    def in_place(self, node: Apply, made: set[tuple[type, ...]]) -> Sequence[Node]:
        """`array op= value`: Python's numbers take the array's dtype, whose arithmetic it is."""
        builder = Builder(loc=node.loc)
        more = self.with_class(builder, node, 1, {found[1] for found in made})
        if more is node.operands[1]:
            return [node]
        return [*builder.current.nodes, dataclasses.replace(node, operands=(node.operands[0], more))]

    def converted(self, node: Apply, dtype: np.dtype[Any], made: set[tuple[type, ...]]) -> Sequence[Node]:
        """The node with its operands, or its result, converted, so that Numba computes with numbers of this dtype."""
        type_ = node.result.type
        assert isinstance(type_, Scalar | Array)
        builder = Builder(loc=node.loc)
        whole = list(node.operands)
        narrow = isinstance(type_, Scalar) and dtype.kind in "iub" and dtype.itemsize < _WORD
        if narrow and self.is_last:
            for k in range(len(whole)):
                self.check_fits(builder, node.operands[k], node.loc, {found[k] for found in made})
        for of_all in (False, True):
            by_entry = node.function in OF_WHOLE and isinstance(type_, Array)
            if narrow or (self.found(node, whole) == dtype and not by_entry):
                break
            for k in range(len(whole)):
                whole[k] = self.with_class(builder, node, k, {found[k] for found in made}, of_all=of_all)
        given = dataclasses.replace(node, operands=tuple(whole)) if whole != [*node.operands] else node
        if self.found(node, whole) == dtype or self.is_converted(node.result, dtype):
            return [*builder.current.nodes, given]
        inner = Value("", None, node.loc)
        if isinstance(type_, Array):
            back = Apply(node.result, np.ndarray.astype, (inner, Const(dtype.type)), node.loc)
        else:
            back = Apply(node.result, dtype.type, (inner,), node.loc)
        return [*builder.current.nodes, dataclasses.replace(given, result=inner), back]

    def found(self, node: Apply, given: Sequence[Operand]) -> np.dtype[Any] | None:
        """The dtype that Numba gives the call with these operands, each of the type that it has when the program is typed again."""
        function = OF_WHOLE.get(node.function) or computing(node.function)
        question = dataclasses.replace(node, function=function, operands=tuple(given))
        asked = type_of_result(question, self.search.type_again)
        return np.dtype(asked.dtype) if isinstance(asked, Scalar | Array) else None

    def is_converted(self, value: Value, dtype: np.dtype[Any]) -> bool:
        """Whether the program does nothing with a value but convert it to this dtype."""
        reads = self.readers.get(value, ())
        return bool(reads) and all(
            isinstance(each, Apply)
            and (
                each.function is dtype.type
                or (each.function is np.ndarray.astype and _is_class(each.operands[1], dtype))
            )
            for each in reads
        )

    def with_class(
        self, builder: Builder, node: Apply, place: int, wanted: set[type], *, of_all: bool = False
    ) -> Operand:
        """An operand in the class in which NumPy computes, if it is a number of Python's, or, with `of_all`, whatever it is."""
        operand = node.operands[place]
        type_, known = self.search.type_again(operand), self.search.of(operand)
        weak = isinstance(known, frozenset) and known <= WEAK
        if len(wanted) != 1 or not isinstance(type_, Scalar | Array) or not (weak or of_all):
            return operand
        (only,) = wanted
        if only is int and type_ == BOOL:  # `~` of Python's bool is of a whole number
            return builder.apply(np.int64, operand, type=INT)
        if only in WEAK or (np.dtype(only).name == type_.dtype and isinstance(operand, Value)):
            return operand
        self.check_fits(builder, operand, node.loc, wanted)
        if isinstance(type_, Array):
            return builder.apply(
                np.ndarray.astype, operand, Const(only), type=Array(np.dtype(only).name, type_.ndim)
            )
        if isinstance(operand, Const) and not operand.name:
            return Const(only(operand.value))
        return builder.apply(only, operand, type=Scalar(np.dtype(only).name))

    def check_fits(self, builder: Builder, operand: Operand, loc: Loc, wanted: set[type]) -> None:
        """Raise OverflowError where a whole number of Python's does not fit into the dtype that it meets."""
        known = self.search.of(operand)
        if not isinstance(known, frozenset) or int not in known or len(wanted) != 1:
            return
        if not known <= {int, np.int64}:
            return  # of an int64, NumPy stores another number without an error; this one is not lost in silence
        (only,) = wanted
        if only in WEAK or np.dtype(only).kind not in "iu":
            return
        info = np.iinfo(only)
        message = f"Python integer out of bounds for {info.dtype.name}"
        if isinstance(operand, Const):
            if not info.min <= operand.value <= info.max:
                text = f"{operand.value} is out of bounds for {info.dtype.name}: Python raises OverflowError"
                remedy = f"compute in a wider type, as in np.int64(...) of the other number: {info.dtype.name} goes from {info.min} to {info.max}"
                raise UnsupportedError(Problem("BS216", text, loc, remedy))
            return
        if only in _IN_RANGE and operand in self.counts and info.min < 0:
            return
        low: Operand | None = None if info.bits == 64 and info.min < 0 else Const(int(info.min))
        high: Operand | None = None if info.bits == 64 else Const(int(info.max))
        tests = [
            builder.apply(function, operand, bound, type=BOOL)
            for function, bound in ((operator.lt, low), (operator.gt, high))
            if bound is not None
        ]
        for test in tests:
            self.stop(builder, test, message)


def _is_alike(classes: frozenset[type]) -> bool:
    """Whether NumPy and Numba compute alike with such numbers."""
    return all(np.dtype(each).name in _WIDE for each in classes)


def _is_class(operand: Operand, dtype: np.dtype[Any]) -> bool:
    return isinstance(operand, Const) and operand.value is dtype.type


def _refused(node: Apply, wanted: set[np.dtype[Any]]) -> UnsupportedError:
    """The error for a call that NumPy refuses, or of which it makes numbers of several types."""
    spelled = node.loc.text[node.loc.column : node.loc.end_column]
    if not wanted:
        kinds = " and ".join(_named(type_of(each)) for each in operands(node))
        message = f"NumPy has no `{spelled}` of {kinds}: it raises TypeError"
        remedy = "convert them to whole numbers, as in int(flag) or flags.astype(np.int64)"
        return UnsupportedError(Problem("BS216", message, node.loc, remedy))
    names = " or ".join(sorted(each.name for each in wanted))
    message = f"`{spelled}` is {names}: NumPy decides that by whether a number is Python's or NumPy's, which compiled code cannot tell"
    remedy = "say which it is: int(n) or float(x) for Python's, np.int64(n) or np.float64(x) for NumPy's"
    return UnsupportedError(Problem("BS216", message, node.loc, remedy))


def _named(type_: Type | None) -> str:
    return type_.dtype if isinstance(type_, Scalar | Array) else "these"
