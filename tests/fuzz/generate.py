"""Whole random programs: blocks, branches, loops and exits around simple statements; fixed by the seed."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from tests.fuzz.expressions import bounded, condition, reduction, scalar
from tests.fuzz.families import ALL, Family
from tests.fuzz.kinds import simple
from tests.fuzz.marks import HOOKS, pullbacks
from tests.fuzz.program import Line, Program, Statement, Suite
from tests.fuzz.scope import Mat, Scope, Vec
from tests.fuzz.statements import assign_float

SIZE = 5
"""Entries of the vector arguments; the matrix argument is 3 by 4."""
DEEPEST = 3
"""How far blocks nest."""


def block(scope: Scope, count: int) -> tuple[Statement, ...]:
    """About `count` statements, compound ones among them while there is depth left."""
    rng = scope.rng
    body: list[Statement] = []
    for _ in range(count):
        family, choice = scope.family, rng.random()
        if rng.random() < family.stops and scope.depth < DEEPEST:
            body.append(without_gradient(scope))
        elif scope.depth >= DEEPEST or choice < 1.0 - family.loops - family.whiles - family.branches:
            body += simple(scope)
        elif choice < 1.0 - family.whiles - family.branches:
            body += for_loop(scope)
        elif choice < 1.0 - family.branches:
            body += while_loop(scope)
        else:
            body.append(branch(scope))
        if scope.in_loop and rng.random() < family.exits:
            body.append(leave(scope))
    return tuple(body)


def branch(scope: Scope) -> Suite:
    """`if` with or without `elif` and `else`."""
    rng = scope.rng
    arms = [(f"if {condition(scope)}:", block(scope.inner(), rng.randint(1, 2)))]
    if rng.random() < 0.3:
        arms.append((f"elif {condition(scope)}:", block(scope.inner(), rng.randint(1, 2))))
    if rng.random() < 0.6:
        arms.append(("else:", block(scope.inner(), rng.randint(1, 2))))
    return Suite(tuple(arms))


def without_gradient(scope: Scope) -> Suite:
    """A block whose values are constants to the gradient."""
    return Suite((("with bs.no_grad():", block(scope.inner(quiet=True), scope.rng.randint(1, 3))),))


def leave(scope: Scope) -> Suite:
    """A guarded `break`, `continue` or `return`."""
    jump = scope.rng.choice(["break", "break", "continue", "continue", f"return {scalar(scope)}"])
    inner = scope.inner()
    before = tuple(assign_float(inner)) if scope.rng.random() < 0.4 else ()
    return Suite(((f"if {condition(scope)}:", (*before, Line(jump))),))


def counted(scope: Scope) -> tuple[str, tuple[int, int], bool]:
    """The arguments of `range`, the bounds of the index, and whether there certainly is an iteration."""
    rng = scope.rng
    n = rng.randint(2, SIZE)
    fixed = [
        (f"{n}", (0, n - 1)),
        (f"1, {n}", (1, n - 1)),
        (f"{n - 1}, -1, -1", (0, n - 1)),
        (f"0, {n}, 2", (0, n - 1)),
        (f"{n - 1}, 0, -2", (1, n - 1)),
    ]
    name = rng.choice(list(scope.vectors))
    size = scope.vectors[name].size
    fixed += [
        (f"{name}.shape[0]", (0, size - 1)),
        (f"{name}.size", (0, size - 1)),
        (f"len({name})", (0, size - 1)),
    ]
    small = [(k, high) for k, (low, high) in scope.integers.items() if low >= 0 and high <= SIZE]
    if not small or rng.random() < 0.7:
        return *rng.choice(fixed), True
    k, high = rng.choice(small)
    dynamic = [
        (f"{k}", (0, max(high - 1, 0))),
        (f"{k}, {SIZE}", (0, SIZE - 1)),
        (f"{k} + 1, {SIZE}", (1, SIZE - 1)),
        (f"{k}, -1, -1", (0, high)),
        (f"{SIZE - 1}, {k}, -1", (1, SIZE - 1)),
        (f"{k} - {k}", (0, 0)),
    ]
    return *rng.choice(dynamic), False


def for_loop(scope: Scope) -> list[Statement]:
    """A loop over a range or over a vector's elements; sometimes its variable is read after it."""
    rng = scope.rng
    inner = scope.inner(loop=True)
    if rng.random() < 0.1:
        name = scope.fresh("e")
        inner.floats.append(name)
        source = rng.choice(list(scope.vectors))
        return [Suite(((f"for {name} in {source}.copy():", block(inner, rng.randint(1, 3))),))]
    arguments, bounds, certain = counted(scope)
    name = scope.fresh("i")
    inner.integers[name] = bounds
    inner.frozen |= {name}
    loop = Suite(((f"for {name} in range({arguments}):", block(inner, rng.randint(1, 4))),))
    if certain:
        scope.integers[name] = bounds
        scope.frozen |= {name}
    return [loop]


def while_loop(scope: Scope) -> list[Statement]:
    """A loop with a counter, so that it ends; its first statement counts, so that `continue` is safe."""
    rng = scope.rng
    name, trips = scope.fresh("w"), rng.randint(1, 5)
    scope.integers[name] = (0, trips + 1)
    scope.frozen |= {name}
    inner = scope.inner(loop=True)
    count = Line(f"{name} += 1", keep=True)
    if rng.random() < 0.3:
        stop = Suite(((f"if {name} > {trips}:", (Line("break"),)),), keep=True)
        body = (count, stop, *block(inner, rng.randint(1, 3)))
        return [Line(f"{name} = 0"), Suite((("while True:", body),))]
    extra = f" and {condition(scope)}" if rng.random() < 0.4 else ""
    body = (count, *block(inner, rng.randint(1, 3)))
    return [Line(f"{name} = 0"), Suite(((f"while {name} < {trips}{extra}:", body),))]


