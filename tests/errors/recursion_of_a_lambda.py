import backsweep as bs


def halved(f, a, b, n):
    if n == 0:
        return 0.5 * (b - a) * (f(a) + f(b))
    c = 0.5 * (a + b)
    return halved(f, a, c, n - 1) + halved(f, c, b, n - 1)


def integral(k):
    return halved(lambda t: k * t * t, 0.0, 1.0, 3)


def fail():
    bs.grad(integral)(2.0)
