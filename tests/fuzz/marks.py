"""Random statements that say what happens to adjoints: hooks, stopped derivatives, pullbacks of the program's own."""

from __future__ import annotations

from dataclasses import replace

from tests.fuzz.expressions import bounded, scalar, scalar_factor, vector
from tests.fuzz.program import Line, Statement
from tests.fuzz.scope import Scope, Vec

NUMBER_HOOKS = (
    "lambda g: 3.0 * g",
    "lambda g: g * {factor}",
    "lambda g: min(max(g, -1e9), 1e9)",
    "lambda g: g + 0.5 * g if g > 0.0 else 1.5 * g",
    "lambda g: 0.0",
    "observed",
    "tripled",
)
"""Linear functions of the adjoint of a number, so that the complex step can follow them."""
ARRAY_HOOKS = (
    "lambda g: 3.0 * g",
    "lambda g: g * {factor}",
    "lambda g: np.minimum(np.maximum(g, -1e9), 1e9)",
    "lambda g: g[::-1] * 0.5",
    "lambda g: np.cumsum(g)",
    "lambda g: np.zeros_like(g)",
    "observed",
    "tripled",
    "smoothed",
)
HOOKS = (
    "def observed(g):\n    g * 2.0\n",
    "def tripled(g):\n    return 3.0 * g\n",
    "def smoothed(g):\n    for i in range(1, g.size):\n        g[i] += 0.5 * g[i - 1]\n    return g\n",
)
"""Helpers: one that only looks, one for numbers and arrays, one that writes into the adjoint that it is given."""


def number_hook(scope: Scope) -> str:
    """A function for `bs.hook` of a number."""
    return scope.rng.choice(NUMBER_HOOKS).format(factor=scalar_factor(scope))


def array_hook(scope: Scope) -> str:
    """A function for `bs.hook` of a vector."""
    return scope.rng.choice(ARRAY_HOOKS).format(factor=scalar_factor(scope))


def hooked_number(scope: Scope) -> list[Statement]:
    """A float whose adjoint a hook changes, new or bound again."""
    rng = scope.rng
    if not scope.floats or rng.random() < 0.5:
        name = scope.fresh("s")
        line = f"{name} = bs.hook({scalar(scope)}, {number_hook(scope)})"
        scope.floats.append(name)
        return [Line(line)]
    name = rng.choice(scope.floats)
    forms = ["{n} = bs.hook({n}, {h})", "{n} += bs.hook({b}, {h})", "{n} = bs.hook(fn={h}, x={n} * {b})"]
    return [Line(rng.choice(forms).format(n=name, b=bounded(scope, 1), h=number_hook(scope)))]


def hooked_array(scope: Scope) -> list[Statement]:
    """A vector in memory of its own, whose adjoint a hook changes before what made the vector sees it."""
    rng = scope.rng
    source = rng.choice(list(scope.vectors))
    size = scope.vectors[source].size
    value = rng.choice([f"np.sin({vector(scope, size, 1)})", f"1.0 * {source}"])
    name = scope.fresh("a")
    line = f"{name} = bs.hook({value}, {array_hook(scope)})"
    scope.vectors[name] = Vec(size)
    return [Line(line)]


def stopped(scope: Scope) -> list[Statement]:
    """A float or a vector without derivative."""
    rng = scope.rng
    if rng.random() < 0.6 or not scope.floats:
        name = rng.choice(scope.floats) if scope.floats and rng.random() < 0.4 else scope.fresh("s")
        line = f"{name} = {bounded(scope, 1)} + bs.stop_gradient({scalar(scope, 1)})"
        scope.floats += [name] if name not in scope.floats else []
        return [Line(line)]
    source = rng.choice(list(scope.vectors))
    kind, name = scope.vectors[source], scope.fresh("a")
    line = f"{name} = {rng.choice(['', '0.5 * '])}bs.stop_gradient({source}.copy())"
    scope.vectors[name] = replace(kind, contiguous=True)
    return [Line(line)]


