"""Tell whether arrays share memory, what it holds as numbers of another type, and how much is free."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
from numba import types
from numba.extending import overload

from backsweep.runtime.support.compiled import declared, kernel


@kernel
def overlap(x, y) -> bool:
    """Whether an element of one array may have memory in common with an element of the other.

    Elements that lie within one range, but between one another (`a[::2]` and `a[1::2]`), are none of the other's. A
    complex number has memory in common with its parts.
    """
    if x.size == 0 or y.size == 0:
        return False
    distance = np.int64(y.ctypes.data) - np.int64(x.ctypes.data)
    x_low = x_high = y_low = y_high = grid = 0
    for count, stride in zip(x.shape, x.strides):  # noqa: B905  Numba has no `strict`
        x_low, x_high = x_low + min(0, stride * (count - 1)), x_high + max(0, stride * (count - 1))
        grid = math.gcd(grid, abs(stride)) if count > 1 else grid
    for count, stride in zip(y.shape, y.strides):  # noqa: B905
        y_low, y_high = y_low + min(0, stride * (count - 1)), y_high + max(0, stride * (count - 1))
        grid = math.gcd(grid, abs(stride)) if count > 1 else grid
    if distance + y_low >= x_high + x.itemsize or distance + y_high + y.itemsize <= x_low:
        return False
    if grid == 0:
        return True
    behind = distance % grid  # so far an element of y begins behind the nearest place of one of x
    return bool(behind < x.itemsize or grid - behind < y.itemsize)


@kernel
def seen_as(a, dtype):
    """The memory of an array as numbers of another type, in an array of its own.

    The last axis holds the items one behind another if the types differ in size, as NumPy demands.
    """
    return a.view(dtype).copy()


@kernel
def number_seen_as(x, dtype):
    """The bits of a number as a number of another type of the same size."""
    return np.full(1, x).view(dtype)[0]


LARGE = 2**28
"""Fewer bytes are not checked."""
NO_ROOM = "the records of the forward sweep do not fit into memory"
"""The text of the error; the bytes of the records and the bytes that are free follow it."""
TELLS = sys.platform == "linux"
"""Whether the system tells how much memory is free, in a file."""
FILE = np.frombuffer(b"/proc/meminfo\0", np.uint8)
MODE = np.frombuffer(b"r\0", np.uint8)
WORD = np.frombuffer(b"MemAvailable:\0", np.uint8)
MOST = 4096
"""How many bytes of the file are read."""

# The file is read with C's functions, which compiled code can call; they compile in a moment
_fopen = types.ExternalFunction("fopen", types.intp(types.intp, types.intp))
_fread = types.ExternalFunction("fread", types.intp(types.intp, types.intp, types.intp, types.intp))
_fclose = types.ExternalFunction("fclose", types.int32(types.intp))
_calloc = types.ExternalFunction("calloc", types.intp(types.intp, types.intp))
_free = types.ExternalFunction("free", types.void(types.intp))
_strstr = types.ExternalFunction("strstr", types.intp(types.intp, types.intp))
_strtod = types.ExternalFunction("strtod", types.float64(types.intp, types.intp))


def available() -> float:
    """The bytes that this process may still use; infinite where the system does not tell."""
    if not TELLS or not Path("/proc/meminfo").exists():
        return math.inf
    _, _, after = Path("/proc/meminfo").read_text(encoding="ascii").partition("MemAvailable:")
    return 1024.0 * float(after.split()[0]) if after else math.inf


@overload(available)
def _available():
    def read() -> float:
        free = math.inf
        stream = _fopen(FILE.ctypes.data, MODE.ctypes.data)
        if stream == 0:
            return free
        text = _calloc(MOST + 1, 1)
        if text != 0:
            _fread(text, 1, MOST, stream)
            place = _strstr(text, WORD.ctypes.data)
            if place != 0:
                free = 1024.0 * _strtod(place + WORD.size - 1, 0)
            _free(text)
        _fclose(stream)
        return free

    def unknown() -> float:
        return math.inf

    return read if TELLS else unknown


@declared(checks=True)
@kernel
def check_room(size: int) -> None:
    """Raise MemoryError if so many bytes are more than the process may still use, before it begins to write them."""
    if size >= LARGE:
        free = available()
        if size > free:
            raise MemoryError(NO_ROOM, size, free)
