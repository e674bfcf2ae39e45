"""The audit finds derivatives written by hand, and says which are right."""

import json
from pathlib import Path

import numpy as np
import pytest

from backsweep.inspect.audit import findings as audit
from backsweep.inspect.audit.pairs import Pair, pairs_in
from backsweep.inspect.cli.command_line import main
from tests.inspect import by_hand

EXPECTED = {
    ("bent", "bent_hess"): "right",
    ("bowl", "bowl_grad"): "right",
    ("damped", "damped_prime"): "right",
    ("damped_slow", "damped_prime_slow"): "right",
    ("distance", "distance_grad"): "right",
    ("f", "df"): "wrong",
    ("f", "fprime"): "right",
    ("logs", "grad_logs"): "right",
    ("objective", "slopes"): "right",
    ("opened", "opened_grad"): "right",
    ("sigmoid", "sigmoid_prime"): "right",
    ("signed", "signed_deriv"): "wrong",
    ("turned", "turned_jac"): "right",
    ("valley", "valley_gradient"): "wrong",
    ("", "names_grad"): "not run",
    ("", "steep_grad"): "wrong",
}


@pytest.fixture
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Derivatives as plain Python: verdicts need no machine code."""
    for name in ("grad", "value_and_grad", "jacobian", "hessian"):
        made = getattr(audit, name)
        monkeypatch.setattr(audit, name, lambda f, made=made: made(f, jit=False))


def pair(function: str, derivative: str) -> Pair:
    (found,) = (
        each
        for each in pairs_in(by_hand)
        if (each.function_name, each.derivative_name) == (function, derivative)
    )
    return found


def test_pairs_are_found_by_their_names_and_by_calls() -> None:
    found = {(each.function_name, each.derivative_name) for each in pairs_in(by_hand)}
    assert found == set(EXPECTED)


@pytest.mark.usefixtures("_plain")
@pytest.mark.parametrize("names", EXPECTED, ids=":".join)
def test_verdicts(names: tuple[str, str]) -> None:
    assert audit.audited(pair(*names), calls=1).verdict == EXPECTED[names]


@pytest.mark.usefixtures("_plain")
def test_what_is_said_of_a_wrong_one() -> None:
    found = audit.audited(pair("valley", "valley_gradient"), calls=1)
    assert found.entry == (4,)
    assert found.by_hand == pytest.approx(0.5 * found.expected)
    assert found.expected == pytest.approx(found.differences)
    assert found.lines == 7
    assert found.domain == "any"


@pytest.mark.usefixtures("_plain")
def test_domains() -> None:
    assert audit.audited(pair("logs", "grad_logs"), calls=1).domain == "positive"
    signed = audit.audited(pair("signed", "signed_deriv"), calls=1)
    assert signed.note == "right for positive arguments"


@pytest.mark.usefixtures("_plain")
def test_where_backsweep_refuses_differences_decide() -> None:
    found = audit.audited(pair("opened", "opened_grad"), calls=1)
    assert "BS101" in found.note
    assert found.our_time is None
    assert found.hand_time is not None


@pytest.mark.usefixtures("_plain")
def test_a_value_that_is_not_the_functions_is_told() -> None:
    odd = Pair("here", "steep_grad", by_hand.steep_grad, "bowl", by_hand.bowl)
    assert audit.audited(odd, calls=1).note.startswith("compared with its own value, which is ")


@pytest.mark.usefixtures("_plain")
def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = tmp_path / "found.json"
    path = str(Path(by_hand.__file__))
    assert main(["audit", path, "--pair", "f:df", "--pair", "bowl:bowl_grad", "--json", str(saved)]) == 1
    message = capsys.readouterr().out
    assert "1 right, 0 close, 1 wrong" in message
    assert "df: the slope is " in message
    assert "2 lines of derivatives could go" not in message
    assert [each["verdict"] for each in json.loads(saved.read_text("utf-8"))] == ["wrong", "right"]
    assert main(["audit", path, "--pair", "bowl:bowl_grad", "--args", "np.array([1.0, 2.0])"]) == 0
    assert main(["audit", path, "--pair", "bowl:nothing"]) == 2
    assert "the module has no such functions" in capsys.readouterr().err
    assert main(["audit", "backsweep.diagnostics"]) == 0
    assert "no derivatives written by hand found" in capsys.readouterr().out


def test_times_take_turns() -> None:
    called = []
    audit.medians((lambda x: called.append("a"), lambda x: called.append("b")), (np.ones(1),), 3)
    assert "".join(called) == "abababab"
