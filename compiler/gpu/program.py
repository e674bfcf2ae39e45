"""From the functions of a derivative to a module for a GPU: kernels, and the function of the host that starts them."""

from __future__ import annotations

from collections.abc import Sequence

from backsweep.emit.module import Module
from backsweep.gpu.calls import with_calls_written_out
from backsweep.gpu.host import with_arrays_in_place
from backsweep.gpu.kernels import with_kernels
from backsweep.gpu.rooms import with_rooms
from backsweep.gpu.text import emit_kernels
from backsweep.ir.nodes import Apply, Callee, Function
from backsweep.ir.walk import walk
from backsweep.pipeline.passes import run
from backsweep.pipeline.primal import SIMPLIFY


def kernel_module(functions: Sequence[Function], docstring: str, *, asked: bool) -> Module:
    """The module of functions of which the last is called, and the others are called by it.

    With `asked`, every loop was marked to run on the GPU; else those that the user marks. Raises UnsupportedError for what a GPU cannot do.
    """
    *others, last = functions
    called = {function.name: function for function in others}
    found = with_kernels(with_rooms(with_calls_written_out(last, called)), asked=asked)
    host = with_arrays_in_place(run((SIMPLIFY, SIMPLIFY), found.host, []), found.kernels)
    programs = [each.program for each in found.kernels if each.program is not None]
    left = [function for function in others if function.name in _called([host, *others])]
    names = {program.name for program in programs}
    return emit_kernels([*left, *programs, host], names, docstring)


def _called(functions: Sequence[Function]) -> set[str]:
    """The names of the functions that these call."""
    return {
        node.function.name
        for function in functions
        for node in walk(function.body)
        if isinstance(node, Apply) and isinstance(node.function, Callee)
    }
