"""Random statements with nested tuples, namedtuples, tuples of arrays, lists that are handed on, and loops over several things."""

from __future__ import annotations

from tests.fuzz.expressions import bounded, condition, scalar_factor
from tests.fuzz.program import Line, Statement, Suite
from tests.fuzz.scope import Scope


def nested(scope: Scope) -> list[Statement]:
    """A nested tuple, taken apart; sometimes carried by a loop."""
    rng = scope.rng
    name, (a, b, c) = scope.fresh("p"), (scope.fresh("s") for _ in range(3))
    build = Line(f"{name} = (({bounded(scope, 1)}, {bounded(scope, 1)}), {bounded(scope, 1)})")
    step = rng.choice(
        [
            f"{name} = (({name}[1], {name}[0][0] * 0.5), math.sin({name}[0][1]))",
            f"{name} = (({name}[0][1], {name}[0][0]), {name}[1] * {scalar_factor(scope)})",
            f"{name} = ({name}[0], {bounded(scope, 1)} * {name}[0][1])",
        ]
    )
    taken = rng.choice(
        [
            f"({a}, {b}), {c} = {name}",
            f"{a}, {b}, {c} = {name}[0] + ({name}[1],)",
            f"{a}, ({b}, {c}) = ({name}[1], {name}[0])",
        ]
    )
    counter = scope.fresh("i")
    loop = Suite(((f"for {counter} in range({rng.randint(0, 3)}):", (Line(step),)),))
    scope.floats += [a, b, c]
    return [build, loop if rng.random() < 0.5 else Line(step), Line(taken)]


def record(scope: Scope) -> list[Statement]:
    """A namedtuple of a float and a vector; the vector is written through it."""
    rng = scope.rng
    if not scope.calls:
        return nested(scope)
    name, vector = scope.fresh("r"), rng.choice(list(scope.vectors))
    size = scope.vectors[vector].size
    result = scope.fresh("s")
    lines = [f"{name} = Pair({bounded(scope, 1)}, {vector})"]
    if rng.random() < 0.6:
        lines.append(f"{name}.right[{scope.index(size)}] {rng.choice(['=', '+=', '*='])} {bounded(scope, 1)}")
    lines.append(f"{result} = {name}.left * {name}.right[{scope.index(size)}] + {name}[0]")
    scope.floats.append(result)
    return [Line(line) for line in lines]


def arrays_in_tuple(scope: Scope) -> list[Statement]:
    """Vectors in a tuple, one of them written: chosen while compiling, while running, or one after the other."""
    rng = scope.rng
    first = rng.choice(list(scope.vectors))
    kind = scope.vectors[first]
    alike = [name for name, other in scope.vectors.items() if other == kind]
    second, name = rng.choice(alike), scope.fresh("p")
    index, value = scope.index(kind.size), bounded(scope, 1)
    lines: list[Statement] = [Line(f"{name} = ({first}, {second})")]
    match rng.randrange(3):
        case 0:
            lines.append(Line(f"{name}[{rng.randrange(2)}][{index}] {rng.choice(['=', '*='])} {value}"))
        case 1 if scope.integers:
            which = f"{rng.choice(list(scope.integers))} % 2"
            lines.append(Line(f"{name}[{which}][{index}] {rng.choice(['=', '+='])} {value}"))
        case _:
            entry = scope.fresh("v")
            lines.append(
                Suite(((f"for {entry} in {name}:", (Line(f"{entry}[{index}] = {value} * {entry}[0]"),)),))
            )
    return lines


def zipped(scope: Scope) -> list[Statement]:
    """A loop over two vectors at once, or over one with its positions; the vectors may be written within."""
    rng = scope.rng
    if not scope.floats:
        return nested(scope)
    first, second = rng.choice(list(scope.vectors)), rng.choice(list(scope.vectors))
    a, b, counter, total = scope.fresh("e"), scope.fresh("e"), scope.fresh("i"), rng.choice(scope.floats)
    inside = scope.inner(loop=True)
    inside.floats += [a]
    body: list[Statement] = []
    size = scope.vectors[first].size
    if rng.random() < 0.4:
        body.append(
            Line(f"{first}[{scope.index(size)}] {rng.choice(['=', '+=', '*='])} {bounded(inside, 1)}")
        )
    if rng.random() < 0.5:
        header = f"for {a}, {b} in zip({first}, {rng.choice([second, second + '[::-1]', second + '[1:]'])}):"
        inside.floats.append(b)
    else:
        header = f"for {counter}, {a} in enumerate({first}):"
        inside.integers[counter] = (0, size - 1)
        inside.frozen |= {counter}
    body.append(Line(f"{total} = 0.5 * {total} + {bounded(inside, 1)}"))
    return [Suite(((header, tuple(body)),))]


def lists_handed_on(scope: Scope) -> list[Statement]:
    """Two lists of numbers that a loop replaces, exchanges, chooses from, writes and lengthens."""
    rng = scope.rng
    one, other, item, total = (scope.fresh(stem) for stem in ("p", "q", "e", "s"))
    made = (f"[{', '.join(bounded(scope, 1) for _ in range(rng.randint(2, 3)))}]" for _ in range(2))
    begin = [Line(f"{name} = {items}") for name, items in zip((one, other), made, strict=True)]
    inside = scope.inner(loop=True)
    scope.floats.append(total)
    body: list[Statement] = []
    for _ in range(rng.randint(1, 3)):
        first, second = rng.sample([one, other], 2)
        value, factor = bounded(inside, 1), scalar_factor(inside)
        line = rng.choice(
            [
                f"{first}[{rng.choice(['0', '-1', '1'])}] {rng.choice(['=', '+=', '*='])} {value}",
                f"{first}, {second} = {second}, {first}",
                f"{first} = {second}",
                f"{first} = {second}[:]",
                f"{first} = [{second}[0] * {factor}, {first}[-1], {value}]",
                f"{first} = {first}[1:] + [{value}]",
                f"{first} = [{item} * {factor} for {item} in {second}]",
                f"{first}.append({value} * {second}[0])",
                f"{first} += [{second}[-1], {value}]",
                f"{first} = {first} if {condition(inside)} else {second}",
            ]
        )
        line_of = Line(line)
        body.append(Suite(((f"if {condition(inside)}:", (line_of,)),)) if rng.random() < 0.4 else line_of)
    body.append(Line(f"{total} = 0.5 * {total} + {one}[0] * {other}[-1]"))
    return [
        *begin,
        Line(f"{total} = 0.0"),
        Suite(((f"for {scope.fresh('i')} in range({rng.randint(0, 4)}):", tuple(body)),)),
        Line(f"{total} += {other}[0] * {one}[-1] + 0.1 * len({one})"),
    ]
