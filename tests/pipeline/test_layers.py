"""The house's order: which room may import which, how many files a room holds, and how large a file may grow."""

import ast
import importlib.util
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LONGEST_FILE = 600
MOST_FILES = 12
"""In one room."""

# From bottom to top: what each room sees besides itself and the rooms within it. A room is a folder, or a file
# that lies beside the folders.
SEES = {
    # what emitted code calls
    "runtime.machine_code": "",
    "runtime.support": "runtime.machine_code",
    "runtime.lists": "runtime.support",
    "runtime.transforms": "runtime.support",
    "runtime.scipy": "runtime.support runtime.transforms",
    "runtime": "runtime.support runtime.scipy",
    "runtime.plain": "runtime.lists runtime.support",
    "runtime.matrices": "runtime.support runtime.scipy runtime",
    "runtime.overloads": "runtime.support",
    "runtime.shapes": "runtime.overloads",
    "runtime.special_functions": "runtime.support runtime.scipy runtime.overloads",
    "runtime.statistics": "runtime.support runtime.scipy",
    "runtime.solvers": "runtime.support",
    "runtime.interpolants": "runtime.support runtime.matrices",
    "runtime.gpu": "runtime runtime.support",
    # errors, options, the IR and the rules
    "diagnostics": "",
    "tracebacks": "diagnostics",
    "boundary": "diagnostics tracebacks",
    "requests": "diagnostics",
    "ir": "diagnostics",
    "prelude": "",
    "prelude.arrays": "runtime.support runtime.overloads prelude",
    "prelude.python": "runtime.support prelude",
    "prelude.containers": "runtime.lists prelude",
    "prelude.images": "prelude",
    "prelude.matrices": "runtime runtime.matrices runtime.scipy prelude",
    "prelude.transforms": "runtime.transforms prelude",
    "prelude.special": "runtime.scipy runtime.special_functions runtime.support prelude",
    "prelude.language": "runtime.support prelude",
    "prelude.interpolants": "runtime.support runtime.interpolants prelude.arrays prelude",
    "prelude.polynomials": "prelude",
    "prelude.signals": "prelude",
    "prelude.statistics": "runtime runtime.statistics runtime.scipy runtime.support prelude",
    "prelude.solvers": "runtime.solvers prelude",
    "rules": "runtime.support runtime runtime.matrices runtime.transforms diagnostics requests ir prelude",
    "rules.scipy": "runtime runtime.scipy runtime.matrices runtime.special_functions rules",
    # from the IR to text, to Numba, and back to its types
    "dispatch": "runtime runtime.machine_code runtime.scipy runtime.overloads tracebacks boundary ir",
    "emit": "runtime.support runtime diagnostics ir rules dispatch",
    "store": "runtime.machine_code runtime.support runtime diagnostics emit",
    "reading": "prelude runtime.machine_code runtime.support diagnostics ir rules dispatch store",
    "typing": "runtime.lists runtime runtime.machine_code runtime.support diagnostics ir dispatch emit store reading",
    "typing.numbers": "runtime.plain runtime.support diagnostics ir typing",
    "sending": "runtime.support diagnostics rules reading",
    # from a function to the IR
    "frontend.context": "runtime.support diagnostics boundary ir reading typing",
    "frontend.constructs": "prelude.arrays prelude.language prelude runtime.lists runtime.plain runtime.support diagnostics requests ir rules reading typing frontend.context",
    "frontend.arrays": "prelude.language prelude reading runtime.support runtime ir typing frontend.context frontend.constructs",
    "frontend.instances": "prelude.containers prelude.language prelude runtime.plain diagnostics ir dispatch reading frontend.context frontend.constructs",
    "frontend.generators": "diagnostics ir reading frontend.context frontend.constructs",
    "frontend.calls": "prelude.arrays prelude runtime.solvers runtime.support runtime.scipy runtime.overloads diagnostics ir dispatch reading typing frontend.context frontend.constructs frontend.arrays frontend.instances frontend.generators",
    "frontend.rewriting": "prelude.containers prelude.python runtime.support runtime diagnostics ir reading frontend.context frontend.constructs frontend.instances frontend.generators frontend.calls",
    "frontend": "prelude.arrays prelude.language runtime.lists runtime.plain runtime.support diagnostics ir dispatch emit store reading typing frontend.context frontend.constructs frontend.arrays frontend.instances frontend.generators frontend.calls frontend.rewriting",
    # facts
    "analysis.integers": "runtime.lists runtime.support runtime ir rules",
    "analysis": "runtime.lists diagnostics ir analysis.integers",
    "analysis.order": "ir analysis.integers analysis",
    # from program to program
    "legalise.arrays": "runtime diagnostics ir rules analysis.integers analysis analysis.order",
    "legalise.lists": "runtime.lists runtime.support runtime diagnostics ir analysis",
    "legalise.library": "runtime diagnostics ir rules analysis.integers analysis legalise.arrays",
    "legalise.paths": "diagnostics ir analysis.integers analysis",
    "legalise": "runtime.support runtime diagnostics ir rules frontend.context analysis.integers analysis",
    "interprocedural": "runtime.lists runtime diagnostics ir rules typing frontend.constructs analysis.order analysis.integers analysis",
    "ad.checkpoint.records": "runtime diagnostics ir analysis",
    "ad.checkpoint": "runtime diagnostics ir rules analysis",
    "ad.zeros": "runtime ir rules analysis",
    "ad": "runtime.support runtime diagnostics ir rules analysis.integers analysis legalise interprocedural ad.checkpoint ad.zeros",
    "optimise.arrays": "runtime diagnostics ir analysis.integers analysis analysis.order",
    "optimise": "runtime ir rules analysis.integers analysis legalise optimise.arrays",
    "optimise.memory": "runtime runtime.matrices ir rules analysis.integers analysis analysis.order",
    "optimise.loops": "diagnostics ir analysis.integers analysis analysis.order optimise.memory",
    "optimise.parallel": "runtime ir analysis.integers analysis analysis.order interprocedural",
    # the table of passes, and the programs that are emitted
    "pipeline": "runtime.machine_code requests ir typing typing.numbers analysis.integers analysis legalise.arrays legalise.lists legalise.library legalise legalise.paths interprocedural ad optimise.arrays optimise.memory optimise optimise.loops optimise.parallel",
    "programs": "runtime.lists runtime diagnostics requests ir store reading typing frontend.context frontend.constructs frontend.calls frontend analysis.integers analysis legalise.paths legalise.arrays legalise.library legalise interprocedural ad.checkpoint.records ad pipeline",
    "gpu": "runtime runtime.gpu diagnostics ir emit analysis.integers analysis interprocedural optimise.parallel pipeline",
    # what users call and look at
    "display": "",
    "explanation": "display runtime.support runtime diagnostics ir rules emit reading analysis legalise.paths ad.checkpoint.records ad.checkpoint ad optimise optimise.parallel",
    "specialise": "runtime.lists runtime.machine_code runtime.support runtime diagnostics tracebacks boundary requests ir dispatch emit store reading sending typing frontend.context frontend.constructs frontend.calls analysis.integers interprocedural ad pipeline programs gpu display explanation",
    "api": "runtime.support runtime diagnostics tracebacks boundary requests dispatch reading sending frontend.constructs display explanation specialise",
    "api.gpu": "runtime.gpu diagnostics boundary requests reading store tracebacks explanation specialise api",
    "meanings": "diagnostics requests prelude runtime.overloads specialise",
    "dask": "diagnostics specialise api",
    "bridge": "diagnostics reading sending specialise api",
    "jax": "api bridge",
    "torch": "api bridge",
    "pytensor": "api bridge",
    "casadi": "reading specialise api bridge",
    "inspect.recording": "display runtime.support runtime diagnostics ir rules typing analysis legalise ad ad.zeros",
    "inspect.picture": "display runtime.support runtime diagnostics ir rules inspect.recording",
    "inspect.coverage": "diagnostics frontend.context dispatch specialise api",
    "inspect.audit": "diagnostics api",
    "inspect": "runtime.machine_code diagnostics tracebacks boundary requests ir reading sending frontend.context programs inspect.recording inspect.picture specialise",
}
FACE = {"__init__", "__main__", "inspect.cli"}
"""These see all of it."""
LATE = {
    "compiler/api/gpu/cuda.py": {"backsweep.runtime.gpu"},
    "compiler/api/gpu/stand_ins.py": {"backsweep.runtime.gpu.launch"},
    "compiler/meanings.py": {"backsweep.specialise.build"},
    "compiler/specialise/build.py": {"backsweep.gpu.program"},
    "compiler/inspect/cli/command_line.py": {"backsweep.inspect.cli", "backsweep.inspect.coverage"},
    "compiler/__init__.py": {
        "backsweep.api.batch",
        "backsweep.api.checking",
        "backsweep.api.compiling",
        "backsweep.api.derivatives",
        "backsweep.api.gpu.cuda",
        "backsweep.api.gradients",
        "backsweep.api.implicit",
        "backsweep.api.problem",
        "backsweep.api.sparse",
        "backsweep.dispatch.dispatchers",
        "backsweep.frontend.constructs.checkpoints",
        "backsweep.frontend.constructs.custom",
        "backsweep.inspect.trace",
        "backsweep.meanings",
        "backsweep.rules.declare",
        "backsweep.runtime.cores",
        "backsweep.runtime.machine_code.compiling",
    },
}
"""Imports within a function: the demo alone needs the optimizer of SciPy, `bench` alone measures, and `coverage` alone
tries calls; the other commands
need not load these. Numba's part for GPUs is loaded where one is used. `import backsweep` is quick: it loads the compiler when it is first used."""

