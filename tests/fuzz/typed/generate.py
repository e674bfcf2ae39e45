"""Whole random programs with values of all types, fixed by the seed."""

from __future__ import annotations

import cmath
import collections
import functools
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.fuzz.program import HEADER, Line, Program, Results, Statement, Suite
from tests.fuzz.typed import bounds, endless, guarded, held, partial, statements
from tests.fuzz.typed.expressions import bounded, real, total, truth
from tests.fuzz.typed.scope import INTEGERS, Bounds, Scope

Kind = Callable[..., list[Statement]]
DEEPEST = 2
PLAIN: dict[Kind, float] = {
    statements.assign: 2,
    statements.begin_whole: 1,
    statements.augmented_number: 2,
    statements.augmented_element: 1.5,
    statements.augmented_array: 1.5,
    statements.augmented_row: 0.7,
    statements.new_array: 1,
    statements.new_matrix: 0.2,
    statements.new_view: 0.5,
    statements.conditional: 0.5,
    statements.tally: 0.5,
    statements.in_complex: 0.3,
    statements.swap: 0.3,
    guarded.call: 0.5,
    guarded.inline: 0.5,
    partial.guarded_value: 0.3,
    partial.search: 0.2,
    held.held: 0.3,
}
WITH_BLOCKS: dict[Kind, float] = {
    partial.guarded_trips: 0.3,
    endless.endless: 0.3,
    endless.tested_late: 0.2,
    endless.after_the_loop: 0.3,
}
"""Compound statements that hold others."""


@dataclass(frozen=True)
class TypedFamily:
    """Which statements come most: so many times as often as else."""

    favoured: tuple[Kind, ...]
    times: float = 12.0
    results: bool = False
    raises: bool = False


TYPED = {
    "dtypes": TypedFamily(
        (statements.new_array, statements.assign, statements.augmented_array, statements.conditional), 3.0
    ),
    "augmented": TypedFamily(
        (
            statements.begin_whole,
            statements.augmented_number,
            statements.augmented_element,
            statements.augmented_array,
            statements.augmented_row,
            statements.tally,
        ),
        6.0,
    ),
    "complex": TypedFamily((statements.in_complex, statements.augmented_element), 10.0),
    "guarded": TypedFamily((guarded.call, guarded.inline)),
    "partial": TypedFamily((partial.guarded_trips, partial.guarded_value, partial.search)),
    "endless": TypedFamily((endless.endless, endless.tested_late, endless.after_the_loop)),
    "held": TypedFamily((held.held,), 10.0, results=True),
    "bounds": TypedFamily((statements.augmented_element,), 2.0, raises=True),
}
"""By name, as `--family` takes them."""


def block(scope: Scope, family: TypedFamily, count: int) -> tuple[Statement, ...]:
    """About `count` statements."""
    rng = scope.rng
    body: list[Statement] = []
    inside = functools.partial(_within, family)
    for _ in range(count):
        choice = rng.random()
        if scope.depth < DEEPEST and choice < 0.15:
            body += loop(scope, family)
        elif scope.depth < DEEPEST and choice < 0.25:
            body.append(branch(scope, family))
        else:
            kinds = PLAIN if scope.depth >= DEEPEST else PLAIN | WITH_BLOCKS
            weights = [
                weight * (family.times if kind in family.favoured else 1) for kind, weight in kinds.items()
            ]
            kind = rng.choices(list(kinds), weights)[0]
            body += kind(scope, inside) if kind in WITH_BLOCKS else kind(scope)
    return tuple(body)


def _within(family: TypedFamily, scope: Scope, count: int) -> tuple[Statement, ...]:
    return block(scope, family, count)


def loop(scope: Scope, family: TypedFamily) -> list[Statement]:
    """A counted loop, now and then left in the middle."""
    rng = scope.rng
    name = scope.fresh("i")
    source = rng.choice(scope.arrays("f"))
    size = scope.size(source)
    header, limits = rng.choice(
        [
            (f"range({source}.size)", Bounds(0, size - 1)),
            (f"range(len({source}))", Bounds(0, size - 1)),
            (f"range(1, {size})", Bounds(1, size - 1)),
            (f"range({size - 1}, -1, -1)", Bounds(0, size - 1)),
            ("range(3)", Bounds(0, 2)),
            ("range(2)", Bounds(0, 1)),
            ("range(n)", Bounds(0, 10**6)),
        ]
    )
    within = scope.inner(loop=True)
    within.counters[name] = limits
    within.values[name] = limits.low
    body = list(block(within, family, rng.randint(1, 3)))
    if rng.random() < 0.2:
        jump = Suite(((f"if {truth(within)}:", (Line(rng.choice(["break", "continue"])),)),))
        body.insert(rng.randrange(len(body) + 1), jump)
    return [Suite(((f"for {name} in {header}:", tuple(body)),))]


