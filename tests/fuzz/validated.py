"""Which pass broke a random program: what each gives is interpreted and compared with what went in (`tests/support/meaning.py`)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import backsweep as bs
from tests.fuzz.outcome import Outcome, UnfitError
from tests.fuzz.program import Program, load
from tests.support import checking, meaning


def changed(steps: Sequence[meaning.Step], args: tuple[Any, ...]) -> list[str]:
    """The names of the passes that changed what a program of theirs means for these arguments, in order."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        message = meaning.changed_meaning(steps, args, raising=True)
    return list(dict.fromkeys(each.partition(" changes what ")[0] for each in message))


def passes_that_break(program: Program, folder: Path, tag: str = "") -> list[str]:
    """The names of the passes of the program's gradient that change what it means; none where there is no gradient."""
    if program.results not in ("number", "aux"):
        return []
    try:
        function = load(program, folder, f"{tag}_stages")
    except UnfitError:
        return []
    aux = program.results == "aux"
    derivative = bs.value_and_grad(function, argnums=program.argnums, has_aux=aux, jit=False)
    with meaning.watched() as steps:
        try:
            derivative.stages(*checking.clone(program.args))
        except Exception:  # noqa: BLE001  the check itself has told of it
            return []
    return changed(steps, program.args)


def validated(outcome: Outcome, broken: Sequence[str]) -> Outcome:
    """The outcome with the passes that broke the program; wrong if there is one."""
    if outcome.verdict in ("wrong", "unworded"):
        where = ", ".join(f"`{name}`" for name in broken) if broken else "none that was looked at"
        return Outcome(outcome.verdict, f"{outcome.message}\n(passes that break it: {where})")
    if broken:
        return Outcome("wrong", f"pass `{broken[0]}` changes what the program means")
    return outcome
