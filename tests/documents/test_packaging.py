"""The package's data say the same everywhere."""

import importlib.metadata
import re
import tomllib
from pathlib import Path

import backsweep as bs

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_one_version() -> None:
    cited = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.MULTILINE)
    assert cited is not None
    assert {PROJECT["version"], cited[1], importlib.metadata.version("backsweep")} == {bs.__version__}


def test_one_list_of_requirements() -> None:
    """The conda recipe asks for what pyproject.toml asks for."""
    recipe = (ROOT / "packaging/conda/meta.yaml").read_text("utf-8")
    wanted = re.findall(r"- (\S+ >=\S+)", recipe[recipe.index("  run:") : recipe.index("  run_constrained:")])
    known = [each.replace(">=", " >=") for each in PROJECT["dependencies"]]
    assert wanted == [f"python {PROJECT['requires-python']}", *known]


def test_the_documents_are_told_where_they_are_needed() -> None:
    assert set(PROJECT["optional-dependencies"]) >= {"plot", "notebook", "test", "docs", "bench"}
    assert not any("matplotlib" in each for each in PROJECT["dependencies"])
    # Whoever runs the tests needs what they draw and read.
    assert {"matplotlib>=3.8", "pygments>=2.15"} <= set(PROJECT["optional-dependencies"]["test"])
