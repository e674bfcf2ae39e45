"""Turn `return`, `break` and `continue` into structure, before any other part reads the syntax tree.

If one branch of an `if` always leaves, the statements after the `if` move into the other branch. If a branch may leave,
a flag guards the statements after it. The flags and the result are hidden variables, whose names begin with a dot, so
that no name of the user's can be equal:

- `.result` is what the function returns; `.returned` whether a loop was left by `return`;
- `.exit1` whether the loop (numbered by depth) ends after this iteration;
- `.done1` whether the rest of the iteration is skipped;
- `.broke1` whether a loop with an `else` was left by `break`.
"""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Iterable, Iterator, Sequence
from enum import Flag, auto
from typing import TypeVar

from backsweep.ir.nodes import UNDEFINED
from backsweep.reading.origins import located

S = TypeVar("S", bound=ast.stmt)

OTHER_SCOPES = (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
"""The syntax whose names and jumps are its own."""
#: The attribute of a structured loop that holds its depth.
DEPTH = "backsweep_depth"
RESULT = ".result"
RETURNED = ".returned"


class Ways(Flag):
    """The ways in which control can leave a list of statements."""

    FALLS = auto()
    LEAVES = auto()
    RAISES = auto()


def exit_name(depth: int) -> str:
    """The flag that ends the loop of this depth."""
    return f".exit{depth}"


def done_name(depth: int) -> str:
    """The flag that skips the rest of an iteration of the loop of this depth; of the function, at depth 0."""
    return f".done{depth}" if depth else RETURNED


def is_local_flag(name: str) -> bool:
    """Whether the variable is a flag whose value does not pass from one iteration to the next."""
    return name.startswith((".exit", ".done"))


def structured(body: Sequence[ast.stmt], where: ast.AST) -> list[ast.stmt]:
    """The function's statements without jumps; every path sets `.result`."""
    end = located(ast.Return(value=None), body[-1] if body else where)
    return [_set(RETURNED, False, end), *_block([*body, end], 0)]


@functools.lru_cache(maxsize=1024)
def structured_body(definition: ast.FunctionDef) -> tuple[ast.stmt, ...]:
    """The same for a function as it is written, which may be called in many places."""
    return tuple(structured(definition.body, definition))


def ways_out(statements: Iterable[ast.stmt]) -> Ways:
    """The ways in which control can leave the statements; `break` and `continue` of loops inside them do not count."""
    found = Ways(0)
    for statement in statements:
        this = _ways_out(statement)
        found |= this & ~Ways.FALLS
        if Ways.FALLS not in this:
            return found
    return found | Ways.FALLS


def returns(statements: Iterable[ast.stmt]) -> bool:
    """Whether the statements contain a `return`, outside inner functions."""
    return any(isinstance(node, ast.Return) for node in own_nodes(statements))


def loop_number(loop: ast.For | ast.While) -> int:
    """The depth of a structured loop, which numbers its flags."""
    depth = getattr(loop, DEPTH, 0)
    return depth if isinstance(depth, int) else 0


def may_leave(loop: ast.For | ast.While) -> bool:
    """Whether a structured loop may end early."""
    flag = exit_name(loop_number(loop))
    return any(
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Constant)
        and node.value.value is True
        and any(isinstance(target, ast.Name) and target.id == flag for target in node.targets)
        for node in own_nodes(loop.body)
    )


def _ways_out(statement: ast.stmt) -> Ways:
    match statement:
        case ast.Return() | ast.Break() | ast.Continue():
            return Ways.LEAVES
        case ast.Raise():
            return Ways.RAISES
        case ast.If(test=ast.Constant(value=value), body=body, orelse=orelse):
            return ways_out(body if value else orelse)
        case ast.If(body=body, orelse=orelse):
            return ways_out(body) | ways_out(orelse)
        case ast.With(body=body):
            return ways_out(body)
        case ast.Try(body=body, handlers=handlers, orelse=orelse):  # of a text that is not rewritten
            return functools.reduce(
                Ways.__or__, (ways_out(each.body) for each in handlers), ways_out([*body, *orelse])
            )
        case ast.While() if _endless(statement):
            return Ways.LEAVES if returns(statement.body) else Ways.RAISES
        case ast.For() | ast.While() if returns([*statement.body, *statement.orelse]):
            return Ways.FALLS | Ways.LEAVES
        case _:
            return Ways.FALLS


