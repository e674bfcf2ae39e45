"""Make the rows of an explanation from the results of the passes: the values, and the reason for each value's state."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from backsweep.ad.checkpoint.policy import is_inexpensive
from backsweep.ad.checkpoint.records.choices import Choice, How, read_by
from backsweep.ad.derivation import Derivation
from backsweep.analysis.activity import find_active
from backsweep.analysis.alias import is_perhaps_view
from backsweep.diagnostics import Loc
from backsweep.explanation.explanation import Explanation, Loop, Place, Role, Row, State
from backsweep.explanation.measure import REFERENCE, expression, is_reference, itemsize, origin
from backsweep.ir.nodes import Apply, Block, Const, For, Function, If, Load, Node, Store, Value, View, While
from backsweep.ir.show import name_of
from backsweep.ir.types import Array, Other, Scalar, Tuple, Type, is_float
from backsweep.ir.walk import blocks, merges, operands, results, walk
from backsweep.optimise.parallel.blocks import run_in_blocks
from backsweep.optimise.parallel.certificates import Certificate, Obstacle, OfGpu, certificates
from backsweep.reading.functions import Source
from backsweep.rules.matching import is_constant
from backsweep.runtime.support.python_calls import PythonCall


def explanation(
    derivation: Derivation,
    source: Source,
    counted: dict[Value, int] | None,
    lacking: MemoryError | None = None,
    again: Mapping[For, int] | None = None,
    stages: Sequence[tuple[Any, Function]] = (),
) -> Explanation:
    """The explanation of a derivation of the function with this source.

    `counted` maps the memory that holds a record at the end of the forward sweep to its bytes; None if the forward sweep
    was not run. `lacking` is the error of a forward sweep whose records did not fit;
    `again` are the steps of checkpointed loops that are computed again. `stages` are the passes of the
    derivative with their programs, if a loop is asked to run on all cores.
    """
    primal = derivation.primal
    found = _Reasons(derivation, counted).rows()
    known = {(row.name, row.place.line) for _, row in found}
    found += [pair for pair in _without_value(source) if (pair[1].name, pair[1].place.line) not in known]
    rows = tuple(row for _, row in sorted(found, key=lambda pair: _outermost(pair[0]).line))
    total = None if counted is None else sum(counted.values())
    wrt = tuple(value.name for value in derivation.wrt)
    steps = tuple((place_of(loop.loc), count) for loop, count in (again or {}).items())
    return Explanation(
        primal.name,
        primal.loc.file,
        primal.loc.line,
        wrt,
        rows,
        total,
        _first_line(lacking),
        steps,
        tuple(_python_calls(derivation)),
        tuple(loops_of(stages)),
    )


def of_batch(source: Source, stages: Sequence[tuple[Any, Function]]) -> Explanation:
    """The explanation of a batch, which has no reverse sweep: what its loops do."""
    loc = source.loc(source.node)
    return Explanation(source.name, loc.file, loc.line, (), (), 0, loops=tuple(loops_of(stages)))


def loops_of(stages: Sequence[tuple[Any, Function]]) -> Iterator[Loop]:
    """The loops that are asked to run on all cores, from the programs that such loops are looked for in, or on a GPU."""
    for number, (each, _) in enumerate(stages):
        if isinstance(each, OfGpu):
            sweep = _sweep(is_reverse=each.is_reverse)
            yield Loop(
                place_of(each.loop.loc), sweep, parallel=each.is_kernel, reason=each.reason, device="GPU"
            )
        elif each.run is run_in_blocks:
            for found in certificates(stages[number - 1][1]):
                yield _loop(*found)


def _loop(loop: For, is_reverse: bool, found: Certificate | Obstacle) -> Loop:
    """What is told of a loop that may run on all cores."""
    sweep = _sweep(is_reverse=is_reverse)
    if isinstance(found, Obstacle):
        return Loop(place_of(loop.loc), sweep, parallel=False, reason=found.reason)
    own = [f"`{value.name}`" for value in (*found.added, *(made.result for made in found.records))]
    own += [f"`{value.name}`" for value in loop.body.parameters[1:] if value.name]
    shared = f"each has {', '.join(own)} of its own" if own else "each writes where no other does"
    if found.reach > 1:
        shared += ", and neighbours take turns"
    return Loop(place_of(loop.loc), sweep, parallel=True, reason=shared)


def _sweep(*, is_reverse: bool) -> Literal["forward sweep", "reverse sweep"]:
    return "reverse sweep" if is_reverse else "forward sweep"


def _python_calls(derivation: Derivation) -> Iterator[tuple[Place, str]]:
    """The calls in both sweeps that enter Python, once for each of the user's lines and function."""
    sweeps = (*derivation.sweeps.forward, *derivation.sweeps.reverse)
    found = {
        (place_of(node.loc), node.function.__name__): None
        for node in walk(Block((), sweeps, ()))
        if isinstance(node, Apply) and isinstance(node.function, PythonCall)
    }
    yield from found


