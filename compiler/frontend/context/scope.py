"""The state of lowering besides the nodes: the names of the function being lowered, and facts about values."""

from __future__ import annotations

import ast
import dataclasses
import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import EnumMeta
from typing import Any, TypeGuard

import numpy as np

from backsweep.diagnostics import Loc, Problem, Problems, UnsupportedError
from backsweep.frontend.context.dataclasses import is_tuple
from backsweep.frontend.context.heap import Fact, Objects, Virtual
from backsweep.frontend.context.rounds import Expansions
from backsweep.frontend.context.taps import Taps
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Const, Operand, Slice, Undefined, Value
from backsweep.ir.types import Type
from backsweep.reading.control_flow import own_nodes
from backsweep.reading.functions import Source
from backsweep.reading.names import is_data, wrap
from backsweep.reading.origins import place_in
from backsweep.reading.outside import Outside
from backsweep.runtime.support.python_calls import GeneratorRead


@dataclass(eq=False)
class Context:
    """The state shared by all functions that are inlined into one program.

    `calls` are the functions being inlined, outermost first. `elements` holds the parts of tuples and lists whose parts
    are known; `fields` and `classes` describe the namedtuples, `field_names` what an item is called, and what it is part
    of; `given_by` holds the functions of which an implementation that is written out gave a tuple. `lists` maps the values that
    the user wrote as lists, and their merges in branches and loops, to the place of the list, `made_lists` those of a display;
    `growing` holds the lists whose parts are not known, `appended` the first item that is appended to each, and
    `chosen` what an item may be that was read from a list of known items, `tuples` those that stand for tuples, `iterated`
    the loops that run over each, with their places.
    `booleans` holds values that are True or False, `present` values that are never None, `types` the types of arguments
    and of values read from them, `dtypes` the values whose dtype a value is, `flats` copies that stand for `.flat`.
    `expansions` holds the findings of earlier rounds of lowering, `taps` the variables that `wrt` asks for by name.
    `stopped` counts the enclosing `with no_grad():` statements, `loops` are the enclosing loops, `forwards` are the
    `custom_vjp` functions whose forward function is being lowered, `outside` is what is read around the functions, of
    which `generators` are those of random numbers. `objects` are the objects that the program makes.
    """

    builder: Builder
    problems: Problems = field(default_factory=Problems)
    calls: list[tuple[tuple[object, ...], str]] = field(default_factory=list)
    elements: dict[Value, tuple[Operand, ...]] = field(default_factory=dict)
    fields: dict[Value, tuple[str, ...]] = field(default_factory=dict)
    field_names: dict[Value, tuple[str, str]] = field(default_factory=dict)
    classes: dict[Value, type] = field(default_factory=dict)
    given_by: dict[Value, Any] = field(default_factory=dict)
    lists: dict[Value, Loc] = field(default_factory=dict)
    made_lists: dict[Value, Loc] = field(default_factory=dict)
    booleans: set[Value] = field(default_factory=set)
    present: set[Value] = field(default_factory=set)
    growing: set[Value] = field(default_factory=set)
    appended: dict[Value, Operand] = field(default_factory=dict)
    chosen: dict[Value, tuple[Operand, ...]] = field(default_factory=dict)
    tuples: set[Value] = field(default_factory=set)
    held: dict[Value, bool] = field(default_factory=dict)
    """What stands for lists that must not change: those that are around the function, and arguments that have another name, too."""
    iterated: dict[Value, list[tuple[ast.stmt, Loc]]] = field(default_factory=dict)
    expansions: Expansions = field(default_factory=Expansions)
    types: dict[Value, Type] = field(default_factory=dict)
    dtypes: dict[Value, Value] = field(default_factory=dict)
    flats: set[Value] = field(default_factory=set)
    taps: Taps = field(default_factory=Taps)
    stopped: int = 0
    loops: list[object] = field(default_factory=list)
    forwards: list[object] = field(default_factory=list)
    outside: Outside = field(default_factory=Outside)
    generators: dict[GeneratorRead, Value] = field(default_factory=dict)
    objects: Objects = field(default_factory=Objects)
    catching: list[Catching] = field(default_factory=list)
    """The calls within `try` that are lowered now, outermost first."""
    wrapped: set[ast.AST] = field(default_factory=set)
    """The calls whose functions return their results in tuples, since they may raise what a `try` around catches."""
    made: dict[ast.AST, tuple[Operand, Operand]] = field(default_factory=dict)
    """Of such a call of a class: what its `__init__` returns, and the object."""
    identities: list[tuple[Value, Problem]] = field(default_factory=list)
    """What is asked whether it is True or False itself, with the refusal if it is a truth of NumPy's."""
    presences: list[tuple[Value, Problem]] = field(default_factory=list)
    """The attributes of which is asked whether they are there, with the refusal if some path has not assigned one."""
    made_dicts: dict[int, tuple[object, Fact]] = field(default_factory=dict)
    """The dicts of known keys that displays made, by identity, each with the fact that would make a table of it."""

    def is_list(self, operand: Operand) -> TypeGuard[Value]:
        """Whether the operand is a list that the program made."""
        return operand in self.growing or operand in self.lists

    def note_made(self, node: ast.AST, returned: Operand, made: Operand) -> None:
        """Note the object of a call whose `__init__` says by what it returns whether it raises."""
        if node in self.wrapped:
            self.made[node] = returned, made

    def copy_structure(self, operand: Value, copy: Value) -> None:
        """Note that `copy` has the type and the parts of `operand`."""
        tables: tuple[dict[Value, Any], ...] = (
            self.types,
            self.elements,
            self.fields,
            self.classes,
            self.given_by,
        )
        for table in tables:
            if operand in table:
                table[copy] = table[operand]

    def merge_kinds(self, merged: Value, *ends: Operand) -> None:
        """Note that `merged`, which a branch or a loop chooses from `ends`, is a list if one of them is, and of what class all are."""
        if any(end in self.growing for end in ends):
            self.growing.add(merged)
        held = [self.held[end] for end in ends if isinstance(end, Value) and end in self.held]
        if held:
            self.held[merged] = any(held)
        if any(end in self.tuples for end in ends):
            self.tuples.add(merged)
        for place in [self.lists[end] for end in ends if isinstance(end, Value) and end in self.lists]:
            self.lists[merged] = place
        for end in ends:
            self.copy_items(end, merged)
        found = {self.classes.get(end) for end in ends if isinstance(end, Value)}
        if len(found) == 1 and (cls := found.pop()) is not None:
            self.classes[merged] = cls

    def copy_items(self, operand: Operand, copy: Value) -> None:
        """Note that what the list `copy` holds is like what the list `operand` holds."""
        parts = known_elements(self, operand) if self.is_list(operand) else None
        first = parts[0] if parts else self.appended.get(operand) if isinstance(operand, Value) else None
        if first is not None:
            self.appended.setdefault(copy, first)


