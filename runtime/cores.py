"""What loops that run on all cores need: where a block of iterations begins, and copies of what all blocks add to."""

from __future__ import annotations

import numba
import numpy as np
from numba import prange
from numba.extending import overload
from numba.np.ufunc.parallel import _iget_num_threads, _launch_threads

from backsweep.runtime.support.compiled import declared, kernel

__all__ = ["add_parts", "blocks_for", "first_of", "in_turns", "parts_for", "prange"]


def blocks_for(count: int) -> int:
    """How many blocks a loop of so many iterations has: one for each of Numba's threads, and none without an iteration."""
    threads: int = numba.get_num_threads()
    return max(min(count, threads), 0)


@overload(blocks_for)
def _blocks_for(count):  # noqa: ARG001  Numba compares the texts of parameters
    """The number of threads by the name of Numba's function: `get_num_threads` has its address, which no file can keep."""
    _launch_threads()  # that LLVM finds the name, also where this comes from a file
    return lambda count: max(min(count, _iget_num_threads()), 0)


@kernel
def in_turns(blocks: int, count: int, reach: int) -> int:
    """How many blocks a loop has of which neighbours take turns: two for each core, but none shorter than the reach of an iteration."""
    return max(min(2 * blocks, count // reach), min(blocks, 1))


@kernel
def first_of(block: int, blocks: int, count: int) -> int:
    """The number of the iteration with which a block begins; blocks differ by one iteration at most."""
    return block * count // blocks


@kernel
def parts_for(array, blocks: int):
    """Zeros of the shape of the array for each block, to which the block adds."""
    return np.zeros((blocks, *array.shape), array.dtype)


@declared(writes=("array",))
@kernel
def add_parts(array, parts) -> None:
    """Add what the blocks added to their copies to the array itself, in the order of the blocks."""
    for block in range(parts.shape[0]):
        array += parts[block]
