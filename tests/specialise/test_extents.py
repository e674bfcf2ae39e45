"""Relations between extents: code assumes those of its call and checks them; calls with other extents get other code."""

import os
import pickle
import subprocess
import sys
import textwrap

import numba
import numpy as np
import pytest
import scipy.special

import backsweep as bs
from backsweep.specialise.variants import MOST

RNG = np.random.default_rng(0)


def pull(p, m, eps):
    """The n-body problem in array statements."""
    x = p[:, 0:1]
    y = p[:, 1:2]
    dx = x.T - x
    dy = y.T - y
    w = (dx**2 + dy**2 + eps**2) ** -1.5
    ax = (dx * w) @ m
    ay = (dy * w) @ m
    return np.sum(ax * ax) + np.sum(ay * ay)


def scaled(a, b):
    """Broadcasts in one of several ways."""
    c = a * b
    return np.sum(c * c * a)


def shifted(x, n):
    """Slices to an integer that it gets."""
    d = x[1:n] - x[: n - 1]
    return np.sum(d * d)


def fits(x, y):
    """Raises an error of its own."""
    if x.shape[0] > 3:
        raise ValueError("too long")
    return np.sum(x * y)


def directional(f, args, gradients, positions):
    """The derivative along a random direction, by differences and by the gradients."""
    rng = np.random.default_rng(3)
    moves = [rng.normal(size=np.shape(args[k])) for k in positions]

    def at(step):
        moved = list(args)
        for k, move in zip(positions, moves, strict=True):
            moved[k] = moved[k] + step * move
        return f(*moved)

    h = 1e-5
    found = (at(h) - at(-h)) / (2 * h)
    return found, sum(np.sum(g * move) for g, move in zip(gradients, moves, strict=True))


def check(f, gradient, args, positions):
    """The gradient is that of differences, and has the shapes of the arguments."""
    found = gradient(*args)
    for k, each in zip(positions, found, strict=True):
        assert each.shape == args[k].shape
    expected, exact = directional(f, args, found, positions)
    assert exact == pytest.approx(expected, rel=1e-6, abs=1e-8)


def test_assumed_relations_are_checked_on_entry_and_leave_no_broadcasting():
    rng = np.random.default_rng(1)
    p, m = rng.normal(size=(5, 3)), rng.uniform(0.5, 1.5, (5, 1))
    gradient = bs.value_and_grad(pull, argnums=(0, 1))
    text = gradient.source(p, m, 0.3)
    assert "if p_shape[1] < 2:" in text
    assert "m.shape[1] == 1 and m.shape[0] == p.shape[0]" in text
    assert "broadcasting" not in text
    check(pull, bs.grad(pull, (0, 1)), (p, m, 0.3), (0, 1))


@pytest.mark.compiles_many("each relation has code of its own")
@pytest.mark.parametrize("jit", [True, False])
def test_each_relation_has_code_of_its_own(jit):
    gradient = bs.grad(scaled, (0, 1), jit=jit)
    rng = np.random.default_rng(2)
    shapes = [
        ((4, 3), (4, 3)),
        ((4, 3), (1, 3)),
        ((5, 2), (5, 2)),
        ((4, 1), (1, 3)),
        ((4, 3), (4, 1)),
        ((1, 1), (1, 1)),
        ((1, 3), (4, 1)),
        ((3, 3), (3, 3)),
        ((4, 3), (1, 1)),
        ((4, 3), (4, 3)),
        ((0, 3), (1, 3)),
    ]
    for one, other in shapes:
        args = rng.normal(size=one), rng.normal(size=other)
        check(scaled, gradient, args, (0, 1))


@pytest.mark.compiles_many("how many codes are made is what is tested")
def test_no_more_than_a_few_codes_are_made():
    gradient = bs.grad(scaled, (0, 1))
    for n in range(1, 12):
        for m in (1, n):
            args = np.full((n, 2), 0.5), np.full((m, 1 + n % 2), 2.0)
            check(scaled, gradient, args, (0, 1))
    assert len(gradient._variants) <= MOST


def test_sizes_alone_make_no_new_code():
    gradient = bs.grad(pull, (0, 1))
    for n in (3, 4, 7, 12):
        gradient(RNG.random((n, 3)), RNG.random((n, 1)), 0.1)
    assert len(gradient._variants) == 1
    assert len(gradient._emitted) == 1