@dataclass(eq=False)
class Frame:
    """The names of one function body while it is lowered, and the place of its text.

    `scopes` are the namespaces around it (closure, globals, builtins), `outer` is the frame of the function around it.
    `fixed` is the place of all its nodes if it has no text of the user's, as a derivative rule or the prelude has none; one that
    `is_refused` is not lowered further. One that `counts` computes whole numbers while compiling, as those that the prelude's
    texts compute: how often an inner function calls itself may depend on them. The variables that several functions assign are
    attributes of an object, as `shared` tells: its own that inner functions assign by `nonlocal`, and those of functions around it.
    """

    env: dict[str, Operand]
    scopes: tuple[Mapping[str, object], ...]
    source: Source | None = None
    name: str = ""
    caller: Loc | None = None
    locals: frozenset[str] = frozenset()
    outer: Frame | None = None
    statement: ast.AST | None = None
    fixed: Loc | None = None
    is_refused: bool = False
    counts: bool = False
    shared: dict[str, Virtual] = field(default_factory=dict)

    def loc(self, node: ast.AST) -> Loc:
        """The place of a node of this function's syntax."""
        if self.fixed is not None and self.source is not None:
            part = (
                f"{self.fixed.part} {self.name}:{getattr(node, 'lineno', 0)}:{getattr(node, 'col_offset', 0)}"
            )
            return dataclasses.replace(self.fixed, part=part)
        if self.fixed is not None or self.source is None:
            return self.fixed or Loc("<backsweep>", self.name, 0)
        return place_in(self.source, self.name, node, self.statement, self.caller)


