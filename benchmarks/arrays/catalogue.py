"""All kernels of the suite, by name, in the order of the table."""

from __future__ import annotations

from benchmarks.arrays import dense, learning, numerics, physics, stencils, weather
from benchmarks.arrays.kernel import Kernel

KERNELS: dict[str, Kernel] = {
    kernel.name: kernel
    for family in (stencils, weather, dense, physics, learning, numerics)
    for kernel in family.KERNELS
}
