"""Layers of networks, a filter and a mixture's likelihood."""

from __future__ import annotations

import itertools

import numba
import numpy as np

from benchmarks.arrays.kernel import Kernel, by_size


def conv2d_arrays(images, weights, bias):
    count, height, width, _ = images.shape
    size = weights.shape[0]
    high, wide = height - size + 1, width - size + 1
    out = np.empty((count, high, wide, weights.shape[3]))
    for i in range(high):
        for j in range(wide):
            for n in range(count):
                for c in range(weights.shape[3]):
                    out[n, i, j, c] = np.sum(images[n, i : i + size, j : j + size, :] * weights[:, :, :, c])
    out = out + bias
    return np.sum(out * out)


def conv2d_scratch(images, weights, bias):
    count, height, width, channels = images.shape
    size, outputs = weights.shape[0], weights.shape[3]
    high, wide = height - size + 1, width - size + 1
    out = np.zeros((count, high, wide, outputs))
    for n in range(count):
        for i in range(high):
            for j in range(wide):
                for c in range(outputs):
                    out[n, i, j, c] = bias[c]
                for di in range(size):
                    for dj in range(size):
                        for k in range(channels):
                            for c in range(outputs):
                                out[n, i, j, c] += images[n, i + di, j + dj, k] * weights[di, dj, k, c]
    return np.sum(out * out)


def conv2d_scalars(images, weights, bias):
    count, height, width, channels = images.shape
    size, outputs = weights.shape[0], weights.shape[3]
    total = 0.0
    for n in range(count):
        for i in range(height - size + 1):
            for j in range(width - size + 1):
                for c in range(outputs):
                    out = bias[c]
                    for di in range(size):
                        for dj in range(size):
                            for k in range(channels):
                                out += images[n, i + di, j + dj, k] * weights[di, dj, k, c]
                    total += out**2
    return total


def conv2d_instance(count, side, channels, outputs, size):
    rng = np.random.default_rng(42)
    return (
        rng.random((count, side, side, channels)),
        rng.random((size, size, channels, outputs)),
        rng.random(outputs),
    )


@numba.njit
def relu(x):
    return np.maximum(x, 0.0)


@numba.njit
def row_softmax(x):
    out = np.empty_like(x)
    for i in range(x.shape[0]):
        shifted = np.exp(x[i] - np.max(x[i]))
        out[i] = shifted / np.sum(shifted)
    return out


def mlp_arrays(x, w1, b1, w2, b2, w3, b3):
    first = relu(x @ w1 + b1)
    second = relu(first @ w2 + b2)
    out = row_softmax(second @ w3 + b3)
    return np.sum(out * out)


@numba.njit
def dense(x, w, b, out):
    for i in range(x.shape[0]):
        for j in range(w.shape[1]):
            out[i, j] = b[j]
        for k in range(w.shape[0]):
            for j in range(w.shape[1]):
                out[i, j] += x[i, k] * w[k, j]


@numba.njit
def rectify(x):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            x[i, j] = max(x[i, j], 0.0)


def mlp_scratch(x, w1, b1, w2, b2, w3, b3):
    batch = x.shape[0]
    first = np.empty((batch, w1.shape[1]))
    second = np.empty((batch, w2.shape[1]))
    third = np.empty((batch, w3.shape[1]))
    dense(x, w1, b1, first)
    rectify(first)
    dense(first, w2, b2, second)
    rectify(second)
    dense(second, w3, b3, third)
    total = 0.0
    for i in range(batch):
        top = third[i, 0]
        for j in range(1, third.shape[1]):
            top = max(top, third[i, j])
        weight = 0.0
        square = 0.0
        for j in range(third.shape[1]):
            e = np.exp(third[i, j] - top)
            weight += e
            square += e * e
        total += square / (weight * weight)
    return total


@numba.njit
def unit(x, w, b, j):
    total = b[j]
    for k in range(len(x)):
        total += x[k] * w[k, j]
    return total


