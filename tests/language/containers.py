"""Lists, sets and dicts"""

import heapq
import operator
from collections import deque

import numba
import numpy as np
from numba.typed import Dict

from tests.language.row import refused, runs

X = np.array([0.7, 0.2, 1.1])
NAMES = ["a", "b"]
ROWS = [[2.0, 3.0], [3.0, 4.0]]
TABLE = {"a": 2.0, "b": 3.0}


@runs("`[a, b, c]`, indexed by constants", 0.7, 0.2)
def display(x, y):
    p = [x, y * x, 2.0]
    a, b, c = p
    return p[0] * p[1] * p[2] + a * b * c + len(p)


@runs("`np.array([a, b])`, `np.array([[a, b], [c, d]])`", 0.7, 0.2)
def to_array(x, y):
    a = np.array([x, y * y])
    b = np.array([[x, 1.0], [y, x * y]])
    return a.sum() * b[1, 1] + (b @ a)[0]


@runs("`list.append`", 0.7)
def appended(x):
    p = [x]
    p.append(x * x)
    return p[0]


@runs("`list.pop`, `insert`, `remove`, `del p[k]`, `del p[i:j]`, `p[i:j] = q`, `extend`, `clear`", X)
def shortened(x):
    """The item that goes is the one of this run: it may depend on numbers that are computed."""
    p = [x[0], x[1]]
    while p:
        y = p.pop()
        p.insert(0, y * x[2])
        p[1:2] = [y, y * y]
        p.remove(y)
        del p[-1]
        if p[0] < 0.3:
            y += p.pop(0)
    return y


@runs("`list.reverse`, `sort`, `index`, `count`, `y in p`, `p * n` of lists of numbers", X)
def put_in_order(x):
    p = [x[0], x[1], x[0]]
    p.append(x[2])
    p.sort()
    p.reverse()
    q = p * 2
    return q[p.index(x[1])] * q.count(x[0]) + q[4] * q[5] if x[0] in q else x[0]


@runs("a list that the sides of a branch make", 0.7)
def made_on_either_side(x):
    if x > 0.5:
        p = [x, x * x]
    else:
        p = [1.0]
    p.append(x)
    return p[-1] * p[1]


@runs("a list that a branch or a loop replaces", 0.7)
def replaced_in_a_loop(x):
    """With another list, a new one, a part of it, or one with more items."""
    p = [x, x * x]
    if x > 0.5:
        p = [x]
    for _ in range(3):
        p = [v * x for v in p] + [p[-1]]
    return p[0] * p[-1]


@refused("a list appended to that has another name by a branch or a loop", "BS109", 0.7)
def appended_under_two_names(x):
    p, q = [x], [x * x]
    other = p if x > 0.5 else q
    other.append(x)
    return p[-1] * q[-1]


@runs("`a += [b]`, `a + b`, `a.copy()`, `list(a)` and `a[1:]` of lists", 0.7)
def joined_and_copied(x):
    p = [x, x * x]
    p += [p[0] * x]
    q = p + [1.0]
    q[0] = x * q[1]
    return sum(q[1:]) * q[0] + list(p)[-1] + p.copy()[0]


@runs("lists of numbers as results, also in tuples", X)
def lists_returned(x):
    """`vjp` and `jvp` return and take lists in their place; a Jacobian has a row for each item."""
    return [x[0] * x[1], x[2]]


@runs("lists of arrays, and of tuples of numbers, as results", X)
def lists_of_arrays_returned(x):
    """`vjp` and `jvp` return and take lists in their place."""
    return np.split(x, 3), [(v, v * v) for v in x]


@runs("`p == q`, `p < q` of lists of numbers", 0.7)
def compared_with_each_other(x):
    p, q = [x, x * x], [x]
    q.append(p[1])
    return p[0] * q[1] if p == q else x


@runs("`del p[::k]`, `p[i:j:k] = q` of a list", 0.7)
def every_other_item(x):
    p = [x * k for k in range(7)]
    del p[::3]
    p[::2] = [x * x, 1.0]
    return p[0] * p[1]


