"""Of all that the installed Numba compiles it is told what is differentiated; what is, is right."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import backsweep as bs
from backsweep.inspect.cli.command_line import main
from backsweep.inspect.coverage.page import read
from backsweep.inspect.coverage.rows import Kind, row_of
from backsweep.inspect.coverage.samples import function_of, sample_of, samples
from backsweep.specialise.arguments import has_gradient
from tests.frontend.test_library_calls import holes_filled
from tests.support import checking
from tests.support.sampled import turning

PAGE = (Path(__file__).parents[2] / "docs" / "coverage.md").read_text(encoding="utf-8")
STORED = read(PAGE)
SAME_VERSION = f"Numba {numba.__version__}, NumPy {np.__version__}" in PAGE
DIFFERENTIATED = [
    name
    for name, kind in STORED.items()
    if kind in (Kind.RULE, Kind.IMPLEMENTATION) and "random." not in name  # what draws is another function in each call
]  # fmt: skip
SLOW = {name for name in DIFFERENTIATED if name.startswith("scipy.linalg.")} | {
    "np.linalg.qr",
    "np.linalg.svd",
}
"""Functions that take seconds to compile, and have tests of their own."""


def test_every_function_is_classified():
    # In a process of its own: the tests of other modules tell Numba of functions of theirs
    program = (
        "from backsweep.dispatch.known_functions import known_functions\nprint(*known_functions(), sep='\\n')"
    )
    message = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True
    )
    known = set(message.stdout.split("\n")) - {""}
    unclassified = known - STORED.keys()
    assert not unclassified, "give each a call in compiler/inspect/data/coverage.txt, and write the page anew"
    if SAME_VERSION:
        assert known == STORED.keys()


def test_each_sample_is_of_a_function():
    names = [sample.name for sample in samples() if "*" not in sample.name]
    assert len(names) == len(set(names))
    if SAME_VERSION:
        assert set(names) <= STORED.keys()


@pytest.mark.parametrize("name", turning(90, [name for name in STORED if name not in SLOW]))
def test_what_the_page_says_of_it(name):
    if SAME_VERSION:
        assert row_of(name).kind is STORED[name]


def test_the_command_lists_what_it_is_asked_for(capsys):
    assert main(["coverage", "np.cosh", "np.asarray_chk"]) == 0
    shown = capsys.readouterr().out
    assert "np.cosh: by rule, tried as `np.cosh(v)`" in shown
    assert "np.asarray_chkfinite: by Numba's implementation" in shown
    assert main(["coverage", "no_such_function"]) == 1


@pytest.fixture(autouse=True)
def _no_warnings() -> Iterator[None]:
    """Plain Python warns where compiled code computes nan in silence."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


pytestmark = pytest.mark.filterwarnings(
    "ignore:.*row_stack:DeprecationWarning"
)  # NumPy has it still, and so has the page


def sample(name: str, wrap: str = "{}") -> tuple[Callable[..., Any], tuple[Any, ...], tuple[int, ...]]:
    """The call of a function, its arguments, and which of these are made of floats."""
    found = sample_of(name)
    assert found is not None
    *before, last = found.text.split("; ")
    function, args = function_of("; ".join([*before, wrap.format(last)]))
    return function, args, tuple(k for k, given in enumerate(args) if has_gradient(given))


def assert_derivatives(name: str, *, jit: bool) -> None:
    """Value, gradient and tangent: against Python, differences, and one another."""
    function, args, where = sample(name)
    value, pull = bs.vjp(function, *checking.clone(args), jit=jit)
    expected = function(*checking.clone(args))
    checking.assert_close(as_tuple(value), as_tuple(expected))
    bar = checking.cotangent_like(expected)
    bars = as_tuple(pull(bar))
    reference = checking.reference(function, args, where, bar)
    checking.assert_close(bars, holes_filled(reference.gradient), reference.errors)
    dots = checking.cotangent_like(tuple(args[k] for k in where), seed=1)
    _, tangent = bs.jvp(function, args, dots, jit=jit)
    one, other = checking.inner(bar, tangent), checking.inner(bars, dots)
    single = "float32" in name or "complex64" in name  # these round the adjoint, too
    assert abs(one - other) <= (1e-6 if single else 1e-9) * (1.0 + abs(one))


def as_tuple(tree: Any) -> tuple[Any, ...]:
    """Items of a tuple or list, or one of them."""
    return tuple(tree) if isinstance(tree, tuple | list) else (tree,)


@pytest.mark.parametrize(
    "name", turning(135, [name for name in DIFFERENTIATED if name != "scipy.linalg.eigvals"])
)
def test_derivatives(name):
    assert_derivatives(name, jit=False)


@pytest.mark.parametrize("name", turning(450, [name for name in DIFFERENTIATED if name not in SLOW]))
def test_derivatives_of_compiled_code(name):
    assert_derivatives(name, jit=True)


@pytest.mark.parametrize("name", turning(225, DIFFERENTIATED))
def test_second_derivatives(name):
    """The tangent of a gradient, against differences of the gradient."""
    number = np.asarray(sample(name)[0](*sample(name)[1]))
    wrap = "np.sum(np.sin({}))" if number.dtype.kind == "f" else "np.sum(np.real(({0}) * np.conj({0})))"
    function, args, where = sample(name, wrap)
    gradient = bs.grad(function, argnums=where, jit=False)
    dots = checking.cotangent_like(tuple(args[k] for k in where), seed=2)

    def along(step: float) -> float:
        moved = list(checking.clone(args))
        for k, dot in zip(where, dots, strict=True):
            moved[k] = moved[k] + step * dot
        return checking.inner(holes_filled(gradient(*moved)), dots)

    found = checking.inner(bs.jvp(gradient, args, dots, jit=False)[1], dots)
    expected, error = checking.difference(along)
    assert error <= 1e-3 * (1.0 + abs(expected)), "the reference itself is poor"
    assert abs(found - expected) <= 1e-6 * (1.0 + abs(expected)) + 10.0 * error
