"""Loops call vector functions of the C library: as accurate as is promised, in our code alone, in every process."""

from __future__ import annotations

import math
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import backsweep as bs
from backsweep.dispatch.vectorised import MarkedCache
from backsweep.runtime.machine_code import kept, vector_math
from tests.support.children import printed

needs_library = pytest.mark.skipif(
    not vector_math.is_wanted(), reason="there is no libmvec, or it is switched off"
)
WRITTEN = {
    **{
        name: f"np.{name}(x[i])"
        for name in ["exp", "exp2", "expm1", "log", "log10", "log1p", "log2", "sin", "cos", "tan"]
    },
    **{name: f"np.{name}(x[i])" for name in ["sinh", "cosh", "tanh"]},
    **{name: f"np.arc{name[1:]}(x[i])" for name in ["asin", "acos", "atan", "asinh", "acosh", "atanh"]},
    "erf": "math.erf(x[i])",
    "pow": "x[i] ** y[i]",
    "atan2": "np.arctan2(x[i], y[i])",
    "hypot": "np.hypot(x[i], y[i])",
}
"""How each function is written."""
SPECIAL = [0.0, math.inf, math.nan, 1.0, 5e-324, 1e-310, 2.2250738585072014e-308, 1.7976931348623157e308]
SPECIAL += [709.78, 709.79, 745.1, 745.2, 1e22, 1e300, 0.5, 2.0, 3.0, 1074.0, 88.7, 104.0, 1e-45, 3.4e38]


def every(functions: Any = WRITTEN) -> Callable[..., None]:
    """A function that computes all of them, each in a loop of its own."""
    loops = [
        f"    for i in range(x.size):\n        out[{k}, i] = {WRITTEN[name]}\n"
        for k, name in enumerate(functions)
    ]
    names: dict[str, Any] = {"np": np, "math": math}
    exec("def every(x, y, out):\n" + "".join(loops), names)
    return names["every"]