@runs("a list as a condition", 0.7)
def while_there_are_items(x):
    p = [x, x * x]
    total = 0.0
    while p:
        total += p[0] ** 2
        p = p[1:]
    return total


@runs("lists of arrays", X)
def arrays_appended(x):
    """You can append, index, loop, and write into the arrays: a[i][j] = v, a[i] *= v."""
    rows = []
    for i in range(3):
        rows.append(x * x[i])
    rows[1] *= x
    rows[2][0] = x[1]
    total = 0.0
    for row in rows:
        total += row[0] * row[1]
    return total


@runs("`rows[i] = array` in a list of arrays", X)
def array_replaced(x):
    rows = []
    for i in range(3):
        rows.append(x * x[i])
    rows[0], rows[1] = rows[2], rows[0]
    return rows[0][0] * rows[1][0]


@runs("`rows.pop()`, `insert`, `del rows[i]`, `rows[i:j]` of a list of arrays", X)
def array_popped(x):
    rows = []
    for i in range(3):
        rows.append(x * x[i])
    rows.insert(0, rows.pop())
    return rows[1:][0][0] * rows[0][1]


@runs("lists of lists of numbers", X)
def lists_in_a_list(x):
    """Their lengths may differ."""
    rows = [[0.0] * (k + 3) for k in range(3)]
    rows[1][2] = x[0]
    rows[0] = [x[1]]
    return rows[1][2] * rows[0][-1]


@runs("`rows[i].append(v)`, `rows[i] += [v]`, `rows[i].pop()` in a list of lists", X)
def inner_list_grows(x):
    """Buckets, adjacency lists; the rows may hold tuples."""
    rows = [[x[k]] for k in range(3)]
    for k in range(6):
        rows[k % 3].append(x[k % 2] * k)
    rows[1] += [x[2]]
    return rows[1][1] * rows[1].pop() * len(rows[0])


@refused("a row that grows while another list holds it", "BS109", X)
def inner_list_in_two(x):
    rows = [[x[k]] for k in range(3)]
    others = []
    for k in range(3):
        others.append(rows[k])
    rows[0].append(x[1])
    return others[0][0]


@runs("lists of tuples", X)
def tuples_appended(x):
    """You can append, pop, index, loop and replace entries; each item of the tuples has a list of its own."""
    pairs = []
    for i in range(3):
        pairs.append((x[i], i * x[i]))
    a, b = pairs.pop()
    return pairs[0][0] * pairs[1][1] * a + b


@refused("a list that a loop runs over, changed under another name", "BS109", X)
def changed_while_iterated(x):
    p = [x[0], x[1]]
    q = p
    for y in p:
        q.append(y)
    return p[0]


@runs("list comprehensions", X)
def comprehension(x):
    p = [value * value for value in x]
    return p[0] * p[1]


@runs("`np.array([... for ...])`", X)
def array_comprehension(x):
    return np.array([value * value for value in x]).sum()


@runs("lists of numbers as arguments, also `numba.typed.List`", [0.7, 0.2] * 40, 0.3)
def long_list(p, x):
    return p[0] * p[1] * x + sum(p)


@runs("lists of lists and of arrays as arguments, of 64 items at most", [0.7, 0.2], 0.3)
def list_argument(p, x):
    return p[0] * p[1] * x


@runs("generator expressions in `sum`, `min`, `max`, `any`, `all`, `sorted`, `list`, `tuple`", X)
def generator_expression(x):
    return sum(value * value for value in x) * max(value for value in x)


@runs("generator expressions under a name, while what they read does not change", X)
def generator_under_a_name(x):
    squares = (value * value for value in x)
    return sum(squares)


@refused("a generator expression as a value, and one that reads what changes before it is asked", "BS102", X)
def generator_as_value(x):
    scale = 2.0
    scaled = (scale * value for value in x)
    scale = 3.0
    return sum(scaled)


@runs("`:=` in a comprehension", X)
def walrus_in_comprehension(x):
    """The variable is the function's, and may be read after it."""
    squares = [y * y for value in x if (y := value - 0.5) > 0.0]
    return sum(squares) * y


