"""Functions of the packages that are installed have the derivatives of what Numba compiles; others are skipped, by package."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.packages.calls import Call, is_installed, judge
from tests.packages.known import FLAT, NOT_COMPILED, REFUSED
from tests.packages.page import calls, distributions_of
from tests.support.sampled import turning

SHARE = 30
CALLS = calls()


def skip_unless_installed(distribution: str) -> None:
    if not is_installed(distribution):
        pytest.skip(f'{distribution} is not installed: pip install "backsweep[packages]"')


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("distribution", distributions_of(CALLS))
def test_functions(distribution: str, tmp_path: Path) -> None:
    """A share of each package's functions, others in each turn; what is refused is known to be."""
    skip_unless_installed(distribution)
    own = [call for call in CALLS if call.distribution == distribution]
    for call in turning(SHARE, own):
        assert_known(call, tmp_path)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.compiles
@pytest.mark.parametrize(
    "call", turning(60, [call for call in CALLS if call.overloaded]), ids=lambda call: call.path
)
def test_compiled_code(call: Call, tmp_path: Path) -> None:
    """What a user's `@njit` function calls is differentiated as well, and compiled."""
    skip_unless_installed(call.distribution)
    assert_known(call, tmp_path, compiled=True, jit=True)


def assert_known(call: Call, folder: Path, **options: bool) -> None:
    verdict = judge(call, folder, **options)
    if call.label in REFUSED:
        assert (verdict.word, verdict.code) == ("refused", REFUSED[call.label]), (call.label, verdict)
    elif call.label in NOT_COMPILED and options.get("compiled"):
        assert verdict.word == "nothing", (call.label, verdict)
    elif call.path in FLAT:
        assert verdict.word == "wrong", call.path
    else:
        assert verdict.word == "right", (call.path, verdict)
