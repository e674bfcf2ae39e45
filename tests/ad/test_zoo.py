"""Every function of the zoo, differentiated and compared with differences: as plain Python and compiled."""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np
import pytest

import backsweep as bs
from tests import zoo
from tests.support import checking
from tests.support.quick import functions_as_python
from tests.support.sampled import turning
from tests.zoo.case import Case

CASES = zoo.load()
FIRST = list({case.function: case for case in reversed(CASES)}.values())[::-1]


def plain(case: Case) -> Any:
    """The function as Python runs it."""
    return getattr(case.function, "py_func", case.function)


def is_float_scalar(result: Any) -> bool:
    """Whether `bs.grad` applies to a function with this result."""
    return isinstance(result, float | np.floating)


with functions_as_python():
    RESULTS = {case.name: plain(case)(*case.args) for case in CASES}


def is_number(case: Case) -> bool:
    """Whether the function returns a float in double precision."""
    return isinstance(RESULTS[case.name], float)


COMPILED = turning(600, [case for case in CASES if is_float_scalar(RESULTS[case.name])])
"""A few that have a gradient, others in each turn: compiling takes seconds, and runs the text that runs plain."""
NUMBERS = [case for case in FIRST if is_number(case)]
OTHERS = [case for case in FIRST if not is_number(case)]
PULLED_BACK = [*turning(480, NUMBERS), *turning(72, OTHERS)]
"""Some of the first cases, more of those whose result is no number: the compiled pullback is the plain one's text."""
REFERENCES = ("aliases.", "references.")
PULLED_BACK_PLAIN = [
    *turning(75, [case for case in CASES if is_number(case)]),
    *turning(5, [case for case in CASES if not is_number(case)]),
    *(case for case in CASES if case.name.startswith(REFERENCES)),
]
PULLED_BACK_PLAIN = list({case.name: case for case in PULLED_BACK_PLAIN}.values())
"""Where the result is a number the pullback is the gradient, divided in two: a few of these, a third of the others, and all that
keep references, which the two parts hand over."""
SECOND_ORDER = [
    case
    for case in NUMBERS
    if case.argnums
    and getattr(case.args[case.argnums[0]], "dtype", None) == np.float64
    and case.args[case.argnums[0]].ndim > 0
    and not case.name.startswith(("decompositions.", "recursion."))
]
SECOND_ORDER = [
    *turning(360, [case for case in SECOND_ORDER if not case.name.startswith("kept.")]),
    *turning(15, [case for case in SECOND_ORDER if case.name.startswith("kept.")]),
]
"""A few functions of an array, and more of those that store what they use, which a second derivative always does."""
REPORTED = {
    "adjoint of a variable set before a loop": "loops.set_before_loop",
    "v[i] = v[i] + x": "stores.element_plus",
    "y *= x": "rebinding.inplace_product",
    "continue in a loop": "exits.continue_in_loop",
    "nested dynamic loops": "loops.nested_dynamic",
    "a stale loop variable after the loop": "loops.loop_variable_after_the_loop",
    "an array changed between its use and the reverse sweep": "stores.changed_between_use_and_reverse",
    "while v < 100: v = v * v": "whiles.squaring",
    "product loops over a carried local": "loops.carried_product",
    "integer input": "dtypes.integer_input",
    "slices x[0, :]": "elements.row_and_column",
    "triangular nests": "loops.triangular",
    "method calls np.exp(x).sum()": "reductions.method_calls",
    "import numpy as anything": "globals_used.import_as_anything",
    "nested functions": "calls.inner_function",
    "a name assigned on two branches with swapped roles": "branches.swapped_roles",
}
"""Faults that other tools are known to make in silence, and the case here that would show each."""


def check_gradient(case: Case, *, jit: bool) -> None:
    """`value_and_grad` gives the value and the gradient, and leaves the arguments alone."""
    args, value = case.args, plain(case)(*case.args)
    got_value, gradient = bs.value_and_grad(case.function, argnums=case.argnums, jit=jit)(*args)
    checking.assert_unchanged(case.stored, args)
    checking.assert_own(gradient, args)
    assert_same_value(got_value, value, case.args)
    checking.assert_gradient(gradient, plain(case), case.args, case.argnums)


