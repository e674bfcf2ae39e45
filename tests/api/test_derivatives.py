"""Jacobians, Hessians and their products with vectors: against differences, one another, and by shape."""

from __future__ import annotations

import math
import pickle
from dataclasses import dataclass
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

import backsweep as bs
from tests.support import checking

X = np.array([0.3, 0.8, 1.1])
W = np.array([[0.5, -0.2, 0.1], [0.4, 0.9, -0.7]])


def layer(w, x):
    return np.tanh(w @ x)


def stepped(x, n, rate=0.1):
    y = x.copy()
    for _ in range(n):
        for i in range(1, y.size):
            y[i] += rate * y[i - 1] * y[i]
    return y


def powers(x):
    y = np.empty((2, 2))
    for i in range(2):
        for j in range(2):
            y[i, j] = x ** (i + 2 * j + 1)
    return y


def cost(w, x, s):
    y = np.tanh(w @ x) * s
    total = 0.0
    for i in range(y.size):
        total += y[i] * y[i] * (i + 1)
    return total


def differences(f: Any, args: tuple[Any, ...], k: int) -> np.ndarray[Any, Any]:
    """The Jacobian by central differences."""
    x, step = np.asarray(args[k], dtype=float), 1e-6
    columns = []
    for place in np.ndindex(x.shape):
        sides = []
        for sign in (1.0, -1.0):
            moved = x.copy()
            moved[place] += sign * step
            given = moved if np.ndim(args[k]) else float(moved)
            sides.append(np.asarray(f(*args[:k], given, *args[k + 1 :])))
        columns.append((sides[0] - sides[1]) / (2.0 * step))
    y = np.asarray(f(*args))
    return np.moveaxis(
        np.array(columns).reshape(x.shape + y.shape), range(x.ndim), range(y.ndim, y.ndim + x.ndim)
    )


CASES = [
    (layer, (W, X), 0),
    (layer, (W, X), 1),
    (stepped, (X, 3), 0),
    (stepped, (X, 3, 0.2), 2),
    (powers, (1.3,), 0),
    (cost, (W, X, 0.7), 0),
    (cost, (W, X, 0.7), 2),
]


@pytest.mark.parametrize("way", [bs.jacobian, bs.jacfwd, bs.jacrev])
@pytest.mark.parametrize(("function", "args", "position"), CASES)
def test_jacobian(way: Any, function: Any, args: tuple[Any, ...], position: int) -> None:
    check(way, function, args, position, jit=False)


@pytest.mark.compiles
@pytest.mark.parametrize(
    ("way", "number"), [(bs.jacobian, 0), (bs.jacrev, 1), (bs.jacfwd, 2), (bs.jacrev, 4), (bs.jacfwd, 5)]
)
def test_compiled_jacobian(way: Any, number: int) -> None:
    check(way, *CASES[number], jit=True)


def check(way: Any, function: Any, args: tuple[Any, ...], position: int, *, jit: bool) -> None:
    """The Jacobian has the right shape and the numbers of differences; the arguments stay as they are."""
    given = checking.clone(args)
    found = way(function, position, jit=jit)(*given)
    checking.assert_unchanged(args, given)
    expected = differences(function, args, position)
    assert np.shape(found) == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-8)


def test_the_mode_is_chosen_by_shape() -> None:
    by_sizes = bs.jacobian(layer).source(W, X)
    assert "if w.size <= n:" in by_sizes
    assert "a tangent for each entry of w" in by_sizes
    assert "a reverse sweep for each entry of the result" in by_sizes
    assert "reverse sweep" not in bs.jacobian(powers).source(1.3)
    assert "for each entry" not in bs.jacobian(cost).source(W, X, 0.7)
    assert "reverse sweep for each" not in bs.hessian(cost, 1).source(W, X, 0.7)
    for w in (W, W[:, :1].T):  # more entries than the result has, and fewer
        x = X[: w.shape[1]]
        np.testing.assert_allclose(
            bs.jacobian(layer, jit=False)(w, x), differences(layer, (w, x), 0), atol=1e-8
        )


