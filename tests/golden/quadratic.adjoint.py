"""Adjoint of `quadratic` (quadratic.py:13) with respect to L, m. Written by backsweep."""
import numpy as np


def quadratic_value_and_grad(L, m, x):
    # forward sweep
    n, x_size1 = x.shape
    L_shape = L.shape
    m_size0 = m.shape[0]
    if n > 0 and L_shape[0] < m_size0:
        raise IndexError('L[j, c] is out of bounds')
    if n > 0 and L_shape[1] < m_size0:
        raise IndexError('L[j, c] is out of bounds')
    if n > 0 and x_size1 < m_size0:
        raise IndexError('x[i, c] is out of bounds')
    row_tape = np.empty(m_size0)
    m_bar = np.zeros_like(m)
    L_bar = np.zeros_like(L)
    x_terms = np.empty(m_size0)
    total = 0.0
    for i in range(n):
        for j in range(m_size0):
            row = 0.0
            for c in range(j + 1):
                row += L[j, c] * (x[i, c] - m[c])
            row_tape[j] = row
            total += row * row
        # reverse sweep
        for c in range(m_size0):
            x_terms[c] = x[i, c] - m[c]
        for j in range(m_size0):
            row = row_tape[j]
            # total += row * row
            row_bar = 2.0 * row
            for c in range(j + 1):
                # row += L[j, c] * (x[i, c] - m[c])
                x_terms_c = x_terms[c]
                m_bar[c] -= row_bar * L[j, c]
                L_bar[j, c] += row_bar * x_terms_c
    return total, (L_bar, m_bar)
