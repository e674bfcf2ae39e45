"""Names that people read: the user's own, and telling ones for the parts of expressions that need one."""

from __future__ import annotations

import builtins
import keyword
import operator
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from backsweep.emit.liveness import Variables
from backsweep.emit.nest import Nested
from backsweep.emit.statements import Branch, Copies, Count, Define, Exit, Statement, every, lists, named
from backsweep.ir.nodes import Apply, Const, Dots, If, Index, Load, NewAxis, Operand, Slice, Value, View
from backsweep.ir.types import Array

LONGEST_NAME = 20

_WORDS: dict[Any, str] = {
    operator.add: "plus",
    operator.sub: "minus",
    operator.mul: "times",
    operator.truediv: "over",
    operator.floordiv: "over",
    operator.mod: "mod",
    operator.pow: "pow",
    operator.matmul: "at",
    operator.lt: "below",
    operator.le: "at_most",
    operator.gt: "above",
    operator.ge: "at_least",
    operator.eq: "equals",
    operator.ne: "differs",
    operator.and_: "and",
    operator.or_: "or",
    operator.xor: "xor",
}
_PREFIXES: dict[Any, str] = {
    operator.neg: "minus",
    operator.not_: "not",
    operator.invert: "not",
    operator.pos: "plus",
    np.zeros_like: "zeros",
    np.absolute: "abs",
    abs: "abs",
}


def users_name(value: Value) -> str:
    """The value's name, hidden ones (those with a dot in front, of the frontend's own) made readable."""
    if not value.name.startswith("."):
        return value.name
    word = re.sub(r"\d+$", "", value.name[1:])
    return {"exit": "done", "done": "skip"}.get(word, word)


def clean(name: str) -> str:
    """The name as a Python identifier."""
    name = re.sub(r"\W", "_", name)
    if not name or name[0].isdigit():
        name = "_" + name
    return name + "_" if keyword.iskeyword(name) else name


def suggest(statements: list[Statement], parameters: tuple[Value, ...], nested: Nested) -> dict[Value, str]:
    """A name for every value: the user's where there is one, else what the value is."""
    names: dict[Value, str] = {parameter: parameter.name for parameter in parameters}
    used = {value.name for value in _defined(statements)} | {parameter.name for parameter in parameters}
    _suggest(statements, nested, names, used, 0)
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


def _suggest(
    statements: list[Statement], nested: Nested, names: dict[Value, str], used: set[str], depth: int
) -> None:
    """Fill in the names of the values that the statements define."""
    for statement in statements:
        match statement:
            case Define(value, node):
                names[value] = users_name(value) or _telling(node, names, used)
                if value not in nested.nodes:
                    used.add(names[value])
            case Copies(targets):
                for target in targets:
                    names.setdefault(target, users_name(target))
            case Count(index):
                free = [letter for letter in "ijklm"[min(depth, 4) :] if letter not in used] or ["index"]
                names[index] = users_name(index) or free[0]
            case Exit(Value() as condition) if not named(condition) and condition not in nested.nodes:
                names[condition] = "done"
            case _:
                pass
        inner_depth = depth if isinstance(statement, Branch) else depth + 1
        for inner in lists(statement):
            _suggest(inner, nested, names, used, inner_depth)


def _telling(node: Apply | View | Load | If, names: dict[Value, str], used: set[str]) -> str:
    """A short name that tells what the node computes."""
    match node:
        case Load(_, buffer, index):
            return _fit(
                _leaf(buffer, names) + _index_words(index, names), _leaf(buffer, names) + "_entry", "entry"
            )
        case View(result, buffer, index):
            base = _leaf(buffer, names)
            whole = isinstance(buffer.type, Array) and isinstance(result.type, Array)
            kind = "row" if whole and result.type.ndim < buffer.type.ndim else "part"  # type: ignore[union-attr]
            return _fit(f"{base}_{kind}", kind)
        case If():
            return "chosen"
        case Apply(_, function, operands):
            return _applied(function, operands, names, used)


def _applied(function: Any, operands: tuple[Operand, ...], names: dict[Value, str], used: set[str]) -> str:
    """A short name for a function's result."""
    leaves = [_leaf(operand, names) for operand in operands]
    first = next((leaf for leaf in leaves if leaf), "")
    if function is len or function is np.size:
        return "n" if "n" not in used else _fit(f"{first}_size", "size")
    if function is operator.getitem and len(operands) == 2:
        part = operands[1].value if isinstance(operands[1], Const) else "part"
        if leaves[0].endswith("_shape") and part in (0, 1, 2):
            letter = "nmk"[part]
            return letter if letter not in used else _fit(f"{leaves[0][:-6]}_size{part}", f"size_{part}")
        return _fit(f"{first}_{part}", f"part_{part}")
    if function is np.shape:
        return _fit(f"{first}_shape", "shape")
    if function is tuple:
        return "parts"
    word = _WORDS.get(function)
    if word is not None and len(leaves) == 2:
        joined = "_".join(part for part in (leaves[0], word, leaves[1]) if part)
        return _fit(joined, f"{first}_{word}", word)
    name = _PREFIXES.get(function) or getattr(function, "__name__", "value").strip("_") or "value"
    return _fit(f"{name}_{first}" if first else name, name)


def _leaf(operand: Operand, names: dict[Value, str]) -> str:
    """The word for an operand within a longer name."""
    if isinstance(operand, Value):
        return names.get(operand, operand.name)
    if operand.name:
        return clean(operand.name).lower()
    value = operand.value
    if isinstance(value, float) and value.is_integer() and abs(value) < 100:
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 100:
        return str(value)
    return ""


def _index_words(index: Index, names: dict[Value, str]) -> str:
    """The words for an index: `_i`, `_i_j`, `_0`."""
    words = []
    for item in index:
        match item:
            case Slice() | NewAxis() | Dots():
                words.append("")
            case _:
                word = _leaf(item, names)
                word = re.sub(r"^\w+_minus_1$", "prev", word)
                words.append(re.sub(r"^\w+_plus_1$", "next", word))
    return "".join(f"_{word}" for word in words if word)


def _fit(*candidates: str) -> str:
    """The first candidate that is short enough and an identifier."""
    for candidate in candidates:
        if len(candidate) <= LONGEST_NAME and candidate.isidentifier() and not keyword.iskeyword(candidate):
            return candidate
    return clean(candidates[-1])[:LONGEST_NAME]


def identifiers(
    statements: list[Statement], parameters: tuple[Value, ...], variables: Variables, reserved: set[str]
) -> dict[Value, str]:
    """Each value's identifier: its variable's name, with a suffix where two of a name must live at once."""
    taken: dict[str, Value] = {}
    chosen: dict[Value, str] = {}
    for parameter in parameters:
        # An argument's name is part of the function's face: it is never changed.
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


BUILTINS = frozenset(dir(builtins))
