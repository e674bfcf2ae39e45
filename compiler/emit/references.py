"""Write functions and constants: `np.sin`, `math.pi`, `1.5`, or a name that is bound to an object outside the text."""

from __future__ import annotations

import ast
import builtins
import math
import sys
import types
from collections import namedtuple
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from backsweep.dispatch.stub import stub
from backsweep.emit.identity import is_importable
from backsweep.emit.names import clean
from backsweep.ir.nodes import Callee, Const, Undefined
from backsweep.runtime.support.marks import length

LARGEST_TABLE = 256
"""The largest array constant that is written out; a larger one is passed as an object."""
EXTENDED = "gG"
"""The characters of the dtypes that Python and Numba lack: `longdouble` and `clongdouble`."""

_NUMPY_NAMES = {"absolute": "abs", "conjugate": "conj", "amax": "max", "amin": "min", "bool": "bool_"}
_NUMPY_PARTS = ("linalg", "random", "fft")
_LIBRARIES = ("scipy.special", "scipy.linalg", "numba")
_WORDS = {factor * math.pi: (factor, "pi") for factor in (1.0, 2.0, 4.0, 0.5, 0.25)} | {math.e: (1.0, "e")}
"""Numbers that people know by a name, each as a power of two times the constant of NumPy's: the product is exact."""


def name_of(identifier: str) -> ast.Name:
    """An expression that reads the identifier."""
    return ast.Name(identifier, ast.Load())


def attribute(base: ast.expr, *names: str) -> ast.expr:
    """`base.name.name`."""
    for name in names:
        base = ast.Attribute(base, name, ast.Load())
    return base


def call(function: ast.expr, *arguments: ast.expr) -> ast.Call:
    """`function(*arguments)`."""
    return ast.Call(function, list(arguments), [])


