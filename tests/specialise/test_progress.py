"""A compilation that takes long is told of: what, and how long it took."""

import logging
import re
import sys
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

import backsweep as bs
from backsweep.specialise import progress


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.001)


def gradient(**options):
    """A gradient that nothing has compiled yet."""
    return bs.grad(lambda x: np.sum(np.sin(x) * x), cache=False, **options)


def test_what_is_compiled_and_for_how_long(monkeypatch, capsys):
    monkeypatch.setenv(progress.VARIABLE, "1")
    slope = gradient()
    slope(np.ones(3))
    lines = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"backsweep: compiling grad of <lambda>\(array\(float64, 1d, C\)\) \.\.\.", lines[0])
    assert re.fullmatch(r"backsweep: grad of <lambda>\(array\(float64, 1d, C\)\): \d+\.\d s", lines[1])
    assert len(lines) == 2
    slope(np.ones(4))
    assert capsys.readouterr().err == ""
    assert not [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)]


def test_pipes_get_nothing_unless_they_ask(monkeypatch, capsys):
    monkeypatch.delenv(progress.VARIABLE, raising=False)
    gradient()(np.ones(3))
    monkeypatch.setenv(progress.VARIABLE, "1")
    gradient(progress=False)(np.ones(3))
    monkeypatch.setenv(progress.VARIABLE, "0")
    gradient()(np.ones(3))
    assert capsys.readouterr().err == ""


def test_notebooks_get_the_lines(monkeypatch, capsys):
    monkeypatch.delenv(progress.VARIABLE, raising=False)
    monkeypatch.setitem(
        sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=1))
    )
    gradient()(np.ones(3))
    assert len(capsys.readouterr().err.splitlines()) == 2
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    gradient()(np.ones(3))
    assert capsys.readouterr().err == ""


def test_the_logger_gets_it_where_logging_is_set_up(monkeypatch, caplog, capsys):
    monkeypatch.delenv(progress.VARIABLE, raising=False)
    with caplog.at_level(logging.INFO, "backsweep"):
        gradient()(np.ones(3))
    assert [record.name for record in caplog.records] == ["backsweep", "backsweep"]
    caplog.clear()
    with caplog.at_level(logging.WARNING, "backsweep"):
        gradient()(np.ones(3))
    assert not caplog.records
    assert capsys.readouterr().err == ""


def test_a_short_compilation_is_not_told_of(monkeypatch, capsys):
    monkeypatch.setenv(progress.VARIABLE, "1")
    monkeypatch.setattr(progress, "PATIENCE", 0.2)
    with progress.reported("work"), progress.reported("more work"):
        pass
    time.sleep(0.3)
    assert capsys.readouterr().err == ""
