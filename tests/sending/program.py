"""A user's script: workers of the kind that its argument names compute derivatives of functions that no worker can import."""

import dataclasses
import sys

import numba
import numpy as np

import backsweep as bs

RATE = 3.0


def rate(x):
    return np.sin(x) * RATE


def loss(x, w):
    u = rate(x * w)
    return u * u


def power(k):
    def inner(x):
        return k * x**3

    return inner


@dataclasses.dataclass
class Plate:
    width: float
    height: float = 2.0

    def area(self):
        return self.width * self.height


def area(plate):
    return plate.area()


@numba.njit
def fourth(x):
    return x**4


def refused(x):
    return x.nothing()


def told(f, x):
    try:
        return f(x)
    except bs.UnsupportedError as error:
        return str(error).splitlines()[2]


def tasks():
    """Functions and arguments."""
    plain = {"jit": False}
    return [
        (bs.grad(loss, wrt=("x", "u")), (1.0, 2.0)),
        (bs.grad(loss, wrt=("x", "u")), (2.0, 2.0)),
        (bs.grad(power(5.0), **plain), (2.0,)),
        (bs.hessian(fourth, **plain), (2.0,)),
        (bs.grad(area, **plain), (Plate(3.0),)),
        (bs.vjp(lambda x, factors=(1.0,
                 2.0): factors[1] * x**2, 3.0, **plain)[1], (1.0,)),
        (told, (bs.grad(refused, **plain), 1.0)),
    ]  # fmt: skip


def compute(how, calls):
    """What the workers return."""
    match how:
        case "loky" | "threading":
            import joblib

            return joblib.Parallel(n_jobs=2, backend=how)(joblib.delayed(f)(*args) for f, args in calls)
        case "fork" | "spawn" | "forkserver":
            import multiprocessing
            from concurrent.futures import ProcessPoolExecutor

            with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(how)) as pool:
                return [each.result() for each in [pool.submit(f, *args) for f, args in calls]]
        case "threads" | "processes":
            import dask

            delayed = [dask.delayed(f)(*args) for f, args in calls]
            return dask.compute(*delayed, scheduler=how, num_workers=2)
        case "cluster":
            import distributed

            with (
                distributed.LocalCluster(
                    n_workers=2, threads_per_worker=1, dashboard_address=None
                ) as cluster,
                distributed.Client(cluster) as client,
            ):
                return client.gather([client.submit(f, *args) for f, args in calls])
        case "ray":
            import ray

            ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
            call = ray.remote(lambda f, *args: f(*args))
            return ray.get([call.remote(f, *args) for f, args in calls])
        case _:
            return [f(*args) for f, args in calls]


if __name__ == "__main__":
    for each in compute(sys.argv[1], tasks()):
        print(each)
