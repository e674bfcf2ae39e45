"""Mutants of the zoo's functions: statements swapped, dropped, doubled, wrapped; operators, constants and names changed.

A mutant is a program of its own: the function, changed, and what its module defines for it. It is called with the
arguments of the zoo's case.
"""

from __future__ import annotations

import ast
import copy
import functools
import inspect
import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np

from tests import zoo
from tests.fuzz.program import Line, Program, Statement, Suite
from tests.zoo.case import Case

MOST = 3
"""So many changes at once, at most."""
BINARY = (ast.Add, ast.Sub, ast.Mult, ast.Div)
WHOLE = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)
COMPARED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
COMPOUND = (ast.If, ast.For, ast.While, ast.With, ast.FunctionDef)
SIMPLE = (
    ast.Assign,
    ast.AugAssign,
    ast.AnnAssign,
    ast.Expr,
    ast.Return,
    ast.Break,
    ast.Continue,
    ast.Pass,
    ast.Nonlocal,
    ast.Import,
    ast.ImportFrom,
    ast.Delete,
    ast.Assert,
    ast.Raise,
)


@functools.cache
def cases() -> tuple[Case, ...]:
    """The zoo's cases that can be taken apart: top-level functions of plain arguments."""
    return tuple(case for case in zoo.load() if _source(case) is not None and _portable(case.args))


def _portable(args: Any) -> bool:
    """Whether another process can be given the arguments, and they are no functions or classes of the zoo."""
    try:
        return b"tests.zoo" not in pickle.dumps(args)
    except (AttributeError, TypeError, pickle.PicklingError):
        return False


@functools.cache
def _tree(path: str) -> ast.Module:
    return ast.parse(Path(path).read_text(encoding="utf-8"))


def _source(case: Case) -> tuple[ast.Module, ast.FunctionDef] | None:
    """The module and the definition of a case's function."""
    function = getattr(case.function, "py_func", case.function)
    if not inspect.isfunction(function) or "<" in function.__qualname__:
        return None
    tree = _tree(function.__code__.co_filename)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == function.__name__:
            given = node.args
            if given.vararg or given.kwarg or given.kwonlyargs or given.posonlyargs:
                return None
            return tree, node
    return None


def generate(seed: int) -> Program | None:
    """The mutant of a seed; None where the change leaves no program."""
    rng = random.Random(f"mutant {seed}")
    case = rng.choice(cases())
    found = _source(case)
    assert found is not None
    tree, original = found
    function, needed = copy.deepcopy(original), _needed(tree, original)
    helpers = [copy.deepcopy(node) for node in needed]
    targets = [function, function, function, *(node for node in helpers if isinstance(node, ast.FunctionDef))]
    done = sum(_mutate(rng.choice(targets), rng) for _ in range(rng.randint(1, MOST)))
    body = _statements(function.body)
    if not done or body is None:
        return None
    parameters = tuple(each.arg for each in function.args.args[: len(case.args)])
    return Program(
        seed,
        tuple(ast.unparse(ast.fix_missing_locations(_bare(node))) for node in helpers),
        parameters,
        case.args,
        body,
        "number" if _is_number(case) else "several",
        ast.unparse(function.args),
        function.name,
        "import backsweep as bs\n" + "\n".join(ast.unparse(node) for node in _imports(tree)),
        case.argnums,
    )


def _is_number(case: Case) -> bool:
    """Whether the function returns a float."""
    function = getattr(case.function, "py_func", case.function)
    return isinstance(function(*case.args), float | np.floating)


def _imports(tree: ast.Module) -> list[ast.stmt]:
    """The imports of a module."""
    return [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]


def _defined(node: ast.stmt) -> set[str]:
    """The names that a top-level statement defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return set()
    return {
        each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }


def _needed(tree: ast.Module, function: ast.FunctionDef) -> list[ast.stmt]:
    """What the function needs of its module, however indirectly, in order."""
    names, found, todo = set(), set(), [function]
    while todo:
        wanted = {
            each.id for each in ast.walk(_bare(copy.deepcopy(todo.pop()))) if isinstance(each, ast.Name)
        }
        for number, node in enumerate(tree.body):
            if (
                node is not function
                and number not in found
                and (_defined(node) | _called(node)) & (wanted - names)
            ):
                found.add(number)
                todo.append(node)
        names |= wanted
    return [tree.body[number] for number in sorted(found)]


def _called(node: ast.stmt) -> set[str]:
    """The name that a bare call such as `f.defvjp(...)` is about."""
    match node:
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(name)))):
            return {name}
        case _:
            return set()


def _bare(node: ast.stmt) -> ast.stmt:
    """A definition without the zoo's decorators."""
    if isinstance(node, ast.FunctionDef):
        node.decorator_list = [
            each for each in node.decorator_list if not ast.unparse(each).startswith("case(")
        ]
    return node


