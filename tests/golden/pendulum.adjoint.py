"""Adjoint of `pendulum` (pendulum.py:11) with respect to angle, h. Written by backsweep."""
import math

import numpy as np

from backsweep.runtime.memory import check_room
from backsweep.runtime.tape import block_length, newest, no_snapshots, slot_for


def pendulum_steps(start, stop, speed, angle, h):
    for _ in range(start, stop):
        speed -= h * math.sin(angle)
        angle += h * speed
    return speed, angle


def pendulum_steps_adjoint(start, stop, speed, angle, h, speed_bar, angle_bar):
    # forward sweep
    stop_minus_start = stop - start
    angle_tape = np.empty(max(stop_minus_start, 0))
    sin_angle_tape = np.empty(max(stop_minus_start, 0))
    speed_tape = np.empty(max(stop_minus_start, 0))
    for i in range(start, stop):
        angle_tape[i - start] = angle
        sin_angle = math.sin(angle)
        sin_angle_tape[i - start] = sin_angle
        speed -= h * sin_angle
        speed_tape[i - start] = speed
        angle += h * speed
    # reverse sweep
    h_bar = 0.0
    for i in range(stop - 1, start - 1, -1):
        i_minus_start = i - start
        angle = angle_tape[i_minus_start]
        sin_angle = sin_angle_tape[i_minus_start]
        speed = speed_tape[i_minus_start]
        # angle = angle + h * speed
        h_bar += angle_bar * speed
        speed_bar += angle_bar * h
        # speed = speed - h * math.sin(angle)
        h_bar -= speed_bar * sin_angle
        angle_bar -= speed_bar * h * math.cos(angle)
    return speed_bar, angle_bar, h_bar


def pendulum_value_and_grad(angle, speed, h, n):
    # forward sweep
    block = block_length(n, 4)
    blocks = max(n - 1, 0) // block
    slots = max(min(4, blocks), 1)
    kept = no_snapshots(slots)
    speed_snapshots = np.empty(slots)
    angle_snapshots = np.empty(slots)
    check_room(8 * (speed_snapshots.size + angle_snapshots.size))
    for b in range(blocks):
        slot = slot_for(kept, b, blocks + 1)
        if slot >= 0:
            speed_snapshots[slot] = speed
            angle_snapshots[slot] = angle
        start = b * block
        speed, angle = pendulum_steps(start, start + block, speed, angle, h)
    last = blocks * block
    n_minus_last = n - last
    angle_tape = np.empty(max(n_minus_last, 0))
    sin_angle_tape = np.empty(max(n_minus_last, 0))
    speed_tape = np.empty(max(n_minus_last, 0))
    term_times_8 = 8 * (angle_tape.size + sin_angle_tape.size + speed_tape.size)
    check_room(term_times_8)
    for i in range(last, n):
        angle_tape[i - last] = angle
        sin_angle = math.sin(angle)
        sin_angle_tape[i - last] = sin_angle
        speed -= h * sin_angle
        speed_tape[i - last] = speed
        angle += h * speed
    # reverse sweep
    speed_bar = 0.0
    angle_bar = 1.0
    h_bar = 0.0
    for i in range(n - 1, last - 1, -1):
        i_minus_last = i - last
        angle_1 = angle_tape[i_minus_last]
        sin_angle = sin_angle_tape[i_minus_last]
        speed = speed_tape[i_minus_last]
        # angle = angle + h * speed
        h_bar += angle_bar * speed
        speed_bar += angle_bar * h
        # speed = speed - h * math.sin(angle)
        h_bar -= speed_bar * sin_angle
        angle_bar -= speed_bar * h * math.cos(angle_1)
    for b in range(blocks - 1, -1, -1):
        held = newest(kept, b)
        kept_1_held = kept[1, held]
        speed = speed_snapshots[kept_1_held]
        angle_1 = angle_snapshots[kept_1_held]
        for q in range(kept[0, held], b):
            slot = slot_for(kept, q, b + 1)
            if slot >= 0:
                speed_snapshots[slot] = speed
                angle_snapshots[slot] = angle_1
            start = q * block
            speed, angle_1 = pendulum_steps(start, start + block, speed, angle_1, h)
        start = b * block
        # for _ in bs.checkpointed(range(n), slots=4):
        parts = pendulum_steps_adjoint(start, start + block, speed, angle_1, h, speed_bar,
                angle_bar)
        speed_bar = parts[0]
        angle_bar = parts[1]
        h_bar += parts[2]
    return angle, (angle_bar, h_bar)
