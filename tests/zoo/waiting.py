"""Loops in which one dear number is computed from another: those of the forward sweep become several, or must not."""

import math

import numpy as np

from tests.zoo.case import case, matrix, strided, vector


@case(matrix(4, 8), matrix(2, 4), matrix(3, 4))
@case(matrix(4, 0), matrix(2, 0), matrix(3, 0))
def gates_of_two_layers(w, state, sequence):
    memory = state.copy()
    x = np.empty(sequence.shape[1])
    b = x.size
    total = 0.0
    for t in range(sequence.shape[0]):
        for j in range(b):
            x[j] = sequence[t, j]
        for k in range(2):
            row, bias = w[2 * k], w[2 * k + 1]
            for j in range(b):
                keep = 1.0 / (1.0 + math.exp(-x[j] * row[j]))
                new = math.tanh(memory[k, j] * row[b + j] + bias[j])
                memory[k, j] = memory[k, j] * keep + new
                x[j] = keep * math.tanh(memory[k, j])
        for j in range(b):
            total += x[j] * bias[b + j]
    return total


@case(vector(5), vector(5, 1))
@case(strided(5), vector(5, 1))
@case(vector(0), vector(0, 1))
def summed_at_once(x, w):
    total = 0.0
    for i in range(x.size):
        a = math.exp(x[i] * w[i])
        b = math.tanh(x[i] + a)
        total += a * b * math.log(1.0 + b * b)
    return total


@case(vector(6), vector(5, 1))
def each_takes_the_one_before(x, w):
    h = x.copy()
    for i in range(w.size):
        a = math.exp(-h[i] * w[i])
        b = math.sin(h[i] + a)
        h[i + 1] = h[i + 1] * a + b
    return np.sum(h * h)


@case(vector(6), vector(5, 1))
def each_takes_the_one_after(x, w):
    h = x.copy()
    for i in range(w.size):
        a = math.exp(-h[i + 1] * w[i])
        b = math.sin(h[i] + a)
        h[i] = h[i] * a + b
    return np.sum(h * h)


@case(vector(6), vector(6, 1))
def written_before_it_is_read(x, w):
    h = x.copy()
    for i in range(w.size):
        h[i] = h[i] * w[i]
        a = math.exp(-h[i])
        b = math.sin(a * w[i])
        h[i] += a * b
    return np.sum(h * h)


@case(vector(8))
def halves_of_one_array(x):
    h = x.copy()
    top, bottom = h[:4], h[4:]
    for _ in range(2):
        for i in range(4):
            a = math.exp(-top[i])
            b = math.sin(a * bottom[i])
            top[i] += a * b
            bottom[i] *= b
    return np.sum(h * h)


@case(vector(9))
def overlapping_halves(x):
    h = x.copy()
    top, bottom = h[:6], h[3:]
    for _ in range(2):
        for i in range(6):
            a = math.exp(-top[i])
            b = math.sin(a * bottom[i])
            top[i] += a * b
            bottom[i] *= b
    return np.sum(h * h)


@case(vector(11))
def of_two_loops_one_memory(x):
    y = np.empty(x.size)
    z = np.zeros(x.size)
    for i in range(-1, x.size - 1):
        y[i] = math.exp(-x[i])
        z[i] = math.sin(y[i]) * y[i]
    return np.sum(y * z)


@case(vector(5), 0.3)
def dear_numbers_carried(x, s):
    for i in range(x.size):
        a = math.exp(x[i] * s)
        s = math.tanh(a * s + x[i])
    return s * s


@case(vector(12), vector(12, 1))
def every_other_from_the_third(x, w):
    total = 0.0
    for i in range(2, x.size, 2):
        a = math.exp(x[i] * w[i - 1])
        b = math.cos(a + x[i - 2])
        total += a * b * x[i]
    return total


@case(vector(12), vector(12, 1))
def downwards(x, w):
    y = np.zeros(x.size)
    for i in range(x.size - 1, 0, -1):
        a = math.exp(x[i] * w[i - 1])
        b = math.cos(a * w[i])
        y[i] = a * b * x[i]
    return np.sum(y * y)


@case(vector(9), vector(9, 1))
def shared_by_two(x, w):
    total = 0.0
    for i in range(x.size):
        e = math.exp(x[i])
        a = math.log(1.0 + e * w[i])
        b = math.sin(a / (1.0 + e))
        total += a * b * w[i]
    return total


@case(vector(4), np.array([3, 1, 0, 3, 2]))
def gathered_and_scattered(x, where):
    y = x.copy()
    for k in range(where.size):
        a = math.exp(-y[where[k]])
        b = math.sin(a + x[where[k]])
        y[where[k]] += a * b
    return np.sum(y * y)


@case(vector(9).astype(np.float32), vector(9, 1).astype(np.float32))
def of_single_precision(x, w):
    y = np.zeros_like(x)
    for i in range(x.size):
        a = np.exp(x[i] * w[i])
        b = np.sin(a * w[i])
        y[i] = a * b
    return np.sum(y * y)


@case(vector(9), 2.5)
def in_a_while_and_a_branch(x, limit):
    y = x.copy()
    size = np.sum(y)
    while size > limit:
        if size < 100.0:
            for i in range(y.size):
                a = math.exp(-y[i])
                b = math.sin(a * y[i])
                y[i] = y[i] * b * 0.5 + a * 0.01
        size = np.sum(y)
    return np.sum(y * y)


@case(vector(6), vector(6, 1))
def growth_along_a_path(x, rate):
    s = 1.0
    mean = 0.0
    for i in range(x.size):
        s *= math.exp(rate[i] * x[i])
        mean += s
    return mean