def _statements(body: list[ast.stmt]) -> tuple[Statement, ...] | None:
    """The statements as a tree that shrinks; None if there are others than it knows."""
    found: list[Statement] = []
    for node in body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, SIMPLE):
            found.append(Line(ast.unparse(ast.fix_missing_locations(node))))
            continue
        if not isinstance(node, COMPOUND):
            return None
        arms = []
        for header, inner in _arms(node):
            block = _statements(inner)
            if block is None:
                return None
            arms.append((header, block))
        found.append(Suite(tuple(arms)))
    return tuple(found)


def _arms(node: Any) -> list[tuple[str, list[ast.stmt]]]:
    """The headers of a compound statement with what is under each."""
    head = copy.copy(node)
    head.body, orelse = [ast.Pass()], getattr(node, "orelse", [])
    if hasattr(head, "orelse"):
        head.orelse = []
    text = ast.unparse(ast.fix_missing_locations(head)).removesuffix("\n    pass")
    return [(text, node.body), *([("else:", orelse)] if orelse else [])]


def _blocks(function: ast.FunctionDef) -> list[list[ast.stmt]]:
    """All lists of statements within."""
    found = []
    for node in ast.walk(function):
        for name in ("body", "orelse"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                found.append(block)
    return found


def _mutate(function: ast.FunctionDef, rng: random.Random) -> bool:
    """Change one thing; whether there was one."""
    change = rng.choice(
        [_swap, _drop, _double, _wrap, _wrap, _operator, _operator, _constant, _constant, _name, _compare]
    )
    return change(function, rng)


def _swap(function: ast.FunctionDef, rng: random.Random) -> bool:
    blocks = [block for block in _blocks(function) if len(block) > 1]
    if not blocks:
        return False
    block = rng.choice(blocks)
    i = rng.randrange(len(block) - 1)
    block[i], block[i + 1] = block[i + 1], block[i]
    return True


def _drop(function: ast.FunctionDef, rng: random.Random) -> bool:
    block = rng.choice(_blocks(function))
    i = rng.randrange(len(block))
    if isinstance(block[i], ast.Return | ast.FunctionDef):
        return False
    del block[i]
    block += [] if block else [ast.Pass()]
    return True


def _double(function: ast.FunctionDef, rng: random.Random) -> bool:
    block = rng.choice(_blocks(function))
    i = rng.randrange(len(block))
    if isinstance(block[i], ast.Return | ast.FunctionDef):
        return False
    block.insert(rng.randint(i, len(block) - isinstance(block[-1], ast.Return)), copy.deepcopy(block[i]))
    return True


def _wrap(function: ast.FunctionDef, rng: random.Random) -> bool:
    block = rng.choice(_blocks(function))
    i = rng.randrange(len(block))
    if isinstance(block[i], ast.Return | ast.FunctionDef):
        return False
    names = sorted({each.id for each in ast.walk(block[i]) if isinstance(each, ast.Name)})
    tests = ["1 < 2", *(f"{name} {rng.choice('<>')} {rng.uniform(0.1, 2.0):.3f}1" for name in names)]
    header = rng.choice(
        [f"if {rng.choice(tests)}:", "for _ in range(2):", "for _ in range(2):", "while True:"]
    )
    (made,) = ast.parse(f"{header}\n    pass").body
    assert isinstance(made, ast.If | ast.For | ast.While)
    made.body = [block[i], ast.Break()] if isinstance(made, ast.While) else [block[i]]
    block[i] = made
    return True


def _operator(function: ast.FunctionDef, rng: random.Random) -> bool:
    nodes = [each for each in ast.walk(function) if isinstance(each, ast.BinOp | ast.AugAssign)]
    if not nodes:
        return False
    node = rng.choice(nodes)
    choices = BINARY if isinstance(node.op, BINARY) else WHOLE
    node.op = rng.choice([each for each in choices if not isinstance(node.op, each)])()
    return True


def _compare(function: ast.FunctionDef, rng: random.Random) -> bool:
    nodes = [each for each in ast.walk(function) if isinstance(each, ast.Compare)]
    if not nodes:
        return False
    node = rng.choice(nodes)
    node.ops[0] = rng.choice(COMPARED)()
    return True


def _constant(function: ast.FunctionDef, rng: random.Random) -> bool:
    nodes = [
        each
        for each in ast.walk(function)
        if isinstance(each, ast.Constant) and not isinstance(each.value, str)
    ]
    if not nodes:
        return False
    node = rng.choice(nodes)
    match node.value:
        case bool():
            node.value = not node.value
        case int():
            node.value = rng.choice([node.value + 1, abs(node.value - 1), 0, 1, 2, float(node.value)])
        case float():
            node.value = rng.choice([node.value * 0.5, node.value + 0.3, 0.0, 1.0, int(node.value) + 1])
        case _:
            return False
    return True


def _name(function: ast.FunctionDef, rng: random.Random) -> bool:
    """One use of a variable becomes one of another."""
    stored = {
        each.id
        for each in ast.walk(function)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    names = sorted(stored | {each.arg for each in function.args.args})
    uses = [
        each
        for each in ast.walk(function)
        if isinstance(each, ast.Name) and each.id in names and isinstance(each.ctx, ast.Load)
    ]
    if not uses or len(names) < 2:
        return False
    use = rng.choice(uses)
    use.id = rng.choice([name for name in names if name != use.id])
    return True
