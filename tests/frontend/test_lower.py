"""Lowering: the IR of small functions as text, and every refusal as the user reads it."""

from __future__ import annotations

import math
import operator
import textwrap
from collections import namedtuple
from collections.abc import Callable
from functools import partial
from typing import Any

import numba
import numpy as np
import pytest

import backsweep as bs
from backsweep.diagnostics import SourceError, UnsupportedError
from backsweep.frontend.context.rounds import Expansions, FoundRecursionError
from backsweep.frontend.lower import lower
from backsweep.ir.nodes import Apply, Block, Const, For, Function, Value
from backsweep.ir.show import show
from backsweep.ir.verify import InvalidIR, verify
from backsweep.ir.walk import walk
from backsweep.reading.functions import read_source
from tests.support.interpreter import interpret
from tests.zoo import load
from tests.zoo.case import Case

GRAVITY = 9.81
WEIGHTS = (0.5, 0.25)
Point = namedtuple("Point", "x y")  # noqa: PYI024 (users write them like this)


def lowered(function: Callable[..., Any], **constants: object) -> Function:
    """The verified program of a function."""
    program = lower(read_source(function), constants)
    verify(program)
    return program


def text(function: Callable[..., Any], **constants: object) -> str:
    """The program as text, without its first line."""
    return "\n".join(show(lowered(function, **constants)).split("\n")[1:])


def expect(function: Callable[..., Any], wanted: str, **constants: object) -> None:
    """Compare the body of a program with what is written in the test."""
    assert textwrap.dedent(text(function, **constants)) == textwrap.dedent(wanted).strip("\n")


def refused(function: Callable[..., Any], **constants: object) -> str:
    """The message for a function that cannot be lowered."""
    with pytest.raises(UnsupportedError) as caught:
        lowered(function, **constants)
    return str(caught.value)


CASES = [case for case in load() if not case.name.startswith("recursion.")]  # lowered in rounds, with types


@pytest.mark.turns(11)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_zoo_means_the_same(case: Case) -> None:
    plain = read_source(case.function)
    names = [*plain.node.args.posonlyargs, *plain.node.args.args]
    given = dict(zip([name.arg for name in names], case.args, strict=False))
    constants = {name: plain.defaults[name] for name in plain.defaults if name not in given}
    constants |= {name: thing for name, thing in given.items() if thing is None or callable(thing)}
    expansions = Expansions()
    try:
        program = lower(plain, constants, expansions)
    except UnsupportedError:
        pytest.skip("refused")
    except FoundRecursionError:
        pytest.skip("recursive: lowered in rounds, with types")
    if expansions.waiting:
        pytest.skip("lowered in rounds, with types")
    verify(program)
    args = [thing for name, thing in given.items() if name not in constants]
    wanted = plain.function(*case.args)
    np.testing.assert_allclose(flat(interpret(program, *args)), flat(wanted), rtol=1e-13)


def flat(result: Any) -> list[Any]:
    """All numbers of a result."""
    if isinstance(result, tuple):
        return [number for part in result for number in flat(part)]
    return list(np.ravel(np.asarray(result)))


def test_names_are_the_users() -> None:
    def f(x: Any, w: Any) -> Any:
        d = x[1] - w * x[0]
        a, b = d, w
        a, b = b, a
        return a - b

    expect(
        f,
        """
        %0 = load x[1]
        %1 = load x[0]
        %2 = mul(w, %1)
        d = sub(%0, %2)
        result = sub(w, d)
        return result
        """,
    )


def test_early_return_is_one_branch() -> None:
    def f(x: Any) -> Any:
        if x < 0.0:
            return -x
        return x * x

    expect(
        f,
        """
        %0 = lt(x, 0.0)
        if %0:
            result = neg(x)
            yield result
        else:
            result.1 = mul(x, x)
            yield result.1
        -> result.2
        return result.2
        """,
    )


def test_loop_carries_what_changes() -> None:
    def f(x: Any, n: Any) -> Any:
        c = 2.0
        s = 0.0
        for i in range(n):
            t = x * c
            s = s + t * i
            c = c  # noqa: PLW0127 (an assignment that changes nothing)
        return s

    expect(
        f,
        """
        for i in range(0, n, 1) with s = 0.0:
            t = mul(x, 2.0)
            %0 = mul(t, i)
            s.1 = add(s, %0)
            yield s.1
        -> s.2
        return s.2
        """,
    )


