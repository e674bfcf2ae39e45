"""Adjoint of `settle` (settle.py:11) with respect to x, a. Written by backsweep."""
import math

import numpy as np

from backsweep.runtime.special import signed
from backsweep.runtime.tape import grown, newest, no_snapshots, slot_ahead, slot_for


def settle_steps(start, stop, error, x, a):
    step = start
    while (step < stop) & (error > 1e-08):
        y = math.cos(a * x)
        error = abs(y - x)
        x = y
        step += 1
    return error, x


def settle_steps_adjoint(start, stop, error, x, a, error_bar, x_bar):
    # forward sweep
    x_tape = np.empty(16)
    tape = np.empty(16)
    step = start
    trips = 0
    while True:
        room = min(tape.size, x_tape.size)
        while trips < room and (step < stop) & (error > 1e-08):
            x_tape[trips] = x
            y = math.cos(a * x)
            y_minus_x = y - x
            tape[trips] = y_minus_x
            error = abs(y_minus_x)
            trips += 1
            x = y
            step += 1
        if trips == tape.size:
            tape = grown(tape)
        if trips == x_tape.size:
            x_tape = grown(x_tape)
        if trips < room:
            break
    # reverse sweep
    a_bar = 0.0
    for trip in range(trips - 1, -1, -1):
        x = x_tape[trip]
        # error = abs(y - x)
        signed_error_bar = signed(error_bar, tape[trip])
        y_bar = x_bar + signed_error_bar
        x_bar = -signed_error_bar
        # y = math.cos(a * x)
        y_term = y_bar * math.sin(a * x)
        a_bar -= y_term * x
        x_bar -= y_term * a
        error_bar = 0.0
    return error_bar, x_bar, a_bar


def settle_value_and_grad(x, a):
    # forward sweep
    kept = no_snapshots(3)
    error_snapshots = np.empty(3)
    x_snapshots = np.empty(3)
    error = 1.0
    trips = 0
    while error > 1e-08:
        slot = slot_ahead(kept, trips)
        if slot >= 0:
            error_snapshots[slot] = error
            x_snapshots[slot] = x
        error, x = settle_steps(0, 1, error, x, a)
        trips += 1
    # reverse sweep
    error_bar = 0.0
    x_bar = 1.0
    a_bar = 0.0
    for b in range(trips - 1, -1, -1):
        held = newest(kept, b)
        kept_1_held = kept[1, held]
        error = error_snapshots[kept_1_held]
        x_1 = x_snapshots[kept_1_held]
        for q in range(kept[0, held], b):
            slot = slot_for(kept, q, b + 1)
            if slot >= 0:
                error_snapshots[slot] = error
                x_snapshots[slot] = x_1
            error, x_1 = settle_steps(0, 1, error, x_1, a)
        # while bs.checkpointed(error > 1e-8, slots=3):
        settle_steps_adjoint_0 = settle_steps_adjoint(0, 1, error, x_1, a, error_bar, x_bar)
        error_bar = settle_steps_adjoint_0[0]
        x_bar = settle_steps_adjoint_0[1]
        a_bar += settle_steps_adjoint_0[2]
    return x, (x_bar, a_bar)
