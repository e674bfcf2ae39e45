"""docs/language.md, written from the rows: `python -m tests.language` prints it."""

from __future__ import annotations

from types import ModuleType

import backsweep as bs
from tests import language
from tests.language.row import Row

HEAD = """\
# The language

What can stand in a function that is differentiated, construct by construct: Numba's language, and what of Python it
leaves out. Each row has an example in `tests/language` that runs, compiled and plain, and is compared with
differences, or that is refused with this code. Refused means: a message with the file, the line, a caret and what to
write instead, before anything is computed. The table is written from those examples.

**Subscripts are checked.** The gradient of a plain Python function raises IndexError where the function does, and counts
negative subscripts from the end as Python does. Where loop bounds, extents and guards prove that a subscript is in bounds,
nothing is emitted for it; elsewhere the emitted code has a check, before the loops wherever that is possible. **An `@njit`
function is as Numba compiles it**: not checked, unless it has `boundscheck=True` or NUMBA_BOUNDSCHECK is 1; out of
bounds it reads and writes whatever lies there. That goes for `@njit` functions which a plain one calls, too.
`boundscheck=True` or `False`, an option of every transformation, decides for the function itself and the plain functions
that it calls.

**Whole numbers divided by zero raise** ZeroDivisionError, in `//` and `%`, as in Python and in Numba. An `@njit` function with
`error_model="numpy"` keeps Numba's other way. Quotients of floats are infinite or nan.
"""


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *(section(module, rows) for module, rows in language.sections().items())])


def section(module: ModuleType, rows: list[Row]) -> str:
    """One heading, its introduction and its table."""
    heading, _, introduction = (module.__doc__ or "").partition("\n\n")
    lines = [f"## {heading.strip()}", ""]
    if introduction.strip():
        lines += [" ".join(introduction.split()), ""]
    lines += ["| construct | | |", "| --- | --- | --- |", *map(line, rows)]
    return "\n".join(lines) + "\n"


def line(row: Row) -> str:
    """One row of the table; of a refusal, what its message says to write instead."""
    construct, code = row.construct.replace("|", r"\|"), row.code
    if code is None:
        return f"| {construct} | differentiated | {row.note} |"
    remedy = refusal_of(row).problems[0].remedy.rstrip(".")
    note = f"{row.note} {remedy[:1].upper()}{remedy[1:]}.".strip()
    return f"| {construct} | refused, [{code}](errors.md#{code.lower()}) | {note} |"


def refusal_of(row: Row) -> bs.BacksweepError:
    """The error that the example raises; AssertionError if it raises none."""
    try:
        bs.grad(row.function, argnums=row.argnums or 0, jit=False)(*row.args)
    except bs.BacksweepError as error:
        return error
    raise AssertionError(f"{row.name} is not refused")
