"""Failures: what all holds of a program's integers where it raises, and what follows from it."""

from __future__ import annotations

from collections.abc import Sequence

from backsweep.analysis.integers.affine import Atom, Constraint, infeasible

Failure = tuple[Constraint, ...]
"""What all holds where a subscript is out of bounds, or a divisor zero."""


def projected(constraints: Sequence[Constraint], atom: Atom) -> Failure | None:
    """What holds of the other atoms where some integer for this one fits; None if that is no conjunction of constraints."""
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
