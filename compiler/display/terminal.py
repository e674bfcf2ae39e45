"""What standard output, or another stream, can show: colours, and how many columns.

NO_COLOR in the environment turns colours off, FORCE_COLOR turns them on.
"""

from __future__ import annotations

import os
import shutil
import sys
from typing import TextIO

from backsweep.display.highlight import lines_as_ansi


def is_terminal() -> bool:
    """Whether standard output is a terminal; a notebook's is not."""
    return sys.stdout is not None and sys.stdout.isatty()


def has_colours(stream: TextIO | None = None) -> bool:
    """Whether what is written to the stream, or to standard output, may have colours."""
    stream = sys.stdout if stream is None else stream
    if stream is None or os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


def is_asked() -> bool:
    """Whether Python's own prompt shows a value, to be read at once by a person."""
    return hasattr(sys, "ps1") and is_terminal()


def columns() -> int | None:
    """The width of the terminal; None where output goes elsewhere."""
    return shutil.get_terminal_size().columns if is_terminal() else None


def code(text: str, stream: TextIO | None = None) -> str:
    """Python, highlighted where colours are shown."""
    return "\n".join(lines_as_ansi(text)) if has_colours(stream) else text
