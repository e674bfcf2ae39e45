"""Documents whose Python blocks are run: each prints what the text block after it says.

`python -m tests.support.pages` writes what the blocks print now into every such page.
"""

from __future__ import annotations

import contextlib
import io
import re
import tempfile
from pathlib import Path
from typing import Any

BLOCKS = re.compile(r"(?<=```python\n)(.*?)```\n\n```text\n(.*?)(?=```)", re.DOTALL)
DOCUMENTS = Path(__file__).parents[2] / "docs"
PAGES = {
    "escape_hatch.md": "spline.py",
    "explain.md": "smooth.py",
    "from_pytorch.md": "notebook.py",
    "how_to/blackjax.md": "mines_{}.py",
    "how_to/estimators.md": "bakery_{}.py",
    "how_to/ipopt.md": "pendulum_{}.py",
    "how_to/nutpie.md": "disasters_{}.py",
    "how_to/samplers.md": "counts_{}.py",
    "how_to/within_pytensor.md": "drug_{}.py",
    "how_to/within_torch.md": "catchment_{}.py",
    "pictures.md": "formula.py",
    "scipy.md": "counts.py",
}
"""The pages, and what the file of their blocks is called; with braces, each block has one."""


def said(page: str) -> list[str]:
    """What the page says that its blocks print."""
    return [text for _, text in BLOCKS.findall((DOCUMENTS / page).read_text(encoding="utf-8"))]


def printed(page: str, folder: Path) -> list[str]:
    """What each block of the page prints; they run one after the other, from a file, in the folder."""
    found = list[str]()
    names: dict[str, Any] = {"__name__": Path(PAGES[page]).stem}
    for number, (block, _) in enumerate(BLOCKS.findall((DOCUMENTS / page).read_text(encoding="utf-8"))):
        path = folder / PAGES[page].format(number)
        path.write_text(block, encoding="utf-8")
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.chdir(folder):
            exec(compile(block, str(path), "exec"), names)
        found.append(output.getvalue().replace(f"{folder}/", ""))
    return found


def update(page: str) -> None:
    """Write what the blocks print now into the page."""
    with tempfile.TemporaryDirectory() as folder:
        now = iter(printed(page, Path(folder)))
    path = DOCUMENTS / page
    text = BLOCKS.sub(
        lambda found: f"{found[1]}```\n\n```text\n{next(now)}", path.read_text(encoding="utf-8")
    )
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for name in PAGES:
        try:
            update(name)
        except ModuleNotFoundError as missing:
            print(f"{name} stays: {missing}")
