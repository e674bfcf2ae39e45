"""Random expressions of whole arrays: parts of every form, broadcasting, products, reductions, masks, decompositions."""

from __future__ import annotations

import ast

from tests.fuzz.arrays.scope import Scope, Shapes, broadcasts

UNARY = (
    "np.sin({})",
    "np.cos({})",
    "np.tanh({})",
    "np.exp(-{0} * {0})",
    "np.sqrt(1.0 + {0} * {0})",
    "1.0 / (1.5 + {0} ** 2)",
    "np.log1p({0} * {0})",
    "np.arctan({})",
    "(-{})",
    "{} ** 2",
    "0.2 * {} ** 3",
    "np.abs({})",
    "np.maximum({}, 0.137)",
    "np.minimum(0.731, {})",
    "np.clip({}, -0.512, 0.643)",
    "(0.3 - {})",
    "(1.0 + {})",
    "np.square({})",
)
BINARY = (
    "({} + {})",
    "({} - {})",
    "{} * {}",
    "{} / (1.5 + {} ** 2)",
    "np.maximum({}, {})",
    "np.minimum({}, {})",
    "0.5 * ({} * {})",
    "np.hypot({}, 0.5 + {})",
    "np.arctan2({}, 2.0 + {})",
)
LIKE = (
    "np.zeros_like({})",
    "np.ones_like({})",
    "np.full({0}.shape, 0.3)",
    "np.ones({0}.shape)",
    "np.zeros({0}.shape)",
    "np.copy({})",
    "{}.copy()",
    "np.ascontiguousarray({})",
    "np.asfortranarray({})",
)
OF_VECTOR = (
    "np.cumsum({})",
    "np.flip({})",
    "np.roll({}, 1)",
    "np.roll({}, -2)",
    "np.diag({})",
    "np.diff({})",
    "np.sort({})",
    "np.repeat({}, 2)",
    "np.outer({0}, {0})",
    "np.expand_dims({}, 0)",
    "{}.reshape(-1, 1)",
    "{0}.reshape(1, {0}.size)",
    "{0}.reshape(({0}.size, 1))",
    "{}[:, np.newaxis]",
    "{}[None, :]",
    "np.vstack(({0}, {0}))",
    "np.hstack(({0}, {0}))",
    "np.cumprod(1.0 + 0.2 * {})",
    "np.append({0}, {0}[:1])",
    "np.arange({0}.size) * 0.2",
    "np.linspace(0.1, 0.9, {0}.size)",
    "np.interp({0}, np.linspace(-2.0, 2.0, 5), np.linspace(0.0, 1.0, 5) ** 2)",
)
OF_MATRIX = (
    "{}.T",
    "np.transpose({})",
    "{}.ravel()",
    "np.ravel({})",
    "{}.flatten()",
    "{}.reshape(-1)",
    "{0}.reshape({0}.size)",
    "{0}.reshape({0}.shape[1], {0}.shape[0])",
    "np.sum({}, axis=0)",
    "np.sum({}, axis=1)",
    "{}.sum(axis=0)",
    "{}.sum(1)",
    "{}.sum(axis=-1)",
    "np.cumsum({})",
    "np.diag({})",
    "np.tril({})",
    "np.triu({}, 1)",
    "np.fliplr({})",
    "np.flipud({})",
    "np.vstack(({0}, {0}))",
    "np.concatenate(({0}, {0}), axis=1)",
    "np.concatenate(({0}[:1], {0}))",
    "np.rot90({})",
    "np.expand_dims({}, 1)[:, 0]",
    "{0} @ {0}.T",
    "np.dot({0}.T, {0})",
    "np.swapaxes({}, 0, 1)",
    "np.eye({}.shape[0])",
    "np.eye({0}.shape[0], {0}.shape[1])",
)
OF_CUBE = (
    "{}.T",
    "np.sum({}, axis=0)",
    "np.sum({}, axis=1)",
    "{}.sum(axis=2)",
    "{}.sum(axis=1)",
    "np.transpose({}, (1, 0, 2))",
    "np.transpose({}, (2, 0, 1))",
    "{}.reshape(-1)",
    "{0}.reshape({0}.shape[0], -1)",
    "{0}.reshape(-1, {0}.shape[2])",
    "np.swapaxes({}, 0, 2)",
    "{}.ravel()",
)
OF_SQUARE = (
    "np.linalg.inv({0} + 4.0 * np.eye({0}.shape[0]))",
    "np.linalg.cholesky({0} @ {0}.T + 2.0 * np.eye({0}.shape[0]))",
    "np.linalg.eigvalsh({0} + {0}.T + np.diag(np.arange({0}.shape[0]) * 3.0))",
    "np.linalg.qr({0} + 3.0 * np.eye({0}.shape[0]))[1]",
    "np.linalg.solve({0} + 4.0 * np.eye({0}.shape[0]), {0})",
    "np.linalg.pinv({0} + 4.0 * np.eye({0}.shape[0]))",
    "np.linalg.matrix_power({0}, 2)",
)
NUMBERS = (
    "np.sum({})",
    "{}.sum()",
    "np.sum({0} * {0})",
    "np.mean({})",
    "{}.mean()",
    "np.max({})",
    "{}.min()",
    "np.prod(1.0 + 0.2 * {})",
    "np.std({})",
    "np.var({})",
    "np.linalg.norm({})",
    "np.sum(np.abs({})) ** 0.5",
    "np.sum({0}[{0} > 0.1])",
    "np.median({})",
    "np.ptp({})",
    "{0}.sum() / {0}.size",
)
OF_SQUARE_NUMBERS = (
    "np.linalg.det({0} + 2.0 * np.eye({0}.shape[0]))",
    "np.linalg.slogdet({0} + 4.0 * np.eye({0}.shape[0]))[1]",
    "np.trace({})",
)
CONDITIONS = (
    "{} > {}",
    "{} < {}",
    "{} >= {}",
    "({0} > 0.1) & ({1} < 0.6)",
    "({0} < 0.0) | ({1} > 0.4)",
    "~({} > {})",
)


