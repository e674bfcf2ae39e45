"""Dicts, lists and texts around the function of which the run, or a loop's number, says which item is read."""

import numpy as np

from tests.zoo.case import case, vector

NEIGHBOURS = {0: [1, 2], 1: [0, 3], 2: [0], 3: []}
WEIGHTED = {0: [(1, 0.5), (2, 1.5)], 1: [(0, 1.0)], 2: [(3, 2.0), (1, 1.5)], 3: [(0, 3.0)]}
ROWS = [[1, 2], [0], [3, 1, 0], [2]]
MASSES = {1: 1.008, 6: 12.011, 8: 15.999}
BONDS = {(0, 1): (300.0, 1.5), (1, 2): (200.0, 1.4), (2, 3): (100.0, 1.3)}
EXCLUDED = {(0, 1), (1, 2)}
ATOMS = np.array([6, 1, 8, 6])
BASES = "ACGTTA"
CODES = {"A": 0, "C": 1, "G": 2, "T": 3}
SHAPES = (np.sin, np.cos, np.exp, lambda v: v**3)
TREE = ((("A", 0), ("B", 1), 4), (("C", 2), ("D", 3), 5))
READ = {"A": "ACGT", "B": "ACGA", "C": "AGGT", "D": "TCGT"}


@case(vector(4))
def neighbours_of_nodes(x):
    s = 0.0
    for sweep in range(3):
        for i in range(len(x)):
            s += x[i] * sum(x[j] for j in NEIGHBOURS[i]) * (sweep + 1) + len(NEIGHBOURS[i]) * x[i]
            for j in NEIGHBOURS[i] + [i]:
                s += x[j] ** 2
    return s


@case(vector(4))
def neighbours_with_weights(x):
    s = 0.0
    for i in range(len(x)):
        for j, w in WEIGHTED[i]:
            s += w * x[i] * x[j]
        for j in ROWS[i]:
            s += x[i] * x[j] ** 2
        s += x[ROWS[i][0]] * x[ROWS[-i - 1][-1]]
    return s


@case(vector(4))
def by_whole_numbers(x):
    s = 0.0
    for i, z in enumerate(ATOMS):
        heavy = MASSES[z] if z in MASSES else 3.0
        s += MASSES[z] * x[i] ** 2 + heavy * x[i] + MASSES.get(z, 2.0) * x[i] + MASSES.get(i, 2.0) * x[i]
    return s


@case(vector(4))
def by_pairs(x):
    s = 0.0
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            if (i, j) in BONDS:
                k, r = BONDS[(i, j)]
                s += k * (x[i] - x[j] - r) ** 2
            elif (i, j) not in EXCLUDED:
                s += x[i] * x[j]
            if (i, j) in EXCLUDED:
                continue
            s += BONDS.get((i, j), (1.0, 2.0))[1] * x[i]
    return s


@case(vector(4))
def by_letters(x):
    s = 0.0
    for k in range(5):
        s += x[CODES[BASES[k]]] * x["ACGT".index(BASES[k + 1])]
    for k in range(len(SHAPES)):
        s += SHAPES[k](x[k])
    return s


def _partial(node, lengths, site):
    if len(node) == 2 and isinstance(node[0], str):
        v = np.zeros(4)
        v["ACGT".index(READ[node[0]][site])] = 1.0
        return v
    left, right = node[0], node[1]
    down, up = np.exp(-lengths[left[-1]]), np.exp(-lengths[right[-1]])
    return (_partial(left, lengths, site) * down + 0.1) * (_partial(right, lengths, site) * up + 0.2)


@case(vector(6))
def along_a_tree(lengths):
    total = 0.0
    for site in range(4):
        total += np.log(np.sum(0.25 * _partial(TREE, lengths, site)))
    return total
