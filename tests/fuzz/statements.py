"""Random simple statements: assignments, stores, views, swaps, calls, integer updates."""

from __future__ import annotations

from dataclasses import replace

from tests.fuzz.expressions import (
    bounded,
    condition,
    constant,
    reduction,
    scalar,
    scalar_factor,
    vector,
    vector_atom,
)
from tests.fuzz.program import Line, Statement, Suite
from tests.fuzz.scope import Mat, Scope, Vec

WIDE = 10**6
"""The greatest value of an integer whose growth is not followed; it indexes only through `%`."""


def assign_float(scope: Scope) -> list[Statement]:
    """A float variable, new or bound again."""
    rng = scope.rng
    value = rng.choice([bounded(scope), bounded(scope), scalar(scope)])
    if scope.floats and rng.random() < 0.6:
        name = rng.choice(scope.floats)
        forms = [
            "{n} = {b}",
            "{n} += {b}",
            "{n} -= {b}",
            "{n} *= {b}",
            "{n} /= 1.2 + ({b}) ** 2",
            "{n} = 0.5 * {n} + {b}",
        ]
        return [Line(rng.choice(forms).format(n=name, b=bounded(scope)))]
    name = scope.fresh("s")
    scope.floats.append(name)
    return [Line(f"{name} = {value}")]


def conditional_value(scope: Scope) -> list[Statement]:
    """A conditional expression, or a name first assigned on both branches."""
    name = scope.fresh("s")
    test, left, right = condition(scope), bounded(scope), bounded(scope)
    scope.floats.append(name)
    if scope.rng.random() < 0.5:
        return [Line(f"{name} = {left} if {test} else {right}")]
    return [Suite(((f"if {test}:", (Line(f"{name} = {left}"),)), ("else:", (Line(f"{name} = {right}"),))))]


def change_of_type(scope: Scope) -> list[Statement]:
    """A name that is an integer and then a float."""
    name = scope.fresh("s")
    first = Line(f"{name} = {scope.rng.choice([*scope.integers, '2'])}")
    second = Line(f"{name} = {name} * {constant(scope)} + {bounded(scope)}")
    scope.floats.append(name)
    return [first, second]


def element_store(scope: Scope) -> list[Statement]:
    """An element of a vector or a matrix."""
    rng = scope.rng
    if scope.matrices and rng.random() < 0.3:
        name = rng.choice(list(scope.matrices))
        shape = scope.matrices[name]
        target = f"{name}[{scope.index(shape.rows)}, {scope.index(shape.columns)}]"
    else:
        name = rng.choice(list(scope.vectors))
        target = f"{name}[{scope.index(scope.vectors[name].size)}]"
    forms = ["{t} = {b}", "{t} = {b}", "{t} += {b}", "{t} -= {b}", "{t} *= {b}", "{t} = {t} * {b} + {b2}"]
    return [Line(rng.choice(forms).format(t=target, b=bounded(scope), b2=bounded(scope, 1)))]


def slice_store(scope: Scope) -> list[Statement]:
    """A slice or the whole of a vector, a row or a column."""
    rng = scope.rng
    if scope.matrices and rng.random() < 0.3:
        name = rng.choice(list(scope.matrices))
        shape = scope.matrices[name]
        by_row = rng.random() < 0.5
        size = shape.columns if by_row else shape.rows
        target = (
            f"{name}[{scope.index(shape.rows)}]" if by_row else f"{name}[:, {scope.index(shape.columns)}]"
        )
    else:
        name = rng.choice(list(scope.vectors))
        size = rng.randint(1, scope.vectors[name].size)
        target = f"{name}[{scope.span(scope.vectors[name].size, size)}]"
    factor = scalar_factor(scope)
    # Numba does not buffer an overlapping view in `a[1:] += a[:-1]` as NumPy does: no bare views there
    forms = [
        f"{target} = {vector(scope, size)}",
        f"{target} = {vector_atom(scope, size)}",
        f"{target} = {factor}",
    ]
    forms += [
        f"{target} += {factor}",
        f"{target} *= {factor}",
        f"{target} += np.sin({vector_atom(scope, size)}) * 0.5",
    ]
    return [Line(rng.choice(forms))]


def whole_update(scope: Scope) -> list[Statement]:
    """`a += b`, `a *= b` on whole vectors: every name of the memory sees it."""
    rng = scope.rng
    name = rng.choice(list(scope.vectors))
    factor = scalar_factor(scope)
    return [Line(rng.choice([f"{name} *= {factor}", f"{name} += {factor}", f"{name}[:] = {factor}"]))]


