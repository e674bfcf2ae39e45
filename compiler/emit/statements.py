"""The form of a program between IR and Python: lists of statements with explicit copies, exits and returns.

The yields of blocks become parallel copies, an exit flag that a branch decides becomes an exit inside that branch, and
a branch that ends the function returns. Naming and printing work on this form.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from backsweep.diagnostics import Loc
from backsweep.ir.nodes import (
    UNDEFINED,
    Append,
    Apply,
    Block,
    Comment,
    Const,
    For,
    Function,
    Grow,
    If,
    Load,
    Node,
    Operand,
    Raise,
    Role,
    Store,
    Sweep,
    Undefined,
    Value,
    View,
    While,
)
from backsweep.ir.operations import operation
from backsweep.ir.types import Scalar
from backsweep.ir.walk import leaving, operands, results, rewrite_block, substitute, walk

Expression = Apply | View | Load | If

LARGEST_CONDITIONAL = 12
"""An If with more operands than three times this number is never written as a conditional expression."""


@dataclass(frozen=True, slots=True, eq=False)
class Define:
    """`value = node`; the node has one result, and an If here is a conditional expression."""

    value: Value
    node: Expression
    loc: Loc


@dataclass(frozen=True, slots=True, eq=False)
class Effect:
    """A store, an append, the growth of an array, or a raise."""

    node: Store | Append | Grow | Raise
    loc: Loc


@dataclass(frozen=True, slots=True, eq=False)
class Copies:
    """Parallel copies: all targets take their sources at once."""

    targets: tuple[Value, ...]
    sources: tuple[Operand, ...]
    loc: Loc


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """`if condition: then else: orelse`."""

    condition: Operand
    then: list[Statement]
    orelse: list[Statement]
    loc: Loc


@dataclass(frozen=True, slots=True, eq=False)
class Count:
    """`for index in range(start, stop, step)`, or `prange`."""

    index: Value
    start: Operand
    stop: Operand
    step: Operand
    body: list[Statement]
    loc: Loc
    parallel: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Forever:
    """`while True`; the body contains the exits."""

    body: list[Statement]
    loc: Loc


@dataclass(frozen=True, slots=True, eq=False)
class Exit:
    """`if condition: break`, or `if not condition: break`."""

    condition: Operand
    unless: bool
    loc: Loc


@dataclass(frozen=True, slots=True, eq=False)
class Return:
    """The end of the function."""

    result: Operand
    loc: Loc


@dataclass(frozen=True, slots=True, eq=False)
class Note:
    """A comment line, which heads a whole part of the function or a few statements."""

    text: str
    loc: Loc
    is_part: bool = False


Statement = Define | Effect | Copies | Branch | Count | Forever | Exit | Return | Note


@dataclass(frozen=True, slots=True)
class End:
    """The end of a block: parallel copies, then an exit of the loop or a return."""

    targets: tuple[Value, ...]
    sources: tuple[Operand, ...]
    loc: Loc
    exit: Operand | None = None
    result: Operand | None = None


def reads(statement: Statement) -> tuple[Operand, ...]:
    """The operands that the statement itself reads, without the statements inside it."""
    match statement:
        case Define(_, If() as node):
            return tuple(inside(node))
        case Define(_, node) | Effect(node):
            return operands(node)
        case Copies():
            return statement.sources
        case Branch() | Exit():
            return (statement.condition,)
        case Count():
            return (statement.start, statement.stop, statement.step)
        case Return():
            return (statement.result,)
        case Forever() | Note():
            return ()


def inside(node: If) -> Iterator[Operand]:
    """Every operand inside a conditional expression, including values that are defined in it."""
    yield node.condition
    for block in (node.then, node.orelse):
        for inner in walk(block):
            yield from operands(inner)
            yield from leaving(inner)
        yield from block.yields


def lists(statement: Statement) -> tuple[list[Statement], ...]:
    """The statement lists inside a statement, in program order."""
    match statement:
        case Branch():
            return (statement.then, statement.orelse)
        case Count() | Forever():
            return (statement.body,)
        case _:
            return ()


def every(statements: list[Statement]) -> Iterator[Statement]:
    """Every statement of the list and of the lists inside its statements, in program order."""
    for statement in statements:
        yield statement
        for inner in lists(statement):
            yield from every(inner)


def structured(function: Function) -> list[Statement]:
    """The function as statements; the result of a loop is the variable that the loop carries."""
    body = _without_borrowed_names(substitute(function.body, _carried(function.body)))
    counts: Counter[Operand] = Counter()
    for node in walk(body):
        counts.update(operands(node))
        counts.update(leaving(node))
    counts.update(body.yields)
    result = body.yields[0] if body.yields else Const(None)
    return _block(body, End((), (), function.loc, result=result), counts)


def _without_borrowed_names(body: Block) -> Block:
    """Remove the names of adjoints from elements of primal arrays, which got them by being equal to an adjoint."""
    unnamed: dict[Value, Operand] = {}

    def without_name(node: Node) -> list[Node]:
        if not isinstance(node, Load) or not _is_borrowed(node):
            return [node]
        unnamed[node.result] = result = Value("", node.result.type, node.result.loc)
        return [dataclasses.replace(node, result=result)]

    return substitute(rewrite_block(body, without_name), unnamed)


def _is_borrowed(load: Load) -> bool:
    """Whether an element of a primal array has the name of an adjoint."""
    owner = load.buffer.name
    if isinstance(load.buffer, Value) and load.buffer.role is Role.RECORD:
        return False
    return load.result.name.endswith("_bar") and not owner.endswith("_bar") and bool(owner)


def _carried(block: Block) -> dict[Value, Operand]:
    """Map each result of a loop, and each parameter of its condition, to the carried value."""
    same: dict[Value, Operand] = {}
    for node in walk(block):
        match node:
            case For():
                same.update(zip(node.results, node.body.parameters[1:], strict=True))
            case While():
                same.update(zip(node.results, node.body.parameters, strict=True))
                same.update(zip(node.condition.parameters, node.body.parameters, strict=True))
    return same


def _block(block: Block, end: End, counts: Counter[Operand]) -> list[Statement]:
    """The nodes of a block and its end as statements."""
    nodes = block.nodes
    statements: list[Statement] = []
    last = next((i for i in reversed(range(len(nodes))) if not isinstance(nodes[i], Comment)), -1)
    for position, node in enumerate(nodes):
        if position == last and isinstance(node, If) and _decides(node, end, counts):
            statements.append(_deciding(node, end, counts))
            return statements
        statements += _node(node, counts)
    if last >= 0 and isinstance(nodes[last], Raise):
        return statements
    return statements + _end(end)


def _decides(node: If, end: End, counts: Counter[Operand]) -> bool:
    """Whether the end of the block should move into the branches of its last node."""
    chosen = set(node.results)
    if end.exit is not None and end.exit is node.condition:
        return True
    if end.result in chosen:
        return not is_conditional(node, counts)
    if end.exit not in chosen:
        return False
    position = node.results.index(end.exit)
    decided = [block.yields[position] for block in (node.then, node.orelse)]
    both = all(isinstance(operand, Const) for operand in decided)
    return both or not is_conditional(node, counts)


def _deciding(node: If, end: End, counts: Counter[Operand]) -> Branch:
    """The last If of a block with the block's end moved into its branches."""

    def branch(block: Block, holds: bool) -> list[Statement]:
        leave = Const(holds) if end.exit is node.condition else end.exit
        chosen = dict(zip(node.results, block.yields, strict=True))

        def choose(operand: Operand) -> Operand:
            return chosen.get(operand, operand) if isinstance(operand, Value) else operand

        ending = End(
            end.targets,
            tuple(choose(source) for source in end.sources),
            end.loc,
            None if leave is None else choose(leave),
            None if end.result is None else choose(end.result),
        )
        return _block(block, ending, counts)

    return Branch(node.condition, branch(node.then, True), branch(node.orelse, False), node.loc)


