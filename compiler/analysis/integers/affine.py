"""Integer linear expressions over the program's integers and extents, and a proof that constraints on them contradict.

`to_affine` reads an index or a loop bound, `dim` an extent, as `const + sum(coefficient * atom)`; `infeasible` answers
whether a set of such expressions, each >= 0 or == 0, has no integer solution (Fourier-Motzkin
elimination over the rationals, tightened by greatest common divisors). It answers True only when
that is proved.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from backsweep.ir.nodes import Apply, Const, Load, NewAxis, Node, Operand, Slice, Value, View
from backsweep.ir.operations import Kind, kind
from backsweep.ir.types import Array, Scalar, Tuple, Type

Atom = Hashable
Known = dict[Value, "Affine"]
Definitions = Mapping[Value, Node]


@dataclass(frozen=True, slots=True)
class Dim:
    """The atom for the extent of an array along an axis."""

    value: Value
    axis: int


@dataclass(frozen=True, slots=True)
class Affine:
    """`const` plus each atom times its coefficient; no coefficient is zero."""

    const: int = 0
    terms: dict[Atom, int] = field(default_factory=dict)

    def __add__(self, other: Affine | int) -> Affine:
        if isinstance(other, int):
            return Affine(self.const + other, self.terms)
        terms = dict(self.terms)
        for atom, coefficient in other.terms.items():
            total = terms.pop(atom, 0) + coefficient
            if total:
                terms[atom] = total
        return Affine(self.const + other.const, terms)

    def __neg__(self) -> Affine:
        return self.scale(-1)

    def __sub__(self, other: Affine | int) -> Affine:
        return self + -other

    def scale(self, factor: int) -> Affine:
        """The expression times an integer."""
        if factor == 0:
            return Affine()
        terms = {atom: factor * coefficient for atom, coefficient in self.terms.items()}
        return Affine(self.const * factor, terms)

    @property
    def key(self) -> Hashable:
        """What equal expressions have in common, for dictionaries."""
        return self.const, frozenset(self.terms.items())

    def rename(self, change: Callable[[Atom], Atom]) -> Affine:
        """The expression with each atom replaced; `change` must keep different atoms different."""
        terms = {change(atom): coefficient for atom, coefficient in self.terms.items()}
        return Affine(self.const, terms)


def is_extent(length: Affine) -> bool:
    """Whether a length is a sum of array extents, so that no part of it can be negative."""
    return length.const >= 0 and all(
        isinstance(atom, Dim) and times > 0 for atom, times in length.terms.items()
    )


def variable(atom: Atom) -> Affine:
    """The expression that is one atom."""
    return Affine(0, {atom: 1})


Shape = tuple[Affine, ...]
ONE = Affine(1)


@dataclass(frozen=True, slots=True)
class Constraint:
    """`affine >= 0`, or `affine == 0` where `equal`."""

    affine: Affine
    equal: bool = False

    def reduced(self) -> Constraint:
        """The same constraint on integers, divided by what divides all coefficients: `4 * n == 8` says `n == 2`."""
        divisor = math.gcd(*self.affine.terms.values())
        has_no_solution = self.equal and divisor > 1 and self.affine.const % divisor
        if divisor < 2 or has_no_solution:
            return self
        terms = {atom: times // divisor for atom, times in self.affine.terms.items()}
        return Constraint(Affine(self.affine.const // divisor, terms), self.equal)


def at_least(left: Affine, right: Affine | int) -> Constraint:
    """`left >= right`."""
    return Constraint(left - right)


def equal(left: Affine, right: Affine | int) -> Constraint:
    """`left == right`."""
    return Constraint(left - right, equal=True)


# Reading expressions -----------------------------------------------------------------------------

_LINEAR = (operator.add, operator.sub, operator.mul)


def literal(operand: Operand | None) -> int | None:
    """The integer that an operand spells, None for anything else (bools too)."""
    if not isinstance(operand, Const) or isinstance(operand.value, bool):
        return None
    return int(operand.value) if isinstance(operand.value, int | np.integer) else None


def to_affine(operand: Operand, definitions: Definitions, known: Known | None = None) -> Affine:
    """The operand as an integer linear expression; what is no integer arithmetic is an atom.

    `known` gives expansions of values (loop indices) and remembers those found here. The caller
    answers for the operand being an integer.
    """
    memory: Known = {} if known is None else known
    if isinstance(operand, Const):
        number = literal(operand)
        return variable(operand) if number is None else Affine(number)
    if operand not in memory:
        memory[operand] = _expand(operand, definitions, memory)
    return memory[operand]


def dim(value: Value, axis: int, definitions: Definitions, known: Known | None = None) -> Affine:
    """The extent of an array along an axis, traced back to the array or the length that it came from."""
    memory: Known = {} if known is None else known
    opaque = variable(Dim(value, axis))
    match definitions.get(value):
        case Apply(function=like, operands=(Value() as source, *_), keywords=keywords) if kind(like) in (
            Kind.ALIKE,
            Kind.COPY,
        ):
            reshaped = any(key == "shape" for key, _ in keywords)
            return opaque if reshaped else dim(source, axis, definitions, memory)
        case Apply(function=function, operands=(shape, *_)) if kind(function) is Kind.NEW:
            return _item(shape, axis, definitions, memory) or opaque
        case Apply(function=np.eye | np.identity as function, operands=(_, *_) as counts, keywords=keywords):
            count = _count_of_eye(counts if function is np.eye else counts[:1], axis)
            named = any(name in ("N", "M", "n") for name, _ in keywords)
            return opaque if named or count is None else to_affine(count, definitions, memory)
        case View(buffer=buffer, index=index):
            source_axis = _source_axis(index, axis)
            return opaque if source_axis is None else dim(buffer, source_axis, definitions, memory)
        case _:
            return opaque


def _count_of_eye(operands: tuple[Operand, ...], axis: int) -> Operand | None:
    """What counts the rows, or the columns, of `np.eye(*operands)`; None where that is no plain integer."""
    is_square = len(operands) == 1 or operands[1] == Const(None)
    count = operands[0 if is_square else axis]
    is_plain = literal(count) is not None or (isinstance(count, Value) and count.type == Scalar("int64"))
    return count if is_plain else None


def _expand(value: Value, definitions: Definitions, memory: Known) -> Affine:
    """What the value's definition computes, as far as it is linear in integers."""
    opaque = variable(value)
    if value.type is not None and value.type != Scalar("int64"):
        return opaque  # unsigned and narrow integers wrap around
    match definitions.get(value):
        case Apply(function=function, operands=(left, right)) if function in _LINEAR:
            return _arithmetic(function, left, right, definitions, memory) or opaque
        case Apply(function=operator.neg, operands=(inner,)):
            return -to_affine(inner, definitions, memory)
        case Apply(function=operator.pos, operands=(inner,)):
            return to_affine(inner, definitions, memory)
        case Apply(function=np.size, operands=(Value(type=Array(ndim=1)) as array,), keywords=()):
            return dim(array, 0, definitions, memory)
        case Apply(function=function, operands=(Value() as array,)) if function is len:
            has_fixed_length = array.type is None or isinstance(array.type, Array | Tuple)
            return dim(array, 0, definitions, memory) if has_fixed_length else opaque
        case Apply(function=operator.getitem, operands=(Value() as shape, Const() as position)):
            return _shape_item(shape, position, definitions, memory) or opaque
        case Load(buffer=Value() as shape, index=(Const() as position,)):
            return _shape_item(shape, position, definitions, memory) or opaque
        case _:
            return opaque


