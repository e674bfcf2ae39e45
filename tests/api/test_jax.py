"""Functions of NumPy within JAX: their derivatives are those that JAX finds for the same formulas."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

import backsweep as bs

jax = pytest.importorskip("jax", reason="JAX is not installed")
import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

import backsweep.jax as in_jax  # noqa: E402

X = np.array([0.3, -0.8, 1.1])
MANY = np.array([X, 2.0 * X])


def wave(x, k, w):
    """Sums in place, a count, and a number."""
    h, t, out = 0.0, 0, np.zeros(x.size)
    while t < x.size:
        h = np.sin(w * h + x[t])
        out[t] = k * h
        t += 1
    return out, x.size, h


def root(a):
    x = a
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
    return x


def same(x, k, w):
    h, out = 0.0, []
    for t in range(3):
        h = jnp.sin(w * h + x[t])
        out.append(k * h)
    return jnp.stack(out), 3, h


def of(f):
    def cost(x, w):
        out, count, h = f(x, 2, w)
        return jnp.sum(out**2) * h + count * h

    return cost


def ripple(x, w):
    return np.sum(np.sin(w * x) * x)


WAVE = in_jax.function(wave, jit=False)
OURS, THEIRS = of(WAVE), of(same)
SECOND = in_jax.function(ripple, jit=False), lambda x, w: jnp.sum(jnp.sin(w * x) * x)


def over_shared(cost):
    return lambda x, w: jnp.sum(jax.vmap(cost, (0, None))(x, w) ** 2)


def over_both(cost):
    return jax.vmap(jax.vmap(cost, (0, None)), (None, 0), 1)


TRANSFORMS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "value_and_grad": (lambda f: jax.value_and_grad(f, (0, 1)), (X, 0.5)),
    "grad of one": (lambda f: jax.grad(f, 1), (X, 0.5)),
    "vjp": (lambda f: lambda x, w: jax.vjp(f, x, w)[1](2.0), (X, 0.5)),
    "jvp": (lambda f: lambda x, w: jax.jvp(f, (x, w), (x, 0.7)), (X, 0.5)),
    "gradient of a batch": (lambda f: jax.grad(over_shared(f), (0, 1)), (MANY, 0.5)),
    "batches of gradients": (lambda f: over_both(jax.grad(f, (0, 1))), (MANY, np.array([0.5, 0.6]))),
    "scan": (lambda f: lambda x, w: jax.lax.scan(lambda c, t: (f(x, c) * t, c), w, x), (X, 0.5)),
}

TWICE: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "hessian": (lambda f: jax.hessian(f, (0, 1)), (X, 0.5)),
    "reverse over reverse": (lambda f: jax.jacrev(jax.grad(f)), (X, 0.5)),
    "forward over forward": (lambda f: jax.jacfwd(jax.jacfwd(f, 1), 1), (X, 0.5)),
}


@pytest.fixture(autouse=True)
def double_precision() -> Any:
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


@pytest.mark.turns(3)
@pytest.mark.parametrize("transform", [*TRANSFORMS, *TWICE])
def test_transformations(transform: str) -> None:
    of_function, args = {**TRANSFORMS, **TWICE}[transform]
    ours, theirs = SECOND if transform in TWICE else (OURS, THEIRS)
    wanted = of_function(theirs)(*args)
    for found in (of_function(ours)(*args), jax.jit(of_function(ours))(*args)):
        jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-9), found, wanted)


def test_differences_to_second_order() -> None:
    check_grads(SECOND[0], (X, 0.5), order=2, modes=["rev"])


class Pair(NamedTuple):
    """Two results."""

    total: Any
    scaled: Any


def test_a_linear_call_does_not_depend_on_where_it_is_taken() -> None:
    """JAX solves linear systems whose matrix does not depend on the vector."""

    def solved(f: Any) -> Any:
        def of(x: Any) -> Any:
            _, linear = jax.linearize(lambda x: f(x, 2, 0.5)[0], X)
            return jnp.linalg.solve(jax.jacobian(linear)(x) + jnp.eye(3), x)

        return of

    np.testing.assert_allclose(jax.jacrev(solved(WAVE))(X), jax.jacrev(solved(same))(X), rtol=1e-9)


@pytest.mark.parametrize("checked", [True, False])
def test_over_devices(checked: bool) -> None:
    spec, mesh = jax.sharding.PartitionSpec, jax.make_mesh((1,), ("d",))
    with jax.set_mesh(mesh):

        def total(f: Any) -> Any:
            def part(x: Any, w: Any) -> Any:
                return jax.lax.psum(jax.vmap(f, (0, None))(x, w).sum(), "d")

            specs = {"in_specs": (spec("d"), spec()), "out_specs": spec(), "check_vma": checked}
            return jax.grad(jax.shard_map(part, mesh=mesh, **specs), (0, 1))

        given = jax.device_put(MANY, jax.sharding.NamedSharding(mesh, spec("d"))), jnp.asarray(0.5)
        for found, wanted in zip(total(OURS)(*given), total(THEIRS)(*given), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-9)


def test_arguments_and_results_of_parts() -> None:
    def energy(parameters, x, factor=2.0):
        first, second = parameters["pair"]
        return Pair(np.sum(first * x) * parameters["rate"] + second, factor * x)

    fn = in_jax.function(energy, jit=False)
    parameters = {"rate": 3.0, "pair": (X, 4.0)}
    found = fn(parameters, x=X)
    assert isinstance(found, Pair)
    assert found.scaled == pytest.approx(2.0 * X)
    slopes = jax.grad(lambda given: fn(given, X).total)(parameters)
    assert slopes["rate"] == pytest.approx(X @ X)
    assert slopes["pair"][0] == pytest.approx(3.0 * X)
    assert slopes["pair"][1] == pytest.approx(1.0)


def test_complex_numbers() -> None:
    def size(z, w):
        return np.abs(z * w) ** 2 + (z * z).imag

    ours, theirs = in_jax.function(size, jit=False), lambda z, w: jnp.abs(z * w) ** 2 + (z * z).imag
    z, w = 0.3 + 0.8j, 1.0 - 0.5j
    assert jax.grad(ours)(z, w) == pytest.approx(jax.grad(theirs)(z, w))
    _, tangent = jax.jvp(ours, (z, w), (1j, 2.0 + 0j))
    assert tangent == pytest.approx(jax.jvp(theirs, (z, w), (1j, 2.0 + 0j))[1])


@pytest.mark.parametrize("wide", [True, False])
def test_precision_is_that_of_jax(wide: bool) -> None:
    jax.config.update("jax_enable_x64", wide)
    values, count, last = WAVE(X, 2, 0.5)
    assert (values.dtype, count.dtype) == ((float, int) if wide else (np.float32, np.int32))
    assert jax.grad(OURS)(X, 0.5).dtype == last.dtype
    assert jax.grad(OURS)(X.astype(np.float32), 0.5).dtype == np.float32
    by_whole = jax.grad(lambda k: WAVE(X, k, 0.5)[2], allow_int=True)(2)
    assert by_whole.dtype == jax.dtypes.float0


def test_what_it_writes_is_its_own_copy() -> None:
    def written(x, y):
        x[0] += y
        return np.sum(x)

    given = jnp.asarray(X)
    fn = in_jax.function(written, jit=False)
    assert jax.vmap(fn, (None, 0))(given, jnp.ones(2)) == pytest.approx(np.sum(X) + 1.0)
    assert given == pytest.approx(X)
    assert jax.vmap(fn, (None, 0))(given, jnp.ones(0)).shape == (0,)


def test_shapes_that_are_given() -> None:
    def powers(x, n):
        if n < 2:
            raise ValueError("too few")
        return x ** np.arange(n)

    with pytest.raises(ValueError, match="too few") as error:
        in_jax.function(powers, jit=False)(2.0, 3)
    assert "was called with ones" in error.value.__notes__[0]
    three = jax.ShapeDtypeStruct((3,), float)
    fn = in_jax.function(powers, result=three, jit=False)
    assert jax.jacrev(fn)(2.0, 3) == pytest.approx([0.0, 1.0, 4.0])
    with pytest.raises(ValueError, match="too few"):
        fn(2.0, 1)
    with pytest.raises(jax.errors.JaxRuntimeError, match="too few"):
        jax.jit(fn)(2.0, 1)
    with pytest.raises(bs.ArgumentError, match=r"has the shape \(4,\), and \(3,\) was promised"):
        fn(2.0, 4)
    by_shapes = in_jax.function(np.cumsum, result=lambda a: a, jit=False)
    assert by_shapes(X) == pytest.approx(np.cumsum(X))


def test_what_jax_does_not_hand_on() -> None:
    with pytest.raises(bs.ArgumentError, match="is given an object of type str"):
        WAVE("x", 2, 0.5)
    assert "code=wave" in str(jax.make_jaxpr(WAVE)(X, 2, 0.5))
    with pytest.raises(bs.ArgumentError, match="bfloat16, which Numba does not compute with"):
        WAVE(jnp.asarray(X, jnp.bfloat16), 2, 0.5)
    with pytest.raises(bs.ArgumentError, match="returns more than a number, an array, or a tuple of these"):
        in_jax.function(lambda x: (x, (x, x)), jit=False)(X)
    with pytest.raises(bs.ArgumentError, match="and `function` returns str"):
        in_jax.function(lambda x: "x", jit=False)(1.0)


@pytest.mark.turns(3)
def test_compiled() -> None:
    fn = in_jax.function(root)
    assert jax.jit(fn)(4.0) == pytest.approx(2.0)
    assert jax.jit(jax.vmap(jax.grad(fn)))(np.array([4.0, 9.0])) == pytest.approx(np.array([0.25, 1.0 / 6.0]))


def test_compiled_by_numba() -> None:
    fn = in_jax.function(numba.njit(root))
    assert jax.jit(fn)(4.0) == pytest.approx(2.0)
