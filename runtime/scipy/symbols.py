"""The addresses of SciPy's special functions and of its BLAS, for machine code of this process and of later ones.

`scipy.special.cython_special` has each function for numbers of each type in capsules, which name their signature in C; so has
`scipy.linalg.cython_blas`.
Machine code calls such a function by a symbol. It also holds a `Symbol`: whoever loads the machine code from a
file gets that back first, and this tells LLVM the address in the new process, even if nobody there has imported
Backsweep.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
from collections.abc import Iterator, Mapping, Sequence

import llvmlite.binding as llvm
from numba.core.environment import Environment

SPECIAL = "scipy.special.cython_special"
"""Where SciPy's special functions are; it is imported when one of them is called."""
_COMPLEX = "__pyx_t_double_complex"

_name_of = ctypes.pythonapi.PyCapsule_GetName
_name_of.restype, _name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class Symbol:
    """A function that LLVM knows the address of, in each process that unpickles this.

    `environment` is what Numba keeps with the machine code of a library that has a global variable of its name.
    """

    def __init__(self, key: str, module: str) -> None:
        self.key, self.module = key, module
        self.name = f"backsweep_{module}_{key}".replace(".", "_")
        self.environment = Environment(globals())
        self.environment.env_name = f"_ZN08NumbaEnv{self.name}"
        self.environment.consts.append(self)
        Environment._memo[self.environment.env_name] = self.environment

    def __reduce__(self) -> tuple[object, ...]:
        """Have LLVM know the address where this is unpickled."""
        return linked, (self.key, self.module)


@functools.cache
def linked(key: str, module: str = SPECIAL) -> Symbol:
    """The symbol of the function with this key in a module of SciPy's; LLVM knows its address from now on."""
    symbol = Symbol(key, module)
    llvm.add_symbol(symbol.name, address_of(key, module))
    return symbol


def address_of(key: str, module: str = SPECIAL) -> int:
    """Where the machine code of the function with this key in a module of SciPy's is."""
    capsule = _capsules(module)[key]
    address: int = _pointer_of(capsule, _name_of(capsule))
    return address


def _capsules(module: str) -> Mapping[str, object]:
    """The functions of a module in C, by their keys."""
    capsules: Mapping[str, object] = importlib.import_module(module).__pyx_capi__
    return capsules


@functools.cache
def of_doubles() -> Mapping[tuple[str, int], str]:
    """The keys of the functions from doubles to a double, by name and number of arguments."""
    found: dict[tuple[str, int], str] = {}
    for key, result, numbers in _forms():
        if result == "double" and set(numbers) == {"double"}:
            found[_plain(key), len(numbers)] = key
    return found


@functools.cache
def of_complex() -> Mapping[tuple[str, str], str]:
    """The keys of the functions to a complex number, by name and the letters that NumPy has for their arguments, as `dD`."""
    letters = {"double": "d", _COMPLEX: "D"}
    found: dict[tuple[str, str], str] = {}
    for key, result, numbers in _forms():
        if result == _COMPLEX and set(numbers) <= set(letters):
            found[_plain(key), "".join(letters[each] for each in numbers)] = key
    return found


def _forms() -> Iterator[tuple[str, str, Sequence[str]]]:
    """The key of each function with one result, and the types in C of its result and of its arguments."""
    for key, capsule in _capsules(SPECIAL).items():
        result, _, arguments = _name_of(capsule).decode().partition(" (")
        *numbers, last = arguments.rstrip(")").split(", ")
        if last.startswith("int "):
            yield key, result, numbers


def _plain(key: str) -> str:
    """The function's name, without what Cython puts before it for each combination of types."""
    while key.startswith("__pyx_fuse_"):
        key = key.removeprefix("__pyx_fuse_")
    return key.lstrip("0123456789_") if key[:1].isdigit() else key
