"""The same functions for JAX, as its users write them: loops as scans, no writes in place."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax.scipy.linalg import solve_triangular
from jax.scipy.special import logsumexp

from benchmarks.first.programs import F, H

jax.config.update("jax_enable_x64", val=True)


def kalman(theta, ys):
    """The log-likelihood of a local linear trend."""
    Q, R = jnp.exp(theta[0]) * jnp.eye(2), jnp.exp(theta[1]) * jnp.eye(1)

    def step(state, y):
        x, P = state
        x = F @ x
        P = F @ P @ F.T + Q
        v = y - H @ x
        S = H @ P @ H.T + R
        K = P @ H.T @ jnp.linalg.inv(S)
        part = -0.5 * (v @ jnp.linalg.solve(S, v) + jnp.linalg.slogdet(S)[1])
        return (x + K @ v, P - K @ H @ P), part

    return jnp.sum(jax.lax.scan(step, (jnp.zeros(2), jnp.eye(2)), ys)[1])


def gaussian_process(theta, X, y):
    """The log-likelihood of a Gaussian process with a squared exponential kernel."""
    d = X[:, None, :] - X[None, :, :]
    K = jnp.exp(theta[0]) * jnp.exp(-0.5 * jnp.sum(d**2, axis=2) / jnp.exp(2 * theta[1]))
    K = K + (jnp.exp(theta[2]) + 1e-6) * jnp.eye(X.shape[0])
    L = jnp.linalg.cholesky(K)
    a = solve_triangular(L, y, lower=True)
    return -0.5 * jnp.sum(a**2) - jnp.sum(jnp.log(jnp.diag(L)))


def least_squares(A, b):
    """The residual of a regularised system."""
    x = jnp.linalg.solve(A.T @ A + 0.1 * jnp.eye(A.shape[1]), A.T @ b)
    r = A @ x - b
    return r @ r


def spectrum(A):
    """The entropy of normalised eigenvalues."""
    w = jnp.linalg.eigvalsh(A @ A.T + jnp.eye(A.shape[0]))
    p = w / jnp.sum(w)
    return -jnp.sum(p * jnp.log(p))


def hidden_markov(theta, ys):
    """The log-likelihood of a hidden Markov model, in logarithms."""
    n = theta.shape[0]
    emission = theta - logsumexp(theta, axis=1)[:, None]
    move = jnp.log(jnp.full((n, n), 0.1) + 0.7 * jnp.eye(n))

    def step(alpha, y):
        return logsumexp(alpha[:, None] + move, axis=0) + emission[:, y], None

    return logsumexp(jax.lax.scan(step, emission[:, ys[0]] - jnp.log(n), ys[1:])[0])


def cox(beta, X, times):
    """The partial log-likelihood of proportional hazards."""
    eta = X[jnp.argsort(-times)] @ beta
    return jnp.sum(eta - jnp.log(jnp.cumsum(jnp.exp(eta))))


def garch(theta, r):
    """The log-likelihood of conditional variances."""

    def step(variance, x):
        part = -0.5 * (jnp.log(variance) + x**2 / variance)
        return theta[0] + theta[1] * x**2 + theta[2] * variance, part

    return jnp.sum(jax.lax.scan(step, jnp.var(r), r)[1])


def logistic(w, X, y):
    """Logistic regression in array statements."""
    z = X @ w
    return jnp.mean(jnp.logaddexp(0.0, z) - y * z) + 0.01 * jnp.sum(w**2)


def network(params, X):
    """A network with one layer, its parameters in a dict."""
    hidden = jnp.tanh(X @ params["w"] + params["b"])
    return jnp.mean((hidden @ params["v"]) ** 2)


def trimmed(x):
    """A mean of the middle, and a quantile."""
    return jnp.mean(jnp.sort(x)[5:-5]) ** 2 + jnp.quantile(x, 0.3) * jnp.median(x)


def heat(u):
    """Steps of diffusion, in slices."""

    def step(_, u):
        inner = u[1:-1, 2:] + u[1:-1, :-2] + u[2:, 1:-1] + u[:-2, 1:-1] - 4 * u[1:-1, 1:-1]
        return u.at[1:-1, 1:-1].add(0.1 * inner)

    return jnp.sum(jax.lax.fori_loop(0, 10, step, u) ** 2)
