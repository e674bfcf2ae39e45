"""Watches the compiler at work: every pass that runs, with the program before and after it, which must mean the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

import numpy as np

from backsweep.ir.nodes import Apply, Callee, Custom, Function
from backsweep.ir.show import show
from backsweep.ir.types import Array, Tuple
from backsweep.ir.verify import verify
from backsweep.ir.walk import walk
from backsweep.pipeline import passes
from backsweep.pipeline import table as pipeline
from backsweep.programs import primal, sweeps
from tests.support.checking import clone
from tests.support.interpreter import interpret


@dataclass(frozen=True)
class Step:
    """One pass that ran."""

    name: str
    before: Function
    after: Function


@contextmanager
def watched() -> Iterator[list[Step]]:
    """The passes that run meanwhile, in order; the verifier looks at what each of them gives."""
    steps: list[Step] = []

    def run(
        group: passes.Passes,
        function: Function,
        stages: passes.Stages,
        given: passes.PassInputs = passes.NOTHING,
    ) -> Function:
        for each in group:
            before, function = function, passes.run((each,), function, stages, given)
            verify(function)
            if (
                function is not before and each not in pipeline.TYPED
            ):  # before those, methods are not told from functions
                steps.append(Step(each.name, before, function))
        return function

    with mock.patch.object(primal, "run", run), mock.patch.object(sweeps, "run", run):
        yield steps


RAISED = (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError, np.linalg.LinAlgError)
"""What a program may raise, or the interpreter where it does not know a function."""


class RaisedError(Exception):
    """What a program raised."""


def changed_meaning(
    steps: Sequence[Step],
    args: Sequence[Any],
    dots: Sequence[Any] = (),
    pulled: Sequence[Any] = (),
    *,
    raising: bool = False,
) -> list[str]:
    """What is to be told of the passes after which a program gives another result for these arguments.

    A tangent's program takes `dots` as well; a pullback's takes `pulled`, what was saved and the cotangent. With
    `raising`, programs that raise are no fault of the test's: it is told of passes after which a program raises that
    did not before.
    """
    results: dict[Function, Any] = {}

    def result(function: Function, given: Sequence[Any]) -> Any:
        if function not in results:
            try:
                results[function] = _result(function, given)
            except RAISED as error:
                if not raising:
                    raise
                results[function] = RaisedError(f"{type(error).__name__}: {error}")
        return results[function]

    message = []
    for step in steps:
        count = len(step.before.body.parameters)
        if len(step.after.body.parameters) != count:
            continue
        if step.before.name.endswith("_pullback"):
            given = pulled
        else:
            given = args if len(args) == count else (*args, *dots)
        if not step.before.name.startswith(steps[0].before.name) or not _takes(step.before, given):
            continue
        before, after = result(step.before, given), result(step.after, given)
        rounding = 1e-4 if _is_single(step.before) else 1e-9
        if before is None or isinstance(before, RaisedError):
            continue
        failed = isinstance(after, RaisedError)
        if failed or (not _alike(before, after) and not _alike(before, after, rounding)):
            message.append(
                f"{step.name} changes what {step.before.name} means: {before} becomes {after}\n"
                f"{show(step.before)}\n\n{show(step.after)}"
            )
    return message


def _takes(function: Function, given: Sequence[Any]) -> bool:
    """Whether the program may be given these arguments: passes run on programs of callees, too, which take others."""
    parameters = function.body.parameters
    return len(parameters) == len(given) and all(
        isinstance(parameter.type, Array) == isinstance(value, np.ndarray)
        and isinstance(parameter.type, Tuple) == isinstance(value, tuple)
        for parameter, value in zip(parameters, given, strict=True)
        if parameter.type is not None
    )


def _result(function: Function, args: Sequence[Any]) -> Any:
    """What the program gives; None where the interpreter does not know a function of it."""
    called = [node.function for node in walk(function.body) if isinstance(node, Apply)]
    if any(isinstance(each, Custom) or (isinstance(each, Callee) and each.changed) for each in called):
        return None  # what a call changes becomes part of its result while the derivative is written
    with np.errstate(all="ignore"):
        return _plain(interpret(function, *(clone(arg) for arg in args)))


def _plain(result: Any) -> Any:
    """The result without what a run leaves behind in it: copies of arrays, plain tuples and lists."""
    if isinstance(result, tuple | list):
        return [_plain(item) for item in result]
    return np.array(result)


def _is_single(function: Function) -> bool:
    """Whether something in the program is in single precision, which sums in another order round otherwise."""
    text = show(function)
    return "float32" in text or "complex64" in text


def _alike(one: Any, other: Any, rounding: float = 1e-9) -> bool:
    """Whether two results are the same but for rounding, dtypes included."""
    if isinstance(one, list) or isinstance(other, list):
        return (
            isinstance(one, list)
            and isinstance(other, list)
            and len(one) == len(other)
            and all(_alike(a, b, rounding) for a, b in zip(one, other, strict=True))
        )
    if one.shape != other.shape or one.dtype.kind != other.dtype.kind:
        return False
    if one.dtype.kind not in "fciub":
        return bool(np.all(one == other))
    return np.allclose(one, other, rtol=rounding, atol=rounding, equal_nan=True)
