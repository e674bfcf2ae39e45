"""Run a derivative on a GPU: its loops over `prange` are kernels."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

import numpy as np

from backsweep import requests
from backsweep.api.derivatives import Product
from backsweep.api.gpu.stand_ins import StandIns, described, with_numpy
from backsweep.api.gradients import at_cotangents, at_tangents
from backsweep.api.later import Later
from backsweep.boundary import boundary
from backsweep.diagnostics import ArgumentError, Problem, UnsupportedError
from backsweep.explanation.explanation import Explanation
from backsweep.explanation.reasons import loops_of
from backsweep.explanation.texts import Code
from backsweep.reading.functions import Source
from backsweep.specialise.arguments import refuse_overlap, restorer
from backsweep.specialise.build import Emitted
from backsweep.specialise.fitting import COTANGENT, TANGENT, Form, fitted, form_of
from backsweep.specialise.pushforward import check_tuples, like_the_gradient
from backsweep.specialise.transformed import Signature, Transformed
from backsweep.specialise.variants import compile_loops, runner, stages_of
from backsweep.store.standalone import standalone
from backsweep.tracebacks import hiding

MODES = ("grad", "value_and_grad", "batch", "jacobian", "jacrev", "jacfwd", "hessian")


def cuda(df: Callable[..., Any]) -> OnGpu:
    """Run a derivative on an NVIDIA GPU: its outermost loops over `prange` become kernels, and the host runs what is between them.

    The emitted code is Python of `numba.cuda`. Each thread takes iterations of a loop; what they add up is added up by
    blocks of threads, and what several of them add to an array is added by atomic operations. Therefore a result may differ in its
    last digits from run to run. It needs the package `numba-cuda`: `pip install backsweep[cuda]`.

    Arguments:
        df: what `grad`, `value_and_grad`, `jacobian`, `hessian`, `hvp` or `batch` returns; or `vjp(f)` or `jvp(f)`, without arguments of `f`.

    Returns:
        A function of the same arguments. Arrays may be NumPy's, which are copied to the GPU and back in each call, or lie on the GPU
        already, as those of CuPy, PyTorch, JAX and `numba.cuda` do: these are read where they are. Gradients are arrays of the kind of
        the first argument that is no array of NumPy's. Its `source` shows the kernels, and `save` writes them to a file.

    Raises:
        ArgumentError: `df` is something else. UnsupportedError, when it is called: no loop is marked, the iterations of one that is
            marked are not independent, or one does what a kernel cannot do.

    >>> import backsweep as bs
    >>> def price(start, noise):
    ...     total = 0.0
    ...     for k in bs.prange(noise.size):
    ...         total += max(start * noise[k] - 1.0, 0.0)
    ...     return total / noise.size
    >>> greeks = bs.cuda(bs.value_and_grad(price))
    >>> pushed = bs.cuda(bs.jvp(price))  # of (start, noise), (start_dot, noise_dot)
    """
    if isinstance(df, Later):
        return ProductOnGpu(df)
    if isinstance(df, Product):
        return HessianProductOnGpu(df)
    wanted = "what bs.grad, bs.value_and_grad, bs.jacobian, bs.hessian, bs.hvp or bs.batch returns"
    fits = isinstance(df, Transformed) and df.build.mode in MODES and df.build.options.jit
    shown = getattr(df, "__name__", df)
    requests.expect("df", shown, wanted, fits=fits, remedy="write bs.cuda(bs.value_and_grad(f)).")
    assert isinstance(df, Transformed)
    return OnGpu(df)


class OnGpu:
    """A derivative that runs on a GPU: call it, look at its `source`, or `save` it."""

    def __init__(self, transformed: Any) -> None:
        self.transformed = transformed
        functools.update_wrapper(self, getattr(transformed, "python", transformed))
        self._latest: tuple[Transformed, Signature] | None = None
        self._signatures: dict[Hashable, Signature] = {}
        """The signatures of calls with numbers and arrays alone, by what is known of these."""

    @hiding
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the kernels for these arguments. The first call for each set of argument types compiles them."""

        def again() -> Any:
            """The same call of the derivative itself, with arrays of NumPy."""
            return self.transformed(
                *map(with_numpy, args), **{name: with_numpy(each) for name, each in kwargs.items()}
            )

        try:
            return self._called_with(args, kwargs, again)
        except ValueError as error:
            known = StandIns()
            named = {name: known.instead(each) for name, each in kwargs.items()}
            refuse_overlap(self.transformed, error, tuple(map(known.instead, args)), named)
            raise

    def _called_with(self, args: tuple[Any, ...], kwargs: dict[str, Any], again: Callable[[], Any]) -> Any:
        """Run the kernels for these arguments."""
        key = None if kwargs else described(args)
        known = self._emitted_before(key)
        if known is not None:
            return run(self.transformed, known, 0, args, again)
        call = Call(self.transformed, args, kwargs)
        self._latest = call.special, call.signature
        if key is not None and call.is_plain(self.transformed):
            self._signatures[key] = call.signature
        result = call.run(0, *call.values, again=again)
        with boundary(call.special.python):
            return call.special.build.restored(result)

    def _emitted_before(self, key: Hashable) -> Emitted | None:
        """The code of a call before that was like this one; None if there was none."""
        signature = self._signatures.get(key)
        if signature is None:
            return None
        self.transformed.refresh()
        self._latest = self.transformed, signature
        found: Emitted | None = self.transformed.companion(_kernels).get(signature)
        return found

    @hiding
    def source(self, *args: Any) -> Code:
        """The emitted module for these arguments; without any, that of the latest call.

        Raises:
            ArgumentError: nothing was called yet and no arguments are given. Also what a call raises.
        """
        emitted, source = self._looked_at(args)
        return Code.of(emitted.text, source)

    @hiding
    def save(self, path: str, *args: Any) -> None:
        """Write the emitted module to a file. It needs NumPy, Numba and `numba-cuda` alone.

        Arguments:
            path: the file to write; an existing file is overwritten.
            args: arguments as for a call; without any, it is the code of the latest call.

        Raises:
            ArgumentError: nothing was called yet and no arguments are given. Also what a call raises.
        """
        emitted, _ = self._looked_at(args)
        with boundary(self.__wrapped__):  # type: ignore[attr-defined]  # which `update_wrapper` sets
            text = standalone(emitted.text)
        Path(path).write_text(text, encoding="utf-8")

    @hiding
    def explain(self, *args: Any) -> Explanation:
        """Explain for each loop whether it is a kernel, and how its threads share what iterations share; and the values, as on the CPU.

        Arguments:
            args: arguments as for a call; without any, it is the code of the latest call.

        Raises:
            ArgumentError: nothing was called yet and no arguments are given. Also what a call raises.
        """
        self._looked_at(args)
        assert self._latest is not None
        special, signature = self._latest
        loops = tuple(loops_of(stages_of(special, signature, "kernels")))
        return dataclasses.replace(special.explain(*signature[0]), loops=loops)

    def _looked_at(self, args: tuple[Any, ...]) -> tuple[Emitted, Source]:
        """The code for these arguments, or of the latest call, and the source that it is for."""
        if args:
            call = self._call_with(args)
            self._latest = call.special, call.signature
        if self._latest is None:
            message = "nothing to show yet: the code depends on the types of the arguments"
            remedy = "call the function first, or pass example arguments here."
            raise ArgumentError(Problem("BS501", message, remedy=remedy))
        special, signature = self._latest
        return emitted_for(special, signature), special.build.source_for(*signature)

    def _call_with(self, args: tuple[Any, ...]) -> Call:
        return Call(self.transformed, args, {})

    def __repr__(self) -> str:
        return f"{repr(self.transformed)[:-1]}, on a GPU>"


