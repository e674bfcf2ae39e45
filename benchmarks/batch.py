"""A gradient for each example where examples take different numbers of steps: `bs.batch(bs.grad(f))` beside `jax.vmap(jax.grad(f))`.

`python -m benchmarks.batch`. JAX differentiates no `while` backwards: its form takes the most steps that an example needs, and keeps the
state of those that are done. Both gradients are compared before they are timed.
"""

from __future__ import annotations

import argparse
from typing import Any

import numba
import numpy as np

import backsweep as bs
from benchmarks.measure import least_times

STEP, FEW = 0.01, 0.2


def until_few(p, start):
    """The number of prey when the predators have become few, and after how many steps that is, for the rates and the prey at the start."""
    x, y, t = start, 1.0, 0
    while t < 1000 and y > FEW:
        x, y = x + STEP * (p[0] * x - p[1] * x * y), y + STEP * (p[2] * x * y - p[3] * y)
        t += 1
    return x, t


def prey_left(p, start):
    """The first of these."""
    return until_few(p, start)[0]


def in_jax(most: int) -> Any:
    """The same for JAX, batched, as a function of the rates and the starts."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)

    def left(p: Any, start: Any) -> Any:
        def step(state: Any, _: Any) -> Any:
            x, y = state
            dx, dy = p[0] * x - p[1] * x * y, p[2] * x * y - p[3] * y
            goes_on = y > FEW
            return (jnp.where(goes_on, x + STEP * dx, x), jnp.where(goes_on, y + STEP * dy, y)), None

        (x, _), _ = jax.lax.scan(step, (start, 1.0), None, length=most)
        return x

    return jax.jit(jax.vmap(jax.grad(left), (None, 0)))


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=10_000)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    p = np.array([0.1, 0.5, 0.3, 1.2])
    starts = np.where(rng.random(options.examples) < 0.02, 4.0, rng.uniform(0.1, 0.6, options.examples))
    ours = bs.batch(bs.grad(prey_left), (None, 0))
    _, lengths = bs.batch(until_few, (None, 0))(p, starts)
    theirs = in_jax(int(lengths.max()))
    np.testing.assert_allclose(ours(p, starts), np.asarray(theirs(p, starts)), rtol=1e-8, atol=1e-12)
    numba.set_num_threads(1)
    one = bs.batch(bs.grad(prey_left), (None, 0), parallel=False)
    times = least_times([one, ours, lambda *args: np.asarray(theirs(*args))], (p, starts))
    print(f"steps: {lengths.mean():.0f} in the mean, {lengths.max()} at most")
    for name, seconds in zip(("Backsweep, one core", "Backsweep, a block", "JAX"), times, strict=True):
        print(f"{name}: {1e3 * seconds:.1f} ms ({seconds / times[0]:.2f})")


if __name__ == "__main__":
    main()
