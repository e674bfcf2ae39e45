"""Second derivatives of a chain: a Hessian-vector product beside a gradient, a Hessian beside the products that make it up."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

import backsweep as bs
from benchmarks.problem import Problem, agree, directional

LENGTHS = {"tiny": 6, "S": 10_000, "M": 200_000}
HESSIAN_LENGTHS = {"tiny": 6, "S": 400, "M": 2000}


@numba.njit(error_model="numpy")
def valley(x: Any) -> float:
    """Rosenbrock's function, chained."""
    total = 0.0
    for i in range(1, x.size):
        total += 100.0 * (x[i] - x[i - 1] ** 2) ** 2 + (1.0 - x[i - 1]) ** 2
    return total


slope = bs.grad(valley)
product = bs.hvp(valley)
curvature = bs.hessian(valley)


def instance(size: str) -> tuple[Any, ...]:
    """A point and a direction."""
    rng = np.random.default_rng(0)
    return rng.uniform(0.5, 1.5, LENGTHS[size]), rng.normal(size=LENGTHS[size])


def small_instance(size: str) -> tuple[Any, ...]:
    """A point."""
    return (np.random.default_rng(0).uniform(0.5, 1.5, HESSIAN_LENGTHS[size]),)


def gradient(x: Any, _: Any) -> Any:
    """What a product is compared with."""
    return slope(x)


def along(x: Any, v: Any) -> Any:
    """The product of the Hessian with a direction."""
    return product((x,), (v,))


def products(x: Any) -> Any:
    """As many products as the Hessian has rows, one after the other, kept as its rows."""
    rows, directions = np.empty((x.size, x.size)), np.eye(x.size)
    for k in range(x.size):
        rows[k] = product((x,), (directions[k],))
    return rows


def check_product(args: tuple[Any, ...]) -> None:
    """The product against differences of the gradient."""
    x, v = args
    w = np.random.default_rng(1).normal(size=x.size)
    expected, error = directional(lambda step: float(w @ slope(x + step * v)))
    agree(float(w @ along(x, v)), expected, "hvp: differences", 1e-6 * abs(expected) + 10.0 * error)


def check_hessian(args: tuple[Any, ...]) -> str:
    """The Hessian against the products."""
    agree(curvature(*args), products(*args), "hessian: its products")
    return "its products"


PROBLEMS = (
    Problem(
        "hvp",
        gradient,
        instance,
        own_derivative=along,
        gradient=slope,
        gradient_args=lambda args: args[:1],
        residuals=check_product,
    ),
    Problem(
        "hessian",
        products,
        small_instance,
        own_derivative=curvature,
        gradient=curvature,
        residuals=check_hessian,
    ),
)