def _endless(loop: ast.While) -> bool:
    """Whether the loop ends only by `return` or an exception."""
    return isinstance(loop.test, ast.Constant) and bool(loop.test.value) and not _breaks(loop.body)


def _breaks(parts: Iterable[ast.AST]) -> bool:
    """Whether the parts of a loop's body contain a `break` of this loop: one behind the `else` of a loop in it is."""
    for part in parts:
        match part:
            case ast.Break():
                return True
            case ast.For() | ast.While():
                inside: Iterable[ast.AST] = part.orelse
            case _:
                inside = () if isinstance(part, OTHER_SCOPES) else ast.iter_child_nodes(part)
        if _breaks(inside):
            return True
    return False


def own_nodes(statements: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """All nodes of the statements, except those inside inner functions and classes."""
    waiting = list(statements)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, OTHER_SCOPES):
            waiting.extend(ast.iter_child_nodes(node))


def _block(statements: Sequence[ast.stmt], depth: int) -> list[ast.stmt]:
    """The statements without jumps; `depth` counts the loops around them within the function."""
    made: list[ast.stmt] = []
    for k, statement in enumerate(statements):
        rest = list(statements[k + 1 :])
        match statement:
            case ast.Return(value=value):
                result = value or located(ast.Constant(value=None), statement)
                made += [_assign(RESULT, result, statement), *_leave(statement, depth, ends_loop=True)]
                made.append(_set(RETURNED, True, statement))
                return made
            case ast.Break() | ast.Continue():
                return made + _leave(statement, depth, ends_loop=isinstance(statement, ast.Break))
            case ast.If():
                made += _if(statement, rest, depth)
                return made
            case ast.For() | ast.While() if statement.orelse:
                return made + _block([*_without_else(statement, depth + 1), *rest], depth)
            case ast.For() | ast.While():
                made.append(_loop(statement, depth))
                if returns(statement.body):
                    made += _after_returning_loop(statement, rest, depth)
                    return made
                if isinstance(statement, ast.While) and _endless(statement):
                    return made
            case ast.Raise():
                return [*made, statement]
            case ast.With():
                made.append(_replaced(statement, body=_block(statement.body, depth)))
                if ways_out(statement.body) != Ways.FALLS:
                    return made + _guarded(statement, rest, depth)
            case _:
                made.append(statement)
    return made


def _leave(at: ast.stmt, depth: int, ends_loop: bool) -> list[ast.stmt]:
    """Set the flags of the innermost loop; outer loops test `.returned` after it."""
    if depth == 0:
        return []
    flags = [_set(done_name(depth), True, at)]
    return [_set(exit_name(depth), True, at), *flags] if ends_loop else flags


def _if(statement: ast.If, rest: list[ast.stmt], depth: int) -> list[ast.stmt]:
    """Structure a branch and the statements after it, which move into the branch that falls through if the other leaves."""
    then, orelse = ways_out(statement.body), ways_out(statement.orelse)
    body, other = list(statement.body), list(statement.orelse)
    if Ways.LEAVES not in then | orelse:
        return [_branch(statement, body, other, depth), *_block(rest, depth)]
    if Ways.FALLS not in then:
        return [_branch(statement, body, other + rest, depth)]
    if Ways.FALLS not in orelse:
        return [_branch(statement, body + rest, other, depth)]
    return [_branch(statement, body, other, depth), *_guarded(statement, rest, depth)]


def _branch(statement: ast.If, body: list[ast.stmt], orelse: list[ast.stmt], depth: int) -> ast.If:
    return _replaced(statement, body=_block(body, depth), orelse=_block(orelse, depth))


def _guarded(statement: ast.stmt, rest: list[ast.stmt], depth: int) -> list[ast.stmt]:
    """`rest`, guarded so that it runs only if the statement before it has not left."""
    if not rest:
        return []
    header = getattr(statement, "test", getattr(statement, "iter", statement))
    done = located(ast.Name(done_name(depth), ast.Load()), header)
    inside = [_set(done_name(depth), False, rest[0]), *_block(rest, depth)]
    return [located(ast.If(test=done, body=[], orelse=inside), statement)]


