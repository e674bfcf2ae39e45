"""What is said where no GPU is, and where a thread met an error."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import backsweep as bs
from backsweep.runtime.gpu import launch


def share(x, y):
    s = 0.0
    for i in bs.prange(x.size):
        if y[i] == 0.0:
            raise ValueError("a share of nothing")
        s += x[i] / y[i]
    return s


def test_without_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "lacking", lambda: "CUDA driver library cannot be found")
    with pytest.raises(bs.ArgumentError, match=r"(?s)cannot be found  \[BS705\].*NUMBA_ENABLE_CUDASIM=1"):
        bs.cuda(bs.grad(share))(np.ones(3), np.ones(3))


def test_kernel_that_numba_does_not_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    (first, *_) = launch.compile_errors()

    def failing(_array: object) -> None:
        raise first("Unknown attribute 'gamma'")

    def squares(x):
        s = 0.0
        for i in bs.prange(x.size):
            s += x[i] * x[i]
        return s

    monkeypatch.setattr(launch, "lacking", lambda: "")
    monkeypatch.setattr(launch, "on_device", failing)
    with pytest.raises(
        bs.UnsupportedError, match=r"of `squares` for a GPU: Unknown attribute 'gamma'  \[BS701\]"
    ):
        bs.cuda(bs.grad(squares))(np.ones(3))


def test_without_all_of_numba_cuda(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without NVIDIA's bindings, its parts cannot be imported."""
    package = sys.modules["backsweep.runtime.gpu"]
    monkeypatch.delattr(package, "launch")
    monkeypatch.setitem(sys.modules, "backsweep.runtime.gpu.launch", None)
    with pytest.raises(bs.ArgumentError, match=r"(?s)cannot be loaded.*\[BS705\].*numba-cuda\[cu13\]"):
        bs.cuda(bs.grad(share)).source(np.ones(3), np.ones(3))


def test_text_is_shown_without_gpu() -> None:
    slopes = bs.cuda(bs.grad(share))
    with pytest.raises(bs.ArgumentError, match="BS501"):
        slopes.source()
    assert "share_grad_kernel[blocks, THREADS](" in slopes.source(np.ones(3), np.ones(3))
    assert repr(slopes) == "<backsweep grad of share, on a GPU>"
    assert repr(bs.cuda(bs.hvp(share))) == "<backsweep hvp of share, on a GPU>"


def test_error_of_a_thread() -> None:
    launch.check_done([3], 3)
    with pytest.raises(launch.KernelError, match="the same call on the CPU"):
        launch.check_done([2], 3)
