"""Colours for those who look at a terminal; files and pipes get plain text.

Pygments highlights Python if it is installed. NO_COLOR in the environment turns colours off, FORCE_COLOR turns them on.
"""

from __future__ import annotations

import os
import re
from typing import TextIO

BOLD, RED, DIM = "1", "1;31", "2"
HEADING = re.compile(r"^(\w+Error|\w+: WRONG)(?=:|\n|$)")


def has_colours(stream: TextIO) -> bool:
    """Whether what is written to the stream may have colours."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def styled(text: str, style: str, stream: TextIO) -> str:
    """The text in a style, if the stream has colours."""
    return f"\x1b[{style}m{text}\x1b[0m" if text and has_colours(stream) else text


def python(text: str, stream: TextIO) -> str:
    """Python code, highlighted if the stream has colours and Pygments is installed."""
    if not has_colours(stream):
        return text
    try:
        # Imported here, because it is no requirement and files never need it.
        from pygments import highlight
        from pygments.formatters import TerminalFormatter
        from pygments.lexers import PythonLexer
    except ImportError:
        return text
    # The lexer is to keep blank lines at both ends, which separate texts.
    shown = str(highlight(text, PythonLexer(stripnl=False), TerminalFormatter()))
    return shown if text.endswith("\n") else shown.removesuffix("\n")


def table(text: str, stream: TextIO) -> str:
    """A text whose first line is a heading, as that of `explain`."""
    head, end, rest = text.partition("\n")
    return f"{styled(head, BOLD, stream)}{end}{rest}"


def program(text: str, stream: TextIO) -> str:
    """The text of `stages`, whose headings are comments."""
    if not has_colours(stream):
        return text
    return "\n".join(
        styled(line, BOLD, stream) if line.startswith("# ") else line for line in text.split("\n")
    )


def error(text: str, stream: TextIO) -> str:
    """The message of an error: its class and carets are red, and what helps is bold."""
    if not has_colours(stream):
        return text
    lines = []
    for line in text.split("\n"):
        before, caret, _ = line.partition("^")
        if caret and not before.replace("|", "").strip():
            line = before + styled(line[len(before) :], RED, stream)
        elif line.startswith(("  help: ", "  more: ")):
            line = f"  {styled(line[2:7], BOLD, stream)}{line[7:]}"
        lines.append(HEADING.sub(lambda found: styled(found[1], RED, stream), line))
    return "\n".join(lines)
