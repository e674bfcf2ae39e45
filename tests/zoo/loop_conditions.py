"""Conditions of `while` loops that change objects and lists."""

from tests.zoo.case import case


class _Steps:
    def __init__(self, x):
        self.taken = 0
        self.value = x

    def more(self):
        self.taken += 1
        self.value = self.value * 1.5
        return self.taken < 4


@case(0.7)
def an_object(x):
    steps, total = _Steps(x), 0.0
    while steps.more():
        total += steps.value
        if total > 50.0:
            break
    else:
        total += 1.0
    return total * steps.value


@case(0.7)
def an_object_and_a_loop_within(x):
    steps, total = _Steps(x), 0.0
    while steps.more() and total < 3.0:
        k = 0
        while k < 2:
            k += 1
            if k == 1 and steps.value > 1.2:
                continue
            total += steps.value * k
    return total


@case(0.7)
def left_by_return(x):
    steps = _Steps(x)
    for k in range(3):
        while steps.more():
            if steps.value > 2.0:
                return steps.value * k + steps.value
    return steps.value


@case(0.7)
def a_list(x):
    stack, total = [x, 2.0 * x, 3.0 * x], 0.0
    while stack and stack.pop() > 1.0:
        total += len(stack) * x
    return total


@case(0.7)
def a_list_that_gets_longer(x):
    found, total = [x], 0.0

    def has_room(v):
        found.append(v)
        return len(found) < 5

    while has_room(total + x):
        total += found[-1] * x
    return total + sum(found)
