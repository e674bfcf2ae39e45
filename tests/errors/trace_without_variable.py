import backsweep as bs


def neuron(x, w, b):
    u = x * w
    return max(u + b, 0.0)


def fail():
    bs.trace(neuron)(3.0, 2.0, 1.0).contributions("uu")
