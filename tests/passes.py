"""Watches the compiler at work: every pass that runs, with the program before and after it, which must mean the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any
from unittest import mock

import numpy as np

from backsweep import jacobians, joint, pipeline, primal, products
from backsweep.ir.nodes import Apply, Custom, Function
from backsweep.ir.show import show
from backsweep.ir.walk import walk
from tests.checking import clone
from tests.interpreter import interpret

STAGES = (primal, pipeline, jacobians, joint, products)
"""The modules that call passes by their names."""
OTHER_PROGRAMS = frozenset(
    {"derive", "split_aux", "finish", "typed_primal", "tangents", "with_phantoms", "untapped"}
)
"""Functions of programs that are no passes: what they give means something else, or they call passes themselves."""


@dataclass(frozen=True)
class Step:
    """One pass that ran."""

    name: str
    before: Function
    after: Function


@contextmanager
def watched() -> Iterator[list[Step]]:
    """The passes that run meanwhile, in order."""
    steps: list[Step] = []
    patches = [
        mock.patch.object(module, name, _watching(name, thing, steps))
        for module in STAGES
        for name, thing in _passes(module)
    ]
    with ExitStack() as stack:
        for patch in patches:
            stack.enter_context(patch)
        yield steps


def _passes(module: ModuleType) -> list[tuple[str, FunctionType]]:
    """The functions that a module of the pipeline knows from the rooms of the passes."""
    rooms = ("backsweep.transform.", "backsweep.ir.prune")
    return [
        (name, thing)
        for name, thing in vars(module).items()
        if isinstance(thing, FunctionType)
        and thing.__module__.startswith(rooms)
        and name not in OTHER_PROGRAMS
    ]


def _watching(name: str, run: Callable[..., Any], steps: list[Step]) -> Callable[..., Any]:
    """The function, which tells of what it makes of programs."""

    def watching(*args: Any, **keywords: Any) -> Any:
        made = run(*args, **keywords)
        if args and isinstance(args[0], Function) and isinstance(made, Function) and made is not args[0]:
            steps.append(Step(name, args[0], made))
        return made

    return watching


def changed_meaning(steps: Sequence[Step], args: Sequence[Any]) -> list[str]:
    """What is to be told of the passes after which a program gives another result for these arguments."""
    results: dict[Function, Any] = {}

    def result(function: Function) -> Any:
        if function not in results:
            results[function] = _result(function, args)
        return results[function]

    told = []
    for step in steps:
        if len(step.before.body.parameters) != len(args) or len(step.after.body.parameters) != len(args):
            continue
        before, after = result(step.before), result(step.after)
        if before is not None and not _alike(before, after):
            told.append(
                f"{step.name} changes what {step.before.name} means: {before} becomes {after}\n"
                f"{show(step.before)}\n\n{show(step.after)}"
            )
    return told


def _result(function: Function, args: Sequence[Any]) -> Any:
    """What the program gives; None where the interpreter does not know a function of it."""
    if any(isinstance(node, Apply) and isinstance(node.function, Custom) for node in walk(function.body)):
        return None
    with np.errstate(all="ignore"):
        return _plain(interpret(function, *(clone(arg) for arg in args)))


def _plain(result: Any) -> Any:
    """The result without what a run leaves behind in it: copies of arrays, plain tuples and lists."""
    if isinstance(result, tuple | list):
        return [_plain(item) for item in result]
    return np.array(result)


def _alike(one: Any, other: Any) -> bool:
    """Whether two results are the same but for rounding, dtypes included."""
    if isinstance(one, list) or isinstance(other, list):
        return (
            isinstance(one, list)
            and isinstance(other, list)
            and len(one) == len(other)
            and all(map(_alike, one, other))
        )
    if one.shape != other.shape or one.dtype.kind != other.dtype.kind:
        return False
    if one.dtype.kind not in "fciub":
        return bool(np.all(one == other))
    return np.allclose(one, other, rtol=1e-6 if "32" in str(one.dtype) else 1e-9, atol=1e-9, equal_nan=True)
