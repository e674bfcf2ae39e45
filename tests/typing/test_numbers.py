"""Numbers of short types in plain functions are what Python and NumPy make of them, and in `@njit` functions what Numba does."""

from typing import Any

import numba
import numpy as np
import pytest

import backsweep as bs

BYTES, SIGNED = np.array([200, 100, 3, 255], np.uint8), np.array([100, -128, 5, 3], np.int8)
WORDS, WIDE = np.array([2**32 - 1, 7, 40, 2], np.uint32), np.array([3, -7, 2**40, 70])
FLAGS, SINGLE = np.array([True, False, True, True]), np.array([0.1, 2.7, -0.3, 1e3], np.float32)
GIVEN = (BYTES, SIGNED, WORDS, WIDE, FLAGS, SINGLE)


def table(x, u, s, w, a, m, f):
    n = len(u)
    largest = max(s[0], 1)
    added = np.uint8(0)
    product = 1
    for i in range(u.size):
        added += u[i]
        product *= i + 1
    numbers = (
        *(added, product, u[0] + u[1], u[0] + 100, u[0] - u[3], u[0] * s[1], u[2] // s[2], s[1] // s[3]),
        *(
            -u[0],
            ~u[0],
            -s[1],
            abs(s[1]),
            u[0] ** 2,
            s[0] ** n,
            s[0] << 1,
            u[0] >> n,
            a[0] << w[2],
            a[3] >> a[3],
        ),
        *(
            m[0] + m[2],
            m[0] * m[1],
            m[0] + 1,
            ~m[0],
            ~(n > 2),
            m[0] // m[2],
            u[0] & s[0],
            u[0] ^ w[1],
            -int(u[2]),
        ),
        *(
            s[0] + n,
            largest + s[0],
            w[0] + w[0],
            w[0] * 2,
            u[0] > -1,
            s[1] < u[0],
            1 << n,
            2**n,
            n**-1,
            (-1) ** n,
        ),
        *(
            f[1] * 2.5,
            f[1] + n,
            f[1] * s[0],
            f[1] * w[0],
            f[0] + f[1],
            f[0] ** 2,
            float(m[0]),
            int(s[1]),
            sum(u),
        ),
        *(np.dot(u, u), np.sum(u), np.sum(m), np.prod(s), np.mean(u), np.mean(f), np.var(f), np.sign(u[0])),
    )
    arrays = (
        *(
            u + u,
            (u + u) // 2,
            (u + u) / 2,
            u * 3,
            3 - u,
            -u,
            ~u,
            u << 1,
            u >> s,
            u**2,
            w**w,
            a << w,
            s >> 9,
            s % 7,
        ),
        *(m + m, (m + m) / 2, m * m, m + 1, f * 2.5, f + s, f * w, f / 2, u / s, s + u, np.maximum(s, 3)),
        *(
            np.where(m, s, 1),
            np.where(m, f, 0.5),
            np.cumsum(u),
            np.sign(-u),
            np.clip(s, 0, 3),
            np.add(u, 7),
            u - 1,
        ),
    )
    return x * 1.0, (numbers, arrays)


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiles)])
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::DeprecationWarning")
def test_numbers_are_those_of_python(jit: bool) -> None:
    (_, found), _ = bs.value_and_grad(table, wrt="x", has_aux=True, jit=jit)(1.0, *GIVEN)
    _, wanted = table(1.0, *GIVEN)
    for one, other in zip((*found[0], *found[1]), (*wanted[0], *wanted[1]), strict=True):
        assert (
            np.array_equal(one, other) if np.asarray(other).dtype != np.float32 else np.allclose(one, other)
        )
    assert [each.dtype for each in found[1]] == [each.dtype for each in wanted[1]]


def difference_of_flags(x, flags):
    return x * (flags[0] - flags[1])


def short_and_argument(x, n):
    return x * (SIGNED[0] * n)


def shorts_and_argument(x, n):
    return x * np.sum(SIGNED * n)


def does_not_fit(x):
    return x * (SIGNED[0] + 300)


def stored_and_does_not_fit(x):
    a = SIGNED.copy()
    a[0] -= 100
    a[1] = 200
    return x * a[1]


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (difference_of_flags, (FLAGS,)),
        (shorts_and_argument, (2,)),
        (does_not_fit, ()),
        (stored_and_does_not_fit, ()),
    ],
)
def test_refused(function: Any, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(bs.UnsupportedError, match="BS216"):
        bs.grad(function, jit=False)(1.5, *arguments)


def fits_or_not(x):
    s = 0.0
    for k in range(2):
        s += x * (SIGNED[2] + 100 * len(SIGNED) * k)
    return s


def stored_where_it_fits_or_not(x, n):
    a = np.zeros(2, np.int16)
    for i in range(2):
        a[i] = n * 20000
    return x * a[1]


def factorial(x, n):
    product = 1
    for k in range(1, n + 1):
        product *= k
    return x / product


@pytest.mark.compiles
def test_whole_numbers_raise_where_they_leave_their_type() -> None:
    with pytest.raises(OverflowError):
        bs.grad(fits_or_not)(1.5)
    either = bs.grad(short_and_argument)
    assert either(1.5, 1) == 100.0
    with pytest.raises(OverflowError):
        either(1.5, 2)
    stored = bs.grad(stored_where_it_fits_or_not)
    assert stored(1.0, 1) == 20000.0
    with pytest.raises(OverflowError):
        stored(1.0, 2)
    gradient = bs.grad(factorial)
    assert gradient(1.0, 5) == 1.0 / 120.0
    with pytest.raises(OverflowError):
        gradient(1.0, 25)


def test_compiled_functions_are_numbas() -> None:
    @numba.njit
    def as_numba(x, u):
        return x * (u[0] + u[1])

    assert "np.uint8" not in bs.grad(as_numba).source(1.0, BYTES)
