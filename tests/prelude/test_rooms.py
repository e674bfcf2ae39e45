"""A room of the prelude is read when a program first calls a function of it."""

import subprocess
import sys

import pytest

PROGRAM = """
import numpy as np
import backsweep as bs
{imports}

print(bs.vjp(lambda v: np.sum({call}), np.array([1.0, 2.0, 4.0]), jit=False)[0])
"""
FIRST = {
    "a class of NumPy": ("", "np.poly1d(v)(2.0)", "12.0"),
    "a function of NumPy": ("", "np.polyder(v)", "4.0"),
    "a function of a package": ("from numpy.polynomial import polynomial", "polynomial.polyder(v)", "10.0"),
}


@pytest.mark.parametrize("name", FIRST)
def test_the_first_call_of_a_program_reads_the_room(name):
    imports, call, expected = FIRST[name]
    program = PROGRAM.format(imports=imports, call=call)
    message = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True
    )
    assert message.stdout.strip() == expected
