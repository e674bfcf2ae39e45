"""The mutations that the mutation check tries (`tests/mutation.py`), each with the tests that should notice it."""

from __future__ import annotations

import ast
import functools
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
FLIPPED: dict[type[ast.operator], str] = {ast.Add: "-", ast.Sub: "+"}
OPPOSITE = {"operator.add": "operator.sub", "operator.sub": "operator.add"}


class Suite(NamedTuple):
    """Tests that run in one process: those of the files, in this order, that the words choose."""

    files: str
    words: str

    def about(self, words: str) -> Suite:
        """Those of them that further words choose."""
        return Suite(self.files, f"({self.words}) and ({words})")


RULES = Suite("tests/rules/test_rules.py", "test_adjoint or test_edge")
TANGENTS = Suite("tests/rules/test_tangent_rules.py", "not test_single_precision")
SCIPY = Suite("tests/runtime/test_scipy_kernels.py", "test")
ZOO = Suite("tests/ad/test_zoo.py", "test_gradient_plain or test_pullback_plain")
FORWARD = Suite("tests/ad/test_jvp.py", "not test_compiled")
CUSTOM = Suite(
    "tests/ad/test_hooks.py tests/ad/test_custom_vjp.py tests/api/test_root.py",
    "not (compiled or pickled or a_vector)",
)
NAMED = Suite("tests/ad/test_intermediates.py", "not compiled")
JACOBIANS = Suite("tests/api/test_derivatives.py", "not (compiled or pickled or dataclasses)")
PRODUCTS = Suite("tests/api/test_sparse.py tests/api/test_derivatives.py", "not compiled")
LOOPED = Suite("tests/optimise/test_loops.py", "of_the_zoo")
SUITES = (RULES, TANGENTS, SCIPY, ZOO, FORWARD, CUSTOM, NAMED, JACOBIANS, PRODUCTS, LOOPED)
LOOPS = ZOO.about("loops or whiles or exits or grids")
TRANSFORM: dict[str, tuple[Suite, ...]] = {
    "ad/adjoints": (ZOO,),
    "ad/calls": (ZOO.about("recursion"), FORWARD),
    "ad/contributions": (ZOO,),
    "ad/custom": (CUSTOM,),
    "optimise/loops/distribution": (LOOPED,),
    "ad/gradients": (ZOO.about("tuples or dtypes"), ZOO),
    "ad/checkpoint/records/recorder": (LOOPS, ZOO),
    "ad/reverse": (ZOO, NAMED, CUSTOM),
    "programs/seeding": (JACOBIANS, PRODUCTS),
    "optimise/simplify": (ZOO.about("stores or elements"), ZOO),
    "ad/checkpoint/records/tapes": (LOOPS, ZOO),
    "ad/checkpoint/reversed_loops": (LOOPS, ZOO),
    "optimise/loops/reductions": (LOOPED,),
    "ad/tangents": (FORWARD, TANGENTS, CUSTOM.about("forward")),
    "ad/intermediates": (NAMED, CUSTOM),
    "ad/tangent_rules": (TANGENTS, FORWARD),
    "analysis/trip_counts": (LOOPS, ZOO),
    "ad/checkpoint/ways_back": (ZOO.about("rebinding or branches or whiles or aliases"), ZOO),
    "programs/products": (PRODUCTS,),
}
"""The modules of `compiler` that write adjoints and tangents, each with the tests that notice a fault of it, nearest first."""
EFFECTS = {
    "plant",
    "contribute",
    "store",
    "apply",
    "reverse_call",
    "reverse_custom",
    "reverse_tap",
    "_check_shape",
    "_give",
    "_keep",
    "_one_hot",
    "_store_column",
}
"""What is called to write something."""
FITS = {"np.copy", "np.real", "np.sum", "np.float32", "np.ndarray.astype", "sum_to"}
"""Functions that only fit an adjoint to what it is for."""
WHERE = {
    "run": "tuples or scalars",
    "node": "scalars or stores",
    "load": "elements",
    "store": "stores or elements",
    "read_element": "stores or elements",
    "read_part": "stores or elements",
    "reverse_yield": "branches or exits or settling",
    "loop": "loops or whiles or exits",
    "seed_yields": "loops or whiles or exits",
    "leaving": "loops or whiles or exits",
    "make_tuple": "tuples",
    "plant": "tuples or scalars",
    "getitem": "tuples or elements",
    "_of_tuple": "tuples",
    "apply": "references or tuples or scalars",
    "like": "aliases or views",
    "by_rule": "views or scalars",
    "kept": "views",
    "call": "recursion",
    "returned": "in_single_precision",
    "several": "decompositions or eigh or slogdet",
    "linear": "copy or matrix",
    "single": "hypot or solve",
    "term": "tanh or det or solve",
    "fitted": "where or clip or astype",
}
"""Which functions show best what a method of a transformation does; all of them where it is not listed."""

