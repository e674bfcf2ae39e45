"""Compiling that an interruption does not leave half done.

Numba enters what it has compiled, and what it knows of types, in tables of its own, in many steps. A KeyboardInterrupt
between two of them leaves a table half filled, and the next compilation fails. So signals wait while code is emitted and
compiled, until the next place where an error does no harm: between two passes, or before a question for a type.
"""

from __future__ import annotations

import contextlib
import gc
import re
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from typing import Any

from numba.core import config
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import NumbaPerformanceWarning
from numba.core.registry import CPUDispatcher

from backsweep.runtime.machine_code.turns import Turn

_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGALRM") if hasattr(signal, name)]
"""The signals whose handlers may raise an error."""
_NOTHING_IN_PARALLEL = r"\s*The keyword argument 'parallel=True' was specified but no transformation"
_FASTER_IN_ROWS = r"\s*\S+ is faster on contiguous arrays"


class Compiling:
    """`with compiling:` code is emitted, loaded or compiled, by one thread at a time, and signals wait.

    The lock is Numba's own, since Numba asks us and we ask Numba, and a second lock could be taken in the other order.
    Numba compiles here even if it was told to compile nothing (`NUMBA_DISABLE_JIT`): it cannot tell types otherwise.
    """

    def __init__(self) -> None:
        self._depth = 0  # of the thread that has the lock
        self._disabled = 0
        self._main_depth = 0
        self._handlers: dict[int, Any] = {}
        self._waiting: list[int] = []
        self._turn = Turn()

    def __enter__(self) -> None:
        """Have signals wait, and get the lock."""
        if _in_main_thread():
            self._put_off()
            self._main_depth += 1
        try:
            while not global_compiler_lock._lock.acquire(timeout=0.1):
                self.check()
        except BaseException:
            self._leave_main()
            raise
        self._depth += 1
        if self._depth == 1:
            self._disabled, config.DISABLE_JIT = config.DISABLE_JIT, 0

    def __exit__(self, *_: object) -> None:
        """Give the lock back, and let in the signals that waited."""
        self._depth -= 1
        if self._depth == 0:
            config.DISABLE_JIT = self._disabled
            self._turn.give_back()
        global_compiler_lock._lock.release()
        self._leave_main()

    @property
    def is_under_way(self) -> bool:
        """Whether the thread that has the lock compiles for us."""
        return self._depth > 0

    def alone(self, stage: int, name: str) -> bool:
        """Make the thing of this name while no other process does, until it is `done` or the lock is given back.

        Whether to look once more for what another process may have kept in the meantime.
        """
        return self.is_under_way and self._turn.take(stage, name, self.check)

    def done(self, name: str) -> None:
        """Let other processes have the thing of this name now, if this one has just made it."""
        if self._turn.name == name:
            self._turn.give_back()

    def check(self) -> None:
        """Let in a signal that waits: here an error does no harm."""
        if self._waiting and _in_main_thread():
            number = self._waiting.pop(0)
            self._handlers[number](number, sys._getframe())

    def _put_off(self) -> None:
        """Have signals wait. Each step is one call, so that none finds it half done."""
        if not self._handlers:
            for number in _SIGNALS:
                if callable(signal.getsignal(number)):
                    self._handlers[number] = signal.signal(number, self._note)

    def _note(self, number: int, _frame: object) -> None:
        self._waiting.append(number)

    def _leave_main(self) -> None:
        """Let in the signals that waited if the main thread has left the outermost block."""
        if not _in_main_thread():
            return
        self._main_depth -= 1
        if self._main_depth == 0:
            try:
                self._take_back()
            finally:
                self._take_back()  # once more where a signal came in between
            while self._waiting:
                signal.raise_signal(self._waiting.pop(0))

    def _take_back(self) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._handlers = {}


compiling = Compiling()


@contextlib.contextmanager
def only_new_garbage() -> Iterator[None]:
    """Inside `with compiling`: garbage is looked for among new objects only, and among all of them soon after.

    Numba and the libraries have made hundreds of thousands of objects, and we make enough for several collections to go
    through all of them: a third of the time that emission takes.
    """
    young, middle, old = gc.get_threshold()
    gc.set_threshold(young, middle, max(old, _NEVER))
    try:
        yield
    finally:
        gc.set_threshold(young, middle, old)


_NEVER = 2**30
"""A number of collections of young objects that no compilation sees."""


class Compiled(CPUDispatcher):  # type: ignore[misc]  # Numba ships no annotations
    """Numba's dispatcher, which is not interrupted while it compiles."""

    def compile(self, sig: Any) -> Any:
        """The entry point for a signature."""
        with compiling, only_new_garbage(), warnings.catch_warnings():
            # the function that is differentiated has a loop that runs in parallel; emitted loops run one after the other
            warnings.filterwarnings("ignore", _NOTHING_IN_PARALLEL, NumbaPerformanceWarning)
            # and nobody can lay out anew what our own code multiplies; Numba copies it as `np.ascontiguousarray` does
            own = re.escape(self.py_func.__code__.co_filename.removesuffix(".py"))
            warnings.filterwarnings("ignore", _FASTER_IN_ROWS, NumbaPerformanceWarning, module=own)
            return super().compile(sig)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
