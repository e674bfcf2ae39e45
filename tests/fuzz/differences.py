"""One random program checked by differences of its primal: what the complex step cannot follow (integers of all widths,
bools, single precision, complex arguments, casts in place, several results).

The reference is the plain Python function: its value, and central differences at halving steps, extrapolated, each
coordinate with an estimate of its own error. A coordinate in doubt is not compared: where the estimate is poor, or
where the slopes on both sides differ (a kink at the very point, which central differences do not see). The text of a
program in single precision is differenced in double precision.

Numba and NumPy promote some scalars differently (`uint64 + int64`, a sum of two bools). A result that is not Python's
is therefore judged once more against Numba's own compilation of the primal; a compiled result, by that one where the two
primals differ.
"""

from __future__ import annotations

import functools
import math
import re
import warnings
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numba.core.errors import NumbaError

import backsweep as bs
from tests.fuzz.outcome import Outcome, UnfitError, of_error
from tests.fuzz.program import Line, Program, Statement, Suite, load
from tests.support import checking
from tests.support.numba_twin import njit_twin

LARGEST = 1e5
"""Programs with larger values or derivatives are skipped: rounding errors grow with them."""
VALUE, SINGLE_VALUE = 1e-9, 1e-3
"""How far off values may be, relative to the largest."""
SLOPE, SINGLE_SLOPE = 1e-6, 5e-3
"""How far off derivatives may be, relative to the largest, beside ten times the doubt of the reference."""
DOUBT = 1e-4
"""A coordinate whose reference is in doubt by more, relative to the largest, is not compared."""
BESIDE = 1e-6
"""The step at which the slopes to both sides are compared, and..."""
KINK = 1e-2
"""...how much they may differ in a smooth function."""
APART = 1e-5
"""By how much the slope over that step may differ from the one that is extrapolated: there is a kink within its steps else."""
UNFIT = (
    bs.BacksweepError,
    NumbaError,
    ArithmeticError,
    AttributeError,
    IndexError,
    MemoryError,
    NameError,
    RecursionError,
    RuntimeWarning,
    np.exceptions.ComplexWarning,
    DeprecationWarning,
    TypeError,
    UserWarning,
    ValueError,
    np.linalg.LinAlgError,
)
"""What makes a primal no good for a check."""

ELEMENTARY = re.compile(r"np\.(a?(sin|cos|tan)h?|arc\w+|exp\w*|log\w*|sqrt|cbrt|hypot)\(")
"""What NumPy computes in single or half precision for narrow integers, and Numba in double precision."""
Function = Callable[..., Any]


@dataclass(frozen=True)
class Primal:
    """A way to run the program, what it returned, and which of its arrays share memory."""

    function: Function
    smooth: Function
    result: Any
    shared: frozenset[tuple[int, int]]


def is_single(program: Program) -> bool:
    """Whether the program computes in single precision: NumPy does so as well in functions of narrow integers."""
    dtypes = {np.asarray(leaf).dtype.name for leaf in checking.leaves(program.args)}
    takes_part = functools.partial(_takes_part, dtypes, program.text)
    if takes_part("float32", "complex64"):
        return True
    return takes_part("int8", "uint8", "int16", "uint16") and bool(ELEMENTARY.search(program.text))


def _takes_part(dtypes: Collection[str], text: str, *names: str) -> bool:
    """Whether numbers of one of these dtypes are among the arguments or in the text."""
    return any(name in dtypes or re.search(rf"\b{name}\b", text) for name in names)


def in_double(program: Program) -> Program:
    """The same program in double precision."""

    def wide(text: str) -> str:
        return text.replace("float32", "float64").replace("complex64", "complex128")

    return with_text(program, wide)


def with_text(program: Program, change: Callable[[str], str]) -> Program:
    """The program with its text changed."""
    return replace(
        program, body=tuple(_changed(program.body, change)), helpers=tuple(map(change, program.helpers))
    )


def _changed(body: tuple[Statement, ...], change: Callable[[str], str]) -> Iterator[Statement]:
    for statement in body:
        match statement:
            case Line(text):
                yield replace(statement, text=change(text))
            case Suite(arms):
                changed = tuple((change(header), tuple(_changed(block, change))) for header, block in arms)
                yield replace(statement, arms=changed)