@dataclass(frozen=True, eq=False)
class Inner:
    """A function or lambda inside a function: inlined at each call, with the names that its frame has at the call."""

    node: ast.FunctionDef | ast.Lambda
    frame: Frame
    defaults: Mapping[str, Operand]

    @property
    def __name__(self) -> str:
        return self.node.name if isinstance(self.node, ast.FunctionDef) else "<lambda>"


@dataclass(frozen=True, eq=False)
class KnownTuple:
    """A tuple that holds functions or other compile-time objects, so that no value can stand for it; or a list that is written out.

    `place` is where such a list is made.
    """

    items: tuple[Operand, ...]
    place: Loc | None = None

    @property
    def is_list(self) -> bool:
        """Whether it is a list."""
        return self.place is not None


@dataclass(frozen=True, eq=False)
class Range:
    """`range(start, stop, step)`, the iterable of a loop; `parallel` says that it is a `prange` that Numba runs on all cores."""

    start: Operand
    stop: Operand
    step: Operand
    parallel: bool = False
    __name__ = "range"

    @property
    def bounds(self) -> tuple[Operand, Operand, Operand]:
        """Start, stop and step."""
        return self.start, self.stop, self.step

    @property
    def known(self) -> range | None:
        """Python's range, if all three are literals."""
        literals = [each.value for each in self.bounds if isinstance(each, Const) and not each.name]
        return range(*literals) if [type(each) for each in literals] == [int] * 3 else None


@dataclass(frozen=True, eq=False)
class Iterator:
    """`iter(base)`, or `np.nditer` of `together`: the items from `position` on, within the loop that was lowered then.

    The position is an operand where branches took different numbers of items. It is bound to one name, so that `next` can bind this name to what is left. What is iterated together are arrays of one axis,
    as long as `base`, and numbers.
    """

    base: Operand
    position: int | Operand
    loop: object | None
    together: tuple[tuple[Operand, bool], ...] = ()
    """For `np.nditer`: what each cell of an item is of, and whether that is an array."""
    __name__ = "iterator"


@dataclass(frozen=True, eq=False)
class Zipped:
    """`zip` of lists of one length, as what an object gives that is gone through."""

    parts: tuple[Operand, ...]
    __name__ = "zip"


@dataclass(frozen=True, eq=False)
class Cell:
    """An item of `np.nditer`: an array without axes that holds `value`."""

    value: Operand
    __name__ = "item of nditer"


@dataclass(frozen=True, eq=False)
class Bound:
    """The result of `functools.partial` in the program: a function and the operands that are already bound."""

    function: Operand
    args: tuple[Operand, ...]
    keywords: Mapping[str, Operand]


@dataclass(frozen=True, eq=False)
class More:
    """Stands for the last of a call's arguments: the tuple, of a length that only the run knows, that `*args` gets."""

    items: Operand


@dataclass(frozen=True, eq=False)
class Clash:
    """The marker for a name to which two branches gave different functions or slices (`kind`)."""

    name: str
    kind: str = "function"


