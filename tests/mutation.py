"""The mutation check: a sign flipped or a term dropped anywhere in the mathematics makes some test fail.

    python -m tests.mutation                   every mutation; goes on where the last run stopped
    python -m tests.mutation --sample 20       twenty of them, the same ones each time (--seed for others)
    python -m tests.mutation --only tanh       those whose place or text has this word
    python -m tests.mutation --list            the places, without a run

Mutated are the adjoints and tangents of every rule (`compiler/rules`), the kernels and scans that rules call
(`runtime`), and each line of the transformation that makes, adds, copies or clears an adjoint or a tangent
(the modules that `tests/mutants.py` lists). The repository is copied to a temporary folder and stays as it is. Each mutation is one process,
which runs the tests nearest to it in their plain, uncompiled form and stops at the first that fails; where they all
pass, another runs those a little further away. The exit code is 1 if a mutation survives.
"""

from __future__ import annotations

import argparse
import compileall
import hashlib
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

from tests.mutants import ROOT, SUITES, Mutation, Suite, mutations

TOO_LONG = 300
"""Seconds after which a part of a suite counts as failed, ten times that for a whole one: the mutated program does not end."""
SURVIVED = {"passed", "no test"}
COMPILED = "runtime/support/compiled.py"
KERNELS_COMPILED = "if numba.config.DISABLE_JIT:"
"""The file, and the text in it, that decides whether kernels are compiled."""


def copy_to(folder: Path) -> None:
    """What tests need of the repository: the two packages under the names they are imported by, and the tests.

    Kernels stay plain Python where plain code calls them: compiling those of a file anew would take most of the time.
    """
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "compiler", folder / "backsweep", ignore=ignore)
    shutil.copytree(ROOT / "runtime", folder / "backsweep" / "runtime", ignore=ignore)
    shutil.copytree(ROOT / "tests", folder / "tests", ignore=ignore)
    shutil.copy(ROOT / "pyproject.toml", folder)
    path = folder / copied_path(COMPILED)
    text = path.read_text(encoding="utf-8").replace(KERNELS_COMPILED, "if True:")
    path.write_text(text, encoding="utf-8")
    compileall.compile_dir(folder, quiet=1)


def copied_path(path: str) -> str:
    """Where a file of the repository lies in the copy."""
    return path.replace("compiler/", "backsweep/", 1) if path.startswith("compiler/") else f"backsweep/{path}"


def outcome(folder: Path, suite: Suite, seconds: float) -> str:
    """What the tests say of the copy: "passed", "failed", "no test" or "too long"."""
    child = os.fork()
    if child == 0:
        os._exit(run_tests(folder, suite))
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return {0: "passed", 5: "no test"}.get(os.waitstatus_to_exitcode(status), "failed")
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "too long"


def run_tests(folder: Path, suite: Suite) -> int:
    """In a process of its own: pytest on the copy."""
    import pytest

    os.chdir(folder)
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    os.environ["BACKSWEEP_CACHE_DIR"] = str(folder / "cache")
    sys.dont_write_bytecode = True
    for name in [name for name in sys.modules if name.split(".")[0] in {"backsweep", "tests"}]:
        del sys.modules[name]
    sys.path.insert(0, str(folder))
    options = ["-n0", "-q", "-x", "--assert=plain", "-p", "no:cacheprovider"]
    return int(pytest.main([*options, "-k", suite.words, *suite.files.split()]))


def tried(mutation: Mutation, folder: Path) -> str:
    """The outcome of the tests with the mutation in place: of the nearest, and of those further away if they pass."""
    path = folder / copied_path(mutation.path)
    before, status = path.read_text(encoding="utf-8"), path.stat()
    path.write_text(before[: mutation.start] + mutation.new + before[mutation.end :], encoding="utf-8")
    found = "no test"
    try:
        for suite in mutation.suites:
            found = outcome(folder, suite, 10 * TOO_LONG if suite in SUITES else TOO_LONG)
            if found not in SURVIVED:
                break
        return found
    finally:
        path.write_text(before, encoding="utf-8")
        os.utime(path, (status.st_atime, status.st_mtime))  # so that its bytecode is found again


def digest() -> str:
    """A hash of all that outcomes depend on: results of other sources are not taken over."""
    found = hashlib.sha256()
    for path in sorted(
        [*ROOT.glob("compiler/**/*.py"), *ROOT.glob("runtime/*.py"), *ROOT.glob("tests/**/*.py")]
    ):
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


def check(chosen: list[Mutation], results: Path) -> list[Mutation]:
    """Try the mutations that have no outcome yet; those that no test noticed."""
    # Imported before the processes branch off, so that each need not do it again.
    import numba  # noqa: F401
    import pytest  # noqa: F401
    import scipy.special  # noqa: F401

    known = {}
    if results.exists():
        known = dict(json.loads(line) for line in results.read_text(encoding="utf-8").splitlines())
    survivors: list[Mutation] = []
    with (
        tempfile.TemporaryDirectory(prefix="mutation-") as temporary,
        results.open("a", encoding="utf-8") as file,
    ):
        folder = Path(temporary)
        copy_to(folder)
        needed = {suite.files for mutation in chosen for suite in mutation.suites}
        for suite in SUITES:
            if suite.files in needed and suite.files not in known:
                print(f"{suite.files} without a mutation, for comparison", flush=True)
                if outcome(folder, suite, 10 * TOO_LONG) != "passed":
                    raise SystemExit(f"{suite.files} fails without a mutation: mend that first")
                file.write(json.dumps([suite.files, "passed"]) + "\n")
        for number, mutation in enumerate(chosen, 1):
            start = time.monotonic()
            if mutation.key not in known:
                known[mutation.key] = tried(mutation, folder)
                file.write(json.dumps([mutation.key, known[mutation.key]]) + "\n")
                file.flush()
            survived = known[mutation.key] in SURVIVED
            message = f"{'SURVIVED' if survived else 'noticed'} ({known[mutation.key]})"
            print(
                f"{number}/{len(chosen)} {message} {time.monotonic() - start:.1f} s  {mutation}", flush=True
            )
            if survived:
                survivors.append(mutation)
    return survivors


def main() -> int:
    """Run the check; 1 if a mutation survives."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--only", default="", help="a word of the mutation's place or text")
    parser.add_argument("--sample", type=int, help="how many to draw")
    parser.add_argument("--seed", type=int, default=0, help="which ones to draw (default: 0)")
    parser.add_argument("--list", action="store_true", help="print the mutations, run nothing")
    parser.add_argument("--results", type=Path, help="where outcomes are kept (default: a temporary file)")
    options = parser.parse_args()
    chosen = [mutation for mutation in mutations() if options.only in f"{mutation}"]
    if options.sample is not None and options.sample < len(chosen):
        chosen = random.Random(options.seed).sample(chosen, options.sample)
    if options.list:
        print(*chosen, sep="\n")
        return 0
    results = options.results or Path(tempfile.gettempdir()) / f"backsweep-mutations-{digest()}.jsonl"
    survivors = check(chosen, results)
    print(f"{len(chosen)} mutations, {len(survivors)} survived; outcomes in {results}")
    print(*(f"SURVIVED {mutation}" for mutation in survivors), sep="\n")
    return 1 if survivors else 0


if __name__ == "__main__":
    raise SystemExit(main())
