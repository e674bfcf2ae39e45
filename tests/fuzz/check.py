"""One random program checked: its gradient and its tangent against the complex step, which is exact to rounding."""

from __future__ import annotations

import itertools
import math
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import backsweep as bs
from tests.fuzz.complex_run import Run, complex_arguments, complex_step, on_complex
from tests.fuzz.names import FACTOR, adjoint, asked_of, hooked_gradient
from tests.fuzz.outcome import Outcome, UnfitError, of_error
from tests.fuzz.program import Program, load, load_weighted, weights_of
from tests.fuzz.shrink import shrink
from tests.support import checking

LARGEST = 1e6
"""Programs with larger derivatives are skipped: rounding errors grow with them."""
TOLERANCE = 1e-8
SINGLE = 1e-3
"""The tolerance where the program computes in single precision."""
STOPS = re.compile(r"bs\.(no_grad|stop_gradient)")
DOUBT = 1e-7
"""What a difference must be sure of to be compared with."""


def tolerance(program: Program) -> float:
    """How far off, relative to the largest entry, results may be."""
    return SINGLE if "float32" in program.text else TOLERANCE


def expected(program: Program, function: Callable[..., Any]) -> tuple[float, Any]:
    """Value and gradient to compare with; UnfitError where the program is no good for it."""
    args = checking.clone(program.args)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            value = float(function(*args))
            again, gradient = complex_step(on_complex(program), program.args, program.argnums)
    except (
        ArithmeticError,
        AttributeError,
        NameError,
        TypeError,
        ValueError,
        IndexError,
        RuntimeWarning,
    ) as error:
        raise UnfitError(f"{type(error).__name__}: {error}") from error
    largest = max(float(np.max(np.abs(leaf))) for leaf in gradient)
    if not abs(value - again) <= 0.1 * tolerance(program) * (1.0 + abs(value)):
        raise UnfitError(f"real and complex runs differ: {value!r}, {again!r}")
    if not largest <= LARGEST:
        raise UnfitError(f"a derivative of {largest:.1e}")
    return value, gradient


def check(
    program: Program, folder: Path, *, jit: bool, second: bool = False, names: bool = False, tag: str = ""
) -> Outcome:
    """Differentiate the program both ways and compare; with `second` also the gradient of the gradient, with `names` also
    adjoints of variables.
    """
    try:
        function = load(program, folder, tag)
        value, gradient = expected(program, function)
    except UnfitError as error:
        return Outcome("skipped", str(error))
    args = checking.clone(program.args)
    try:
        got_value, got = bs.value_and_grad(function, argnums=program.argnums, jit=jit)(*args)
    except Exception as error:  # whatever it is, it is a finding about the compiler
        return of_error(error)
    allowed = tolerance(program)
    if not abs(got_value - value) <= allowed * (1.0 + abs(value)):
        return Outcome("wrong", f"value {got_value!r}, expected {value!r}")
    try:
        checking.assert_unchanged(program.args, args)
        checking.assert_own(got, args)
        checking.assert_structure(got, tuple(program.args[i] for i in program.argnums))
    except AssertionError as error:
        return Outcome("wrong", str(error))
    outcome = compare_gradient(program, got, gradient)
    if outcome.verdict == "right":
        outcome = check_forward(program, function, value, gradient, jit=jit)
    if names and outcome.verdict == "right":
        outcome = check_names(program, function, jit=jit)
    if second and outcome.verdict == "right":
        outcome = check_second(program, folder, jit=jit, tag=tag)
    return outcome


def compare_gradient(program: Program, got: Any, gradient: Any) -> Outcome:
    """Wrong unless one is the other to rounding."""
    scale = 1.0 + max(float(np.max(np.abs(leaf))) for leaf in gradient)
    errors = [float(np.max(np.abs(np.asarray(a) - b))) for a, b in zip(got, gradient, strict=True)]
    if all(error <= tolerance(program) * scale for error in errors):
        return Outcome("right")
    lines = [
        f"  {n}: got {a!r}\n  {' ' * len(n)}  not {b!r}"
        for n, a, b in zip(program.differentiated, got, gradient, strict=True)
    ]
    return Outcome("wrong", "gradient\n" + "\n".join(lines))


def check_forward(
    program: Program, function: Callable[..., Any], value: float, gradient: Any, *, jit: bool
) -> Outcome:
    """Compare the tangent along a direction with the product of the gradient and the direction.

    Hooks have no part in it, and what has a pullback of its own is refused.
    """
    if "bs.hook" in program.text:
        plain = on_complex(program, Run(hooks=False))
        value, gradient = complex_step(plain, program.args, program.argnums)
    dots = checking.cotangent_like(tuple(program.args[i] for i in program.argnums))
    args = checking.clone(program.args)
    try:
        got_value, got = bs.jvp(function, args, dots, wrt=program.differentiated, jit=jit)
        checking.assert_unchanged(program.args, args)
    except Exception as error:  # whatever it is, it is a finding about the compiler
        return Outcome("right") if "BS210" in str(error) else of_error(error, "forward: ")
    wanted = checking.inner(gradient, dots)
    scale = 1.0 + sum(float(np.sum(np.abs(leaf))) for leaf in gradient)
    allowed = tolerance(program)
    if not abs(got_value - value) <= allowed * (1.0 + abs(value)):
        return Outcome("wrong", f"forward: value {got_value!r}, expected {value!r}")
    if not abs(got - wanted) <= allowed * scale:
        return Outcome("wrong", f"forward: tangent {got!r}, expected {wanted!r}")
    return Outcome("right")


