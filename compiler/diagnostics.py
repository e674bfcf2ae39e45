"""Where things are in the user's code, and how we tell the user what is wrong there.

A `Loc` points at a piece of source; a `Problem` says what is wrong there and what to write instead;
every error of Backsweep carries one or more problems and prints each with its line and a caret.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Loc:
    """A span of user source: what every IR node and every message points at.

    `statement` is the text of the statement that the span belongs to, on one line, as the reverse
    sweep quotes it. `caller` is the place of the call when the span lies in a function that was
    inlined there. `checked` says whether subscripts of its function are checked; None where the function leaves
    that to its caller. `by_zero` says whether whole numbers that it divides by zero raise.
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

    @property
    def is_checked(self) -> bool:
        """Whether subscripts at this place are checked, as Python does: unless a function says that they are not."""
        if self.checked is not None:
            return self.checked
        return self.caller is None or self.caller.is_checked

    def show(self) -> str:
        """The place, its line and a caret under the span, indented as errors print it."""
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
    """One thing that is wrong: a code (docs/errors.md has an entry for each), cause, place, remedy."""

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
    """Anything that Backsweep refuses, with file, line, caret, cause and remedy.

    Catch this class to catch every refusal. `problems` holds each separately; `str()` prints all.
    """

    problems: tuple[Problem, ...]

    def __init__(self, problems: Problem | Sequence[Problem]) -> None:
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(problem.show() for problem in self.problems))

    def __reduce__(self) -> tuple[type[BacksweepError], tuple[object, ...]]:
        return (type(self), (self.problems,))


class UnsupportedError(BacksweepError):
    """A construct that is not handled exactly, or a function that has no derivative rule."""


class ArgumentError(BacksweepError):
    """A wrong `wrt` or `argnums`, an inactive argument, a cotangent of the wrong structure."""


class NotScalarError(BacksweepError):
    """The gradient was asked of a function whose result is not a float scalar."""


class SourceError(BacksweepError):
    """The source of a function cannot be read."""


class TypingError(BacksweepError):
    """Numba cannot type the function for these arguments; told on the user's line."""


class InternalError(BacksweepError):
    """A fault of Backsweep's own: what failed, in which pass, and what to send; `__cause__` is what was raised there.

    `function` is the name of the function that it failed on; `stage` is the pass with its place; `versions` are those of
    Backsweep and of what it stands on.
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
    """With `debug_nan`, an adjoint or tangent that is nan or infinite: on which line, and the values that it came from."""


@contextmanager
def adjoints_told() -> Iterator[None]:
    """Tell an adjoint or tangent that is not finite in words."""
    try:
        yield
    except FloatingPointError as error:
        if isinstance(error, BacksweepError) or len(error.args) < 3:
            raise
        text, bar, value, *rest = error.args
        pairs = [f"{name} = {given}" for name, given in zip(rest[::2], rest[1::2], strict=True)]
        message = f"{text}: {bar} = {value}" + (f" from {', '.join(pairs)}" if pairs else "")
        own = "" if " tangent " in text else ", or give the function a pullback with bs.custom_vjp"
        remedy = f"keep the argument away from there{own}."
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
