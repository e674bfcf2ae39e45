"""Random simple statements on values of all types: assignments, augmented ones of every operator, counters, casts."""

from __future__ import annotations

from tests.fuzz.program import Line, Statement, Suite
from tests.fuzz.typed.expressions import (
    array,
    bounded,
    complex_number,
    factor,
    index,
    literal,
    number,
    real,
    truth,
    whole,
)
from tests.fuzz.typed.scope import DTYPES, INTEGERS, Scope

OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>")
SMOOTH = ("+", "+", "-", "-", "*", "*", "/")


def assign(scope: Scope) -> list[Statement]:
    """A number of any type, under a new name or an old one."""
    rng = scope.rng
    old = scope.assignable("biufc")
    name = rng.choice(old) if old and rng.random() < 0.4 else scope.fresh("s")
    return [*scope.lines(lambda: f"{name} = {number(scope)}")]


def begin_whole(scope: Scope) -> list[Statement]:
    """A counter or an accumulator that begins as an integer or a bool, and what it becomes."""
    rng = scope.rng
    name = scope.fresh("r")
    first = scope.lines(
        lambda: f"{name} = {rng.choice([str(rng.randint(0, 10)), whole(scope), truth(scope)])}",
        lambda: (
            f"{name} = {rng.choice(['np.' + rng.choice(INTEGERS) + '(' + str(rng.randint(0, 9)) + ')', 'True', 'False'])}"
        ),
    )
    return [*first, *(augmented_number(scope, name) if first else [])]


def augmented_number(scope: Scope, name: str = "") -> list[Statement]:
    """An augmented assignment of a number: every operator, and operands of every type."""
    rng = scope.rng
    choices = scope.assignable("biufc")
    if not name and not choices:
        return assign(scope)
    name = name or rng.choice(choices)
    return [
        *scope.lines(
            lambda: f"{name} {rng.choice(SMOOTH)}= {rng.choice([bounded, real, whole, truth])(scope)}",
            lambda: f"{name} {rng.choice(SMOOTH)}= {number(scope)}",
            lambda: (
                f"{name} {rng.choice(OPERATORS)}= {rng.choice([whole(scope, 0), str(rng.randint(1, 3))])}"
            ),
            lambda: (
                f"{name} {rng.choice(['/', '//', '%'])}= {rng.choice([f'1.5 + {bounded(scope)} ** 2', '2', '0.7'])}"
            ),
        )
    ]


def augmented_element(scope: Scope) -> list[Statement]:
    """An augmented assignment, or an assignment, of an element."""
    rng = scope.rng
    name = rng.choice(scope.arrays("biufc"))
    at = f"{name}[{index(scope, scope.size(name))}]"
    of_float = scope.values[name].dtype.kind in "fc"
    return [
        *scope.lines(
            lambda: f"{at} {rng.choice(SMOOTH)}= {bounded(scope) if of_float else whole(scope)}",
            lambda: f"{at} {rng.choice(SMOOTH)}= {rng.choice([whole, truth, bounded])(scope)}",
            lambda: f"{at} = {number(scope)}",
            lambda: f"{at} {rng.choice(OPERATORS)}= {rng.randint(1, 3)}",
            lambda: f"{at} = {at} {rng.choice('+-*')} {factor(scope)}",
        )
    ]


def augmented_array(scope: Scope) -> list[Statement]:
    """An augmented assignment of a whole array, a slice, or where a mask holds."""
    rng = scope.rng
    name = rng.choice(scope.arrays("biufc"))
    size = scope.size(name)
    low = rng.randrange(size)
    high = rng.randint(low + 1, size)
    targets = [
        (name, size),
        (name, size),
        (f"{name}[:]", size),
        (f"{name}[{low}:{high}]", high - low),
        (f"{name}[::-1]", size),
    ]

    def line() -> str:
        target, length = rng.choice(targets)
        operator = rng.choice([*SMOOTH, *rng.sample(OPERATORS, 2)])
        # An operand that overlaps its target is computed first: Numba does not buffer bare views as NumPy does
        operand = rng.choice(
            [factor(scope), f"({array(scope, length)} * 1)", f"1 * {array(scope, length, depth=0)}"]
        )
        return f"{target} {operator}= {operand}"

    def plain() -> str:
        target, length = rng.choice(targets[2:])
        return f"{target} = {rng.choice([factor(scope), f'1 * {array(scope, length)}'])}"

    def masked() -> str:
        mask = rng.choice(
            [f"{name} > {rng.randint(0, 1)}", *(n for n in scope.arrays("b") if scope.size(n) == size)]
        )
        return f"{name}[{mask}] {rng.choice(['=', '+=', '-=', '*='])} {factor(scope)}"

    def bare() -> str:
        others = [n for n in scope.arrays("biuf") if scope.size(n) == size and n != name]
        return f"{name} {rng.choice(SMOOTH)}= {rng.choice(others or ['1'])}"

    return [*scope.lines(line, line, plain, masked, bare)]


def augmented_row(scope: Scope) -> list[Statement]:
    """A row, a column or an element of a matrix."""
    rng = scope.rng
    names = scope.arrays("biuf", 2)
    if not names:
        return new_matrix(scope)
    name = rng.choice(names)
    rows, columns = scope.values[name].shape

    def line() -> str:
        i, j = index(scope, rows), index(scope, columns)
        target, size = rng.choice(
            [(f"{name}[{i}]", columns), (f"{name}[:, {j}]", rows), (f"{name}[{i}, {j}]", 0)]
        )
        operand = f"1 * {array(scope, size)}" if size and rng.random() < 0.6 else factor(scope)
        return f"{target} {rng.choice(['=', *(f'{each}=' for each in SMOOTH)])} {operand}"

    return [*scope.lines(line)]


