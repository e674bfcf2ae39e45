import backsweep as bs


def chatty(x):
    print("x is", x)
    return x * x


def fail():
    bs.grad(chatty)(2.0)
