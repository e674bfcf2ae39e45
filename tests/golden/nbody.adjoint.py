"""Adjoint of `nbody` (nbody.py:34) with respect to mass, start, thrust. Written by backsweep."""
import numpy as np

from backsweep.runtime.memory import check_room
from backsweep.runtime.special import along, strong_product

SOFTENING = 0.1
STEP = 0.02


def nbody_value_and_grad(mass, start, thrust, steps):
    # forward sweep
    mass_shape = mass.shape
    n = mass_shape[0]
    start_size0, m = start.shape
    thrust_size0, thrust_size1 = thrust.shape
    if mass_shape[1] != 1:
        raise ValueError('this code is for mass.shape[1] == 1')
    if thrust_size0 != n or thrust_size1 != 3:
        raise ValueError('this code is for thrust.shape[0] == mass.shape[0] and thrust.shape[1] == 3')
    if start_size0 != n or m != 3:
        raise ValueError('this code is for start.shape[0] == mass.shape[0] and start.shape[1] == 3')
    position = start.copy()
    sums = np.zeros(3)
    for i in range(n):
        for j in range(3):
            sums[j] += mass[i, 0] * thrust[i, j]
    sum_mass = mass.sum()
    sums_over_sum_mass = np.empty_like(sums)
    for i in range(3):
        sums_over_sum_mass[i] = sums[i] / sum_mass
    velocity = np.empty_like(thrust)
    for i in range(n):
        for j in range(3):
            velocity_i_j = thrust[i, j] - sums_over_sum_mass[j]
            velocity[i, j] = velocity_i_j
    softening_pow_2 = SOFTENING ** 2
    dx = np.empty((n, n))
    dy = np.empty((n, n))
    dz = np.empty((n, n))
    strength = np.empty((n, n))
    dx_times_strength = np.empty((n, n))
    dy_times_strength = np.empty((n, n))
    dz_times_strength = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            dx_i_j = position[j, 0] - position[i, 0]
            dx[i, j] = dx_i_j
            dy_i_j = position[j, 1] - position[i, 1]
            dy[i, j] = dy_i_j
            dz_i_j = position[j, 2] - position[i, 2]
            dz[i, j] = dz_i_j
            strength_i_j = (dx_i_j ** 2 + dy_i_j ** 2 + dz_i_j ** 2 + softening_pow_2) ** -1.5
            strength[i, j] = strength_i_j
            dx_times_strength[i, j] = dx_i_j * strength_i_j
            dy_times_strength[i, j] = dy_i_j * strength_i_j
            dz_times_strength[i, j] = dz_i_j * strength_i_j
    result_term = dx_times_strength @ mass
    result_term_1 = dy_times_strength @ mass
    result_term_2 = dz_times_strength @ mass
    acceleration = np.empty((n, 3))
    acceleration_bar = np.zeros_like(acceleration)
    for i in range(n):
        acceleration[i, 0] = result_term[i, 0]
        acceleration[i, 1] = result_term_1[i, 0]
        acceleration[i, 2] = result_term_2[i, 0]
    acceleration_bar_tape = list()
    tapes = np.empty((4, max(steps, 0), n, n))
    dz_tape = tapes[0]
    dy_tape = tapes[1]
    dx_tape = tapes[2]
    strength_tape = tapes[3]
    acceleration_bar_tape_1 = list()
    check_room(8 * tapes.size)
    acceleration_bar_1 = acceleration_bar
    for i in range(steps):
        acceleration_bar_tape.append(acceleration_bar_1)
        velocity_term = 0.5 * STEP
        for j in range(n):
            for k in range(3):
                velocity_term_1 = acceleration[j, k] * velocity_term
                velocity[j, k] += velocity_term_1
                velocity_j_k_times_step = velocity[j, k] * STEP
                position[j, k] += velocity_j_k_times_step
        softening_pow_2_1 = SOFTENING ** 2
        dx_times_strength_1 = np.empty((n, n))
        dy_times_strength_1 = np.empty((n, n))
        dz_times_strength_1 = np.empty((n, n))
        for j in range(n):
            for k in range(n):
                dx_1 = position[k, 0] - position[j, 0]
                dx_tape[i, j, k] = dx_1
                dy_1 = position[k, 1] - position[j, 1]
                dy_tape[i, j, k] = dy_1
                dz_1 = position[k, 2] - position[j, 2]
                dz_tape[i, j, k] = dz_1
                strength_1 = (dx_1 ** 2 + dy_1 ** 2 + dz_1 ** 2 + softening_pow_2_1) ** -1.5
                strength_tape[i, j, k] = strength_1
                dx_times_strength_1[j, k] = dx_1 * strength_1
                dy_times_strength_1[j, k] = dy_1 * strength_1
                dz_times_strength_1[j, k] = dz_1 * strength_1
        result_term = dx_times_strength_1 @ mass
        result_term_1 = dy_times_strength_1 @ mass
        result_term_2 = dz_times_strength_1 @ mass
        acceleration = np.empty((n, 3))
        acceleration_bar_1 = np.zeros_like(acceleration)
        acceleration_bar_tape_1.append(acceleration_bar_1)
        for j in range(n):
            acceleration[j, 0] = result_term[j, 0]
            acceleration[j, 1] = result_term_1[j, 0]
            acceleration[j, 2] = result_term_2[j, 0]
        velocity_term = 0.5 * STEP
        for j in range(n):
            for k in range(3):
                velocity_term_1 = acceleration[j, k] * velocity_term
                velocity[j, k] += velocity_term_1
    kinetic_term = 0.0
    for i in range(n):
        for j in range(3):
            kinetic_term += mass[i, 0] * velocity[i, j] ** 2
    kinetic = 0.5 * kinetic_term
    distance = np.empty(n)
    distance_1 = np.empty(n, np.bool_)
    distance_2 = np.empty(n)
    closeness = np.empty(n)
    mass_times_mass = np.empty(n)
    mass_bar = np.zeros((n, 1))
    closeness_times_mass = np.zeros((1, n))
    dz_bar = np.zeros((1, n))
    result_term = np.zeros((n, 1))
    dy_bar = np.zeros((1, n))
    result_term_1 = np.zeros((n, 1))
    dx_bar = np.zeros((1, n))
    result_term_2 = np.zeros((n, 1))
    result_term_3 = 0.0
    for i in range(n):
        for j in range(n):
            dx_1 = position[j, 0] - position[i, 0]
            dy_1 = position[j, 1] - position[i, 1]
            dz_1 = position[j, 2] - position[i, 2]
            distance_j = np.sqrt(dx_1 ** 2 + dy_1 ** 2 + dz_1 ** 2)
            distance[j] = distance_j
            distance_j_1 = distance_j > 0.0
            distance_1[j] = distance_j_1
            distance_j = 1.0 / distance_j
            distance_2[j] = distance_j
            chosen = distance_j if distance_j_1 else 0.0
            closeness[j] = chosen
            mass_times_mass_j = mass[i, 0] * mass[j, 0]
            mass_times_mass[j] = mass_times_mass_j
            result_term_3 += mass_times_mass_j * chosen
        # reverse sweep
        # return energy(mass, position, velocity)
        mass_bar_1 = 0.0
        result_term_4 = 0.0
        result_term_5 = 0.0
        result_term_6 = 0.0
        for j in range(n):
            result_term_7 = -0.5 * closeness[j]
            mass_bar_1 += result_term_7 * mass[j, 0]
            closeness_times_mass[0, j] += result_term_7 * mass[i, 0]
            # closeness = np.where(distance > 0.0, 1.0 / distance, 0.0)
            chosen = -0.5 * mass_times_mass[j] if distance_1[j] else 0.0
            distance_j = distance_2[j]
            distance_bar = -strong_product(chosen, distance_j * distance_j)
            # distance = np.sqrt(dx**2 + dy**2 + dz**2)
            dx_1 = position[j, 0] - position[i, 0]
            distance_j = distance[j]
            dx_bar_1 = along(distance_bar, dx_1, distance_j)
            dy_1 = position[j, 1] - position[i, 1]
            dy_bar_1 = along(distance_bar, dy_1, distance_j)
            dz_1 = position[j, 2] - position[i, 2]
            dz_bar_1 = along(distance_bar, dz_1, distance_j)
            # dx, dy, dz = apart(position)
            dz_bar[0, j] += dz_bar_1
            dy_bar[0, j] += dy_bar_1
            dx_bar[0, j] += dx_bar_1
            result_term_4 -= dz_bar_1
            result_term_5 -= dy_bar_1
            result_term_6 -= dx_bar_1
        mass_bar[i, 0] += mass_bar_1
        result_term[i, 0] += result_term_4
        result_term_1[i, 0] += result_term_5
        result_term_2[i, 0] += result_term_6
    result = kinetic - 0.5 * result_term_3
    # reverse sweep
    # return energy(mass, position, velocity)
    for i in range(n):
        mass_bar[i, 0] += closeness_times_mass[0, i]
    # dx, dy, dz = apart(position)
    position_bar = np.zeros_like(position)
    for i in range(n):
        position_bar[i, 2] += dz_bar[0, i]
    for i in range(n):
        position_bar[i, 2] += result_term[i, 0]
    for i in range(n):
        position_bar[i, 1] += dy_bar[0, i]
    for i in range(n):
        position_bar[i, 1] += result_term_1[i, 0]
    for i in range(n):
        position_bar[i, 0] += dx_bar[0, i]
    for i in range(n):
        position_bar[i, 0] += result_term_2[i, 0]
    # kinetic = 0.5 * np.sum(mass * velocity**2)
    velocity_bar = np.empty_like(thrust)
    kinetic_bar = np.zeros((n, 1))
    for i in range(n):
        for j in range(3):
            velocity_i_j = velocity[i, j]
            kinetic_bar[i, 0] += 0.5 * velocity_i_j ** 2
            velocity_bar[i, j] = mass[i, 0] * velocity_i_j
    for i in range(n):
        mass_bar[i, 0] += kinetic_bar[i, 0]
    for i in range(steps - 1, -1, -1):
        acceleration_bar_1 = acceleration_bar_tape[i]
        dx_2 = dx_tape[i]
        acceleration_bar_2 = acceleration_bar_tape_1[i]
        velocity_term = 0.5 * STEP
        softening_pow_2_1 = SOFTENING ** 2
        dx_tape_1 = np.empty_like(dx_2)
        dy_tape_1 = np.empty_like(dx_2)
        dz_tape_1 = np.empty_like(dx_2)
        for j in range(n):
            for k in range(n):
                strength_tape_i_j_k = strength_tape[i, j, k]
                result_term_3 = dx_tape[i, j, k] * strength_tape_i_j_k
                dx_tape_1[j, k] = result_term_3
                result_term_3 = dy_tape[i, j, k] * strength_tape_i_j_k
                dy_tape_1[j, k] = result_term_3
                result_term_3 = dz_tape[i, j, k] * strength_tape_i_j_k
                dz_tape_1[j, k] = result_term_3
        # velocity += acceleration * (0.5 * STEP)
        velocity_term_1 = 0.5 * STEP
        for j in range(n):
            for k in range(3):
                acceleration_bar_term = velocity_bar[j, k] * velocity_term_1
                acceleration_bar_2[j, k] += acceleration_bar_term
        # acceleration = pull(mass, position)
        shape = acceleration_bar_2[:, 2:3].shape
        acceleration_bar_3 = np.empty(shape)
        acceleration_bar_4 = np.empty(shape)
        acceleration_bar_5 = np.empty(shape)
        for j in range(n):
            acceleration_bar_3[j, 0] = acceleration_bar_2[j, 2]
            acceleration_bar_2[j, 2] = 0.0
            acceleration_bar_4[j, 0] = acceleration_bar_2[j, 1]
            acceleration_bar_2[j, 1] = 0.0
            acceleration_bar_5[j, 0] = acceleration_bar_2[j, 0]
            acceleration_bar_2[j, 0] = 0.0
        result_term = dz_tape_1.T @ acceleration_bar_3
        result_term_1 = dy_tape_1.T @ acceleration_bar_4
        result_term_2 = dx_tape_1.T @ acceleration_bar_5
        for j in range(n):
            result_term_3 = result_term[j, 0] + result_term_1[j, 0]
            mass_bar[j, 0] += result_term_3 + result_term_2[j, 0]
        dz_bar = np.zeros((1, n))
        result_bar = np.zeros((n, 1))
        dy_bar = np.zeros((1, n))
        result_bar_1 = np.zeros((n, 1))
        dx_bar = np.zeros((1, n))
        result_bar_2 = np.zeros((n, 1))
        for j in range(n):
            result_term_3 = 0.0
            result_term_4 = 0.0
            result_term_5 = 0.0
            for k in range(n):
                mass_k_0 = mass[k, 0]
                result_term_6 = acceleration_bar_3[j, 0] * mass_k_0
                strength_tape_i_j_k = strength_tape[i, j, k]
                dz_bar_1 = strong_product(result_term_6, strength_tape_i_j_k)
                dz_tape_i_j_k = dz_tape[i, j, k]
                strength_bar = strong_product(result_term_6, dz_tape_i_j_k)
                result_term_6 = acceleration_bar_4[j, 0] * mass_k_0
                dy_bar_1 = strong_product(result_term_6, strength_tape_i_j_k)
                dy_tape_i_j_k = dy_tape[i, j, k]
                strength_bar += strong_product(result_term_6, dy_tape_i_j_k)
                result_term_6 = acceleration_bar_5[j, 0] * mass_k_0
                dx_tape_i_j_k = dx_tape[i, j, k]
                strength_bar += strong_product(result_term_6, dx_tape_i_j_k)
                # strength = (dx**2 + dy**2 + dz**2 + SOFTENING**2) ** (-1.5)
                strength_term = strength_tape_i_j_k / (dx_tape_i_j_k ** 2 + dy_tape_i_j_k ** 2
                        + dz_tape_i_j_k ** 2 + softening_pow_2_1)
                strength_term_times_2 = strong_product(strength_bar * -1.5, strength_term) * 2.0
                dz_bar_1 += strong_product(strength_term_times_2, dz_tape_i_j_k)
                dy_bar_1 += strong_product(strength_term_times_2, dy_tape_i_j_k)
                dx_bar_term = strong_product(result_term_6, strength_tape_i_j_k)
                dx_bar_1 = dx_bar_term + strong_product(strength_term_times_2, dx_tape_i_j_k)
                # dx, dy, dz = apart(position)
                dz_bar[0, k] += dz_bar_1
                dy_bar[0, k] += dy_bar_1
                dx_bar[0, k] += dx_bar_1
                result_term_3 -= dz_bar_1
                result_term_4 -= dy_bar_1
                result_term_5 -= dx_bar_1
            result_bar[j, 0] += result_term_3
            result_bar_1[j, 0] += result_term_4
            result_bar_2[j, 0] += result_term_5
        for j in range(n):
            position_bar[j, 2] += dz_bar[0, j]
        for j in range(n):
            position_bar[j, 2] += result_bar[j, 0]
        for j in range(n):
            position_bar[j, 1] += dy_bar[0, j]
        for j in range(n):
            position_bar[j, 1] += result_bar_1[j, 0]
        for j in range(n):
            position_bar[j, 0] += dx_bar[0, j]
        for j in range(n):
            position_bar[j, 0] += result_bar_2[j, 0]
        # position += velocity * STEP
        for j in range(n):
            for k in range(3):
                position_bar_times_step = position_bar[j, k] * STEP
                velocity_bar[j, k] += position_bar_times_step
                # velocity += acceleration * (0.5 * STEP)
                acceleration_bar_term = velocity_bar[j, k] * velocity_term
                acceleration_bar_1[j, k] += acceleration_bar_term
    # acceleration = pull(mass, position)
    shape = acceleration_bar[:, 2:3].shape
    acceleration_bar_1 = np.empty(shape)
    acceleration_bar_2 = np.empty(shape)
    acceleration_bar_3 = np.empty(shape)
    for i in range(n):
        acceleration_bar_1[i, 0] = acceleration_bar[i, 2]
        acceleration_bar[i, 2] = 0.0
        acceleration_bar_2[i, 0] = acceleration_bar[i, 1]
        acceleration_bar[i, 1] = 0.0
        acceleration_bar_3[i, 0] = acceleration_bar[i, 0]
        acceleration_bar[i, 0] = 0.0
    result_term = dz_times_strength.T @ acceleration_bar_1
    result_term_1 = dy_times_strength.T @ acceleration_bar_2
    result_term_2 = dx_times_strength.T @ acceleration_bar_3
    for i in range(n):
        mass_bar_term = result_term[i, 0] + result_term_1[i, 0] + result_term_2[i, 0]
        mass_bar[i, 0] += mass_bar_term
    dz_bar = np.zeros((1, n))
    result_bar = np.zeros((n, 1))
    dy_bar = np.zeros((1, n))
    result_bar_1 = np.zeros((n, 1))
    dx_bar = np.zeros((1, n))
    result_bar_2 = np.zeros((n, 1))
    for i in range(n):
        result_term_3 = 0.0
        result_term_4 = 0.0
        result_term_5 = 0.0
        for j in range(n):
            mass_j_0 = mass[j, 0]
            result_term_6 = acceleration_bar_1[i, 0] * mass_j_0
            strength_i_j = strength[i, j]
            dz_bar_1 = strong_product(result_term_6, strength_i_j)
            dz_i_j = dz[i, j]
            strength_bar = strong_product(result_term_6, dz_i_j)
            result_term_6 = acceleration_bar_2[i, 0] * mass_j_0
            dy_bar_1 = strong_product(result_term_6, strength_i_j)
            dy_i_j = dy[i, j]
            strength_bar += strong_product(result_term_6, dy_i_j)
            result_term_6 = acceleration_bar_3[i, 0] * mass_j_0
            dx_i_j = dx[i, j]
            strength_bar += strong_product(result_term_6, dx_i_j)
            # strength = (dx**2 + dy**2 + dz**2 + SOFTENING**2) ** (-1.5)
            strength_term = strength_i_j / (dx_i_j ** 2 + dy_i_j ** 2 + dz_i_j ** 2
                    + softening_pow_2)
            strength_term_times_2 = strong_product(strength_bar * -1.5, strength_term) * 2.0
            dz_bar_1 += strong_product(strength_term_times_2, dz_i_j)
            dy_bar_1 += strong_product(strength_term_times_2, dy_i_j)
            dx_bar_term = strong_product(result_term_6, strength_i_j)
            dx_bar_1 = dx_bar_term + strong_product(strength_term_times_2, dx_i_j)
            # dx, dy, dz = apart(position)
            dz_bar[0, j] += dz_bar_1
            dy_bar[0, j] += dy_bar_1
            dx_bar[0, j] += dx_bar_1
            result_term_3 -= dz_bar_1
            result_term_4 -= dy_bar_1
            result_term_5 -= dx_bar_1
        result_bar[i, 0] += result_term_3
        result_bar_1[i, 0] += result_term_4
        result_bar_2[i, 0] += result_term_5
    for i in range(n):
        position_bar[i, 2] += dz_bar[0, i]
    for i in range(n):
        position_bar[i, 2] += result_bar[i, 0]
    for i in range(n):
        position_bar[i, 1] += dy_bar[0, i]
    for i in range(n):
        position_bar[i, 1] += result_bar_1[i, 0]
    for i in range(n):
        position_bar[i, 0] += dx_bar[0, i]
    for i in range(n):
        position_bar[i, 0] += result_bar_2[i, 0]
    # velocity = thrust - np.sum(mass * thrust, axis=0) / np.sum(mass)
    velocity_bar_1 = np.zeros(3)
    for i in range(n):
        for j in range(3):
            velocity_bar_1[j] -= velocity_bar[i, j]
    velocity_bar_2 = np.empty_like(velocity_bar_1)
    mass_bar_term = 0.0
    for i in range(3):
        velocity_bar_i = velocity_bar_1[i]
        velocity_bar_2[i] = velocity_bar_i / sum_mass
        mass_bar_term -= velocity_bar_i * sums_over_sum_mass[i] / sum_mass
    for i in range(n):
        mass_bar[i, 0] += mass_bar_term
    thrust_bar = np.empty_like(thrust)
    velocity_bar_3 = np.zeros((n, 1))
    for i in range(n):
        for j in range(3):
            velocity_bar_j = velocity_bar_2[j]
            velocity_bar_3[i, 0] += velocity_bar_j * thrust[i, j]
            thrust_bar_i_j = velocity_bar[i, j] + velocity_bar_j * mass[i, 0]
            thrust_bar[i, j] = thrust_bar_i_j
    for i in range(n):
        mass_bar[i, 0] += velocity_bar_3[i, 0]
    # position = start.copy()
    return result, (mass_bar, position_bar, thrust_bar)
