"""Represent failures: the constraints under which a program raises, what follows from them, and the checks that test them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from backsweep.analysis.integers.affine import Affine, Atom, Constraint, infeasible, is_integer, literal
from backsweep.ir.nodes import Apply, Load, Node, Store, Value, View
from backsweep.ir.operations import Kind, kind
from backsweep.ir.typed import type_of
from backsweep.ir.types import Array

Failure = tuple[Constraint, ...]
"""What all holds where a subscript is out of bounds, a divisor zero, or an exponent negative."""


Access = Load | View | Store


@dataclass(frozen=True, slots=True)
class Length:
    """The atom for the number of entries of a list when the node runs."""

    buffer: Value
    node: Node


@dataclass(frozen=True, slots=True)
class Positions:
    """The positions in an index array, each of which has to be within an extent."""

    array: Value
    extent: Affine


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """What the program raises for at the access or division `node`: `common` holds, and one of `ways` does.

    `names` are the program's own values for extents.
    """

    common: Failure
    ways: tuple[Constraint | Positions, ...]
    node: Access | Apply
    names: Mapping[Atom, Value] = field(default_factory=dict)

    @property
    def atoms(self) -> list[Atom]:
        """The atoms that the check tests."""
        parts = [
            each.extent if isinstance(each, Positions) else each.affine for each in (*self.common, *self.ways)
        ]
        return [atom for part in parts for atom in part.terms]


def is_whole_power(node: Node) -> bool:
    """Whether the node raises whole numbers to a power that is one whole number.

    Where that is negative, compiled code computes 0 instead of a fraction; but powers of 1 and -1 are whole.
    """
    if not isinstance(node, Apply) or kind(node.function) is not Kind.POWER or len(node.operands) != 2:
        return False
    base, exponent = node.operands
    type_ = type_of(base)
    is_whole = is_integer(base) or (isinstance(type_, Array) and type_.dtype.startswith(("int", "uint")))
    return is_whole and is_integer(exponent) and literal(base) not in (1, -1)


def as_checks(ways: Sequence[Failure | Positions], node: Access | Apply) -> Iterator[Check]:
    """The ways in which an access fails as checks: one for all that are one constraint, others one by one."""
    single = [way[0] for way in ways if not isinstance(way, Positions) and len(way) == 1]
    if single:
        yield Check((), tuple(single), node)
    waiting = [way for way in ways if isinstance(way, Positions) or len(way) > 1]
    while waiting:
        way = waiting.pop(0)
        if isinstance(way, Positions):
            yield Check((), (way,), node)
            continue
        *common, last = way
        lasts = [last]
        if waiting and not isinstance(following := waiting[0], Positions):
            if list(following[:-1]) == common and is_other_side(last, following[-1]):
                lasts.append(following[-1])
                del waiting[0]
        yield Check(tuple(common), tuple(lasts), node)


def is_other_side(one: Constraint | Positions, other: Constraint | Positions) -> bool:
    """Whether one constraint says that an expression is above zero, and the other that it is below."""
    if isinstance(one, Positions) or isinstance(other, Positions) or one.equal or other.equal:
        return False
    both = one.affine + other.affine
    return not both.terms and both.const == -2


def projected(constraints: Sequence[Constraint], atom: Atom) -> Failure | None:
    """Eliminate an atom: the constraints on the others that allow an integer for it; None if no conjunction says so."""
    rest = [each for each in constraints if atom not in each.affine.terms]
    held = [each for each in constraints if atom in each.affine.terms]
    if any(each.equal for each in held):
        return None
    lower = [each.affine for each in held if each.affine.terms[atom] > 0]
    upper = [each.affine for each in held if each.affine.terms[atom] < 0]
    for low in lower:
        for high in upper:
            times, by = low.terms[atom], -high.terms[atom]
            if min(times, by) > 1:
                return None  # an integer may be missing between the two
            rest.append(Constraint(low.scale(by) + high.scale(times)))
    return tuple(rest)


def implies(system: Sequence[Constraint], failure: Failure) -> bool:
    """Whether the failure holds wherever the system does."""
    return all(
        infeasible([*system, Constraint(-each.affine - 1)])
        and (not each.equal or infeasible([*system, Constraint(each.affine - 1)]))
        for each in failure
    )


def shares(atoms: set[Atom], failure: Failure) -> bool:
    """Whether a failure is about one of the atoms."""
    return any(not atoms.isdisjoint(each.affine.terms) for each in failure)
