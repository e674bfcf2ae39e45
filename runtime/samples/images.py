"""Filters of `scipy.ndimage`: sums of neighbours with weights, over axes that are continued beyond their ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.ndimage
from numba.core import types

from backsweep.runtime.overloads.forms import NumbaType, is_complex, is_none, literal, refused, single_axis
from backsweep.runtime.overloads.texts import INDICES, indented_loops
from backsweep.runtime.samples.lines import is_number, is_sampled, of_samples, option, part_of, taken_note_of
from backsweep.runtime.support.compiled import kernel

MODES = {
    "reflect": 0,
    "grid-mirror": 0,
    "mirror": 1,
    "nearest": 2,
    "wrap": 3,
    "grid-wrap": 3,
    "constant": 4,
    "grid-constant": 4,
}
"""How an axis goes on beyond its ends, by numbers; the last is a constant."""
CONSTANT = 4


def register() -> None:
    """Tell Numba of these functions."""
    taken_note_of()


@kernel
def places(count: int, size: int, before: int, mode: int):
    """Where the entries of an axis come from that is continued at both ends, so that each entry has `size` neighbours."""
    found = np.empty(0 if count == 0 else count + size - 1, np.int64)
    for i in range(found.size):
        at = i - before
        if mode == 0:
            at %= 2 * count
            at = at if at < count else 2 * count - 1 - at
        elif mode == 1:
            at = at % (2 * count - 2) if count > 1 else 0
            at = at if at < count else 2 * count - 2 - at
        elif mode == 2:
            at = min(max(at, 0), count - 1)
        else:
            at %= count
        found[i] = at
    return found


@kernel
def gaussian(sigma: float, order: int, radius: int):
    """The weights of a normal density, or of its first to third derivative, at whole numbers."""
    if radius < 0:
        raise ValueError("Radius must be a nonnegative integer.")
    x = np.arange(-radius, radius + 1) * 1.0
    square = 1.0 * sigma * sigma
    density = np.exp(-0.5 / square * x**2)
    density = density / np.sum(density)
    if order == 1:
        return x / square * density
    if order == 2:
        return (x**2 / square - 1.0) / square * density
    if order == 3:
        return (x**3 / square - 3.0 * x) / square**2 * density
    return density


NAMES: dict[str, Any] = {"places": places, "gaussian": gaussian}
"""What the texts call."""


def _is_image(function: str, given: NumbaType) -> bool:
    """Whether an argument is an array of real numbers; others are refused."""
    if not is_sampled(function, given):
        return False
    if is_complex(given) or isinstance(given.dtype, types.Integer):
        raise refused(f"`{function}` is supported for real numbers", "convert first: x.astype(np.float64).")
    return True


def _mode(function: str, mode: NumbaType, cval: NumbaType, ndim: int) -> list[int]:
    """How each axis goes on, by the numbers of `MODES`."""
    value = option(function, "mode", mode)
    named = value if isinstance(value, tuple) else (value,) * ndim
    if len(named) != ndim or any(each not in MODES for each in named):
        known = ", ".join(map(repr, MODES))
        raise refused(f"`{function}` is not supported with mode={value!r}", f"write one of {known}.")
    if not is_number(cval):
        raise refused(f"`cval` of `{function}` is no number", "give a number.")
    return [MODES[each] for each in named]


def _plain(function: str, output: NumbaType, **more: NumbaType) -> None:
    """Refuse options that are not supported."""
    option(function, "output", output, None)
    for name, given in more.items():
        option(function, name, given, None)


def _continued(source: str, axis: int, ndim: int, size: str, origin: str, mode: int) -> list[str]:
    """The statements that continue an axis of an array, as `wide`."""
    before = f"{size} // 2 + {origin}" if origin != "0" else f"{size} // 2"
    if mode != CONSTANT:
        found = f"places({source}.shape[{axis}], {size}, {before}, {mode})"
        return [f"wide = {part_of(source, axis, found)}"]
    extents = [f"{source}.shape[{each}]{f' + {size} - 1' if each == axis else ''}" for each in range(ndim)]
    part = part_of("wide", axis, f"{before}:{before} + {source}.shape[{axis}]")
    return [f"wide = np.full(({', '.join(extents)},), 1.0 * cval)", f"{part} = {source}"]


def _check(size: str, origin: str) -> list[str]:
    """The statements that check an origin."""
    if origin == "0":
        return []
    invalid = "Invalid origin; origin must satisfy -(len(weights) // 2) <= origin <= (len(weights)-1) // 2"
    return [
        f"if {size} // 2 + {origin} < 0 or {size} // 2 + {origin} >= {size}:",
        f"    raise ValueError({invalid!r})",
    ]


def _along(axis: int, ndim: int, weights: str, origin: str, mode: int) -> list[str]:
    """The statements that put sums of neighbours along an axis in the place of `image`."""
    size = f"{weights}.size"
    part = part_of("wide", axis, f"k:k + image.shape[{axis}]")
    return [
        *_check(size, origin),
        *_continued("image", axis, ndim, size, origin, mode),
        "sums = np.zeros(image.shape)",
        f"for k in range({size}):",
        f"    sums += {weights}[k] * {part}",
        "image = sums",
    ]


def _origin(function: str, origin: NumbaType) -> str:
    """The text of an origin, which is "0" if it is known to be zero."""
    if literal(origin) == 0:
        return "0"
    if not isinstance(origin, types.Integer | int):
        raise refused(f"`origin` of `{function}` is no whole number", "give one for all axes.")
    return "origin"


def _by_vector(name: str, *, turned: bool):
    """The overload for a correlation or a convolution with weights along one axis."""

    def filtered(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
        function = f"scipy.ndimage.{name}"
        if not _is_image(function, input) or not is_sampled(function, weights) or weights.ndim != 1:
            return None
        _plain(function, output)
        at, how = single_axis(function, axis, input.ndim), _mode(function, mode, cval, 1)[0]
        shift, head = _origin(function, origin), ["image, taken = input, weights"]
        if turned:
            head = ["image, taken = input, weights[::-1]", f"shift = -{shift} - (1 - weights.size % 2)"]
            shift = "shift"
        return "\n".join([*head, *_along(at, input.ndim, "taken", shift, how), "return image"])

    filtered.__name__ = name
    return filtered


def _by_array(name: str, *, turned: bool):
    """The overload for a correlation or a convolution with weights along all axes."""

    def filtered(input, weights, output=None, mode="reflect", cval=0.0, origin=0, axes=None):
        function = f"scipy.ndimage.{name}"
        if not _is_image(function, input) or not is_sampled(function, weights):
            return None
        if weights.ndim != input.ndim:
            raise refused(f"the arrays of `{function}` have other numbers of axes", "give both as many.")
        _plain(function, output, axes=axes)
        how, shift, ndim = _mode(function, mode, cval, 1)[0], _origin(function, origin), input.ndim
        lines = ["image, taken = input, weights"]
        if turned:
            lines = [f"image, taken = input, weights[{', '.join(['::-1'] * ndim)}]"]
        for axis in range(ndim):
            own, size = shift, f"weights.shape[{axis}]"
            if turned:
                own = f"shift{axis}"
                lines.append(f"{own} = -{shift} - (1 - {size} % 2)")
            lines += [*_check(size, own), *_continued("image", axis, ndim, size, own, how), "image = wide"]
        part = ", ".join(f"{INDICES[axis]}:{INDICES[axis]} + input.shape[{axis}]" for axis in range(ndim))
        bounds = {INDICES[axis]: f"weights.shape[{axis}]" for axis in range(ndim)}
        statement = f"sums += taken[{', '.join(bounds)}] * image[{part}]"
        return "\n".join(
            [*lines, "sums = np.zeros(input.shape)", *indented_loops(bounds, statement), "return sums"]
        )

    filtered.__name__ = name
    return filtered


of_samples(scipy.ndimage.correlate1d, **NAMES)(_by_vector("correlate1d", turned=False))
of_samples(scipy.ndimage.convolve1d, **NAMES)(_by_vector("convolve1d", turned=True))
of_samples(scipy.ndimage.correlate, **NAMES)(_by_array("correlate", turned=False))
of_samples(scipy.ndimage.convolve, **NAMES)(_by_array("convolve", turned=True))


def _each(function: str, name: str, given: NumbaType, ndim: int) -> list[str]:
    """The texts of an argument for each axis."""
    if is_number(given):
        return [name] * ndim
    if not isinstance(given, types.BaseTuple) or len(given) != ndim:
        raise refused(
            f"`{name}` of `{function}` is neither a number nor a tuple of one for each axis", "give one."
        )
    return [f"{name}[{axis}]" for axis in range(ndim)]


def _density(function: str, sigma: str, order: int, radius: NumbaType) -> str:
    """The text of the weights of a normal density."""
    if order not in range(4):
        raise refused(f"`{function}` is supported for the orders 0 to 3", "filter twice.")
    reach = f"int(truncate * {sigma} + 0.5)" if is_none(radius) else "radius"
    return f"taken = gaussian({sigma}, {order}, {reach})"


@of_samples(scipy.ndimage.gaussian_filter1d, **NAMES)
def gaussian_filter1d(
    input, sigma, axis=-1, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, radius=None
):
    """Sums of neighbours with the weights of a normal density, along one axis."""
    function = "scipy.ndimage.gaussian_filter1d"
    if not _is_image(function, input):
        return None
    _plain(function, output)
    at, how = single_axis(function, axis, input.ndim), _mode(function, mode, cval, 1)[0]
    weights = _density(function, "sigma", option(function, "order", order), radius)
    return "\n".join(["image = input", weights, *_along(at, input.ndim, "taken", "0", how), "return image"])


@of_samples(scipy.ndimage.gaussian_filter, **NAMES)
def gaussian_filter(
    input, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, radius=None, axes=None
):
    """Sums of neighbours with the weights of a normal density, along all axes."""
    function = "scipy.ndimage.gaussian_filter"
    if not _is_image(function, input):
        return None
    ndim = input.ndim
    _plain(function, output, axes=axes)
    if not is_none(radius) and not isinstance(radius, types.Integer | int):
        raise refused(f"`radius` of `{function}` is no whole number", "give one for all axes.")
    how, sigmas = _mode(function, mode, cval, ndim), _each(function, "sigma", sigma, ndim)
    named = option(function, "order", order)
    orders: Sequence[int] = named if isinstance(named, tuple) else (named,) * ndim
    if len(orders) != ndim:
        raise refused(f"`{function}` has {len(orders)} orders for {ndim} axes", "give one for each axis.")
    lines = ["image = input.copy()"]
    for axis in range(ndim):
        within = [
            _density(function, sigmas[axis], orders[axis], radius),
            *_along(axis, ndim, "taken", "0", how[axis]),
        ]
        lines += [f"if {sigmas[axis]} > 1e-15:", *(f"    {line}" for line in within)]
    return "\n".join([*lines, "return image"])


@of_samples(scipy.ndimage.uniform_filter1d, **NAMES)
def uniform_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Means of neighbours along one axis."""
    function = "scipy.ndimage.uniform_filter1d"
    if not _is_image(function, input) or not isinstance(size, types.Integer | int):
        return None
    _plain(function, output)
    at, how = single_axis(function, axis, input.ndim), _mode(function, mode, cval, 1)[0]
    head = [
        "if size < 1:",
        '    raise RuntimeError("incorrect filter size")',
        "image, taken = input, np.full(size, 1.0 / size)",
    ]
    return "\n".join(
        [*head, *_along(at, input.ndim, "taken", _origin(function, origin), how), "return image"]
    )


