"""Find what each number of a program is in Python: Python's own, or NumPy's of one dtype.

Numba has one type for both, `int64` for `3` and for `np.int64(3)`, and NumPy tells them apart: `np.uint8(200) + 100` has 8 bits, and
`np.uint8(200) + np.int64(100)` has 64. A kind is the set of the classes that a value may have when the function runs as Python. An
argument that is a number may be Python's or NumPy's.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from backsweep.ir.nodes import Apply, Const, For, Function, Load, Node, Operand, Tap, Value, View
from backsweep.ir.operations import Kind as Family
from backsweep.ir.operations import Sharing, kind, operation
from backsweep.ir.typed import type_of
from backsweep.ir.types import Array, List, Scalar, Tuple, Type
from backsweep.ir.walk import blocks, merges, results, walk
from backsweep.runtime.plain.whole_numbers import (
    power_of_whole,
    product_of_whole,
    raised,
    shifted_left,
    shifted_right,
    whole_shifted_left,
    whole_shifted_right,
)
from backsweep.runtime.support.marks import changed_to, kept_in

Kinds = frozenset[type]
"""The classes of a number or of the elements of an array: `int`, or `np.int8`."""
Known = Kinds | tuple[Any, ...] | None
"""The kinds of a value, of the items of a tuple, or None for what is no number or is not known."""

PYTHONS: dict[str, type] = {"bool": bool, "int64": int, "float64": float, "complex128": complex}
"""Python's class of the numbers that Numba has one type for."""
DTYPES = frozenset(
    each.__name__.removesuffix("_")
    for each in np.sctypeDict.values()
    if issubclass(each, np.bool_ | np.number)
)
WEAK = frozenset(PYTHONS.values())
UFUNCS: dict[Any, np.ufunc] = {
    operator.add: np.add,
    operator.sub: np.subtract,
    operator.mul: np.multiply,
    operator.truediv: np.true_divide,
    operator.floordiv: np.floor_divide,
    operator.mod: np.remainder,
    operator.pow: np.power,
    operator.and_: np.bitwise_and,
    operator.or_: np.bitwise_or,
    operator.xor: np.bitwise_xor,
    operator.lshift: np.left_shift,
    operator.rshift: np.right_shift,
    operator.neg: np.negative,
    operator.pos: np.positive,
    operator.invert: np.invert,
    abs: np.absolute,
}
"""The operators, each with the function of NumPy that computes it where an operand is NumPy's."""
IN_PLACE: dict[Any, Any] = {
    operator.iadd: operator.add,
    operator.isub: operator.sub,
    operator.imul: operator.mul,
    operator.itruediv: operator.truediv,
    operator.ifloordiv: operator.floordiv,
    operator.imod: operator.mod,
    operator.ipow: operator.pow,
    operator.iand: operator.and_,
    operator.ior: operator.or_,
    operator.ixor: operator.xor,
    operator.ilshift: operator.lshift,
    operator.irshift: operator.rshift,
}
OF_WHOLE: dict[Any, Any] = {
    product_of_whole: operator.mul,
    **dict.fromkeys((power_of_whole, raised), operator.pow),
    **dict.fromkeys((whole_shifted_left, shifted_left), operator.lshift),
    **dict.fromkeys((whole_shifted_right, shifted_right), operator.rshift),
}
_CHOICE = 3
"""The operands of a choice by `np.where`; of one operand it gives positions."""
_PRODUCTS = (np.dot, np.matmul, operator.matmul, np.vdot, np.inner)


def scalar_class(dtype: str) -> type:
    """NumPy's class of numbers of a dtype.

    >>> scalar_class("uint8")
    <class 'numpy.uint8'>
    """
    return np.dtype(dtype).type


def computing(function: object) -> Any:
    """The operator or function of NumPy that computes a call whose result NumPy has types for; None for any other."""
    if function in IN_PLACE:
        return IN_PLACE[function]
    if isinstance(function, np.ufunc) or function in (*_PRODUCTS, np.where) or function in UFUNCS:
        return function
    return None


