"""Damaged files in the cache folder: each costs a compilation and no more, wherever the damage is."""

from __future__ import annotations

import pickle
import random
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from backsweep.runtime.machine_code import kept
from tests.support.children import printed
from tests.support.sampled import turning

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
GRADIENTS = """
import os
import sys
from pathlib import Path

import numpy as np

import backsweep as bs


def cubes(x, w):
    total = 0.0
    for i in range(x.shape[0]):
        total += w * x[i] ** 3
    return total


def products(x):
    return np.sum(np.cumprod(x) * np.arange(x.shape[0]))


def found():
    x = np.array([0.5, -0.2, 0.8])
    return [*bs.grad(cubes, argnums=(0, 1))(x, 2.0)[0], bs.vjp(cubes, x, 2.0)[1](1.0)[1], *bs.grad(products)(x)]


"""
EACH = """
for folder in sorted(Path(sys.argv[0]).parent.glob("damaged_*")):
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.environ["BACKSWEEP_CACHE_DIR"] = str(folder)
        print(folder.name, *found())
        sys.stdout.flush()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status:
        print(folder.name, "ended with", status)
"""


class Evil:
    """What leaves a trace when it is unpickled."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self):
        return Path.touch, (self.trace,)


def flipped(content: bytes, at: int, bit: int) -> bytes:
    """The content with one bit changed."""
    return content[:at] + bytes([content[at] ^ (1 << bit)]) + content[at + 1 :]


def damages(whole: Path) -> Iterator[tuple[Path, bytes]]:
    """Files of the folder, each with what it holds once it is damaged."""
    chance = random.Random(7)
    trace = pickle.dumps(Evil(whole.parent / "executed"))
    files = sorted(path for path in whole.iterdir() if path.suffix != ".lock")
    assert {path.suffix for path in files} == {".py", ".txt", ".nbi", ".nbc"}
    for path in files:
        content = path.read_bytes()
        alike = [other for other in files if other.suffix == path.suffix and other != path]
        yield path, b""
        yield path, trace
        yield path, content[:65] + trace
        yield path, content + b"\0"
        yield path, chance.choice(alike).read_bytes()
        for _ in range(12):
            at = chance.randrange(len(content))
            yield path, content[:at]
            yield path, content[:at] + bytes(len(content[at:]))
            yield path, flipped(content, at, chance.randrange(8))


@pytest.mark.turns(9)
def test_every_damage_costs_a_compilation_and_no_more(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    program = GRADIENTS + "print(*found())\n"
    expected = printed(program, {"BACKSWEEP_CACHE_DIR": str(whole)}, tmp_path)
    tried = turning(749, damages(whole))
    for count, (path, content) in enumerate(tried):
        copy = tmp_path / f"damaged_{count:03d}"
        shutil.copytree(whole, copy)
        (copy / path.name).write_bytes(content)
        if path.name.startswith("backsweep.runtime"):  # Numba reads it where what calls it is compiled
            for caller in copy.glob("products_grad-*.nb?"):
                caller.unlink()
    seconds = 600.0 + 10.0 * len(tried)
    found = printed(GRADIENTS + EACH, {}, tmp_path, seconds=seconds).splitlines()
    assert found == [f"damaged_{k:03d} {expected.strip()}" for k in range(len(tried))]
    assert not (tmp_path / "executed").exists()
    for copy in tmp_path.glob("damaged_*"):  # made anew
        for path in whole.glob("products_grad-*.nbi"):  # kernels are read again where callers are compiled
            assert kept.whole(copy / path.name) is not None
        for path in (*whole.glob("*.py"), *whole.glob("*.txt")):
            assert (copy / path.name).read_bytes() == path.read_bytes()


def test_a_text_kept_under_another_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from backsweep.store import text_files as cache

    monkeypatch.setenv("BACKSWEEP_CACHE_DIR", str(tmp_path / "cache"))
    cache.remember("emitted", "0" * 16, "one")
    cache.remember("emitted", "1" * 16, "another")
    one, another = (tmp_path / "cache" / f"emitted_{digit * 16}.txt" for digit in "01")
    one.write_bytes(another.read_bytes())
    assert cache.remembered("emitted", "0" * 16) is None
    assert cache.remembered("emitted", "1" * 16) == "another"
