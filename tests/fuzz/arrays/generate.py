"""Whole random programs of array statements, fixed by the seed."""

from __future__ import annotations

import math
import random
import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from tests.fuzz.arrays.arguments import realised
from tests.fuzz.arrays.expressions import literal, number
from tests.fuzz.arrays.extents import arguments, settings
from tests.fuzz.arrays.scope import UNFIT, Scope, World
from tests.fuzz.arrays.statements import SIMPLE
from tests.fuzz.program import Line, Program, Results, Statement, Suite

DEEPEST = 2
RAISING = 0.06
"""The share of programs that raise in a call of theirs which are kept."""
ATTEMPTS = 30
HEADER = '"""A random program."""\n\nimport math\n\nimport numpy as np\n\nimport backsweep as bs\n'


def block(scope: Scope, count: int) -> tuple[Statement, ...]:
    """About `count` statements."""
    rng = scope.rng
    body: list[Statement] = []
    for _ in range(count):
        choice = rng.random()
        if scope.depth < DEEPEST and choice < 0.16:
            body += for_loop(scope)
        elif scope.depth < DEEPEST and choice < 0.2:
            body += while_loop(scope)
        elif scope.depth < DEEPEST and choice < 0.26:
            body += branch(scope)
        else:
            body += rng.choices(list(SIMPLE), list(SIMPLE.values()))[0](scope)
    return tuple(body)


