"""The refusals that are known, kept as data: a line for each function and types, in `refusals.txt` beside this file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.replay.running import Entry

FILE = Path(__file__).with_name("refusals.txt")
"""Those of Numba's tests."""
OF_LIBRARIES = Path(__file__).with_name("library_refusals.txt")
"""Those of NumPy's and SciPy's tests."""
FIGURES = Path(__file__).with_name("library_figures.txt")
"""How many kinds of calls of each module of NumPy's and SciPy's tests are right, refused, and so on."""
BY_DESIGN = (
    (r"half precision|np\.float16", "half precision, which Numba does not compile"),
    (
        r"`out=` is not an array that this function|`output` is of whole numbers|filters of whole numbers",
        "results stored in whole numbers",
    ),
    (r"Int value is too large", "whole numbers of more than 64 bits"),
    (r"np\.histogramdd` makes an array", "as many axes as an extent says, which types do not tell"),
    (
        r"np\.squeeze` without `axis=`|Dimensions for both inputs is 2|fiedler \| float64\[1, empty\]|which has no square matrix",
        "as many axes as the extents say, which types do not tell",
    ),
    (
        r"np\.real_if_close|gives real numbers is known only",
        "real or complex numbers as the values say, which types do not tell",
    ),
    (
        r"scipy\.special\.[a-z_]*lambertw .*(is not$|is an array)",
        "real or complex numbers as the branch says, which types do not tell",
    ),
    (
        r"roots and logarithms jump|singular to machine precision",
        "matrices at which a function of matrices has no derivative",
    ),
    (
        r"np\.einsum_path|np\.asmatrix|scipy\.special\.(sh_)?(jacobi|genlaguerre|gegenbauer) |is used as a value, but it exists only",
        "objects and texts as results, which have no derivative",
    ),
    (r"mode='raw'", "LAPACK's own storage as a result"),
    (
        r"\| BS215 \||there is no derivative for",
        "derivatives without a closed form, or of values that are chosen",
    ),
    (
        r"depends on the single vectors|ha(s|ve) factors that are not unique|another driver's|np\.linalg\.qr jumps",
        "vectors that are not unique",
    ),
)
"""What is refused rightly, as the line says, and why."""
OTHERWISE_BY_DESIGN = (
    (
        r"scipy\.linalg\.eig .*complex128 instead of float64",
        "vectors that are real or complex as the eigenvalues say, which types do not tell",
    ),
    (
        r"scipy\.linalg\.eigh .*the value is ",
        "vectors whose sign nothing tells: ours are those of `np.linalg.eigh`",
    ),
    (
        r"scipy\.linalg\.eigvals .*: nan, differences",
        "eigenvalues that agree, of which no order has a derivative",
    ),
    (
        r"scipy\.linalg\.(logm .*-3671|expm .*3\.00000000e\+04)",
        "matrices so far from normal that ours and SciPy's values lose digits: mpmath's lie between those of `expm`, and near SciPy's of `logm`",
    ),
    (
        r"scipy\.special\.nrdtrisd .*at \(0\.5, 0\.5, 0\.5\)",
        "a deviation where every one fits: nothing over nothing",
    ),
    (
        r"scipy\.signal\.group_delay .*e\+15",
        "a delay at a pole on the circle of frequencies: one rounding error over another",
    ),
    (
        r"scipy\.special\.hyp2f1 .*at \(10\.5, 0\.99\)|scipy\.stats\.binom\.cdf .*at \(2\.5e\+22, 1e-21\)",
        "parameters so large that the series of a derivative by them has no digits in double precision: it is nan",
    ),
)
"""Where values and derivatives are not those of the library's function, and why they cannot be."""
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
    return " | ".join(_lasting(" ".join(part.split()).replace(" | ", " or ")) for part in parts)


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
        if entry.word == "wrong" and otherwise_by_design(line_of(entry)):
            continue
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


def design_of(line: str) -> str:
    """Why a refusal is meant to be one; empty if a library's function is to be taught instead."""
    return next((reason for pattern, reason in BY_DESIGN if re.search(pattern, line)), "")


def otherwise_by_design(line: str) -> str:
    """Why a value or a derivative is not the library's and cannot be; empty if it is wrong."""
    return next((reason for pattern, reason in OTHERWISE_BY_DESIGN if re.search(pattern, line)), "")


def write_figures(entries: Iterable[Entry], file: Path | None = None) -> None:
    """Keep how many kinds of calls of each of these modules have which outcome, in the place of what the file has of them."""
    file = file or FIGURES
    lines = file.read_text().splitlines() if file.exists() else []
    rows = {line.partition(" | ")[0]: line for line in lines if not line.startswith("#")}
    counts: dict[str, Counter[str]] = {}
    for entry in entries:
        parts = entry.test.split(".")
        module = ".".join(parts[: parts.index("tests") + 2])
        reason_of = {"refused": design_of, "wrong": otherwise_by_design}.get(entry.word)
        is_meant = reason_of is not None and reason_of(line_of(entry)) != ""
        word = (
            {"refused": "refused by design", "wrong": "otherwise by design"}[entry.word]
            if is_meant
            else entry.word
        )
        counts.setdefault(module, Counter())[word] += 1
    for module, count in counts.items():
        told = ", ".join(f"{n} {word}" for word, n in sorted(count.items()))
        rows[module] = f"{module} | {count.total()} | {told}"
    head = [line for line in lines if line.startswith("#")]
    file.write_text("\n".join([*head, *(rows[module] for module in sorted(rows))]) + "\n")
