"""Emission by itself: random programs keep their meaning, and the text reads as people write."""

import ast
import math
import operator

import numpy as np
import pytest

from backsweep.diagnostics import Loc
from backsweep.emit.module import emit_module
from backsweep.emit.printer import WIDTH, broken
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Comment, Const, Dots, For, Function, If, Operand, Raise, Value
from backsweep.ir.sweeps import forward_sweep, reverse_sweep
from backsweep.ir.types import FLOAT, INT, Array, Tuple
from backsweep.typing.three_address import three_address
from tests.support.random_ir import program

HERE = Loc("here.py", "f", 1)
VECTOR = Array("float64", 1)


def computed(text, bindings):
    names = dict(bindings)
    exec(text, names)
    try:
        return names["program"](0.3, -0.7, np.array([0.1, 0.2, -0.3, 0.4]))
    except UnboundLocalError:
        return "unbound"


@pytest.mark.parametrize("block", range(8))
def test_random_programs_keep_their_meaning(block):
    for seed in range(25 * block, 25 * block + 25):
        function = program(seed)
        plain, module = three_address(function), emit_module([function], "Random.")
        want, got = computed(plain.text, plain.bindings), computed(module.text, module.bindings)
        assert repr(want) == repr(got), module.text
        assert emit_module([program(seed)], "Random.").text == module.text
        assert max(map(len, module.text.splitlines())) <= WIDTH


def emitted(build: Builder, result: Operand, *functions: Function) -> str:
    """The body of the function `f` that the builder holds."""
    build.current.yields = (result,)
    function = Function("f", build.current.finish(), HERE)
    text = emit_module([function, *functions], "Doc.").text
    body = text.split("def f(")[1].split("\n", 1)[1]
    return "\n".join(line[4:] for line in body.rstrip().split("\n"))


def scalars(*names: str) -> tuple[Builder, ...]:
    values = [Value(name, FLOAT, HERE) for name in names]
    return Builder(*values), *values


def test_parentheses():
    build, a, b, c = scalars("a", "b", "c")
    inner = build.apply(operator.sub, b, c, type=FLOAT)
    difference = build.apply(operator.sub, a, inner, type=FLOAT)
    product = build.apply(operator.mul, b, c, type=FLOAT)
    quotient = build.apply(operator.truediv, a, product, type=FLOAT)
    minus = build.apply(operator.neg, a, type=FLOAT)
    square = build.apply(operator.pow, minus, Const(2), type=FLOAT)
    power = build.apply(operator.pow, a, Const(-2), type=FLOAT)
    lower = build.apply(operator.neg, power, type=FLOAT)
    literal = build.apply(operator.pow, Const(-1.5), b, type=FLOAT)
    result = build.apply(tuple, difference, quotient, square, lower, literal)
    assert emitted(build, result) == "return a - (b - c), a / (b * c), (-a) ** 2, -a ** -2, (-1.5) ** b"


def test_a_sum_with_a_negated_product_is_a_difference():
    build, a, b, c = scalars("a", "b", "c")
    minus = build.apply(operator.neg, b, type=FLOAT)
    product = build.apply(operator.mul, minus, c, type=FLOAT)
    assert emitted(build, build.apply(operator.add, a, product, type=FLOAT)) == "return a - b * c"


def test_arrays_are_never_added_to_in_place():
    x = Value("x", VECTOR, HERE)
    build = Builder(x)
    result = build.apply(operator.add, x, Const(1.0), name="x", type=VECTOR)
    build.apply(print, result)
    assert emitted(build, result).startswith("x = x + 1.0\n")


def test_scalars_are():
    build, x = scalars("x")
    result = build.apply(operator.add, x, Const(1.0), name="x", type=FLOAT)
    build.apply(print, result)
    assert emitted(build, result).startswith("x += 1.0\n")


def test_a_load_does_not_pass_a_store():
    x = Value("x", VECTOR, HERE)
    build = Builder(x)
    loaded = build.load(x, (Const(0),), type=FLOAT)
    build.store(x, (Const(0),), Const(1.0))
    assert emitted(build, loaded) == "x_0 = x[0]\nx[0] = 1.0\nreturn x_0"


