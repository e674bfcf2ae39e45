import backsweep as bs

namespace = {}
exec("def f(x):\n    return x * x\n", namespace)


def fail():
    bs.grad(namespace["f"])(1.0)