def check_names(program: Program, function: Callable[..., Any], *, jit: bool) -> Outcome:
    """Compare the adjoints of some variables with the derivatives by what is added to them where they are assigned."""
    asked = asked_of(program)
    hooks = {asked.hooked: lambda adjoint: FACTOR * adjoint} if asked.hooked else None
    args = checking.clone(program.args)
    wrt = (*asked.names, *program.differentiated)
    try:
        found = bs.grad(function, wrt=wrt, hooks=hooks, jit=jit)(*args)
    except Exception as error:  # whatever it is, it is a finding about the compiler
        return of_error(error, "names: ")
    outcome = compare_gradient(program, found[len(asked.names) :], hooked_gradient(program, asked))
    if outcome.verdict != "right":
        return Outcome("wrong", f"names: hook of {asked.hooked}, {outcome.message}")
    for label, got in zip(asked.names, found, strict=False):
        shapes, entries = adjoint(program, asked, label)
        words = f"names: {label} of {wrt}, hook of {asked.hooked}: got {got!r}"
        for place, shape in shapes.items():
            here = got[place] if place else got
            if np.ndim(here) != len(shape) or any(a < b for a, b in zip(np.shape(here), shape, strict=True)):
                return Outcome("wrong", f"{words}, of which the entry {place} should have shape {shape}")
        scale = 1.0 + max((abs(entry) for entry in entries.values()), default=0.0)
        for place, entry in entries.items():
            if not abs((got[place] if place else got) - entry) <= tolerance(program) * scale:
                return Outcome("wrong", f"{words}\n  at {place} not {entry!r}")
        if not shapes and np.any(got):
            return Outcome("wrong", f"{words}, and it never ran")
    return Outcome("right")


def check_second(program: Program, folder: Path, *, jit: bool, tag: str) -> Outcome:
    """Differentiate a sum of the gradient's entries, with weights, and compare with differences of that sum."""
    if "float32" in program.text:
        return Outcome("skipped", "differences of single precision")
    gradient = bs.grad(load(program, folder, tag), argnums=program.argnums, jit=jit)
    weighted = load_weighted(program, gradient, folder, tag)
    args = checking.clone(program.args)
    try:
        got = bs.grad(weighted, argnums=program.argnums, jit=jit)(*args)
    except Exception as error:  # whatever it is, it is a finding about the compiler
        return of_error(error, "second: ")
    try:
        checking.assert_structure(got, tuple(program.args[i] for i in program.argnums), "second")
    except AssertionError as error:
        return Outcome("wrong", str(error))
    with np.errstate(all="ignore"):
        found = checking.reference(
            frozen(program) if STOPS.search(program.text) else weighted, program.args, program.argnums
        )
    for name, a, b, doubt in zip(program.differentiated, got, found.gradient, found.errors, strict=True):
        # Differences may cross a branch's threshold: their doubt tells so
        sure = doubt < DOUBT
        if not np.all(np.abs(np.asarray(a) - b)[sure] <= 1e-6 * (1.0 + np.abs(np.asarray(b)))[sure]):
            return Outcome("wrong", f"second: gradient of the gradient\n  {name}: got {a!r}\n  not {b!r}")
    return check_hessian(program, folder, got, jit=jit, tag=tag)


def check_hessian(program: Program, folder: Path, sums: Any, *, jit: bool, tag: str) -> Outcome:
    """Compare the sums of the Hessian's rows, with weights, with the gradient of the sum of the gradient's entries."""
    try:
        blocks = bs.hessian(load(program, folder, tag), argnums=program.argnums, jit=jit)(
            *checking.clone(program.args)
        )
    except Exception as error:  # whatever it is, it is a finding about the compiler
        return of_error(error, "hessian: ")
    weights = weights_of(program)
    for k, (name, wanted) in enumerate(zip(program.differentiated, sums, strict=True)):
        rows = [row[k] for row in blocks]
        found = sum(np.tensordot(a, b, np.ndim(a)) for a, b in zip(weights, rows, strict=True))
        scale = 1.0 + sum(float(np.sum(np.abs(row))) for row in rows)
        if not np.all(np.abs(found - np.asarray(wanted)) <= tolerance(program) * scale):
            return Outcome("wrong", f"hessian: {name}: got {found!r}\n  not {wanted!r}")
    return Outcome("right")


def frozen(program: Program) -> Callable[..., float]:
    """The sum that `load_weighted` makes, where values without derivative stay what they are at the program's arguments."""
    first = Run()
    on_complex(program, first)(*complex_arguments(program.args, program.argnums))
    weights = weights_of(program)

    def weighted(*args: Any) -> float:
        again = on_complex(program, Run(stopped=first.stopped, filled=True))
        try:
            gradient = complex_step(again, args, program.argnums)[1]
        except (IndexError, ValueError):  # a step over a threshold
            return math.nan
        return math.fsum(float(np.sum(a * b)) for a, b in zip(gradient, weights, strict=True))

    return weighted


def shrunk_report(
    program: Program,
    outcome: Outcome,
    folder: Path,
    *,
    jit: bool,
    second: bool = False,
    names: bool = False,
) -> str:
    """The failing program made small, with its seed, its source and what went wrong."""
    tags = itertools.count()
    kind = outcome.message.split(":")[0] if outcome.verdict == "unworded" else ""
    if outcome.verdict == "refused":
        kind = outcome.message.splitlines()[0]

    def fails(candidate: Program) -> bool:
        found = check(candidate, folder, jit=jit, second=second, names=names, tag=f"_{next(tags)}")
        return found.verdict == outcome.verdict and found.message.startswith(kind)

    small = shrink(program, fails, 100 if jit else 1000)
    final = check(small, folder, jit=jit, second=second, names=names, tag="_small")
    arguments = "\n".join(f"  {n} = {a!r}" for n, a in zip(small.parameters, small.args, strict=True))
    return f"seed {program.seed}, {final.verdict}: {final.message}\n{arguments}\n{small.text}"