@functools.cache
def loop(function: Any, classes: tuple[type, ...]) -> tuple[type, ...] | None:
    """The classes in which NumPy or Python computes with operands of these classes, and that of the result; None if it raises.

    >>> loop(operator.add, (np.uint8, int))
    (<class 'numpy.uint8'>, <class 'numpy.uint8'>, <class 'numpy.uint8'>)
    >>> loop(operator.add, (int, bool))
    (<class 'int'>, <class 'int'>, <class 'int'>)
    """
    if function is np.where:
        wide = np.result_type(*(each(0) if each in WEAK else np.dtype(each) for each in classes[1:])).type
        return (classes[0], wide, wide, wide)
    if not isinstance(function, np.ufunc) and WEAK.issuperset(classes):
        try:
            result = type(function(*(each(1) for each in classes)))
        except TypeError:
            return None
        computed = classes if result is bool else tuple(int if each is bool else each for each in classes)
        return (*computed, result)
    if function in _PRODUCTS:
        wide = np.result_type(*(each(0) for each in classes)).type
        return (wide, wide, wide)
    ufunc = UFUNCS.get(function, function)
    given = tuple(each if each in (int, float, complex) else np.dtype(each) for each in classes)
    if len(given) != ufunc.nin or ufunc.nout != 1:
        return None
    try:
        found = ufunc.resolve_dtypes((*given, None))
    except TypeError:
        return None
    return tuple(each.type for each in found)


def by_type(type_: Type | None) -> Known:
    """The kinds of what has this type, of which no more is known."""
    match type_:
        case Scalar(dtype) if dtype in DTYPES:
            of_numpy = scalar_class(dtype)
            return frozenset({of_numpy, PYTHONS.get(dtype, of_numpy)})
        case Array(dtype) if dtype in DTYPES:
            return frozenset({scalar_class(dtype)})
        case Tuple(items):
            return tuple(map(by_type, items))
        case List(item):
            return by_type(item)
        case _:
            return None


def of_constant(value: object) -> Known:
    """The kinds of a constant."""
    if isinstance(value, np.ndarray | np.generic):
        return frozenset({value.dtype.type})
    if isinstance(value, tuple):
        return tuple(map(of_constant, value))
    return frozenset({type(value)}) if type(value) in WEAK else None


