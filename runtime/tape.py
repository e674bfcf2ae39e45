"""Storage that the forward sweep fills and the reverse sweep reads: tapes, and snapshots of checkpointed loops.

A loop of many steps runs in blocks. The reverse sweep needs the blocks last to first, and computes each again from the
newest snapshot before it. With s slots, of which the first holds the start, the least number of blocks that are computed
again for n blocks is t(n, s) = r n - C(s + r, s + 1), with r minimal such that C(s + r, s) >= n (Griewank and Walther,
"Algorithm 799: revolve", ACM Transactions on Mathematical Software 26, 2000).

Where the number of blocks is not known before the loop ends, the forward sweep takes snapshots at equal distances, and
gives up every second one when all slots are full (after Stumm and Walther, "New algorithms for optimal online
checkpointing", SIAM Journal on Scientific Computing 32, 2010). The reverse sweep then goes on as above, with the slots
that become free.

`kept` notes the snapshots: `kept[0, 0]` is their number, `kept[0, k]` the block before which the k-th was taken, and
`kept[1, k]` its slot. `kept[1, 0]` is the distance of snapshots in a loop of unknown length.
"""

from __future__ import annotations

import numpy as np
from numba.typed import List as ReferenceList

from backsweep.runtime.support.compiled import declared, kernel

__all__ = [
    "ReferenceList",
    "block_length",
    "computed_again",
    "grown",
    "newest",
    "no_snapshots",
    "reserved",
    "slot_ahead",
    "slot_for",
    "slots_within",
    "stride",
]

MANY = 10_000
"""A loop of no more steps records one step at a time."""


@kernel
def grown(tape):
    """A copy of `tape` with room for twice as many entries, or for some if it has none; those to come are zero."""
    larger = np.zeros((max(2 * tape.shape[0], 4), *tape.shape[1:]), tape.dtype)
    larger[: tape.shape[0]] = tape
    return larger


@kernel
def reserved(tape, count: int):
    """`tape` itself if it has room for `count` entries, else a larger copy; those to come are zero."""
    if count <= tape.shape[0]:
        return tape
    larger = np.zeros((max(count, 2 * tape.shape[0]), *tape.shape[1:]), tape.dtype)
    larger[: tape.shape[0]] = tape
    return larger


@kernel
def block_length(steps: int, slots: int) -> int:
    """How many steps are recorded at a time: one, or in long loops as many as there are slots, if the loop fills them."""
    if steps <= MANY:
        return 1
    return max(min(slots, (steps + slots - 1) // slots), 1)


@kernel
def slots_within(memory: int, size: int) -> int:
    """How many snapshots of this size take half of the memory; the records of a block take the rest."""
    return max(memory // (2 * max(size, 1)), 1)


@kernel
def no_snapshots(slots: int):
    """The notes of snapshots before the first is taken."""
    kept = np.zeros((2, max(slots, 1) + 1), np.int64)
    kept[1, 0] = 1
    for k in range(1, kept.shape[1]):
        kept[1, k] = k - 1
    return kept


@kernel
def stride(blocks: int, slots: int) -> int:
    """How many of these blocks to compute before the next snapshot, with so many slots, one of which holds the start.

    >>> from backsweep.runtime.tape import stride
    >>> stride(10, 3)
    4
    """
    if slots < 2 or blocks < 2:
        return blocks
    # reach = C(slots + r, slots) is as far as these slots go if no block is computed again more than r times
    r, reach, before, earlier = 0, 1, 0, 0
    while reach < blocks:
        r += 1
        earlier, before = before, reach
        reach = reach * (slots + r) // r
    rest = reach * slots // (slots + r)  # as far as one slot less goes
    return max(blocks - rest, earlier, 1)


@kernel
def computed_again(blocks: int, slots: int) -> int:
    """How many blocks the best schedule computes again.

    >>> from backsweep.runtime.tape import computed_again
    >>> computed_again(10, 3), computed_again(50, 4), computed_again(100, 5)
    (15, 144, 316)
    """
    r, reach = 0, 1
    while reach < blocks:
        r += 1
        reach = reach * (slots + r) // r
    return r * blocks - reach * r // (slots + 1)


@declared(writes=["kept"])
@kernel
def slot_for(kept, block: int, end: int) -> int:
    """The slot for a snapshot before this block, on the way to block `end - 1`; -1 if none is taken here."""
    held, slots = kept[0, 0], kept.shape[1] - 1
    if held > 0:
        first = kept[0, held]
        if held == slots or block != first + stride(end - first, slots - held + 1):
            return -1
    kept[0, 0] = held + 1
    kept[0, held + 1] = block
    return int(kept[1, held + 1])


@declared(writes=["kept"])
@kernel
def slot_ahead(kept, block: int) -> int:
    """The slot for a snapshot before this block, in a loop of unknown length; -1 if none is taken here."""
    slots = kept.shape[1] - 1
    while block % kept[1, 0] == 0 and kept[0, 0] == slots:
        if slots == 1:
            return -1
        kept[1, 0] *= 2
        held = 0
        for k in range(1, slots + 1):
            if kept[0, k] % kept[1, 0] == 0:
                held += 1
                kept[0, held] = kept[0, k]
                kept[1, held], kept[1, k] = kept[1, k], kept[1, held]
        kept[0, 0] = held
    if block % kept[1, 0] != 0:
        return -1
    kept[0, 0] += 1
    kept[0, kept[0, 0]] = block
    return int(kept[1, kept[0, 0]])


@declared(writes=["kept"])
@kernel
def newest(kept, block: int) -> int:
    """The newest snapshot that was not taken after this block, by its place in `kept`; later ones are given up."""
    while kept[0, kept[0, 0]] > block:
        kept[0, 0] -= 1
    return int(kept[0, 0])
