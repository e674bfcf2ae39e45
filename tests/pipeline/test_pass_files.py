"""Each pass by itself: what becomes of the small programs in its file of tests/passes, which keep their meaning.

`pytest --update-golden` writes what becomes of them, and fails.
"""

from __future__ import annotations

import re

import pytest

import backsweep as bs
from backsweep.ir.show import show
from tests import zoo
from tests.support import meaning, pass_files
from tests.support.expected import compare, orphans
from tests.support.ir_text import TextError, known_of, parse, parse_with_callees, show_with_callees
from tests.support.sampled import every
from tests.zoo.case import Case

PASSES = pass_files.tested()
WRITTEN = [name for name in PASSES if pass_files.path_of(name).exists()]
LEAST = 3
"""The examples that a file has at least; one of them is a program that the pass must not change, or refuses."""


@pytest.mark.parametrize("name", WRITTEN)
def test_what_becomes_of_programs(name: str, request: pytest.FixtureRequest) -> None:
    examples = pass_files.read(pass_files.path_of(name))
    text = pass_files.written([pass_files.now(PASSES[name], each) for each in examples])
    compare(text, pass_files.path_of(name), update=request.config.getoption("--update-golden"))


@pytest.mark.parametrize("name", WRITTEN)
def test_programs_keep_their_meaning(name: str) -> None:
    examples = pass_files.read(pass_files.path_of(name))
    assert [message for each in examples for message in pass_files.differences(PASSES[name], each)] == []


@pytest.mark.parametrize("name", WRITTEN)
def test_a_program_that_stays_is_the_very_object(name: str) -> None:
    """What is known of a program is kept with the object, so a pass that finds nothing to change returns that."""
    stay = [each for each in pass_files.read(pass_files.path_of(name)) if each.after == pass_files.STAYS]
    programs = {each.title: each.program for each in stay}
    assert [title for title, one in programs.items() if pass_files.passed(PASSES[name], one) is not one] == []


@pytest.mark.parametrize("name", WRITTEN)
def test_text_of_programs(name: str) -> None:
    """What a pass makes can be written by hand, too."""
    for each in pass_files.read(pass_files.path_of(name)):
        if each.after.startswith("function"):
            _, callees = parse_with_callees(each.before)
            assert show_with_callees(parse_with_callees(each.after, callees)[0], callees) == each.after


@pytest.mark.parametrize("case", every(120, zoo.load(), first=7), ids=lambda case: case.name)
def test_every_program_can_be_written_as_text(case: Case) -> None:
    """What `show` prints is read again as a program that `show` prints so."""
    with meaning.watched() as steps:
        try:
            bs.value_and_grad(case.function, argnums=case.argnums, jit=False).stages(*case.args)
        except bs.BacksweepError as error:
            pytest.skip(f"refused: {error}")
    for function in {step.after: None for step in steps}:
        text = show(function)
        assert show(parse(text, known_of(function))) == text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("y: float64 = mul(x, z)", "line 2, `y: float64 = mul(x, z)`: nothing is called `z`"),
        ("x: float64 = mul(x, x)", "line 2, `x: float64 = mul(x, x)`: `x` is defined twice"),
        ("store x, 1.0", "line 2, `store x, 1.0`: a store is `store a[i] = value` or `store a[i] += value`"),
        ("y: float64", "line 2, `y: float64`: no statement of the IR"),
        ("  y: float64 = mul(x, x)", "line 2, `y: float64 = mul(x, x)`: a line is indented by four spaces"),
    ],
)
def test_what_is_no_program(line: str, message: str) -> None:
    with pytest.raises(TextError, match=f"^{re.escape(message)}"):
        parse(f"function f(x: float64):\n    {line}\n    return x")


def test_every_pass_has_a_file() -> None:
    assert [name for name in PASSES if name not in WRITTEN] == []
    assert orphans(pass_files.FOLDER, ".txt", {pass_files.path_of(name).stem for name in PASSES}) == []


@pytest.mark.parametrize("name", WRITTEN)
def test_every_file_tells_both_sides(name: str) -> None:
    """A file shows programs that change, and one that must not; titles differ."""
    examples = pass_files.read(pass_files.path_of(name))
    assert len(examples) >= LEAST
    assert len({each.title for each in examples}) == len(examples)
    assert any(not each.after.startswith("function") for each in examples)
    assert any(each.after != pass_files.STAYS for each in examples)
