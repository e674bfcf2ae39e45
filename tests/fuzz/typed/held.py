"""Tuples and namedtuples that hold arrays which are written; results that hold several arrays."""

from __future__ import annotations

import random

from tests.fuzz.program import Line, Results, Statement, Suite
from tests.fuzz.typed.expressions import array, bounded, index, truth
from tests.fuzz.typed.scope import Scope

PAIR = 'Pair = collections.namedtuple("Pair", ["left", "right"])\n'


def helpers(rng: random.Random) -> tuple[str, ...]:
    """`made` returns a namedtuple of arrays, `both` a tuple, `touch` writes what a tuple holds."""
    store = rng.choice(["b[0] = a[1]", "b += a", "b[1:] = a[:-1] * 1.0", "a[0] = b[-1]"])
    made = f"def made(a, u):\n    b = a * u\n    {store}\n    return Pair(b, {rng.choice(['a', 'b', 'a.copy()', 'b[::-1]', 'a * 2.0'])})\n"
    both = f"def both(a, u):\n    b = a + u\n    return b, {rng.choice(['b', 'a + u', 'b * 1.0', 'a', 'b[1:]'])}\n"
    which = rng.choice(["p[0]", "p[1]"])
    touch = (
        f"def touch(p, u):\n    {which}[0] {rng.choice(['=', '+=', '*='])} u\n    return p[1][0] * p[0][-1]\n"
    )
    return PAIR, made, both, touch


def of_size(scope: Scope, size: int) -> list[str]:
    """The float arrays of this size."""
    return [
        name
        for name in scope.arrays("f")
        if scope.size(name) == size and scope.values[name].dtype.name == "float64"
    ]


def held(scope: Scope) -> list[Statement]:
    """A tuple of arrays and numbers; the arrays are written through it, through their names, in a loop."""
    rng = scope.rng
    name, total, size = scope.fresh("p"), scope.fresh("s"), 5
    names = of_size(scope, size)
    one, two = rng.choice(names), rng.choice(names)
    scope.hidden.add(name)
    kind = rng.randrange(5)
    first, second = {
        0: ("{p}[0]", "{p}[1]"),
        1: ("{p}.left", "{p}.right"),
        2: ("{p}[0]", "{p}[1]"),
        3: ("{p}[0][0]", "{p}[1]"),
        4: ("{p}.left", "{p}[1]"),
    }[kind]
    first, second = first.format(p=name), second.format(p=name)
    made = {
        0: f"{name} = ({one}, {two}, {bounded(scope, 0)})",
        1: f"{name} = Pair({one}, {two}.copy())",
        2: f"{name} = both({one}, {bounded(scope, 0)})",
        3: f"{name} = (({one}, 2), {two})",
        4: f"{name} = made({one}, {bounded(scope, 0)})",
    }[kind]
    if not scope.run(made):
        return []
    at = index(scope, 4)

    def write() -> str:
        target = rng.choice([first, second, one, two])
        return rng.choice(
            [
                f"{target}[{at}] {rng.choice(['=', '+=', '*='])} {bounded(scope)}",
                f"{target}[0] = {rng.choice([first, second])}[-1] * {bounded(scope, 0)}",
                f"{target}[:] {rng.choice(['=', '+='])} {bounded(scope, 0)}",
                f"{one} = {rng.choice([first, second])}[:]" if kind != 2 else f"{target}[1] -= 0.5",
            ]
        )

    lines: list[Statement] = []
    for _ in range(rng.randint(1, 3)):
        text = write()
        if scope.run(text):
            lines.append(
                Suite(((f"if {truth(scope)}:", (Line(text),)),)) if rng.random() < 0.25 else Line(text)
            )
    if kind in (0, 2) and rng.random() < 0.4:
        lines.append(
            Line(
                f"{name} = ({name}[1], {name}[0])"
                if kind == 2
                else f"{name} = ({name}[1], {name}[0], {name}[2] * 0.5)"
            )
        )
        if rng.random() < 0.5:
            lines = [Suite(((f"for {scope.fresh('i')} in range({rng.randint(0, 3)}):", tuple(lines)),))]
    if kind in (1, 4) and rng.random() < 0.4:
        lines.append(
            Line(
                f"{name} = {rng.choice([f'Pair({name}.right, {name}.left)', f'{name}._replace(left={two})'])}"
            )
        )
    last = Line(
        f"{total} = {rng.choice([f'{first}[{at}] * {second}[0]', f'np.sum({first}) - {second}[1]', f'touch(({first}, {second}), {one}[0])'])}"
    )
    return [Line(made), *lines, last] if scope.run(last.text) else []


def results(scope: Scope, value: str) -> tuple[str, Results]:
    """What is returned beside the value: arrays, tuples and numbers, sooner or later computed twice."""
    rng = scope.rng
    names = [name for name in scope.arrays("f") if name not in ("x", "y")] or ["x"]
    one, two = rng.choice(names), rng.choice(names)
    twice = array(scope, 5, "f", 1)
    parts = [
        f"{one} * 2.0, {one} * 2.0",
        f"{twice}, {twice}",
        f"{one}, {two}",
        f"({one}, {two}.copy())",
        f"{one}.copy(), {one}.copy()",
        f"Pair({one} + 0.0, {one} + 0.0)",
        f"{one}, {one} * 1.0, {two} + 0",
        f"np.zeros(3), np.zeros(3), {rng.choice(['True', '3', 'n', 'len(x)'])}",
        f"{one}[:2], {one}[2:]",
        f"np.sin({one}), ({truth(scope)}, np.sin({one}))",
        f"m, {one} > 0.5",
    ]
    chosen = rng.choice(parts)
    if rng.random() < 0.5:
        return f"return {value}, ({chosen})", "aux"
    return f"return {chosen}, {value}", "several"