NUMBA_USERS = (
    "compiler/dispatch/",
    "compiler/typing/",
    "compiler/meanings.py",
    "compiler/emit/",
    "compiler/store/",
    "compiler/sending/by_value.py",
    "compiler/specialise/build.py",
    "compiler/specialise/transformed.py",
    "runtime/",
    # Compiles the user's function with Numba alone, to compare with.
    "compiler/inspect/cli/costs.py",
    # Tells Numba's version.
    "compiler/inspect/coverage/page.py",
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


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """What the file imports, by dotted names, and whether that is within a function or a condition."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node not in tree.body) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(path)}:{node.lineno}: imports are absolute"
            for alias in node.names:
                yield f"{node.module}.{alias.name}", node not in tree.body


def module_of(path: Path) -> str:
    """The name by which a file is imported, without `backsweep`."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[1:] if parts[0] == "compiler" else parts).removesuffix(".__init__")


MODULES = {module_of(path): path for path in sources()}


def room_of(path: Path) -> str:
    """The room that a file belongs to: its folder, or its name beside the folders."""
    folder = path.parent.relative_to(ROOT).parts
    room = ".".join(folder[1:] if folder[0] == "compiler" else folder)
    return room or path.stem


def own_imports(path: Path) -> Iterator[tuple[Path, bool]]:
    """The files of ours that a file imports, and whether it does so within a function or a condition."""
    for name, late in imports(path):
        package, _, rest = name.partition(".")
        assert package not in {"compiler", "runtime"}, f"{name_of(path)} imports a folder by its name: {name}"
        if package == "backsweep":
            assert rest or room_of(path) in FACE, f"{name_of(path)} imports the face"
        if package == "backsweep" and rest:
            yield MODULES[rest if rest in MODULES else rest.rpartition(".")[0]], late


@pytest.mark.parametrize("path", sources(), ids=name_of)
def test_imports_go_down(path: Path) -> None:
    room = room_of(path)
    assert room in SEES or room in FACE, f"{name_of(path)}: give the new room a row in SEES"
    for found, _ in own_imports(path):
        other = room_of(found)
        if room in FACE or other == room or other.startswith(f"{room}."):
            continue
        assert other in SEES[room].split(), (
            f"{name_of(path)} imports {name_of(found)}; {room} sees {SEES[room]}"
        )


def test_the_table_goes_down() -> None:
    """A room sees rooms below its own row only, and each that it names is seen."""
    below: set[str] = set()
    for room, seen in SEES.items():
        assert set(seen.split()) <= below, f"{room} sees {set(seen.split()) - below}, which are not below it"
        below.add(room)
    used = {(room_of(path), room_of(found)) for path in sources() for found, _ in own_imports(path)}
    for room, seen in SEES.items():
        idle = {other for other in seen.split() if (room, other) not in used}
        assert not idle, f"{room} no longer imports {idle}: take them out of its row"


def test_no_circles_of_rooms() -> None:
    """Rooms at the top do not see each other, whatever rooms are within them: `inspect` sees `explanation`, which does not see it."""
    top = {room.partition(".")[0]: set[str]() for room in SEES}
    for room, seen in SEES.items():
        own = room.partition(".")[0]
        top[own] |= {other.partition(".")[0] for other in seen.split()} - {own}
    while top:
        free = [room for room, seen in top.items() if not seen & top.keys()]
        assert free, f"these rooms see each other: {top}"
        for room in free:
            del top[room]


def test_no_circles() -> None:
    """Files do not import each other, not even within functions."""
    waiting = {path: {found for found, _ in own_imports(path)} - {path} for path in sources()}
    face = ROOT / "compiler" / "__init__.py"
    for found in waiting.values():
        found.discard(face)
    while waiting:
        free = [path for path, found in waiting.items() if not found & waiting.keys()]
        assert free, f"these import each other: {sorted(map(name_of, waiting))}"
        for path in free:
            del waiting[path]


@pytest.mark.parametrize("path", sources(), ids=name_of)
def test_imports_stand_at_the_top(path: Path) -> None:
    late = {name.rpartition(".")[0] for name, late in imports(path) if late and name.startswith("backsweep")}
    assert late <= LATE.get(name_of(path), set()), f"{name_of(path)} imports {late} within a function"


def test_rooms_stay_small() -> None:
    for folder in {path.parent for path in sources()}:
        files = [path for path in folder.glob("*.py") if path.stem != "__init__"]
        assert len(files) <= MOST_FILES, f"{name_of(folder)} holds {len(files)} files: which two rooms is it?"


def test_every_room_says_what_it_is_for() -> None:
    for path in sources():
        if path.stem == "__init__":
            assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), name_of(path)


