"""The mutation check: a sign flipped or a term dropped anywhere in the mathematics makes some test fail.

    python -m tests.mutation                   every mutation; goes on where the last run stopped
    python -m tests.mutation --sample 20       twenty of them, the same ones each time (--seed for others)
    python -m tests.mutation --only tanh       those whose place or text has this word
    python -m tests.mutation --list            the places, without a run

Mutated are the adjoints of every rule (`compiler/rules`), the kernels and scans that rules call (`runtime`), and
each line of the transformation that makes, adds or clears an adjoint (`compiler/transform`). The repository is
copied to a temporary folder and stays as it is. Each mutation is one process, which runs the tests nearest to it in
their plain, uncompiled form and stops at the first that fails. The exit code is 1 if a mutation survives.
"""

from __future__ import annotations

import argparse
import ast
import functools
import hashlib
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
TRANSFORM = ("adjoints", "contributions", "reverse", "gradients")
"""The modules of `compiler/transform` that write adjoints."""
FLIPPED: dict[type[ast.operator], str] = {ast.Add: "-", ast.Sub: "+"}
TOO_LONG = 150
"""Seconds after which a mutated program counts as noticed: it does not end."""
RULES = ("tests/test_rules.py", "test_adjoint or test_edge")
ZOO = ("tests/test_zoo.py", "test_gradient_plain or test_pullback_plain")
WHERE = {
    "load": "elements",
    "store": "stores or elements",
    "read_element": "stores or elements",
    "read_part": "stores or elements",
    "branch": "branches or exits",
    "after": "branches or exits",
    "loop": "loops or whiles or exits",
    "seed_yields": "loops or whiles or exits",
    "leaving": "loops or whiles or exits",
    "make_tuple": "tuples",
    "plant": "tuples or scalars",
    "getitem": "tuples or elements",
    "_of_tuple": "tuples",
}
"""Which functions of the zoo show best what a method of the reversal does; all of them where it is not listed."""


@dataclass(frozen=True)
class Mutation:
    """One change to one file: the text from `start` to `end` becomes `new`; `file` and `word` choose the tests."""

    path: str
    owner: str
    line: int
    what: str
    old: str
    new: str
    start: int
    end: int
    file: str
    word: str

    @property
    def key(self) -> str:
        """The same for the same mutation of the same text."""
        told = f"{self.path} {self.start} {self.what} {self.old} {self.new} {self.word}"
        return hashlib.sha256(told.encode()).hexdigest()[:16]

    def __str__(self) -> str:
        old, new = (" ".join(text.split()) for text in (self.old, self.new))
        return f"{self.path}:{self.line} {self.owner}: {self.what}: {old[:60]}  ->  {new[:60]}"


class Text:
    """A file's text, its tree, and where in the text a node stands."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.text = (ROOT / path).read_text(encoding="utf-8")
        self.tree = ast.parse(self.text)
        self.starts = [0]
        for line in self.text.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Start and end of the node (our sources are plain ASCII up to comments, so that columns are characters)."""
        end_line, end = node.end_lineno or node.lineno, node.end_col_offset or 0
        return self.starts[node.lineno - 1] + node.col_offset, self.starts[end_line - 1] + end

    def of(self, node: ast.expr | ast.stmt) -> str:
        """The node as it is written."""
        return self.text[slice(*self.span(node))]

    def mutation(
        self, owner: str, what: str, node: ast.expr | ast.stmt, new: str, tests: tuple[str, str]
    ) -> Mutation:
        """The node replaced by other text."""
        return Mutation(self.path, owner, node.lineno, what, self.of(node), new, *self.span(node), *tests)

    def flipped(self, owner: str, node: ast.BinOp, tests: tuple[str, str]) -> Mutation:
        """A sum for a difference, or the other way round."""
        new = f"({self.of(node.left)} {FLIPPED[type(node.op)]} ({self.of(node.right)}))"
        return self.mutation(owner, "sign flipped", node, new, tests)


