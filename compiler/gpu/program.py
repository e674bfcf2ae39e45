"""From the functions of a derivative to a module for a GPU: kernels, and the function of the host that starts them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from backsweep.diagnostics import Problem, UnsupportedError
from backsweep.emit.module import Module
from backsweep.gpu.calls import with_calls_written_out
from backsweep.gpu.host import with_arrays_in_place
from backsweep.gpu.host_loops import with_host_loops
from backsweep.gpu.kernels import with_kernels
from backsweep.gpu.rooms import with_rooms
from backsweep.gpu.single import is_single
from backsweep.gpu.text import emit_kernels
from backsweep.ir.nodes import Apply, Callee, Function
from backsweep.ir.walk import walk
from backsweep.pipeline.passes import run
from backsweep.pipeline.primal import SIMPLIFY


def kernel_module(
    functions: Sequence[Function],
    primal: Function,
    docstring: str,
    *,
    count: int,
    asked: bool,
    stages: list[tuple[Any, Function]],
) -> Module:
    """The module of functions of which the last `count` are the user's, and the others are called by these.

    `primal` is what the user wrote. With `asked`, every loop was marked to run on the GPU; else those that the user marks. `stages` gets
    what became of the loops. Raises UnsupportedError for what a GPU cannot do.
    """
    others, whole = functions[:-count], functions[-count:]
    called = {function.name: function for function in others}
    single = is_single(primal)
    found = [
        with_kernels(with_rooms(with_calls_written_out(each, called)), asked=asked, single=single)
        for each in whole
    ]
    stages += [(told, each.host) for each in found for told in each.told]
    kernels = [kernel.program for each in found for kernel in each.kernels if kernel.program is not None]
    if not kernels:
        loc = whole[0].loc
        message = f"no loop of `{loc.function}` is for a GPU"
        remedy = "write bs.prange in place of range in an outermost loop, or use bs.batch."
        raise UnsupportedError(Problem("BS700", message, loc, remedy))
    hosts = [with_arrays_in_place(run((SIMPLIFY, SIMPLIFY), each.host, []), each.kernels) for each in found]
    left = [function for function in others if function.name in _called([*hosts, *others])]
    split = [with_host_loops(host) for host in hosts]
    loops = [loop for made, _ in split for loop in made]
    written = [*left, *kernels, *loops, *(host for _, host in split)]
    return emit_kernels(written, _names(kernels), _names(loops), docstring)


def _names(programs: Sequence[Function]) -> set[str]:
    return {program.name for program in programs}


def _called(functions: Sequence[Function]) -> set[str]:
    """The names of the functions that these call."""
    return {
        node.function.name
        for function in functions
        for node in walk(function.body)
        if isinstance(node, Apply) and isinstance(node.function, Callee)
    }