def new_vector(scope: Scope) -> list[Statement]:
    """A vector in memory of its own, new or bound again."""
    rng = scope.rng
    if rng.random() < 0.3:
        name = rng.choice([each for each, kind in scope.vectors.items() if kind.precision == "double"])
        return [Line(f"{name} = {_made(scope, scope.vectors[name].size)}")]
    source = rng.choice(list(scope.vectors))
    size = scope.vectors[source].size
    name = scope.fresh("a")
    value = rng.choice([_made(scope, size), _made(scope, size), f"{source}.copy()", f"np.zeros({size})"])
    copied = value == f"{source}.copy()"
    scope.vectors[name] = Vec(size, precision=scope.vectors[source].precision if copied else "double")
    return [Line(f"{name} = {value}")]


def _made(scope: Scope, size: int) -> str:
    """A vector expression that is certainly fresh memory."""
    return (
        f"1.0 * {vector_atom(scope, size)}"
        if scope.rng.random() < 0.3
        else f"np.sin({vector(scope, size, 1)})"
    )


def written_then_read(scope: Scope) -> list[Statement]:
    """A vector that a cheap operation makes, written in part and then read as a whole."""
    rng = scope.rng
    source = rng.choice(list(scope.vectors))
    size = scope.vectors[source].size
    name, total = scope.fresh("a"), scope.fresh("s")
    partner = rng.choice(scope.vector_of(size))
    made = rng.choice([f"{source} * {scalar_factor(scope)}", f"{source} + {partner}", f"-{source}"])
    at = scope.index(size)
    written = [
        f"{name}[{at}] = {bounded(scope, 1)}",
        f"{name}[{at}] *= {scalar_factor(scope)}",
        f"{name}[{scope.span(size, size)}] *= {scalar_factor(scope)}",
        f"{name}[{at}] = {name}[{scope.index(size)}] * {scalar_factor(scope)}",
    ]
    scope.vectors[name] = Vec(size)
    lines = [f"{name} = {made}", rng.choice(written), f"{total} = np.mean(np.sin({name} * {partner}))"]
    scope.floats.append(total)
    return [Line(line) for line in lines]


def new_view(scope: Scope) -> list[Statement]:
    """A second name of a vector, a slice of one, a row or a column."""
    rng = scope.rng
    name = scope.fresh("v")
    choice = rng.random()
    if choice < 0.25 and scope.matrices:
        source = rng.choice(list(scope.matrices))
        shape = scope.matrices[source]
        if rng.random() < 0.5:
            line = f"{name} = {source}[{scope.index(shape.rows)}]"
            scope.vectors[name] = Vec(shape.columns)
        else:
            line = f"{name} = {source}[:, {scope.index(shape.columns)}]"
            scope.vectors[name] = Vec(shape.rows, contiguous=False)
        return [Line(line)]
    source = rng.choice(list(scope.vectors))
    kind = scope.vectors[source]
    if choice < 0.45:
        scope.vectors[name] = kind
        return [Line(f"{name} = {source}")]
    size = rng.randint(1, kind.size)
    scope.vectors[name] = replace(kind, size=size, contiguous=False)
    return [Line(f"{name} = {source}[{scope.span(kind.size, size)}]")]


def new_matrix(scope: Scope) -> list[Statement]:
    """A matrix in memory of its own."""
    source = scope.rng.choice(list(scope.matrices))
    shape = scope.matrices[source]
    name = scope.fresh("m")
    text = scope.rng.choice(
        [f"np.sin({source})", f"{source}.copy()", f"np.zeros(({shape.rows}, {shape.columns}))"]
    )
    scope.matrices[name] = Mat(shape.rows, shape.columns)
    return [Line(f"{name} = {text}")]


def swap(scope: Scope) -> list[Statement]:
    """Two names exchanged: vectors of one kind, or floats with a computation."""
    rng = scope.rng
    pairs = [
        (a, b)
        for a, kind in scope.vectors.items()
        for b, other in scope.vectors.items()
        if a < b and kind == other
    ]
    if pairs and rng.random() < 0.7:
        a, b = rng.choice(pairs)
        return [Line(f"{a}, {b} = {b}, {a}")]
    if len(scope.floats) > 1:
        a, b = rng.sample(scope.floats, 2)
        return [Line(f"{a}, {b} = {b}, {bounded(scope, 1)}")]
    return assign_float(scope)