def test_an_integer_may_be_an_extent():
    gradient = bs.grad(shifted)
    for n, size in ((4, 4), (3, 5), (1, 4), (2, 2), (5, 9)):
        x = np.linspace(0.1, 2.0, size) ** 2
        expected, exact = directional(lambda x, n=n: shifted(x, n), (x,), (gradient(x, n),), (0,))
        assert exact == pytest.approx(expected, rel=1e-7, abs=1e-9)


def test_an_error_of_the_function_is_its_own():
    gradient = bs.grad(fits)
    assert gradient(np.ones(2), np.ones(2)).tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match="too long"):
        gradient(np.ones(4), np.ones(4))
    with pytest.raises(ValueError, match="broadcast"):
        gradient(np.ones(3), np.ones(2))
    assert gradient(np.ones(1), np.ones(3)).tolist() == [3.0]


@pytest.mark.compiles_many("code for calls from Python and from compiled code is compared")
def test_compiled_code_of_the_user_gets_the_general_program():
    gradient = bs.grad(scaled)

    @numba.njit
    def step(a, b):
        return a - 0.1 * gradient(a, b)

    for one, other in (((2, 3), (2, 3)), ((2, 3), (1, 3)), ((2, 3), (2, 1))):
        a, b = RNG.random(one), RNG.random(other)
        gradient(a, b)
        np.testing.assert_allclose(step(a, b), a - 0.1 * gradient(a, b))


def layer(x, w, b):
    """An array as the result."""
    return np.tanh(x @ w + b)


@pytest.mark.parametrize("shape", [(3,), (1,)])
def test_other_transformations_assume_too(shape):
    rng = np.random.default_rng(5)
    x, w, b = rng.normal(size=(4, 2)), rng.normal(size=(2, 3)), rng.normal(size=shape)
    args, moves = (x, w, b), (rng.normal(size=(4, 2)), rng.normal(size=(2, 3)), rng.normal(size=shape))
    y, y_dot = bs.jvp(layer, args, moves)
    h = 1e-6
    after = layer(*(a + h * d for a, d in zip(args, moves, strict=True)))
    before = layer(*(a - h * d for a, d in zip(args, moves, strict=True)))
    np.testing.assert_allclose(y_dot, (after - before) / (2 * h), atol=1e-8)
    value, pullback = bs.vjp(layer, *args)
    y_bar = rng.normal(size=y.shape)
    bars = pickle.loads(pickle.dumps(pullback))(y_bar)
    np.testing.assert_allclose(value, y)
    assert [bar.shape for bar in bars] == [a.shape for a in args]
    assert np.sum(y_bar * y_dot) == pytest.approx(
        sum(np.sum(g * d) for g, d in zip(bars, moves, strict=True))
    )


def test_derivatives_of_derivatives_assume_the_same():
    rng = np.random.default_rng(6)
    a, b = rng.normal(size=(3, 2)), rng.normal(size=(1, 2))
    v = rng.normal(size=(3, 2))
    slope = bs.grad(scaled, jit=False)
    product = bs.hvp(scaled)((a, b), (v,))
    h = 1e-6
    expected = (slope(a + h * v, b) - slope(a - h * v, b)) / (2 * h)
    found = product[0] if isinstance(product, tuple) else product
    np.testing.assert_allclose(found, expected, atol=1e-7)
    for shape in ((3, 2), (1, 2), (3, 1)):
        b = rng.normal(size=shape)
        twice = bs.grad(lambda a, b: np.sum(slope(a, b) * a), jit=shape == (1, 2))
        whole = twice(a, b)
        step = (np.sum(slope(a + h * v, b) * (a + h * v)) - np.sum(slope(a - h * v, b) * (a - h * v))) / (
            2 * h
        )
        assert np.sum(whole * v) == pytest.approx(step, rel=1e-6)


def test_emitted_text_refuses_other_extents(tmp_path):
    gradient = bs.grad(pull, (0, 1))
    p, m = RNG.random((4, 3)), RNG.random((4, 1))
    expected = gradient(p, m, 0.2)
    gradient.save(str(tmp_path / "kept.py"), p, m, 0.2)
    names: dict = {"__name__": "kept"}
    exec(compile((tmp_path / "kept.py").read_text(), "kept", "exec"), names)
    kept = names["pull_grad"]
    np.testing.assert_allclose(kept(p, m, 0.2)[0], expected[0])
    with pytest.raises(ValueError, match="this code is for"):
        kept(p, RNG.random((3, 1)), 0.2)