def literal(scope: Scope) -> str:
    """A number that no other value is likely to be equal to."""
    return f"{scope.rng.uniform(-0.9, 1.4):.2f}1"


def number(scope: Scope, depth: int = 1) -> str:
    """An expression of a number."""
    rng, choice = scope.rng, scope.rng.random()
    if choice < 0.2 or depth < 0:
        return literal(scope)
    if choice < 0.4 and scope.scalars():
        return rng.choice(scope.scalars())
    if choice < 0.5:
        names = scope.arrays(axes=(1,))
        text = f"{rng.choice(names)}[{position(scope)}]" if names else literal(scope)
    elif choice < 0.56:
        names = scope.arrays(axes=(2,))
        text = f"{rng.choice(names)}[{position(scope)}, {position(scope)}]" if names else literal(scope)
    elif choice < 0.6 and scope.arrays(axes=(0,)):
        return rng.choice(scope.arrays(axes=(0,)))
    elif choice < 0.65:
        name = rng.choice(scope.arrays(axes=(2,)) or scope.arrays())
        text = rng.choice(OF_SQUARE_NUMBERS).format(name)
    elif choice < 0.7:
        text = rng.choice(["np.dot({}, {})", "{} @ {}", "np.vdot({}, {})"]).format(*_pair_of_vectors(scope))
    else:
        text = rng.choice(NUMBERS).format(bracketed(array(scope, depth - 1)))
    values = scope.values(text)
    return text if values is not None and values and not getattr(values[0], "shape", ()) else literal(scope)


def position(scope: Scope) -> str:
    """A subscript of an element."""
    options = ["0", "0", "-1", *scope.counters, *scope.counters]
    options += [f"{name} - 1" for name in scope.counters] + [f"-1 - {name}" for name in scope.counters]
    return scope.rng.choice(options)


def _pair_of_vectors(scope: Scope) -> tuple[str, str]:
    rng = scope.rng
    one = rng.choice(scope.arrays(axes=(1,)) or scope.arrays())
    same = [name for name in scope.arrays() if scope.shapes(name) == scope.shapes(one)]
    return one, rng.choice([*same, f"{one}[::-1]"])


def bracketed(text: str) -> str:
    """The expression as an operand of anything."""
    whole = ast.parse(text, mode="eval").body
    closed = isinstance(whole, ast.Name | ast.Call | ast.Subscript | ast.Attribute | ast.Constant)
    return text if closed else f"({text})"


def slice_of(scope: Scope) -> str:
    """What stands for one axis between brackets."""
    rng = scope.rng
    a, b, step = rng.randint(0, 2), rng.randint(1, 2), rng.choice([2, 2, 3, -2])
    options = [":", ":", "::-1", "1:", ":-1", f"{a}:", f":{a + 1}", f":-{b}", f"-{b}:", f"{a}:-{b}", "1:-1"]
    options += [f"::{step}", f"1::{step}", "-2::-1", ":0:-1", "0:1", "-1:", "2:", ":2", "1:3", "-3:-1", ":1"]
    options += [f"{name}:" for name in scope.counters] + [f":{name}" for name in scope.counters] * 2
    options += [f"{name} + 1:" for name in scope.counters] + [f":{name} + 1" for name in scope.counters]
    options += [f"{name}:{name} + 1" for name in scope.counters] + [f"{name}::-1" for name in scope.counters]
    options += [f":{name} // 2" for name in scope.scalars("i") if name not in scope.counters]
    return rng.choice(options)