def mlp_scalars(x, w1, b1, w2, b2, w3, b3):
    first, second, third = np.empty(len(b1)), np.empty(len(b2)), np.empty(len(b3))
    total = 0.0
    for i in range(len(x)):
        for j in range(len(b1)):
            first[j] = max(unit(x[i], w1, b1, j), 0.0)
        for j in range(len(b2)):
            second[j] = max(unit(first, w2, b2, j), 0.0)
        top = -np.inf
        for j in range(len(b3)):
            third[j] = unit(second, w3, b3, j)
            top = max(top, third[j])
        weight, square = 0.0, 0.0
        for j in range(len(b3)):
            e = np.exp(third[j] - top)
            weight += e
            square += e * e
        total += square / weight**2
    return total


def mlp_instance(batch, inputs, first, second, outputs):
    rng = np.random.default_rng(42)
    widths = (inputs, first, second, outputs)
    layers = [
        part
        for rows, columns in itertools.pairwise(widths)
        for part in (rng.normal(size=(rows, columns)) / np.sqrt(rows), rng.normal(size=columns))
    ]
    return rng.random((batch, inputs)), *layers


def softmax_arrays(x):
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            for k in range(x.shape[2]):
                e = np.exp(x[i, j, k] - np.max(x[i, j, k]))
                out = e / np.sum(e)
                total += np.sum(out * out)
    return total


def softmax_scratch(x):
    batch, heads, rows, columns = x.shape
    out = np.empty((batch, heads, rows, columns))
    for i in range(batch):
        for j in range(heads):
            for k in range(rows):
                top = -np.inf
                for c in range(columns):
                    top = max(top, x[i, j, k, c])
                weight = 0.0
                for c in range(columns):
                    out[i, j, k, c] = np.exp(x[i, j, k, c] - top)
                    weight += out[i, j, k, c]
                for c in range(columns):
                    out[i, j, k, c] /= weight
    return np.sum(out * out)


def softmax_scalars(x):
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            for k in range(x.shape[2]):
                top = x[i, j, k, 0]
                for c in range(1, x.shape[3]):
                    if x[i, j, k, c] > top:  # noqa: PLR1730 - a form of its own: many write the branch
                        top = x[i, j, k, c]
                weight, square = 0.0, 0.0
                for c in range(x.shape[3]):
                    e = np.exp(x[i, j, k, c] - top)
                    weight += e
                    square += e * e
                total += square / weight**2
    return total


def softmax_instance(batch, heads, rows, columns):
    return (np.random.default_rng(42).random((batch, heads, rows, columns)),)


def kalman_arrays(motion, sight, shake, noise, measured):
    width = motion.shape[0]
    state = np.zeros(width)
    spread = np.eye(width)
    total = 0.0
    for t in range(measured.shape[0]):
        state = motion @ state
        spread = motion @ spread @ motion.T + shake
        surprise = measured[t] - sight @ state
        around = sight @ spread @ sight.T + noise
        gain = spread @ sight.T @ np.linalg.inv(around)
        state = state + gain @ surprise
        spread = (np.eye(width) - gain @ sight) @ spread
        total += 0.5 * (surprise @ np.linalg.solve(around, surprise) + np.log(np.linalg.det(around)))
    return total


def kalman_instance(steps):
    rng = np.random.default_rng(42)
    motion = np.eye(4) + 0.1 * np.eye(4, k=2)
    sight = np.eye(2, 4)
    return motion, sight, 0.01 * np.eye(4), 0.1 * np.eye(2), rng.normal(size=(steps, 2))


def mixture_arrays(weights, means, icf, points):
    count, width = points.shape
    terms = np.empty(weights.shape[0])
    total = 0.0
    for i in range(count):
        for k in range(weights.shape[0]):
            logs = icf[k, :width]
            apart = points[i] - means[k]
            turned = np.exp(logs) * apart
            o = width
            for j in range(width - 1):
                turned[j + 1 :] += icf[k, o : o + width - 1 - j] * apart[j]
                o += width - 1 - j
            terms[k] = weights[k] + np.sum(logs) - 0.5 * np.sum(turned * turned)
        top = np.max(terms)
        total += top + np.log(np.sum(np.exp(terms - top)))
    top = np.max(weights)
    return total - count * (top + np.log(np.sum(np.exp(weights - top))))


