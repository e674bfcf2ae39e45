"""Check the options and arguments that a caller passes. A value of the wrong kind is refused before any work is done."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from backsweep.diagnostics import ArgumentError, Problem

LONGEST = 60
"""A wrong value is shown up to this many characters."""
FASTMATH = ("afn", "arcp", "contract", "fast", "ninf", "nnan", "nsz", "reassoc")
"""LLVM's flags for floating-point arithmetic that Numba accepts."""
PARALLEL = ("comprehension", "fusion", "inplace_binop", "numpy", "prange", "reduction", "setitem", "stencil")
"""The parts of Numba's `parallel` that can be switched."""
ERROR_MODELS = ("numpy", "python")


def shown(value: object) -> str:
    """A value in a message, on one line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def expect(name: str, value: object, wanted: str, *, fits: bool, remedy: str = "") -> None:
    """Raise ArgumentError unless the value fits: `wanted` says what an option or argument must be."""
    if not fits:
        message = f"`{name}` is {shown(value)}, but it must be {wanted}"
        raise ArgumentError(Problem("BS156", message, remedy=remedy or f"give {wanted}."))


def flag(name: str, value: object) -> bool:
    """A truth value."""
    expect(name, value, "True or False", fits=isinstance(value, bool | np.bool_))
    return bool(value)


def is_whole(value: object) -> bool:
    """Whether it is a whole number and not a bool."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def function(name: str, value: object) -> None:
    """Something that can be called."""
    expect(name, value, "a function", fits=callable(value))


def names(name: str, value: object) -> tuple[str, ...]:
    """A name, or a tuple of them; raises ArgumentError for anything else."""
    given = (value,) if isinstance(value, str) else value
    fits = isinstance(given, tuple | list) and all(isinstance(each, str) for each in given)
    expect(name, value, "a name or a tuple of names", fits=fits)
    return tuple(given) if isinstance(given, tuple | list) else ()


def hooks(value: object) -> Mapping[str, Any]:
    """A dictionary from names of variables to functions or None."""
    given = {} if value is None else value
    fits = isinstance(given, Mapping) and all(isinstance(name, str) for name in given)
    remedy = 'write hooks={"u": function}; "u" is an argument or a variable.'
    expect("hooks", value, "a dictionary of functions by the names of variables", fits=fits, remedy=remedy)
    assert isinstance(given, Mapping)
    return given


def collect(value: object) -> None:
    """A dictionary to fill, or None."""
    fits = value is None or isinstance(value, MutableMapping)
    remedy = "write found = {}, pass collect=found, and read found after the call."
    expect("collect", value, "a dictionary", fits=fits, remedy=remedy)


def option(name: str, value: Any) -> Any:
    """A compile option in its stored form: sets and dictionaries become sorted tuples."""
    match name:
        case "fastmath":
            if isinstance(value, Mapping):
                value = {key for key, on in value.items() if on}
            if isinstance(value, set | frozenset | tuple):
                unknown = set(value) - set(FASTMATH)
                wanted = f"True, False or a set of {', '.join(FASTMATH)}"
                expect(name, value, wanted, fits=not unknown)
                return tuple(sorted(value))
            expect(
                name, value, "True, False or a set of LLVM's flags", fits=isinstance(value, bool | np.bool_)
            )
            return bool(value)
        case "parallel" if value is None:
            return None  # as the function has it
        case "parallel":
            if isinstance(value, tuple):
                value = dict(value)
            if isinstance(value, Mapping):
                wanted = f"True, False or a dictionary of truth values for {', '.join(PARALLEL)}"
                expect(name, value, wanted, fits=set(value) <= set(PARALLEL))
                return tuple(sorted((key, bool(on)) for key, on in value.items()))
            expect(name, value, "True, False or None", fits=isinstance(value, bool | np.bool_))
            return bool(value)
        case "error_model":
            fits = isinstance(value, str) and value in ERROR_MODELS
            remedy = 'choose "python", which raises ZeroDivisionError for a division by zero, or "numpy", which gives inf or nan.'
            expect(name, value, '"numpy" or "python"', fits=fits, remedy=remedy)
            return value
        case "boundscheck" if value is None:
            return None  # as the function has it
        case _:
            return flag(name, value)


def arguments(name: str, value: object) -> tuple[Any, ...]:
    """The arguments of a call, as a tuple."""
    remedy = "write (x,) for a single argument."
    expect(name, value, "a tuple of arguments", fits=isinstance(value, tuple | list), remedy=remedy)
    assert isinstance(value, Sequence)
    return tuple(value)


