import backsweep as bs


def late(x):
    import no_such_module

    return no_such_module.f(x)


def fail():
    bs.grad(late)(1.0)
