"""What the host does around kernels: it sends arrays to the GPU and gets them back, makes memory there, and sizes grids."""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import threading
from typing import Any

import numpy as np
from numba import config, cuda
from numba.core import errors

from backsweep.runtime.gpu.threads import THREADS
from backsweep.runtime.memory import overlap
from backsweep.runtime.support.compiled import declared

__all__ = [
    "KernelError",
    "back",
    "blocks_for",
    "blocks_within",
    "check_done",
    "copied_to_device",
    "device_empty",
    "device_full",
    "device_zeros",
    "in_thread_order",
    "is_of_thread",
    "keep",
    "lacking",
    "like",
    "on_device",
    "on_host",
    "remember_rows",
    "restore",
    "rows_at_first",
    "send",
    "share_memory",
    "workspace",
    "zeros_like_on_device",
]

BLOCKS_PER_PROCESSOR = 16
"""So many blocks of threads a multiprocessor runs at a time."""


class KernelError(RuntimeError):
    """An iteration that a kernel ran raised an error, of which a GPU tells only that there was one."""


def is_of_thread(error: BaseException) -> bool:
    """Whether a thread met the error; the simulator raises it as it is, with the thread's number before its words."""
    return isinstance(error, KernelError) or (config.ENABLE_CUDASIM and str(error).startswith("tid=["))


@functools.cache
def compile_errors() -> tuple[type[Exception], ...]:
    """What Numba raises where it cannot compile a kernel."""
    found: list[type[Exception]] = [errors.NumbaError]
    for module, name in (("numba.cuda.core.errors", "NumbaError"), ("numba.cuda.cudadrv.error", "NvvmError")):
        with contextlib.suppress(ImportError, AttributeError):  # which releases have which differs
            found.append(getattr(importlib.import_module(module), name))
    return tuple(found)


@functools.cache
def lacking() -> str:
    """Why there is no GPU that Numba can use, in a line; empty if there is one."""
    if config.ENABLE_CUDASIM:
        return ""
    if importlib.util.find_spec("numba_cuda") is None:
        return "the package numba-cuda is missing"
    if cuda.is_available():
        return ""
    error = str(cuda.cuda_error() or "no device was found")
    return " ".join(error.split()).partition(".")[0].rstrip(":")