@dataclass(slots=True)
class Globals:
    """The module's global names: imports, constants, and objects that are bound outside the text (`bindings`)."""

    parameters: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()
    tables: bool = True
    modules: set[str] = field(default_factory=set)
    imports: dict[str, str] = field(default_factory=dict)
    constants: dict[str, ast.expr] = field(default_factory=dict)
    bindings: dict[str, Any] = field(default_factory=dict)
    objects: dict[str, Any] = field(default_factory=dict)
    words: set[str] = field(default_factory=set)

    def taken(self) -> set[str]:
        """Every name that a variable must not take."""
        short = {self.module(name) for name in self.modules}
        return short | self.words | self.objects.keys() | self.functions

    def module(self, name: str) -> str:
        """The name under which a module is imported."""
        short = "np" if name == "numpy" else name
        while short in self.parameters:
            short += "_"
        return short

    def function(self, function: Any) -> ast.expr:
        """The expression for a function, type or other compile-time object."""
        if self.tables and getattr(function, "__backsweep_name__", None) in self.functions:
            return name_of(function.__backsweep_name__)
        if isinstance(function, Callee):  # only in text for type inference
            name = self._bound(function, None)
            self.bindings[name] = stub(function)
            return name_of(name)
        if self.tables and _is_record(function):
            return self._record(function)
        path = _path(function)
        if path is None:
            return name_of(self._bound(function, self.bindings))
        module, names = path
        if module == "builtins":
            if names[0] in self.parameters:
                return name_of(self._bound(function, self.bindings))
            self.words.add(names[0])
            return name_of(names[0])
        if module in ("numpy", "math"):
            self.modules.add(module)
            return attribute(name_of(self.module(module)), *names)
        name = self._bound(function, None)
        if name != names[0]:
            self.bindings[name] = function
        else:
            self.imports[name] = module
        return name_of(name)

    def _record(self, record: Any) -> ast.expr:
        """The name of a namedtuple class that Backsweep made; the module defines the class."""
        name = self._bound(record, None)
        fields = ast.List([ast.Constant(each) for each in record._fields], ast.Load())
        made = self.function(namedtuple)  # noqa: PYI024  the fields are known at run time only
        self.constants[name] = call(made, ast.Constant(record.__name__), fields)
        return name_of(name)

    def constant(self, const: Const) -> ast.expr:
        """The expression for a constant: a literal, a named constant of the module, or a bound object."""
        value = const.value
        if isinstance(value, Undefined):
            raise ValueError("a variable is read before any path assigns it")
        literal = None if isinstance(value, types.ModuleType) else self.literal(value)
        if literal is None:
            return self.function(value)
        is_table = isinstance(value, np.ndarray)
        if not is_table and not (const.name and self.tables):
            return literal
        name = self._unique(clean(const.name or "table"), value)
        if not self.tables:
            self.objects[name] = self.bindings[name] = value
            return name_of(name)
        self.objects[name] = value
        self.constants[name] = literal
        return name_of(name)

    def literal(self, value: Any) -> ast.expr | None:
        """The value as a literal expression; None if it has none."""
        if value is None or value is Ellipsis or isinstance(value, bool | str | bytes):
            return ast.Constant(value)
        if isinstance(value, np.generic):
            return self._numpy_scalar(value)
        if isinstance(value, int):
            return _signed(value, value < 0)
        if isinstance(value, float):
            return self._float(value)
        if isinstance(value, complex) and str(value.real) == "0.0" and 0.0 < value.imag < math.inf:
            return ast.Constant(value)
        if isinstance(value, complex):
            self.words.add("complex")
            return call(name_of("complex"), self._float(value.real), self._float(value.imag))
        if type(value) is tuple:
            items = [self.literal(item) for item in value]
            if all(item is not None for item in items):
                return ast.Tuple([item for item in items if item is not None], ast.Load())
        if isinstance(value, np.ndarray) and value.size <= LARGEST_TABLE and value.dtype.kind in "fiubc":
            return None if value.dtype.char in EXTENDED else self._array(value)
        return None

    def _float(self, value: float) -> ast.expr:
        """A float that reads back to the same bits."""
        if math.isnan(value) or math.isinf(value):
            self.modules.add("numpy")
            word = attribute(name_of(self.module("numpy")), "nan" if math.isnan(value) else "inf")
            return ast.UnaryOp(ast.USub(), word) if value < 0 else word
        negative = math.copysign(1.0, value) < 0
        if self.tables and abs(value) in _WORDS:
            factor, constant = _WORDS[abs(value)]
            self.modules.add("numpy")
            named = attribute(name_of(self.module("numpy")), constant)
            if factor == 1.0:
                return ast.UnaryOp(ast.USub(), named) if negative else named
            return ast.BinOp(_signed(math.copysign(factor, value), negative), ast.Mult(), named)
        return _signed(value, negative)

    def _numpy_scalar(self, value: np.generic) -> ast.expr | None:
        """A NumPy scalar: a plain literal if Numba gives it the same type, else a call of its type."""
        if value.dtype.char in EXTENDED:
            return None
        plain = self.literal(value.item())
        if plain is None or isinstance(value, np.float64 | np.int64 | np.bool_ | np.complex128 | np.str_):
            return plain
        if isinstance(value, np.float32):  # of pi it is the rounded one
            plain = next((self._float(each) for each in _WORDS if np.float32(each) == value), plain)
        return call(self.function(type(value)), plain)

    def _array(self, value: np.ndarray[Any, Any]) -> ast.expr:
        """`np.array([...])`, or `np.zeros(shape, dtype)` for an array without entries."""
        self.modules.add("numpy")
        numpy = name_of(self.module("numpy"))
        if value.size == 0:
            shape = ast.Tuple([ast.Constant(extent) for extent in value.shape], ast.Load())
            return call(attribute(numpy, "zeros"), shape, self.function(value.dtype))
        made = call(attribute(numpy, "array"), self._entries(value.tolist()))
        if value.dtype not in (np.dtype("float64"), np.dtype("int64"), np.dtype("bool")):
            made.keywords.append(ast.keyword("dtype", self.function(value.dtype)))
        return made

    def _entries(self, value: Any) -> ast.expr:
        """Nested lists of entries."""
        if isinstance(value, list):
            return ast.List([self._entries(item) for item in value], ast.Load())
        entry = self.literal(value)
        assert entry is not None
        return entry

    def _bound(self, value: Any, table: dict[str, Any] | None) -> str:
        """A module-level name for the object."""
        known_as = getattr(value, "__backsweep_name__", None) or getattr(value, "__name__", None)
        base = clean(str(known_as)) if known_as and known_as != "<lambda>" else "function"
        name = self._unique(base, value)
        self.objects[name] = value
        if table is not None:
            table[name] = value
        return name

    def _unique(self, base: str, value: Any) -> str:
        """The name, with a number if another object or an argument has the name."""
        number, name = 0, base
        while not self._free(name, value):
            number += 1
            name = f"{base}_{number}"
        return name

    def _free(self, name: str, value: Any) -> bool:
        """Whether the object has this name already or may take it."""
        if name in self.objects:
            return _same(self.objects[name], value)
        blocked = self.parameters | self.functions | self.words | {"np", "math", "numpy"}
        return name not in blocked and not hasattr(builtins, name)


