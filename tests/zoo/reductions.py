"""Array statements, reductions and linear algebra."""

import numpy as np

from tests.zoo.case import case, matrix, positive_definite, strided, transposed, vector, window


@case(vector(5))
@case(strided(5))
@case(np.zeros(0))
def method_calls(x):
    return np.exp(x).sum() + (x * x).sum()


@case(matrix(3, 4))
@case(transposed(3, 4))
@case(window(3, 4))
def sums_over_axes(a):
    return np.sum(a.sum(axis=0) ** 2) + np.sum(a.sum(axis=1) * a[:, 0])


@case(vector(5))
def statistics(x):
    return np.mean(x) * np.var(x) + np.std(x) + x.mean()


@case(vector(5))
@case(np.array([0.3, 0.0, 0.9]))
@case(np.array([0.3, 0.0, 0.0]))
def products(x):
    return np.prod(x) + x.prod()


@case(vector(5))
def extremes(x):
    return np.max(x) * np.min(x) + x.max() * x[x.argmin()]


@case(vector(5))
def cumulative(x):
    return np.sum(np.cumsum(x) * x) + np.cumprod(x)[-1]


@case(matrix(3, 4), vector(4, 1), 0.3)
@case(transposed(3, 4), strided(4), 0.3)
def broadcasting(a, row, s):
    b = a * row + s
    c = (b - s * row) / (1.0 + a)
    return np.sum(np.tanh(c) * b)


@case(vector(4), vector(4, 1))
def elementwise_chain(x, y):
    u = np.sqrt(x * x + y * y)
    v = np.arctan2(y, x) + np.log(u) ** 2
    w = np.where(x > y, u * v, v - u)
    return np.sum(w * np.maximum(x, y) + np.minimum(u, v))


@case(vector(4))
def clipped_and_signed(x):
    return np.sum(np.clip(x, 0.3, 0.8) * x + np.abs(x - 0.65) + np.sign(x - 0.5) * x)


@case(matrix(3, 4), vector(4, 1), vector(3, 2))
def layer_loss(w, x, b):
    h = np.tanh(w @ x + b)
    return np.sum((h - 0.3) ** 2)


@case(matrix(3, 4), matrix(4, 2, 1))
def matrix_products(a, b):
    c = np.dot(a, b)
    return np.sum(c * c) + np.trace(a.T @ a) + np.dot(a[0], b[:, 0].copy())


@case(vector(3), vector(4, 1))
def outer_product(x, y):
    return np.sum(np.outer(x, y) ** 2)


@case(positive_definite(3), vector(3))
def solved(a, b):
    return np.sum(np.linalg.solve(a, b) ** 2)


@case(positive_definite(3))
def inverse_and_determinant(a):
    return np.sum(np.linalg.inv(a) ** 2) + np.linalg.det(a)


@case(vector(4))
def norms(x):
    return np.linalg.norm(x) + np.linalg.norm(x * x)


@case(vector(3), vector(3, 1))
def stacked(x, y):
    z = np.concatenate((x, y * x, x[:1]))
    a = np.stack((x, y))
    return np.sum(z * z) * a[0, 1] + np.sum(np.vstack((x, y)) ** 2)


@case(vector(6))
def reshaped(x):
    a = x.reshape(2, 3)
    b = a.T.copy().ravel() * x
    return np.sum(a[0] * a[1]) + np.sum(b * np.ones(6)) + np.sum(a.flatten() * x)


@case(vector(6))
def generated(x):
    grid = np.arange(6) * 0.1
    line = np.linspace(0.0, 1.0, 6)
    return np.sum(x * grid) + np.sum(np.sin(line * x))


@case(np.random.default_rng(5).uniform(0.2, 1.2, (2, 3)))
def log_sum_exp(a):
    s = 0.0
    for i in range(a.shape[0]):
        top = np.max(a[i])
        s += top + np.log(np.sum(np.exp(a[i] - top)))
    return s


@case(vector(4), 0.3)
def scalar_minus_array(x, s):
    y = s - x
    z = s / (1.0 + x)
    return np.sum(y * z) + np.sum(s**x)


@case(matrix(3, 3))
def diagonal(a):
    return np.sum(np.diag(a) ** 2) + np.sum(np.eye(3) * a)


@case(np.random.default_rng(3).uniform(0.2, 1.2, (2, 3, 4)))
def along_each_axis(u):
    total = 0.0
    for axis in range(u.ndim):
        if u.shape[axis] == 3:
            total += np.sum(np.roll(u, -1, axis=axis) * u)
            continue
        total += np.sum(np.max(u, axis=axis) ** 2)
        if axis == 2:
            break
    else:
        total = -total
    return total
