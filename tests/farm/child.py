"""Processes that check programs: each many of them, until it is used up, hangs or dies."""

from __future__ import annotations

import gc
import multiprocessing
import os
import resource
import shutil
import tempfile
import time
import warnings
from contextlib import nullcontext
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal

from tests.fuzz.outcome import Outcome
from tests.fuzz.program import Program

Task = Literal["check", "primal", "compiled primal"]
WITHOUT = "BACKSWEEP_WITHOUT"
"""The variable that names passes to leave out (`backsweep.pipeline.passes`, which is imported later)."""
MEMORY = 8 * 2**30
"""Bytes of address space for each child."""
PATIENCE = 10.0
"""A child that waits rather than computes is given so many times as long."""
SLICE = 1.0
"""Seconds between two looks at a child."""
COLLECTED = (50_000, 20, 50)
"""When a child collects garbage (`gc.set_threshold`)."""
MOST = {False: 1500, True: 100}
"""A child checks so many programs, plain and compiled: memory of compiled code is never given back."""


def serve(connection: Connection, folder: str) -> None:
    """Check what is asked for until the connection ends."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    os.environ["BACKSWEEP_CACHE_DIR"] = str(Path(folder) / "cache")
    from tests.farm.sources import judged  # after the cache's folder is known
    from tests.fuzz.differences import numba_primal, python_primal
    from tests.fuzz.outcome import UnfitError, of_error
    from tests.support.gradients_checked import check_gradients
    from tests.support.quick import functions_as_python

    check_gradients()
    gc.collect()
    gc.freeze()  # what is imported stays; Numba's types and what it knows of functions are too many to look through often
    gc.set_threshold(*COLLECTED)
    number = 0
    while True:
        try:
            task, family, program, jit, without = connection.recv()
        except EOFError:
            return
        number += 1
        os.environ[WITHOUT] = without
        if task == "check":
            try:
                with nullcontext() if jit else functions_as_python("backsweep."):
                    outcome = judged(family, program, Path(folder), jit=jit, tag=f"_{number}")
            except Exception as error:  # noqa: BLE001  a fault of the check is told as one, and the farm goes on
                outcome = of_error(error, "the check itself: ")
            connection.send(outcome)
            continue
        try:
            (python_primal if task == "primal" else numba_primal)(program, Path(folder), f"_{number}")
        except UnfitError as error:
            connection.send(Outcome("skipped", str(error)))
        else:
            connection.send(Outcome("right"))


def processor_time(process: int) -> float:
    """Seconds that a process has computed (on systems without /proc: the time of day), so that other work does no harm."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Child:
    """One process; it is started again where it hung, died, or is used up."""

    def __init__(self) -> None:
        self.process: Any = None
        self.used = 0.0
        self.folder = ""

    def ask(
        self, task: Task, family: str, program: Program, *, jit: bool, seconds: float, without: str = ""
    ) -> Outcome | None:
        """What came of a task, for a program that is compiled without some passes; None if it did not end in time."""
        if self.process is None:
            self.start()
        self.used += 1.0 / MOST[jit]
        try:
            self.connection.send((task, family, program, jit, without))
            if not self.answers(seconds):
                self.stop()
                return None
            outcome: Outcome = self.connection.recv()
        except (EOFError, BrokenPipeError, ConnectionResetError):
            self.process.join(5.0)
            code = self.process.exitcode
            self.stop()
            return Outcome("unworded", f"ProcessDied: exit code {code}")
        if self.used > 1.0:
            self.stop()
        return outcome

    def answers(self, seconds: float) -> bool:
        """Whether there is an answer within so many seconds of the process's own time, or `PATIENCE` times as many in all."""
        began, until = processor_time(self.process.pid), time.monotonic() + PATIENCE * seconds
        while not self.connection.poll(min(seconds, SLICE)):
            if processor_time(self.process.pid) - began > seconds or time.monotonic() > until:
                return False
        return True

    def start(self) -> None:
        """A new process with a folder of its own."""
        spawn = multiprocessing.get_context("spawn")
        self.folder = tempfile.mkdtemp(prefix="backsweep-farm-")
        self.connection, theirs = spawn.Pipe()
        self.process = spawn.Process(target=serve, args=(theirs, self.folder), daemon=True)
        self.process.start()
        theirs.close()
        self.used = 0.0

    def stop(self) -> None:
        """End the process and remove its folder."""
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.connection.close()
            self.process = None
            shutil.rmtree(self.folder, ignore_errors=True)