@runs(
    "sets that are asked what they hold: `seen = set()`, `seen.add(k)`, `k in seen`, `len(seen)`, `k in {1, 3}`",
    X,
)
def a_set_of_what_was_seen(x):
    """They become lists without equal items."""
    seen, s = set(), 0.0
    for i in range(6):
        k = (i * i) % 3
        if k not in seen or i in {3, 4}:
            seen.add(k)
            s += x[k] * x[k]
    return s * len(seen)


@runs(
    "`set(items)`, set comprehensions, `update`, `|=`, `sorted(cells)`, `min(cells)`, `sum(cells)`, a set as a condition",
    X,
)
def a_set_in_order(x):
    """Inner functions may read and change it."""
    cells = {int(3 * v) % 3 for v in x}
    cells |= set(range(2))
    total = 0.0
    for k in sorted(cells):
        total = total * x[k] + x[k]
    return total * max(cells)


@runs("sets together: `a | b`, `a & b`, `a - b`, `a ^ b`, `a <= b`, `a == b`, their methods, `frozenset`", X)
def sets_together(x):
    """Sets are objects that hold lists: they may have several names, be handed on, and be kept in lists and objects."""
    cells, more = {int(3 * v) % 3 for v in x}, set(range(2))
    both = cells & more
    other = both
    other.update([7], (k * k for k in range(2)))
    total = x[0] * len(both) + x[1] * sum(cells ^ more) + sum(cells - frozenset([1]))
    return total * x[2] if cells <= cells | more and not both.isdisjoint({7}) else total


@refused("what depends on the order of a set: loops over it, `pop`, `list(items)`", "BS114", 0.7)
def a_set(x):
    total = 0.0
    for k in {1, 2}:
        total = total * x + k
    return total


@runs("`collections.deque`: `append`, `popleft`, `appendleft`, `extend`, `rotate`, `maxlen`", X)
def a_deque(x):
    """It is an object that holds a list: it may have several names, be handed on, and be kept in lists and objects."""
    window = deque([x[0]], maxlen=2)
    total = 0.0
    for v in x:
        window.append(v * v)
        total += sum(window) * window[0]
    return total * window.popleft()


@refused("a deque that a loop over it changes", "BS109", X)
def a_deque_that_grows_in_a_loop(x):
    waiting = deque(x)
    for v in waiting:
        waiting.append(v)
    return waiting[0]


@runs("`heapq.heappush`, `heappop`, `heapify`, `heapreplace`, `heappushpop`", X)
def a_heap(x):
    heap = [2.0 * x[0], x[1]]
    heapq.heapify(heap)
    heapq.heappush(heap, x[2] * x[0])
    return heapq.heappop(heap) * heapq.heappop(heap) + heap[0]


@runs("`range(...).start`, `slice(1, 3).stop`, `k in range(...)`", X)
def parts_of_ranges(x):
    numbers = range(0, x.size, 2)
    return x[numbers.start] * x[slice(0, 2).stop] * (2.0 if 2 in numbers else 1.0)


@runs("`{...: ...}`, dicts with keys that are known while compiling, and unions of them", 0.7)
def a_dict(x):
    table = {"a": x}
    more = {**table, "b": 2.0 * x}
    return x * table["a"] + sum((more | table | {"b": x}).values())


@runs(
    "changing a dict with literal keys: `d['a'] += x`, `update`, `pop`, `setdefault`, `popitem`, `clear`, `del d['a']`",
    0.7,
)
def a_changed_dict(x):
    """Statements of the block that makes it add and take away keys; others replace values. It has one name."""
    table = dict(a=x, total=0.0)  # noqa: C408
    for k in range(3):
        table["total"] += table["a"] ** k
    table.update(b=x * x)
    first = table.pop("a")
    return first * table["total"] + table["b"] * len(table)


@runs("dicts with whole numbers, or tuples of them, for keys that the run computes", X)
def a_dict_of_numbers(x):
    """They are objects that hold lists of keys and values, in which keys are searched, with all methods and operators of dicts,
    `defaultdict` and `Counter`: they may have several names, be handed on, and be kept in objects."""
    table = {}
    for k in range(6):
        table[k % 3, k % 2] = table.get((k % 3, k % 2), 0.0) + x[k % 2] ** k
    return sum(k * v for (k, _), v in table.items())


