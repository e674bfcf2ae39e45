"""Dicts whose keys are computed: in the order in which keys came, with defaults, counted, replaced in each round."""

import collections
from collections import Counter, defaultdict

from tests.zoo.case import case, vector


@case(vector(6))
def by_size(x):
    found = {}
    for v in x:
        k = int(v * 4)
        found[k] = found.get(k, 0.0) + v * v
    total = 0.0
    for k in found:
        total = total * 0.5 + k * found[k]
    return total


@case(vector(5))
def remembered(x):
    table = {0: 1.0, 1: x[0]}
    for n in range(2, 6):
        table[n] = table[n - 1] * x[n - 1] + table[n - 2]
    return table[5]


@case(vector(5))
def chances(x):
    now = {0: 1.0}
    for v in x:
        new = defaultdict(float)
        for s, p in now.items():
            new[s] += p * (1 - v)
            new[s + 1] += p * v
        now = new
    return sum(k * p for k, p in now.items())


@case(vector(4))
def in_turns(x):
    now = {}
    now[0] = x[0]
    for v in x:
        now, old = {}, now
        for s, q in old.items():
            now[s] = q * v
            now[s + 1] = q
    return sum(k * q for k, q in now.items())


@case(vector(4))
def pairs_for_keys(x):
    seen = {}

    def cost(i, j):
        if (i, j) not in seen:
            seen[i, j] = x[i] * x[j]
        return seen[i, j]

    total = 0.0
    for i in range(3):
        for j in range(3):
            total += cost(min(i, j), max(i, j)) * (i + 1)
    return total * len(seen)


@case(vector(6))
def cells_of_a_grid(x):
    grid = collections.defaultdict(list)
    for i, v in enumerate(x):
        grid[int(v * 3), i % 2].append(i)
    total = 0.0
    for (a, b), places in grid.items():
        for i in places:
            for j in places:
                if i < j:
                    total += (x[i] - x[j]) ** 2
        total += (a + b) * x[places[0]]
    return total


@case(vector(5))
def groups_that_are_read_by_their_keys(x):
    found = collections.defaultdict(list)
    for i in range(x.size):
        found[i % 3].append(x[i] ** 2)
    total = found[0][1] * found[7 % 4 - 1][0]
    for k in range(4):
        for v in found[k]:
            total += v * (k + 1)
    return total * len(found) + len(found[9])


@case(vector(5))
def groups(x):
    found = {}
    for v in x:
        found.setdefault(int(v * 3), []).append(v)
    return sum(sum(row) ** 2 for row in found.values())


@case(vector(5))
def taken_away(x):
    items = {}
    for i, v in enumerate(x):
        items[i * 2] = v
    del items[4]
    first = items.pop(0)
    items[0] = first * items.pop(100, x[1])
    for k in items:
        items[k] *= 2
    for k in list(items):
        if k > 4:
            items[k + 1] = x[0] * k
    total = 0.0
    for i, (k, v) in enumerate(items.items()):
        total = total * 0.5 + i * k * v + v
    return total * len(items)


@case(vector(5))
def counted(x):
    count = Counter(int(v * 3) for v in x)
    count[7] += 2
    total = 0.0
    for v in x:
        total += v * v * count[int(v * 3)] + count[100]
    return total * count.total()


@case(vector(5))
def largest_and_updated(x):
    one, other = {}, {}
    for i, v in enumerate(x):
        one[i] = v
        other[i * 2] = v * v
    one.update(other)
    both = {k: v * 2 for k, v in one.items() if k > 0}
    both.update({7: x[1], 1: x[2]})
    more = both.copy()
    more[0] = 3.0
    best = max(more, key=more.get)
    while both and len(both) < 10:
        both[len(both) + 100] = x[best % 5]
    return sum(both.values()) * more[best]


@case(vector(4))
def missing_or_not(x):
    found = {}
    for i, v in enumerate(x):
        found[i * 2] = (v, i)
    total = 0.0
    for i in range(6):
        if i in found:
            a, k = found[i]
            total += a * (k + 1)
    return total


@case(2.0, 5.0)
def changed_by_the_right_side(x, z):
    d = {}
    for i in range(3):
        d[i] = x * (i + 1)
    d[0] = d.pop(2, 3.0) + d.setdefault(7, z)
    d[7] = d.setdefault(9, z * z) * d.pop(1)
    return d[0] * d[7] + d[9]


class Memory:
    """What was computed once."""

    def __init__(self):
        self.known = {}
        self.uses = Counter()

    def power(self, k, x):
        if k not in self.known:
            self.known[k] = x**k
        self.uses[k] += 1
        return self.known[k]


@case(1.2, 3)
@case(1.2, 1)
def tables_as_objects(x, n):
    """As attributes, under two names, chosen by a branch, changed by a loop over them, compared, joined and copied."""
    memory = Memory()
    total = 0.0
    for k in (1, 2, 1, 3, 2):
        total += memory.power(k, x)
    table = {0: x, 1: 2.0} if n > 2 else {5: x * x}
    same = table
    same[7] = total
    for k in table:
        table[k] *= memory.uses[k % 3] + 1
    for k, v in table.items():
        table[k] = v * x
    other = dict(table) | {n: 3.0}
    other |= {0: 1.0}
    both = (memory.uses + Counter([1, n])).most_common(2)
    total += sum(k * v for k, v in both) + len(memory.uses & Counter({2: 1}))
    return total + sum(table.values()) + 2.0 * sum(other.values()) + (1.0 if same == table != other else 5.0)


@case(vector(4))
def chosen_by_keys(x):
    """A display that is asked for computed keys, values in a dict of default values, the best key."""
    weights = {0: x[0], 1: x[1] * x[2], 2: 0.5}
    rows = defaultdict(lambda: [1.0])
    total = 0.0
    for i, v in enumerate(x):
        total = total * weights[i % 3] + v * weights.get(i, 2.0)
        rows[i % 2].append(total)
    best = max(weights, key=weights.get)
    return total + sum(sum(row) for row in rows.values()) + weights[best] * len(rows[9])


@case(1.3, 4)
def right_sides_that_change_keys(x, n):
    """Each key is where it is after the right side has put others in or taken some out; a counter gets a key when it gets its count."""
    ways = defaultdict(float)
    ways[0] = 1.0
    for size in (1, 2):
        for k in range(size, n):
            ways[k] += ways[k - size] * x + ways[-k]
    table = {0: x, 1: 2.0}
    table[0] += table.pop(0) * 2.0
    table[0] *= table.pop(1) + x
    count = Counter([1])
    count[5] -= len(count) + count[7]
    return table[0] * len(table) + sum(k * v for k, v in ways.items()) * count[5]


@case(0.7)
def merged_in_place(x):
    """The first change of a dict is `|=`; its keys are texts, or numbers, and it has another name."""
    named, numbered = {"a": x}, {1: x, 2: x * x}
    other = named
    named |= {"b": x * x}
    numbered |= {3: x**3}
    for key in ("c", "d"):
        named |= {key: x * len(named)}
    return other["b"] * other["d"] * numbered[3] * numbered[1] * len(other)
