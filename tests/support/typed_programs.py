"""Random programs in IR with numbers of all dtypes: blocks, branches, loops, loads, stores, views, guarded partial operations.

Each value has the type that Numba gives it, and no program computes with what is not finite, so that what a pass makes
of it has to give the same.
"""

from __future__ import annotations

import builtins
import functools
import operator
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.core.registry import cpu_target

from backsweep.diagnostics import Loc
from backsweep.dispatch.inference import TypesAlone
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Block, Const, For, Function, If, Operand, Slice, Value, While
from backsweep.ir.types import BOOL, FLOAT, INT, Array, Scalar, Tuple, Type
from backsweep.typing.infer import from_numba, to_numba

HERE = Loc("random.py", "program", 1, statement="y = program(x)")
SIZE = 4
INTEGERS = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
REALS = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
DTYPES = ("bool", *INTEGERS, *UNSIGNED, *REALS, *COMPLEX)
IDENTITIES: tuple[tuple[Callable[..., Any], Any], ...] = (
    (operator.add, 0),
    (operator.add, 0.0),
    (operator.sub, 0),
    (operator.sub, 0.0),
    (operator.mul, 1),
    (operator.mul, 1.0),
    (operator.truediv, 1),
    (operator.truediv, 1.0),
    (operator.pow, 1),
    (operator.mul, 0),
    (operator.mul, -1),
    (operator.floordiv, 1),
)
"""What looks as if it did nothing, and changes dtypes."""


@functools.cache
def type_of_call(function: Any, *operands: Type) -> Type | None:
    """Our type of Numba's result; None where Numba knows no such function."""
    context = TypesAlone(cpu_target.typing_context)
    found = context.resolve_function_type(function, tuple(map(to_numba, operands)), {})
    return None if found is None else from_numba(found.return_type)


def kind(type_: Type | None) -> str:
    """NumPy's letter for the kind of a number's or array's dtype."""
    assert isinstance(type_, Scalar | Array)
    return np.dtype(type_.dtype).kind


@dataclass
class Scope:
    """What a block may read: numbers, arrays that it may write as well, and indices within bounds."""

    numbers: list[Value]
    arrays: list[Value]
    indices: list[Value]

    def inner(self) -> Scope:
        """The scope of a block within this one."""
        return Scope(list(self.numbers), list(self.arrays), list(self.indices))


