"""Twenty-four functions as people write them, with small arguments: what takes time is not the run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.special as sc
from scipy.integrate import quad, solve_ivp
from scipy.interpolate import CubicSpline
from scipy.linalg import solve_triangular
from scipy.optimize import brentq
from scipy.stats import gamma, norm

Made = Callable[[np.random.Generator], tuple[Any, ...]]


@dataclass(frozen=True)
class Program:
    """A function with what makes its arguments; the gradient is that by the first argument."""

    function: Callable[..., Any]
    arguments: Made


PROGRAMS: dict[str, Program] = {}


def program(arguments: Made) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add a function to the programs, with what makes its arguments."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS[function.__name__] = Program(function, arguments)
        return function

    return add


# ------------------------------------------------------------------------------------- linear algebra on small matrices
F = np.array([[1, 1], [0, 1.0]])
H = np.array([[1.0, 0.0]])


@program(lambda draw: (np.zeros(2), np.cumsum(draw.normal(size=(200, 1)), axis=0)))
def kalman(theta, ys):
    """The log-likelihood of a local linear trend."""
    Q = np.exp(theta[0]) * np.eye(2)
    R = np.exp(theta[1]) * np.eye(1)
    x = np.zeros(2)
    P = np.eye(2)
    total = 0.0
    for k in range(ys.shape[0]):
        x = F @ x
        P = F @ P @ F.T + Q
        v = ys[k] - H @ x
        S = H @ P @ H.T + R
        K = P @ H.T @ np.linalg.inv(S)
        total -= 0.5 * (v @ np.linalg.solve(S, v) + np.linalg.slogdet(S)[1])
        x = x + K @ v
        P = P - K @ H @ P
    return total


@program(lambda draw: (draw.normal(size=4), draw.normal(size=(20, 3))))
def attitude(q, points):
    """Points turned by a quaternion, and their squared distances from a plane."""
    w, x, y, z = q / np.sqrt(np.sum(q * q))
    R = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    total = 0.0
    for k in range(points.shape[0]):
        total += (R @ points[k])[2] ** 2
    return total


@program(lambda draw: (draw.normal(size=(8, 3)), draw.normal(size=(8, 3))))
def bodies(x, v):
    """The energy after ten steps of bodies that attract each other."""
    n = x.shape[0]
    for _ in range(10):
        a = np.zeros_like(x)
        for i in range(n):
            for j in range(n):
                d = x[j] - x[i]
                a[i] += d * (np.dot(d, d) + 0.1) ** -1.5
        v = v + 0.01 * a
        x = x + 0.01 * v
    return np.sum(v**2)


# ------------------------------------------------------------------------------------- linear algebra on large matrices
@program(lambda draw: (np.zeros(3), draw.normal(size=(60, 2)), draw.normal(size=60)))
def gaussian_process(theta, X, y):
    """The log-likelihood of a Gaussian process with a squared exponential kernel."""
    d = X[:, None, :] - X[None, :, :]
    K = np.exp(theta[0]) * np.exp(-0.5 * np.sum(d**2, axis=2) / np.exp(2 * theta[1]))
    K = K + (np.exp(theta[2]) + 1e-6) * np.eye(X.shape[0])
    L = np.linalg.cholesky(K)
    a = solve_triangular(L, y, lower=True)
    return -0.5 * np.sum(a**2) - np.sum(np.log(np.diag(L)))


@program(lambda draw: (draw.normal(size=(30, 30)), draw.normal(size=30)))
def least_squares(A, b):
    """The residual of a regularised system."""
    x = np.linalg.solve(A.T @ A + 0.1 * np.eye(A.shape[1]), A.T @ b)
    r = A @ x - b
    return r @ r


@program(lambda draw: (draw.normal(size=(12, 12)),))
def spectrum(A):
    """The entropy of normalised eigenvalues."""
    w = np.linalg.eigvalsh(A @ A.T + np.eye(A.shape[0]))
    p = w / np.sum(w)
    return -np.sum(p * np.log(p))


# ------------------------------------------------------------------------------------------------------- likelihoods
@program(lambda draw: (0.1 * draw.normal(size=(3, 4)), draw.integers(0, 4, 100)))
def hidden_markov(theta, ys):
    """The log-likelihood of a hidden Markov model, in logarithms."""
    n = theta.shape[0]
    emission = theta - sc.logsumexp(theta, axis=1)[:, None]
    move = np.log(np.full((n, n), 0.1) + 0.7 * np.eye(n))
    alpha = emission[:, ys[0]] - np.log(n)
    for t in range(1, ys.shape[0]):
        alpha = sc.logsumexp(alpha[:, None] + move, axis=0) + emission[:, ys[t]]
    return sc.logsumexp(alpha)


@program(lambda draw: (np.zeros(3), draw.normal(size=(80, 3)), draw.exponential(size=80)))
def cox(beta, X, times):
    """The partial log-likelihood of proportional hazards."""
    order = np.argsort(-times)
    eta = X[order] @ beta
    return np.sum(eta - np.log(np.cumsum(np.exp(eta))))


@program(lambda draw: (np.array([0.1, 0.1, 0.8]), draw.normal(size=300)))
def garch(theta, r):
    """The log-likelihood of conditional variances."""
    variance = np.var(r)
    total = 0.0
    for t in range(r.size):
        total -= 0.5 * (np.log(variance) + r[t] ** 2 / variance)
        variance = theta[0] + theta[1] * r[t] ** 2 + theta[2] * variance
    return total


@program(lambda draw: (np.zeros(4), draw.normal(size=(100, 4)), draw.integers(0, 2, 100)))
def logistic(w, X, y):
    """Logistic regression in array statements."""
    z = X @ w
    return np.mean(np.logaddexp(0.0, z) - y * z) + 0.01 * np.sum(w**2)


@program(lambda draw: (np.array([2.0, 0.5, 1.0]), draw.gamma(2.0, 0.5, 100)))
def mixed_distributions(theta, x):
    """A gamma likelihood with a normal prior, by scipy.stats."""
    return np.sum(gamma.logpdf(x, theta[0], scale=theta[1])) + norm.logpdf(theta[2], 0.0, 2.0)


@program(lambda draw: (np.array([1.5, 2.5]), draw.uniform(0.05, 0.95, 50)))
def special_functions(theta, x):
    """A beta likelihood, and a tail of it."""
    a, b = theta
    inner = (a - 1) * np.log(x) + (b - 1) * np.log1p(-x) - sc.betaln(a, b)
    return np.sum(inner) + np.log(sc.betainc(a, b, 0.3)) + sc.gammaln(a) + np.sum(sc.erf(x * a))


# ----------------------------------------------------------------------------------------- solvers and interpolants
@program(lambda _: (np.array([1.0, 0.1, 1.5, 0.075]),))
def predator_prey(theta):
    """A state of the Lotka-Volterra equations, by solve_ivp."""

    def rhs(_t, y):
        return [theta[0] * y[0] - theta[1] * y[0] * y[1], theta[3] * y[0] * y[1] - theta[2] * y[1]]

    return solve_ivp(rhs, (0.0, 5.0), [10.0, 5.0], rtol=1e-6).y[0, -1]


@program(lambda draw: (draw.normal(size=6),))
def spline(values):
    """Values of a spline through computed points."""
    curve = CubicSpline(np.arange(6.0), values)
    return np.sum(curve(np.linspace(0.5, 4.5, 20)) ** 2)


@program(lambda _: (np.array([1.2, 0.4]),))
def implicit(p):
    """A root that depends on parameters, times an integral."""
    root = brentq(lambda x: x**3 + p[0] * x - p[1], -5.0, 5.0)
    return root * quad(lambda t: np.exp(-p[0] * t * t), 0.0, 1.0)[0]


# ----------------------------------------------------------------------------------------------- containers and classes
@dataclass
class Option:
    """What is priced."""

    strike: float
    rate: float
    steps: int


@program(lambda _: (np.array([100.0, 0.2]), Option(105.0, 0.02, 30)))
def binomial_tree(p, option):
    """An American put on a tree, with a list of values."""
    dt = 1.0 / option.steps
    up = np.exp(p[1] * np.sqrt(dt))
    q = (np.exp(option.rate * dt) - 1 / up) / (up - 1 / up)
    values = [max(option.strike - p[0] * up ** (2 * k - option.steps), 0.0) for k in range(option.steps + 1)]
    for n in range(option.steps - 1, -1, -1):
        held = []
        for k in range(n + 1):
            kept = np.exp(-option.rate * dt) * (q * values[k + 1] + (1 - q) * values[k])
            held.append(max(kept, option.strike - p[0] * up ** (2 * k - n)))
        values = held
    return values[0]


@program(lambda draw: (draw.normal(size=5), list(draw.integers(0, 5, 40))))
def counted(weights, events):
    """Sums by computed keys."""
    table = {}
    for k in events:
        table[k] = table.get(k, 0.0) + weights[k] ** 2
    total = 0.0
    for k in table:
        total += np.log1p(table[k])
    return total


@program(
    lambda draw: (
        {"w": draw.normal(size=(3, 5)), "b": np.zeros(5), "v": draw.normal(size=5)},
        draw.normal(size=(20, 3)),
    )
)
def network(params, X):
    """A network with one layer, its parameters in a dict."""
    hidden = np.tanh(X @ params["w"] + params["b"])
    return np.mean((hidden @ params["v"]) ** 2)


# ---------------------------------------------------------------------------------------------------- sorting, series
@program(lambda draw: (draw.normal(size=50),))
def trimmed(x):
    """A mean of the middle, and a quantile."""
    s = np.sort(x)
    return np.mean(s[5:-5]) ** 2 + np.quantile(x, 0.3) * np.median(x)


@program(lambda draw: (draw.normal(size=64),))
def power(x):
    """The power in low frequencies."""
    found = np.fft.rfft(x)
    return np.sum(np.abs(found[:8]) ** 2)


@program(lambda draw: (draw.normal(size=5), draw.normal(size=40)))
def filtered(taps, signal):
    """What a filter leaves of a signal."""
    return np.sum(np.convolve(signal, taps, mode="valid") ** 2)


# ------------------------------------------------------------------------------------------- loops and array statements
@program(lambda draw: (draw.normal(size=(12, 12)),))
def heat(u):
    """Steps of diffusion, in slices."""
    for _ in range(10):
        inner = u[1:-1, 2:] + u[1:-1, :-2] + u[2:, 1:-1] + u[:-2, 1:-1] - 4 * u[1:-1, 1:-1]
        u[1:-1, 1:-1] = u[1:-1, 1:-1] + 0.1 * inner
    return np.sum(u**2)


@program(lambda _: (np.array([0.5, 0.3]),))
def pendulum(p):
    """A state after steps of fourth order, by a helper in a helper."""

    def slope(s):
        return np.array([s[1], -np.sin(s[0]) - p[1] * s[1]])

    s = np.array([p[0], 0.0])
    for _ in range(50):
        k1 = slope(s)
        k2 = slope(s + 0.05 * k1)
        k3 = slope(s + 0.05 * k2)
        k4 = slope(s + 0.1 * k3)
        s = s + 0.1 / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return s[0] ** 2 + s[1] ** 2


@program(lambda draw: (draw.normal(size=40),))
def walk(x):
    """A loop with branches and an early end."""
    level, total = 0.0, 0.0
    for k in range(x.size):
        if x[k] > 0.0:
            level = 0.9 * level + x[k]
        else:
            level = level * np.exp(x[k])
        if level > 50.0:
            break
        total += level**2
    return total
