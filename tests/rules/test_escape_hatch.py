"""Functions without text that Numba compiles: `bs.pure_python`, ctypes and cfunc; and the page that shows them."""

from __future__ import annotations

import ctypes
import math
from pathlib import Path

import numba
import numpy as np
import pytest
from scipy import LowLevelCallable

import backsweep as bs
from backsweep.rules.declare import REGISTRY, read_late
from tests.support.pages import printed, said

read_late(every=True)  # so that these rules stay when those of the tests go
LIBRARY = ctypes.CDLL(None)
sinh, cosh = LIBRARY.sinh, LIBRARY.cosh
for each in (sinh, cosh):
    each.restype, each.argtypes = ctypes.c_double, [ctypes.c_double]


@pytest.mark.compiles_many("the page runs as its readers run it")
@pytest.mark.parametrize("page", ["escape_hatch.md", "scipy.md"])
def test_page(page: str, tmp_path: Path) -> None:
    rules = list(REGISTRY)
    assert printed(page, tmp_path) == said(page)
    REGISTRY[:] = rules  # a rule that the page declares is no rule of the product


def test_ctypes() -> None:
    """A function of ctypes is called by its address; so is the function of a LowLevelCallable."""
    rules = list(REGISTRY)
    called = LowLevelCallable(sinh).function

    @bs.rule(sinh)
    def sinh_rule(x):
        y = sinh(x)
        return y, lambda y_bar: y_bar * cosh(x)

    def product(x):
        return x * called(2.0 * x)

    wanted = math.sinh(1.0) + math.cosh(1.0)
    assert bs.grad(product)(0.5) == pytest.approx(wanted, rel=1e-14)
    assert bs.grad(product, jit=False)(0.5) == pytest.approx(wanted, rel=1e-14)

    def without(x):
        return x * cosh(2.0) * cosh(x)

    with pytest.raises(bs.UnsupportedError, match="`cosh` has no derivative rule"):
        bs.grad(without)(0.5)
    REGISTRY[:] = rules


def test_object_mode() -> None:
    """A block in object mode is refused in words that name what works instead, and that works."""
    rules = list(REGISTRY)

    @numba.njit
    def with_block(x):
        with numba.objmode(y="float64"):
            y = math.lgamma(x)
        return x * y

    with pytest.raises(
        bs.UnsupportedError, match=r"(?s)object mode.*bs\.pure_python\(f, result=1\.0\).*bs\.rule"
    ) as caught:
        bs.grad(with_block)(2.5)
    assert "BS101" in str(caught.value)
    called = bs.pure_python(math.lgamma, result=1.0)
    slope = bs.pure_python(lambda x: (math.lgamma(x + 1e-6) - math.lgamma(x - 1e-6)) / 2e-6, result=1.0)

    @bs.rule(called)
    def called_rule(x):
        y = called(x)
        return y, lambda y_bar: y_bar * slope(x)

    def without_block(x):
        return x * called(x)

    wanted = math.lgamma(2.5) + 2.5 * slope(2.5)
    assert bs.grad(without_block, jit=False)(2.5) == pytest.approx(wanted)
    REGISTRY[:] = rules


def test_cfunc() -> None:
    rules = list(REGISTRY)

    @numba.cfunc("float64(float64)")
    def square(x):
        return x * x

    @bs.rule(square)
    def square_rule(x):
        y = square(x)
        return y, lambda y_bar: y_bar * 2.0 * x

    def cube(x):
        return x * square(x)

    assert bs.grad(cube)(3.0) == 27.0
    REGISTRY[:] = rules


def test_declared_tuple() -> None:
    """The number of items is known: a backward function may return them as they come, and stars take them apart."""
    ahead = bs.pure_python(lambda x, y: float(x * y[0]), result=0.0)
    back = bs.pure_python(
        lambda x, y, z_bar: (float(z_bar * y[0]), (np.array([z_bar * x]),)), result=(0.0, (np.zeros(1),))
    )
    flat = bs.pure_python(
        lambda x, y, z_bar: (float(z_bar * y[0]), np.array([z_bar * x])), result=(0.0, np.zeros(1))
    )

    def starred(kept, z_bar):
        first, rest = back(*kept, z_bar)
        return first, *rest

    def with_backward(backward):
        @bs.custom_vjp
        def product(x, y):
            return ahead(x, y)

        product.defvjp(lambda x, y: (ahead(x, y), (x, y)), backward)
        return lambda x, y: x * product(x, y)

    for backward in (starred, lambda kept, z_bar: flat(*kept, z_bar)):
        slope = bs.grad(with_backward(backward), (0, 1), jit=False)
        assert slope(2.0, np.array([3.0])) == (12.0, [4.0])


def test_declared_type() -> None:
    """A result of another type than the declared one raises; without a rule a program is refused."""
    wrong = bs.pure_python(lambda x: np.ones(3), result=0.0, name="wrong")

    def scaled(x):
        return x * wrong(2.0)

    for jit in (True, False):
        with pytest.raises(TypeError, match="`wrong` returns an array of float64 with 1 axes"):
            bs.grad(scaled, jit=jit)(1.0)

    @bs.pure_python(result=(0.0, np.zeros(2)))
    def pair(x):
        return x, np.array([x, 2.0 * x])

    @numba.njit
    def own(x):
        first, second = pair(x)
        return first + second[1]

    assert own(2.0) == 6.0

    def reached(x):
        return bs.stop_gradient(x) * first_of(x)

    first_of = bs.pure_python(abs, result=0.0)
    with pytest.raises(bs.UnsupportedError, match="`abs` has no derivative rule") as caught:
        bs.grad(reached)(2.0)
    assert "bs.rule" in str(caught.value)
    with pytest.raises(bs.ArgumentError, match="`result` is"):
        bs.pure_python(abs, result="a number")


def test_a_rule_reads_nothing_around_it() -> None:
    """A number that a module holds may change; its place is a parameter that is `static`, as the refusal says."""
    rules = list(REGISTRY)
    rate = 2.5

    @bs.pure_python(result=0.0)
    def growth(x):
        return math.exp(rate * x)

    with pytest.raises(bs.UnsupportedError, match=r"the rule `growth_rule` reads `rate`.*BS205"):

        @bs.rule(growth)
        def growth_rule(x):
            y = growth(x)
            return y, lambda y_bar: y_bar * rate * y

    @bs.pure_python(result=0.0)
    def growth_at(x, speed):
        return math.exp(speed * x)

    @bs.rule(growth_at, static=("speed",))
    def growth_at_rule(x, speed):
        y = growth_at(x, speed)
        return y, lambda y_bar: y_bar * speed * y

    assert bs.grad(lambda x: growth_at(x, 2.5), jit=False)(0.5) == pytest.approx(2.5 * math.exp(1.25))
    REGISTRY[:] = rules
