"""The findings that one round of lowering passes to the next.

The code of a transformed or recursive function depends on types, which are known only after lowering. Therefore a call
of it is first lowered as a node that Numba can type. Then the pipeline makes the code for these types, and the next
round lowers the call with that code.
"""

from __future__ import annotations

import contextlib
import dataclasses
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from backsweep.boundary import Signal
from backsweep.diagnostics import Loc, Problem, Problems
from backsweep.frontend.context.heap import Fact, Objects
from backsweep.frontend.context.long_programs import LongPrograms
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Callee, Operand, Value
from backsweep.ir.types import Type
from backsweep.runtime.support.marks import type_asked
from backsweep.typing.stubs import Made

Place = tuple[Loc, tuple[int, ...]]
"""The identity of a call: its place in the source, callers included, and the numbers of the items for which the loops
around it are lowered, then of earlier calls at that place.

Two rounds may lower other statements, but a call has one identity in both.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Waiting:
    """A call whose code is not known yet; `fixed` are the arguments that are compile-time objects.

    `lowered` are the operands of the call's node when it was lowered. `called` is the name of a library function as the
    program spells it, and empty for other functions; with `is_sure`, only its implementation says what it means. `jitted` says that
    Numba decides what numbers are in the function.
    """

    place: Place
    function: Any
    operands: Mapping[str, Operand | tuple[Operand, ...]]
    lowered: tuple[Operand, ...]
    fixed: Mapping[str, object] = field(default_factory=dict)
    called: str = ""
    is_sure: bool = False
    jitted: bool = False

    @property
    def waits_for_types(self) -> bool:
        """Whether only types are missing: for a library call, or a value whose type is asked for."""
        return bool(self.called) or self.function is type_asked


@dataclass(frozen=True, slots=True, eq=False)
class Recursion:
    """The calling convention of a recursive function: `callee` takes and returns flat parts, without tuples.

    `types` are the types of the arguments and `result` is the type of the result, before flattening.
    """

    callee: Callee
    types: Mapping[str, Type]
    result: Type


@dataclass(frozen=True, slots=True, eq=False)
class Implementation:
    """The Python function by which Numba compiles a call of a library function for the types of its arguments.

    `function` is a dispatcher of it, or None where Numba has no Python text for the call; `reason` then says what it
    has. `called` is the name by which messages and emitted text know it. `types` are the types of the arguments, in the
    order of the operands of the call.
    """

    function: Any | None
    called: str
    types: tuple[Type, ...] = ()
    reason: str = ""


OF_CALLS = ("BS109", "BS120", "BS202", "BS208")
"""The codes of problems by which a pass refuses a call that it does not know, or its result."""
EXPLAINED = (*OF_CALLS, "BS117", "BS166")
"""The codes of problems that tell which implementation was looked at."""


@dataclass(slots=True, eq=False)
class Library:
    """What is known of the calls of library functions in a program, by their places.

    `asked` are calls that a pass refused: their implementations are looked at. `refused` are calls whose implementation
    was refused, with the problem: they stay calls. `looked_at` holds the implementations that were lowered in place of
    calls, `calls` the places of calls that stayed calls. `written` are functions that a later pass writes out; with None, no
    implementation is looked at unless a call has no other meaning.
    """

    written: frozenset[Any] | None = None
    asked: set[Loc] = field(default_factory=set)
    refused: dict[Loc, Problem] = field(default_factory=dict)
    looked_at: dict[Loc, Implementation] = field(default_factory=dict)
    calls: set[Loc] = field(default_factory=set)
    settled: dict[Hashable, dict[Place, Implementation | Type]] = field(default_factory=dict)
    """What earlier lowerings found, by function and types of its arguments."""
    numbered: dict[Loc, tuple[int, tuple[str, ...]]] = field(default_factory=dict)
    """The loops before which variables are written as numbers: their last lines, and these variables."""
    apart: set[Loc] = field(default_factory=set)
    """Those of them whose first round is lowered apart: it makes arrays of the numbers."""
    helpers: LongPrograms = field(default_factory=LongPrograms)
    """The user's functions that stay calls."""

    def learns_from(self, problems: Sequence[Problem]) -> bool:
        """Whether another round of lowering may do without these problems; notes what it must do otherwise."""
        if self.helpers.give_up():
            return True
        before = frozenset(self.refused)
        learnt = [self._learns_from(problem, before) for problem in problems]  # from each of them
        return all(learnt)

    def _learns_from(self, problem: Problem, before: frozenset[Loc]) -> bool:
        loc = problem.loc
        if found := self._starting_with_numbers(problem):
            self.apart |= found
            for each in found:
                self._forget(each)
            return True
        if problem.code in OF_CALLS and loc is not None and loc not in before and self.ask([loc]):
            return True
        while loc is not None:
            if loc in self.looked_at and loc not in before:
                cause = self.refused.get(problem.loc, problem) if problem.loc else problem
                self.refused.setdefault(loc, cause)
                self._forget(loc)
                return True
            loc = loc.caller
        return False

    def ask(self, places: Iterable[Loc]) -> bool:
        """Have the implementations of calls at these places looked at; whether there are any that were not looked at before."""
        found = {loc for loc in places if loc in self.calls} - self.asked - self.refused.keys()
        self.asked |= found
        for loc in found:
            self._forget(loc)
        return bool(found)

    def _starting_with_numbers(self, problem: Problem) -> set[Loc]:
        """The loops of which a problem with types says that they make arrays of what is a number before."""
        loc = problem.loc
        if problem.code != "BS301" or loc is None:
            return set()
        words = set(re.findall(r"\w+", f"{loc.statement} {problem.message}"))
        return {
            loop
            for loop, (last, names) in self.numbered.items()
            if (loop.file, loop.caller) == (loc.file, loc.caller)
            and loop.line <= loc.line <= last
            and loop not in self.apart
            and not words.isdisjoint(names)
        }

    def _forget(self, loc: Loc) -> None:
        """Forget what was found within a call, and of it."""

        def is_within(place: Loc | None) -> bool:
            return place is not None and (place == loc or is_within(place.caller))

        for key, places in self.settled.items():
            self.settled[key] = {place: found for place, found in places.items() if not is_within(place[0])}

    def explained(self, problem: Problem) -> Problem:
        """The problem of a refused call, with the reason why the call's implementation was refused, too."""
        if problem.loc is None or problem.loc not in self.refused or problem.code not in EXPLAINED:
            return problem
        cause, looked_at = self.refused[problem.loc], self.looked_at[problem.loc]
        place = cause.loc
        where = "" if place is None else f" in line {place.line} of {place.file}"
        line = "" if place is None or not place.text else f", `{place.text.strip()}`"
        name = getattr(getattr(looked_at.function, "py_func", None), "__qualname__", looked_at.called)
        message = (
            f"{problem.message}; Numba's implementation for these types, `{name}`, cannot be differentiated either: "
            f"{cause.message} ({cause.code}){where}{line}"
        )
        return dataclasses.replace(problem, message=message)


