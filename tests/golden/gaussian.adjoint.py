"""Adjoint of `gaussian` (gaussian.py:9) with respect to S, x. Written by backsweep."""
import numpy as np

from backsweep.runtime.linalg import cofactors
from backsweep.runtime.matrices.lu import lu_determinant, lu_factors, lu_solution, lu_solution_turned


def gaussian_value_and_grad(S, x):
    # forward sweep
    n, m = S.shape
    if x.shape[0] != m:
        raise ValueError('this code is for x.shape[0] == S.shape[1]')
    if m != n:
        raise ValueError('this code is for S.shape[1] == S.shape[0]')
    factors_S, pivots_S = lu_factors(S)
    y = lu_solution(factors_S, pivots_S, x)
    det_S = lu_determinant(S, factors_S, pivots_S)
    result = 0.5 * np.dot(x, y) + 0.5 * np.log(det_S)
    # reverse sweep
    # return 0.5 * np.dot(x, y) + 0.5 * np.log(np.linalg.det(S))
    result_term = 0.5 / det_S
    cofactors_S = cofactors(S)
    S_bar = np.empty_like(cofactors_S)
    for i in range(n):
        for j in range(n):
            S_bar[i, j] = result_term * cofactors_S[i, j]
    x_bar = np.empty_like(y)
    y_bar = np.empty_like(y)
    for i in range(n):
        x_bar[i] = 0.5 * y[i]
        y_bar[i] = 0.5 * x[i]
    # y = np.linalg.solve(S, x)
    solve_transpose_S = lu_solution_turned(factors_S, pivots_S, y_bar)
    for i in range(n):
        for j in range(n):
            minus_y_term = -(solve_transpose_S[i] * y[j])
            S_bar[i, j] += minus_y_term
    for i in range(n):
        x_bar[i] += solve_transpose_S[i]
    return result, (S_bar, x_bar)
