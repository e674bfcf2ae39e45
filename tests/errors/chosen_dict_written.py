import backsweep as bs

SPRINGS = {2: {"name": "left", "force": 1.0}, 5: {"name": "right", "force": 3.0}}


def loaded(x, n):
    for k in range(n):
        if k in SPRINGS:
            SPRINGS[k]["force"] += x
    return x * x


def fail():
    bs.grad(loaded)(2.0, 6)
