"""Write a derivative: the two sweeps of a typed primal, and the facts that they rest on."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from backsweep.ad.checkpoint.records.choices import Sweeps
from backsweep.ad.intermediates import untapped, with_phantoms
from backsweep.ad.reverse import reverse
from backsweep.analysis.activity import Activity, find_active
from backsweep.analysis.alias import find_aliases
from backsweep.analysis.structure import ActiveFacts
from backsweep.ir.nodes import Function, Operand, Value
from backsweep.legalise.unsupported import refuse_unsupported
from backsweep.rules.matching import is_constant


@dataclass(frozen=True, slots=True)
class Derivation:
    """The two sweeps of a typed primal, and the results of the analyses that they were written from."""

    primal: Function
    aux: Operand | None
    wrt: tuple[Value, ...]
    activity: Activity
    facts: ActiveFacts
    sweeps: Sweeps


def derivation(
    primal: Function,
    aux: Operand | None,
    value: Operand | None,
    names: Sequence[str],
    values: Sequence[str],
    *,
    seed: Operand | None,
    new_list: Any,
    watched: bool,
    strong_zeros: bool,
    again: bool,
) -> Derivation:
    """The sweeps of a typed primal with respect to `names`: parameters and variables by name.

    `aux` is what the function returns beside its result. `value` is returned as the result of the sweeps, if another part of the program computes it.
    `values` are variables by name whose values are wanted as well. The sweeps begin with `seed`; they make lists of array
    references with `new_list`, and raise where an adjoint is not finite if they are `watched`; `strong_zeros` and `again` as in `reverse`.
    """
    tapped, phantoms = with_phantoms(primal, names, values)
    sources = {each.name: each for each in primal.body.parameters} | phantoms.adjoints
    wrt = tuple(sources[name] for name in names)
    asked = tuple(phantoms.values[name] for name in values)
    activity, facts = analysed(tapped, wrt, asked)
    found = reverse(
        tapped,
        (*wrt, *asked),
        facts,
        seed,
        new_list,
        watched=watched,
        strong_zeros=strong_zeros,
        again=again,
    )
    sweeps, aux, value = untapped(found, aux, value)
    if value is not None:
        sweeps = dataclasses.replace(sweeps, result=value)
    return Derivation(primal, aux, wrt, activity, facts, sweeps)


def analysed(
    primal: Function, wrt: Sequence[Value], values: Sequence[Value] = ()
) -> tuple[Activity, ActiveFacts]:
    """The activity, and the facts that the reversal uses; the phantoms of `values` count as active.

    What depends on `wrt` and has no derivative is refused.
    """
    aliases = find_aliases(primal)
    activity = find_active(primal, wrt, aliases, is_constant)
    refuse_unsupported(primal, activity.varied)
    active = activity.active.union(values)
    return activity, ActiveFacts(primal, active)
