"""Settings of extents whose relations change from call to call, and the arguments of each."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from tests.fuzz.arrays.arguments import FORMS

Extents = dict[str, int]
SHAPES: dict[int, list[tuple[str, ...]]] = {
    1: [("n",), ("n",), ("m",), ("u",), ("k",), ("l",)],
    2: [("m", "n"), ("n", "n"), ("n", "m"), ("u", "n"), ("n", "u"), ("m", "k"), ("n", "k"), ("n", "l")],
    3: [("k", "m", "n"), ("n", "n", "n"), ("m", "n", "u"), ("u", "m", "n")],
}
"""Shapes by the number of axes; `u` is n or 1, `l` is n + 1."""
NAMES: dict[int, tuple[str, ...]] = {0: ("p",), 1: ("x", "y", "g"), 2: ("A", "B", "S"), 3: ("T",)}


def settings(rng: random.Random) -> list[Extents]:
    """The extents of three calls: at least once a 1 among them, sometimes 0; equal in one call and not in the next."""
    kinds = rng.sample(["apart", "apart", "equal", "rows equal", "larger"], 2)
    kinds.append(
        rng.choice(["one", "one", "all one", "ones and equal", "zero"]) if rng.random() < 0.9 else "apart"
    )
    rng.shuffle(kinds)
    return [of_kind(rng, kind) for kind in kinds]


def of_kind(rng: random.Random, kind: str) -> Extents:
    """Extents that are related in one way."""
    m, n, k = rng.sample([2, 3, 4, 5], 2) + [rng.choice([2, 3])]
    if kind == "equal":
        m = k = n = rng.randint(2, 4)
    elif kind == "rows equal":
        m = n
    elif kind == "larger":
        n = m + rng.randint(1, 2)
    elif kind == "all one":
        m = n = k = 1
    elif kind == "ones and equal":
        m, n, k = rng.choice([(1, n, 1), (1, 1, k), (m, m, 1)])
    elif kind in ("one", "zero"):
        few = 1 if kind == "one" else 0
        m, n, k = rng.choice([(few, n, k), (m, few, k), (m, n, few)])
    return {"m": m, "n": n, "k": k, "u": rng.choice([1, n]), "l": n + 1}


def arguments(rng: random.Random, calls: list[Extents]) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """The arguments of each call, by name, and the form of each: how it lies in memory, or which other one it is."""
    counts = {
        0: rng.choice([0, 0, 0, 1]),
        1: rng.choice([1, 1, 2, 3]),
        2: rng.choice([0, 1, 1, 2, 2]),
        3: rng.choice([0, 0, 0, 0, 1]),
    }
    chosen: list[tuple[str, tuple[str, ...], str]] = []
    for axes, count in counts.items():
        for name in NAMES[axes][:count]:
            shape = rng.choice(SHAPES.get(axes, [()]))
            dtype = rng.choices(["float64", "float32", "complex128"], [0.9, 0.03, 0.07])[0]
            chosen.append((name, shape, dtype))
    forms = [rng.choice(FORMS) if rng.random() < 0.2 else "" for _ in chosen]
    for k, (_, shape, dtype) in enumerate(chosen):
        same = [each[0] for each in chosen[:k] if each[1:] == (shape, dtype)]
        if same and rng.random() < 0.15:
            forms[k] = f"is {same[0]}"
    named = [name for name in ("n", "m") if rng.random() < 0.15]
    with_number = rng.random() < 0.5
    made = []
    for extents in calls:
        draw = np.random.default_rng(rng.randrange(2**32))
        given: dict[str, Any] = {}
        for (name, shape, dtype), form in zip(chosen, forms, strict=True):
            drawn = draw.uniform(-0.9, 1.2, [extents[each] for each in shape]).round(4)
            if dtype == "complex128":
                drawn = drawn + 1j * draw.uniform(-0.9, 1.2, drawn.shape).round(4)
            given[name] = given[form[3:]] if form.startswith("is ") else np.asarray(drawn).astype(dtype)
        if with_number:
            given["s"] = round(float(draw.uniform(-0.9, 1.2)), 4)
        for name in named:
            given[name] = extents[name]
        made.append(given)
    count = len(made[0]) - len(forms)
    return made, (*forms, *[""] * count)
