import backsweep as bs


def loss(x, **options):
    return x * options["scale"]


def fail():
    bs.grad(loss)(1.0, scale=2.0)
