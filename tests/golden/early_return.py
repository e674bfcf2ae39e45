"""A `return` within a loop."""

ARGS = (0.45, 20)
WRT = ("x",)


def early_return(x, n):
    for i in range(n):
        x = x * 1.3 + 0.1 * x * x
        if x > 2.0:
            return x * x * i
    return x