def blocks_for(count: int) -> int:
    """How many blocks of threads run so many iterations: as many as the GPU runs at a time, each thread in strides."""
    return max(min(-(-count // THREADS), _most_blocks()), 1)


@functools.cache
def _most_blocks() -> int:
    """How many blocks of threads the GPU runs at a time; the simulator runs one by one."""
    if config.ENABLE_CUDASIM:
        return 2
    processors: int = cuda.get_current_device().MULTIPROCESSOR_COUNT
    return BLOCKS_PER_PROCESSOR * processors


def blocks_within(count: int, *sizes: int) -> int:
    """How many blocks of threads run so many iterations, if each thread needs memory of these sizes: at most half of what is free."""
    most = blocks_for(count)
    if config.ENABLE_CUDASIM or most * THREADS * sum(sizes) <= MOST_KEPT:
        return most
    free: int = cuda.current_context().get_memory_info().free
    return max(min(most, free // 2 // (THREADS * max(sum(sizes), 1))), 1)


MOST_KEPT = 2**28
"""The largest workspace in bytes that is kept for the next call: a GPU takes long to give memory and to take it back."""
MOST_SPACES = 4
"""Workspaces of so many shapes are kept."""
_spaces = dict[Any, Any]()
"""Workspaces that no call uses, by thread of the host, shape and dtype."""


def workspace(blocks: int, dtype, *extents: int):
    """Memory for the threads of so many blocks, each of which has an array of these extents: the threads are its last axis."""
    shape = (*(max(int(extent), 1) for extent in extents), blocks * THREADS)
    kept = _spaces.get((threading.get_ident(), shape, np.dtype(dtype).str))
    return kept.pop() if kept else cuda.device_array(shape, dtype)


@declared(checks=True)
def keep(space) -> None:
    """Keep a workspace for the next call of this thread: its kernels run after those that are started."""
    if space.nbytes <= MOST_KEPT:
        kept = _spaces.setdefault((threading.get_ident(), tuple(space.shape), space.dtype.str), [])
        kept.append(space)
        for key in list(_spaces)[:-MOST_SPACES]:
            _spaces.pop(key, None)


FIRST_ROWS = 4 if config.ENABLE_CUDASIM else 64
"""The number of rows that records of unknown number get at first; the simulator's is small, so that it is met."""
_rows = dict[str, int]()
"""The numbers of rows that were enough, by the names of their loops."""


def rows_at_first(key: str) -> int:
    """The number of rows that was enough before, or a guess."""
    return _rows.get(key, FIRST_ROWS)


@declared(checks=True)
def remember_rows(key: str, rows: int) -> None:
    """Keep the number of rows that was enough for the next call."""
    _rows[key] = rows


@declared(writes=("array",))
def restore(array, before) -> None:
    """Write to an array on the GPU what was in it before."""
    _between(array, before)


def all_blocks(done) -> int:
    """How many blocks of threads came to their end."""
    return int(done[0])


@declared(checks=True)
def check_done(done, blocks: int) -> None:
    """Raise KernelError unless all blocks of threads came to their end."""
    if all_blocks(done) != blocks:
        raise KernelError("an iteration raised an error on the GPU; the same call on the CPU tells which")


def on_device(array):
    """The array as Numba's array on the GPU: memory that is there already stays where it is, and NumPy's is copied."""
    if getattr(array, "__cuda_ndarray__", False):
        return array
    if hasattr(array, "block_until_ready"):  # of JAX, whose streams wait for no other
        array.block_until_ready()
    if hasattr(array, "__cuda_array_interface__"):
        return cuda.as_cuda_array(array)
    if hasattr(array, "__dlpack__") and not isinstance(array, np.ndarray):
        return cuda.as_cuda_array(_by_dlpack(array))
    given = np.asarray(array)
    is_whole = given.flags.c_contiguous or given.flags.f_contiguous
    return cuda.to_device(given if is_whole else np.ascontiguousarray(given))


def share_memory(one, other) -> bool:
    """Whether an element of one array may have memory in common with an element of the other."""
    if isinstance(one, np.ndarray) != isinstance(other, np.ndarray):
        return False
    compared: Any = getattr(overlap, "py_func", overlap)
    return bool(compared(_Extent(one), _Extent(other)))


class _Extent:
    """Where an array lies, wherever that is, with the attributes of NumPy's."""

    def __init__(self, array) -> None:
        given = array if isinstance(array, np.ndarray) else on_device(array)
        self.shape, self.strides, self.size = tuple(given.shape), tuple(given.strides), int(given.size)
        self.itemsize = int(np.dtype(given.dtype).itemsize)
        described = getattr(given, "__cuda_array_interface__", None)
        self.data = int(given.ctypes.data if described is None else described["data"][0])

    @property
    def ctypes(self) -> _Extent:
        """What has the address as `data`."""
        return self


def _by_dlpack(array):
    """The array as one that has the interface of CUDA, through CuPy: only arrays without it need that."""
    cupy: Any = importlib.import_module("cupy")
    return cupy.from_dlpack(array)


def copied_to_device(array):
    """A copy of the array on the GPU, in C's order."""
    given = on_device(array)
    made = cuda.device_array(given.shape, given.dtype)
    _between(made, given)
    return made


def on_host(array):
    """The array in NumPy's memory."""
    if isinstance(array, np.ndarray):
        return array
    made = np.empty(array.shape, array.dtype)
    _between(made, on_device(array))
    return made


def _between(target, source) -> None:
    """Copy one array to another, of which at least one lies on the GPU; gaps between elements are closed there."""
    if target.size == 0:
        return
    in_order = _is_in_order(target) and _is_in_order(source)
    if isinstance(target, np.ndarray):
        if not in_order:
            closed = cuda.device_array(source.shape, source.dtype)
            _on_gpu(closed, source)
            source = closed
        target[...] = source.copy_to_host()
    elif in_order:
        target.copy_to_device(source)
    elif isinstance(source, np.ndarray):
        _on_gpu(target, cuda.to_device(np.ascontiguousarray(source)))
    else:
        _on_gpu(target, source)


def _on_gpu(target, source) -> None:
    """Copy one array on the GPU to another, element by element."""
    if target.ndim > 2:
        for k in range(target.shape[0]):
            _on_gpu(target[k], source[k])
    elif target.ndim:
        kernel = _copy_row if target.ndim == 1 else _copy_table
        kernel[blocks_for(int(target.size)), THREADS](target, source)
    else:
        target[()] = source[()]


@cuda.jit
def _copy_row(target, source) -> None:
    """Copy an array of one axis."""
    for k in range(cuda.grid(1), source.size, cuda.gridsize(1)):
        target[k] = source[k]


@cuda.jit
def _copy_table(target, source) -> None:
    """Copy an array of two axes."""
    columns = source.shape[1]
    for k in range(cuda.grid(1), source.size, cuda.gridsize(1)):
        target[k // columns, k % columns] = source[k // columns, k % columns]


def _is_in_order(array) -> bool:
    """Whether the elements lie in C's order, without gaps."""
    return bool(array.flags.c_contiguous) if isinstance(array, np.ndarray) else bool(array.is_c_contiguous())


@declared(writes=("array",))
def send(array, given) -> None:
    """Write NumPy's array to memory on the GPU."""
    _between(array, np.asarray(given))


def device_empty(shape, dtype=np.float64):
    """Memory on the GPU."""
    return cuda.device_array(shape, dtype)


def in_thread_order(shape, dtype=np.float64):
    """Memory on the GPU whose first axis is the fastest: threads that run side by side write side by side."""
    return cuda.device_array(shape, dtype, order="F")


def device_full(shape, value, dtype=np.float64):
    """An array on the GPU with one number everywhere."""
    made = cuda.device_array(shape, dtype)
    if made.size:
        _fill[blocks_for(made.size), THREADS](made.reshape(made.size), value)
    return made


def device_zeros(shape, dtype=np.float64):
    """Zeros on the GPU."""
    return device_full(shape, np.dtype(dtype).type(0), dtype)


def zeros_like_on_device(array):
    """Zeros on the GPU in the shape of the array."""
    return device_zeros(array.shape, array.dtype)


@cuda.jit
def _fill(array, value) -> None:
    """Write one number to each element."""
    for k in range(cuda.grid(1), array.size, cuda.gridsize(1)):
        array[k] = value


def like(*arguments):
    """What the kinds of a call's arguments are told by: the first that is no array of NumPy's, else the first."""
    others = [each for each in arguments if not isinstance(each, np.ndarray)]
    return others[0] if others else arguments[0]


def back(array, argument):
    """The array as the caller gets it, also within tuples: of the kind of the argument."""
    if isinstance(array, tuple):
        items = [back(each, argument) for each in array]
        return type(array)(*items) if hasattr(array, "_fields") else tuple(items)
    if not hasattr(array, "shape") or isinstance(array, np.generic):
        return array
    if isinstance(argument, np.ndarray):
        return on_host(array)
    made = on_device(array)
    kind = type(argument)
    package = kind.__module__.partition(".")[0]
    if package == "cupy":
        cupy: Any = importlib.import_module("cupy")
        return cupy.asarray(made)
    if package == "torch":
        torch: Any = importlib.import_module("torch")
        return torch.as_tensor(made, device=argument.device)
    if package in ("jax", "jaxlib"):
        jax: Any = importlib.import_module("jax")
        cuda.synchronize()  # its streams wait for no other
        return jax.numpy.asarray(made)
    return made