def branch(scope: Scope, family: TypedFamily) -> Suite:
    """`if` with or without `else`."""
    arms = [(f"if {truth(scope)}:", block(scope.inner(), family, scope.rng.randint(1, 2)))]
    if scope.rng.random() < 0.5:
        arms.append(("else:", block(scope.inner(), family, scope.rng.randint(1, 2))))
    return Suite(tuple(arms))


def arguments(rng: random.Random) -> dict[str, Any]:
    """Active vectors, a matrix and a number, some in single precision or complex; whole numbers and bools beside them."""
    draw = np.random.default_rng(rng.randrange(2**32))
    given: dict[str, Any] = {
        "x": draw.uniform(0.2, 1.2, 5),
        "y": draw.uniform(0.2, 1.2, 5),
        "c": draw.uniform(0.2, 1.2, (3, 5)),
        "s": float(draw.uniform(0.2, 1.2)),
        "n": rng.randint(1, 4),
        "k": rng.randint(0, 4),
        "j": rng.randint(-2, 4),
        "m": draw.integers(0, 5, 5).astype(rng.choice(INTEGERS)),
        "u": draw.integers(0, 5, rng.choice([3, 5])).astype(rng.choice(INTEGERS)),
        "b": draw.random(5) < 0.5,
    }
    if rng.random() < 0.15:
        given["y"] = given["y"].astype(np.float32)
    elif rng.random() < 0.2:
        given["y"] = draw.uniform(0.2, 1.2, 10)[::2]
    if rng.random() < 0.2:
        given["z"] = complex(draw.uniform(0.2, 1.2), draw.uniform(0.2, 1.2))
    if rng.random() < 0.12:
        w = draw.uniform(0.2, 1.2, 5) + 1j * draw.uniform(0.2, 1.2, 5)
        given["w"] = w.astype(np.complex64) if rng.random() < 0.2 else w
    if rng.random() < 0.3:
        given["q"] = rng.choice(
            [np.float32(0.75), True, False, np.int32(3), np.uint8(2), np.bool_(True), np.int64(-2)]
        )
    return given


def generate(seed: int, name: str) -> Program:
    """The random program of a seed and a family."""
    rng, family = random.Random(f"{name} {seed}"), TYPED[name]
    given = arguments(rng)
    texts = (*held.helpers(rng), *guarded.helpers(rng))
    functions: dict[str, Any] = {"np": np, "math": math, "cmath": cmath, "collections": collections}
    exec("\n".join(texts), functions)
    scope = Scope(rng, dict(given), functions)
    body: list[Statement] = []
    # Most programs work on copies; the others write the caller's arrays, which must stay as they were
    if rng.random() < 0.6:
        body = [Line("x = x.copy()"), Line("m = m.copy()")]
        scope.run("x = x.copy()\nm = m.copy()")
    before = set(scope.values)
    body += block(scope, family, rng.randint(2, 5))
    if family.raises:
        body += bounds.beyond(scope)
    end: tuple[str, Results] = (f"return {result(scope, before)}", "number")
    if family.results and rng.random() < 0.7:
        end = held.results(scope, result(scope, before))
    shown: Results = "raises" if family.raises else end[1]
    header = HEADER.replace("import collections\n", "import cmath\nimport collections\n")
    return Program(
        seed, texts, tuple(given), tuple(given.values()), (*body, Line(end[0])), shown, header=header
    )


def result(scope: Scope, before: set[str]) -> str:
    """A float in which most of what the program made has a part."""
    rng = scope.rng
    made = [name for name in scope.values if name not in before and name not in scope.hidden]
    terms = [f"{total(scope)} + {real(scope, 1)}", f"s * {bounded(scope, 0)}"]
    for name in rng.sample(made, min(len(made), 3)):
        kind = scope.type_of(name)
        of_array = isinstance(scope.values[name], np.ndarray)
        if of_array and kind in "biuf":
            terms.append(
                rng.choice([f"np.sum({name} * s)", f"0.5 * np.sum({name} * {name})", f"{name}.sum() * 1.0"])
            )
        elif of_array and kind == "c":
            terms.append(
                rng.choice(
                    [
                        f"np.sum(np.abs({name} + 2.0))",
                        f"np.sum({name}.real)",
                        f"({name}[0] * {name}[-1]).imag",
                    ]
                )
            )
        elif kind and kind in "biuf":
            terms.append(
                rng.choice(
                    [f"{name} * 0.5", f"math.sin({name} * 1.0)", f"{name} * s", f"{name} * {name} * 0.1"]
                )
            )
        elif kind == "c":
            terms.append(rng.choice([f"{name}.imag", f"abs({name} + 2.5)", f"({name} * {name}).real"]))
    return " + ".join(terms)
