import backsweep as bs


def turned(x):
    z = complex(x, 1.0)
    w = z * z
    return w.real * w.imag


def fail():
    bs.grad(turned)(0.7)
