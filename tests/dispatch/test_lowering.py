"""The machine may add up the sums of a reverse sweep in any order, and no others; powers are products."""

import importlib
import re

import numba
import numpy as np
import pytest

import backsweep as bs
from backsweep.dispatch.inference import RememberingCompiler

RNG = np.random.default_rng(5)


def product(a, b, c):
    """The primal adds along columns, the adjoint of `a` along rows."""
    total = 0.0
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            total += c[i, j] * c[i, j]
    return total


def arguments():
    return RNG.normal(size=(7, 33)), RNG.normal(size=(33, 41)), np.zeros((7, 41))


def test_only_additions_to_adjoints_may_be_reordered(tmp_path, monkeypatch):
    args = arguments()
    (tmp_path / "emitted_sums.py").write_text(bs.grad(product).source(*args), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("emitted_sums")
    compiled = numba.njit(pipeline_class=RememberingCompiler)(module.product_grad)
    compiled(*args)
    text = "\n".join(compiled.inspect_llvm().values())
    assert re.search(r"\bfadd reassoc\b", text)
    assert re.search(r"\bfadd (?!reassoc)", text)
    plain = numba.njit(module.product_grad)
    plain(*args)
    assert "reassoc" not in "\n".join(plain.inspect_llvm().values())


def test_sums_of_users_keep_their_order():
    def dot(a, b):
        total = 0.0
        # reverse sweep
        for i in range(a.size):
            total += a[i] * b[i]
        return total

    compiled, a = bs.njit(dot), RNG.normal(size=1000)
    assert compiled(a, a) == numba.njit(dot)(a, a)
    assert "reassoc" not in "\n".join(compiled.inspect_llvm().values())


def test_values_are_numbas_to_the_last_bit():
    args = arguments()
    value, _ = bs.value_and_grad(product, argnums=(0, 1))(*args)
    assert value == numba.njit(product)(*args)


def test_adjoints_agree_with_plain_runs():
    args = arguments()
    for mine, plain in zip(
        bs.grad(product, argnums=(0, 1))(*args),
        bs.grad(product, argnums=(0, 1), jit=False)(*args),
        strict=True,
    ):
        np.testing.assert_allclose(mine, plain, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("entry", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_stays_so(entry):
    a, b, c = arguments()
    b[3, 4] = entry
    mine = bs.grad(product)(a, b, c)
    plain = bs.grad(product, jit=False)(a, b, c)
    np.testing.assert_array_equal(np.isnan(mine), np.isnan(plain))
    np.testing.assert_allclose(mine, plain, rtol=1e-12, atol=1e-12)


def test_literal_powers_are_numbas_bit_by_bit():
    def powers(x):
        return x**0, x**1, x**2, x**3, x**7, x**64, x**65, np.float32(x) ** 2

    options = {"error_model": "numpy"}
    own, numbas = (
        numba.njit(powers, pipeline_class=RememberingCompiler, **options),
        numba.njit(powers, **options),
    )
    for x in (0.0, -0.0, 1.7, -3.3, np.inf, np.nan):
        np.testing.assert_array_equal(own(x), numbas(x))
