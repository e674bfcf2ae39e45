import backsweep as bs


def volume(width=1.0, height=2.0, depth=3.0):
    return width * height * depth


def grown(x):
    sides = ()
    for k in range(3):
        sides = sides + (x * k + 1.0,)
    return x * volume(*sides)


def fail():
    bs.grad(grown)(2.0)