def test_stores():
    x = Value("x", VECTOR, HERE)
    build = Builder(x)
    build.store(x, (Dots(),), Const(0.0))
    loaded = build.load(x, (Const(0),), type=FLOAT)
    build.store(x, (Const(0),), build.apply(operator.mul, loaded, Const(2.0), type=FLOAT))
    other = build.load(x, (Const(1),), type=FLOAT)
    build.store(x, (Const(0),), build.apply(operator.neg, other, type=FLOAT), accumulate=True)
    assert emitted(build, Const(None)) == "x[:] = 0.0\nx[0] *= 2.0\nx[0] -= x[1]"


def test_comments_head_something_or_vanish():
    build, a = scalars("a")
    build.add(forward_sweep(HERE), reverse_sweep(HERE), Comment("idle", HERE), Comment("b = sin(a)", HERE))
    b = build.apply(math.sin, a, name="b", type=FLOAT)
    build.apply(print, b)
    build.add(Comment("last", HERE))
    text = emitted(build, b)
    assert text == "# reverse sweep\n# b = sin(a)\nb = math.sin(a)\nprint(b)\nreturn b"


def test_a_comment_stands_above_all_of_its_code():
    """What was moved in front of its heading, or nested into a later statement, is headed all the same."""
    build, a = scalars("a")
    here, there = (Loc("here.py", "f", 1, statement=text) for text in ("y = sin(x)", "x = a * a"))
    moved = build.apply(operator.mul, a, Const(0.5), name="y_bar", type=FLOAT, loc=here)
    build.add(Comment("y = sin(x)", here))
    build.apply(print, moved, loc=here)
    cosine = build.apply(math.cos, a, type=FLOAT, loc=here)
    build.add(Comment("x = a * a", there))
    a_bar = build.apply(operator.mul, cosine, moved, name="a_bar", type=FLOAT, loc=there)
    build.apply(print, a_bar, loc=there)
    want = (
        "# y = sin(x)\ny_bar = a * 0.5\nprint(y_bar)\n# x = a * a\na_bar = math.cos(a) * y_bar\nprint(a_bar)"
    )
    assert emitted(build, a_bar) == want + "\nreturn a_bar"


def test_a_heading_follows_its_code_into_a_later_statement():
    build, a = scalars("a")
    build.add(Comment("y = sin(x)", HERE))
    cosine = build.apply(math.cos, a, type=FLOAT)
    build.add(Comment("x = a * a", HERE))
    a_bar = build.apply(operator.mul, cosine, a, name="a_bar", type=FLOAT)
    build.apply(print, a_bar)
    text = emitted(build, a_bar)
    assert text == "# y = sin(x)\n# x = a * a\na_bar = math.cos(a) * a\nprint(a_bar)\nreturn a_bar"


def test_a_product_that_goes_on_is_one_statement():
    build, a, b = scalars("a", "b")
    first = build.apply(operator.mul, a, b, name="a", type=FLOAT)
    second = build.apply(operator.mul, first, Const(2.0), name="a", type=FLOAT)
    build.apply(print, second)
    assert emitted(build, second) == "a = a * b * 2.0\nprint(a)\nreturn a"


def test_a_tuple_of_which_all_items_are_read_is_unpacked():
    build, a = scalars("a")
    pair = build.apply(math.frexp, a, type=Tuple((FLOAT, INT)))
    first = build.apply(operator.getitem, pair, Const(0), name="m", type=FLOAT)
    second = build.apply(operator.getitem, pair, Const(1), name="e", type=INT)
    build.apply(print, first, second)
    result = build.apply(operator.add, first, second, type=FLOAT)
    assert emitted(build, result) == "m, e = math.frexp(a)\nprint(m, e)\nreturn m + e"


def test_new_memory_is_named_after_what_fills_it():
    x = Value("x", VECTOR, HERE)
    build = Builder(x)
    made = build.apply(np.empty_like, x, type=VECTOR)
    entry = build.load(x, (Const(0),), type=FLOAT)
    build.store(made, (Const(0),), build.apply(math.exp, entry, type=FLOAT))
    assert emitted(build, made) == "exp_x = np.empty_like(x)\nexp_x[0] = math.exp(x[0])\nreturn exp_x"


