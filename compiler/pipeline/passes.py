"""What a pass is, what it is given, and how passes run."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from backsweep.analysis.integers.relations import Relations
from backsweep.interprocedural.dead_parameters import Narrowing
from backsweep.ir.dead_code import eliminate_dead_code
from backsweep.ir.nodes import Function
from backsweep.ir.verify import verify
from backsweep.runtime.machine_code.compiling import compiling


@dataclass(frozen=True, slots=True)
class PassInputs:
    """What passes take besides a program: Numba's types of its arguments, the relations between extents to assume, narrow callees."""

    arguments: Sequence[Any] = ()
    relations: Relations = ()
    narrowing: Narrowing = field(default_factory=Narrowing)


NOTHING = PassInputs()


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass: `run` makes another program of a program, and of what it `takes` of what is given besides.

    A program means the same without an `optional` pass: it only saves work. What it `leaves` unread goes at once: dead code
    is eliminated behind it. It comes `after` the passes of these names, wherever these run.
    """

    name: str
    reason: str
    run: Callable[..., Function]
    takes: str = ""
    optional: bool = False
    leaves: bool = False
    after: tuple[str, ...] = ()

    def __call__(self, function: Function, inputs: PassInputs = NOTHING) -> Function:
        """The program after the pass."""
        found = self.run(function, getattr(inputs, self.takes)) if self.takes else self.run(function)
        return eliminate_dead_code(found) if self.leaves else found


Passes = tuple[Pass, ...]
Stages = list[tuple[Pass, Function]]
"""The passes that ran, each with the program that it gave."""


def only_checked(check: Callable[[Function], None]) -> Callable[[Function], Function]:
    """Make a pass of a check: it returns the program itself, or raises an error."""

    def checked(function: Function) -> Function:
        check(function)
        return function

    return checked


WITHOUT = "BACKSWEEP_WITHOUT"
"""The environment variable that names passes to leave out, by commas: a test of what the others do without them."""


def named_to_leave_out() -> frozenset[str]:
    """The names that the environment gives, whether or not they are those of passes."""
    named = os.environ.get(WITHOUT, "")
    return frozenset(name.strip() for name in named.split(",") if name.strip())


def run(passes: Passes, function: Function, stages: Stages, inputs: PassInputs = NOTHING) -> Function:
    """Run passes in order, but for those that the environment leaves out, and return the last program; `stages` gets each program.

    Raises what a pass refuses the program with, and AssertionError if they leave a program that is none.
    """
    without = named_to_leave_out()
    last: tuple[Pass, Function] | None = None
    for each in passes:
        if (each.optional and each.name in without) or last == (each, function):
            continue  # the same pass has just found nothing to change
        last = each, function
        compiling.check()
        function = each(function, inputs)
        stages.append((each, function))
    verify(function)
    return function
