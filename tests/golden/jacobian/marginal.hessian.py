"""Hessian of `marginal` (marginal.py:14) with respect to scale. Written by backsweep."""
from collections import namedtuple

import numpy as np

from backsweep.runtime.matrices.cholesky import cholesky_pullback, cholesky_pullback_along, cholesky_tangent
from backsweep.runtime.matrices.lu import lu_factors, lu_solution, lu_solution_turned
from backsweep.runtime.special import mutual_product, strong_product

Gradient = namedtuple('Gradient', ['scale'])
Gradient_1 = namedtuple('Gradient', ['scale'])


def marginal_hessian(scale, x, y):
    n = x.shape[0]
    if y.shape[0] != n:
        raise ValueError('this code is for y.shape[0] == x.shape[0]')
    scale_size0 = scale.shape[0]
    if scale_size0 < 2:
        raise IndexError('scale[1] is out of bounds')
    scale_0 = scale[0]
    eye_n = np.eye(n)
    scale_1 = scale[1]
    abs_subtract_x_part = np.empty_like(eye_n)
    exp_minus_lower_term = np.empty_like(eye_n)
    exp_minus_lower_term_1 = np.empty_like(eye_n)
    for i in range(n):
        for j in range(n):
            abs_subtract_x_part_i_j = np.abs(np.subtract(x[i], x[j]))
            abs_subtract_x_part[i, j] = abs_subtract_x_part_i_j
            exp_minus_lower_term_i_j = np.exp(-(scale_0 * abs_subtract_x_part_i_j))
            exp_minus_lower_term[i, j] = exp_minus_lower_term_i_j
            exp_minus_lower_term_i_j += scale_1 * eye_n[i, j]
            exp_minus_lower_term_1[i, j] = exp_minus_lower_term_i_j
    lower = np.linalg.cholesky(exp_minus_lower_term_1)
    factors_lower, pivots_lower = lu_factors(lower)
    solve_lower = lu_solution(factors_lower, pivots_lower, y)
    diag_lower = np.diag(lower)
    y_bar = np.empty_like(diag_lower)
    for i in range(n):
        y_bar[i] = 2.0 / diag_lower[i]
    x_bar = np.zeros_like(lower)
    for i in range(n):
        x_bar[i, i] = y_bar[i]
    result_term_term = np.empty_like(solve_lower)
    result_term = np.empty_like(solve_lower)
    y_bar_1 = np.empty_like(solve_lower)
    for i in range(n):
        result_term_term[i] = 2.0
        result_term[i] = 2.0 * solve_lower[i]
        y_bar_1[i] = y_bar[i] / diag_lower[i]
    solve_transpose_lower = lu_solution_turned(factors_lower, pivots_lower, result_term)
    for i in range(n):
        for j in range(n):
            minus_lower_bar_term = -(solve_transpose_lower[i] * solve_lower[j])
            x_bar[i, j] += minus_lower_bar_term
    lower_term = cholesky_pullback(x_bar, lower)
    scale_jacobian = np.empty((scale_size0, scale_size0))
    scale_dot = np.zeros_like(scale)
    # a tangent for each entry of scale, kept as a row: the Hessian is symmetric
    scale_dot_1 = np.empty((n, n))
    y_bar_dot = np.empty(n)
    solve_transpose_lower_dot = np.empty(n)
    for j in range(scale_size0):
        scale_dot[j] = 1.0
        scale_dot_0 = scale_dot[0]
        scale_dot_1_1 = scale_dot[1]
        scale_dot_times_eye_n = np.empty_like(abs_subtract_x_part)
        for i in range(n):
            for k in range(n):
                term = scale_dot_0 * abs_subtract_x_part[i, k]
                scale_dot_i_k = strong_product(term, exp_minus_lower_term[i, k])
                scale_dot_1[i, k] = scale_dot_i_k
                lower_term_1 = scale_dot_1_1 * eye_n[i, k] - scale_dot_i_k
                scale_dot_times_eye_n[i, k] = lower_term_1
        lower_dot = cholesky_tangent(scale_dot_times_eye_n, lower)
        factors_lower_dot = lower_dot.copy()
        solve_lower_term = lu_solution(factors_lower, pivots_lower, factors_lower_dot @ solve_lower)
        diag_lower_dot = np.diag(lower_dot)
        for i in range(n):
            y_bar_dot_i = -mutual_product(diag_lower_dot[i], y_bar_1[i])
            y_bar_dot[i] = y_bar_dot_i
        y_bar_dot_1 = np.zeros_like(x_bar)
        for i in range(n):
            y_bar_dot_1[i, i] = y_bar_dot[i]
        result_term_dot = np.empty_like(solve_lower_term)
        for i in range(n):
            result_term_dot_i = -(solve_lower_term[i] * result_term_term[i])
            result_term_dot[i] = result_term_dot_i
        term_2 = factors_lower_dot.T @ solve_transpose_lower
        term_2 = lu_solution_turned(factors_lower, pivots_lower, term_2)
        term_3 = lu_solution_turned(factors_lower, pivots_lower, result_term_dot)
        for i in range(n):
            term_i_minus_term_i = term_3[i] - term_2[i]
            solve_transpose_lower_dot[i] = term_i_minus_term_i
        for i in range(n):
            for k in range(n):
                lower_bar_term = solve_transpose_lower_dot[i] * solve_lower[k]
                minus_lower_bar_term = -(lower_bar_term - solve_transpose_lower[i]
                        * solve_lower_term[k])
                y_bar_dot_1[i, k] += minus_lower_bar_term
        lower_term_term = cholesky_pullback(y_bar_dot_1, lower)
        lower_term_term_1 = cholesky_pullback_along(lower_dot, x_bar, lower_term, lower)
        scale_bar_term = 0.0
        scale_bar_term_1 = 0.0
        for i in range(n):
            for k in range(n):
                lower_term_term_i_k = lower_term_term[i, k]
                lower_term_dot = lower_term_term_i_k + lower_term_term_1[i, k]
                scale_bar_term += strong_product(eye_n[i, k], lower_term_dot)
                exp_minus_lower_term_i_k = exp_minus_lower_term[i, k]
                lower_term_i_k = lower_term[i, k]
                scale_bar_term_2 = strong_product(lower_term_i_k, scale_dot_1[i, k])
                scale_bar_term_2 = strong_product(lower_term_dot,
                        exp_minus_lower_term_i_k) - scale_bar_term_2
                scale_bar_term_2 = strong_product(abs_subtract_x_part[i, k], scale_bar_term_2)
                scale_bar_term_1 -= scale_bar_term_2
        scale_bar_term_3 = np.zeros_like(scale)
        scale_bar_term_3[1] = scale_bar_term
        scale_bar_term_3[0] = scale_bar_term_1
        for i in range(scale_size0):
            scale_jacobian[j, i] = scale_bar_term_3[i]
        scale_dot[j] = 0.0
    return Gradient_1(Gradient(scale_jacobian))