@runs("dicts with computed keys, deques and sets that are handed to functions", X)
def a_dict_handed_on(x):
    """The functions must not call themselves."""
    table = {}
    waiting = deque(x)
    for k in range(x.size):
        _fill(table, k % 2, x[k])
    return _emptied(waiting) * table[0] + table[1]


def _fill(table, k, x):
    table[k] = table.get(k, 0.0) + x * x


def _emptied(waiting):
    total = 0.0
    while waiting:
        total += waiting.popleft() * len(waiting)
    return total


@runs("dict comprehensions over literals", 0.7)
def dict_comprehension(x):
    table = {k: x**k for k in range(3)}
    return table[1] * table[2]


@runs("other dict comprehensions", X)
def dict_comprehension_over_values(x):
    squares = {k: v * v for k, v in enumerate(x)}
    return squares[0] * squares[1] + sum({k % 2: v for k, v in enumerate(x)}.values())


@runs("dicts with strings for keys, filled in loops over known names, under several names, in lists", 0.7)
def dict_of_strings(x):
    """They are objects with an attribute for each key."""
    layers = [{} for _ in range(2)]
    for layer in layers:
        for name in ("w", "b"):
            layer[name] = x * (1.0 + len(layer))
    return layers[0]["w"] * layers[1]["b"]


@runs(
    "a dict with strings for keys, of which the run says which is meant: `d[k]`, `d[k] += x`, `max(d, key=d.get)`, `sorted(d, key=d.get)`",
    0.7,
)
def dict_with_chosen_strings(x):
    """The keys are compared one after the other. Assigning a key that the dict does not have is a KeyError."""
    d = {"a": x, "b": 2.0 * x}
    d["a" if x > 1.0 else "b"] += x * x
    return d[max(d, key=d.get)]


@refused("a dict with strings for keys that only some paths put in", "BS110", 0.7)
def key_on_some_paths(x):
    table = {"a": x}
    if x > 0.0:
        table["b"] = x * x
    return table["a"]


@refused("changing a global list or dict", "BS111", 0.7)
def global_changed(x):
    NAMES.append("c")
    return x * x


@runs("a global dict read with constant keys", 0.7)
def global_dict(x):
    return x * TABLE["a"] + x * x * TABLE[NAMES[1]] * TABLE.get("c", 1.0)


@runs("a global list of numbers, or of rows of one length, read where the run chooses", 0.7, 1)
def global_table(x, k):
    """Nothing can be stored in it."""
    return x ** ROWS[k][0] + ROWS[k][1] * x


@runs("dicts as arguments, with strings for keys", {"a": 0.7}, 0.3)
def dict_argument(parameters, x):
    return parameters["a"] * x


@refused("`numba.typed.Dict`", "BS409", Dict.empty(numba.int64, numba.float64))
def typed_dict(parameters):
    return 2.0


@runs("`sorted` of numbers, `reverse=`", 0.7)
def sorted_list(x):
    return sorted([x, 0.2])[1] * sorted((x * x, 0.9 * x), reverse=True)[0]


@runs("`sorted(..., key=)`, `items.sort(key=)`, lists of tuples in order, `operator.itemgetter`", X)
def sorted_by_key(x):
    """Sorting is stable, as Python's."""
    places = sorted(range(x.size), key=lambda k: -x[k])
    pairs = [(k % 2, v) for k, v in enumerate(x)]
    pairs.sort(key=operator.itemgetter(0), reverse=True)
    return x[places[0]] * pairs[0][1] + sorted(zip(x, places))[0][0]


@runs("`min(..., key=)`, `max(..., key=)`, `default=`", X)
def extreme_by_key(x):
    return max(x, key=abs) * min((value for value in x if value > 9.0), default=x[1])


@runs("lists given to NumPy's functions", X)
def lists_to_numpy(x):
    """Reductions, ufuncs, products; `np.array` and `np.stack` of lists of arrays."""
    return np.mean([value * value for value in x]) * np.array([x, 2.0 * x])[1, 0]
