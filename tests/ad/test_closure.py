"""The emitted language is part of the accepted one: emitted adjoints are transformed once more.

For each program the gradient of its first differentiated argument is pulled back along a cotangent, which is a
Hessian-vector product, and compared with differences of that gradient.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import backsweep as bs
from tests import zoo
from tests.emit.test_golden import NAMES, primal_of
from tests.support import checking
from tests.support.sampled import turning

FROM_ZOO = [
    "aliases.row_written",
    "aliases.swap_rows",
    "branches.elif_chain",
    "branches.boolean_operators",
    "calls.inner_function",
    "calls.callee_writes",
    "elements.row_and_column",
    "elements.slices",
    "exits.break_on_value",
    "exits.continue_in_loop",
    "exits.exits_in_both_loops",
    "loops.carried_product",
    "loops.nested_dynamic",
    "loops.set_before_loop",
    "loops.negative_step",
    "rebinding.inplace_product",
    "rebinding.rotation_in_loop",
    "stores.changed_between_use_and_reverse",
    "stores.element_plus",
    "stores.lu_in_place",
    "tuples.carried",
    "whiles.nested_whiles",
    "whiles.walking_an_index",
]


def programs() -> dict[str, tuple[Any, tuple[Any, ...], int]]:
    """Function, arguments and position, by name: all goldens, and what they do not show from the zoo."""
    found = {}
    for name in NAMES:
        function, args, argnums = primal_of(name)
        found[f"golden.{name}"] = (function, args, argnums[0])
    cases = {case.name: case for case in zoo.load()}
    for name in FROM_ZOO:
        found[name] = (cases[name].function, cases[name].args, cases[name].argnums[0])
    return found


PROGRAMS = programs()


def check_second(function: Any, args: tuple[Any, ...], position: int, *, jit: bool) -> None:
    """The pullback of the gradient is the Hessian times a vector, as differences of the gradient show."""
    first = bs.grad(function, argnums=position, jit=jit)
    gradient = first(*checking.clone(args))
    name = list(inspect.signature(function).parameters)[position]
    cotangent = checking.cotangent_like(gradient)
    given = checking.clone(args)
    value, pullback = bs.vjp(first, *given, wrt=name, jit=jit)
    checking.assert_unchanged(args, given)
    checking.assert_close(value, gradient)
    checking.assert_gradient(pullback(cotangent), first, args, position, cotangent)


# Every fourth, others in each turn: transforming an adjoint takes seconds
@pytest.mark.filterwarnings("ignore:divide by zero")  # of nbody, of zeros that a mask discards
@pytest.mark.parametrize("name", turning(9, PROGRAMS))
def test_second_order_plain(name: str) -> None:
    check_second(*PROGRAMS[name], jit=False)


@pytest.mark.compiles
@pytest.mark.parametrize("name", turning(5, ["golden.logistic", "golden.smooth", "golden.predator_prey"]))
def test_second_order_compiled(name: str) -> None:
    check_second(*PROGRAMS[name], jit=True)


@pytest.mark.parametrize("name", ["golden.neuron", "golden.logistic", "golden.branch", "golden.squaring"])
def test_third_order(name: str) -> None:
    function, args, position = PROGRAMS[name]
    second = bs.grad(bs.grad(function, argnums=position, jit=False), argnums=position, jit=False)
    third = bs.grad(second, argnums=position, jit=False)
    checking.assert_gradient(third(*args), second, args, position)


def test_hessian_is_symmetric() -> None:
    function, args, position = PROGRAMS["golden.log_sum_exp"]
    x = args[position]
    _, pullback = bs.vjp(bs.grad(function, jit=False), *args, wrt="x", jit=False)
    hessian = np.array([pullback(row) for row in np.eye(x.size)])
    np.testing.assert_allclose(hessian, hessian.T, rtol=1e-12, atol=1e-14)
    assert np.linalg.matrix_rank(hessian, tol=1e-10) == x.size - 1
