"""Speed up Numba's type inference: cache the signature of each operator and operand types, and type calls without compiling.

Emitted code and three-address form consist mostly of operations such as `a * b` of two floats, and Numba needs half a
millisecond to type each. For `append` to a list whose item type is unknown, Numba even compiles code for each line.
Of a library function that is written in Python (`np.hstack`), Numba asks for the type by compiling it, which takes from a tenth of
a second to two. A question about types alone infers the types within such a function, and no more.
"""

from __future__ import annotations

import inspect
import operator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from numba.core import errors, sigutils, types, typing
from numba.core.compiler import Compiler, DefaultPassBuilder, Flags, compile_extra
from numba.core.compiler_machinery import AnalysisPass, FunctionPass, register_pass
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.typed_passes import NativeLowering, NopythonTypeInference
from numba.core.typing import templates

from backsweep.dispatch import direct
from backsweep.dispatch.lowering import OwnLowering
from backsweep.runtime.machine_code.code_library import UseCodeLibrary, UseVectorLibrary
from backsweep.runtime.machine_code.compiling import Compiled, compiling
from backsweep.runtime.machine_code.folder import sources_mark
from backsweep.runtime.machine_code.types_of_calls import type_of_call

APPEND = (types.ListType, "append")
MOST = 8192
"""The largest number of signatures that are kept."""
_SIGNATURES: dict[Any, Any] = {}
"""Those of calls with numbers and arrays, of all questions."""
_COMPILER = Path(__file__).parents[1]


def is_overloaded(function: Any) -> bool:
    """Whether an `@overload` replaces this Python function in compiled code."""
    context = cpu_target.typing_context
    context.refresh()
    try:
        return isinstance(context.resolve_value_type(function), types.Function)
    except (ValueError, TypeError):  # Numba has no type for it
        return False


class Asked:
    """A Numba typing context that caches signatures."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self._answers: dict[Any, Any] = {}
        self._of_data = self._answers
        """The signatures of calls whose arguments are numbers and arrays."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def resolve_function_type(self, function: Any, args: Any, kws: Any) -> Any:
        """The signature of a call; for Numba's own functions, the cached signature."""
        compiling.check()
        if isinstance(function, types.BoundFunction) and function.typing_key == APPEND:
            function = self._append(function.this, *args)
        if not isinstance(function, types.Function) or kws:
            return self._context.resolve_function_type(function, args, kws)
        key = (function, tuple(args))
        answers = self._of_data if all(map(_is_data, args)) else self._answers
        if key not in answers:
            found = self._context.resolve_function_type(function, args, kws)
            if len(answers) >= MOST:
                answers.clear()
            answers[key] = found
        return answers[key]

    def resolve_value_type(self, value: Any) -> Any:
        """The type of a value."""
        return direct.known(self._context.resolve_value_type(value), value)

    def resolve_getattr(self, type_: Any, name: str) -> Any:
        """The type of an attribute, also of a function of a module."""
        found = self._context.resolve_getattr(type_, name)
        return direct.known(found, getattr(type_.pymod, name)) if isinstance(type_, types.Module) else found

    def _append(self, holder: Any, item: Any) -> Any:
        """The type of `append` of a list of references, also if the list's item type is not known yet."""
        known = holder if holder.is_precise() else holder.refine(item)
        return self._context.resolve_getattr(known, "append")