def test_several_arguments_share_one_forward_sweep() -> None:
    both = bs.jacrev(layer, wrt=("w", "x"), jit=False)
    text = both.source(W, X)
    assert text.count("w_at_x = w @ x\n") == 1
    assert text.count("for each entry of the result") == 1
    found = both(W, X)
    np.testing.assert_allclose(found.w, differences(layer, (W, X), 0), rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(found.x, differences(layer, (W, X), 1), rtol=1e-7, atol=1e-8)
    columns = bs.jacfwd(layer, (0, 1), jit=False)(W, X)
    np.testing.assert_allclose(columns[0], found.w, rtol=1e-12)
    np.testing.assert_allclose(columns[1], found.x, rtol=1e-12)


def scaled_layer(w, x, s):
    return np.tanh(w @ x) * s


@pytest.mark.parametrize("w", [W, np.concatenate((W, -0.5 * W))])
def test_numbers_beside_arrays_in_either_mode(w: Any) -> None:
    """Fewer entries in the result than in `x` and `s` together, and more."""
    both = bs.jacobian(scaled_layer, wrt=("x", "s"), jit=False)
    assert "if m + 1 <= n:" in both.source(w, X, 0.7)
    found = both(w, X, 0.7)
    np.testing.assert_allclose(found.x, differences(scaled_layer, (w, X, 0.7), 1), rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(found.s, np.tanh(w @ X), rtol=1e-12)


class Pose(NamedTuple):
    angle: float
    shift: float


def turned(pose, x, y):
    c, s = math.cos(pose.angle), math.sin(pose.angle)
    return Pose(c * x - s * y + pose.shift, s * x + c * y - pose.shift * pose.shift)


def totals(pose, x):
    return pose.angle * np.sum(x), x[0] * x[1] * pose.shift


def halves(x, s):
    return x * x * s, s * np.sum(x)


def test_tuples() -> None:
    pose = Pose(0.3, 0.5)
    c, s = math.cos(0.3), math.sin(0.3)
    found = bs.jacrev(turned, (0, 1), jit=False)(pose, 2.0, 3.0)
    assert isinstance(found, Pose)
    assert isinstance(found.angle[0], Pose)
    np.testing.assert_allclose(found.angle[0], (-2.0 * s - 3.0 * c, 1.0), rtol=1e-12)
    np.testing.assert_allclose(found.shift[0], (2.0 * c - 3.0 * s, -1.0), rtol=1e-12)
    np.testing.assert_allclose((found.angle[1], found.shift[1]), (c, s), rtol=1e-12)
    first, second = bs.jacobian(totals, (0, 1), jit=False)(pose, X)
    np.testing.assert_allclose(first[0], (np.sum(X), 0.0), rtol=1e-12)
    np.testing.assert_allclose(first[1], (0.3, 0.3, 0.3), rtol=1e-12)
    np.testing.assert_allclose(second[0], (0.0, X[0] * X[1]), rtol=1e-12)
    np.testing.assert_allclose(second[1], (0.5 * X[1], 0.5 * X[0], 0.0), rtol=1e-12)
    columns = bs.jacfwd(halves, (0, 1), jit=False)(X, 2.0)
    np.testing.assert_allclose(columns[0][0], np.diag(4.0 * X), rtol=1e-12)
    np.testing.assert_allclose(columns[0][1], X * X, rtol=1e-12)
    np.testing.assert_allclose(columns[1][0], (2.0, 2.0, 2.0), rtol=1e-12)
    np.testing.assert_allclose(columns[1][1], np.sum(X), rtol=1e-12)


@dataclass
class Scales:
    by: float
    each: np.ndarray


def scaled(scales, x):
    return scales.by * scales.each * x


def shrunk(scales):
    return scales.by * 2.0, scales.by * scales.by


def test_dataclasses() -> None:
    found = bs.jacobian(scaled, jit=False)(Scales(2.0, X), X)
    assert isinstance(found, Scales)
    np.testing.assert_allclose(found.by, X * X, rtol=1e-12)
    np.testing.assert_allclose(found.each, np.diag(2.0 * X), rtol=1e-12)
    with pytest.raises(bs.ArgumentError, match="BS412"):
        bs.jacobian(shrunk, jit=False)(Scales(2.0, X))


def swapped(x, n):
    a, b = x.copy(), 2.0 * x
    for _ in range(n):
        for j in range(1, a.size):
            b[j] = a[j - 1] * b[j]
        a, b = b, a
    return a


def collected(x):
    rows = []
    for i in range(x.size):
        rows.append(x * x[i])
    total = np.zeros(x.size)
    for row in rows:
        total += row * row
    return total


def until_small(x):
    y = x.copy()
    while np.sum(y * y) > 0.1:
        y = y * 0.5 * np.sin(y)
    return y


def left_early(x):
    rows = []
    for i in range(x.size):
        if x[i] > 1.0:
            rows.append(x * x[i])
            break
    total = x.copy()
    for row in rows:
        total += row
    return total


def power(x, n):
    return x if n == 0 else power(x, n - 1) * x


def overwritten(x):
    x[0] = x[1] * x[2]
    return x


@pytest.mark.parametrize("way", [bs.jacobian, bs.jacfwd, bs.jacrev])
@pytest.mark.parametrize(
    ("function", "args"),
    [
        (swapped, (X, 3)),
        (collected, (X,)),
        (until_small, (X,)),
        (left_early, (X,)),
        (power, (X, 2)),
        (overwritten, (X,)),
    ],
)
def test_sweeps_that_run_again(way: Any, function: Any, args: tuple[Any, ...]) -> None:
    """Shadows made before the loop, records of references, recursion: each seed finds them as the first did."""
    given = checking.clone(args)
    found = way(function, jit=False)(*given)
    checking.assert_unchanged(args, given)
    expected = differences(lambda *moved: function(*checking.clone(moved)), args, 0)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


def ends_of_swapped(x, n):
    a = swapped(x, n)
    return a[0] * a[-1], a[1]


def test_sweeps_for_several_numbers_run_again() -> None:
    """Shadows made before the loop are cleared for each item."""
    product, second = bs.jacrev(ends_of_swapped, jit=False)(X, 3)
    rows, a = bs.jacrev(swapped, jit=False)(X, 3), swapped(X, 3)
    np.testing.assert_allclose(product, a[0] * rows[-1] + a[-1] * rows[0], rtol=1e-12)
    np.testing.assert_allclose(second, rows[1], rtol=1e-12)


rows_of_turned = bs.jacrev(turned, (0, 1))
columns_of_stepped = bs.jacobian(stepped)
curvature = bs.hessian(cost, 1)


@numba.njit
def newton(w, x, s, n):
    for _ in range(n):
        x = x - 0.01 * (curvature(w, x, s) @ x)
    return x


@numba.njit
def spread(x, pose):
    first, second = rows_of_turned(pose, 2.0, 3.0)
    return columns_of_stepped(x, 2)[1, 0] + first[0].angle * second[1]


@pytest.mark.compiles
def test_within_compiled_code() -> None:
    expected = X
    for _ in range(2):
        expected = expected - 0.01 * (bs.hessian(cost, 1, jit=False)(W, expected, 0.7) @ expected)
    np.testing.assert_allclose(newton(W, X, 0.7, 2), expected, rtol=1e-12)
    pose = Pose(0.3, 0.5)
    first, second = bs.jacrev(turned, (0, 1), jit=False)(pose, 2.0, 3.0)
    whole = bs.jacobian(stepped, jit=False)(X, 2)
    assert spread(X, pose) == pytest.approx(whole[1, 0] + first[0].angle * second[1], rel=1e-12)


jacobian_of_layer = bs.jacrev(layer, 1)


def sensitivity(w, x):
    return np.sum(jacobian_of_layer(w, x) ** 2)


def written_inside(w, x):
    return np.sum(bs.jacobian(layer, 1)(w, x) ** 2)


def test_a_jacobian_written_inside() -> None:
    found = bs.grad(written_inside, 1, jit=False)(W, X)
    np.testing.assert_allclose(found, bs.grad(sensitivity, 1, jit=False)(W, X), rtol=1e-12)


@pytest.mark.compiles
def test_derivatives_of_jacobians() -> None:
    expected = differences(sensitivity, (W, X), 1)
    np.testing.assert_allclose(bs.grad(sensitivity, 1, jit=False)(W, X), expected, rtol=1e-6, atol=1e-8)
    expected = differences(jacobian_of_layer, (W, X), 1)
    for outer in (bs.jacfwd, bs.jacrev):
        for inner in (bs.jacfwd, bs.jacrev, bs.jacobian):
            found = outer(inner(layer, 1), 1, jit=False)(W, X)
            np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


def turned_by_phases(a: np.ndarray) -> Any:
    u, s, _ = np.linalg.svd(a * (1.0 + 0.3j) + 1j * a**2)
    rest = u[:, s.size :]
    return (rest @ np.conj(rest).T)[0, -1].imag * s[0]


def test_a_hessian_through_what_branches_of_loops_store() -> None:
    a, v = np.random.default_rng(0).uniform(0.2, 1.2, (2, 4, 2))
    gradient = bs.grad(turned_by_phases, jit=False)
    expected = (gradient(a + 1e-5 * v) - gradient(a - 1e-5 * v)) / 2e-5
    found = np.tensordot(bs.hessian(turned_by_phases, jit=False)(a), v, 2)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)


def test_pickled() -> None:
    there = pickle.loads(pickle.dumps(bs.jacrev(layer, wrt=("w", "x"), jit=False)))
    np.testing.assert_array_equal(there(W, X).x, bs.jacrev(layer, 1, jit=False)(W, X))


def shouted(x):
    print("once")
    return x * x


def noisy(x):
    return x * np.random.normal()  # noqa: NPY002


def inner(x):
    u = 2.0 * x
    return np.sum(u * u)


def test_effects(capsys: pytest.CaptureFixture[str]) -> None:
    for way in (bs.jacobian, bs.jacrev, bs.jacfwd):
        way(shouted, jit=False)(X)
        assert capsys.readouterr().out == "once\n"
    assert "result_bar" in bs.jacobian(noisy).source(X)
    with pytest.raises(bs.ArgumentError, match="draws random numbers"):
        bs.jacfwd(noisy, jit=False)(X)


def test_variables_by_name() -> None:
    np.testing.assert_array_equal(bs.jacobian(inner, wrt="u", jit=False)(X), 4.0 * X)
    for way in (
        lambda: bs.jacfwd(inner, wrt="u", jit=False)(X),
        lambda: bs.jvp(inner, (X,), (X,), wrt="u"),
        lambda: bs.hvp(inner, wrt=("x", "u")),
        lambda: bs.sparsity(inner, wrt="u"),
        lambda: bs.jacobian(inner, wrt="u", sparse=True),
        lambda: bs.hessian(inner, wrt="u", sparse=True),
    ):
        with pytest.raises(bs.ArgumentError, match="forward mode takes arguments only"):
            way()
    with pytest.raises(bs.ArgumentError, match="a Hessian with respect to an array takes arguments only"):
        bs.hessian(inner, wrt="u", jit=False)(X)


@pytest.mark.parametrize("way", [bs.jacobian, bs.jacrev, bs.jacfwd])
@pytest.mark.parametrize("z", [1j, np.array([1j])])
def test_complex_numbers_are_refused(way: Any, z: Any) -> None:
    with pytest.raises(bs.ArgumentError, match="a Jacobian needs real numbers and arrays"):
        way(lambda z: z * z, jit=False)(z)


@pytest.mark.parametrize("jit", [False, True])
def test_hessian(jit: bool) -> None:
    args = (W, X, 0.7)
    for position in (1,) if jit else range(3):
        gradient = bs.grad(cost, position, jit=False)
        found = bs.hessian(cost, position, jit=jit)(*args)
        assert np.shape(found) == 2 * np.shape(args[position])
        np.testing.assert_allclose(found, differences(gradient, args, position), rtol=1e-6, atol=1e-8)


@numba.njit
def product(x, y):
    return x * y


@bs.rule(product)
def product_rule(x, y):
    z = product(x, y)
    return z, lambda z_bar: (z_bar * y, z_bar * 2.0 * x)


def ruled(x):
    total = 0.0
    for i in range(1, x.size):
        total += product(x[0], x[i])
    return total


@bs.custom_vjp
def shrinking(x, rate):
    return x * rate


shrinking.defvjp(
    lambda x, rate: (x * rate, (x, rate)), lambda saved, bar: (bar * saved[1], np.sum(saved[0] ** 2 * bar))
)


def pulled_back(x):
    return np.sum(shrinking(x, x[0]))


def hooked(x):
    u = bs.hook(x, lambda adjoint: adjoint * x[0])
    return np.sum(u**3)


def plain(x):
    return np.sum(x**3) + x[0] * np.sum(x)


def squared(adjoint):
    return adjoint * adjoint


def hooked_below(x, n):
    if n == 0:
        u = bs.hook(x, squared)
        return u[0] * u[1] * u[2]
    return hooked_below(x * 1.1, n - 1)


def hooked_in_a_function_that_calls_itself(x):
    return hooked_below(x, 2)


CUSTOMISED = (hooked, pulled_back, ruled, hooked_in_a_function_that_calls_itself)
"""Functions whose gradients are in part what their user says, so that their Hessians are not symmetric."""


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize("function", CUSTOMISED)
def test_hessian_of_what_is_customised_is_the_jacobian_of_its_gradient(function: Any, jit: bool) -> None:
    wanted = bs.jacfwd(bs.grad(function, jit=False), jit=False)(X)
    assert not np.allclose(wanted, wanted.T)
    checking.assert_close(bs.hessian(function, jit=jit)(X), wanted)


def test_hessian_is_kept_by_rows_until_a_hook_is_added() -> None:
    curve = bs.hessian(plain, jit=False)
    symmetric = curve(X)
    assert "kept as a row" in curve.source(X)
    handle = curve.add_hook("x", lambda adjoint: adjoint * adjoint)
    slope = bs.grad(plain, jit=False)(X)
    checking.assert_close(curve(X), 2.0 * slope[:, None] * symmetric)
    assert "kept as a row" not in curve.source(X)
    handle.remove()
    checking.assert_close(curve(X), symmetric)


def test_hessian_of_what_is_stopped_is_symmetric() -> None:
    def held(x):
        with bs.no_grad():
            scale = x[0] * x
        return np.sum(scale * x * x) * bs.stop_gradient(x[1])

    wanted = bs.jacfwd(bs.grad(held, jit=False), jit=False)(X)
    assert np.count_nonzero(wanted) == X.size
    checking.assert_close(bs.hessian(held, jit=False)(X), wanted)


def test_hessian_of_several_arguments() -> None:
    found = bs.hessian(cost, (1, 2), jit=False)(W, X, 0.7)
    assert [[np.shape(block) for block in row] for row in found] == [[(3, 3), (3,)], [(3,), ()]]
    np.testing.assert_allclose(found[0][1], found[1][0], rtol=1e-12)
    named = bs.hessian(cost, wrt=("x", "s"), jit=False)(W, X, s=0.7)
    np.testing.assert_array_equal(named[0][0], found[0][0])


@pytest.mark.parametrize("jit", [False, True])
def test_product_with_a_direction(jit: bool) -> None:
    direction = np.array([0.2, -0.5, 1.0])
    whole = bs.hessian(cost, 1, jit=jit)(W, X, 0.7)
    product_with = bs.hvp(cost, 1, jit=jit)
    product = product_with((W, X, 0.7), (direction,))
    assert "def cost_hvp(w, x, s, x_dot):" in product_with.source(W, X, 0.7)
    np.testing.assert_allclose(product, whole @ direction, rtol=1e-12)
    several = bs.hvp(cost, wrt=("x", "s"), jit=jit)((W, X, 0.7), (direction, 0.0))
    np.testing.assert_allclose(several.x, product, rtol=1e-12)


def test_layouts() -> None:
    expected = bs.jacobian(layer, jit=False)(W, X)
    for w in (np.asfortranarray(W), np.repeat(W, 2, axis=1)[:, ::2]):
        for way in (bs.jacobian, bs.jacrev, bs.jacfwd):
            np.testing.assert_allclose(way(layer, jit=False)(w, X[::-1][::-1]), expected, rtol=1e-12)


@pytest.mark.compiles
def test_empty_and_single_precision() -> None:
    for way in (bs.jacobian, bs.jacrev, bs.jacfwd):
        assert way(stepped, jit=False)(np.empty(0), 2).shape == (0, 0)
    found = bs.jacobian(stepped)(X.astype(np.float32), 2)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, differences(stepped, (X, 2), 0), rtol=1e-5)


