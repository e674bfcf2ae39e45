"""What stands in the blanks of a call: arrays, numbers and lists as arguments and as literals, axes, shapes."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

FORMS = ("", "", "", "F", "strided", "reversed", "readonly")
"""How arguments lie in memory (`tests/fuzz/arrays/arguments.py`)."""
WHOLE = (np.int64, np.int64, np.int32)
"""The kinds of whole numbers that stand for floats."""


class Operands:
    """The operands of one call, drawn with these random numbers: those that become parameters, and arrays around the function."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.draw = rng, np.random.default_rng(rng.randrange(2**32))
        self.args: list[Any] = []
        self.forms: list[str] = []
        self.around: list[str] = []
        extents = [
            0 if rng.random() < 0.04 else rng.choice((1, 2, 3, 3)) for _ in range(rng.choice((1, 2, 2, 3)))
        ]
        self.shape = tuple(extents)
        self.axis = rng.randrange(-len(extents), len(extents))
        self.size, self.length = rng.choice((1, 2, 3)), rng.choice((1, 2, 4))
        self.complex = rng.random() < 0.08

    def blank(self, name: str, *, is_array: bool) -> str:
        """The text for a blank; that of an array, not a list, if `is_array`."""
        if name in NUMBERS:
            kind, shape = NUMBERS[name]
            return self.numbers(kind, shape(self), is_array=is_array)
        return OTHERS[name](self)

    def numbers(self, kind: str, shape: tuple[int, ...], *, is_array: bool) -> str:
        """Numbers as an argument or a literal: floats, or whole or complex numbers in their place."""
        rng, values = self.rng, self.values(kind, shape)
        if rng.random() < 0.15 and kind in "xp":
            whole = np.rint(2.0 * values).astype(rng.choice(WHOLE))
            if shape and (is_array or rng.random() < 0.7):
                return self.constant(whole)
            if not is_array:
                return repr(whole.tolist())
        if not is_array and values.size < 7 and rng.random() < (0.12 if shape else 0.3):
            return repr(np.round(values, 3).tolist())
        if self.complex and kind == "x":
            values = values + 1j * self.draw.uniform(0.2, 1.0, shape)
        return self.argument(values if shape else values.item())

    def values(self, kind: str, shape: tuple[int, ...]) -> Any:
        """Floats of a kind, none near a kink."""
        uniform = self.draw.uniform
        match kind:
            case "u":
                return uniform(0.1, 0.9, shape)
            case "p":
                return uniform(0.3, 1.4, shape)
            case "increasing":
                return np.cumsum(uniform(0.3, 1.0, shape)) - 1.0
            case "regular":
                return uniform(-1.0, 1.0, shape) + 2.5 * np.eye(shape[-1])
            case _:
                return uniform(0.2, 1.5, shape) * self.draw.choice((-1.0, 1.0), shape)

    def argument(self, value: Any) -> str:
        """A parameter with this value, and perhaps a view of it."""
        self.args.append(value)
        form = self.rng.choice(FORMS) if isinstance(value, np.ndarray) else ""
        self.forms.append(form)
        name = f"x{len(self.args) - 1}"
        return f"{name}[::-1]" if isinstance(value, np.ndarray) and self.rng.random() < 0.06 else name

    def constant(self, value: Any) -> str:
        """The name of an array around the function."""
        name = f"K{len(self.around)}"
        made = f"np.array({value.tolist()!r}, np.{value.dtype}).reshape({value.shape!r})"
        self.around.append(f"{name} = {made}")
        return name

    def broadcast(self) -> tuple[int, ...]:
        """A shape that broadcasts to the whole one."""
        rng = self.rng
        kept = self.shape[rng.randrange(len(self.shape) + 1) :] if rng.random() < 0.5 else self.shape
        return tuple(1 if rng.random() < 0.2 else extent for extent in kept)

    def mask(self, shape: tuple[int, ...]) -> str:
        """A mask of this shape."""
        return self.constant(np.asarray(self.draw.random(shape) < 0.5))

    def counts(self, shape: tuple[int, ...], most: int) -> str:
        """Whole numbers from zero on."""
        return self.constant(np.asarray(self.draw.integers(0, max(most, 1), shape)))

    def axes(self) -> str:
        """One axis, some, or all."""
        ndim, rng = len(self.shape), self.rng
        if rng.random() < 0.6:
            return rng.choice((str(rng.randrange(-ndim, ndim)), "None"))
        chosen = rng.sample(range(ndim), rng.randint(1, ndim))
        return repr(tuple(axis - ndim * (rng.random() < 0.4) for axis in chosen))


NUMBERS: dict[str, tuple[str, Callable[[Operands], tuple[int, ...]]]] = {
    **{kind: (kind, Operands.broadcast) for kind in "xpu"},
    "X": ("x", lambda made: made.shape),
    "P": ("p", lambda made: made.shape),
    "s": ("x", lambda _: ()),
    "V": ("x", lambda made: (made.size,)),
    "W": ("x", lambda made: (made.length,)),
    "V2": ("x", lambda _: (2,)),
    "V3": ("x", lambda _: (3,)),
    "S": ("x", lambda made: (made.size, made.size)),
    "threes": ("x", lambda made: (*made.broadcast()[:-1], 3)),
    "stack": ("x", lambda made: (*made.broadcast()[:-1], made.size, made.size)),
    "regular": ("regular", lambda made: (*made.shape[: made.rng.randrange(2)], made.size, made.size)),
    "steps": ("increasing", lambda made: (made.shape[-1],)),
    "long": ("x", lambda made: (made.shape[-1],)),
    "plong": ("p", lambda made: (made.shape[made.axis],)),
    "atplaces": ("x", lambda made: (made.length,)),
}
"""The blanks for numbers: their kind and their shape."""

OTHERS: dict[str, Callable[[Operands], str]] = {
    "axis": lambda made: str(made.rng.randrange(-len(made.shape), len(made.shape))),
    "same": lambda made: str(made.axis),
    "axes": Operands.axes,
    "order": lambda made: repr(tuple(made.rng.sample(range(len(made.shape)), len(made.shape)))),
    "shape": lambda made: repr(made.shape),
    "m": lambda made: made.mask(made.broadcast()),
    "M": lambda made: made.mask(made.shape),
    "flags": lambda made: made.mask((made.shape[made.axis],)),
    "n": lambda made: made.counts(made.broadcast(), 2),
    "counts": lambda made: made.counts((made.shape[made.axis],), 3),
    "places": lambda made: made.counts((made.length,), min(made.shape)),
    "atsame": lambda made: made.counts(
        tuple(1 if made.rng.random() < 0.4 else extent for extent in made.shape), made.shape[made.axis]
    ),
}
"""The other blanks."""
