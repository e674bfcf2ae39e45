"""The nodes of the IR: structured, typed, every value defined once. Nodes are immutable; passes build new programs.

A `Block` is straight-line code in program order. `If`, `For` and `While` hold blocks as regions; there are no jumps. A
region sees the values of the regions around it and returns values only through its `yields`. Values are compared by
identity. Every node has a source location.

Arrays are references. `Load`, `View` and `Store` are the only nodes that read or change memory through an index, in
program order. The function of an `Apply` is pure and returns fresh memory unless the table of operations
(`backsweep.ir.operations`) says otherwise, as for views (reshape, ravel, transpose) and in-place operators.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from numbers import Number
from typing import Any, TypeVar

from backsweep.diagnostics import Loc
from backsweep.ir.types import Type

Found = TypeVar("Found")


class Role(Enum):
    """What a transformation made a value for. Passes ask for the role; a name is only for readers."""

    RECORD = "record"
    """Memory that the forward sweep writes and the reverse sweep reads: a tape, or the snapshots of a checkpoint."""


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A computed value, defined exactly once. `name` is the user's, "" for an unnamed part of an expression."""

    name: str
    type: Type | None
    loc: Loc
    role: Role | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Const:
    """A literal, a compile-time object (dtype, function), or, where `name` is set, a global of the user's."""

    value: Any
    name: str = ""

    @property
    def thing(self) -> Any:
        """The object that Python has for it."""
        return self.value


@dataclass(frozen=True, slots=True, eq=False)
class Member(Const):
    """A member of an enum of whole numbers: its number, and the member itself, which has attributes and a class."""

    member: Any = None

    @property
    def thing(self) -> Any:
        """The member."""
        return self.member


def is_none(operand: object) -> bool:
    """Whether the operand is the literal None."""
    return isinstance(operand, Const) and operand.value is None


def equals(operand: object, *wanted: float) -> bool:
    """Whether the operand is a constant number, one of these; a constant array is none, whose comparison has many answers."""
    value: Any = operand.value if isinstance(operand, Const) else None
    is_number = isinstance(value, Number)
    return is_number and value in wanted


class Undefined:
    """The `Const` value of a variable that no path has assigned yet."""

    def __repr__(self) -> str:
        return "undefined"


UNDEFINED = Const(Undefined())
ZERO, COMPLEX_ZERO = Const(0.0), Const(0j)
"""The initial adjoints and tangents: adding a contribution to them gives the contribution, whatever the sign of zero.

A zero in the user's code is another object, because `x + 0.0` is not `x` if `x` is -0.0.
"""

Operand = Value | Const


