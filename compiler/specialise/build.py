"""Build the code for a signature: the request, the emitted text, and its compilation."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import itertools
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core.dispatcher import Dispatcher

from backsweep.ad.derivation import Derivation
from backsweep.analysis.integers.relations import Relations, Seen, as_lists, from_lists
from backsweep.diagnostics import ArgumentError, Problem, TypingError, UnsupportedError
from backsweep.dispatch.dispatchers import Called
from backsweep.dispatch.inference import compiler
from backsweep.emit.identity import content, contents, statements, type_content
from backsweep.emit.module import Module, emit_module
from backsweep.explanation import measure
from backsweep.frontend.calls.derived import is_derived
from backsweep.frontend.constructs.custom import customised
from backsweep.frontend.context.long_programs import LongPrograms
from backsweep.frontend.context.rounds import Library
from backsweep.frontend.context.taps import Taps
from backsweep.interprocedural.customs import with_all_customs
from backsweep.ir.nodes import For, Function, Value
from backsweep.ir.show import show
from backsweep.ir.typed import type_of
from backsweep.ir.types import Fixed, Scalar, Tuple, Type
from backsweep.ir.walk import programs, walk, with_marks
from backsweep.pipeline.derivative import primal_of
from backsweep.pipeline.passes import Stages
from backsweep.pipeline.table import left_out
from backsweep.programs import sweeps
from backsweep.programs.batch import batched
from backsweep.programs.library import WRITTEN, refuse_intrinsics
from backsweep.programs.listed import with_arrays
from backsweep.programs.modes import function_names, pass_for, title
from backsweep.programs.primal import Begun, lowered, traceable_primal
from backsweep.programs.recursive import with_callees
from backsweep.programs.request import FORWARDS, JACOBIANS, Request
from backsweep.reading.functions import Source, read_source
from backsweep.reading.outside import Read, hold
from backsweep.requests import Axes, Options
from backsweep.runtime.machine_code import turns
from backsweep.runtime.machine_code.compiling import Compiled, compiling, only_new_garbage
from backsweep.runtime.machine_code.kept import MachineCode, versions
from backsweep.runtime.support.python_calls import may_release_lock
from backsweep.runtime.tape import ReferenceList
from backsweep.specialise.arguments import (
    Forms,
    Listed,
    Shared,
    check_active,
    check_precision,
    example_of,
    restorer,
    with_form,
)
from backsweep.store import text_files as cache
from backsweep.store.modules import (
    remember_facts,
    remember_module,
    remembered_facts,
    remembered_module,
)
from backsweep.store.records import record_class
from backsweep.typing.infer import bound_value, from_numba, plain

NumbaType = Any  # Numba ships no annotations
Result = TypeVar("Result")
_volatile = itertools.count()
"""Numbers that make the keys unique of code that refers to objects of this process."""


@dataclass(slots=True, eq=False)
class Emitted:
    """The code for one signature: its text, its functions, and the stages of its program.

    `lasting` says that the code means the same in every process, so that its machine code may be cached; `customised`,
    that the user defines a derivative in it; `checked`, that an inlined function asks Numba to check its subscripts.
    `loaded` keeps its module alive; `reads` are what the function read around it when the code was emitted. `unlocked` says
    that other threads of Python may run beside its machine code.
    """

    text: str
    names: tuple[str, ...]
    functions: dict[str, Callable[..., Any]]
    loaded: cache.Loaded
    lasting: bool = True
    customised: bool = False
    checked: bool = False
    reads: tuple[Read, ...] = ()
    unlocked: bool = False


def compiled(emitted: Emitted, number: int, options: Options) -> Any:
    """The Numba dispatcher of one of the emitted functions."""
    function = emitted.functions[emitted.names[number]]
    if isinstance(function, Dispatcher):
        return function
    in_blocks = any(each is numba.prange for each in vars(emitted.loaded.module).values())
    keywords = options.for_numba(in_blocks=in_blocks)
    if emitted.checked:
        keywords["boundscheck"] = True
    alone = {**keywords, "parallel": False}
    _compile_callees(emitted.functions, emitted.names, alone, vector_math=options.vector_math)
    # Not every threading layer of Numba's lets two threads begin parallel loops
    options_ = {"nopython": True, "nogil": emitted.unlocked and not keywords["parallel"], **keywords}
    made_by = compiler(vector_math=options.vector_math)
    dispatcher = Compiled(function, targetoptions=options_, pipeline_class=made_by)
    if options.cache and emitted.lasting and not _is_recursive(emitted.functions):
        dispatcher._cache = MachineCode(emitted.names[number], functools.partial(str, emitted.loaded.mark))
    dispatcher.loaded = emitted.loaded  # Numba looks for the module whenever it compiles, which may be later
    emitted.functions[emitted.names[number]] = dispatcher
    return dispatcher


def _is_recursive(functions: Mapping[str, Callable[..., Any]]) -> bool:
    """Whether one of the functions calls itself, directly or not: Numba crashes when it loads such machine code from a file (its issue 6061)."""
    known = [plain(function) for function in functions.values()]
    calls = {each.__name__: set(each.__code__.co_names) for each in known}
    while calls:
        last = [name for name, called in calls.items() if called.isdisjoint(calls)]
        if not last:
            return True
        for name in last:
            del calls[name]
    return False


def _compile_callees(
    functions: dict[str, Callable[..., Any]],
    names: tuple[str, ...],
    keywords: Mapping[str, Any],
    *,
    vector_math: bool,
) -> None:
    """Have Numba compile the functions of a module, except the functions in `names`, which call them."""
    for name, function in functions.items():
        if name not in names and not isinstance(function, Dispatcher):
            # The others call it by its name, so that is where Numba has to find it compiled
            called = Called(function, keywords, vector_math=vector_math)
            functions[name] = function.__globals__[function.__name__] = called


@dataclass(frozen=True, eq=False)
class Build:
    """Everything that determines the code for a signature; `forms` are the forms of arguments that Numba does not accept.

    `hooks` maps labels of variables to functions that see their adjoints; the values of the variables in `values` are
    returned as well. `axes` are those of a batch.
    """

    function: Callable[..., Any]
    mode: str
    wrt: tuple[str, ...]
    single: bool
    has_aux: bool
    record: type | None
    options: Options
    forms: Forms = ()
    hooks: tuple[tuple[str, Callable[..., Any]], ...] = ()
    values: tuple[str, ...] = ()
    values_record: type | None = None
    axes: Axes | None = None
    libraries: dict[Hashable, Library] = field(default_factory=dict)
    """What is known of library calls, by forms and types of the arguments."""
    begun: dict[tuple[NumbaType, ...], Begun] = field(default_factory=dict, init=False)
    """The signature whose relations were looked for last, for the code that is mostly asked for next."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what was asked for: no process finds the classes of results, and each looks at library calls itself."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.init}
        records = {name: getattr(fields[name], "_fields", None) for name in ("record", "values_record")}
        return _rebuilt, ({**fields, **records, "libraries": {}},)

    def source_for(self, arguments: tuple[NumbaType, ...], relations: Relations = ()) -> Source:
        """The source of the function; of a transformed one, the source emitted for these argument types and relations."""
        if self.axes is not None:
            return read_source(self._batched(arguments))
        if is_derived(self.function):
            return read_source(self.function.fixing(self.forms).python_for(arguments, relations))
        source = read_source(self.function)
        checked = self.options.boundscheck
        return source if checked is None else dataclasses.replace(source, checked=checked)

    def _batched(self, arguments: tuple[NumbaType, ...]) -> Callable[..., Any]:
        """The function that calls this one for each example of a batch."""
        assert self.axes is not None
        one = dataclasses.replace(self, mode="value", axes=None)
        names, constants = list(inspect.signature(self.python).parameters), self._constants(arguments)

        def primal(types_: tuple[NumbaType, ...]) -> Function:
            return one._settled(types_, lambda: one._lowered(types_).primal((), []))

        return batched(example_of(self.function, self.forms), names, arguments, self.axes, constants, primal)

    def relations(
        self, arguments: tuple[NumbaType, ...], seen: Seen, *, sizes: bool, gathers: bool = True
    ) -> Relations | None:
        """The relations between extents that code for a call like this may assume; None if it never needs any.

        With `sizes`, those of small matrices are among them. A derivative assumes what its function assumes; only
        reverse sweeps gather. What was found before is read from the disk.
        """
        gathers = gathers and self.mode not in FORWARDS
        if is_derived(self.function) and self.axes is None:
            inner: Build = self.function.fixing(self.forms).build
            return inner.relations(arguments, seen, sizes=sizes, gathers=gathers)
        return self._settled(
            arguments, lambda: self._relations(arguments, seen, sizes=sizes, gathers=gathers)
        )

    def _relations(
        self, arguments: tuple[NumbaType, ...], seen: Seen, *, sizes: bool, gathers: bool
    ) -> Relations | None:
        """The relations for a function that is not itself a derivative; what was found before is read from the disk."""
        begun = self._written_out(arguments)
        self.begun.clear()
        self.begun[arguments] = begun

        def assumed() -> Relations | None:
            known = self.begun[arguments] = begun.with_types([])
            return known.relations(seen, gathers=gathers, sizes=sizes)

        key = self._key_of_facts(begun.untyped, arguments, gathers, sizes)
        if key is None:
            return assumed()
        kept = remembered_facts(key, [])
        if kept == [] and compiling.alone(turns.FACTS, key):
            kept = remembered_facts(key, [])
        if kept is None:
            return None
        for each in map(from_lists, kept):
            if all(relation.holds(seen) for relation in each):
                return each
        found = assumed()
        if found is None:
            remember_facts(key, None)
        elif found:
            remember_facts(key, [as_lists(found), *kept])
        return found

    def _written_out(self, arguments: tuple[NumbaType, ...]) -> Begun:
        """The lowered program, in which calls of which a derivative is asked and that have no rule as they are, are written out.

        Their texts tell more of shapes. Which calls these are is read from the disk.
        """
        library = self._library(arguments)
        while True:
            begun = self._lowered(arguments)
            if self.mode == "value":
                return begun
            key = self._key_of_facts(begun.untyped, arguments, "calls without a rule")
            numbers = None if key is None else remembered_facts(key, None)
            if numbers is None:
                begun = begun.with_types([])
                numbers = begun.calls_without_rule(self.wrt)
                if key is not None:
                    remember_facts(key, numbers)
            places = [node.loc for node in walk(begun.untyped.body)] if numbers else []
            if not library.ask([places[number] for number in numbers]):
                return begun

    def _key_of_facts(self, program: Function, arguments: Sequence[Any], *asked: object) -> str | None:
        """The key of what is kept of a program on the disk; None if it refers to what has no lasting description."""
        references, given = contents(program), [type_content(type_) for type_ in arguments]
        if references is None or None in given:
            return None
        identities = "\n".join(text for text, _ in references)
        more = repr((given, self._facts(), *asked))
        return cache.digest(show(program), statements(program), identities, more, cache.sources_mark())

    def emit(
        self,
        arguments: tuple[NumbaType, ...],
        relations: Relations = (),
        *,
        optimize: str = "loops",
        stages: Stages | None = None,
    ) -> Emitted:
        """The code for a signature that assumes these relations, from the disk if it was emitted before.

        With `stages`, it is always emitted anew.
        """
        before = len(stages or ())

        def attempt() -> Emitted:
            if stages is not None:
                del stages[before:]
            return self._emit(arguments, relations, optimize, stages)

        return self._settled(arguments, attempt)

    def _settled(self, arguments: tuple[NumbaType, ...], attempt: Callable[[], Result]) -> Result:
        """Repeat an attempt, which lowers the function, as long as it fails for a library call; return its result.

        A call without a rule is tried by its implementation; an implementation that is refused stays a call.
        """
        library = self._library(arguments)
        while True:
            try:
                with only_new_garbage():
                    return attempt()
            except (UnsupportedError, TypingError) as error:
                if not library.learns_from(error.problems):
                    raise type(error)([library.explained(problem) for problem in error.problems]) from None

    def _library(self, arguments: tuple[NumbaType, ...]) -> Library:
        """What is known of library calls for these arguments."""
        helpers = LongPrograms(wanted=self.mode not in FORWARDS)
        return self.libraries.setdefault((repr(self.forms), arguments), Library(WRITTEN, helpers=helpers))

    def _emit(
        self,
        arguments: tuple[NumbaType, ...],
        relations: Relations,
        optimize: str,
        stages: Stages | None,
    ) -> Emitted:
        """The code for a signature, as far as it is known what library calls need."""
        begun = self.begun.pop(arguments, None)
        if begun is None or stages is not None or not hold(begun.untyped.reads):
            begun = self._lowered(arguments, relations)
        untyped = begun.untyped
        if not self.options.jit:
            refuse_intrinsics(untyped)
        name = cache.without_mark(untyped.name).replace("<lambda>", "function")
        if self.mode in ("hessian", "hvp"):
            name = name.removesuffix("_grad")  # it is the Jacobian, or the tangent, of a gradient
            place = read_source(self.python)
            untyped = dataclasses.replace(untyped, loc=place.loc(place.node))
        untyped = dataclasses.replace(untyped, name=name)
        check_active(self.wrt, self._kinds(arguments), begun.source)
        docstring = self._docstring(begun.source, name)
        references, given = contents(untyped), [type_content(type_) for type_ in arguments]
        lasting = references is not None and None not in given
        symmetric = self._is_symmetric(arguments)
        checked = any(program.checked for program in programs(untyped))
        facts = repr((given if lasting else next(_volatile), self._facts(), symmetric, optimize, checked))
        identities = "\n".join(text for text, _ in references or ())
        assumed = "; ".join(map(str, relations))
        key = cache.digest(
            show(untyped), statements(untyped), identities, facts, assumed, docstring, cache.sources_mark()
        )
        table = dict([*(references or ()), (str(content(ReferenceList)), ReferenceList)])
        kept = lasting and stages is None
        module = remembered_module(key, table) if kept else None
        if module is None and kept and compiling.alone(turns.TEXT, key):
            module = remembered_module(key, table)
        if module is None:
            request = self._request(optimize, symmetric=symmetric)
            stages = [] if stages is None else stages
            primal = dataclasses.replace(begun, untyped=untyped).primal(relations, stages)
            module = self._written(primal, begun.types, request, docstring, stages)
            if lasting:
                remember_module(key, module, table)
        called = function_names(name, self.mode)
        loaded = cache.load(module.text, name, module.bindings, key)
        functions = dict(loaded.functions)
        decided = customised(untyped)
        unlocked = may_release_lock(loaded.module, module.text, arguments)
        return Emitted(
            module.text, called, functions, loaded, lasting, decided, checked, untyped.reads, unlocked
        )

    def _is_symmetric(self, arguments: tuple[NumbaType, ...]) -> bool:
        """Whether the result is known to be symmetric: the Hessian of a function without custom derivatives."""
        if self.mode != "hessian" or not is_derived(self.function):
            return False
        return not self.function.fixing(self.forms).customised(arguments)

    def _request(self, optimize: str, *, symmetric: bool) -> Request:
        """The request for the pipeline."""
        new_list = ReferenceList if self.mode == "vjp" and self.options.jit else list
        gradient = (self.mode, self.wrt, self.single, self.has_aux, self.record, new_list, optimize)
        checked = (self._watched, self.options.strong_zeros, symmetric)
        return Request(*gradient, self.values, self.values_record, *checked)

    def _written(
        self, primal: Function, types_: list[NumbaType], request: Request, docstring: str, stages: Stages
    ) -> Module:
        """The module for a typed primal and Numba's types of its parameters."""
        self._check_rows(primal)
        names = list(inspect.signature(self.python).parameters)
        functions = pass_for(self.mode)(primal, request, types_, stages)
        whole = [self._with_all_parameters(function, names) for function in functions]
        written = with_callees(whole, request, stages)
        if request.optimize == "kernels":
            from backsweep.gpu.program import kernel_module  # loads Numba's part for GPUs

            asked = self.options.marks is True
            return kernel_module(written, primal, docstring, count=len(whole), asked=asked, stages=stages)
        return emit_module(written, docstring)

    def _check_rows(self, primal: Function) -> None:
        """Raise ArgumentError for a Jacobian whose rows would have to become dataclasses."""
        if self.mode not in JACOBIANS or restorer(self.forms, self.wrt, single=self.single) is None:
            return
        if isinstance(type_of(primal.body.yields[0]), Tuple):
            message = f"`{primal.name}` returns a tuple, and an argument is a dataclass or holds a function"
            remedy = "return an array of the numbers, or pass them as an array or a tuple."
            raise ArgumentError(Problem("BS412", message, primal.loc, remedy))

    def primal_for(self, arguments: tuple[NumbaType, ...], relations: Relations = ()) -> Function:
        """The program for a signature that derivatives are written from."""
        return self._settled(arguments, lambda: self._lowered(arguments, relations).primal(relations, []))

    def derivation(
        self, arguments: tuple[NumbaType, ...], relations: Relations = ()
    ) -> tuple[Derivation, Source]:
        """The sweeps for a signature with the facts behind them, and the source that they are for."""

        def attempt() -> tuple[Derivation, Source]:
            begun = self._lowered(arguments, relations)
            request = Request(self.mode, self.wrt, self.single, self.has_aux)
            return sweeps.derive(begun.primal(relations, []), request, []), begun.source

        return self._settled(arguments, attempt)

    def stages_for_cores(
        self, derived: Derivation, arguments: tuple[NumbaType, ...], relations: Relations
    ) -> Stages:
        """The stages of the code in which a loop is asked to run on all cores; none if no loop is."""
        stages: Stages = []
        if any(isinstance(node, For) and node.parallel for node in walk(derived.primal.body)):
            self.emit(arguments, relations, stages=stages)
        return stages

    def traceable(
        self, arguments: tuple[NumbaType, ...], check: Callable[[Function], Result]
    ) -> tuple[Function, Result]:
        """The typed program for a signature with a tap at each assignment, and what the check gives of it.

        A library call that the check refuses is tried by its implementation.
        """

        def attempt() -> tuple[Function, Result]:
            begun = self._lowered(arguments, taps=Taps(every=True))
            program = with_all_customs(traceable_primal(begun.untyped, begun.types), primal_of)
            return program, check(program)

        return self._settled(arguments, attempt)

    def _lowered(
        self, arguments: tuple[NumbaType, ...], relations: Relations = (), taps: Taps | None = None
    ) -> Begun:
        """The lowered program for a signature, its source, and the types of its parameters."""
        constants = self._constants(arguments)
        source = self.source_for(arguments, relations)
        check_precision(self._kinds(arguments), source)
        types_ = self._unbound_types(arguments, constants)
        names = inspect.signature(self.python).parameters
        hooks = {name: [fn for label, fn in self.hooks if label == name] for name, _ in self.hooks}
        labels = (*(name for name in self.wrt if name not in names), *self.values, *hooks)
        taps = taps or Taps(tuple(dict.fromkeys(labels)), hooks)
        kinds, library = self._kinds(arguments), self._library(arguments)
        is_made = is_derived(self.function)  # which takes the arrays themselves
        lists = {name for name, form in self.forms if isinstance(form, Listed) and not is_made}
        shared = any(isinstance(form, Shared) for _, form in self.forms)
        untyped = with_arrays(
            lowered(source, constants, types_, kinds, taps=taps, library=library, lists=lists, shared=shared)
        )
        return Begun(with_marks(untyped, self.options.marks), source, types_)

    def byte_counter(
        self, derived: Derivation, records: Mapping[Value, Any], arguments: tuple[NumbaType, ...]
    ) -> Callable[..., Any]:
        """A function with the user's signature that runs the forward sweep and returns the bytes of its records."""
        types_ = self._unbound_types(arguments, self._constants(arguments))
        return self._counting(sweeps.finish(measure.byte_counter(derived, records), types_, "loops", []))

    def kept_counter(self, arguments: tuple[NumbaType, ...], relations: Relations) -> Callable[..., Any]:
        """A function with the user's signature that returns the bytes of all arrays that a gradient keeps for its reverse sweep."""

        def attempt() -> Function:
            begun = self._lowered(arguments, relations)
            primal, request = begun.primal(relations, []), self._request("loops", symmetric=False)
            (function,) = sweeps.adjoint(primal, request, begun.types, [])
            return measure.kept_counter(function)

        return self._counting(self._settled(arguments, attempt))

    def _counting(self, function: Function) -> Callable[..., Any]:
        """A program that counts bytes, as a function with the user's signature."""
        function = self._with_all_parameters(function, list(inspect.signature(self.python).parameters))
        functions_ = with_callees([function], Request(self.mode, self.wrt, self.single), [])
        docstring = "The bytes that stay for the reverse sweep."
        module = emit_module(functions_, docstring)
        loaded = cache.load(module.text, function.name, module.bindings, "bytes")
        functions = dict(loaded.functions)
        counter: Callable[..., Any] = functions[function.name]
        if self.options.jit:
            keywords = {"error_model": self.options.error_model}
            _compile_callees(functions, (function.name,), keywords, vector_math=self.options.vector_math)
            counter = Compiled(counter, targetoptions={"nopython": True, **keywords})
            counter.loaded = loaded
        return counter

    def _kinds(self, arguments: tuple[NumbaType, ...]) -> dict[str, Type]:
        """The IR types of the parameters, including their fixed parts."""
        forms, names = dict(self.forms), inspect.signature(self.python).parameters
        return {
            name: with_form(from_numba(type_), forms.get(name))
            for name, type_ in zip(names, arguments, strict=True)
        }

    def _unbound_types(
        self, arguments: tuple[NumbaType, ...], constants: Mapping[str, object]
    ) -> list[NumbaType]:
        """The types of the parameters that are not bound to constants."""
        names = inspect.signature(self.python).parameters
        return [type_ for name, type_ in zip(names, arguments, strict=True) if name not in constants]

    @property
    def python(self) -> Callable[..., Any]:
        """The plain Python function whose signature the transformed one has."""
        function = self.function
        while is_derived(function):
            function = function.function
        return plain(function)

    @property
    def _watched(self) -> bool:
        """Whether derivatives are checked for nan; tangents of a gradient are not, because its adjoints are checked."""
        forwards = self.mode in FORWARDS
        return self.options.debug_nan and not (forwards and is_derived(self.function))

    def _facts(self) -> tuple[Any, ...]:
        record = None if self.record is None else self.record.__name__
        return (
            self.mode,
            self.wrt,
            self.values,
            self.values_record is None,
            self.single,
            self.has_aux,
            record,
            self.options,
            self.axes,
            sorted(left_out()),
            versions(),
        )

    def _constants(self, arguments: Sequence[NumbaType]) -> dict[str, object]:
        """The parameters that are bound when the code is emitted: functions, None, strings, and omitted defaults."""
        names = inspect.signature(self.python).parameters
        bound = {name: bound_value(type_) for name, type_ in zip(names, arguments, strict=True)}
        fixed = {name: form.value for name, form in self.forms if isinstance(form, Fixed)}
        return {name: value for name, found in bound.items() for value in found} | fixed

    def restored(self, result: Any) -> Any:
        """The result of the emitted function, with gradients in the structure of the arguments."""
        if self.axes is not None and is_derived(self.function):
            return example_of(self.function, self.forms).build.restored(result)
        restore = restorer(self.forms, self.wrt, single=self.single)
        if restore is None or self.mode in ("vjp", "batch"):
            return result
        if self.mode == "value_and_grad":
            return (result[0], restore(result[1]), *result[2:])
        return (restore(result[0]), result[1]) if self.has_aux else restore(result)

    def _with_all_parameters(self, function: Function, names: Sequence[str]) -> Function:
        """The function with all parameters of the user's signature, including those that are bound to constants."""
        if self.mode == "vjp" and function.name.endswith("_pullback"):
            return function
        present = {value.name: value for value in function.body.parameters}
        own = [present.get(name) or Value(name, Scalar("int64"), function.loc) for name in names]
        parameters = (*own, *(value for value in function.body.parameters if value.name not in names))
        return dataclasses.replace(function, body=dataclasses.replace(function.body, parameters=parameters))

    def _docstring(self, source: Source, name: str) -> str:
        if self.axes is not None:
            source = read_source(self.python)
        place = source.loc(source.node)
        where = f"`{name}` ({cache.without_mark(Path(place.file).stem)}.py:{place.line})"
        by = f" with respect to {', '.join(self.wrt)}" if self.wrt else ""
        return f"{title(self.mode)} of {where}{by}. Written by backsweep."


def _rebuilt(fields: dict[str, Any]) -> Build:
    """What was asked for, from its pickle, which holds the names of the results in place of their classes."""
    for name, called in (("record", "Gradient"), ("values_record", "Intermediates")):
        fields[name] = None if fields[name] is None else record_class(called, fields[name])
    return Build(**fields)
