import math

from backsweep.rules.declare import rule

namespace = {}
exec("def distance(p, q):\n    d = p - q\n    return d, lambda d_bar: (d_bar, -d_bar)\n", namespace)


def fail():
    rule(math.dist, samples=[])(namespace["distance"])
