"""The texts of calls of `@guvectorize` functions: their Python function of each core, in loops over the further axes.

The loops broadcast as NumPy's do, and arguments are cast to the types of the first declared signature to which they safely can be. Where a
call that NumPy makes has arguments for the results, the others are copied: it lets no result overwrite an argument that is still read.
Compiled code does.
"""

from __future__ import annotations

import hashlib
import linecache
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numba
import numpy as np
from numba.core import types
from numba.np.numpy_support import as_dtype
from numba.np.ufunc.gufunc import GUFunc

Text = Callable[..., Any]
Axes = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Called:
    """A `@guvectorize` function as NumPy calls it, in a function that is not compiled."""

    function: Any

    @property
    def __name__(self) -> str:
        """The function's name."""
        name: str = self.function.__name__
        return name


def is_generalised(thing: object) -> bool:
    """Whether the object is a `@guvectorize` function."""
    return isinstance(thing, GUFunc | Called)


def text_of_cores(called: Any, arguments: Sequence[Any]) -> Text | None:
    """The text of a call; None if the function or the arguments are of a kind for which there is none."""
    function = called.function if isinstance(called, Called) else called
    builder = function.gufunc_builder
    inputs, outputs = builder.sin, builder.sout
    given = [types.unliteral(type_) for type_ in arguments]
    filled = given[len(inputs) :]
    if len(given) < len(inputs) or len(filled) not in (0, len(outputs)) or not outputs:
        return None
    if function.is_dynamic and not filled:  # as NumPy's own call
        return None
    declared = _signature(function, given, len(inputs))
    if declared is None:
        return None
    call = _Call(function.__name__, inputs, outputs, given, declared, apart=isinstance(called, Called))
    text = call.text() if call.is_known() else None
    return None if text is None else _readable(call.name, text, numba.njit(builder.py_func))


def _readable(name: str, text: str, kernel: Any) -> Text:
    """The function of a text, which can be read."""
    file = f"<calls of {name} {hashlib.sha256(text.encode()).hexdigest()[:16]}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    namespace = {"np": np, "kernel": kernel, "__name__": kernel.__module__}
    exec(compile(text, file, "exec"), namespace)  # noqa: S102  our own text
    made: Text = namespace[name]
    return made


def _signature(function: Any, given: Sequence[Any], count: int) -> Sequence[Any] | None:
    """The types of the first signature to which the arguments can safely be cast; None if there is none, or NumPy's choice is not known.

    NumPy takes numbers of Python's for numbers of less precision, which types do not tell from its own.
    """
    if function.is_dynamic:
        return [types.Array(each.dtype, each.ndim, "A") if _rank(each) else each for each in given]
    numbers = [_number(type_) for type_ in given[:count]]
    safe, weak = (
        next(
            (
                each.args
                for each in function.gufunc_builder._sigs
                if all(
                    np.can_cast(one, _number(other), casting if _rank(type_) == 0 else "safe")
                    for one, other, type_ in zip(numbers, each.args[:count], given[:count], strict=True)
                )
            ),
            None,
        )
        for casting in _CASTINGS
    )
    return safe if safe == weak else None


_CASTINGS: tuple[Literal["safe"], Literal["same_kind"]] = ("safe", "same_kind")
"""How numbers are cast: NumPy's own, and Python's."""


def _number(type_: Any) -> np.dtype[Any]:
    found: np.dtype[Any] = as_dtype(getattr(type_, "dtype", type_))
    return found


def _rank(type_: Any) -> int:
    return type_.ndim if isinstance(type_, types.Array) else 0


