"""The same bytes from any process, a second process that starts from the disk, damaged files made anew."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = """
import sys
sys.path.insert(0, {root!r})
import numba
import numpy as np
import backsweep as bs
from tests.emit.test_golden import NAMES, primal_of
{body}
"""
TEXTS = """
from tests.support.sampled import turning
for name in turning(24, NAMES):
    function, args, argnums = primal_of(name)
    sys.stdout.write(bs.value_and_grad(function, argnums=argnums).source(*args))
"""
FIRST_CALL = """
from numba.core import event
function, args, argnums = primal_of("smooth")
with event.install_recorder("numba:compile") as compiled:
    value, gradient = bs.value_and_grad(function, argnums=argnums)(*args)
print(len(compiled.buffer))
print(value, *gradient)
"""
TABLES = """
import numpy as np
import backsweep as bs
def product(table, factor):
    def total(x, n):
        s = 0.0
        for i in range(n):
            s += table[i] * x * factor
        return s
    return total
factor = {factor}
for size in (20, 2000):
    table = np.full(size, factor)
    table[size // 2] = 7.0
    for entry in (table, np.full(size, 2.0 * factor)):
        got, wanted = bs.grad(product(entry, factor))(1.0, size), factor * entry.sum()
        assert abs(got - wanted) < 1e-9 * wanted, (got, wanted)
"""
IN_FORKS = """
import os
for folder in {folders}:
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.environ["BACKSWEEP_CACHE_DIR"] = folder
        print("==", folder)
        exec({body!r})
        sys.stdout.flush()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0, folder
"""


def run(body: str, cache: Path, seed: str = "0") -> str:
    """What the program prints in a process of its own."""
    environment = {**os.environ, "PYTHONHASHSEED": seed, "BACKSWEEP_CACHE_DIR": str(cache)}
    program = PROGRAM.format(root=str(ROOT), body=body)
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.turns(9)
def test_same_text_in_any_process(tmp_path: Path) -> None:
    first = run(TEXTS, tmp_path / "one", seed="1")
    second = run(TEXTS, tmp_path / "two", seed="2")
    assert first == second
    assert first.count("Written by backsweep") >= 3


@pytest.fixture(scope="module")
def first_call(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder that the program `FIRST_CALL` has filled, and what it printed."""
    folder = tmp_path_factory.mktemp("first_call")
    return folder, run(FIRST_CALL, folder)


def test_second_process_starts_warm(first_call: tuple[Path, str]) -> None:
    folder, printed = first_call
    cold, *first = printed.split("\n", 1)
    warm, *second = run(FIRST_CALL, folder).split("\n", 1)
    assert first == second
    assert int(cold) > 0
    assert int(warm) == 0, "Numba compiled once more"


@pytest.mark.turns(9)
def test_second_process_needs_no_compilation(tmp_path: Path) -> None:
    named = """
function, args, argnums = primal_of("smooth")
gradient = bs.grad(function, wrt=("x", "w"))
print(gradient(*args)._fields, gradient(*args)[1])
"""
    first = run(named, tmp_path)
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    refuse = "import backsweep.specialise.build\nbacksweep.specialise.build.typed_primal = None\n"
    assert run(refuse + named, tmp_path) == first
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()} == kept


@pytest.mark.turns(9)
def test_constants_of_other_content_are_other_code(tmp_path: Path) -> None:
    for factor in (2.0, 3.0, 2.0):
        (tmp_path / "tables.py").write_text(TABLES.format(factor=factor), encoding="utf-8")
        run(f"import runpy; runpy.run_path({str(tmp_path / 'tables.py')!r})", tmp_path / "cache")


@pytest.mark.turns(9)
def test_three_processes_on_a_cold_cache(tmp_path: Path, first_call: tuple[Path, str]) -> None:
    with ThreadPoolExecutor(3) as pool:
        found = set(pool.map(lambda _: run(FIRST_CALL, tmp_path).split("\n", 1)[1], range(3)))
    assert found == {first_call[1].split("\n", 1)[1]}
    left = {path.suffix for path in tmp_path.rglob("*") if path.is_file()}
    assert left <= {".py", ".txt", ".nbi", ".nbc", ".pyc", ".lock"}  # no half-written file stays behind


@pytest.mark.turns(9)
def test_a_folder_that_cannot_be_made(tmp_path: Path, first_call: tuple[Path, str]) -> None:
    (tmp_path / "file").write_text("no folder")
    value = run(FIRST_CALL, tmp_path / "file" / "cache").split("\n", 1)[1]
    assert value == first_call[1].split("\n", 1)[1]