@pytest.mark.turns(3)
def test_another_process_finds_the_relations(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        textwrap.dedent(
            """
            import numpy as np, backsweep as bs
            import backsweep.programs.primal as primal

            def f(a, b):
                return np.sum(a * b)

            tries = []
            wanted = primal.relations_of_call
            primal.relations_of_call = lambda *args, **named: tries.append(1) or wanted(*args, **named)
            print(bs.grad(f)(np.ones(3), np.ones(3)), len(tries))
            """
        )
    )
    own = {**os.environ, "BACKSWEEP_CACHE_DIR": str(tmp_path / "cache")}
    runs = [
        subprocess.run(
            [sys.executable, str(program)], capture_output=True, text=True, check=True, env=own
        ).stdout
        for _ in range(2)
    ]
    assert runs == ["[1. 1. 1.] 1\n", "[1. 1. 1.] 0\n"]


def columns(p, q, n):
    """Slices p to 2 and to 3 columns, which are all: the last implies the others."""
    return (
        np.sum(p[:, 0:2] * q)
        + np.sum(p[:, 0:3] * np.ones(3))
        + np.sum(p * np.ones((1, 3)))
        + np.sum(p[:n] * p)
    )


def first_columns(p, q):
    """Slices arrays of one width: each bound implies the other."""
    return np.sum(p[:, 0:2] * q[:, 0:2]) + np.sum(p * q)


def test_a_relation_that_others_imply_is_not_checked():
    p, q = RNG.random((4, 3)), RNG.random((4, 2))
    text = bs.grad(columns).source(p, q, 4)
    assert all(part in text for part in ("p.shape[1] == 3", "q.shape[1] == 2", "n == p.shape[0]"))
    assert ">=" not in text
    text = bs.grad(first_columns).source(p, p)
    assert text.count(">=") == 1
    assert "q.shape[1] == p.shape[1]" in text


def layered(layers, x):
    """A network whose parameters are tuples in a list."""
    for w, b in layers:
        x = np.tanh(x @ w + b)
    return np.sum(x * x)


def of_a_dict(params, x):
    """A network whose parameters are in a dict."""
    return np.mean((np.tanh(x @ params["w"] + params["b"]) @ params["v"]) ** 2)


def test_items_of_tuples_and_dicts_have_extents_too():
    def layers(inner, outer):
        first = (RNG.normal(size=(3, inner)), RNG.normal(size=inner))
        return [first, (RNG.normal(size=(inner, outer)), RNG.normal(size=outer))]

    x = RNG.normal(size=(6, 3))
    gradient = bs.value_and_grad(layered, jit=False)
    text = gradient.source(layers(4, 2), x)
    assert "this code is for layers[1][0].shape[0] == layers[0][0].shape[1]" in text
    for given in (layers(4, 2), layers(5, 3), layers(1, 1), layers(3, 1)):
        value, found = gradient(given, x)
        assert value == pytest.approx(layered(given, x))
        flat = [part for pair in given for part in pair]

        def of_parts(a, b, c, d):
            return layered([(a, b), (c, d)], x)

        found = [part for pair in found for part in pair]
        expected, exact = directional(of_parts, flat, found, range(4))
        assert exact == pytest.approx(expected, rel=1e-6)

    params = {"w": RNG.normal(size=(3, 4)), "b": np.zeros(4), "v": np.ones(4)}
    gradient = bs.grad(of_a_dict, jit=False)
    for written in (text, gradient.source(params, x)):
        assert not any(word in written for word in ("aligned", "stretched", "sum_to", "joint_shape"))
    for b in (np.zeros(4), np.zeros(1)):
        assert gradient({**params, "b": b}, x)["b"].shape == b.shape
    with pytest.raises(ValueError, match="broadcast"):
        gradient({**params, "b": np.zeros(3)}, x)


