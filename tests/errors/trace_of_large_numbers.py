import backsweep as bs


def scrambled(x, seed):
    for _ in range(3):
        seed = seed * 6364136223846793005 + 1442695040888963407
    return x * (seed % 10)


def fail():
    bs.trace(scrambled)(0.5, 7)