@dataclass(frozen=True, slots=True)
class Quotient:
    """A whole number divided by a number: `whole // by` rounds down, `int(whole / by)` towards zero, which differs where `whole` is negative."""

    whole: Operand
    by: int
    rounds_down: bool


def quotient(value: Value, definitions: Definitions) -> Quotient | None:
    """What an integer divides by a number; None for other integers."""
    made = definitions.get(value)
    if value.type != Scalar("int64") or not isinstance(made, Apply):
        return None
    rounds_down = made.function is operator.floordiv
    if made.function is int and isinstance(made.operands[0], Value):
        ratio = definitions.get(made.operands[0])
        made = ratio if isinstance(ratio, Apply) and ratio.function is operator.truediv else made
    if not rounds_down and made.function is not operator.truediv:
        return None
    whole, by = made.operands
    is_plain = isinstance(whole, Value) and whole.type == Scalar("int64")
    return Quotient(whole, number, rounds_down) if is_plain and (number := literal(by) or 0) > 1 else None


def _arithmetic(
    function: object, left: Operand, right: Operand, definitions: Definitions, memory: Known
) -> Affine | None:
    """A sum, a difference, or a product with a constant; None for a product of two unknowns."""
    first, second = to_affine(left, definitions, memory), to_affine(right, definitions, memory)
    if function is operator.add:
        return first + second
    if function is operator.sub:
        return first - second
    if not first.terms:
        return second.scale(first.const)
    return None if second.terms else first.scale(second.const)


