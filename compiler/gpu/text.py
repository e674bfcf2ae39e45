"""Write kernels of a GPU and the function of the host that starts them, as Python of `numba.cuda`."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from backsweep.emit.module import Module, assembled, definition, scope_of
from backsweep.ir.effects import MayAlias, always
from backsweep.ir.nodes import Function

THREADS = "THREADS"
ON_HOST = 'njit(error_model="numpy")'
OF_THREADS = "backsweep.runtime.gpu.threads"


def thread(first: int) -> int:
    """The iteration with which a thread begins: written `cuda.grid(1)`."""
    return first


def stride() -> int:
    """The number of all threads: written `cuda.gridsize(1)`."""
    return 1


def local_array(shape: Any, dtype: Any) -> Any:
    """Memory of a thread: written `cuda.local.array(shape, dtype)`."""
    return np.empty(shape, dtype)


def atomic_add(array: Any, *index_and_value: Any) -> None:
    """Add a number to an element to which other threads add, too: written `cuda.atomic.add(array, index, number)`."""
    *index, value = index_and_value
    array[tuple(index)] += value


def atomic_max(array: Any, *index_and_value: Any) -> None:
    """Replace an element by a number that is larger: written `cuda.atomic.max(array, index, number)`."""
    *index, value = index_and_value
    array[tuple(index)] = max(array[tuple(index)], value)


def noted(count: int, rows: int) -> None:
    """Tell the host if an iteration has recorded as often as there are rows: it becomes a branch of the kernel."""
    del count, rows


noted.declared = {"checks": True}  # type: ignore[attr-defined]
thread.declared = stride.declared = local_array.declared = {}  # type: ignore[attr-defined]
atomic_add.declared = {"writes": (0,)}  # type: ignore[attr-defined]
atomic_max.declared = {"writes": (0,)}  # type: ignore[attr-defined]


def emit_kernels(
    functions: Sequence[Function],
    kernels: Collection[str],
    loops: Collection[str],
    docstring: str,
    may_alias: MayAlias = always,
) -> Module:
    """Emit the functions as a readable module, in which those named in `kernels` are kernels, and Numba compiles those named in `loops` for the host."""
    scope = scope_of(functions)
    for name, module in (("cuda", "numba"), (THREADS, OF_THREADS)):
        scope.imports[name] = module
        scope.words.add(name)
    if loops:
        scope.imports["njit"] = "numba"
        scope.words.add("njit")
    written = [definition(function, scope, may_alias) for function in functions]
    spellings = {name: _SPELLINGS[thing] for name, thing in scope.objects.items() if _is_marker(thing)}
    for each in written:
        _Spelled(kernels, spellings).visit(each)
        if each.name in kernels:
            each.decorator_list.append(_expression("cuda.jit"))
        if each.name in loops:
            each.decorator_list.append(_expression(ON_HOST))
    bindings = {name: thing for name, thing in scope.bindings.items() if name not in spellings}
    return Module(assembled(written, scope, docstring), bindings)


Spelling = Callable[[list[ast.expr]], ast.expr]


def _is_marker(thing: object) -> bool:
    return isinstance(thing, types.FunctionType) and thing in _SPELLINGS


class _Spelled(ast.NodeTransformer):
    """Writes starts of kernels, and what threads do, in the words of `numba.cuda`."""

    def __init__(self, kernels: Collection[str], spellings: Mapping[str, Spelling]) -> None:
        self.kernels = kernels
        self.spellings = spellings

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`kernel(blocks, x)` becomes `kernel[blocks, THREADS](x)`."""
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in self.kernels:
            blocks, *rest = node.args
            grid = ast.Tuple([blocks, ast.Name(THREADS, ast.Load())], ast.Load())
            return ast.Call(ast.Subscript(node.func, grid, ast.Load()), rest, [])
        return self.spellings[name](node.args) if name in self.spellings else node


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _call(text: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(_expression(text), list(arguments), [])


def _first(arguments: list[ast.expr]) -> ast.expr:
    """`start + cuda.grid(1)`."""
    own = _expression("cuda.grid(1)")
    (start,) = arguments
    is_zero = isinstance(start, ast.Constant) and start.value == 0
    return own if is_zero else ast.BinOp(start, ast.Add(), own)


def _at(text: str, arguments: list[ast.expr]) -> ast.expr:
    """An atomic operation: its index is a tuple if the array has several axes."""
    array, *index, value = arguments
    place = index[0] if len(index) == 1 else ast.Tuple(index, ast.Load())
    return _call(text, array, place, value)


_SPELLINGS: dict[Any, Spelling] = {
    thread: _first,
    stride: lambda _: _expression("cuda.gridsize(1)"),
    local_array: lambda arguments: _call("cuda.local.array", *arguments),
    atomic_add: lambda arguments: _at("cuda.atomic.add", arguments),
    atomic_max: lambda arguments: _at("cuda.atomic.max", arguments),
}
