"""Choose the names of variables: the user's names, and suggested names for unnamed values."""

from __future__ import annotations

import re
from collections.abc import Iterable

from backsweep.emit.liveness import Variables
from backsweep.emit.nest import Nested
from backsweep.emit.statements import Copies, Count, Define, Exit, Statement, every, lists, named, reads
from backsweep.emit.suggested_names import Telling, clean, facts
from backsweep.ir.nodes import Value

__all__ = ["clean", "identifiers", "suggest", "users_name"]


def users_name(value: Value) -> str:
    """The value's name; a hidden name, which the frontend made with a leading dot, is made readable."""
    if not value.name.startswith("."):
        return value.name
    word = re.sub(r"\d+$", "", value.name[1:])
    return {"exit": "done", "done": "skip"}.get(word, word)


def suggest(statements: list[Statement], parameters: tuple[Value, ...], nested: Nested) -> dict[Value, str]:
    """A name for every value: the user's name if it has one, else a suggested name."""
    names: dict[Value, str] = {parameter: parameter.name for parameter in parameters}
    used = {parameter.name for parameter in parameters}
    used |= {statement.value.name for statement in every(statements) if isinstance(statement, Define)}
    used |= {t.name for s in every(statements) if isinstance(s, Copies) for t in s.targets}
    _suggest(statements, Telling(names, used, facts(statements), nested), frozenset())
    for statement in reversed(list(every(statements))):
        if isinstance(statement, Copies):
            for target, source in zip(statement.targets, statement.sources, strict=True):
                if (
                    isinstance(source, Value)
                    and not named(source)
                    and source not in nested.nodes
                    and names[target]
                ):
                    names[source] = names[target]
    return names


def _defined(statements: list[Statement]) -> Iterable[Value]:
    for statement in every(statements):
        match statement:
            case Define(value):
                yield value
            case Copies(targets):
                yield from targets
            case Count(index):
                yield index
            case _:
                pass


def _suggest(statements: list[Statement], telling: Telling, around: frozenset[str]) -> None:
    """Fill in the names of the values that the statements define; `around` names the loops' indices."""
    names, nested = telling.names, telling.nested
    for statement in statements:
        within = around
        match statement:
            case Define(value, node):
                names[value] = users_name(value) or telling.of(value, node)
                if value not in nested.nodes:
                    telling.used.add(names[value])
            case Copies(targets):
                for target in targets:
                    names.setdefault(target, users_name(target) or _sum_name(target, telling))
            case Count(index, body=body):
                names[index] = _index_name(index, body) or _letter(body, telling.used, around)
                within = around | {names[index]}
            case Exit(Value() as condition) if not named(condition) and condition not in nested.nodes:
                names[condition] = "done"
            case _:
                pass
        for inner in lists(statement):
            _suggest(inner, telling, within)


def _index_name(index: Value, body: list[Statement]) -> str:
    """The user's name for the index of a loop; a name of underscores is dropped if the emitted loop reads the index."""
    name = users_name(index)
    read = any(index in reads(statement) for statement in every(body))
    return "" if name.strip("_") == "" and read else name


def _sum_name(carried: Value, telling: Telling) -> str:
    """A name for an unnamed value that a loop carries: `count`, or the name of the sum that it is a term of."""
    if carried in telling.facts.counts:
        return "count"
    whole = telling.facts.sums.get(carried, "")
    return f"{whole}_term" if whole else ""


def _letter(body: list[Statement], used: set[str], around: frozenset[str]) -> str:
    """The usual letter for the index of a loop that the user did not write."""
    inner = {s.index.name for s in every(body) if isinstance(s, Count)}
    taken = used | around | inner
    return next((letter for letter in "ijklpqr" if letter not in taken), "index")


def identifiers(
    statements: list[Statement], parameters: tuple[Value, ...], variables: Variables, reserved: set[str]
) -> dict[Value, str]:
    """The identifier of each value: its variable's name, with a suffix if two variables of that name are needed."""
    taken: dict[str, Value] = {}
    chosen: dict[Value, str] = {}
    for parameter in parameters:
        # The name of an argument is part of the function's signature and never changes.
        root = variables.find(parameter)
        chosen[root] = clean(parameter.name)
        taken[chosen[root]] = root
    following = _following(statements, variables)
    for value in _defined(statements):
        root = variables.find(value)
        if root in chosen:
            continue
        base = clean(variables.name(root) or "value")
        candidates = [base, f"{base}_next"] if root in following else [base]
        candidates += [f"{base}_{number}" for number in range(1, len(taken) + 3)]
        free = [name for name in candidates if name not in taken and name not in reserved]
        chosen[root] = free[0] if free else f"{base}_{len(taken)}_"
        taken[chosen[root]] = root
    return {value: chosen[variables.find(value)] for value in (*parameters, *_defined(statements))}


def _following(statements: list[Statement], variables: Variables) -> set[Value]:
    """The variables that hold the next value of another variable of the same name."""
    found = set()
    for statement in every(statements):
        if isinstance(statement, Copies):
            for target, source in zip(statement.targets, statement.sources, strict=True):
                if isinstance(source, Value) and source.name == target.name:
                    found.add(variables.find(source))
    return found - {variables.find(t) for s in every(statements) if isinstance(s, Copies) for t in s.targets}
