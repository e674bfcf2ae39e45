"""What functions of `itertools` give, as lists, and `functools.reduce` without a first value."""

from __future__ import annotations

from typing import Any

from backsweep.runtime.lists.sequences import spelled_in_bounds


@spelled_in_bounds
def paired(items: Any) -> Any:
    """`itertools.pairwise(items)`."""
    found = []
    for k in range(len(items) - 1):
        found.append((items[k], items[k + 1]))
    return found


@spelled_in_bounds
def paired_with_later(items: Any) -> Any:
    """`itertools.combinations(items, 2)`."""
    found = []
    for i in range(len(items)):
        for j in range(i + 1, len(items)):
            found.append((items[i], items[j]))
    return found


@spelled_in_bounds
def accumulated(items: Any, func: Any = None, *, initial: Any = None) -> Any:
    """`itertools.accumulate(items, func, initial=initial)`."""
    found = []
    if initial is None:
        if len(items) > 0:
            total = items[0]
            found.append(total)
            for k in range(1, len(items)):
                total = total + items[k] if func is None else func(total, items[k])
                found.append(total)
    else:
        total = initial
        found.append(total)
        for k in range(len(items)):
            total = total + items[k] if func is None else func(total, items[k])
            found.append(total)
    return found


@spelled_in_bounds
def sliced(items: Any, first: Any, *more: Any) -> Any:
    """`itertools.islice(items, stop)` and `islice(items, start, stop, step)`."""
    start = 0 if len(more) == 0 or first is None else first
    stop = first if len(more) == 0 else more[0]
    step = 1 if len(more) < 2 or more[1] is None else more[1]
    last = len(items) if stop is None else stop
    if start < 0 or last < 0 or step < 1:
        raise ValueError("indices for islice() must not be negative, and its step must be positive")
    found = []
    for k in range(start, min(last, len(items)), step):
        found.append(items[k])
    return found


@spelled_in_bounds
def chained(*parts: Any) -> Any:
    """`itertools.chain(*parts)`."""
    found = []
    for part in parts:
        for k in range(len(part)):
            found.append(part[k])
    return found


@spelled_in_bounds
def chained_rows(rows: Any) -> Any:
    """`itertools.chain.from_iterable(rows)`."""
    found = []
    for row in rows:
        found.extend(row)
    return found


@spelled_in_bounds
def taken_while(predicate: Any, items: Any) -> Any:
    """`itertools.takewhile(predicate, items)`."""
    found = []
    for k in range(len(items)):
        if not predicate(items[k]):
            break
        found.append(items[k])
    return found


@spelled_in_bounds
def dropped_while(predicate: Any, items: Any) -> Any:
    """`itertools.dropwhile(predicate, items)`."""
    found = []
    drops = True
    for k in range(len(items)):
        if drops and predicate(items[k]):
            continue
        drops = False
        found.append(items[k])
    return found


@spelled_in_bounds
def left_over(predicate: Any, items: Any) -> Any:
    """`itertools.filterfalse(predicate, items)`."""
    found = []
    for k in range(len(items)):
        if not predicate(items[k]):
            found.append(items[k])
    return found


@spelled_in_bounds
def reduced(function: Any, items: Any) -> Any:
    """`functools.reduce(function, items)`."""
    if len(items) == 0:
        raise TypeError("reduce() of empty iterable with no initial value")
    total = items[0]
    for k in range(1, len(items)):
        total = function(total, items[k])
    return total
