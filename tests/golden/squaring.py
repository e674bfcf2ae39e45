"""A `while` loop whose condition reads the carried value."""

ARGS = (1.4,)
WRT = ("v",)


def squaring(v):
    while v < 100.0:
        v = v * v
    return v
