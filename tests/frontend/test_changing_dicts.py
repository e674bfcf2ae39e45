"""Dicts that change: variables stand for their items, or they are refused; they never keep an old value."""

# ruff: noqa: B905, C408, C416

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backsweep as bs

X = np.array([0.7, 1.3, 2.4, 3.1])


def in_loops_and_branches(x: Any) -> Any:
    d: dict[str, Any] = {"total": 0.0, "last": x[0]}
    for i in range(x.size):
        d["total"] += d["last"] * x[i]
        if x[i] > 1.0:
            d["last"] = np.sin(x[i]) * d["last"]
        if d["total"] > 20.0:
            break
    return d["total"] * d["last"] * len(d)


def methods(x: Any) -> Any:
    d = dict(a=x[0])
    d.update({"b": d["a"] * x[1], "a": x[2]}, c=x[3])
    first = d.pop("a")
    second = d.pop("none", x[1])
    third = d.setdefault("b", x[0])
    d.setdefault("e", x[1] * x[1])
    d["g"] = x[1]
    first += second + third * d["e"] * d.pop("e") + d["g"] * d.popitem()[1]
    d |= {"f": d["b"], "b": x[0] * x[0]}
    key, last = d.popitem()
    found = d.get("b", x[1] * 2.0) * d.get("nothing", x[2]) + (x[0] if "a" in d else x[3] ** 2)
    del d["c"]
    for k in d:
        found += len(d) + len(k)
    d.clear()
    d["x"] = found * first
    return d["x"] * last + (1.0 if key == "f" else 2.0) * len(d)


def items_in_order(x: Any) -> Any:
    d = {k: x[k] ** 2 for k in range(3)} | {7: x[3]}
    d[5] = x[0] * d[7]
    del d[1]
    total = 0.0
    for n, (k, v) in enumerate(d.items()):
        total += (n + 1.0) * k * v
    return total + sum([v * v for v in d.values()]) * [k for k in d][2]


def of_copies(x: Any) -> Any:
    d = dict(zip(("a", "b"), (x[0], x[1])))
    e = d.copy()
    e["a"] = x[2] * e["b"]
    f = {**e, "b": x[3]}
    f["a"] *= 2.0
    return d["a"] * e["a"] + f["a"] * f["b"]


def handed_on(x: Any) -> Any:
    d = {"rate": x[0]}
    d["rate"] = d["rate"] * x[1]
    d["shift"] = x[2]
    return applied(d, x[3]) * applied(p=d, x=x[0])


def applied(p: Any, x: Any) -> Any:
    return p["rate"] * x + p.get("shift", 0.0) ** 2


def returned(x: Any) -> Any:
    return made(x)["a"] * made(2.0 * x)["b"]


def made(x: Any) -> Any:
    d = {}
    d["a"] = x[0] * x[1]
    if x[0] > 1.0:
        d["a"] = x[2]
        return {"a": d["a"], "b": x[1]}
    d["b"] = x[3] * d["a"]
    return d


def key_that_runs(x: Any) -> Any:
    counts: dict[int, int] = {}
    for v in x:
        counts[int(v)] = counts.get(int(v), 0) + 1
    return (x * x).sum() * counts[0]


RIGHT = [in_loops_and_branches, items_in_order, of_copies, handed_on, key_that_runs]


@pytest.mark.parametrize("function", [*RIGHT, methods])
def test_right(function: Callable[..., Any]) -> None:
    compare(function, jit=False)


@pytest.mark.compiles
def test_right_compiled() -> None:
    compare(in_loops_and_branches, jit=True)


def compare(function: Callable[..., Any], jit: bool) -> None:
    value, gradient = bs.value_and_grad(function, jit=jit)(X)
    assert value == pytest.approx(function(X), rel=1e-13)
    step = 1e-6 * np.eye(4)
    wanted = [(function(X + direction) - function(X - direction)) / 2e-6 for direction in step]
    np.testing.assert_allclose(gradient, wanted, rtol=1e-6, atol=1e-7)


