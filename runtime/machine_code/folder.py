"""The folder where files are kept between processes, and how files are read and written there.

The folder is `$BACKSWEEP_CACHE_DIR`, else `backsweep` in the user's cache folder. What lies there is executed, so the
folder has to be the user's own, and nobody else may write to it. Where there is no such folder, or it cannot be
written, the process makes one of its own among the temporary ones and removes it at its end. What lies in one that
cannot be written is read all the same, also if it is root's.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import os
import re
import shutil
import stat
import sys
import sysconfig
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

CHOSEN = "BACKSWEEP_CACHE_DIR"
"""The environment variable that names the folder."""
SIZE = "BACKSWEEP_CACHE_MEGABYTES"
"""The environment variable that bounds the folder's size."""
MEGABYTES = 512
"""The bound where the variable does not say another one."""
KEPT = re.compile(r".*[_-][0-9a-f]{16}\.(py|txt|nbi|nbc)|backsweep-.*\.tmp")
"""The names of the files that we keep; no other file is ever removed."""
HOUR = 3600.0


def folder() -> Path | None:
    """The folder to keep files in, made if it is not there; None if there is none that can be written."""
    chosen = _chosen()
    if chosen is not None:
        obstacle = _obstacle(chosen)
        if obstacle is None:
            return chosen
        if obstacle or os.environ.get(CHOSEN):
            _warn(chosen, obstacle or "cannot be written")
    return own_folder()


def _chosen() -> Path | None:
    """The folder that the environment names; None if it names none."""
    with contextlib.suppress(OSError):  # the current folder is gone
        given = os.environ.get(CHOSEN)
        if given:
            found = os.path.expanduser(given)  # noqa: PTH111  pathlib's raises an error where there is no home
            return None if found.startswith("~") else Path(os.path.abspath(found))  # noqa: PTH100  `..` stays text
        home = _home()
        caches = os.environ.get("XDG_CACHE_HOME", "")
        if caches.startswith("~") and home is not None:
            caches = os.path.expanduser(caches)  # noqa: PTH111  as above
        if Path(caches).is_absolute():  # the standard says to ignore any other
            return Path(caches) / "backsweep"
        if home is not None and home.is_dir():
            return home / ".cache" / "backsweep"
    return None


def _home() -> Path | None:
    """The user's home; None if the user has none."""
    found = os.environ.get("HOME") or os.environ.get("USERPROFILE")
    if not found and hasattr(os, "getuid"):
        import pwd  # there is none on Windows

        with contextlib.suppress(KeyError):
            found = pwd.getpwuid(os.getuid()).pw_dir
    return Path(found) if found and Path(found).is_absolute() else None


def _obstacle(path: Path) -> str | None:
    """Why a folder cannot be used, "" if it cannot be made or written; None if it can be used."""
    try:
        _make(path)
        found = path.stat()
    except OSError:
        return ""
    if not path.is_dir() or not os.access(path, os.W_OK):
        return ""
    return None if is_own(found) else "belongs to another user or can be written by others"


def _make(path: Path) -> None:
    """Make a folder, and those above it that are not there, for the user alone whatever the umask."""
    missing = [each for each in (path, *path.parents) if not each.exists()]
    for each in reversed(missing):
        try:
            each.mkdir(mode=0o700)
        except FileExistsError:  # another process has just made it
            continue
        each.chmod(0o700)


def is_own(found: os.stat_result) -> bool:
    """Whether a file or folder is the user's own, and nobody else may write to it."""
    if not hasattr(os, "geteuid"):
        return True
    return found.st_uid == os.geteuid() and not _others_may_write(found)


def _is_safe(found: os.stat_result) -> bool:
    """Whether only the user or root, who may do anything, can have written a file or folder."""
    return not hasattr(os, "geteuid") or (found.st_uid in (0, os.geteuid()) and not _others_may_write(found))