def for_loop(scope: Scope) -> list[Statement]:
    """A counted loop whose bounds are extents, or steps in time."""
    rng, name = scope.rng, scope.fresh("i")
    source = rng.choice(scope.arrays())
    n = rng.choice(
        [f"{source}.shape[0]", f"len({source})", f"{source}.shape[{scope.value(source).ndim - 1}]"]
    )
    n = rng.choice([n, n, *(x for x in scope.scalars("i") if x in ("n", "m"))])
    header = rng.choice(
        [
            f"range({n})",
            f"range({n})",
            f"range(1, {n})",
            f"range({n} - 1)",
            f"range({n} - 1, -1, -1)",
            f"range({n} - 1, 0, -1)",
            f"range(0, {n}, 2)",
            "range(3)",
            "range(2)",
        ]
    )
    worlds = []
    for world in scope.worlds:
        trips = list(eval(header, scope.functions, dict(world)))
        if trips:
            world[name] = trips[len(trips) // 2]
            worlds.append(world)
    if not worlds:
        return []
    inner = scope.inner(worlds)
    inner.names.add(name)
    inner.counters.add(name)
    body = list(block(inner, rng.randint(1, 3)))
    if body and rng.random() < 0.08:
        jump = Line(rng.choice(["break", "continue"]))
        body.insert(rng.randrange(len(body) + 1), Suite(((f"if {truth(inner)}:", (jump,)),)))
    return [Suite(((f"for {name} in {header}:", tuple(body)),))] if body else []


def while_loop(scope: Scope) -> list[Statement]:
    """A loop that counts, and stops early where a sum says so."""
    rng, name = scope.rng, scope.fresh("c")
    inner = scope.inner()
    trips = rng.randint(1, 4)
    extra = f" and {truth(inner)}" if rng.random() < 0.4 else ""
    body = block(inner, rng.randint(1, 3))
    if not body:
        return []
    count = Line(f"{name} += 1", keep=True)
    return [Line(f"{name} = 0"), Suite(((f"while {name} < {trips}{extra}:", (count, *body)),))]


def branch(scope: Scope) -> list[Statement]:
    """Statements under a condition of values or of extents."""
    rng = scope.rng
    then = block(scope.inner(), rng.randint(1, 2))
    if not then:
        return []
    arms = [(f"if {truth(scope)}:", then)]
    if rng.random() < 0.5:
        arms.append(("else:", block(scope.inner(), rng.randint(1, 2))))
    return [Suite(tuple(arms))]


def truth(scope: Scope) -> str:
    """A condition of numbers."""
    rng = scope.rng
    one, other = rng.choice(scope.arrays()), rng.choice(scope.arrays())
    forms = [
        f"{number(scope)} > {literal(scope)}",
        f"{number(scope, 0)} < {number(scope)}",
        f"{one}.size > {rng.randint(1, 6)}",
    ]
    forms += [
        f"{one}.shape[0] == {other}.shape[0]",
        f"{one}.shape[0] > 1",
        *(f"{i} % 2 == 0" for i in scope.counters),
    ]
    return rng.choice(forms)


def helpers(rng: random.Random) -> tuple[str, ...]:
    """h0 writes its first argument and returns a new array; h1 returns a view of what it wrote; h2 and h3 return nothing;
    h4 returns a number.
    """
    changed = rng.choice(
        ["a *= 0.5", "a += b", "a *= b", "a[:] = np.sin(b)", "a[::-1] += 0.5 * b", "a[:] = a[::-1] * b"]
    )
    read = rng.choice(["a + b", "a * b[:1]", "a[:1] + b", "np.tanh(a) * b", "b[::-1] + a"])
    order = [f"    c = {read}\n", f"    {changed}\n"]
    rng.shuffle(order)
    h0 = f"def h0(a, b):\n{''.join(order)}    return c\n".replace("c = ", "c = 1.0 * ")
    shift = rng.choice(
        ["a[1:] += 0.5 * a[:-1]", "a[:-1] = a[1:]", "a[:] = a[::-1]", "a *= a[:1]", "a[1:] *= a[:1]"]
    )
    h1 = f"def h1(a):\n    {shift}\n    return {rng.choice(['a', 'a[1:]', 'a[::-1]', 'a.T'])}\n"
    h2 = f"def h2(a, b):\n    {rng.choice(['a[:] = b', 'a += b * b', 'a[:1] = b[-1:]', 'a[...] = a * b'])}\n"
    h3 = f"def h3(a, b):\n    for i in range(a.shape[0]):\n        a[i] {rng.choice(['=', '+=', '*='])} {rng.choice(['b[-1 - i]', 'b[i] * 0.5', 'a[i - 1] + b[i]', 'b[0]'])}\n"
    h4 = f"def h4(a, u):\n    {rng.choice(['a *= u', 'a[:1] += u', 'a[:] = np.cos(a * u)', 'u = u * u'])}\n    return np.sum(a * {rng.choice(['u', 'a', 'a[::-1]'])})\n"
    return h0, h1, h2, h3, h4


def result(scope: Scope, before: set[str]) -> tuple[str, Results]:
    """What the program returns: a number in which what it made and wrote has a part, or several values."""
    rng = scope.rng
    arrays = scope.arrays(axes=(0, 1, 2, 3)) + scope.arrays(axes=(1, 2), kinds="c")
    numbers = [name for name in scope.scalars() if name not in before]
    if rng.random() < 0.25:
        chosen = rng.sample(arrays, min(len(arrays), rng.randint(1, 3))) + numbers[:1]
        rng.shuffle(chosen)
        return ", ".join(chosen), "several"
    terms = []
    for name in [x for x in arrays if x not in before][-4:] + [x for x in arrays if x in before]:
        forms = [
            "np.sum({0} * {0})",
            "np.sum({})",
            "np.sum(np.sin({0}) * {0})",
            "0.5 * np.sum(np.cos({}))",
            "({0} * {0}).sum()",
        ]
        if scope.value(name).dtype.kind == "c":
            forms = ["np.sum(np.abs({}))", "np.sum({0}.real * {0}.imag)", "np.sum({0} * np.conj({0})).real"]
        if scope.value(name).ndim == 0:
            forms = ["{0} * {0}", "np.sin({}[()])"]
        terms.append(rng.choice(forms).format(name))
    terms += [f"{literal(scope)} * {name}" for name in numbers[-3:]]
    return " + ".join(terms), "number"


def attempt(seed: int, rng: random.Random) -> Program | None:
    """A program, unless it raises, or has values that are not fit to compare."""
    calls, forms = arguments(rng, settings(rng))
    names = tuple(calls[0])
    first, *rest = (tuple(given.values()) for given in calls)
    program = Program(seed, helpers(rng), names, first, (), settings=tuple(rest), forms=forms, header=HEADER)
    functions: World = {"np": np, "math": math}
    exec("\n".join(program.helpers), functions)
    worlds = [dict(zip(names, realised(program, args), strict=True)) for args in (first, *rest)]
    scope = Scope(rng, worlds, functions, set(names))
    if not scope.arrays():
        return None
    body: list[Statement] = []
    copied = [name for name in scope.arrays() if rng.random() < 0.25]
    for name in copied:
        body += scope.line(f"{name} = {name}.copy()")
    body += block(scope, rng.choice([1, 2, 2, 3, 3, 4, 5]))
    text, results = result(scope, set(names))
    program = replace(program, body=(*body, Line(f"return {text}")), results=results)
    try:
        fit = [runs(program, args) for args in (first, *rest)]
    except NameError:  # a name that is assigned in other rounds only is a matter of its own
        return None
    return program if all(fit) or (any(fit) and rng.random() < RAISING) else None


def runs(program: Program, args: tuple[Any, ...]) -> bool:
    """Whether the program runs with arguments, to results that are small; NameError where a name has no value."""
    scope: World = {"np": np, "math": math, "bs": None}
    text = program.text.replace("import backsweep as bs", "")
    exec(text, scope)
    try:
        found = scope[program.entry](*realised(program, args))
    except NameError:
        raise
    except UNFIT:
        return False
    parts = found if isinstance(found, tuple) else (found,)
    return all(np.all(np.abs(each) < 1e3) for each in parts)


def generate(seed: int) -> Program | None:
    """The random program of a seed; None where no attempt comes to one."""
    rng = random.Random(f"arrays {seed}")
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for _ in range(ATTEMPTS):
            program = attempt(seed, rng)
            if program is not None:
                return program
    return None