def _first_line(error: MemoryError | None) -> str:
    """What an error says, without its remedy; empty if there is none."""
    return "" if error is None else str(error).partition("\n")[0]


def _without_value(source: Source) -> Iterator[tuple[Loc, Row]]:
    """A row for each assignment, for the assignments without a value in the program: of constants, aliases, unread values."""
    for statement in ast.walk(source.node):
        match statement:
            case ast.Assign(targets=targets, value=assigned):
                pass
            case ast.AnnAssign(target=target, value=assigned) if assigned is not None:
                targets = [target]
            case _:
                continue
        match assigned:
            case ast.Constant() | ast.UnaryOp(operand=ast.Constant()):
                why = "a constant"
            case ast.Name() | ast.Tuple():
                why = "another name for an older value"
            case _:
                why = "nothing reads it under this name"
        for name in (each for target in targets for each in ast.walk(target)):
            if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                loc = source.loc(name, statement)
                yield loc, _blank(name.id, loc, why)


def _blank(name: str, loc: Loc, why: str) -> Row:
    """The row of a name without a value of its own in the program."""
    return Row(
        name=name,
        named=True,
        place=place_of(loc),
        role="assigned",
        type="",
        varied=False,
        useful=False,
        active=False,
        activity=why,
        state="not read",
        reason="",
        read_by=(),
        overwritten_by=(),
        entry_bytes=None,
        count="",
        bytes=None,
    )


def place_of(loc: Loc) -> Place:
    """The statement that a place belongs to."""
    indent = len(loc.text) - len(loc.text.lstrip())
    return Place(loc.file, loc.function, loc.line, loc.statement or loc.text.strip(), indent)