def test_an_element_of_a_primal_array_has_no_adjoints_name():
    x = Value("x", VECTOR, HERE)
    build = Builder(x)
    entry = build.load(x, (Const(0),), name="y_bar", type=FLOAT)
    result = build.apply(operator.mul, entry, entry, type=FLOAT)
    assert emitted(build, result) == "x_0 = x[0]\nreturn x_0 * x_0"


def test_three_address_text_is_one_that_numba_types():
    x = Value("x", VECTOR, HERE)
    build = Builder(x)
    rank = build.apply(np.ndim, x)
    with build.block() as refused:
        build.add(Raise(Const(ValueError), (Const("no"),), HERE))
    with build.block() as accepted:
        pass
    build.add(If(build.apply(operator.lt, rank, Const(1)), refused.finish(), accepted.finish(), (), HERE))
    build.current.yields = (rank,)
    text = three_address(Function("f", build.current.finish(), HERE)).text
    assert "raise" not in text
    assert " = x.ndim\n" in text


def test_a_loop_without_copies():
    build, a = scalars("a")
    index, total = Value("i", INT, HERE), Value("total", FLOAT, HERE)
    with build.block(index, total) as block:
        block.yields = (build.apply(operator.add, total, a, name="total", type=FLOAT),)
    result = Value("total", FLOAT, HERE)
    loop = For(Const(3), Const(0), Const(-1), (Const(0.0),), block.finish(), (result,), HERE)
    build.add(loop)
    want = "total = 0.0\nfor i in range(3, 0, -1):\n    total += a\nreturn total"
    assert emitted(build, result) == want


def test_globals_are_constants_of_the_module():
    build, a = scalars("a")
    scaled = build.apply(operator.mul, a, Const(9.81, "G"), type=FLOAT)
    table = Const(np.array([0.1, 0.2]), "TABLE")
    function = Function("f", build.current.finish(), HERE)
    entry = build.load(table, (Const(0),), type=FLOAT)
    build.current.yields = (build.apply(operator.add, scaled, entry, type=FLOAT),)
    function = Function("f", build.current.finish(), HERE)
    module = emit_module([function], "Doc.")
    head = '"""Doc."""\nimport numpy as np\n\nG = 9.81\nTABLE = np.array([0.1, 0.2])\n\n\ndef f(a):\n'
    assert module.text == head + "    return a * G + TABLE[0]\n"
    assert module.bindings == {}


def test_names_of_functions_are_not_taken_by_variables():
    build, a = scalars("a")
    largest = build.apply(max, a, Const(0.0), name="max", type=FLOAT)
    build.apply(print, largest)
    assert emitted(build, largest) == "max_1 = max(a, 0.0)\nprint(max_1)\nreturn max_1"


def test_functions_without_a_path_are_bound():
    def helper(x):
        return x

    build, a = scalars("a")
    build.current.yields = (build.apply(helper, a, type=FLOAT),)
    module = emit_module([Function("f", build.current.finish(), HERE)], "Doc.")
    assert module.bindings == {"helper": helper}


def test_long_lines_are_continued_within_brackets():
    line = "    value = function(" + ", ".join(f"argument_{k}" for k in range(15)) + ")"
    text = broken(line)
    assert max(map(len, text.split("\n"))) <= WIDTH
    assert ast.dump(ast.parse(text.strip())) == ast.dump(ast.parse(line.strip()))


def test_three_address_lines_are_those_of_their_nodes():
    build, a = scalars("a")
    here = Loc("here.py", "f", 7)
    value = build.apply(math.sin, a, loc=here)
    build.current.yields = (value,)
    made = three_address(Function("f", build.current.finish(), HERE))
    lines = made.text.split("\n")
    (number,) = [number for number, loc in made.lines.items() if loc is here]
    assert lines[number - 1].strip() == f"{made.names[value]} = math.sin(a)"
