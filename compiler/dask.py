"""Sums over data that Dask holds in chunks: values, gradients, and products with Jacobians and Hessians, computed where the chunks are.

`import backsweep.dask` needs the extra `dask`.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import dask
import numpy as np
from dask.base import is_dask_collection
from dask.delayed import Delayed, delayed

from backsweep.api.derivatives import hvp as product_of_chunk
from backsweep.api.gradients import jvp as pushed_of_chunk
from backsweep.api.gradients import value_and_grad as both_of_chunk
from backsweep.api.gradients import vjp as pulled_of_chunk
from backsweep.diagnostics import ArgumentError, Problem
from backsweep.specialise.asked import Names, chosen, python_of, shown_name

Function = Callable[..., Any]
Positions = int | Sequence[int] | None
TOGETHER = 8
"""How many sums are added by one task."""

__all__ = ["SumOverChunks", "hvp", "jvp", "value_and_grad", "vjp"]


def value_and_grad(
    f: Function,
    over: Names,
    argnums: Positions = None,
    *,
    wrt: Names | None = None,
    **options: Any,
) -> SumOverChunks:
    """The value and the gradient of a sum over chunks of data.

    Arguments:
        f: the function of one chunk, as for `bs.value_and_grad`: its value for all data is the sum of those for the chunks.
        over: the name, or a tuple of names, of the arguments that are chunks in each call of `f`.
        argnums: the position, or a tuple of positions, of the arguments to differentiate with respect to. The default is 0.
        wrt: names of arguments instead of positions; give one or the other.
        options: as for `bs.value_and_grad`.

    Returns:
        A function with the parameters of `f`. In the place of an argument that `over` names it takes data in chunks: a
        Dask array (chunks of its first axis), bag, dataframe or series, whose partitions `f` gets as NumPy arrays, or a
        list of arrays, of `dask.delayed` values, of futures, or of functions without arguments that load a chunk. Several
        such arguments have as many chunks, of as many rows. It returns what `bs.value_and_grad(f)` would return for all data at once, up to the
        order of the additions.

    Raises:
        ArgumentError: a name is no argument of `f`; the gradient is asked of a chunk; chunks do not fit together.
        What `bs.value_and_grad` raises, from the worker.

    The other arguments travel to each worker once in a call. Each chunk is loaded, used and let go where it is, unless it was
    persisted, and the sums are added in a tree. A chunk that is lost with its worker is computed again by another one.

    >>> import dask.array as da
    >>> import numpy as np
    >>> import backsweep.dask as on_dask
    >>> def misfit(p, x, y):
    ...     return np.sum((p[0] + p[1] * x - y) ** 2)
    >>> both = on_dask.value_and_grad(misfit, over=("x", "y"))
    >>> x = da.arange(6, chunks=2, dtype=float)
    >>> both(np.array([1.0, 2.0]), x, 3.0 * x)
    (31.0, array([-18., -80.]))
    """
    return SumOverChunks(f, both_of_chunk(f, argnums, wrt=wrt, **options), over, chosen(f, argnums, wrt)[0])


def hvp(
    f: Function,
    over: Names,
    argnums: Positions = None,
    *,
    wrt: Names | None = None,
    **options: Any,
) -> Callable[[tuple[Any, ...], tuple[Any, ...]], Any]:
    """The product of the Hessian of a sum over chunks of data with a direction.

    Arguments:
        f: the function of one chunk, as for `value_and_grad` of this module.
        over: the names of the arguments that are chunks.
        argnums: positions of the arguments to differentiate with respect to.
        wrt: their names, instead.
        options: as for `bs.hvp`.

    Returns:
        A function `product(primals, tangents)`, as `bs.hvp` returns it. `primals` holds all arguments of `f`, of which
        those that `over` names are data in chunks.

    Raises:
        As `value_and_grad`.

    >>> import numpy as np
    >>> import backsweep.dask as on_dask
    >>> def misfit(p, x, y):
    ...     return np.sum((p[0] + p[1] * x - y) ** 2)
    >>> product = on_dask.hvp(misfit, over=("x", "y"))
    >>> x = [np.array([0.0, 1.0]), np.array([2.0])]
    >>> product((np.array([1.0, 2.0]), x, x), (np.array([1.0, 0.0]),))
    array([6., 6.])
    """
    names = chosen(f, argnums, wrt)[0]
    return _sum_along(f, product_of_chunk(f, argnums, wrt=wrt, **options), over, names)


def jvp(
    f: Function,
    over: Names,
    argnums: Positions = None,
    *,
    wrt: Names | None = None,
    **options: Any,
) -> Callable[[tuple[Any, ...], tuple[Any, ...]], Any]:
    """The value of a sum over chunks of data and its derivative along a direction: the product of the Jacobian with a vector.

    Arguments:
        f: the function of one chunk, as for `value_and_grad` of this module; its value may also be an array or a tuple, such as the
            moments that a method of moments compares.
        over: the names of the arguments that are chunks.
        argnums: positions of the arguments that have a tangent.
        wrt: their names, instead.
        options: as for `bs.jvp`.

    Returns:
        A function `along(primals, tangents)` that returns `(y, y_dot)`. `primals` holds all arguments of `f`, of which
        those that `over` names are data in chunks; `tangents` has one tangent for each argument in `argnums` or `wrt`.

    Raises:
        As `value_and_grad`.

    >>> import numpy as np
    >>> import backsweep.dask as on_dask
    >>> def moments(p, x):
    ...     return np.array([np.sum(p[0] * x), np.sum(p[1] * x**2)])
    >>> along = on_dask.jvp(moments, over="x")
    >>> along((np.array([1.0, 2.0]), [np.array([0.0, 1.0]), np.array([2.0])]), (np.array([1.0, 0.0]),))
    (array([ 3., 10.]), array([3., 0.]))
    """
    names = chosen(f, argnums, wrt)[0]
    return _sum_along(f, pushed_of_chunk(f, wrt=names, **options), over, names)


def vjp(
    f: Function,
    over: Names,
    argnums: Positions = None,
    *,
    wrt: Names | None = None,
    **options: Any,
) -> Callable[..., tuple[Any, Callable[[Any], Any]]]:
    """The value of a sum over chunks of data and its pullback: the product of a vector with the Jacobian.

    Arguments:
        f: the function of one chunk, as for `jvp` of this module.
        over: the names of the arguments that are chunks.
        argnums: positions of the arguments whose cotangents are returned.
        wrt: their names, instead.
        options: as for `bs.vjp`.

    Returns:
        A function with the parameters of `f` that returns `(y, pullback)`. No chunk waits for the pullback: each call of it loads the
        chunks anew, and runs both sweeps.

    Raises:
        As `value_and_grad`.

    >>> import numpy as np
    >>> import backsweep.dask as on_dask
    >>> def moments(p, x):
    ...     return np.array([np.sum(p[0] * x), np.sum(p[1] * x**2)])
    >>> x = [np.array([0.0, 1.0]), np.array([2.0])]
    >>> y, pullback = on_dask.vjp(moments, over="x")(np.array([1.0, 2.0]), x)
    >>> y, pullback(np.array([1.0, 10.0]))
    (array([ 3., 10.]), array([ 3., 50.]))
    """
    names, is_single = chosen(f, argnums, wrt)
    pulled = pulled_of_chunk(f, wrt=names[0] if is_single else names, **options)
    value = SumOverChunks(f, _Value(pulled), over, names)
    cotangents = SumOverChunks(f, _PulledBack(pulled), over, names)

    def both(*args: Any, **kwargs: Any) -> tuple[Any, Callable[[Any], Any]]:
        def pullback(y_bar: Any) -> Any:
            return cotangents.sum_of(args, kwargs, y_bar)

        return value.sum_of(args, kwargs), pullback

    return both


class SumOverChunks:
    """A function of data in chunks. It can be pickled."""

    def __init__(self, f: Function, of_chunk: Function, over: Names, names: tuple[str, ...]) -> None:
        python = python_of(f)
        self.over = (over,) if isinstance(over, str) else tuple(over)
        self._of_chunk = of_chunk
        self._signature = inspect.signature(python)
        self._called = shown_name(python)
        for name in self.over:
            if name not in self._signature.parameters:
                raise _wrong(f"`{self._called}` has no argument `{name}`", "name an argument in `over`.")
            if name in names:
                remedy = "leave it out of `over`, or differentiate with respect to another argument."
                raise _wrong(f"`{name}` is data in chunks, and has no gradient", remedy)
        if not self.over:
            raise _wrong("there is nothing to sum over", "name the arguments that are data in `over`.")

    def __repr__(self) -> str:
        return f"<backsweep sum of `{self._called}` over {', '.join(self.over)}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The value and the gradient for these arguments."""
        return self.sum_of(args, kwargs)

    def sum_of(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], *more: Any) -> Any:
        """What the function returns for each chunk and `more`, added up."""
        given = self._signature.bind(*args, **kwargs)
        columns = self._columns(
            {name: given.arguments[name] for name in self.over if name in given.arguments}
        )
        given.arguments.update((name, _Place(name)) for name in columns)
        task = delayed(_Task(self._of_chunk, (*given.args, *more), given.kwargs), traverse=False)
        rows = zip(*columns.values(), strict=True)
        sums = [delayed(_of_chunk, pure=False)(task, dict(zip(columns, row, strict=True))) for row in rows]
        while len(sums) > 1:
            groups = (sums[at : at + TOGETHER] for at in range(0, len(sums), TOGETHER))
            sums = [delayed(_added, pure=False)(group) for group in groups]
        return dask.compute(*sums)[0]

    def _columns(self, data: Mapping[str, Any]) -> dict[str, list[Any]]:
        """The chunks of each argument."""
        rows = next((each.chunks[0] for each in data.values() if hasattr(each, "chunks")), None)
        columns = {name: self._chunks(name, each, rows) for name, each in data.items()}
        counts = {name: len(column) for name, column in columns.items()}
        if len(set(counts.values())) != 1 or 0 in counts.values():
            found = ", ".join(f"{count} in `{name}`" for name, count in counts.items()) or "none"
            raise _wrong(
                f"the numbers of chunks differ, or are zero: {found}",
                "give each as many chunks, in the same order.",
            )
        return columns

    def _chunks(self, name: str, data: Any, rows: tuple[int, ...] | None) -> list[Any]:
        if hasattr(data, "chunks") and is_dask_collection(data):
            whole: dict[int, Any] = dict.fromkeys(range(1, data.ndim), -1)
            if sum(data.chunks[0]) == sum(rows or ()):
                whole[0] = rows
            return list(data.rechunk(whole).to_delayed().ravel())
        if is_dask_collection(data) and hasattr(data, "to_delayed"):
            return list(data.to_delayed())
        if isinstance(data, list | tuple):
            return [
                delayed(each, traverse=False) if callable(each) and not isinstance(each, Delayed) else each
                for each in data
            ]
        raise _wrong(
            f"`{name}` is no data in chunks but {type(data).__name__}",
            "give a Dask array, bag or dataframe, or a list of arrays, of delayed values or of functions that load them.",
        )