def test_a_lambda_calls_a_gradient() -> None:
    slope = bs.grad(lambda x: x**3, jit=False)
    assert bs.grad(lambda x: 2.0 * slope(x), jit=False)(3.0) == pytest.approx(36.0)


def product_and_sum(a, b):
    return a * b, a + 2.0 * b


rows_of_two = bs.jacrev(product_and_sum, (0, 1))


@pytest.mark.compiles
def test_single_precision_of_numbers() -> None:
    """Numba's type is that of what the loop over the items begins with, and of what it finds."""

    @numba.njit
    def slope(a, b):
        return rows_of_two(a, b)[0][0]

    assert slope(np.float32(2.0), np.float32(3.0)) == 3.0
    assert slope.nopython_signatures[0].return_type == numba.float32


def chained(x: Any) -> Any:
    total = 0.0
    for i in range(1, x.size):
        total += (x[i] - x[i - 1] ** 2) ** 2
    return total


def test_neither_product_nor_hessian_computes_the_gradient() -> None:
    for found in (bs.hvp(chained), bs.hessian(chained)):
        source = found.source(X)
        assert (
            source.count(" += ") + source.count(" -= ") == 2
        )  # the tangents of the two entries that an iteration reads
        assert "zeros_like(x_bar)" not in source


def overwritten(x: Any, s: Any) -> Any:
    y = x
    for i in range(1, x.size):
        y[i] = y[i] * y[i - 1] * s
    return y


