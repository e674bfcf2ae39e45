"""Compile the kernels of the programs for a GPU of compute capability 9.0, without one: `python -m tests.gpu.compiled`.

It needs `numba-cuda` with NVVM and NVRTC (`pip install numba-cuda[cu13]`), and no driver. The simulator runs the programs first, and tells the types
with which each kernel is started.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

CAPABILITY = (9, 0)


def started() -> None:
    """In a process with the simulator: write the texts of the modules, and the kernels with the types of their arguments."""
    import numpy as np
    from numba.cuda.simulator.kernel import FakeCUDAKernel

    import backsweep as bs
    from tests.gpu.programs import CASES

    kernels: list[tuple[str, str, list[Any]]] = []
    texts: dict[str, str] = {}
    call = FakeCUDAKernel.__call__

    def described(value: Any) -> Any:
        array = getattr(value, "_ary", value)
        if not isinstance(array, np.ndarray):
            return "int64" if isinstance(array, int) else np.asarray(array).dtype.name
        order = "C" if array.flags.c_contiguous else "F" if array.flags.f_contiguous else "A"
        return [array.dtype.name, array.ndim, order]

    def noted(kernel: Any, *args: Any) -> Any:
        if "_kernel" in kernel.__name__:
            kernels.append((current, re.sub("_[0-9a-f]{16}$", "", kernel.__name__), [*map(described, args)]))
        return call(kernel, *args)

    FakeCUDAKernel.__call__ = noted
    for case in CASES:
        current = case.function.__name__
        options = {} if case.parallel is None else {"parallel": case.parallel}
        on_gpu = bs.cuda(bs.value_and_grad(case.function, wrt=case.wrt, **options))
        on_gpu(*case.args)
        texts[current] = str(on_gpu.source())
    json.dump((texts, kernels), sys.stdout)


def compiled(texts: dict[str, str], kernels: list[tuple[str, str, list[Any]]]) -> None:
    """Compile each kernel to PTX."""
    import numba.cuda.dispatcher
    import numpy as np
    from numba import cuda, from_dtype, types

    class Device:
        """What Numba asks of a device where a kernel calls a function."""

        compute_capability = CAPABILITY

    numba.cuda.dispatcher.get_current_device = lambda: Device
    modules = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            path = Path(folder) / f"emitted_{name}.py"
            path.write_text(text, encoding="utf-8")
            spec = importlib.util.spec_from_file_location(path.stem, path)
            assert spec is not None and spec.loader is not None
            modules[name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(modules[name])
        for case, kernel, given in {json.dumps(each): each for each in kernels}.values():
            signature = tuple(
                types.Array(from_dtype(np.dtype(each[0])), *each[1:])
                if isinstance(each, list)
                else getattr(types, each)
                for each in given
            )
            ptx, _ = cuda.compile_ptx(getattr(modules[case], kernel).py_func, signature, cc=CAPABILITY)
            print(f"{case}: {kernel}, {len(ptx.splitlines())} lines")


def main() -> None:
    if "--started" in sys.argv:
        started()
        return
    done = subprocess.run(
        [sys.executable, "-m", "tests.gpu.compiled", "--started"],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    compiled(*json.loads(done.stdout))


if __name__ == "__main__":
    main()