NO_SIGN = "zero or nan, whose sign nothing tells"
EQUIVALENT = {
    ("runtime/decompositions.py", "undetermined", "sign flipped", "np.abs(one) + np.abs(other)"): (
        "both are zero there; the root is zero and its derivative nan, whatever the sign"
    ),
    (
        "runtime/decompositions.py",
        "eigh_pullback",
        "negated",
        "undetermined(turned[i, j], turned[j, i])",
    ): NO_SIGN,
    (
        "runtime/decompositions.py",
        "svd_pullback",
        "negated",
        "undetermined(turned_left[i, j], turned_left[j, i])",
    ): NO_SIGN,
    (
        "runtime/decompositions.py",
        "svd_pullback",
        "negated",
        "undetermined(turned_right[i, j], turned_right[j, i])",
    ): NO_SIGN,
    ("runtime/tangents.py", "eigh_tangent", "negated", "undetermined(turned[i, j], turned[j, i])"): NO_SIGN,
    ("runtime/tangents.py", "svd_tangent", "negated", "undetermined(turned[i, j], turned[j, i])"): NO_SIGN,
    ("runtime/tangents.py", "svd_tangent", "negated", "swing_left[i, j]"): NO_SIGN,
    ("compiler/ad/reverse.py", "run", "taken for its own", "isinstance(seed, Value)"): (
        "what is no value is the seed one of a number, and the adjoint of a number has no memory"
    ),
    ("compiler/optimise/loops/reductions.py", "where_it_ran", "sign flipped", "operator.add"): (
        "both bounds are moved by one, whichever way, and only compared"
    ),
}
"""Mutations that change nothing, and why."""


@dataclass(frozen=True)
class Mutation:
    """One change to one file: the text from `start` to `end` becomes `new`; `suites` are the tests, nearest first."""

    path: str
    owner: str
    line: int
    what: str
    old: str
    new: str
    start: int
    end: int
    suites: tuple[Suite, ...]

    @property
    def key(self) -> str:
        """The same for the same mutation of the same text."""
        message = f"{self.path} {self.start} {self.what} {self.old} {self.new} {self.suites}"
        return hashlib.sha256(message.encode()).hexdigest()[:16]

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
        self, owner: str, what: str, node: ast.expr | ast.stmt, new: str, suites: tuple[Suite, ...]
    ) -> Mutation:
        """The node replaced by other text."""
        return Mutation(self.path, owner, node.lineno, what, self.of(node), new, *self.span(node), suites)

    def flipped(self, owner: str, node: ast.BinOp, suites: tuple[Suite, ...]) -> Mutation:
        """A sum for a difference, or the other way round."""
        new = f"({self.of(node.left)} {FLIPPED[type(node.op)]} ({self.of(node.right)}))"
        return self.mutation(owner, "sign flipped", node, new, suites)


