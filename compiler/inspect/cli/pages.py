"""The page of each error code, for a terminal. The text is that of docs/errors.md, which the package ships."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from typing import TextIO

from backsweep.display.terminal import code as highlighted
from backsweep.inspect.cli import terminal

ENTRY = re.compile(r"^### (BS\d{3})\n(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
PARTS = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WIDTH = 100


@dataclass(frozen=True, slots=True)
class Page:
    """What docs/errors.md says of one code."""

    code: str
    text: str

    @property
    def title(self) -> str:
        """What is wrong, in a few words: those in bold."""
        found = re.match(r"\s*\*\*(.*?)\.?\*\*", self.text)
        return plain(found[1]) if found else ""


def pages() -> dict[str, Page]:
    """The pages by code."""
    text = resources.files("backsweep.inspect").joinpath("data/errors.md").read_text(encoding="utf-8")
    return {code: Page(code, entry) for code, entry in ENTRY.findall(text)}


def plain(text: str) -> str:
    """Prose without the marks of Markdown; code keeps its backquotes."""
    text = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text)
    return re.sub(r"(?<![\w`*])(\*{1,2})(?=\S)([^*]+?)\1", r"\2", text)


def shown(page: Page, stream: TextIO) -> str:
    """The page as a terminal shows it."""
    lines = [terminal.styled(page.code, terminal.BOLD, stream), *_blocks(page.text, stream)]
    return "\n\n".join(lines)


def _blocks(text: str, stream: TextIO) -> Iterator[str]:
    """Paragraphs and blocks of code, in order."""
    at = 0
    for block in PARTS.finditer(text):
        yield from _paragraphs(text[at : block.start()])
        code = block[2].rstrip("\n")
        shown_code = highlighted(code, stream) if block[1] == "python" else terminal.error(code, stream)
        yield textwrap.indent(shown_code, "    ")
        at = block.end()
    yield from _paragraphs(text[at:])


def _paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of prose, wrapped."""
    for paragraph in re.split(r"\n\s*\n", text):
        if words := plain(paragraph).split():
            yield textwrap.fill(" ".join(words), WIDTH, break_long_words=False, break_on_hyphens=False)