class TypesAlone(Asked):
    """A typing context for questions about types: what is called is typed, not compiled.

    Signatures of calls with numbers and arrays are kept for later questions. Nothing changes them: where a package adds an implementation
    of a function, Numba's type of the function is another one.
    """

    def __init__(self, context: Any) -> None:
        super().__init__(context)
        self._of_data = _SIGNATURES

    def resolve_function_type(self, function: Any, args: Any, kws: Any) -> Any:
        """The signature of a call, also of an operator."""
        known = function if isinstance(function, types.Type) else self._context._lookup_global(function)
        if isinstance(known, types.BoundFunction):
            known = _method_typed_alone(known, self._context)
        typed = typed_alone(known or function)
        if known is not None and known is self._context._lookup_global(operator.getitem) and not kws:
            found = super().resolve_function_type(typed, _masks_flat(*args), kws)
            return None if found is None else found.replace(args=tuple(args))
        return super().resolve_function_type(typed, args, kws)

    def resolve_value_type(self, value: Any) -> Any:
        """The type of a value; that of a function which is being typed tells Numba that it calls itself."""
        known = super().resolve_value_type(value)
        alone = _ALONE.get(known.dispatcher) if isinstance(known, types.Dispatcher) else None
        return known if alone is None or not alone.is_compiling else types.Dispatcher(alone)


def _is_data(type_: Any) -> bool:
    """Whether values of the type are numbers, arrays of numbers, and plain tuples of such: no functions, whose types may yet be in question."""
    if isinstance(type_, types.Array):
        return isinstance(type_.dtype, types.Number | types.Boolean)
    if isinstance(type_, types.Tuple | types.UniTuple):
        return all(map(_is_data, type_))
    return isinstance(type_, types.Number | types.Boolean | types.SliceType | types.NoneType)


def _masks_flat(source: Any, index: Any) -> tuple[Any, Any]:
    """An array and a subscript with each mask of several axes as a vector, and the axes that it selects from as one.

    Numba gives a result to masks of several axes, too, with too many axes, and has no code for it.
    """
    items = list(index) if isinstance(index, types.BaseTuple) else [index]
    spare = sum(item.ndim - 1 for item in items if _is_mask(item))
    if not isinstance(source, types.Array) or not 0 < spare < source.ndim:
        return source, index
    flat = [item.copy(ndim=1, layout="C") if _is_mask(item) else item for item in items]
    alike = types.BaseTuple.from_types(tuple(flat)) if isinstance(index, types.BaseTuple) else flat[0]
    return source.copy(ndim=source.ndim - spare, layout="C"), alike


def _is_mask(item: Any) -> bool:
    return isinstance(item, types.Array) and isinstance(item.dtype, types.Boolean) and item.ndim > 0


@register_pass(mutates_CFG=True, analysis_only=False)
class RememberingInference(NopythonTypeInference):  # type: ignore[misc]  # Numba ships no annotations
    """Numba's type inference pass, with a typing context that caches signatures."""

    _name = "backsweep_type_inference"

    def run_pass(self, state: Any) -> bool:
        """Infer the types of the program in `state`; return whether it changed."""
        context = state.typingctx
        state.typingctx = Asked(context)
        try:
            return bool(super().run_pass(state))
        finally:
            state.typingctx = context


@register_pass(mutates_CFG=False, analysis_only=True)
class LetSignalsIn(AnalysisPass):  # type: ignore[misc]  # Numba ships no annotations
    """A pass that changes nothing, but lets a pending signal such as an interrupt end the compilation."""

    _name = "backsweep_let_signals_in"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, _state: Any) -> bool:
        """Handle pending signals, and change nothing."""
        compiling.check()
        return False


_OWN = {NopythonTypeInference: RememberingInference, NativeLowering: OwnLowering}
"""Passes of Numba, and the passes that replace them."""


class RememberingCompiler(Compiler):  # type: ignore[misc]  # Numba ships no annotations
    """Numba's compiler with the passes above."""

    library: ClassVar[type[UseCodeLibrary]] = UseCodeLibrary
    """The pass that chooses the library of the machine code."""

    def define_pipelines(self) -> list[Any]:
        """Numba's pipelines with the passes for inference and for lowering replaced, and a pass for pending signals between any two passes."""
        pipelines = super().define_pipelines()
        for pipeline in pipelines:
            passes = [(_OWN.get(step, step), text) for step, text in pipeline.passes]
            pipeline.passes = [each for step in passes for each in ((LetSignalsIn, "let signals in"), step)]
            pipeline.passes.insert(0, (self.library, "choose the library of the machine code"))
        return list(pipelines)


