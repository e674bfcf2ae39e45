"""Small matrices in loops: filters, chains of rotations, stacks of systems; products that are computed without BLAS."""

import numpy as np

from tests.zoo.case import case, matrix, vector

STACK = np.random.default_rng(5).uniform(0.2, 1.2, (4, 3, 3))
REGULAR = STACK + 2.0 * np.eye(3)


@case(matrix(3, 3), matrix(2, 3, 1), matrix(2, 2, 2), matrix(5, 2, 3))
def filtered(motion, sight, noise, measured):
    state = np.zeros(3)
    spread = np.eye(3)
    total = 0.0
    for t in range(measured.shape[0]):
        state = motion @ state
        spread = motion @ spread @ motion.T + 0.1 * np.eye(3)
        surprise = measured[t] - sight @ state
        around = sight @ spread @ sight.T + noise.T @ noise + np.eye(2)
        gain = spread @ sight.T @ np.linalg.inv(around)
        state = state + gain @ surprise
        spread = (np.eye(3) - gain @ sight) @ spread
        total += surprise @ np.linalg.solve(around, surprise) + np.log(np.linalg.det(around))
    return total


@case(STACK, matrix(4, 3))
def turned(turns, points):
    total = 0.0
    for i in range(len(points)):
        there = turns[i] @ points[i]
        total += np.dot(there, points[i]) + np.sum(points[i] @ turns[i])
    return total


@case(vector(4), vector(3))
def arm(angles, tip):
    place = np.eye(3)
    for angle in angles:
        turn = np.array(
            [[np.cos(angle), -np.sin(angle), 0.5], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]]
        )
        place = place @ turn
    at = place @ tip
    return at[0] ** 2 + 2.0 * at[1]


@case(REGULAR, matrix(4, 3))
@case(np.asfortranarray(REGULAR), np.asfortranarray(matrix(4, 3)))
@case(REGULAR[::2], matrix(4, 6)[::2, ::2])
def solved(systems, sides):
    total = 0.0
    for k in range(systems.shape[0]):
        total += np.sum(np.linalg.solve(systems[k], sides[k]) ** 2) + np.linalg.det(systems[k].T)
        total += np.sum(np.linalg.inv(systems[k]) * systems[k].T)
    return total


@case(REGULAR, matrix(3, 2))
def solved_columns(systems, sides):
    columns = sides.copy()
    for k in range(systems.shape[0]):
        columns = np.linalg.solve(systems[k], columns) @ np.array([[0.5, 1.0], [-1.0, 0.25]])
    return np.sum(columns * columns)


@case(matrix(2, 2), matrix(2, 2, 1))
def added_to(a, b):
    """A product is added to what it reads, and stored to a part."""
    c = a.copy()
    both = np.zeros((2, 4))
    for i in range(3):
        c += c @ b
        both[:, 2:] = b @ c
        both[:, :2] += both[:, 2:].T @ c.T
        c[0] = both[i % 2, 1:3]
    return np.sum(both * both) + np.sum(c)


@case(np.array([[1.0, 2.0], [2.0, 4.0]]), 3)
def singular(a, steps):
    """The determinant of a singular matrix has cofactors, no inverse."""
    total = 0.0
    for i in range(steps):
        total += np.linalg.det(a @ a) + (i + 1.0) * np.linalg.det(a)
    return total


@case(np.arange(16.0).reshape(4, 4) % 7.0, 2)
@case(np.array([[3.0]]), 2)
def determinants(a, steps):
    total = 0.0
    for i in range(steps):
        total += np.linalg.det(a) * (1.0 + i) + np.linalg.det(a.T @ a)
    return total


@case(matrix(3, 3).astype(np.float32) + np.eye(3, dtype=np.float32), matrix(5, 3).astype(np.float32))
def single(a, rows):
    total = 0.0
    for i in range(rows.shape[0]):
        total += np.sum(np.linalg.solve(a @ a, rows[i]) ** 2)
    return total


@case(matrix(2, 2), 4)
def powers(a, count):
    """A matrix that a loop carries in two places, one of them transposed."""
    p, q = np.eye(2), a
    total = 0.0
    k = count
    while k > 0:
        if k % 2 == 1:
            p = p @ q.T
        q = q @ q
        total += p[0, 1]
        k //= 2
    return total + np.sum(p)