def sharing(result: Any, args: Any) -> frozenset[tuple[int, int]]:
    """Which arrays of a result share memory with one another, or with an argument (counted from -1 down)."""
    found = [leaf for leaf in checking.leaves((result,)) if isinstance(leaf, np.ndarray)]
    given = [leaf for leaf in checking.leaves(args) if isinstance(leaf, np.ndarray)]
    pairs = {(i, j) for i, a in enumerate(found) for j, b in enumerate(found[:i]) if np.shares_memory(a, b)}
    pairs |= {(i, -1 - j) for i, a in enumerate(found) for j, b in enumerate(given) if np.shares_memory(a, b)}
    return frozenset(pairs)


def run_primal(function: Function, smooth: Function | None, program: Program) -> Primal:
    """Run the program, which `smooth` stands for in differences; UnfitError where it is no good for a check."""
    args = checking.clone(program.args)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            result = function(*args)
    except UNFIT as error:
        raise UnfitError(f"{type(error).__name__}: {error}") from error
    shared = sharing(result, args)
    leaves = checking.leaves((result,))
    if not all(isinstance(leaf, bool | int | float | complex | np.generic | np.ndarray) for leaf in leaves):
        raise UnfitError("a result of another kind")
    if any(np.asarray(leaf).dtype.kind not in "biufc" for leaf in leaves):
        raise UnfitError("a result of another kind")
    largest = max((float(np.max(np.abs(leaf), initial=0.0)) for leaf in leaves), default=0.0)
    if not largest <= LARGEST:
        raise UnfitError(f"a value of {largest:.1e}")
    return Primal(function, smooth or function, result, shared)


def sided(along: Callable[[float], float], scale: float) -> tuple[float, float]:
    """The slope by central differences and its doubt, which is infinite at a kink."""
    slope, doubt = checking.difference(along, scale)
    step, middle = BESIDE * scale, along(0.0)
    after, before = (along(step) - middle) / step, (middle - along(-step)) / step
    kink = not abs(after - before) <= KINK * (1.0 + abs(slope))
    rounding = 1e-9 * abs(middle)
    kinked = not abs(0.5 * (after + before) - slope) <= APART * (1.0 + abs(slope)) + rounding
    return slope, math.inf if kink or kinked else doubt


