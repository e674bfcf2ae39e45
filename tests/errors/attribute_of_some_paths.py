import backsweep as bs


class Kept:
    def __init__(self, x):
        self.x = x

    def squared(self):
        if not hasattr(self, "square"):
            self.square = self.x**2
        return self.square


def energy(x):
    kept = Kept(x)
    s = 0.0
    for _ in range(3):
        s += kept.squared()
    return s


def fail():
    bs.grad(energy)(1.5)
