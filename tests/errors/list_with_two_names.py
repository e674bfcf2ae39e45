import backsweep as bs


def longest(x):
    values, others = [x], [x * x, 1.0]
    for _ in range(3):
        chosen = values if len(values) > len(others) else others
        chosen.append(x)
    return values[-1] * others[-1]


def fail():
    bs.grad(longest)(0.7)