def samples(dtype: Any) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of every size, and pairs of the special ones; as many as whole vectors hold."""
    rng = np.random.default_rng(3)
    count = 1 << 14
    parts = [rng.uniform(-size, size, count) for size in (1e-3, 1.0, 10.0, 750.0, 1e6)]
    parts += [1.0 + rng.uniform(-1e-3, 1e-3, count), rng.integers(-1000, 1000, count) * np.pi / 2.0]
    parts += [np.exp(rng.uniform(-740.0, 709.0, count)) * rng.choice([-1.0, 1.0], count)]
    special = np.array([sign * each for each in SPECIAL for sign in (1.0, -1.0)])
    x, y = (each.ravel() for each in np.meshgrid(special, special))
    whole = np.concatenate(parts)
    mixed = np.where(rng.random(whole.size) < 0.5, rng.permutation(whole), rng.uniform(-5.0, 5.0, whole.size))
    more = np.full(-x.size % 64, 0.3)
    with np.errstate(over="ignore"):
        return (
            np.concatenate([whole, x, more]).astype(dtype),
            np.concatenate([mixed, y, more]).astype(dtype),
        )


def vector_functions(dispatcher: Any) -> set[str]:
    """The vector functions that the machine code of a dispatcher calls."""
    (signature,) = dispatcher.signatures
    return set(re.findall(r"_ZGV\w+?v_(\w+)", dispatcher.inspect_asm(signature)))


def machine_code_of(gradient: Any, *args: Any) -> set[str]:
    """The vector functions that the machine code of a gradient calls."""
    gradient(*args)
    found: set[str] = set()
    for compiled in gradient._variants.first.overloads.values():
        found |= set(re.findall(r"_ZGV\w+?v_(\w+)", compiled.library.get_asm_str()))
    return found


@needs_library
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_accuracy(dtype: Any) -> None:
    x, y = samples(dtype)
    fast, slow = (np.empty((len(WRITTEN), x.size), dtype) for _ in range(2))
    compiled = bs.njit(every(), error_model="numpy")
    compiled(x, y, fast)
    numba.njit(every(), error_model="numpy")(x, y, slow)
    suffix = "f" if dtype == np.float32 else ""
    assert vector_functions(compiled) == {f"{name}{suffix}" for name in WRITTEN}
    for name, found, wanted in zip(WRITTEN, fast, slow, strict=True):
        np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted), name)
        real = ~np.isnan(wanted)
        np.testing.assert_array_equal(np.signbit(found[real]), np.signbit(wanted[real]), name)
        finite = np.isfinite(wanted)
        np.testing.assert_array_equal(found[real & ~finite], wanted[real & ~finite], name)
        with np.errstate(over="ignore"):  # the spacing above the largest number
            difference = np.abs(found[finite] - wanted[finite]) / np.spacing(np.abs(wanted[finite]))
        worst = int(np.argmax(difference))
        assert difference[worst] <= 4.0, (name, x[finite][worst], y[finite][worst])


def log_sum(x: np.ndarray, w: np.ndarray) -> float:
    top = x.max()
    total = 0.0
    for i in range(x.size):
        if w[i] > 0.0:
            total += w[i] * np.exp(x[i] - top)
        else:
            total += np.sin(x[i]) ** 2
    return top + np.log(total)


@pytest.fixture
def points() -> tuple[np.ndarray, np.ndarray]:
    """Arguments of `log_sum`."""
    rng = np.random.default_rng(0)
    return rng.normal(size=1000), rng.normal(size=1000)


@needs_library
def test_branches_and_sums(points: tuple[np.ndarray, np.ndarray]) -> None:
    gradient = bs.value_and_grad(log_sum, cache=False)
    plain = bs.value_and_grad(log_sum, cache=False, vector_math=False)
    assert machine_code_of(gradient, *points) >= {"exp", "sin"}
    assert machine_code_of(plain, *points) == set()
    (value, x_bar), (expected, expected_bar) = gradient(*points), plain(*points)
    assert expected == numba.njit(log_sum)(*points)
    np.testing.assert_allclose(value, expected, rtol=1e-14)
    np.testing.assert_allclose(x_bar, expected_bar, rtol=1e-12, atol=1e-15)
    assert "np.exp(" in gradient.source(*points)
    assert gradient.source(*points) == plain.source(*points)


@needs_library
def test_sums_are_added_in_the_order_of_the_loop(points: tuple[np.ndarray, np.ndarray]) -> None:
    @bs.njit
    def total(x: np.ndarray) -> float:
        result = 0.0
        for i in range(x.size):
            result += np.exp(x[i])
        return result

    @bs.njit
    def terms(x: np.ndarray) -> np.ndarray:
        result = np.empty_like(x)
        for i in range(x.size):
            result[i] = np.exp(x[i])
        return result

    x = np.tile(points[0], 16)[: 64 * 200]
    in_order = 0.0
    for term in terms(x):
        in_order += term
    assert total(x) == in_order
    assert vector_functions(total) == {"exp"}


@needs_library
def test_code_of_others_is_left_alone(points: tuple[np.ndarray, np.ndarray]) -> None:
    gradient = bs.grad(log_sum)

    @numba.njit
    def mine(x: np.ndarray) -> np.ndarray:
        result = np.empty_like(x)
        for i in range(x.size):
            result[i] = np.exp(x[i])
        return result

    @numba.njit
    def both(x: np.ndarray, w: np.ndarray) -> np.ndarray:
        result = mine(x)
        result[0] += gradient(x, w)[0]
        return result

    gradient(*points)
    before = mine(points[0])
    assert vector_functions(mine) == set()
    np.testing.assert_array_equal(both(*points)[1:], before[1:])


@needs_library
def test_parallel_loops() -> None:
    def roots(x: np.ndarray) -> np.ndarray:
        result = np.empty_like(x)
        for i in numba.prange(x.size):
            result[i] = np.exp(x[i])
        return result

    compiled, x = bs.njit(roots, parallel=True), np.linspace(-1.0, 1.0, 1000)
    np.testing.assert_allclose(compiled(x), np.exp(x), rtol=1e-15)
    assert vector_functions(compiled) == {"exp"}


@needs_library
def test_roots_under_fastmath_are_left_to_llvm() -> None:
    text = "%2 = call fast double @llvm.pow.f64(double %1, double 0x3FD5555555555555)\n"
    assert vector_math.with_vector_forms(text) == text
    assert "@pow(double %1, double %0) #1" in vector_math.with_vector_forms(
        text.replace("0x3FD5555555555555", "%0")
    )


@needs_library
def test_where_there_is_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = np.linspace(0.1, 0.9, 64), np.full(64, 0.7)
    before = kept.settings_mark()
    monkeypatch.setattr(vector_math, "AVAILABLE", False)
    assert kept.settings_mark() != before
    found, wanted = np.empty((2, 64)), np.empty((2, 64))
    compiled = bs.njit(every(["exp", "sin"]))
    compiled(x, y, found)
    numba.njit(every(["exp", "sin"]))(x, y, wanted)
    assert vector_functions(compiled) == set()
    np.testing.assert_array_equal(found, wanted)


def test_a_library_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_math, "LIBRARY", "libmvec_that_is_not_there.so.1")
    assert not vector_math._loaded()


@needs_library
def test_a_library_with_few_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    before, known = kept.settings_mark(), vector_math.llvm.address_of_symbol
    monkeypatch.setattr(
        vector_math.llvm, "address_of_symbol", lambda name: known(name) if name.endswith("_exp") else None
    )
    vector_math._variants.cache_clear()
    try:
        assert kept.settings_mark() != before
        compiled = bs.njit(every(["exp", "sin"]))
        compiled(np.ones(64), np.ones(64), np.empty((2, 64)))
        assert vector_functions(compiled) == {"exp"}
    finally:
        vector_math._variants.cache_clear()


@numba.njit
def bell(x: float) -> float:
    return math.exp(-x * x)


@needs_library
def test_functions_that_are_called_in_loops(points: tuple[np.ndarray, np.ndarray]) -> None:
    @bs.njit
    def bells(x: np.ndarray) -> float:
        total = 0.0
        for i in range(x.size):
            total += bell(x[i])
        return total

    x = points[0]
    np.testing.assert_allclose(bells(x), np.sum(np.exp(-x * x)), rtol=1e-13)
    assert vector_functions(bells) == {"exp"}
    gradient = bs.grad(bells, cache=False)
    assert machine_code_of(gradient, x) == {"exp"}
    np.testing.assert_allclose(gradient(x), -2.0 * x * np.exp(-x * x), rtol=1e-13)


@needs_library
@pytest.mark.parametrize(
    ("dtype", "options"),
    [
        (np.float64, {"parallel": True}),
        (np.float32, {"error_model": "python"}),
        (np.float32, {"fastmath": True}),
    ],
)
def test_options_of_a_gradient(dtype: Any, options: dict[str, Any]) -> None:
    def waves(x: np.ndarray) -> Any:
        return np.sum(np.tanh(x) * np.sin(x))

    x = np.linspace(-3.0, 3.0, 1003).astype(dtype)
    gradient = bs.grad(waves, cache=False, **options)
    plain = bs.grad(waves, cache=False, vector_math=False, **options)
    suffix = "f" if dtype == np.float32 else ""
    assert machine_code_of(gradient, x) >= {f"tanh{suffix}", f"sin{suffix}"}
    assert machine_code_of(plain, x) == set()
    assert gradient(x).dtype == dtype
    np.testing.assert_allclose(gradient(x), plain(x), rtol=0.0, atol=16.0 * np.finfo(dtype).eps)


@needs_library
def test_nan_and_infinity_stay_what_they_are() -> None:
    def entropy(x: np.ndarray) -> float:
        return np.sum(np.log(x) * np.exp(x))

    x = np.tile([1.0, 0.0, -1.0, math.inf, math.nan, 5e-324, 800.0, -800.0], 8)
    gradient = bs.grad(entropy, cache=False)
    assert machine_code_of(gradient, x) == {"exp", "log"}
    np.testing.assert_allclose(gradient(x), bs.grad(entropy, vector_math=False)(x), rtol=1e-14)


PROGRAM = """
import pickle
import sys
from pathlib import Path

