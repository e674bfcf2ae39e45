"""A random program as a tree of statements: printed, written to a file, imported, run on complex numbers."""

from __future__ import annotations

import ast
import functools
import importlib.util
import linecache
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

HEADER = '"""A random program."""\n\nimport collections\nimport math\n\nimport numpy as np\n'


@dataclass(frozen=True)
class Line:
    """One simple statement; what makes a loop end has `keep` and is never deleted."""

    text: str
    keep: bool = False


@dataclass(frozen=True)
class Suite:
    """A compound statement: each header with the statements under it."""

    arms: tuple[tuple[str, tuple[Statement, ...]], ...]
    keep: bool = False


Statement = Line | Suite


@dataclass(frozen=True)
class Program:
    """Helper functions, the statements of `program(...)`, and arguments to call it with."""

    seed: int
    helpers: tuple[str, ...]
    parameters: tuple[str, ...]
    args: tuple[Any, ...]
    body: tuple[Statement, ...]

    @property
    def text(self) -> str:
        """The module's source."""
        parts = [
            HEADER,
            *self.helpers,
            f"def program({', '.join(self.parameters)}):\n" + render(self.body, 1),
        ]
        tidy = ast.unparse(ast.parse("\n".join(parts)))
        return tidy.replace("\n\ndef ", "\n\n\ndef ") + "\n"

    @property
    def differentiated(self) -> tuple[str, ...]:
        """The names of the float arguments."""
        return tuple(self.parameters[i] for i in self.argnums)

    @property
    def argnums(self) -> tuple[int, ...]:
        """The float arguments."""
        return tuple(i for i, arg in enumerate(self.args) if not isinstance(arg, int))


def render(body: tuple[Statement, ...], depth: int) -> str:
    """The statements as indented text; an emptied block becomes `pass`."""
    pad = "    " * depth
    lines = []
    for statement in body or (Line("pass"),):
        match statement:
            case Line(text):
                lines.append(f"{pad}{text}\n")
            case Suite(arms):
                lines += [f"{pad}{header}\n{render(block, depth + 1)}" for header, block in arms]
    return "".join(lines)


def load(program: Program, folder: Path, tag: str = "") -> Callable[..., Any]:
    """Write the program to a file of its own in `folder`, import it, and return its `program` function."""
    return _imported(program.text, f"random_program_{program.seed}{tag}", folder).program


def load_weighted(
    program: Program, gradient: Callable[..., Any], folder: Path, tag: str = ""
) -> Callable[..., Any]:
    """A function of the program's arguments: its gradient's entries with weights, summed."""
    names = [f"{name}_bar" for name in program.differentiated]
    terms = " + ".join(
        f"np.sum({name} * weights{k})"
        if isinstance(program.args[position], np.ndarray)
        else f"{name} * weights{k}"
        for k, (name, position) in enumerate(zip(names, program.argnums, strict=True))
    )
    given = ", ".join(program.parameters)
    text = f"import numpy as np\n\n\ndef weighted({given}):\n    {', '.join(names)} = gradient({given})\n    return {terms}\n"
    module = _imported(text, f"weighted_{program.seed}{tag}", folder)
    draw = np.random.default_rng(0)
    module.gradient = gradient
    for k, position in enumerate(program.argnums):
        setattr(module, f"weights{k}", draw.uniform(0.5, 1.5, np.shape(program.args[position]) or None))
    return module.weighted


def _imported(text: str, name: str, folder: Path) -> Any:
    """A module with this text."""
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    linecache.checkcache(str(path))
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class ComplexMath:
    """What stands for the `math` module while a program runs on complex numbers."""

    sin, cos, tanh, exp, sqrt, atan = np.sin, np.cos, np.tanh, np.exp, np.sqrt, np.arctan


class ComplexNumpy:
    """What stands for `numpy` while a program runs on complex numbers: new arrays are complex, of any precision."""

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


def on_complex(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with `math` and `np` replaced, helpers included, by their like for complex numbers."""
    assert isinstance(function, FunctionType)
    scope: dict[str, Any] = {**function.__globals__, "math": ComplexMath, "np": ComplexNumpy()}
    for name, value in list(scope.items()):
        if isinstance(value, FunctionType):
            scope[name] = FunctionType(value.__code__, scope, name, value.__defaults__, value.__closure__)
    scope["int"] = whole
    replaced: Callable[..., Any] = scope["program"]
    return replaced
