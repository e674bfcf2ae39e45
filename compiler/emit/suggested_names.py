"""Suggest names for unnamed values: by what they compute, by their use, or by the statement that they belong to."""

from __future__ import annotations

import keyword
import operator
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from backsweep.emit.nest import Nested
from backsweep.emit.statements import (
    Copies,
    Define,
    Effect,
    Expression,
    Note,
    Statement,
    every,
    named,
    reads,
)
from backsweep.ir.nodes import (
    Apply,
    Const,
    Dots,
    If,
    Index,
    Load,
    NewAxis,
    Operand,
    Slice,
    Store,
    Value,
    View,
)
from backsweep.ir.operations import Kind, kind
from backsweep.ir.types import Array, Tuple
from backsweep.runtime.broadcasting import joint_shape
from backsweep.runtime.special import mutual_product, strong_product, strong_quotient
from backsweep.runtime.support.marks import length

LONGEST_NAME = 24

_WORDS: dict[Any, str] = {
    operator.add: "plus",
    operator.sub: "minus",
    operator.mul: "times",
    mutual_product: "times",
    strong_product: "times",
    operator.truediv: "over",
    strong_quotient: "over",
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
    np.absolute: "abs",
    abs: "abs",
}
_DIGITS = {"1": "one", "2": "two", "3": "three", "4": "four"}
_SAME_THING = frozenset(
    {"aligned", "stretched", "sum_to", "expand_dims", "broadcast_to", "copy", "ascontiguousarray", "squeeze"}
)
"""Functions that only copy or reshape their first argument: the result keeps its name."""

_ASSIGNED = re.compile(r"^([A-Za-z_]\w*)(?:\[.*?\])?\s*(?:[-+*/@%&|^]|//|\*\*)?=(?!=)")


@dataclass(slots=True)
class Facts:
    """The node that defines each value, the first value stored into each buffer, and the sum that each value is added to.

    `entries` are the stores that assign values to elements, by value. `adjoints` are operands that are summed to the
    shape of an adjoint; `counts` are carried values that count comparisons.
    """

    definitions: dict[Value, Expression] = field(default_factory=dict)
    stored: dict[Value, Value] = field(default_factory=dict)
    entries: dict[Value, Store] = field(default_factory=dict)
    sums: dict[Value, str] = field(default_factory=dict)
    adjoints: set[Operand] = field(default_factory=set)
    counts: set[Value] = field(default_factory=set)
    reverse: set[Value] = field(default_factory=set)
    """The values of the reverse sweep."""


def facts(statements: list[Statement]) -> Facts:
    """The facts of a program."""
    found = Facts()
    copied = [
        (target, source)
        for statement in every(statements)
        if isinstance(statement, Copies)
        for target, source in zip(statement.targets, statement.sources, strict=True)
        if isinstance(source, Value)
    ]
    carried = {source for _, source in copied}
    users: dict[Value, list[Statement]] = {}
    in_reverse_sweep = False
    for statement in every(statements):
        in_reverse_sweep = in_reverse_sweep or (
            isinstance(statement, Note) and statement.is_part and statement.text.startswith("reverse")
        )
        if isinstance(statement, Define):
            if in_reverse_sweep:
                found.reverse.add(statement.value)
            found.definitions[statement.value] = statement.node
            if (
                isinstance(statement.node, Apply)
                and getattr(statement.node.function, "__name__", "") == "sum_to"
            ):
                found.adjoints.add(statement.node.operands[0])
        if isinstance(statement, Effect) and isinstance(statement.node, Store):
            if isinstance(statement.node.value, Value):
                found.stored.setdefault(statement.node.buffer, statement.node.value)
                if not statement.node.accumulate:
                    found.entries.setdefault(statement.node.value, statement.node)
        for operand in reads(statement):
            if isinstance(operand, Value):
                users.setdefault(operand, []).append(statement)
    for value, readers in users.items():
        # The update of a sum in its own loop is not a use of the sum.
        outside = [each for each in readers if not _is_update(each, carried)]
        if len(outside) == 1 and (whole := _sum_of(outside[0])):
            found.sums[value] = whole
    for target, source in copied:
        node = found.definitions.get(source)
        if isinstance(node, Apply) and node.function is operator.add and target in node.operands:
            added = [found.definitions.get(part) for part in node.operands if isinstance(part, Value)]
            if any(isinstance(each, Apply) and kind(each.function) is Kind.COMPARISON for each in added):
                found.counts.add(target)
    return found


