"""Factors that are powers of two are one; a third of something stays where it is."""

ARGS = (0.7, 1.3)
WRT = ("x", "y")


def fourfold(x, y):
    u = 2.0 * x
    v = u * u / 3.0
    return v * y * 0.25