def _shape_item(shape: Value, position: Const, definitions: Definitions, memory: Known) -> Affine | None:
    """`np.shape(array)[position]`, or an element of a tuple that is spelled out."""
    axis = literal(position)
    if axis is None:
        return None
    match definitions.get(shape):
        case Apply(function=np.shape, operands=(Value() as array,)):
            if axis < 0 and isinstance(array.type, Array):
                axis += array.type.ndim
            return dim(array, axis, definitions, memory) if axis >= 0 else None
        case Apply(function=function, operands=items) if function is tuple and 0 <= axis < len(items):
            return to_affine(items[axis], definitions, memory)
        case _:
            return None


def _item(shape: Operand, axis: int, definitions: Definitions, memory: Known) -> Affine | None:
    """The extent that a shape argument (an integer or a tuple) asks for along an axis."""
    if isinstance(shape, Const):
        lengths = shape.value if isinstance(shape.value, tuple) else (shape.value,)
        return to_affine(Const(lengths[axis]), definitions, memory) if axis < len(lengths) else None
    if isinstance(shape.type, Scalar):
        return to_affine(shape, definitions, memory) if axis == 0 else None
    match definitions.get(shape):
        case Apply(function=np.shape, operands=(Value() as array,)):
            return dim(array, axis, definitions, memory)
        case Apply(function=function, operands=items) if function is tuple and axis < len(items):
            return to_affine(items[axis], definitions, memory)
        case _:
            return None


def _source_axis(index: tuple[object, ...], axis: int) -> int | None:
    """The axis of the buffer that the given axis of its view covers completely; None if there is none."""
    seen = source = 0
    for item in index:
        match item:
            case Slice(start, stop, step):
                if seen == axis:
                    return source if start is stop is step is None else None
                seen, source = seen + 1, source + 1
            case NewAxis():
                if seen == axis:
                    return None
                seen += 1
            case Value() | Const() if is_integer(item):
                source += 1
            case _:
                return None
    return source + axis - seen


def is_integer(operand: Operand) -> bool:
    """Whether the operand is surely an integer scalar: a literal or typed so."""
    if isinstance(operand, Const):
        return literal(operand) is not None
    return is_integer_type(operand.type)


def is_integer_type(type_: Type | None) -> bool:
    """Whether the type is an integer scalar, signed or not."""
    return isinstance(type_, Scalar) and type_.dtype.startswith(("int", "uint"))


def unknown_shape(value: Value) -> Shape:
    """A shape of which nothing is known: each extent is an atom of its own."""
    assert isinstance(value.type, Array)
    return tuple(variable(Dim(value, axis)) for axis in range(value.type.ndim))


def shape_of_table(operand: Operand) -> Shape | None:
    """The shape of a table that the program knows as a constant; None for anything else."""
    if isinstance(operand, Const) and isinstance(operand.value, np.ndarray):
        return tuple(map(Affine, operand.value.shape))
    return None


# Deciding ----------------------------------------------------------------------------------------

Row = tuple[dict[int, int], int]  # atoms are numbered, for speed
MOST_INEQUALITIES = 120
"""A query with more of them would take more than a few milliseconds."""