class Programs:
    """Writes one random program."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        rng = np.random.default_rng(seed)
        dtypes = [self.random.choice(DTYPES) for _ in range(3)] + ["float64"]
        floats = ["float64", *self.random.choices(DTYPES, k=2)]
        scalars = [Value(f"x{k}", Scalar(dtype), HERE) for k, dtype in enumerate(floats)]
        vectors = [Value(f"a{k}", Array(dtype, 1), HERE) for k, dtype in enumerate(dtypes)]
        matrix = Value("m", Array(self.random.choice(("float64", "float32", "complex128")), 2), HERE)
        self.parameters = [*scalars, Value("n", INT, HERE), *vectors, matrix]
        self.args = tuple(drawn(rng, value) for value in self.parameters)
        self.build = Builder(*self.parameters, loc=HERE)
        self.scope = Scope(scalars, [], [])
        self.read_only = [*vectors, matrix]

    def program(self, *, scalar: bool) -> Function:
        """The program: it returns a float, or a tuple of numbers and arrays."""
        for array in self.read_only:
            if self.random.random() < 0.7:
                self.scope.arrays.append(self.build.apply(np.copy, array, name=array.name, type=array.type))
        self.scope.arrays.append(
            self.build.apply(np.zeros, Const(SIZE), name="buffer", type=Array("float64", 1))
        )
        scope = self.scope
        self.statements(scope, 2)
        results: list[Value] = list(self.random.sample(scope.numbers, min(4, len(scope.numbers))))
        results += scope.arrays[:4]
        if scalar:
            total: Operand = Const(0.0)
            for value in results:
                whole = value if isinstance(value.type, Scalar) else self.call(np.sum, value)
                total = self.added(total, self.real(whole))
            result = total
        else:
            result = self.build.apply(
                tuple, *results, type=Tuple(tuple(value.type for value in results if value.type))
            )
        self.build.current.yields = (result,)
        return Function("program", self.build.current.finish(), HERE)

    def added(self, total: Operand, value: Value) -> Value:
        return self.build.apply(operator.add, total, value, type=FLOAT)

    def real(self, value: Value) -> Value:
        """A float64 that depends on the number."""
        if kind(value.type) == "c":
            value = self.call(np.abs, self.build.apply(operator.add, value, Const(2.0), type=value.type))
        return self.build.apply(operator.mul, value, Const(0.5), type=FLOAT)

    def call(self, function: Any, *operands: Operand, name: str = "") -> Value:
        """A call, with the type that Numba gives it."""
        type_ = self.type(function, *operands)
        assert type_ is not None
        return self.build.apply(function, *operands, type=type_, name=name)

    def type(self, function: Any, *operands: Operand) -> Type | None:
        if function == np.sum:
            (array,) = operands
            assert isinstance(array, Value)
            assert isinstance(array.type, Array)
            dtype = array.type.dtype
            return Scalar({"b": "int64", "i": "int64", "u": "uint64"}.get(np.dtype(dtype).kind, dtype))
        return type_of_call(function, *(type_of(operand) for operand in operands))

    # Statements

    def statements(self, scope: Scope, depth: int) -> None:
        for _ in range(self.random.randint(2, 5)):
            choices: list[Callable[..., None]] = [self.arithmetic, self.arithmetic, self.memory, self.memory]
            choices += [self.elementwise, self.sliced]
            if depth:
                choices += [self.branch, self.loop, self.sweep, self.sweep, self.guarded, self.while_loop]
            made = self.random.choice(choices)
            if made in (self.branch, self.loop, self.guarded, self.while_loop, self.sweep):
                made(scope, depth - 1)
            else:
                made(scope)

    def number(self, scope: Scope) -> Value:
        """A number, a recent one rather than others."""
        values = scope.numbers
        return values[-1 - min(int(self.random.expovariate(0.4)), len(values) - 1)]

    def arithmetic(self, scope: Scope) -> None:
        """A number from others, tamed: no number grows without bounds."""
        one, other = self.number(scope), self.number(scope)
        ordered = "c" not in kind(one.type) + kind(other.type)
        way = self.random.random()
        if way < 0.3:
            function, constant = self.random.choice(IDENTITIES)
            complex_ = kind(one.type) == "c" and function is operator.floordiv
            found = None if complex_ else self.tried(function, one, Const(constant))
        elif way < 0.4:
            found = self.tried(operator.neg, one) if kind(one.type) != "b" else None
        elif way < 0.5 and ordered:
            found = self.tried(self.random.choice((builtins.min, builtins.max)), one, other)
        elif way < 0.6 and ordered:
            found = self.tried(self.random.choice((operator.lt, operator.ge, operator.eq)), one, other)
        elif way < 0.7:
            found = self.tried(self.random.choice((np.sin, np.cos, np.tanh, abs)), one)
        else:
            function = self.random.choice((operator.add, operator.sub, operator.mul))
            found = self.tried(function, one, other)
        if found is not None:
            scope.numbers.append(self.tame(found))

    def tried(self, function: Any, *operands: Operand) -> Value | None:
        type_ = self.type(function, *operands)
        if not isinstance(type_, Scalar) or type_.dtype not in DTYPES:
            return None
        return self.build.apply(function, *operands, type=type_, name=self.random.choice(("", "s", "t")))

    def tame(self, value: Value) -> Value:
        """A number of the same type that is small."""
        if kind(value.type) in "iu" and self.random.random() < 0.7:
            return self.call(operator.mod, value, Const(5 if kind(value.type) == "i" else 7))
        if kind(value.type) == "f":
            return self.call(np.tanh, value)
        if kind(value.type) == "c":
            return self.call(
                np.sin,
                self.build.apply(
                    operator.mul, value, Const(0.25), type=self.type(operator.mul, value, Const(0.25))
                ),
            )
        return value

    def place(self, scope: Scope, array: Value) -> tuple[Operand, ...]:
        """A subscript within bounds."""
        assert isinstance(array.type, Array)
        return tuple(
            self.random.choice(scope.indices)
            if scope.indices and self.random.random() < 0.7
            else Const(self.random.randint(-1, SIZE - 1))
            for _ in range(array.type.ndim)
        )

    def storable(self, scope: Scope, array: Value) -> list[Value]:
        """The numbers that an array may be given: none that it cannot hold."""
        allowed = {"b": "b", "i": "biu", "u": "bu", "f": "biuf", "c": "biufc"}[kind(array.type)]
        return [value for value in scope.numbers if kind(value.type) in allowed]

    def memory(self, scope: Scope) -> None:
        """A load, or a store."""
        readable = [*scope.arrays, *self.read_only]
        if self.random.random() < 0.45:
            array = self.random.choice(readable)
            assert isinstance(array.type, Array)
            loaded = self.build.load(array, self.place(scope, array), type=Scalar(array.type.dtype))
            scope.numbers.append(loaded)
            return
        array = self.random.choice(scope.arrays)
        values = self.storable(scope, array)
        if values:
            accumulate = kind(array.type) in "fciu" and self.random.random() < 0.5
            self.build.store(
                array, self.place(scope, array), self.random.choice(values[-4:]), accumulate=accumulate
            )

    def elementwise(self, scope: Scope) -> None:
        """A new array, or one that is written as a whole."""
        vectors = [
            a for a in [*scope.arrays, *self.read_only] if isinstance(a.type, Array) and a.type.ndim == 1
        ]
        one, other = self.random.choice(vectors), self.random.choice(vectors)
        if not SIZE == self.extent(one) == self.extent(other):
            return
        if kind(one.type) == "b" or kind(other.type) == "b":
            made = self.whole(np.multiply, one, other)
        elif self.random.random() < 0.3:
            made = self.whole(self.random.choice((np.sin, np.tanh, np.cos)), one)
        else:
            made = self.whole(self.random.choice((operator.add, operator.sub, operator.mul)), one, other)
        if made is None:
            return
        if kind(made.type) == "f":
            made = self.call(np.tanh, made)
        assert isinstance(made.type, Array)
        target = self.random.choice(scope.arrays)
        assert isinstance(target.type, Array)
        if self.random.random() < 0.5 or target.type.ndim == 2 or self.extent(target) != SIZE:
            scope.arrays.append(made)
        elif made.type.dtype == target.type.dtype:
            self.build.store(
                target, (Slice(),), made, accumulate=kind(target.type) == "f" and self.random.random() < 0.5
            )

    def whole(self, function: Any, *operands: Value) -> Value | None:
        type_ = self.type(function, *operands)
        if not isinstance(type_, Array) or type_.dtype not in DTYPES:
            return None
        return self.build.apply(function, *operands, type=type_, name=self.random.choice(("", "u")))

    def extent(self, array: Value) -> int:
        """How long a vector is."""
        return self.lengths.get(array, SIZE)

    @functools.cached_property
    def lengths(self) -> dict[Value, int]:
        """The lengths of the vectors that are shorter than others."""
        return {}

    def sliced(self, scope: Scope) -> None:
        """A view of an array: loads and stores through it meet those of the array itself."""
        array = self.random.choice(scope.arrays)
        assert isinstance(array.type, Array)
        index: tuple[Any, ...]
        if array.type.ndim == 2:
            line = self.place(scope, array)[0]
            index = (line,) if self.random.random() < 0.5 else (Slice(), line)
            layout = "C" if len(index) == 1 else "A"
        elif self.extent(array) == SIZE:
            index = self.random.choice(
                ((Slice(Const(1), Const(3)),), (Slice(None, None, Const(-1)),), (Slice(Const(2)),))
            )
            layout = "A" if index[0].step else "C"
        else:
            return
        view = self.build.view(array, index, name="v", type=Array(array.type.dtype, 1, layout))
        start = index[0].start if isinstance(index[0], Slice) else None
        if start is not None:
            self.lengths[view] = 2
        if self.random.random() < 0.5 and start is None:
            scope.arrays.append(view)
            return
        values = self.storable(scope, array)
        if values:
            self.build.store(
                view,
                (Const(self.random.randint(0, 1)),),
                self.random.choice(values[-4:]),
                accumulate=kind(array.type) in "fciu" and self.random.random() < 0.5,
            )
        loaded = self.build.load(array, self.place(scope, array), type=Scalar(array.type.dtype))
        scope.numbers.append(loaded)

    # Regions

    def test(self, scope: Scope) -> Value:
        reals = [value for value in scope.numbers if kind(value.type) != "c"]
        if not reals:
            return self.build.apply(operator.lt, Const(1), self.parameters[3], type=BOOL)
        return self.build.apply(
            self.random.choice((operator.lt, operator.gt)),
            self.random.choice(reals),
            Const(self.random.choice((0, 1, 0.3))),
            type=BOOL,
        )

    def like(self, scope: Scope, wanted: Value) -> Value:
        """A number of the same type."""
        same = [value for value in scope.numbers if value.type == wanted.type]
        return self.random.choice(same[-3:])

    def branch(self, scope: Scope, depth: int) -> None:
        test = self.test(scope)
        given = [self.number(scope) for _ in range(self.random.randint(0, 2))]
        sides = []
        for _ in range(2):
            with self.build.block() as block:
                inner = scope.inner()
                if self.random.random() < 0.8:
                    self.statements(inner, depth)
                block.yields = tuple(self.like(inner, value) for value in given)
            sides.append(block.finish())
        results = tuple(Value(value.name, value.type, HERE) for value in given)
        self.build.add(If(test, sides[0], sides[1], results, HERE))
        scope.numbers += results

    def guarded(self, scope: Scope, depth: int) -> None:
        """A partial operation under its guard."""
        n = self.parameters[3]
        below = self.random.randint(-2, 3)
        index = self.build.apply(operator.add, n, Const(below), type=INT)
        if self.random.random() < 0.5:
            test = self.build.apply(operator.ne, index, Const(0), type=BOOL)
            with self.build.block() as block:
                function = self.random.choice((operator.floordiv, operator.mod))
                found = self.build.apply(function, Const(7), index, type=INT)
                block.yields = (found,)
            result = Value("", INT, HERE)
            self.build.add(If(test, block.finish(), Block((), (), (Const(0),)), (result,), HERE))
            scope.numbers.append(result)
            return
        vectors = [
            a
            for a in scope.arrays
            if isinstance(a.type, Array) and a.type.ndim == 1 and self.extent(a) == SIZE
        ]
        array = self.random.choice(vectors)
        assert isinstance(array.type, Array)
        below_size = self.build.apply(operator.lt, index, Const(SIZE), type=BOOL)
        above = self.build.apply(operator.ge, index, Const(0), type=BOOL)
        inside = Value("", BOOL, HERE)
        self.build.add(
            If(below_size, Block((), (), (above,)), Block((), (), (Const(False),)), (inside,), HERE)
        )
        with self.build.block() as block:
            inner = scope.inner()
            inner.indices.append(index)
            inner.numbers.append(self.build.load(array, (index,), type=Scalar(array.type.dtype)))
            if self.random.random() < 0.7:
                self.statements(inner, min(depth, 1))
        self.build.add(If(inside, block.finish(), Block((), (), ()), (), HERE))

    def loop(self, scope: Scope, depth: int) -> None:
        given = [self.number(scope) for _ in range(self.random.randint(0, 2))]
        parameters = [Value(value.name, value.type, HERE) for value in given]
        index = Value("i", INT, HERE)
        leave = None
        with self.build.block(index, *parameters) as block:
            inner = scope.inner()
            inner.numbers += [*parameters, index]
            inner.indices.append(index)
            self.statements(inner, depth)
            if self.random.random() < 0.15:
                leave = self.test(inner)
            block.yields = tuple(self.like(inner, value) for value in given)
        results = tuple(Value(value.name, value.type, HERE) for value in given)
        start, stop, step = self.random.choice(
            ((0, 4, 1), (0, 4, 1), (1, 4, 1), (3, -1, -1), (0, 4, 2), (2, 2, 1))
        )
        bounds = (Const(start), Const(stop), Const(step))
        self.build.add(For(*bounds, tuple(given), block.finish(), results, HERE, leave))
        scope.numbers += results

    def sweep(self, scope: Scope, depth: int) -> None:
        """A loop over arrays, entry by entry: what can be distributed, summed up in one number, or turned round."""
        vectors = [
            a
            for a in scope.arrays
            if isinstance(a.type, Array) and a.type.ndim == 1 and self.extent(a) == SIZE
        ]
        index = Value("i", INT, HERE)
        sums = [value for value in scope.numbers if kind(value.type) in "fc"][-2:]
        sums = self.random.sample(sums, self.random.randint(0, len(sums)))
        parameters = [Value(value.name, value.type, HERE) for value in sums]
        with self.build.block(index, *parameters) as block:
            ends: list[Operand] = list(parameters)
            numbers: list[Value] = list(scope.numbers[-2:])
            for _ in range(self.random.randint(1, 4)):
                source = self.random.choice([*vectors, *self.read_only[:-1]])
                assert isinstance(source.type, Array)
                place = self.index_or_neighbour(index)
                loaded = self.build.load(source, (place,), type=Scalar(source.type.dtype))
                inner = Scope([*numbers, loaded], vectors, [index])
                self.arithmetic(inner)
                numbers = inner.numbers
                if ends and self.random.random() < 0.4:
                    k = self.random.randrange(len(ends))
                    held = [value for value in numbers if value.type == parameters[k].type]
                    if held:
                        added = self.build.apply(
                            operator.add, ends[k], self.random.choice(held), type=parameters[k].type
                        )
                        ends[k] = added
                    continue
                target = self.random.choice(vectors)
                held = self.storable(inner, target)
                if held:
                    accumulate = kind(target.type) in "fciu" and self.random.random() < 0.5
                    self.build.store(
                        target, (self.index_or_neighbour(index),), held[-1], accumulate=accumulate
                    )
                elif depth:
                    self.branch(inner, 0)
            block.yields = tuple(ends)
        results = tuple(Value(value.name, value.type, HERE) for value in sums)
        start, stop, step = self.random.choice(((1, 3, 1), (1, 3, 1), (2, 0, -1)))
        bounds = (Const(start), Const(stop), Const(step))
        self.build.add(For(*bounds, tuple(sums), block.finish(), results, HERE))
        scope.numbers += results

    def index_or_neighbour(self, index: Value) -> Operand:
        """The index of a loop that leaves out the first and the last, or one beside it."""
        by = self.random.choice((0, 0, 0, 1, -1))
        return self.build.apply(operator.add, index, Const(by), type=INT) if by else index

    def while_loop(self, scope: Scope, depth: int) -> None:
        given = [self.number(scope)]
        count, *conditional = (
            Value(name, type_, HERE) for name, type_ in [("k", INT), (given[0].name, given[0].type)]
        )
        with self.build.block(count, *conditional) as condition:
            condition.yields = (self.build.apply(operator.lt, count, Const(3), type=BOOL),)
        inside = Value("k", INT, HERE)
        parameters = [Value(value.name, value.type, HERE) for value in given]
        with self.build.block(inside, *parameters) as block:
            inner = scope.inner()
            inner.numbers += [*parameters, inside]
            inner.indices.append(inside)
            self.statements(inner, depth)
            following = self.build.apply(operator.add, inside, Const(1), type=INT)
            block.yields = (following, *(self.like(inner, value) for value in given))
        results = [Value("k", INT, HERE), *(Value(value.name, value.type, HERE) for value in given)]
        self.build.add(While((Const(0), *given), condition.finish(), block.finish(), tuple(results), HERE))
        scope.numbers += results[1:]


def type_of(operand: Operand) -> Type:
    """The type of an operand of a call."""
    if isinstance(operand, Value):
        assert operand.type is not None
        return operand.type
    return {bool: BOOL, int: INT, float: FLOAT, complex: Scalar("complex128")}[type(operand.value)]


def drawn(rng: np.random.Generator, value: Value) -> Any:
    """A random argument for a parameter."""
    assert isinstance(value.type, Scalar | Array)
    if value.name == "n":
        return int(rng.integers(0, 4))
    shape = (SIZE,) * value.type.ndim if isinstance(value.type, Array) else ()
    dtype = np.dtype(value.type.dtype)
    match dtype.kind:
        case "b":
            found = rng.integers(0, 2, shape)
        case "i":
            found = rng.integers(-3, 4, shape)
        case "u":
            found = rng.integers(0, 4, shape)
        case "f":
            found = rng.uniform(-1.0, 1.0, shape)
        case _:
            found = rng.uniform(-1.0, 1.0, shape) + 1j * rng.uniform(-1.0, 1.0, shape)
    return np.asarray(found).astype(dtype) if shape else dtype.type(found)


def program(seed: int, *, scalar: bool = False) -> tuple[Function, tuple[Any, ...]]:
    """A random program that is typed, and arguments for it."""
    programs = Programs(seed)
    return programs.program(scalar=scalar), programs.args
