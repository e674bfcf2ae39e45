"""The calls that are tried: one of each function that Numba compiles, from `inspect/data/coverage.txt`."""

from __future__ import annotations

import ast
import builtins
import cmath
import fnmatch
import functools
import hashlib
import heapq
import importlib
import linecache
import math
import operator
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np

VECTORS = {
    "v": "[0.7, 0.3, 1.1, 0.55]",
    "w": "[0.45, 0.8, 0.2, 1.3]",
    "p": "[0.35, 1.2, 0.8, 1.7]",
    "q": "[0.25, -0.6, 0.1, 0.45]",
    "r": "[0.1, 0.5, 0.9, 1.2]",
    "h": "[0.7, np.nan, 1.1, 0.4]",
}
ARGUMENTS: Mapping[str, str] = {
    "x": "0.7",
    "y": "1.3",
    "z": "0.6 + 0.4j",
    "n": "3",
    "m": "2",
    "b": "True",
    "s": '"a b"',
    "g": "np.random.default_rng(3)",
    **{name: f"np.array({text})" for name, text in VECTORS.items()},
    "A": "np.array([[0.3, 1.1, 0.5, 0.9], [0.8, 0.2, 1.4, 0.6], [1.2, 0.7, 0.1, 0.4]])",
    "B": "np.array([[0.9, 0.2, 0.6, 1.3], [0.1, 0.8, 0.4, 0.7], [0.5, 1.5, 0.3, 1.0]])",
    "F": "np.array([[0.9, 0.2], [0.1, 0.8], [0.5, 1.5], [1.1, 0.6]])",
    "Q": "np.array([[2.1, 0.3, 0.4], [0.2, 1.7, 0.5], [0.6, 0.1, 1.4]])",
    "T": "np.arange(12.0).reshape(3, 2, 2) / 7.0",
    "C": "np.array([0.6 + 0.4j, -0.3 + 0.9j, 1.2 - 0.5j])",
    "i": "np.array([0, 2, 1])",
    "j": "np.array([1, 1, 2])",
    "K": "np.array([[0, 2, 1, 3], [1, 0, 3, 2], [3, 1, 0, 2]])",
    "o": "np.array([True, False, True, True])",
}
"""The arguments of the calls, by their names."""
OWNERS = {"g": "np.random.Generator", "s": "str", **dict.fromkeys((*VECTORS, *"AFQTCo"), "ndarray")}
"""What rows call the methods of an argument."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A row of the page: a name, or a pattern of names, and the text of a call, or the reason why there is none."""

    family: str
    name: str
    text: str = ""
    reason: str = ""


@functools.cache
def samples() -> tuple[Sample, ...]:
    """All of them, in the order of the page."""
    found, family = [], ""
    text = resources.files("backsweep.inspect").joinpath("data/coverage.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("## "):
            family = line.removeprefix("## ")
        elif line and not line.startswith("# "):
            found.append(_sample(family, line))
    return tuple(found)


def _sample(family: str, line: str) -> Sample:
    """The sample that a line holds."""
    if " !! " in line:
        name, _, reason = line.partition(" !! ")
        return Sample(family, name, reason=reason)
    if " :: " in line:
        name, _, text = line.partition(" :: ")
        return Sample(family, name, text)
    name = line.partition("(")[0].partition(" ")[0]
    owner, _, rest = name.partition(".")
    return Sample(family, f"{OWNERS[owner]}.{rest}" if owner in OWNERS else name, line)


def sample_of(name: str) -> Sample | None:
    """The sample for a function's name; None if there is none."""
    exact, patterns = _by_name()
    if name in exact:
        return exact[name]
    return next((each for each in patterns if fnmatch.fnmatchcase(name, each.name)), None)


@functools.cache
def _by_name() -> tuple[Mapping[str, Sample], tuple[Sample, ...]]:
    """The samples by the names of functions, and those for patterns of names."""
    every = samples()
    return {each.name: each for each in every}, tuple(each for each in every if "*" in each.name)


def function_of(text: str, *, extra: str = "") -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The function that makes a call, which the compiler can read, and its arguments; it returns `extra`, too."""
    lines = text.split("; ")
    if extra:
        lines[-1] = f"({lines[-1]}), {extra}"
    lines[-1] = f"return {lines[-1]}"
    nodes = [node for node in ast.walk(ast.parse("\n".join(lines))) if isinstance(node, ast.Name)]
    stored = {node.id for node in nodes if isinstance(node.ctx, ast.Store)}
    read = {node.id for node in nodes} - stored
    names = [name for name in ARGUMENTS if name in read]
    whole = "\n".join([f"def sample({', '.join(names)}):", *(f"    {line}" for line in lines), ""])
    file = f"{__package__}/{hashlib.sha256(whole.encode()).hexdigest()[:12]}.py"  # no file of the disk
    namespace = {**_MODULES, "__name__": __name__, "__loader__": _Loader(whole)}
    for module in ("scipy.special", "scipy.linalg", "numba", "numba.typed"):
        if module in text:
            importlib.import_module(module)
            top = module.partition(".")[0]
            namespace[top] = importlib.import_module(top)
    linecache.lazycache(file, namespace)
    exec(compile(whole, file, "exec"), namespace)  # noqa: S102  our own text
    made: Callable[..., Any] = namespace["sample"]
    return made, tuple(argument(name) for name in names)


def argument(name: str) -> Any:
    """The argument with that name, made anew."""
    return eval(ARGUMENTS[name], {"np": np})  # noqa: S307  our own text


class _Loader:
    """What tracebacks and `linecache` ask for a text that is in no file."""

    def __init__(self, text: str) -> None:
        self._text = text

    def get_source(self, _name: str) -> str:
        """The text."""
        return self._text


_MODULES: Mapping[str, Any] = {
    "builtins": builtins,
    "cmath": cmath,
    "functools": functools,
    "heapq": heapq,
    "math": math,
    "np": np,
    "operator": operator,
    "random": random,
}
