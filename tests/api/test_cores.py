"""Gradients of `prange` loops on all cores: the same as on one, the same from run to run, and errors as in serial code."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np
import pytest
from numba import njit, prange

import backsweep as bs
from tests.ad.test_zoo import CASES as CASES_OF_ZOO
from tests.ad.test_zoo import is_number
from tests.support import checking
from tests.support.sampled import turning
from tests.zoo import side_by_side
from tests.zoo.case import Case
from tests.zoo.side_by_side import PATHS, PLACES


@pytest.fixture(params=[1, 2])
def threads(request: pytest.FixtureRequest) -> Iterator[int]:
    """Numba's number of threads, as far as the machine has them."""
    before = numba.get_num_threads()
    numba.set_num_threads(min(request.param, numba.config.NUMBA_NUM_THREADS))
    yield request.param
    numba.set_num_threads(before)


MANY = np.random.default_rng(0)
CASES: list[tuple[Callable[..., Any], tuple[Any, ...], tuple[int, ...]]] = [
    (side_by_side.price_of_paths, (1.1, 0.2, MANY.normal(size=(101, 3))), (0, 1)),
    (side_by_side.of_different_lengths, (MANY.uniform(0.2, 1.2, 101), 0.3), (0, 1)),
    (
        side_by_side.read_at_places,
        (MANY.normal(size=5), MANY.integers(0, 5, 101), MANY.normal(size=101)),
        (0, 2),
    ),
]

NUMBERS = [case for case in CASES_OF_ZOO if is_number(case)]
IN_BLOCKS = [
    *(case for case in NUMBERS if case.name.startswith("side_by_side.")),
    *turning(450, [case for case in NUMBERS if not case.name.startswith("side_by_side.")]),
]
"""The zoo's loops over `prange`, and a share of the others, all of whose loops are asked for."""


@pytest.mark.compiles_many("blocks are compiled for cores, and beside them the loop for one")
@pytest.mark.parametrize(
    ("function", "args", "argnums"), CASES, ids=lambda each: getattr(each, "__name__", "")
)
def test_cores_agree_with_one_core(
    function: Callable[..., Any], args: tuple[Any, ...], argnums: tuple[int, ...], threads: int
) -> None:
    """As on one core, for every number of threads, and to the last bit from run to run."""
    gradient = bs.value_and_grad(function, argnums)
    first, one = gradient(*args), bs.value_and_grad(function, argnums, parallel=False, jit=False)(*args)
    assert "prange(" in str(gradient.source(*args))
    checking.assert_close(first, one)
    for _ in range(20):
        for got, expected in zip(checking.leaves(gradient(*args)), checking.leaves(first), strict=True):
            np.testing.assert_array_equal(got, expected, f"on {threads} threads")


class Watch:
    """Runs the blocks of an emitted module from the last to the first, and sees that no two of them change one element.

    What depends on the order of blocks comes out otherwise, and what would be a race is found.
    """

    def __init__(self, module: Any) -> None:
        self.changed: set[int] = set()
        vars(module)["prange"] = self.prange
        for name, function in list(vars(module).items()):
            if "_on_core" in name:
                vars(module)[name] = functools.partial(self.run, function)

    def prange(self, *bounds: int) -> Iterator[int]:
        """The numbers backwards; no block has changed anything yet."""
        self.changed.clear()
        return reversed(range(*bounds))

    def run(self, function: Callable[..., Any], *args: Any) -> None:
        """Run a block, and note the addresses of the elements that it changes."""
        before = [checking.clone(each) for each in args]
        function(*args)
        mine = {
            address
            for old, new in zip(before, args, strict=True)
            if isinstance(new, np.ndarray)
            for address in _addresses(new, old)
        }
        assert self.changed.isdisjoint(mine), f"a race in {function.__name__}"
        self.changed |= mine


def _addresses(array: Any, before: Any) -> Iterator[int]:
    """Where the elements of an array are that are not what they were."""
    start = array.__array_interface__["data"][0]
    for place in np.argwhere(array.view(f"V{array.itemsize}") != before.view(f"V{array.itemsize}")):
        yield start + int(np.dot(place, array.strides))


