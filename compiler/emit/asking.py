"""Numba's type inference, which is asked once for each operator and types, not once for each line.

Emitted code and three-address form ask for little else than `a * b` of two floats, and each answer takes
Numba half a millisecond. What `append` does to a list of something yet unknown Numba even compiles anew for each line.
"""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import register_pass
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
