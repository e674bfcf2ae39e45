"""Colour what the command writes to a terminal; files and pipes get plain text."""

from __future__ import annotations

import re
from typing import TextIO

from backsweep.display.terminal import has_colours

BOLD, RED, DIM = "1", "1;31", "2"
HEADING = re.compile(r"^(\w+Error|\w+: WRONG)(?=:|\n|$)")


def styled(text: str, style: str, stream: TextIO) -> str:
    """The text in a style, if the stream has colours."""
    return f"\x1b[{style}m{text}\x1b[0m" if text and has_colours(stream) else text


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