def other_name(x: Any) -> Any:
    d = {"a": x[0]}
    d["a"] = x[1]
    e = d
    e["a"] = x[2]
    return d["a"] * e["a"]


def changed_by_a_call(x: Any) -> Any:
    d = {"a": x[0]}
    d["b"] = x[1]
    doubled(d)
    return d["a"]


def doubled(p: Any) -> None:
    p["a"] = 2.0 * p["a"]


def seen_by_a_view(x: Any) -> Any:
    d = {"a": x[0], "b": x[1]}
    values = d.values()
    d["a"] = x[2]
    return sum(values)


def changed_in_its_loop(x: Any) -> Any:
    d = {"a": x[0], "b": x[1]}
    total = 0.0
    for v in d.values():
        total += v
        d["b"] = x[2]
    return total


def within_a_dict(x: Any) -> Any:
    p = {"a": x[0]}
    d = {"p": p}
    d["q"] = x[1]
    p["a"] = x[2]
    return d["p"]["a"] * d["q"]


def by_an_inner_function(x: Any) -> Any:
    d = {"a": x[0]}

    def inner() -> Any:
        return d["a"]

    d["a"] = x[1]
    return inner()


def taken_on_one_path(x: Any) -> Any:
    d = {"a": x[0], "b": x[1]}
    y = d.pop("a") if x[0] > 0.0 else x[2]
    return y * len(d)


def taken_while_it_is_added_to(x: Any) -> Any:
    d = {"a": x[0], "b": x[1]}
    d["a"] += d.pop("a")
    return d["a"] * len(d)


def key_on_one_path(x: Any) -> Any:
    d = {"a": x[0]}
    if x[1] > 0.0:
        d["b"] = x[1]
    return d["a"] * len(d)


def numbers_for_keys(x: Any) -> Any:
    """What a call changes is seen behind it."""
    d = {0: x[0]}
    d[1] = x[1]
    cleared(d, 0)
    return d[0] * d[1] + x[0]


def cleared(p: Any, key: Any) -> None:
    p[key] = 2.0


def filled_by_a_loop(x: Any) -> Any:
    d: dict[str, Any] = {}
    e = d
    for k, name in enumerate(("a", "b", "a", "c")):
        d[name] = d.get(name, 1.0) * x[k]
        e.setdefault(f"all of {name}", []).append(x[k])
    for _ in range(3):
        d["b"] = d["b"] * d["c"] + sum(d["all of a"])
    del e["all of a"], d["all of b"], d["all of c"]
    doubled_values = {name: 2.0 * value for name, value in d.items()}
    return keyword_sum(**doubled_values) * len(d) + sum(v for v in d.values()) + d.pop("z", x[3])


def keyword_sum(a: Any, b: Any, c: Any) -> Any:
    return a + b * c


def chosen_records(x: Any) -> Any:
    net = [{"w": x[k], "b": 0.1 * k} for k in range(3)]
    h = x[3]
    for layer in net:
        h = np.tanh(layer["w"] * h + layer["b"])
    net[0]["w"] = h
    texts = [{} for _ in range(2)]  # type: ignore[var-annotated]
    texts[1]["u"] = x[0]
    either = {"k": x[0]} if x[1] > 0.0 else {"k": x[1]}
    p, q = "pq"
    return net[0]["w"] * texts[1]["u"] + sum(either.values()) * (x[2] if p == "p" and q == "q" else 0.0)


@pytest.mark.parametrize(
    "function",
    [
        *(other_name, changed_by_a_call, seen_by_a_view, changed_in_its_loop, within_a_dict),
        *(
            by_an_inner_function,
            taken_while_it_is_added_to,
            numbers_for_keys,
            filled_by_a_loop,
            chosen_records,
        ),
    ],
)
def test_right_as_objects(function: Callable[..., Any]) -> None:
    compare(function, jit=False)


REFUSED = [key_on_one_path, taken_on_one_path]


@pytest.mark.parametrize("function", REFUSED)
def test_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(bs.UnsupportedError, match="not every path puts the same ones in"):
        compare(function, jit=False)
