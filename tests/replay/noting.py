"""A plugin of pytest that notes what tests of NumPy's and SciPy's call: public functions with floats among their arguments.

The tests' own text is changed as it is imported: each call goes through `note`. So the libraries stay as they are, and of their
calls of one another nothing is seen. `python -m pytest -p tests.replay.noting --pyargs numpy.lib.tests.test_function_base`
writes the calls, pickled, to the file that `REPLAY_CALLS` names.
"""

from __future__ import annotations

import ast
import importlib
import importlib.abc
import importlib.machinery
import math
import os
import pickle
import resource
import signal
import sys
import time
import types
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.replay.texts import Noted, noted

PACKAGES = (
    "numpy",
    "numpy.linalg",
    "numpy.fft",
    "numpy.polynomial.polynomial",
    "numpy.polynomial.chebyshev",
    "numpy.polynomial.legendre",
    "numpy.polynomial.hermite",
    "numpy.polynomial.hermite_e",
    "numpy.polynomial.laguerre",
    "numpy.lib.stride_tricks",
)
"""The modules whose functions are noted, the first that has one names it."""
OF_SCIPY = (
    "special",
    "linalg",
    "signal",
    "ndimage",
    "interpolate",
    "integrate",
    "fft",
    "spatial.distance",
    "stats",
)
UNTOUCHED = {"super", "locals", "globals", "vars", "dir", "eval", "exec"}
"""Builtins that ask who calls them."""
TELL = frozenset(
    """
    array asarray asanyarray asmatrix zeros ones empty full zeros_like ones_like empty_like full_like asfortranarray
    ascontiguousarray copyto shape size ndim result_type can_cast promote_types min_scalar_type common_type isscalar
    array_equal array_equiv allclose isclose iscomplexobj isrealobj iscomplex isreal isnan isinf isfinite isneginf
    isposinf signbit shares_memory may_share_memory array2string array_repr array_str base_repr save nditer nonzero
    format_float_positional format_float_scientific equal not_equal less greater less_equal greater_equal
    logical_and logical_or logical_not logical_xor as_strided
    """.split()  # noqa: SIM905  sixty words
)
"""Functions of NumPy's that every test calls, or whose results have no derivative."""
MOST_KINDS = 6
"""Of kinds of calls of one function in one module of tests."""
MEMORY = 4 << 30
"""Bytes that tests may take: those that want more test nothing else."""
SECONDS = 10.0
"""Of the processor's time, for a test."""

_names: dict[int, str] = {}
_calls: dict[tuple[str, str], Noted] = {}
_counts: Counter[str] = Counter()


class _State:
    """Whether a noted call is under way: what it calls itself is none of the test's."""

    inside = False
    until = math.inf


def _learn(module: Any, prefix: str) -> None:
    """Note the names of a module's functions, and of its distributions."""
    for name in sorted(set(getattr(module, "__all__", dir(module))) - TELL):
        thing = getattr(module, name, None)
        is_function = callable(thing) and not isinstance(thing, type | types.ModuleType)
        if is_function and not name.startswith("_") and id(thing) not in _names:
            _names[id(thing)] = f"{prefix}.{name}"


def _name_of(function: Any) -> str | None:
    """The dotted name of a public function, or of a method of a public distribution."""
    found = _names.get(id(function))
    if found is not None:
        return found
    owner = getattr(function, "__self__", None)
    if owner is None or isinstance(owner, types.ModuleType | type):
        return None
    of = _names.get(id(owner))
    name = getattr(function, "__name__", "")
    is_own = of is not None and hasattr(type(owner), name)
    return f"{of}.{name}" if is_own and not name.startswith("_") and name != "rvs" else None


def note(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Call a function, and note the call if it is of interest."""
    name = None if _State.inside else _name_of(function)
    if name is None:
        return function(*args, **kwargs)
    test = os.environ.get("PYTEST_CURRENT_TEST", "").partition(" ")[0].partition("[")[0]
    call = noted(name, args, kwargs, test.partition("::")[2]) if _counts[name] < MOST_KINDS else None
    _State.inside = True
    try:
        result = function(*args, **kwargs)
    finally:
        _State.inside = False
    if call is not None and (name, call.kind) not in _calls:
        _calls[name, call.kind] = call
        _counts[name] += 1
    return result


class _Through(ast.NodeTransformer):
    """Leads calls through `note`."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Each call of a name or an attribute."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in UNTOUCHED:
            return node
        if not isinstance(node.func, ast.Name | ast.Attribute):
            return node
        made = ast.Call(ast.Name("__noted_call__", ast.Load()), [node.func, *node.args], node.keywords)
        return ast.copy_location(made, node)

    def _kept(self, node: Any) -> Any:
        """Decorators and defaults stay."""
        node.body = [self.visit(part) for part in node.body]
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = _kept  # noqa: N815  the names that `ast` calls


class _Loader(importlib.machinery.SourceFileLoader):
    """Loads a module of tests with its calls led through `note`."""

    def source_to_code(self, data: Any, path: Any, *, _optimize: int = -1) -> types.CodeType:
        """The code of the changed text."""
        tree = ast.fix_missing_locations(_Through().visit(ast.parse(data)))
        return compile(tree, path, "exec", dont_inherit=True, optimize=_optimize)

    def get_code(self, fullname: str) -> types.CodeType:
        """The code, which no cache on the disk has."""
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)

    def exec_module(self, module: types.ModuleType) -> None:
        """Run the module, in which the name of `note` is known."""
        module.__dict__["__noted_call__"] = note
        super().exec_module(module)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the libraries' modules of tests."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: Any = None) -> Any:
        """The module with our loader. Pytest imports those of a folder that is no package by their last name."""
        if not fullname.rpartition(".")[2].startswith("test_"):
            return None
        found = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if found is None or not isinstance(found.loader, importlib.machinery.SourceFileLoader):
            return None
        folders = Path(found.loader.path).parts
        if "tests" not in folders or not {"numpy", "scipy"} & {*folders}:
            return None
        found.loader = _Loader(found.loader.name, found.loader.path)
        return found


def _modules() -> Iterator[tuple[Any, str]]:
    for name in PACKAGES:
        yield importlib.import_module(name), name.replace("numpy", "np", 1)
    if any("scipy" in word for word in sys.argv):
        for name in OF_SCIPY:
            yield importlib.import_module(f"scipy.{name}"), f"scipy.{name}"


def pytest_configure(config: Any) -> None:
    """Begin to note."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGPROF, _over)
    _State.until = time.monotonic() + float(os.environ.get("REPLAY_SECONDS", "inf"))
    for module, name in _modules():
        _learn(module, name)
    sys.meta_path.insert(0, _Finder())
    np.random.seed(7)  # noqa: NPY002  what the tests draw


class _LongError(Exception):
    """A test that runs for long."""


def _over(number: int, frame: Any) -> None:
    raise _LongError


def pytest_runtest_setup(item: Any) -> None:
    """End the session where its time is over, and a test that runs for long: what was noted so far is written."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    if time.monotonic() > _State.until:
        item.session.shouldstop = "the time is over"


def pytest_sessionfinish(session: Any, exitstatus: int) -> None:
    """Write the calls."""
    signal.setitimer(signal.ITIMER_PROF, 0)
    Path(os.environ["REPLAY_CALLS"]).write_bytes(pickle.dumps(list(_calls.values())))
