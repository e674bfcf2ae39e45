"""Arrays seen as numbers of another type: what would lose a derivative, or a write, is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import backsweep as bs

X = np.array([0.5, 1.25, 0.75, 2.0])


def inverse_roots(x: Any) -> Any:
    bits = 0x5FE6EB50C7B537A9 - (x.view(np.int64) >> 1)
    y = bits.view(np.float64)
    return np.sum(y * (1.5 - 0.5 * x * y * y))


def last_bit(x: Any) -> Any:
    return x[1] ** 2 * (x[0].view(np.int64) % 2)


def narrower(x: Any) -> Any:
    return np.sum(x.view(np.float32))


def by_whole_numbers_of_memory(x: Any) -> Any:
    bits = np.zeros(x.size, np.int64)
    bits[:] = x.view(np.int64)
    return np.sum(bits.view(np.float64))


@pytest.mark.parametrize("function", [inverse_roots, last_bit, narrower, by_whole_numbers_of_memory])
def test_floats_of_the_bits_of_floats_are_refused(function: Any) -> None:
    with pytest.raises(bs.UnsupportedError, match="computed from the bits of a float"):
        bs.grad(function, jit=False)(X)
    with pytest.raises(bs.UnsupportedError, match="computed from the bits of a float"):
        bs.jvp(function, (X,), (np.ones(4),), jit=False)


def constant_bits(x: Any) -> Any:
    bits = bs.stop_gradient(x).view(np.int64)
    return x[0] ** 2 * ((bits[0] >> 52) - 1000)


def test_constant_bits_are_numbers() -> None:
    assert bs.grad(constant_bits, jit=False)(X)[0] == 2.0 * X[0] * 22


def written_complex(x: Any) -> Any:
    y = x.copy()
    z = y.view(np.complex128)
    z[0] = z[0] * 1j
    return y[0] * 2.0 + y[1] * y[2]


def written_later(x: Any) -> Any:
    y = x.copy()
    z = y.view(np.complex128)
    y[0] = 3.0
    return (z[0] * z[1]).real


def written_in_a_loop(x: Any) -> Any:
    y = x.copy()
    for k in range(2):
        z = y.view(np.complex128)
        z[k] = z[k] * 1j
    return y[0] * 2.0 + y[1] * y[2]


def written_diagonal(x: Any) -> Any:
    a = np.outer(x, x)
    diagonal = np.einsum("ii->i", a)
    diagonal[0] = 3.0
    return np.sum(a)


def written_diagonal_of_values(x: Any) -> Any:
    a = np.outer(x, x)
    diagonal = np.einsum("ii->i", a)
    diagonal[0] = 3.0 * x[1]
    return np.sum(a) + np.sum(diagonal)


def written_grid(x: Any) -> Any:
    y = x * x
    grid = np.meshgrid(y, y, copy=False, sparse=True)[0]
    grid[0, 0] = 3.0
    return np.sum(y) + np.sum(grid)


def written_by_strides(x: Any) -> Any:
    y = x * x
    shown = np.lib.stride_tricks.as_strided(y, (2,), (16,))
    shown[0] = 3.0
    return np.sum(y)


def strided_and_written_later(x: Any) -> Any:
    y = x * x
    shown = np.lib.stride_tricks.as_strided(y, (2,), (16,))
    y[0] = 3.0
    return np.sum(shown * x[0])


@pytest.mark.parametrize(
    "function",
    [
        written_by_strides,
        strided_and_written_later,
        written_complex,
        written_later,
        written_in_a_loop,
        written_diagonal,
        written_diagonal_of_values,
        written_grid,
    ],
)
def test_a_view_that_is_a_copy_here_is_not_written(function: Any) -> None:
    with pytest.raises(bs.UnsupportedError):
        bs.grad(function, jit=False)(X)


def alone(x: Any) -> Any:
    y = x * x
    z = y.view(np.complex128)
    z[0] = z[0] * 1j
    return z[0].real * z[1].imag


def test_the_copy_may_be_written_where_nobody_reads_the_array() -> None:
    expected = [0.0, -2.0 * X[1] * X[3] ** 2, 0.0, -(X[1] ** 2) * 2.0 * X[3]]
    assert np.allclose(bs.grad(alone, jit=False)(X), expected)


def seen_as_bytes(x: Any) -> Any:
    return x.view(np.int8)


def test_whole_numbers_are_a_result_without_derivative() -> None:
    value, pullback = bs.vjp(seen_as_bytes, X, jit=False)
    assert np.array_equal(value, X.view(np.int8))
    assert np.array_equal(pullback(np.ones(32)), np.zeros(4))


def parts_in_single_precision(z: Any) -> Any:
    parts = (z * z * np.complex64(1.0 + 2.0j)).view(np.float32)
    return np.sum(parts * parts)


def test_parts_of_complex_numbers_in_single_precision() -> None:
    z = np.array([0.5 + 1.0j, 2.0 - 0.25j], np.complex64)
    found = bs.grad(parts_in_single_precision, jit=False)(z)
    assert found.dtype == np.complex64
    assert np.allclose(np.conj(found) * z, 20.0 * np.abs(z) ** 4, rtol=1e-5) or np.allclose(
        found * z, 20.0 * np.abs(z) ** 4, rtol=1e-5
    )


def strides_that_lead_out(x: Any) -> Any:
    return np.lib.stride_tricks.as_strided(x, (5,), (8,))[0]


def test_strides_that_lead_out_of_the_array() -> None:
    with pytest.raises(IndexError, match="lead out"):
        bs.grad(strides_that_lead_out, jit=False)(X)
