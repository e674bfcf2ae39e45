"""Functions that call themselves, beyond their gradients (tests/zoo/recursion.py): files, threads of use, refusals."""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import backsweep as bs
from tests.support import checking
from tests.support.refused import refused
from tests.zoo import recursion


def drawn(x: float, n: int) -> float:
    return x if n == 0 else np.random.normal() * drawn(x, n - 1)  # noqa: NPY002  what Numba has


def overlapping(a: Any, b: Any, n: int) -> float:
    if n == 0:
        return a[0] * b[0]
    a[0] *= b[1]
    return overlapping(a, b, n - 1)


def uses_overlap(x: Any) -> float:
    a = x * 1.0
    return overlapping(a, a[1:], 2)


def uses_apart(x: Any) -> float:
    return overlapping(x * 1.0, x[1:], 2)


def returned(a: Any, n: int) -> Any:
    if n == 0:
        return a
    return returned(a, n - 1)


def writes_what_is_returned(x: Any) -> float:
    a = x * 1.0
    b = returned(a, 2)
    b[0] = 2.0 * a[1]
    return a[0] * b[1]


def inner(x: float, count: int) -> float:
    def walk(y: float, n: int) -> float:
        return y if n == 0 else x * walk(y, n - 1)

    return walk(x, count)


def in_words(x: float, n: int) -> Any:
    return "end" if n == 0 else in_words(x, n - 1)


def returns_words(x: float) -> float:
    return x if in_words(x, 2) == "end" else 2.0 * x


