"""Run a derivative on a GPU: its loops over `prange` are kernels."""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path
from typing import Any

from backsweep import requests
from backsweep.api.gpu.stand_ins import StandIns, with_numpy
from backsweep.boundary import boundary
from backsweep.diagnostics import ArgumentError, Problem
from backsweep.explanation.texts import Code
from backsweep.reading.functions import Source
from backsweep.specialise.build import Emitted
from backsweep.specialise.transformed import Signature, Transformed
from backsweep.specialise.variants import runner
from backsweep.store.standalone import standalone
from backsweep.tracebacks import hiding

MODES = ("grad", "value_and_grad", "batch")


def cuda(df: Transformed) -> OnGpu:
    """Run a derivative on an NVIDIA GPU: its outermost loops over `prange` become kernels, and the host runs what is between them.

    The emitted code is Python of `numba.cuda`. Each thread takes iterations of a loop; what they add up is added up by
    blocks of threads, and what several of them add to an array is added by atomic operations. Therefore a result may differ in its
    last digits from run to run. It needs the package `numba-cuda`: `pip install backsweep[cuda]`.

    Arguments:
        df: what `grad`, `value_and_grad` or `batch` returns.

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
    """
    wanted = "what bs.grad, bs.value_and_grad or bs.batch returns"
    fits = isinstance(df, Transformed) and df.build.mode in MODES and df.build.options.jit
    shown = getattr(df, "__name__", df)
    requests.expect("df", shown, wanted, fits=fits, remedy="write bs.cuda(bs.value_and_grad(f)).")
    return OnGpu(df)


class OnGpu:
    """A derivative that runs on a GPU: call it, look at its `source`, or `save` it."""

    def __init__(self, transformed: Transformed) -> None:
        self.transformed = transformed
        functools.update_wrapper(self, transformed.python)
        self._latest: tuple[Transformed, Signature] | None = None

    @hiding
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the kernels for these arguments. The first call for each set of argument types compiles them."""
        from backsweep.runtime.gpu.launch import KernelError, lacking

        known = StandIns()
        special, given = self.transformed.special(
            *map(known.instead, args), **{name: known.instead(each) for name, each in kwargs.items()}
        )
        emitted = self._emitted(special, special.signature_of(given))
        reason = lacking()
        if reason:
            message = f"there is no GPU that Numba can use: {reason}"
            remedy = "install the driver of NVIDIA, and backsweep[cuda]; or set NUMBA_ENABLE_CUDASIM=1 to simulate one."
            raise ArgumentError(Problem("BS705", message, remedy=remedy))
        options = dataclasses.replace(special.build.options, jit=False)
        own = [known.meant(each) for each in special.with_defaults(*given.args, **given.kwargs)]
        try:
            result = runner(emitted, 0, options)(*own)
        except KernelError:
            # The CPU tells the error: its own words, and where it comes from
            self.transformed(
                *map(with_numpy, args), **{name: with_numpy(each) for name, each in kwargs.items()}
            )
            raise
        with boundary(special.python):
            return special.build.restored(result)

    def _emitted(self, special: Transformed, signature: Signature) -> Emitted:
        """The code for these types and relations."""
        self._latest = special, signature
        return special._known(special.companion(_kernels), signature, "kernels")

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
        with boundary(self.transformed.python):
            text = standalone(emitted.text)
        Path(path).write_text(text, encoding="utf-8")

    def _looked_at(self, args: tuple[Any, ...]) -> tuple[Emitted, Source]:
        """The code for these arguments, or of the latest call, and the source that it is for."""
        if args:
            known = StandIns()
            special, given = self.transformed.special(*map(known.instead, args))
            self._emitted(special, special.signature_of(given))
        if self._latest is None:
            message = "nothing to show yet: the code depends on the types of the arguments"
            remedy = "call the function first, or pass example arguments here."
            raise ArgumentError(Problem("BS501", message, remedy=remedy))
        special, signature = self._latest
        return self._emitted(special, signature), special.build.source_for(*signature)

    def __repr__(self) -> str:
        return f"<backsweep {self.transformed.build.mode} of {self.transformed.python.__name__}, on a GPU>"


def _kernels(_transformed: Transformed) -> dict[Signature, Emitted]:
    """The code of a derivative for a GPU, by signature."""
    return {}