class ProductOnGpu(OnGpu):
    """`vjp` or `jvp` on a GPU: a function of the arguments, or of primals and tangents."""

    @hiding
    def __call__(self, *args: Any) -> Any:
        """The result and its pullback, or the result and its tangent."""
        later: Later = self.transformed
        if later.called == "jvp":
            return self._pushed(*at_tangents(later, *args))
        call = self._call_with(args)
        self._latest = call.special, call.signature
        result, saved = call.run(0, *call.values, again=lambda: later(*map(with_numpy, args)))
        if not call.special.build.has_aux:
            return result, PullbackOnGpu(call, saved, result)
        result, aux = result
        return result, PullbackOnGpu(call, saved, result), aux

    def _call_with(self, args: tuple[Any, ...]) -> Call:
        later: Later = self.transformed
        if later.called == "jvp":
            primals, _, known = at_tangents(later, *args)
            return Call(known(tuple(map(StandIns().instead, primals))), primals, {})
        return Call(at_cotangents(later, tuple(map(StandIns().instead, args))), args, {})

    def _pushed(self, primals: tuple[Any, ...], tangents: tuple[Any, ...], moved: Any) -> Any:
        """The value and its tangent."""
        call = Call(moved(tuple(map(StandIns().instead, primals))), primals, {})
        self._latest = call.special, call.signature
        wrt = call.special.build.wrt
        if len(tangents) != len(wrt):
            message = f"there are {len(tangents)} tangents for {len(wrt)} arguments: {', '.join(wrt)}"
            remedy = "give one tangent for each of these, or choose the arguments with wrt."
            raise ArgumentError(Problem("BS410", message, remedy=remedy))
        with boundary(call.special.python):
            forms = [form_of(call.given.arguments[name]) for name in wrt]
            dots = [
                fitting(dot, form, f"of `{name}`", TANGENT)
                for name, form, dot in zip(wrt, forms, tangents, strict=True)
            ]
        again = functools.partial(self.transformed, with_numpy(primals), with_numpy(tangents))
        return call.run(0, *call.values, *dots, again=again)


