"""Where the farm's programs come from, and how those of each family are judged."""

from __future__ import annotations

from pathlib import Path

from tests.fuzz import check, differences, effects, generate, zoo_mutants
from tests.fuzz.arrays.check import check as check_arrays
from tests.fuzz.arrays.generate import generate as generate_arrays
from tests.fuzz.calls.check import check as check_call
from tests.fuzz.calls.generate import CALLS
from tests.fuzz.calls.generate import generate as generate_call
from tests.fuzz.effects import EFFECTS
from tests.fuzz.families import FAMILIES
from tests.fuzz.objects.generate import OBJECTS
from tests.fuzz.objects.generate import generate as generate_objects
from tests.fuzz.outcome import Outcome
from tests.fuzz.program import Program
from tests.fuzz.typed.generate import TYPED
from tests.fuzz.typed.generate import generate as generate_typed
from tests.fuzz.validated import passes_that_break, validated

MUTANTS, ARRAYS = "mutants", "arrays"
WEIGHTS = {
    **dict.fromkeys(FAMILIES, 1),
    **dict.fromkeys(TYPED, 2),
    MUTANTS: 6,
    ARRAYS: 12,
    EFFECTS: 4,
    OBJECTS: 6,
    CALLS: 12,
}
"""How many programs of each family there are in a round."""
VALIDATED = 10
"""Every so many programs of the other families have the passes of their gradients interpreted; of `arrays`, all."""
OFF = {"bounds"}
"""Families that run only when they are named."""


def program_of(family: str, seed: int) -> Program | None:
    """The program of a seed; None where there is none."""
    if family == MUTANTS:
        return zoo_mutants.generate(seed)
    if family == ARRAYS:
        return generate_arrays(seed)
    if family == EFFECTS:
        return effects.generate(seed)
    if family == CALLS:
        return generate_call(seed)
    if family == OBJECTS:
        return generate_objects(seed)
    if family in TYPED:
        return generate_typed(seed, family)
    return generate.generate(seed, FAMILIES[family])


def judged(family: str, program: Program, folder: Path, *, jit: bool, tag: str = "") -> Outcome:
    """What comes of a program. The passes of some are looked at one by one: of each with a wrong gradient, of every tenth."""
    if family == ARRAYS:
        return check_arrays(program, folder, jit=jit, tag=tag)
    if family == CALLS:
        return check_call(program, folder, jit=jit, tag=tag)
    if family in FAMILIES:
        outcome = check.check(program, folder, jit=jit, names=FAMILIES[family].names, tag=tag)
    else:
        outcome = differences.check(program, folder, jit=jit, tag=tag)
    if outcome.verdict == "wrong" or (outcome.verdict == "right" and program.seed % VALIDATED == 0):
        return validated(outcome, passes_that_break(program, folder, tag))
    return outcome