def part(scope: Scope, name: str) -> str:
    """A part of an array: slices, rows, columns, new axes, `...`."""
    rng, axes = scope.rng, scope.value(name).ndim
    if axes == 0:
        return name
    subscripts = []
    for axis in range(axes):
        choice = rng.random()
        if choice < 0.25 and axes > 1:
            subscripts.append(position(scope))
        elif axis and choice < 0.35:
            break
        else:
            subscripts.append(slice_of(scope))
    if rng.random() < 0.06:
        subscripts = ["...", *subscripts[-1:]]
    elif rng.random() < 0.05 and len(subscripts) == axes:
        subscripts.insert(rng.randint(0, axes), "np.newaxis")
    return f"{name}[{', '.join(subscripts)}]"


def atom(scope: Scope, kinds: str = "f") -> str:
    """A variable, or a part or another form of one."""
    rng = scope.rng
    names = scope.arrays(kinds=kinds)
    if not names:
        return literal(scope)
    name, choice = rng.choice(names), rng.random()
    if choice < 0.4:
        return name
    if choice < 0.75:
        return part(scope, name)
    if choice < 0.8:
        return rng.choice(LIKE).format(name)
    forms = {1: OF_VECTOR, 2: OF_MATRIX, 3: OF_CUBE}[scope.value(name).ndim]
    if scope.value(name).ndim == 2 and rng.random() < 0.08:
        forms = OF_SQUARE
    return rng.choice(forms).format(name)


def operand(scope: Scope, shapes: Shapes | None, depth: int) -> str:
    """An array, or now and then a number, that broadcasts with arrays of these shapes."""
    if shapes is None:
        return array(scope, depth)
    for _ in range(8):
        text = array(scope, depth) if scope.rng.random() < 0.8 else number(scope)
        found = scope.shapes(text)
        if found is not None and broadcasts(found, shapes):
            return bracketed(text)
    return number(scope, 0)


def product(scope: Scope) -> str:
    """A product that joins an axis of one array and an axis of another."""
    rng = scope.rng
    if len(scope.arrays(axes=(1, 2))) < 1:
        return atom(scope)
    for _ in range(12):
        one, other = atom(scope), atom(scope)
        if rng.random() < 0.2:
            one = rng.choice(UNARY).format(bracketed(one))
        text = rng.choice(["{} @ {}", "{} @ {}", "np.dot({}, {})", "np.outer({}, {})"])
        text = text.format(bracketed(one), bracketed(other))
        if rng.random() < 0.1:
            text = f"np.linalg.solve(({one}) + 4.0 * np.eye(({one}).shape[0]), {other})"
        values = scope.values(text)
        if values is not None and getattr(values[0], "ndim", 0) in (1, 2):
            return text
    return atom(scope)


def condition(scope: Scope, shapes: Shapes | None = None) -> str:
    """A mask that broadcasts with arrays of these shapes."""
    one = operand(scope, shapes, 0)
    found = scope.shapes(one)
    return scope.rng.choice(CONDITIONS).format(
        one, operand(scope, found, 0) if scope.rng.random() < 0.5 else literal(scope)
    )


def array(scope: Scope, depth: int = 2) -> str:
    """An expression of an array that has a value in every world."""
    for _ in range(8):
        text = _array(scope, depth)
        values = scope.values(text)
        if (
            values is not None
            and getattr(values[0], "dtype", None) is not None
            and values[0].dtype.kind == "f"
        ):
            return text
    return atom_that_runs(scope)


def atom_that_runs(scope: Scope) -> str:
    """A variable."""
    return scope.rng.choice(scope.arrays() or [literal(scope)])


def _array(scope: Scope, depth: int) -> str:
    rng, choice = scope.rng, scope.rng.random()
    if depth <= 0 or choice < 0.15:
        return atom(scope)
    if choice < 0.3:
        return rng.choice(UNARY).format(bracketed(array(scope, depth - 1)))
    if choice < 0.68:
        one = bracketed(array(scope, depth - 1))
        other = operand(scope, scope.shapes(one), depth - 1)
        pair = (one, other) if rng.random() < 0.6 else (other, one)
        return rng.choice(BINARY).format(*pair)
    if choice < 0.82:
        return product(scope)
    if choice < 0.9:
        one = array(scope, depth - 1)
        shapes = scope.shapes(one)
        return f"np.where({condition(scope, shapes)}, {one}, {operand(scope, shapes, depth - 1)})"
    if choice < 0.93:
        one = array(scope, 0)
        return f"{one} * {number(scope)}"
    if choice < 0.96:
        complex_ = scope.arrays(kinds="c")
        if complex_:
            name = rng.choice(complex_)
            return rng.choice(
                ["{}.real", "{}.imag", "np.abs({} + 1.5)", "({0} * np.conj({0})).real", "np.real({})"]
            ).format(name)
        return f"{array(scope, depth - 1)} * 0.5"
    one = array(scope, 0)
    return rng.choice(
        ["np.vstack(({0}, {1}))", "np.hstack(({0}, {1}))", "np.concatenate(({0}, {1}))"]
    ).format(one, array(scope, 0))
