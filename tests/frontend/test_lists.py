"""Lists that lose items fail where Python fails, and the caller's lists stay as they are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import backsweep as bs

X = np.array([0.7, 0.2, 1.1])


def popped_once_too_often(x):
    items = [x[0]]
    items.pop()
    return items.pop()


def popped_out_of_bounds(x):
    items = [x[0], x[1]]
    return items.pop(2)


def read_behind_the_end(x):
    items = list(x)
    count = len(items)
    items.pop()
    return items[count - 1]


def last_of_none(x):
    items = [x[0]]
    items.pop()
    return items[-1]


def deleted_out_of_bounds(x):
    items = [x[0]]
    del items[1]
    return items[0]


@pytest.mark.parametrize(
    "function",
    [
        popped_once_too_often,
        popped_out_of_bounds,
        read_behind_the_end,
        last_of_none,
        deleted_out_of_bounds,
    ],
)
def test_an_item_that_is_gone_is_no_item(function: Callable[..., float]) -> None:
    with pytest.raises(IndexError):
        bs.grad(function, jit=False)(X)


def test_a_value_that_is_not_there_is_not_found() -> None:
    def function(x):
        items = [x[0], x[1]]
        items.remove(3.0)
        return items[0]

    with pytest.raises(ValueError, match="not in list"):
        bs.grad(function, jit=False)(X)


def test_the_list_of_the_caller_stays() -> None:
    def function(x, items):
        items.append(x[0])
        return items.pop(0) * items[0] * items[1]

    given = [2.0, 3.0]
    assert bs.grad(function, jit=False)(X, given).tolist() == [6.0, 0.0, 0.0]
    assert given == [2.0, 3.0]


def test_parts_with_a_step_take_as_many_items_as_they_have() -> None:
    def function(x):
        items = list(x)
        items[::2] = [1.0]
        return items[0]

    with pytest.raises(ValueError, match="extended slice of another size"):
        bs.grad(function, jit=False)(np.ones(4))


def test_rows_out_of_bounds_raise() -> None:
    def function(x, i, j):
        table = [[v] * (k + 1) for k, v in enumerate(x)]
        table.pop()
        return table[i][j]

    slope = bs.grad(function, jit=False)
    assert slope(np.ones(3), 1, -1).tolist() == [0.0, 1.0, 0.0]
    for i, j in ((2, 0), (0, 1), (-3, 0), (1, -3)):
        with pytest.raises(IndexError):
            slope(np.ones(3), i, j)


def test_rows_of_several_lengths_make_no_array() -> None:
    def function(x):
        table = [[v] * (k + 1) for k, v in enumerate(x)]
        return np.array(table).sum()

    with pytest.raises(ValueError, match="same length"):
        bs.grad(function, jit=False)(np.ones(3))


def test_arrays_of_several_lengths_make_no_stack() -> None:
    def function(x):
        rows = []
        for k in (3, 1):
            rows.append(x[:k])
        return np.stack(rows).sum()

    with pytest.raises(ValueError, match="same shape"):
        bs.grad(function, jit=False)(np.ones(3))


def test_a_list_that_changes_under_another_name_while_a_loop_runs_over_it_is_refused() -> None:
    def function(x):
        items = [x[0], x[1]]
        others = items
        for v in items:
            others.append(v)
        return items[0]

    with pytest.raises(bs.UnsupportedError, match="while a loop runs over it"):
        bs.grad(function, jit=False)(X)


def lengths_of_itself(x, n):
    """What is appended is the list's own length."""
    keys, kept = [], set()
    while len(keys) < n:
        keys.append(len(keys))
    while len(kept) < n:
        kept.add(len(kept))
    return x * sum(keys) * len(kept)


def empty_on_one_path(x, n):
    made = [] if n > 3 else [x]
    more = [x, 2.0 * x] if n > 3 else []
    if n > 2:
        out, found = [], set()
    else:
        out, found = [x, x * x], {n}
    out.append(x * n)
    found.add(7)
    return sum(made) + 2.0 * sum(more) + 3.0 * sum(out) + x * sum(found)


def begun_again(x, n):
    rows, row, table, s = [], [], {}, 0.0
    for k in range(3 * n):
        row.append(x**k)
        table[k] = x * k
        if len(row) == 2:
            rows.append(row)
            row = []
            s += sum(table.values())
            table = {}
    return s + sum([sum(each) * len(each) for each in rows])


def next_ones(x, n):
    front, total = [0], 0.0
    while front:
        behind = []
        for k in front:
            total += x * k
            for each in (2 * k + 1, 2 * k + 2):
                if each < 2 * n:
                    behind.append(each)
        front = behind
    return total


def put_on_both_paths(x, n):
    """The list is made before the branch, whichever side gets it."""
    rows, row = [[x], [x * x]], []
    if n > 3:
        rows.append(row)
    else:
        rows[0] = row
    return sum([sum(each) for each in rows])


def items_of_each_other(x, n):
    one, other = [], []
    for _ in range(n):
        one.append(other[-1] if other else x)
        other.append(one[-1] * x)
    never, again = [], []
    if n > 9:
        never, again = [], never
    return sum(one) * x + len(never) + sum(again)


@pytest.mark.parametrize("n", [0, 2, 4])
@pytest.mark.parametrize(
    "function",
    [lengths_of_itself, empty_on_one_path, begun_again, next_ones, put_on_both_paths, items_of_each_other],
)
def test_lists_that_are_empty_where_they_are_made(function, n: int) -> None:
    value, slope = bs.value_and_grad(function, argnums=0, jit=False)(1.5, n)
    assert value == pytest.approx(function(1.5, n))
    change = function(1.5 + 1e-6, n) - function(1.5 - 1e-6, n)
    assert slope == pytest.approx(change / 2e-6, rel=1e-5, abs=1e-6)