def test_sums_of_exponentials_keep_the_other_extents():
    def forward(theta, ys):
        alpha = theta[:, 0] - scipy.special.logsumexp(theta, axis=1)
        for t in range(1, ys.size):
            alpha = (
                scipy.special.logsumexp(alpha[:, None] + theta[:, :1], axis=1, keepdims=True)[:, 0]
                + theta[:, ys[t]]
            )
        return scipy.special.logsumexp(alpha)

    theta, ys = RNG.normal(size=(3, 4)), np.array([0, 3, 1, 2])
    gradient = bs.grad(forward, jit=False)
    text = gradient.source(theta, ys)
    assert not any(word in text for word in ("aligned", "stretched", "sum_to", "joint_shape", "list()"))
    expected, exact = directional(forward, (theta, ys), [gradient(theta, ys)], [0])
    assert exact == pytest.approx(expected, rel=1e-6)


def measured(v, a):
    """Arrays with as many entries as a literal, a count or another array say."""
    target = np.array([[1.0, 2.0, 3.0], [0.5, 0.1, 2.0], [1.5, 1.0, 0.2]])
    total = 0.0
    for k in range(2):
        spread = np.diag(np.exp(v)) + np.tril(a) * target
        column = a[..., k] * v + np.arange(3) - np.linspace(0.0, 1.0, 3)
        total += np.sum((spread @ column) ** 2) + np.sum(np.interp(v, target[0], column) * v)
    return total


def test_literals_counts_and_parts_behind_dots_have_extents():
    gradient = bs.grad(measured, (0, 1), jit=False)
    v, a = RNG.uniform(1.1, 1.9, 3), RNG.normal(size=(3, 3))
    text = gradient.source(v, a)
    assert not any(word in text for word in ("aligned", "stretched", "sum_to", "joint_shape", "list()"))
    check(measured, gradient, (v, a), (0, 1))
    check(weighed, lambda v: [bs.grad(weighed, jit=False)(v)], (np.ones(1),), (0,))


def weighed(v):
    """Stretches a vector of one entry."""
    return np.sum(v * np.array([1.0, 2.0]))


def cell(w, u, b, xs):
    """A recurrent cell, whose gates are parts of one vector."""
    h = np.zeros(u.shape[1])
    c = np.zeros(u.shape[1])
    for x in xs:
        z = w @ x + u @ h + b
        n = h.size
        c = np.tanh(z[:n]) * c + np.tanh(z[n : 2 * n]) * np.sin(z[3 * n :])
        h = np.tanh(z[2 * n : 3 * n]) * np.tanh(c)
    return np.sum(h**2)


@pytest.mark.parametrize("n", [2, 20], ids=["small", "large"])
def test_parts_of_equal_lengths_fill_a_vector(n, monkeypatch, tmp_path):
    monkeypatch.setenv(
        "BACKSWEEP_CACHE_DIR", str(tmp_path)
    )  # what is kept of the large one holds of the small one, too
    rng = np.random.default_rng(2)
    args = (rng.normal(size=(4 * n, 3)), rng.normal(size=(4 * n, n)), rng.normal(size=4 * n))
    args = (*(each * 0.3 for each in args), rng.normal(size=(5, 3)))
    gradient = bs.grad(cell, argnums=(0, 1, 2, 3))
    text = gradient.source(*args)
    wanted = "u.shape[1] == 2" if n == 2 else "4 * u.shape[1]"
    assert wanted in text
    assert "aligned" not in text
    check(cell, gradient, args, (0, 1, 2, 3))


def normalised(x, g, b):
    """A normalised layer: the means have no rule with `keepdims`, and are written out."""
    spread = np.sqrt(np.var(x, -1, keepdims=True) + 1e-5)
    return np.sum(((x - np.mean(x, -1, keepdims=True)) / spread * g + b) ** 3)


def areas(p, q):
    """Lengths of cross products."""
    return np.sum(np.linalg.norm(np.cross(p, q), axis=1))


@pytest.mark.parametrize("function", [normalised, areas])
def test_what_library_calls_compute_has_known_shapes(function):
    rng = np.random.default_rng(4)
    args = (rng.normal(size=(4, 3)), rng.normal(size=3), rng.normal(size=3))
    args = args if function is normalised else (args[0], rng.normal(size=(4, 3)))
    gradient = bs.grad(function, argnums=tuple(range(len(args))))
    assert "aligned" not in gradient.source(*args)
    check(function, gradient, args, range(len(args)))