@of_samples(scipy.ndimage.uniform_filter, **NAMES)
def uniform_filter(input, size=3, output=None, mode="reflect", cval=0.0, origin=0, axes=None):
    """Means of neighbours along all axes."""
    function = "scipy.ndimage.uniform_filter"
    if not _is_image(function, input):
        return None
    _plain(function, output, axes=axes)
    ndim = input.ndim
    how, sizes = _mode(function, mode, cval, ndim), _each(function, "size", size, ndim)
    lines = ["image = input.copy()"]
    for axis, each in enumerate(sizes):
        within = [f"taken = np.full({each}, 1.0 / {each})"]
        within += _along(axis, ndim, "taken", _origin(function, origin), how[axis])
        lines += [f"if {each} > 1:", *(f"    {line}" for line in within)]
    return "\n".join([*lines, "return image"])


@of_samples(scipy.ndimage.sobel, **NAMES)
def sobel(input, axis=-1, output=None, mode="reflect", cval=0.0):
    """Differences of neighbours along one axis, smoothed along the others."""
    function = "scipy.ndimage.sobel"
    if not _is_image(function, input):
        return None
    _plain(function, output)
    ndim = input.ndim
    at, how = single_axis(function, axis, ndim), _mode(function, mode, cval, ndim)
    lines = ["image, taken = input, np.array([-1.0, 0.0, 1.0])", *_along(at, ndim, "taken", "0", how[at])]
    lines.append("taken = np.array([1.0, 2.0, 1.0])")
    for other in (each for each in range(ndim) if each != at):
        lines += _along(other, ndim, "taken", "0", how[other])
    return "\n".join([*lines, "return image"])


