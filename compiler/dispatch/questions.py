"""Answer questions about types without machine code: a function of Numba's own is typed, not compiled.

To type a call of `np.sort`, Numba compiles the Python function that implements it, down to machine code. For a question
the type of its result is enough. Where that code is needed, it is compiled once more anyway, with the options of its caller.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any
from weakref import WeakKeyDictionary

from numba.core import errors, typing
from numba.core.compiler import CompilerBase, Flags, compile_extra
from numba.core.dispatcher import Dispatcher
from numba.core.types.functions import BaseFunction

from backsweep.dispatch.inference import TypingCompiler

_GET_CALL_TEMPLATE = Dispatcher.get_call_template
_GET_OVERLOAD = Dispatcher.get_overload
_GET_CALL_TYPE = BaseFunction.get_call_type
_COMPILE_CORE = CompilerBase._compile_core
_RESULTS: WeakKeyDictionary[Any, dict[tuple[Any, ...], Any]] = WeakKeyDictionary()
"""For dispatchers of Numba's own functions: the types of results, or the error, by the types of arguments."""


class Asking:
    """`with asking:` Numba types its own functions without compiling them; anything else that is compiled, is compiled as ever.

    The caller holds Numba's lock (`compiling`): meanwhile methods of Numba's classes are ours, for all threads.
    """

    def __init__(self) -> None:
        self._asks = False
        self._outer: list[bool] = []

    def __enter__(self) -> None:
        """Put our methods in place of Numba's."""
        self._outer.append(self._asks)
        self._set(asks=True)

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _from: TracebackType | None
    ) -> None:
        """Leave the methods as they were before."""
        self._set(asks=self._outer.pop())

    def _set(self, *, asks: bool) -> None:
        self._asks = asks
        Dispatcher.get_call_template = _typed_call if asks else _GET_CALL_TEMPLATE
        Dispatcher.get_overload = _overload_if_compiled if asks else _GET_OVERLOAD
        BaseFunction.get_call_type = _call_type if asks else _GET_CALL_TYPE
        CompilerBase._compile_core = _compiled_as_ever if asks else _COMPILE_CORE

    def compiled(self, compiler: Any) -> Any:
        """The result of a compilation within a question: it needs the code of all that it calls."""
        self._outer.append(self._asks)
        self._set(asks=False)
        try:
            return _COMPILE_CORE(compiler)
        finally:
            self._set(asks=self._outer.pop())


asking = Asking()


def _typed_call(dispatcher: Any, args: Any, kws: Any) -> Any:
    """In place of `Dispatcher.get_call_template`: the template of a call, whose signature is inferred."""
    signature, folded = dispatcher.fold_argument_types(args, kws)
    arguments = tuple(folded)
    module = dispatcher.py_func.__module__ or ""
    if arguments in dispatcher.overloads or module.partition(".")[0] != "numba":
        return _GET_CALL_TEMPLATE(dispatcher, args, kws)
    known = _RESULTS.setdefault(dispatcher, {})
    if arguments not in known:
        try:
            known[arguments] = _result(dispatcher, arguments)
        except errors.ForceLiteralArg as error:
            raise error.bind_fold_arguments(
                lambda *given: dispatcher.fold_argument_types(*given)[1]
            ) from None
        except errors.TypingError as error:
            known[arguments] = error
    result = known[arguments]
    if isinstance(result, errors.TypingError):
        raise result
    name = dispatcher.py_func.__name__
    template = typing.make_concrete_template(
        f"CallTemplate({name})", key=name, signatures=[typing.signature(result, *arguments)]
    )
    return template, signature, arguments, {}


def _result(dispatcher: Any, arguments: tuple[Any, ...]) -> Any:
    """Numba's type of the result of a call."""
    flags = Flags()
    dispatcher.targetdescr.options.parse_as_flags(flags, dispatcher.targetoptions)
    contexts = dispatcher.targetdescr.typing_context, dispatcher.targetdescr.target_context
    with dispatcher._compiling_counter:
        return compile_extra(
            *contexts,
            dispatcher.py_func,
            arguments,
            None,
            flags,
            dispatcher.locals,
            pipeline_class=TypingCompiler,
        )


def _overload_if_compiled(dispatcher: Any, signature: Any) -> Any:
    """In place of `Dispatcher.get_overload`: the entry point for a signature; None if there is no machine code."""
    arguments = tuple(getattr(signature, "args", signature))
    return _GET_OVERLOAD(dispatcher, signature) if arguments in dispatcher.overloads else None


def _call_type(function: Any, context: Any, args: Any, kws: Any) -> Any:
    """In place of `BaseFunction.get_call_type`: the signature of a call, without an entry in the table for code that is compiled."""
    keys, function._impl_keys = function._impl_keys, {}
    try:
        return _GET_CALL_TYPE(function, context, args, kws)
    finally:
        function._impl_keys = keys


def _compiled_as_ever(compiler: Any) -> Any:
    """In place of `CompilerBase._compile_core`: our methods step aside where code is compiled."""
    return _COMPILE_CORE(compiler) if isinstance(compiler, TypingCompiler) else asking.compiled(compiler)
