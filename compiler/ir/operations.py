"""What is known of the functions that an `Apply` can hold: one record each, which every pass asks.

A function that the table does not name gets its record from what it says of itself: a runtime kernel by what
`backsweep.runtime.support.compiled` lets it declare, a NumPy ufunc by its number of operands, a function of the user's
that stays a call by its `Callee`. Derivatives are not told here but by the rules (`backsweep.rules`), and so is
whether a function works entry by entry, since only a function with a rule is asked for that.
"""

from __future__ import annotations

import enum
import math
import operator
import types
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from backsweep.ir.nodes import Callee, Custom, Tap


class Kind(enum.Enum):
    """The families of functions that passes tell apart."""

    ARITHMETIC = "+, - and *: never fails, and the machine does several at once"
    DIVISION = "/: many cycles for one, hardly more for several at once"
    INTEGER_DIVISION = "// and %: of integers it fails where the divisor is zero"
    POWER = "**"
    ROOT = "the square root: as expensive as a division"
    ELEMENTARY = "exp, log, sin and their like: a call for each number"
    COMPARISON = "<, == and their like"
    LOGIC = "and, or, not, and shifts of integers"
    CHOICE = "max, min, where: one of the operands"
    CONVERSION = "float, int, bool: the number in another type"
    PRODUCT = "products of matrices and vectors"
    EXTENT = "shape, size, number of axes: never looks at entries"
    ITEM = "an item of a tuple, and tuples of items"
    VIEW = "memory of the first operand under another shape or order"
    COPY = "fresh memory with the entries of the first operand"
    ALIKE = "fresh memory of the shape and dtype of the first operand"
    NEW = "fresh memory of a shape that is given"
    REDUCTION = "a number of an array, or an array with an axis less"
    SCAN = "an array of what was summed up or multiplied so far"
    MAGNITUDE = "the absolute value, the sign"
    REARRANGEMENT = "fresh memory with the entries in another order"
    FACTORISATION = "linear algebra that takes more than a product"
    MARK = "the value itself, with something to be told of it"
    OTHER = "any other function"


class Sharing(enum.Enum):
    """Whether the result is memory of the first operand."""

    NEVER = "never"
    ALWAYS = "always"
    CONTIGUOUS = "where it is contiguous, perhaps elsewhere"
    FORTRAN = "where it is in Fortran's order"
    PERHAPS = "perhaps"
    """Only the run decides."""


class Need(enum.Enum):
    """Whether a call may be dropped, doubled or moved."""

    NOTHING = "nothing"
    """It computes its result and no more, but for what `Operation.writes` tells."""
    UNKNOWN = "unknown"
    """It may be dropped if nobody reads its result; what else it does is not known, so that it keeps its place."""
    ASKED = "asked"
    """It was asked for, or prints, or draws a random number: it stays, and keeps its place."""


@dataclass(frozen=True, slots=True)
class Operation:
    """What is known of one function.

    `writes` are the positions of the operands whose memory it changes; `in_place` says that it is the first one, if
    that is an array. `shape_only` are the positions of the operands of which it looks at
    shape and dtype alone, `shaped_like` that of the operand that has the shape of its result, `extents`
    those of operands that are a shape, or an extent of one. `canonical` is the function
    that computes the same under the name that passes look for: `operator.add` of `np.add` and of `operator.iadd`,
    `np.exp` of `math.exp`. `of_number` is the function of the same name in `math`, and `is_total` says that this
    raises for no finite number, compiled or not. `negation` is the comparison that holds where this one does not.
    `checks` says that it raises where its operands do not fit, so that it runs even if nobody reads its result.
    `joined` are the positions of two operands of which the last axis of the first must be as long as the last axis but
    one of the second, or its only axis.
    """

    kind: Kind = Kind.OTHER
    need: Need = Need.NOTHING
    sharing: Sharing = Sharing.NEVER
    writes: tuple[int, ...] = ()
    in_place: bool = False
    shape_only: tuple[int, ...] = ()
    shaped_like: int | None = None
    extents: tuple[int, ...] = ()
    canonical: Any = None
    of_number: Any = None
    negation: Any = None
    is_total: bool = False
    checks: bool = False
    joined: tuple[int, int] | None = None

    @property
    def is_pure(self) -> bool:
        """Whether two calls of it may change places: it draws no random number, writes nothing, does nothing unknown."""
        return self.need is Need.NOTHING and self.writes == () and not self.in_place

    @property
    def is_fresh(self) -> bool:
        """Whether its result is memory that nothing else refers to, for later stores to fill."""
        return self.kind in (Kind.COPY, Kind.ALIKE, Kind.NEW)


