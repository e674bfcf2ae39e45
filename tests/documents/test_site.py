"""The site's pages name what there is: every public name, and every page in a table of contents."""

import re
from pathlib import Path

import backsweep as bs
from backsweep.requests import Options
from backsweep.specialise.transformed import SHOWN

DOCS = Path(__file__).parents[2] / "docs"
WRITTEN_BY_TOOLS = {"coverage", "packages"}
"""Pages that the index names and that may be missing."""


def test_the_api_page_has_every_public_name() -> None:
    page = (DOCS / "reference" / "api.md").read_text(encoding="utf-8")
    named = re.findall(r"^\.\. auto\w+:: backsweep\.(\w+)$", page, re.MULTILINE)
    assert sorted(named) == sorted(bs.__all__)


def test_the_api_page_has_what_a_derivative_can_do_and_every_option() -> None:
    page = (DOCS / "reference" / "api.md").read_text(encoding="utf-8")
    missing = {each for each in SHOWN if f"   .. automethod:: {each}\n" not in page}
    missing |= {each for each in Options.__dataclass_fields__ if f"\n| `{each}` | " not in page}
    assert not missing


def test_every_page_is_in_a_table_of_contents() -> None:
    listed = {"index"}
    for path in DOCS.rglob("*.md"):
        for table in re.findall(r"```\{toctree\}\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL):
            for entry in re.findall(r"^[a-z0][\w/*]+$", table, re.MULTILINE):
                found = sorted(path.parent.glob(f"{entry}.md"))
                assert found or entry in WRITTEN_BY_TOOLS, (path.name, entry)
                listed |= {each.relative_to(DOCS).with_suffix("").as_posix() for each in found}
    pages = {path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md")}
    assert pages - listed == set()
