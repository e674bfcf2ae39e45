"""Texts that notebooks and terminals show highlighted: emitted code, and the program after each pass."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from backsweep.display import markup, terminal
from backsweep.explanation.side_by_side import emitted, statements_of
from backsweep.reading.functions import Source


class Text(str):
    """A string like any other; a notebook shows it as a page, and a prompt shows its lines, not their quoted form."""

    __slots__ = ()

    def __repr__(self) -> str:
        """At Python's prompt the text itself; elsewhere as that of any string."""
        return self.coloured() if terminal.is_asked() else super().__repr__()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle it as a plain string, so that it can be unpickled without Backsweep."""
        return str, (str(self),)

    def coloured(self) -> str:
        """The text with the colours of a terminal, where it has them."""
        return terminal.code(str(self))

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        """For IPython."""
        printer.text(self.coloured())


class Code(Text):
    """An emitted module. In a notebook, pointing at a line lights the lines of the same statement in both sweeps."""

    __slots__ = ("source",)
    source: Source

    @classmethod
    def of(cls, text: str, source: Source) -> Code:
        """The module that was emitted for a function."""
        code = cls(text)
        code.source = source
        return code

    def _repr_html_(self) -> str:
        """For notebooks."""
        statements = statements_of(self.source)
        block = emitted(str(self), statements)
        return markup.display(block, markup.CODE, scoped=markup.lighting(range(len(statements))))


class Stage(NamedTuple):
    """A pass: its name, its reason, and the program after it as text."""

    name: str
    reason: str
    program: str


class Stages(Text):
    """The program after each pass, as text. A notebook folds the passes, and marks the lines that each of them writes."""

    __slots__ = ("stages",)
    stages: tuple[Stage, ...]

    @classmethod
    def of(cls, stages: Iterable[Stage]) -> Stages:
        """The text of these stages."""
        kept = tuple(stages)
        befores = ("", *(stage.program for stage in kept))
        parts = [
            f"# {stage.name}: {stage.reason}\n{'# (unchanged)' if stage.program == before else stage.program}"
            for stage, before in zip(kept, befores, strict=False)
        ]
        found = cls("\n\n".join(parts))
        found.stages = kept
        return found

    def _repr_html_(self) -> str:
        """For notebooks."""
        count = len(self.stages)
        return markup.display(
            markup.title("The program after each pass", f"{count} passes; new lines are marked")
            + "".join(self._parts()),
            markup.CODE,
            STYLE,
        )

    def _parts(self) -> Iterator[str]:
        """The HTML parts: a fold for each pass that changed the program, and a sentence for the passes between that did not."""
        befores = ("", *(stage.program for stage in self.stages))
        pairs = zip(self.stages, befores, strict=False)
        for changed, group in groupby(pairs, key=lambda pair: pair[0].program != pair[1]):
            if not changed:
                yield markup.note("nothing to change for: " + ", ".join(stage.name for stage, _ in group))
                continue
            for stage, before in group:
                yield _fold(stage, before)


STYLE = """
.bs-display .bs-new { background: color-mix(in srgb, var(--bs-good) 18%, transparent); }
.bs-display .bs-stage { white-space: pre; padding: 2px 10px 6px 2em; }
.bs-display summary b { color: var(--bs-ink); }
"""


def _fold(stage: Stage, before: str) -> str:
    """A pass that changed the program, with the lines that it wrote marked."""
    old, lines = Counter(map(_unnumbered, before.split("\n"))), stage.program.split("\n")
    new = list(_written(lines, old))
    shown = "\n".join(
        f'<span class="bs-new">{markup.escape(line)}</span>' if is_new else markup.escape(line)
        for line, is_new in zip(lines, new, strict=True)
    )
    size = f"{len(lines)} lines, {sum(new)} new" if before else f"{len(lines)} lines"
    head = f"<b>{markup.escape(stage.name)}</b>: {markup.escape(stage.reason)} ({size})"
    block = f'<div class="bs-code bs-stage">{shown}</div>'
    return f"<details><summary>{head}</summary>{block}</details>"


def _written(lines: Sequence[str], old: Counter[str]) -> Iterator[bool]:
    """For each line whether the program had no such line before."""
    for line in lines:
        same = _unnumbered(line)
        yield bool(same.strip()) and not old[same]
        old[same] -= old[same] > 0


def _unnumbered(line: str) -> str:
    """A line without the numbers of its unnamed values, which each pass counts anew."""
    return re.sub(r"%\d+", "%", line)
