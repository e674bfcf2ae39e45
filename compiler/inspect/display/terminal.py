"""What standard output can show: colours, and how many columns."""

from __future__ import annotations

import os
import shutil
import sys

from backsweep.inspect.display.highlight import lines_as_ansi


def is_terminal() -> bool:
    """Whether standard output is a terminal; a notebook's is not."""
    return sys.stdout is not None and sys.stdout.isatty()


def has_colours() -> bool:
    """Whether colours are shown: on a terminal that has them, unless NO_COLOR is set."""
    return is_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def is_asked() -> bool:
    """Whether Python's own prompt shows a value, to be read at once by a person."""
    return hasattr(sys, "ps1") and is_terminal()


def columns() -> int | None:
    """The width of the terminal; None where output goes elsewhere."""
    return shutil.get_terminal_size().columns if is_terminal() else None


def code(text: str) -> str:
    """Python, highlighted where colours are shown."""
    return "\n".join(lines_as_ansi(text)) if has_colours() else text
