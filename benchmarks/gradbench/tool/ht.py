"""The eval `ht`: how far the skin of a posed hand is from measured points, and the Jacobian of these errors.

A point lies on a vertex, or within a triangle at coordinates `us` of its own. No error meets the coordinates of another point, so that one
tangent serves those of all.
"""

from __future__ import annotations

import math

import backsweep as bs
import numpy as np
from timed import Function, floats, listed


@bs.njit(error_model="numpy")
def bent(flexion, abduction):
    """The frame of a joint: about z by the abduction, after that about x by the flexion."""
    frame = np.eye(4)
    cf, sf = math.cos(flexion), math.sin(flexion)
    ca, sa = math.cos(abduction), math.sin(abduction)
    frame[0, 0], frame[0, 1], frame[0, 2] = ca, -sa * cf, sa * sf
    frame[1, 0], frame[1, 1], frame[1, 2] = sa, ca * cf, -ca * sf
    frame[2, 1], frame[2, 2] = sf, cf
    return frame


@bs.njit(error_model="numpy")
def moves(theta, parents, relatives, inverses):
    """How each bone moves from rest; the second bone of a finger bends both ways, the third and fourth in one."""
    absolutes = np.empty_like(relatives)
    moved = np.empty_like(relatives)
    for i in range(parents.size):
        frame = relatives[i].copy()
        finger, joint = divmod(i - 1, 4)
        if 0 <= finger < 5 and joint > 0:
            first = 6 + 4 * finger
            if joint == 1:
                frame = frame @ bent(theta[first], theta[first + 1])
            else:
                frame = frame @ bent(theta[first + joint], 0.0)
        if parents[i] >= 0:
            frame = absolutes[parents[i]] @ frame
        absolutes[i] = frame
        moved[i] = frame @ inverses[i]
    return moved


@bs.njit(error_model="numpy")
def turned(r):
    """The rotation by the length of `r` about its direction."""
    angle = math.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
    rotation = np.eye(3)
    if angle >= 1e-4:
        x, y, z = r[0] / angle, r[1] / angle, r[2] / angle
        s, c = math.sin(angle), math.cos(angle)
        v = 1.0 - c
        rotation[0, 0], rotation[0, 1], rotation[0, 2] = (
            x * x * v + c,
            x * y * v - z * s,
            x * z * v + y * s,
        )
        rotation[1, 0], rotation[1, 1], rotation[1, 2] = (
            x * y * v + z * s,
            y * y * v + c,
            y * z * v - x * s,
        )
        rotation[2, 0], rotation[2, 1], rotation[2, 2] = (
            x * z * v - y * s,
            y * z * v + x * s,
            z * z * v + c,
        )
    return rotation


@bs.njit(error_model="numpy")
def placed(moved, vertex, weights, place):
    """Write where a vertex is when each bone has moved, as much as it follows each."""
    place[:] = 0.0
    for i in range(weights.size):
        if weights[i] != 0.0:
            for a in range(3):
                for b in range(4):
                    place[a] += weights[i] * moved[i, a, b] * vertex[b]


@bs.njit(error_model="numpy")
def objective(
    theta, us, corners, points, parents, relatives, inverses, vertices, weights, side
):
    moved = moves(theta, parents, relatives, inverses)
    rotation = turned(theta[:3])
    errors = np.empty_like(points)
    at = np.empty(3)
    corner = np.empty(3)
    for i in range(points.shape[0]):
        placed(moved, vertices[corners[i, 0]], weights[corners[i, 0]], at)
        if us.shape[1] == 2:
            at *= us[i, 0]
            placed(moved, vertices[corners[i, 1]], weights[corners[i, 1]], corner)
            at += us[i, 1] * corner
            placed(moved, vertices[corners[i, 2]], weights[corners[i, 2]], corner)
            at += (1.0 - us[i, 0] - us[i, 1]) * corner
        at[0] *= side
        for a in range(3):
            error = points[i, a] - theta[3 + a]
            for b in range(3):
                error -= rotation[a, b] * at[b]
            errors[i, a] = error
    return errors


@bs.njit(error_model="numpy")
def stepped(
    unknowns, us, corners, points, parents, relatives, inverses, vertices, weights, side
):
    """The errors of `theta` that stands behind a step of the coordinates of all points."""
    own = us.shape[1]
    return objective(
        unknowns[own:],
        us + unknowns[:own],
        corners,
        points,
        parents,
        relatives,
        inverses,
        vertices,
        weights,
        side,
    )


columns = bs.jacfwd(stepped, wrt="unknowns")


def jacobian(theta, us, *rest):
    unknowns = np.concatenate((np.zeros(us.shape[1]), theta))
    return columns(unknowns, us, *rest)


def arguments(given):
    model, where = (
        given["data"]["model"],
        np.array(given["data"]["correspondences"], np.int64),
    )
    points = floats(given["data"]["points"])
    us = floats(given["us"]).reshape(len(points), -1)
    return (
        floats(given["theta"]),
        us,
        np.array(model["triangles"], np.int64)[where] if us.size else where[:, None],
        points,
        np.array(model["parents"], np.int64),
        floats(model["base_relatives"]),
        floats(model["inverse_base_absolutes"]),
        floats(model["base_positions"]),
        floats(model["weights"]),
        -1.0 if model["is_mirrored"] else 1.0,
    )


def in_a_row(errors):
    return errors.ravel().tolist()


def rows(result):
    return listed(result.reshape(-1, result.shape[-1]))


FUNCTIONS = {
    "objective": Function(objective, arguments, in_a_row),
    "jacobian": Function(jacobian, arguments, rows),
}
