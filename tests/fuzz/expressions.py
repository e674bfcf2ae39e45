"""Random expressions: smooth everywhere, and bounded where the statement asks for it."""

from __future__ import annotations

from tests.fuzz.scope import Scope

BOUNDED = (
    "{m}.sin({e})",
    "{m}.tanh({e})",
    "{m}.cos({e})",
    "{m}.exp(-(({e}) ** 2))",
    "1.0 / (1.0 + ({e}) ** 2)",
    "1.0 / {m}.sqrt(1.0 + ({e}) ** 2)",
)
"""Maps to [-1, 1] that are smooth everywhere."""


def constant(scope: Scope) -> str:
    """A literal."""
    return f"{scope.rng.uniform(0.1, 1.9):.2f}"


def atom(scope: Scope) -> str:
    """A variable, an element, or a literal."""
    rng = scope.rng
    choice = rng.random()
    if choice < 0.45 and scope.floats:
        return rng.choice(scope.floats)
    if choice < 0.75 and scope.vectors:
        name = rng.choice(list(scope.vectors))
        return f"{name}[{scope.index(scope.vectors[name].size)}]"
    if choice < 0.83 and scope.matrices:
        name = rng.choice(list(scope.matrices))
        kind = scope.matrices[name]
        return f"{name}[{scope.index(kind.rows)}, {scope.index(kind.columns)}]"
    if choice < 0.9 and scope.integers:
        return f"{rng.choice(['0.1', '0.3'])} * {rng.choice(list(scope.integers))}"
    if choice < 0.93 and scope.lists:
        return scope.item(rng.choice(list(scope.lists)))
    if choice < 0.95 and scope.vectors:
        return reduction(scope)
    return constant(scope)


def reduction(scope: Scope) -> str:
    """A scalar made of a whole vector or of a slice of one."""
    rng = scope.rng
    name = rng.choice(list(scope.vectors))
    size = scope.vectors[name].size
    partner = rng.choice(scope.vector_of(size))
    length = rng.randint(1, size)
    options = [
        f"np.sum({name})",
        f"{name}.sum()",
        f"np.sum({name} * {partner})",
        f"np.sum({name}[{scope.span(size, length)}] * {partner}[{scope.span(size, length)}])",
        f"np.mean(np.sin({name}))",
    ]
    if scope.vectors[name].contiguous and scope.vectors[partner] == scope.vectors[name]:
        options.append(f"np.dot({name}, {partner})")
    return rng.choice(options)


def scalar(scope: Scope, depth: int = 2) -> str:
    """A scalar expression that may grow with its variables."""
    rng = scope.rng
    if depth == 0 or rng.random() < 0.2:
        return atom(scope)
    left, right = scalar(scope, depth - 1), scalar(scope, depth - 1)
    match rng.randrange(8):
        case 0 | 1:
            return f"{left} * ({right})" if "*" not in left else f"({left}) * ({right})"
        case 2:
            return f"{left} + {right}"
        case 3:
            return f"{left} - ({right})"
        case 4:
            return f"({left}) / (1.5 + ({right}) ** 2)"
        case 5:
            return bounded(scope, depth - 1)
        case 6 if scope.calls:
            return f"h0({left}, {right})"
        case 6:
            return f"({left}) * ({right})"
        case _:
            return f"(({left}) if {condition(scope)} else ({right}))"


def bounded(scope: Scope, depth: int = 2) -> str:
    """A scalar expression in [-1, 1]."""
    form = scope.rng.choice(BOUNDED)
    module = scope.rng.choice(["math", "np"])
    inner = scalar(scope, depth)
    if scope.rng.random() < scope.family.marks:
        marks = ("bs.hook({e}, lambda g: 0.5 * g)", "bs.hook({e}, tripled)", "bs.stop_gradient({e})")
        inner = scope.rng.choice(marks).format(e=inner)
    return form.format(m=module, e=inner)


def condition(scope: Scope) -> str:
    """A condition: mostly on integers, sometimes on a float, far from equality with probability one."""
    rng = scope.rng
    if scope.integers and rng.random() < 0.7:
        name = rng.choice(list(scope.integers))
        other = rng.choice(list(scope.integers))
        return rng.choice(
            [
                f"{name} % 2 == {rng.randrange(2)}",
                f"{name} > {rng.randint(0, 4)}",
                f"({name} + {other}) % 3 != {rng.randrange(3)}",
                f"{name} == {rng.randint(0, 4)}",
                f"{name} <= {other}",
                f"{name} > 1 and {other} < 3",
                f"not {name} % 3 == 1",
            ]
        )
    name = rng.choice(list(scope.vectors)) if scope.vectors and rng.random() < 0.5 else ""
    left = f"{name}[{scope.index(scope.vectors[name].size)}]" if name else rng.choice(scope.floats)
    return f"{left} {rng.choice('<>')} {rng.uniform(0.05, 1.2):.4f}1"


def vector(scope: Scope, size: int, depth: int = 2) -> str:
    """An expression of a vector of `size` entries that does not grow."""
    rng = scope.rng
    if depth == 0 or rng.random() < 0.15:
        return vector_atom(scope, size)
    left, right = vector(scope, size, depth - 1), vector(scope, size, depth - 1)
    match rng.randrange(8):
        case 0:
            return f"np.sin({left} + {right})"
        case 6:
            return rearranged(scope, left, size)
        case 7:
            return f"np.where({left} > {rng.uniform(0.05, 1.2):.4f}1, {right}, 0.5 * {left})"
        case 1:
            return f"0.5 * {left} - 0.4 * ({right})"
        case 2:
            return f"np.tanh({left} * {scalar_factor(scope)})"
        case 3:
            return f"np.exp(-(({left}) ** 2)) * {scalar_factor(scope)}"
        case 4:
            return f"({left}) / (1.2 + ({right}) ** 2)"
        case _:
            return f"np.cos({left}) * np.sin({right})"


def rearranged(scope: Scope, of: str, size: int) -> str:
    """The entries of a vector in another order, or summed."""
    rng = scope.rng
    places = ", ".join(str(rng.randrange(-size, size)) for _ in range(size))
    cut = rng.randrange(size)
    return rng.choice(
        [
            f"0.3 * np.cumsum(np.sin({of}))",
            f"np.flip(1.0 * {of})",
            f"np.roll(1.0 * {of}, {rng.randint(-2, 3)})",
            f"(1.0 * {of})[np.array([{places}])]",
            f"np.concatenate((np.sin({of})[{cut}:], np.cos({of})[:{cut}]))",
        ]
    )


def vector_atom(scope: Scope, size: int) -> str:
    """A vector of this size, or a slice, row or column that has it."""
    rng = scope.rng
    options = [name for name in scope.vector_of(size)] * 2
    for name, kind in scope.vectors.items():
        if kind.size > size:
            options.append(f"{name}[{scope.span(kind.size, size)}]")
    for name, shape in scope.matrices.items():
        if shape.columns == size:
            options += [f"{name}[{scope.index(shape.rows)}]", f"{name}[{scope.index(shape.rows)}, :]"]
        if shape.rows == size:
            options.append(f"{name}[:, {scope.index(shape.columns)}]")
    return rng.choice(options) if options else f"np.full({size}, {scalar_factor(scope)})"


def scalar_factor(scope: Scope) -> str:
    """A scalar variable or a literal, bounded."""
    if scope.floats and scope.rng.random() < 0.6:
        return f"math.sin({scope.rng.choice(scope.floats)})"
    return constant(scope)
