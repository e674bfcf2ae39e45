import backsweep as bs


def halved(x, steps):
    if steps > 100:
        raise ValueError(f"after {steps:d} steps")
    if x > 1.0:
        return x * halved(0.5 * x, steps + 1)
    return x * x


def fail():
    bs.grad(halved)(5.3, 0)
