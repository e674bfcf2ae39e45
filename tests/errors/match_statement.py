import backsweep as bs


def chosen(p):
    match p:
        case (x, y):
            return x * y
    return 0.0


def fail():
    bs.grad(chosen)((1.0, 2.0))
