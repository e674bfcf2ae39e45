import backsweep as bs


def shortened(x):
    items = {"a": x, "b": x * x}
    del items["a"]
    return items["b"]


def fail():
    bs.grad(shortened)(1.0)
