"""A random program as a tree of statements: printed, written to a file, imported, run on complex numbers."""

from __future__ import annotations

import ast
import importlib.util
import linecache
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from tests.fuzz.outcome import UnfitError
from tests.support.checking import is_active, leaves

HEADER = '"""A random program."""\n\nimport collections\nimport math\n\nimport numpy as np\n\nimport backsweep as bs\n'


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
Results = Literal["number", "aux", "several", "raises"]


@dataclass(frozen=True)
class Program:
    """Helper functions, the statements of `program(...)`, and arguments to call it with.

    `results` tells what it returns: a number; a number and what is no part of its derivative; anything; or nothing,
    because it reads out of bounds. `signature` stands for the parameters where they have defaults; `entry` is its name;
    `chosen` are the arguments to differentiate with respect to, where those are not all that hold floats. `settings` are
    further arguments, which the same derivative is called with in turn; `forms` tells how arrays lie in memory, by
    argument (`tests/fuzz/arrays/arguments.py`).
    """

    seed: int
    helpers: tuple[str, ...]
    parameters: tuple[str, ...]
    args: tuple[Any, ...]
    body: tuple[Statement, ...]
    results: Results = "number"
    signature: str = ""
    entry: str = "program"
    header: str = HEADER
    chosen: tuple[int, ...] | None = None
    settings: tuple[tuple[Any, ...], ...] = ()
    forms: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The module's source."""
        parts = [
            self.header,
            *self.helpers,
            f"def {self.entry}({self.signature or ', '.join(self.parameters)}):\n" + render(self.body, 1),
        ]
        tidy = ast.unparse(ast.parse("\n".join(parts)))
        return tidy.replace("\n\ndef ", "\n\n\ndef ") + "\n"

    @property
    def differentiated(self) -> tuple[str, ...]:
        """The names of the arguments to differentiate with respect to."""
        return tuple(self.parameters[i] for i in self.argnums)

    @property
    def argnums(self) -> tuple[int, ...]:
        """The arguments to differentiate with respect to."""
        if self.chosen is not None:
            return self.chosen
        return tuple(i for i, arg in enumerate(self.args) if any(is_active(leaf) for leaf in leaves(arg)))


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
    try:
        module = imported(program.text, f"random_program_{program.seed}{tag}", folder)
    except (ArithmeticError, LookupError, NameError, SyntaxError, TypeError, ValueError) as error:
        raise UnfitError(f"{type(error).__name__}: {error}") from error
    function: Callable[..., Any] = getattr(module, program.entry)
    return function


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
    module = imported(text, f"weighted_{program.seed}{tag}", folder)
    module.gradient = gradient
    for k, weights in enumerate(weights_of(program)):
        setattr(module, f"weights{k}", weights)
    return module.weighted


def weights_of(program: Program) -> list[Any]:
    """A weight for each entry of the gradient."""
    draw = np.random.default_rng(0)
    return [draw.uniform(0.5, 1.5, np.shape(program.args[k]) or None) for k in program.argnums]


def imported(text: str, name: str, folder: Path) -> Any:
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
