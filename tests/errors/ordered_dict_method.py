import collections

import backsweep as bs


def ordered(x):
    d = collections.OrderedDict()
    d[1] = x
    d[2] = x * x
    d.move_to_end(1)
    return list(d.values())[0]


def fail():
    bs.grad(ordered)(1.0)
