"""Tell what an audit found: a table, and what is wrong in full."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from backsweep.inspect.audit.findings import CLOSE, RIGHT, Finding

HEAD = ("derivative", "of", "verdict", "error", "by hand", "Backsweep", "speed", "lines")


def report(findings: Sequence[Finding]) -> Iterator[str]:
    """The lines of the report."""
    if not findings:
        yield "no derivatives written by hand found; name them by --pair f:g"
        return
    rows = [_cells(each) for each in findings]
    widths = [max(map(len, column)) for column in zip(HEAD, *rows, strict=True)]
    for row in (HEAD, *rows):
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
    for each in findings:
        yield from _details(each)
    yield ""
    yield _summary(findings)


def _cells(finding: Finding) -> tuple[str, ...]:
    pair = finding.pair
    ran = finding.kind is not None
    speed = ""
    if finding.hand_time is not None and finding.our_time is not None:
        speed = f"{finding.hand_time / finding.our_time:.2f}"
    return (
        pair.derivative_name,
        pair.function_name or "its value",
        finding.verdict,
        f"{finding.error:.1e}" if ran else "",
        _time(finding.hand_time),
        _time(finding.our_time) or ("refused" if ran else ""),
        speed,
        str(finding.lines),
    )


def _time(microseconds: float | None) -> str:
    return "" if microseconds is None else f"{microseconds:.2f} us"


def _details(finding: Finding) -> Iterator[str]:
    """The lines below the table: where a wrong or unclear derivative differs, and by how much."""
    if finding.verdict in ("wrong", "unclear"):
        place = f"entry {list(finding.entry)}" if finding.entry else "the slope"
        yield ""
        yield (
            f"{finding.pair.derivative_name}: {place} is {finding.by_hand:.8g} by hand, "
            f"{finding.expected:.8g} by Backsweep, {finding.differences:.8g} by differences"
        )
        yield "  at " + ", ".join(shown(each) for each in finding.at)
    if finding.note:
        yield (
            "" if finding.verdict in ("wrong", "unclear") else f"{finding.pair.derivative_name}: "
        ) + finding.note


def shown(value: Any) -> str:
    """An argument as an expression."""
    if isinstance(value, np.ndarray):
        return np.array2string(value, precision=6, separator=", ", threshold=40).replace("\n", "")
    return f"{value:.6g}"


def _summary(findings: Iterable[Finding]) -> str:
    """One line with all counts."""
    found = list(findings)
    counts = Counter(each.verdict for each in found)
    parts = ", ".join(
        f"{counts[verdict]} {verdict}" for verdict in ("right", "close", "wrong", "unclear", "not run")
    )
    gone = sum(each.lines for each in found if each.our_time is not None and each.pair.function is not None)
    return (
        f"{parts} (right: the largest error is at most {RIGHT:g} of the largest entry; close: {CLOSE:g}); "
        f"{gone} lines of derivatives could go; speed is by hand / Backsweep"
    )


def as_json(finding: Finding) -> dict[str, Any]:
    """A finding for other programs."""
    pair = finding.pair
    return {
        "module": pair.module,
        "derivative": pair.derivative_name,
        "function": pair.function_name,
        "verdict": finding.verdict,
        "kind": finding.kind,
        "domain": finding.domain,
        "error": finding.error,
        "entry": list(finding.entry),
        "by_hand": finding.by_hand,
        "expected": finding.expected,
        "differences": finding.differences,
        "hand_microseconds": finding.hand_time,
        "backsweep_microseconds": finding.our_time,
        "lines": finding.lines,
        "note": finding.note,
    }