class VectorCompiler(RememberingCompiler):
    """The compiler of emitted code with vector mathematics: loops compute exponentials and the like for several elements at once."""

    library = UseVectorLibrary


def compiler(*, vector_math: bool) -> type[RememberingCompiler]:
    """The `pipeline_class` of emitted code."""
    return VectorCompiler if vector_math else RememberingCompiler


@register_pass(mutates_CFG=False, analysis_only=True)
class TypeOfResult(FunctionPass):  # type: ignore[misc]  # Numba ships no annotations
    """The last pass of a compiler that only infers types."""

    _name = "backsweep_type_of_result"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Return the type of the result as the result of the compilation, and change nothing."""
        state.cr = state.return_type
        return False


class TypingCompiler(Compiler):  # type: ignore[misc]  # Numba ships no annotations
    """Numba's compiler up to and including type inference."""

    def define_pipelines(self) -> list[Any]:
        """Numba's passes up to type inference."""
        passes = DefaultPassBuilder.define_untyped_pipeline(self.state)
        passes.add_pass(NopythonTypeInference, "nopython frontend")
        passes.add_pass(TypeOfResult, "type of the result")
        passes.finalize()
        return [passes]


def _inferred(function: Any, arguments: tuple[Any, ...]) -> Any:
    """Numba's type of the result of a Python function for arguments of these types; nothing is compiled."""
    flags = Flags()
    flags.nrt = True
    contexts = TypesAlone(cpu_target.typing_context), cpu_target.target_context
    try:
        return compile_extra(*contexts, function, arguments, None, flags, {}, pipeline_class=TypingCompiler)
    except errors.UnsupportedBytecodeError as error:  # which is no NumbaError
        cause, name = str(error).partition(". Raised from")[0], function.__name__
        remedy = f"write `{name}` so that numba.njit compiles it; texts of exceptions are to be literals"
        text = f"backsweep: Numba cannot compile `{name}`: {cause}; help: {remedy} raised from its text"
        raise errors.TypingError(text) from None


class Unliteral(CPUDispatcher):  # type: ignore[misc]  # Numba ships no annotations
    """A dispatcher that treats literal arguments like other numbers of their type."""

    def fold_argument_types(self, args: Any, kws: Any) -> Any:
        """Numba's hook for a recursive call."""
        signature, given = super().fold_argument_types(args, kws)
        return signature, tuple(map(types.unliteral, given))

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Numba's hook for any other call."""
        named = {name: types.unliteral(type_) for name, type_ in dict(kws).items()}
        return super().get_call_template(tuple(map(types.unliteral, args)), named)


class TypedLibrary(CPUDispatcher):  # type: ignore[misc]  # Numba ships no annotations
    """A dispatcher of a Python function that only infers the types of results; it compiles nothing."""

    def __init__(self, python: Any) -> None:
        super().__init__(python, targetoptions={"nopython": True})

    def compile(self, sig: Any) -> None:
        """Have Numba infer the type of the result for arguments of these types."""
        arguments, _ = sigutils.normalize_signature(sig)
        with compiling, self._compiling_counter:
            if arguments not in self.overloads:
                try:
                    result = type_of_call(
                        self.py_func,
                        arguments,
                        lambda: _inferred(self.py_func, arguments),
                        sources_mark(_COMPILER),
                    )
                except errors.ForceLiteralArg as error:  # the literal is one of the call's own arguments
                    raise error.bind_fold_arguments(
                        lambda *given: self.fold_argument_types(*given)[1]
                    ) from None
                named = _Named(self.py_func.__module__ or "", self.py_func.__qualname__)
                self.overloads[arguments] = _Overload(typing.signature(result, *arguments), named)


