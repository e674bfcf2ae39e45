"""A random program run on complex numbers: what stands for `math`, `numpy` and `backsweep`, and what is done where a
variable is assigned.
"""

from __future__ import annotations

import ast
import copy
import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np

import backsweep as bs
from tests.fuzz.program import Program

STEP = 1e-30

Visit = Callable[[str, tuple[int, ...], Any], Any]
"""Called with the label of an assignment, the numbers of the iterations around it, and the value; gives the value."""


class ComplexMath:
    """What stands for the `math` module."""

    sin, cos, tanh, exp, sqrt, atan = np.sin, np.cos, np.tanh, np.exp, np.sqrt, np.arctan


class ComplexNumpy:
    """What stands for `numpy`: new arrays are complex, of any precision."""

    float32 = float64 = np.complex128

    def __getattr__(self, name: str) -> Any:
        if name in ("zeros", "ones", "empty", "full"):
            return functools.partial(_new, getattr(np, name))
        return getattr(np, name)


def _new(make: Callable[..., Any], *args: Any) -> Any:
    """A new complex array, whatever type of float was asked for."""
    return make(*(arg for arg in args if not isinstance(arg, type)), dtype=np.complex128)


def whole(number: Any) -> int:
    """What stands for `int`."""
    return int(number.real)