@dataclass(slots=True, eq=False)
class Expansions:
    """The findings of the rounds so far.

    `known` holds the code of calls by their place, `waiting` the calls without code yet by their result. `items` maps an
    item that is read of the result of a waiting call to that result. `recursive` holds the recursive functions,
    `typing_stubs` the functions made for Numba's type inference, `changing` the places of lists that change, `objects` what
    is known of objects that the program makes. `checked`
    says that a callee asks Numba to check its subscripts, `shared` that a list or a dict is given under several names. `seen` counts the calls at each place of the source, `path` are
    the items that unrolled loops are at.
    `written_out` are the places at which each function of the user's is written out in this round. `library` is what is known of calls of library functions. `unreported` are the problems of a round in which something
    waits for types: the next round may not meet them. `assumed` are the types by which this round decided, as the round
    before found them.
    """

    typing_stubs: Made = field(default_factory=dict)
    known: dict[Place, Callable[..., Any] | Recursion | Implementation | Type] = field(default_factory=dict)
    waiting: dict[Value, Waiting] = field(default_factory=dict)
    items: dict[Value, Value] = field(default_factory=dict)
    recursive: set[object] = field(default_factory=set)
    changing: set[Loc] = field(default_factory=set)
    objects: set[Fact] = field(default_factory=set)
    checked: bool = False
    shared: bool = False
    seen: Counter[Place] = field(default_factory=Counter)
    path: list[int] = field(default_factory=list)
    written_out: dict[object, list[Loc]] = field(default_factory=dict)
    library: Library = field(default_factory=Library)
    unreported: Problems = field(default_factory=Problems)
    assumed: dict[Value, Type] = field(default_factory=dict)

    def begin(self) -> None:
        """Clear the state of the last round: waiting calls, items and counts."""
        self.waiting.clear()
        self.unreported = Problems()
        self.written_out.clear()
        self.assumed.clear()
        self.items.clear()
        self.seen.clear()
        self.path.clear()

    @property
    def may_change(self) -> bool:
        """Whether this round waits for types, so that the next one may decide otherwise what is refused."""
        return any(call.waits_for_types for call in self.waiting.values())

    def place(self, loc: Loc) -> Place:
        """The identity of the next call at `loc`."""
        path = tuple(self.path)
        number = self.seen[loc, path]
        self.seen[loc, path] += 1
        return loc, (*path, number)

    @contextlib.contextmanager
    def at_item(self, number: int) -> Iterator[None]:
        """A context in which a loop that is written out is at this item."""
        self.path.append(number)
        try:
            yield
        finally:
            self.path.pop()


class FoundChangeError(Signal):
    """Signal that a list made at `made` changes although its items were taken as known: lowering must start again."""

    def __init__(self, made: Loc) -> None:
        super().__init__(made)
        self.made = made


class FoundObjectsError(Signal):
    """Signal that a loop carries more of objects than was known, or that objects of a class change: lowering must start again."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        super().__init__(facts)
        self.facts = frozenset(facts)


def write_loops_out(objects: Objects, expansions: Expansions) -> None:
    """Signal that the loops around are written out, so that each object and each number in them is known; nothing if they are, or are too long."""
    if facts := objects.to_write_out(expansions.objects):
        raise FoundObjectsError(facts)


def test_within(objects: Objects, builder: Builder) -> None:
    """Signal that the condition which is being lowered moves into its loop's body, since it changes an object; nothing outside of a condition."""
    if (fact := objects.condition_around(builder)) is not None:
        raise FoundObjectsError([fact])


class FoundRecursionError(Signal):
    """Signal that a function that is being inlined calls itself: lowering must start again."""

    def __init__(self, function: object) -> None:
        super().__init__(function)
        self.function = function
