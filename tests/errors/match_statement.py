import backsweep as bs


def chosen(x):
    match {"rate": x}:
        case {"rate": rate}:
            return x * rate
    return 0.0


def fail():
    bs.grad(chosen)(2.0)
