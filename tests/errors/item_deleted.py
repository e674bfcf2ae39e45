import backsweep as bs


def shortened(x):
    items = {"a": x, "b": x * x}
    if x > 0.0:
        del items["a"]
    return items["b"]


def fail():
    bs.grad(shortened)(1.0)
