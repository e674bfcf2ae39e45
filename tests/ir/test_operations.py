"""What the table of operations says, and that no pass keeps a table of its own."""

import importlib
import math
import operator
import pkgutil
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import backsweep
from backsweep.diagnostics import NOWHERE
from backsweep.ir.effects import Effect, effect, has_effect, may_fail
from backsweep.ir.nodes import Apply, Const, Load, Node, Raise, Store, Value
from backsweep.ir.operations import Kind, Need, Sharing, canonical, operation
from backsweep.ir.types import INT, Array, Scalar
from backsweep.ir.types import Tuple as TupleType
from backsweep.runtime.broadcasting import stretched, sum_to
from backsweep.runtime.gather import scatter_add

ROOMS = ("analysis", "emit", "legalise", "interprocedural", "ad", "optimise")
"""The rooms of passes, and of what they ask."""
OWN_TABLES = {
    "analysis.integers.affine._LINEAR": "the operators that its arithmetic of integers works out",
    "emit.python._AUGMENTED": "operators that are written as `x += y`",
    "emit.python._COMMUTING": "operators whose operands may be exchanged to write them so",
    "emit.nest._SCALING": "operators that one line has several of",
    "legalise.arrays.complex_conversions.OF_ONE_KIND": "functions that Numba takes in one dtype alone",
    "analysis.integers.narrow._WIDE": "conversions to int64",
    "legalise.contiguous.SHOWING": "functions that it leaves as calls",
    "legalise.library.expand.OF_ARRAY": "the functions that it writes anew, by what it writes",
    "legalise.library.concatenate.LITERALS": "the functions that it writes anew",
    "legalise.library.concatenate.JOINS": "the functions that it writes anew",
    "legalise.library.squared_roots.ROOTS": "the functions whose squares it writes anew",
    "legalise.lists.growable_arrays.WHOLE": "the functions that it writes anew, by what it writes",
    "optimise.arrays.nests.TOTALS": "what it writes as loops",
    "legalise.library.number_arguments.ITSELF": "the functions that it writes anew",
    "legalise.library.number_arguments.EXTREMES": "the functions that it writes anew",
    "ad.checkpoint.ways_back.OPPOSITE": "the operators that it takes back",
    "legalise.arrays.without_axes.ITSELF": "the functions that it writes anew",
}
"""Collections of library functions in passes, and what they say that is no fact about the functions."""

VECTOR = Value("x", Array("float64", 1), NOWHERE)
OTHER = Value("y", Array("float64", 1), NOWHERE)
NUMBER = Value("a", Scalar("float64"), NOWHERE)
WHOLE = Value("k", INT, NOWHERE)


def call(function: object, *operands: Value | Const, type_: object = None) -> Apply:
    return Apply(Value("", type_ or Scalar("float64"), NOWHERE), function, operands, NOWHERE)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (call(np.sum, VECTOR), Effect(reads=(VECTOR,))),
        (call(np.shape, VECTOR), Effect()),
        (call(np.zeros_like, VECTOR), Effect()),
        (call(np.transpose, VECTOR), Effect()),
        (call(tuple, VECTOR, NUMBER), Effect(holds=(VECTOR,))),
        (call(operator.getitem, VECTOR, OTHER), Effect(reads=(VECTOR, OTHER))),
        (call(np.add, VECTOR, VECTOR, OTHER), Effect(reads=(VECTOR, VECTOR, OTHER), writes=(OTHER,))),
        (call(scatter_add, VECTOR, WHOLE, OTHER), Effect(reads=(VECTOR, OTHER), writes=(VECTOR,))),
        (call(sum_to, VECTOR, OTHER), Effect(reads=(VECTOR,))),
        (
            call(np.copyto, VECTOR, OTHER),
            Effect(reads=(VECTOR, OTHER), writes=(VECTOR,), keeps_place=True, stays=True),
        ),
        (call(np.random.normal, NUMBER), Effect(keeps_place=True, stays=True)),
        (call(print, NUMBER), Effect(keeps_place=True, stays=True)),
        (call(operator.iadd, VECTOR, OTHER), Effect(reads=(VECTOR, OTHER), writes=(VECTOR,), stays=True)),
        (Load(NUMBER, VECTOR, (WHOLE,), NOWHERE), Effect(reads=(VECTOR,))),
        (Store(VECTOR, (WHOLE,), NUMBER, NOWHERE), Effect(writes=(VECTOR,))),
        (Raise(Const(ValueError), (), NOWHERE), Effect(stays=True)),
    ],
    ids=lambda each: getattr(getattr(each, "function", None), "__name__", type(each).__name__),
)
def test_effects(node: Node, expected: Effect) -> None:
    assert effect(node) == expected


