"""`NUMBA_DISABLE_JIT=1`: gradients run as plain Python, kernels included, as they run with `jit=False`."""

from __future__ import annotations

from pathlib import Path

from tests.support.children import printed

PROGRAM = """
import numba
import numpy as np
import backsweep as bs

x = np.array([0.5, -0.25, 0.75])
A = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 0.0], [0.0, 0.0, 1.0]])


@numba.njit
def square(v):
    return v * v


@numba.njit(cache=True)
def until_negative(x):
    s = 0.0
    for i in range(len(x)):
        if x[i] < 0.0:
            break
        s += square(x[i])
    return s


def power(n, x):
    return x if n == 0 else power(n - 1, x * x)


@bs.custom_vjp
def doubled(x):
    return x


doubled.defvjp(lambda x: (x, None), lambda _, bar: (2.0 * bar,))


def grown(x):
    parts = []
    for i in range(len(x)):
        parts.append(x * float(i))
    t = 0.0
    for part in parts:
        t += np.sum(part * part)
    return t


def show(*found):
    print(*(np.round(np.asarray(each, float), 6).ravel().tolist() for each in found))


show(bs.grad(until_negative)(x), bs.grad(square)(3.0), bs.grad(square, jit=True)(3.0))
show(bs.vjp(lambda x: np.cumprod(x), x)[1](np.ones(3)), bs.jvp(lambda x: np.sort(x), (x,), (x,))[1])
show(bs.hessian(lambda x: np.sum(x**3))(x), bs.jacobian(lambda x: x * x, sparse=True)(x).toarray())
show(bs.grad(lambda A: np.linalg.det(A))(A), bs.grad(lambda x: np.sum(np.outer(x, x)))(x))
show(bs.grad(power, argnums=1)(3, 1.0), bs.grad(lambda x: doubled(x))(3.0), bs.grad(grown)(x))
show(bs.grad(lambda x: bs.hook(x * x, lambda bar: 2.0 * bar))(3.0), bs.grad(bs.grad(square))(3.0))
bs.check_grads(until_negative, (x,))
assert "[1, 0, 0]" in str(bs.trace(until_negative)(x))
assert isinstance(square, type(show))
assert numba.config.DISABLE_JIT


@numba.njit
def still_plain(x):
    return x


assert isinstance(still_plain, type(show))
"""
EXPECTED = """
[1.0, 0.0, 0.0] [6.0] [6.0]
[0.5625, 0.875, -0.125] [-0.25, 0.5, 0.75]
[3.0, 0.0, 0.0, 0.0, -1.5, 0.0, 0.0, 0.0, 4.5] [1.0, 0.0, 0.0, 0.0, -0.5, 0.0, 0.0, 0.0, 1.5]
[3.0, -1.0, 0.0, -1.0, 2.0, 0.0, 0.0, 0.0, 5.0] [2.0, 2.0, 2.0]
[8.0] [2.0] [5.0, -2.5, 7.5]
[12.0] [2.0]
"""


def test_gradients_run_as_plain_python(tmp_path: Path) -> None:
    environment = {"NUMBA_DISABLE_JIT": "1", "BACKSWEEP_CACHE_DIR": str(tmp_path / "cache")}
    found = printed(PROGRAM, environment, tmp_path).replace("-0.0", "0.0")
    assert found == EXPECTED.lstrip()
    kept = [path.name for path in (tmp_path / "cache").glob("*.nb?")]
    assert not [
        name for name in kept if not name.startswith("type_")
    ]  # types are asked for, nothing is compiled
