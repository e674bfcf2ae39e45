"""The documents keep up with the code: an entry for each error code, and no link to nowhere."""

import re
from pathlib import Path

import pytest

from backsweep.rules.table import render
from tests.documents.help_pages import with_examples
from tests.support.expected import compare

ROOT = Path(__file__).parents[2]
CODE = re.compile(r"\bBS\d{3}\b")
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
DOCUMENTS = sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md")])


def test_each_error_code_has_an_entry() -> None:
    product = [*ROOT.glob("compiler/**/*.py"), *ROOT.glob("runtime/**/*.py")]
    raised = {code for path in product for code in CODE.findall(path.read_text(encoding="utf-8"))}
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    entries = re.findall(r"^### (BS\d{3})$", page, re.MULTILINE)
    assert len(entries) == len(set(entries))
    assert set(entries) == raised


def test_each_entry_has_its_example(request: pytest.FixtureRequest) -> None:
    page = ROOT / "docs" / "errors.md"
    compare(
        with_examples(page.read_text(encoding="utf-8")),
        page,
        update=request.config.getoption("--update-golden"),
    )


def test_rules_page_is_that_of_the_rules(request: pytest.FixtureRequest) -> None:
    compare(render(), ROOT / "docs" / "rules.md", update=request.config.getoption("--update-golden"))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(path: Path) -> None:
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in LINK.findall(text):
        assert (path.parent / target).exists(), target
