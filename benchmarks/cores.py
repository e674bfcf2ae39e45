"""Gradients of loops over `prange` on several cores, beside the primal and the gradient on one: `python -m benchmarks.cores`.

Each gradient is checked against that on one core before it is timed; all times of a row are from one process, taking turns. With
`--peers jax`, JAX computes the same on as many threads as it wants, all cores.
"""

from __future__ import annotations

import argparse
import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np
from numba import prange

import backsweep as bs
from benchmarks.measure import least_times


def price(start, sigma, rate, noise):
    """The mean payoff of a call, over paths."""
    n, steps = noise.shape
    total = 0.0
    for k in prange(n):
        s = start
        for i in range(steps):
            s = s * math.exp((rate - 0.5 * sigma * sigma) * 0.1 + sigma * math.sqrt(0.1) * noise[k, i])
        total += max(s - 1.0, 0.0)
    return total / n


def attraction(x, m):
    """The squared forces between bodies."""
    n = x.shape[0]
    total = 0.0
    for i in prange(n):
        fx, fy, fz = 0.0, 0.0, 0.0
        for j in range(n):
            if j != i:
                dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
                square = dx * dx + dy * dy + dz * dz + 0.01
                f = m[j] / (square * math.sqrt(square))
                fx, fy, fz = fx + f * dx, fy + f * dy, fz + f * dz
        total += fx * fx + fy * fy + fz * fz
    return total


def heat(u, rate):
    """A step of heat in space, squared."""
    n, m, p = u.shape
    v = np.zeros_like(u)
    for i in prange(1, n - 1):
        for j in range(1, m - 1):
            for k in range(1, p - 1):
                around = u[i - 1, j, k] + u[i + 1, j, k] + u[i, j - 1, k] + u[i, j + 1, k]
                v[i, j, k] = u[i, j, k] + rate * (around + u[i, j, k - 1] + u[i, j, k + 1] - 6.0 * u[i, j, k])
    return np.sum(v**2)


def sparse_product(data, columns, rows, x):
    """The squared product of a sparse matrix."""
    total = 0.0
    for i in prange(rows.size - 1):
        s = 0.0
        for k in range(rows[i], rows[i + 1]):
            s += data[k] * x[columns[k]]
        total += s * s
    return total


def scattered(w, places, y):
    """Squared errors of a table's entries."""
    total = 0.0
    for i in prange(places.size):
        d = w[places[i]] - y[i]
        total += d * d
    return total


def likelihood(theta, x, y):
    """The logistic likelihood of rows."""
    total = 0.0
    for i in prange(x.shape[0]):
        z = 0.0
        for j in range(x.shape[1]):
            z += x[i, j] * theta[j]
        total += math.log1p(math.exp(-y[i] * z))
    return total


def populations(p, starts):
    """Predators and prey from many starts, until the predators are few or the time is over."""
    total = 0.0
    for k in prange(starts.size):
        x, y, t = starts[k], 1.0, 0
        while t < 400 and y > 0.6:
            x, y = x + 0.01 * (p[0] * x - p[1] * x * y), y + 0.01 * (p[2] * x * y - p[3] * y)
            t += 1
        total += x * y
    return total


def instances(scale: float) -> dict[str, tuple[Callable[..., Any], tuple[str, ...], tuple[Any, ...]]]:
    """The programs, what they are differentiated by, and their arguments, as many times as large as is said."""
    rng = np.random.default_rng(0)

    def n(count: int) -> int:
        return max(int(count * scale), 8)

    rows = np.arange(0, 8 * n(100_000) + 1, 8)
    return {
        "price": (price, ("start", "sigma", "rate"), (1.0, 0.2, 0.05, rng.standard_normal((n(100_000), 16)))),
        "attraction": (attraction, ("x", "m"), (rng.random((n(1000), 3)), rng.random(n(1000)))),
        "heat": (heat, ("u", "rate"), (rng.random((n(96), 96, 96)), 0.1)),
        "sparse product": (
            sparse_product,
            ("data", "x"),
            (rng.random(rows[-1]), rng.integers(0, 50_000, rows[-1]), rows, rng.random(50_000)),
        ),
        "scattered": (
            scattered,
            ("w",),
            (rng.random(2000), rng.integers(0, 2000, n(2_000_000)), rng.random(n(2_000_000))),
        ),
        "likelihood": (
            likelihood,
            ("theta",),
            (rng.random(8), rng.random((n(200_000), 8)), np.sign(rng.random(n(200_000)) - 0.5)),
        ),
        "populations": (
            populations,
            ("p", "starts"),
            (np.array([1.0, 0.5, 0.3, 0.8]), rng.uniform(0.5, 3.0, n(5000))),
        ),
    }


