"""Dicts whose keys are strings, of which the run says which one is meant."""

import numpy as np

from tests.zoo.case import case

RATES = {"idle": 0.3, "busy": 1.7, "down": 0.1}
AXES = {"first": np.array([1.0, 0.5]), "second": np.array([-0.5, 2.0])}


@case(np.array([0.3, 1.2, 0.7, 0.2]))
def totals_by_kind(x):
    totals = {"large": 0.0, "small": 0.0}
    for k in range(x.size):
        kind = "large" if x[k] > 0.5 else "small"
        totals[kind] += x[k] ** 2
    return totals["large"] * totals["small"]


@case(np.array([0.3, 1.2, 0.7]))
def states_with_rates(x):
    rates = {"S": x[0], "I": x[1], "R": x[2]}
    state = "S"
    t = 0.0
    for i in range(5):
        t += rates[state] * (i + 1)
        if t > 0.5 and state == "S":
            state = "I"
        elif t > 4.0:
            state = "R"
    return t


@case(np.array([0.3, 1.2, 0.7]))
def best_by_value(x):
    scores = {"a": x[0] ** 2, "b": np.sin(x[1]), "c": x[2]}
    best, worst = max(scores, key=scores.get), min(scores.keys(), key=lambda name: scores[name])
    scores[worst] = 3.0 * scores[best]
    if best in scores and "d" not in scores:
        scores[best] *= x[0]
    return scores["a"] + 2.0 * scores.get(best, 0.0) + scores["c"] ** 2


@case(np.array([0.3, 1.2, 0.7]))
def ranked(x):
    d = {"a": x[0], "b": x[1], "c": x[2]}
    s = 0.0
    for i, name in enumerate(sorted(d, key=d.get, reverse=True)):
        s += (i + 1) * d[name]
    for name, value in sorted(d.items(), key=lambda pair: pair[1])[:2]:
        s = s * value + d[name]
    return s + sum(i * d[k] ** 2 for i, k in enumerate(sorted(d)))


@case(np.array([0.3, 1.2]))
def dicts_around_the_function(x):
    state = "idle" if x[0] < x[1] else "busy"
    axis = "second" if x[0] * x[1] > 0.1 else "first"
    s = RATES[state] * x[0] + RATES.get(state, 0.0) * x[1]
    if axis in AXES:
        s += np.sum(AXES[axis] * x)
    return s * RATES[max(RATES, key=RATES.get)]


@case(np.array([0.3, 1.2]))
def missing_names(x):
    d = {"a": x[0]}
    name = "b" if x[1] > 1.0 else "a"
    found = d.get(name)
    s = 5.0 * x[1] if found is None else found
    try:
        s += d[name]
    except KeyError:
        s *= 7.0 * x[0]
    return s


EVENTS = {2: ("vaccinate", 0.1), 5: ("lock", 0.3)}
CELLS = {(0, 1): ("up", 2.0), (1, 1): ("down", 0.5)}
STEPS = [{"kind": "scale", "by": 1.1}, {"kind": "shift", "by": 0.2}]


@case(0.8, 7)
def events_by_day(x, days):
    """Strings beside numbers under whole numbers, outside of the function and made by it."""
    own = {1: ("grow", x), 4: ("lock", 0.5)}
    s = x
    for day in range(days):
        if day in EVENTS:
            kind, amount = EVENTS[day]
            s = s * (1.0 - amount) if kind == "vaccinate" else s * s * amount
        kind, amount = own.get(day, ("none", 0.0))
        if kind == "grow":
            s += amount * x
        elif kind == "lock":
            s *= amount
        s += 0.1 * x
    return s


@case(0.8, 5)
def dicts_by_number(x, n):
    """Dicts and strings that are items of lists and dicts."""
    rates = {1: {"a": x, "b": 2.0}, 3: {"a": 3.0, "b": x * x}}
    rates[1]["b"] += x
    named = [("up", x), ("down", x * x)]
    s = x
    for k in range(n):
        step = STEPS[k % 2]
        s = s * step["by"] if step["kind"] == "scale" else s + step["by"]
        if k in rates:
            s = s * rates[k]["a"] + rates[k]["b"]
        way, by = named[-1 - k % 2]
        s = s * by if way == "up" else s - by
        if (k % 2, k % 3) in CELLS:
            s *= CELLS[k % 2, k % 3][1]
    return s
