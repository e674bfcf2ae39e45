"""The cheapest set of values to record, so that everything needed can be computed again from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from backsweep.ir.nodes import Value

INFINITE = float("inf")


def cheapest_cut(
    needed: Sequence[Value],
    inputs: Mapping[Value, Sequence[Value] | None],
    weight: Mapping[Value, float],
) -> list[Value]:
    """The values to record: a minimum vertex cut between what cannot be computed again and what is needed.

    `inputs` gives for each value what it is computed from, None if it cannot be computed again; `weight`
    what recording it costs. Among the cheapest cuts it is the one nearest to the needed values, which
    leaves the least to compute. (Ford and Fulkerson, 1956; each value is an edge between two nodes.)
    """
    order = _reachable(needed, inputs)
    flow: dict[Value, float] = dict.fromkeys(order, 0.0)
    along: dict[tuple[Value, Value], float] = {}
    while path := _augmenting(needed, inputs, weight, flow, along):
        amount = min(amount for _, amount in path)
        for step, _ in path:
            _push(step, amount, flow, along)
    toward = _residual(needed, inputs, weight, flow, along)
    return [value for value in order if ("in", value) not in toward and ("out", value) in toward]


Step = tuple[tuple[str, Value], tuple[str, Value]]
State = tuple[str, Value]


def _reachable(needed: Sequence[Value], inputs: Mapping[Value, Sequence[Value] | None]) -> list[Value]:
    found: dict[Value, None] = {}
    todo = list(needed)
    while todo:
        value = todo.pop()
        if value not in found:
            found[value] = None
            todo += inputs.get(value) or ()
    return list(found)


def _neighbours(
    state: State,
    inputs: Mapping[Value, Sequence[Value] | None],
    weight: Mapping[Value, float],
    flow: Mapping[Value, float],
    along: Mapping[tuple[Value, Value], float],
) -> list[tuple[State, float]]:
    """The next steps of a walk from the needed values back to the sources, each with its residual capacity."""
    side, value = state
    found: list[tuple[State, float]] = []
    if side == "out":
        if weight[value] - flow[value] > 0.0:
            found.append((("in", value), weight[value] - flow[value]))
        found += [
            (("in", user), amount) for (user, used), amount in along.items() if used is value and amount > 0.0
        ]
    else:
        found += [(("out", operand), INFINITE) for operand in inputs.get(value) or ()]
        if flow[value] > 0.0:
            found.append((("out", value), flow[value]))
    return found


def _augmenting(
    needed: Sequence[Value],
    inputs: Mapping[Value, Sequence[Value] | None],
    weight: Mapping[Value, float],
    flow: Mapping[Value, float],
    along: Mapping[tuple[Value, Value], float],
) -> list[tuple[Step, float]]:
    """A shortest augmenting path from a needed value to a source; empty if there is none."""
    before: dict[State, tuple[State, float] | None] = {("out", value): None for value in needed}
    queue: list[State] = list(before)
    for state in queue:
        if state[0] == "in" and inputs.get(state[1]) is None:
            path: list[tuple[Step, float]] = []
            at = state
            while (came := before[at]) is not None:
                path.append(((came[0], at), came[1]))
                at = came[0]
            return path[::-1]
        for neighbour, amount in _neighbours(state, inputs, weight, flow, along):
            if neighbour not in before:
                before[neighbour] = (state, amount)
                queue.append(neighbour)
    return []


def _push(
    step: Step, amount: float, flow: dict[Value, float], along: dict[tuple[Value, Value], float]
) -> None:
    """Send a flow of `amount` along one step; a step against the flow reduces the flow."""
    (side, value), (_, other) = step
    if value is other:
        flow[value] += amount if side == "out" else -amount
    elif side == "in":
        along[value, other] = along.get((value, other), 0.0) + amount
    else:
        along[other, value] -= amount


def _residual(
    needed: Sequence[Value],
    inputs: Mapping[Value, Sequence[Value] | None],
    weight: Mapping[Value, float],
    flow: Mapping[Value, float],
    along: Mapping[tuple[Value, Value], float],
) -> set[State]:
    """The states that residual capacity still connects to the needed values."""
    found: dict[State, None] = {("out", value): None for value in needed}
    queue = list(found)
    for state in queue:
        for neighbour, _ in _neighbours(state, inputs, weight, flow, along):
            if neighbour not in found:
                found[neighbour] = None
                queue.append(neighbour)
    return set(found)
