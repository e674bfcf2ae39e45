"""Passes that only save work may be left out, by name: a program means the same without them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import backsweep as bs
from backsweep.pipeline import passes
from backsweep.pipeline import table as pipeline
from tests.support import checking
from tests.support.sampled import turning

A = np.array([[0.4, -0.3, 0.8], [1.1, 0.6, -0.7], [0.2, 0.9, 0.5]])
X = np.array([0.3, -0.6, 1.2])


def relaxed(A: Any, x: Any) -> Any:
    y = x.copy()
    total = 0.0
    for i in range(3):
        y = np.tanh(2.0 * A @ y + x)
        A[1:] += 0.1 * A[:-1] * y[i]
        for j in range(1, x.size):
            total += np.exp(x[j]) * y[j - 1] / (1.0 + y[j] * y[j])
    return total + np.sum(A @ A.T) + np.linalg.det(A)


@pytest.mark.parametrize("name", turning(3, pipeline.OPTIONAL))
def test_same_results_without(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    value, gradient = bs.value_and_grad(relaxed, (0, 1), jit=False)(A, X)
    monkeypatch.setenv(passes.WITHOUT, name)
    derivative = bs.value_and_grad(relaxed, (0, 1), jit=False)
    again, other = derivative(A, X)
    assert value == pytest.approx(again)
    checking.assert_close(other, gradient)
    ran = [line for line in derivative.stages(A, X).splitlines() if line.startswith(f"# {name}: ")]
    needed = [each for group in pipeline.GROUPS for each in group if each.name == name and not each.optional]
    assert len(ran) == len(needed)


def test_several_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(passes.WITHOUT, "array loops, sweep fusion,")
    assert pipeline.left_out() == {"array loops", "sweep fusion"}
    assert "for i" not in bs.grad(product, jit=False).source(X)
    monkeypatch.delenv(passes.WITHOUT)
    assert "for i" in bs.grad(product, jit=False).source(X)  # no code is found again that was made without


def product(x: Any) -> Any:
    return np.sum(np.sin(x) * x)


@pytest.mark.parametrize(
    ("name", "message"),
    [("types", "the pass `types` is needed"), ("arry loops", "there is no pass `arry loops`")],
)
def test_others_are_refused(name: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(passes.WITHOUT, name)
    with pytest.raises(bs.ArgumentError, match=message):
        bs.grad(product, jit=False)(X)
