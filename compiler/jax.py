"""A function of NumPy as a function of JAX: a primitive that calls back to Python, whose derivatives are Backsweep's.

`import backsweep.jax` needs the extra `jax`.

With `jax.custom_vjp` there would be no forward mode, and JAX cannot transpose what `jax.custom_jvp` calls back to. A primitive has both: its
tangents and cotangents are calls of the same primitive, so that there are derivatives of any order.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any, Unpack

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import ShapedArray
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
from jax.sharding import NamedSharding, PartitionSpec

from backsweep.api.flat import (
    Flat,
    Levels,
    kind_of,
    names_of,
    shape_of_one,
    sharing,
    with_cotangents,
    with_tangents,
)
from backsweep.api.typed import CompileOptions
from backsweep.bridge import Bridged, as_items, is_moved, no_result, only_outside, wrong

Function = Callable[..., Any]
Found = tuple[Flat, tuple[Any, ...], Function]
"""The code for arguments of some types, its results, and what gives them their structure."""

__all__ = ["function"]


@only_outside
def function(f: Function, *, result: Any = None, **options: Unpack[CompileOptions]) -> Function:
    """A function of JAX that calls a function of NumPy or Numba, with the derivatives that Backsweep writes.

    Arguments:
        f: a function as for `bs.grad`, of numbers and arrays, tuples, dicts and dataclasses of these. It returns a number, an array, or a
            tuple of these, and must be pure: JAX may leave a call out, or make it twice.
        result: what it returns, as a `jax.ShapeDtypeStruct` or a tuple of these, or a function of the arguments' structs that
            returns it. If it is left out, `f` is called once with ones for each set of the arguments' shapes: give it where `f`
            cannot take ones, takes long, or where numbers in the arguments decide the shapes.
        options: as for `grad`. `parallel=False` runs the examples of a `jax.vmap` on one core.

    Returns:
        A function of `f`'s arguments under `jax.jit`, `grad`, `vjp`, `jvp`, `hessian` and `vmap`, in any order and any
        number of times. The examples of a `vmap` are computed on all cores, as by `bs.batch`, tangents one by one.
        Results are in the precision of JAX: single, unless `jax_enable_x64` is set.

    Raises:
        ArgumentError: what `f` takes or returns is none of the above, or has another shape than `result` says.
        What `f` and `bs.grad` raise; JAX raises its own error, with their text, for one in a call that `jax.jit` has compiled.

    `f` runs on the processor, wherever JAX runs, and gets NumPy's arrays, its own copies. A reverse sweep runs `f` again.

    >>> import backsweep.jax as in_jax
    >>> import jax
    >>> def root(a):
    ...     x = a
    ...     while abs(x * x - a) > 1e-6:
    ...         x = 0.5 * (x + a / x)
    ...     return x
    >>> round(float(jax.jit(jax.grad(in_jax.function(root)))(4.0)), 4)
    0.25
    """
    return _Function(f, result, dict(options))


class _Function(Bridged):
    """A function of JAX's arrays."""

    library, items = "JAX", "numbers and arrays"

    def __init__(self, f: Function, result: Any, options: dict[str, Any]) -> None:
        super().__init__(f, result, options)
        self._known: dict[Any, Found] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        leaves, tree = jax.tree.flatten(self.bound(args, kwargs))
        for each in leaves:
            if not isinstance(each, jax.Array | np.ndarray | np.generic | int | float | complex):
                raise self.refuses(each)
        arrays = list(map(jnp.asarray, leaves))
        types = tuple(jax.ShapeDtypeStruct(each.shape, each.dtype) for each in arrays)
        key = (tree, types, jax.config.jax_enable_x64)
        if key not in self._known:
            self._known[key] = self._found(tree, types)
        code, results, restored = self._known[key]
        return restored(_bind(*arrays, code=code, levels=(), results=results))

    def _found(self, tree: Any, types: tuple[Any, ...]) -> Found:
        for each in types:
            if each.dtype.itemsize < 4 and jnp.issubdtype(each.dtype, jnp.inexact):
                message = f"an argument of `{self.name}` is an array of {each.dtype}, which Numba does not compute with"
                raise wrong(message, f"give it as {self.name}(x.astype(jnp.float32)).")
        names, kinds = (
            tree.unflatten(names_of(len(types))),
            [kind_of(each.shape, each.dtype) for each in types],
        )
        code = self.code(names, kinds, None)
        given, form = (
            as_items(_on_ones(code, types)) if self.result is None else self.promised(*tree.unflatten(types))
        )
        items, single = [each if hasattr(each, "dtype") else np.asarray(each) for each in given], form is None
        if not all(each.dtype == bool or np.issubdtype(each.dtype, np.number) for each in items):
            raise no_result("JAX", self.name, type(given[0] if single else given).__name__)
        results = tuple(ShapedArray(each.shape, jax.dtypes.canonicalize_dtype(each.dtype)) for each in items)
        felt = tuple(kind_of(each.shape, each.dtype) for each in results)
        if (code.results, code.single) != (felt, single):
            code = self.code(names, kinds, (felt, single))
            code.results, code.single = felt, single
        return code, results, form or operator.itemgetter(0)


