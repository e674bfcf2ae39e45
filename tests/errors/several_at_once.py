import backsweep as bs


def tangled(x, n):
    try:
        y = x / n
    except FloatingPointError:
        y = 0.0
    squares = [k * x for k in range(n)]
    with open("log") as log:
        log.write("done")
    y = x if isinstance(y, float) else 1.0
    return x + spam(x)


def fail():
    bs.grad(tangled)(1.0, 3)
