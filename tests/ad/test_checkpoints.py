"""Checkpointed loops and calls: the same gradients as without, with as many steps as the best schedule needs."""

import ast
import importlib.util
import inspect
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import njit

import backsweep as bs
from backsweep.frontend.constructs.checkpoints import amount
from backsweep.runtime import tape
from tests.ad import checkpointed_programs as marked
from tests.support.sampled import turning

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


@pytest.mark.parametrize("name", turning(5, NAMES))
def test_gradients(name, unmarked):
    calls, wrt = marked.CASES[name]
    one, other = (
        bs.value_and_grad(getattr(module, name), wrt=wrt, jit=False) for module in (marked, unmarked)
    )
    for arguments in calls:
        same(one(*arguments), other(*arguments))


@pytest.mark.compiles
@pytest.mark.parametrize("name", turning(135, NAMES))
def test_compiled(name, unmarked):
    calls, wrt = marked.CASES[name]
    one = bs.value_and_grad(getattr(marked, name), wrt=wrt)
    other = bs.value_and_grad(getattr(unmarked, name), wrt=wrt, jit=False)
    for arguments in calls:
        same(one(*arguments), other(*arguments))


@pytest.mark.parametrize("name", turning(5, NAMES))
def test_pullbacks(name, unmarked):
    """A pullback may be called again, after which its snapshots are others."""
    calls, wrt = marked.CASES[name]
    found = []
    for module in (marked, unmarked):
        value, pullback = bs.vjp(getattr(module, name), *calls[-1], wrt=wrt, jit=False)
        one = np.asarray(value).dtype.type(1.0)
        found.append((value, pullback(one), pullback(2 * one), pullback(one)))
    same(*found)


@pytest.mark.parametrize("name", turning(5, NAMES))
def test_tangents(name, unmarked):
    """Forward mode records nothing, and ignores the marks."""
    calls, wrt = marked.CASES[name]
    function = getattr(marked, name)
    names = inspect.signature(getattr(function, "py_func", function)).parameters
    given = [value for each, value in zip(names, calls[-1], strict=True) if each in wrt]
    if any(isinstance(value, tuple) for value in given):
        return
    dots = tuple(np.ones_like(value) if isinstance(value, np.ndarray) else 1.0 for value in given)
    one, other = (
        bs.jvp(getattr(module, name), calls[-1], dots, wrt=wrt, jit=False) for module in (marked, unmarked)
    )
    same(one, other)


SECOND = [
    "scalar",
    "written_array",
    "rebound_array",
    "swapped",
    "nested",
    "while_loop",
    "calls",
    "call_in_loop",
]


@pytest.mark.parametrize("name", turning(9, SECOND))
def test_second_derivatives(name, unmarked):
    calls, _ = marked.CASES[name]
    one, other = (bs.hessian(getattr(module, name), jit=False)(*calls[-1]) for module in (marked, unmarked))
    same(one, other)


def recomputed(steps, slots):
    """The least number of steps that are computed again, by the formula of Griewank and Walther."""
    r = next(r for r in range(steps + 1) if math.comb(slots + r, slots) >= steps)
    return r * steps - math.comb(slots + r, slots + 1)


@pytest.mark.parametrize(
    ("steps", "slots"), [(1, 3), (2, 1), (7, 1), (10, 3), (50, 4), (100, 5), (60, 59), (60, 100)]
)
def test_schedule_is_the_best(steps, slots):
    """The blocks that the emitted loops compute, counted with the functions that they call."""
    kept = tape.no_snapshots(slots)
    snapshots, runs = {}, 0

    def run(start, stop, end):
        nonlocal runs
        for block in range(start, stop):
            slot = tape.slot_for(kept, block, end)
            if slot >= 0:
                assert slot < slots
                snapshots[slot] = block
            runs += 1

    run(0, steps - 1, steps)
    for block in range(steps - 2, -1, -1):
        held = tape.newest(kept, block)
        assert snapshots[kept[1, held]] == kept[0, held] <= block
        run(int(kept[0, held]), block, block + 1)
    assert runs == recomputed(steps, slots) == tape.computed_again(steps, slots)


