"""Find functions and the derivatives that people wrote for them, by their names, and by calls such as `minimize(f, jac=g)`."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

Function = Callable[..., Any]

WORDS = "gradient|grad|derivative|deriv|der|prime|jacobian|jacobi|jac|hessian|hess"
PATTERNS = (
    re.compile(rf"(?P<base>.+?)_(?:and_|with_)?(?:{WORDS})(?:_\d+)?"),
    re.compile(rf"(?:{WORDS})_(?P<base>.+)"),
    re.compile(r"(?P<base>.+?)_?prime"),
    re.compile(r"d_(?P<base>.+)"),
)
"""What the name of a derivative is made of."""
WITHIN = re.compile(rf"(?P<base>.+?)_(?:{WORDS})(?P<rest>_.+)")
BARE = re.compile(r"d(?P<base>.+?)(?:_?d[a-z])?")
"""`df` and `df_dx`; so short a sign counts only if the parameters are the same."""
KEYWORDS = ("jac", "fprime", "grad", "hess", "gradient")
"""Parameters of optimisers and solvers that take a derivative."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A derivative written by hand, and its function. Without one, the derivative returns the value, too."""

    module: str
    derivative_name: str
    derivative: Function
    function_name: str = ""
    function: Function | None = None


def modules_of(top: ModuleType) -> Iterator[tuple[str, ModuleType | Exception]]:
    """The module and, if it is a package, all modules in it but its tests; an error in place of what cannot be imported."""
    yield top.__name__, top
    for found in pkgutil.walk_packages(getattr(top, "__path__", ()), f"{top.__name__}.", onerror=str):
        if {"tests", "test", "conftest", "__main__", "setup"} & set(found.name.split(".")):
            continue
        try:
            yield found.name, importlib.import_module(found.name)
        except (ImportError, AttributeError, OSError, RuntimeError, ValueError, TypeError) as error:
            yield found.name, error


def pairs_in(module: ModuleType) -> list[Pair]:
    """The pairs of a module, in the order of their names."""
    functions = {
        name: value
        for name, value in vars(module).items()
        if inspect.isfunction(plain(value)) and _own(value, module)
    }
    found: dict[tuple[str, str], Pair] = {}
    for name, derivative in functions.items():
        for base, is_bare in _bases(name):
            function = functions.get(base)
            if function is not None and fits(function, derivative, exactly=is_bare):
                found[base, name] = Pair(module.__name__, name, derivative, base, function)
                break
        else:
            if any(pattern.fullmatch(name) for pattern in PATTERNS[:2]) and returns_pairs(derivative):
                found["", name] = Pair(module.__name__, name, derivative)
    for base, name in _named_in_calls(module):
        if base in functions and name in functions and base != name:
            found[base, name] = Pair(module.__name__, name, functions[name], base, functions[base])
    return [found[key] for key in sorted(found, key=lambda key: (key[1], key[0]))]


def plain(value: object) -> Any:
    """The Python function of a compiled one."""
    return getattr(value, "py_func", value)


def _own(value: object, module: ModuleType) -> bool:
    """Whether the module defines the function, instead of importing it."""
    return getattr(plain(value), "__module__", None) == module.__name__


def _bases(name: str) -> Iterator[tuple[str, bool]]:
    """The names that the function of a derivative with this name may have, and whether the sign is short."""
    for pattern in PATTERNS:
        if match := pattern.fullmatch(name):
            yield match["base"], False
    if match := WITHIN.fullmatch(name):
        yield match["base"] + match["rest"], False
    if match := BARE.fullmatch(name):
        yield match["base"], True
        yield name[1:], True


def fits(function: Function, derivative: Function, *, exactly: bool) -> bool:
    """Whether the derivative takes what the function takes: the same names, or else at least as many parameters as that needs."""
    ours = list(inspect.signature(plain(function)).parameters.values())
    theirs = list(inspect.signature(plain(derivative)).parameters.values())
    if exactly:
        return [each.name for each in ours] == [each.name for each in theirs]
    needed = [each for each in ours if each.default is each.empty]
    asked = [each for each in theirs if each.default is each.empty]
    return bool(needed) and len(needed) == len(asked)


def returns_pairs(derivative: Function) -> bool:
    """Whether each `return` of the function gives two things, which may be the value and its gradient."""
    tree = tree_of(derivative)
    returned = [node.value for node in ast.walk(tree) if isinstance(node, ast.Return)] if tree else []
    return bool(returned) and all(isinstance(value, ast.Tuple) and len(value.elts) == 2 for value in returned)


def tree_of(function: Function) -> ast.Module | None:
    """The syntax tree of a function; None if its text cannot be had."""
    text = text_of(function)
    try:
        return ast.parse(text)
    except SyntaxError:  # an inner function, whose text is indented
        return None


def text_of(function: Function) -> str:
    """The text of a function, or an empty one."""
    try:
        return inspect.getsource(plain(function))
    except (OSError, TypeError):
        return ""


def _named_in_calls(module: ModuleType) -> Iterator[tuple[str, str]]:
    """The names of functions and derivatives that stand in calls such as `minimize(f, x, jac=g)`."""
    try:
        tree = ast.parse(inspect.getsource(module))
    except (OSError, TypeError, SyntaxError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Name):
            for keyword in node.keywords:
                if keyword.arg in KEYWORDS and isinstance(keyword.value, ast.Name):
                    yield node.args[0].id, keyword.value.id


def code_lines(text: str) -> int:
    """How many lines of a text are code."""
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in text.splitlines())
