"""Random array statements: stores to parts that overlap what they read, views, masks, swapped buffers, calls that write."""

from __future__ import annotations

from tests.fuzz.arrays.expressions import (
    array,
    atom,
    bracketed,
    condition,
    literal,
    number,
    operand,
    part,
    position,
    product,
)
from tests.fuzz.arrays.scope import Scope, fills
from tests.fuzz.program import Line

OPERATORS = ("=", "=", "+=", "+=", "-=", "*=", "*=", "/=")
TRIES = 10


def new_array(scope: Scope) -> list[Line]:
    """A new name for an array in memory of its own (or a view, where the expression is one)."""
    name = scope.fresh("v")
    return scope.line(f"{name} = {array(scope, scope.rng.choice([1, 2, 2, 3]))}", defines=name)


def new_number(scope: Scope) -> list[Line]:
    """A new name for a number."""
    name = scope.fresh("s")
    return scope.line(f"{name} = {number(scope, 2)}", defines=name)


def new_view(scope: Scope) -> list[Line]:
    """A second name for memory: a part, a transpose, another shape."""
    rng, name = scope.rng, scope.fresh("w")
    source = rng.choice(scope.arrays())
    forms = [
        part(scope, source),
        part(scope, source),
        f"{source}.T",
        f"{source}.reshape(-1)",
        f"{source}.ravel()",
    ]
    forms += [f"{source}.reshape(1, {source}.size)", f"{source}[::-1]", f"{source}[::2]", source]
    if scope.value(source).ndim == 2:
        forms += [
            f"{source}.reshape({source}.shape[1], -1)",
            f"np.transpose({source})[1:]",
            f"{source}.T[::-1]",
        ]
    text = rng.choice(forms)
    values = scope.values(text)
    if values is None or not getattr(values[0], "ndim", 0):
        return []
    return scope.line(f"{name} = {text}", defines=name)


def rebound(scope: Scope) -> list[Line]:
    """Another array for a name, of as many axes."""
    rng = scope.rng
    name = rng.choice(scope.arrays())
    for _ in range(TRIES):
        text = array(scope, rng.choice([1, 2, 3]))
        values = scope.values(text)
        if values is not None and (values[0].ndim, values[0].dtype) == (
            scope.value(name).ndim,
            scope.value(name).dtype,
        ):
            return scope.line(f"{name} = {text}")
    return []


def value_for(scope: Scope, place: str, depth: int) -> str:
    """An expression that may be stored to a place."""
    wanted = scope.shapes(place)
    if wanted is None:
        return number(scope)
    for _ in range(TRIES):
        text = array(scope, depth)
        found = scope.shapes(text)
        if found is not None and fills(found, wanted):
            return text
    return number(scope)


def operated(scope: Scope, place: str, value: str) -> str:
    """An assignment or an augmented assignment."""
    operator = scope.rng.choice(OPERATORS)
    if operator == "/=":
        value = f"(1.5 + {bracketed(value)} ** 2)"
    if operator == "*=" and scope.rng.random() < 0.5:
        value = f"(0.5 + 0.5 * np.tanh({value}))"
    return f"{place} {operator} {value}"


def whole_update(scope: Scope, name: str = "") -> list[Line]:
    """`y *= ...` of a whole array, or a store to all of it."""
    rng = scope.rng
    name = name or rng.choice(scope.arrays(axes=(0, 1, 2, 3)))
    value = value_for(scope, name, rng.choice([0, 1, 2]))
    if rng.random() < 0.4 or not scope.value(name).ndim:
        place = f"{name}[...]" if rng.random() < 0.5 else f"{name}[:]"
        place = f"{name}[()]" if not scope.value(name).ndim else place
        return scope.line(operated(scope, place, value))
    operator = rng.choice(["+=", "-=", "*=", "*=", "/="])
    value = f"(1.5 + {bracketed(value)} ** 2)" if operator == "/=" else value
    return scope.line(f"{name} {operator} {value}")


def part_update(scope: Scope, name: str = "") -> list[Line]:
    """A store to a part, of anything that fits."""
    rng = scope.rng
    place = part(scope, name or rng.choice(scope.arrays()))
    return scope.line(operated(scope, place, value_for(scope, place, rng.choice([0, 0, 1, 2]))))


