"""Random expressions of all types: whole numbers, conditions, real and complex numbers, arrays."""

from __future__ import annotations

from tests.fuzz.typed.scope import DTYPES, INTEGERS, WHOLE, Scope


def literal(scope: Scope) -> str:
    """A float, now and then one that changes nothing but the type."""
    return scope.rng.choice(
        ["0.0", "1.0", f"{scope.rng.uniform(0.1, 1.9):.3f}", f"{scope.rng.uniform(0.1, 1.9):.3f}"]
    )


def index(scope: Scope, size: int) -> str:
    """An index within an axis of this size, negative ones included."""
    rng = scope.rng
    options = [str(rng.randrange(size)), str(-1 - rng.randrange(size))]
    for name, bounds in scope.counters.items():
        if bounds.low >= 0 and bounds.high < size:
            options += [name] * 4 + [f"{size - 1} - {name}"]
        if bounds.low >= 1 and bounds.high <= size:
            options += [f"{name} - 1"] * 3
        options.append(f"({name} + {rng.randint(0, 3)}) % {size}")
    options += [f"{name} % {size}" for name in WHOLE]
    return rng.choice(options)


def element(scope: Scope, kinds: str) -> str:
    """An element of an array of these kinds, "" if there is none."""
    rng = scope.rng
    names = scope.arrays(kinds)
    if "f" in kinds and scope.arrays("f", 2) and rng.random() < 0.2:
        name = rng.choice(scope.arrays("f", 2))
        rows, columns = scope.values[name].shape
        return f"{name}[{index(scope, rows)}, {index(scope, columns)}]"
    if not names:
        return ""
    name = rng.choice(names)
    return f"{name}[{index(scope, scope.size(name))}]"


def whole(scope: Scope, depth: int = 1) -> str:
    """An expression of an integer, bounded as far as its variables are."""
    rng = scope.rng
    options = [str(rng.randint(0, 4)), *scope.scalars("iu"), *scope.counters]
    options += [f"len({name})" for name in scope.arrays("f")[:2]] + [
        f"{n}.size" for n in scope.arrays("iuf")[:2]
    ]
    if element(scope, "iu"):
        options += [element(scope, "iu") for _ in range(3)]
    if depth:
        left, right = whole(scope, depth - 1), whole(scope, depth - 1)
        options += [
            f"({left} + {right})",
            f"({left} - {right})",
            f"({left} * {rng.randint(1, 3)})",
            f"({left} // {rng.randint(1, 4)})",
            f"({left} % {rng.randint(2, 5)})",
            f"({left} & {rng.randint(1, 7)})",
            f"({left} | {rng.randint(1, 3)})",
            f"({left} ^ {right})",
            f"({rng.randint(0, 3)} << {rng.randint(0, 2)})",
            f"({left} >> 1)",
            f"min({left}, {right})",
            f"max({left}, {right})",
            f"abs({left})",
            f"int({truth(scope, 0)})",
            f"(-{left})",
            f"np.{rng.choice(INTEGERS)}({rng.randint(0, 5)})",
            f"int({real(scope, 0)} * 2.0)",
        ]
    return rng.choice(options)


def truth(scope: Scope, depth: int = 1) -> str:
    """A condition."""
    rng = scope.rng
    number = element(scope, "f") or rng.choice(scope.scalars("f") or ["0.5"])
    options = [
        f"({number} {rng.choice('<>')} {rng.uniform(0.05, 1.3):.4f}1)",
        f"({whole(scope, 0)} {rng.choice(['<', '>', '<=', '==', '!='])} {rng.randint(0, 4)})",
        f"({whole(scope, 0)} % 2 == {rng.randrange(2)})",
        *scope.scalars("b"),
    ]
    if element(scope, "b"):
        options += [element(scope, "b")] * 2
    if depth:
        left, right = truth(scope, 0), truth(scope, 0)
        options += [f"(not {left})", f"({left} and {right})", f"({left} or {right})", f"({left} & {right})"]
    return rng.choice(options)


def real(scope: Scope, depth: int = 2) -> str:
    """An expression of a real number, of any type in between."""
    rng = scope.rng
    floats = scope.scalars("f")
    if depth == 0:
        options = [
            literal(scope),
            *floats,
            *floats,
            *(["float(" + whole(scope, 0) + ")"] if rng.random() < 0.2 else []),
        ]
        options += [element(scope, "f")] * 3 if element(scope, "f") else []
        return rng.choice(options)
    left, right = real(scope, depth - 1), real(scope, depth - 1)
    options = [
        f"{left} + {right}",
        f"{left} - ({right})",
        f"{left} * ({right})" if "*" in left else f"({left}) * ({right})",
        f"({left}) / (1.5 + ({right}) ** 2)",
        f"({left}) * {whole(scope)}",
        f"({left}) * 0.5 + {whole(scope)} * 0.25",
        f"({left}) * {truth(scope)}",
        f"({truth(scope)} + 0.0) * ({left})",
        f"({truth(scope)} * 1.0 + {truth(scope)}) * ({left})",
        f"math.sin({left})",
        f"np.tanh({left})",
        f"math.exp(-(({left}) ** 2))",
        f"(({left}) if {truth(scope)} else ({right}))",
        f"-({left})",
        f"abs({left} + 2.5)",
        f"max({left}, {right})",
        f"({left}) / {rng.randint(1, 4)}",
        f"({whole(scope)} / {rng.randint(1, 4)}) * ({left})",
        f"np.float32({left}) * ({right})" if rng.random() < 0.3 else f"float({left}) * ({right})",
        f"{whole(scope)} + ({left})",
        f"{total(scope)} * 0.3",
    ]
    for name in scope.scalars("c"):
        options += [
            f"{name}.real * ({left})",
            f"{name}.imag",
            f"abs({name} + 3.0)",
            f"({name} * {name}.conjugate()).real",
        ]
    return rng.choice(options)


