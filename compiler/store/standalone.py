"""Make an emitted module standalone: copy the runtime's kernels into it, so that it needs only NumPy and Numba."""

from __future__ import annotations

import ast
import builtins
import copy
import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import ModuleType

from backsweep.diagnostics import Problem, UnsupportedError
from backsweep.runtime.support.object_mode import BY_PYTHON

RUNTIME = "backsweep.runtime"
Key = tuple[str, str]
OF_GPU = f"{RUNTIME}.gpu."
OVERLOAD = "from numba.extending import overload"
OF_SCIPY = "import backsweep.runtime  # Numba compiles calls of SciPy's functions by it"
OF_GENERATORS = (
    "import backsweep.runtime.support.object_mode  # Numba makes generators of random numbers by it"
)
BELOW = "# What the functions above call: copied from the runtime of Backsweep."
DECORATOR = '@njit(error_model="numpy")'


def standalone(text: str) -> str:
    """The emitted module without an import of Backsweep; Numba compiles every function in it.

    The emitted functions come first, because they are what people read; what they call of the runtime comes after them.

    A module that calls functions of SciPy needs SciPy, and imports what has Numba compile these calls;
    likewise one that makes generators of random numbers.

    Raises UnsupportedError if the module refers to objects of the running program, which text cannot contain.
    """
    tree = ast.parse(text)
    ours = [
        node
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(RUNTIME)
    ]
    wanted = [(node.module or RUNTIME, alias.name) for node in ours for alias in node.names]
    lines = [ast.unparse(node) for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    collected = _Collected(frozenset(_defined(tree)), frozenset(wanted), lines)
    for module, name in wanted:
        collected.add(importlib.import_module(module), name)
    if any(line.startswith(("from scipy", "import scipy")) for line in (*lines, *collected.imports)):
        collected.imports.append(OF_SCIPY)
    if any(f".{name}(" in text for name in ("default_rng", *BY_PYTHON)):
        collected.imports.append(OF_GENERATORS)
    whole = _assembled(text, tree, ours, collected)
    _refuse_unknown(whole)
    return whole


@dataclass(slots=True)
class _Collected:
    """Pieces of the runtime's source in the order in which the module must define them.

    `taken` are the names that the emitted module binds, `wanted` the names that it imports, by module and name, and
    `lines` its imports.
    """

    taken: frozenset[str]
    wanted: frozenset[Key]
    lines: list[str]
    pieces: list[str] = field(default_factory=list)
    imports: list[str] = field(default_factory=list)
    names: dict[Key, str] = field(default_factory=dict)

    def add(self, module: ModuleType, name: str) -> str:
        """Collect the object `name` of a runtime module and everything that it needs; return its name in the new module."""
        key = (module.__name__, name)
        if key in self.names:
            return self.names[key]
        source = inspect.getsource(module)
        tree = ast.parse(source)
        for node in tree.body:
            match node:
                case ast.ImportFrom(module=str(origin), names=aliases):
                    for alias in aliases:
                        if (alias.asname or alias.name) != name:
                            continue
                        if origin.startswith(RUNTIME):
                            return self.add(importlib.import_module(origin), alias.name)
                        return self._imported(key, f"from {origin} import {alias.name}", alias)
                case ast.Import(names=aliases):
                    for alias in aliases:
                        if (alias.asname or alias.name) == name:
                            return self._imported(key, f"import {alias.name}", alias)
                case ast.FunctionDef() if node.name == name:
                    return self._function(key, module, node, _overload_of(name, tree), source)
                case ast.ClassDef(name=found) if found == name:
                    return self._piece(key, module, node, ast.get_source_segment(source, node) or "")
                case ast.Assign(targets=[ast.Name(id=target)]) if target == name:
                    return self._piece(key, module, node, ast.get_source_segment(source, node) or "")
                case _:
                    pass
        raise LookupError(f"{module.__name__} has no {name}")

    def _function(
        self,
        key: Key,
        module: ModuleType,
        node: ast.FunctionDef,
        overload: ast.FunctionDef | None,
        source: str,
    ) -> str:
        """Collect a kernel, a function that an overload calls while Numba compiles, or one with the overload that is compiled in its place."""
        if overload is None:
            marks = [
                each for each in map(ast.unparse, node.decorator_list) if not each.startswith("functools.")
            ]
            compiled = _of_gpu(marks) if key[0].startswith(OF_GPU) else DECORATOR if marks else ""
            return self._piece(key, module, node, _function_text(node, source, compiled))
        name = self._piece(key, module, node, _function_text(node, source))
        text = f"@overload({name})\n{_without_annotations(overload)}"
        self._piece((key[0], overload.name), module, overload, text)
        if OVERLOAD not in self.imports:
            self.imports.append(OVERLOAD)
        return name

    def _imported(self, key: Key, line: str, alias: ast.alias) -> str:
        """Collect an import from outside the runtime, under the runtime's name for it, or another name if that is taken."""
        wished = f"{line} as {alias.asname}" if alias.asname else line
        name = key[1]
        if name in self.taken and wished not in self.lines:
            name = f"runtime_{name}"
            wished = f"{line} as {name}"
        self.names[key] = name
        if wished not in self.imports:
            self.imports.append(wished)
        return name

    def _piece(self, key: Key, module: ModuleType, node: ast.stmt, text: str) -> str:
        """Collect a function or constant under a free name, after everything that it needs."""
        name = key[1]
        clash = any(other != key and used == name for other, used in self.names.items())
        free = key in self.wanted or not (clash or name in self.taken)
        self.names[key] = name if free else f"runtime_{name}"
        renamed = {needed: self.add(module, needed) for needed in _needed(node, module)}
        for old, new in {**renamed, name: self.names[key]}.items():
            if old != new:
                text = re.sub(rf"(?<![\w.]){re.escape(old)}\b", new, text)
        self.pieces.append(text)
        return self.names[key]


def _needed(node: ast.stmt, module: ModuleType) -> list[str]:
    """The globals of the module that a function's body or a constant reads, in the order of reading."""
    parts = node.body if isinstance(node, ast.FunctionDef) else [node]
    local = {
        argument.arg for each in ast.walk(node) if isinstance(each, ast.arguments) for argument in each.args
    }
    local |= {
        each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    if isinstance(node, ast.FunctionDef):
        local.add(node.name)
    local.add("__name__")  # every module has its own
    read = (each.id for part in parts for each in ast.walk(part) if isinstance(each, ast.Name))
    return [name for name in dict.fromkeys(read) if name not in local and hasattr(module, name)]


def _overload_of(name: str, tree: ast.Module) -> ast.FunctionDef | None:
    """The overload that the module registers with Numba for `name`."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            if f"overload({name})" in map(ast.unparse, node.decorator_list):
                return node
    return None


def _without_annotations(function: ast.FunctionDef) -> str:
    """A function's text without decorators and annotations, those of functions inside it too."""
    bare = copy.deepcopy(function)
    for node in ast.walk(bare):
        if isinstance(node, ast.FunctionDef):
            node.decorator_list, node.returns = [], None
            for argument in node.args.args:
                argument.annotation = None
    return ast.unparse(bare)


def _of_gpu(decorators: list[str]) -> str:
    """The decorator of a function that belongs to a GPU's module: none for what the host runs as Python."""
    if "device" in decorators:
        return "@cuda.jit(device=True)"
    if any(each.startswith("njit") for each in decorators):
        return DECORATOR
    return "@cuda.jit" if "cuda.jit" in decorators else ""


def _function_text(node: ast.FunctionDef, source: str, decorator: str = "") -> str:
    """A function's source: its own lines below a head without annotations."""
    plain = [ast.arg(argument.arg) for argument in node.args.args]
    others = None if node.args.vararg is None else ast.arg(node.args.vararg.arg)
    parameters = ast.arguments([], plain, others, [], [], None, node.args.defaults)
    head = ast.FunctionDef(node.name, parameters, [ast.Pass()], [], None)
    line = ast.unparse(ast.fix_missing_locations(head)).splitlines()[0]
    body = source.splitlines()[node.body[0].lineno - 1 : node.end_lineno]
    return "\n".join([*([decorator] if decorator else []), line, *body])


def _assembled(text: str, tree: ast.Module, ours: list[ast.ImportFrom], collected: _Collected) -> str:
    """Docstring, imports, constants, the emitted functions with their decorator, then what they call of the runtime.

    No function runs while the module is imported, so that each may stand above what it calls.
    """
    lines = text.splitlines()
    gone = {number for node in ours for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    first = min([functions[0].lineno, *(each.lineno for each in functions[0].decorator_list)])
    above = [line for number, line in enumerate(lines[: first - 1], 1) if number not in gone]
    docstring, rest = _split_docstring(above, tree)
    imports = [line for line in rest if line.startswith(("import ", "from "))]
    constants = [line for line in rest if line and line not in imports]
    own = any(line.startswith("from numba import") and "njit" in line for line in imports)
    needed = [*imports, *collected.imports, *([] if own else ["from numba import njit"])]
    groups = ["\n".join(group) for group in _grouped(list(dict.fromkeys(needed))) if group]
    head = ["\n".join([*docstring, "\n\n".join(groups)]), "\n".join(constants)]
    of_gpu = any(module.startswith(OF_GPU) for module, _ in collected.wanted)
    marks = [
        _of_gpu([*map(ast.unparse, node.decorator_list)]) if of_gpu else _decorator(node)
        for node in functions
    ]
    emitted = [
        "\n".join([*([mark] if mark else []), *lines[node.lineno - 1 : node.end_lineno]])
        for mark, node in zip(marks, functions, strict=True)
    ]
    defined = [piece for piece in collected.pieces if piece.startswith(("@", "def ", "class "))]
    assigned = [piece for piece in collected.pieces if piece not in defined]
    called = [BELOW + "".join(f"\n{piece}" for piece in assigned), *defined] if collected.pieces else []
    return "\n\n\n".join(["\n\n".join(filter(None, head)), *emitted, *called]) + "\n"


def _decorator(function: ast.FunctionDef) -> str:
    """What has Numba compile an emitted function, on all cores if it has a loop that runs there."""
    loops = [each.iter for each in ast.walk(function) if isinstance(each, ast.For)]
    in_blocks = any(isinstance(each, ast.Call) and ast.unparse(each.func) == "prange" for each in loops)
    return DECORATOR.replace(")", ", parallel=True)") if in_blocks else DECORATOR


def _split_docstring(head: list[str], tree: ast.Module) -> tuple[list[str], list[str]]:
    """The lines of the module's docstring, and those after it."""
    if ast.get_docstring(tree) is None:
        return [], head
    end = tree.body[0].end_lineno or 1
    return head[:end], head[end:]


def _grouped(lines: list[str]) -> Iterator[list[str]]:
    """Import lines of the standard library, then the others, each sorted."""
    standard = [line for line in lines if line.split()[1].split(".")[0] in sys.stdlib_module_names]
    yield sorted(standard, key=lambda line: (line.startswith("from"), *line.split()[1::2]))
    others = [line for line in lines if line not in standard]
    yield sorted(others, key=lambda line: (line.startswith("from"), *line.split()[1::2]))


def _defined(tree: ast.Module) -> Iterator[str]:
    """The names that a module binds at its top."""
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                yield from ((alias.asname or alias.name).split(".")[0] for alias in aliases)
            case ast.Assign(targets=targets):
                yield from (target.id for target in targets if isinstance(target, ast.Name))
            case _:
                pass


def _local_names(function: ast.FunctionDef) -> set[str]:
    """The names that a function binds: its arguments, its variables, and those of functions inside it."""
    found: set[str] = set()
    for node in ast.walk(function):
        match node:
            case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.Name(id=name, ctx=ast.Store()):
                found.add(name)
            case _:
                pass
    return found


def _refuse_unknown(text: str) -> None:
    """Raise an error if the module reads a global that it does not bind."""
    tree = ast.parse(text)
    bound = {*_defined(tree), *dir(builtins)}
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef):
            continue
        local = _local_names(node)
        for each in ast.walk(node):
            if isinstance(each, ast.Name) and each.id not in bound | local:
                message = (
                    f"`{node.name}` cannot be saved: it reads `{each.id}`, an object of the running program"
                )
                remedy = "pass the object as an argument, or define it in a module that the function's module imports."
                raise UnsupportedError(Problem("BS502", message, remedy=remedy))
