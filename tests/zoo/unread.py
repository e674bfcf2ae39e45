"""Arguments on which the result does not depend, always or at times: their gradients are zeros of their own types."""

import numpy as np

from tests.zoo.case import case, vector


@case(0.7, 0.3 + 0.4j)
@case(1.7, 0.3 + 0.4j)
def complex_on_one_branch(x, z):
    if x > 1.0:
        return x * x
    return x * (z * z).real


@case(0.7, 0.3 + 0.4j, (0.2 + 0.1j, 0.4))
def complex_numbers(x, z, pair):
    return x * pair[1]


@case(0.7, 0.3 + 0.4j, 0)
@case(0.7, 0.3 + 0.4j, 2)
def complex_in_a_loop(x, z, n):
    s = x
    for _ in range(n):
        s = s * (z * z).real
    return s


@case(0.7, np.float32(0.4), vector(3), vector(3) * 1j, vector(2).astype(np.float32))
def of_every_type(x, u, a, z, w):
    return x * x