@case(0.7, -1.3, matrix(3, 4), matrix(4, 2, 1), matrix(2, 4, 2), vector(4))
def scaled(alpha, beta, a, b, c, x):
    """Factors of matrices, vectors and of what a loop carries."""
    d = np.ones((3, 4))
    d[:] = alpha * a @ b @ c + beta * d
    y = (a * beta) @ x + 2 * a @ x
    for _ in range(3):
        d = d + alpha * a @ (beta * b) @ c
        y += beta * d @ x
    z = x @ (alpha * d.T)
    return np.dot(3.0 * y, z) + np.sum(d)


@case(0.7, matrix(3, 3), vector(3))
def scaled_and_changed(alpha, a, x):
    """The matrix, and its multiple, are written after they are multiplied."""
    b = a.copy()
    c = alpha * b
    y = c @ x
    b[0, 0] = y[1]
    d = alpha * b
    b[1] = 2.0
    z = d @ y
    c[2, 1] *= z[0]
    return np.sum(c @ z) + np.sum(b @ y)


@case(matrix(3, 4), vector(4), 0.7)
def of_quotients(a, x, k):
    """A divisor and a sign move from the matrix to the product."""
    y = a / k @ x
    z = -a.T @ y
    return (z / np.float64(2.0)) @ x + (x / k) @ z


MOVES = np.array([[1, 1], [0, 1.0]])
SEEN = np.array([[1.0, 0.0]])
NARROW = np.array([[0.5, 0.25], [1.5, -0.5]], np.float32)
WEIGHTS = np.array([0.5, -1.0, 2.0])
COUNTS = np.array([[1, 2], [3, 4]])


@case(vector(2), matrix(6, 1))
def tracked(theta, measured):
    process = np.exp(theta[0]) * np.eye(2)
    noise = np.exp(theta[1]) * np.eye(1)
    state = np.zeros(2)
    spread = np.eye(2)
    total = 0.0
    for t in range(measured.shape[0]):
        state = MOVES @ state
        spread = MOVES @ spread @ MOVES.T + process
        surprise = measured[t] - SEEN @ state
        around = SEEN @ spread @ SEEN.T + noise
        gain = spread @ SEEN.T @ np.linalg.inv(around)
        total -= surprise @ np.linalg.solve(around, surprise) + np.linalg.slogdet(around)[1]
        state = state + gain @ surprise
        spread = spread - gain @ SEEN @ spread
    return total


@case(STACK, matrix(4, 3))
def with_constant_tables(turns, points):
    total = 0.0
    for i in range(len(points)):
        sign, size = np.linalg.slogdet(turns[i] + 2.0 * np.eye(3))
        total += sign * size + WEIGHTS @ points[i] + np.sum(WEIGHTS @ turns[i]) + np.sum(turns[i] @ WEIGHTS)
        total += np.sum((MOVES @ turns[i][:2]) * (turns[i][:2] @ turns[i] @ turns[i][:, :1]) ** 2)
        total += np.sum((COUNTS @ turns[i][:2]) ** 2) + np.sum(points[i] @ np.outer(WEIGHTS, WEIGHTS))
    return total


@case(matrix(3, 2).astype(np.float32))
def narrow_tables(points):
    place = np.ones(2, np.float32)
    total = 0.0
    for i in range(len(points)):
        place = NARROW @ place + points[i]
        total += place @ points[i] + np.sum(points[i] @ NARROW)
    return total


@case(matrix(4, 5), vector(5))
def longer_sums(table, point):
    total = 0.0
    for i in range(4):
        row = table[i] - point
        total += np.dot(row, row) ** 1.5 + np.dot(row[:4], row[1:]) + np.dot(row[:1], row[4:])
    return total


@case(matrix(4, 3), matrix(4, 3))
def carried_both(x, v):
    for _ in range(3):
        pull = np.zeros_like(x)
        for i in range(x.shape[0]):
            for j in range(x.shape[0]):
                apart = x[j] - x[i]
                pull[i] += apart * (np.dot(apart, apart) + 0.1) ** -1.5
        v = v + 0.1 * pull
        x = x + 0.1 * v
    return np.sum(v**2)


@case(vector(6), vector(6))
@case(vector(6), vector(1))
def shorter_in_each_turn(x, y):
    total = 0.0
    for _ in range(4):
        x = x[1:] * x[:-1]
        total += np.sum(x) * np.sum(y)
        y = y + 0.5 * y[0]
    return total


@case(vector(1), matrix(3, 4))
def stretched_in_the_first_turn(x, rows):
    for i in range(rows.shape[0]):
        x = x * rows[i] + 1.0
    return np.sum(x**2)