@pytest.mark.parametrize(("steps", "slots"), [(1, 1), (9, 1), (10, 3), (100, 5), (1000, 10)])
def test_snapshots_of_unknown_number(steps, slots):
    """Whatever the number of blocks, the snapshots at hand suffice, and the first is kept."""
    kept = tape.no_snapshots(slots)
    snapshots = {}
    for block in range(steps):
        slot = tape.slot_ahead(kept, block)
        if slot >= 0:
            snapshots[slot] = block
    found = [int(kept[0, k]) for k in range(1, kept[0, 0] + 1)]
    assert found == [k * int(kept[1, 0]) for k in range(len(found))]
    assert [snapshots[int(kept[1, k])] for k in range(1, len(found) + 1)] == found
    assert len(found) <= slots


def test_explained():
    explanation = bs.grad(marked.scalar).explain(0.4, 1.3, 50)
    (place, count), *rest = explanation.again
    assert (count, rest) == (recomputed(50, 3), [])
    assert "checkpointed" in place.statement
    row = next(row for row in explanation["x"] if row.role == "carried")
    assert (row.state, row.bytes) == ("stored", 3 * 8)
    assert f"Computed again: {count} steps" in str(explanation)


def long_loop(x, n):
    for _ in range(n):
        x = x + 0.1 * math.sin(x)
    return x


@pytest.mark.compiles
@pytest.mark.parametrize("jit", [True, False])
def test_records_that_do_not_fit(jit):
    """A gradient says so before it starts; explain says so as well."""
    gradient = bs.grad(long_loop, jit=jit)
    assert gradient(0.4, 10) == pytest.approx(bs.grad(long_loop)(0.4, 10))
    for steps in (10**11, 10**13):
        with pytest.raises(bs.OutOfMemoryError, match=rf"they take {8 * steps:,} bytes.*\[BS148\]") as caught:
            gradient(0.4, steps)
        assert isinstance(caught.value, MemoryError)
        assert "bs.checkpointed" in str(caught.value)
        assert "This does not run" in str(gradient.explain(0.4, steps))


def test_amounts_of_memory():
    assert amount("1 GiB") == 2**30
    assert amount("500 MB") == 500 * 10**6
    assert amount("1.5k") == 1500
    assert amount("64 B") == amount("64") == 64
    assert amount("much") is None


@pytest.mark.compiles
def test_plain_functions():
    """Where nothing is differentiated, the marks do nothing, in compiled code, too."""
    assert list(bs.checkpointed(range(3), slots=2)) == [0, 1, 2]
    assert bs.checkpoint(math.sin)(0.3) == math.sin(0.3)
    assert njit(marked.scalar)(0.4, 1.3, 5) == marked.scalar(0.4, 1.3, 5)
    assert marked.njit_calls(0.4, 5) == marked.njit_calls.py_func(0.4, 5)
    assert bs.grad(bs.checkpoint(long_loop))(0.4, 3) == bs.grad(long_loop)(0.4, 3)


def changing(x, n):
    for _ in bs.checkpointed(range(n), slots=2):
        x = np.append(x, x[0])
    return x.sum()


def test_shapes_that_change():
    with pytest.raises(ValueError, match="the shape of `x` changes in a checkpointed loop"):
        bs.grad(changing, jit=False)(np.ones(2), 5)


def test_alike_calls_share_one_function():
    """Calls that differ in their arguments alone are calls of one function, and so are their adjoints."""
    source = bs.grad(marked.called_at_many_places, wrt=("x", "s"), jit=False).source(marked.X, 0.7)
    # of seven calls, four are unlike: an array and another, one array twice, the constant 2.0, arrays known to be of one shape
    assert source.count("def mixed_adjoint") == 4
    assert source.count("def mixed") == 8
