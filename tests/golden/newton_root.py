"""A `while` loop left by `break`: the trips are counted, the carried value goes to a growing tape."""

ARGS = (2.7,)
WRT = ("a",)


def newton_root(a):
    x = a
    while True:
        step = 0.5 * (x - a / x)
        x = x - step
        if abs(step) < 1e-12:
            break
    return x
