"""What functions of `itertools` give, as lists, and `functools.reduce`."""

from __future__ import annotations

import itertools
from typing import Any

from backsweep.prelude.declare import means, with_places


@means(itertools.pairwise)
def pairwise(iterable: Any) -> Any:
    """Each item and the next."""
    items = with_places(iterable)
    found = []
    for k in range(len(items) - 1):
        found.append((items[k], items[k + 1]))
    return found


@means(itertools.accumulate)
def accumulate(iterable: Any, func: Any = None, *, initial: Any = None) -> Any:
    """Sums, or results of another function, up to each item."""
    items = with_places(iterable)
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


@means(itertools.islice)
def islice(iterable: Any, first: Any, *more: Any) -> Any:
    """`islice(items, stop)` and `islice(items, start, stop, step)`."""
    items = with_places(iterable)
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


@means(itertools.chain)
def chain(*iterables: Any) -> Any:
    """The items of one after those of the other."""
    found = []
    for each in iterables:
        part = with_places(each)
        for k in range(len(part)):
            found.append(part[k])
    return found


@means(itertools.chain.from_iterable)
def chain_from_iterable(iterable: Any) -> Any:
    """The items of rows, one row after the other."""
    found = []
    for row in with_places(iterable):
        found.extend(row)
    return found


@means(itertools.takewhile)
def takewhile(predicate: Any, iterable: Any) -> Any:
    """The items before the first for which the condition is wrong."""
    items = with_places(iterable)
    found = []
    for k in range(len(items)):
        if not predicate(items[k]):
            break
        found.append(items[k])
    return found


@means(itertools.dropwhile)
def dropwhile(predicate: Any, iterable: Any) -> Any:
    """The other items."""
    items = with_places(iterable)
    found = []
    drops = True
    for k in range(len(items)):
        if drops and predicate(items[k]):
            continue
        drops = False
        found.append(items[k])
    return found


@means(itertools.filterfalse)
def filterfalse(predicate: Any, iterable: Any) -> Any:
    """The items for which the condition is wrong."""
    items = with_places(iterable)
    found = []
    for k in range(len(items)):
        if not predicate(items[k]):
            found.append(items[k])
    return found