def slopes(primal: Primal, program: Program, cotangent: Any) -> checking.Reference:
    """The gradient by differences; UnfitError where there is none."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = checking.reference(primal.smooth, program.args, program.argnums, cotangent, sided)
    except UNFIT as error:
        raise UnfitError(f"a neighbour of the arguments: {type(error).__name__}: {error}") from error
    largest = max(
        (float(np.max(np.abs(x), initial=0.0)) for x in checking.leaves(found.gradient)), default=0.0
    )
    if not largest <= LARGEST:
        raise UnfitError(f"a derivative of {largest:.1e}")
    return found


def python_primal(program: Program, folder: Path, tag: str) -> Primal:
    """The program as Python runs it."""
    smooth = load(in_double(program), folder, f"{tag}_wide") if is_single(program) else None
    primal = run_primal(load(program, folder, tag), smooth, program)
    if "np.empty" in program.text:
        for content in ("zeros", "ones"):
            filled = with_text(program, lambda text: text.replace("np.empty", f"np.{content}"))  # noqa: B023
            other = run_primal(load(filled, folder, f"{tag}_{content}"), None, program)
            if unlike(other.result, primal.result, single=False):
                raise UnfitError("it reads memory that nothing has written")
    return primal


def numba_primal(program: Program, folder: Path, tag: str) -> Primal:
    """The program as Numba compiles it; UnfitError where it does not."""
    try:
        function = njit_twin(load(program, folder, f"{tag}_twin"))
        smooth = (
            njit_twin(load(in_double(program), folder, f"{tag}_wide_twin"))
            if is_single(program)
            else function
        )
        return run_primal(function, smooth, program)
    except (NumbaError, NotImplementedError, AssertionError, KeyError) as error:
        raise UnfitError(f"Numba: {type(error).__name__}") from error


def check(program: Program, folder: Path, *, jit: bool, tag: str = "") -> Outcome:
    """Differentiate the program, reverse and forward, and compare with its primal."""
    try:
        function = load(program, folder, tag)
        if program.results == "raises":
            return check_raises(program, function, jit=jit)
        primal = python_primal(program, folder, tag)
    except UnfitError as error:
        return Outcome("skipped", str(error))
    if program.results == "number" and not isinstance(primal.result, float | np.floating):
        return Outcome("skipped", "no float")
    outcome = judge(program, function, primal, jit=jit)
    if outcome.verdict not in ("wrong", "unworded"):
        return outcome
    try:
        compiled = numba_primal(program, folder, tag)
    except UnfitError as error:
        return Outcome(outcome.verdict, f"{outcome.message}\n(Numba's primal: {error})")
    other = judge(program, function, compiled, jit=jit)
    if other.verdict == "right":
        return Outcome("right", "as Numba computes it")
    differ = unlike(compiled.result, primal.result, single=is_single(program)) != ""
    return Outcome(other.verdict, f"{other.message}\n(the two primals differ)") if differ else outcome


def check_raises(program: Program, function: Function, *, jit: bool) -> Outcome:
    """The primal raises IndexError, and so does its gradient."""
    try:
        function(*checking.clone(program.args))
    except IndexError:
        pass
    except UNFIT as error:
        return Outcome("skipped", f"{type(error).__name__}: {error}")
    else:
        return Outcome("skipped", "nothing is out of bounds")
    try:
        got = bs.value_and_grad(function, argnums=program.argnums, jit=jit)(*checking.clone(program.args))
    except IndexError:
        return Outcome("right")
    except Exception as error:  # whatever it is, it is a finding about the compiler
        return of_error(error)
    return Outcome("wrong", f"no IndexError: {got!r}")


def judge(program: Program, function: Function, primal: Primal, *, jit: bool) -> Outcome:
    """Compare values, dtypes, shared memory, gradient and tangent with those of a primal."""
    args = checking.clone(program.args)
    cotangent = None if program.results != "several" else checking.cotangent_like(primal.result)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            got_result, gradient = differentiated(program, function, args, cotangent, jit=jit)
    except Exception as error:  # whatever it is, it is a finding about the compiler
        return of_error(error)
    message = unlike(got_result, primal.result, single=is_single(program))
    if message:
        return Outcome("wrong", message)
    more = sharing(got_result, args) - primal.shared
    if more:
        return Outcome("wrong", f"results {sorted(more)} share memory (arguments are -1, -2, ...)")
    try:
        checking.assert_unchanged(program.args, args)
        checking.assert_own(gradient, args, got_result)
        checking.assert_structure(gradient, tuple(program.args[i] for i in program.argnums))
    except AssertionError as error:
        return Outcome("wrong", str(error))
    try:
        found = slopes(first_of(primal) if program.results == "aux" else primal, program, cotangent)
    except UnfitError as error:
        return Outcome("skipped", str(error))
    outcome = compared(program, gradient, found)
    if outcome.verdict != "right" or program.seed % 2:  # half of them, to have more programs
        return outcome
    return forward(program, function, primal, found, jit=jit)


def first_of(primal: Primal) -> Primal:
    """The primal without what is no part of the derivative."""
    smooth = primal.smooth
    return replace(primal, smooth=lambda *args: smooth(*args)[0])


def differentiated(
    program: Program, function: Function, args: tuple[Any, ...], cotangent: Any, *, jit: bool
) -> tuple[Any, Any]:
    """What the program returns, and its gradient."""
    if program.results == "several":
        result, pullback = bs.vjp(function, *args, wrt=program.differentiated, jit=jit)
        return result, pullback(checking.clone(cotangent))
    aux = program.results == "aux"
    found: tuple[Any, Any] = bs.value_and_grad(function, argnums=program.argnums, has_aux=aux, jit=jit)(*args)
    return found


def unlike(got: Any, expected: Any, *, single: bool) -> str:
    """In what one result is not the other: kinds, dtypes, shapes, numbers; "" if in nothing."""
    if isinstance(expected, tuple) != isinstance(got, tuple):
        return f"value {got!r}, expected {expected!r}"
    ours, theirs = checking.leaves((got,)), checking.leaves((expected,))
    if len(ours) != len(theirs):
        return f"value {got!r}, expected {expected!r}"
    for one, other in zip(ours, theirs, strict=True):
        a, b = np.asarray(one), np.asarray(other)
        # Numba's numbers know no widths that Python would show
        alike = a.dtype == b.dtype if isinstance(other, np.ndarray) else kind_of(a) == kind_of(b)
        if not alike or a.shape != b.shape:
            return f"value {one!r} of {a.dtype}, expected {other!r} of {b.dtype}"
        allowed = SINGLE_VALUE if single else VALUE
        with np.errstate(all="ignore"):
            off = np.abs(a.astype(complex) - b.astype(complex))
            if not np.all((off <= allowed * (1.0 + np.max(np.abs(b), initial=0.0))) | (a == b)):
                return f"value {one!r}, expected {other!r}"
    return ""


def kind_of(number: np.ndarray) -> str:
    """Bool, integer, float or complex."""
    return {"u": "i"}.get(number.dtype.kind, number.dtype.kind)


def scale_of(found: checking.Reference) -> float:
    """One more than the largest derivative."""
    active = [leaf for leaf in checking.leaves(found.gradient) if checking.is_active(leaf)]
    return 1.0 + max((float(np.max(np.abs(leaf), initial=0.0)) for leaf in active), default=0.0)


def compared(program: Program, gradient: Any, found: checking.Reference) -> Outcome:
    """Wrong where a coordinate that is sure differs; skipped where none is sure."""
    scale = scale_of(found)
    ours = [leaf for leaf in checking.leaves(gradient) if checking.is_active(leaf)]
    theirs = [leaf for leaf in checking.leaves(found.gradient) if checking.is_active(leaf)]
    any_sure = False
    for one, other, doubt in zip(ours, theirs, found.errors, strict=True):
        sure = doubt <= DOUBT * scale
        any_sure = any_sure or bool(np.any(sure))
        allowed = (SINGLE_SLOPE if is_single(program) else SLOPE) * scale + 10.0 * doubt
        with np.errstate(all="ignore"):
            off = np.abs(np.asarray(one) - np.asarray(other))
        if not np.all((off <= allowed)[sure]):
            return Outcome("wrong", unlike_gradient(program, gradient, found))
    return Outcome("right") if any_sure else Outcome("skipped", "differences are in doubt")


def unlike_gradient(program: Program, gradient: Any, found: checking.Reference) -> str:
    """The derivatives that differ."""
    lines = ["gradient"]
    for name, one, other in zip(program.differentiated, gradient, found.gradient, strict=True):
        pairs = zip(checking.leaves(one), checking.leaves(other), strict=True)
        if not all(np.allclose(a, b, rtol=1e-5, equal_nan=True) for a, b in pairs if checking.is_active(b)):
            lines += [f"  {name}: got {one!r}", f"    not {other!r}"]
    return "\n".join(lines)


def forward(
    program: Program, function: Function, primal: Primal, found: checking.Reference, *, jit: bool
) -> Outcome:
    """Compare the tangent along a direction with the product of the gradient and the direction."""
    if any(np.any(doubt > DOUBT * scale_of(found)) for doubt in found.errors):
        return Outcome("right")  # as far as it was sure
    dots = checking.cotangent_like(tuple(program.args[i] for i in program.argnums))
    args = checking.clone(program.args)
    aux = program.results == "aux"
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            result, tangent, *_ = bs.jvp(
                function, args, dots, wrt=program.differentiated, has_aux=aux, jit=jit
            )
        checking.assert_unchanged(program.args, args)
    except Exception as error:  # whatever it is, it is a finding about the compiler
        return of_error(error, "forward: ")
    value = primal.result[0] if aux else primal.result
    message = unlike(result, value, single=is_single(program))
    if message:
        return Outcome("wrong", f"forward: {message}")
    several = program.results == "several"
    got = checking.inner(checking.cotangent_like(value), tangent) if several else float(np.real(tangent))
    wanted = checking.inner(found.gradient, dots)
    total = sum(float(np.sum(np.abs(x))) for x in checking.leaves(found.gradient) if checking.is_active(x))
    doubt = sum(float(np.sum(each)) for each in found.errors)
    allowed = (SINGLE_SLOPE if is_single(program) else SLOPE) * (1.0 + total) + 20.0 * doubt
    if not abs(got - wanted) <= allowed:
        return Outcome("wrong", f"forward: tangent {got!r}, expected {wanted!r}")
    return Outcome("right")
