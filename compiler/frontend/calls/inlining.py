"""Inline calls of Python functions: the callee's body is lowered at the place of the call."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Mapping
from types import MethodType

from backsweep.diagnostics import Loc, SourceError, UnsupportedError
from backsweep.frontend.calls.derived import derived_call, is_derived
from backsweep.frontend.calls.falling_through import raising
from backsweep.frontend.calls.recursion import recursive_call
from backsweep.frontend.constructs.checkpoints import lower_checkpoint
from backsweep.frontend.context.calls_in_try import GuardedCall, catching, guarded
from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.context.rounds import FoundRecursionError
from backsweep.frontend.context.scope import (
    Context,
    Frame,
    Inner,
    KnownTuple,
    More,
    is_refused,
    is_static,
    local_names,
)
from backsweep.frontend.instances.joining import holds_objects
from backsweep.ir.build import christen
from backsweep.ir.nodes import Const, Operand, Value
from backsweep.prelude.declare import is_of_prelude
from backsweep.reading.functions import Source, builtin_names, is_generator_function, read_source
from backsweep.reading.names import is_own, wrap
from backsweep.reading.origins import placed
from backsweep.typing.infer import asks_for_checks

#: The largest depth of inlining; a deeper chain of calls counts as recursion.
DEEPEST = 60
#: The same for methods of objects that the program makes, which are other objects in each call.
DEEPEST_OF_OBJECTS = 20


def inline(
    lowerer: Lowerer,
    function: object,
    args: tuple[Operand, ...],
    keywords: Keywords,
    node: ast.AST,
    called: str = "",
) -> Operand:
    """Inline a Python function, and return the operand for its result; `called` is the library function that it implements."""
    caller = lowerer.loc(node)
    source: Source | None = None
    is_library = bool(called)
    expansions = lowerer.context.expansions
    expansions.checked |= asks_for_checks(function)
    if isinstance(function, Inner):
        frame = _inner_frame(function, caller)
        definition, defaults = function.node, dict(function.defaults)
    else:
        source, args = _callee(lowerer, function, args, node)
        outer = lowerer.frame.source  # what compiled code calls is compiled, too
        is_compiled = source.jitted or (outer is not None and outer.jitted)
        called = ("" if outer is None else outer.called) or called
        source = dataclasses.replace(source, jitted=is_compiled, called=called)
        frame = function_frame(source, caller)
        is_meaning = is_of_prelude(source.function)
        if is_meaning:
            frame.fixed = caller
        definition = source.node
        lowerer.context.outside.note_defaults(source)
        defaults = {name: wrap(thing, "" if is_meaning else name) for name, thing in source.defaults.items()}
    helpers = expansions.library.helpers
    is_wrapped = wraps(lowerer, frame, node)
    of_objects = is_wrapped or any(map(holds_objects, (*args, *keywords.values())))
    if source is not None and source.receiver is None and not of_objects and helpers.stays(source.function):
        with helpers.inside(source.function):
            return lower_checkpoint(
                lowerer, source.function, lambda: inline(lowerer, function, args, keywords, node), node
            )
    env = _bound(lowerer, definition, frame.name, args, keywords, defaults, node)
    if is_wrapped:
        assert isinstance(node, GuardedCall)
        definition = guarded(definition, node.handled)
        env.update(lowerer.context.catching[-1].notes)
    if is_derived(function):
        assert source is not None
        return derived_call(lowerer, function, source, env, node)
    if is_wrapped and source is not None and source.function in expansions.recursive:
        message = f"`{frame.name}` calls itself, and is called within `try`, which catches what it may raise"
        remedy = (
            f"return a value that says so from `{frame.name}`, as in `return False, 0.0`, and test for it"
        )
        raise lowerer.refuse("BS101", message, node, remedy)
    if source is not None and source.function in expansions.recursive:
        return recursive_call(lowerer, source, env, node)
    if source is not None and source.receiver is None and not is_library and not is_own(source.function):
        expansions.written_out.setdefault(source.function, []).append(caller)
    of = id(frame.outer) if source is None else source.function  # closures of one text are several functions
    key = (definition, of, *(_fixed(operand) for operand in env.values()))
    if frame.fixed is None and any(key == each for each, _ in lowerer.context.calls):
        raise _recursion(lowerer, source, frame, node)
    if _is_too_deep(lowerer.context, definition):
        if source is None and _names_itself(definition):
            raise RecursionError  # the outermost call says so
        raise _recursion(lowerer, source, frame, node)
    extra = definition.args.vararg
    for name, operand in env.items():
        # what the parameters of our own texts are called tells the user nothing
        if isinstance(operand, Value) and frame.fixed is None and (extra is None or name != extra.arg):
            christen(operand, name)
    frame.env = env
    lowerer.context.calls.append((key, frame.name))
    ended = raising(definition, node, lowerer.frame.statement, is_library=is_library)
    try:
        with catching(lowerer, node):
            found = lowerer.run(ended, frame)
    except RecursionError:  # numbers that only count up never end it
        is_outermost = all(each[0] is not definition for each, _ in lowerer.context.calls[:-1])
        if not is_outermost or not _names_itself(definition):
            raise
        raise _recursion(lowerer, source, frame, node) from None
    finally:
        lowerer.context.calls.pop()
    if is_refused(found):
        raise UnsupportedError(())  # what it returns is refused, and the problem noted
    if frame.is_refused:
        lowerer.frame.is_refused = lowerer.frame.fixed is not None
        raise UnsupportedError(())  # the problem is noted
    return found


def wraps(lowerer: Lowerer, frame: Frame, node: ast.AST) -> bool:
    """Whether this is the function of the user's that a call within `try` calls, which has to say what it raises."""
    if not isinstance(node, GuardedCall) or node in lowerer.context.wrapped or frame.fixed is not None:
        return False
    lowerer.context.wrapped.add(node)
    return True