def count_or_none(name: str, value: object) -> None:
    """A whole number of at least zero, or None."""
    fits = value is None or (isinstance(value, int) and is_whole(value) and value >= 0)
    expect(name, value, "a whole number, or None for all", fits=fits)


def tolerance(name: str, value: object) -> None:
    """A number of at least zero, or None."""
    fits = value is None or (isinstance(value, int | float | np.floating | np.integer) and bool(value >= 0))
    expect(name, value, "a number, 0 or larger, or None for the default", fits=fits)


@dataclass(frozen=True, slots=True)
class Options:
    """How emitted code is compiled; the meaning of each is Numba's.

    Sets of flags and dictionaries are kept as sorted tuples, which are the same in every process. Three options differ from
    Numba's: `parallel` runs loops of emitted code on all cores, those that the function marks with `prange` (None), all that
    may (True) or none (False); `debug_nan` stops the run at the first adjoint or tangent that is nan or infinite, and `boundscheck` adds its
    checks as statements to the emitted code; with None, the function decides, and a plain function is checked.
    With `strong_zeros`, adjoints and tangents that are zero contribute zero through singular partial derivatives.
    `progress` tells of compilations that take long, `vector_math` lets loops call vector functions of the C library.
    """

    jit: bool = True
    fastmath: bool | tuple[str, ...] = False
    parallel: bool | tuple[tuple[str, bool], ...] | None = None
    cache: bool = True
    error_model: str = "numpy"
    boundscheck: bool | None = None
    debug_nan: bool = False
    strong_zeros: bool = True
    progress: bool = True
    vector_math: bool = True

    def for_numba(self, *, in_blocks: bool = False) -> dict[str, Any]:
        """The keywords of `numba.njit` that decide how a function is compiled, in which loops run in blocks or none does."""
        chosen = dict(self.parallel) if isinstance(self.parallel, tuple) else {}
        parts = {name: chosen.get(name, False) for name in PARALLEL} | {"prange": in_blocks}
        return {
            "fastmath": set(self.fastmath) if isinstance(self.fastmath, tuple) else self.fastmath,
            "parallel": parts if any(parts.values()) else False,
            "error_model": self.error_model,
        }

    @property
    def marks(self) -> bool | None:
        """Which loops are asked to run on all cores: those that the function marks (None), all, or none."""
        return dict(self.parallel).get("prange") if isinstance(self.parallel, tuple) else self.parallel


AxesOf = int | tuple["AxesOf", ...] | None
"""The axis of an argument along which the examples of a batch lie, or that of each item of a tuple; None if all examples share it."""


@dataclass(frozen=True, slots=True)
class Axes:
    """The axes of a batch: of each argument, in order, or of all where it is a number; and of the results."""

    arguments: AxesOf
    results: int | tuple[int, ...]

    def of(self, names: Sequence[str]) -> dict[str, AxesOf]:
        """The axes by the names of the arguments; those that are left out are shared."""
        if not isinstance(self.arguments, tuple):
            return dict.fromkeys(names, self.arguments)
        if len(self.arguments) > len(names):
            message = f"in_axes has {len(self.arguments)} entries, and the function has {len(names)} {'argument' if len(names) == 1 else 'arguments'}"
            remedy = "give the axis of the examples in each argument, as in in_axes=(0, None)."
            raise ArgumentError(Problem("BS417", message, remedy=remedy))
        given = dict(zip(names, self.arguments, strict=False))
        return {name: given.get(name) for name in names}


def axes_in(given: Any) -> AxesOf:
    """The axes of arguments, lists as tuples."""
    if isinstance(given, tuple | list):
        return tuple(map(axes_in, given))
    if given is None or is_whole(given):
        return None if given is None else int(given)
    message = f"in_axes holds {given!r}, which is neither a whole number nor None"
    raise ArgumentError(
        Problem(
            "BS417",
            message,
            remedy="give the axis of the examples in each argument, as in in_axes=(0, None).",
        )
    )


def axes_out(given: Any) -> int | tuple[int, ...]:
    """The axes of results."""
    if is_whole(given):
        return int(given)
    if isinstance(given, tuple | list) and given and all(map(is_whole, given)):
        return tuple(map(int, given))
    message = f"out_axes is {given!r}, which is neither a whole number nor a tuple of such"
    raise ArgumentError(
        Problem("BS417", message, remedy="give the axis of the examples in the results, as in out_axes=0.")
    )