class Typed(Unliteral, TypedLibrary):
    """A dispatcher that only infers types, for a function of Backsweep's or the user's: literals are numbers like others."""

    def returned(self, arguments: tuple[Any, ...]) -> Any:
        """Numba's type of the result for arguments of these types."""
        self.compile(arguments)
        return self.overloads[arguments].signature.return_type


class _TypedTemplate:
    """What the typing of a library function does otherwise than Numba's: nothing is compiled."""

    def _get_jit_decorator(self) -> Any:
        """Numba's hook for what makes a dispatcher of the function's implementation."""
        return lambda **_: TypedLibrary


_ALONE: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
"""For each dispatcher that library functions call, one that only types."""
_TEMPLATES: dict[type, type] = {}
_FUNCTIONS: dict[Any, Any] = {}
"""For the types of library functions, and the templates in them, those by which calls are only typed."""


def typed_alone(function: Any) -> Any:
    """The type of a function for questions about types: calls of it compile nothing.

    Numba notes for each signature what it compiled; the notes of what was only typed are kept apart, in classes of
    their own.
    """
    if type(function) is types.Function:
        if function not in _FUNCTIONS:
            alone = tuple(map(_template, function.templates))
            _FUNCTIONS[function] = function if alone == function.templates else types.Function(alone)
        return _FUNCTIONS[function]
    if isinstance(function, types.Dispatcher) and _compiles(function.dispatcher):
        dispatcher = function.dispatcher
        if dispatcher.is_compiling:
            return function
        if dispatcher not in _ALONE:
            _ALONE[dispatcher] = TypedLibrary(dispatcher.py_func)
        return types.Dispatcher(_ALONE[dispatcher])
    return function


def _compiles(dispatcher: Any) -> bool:
    """Whether Numba learns what a dispatcher returns by compiling Python code that it can also only type."""
    return type(dispatcher) in (CPUDispatcher, Compiled) or bool(getattr(dispatcher, "typed_alone", False))


def _method_typed_alone(method: Any, context: Any) -> Any:
    """The method, such that its result is typed without compiling; a method that Numba does not write in Python is returned as it is."""
    of_function = getattr(method.template, "stands_for", None)
    implementation = getattr(method.template, "_overload_func", None)
    if of_function is None and (implementation is None or isinstance(implementation, tuple)):
        return method

    def generic(_: Any, args: Any, kws: Any) -> Any:
        """Numba's hook for the signature of a call."""
        if of_function is not None:  # a method of ours is typed as the function of NumPy
            function = typed_alone(context.resolve_value_type(of_function))
            signature = context.resolve_function_type(function, (method.this, *args), kws)
            return None if signature is None else signature.as_method()
        assert implementation is not None
        function = typed_alone(context.resolve_value_type(implementation))
        signature = function.get_call_type(context, (method.this, *args), kws)
        return signature.replace(pysig=inspect.signature(implementation)).as_method()

    # Numba takes methods of equal implementations for one type.
    parts = {
        "generic": generic,
        "_overload_func": (of_function or implementation, "typed alone"),
        "stands_for": None,
    }
    return types.BoundFunction(type(method.template.__name__, (method.template,), parts), method.this)


def _template(template: type) -> type:
    """The template by which a call is only typed."""
    if templates._OverloadFunctionTemplate not in template.__mro__:  # `issubclass` asks thousands of classes
        return template
    if template not in _TEMPLATES:
        notes: dict[str, Any] = {"_impl_cache": {}, "_compiled_overloads": {}, "_inline_overloads": {}}
        _TEMPLATES[template] = type(template.__name__, (_TypedTemplate, template), notes)
    return _TEMPLATES[template]


@dataclass(frozen=True, slots=True)
class _Named:
    """The identity of a function, as Numba's compiler expects it."""

    modname: str
    qualname: str
    uid: int = 0


@dataclass(frozen=True, slots=True)
class _Overload:
    """What Numba keeps of a compiled function for one signature, without the machine code."""

    signature: Any
    fndesc: _Named
    objectmode: bool = False
    entry_point: None = None
