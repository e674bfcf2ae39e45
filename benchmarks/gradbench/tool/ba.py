"""The eval `ba`: errors of reprojection of a bundle of cameras and points, and their sparse Jacobian.

Two rows of the Jacobian belong to an observation; they have entries for its camera (11), its point (3) and its weight.
"""

from __future__ import annotations

import math

import backsweep as bs
import numpy as np
from timed import Function, floats


@bs.njit(error_model="numpy")
def rotated(r, v):
    """Rodrigues' rotation of `v` by the length of `r` about its direction."""
    square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2]
    if square == 0.0:
        return (
            v[0] + r[1] * v[2] - r[2] * v[1],
            v[1] + r[2] * v[0] - r[0] * v[2],
            v[2] + r[0] * v[1] - r[1] * v[0],
        )
    angle = math.sqrt(square)
    c, s = math.cos(angle), math.sin(angle)
    x, y, z = r[0] / angle, r[1] / angle, r[2] / angle
    along = (x * v[0] + y * v[1] + z * v[2]) * (1.0 - c)
    return (
        v[0] * c + (y * v[2] - z * v[1]) * s + x * along,
        v[1] * c + (z * v[0] - x * v[2]) * s + y * along,
        v[2] * c + (x * v[1] - y * v[0]) * s + z * along,
    )


@bs.njit(error_model="numpy")
def errors_of_one(unknowns, u, v):
    """The two errors of an observation, of the numbers of its camera, of its point and its weight."""
    shift = (
        unknowns[11] - unknowns[3],
        unknowns[12] - unknowns[4],
        unknowns[13] - unknowns[5],
    )
    x, y, z = rotated(unknowns[:3], shift)
    a, b = x / z, y / z
    square = a * a + b * b
    bent = unknowns[6] * (1.0 + unknowns[9] * square + unknowns[10] * square * square)
    weight = unknowns[14]
    return np.array(
        [weight * (a * bent + unknowns[7] - u), weight * (b * bent + unknowns[8] - v)]
    )


@bs.njit(error_model="numpy")
def error_of_weight(weight):
    return 1.0 - weight * weight


@bs.njit(error_model="numpy")
def unknowns_of(cameras, points, weights, seen, i):
    unknowns = np.empty(15)
    unknowns[:11] = cameras[seen[i, 0]]
    unknowns[11:14] = points[seen[i, 1]]
    unknowns[14] = weights[i]
    return unknowns


@bs.njit(error_model="numpy")
def objective(cameras, points, weights, features, seen):
    count = weights.size
    errors = np.empty((count, 2))
    of_weights = np.empty(count)
    for i in range(count):
        unknowns = unknowns_of(cameras, points, weights, seen, i)
        errors[i] = errors_of_one(unknowns, features[i, 0], features[i, 1])
        of_weights[i] = error_of_weight(weights[i])
    return errors, of_weights


block = bs.jacobian(errors_of_one)
slope = bs.grad(error_of_weight)


@bs.njit(error_model="numpy")
def jacobian(cameras, points, weights, features, seen):
    """The sparse rows: where each begins, the column of each entry, and its value."""
    count = weights.size
    points_from = cameras.size
    weights_from = cameras.size + points.size
    starts = np.empty(3 * count + 1, np.int64)
    columns = np.empty(31 * count, np.int64)
    values = np.empty(31 * count)
    for i in range(count):
        unknowns = unknowns_of(cameras, points, weights, seen, i)
        rows = block(unknowns, features[i, 0], features[i, 1])
        for k in range(2):
            first = 30 * i + 15 * k
            starts[2 * i + k] = first
            values[first : first + 15] = rows[k]
            for j in range(11):
                columns[first + j] = 11 * seen[i, 0] + j
            for j in range(3):
                columns[first + 11 + j] = points_from + 3 * seen[i, 1] + j
            columns[first + 14] = weights_from + i
    for i in range(count):
        starts[2 * count + i] = 30 * count + i
        columns[30 * count + i] = weights_from + i
        values[30 * count + i] = slope(weights[i])
    starts[-1] = values.size
    return starts, columns, values


def arguments(given):
    n, m, count = given["n"], given["m"], given["p"]
    turn = np.arange(count)
    return (
        np.tile(floats(given["cam"]), (n, 1)),
        np.tile(floats(given["x"]), (m, 1)),
        np.full(count, float(given["w"])),
        np.tile(floats(given["feat"]), (count, 1)),
        np.column_stack((turn % n, turn % m)),
    )


def first_errors(result):
    errors, of_weights = result
    return {
        "reproj_error": {"elements": errors[0].tolist(), "repeated": len(errors)},
        "w_err": {"element": float(of_weights[0]), "repeated": len(of_weights)},
    }


def first_and_last(result):
    """The eval repeats one observation: it is sent the first thirty items of each list, and the last."""
    return {
        name: [*items[:30].tolist(), items[-1].item()]
        for name, items in zip(("rows", "cols", "vals"), result, strict=True)
    }


FUNCTIONS = {
    "objective": Function(objective, arguments, first_errors),
    "jacobian": Function(jacobian, arguments, first_and_last),
}
