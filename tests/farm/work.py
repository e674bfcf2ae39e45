"""One worker of the farm: takes seeds, has their programs checked, and makes what fails small."""

from __future__ import annotations

import ast
import re
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from backsweep.pipeline.table import OPTIONAL
from tests.farm.child import Child
from tests.farm.ledger import Fault, Ledger
from tests.farm.sources import WEIGHTS, program_of
from tests.fuzz.arrays.arguments import as_text
from tests.fuzz.outcome import Outcome
from tests.fuzz.program import Program
from tests.fuzz.shrink import shrink

SECONDS = {False: 60.0, True: 240.0}
"""Of computing, until a program, plain or compiled, counts as hanging."""
SHRINKING = {False: 120.0, True: 300.0}
"""How long a program is made smaller."""
FAULTS = ("wrong", "unworded", "hang")


@dataclass(frozen=True)
class Plan:
    """What is farmed: families, the first seed, every how many programs one is compiled too, when to end; and every how many
    programs one is checked once more without an optional pass, each such pass in turn.
    """

    families: tuple[str, ...]
    first: int
    compiled: int
    until: float
    most: int
    without: int = 0


def rounds(families: tuple[str, ...]) -> list[str]:
    """The families in the order in which programs are taken, each as often as its weight says."""
    turns = max(WEIGHTS[family] for family in families)
    return [family for turn in range(turns) for family in families if turn < WEIGHTS[family]]


def work(plan: Plan, ledger: Ledger, worker: int, tell: Callable[[str], None]) -> None:
    """Check programs until time is over."""
    child, order, number = Child(), rounds(plan.families), 0
    try:
        while time.monotonic() < plan.until and number < plan.most:
            family = order[(number + 5 * worker) % len(order)]
            number += 1
            seed = ledger.take_seed(family, plan.first)
            program = program_of(family, seed)
            if program is None:
                continue
            settle(child, ledger, family, program, tell, jit=False)
            if plan.compiled and zlib.crc32(f"{family} {seed}".encode()) % plan.compiled == 0:
                settle(child, ledger, family, program, tell, jit=True)
            if plan.without and seed % plan.without == 0:
                left_out = OPTIONAL[seed // plan.without % len(OPTIONAL)]
                settle(child, ledger, family, program, tell, jit=False, without=left_out)
    finally:
        child.stop()


def settle(
    child: Child,
    ledger: Ledger,
    family: str,
    program: Program,
    tell: Callable[[str], None],
    *,
    jit: bool,
    without: str = "",
) -> None:
    """Check one program and note what came of it."""
    started = time.monotonic()
    outcome = outcome_of(child, family, program, jit=jit, without=without)
    counted = f"{family} without a pass" if without else family
    ledger.count(counted, outcome.verdict, outcome.message, time.monotonic() - started, jit=jit)
    if outcome.verdict not in FAULTS:
        return
    known = signature(outcome, None)
    if known in ledger.faults:
        with ledger.lock:
            ledger.faults[known].times += 1
        return
    small, last = made_small(child, family, program, outcome, jit=jit, without=without)
    if without:
        last = Outcome(last.verdict, f"{last.message}\n(without `{without}`)")
    key = known or signature(last, small)
    arguments = as_text(small)
    with ledger.lock:
        if key in ledger.faults:
            ledger.faults[key].times += 1
            return
        fault = Fault(key, last.verdict, family, program.seed, jit, last.message, arguments, small.text)
        ledger.faults[key] = fault
    tell(
        f"{family} seed {fault.seed}{' compiled' if jit else ''}, {fault.verdict}: {fault.message}\n{arguments}\n{fault.text}"
    )


def outcome_of(child: Child, family: str, program: Program, *, jit: bool, without: str = "") -> Outcome:
    """What came of a program; a hang only where the primal itself ends."""
    outcome = child.ask("check", family, program, jit=jit, seconds=SECONDS[jit], without=without)
    if outcome is not None:
        return outcome
    if child.ask("primal", family, program, jit=False, seconds=SECONDS[False]) is None:
        return Outcome("skipped", "the program itself hangs")
    if jit and child.ask("compiled primal", family, program, jit=True, seconds=SECONDS[True]) is None:
        return Outcome("hang", "Numba's own compilation of the primal hangs as well")
    return Outcome("hang", f"no end within {SECONDS[jit]:.0f} s of computing")


def kind_of(outcome: Outcome) -> str:
    """What a smaller program must have in common: the exception and its place, or in what the result is wrong."""
    if outcome.verdict == "unworded":
        lines = outcome.message.splitlines()
        places = [line for line in lines if line.startswith("  at ")]
        return "\n".join([re.split(r"[:(]", lines[0].removeprefix("forward: "))[0], *places[-1:]])
    return re.split(r"[\d\n(\[]", outcome.message)[0]


def signature(outcome: Outcome, program: Program | None) -> str:
    """A name for the fault: by exception and place, or by the small program without names and numbers ("" before that)."""
    if outcome.verdict == "unworded":
        return f"unworded {kind_of(outcome)}"
    return (
        ""
        if program is None
        else f"{outcome.verdict} {kind_of(outcome)} {shape_of(program.text, program.entry)}"
    )


def shape_of(text: str, entry: str) -> str:
    """The text of a function without the names and numbers in it."""
    tree = ast.parse(text)
    (found,) = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == entry][:1]
    names: dict[str, str] = {}
    for node in ast.walk(found):
        if isinstance(node, ast.Name) and node.id not in ("np", "math", "cmath"):
            node.id = names.setdefault(node.id, f"v{len(names)}")
        elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            node.value = 0
    return " ; ".join(ast.unparse(found).splitlines()[1:])


def made_small(
    child: Child, family: str, program: Program, outcome: Outcome, *, jit: bool, without: str = ""
) -> tuple[Program, Outcome]:
    """A smaller program with the same fault, and what comes of it."""
    until, kind, last = time.monotonic() + SHRINKING[jit], kind_of(outcome), outcome

    def fails(candidate: Program) -> bool:
        nonlocal last
        if time.monotonic() > until:
            return False
        found = (
            outcome_of(child, family, candidate, jit=jit, without=without)
            if outcome.verdict == "hang"
            else child.ask("check", family, candidate, jit=jit, seconds=SECONDS[jit], without=without)
        )
        if found is None or found.verdict != outcome.verdict or kind_of(found) != kind:
            return False
        last = found
        return True

    small = shrink(program, fails, 20 if outcome.verdict == "hang" else 2000)
    return small, last