def in_jax(name: str, function: Callable[..., Any], wrt: tuple[str, ...], args: tuple[Any, ...]) -> Any:
    """Value and gradient in JAX, which are what ours are."""
    from benchmarks.cores_in_jax import gradient_of

    names = list(inspect.signature(function).parameters)
    run = gradient_of(name, tuple(map(names.index, wrt)), args)
    (value, found), (expected_value, expected) = run(), bs.value_and_grad(function, wrt=wrt)(*args)
    np.testing.assert_allclose(value, expected_value, rtol=1e-9)
    for got, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-7, atol=1e-9 * np.max(np.abs(wanted)))
    return lambda *_: run()


def row(
    name: str,
    function: Callable[..., Any],
    wrt: tuple[str, ...],
    args: tuple[Any, ...],
    threads: Sequence[int],
    *,
    jax: bool,
) -> list[str]:
    """Milliseconds of the primal and the gradient on one core, and of both for each number of threads, with the ratios."""
    primal, one_core = (
        numba.njit(parallel=True, error_model="numpy")(function),
        numba.njit(error_model="numpy")(function),
    )
    gradient, serial = (
        bs.value_and_grad(function, wrt=wrt),
        bs.value_and_grad(function, wrt=wrt, parallel=False),
    )
    value, found = gradient(*args)
    expected_value, expected = serial(*args)
    np.testing.assert_allclose(value, expected_value, rtol=1e-9)
    for got, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-7, atol=1e-9 * np.max(np.abs(wanted)))

    def on(count: int, run: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            numba.set_num_threads(count)
            return run(*given)

        return call

    runs = [one_core, serial, *(on(count, run) for count in threads for run in (primal, gradient))]
    runs += [in_jax(name, function, wrt, args)] if jax else []
    primal_one, serial_time, *times = least_times(runs, args)
    peer = times.pop() if jax else None
    cells = [f"{1e3 * primal_one:.1f}", f"{1e3 * serial_time:.1f}"]
    for together, own in zip(times[::2], times[1::2], strict=True):
        efficiency = (serial_time / own) / (primal_one / together)
        cells += [
            f"{1e3 * together:.1f}",
            f"{1e3 * own:.1f}",
            f"{serial_time / own:.2f}",
            f"{efficiency:.2f}",
        ]
    if peer is not None:
        cells += [f"{1e3 * peer:.1f}", f"{peer / times[-1]:.2f}"]
    return cells


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    most = numba.config.NUMBA_NUM_THREADS
    parser.add_argument(
        "--threads", type=int, nargs="*", default=sorted({1, most}), help="numbers of threads"
    )
    parser.add_argument("--scale", type=float, default=1.0, help="how large the instances are")
    parser.add_argument("--only", nargs="*", help="names of programs")
    parser.add_argument("--peers", nargs="*", choices=["jax"], default=[], help="what to time beside them")
    options = parser.parse_args()
    head = ["program", "primal, ms", "gradient, ms"]
    for count in options.threads:
        head += [f"primal x{count}", f"gradient x{count}", "speed-up", "of the primal's"]
    head += ["JAX, ms", "JAX / ours"] if options.peers else []
    print("| " + " | ".join(head) + " |\n" + "| --- " * len(head) + "|", flush=True)
    for name, (function, wrt, args) in instances(options.scale).items():
        if not options.only or name in options.only:
            cells = row(name, function, wrt, args, options.threads, jax=bool(options.peers))
            print("| " + " | ".join([name, *cells]) + " |", flush=True)


if __name__ == "__main__":
    main()
