"""The page that tells what is differentiated: `python -m backsweep coverage > docs/coverage.md`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numba
import numpy as np
import scipy

from backsweep.inspect.coverage.rows import Kind, Row
from backsweep.inspect.coverage.samples import samples

HEAD = """# Coverage

Written by `python -m backsweep coverage`, which asks the installed Numba for all that it compiles and tries a call of each
function; do not edit. `python -m backsweep coverage np.linalg scipy` lists the functions whose names begin so, each with the
call that is tried.

- **By rule**: a [derivative rule](rules.md), or the compiler writes the call out in operations that have rules.
- **By its implementation**: the Python text with which Numba compiles the call is differentiated in its place
  ([decision 32](decisions/0032-implementations.md)): Numba's own, or what Backsweep has Numba compile where Numba
  knows no such call.
- **Without derivative**: the result is made of whole numbers, truth values or text, is constant between jumps, or is a
  draw of random numbers. Such calls may stand anywhere.
- **Refused**: a worded error, with the code of [errors.md](errors.md), before anything is computed.

A function may be differentiated for these arguments and refused for others, and the other way round; the message of the refusal
says so. What functions may contain besides calls stands in [language.md](language.md), what a package adds to Numba by
overloads of its own is not listed: it is differentiated by its implementation.
"""


def page(rows: Sequence[Row]) -> str:
    """The page for the rows, the same bytes in any process."""
    versions = f"Numba {numba.__version__}, NumPy {np.__version__}, SciPy {scipy.__version__}."
    families = list(dict.fromkeys(row.family for row in rows))
    order = sorted(families, key=_order)
    parts = [HEAD, versions, "", *_counts(rows, order)]
    for family in order:
        parts += [
            "",
            f"## {family or 'Unclassified'}",
            *_family([row for row in rows if row.family == family]),
        ]
    return "\n".join([*parts, ""])


def _order(family: str) -> int:
    """The place of a family on the page: that of its first sample."""
    order = list(dict.fromkeys(sample.family for sample in samples()))
    return order.index(family) if family in order else -1


def _counts(rows: Sequence[Row], order: Iterable[str]) -> Iterator[str]:
    """The table of how many there are of each kind."""
    yield "| | " + " | ".join([kind.value for kind in Kind]) + " | all |"
    yield "| --- |" + " ---: |" * (len(Kind) + 1)
    for family in order:
        yield _counted(family, [row for row in rows if row.family == family])
    yield _counted("**all**", rows)


def _counted(title: str, rows: Sequence[Row]) -> str:
    """A line of that table."""
    counts = Counter(row.kind for row in rows)
    return f"| {title} | " + " | ".join(f"{counts[kind]}" for kind in Kind) + f" | {len(rows)} |"


def _family(rows: Sequence[Row]) -> Iterator[str]:
    """The lines of the page about the functions of one family."""
    for kind, reason, title in (
        (Kind.RULE, None, "By rule"),
        (Kind.IMPLEMENTATION, "Numba's", "By Numba's implementation"),
        (Kind.IMPLEMENTATION, "Backsweep's", "By Backsweep's implementation"),
        (Kind.CONSTANT, None, "Without derivative"),
    ):
        names = [f"`{row.name}`" for row in rows if row.kind is kind and reason in (None, row.reason)]
        if names:
            yield from ("", f"{title}: {', '.join(names)}")
    reasons: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row.kind is Kind.REFUSED:
            reasons.setdefault((row.reason if not row.text else "", row.text), []).append(row)
    if reasons:
        yield from ("", "| refused | call | why |", "| --- | --- | --- |")
    for alike in reasons.values():
        refused = ", ".join(f"`{row.name}`" for row in alike)
        yield f"| {refused} | {_code(alike[0].text)} | {_cell(alike[0].reason)} |"


def _code(text: str) -> str:
    return f"`{_cell(text)}`" if text else ""


def _cell(text: str) -> str:
    """A text in a cell of a table."""
    return " ".join(text.replace("|", "\\|").split())


_LISTED = re.compile(r"^(By rule|By \w+'s implementation|Without derivative): (.*)$", re.MULTILINE)
_REFUSED = re.compile(r"^\| (`[^|]*`) \| (?:`.*`)? ?\| (.*) \|$", re.MULTILINE)
_KINDS = {"By rule": Kind.RULE, "Without derivative": Kind.CONSTANT}


def read(text: str) -> Mapping[str, Kind]:
    """The kind of each function on a page."""
    found: dict[str, Kind] = {}
    for title, names in _LISTED.findall(text):
        found |= dict.fromkeys(re.findall("`([^`]*)`", names), _KINDS.get(title, Kind.IMPLEMENTATION))
    for names, _ in _REFUSED.findall(text):
        found |= dict.fromkeys(re.findall("`([^`]*)`", names), Kind.REFUSED)
    return found


def listed(rows: Iterable[Row]) -> Iterator[str]:
    """The rows in lines, as the command shows those that it is asked for."""
    for row in rows:
        kind = row.kind.value if row.kind is not None else "unclassified"
        if row.kind is Kind.IMPLEMENTATION:
            kind = kind.replace("its", row.reason)
        yield f"{row.name}: {kind}" + (f", tried as `{row.text}`" if row.text else "")
        if row.reason and row.kind is not Kind.IMPLEMENTATION:
            yield f"    {row.reason}"
