import backsweep as bs


def first_two(x):
    kept = [x, 3.0 * x, 2.0 * x]
    return kept[0:2.0][1]


def fail():
    bs.grad(first_two)(1.0)
