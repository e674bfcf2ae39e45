"""Random statements that define functions, call them, and pass them on."""

from __future__ import annotations

from tests.fuzz.expressions import bounded, condition, scalar_factor
from tests.fuzz.program import Line, Statement, Suite
from tests.fuzz.scope import Scope


def inner_function(scope: Scope) -> list[Statement]:
    """A lambda or an inner function of one float that reads what is around it."""
    name, inside = scope.fresh("f"), scope.inner()
    inside.lists = {}
    inside.floats.append("u")
    inside.functions = []
    value = bounded(inside, 1)
    scope.functions.append(name)
    match scope.rng.randrange(3):
        case 0:
            return [Line(f"{name} = lambda u: {value}")]
        case 1:
            return [Suite(((f"def {name}(u):", (Line(f"return {value} + u"),)),))]
        case _:
            test = Suite(((f"if {condition(inside)}:", (Line(f"return {bounded(inside, 1)}"),)),))
            return [Suite(((f"def {name}(u):", (Line(f"u = u * {value}"), test, Line("return u"))),))]


def call(scope: Scope) -> list[Statement]:
    """A float from a helper or an inner function."""
    rng = scope.rng
    if not scope.calls or not scope.floats:
        return [Line(f"{rng.choice(scope.floats)} += 0.5")] if scope.floats else []
    total = rng.choice(scope.floats)
    options = [f"h0(v={bounded(scope, 1)}, u={total})", f"h0(*({total}, {bounded(scope, 1)}))"]
    options += [f"{name}({total})" for name in scope.functions] * 2
    options += [f"{name}({name}({bounded(scope, 1)}))" for name in scope.functions]
    return [Line(f"{total} = 0.5 * {total} + math.sin({rng.choice(options)})")]


def call_with_function(scope: Scope) -> list[Statement]:
    """A helper that is given a function."""
    rng = scope.rng
    if not scope.calls or not scope.floats:
        return call(scope)
    given = rng.choice([*scope.functions, "math.sin", "np.cos", "lambda w: w * 0.3 + math.cos(w)"])
    count = rng.choice(["", ", 0", ", n=1", ", 3"])
    return [Line(f"{rng.choice(scope.floats)} = math.sin(h4({given}, {bounded(scope, 1)}{count}))")]


def overlapping(scope: Scope) -> list[Statement]:
    """A helper that writes one vector and reads another, which may share memory."""
    rng = scope.rng
    if not scope.calls:
        return call(scope)
    names = list(scope.vectors)

    def part(name: str) -> str:
        size = scope.vectors[name].size
        return name if rng.random() < 0.6 else f"{name}[{scope.span(size, rng.randint(1, size))}]"

    first = rng.choice(names)
    second = first if rng.random() < 0.5 else rng.choice(names)
    name = scope.fresh("s")
    line = Line(f"{name} = math.sin(h5({part(first)}, {part(second)})) * {scalar_factor(scope)}")
    scope.floats.append(name)
    return [line]


def recursion(scope: Scope) -> list[Statement]:
    """A helper that calls itself."""
    rng = scope.rng
    if not scope.calls or not scope.floats:
        return call(scope)
    name = rng.choice(list(scope.vectors))
    size = scope.vectors[name].size
    options = [
        f"h6({bounded(scope, 1)}, {scalar_factor(scope)}, {rng.randrange(5)})",
        f"h7({name}, {rng.randrange(4)})",
        f"h8({name}, 0, {size})[{rng.randrange(2)}]",
    ]
    return [Line(f"{rng.choice(scope.floats)} += math.sin({rng.choice(options)})")]
