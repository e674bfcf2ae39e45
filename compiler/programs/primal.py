"""From a Python function to the typed program that every transformation starts from."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from backsweep.analysis.integers.relations import Relations, Seen
from backsweep.diagnostics import Problem, UnsupportedError
from backsweep.frontend.calls.derived import is_derived
from backsweep.frontend.constructs.kinds import UNKNOWN
from backsweep.frontend.context.rounds import (
    Expansions,
    FoundRecursionError,
    Implementation,
    Library,
    Recursion,
    Waiting,
)
from backsweep.frontend.context.taps import Taps
from backsweep.frontend.lower import lower
from backsweep.interprocedural.summaries import (
    Pure,
    bundle,
    parts_of,
    pure,
    raises,
    refuse_random,
    refuse_shared_results,
)
from backsweep.ir.dead_code import eliminate_dead_code
from backsweep.ir.nodes import Apply, Callee, Custom, Function, Operand, Value
from backsweep.ir.types import Array, Fixed, Scalar, Type, with_layout
from backsweep.ir.walk import operands, programs, results, walk
from backsweep.legalise.arrays.assumed_extents import relations_of_call
from backsweep.legalise.paths.optional_values import separate_none
from backsweep.legalise.unsupported import calls_without_rule
from backsweep.pipeline.derivative import UNMARKED
from backsweep.pipeline.passes import PassInputs, Stages, run
from backsweep.pipeline.primal import CORE, ENTRY, EXPANDED, PRIMAL, PROTECTED, TRACED, TYPED
from backsweep.programs.library import settle_types
from backsweep.reading.functions import Source, read_source
from backsweep.reading.outside import Read
from backsweep.reading.own_classes import refuse_own_arrays
from backsweep.runtime.linalg import solved_transposed
from backsweep.store.text_files import without_mark
from backsweep.typing.infer import (
    UNREACHED,
    argument_type,
    cotangent_type,
    from_numba,
    numba_types,
    tuple_type,
)
from backsweep.typing.propagate import disunited
from backsweep.typing.stubs import Made


@dataclass(frozen=True, slots=True)
class Recursive:
    """The functions that call themselves, by the function, the types of its arguments and its fixed arguments.

    `typing_stubs` are what Numba is asked about in their place, `library` is what is known of library calls, and `reads` are
    what the functions read around them.
    """

    callees: dict[tuple[object, ...], Callee] = field(default_factory=dict)
    typing_stubs: Made = field(default_factory=dict)
    library: Library = field(default_factory=Library)
    reads: list[Read] = field(default_factory=list)


def with_types(untyped: Function, arguments: Sequence[Any], stages: Stages) -> Function:
    """The program with Numba's types for arguments of these types."""
    return run(TYPED, untyped, stages, PassInputs(arguments))


def typed_primal(
    typed: Function, arguments: Sequence[Any], stages: Stages, relations: Relations = ()
) -> Function:
    """The typed primal in the form that every transformation starts from: the core language, arguments protected.

    It checks on entry that the relations hold, and assumes them from there on.
    """
    return run((*ENTRY, *CORE, *PROTECTED, *PRIMAL), typed, stages, PassInputs(arguments, relations))


@dataclass(frozen=True, slots=True, eq=False)
class Begun:
    """The lowered program of a signature, before relations between extents are known, with its source and its parameters' types.

    `typed` is the program with types, if they were asked for already.
    """

    untyped: Function
    source: Source
    types: list[Any]
    typed: Function | None = None

    def with_types(self, stages: Stages) -> Begun:
        """A copy of this with the typed program, which has the name and the place of the untyped one."""
        typed = with_types(self.untyped, self.types, stages) if self.typed is None else self.typed
        if (typed.name, typed.loc) != (self.untyped.name, self.untyped.loc):
            typed = dataclasses.replace(typed, name=self.untyped.name, loc=self.untyped.loc)
        return dataclasses.replace(self, typed=typed)

    def expanded(self) -> Function:
        """The typed program in which library calls are as rules have them."""
        assert self.typed is not None
        return run(EXPANDED, self.typed, [], PassInputs(self.types))

    def calls_without_rule(self, wrt: Collection[str]) -> list[int]:
        """The numbers of the nodes that call what has no rule as it is called, and of which a derivative by these variables is asked."""
        places = calls_without_rule(self.expanded(), wrt)
        return [number for number, node in enumerate(walk(self.untyped.body)) if node.loc in places]

    def relations(self, seen: Seen, *, gathers: bool, sizes: bool) -> Relations | None:
        """The relations between extents that code for a call with these extents should assume; None if it never needs any.

        A derivative with a reverse sweep `gathers` what it adds to neighbouring elements, where loops are long enough. With
        `sizes`, those of small matrices are among them.
        """
        return relations_of_call(self.expanded(), seen, gathers=gathers, sizes=sizes)

    def primal(self, relations: Relations, stages: Stages) -> Function:
        """The program that derivatives are written from; it checks on entry that the relations hold."""
        typed = self.with_types(stages).typed
        assert typed is not None
        return typed_primal(typed, self.types, stages, relations)