def helpers(rng: random.Random, family: Family) -> tuple[str, ...]:
    """h0: a scalar of two; h1: two of two; h2 writes its vector; h3 returns a view of its vector; h4 calls what it is
    given; h5 writes one vector and reads another, perhaps the same memory; h6, h7 and h8 call themselves: of a number,
    writing a vector, by halves with two results; `plain`, which g4 has a pullback for; `Pair` is a namedtuple.
    """
    scope = Scope(rng, floats=["u", "v"], family=family, calls=False)
    early = f"    if {condition(scope)}:\n        return {bounded(scope)}\n" if rng.random() < 0.5 else ""
    h0 = f"def h0(u, v):\n{early}    return {bounded(scope)}\n"
    h1 = f"def h1(u, v):\n    u = {bounded(scope)}\n    return {bounded(scope)}, u * v\n"
    inside = Scope(rng, floats=["u"], integers={"i": (0, 10**6)}, calls=False)
    store = f"{rng.choice(['=', '+=', '*='])} {bounded(inside)} * {rng.choice(['a[i]', 'a[i - 1]', 'u'])}"
    h2 = f"def h2(a, u):\n    for i in range(a.size):\n        a[i] {store}\n"
    h3 = f"def h3(a):\n    a[0] = {rng.choice(['a[1] * 0.5', 'math.sin(a[0] * a[2])'])}\n    return a[1:]\n"
    repeated = rng.choice(["f(u)", "f(u) * f(0.5)", "u - f(u)"])
    h4 = f"def h4(f, u, n=2):\n    for i in range(n):\n        u = {repeated}\n    return u\n"
    left = rng.choice(["a[i]", "a[-1 - i]"])
    right = rng.choice(["b[i]", "b[i - 1]", "b[b.size - 1 - i]"])
    h5 = (
        "def h5(a, b):\n    for i in range(min(a.size, b.size)):\n"
        f"        {left} {rng.choice(['=', '+=', '*='])} {right} * 0.5\n"
        f"        if {right} > {rng.uniform(0.3, 1.2):.4f}1:\n            return a[-1]\n"
        "    return h0(a[0], b[0])\n"
    )
    h6 = (
        f"def h6(u, v, n):\n    if n <= 0:\n        return {bounded(scope)}\n{early}"
        f"    u = {bounded(scope)}\n    return 0.5 * h6({rng.choice(['v, u', 'u, 0.5 * v', 'u * v, u'])}, n - 1)"
        f" + {rng.choice(['u', 'v', 'h6(v, u, n - 3)'])}\n"
    )
    alone = Scope(rng, floats=["u"], calls=False)
    smaller = rng.choice(["h7(a, n - 1)", "h7(a[1:], n - 1)", "h7(a, n - 2) * h7(a, n - 1)"])
    h7 = (
        "def h7(a, n):\n    if n < 1 or a.size < 3:\n        return a[0]\n    u = a[n % a.size]\n"
        f"    a[1] {rng.choice(['=', '+=', '*='])} {bounded(alone)} * u\n"
        f"    u = 0.5 * {smaller} + a[1]\n    a[0] = math.sin(u)\n    return u * a[n % 2]\n"
    )
    joined = rng.choice(["low + right * 0.5", "low * high", "math.sin(low) - high", "left"])
    h8 = (
        "def h8(a, first, last):\n    if last - first < 2:\n        return a[first], 0.5 * a[first]\n"
        "    middle = (first + last) // 2\n    left, low = h8(a, first, middle)\n"
        f"    right, high = h8(a, middle, last)\n    return {joined}, low + math.cos(right)\n"
    )
    pair = 'Pair = collections.namedtuple("Pair", ["left", "right"])\n'
    plain = f"def plain(u, v):\n    return {bounded(scope)}\n"
    own = pullbacks(rng.choice([1.0, 2.0]))
    return (*HOOKS, h0, h1, h2, h3, h4, h5, h6, h7, h8, plain, *own, pair)


def arguments(rng: random.Random) -> dict[str, Any]:
    """Two vectors (one sometimes strided), a matrix, two floats and an integer."""
    draw = np.random.default_rng(rng.randrange(2**32))
    y = draw.uniform(0.2, 1.2, 2 * SIZE)[::2] if rng.random() < 0.3 else draw.uniform(0.2, 1.2, SIZE)
    return {
        "x": draw.uniform(0.2, 1.2, SIZE),
        "y": y,
        "c": draw.uniform(0.2, 1.2, (3, 4)),
        "s": float(draw.uniform(0.2, 1.2)),
        "t": float(draw.uniform(0.2, 1.2)),
        "k": rng.randint(0, 4),
    }


def generate(seed: int, family: Family = ALL) -> Program:
    """The random program of a seed, with constructs of a family most of all."""
    rng = random.Random(seed)
    given = arguments(rng)
    vectors = {"x": Vec(SIZE), "y": Vec(SIZE, contiguous=given["y"].flags.c_contiguous)}
    scope = Scope(rng, ["s", "t"], {"k": (0, 4)}, vectors, {"c": Mat(3, 4)}, family=family)
    # Most programs work on copies; the others write the caller's arrays, which must stay as they were
    copies: list[Statement] = [Line("x = x.copy()"), Line("c = c.copy()")] if rng.random() < 0.6 else []
    body = (*copies, *block(scope, rng.randint(*family.statements)))
    floats = " + ".join(scope.floats[-3:])
    result = f"return {scalar(scope, 1)} + {reduction(scope)} + 0.5 * ({floats}) + np.sum(c * c)"
    return Program(seed, helpers(rng, family), tuple(given), tuple(given.values()), (*body, Line(result)))