def _is_too_deep(context: Context, definition: ast.FunctionDef | ast.Lambda) -> bool:
    """Whether the function is already being inlined as often as one may be.

    That is all that counts for a text of ours: what it is given gets shorter, which the key of a tuple of values does not tell.
    """
    deepest = DEEPEST_OF_OBJECTS if context.objects.made_in else DEEPEST
    return sum(key[0] is definition for key, _ in context.calls) > deepest


def _recursion(
    lowerer: Lowerer, source: Source | None, frame: Frame, node: ast.AST
) -> FoundRecursionError | UnsupportedError:
    """The exception to raise for a function that calls itself."""
    if source is not None and source.receiver is None:
        return FoundRecursionError(source.function)
    names = [name for _, name in lowerer.context.calls]
    shown = " -> ".join([*names[names.index(frame.name) :], frame.name])
    message = f"a method or an inner function calls itself: {shown}"
    remedy = (
        "let whole numbers that are written out say how often it does, or define it at module level, and pass everything "
        "that it reads as arguments"
    )
    return lowerer.refuse("BS116", message, node, remedy)


def function_frame(source: Source, caller: Loc | None) -> Frame:
    """The frame of a function that has a source text of its own, in a module or a closure."""
    return Frame(
        env={},
        scopes=(source.closure, source.globals, builtin_names()),
        source=source,
        name=source.name,
        caller=caller,
        locals=local_names(source.node),
    )


def _inner_frame(inner: Inner, caller: Loc) -> Frame:
    outer = inner.frame
    return Frame(
        env={},
        scopes=outer.scopes,
        source=outer.source,
        name=inner.__name__,
        caller=caller,
        locals=local_names(inner.node),
        outer=outer,
        fixed=outer.fixed,
        counts=outer.counts or _names_itself(inner.node),
    )


def _names_itself(definition: ast.FunctionDef | ast.Lambda) -> bool:
    """Whether an inner function may call itself: its name stands in its own text."""
    return isinstance(definition, ast.FunctionDef) and any(
        isinstance(each, ast.Name) and each.id == definition.name for each in ast.walk(definition)
    )


