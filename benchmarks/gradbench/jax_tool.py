"""JAX as a tool of the same protocol: the evals as users of JAX write them. `python -m benchmarks.gradbench.jax_tool`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

sys.path.insert(0, str(Path(__file__).parent / "tool"))
from run import serve
from timed import Function

jax.config.update("jax_enable_x64", True)


def compiled(function: Any, arguments: Any, output: Any = float, static: tuple[int, ...] = ()) -> Function:
    ready = jax.jit(function, static_argnums=static)
    return Function(lambda *a: jax.block_until_ready(ready(*a)), arguments, output)


def listed(value: Any) -> Any:
    return np.asarray(value).tolist()


def lists(value: Any) -> Any:
    return {name: listed(part) for name, part in value.items()}


def scalar_and_gradient(function: Any, arguments: Any, static: tuple[int, ...] = ()) -> dict[str, Function]:
    return {
        "primal": compiled(function, arguments, float, static),
        "gradient": compiled(jax.grad(function), arguments, lambda bar: listed(bar.ravel()), static),
    }


def lse(x):
    top = jnp.max(x)
    return top + jnp.log(jnp.sum(jnp.exp(x - top)))


def llsq(x, n):
    t = -1.0 + jnp.arange(n) * 2.0 / (n - 1)
    return 0.5 * jnp.sum((jnp.sign(t) - jnp.vander(t, x.size, increasing=True) @ x) ** 2)


def ode(x, steps):
    h = 2.0 / steps

    def rates(y):
        return jnp.concatenate((x[:1], x[1:] * y[:-1]))

    def step(y, _):
        k1 = rates(y)
        k2 = rates(y + 0.5 * h * k1)
        k3 = rates(y + 0.5 * h * k2)
        k4 = rates(y + h * k3)
        return y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4), None

    return jax.lax.scan(step, jnp.zeros_like(x), length=steps)[0]


def cost(centroids, points):
    squares = (points**2).sum(1)[:, None] - 2.0 * points @ centroids.T + (centroids**2).sum(1)
    return jnp.sum(jnp.min(squares, axis=1))


def direction(centroids, points):
    slope = jax.grad(cost)
    gradient, diagonal = jax.jvp(lambda c: slope(c, points), (centroids,), (jnp.ones_like(centroids),))
    return gradient / diagonal


def gmm(parameters, x, gamma, m):
    k, d = parameters["mu"].shape
    columns, rows = np.triu_indices(d, 1)
    factors = jax.vmap(jnp.diag)(jnp.exp(parameters["q"])).at[:, rows, columns].set(parameters["l"])
    turned = jnp.einsum("kij,nkj->nki", factors, x[:, None] - parameters["mu"])
    alpha, sums = parameters["alpha"], parameters["q"].sum(1)
    terms = alpha + sums - 0.5 * (turned**2).sum(2)
    log_weights = jax.scipy.special.logsumexp(alpha)
    likelihood = jnp.sum(
        jax.scipy.special.logsumexp(terms, axis=1) - log_weights - 0.5 * d * np.log(2.0 * np.pi)
    )
    freedom = d + m + 1
    constant = freedom * d * jnp.log(gamma / np.sqrt(2.0)) - jax.scipy.special.multigammaln(0.5 * freedom, d)
    return likelihood + k * constant + m * jnp.sum(sums) - 0.5 * gamma**2 * jnp.sum(factors**2)


def of_mixture(given):
    parameters = {name: np.array(given[name], float) for name in ("alpha", "mu", "q", "l")}
    return parameters, np.array(given["x"]), given["gamma"], given["m"]


def lstm(main, extra, state, sequence):
    layers, size = main.shape[0] // 2, sequence.shape[1]
    weights = main.reshape(layers, 2, 4, size)

    def step(memory, pair):
        now, then = pair
        x, kept = now * extra[0], []
        for (w, b), (hidden, cell) in zip(weights, memory, strict=True):
            forget, outgate = jax.nn.sigmoid(x * w[0] + b[0]), jax.nn.sigmoid(x * w[2] + b[2])
            ingate = jax.nn.sigmoid(hidden * w[1] + b[1])
            cell = cell * forget + ingate * jnp.tanh(hidden * w[3] + b[3])
            x = outgate * jnp.tanh(cell)
            kept.append(jnp.stack((x, cell)))
        y = x * extra[1] + extra[2]
        return jnp.stack(kept), jnp.sum(then * (y - jnp.log(jnp.sum(jnp.exp(y)) + 2.0)))

    _, sums = jax.lax.scan(step, state.reshape(layers, 2, size), (sequence[:-1], sequence[1:]))
    return -jnp.sum(sums) / (size * (sequence.shape[0] - 1))


def of_network(given):
    return tuple(np.array(given[name]) for name in ("main_params", "extra_params", "state", "sequence"))


def errors_of_one(unknowns, feature):
    r, centre, f, offset, bends, point, weight = jnp.split(unknowns, (3, 6, 7, 9, 11, 14))
    v = point - centre
    angle = jnp.linalg.norm(r)
    axis = r / angle
    turned = (
        v * jnp.cos(angle) + jnp.cross(axis, v) * jnp.sin(angle) + axis * (axis @ v) * (1.0 - jnp.cos(angle))
    )
    seen = turned[:2] / turned[2]
    square = seen @ seen
    return weight * (seen * f * (1.0 + bends[0] * square + bends[1] * square**2) + offset - feature)


def bundle(cameras, points, weights, features, seen):
    unknowns = jnp.concatenate((cameras[seen[:, 0]], points[seen[:, 1]], weights[:, None]), axis=1)
    return jax.vmap(errors_of_one)(unknowns, features), 1.0 - weights**2


def entries(cameras, points, weights, features, seen):
    count, behind = weights.size, cameras.size + points.size
    unknowns = jnp.concatenate((cameras[seen[:, 0]], points[seen[:, 1]], weights[:, None]), axis=1)
    blocks = jax.vmap(jax.jacrev(errors_of_one))(unknowns, features)
    camera = 11 * seen[:, :1] + jnp.arange(11)
    point = cameras.size + 3 * seen[:, 1:] + jnp.arange(3)
    own = behind + jnp.arange(count)
    columns = jnp.repeat(jnp.concatenate((camera, point, own[:, None]), axis=1), 2, axis=0)
    starts = jnp.concatenate((15 * jnp.arange(2 * count), 30 * count + jnp.arange(count + 1)))
    slopes = jax.vmap(jax.grad(lambda w: 1.0 - w**2))(weights)
    return starts, jnp.concatenate((columns.ravel(), own)), jnp.concatenate((blocks.ravel(), slopes))


def frame_of(flexion, abduction):
    (cf, sf), (ca, sa) = ((jnp.cos(angle), jnp.sin(angle)) for angle in (flexion, abduction))
    about_x = jnp.eye(4).at[1:3, 1:3].set(jnp.array([[cf, -sf], [sf, cf]]))
    about_z = jnp.eye(4).at[:2, :2].set(jnp.array([[ca, -sa], [sa, ca]]))
    return about_z @ about_x


def hand(unknowns, us, corners, points, parents, relatives, inverses, vertices, weights):
    own = us.shape[1]
    theta, us = unknowns[own:], us + unknowns[:own]
    absolutes: list[Any] = []
    for i, parent in enumerate(parents):
        frame = relatives[i]
        finger, joint = divmod(i - 1, 4)
        if 0 <= finger < 5 and joint:
            first = 6 + 4 * finger
            bends = (theta[first], theta[first + 1]) if joint == 1 else (theta[first + joint], 0.0)
            frame = frame @ frame_of(*bends)
        absolutes.append(frame if parent < 0 else absolutes[parent] @ frame)
    moved = jnp.einsum("bij,bjk->bik", jnp.stack(absolutes), inverses)
    skin = jnp.einsum("vb,bij,vj->vi", weights, moved, vertices)[:, :3]
    angle = jnp.linalg.norm(theta[:3])
    cross = jnp.cross(jnp.eye(3), theta[:3] / angle)
    rotation = jnp.eye(3) + jnp.sin(angle) * cross + (1.0 - jnp.cos(angle)) * cross @ cross
    at = skin[corners[:, 0]]
    if own:
        shares = jnp.column_stack((us, 1.0 - us.sum(1)))
        at = jnp.einsum("nc,nci->ni", shares, skin[corners])
    return points - at @ rotation.T - theta[3:6]


def of_hand(given):
    model, where = given["data"]["model"], np.array(given["data"]["correspondences"])
    us = np.array(given["us"]).reshape(len(where), -1)
    corners = np.array(model["triangles"])[where] if us.size else where[:, None]
    names = ("base_relatives", "inverse_base_absolutes", "base_positions", "weights")
    parts = (np.array(model[name]) for name in names)
    unknowns = np.concatenate((np.zeros(us.shape[1]), given["theta"]))
    return unknowns, us, corners, np.array(given["data"]["points"]), tuple(model["parents"]), *parts


def least(value, slope, start):
    """The descent that the evals prescribe."""

    def goes_on(state):
        _, _, gradient, _, _, done = state
        return ~done & (jnp.linalg.norm(gradient) > 1e-5)

    def advance(state):
        x, height, gradient, step, good, _ = state
        full = good == 10
        to = x - step * gradient
        near = ~full & (jnp.linalg.norm(to - x) <= 1e-5)
        there = value(to)
        better = ~full & ~near & (there < height)
        step = jnp.where(full, 2.0 * step, jnp.where(better | near, step, 0.5 * step))
        x, height = jnp.where(better, to, x), jnp.where(better, there, height)
        gradient = jnp.where(better, slope(to), gradient)
        return x, height, gradient, step, jnp.where(better, good + 1, 0), near

    return jax.lax.while_loop(goes_on, advance, (start, value(start), slope(start), 1e-5, 0, False))[0]


def saddle(inner):
    def found(start):
        def below(y, x):
            return jnp.sum(y * y) - jnp.sum(x * x)

        def highest(x):
            return least(lambda y: below(y, x), lambda y: inner(below)(y, x), start)

        def most(x):
            return -below(highest(x), x)

        x = least(most, jax.jacfwd(most), start)
        return jnp.concatenate((x, highest(x)))

    return found


def particle(inner):
    def potential(at, w):
        return 1.0 / jnp.hypot(at[0] - 10.0, at[1] - 10.0 + w) + 1.0 / jnp.hypot(at[0] - 10.0, at[1])

    def crossing(w):
        def step(state):
            at, velocity, _ = state
            return at + 0.1 * velocity, velocity - 0.1 * inner(potential)(at, w[0]), velocity

        start = (jnp.array([0.0, 8.0]), jnp.array([0.75, 0.0]), jnp.zeros(2))
        at, _, velocity = jax.lax.while_loop(lambda state: state[0][1] > 0.0, step, start)
        return (at[0] - at[1] / velocity[1] * velocity[0]) ** 2

    return lambda start: least(crossing, jax.jacfwd(crossing), start)[0]


def arrays_of(*names):
    return lambda given: tuple(np.array(given[name]) for name in names)


def of_bundle(given):
    from ba import arguments

    return arguments(given)


def first_errors(result):
    from ba import first_errors

    return first_errors(tuple(map(np.asarray, result)))


def first_and_last(result):
    from ba import first_and_last

    return first_and_last(tuple(map(np.asarray, result)))


def with_steps(given):
    return np.array(given["x"]), given["s"]


def flat(bars):
    return listed(np.concatenate([np.ravel(bar) for bar in bars]))


def of_descent(name, function):
    """JAX differentiates no `while` backwards: the outer gradient goes forward."""
    given = arrays_of(name)
    output = float if name == "w" else listed
    return {
        f"f{letter}": compiled(
            function(inner), lambda g: tuple(np.atleast_1d(part) for part in given(g)), output
        )
        for letter, inner in (("f", jax.jacfwd), ("r", jax.grad))
    }


EVALS = {
    "hello": {
        "square": compiled(lambda x: x * x, lambda x: (x,)),
        "double": compiled(jax.grad(lambda x: x * x), lambda x: (x,)),
    },
    "lse": scalar_and_gradient(lse, arrays_of("x")),
    "llsq": scalar_and_gradient(llsq, lambda given: (np.array(given["x"]), given["n"]), (1,)),
    "ode": {
        "primal": compiled(ode, with_steps, listed, (1,)),
        "gradient": compiled(jax.grad(lambda x, steps: ode(x, steps)[-1]), with_steps, listed, (1,)),
    },
    "kmeans": {
        "cost": compiled(cost, arrays_of("centroids", "points")),
        "dir": compiled(direction, arrays_of("centroids", "points"), listed),
    },
    "gmm": {
        "objective": compiled(gmm, of_mixture),
        "jacobian": compiled(jax.grad(gmm), of_mixture, lists),
    },
    "lstm": {
        "objective": compiled(lstm, of_network),
        "jacobian": compiled(jax.grad(lstm, argnums=(0, 1)), of_network, flat),
    },
    "ba": {
        "objective": compiled(bundle, of_bundle, first_errors),
        "jacobian": compiled(entries, of_bundle, first_and_last),
    },
    "ht": {
        "objective": compiled(hand, of_hand, lambda errors: listed(errors.ravel()), (4,)),
        "jacobian": compiled(
            jax.jacfwd(hand), of_hand, lambda rows: listed(rows.reshape(-1, rows.shape[-1])), (4,)
        ),
    },
    "particle": of_descent("w", particle),
    "saddle": of_descent("start", saddle),
}

if __name__ == "__main__":
    serve(EVALS.__getitem__, "jax")
