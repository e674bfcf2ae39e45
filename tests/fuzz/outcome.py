"""What can come of a random program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import backsweep as bs

Verdict = Literal["right", "wrong", "unworded", "hang", "refused", "skipped"]
"""`unworded` is any exception that neither the program raises nor the compiler words; `skipped` is no good for a check."""


@dataclass(frozen=True)
class Outcome:
    """What came of one program, and, unless it is right, the text to print."""

    verdict: Verdict
    message: str = ""


class UnfitError(Exception):
    """The program itself cannot be run or checked (only shrinking and growing values make such programs)."""


def of_error(error: Exception, where: str = "") -> Outcome:
    """The outcome of an exception from a transformation: refused in words, or a finding about the compiler."""
    if isinstance(error, bs.BacksweepError) and not isinstance(error, bs.InternalError):
        return Outcome("refused", f"{where}{error}")
    return Outcome("unworded", f"{where}{type(error).__name__}: {error}\n{origin(error)}")


def origin(error: BaseException) -> str:
    """The last lines of the compiler or the runtime that the exception passed, nearest last."""
    frames = []
    while error.__cause__ is not None:
        error = error.__cause__
    trace = error.__traceback__
    while trace is not None:
        path = trace.tb_frame.f_code.co_filename
        if "/backsweep/" in path or "/compiler/" in path or "/runtime/" in path:
            frames.append(f"  at {'/'.join(path.split('/')[-2:])}:{trace.tb_lineno}")
        trace = trace.tb_next
    return "\n".join(frames[-3:])