import numpy as np

import backsweep as bs

sys.path.insert(0, ".")
from functions import own, gradient

x = np.linspace(-2.0, 2.0, 1000)
kept = Path("gradient.pickle")
if not kept.exists():
    kept.write_bytes(pickle.dumps(gradient))
again = pickle.loads(kept.read_bytes())
print(float(gradient(x)[0]).hex(), float(again(x)[0]).hex(), float(own(x)).hex())
print(sum(own.stats.cache_hits.values()))
"""
ABSENT = """
import llvmlite.binding

load = llvmlite.binding.load_library_permanently


def refuse(name):
    if "libmvec" in name:
        raise RuntimeError(name)
    load(name)


llvmlite.binding.load_library_permanently = refuse
"""
FUNCTIONS = """
import numba
import numpy as np

import backsweep as bs


def total(x):
    return np.sum(np.tanh(x) * np.exp(x))


gradient = bs.value_and_grad(total)
own = bs.njit(total, cache=True)
"""


@pytest.mark.turns(5)
@needs_library
def test_other_processes_load_the_same_code(tmp_path: Path) -> None:
    (tmp_path / "functions.py").write_text(FUNCTIONS)
    places: dict[str, str | None] = {
        "BACKSWEEP_CACHE_DIR": str(tmp_path / "kept"),
        "NUMBA_CACHE_DIR": str(tmp_path / "numba"),
    }
    first = printed(PROGRAM, places, tmp_path).split()
    second = printed(PROGRAM, places, tmp_path).split()
    assert (first[:3], first[3], second[3]) == (second[:3], "0", "1")
    without = printed(PROGRAM, {**places, vector_math.VARIABLE: "0"}, tmp_path).split()
    assert without[3] == "0"
    values = [float.fromhex(each) for each in [*first[:3], *without[:3]]]
    np.testing.assert_allclose(values, values[0], rtol=1e-13)
    assert without[0] == without[2]
    absent = printed(ABSENT + PROGRAM, places, tmp_path).split()
    assert absent == [*without[:3], "1"]  # the scalar code of the process before


@needs_library
def test_a_saved_module_calls_scalar_functions(tmp_path: Path, points: tuple[np.ndarray, np.ndarray]) -> None:
    gradient = bs.value_and_grad(log_sum)
    value, x_bar = gradient(*points)
    gradient.save(str(tmp_path / "saved.py"))
    names: dict[str, Any] = {}
    exec((tmp_path / "saved.py").read_text(), names)
    found, found_bar = names["log_sum_value_and_grad"](*points)
    np.testing.assert_allclose(found, value, rtol=1e-14)
    np.testing.assert_allclose(found_bar, x_bar, rtol=1e-12, atol=1e-15)
    assert vector_functions(names["log_sum_value_and_grad"]) == set()


def test_njit_takes_what_numbas_takes() -> None:
    @bs.njit(["float64(float64)"], error_model="numpy")
    def inverse(x: float) -> float:
        return 1.0 / x

    assert inverse(0.0) == math.inf
    assert len(inverse.signatures) == 1
    theirs = numba.njit(error_model="numpy", boundscheck=True, locals={"x": numba.float32}, cache=True)
    from_dispatcher = bs.njit(theirs(inverse.py_func))
    assert from_dispatcher.targetoptions["error_model"] == "numpy"
    assert from_dispatcher.targetoptions["boundscheck"] is True
    assert from_dispatcher.locals == {"x": numba.float32}
    assert isinstance(from_dispatcher._cache, MarkedCache)
    assert not isinstance(bs.njit(from_dispatcher, cache=False)._cache, MarkedCache)
    assert pickle.loads(pickle.dumps(log_sum_compiled)) is log_sum_compiled
    assert bs.grad(inverse)(2.0) == -0.25


log_sum_compiled = bs.njit(log_sum)


@pytest.mark.parametrize("other", [3, len, bs.grad(log_sum)])
def test_njit_refuses(other: object) -> None:
    with pytest.raises(bs.ArgumentError, match="BS156"):
        bs.njit(other)
