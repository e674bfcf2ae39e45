import backsweep as bs


def square(x):
    return x * x


def fail():
    bs.trace(square)(3.0).graph().save("square.pdf")
