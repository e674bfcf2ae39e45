"""README.md says what is true: its program runs, prints what it says, and the adjoint shown is the one emitted.

`python -m tests.documents.test_readme` writes the adjoint that is emitted now into the README.
"""

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

README = Path(__file__).parents[2] / "README.md"
BLOCKS = re.compile(r"```python\n(.*?)```", re.DOTALL)


def blocks() -> list[str]:
    """The README's Python blocks: the example, then its adjoint."""
    return BLOCKS.findall(README.read_text(encoding="utf-8"))


def run_example(folder: Path) -> ModuleType:
    """The README's example, run from a file of the name that the README gives it."""
    path = folder / "smooth.py"
    path.write_text(blocks()[0], encoding="utf-8")
    spec = importlib.util.spec_from_file_location("smooth", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Registered, as an import would do: the emitted module refers to it by name.
    sys.modules["smooth"] = module
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules["smooth"]
    return module


def test_the_example_prints_what_it_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_example(tmp_path)
    said = [line.split("# ")[1] for line in blocks()[0].splitlines() if line.startswith("print(")]
    assert said
    assert capsys.readouterr().out.splitlines() == said


def test_the_adjoint_is_the_one_emitted(tmp_path: Path) -> None:
    module = run_example(tmp_path)
    assert module.gradient.source(module.x, module.w).strip() == blocks()[1].strip()


def test_the_two_commands() -> None:
    text = README.read_text(encoding="utf-8")
    assert "pip install . && python -m backsweep demo" in text
    assert 'pip install ".[test]" && pytest' in text


def update() -> None:
    """Write the adjoint that is emitted now into the README."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        module = run_example(Path(folder))
        emitted = module.gradient.source(module.x, module.w).strip() + "\n"
    text = README.read_text(encoding="utf-8")
    README.write_text(text.replace(blocks()[1], emitted), encoding="utf-8")


if __name__ == "__main__":
    update()
