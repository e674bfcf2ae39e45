"""The page for those who come from PyTorch: its blocks print what it says, and that is what the notebooks find."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.pages import printed, said


@pytest.mark.compiles_many("the page runs as its readers run it")
def test_page_is_as_it_says(tmp_path: Path) -> None:
    assert said("from_pytorch.md") and printed("from_pytorch.md", tmp_path) == said("from_pytorch.md")


def test_numbers_are_those_of_the_notebooks() -> None:
    """What PyTorch gives, as published with these notebooks."""
    blocks = said("from_pytorch.md")
    wanted = (
        [7, 2, 3, 1, 1, 1],
        [2, 3, 1, 1, 1],
        [12, 900, 120, 480, 720, 60],
        [32, 108, 4, 128],
        [512, 828, 64],
        [480, 720, 60, 480, 720, 60],
        [2, 1, 1, 2000, 1000, 1000, 1, 0.5, 0.5, 2, 1, 1],
        [2, 4, 6, 1, 2, 3],
    )
    for block, numbers in zip(blocks, wanted, strict=False):
        text = re.sub(r"[A-Za-z_]\w*|float64", "", block)
        found = [float(number) for number in re.findall(r"-?\d+\.?\d*(?:e[+-]?\d+)?", text)]
        assert found[: len(numbers)] == numbers
    assert "1.6165488003791766" in blocks[8]
