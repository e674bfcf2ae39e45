"""What an `@njit` function declares: types of variables by `locals`, and signatures, to whose types Numba converts."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

import backsweep as bs


@numba.njit(locals={"count": numba.uint8})
def wraps_around(x: float) -> float:
    count = 250
    for _ in range(10):
        count += 1
    return x * count


@numba.njit(locals={"total": numba.float32, "i": numba.uint32})
def in_single_precision(x: np.ndarray) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * x[i]
    return total


@numba.njit("float64(int64)")
def of_whole_number(x: float) -> float:
    return x * x * 1.0


@numba.njit("float32(float32, float64[:])")
def single(x: float, a: np.ndarray) -> float:
    return x * a[0] * 1.1


@numba.njit
def calling(x: float, a: np.ndarray) -> float:
    return of_whole_number(x) * x + single(x, a)


@numba.njit(["float64(int64, float64)", "float32(int64, float32)"])
def of_several(n: float, x: float) -> float:
    return n * x


@numba.njit(["float32(float64)", "float32(float32)"])
def single_result(x: float) -> float:
    return x * 0.1


@numba.njit
def calling_several(x: float, n: float) -> float:
    return of_several(n, x) * x + single_result(x)


@numba.njit("UniTuple(float32, 2)(float64)")
def single_pair(x: float) -> tuple[float, float]:
    return x * 0.1, x * x


@numba.njit("Tuple((int64, float64))(Tuple((float64, int64)))")
def truncated(pair: tuple[float, float]) -> tuple[float, float]:
    return pair[0], pair[1] * pair[0]


@numba.njit
def calling_pairs(x: float) -> float:
    p, q = single_pair(x)
    r, s = truncated((x, x))
    return p + q + r * x + s


@numba.vectorize(["int64(float64)"])
def whole_result(x: float) -> float:
    return x * x * 1.1


@numba.njit
def calling_elementwise(x: float) -> float:
    return whole_result(x) * x


@numba.njit(["int64(int64)", "float32(float32)"])
def whole_or_single(x: float) -> float:
    return x * x * 1.1


@numba.njit
def calling_either(x: float) -> float:
    """Compiled code takes the first signature where several fit as well, `float32` where that fits exactly."""
    return whole_or_single(x) * x + whole_or_single(np.float32(x)) * 2.0


@numba.njit(["float64(float64, int64)", "float64(int64, float64)"])
def by_both(x: float, y: float) -> float:
    return x * y


@numba.njit("float64(float64)")
def raising(x: float) -> float:
    if x > 0.0:
        return x
    raise ValueError("below zero")


A = np.array([2.3])


@pytest.mark.filterwarnings("ignore:overflow encountered")  # Python says that it wraps around
@pytest.mark.parametrize(
    ("function", "args", "slopes"),
    [
        (wraps_around, (1.5,), (4.0,)),
        (in_single_precision, (np.array([0.1, 0.2]),), ([0.2, 0.4],)),
        (of_whole_number, (2.7,), (0.0,)),
        (single, (1.2, A), (2.53, [1.32])),
        (calling, (2.7, A), (6.53, [2.97])),
        (of_several, (2.7, 1.5), (0.0, 2.0)),
        (calling_several, (3.0, 2.7), (12.1, 0.0)),
        (calling_pairs, (2.7,), (9.5,)),
        (calling_elementwise, (2.7,), (8.0,)),
        (calling_either, (2.0,), (4.0 + 8.8,)),
        (raising, (0.3,), (1.0,)),
    ],
)
def test_declared(function: Any, args: tuple[Any, ...], slopes: tuple[Any, ...]) -> None:
    """Value and gradient are those of the function that Numba compiles."""
    value, pullback = bs.vjp(function, *args, jit=False)
    assert value == pytest.approx(function(*args), rel=1e-12)
    found = pullback(1.0)
    for got, wanted in zip(found if len(args) > 1 else (found,), slopes, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-6)


def test_no_single_signature_for_a_call_from_python() -> None:
    assert bs.grad(by_both, jit=False)(2.5, 3) == 3.0
    assert bs.grad(by_both, 1, jit=False)(2, 3.5) == 2.0
    with pytest.raises(TypeError, match="Ambiguous"):
        by_both(2.5, 3.5)
    with pytest.raises(bs.UnsupportedError, match=r"none of the signatures of `by_both`.*float64, float64"):
        bs.grad(by_both, jit=False)(2.5, 3.5)


def test_counts_stay_counts() -> None:
    """A variable that counts through a range is not converted: its type holds any count."""
    assert "uint32" not in bs.grad(in_single_precision).source(np.array([0.1, 0.2]))


@pytest.mark.compiles
def test_compiled() -> None:
    assert bs.value_and_grad(wraps_around)(1.5) == (6.0, 4.0)
