"""Lists of lists whose rows are appended to where they are: buckets, adjacency lists, levels."""

import numpy as np

from tests.zoo.case import case, vector


@case(vector(5))
@case(vector(9))
def in_turn(x):
    buckets = [[] for _ in range(3)]
    for i, v in enumerate(x):
        buckets[i % 3].append(v * i)
    return sum(sum(row) ** 2 for row in buckets) * len(buckets[1])


@case(vector(7))
def by_size(x):
    buckets = [[] for _ in range(4)]
    for v in x:
        buckets[int(v * 3)].append(v)
    total = 0.0
    for row in buckets:
        if row:
            total += max(row) * sum(row) / len(row)
    return total


@case(vector(4))
def neighbours(x):
    near = [[] for _ in range(4)]
    for a, b in ((0, 1), (1, 2), (2, 3), (0, 2)):
        near[a].append(b)
        near[b].append(a)
    total = 0.0
    for i in range(4):
        for j in near[i]:
            total += x[i] * x[j] ** 2
    return total


@case(vector(4))
def edges_with_weights(x):
    edges = [[] for _ in range(4)]
    for k in range(4):
        edges[k].append((k, x[k]))
        edges[(k + 1) % 4].append((k + 1, x[k] * 2))
    total = 0.0
    for i, row in enumerate(edges):
        for j, w in row:
            total += i * j * w * w + len(row)
    edges[2][0] = (1, x[0])
    return total + edges[2][-1][1] * edges[2][0][1]


@case(vector(5))
def emptied_in_each_step(x):
    cells = [[] for _ in range(2)]
    total = 0.0
    for step in range(3):
        for each in cells:
            each.clear()
        for v in x:
            cells[int(v * (step + 1)) % 2].append(v * step)
        for each in cells:
            each.sort()
            if each:
                total += each[0] * each[-1] + each.pop()
        cells[0] = []
        cells[0].append(x[step])
    return total * cells[0][0]


@case(vector(5))
def by_a_name(x):
    rows = []
    for i in range(3):
        rows.append([])
        row = rows[-1]
        for j in range(i + 1):
            row.append(x[j] * i)
        row[0] *= 2
    rows[1] += [x[0], x[1]]
    rows[1] += rows[2]
    rows[0].insert(0, x[4])
    return rows[2][1] + rows[1][-1] * rows[0][0] + max(rows[1]) + np.array(rows[2]).sum()


def _put(rows, k, v):
    rows[k].append(v)
    return len(rows[k])


@case(vector(5))
def in_a_helper(x):
    rows = [[v] for v in x]
    count = 0
    for k in range(12):
        count += _put(rows, k % 3 - 1, x[k % 5] * k)
    rows[1].reverse()
    rows[2].remove(x[2])
    return rows[0][-1] * rows[1][0] * count + rows[4][2] * rows[0].count(0.0)


@case(vector(3))
def levels(x):
    found = [[x[0]]]
    for depth in range(3):
        found.append([])
        for v in found[depth]:
            found[depth + 1].append(v * x[1])
            found[depth + 1].append(v + x[2])
    return sum(found[-1]) * found[2][1]


@case(vector(3))
def longer_under_its_loop(x):
    rows = [[v, v * 2] for v in x]
    total = 0.0
    for i, v in enumerate(rows[0]):
        total += v * i
        if i < 5:
            rows[i % 2].append(v * x[1])
    return total * rows[1][-1]


@case(vector(3))
def one_stays_empty(x):
    rows = [[x[0]], [x[1], x[2]], []]
    for _ in range(2):
        for row in rows:
            for k, v in enumerate(row):
                row[k] = v * x[0]
    return sum(rows[0]) + sum(rows[1]) ** 2 + sum(sum(row) for row in rows)
