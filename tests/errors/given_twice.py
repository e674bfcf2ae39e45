import backsweep as bs


def rescaled(new, old):
    new["rate"] = new["rate"] * 2.0
    return new["rate"] * old["rate"]


def fail():
    params = {"rate": 1.5}
    bs.grad(rescaled)(params, params)
