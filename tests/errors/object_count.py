import backsweep as bs


class Box:
    def __init__(self, content):
        self.content = content


def boxes(x, n):
    made = []
    for k in range(n):
        made.append(Box(x * k))
    return sum(box.content for box in made)


def fail():
    bs.grad(boxes)(2.0, 3)
