"""Numba's type inference: asked once for each operator and types, not once for each line, and of calls without compiling.

Emitted code and three-address form ask for little else than `a * b` of two floats, and each answer takes
Numba half a millisecond. What `append` does to a list of something yet unknown Numba even compiles anew for each line.
"""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.core.compiler import Compiler, DefaultPassBuilder, Flags, compile_extra
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.registry import cpu_target
from numba.core.typed_passes import NopythonTypeInference

APPEND = (types.ListType, "append")


class Asked:
    """A typing context of Numba's that remembers what it has answered."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self._answers: dict[Any, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def resolve_function_type(self, function: Any, args: Any, kws: Any) -> Any:
        """The signature of a call; of a function of Numba's own, the one that it had last time."""
        if isinstance(function, types.BoundFunction) and function.typing_key == APPEND:
            function = self._append(function.this, *args)
        if not isinstance(function, types.Function) or kws:
            return self._context.resolve_function_type(function, args, kws)
        key = (function, tuple(args))
        if key not in self._answers:
            self._answers[key] = self._context.resolve_function_type(function, args, kws)
        return self._answers[key]

    def _append(self, holder: Any, item: Any) -> Any:
        """The method of a list of references that holds such items, also where nothing was said of the list before."""
        known = holder if holder.is_precise() else holder.refine(item)
        return self._context.resolve_getattr(known, "append")


@register_pass(mutates_CFG=True, analysis_only=False)
class RememberingInference(NopythonTypeInference):  # type: ignore[misc]  # Numba ships no annotations
    """Numba's pass of this name, with a context that remembers."""

    _name = "backsweep_type_inference"

    def run_pass(self, state: Any) -> bool:
        """Infer the types of the program in `state`; whether it changed."""
        context = state.typingctx
        state.typingctx = Asked(context)
        try:
            return bool(super().run_pass(state))
        finally:
            state.typingctx = context


class RememberingCompiler(Compiler):  # type: ignore[misc]  # Numba ships no annotations
    """Numba's compiler with that pass; the `pipeline_class` of emitted code."""

    def define_pipelines(self) -> list[Any]:
        """Numba's pipelines, one pass replaced."""
        pipelines = super().define_pipelines()
        for pipeline in pipelines:
            pipeline.passes = [
                (RememberingInference if step is NopythonTypeInference else step, text)
                for step, text in pipeline.passes
            ]
        return list(pipelines)


@register_pass(mutates_CFG=False, analysis_only=True)
class TypeOfResult(FunctionPass):  # type: ignore[misc]  # Numba ships no annotations
    """The last pass where types are all that is asked for."""

    _name = "backsweep_type_of_result"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Make the type of the result the result of compiling; nothing changes."""
        state.cr = state.return_type
        return False


class TypingCompiler(Compiler):  # type: ignore[misc]  # Numba ships no annotations
    """Numba's compiler as far as its type inference."""

    def define_pipelines(self) -> list[Any]:
        """Numba's passes until types are known."""
        passes = DefaultPassBuilder.define_untyped_pipeline(self.state)
        passes.add_pass(RememberingInference, "nopython frontend")
        passes.add_pass(TypeOfResult, "type of the result")
        passes.finalize()
        return [passes]


def type_of_call(function: Any, arguments: tuple[Any, ...]) -> Any:
    """Numba's type of what a Python function returns for arguments of these types; it is not compiled."""
    flags = Flags()
    flags.nrt = True
    contexts = cpu_target.typing_context, cpu_target.target_context
    return compile_extra(*contexts, function, arguments, None, flags, {}, pipeline_class=TypingCompiler)
