"""`while True` and other loops that are left in several places; counters tested after they moved; variables after loops."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.program import Line, Statement, Suite
from tests.fuzz.typed.expressions import bounded, literal, truth
from tests.fuzz.typed.scope import Bounds, Scope

Body = Callable[[Scope, int], tuple[Statement, ...]]


def guarded(test: str, *lines: str) -> Suite:
    """Lines under a condition."""
    return Suite(((f"if {test}:", tuple(Line(line) for line in lines)),))


def endless(scope: Scope, body: Body) -> list[Statement]:
    """`while True` with a counter that moves before or after its test, upwards or downwards."""
    rng = scope.rng
    name, total, source = scope.fresh("w"), scope.fresh("s"), rng.choice(scope.arrays("f"))
    size = scope.size(source)
    scope.run(f"{name} = 0\n{total} = 0.5")
    within = scope.inner(loop=True)
    before = rng.random() < 0.5
    up = rng.random() < 0.7
    step = rng.choice([1, 1, 1, 2])
    move = Line(f"{name} {'+' if up else '-'}= {step}", keep=True)
    bound = rng.choice([str(size), f"{source}.size", f"len({source})", "n + 1", str(rng.randint(1, size))])
    test = (
        rng.choice([f"{name} >= {bound}", f"{name} >= {bound}", f"{name} > {bound} - 1"])
        if up
        else f"{name} < 0"
    )
    stop = Suite(
        ((f"if {test}:", (*([Line(f"{total} *= 1.5")] if rng.random() < 0.3 else []), Line("break"))),),
        keep=True,
    )
    start = (
        rng.choice(["0", "1", "-1"] if before and up else ["0", "0", "1"])
        if up
        else rng.choice([f"{size - 1}", f"{size}" if before else "2"])
    )
    # `n + 1` may be beyond the array: only what is certain is an index
    low, high = (0 if not before else (1 if start == "1" else 0), size - 1)
    if "n" not in bound or "len" in bound:
        within.counters[name] = Bounds(max(low, 0), high)
    else:
        within.counters[name] = Bounds(0, 10**6)
    update = Line(
        f"{total} = {rng.choice([f'{total} * 0.5 + {bounded(within)}', f'{total} + {bounded(within)} * {total}'])}"
    )
    inside: list[Statement] = [update, *body(within, rng.randint(0, 2))]
    if rng.random() < 0.3:
        inside.insert(rng.randrange(len(inside) + 1), guarded(truth(within), "break"))
    if before and rng.random() < 0.3:
        inside.insert(rng.randrange(len(inside) + 1), guarded(truth(within), "continue"))
    if rng.random() < 0.1:
        inside.insert(rng.randrange(len(inside) + 1), guarded(truth(within), f"return {bounded(within)}"))
    order = [move, stop, *inside] if before else [stop, *inside, move]
    after = rng.choice([[], [Line(f"{total} *= {name}")], [Line(f"{total} += {name} * {bounded(scope)}")]])
    return [
        Line(f"{name} = {start}", keep=True),
        Line(f"{total} = {literal(scope)}"),
        Suite((("while True:", tuple(order)),)),
        *after,
    ]


def tested_late(scope: Scope, body: Body) -> list[Statement]:
    """`while True` that computes first and tests afterwards, by its counter or by a number that shrinks."""
    rng = scope.rng
    name, total = scope.fresh("w"), scope.fresh("s")
    scope.run(f"{name} = 0\n{total} = 0.5")
    within = scope.inner(loop=True)
    within.counters[name] = Bounds(0, 10**6)
    update = Line(f"{total} = {total} * {rng.choice(['0.5', '0.7'])} + {bounded(within)} * 0.2")
    stops = [
        guarded(f"{name} > {rng.randint(0, 6)}", "break"),
        guarded(f"abs({total}) < 0.05 or {name} == {rng.randint(7, 9)}", "break"),
    ]
    limit = Suite(((f"if {name} >= 9:", (Line("break"),)),), keep=True)
    inside = [
        update,
        *body(within, rng.randint(0, 1)),
        Line(f"{name} += 1", keep=True),
        limit,
        rng.choice(stops),
    ]
    if rng.random() < 0.4:
        inside.append(Line(f"{total} += {bounded(within, 0)}"))
    after = [Line(f"{total} = {total} * {name}")] if rng.random() < 0.5 else []
    return [
        Line(f"{name} = 0", keep=True),
        Line(f"{total} = {literal(scope)}"),
        Suite((("while True:", tuple(inside)),)),
        *after,
    ]


def after_the_loop(scope: Scope, body: Body) -> list[Statement]:
    """A loop whose variables, of all types, are read after it; with `else`, breaks and continues."""
    rng = scope.rng
    i, last, total, source = (
        scope.fresh("i"),
        scope.fresh("s"),
        scope.fresh("s"),
        rng.choice(scope.arrays("f")),
    )
    size = scope.size(source)
    first = rng.choice(["0", "0.0", "False", f"{source}[0]"])
    scope.run(f"{last} = {source}[0]\n{total} = 0.5")
    within = scope.inner(loop=True)
    within.counters[i] = Bounds(0, size - 1)
    within.values[i] = 0
    inside: list[Statement] = [
        Line(
            f"{last} = {rng.choice([f'{source}[{i}] * {bounded(within)}', i, f'{source}[{i}] > 0.5', f'{source}[{i}]'])}"
        ),
        Line(f"{total} += {bounded(within)} * {last}"),
        *body(within, rng.randint(0, 2)),
    ]
    for word in ("break", "continue"):
        if rng.random() < 0.4:
            test = rng.choice(
                [
                    f"{source}[{i}] > {rng.uniform(0.6, 1.2):.3f}1",
                    f"{i} == {rng.randrange(size)}",
                    truth(within),
                ]
            )
            inside.insert(rng.randrange(len(inside) + 1), guarded(test, word))
    header = rng.choice(
        [
            f"for {i} in range({size}):",
            f"for {i} in range({source}.size):",
            f"for {i} in range({size - 1}, -1, -1):",
        ]
    )
    arms: list[tuple[str, tuple[Statement, ...]]] = [(header, tuple(inside))]
    if rng.random() < 0.3:
        arms.append(("else:", (Line(f"{total} *= {bounded(scope)}"),)))
    after = rng.choice(
        [f"{total} += {source}[{i}] * {last}", f"{total} *= {last} + {i}", f"{total} += {last} * 0.5"]
    )
    return [Line(f"{last} = {first}"), Line(f"{total} = {literal(scope)}"), Suite(tuple(arms)), Line(after)]