def bounded(scope: Scope, depth: int = 1) -> str:
    """A real number in [-1, 1]."""
    form = scope.rng.choice(["math.sin({e})", "np.cos({e})", "math.tanh({e})", "1.0 / (1.0 + ({e}) ** 2)"])
    return form.format(e=real(scope, depth))


def total(scope: Scope) -> str:
    """A sum over arrays."""
    rng = scope.rng
    names = scope.arrays("f")
    name = rng.choice(names)
    partners = [n for n in scope.arrays("biuf") if scope.size(n) == scope.size(name)]
    partner = rng.choice(partners)
    return rng.choice(
        [
            f"np.sum({name} * {partner})",
            f"np.sum({name})",
            f"({name} * {partner}).sum()",
            f"np.mean({partner} + {name})",
            f"np.sum({name}[{name} > {rng.uniform(0.1, 1.0):.4f}1])",
            f"np.sum(({partner} > {rng.randint(0, 2)}) * {name})",
            f"np.max({name})",
        ]
    )


def complex_number(scope: Scope, depth: int = 1) -> str:
    """An expression of a complex number."""
    rng = scope.rng
    left, right = real(scope, 0), real(scope, 0)
    options = [f"complex({left}, {right})", f"({left} + 1j * {right})", *scope.scalars("c")]
    options += [element(scope, "c")] * 2 if element(scope, "c") else []
    if depth:
        one, two = complex_number(scope, depth - 1), complex_number(scope, depth - 1)
        options += [
            f"{one} * {two}",
            f"({one} + {two})",
            f"({one} - {left})",
            f"np.exp(1j * {left})",
            f"cmath.exp(0.3 * {one})",
            f"({one}).conjugate()",
            f"{one} * {whole(scope)}",
            f"({one}) / (2.0 + {left} ** 2)",
            f"{truth(scope)} * {one}",
            f"np.complex64({one})",
        ]
    return rng.choice(options)


def number(scope: Scope) -> str:
    """A number of any type."""
    rng = scope.rng
    make = rng.choices([whole, truth, bounded, real, complex_number], [4, 2, 4, 2, 1])[0]
    return make(scope)


def array(scope: Scope, size: int, kinds: str = "biuf", depth: int = 2) -> str:
    """An expression of a one-dimensional array of this size, or of what is broadcast to it."""
    rng = scope.rng
    names = [name for name in scope.arrays(kinds) if scope.size(name) == size]
    longer = [name for name in scope.arrays(kinds) if scope.size(name) > size]
    atoms = names + [f"{name}[{rng.choice([f':{size}', f'{scope.size(name) - size}:'])}]" for name in longer]
    if not atoms:
        return f"np.full({size}, {bounded(scope, 0)})"
    if depth == 0 or rng.random() < 0.15:
        return rng.choice(atoms)
    left, right = array(scope, size, kinds, depth - 1), array(scope, size, kinds, depth - 1)
    # Of one dtype: these wrap, saturate and promote as nothing else does
    alike = [n for n in names if n in scope.values and scope.values[n].dtype == scope.values[names[0]].dtype]
    pair = rng.choice(alike) if alike else left
    return rng.choice(
        [
            f"({left} + {right})",
            f"({left} * {right})",
            f"({left} - {right})",
            f"({left} / {rng.choice(['1.0', '2', '2.0', '4'])})",
            f"({left} / (1.5 + ({right}) * ({right})))",
            f"({left} > {rng.uniform(0.1, 1.2):.3f}1)",
            f"(({left} > {rng.randint(0, 2)}) + 0.0)",
            f"(({left} > {rng.randint(0, 2)}) + {rng.choice(['0', '1', '1.0', '0.5'])})",
            f"({left} * {rng.choice(['1.0', '1', '2', '0.5', 'True', '-1'])})",
            f"({left} + {rng.choice(['0.0', '0', '1', '0.5', 'False'])})",
            f"({left} - {rng.choice(['0.0', '0', '1', '0.5'])})",
            f"({pair} // {rng.randint(1, 3)})",
            f"({pair} % {rng.randint(2, 4)})",
            f"np.sin({left})",
            f"np.where({left} > {rng.uniform(0.1, 1.2):.3f}1, {right}, {left})",
            f"({left}).astype(np.{rng.choice(DTYPES[:-2])})",
            f"(-{left})",
            f"({pair} ** 2)",
            f"np.abs({left})",
            f"({left} * {bounded(scope, 0)})",
            f"({left} * {whole(scope, 0)})",
            f"np.minimum({left}, {right})",
            f"({left})[::-1]",
            f"({left}).copy()",
            f"np.{rng.choice(['zeros', 'ones'])}_like({left})",
        ]
    )


def factor(scope: Scope) -> str:
    """A number by which arrays are multiplied: of any real type, small."""
    return scope.rng.choice(
        [bounded(scope, 0), literal(scope), str(scope.rng.randint(0, 3)), truth(scope, 0), whole(scope, 0)]
    )