def test_break_is_the_exit() -> None:
    def f(x: Any) -> Any:
        while True:
            x = x * 0.5
            if x < 1.0:
                break
        return x

    program = lowered(f)
    assert interpret(program, 3.0) == f(3.0)
    assert "exit %0" in show(program)
    assert "done" not in show(program)


def test_return_inside_of_nested_loops() -> None:
    def f(x: Any, n: Any) -> Any:
        for i in range(n):
            for j in range(i):
                if x * j > 3.0:
                    return x + j
                if i + j == 7:
                    continue
                x = x + 0.25
            if x > 9.0:
                break
        else:
            x = -x
        return x * x

    program = lowered(f)
    for x in (0.1, 0.5, 2.0, -4.0, 9.5):
        for n in range(9):
            assert interpret(program, x, n) == f(x, n)


def test_assignments_in_branches() -> None:
    def f(x: Any, flag: Any) -> Any:
        if flag:
            y = x * 2.0
            z = 1.0
        else:
            y = x
            z = 1.0
        return y * z

    expect(
        f,
        """
        if flag:
            y = mul(x, 2.0)
            yield y
        else:
            yield x
        -> y.1
        result = mul(y.1, 1.0)
        return result
        """,
    )


def test_short_circuit() -> None:
    def f(x: Any, i: Any) -> Any:
        if i >= 0 and i < x.size and 0.0 < x[i] < 1.0:
            return x[i]
        return 0.0

    program = lowered(f)
    values = np.array([0.5, 2.0])
    assert [interpret(program, values, i) for i in (-5, 0, 1, 2, 99)] == [0.0, 0.5, 0.0, 0.0, 0.0]


def test_stores() -> None:
    def f(a: Any, v: Any, i: Any) -> Any:
        a[i, 1:] += v
        a[0] -= v
        a[i][1] *= 2.0
        a[...] = v[:, None]
        return a

    expect(
        f,
        """
        store a[i, 1:] += v
        %0 = backsweep.runtime.support.marks.taken_away(v)
        store a[0] += %0
        %1 = load a[i]
        %2 = load %1[1]
        %3 = mul(%2, 2.0)
        %4 = backsweep.runtime.support.marks.kept_in(%2, %3, '*')
        store %1[1] = %4
        %5 = load v[:, None]
        store a[...] = %5
        return a
        """,
    )


def test_update_of_a_variable_is_decided_later() -> None:
    def f(x: Any) -> Any:
        y = x
        y += 1.0
        return y * y

    expect(f, "y = iadd(x, 1.0)\nresult = mul(y, y)\nreturn result")


def test_value_that_writes_is_read_after_the_element() -> None:
    def bump(a: Any) -> Any:
        a[0] = a[0] + 1.0
        return a[0]

    def f(a: Any) -> Any:
        a[0] += bump(a)
        return a[0]

    assert interpret(lowered(f), np.array([2.0])) == f(np.array([2.0])) == 5.0


def test_methods_and_attributes() -> None:
    def f(x: Any) -> Any:
        n, m = x.shape
        y = x.T.reshape(m, n).sum(axis=0)
        y[...] = 2.0
        return y.dot(y) + x.mean() + x.size

    shown = text(f)
    for part in (
        "np.shape(x)",
        "np.transpose(x)",
        "axis=0",
        "store y[...] = 2.0",
        "np.dot(y, y)",
        "n = getitem(",
    ):
        assert part in shown


def test_tuples_are_taken_apart() -> None:
    def f(x: Any, y: Any) -> Any:
        p = Point(x, y * 2.0)
        (a, b), *c = (p.x, p.y), x, y
        t = (a, b, *c)
        return t[-1] * t[1] + p[0] + len(t) + sum(t[:2]) + max(t[2:])

    program = lowered(f)
    assert interpret(program, 2.0, 3.0) == f(2.0, 3.0)
    assert not [node for node in walk(program.body) if isinstance(node, Apply) and node.function is tuple]


