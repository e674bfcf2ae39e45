"""What the threads of a kernel do together: they add up what each has, and tell that none of them met an error."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import config, cuda

from backsweep.runtime.support.compiled import declared

__all__ = ["THREADS", "all_done", "block_sum", "warp_add", "warp_add_2"]

WARP = 32
"""The number of threads that run in step."""
WHOLE_WARP = 0xFFFFFFFF
"""A bit for each of them: what is exchanged waits for all, which are there if one has seen all."""

SIMULATED = bool(config.ENABLE_CUDASIM)
THREADS = 8 if SIMULATED else 128
"""The number of threads of a block, a power of two. The simulator has a thread of Python for each."""

Function = TypeVar("Function", bound=Callable[..., Any])


def device(function: Function) -> Function:
    """A function that kernels call.

    The simulator gives a function what `cuda` means for as long as one thread runs it, and takes it from the others: here each
    call has its own.
    """
    if not SIMULATED:
        return cast("Function", cuda.jit(device=True)(function))
    from numba.cuda.simulator.kernel import _get_kernel_context

    @functools.wraps(function)
    def run(*args):
        known = {**function.__globals__, "cuda": _get_kernel_context()}
        return types.FunctionType(function.__code__, known, function.__name__)(*args)

    return cast("Function", run)


@declared(writes=("sums",))
@device
def block_sum(sums, number: int, value) -> None:
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
def all_done(done) -> None:
    """Count the block in `done[0]` if all of its threads came to the end: a thread that meets an error ends before."""
    count = cuda.syncthreads_count(1)
    if count == THREADS and cuda.threadIdx.x == 0:
        cuda.atomic.add(done, 0, 1)


@device
def alike(place: int) -> bool:
    """Whether all threads of the warp are here, with the same number; the simulator has no warps."""
    if SIMULATED:
        return False
    if cuda.popc(cuda.activemask()) != WARP:
        return False
    return bool(cuda.all_sync(WHOLE_WARP, cuda.shfl_sync(WHOLE_WARP, place, 0) == place))


@device
def sum_of_warp(value):
    """What all threads of the warp have, added up by pairs: the first thread gets the sum."""
    width = WARP // 2
    while width > 0:
        value += cuda.shfl_down_sync(WHOLE_WARP, value, width)
        width //= 2
    return value


@declared(writes=("array",))
@device
def warp_add(array, place: int, value) -> None:
    """Add to an element to which the threads of a warp mostly add together: where all do, one of them adds what they have."""
    if alike(place):
        total = sum_of_warp(value)
        if cuda.laneid == 0:
            cuda.atomic.add(array, place, total)
    else:
        cuda.atomic.add(array, place, value)


@declared(writes=("array",))
@device
def warp_add_2(array, row: int, column: int, value) -> None:
    """The same for an array of two axes."""
    if alike(row) and alike(column):
        total = sum_of_warp(value)
        if cuda.laneid == 0:
            cuda.atomic.add(array, (row, column), total)
    else:
        cuda.atomic.add(array, (row, column), value)