class _Reasons:
    """Finds the state of each value, and the reason for it, from the facts of one derivation."""

    def __init__(self, derivation: Derivation, counted: dict[Value, int] | None) -> None:
        self.derivation = derivation
        self.facts = derivation.facts
        self.counted = None if counted is None else dict(counted)
        """The bytes of the records that no row has told yet."""
        self.choices: dict[Value, list[Choice]] = {}
        for choice in derivation.sweeps.choices:
            self.choices.setdefault(origin(choice.value, derivation), []).append(choice)
        self.primal = _defined(derivation.primal.body)
        self.readers = read_by(derivation.sweeps.reverse)
        self.varied_by = {
            value: find_active(derivation.primal, [value], self.facts.aliases, is_constant).varied
            for value in derivation.wrt
        }

    # Which values there are

    def rows(self) -> list[tuple[Loc, Row]]:
        """A row for each value with its place, in program order."""
        body = self.derivation.primal.body
        found = [(value.loc, self.row(value, "argument", value.loc)) for value in body.parameters]
        found += [(loc, self.row(value, role, loc)) for value, role, loc in self.of_block(body)]
        return found + list(self.counters())

    def counters(self) -> Iterator[tuple[Loc, Row]]:
        """A row for each record of a counter that the forward sweep added."""
        for value, choices in self.choices.items():
            if value not in self.primal and any(choice.memory is not None for choice in choices):
                yield value.loc, self.row(value, "counter", value.loc)

    def of_block(self, block: Block) -> Iterator[tuple[Value, Role, Loc]]:
        """The values of a block that have a row: the user named them, or the reverse sweep reads them."""
        for node in block.nodes:
            if isinstance(node, For) and self.is_reported(node.body.parameters[0]):
                yield node.body.parameters[0], "index", node.loc
            if isinstance(node, For | While):
                skip = 1 if isinstance(node, For) else 0
                carried = [value for value in node.body.parameters[skip:] if self.is_read(value)]
                yield from ((value, "carried", node.loc) for value in carried)
            for inner in blocks(node):
                yield from self.of_block(inner)
            if isinstance(node, If | For | While):
                yield from ((value, "chosen", node.loc) for value in node.results if self.is_read(value))
            elif self.is_copy(node):
                yield from ((value, "copy", node.loc) for value in results(node))
            else:
                yield from (
                    (value, "assigned", node.loc) for value in results(node) if self.is_reported(value)
                )

    def is_reported(self, value: Value) -> bool:
        """Whether the value has a row: the user named it, or the reverse sweep reads it."""
        if is_perhaps_view(self.facts.definitions.get(value)):
            return value in self.choices  # made for broadcasting, under the operand's name
        return bool(value.name) or self.is_read(value)

    def is_read(self, value: Value) -> bool:
        """Whether the reverse sweep reads the value."""
        return value in self.choices or (value in self.readers and self.is_kept(value))

    def is_kept(self, value: Value) -> bool:
        """Whether the value is still in memory when the reverse sweep begins."""
        return self.facts.where.get(value) is self.derivation.primal.body

    def is_copy(self, node: Node) -> bool:
        """Whether the node is the function's own copy of an argument that it writes."""
        return (
            isinstance(node, Apply)
            and node.function is np.copy
            and node.operands[0] in self.derivation.primal.body.parameters
            and node.loc is getattr(node.operands[0], "loc", None)
        )

    # One row

    def row(self, value: Value, role: Role, loc: Loc) -> Row:
        """The row of one value."""
        activity = self.derivation.activity
        state, reason, choice = self.state(value, role)
        named = bool(value.name) and all(each.named for each in self.choices.get(value, ()))
        entry, count = (None, "") if choice is None else self.size(choice)
        return Row(
            name=value.name if named else self.written(value),
            named=named,
            place=place_of(loc),
            role=role,
            type=type_text(value.type),
            varied=value in activity.varied,
            useful=value in activity.useful,
            active=value in activity.active,
            activity=self.why_active(value),
            state=state,
            reason=reason,
            read_by=_places(self.reading(value)) if self.is_read(value) else (),
            overwritten_by=_places(store.loc for store in self.overwriters(value)),
            entry_bytes=entry,
            count=count,
            bytes=None if choice is None else self.held(value),
        )

    def why_active(self, value: Value) -> str:
        """The reason why the value has an adjoint or has none."""
        activity = self.derivation.activity
        if value in activity.active:
            return "by " + ", ".join(
                each.name for each in self.derivation.wrt if value in self.varied_by[each]
            )
        if not is_float(value.type):
            return f"{type_text(value.type)} has no derivative"
        if value in activity.varied:
            if self.decides(value):
                return "only comparisons depend on it, so that its derivative is zero (bs.root)"
            return "the result does not depend on it"
        node = self.facts.definitions.get(value)
        if isinstance(node, Apply) and any(each in activity.varied for each in operands(node)):
            stoppers = "" if is_constant(node) else self.stoppers(value)
            if stoppers:
                return f"only {stoppers} reads it, which has no derivative"
            return f"{name_of(node.function)} has no derivative"
        return f"does not depend on {', '.join(each.name for each in self.derivation.wrt)}"

    def stoppers(self, value: Value) -> str:
        """The functions that read the value, if none of them has a derivative."""
        nodes = walk(self.derivation.primal.body)
        reading = [node for node in nodes if isinstance(node, Apply) and value in operands(node)]
        if not all(map(is_constant, reading)):
            return ""
        return " or ".join(dict.fromkeys(name_of(node.function) for node in reading))

    def decides(self, value: Value) -> bool:
        """Whether a condition is computed of the value."""
        reached, before = {value}, 0
        nodes = [*walk(self.derivation.primal.body)]
        while len(reached) > before:
            before = len(reached)
            for node in nodes:
                for group in merges(node):
                    if reached.intersection(each for each in group if isinstance(each, Value)):
                        reached.update(each for each in group if isinstance(each, Value))
                if any(each in reached for each in operands(node) if isinstance(each, Value)):
                    reached.update([node.buffer] if isinstance(node, Store) else results(node))
        tests = [node.condition for node in nodes if isinstance(node, If)]
        tests += [node.condition.yields[0] for node in nodes if isinstance(node, While)]
        return any(test in reached for test in tests if isinstance(test, Value))

    def overwriters(self, value: Value) -> tuple[Store, ...]:
        """The stores that write an array, or that overwrite an element after it was read."""
        node = self.facts.definitions.get(value)
        if isinstance(node, Load) and isinstance(value.type, Scalar):
            return tuple(self.facts.overwriters(node))
        if isinstance(value.type, Array) and self.facts.aliases.is_buffer(value):
            return self.facts.stores_to(value)
        return ()

    def reading(self, value: Value) -> dict[Loc, None]:
        """The places whose reversal reads the value, or a value that is recomputed from it."""
        found = dict(self.readers.get(value, {}))
        for choice in self.choices.get(value, ()):
            found |= dict.fromkeys(choice.readers)
        for other, choices in self.choices.items():
            if any(value in choice.sources for choice in choices):
                found |= self.reading(other)
        return found

    # States

    def state(self, value: Value, role: Role) -> tuple[State, str, Choice | None]:
        """The state of the value, the reason for it, and the record if there is one."""
        choices = sorted(self.choices.get(value, ()), key=lambda choice: list(How).index(choice.how))
        if not choices:
            if not self.is_read(value):
                return "not read", "", None
            return "kept", "an argument" if role == "argument" else "outside of all loops and branches", None
        choice = choices[0]
        match choice.how:
            case How.TAPE | How.LIST | How.COPY:
                if any(each.how is How.COPY for each in choices):
                    lines = [store.loc for store in self.facts.stores_to(value)]
                    return "stored", f"a copy, as {_overwrite(lines)} it", choice
                return "stored", self.why_stored(value, role), choice
            case How.SNAPSHOTS:
                return "stored", "snapshots; the steps between them are computed again", choice
            case How.BRANCH:
                return "kept", "the branch returns it", choice
            case How.UNDONE:
                back = "counts it back" if role == "index" else "restores it"
                return "undone", f"the reversed loop {back}", None
            case How.HELD:
                return "kept", "only the iteration that replaced it last counts, and that is noted", None
            case How.STORED:
                part = "an element" if isinstance(value.type, Scalar) else "a part"
                return (
                    "kept",
                    f"{part} of {self.name_of(choice.sources[0])} holds it and is not overwritten",
                    None,
                )
            case How.AGAIN:
                return *self.again(value, choice), None

    def again(self, value: Value, choice: Choice) -> tuple[State, str]:
        """The reason why a value is recomputed, or an element is read again from memory that still holds it."""
        node = self.facts.definitions.get(value)
        if isinstance(node, Load) and not self.facts.is_stable(node):
            return "kept", f"{self.written(value)} is read again in a copy"
        if isinstance(node, Load):
            return "kept", f"{self.written(value)} is not overwritten after it was read"
        if isinstance(node, View):
            return "kept", "the same view is taken again"
        if not choice.sources:
            return "recomputed", "cheap to compute again"
        return "recomputed", "cheap, from " + ", ".join(map(self.name_of, choice.sources))

    def why_stored(self, value: Value, role: Role) -> str:
        """The reason why a value cannot be recomputed, or costs too much to recompute."""
        node = self.facts.definitions.get(value)
        if role == "counter":
            return "only the forward sweep knows how often the loop runs"
        if role == "carried" or node is None:
            return "the next iteration replaces it"
        if isinstance(node, Load):
            return self.gone(node)
        if role == "chosen":
            return "only the forward sweep knows which branch was taken"
        if is_perhaps_view(node):
            return "only the run decides whether it is a view or a copy"
        if isinstance(node, Apply) and not is_inexpensive(node):
            return f"{name_of(node.function)} costs more than a record"
        lost = self.lost(value, {})
        return f"cheap, but {'; '.join(lost)}" if lost else "one record instead of several for its parts"

    def lost(self, value: Value, seen: dict[Value, None]) -> list[str]:
        """The operands of a value that the reverse sweep no longer has."""
        found: dict[str, None] = {}
        block, node = self.facts.where.get(value), self.facts.definitions.get(value)
        for source in operands(node) if node is not None else ():
            if not isinstance(source, Value) or self.facts.where.get(source) is not block or source in seen:
                continue
            seen[source] = None
            made = self.facts.definitions.get(source)
            if isinstance(made, Load) and not self.facts.is_stable(made):
                found[self.gone(made)] = None
            elif made is None and source.name and is_float(source.type):
                found[f"the next iteration replaces {source.name}"] = None
            else:
                found |= dict.fromkeys(self.lost(source, seen))
        return list(found)

    def gone(self, node: Load) -> str:
        """The reason why an element cannot be read again."""
        lines = [store.loc for store in self.facts.overwriters(node)]
        if lines:
            return f"{_overwrite(lines)} {self.written(node.result)}"
        return f"the next iteration replaces {self.written(node.result)}"

    def name_of(self, value: Value) -> str:
        """The user's name for the value, or the piece of the user's line that computes it."""
        return value.name or self.written(value)

    def written(self, value: Value) -> str:
        """The text of a value: the subscript of an element, or the piece of the user's line that computes the value."""
        node = self.facts.definitions.get(value)
        if isinstance(node, Load) and isinstance(node.buffer, Value) and node.buffer.name:
            items = [
                item.name if isinstance(item, Value) else str(item.value) if isinstance(item, Const) else ""
                for item in node.index
            ]
            if all(items):
                return f"{node.buffer.name}[{', '.join(items)}]"
        loc = value.loc
        return loc.text[loc.column : loc.end_column].strip() or "(unnamed)"

    # Sizes

    def size(self, choice: Choice) -> tuple[int | None, str]:
        """Bytes of an entry, and the number of entries as an expression."""
        if choice.memory is not None and is_reference(choice.memory, self.derivation):
            return REFERENCE, "1" if choice.how is How.BRANCH else ""
        is_number = isinstance(choice.value.type, Scalar)
        entry = itemsize(choice.value.type) if is_number or choice.lengths else None
        if choice.lengths:
            parts = [expression(length, self.derivation) for length in choice.lengths]
            return entry, " * ".join(map(_factor, parts)) if all(parts) else ""
        return entry, "1" if choice.how in (How.BRANCH, How.COPY) else ""

    def held(self, value: Value) -> int | None:
        """The bytes of the value's records after the forward sweep; a record that several values share counts only once."""
        if self.counted is None:
            return None
        memories = {choice.memory for choice in self.choices[value] if choice.memory is not None}
        return sum(self.counted.pop(memory, 0) for memory in memories)


