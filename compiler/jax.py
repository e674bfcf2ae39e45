"""A function of NumPy as a function of JAX: a primitive that calls back to Python, whose derivatives are Backsweep's.

`import backsweep.jax` needs the extra `jax`.

With `jax.custom_vjp` there would be no forward mode, and JAX cannot transpose what `jax.custom_jvp` calls back to. A primitive has both: its
tangents and cotangents are calls of the same primitive, so that there are derivatives of any order.
"""

from __future__ import annotations

import dataclasses
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

from backsweep.api.flat import Flat, Levels, kind_of, names_of, text_of, with_text
from backsweep.api.typed import CompileOptions
from backsweep.diagnostics import ArgumentError, Problem
from backsweep.reading.callables import as_function
from backsweep.specialise.asked import OfFunction, bound_to, options_of, python_of, shown_name

Function = Callable[..., Any]
Found = tuple[Flat, tuple[Any, ...], Function]
"""The code for arguments of some types, its results, and what gives them their structure."""

__all__ = ["function"]


def function(f: Function, *, result: Any = None, **options: Unpack[CompileOptions]) -> Function:
    """A function of JAX that calls a function of NumPy or Numba, with the derivatives that Backsweep writes.

    Arguments:
        f: a function as for `bs.grad`, of numbers and arrays, tuples and dicts of these. It returns a number, an array, or a
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
    f = as_function(f)
    python = python_of(f)
    options_of(f, dict(options))
    name = shown_name(python) if shown_name(python).isidentifier() else "function"
    is_ready = isinstance(f, OfFunction) or hasattr(f, "py_func") or not options.get("jit", True)
    codes: dict[Any, Flat] = {}
    known: dict[Any, Found] = {}

    @functools.wraps(python)
    def called(*args: Any, **kwargs: Any) -> Any:
        given = bound_to(python, args, kwargs)
        leaves, tree = jax.tree.flatten((given.args, given.kwargs))
        for each in leaves:
            if not isinstance(each, jax.Array | np.ndarray | np.generic | int | float | complex):
                message = f"JAX hands on numbers and arrays, and `{name}` is given an object of type {type(each).__name__}"
                raise _wrong(message, f"give it before: functools.partial({name}, ...).")
        arrays = list(map(jnp.asarray, leaves))
        types = tuple(jax.ShapeDtypeStruct(each.shape, each.dtype) for each in arrays)
        key = (tree, types, jax.config.jax_enable_x64)
        if key not in known:
            known[key] = found(tree, types)
        code, results, restored = known[key]
        return restored(call.bind(*arrays, code=code, levels=(), results=results))

    def found(tree: Any, types: tuple[Any, ...]) -> Found:
        args, kwargs = tree.unflatten(names_of(len(types)))
        texts = [*map(text_of, args), *(f"{key}={text_of(each)}" for key, each in kwargs.items())]
        flat = with_text(name, len(types), f"return _f({', '.join(texts)})", _f=f)
        code = Flat(
            name,
            lambda: flat,
            tuple(kind_of(each.shape, each.dtype) for each in types),
            (),
            dict(options),
            is_ready=is_ready,
        )
        given = result
        if callable(result):
            args, kwargs = tree.unflatten(types)
            given = result(*args, **kwargs)
        elif result is None:
            given = _on_ones(code, types)
        single = not isinstance(given, tuple)
        items = [
            each if hasattr(each, "dtype") else np.asarray(each) for each in ([given] if single else given)
        ]
        if not all(each.dtype == bool or np.issubdtype(each.dtype, np.number) for each in items):
            message = f"JAX takes numbers and arrays, and `{name}` returns {type(given).__name__}"
            raise _wrong(message, "return a number, an array, or a tuple of these.")
        results = tuple(ShapedArray(each.shape, jax.dtypes.canonicalize_dtype(each.dtype)) for each in items)
        kinds = tuple(kind_of(each.shape, each.dtype) for each in results)
        code = dataclasses.replace(code, results=kinds, single=single)
        code = codes.setdefault((tree, code.args, kinds, single), code)
        return code, results, operator.itemgetter(0) if single else getattr(type(given), "_make", tuple)

    return called


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
    found = call.bind(*primals, code=code, levels=levels, results=results)
    moved = tuple(k for k, each in enumerate(tangents) if type(each) is not ad.Zero and _is_moved(primals[k]))
    felt = tuple(k for k, each in enumerate(results) if _is_moved(each))
    along = [
        ad.Zero(ShapedArray(each.shape, each.dtype if _is_moved(each) else jax.dtypes.float0))
        for each in results
    ]
    if moved and felt:
        pushed = call.bind(
            *primals,
            *(tangents[k] for k in moved),
            code=code.pushed(moved, felt),
            levels=tuple((*axes, *(axes[k] for k in moved)) for axes in levels),
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
    wanted, shared = [], []
    for k, each in enumerate(args[known:], known):
        alike = tuple(at for at, axes in enumerate(levels) if axes[k] is None)
        own = each.aval.shape[len(levels) - len(alike) :]
        wanted.append(ShapedArray((*sizes, *own), each.aval.dtype))
        shared.append(alike)
    assert code.opposite is not None
    found = call.bind(
        *args[:known],
        *map(ad.instantiate_zeros, cotangents),
        code=code.opposite(),
        levels=tuple((*axes[:known], *(0 for _ in cotangents)) for axes in levels),
        results=tuple(wanted),
    )
    summed = [each.sum(alike) if alike else each for each, alike in zip(found, shared, strict=True)]
    return [None] * known + summed


def _examples(args: Any, axes: Any, *, code: Flat, levels: Levels, results: Any) -> tuple[Any, Any]:
    """One more axis of examples, before all others."""
    pairs = list(zip(args, axes, strict=True))
    size = next(each.shape[axis] for each, axis in pairs if axis is not None)
    found = call.bind(
        *(each if axis is None else jnp.moveaxis(each, axis, 0) for each, axis in pairs),
        code=code,
        levels=(tuple(None if axis is None else 0 for axis in axes), *levels),
        results=tuple(ShapedArray((size, *each.shape), each.dtype) for each in results),
    )
    return found, [0] * len(found)


def _is_moved(value: Any) -> bool:
    """Whether it has a tangent."""
    return bool(np.issubdtype(value.dtype, np.inexact))


def _wrong(message: str, remedy: str) -> ArgumentError:
    return ArgumentError(Problem("BS156", message, remedy=remedy))


call = Primitive("backsweep")
"""A call of a function: its code, the axes of examples in its arguments, and the types of its results."""
call.multiple_results = True
call.def_impl(lambda *args, **parameters: list(map(jnp.asarray, _run(*args, **parameters))))
call.def_abstract_eval(lambda *_, results, **__: list(results))
mlir.register_lowering(call, mlir.lower_fun(_called_back, multiple_results=True))
ad.primitive_jvps[call] = _tangents
ad.primitive_transposes[call] = _cotangents
batching.primitive_batchers[call] = _examples