@pytest.mark.compiles_many("rows and columns of each function are compared")
@pytest.mark.parametrize("jit", [False, True])
def test_a_seed_is_as_it_was_for_the_next_entry(jit: bool) -> None:
    for function, args in ((overwritten, (X, 1.3)), (lambda x: x, (X,)), (lambda x: x[::-1] * x, (X,))):
        by_rows = bs.jacrev(function, jit=jit)(*(np.copy(arg) for arg in args))
        by_columns = bs.jacfwd(function, jit=jit)(*(np.copy(arg) for arg in args))
        np.testing.assert_allclose(by_columns, by_rows, rtol=1e-12)


@pytest.mark.compiles
def test_what_a_refused_product_is_to_be_written_as() -> None:
    def energy(x):
        return np.sum(x**4) * x[0]

    slope = bs.grad(energy)
    product = bs.grad(lambda x, direction: np.sum(slope(x) * direction))
    x, direction = np.array([1.0, 2.0]), np.array([3.0, -1.0])
    wanted = bs.hvp(energy, jit=False)((x,), (direction,))
    np.testing.assert_allclose(numba.njit(lambda x: product(x, direction))(x), wanted, rtol=1e-13)
    checking.assert_close(
        bs.grad(lambda x: np.sum(product(x, direction)), jit=False)(x),
        bs.grad(lambda x: np.sum(bs.hessian(energy)(x) @ direction), jit=False)(x),
    )