def _after_returning_loop(loop: ast.For | ast.While, rest: list[ast.stmt], depth: int) -> list[ast.stmt]:
    """The statements after a loop that may have returned: the outer loop ends too, or `rest` runs."""
    leave = [*_leave(loop, depth, ends_loop=True), _set(RETURNED, True, loop)]
    if isinstance(loop, ast.While) and _endless(loop):
        return leave
    header = loop.test if isinstance(loop, ast.While) else loop.iter
    returned = located(ast.Name(RETURNED, ast.Load()), header)
    inside = _block(rest, depth)
    if rest:
        inside.insert(0, _set(RETURNED, False, rest[0]))
    return [located(ast.If(test=returned, body=leave, orelse=inside), loop)]


def _loop(loop: ast.For | ast.While, depth: int) -> ast.stmt:
    """The loop with flags instead of jumps; a walrus in its condition moves into the body."""
    inner = depth + 1
    body = list(loop.body)
    if isinstance(loop, ast.While) and any(isinstance(node, ast.NamedExpr) for node in ast.walk(loop.test)):
        stop = located(ast.Break(), loop.test)
        leave = ast.UnaryOp(ast.Not(), loop.test)
        body.insert(0, located(ast.If(located(leave, loop.test), [stop], []), loop.test))
        always = located(ast.Constant(value=True), loop.test)
        loop = _replaced(loop, test=always)
    flags = [exit_name(inner), done_name(inner)]
    if returns(body):
        flags.append(RETURNED)
    begin = [_set(name, False, loop) for name in flags]
    if RETURNED in flags:  # otherwise the loop would carry the result from one iteration to the next
        begin.append(_assign(RESULT, located(ast.Constant(value=UNDEFINED.value), loop), loop))
    made = _replaced(loop, body=begin + _block(body, inner))
    setattr(made, DEPTH, inner)
    return made


def with_test_within(loop: ast.While) -> ast.While:
    """A structured loop that tests its condition within its body."""
    leave = ast.UnaryOp(ast.Not(), loop.test)
    stop = _set(exit_name(loop_number(loop)), True, loop)
    within = located(ast.If(located(leave, loop.test), [stop], loop.body), loop)
    made = _replaced(loop, test=located(ast.Constant(value=True), loop.test), body=[within])
    setattr(made, DEPTH, loop_number(loop))
    return made


def _without_else(loop: ast.For | ast.While, depth: int) -> list[ast.stmt]:
    """The loop, followed by its `else` block, which runs unless a `break` has left the loop."""
    name = f".broke{depth}"

    def marked(statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for statement in statements:
            if isinstance(statement, ast.Break):
                made.append(_set(name, True, statement))
            if isinstance(statement, ast.If):
                statement = _replaced(statement, body=marked(statement.body), orelse=marked(statement.orelse))
            elif isinstance(statement, ast.With):
                statement = _replaced(statement, body=marked(statement.body))
            elif isinstance(statement, ast.For | ast.While):  # whose own `break` leaves that loop alone
                statement = _replaced(statement, orelse=marked(statement.orelse))
            made.append(statement)
        return made

    before = _set(name, False, loop)
    plain = _replaced(loop, body=[_set(name, False, loop), *marked(loop.body)], orelse=[])
    broke = located(ast.Name(name, ast.Load()), loop.test if isinstance(loop, ast.While) else loop.iter)
    after = ast.If(test=broke, body=[], orelse=loop.orelse)
    return [before, plain, located(after, loop)]


def _replaced(statement: S, **fields: object) -> S:
    """A copy of a statement with some fields changed."""
    changed = copy.copy(statement)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _set(name: str, value: bool, at: ast.AST) -> ast.stmt:
    return _assign(name, located(ast.Constant(value=value), at), at)


def _assign(name: str, value: ast.expr, at: ast.AST) -> ast.stmt:
    target = located(ast.Name(name, ast.Store()), at)
    return located(ast.Assign(targets=[target], value=value), at)