class HessianProductOnGpu(ProductOnGpu):
    """`hvp` on a GPU: a function of primals and tangents."""

    @hiding
    def __call__(self, primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> Any:
        """The Hessian at the primals, multiplied by the tangents."""
        check_tuples(primals, tangents)
        found = self._pushed(primals, tangents, lambda _: self.transformed.moved)
        assert self._latest is not None
        return like_the_gradient(self._latest[0], found)

    def _call_with(self, args: tuple[Any, ...]) -> Call:
        return Call(self.transformed.moved, args, {})


class PullbackOnGpu:
    """Maps a cotangent of the result to cotangents of the arguments; it may be called any number of times."""

    def __init__(self, call: Call, saved: tuple[Any, ...], result: Any) -> None:
        self._call = call
        self._saved = saved
        self._form = form_of(StandIns().instead(result), None)

    @hiding
    def __call__(self, y_bar: Any) -> Any:
        """The cotangents of the arguments for the cotangent `y_bar` of the result."""
        special = self._call.special
        with boundary(special.python):
            cotangent = fitting(y_bar, self._form, "y_bar", COTANGENT)
        gradient = self._call.run(1, *self._saved, cotangent)
        restore = restorer(special.build.forms, special.build.wrt, single=special.build.single)
        with boundary(special.python):
            return gradient if restore is None else restore(gradient)


class Call:
    """The arguments of one call, and the code for them."""

    def __init__(self, transformed: Transformed, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        known = StandIns()
        named = {name: known.instead(each) for name, each in kwargs.items()}
        self.special, self.given = transformed.special(*map(known.instead, args), **named)
        self.signature = self.special.signature_of(self.given)
        values = self.special.with_defaults(*self.given.args, **self.given.kwargs)
        self.values = tuple(map(known.meant, values))

    def run(self, number: int, *values: Any, again: Callable[[], Any] | None = None) -> Any:
        """Run one of the emitted functions."""
        return run(self.special, emitted_for(self.special, self.signature), number, values, again)

    def is_plain(self, transformed: Transformed) -> bool:
        """Whether the code takes the arguments as they are given, all of them, and returns what the caller gets."""
        forms = self.special is not transformed or transformed.build.forms
        return not forms and len(self.given.arguments) == len(transformed.parameters)


def run(
    special: Transformed,
    emitted: Emitted,
    number: int,
    values: tuple[Any, ...],
    again: Callable[[], Any] | None,
) -> Any:
    """Run one of the emitted functions; `again` runs on the CPU where a thread met an error."""
    launch = with_part_for_gpus()
    reason = launch.lacking()
    if reason:
        message = f"there is no GPU that Numba can use: {reason}"
        remedy = "install the driver of NVIDIA, and backsweep[cuda]; or set NUMBA_ENABLE_CUDASIM=1 to simulate one."
        raise ArgumentError(Problem("BS705", message, remedy=remedy))
    options = dataclasses.replace(special.build.options, jit=False)
    try:
        with np.errstate(all="ignore"):  # machine code tells of no quotient by zero, either
            return runner(emitted, number, options)(*values)
    except launch.compile_errors() as error:
        name, words = special.python.__name__, str(error).strip().splitlines()
        message = f"Numba cannot compile a kernel of `{name}` for a GPU: {words[0] if words else ''}"
        remedy = "compute what it names before the loop; or write range in place of prange to run this loop on the host."
        raise UnsupportedError(Problem("BS701", message, remedy=remedy)) from error
    except BaseException as error:
        if again is not None and launch.is_of_thread(
            error
        ):  # the CPU tells the error: its own words, and where it comes from
            again()
        raise


def with_part_for_gpus() -> Any:
    """The module that starts kernels. It loads Numba's part for GPUs, which may not be whole."""
    try:
        from backsweep.runtime.gpu import launch
    except ImportError as error:
        message = f"Numba's part for GPUs cannot be loaded: {str(error).partition('. ')[0]}"
        remedy = (
            'pip install "numba-cuda[cu13]", or [cu12] for a driver of CUDA 12, brings all that it needs.'
        )
        raise ArgumentError(Problem("BS705", message, remedy=remedy)) from error
    return launch


def emitted_for(special: Transformed, signature: Signature) -> Emitted:
    """The code for a GPU, for these types and relations."""
    with_part_for_gpus()
    emitted = special._known(special.companion(_kernels), signature, "kernels")
    compile_loops(emitted, special.build.options)
    return emitted


def fitting(given: Any, form: Form, name: str, words: Any) -> Any:
    """The tangent or cotangent as the code takes it: one array on the GPU stays there, anything else comes by NumPy's memory."""
    known = StandIns()
    instead = known.instead(given)
    found = fitted(instead, form, name, words)
    return known.meant(found) if found is instead else fitted(with_numpy(given), form, name, words)


def _kernels(_transformed: Transformed) -> dict[Signature, Emitted]:
    """The code of a derivative for a GPU, by signature."""
    return {}