@pytest.mark.parametrize(
    ("node", "fails"),
    [
        (call(operator.floordiv, WHOLE, WHOLE), True),
        (call(operator.floordiv, WHOLE, Const(2)), False),
        (call(operator.mod, WHOLE, Const(0)), True),
        (call(operator.lshift, WHOLE, WHOLE), True),
        (call(int, NUMBER), True),
        (call(int, WHOLE), False),
        (call(operator.mul, WHOLE, WHOLE), False),
        (Load(NUMBER, VECTOR, (WHOLE,), NOWHERE), True),
    ],
)
def test_what_may_fail(node: Node, fails: bool) -> None:
    assert may_fail(node) is fails


def test_a_namedtuple_holds_its_items() -> None:
    pair = type("Pair", (tuple,), {})
    type_ = TupleType((Array("float64", 1), Scalar("float64")), ("x", "a"), pair)
    assert effect(call(pair, VECTOR, NUMBER, type_=type_)).holds == (VECTOR,)


def test_unknown_functions_keep_their_place_and_may_go() -> None:
    unknown = call(lambda x: x, VECTOR)
    assert operation(unknown.function).need is Need.UNKNOWN
    assert effect(unknown).keeps_place
    assert not has_effect(unknown)


def test_kernels_say_it_themselves() -> None:
    assert operation(stretched).sharing is Sharing.PERHAPS
    assert operation(sum_to).shaped_like == 1
    assert operation(sum_to).shape_only == (1,)


def test_one_name_for_a_function() -> None:
    assert canonical(math.exp) is canonical(np.exp) is np.exp
    assert canonical(np.add) is canonical(operator.iadd) is operator.add
    assert operation(operator.iadd).kind is not Kind.ARITHMETIC


def modules() -> list[ModuleType]:
    rooms = [f"{backsweep.__name__}.{room}" for room in ROOMS]
    found = [
        info.name
        for room in rooms
        for info in pkgutil.walk_packages(importlib.import_module(room).__path__, f"{room}.")
    ]
    return [importlib.import_module(name) for name in found]


def functions_in(table: object) -> list[object]:
    """The library functions that a collection tells something of; not those that it has handlers or words for."""
    if isinstance(table, dict):
        table = [key for key, value in table.items() if is_library(value)]
    return (
        [each for each in table if is_library(each)]
        if isinstance(table, set | frozenset | tuple | list)
        else []
    )


def is_library(thing: object) -> bool:
    module = getattr(thing, "__module__", None) or ""
    return callable(thing) and module.split(".")[0] in (
        "math",
        "cmath",
        "_operator",
        "numpy",
        "builtins",
        "operator",
    )


def test_no_pass_has_a_table_of_its_own() -> None:
    found = {
        f"{module.__name__.removeprefix('backsweep.')}.{name}"
        for module in modules()
        for name, table in vars(module).items()
        if f"\n{name} = " in source(module) or f"\n{name}: " in source(module)
        if len(functions_in(table)) > 1
    }
    assert found == set(OWN_TABLES), "what is known of a function stands in ir/operations.py"


def source(module: ModuleType) -> str:
    assert module.__file__
    return Path(module.__file__).read_text(encoding="utf-8")