def new_array(scope: Scope) -> list[Statement]:
    """An array of any type."""
    rng = scope.rng
    name, size = scope.fresh("a"), rng.choice([5, 5, 5, 3])
    dtype = rng.choice(DTYPES)
    return [
        *scope.lines(
            lambda: f"{name} = {array(scope, size, rng.choice(['biuf', 'iu', 'fiu', 'bf', 'biufc']))}",
            lambda: f"{name} = np.{rng.choice(['zeros', 'ones'])}({size}, dtype=np.{dtype})",
            lambda: f"{name} = np.full({size}, {factor(scope)})",
            lambda: f"{name} = np.arange({size}){rng.choice(['', ' * 1.0', ' * 0.5'])}",
            lambda: f"{name} = ({array(scope, size, depth=0)}).astype(np.{dtype})",
            lambda: f"{name} = np.array([{number(scope)}, {number(scope)}, {number(scope)}])",
        )
    ]


def new_matrix(scope: Scope) -> list[Statement]:
    """A matrix of any real type."""
    rng = scope.rng
    name = scope.fresh("m")
    return [
        *scope.lines(
            lambda: f"{name} = np.ones((3, 5), dtype=np.{rng.choice(DTYPES[:-2])})",
            lambda: f"{name} = np.outer({array(scope, 3)}, {array(scope, 5)})",
            lambda: f"{name} = c * {factor(scope)}",
        )
    ]


def new_view(scope: Scope) -> list[Statement]:
    """A second name of an array, or of a part."""
    rng = scope.rng
    name, of = scope.fresh("v"), rng.choice(scope.arrays("biufc"))
    return [
        *scope.lines(lambda: f"{name} = {of}{rng.choice(['', '[1:]', '[::-1]', '[:3]', '[:]', '[::2]'])}")
    ]


def conditional(scope: Scope) -> list[Statement]:
    """A name that has one type on one branch and another on the other."""
    rng = scope.rng
    name = scope.fresh("s")
    one, two = (rng.choice([whole, truth, bounded, bounded])(scope) for _ in range(2))
    text = f"{name} = {one} if {truth(scope)} else {two}"
    if not (scope.run(f"{name} = {one}") and scope.run(f"{name} = {two} + 0 * ({one})")):
        return []
    if rng.random() < 0.5:
        return [Line(text)]
    return [
        Suite(((f"if {truth(scope)}:", (Line(f"{name} = {one}"),)), ("else:", (Line(f"{name} = {two}"),))))
    ]


def tally(scope: Scope) -> list[Statement]:
    """A counter of what holds, used as a weight or a length."""
    rng = scope.rng
    name, source, i = scope.fresh("n"), rng.choice(scope.arrays("f")), scope.fresh("i")
    size = scope.size(source)
    step = rng.choice(
        ["1", "2", f"{source}[{i}] > 0.5", f"{source}[{i}]", "True", f"int({source}[{i}] * 3.0)"]
    )
    begin = rng.choice(["0", "False", "0.0", "np.uint8(0)", "10"])
    if not scope.run(f"{name} = {begin}\n{i} = 0\n{name} {rng.choice('+-')}= {step}"):
        return []
    del scope.values[i]
    operator = rng.choice(["+", "+", "-"])
    inside: list[Statement] = [Line(f"{name} {operator}= {step}")]
    if rng.random() < 0.6:
        inside = [Suite(((f"if {source}[{i}] > {rng.uniform(0.2, 1.0):.4f}1:", tuple(inside)),))]
    loop = Suite(((f"for {i} in range({size}):", tuple(inside)),))
    return [Line(f"{name} = {begin}"), loop]


def in_complex(scope: Scope) -> list[Statement]:
    """A complex number or an array of them: from real numbers, and back."""
    rng = scope.rng
    name = scope.fresh("z")
    arrays = scope.arrays("c")
    lines = [
        lambda: f"{name} = {complex_number(scope, 2)}",
        lambda: (
            f"{name} = {array(scope, 5, 'f', 1)} * {rng.choice(['1j', '(0.5 + 1j)', complex_number(scope)])}"
        ),
        lambda: f"{name} = np.zeros(5, dtype=np.{rng.choice(['complex64', 'complex128'])})",
    ]
    if arrays:
        one = rng.choice(arrays)
        lines += [
            lambda: f"{name} = {one}.{rng.choice(['real', 'imag', 'conj()'])}",
            lambda: f"{name} = np.abs({one} + {literal(scope)} + 2.0)",
            lambda: f"{name} = np.sum({one} * np.conj({rng.choice(arrays)})).real",
        ]
    return [*scope.lines(*lines)]


def swap(scope: Scope) -> list[Statement]:
    """Two names exchanged, of one type or of two."""
    rng = scope.rng
    names = scope.assignable("biuf")
    if len(names) < 2:
        return []
    one, two = rng.sample(names, 2)
    return [
        *scope.lines(
            lambda: f"{one}, {two} = {two}, {one}", lambda: f"{one}, {two} = {two}, {one} + {bounded(scope)}"
        )
    ]