def real(value: Any) -> Any:
    """The value without imaginary part: what has no derivative."""
    if isinstance(value, tuple):
        items = [real(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, list):
        return [real(item) for item in value]
    if isinstance(value, complex | np.complexfloating):
        return np.complex128(value.real)
    if isinstance(value, np.ndarray) and value.dtype.kind == "c":
        return value.real.astype(np.complex128)
    return value


def hooked(value: Any, function: Callable[[Any], Any]) -> Any:
    """The value with an imaginary part that the transpose of a hook, a linear function, has changed."""
    parts = np.atleast_1d(np.asarray(value, dtype=np.complex128))
    columns = []
    for k in range(parts.size):
        unit = np.zeros(parts.size, dtype=np.complex128)
        unit[k] = 1.0
        given = unit if np.ndim(value) else unit[0]
        columns.append(np.ravel(np.real(function(given.copy()))))
    if any(column.dtype == object for column in columns):  # the hook returned None: it only looks
        return value
    # A hook takes the adjoint backwards, so its transpose takes the tangent forwards
    moved = np.array(columns) @ parts.imag if columns else parts.imag
    changed = parts.real + 1j * moved
    return changed if np.ndim(value) else changed[0]


@dataclass
class Run:
    """What the program's text refers to while it runs: the iterations that it is in, and whether derivatives stop.

    Stopped values are noted in `stopped`, or taken from there if it was `filled` by an earlier run: then they stay as
    they were while arguments change, which is what the derivative of a derivative means.
    """

    visit: Visit | None = None
    hooks: bool = True
    numbers: list[int] = field(default_factory=list)
    depth: int = 0
    stopped: list[Any] = field(default_factory=list)
    filled: bool = False
    taken: int = 0

    def trips(self, items: Iterable[Any], loops: int) -> Iterator[Any]:
        """The items of a loop within so many loops, counted."""
        for number, item in enumerate(items):
            self.numbers[loops:] = [number]
            yield item

    def stop(self, value: Any) -> Any:
        """The value without derivative."""
        if not self.filled:
            self.stopped.append(real(value))
            return real(value)
        self.taken += 1
        found = self.stopped[self.taken - 1]
        return found.copy() if isinstance(found, np.ndarray) else found

    def given(self, value: Any) -> Any:
        """What is assigned or stored, without derivative within `no_grad`."""
        return self.stop(value) if self.depth else value

    def tap(self, label: str, value: Any, loops: int) -> Any:
        """What a variable holds after an assignment within so many loops."""
        return self.visit(label, tuple(self.numbers[:loops]), value) if self.visit else value

    def hook(self, x: Any, fn: Callable[[Any], Any]) -> Any:
        """What stands for `bs.hook`."""
        return hooked(x, fn) if self.hooks else x

    def __enter__(self) -> None:
        self.depth += 1

    def __exit__(self, *_: object) -> None:
        self.depth -= 1

    def pullback(self, function: Callable[..., Any], scale: float) -> Callable[..., Any]:
        """What stands for a function with a pullback of its own, which is so many times the true one."""

        def scaled(value: Any) -> Any:
            if isinstance(value, tuple):
                return tuple(scaled(item) for item in value)
            return value.real + 1j * scale * value.imag

        return lambda *args, **kwargs: scaled(function(*args, **kwargs))


class _Instrument(ast.NodeTransformer):
    """Puts `_run` into a program: around what is assigned, around loops, after the assignments with a label."""

    def __init__(self, labels: Mapping[tuple[int, str], str]) -> None:
        self.labels = labels
        self.function = ""
        self.loops = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Only the loops of the program itself are counted."""
        outer, self.function = self.function, self.function or node.name
        self.generic_visit(node)
        self.function = outer
        return node

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        """`name = given(value)`."""
        return self._assigned(node, node.targets)

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        """`name += given(value)`; another operator adds, within `no_grad`, the constant by which it changes the name."""
        if isinstance(node.op, ast.Add | ast.Sub):
            return self._assigned(node, [node.target])
        old: Any = copy.deepcopy(node.target)
        old.ctx = ast.Load()
        more = ast.BinOp(ast.BinOp(old, node.op, copy.deepcopy(node.value)), ast.Sub(), copy.deepcopy(old))
        constant = ast.AugAssign(copy.deepcopy(node.target), ast.Add(), _call("stop", self.visit(more)))
        made, *after = self._assigned(node, [node.target])
        within = ast.Attribute(ast.Name("_run", ast.Load()), "depth", ast.Load())
        return [ast.If(within, [constant], [made]), *after]

    def _assigned(self, node: ast.Assign | ast.AugAssign, targets: list[ast.expr]) -> list[ast.stmt]:
        node.value = _call("given", self.visit(node.value))
        after: list[ast.stmt] = []
        for name in names_in(targets):
            label = self.labels.get((node.lineno, name))
            if label is not None:
                variable, loops = ast.Name(name, ast.Load()), ast.Constant(self.loops)
                tapped = _call("tap", ast.Constant(label), variable, loops)
                after.append(ast.Assign([ast.Name(name, ast.Store())], tapped))
        return [node, *after]

    def visit_Return(self, node: ast.Return) -> ast.AST:
        """`return given(value)`."""
        self.generic_visit(node)
        node.value = _call("given", node.value) if node.value else None
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`items.append(given(value))`."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "append":
            node.args = [_call("given", arg) for arg in node.args]
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        """`for item in trips(items):`."""
        if self.function != "program":
            return self.generic_visit(node)
        node.iter = _call("trips", node.iter, ast.Constant(self.loops))
        self._within(node)
        return node

    def visit_While(self, node: ast.While) -> ast.AST:
        """`for _trip in trips(endless): if not test: break`."""
        if self.function != "program":
            return self.generic_visit(node)
        endless = _call("trips", ast.Call(ast.Name("_count", ast.Load()), [], []), ast.Constant(self.loops))
        self._within(node)
        leave = ast.If(ast.UnaryOp(ast.Not(), node.test), [ast.Break()], [])
        return ast.For(ast.Name("_trip", ast.Store()), endless, [leave, *node.body], [])

    def _within(self, loop: ast.For | ast.While) -> None:
        self.loops += 1
        self.generic_visit(loop)
        self.loops -= 1


def _call(name: str, *args: ast.expr) -> ast.Call:
    """The call of a method of the run."""
    return ast.Call(ast.Attribute(ast.Name("_run", ast.Load()), name, ast.Load()), list(args), [])


def names_in(targets: Iterable[ast.expr]) -> list[str]:
    """The names that an assignment binds."""
    found = []
    for target in targets:
        if isinstance(target, ast.Name):
            found.append(target.id)
        elif isinstance(target, ast.Tuple):
            found += names_in(target.elts)
    return found


def on_complex(
    program: Program, run: Run | None = None, labels: Mapping[tuple[int, str], str] | None = None
) -> Callable[..., Any]:
    """The program for complex numbers; `labels` are given to the run's `visit` by line and name."""
    run = Run() if run is None else run
    tree = ast.fix_missing_locations(_Instrument(labels or {}).visit(ast.parse(program.text)))
    scope: dict[str, Any] = {"_run": run, "_count": itertools.count}
    exec(compile(tree, f"<complex {program.seed}>", "exec"), scope)
    for name, value in list(scope.items()):
        if isinstance(value, bs.custom_vjp):
            scope[name] = run.pullback(value.function, scope.get("SCALE", 1.0))
    marks = SimpleNamespace(hook=run.hook, stop_gradient=run.stop, no_grad=lambda: run)
    scope |= {"math": ComplexMath, "np": ComplexNumpy(), "bs": marks, "int": whole}

    def function(*args: Any) -> Any:
        run.taken = 0
        return scope["program"](*args)

    return function


def complex_arguments(args: tuple[Any, ...], argnums: tuple[int, ...]) -> list[Any]:
    """The arguments as complex numbers."""
    return [np.array(arg, dtype=complex)[()] if i in argnums else arg for i, arg in enumerate(args)]


def complex_step(
    function: Callable[..., Any], args: tuple[Any, ...], argnums: tuple[int, ...]
) -> tuple[float, Any]:
    """The value and the gradient, as imaginary parts, one run of the function for complex numbers per coordinate."""

    def run(index: int, coordinate: tuple[int, ...]) -> complex:
        moved = complex_arguments(args, argnums)
        step = np.zeros(np.shape(args[index]), dtype=complex)
        step[coordinate] = STEP * 1j
        moved[index] = moved[index] + step[()]
        return complex(function(*moved))

    gradient = []
    value = 0.0
    for index in argnums:
        found = np.zeros(np.shape(args[index]))
        for coordinate in np.ndindex(found.shape):
            result = run(index, coordinate)
            value, found[coordinate] = result.real, result.imag / STEP
        gradient.append(found[()])
    return value, tuple(gradient)
