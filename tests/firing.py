"""Which passes change a program, and what becomes of it without one; `python -m tests.firing` writes docs/passes.md."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from unittest import mock

import backsweep as bs
from backsweep.ir.nodes import Function
from backsweep.ir.show import show
from backsweep.pipeline import passes
from backsweep.pipeline.table import WAYS
from tests import zoo
from tests.zoo.case import Case

NAMES = tuple(dict.fromkeys(each.name for way in WAYS.values() for each in way))
"""The entries of the table, those that stand in several places once."""
MARKS = ("lowered", "derivative")
"""Entries that name a program and do nothing."""


@contextmanager
def called(change: Callable[[passes.Pass, Function, Function], Function]) -> Iterator[None]:
    """Each pass gives what `change` makes of what it was given and of what it gives."""
    run = passes.Pass.__call__

    def changed(self: passes.Pass, function: Function, given: passes.PassInputs = passes.NOTHING) -> Function:
        return change(self, function, run(self, function, given))

    with mock.patch.object(passes.Pass, "__call__", changed):
        yield


def text_without(case: Case, name: str | None) -> str:
    """The program that is written as text, or what it fails with, without what the entries of this name do."""
    last: list[str] = []

    def change(each: passes.Pass, before: Function, after: Function) -> Function:
        found = before if each.name == name else after
        if each.name == WAYS["reverse"][-1].name:
            last.append(show(found))
        return found

    with called(change):
        try:
            emitted(case)
        except Exception as error:  # noqa: BLE001  a program that lacks what it needs may fail anywhere
            return f"fails: {type(error).__name__}"
    return "\n".join(last)


def emitted(case: Case) -> None:
    """Have the case's gradient emitted anew."""
    bs.value_and_grad(case.function, argnums=case.argnums, jit=False).stages(*case.args)


def fired(case: Case) -> set[str]:
    """The entries that change the case's program."""
    found: set[str] = set()

    def note(each: passes.Pass, before: Function, after: Function) -> Function:
        if after is not before and show(after) != show(before):
            found.add(each.name)
        return after

    with called(note), suppress(bs.BacksweepError):
        emitted(case)
    return found


def counted(cases: Iterable[Case]) -> dict[str, int]:
    """On how many of the cases each entry fires."""
    found = dict.fromkeys(NAMES, 0)
    for case in cases:
        for name in fired(case):
            found[name] += 1
    return found


def page(counts: dict[str, int], cases: int) -> str:
    """The page of the documentation."""
    head = f"""# The passes

What a function goes through on its way to its gradient, in order, and on how many of {cases} programs of the tests' zoo each
pass changes something. `python -m tests.firing > docs/passes.md` writes this page; `stages()` shows the passes of a program of
your own. A test removes each pass in turn from a program that then gets another text, or none
(`tests/pipeline/test_firing.py`).

| pass | reason | comes after | fires on |
| --- | --- | --- | --- |
"""
    rows: list[Any] = []
    for each in WAYS["reverse"]:
        count = "" if each.name in MARKS else str(counts[each.name])
        rows.append(f"| {each.name} | {each.reason} | {', '.join(each.after)} | {count} |")
    return head + "\n".join(dict.fromkeys(rows)) + "\n"


if __name__ == "__main__":
    every = zoo.load()
    print(page(counted(every), len(every)), end="")