def mixture_scratch(weights, means, icf, points):
    count, width = points.shape
    parts = weights.shape[0]
    apart = np.empty(width)
    turned = np.empty(width)
    terms = np.empty(parts)
    total = 0.0
    for i in range(count):
        for k in range(parts):
            for a in range(width):
                apart[a] = points[i, a] - means[k, a]
                turned[a] = np.exp(icf[k, a]) * apart[a]
            o = width
            for b in range(width):
                for a in range(b + 1, width):
                    turned[a] += icf[k, o] * apart[b]
                    o += 1
            terms[k] = weights[k]
            for a in range(width):
                terms[k] += icf[k, a] - 0.5 * turned[a] ** 2
        top = terms[0]
        for k in range(1, parts):
            top = max(top, terms[k])
        weight = 0.0
        for k in range(parts):
            weight += np.exp(terms[k] - top)
        total += top + np.log(weight)
    weight = 0.0
    for k in range(parts):
        weight += np.exp(weights[k])
    return total - count * np.log(weight)


@numba.njit
def logaddexp(a, b):
    top = max(a, b)
    return top + np.log1p(np.exp(min(a, b) - top))


@numba.njit
def log_density(mean, icf, point):
    width = len(point)
    total = 0.0
    for a in range(width):
        along = np.exp(icf[a]) * (point[a] - mean[a])
        for b in range(a):
            entry = width + b * width - b * (b + 1) // 2 + a - b - 1
            along += icf[entry] * (point[b] - mean[b])
        total += icf[a] - 0.5 * along * along
    return total


def mixture_scalars(weights, means, icf, points):
    count, parts = len(points), len(weights)
    total = 0.0
    for i in range(count):
        level = weights[0] + log_density(means[0], icf[0], points[i])
        for k in range(1, parts):
            level = logaddexp(level, weights[k] + log_density(means[k], icf[k], points[i]))
        total += level
    level = weights[0]
    for k in range(1, parts):
        level = logaddexp(level, weights[k])
    return total - count * level


def mixture_instance(count, parts, width):
    rng = np.random.default_rng(42)
    return (
        rng.normal(size=parts),
        rng.random((parts, width)),
        0.3 * rng.normal(size=(parts, width * (width + 1) // 2)),
        rng.random((count, width)),
    )


KERNELS = (
    Kernel(
        "conv2d",
        {"arrays": conv2d_arrays, "scratch": conv2d_scratch, "scalars": conv2d_scalars},
        conv2d_instance,
        by_size((2, 5, 2, 3, 2), (8, 32, 3, 16, 2), (8, 64, 3, 8, 5)),
        (0, 1, 2),
    ),
    Kernel(
        "mlp",
        {"arrays": mlp_arrays, "scratch": mlp_scratch, "scalars": mlp_scalars},
        mlp_instance,
        by_size((2, 3, 4, 5, 4), (8, 3, 1000, 800, 800), (8, 3, 3000, 2000, 2000)),
        (0, 1, 2, 3, 4, 5, 6),
    ),
    Kernel(
        "softmax",
        {"arrays": softmax_arrays, "scratch": softmax_scratch, "scalars": softmax_scalars},
        softmax_instance,
        by_size((2, 2, 3, 4), (8, 8, 64, 64), (16, 16, 128, 128)),
        (0,),
    ),
    Kernel(
        "kalman",
        {"arrays": kalman_arrays},
        kalman_instance,
        by_size((3,), (300,), (3000,)),
        (0, 1, 2, 3),
    ),
    Kernel(
        "mixture",
        {"arrays": mixture_arrays, "scratch": mixture_scratch, "scalars": mixture_scalars},
        mixture_instance,
        by_size((4, 3, 3), (300, 10, 5), (1000, 25, 10)),
        (0, 1, 2),
    ),
)