def _same(first: Any, second: Any) -> bool:
    """Whether two objects are identical, or equal numbers or strings of one type."""
    if first is second:
        return True
    plain = int | float | complex | str
    return type(first) is type(second) and isinstance(first, plain) and repr(first) == repr(second)


def _signed(value: float, negative: bool) -> ast.expr:
    """A number; its minus sign is an operator, so that the printer knows the precedence."""
    return ast.UnaryOp(ast.USub(), ast.Constant(-value)) if negative else ast.Constant(value)


def _is_record(value: Any) -> bool:
    """Whether the object is a namedtuple class that Backsweep made, as for gradients with names."""
    if not isinstance(value, type) or not hasattr(value, "_fields"):
        return False
    of_emitted_code = value.__module__.startswith("backsweep_emitted_")
    return of_emitted_code or (value.__module__.startswith("backsweep.") and not is_importable(value))


def _path(value: Any) -> tuple[str, tuple[str, ...]] | None:
    """The public module and attribute path under which emitted code refers to an object; None if there is none."""
    if isinstance(value, np.dtype):
        return "numpy", (_NUMPY_NAMES.get(value.type.__name__, value.type.__name__),)
    if isinstance(value, types.ModuleType):
        return None
    if value is length:
        return "builtins", ("len",)
    name = getattr(value, "__name__", None)
    if not isinstance(name, str):
        return None
    if getattr(builtins, name, None) is value:
        return "builtins", (name,)
    if getattr(math, name, None) is value:
        return "math", (name,)
    for candidate in (_NUMPY_NAMES.get(name, name), name):
        if getattr(np, candidate, None) is value:
            return "numpy", (candidate,)
    for part in _NUMPY_PARTS:
        found = getattr(getattr(np, part), name, None)
        if found is not None and found == value:
            return "numpy", (part, name)
    for library in _LIBRARIES:
        if getattr(sys.modules.get(library), name, None) is value:
            return library, (name,)
    module = getattr(value, "__module__", None) or ""
    is_record = isinstance(value, type) and hasattr(value, "_fields") and is_importable(value)
    if is_record or value is namedtuple:  # noqa: PYI024  compared, not called
        return module, (name,)
    if module == "backsweep.runtime" or module.startswith("backsweep.runtime."):
        return module, (name,)
    return None


def spell_all(scope: Globals, functions: Iterable[Any], constants: Iterable[Const]) -> None:
    """Name every object of a program before any variable is named."""
    for function in functions:
        scope.function(function)
    for const in constants:
        if not isinstance(const.value, Undefined):
            scope.constant(const)
