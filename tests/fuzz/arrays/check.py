"""One program of array statements checked: one derivative, called with all settings of the extents in turn.

Values are compared with the function as Python runs it, and where they are not the same, as Numba compiles it. An error
is right where one of the two raises, too. Gradients are compared with differences (`tests/fuzz/differences.py`); each
has its argument's very shape and dtype. A share of the programs is differentiated forwards, pulled back later, a second
time, and called from compiled code. What each pass gives is interpreted, and the pass that broke a program is named.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core.errors import NumbaError

import backsweep as bs
from tests.fuzz import differences
from tests.fuzz.arrays.arguments import realised
from tests.fuzz.differences import Primal, compared, is_single, sharing, slopes, unlike
from tests.fuzz.outcome import Outcome, UnfitError, of_error
from tests.fuzz.program import Program, load
from tests.fuzz.validated import changed, validated
from tests.support import checking, meaning
from tests.support.numba_twin import njit_twin

OVERLAPS = "shares memory with"
"""Part of the message with which arguments that are one memory are refused."""
DIRECT = 5
"""Every so many compiled programs are called from compiled code of the caller's."""
SECOND = 6
"""Every so many programs are differentiated twice."""
NUMBA_FAILS = (NumbaError, NotImplementedError, AssertionError, KeyError)
Function = Callable[..., Any]


class RaisesError(Exception):
    """The function itself raises."""


@dataclass
class Ways:
    """The program's function as Python runs it and as Numba does, and its derivative: each made once for all calls.

    `others` says that the other derivatives are asked for in this call: forwards, the second.
    """

    program: Program
    folder: Path
    jit: bool
    tag: str
    function: Function = field(init=False)
    derivative: Function = field(init=False)
    twin: Function | None = None
    others: bool = True

    def __post_init__(self) -> None:
        self.function = load(self.program, self.folder, self.tag)
        if self.program.results == "number":
            self.derivative = bs.value_and_grad(self.function, argnums=self.program.argnums, jit=self.jit)
            if self.jit and self.program.seed % DIRECT == 0:
                self.derivative = called_from_compiled(self.derivative, len(self.program.parameters))
        else:
            self.derivative = self.pulled_back

    def pulled_back(self, *args: Any) -> tuple[Any, Any]:
        """The results and a pullback's gradient; the caller changes the arguments and the results in between."""
        result, pullback = bs.vjp(self.function, *args, wrt=self.program.differentiated, jit=self.jit)
        kept, cotangent = checking.clone(result), checking.cotangent_like(result)
        for leaf in checking.leaves((args, result)):
            if isinstance(leaf, np.ndarray) and leaf.flags.writeable:
                leaf[...] = 7
        first = pullback(checking.clone(cotangent))
        second = pullback(checking.clone(cotangent))
        for one, other in zip(checking.leaves(first), checking.leaves(second), strict=True):
            assert np.array_equal(one, other, equal_nan=True), (
                f"a second pullback gives {other!r} for {one!r}"
            )
        return kept, first

    def compiled(self) -> Function:
        """The function as Numba compiles it."""
        if self.twin is None:
            self.twin = njit_twin(load(self.program, self.folder, f"{self.tag}_twin"))
        return self.twin


def called_from_compiled(derivative: Any, count: int) -> Function:
    """The derivative called from a compiled function."""
    names = ", ".join(f"a{k}" for k in range(count))
    scope = {"derivative": derivative}
    exec(f"def caller({names}):\n    return derivative({names})\n", scope)
    compiled: Function = numba.njit(scope["caller"])
    return compiled


def check(program: Program, folder: Path, *, jit: bool, tag: str = "") -> Outcome:
    """Differentiate the program and compare it with its primal, in each of its settings."""
    try:
        ways = Ways(program, folder, jit, tag)
    except UnfitError as error:
        return Outcome("skipped", str(error))
    outcomes = []
    calls = (program.args, *program.settings)
    for number, args in enumerate(calls):
        ways.others = number == program.seed % len(calls)
        outcome = called(replace(program, args=args), ways)
        if outcome.verdict in ("wrong", "unworded"):
            return Outcome(outcome.verdict, f"{outcome.message}\n(in call {number + 1})")
        outcomes.append(outcome)
    return next((each for each in outcomes if each.verdict == "right"), outcomes[0])


def called(program: Program, ways: Ways) -> Outcome:
    """What comes of one call."""
    args = realised(program, program.args)
    before = checking.clone(args)
    got, failed, steps = None, None, list[meaning.Step]()
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            with meaning.watched() as steps:
                got = ways.derivative(*args)
    except Exception as error:  # noqa: BLE001  whatever it is, it is a finding about the compiler
        failed = error
    if failed is not None and refused(failed):
        return Outcome("refused", str(failed))
    broken = [] if any("is " in form for form in program.forms) else changed(steps, before)
    return validated(compared_with_primals(program, ways, args, before, got, failed), broken)


def compared_with_primals(
    program: Program,
    ways: Ways,
    args: tuple[Any, ...],
    before: tuple[Any, ...],
    got: Any,
    failed: Exception | None,
) -> Outcome:
    """Compare with the function as Python runs it, and if that is something else, as Numba does."""
    outcome = compared_with_primal(program, ways, args, before, got, failed, lambda: ways.function)
    if outcome.verdict not in ("wrong", "unworded"):
        return outcome
    try:
        other = compared_with_primal(program, ways, args, before, got, failed, ways.compiled)
    except NUMBA_FAILS as error:
        return replace(outcome, message=f"{outcome.message}\n(Numba's primal: {type(error).__name__})")
    if other.verdict in ("wrong", "unworded"):
        return outcome
    return replace(other, message=f"as Numba computes it {other.message}")


