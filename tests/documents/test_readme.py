"""README.md says what is true: its programs print what they say, and its pictures are those of the code as it is now.

`python docs/picture_of_readme.py` draws the pictures anew.
"""

import contextlib
import importlib.util
import io
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.support.expected import compare

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
BLOCKS = re.compile(r"```python\n(.*?)```", re.DOTALL)


def drawing() -> ModuleType:
    """The program that draws the pictures."""
    spec = importlib.util.spec_from_file_location("picture_of_readme", ROOT / "docs" / "picture_of_readme.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_programs_print_what_they_say(tmp_path: Path) -> None:
    names: dict[str, Any] = {"__name__": "readme"}
    for number, block in enumerate(BLOCKS.findall(README.read_text(encoding="utf-8"))):
        path = tmp_path / f"readme_{number}.py"
        path.write_text(block, encoding="utf-8")
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(block, str(path), "exec"), names)
        said = [line.split("# ")[1] for line in block.splitlines() if line.startswith("print(")]
        assert said
        assert output.getvalue().splitlines() == said


@pytest.mark.parametrize("name", ["adjoint.svg", "peers.svg"])
def test_the_pictures_are_up_to_date(name: str, request: pytest.FixtureRequest) -> None:
    compare(
        drawing().PICTURES[name](),
        ROOT / "docs" / "_static" / name,
        update=request.config.getoption("--update-golden"),
    )


def test_the_two_commands() -> None:
    text = README.read_text(encoding="utf-8")
    assert "pip install . && python -m backsweep demo" in text
    assert 'pip install ".[test]" && pytest' in text