@pytest.mark.parametrize("path", sources(), ids=name_of)
def test_who_uses_numba_and_astor(path: Path) -> None:
    packages = {name.split(".")[0] for name, _ in imports(path)}
    if packages & {"numba", "llvmlite"}:
        assert name_of(path).startswith(NUMBA_USERS)
    if "astor" in packages:
        assert name_of(path).startswith(ASTOR_USERS)


@pytest.mark.parametrize("path", sources(), ids=name_of)
def test_files_stay_small(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= LONGEST_FILE, f"{name_of(path)} has {lines} lines: which two ideas does it hold?"


def test_every_package_is_installed() -> None:
    """setup.py finds them by their `__init__.py`."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    folders = {path.parent.relative_to(ROOT).as_posix() for path in sources()}
    homes = {folder: package for package, folder in declared["package-dir"].items()}
    packages = {".".join([homes[folder.split("/")[0]], *folder.split("/")[1:]]) for folder in folders}
    found = {name: importlib.util.find_spec(name) for name in packages}
    assert sorted(name for name, spec in found.items() if spec is None or spec.origin is None) == []


def test_the_order_of_accesses_is_asked_in_one_room() -> None:
    """Whether two accesses may touch one element in another order is no question that a pass answers by itself."""
    answers = {"may_meet_across", "may_meet_within", "may_write_twice"}
    for path in sources():
        if not room_of(path).startswith("analysis"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            asked = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)} & answers
            assert not asked, f"{name_of(path)} asks for {asked}: what is that called in analysis/order?"


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
