"""Processes: one for each test, one for each recorded call, with limits of time and memory."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import resource
import signal
import time
import unittest
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from tests.replay import judging
from tests.replay.recording import Enough, Group, recording

FORK = multiprocessing.get_context("fork")
MEMORY = 8 << 30
"""Bytes that the process of a call may take."""


@dataclass(frozen=True)
class Limits:
    """Seconds of processor time for a test, seconds for a call, and how many groups of calls are wanted of a test."""

    test: float
    call: float
    most: int


@dataclass(frozen=True)
class Entry:
    """A line of the ledger."""

    test: str
    function: str
    types: str
    word: str
    code: str
    reason: str
    seconds: float


def tests_of(module: str) -> list[str]:
    """The names of all tests of a module, `Class.test_method`."""
    found: list[str] = []

    def walk(suite: unittest.TestSuite) -> None:
        for item in suite:
            if isinstance(item, unittest.TestSuite):
                walk(item)
            elif type(item).__module__ == module:
                found.append(f"{type(item).__qualname__}.{item._testMethodName}")

    walk(unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(module)))
    return list(dict.fromkeys(found))


def replay_test(
    module: str, test: str, limits: Limits, seen: frozenset[tuple[str, str]] = frozenset()
) -> Iterator[Entry]:
    """Run a test in a process of its own and replay what it called, each call in another."""
    here, there = FORK.Pipe(duplex=False)
    process = FORK.Process(target=_test_child, args=(there, module, test, limits, seen))
    process.start()
    there.close()
    try:
        wait = 10.0 * limits.test + 30.0
        while here.poll(wait):
            entry = here.recv()
            if entry is None:
                break
            yield entry
            wait = limits.call + 60.0
    except EOFError:  # the test itself crashed: nothing of Backsweep's has run in its process
        pass
    finally:
        _end(process, group=True)


def _test_child(
    pipe: Connection, module: str, test: str, limits: Limits, seen: frozenset[tuple[str, str]]
) -> None:
    """Record a test, replay its calls, and send a line of the ledger for each."""
    os.setpgrp()
    _silence()
    with recording(limits.most, seen) as recorder:
        _run_test(module, test, limits.test)
    for group in recorder.groups.values():
        began = time.monotonic()
        verdict = _in_process(group, limits.call)
        pipe.send(
            Entry(
                f"{module}.{test}",
                *group.key,
                verdict.word,
                verdict.code,
                verdict.reason,
                time.monotonic() - began,
            )
        )
    pipe.send(None)


def _run_test(module: str, test: str, seconds: float) -> None:
    """Run a test as unittest does, whatever it comes to, until time is over."""

    def over(number: int, frame: Any) -> None:
        raise Enough

    signal.signal(signal.SIGPROF, over)
    signal.setitimer(signal.ITIMER_PROF, seconds)  # of the processor's time: a busy machine records as much
    suite = unittest.defaultTestLoader.loadTestsFromName(test, importlib.import_module(module))
    try:
        suite.run(unittest.TestResult())
    except Enough:
        pass
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _in_process(group: Group, seconds: float) -> judging.Verdict:
    """The verdict on a group, from a process of its own."""
    here, there = FORK.Pipe(duplex=False)
    process = FORK.Process(target=_call_child, args=(there, group))
    process.start()
    there.close()
    try:
        if not here.poll(seconds):
            return judging.Verdict("hang", reason=f"longer than {seconds:.0f} s")
        return here.recv()
    except EOFError:
        process.join()
        return judging.Verdict("crash", reason=f"exit code {process.exitcode}")
    finally:
        _end(process)


def _call_child(pipe: Connection, group: Group) -> None:
    """Judge a group and send the verdict."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    pipe.send(judging.judge(group))


def _end(process: Any, *, group: bool = False) -> None:
    """End a process, and those that it started."""
    try:
        if group:
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
    except ProcessLookupError:
        pass
    process.join()


def _silence() -> None:
    """What tests print goes nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
