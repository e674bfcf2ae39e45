"""Arrays that NumPy's objects make of what stands between brackets, `np.r_`, `np.c_`, `np.mgrid`, `np.ogrid`, and `np.s_`; grids and subscripts of other functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from backsweep.prelude.arrays.choices import along
from backsweep.prelude.declare import (
    as_array,
    computed,
    early,
    has_array,
    has_known_items,
    is_complex,
    is_known,
    means,
    refuse,
    stands_for,
)
from backsweep.runtime.support.marks import seen_as_view

INSTEAD = "write np.concatenate, np.arange or np.linspace"


class Subscript:
    """`np.s_` and `np.index_exp`, which give the subscript itself."""

    def __init__(self, always: bool) -> None:
        self.always = always

    def __getitem__(self, key):
        """The subscript; of `np.index_exp` always a tuple."""
        return _parts(key) if self.always else key


class Grid:
    """`np.mgrid` and `np.ogrid`."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __getitem__(self, key):
        """The numbers of each slice along an axis of its own."""
        parts = _parts(key)
        vectors = [_vector(self.name, each) for each in parts]
        if len(vectors) == 1:
            return vectors[0]
        spread = tuple([along(each, k, len(vectors)) for k, each in enumerate(vectors)])
        if self.name == "np.ogrid":
            return spread
        y = np.empty((len(parts), *[each.size for each in vectors]), _total(spread).dtype)
        for k, each in enumerate(spread):
            y[k] = each
        return y


class Joined:
    """`np.r_` and `np.c_`.

    They have the axis along which parts are joined, how many axes these have at least, and where their own axes begin among these.
    """

    def __init__(self, name: str, usual) -> None:
        self.name = name
        self.usual = usual

    def __getitem__(self, key):
        """The parts, joined."""
        parts = _parts(key)
        axis, least, begin = self.usual
        if isinstance(parts[0], str):
            axis, least, begin = early(_directive, parts[0], self.usual)
            if axis is None:
                refuse(
                    f"`{self.name}[{parts[0]!r}, ...]` makes matrices, or is not known",
                    "write np.concatenate or np.stack",
                    "BS110",
                )
            parts = parts[1:]
        wide = tuple([_widened(self.name, each, least, begin) for each in parts])
        for each in wide:
            if each.ndim != wide[0].ndim:
                refuse(
                    f"`{self.name}` is given parts with different numbers of axes",
                    "give all of them the same number of axes, as in x[:, None]",
                    "BS110",
                )
        return np.concatenate(wide, axis % wide[0].ndim)


def _parts(key):
    """What stands between the brackets, as a tuple."""
    return key if isinstance(key, tuple) else (key,)


def _vector(name: str, part):
    """The numbers of a slice; a complex step says how many there are."""
    if not isinstance(part, slice) or part.stop is None:
        _refuse(name)
    start = 0 if part.start is None else part.start
    if part.step is not None and is_complex(part.step):
        return np.linspace(start, part.stop, computed(_count)(part.step))
    return np.arange(start, part.stop, 1 if part.step is None else part.step)


def _refuse(name: str) -> None:
    refuse(f"`{name}` is supported for slices, numbers and arrays between its brackets", INSTEAD, "BS110")


def _count(step: complex) -> int:
    """How many numbers a complex step asks for."""
    return int(abs(step))


def _total(parts):
    """The sum of all, which has the type of the result."""
    return parts[0] if len(parts) == 1 else _total(parts[:-1]) + parts[-1]


def _widened(name: str, part, least, begin):
    """A part as an array with as many axes as the others."""
    if isinstance(part, slice):
        return _with_axes(_vector(name, part), least, begin, False)
    if has_array(part):
        return _with_axes(part, least, begin, np.ndim(part) == 0)
    if not isinstance(part, (int, float, complex)):
        _refuse(name)
    return _with_axes(np.array([part]), least, begin, True)


def _with_axes(part, least, begin, is_number):
    """An array with new axes, up to so many."""
    new = least - part.ndim
    if new <= 0:
        return part
    order = computed(_order)(new, part.ndim, begin, is_number)
    return part[tuple([np.newaxis if is_new else slice(None) for is_new in order])]


def _order(new: int, own: int, begin: int, is_number: bool) -> tuple[bool, ...]:
    """For each axis whether it is a new one: these stand before a part's own axes, or where `begin` says."""
    first = begin + new + 1 if begin < 0 else begin
    order = [True] * new + [False] * own
    return tuple(order if is_number else order[:first] + order[new:] + order[first:new])


def _directive(text: str, usual: tuple[int, int, int]) -> tuple[int | None, ...]:
    """What a string of up to three numbers says."""
    given = text.split(",")
    if len(given) > 3 or not all(each.strip().lstrip("-").isdigit() for each in given):
        return (None, None, None)
    axis, least, begin = (*map(int, given), *usual[len(given) :])
    return axis, max(least, 1), begin


@means(np.meshgrid, in_njit=True)
def meshgrid(x, y=None, z=None, *, copy=True, sparse=False, indexing="xy"):
    """Coordinates of a grid of one, two or three axes."""
    given = [as_array(each) for each in ((x,) if y is None else (x, y) if z is None else (x, y, z))]
    for each in given:
        if np.ndim(each) != 1:
            refuse("`np.meshgrid` is supported for vectors", "flatten them first")
    if not is_known(copy, sparse) or indexing not in ("xy", "ij"):
        refuse("options of `np.meshgrid` are known only when the program runs", "write 'xy' or 'ij'")
    places = (1, 0, 2) if indexing == "xy" and len(given) > 1 else (0, 1, 2)
    shape = tuple([given[places[k]].size for k in tuple(range(len(given)))])
    grids: Any = ()
    for k, each in enumerate(given):
        spread = along(each, places[k], len(given))
        grid = spread.copy() if sparse else np.empty(shape, each.dtype)
        if not sparse:
            grid[...] = spread
        grids = (*grids, grid if copy else seen_as_view(grid, each))
    return grids


@means(np.unravel_index, in_njit=True)
def unravel_index(indices, shape, order="C"):
    """The subscripts, by axis, of positions in a flattened array."""
    places = as_array(indices)
    if not has_known_items(shape) or order != "C":
        refuse("`np.unravel_index` takes a tuple of extents, rows first", "give x.shape, without `order=`")
    if np.result_type(places).kind not in "iu":
        refuse("the positions of `np.unravel_index` are no whole numbers", "give a number or an array")
    size = 1
    for extent in shape:
        size = size * extent
    outside = (places < 0) | (places >= size)
    if np.any(outside) if np.ndim(places) > 0 else outside:
        raise ValueError("index is out of bounds for array of this size")
    found: Any = ()
    for extent in shape[::-1]:
        found = (places % extent, *found)
        places = places // extent
    return found


@stands_for(type(np.s_), reads=("maketuple",))
def of_subscript(thing) -> Subscript:
    """`np.s_` or `np.index_exp`."""
    return Subscript(thing.maketuple)


@stands_for(type(np.mgrid), reads=())
@stands_for(type(np.ogrid), reads=())
def of_grid(thing) -> Grid:
    """`np.mgrid` or `np.ogrid`."""
    return Grid("np.ogrid" if thing is np.ogrid else "np.mgrid")


@stands_for(type(np.r_), reads=())
@stands_for(type(np.c_), reads=())
def of_joined(thing) -> Joined:
    """`np.r_` or `np.c_`."""
    return Joined("np.r_", (0, 1, -1)) if thing is np.r_ else Joined("np.c_", (-1, 2, 0))
