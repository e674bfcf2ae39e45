"""Places in the user's code, and the errors that point at them.

A `Loc` is a piece of source. A `Problem` says what is wrong there and what to write instead. Every error of
Backsweep has one or more problems and prints each with its line and a caret.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Loc:
    """A span of user source. Every IR node and every message points at one.

    `statement` is the text of the whole statement on one line, as the reverse sweep quotes it. If the function was
    inlined, `caller` is the place of the call. `checked` says whether subscripts of the function are checked; None
    leaves that to its caller. `by_zero` says whether its whole numbers raise when they are divided by zero.
    `is_compiled` says that Numba decides what numbers are here, as in an `@njit` function; elsewhere Python and NumPy do.
    `part` tells the places apart in a text of ours that stands for the call here; nobody sees it.
    """

    file: str
    function: str
    line: int
    column: int = 0
    end_column: int = 0
    text: str = ""
    statement: str = ""
    caller: Loc | None = None
    checked: bool | None = None
    by_zero: bool = True
    is_compiled: bool = False
    part: str = ""

    @property
    def is_checked(self) -> bool:
        """Whether subscripts here are checked, as in Python. They are, unless a function says otherwise."""
        if self.checked is not None:
            return self.checked
        return self.caller is None or self.caller.is_checked

    def show(self) -> str:
        """The place, its line and a caret under the span, indented as in an error."""
        head = f"  {self.file}:{self.line}, in {self.function}"
        if not self.text:
            return head
        number = f"{self.line:6d} | "
        width = max(1, self.end_column - self.column)
        width = min(width, max(1, len(self.text) - self.column))
        caret = " " * 6 + " | " + " " * self.column + "^" * width
        shown = f"{head}\n{number}{self.text}\n{caret}"
        if self.caller is not None:
            shown += f"\n  called from {self.caller.file}:{self.caller.line}, in {self.caller.function}"
        return shown


NOWHERE = Loc(file="<backsweep>", function="<generated>", line=0)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: code (an entry of docs/errors.md), cause, place, remedy."""

    code: str
    message: str
    loc: Loc | None = None
    remedy: str = ""

    def show(self) -> str:
        """The problem as the user reads it."""
        parts = [f"{self.message}  [{self.code}]"]
        if self.loc is not None:
            parts.append(self.loc.show())
        if self.remedy:
            parts.append(f"  help: {self.remedy}")
        return "\n".join(parts)


class BacksweepError(Exception):
    """The base class of all refusals: each has a code, a cause and a remedy, and most have a place in the source.

    Catch this class to catch every refusal. `problems` has one item for each; `str()` prints all of them, and the command that
    prints their pages.
    """

    problems: tuple[Problem, ...]

    def __init__(self, problems: Problem | Sequence[Problem]) -> None:
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)
        codes = " ".join(dict.fromkeys(problem.code for problem in self.problems))
        parts = (*(problem.show() for problem in self.problems), f"  more: backsweep help {codes}")
        super().__init__("\n".join(parts))

    def __reduce__(self) -> tuple[type[BacksweepError], tuple[object, ...]]:
        return (type(self), (self.problems,))


class UnsupportedError(BacksweepError):
    """A construct that cannot be differentiated exactly, or a function without a derivative rule."""


class ArgumentError(BacksweepError):
    """A wrong argument or option: `wrt`, `argnums`, an argument without derivative, a cotangent of the wrong structure."""


class CallError(ArgumentError, TypeError):
    """A call that does not fit the function's parameters. It is a TypeError, too, as Python's own is."""


class OverlapError(ArgumentError, ValueError):
    """Arguments that share memory, of which the function writes one. Compiled code that calls a derivative gets a plain ValueError."""


class NotScalarError(BacksweepError):
    """A gradient was asked for, but the function does not return a float."""


class SourceError(BacksweepError):
    """The source of a function cannot be read."""


class TypingError(BacksweepError):
    """Numba cannot type the function for these arguments. The error points at the user's line."""


class InternalError(BacksweepError):
    """A fault of Backsweep itself. It says what failed, in which pass, and what to send with a report.

    `function` is the name of the function that was being compiled, `stage` the pass and its place in the source,
    `versions` those of Backsweep and of the packages it uses. `__cause__` is the original exception.
    """

    def __init__(
        self,
        problems: Problem | Sequence[Problem],
        function: str = "",
        stage: str = "",
        versions: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(problems)
        self.function = function
        self.stage = stage
        self.versions = dict(versions or {})

    def __reduce__(self) -> tuple[type[BacksweepError], tuple[object, ...]]:
        return (type(self), (self.problems, self.function, self.stage, self.versions))


class NotFiniteError(BacksweepError, FloatingPointError):
    """With `debug_nan`: an adjoint or tangent is nan or infinite. It names the line and the values that led to it."""


class OutOfMemoryError(BacksweepError, MemoryError):
    """What the forward sweep would record does not fit into memory. It says how many bytes that is, and what to do."""


COPY_REMEDY = ": pass a copy"
"""How the ValueError of emitted code ends for arguments that share memory, of which one is written."""


def names_bytes(error: MemoryError) -> bool:
    """Whether the error says how many bytes the records take, and how many are free."""
    return isinstance(error, BacksweepError) or len(error.args) == 3


def worded(error: MemoryError) -> MemoryError:
    """The error to raise for a lack of memory: with words, if it was found before the loops ran."""
    if isinstance(error, BacksweepError) or not names_bytes(error):
        return error
    text, size, free = error.args
    message = f"{text}: they take {size:,.0f} bytes, and {free:,.0f} are free"
    remedy = (
        "mark the longest loop, as in `for t in bs.checkpointed(range(n), slots=100):`, "
        "or the function that it calls, with bs.checkpoint; `.explain()` says what takes the room."
    )
    return OutOfMemoryError(Problem("BS148", message, remedy=remedy))


@contextmanager
def naming_nan() -> Iterator[None]:
    """Turn the error of an adjoint or tangent that is not finite into a NotFiniteError."""
    try:
        yield
    except FloatingPointError as error:
        if isinstance(error, BacksweepError) or len(error.args) < 3:
            raise
        text, bar, value, *rest = error.args
        pairs = [f"{name} = {number}" for name, number in zip(rest[::2], rest[1::2], strict=True)]
        message = f"{text}: {bar} = {value}" + (f" from {', '.join(pairs)}" if pairs else "")
        own = "" if " tangent " in text else ", or give the function its own pullback with bs.custom_vjp"
        remedy = f"keep the arguments away from this point{own}."
        raise NotFiniteError(Problem("BS602", message, remedy=remedy)) from None


@dataclass(slots=True)
class Problems:
    """Collects problems so that several are reported at once."""

    found: list[tuple[type[BacksweepError], Problem]] = field(default_factory=list)

    def add(self, kind: type[BacksweepError], problem: Problem) -> None:
        """Note a problem, once."""
        if (kind, problem) not in self.found:
            self.found.append((kind, problem))

    def report(self) -> None:
        """Raise what was collected, as the class of the first problem; nothing if there is none."""
        if self.found:
            raise self.found[0][0]([problem for _, problem in self.found])
