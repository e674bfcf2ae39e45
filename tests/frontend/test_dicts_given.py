"""Dicts that are arguments, of which the function changes its own copy: values and gradients are those of the copy, the caller's dict stays."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import backsweep as bs


def assigned(params, x):
    params["w"] = params["w"] * 2
    params["z"] = params["b"] * 3
    return np.sum(params["w"]) * params["z"] * x


def changed_in_a_loop(params, x):
    for k in range(3):
        params["b"] += params["w"][0] * k
        params["w"] = params["w"] * params["b"]
    return np.sum(params["w"]) * params["b"] * x


def lowered(params, rate):
    params["b"] = params["b"] - rate * params["w"].sum()


def changed_by_a_helper(params, x):
    lowered(params, 0.1)
    params.update(w=params["w"] + 1)
    other = dict(params)
    other["b"] = 0.0
    return np.sum(params["w"]) * params["b"] * x + other["b"]


def with_a_default(params, x):
    params.setdefault("c", 2.0)
    total = 0.0
    for value in params.values():
        total += np.sum(value) ** 2
    return total * 100 if "d" in params else total * x


def nested(params, x):
    params["n"]["q"] = params["n"]["q"] * params["b"]
    return params["n"]["q"] ** 2 * x + np.sum(params["w"])


@pytest.mark.parametrize(
    "function", [assigned, changed_in_a_loop, changed_by_a_helper, with_a_default, nested]
)
def test_the_caller_keeps_its_dict(function):
    params = {"w": np.array([0.5, 1.5]), "b": 1.2}
    if function is nested:
        params["n"] = {"q": 0.7}
    before = copy.deepcopy(params)
    value, slope = bs.value_and_grad(function, jit=False)(params, 1.5)
    assert str(params) == str(before)
    assert value == pytest.approx(function(copy.deepcopy(params), 1.5))
    step = 1e-6
    moved = [function(copy.deepcopy(params) | {"b": 1.2 + sign * step}, 1.5) for sign in (1, -1)]
    assert slope["b"] == pytest.approx((moved[0] - moved[1]) / (2 * step), rel=1e-6)
    moved = [
        function(copy.deepcopy(params) | {"w": np.array([0.5 + sign * step, 1.5])}, 1.5) for sign in (1, -1)
    ]
    assert slope["w"][0] == pytest.approx((moved[0] - moved[1]) / (2 * step), rel=1e-6, abs=1e-8)


def first_of_both(p, q):
    return p[0] * q[1]


def first_replaced(p, q):
    p[0] = p[0] * 5
    return p[0] * q[0]


def lengthened(p, q):
    p.append(5.0)
    return len(q) * p[0]


@pytest.mark.parametrize("length", [2, 100])
@pytest.mark.parametrize("function", [first_replaced, lengthened])
def test_a_list_with_two_names_must_not_change(function, length):
    numbers = [1.5] * length
    with pytest.raises(bs.UnsupportedError, match="under another name"):
        bs.value_and_grad(function, jit=False)(numbers, numbers)
    value, _ = bs.value_and_grad(function, jit=False)(numbers, list(numbers))
    assert value == function(list(numbers), list(numbers))


def test_a_dict_with_two_names_must_not_change():
    layer = {"w": 1.5}

    def tied(model):
        model["one"]["w"] = 2.0 * model["other"]["w"]
        return model["one"]["w"] * model["other"]["w"]

    with pytest.raises(bs.UnsupportedError, match="under another name"):
        bs.grad(tied, jit=False)({"one": layer, "other": layer})


def test_what_is_only_read_may_have_two_names():
    numbers = [1.5, 2.0]
    assert bs.value_and_grad(first_of_both, jit=False)(numbers, numbers) == (3.0, [2.0, 0.0])