def _on_ones(code: Flat, types: tuple[Any, ...]) -> Any:
    """What the function returns for arguments of these types that are all ones."""
    try:
        return code(*(np.ones(each.shape, each.dtype)[()] for each in types))
    except BaseException as error:
        error.add_note(
            f"JAX asked for the shapes of results, so `{code.name}` was called with ones: give `result`."
        )
        raise


def _run(*args: Any, code: Flat, levels: Levels, results: tuple[Any, ...]) -> list[Any]:
    """What the primitive does."""
    given = list(map(np.asarray, args))
    return code.examples(levels, given, [each.shape for each in results], [each.dtype for each in results])


def _called_back(*args: Any, **parameters: Any) -> Any:
    """What compiled code does: it calls Python."""
    return jax.pure_callback(functools.partial(_run, **parameters), list(parameters["results"]), *args)


def _tangents(
    primals: Any, tangents: Any, *, code: Flat, levels: Levels, results: tuple[Any, ...]
) -> tuple[Any, Any]:
    """The results and their tangents."""
    found = _bind(*primals, code=code, levels=levels, results=results)
    moved = tuple(
        k for k, each in enumerate(tangents) if type(each) is not ad.Zero and is_moved(primals[k].dtype)
    )
    felt = tuple(k for k, each in enumerate(results) if is_moved(each.dtype))
    if code.opposite is not None and moved and min(moved) >= code.known:
        # It is linear in these: its tangent is the call itself, which does not depend on where they are.
        along = [ad.instantiate_zeros(each) for each in tangents[code.known :]]
        given = {"code": code, "levels": levels, "results": results}
        return found, _bind(*primals[: code.known], *along, **given)
    along = [
        ad.Zero(ShapedArray(each.shape, each.dtype if is_moved(each.dtype) else jax.dtypes.float0))
        for each in results
    ]
    if moved and felt:
        pushed = _bind(
            *primals,
            *(tangents[k] for k in moved),
            code=code.pushed(moved, felt),
            levels=with_tangents(levels, moved),
            results=tuple(results[k] for k in felt),
        )
        for k, each in zip(felt, pushed, strict=True):
            along[k] = each
    return found, along


def _cotangents(
    cotangents: Any, *args: Any, code: Flat, levels: Levels, results: tuple[Any, ...]
) -> list[Any]:
    """The cotangents of the arguments that the results are linear in, summed over the examples that share one."""
    sizes, known = results[0].shape[: len(levels)], code.known
    types = [(k, each.aval) for k, each in enumerate(args[known:], known)]
    wanted = [ShapedArray((*sizes, *shape_of_one(levels, k, each.shape)), each.dtype) for k, each in types]
    shared = [sharing(levels, k) for k, _ in types]
    assert code.opposite is not None
    found = _bind(
        *args[:known],
        *map(ad.instantiate_zeros, cotangents),
        code=code.opposite(),
        levels=with_cotangents(tuple(axes[:known] for axes in levels), len(cotangents)),
        results=tuple(wanted),
    )
    summed = [each.sum(alike) if alike else each for each, alike in zip(found, shared, strict=True)]
    return [None] * known + summed


def _examples(args: Any, axes: Any, *, code: Flat, levels: Levels, results: Any) -> tuple[Any, Any]:
    """One more axis of examples, before all others."""
    pairs = list(zip(args, axes, strict=True))
    size = next(each.shape[axis] for each, axis in pairs if axis is not None)
    found = _bind(
        *(each if axis is None else jnp.moveaxis(each, axis, 0) for each, axis in pairs),
        code=code,
        levels=(tuple(None if axis is None else 0 for axis in axes), *levels),
        results=tuple(ShapedArray((size, *each.shape), each.dtype) for each in results),
    )
    return found, [0] * len(found)


def _bind(*args: Any, **parameters: Any) -> list[Any]:
    """Call the primitive. Where JAX notes over which devices of a `shard_map` a value varies, all arguments vary over the same."""
    noted = [getattr(getattr(each, "aval", None), "mat", None) for each in args]
    varying = [each.varying if each is not None else frozenset() for each in noted]
    union = frozenset().union(*varying)
    alike = (
        each if own == union else jax.lax.pcast(each, tuple(union - own), to="varying")
        for each, own in zip(args, varying, strict=True)
    )
    found: list[Any] = call.bind(*alike, **parameters)
    return found


def _types(*args: Any, results: tuple[Any, ...], **_: Any) -> list[Any]:
    """The types of the results, which vary over the devices over which the arguments do."""
    mat = getattr(args[0], "mat", None) if args else None
    if mat is None or mat.empty:
        return list(results)
    mesh = args[0].sharding.mesh
    places = (NamedSharding(mesh, PartitionSpec(*(None for _ in each.shape))) for each in results)
    return [each.update(sharding=at, manual_axis_type=mat) for each, at in zip(results, places, strict=True)]


call = Primitive("backsweep")
"""A call of a function: its code, the axes of examples in its arguments, and the types of its results."""
call.multiple_results = True
call.def_impl(lambda *args, **parameters: list(map(jnp.asarray, _run(*args, **parameters))))
call.def_abstract_eval(_types)
mlir.register_lowering(call, mlir.lower_fun(_called_back, multiple_results=True))
ad.primitive_jvps[call] = _tangents
ad.primitive_transposes[call] = _cotangents
batching.primitive_batchers[call] = _examples
