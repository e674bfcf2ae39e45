"""What functions of `itertools` give, as lists, `functools.reduce`, and functions that take items and attributes."""

from __future__ import annotations

import functools
import itertools
import operator

from backsweep.prelude.declare import has_known_items, means, with_places


@means(itertools.pairwise)
def pairwise(iterable):
    """Each item and the next."""
    items = with_places(iterable)
    found = []
    for k in range(len(items) - 1):
        found.append((items[k], items[k + 1]))
    return found


@means(itertools.accumulate)
def accumulate(iterable, func=None, *, initial=None):
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


@means(itertools.count)
def count(start=0, step=1):
    """Numbers without end."""
    k = start
    while True:
        yield k
        k += step


@means(itertools.cycle)
def cycle(iterable):
    """The items again and again, as they were when they were taken first."""
    items = with_places(iterable)
    taken = []
    k = 0
    while k < len(items):
        item = items[k]
        taken.append(item)
        yield item
        k += 1
    while len(taken) > 0:
        for item in taken:
            yield item


@means(itertools.repeat)
def repeat(object, times=None):
    """The same item, without end or so often."""
    k = 0
    while times is None or k < times:
        yield object
        k += 1


@means(itertools.islice)
def islice(iterable, first, *more):
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
def chain(*iterables):
    """The items of one after those of the other."""
    found = []
    for each in iterables:
        part = with_places(each)
        for k in range(len(part)):
            found.append(part[k])
    return found


@means(itertools.chain.from_iterable)
def chain_from_iterable(iterable):
    """The items of rows, one row after the other."""
    found = []
    for row in with_places(iterable):
        found.extend(row)
    return found


@means(itertools.starmap)
def starmap(function, iterable):
    """What a function gives for the items of each row."""
    found = []
    for row in with_places(iterable):
        found.append(function(*row))
    return found


@means(itertools.groupby)
def groupby(iterable, key=None):
    """Each run of items with one key: the key and the items."""
    items = with_places(iterable)
    first = 0
    while first < len(items):
        of = items[first] if key is None else key(items[first])
        end = first + 1
        while end < len(items) and of == (items[end] if key is None else key(items[end])):
            end += 1
        yield of, items[first:end]
        first = end


@means(itertools.takewhile)
def takewhile(predicate, iterable):
    """The items before the first for which the condition is wrong."""
    items = with_places(iterable)
    found = []
    for k in range(len(items)):
        if not predicate(items[k]):
            break
        found.append(items[k])
    return found


@means(itertools.dropwhile)
def dropwhile(predicate, iterable):
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
def filterfalse(predicate, iterable):
    """The items for which the condition is wrong."""
    items = with_places(iterable)
    found = []
    for k in range(len(items)):
        if not predicate(items[k]):
            found.append(items[k])
    return found


@means(functools.wraps)
def wraps(wrapped, assigned=None, updated=None):  # noqa: ARG001  what they change is not computed with
    """A decorator that changes what is read of a function, and not what it computes."""
    return _itself


def _itself(function):
    """The function."""
    return function


@means(functools.reduce)
def reduce(function, iterable, *initial):
    """One call after the other, of what was found so far and the next item."""
    if has_known_items(iterable):
        items = (*initial, *iterable)
        if len(items) == 0:
            raise TypeError("reduce() of empty iterable with no initial value")
        total = items[0]
        for each in items[1:]:
            total = function(total, each)
        return total
    items = with_places(iterable)
    if len(initial) > 0:
        total = initial[0]
        for k in range(len(items)):
            total = function(total, items[k])
        return total
    if len(items) == 0:
        raise TypeError("reduce() of empty iterable with no initial value")
    total = items[0]
    for k in range(1, len(items)):
        total = function(total, items[k])
    return total


@means(operator.itemgetter)
def itemgetter(*places):
    """A function that takes items out of what it is given."""
    return functools.partial(_items_at, places)


def _items_at(places, thing):
    """The item at a place, or a tuple of those at several."""
    return thing[places[0]] if len(places) == 1 else tuple([thing[each] for each in places])


@means(operator.methodcaller)
def methodcaller(name, /, *args, **kwargs):
    """A function that calls a method."""
    return lambda thing: getattr(thing, name)(*args, **kwargs)


@means(operator.attrgetter)
def attrgetter(attr):
    """A function that reads an attribute."""
    return functools.partial(_attribute_of, attr)


def _attribute_of(name, thing):
    """An attribute."""
    return getattr(thing, name)