def test_tuple_of_functions_is_unrolled() -> None:
    def f(x: Any) -> Any:
        for g in (np.sin, math.exp, lambda v: v * 2.0):
            x = g(x)
            if x > 2.0:
                break
        return x

    for x in (0.3, 1.5):
        assert interpret(lowered(f), x) == f(x)


@numba.njit
def square(v: Any, scale: Any = 1.0) -> Any:
    """A dispatcher that is inlined."""
    return scale * v * v


def test_calls_are_inlined_with_their_caller() -> None:
    def f(x: Any, g: Any) -> Any:
        def h(v: Any, k: Any = GRAVITY) -> Any:
            return g(v) * k * later

        later = x
        return h(square(x)) + partial(square, scale=3.0)(x)

    program = lowered(f, g=math.sin)
    assert interpret(program, 0.7) == pytest.approx(f(0.7, math.sin))
    shown = show(program)
    assert "GRAVITY" in shown
    assert "scale" not in shown.split("\n")[0]
    inlined = [node for node in walk(program.body) if node.loc.function == "square"]
    assert inlined
    assert all(node.loc.caller is not None and node.loc.caller.function.endswith("f") for node in inlined)


def test_star_arguments() -> None:
    def total(*parts: Any, **options: Any) -> Any:
        s = options["start"]
        for part in parts:
            s = s + part
        return s

    def f(x: Any, y: Any) -> Any:
        pair = (x, y)
        return total(*pair, x * y, start=1.0)

    assert interpret(lowered(f), 2.0, 3.0) == 12.0


def test_constants_decide_branches() -> None:
    def f(x: Any, mode: Any = "sine", weight: Any = None) -> Any:
        if weight is None:
            weight = 1.0
        if mode == "sine":
            return weight * np.sin(x)
        raise ValueError(mode)

    expect(f, "%0 = np.sin(x)\nresult = mul(1.0, %0)\nreturn result", mode="sine", weight=None)


def test_raise_and_assert() -> None:
    def f(x: Any, n: Any) -> Any:
        assert n > 0, "no steps"
        if n > 3:
            raise ValueError("too many")
        return x * n

    expect(
        f,
        """
        %0 = gt(n, 0)
        %1 = not_(%0)
        if %1:
            raise AssertionError('no steps')
        %2 = gt(n, 3)
        if %2:
            raise ValueError('too many')
        result = mul(x, n)
        return result
        """,
    )


def test_iterations() -> None:
    def f(x: Any, y: Any) -> Any:
        s = 0.0
        for k, v in enumerate(x):
            s = s * 0.5 + k * v
        for a, b in zip(x, y):  # noqa: B905 (the shorter one ends it)
            s = s + a * b
        for i in reversed(range(1, x.size)):
            s = s * x[i] + i
        for i, v in enumerate(x[1:], 1):
            s = s + i * v
        for w in WEIGHTS:
            s = s * w
        return s + k + i

    x, y = np.array([0.5, 2.0, 3.0]), np.array([1.0, 4.0])
    assert interpret(lowered(f), x, y) == pytest.approx(f(x, y))


def test_locations_are_those_of_the_file() -> None:
    def f(
        x: Any,
    ) -> Any:
        y = np.sin(
            x,
        )
        return y  # noqa: RET504 (the assignment is what is looked at)

    (node,) = lowered(f).body.nodes
    assert node.loc.text == "        y = np.sin("
    assert node.loc.statement == "y = np.sin(x)"
    assert node.loc.text[node.loc.column :] == "np.sin("
    assert node.loc.file == __file__


def test_lambdas_of_one_line() -> None:
    pair = (lambda x: x * 2.0, lambda x: x * 3.0)
    assert [interpret(lowered(each), 1.0) for each in pair] == [2.0, 3.0]


class Model:
    """Methods of an object that is known while compiling."""

    scale = 3.0

    def scaled(self, x: Any) -> Any:
        """A method that reads an attribute."""
        return x * self.scale

    @staticmethod
    def plain(x: Any) -> Any:
        """A function in a class."""
        return x * 2.0


def test_methods_of_known_objects() -> None:
    model = Model()

    def f(x: Any) -> Any:
        return model.scaled(x) + Model.plain(x)

    assert interpret(lowered(f), 1.5) == 7.5
    assert interpret(lowered(model.scaled), 1.5) == 4.5


