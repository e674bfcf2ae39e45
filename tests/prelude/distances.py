"""Calls of `scipy.spatial.distance` that the prelude knows, and some that it refuses."""

from __future__ import annotations

import numpy as np
from scipy.spatial import distance

X = np.array([0.74, 1.21, 0.58, 1.93, 1.46, 0.91])
A = np.array([[0.31, 1.22, 0.73], [2.14, 1.55, 0.96], [0.87, 1.38, 0.29]])
U = np.array([True, False, True, True, False, False])
V = np.array([1, 1, 0, 1, 0, 0])
CALLS = {
    "jensenshannon": (lambda x: distance.jensenshannon([x[0], x[1], 0.3], x[3:]), X),
    "jensenshannon, base": (lambda x: distance.jensenshannon(x, x[::-1] ** 2, x[0] + 1.0), X),
    "jensenshannon, axis": (lambda a: distance.jensenshannon(a, a.T**2, axis=1), A),
    "jensenshannon, keepdims": (lambda a: distance.jensenshannon(a, a.T**2, keepdims=True), A),
    "hamming": (lambda x: distance.hamming(U, V, x), X),
    "hamming, without weights": (lambda x: distance.hamming(x, V) + x, X),
    "jaccard": (lambda x: distance.jaccard(U, V, w=x), X),
    "dice": (lambda x: distance.dice(U, V, w=x), X),
    "dice, floats": (lambda x: distance.dice(x, x[::-1] ** 2), X),
    "rogerstanimoto": (lambda x: distance.rogerstanimoto(U, x, x[::-1]), X),
    "russellrao": (lambda x: distance.russellrao(x, U, x), X),
    "sokalsneath": (lambda x: distance.sokalsneath(x, V), X),
    "yule": (lambda x: distance.yule(U, V, x), X),
    "yule, nothing alone": (lambda x: distance.yule(U, U, x) + x, X),
    "is_valid_y": (lambda x: x * distance.is_valid_y(x) + x * distance.is_valid_y(x[1:]), X),
    "is_valid_y, matrix": (lambda a: a * distance.is_valid_y(a) + a, A),
    "is_valid_dm": (
        lambda a: a * distance.is_valid_dm(a + a.T, tol=9.0) + a * distance.is_valid_dm(a) + a,
        A,
    ),
    "num_obs_y": (lambda x: x * distance.num_obs_y(x), X),
    "num_obs_dm": (lambda a: a * distance.num_obs_dm(a), A),
}
REFUSED = {
    "dice": (lambda a: a * distance.dice(a, a), "of two vectors"),
    "is_valid_y": (lambda a: a * distance.is_valid_y(a, throw=True), "warn or raise"),
    "num_obs_y": (lambda a: a * distance.num_obs_y(a), "are no vector"),
    "num_obs_dm": (lambda a: a * distance.num_obs_dm(a[0]), "are no matrix"),
}