def _is_update(statement: Statement, carried: set[Value]) -> bool:
    """Whether the statement computes the next value of an unnamed sum."""
    return isinstance(statement, Define) and statement.value in carried and not named(statement.value)


def _sum_of(statement: Statement) -> str:
    """The name of the sum that the statement adds to; "" for any other statement."""
    match statement:
        case Define(value, Apply(_, operator.add | operator.sub | operator.iadd | operator.isub)):
            return value.name if named(value) else ""
        case Effect(Store(buffer=buffer, accumulate=True)):
            return buffer.name if named(buffer) else ""
        case _:
            return ""


@dataclass(frozen=True, slots=True)
class Telling:
    """Suggests names for unnamed values, given the names so far and the words that are used."""

    names: dict[Value, str]
    used: set[str]
    facts: Facts
    nested: Nested

    def of(self, value: Value, node: Expression) -> str:
        """A short name for the value that the node computes."""
        match node:
            case Load(_, buffer, index):
                base = self.leaf(buffer)
                return fit(base + self.index_words(index), f"{base}_entry", base, "entry")
            case View(result, buffer, _):
                base = self.leaf(buffer)
                whole, part = buffer.type, result.type
                is_row = isinstance(whole, Array) and isinstance(part, Array) and part.ndim < whole.ndim
                kind = "row" if is_row else "part"
                return fit(f"{base}_{kind}", kind)
            case If():
                return "chosen"
            case Apply():
                return self.applied(value, node)

    def applied(self, value: Value, node: Apply) -> str:
        """A short name for a function's result."""
        function, parts = node.function, node.operands
        stored = self.facts.entries.get(value)
        if stored is not None and kind(function) not in (Kind.EXTENT, Kind.ITEM):
            base, words = self.names.get(stored.buffer, ""), self.index_words(stored.index)
            entry = base + words
            is_record = re.search(r"tape(_\d+)?$", base)
            if base and not is_record and words.count("_") >= len(stored.index) and _fits(entry):
                return entry
        leaves = [self.leaf(operand) for operand in parts]
        first = next((leaf for leaf in leaves if leaf), "")
        if function is len or function is length or function is np.size:
            return "n" if "n" not in self.used else fit(f"{first}_size", "size")
        if function is operator.getitem and len(parts) == 2:
            return self.item(parts[1], leaves[0])
        if function is np.shape:
            return fit(f"{first}_shape", "shape")
        if function in (joint_shape, np.broadcast_shapes):
            return "shape"
        if kind(function) in (Kind.ALIKE, Kind.NEW):
            return self.filled(value, node)
        name = getattr(function, "__name__", "").strip("_")
        if name in _SAME_THING and (leaves[0] or parts[0] in self.facts.definitions):
            return leaves[0] or self.whole(parts[0]) or self.fallback(value, node)
        word = _WORDS.get(function)
        if word is not None and len(leaves) == 2:
            return self.joined(value, node, word)
        name = _PREFIXES.get(function) or name
        if not first or function is tuple:
            return self.fallback(value, node)
        short = next((leaf for leaf in map(self.short, parts) if leaf), first)
        return fit(f"{name}_{first}", f"{name}_{short}", self.fallback(value, node))

    def item(self, part: Operand, base: str) -> str:
        """A name for an item of a tuple; for an item of a shape, the usual letter."""
        number = part.value if isinstance(part, Const) else "part"
        if base.endswith("shape") and number in (0, 1, 2):
            letter = "nmp"[number]
            owner = base[: -len("_shape")]
            return letter if letter not in self.used else fit(f"{owner}_size{number}", f"size_{number}")
        return fit(f"{base}_{number}" if base else f"part_{number}", f"part_{number}")

    def joined(self, value: Value, node: Apply, word: str) -> str:
        """A name such as `a_times_b`, without indices if it is too long."""
        for leaf in (self.leaf, self.short):
            left, right = map(leaf, node.operands)
            if node.function in (operator.add, operator.mul):
                if not left or left.isdigit() or right.endswith("_bar"):
                    left, right = right, left
            name = f"{_DIGITS.get(left, left)}_{word}_{right}"
            # Only names of adjoints end in `_bar`; this value is at most a part of an adjoint.
            if left and right and not right.endswith("_bar") and _fits(name):
                return name
        return self.fallback(value, node)

    def filled(self, value: Value, node: Apply) -> str:
        """A name for new memory."""
        content = self.content(value)
        in_reverse = value in self.facts.reverse and isinstance(value.type, Array)
        if (value in self.facts.adjoints or in_reverse) and not content.endswith(("_bar", "tape")):
            return fit(f"{target_of(node.loc.statement) or content or 'part'}_bar", "part_bar")
        return content or self.fallback(value, node)

    def content(self, value: Value, depth: int = 0) -> str:
        """A name for memory that is filled later, after the first value that is stored into it."""
        stored = self.facts.stored.get(value)
        return "" if stored is None else self.whole(stored, depth)

    def whole(self, operand: Operand, depth: int = 0) -> str:
        """The name for an array whose elements are the operand: that of an adjoint it reads, else what it computes."""
        if not isinstance(operand, Value) or depth > 4:
            return ""
        if named(operand):
            return operand.name
        stored = self.facts.entries.get(operand)
        if stored is not None and depth and named(stored.buffer):
            return stored.buffer.name
        node = self.facts.definitions.get(operand)
        match node:
            case Load(_, Value() as buffer, _):
                return self.names.get(buffer) or self.content(buffer, depth + 1)
            case Apply(function=function) if kind(function) in (Kind.EXTENT, Kind.ITEM):
                return self.names.get(operand, "")
            case Apply():
                parts = [self.whole(part, depth + 1) for part in node.operands]
                words = [part for part in parts if part]
                bars = [part for part in words if part.endswith("_bar")]
                if bars:
                    return bars[0]
                word = _WORDS.get(node.function)
                if word is not None and len(words) == 2:
                    return fit(f"{words[0]}_{word}_{words[1]}", words[0])
                name = _PREFIXES.get(node.function) or getattr(node.function, "__name__", "").strip("_")
                if word is None and words:
                    return fit(f"{name}_{words[0]}", words[0])
                return words[0] if words else ""
            case _:
                return self.names.get(operand, "")

    def fallback(self, value: Value, node: Expression) -> str:
        """A name after the sum that the value is added to, or after the statement that it is part of."""
        whole = self.facts.sums.get(value) or target_of(node.loc.statement)
        kind = "parts" if isinstance(value.type, Tuple) else "term"
        return fit(f"{whole}_{kind}" if whole else kind, kind)

    def leaf(self, operand: Operand) -> str:
        """The word for an operand within a longer name."""
        if isinstance(operand, Value):
            return self.names.get(operand, operand.name)
        if operand.name:
            return clean(operand.name).lower()
        number = operand.value
        if isinstance(number, float) and number.is_integer() and abs(number) < 100:
            number = int(number)
        if isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 100:
            return str(number)
        return ""

    def short(self, operand: Operand) -> str:
        """The word for an operand, without the index of an array's element."""
        node = (
            self.facts.definitions.get(operand) if isinstance(operand, Value) and not named(operand) else None
        )
        return self.leaf(node.buffer) if isinstance(node, Load) else self.leaf(operand)

    def index_words(self, index: Index) -> str:
        """The words for an index: `_i`, `_i_j`, `_0`."""
        words = []
        for item in index:
            match item:
                case Slice() | NewAxis() | Dots():
                    words.append("")
                case _:
                    word = self.leaf(item)
                    word = re.sub(r"^\w+_minus_1$", "prev", word)
                    words.append(re.sub(r"^\w+_plus_1$", "next", word))
        return "".join(f"_{word}" for word in words if word)


def target_of(statement: str) -> str:
    """The variable that the user's statement assigns; `result` for a `return` statement."""
    if statement.startswith("return"):
        return "result"
    found = _ASSIGNED.match(statement)
    return found.group(1) if found else ""


def clean(name: str) -> str:
    """The name as a Python identifier."""
    name = re.sub(r"\W", "_", name)
    if not name or name[0].isdigit():
        name = "_" + name
    return name + "_" if keyword.iskeyword(name) else name


def fit(*candidates: str) -> str:
    """The first candidate that is short enough and an identifier."""
    for candidate in candidates:
        if _fits(candidate):
            return candidate
    return clean(candidates[-1])[:LONGEST_NAME]


def _fits(name: str) -> bool:
    """Whether the name is short enough and an identifier."""
    return len(name) <= LONGEST_NAME and name.isidentifier() and not keyword.iskeyword(name)
