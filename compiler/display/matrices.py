"""Sparse matrices that show where their entries are: a picture in notebooks, crosses and dots at a prompt."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from backsweep.display import markup, terminal
from backsweep.display.highlight import painted
from backsweep.display.markup import Cell

Matrix = Any  # SciPy ships no annotations
Integers = np.ndarray[Any, Any]
Labels = Callable[[int], str]
"""From the number of a row or a column to what stands before it."""

MOST_CELLS = 96
"""A picture has at most so many cells along each side; each cell of a larger matrix stands for several entries."""
MOST_ROWS, MOST_COLUMNS = 24, 64
"""The same for a picture of characters."""
MOST_NUMBERS = 12
"""A matrix of at most so many rows and columns is shown as a table of numbers."""
SIDE = 480
"""The longer side of a picture."""
LEVELS = (1e-4, 1e-2, 0.3)
"""Shares of the largest entry at which a cell is darker."""
SHADES = "░▒▓█"
"""The same for a picture of characters."""
SIGNS = {"plus": "34", "minus": "31"}
"""The colours of a terminal for entries of either sign."""

STYLE = """
.bs-display svg.bs-matrix { display: block; margin: 8px 10px; background: var(--bs-paper); border: 1px solid var(--bs-rule); }
.bs-display svg.bs-matrix .plus { fill: var(--bs-value); }
.bs-display svg.bs-matrix .minus { fill: var(--bs-adjoint); }
"""
HEAT = "".join(
    f".bs-display table.bs-table td.bs-{sign}{level} "
    f"{{ background: color-mix(in srgb, var(--bs-{colour}) {share}%, transparent); }}\n"
    for sign, colour in (("plus", "value"), ("minus", "adjoint"))
    for level, share in enumerate((5, 12, 25, 45))
)
"""The colours of the numbers in a table."""


def shown(matrix: Matrix) -> Matrix:
    """The same `scipy.sparse.csr_matrix`, which shows its entries in notebooks and at prompts."""
    kind = _kind()
    return matrix if isinstance(matrix, kind) else kind(matrix)


@functools.cache
def _kind() -> Any:
    """The class of matrices that are shown; it is made late, because SciPy loads slowly."""
    from scipy.sparse import csr_matrix

    class ShownMatrix(csr_matrix):  # type: ignore[misc]  # SciPy ships no annotations
        """A `scipy.sparse.csr_matrix` that shows its entries."""

        def __repr__(self) -> str:
            plain = str(super().__repr__())
            return f"{plain}\n{text(self)}" if terminal.is_asked() else plain

        def __reduce__(self) -> tuple[Any, ...]:
            """Pickle it as the matrix of SciPy's, so that it can be unpickled without Backsweep."""
            return csr_matrix, ((self.data, self.indices, self.indptr), self.shape)

        def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
            """For IPython."""
            printer.text(f"{super().__repr__()}\n{text(self)}")

        def _repr_html_(self) -> str:
            """For notebooks."""
            return page(self)

    return ShownMatrix


def sparse(matrix: Any) -> Matrix:
    """A matrix without its zeros."""
    from scipy.sparse import csr_matrix

    return csr_matrix(matrix)


def _cells(
    matrix: Matrix, most_rows: int, most_columns: int
) -> tuple[Integers, Integers, Integers, int, int]:
    """The rows and columns of the cells of a picture, the largest entry of each, and the extents of the picture."""
    rows, columns = matrix.shape
    height, width = min(rows, most_rows), min(columns, most_columns)
    row = np.repeat(np.arange(rows), np.diff(matrix.indptr)) * height // max(rows, 1)
    column = matrix.indices.astype(np.int64) * width // max(columns, 1)
    place = row * width + column
    entries = np.real(matrix.data).astype(np.float64)
    order = np.lexsort((-np.abs(np.nan_to_num(entries, nan=np.inf)), place))
    _, first = np.unique(place[order], return_index=True)
    chosen = order[first]
    return row[chosen], column[chosen], entries[chosen], height, width


def text(matrix: Matrix) -> str:
    """A cross wherever there are entries, and a dot elsewhere."""
    row, column, _, height, width = _cells(matrix, MOST_ROWS, MOST_COLUMNS)
    grid = np.full((height, width), "·")
    grid[row, column] = "×"
    return "\n".join("  " + "".join(line) for line in grid)


