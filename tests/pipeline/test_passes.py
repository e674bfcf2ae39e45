"""Every pass keeps the meaning of the program: the interpreter runs it before and after, on the zoo.

Of all cases a few for each kind of derivative: the interpreter is slow, and a case has thirty passes.
"""

from __future__ import annotations

from typing import Any

import pytest

import backsweep as bs
from backsweep.api.gradients import transformed_for
from backsweep.ir.show import show
from backsweep.specialise.asked import options_of
from backsweep.specialise.pullback import forward_and_pullback
from tests import random_passes, zoo
from tests.ad.test_zoo import is_number
from tests.support import checking, meaning
from tests.support.sampled import turning
from tests.zoo.case import Case

ZOO = zoo.load()
FLOATS = [case for case in ZOO if is_number(case)]
PLAIN = {"jit": False}


def names_of(case: Case) -> tuple[str, ...]:
    """The names of the arguments that the case is differentiated by."""
    code = getattr(case.function, "py_func", case.function).__code__
    return tuple(code.co_varnames[k] for k in case.argnums)


def by_name(case: Case) -> str:
    return case.name


def watched(transformed: Any, case: Case) -> list[meaning.Step]:
    """The passes that change the case's program; skipped where it is refused: the zoo's own tests tell of that."""
    with meaning.watched() as steps:
        try:
            transformed.stages(*case.args)
        except bs.BacksweepError as error:
            pytest.skip(f"refused: {error}")
    printed_alike = [step.name for step in steps if show(step.after) == show(step.before)]
    assert not printed_alike, "a pass that changes nothing returns the very object, with what is known of it"
    return steps


def test_passes_are_watched() -> None:
    """No pass changes a program such as `return x`; most are changed."""
    case = next(each for each in FLOATS if each.name == "scratch.read_once")
    assert len(watched(bs.value_and_grad(case.function, argnums=case.argnums, jit=False), case)) > 1


@pytest.mark.parametrize("case", turning(210, FLOATS), ids=by_name)
def test_passes_of_a_gradient(case: Case) -> None:
    transformed = bs.value_and_grad(case.function, argnums=case.argnums, jit=False)
    assert meaning.changed_meaning(watched(transformed, case), case.args) == []


@pytest.mark.parametrize("case", turning(330, ZOO), ids=by_name)
def test_passes_of_a_tangent(case: Case) -> None:
    names = names_of(case)
    transformed = transformed_for(
        "jvp", case.function, names, single=False, options=options_of(case.function, PLAIN)
    )
    dots = tuple(checking.cotangent_like(case.args[k], seed=k) for k in case.argnums)
    assert meaning.changed_meaning(watched(transformed, case), case.args, dots) == []


def pulled_back(function: Any, case: Case) -> list[str]:
    """What is to be told of the passes of a forward sweep and its pullback."""
    names = names_of(case)
    transformed = transformed_for("vjp", function, names, single=False, options=options_of(function, PLAIN))
    steps = watched(transformed, case)
    value, pullback = forward_and_pullback(transformed, case.args)
    pulled = (*pullback._saved, checking.cotangent_like(value))
    return meaning.changed_meaning(steps, case.args, pulled=pulled)


@pytest.mark.parametrize("case", turning(330, ZOO), ids=by_name)
def test_passes_of_a_forward_sweep_and_its_pullback(case: Case) -> None:
    assert pulled_back(case.function, case) == []


@pytest.mark.parametrize("case", turning(600, FLOATS), ids=by_name)
def test_passes_of_an_adjoint_that_is_differentiated_again(case: Case) -> None:
    assert pulled_back(bs.grad(case.function, argnums=case.argnums, jit=False), case) == []


@pytest.mark.parametrize("seed", turning(225, range(3000)))
def test_passes_of_random_programs(seed: int) -> None:
    assert random_passes.complaints_of(seed) == []
