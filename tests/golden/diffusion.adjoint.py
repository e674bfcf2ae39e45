"""Adjoint of `diffusion` (diffusion.py:11) with respect to u, k. Written by backsweep."""
import numpy as np

from backsweep.runtime.memory import check_room
from backsweep.runtime.tape import block_length, newest, no_snapshots, slot_for, slots_within


def diffusion_steps(start, stop, u, k):
    for _ in range(start, stop):
        left = u[0]
        for i in range(1, u.size - 1):
            here = u[i]
            u[i] = here + k * np.sin(left - 2.0 * here + u[i + 1])
            left = here


def diffusion_steps_adjoint(start, stop, u, k, u_bar):
    # forward sweep
    stop_minus_start = stop - start
    n = u.size
    tape = np.empty((max(stop_minus_start, 0), max(n - 2, 0)))
    sin_tape = np.empty((max(stop_minus_start, 0), max(n - 2, 0)))
    for j in range(start, stop):
        left = u[0]
        for i in range(1, n - 1):
            here = u[i]
            u_term = left - 2.0 * here + u[i + 1]
            tape[j - start, i - 1] = u_term
            sin = np.sin(u_term)
            sin_tape[j - start, i - 1] = sin
            u[i] = here + k * sin
            left = here
    # reverse sweep
    k_bar = 0.0
    for j in range(stop - 1, start - 1, -1):
        left_bar = 0.0
        for i in range(n - 2, 0, -1):
            j_minus_start = j - start
            tape_j_minus_start_prev = tape[j_minus_start, i - 1]
            sin = sin_tape[j_minus_start, i - 1]
            # u[i] = here + k * np.sin(left - 2.0 * here + u[i + 1])
            u_bar_i = u_bar[i]
            u_bar[i] = 0.0
            here_bar = left_bar + u_bar_i
            k_bar += u_bar_i * sin
            left_bar = u_bar_i * k * np.cos(tape_j_minus_start_prev)
            u_bar[i + 1] += left_bar
            here_bar -= left_bar * 2.0
            # here = u[i]
            u_bar[i] += here_bar
        # left = u[0]
        u_bar[0] += left_bar
    return k_bar


def diffusion_value_and_grad(u, k, n):
    # forward sweep
    u_1 = u.copy()
    u_size0 = u.shape[0]
    if n > 0 and u_size0 < 1:
        raise IndexError('u[0] is out of bounds')
    slots = slots_within(1024, u_size0 * 8)
    block = block_length(n, slots)
    blocks = max(n - 1, 0) // block
    slots = max(min(slots, blocks), 1)
    kept = no_snapshots(slots)
    u_snapshots = np.empty((slots, u_size0))
    check_room(8 * u_snapshots.size)
    for b in range(blocks):
        slot = slot_for(kept, b, blocks + 1)
        if slot >= 0:
            for i in range(u_size0):
                u_snapshots[slot, i] = u_1[i]
        start = b * block
        diffusion_steps(start, start + block, u_1, k)
    last = blocks * block
    n_minus_last = n - last
    tape = np.empty((max(n_minus_last, 0), max(u_size0 - 2, 0)))
    sin_tape = np.empty((max(n_minus_last, 0), max(u_size0 - 2, 0)))
    check_room(8 * (tape.size + sin_tape.size))
    for j in range(last, n):
        left = u_1[0]
        for i in range(1, u_size0 - 1):
            here = u_1[i]
            u_term = left - 2.0 * here + u_1[i + 1]
            tape[j - last, i - 1] = u_term
            sin = np.sin(u_term)
            sin_tape[j - last, i - 1] = sin
            u_1[i] = here + k * sin
            left = here
    result = 0.0
    for i in range(u_size0):
        u_i = u_1[i]
        result += u_i * u_i
    # reverse sweep
    # return (u * u).sum()
    u_bar = np.empty_like(u_1)
    for i in range(u_size0):
        u_bar[i] = 2.0 * u_1[i]
    k_bar = 0.0
    for j in range(n - 1, last - 1, -1):
        left_bar = 0.0
        for i in range(u_size0 - 2, 0, -1):
            j_minus_last = j - last
            tape_j_minus_last_prev = tape[j_minus_last, i - 1]
            sin = sin_tape[j_minus_last, i - 1]
            # u[i] = here + k * np.sin(left - 2.0 * here + u[i + 1])
            u_bar_i = u_bar[i]
            u_bar[i] = 0.0
            here_bar = left_bar + u_bar_i
            k_bar += u_bar_i * sin
            left_bar = u_bar_i * k * np.cos(tape_j_minus_last_prev)
            u_bar[i + 1] += left_bar
            here_bar -= left_bar * 2.0
            # here = u[i]
            u_bar[i] += here_bar
        # left = u[0]
        u_bar[0] += left_bar
    for b in range(blocks - 1, -1, -1):
        held = newest(kept, b)
        kept_1_held = kept[1, held]
        kept_0_held = kept[0, held]
        for i in range(u_size0):
            u_1[i] = u_snapshots[kept_1_held, i]
        for q in range(kept_0_held, b):
            slot = slot_for(kept, q, b + 1)
            if slot >= 0:
                for i in range(u_size0):
                    u_snapshots[slot, i] = u_1[i]
            start = q * block
            diffusion_steps(start, start + block, u_1, k)
        start = b * block
        # for _ in bs.checkpointed(range(n), memory="1 KiB"):
        k_bar_term = diffusion_steps_adjoint(start, start + block, u_1, k, u_bar)
        k_bar += k_bar_term
    # u = u.copy()
    return result, (u_bar, k_bar)
