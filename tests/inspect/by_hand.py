"""Derivatives written by hand, right and wrong, for the audit."""

import math

import numpy as np
from numba import njit


def bowl(x):
    return np.sum(x * x * x)


def bowl_grad(x):
    return 3.0 * x * x


def valley(x):
    return np.sum((x[1:] - x[:-1] ** 2) ** 2)


def valley_gradient(x):  # the last entry lacks its factor 2
    r = x[1:] - x[:-1] ** 2
    found = np.zeros_like(x)
    found[:-1] -= 4.0 * r * x[:-1]
    found[1:] += 2.0 * r
    found[-1] *= 0.5
    return found


def logs(x, y):
    return np.sum(y * np.log(x))


def grad_logs(x, y):
    return y / x


def f(t):
    return math.sin(t) * t


def fprime(t):
    return math.cos(t) * t + math.sin(t)


def df(t):  # wrong: the second term is missing
    return math.cos(t) * t


@njit
def distance(x, y):
    return np.sqrt(np.sum((x - y) ** 2))


@njit
def distance_grad(x, y):
    d = np.sqrt(np.sum((x - y) ** 2))
    return d, (x - y) / d


@njit
def steep_grad(x):
    return np.sum(np.exp(x)), np.exp(x) + 1.0


def turned(x):
    return np.sin(x) * x[0]


def turned_jac(x):
    found = np.diag(np.cos(x) * x[0])
    found[:, 0] += np.sin(x)
    return found


def bent(x):
    return np.sum(x**3) * x[0]


def bent_hess(x):
    found = np.diag(6.0 * x * x[0])
    found[0] += 3.0 * x * x
    found[:, 0] += 3.0 * x * x
    return found


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def sigmoid_prime(x):
    return sigmoid(x) * (1.0 - sigmoid(x))


def signed(x):
    return np.sum(np.abs(x))


def signed_deriv(x):
    return np.ones_like(x)


def opened(x):
    with np.errstate(all="raise"):  # Backsweep refuses this
        return np.sum(x * x)


def opened_grad(x):
    return 2.0 * x


def upgrade(x):  # no derivative: there is no function `up`
    return x


def names_grad(name):  # takes no numbers
    return name.upper(), name.lower()


def objective(x):
    return np.sum(x**4)


def slopes(x):
    return 4.0 * x**3


def minimised(minimize):
    return minimize(objective, np.ones(2), jac=slopes)


def damped(t, rate):
    return np.exp(-rate * t)


def damped_prime(t, rate):
    return -rate * np.exp(-rate * t)


def damped_slow(t):
    return np.exp(-0.1 * t)


def damped_prime_slow(t):
    return -0.1 * np.exp(-0.1 * t)