def mutations() -> list[Mutation]:
    """Every mutation, file by file."""
    found: list[Mutation] = []
    for path in sorted(ROOT.glob("compiler/rules/**/*.py")):
        found += of_rules(Text(path.relative_to(ROOT).as_posix()))
    for path in sorted([*ROOT.glob("runtime/*.py"), *ROOT.glob("runtime/scipy/*.py")]):
        found += of_kernels(Text(path.relative_to(ROOT).as_posix()))
    for name, suites in TRANSFORM.items():
        found += of_transform(Text(f"compiler/{name}.py"), suites)
    return [each for each in found if (each.path, each.owner, each.what, each.old) not in EQUIVALENT]


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    """All definitions, inner ones too."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def of_rules(text: Text) -> Iterator[Mutation]:
    """Each adjoint and each tangent of each rule negated and dropped, each sum in it made a difference."""
    for rule in functions(text.tree):
        for returned in (node for node in ast.walk(rule) if isinstance(node, ast.Return)):
            match returned.value:
                case ast.Tuple(elts=[_, ast.Lambda() as pullback, *others]):
                    pass
                case _:
                    continue
            for written, tangent in [(pullback, False), *((each, True) for each in others)]:
                assert isinstance(written, ast.Lambda)
                suites = (rule_tests(text.path, rule, tangent=tangent),)
                for part in written.body.elts if isinstance(written.body, ast.Tuple) else [written.body]:
                    if isinstance(part, ast.Constant):
                        continue
                    yield text.mutation(rule.name, "negated", part, f"-({text.of(part)})", suites)
                    yield text.mutation(rule.name, "dropped", part, f"0.0 * ({text.of(part)})", suites)
                    yield from (text.flipped(rule.name, node, suites) for node in sums(part))


def rule_tests(path: str, rule: ast.FunctionDef, *, tangent: bool) -> Suite:
    """The tests of a rule: its own from the registry; rules of complex numbers have theirs in the zoo."""
    of_complex = any("of_complex=True" in ast.unparse(decorator) for decorator in rule.decorator_list)
    if path.endswith("complex_numbers.py") and (of_complex or rule.name.startswith("complex_")):
        return (FORWARD if tangent else ZOO).about("complex_numbers")
    return (TANGENTS if tangent else RULES).about(rule.name)


def sums(node: ast.AST) -> Iterator[ast.BinOp]:
    """The sums and differences within an expression; not in subscripts, nor what keeps a denominator from zero."""
    if isinstance(node, ast.BinOp) and type(node.op) in FLIPPED and not isinstance(node.right, ast.Compare):
        yield node
    for child in ast.iter_child_nodes(node):
        if not (isinstance(node, ast.Subscript) and child is node.slice):
            yield from sums(child)


def of_kernels(text: Text) -> Iterator[Mutation]:
    """Each sum of a function that rules call made a difference, each accumulation and entry negated and dropped."""
    for kernel in functions(text.tree):
        suites = kernel_tests(kernel.name, text.path)
        if not suites:
            continue
        for node in ast.walk(kernel):
            if isinstance(node, ast.AugAssign) and type(node.op) in FLIPPED:
                flipped = f"{text.of(node.target)} {FLIPPED[type(node.op)]}= {text.of(node.value)}"
                yield text.mutation(kernel.name, "sign flipped", node, flipped, suites)
                yield text.mutation(kernel.name, "dropped", node, "pass", suites)
            elif isinstance(node, ast.Assign | ast.Return) and node.value is not None:
                yield from (text.flipped(kernel.name, each, suites) for each in sums(node.value))
            match node:
                case ast.Return(value=ast.expr() as value) if is_number(value):
                    yield text.mutation(kernel.name, "negated", value, f"-({text.of(value)})", suites)
                case ast.Assign(targets=[ast.Subscript()], value=value) if not isinstance(
                    value, ast.Constant
                ):
                    yield text.mutation(kernel.name, "negated", value, f"-({text.of(value)})", suites)


def is_number(node: ast.expr) -> bool:
    """Whether an expression is surely arithmetic."""
    return isinstance(node, ast.BinOp) and isinstance(
        node.op, ast.Add | ast.Sub | ast.Mult | ast.Div | ast.MatMult
    )


@functools.cache
def callers() -> dict[str, set[str]]:
    """For each name: the functions of the rules and the runtime whose text has it."""
    found: dict[str, set[str]] = {}
    rules = ROOT.glob("compiler/rules/**/*.py")
    for path in [*rules, *ROOT.glob("runtime/*.py"), *ROOT.glob("runtime/scipy/*.py")]:
        for function in functions(ast.parse(path.read_text(encoding="utf-8"))):
            caller = f"rule {function.name}" if "rules" in path.parts else function.name
            for node in ast.walk(function):
                if isinstance(node, ast.Name):
                    found.setdefault(node.id, set()).add(caller)
    return found


def kernel_tests(name: str, path: str) -> tuple[Suite, ...]:
    """The tests of the rules that call a kernel, however indirectly; none if no rule does."""
    reached, todo = {name}, [name]
    while todo:
        fresh = callers().get(todo.pop(), set()) - reached
        reached |= fresh
        todo += fresh
    rules = " or ".join(sorted(each.removeprefix("rule ") for each in reached if each.startswith("rule ")))
    if not rules or path.endswith(
        "colouring.py"
    ):  # a method `apart` has nothing to do with its namesake there
        return ()
    tangent = path.endswith("/tangents.py")
    found = ((TANGENTS if tangent else RULES).about(rules),)
    if path.startswith("runtime/scipy/"):
        return (*found, SCIPY)
    if {"eigh", "svd", "qr", "pinv"} & set(rules.split()):  # rectangular matrices, full and reduced
        shapes = TANGENTS.about("every_shape")
        return (shapes, *found, (FORWARD if tangent else ZOO).about("decompositions"))
    return found


def of_transform(text: Text, suites: tuple[Suite, ...]) -> Iterator[Mutation]:
    """Each contribution dropped and subtracted, each accumulation assigned, each clearing and each copy left out."""
    for statement in text.tree.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Dict):
            for what, part, new in written(text, statement.value):
                yield text.mutation(text.of(statement.targets[0]), what, part, new, suites)
    for method in functions(text.tree):
        chosen = (suites[0].about(WHERE[method.name]), *suites) if method.name in WHERE else suites
        for node in own(method):
            for what, part, new in written(text, node):
                yield text.mutation(method.name, what, part, new, chosen)


def own(node: ast.AST) -> Iterator[ast.AST]:
    """What is within a function and not within an inner one."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef):
            yield child
            yield from own(child)


