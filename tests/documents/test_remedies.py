"""What each refusal of tests/errors says to write instead works: it is run, and its numbers are right."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.ad.test_zoo import check_gradient, check_pullback, is_float_scalar, plain
from tests.remedies import (
    ANSWERS,
    PROGRAMS,
    Answer,
    of_arrays,
    of_derivatives,
    of_displays,
    of_requests,
    of_the_language,
)
from tests.support import checking
from tests.zoo.case import Case

NAMES = {path.stem for path in (Path(__file__).parents[1] / "errors").glob("*.py")}
MODULES = (of_arrays, of_derivatives, of_displays, of_requests, of_the_language)
ELSEWHERE = {
    **dict.fromkeys(
        (
            "gpu_factorisation",
            "gpu_iterations_in_order",
            "gpu_extent_of_iteration",
            "gpu_list",
            "gpu_of_a_plain_function",
            "gpu_recursion",
            "gpu_two_names",
            "gpu_without_kernel",
        ),
        "tests/gpu runs what kernels and the host do, on a simulator",
    ),
    "rule_without_tangent": "tests/rules run the tangents of all rules",
}
"""Refusals whose remedies other tests run."""


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for _, case in PROGRAMS])
def test_program(case: Case) -> None:
    number = is_float_scalar(plain(case)(*case.args))
    (check_gradient if number else check_pullback)(case, jit=False)


@pytest.mark.parametrize(
    "answer", [pytest.param(each, id=f"{each.refusal}.{each.call.__name__}") for each in ANSWERS]
)
def test_answer(answer: Answer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    got = answer.call()
    if isinstance(answer.wanted, tuple):
        assert len(got) == len(answer.wanted)
    else:
        got, answer = (got,), Answer(answer.refusal, answer.call, (answer.wanted,))
    wanted = tuple(
        np.array(each) if isinstance(found, np.ndarray) else each
        for found, each in zip(got, answer.wanted, strict=True)
    )
    for one, other in zip(checking.leaves(got), checking.leaves(wanted), strict=True):
        if other is None:
            assert one is None
        else:
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


def test_every_refusal_has_a_remedy_that_is_run() -> None:
    run = {refusal for refusal, _ in PROGRAMS} | {answer.refusal for answer in ANSWERS}
    assert NAMES - run - set(ELSEWHERE) == set()