@pytest.mark.parametrize("case", IN_BLOCKS, ids=lambda case: case.name)
def test_blocks_have_no_order(case: Case) -> None:
    """Every loop that has a certificate runs in two blocks, the second one first, and the gradient is the same."""
    given = {"argnums": case.argnums, "jit": False}
    gradient = bs.value_and_grad(case.function, parallel=True, **given)
    special, arguments = gradient.special(*case.args)
    emitted = special.emitted_for(arguments.args, arguments.kwargs)
    if "prange(" not in emitted.text:
        pytest.skip("no loop has a certificate")
    before = numba.get_num_threads()
    numba.set_num_threads(min(2, numba.config.NUMBA_NUM_THREADS))
    Watch(emitted.loaded.module)
    found = gradient(*case.args)
    numba.set_num_threads(before)
    checking.assert_close(found, bs.value_and_grad(case.function, parallel=False, **given)(*case.args))


def text(function: Callable[..., Any], *args: Any, **options: Any) -> str:
    """The text of the gradient with respect to the first argument."""
    return str(bs.grad(function, jit=False, **options).source(*args))


def test_what_is_asked_decides() -> None:
    """A `prange` of a plain function or of `parallel=True`; any loop with `parallel=True`; none with `parallel=False`."""

    def marked(x: Any) -> Any:
        total = 0.0
        for i in prange(x.shape[0]):
            total += x[i] ** 2
        return total

    def plain(x: Any) -> Any:
        total = 0.0
        for i in range(x.shape[0]):
            total += x[i] ** 2
        return total

    x = np.ones(3)
    assert "prange(" in text(marked, x)
    assert "prange(" not in text(marked, x, parallel=False)
    assert "prange(" not in text(njit(marked), x)
    assert "prange(" in text(njit(parallel=True)(marked), x)
    assert "prange(" not in text(plain, x)
    assert "prange(" in text(plain, x, parallel=True)
    assert "prange(" not in text(njit(parallel=True)(plain), x)


def test_what_has_an_order_keeps_it() -> None:
    for function, args in (
        (side_by_side.each_needs_the_one_before, (np.ones(4),)),
        (side_by_side.written_at_places, (np.ones(3), np.array([2, 0, 1]))),
    ):
        assert "prange(" not in text(function, *args)


def test_an_iteration_that_fails_fails_the_call() -> None:
    """The error of the iteration is raised, and the next call works."""
    gradient = bs.grad(side_by_side.read_at_places)
    w, y = np.ones(3), np.ones(6)
    with pytest.raises(IndexError, match=r"w\[places\[i\]\] is out of bounds"):
        gradient(w, PLACES + 2, y)
    assert np.isfinite(gradient(w, PLACES, y)).all()


@pytest.mark.turns(8)
@pytest.mark.compiles_many("two modes, each in blocks")
def test_other_modes() -> None:
    """Forward mode, a pullback that is called twice, second derivatives."""
    args = (1.1, 0.2, PATHS)
    one = bs.grad(side_by_side.price_of_paths, (0, 1), parallel=False, jit=False)(*args)
    value, tangent = bs.jvp(side_by_side.price_of_paths, args, (1.0, 0.5, np.zeros_like(PATHS)))
    np.testing.assert_allclose(tangent, one[0] + 0.5 * one[1], rtol=1e-12)
    again, pullback = bs.vjp(side_by_side.price_of_paths, *args, wrt=("start", "sigma"))
    assert again == pytest.approx(value)
    for cotangent in (1.0, 2.0):
        np.testing.assert_allclose(pullback(cotangent), np.multiply(one, cotangent), rtol=1e-12)
    hessian = bs.hessian(side_by_side.price_of_paths, 1, jit=False)(*args)
    serial = bs.hessian(side_by_side.price_of_paths, 1, parallel=False, jit=False)(*args)
    np.testing.assert_allclose(hessian, serial, rtol=1e-12)
