"""Ordinary differential equations by explicit Runge-Kutta methods whose steps are as long as the tolerance allows.

The ends of the steps are found first and held constant, relative to the ends of the range; then the steps are taken. The derivative is that
of these steps (discretise, then differentiate).

Sources: E. Hairer, S. Norsett, G. Wanner, Solving Ordinary Differential Equations I (1993), sections II.4 (lengths of steps, first step) and II.6
(interpolation); J. Dormand, P. Prince, A family of embedded Runge-Kutta formulae (1980); L. Shampine, Some practical Runge-Kutta formulas (1986);
P. Bogacki, L. Shampine, A 3(2) pair of Runge-Kutta formulas (1989).
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from backsweep.runtime.solvers.marks import as_vector
from backsweep.runtime.support.compiled import inlined
from backsweep.runtime.support.marks import stop_gradient

Slopes = Callable[..., Any]
OdeResult = namedtuple("OdeResult", ("t", "y", "success", "status"))  # noqa: PYI024  the compiler knows these
TOO_SHORT = "Required step size is less than spacing between numbers."
OUTSIDE = "Values in `t_eval` are not within `t_span`."
UNSORTED = "Values in `t_eval` are not properly sorted."

NODES_45 = np.array([0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0])
STAGES_45 = np.array(
    [
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [1 / 5, 0.0, 0.0, 0.0, 0.0, 0.0],
        [3 / 40, 9 / 40, 0.0, 0.0, 0.0, 0.0],
        [44 / 45, -56 / 15, 32 / 9, 0.0, 0.0, 0.0],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0.0, 0.0],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0.0],
        [35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
    ]
)
"""The weights of the slopes of earlier stages; the last stage is the end of the step."""
ERROR_45 = np.array([-71 / 57600, 0.0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40])
WITHIN_45 = np.array(
    [
        [1.0, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432],
        [0.0, 0.0, 0.0, 0.0],
        [0.0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799],
        [0.0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072],
        [0.0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632],
        [0.0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844],
        [0.0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423],
    ]
)
"""The coefficients of the polynomials by which the slopes are weighted within a step."""
NODES_23 = np.array([0.0, 1 / 2, 3 / 4, 1.0])
STAGES_23 = np.array([[0.0, 0.0, 0.0], [1 / 2, 0.0, 0.0], [0.0, 3 / 4, 0.0], [2 / 9, 1 / 3, 4 / 9]])
ERROR_23 = np.array([5 / 72, -1 / 12, -1 / 9, 1 / 8])
WITHIN_23 = np.array([[1.0, -4 / 3, 5 / 9], [0.0, 1.0, -2 / 3], [0.0, 4 / 3, -8 / 9], [0.0, -1.0, 1.0]])


@inlined
def step(slopes_at: Slopes, t, h, y, slope, nodes, stages):
    """The slopes of the stages of a step, and the state at its end."""
    slopes = np.empty((len(nodes), y.size))
    slopes[0] = slope
    state = y
    for stage in range(1, len(nodes)):
        change = np.zeros(y.size)
        for k in range(stage):
            change += stages[stage, k] * slopes[k]
        state = y + h * change
        slopes[stage] = slopes_at(t + nodes[stage] * h, state)
    return slopes, state


@inlined
def mean_size(values):
    """The root of the mean of squares."""
    return np.sqrt(np.sum(values * values) / values.size)


@inlined
def first_length(slopes_at: Slopes, t, y, slope, way, rtol, atol, exponent):
    """The length of the first step, before its limits; `way` is the way to go, with its sign."""
    scale = atol + np.abs(y) * rtol
    size, speed = mean_size(y / scale), mean_size(slope / scale)
    length = 1e-6 if size < 1e-5 or speed < 1e-5 else 0.01 * size / speed
    length = min(length, abs(way))
    moved = length if way > 0.0 else -length
    bend = mean_size((slopes_at(t + moved, y + moved * slope) - slope) / scale) / length
    if speed <= 1e-15 and bend <= 1e-15:
        other = max(1e-6, length * 1e-3)
    else:
        other = (0.01 / max(speed, bend)) ** -exponent
    return min(100.0 * length, other, abs(way))


@inlined
def ends_of_steps(
    slopes_at: Slopes, bounds, y, nodes, stages, error_weights, exponent, rtol, atol, max_step, first_step
):
    """The ends of the steps from bound to bound, and the number of the range between bounds that each belongs to."""
    t = bounds[0]
    slope = slopes_at(t, y)
    ends, places = [t], [0]
    way = bounds[1] - t
    if first_step is not None:
        length = first_step
    elif way == 0.0:
        length = 0.0
    else:
        length = first_length(slopes_at, t, y, slope, way, rtol, atol, exponent)
    for place in range(len(bounds) - 1):
        bound = bounds[place + 1]
        direction = 1.0 if bound > t else -1.0
        while direction * (bound - t) > 0.0:
            least = 10.0 * abs(np.nextafter(t, direction * np.inf) - t)
            length = max(min(length, max_step), least)
            was_rejected = False
            while True:
                if length < least:
                    raise RuntimeError(TOO_SHORT)
                end = t + direction * length
                if direction * (end - bound) > 0.0:
                    end = bound
                h = end - t
                length = abs(h)
                slopes, state = step(slopes_at, t, h, y, slope, nodes, stages)
                change = np.zeros(y.size)
                for k in range(len(error_weights)):
                    change += error_weights[k] * slopes[k]
                error = mean_size(h * change / (atol + np.maximum(np.abs(y), np.abs(state)) * rtol))
                factor = 10.0 if error == 0.0 else 0.9 * error**exponent
                if error < 1.0:
                    length *= min(1.0 if was_rejected else 10.0, factor)
                    break
                length *= max(0.2, factor)
                was_rejected = True
            t, y, slope = end, state, np.copy(slopes[len(nodes) - 1])
            ends.append(t)
            places.append(place)
    return np.array(ends), np.array(places)


@inlined
def held_bounds(bounds):
    """The bounds as constants."""
    held = np.empty(len(bounds))
    for k in range(len(bounds)):
        held[k] = stop_gradient(bounds[k])
    return held


@inlined
def between(bounds, held, ends, places):
    """The ends of the steps, which move with the bounds; they are at the same part of the way."""
    times = np.empty(len(ends))
    for k in range(len(ends)):
        place, end = places[k], stop_gradient(ends[k])
        width = held[place + 1] - held[place]
        part = (end - held[place]) / width if width != 0.0 else 0.0
        times[k] = (
            end + (1.0 - part) * (bounds[place] - held[place]) + part * (bounds[place + 1] - held[place + 1])
        )
    return times


@inlined
def solve_ivp(fun: Slopes, bounds, y0, args, *options):
    """The states at the ends of the steps, one after the other in columns."""
    start = 1.0 * as_vector(y0)
    held = held_bounds(bounds)
    found = ends_of_steps(lambda t, y: as_vector(fun(t, y, *args)), held, start, *options)
    times = between(bounds, held, found[0], found[1])
    states = path(lambda t, y: as_vector(fun(t, y, *args)), times, start, options[0], options[1])
    return OdeResult(times, states.T, True, 0)


@inlined
def path(slopes_at: Slopes, times, start, nodes, stages):
    """The states at the ends of the steps."""
    states = np.empty((len(times), start.size))
    states[0] = start
    y = start
    slope = slopes_at(times[0], y)
    for k in range(len(times) - 1):
        slopes, y = step(slopes_at, times[k], times[k + 1] - times[k], y, slope, nodes, stages)
        slope = np.copy(slopes[len(nodes) - 1])
        states[k + 1] = y
    return states


@inlined
def solve_ivp_at(fun: Slopes, bounds, y0, args, t_eval, within, *options):
    """The states at given times, in columns, which are interpolated within the steps."""
    start = 1.0 * as_vector(y0)
    held = held_bounds(bounds)
    wanted = as_vector(t_eval)
    lowest, highest = min(held[0], held[1]), max(held[0], held[1])
    for k in range(len(wanted)):
        if wanted[k] < lowest or wanted[k] > highest:
            raise ValueError(OUTSIDE)
        if k > 0 and (wanted[k] - wanted[k - 1]) * (held[1] - held[0]) <= 0.0:
            raise ValueError(UNSORTED)
    found = ends_of_steps(lambda t, y: as_vector(fun(t, y, *args)), held, start, *options)
    times = between(bounds, held, found[0], found[1])
    states = interpolated(
        lambda t, y: as_vector(fun(t, y, *args)), times, start, wanted, within, options[0], options[1]
    )
    return OdeResult(wanted, states.T, True, 0)


@inlined
def interpolated(slopes_at: Slopes, times, start, wanted, within, nodes, stages):
    """The states at the wanted times, by the polynomial of the step that each is in."""
    states = np.empty((len(wanted), start.size))
    y = start
    slope = slopes_at(times[0], y)
    sign = 1.0 if times[len(times) - 1] >= times[0] else -1.0
    place = 0
    for k in range(len(times) - 1):
        h = times[k + 1] - times[k]
        slopes, state = step(slopes_at, times[k], h, y, slope, nodes, stages)
        while place < len(wanted) and sign * (wanted[place] - times[k + 1]) <= 0.0:
            part = (wanted[place] - times[k]) / h
            change = np.zeros(y.size)
            for stage in range(len(nodes)):
                weight = 0.0
                for power in range(within.shape[1] - 1, -1, -1):
                    weight = (weight + within[stage, power]) * part
                change += weight * slopes[stage]
            states[place] = y + h * change
            place += 1
        y, slope = state, np.copy(slopes[len(nodes) - 1])
    return states


@inlined
def odeint(fun: Slopes, y0, t, args, *options):
    """The states at the given times, in rows; a step ends at each."""
    start = 1.0 * as_vector(y0)
    bounds = as_vector(t)
    held = held_bounds(bounds)
    ends, places = ends_of_steps(lambda t, y: as_vector(fun(t, y, *args)), held, start, *options)
    times = between(bounds, held, ends, places)
    steps = path(lambda t, y: as_vector(fun(t, y, *args)), times, start, options[0], options[1])
    states = np.empty((len(bounds), start.size))
    states[0] = steps[0]
    for k in range(1, len(times)):
        states[places[k] + 1] = steps[k]
    return states


@inlined
def in_turn(fun: Slopes, y, t, *args):
    """The function of `odeint`, whose first argument is the state."""
    return fun(t, y, *args)