class _Call:
    """A call with arguments of these types, and what its text is made of."""

    def __init__(
        self,
        name: str,
        inputs: Sequence[Axes],
        outputs: Sequence[Axes],
        given: Sequence[Any],
        declared: Sequence[Any],
        *,
        apart: bool,
    ) -> None:
        self.name = name if name.isidentifier() and name not in ("kernel", "np") else "rows"
        self.inputs, self.outputs, self.apart = inputs, outputs, apart
        self.given, self.filled = given[: len(inputs)], given[len(inputs) :]
        self.declared, self.results = declared[: len(inputs)], declared[len(inputs) :]
        self.further = [_rank(type_) - len(axes) for type_, axes in zip(self.given, inputs, strict=True)]
        self.spare = [_rank(type_) - len(axes) for type_, axes in zip(self.filled, outputs, strict=False)]
        self.loops = max([*self.further, *self.spare])

    def is_known(self) -> bool:
        """Whether the axes and types are such that there is a text."""
        known = {axis for axes in self.inputs for axis in axes}
        same = (_number(one) == _number(other) for one, other in zip(self.filled, self.results, strict=False))
        return (
            min(self.further) >= 0
            and all(spare == self.loops for spare in self.spare)
            and all(axis in known for axes in self.outputs for axis in axes)
            and all(same)
        )

    def text(self) -> str:
        """The function's text."""
        lengths = [f"length{depth}" for depth in range(self.loops)]
        lines = [*self._sizes(), *self._lengths(), *self._arguments(lengths)]
        for k, (axes, type_) in enumerate(zip(self.outputs, self.results, strict=True)):
            shape = _tuple(lengths + [f"size_{axis}" for axis in axes])
            if not self.filled and (self.loops or axes):
                lines.append(f"out{k} = np.empty({shape}, {_dtype(type_)})")
        lines += ["    " * depth + f"for i{depth} in range(length{depth}):" for depth in range(self.loops)]
        lines += ["    " * self.loops + line for line in self._body()]
        names = [f"x{k}" for k in range(len(self.inputs))] + [f"out{k}" for k in range(len(self.filled))]
        plain = [f"out{k}" if self.loops or axes else f"cell{k}[0]" for k, axes in enumerate(self.outputs)]
        returned = ", ".join(names[len(self.inputs) :] or plain)
        body = "".join(f"    {line}\n" for line in (*lines, f"return {returned}"))
        return f"def {self.name}({', '.join(names)}):\n{body}"

    def _sizes(self) -> Iterator[str]:
        """Name the lengths of the axes of cores, and compare those of one name."""
        found: set[str] = set()
        of_inputs = [(f"x{k}", self.further[k], axes) for k, axes in enumerate(self.inputs)]
        of_results = [(f"out{k}", self.loops, axes) for k, axes in enumerate(self.outputs) if self.filled]
        for name, before, axes in of_inputs + of_results:
            for place, axis in enumerate(axes):
                length = f"{name}.shape[{before + place}]"
                if axis in found:
                    yield f"if {length} != size_{axis}:"
                    yield f'    raise ValueError("{self.name}: the axes {axis} of arguments differ in length")'
                else:
                    yield f"size_{axis} = {length}"
                    found.add(axis)

    def _lengths(self) -> Iterator[str]:
        """Name the lengths of the loops."""
        for depth in range(self.loops):
            places = [f"out{k}.shape[{depth}]" for k in range(len(self.filled))]
            for place in places[1:]:
                yield f"if {place} != {places[0]}:"
                yield f'    raise ValueError("{self.name}: the results differ in shape")'
            if not places:
                places = [
                    f"x{k}.shape[{count - self.loops + depth}]"
                    for k, count in enumerate(self.further)
                    if count >= self.loops - depth
                ]
            yield f"length{depth} = {places[0]}"
            if not self.filled:
                for place in places[1:]:
                    yield f"if length{depth} == 1:"
                    yield f"    length{depth} = {place}"

    def _arguments(self, lengths: Sequence[str]) -> Iterator[str]:
        """Cast the arguments, and stretch them to the loops."""
        alone = sum(count > 0 for count in self.further) == 1
        for k, (type_, declared) in enumerate(zip(self.given, self.declared, strict=True)):
            value = f"x{k}"
            if _number(type_) != _number(declared):
                dtype = _dtype(declared)
                value = f"{value}.astype({dtype})" if _rank(type_) else f"{dtype}({value})"
            core = [f"x{k}.shape[{self.further[k] + place}]" for place in range(len(self.inputs[k]))]
            shape = _tuple([*lengths[self.loops - self.further[k] :], *core])
            if self.apart and self.filled and _rank(type_):
                yield f"a{k} = np.empty({shape}, {_dtype(declared)})"
                yield f"a{k}[...] = {value}"
            elif self.filled:
                for depth in range(self.loops - self.further[k], self.loops):
                    yield f"if x{k}.shape[{self.further[k] - self.loops + depth}] != length{depth}:"
                    yield f'    raise ValueError("{self.name}: bring the arguments to one shape first")'
                yield f"a{k} = {value}"
            elif self.further[k] and not alone:
                yield f"a{k} = np.broadcast_to({value}, {shape})"
            else:
                yield f"a{k} = {value}"

    def _body(self) -> Iterator[str]:
        """What is done for each core."""
        given, after = [], []
        for k, declared in enumerate(self.declared):
            value = _at(f"a{k}", range(self.loops - self.further[k], self.loops))
            given.append(f"np.full(1, {value})" if _rank(declared) and not self.inputs[k] else value)
        for k, (axes, type_) in enumerate(zip(self.outputs, self.results, strict=True)):
            out = _at(f"out{k}", range(self.loops))
            given.append(out if axes else f"cell{k}")
            if not axes:
                yield f"cell{k} = np.empty(1, {_dtype(type_)})"
                out = out if self.loops else f"{out}[()]"
                if self.filled:
                    yield f"cell{k}[0] = {out}"
                if self.filled or self.loops:
                    after.append(f"{out} = cell{k}[0]")
        yield f"kernel({', '.join(given)})"
        yield from after


def _tuple(parts: Sequence[str]) -> str:
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def _at(name: str, depths: Sequence[int]) -> str:
    return f"{name}[{', '.join(f'i{depth}' for depth in depths)}]" if depths else name


def _dtype(type_: Any) -> str:
    return f"np.{_number(type_).type.__name__}"
