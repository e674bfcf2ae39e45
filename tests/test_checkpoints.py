"""Checkpointed loops and calls: the same gradients as without, with as many steps as the best schedule needs."""

import ast
import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

import backsweep as bs
from tests import checkpointed_programs as marked

FILE = Path(marked.__file__)
NAMES = sorted(marked.CASES)


class Unmark(ast.NodeTransformer):
    """Takes the marks out of a program's text."""

    def visit_Call(self, node):
        self.generic_visit(node)
        return node.args[0] if ast.unparse(node.func) in ("bs.checkpointed", "bs.checkpoint") else node

    def visit_FunctionDef(self, node):
        self.generic_visit(node)
        node.decorator_list = [each for each in node.decorator_list if ast.unparse(each) != "bs.checkpoint"]
        return node


@pytest.fixture(scope="module")
def unmarked(tmp_path_factory):
    """The same functions without marks."""
    path = tmp_path_factory.mktemp("plain") / "unmarked_programs.py"
    path.write_text(ast.unparse(Unmark().visit(ast.parse(FILE.read_text()))))
    spec = importlib.util.spec_from_file_location("unmarked_programs", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["unmarked_programs"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["unmarked_programs"]


def flat(result):
    """The numbers of a nested result."""
    if isinstance(result, tuple):
        return np.concatenate([np.zeros(0), *map(flat, result)])
    return np.ravel(np.asarray(result))


def same(one, other):
    """Compare two results, dtypes included."""
    one, other = flat(one), flat(other)
    assert one.dtype == other.dtype
    np.testing.assert_allclose(one, other, rtol=1e-4 if one.dtype == np.float32 else 1e-10, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_gradients(name, unmarked):
    calls, wrt = marked.CASES[name]
    one, other = (
        bs.value_and_grad(getattr(module, name), wrt=wrt, jit=False) for module in (marked, unmarked)
    )
    for arguments in calls:
        same(one(*arguments), other(*arguments))


@pytest.mark.parametrize("name", NAMES)
def test_compiled(name, unmarked):
    calls, wrt = marked.CASES[name]
    one, other = (bs.value_and_grad(getattr(module, name), wrt=wrt) for module in (marked, unmarked))
    for arguments in calls:
        same(one(*arguments), other(*arguments))