def traceable_primal(untyped: Function, arguments: Sequence[Any]) -> Function:
    """The primal with Numba's types, arguments protected, and otherwise as near to the user's text as may be."""
    return run((*TYPED, *CORE, *TRACED), untyped, [], PassInputs(arguments))


def lowered(
    source: Source,
    constants: Mapping[str, object],
    arguments: Sequence[Any],
    kinds: Mapping[str, Type] | None = None,
    recursive: Recursive | None = None,
    taps: Taps | None = None,
    library: Library | None = None,
    lists: Collection[str] = (),
    *,
    shared: bool = False,
) -> Function:
    """The untyped program; callees inlined, all exits structured, branches on the types in `kinds` decided.

    It is lowered in rounds: calls of transformed functions get their code, and functions that call themselves, which
    are `recursive`, their programs, once the types of the arguments are known; so do calls of library functions without
    a rule, of which `library` tells what is known. `taps` are the variables that are asked for, `lists` the parameters that
    are arrays here, of which the function makes lists. If a list or a dict is given under several names, `shared`, the function
    must not change it.
    """
    recursive = recursive or Recursive(library=library or Library())
    expansions = Expansions(recursive.typing_stubs, library=recursive.library, shared=shared)
    signature = (source.function, *arguments)
    expansions.known.update(recursive.library.settled.get(signature, {}))
    while True:
        try:
            program = lower(source, constants, expansions, kinds, taps, lists)
        except FoundRecursionError as found:
            expansions.recursive.add(found.function)
            continue
        nodes = [node for each in programs(program) for node in walk(each.body)]
        refuse_own_arrays(nodes)
        made = {value: node for node in nodes for value in results(node)}
        waiting = {value: call for value, call in expansions.waiting.items() if value in made}
        if not waiting:
            expansions.unreported.report()
            if recursive.library.helpers.choose(walk(program.body), expansions.written_out):
                continue
            if expansions.assumed:
                types = numba_types(program, arguments, partial=True)
                _check_assumed(program, expansions.assumed, types)
                program = eliminate_dead_code(program)
            recursive.library.settled[signature] = {
                place: found
                for place, found in expansions.known.items()
                if isinstance(found, Implementation | Type)
            }
            return dataclasses.replace(program, reads=(*program.reads, *recursive.reads))
        types = _types_in_round(program, arguments, waiting)
        for value, call in waiting.items():  # what a loop hands on unchanged was replaced
            types |= {
                before: argument_type(now, types)
                for before, now in zip(call.lowered, operands(made[value]), strict=True)
                if isinstance(before, Value)
            }
        settle_types(waiting, made, types, expansions)
        if any(call.waits_for_types for call in waiting.values()):
            continue  # what the types decide comes first
        for value, call in waiting.items():
            expansions.known[call.place] = (
                _derived(call, types)
                if is_derived(call.function)
                else _recursion(
                    call, types, types[value], recursive, Taps(every=taps is not None and taps.every)
                )
            )


def _check_assumed(program: Function, assumed: Mapping[Value, Type], types: Mapping[Any, Any]) -> None:
    """Raise UnsupportedError if deciding branches by a type has changed this type, or if it is that of one path alone."""
    several = disunited(program, types)
    for value, type_ in assumed.items():
        if value in several:
            variable, one, other = several[value]
            name = f"`{variable.name}`" if variable.name else "a value"
            message = f"{name} has the type {one} on one path and {other} on another, and something depends on its type"
            remedy = "give it one type, or collect items in a list, and rows in an array."
            raise UnsupportedError(Problem("BS115", message, variable.loc, remedy))
        found = types.get(value, UNREACHED)  # nothing is decided in what is never reached
        if type_ != UNKNOWN and found is not UNREACHED and from_numba(found) != type_:
            name = f"`{value.name}`" if value.name else "a value"
            message = f"the type of {name} decides a branch, and depends on that branch"
            raise UnsupportedError(Problem("BS115", message, value.loc, "compute it before the branch."))


def _types_in_round(
    program: Function, arguments: Sequence[Any], waiting: Mapping[Value, Waiting]
) -> dict[Any, Any]:
    """The types of values that a round of lowering finds: all of them, if more than library calls wait for types.

    What a library function returns may decide a branch, and the branches may be of types that do not unite.
    """
    return _types(program, arguments, partial=any(call.waits_for_types for call in waiting.values()))


def _types(program: Function, arguments: Sequence[Any], *, partial: bool = False) -> dict[Any, Any]:
    """Numba's types of the values of an untyped program, and of the programs that tell the adjoints of parts of it.

    With `partial`, values that Numba cannot type are `UNREACHED`.
    """
    found = numba_types(separate_none(program), arguments, partial=partial)
    for node in walk(program.body):
        if isinstance(node, Apply) and isinstance(node.function, Custom):
            results_, _, rest = node.function.split(node.operands)
            _check_root(node, node.function, from_numba(_argument(results_[0], found)))
            bars = [cotangent_type(_argument(operand, found)) for operand in results_]
            given = [*bars, *(_argument(operand, found) for operand in rest)]
            found |= _types(node.function.backward, given)
    return found