READ_ONLY = """
import os, tempfile, warnings
access, chosen = os.access, os.environ["BACKSWEEP_CACHE_DIR"]
os.access = lambda path, mode: access(path, mode) and str(path) != chosen
warnings.simplefilter("always")
with warnings.catch_warnings(record=True) as told:
    gradients = [bs.grad(primal_of(name)[0])(*primal_of(name)[1]) for name in ("smooth", "polynomial")]
assert [str(each.message).split(";")[0] for each in told] == [f"the cache folder {{chosen}} cannot be written"]
print(gradients)
"""
FULL_WHEN_WRITTEN = """
import tempfile
make, chosen = tempfile.mkstemp, os.environ["BACKSWEEP_CACHE_DIR"]
def refused(*args, **options):
    if str(options.get("dir")) == chosen:
        raise OSError(28, "No space left on device")
    return make(*args, **options)
tempfile.mkstemp = refused
"""
FULL_FOR_NUMBA = """
import numba.core.caching
def refused(*args, **options):
    raise OSError(28, "No space left on device")
numba.core.caching.IndexDataCacheFile.save = refused
numba.core.caching.IndexDataCacheFile.flush = refused
"""
GRADIENTS = """
print([bs.grad(primal_of(name)[0])(*primal_of(name)[1]) for name in ("smooth", "polynomial")])
"""


@pytest.fixture(scope="module")
def gradients(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder that the program `GRADIENTS` has filled, and what it printed."""
    folder = tmp_path_factory.mktemp("whole")
    return folder, run(GRADIENTS, folder)


@pytest.mark.turns(9)
def test_a_read_only_folder(tmp_path: Path, gradients: tuple[Path, str]) -> None:
    _, expected = gradients
    assert run(READ_ONLY.replace("{{", "{").replace("}}", "}"), tmp_path / "read_only") == expected
    assert not list((tmp_path / "read_only").iterdir())


@pytest.mark.turns(9)
@pytest.mark.parametrize("obstacle", [FULL_WHEN_WRITTEN, FULL_FOR_NUMBA], ids=["our files", "Numba's files"])
def test_a_full_disk(obstacle: str, tmp_path: Path, gradients: tuple[Path, str]) -> None:
    _, expected = gradients
    assert run("import os\n" + obstacle + GRADIENTS, tmp_path / "full") == expected


@pytest.mark.turns(9)
def test_machine_code_of_another_function(tmp_path: Path, gradients: tuple[Path, str]) -> None:
    folder, expected = gradients
    shutil.copytree(folder, tmp_path / "mixed")
    kept = sorted(path for path in tmp_path.rglob("*.nb?") if "_grad" in path.name)
    by_kind = {suffix: [path for path in kept if path.suffix == suffix] for suffix in (".nbi", ".nbc")}
    for one, other in by_kind.values():
        first, second = one.read_bytes(), other.read_bytes()
        one.write_bytes(second)
        other.write_bytes(first)
    assert run(GRADIENTS, tmp_path / "mixed") == expected


DAMAGES: dict[str, tuple[set[str], Callable[[bytes], bytes]]] = {
    "truncated": ({".py", ".txt"}, lambda whole: whole[: len(whole) // 2]),
    "garbage": ({".py", ".txt"}, lambda _: b"raise SystemExit('damaged')\n"),
    "binary": ({".py", ".txt"}, lambda _: bytes(range(256))),
    "empty": ({".py", ".txt"}, lambda _: b""),
    "foreign": ({".py", ".txt"}, lambda whole: whole.replace(b" * ", b" + ")),
    **{
        f"{suffix} {name}": ({f".{suffix}"}, lambda whole, left=left: whole[:left])
        for suffix in ("nbi", "nbc")
        for name, left in (("empty", 0), ("truncated", 40), ("short", -3))
    },
}
"""What becomes of the files of these kinds."""


@pytest.mark.turns(9)
@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_damaged_files_are_made_anew(tmp_path: Path, first_call: tuple[Path, str]) -> None:
    """All files of a kind at once; `test_damaged_files` damages one at a time."""
    whole, expected = first_call[0], first_call[1].split("\n", 1)[1]
    files = [path for path in whole.iterdir() if path.is_file() and path.suffix != ".lock"]
    assert {path.suffix for path in files} == {".py", ".txt", ".nbi", ".nbc"}
    for name, (kinds, damaged) in DAMAGES.items():
        shutil.copytree(whole, tmp_path / name)
        for path in files:
            if path.suffix in kinds:
                (tmp_path / name / path.name).write_bytes(damaged(path.read_bytes()))
    body = IN_FORKS.format(folders=[str(tmp_path / name) for name in DAMAGES], body=FIRST_CALL)
    found = run(body, whole).split("== ")[1:]
    assert [message.split("\n", 2)[::2] for message in found] == [
        [str(tmp_path / name), expected] for name in DAMAGES
    ]
    for name in DAMAGES:
        for path in files:
            if path.suffix in {".py", ".txt"}:
                assert (tmp_path / name / path.name).read_bytes() == path.read_bytes(), (name, path.name)