def type_text(type_: Type | None) -> str:
    """A type as Numba's users write it: `float64[:, :]`."""
    match type_:
        case Scalar(dtype):
            return dtype
        case Array(dtype, ndim):
            return f"{dtype}[{', '.join(':' * ndim)}]"
        case Tuple(items):
            return f"({', '.join(map(type_text, items))})"
        case Other(text):
            return text
        case _:
            return "?"


def _defined(block: Block) -> set[Value]:
    """All values of a program."""
    found = set(block.parameters)
    for node in block.nodes:
        found.update(results(node))
        for inner in blocks(node):
            found |= _defined(inner)
    return found


def _places(locs: Iterable[Loc]) -> tuple[Place, ...]:
    """The statements of the places, each once, in the order of their lines."""
    return tuple(sorted({place_of(loc) for loc in locs}))


def _overwrite(locs: Sequence[Loc]) -> str:
    """A text such as `line 7 overwrites` or `lines 7, 9 overwrite`."""
    lines = ", ".join(dict.fromkeys(str(loc.line) for loc in locs))
    return f"line {lines} overwrites" if "," not in lines else f"lines {lines} overwrite"


def _outermost(loc: Loc) -> Loc:
    """The place in the differentiated function of the outermost call that leads to a place in inlined code."""
    while loc.caller is not None:
        loc = loc.caller
    return loc


def _factor(text: str) -> str:
    """An expression as a factor of a product, in parentheses if necessary."""
    return (
        text if text.replace("_", "").replace(".", "").isalnum() or text.endswith((")", "]")) else f"({text})"
    )