def table(matrix: Matrix, at_row: Labels, at_column: Labels, *, colours: bool = False) -> str:
    """The numbers of a small matrix, at a prompt; of a larger one how large they are: from ░ to █, and a dot for none."""
    rows, columns = matrix.shape
    if max(rows, columns) > MOST_NUMBERS:
        return _shades(matrix, colours=colours)
    cells = [["", *map(at_column, range(columns))], *([at_row(row), *["·"] * columns] for row in range(rows))]
    signs = {}
    for row, column, entry, (sign, _) in _entries(matrix):
        cells[row + 1][column + 1] = f"{entry:.5g}"
        signs[row + 1, column + 1] = sign
    widths = [max(map(len, each)) for each in zip(*cells, strict=True)]
    lines = []
    for row, line in enumerate(cells):
        if not any(line):
            continue
        shown_ = [
            painted(cell.rjust(width), SIGNS.get(signs.get((row, column), ""), "") if colours else "")
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        lines.append("  " + "  ".join(shown_).rstrip())
    return "\n".join(lines)


def _shades(matrix: Matrix, *, colours: bool) -> str:
    """A picture of characters: each cell shows the largest of its entries."""
    row, column, entries, height, width = _cells(matrix, MOST_ROWS, MOST_COLUMNS)
    grid = [["·"] * width for _ in range(height)]
    for y, x, (sign, level) in zip(
        row, column, _kinds(entries, _top(entries), is_pattern=False), strict=True
    ):
        grid[y][x] = painted(SHADES[level], SIGNS[sign] if colours else "")
    return "\n".join("  " + "".join(line) for line in grid)


def page(matrix: Matrix) -> str:
    """A table of numbers if the matrix is small, else a picture of its entries."""
    rows, columns = matrix.shape
    share = f" ({100 * matrix.nnz / (rows * columns):.3g} %)" if rows and columns else ""
    is_pattern = matrix.dtype == np.bool_
    what = "pattern" if is_pattern else "matrix"
    aside = f"{matrix.nnz} entries{share}" + ("" if is_pattern else f", {matrix.dtype}")
    head = markup.title(f"{rows} × {columns} {what}", aside)
    is_table = not is_pattern and max(rows, columns) <= MOST_NUMBERS
    return markup.display(head + body(matrix, str, str), *([markup.TABLE, HEAT] if is_table else [STYLE]))


def body(matrix: Matrix, at_row: Labels, at_column: Labels) -> str:
    """The table or the picture, without a heading; it needs the styles `markup.TABLE`, `HEAT` and `STYLE`."""
    is_pattern = matrix.dtype == np.bool_
    if not is_pattern and max(matrix.shape) <= MOST_NUMBERS:
        return _numbers(matrix, at_row, at_column)
    return _picture(matrix, is_pattern=is_pattern)


def _numbers(matrix: Matrix, at_row: Labels, at_column: Labels) -> str:
    """The entries as numbers, darker the larger they are, and a dot where there is none."""
    rows, columns = matrix.shape
    cells = [[Cell(at_row(row), "faint right"), *[Cell("·", "faint right")] * columns] for row in range(rows)]
    for row, column, entry, (sign, level) in _entries(matrix):
        cells[row][1 + column] = Cell(f"{entry:.5g}", f"right {sign}{level}", hover=str(entry))
    head = ["", *map(at_column, range(columns))]
    return markup.table(head if any(head) else (), cells)


def _entries(matrix: Matrix) -> Iterator[tuple[int, int, Any, tuple[str, int]]]:
    """Row, column, value and kind of each entry."""
    kinds = _kinds(np.real(matrix.data), _top(np.real(matrix.data)), is_pattern=False)
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    yield from zip(rows.tolist(), matrix.indices.tolist(), matrix.data, kinds, strict=True)


def _top(entries: Integers) -> float:
    """The largest of the entries that are finite."""
    return float(np.max(np.abs(entries), initial=0.0, where=np.isfinite(entries)))


def _picture(matrix: Matrix, *, is_pattern: bool) -> str:
    """The entries as coloured cells: blue where the largest is positive, red where it is negative."""
    row, column, entries, height, width = _cells(matrix, MOST_CELLS, MOST_CELLS)
    size = min(SIDE / max(height, width, 1), 14.0)
    top = _top(entries)
    paths: dict[tuple[str, int], list[str]] = {}
    for y, x, length, kind in _runs(row, column, _kinds(entries, top, is_pattern=is_pattern)):
        paths.setdefault(kind, []).append(f"M{x} {y}h{length}v1h-{length}z")
    shapes = "".join(
        f'<path class="{sign}" opacity="{(1 + level) / (1 + len(LEVELS)):g}" d="{parts}"/>'
        for (sign, level), parts in sorted((kind, "".join(each)) for kind, each in paths.items())
    )
    note = ""
    if (height, width) != matrix.shape:
        tall, wide = -(-matrix.shape[0] // height), -(-matrix.shape[1] // width)
        note = markup.note(f"Each cell stands for up to {tall} × {wide} places, and shows the largest entry.")
    return (
        f'<svg class="bs-matrix" xmlns="http://www.w3.org/2000/svg" width="{width * size:.0f}" height="{height * size:.0f}" '
        f'viewBox="0 0 {width} {height}" preserveAspectRatio="none" shape-rendering="crispEdges">{shapes}</svg>{note}'
    )


def _kinds(entries: Integers, top: float, *, is_pattern: bool) -> list[tuple[str, int]]:
    """The sign of each entry, and how dark it is."""
    if is_pattern:
        return [("plus", len(LEVELS))] * len(entries)
    levels = np.searchsorted(np.asarray(LEVELS) * top, np.abs(entries), side="right")
    return [
        ("minus" if entry < 0.0 else "plus", int(level)) for entry, level in zip(entries, levels, strict=True)
    ]


def _runs(
    row: Integers, column: Integers, kinds: list[tuple[str, int]]
) -> Iterator[tuple[int, int, int, tuple[str, int]]]:
    """The cells, those of one kind that stand side by side taken together: row, first column, number, kind."""
    start = 0
    for k in range(1, len(kinds) + 1):
        goes_on = (
            k < len(kinds)
            and row[k] == row[start]
            and column[k] == column[start] + k - start
            and kinds[k] == kinds[start]
        )
        if not goes_on:
            yield int(row[start]), int(column[start]), k - start, kinds[start]
            start = k
