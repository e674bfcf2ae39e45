"""Arrays that NumPy's objects make of what stands between brackets: `np.r_`, `np.c_`, `np.mgrid`, `np.ogrid`, and `np.s_`."""

from __future__ import annotations

import numpy as np

from backsweep.prelude.declare import computed, early, has_array, is_complex, refuse, stands_for

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
        spread = tuple([_along(each, k, len(vectors)) for k, each in enumerate(vectors)])
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


def _along(vector, axis, count):
    """A vector along one of so many axes."""
    return vector[(*(np.newaxis,) * axis, slice(None), *(np.newaxis,) * (count - axis - 1))]


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