class Search:
    """What is found of a program: the kinds of its values."""

    def __init__(self, function: Function) -> None:
        self.found: dict[Value, Known] = {each: by_type(each.type) for each in function.body.parameters}
        nodes, before = [*walk(function.body)], -1
        while before != self.size():
            before = self.size()
            for node in nodes:
                self.look_at(node)

    def size(self) -> int:
        """How much is known: kinds only grow."""
        return sum(map(_size, self.found.values()))

    def of(self, operand: Operand) -> Known:
        """The kinds of an operand; of a value that no round has reached yet, none."""
        if isinstance(operand, Const):
            return of_constant(operand.value)
        return self.found.get(operand, frozenset())

    def type_again(self, operand: Operand) -> Type | None:
        """The type that an operand has when the program is typed again, with conversions."""
        type_, known = type_of(operand), self.of(operand)
        if not isinstance(known, frozenset) or len(known) != 1 or not isinstance(operand, Value):
            return type_
        (only,) = known
        if isinstance(type_, Array | Scalar) and np.dtype(only).name != type_.dtype:
            return dataclasses.replace(type_, dtype=np.dtype(only).name)
        return type_

    def is_stale(self, operand: Operand) -> bool:
        """Whether an operand has another type now."""
        return self.type_again(operand) != type_of(operand)

    def look_at(self, node: Node) -> None:
        """Add the kinds of what a node defines."""
        match node:
            case For():
                self.add(node.body.parameters[0], frozenset({int}))
            case View():
                self.add(node.result, self.of(node.buffer))
            case Load():
                self.add(node.result, self.element(node))
            case Apply():
                self.add(node.result, self.result(node))
            case _:
                pass
        for group in merges(node):
            for target in group:
                for source in group:
                    if isinstance(target, Value) and source is not target:
                        self.add(target, self.of(source))

    def add(self, value: Value, kinds: Known) -> None:
        """Add kinds of a value."""
        self.found[value] = _united(self.found.get(value, frozenset()), kinds)

    def element(self, node: Load) -> Known:
        """The kinds of what is read at an index."""
        base = self.of(node.buffer)
        if not isinstance(base, tuple):
            return base
        place = node.index[0]
        if (
            isinstance(place, Const)
            and isinstance(place.value, int)
            and -len(base) <= place.value < len(base)
        ):
            item: Known = base[place.value]
            return item
        return _all_united(base)

    def result(self, node: Apply) -> Known:
        """The kinds of the result of a call."""
        function, given, type_ = node.function, node.operands, node.result.type
        cls = type_.cls if isinstance(type_, Tuple) else None
        if function is tuple or (cls is not None and function is cls):
            return tuple(map(self.of, given))
        if function in (operator.getitem, getattr) and isinstance(given[1], Const):
            base, place = self.of(given[0]), given[1].value
            of_base = type_of(given[0])
            if isinstance(base, tuple) and isinstance(of_base, Tuple):
                position = of_base.names.index(place) if function is getattr else place
                item: Known = base[position]
                return item
        if function in (kept_in, changed_to):
            return self.of(given[1])
        if isinstance(function, Tap) or kind(function) is Family.MARK:
            return self.of(given[0])
        if function in WEAK or (isinstance(function, type) and issubclass(function, np.generic)):
            return frozenset({function})
        if function in (max, min) and len(given) > 1:
            return _all_united([self.of(each) for each in given])
        items = self.of(given[0]) if function is sum and len(given) == 1 else None
        if (
            isinstance(items, frozenset)
            and isinstance(type_of(given[0]), Array)
            and isinstance(type_, Scalar)
        ):
            made = [loop(operator.add, (int, each)) for each in items]
            return frozenset({each[-1] for each in made if each is not None})
        if operation(function).sharing is Sharing.ALWAYS and isinstance(type_, Array):
            return self.of(given[0])
        own = OF_WHOLE.get(function) or computing(function)
        if own is not None and not node.keywords and (own is not np.where or len(given) == _CHOICE):
            return self.computed(own, given, type_)
        if any(map(self.is_stale, given)):
            return None
        return self.by_default(node)

    def computed(self, function: Any, given: Sequence[Operand], type_: Type | None) -> Known:
        """The kinds of what an operator, or one of NumPy's functions of numbers, computes."""
        known = [self.of(each) for each in given]
        if not all(isinstance(each, frozenset) for each in known):
            return None
        found: set[type] = set()
        for classes in itertools.product(*(each for each in known if isinstance(each, frozenset))):
            made = loop(function, classes)
            if made is not None:
                found.add(made[-1])
        if np.float16 in found:  # which Numba does not compute with
            return by_type(type_)
        return frozenset(found)

    def by_default(self, node: Apply) -> Known:
        """The kinds of the result of any other function, by whose function it is."""
        function, type_ = node.function, node.result.type
        module = getattr(function, "__module__", None) or ""
        if kind(function) is Family.COMPARISON and not isinstance(function, np.ufunc):
            known = [self.of(each) for each in node.operands]
            if any(each is None for each in known):
                return by_type(type_)
            classes = {one for each in known if isinstance(each, frozenset) for one in each}
            weak = all(isinstance(each, frozenset) and each & WEAK for each in known)
            return frozenset(
                {
                    *([bool] if weak else []),
                    *([np.bool_] if classes - WEAK or isinstance(type_, Array) else []),
                }
            )
        if kind(function) is Family.EXTENT or module in ("builtins", "math", "_operator"):
            return _pythons(by_type(type_))
        if module.startswith("numpy") or isinstance(function, np.ufunc):
            return _numpys(by_type(type_))
        return by_type(type_)


def _united(one: Known, other: Known) -> Known:
    """What two sources of a value may be."""
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        return tuple(map(_united, one, other))
    if isinstance(one, frozenset) and isinstance(other, frozenset):
        return one | other
    if one == frozenset():
        return other
    return one if other == frozenset() else None


def _all_united(sources: Sequence[Known]) -> Known:
    """What several sources of a value may be."""
    known: Known = frozenset()
    for each in sources:
        known = _united(known, each)
    return known


def _size(known: Known) -> int:
    """How much is known of a value; None is more than all kinds."""
    if isinstance(known, tuple):
        return 1 + sum(map(_size, known))
    return 1000 if known is None else len(known)


def _pythons(known: Known) -> Known:
    """Those of the kinds that are Python's, if there are some."""
    if isinstance(known, tuple):
        return tuple(map(_pythons, known))
    return known if known is None else (known & WEAK) or known


def _numpys(known: Known) -> Known:
    """Those of the kinds that are NumPy's."""
    if isinstance(known, tuple):
        return tuple(map(_numpys, known))
    return known if known is None else (known - WEAK) or known


def values_of(function: Function) -> list[Value]:
    """Every value of a program."""
    every = [*function.body.parameters]
    for node in walk(function.body):
        every += [*results(node), *(value for block in blocks(node) for value in block.parameters)]
    return every
