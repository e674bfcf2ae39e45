"""docs/language.md, written from the rows: `python -m tests.language` prints it."""

from __future__ import annotations

from types import ModuleType

import backsweep as bs
from tests import language
from tests.language.row import Row

HEAD = """\
# The language

This page lists what a differentiated function may contain: Numba's language, and which parts of Python are refused. Each
row has an example in `tests/language`, from which the table is written. A differentiated example runs compiled and as
plain Python and is compared with finite differences. A refused one raises an error with this code before anything is
computed; the message has the file, the line, a caret and what to write instead.

**Subscripts are checked.** If a plain Python function raises IndexError, so does its gradient; negative subscripts count
from the end, as in Python. If loop bounds, extents and guards prove that a subscript is in bounds, no check is emitted.
Otherwise the emitted code has a check, before the loops if that is possible. **An `@njit` function behaves as Numba
compiles it**: its subscripts are not checked, unless it has `boundscheck=True` or NUMBA_BOUNDSCHECK is 1. Out of bounds
it reads and writes arbitrary memory, even if a plain function calls it. Every transformation has the option `boundscheck`,
which decides for the function itself and the plain functions that it calls.

**Division of whole numbers by zero** raises ZeroDivisionError, in `//` and `%`, as in Python and Numba, except in an `@njit`
function with `error_model="numpy"`. Division of floats by zero gives an infinity or nan.

**A negative exponent of a whole number**, as in `2 ** -1`, makes a fraction in Python, and compiled code computes with whole numbers there. It raises ValueError, or is refused where it is
known while compiling; write `2.0 ** n` or `float(k) ** n`. An `@njit` function computes 0, as Numba compiles it.

**A negative number to the power of a fraction**, as in `(-1.0) ** x`, is complex in Python. Here it is nan, as for NumPy's numbers.

**A variable that the path that ran has not assigned**, as behind a loop over an empty range, raises UnboundLocalError where it is read, as in
Python; Numba reads a zero. If branches and loops prove that it is assigned, no check is emitted.

**Arrays that do not fit** raise ValueError in the gradient as in the function, even if the gradient does not need the result
of that line; a matrix that is not square raises LinAlgError. The gradient checks subscripts, divisors, and the shapes of arrays
that are combined entry by entry, multiplied, solved or joined. It does not check what would cost as much as the result itself
(whether a matrix is singular, whether the array of a maximum is empty), nor `reshape`, functions without a derivative, and
stores to an array that nobody reads.

**The right side is computed before anything is stored**, even if it reads the memory that is written, as in
`a[:, -1] = a[1]` and `a[1:] += a[:-1]`. Numba does so in the first of these statements only. NumPy does so in the second, and in the
first for some orders in memory only.

**Views and copies.** `np.ravel`, `reshape`, `np.ascontiguousarray` and `np.asfortranarray` return a view or a copy, depending
on the array's order in memory. The types decide which, as in Numba. If they do not decide it and the array is written, the
program is refused ([BS207](errors.md#bs207)). `np.diag(a)` is a view in NumPy and a copy in Numba, so a program that reads it after a
write to `a` is refused. The method `conj` of an array of floats is a copy, as in Numba.
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