def _sum_along(
    f: Function, of_chunk: Function, over: Names, names: tuple[str, ...]
) -> Callable[[tuple[Any, ...], tuple[Any, ...]], Any]:
    """The sum over chunks of a function of primals and tangents."""
    total = SumOverChunks(f, _Along(of_chunk), over, names)

    def along(primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> Any:
        return total.sum_of(tuple(primals), {}, tangents)

    return along


class _Along:
    """What is asked of primals and tangents for one chunk, as a function of the arguments and of the tangents."""

    def __init__(self, of_chunk: Function) -> None:
        self._of_chunk = of_chunk

    def __call__(self, *given: Any) -> Any:
        *primals, tangents = given
        return self._of_chunk(tuple(primals), tangents)


class _Value:
    """The value of one chunk."""

    def __init__(self, pulled: Function) -> None:
        self._pulled = pulled

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._pulled(*args, **kwargs)[0]


class _PulledBack:
    """The cotangents of one chunk, as a function of arguments and the cotangent of the sum."""

    def __init__(self, pulled: Function) -> None:
        self._pulled = pulled

    def __call__(self, *given: Any, **kwargs: Any) -> Any:
        *args, y_bar = given
        return self._pulled(*args, **kwargs)[1](y_bar)


@dataclasses.dataclass(frozen=True)
class _Place:
    """The place of a chunk among the arguments."""

    name: str


@dataclasses.dataclass(frozen=True)
class _Task:
    """What all chunks share: the derivative and its arguments, with the places of the chunks."""

    of_chunk: Function
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]


def _of_chunk(task: _Task, chunks: Mapping[str, Any]) -> Any:
    """The derivative of one chunk."""

    def filled(value: Any) -> Any:
        return _array(chunks[value.name]) if isinstance(value, _Place) else value

    return task.of_chunk(
        *map(filled, task.args), **{name: filled(value) for name, value in task.kwargs.items()}
    )


def _array(chunk: Any) -> Any:
    """The chunk as an array: loaded, if it is a function, and out of a frame or the items of a bag."""
    loaded = chunk() if callable(chunk) else chunk
    return loaded.to_numpy() if hasattr(loaded, "to_numpy") else np.asarray(loaded)


def _added(sums: Sequence[Any]) -> Any:
    """The sum of results of one structure, entry by entry."""
    first = sums[0]
    if isinstance(first, Mapping):
        return {key: _added([each[key] for each in sums]) for key in first}
    if isinstance(first, tuple | list):
        items = [_added(each) for each in zip(*sums, strict=True)]
        return type(first)(*items) if hasattr(first, "_fields") else type(first)(items)
    total = first
    for each in sums[1:]:
        total = total + each
    return total


def _wrong(message: str, remedy: str) -> ArgumentError:
    return ArgumentError(Problem("BS404", message, remedy=remedy))