def written(text: Text, node: ast.AST) -> Iterator[tuple[str, ast.expr | ast.stmt, str]]:
    """The changes of one piece of the transformation: what is done, to which part of it, and the text instead."""
    match node:
        case ast.Expr(value=value) if is_effect(value):
            yield "dropped", node, "pass"
        case ast.BoolOp(values=[*_, ast.Name("ZERO")]):
            yield "dropped", node, "ZERO"
        case ast.Name("ONE", ast.Load()):
            yield "negated", node, "Const(-1.0)"
        case ast.Return(value=ast.Name("total" | "result") as value) if text.path.endswith(
            ("/tangents.py", "/terms.py")
        ):
            yield "negated", value, negative(text, value)
        case ast.Assign(targets=[ast.Subscript(ast.Attribute(attr="dots"), slice=place)], value=value):
            if not text.of(value).startswith("self.zero("):
                yield "negated", value, negative(text, value)
                yield "dropped", value, f"self.zero({text.of(place)})"
        case ast.Dict(values=values):
            yield from opposites(text, values)
        case ast.Call(args=arguments, keywords=keywords):
            yield from opposites(text, arguments)
            if called(node) == "add" and is_effect(node) and len(arguments) > 1:
                yield "negated", arguments[1], negative(text, arguments[1])
            if called(node) == "write" and isinstance(node.func, ast.Attribute):
                yield "negated", node, negative(text, node)
            if called(node) == "apply" and text.of(arguments[0]) in FITS and len(arguments) > 1:
                yield "left out", node, text.of(arguments[1])
            for keyword in keywords:
                message = text.of(keyword.value)
                if keyword.arg == "accumulate" and "accumulate" not in message:
                    yield "assigned" if message == "True" else "added", keyword.value, str(message != "True")
                if keyword.arg in {"owned", "fresh"} and message != "True":
                    yield "taken for its own", keyword.value, "True"


def negative(text: Text, node: ast.expr) -> str:
    """What writes the negative of what the expression holds."""
    of_method = not text.path.endswith(("custom.py", "taps.py", "callees.py"))
    return f"{'self' if of_method else 'adjoints'}.builder.apply(operator.neg, {text.of(node)})"


def opposites(text: Text, nodes: list[ast.expr]) -> Iterator[tuple[str, ast.expr, str]]:
    """Sums that are written, made differences, and the other way round."""
    for node in nodes:
        if text.of(node) in OPPOSITE:
            yield "sign flipped", node, OPPOSITE[text.of(node)]


def is_effect(node: ast.expr) -> bool:
    """Whether a statement makes, adds or clears an adjoint or a tangent."""
    if not isinstance(node, ast.Call):
        return False
    if called(node) == "add":
        return any(keyword.arg == "owned" for keyword in node.keywords) or "(*clear)" in ast.unparse(node)
    return called(node) in EFFECTS


def called(node: ast.Call) -> str:
    """The last part of the name of what is called."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