@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """`start:stop:step` within an index; a part that is not written is None."""

    start: Operand | None = None
    stop: Operand | None = None
    step: Operand | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the slice takes the whole axis."""
        return all(part is None or is_none(part) for part in (self.start, self.stop, self.step))


@dataclass(frozen=True, slots=True)
class NewAxis:
    """`None` or `np.newaxis` within an index."""


@dataclass(frozen=True, slots=True)
class Dots:
    """`...` within an index."""


Index = tuple[Operand | Slice | NewAxis | Dots, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Straight-line code: `parameters` are bound on entry, `yields` are returned at the end."""

    parameters: tuple[Value, ...]
    nodes: tuple[Node, ...]
    yields: tuple[Operand, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Apply:
    """`result = function(*operands, **keywords)`; `function` is the resolved object.

    Operators are those of the `operator` module (`operator.add`, `operator.lt`, `operator.not_`).
    A tuple is made by `tuple` with its elements as operands and read by `operator.getitem` with a
    constant. Attributes and methods appear as the NumPy function of the same meaning (`np.shape`,
    `np.size`, `np.transpose`, `np.copy`, `np.sum`).
    """

    result: Value
    function: Any
    operands: tuple[Operand, ...]
    loc: Loc
    keywords: tuple[tuple[str, Operand], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """`result = buffer[index]`, an array that shares `buffer`'s memory (basic indexing)."""

    result: Value
    buffer: Value
    index: Index
    loc: Loc


@dataclass(frozen=True, slots=True, eq=False)
class Load:
    """`result = buffer[index]`, one element. Before types are known: any subscript."""

    result: Value
    buffer: Operand
    index: Index
    loc: Loc


@dataclass(frozen=True, slots=True, eq=False)
class Store:
    """`buffer[index] = value`, or `buffer[index] += value` when `accumulate`; broadcasts like NumPy."""

    buffer: Value
    index: Index
    value: Operand
    loc: Loc
    accumulate: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Append:
    """`buffer.append(value)`: a list of array references grows by one."""

    buffer: Value
    value: Operand
    loc: Loc


@dataclass(frozen=True, slots=True, eq=False)
class Grow:
    """Replace `buffer` by a larger array with the same entries if it is too small; its shadow stays the same.

    `grown` doubles the size if the buffer is full with `count` entries, `reserved` makes room for `count` entries.
    """

    buffer: Value
    function: Any
    count: Operand
    loc: Loc


@dataclass(frozen=True, slots=True, eq=False)
class If:
    """A branch: the block that runs yields the `results`."""

    condition: Operand
    then: Block
    orelse: Block
    results: tuple[Value, ...]
    loc: Loc


class Kept(Enum):
    """What the forward sweep keeps of a checkpointed loop."""

    ARGUMENTS = "of a call, written as a loop of one iteration: what it reads"
    SNAPSHOTS = "of a loop: what it carries and writes, at some of its iterations"
    BLOCKS = "of a loop whose iterations are calls that stay calls: the same, at some of the calls"


@dataclass(frozen=True, slots=True, eq=False)
class Checkpoint:
    """The mark of a loop whose values the reverse sweep computes again instead of recording them.

    `slots` is how many snapshots it may hold, `memory` how many bytes they may have instead, and `block` how many
    iterations are recorded at a time; each may be None. `name` is what the emitted function of its body is called.
    """

    kept: Kept
    name: str
    slots: Operand = Const(None)
    memory: Operand = Const(None)
    block: Operand = Const(None)


@dataclass(frozen=True, slots=True, eq=False)
class For:
    """`for index in range(start, stop, step)`; `body.parameters` are the index, then the carried values.

    The carried values begin as `inits`; the body yields the next ones; `results` are the last.
    Where `exit` is set and true at the end of an iteration, the loop ends there (`break`). `parallel` says that it is a
    `prange`: the user says that no iteration needs what another does, but for sums.
    """

    start: Operand
    stop: Operand
    step: Operand
    inits: tuple[Operand, ...]
    body: Block
    results: tuple[Value, ...]
    loc: Loc
    exit: Operand | None = None
    checkpoint: Checkpoint | None = None
    parallel: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class While:
    """`while condition`; `condition` and `body` take the carried values, `condition` yields the test."""

    inits: tuple[Operand, ...]
    condition: Block
    body: Block
    results: tuple[Value, ...]
    loc: Loc
    exit: Operand | None = None
    checkpoint: Checkpoint | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Raise:
    """`raise exception(*arguments)`: this path has no result.

    If `local`, it guards only the nodes after it in the same iteration of the loops around it.
    """

    exception: Operand
    arguments: tuple[Operand, ...]
    loc: Loc
    local: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Comment:
    """A comment that heads the nodes after it in the emitted text; emission drops a comment that heads nothing."""

    text: str
    loc: Loc


@dataclass(frozen=True, slots=True, eq=False)
class Sweep(Comment):
    """The comment that heads the forward sweep or, if `is_reverse`, the reverse sweep of a derivative.

    It stands at the top level of a program (`backsweep.ir.sweeps`); no statement is moved across it.
    """

    is_reverse: bool = False


Node = Apply | View | Load | Store | Append | Grow | If | For | While | Raise | Comment


@dataclass(slots=True, eq=False)
class Callee:
    """A function that stays a call: the function of an `Apply`, with a program of its own.

    It calls itself, or the user asks that its calls are computed again in the reverse sweep (`is_checkpointed`).

    Its parameters are numbers and arrays; its result is a number, an array or a tuple of these, in fresh memory. It
    changes only the memory of the arguments at the positions in `writes`. If the user's function changes the arrays at
    the positions in `changed`, their new contents are returned at the end of the result. `shares` are pairs of an item of
    the result and a parameter that may share memory in the user's function. If it `checks`, it raises where its arguments
    do not fit, and runs for that.
    """

    name: str
    parameters: tuple[Type, ...]
    result: Type
    changed: tuple[int, ...] = ()
    shares: tuple[tuple[int, int], ...] = ()
    writes: tuple[int, ...] = ()
    checks: bool = False
    program: Function | None = None
    """The program; None until it is made."""
    origin: tuple[Callee, tuple[int, ...]] | None = None
    """The function of which it is the adjoint or the tangent, and the positions of the arguments with respect to which."""
    adjoints: dict[tuple[int, ...], Callee] = field(default_factory=dict)
    """Its adjoints, by the positions of those arguments."""
    tangents: dict[tuple[int, ...], Callee] = field(default_factory=dict)
    """Its tangents, by the positions of those arguments."""
    is_checkpointed: bool = False
    is_block: bool = False
    """Whether it computes a block of a checkpointed loop: its adjoint may change the arrays that it changes."""
    settled: tuple[int, ...] = ()
    """Of such a function: the positions in `changed` of arrays from which a second run reads the same values as the first."""
    alike: dict[int, int] = field(default_factory=dict)
    """For results that are arrays of the shape of a parameter, by number: the position of the parameter."""
    writing: Callee | None = None
    """The emitted form of a function that changes arguments: this form writes to them in place."""

    @property
    def __name__(self) -> str:
        return self.name

    @property
    def __backsweep_name__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Tap:
    """An identity function that marks an assignment, so that the adjoint of a variable can be asked for by its `label`.

    `updates` says that the assignment is augmented, so that an array is changed in place. `optional` says that the user
    does not ask for this variable in particular: the tap may be dropped if it has no adjoint of its own.
    """

    label: str
    updates: bool = False
    optional: bool = False

    @property
    def __name__(self) -> str:
        words = ("optional " if self.optional else "", "tap ", self.label, " updated" if self.updates else "")
        return "".join(words)

    def __call__(self, value: Any) -> Any:
        """The value itself."""
        return value


@dataclass(slots=True, eq=False)
class Custom:
    """A function that returns its first operands and whose adjoint is a program of the user's.

    The operands are the `results`, then the `arguments`, then the other values that the program reads. `backward` takes
    the cotangents of the results and the other values, and returns a tuple of the cotangents of the arguments. For a hook
    (`passes`) the argument is the result itself, with the same memory, and only the adjoint changes. `updates` says, as
    in a tap, that an array was changed in place here instead of being assigned: then this is no hook.
    """

    name: str
    results: int
    arguments: int
    backward: Function
    passes: bool = False
    updates: bool = False

    @property
    def __name__(self) -> str:
        return self.name

    def __call__(self, *operands: Any) -> Any:
        """What Python returns in its place: the first operand, or a tuple of the operands."""
        return operands[0] if self.results == 1 else operands[: self.results]

    def split(self, operands: tuple[Operand, ...]) -> tuple[tuple[Operand, ...], ...]:
        """The operands in three parts: the results, the arguments, and the other values that the program reads."""
        last = self.results + self.arguments
        return operands[: self.results], operands[self.results : last], operands[last:]


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Function:
    """A whole program: `body.parameters` are the arguments, `body.yields` holds the one result.

    `together` holds the positions of parameters that may share memory, a tuple for each group; `assumed` holds, by
    position, shapes of parameters that the caller guarantees (`backsweep.analysis.integers.extents`). `checked` says that
    an inlined function asks Numba to check its subscripts. `reads` are what the lowered function read around it
    (`backsweep.reading.outside`). `listed` are the places of lists of numbers in the result: `()` for the whole, `(1,)` for the
    second item of a tuple. With `catches`, an error ends the function without a word. `facts` are what analyses found of this very program (`fact`).
    """

    name: str
    body: Block
    loc: Loc
    together: tuple[tuple[int, ...], ...] = ()
    assumed: Mapping[int, Any] = field(default_factory=dict)
    checked: bool = False
    reads: tuple[Any, ...] = ()
    listed: tuple[tuple[int, ...], ...] = ()
    catches: bool = False
    facts: dict[Callable[[Function], Any], Any] = field(default_factory=dict, init=False, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the program without what analyses found of it: they find it again."""
        parts = (self.name, self.body, self.loc, self.together, self.assumed, self.checked, self.reads)
        return Function, (*parts, self.listed, self.catches)


def fact(analysis: Callable[[Function], Found]) -> Callable[[Function], Found]:
    """The analysis, made when a program is first asked about: a program is immutable, so what was found of it is kept with it.

    Passes, the reversal and emission that ask about the same program share what was found. Nobody may change that; an
    analysis may remember answers that it gave.
    """

    @functools.wraps(analysis)
    def found(function: Function) -> Found:
        if analysis not in function.facts:
            function.facts[analysis] = analysis(function)
        known: Found = function.facts[analysis]
        return known

    return found
