from scipy.optimize import brentq

import backsweep as bs


def counted(x):
    calls = 0

    def equation(t):
        nonlocal calls
        calls += 1
        return t * t - x

    return brentq(equation, 0.0, 5.0) * calls


def fail():
    bs.grad(counted)(2.0)