def _check_root(node: Apply, custom: Custom, type_: Type) -> None:
    """Raise UnsupportedError for a root that is a matrix: its pullback solves a system for a number or a vector."""
    solves = any(
        isinstance(each, Apply) and each.function is solved_transposed for each in walk(custom.backward.body)
    )
    if solves and isinstance(type_, Array) and type_.ndim > 1:
        message = (
            f"`{custom.name}` returns a root with {type_.ndim} axes, but a root must be a float or a vector"
        )
        remedy = "return np.ravel of root and residual, and restore the shape of the root with np.reshape."
        raise UnsupportedError(Problem("BS413", message, node.loc, remedy))


def _derived(call: Waiting, types: Mapping[Any, Any]) -> Any:
    """The emitted code of a transformed function for the types of a call's arguments."""
    return call.function.python_for(tuple(_argument(operand, types) for operand in call.operands.values()))


def _argument(operand: Operand | tuple[Operand, ...], types: Mapping[Any, Any]) -> Any:
    """Numba's type of an argument; several are those of `*args`."""
    if isinstance(operand, tuple):
        return tuple_type([argument_type(part, types) for part in operand])
    return argument_type(operand, types)


def _recursion(
    call: Waiting, types: Mapping[Any, Any], result: Any, recursive: Recursive, taps: Taps
) -> Recursion:
    """The calling convention of a recursive function for arguments of these types; writes its program when asked for the first time."""
    source = dataclasses.replace(read_source(call.function), jitted=call.jitted)
    if source.checked is None:
        source = dataclasses.replace(source, checked=call.place[0].is_checked)
    given = {name: _argument(operand, types) for name, operand in call.operands.items()}
    names = [name for name in source.parameters if name in given]
    known = {name: from_numba(given[name]) for name in names}
    types_of = ((name, given[name]) for name in names)
    key = (call.function, call.jitted, *types_of, *sorted(call.fixed.items(), key=str))
    returned = from_numba(result)
    _check_parts(call, [*known.values(), returned])
    callees = recursive.callees
    if key not in callees:
        parts = tuple(part for type_ in known.values() for part in parts_of(type_))
        plain = without_mark(source.name).replace("<lambda>", "function")
        name = unused(plain, {callee.name for callee in callees.values()})
        callees[key] = Callee(name, parts, bundle(list(parts_of(returned))))
        _write(
            callees[key],
            source,
            call.fixed,
            [given[name] for name in names],
            known,
            returned,
            recursive,
            taps,
        )
    return Recursion(callees[key], known, returned)


def _check_parts(call: Waiting, types: Sequence[Type]) -> None:
    """Raise UnsupportedError if a call takes or returns what is neither number nor array, nor a tuple of these."""
    for part in (part for type_ in types for part in parts_of(type_)):
        if not isinstance(part, Scalar | Array | Fixed):
            name = call.function.__name__
            message = f"`{name}` calls itself and takes or returns something other than numbers, arrays and tuples of them"
            remedy = "pass and return numbers, arrays and tuples of them."
            raise UnsupportedError(Problem("BS116", message, call.place[0], remedy))


def unused(name: str, used: Collection[str]) -> str:
    """The name, with a number where another function has it."""
    number, found = 0, name
    while found in used:
        number += 1
        found = f"{name}_{number}"
    return found


def _write(
    callee: Callee,
    source: Source,
    fixed: Mapping[str, object],
    arguments: Sequence[Any],
    kinds: Mapping[str, Type],
    returned: Type,
    recursive: Recursive,
    taps: Taps,
) -> None:
    """Write a callee's program; write it again as long as it changes more arguments than its own recursive calls assumed."""
    callees = recursive.callees
    before = list(callees)
    while True:
        untyped = lowered(source, fixed, arguments, kinds, recursive, taps)
        recursive.reads.extend(untyped.reads)
        core = run((*TYPED, *CORE), untyped, [], PassInputs(arguments))
        refuse_random(core)
        found: Pure = pure(core, callee.changed)
        if found.changed == callee.changed and set(found.shares) <= set(callee.shares):
            break
        callee.changed = found.changed
        callee.shares = tuple(dict.fromkeys((*callee.shares, *found.shares)))
        arrays = [with_layout(callee.parameters[k], "C") for k in found.changed]
        callee.result = bundle([*parts_of(returned), *arrays])
        for key in [key for key in callees if key not in before]:
            del callees[key]  # written with calls of this one as it was before
    refuse_shared_results(found.program)
    callee.program = run((*PRIMAL, UNMARKED), found.program, [])
    callee.checks = raises(callee.program)
