"""`check_grads`: agrees with what is right, finds what is wrong and says where, and owns up to what it cannot see."""

import math
from typing import NamedTuple

import numpy as np
import pytest

import backsweep as bs
from backsweep.api.checking import difference


def product(x, w):
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            total += math.sin(x[i, j]) * w
    return total


def blind_entry(x):
    """One entry's derivative is hidden: what a wrong gradient looks like."""
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            part = 2.0 * x[i, j]
            if i == 1 and j == 2:
                part = bs.stop_gradient(part)
            total += part
    return total


class Pair(NamedTuple):
    left: float
    right: np.ndarray


def paired(p):
    return p.left * np.sum(p.right) + bs.stop_gradient(p.right[1])


@pytest.mark.parametrize("order", [1, 2])
def test_agrees(order: int) -> None:
    report = bs.check_grads(product, (np.linspace(0.1, 0.9, 6).reshape(2, 3), 0.7), order=order)
    assert report.names == ("x", "w")
    assert report.order == order
    assert report.worst < 1.0
    assert f"(order {order}; 3 directions, 7 entries" in str(report)


def test_the_worst_entry_is_named() -> None:
    with pytest.raises(bs.GradientError) as caught:
        bs.check_grads(blind_entry, (np.ones((2, 4)),))
    message = str(caught.value)
    assert "`blind_entry` disagrees with differences at x[1, 2]: gradient 0.0, differences 2." in message
    assert "rtol 1e-06, atol 1e-08" in message
    assert "kink" in message
    assert isinstance(caught.value, AssertionError)
    assert isinstance(caught.value, bs.BacksweepError)


def test_one_entry_of_many_is_found() -> None:
    with pytest.raises(bs.GradientError, match=r"at x\[1, 2\]"):
        bs.check_grads(blind_entry, (np.ones((20, 40)),))


def test_an_entry_within_a_namedtuple() -> None:
    with pytest.raises(bs.GradientError, match=r"at p\.right\[1\]: gradient 2.0, differences 3."):
        bs.check_grads(paired, (Pair(2.0, np.ones(3)),))


def scaled(x, a):
    return a * x, a * a


@pytest.mark.compiles_many("the check runs forward sweeps and pullbacks of each choice of arguments")
def test_results_that_are_arrays_and_tuples() -> None:
    assert bs.check_grads(scaled, (np.arange(3.0), 2.0)).entries == 4
    assert bs.check_grads(scaled, (np.arange(3.0), 2.0), wrt="a").names == ("a",)


def test_single_precision_is_checked_in_double() -> None:
    x = np.linspace(0.1, 0.9, 6, dtype=np.float32).reshape(2, 3)
    assert bs.check_grads(product, (x, 0.7)).rtol == pytest.approx(2e-3)
    with pytest.raises(bs.GradientError, match="rtol 1e-12"):
        bs.check_grads(product, (x, 0.7), rtol=1e-12, atol=0.0)


def test_arguments_are_not_changed() -> None:
    def clobber(x):
        x[0] = x[0] * x[1]
        return x.sum()

    x = np.array([2.0, 3.0])
    bs.check_grads(clobber, (x,))
    assert x.tolist() == [2.0, 3.0]


def near_its_domain(x):
    return math.log(x) + math.sqrt(x)


def test_steps_stay_within_the_domain() -> None:
    bs.check_grads(near_its_domain, (1e-4,))


def test_what_differences_do_at_a_kink() -> None:
    with pytest.raises(bs.GradientError, match="cannot see a derivative at a kink"):
        bs.check_grads(lambda x: abs(x) + x, (1e-9,))


@pytest.mark.compiles_many("each mode and order has code of its own")
def test_both_modes_and_orders() -> None:
    report = bs.check_grads(near_its_domain, (0.7,), order=2, modes=("rev", "fwd"))
    assert str(report).startswith(
        "the gradient and the tangent of `near_its_domain` with respect to x agree with"
    )
    assert report.order == 2
    assert "the tangent of" in str(bs.check_grads(scaled, (np.arange(3.0), 2.0), modes="fwd"))
    with pytest.raises(bs.GradientError, match=r"the tangent of `blind_entry` disagrees .* at x\[1, 2\]"):
        bs.check_grads(blind_entry, (np.ones((20, 40)),), modes="fwd")


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"modes": ()}, "`modes` is empty"),
        ({"modes": ("sideways",)}, "there is no mode 'sideways'"),
        ({"order": 3}, "order 3"),
        ({"wrt": "z"}, "there is no argument `z`"),
    ],
)
def test_requests_that_cannot_be_met(keywords: dict, message: str) -> None:
    with pytest.raises(bs.ArgumentError, match=message):
        bs.check_grads(near_its_domain, (1.0,), **keywords)


def test_nothing_to_check() -> None:
    with pytest.raises(bs.ArgumentError, match="no argument has a gradient"):
        bs.check_grads(near_its_domain, (1,))


def test_differences_know_their_error() -> None:
    value, doubt = difference(lambda step: math.exp(1.0 + step))
    assert abs(value - math.e) <= 10 * doubt < 1e-9


def by_halving(a):
    """The square root, which is found by comparisons alone."""
    low, high = 0.0, 4.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        if middle * middle < a:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@pytest.mark.compiles_many("the check runs forward sweeps and pullbacks of both functions")
def test_comparisons_alone() -> None:
    """A search that compares has the derivative zero; the message says why, and what it names works."""

    def flat(a):
        return 3.0 * by_halving(a)

    with pytest.raises(bs.GradientError, match=r"(?s)comparisons or whole numbers alone.*bs\.root"):
        bs.check_grads(flat, (2.0,))
    square_root = bs.root(by_halving, lambda x, a: x * x - a)

    def steep(a):
        return 3.0 * square_root(a)

    bs.check_grads(steep, (2.0,), order=1, modes=("rev",))
    assert bs.grad(steep, jit=False)(2.0) == pytest.approx(1.5 / np.sqrt(2.0))
