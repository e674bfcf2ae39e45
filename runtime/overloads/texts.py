"""Register overloads that write their implementations as text: for one rank, the axes of one call.

An overload returns the body of the implementation. Numba compiles it, and derivatives are written of it, so it is
written as a user would write it by hand, from functions that have rules.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import linecache
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numba.core import types
from numba.core.typing.npydecl import parse_dtype
from numba.extending import overload
from numba.np.numpy_support import as_dtype, from_dtype

from backsweep.runtime.overloads.forms import NumbaType, is_array, is_none, refused

Typing = Callable[..., "str | tuple[str, Mapping[str, Any]] | None"]
ALONE: set[Any] = set()
"""The functions of which Numba has no overload."""
INDICES = "ijklmnpqrst"
"""The names of subscripts, by axis."""


def stands_for(
    *functions: Any, first: bool = False, alone: bool = False, **names: Any
) -> Callable[[Typing], Typing]:
    """Give Numba the decorated overload for each of the functions; literal arguments stay literals.

    The overload returns the body of a function with its own parameters, or None for calls that it does not stand for.
    `names` are what the body may use besides `np`, and what the overload returns with it. With `first`, it is asked before Numba's own overloads; with `alone`,
    there are none, and the compiler writes out each call, so that a saved module needs no overload.
    """
    if alone:
        ALONE.update(functions)

    def register(body: Typing) -> Typing:
        written = functools.cache(lambda text, more: function_of(body, text, names | dict(more)))

        @functools.wraps(body)
        def typed(*args: Any, **kwargs: Any) -> Any:
            found = body(*args, **kwargs)
            text, more = found if isinstance(found, tuple) else (found, {})
            return None if text is None else written(text, tuple(more.items()))

        for function in dict.fromkeys(functions):
            overload(
                function,
                prefer_literal=True,
                target="cpu" if first else "generic",
                jit_options={"error_model": "numpy"},
            )(typed)
        return body

    return register


def of_floats(function: Any, *arrays: str) -> Callable[[Typing], Typing]:
    """The same for a function of `np.linalg`, where NumPy takes whole numbers for floats, and several arrays for ones of the kind that is common to them.

    `arrays` are the parameters for these. The decorated overload is asked about arrays of one kind of floats.
    """

    def register(body: Typing) -> Typing:
        parameters = inspect.signature(body)

        @functools.wraps(body)
        def converted(*args: Any, **kwargs: Any) -> Any:
            given = parameters.bind(*args, **kwargs).arguments
            own = {name: as_dtype(given[name].dtype) for name in arrays if is_array(given[name])}
            floats = [np.float64 if each.kind in "biu" else each for each in own.values()]
            common = np.result_type(*floats) if floats else None
            if all(each == common for each in own.values()):
                return body(*args, **kwargs)
            kind = dtype_text(common)
            passed = [f"{name}.astype({kind})" if name in own else f"{name}={name}" for name in given]
            return f"return np.linalg.{function.__name__}({', '.join(passed)})"

        return stands_for(function)(converted)

    return register


class _Loader:
    """What tracebacks, `inspect` and `linecache` ask for a text that is in no file."""

    def __init__(self, text: str) -> None:
        self._text = text

    def get_source(self, _name: str) -> str:
        """The text."""
        return self._text


def function_of(body: Typing, text: str, names: Mapping[str, Any]) -> Any:
    """The function with the parameters of an overload and this body, which tracebacks and the compiler can read."""
    name = body.__name__.strip("_")
    parameters = inspect.signature(body).parameters.values()
    plain = [each.replace(annotation=inspect.Parameter.empty) for each in parameters]
    header = f"def {name}{inspect.Signature(plain)!s}:"
    whole = "\n".join([header, *(f"    {line}" for line in text.strip().splitlines()), ""])
    file = f"{__package__}/{name}-{hashlib.sha256(whole.encode()).hexdigest()[:12]}.py"  # no file of the disk
    namespace = {"np": np, "__name__": __name__, "__loader__": _Loader(whole), **names}
    linecache.lazycache(file, namespace)
    exec(compile(whole, file, "exec"), namespace)  # noqa: S102  our own text
    return namespace[name]


def kept_axes(ndim: int, axes: Sequence[int]) -> list[int]:
    """The axes that stay when `axes` are reduced."""
    return [axis for axis in range(ndim) if axis not in axes]


def summed(text: str, axes: Sequence[int], ndim: int) -> str:
    """The sum of an array over axes, the last first."""
    if len(axes) == ndim:
        return f"np.sum({text})"
    for axis in reversed(axes):
        text = f"np.sum({text}, {axis})"
    return text


def widened(text: str, axes: Sequence[int], ndim: int) -> str:
    """A reduced array with axes of length 1 where axes were reduced."""
    if len(axes) == ndim:
        return f"np.full({(1,) * ndim}, {text})"
    for axis in axes:
        text = f"np.expand_dims({text}, {axis})"
    return text


def from_list(name: str, listed: NumbaType) -> str:
    """The statement that makes a vector of floats of a tuple."""
    items = "".join(f"1.0 * {name}[{position}], " for position in range(len(listed)))
    return f"{name} = np.array(({items.rstrip()}))\n"


def masked(neutral: str) -> str:
    """The statements that put what changes no result in place of the entries of `a` that `where` leaves out."""
    return f"m = np.broadcast_to(where, a.shape)\na = np.where(m, a, {neutral})\n"


def counted(array: str, axes: Sequence[int], ndim: int) -> str:
    """How many entries are reduced to one."""
    if len(axes) == ndim:
        return f"{array}.size"
    return " * ".join(f"{array}.shape[{axis}]" for axis in axes) or "1"


def reduced(
    value: str, array: str, axes: Sequence[int], ndim: int, *, keepdims: bool, dtype: Any, start: str = ""
) -> str:
    """The body that reduces `axes` of an array by loops over the others: `value` is a number for the part `{}`.

    With `start`, that is the value of a part without entries.
    """
    kept = kept_axes(ndim, axes)
    if not kept and start:
        body = f"y = {start}\nif {array}.size > 0:\n    y = {value.format(array)}\n"
        return f"{body}return {widened('y', axes, ndim) if keepdims else 'y'}"
    if not kept:
        return f"return {widened(value.format(array), axes, ndim) if keepdims else value.format(array)}"
    parts = [INDICES[axis] if axis in kept else ":" for axis in range(ndim)]
    shape = [f"{array}.shape[{axis}]" if axis in kept else "1" for axis in range(ndim)]
    places = [INDICES[axis] if axis in kept else "0" for axis in range(ndim)]
    if not keepdims:
        shape, places = [shape[axis] for axis in kept], [places[axis] for axis in kept]
    statement = f"y[{', '.join(places)}] = {value.format(_part(array, parts))}"
    return _loops(array, kept, shape, dtype, statement, start)


def several(
    value: str, array: str, axes: Sequence[int], ndim: int, *, count: str, dtype: Any, keepdims: bool
) -> str:
    """The body that reduces `axes` to vectors of `count` numbers, which become the first axis of the result."""
    kept = kept_axes(ndim, axes)
    if not kept:
        ones = ", ".join([count, *["1"] * ndim])
        return (
            f"return np.reshape({value.format(array)}, ({ones}))"
            if keepdims
            else f"return {value.format(array)}"
        )
    parts = [INDICES[axis] if axis in kept else ":" for axis in range(ndim)]
    staying = range(ndim) if keepdims else kept
    shape = [count, *(f"{array}.shape[{axis}]" if axis in kept else "1" for axis in staying)]
    places = [":", *(INDICES[axis] if axis in kept else "0" for axis in staying)]
    return _loops(array, kept, shape, dtype, f"y[{', '.join(places)}] = {value.format(_part(array, parts))}")


def along(value: str, array: str, axis: int, ndim: int, *, dtype: Any, length: str = "") -> str:
    """The body that maps each line of an array along `axis`: `value` is the new line, of `length`, for the line `{}`."""
    if ndim == 1:
        return f"return {value.format(array)}"
    kept = kept_axes(ndim, (axis,))
    parts = [INDICES[each] if each in kept else ":" for each in range(ndim)]
    shape = [length if length and each == axis else f"{array}.shape[{each}]" for each in range(ndim)]
    return _loops(array, kept, shape, dtype, f"{_part('y', parts)} = {value.format(_part(array, parts))}")


def _part(array: str, parts: Sequence[str]) -> str:
    """A part of an array; whole axes at the end go unsaid."""
    said = list(parts)
    while said[-1] == ":":
        said.pop()
    return f"{array}[{', '.join(said)}]"


def _loops(
    array: str, kept: Sequence[int], shape: Sequence[str], dtype: Any, statement: str, start: str = ""
) -> str:
    """An array `y` of this shape, loops over some axes around a statement, and the return of `y`."""
    extents = f"({', '.join(shape)})" if len(shape) > 1 else shape[0]
    bounds = {INDICES[axis]: f"{array}.shape[{axis}]" for axis in kept}
    lines = indented_loops(bounds, statement)
    if start:
        inner = [f"    {line}" for line in lines]
        return "\n".join([f"y = np.full({extents}, {start})", f"if {array}.size > 0:", *inner, "return y"])
    kind = "" if dtype == np.float64 else f", {dtype_text(dtype)}"
    return "\n".join([f"y = np.empty({extents}{kind})", *lines, "return y"])


def indented_loops(bounds: Mapping[str, str], statement: str) -> list[str]:
    """The lines of loops over indices, each up to its bound, around a statement."""
    lines = [f"{'    ' * depth}for {each} in range({bounds[each]}):" for depth, each in enumerate(bounds)]
    return [*lines, f"{'    ' * len(bounds)}{statement}"]


def dtype_text(dtype: Any) -> str:
    """The name of a dtype in a text."""
    return f"np.{np.dtype(dtype).name.replace('bool', 'bool_')}"


def number_text(value: int, dtype: Any) -> str:
    """A number of a dtype in a text."""
    known = {"float64": str(float(value)), "int64": str(value), "bool": str(bool(value))}
    return known.get(np.dtype(dtype).name, f"{dtype_text(dtype)}({value})")


def given_start(function: str, initial: NumbaType, dtype: Any) -> str:
    """What a reduction to numbers of a dtype starts with, for `initial=`: NumPy converts it; empty if there is none."""
    if is_none(initial):
        return ""
    kind = types.unliteral(initial.type if isinstance(initial, types.Optional) else initial)
    real = isinstance(kind, types.Integer | types.Float | types.Boolean)
    if not real and not (isinstance(kind, types.Complex) and np.dtype(dtype).kind == "c"):
        raise refused(f"`{function}` starts with no number of the kind of its result", "give a number.")
    return "initial" if as_dtype(kind) == dtype else f"{dtype_text(dtype)}(initial)"


def accumulated(a: NumbaType) -> Any:
    """The dtype of sums and products of numbers of the type of `a`."""
    if isinstance(a.dtype, types.Boolean):
        return np.int64
    if isinstance(a.dtype, types.Integer):
        return np.int64 if a.dtype.signed else np.uint64
    return as_dtype(a.dtype)


def converted(function: str, a: NumbaType, dtype: NumbaType, *, whole: bool = True) -> tuple[str, NumbaType]:
    """The statement that converts an array `a` to the dtype of a call, if any, and the type that it has then.

    Without `whole`, the dtype is of floats.
    """
    if is_none(dtype):
        return "", a
    builtin = isinstance(dtype, types.Function) and dtype.typing_key in (float, complex, int)
    kind = from_dtype(np.dtype(dtype.typing_key)) if builtin else parse_dtype(dtype)
    if kind is None:
        raise refused(
            f"the dtype of `{function}` is not written as one", f"write {function}(x, dtype=np.float64)."
        )
    narrow = isinstance(kind, types.Boolean) or (isinstance(kind, types.Integer) and kind.bitwidth < 64)
    if narrow or not isinstance(kind, types.Number) or (isinstance(kind, types.Integer) and not whole):
        raise refused(
            f"`{function}` is not supported with the dtype {kind}",
            "write dtype=np.float64, or convert the result.",
        )
    if isinstance(a.dtype, types.Complex) and not isinstance(kind, types.Complex):
        raise refused(
            f"the dtype of `{function}` is real, but the numbers are complex", "take np.real(x) first."
        )
    if kind == a.dtype:
        return "", a
    return f"a = a.astype({dtype_text(as_dtype(kind))})\n", types.Array(kind, a.ndim, "C")
