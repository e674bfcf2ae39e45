"""Pages whose packages the site is built without: their blocks print what they say, where the packages are installed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.pages import said

ROOT = Path(__file__).parents[2]
PAGES = {
    "how_to/blackjax.md": "blackjax",
    "how_to/estimators.md": "sklearn",
    "how_to/ipopt.md": "casadi",
    "how_to/nutpie.md": "nutpie",
    "how_to/samplers.md": "emcee",
    "how_to/within_pytensor.md": "pymc, nutpie",
    "how_to/within_torch.md": "torch",
}
RUN = """
import pathlib, sys
from tests.support.pages import printed
print("<next>".join(printed(sys.argv[1], pathlib.Path(sys.argv[2]))))
"""


@pytest.mark.turns(3)
@pytest.mark.parametrize("page", PAGES)
def test_page_is_as_it_says(page: str, tmp_path: Path) -> None:
    """In a process of its own: these packages change settings, and warn."""

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)

    found = run(sys.executable, "-c", f"import {PAGES[page]}")
    if found.returncode:
        pytest.skip(f"{PAGES[page]} cannot be imported: {found.stderr.splitlines()[-1]}")
    done = run(sys.executable, "-c", RUN, page, str(tmp_path))
    assert done.returncode == 0, done.stderr
    for one, other in zip(done.stdout.split("<next>"), said(page), strict=True):
        assert re.sub(r"[-\d. ]+", " ", one).split() == re.sub(r"[-\d. ]+", " ", other).split()
        ours, theirs = (list(map(float, re.findall(r"-?\d+(?:\.\d+)?", text))) for text in (one, other))
        assert ours == pytest.approx(theirs, rel=0.1, abs=0.2)