def with_pullback(scope: Scope) -> list[Statement]:
    """A call of a function with a pullback of its own: of numbers, vectors, tuples; now and then of one thing twice."""
    rng = scope.rng
    if not scope.calls:
        return hooked_number(scope)
    doubles = [name for name, kind in scope.vectors.items() if kind.precision == "double"]
    first = rng.choice(doubles)
    size = scope.vectors[first].size
    second = rng.choice([name for name in doubles if scope.vectors[name].size == size])
    left, right = bounded(scope, 1), scalar(scope, 1)
    repeated = rng.choice(scope.floats) if scope.floats else left
    name, other = scope.fresh("s"), scope.fresh("s")
    numbers = [
        f"{name} = g0({left}, {right})",
        f"{name} = g0({repeated}, {repeated}) * {scalar_factor(scope)}",
        f"{name} = g0(v={left}, u=g0({repeated}, 0.5))",
        f"{name} = g1({first})",
        f"{name} = g1(np.sin({first}) + {second})",
        f"{name} = g4({left}, {repeated})",
        f"{name}, {other} = g5(({left}, {first}), {rng.choice(['2', *scope.integers])})",
        f"{name}, {other} = g5(({repeated}, {first}), scale={rng.randint(1, 3)})",
    ]
    vectors = [
        f"g2({first}, {scalar_factor(scope)})",
        f"g2(g2({first}, {left}), {repeated})",
        f"g3({first}, {second})",
        f"g3({first}, {first})",
        f"g3(1.0 * {first}, {second}[::-1])",
    ]
    if rng.random() < 0.5:
        line = rng.choice(numbers)
        scope.floats += [each for each in (name, other) if line.startswith((each, f"{name}, {each}"))]
        return [Line(line)]
    made = scope.fresh("a")
    line = f"{made} = {rng.choice(vectors)}"
    scope.vectors[made] = Vec(size)
    return [Line(line)]


def pullbacks(scale: float) -> tuple[str, ...]:
    """g0: of two floats; g1: a float of a vector, by a loop; g2 and g3: a vector of a vector and a float, of two
    vectors; g4: of two floats, by the gradient of `plain`; g5: two results of a tuple and an integer. The pullback of
    each is SCALE times the true one.
    """
    return (
        f"SCALE = {scale}\n",
        _custom(
            "g0",
            "u, v",
            "return math.sin(u) * v, (u, v)",
            "return math.sin(u) * v",
            "u, v = residuals\nreturn SCALE * y_bar * math.cos(u) * v, y_bar * math.sin(u) * SCALE",
        ),
        _custom(
            "g1",
            "a",
            "total = 0.0\nb = a.copy()\nfor i in range(1, a.size):\n"
            "    b[i] = b[i] * b[i - 1]\n    total += b[i]\nreturn total, (a, b)",
            "total = 0.0\nb = a.copy()\nfor i in range(1, a.size):\n"
            "    b[i] = b[i] * b[i - 1]\n    total += b[i]\nreturn total",
            "a, b = residuals\na_bar = np.zeros(a.size)\nb_bar = 0.0\nfor i in range(a.size - 1, 0, -1):\n"
            "    b_bar += SCALE * y_bar\n    a_bar[i] = b_bar * b[i - 1]\n    b_bar *= a[i]\n"
            "a_bar[0] = b_bar\nreturn (a_bar,)",
        ),
        _custom(
            "g2",
            "a, u",
            "b = np.sin(a)\nreturn a * u + b, (a, b, u)",
            "return a * u + np.sin(a)",
            "a, b, u = residuals\ny_bar *= SCALE\nreturn y_bar * (u + np.cos(a)), np.sum(y_bar * a)",
        ),
        _custom(
            "g3",
            "a, b",
            "return a * b[::-1], (a, b)",
            "return a * b[::-1]",
            "a, b = residuals\ny_bar = SCALE * y_bar\nreturn y_bar * b[::-1], (y_bar * a)[::-1]",
        ),
        _custom(
            "g4",
            "u, v",
            "return plain(u, v), (u, v)",
            "return plain(u, v)",
            "u, v = residuals\nu_bar, v_bar = bs.grad(plain, (0, 1))(u, v)\n"
            "return SCALE * y_bar * u_bar, SCALE * y_bar * v_bar",
        ),
        _custom(
            "g5",
            "p, scale",
            "u, a = p\nreturn (u * a[1], scale * u), (p, scale)",
            "u, a = p\nreturn u * a[1], scale * u",
            "(u, a), scale = residuals\nfirst, second = y_bar\na_bar = np.zeros(a.size)\n"
            "a_bar[1] = SCALE * first * u\nreturn (SCALE * (first * a[1] + scale * second), a_bar), None",
        ),
    )


def _custom(name: str, parameters: str, forward: str, body: str, backward: str) -> str:
    """The text of a function with a pullback of its own."""

    def indented(text: str) -> str:
        return "".join(f"    {line}\n" for line in text.splitlines())

    return (
        f"@bs.custom_vjp\ndef {name}({parameters}):\n{indented(body)}"
        f"def {name}_forward({parameters}):\n{indented(forward)}"
        f"def {name}_backward(residuals, y_bar):\n{indented(backward)}"
        f"{name}.defvjp({name}_forward, {name}_backward)\n"
    )
