"""Operations that are defined under a guard only: subscripts, `//` and `%`, roots, logarithms, quotients; in loops and bounds."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.program import Line, Statement, Suite
from tests.fuzz.typed.expressions import bounded, literal, real, truth
from tests.fuzz.typed.scope import Bounds, Scope

Body = Callable[[Scope, int], tuple[Statement, ...]]


def edge(scope: Scope) -> tuple[str, list[Statement]]:
    """A whole number that may be out of every range, and the lines that make it."""
    rng = scope.rng
    name = scope.fresh("k")
    value = rng.choice(
        ["0", "0", "1", "2", "3", "-1", "7", "10 ** 8", "-(10 ** 8)", "k", "n", "len(x) - 5", "2 * n"]
    )
    scope.run(f"{name} = {value}")
    scope.hidden.add(name)
    return name, [Line(f"{name} = {value}")]


def guarded_trips(scope: Scope, body: Body) -> list[Statement]:
    """A loop whose bound is a partial operation under its guard, in a loop or not."""
    rng = scope.rng
    name, made = edge(scope)
    counts = rng.choice([each for each in scope.arrays("iu")])
    i, j, total = scope.fresh("i"), scope.fresh("i"), scope.fresh("s")
    guard, bound = rng.choice(
        [
            (f"{name} > 0", f"n // {name}"),
            (f"{name} > 0", f"7 % {name}"),
            (f"{name} != 0", f"min(abs(n // {name}), 4)"),
            (f"{name} != 0", f"abs(5 % {name}) % 4"),
            (f"{name} < {counts}.size and {name} >= 0", f"int({counts}[{name}]) % 5"),
            (f"0 <= {name} < {counts}.size", f"min({counts}[{name}], 3)"),
            (f"{name} > 0 and n % {name} == 0", f"min(n // {name}, 4)"),
            (f"{name} >= 0 and {name} < x.size and x[{name}] > 0.4", f"int(x[{name}] * 3.0)"),
            (f"0 < {name} < 6", f"int(6.0 / {name})"),
        ]
    )
    scope.run(f"{total} = {literal(scope)}")
    within = scope.inner(loop=True)
    within.counters[j] = Bounds(0, 6)
    within.values[j] = 0
    update = Line(
        f"{total} = {rng.choice([f'{total} * 0.5 + {bounded(within)}', f'math.sin({total} + {real(within, 1)})'])}"
    )
    inner = Suite(
        ((f"for {j} in range({bound}):", (update, *(body(within, 1) if rng.random() < 0.3 else ()))),)
    )
    arms: list[tuple[str, tuple[Statement, ...]]] = [(f"if {guard}:", (inner,))]
    if rng.random() < 0.5:
        arms.append(("else:", (Line(f"{total} = {total} * {bounded(scope)}"),)))
    branch = Suite(tuple(arms))
    if rng.random() < 0.3:
        return [Line(f"{total} = {literal(scope)}"), *made, branch]
    moved = [Line(f"{name} = {name} {rng.choice(['- 1', '+ 1', '// 2'])}")] if rng.random() < 0.3 else []
    outer = Suite(((f"for {i} in range({rng.choice(['x.size', '3', 'len(y)'])}):", (branch, *moved)),))
    return [Line(f"{total} = {literal(scope)}"), *made, outer]


def guarded_value(scope: Scope) -> list[Statement]:
    """A root, a logarithm, a quotient or a subscript under its guard, mostly in a loop."""
    rng = scope.rng
    name, made = edge(scope)
    i, total, source = scope.fresh("i"), scope.fresh("s"), rng.choice(scope.arrays("f"))
    limit = f"{rng.uniform(0.2, 0.9):.3f}1"
    e = f"{source}[{i}]"
    guard, value = rng.choice(
        [
            (f"{e} > {limit}", f"math.sqrt({e} - {limit})"),
            (f"{e} > {limit}", f"np.log({e} - {limit} + 0.2)"),
            (f"{e} - {limit} > 0.0", f"({e} - {limit}) ** 1.5"),
            (f"{name} > 0", f"{e} / {name}"),
            (f"{name} != 0", f"1.0 / {name} * {e}"),
            (f"{name} > 0", f"{e} * (n // {name}) + n % {name}"),
            (f"{name} < {source}.size and {name} >= 0", f"{source}[{name}] * {e}"),
            (f"0 <= {name} + {i} < {source}.size", f"{source}[{name} + {i}] * {e}"),
            (f"{i} > 0", f"{source}[{i} - 1] * {e}"),
            (f"{i} > 0", f"{e} / {i} + n % {i}"),
            (f"{i} + 1 < {source}.size", f"{source}[{i} + 1] - {e} * {e}"),
            (f"{name} > 0 and {i} % {name} == 0", f"{e} * ({i} // {name})"),
            (f"{name} >= 0 and {name} < m.size and m[{name}] > 0", f"{e} / m[{name}]"),
        ]
    )
    scope.run(f"{total} = 1.0")
    line = rng.choice(
        [f"{total} += {value}", f"{total} = {total} * 0.5 + {value}", f"{source}[{i}] = 0.5 * ({value})"]
    )
    inside: tuple[Statement, ...]
    match rng.randrange(4):
        case 0:
            inside = (Line(f"{total} += ({value}) if {guard} else {literal(scope)}"),)
        case 1:
            inside = (Suite(((f"if not ({guard}):", (Line("continue"),)),)), Line(line))
        case 2 if " and " not in guard:
            inside = (
                Suite(
                    ((f"if {guard} and {value} > 0.1:", (Line(line),)), ("else:", (Line(f"{total} *= 0.9"),)))
                ),
            )
        case _:
            inside = (Suite(((f"if {guard}:", (Line(line),)),)),)
    header = rng.choice(
        [f"for {i} in range({source}.size):", f"for {i} in range({source}.size - 1, -1, -1):"]
    )
    return [*made, Line(f"{total} = 1.0"), Suite(((header, inside),))]


def search(scope: Scope) -> list[Statement]:
    """A `while` whose condition guards a subscript, and what its counter is used for."""
    rng = scope.rng
    name, source, total = scope.fresh("k"), rng.choice(scope.arrays("fiu")), scope.fresh("s")
    test = rng.choice(
        [
            f"{name} < {source}.size and {source}[{name}] {rng.choice('<>')} {rng.uniform(0.1, 0.9):.3f}1",
            f"{name} < {source}.size and not {source}[{name}] > {rng.uniform(0.1, 1.2):.3f}1",
            f"{name} + 1 < {source}.size and {source}[{name} + 1] * {source}[{name}] < 0.6",
        ]
    )
    scope.run(f"{total} = 0.5\n{name} = 0")
    within = scope.inner(loop=True)
    update = Line(f"{total} = {total} * 0.7 + {bounded(within)}")
    after = rng.choice(
        [f"{total} *= {name} + 1", f"{total} += {name} * {bounded(scope)}", f"{total} += x[min({name}, 4)]"]
    )
    loop = Suite(((f"while {test}:", (Line(f"{name} += 1", keep=True), update)),))
    guarded = Suite(
        ((f"if {name} < {source}.size:", (Line(f"{total} += {source}[{name}] * {truth(scope)}"),)),)
    )
    return [Line(f"{name} = 0", keep=True), Line(f"{total} = 0.5"), loop, Line(after), guarded]