@of_samples(scipy.ndimage.laplace, **NAMES)
def laplace(input, output=None, mode="reflect", cval=0.0, axes=None):
    """The sums of second differences along all axes."""
    function = "scipy.ndimage.laplace"
    if not _is_image(function, input):
        return None
    _plain(function, output, axes=axes)
    how = _mode(function, mode, cval, input.ndim)
    lines = ["taken, whole = np.array([1.0, -2.0, 1.0]), np.zeros(input.shape)"]
    for axis, each in enumerate(how):
        lines += ["image = input", *_along(axis, input.ndim, "taken", "0", each), "whole += image"]
    return "\n".join([*lines, "return whole"])


@of_samples(scipy.ndimage.map_coordinates, **NAMES)
def map_coordinates(input, coordinates, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    """Entries of an image at coordinates between them: those of the nearest points, or means of those around, with weights."""
    function = "scipy.ndimage.map_coordinates"
    if not _is_image(function, input):
        return None
    _plain(function, output)
    rows = list(coordinates) if isinstance(coordinates, types.BaseTuple) else []
    are_rows = bool(rows) and all(isinstance(each, types.Array) and each.ndim > 0 for each in rows)
    is_array = isinstance(coordinates, types.Array) and coordinates.ndim > 1
    if not (is_array or (are_rows and len({each.ndim for each in rows}) == 1)) or not is_number(cval):
        raise refused(
            f"`coordinates` of `{function}` are no array with a row for each axis", "give np.stack((y, x))."
        )
    degree = option(function, "order", order, 0, 1)
    how = option(function, "mode", mode, "constant", "nearest", "mirror")
    ndim = input.ndim
    stacked = f"({', '.join(f'coordinates[{k}]' for k in range(len(rows)))},)"
    lines = [
        f"places = {f'np.stack({stacked})' if are_rows else 'np.ascontiguousarray(coordinates)'}",
        f"if places.shape[0] != {ndim}:",
        '    raise RuntimeError("invalid shape for coordinate array")',
        f"at = np.reshape(places, ({ndim}, -1))",
        "found = np.empty(at.shape[1])",
        "for j in range(at.shape[1]):",
    ]
    inner = [f"x{axis} = at[{axis}, j] * 1.0" for axis in range(ndim)]
    within = [line for axis in range(ndim) for line in _between(axis, degree, how)]
    within.append(f"found[j] = {_mixed(ndim, degree, ())}")
    if how == "constant":
        outside = " or ".join(
            f"not (x{axis} >= 0.0 and x{axis} <= input.shape[{axis}] - 1)" for axis in range(ndim)
        )
        within = [f"if {outside}:", "    found[j] = cval", "else:", *(f"    {line}" for line in within)]
    lines += [f"    {line}" for line in (*inner, *within)]
    return "\n".join([*lines, "return np.reshape(found, places.shape[1:])"])


def _between(axis: int, degree: int, how: str) -> list[str]:
    """The text that finds the points around a coordinate along an axis."""
    x, last = f"x{axis}", f"(input.shape[{axis}] - 1)"
    lines = {
        "constant": [],
        "nearest": [f"if {x} < 0.0:", f"    {x} = 0.0", f"elif {x} > {last}:", f"    {x} = {last} * 1.0"],
        "mirror": [
            f"{x} = abs({x}) % (2.0 * max({last}, 1))",
            f"if {x} > {last}:",
            f"    {x} = 2.0 * {last} - {x} if {last} > 0 else 0.0 * {x}",
        ],
    }[how]
    if degree == 0:
        return [*lines, f"i{axis} = int(np.floor({x} + 0.5))"]
    return [
        *lines,
        f"i{axis} = min(int(np.floor({x})), max({last} - 1, 0))",
        f"k{axis} = min(i{axis} + 1, {last})",
        f"s{axis} = {x} - i{axis}",
    ]


def _mixed(ndim: int, degree: int, fixed: tuple[str, ...]) -> str:
    """The text of the mean of the entries around, one axis after the other."""
    axis = len(fixed)
    if axis == ndim:
        return f"input[{', '.join(fixed)}]"
    if degree == 0:
        return _mixed(ndim, degree, (*fixed, f"i{axis}"))
    low, high = (_mixed(ndim, degree, (*fixed, each)) for each in (f"i{axis}", f"k{axis}"))
    return f"(1.0 - s{axis}) * ({low}) + s{axis} * ({high})"