NUMBERS = frozenset(
    {
        Kind.ARITHMETIC,
        Kind.DIVISION,
        Kind.INTEGER_DIVISION,
        Kind.POWER,
        Kind.ROOT,
        Kind.ELEMENTARY,
        Kind.CHOICE,
        Kind.MAGNITUDE,
    }
)
"""Functions of numbers that answer with a number."""
OPERATORS = frozenset(
    {
        Kind.ARITHMETIC,
        Kind.DIVISION,
        Kind.INTEGER_DIVISION,
        Kind.POWER,
        Kind.COMPARISON,
        Kind.LOGIC,
        Kind.MAGNITUDE,
    }
)
"""Python's own operators, which work entry by entry on arrays."""
OF_INTEGERS = frozenset(
    {
        Kind.ARITHMETIC,
        Kind.INTEGER_DIVISION,
        Kind.COMPARISON,
        Kind.LOGIC,
        Kind.CHOICE,
        Kind.CONVERSION,
        Kind.EXTENT,
        Kind.ITEM,
    }
)
"""What bounds of loops, places and counts are computed with: it may be computed again at another place."""
INEXPENSIVE = frozenset({*OF_INTEGERS, Kind.DIVISION, Kind.ROOT, Kind.MAGNITUDE, Kind.VIEW})
"""Functions that cost no more than the store and the load of their result."""
EXPENSIVE = frozenset({Kind.ELEMENTARY, Kind.ROOT})
"""Functions that are worth finding again wherever they were computed before."""
COMPLEX_QUOTIENT = np.divide
"""NumPy's quotient, which is nan or infinite where the divisor is zero; `/` of complex numbers raises there when compiled."""


def operation(function: Any) -> Operation:
    """The record of a function; that of an unknown one says so."""
    try:
        return TABLE[function]
    except (KeyError, TypeError):  # TypeError: it has no hash
        return _by_itself(function)


def kind(function: Any) -> Kind:
    """The family of a function."""
    return operation(function).kind


def canonical(function: Any) -> Any:
    """The function that computes the same under the name that passes look for; most often itself."""
    found = operation(function).canonical
    return function if found is None else found


def is_random(function: Any) -> bool:
    """Whether a function draws random numbers."""
    module = getattr(function, "__module__", None) or ""
    bound = type(getattr(function, "__self__", None)).__name__
    return module.startswith(("numpy.random", "random")) or bound == "RandomState"


_TAP = Operation(Kind.MARK, Need.ASKED, Sharing.ALWAYS, shaped_like=0)
_HOOK = _TAP
_CUSTOM = Operation(Kind.MARK, Need.ASKED, shaped_like=0)
_UNKNOWN = Operation(need=Need.UNKNOWN)
_ASKED = Operation(need=Need.ASKED)
_IN_PLACE = Operation(need=Need.ASKED, in_place=True)


def _by_itself(function: Any) -> Operation:
    """The record of a function by what it says of itself."""
    match function:
        case Callee():
            return Operation(writes=function.writes)
        case Tap():
            return _TAP
        case Custom():
            return _HOOK if function.passes else _CUSTOM
    if getattr(function, "in_place", False):
        return _IN_PLACE
    # A runtime kernel's, or of what stands for a function of the user's.
    declared = getattr(function, "declared", None)
    if declared is not None:
        return _declared(tuple(declared.items()))
    if isinstance(function, np.ufunc | type):
        return Operation()
    if is_random(function):
        return _ASKED
    owner = getattr(function, "__self__", None)
    if isinstance(function, types.MethodType) or not (owner is None or isinstance(owner, types.ModuleType)):
        return _UNKNOWN
    if getattr(function, "__objclass__", None) is np.ndarray:
        return Operation()
    module = getattr(function, "__module__", None) or ""
    return Operation() if any(f"{module}.".startswith(f"{each}.") for each in _PURE_MODULES) else _UNKNOWN


@cache
def _declared(facts: tuple[tuple[str, Any], ...]) -> Operation:
    """The record that a kernel declares; one for all kernels that declare the same."""
    places = dict(facts)
    need, sharing = places.pop("need", "nothing"), places.pop("sharing", "never")
    return Operation(need=Need(need), sharing=Sharing(sharing), **places)


_PURE_MODULES = ("math", "cmath", "operator", "_operator", "numpy", "builtins", "backsweep.runtime")


def _named(names: str, *modules: Any) -> list[Any]:
    """The functions of these names, in all of the modules that have them."""
    return [getattr(module, name) for name in names.split() for module in modules if hasattr(module, name)]