def tuples(scope: Scope) -> list[Statement]:
    """A tuple built and read, or unpacked from a call."""
    rng = scope.rng
    first, second = scope.fresh("s"), scope.fresh("s")
    left, right = bounded(scope, 1), scalar(scope, 1)
    if scope.calls and rng.random() < 0.5:
        lines = [f"{first}, {second} = h1({left}, {right})"]
    else:
        pair = scope.fresh("p")
        lines = [f"{pair} = ({left}, {right})", f"{first} = {pair}[0] * {pair}[1]", f"{second} = {pair}[-1]"]
    scope.floats += [first, second]
    return [Line(line) for line in lines]


def call_on_array(scope: Scope) -> list[Statement]:
    """A helper that writes the vector it is given, or returns a view of it."""
    rng = scope.rng
    if not scope.calls:
        return element_store(scope)
    name = rng.choice(list(scope.vectors))
    kind = scope.vectors[name]
    argument = name if rng.random() < 0.6 else f"{name}[{scope.span(kind.size, rng.randint(1, kind.size))}]"
    if rng.random() < 0.6 or kind.size < 3:
        return [Line(f"h2({argument}, {scalar_factor(scope)})")]
    view = scope.fresh("v")
    scope.vectors[view] = replace(kind, size=kind.size - 1, contiguous=False)
    return [Line(f"{view} = h3({name})")]


def integer(scope: Scope) -> list[Statement]:
    """An integer variable, new or updated within its bounds."""
    rng = scope.rng
    own = [name for name in scope.integers if name not in scope.frozen]
    if not own or rng.random() < 0.3:
        name = scope.fresh("k")
        start = rng.randint(0, 3)
        scope.integers[name] = (0, 4) if rng.random() < 0.5 else (-WIDE, WIDE)
        return [Line(f"{name} = {start}")]
    name = rng.choice(own)
    other = rng.choice(list(scope.integers))
    if scope.integers[name] == (-WIDE, WIDE):
        return [Line(f"{name} {rng.choice(['+=', '-='])} {rng.randint(1, 3)}")]
    low, high = scope.integers[name]
    return [Line(f"{name} = ({name} * {rng.randint(1, 3)} + {other}) % {high + 1 - low} + {low}")]


def accumulate(scope: Scope) -> list[Statement]:
    """A reduction added to a float."""
    if not scope.floats:
        return assign_float(scope)
    name = scope.rng.choice(scope.floats)
    return [Line(f"{name} += 0.2 * {reduction(scope)}")]


def new_list(scope: Scope) -> list[Statement]:
    """A list: written out, of one value many times, or a comprehension."""
    rng = scope.rng
    name = scope.fresh("l")
    choice = rng.random()
    if choice < 0.4:
        least, text = 2, f"[{bounded(scope, 1)}, {bounded(scope, 1)}]"
    elif choice < 0.6:
        least = rng.randint(1, 4)
        text = f"[{constant(scope)}] * {least}"
    else:
        source = rng.choice(list(scope.vectors))
        inner = scope.inner()
        entry = scope.fresh("e")
        inner.floats.append(entry)
        least, text = scope.vectors[source].size, f"[{bounded(inner, 1)} for {entry} in {source}.copy()]"
    scope.lists[name] = least
    return [Line(f"{name} = {text}")]


def change_list(scope: Scope) -> list[Statement]:
    """An item appended to a list, or written."""
    rng = scope.rng
    if not scope.lists:
        return new_list(scope)
    name = rng.choice(list(scope.lists))
    if rng.random() < 0.6:
        return [Line(f"{name}.append({bounded(scope, 1)})")]
    return [Line(f"{scope.item(name)} {rng.choice(['=', '+=', '*='])} {bounded(scope, 1)}")]


def read_list(scope: Scope) -> list[Statement]:
    """A float from a list: its sum, or a loop over its items."""
    rng = scope.rng
    if not scope.lists or not scope.floats:
        return new_list(scope)
    source, total, entry = rng.choice(list(scope.lists)), rng.choice(scope.floats), scope.fresh("e")
    if rng.random() < 0.4:
        return [Line(f"{total} += 0.2 * sum({source})")]
    inner = scope.inner(loop=True)
    inner.floats.append(entry)
    loop = f"for {entry} in {rng.choice([source, f'{source}[1:]', f'{source}[::-1]'])}:"
    return [Suite(((loop, (Line(f"{total} = 0.5 * {total} + {bounded(inner, 1)}"),)),))]


def scatter(scope: Scope) -> list[Statement]:
    """A store at an index array; of equal positions the last wins."""
    rng = scope.rng
    name = rng.choice(list(scope.vectors))
    size = scope.vectors[name].size
    places = [rng.randrange(-size, size) for _ in range(rng.randint(1, 4))]
    value = vector(scope, len(places), 1)
    return [Line(f"{name}[np.array({places})] = {value}")]