def refused(error: Exception) -> bool:
    """Whether an error is a refusal in words."""
    worded = isinstance(error, bs.BacksweepError) and not isinstance(error, bs.InternalError)
    return worded or (isinstance(error, ValueError) and OVERLAPS in str(error))


def compared_with_primal(
    program: Program,
    ways: Ways,
    args: tuple[Any, ...],
    before: tuple[Any, ...],
    got: Any,
    failed: Exception | None,
    function_of: Callable[[], Function],
) -> Outcome:
    """Compare what the derivative gave, or raised, with one way to run the function."""
    try:
        primal = run_primal(program, ways, function_of())
    except RaisesError as error:
        if failed is None:
            return Outcome("wrong", f"no error where the function raises {error}: {got!r}")
        return of_error(failed) if isinstance(failed, bs.InternalError) else Outcome("right", "raises, too")
    except UnfitError as error:
        if isinstance(failed, bs.InternalError):
            return of_error(failed)
        return Outcome("skipped", str(error))
    if failed is not None:
        return Outcome("wrong", str(failed)) if isinstance(failed, AssertionError) else of_error(failed)
    result, gradient = got
    text = unlike(result, primal.result, single=is_single(program))
    if text:
        return Outcome("wrong", text)
    try:
        if program.results == "number":
            checking.assert_unchanged(before, args)
        checking.assert_own(gradient, args, result)
        checking.assert_structure(gradient, tuple(program.args[i] for i in program.argnums))
    except AssertionError as error:
        return Outcome("wrong", str(error))
    cotangent = checking.cotangent_like(primal.result) if program.results == "several" else None
    laid = replace(program, args=before)  # differences are taken of arrays that lie alike in memory
    try:
        found = slopes(primal, laid, cotangent)
    except UnfitError as error:
        return Outcome("skipped", str(error))
    outcome = compared(laid, gradient, found)
    if outcome.verdict != "right":
        return outcome
    if program.seed % 2 and ways.others:
        outcome = differences.forward(laid, ways.function, primal, found, jit=ways.jit)
    if outcome.verdict == "right" and program.seed % SECOND == 0 and ways.others:
        outcome = second(laid, ways)
    return outcome


def run_primal(program: Program, ways: Ways, function: Function) -> Primal:
    """The result of the function; RaisesError where it raises."""
    args = realised(program, program.args)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            result = function(*args)
    except NumbaError:
        raise
    except (ValueError, IndexError, ZeroDivisionError, TypeError, np.linalg.LinAlgError) as error:
        raise RaisesError(f"{type(error).__name__}: {error}") from error
    leaves = checking.leaves((result,))
    if not all(isinstance(leaf, bool | int | float | complex | np.generic | np.ndarray) for leaf in leaves):
        raise UnfitError("a result of another kind")
    if program.results == "number" and not isinstance(result, float | np.floating):
        raise UnfitError("no float")
    largest = max((float(np.max(np.abs(leaf), initial=0.0)) for leaf in leaves), default=0.0)
    if not largest <= differences.LARGEST:
        raise UnfitError(f"a value of {largest:.1e}")
    smooth = function
    if is_single(program):
        smooth = load(differences.in_double(program), ways.folder, f"{ways.tag}_wide")
    return Primal(function, smooth, result, sharing(result, args))


def second(program: Program, ways: Ways) -> Outcome:
    """Compare the Hessian's product with differences of the gradient."""
    if program.results != "number" or is_single(program):
        return Outcome("right")
    active = tuple(program.args[i] for i in program.argnums)
    if any(checking.is_complex(leaf) for leaf in checking.leaves(active)):
        return Outcome("right")
    directions = checking.cotangent_like(active, seed=3)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            got = bs.hvp(ways.function, program.argnums, jit=ways.jit)(
                checking.clone(program.args), directions
            )
    except Exception as error:  # noqa: BLE001  whatever it is, it is a finding about the compiler
        return Outcome("right") if refused(error) else of_error(error, "second: ")
    try:
        checking.assert_structure(got, active, "second")
    except AssertionError as error:
        return Outcome("wrong", str(error))
    weights = checking.cotangent_like(active, seed=4)

    def along(step: float) -> float:
        args = list(checking.clone(program.args))
        for index, direction in zip(program.argnums, directions, strict=True):
            moved = args[index] + step * direction
            args[index] = np.asarray(moved) if isinstance(direction, np.ndarray) else moved
        return checking.inner(weights, ways.derivative(*args)[1])

    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            wanted, doubt = differences.sided(along, 0.25)
    except (bs.BacksweepError, *differences.UNFIT):
        return Outcome("right")
    found = checking.inner(weights, got)
    if (
        doubt <= differences.DOUBT * (1.0 + abs(wanted))
        and not abs(found - wanted) <= 1e-5 * (1.0 + abs(wanted)) + 10.0 * doubt
    ):
        return Outcome("wrong", f"second: product with a direction {found!r}, expected {wanted!r}")
    return Outcome("right")