def _table() -> dict[Any, Operation]:
    """The records, by function."""
    found: dict[Any, Operation] = {}

    def put(functions: Iterable[Any], record: Operation) -> None:
        found.update(dict.fromkeys(functions, record))

    op, linalg = operator, np.linalg
    put([op.add, op.sub, op.mul, op.neg, op.pos], Operation(Kind.ARITHMETIC))
    put([op.truediv], Operation(Kind.DIVISION))
    put([op.floordiv, op.mod, divmod], Operation(Kind.INTEGER_DIVISION))
    put([op.pow, pow], Operation(Kind.POWER, canonical=op.pow))
    put(_named("sqrt", math, np), Operation(Kind.ROOT, canonical=np.sqrt, of_number=math.sqrt))
    names = "sin cos tan exp log tanh sinh cosh log1p expm1"
    total = ("sin", "cos", "tan", "tanh")
    for name in names.split():
        same, number = getattr(np, name), getattr(math, name)
        put(
            [same, number],
            Operation(Kind.ELEMENTARY, canonical=same, of_number=number, is_total=name in total),
        )
    for name in ("log2", "log10", "floor", "ceil", "hypot", "isnan", "isinf"):
        found[getattr(np, name)] = Operation(of_number=getattr(math, name))
    found[np.arctan] = Operation(of_number=math.atan, is_total=True)
    found[np.arctan2] = Operation(of_number=math.atan2, is_total=True)
    for one, other in ((op.lt, op.ge), (op.le, op.gt), (op.eq, op.ne)):
        found[one] = Operation(Kind.COMPARISON, negation=other)
        found[other] = Operation(Kind.COMPARISON, negation=one)
    put(_named("and_ or_ xor not_ invert lshift rshift", op), Operation(Kind.LOGIC))
    put([min, max], Operation(Kind.CHOICE))
    put([abs, op.abs], Operation(Kind.MAGNITUDE, canonical=abs))
    put(_named("abs fabs sign", np), Operation(Kind.MAGNITUDE))
    put([math.fabs], Operation(Kind.MAGNITUDE))
    put([float, int, bool, complex, np.float64, np.float32, np.int64, np.bool_], Operation(Kind.CONVERSION))
    for function, same in (
        (np.add, op.add),
        (np.subtract, op.sub),
        (np.multiply, op.mul),
        (np.negative, op.neg),
        (np.divide, op.truediv),
        (np.floor_divide, op.floordiv),
        (np.mod, op.mod),
        (np.power, op.pow),
    ):
        found[function] = replace(found[same], canonical=same)
    found[np.square] = Operation(Kind.ARITHMETIC)
    put([np.maximum, np.minimum], Operation(Kind.CHOICE))
    put([op.matmul, np.dot, np.matmul], Operation(Kind.PRODUCT, canonical=op.matmul, joined=(0, 1)))
    for name in [
        "add",
        "sub",
        "mul",
        "truediv",
        "floordiv",
        "mod",
        "pow",
        "matmul",
        "and_",
        "or_",
        "xor",
        "lshift",
        "rshift",
    ]:
        same = getattr(op, name)
        found[getattr(op, f"i{name.rstrip('_')}")] = replace(_IN_PLACE, canonical=same)

    put([np.shape, np.size, np.ndim, len], Operation(Kind.EXTENT, shape_only=(0,)))
    put([tuple, op.getitem, getattr], Operation(Kind.ITEM))
    alike = Operation(Kind.ALIKE, shape_only=(0,), shaped_like=0)
    put([np.zeros_like, np.ones_like, np.empty_like, np.full_like], alike)
    put([np.empty, np.zeros, np.ones, np.full], Operation(Kind.NEW, extents=(0,)))
    found[np.eye] = Operation(extents=(0, 1))
    found[np.identity] = Operation(extents=(0,))
    put([np.copy], Operation(Kind.COPY, shaped_like=0))
    view = Operation(Kind.VIEW, sharing=Sharing.ALWAYS)
    names = (
        "transpose atleast_1d atleast_2d atleast_3d broadcast_to expand_dims squeeze diagonal swapaxes rot90"
    )
    put(_named(names, np), view)
    put(_named("real imag flip fliplr flipud asarray", np), replace(view, shaped_like=0))
    put([np.ravel], replace(view, sharing=Sharing.CONTIGUOUS))
    put([np.reshape], replace(view, sharing=Sharing.CONTIGUOUS, extents=(1,)))
    put([np.ascontiguousarray], replace(view, sharing=Sharing.CONTIGUOUS, shaped_like=0))
    put([np.asfortranarray], replace(view, sharing=Sharing.FORTRAN, shaped_like=0))
    put(_named("sum mean prod max min any all var std argmax argmin", np), Operation(Kind.REDUCTION))
    put(_named("cumsum cumprod", np), Operation(Kind.SCAN))
    put(_named("sort roll", np), Operation(Kind.REARRANGEMENT, shaped_like=0))
    put(_named("inv cholesky", linalg), Operation(Kind.FACTORISATION, shaped_like=0))
    put([linalg.solve], Operation(Kind.FACTORISATION, shaped_like=1, joined=(0, 1)))
    put([np.vdot, np.inner], Operation(joined=(0, 1)))
    put([np.interp], Operation(joined=(1, 2)))
    put([linalg.det], Operation(Kind.FACTORISATION))
    writer = Operation(need=Need.ASKED, writes=(0,))
    put(_named("copyto put place putmask put_along_axis fill_diagonal", np), writer)
    put(_named("sort partition put fill", np.ndarray), writer)
    put([np.random.shuffle], writer)
    put([print], _ASKED)
    put([input, open, setattr, next], _UNKNOWN)
    return found


TABLE = _table()
"""What is known of Python's, math's and NumPy's functions."""

HALVES = frozenset({"bool", "int8", "uint8", "int16", "uint16"})
"""Integers of which NumPy's functions make floats of less than double precision."""