class _ContradictionError(Exception):
    """Raised within `infeasible` as soon as a row cannot hold."""


def infeasible(constraints: Iterable[Constraint]) -> bool:
    """Whether the constraints certainly have no common integer solution."""
    equations: list[Row] = []
    rows: list[Row] = []
    numbers: dict[Atom, int] = {}
    for constraint in constraints:
        terms = constraint.affine.terms
        numbered = {numbers.setdefault(atom, len(numbers)): terms[atom] for atom in terms}
        (equations if constraint.equal else rows).append((numbered, constraint.affine.const))
    try:
        _eliminate(_tightest(_solve(equations, rows)))
    except _ContradictionError:
        return True
    return False


def _solve(equations: list[Row], rows: list[Row]) -> list[Row]:
    """The inequalities after each equation has been used to eliminate one atom."""
    while equations:
        terms, const = equations.pop()
        divisor = math.gcd(*terms.values())
        if not terms:
            if const:
                raise _ContradictionError
            continue
        if const % divisor:
            raise _ContradictionError
        row = ({atom: coefficient // divisor for atom, coefficient in terms.items()}, const // divisor)
        atom = min(row[0], key=lambda atom: abs(row[0][atom]))
        equations = [_cancel(other, row, atom) for other in equations]
        rows = [_cancel(other, row, atom) for other in rows]
    return rows


def _cancel(row: Row, equation: Row, atom: int) -> Row:
    """The row without the atom: a positive multiple of it plus a multiple of the equation."""
    there = row[0].get(atom, 0)
    if not there:
        return row
    pivot = equation[0][atom]
    return _combine(row, abs(pivot), equation, -there if pivot > 0 else there)


def _combine(first: Row, times: int, second: Row, by: int) -> Row:
    """`times * first + by * second`."""
    terms = {atom: times * coefficient for atom, coefficient in first[0].items()}
    for atom, coefficient in second[0].items():
        total = terms.pop(atom, 0) + by * coefficient
        if total:
            terms[atom] = total
    return terms, times * first[1] + by * second[1]


def _tightest(rows: Iterable[Row]) -> list[Row]:
    """The inequalities divided by their divisors, rounded to integers, one for each left side."""
    best: dict[frozenset[tuple[int, int]], Row] = {}
    for terms, const in rows:
        if not terms:
            if const < 0:
                raise _ContradictionError
            continue
        divisor = math.gcd(*terms.values())
        if divisor != 1:
            terms = {atom: coefficient // divisor for atom, coefficient in terms.items()}
            const //= divisor
        key = frozenset(terms.items())
        if key not in best or const < best[key][1]:
            best[key] = (terms, const)
    return list(best.values())


def _eliminate(rows: list[Row]) -> None:
    """Fourier-Motzkin elimination, cheapest atom first; gives up quietly when the rows grow too many."""
    while rows:
        lower, upper = _occurrences(rows)
        one_sided = lower.keys() ^ upper.keys()
        if one_sided:  # such an atom can always be large enough: its rows say nothing
            rows = [row for row in rows if one_sided.isdisjoint(row[0])]
            continue
        atom = min(lower, key=lambda a: (lower[a] - 1) * (upper[a] - 1))
        if len(rows) + lower[atom] * upper[atom] > MOST_INEQUALITIES:
            return
        kept = [row for row in rows if atom not in row[0]]
        below = [row for row in rows if row[0].get(atom, 0) > 0]
        above = [row for row in rows if row[0].get(atom, 0) < 0]
        kept += [_combine(low, -high[0][atom], high, low[0][atom]) for low in below for high in above]
        rows = _tightest(kept)


def _occurrences(rows: list[Row]) -> tuple[dict[int, int], dict[int, int]]:
    """How many rows bound each atom from below, and how many from above."""
    lower: dict[int, int] = {}
    upper: dict[int, int] = {}
    for terms, _ in rows:
        for atom, coefficient in terms.items():
            side = lower if coefficient > 0 else upper
            side[atom] = side.get(atom, 0) + 1
    return lower, upper
