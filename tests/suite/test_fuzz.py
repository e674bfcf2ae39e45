"""A fixed, small number of random programs; `python -m tests.fuzz` goes on for longer."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.farm.sources import MUTANTS, OFF, judged, program_of
from tests.fuzz import values
from tests.fuzz.check import check, expected, shrunk_report
from tests.fuzz.families import FAMILIES
from tests.fuzz.generate import generate
from tests.fuzz.objects.generate import OBJECTS
from tests.fuzz.objects.generate import generate as generate_objects
from tests.fuzz.outcome import UnfitError
from tests.fuzz.program import load
from tests.fuzz.shrink import smaller
from tests.fuzz.typed.generate import TYPED
from tests.support import checking
from tests.support.sampled import turning

PLAIN = turning(14, range(18))
COMPILED = range(1000, 1001)
CHANGED = re.compile(r"bs\.|\bg\d\(")
"""Hooks, stopped derivatives, pullbacks that the program has of its own."""


def settle(seed: int, folder: Path, *, jit: bool) -> None:
    """Check one program; a failure shows it shrunk."""
    program = generate(seed)
    outcome = check(program, folder, jit=jit)
    if outcome.verdict == "skipped":
        pytest.skip(outcome.message)
    if outcome.verdict != "right":
        pytest.fail(shrunk_report(program, outcome, folder, jit=jit))


@pytest.mark.parametrize("seed", PLAIN)
def test_plain(seed: int, tmp_path: Path) -> None:
    settle(seed, tmp_path, jit=False)


@pytest.mark.compiles
@pytest.mark.parametrize("seed", COMPILED)
def test_compiled(seed: int, tmp_path: Path) -> None:
    settle(seed, tmp_path, jit=True)


@pytest.mark.parametrize("seed", turning(5, range(3000, 3003)))
def test_hooks_and_names(seed: int, tmp_path: Path) -> None:
    program = generate(seed, FAMILIES["hooks"])
    outcome = check(program, tmp_path, jit=False, names=True)
    # Memory with a second name inside of `no_grad` is refused
    if outcome.verdict in ("skipped", "refused"):
        pytest.skip(outcome.message)
    if outcome.verdict != "right":
        pytest.fail(shrunk_report(program, outcome, tmp_path, jit=False, names=True))


@pytest.mark.parametrize("family", sorted({*TYPED, MUTANTS, OBJECTS} - OFF))
@pytest.mark.parametrize("seed", turning(3, range(4000, 4002)))
def test_by_differences(family: str, seed: int, tmp_path: Path) -> None:
    """Values of all types, guarded stores, partial operations, several results; containers and objects; mutants of the zoo's functions."""
    program = program_of(family, seed)
    if program is None:
        pytest.skip("the change leaves no program")
    outcome = judged(family, program, tmp_path, jit=False)
    if outcome.verdict in ("skipped", "refused"):
        pytest.skip(outcome.message)
    assert outcome.verdict == "right", f"{family} {seed}: {outcome.message}\n{program.text}"


def test_same_seed_same_program() -> None:
    assert generate(7).text == generate(7).text
    assert generate(7).text != generate(8).text


def test_shrinking_goes_on_to_the_end() -> None:
    assert len(list(smaller(generate(7)))) > 10


@pytest.mark.parametrize("seed", turning(6, range(2000, 2010)))
def test_complex_step_agrees_with_differences(seed: int, tmp_path: Path) -> None:
    program = generate(seed)
    if CHANGED.search(program.text.partition("def program")[2]) or "bs.hook" in program.text:
        pytest.skip("its gradient is not that of its values")
    function = load(program, tmp_path)
    try:
        _, gradient = expected(program, function)
    except UnfitError as error:
        pytest.skip(str(error))
    found = checking.reference(function, program.args, program.argnums)
    for got, want, doubt in zip(found.gradient, gradient, found.errors, strict=True):
        # Differences may cross a branch's threshold or meet large higher derivatives: their doubt tells so
        fit = doubt < 1e-7
        # Rounding to single precision hides in steps that are all rounded alike
        close = (5e-2, 1e-3) if "float32" in program.text else (1e-5, 1e-6)
        np.testing.assert_allclose(np.asarray(got)[fit], np.asarray(want)[fit], rtol=close[0], atol=close[1])


@pytest.mark.parametrize("seed", turning(6, range(5000, 5012)))
def test_values_of_containers(seed: int, tmp_path: Path) -> None:
    outcome = values.checked(generate_objects(seed), tmp_path)
    if outcome.verdict in ("skipped", "refused"):
        pytest.skip(outcome.message)
    assert outcome.verdict == "right", outcome.message