def overlapping(scope: Scope) -> list[Line]:
    """A store to a part of an array of which the value reads another part."""
    rng = scope.rng
    name = rng.choice(scope.arrays())
    for _ in range(TRIES):
        place, source = part(scope, name), part(scope, name)
        if scope.value(name).ndim == 2 and rng.random() < 0.3:
            source = rng.choice([f"{source}.T", part(scope, f"{name}") + ".T", f"{name}.T", f"{name}[::-1]"])
        wanted, found = scope.shapes(place), scope.shapes(source)
        if wanted is not None and found is not None and fills(found, wanted):
            value = rng.choice(
                ["{}", "0.5 * {}", "np.sin({})", "{} + " + literal(scope), "{} * " + number(scope, 0)]
            )
            value = value.format(source)
            if rng.random() < 0.3:
                value = f"{value} + {operand(scope, found, 0)}"
            return scope.line(operated(scope, place, value))
    return []


def read_then_written(scope: Scope) -> list[Line]:
    """A statement that reads a part or all of an array which the next statement writes."""
    rng = scope.rng
    name, made = rng.choice(scope.arrays()), scope.fresh("v")
    shapes = scope.shapes(name)
    for _ in range(TRIES):
        source = rng.choice(
            [part(scope, name), f"{name}[:1]", f"{name}[-1:]", f"{name}[::-1]", part(scope, name)]
        )
        other = rng.choice([name, name, operand(scope, shapes, 1), f"np.tanh({name})"])
        value = rng.choice(
            ["{1} + {0}", "{1} * {0}", "np.sin({1}) * {0}", "{1} - np.cos({0})", "0.5 * {0} + {1}"]
        )
        lines = scope.line(f"{made} = {value.format(source, other)}", defines=made)
        if lines:
            return lines + rng.choice([whole_update, part_update, changed, changed])(scope, name)
    return []


def changed(scope: Scope, name: str = "") -> list[Line]:
    """An array changed in place by itself."""
    name = name or scope.rng.choice(scope.arrays())
    forms = [
        "{0} *= 2.0",
        "{0} *= {0}",
        "{0} += 0.3",
        "{0}[:] = 0.0",
        "{0} *= 1.5 + {0} ** 2",
        "{0}[::-1] *= 0.7",
        "{0}[...] = np.sin({0})",
    ]
    return scope.line(scope.rng.choice(forms).format(name))


def masked(scope: Scope) -> list[Line]:
    """A store where a condition holds, or a reduction there."""
    rng = scope.rng
    name = rng.choice(scope.arrays(axes=(1, 2)))
    shapes = scope.shapes(name)
    for _ in range(TRIES):
        mask = condition(scope, shapes)
        if scope.shapes(mask) != shapes:
            continue
        if rng.random() < 0.4:
            made = scope.fresh("m")
            lines = scope.line(f"{made} = {mask}", defines=made)
            mask = made
        else:
            lines = []
        forms = [
            f"{name}[{mask}] = {number(scope)}",
            f"{name}[{mask}] *= {number(scope)}",
            f"{name}[{mask}] += {literal(scope)}",
        ]
        forms += [f"{name}[{mask}] = {name}[{mask}] * 0.5", f"{name} *= {mask}", f"{name}[~({mask})] = 0.25"]
        total = scope.fresh("s")
        text = rng.choice([*forms, f"{total} = np.sum({name}[{mask}])"])
        return lines + scope.line(text, defines=total if text.startswith(total) else "")
    return []


def swapped(scope: Scope) -> list[Line]:
    """Two buffers exchanged, or one handed on."""
    rng = scope.rng
    name = rng.choice(scope.arrays())
    kind = (scope.value(name).ndim, scope.value(name).dtype)
    others = [x for x in scope.arrays() if (scope.value(x).ndim, scope.value(x).dtype) == kind and x != name]
    if not others:
        return []
    other = rng.choice(others)
    return scope.line(rng.choice([f"{name}, {other} = {other}, {name}", f"{name} = {other}"]))


def called(scope: Scope) -> list[Line]:
    """A call of a helper that writes its arguments."""
    rng, name = scope.rng, scope.fresh("v")
    for _ in range(TRIES):
        one = rng.choice([rng.choice(scope.arrays()), part(scope, rng.choice(scope.arrays()))])
        other = rng.choice([rng.choice(scope.arrays()), atom(scope), one])
        texts = [
            f"{name} = h0({one}, {other})",
            f"{name} = h1({one})",
            f"h2({one}, {other})",
            f"h3({one}, {other})",
        ]
        text = rng.choice([*texts, f"{name} = h4({one}, {number(scope, 0)})"])
        lines = scope.line(text, defines=name if text.startswith(name) else "")
        if lines:
            return lines
    return []


