import backsweep as bs


def fail():
    bs.trace(3)