def _end(end: End) -> list[Statement]:
    """The statements of a block's end."""
    copies: list[Statement] = [Copies(end.targets, end.sources, end.loc)] if end.targets else []
    if end.result is not None:
        return [*copies, Return(end.result, end.loc)]
    if end.exit is None or (isinstance(end.exit, Const) and not end.exit.value):
        return copies
    if end.exit in end.targets:
        # The copies overwrite the flag: each side makes its own after the test.
        leave = Exit(Const(True), False, end.loc)
        return [Branch(end.exit, [*copies, leave], list(copies), end.loc)]
    return [*copies, Exit(end.exit, False, end.loc)]


def _node(node: Node, counts: Counter[Operand]) -> list[Statement]:
    """One node as statements."""
    match node:
        case Apply() | View() | Load():
            return [Define(node.result, node, node.loc)]
        case Store() | Append() | Grow() | Raise():
            return [Effect(node, node.loc)]
        case Comment():
            return [Note(node.text, node.loc, isinstance(node, Sweep))]
        case If():
            return _if(node, counts)
        case For():
            return _for(node, counts)
        case While():
            return _while(node, counts)


def _if(node: If, counts: Counter[Operand]) -> list[Statement]:
    """A branch as statements, or one conditional expression."""
    if is_conditional(node, counts):
        return [Define(node.results[0], node, node.loc)]
    then, orelse = (
        _block(block, End(node.results, block.yields, node.loc), counts) for block in (node.then, node.orelse)
    )
    return [Branch(node.condition, then, orelse, node.loc)]


