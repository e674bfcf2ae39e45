from scipy.special import jv

import backsweep as bs


def wave(order, x):
    return jv(order, 2.0 * x)


def fail():
    bs.grad(wave)(1.5, 0.7)