def _others_may_write(found: os.stat_result) -> bool:
    return bool(found.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


@functools.cache
def _warn(path: Path, obstacle: str) -> None:
    """Tell, once, that a folder cannot be used."""
    remedy = ""
    if obstacle != "cannot be written":
        remedy = f"; files there would be executed, so nobody else may write to it: chmod 700 {path}"
    message = f"the cache folder {path} {obstacle}; emitted code is kept for this process only{remedy}"
    warnings.warn(message, RuntimeWarning, stacklevel=2)


_own: list[Path] = []
"""The process's own folder, once it is made. A forked process goes on using that of its parent."""


def own_folder() -> Path | None:
    """The process's own temporary folder, made if it is not there; None if none can be made."""
    if not _own or not _own[-1].is_dir():
        try:
            made = Path(tempfile.mkdtemp(prefix="backsweep-"))
            made.chmod(0o700)
        except OSError:
            return None
        _own.append(made)
        atexit.register(_remove, made, os.getpid())
    return _own[-1]


def _remove(path: Path, process: int) -> None:
    """Remove the folder at the end of the process that made it."""
    if os.getpid() == process:
        shutil.rmtree(path, ignore_errors=True)


def look_up(path: Path) -> bytes | None:
    """What a file of ours holds, here or in the folder that the environment names and that cannot be written."""
    found = read(path)
    if found is None and path.parent in _own:
        chosen = _chosen()
        with contextlib.suppress(OSError):
            if chosen is not None and _is_safe(chosen.stat()):
                return read(chosen / path.name, _is_safe)
    return found


def read(path: Path, may_be_read: Callable[[os.stat_result], bool] = is_own) -> bytes | None:
    """What a file of ours holds; None if there is no such file, or others may have written it."""
    try:
        with open(path, "rb", opener=_opened) as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode) or not may_be_read(found):
                return None
            content = file.read()
        _mark_as_used(path, found)
    except OSError:
        return None
    return content


def _opened(path: str, flags: int) -> int:
    """Open a file that is no link; a pipe is not waited for."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def _mark_as_used(path: Path, found: os.stat_result) -> None:
    """Set the time of the file's last use, to the hour; many file systems do not."""
    now = time.time()
    if now - found.st_atime > HOUR:
        with contextlib.suppress(OSError):
            os.utime(path, ns=(int(now * 1e9), found.st_mtime_ns))


def write(path: Path, content: bytes) -> None:
    """Write a file for the user alone so that others see all of it or nothing; raises OSError if the disk is full."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix="backsweep-", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(temporary).chmod(0o600)
        Path(temporary).replace(path)
    except BaseException:  # an interruption, too, leaves nothing behind
        Path(temporary).unlink(missing_ok=True)
        raise
    _count(path.parent, len(content))


_sizes: dict[Path, int] = {}
"""The sizes of the folders that this process has written to: as they were, and what it has added."""


def _count(path: Path, added: int) -> None:
    """Keep the size of a folder in its bound: beyond it, the files that were used last go on being kept."""
    limit = _limit()
    _sizes[path] = _sizes[path] + added if path in _sizes else sum(size for _, size, _ in _files(path))
    if _sizes[path] <= limit:
        return
    size = sum(size for _, size, _ in _files(path))
    for _, bytes_, file in sorted(_files(path)):
        if size <= 0.75 * limit:
            break
        with contextlib.suppress(OSError):
            Path(file).unlink()
        size -= bytes_
    _sizes[path] = size


def _files(path: Path) -> list[tuple[float, int, str]]:
    """Our files in a folder: when each was used last, its size, and its path; there may be very many."""
    found: list[tuple[float, int, str]] = []
    with contextlib.suppress(OSError), os.scandir(path) as entries:
        for entry in entries:
            if KEPT.fullmatch(entry.name):
                with contextlib.suppress(OSError):  # another process has just removed it
                    status = entry.stat(follow_symlinks=False)
                    found.append((max(status.st_atime, status.st_mtime), status.st_size, entry.path))
    return found


def _limit() -> float:
    """The bound of the folder's size, in bytes."""
    given = os.environ.get(SIZE, "")
    try:
        found = float(given or MEGABYTES)
    except ValueError:
        found = -1.0
    if not found >= 0.0:
        _warn_of_size(given)
        found = MEGABYTES
    return found * 2**20


@functools.cache
def _warn_of_size(given: str) -> None:
    """Tell, once, that the bound is none."""
    message = f"{SIZE}={given!r} is not a number of megabytes; the limit is {MEGABYTES}"
    warnings.warn(message, RuntimeWarning, stacklevel=2)


@functools.cache
def sources_mark(*packages: Path) -> str:
    """A hash of the Python files of some packages: what is kept depends on every line of them."""
    found = hashlib.sha256()
    for package in packages:
        for path in sorted(package.rglob("*.py")):
            found.update(path.read_bytes())
    return found.hexdigest()


@functools.cache
def runtime_mark() -> str:
    """A hash of our runtime's sources, as they are when first asked for."""
    return sources_mark(Path(__file__).parents[1])


@functools.cache
def package_mark(name: str) -> str | None:
    """A hash of the sources of an installed package or module; None for what is not installed, as scripts and notebooks are."""
    module = sys.modules.get(name)
    installed = [Path(sysconfig.get_path(kind)).resolve() for kind in ("purelib", "platlib")]
    places = [Path(each).resolve() for each in getattr(module, "__path__", ())]
    if places and all(any(place.is_relative_to(each) for each in installed) for place in places):
        return sources_mark(*places)
    file = Path(getattr(module, "__file__", None) or "nowhere").resolve()
    if not places and file.parent in installed and file.suffix == ".py":
        return hashlib.sha256(file.read_bytes()).hexdigest()
    return None
