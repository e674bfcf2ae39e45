"""Random statements with other shapes and dtypes: reshaped and broadcast arrays, masks, float32, integers from floats."""

from __future__ import annotations

from tests.fuzz.expressions import bounded, scalar_factor, vector
from tests.fuzz.program import Line, Statement, Suite
from tests.fuzz.scope import Mat, Scope, Vec


def reshaped(scope: Scope) -> list[Statement]:
    """A vector of a matrix, or a matrix of vectors."""
    rng = scope.rng
    name, source = scope.fresh("a"), rng.choice(list(scope.matrices))
    shape = scope.matrices[source]
    first, second = rng.choice(list(scope.vectors)), rng.choice(list(scope.vectors))
    rows, columns = scope.vectors[first].size, scope.vectors[second].size
    of_columns, of_rows = vector(scope, shape.columns, 1), vector(scope, shape.rows, 1)
    made: list[tuple[str, Vec | Mat]] = [
        (f"{source}.copy().reshape({shape.rows * shape.columns})", Vec(shape.rows * shape.columns)),
        (f"np.sum({source}, axis=0)", Vec(shape.columns)),
        (f"{source}.sum(axis=1)", Vec(shape.rows)),
        (f"np.dot({source}.copy(), 1.0 * ({of_columns}))", Vec(shape.rows)),
        (f"np.ravel(np.sin({source}.T))", Vec(shape.rows * shape.columns)),
        (f"0.3 * np.outer(np.sin({first}), np.cos({second}))", Mat(rows, columns)),
        (f"np.sin({first}[:, np.newaxis] + {second})", Mat(rows, columns)),
        (f"np.sin({source} + 1.0 * ({of_columns}))", Mat(shape.rows, shape.columns)),
        (
            f"np.cos({source} * (1.0 * ({of_rows})).reshape(({shape.rows}, 1)))",
            Mat(shape.rows, shape.columns),
        ),
        (f"0.5 * {source}.T.copy()", Mat(shape.columns, shape.rows)),
        (f"np.sin({source}.copy()).reshape({shape.columns}, {shape.rows})", Mat(shape.columns, shape.rows)),
    ]
    text, kind = rng.choice(made)
    if isinstance(kind, Vec):
        scope.vectors[name] = kind
    else:
        scope.matrices[name] = kind
    return [Line(f"{name} = {text}")]


def single(scope: Scope) -> list[Statement]:
    """A vector in single precision."""
    rng = scope.rng
    source, name = rng.choice(list(scope.vectors)), scope.fresh("a")
    size = scope.vectors[source].size
    scope.vectors[name] = Vec(size, precision="single")
    if rng.random() < 0.5:
        return [Line(f"{name} = np.sin({source}).astype(np.float32)")]
    filled = (
        Line(f"{name}[:] = {vector(scope, size, 1)}")
        if rng.random() < 0.5
        else Line(f"{name}[0] = {bounded(scope)}")
    )
    return [Line(f"{name} = np.zeros({size}, np.float32)"), filled]


def table(scope: Scope) -> list[Statement]:
    """An array of integers, new or with an entry written: indices read from it change."""
    rng = scope.rng
    if scope.tables and rng.random() < 0.7:
        name = rng.choice(list(scope.tables))
        length, below = scope.tables[name]
        places = [str(rng.randrange(length)), *(f"{k} % {length}" for k in scope.integers)]
        at = f"{name}[{rng.choice(places)}]"
        other = rng.choice([f"{name}[{rng.choice(places)}]", *scope.integers])
        return [Line(f"{at} = ({other} * {rng.randint(1, 2)} + {rng.randint(0, 2)}) % {below}")]
    name, length, below = scope.fresh("q"), rng.randint(1, 4), rng.randint(1, 5)
    scope.tables[name] = (length, below)
    return [Line(f"{name} = np.array({[rng.randrange(below) for _ in range(length)]})")]


def masked(scope: Scope) -> list[Statement]:
    """A vector read, or written, where a condition on it holds."""
    rng = scope.rng
    name = rng.choice(list(scope.vectors))
    partner = rng.choice(scope.vector_of(scope.vectors[name].size))
    limit = f"{rng.uniform(0.05, 1.2):.4f}1"
    lines = [
        f"{name}[{partner} > {limit}] = {scalar_factor(scope)}",
        f"{name}[{name} < {limit}] *= {scalar_factor(scope)}",
        f"{name}[{partner} > {limit}] = np.sin({name}[{partner} > {limit}])",
    ]
    if scope.floats:
        total = rng.choice(scope.floats)
        lines.append(f"{total} += 0.2 * np.sum({name}[{partner} < {limit}] * {scalar_factor(scope)})")
    return [Line(rng.choice(lines))]


