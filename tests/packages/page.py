"""docs/packages.md: the packages and their functions, what is right, and what is refused, with the line."""

from __future__ import annotations

import importlib.metadata
import re
import tempfile
import warnings
from collections import defaultdict
from pathlib import Path

from tests.packages import distributions, functions
from tests.packages.calls import Call, is_installed, judge
from tests.packages.known import FLAT
from tests.replay.judging import Verdict

INTRODUCTION = """# Functions of packages

Functions of packages that use Numba, differentiated as they are installed: value and gradient of each are compared with the function
that Numba compiles, and with differences of it. `python -m tests.packages > docs/packages.md` writes this page anew, for the packages that
are there (`pip install "backsweep[packages]"`).

| package | version | functions | right | refused |
| --- | --- | --- | --- | --- |"""


def calls() -> list[Call]:
    """All calls, by package."""
    return sorted([*distributions.calls(), *functions.calls()], key=lambda call: call.distribution)


def page() -> str:
    """The page."""
    found: dict[str, list[tuple[Call, Verdict]]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in calls():
            if is_installed(call.distribution):
                found[call.distribution].append((call, judge(call, Path(folder))))
    rows = [_row(name, verdicts) for name, verdicts in found.items()]
    every = [pair for verdicts in found.values() for pair in verdicts]
    total = f"| all | | {len(every)} | {_count(every, 'right')} | {_count(every, 'refused')} |"
    refused = [f"- {_refusal(*pair)}" for pair in every if pair[1].word == "refused"]
    others = [f"- `{call.label}`: {_told(call, verdict)}" for call, verdict in every if _is_other(verdict)]
    parts = ["\n".join([INTRODUCTION, *rows, total]), "## Refused", "\n".join(refused)]
    if others:
        parts += ["## Neither", "\n".join(others)]
    return "\n\n".join(parts) + "\n"


def _is_other(verdict: Verdict) -> bool:
    return verdict.word not in ("right", "refused")


def _row(name: str, verdicts: list[tuple[Call, Verdict]]) -> str:
    version = importlib.metadata.version(name)
    counts = f"{len(verdicts)} | {_count(verdicts, 'right')} | {_count(verdicts, 'refused')}"
    return f"| {name} | {version} | {counts} |"


def _count(verdicts: list[tuple[Call, Verdict]], word: str) -> int:
    return sum(verdict.word == word for _, verdict in verdicts)


def _told(call: Call, verdict: Verdict) -> str:
    return FLAT.get(call.path, f"{verdict.word}, {_without_folders(verdict.reason)}")


def _refusal(call: Call, verdict: Verdict) -> str:
    """The function, the code, the innermost reason, and the line."""
    *_, reason = re.split("cannot be differentiated either: ", verdict.reason)
    reason = re.sub(r" \(BS\d+\)(?= in line)", "", reason)
    lines = re.findall(r"in line (\d+) of (\S+?),", reason)
    place = verdict.place if not lines else ""
    where = "" if not place or "site-packages" not in place else f" ({_without_folders(place)})"
    return f"`{call.label}`: {_without_folders(reason)}{where} [{verdict.code}]"


def _without_folders(text: str) -> str:
    """The text with the files named from their packages on."""
    return re.sub(r"\S*/site-packages/", "", " ".join(text.split()))


def distributions_of(every: list[Call]) -> list[str]:
    """The names of the packages, each once."""
    return [*dict.fromkeys(call.distribution for call in every)]
