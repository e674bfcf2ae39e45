"""The refusals that are known, kept as data: a line for each function and types, in `refusals.txt` beside this file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.replay.running import Entry

FILE = Path(__file__).with_name("refusals.txt")
"""Those of Numba's tests."""
OF_LIBRARIES = Path(__file__).with_name("library_refusals.txt")
"""Those of NumPy's and SciPy's tests."""
Key = tuple[str, str]


def known(file: Path) -> dict[Key, str]:
    """The code of each refusal that is known, by function and types."""
    return {_key_of(line): line.split(" | ")[3] for line in _lines(file)}


def _lines(file: Path) -> list[str]:
    """The lines of the file that are refusals."""
    return [line for line in file.read_text().splitlines() if line and not line.startswith("#")]


def _key_of(line: str) -> Key:
    """Which call a line is of."""
    _, function, types, *_ = line.split(" | ")
    return function, types


def line_of(entry: Entry) -> str:
    """The line of a refusal: test, function, types, code, reason."""
    parts = (entry.test.removeprefix("numba.tests."), entry.function, entry.types, entry.code, entry.reason)
    return " | ".join(_lasting(part.replace(" | ", " or ")) for part in parts)


def _lasting(text: str) -> str:
    """The text without what another machine or another run has otherwise: folders and addresses."""
    text = re.sub(r"(?<=jitclass\.)(\w+)#[0-9a-f]+", r"\1", text)
    text = re.sub(r"(?:/[\w.-]+)+/(?=numba/)", "", text)
    text = re.sub(r"(?<![\w.])(?:/[\w.-]+)+/(?=[\w.-]+\.py)", "", text)  # of Backsweep's own the name alone
    return re.sub(r" at 0x[0-9a-f]+", "", text)


def complaints(entries: Iterable[Entry], file: Path | None = None) -> list[str]:
    """What a run has that may not be: anything wrong, refusals that are not known, known ones that are gone."""
    message = []
    file = file or FILE
    codes = known(file)
    for entry in entries:
        expected = codes.get(_key_of(line_of(entry)))
        if entry.word in ("wrong", "unworded", "hang", "crash"):
            message.append(f"{entry.word}: {line_of(entry)}")
        elif entry.word == "refused" and expected is None:
            message.append(f"a new refusal: {line_of(entry)}")
        elif entry.word == "refused" and expected != entry.code:
            message.append(f"refused with {entry.code} instead of {expected}: {line_of(entry)}")
        elif entry.word == "right" and expected is not None:
            message.append(f"no longer refused, to be removed from {file.name}: {line_of(entry)}")
    return message


def write(entries: Sequence[Entry], file: Path | None = None) -> None:
    """Keep what these entries refuse, in the place of what the file has of the same calls."""
    file = file or FILE
    head = [line for line in file.read_text().splitlines() if line.startswith("#")]
    replayed = {_key_of(line_of(entry)) for entry in entries}
    lines = {line for line in _lines(file) if _key_of(line) not in replayed}
    lines |= {line_of(entry) for entry in entries if entry.word == "refused"}
    file.write_text("\n".join([*head, *sorted(lines)]) + "\n")
