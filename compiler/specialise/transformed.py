"""The callable that a transformation returns: it is compiled for each signature, and Numba can call it.

It is a `Specialising`, a Numba dispatcher whose code for each signature comes from the pipeline. Therefore calls from
Python, from the user's `@njit` functions and through other transformations cost no more than Numba's own calls.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import errors, types
from numba.extending import typeof_impl

from backsweep import requests
from backsweep.analysis.integers.relations import Relations, Seen, by_parameter, message_of, seen_in
from backsweep.boundary import boundary, running
from backsweep.diagnostics import ArgumentError, BacksweepError, Problem, names_bytes, naming_nan, worded
from backsweep.dispatch.dispatchers import Specialising
from backsweep.display import blocks
from backsweep.explanation import measure, side_by_side
from backsweep.explanation.explanation import Explanation, estimated
from backsweep.explanation.reasons import explanation, of_batch
from backsweep.explanation.texts import Code, Stage, Stages
from backsweep.frontend.calls.derived import is_derived
from backsweep.ir.show import show
from backsweep.reading.functions import Source, read_source
from backsweep.reading.outside import Read, hold
from backsweep.runtime.machine_code.compiling import compiling
from backsweep.runtime.memory import NO_ROOM, available
from backsweep.sending.by_value import is_importable
from backsweep.sending.sent import Parts, Sent
from backsweep.specialise.accumulate import accumulated
from backsweep.specialise.arguments import (
    Forms,
    IndirectArgumentError,
    check_direct,
    has_own_arrays,
    is_filled_in,
    naming_overlap,
    prepared,
    refuse_overlap,
    with_parts,
)
from backsweep.specialise.asked import HookHandle, OfFunction, bound_to, fits, hooks_of
from backsweep.specialise.build import Build, Emitted, compiled
from backsweep.specialise.progress import reported
from backsweep.specialise.remembered import MOST
from backsweep.specialise.variants import MOST as MOST_VARIANTS
from backsweep.specialise.variants import MOST_SIZES, Variants, runner, stages_of
from backsweep.store.standalone import standalone
from backsweep.tracebacks import hide, hiding
from backsweep.typing.infer import gathered, plain, type_of_missing
from backsweep.typing.stubs import typing_stub

NumbaType = Any  # Numba ships no annotations
Signature = tuple[tuple[NumbaType, ...], Relations]
"""The types of a call's arguments, and the relations between their extents that its code assumes."""
Made = TypeVar("Made")
_writing: list[Transformed] = []
"""The functions whose code is being emitted, each for the function before it; guarded by the lock `compiling`."""


UNTYPED = (IndirectArgumentError, errors.NumbaTypeError, errors.NumbaValueError)
"""The errors for arguments without a Numba type."""
SHOWN = ("add_hook", "explain", "save", "show", "source", "stages")
"""The methods that are for users."""


