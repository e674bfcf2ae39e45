"""The programs of `benchmarks.cores` as users of JAX write them: statements of whole arrays, which JAX runs on threads of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def programs(jax: Any, jnp: Any) -> dict[str, Callable[..., Any]]:
    """The programs, by name, for the arguments of those for Numba."""

    def price(start: Any, sigma: Any, rate: Any, noise: Any) -> Any:
        s = start
        for i in range(noise.shape[1]):
            s = s * jnp.exp((rate - 0.5 * sigma * sigma) * 0.1 + sigma * jnp.sqrt(0.1) * noise[:, i])
        return jnp.mean(jnp.maximum(s - 1.0, 0.0))

    def attraction(x: Any, m: Any) -> Any:
        d = x[None, :, :] - x[:, None, :]
        square = jnp.sum(d * d, 2) + 0.01
        return jnp.sum(jnp.einsum("ij,ijk->ik", m / (square * jnp.sqrt(square)), d) ** 2)

    def heat(u: Any, rate: Any) -> Any:
        inner = u[1:-1, 1:-1, 1:-1]
        around = u[:-2, 1:-1, 1:-1] + u[2:, 1:-1, 1:-1] + u[1:-1, :-2, 1:-1] + u[1:-1, 2:, 1:-1]
        v = inner + rate * (around + u[1:-1, 1:-1, :-2] + u[1:-1, 1:-1, 2:] - 6.0 * inner)
        return jnp.sum(v**2)

    def sparse_product(data: Any, columns: Any, row_of: Any, x: Any) -> Any:
        sums = jax.ops.segment_sum(data * x[columns], row_of, row_of[-1] + 1, indices_are_sorted=True)
        return jnp.sum(sums**2)

    def scattered(w: Any, places: Any, y: Any) -> Any:
        return jnp.sum((w[places] - y) ** 2)

    def likelihood(theta: Any, x: Any, y: Any) -> Any:
        return jnp.sum(jnp.log1p(jnp.exp(-y * (x @ theta))))

    def populations(p: Any, starts: Any) -> Any:
        def step(state: Any, _: Any) -> Any:
            x, y = state
            dx, dy = p[0] * x - p[1] * x * y, p[2] * x * y - p[3] * y
            goes_on = y > 0.6
            return (jnp.where(goes_on, x + 0.01 * dx, x), jnp.where(goes_on, y + 0.01 * dy, y)), None

        (x, y), _ = jax.lax.scan(step, (starts, jnp.ones_like(starts)), None, length=400)
        return jnp.sum(x * y)

    return {
        "price": price,
        "attraction": attraction,
        "heat": heat,
        "sparse product": sparse_product,
        "scattered": scattered,
        "likelihood": likelihood,
        "populations": populations,
    }


def gradient_of(name: str, argnums: tuple[int, ...], args: tuple[Any, ...]) -> Callable[..., Any]:
    """Value and gradient in JAX, of no arguments: they lie where JAX has them."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    function = programs(jax, jnp)[name]
    fixed: dict[str, Any] = {}
    if name == "sparse product":
        data, columns, rows, x = args
        fixed = {"row_of": np.repeat(np.arange(rows.size - 1), np.diff(rows))}
        given = [jnp.asarray(each) for each in (data, columns, x)]

        def of_rows(data: Any, columns: Any, x: Any) -> Any:
            return function(data, columns, fixed["row_of"], x)

        run = jax.jit(jax.value_and_grad(of_rows, (0, 2)))
    else:
        given = [jnp.asarray(each) for each in args]
        run = jax.jit(jax.value_and_grad(function, argnums))
    return lambda: jax.block_until_ready(run(*given))
