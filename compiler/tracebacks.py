"""Tracebacks that show the user's frames: those of Backsweep, and of Numba below it, are taken out of an error that leaves.

A function that users call catches what passes, calls `hide` and raises it again by a bare `raise`, which adds no frame of its
own. A `try` costs nothing as long as nothing is raised. `BACKSWEEP_TRACEBACK=full` in the environment shows all frames.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import ParamSpec, TypeVar

from backsweep.diagnostics import BacksweepError, InternalError

P = ParamSpec("P")
R = TypeVar("R")

CHOSEN = "BACKSWEEP_TRACEBACK"
"""The variable of the environment: "full" shows all frames."""
OURS = ("backsweep", "backsweep.runtime")
BETWEEN = ("numba", "llvmlite")
"""Packages whose frames are hidden where we called them."""


def hiding(entry: Callable[P, R]) -> Callable[P, R]:
    """Let errors leave a function without our frames. What is called often does so itself, which saves a call."""

    @functools.wraps(entry)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return entry(*args, **kwargs)
        except BaseException as error:
            hide(error)
            raise

    return called


def hide(error: BaseException) -> None:
    """Take our frames out of the traceback of an error that leaves Backsweep. The caller raises it again by a bare `raise`.

    Frames of the user's functions stay, and those of emitted code. An InternalError keeps all: a report needs them.
    What was caught within Backsweep on the way to a refusal is not shown; `__cause__` and `__context__` stay.
    """
    if isinstance(error, InternalError) or os.environ.get(CHOSEN, "").lower() == "full":
        return
    error.__traceback__ = without_ours(error.__traceback__)
    if error.__cause__ is not None:
        error.__cause__.__traceback__ = without_ours(error.__cause__.__traceback__)
    elif isinstance(error, BacksweepError) and error.__context__ is not None:
        inside = error.__context__.__traceback__
        if inside is not None and without_ours(inside) is None:
            error.__suppress_context__ = True


def without_ours(found: TracebackType | None) -> TracebackType | None:
    """The traceback without frames of Backsweep, and of Numba where Backsweep called it."""
    ours, between = folders(OURS), (*folders(BETWEEN), contextlib.__file__, functools.__file__)
    kept: list[TracebackType] = []
    below = False
    while found is not None:
        file = found.tb_frame.f_code.co_filename
        below = file.startswith(ours) or (below and file.startswith(between))
        if not below:
            kept.append(found)
        found = found.tb_next
    result = None
    for each in reversed(kept):
        result = TracebackType(result, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return result


def folders(packages: tuple[str, ...]) -> tuple[str, ...]:
    """The folders of packages that are loaded, each with a separator behind it."""
    paths = (path for name in packages for path in getattr(sys.modules.get(name), "__path__", ()))
    return tuple(str(Path(path)) + os.sep for path in paths)
