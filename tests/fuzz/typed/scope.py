"""What a typed random program may use at a point, and of which types it is: each line is run once as it is written."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.fuzz.program import Line
from tests.support import checking

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGERS = (*SIGNED, *UNSIGNED)
WHOLE = ("n", "k")
"""Arguments that stay whole numbers, so that they are indices and bounds anywhere."""
DTYPES = (*INTEGERS, "bool", "float32", "float64", "complex64", "complex128")


@dataclass(frozen=True)
class Bounds:
    """The least and the greatest value of a loop's counter."""

    low: int
    high: int


@dataclass
class Scope:
    """The variables in reach with a value that each may have; `counters` are not assigned; `hidden` are the program's
    own (scratch arrays, stack pointers), which only their own statements use.
    """

    rng: random.Random
    values: dict[str, Any]
    functions: dict[str, Any]
    counters: dict[str, Bounds] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)
    depth: int = 0
    loops: int = 0
    count: list[int] = field(default_factory=lambda: [0])

    def inner(self, *, loop: bool = False) -> Scope:
        """The scope of a block within: what it defines stays inside."""
        return Scope(
            self.rng,
            self.values.copy(),
            self.functions,
            dict(self.counters),
            set(self.hidden),
            self.depth + 1,
            self.loops + loop,
            self.count,
        )

    def fresh(self, stem: str) -> str:
        """A name that nothing has."""
        self.count[0] += 1
        return f"{stem}{self.count[0]}"

    def run(self, text: str) -> bool:
        """Run statements on copies of the values; whether they run. What they assign is in reach afterwards."""
        memory: dict[int, Any] = {}
        # Names of one array stay names of one array
        tried = {
            name: memory.setdefault(id(value), checking.clone(value)) for name, value in self.values.items()
        }
        names = tried | self.functions
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(text, names)
        except (ArithmeticError, AttributeError, IndexError, NameError, TypeError, ValueError):
            return False
        self.values.update(
            {k: v for k, v in names.items() if k not in self.functions and k != "__builtins__"}
        )
        return True

    def type_of(self, text: str) -> str:
        """The kind of an expression's value, "" if it has none: "b", "i", "u", "f", "c"."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return str(np.asarray(eval(text, dict(self.values | self.functions))).dtype.kind)
        except (ArithmeticError, AttributeError, IndexError, NameError, TypeError, ValueError):
            return ""

    def lines(self, *choices: Callable[[], str]) -> list[Line]:
        """The first of some attempts at a line that runs."""
        for _ in range(8):
            text = self.rng.choice(choices)()
            if self.run(text):
                return [Line(text)]
        return []

    def scalars(self, kinds: str) -> list[str]:
        """The numbers of these kinds."""
        return [
            name
            for name, value in self.values.items()
            if name not in self.hidden
            and isinstance(value, bool | int | float | complex | np.generic)
            and np.asarray(value).dtype.kind in kinds
        ]

    def arrays(self, kinds: str, axes: int = 1) -> list[str]:
        """The arrays of these kinds."""
        return [
            name
            for name, value in self.values.items()
            if name not in self.hidden
            and isinstance(value, np.ndarray)
            and value.ndim == axes
            and value.size
            and value.dtype.kind in kinds
        ]

    def assignable(self, kinds: str) -> list[str]:
        """The numbers of these kinds that are neither a loop's counters nor used as indices everywhere."""
        return [name for name in self.scalars(kinds) if name not in self.counters and name not in WHOLE]

    def size(self, name: str) -> int:
        """The entries along the first axis."""
        return int(self.values[name].shape[0])