class Transformed(OfFunction, Sent):
    """A transformed function: call it, look at its `source`, or pass it to another transformation."""

    def __init__(self, function: Callable[..., Any], build: Build) -> None:
        self.build = build
        self.function = function
        self.python = build.python
        functools.update_wrapper(self, self.python)
        self._emitted: dict[Signature, Emitted] = {}
        self._readable: dict[Signature, Emitted] = {}
        self._relations: dict[tuple[NumbaType, ...], list[Relations]] = {}
        self._returned: dict[tuple[NumbaType, ...], NumbaType] = {}
        self._latest: Signature | None = None
        self._dispatcher = Specialising(self)
        self._variants = Variants(self, self._dispatcher)
        self._special: dict[Forms, Transformed] = {}
        self._called = self
        self._signature = inspect.signature(self.python)
        self.parameters = list(self._signature.parameters.values())
        kinds = {parameter.kind for parameter in self.parameters}
        plain = inspect.Parameter.KEYWORD_ONLY not in kinds and not build.options.debug_nan
        plain &= not any(map(is_filled_in, self.parameters))
        self.is_direct = build.options.jit and plain
        self.takes_any_number = inspect.Parameter.VAR_POSITIONAL in kinds
        self._direct = self.is_direct
        self._companions: dict[Callable[[Transformed], Any], Any] = {}
        self._handles: list[HookHandle] = []
        self._first_hooks = build.hooks
        self._users: weakref.WeakSet[Transformed] = weakref.WeakSet()
        self.contains: set[Transformed] = set()
        self.reads: dict[tuple[int, str], Read] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the emitted code for these arguments. The first call for each set of argument types compiles it."""
        try:
            if self.reads or self.contains:
                self.refresh()
            if self._direct and not kwargs and not has_own_arrays(args):
                try:
                    return self._variants.first(*args)
                except UNTYPED:  # is refused below
                    self._direct = False
                except ValueError as error:
                    if not self.assumed(error):  # it is the function's own
                        refuse_overlap(self, error, args, kwargs)
                        raise
                except MemoryError as error:
                    raise self._lacking(error, args) from None
                except TypeError:
                    if fits(self._signature, args):  # else it is refused below
                        raise
            if "out" in kwargs and "out" not in self._signature.parameters:
                out = kwargs.pop("out")
                return accumulated(self.build, self(*args, **kwargs), out)
            if self.build.options.debug_nan:
                with naming_nan():
                    return self._called_with(args, kwargs)
            return self._called_with(args, kwargs)
        except BaseException as error:
            hide(error)
            raise

    def _called_with(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Run the code for these arguments, some of which (strings, functions) are constants of the code."""
        special, given = self.special(*args, **kwargs)
        self._called = special
        try:
            with naming_overlap(special, given.args, given.kwargs):
                run = special._variants if special.build.options.jit else special._run_plain
                result = run(*given.args, **given.kwargs)
        except MemoryError as error:
            raise special._lacking(error, given.args) from None
        with boundary(self.python):
            return special.build.restored(result)

    @hiding
    def add_hook(self, name: str, fn: Callable[..., Any]) -> HookHandle:
        """Add a hook to a variable: from the next call on, `fn` sees its adjoint, until `handle.remove()`.

        The hook also belongs to this function's source, to every transformation of this function, made earlier or later,
        and to compiled code that calls it, if that is compiled after this call. A hook of a Hessian is added to its
        gradient.

        Arguments:
            name: an argument or a variable of the function, named as for `wrt` in `grad`.
            fn: a function of the adjoint, as in `hooks` of `grad`. Its result replaces the adjoint; if it returns None,
                the adjoint stays. If a variable has several hooks, each gets the result of the one before.

        Returns:
            A handle; its `remove()` removes the hook.

        Raises:
            ArgumentError: the function has no such argument or variable.

        >>> import backsweep as bs
        >>> def square(x):
        ...     return x * x
        >>> slope = bs.grad(square)
        >>> handle = slope.add_hook("x", lambda adjoint: 2.0 * adjoint)
        >>> slope(3.0)
        12.0
        >>> handle.remove()
        >>> slope(3.0)
        6.0
        """
        hooked = self.function if self.build.mode == "hessian" else self
        assert isinstance(hooked, Transformed)
        requests.expect("name", name, "the name of an argument or a variable", fits=isinstance(name, str))
        hooks_of(hooked.function, {name: fn})
        handle = HookHandle(hooked, name, fn)
        hooked._handles.append(handle)
        hooked._apply_hooks()
        return handle

    def _apply_hooks(self) -> None:
        """Apply the hooks of the handles, after the hooks that the function was made with."""
        hooks = (*self._first_hooks, *((handle.name, handle.fn) for handle in self._handles))
        with compiling, boundary(self.python):
            for each in (self, *self._special.values()):
                each.build = dataclasses.replace(each.build, hooks=hooks)
                each._forget()

    def _forget(self) -> None:
        """Drop the emitted code, and all code that contains it. Both are emitted again when they are needed."""
        for kept in (self._emitted, self._readable, self._relations, self._returned, self._companions):
            kept.clear()
        self.reads, self.contains = {}, set()
        self._signature = inspect.signature(self.python)  # with the defaults of today
        self._dispatcher = Specialising(self)
        self._variants = Variants(self, self._dispatcher)
        users, self._users = self._users, weakref.WeakSet()
        for user in users:
            user._forget()

    def refresh(self) -> None:
        """Drop the emitted code if what the function reads around it, globals above all, is no longer what it was."""
        for inner in tuple(self.contains) if self.contains else ():
            inner.refresh()
        if not hold(self.reads.values()):
            with compiling:
                self._forget()

    check_direct = staticmethod(check_direct)

    def companion(self, made: Callable[[Transformed], Made]) -> Made:
        """The result of `made` for this function, computed once and kept."""
        if made not in self._companions:
            self._companions[made] = made(self)
        found: Made = self._companions[made]
        return found

    def special(self, *args: Any, **kwargs: Any) -> tuple[Transformed, inspect.BoundArguments]:
        """The transformed function for the arguments that are constants of the code, and the remaining call."""
        self.refresh()
        with boundary(self.python):
            bound = bound_to(self.python, args, kwargs)
            forms, given = prepared(self._signature, bound)
            special = self.fixing(forms)
            if special is not self:
                special.refresh()
            return special, given

    def fixing(self, forms: Forms) -> Transformed:
        """The transformed function for arguments of these forms."""
        if not forms:
            return self
        special = self._special.pop(forms, None)
        if special is None:
            function, build = self.function, dataclasses.replace(self.build, forms=forms)
            if build.axes is not None and not is_derived(function) and with_parts(forms):
                # The code of a batch has the parts of objects, which emitted code takes
                function = Transformed(function, dataclasses.replace(build, forms=(), axes=None))
                build = dataclasses.replace(build, function=function)
            special = Transformed(function, build)
        self._special[forms] = special  # the last to be given back
        while len(self._special) > MOST:
            self._special.pop(next(iter(self._special)), None)
        return special

    def _run_plain(self, *args: Any, **kwargs: Any) -> Any:
        """Run the emitted source as plain Python (for a debugger)."""
        run = runner(self.emitted_for(args, kwargs), 0, self.build.options)
        return run(*self.with_defaults(*args, **kwargs))

    def with_defaults(self, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """A value for each parameter: the argument, or the default."""
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return tuple(bound.arguments.values())

    def emitted_for(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Emitted:
        """The code for these arguments, all of which Numba accepts."""
        return self._for(self.signature_of(self._signature.bind(*args, **kwargs)))

    def signature_of(self, given: inspect.BoundArguments) -> Signature:
        """The types of the arguments of a call, and the relations between their extents that its code assumes."""
        arguments = self.argument_types(given)
        return arguments, self._relations_of(arguments, seen_in(given.arguments))

    def _relations_of(self, arguments: tuple[NumbaType, ...], seen: Seen) -> Relations:
        """The relations that the code for a call with these extents assumes; the tries for one signature are counted."""
        with compiling, boundary(self.python, arguments):
            tried = self._relations.setdefault(arguments, [])
            for relations in tried:
                if relations and all(relation.holds(seen) for relation in relations):
                    return relations
            if len(tried) == MOST_VARIANTS or not any(quantity.axis >= 0 for quantity in seen):
                return ()
            found = self.build.relations(arguments, seen, sizes=len(tried) < MOST_SIZES)
            tried += [()] * MOST_VARIANTS if found is None else [found]
            del tried[MOST_VARIANTS:]
            return found or ()

    def assumed(self, error: ValueError) -> bool:
        """Whether the error says that a call does not meet what the code for its types assumes."""
        sets = [relations for known in self._relations.values() for relations in known]
        known = {message_of(group) for relations in sets for group in by_parameter(relations)}
        return len(error.args) == 1 and error.args[0] in known

    def progress(self, arguments: tuple[NumbaType, ...]) -> AbstractContextManager[None]:
        """A context that tells the user of a long compilation."""
        if not self.build.options.progress:
            return nullcontext()
        return reported(f"{self.build.mode} of {self.python.__name__}({', '.join(map(str, arguments))})")

    def emitted_types(self, arguments: tuple[NumbaType, ...]) -> Emitted:
        """The code for these argument types, which assumes nothing else."""
        return self._for((arguments, ()))

    def emitted_signature(self, signature: Signature) -> Emitted:
        """The code for these argument types that assumes these relations."""
        return self._for(signature)

    def python_for(self, arguments: tuple[NumbaType, ...], relations: Relations = ()) -> Callable[..., Any]:
        """The emitted function for these argument types as plain Python, in array notation."""
        emitted = self._readable_for(arguments, relations)
        return plain(emitted.functions[emitted.names[0]])

    def customised(self, arguments: tuple[NumbaType, ...]) -> bool:
        """Whether a hook, a `custom_vjp` or a user's rule decides a derivative in the code for these argument types."""
        return self._readable_for(arguments).customised

    def returned(self, arguments: tuple[NumbaType, ...]) -> NumbaType:
        """Numba's type of the result for arguments of these types. Nothing is compiled."""
        if arguments not in self._returned:
            self._returned[arguments] = typing_stub(self.python_for(arguments), {}).returned(arguments)
        return self._returned[arguments]

    def _readable_for(self, arguments: tuple[NumbaType, ...], relations: Relations = ()) -> Emitted:
        """The code for these argument types, in array notation."""
        return self._known(self._readable, (arguments, relations), "again")

    def _for(self, signature: Signature) -> Emitted:
        """The code for these argument types and relations."""
        with compiling:
            emitted = self._known(self._emitted, signature, "loops")
            self._latest = signature
        return emitted

    def _known(self, known: dict[Signature, Emitted], signature: Signature, optimize: str) -> Emitted:
        """The code for these argument types and relations; it is emitted if it is needed for the first time."""
        arguments, relations = signature
        with compiling, boundary(self.python, arguments):
            for user in _writing[-1:]:
                self._users.add(user)
                user.contains.add(self)
            if signature not in known:
                _writing.append(self)
                try:
                    emitted = known[signature] = self.build.emit(arguments, relations, optimize=optimize)
                    self.reads.update({read.key: read for read in emitted.reads})
                finally:
                    _writing.pop()
            return known[signature]

    def dispatcher_for(self, arguments: tuple[NumbaType, ...]) -> Any:
        """The Numba dispatcher of the code for these argument types."""
        return compiled(self._for((arguments, ())), 0, self.build.options)

    def dispatcher_seeing(self, arguments: tuple[NumbaType, ...], given: Sequence[Any]) -> Any:
        """The Numba dispatcher of the code for a call: for these argument types and the relations between its extents."""
        seen = seen_in(dict(zip(self._signature.parameters, given, strict=True)))
        return compiled(self._for((arguments, self._relations_of(arguments, seen))), 0, self.build.options)

    @hiding
    def source(self, *args_or_types: Any, optimize: str = "loops") -> Code:
        """The emitted Python code for these arguments (or Numba types); without any, of the latest call.

        Arguments:
            args_or_types: arguments as for a call, or Numba types.
            optimize: "loops" is the code that is compiled; "readable" keeps array statements in array notation.

        Returns:
            The text of the module: a string, which notebooks and IPython show highlighted.

        Raises:
            ArgumentError: nothing was called yet and no arguments are given; or `optimize` is something else.
        """
        if not isinstance(optimize, str) or optimize not in ("loops", "readable"):
            message = f"there is no form {requests.shown(optimize)} of the source"
            raise ArgumentError(Problem("BS502", message, remedy='choose "loops" or "readable".'))
        emitted = self._looked_at(args_or_types)
        special, given = self._meant(args_or_types)
        arguments, relations = special._signature_for(given)
        with compiling, boundary(self.python, arguments):
            if optimize != "loops":
                emitted = special.build.emit(arguments, relations, optimize=optimize)
            return Code.of(emitted.text, special.build.source_for(arguments, relations))

    @hiding
    def stages(self, *args_or_types: Any) -> Stages:
        """The program after each pass, as text, for these arguments (or Numba types); without any, of the latest call.

        Raises:
            ArgumentError: nothing was called yet and no arguments are given.
        """
        self._looked_at(args_or_types)
        special, given = self._meant(args_or_types)
        stages = stages_of(special, special._signature_for(given))
        return Stages.of(Stage(each.name, each.reason, show(program)) for each, program in stages)

    @hiding
    def explain(self, *args_or_types: Any) -> Explanation:
        """Explain for each value of the function how the reverse sweep gets it.

        Arguments:
            args_or_types: arguments as for a call, or Numba types; without any, the types of the latest call. With
                arguments, the forward sweep runs once and its records are measured in bytes.

        Returns:
            An `Explanation`: `print` shows a table, `rows` has a row for each value. That of a batch tells of its loops alone.

        Raises:
            ArgumentError: nothing was called yet and no arguments are given. Also what a call raises.

        >>> import backsweep as bs
        >>> def power(x, n):
        ...     y = x
        ...     for i in range(n):
        ...         y = y * x
        ...     return y
        >>> explanation = bs.grad(power).explain(2.0, 100)
        >>> explanation["y"][1].state, explanation["y"][1].reason, explanation.bytes
        ('stored', 'the next iteration replaces it', 800)
        """
        special, given = self._meant(args_or_types)
        if special is not self:
            return special.explain(*given)
        self._looked_at(args_or_types)
        arguments, relations = self._signature_for(args_or_types)
        if self.build.mode == "batch":
            return of_batch(read_source(self.python), stages_of(self, (arguments, relations)))
        with compiling, boundary(self.python, arguments):
            derived, source = self.build.derivation(arguments, relations)
            records = measure.records(derived)
            stages = self.build.stages_for_cores(derived, arguments, relations)
            if not args_or_types or any(isinstance(each, types.Type) for each in args_or_types):
                return explanation(derived, source, None, stages=stages)
            if not records:
                return explanation(derived, source, {}, stages=stages)
            run = self.build.byte_counter(derived, records, arguments)
        with running(self.python, arguments):
            try:
                counted = run(*self.with_defaults(*args_or_types))
            except MemoryError as error:
                lacking = self._lacking(error, args_or_types)
                return explanation(derived, source, None, lacking, stages=stages)
        again = dict(zip(measure.restarts(derived), counted[len(records) :], strict=True))
        sizes = dict(zip(records, counted, strict=False))
        size, free = sum(sizes.values()), available()  # a record of which only the size is read is not made
        full = worded(MemoryError(NO_ROOM, size, free)) if size > free else None
        return explanation(derived, source, sizes, full, again=again, stages=stages)

    @hiding
    def show(self, *args: Any, **kwargs: Any) -> blocks.Shown:
        """Call the function, and show the gradient, Jacobian or Hessian: as tables, and as pictures of large arrays.

        Notebooks show the result in colours, `print` as text; its `value` is what the call returned.

        >>> import numpy as np, backsweep as bs
        >>> def steps(x):
        ...     return x[1:] * x[:-1]
        >>> bs.jacobian(steps).show(np.array([1.0, 2.0, 4.0]))
        jacobian of steps, with respect to x
        <BLANKLINE>
        d steps / d x: 2 × 3, float64, 4 of 6 entries are not zero
                    x[0]  x[1]  x[2]
          steps[0]     2     1     ·
          steps[1]     ·     4     2
        """
        value, build = self(*args, **kwargs), self.build
        given = dict(zip(self._signature.parameters, self.with_defaults(*args, **kwargs), strict=True))
        asked = {"single": build.single, "has_aux": build.has_aux}
        return blocks.shown(build.mode, self.python.__name__, value, build.wrt, given, **asked)

    def _lacking(self, error: MemoryError, args: Sequence[Any]) -> MemoryError:
        """The error to raise for a lack of memory: with words, if the records are what does not fit."""
        if not names_bytes(error) and self.build.mode in ("grad", "value_and_grad", "vjp"):
            arguments, relations = self._signature_for(args)
            with compiling, boundary(self.python, arguments):
                rows = explanation(*self.build.derivation(arguments, relations), None).rows
            values = self._signature.bind(*args).arguments
            size, free = estimated(rows, values), available()
            if size > free:
                return worded(MemoryError(NO_ROOM, size, free))
        return worded(error)

    @hiding
    def save(self, path: str, *args_or_types: Any) -> None:
        """Write the emitted code to a module that needs only NumPy and Numba.

        Arguments:
            path: the file to write; an existing file is overwritten.
            args_or_types: arguments as for a call, or Numba types; without any, the types of the latest call.

        Raises:
            ArgumentError: nothing was called yet and no arguments are given. Also what a call raises.
        """
        emitted = self._looked_at(args_or_types)
        with boundary(self.python):
            text = standalone(emitted.text)
        Path(path).write_text(text, encoding="utf-8")

    def _looked_at(self, args_or_types: Sequence[Any]) -> Emitted:
        special, args_or_types = self._meant(args_or_types)
        if special is not self:
            return special._looked_at(args_or_types)
        if args_or_types or self._latest is None:
            if not args_or_types and inspect.signature(self.python).parameters:
                raise ArgumentError(
                    Problem(
                        "BS501",
                        "nothing to show yet: the code depends on the types of the arguments",
                        remedy="call the function first, or pass example arguments (or Numba types) here.",
                    )
                )
            return self._for(self._signature_for(args_or_types))
        return self._for(self._latest)

    def _meant(self, args_or_types: Sequence[Any]) -> tuple[Transformed, tuple[Any, ...]]:
        """The transformed function, and the arguments or types of the call that `source`, `stages` and `explain` show.

        Without arguments, those of the latest call.
        """
        if not args_or_types or any(isinstance(each, types.Type) for each in args_or_types):
            return (self._called if not args_or_types else self), tuple(args_or_types)
        special, given = self.special(*args_or_types)
        return special, given.args

    def _signature_for(self, args_or_types: Sequence[Any]) -> Signature:
        """The signature of a call with these arguments, or with Numba types, which show no extents; without arguments, of the latest call."""
        if not args_or_types and self._latest is not None:
            return self._latest
        are_types = any(isinstance(each, types.Type) for each in args_or_types)
        parameters = list(self._signature.parameters.values())
        args_or_types = gathered(parameters, args_or_types)
        given = [each if isinstance(each, types.Type) else numba.typeof(each) for each in args_or_types]
        given += [type_of_missing(parameter) for parameter in parameters[len(given) :]]
        arguments = tuple(given)
        return arguments, () if are_types else self._relations_of(
            arguments, seen_in(dict(zip(self._signature.parameters, args_or_types, strict=False)))
        )

    def argument_types(self, given: inspect.BoundArguments) -> tuple[NumbaType, ...]:
        """Numba's types of the arguments of a call, all of which Numba accepts."""
        return tuple(
            numba.typeof(given.arguments[name]) if name in given.arguments else type_of_missing(parameter)
            for name, parameter in self._signature.parameters.items()
        )

    @property
    def _numba_type_(self) -> NumbaType:
        return types.Dispatcher(self._dispatcher)

    def made_from(self) -> str | Parts:
        """Its name if a decorator put it into its module, else what it is made of."""
        if is_importable(self):
            return self.python.__qualname__
        return Transformed, (self.function, self.build)

    def is_as_made(self) -> bool:
        """Whether no hook was added."""
        return not self._handles

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def _repr_html_(self) -> str:
        """For Jupyter: the function, and beside it the code of the latest call."""
        try:
            source, text = self._pair()
        except BacksweepError as error:
            return side_by_side.refused(repr(self), str(error))
        return side_by_side.as_html(source, text, f"{self.build.mode}, as emitted")

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """For IPython: the same as text."""
        try:
            printer.text(repr(self) if cycle else side_by_side.as_text(*self._pair()))
        except BacksweepError as error:
            printer.text(f"{self!r}\n{error}")

    def _pair(self) -> tuple[Source, str | None]:
        """The source of the function, and the code for the latest call."""
        called = self._called
        if called._latest is None:
            with compiling, boundary(self.python):
                return read_source(self.python), None
        with compiling, boundary(self.python, called._latest[0]):
            return called.build.source_for(*called._latest), called._for(called._latest).text

    def __dir__(self) -> list[str]:
        """What users call, and what Python asks of functions."""
        return ["__call__", "__doc__", "__module__", "__name__", "__qualname__", "__wrapped__", *SHOWN]

    def __repr__(self) -> str:
        return f"<backsweep {self.build.mode} of {self.python.__name__}>"


@typeof_impl.register(Transformed)
def _typeof_transformed(value: Transformed, _context: Any) -> NumbaType:
    return types.Dispatcher(value._dispatcher)
