"""What `ufunc.at` does, as loops: each position that an index names is changed, one after the other.

An index has NumPy's meaning: numbers, arrays of whole numbers or of truths, slices, None and `...`, one for each axis from the
front. The positions have the axes of what the index would read, and the values broadcast to these, the last axes first.
"""

from __future__ import annotations

from numba.core import types

from backsweep.runtime.overloads.forms import NumbaType, is_array, is_none, refused
from backsweep.runtime.overloads.texts import indented_loops


def text_of_at(statement: str, a: NumbaType, indices: NumbaType, b: NumbaType) -> str | None:
    """The loops over positions; `statement` changes one entry by one value. None for what is no array."""
    if not is_array(a):
        return None
    if isinstance(a.dtype, types.Integer | types.Boolean) and "/=" in statement:
        raise refused(
            "`np.divide.at` gives floats, and the array has none", "convert it: a.astype(np.float64)."
        )
    positions = Positions(a, indices)
    bounds = dict(zip("ijklmn", positions.extents, strict=False))
    value = "b"
    if is_array(b):
        if b.ndim > len(bounds):
            raise refused(
                "the values of `at` have more axes than the positions", "give one for each position."
            )
        shape = "".join(f"{extent}, " for extent in bounds.values())
        positions.before.append(
            f"values = np.broadcast_to(b, ({shape.strip()})).copy()"
        )  # they may be a part of `a`
        value = f"values[{', '.join(bounds)}]"
    entry = f"a[{', '.join(positions.subscripts(list(bounds)))}]" if positions.of_axes else "a"
    return "\n".join([*positions.before, *indented_loops(bounds, statement.format(entry, value))])


class Positions:
    """The positions that an index names: the extents of their axes, and the subscript of each axis of the array."""

    def __init__(self, a: NumbaType, indices: NumbaType) -> None:
        self.before: list[str] = []
        self.extents: list[str] = []
        self.of_axes: list[tuple[str, int | None]] = []
        """For each axis of the array a text, and the axis of the positions that it is read by: None for a number, -1 for all of an array's."""
        self._arrays: list[tuple[int, str, int]] = []
        several = isinstance(indices, types.BaseTuple)
        given = list(indices) if several else [indices]
        named = [(f"indices[{k}]" if several else "indices", each) for k, each in enumerate(given)]
        self._read(self._spelled_out(a, named))

    def _spelled_out(self, a: NumbaType, named: list[tuple[str, NumbaType]]) -> list[tuple[str, NumbaType]]:
        """The parts of an index, without arrays of truths and dots, and with a slice for each axis that is not named."""
        found: list[tuple[str, NumbaType]] = []
        for text, type_ in named:
            if is_array(type_) and isinstance(type_.dtype, types.Boolean):
                of_axes = [f"p{len(found) + k}" for k in range(type_.ndim)]
                self.before.append(f"{', '.join(of_axes)}, = np.nonzero({text})")
                found += [(each, types.Array(types.int64, 1, "C")) for each in of_axes]
            else:
                found.append((text, type_))
        left = a.ndim - sum(
            not isinstance(type_, types.EllipsisType) and not is_none(type_) for _, type_ in found
        )
        if left < 0:
            raise refused(
                "the index of `at` has more parts than the array has axes", "give one for each axis."
            )
        dots = [k for k, (_, type_) in enumerate(found) if isinstance(type_, types.EllipsisType)]
        place = dots[0] if dots else len(found)
        return [*found[:place], *[("", types.slice2_type)] * left, *found[place + 1 :]]

    def _read(self, parts: list[tuple[str, NumbaType]]) -> None:
        """Find the axes of the positions: those of arrays stand where the first array does, or in front if something is between them."""
        arrays = [k for k, (_, type_) in enumerate(parts) if is_array(type_)]
        if not all(isinstance(parts[k][1].dtype, types.Integer) for k in arrays):
            raise refused("the positions of `at` are no whole numbers", "convert them: k.astype(np.int64).")
        advanced = [k for k in range(len(parts)) if k in arrays or (arrays and _is_number(parts[k][1]))]
        together = not advanced or advanced == list(range(advanced[0], advanced[-1] + 1))
        whole = self._whole([parts[k] for k in arrays])
        of_arrays = [
            f"{whole}.shape[{axis}]" for axis in range(max((parts[k][1].ndim for k in arrays), default=0))
        ]
        if not together:
            self.extents += of_arrays
        for k, (text, type_) in enumerate(parts):
            axis = len(self.of_axes)
            if advanced and together and k == advanced[0]:
                self._first = len(self.extents)
                self.extents += of_arrays
            if k in arrays:
                self.of_axes.append((self._stretched(text, whole, len(arrays)), -1))
            elif _is_number(type_):
                self.of_axes.append((text, None))
            elif is_none(type_):
                self.extents.append("1")
            elif isinstance(type_, types.SliceType | types.BaseTuple):
                positions = self._sliced(text, type_, axis)
                self.of_axes.append((positions, len(self.extents)))
                self.extents.append(f"{positions}.size" if positions else f"a.shape[{axis}]")
            else:
                raise refused("the positions of `at` are no whole numbers", "write the loop over them.")
        self._count = len(of_arrays)

    _first = 0
    _count = 0

    def _sliced(self, text: str, type_: NumbaType, axis: int) -> str:
        """The name of the positions of a slice along an axis; empty if it is the whole axis.

        The compiler, for which slices exist only while compiling, gives a tuple of the positions.
        """
        if not text or (isinstance(type_, types.BaseTuple) and not len(type_)):
            return ""
        read = f"{text}[0]" if isinstance(type_, types.BaseTuple) else f"np.arange(a.shape[{axis}])[{text}]"
        self.before.append(f"s{axis} = {read}")
        return f"s{axis}"

    def _whole(self, arrays: list[tuple[str, NumbaType]]) -> str:
        """The name of an array with the axes of all arrays together."""
        if len(arrays) < 2:
            return arrays[0][0] if arrays else ""
        self.before.append(f"whole = {' + '.join(text for text, _ in arrays)}")
        return "whole"

    def _stretched(self, text: str, whole: str, count: int) -> str:
        """The name of an array of positions that has all their axes."""
        if count == 1:
            return text
        name = f"q{len(self.of_axes)}"
        self.before.append(f"{name} = np.broadcast_to({text}, {whole}.shape)")
        return name

    def subscripts(self, names: list[str]) -> list[str]:
        """The subscript of each axis of the array, by the names of the indices of the loops."""
        of_arrays = ", ".join(names[self._first : self._first + self._count])
        found = []
        for text, axis in self.of_axes:
            if axis is None:
                found.append(text)
            elif axis < 0:
                found.append(f"{text}[{of_arrays}]")
            else:
                found.append(f"{text}[{names[axis]}]" if text else names[axis])
        return found


def _is_number(type_) -> bool:
    """Whether a part of an index is one whole number."""
    return isinstance(types.unliteral(type_), types.Integer)
