"""Histograms of pairs of numbers."""

from __future__ import annotations

import numpy as np
from numba.core import types

from backsweep.runtime.overloads.forms import is_array, is_complex, is_listed, is_none, literal, refused
from backsweep.runtime.overloads.texts import stands_for


@stands_for(np.histogram2d, alone=True)
def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """How many pairs, or how much of their weights, are in each cell, and the edges of the cells."""
    if not (is_array(x) and is_array(y)) or x.ndim != 1 or y.ndim != 1 or is_complex(x) or is_complex(y):
        raise refused("`np.histogram2d` takes two vectors of real numbers", "flatten them: np.ravel(x).")
    if not is_none(weights) and not (is_array(weights) and weights.ndim == 1 and not is_complex(weights)):
        raise refused(
            "the weights of `np.histogram2d` are no vector of real numbers", "give one for each pair."
        )
    lines = ["if x.size != y.size:", '    raise ValueError("x and y must have the same length.")']
    if not is_none(weights):
        lines += ["if weights.size != x.size:", '    raise ValueError("the weights have another length")']
    for axis, name in enumerate("xy"):
        lines += _edges(axis, name, bins, range)
    item = "1.0" if is_none(weights) else "weights[h]"
    lines += [
        "counts = np.zeros((edges0.size - 1, edges1.size - 1))",
        "places0 = np.searchsorted(edges0, x, side='right') - 1",
        "places1 = np.searchsorted(edges1, y, side='right') - 1",
        "for h in np.arange(x.size):",
        "    i = places0[h] - 1 if x[h] == edges0[-1] else places0[h]",
        "    j = places1[h] - 1 if y[h] == edges1[-1] else places1[h]",
        "    if 0 <= i < counts.shape[0] and 0 <= j < counts.shape[1]:",
        f"        counts[i, j] += {item}",
    ]
    if literal(density):
        lines.append("areas = np.expand_dims(edges0[1:] - edges0[:-1], 1) * (edges1[1:] - edges1[:-1])")
        lines.append("counts = counts / areas / np.sum(counts)")
    elif not is_none(density) and literal(density) is not False:
        raise refused(
            "`density=` of `np.histogram2d` is known only when the program runs", "write True or False."
        )
    return "\n".join([*lines, "return counts, edges0, edges1"])


def _edges(axis: int, name: str, bins, range) -> list[str]:
    """The statements that make the edges along one axis."""
    given, text = bins, "bins"
    if isinstance(bins, types.BaseTuple) and len(bins) == 2:
        given, text = bins[axis], f"bins[{axis}]"
    edges = f"edges{axis}"
    if is_listed(given) or (is_array(given) and given.ndim == 1):
        return [
            f"{edges} = 1.0 * {f'np.array({text})' if is_listed(given) else text}",
            f"if np.any({edges}[1:] < {edges}[:-1]):",
            "    raise ValueError('`bins` must increase monotonically, when an array')",
        ]
    if not isinstance(given, int) and not isinstance(types.unliteral(given), types.Integer):
        raise refused(
            "the bins of `np.histogram2d` are neither numbers nor vectors", "give the edges of the bins."
        )
    lines = [f"if {text} < 1:", "    raise ValueError('`bins` must be positive, when an integer')"]
    if is_none(range):
        lines += ["low, high = 0.0, 1.0", f"if {name}.size > 0:"]
        lines.append(f"    low, high = 1.0 * np.min({name}), 1.0 * np.max({name})")
    else:
        lines.append(f"low, high = 1.0 * range[{axis}][0], 1.0 * range[{axis}][1]")
    return [
        *lines,
        "if not (np.isfinite(low) and np.isfinite(high)):",
        "    raise ValueError('the range of the bins is not finite')",
        "if high < low:",
        "    raise ValueError('max must be larger than min in range parameter.')",
        "if low == high:",
        "    low, high = low - 0.5, high + 0.5",
        f"{edges} = np.linspace(low, high, {text} + 1)",
    ]
