"""Derivatives as tables and pictures, one for each pair of a result and an argument, in notebooks and at prompts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np

from backsweep.display import markup, matrices, terminal

Shape = tuple[int, ...]
Path = tuple[str, ...]
"""How a leaf is reached: the items, keys or fields that lead to it, as Python writes them."""
Leaves = Mapping[Path, tuple[str, Shape | None]]
"""The name and the shape of each number or array of the arguments; no shape if it is a variable's."""


@dataclass(frozen=True)
class Block:
    """The derivative of one result with respect to one argument: a row for each entry of the result.

    `rows` and `columns` are the shapes of both. A gradient is shown in the shape of its argument: both are parts of it.
    """

    title: str
    row: str
    column: str
    rows: Shape
    columns: Shape
    value: Any
    is_flat: bool = False

    @property
    def matrix(self) -> Any:
        """The block as a sparse matrix: what it leaves out is zero."""
        return matrices.sparse(np.reshape(self.value, (math.prod(self.rows), math.prod(self.columns))))

    @property
    def heading(self) -> str:
        """What it is the derivative of, its shape, and how many entries are not zero."""
        entries = np.asarray(self.value)
        shape = " × ".join(map(str, entries.shape)) or "number"
        count = (
            f", {np.count_nonzero(entries)} of {entries.size} entries are not zero" if entries.ndim else ""
        )
        return f"{self.title}: {shape}, {entries.dtype}{count}"

    def at_row(self, k: int) -> str:
        """What stands before a row."""
        return _entry(self.row, self.rows, k)

    def at_column(self, k: int) -> str:
        """What stands above a column."""
        return _entry("" if self.is_flat else self.column, self.columns, k)


class Shown:
    """A derivative that notebooks show as tables and pictures, and terminals as text; `value` is what the call returned."""

    def __init__(self, title: str, value: Any, blocks: Sequence[Block]) -> None:
        self.title = title
        self.value = value
        self.blocks = tuple(blocks)

    def __repr__(self) -> str:
        return self._text(colours=False)

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        """For IPython."""
        printer.text(self._text(colours=terminal.has_colours()))

    def _repr_html_(self) -> str:
        """For notebooks."""
        parts = [markup.title(self.title)]
        for block in self.blocks:
            picture = matrices.body(block.matrix, block.at_row, block.at_column)
            parts += [markup.note(block.heading), picture]
        return markup.display("".join(parts), markup.TABLE, matrices.HEAT, matrices.STYLE)

    def _text(self, *, colours: bool) -> str:
        parts = [
            f"{block.heading}\n{matrices.table(block.matrix, block.at_row, block.at_column, colours=colours)}"
            for block in self.blocks
        ]
        return "\n\n".join([self.title, *parts])


def shown(
    mode: str,
    called: str,
    value: Any,
    names: Sequence[str],
    given: Mapping[str, Any],
    *,
    single: bool,
    has_aux: bool,
) -> Shown:
    """What a transformation in this mode returned for these arguments, with respect to these names.

    A name that is no argument is a variable's; the function returns a number then.
    """
    leaves: dict[Path, tuple[str, Shape | None]] = {}
    for k, name in enumerate(names):
        path = () if single else (f"[{k}]",)
        if name in given:
            for inner, leaf in _leaves(given[name]):
                leaves[(*path, *inner)] = f"{name}{''.join(inner)}", np.shape(leaf)
        else:
            leaves[path] = name, None
    is_value_first = mode == "value_and_grad"
    found = list(_leaves(value[1] if is_value_first else value[0] if has_aux else value))
    if mode == "hessian":
        blocks = [_of_hessian(called, path, leaf, leaves) for path, leaf in found]
    else:
        # The items of a result that is a tuple come first.
        items = 0 if all(path in leaves for path, _ in found) else 1
        is_flat = is_value_first or mode == "grad"
        blocks = [_of_result(called, path, leaf, leaves, items, is_flat=is_flat) for path, leaf in found]
    return Shown(f"{mode} of {called}, with respect to {', '.join(names)}", value, blocks)


def _of_result(called: str, path: Path, leaf: Any, leaves: Leaves, items: int, *, is_flat: bool) -> Block:
    """The derivative of the result, or of the item of it that the path begins with, with respect to one argument."""
    row, (column, columns) = called + "".join(path[:items]), leaves[path[items:]]
    title = f"d {row} / d {column}"
    extents = np.shape(leaf)
    if is_flat or columns is None:
        is_strip = len(extents) == 1 and extents[0] > matrices.MOST_NUMBERS
        rows, others = ((), extents) if is_strip else (extents[:1], extents[1:])
        return Block(title, column, column, rows, others, leaf, is_flat=True)
    middle = len(extents) - len(columns)
    return Block(title, row, column, extents[:middle], extents[middle:], leaf)


def _of_hessian(called: str, path: Path, leaf: Any, leaves: Leaves) -> Block:
    """The derivative of the gradient by one argument with respect to one argument."""
    middle = next(k for k in range(len(path) + 1) if path[:k] in leaves and path[k:] in leaves)
    (row, rows), (column, columns) = leaves[path[:middle]], leaves[path[middle:]]
    title = f"d² {called} / d {row}²" if row == column else f"d² {called} / d {row} d {column}"
    return Block(title, row, column, rows or (), columns or (), leaf)


def _leaves(thing: Any) -> Iterator[tuple[Path, Any]]:
    """The numbers and arrays of a structure, and how each is reached; a list of numbers is one of them."""
    for step, inner in _parts(thing):
        if step:
            yield from (((step, *path), leaf) for path, leaf in _leaves(inner))
        else:
            yield (), inner


def _parts(thing: Any) -> Sequence[tuple[str, Any]]:
    """The parts of a structure by what selects each; of a number or an array, itself."""
    if is_dataclass(thing) and not isinstance(thing, type):
        return [(f".{each.name}", getattr(thing, each.name)) for each in fields(thing)]
    if isinstance(thing, Mapping):
        return [(f"[{key!r}]", inner) for key, inner in thing.items()]
    if isinstance(thing, tuple):
        return [(f"[{k}]", inner) for k, inner in enumerate(thing)]
    return [("", thing)]


def _entry(name: str, shape: Shape, k: int) -> str:
    """What an entry of an array is called; a number has the name alone."""
    return f"{name}[{', '.join(map(str, np.unravel_index(k, shape)))}]" if shape else name
