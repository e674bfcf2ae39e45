"""What the threads of a kernel do together: they add up what each has, and tell that none of them met an error."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import config, cuda

from backsweep.runtime.support.compiled import declared

__all__ = ["THREADS", "all_done", "block_sum"]

THREADS = 8 if config.ENABLE_CUDASIM else 128
"""The number of threads of a block, a power of two. The simulator has a thread of Python for each."""

Function = TypeVar("Function", bound=Callable[..., Any])


def device(function: Function) -> Function:
    """A function that kernels call.

    The simulator gives a function what `cuda` means for as long as one thread runs it, and takes it from the others: here each
    call has its own.
    """
    if not config.ENABLE_CUDASIM:
        return cast("Function", cuda.jit(device=True)(function))
    from numba.cuda.simulator.kernel import _get_kernel_context

    @functools.wraps(function)
    def run(*args: Any) -> Any:
        known = {**function.__globals__, "cuda": _get_kernel_context()}
        return types.FunctionType(function.__code__, known, function.__name__)(*args)

    return cast("Function", run)


@declared(writes=("sums",))
@device
def block_sum(sums: Any, number: int, value: Any) -> None:
    """Add what the threads of a block have to `sums[number]`: pairs first, and then one atomic addition for the block."""
    parts = cuda.shared.array(THREADS, sums.dtype)
    thread = cuda.threadIdx.x
    parts[thread] = value
    cuda.syncthreads()
    width = THREADS // 2
    while width > 0:
        if thread < width:
            parts[thread] += parts[thread + width]
        cuda.syncthreads()
        width //= 2
    if thread == 0:
        cuda.atomic.add(sums, number, parts[0])
    cuda.syncthreads()


@declared(writes=("done",))
@device
def all_done(done: Any) -> None:
    """Count the block in `done[0]` if all of its threads came to the end: a thread that meets an error ends before."""
    count = cuda.syncthreads_count(1)
    if count == THREADS and cuda.threadIdx.x == 0:
        cuda.atomic.add(done, 0, 1)