@pytest.mark.parametrize(
    ("function", "args", "said"),
    [
        (drawn, (0.5, 2), "draws random numbers"),
        (uses_overlap, (np.array([0.3, 0.5, 0.7]),), "two arguments that may share memory"),
        (
            writes_what_is_returned,
            (np.array([0.3, 0.5]),),
            "returns an argument, and one of the two is written",
        ),
        (inner, (0.5, 2), "calls itself: walk -> walk"),
        (returns_words, (0.5,), "something other than numbers, arrays and tuples of them"),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_refused(function: Any, args: tuple[Any, ...], said: str) -> None:
    with refused(said):
        bs.grad(function, jit=False)(*args)


def test_arguments_apart_may_be_written() -> None:
    args = (np.array([0.3, 0.5, 0.7]),)
    checking.assert_gradient((bs.grad(uses_apart)(*args),), uses_apart, args, (0,))


def test_saved_module_runs_alone(tmp_path: Path) -> None:
    derived = bs.value_and_grad(recursion.by_halves)
    x = np.array([0.2, 0.4, 0.9])
    expected = derived(x)
    derived.save(tmp_path / "halves_adjoint.py")
    program = (
        "import sys; sys.modules['backsweep'] = None\n"
        "import numpy as np\n"
        "from halves_adjoint import by_halves_value_and_grad as run\n"
        "value, gradient = run(np.array([0.2, 0.4, 0.9]))\n"
        "print(value, *gradient)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    found = [float(word) for word in done.stdout.split()]
    np.testing.assert_allclose(found, [expected[0], *expected[1]], rtol=1e-15)


@numba.njit
def expanded(a, row, left, factor):
    n = a.shape[0]
    total = 0.0
    for j in range(n):
        if left >> j & 1:
            if row == n - 1:
                total += factor * a[row, j]
            else:
                total += expanded(a, row + 1, left ^ 1 << j, factor * a[row, j])
            factor = -factor
    return total


def test_whole_numbers_of_compiled_functions_are_those_of_numba() -> None:
    """They are computed again in the reverse sweep, where checks of Python's numbers would have to be recorded."""
    text = bs.grad(expanded).source(np.eye(3), 0, 7, 1.0)
    assert "whole_shifted" not in text
    assert "tape" not in text


def test_called_from_compiled_code() -> None:
    gradient = bs.grad(recursion.power_by_recursion, argnums=0)

    @numba.njit
    def total(x: float) -> float:
        return gradient(x, 3) + gradient(x, 2)

    expected = sum(math.cos(0.7**n) * n * 0.7 ** (n - 1) + 1.0 for n in (3, 2))
    assert total(0.7) == pytest.approx(expected, rel=1e-14)


@pytest.mark.turns(3)
def test_another_process_compiles_anew(tmp_path: Path) -> None:
    """Numba crashes on machine code of recursive functions from its cache, so none is kept."""
    program = (
        "import backsweep as bs\n"
        "from tests.zoo.recursion import power_by_recursion\n"
        "print(bs.grad(power_by_recursion)(0.7, 3))\n"
    )
    folder = tmp_path / "cache"
    outputs = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=Path(__file__).parents[2],
            env={**os.environ, "BACKSWEEP_CACHE_DIR": str(folder)},
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]
    assert len(list(folder.glob("power_by_recursion_*.py"))) == 1
    assert not list(folder.rglob("*.nbc"))


def test_explained() -> None:
    message = str(bs.grad(recursion.written_and_returned, jit=False).explain(np.array([0.2, 0.4, 0.5, 0.9])))
    assert "Held for the reverse sweep: 32 bytes (a: 32)" in message


@pytest.mark.compiles_many("both orders have forward sweeps and pullbacks")
def test_second_order() -> None:
    bs.check_grads(recursion.tuples_given, (0.7, 0.2), order=2)


@pytest.mark.turns(3)
def test_second_order_of_joined_arrays_both_ways_round() -> None:
    x = np.array([0.7, 0.4, 0.9])
    slope = bs.grad(recursion.spectrum_of_one_longer, jit=False)
    checking.assert_close(bs.jacrev(slope, jit=False)(x), bs.jacfwd(slope, jit=False)(x))


def test_deep() -> None:
    gradient = bs.grad(recursion.power, argnums=0)
    assert gradient(1.0001, 2000) == pytest.approx(2000 * 1.0001**1999, rel=1e-10)


def test_random_depths() -> None:
    rng = random.Random(5)
    gradient = bs.grad(recursion.itself, argnums=0)
    for _ in range(5):
        x, n = rng.uniform(-1.0, 1.0), rng.randrange(8)
        step = 1e-30
        assert gradient(x, n) == pytest.approx(_complex_itself(x + 1j * step, n).imag / step, rel=1e-12)


def _complex_itself(x: complex, n: int) -> complex:
    if n <= 1:
        return x
    return complex(np.sin(_complex_itself(x, n - 1)) * _complex_itself(x * 0.5, n - 2))


def test_called_by_a_lambda() -> None:
    slope = bs.grad(lambda x: halved(x, 2) * x)
    assert slope(3.0) == pytest.approx(1.5)
    assert bs.grad(slope)(3.0) == pytest.approx(0.5)


def test_within_a_function() -> None:
    def slope(x):
        return bs.grad(halved)(x, 2) * x * x

    assert bs.grad(slope, jit=False)(3.0) == pytest.approx(1.5)


def halved(x, n):
    return x if n == 0 else halved(0.5 * x, n - 1)


def test_second_derivative_leaves_out_what_nobody_reads() -> None:
    def total(x):
        return np.sum(bs.grad(recursion.by_halves)(x))

    text = bs.grad(total).source(np.array([0.2, 0.4, 0.5]))
    # The first derivative's shadow is only added to: neither is it handed on, nor is anything added.
    assert "def halves_adjoint_adjoint(x, low, high, result_bar, x_bar_2, x_bar_bar):" in text
    assert text.count("\ndef ") == 4


def test_last_call_in_place_is_not_repeated() -> None:
    text = bs.grad(recursion.quicksort).source(np.array([0.2, 0.4, 0.5]))
    adjoint = text[text.index("def sort_range_adjoint") : text.index("def quicksort_grad")]
    assert adjoint.count("\n        sort_range(a, ") == 1


def test_comments_quote_names_without_hashes() -> None:
    def total(x):
        return np.sum(bs.grad(recursion.by_halves)(x))

    text = bs.grad(total).source(np.array([0.2, 0.4, 0.5]))
    assert "# halves_adjoint(x, low, middle, x_bar, left_bar)" in text


def test_numba_is_only_asked_for_types() -> None:
    with numba.core.event.install_recorder("numba:compile") as recorder:
        bs.grad(recursion.part_in_place).source(np.array([0.2, 0.4, 0.5, 0.6, 0.9, 0.1, 0.3, 0.8]))
    compiled = {event.data["dispatcher"].py_func.__name__ for _, event in recorder.buffer}
    assert not {"smooth_in_place", "part_in_place"} & compiled


def test_one_signature_for_numbers_written_in_a_call() -> None:
    gradient = bs.grad(recursion.by_halves)
    gradient(np.array([0.2, 0.4, 0.5]))
    emitted = gradient.emitted_for((np.array([0.2, 0.4, 0.5]),), {})
    assert [len(function.signatures) for function in emitted.functions.values()] == [1, 1, 1]