def cube(scope: Scope) -> list[Statement]:
    """An array of three axes, filled in a loop and summed."""
    rng = scope.rng
    name, i, j, result = scope.fresh("q"), scope.fresh("i"), scope.fresh("i"), scope.fresh("s")
    source = rng.choice(list(scope.vectors))
    size = scope.vectors[source].size
    inside = scope.inner(loop=True)
    inside.integers |= {i: (0, size - 1), j: (0, 1)}
    inside.frozen |= {i, j}
    operator = rng.choice(["=", "+=", "*="])
    store = Line(
        rng.choice(
            [
                f"{name}[{j}, {i}, {rng.randrange(3)}] {operator} {bounded(inside, 1)}",
                f"{name}[{j}, {i}] {operator} {bounded(inside, 1)}",
                f"{name}[{j}, :, 1] {operator} {vector(inside, size, 1)}",
                f"{name}[..., {i} % 3] = {bounded(inside, 1)}",
            ]
        )
    )
    loop = Suite(((f"for {i} in range({size}):", (Suite(((f"for {j} in range(2):", (store,)),)),)),))
    scope.floats.append(result)
    end = rng.choice(
        [
            f"{result} = np.sum({name}[1, :, 0] * {source})",
            f"{result} = {name}.sum()",
            f"{result} = np.sum({name} * {name})",
        ]
    )
    return [Line(f"{name} = np.full((2, {size}, 3), 0.5)"), loop, Line(end)]


def pairs(scope: Scope) -> list[Statement]:
    """A nest over pairs of entries: roots and quotients of differences, added to numbers, entries and rows."""
    rng = scope.rng
    if not scope.floats:
        return whole_number(scope)
    left, right = rng.choice(list(scope.vectors)), rng.choice(list(scope.vectors))
    sizes = scope.vectors[left].size, scope.vectors[right].size
    i, j, d, r, w = (scope.fresh(stem) for stem in ("i", "i", "d", "r", "a"))
    spans = [f"range({sizes[1]})", f"range({right}.size)"]
    spans += [f"range({i})", f"range({i} + 1, {sizes[1]})", f"range({i} + 1)"] if sizes[0] == sizes[1] else []
    weight = rng.choice([f"{right}[{j}] * {left}[{j} % {sizes[0]}]", f"{right}[{j}]", scalar_factor(scope)])
    inside = [
        f"{d} = {left}[{i}] - {right}[{j}]",
        f"{r} = {rng.choice([f'1.0 / math.sqrt({d} * {d} + 0.5)', f'{d} / ({d} * {d} + 0.7)', f'{d} * {weight}'])}",
    ]
    total = rng.choice(scope.floats)
    added = [
        f"{w}[{i}] += {r} * {weight}",
        f"{w}[{j} % {sizes[0]}] -= {d} * {r}",
        f"{w}[0] += {r} * {left}[{i}]",
        f"{total} += 0.1 * {r} * {weight}",
        f"{left}[{i}] += 0.05 * {r}",
        f"{right}[{j}] -= 0.05 * {d} * {r}",
    ]
    inside += rng.sample(added, rng.randint(1, 3))
    inner = Suite(((f"for {j} in {rng.choice(spans)}:", tuple(Line(line) for line in inside)),))
    outer = Suite(((f"for {i} in range({rng.choice([str(sizes[0]), f'{left}.size'])}):", (inner,)),))
    scope.vectors[w] = Vec(sizes[0])
    made = Line(f"{w} = {rng.choice([f'np.zeros({sizes[0]})', f'np.sin({left})'])}")
    return [made, outer]


def whole_number(scope: Scope) -> list[Statement]:
    """An integer computed from a float: an index that depends on the data."""
    rng = scope.rng
    name = scope.fresh("k")
    vector_ = rng.choice(list(scope.vectors))
    source = rng.choice([f"{vector_}[{scope.index(scope.vectors[vector_].size)}]", *scope.floats[-2:]])
    scope.integers[name] = (0, 4)
    return [Line(f"{name} = int({rng.uniform(2.0, 4.0):.4f}1 * {source}) % 5")]
