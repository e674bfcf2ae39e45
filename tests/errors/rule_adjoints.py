import math

from backsweep.rules.declare import rule


def distance(p, q):
    d = p - q
    return d, lambda d_bar: d_bar


def fail():
    rule(math.dist, samples=[])(distance)