def kind_of(*operands: Operand) -> str:
    """What compile-time objects are called where a branch would have to choose one: functions, slices, dicts or lists."""
    things = [operand.value for operand in operands if isinstance(operand, Const)]
    if known := [each.kind for each in things if isinstance(each, Clash)]:
        return known[0]
    kinds = (("object", Virtual), ("slice", Slice), ("dict", dict), ("list", list))
    return next((kind for kind, cls in kinds if any(isinstance(each, cls) for each in things)), "function")


@dataclass(frozen=True, eq=False)
class Catching:
    """A call within `try` that is lowered now: what is caught, the function that it stands in, and where it notes which handler is to run."""

    kinds: tuple[type[BaseException], ...]
    frame: Frame
    notes: Mapping[str, Operand]


class Variables:
    """What holds the variables of a function that functions inside it assign by `nonlocal`."""


class Poison:
    """The marker for a name that a refused statement assigns: reading the name reports no further problem."""


POISON = Const(Poison())


def is_refused(operand: object) -> bool:
    """Whether a refused statement made it, whose problem is noted."""
    return isinstance(operand, Const) and isinstance(operand.value, Poison)


def refusal(code: str, message: str, loc: Loc, remedy: str) -> UnsupportedError:
    """The error for one problem in the user's code."""
    return UnsupportedError(Problem(code, message, loc, remedy))


def given_twice(what: str, copied: str, loc: Loc) -> UnsupportedError:
    """The error for a list or a dict that is given under several names and is changed."""
    message = f"the function changes {what} that the call gives it under another name, too"
    return refusal("BS111", message, loc, f"pass a copy of it for one of them: {copied}")


def is_static(operand: Operand) -> bool:
    """Whether the operand is a compile-time object that no value of the program can become."""
    if isinstance(operand, Value) or is_data(operand.value):
        return False
    return not (isinstance(operand.value, type | np.dtype))


def is_class(operand: Operand) -> bool:
    """Whether the operand is a class: alone it may be a dtype of the program, and several are no value of it."""
    return isinstance(operand, Const) and isinstance(operand.value, type)


def holds_values(operand: Operand, frame: Frame) -> bool:
    """Whether a compile-time object refers to values, which may be out of scope where its block ends."""
    if isinstance(operand, Value):
        return False
    if isinstance(operand.value, Inner):
        return operand.value.frame is not frame or bool(operand.value.defaults)
    if isinstance(operand.value, dict):
        return any(isinstance(each, Value | Const) for each in operand.value.values())
    return isinstance(operand.value, KnownTuple | Bound | Range | Slice | Iterator | Zipped | Cell | Virtual)


def is_undefined(operand: Operand) -> bool:
    """Whether no path has assigned the variable."""
    return isinstance(operand, Const) and isinstance(operand.value, Undefined)


def same(one: Operand, other: Operand) -> bool:
    """Whether two operands are certainly the same value or object."""
    if one is other:
        return True
    if not (isinstance(one, Const) and isinstance(other, Const)) or one.name != other.name:
        return False
    a, b = one.value, other.value
    if isinstance(a, bool | int | float | complex | str):
        return type(a) is type(b) and repr(a) == repr(b)
    if type(a) is type(b) is tuple:
        return len(a) == len(b) and all(same(Const(x), Const(y)) for x, y in zip(a, b, strict=True))
    return a is b


def known_elements(context: Context, operand: Operand) -> tuple[Operand, ...] | None:
    """The parts of a tuple or list, where they are known; a dataclass is no tuple."""
    if isinstance(operand, Value):
        return context.elements.get(operand) if is_tuple(context.classes.get(operand)) else None
    match operand.value:
        case KnownTuple(items):
            return items
        case Virtual() as thing:
            return context.objects.items(thing, context.builder)
        case tuple() | list() as items:
            return tuple(wrap(item) for item in items)
        case _:
            return None


