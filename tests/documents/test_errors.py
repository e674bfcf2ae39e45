"""Every refusal, word for word: each file of tests/errors fails, and its whole message stands beside it.

A message must let a newcomer mend the program from it alone: what is wrong, where, what to write instead.
`pytest --update-golden` writes the texts and fails.
"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

import backsweep as bs
from backsweep.rules import REGISTRY
from backsweep.rules.declare import read_late
from tests.support.expected import compare, orphans

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parents[1] / "errors"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))
UNTESTED = {
    "BS148": "how many bytes are free differs from run to run: tests/ad/test_checkpoints.py",
    "BS155": "a fault of Backsweep's own: tests/specialise/test_internal_errors.py provokes some",
    "BS705": "whether there is a GPU differs from machine to machine: tests/gpu/test_without_gpu.py",
    "BS601": "a wrong gradient: its numbers have a test of their own, tests/api/test_check_grads.py",
}
"""Codes that no file here raises, and why."""


def message_of(name: str) -> str:
    """The class and the text of the error that the file raises, paths reduced to names."""
    path = FOLDER / f"{name}.py"
    read_late(every=True)
    rules = list(REGISTRY)
    spec = importlib.util.spec_from_file_location(f"refused_{name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(bs.BacksweepError) as caught:
        module.fail()
    REGISTRY[:] = rules  # a rule that the file declares is no rule of the product
    text = f"{type(caught.value).__name__}: {caught.value}\n"
    text = re.sub(r"(in line )\d+( of \S*/numba/)", r"\1N\2", text)  # it differs between releases of Numba
    return re.sub(r"(?:/[^\s/:'\"]+)+/([^\s/:'\"]+\.py)", r"\1", text)


COMPILED = {
    "adjoint_not_finite",
    "buffer_is_a_number",
    "list_entry_replaced",
    "list_given_is_written",
    "tangent_not_finite",
}
"""What only compiled code does: typed lists are Numba's, and Python raises where machine code gives what is not finite."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.compiles) if name in COMPILED else name for name in NAMES],
)
def test_message(name: str, request: pytest.FixtureRequest) -> None:
    compare(message_of(name), FOLDER / f"{name}.txt", update=request.config.getoption("--update-golden"))


def test_every_code_is_raised_here() -> None:
    raised = set(
        re.findall(r'"(BS\d{3})"', "".join(p.read_text("utf-8") for p in ROOT.glob("compiler/**/*.py")))
    )
    shown = set(re.findall(r"\[(BS\d{3})\]", "".join(p.read_text("utf-8") for p in FOLDER.glob("*.txt"))))
    assert raised - shown - set(UNTESTED) == set()
    assert shown - raised == set()


def test_every_code_is_documented() -> None:
    documented = set(
        re.findall(r"^### (BS\d{3})$", (ROOT / "docs" / "errors.md").read_text("utf-8"), re.MULTILINE)
    )
    raised = set(
        re.findall(r'"(BS\d{3})"', "".join(p.read_text("utf-8") for p in ROOT.glob("compiler/**/*.py")))
    )
    assert raised == documented


def test_no_orphans() -> None:
    assert orphans(FOLDER, ".txt", set(NAMES)) == []
