"""Calls of `numpy.polynomial` that the prelude knows, of each family of series."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

V = np.array([0.74, 1.21, 0.58, 1.93])
A = np.array([[0.31, 1.22, 0.73], [0.87, 1.38, 0.29], [1.71, 0.45, 0.62], [0.5, 0.8, 1.1]])
FAMILIES = {
    "poly": polynomial,
    "cheb": chebyshev,
    "leg": legendre,
    "herm": hermite,
    "herme": hermite_e,
    "lag": laguerre,
}


def _of(name: str, module: Any) -> dict[str, tuple[Callable[..., Any], Any]]:
    """The calls of a family's functions."""
    val, der, int_ = (getattr(module, f"{name}{each}") for each in ("val", "der", "int"))
    fit, vander2d, vander3d = (getattr(module, f"{name}{each}") for each in ("fit", "vander2d", "vander3d"))
    val2d, val3d = getattr(module, f"{name}val2d"), getattr(module, f"{name}val3d")
    grid2d, grid3d = getattr(module, f"{name}grid2d"), getattr(module, f"{name}grid3d")
    return {
        f"{name}val, columns": (lambda a: val(V, a), A),
        f"{name}val, list": (lambda x: val([x[0], 0.3], [1, x[1], 2]), V),
        f"{name}val, beside": (lambda a: val(a[0], a, tensor=False), A),
        f"{name}val2d": (lambda x: val2d(x, x**2, A), V),
        f"{name}val3d": (lambda a: val3d(V, V**2, V - 1.0, a.reshape(2, 2, 3)), A),
        f"{name}grid2d": (lambda x: grid2d(x, x[:2] ** 2, A), V),
        f"{name}grid3d": (lambda a: grid3d(V[:2], V, V[1:], a.reshape(2, 2, 3)), A),
        f"{name}vander2d": (lambda x: vander2d(x, x**2, [1, 2]), V),
        f"{name}vander3d": (lambda x: vander3d(x, x**2, x - 1.0, [1, 2, 1]), V),
        f"{name}der": (lambda x: der(x, 2, 0.5), V),
        f"{name}der, axis": (lambda a: der(a, axis=-1), A),
        f"{name}int": (lambda x: int_(x, 2, [0.3, x[0]], 0.5, 2.0), V),
        f"{name}int, axis": (lambda a: int_(a, axis=1, k=1.0), A),
        f"{name}fit": (lambda x: fit(x, x**3, [0, 2], w=x), V),
        f"{name}fit, columns": (lambda a: fit(V, a, 2), A),
        **_of_coefficients(name, module),
    }


def _of_coefficients(name: str, module: Any) -> dict[str, tuple[Callable[..., Any], Any]]:
    """The calls of functions that make coefficients of coefficients."""
    mulx, mul, div, pow_, line, fromroots, companion, roots = (
        getattr(module, f"{name}{each}")
        for each in ("mulx", "mul", "div", "pow", "line", "fromroots", "companion", "roots")
    )
    to_powers, of_powers = (getattr(module, each, None) for each in (f"{name}2poly", f"poly2{name}"))
    made = {
        f"{name}mulx": (lambda x: mulx(x) + line(0.5, x[0]) @ x[:2], V),
        f"{name}mul": (lambda x: mul(x[:3], [x[0], 2, x[1], 0]), V),
        f"{name}div": (lambda x: np.concatenate(div(x, [1, x[0], 3])), V),
        f"{name}div, constant": (lambda x: np.concatenate(div(x, x[:1])), V),
        f"{name}pow": (lambda x: pow_(x[:3], 3), V),
        f"{name}fromroots": (fromroots, V),
        f"{name}companion": (companion, V),
        f"{name}roots": (lambda x: roots(fromroots(x)), V),
        f"{name}roots, complex": (lambda x: np.abs(roots(np.array([1.0 + x[0] * 1j, x[1], 0.5j]))), V),
    }
    if name != "poly":
        made |= {f"{name}2poly": (to_powers, V), f"poly2{name}": (of_powers, V)}
    return made


CALLS = {call: each for name, module in FAMILIES.items() for call, each in _of(name, module).items()}
CALLS |= {
    "polytrim": (lambda x: polynomial.polytrim(x, 0.7), V[::-1]),
    "polyvalfromroots": (lambda a: polynomial.polyvalfromroots(V, a), A),
    "polyvalfromroots, beside": (lambda a: polynomial.polyvalfromroots(a[0], a, tensor=False), A),
    "chebadd": (lambda x: chebyshev.chebadd(x, [1, x[0]]), V),
    "lagsub": (lambda x: laguerre.lagsub([1, 2], x), V),
    "chebval, no axes": (lambda x: chebyshev.chebval(np.array(x[0]), [1, x[1], 2]), V),
    "weights": (
        lambda x: (
            chebyshev.chebweight(x / 3.0)
            + legendre.legweight(x)
            + hermite.hermweight(x)
            + hermite_e.hermeweight(x)
            + laguerre.lagweight(x)
        ),
        V,
    ),
}
