import backsweep as bs


class Box:
    def __init__(self, content):
        self.content = content

    def __setattr__(self, name, value):
        object.__setattr__(self, name, 2.0 * value)


def boxed(x):
    return Box(x * x).content


def fail():
    bs.grad(boxed)(2.0)