def test_no_source() -> None:
    space: dict[str, Any] = {}
    exec("def f(x):\n    return x", space)
    with pytest.raises(SourceError, match="no text for"):
        read_source(space["f"])
    with pytest.raises(SourceError, match="built-in"):
        read_source(math.sin)

    def numbers(n: Any) -> Any:
        yield n

    with pytest.raises(SourceError, match="generator"):
        read_source(numbers)


def test_all_problems_are_reported_at_once() -> None:
    def f(x: Any) -> Any:
        hash(x)
        y = undefined_name * x  # type: ignore[name-defined]  # noqa: F821
        try:
            z = y
        except FloatingPointError:
            z = x
        return z

    message = refused(f)
    assert [code in message for code in ("BS115", "BS103", "BS101")] == [True] * 3
    assert message.count("[BS") == 3
    assert "        y = undefined_name * x" in message


def test_what_a_function_returns_of_a_refused_statement_is_no_further_problem() -> None:
    def written(x: Any) -> Any:
        y = hash(x)
        return 2 * y

    def f(x: Any) -> Any:
        first, second = written(x)
        for each in written(x):
            first += each
        return first + second + written(x)[0] + written(x).size

    assert refused(f).count("[BS115]") == refused(f).count("[BS")


def rebound(x: Any, flag: Any) -> Any:
    """Calls one of two functions."""
    g = math.sin
    if flag:
        g = math.cos
    return g(x)


def unassigned(x: Any, n: Any) -> Any:
    """Reads a variable too early."""
    if n is None:
        y = x
    return y * x


def contains(x: Any) -> Any:
    """Uses `in` of a function."""
    return x in math.sin


def global_written(x: Any) -> Any:
    """Writes to a global array."""
    TABLE[0] = x
    return x


def wrong_call(x: Any) -> Any:
    """Leaves out an argument."""
    return unassigned(x)


def wrong_unpacking(x: Any) -> Any:
    """Unpacks three values to two variables."""
    a, b = x, x, x
    return a + b


def misspelt(x: Any) -> Any:
    """Reads what NumPy does not have."""
    return np.sinn(x)


TABLE = np.zeros(3)
REFUSALS = [
    (rebound, "`g` is a different function on different paths"),
    (unassigned, "`y` is read before it is assigned"),
    (contains, "`in` searches something other than a tuple"),
    (global_written, "`TABLE` is written, but it is a global"),
    (wrong_call, "the call does not fit `unassigned`: `n` is missing"),
    (wrong_unpacking, "3 values are unpacked to 2 variables"),
    (misspelt, "`numpy` has no attribute `sinn`"),
]


@pytest.mark.parametrize(("function", "message"), REFUSALS, ids=lambda item: getattr(item, "__name__", ""))
def test_refusals(function: Callable[..., Any], message: str) -> None:
    found = refused(function)
    assert message in found
    assert "help: " in found
    assert "^" in found


def test_verify_finds_broken_programs() -> None:
    program = lowered(rebound_free)
    (node,) = program.body.nodes
    assert isinstance(node, Apply)
    broken = Function("f", Block((), (node,), (node.result,)), program.loc)
    with pytest.raises(InvalidIR, match="outside of its scope"):
        verify(broken)
    twice = Function("f", Block(program.body.parameters, (node, node), (node.result,)), program.loc)
    with pytest.raises(InvalidIR, match="defined twice"):
        verify(twice)
    index = Value("i", None, node.loc)
    loop = For(Const(0), Const(1), Const(1), (Const(0),), Block((index,), (), ()), (), node.loc)
    with pytest.raises(InvalidIR, match="differ in number"):
        verify(Function("f", Block((), (loop,), (Const(0),)), program.loc))


def rebound_free(x: Any) -> Any:
    """One node."""
    return operator.mul(x, x)


def test_functions_of_a_file_that_is_run_in_globals_without_a_name(tmp_path) -> None:
    path = tmp_path / "nameless.py"
    path.write_text("def square(x):\n    return x * x\n\n\ndef cubed(x):\n    return square(x) * x\n")
    space: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), space)
    assert "__name__" not in space
    assert bs.grad(space["cubed"], jit=False)(2.0) == 12.0


def test_stop_gradient_of_any_object() -> None:
    thing = object()
    assert bs.stop_gradient(thing) is thing
