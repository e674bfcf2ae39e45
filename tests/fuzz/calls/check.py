"""One random call checked: value, pullback and tangent against the library and differences of it; compiled ones against Numba's compilation."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from tests.fuzz.arrays.arguments import realised
from tests.fuzz.arrays.check import NUMBA_FAILS
from tests.fuzz.outcome import Outcome, UnfitError
from tests.fuzz.program import Program, load
from tests.replay.judging import judge_call
from tests.support.checking import clone, is_active, leaves
from tests.support.numba_twin import njit_twin

VERDICTS: dict[str, Any] = {"right": "right", "wrong": "wrong", "unworded": "unworded", "refused": "refused"}
DIVIDES = "ZeroDivisionError"
"""What Python's own numbers raise in plain code, where NumPy's are nan."""


def check(program: Program, folder: Path, *, jit: bool, tag: str = "") -> Outcome:
    """Differentiate the call and compare it."""
    args = realised(program, program.args)
    if not any(is_active(leaf) for leaf in leaves(args)):
        return Outcome("skipped", "no argument has a derivative")
    try:
        function = njit_twin(load(program, folder, tag)) if jit else load(program, folder, tag)
        if jit:
            function(*clone(args))
    except UnfitError as error:
        return Outcome("skipped", str(error))
    except NUMBA_FAILS as error:
        return Outcome("skipped", f"Numba does not compile it: {type(error).__name__}")
    except (ArithmeticError, LookupError, ValueError):
        pass  # what the call raises, its derivative raises, too
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        verdict = judge_call(function, args, jit=jit)
    if verdict.code == DIVIDES:
        return Outcome("skipped", verdict.reason)
    return Outcome(VERDICTS.get(verdict.word, "skipped"), f"{verdict.code} {verdict.reason}".strip())
