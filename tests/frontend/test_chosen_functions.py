"""A branch that chooses among functions which differ in their bound operands alone chooses the operands."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
import scipy.stats as st

import backsweep as bs


def weighted(a: Any, x: Any, y: Any) -> Any:
    return a * x * y


def by_a_conditional(x: Any) -> Any:
    f = partial(weighted, x, y=x) if x > 1.0 else partial(weighted, 2.0, y=3.0)
    return f(x * x)


def by_a_branch(x: Any) -> Any:
    if x > 1.0:
        f = partial(weighted, x, y=2.0)
    elif x > 0.5:
        f = partial(weighted, 2.0, y=2.0)
    else:
        f = partial(weighted, x * x, y=np.sin(x))
    return f(x) + f(1.0)


def of_functions(x: Any) -> Any:
    inner = partial(weighted, x, 2.0) if x > 1.0 else partial(weighted, 0.5, x)
    return partial(inner, y=x)()


def in_a_loop(x: Any) -> Any:
    total = 0.0
    for k in range(4):
        f = partial(weighted, x) if k % 2 == 0 else partial(weighted, 1.5)
        total += f(x, k * 1.0)
    return total


def of_distributions(x: Any) -> Any:
    d = st.norm(0.0, x) if x > 1.0 else st.norm(loc=x)
    return d.logpdf(0.3) + d.cdf(x * x)


@pytest.mark.parametrize(
    "function", [by_a_conditional, by_a_branch, of_functions, in_a_loop, of_distributions]
)
@pytest.mark.parametrize("x", [0.3, 0.7, 1.4])
def test_chosen_operands(function: Any, x: float) -> None:
    assert bs.value_and_grad(function, jit=False)(x)[0] == pytest.approx(float(function(x)), rel=1e-14)
    bs.check_grads(function, (x,))
    slope = bs.grad(function, jit=False)
    second = bs.grad(slope, jit=False)(x)
    assert second == pytest.approx((slope(x + 1e-6) - slope(x - 1e-6)) / 2e-6, rel=1e-6, abs=1e-8)


def other_operands(x: Any) -> Any:
    f = partial(weighted, x) if x > 1.0 else partial(weighted, x, x)
    return f(x, x)


def other_kinds(x: Any) -> Any:
    d = st.norm(0.0, x) if x > 1.0 else st.laplace(0.0, x)
    return d.logpdf(x)


@pytest.mark.parametrize("function", [other_operands, other_kinds])
def test_other_functions_are_refused(function: Any) -> None:
    with pytest.raises(bs.UnsupportedError, match=r"chooses between (functions|distributions)"):
        bs.grad(function)(1.4)