def mutations() -> list[Mutation]:
    """Every mutation, file by file."""
    found: list[Mutation] = []
    for path in sorted(ROOT.glob("compiler/rules/*.py")):
        found += of_rules(Text(path.relative_to(ROOT).as_posix()))
    for path in sorted(ROOT.glob("runtime/*.py")):
        found += of_kernels(Text(path.relative_to(ROOT).as_posix()))
    for name in TRANSFORM:
        found += of_transform(Text(f"compiler/transform/{name}.py"))
    return found


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    """All definitions, inner ones too."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def of_rules(text: Text) -> Iterator[Mutation]:
    """Each adjoint of each rule negated and dropped, each sum in it made a difference."""
    for rule in functions(text.tree):
        for returned in (node for node in ast.walk(rule) if isinstance(node, ast.Return)):
            match returned.value:
                case ast.Tuple(elts=[_, ast.Lambda(body=body), *_]):  # a tangent may follow
                    tests = rule_tests(text.path, rule)
                case _:
                    continue
            for adjoint in body.elts if isinstance(body, ast.Tuple) else [body]:
                if isinstance(adjoint, ast.Constant):
                    continue
                written = text.of(adjoint)
                yield text.mutation(rule.name, "negated", adjoint, f"-({written})", tests)
                yield text.mutation(rule.name, "dropped", adjoint, f"0.0 * ({written})", tests)
                yield from (text.flipped(rule.name, node, tests) for node in sums(adjoint))


def rule_tests(path: str, rule: ast.FunctionDef) -> tuple[str, str]:
    """The tests of a rule: its own from the registry; rules of complex numbers have theirs in the zoo."""
    of_complex = any("of_complex=True" in ast.unparse(decorator) for decorator in rule.decorator_list)
    if path.endswith("complex_numbers.py") and (of_complex or rule.name.startswith("complex_")):
        return ZOO[0], f"({ZOO[1]}) and complex_numbers"
    return RULES[0], f"({RULES[1]}) and {rule.name}"


def sums(node: ast.AST) -> Iterator[ast.BinOp]:
    """The sums and differences within an expression; not in subscripts, nor what keeps a denominator from zero."""
    if isinstance(node, ast.BinOp) and type(node.op) in FLIPPED and not isinstance(node.right, ast.Compare):
        yield node
    for child in ast.iter_child_nodes(node):
        if not (isinstance(node, ast.Subscript) and child is node.slice):
            yield from sums(child)


def of_kernels(text: Text) -> Iterator[Mutation]:
    """Each sum of a function that rules call made a difference, each accumulation subtracted and dropped."""
    for kernel in functions(text.tree):
        tests = kernel_tests(kernel.name)
        if tests is not None and text.path.endswith("decompositions.py"):
            tests = ZOO[0], f"({ZOO[1]}) and decompositions"  # rectangular matrices, full and reduced
        if tests is None:
            continue
        for node in ast.walk(kernel):
            if isinstance(node, ast.AugAssign) and type(node.op) in FLIPPED:
                flipped = f"{text.of(node.target)} {FLIPPED[type(node.op)]}= {text.of(node.value)}"
                yield text.mutation(kernel.name, "sign flipped", node, flipped, tests)
                yield text.mutation(kernel.name, "dropped", node, "pass", tests)
            elif isinstance(node, ast.Assign | ast.Return) and node.value is not None:
                yield from (text.flipped(kernel.name, each, tests) for each in sums(node.value))
            if isinstance(node, ast.Return) and node.value is not None and is_number(node.value):
                yield text.mutation(kernel.name, "negated", node, f"return -({text.of(node.value)})", tests)


def is_number(node: ast.expr) -> bool:
    """Whether an expression is surely arithmetic."""
    return isinstance(node, ast.BinOp) and isinstance(
        node.op, ast.Add | ast.Sub | ast.Mult | ast.Div | ast.MatMult
    )


@functools.cache
def callers() -> dict[str, set[str]]:
    """For each name: the functions of the rules and the runtime whose text has it."""
    found: dict[str, set[str]] = {}
    for path in [*ROOT.glob("compiler/rules/*.py"), *ROOT.glob("runtime/*.py")]:
        for function in functions(ast.parse(path.read_text(encoding="utf-8"))):
            caller = f"rule {function.name}" if path.parent.name == "rules" else function.name
            for node in ast.walk(function):
                if isinstance(node, ast.Name):
                    found.setdefault(node.id, set()).add(caller)
    return found


def kernel_tests(name: str) -> tuple[str, str] | None:
    """The tests of the rules that call a kernel, however indirectly; None if no rule does."""
    reached, todo = {name}, [name]
    while todo:
        fresh = callers().get(todo.pop(), set()) - reached
        reached |= fresh
        todo += fresh
    rules = sorted(each.removeprefix("rule ") for each in reached if each.startswith("rule "))
    return (RULES[0], f"({RULES[1]}) and ({' or '.join(rules)})") if rules else None


def of_transform(text: Text) -> Iterator[Mutation]:
    """Each contribution dropped and subtracted, each accumulation assigned, each clearing left out."""
    for method in functions(text.tree):
        tests = (ZOO[0], f"({ZOO[1]}) and ({WHERE[method.name]})" if method.name in WHERE else ZOO[1])
        for node in ast.walk(method):
            if isinstance(node, ast.Expr) and is_effect(node.value):
                yield text.mutation(method.name, "dropped", node, "pass", tests)
            if isinstance(node, ast.BoolOp) and text.of(node.values[-1]) == "ZERO":
                yield text.mutation(method.name, "dropped", node, "ZERO", tests)
            if not isinstance(node, ast.Call):
                continue
            if called(node) == "add" and is_effect(node):
                negative = f"self.builder.apply(operator.neg, {text.of(node.args[1])})"
                yield text.mutation(method.name, "negated", node.args[1], negative, tests)
            for argument in node.args:
                if text.of(argument) == "operator.add":
                    yield text.mutation(method.name, "sign flipped", argument, "operator.sub", tests)
            for keyword in node.keywords:
                if keyword.arg == "accumulate" and text.of(keyword.value) == "True":
                    yield text.mutation(method.name, "assigned", keyword.value, "False", tests)


def is_effect(node: ast.expr) -> bool:
    """Whether a statement makes, adds or clears an adjoint."""
    if not isinstance(node, ast.Call):
        return False
    name = called(node)
    if name == "add":
        return any(keyword.arg == "owned" for keyword in node.keywords)
    return name in {"plant", "contribute", "store", "apply"} and isinstance(node.func, ast.Attribute)


def called(node: ast.Call) -> str:
    """The last part of the name of what is called."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


