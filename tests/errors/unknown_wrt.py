import backsweep as bs


def area(width, height):
    return width * height


def fail():
    bs.grad(area, wrt="hieght")
