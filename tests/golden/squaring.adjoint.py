"""Adjoint of `squaring` (squaring.py:7) with respect to v. Written by backsweep."""
import numpy as np

from backsweep.runtime.tape import grown


def squaring_value_and_grad(v):
    # forward sweep
    v_tape = np.empty(16)
    trips = 0
    while True:
        room = v_tape.size
        while trips < room and v < 100.0:
            v_tape[trips] = v
            v *= v
            trips += 1
        if trips == v_tape.size:
            v_tape = grown(v_tape)
        if trips < room:
            break
    # reverse sweep
    v_bar = 1.0
    for trip in range(trips - 1, -1, -1):
        v_1 = v_tape[trip]
        # v = v * v
        v_bar = 2.0 * (v_bar * v_1)
    return v, (v_bar,)
