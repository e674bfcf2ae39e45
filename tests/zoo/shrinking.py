"""Lists that lose items: stacks and queues, `insert`, `del`, `reverse`, `sort`, and what asks where an item is."""

import math

from tests.zoo.case import case, vector


@case(vector(6))
def stack_in_a_loop(x):
    stack = []
    for v in x:
        stack.append(v)
        if len(stack) >= 2:
            b = stack.pop()
            a = stack.pop()
            stack.append(a * b + math.sin(a))
    return stack.pop()


@case(vector(4))
def stack_until_empty(x):
    stack = [x[0], x[1], x[2]]
    total = 0.0
    while stack:
        v = stack.pop()
        total += v * v * (len(stack) + 1)
        if v > 0.4:
            stack.append(v * 0.6)
            stack.append(v * x[3] * 0.5)
    return total


@case(vector(4))
def queue(x):
    waiting = [v * 2.0 for v in x]
    total = 0.0
    while len(waiting) > 0:
        v = waiting.pop(0)
        total = total * v + v
        if v > 1.1:
            waiting.append(v * 0.7)
    return total


@case(vector(5))
def depth_first(x):
    left, right = [1, 3, -1, -1, -1], [2, 4, -1, -1, -1]
    stack = [0]
    total = 1.0
    while len(stack):
        node = stack.pop()
        total = total * x[node] + x[node]
        if left[node] >= 0:
            stack.append(left[node])
        if right[node] >= 0:
            stack.append(right[node])
    return total


@case(vector(4))
def level_by_level(x):
    level = [x[0]]
    for _ in range(3):
        below = []
        while level:
            v = level.pop()
            below.append(v * 1.5)
            if v > 0.8:
                below.append(v * x[1])
        level = below
    total = 0.0
    for v in level:
        total += v * v
    return total


@case(vector(4))
@case(1.0 - vector(4))
def shorter_on_one_side(x):
    items = [x[0], x[1], x[2]]
    if x[0] > 0.5:
        items.pop(0)
    else:
        items.append(x[3] * 2.0)
    return items[0] * len(items) + items[-1] ** 2


@case(vector(4))
def deleted_and_inserted(x):
    items = []
    for v in x:
        items.append(v * v)
    del items[1]
    items.insert(2, x[0] * x[3])
    items.insert(-1, x[1])
    items.insert(100, x[1] * 3.0)
    del items[0:2]
    items.reverse()
    total = 1.0
    for v in items:
        total = total * 1.3 + v * v
    items.clear()
    items.append(total)
    return items[0] * len(items)


@case(vector(5), 2, -1)
@case(vector(5), 4, 1)
def part_deleted(x, start, stop):
    items = [v * v for v in x]
    del items[start:stop]
    items[0:1] = [x[1], x[2] * x[3]]
    return items[0] * items[-1] * len(items) + items[1]


@case(vector(4))
def repeated_lists(x):
    items = [x[0], x[1]]
    items.append(x[2])
    twice = items + items
    twice *= 2
    thrice = items * 3
    items.pop(1)
    total = 0.0
    for i in range(len(thrice)):
        total += thrice[i] * twice[-i - 1] * i
    return total + items[1] * 2 * items[0]


@case(vector(4))
def looked_for(x):
    items = [x[0], 3.0, x[1]]
    items.append(3.0)
    total = x[3]
    if 3.0 in items and 4.0 not in items:
        total *= x[2]
    items.remove(3.0)
    return total * items[items.index(3.0) - 1] + items.count(3.0) * items[0]


@case(vector(5))
def put_in_order(x):
    items = [v for v in x]
    items.sort()
    first = items[0] * items[1]
    items.sort(reverse=True)
    return first * items[0] * items[1]


def folded(stack):
    b = stack.pop()
    a = stack.pop()
    stack.append(a * b + a)


@case(vector(5))
def popped_by_a_function(x):
    stack = [v for v in x]
    while len(stack) > 1:
        folded(stack)
    return stack[0]


@case(vector(4))
def extended_and_popped(x):
    items = [0.0]
    items.extend(x)
    items.extend(items[:-1])
    items.extend((x[0], x[1]))
    n = 0
    while len(items) > 3:
        n += 1
        items[0] += items.pop() * items.pop(n % 2) * items[1]
    return items[0]


@case(vector(4))
def lengthened_while_iterated(x):
    items = [x[0], x[1]]
    total = 0.0
    for v in items:
        total = total * v + v
        if len(items) < 10:
            items.append(v * x[2])
    return total


@case(vector(4))
def shortened_while_enumerated(x):
    items = [x[0], x[1], x[2], x[3]]
    total = x[0]
    for i, v in enumerate(items):
        if v > 0.5:
            items.pop(i)
            continue
        total += v * v * i
    else:
        total *= 2.0
    return total * len(items)


@case(vector(4))
def looked_for_in_a_list_that_stays(x):
    items = [x[0], x[1], x[2]]
    return x[items.index(x[2])] * items.count(x[1]) * x[3] + items[0]


@case(vector(7), -3)
@case(vector(7), 2)
def every_other_deleted(x, apart):
    kept = [v * v for v in x]
    del kept[::apart]
    del kept[-1:0:-2]
    return kept[0] * kept[1] + sum(kept)


@case(vector(7), -2)
@case(vector(7), 2)
def every_other_replaced(x, apart):
    items = [v * v for v in x]
    items[::apart] = items[:4]
    items[5:0:-3] = [x[1] * x[2], x[3]]
    return items[0] * items[1] + math.sin(items[2] * items[5]) + sum(items)
