"""New arrays and strong products whose machine code is written down: they are what Numba and NumPy make."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import types
from numba.core.compiler import CompilerBase
from numba.core.registry import cpu_target

import backsweep as bs
from backsweep.dispatch import direct
from backsweep.dispatch.inference import compiler
from backsweep.runtime.special import strong_product, strong_quotient

READ_ONLY = np.arange(3.0)
READ_ONLY.setflags(write=False)
ARRAYS = [
    np.arange(6.0).reshape(2, 3),
    np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    np.arange(12.0).reshape(2, 6)[:, ::2],
    np.arange(24.0).reshape(2, 3, 4).transpose(1, 0, 2),
    np.zeros((0, 3)),
    np.array(2.0),
    np.arange(3, dtype=np.int32),
    np.arange(3, dtype=np.float32),
    np.arange(3) * 1j,
    np.array([True, False]),
    READ_ONLY,
]
SHAPES: list[Any] = [3, 0, np.uint8(2), (2, 3), (2, np.int32(3)), (0, 2, 1), ()]


def ours(function: Any) -> Any:
    """The function, compiled as emitted code is."""
    return numba.njit(pipeline_class=compiler(vector_math=False))(function)


def alike(x: Any) -> Any:
    y = np.zeros_like(x)
    z = np.empty_like(x)
    z[...] = x
    return y, z


def of_shape(n: Any) -> Any:
    y = np.empty(n)
    y[...] = 1.0
    return y, np.zeros(n)


@pytest.mark.turns(5)
@pytest.mark.parametrize("x", ARRAYS, ids=lambda x: f"{x.dtype} {x.shape} {x.strides}")
def test_arrays_like_others(x: np.ndarray) -> None:
    for made, wanted in zip(ours(alike)(x), numba.njit(alike)(x), strict=True):
        np.testing.assert_array_equal(made, wanted, strict=True)
        assert made.strides == wanted.strides or made.size == 0
        assert made.flags == wanted.flags


@pytest.mark.parametrize("n", SHAPES, ids=str)
def test_arrays_of_shapes(n: Any) -> None:
    for made, wanted in zip(ours(of_shape)(n), of_shape(n), strict=True):
        np.testing.assert_array_equal(made, wanted, strict=True)
        assert made.strides == wanted.strides or made.size == 0


@pytest.mark.parametrize(
    ("n", "message"), [(-1, "negative dimensions"), ((2**40, 2**40), "array is too big")]
)
def test_shapes_that_no_array_has(n: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ours(of_shape)(n)


def test_types_are_numba_s() -> None:
    context = cpu_target.typing_context
    for function, given in (
        *((np.zeros_like, numba.typeof(x)) for x in ARRAYS),
        *((np.empty, numba.typeof(n)) for n in SHAPES),
    ):
        asked = context.resolve_value_type(function)
        found = direct.known(asked, function).get_call_type(context, (given,), {})
        assert found.return_type == asked.get_call_type(context, (given,), {}).return_type


def test_other_arguments_go_numba_s_way() -> None:
    def made(n: int, x: Any) -> Any:
        return (
            np.zeros(n, np.float32),
            np.empty((n, 2), dtype=np.int64).size,
            np.zeros_like(x, np.float32),
            np.zeros_like(a=x),
            np.zeros(shape=n),
            np.zeros_like(3.0),
        )

    for one, other in zip(ours(made)(3, ARRAYS[1]), numba.njit(made)(3, ARRAYS[1]), strict=True):
        np.testing.assert_array_equal(one, other, strict=True)


@pytest.mark.parametrize("x", [0.0, -0.0, 2.0, -1.5, math.inf, math.nan])
@pytest.mark.parametrize("y", [0.0, -0.0, 3.0, -math.inf, math.nan])
def test_strong_products(x: float, y: float) -> None:
    def both(x: float, y: float) -> tuple[float, float]:
        return strong_product(x, y), strong_quotient(x, y)

    found = _BOTH.setdefault("compiled", ours(both))(x, y)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(found, (strong_product(x, y), strong_quotient(x, y)))
    assert math.copysign(1.0, found[0]) == math.copysign(1.0, strong_product(x, y)) or math.isnan(found[0])


_BOTH: dict[str, Any] = {}


def test_nothing_is_compiled_for_new_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    core = CompilerBase._compile_core

    def noted(self: Any) -> Any:
        compiled.append(self.state.func_id.func_name)
        return core(self)

    def summed(x: np.ndarray, y: np.ndarray) -> float:
        total = 0.0
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                total += x[i, j] * y[j]
        return total

    gradient = bs.grad(summed, argnums=(0, 1))
    args = np.ones((2, 3)), np.ones(3)
    assert "zeros_like" in gradient.source(*args)
    gradient(np.ones((2, 2)), np.ones(2))
    ours(alike)(
        np.float32(ARRAYS[3])
    )  # what allocates memory and what raises errors is compiled once in a process
    monkeypatch.setattr(CompilerBase, "_compile_core", noted)
    ours(alike)(ARRAYS[3])
    assert compiled == ["alike"]
    assert isinstance(cpu_target.typing_context.resolve_value_type(np.zeros), types.Function)
