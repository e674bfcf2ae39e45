import struct

import backsweep as bs


def framed(x):
    return x * struct.calcsize("d")


def fail():
    bs.grad(framed)(2.0)