def in_complex(scope: Scope) -> list[Line]:
    """A complex array made, or changed in place."""
    rng, name = scope.rng, scope.fresh("z")
    known = scope.arrays(kinds="c")
    if known and rng.random() < 0.6:
        source = rng.choice(known)
        place = rng.choice([source, part(scope, source)])
        forms = [
            f"{place} *= 0.5 + 0.3j",
            f"{place} += {atom(scope)}",
            f"{place} = np.conj({place})",
            f"{place} *= {atom(scope, 'c')}",
        ]
        forms += [f"{name} = np.exp(1j * {source}.real)", f"{name} = {atom(scope, 'c')} * {atom(scope, 'c')}"]
        text = rng.choice(forms)
        if text.startswith(f"{source} = "):
            text = f"{source}[...] = np.conj({source})"
        return scope.line(text, defines=name if text.startswith(name) else "")
    one = rng.choice(scope.arrays())
    text = rng.choice(
        [
            f"{one} + 1j * {operand(scope, scope.shapes(one), 0)}",
            f"np.exp(1j * {one})",
            f"{one} * (1.0 + 0.5j)",
        ]
    )
    return scope.line(f"{name} = {text}", defines=name)


def in_single(scope: Scope) -> list[Line]:
    """An array in single precision."""
    name = scope.fresh("q")
    return scope.line(f"{name} = {bracketed(array(scope, 1))}.astype(np.float32)", defines=name)


def joined(scope: Scope) -> list[Line]:
    """A product, into a name of its own or into memory that there is."""
    rng, name = scope.rng, scope.fresh("v")
    text = product(scope)
    found = scope.shapes(text)
    places = [x for x in scope.arrays() if scope.shapes(x) == found]
    if places and rng.random() < 0.5:
        place = rng.choice(places)
        return scope.line(
            operated(scope, f"{place}[:]", text) if rng.random() < 0.6 else f"{place} += {text}"
        )
    return scope.line(f"{name} = {text}", defines=name)


def decomposed(scope: Scope) -> list[Line]:
    """Several results of one call of `np.linalg`."""
    rng = scope.rng
    name, one, other = (
        rng.choice(scope.arrays(axes=(2,)) or scope.arrays()),
        scope.fresh("v"),
        scope.fresh("v"),
    )
    forms = [f"{one}, {other} = np.linalg.qr({name} + 2.0 * np.eye({name}.shape[0], {name}.shape[1]))"]
    forms += [
        f"{one}, {other} = np.linalg.eigh({name} + {name}.T + np.diag(np.arange({name}.shape[0]) * 3.0))"
    ]
    forms += [f"{one}, {other} = np.linalg.slogdet({name} + 4.0 * np.eye({name}.shape[0]))"]
    lines = scope.line(rng.choice(forms), defines=one)
    if lines:
        scope.names.add(other)
        if "eigh" in lines[0].text:  # the sign of vectors is not determined
            scope.names.discard(other)
    return lines


def element_update(scope: Scope) -> list[Line]:
    """A store to one element."""
    name = scope.rng.choice(scope.arrays(axes=(1, 2)))
    place = ", ".join(position(scope) for _ in range(scope.value(name).ndim))
    return scope.line(operated(scope, f"{name}[{place}]", number(scope)))


def unread(scope: Scope) -> list[Line]:
    """A statement whose result nobody reads."""
    name = scope.fresh("u")
    return scope.line(f"{name} = {array(scope, 2)}")


SIMPLE = {
    new_array: 3.0,
    new_number: 1.0,
    new_view: 1.2,
    rebound: 0.8,
    whole_update: 2.0,
    part_update: 2.5,
    overlapping: 2.0,
    read_then_written: 4.0,
    changed: 1.0,
    masked: 0.8,
    swapped: 0.6,
    called: 0.8,
    in_complex: 0.3,
    in_single: 0.1,
    joined: 1.2,
    decomposed: 0.2,
    element_update: 0.7,
    unread: 0.1,
}
"""How often each kind comes."""
