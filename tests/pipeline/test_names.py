"""What a variable is called changes no program: a zoo under other names has the same adjoints, up to their names."""

from __future__ import annotations

import ast
import importlib.util
import random
import re
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path
from types import ModuleType

import pytest

import backsweep as bs
from backsweep.ir.nodes import Const, Function, Value
from backsweep.ir.show import show
from backsweep.ir.walk import blocks, leaving, operands, programs, results, walk
from tests import zoo
from tests.support.meaning import watched
from tests.support.sampled import turning
from tests.zoo.case import REGISTRY, Case

ENDINGS = ("_tape", "_bar", "_snapshots", "_term", "_size", "tapes", "shape", "_dot", "_0", "_i", "")
"""Names that programs end in that were written by Backsweep."""
MODULES = tuple(
    path
    for path in sorted(Path(zoo.__file__).parent.glob("[a-z]*.py"))
    if path.stem not in ("case", "gradients")  # the derivatives in the latter are made once, and then found
)


class Renamed(ast.NodeTransformer):
    """Give each variable of each function another name."""

    def __init__(self, fixed: frozenset[str], seed: str) -> None:
        self.fixed, self.random = fixed, random.Random(seed)
        self.names: dict[str, str] = {}

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        outer = self.names
        bound = {
            each.id
            for each in ast.walk(node)
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
        }
        bound |= {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}
        self.names = outer | {name: self.other(name) for name in sorted(bound - self.fixed - set(outer))}
        decorators, node.decorator_list = node.decorator_list, []
        self.generic_visit(node)
        node.decorator_list = decorators
        self.names = outer
        return node

    def other(self, name: str) -> str:
        return "".join(self.random.choices("abcdefghijklmnopqrstuvwxyz", k=5)) + self.random.choice(ENDINGS)

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg = self.names.get(node.arg, node.arg)
        return node


def imported(tree: ast.Module, path: Path) -> list[Case]:
    """The cases of a module of the zoo, from this text of it."""
    path.parent.mkdir()
    path.write_text(ast.unparse(tree), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    before = len(REGISTRY)
    spec.loader.exec_module(module)
    found = REGISTRY[before:]
    del REGISTRY[before:]
    return found


def without_names(function: Function) -> str:
    """The text of a program whose values are told by their numbers; what it says to users is left out."""
    for program in programs(function):
        for named in (*defined(program), *constants(program)):
            object.__setattr__(named, "name", "")
    lines = [line for line in show(function).splitlines() if not line.lstrip().startswith("#")]
    return re.sub(r"'[^']*'|\"[^\"]*\"", "''", "\n".join(lines))


def defined(program: Function) -> Iterator[Value]:
    """Every value of the program."""
    yield from program.body.parameters
    for node in walk(program.body):
        yield from results(node)
        for block in blocks(node):
            yield from block.parameters


def constants(program: Function) -> Iterator[Const]:
    """Every constant that has a name: a default, a global of the user's."""
    for node in walk(program.body):
        yield from (
            each for each in (*operands(node), *leaving(node)) if isinstance(each, Const) and each.name
        )
    yield from (each for each in program.body.yields if isinstance(each, Const) and each.name)


def passed(case: Case) -> list[tuple[str, str]]:
    """Each pass on the way to the adjoint, and what it gave, without names."""
    with watched() as steps:
        bs.value_and_grad(case.function, argnums=case.argnums).source(*case.args)
    return [(step.name, without_names(step.after)) for step in steps]


@pytest.mark.parametrize("path", turning(90, MODULES), ids=lambda path: path.stem)
def test_names_change_no_program(path: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tree = list(ast.walk(ast.parse(text)))
    used = {node.arg for node in tree if isinstance(node, ast.keyword) and node.arg}
    used |= {node.value for node in tree if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    plain = imported(ast.parse(text), tmp_path / "plain" / path.name)
    renamed = imported(
        Renamed(frozenset(used), path.stem).visit(ast.parse(text)), tmp_path / "renamed" / path.name
    )
    for one, other in zip(plain, renamed, strict=True):
        try:
            expected = passed(one)
        except bs.BacksweepError:
            continue
        for (name, text), (_, after) in zip(passed(other), expected, strict=True):
            message = "\n".join(
                unified_diff(after.splitlines(), text.splitlines(), "plain", "renamed", lineterm="", n=1)
            )
            assert not message, f"{one.name}: {name}\n{message}"