def known_object(context: Context, operand: Operand) -> tuple[Any] | None:
    """The object of a constant operand or of a tuple of constants, in a 1-tuple; None if the operand is not known."""
    parts = known_elements(context, operand)
    if parts is not None:
        items = [known_object(context, part) for part in parts]
        return None if None in items else (tuple(item[0] for item in items if item is not None),)
    return (operand.value,) if isinstance(operand, Const) else None


def known_items(context: Context, operand: Operand) -> tuple[Operand, ...] | None:
    """What iterating over a tuple, a list, a dict, a string or an `Enum` gives, where that is known: of a dict, the keys."""
    if isinstance(operand, Const) and isinstance(operand.value, dict | str | EnumMeta):
        return tuple(map(wrap, operand.value))
    return known_elements(context, operand)


def walrus_names(node: ast.AST) -> list[str]:
    """The variables of the function that a comprehension assigns, by `:=`, in order; its own are those of its loops."""
    found: list[str] = []
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.NamedExpr):
            found.append(part.target.id)
        if not isinstance(part, ast.Lambda):
            waiting.extend(reversed([*ast.iter_child_nodes(part)]))
    return list(dict.fromkeys(found))


def assigned_names(statements: Iterable[ast.AST]) -> dict[str, None]:
    """The variables that the statements assign or delete, in order; variables of inner functions do not count."""
    return dict.fromkeys(name for each in statements for name in _assigned_by(each))


@functools.lru_cache(maxsize=8192)
def _assigned_by(statement: ast.AST) -> tuple[str, ...]:
    """The variables that one statement assigns or deletes: it is asked in each round of lowering, and for each loop around it."""
    found: dict[str, None] = {}

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef | ast.AsyncFunctionDef):
            return
        if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            found.update(dict.fromkeys(walrus_names(node)))
            return
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            found.setdefault(node.id)
        if isinstance(node, ast.MatchAs | ast.ExceptHandler) and node.name is not None:
            found.setdefault(node.name)
        if isinstance(node, ast.Nonlocal):
            found.update(dict.fromkeys(node.names))
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.update((alias.asname or alias.name.split(".")[0], None) for alias in node.names)
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(statement)
    return tuple(found)


@functools.lru_cache(maxsize=512)
def shared_names(node: ast.FunctionDef | ast.Lambda) -> tuple[str, ...]:
    """The variables of the function that functions inside it assign by `nonlocal`, in order."""
    if isinstance(node, ast.Lambda) or not (found := _assigned_within(node.body)):
        return ()
    own = {*local_names(node), *(each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg))}
    return tuple(each for each in found if each in own.difference(_declared(node)))


def _assigned_within(statements: Iterable[ast.AST]) -> dict[str, None]:
    """The variables around the statements that functions inside them assign by `nonlocal`."""
    found: dict[str, None] = {}
    for part in own_nodes(statements):
        if isinstance(part, ast.FunctionDef):
            found |= assigned_around(part)
        elif isinstance(part, ast.ClassDef):
            found |= _assigned_within(part.body)
    return found


def assigned_around(node: ast.FunctionDef) -> dict[str, None]:
    """The variables around a function that it assigns by `nonlocal`, or that functions inside it do."""
    own = shared_names(node)
    within = (each for each in _assigned_within(node.body) if each not in own)
    return dict.fromkeys([*_declared(node), *within])


def _declared(node: ast.FunctionDef) -> list[str]:
    """The variables that the function itself declares by `nonlocal`."""
    declared = [each for each in own_nodes(node.body) if isinstance(each, ast.Nonlocal)]
    return [name for each in declared for name in each.names]


@functools.lru_cache(maxsize=1024)
def local_names(node: ast.FunctionDef | ast.Lambda) -> frozenset[str]:
    """Every name that is local to the function, so that it never means a global."""
    if isinstance(node, ast.Lambda):
        return frozenset()
    names = set(assigned_names(node.body))
    for part in ast.walk(node):
        if isinstance(part, ast.FunctionDef | ast.ClassDef) and part is not node:
            names.add(part.name)
    return frozenset(names)
