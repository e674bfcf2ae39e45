"""Gradients called inside of what is differentiated."""

import math

import numpy as np

import backsweep as bs
from tests.zoo.case import case, vector


def wave(x, w):
    return math.sin(x) * w * x


def energy(p):
    return np.sum(p**3) * p[0]


slope = bs.grad(wave, jit=False)
curvature = bs.grad(bs.grad(wave, jit=False), jit=False)
both = bs.value_and_grad(wave, argnums=(0, 1), jit=False)
named = bs.grad(wave, wrt=("w", "x"), jit=False)
force = bs.grad(energy, jit=False)


def at_one(derivative, w):
    return derivative(1.0, w)


@case(0.3, 0.7)
def penalty(x, w):
    return wave(x, w) + slope(x, w=w) ** 2 + curvature(x, w)


@case(0.3, 0.7)
def value_and_gradient(x, w):
    value, (x_bar, w_bar) = both(x, w)
    total = value
    for i in range(3):
        total += slope(x * i, w) * x_bar + w_bar
    return total


@case(0.3, 0.7)
def by_name(x, w):
    gradient = named(x, w)
    return gradient.w * gradient.x


@case(vector(3), 4)
def steps_along_the_gradient(p, n):
    q = p.copy()
    for _ in range(n):
        q = q - 0.01 * force(q)
    return np.sum(q * q)


@case(0.3, 2)
def made_within(x, n):
    total = x
    for i in range(n):
        total += bs.grad(wave, argnums=1, jit=False)(total, x) * i
    return total


@case(0.7)
def passed_on(w):
    return at_one(slope, w) * w


@case(0.4, 0.8)
def newton(x, w):
    for _ in range(4):
        x = x - slope(x, w) / curvature(x, w)
    return x


def times(f):
    def made(x):
        return f(x) * x

    return made


slope_of_made = times(bs.grad(times(math.sin), jit=False))


@case(0.4)
def closures_of_one_text(x):
    return slope_of_made(x) * x


def weighed(scale, *given):
    return scale * wave(*given[:2]) * given[2]


slopes_of_many = bs.grad(weighed, wrt=("scale", "given"), jit=False)


@case(0.4, 0.8)
def any_number_of_arguments(x, w):
    by_scale, by_given = slopes_of_many(2.0, x, w, x * w)
    return by_scale + by_given[0] * by_given[2] + slopes_of_many(x, w, x, 1.0)[1][1]
