"""The public functions of numba-stats, called from a user's function: their arguments, and what is held constant.

The packages' functions are Python functions with an `@overload`, which compiled code means instead.
"""

from __future__ import annotations

import numpy as np

from tests.packages.calls import Call

X = np.array([0.31, 0.74, 1.27])
P = np.array([0.12, 0.43, 0.81])
COUNTS = np.array([0.0, 2.0, 3.0])
NUMBERS = np.array([4.0, 5.0, 6.0])
MASS = np.array([5.21, 5.26, 5.275])

PARAMETERS: dict[str, dict[str, float]] = {
    "argus": {"chi": 1.1, "c": 1.6, "p": 0.6},
    "chi2": {"df": 3.2, "loc": -0.2, "scale": 1.3},
    "cmsshape": {"beta": 0.7, "gamma": 0.3, "loc": 0.4},
    "cruijff": {"beta_left": 0.1, "beta_right": 0.2, "loc": 0.6, "scale_left": 0.9, "scale_right": 1.2},
    "crystalball": {"beta": 0.6, "m": 2.3, "loc": 0.7, "scale": 0.5},
    "crystalball_ex": {
        "beta_left": 0.6,
        "m_left": 2.3,
        "scale_left": 0.5,
        "beta_right": 0.7,
        "m_right": 2.7,
        "scale_right": 0.6,
        "loc": 0.7,
    },
    "expon": {"loc": -0.1, "scale": 1.4},
    "exponnorm": {"K": 0.8, "loc": 0.2, "scale": 0.9},
    "gamma": {"a": 2.3, "loc": -0.2, "scale": 1.1},
    "hypatia2": {
        "lambd": -1.3,
        "zeta": 0.4,
        "beta": 0.01,
        "a_left": 1.2,
        "n_left": 2.1,
        "a_right": 1.4,
        "n_right": 2.4,
        "loc": 0.6,
        "scale": 0.3,
    },
    "laplace": {"loc": 0.5, "scale": 1.2},
    "lognorm": {"s": 0.8, "loc": -0.3, "scale": 1.1},
    "ncx2": {"df": 3.1, "nc": 1.2, "loc": -0.2, "scale": 1.1},
    "norm": {"loc": 0.4, "scale": 1.3},
    "novosibirsk": {"lambd": 0.4, "loc": 0.5, "scale": 1.1},
    "qgaussian": {"q": 1.6, "mu": 0.5, "sigma": 1.2},
    "skewnorm": {"a": 0.8, "loc": 0.2, "scale": 1.1},
    "t": {"df": 3.4, "loc": 0.3, "scale": 1.2},
    "truncexpon": {"xmin": 0.1, "xmax": 1.9, "loc": -0.2, "scale": 1.1},
    "truncexponnorm": {"xmin": 0.1, "xmax": 1.9, "K": 0.8, "loc": 0.2, "scale": 0.9},
    "truncnorm": {"xmin": 0.1, "xmax": 1.9, "loc": 0.3, "scale": 1.1},
    "tsallis": {"m": 0.9, "t": 1.1, "n": 3.2},
    "uniform": {"a": 0.1, "w": 1.9},
    "voigt": {"gamma": 0.6, "loc": 0.4, "scale": 0.9},
}
"""By distribution, the parameters behind the variate."""

FUNCTIONS: dict[str, str] = {
    "argus": "pdf logpdf cdf",
    "chi2": "pdf logpdf cdf ppf",
    "cmsshape": "pdf logpdf cdf",
    "cruijff": "density",
    "crystalball": "pdf logpdf cdf ppf",
    "crystalball_ex": "pdf logpdf cdf ppf",
    "expon": "pdf logpdf cdf ppf",
    "exponnorm": "pdf logpdf cdf",
    "gamma": "pdf logpdf cdf ppf",
    "hypatia2": "density",
    "laplace": "pdf logpdf cdf ppf",
    "lognorm": "pdf logpdf cdf ppf",
    "ncx2": "pdf logpdf cdf ppf",
    "norm": "pdf logpdf cdf ppf",
    "novosibirsk": "pdf logpdf cdf ppf",
    "qgaussian": "pdf logpdf cdf ppf",
    "skewnorm": "pdf logpdf cdf",
    "t": "pdf logpdf cdf ppf",
    "truncexpon": "pdf logpdf cdf ppf",
    "truncexponnorm": "pdf logpdf cdf",
    "truncnorm": "pdf logpdf cdf ppf",
    "tsallis": "pdf cdf",
    "uniform": "pdf logpdf cdf ppf",
    "voigt": "pdf",
}

HELD: dict[str, str] = {
    **dict.fromkeys(("argus.pdf", "argus.logpdf", "argus.cdf"), "p"),
    **dict.fromkeys(("chi2.cdf", "chi2.ppf", "t.cdf", "t.ppf"), "df"),
    **dict.fromkeys(("ncx2.pdf", "ncx2.logpdf", "ncx2.cdf", "ncx2.ppf"), "df"),
    **dict.fromkeys(("gamma.cdf", "gamma.ppf"), "a"),
    "hypatia2.density": "lambd",
    **dict.fromkeys(("qgaussian.cdf", "qgaussian.ppf"), "q"),
}
"""By function, a parameter that many programs know: the function is called once more, with that constant."""


def calls() -> list[Call]:
    """A call of each function, with the variate as an array."""
    found = []
    for module, names in FUNCTIONS.items():
        for name in names.split():
            variate = {"p" if name == "ppf" else "x": P if name == "ppf" else X}
            given = {**variate, **PARAMETERS[module]}
            found.append(_call(f"{module}.{name}", given))
            if f"{module}.{name}" in HELD:
                found.append(_call(f"{module}.{name}", given, (HELD[f"{module}.{name}"],)))
    for name in ("density", "integral"):
        given = {"x": X, "beta": np.array([0.4, 1.1, 0.7]), "xmin": 0.1, "xmax": 1.9}
        found.append(_call(f"bernstein.{name}", given))
    flat = {"x": X, **PARAMETERS["hypatia2"], "zeta": 0.0, "beta": 0.0}  # elsewhere it raises
    for held in (("zeta", "beta"), ("lambd", "zeta", "beta")):
        found.append(_call("hypatia2.integral", flat, held))
    for name in ("pmf", "logpmf", "cdf"):
        found.append(_call(f"poisson.{name}", {"k": COUNTS, "mu": 1.7}, ("k",)))
        found.append(_call(f"binom.{name}", {"k": COUNTS, "n": NUMBERS, "p": 0.4}, ("k", "n")))
    return [*found, _call("cpoisson.cdf", {"x": X, "mu": 1.7}, ("x",))]


def _call(name: str, given: dict[str, object], held: tuple[str, ...] = ()) -> Call:
    """A call from a user's function."""
    return Call("numba-stats", f"numba_stats.{name}", given, held, overloaded=True)
