"""`backsweep warm`: compile what most programs need, before the first program does."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import backsweep as bs
from backsweep.inspect.cli.usual import USUAL
from backsweep.runtime.machine_code.folder import folder, own_folder
from backsweep.runtime.machine_code.kept import COUNT


def warm(numbers: Sequence[int]) -> bool:
    """Compile the gradients of usual functions, those of these numbers; print a line for each, and what it all came to.

    Returns whether what was compiled stays on the disk.
    """
    place, began = folder(), time.perf_counter()
    if place is None or place == own_folder():
        print(
            "there is no folder to keep machine code in, so every process compiles its own: set BACKSWEEP_CACHE_DIR"
        )
        return False
    chosen = [each for number, each in enumerate(USUAL.items(), 1) if not numbers or number in numbers]
    kept, found = COUNT.kept, COUNT.found
    width = max(len(what) for _, (what, _) in chosen)
    for number, (function, (what, args)) in enumerate(chosen, 1):
        print(f"{number:2} of {len(chosen)}  {what:{width}}", end="", flush=True)
        since, before = time.perf_counter(), COUNT.kept
        floats = tuple(k for k, each in enumerate(args) if np.asarray(each).dtype.kind == "f")
        bs.value_and_grad(function, argnums=floats, progress=False)(*args)
        print(f"{time.perf_counter() - since:7.1f} s {COUNT.kept - before:5} compiled", flush=True)
    seconds, megabytes = time.perf_counter() - began, _bytes(place) / 2**20
    print(f"{COUNT.kept - kept} functions compiled, {COUNT.found - found} found, in {seconds:.1f} s")
    print(f"{place} holds {megabytes:.0f} MB")
    return True


def _bytes(place: Path) -> int:
    """The size of what a folder holds."""
    with os.scandir(place) as entries:
        return sum(entry.stat().st_size for entry in entries)
