"""Turns of processes that need the same code: one makes it, the others wait for it and read it from the cache folder.

A process has at most one turn: it has locked a byte of a file in the folder. A process that waits for a turn has none, so that
no two wait for each other. The lock of a process that ends, in whatever way, is gone.
"""

from __future__ import annotations

import errno
import hashlib
import os
import sys
import time
from collections.abc import Callable

from backsweep.runtime.machine_code.folder import folder

FACTS, TEXT, CODE = range(3)
"""What a turn is for: what is known of a program, its text, its machine code. A later one takes the place of an earlier one."""
FILE = "turns.lock"
"""The name of the file, which stays empty: bytes beyond its end can be locked, too."""
PLACES = 2**20
"""How many bytes may be locked; two things that are made have the same by chance only."""
LONGEST = 180.0
"""Seconds after which a process no longer waits: it makes the code itself."""
_STEP = 0.02


class Turn:
    """The turn that this process has, for the thing called `name`."""

    def __init__(self) -> None:
        self.name = ""
        self._file: int | None = None
        self._stage = -1

    def take(self, stage: int, name: str, check: Callable[[], None]) -> bool:
        """Wait until no other process makes the thing of this name; `check` is called meanwhile.

        False if there is nothing to wait for: this process is at this stage already, or the folder's files have no locks.
        """
        if stage <= self._stage:
            return False
        self.give_back()
        found = folder()
        if found is None:
            return False
        place = int(hashlib.sha256(name.encode()).hexdigest(), 16) % PLACES
        try:
            file = os.open(found / FILE, _FLAGS, 0o600)
        except OSError:
            return False
        try:
            end = time.monotonic() + LONGEST
            while not _lock(file, place):
                check()
                if time.monotonic() > end:
                    os.close(file)
                    return False
                time.sleep(_STEP)
        except OSError:  # the file system has no locks
            os.close(file)
            return False
        except BaseException:
            os.close(file)
            raise
        self._file, self._stage, self.name = file, stage, name
        return True

    def give_back(self) -> None:
        """Let another process have its turn."""
        file, self._file, self._stage, self.name = self._file, None, -1, ""
        if file is not None:
            os.close(file)  # which unlocks it


_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)

if sys.platform == "win32":
    import msvcrt

    def _lock(file: int, place: int) -> bool:
        """Whether the byte at this place is locked now; raises OSError where files have no locks."""
        os.lseek(file, place, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EDEADLK):
                return False
            raise
        return True

else:
    import fcntl

    def _lock(file: int, place: int) -> bool:
        """Whether the byte at this place is locked now; raises OSError where files have no locks."""
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EAGAIN):
                return False
            raise
        return True
