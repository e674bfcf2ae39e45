"""The files of tests/passes: small programs, as text, and what a pass makes of each.

A file has one example after the other:

    # A store that nothing reads goes
    given n = 0
    function f(x: float64, n: int64):
        ...

    becomes

    function f(x: float64, n: int64):
        ...

A program that the pass leaves as it is has `stays` behind it, one that it refuses `refused: ` and the message. The heading
says in a sentence what the example shows. Each line `given` is a run of both programs with these arguments, in JSON,
instead of those that are made up for a parameter's type. `not run: reason` stands where neither can run, `not small: reason`
where a run with arrays of few entries says nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from backsweep.diagnostics import BacksweepError
from backsweep.ir.nodes import Function
from backsweep.ir.show import show
from backsweep.ir.typed import type_of
from backsweep.ir.types import Array, List, Scalar, Tuple, Type
from backsweep.ir.verify import verify
from backsweep.pipeline import passes
from backsweep.pipeline import table as pipeline
from backsweep.typing.infer import to_numba
from tests.support.interpreter import as_typed, interpret
from tests.support.ir_text import parse_with_callees, show_callee, show_with_callees

FOLDER = Path(__file__).parents[1] / "passes"
WITHOUT_FILE = {
    "lowered": "names the program that the passes begin with",
    "derivative": "names the program that the next passes begin with",
    "checks on entry": "asks for relations between extents (tests/specialise/test_extents.py)",
    "custom derivatives": "asks for programs of hooks and pullbacks without types (tests/ad/test_custom_vjp.py)",
    "dead parameters": "asks for what functions need of one another (tests/interprocedural/test_recursion.py)",
}
"""Entries of the table that do nothing, or ask for more than the text of a program says; these are tested elsewhere."""
SMALL = (0, 1, 2)
"""The extents that arrays have in further runs, as far as the program before the pass runs with these."""
KEEPS_ARGUMENTS = ("written arguments", "own copies")
"""Passes after which a program no longer writes to what it is given."""
BECOMES, STAYS, REFUSED, GIVEN = "becomes", "stays", "refused: ", "given "
NOT_RUN, NOT_SMALL = "not run: ", "not small: "
SIZE = 4


@dataclass(frozen=True)
class Example:
    """A program and what becomes of it: `after` is a program, `stays`, or a refusal."""

    title: str
    notes: tuple[str, ...]
    before: str
    after: str

    @property
    def runs(self) -> list[dict[str, Any]]:
        """The arguments of each run, by name, so far as the example gives them."""
        found = []
        for note in self.notes:
            if note.startswith(GIVEN):
                found.append(self._run(note))
            elif note.startswith(NOT_RUN):
                return []
        return found or [{}]

    @property
    def sizes(self) -> tuple[int, ...]:
        """The extents that arrays have in runs besides."""
        return () if any(note.startswith((NOT_RUN, NOT_SMALL)) for note in self.notes) else SMALL

    def _run(self, note: str) -> dict[str, Any]:
        """The arguments of one run."""
        parts = (part.split(" = ", 1) for part in note.removeprefix(GIVEN).split("; "))
        try:
            return {name.strip(): json.loads(text) for name, text in parts}
        except ValueError as error:
            message = f"`{note}` of {self.title!r} is no run: write `{GIVEN} x = 1.5; n = 3`, each in JSON"
            raise ValueError(message) from error

    @property
    def program(self) -> Function:
        """The program that the pass is given."""
        return parse_with_callees(self.before)[0]


@dataclass
class _Open:
    """An example that is being read."""

    title: str
    notes: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)

    def finish(self) -> Example:
        return Example(self.title, tuple(self.notes), _text(self.before), _text(self.after))


def _text(lines: Sequence[str]) -> str:
    return "\n".join(line for line in lines if line.strip())


def tested() -> dict[str, passes.Pass]:
    """The passes of the table by name, those that run twice once."""
    found: dict[str, passes.Pass] = {}
    ran: list[Callable[..., Function]] = []
    for group in vars(pipeline).values():
        if isinstance(group, tuple) and all(isinstance(each, passes.Pass) for each in group):
            for each in group:
                if each.name not in found and each.run not in ran and each.name not in WITHOUT_FILE:
                    found[each.name] = each
                ran.append(each.run)
    return found


def path_of(name: str) -> Path:
    """The file of a pass."""
    return FOLDER / f"{name.replace(' ', '_')}.txt"


def read(path: Path) -> list[Example]:
    """The examples of a file."""
    found: list[_Open] = []
    part: list[str] = []
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("# "):
            found.append(_Open(line.removeprefix("# ")))
            part = found[-1].before
        elif line.startswith((GIVEN, NOT_RUN, NOT_SMALL)):
            found[-1].notes.append(line)
        elif line == BECOMES:
            part = found[-1].after
        elif line == STAYS or line.startswith(REFUSED):
            found[-1].after.append(line)
        else:
            part.append(line)
    return [each.finish() for each in found]


def written(examples: Sequence[Example]) -> str:
    """The file with these examples."""
    parts = []
    for each in examples:
        head = "\n".join((f"# {each.title}", *each.notes))
        becomes = f"{BECOMES}\n\n{each.after}" if each.after.startswith("function ") else each.after
        parts.append(f"{head}\n\n{each.before}\n\n{becomes}\n")
    return "\n\n".join(parts)


def passed(each: passes.Pass, function: Function) -> Function:
    """What the pass makes of the program."""
    verify(function)
    types = [to_numba(value.type) for value in function.body.parameters if value.type is not None]
    made = each(function, passes.PassInputs(types))
    verify(made)
    return made


def now(each: passes.Pass, example: Example) -> Example:
    """The example as it is now: the program as `show` prints it, and what the pass makes of it."""
    function, callees = parse_with_callees(example.before)
    before = "\n".join([*map(show_callee, callees), show(function)])
    try:
        after = show_with_callees(passed(each, function), callees)
    except BacksweepError as error:
        after = f"{REFUSED}{error.problems[0].message}  [{error.problems[0].code}]"
    return replace(example, before=before, after=STAYS if after == show(function) else after)


def differences(each: passes.Pass, example: Example) -> list[str]:
    """What is to be told of runs in which the pass gives another result, or leaves something else in memory."""
    if example.after.startswith(REFUSED):
        return []
    before = example.program
    after = passed(each, example.program)
    words = []
    for run in example.runs:
        ends = [outcome(function, run) for function in (before, after)]
        if each.name in KEEPS_ARGUMENTS:
            ends = [end[:1] for end in ends]
        if not alike(*ends):
            words.append(f"{example.title} {run}: {ends[0]} becomes {ends[1]}")
    for size in example.sizes:
        ends = [outcome(function, {}, size) for function in (before, after)]
        if each.name in KEEPS_ARGUMENTS:
            ends = [end[:1] for end in ends]
        if not isinstance(ends[0][0], str) and not alike(*ends):
            words.append(f"{example.title}, extents {size}: {ends[0]} becomes {ends[1]}")
    return words


def outcome(function: Function, run: dict[str, Any], size: int = SIZE) -> list[Any]:
    """What the program returns or raises, and the arguments afterwards; arrays that are not given have extents of that size."""
    args = [
        argument(value.type, run.get(value.name), k, size) for k, value in enumerate(function.body.parameters)
    ]
    with np.errstate(all="ignore"):
        try:
            (end,) = function.body.yields
            result = as_typed(interpret(function, *args), type_of(end))
        except (IndexError, ValueError, ZeroDivisionError) as error:
            result = type(error).__name__
    return [_copied(result), *map(_copied, args)]


def argument(type_: Type | None, given: Any, seed: int, size: int = SIZE) -> Any:
    """An argument of the type: what is given, or made up."""
    match type_:
        case Scalar(dtype):
            made = {"b": True, "f": 0.75 + seed, "c": 0.75 + seed + 0.5j}.get(np.dtype(dtype).kind, 3)
            return np.dtype(dtype).type(made if given is None else given)
        case Array(dtype, ndim, layout):
            number = np.arange(size**ndim).reshape((size,) * ndim)
            made = np.cos(number + seed) if np.dtype(dtype).kind in "fc" else number % SIZE
            found = np.array(made if given is None else given, dtype=dtype)
            if layout == "A" and found.ndim:
                return np.repeat(found, 2, axis=-1)[..., ::2]
            return np.asfortranarray(found) if layout == "F" else found
        case Tuple(items):
            parts = given or [None] * len(items)
            return tuple(argument(item, part, seed, size) for item, part in zip(items, parts, strict=True))
        case List(item):
            return [argument(item, part, k, size) for k, part in enumerate(given or [None] * SIZE)]
        case _:
            return given


def _copied(result: Any) -> Any:
    if isinstance(result, tuple | list):
        return [_copied(item) for item in result]
    return result if isinstance(result, str) else np.array(result)


def alike(one: Any, other: Any) -> bool:
    """Whether two outcomes are the same but for rounding, dtypes included."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        if one.shape != other.shape or one.dtype != other.dtype:
            return False
        rounding = 1e-5 if one.dtype in (np.float32, np.complex64) else 1e-12
        if one.dtype.kind in "fc":
            return bool(np.allclose(one, other, rtol=rounding, atol=rounding, equal_nan=True))
    return bool(np.all(one == other))