def check_pullback(case: Case, *, jit: bool) -> None:
    """`vjp` gives the value and a pullback that may be called again and with another cotangent, and changes none."""
    args, value = case.args, plain(case)(*case.args)
    names = tuple(inspect.signature(plain(case)).parameters)
    got_value, pullback = bs.vjp(case.function, *args, wrt=tuple(names[i] for i in case.argnums), jit=jit)
    assert_same_value(got_value, value, case.args)
    cotangent = checking.cotangent_like(value)
    given = checking.clone(cotangent)
    first = pullback(given)
    checking.assert_unchanged((cotangent,), (given,))
    checking.assert_own(first, given)
    pullback(checking.cotangent_like(value, seed=1))
    again = pullback(checking.clone(cotangent))
    checking.assert_unchanged(case.stored, args)
    checking.assert_own((first, again), args, got_value)
    checking.assert_gradient(first, plain(case), case.args, case.argnums, cotangent)
    checking.assert_close(again, first)


def assert_same_value(got: Any, expected: Any, args: Any = ()) -> None:
    """The transformed function computes what the function computes; in single precision, to its rounding."""
    by_single = any(np.asarray(leaf).dtype == np.float32 for leaf in checking.leaves(args))
    for one, other in zip(checking.leaves(got), checking.leaves(expected), strict=True):
        single = by_single or np.asarray(other).dtype == np.float32
        np.testing.assert_allclose(one, other, rtol=1e-5 if single else 1e-10, atol=1e-12)


@pytest.mark.turns(17)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_gradient_plain(case: Case) -> None:
    if not is_float_scalar(plain(case)(*case.args)):
        with pytest.raises(bs.NotScalarError):
            bs.grad(case.function, argnums=case.argnums, jit=False)(*case.args)
    else:
        check_gradient(case, jit=False)


def test_gradient_plain_of_numbers_keeps_dtypes() -> None:
    def square(w: Any, x: Any) -> Any:
        return w * w if x > 0.0 else x

    found = bs.grad(square, (0, 1), jit=False)(np.float32(1.1), np.float32(2.0))
    assert [type(gradient) for gradient in found] == [np.float32, np.float32]
    np.testing.assert_allclose(found, (2.2, 0.0), rtol=1e-6)


def test_gradient_plain_has_the_digits_of_double_precision_beside_single_precision() -> None:
    case = next(each for each in CASES if each.function.__name__ == "literal_times_single")
    x, r, c = case.args
    found = bs.grad(case.function, jit=False)(x, r, c)
    wanted = 0.4 * r.astype(np.float64) + 0.7 * c.real.astype(np.float64)
    wanted[1] += 0.9 * np.float64(c[0].real)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, wanted, rtol=1e-14)
    sines = next(each for each in CASES if each.function.__name__ == "a_sine_times_single")
    found = bs.grad(sines.function, jit=False)(*sines.args)
    factor = math.sin(sines.args[2]) + math.cos(sines.args[2])
    np.testing.assert_allclose(found, factor * sines.args[1].astype(np.float64), rtol=1e-14)


@pytest.mark.parametrize("case", PULLED_BACK_PLAIN, ids=lambda case: case.name)
def test_pullback_plain(case: Case) -> None:
    check_pullback(case, jit=False)


@pytest.mark.compiles
@pytest.mark.parametrize("case", COMPILED, ids=lambda case: case.name)
def test_gradient_compiled(case: Case) -> None:
    check_gradient(case, jit=True)


@pytest.mark.compiles
@pytest.mark.parametrize("case", PULLED_BACK, ids=lambda case: case.name)
def test_pullback_compiled(case: Case) -> None:
    check_pullback(case, jit=True)


@pytest.mark.parametrize("case", SECOND_ORDER, ids=lambda case: case.name)
def test_second_order_both_ways_round_plain(case: Case) -> None:
    """The gradient of the slope along a direction, and the tangent of the gradient in it, are the same."""
    position = case.argnums[0]
    gradient = bs.grad(case.function, argnums=position)
    direction = checking.cotangent_like(case.args[position])

    def slope(direction: Any, *args: Any) -> Any:
        return np.sum(direction * gradient(*args))

    reverse = bs.grad(slope, argnums=1, jit=False)(direction, *case.args)[position]
    forward = bs.hvp(case.function, position, jit=False)(case.args, (direction,))
    np.testing.assert_allclose(reverse, forward, rtol=1e-9, atol=1e-11)


def test_names_are_unique() -> None:
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names)


def test_reported_faults_are_covered() -> None:
    names = {case.name for case in CASES}
    assert [fault for fault, name in REPORTED.items() if name not in names] == []
