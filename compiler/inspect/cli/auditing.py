"""The command `backsweep audit`: the pairs of a module or package, one after another."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from backsweep.inspect.audit.findings import Finding, audited
from backsweep.inspect.audit.pairs import Pair, modules_of, pairs_in
from backsweep.inspect.audit.report import as_json, report
from backsweep.inspect.cli import terminal


def audit(module: ModuleType, pairs: Sequence[str], args: tuple[Any, ...] | None) -> list[Finding] | None:
    """Check the named pairs, or all that are found, and print the report. None if a name is unknown."""
    chosen = named(module, pairs) if pairs else found_in(module)
    if chosen is None:
        return None
    findings = [audited(pair, args) for pair in chosen]
    for line in report(findings):
        wrong = ("  wrong  " in line) or any(
            each.verdict == "wrong" and line.startswith(f"{each.pair.derivative_name}: entry")
            for each in findings
        )
        print(terminal.styled(line, terminal.RED, sys.stdout) if wrong else line)
    return findings


def found_in(module: ModuleType) -> list[Pair]:
    """All pairs of a module or package. What cannot be imported is told of."""
    found: list[Pair] = []
    for name, each in modules_of(module):
        if isinstance(each, ModuleType):
            found += pairs_in(each)
        else:
            print(f"not looked at: {name}: {type(each).__name__}: {each}", file=sys.stderr)
    return found


def named(module: ModuleType, pairs: Sequence[str]) -> list[Pair] | None:
    """The pairs that the user named, as in `f:g`; `:g` is a derivative that returns the value, too."""
    found = []
    for text in pairs:
        base, _, name = text.partition(":")
        derivative = getattr(module, name, None) if name else None
        function = getattr(module, base, None) if base else None
        if derivative is None or (base and function is None):
            return None
        found.append(Pair(module.__name__, name, derivative, base, function))
    return found


def saved(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """The findings, to be saved as JSON."""
    return [as_json(each) for each in findings]
