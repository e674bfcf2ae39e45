import backsweep as bs


class Spring:
    __slots__ = ("stiffness",)

    def __init__(self, stiffness):
        self.stiffness = stiffness


def energy(spring, x):
    return 0.5 * spring.stiffness * x * x


def fail():
    bs.grad(energy, argnums=1)(Spring(2.0), 0.5)