def _for(node: For, counts: Counter[Operand]) -> list[Statement]:
    """A counted loop as statements."""
    index, *carried = node.body.parameters
    end = End(tuple(carried), node.body.yields, node.loc, node.exit)
    body = _block(node.body, end, counts)
    loop = Count(index, node.start, node.stop, node.step, body, node.loc, node.parallel)
    return [*_begin(tuple(carried), node.inits, node.loc), loop]


def _while(node: While, counts: Counter[Operand]) -> list[Statement]:
    """A while loop as statements: its condition becomes an exit in the body."""
    parameters = node.body.parameters
    body = _block(node.condition, End((), (), node.loc), counts)
    condition = node.condition.yields[0]
    if not (isinstance(condition, Const) and condition.value):
        body.append(Exit(condition, True, node.loc))
    body += _block(node.body, End(parameters, node.body.yields, node.loc, node.exit), counts)
    return [*_begin(parameters, node.inits, node.loc), Forever(body, node.loc)]


def _begin(parameters: tuple[Value, ...], inits: tuple[Operand, ...], loc: Loc) -> list[Statement]:
    """The copies that begin a loop."""
    return [Copies(parameters, inits, loc)] if parameters else []


def named(value: Value) -> bool:
    """Whether the user named the value; names with a leading dot are the frontend's."""
    return bool(value.name) and not value.name.startswith(".")


def is_undefined(operand: Operand) -> bool:
    """Whether the operand stands for a variable that is not assigned yet."""
    return operand is UNDEFINED or (isinstance(operand, Const) and isinstance(operand.value, Undefined))


def is_conditional(node: If, counts: Counter[Operand]) -> bool:
    """Whether the If is written as an expression: `a if c else b`, `a and b`, `a or b`."""
    if len(node.results) != 1 or sum(1 for _ in inside(node)) > 3 * LARGEST_CONDITIONAL:
        return False
    result = node.results[0]
    chosen = (node.then.yields[0], node.orelse.yields[0])
    if any(map(is_undefined, chosen)) or not all(
        _is_expression(block, counts) for block in (node.then, node.orelse)
    ):
        return False
    logical = is_logical(node)
    if node.loc.statement.startswith(("if ", "elif ")) and not logical:
        return False
    if named(result):
        rebinds = any(isinstance(operand, Value) and operand.name == result.name for operand in chosen)
        return bool(node.loc.statement) and not node.loc.statement.startswith("if ") and not rebinds
    return True


def is_logical(node: If) -> bool:
    """Whether the If is `c and v`, `c or v` or the truth of `c` itself."""
    then, orelse = node.then.yields[0], node.orelse.yields[0]
    test = node.condition
    if isinstance(test, Value) and test.type is not None and test.type != Scalar("bool"):
        return False
    is_or = isinstance(then, Const) and then.value is True and not node.then.nodes
    is_and = isinstance(orelse, Const) and orelse.value is False and not node.orelse.nodes
    return is_or or is_and


def _is_expression(block: Block, counts: Counter[Operand]) -> bool:
    """Whether the block computes its one yield by unnamed pure values, each used once."""
    for node in block.nodes:
        match node:
            case Apply():
                if not operation(node.function).is_pure:
                    return False
            case View() | Load():
                pass
            case If():
                if not is_conditional(node, counts):
                    return False
            case _:
                return False
        if any(named(value) or counts[value] != 1 for value in results(node)):
            return False
    return True
