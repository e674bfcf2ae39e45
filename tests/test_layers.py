"""The house's order: which room may import which, and how large a file may grow."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LONGEST_FILE = 600

# The direction of imports: a room sees the rooms in its row, and itself.
MAY_IMPORT = {
    "diagnostics": set(),
    "boundary": {"diagnostics"},
    "requests": {"diagnostics"},
    "runtime": set(),
    "ir": {"diagnostics"},
    "rules": {"diagnostics", "ir", "requests", "runtime"},
    "emit": {"boundary", "diagnostics", "ir", "rules", "runtime"},
    "frontend": {"boundary", "diagnostics", "ir", "requests", "rules", "runtime", "emit"},
    "analysis": {"diagnostics", "ir", "rules", "runtime"},
    "transform": {"diagnostics", "ir", "rules", "runtime", "analysis", "frontend"},
    "pipeline": {"diagnostics", "ir", "rules", "runtime", "emit", "frontend", "analysis", "transform"},
    "primal": {
        "diagnostics",
        "ir",
        "rules",
        "runtime",
        "emit",
        "frontend",
        "analysis",
        "transform",
        "pipeline",
    },
    "customs": {"diagnostics", "ir", "frontend", "transform", "primal"},
    "sweeps": {
        "customs",
        "diagnostics",
        "ir",
        "rules",
        "runtime",
        "emit",
        "frontend",
        "analysis",
        "transform",
        "pipeline",
    },
    "jacobians": {"customs", "diagnostics", "ir", "analysis", "transform", "pipeline", "sweeps"},
    "products": {"customs", "diagnostics", "ir", "frontend", "transform", "pipeline", "sweeps", "jacobians"},
    "joint": {
        "customs",
        "diagnostics",
        "ir",
        "analysis",
        "frontend",
        "transform",
        "pipeline",
        "primal",
        "sweeps",
    },
}
# On top of the compiler: these see all of it.
TOP = {
    "arguments",
    "asked",
    "build",
    "transformed",
    "fitting",
    "sparse",
    "pullback",
    "pushforward",
    "accumulate",
    "remembered",
    "collect",
    "api",
    "derivatives",
    "implicit",
    "checking",
    "inspect",
    "__init__",
    "__main__",
}

NUMBA_USERS = (
    "compiler/typing/infer.py",
    "compiler/typing/stubs.py",
    "compiler/emit/",
    "compiler/specialise/build.py",
    "compiler/specialise/transformed.py",
    "runtime/",
    # The program that the demo differentiates: a user's program, which happens to be shipped.
    "compiler/inspect/cli/lotka_volterra.py",
)
ASTOR_USERS = ("compiler/emit/",)


def sources() -> list[Path]:
    """Every Python file of the product."""
    return sorted([*ROOT.glob("compiler/**/*.py"), *ROOT.glob("runtime/**/*.py")])


def name_of(path: Path) -> str:
    """The file's path within the checkout, as the tables above write it."""
    return path.relative_to(ROOT).as_posix()


def imported(path: Path) -> Iterator[str]:
    """Dotted names of all that the file imports, at its top or within functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(path)}:{node.lineno}: imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room_of(path: Path) -> str:
    """The room that a file belongs to: its folder, or its name at the top of the package."""
    folder, first = path.relative_to(ROOT).parts[:2]
    return "runtime" if folder == "runtime" else first.removesuffix(".py")


@pytest.mark.parametrize("path", sources(), ids=name_of)
def test_imports_go_down(path: Path) -> None:
    room = room_of(path)
    assert room in MAY_IMPORT or room in TOP, f"{name_of(path)}: give the new room a row in MAY_IMPORT"
    for name in imported(path):
        package, *rest = name.split(".")
        assert package not in {"compiler", "runtime"}, f"{name_of(path)} imports a folder by its name: {name}"
        if package == "backsweep" and room not in TOP:
            allowed = MAY_IMPORT[room] | {room}
            assert rest, f"{name_of(path)} imports the face"
            assert rest[0] in allowed, f"{name_of(path)} imports {name}; {room} sees {sorted(allowed)}"


@pytest.mark.parametrize("path", sources(), ids=name_of)
def test_who_uses_numba_and_astor(path: Path) -> None:
    packages = {name.split(".")[0] for name in imported(path)}
    if packages & {"numba", "llvmlite"}:
        assert name_of(path).startswith(NUMBA_USERS)
    if "astor" in packages:
        assert name_of(path).startswith(ASTOR_USERS)


@pytest.mark.parametrize("path", sources(), ids=name_of)
def test_files_stay_small(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= LONGEST_FILE, f"{name_of(path)} has {lines} lines: which two ideas does it hold?"


def test_every_package_is_installed() -> None:
    declared = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    folders = {path.parent.relative_to(ROOT) for path in sources()}
    for folder in folders:
        package = ".".join(folder.parts).replace("compiler", "backsweep", 1)
        package = (
            package.replace("runtime", "backsweep.runtime", 1) if folder.parts[0] == "runtime" else package
        )
        assert f'"{package}"' in declared, f"pyproject.toml does not list {package}"


def test_nothing_goes_by_its_folder_name_here() -> None:
    import backsweep.runtime  # noqa: F401

    assert not {"compiler", "runtime"} & set(sys.modules)


def test_nothing_goes_by_its_folder_name_elsewhere(tmp_path: Path) -> None:
    program = (
        "import sys, backsweep, backsweep.runtime; print(*sorted({'compiler', 'runtime'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""
