"""The public boundary: an unexpected exception of the compiler becomes an InternalError.

Users call Backsweep at a few places: they make a transformed function, have its code written, have Numba compile it, and have
results fitted. At each stands `boundary`, which turns any exception that is not expected there into an `InternalError`.
While emitted code runs, exceptions belong to the user's program; there stands `running`.
"""

from __future__ import annotations

import functools
import platform
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Literal, ParamSpec, TypeVar

from backsweep.diagnostics import BacksweepError, InternalError, Loc, Problem, UnsupportedError
from backsweep.tracebacks import hiding

P = ParamSpec("P")
R = TypeVar("R")

PACKAGE = Path(__file__).parent
DRIVERS = ("display", "explanation", "inspect", "runtime", "pipeline")
"""Folders whose files only call other stages, like the files beside this one, or are not part of the compiler."""
MOST_LINES = 3
"""The message quotes at most this many lines of the original exception."""


class Signal(Exception):  # noqa: N818  no error: it says where to go on
    """Raised and caught inside Backsweep. It may pass a boundary."""


EXPECTED = (BacksweepError, Signal, MemoryError, Warning)
"""Exceptions that pass: refusals, signals, lack of memory, and warnings that the user turned into errors."""


class boundary:  # noqa: N801  used as a function is, like contextlib.suppress
    """A context in which Backsweep works on a function: an unexpected exception becomes an InternalError.

    `arguments` are Numba's types, for the message. This is the only place that catches every exception, because the exception
    of a fault of ours cannot be foreseen.
    """

    def __init__(self, function: object, arguments: Sequence[object] | None = None) -> None:
        self.function = function
        self.arguments = arguments

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, found: TracebackType | None
    ) -> Literal[False]:
        if isinstance(error, Exception) and not isinstance(error, EXPECTED) and self.is_fault(error):
            if isinstance(error, RecursionError):
                raise too_deep(self.function) from None
            raise internal_error(error, self.function, self.arguments) from error
        return False

    def is_fault(self, _: Exception) -> bool:
        """Whether an unexpected exception here is a fault of Backsweep; it always is."""
        return True


class running(boundary):  # noqa: N801
    """A context in which emitted code runs: only an exception while Numba compiles is a fault of Backsweep; others are the program's."""

    def is_fault(self, error: Exception) -> bool:
        """Whether it was raised while Numba compiled. Machine code that raises has no frames there."""
        return _is_numbas(_files(error))


def public(make: Callable[P, R]) -> Callable[P, R]:
    """Put a boundary around a public function. The function's first argument is the user's function, which it does not run."""

    @hiding
    @functools.wraps(make)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        with boundary(args[0] if args else kwargs.get("f")):
            return make(*args, **kwargs)

    return guarded


def too_deep(function: object) -> UnsupportedError:
    """The refusal of a function with more operations within one another than Python's limit of recursion lets a pass follow."""
    name, place = _named(function)
    message = f"`{name}` has expressions of more operations, one within the other, than Python's limit of recursion allows"
    remedy = f"write them as a loop, or allow more: sys.setrecursionlimit({20 * sys.getrecursionlimit()})"
    return UnsupportedError(Problem("BS102", message, place, remedy))


def _named(function: object) -> tuple[str, Loc | None]:
    """What a function is called, and where it begins."""
    name = str(getattr(function, "__name__", None) or type(function).__name__)
    code = getattr(getattr(function, "py_func", function), "__code__", None)
    return name, None if code is None else Loc(code.co_filename, name, code.co_firstlineno)


def internal_error(
    error: Exception, function: object, arguments: Sequence[object] | None = None
) -> InternalError:
    """The InternalError for an exception: the function, the pass, and what to send with a report."""
    name, place = _named(function)
    stage = stage_of(error)
    versions = known_versions()
    said = [line.strip() for line in str(error).splitlines() if line.strip()]
    what = ": ".join((type(error).__name__, *said[:MOST_LINES]))
    types = "" if arguments is None else f" ({', '.join(map(str, arguments))})"
    remedy = (
        f"this is a fault of Backsweep, not of `{name}`. Please report it with this message, the whole traceback, "
        f"the text of `{name}` and of the functions that it calls, and the types of its arguments{types}. "
        f"Versions: {', '.join(f'{package} {version}' for package, version in versions.items())}."
    )
    message = f"Backsweep failed on `{name}` in {stage}: {what}"
    return InternalError(Problem("BS155", message, place, remedy), name, stage, versions)


def known_versions() -> dict[str, str]:
    """The versions that a report of a fault needs."""
    found = {
        name: str(getattr(sys.modules.get(name), "__version__", "?"))
        for name in ("backsweep", "numba", "numpy")
    }
    return {**found, "python": platform.python_version()}


def stage_of(error: BaseException) -> str:
    """The pass that an exception came from, and the line of ours, or of Numba's, that raised it.

    The pass is the function that a file at the top of the package called last; these only call others.
    """
    files = _files(error)
    if not files:
        return "a place unknown"
    ours = [k for k, (file, _, _) in enumerate(files) if _room(file) is not None]
    if not ours:
        return _place_text(*files[-1])
    if _is_numbas(files[ours[-1] :]):
        return f"Numba's compilation of the emitted code, {_place_text(*files[-1])}"
    drivers = [k for k in ours if _room(files[k][0]) in ("", *DRIVERS)]
    inner = [k for k in ours if not drivers or k > drivers[-1]]
    first = files[inner[0] if inner else ours[-1]]
    last = files[ours[-1]]
    text = f"`{first[2]}`, {_place_text(*first)}"
    return text if last == first else f"{text}, at {_place_text(*last)}"


def _files(error: BaseException) -> list[tuple[str, int, str]]:
    """The files, lines and functions that an exception came through, the outermost first."""
    frames = traceback.walk_tb(error.__traceback__)
    return [
        (frame.f_code.co_filename, line, frame.f_code.co_name)
        for frame, line in frames
        if frame.f_code.co_filename != __file__
    ]


def _room(file: str) -> str | None:
    """The folder of the package that a file lies in, "" for its top; None for other files."""
    if not Path(file).is_relative_to(PACKAGE):
        return None
    *rooms, _ = Path(file).relative_to(PACKAGE).parts
    return rooms[0] if rooms else ""


def _is_numbas(files: list[tuple[str, int, str]]) -> bool:
    """Whether Numba's compiler is among these files."""
    return any(Path(file).match("numba/core/*.py") for file, _, _ in files)


def _place_text(file: str, line: int, _: str) -> str:
    """A line of ours, or of a package, without the folder that it is installed in."""
    path = Path(file)
    if path.is_relative_to(PACKAGE):
        return f"backsweep/{path.relative_to(PACKAGE).as_posix()}:{line}"
    return f"{'/'.join(path.parts[-3:])}:{line}"
