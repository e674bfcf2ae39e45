"""Machine code that is called where it lies: a library is linked with another one by name, without a second copy of its functions.

Numba copies the functions of each library into all that call them, where LLVM optimises and emits them again: half of the time that it
takes. What is kept on the disk has machine code of its own. Its functions are linked as `available_externally`: LLVM may inline
them, and where it does not, the call goes to the code that is there. The library that calls remembers the ones that it needs.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from typing import Any

import llvmlite.binding as llvm
from numba.core.codegen import JITCodeLibrary

_COPIED = (llvm.Linkage.external, llvm.Linkage.linkonce_odr, llvm.Linkage.weak_odr)
"""How functions are linked that machine code of a library defines for others, too."""
_MANGLED = "_ZN"
"""How Numba's names of compiled functions begin; NRT's own functions and destructors are small and copied."""


class Linking(JITCodeLibrary):  # type: ignore[misc]  # Numba ships no annotations
    """A library of machine code that calls the functions of those that are kept on the disk where they lie."""

    _final_module: Any
    _shared_module: Any

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.needed: tuple[Any, ...] = ()
        """The libraries whose machine code this one calls."""
        self._alone: Any = None
        self._bitcode: bytes | None = None

    def finalize(self) -> None:
        """Numba's hook to link, optimise and emit."""
        self._codegen._check_llvm_bugs()
        self._raise_if_finalized()
        linked = tuple(dict.fromkeys(self._linking_libraries))
        for library in linked:
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(_to_call(library), preserve=True)
        self._optimize_final_module()
        self._final_module.verify()
        self.needed = tuple(_needed(self._final_module, filter(is_kept, linked)))
        self._finalize_final_module()

    def _verify_declare_only_symbols(self) -> None:
        """Numba's hook: each function that is not defined here is one of a library that is needed."""
        missing = _declared(self._final_module) - {name for each in self.needed for name in exports(each)}
        if missing:  # LLVM ends the process where a name leads nowhere
            raise RuntimeError(f"not linked: {', '.join(sorted(missing))}")

    def own_module(self) -> Any:
        """The functions of this library alone, for those who keep it or call it where it lies."""
        if self._alone is None and self._bitcode is not None:
            self._alone = llvm.parse_bitcode(self._bitcode)
        elif self._alone is None:
            self._ensure_finalized()
            self._alone = super()._get_module_for_linking()
            self._shared_module = None
        return self._alone

    def _get_module_for_linking(self) -> Any:
        """Numba's hook: a module with all that it calls, for libraries that copy it."""
        if self._shared_module is None:
            whole = self.own_module()
            if self.needed:
                whole = whole.clone()
                for each in self.needed:
                    whole.link_in(each._get_module_for_linking(), preserve=True)
            self._shared_module = whole
        return self._shared_module

    def serialize_using_object_code(self) -> Any:
        """Numba's hook: what is kept of this library is its own part."""
        self._ensure_finalized()
        module = self.own_module()
        names = {
            each.name for each in (*module.functions, *module.global_variables) if not each.is_declaration
        }
        return self.name, "object", (self._get_compiled_object(), module.as_bitcode(), names, exports(self))

    @classmethod
    def _unserialize(cls, codegen: Any, state: Any) -> Any:
        """Numba's hook: the library that was kept; what it needs is there already. Its module is read when somebody links it."""
        name, _, (code, bitcode, names, exported) = state
        made = codegen.create_library(name)
        made.enable_object_caching()
        made._set_compiled_object(code)
        made._bitcode, _EXPORTS[made] = bitcode, exported
        made._finalize_final_module()
        codegen._engine._defined_symbols |= names
        return made


class LinkingCodegen:
    """Numba's code generator; it makes libraries of this `kind`."""

    def __init__(self, codegen: Any, kind: type[Linking]) -> None:
        self._codegen, self._kind = codegen, kind

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def create_library(self, name: str) -> Linking:
        """Numba's hook."""
        return self._kind(self._codegen, name)

    def unserialize_library(self, state: Any) -> Any:
        """Numba's hook."""
        return self._kind._unserialize(self, state)


def note_kept(library: Any, name: str) -> None:
    """Note that the file of this name has the machine code of a library."""
    _FILES[library] = name
    _LIBRARIES[name] = library


def is_kept(library: Any) -> bool:
    """Whether a file has the machine code of a library."""
    return library in _FILES


def files_of(library: Any) -> tuple[str, ...]:
    """The names of the files that have what a library needs."""
    return tuple(_FILES[each] for each in getattr(library, "needed", ()))


def library_of(name: str) -> Any:
    """The library of this process whose machine code is in the file of this name, or None."""
    return _LIBRARIES.get(name)


def exports(library: Any) -> frozenset[str]:
    """The names of the compiled functions that the machine code of a library defines."""
    if library not in _EXPORTS:
        functions = _own_module(library).functions
        _EXPORTS[library] = frozenset(each.name for each in functions if _is_exported(each))
    return _EXPORTS[library]


_FILES: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()
_LIBRARIES: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()
_EXPORTS: weakref.WeakKeyDictionary[Any, frozenset[str]] = weakref.WeakKeyDictionary()
_TO_CALL: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()


def _own_module(library: Any) -> Any:
    """What the machine code of a library was made of."""
    return library.own_module() if isinstance(library, Linking) else library._get_module_for_linking()


def _to_call(library: Any) -> Any:
    """A module to link with a library that calls this one: no code is made of what this one has code of."""
    if not is_kept(library):
        return library._get_module_for_linking()
    if library not in _TO_CALL:
        module = _own_module(library).clone()
        for function in filter(_is_exported, module.functions):
            function.linkage = llvm.Linkage.available_externally
        _TO_CALL[library] = module
    return _TO_CALL[library]


def _is_exported(function: Any) -> bool:
    return not function.is_declaration and function.linkage in _COPIED and function.name.startswith(_MANGLED)


def _declared(module: Any) -> set[str]:
    """The names of the compiled functions that a module calls and has no code of."""
    external = llvm.Linkage.available_externally
    return {
        each.name
        for each in module.functions
        if (each.is_declaration or each.linkage == external) and each.name.startswith(_MANGLED)
    }


def _needed(module: Any, linked: Iterable[Any]) -> Iterator[Any]:
    """The libraries, of the linked ones and of those that they need in turn, that define what a module calls."""
    missing, seen, waiting = _declared(module), set(), list(linked)
    while waiting and missing:
        library = waiting.pop()
        if library in seen:
            continue
        seen.add(library)
        waiting += getattr(library, "needed", ())
        if found := exports(library) & missing:
            missing -= found
            yield library