def _callee(
    lowerer: Lowerer, function: object, args: tuple[Operand, ...], node: ast.AST
) -> tuple[Source, tuple[Operand, ...]]:
    """The callee's source and the arguments, preceded by the receiver; a callable object is called by its `__call__`."""
    if isinstance(function, type):
        message = f"an object of the class `{function.__name__}` cannot be made in compiled code"
        remedy = "use a tuple, a namedtuple or a dataclass"
        if function.__module__ == "itertools":
            message, remedy = (
                f"`itertools.{function.__name__}` cannot be differentiated",
                "write the loops out",
            )
        raise lowerer.refuse("BS112", message, node, remedy)
    target = getattr(function, "python", function) if is_derived(function) else function
    if (
        target is function
        and not isinstance(function, MethodType)
        and not hasattr(function, "__code__")
        and not hasattr(function, "py_func")
    ):
        bound = getattr(function, "__call__", None)  # noqa: B004 (the method itself is wanted)
        target = bound if isinstance(bound, MethodType) else function
    try:
        source = read_source(target)
    except SourceError as error:
        cause = error.problems[0]
        remedy = "write it in Python with functions from docs/rules.md"
        if is_of_prelude(target) and is_generator_function(target):
            message = f"`itertools.{getattr(target, '__name__', '')}` makes an iterator, which cannot be kept"
            remedy = "loop over the call itself, alone or within `zip`, `enumerate` or `itertools.islice`"
            raise lowerer.refuse("BS114", message, node, remedy) from None
        if cause.code == "BS003":
            called = getattr(target, "__name__", "generator")
            remedy = (
                f"loop over the call itself, for v in {called}(...); it must not call itself"
                if is_generator_function(target)
                else cause.remedy
            )
        raise lowerer.refuse("BS117", cause.message, node, remedy) from None
    if source.receiver is not None:
        args = (wrap(source.receiver), *args)
    return source, args


def _fixed(operand: Operand) -> object:
    """A key for one argument that tells two calls of one function apart while compiling; None for a runtime value."""
    if isinstance(operand, Value):
        return None
    if isinstance(operand.value, KnownTuple):
        return tuple(_fixed(item) for item in operand.value.items)
    return id(operand.value) if is_static(operand) else repr(operand.value)


def _bound(
    lowerer: Lowerer,
    definition: ast.FunctionDef | ast.Lambda,
    name: str,
    args: tuple[Operand, ...],
    keywords: Keywords,
    defaults: Mapping[str, Operand],
    node: ast.AST,
) -> dict[str, Operand]:
    """The callee's parameters bound to operands, as Python binds them."""
    parameters = definition.args
    positional = [argument.arg for argument in (*parameters.posonlyargs, *parameters.args)]
    named = [argument.arg for argument in parameters.kwonlyargs]
    env: dict[str, Operand] = dict(zip(positional, args, strict=False))
    extra, left = args[len(positional) :], dict(keywords)
    more = _more_of(extra)
    for key in [*positional[len(parameters.posonlyargs) :], *named]:
        if key in left:
            if key in env:
                raise _mismatch(lowerer, name, parameters, f"`{key}` is given twice", node)
            env[key] = left.pop(key)
    for key in (*positional, *named):
        if key not in env:
            if key not in defaults:
                raise _mismatch(lowerer, name, parameters, f"`{key}` is missing", node)
            env[key] = defaults[key]
    if extra and parameters.vararg is None:
        wanted = f"it takes {len(positional)} positional arguments and is given {len(args)}"
        raise _mismatch(lowerer, name, parameters, wanted, node)
    if left and parameters.kwarg is None:
        raise _mismatch(lowerer, name, parameters, f"it has no parameter `{next(iter(left))}`", node)
    if parameters.vararg is not None:
        env[parameters.vararg.arg] = lowerer.make_tuple(extra, node) if more is None else more
    if parameters.kwarg is not None:
        env[parameters.kwarg.arg] = Const(left)
    return env


def _more_of(extra: tuple[Operand, ...]) -> Operand | None:
    """What is left for `*args` if that is a tuple of a length that only the run knows."""
    known = [each.value for each in extra if isinstance(each, Const)]
    return known[0].items if len(extra) == 1 and known and isinstance(known[0], More) else None


def _mismatch(lowerer: Lowerer, name: str, parameters: ast.arguments, what: str, node: ast.AST) -> Exception:
    message = f"the call does not fit `{name}`: {what}"
    return lowerer.refuse("BS113", message, node, f"call it as {name}({ast.unparse(parameters)})")


def decorate(lowerer: Lowerer, name: str, decorators: list[ast.expr]) -> None:
    """Bind the name of an inner function to what its decorators, the last one first, make of it."""
    for decorator in reversed(decorators):
        found = lowerer.lower(placed(ast.Call(decorator, [ast.Name(name, ast.Load())], []), decorator))
        if not isinstance(found, Const):
            message = f"the decorator `{ast.unparse(decorator)}` makes no function of `{name}`"
            raise lowerer.refuse("BS101", message, decorator, "call the inner function without it")
        lowerer.assign(name, found)
