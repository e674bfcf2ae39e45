"""The libraries of machine code of emitted code: Numba's, changed after Numba has linked them and before LLVM optimises them.

Large arrays get large pages (`large_arrays`), and loops may call vector functions of the C library (`vector_math`).
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from typing import Any, ClassVar

import llvmlite.binding as llvm
from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import AnalysisPass, register_pass

from backsweep.runtime.machine_code import large_arrays, vector_math
from backsweep.runtime.machine_code.linking import Linking, LinkingCodegen

_WITH_ORDER = range(20, 23)
"""The versions of LLVM that are known to have the option for sums in order."""


def mark() -> str:
    """What machine code depends on beside its source: the functions of the C library that it may call."""
    return f"{vector_math.mark()} {large_arrays.is_wanted()}"


class CodeLibrary(Linking):
    """A library of machine code whose large arrays have large pages."""

    def _optimize_final_module(self) -> None:
        """Numba's hook before it optimises all that the library consists of."""
        if large_arrays.is_wanted():
            large_arrays.ask_for_large_pages(self._final_module)
        super()._optimize_final_module()


class VectorLibrary(CodeLibrary):
    """One whose loops may call libmvec, besides."""

    def _optimize_final_module(self) -> None:
        """Numba's hook before it optimises all that the library consists of."""
        module = self._final_module
        if vector_math.is_wanted() and vector_math.calls_any(module):
            self._final_module = llvm.parse_assembly(vector_math.with_vector_forms(str(module)))
            self._final_module.name = module.name
            with _sums_in_order():
                super()._optimize_final_module()
        else:
            super()._optimize_final_module()


@contextlib.contextmanager
def _sums_in_order() -> Iterator[None]:
    """Have LLVM vectorise loops that carry sums, which are added up in the order of the loop.

    By itself it does so on other processors only. The option is the process's, so it is set while our code is optimised;
    Numba's lock keeps others from compiling at the same time. A version of LLVM without the option would end the process.
    """
    known = llvm.llvm_version_info[0] in _WITH_ORDER
    if known:
        llvm.set_option("backsweep", "-force-ordered-reductions=1")
    try:
        yield
    finally:
        if known:
            llvm.set_option("backsweep", "-force-ordered-reductions=0")


@register_pass(mutates_CFG=False, analysis_only=True)
class UseCodeLibrary(AnalysisPass):  # type: ignore[misc]  # Numba ships no annotations
    """A pass that has Numba put the machine code into a `CodeLibrary`."""

    _name = "backsweep_use_code_library"
    kind: ClassVar[type[Linking]] = CodeLibrary

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Choose the library, and change nothing in the function."""
        if state.library is None:
            codegen = state.targetctx.codegen()
            state.library = self.kind(codegen, state.func_id.func_qualname)
            state.library.enable_object_caching()
            if state.flags.auto_parallel.enabled:  # the bodies of parallel loops have libraries of their own
                state.targetctx = state.targetctx.subtarget(
                    _internal_codegen=LinkingCodegen(codegen, self.kind)
                )
        return False


@register_pass(mutates_CFG=False, analysis_only=True)
class UseVectorLibrary(UseCodeLibrary):
    """A pass that has Numba put the machine code into a `VectorLibrary`."""

    _name = "backsweep_use_vector_library"
    kind = VectorLibrary


@register_pass(mutates_CFG=False, analysis_only=True)
class UseLinking(UseCodeLibrary):
    """A pass that has Numba put the machine code into a library that is changed in nothing else."""

    _name = "backsweep_use_linking"
    kind = Linking


@functools.cache
def linking(pipeline: type[CompilerBase]) -> type[CompilerBase]:
    """Numba's pipeline for a function that is kept on the disk."""

    class Pipeline(pipeline):  # type: ignore[misc]  # Numba ships no annotations
        """The same passes, and one before them."""

        def define_pipelines(self) -> list[Any]:
            """Numba's hook."""
            pipelines = list(super().define_pipelines())
            for each in pipelines:
                each.passes.insert(0, (UseLinking, "choose the library of the machine code"))
            return pipelines

    return Pipeline
