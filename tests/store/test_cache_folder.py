"""The cache folder: whose it may be, what it is where there is none, how large it grows."""

from __future__ import annotations

import ctypes
import os
import shutil
import stat
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numba
import numpy as np
import pytest

import backsweep as bs
from backsweep.runtime.machine_code import folder as folders
from backsweep.runtime.machine_code import kept
from tests.support.children import printed

posix = pytest.mark.skipif(sys.platform == "win32", reason="owners and modes are those of POSIX")
as_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away"
)
NOBODY = 65534
GRADIENT = """
import os
from pathlib import Path

import numpy as np

import backsweep as bs


def cubes(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] ** 3 * i
    return total


print(bs.grad(cubes)(np.array([0.5, -2.0, 4.0])).tolist())
"""
EXPECTED = "[0.0, 12.0, 96.0]"


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that every user may look into."""
    path = Path(tempfile.mkdtemp())
    path.chmod(0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(autouse=True)
def told_anew() -> None:
    """Each test is warned as if it were the first."""
    folders._warn.cache_clear()
    folders._warn_of_size.cache_clear()


def obey_modes() -> None:
    """Have modes bind a new process even if it is root's: it gives up the right to pass them by."""
    if os.geteuid() == 0:
        ctypes.CDLL(None).prctl(24, 1, 0, 0, 0)  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"BACKSWEEP_CACHE_DIR": "{0}/own"}, "{0}/own"),
        ({"BACKSWEEP_CACHE_DIR": "~/own"}, "{0}/home/own"),
        ({"BACKSWEEP_CACHE_DIR": ""}, "{0}/home/.cache/backsweep"),
        ({"XDG_CACHE_HOME": "{0}/caches"}, "{0}/caches/backsweep"),
        ({"XDG_CACHE_HOME": ""}, "{0}/home/.cache/backsweep"),
        ({"XDG_CACHE_HOME": "~/caches"}, "{0}/home/caches/backsweep"),
        ({"XDG_CACHE_HOME": "relative"}, "{0}/home/.cache/backsweep"),
        ({"XDG_CACHE_HOME": "~nobody-of-this-name/x"}, "{0}/home/.cache/backsweep"),
        ({"HOME": "{0}/nowhere"}, None),
        ({"HOME": "relative"}, None),
        ({"HOME": "{0}/file"}, None),
        ({"BACKSWEEP_CACHE_DIR": "~nobody-of-this-name/x"}, None),
    ],
)
@posix
def test_which_folder(
    variables: dict[str, str], expected: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "file").touch()
    for name in ("BACKSWEEP_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name, value in variables.items():
        monkeypatch.setenv(name, value.format(tmp_path))
    found = folders.folder()
    assert found is not None
    assert found == (folders.own_folder() if expected is None else Path(expected.format(tmp_path)))
    assert mode(found) == 0o700
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("home", [None, ""])
@posix
def test_without_a_home_the_user_database_is_asked(home: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    import pwd

    monkeypatch.delenv("HOME") if home is None else monkeypatch.setenv("HOME", home)
    assert str(folders._home()) == pwd.getpwuid(os.getuid()).pw_dir
    monkeypatch.setattr(os, "getuid", lambda: 4_000_000)
    assert folders._home() is None


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o277])
@posix
def test_modes_whatever_the_umask(umask: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BACKSWEEP_CACHE_DIR", str(tmp_path / "one" / "two" / "three"))
    before = os.umask(umask)
    try:
        found = folders.folder()
        assert found is not None
        folders.write(found / "text_0123456789abcdef.txt", b"text")
    finally:
        os.umask(before)
    assert [mode(each) for each in (found, found.parent, found.parent.parent)] == [0o700] * 3
    assert mode(found / "text_0123456789abcdef.txt") == 0o600
    assert folders.read(found / "text_0123456789abcdef.txt") == b"text"


def unsafe(path: Path, how: str) -> None:
    """Make a folder one that others may have written to."""
    if how == "another user's":
        os.chown(path, NOBODY, NOBODY)
    else:
        path.chmod(int(how, 8))


@pytest.mark.parametrize("how", ["777", "770", "702", "1777", pytest.param("another user's", marks=as_root)])
@posix
def test_a_folder_of_others_is_not_used(how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "cache"
    path.mkdir()
    unsafe(path, how)
    for name, given in (("BACKSWEEP_CACHE_DIR", path), ("XDG_CACHE_HOME", tmp_path)):
        monkeypatch.delenv("BACKSWEEP_CACHE_DIR", raising=False)
        monkeypatch.setenv(name, str(given))
        if name == "XDG_CACHE_HOME":
            path.rename(tmp_path / "backsweep")
        with pytest.warns(RuntimeWarning, match="belongs to another user or can be written by others"):
            assert folders.folder() == folders.own_folder()
    assert not list((tmp_path / "backsweep").iterdir())


@pytest.mark.parametrize("how", ["620", "602", pytest.param("another user's", marks=as_root)])
@posix
def test_a_file_of_others_is_not_read(how: str, tmp_path: Path) -> None:
    path = tmp_path / "text_0123456789abcdef.txt"
    folders.write(path, b"text")
    assert folders.read(path) == b"text"
    unsafe(path, how)
    assert folders.read(path) is None
    link = tmp_path / "link_0123456789abcdef.txt"
    folders.write(path, b"text")
    link.symlink_to(path)
    assert folders.read(link) is None
    os.mkfifo(tmp_path / "pipe")
    assert folders.read(tmp_path / "pipe") is None


@posix
def test_nothing_in_a_folder_of_others_is_executed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = place / "cache"
    assert printed(GRADIENT, {"BACKSWEEP_CACHE_DIR": str(cache)}, place).strip() == EXPECTED
    for path in cache.iterdir():
        if path.suffix in {".nbi", ".nbc"}:
            monkeypatch.setattr(kept, "look_up", lambda _, path=path: path.read_bytes())
            evil = (
                b"cpathlib\nPath.touch\n(cpathlib\nPath\n(V" + str(place / "executed").encode() + b"\ntRtR."
            )
            kept.keep(path, evil)
        elif path.suffix == ".py":
            path.write_text(f"open({str(place / 'executed')!r}, 'w')\n")
    cache.chmod(0o777)
    environment = {"BACKSWEEP_CACHE_DIR": str(cache), "TMPDIR": str(place)}
    found = printed(GRADIENT, environment, place, error="belongs to another user")
    assert found.strip() == EXPECTED
    assert not (place / "executed").exists()
    assert {path.name for path in place.iterdir()} == {"cache", "program.py"}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="modes do not bind root")
def test_read_only_home_and_packages(tmp_path: Path) -> None:
    temporary, home = tmp_path / "temporary", tmp_path / "home"
    temporary.mkdir()
    home.mkdir(mode=0o555)
    program = f"""
import numba.core.caching
numba.core.caching.FunctionCache.__init__ = None  # nothing is to lie beside the packages
{GRADIENT}
print([path.name[:10] for path in Path(os.environ["TMPDIR"]).iterdir()], os.access(os.environ["HOME"], os.W_OK))
"""
    no_other = dict.fromkeys(("BACKSWEEP_CACHE_DIR", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR"))
    environment = {"HOME": str(home), "TMPDIR": str(temporary), **no_other}
    found = printed(program, environment, tmp_path, before=obey_modes)
    assert found.splitlines() == [EXPECTED, "['backsweep-'] False"]
    assert not [*temporary.iterdir(), *home.iterdir()]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="modes do not bind root")
def test_a_folder_that_cannot_be_written_is_read(place: Path) -> None:
    program = f"""
{GRADIENT}
from backsweep.runtime.machine_code.kept import COUNT

print(COUNT.found > 0, COUNT.kept > 0)
"""
    cache = place / "cache"
    environment = {"BACKSWEEP_CACHE_DIR": str(cache), "TMPDIR": str(place)}
    assert printed(program, environment, place).splitlines() == [EXPECTED, "False True"]
    kept_there = set(cache.iterdir())
    cache.chmod(0o500)
    found = printed(program, environment, place, before=obey_modes, error="cannot be written")
    assert found.splitlines() == [EXPECTED, "True False"]
    assert set(cache.iterdir()) == kept_there


@pytest.mark.parametrize("what", ["folder", "file"])
@as_root
def test_who_may_have_written_what_is_read_there(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, own, name = tmp_path / "cache", tmp_path / "own", f"f_{1:016x}.nbi"
    for each in (cache, own):
        each.mkdir(mode=0o755)
    (cache / name).write_bytes(b"kept")
    monkeypatch.setattr(folders, "_own", [own])
    monkeypatch.setenv("BACKSWEEP_CACHE_DIR", str(cache))
    changed = cache if what == "folder" else cache / name
    for owner, mode_, found in (
        (0, 0o755, b"kept"),
        (0, 0o775, None),
        (1, 0o755, None),
        (NOBODY, 0o755, b"kept"),
    ):
        os.chown(changed, owner, -1)
        changed.chmod(mode_)
        with monkeypatch.context() as context:
            context.setattr(os, "geteuid", lambda: NOBODY)
            assert folders.look_up(own / name) == found
            assert folders.look_up(tmp_path / name) is None  # only what the process's own folder lacks


@posix
def test_a_full_disk_everywhere(place: Path) -> None:
    import resource

    def no_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    environment = {"BACKSWEEP_CACHE_DIR": str(place / "cache"), "TMPDIR": str(place)}
    assert printed(GRADIENT, environment, place, before=no_room).strip() == EXPECTED
    assert [path.name for path in (place / "cache").iterdir()] == ["turns.lock"]  # which is empty
    assert {path.name for path in place.iterdir()} == {"cache", "program.py"}


def test_no_folder_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()

    def refused(*_: object, **__: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setenv("BACKSWEEP_CACHE_DIR", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr(tempfile, "mkdtemp", refused)
    monkeypatch.setattr(folders, "_own", [])

    def quotient(x):
        return 1.0 / x

    gradient = bs.grad(quotient)
    with pytest.warns(RuntimeWarning, match="cannot be written; emitted code is kept for this process only"):
        assert gradient(2.0) == -0.25
    assert bs.grad(gradient, jit=False)(2.0) == 0.25  # its text is asked for
    assert folders.folder() is None


def test_a_forked_process_leaves_the_folder_to_its_parent(place: Path) -> None:
    program = """
import os
from backsweep.runtime.machine_code import folder

own = folder.own_folder()
if os.fork() == 0:
    raise SystemExit
os.wait()
print(own.is_dir())
"""
    environment = {"TMPDIR": str(place), "BACKSWEEP_CACHE_DIR": str(place / "cache")}
    assert printed(program, environment, place).strip() == "True"
    assert not list(place.glob("backsweep-*"))


@pytest.fixture
def filled(tmp_path: Path) -> Callable[[str, int], Path]:
    """Write a file of ours that was used so many hours ago."""

    def write(name: str, hours: int) -> Path:
        path = tmp_path / name
        folders.write(path, bytes(400_000))
        then = path.stat().st_mtime - 3600.0 * hours
        os.utime(path, (then, then))
        return path

    return write


def test_the_folder_stays_within_its_bound(
    filled: Callable[[str, int], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BACKSWEEP_CACHE_MEGABYTES", "2")
    foreign = tmp_path / "notes.txt"
    foreign.write_bytes(bytes(3_000_000))
    names = [f"f_{k:016x}.{suffix}" for k, suffix in enumerate(("py", "txt", "nbi", "nbc", "nbc"))]
    for k, name in enumerate(names):
        filled(name, 50 - 10 * k)
    assert folders.read(tmp_path / names[0]) is not None  # used now, so kept
    filled(f"f_{9:016x}.nbc", 0)
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"notes.txt", names[0], names[4], f"f_{9:016x}.nbc"}


def test_use_is_marked_and_changes_nothing_else(filled: Callable[[str, int], Path]) -> None:
    path = filled("f_0123456789abcdef.nbc", 5)
    before = path.stat()
    folders.read(path)
    after = path.stat()
    assert after.st_atime - before.st_atime > 4 * 3600
    assert after.st_mtime_ns == before.st_mtime_ns


@pytest.mark.parametrize("given", ["much", "-1", "nan"])
def test_a_bound_that_is_no_number(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BACKSWEEP_CACHE_MEGABYTES", given)
    with pytest.warns(RuntimeWarning, match="is not a number of megabytes; the limit is 512"):
        assert folders._limit() == 512 * 2**20


SETTINGS = {
    "BOUNDSCHECK": 1,
    "OPT": 1,
    "LOOP_VECTORIZE": 0,
    "SLP_VECTORIZE": 1,
    "CPU_NAME": "generic",
    "CPU_FEATURES": "",
    "ENABLE_AVX": False,
    "DISABLE_INTEL_SVML": 1,
    "DEBUGINFO_DEFAULT": 1,
    "DEBUG_NRT": 1,
    "LLVM_REFPRUNE_PASS": 0,
    "LLVM_REFPRUNE_FLAGS": "",
    "PARFOR_MAX_TUPLE_SIZE": 1,
    "EXTEND_VARIABLE_LIFETIMES": 1,
    "DEBUG_ARRAY_OPT_RUNTIME": 1,
    "JIT_COVERAGE": 1,
}


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_that_change_code_are_in_the_key(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = kept.settings_mark()
    monkeypatch.setattr(numba.config, name, SETTINGS[name], raising=False)
    assert kept.settings_mark() != before


@pytest.mark.parametrize("package", ["numpy", "scipy", "numba", "llvmlite"])
def test_versions_are_in_the_keys_of_text_and_code(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def texts() -> set[Path]:
        def cubed(x):
            return x**3

        bs.grad(cubed).source(2.0)
        return set(tmp_path.glob("*.txt"))

    monkeypatch.setenv("BACKSWEEP_CACHE_DIR", str(tmp_path))
    before, written = kept.settings_mark(), texts()
    assert texts() == written
    monkeypatch.setattr(sys.modules[package], "__version__", "99.0.0")
    assert kept.settings_mark() != before
    assert len(texts()) == 2 * len(written) > 0


def test_settings_that_do_not_change_code_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    before = kept.settings_mark()
    for name, value in (("NUMBA_NUM_THREADS", 1), ("CACHE_DIR", "x"), ("DISABLE_JIT", 1), ("DEBUG_CACHE", 1)):
        monkeypatch.setattr(numba.config, name, value)
    assert kept.settings_mark() == before


def test_code_without_checks_is_not_taken_where_numba_is_told_to_check(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    @numba.njit
    def beyond(x, i):
        return x[i] * x[i]

    assert bs.grad(beyond)(np.ones(3), 1).tolist() == [0.0, 2.0, 0.0]
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", 1)
    with pytest.raises(IndexError):
        bs.grad(beyond)(np.ones(3), 5)


@pytest.mark.compiles_many("every transformation keeps the checks")
def test_a_callee_keeps_its_own_checks() -> None:
    @numba.njit(boundscheck=True)
    def checked(x, i):
        return x[i] * x[i]

    @numba.njit
    def unchecked(x, i):
        return x[i] * x[i]

    inner = bs.grad(checked)

    def calls(x, i):
        return checked(x, i) + unchecked(x, 0)

    def calls_a_gradient(x, i):
        return np.sum(inner(x, i))

    def calls_what_calls(x, i):
        return 2.0 * calls(x, i)

    for function in (calls, calls_a_gradient, calls_what_calls):
        assert bs.grad(function)(np.ones(3), 1)[1] > 0.0
        for beyond in (3, 5):
            with pytest.raises(IndexError):
                bs.grad(function)(np.ones(3), beyond)
            with pytest.raises(IndexError):
                bs.vjp(function, np.ones(3), beyond)[1](1.0)
            with pytest.raises(IndexError):
                bs.jvp(function, (np.ones(3), beyond), (np.ones(3),))


def test_a_good_folder_is_used_in_silence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BACKSWEEP_CACHE_DIR", str(tmp_path))
    tmp_path.chmod(0o755)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert folders.folder() == tmp_path
