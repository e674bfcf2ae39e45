"""A function for many examples at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Unpack

from backsweep import requests
from backsweep.api.typed import CompileOptions
from backsweep.boundary import boundary
from backsweep.reading.callables import as_function
from backsweep.specialise.asked import options_of, python_of
from backsweep.specialise.build import Build
from backsweep.specialise.transformed import Transformed
from backsweep.tracebacks import hiding


@hiding
def batch(
    f: Callable[..., Any],
    in_axes: int | Sequence[Any] | None = 0,
    out_axes: int | Sequence[int] = 0,
    **options: Unpack[CompileOptions],
) -> Transformed:
    """Call a function for each example of a batch, on all cores.

    Examples are independent calls: each takes its own branches, its `while` loops run as long as it needs, and it may
    return early. Where `jax.vmap` has every example wait for the longest, here each ends by itself.

    Arguments:
        f: a function as for `grad`, or a derivative, as in `bs.batch(bs.grad(f))`. It returns a number, an array, or a tuple
            of these; arrays have the same shape for every example.
        in_axes: the axis along which the examples lie in each argument: a number for all arguments, or a tuple with an entry
            for each, None for one that all examples share. For an argument that is a tuple of arrays, or a dict, a list or a
            dataclass of them, an entry may be a tuple. Arguments at the end that are left out are shared.
        out_axes: the axis of the examples in the results: a number, or for a tuple of results a tuple of numbers.
        options: as for `grad`. `parallel=False` runs the examples on one core.

    Returns:
        A function of the batch, with `f`'s signature, which can be differentiated, batched again, called from `@njit`
        code, and shows its code by `source`.

    Raises:
        ArgumentError: `in_axes` or `out_axes` do not fit; when it is called, an argument without the axis.
        ValueError: when it is called, numbers of examples that differ. What an example raises is raised.

    >>> import numpy as np
    >>> import backsweep as bs
    >>> def steps(x, factor):
    ...     count = 0
    ...     while x < 100.0:
    ...         x = x * factor
    ...         count = count + 1
    ...     return x, count
    >>> ends, counts = bs.batch(steps, in_axes=(0, None))(np.array([1.0, 30.0]), 3.0)
    >>> ends, counts
    (array([243., 270.]), array([5, 2]))
    >>> slope = bs.grad(lambda x: x**3)
    >>> bs.batch(slope)(np.array([1.0, 2.0]))
    array([ 3., 12.])
    """
    f = as_function(f)
    with boundary(f):
        axes = requests.Axes(requests.axes_in(in_axes), requests.axes_out(out_axes))
        chosen = options_of(f, dict(options))
        python_of(f)
        return Transformed(f, Build(f, "batch", (), False, False, None, chosen, axes=axes))