# Running


def copy_to(folder: Path) -> None:
    """What tests need of the repository: the two packages under the names they are imported by, and the tests."""
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "compiler", folder / "backsweep", ignore=ignore)
    shutil.copytree(ROOT / "runtime", folder / "backsweep" / "runtime", ignore=ignore)
    shutil.copytree(ROOT / "tests", folder / "tests", ignore=ignore)
    shutil.copy(ROOT / "pyproject.toml", folder)


def copied_path(path: str) -> str:
    """Where a file of the repository lies in the copy."""
    return path.replace("compiler/", "backsweep/", 1) if path.startswith("compiler/") else f"backsweep/{path}"


def outcome(folder: Path, file: str, word: str, seconds: float = TOO_LONG) -> str:
    """What the tests say of the copy: "passed", "failed", "no test" or "too long"."""
    child = os.fork()
    if child == 0:
        os._exit(run_tests(folder, file, word))
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return {0: "passed", 5: "no test"}.get(os.waitstatus_to_exitcode(status), "failed")
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "too long"


def run_tests(folder: Path, file: str, word: str) -> int:
    """In a process of its own: pytest on one file of the copy."""
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
    return int(pytest.main(["-n0", "-q", "-x", "-p", "no:cacheprovider", "-k", word, file]))


def tried(mutation: Mutation, folder: Path) -> str:
    """The outcome of the tests with the mutation in place."""
    path = folder / copied_path(mutation.path)
    before = path.read_text(encoding="utf-8")
    path.write_text(before[: mutation.start] + mutation.new + before[mutation.end :], encoding="utf-8")
    try:
        return outcome(folder, mutation.file, mutation.word)
    finally:
        path.write_text(before, encoding="utf-8")


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
        for suite in sorted({RULES if mutation.file == RULES[0] else ZOO for mutation in chosen}):
            if suite[0] not in known:
                print(f"{suite[0]} without a mutation, for comparison", flush=True)
                if outcome(folder, *suite, seconds=10 * TOO_LONG) != "passed":
                    raise SystemExit(f"{suite[0]} fails without a mutation: mend that first")
                file.write(json.dumps([suite[0], "passed"]) + "\n")
        for number, mutation in enumerate(chosen, 1):
            start = time.monotonic()
            if mutation.key not in known:
                known[mutation.key] = tried(mutation, folder)
                file.write(json.dumps([mutation.key, known[mutation.key]]) + "\n")
                file.flush()
            survived = known[mutation.key] in {"passed", "no test"}
            word = f"SURVIVED ({known[mutation.key]})" if survived else "noticed"
            print(f"{number}/{len(chosen)} {word} {time.monotonic() - start:.1f} s  {mutation}", flush=True)
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
