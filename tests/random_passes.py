"""`python -m tests.random_passes [--programs N] [--seed S]`: every pass on random typed programs, interpreted before and after."""

from __future__ import annotations

import argparse
import sys
import warnings

import numpy as np

from backsweep.diagnostics import BacksweepError
from backsweep.ir.show import show
from backsweep.ir.types import is_float
from backsweep.ir.verify import verify
from backsweep.legalise.arrays.broadcast_hoisting import hoist_broadcasts
from backsweep.legalise.arrays.broadcasting import make_broadcasting_explicit
from backsweep.legalise.arrays.complex_conversions import make_complex_explicit
from backsweep.pipeline import passes
from backsweep.pipeline import table as pipeline
from backsweep.programs import sweeps
from backsweep.programs.request import Request
from backsweep.typing.infer import to_numba
from tests.support import meaning
from tests.support.checking import clone, cotangent_like, inner
from tests.support.interpreter import interpret
from tests.support.typed_programs import program

FORMED = tuple(each for each in sweeps.passes_of("loops") if not each.takes)
"""The passes that a program goes through that is emitted."""
PASSES = tuple({each.run: each for each in (*pipeline.PRIMAL, *FORMED)}.values())
"""The passes that keep the meaning of any typed program."""


def alone(seed: int) -> list[str]:
    """What is to be told of each pass by itself on a random program."""
    function, args = program(seed)
    steps = []
    for each in PASSES:
        made = each(function)
        verify(made)
        steps.append(meaning.Step(each.name, function, made))
    return meaning.changed_meaning(steps, args)


def in_order(seed: int) -> list[str]:
    """What is to be told of the passes that follow one another, as a program that is emitted goes through them."""
    function, args = program(seed)
    with meaning.watched() as steps:
        sweeps.run((*pipeline.PRIMAL, *FORMED), function, [])
    return meaning.changed_meaning(steps, args)


def of_derivatives(seed: int) -> list[str]:
    """What is to be told of the passes of a random program's gradient and tangent, and of the two beside each other."""
    primal, args = program(seed, scalar=True)
    parameters = primal.body.parameters
    moving = [k for k, value in enumerate(parameters) if is_float(value.type)]
    names = tuple(parameters[k].name for k in moving)
    types = [to_numba(value.type) for value in parameters if value.type is not None]
    primal = passes.run(
        pipeline.PRIMAL, make_broadcasting_explicit(hoist_broadcasts(make_complex_explicit(primal))), []
    )
    with meaning.watched() as backward:
        (gradient,) = sweeps.adjoint(primal, Request("value_and_grad", names, single=False), types, [])
    with meaning.watched() as forward:
        (tangent,) = sweeps.tangent(primal, Request("jvp", names, single=False), types, [])
    dots = tuple(cotangent_like(args[k], seed=k) for k in moving)
    message = meaning.changed_meaning(backward, args) + meaning.changed_meaning(forward, args, dots)
    with np.errstate(all="ignore"):
        value, found = interpret(gradient, *clone(args))
        again, dot = interpret(tangent, *clone(args), *clone(dots))
    wanted = inner(found, dots)
    if not np.isclose(value, again) or not abs(dot - wanted) <= 1e-3 * (1.0 + abs(wanted)):
        message.append(
            f"the tangent {dot} is not the gradient's {wanted}, or {value} not {again}\n{show(primal)}"
        )
    return message


def complaints_of(seed: int) -> list[str]:
    """What is to be told of all passes on a random program; nothing of a gradient that is refused."""
    message = [*alone(seed), *in_order(seed)]
    try:
        return message + of_derivatives(seed)
    except BacksweepError:  # what the frontend would have said otherwise, or refused
        return message


def main(words: list[str]) -> int:
    """The command line; returns 1 if a pass changes what a program means."""
    parser = argparse.ArgumentParser(prog="python -m tests.random_passes", description=__doc__)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(words)
    faults = 0
    for seed in range(options.seed, options.seed + options.programs):
        message = complaints_of(seed)
        faults += bool(message)
        if message:
            print(f"seed {seed}: {message[0]}", flush=True)
    print(f"{options.programs} programs, {faults} with a fault")
    return 1 if faults else 0


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(main(sys.argv[1:]))
