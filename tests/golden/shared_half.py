"""A quotient that both adjoints read stays one quotient."""

ARGS = (0.7, 1.3)
WRT = ("s", "e")


def shared_half(s, e):
    return 0.5 / s * e**2
